/* Proof that laws with friction in joints and contacts have no solution: no case of them has one;
   theory/solvers.md (28e). */
#ifndef TP_SOLVER_INFEASIBLE_CASE_PROOF_H
#define TP_SOLVER_INFEASIBLE_CASE_PROOF_H

#include "problem/local.h"
#include "solver/solvers.h"

/* True: no impulses of up to tp_case_reach times |c|/rho satisfy the laws, and the reason says so. False:
   there is no such proof. P [row_count]: a point near which solutions would lie; it is no part of the
   proof, but which bounds it uses depends on it. most: linear programmes. */
bool tp_case_proof(const tp_local *local, const double *P, int most, tp_stack *stack, tp_report *report);

#endif
