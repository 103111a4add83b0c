/* The shortest motion x that brings soft rows to their goals; theory/correction.md (5)-(8). A one-step
   problem with laws row by row and compliance in every row, M x = f + W P,   xi = W^T x + s P + b,   -xi in
   N_[l,u](P), is the minimum of a convex function without constraints, x^T M x / 2 - f.x + sum over rows of
   the integral of -P(r) up to r = W^T x + b,   P(r) = -r / s between l and u. It always has one minimum:
   redundant rows share, contradicting ones get least squares. */
#ifndef TP_SOLVER_NEWTON_SOFT_ROWS_H
#define TP_SOLVER_NEWTON_SOFT_ROWS_H

#include "tippe/solver.h"

/* M, f, A, b, D and sets of a global problem, sets of kinds FREE, ZERO, ORTHANT and BOX alone, s > 0 the
   diagonal of D. Newton steps with exact line searches from x = 0: each lowers the function,
   and after at most max_steps the last point is the answer. Where factors would take too long:
   soft_impulses.h. x_out [x_count], P_out [row_count]: f + W P = M x up to what is left of the gradient.
   Returns the number of steps (of products), 0 where there was no memory or a number out of range: x and P
   are then 0. */
int tp_soft_rows_solve(const tp_problem *problem, int max_steps, tp_workspace *workspace, double *x_out,
                       double *P_out);

#endif
