/* Solving with joints as unknowns, in time that grows as the mechanism does; theory/problems.md (12)-(17). */
#ifndef TP_SOLVER_ABSORBED_H
#define TP_SOLVER_ABSORBED_H

#include "judge.h"
#include "solvers.h"

typedef struct tp_absorbed_answer {
    bool is_solved; /* else P is the better one of start and answer                       */
    bool is_better; /* P is the answer, not the start                                     */
    double error;   /* E of P, by problem/; solved or better                              */
    tp_floor floor; /* what double precision allows at P                                  */
    double work;    /* block products and iterations, solved or not                       */
    int iterations;
} tp_absorbed_answer;

typedef enum tp_absorbed_choice {
    TP_ABSORB_LARGE, /* joints of large coupled mechanisms; theory/problems.md (13)                    */
    TP_ABSORB_ALL    /* all joints, where Newton's method on all laws together has failed; an answer that is
                        `enough` for the options counts as solved                                    */
} tp_absorbed_choice;

/* The chain `auto` on the laws that are left, then joints by one sparse solve and refinement. Solved is E
   below the tolerance, or as low as double precision allows; else P is what is better than the start, if
   there is such a point. At most half of what the options leave of the work. P [row_count] in: start. x_out
   may be NULL; call->local is not used. Not TP_OK: memory is exhausted. */
tp_status tp_solve_absorbed(const tp_solve_call *call, tp_absorbed_choice choice, double *P, double *x_out,
                            tp_report *report, tp_absorbed_answer *answer_out);

/* The same for a part of a larger problem, NULL: none; part is filled where it is solved. */
tp_status tp_solve_absorbed_part(const tp_solve_call *call, tp_absorbed_choice choice, tp_part *part,
                                 double *P, double *x_out, tp_report *report, tp_absorbed_answer *answer_out);

#endif
