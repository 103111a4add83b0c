/* What all integrators share: solving the one-step problem of a step. */
#include "integrator.h"

#include <math.h>

/* A step problem that ends within this factor of the rounding floor is solved: nothing better exists in
 * double precision. */
static const double floor_factor = 100.0;

tp_status tp_stepper_solve(tp_stepper *stepper, tp_step_report *report)
{
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = stepper->options->tolerance;
    options.max_iterations = stepper->options->max_iterations;
    options.warm_start = true;
    options.branch = TP_BRANCH_NEAREST;
    options.exact_local = true;
    tp_report solved;
    tp_status status = tp_solve(&stepper->problem->problem, stepper->options->solver, &options,
                                stepper->solver_memory, stepper->problem->P, stepper->x, &solved);
    report->iterations = solved.iterations;
    report->residual = solved.error;
    if (status == TP_NOT_CONVERGED && solved.error <= floor_factor * solved.floor) status = TP_OK;
    return status;
}
