/* The one-step problem of a time step, in memory for the largest case. */
#ifndef TP_SYSTEM_STEP_PROBLEM_H
#define TP_SYSTEM_STEP_PROBLEM_H

#include "system.h"
#include "tippe/problem.h"

typedef struct tp_step_problem {
    tp_problem problem; /* M x = f + W P, xi = W^T x + D P + b; D of compliant contacts alone */
    int capacity_rows, capacity_sets;
    size_t capacity_entries, capacity_blocks; /* of A, of D */
    int *law;       /* [capacity_sets] which law a set belongs to; compliant contacts follow the laws */
    double *P;      /* [capacity_rows] start and answer           */
    double *row;    /* [TP_LAW_ROWS * largest_columns] rows of one law */
    int *first_row; /* [capacity_sets] first row of a law in the problem, -1: not in it */
    unsigned char *is_static; /* [capacity_sets] laws that have their static bound, tp_step_problem_bound */
} tp_step_problem;

/* Largest numbers of sets, rows, entries of D, of A and of M. */
typedef struct tp_problem_sizes {
    size_t sets, rows, blocks, entries, matrix;
} tp_problem_sizes;

/* Memory of a problem with x_count unknowns, from the arena; Ct is A. */
tp_status tp_problem_take(tp_arena *arena, const tp_problem_sizes *sizes, tp_problem *p);
tp_sparse tp_problem_take_sparse(tp_arena *arena, size_t cols, size_t entries);

/* No sets; and one set more, with D = 0: returns its first row. Entries of A and Ct, b and P are the
   caller's. */
void tp_problem_clear(tp_problem *p);
int tp_problem_append(tp_problem *p, const tp_set *set);

/* The same with room for more contacts, so that memory grows in steps; without contacts that change: the
 * same. */
tp_problem_sizes tp_problem_sizes_more(const tp_problem_sizes *least, const tp_system *system);

/* Is there room for all laws that the system has now? */
bool tp_step_problem_fits(const tp_step_problem *problem, const tp_system *system);

/* Memory from the arena, for all laws of the system at once and some contacts more. */
tp_status tp_step_problem_create(tp_arena *arena, const tp_system *system, tp_step_problem **problem_out);

/* Empties it and sets M (values in a pattern) and f [u_count]; NULL: 0. */
void tp_step_problem_begin(tp_step_problem *step, const tp_sparse *pattern, const double *M, const double *f);

/* Appends a law: rows W over its columns, b and the start P0 [row_count]; force bounds are multiplied by dt.
   A law whose set follows another's impulse comes after that one. */
void tp_step_problem_add(tp_step_problem *step, const tp_system *system, int law, const double *W,
                         const double *b, const double *P0, double dt);

/* The same for many laws, of which tasks may do the second and the fourth part side by side: all sets are
   placed, their entries counted, the counts summed from the first of these sets on, the entries written. b
   and P of their rows are the caller's. */
void tp_step_problem_place(tp_step_problem *step, const tp_system *system, int law, double dt);
void tp_step_problem_count(tp_step_problem *step, const tp_system *system, int set, const double *W);
void tp_step_problem_sum(tp_step_problem *step, int first_set);
void tp_step_problem_write(tp_step_problem *step, const tp_system *system, int set, const double *W);

/* Row k of the law that was added last has xi = value P instead of its law: it has no share in the step. */
void tp_step_problem_leave_out(tp_step_problem *step, int k, double value);

/* Appends only the first rows of a law (set->size of them) with a set of its own. */
void tp_step_problem_add_rows(tp_step_problem *step, const tp_system *system, int law, const tp_set *set,
                              const double *W, const double *b, const double *P0);

/* All bounds of friction of a set times a factor. */
void tp_set_scale_friction(tp_set *set, double factor);

/* Set i of the problem has the static bound of its law from now on, or that of sliding;
   theory/static-friction.md. */
void tp_step_problem_bound(tp_step_problem *step, const tp_system *system, int set, bool is_static,
                           double dt);

/* Appends a compliant contact as a law 0 <= P _|_ xi >= 0 with xi = W^T x + D P + b; index counts compliant
 * contacts. */
void tp_step_problem_add_spring(tp_step_problem *step, const tp_system *system, int index, const double *W,
                                double D, double b, double P0);

#endif
