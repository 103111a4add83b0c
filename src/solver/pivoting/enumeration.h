/* All combinations of cases of a small problem; docs/theory/pivoting.md (25)-(28). */
#ifndef TP_SOLVER_PIVOTING_ENUMERATION_H
#define TP_SOLVER_PIVOTING_ENUMERATION_H

#include "solver/solvers.h"

/* The solver `enumeration` with its own limit for cases times the cube of the rows, above which the problem
   is TP_UNSUPPORTED. TP_INFEASIBLE: every case was decided, and none has a solution, or there is a
   proof. */
tp_status tp_enumerate(const tp_solve_call *call, double work_limit, double *P, tp_report *report);

#endif
