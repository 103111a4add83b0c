/* Islands of a problem, solved one by one; theory/problems.md (23). */
#ifndef TP_SOLVER_ISLANDS_H
#define TP_SOLVER_ISLANDS_H

#include "solvers.h"

/* call.c: a problem as one, by a solver and the judge. part may be NULL; it is filled where there is a point.
   P [row_count] in: guess, out: best point. */
tp_status tp_solve_undivided(const tp_solve_call *call, const tp_solver *solver, tp_part *part, double *P,
                             double *x_out, tp_report *report);

/* `auto` on every island of call->problem, then the judge of the whole. */
tp_status tp_solve_islands(const tp_solve_call *call, tp_workspace *workspace, double *P, double *x_out,
                           tp_report *report);

#endif
