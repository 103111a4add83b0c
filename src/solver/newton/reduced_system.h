/* The linear system of one Newton step on the active rows: (R G C + K) d = -(R xi_base + offset);
 * theory/solvers.md (14). */
#ifndef TP_SOLVER_NEWTON_REDUCED_SYSTEM_H
#define TP_SOLVER_NEWTON_REDUCED_SYSTEM_H

#include "body_system.h"
#include "linearise.h"
#include "math/block_matrix.h"

typedef struct tp_reduced_system {
    const tp_local *local;
    double shift;             /* added to the diagonal of G                                       */
    const double *hold;       /* [set_count] multiples of the shift, law by law; NULL: 1            */
    tp_step_lengths *lengths; /* [set_count] of the laws, without shift                           */
    tp_linear_block *block;   /* [set_count]                                                      */
    int *first;               /* [set_count + 1] first unknown of each block                      */
    double *base, *velocity;  /* [row_count] base point and its velocity (with shift)             */
    double *at;               /* [row_count] where the laws were linearised                       */
    const double *lag;        /* [set_count] of slow contacts, else below 0; NULL: none is; (24b) */
    double *held;             /* [set_count] sizes of sets that follow a master, by which is judged
                                 whether they slip; NULL: those of the point. A solve moves them along */
    tp_front_plan plan;       /* order and fronts of the blocks of G                              */
    tp_body_system bodies;
    bool has_bodies;          /* the problem is global and its laws meet in M alone               */
    int *dims;                /* [set_count] unknowns of the blocks                               */
    tp_block_columns columns; /* G by block columns */
    double smallest_pivot;    /* of the last solve, if it was front by front with impulses; else 0   */
    double work;              /* of the last solve, in block products                              */
    int refinements;          /* corrections of a solve for what `extra` has changed; 0 at first     */
} tp_reduced_system;

/* Memory from the stack until the caller releases his mark. */
tp_status tp_reduced_system_init(tp_reduced_system *system, const tp_local *local, tp_stack *stack);

/* Linearises all laws at P with velocity xi; centre [row_count] may be NULL. The velocity of the base point
   is G b + c + shift (b - centre). */
void tp_reduced_system_linearise(tp_reduced_system *system, const double *P, const double *xi, double shift,
                                 const double *centre);

/* The law of a slow contact: its cone, without the change of its slip speed. */
tp_set tp_reduced_system_cone(const tp_set *contact);

/* velocity += shift (P - centre), times what holds each law. */
void tp_reduced_system_add_shift(const tp_reduced_system *system, double shift, const double *P,
                                 const double *centre, double *velocity);

/* Solves and writes the new point; extra is added to the diagonal of G beside the shift, and taken back by
   the refinements where G is regular. TP_SINGULAR if there is no solution. */
tp_status tp_reduced_system_solve(tp_reduced_system *system, double extra, tp_stack *stack, double *P_out);

/* Work of a solve in which no law is open and all contacts stick, in block products. */
double tp_reduced_system_cost(const tp_reduced_system *system);

#endif
