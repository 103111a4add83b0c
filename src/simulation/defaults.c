/* Options of a simulation: their defaults, and which of them are refused. */
#include "base/pool.h"
#include "simulation/inside.h"

#include <float.h>
#include <math.h>

tp_simulation_options tp_simulation_options_default(void)
{
    return (tp_simulation_options){
        .integrator = "moreau",
        .time_step = 1e-3,
        .end_time = 1.0,
        .atol = 1e-8,
        .rtol = 1e-6,
        .tolerance = TP_EXACT_TOLERANCE,
        .contact_tolerance = 1e-12,
        .warm_start = true,
        .unsolved = {.limit = -1.0},
        .threads = 1,
        .theta_method = {.theta = 0.5, .mass_prediction = 0.5, .forecast = 0.5, .refresh_rows = true},
        .gamma_method = {.theta = 1.0, .gamma = 1.0},
        .projection = {.kind = TP_PROJECTION_NONE, .tolerance = 1e-12, .max_iterations = 20},
        .alpha = {.rho = 0.8},
        .correction = {.share = 1.0, .limit = 0.05},
        .jet = {.tolerance = 1e-9, .max_sweeps = 500},
        .relaxed = {.branch = TP_BRANCH_NEAREST, .counted = 1},
        .penalty = {.stiffness = 1e6, .damping_time = 1e-3}};
}

/* Options of integrators that choose their steps. */
static tp_status check_own_steps(const tp_simulation_options *options, tp_message *why)
{
    if (!(options->atol > 0.0) || isinf(options->atol))
        return tp_fail(why, TP_INVALID_DATA, "atol is %g; it must be a number > 0", options->atol);
    if (!(options->rtol >= TP_RTOL_MIN && options->rtol < 1.0))
        return tp_fail(why, TP_INVALID_DATA, "rtol is %g; it must be at least %g and below 1", options->rtol,
                       TP_RTOL_MIN);
    if (!(options->first_step >= 0.0) || isinf(options->first_step) || !(options->max_step >= 0.0))
        return tp_fail(why, TP_INVALID_DATA, "first_step and max_step must be numbers >= 0");
    return TP_OK;
}

static tp_status check_shares(const tp_simulation_options *options, tp_message *why)
{
    const struct {
        const char *name;
        double value;
    } all[] = {{"theta", options->theta_method.theta},
               {"gamma_theta", options->gamma_method.theta},
               {"gamma", options->gamma_method.gamma},
               {"mass_prediction", options->theta_method.mass_prediction},
               {"forecast", options->theta_method.forecast},
               {"paoli_theta", options->paoli.theta},
               {"alpha_rho", options->alpha.rho}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        if (!(all[k].value >= 0.0 && all[k].value <= 1.0))
            return tp_fail(why, TP_INVALID_DATA, "%s is %g; it must be a number from 0 to 1", all[k].name,
                           all[k].value);
    }
    return TP_OK;
}

