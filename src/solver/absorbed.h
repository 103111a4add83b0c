/* Solving with joints as unknowns, in time that grows as the mechanism does; theory/problems.md (12)-(16). */
#ifndef TP_SOLVER_ABSORBED_H
#define TP_SOLVER_ABSORBED_H

#include "solver.h"

typedef struct tp_absorbed_answer {
    bool is_solved; /* else the problem is none for this method, and nothing has changed  */
    double error;   /* E of P, by problem/                                                */
    double floor;   /* what double precision allows at P                                  */
} tp_absorbed_answer;

/* The chain `auto` on the laws that are left, then joints by one sparse solve and refinement. It answers only
   what it has solved: E below the tolerance, or as low as double precision allows. P [row_count] in: start.
   x_out may be NULL. Not TP_OK: memory is exhausted. */
tp_status tp_solve_absorbed(const tp_problem *problem, const tp_solver_options *options, tp_stack *stack,
                            double *P, double *x_out, tp_report *report, tp_absorbed_answer *answer_out);

#endif
