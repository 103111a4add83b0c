/* The linear system of a Newton step with the velocities of bodies as unknowns instead of impulses;
   theory/solvers.md (14b). */
#ifndef TP_SOLVER_NEWTON_BODY_SYSTEM_H
#define TP_SOLVER_NEWTON_BODY_SYSTEM_H

#include "linearise.h"
#include "math/front_lu.h"

/* Nodes are groups of unknowns that the same laws touch: bodies, as a rule. */
typedef struct tp_body_system {
    const tp_problem *problem;
    int node_count;
    int *node_of, *slot;       /* [x_count] node of an unknown, and its place there        */
    int *first, *size;         /* [node_count + 1], [node_count] unknowns of a node        */
    double *scale;             /* [x_count] unknowns are multiplied by it: 1/sqrt(M_jj)    */
    int *law_start, *law_node; /* [set_count + 1] nodes that a law touches                 */
    size_t *law_offset;        /* of its directions A, and behind them C, node by node     */
    double *direction;
    tp_front_plan plan;
    const double *hold; /* [set_count] multiples of the shift, law by law; NULL: 1 */
    /* of the last factorisation */
    tp_fronts fronts;
    size_t *inverse_offset; /* [set_count + 1] */
    double *inverse;        /* (R (D + shift) C + K)^-1 of each law */
    double *x;              /* [x_count] work, by nodes */
} tp_body_system;

/* TP_UNSUPPORTED where laws meet in D or follow each other, and in problems in local form. Memory from the
   stack until the caller releases his mark. */
tp_status tp_body_system_init(tp_body_system *bodies, const tp_local *local, tp_stack *stack);

/* Blocks as linearised, shift > 0 on the diagonal of G. TP_SINGULAR if a pivot vanishes. */
tp_status tp_body_system_factor(tp_body_system *bodies, const tp_linear_block *blocks, double shift,
                                tp_stack *stack);

/* d [unknowns of the laws, from first_unknown[i] on] becomes the solution. */
void tp_body_system_solve(tp_body_system *bodies, const tp_linear_block *blocks, const int *first_unknown,
                          double *d);

#endif
