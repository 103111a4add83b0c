/* Proof that a problem has no solution; theory/problems.md (10). */
#ifndef TP_SOLVER_INFEASIBLE_NO_SOLUTION_H
#define TP_SOLVER_INFEASIBLE_NO_SOLUTION_H

#include "base/stack.h"
#include "problem/local.h"

typedef enum tp_proof_verdict { TP_VERDICT_NONE, TP_VERDICT_INFEASIBLE, TP_VERDICT_LOCKED } tp_proof_verdict;

/* Judges a direction y [row_count] in which impulses drift. INFEASIBLE: y is in the recession cone of the
   sets, has no part that slip could feed, G^T y vanishes and c.y < 0, so that y.xi = c.y < 0 for every P
   while every solution has y.xi >= 0. LOCKED: the same but with friction parts, which proves nothing. y may
   be cleaned (entries below rounding removed); work [2 row_count]. */
tp_proof_verdict tp_proof_judge(const tp_local *local, double *y, double *work);

/* Does y exclude all impulses that masses and velocities of the problem explain? True where no masses are
   known. A column of bodies with a large mass ratio has solutions far out. work [2 row_count]. */
bool tp_proof_reaches(const tp_local *local, const double *y, double *work);

/* "no solution with |P| below 4e+11: y.xi < 0, with y on rows 1, 4 and 7" */
void tp_proof_text(const tp_local *local, const double *y, tp_stack *stack, char *text_out, size_t size);

#endif
