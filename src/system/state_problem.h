/* The one-step problem of mechanics and first-order states together; theory/theta-gamma.md (9)-(11).
   Equations and unknowns have common numbers: velocities 0 ... u-1, states u ... u+n-1, relations after them.
   Few states are unknowns x; many are rows with a free multiplier, so that nothing dense is made of them. */
#ifndef TP_SYSTEM_STATE_PROBLEM_H
#define TP_SYSTEM_STATE_PROBLEM_H

#include "step_problem.h"

/* Derivatives are put in a fixed order; the first time that order is recorded, and places are found. */
typedef struct tp_state_entries {
    int count, capacity, next;
    bool is_recording;
    int *row, *col;  /* as recorded */
    double **target; /* [count] where each is added, 0 before */
    double *sign;    /* [count] A has the opposite sign */
} tp_state_entries;

typedef struct tp_state_problem {
    int u, n, m; /* velocities, states, rows of relations */
    bool are_rows;
    int own_rows, own_sets;
    tp_set *own_set; /* [own_sets] first is among the own rows */
    tp_sparse M, A, Ct;
    tp_block_matrix D;
    tp_state_entries entries;
    tp_arena *arena; /* while recording */
    tp_problem problem;
    double *x, *P; /* start and answer, [x_count], [row_count] of the problem */
} tp_state_problem;

/* How many unknowns x and rows come before the own rows. */
static inline int tp_state_problem_x_count(const tp_state_problem *p)
{
    return p->are_rows ? p->u : p->u + p->n;
}

/* Sizes, and the sets of a model's relations; up to most_unknowns states are unknowns x. Then entries are
   recorded: tp_state_problem_put for each, in the order of all later times, and tp_state_problem_close.
   Memory from the arena. */
tp_status tp_state_problem_open(tp_arena *arena, const tp_model *model, int velocity_count, int most_unknowns,
                                tp_state_problem *p);
void tp_state_problem_put(tp_state_problem *p, int row, int col, double value);
tp_status tp_state_problem_close(tp_state_problem *p, const tp_step_problem *mechanics,
                                 size_t matrix_entries);

/* The sets of a step, for multipliers that are dt lambda. */
void tp_state_problem_scale_sets(tp_state_problem *p, const tp_model *model, double dt);

/* All own entries are 0, and may be put again. */
void tp_state_problem_clear(tp_state_problem *p);

/* The problem of both: p->problem. */
void tp_state_problem_join(tp_state_problem *p, const tp_problem *mechanics);

#endif
