/* Stages of `auto` in large islands; each ends as a stage of its table does: TP_NOT_CONVERGED, the next one
   has its turn; theory/solvers.md (28). */
#ifndef TP_SOLVER_LARGE_STAGES_H
#define TP_SOLVER_LARGE_STAGES_H

#include "chain.h"

tp_status tp_stage_trial_sweeps(tp_chain *c, int sweeps, double *P, tp_report *report);
tp_status tp_stage_first_path(tp_chain *c, int steps, double *P, tp_report *report); /* central path */

/* The central path and proximal Newton from its best point, and once more where that is not enough,
   then on from the best point of all; TP_OK
   whether they have found a solution or not. TP_UNSUPPORTED where laws do not meet in bodies alone. */
tp_status tp_chain_follow_paths(tp_chain *c, double *P, tp_newton_end *end_out);

tp_status tp_stage_proximal_after_sweeps(tp_chain *c, int steps, double *P, tp_report *report);
tp_status tp_stage_proximal_to_usable(tp_chain *c, int steps, double *P, tp_report *report);

#endif
