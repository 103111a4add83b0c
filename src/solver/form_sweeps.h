/* Sweeps over velocities, before G is made: many steps need no more; theory/solvers.md (28f). */
#ifndef TP_SOLVER_FORM_SWEEPS_H
#define TP_SOLVER_FORM_SWEEPS_H

#include "solvers.h"

typedef struct tp_form_answer {
    bool is_over;   /* solved, or good enough for its island: the report is complete                 */
    bool is_better; /* P is better than the guess: where the other ways begin                        */
    int sweeps;     /* and work, spent                                                                */
    double work;
} tp_form_answer;

/* P [row_count] in: start, x_out and part may be NULL; call->local is not used. Does nothing where sweeps
   alone would not suffice: sharp tolerances in small islands, joints. Not TP_OK: memory is exhausted. */
tp_status tp_solve_by_form(const tp_solve_call *call, tp_part *part, double *P, double *x_out,
                           tp_report *report, tp_form_answer *answer_out);

/* May the island be left above its tolerance? */
bool tp_form_has_margin(const tp_solver_options *options);

/* E of an answer, that at which sweeps end, and that at which they end in islands with a margin when so much
   work is done. */
double tp_form_aim(const tp_solver_options *options);
double tp_form_goal(const tp_problem *problem, const tp_solver_options *options);
double tp_form_usable(const tp_solver_options *options);

/* Sweeps at most: few where Newton steps are cheap and reach what these do not. */
int tp_form_sweep_limit(const tp_solve_call *call, const tp_unknowns *unknowns);

/* Counts the guess P with this error as solved? See theory/solvers.md (28), (28h). */
bool tp_form_is_good_guess(const tp_problem *problem, const tp_local *local, const double *P, double error,
                           const tp_solver_options *options);

/* The error of a large island is within its limit, and too far from a solution for Newton's method. */
bool tp_form_is_left_so(const tp_problem *problem, double error, const tp_solver_options *options);

#endif
