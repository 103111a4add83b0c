/* Rows of joints that contradict each other: what is left of their velocities whatever impulses do. */
#ifndef TP_SOLVER_INFEASIBLE_CONTRADICTION_H
#define TP_SOLVER_INFEASIBLE_CONTRADICTION_H

#include "problem/local.h"

/* Least |xi| of the FREE rows for impulses up to the given size, or less than that, as it follows from their
   velocities xi at some point: y = xi there and 0 elsewhere gives y.xi(P) = y.c + (G^T y).P for every P.
   theory/solvers.md (28c); work [2 row_count]. */
double tp_joint_contradiction(const tp_local *local, const double *xi, double impulse, double *work);

#endif
