/* Proof that a problem has no solution; theory/problems.md (10). */
#ifndef TP_SOLVER_CERTIFICATE_H
#define TP_SOLVER_CERTIFICATE_H

#include "problem/local.h"

typedef enum tp_verdict { TP_VERDICT_NONE, TP_VERDICT_INFEASIBLE, TP_VERDICT_LOCKED } tp_verdict;

/* Judges a direction y [row_count] in which impulses drift. INFEASIBLE: y is in the recession cone of the
   sets, has no part that slip could feed, G^T y vanishes and c.y < 0, so that y.xi = c.y < 0 for every P
   while every solution has y.xi >= 0. LOCKED: the same but with friction parts, which is no proof. y may be
   cleaned (entries below rounding removed); work [row_count]. */
tp_verdict tp_certificate_judge(const tp_local *local, double *y, double *work);

#endif
