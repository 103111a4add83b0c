/* The judge of all answers; theory/problems.md (20)-(22). */
#include "judge.h"

#include "math/dense.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>

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

double tp_accepted_error(double tolerance, double enough, tp_floor floor)
{
    double rounding = tp_accepted_roundings * floor.rounding + tp_accepted_noise * floor.noise;
    return fmax(fmax(tolerance, enough), fmin(rounding, tp_worst_accepted));
}

double tp_accepted_by(const tp_solver_options *options, tp_floor floor)
{
    if (!(options->floor_factor > 0.0)) return options->tolerance;
    return tp_accepted_error(options->tolerance, options->enough, floor);
}
