/* The judge of all answers; theory/problems.md (20)-(22). */
#include "judge.h"

#include "math/dense.h"
#include "tolerances.h"

#include <math.h>
#include <stdio.h>

tp_rule tp_rule_of(const tp_solver_options *options)
{
    return (tp_rule){options->tolerance, options->enough, options->floor_factor > 0.0};
}

tp_rule tp_rule_of_step(double tolerance, bool is_balanced)
{
    return (tp_rule){tolerance, is_balanced ? 0.0 : tp_enough_for_a_step, true};
}

double tp_explained_impulse(double inertia, double velocity)
{
    return tp_geometric_gain * inertia * velocity;
}

tp_floor tp_floor_at(const tp_local *local, const double *P, double noise)
{
    double impulse =
        fmin(tp_dense_norm(local->row_count, P), tp_explained_impulse(local->inertia, local->scale));
    return (tp_floor){DBL_EPSILON * (1.0 + local->rho * impulse / local->scale), noise / local->scale};
}

double tp_floor_sum(tp_floor floor)
{
    return floor.rounding + floor.noise;
}

double tp_accepted_error(tp_rule rule, tp_floor floor)
{
    if (!rule.up_to_rounding) return rule.tolerance;
    double rounding = tp_accepted_roundings * floor.rounding + tp_accepted_noise * floor.noise;
    return fmax(fmax(rule.tolerance, rule.enough), fmin(rounding, tp_worst_accepted));
}

tp_status tp_judge(tp_rule rule, tp_status claim, double error, tp_floor floor, tp_report *report)
{
    report->error = error;
    report->floor = tp_floor_sum(floor);
    report->limit = tp_accepted_error(rule, floor);
    /* A point that satisfies the laws up to rounding refutes every proof that there is none: only the
       tolerance was out of reach. */
    double refuting = fmin(tp_refuting_roundings * report->floor, tp_worst_accepted);
    if (claim == TP_INFEASIBLE && error <= fmax(refuting, report->limit)) {
        claim = TP_NOT_CONVERGED;
        snprintf(report->reason, sizeof report->reason, "the limit of double precision was reached");
    }
    bool is_solved = error <= report->limit;
    if (claim == TP_OK && !is_solved) claim = TP_NOT_CONVERGED;
    /* the best point counts, wherever an iteration went after it */
    bool has_point = claim == TP_NOT_CONVERGED || claim == TP_SINGULAR || claim == TP_INVALID_DATA;
    if (has_point && is_solved) claim = TP_OK;
    return report->status = claim;
}
