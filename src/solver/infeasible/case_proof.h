/* Proof that laws with friction in joints and contacts have no solution: no case of them has one;
   theory/solvers.md (28e). */
#ifndef TP_SOLVER_INFEASIBLE_CASE_PROOF_H
#define TP_SOLVER_INFEASIBLE_CASE_PROOF_H

#include "problem/local.h"
#include "solver/pivoting/cases.h"
#include "solver/solvers.h"

/* True: no impulses of up to tp_case_reach times |c|/rho satisfy the laws, and the reason says so. False:
   there is no such proof. P [row_count]: a point near which solutions would lie; it is no part of the
   proof, but which bounds it uses depends on it. most: linear programmes. */
bool tp_case_proof(const tp_local *local, const double *P, int most, tp_stack *stack, tp_report *report);

/* A case that linear programmes do not exclude: states [set_count] of contacts and of friction, the others
   are 0. True: it has been solved, and the search ends. */
typedef bool tp_case_trial(void *self, const tp_case_state *states);

typedef enum tp_case_end {
    TP_CASES_EXCLUDED, /* every one: the reason of the report says so                */
    TP_CASES_VISITED,  /* those that are not excluded, none of which has been solved */
    TP_CASES_SOLVED,
    TP_CASES_LEFT /* some were not looked at: too many programmes or visits, or laws of other kinds */
} tp_case_end;

/* The same as a search: every case is excluded or visited. */
tp_case_end tp_case_search(const tp_local *local, const double *P, int most, tp_case_trial *visit, void *self,
                           tp_stack *stack, tp_report *report);

#endif
