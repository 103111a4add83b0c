/* The guess of a scene at rest, judged before anything is made; theory/solvers.md (28h). */
#ifndef TP_SOLVER_GUESS_AT_REST_H
#define TP_SOLVER_GUESS_AT_REST_H

#include "solvers.h"

/* Is the guess P the answer, as the chain would decide it? Then *is_over_out is true and the report, x_out
   and part (both may be NULL) are complete; else nothing has changed. Looks only where bodies move in their
   principal axes and all laws are contacts. Not TP_OK: memory is exhausted. */
tp_status tp_try_guess_at_rest(const tp_solve_call *call, tp_part *part, double *P, double *x_out,
                               tp_report *report, bool *is_over_out);

#endif