tp_status tp_simulation_check_options(const tp_simulation_options *options, tp_message *why)
{
    if (options->integrator == NULL || tp_integrator_by_name(options->integrator) == NULL) {
        return tp_fail(why, TP_INVALID_DATA, "there is no integrator '%s'; see 'tippe list integrators'",
                       options->integrator != NULL ? options->integrator : "");
    }
    if (options->solver != NULL && tp_solver_find(options->solver) < 0) {
        return tp_fail(why, TP_INVALID_DATA, "there is no solver '%s'; see 'tippe list solvers'",
                       options->solver);
    }
    if (!(options->time_step > 0.0) || isinf(options->time_step)) {
        return tp_fail(why, TP_INVALID_DATA, "the time step is %g; it must be a number > 0",
                       options->time_step);
    }
    if (!(options->end_time >= 0.0) || isinf(options->end_time)) {
        return tp_fail(why, TP_INVALID_DATA, "the end time is %g; it must be a number >= 0",
                       options->end_time);
    }
    if (options->end_time / options->time_step > tp_most_steps)
        return tp_fail(why, TP_INVALID_DATA, "more than 1e15 steps are asked for");
    if (!(options->tolerance >= 0.0 && options->tolerance < tp_tolerance_of_nothing))
        return tp_fail(why, TP_INVALID_DATA,
                       "the tolerance is %g; it must be a number from 0 to below %g, with which no contact "
                       "would push",
                       options->tolerance, tp_tolerance_of_nothing);
    if (isnan(options->unsolved.limit))
        return tp_fail(why, TP_INVALID_DATA, "the limit of unsolved islands is not a number");
    if (options->threads < 1 || options->threads > TP_POOL_MOST_THREADS)
        return tp_fail(why, TP_INVALID_DATA, "threads is %d; it must be 1 to %d", options->threads,
                       TP_POOL_MOST_THREADS);
    if (isnan(options->contact_tolerance))
        return tp_fail(why, TP_INVALID_DATA, "the contact tolerance is not a number");
    if (tp_gamma_variant_name((int)options->gamma_method.variant) == NULL)
        return tp_fail(why, TP_INVALID_DATA, "gamma_variant is none of standard, full and midpoint");
    if (tp_consistent_bodies_name((int)options->consistent.bodies) == NULL)
        return tp_fail(why, TP_INVALID_DATA, "consistent_bodies is neither scalable nor affine");
    if (tp_symmetric_force_name((int)options->symmetric.force) == NULL)
        return tp_fail(why, TP_INVALID_DATA, "symmetric_force is neither mean nor end");
    if (!(options->relaxed.delta >= 0.0 && options->relaxed.zeta >= 0.0) || isinf(options->relaxed.delta) ||
        isinf(options->relaxed.zeta))
        return tp_fail(why, TP_INVALID_DATA, "relaxation_time and relaxation_damping must be numbers >= 0");
    if (tp_relaxed_method_name((int)options->relaxed.method) == NULL ||
        tp_branch_name((int)options->relaxed.branch) == NULL)
        return tp_fail(why, TP_INVALID_DATA, "relaxation_steps or relaxation_branch is not one of its words");
    if (options->projection.kind != TP_PROJECTION_NONE &&
        (!(options->projection.tolerance > 0.0) || options->projection.max_iterations < 1))
        return tp_fail(why, TP_INVALID_DATA,
                       "the tolerance of the projection must be > 0, its iterations at least 1");
    if (options->correction.is_on && !(options->correction.share > 0.0 && options->correction.share <= 1.0 &&
                                       options->correction.limit > 0.0))
        return tp_fail(why, TP_INVALID_DATA,
                       "correction_share must be above 0 and at most 1, correction_limit above 0");
    TP_TRY(check_own_steps(options, why));
    return check_shares(options, why);
}

/* The last step of a run ends at its end: with a fixed step that must be a multiple. */
static tp_status check_whole_steps(const tp_integrator *integrator, const tp_simulation_options *options,
                                   tp_message *why)
{
    double steps = options->end_time / options->time_step, whole = nearbyint(steps);
    if (options->end_time > 0.0) whole = fmax(whole, 1.0);
    if (fabs(steps - whole) <= fmax(tp_step_remainder, 4.0 * DBL_EPSILON * steps)) return TP_OK;
    return tp_fail(why, TP_INVALID_DATA,
                   "%s needs steps of one length, but the end time %.9g s is %.9g steps of %.9g s; end at "
                   "%.9g or %.9g s",
                   integrator->info.name, options->end_time, steps, options->time_step,
                   floor(steps) * options->time_step, ceil(steps) * options->time_step);
}

/* Options that contradict each other. */
static tp_status check_combination(const tp_integrator *integrator, const tp_simulation_options *options,
                                   tp_message *why)
{
    if (integrator->realisation == TP_REALISE_QUATERNION &&
        options->consistent.bodies == TP_CONSISTENT_AFFINE)
        return tp_fail(why, TP_UNSUPPORTED,
                       "%s has unit quaternions and no affine bodies; consistent_bodies: affine is for "
                       "consistent, consistent-elastic, consistent-two-step and consistent-hybrid",
                       integrator->info.name);
    if (options->projection.kind != TP_PROJECTION_NONE && !integrator->may_project)
        return tp_fail(
            why, TP_UNSUPPORTED,
            "%s takes no projection: that is for moreau and moreau-jean; simulate: {projection: none} "
            "leaves it out",
            integrator->info.name);
    if (!options->correction.is_on) return TP_OK;
    if (!integrator->may_project && !integrator->may_separate)
        return tp_fail(why, TP_UNSUPPORTED,
                       "%s takes no correction: that is for moreau, moreau-jean, consistent-two-step, "
                       "consistent-hybrid and consistent-quaternion-two-step; simulate: {correction: false} "
                       "leaves it out",
                       integrator->info.name);
    if (options->projection.kind != TP_PROJECTION_NONE)
        return tp_fail(why, TP_INVALID_DATA, "correction and projection do the same: ask for one of them");
    return TP_OK;
}

tp_status tp_simulation_check_integrator(const tp_integrator *integrator,
                                         const tp_simulation_options *options, tp_message *why)
{
    if (integrator->has_fixed_step) TP_TRY(check_whole_steps(integrator, options, why));
    return check_combination(integrator, options, why);
}
