/* One Newton step of contacts that all stick; theory/solvers.md (28k). */
#ifndef TP_SOLVER_STEP_AT_REST_H
#define TP_SOLVER_STEP_AT_REST_H

#include "problem/local.h"

/* P [rows] becomes the impulses that stop the velocities xi [rows] of all contacts with P_N > 0; the others
   keep theirs. local: the measures of the problem. TP_UNSUPPORTED or TP_SINGULAR where there is no such step:
   P is as before. Scratch memory stays taken until the caller releases his mark. */
tp_status tp_step_at_rest(const tp_problem *problem, const tp_local *local, tp_stack *stack, const double *xi,
                          double *P);

#endif
