/* Proof that a problem has no solution, by the same problem without friction; theory/solvers.md (28a). */
#ifndef TP_SOLVER_INFEASIBLE_FRICTIONLESS_PROOF_H
#define TP_SOLVER_INFEASIBLE_FRICTIONLESS_PROOF_H

#include "problem/local.h"

/* Bodies that come together whatever the impulses do: y_out [row_count] is a proof, (10) of
   problems.md. TP_OK: found; TP_NOT_CONVERGED: there is none, or not within the work [block products], which
   is added to *work. */
tp_status tp_frictionless_proof(const tp_local *local, double work_limit, tp_stack *stack, double *y_out,
                                double *work);

#endif
