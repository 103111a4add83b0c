/* The laws of a problem without its joints, and bounds of the reactions of these; theory/solvers.md
   (28e). */
#ifndef TP_SOLVER_INFEASIBLE_JOINT_ELIMINATION_H
#define TP_SOLVER_INFEASIBLE_JOINT_ELIMINATION_H

#include "problem/local.h"

typedef struct tp_elimination {
    int kept_count;  /* rows not of joints, in their order                                                 */
    int row_count;   /* and after them A_0 n.J <= A_0 |J|, negative, for each set of friction that has a
                        bound, and last what is >= 0 in every solution */
    int upper_count; /* of the last: two for each row of friction that follows a joint, or none */
    double *S, *c; /* [row_count*row_count], [row_count] xi = S P + c; no impulses belong to the last rows */
} tp_elimination;

/* Does friction that slips have a lower bound by its joint? */
bool tp_elimination_has_bound(const tp_set *set);

/* n is the direction of the reaction at P [row_count], in those of its rows that are unique. Memory from the
   stack. False: joints contradict each other, or there is no memory. */
bool tp_eliminate_joints(const tp_local *local, const double *P, tp_stack *stack, tp_elimination *out);

#endif
