/* Soft rows of many bodies, whose factors would fill up: the dual of soft_rows.h, a convex quadratic function
   of the impulses between their bounds, by projected conjugate gradients; theory/correction.md (6a). */
#ifndef TP_SOLVER_NEWTON_SOFT_IMPULSES_H
#define TP_SOLVER_NEWTON_SOFT_IMPULSES_H

#include "tippe/solver.h"

/* As tp_soft_rows_solve, from P = 0. Each iteration lowers the function, so that any of them improves on
   doing nothing, and x is the motion of P to rounding. Returns the number of products with W^T M^-1 W. */
int tp_soft_impulses_solve(const tp_problem *problem, int max_products, tp_workspace *workspace,
                           double *x_out, double *P_out);

#endif
