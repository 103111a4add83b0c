/* Problems whose M is diagonal, as of bodies in their principal axes; theory/solvers.md (28h). */
#ifndef TP_SOLVER_DIAGONAL_H
#define TP_SOLVER_DIAGONAL_H

#include "problem/local.h"

/* The diagonal of M [cols]; false where there is more, or where it is not positive. */
bool tp_diagonal_take(const tp_sparse *M, double *mass);

/* x = M^-1 (f + A P) and xi = C x + D P + b; P NULL: 0. */
void tp_diagonal_move(const tp_problem *problem, const double *mass, const double *P, double *x, double *xi);

/* rho and scale, from the diagonal of G = C M^-1 A + D; c is xi at P = 0. */
tp_status tp_diagonal_measure(const tp_problem *problem, const double *mass, const double *c, tp_stack *stack,
                              tp_local *local);

#endif
