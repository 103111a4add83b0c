/* All cases of few laws by Newton's method, those first that are near the best point; theory/solvers.md
   (28d). */
#ifndef TP_SOLVER_ALL_CASES_H
#define TP_SOLVER_ALL_CASES_H

#include "chain.h"

/* Stages of `auto`: as many cases as `most` next to the best point; linear programmes, and then cases in the
   same order. TP_NOT_CONVERGED: the chain goes on from the best point. */
tp_status tp_chain_try_near_cases(tp_chain *c, int most, double *P, tp_report *report);
tp_status tp_chain_try_cases(tp_chain *c, int most, double *P, tp_report *report);

#endif
