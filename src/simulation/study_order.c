/* Observed orders of convergence: slopes of log(error) over log(step). */
#include <float.h>
#include <math.h>

#include "simulation/tolerances.h"
#include "tippe/study.h"

double tp_study_rounding(const tp_study_error *error)
{
    return tp_rounding_units * DBL_EPSILON * (error->scale > 0.0 ? error->scale : 1.0);
}

/* NaN fails all comparisons. */
static bool is_above(double error, double floor)
{
    return error > floor && error > 0.0 && isfinite(error);
}

double tp_study_order(double coarse_step, double coarse_error, double fine_step, double fine_error,
                      double floor)
{
    if (!is_above(coarse_error, floor) || !is_above(fine_error, floor) || coarse_step == fine_step)
        return NAN;
    return log(coarse_error / fine_error) / log(coarse_step / fine_step);
}

double tp_study_order_fitted(int count, const double *steps, const double *errors, double floor)
{
    double used = 0.0, x_mean = 0.0, y_mean = 0.0, xx = 0.0, xy = 0.0;
    for (int k = 0; k < count; k++) {
        if (!is_above(errors[k], floor)) continue;
        used += 1.0;
        x_mean += log(steps[k]);
        y_mean += log(errors[k]);
    }
    if (used < 2.0) return NAN;
    x_mean /= used;
    y_mean /= used;
    for (int k = 0; k < count; k++) {
        if (!is_above(errors[k], floor)) continue;
        double x = log(steps[k]) - x_mean;
        xx += x * x;
        xy += x * (log(errors[k]) - y_mean);
    }
    return xx > 0.0 ? xy / xx : NAN;
}

bool tp_study_is_by_tolerance(const tp_simulation_options *run)
{
    const tp_integrator_info *info = tp_integrator_info_at(tp_integrator_find(run->integrator));
    return info != NULL && info->chooses_steps;
}

double tp_study_fineness(const tp_simulation_options *run)
{
    return tp_study_is_by_tolerance(run) ? run->rtol : run->time_step;
}

tp_simulation_options *tp_study_ladder(const tp_simulation_options *coarsest, int count,
                                       tp_simulation_options *runs_out)
{
    for (int k = 0; k < count; k++) {
        runs_out[k] = *coarsest;
        if (tp_study_is_by_tolerance(coarsest)) {
            runs_out[k].atol = coarsest->atol * pow(10.0, -k);
            runs_out[k].rtol = coarsest->rtol * pow(10.0, -k);
        } else {
            runs_out[k].time_step = ldexp(coarsest->time_step, -k);
        }
    }
    return runs_out;
}
