/* Who decides whether an answer counts as solved: one rule for one-step problems and inclusions, whoever
   solved them; theory/problems.md (20)-(22). */
#ifndef TP_SOLVER_JUDGE_H
#define TP_SOLVER_JUDGE_H

#include "problem/local.h"
#include "tippe/solver.h"

/* What rounding leaves of an error: that of the terms of the answer, and that which was in the data. */
typedef struct tp_floor {
    double rounding, noise;
} tp_floor;

/* What the caller asks for. */
typedef struct tp_rule {
    double tolerance;
    double enough;       /* counts as solved where rounding counts     */
    bool up_to_rounding; /* rounding counts; else only the tolerance   */
} tp_rule;

/* Rounding counts in tp_solve if floor_factor is positive. */
tp_rule tp_rule_of(const tp_solver_options *options);

/* Steps of an integrator: balances of energy are as good as the step is solved, so nothing above
   rounding will do for schemes that have them. */
tp_rule tp_rule_of_step(double tolerance, bool is_balanced);

/* Size of impulses that the data explain: what this inertia (tp_problem_inertia) takes up at this velocity,
   enlarged by geometry. Infinite where no masses are known (problems in local form). */
double tp_explained_impulse(double inertia, double velocity);

/* The floor of E at P; the noise is that of the options. */
tp_floor tp_floor_at(const tp_local *local, const double *P, double noise);
double tp_floor_sum(tp_floor floor);

/* The error up to which an answer counts as solved; (22). */
double tp_accepted_error(tp_rule rule, tp_floor floor);

/* The claim of a solver put right by the error of its point; fills status, error, floor and limit of the
   report, and the reason where a proof that there is no solution is refuted. Returns the status. */
tp_status tp_judge(tp_rule rule, tp_status claim, double error, tp_floor floor, tp_report *report);

#endif
