/* Stages of `auto` in large islands; each ends as a stage of its table does: TP_NOT_CONVERGED, the next one
   has its turn; theory/solvers.md (28). */
#ifndef TP_SOLVER_LARGE_STAGES_H
#define TP_SOLVER_LARGE_STAGES_H

#include "chain.h"

tp_status tp_stage_trial_sweeps(tp_chain *c, int sweeps, double *P, tp_report *report);
tp_status tp_stage_first_path(tp_chain *c, int steps, double *P, tp_report *report); /* central path */
tp_status tp_stage_proximal_after_sweeps(tp_chain *c, int steps, double *P, tp_report *report);
tp_status tp_stage_proximal_to_usable(tp_chain *c, int steps, double *P, tp_report *report);

#endif
