/* The linear system of one Newton step on the active rows: (R G C + K) d = -(R xi_base + offset);
 * theory/solvers.md (14). */
#ifndef TP_SOLVER_NEWTON_REDUCED_SYSTEM_H
#define TP_SOLVER_NEWTON_REDUCED_SYSTEM_H

#include "linearise.h"
#include "math/block_matrix.h"

typedef struct tp_reduced_system {
    const tp_local *local;
    double shift;             /* added to the diagonal of G                                       */
    tp_linear_block *block;   /* [set_count]                                                      */
    int *first;               /* [set_count + 1] first unknown of each block                      */
    double *base, *velocity;  /* [row_count] base point and its velocity (with shift)             */
    double *at;               /* [row_count] where the laws were linearised                       */
    double *held;             /* [set_count] sizes of sets that follow a master, by which is judged
                                 whether they slip; NULL: those of the point. A solve moves them along */
    int *order;               /* [set_count] elimination order of the blocks                      */
    tp_block_columns columns; /* G by block columns */
    double work;              /* of the last solve, in block products                              */
    int refinements;          /* corrections of a solve for what `extra` has changed; 0 at first     */
} tp_reduced_system;

/* Memory from the stack until the caller releases his mark. */
tp_status tp_reduced_system_init(tp_reduced_system *system, const tp_local *local, tp_stack *stack);

/* Linearises all laws at P with velocity xi; centre [row_count] may be NULL. The velocity of the base point
   is G b + c + shift (b - centre). */
void tp_reduced_system_linearise(tp_reduced_system *system, const double *P, const double *xi, double shift,
                                 const double *centre);

/* Solves and writes the new point; extra is added to the diagonal of G beside the shift, and taken back by
   the refinements where G is regular. TP_SINGULAR if there is no solution. */
tp_status tp_reduced_system_solve(tp_reduced_system *system, double extra, tp_stack *stack, double *P_out);

#endif
