/* Semi-smooth Newton steps on the projection equations, shortened until the merit falls; theory/solvers.md
   (26), (27). */
#ifndef TP_SOLVER_NEWTON_SEARCHED_NEWTON_H
#define TP_SOLVER_NEWTON_SEARCHED_NEWTON_H

#include "reduced_system.h"
#include "solver/sweeps/accelerated.h"

typedef struct tp_searched_newton {
    tp_reduced_system *system;
    double shift; /* of rho, added to the diagonal of G: redundant rows stay regular; rounding moves P by
                     eps/shift of its size along them */
    double *xi;   /* [row_count] velocity at the point */
    double *target, *trial; /* [row_count] work */
    double merit;           /* at the point */
} tp_searched_newton;

/* Arrays from the stack; the linear system is the caller's. */
tp_status tp_searched_newton_init(tp_searched_newton *newton, tp_reduced_system *system, double shift,
                                  tp_stack *stack);

/* Begins at P. */
void tp_searched_newton_begin(tp_searched_newton *newton, const double *P);

/* One step from P to P; TP_NOT_CONVERGED if no part of it lowers the merit: P is the same then. */
tp_status tp_searched_newton_step(tp_searched_newton *newton, tp_stack *stack, double *P);

/* Steps from P until E is at the aim of the sweeps, so many are done, or their work is at its limit; where no
   part of a step lowers the merit, sweeps lead into another basin. The best point is with the sweeps. Adds to
   both counts. */
tp_status tp_searched_newton_run(tp_searched_newton *newton, tp_sweeps *sweeps, int limit, tp_stack *stack,
                                 double *P, int *step_count, int *return_count);

#endif
