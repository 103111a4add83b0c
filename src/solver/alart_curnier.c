/* Semi-smooth Newton on the projection equations with a line search, in local form; theory/solvers.md (26),
   (27). When the line search stalls, sweeps of Gauss-Seidel bring the point into another basin. */
#include "accelerated.h"
#include "math/dense.h"
#include "reduced_system.h"
#include "solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_STEPS = 400, HALVINGS = 20, FALLBACK_SWEEPS = 20 };

static const double sufficient_decrease = 1e-4;
static const double tiny_shift = 1e-12; /* of rho: redundant rows stay regular */

/* Moves from P towards target by the largest of 1, 1/2, 1/4, ... that lowers the merit enough; false if none
 * does. */
static bool line_search(const tp_local *local, const double *target, double *P, double *xi, double *trial,
                        double *merit_io)
{
    double fraction = 1.0;
    for (int h = 0; h <= HALVINGS; h++, fraction *= 0.5) {
        for (int k = 0; k < local->row_count; k++) trial[k] = P[k] + fraction * (target[k] - P[k]);
        tp_local_velocity(local, trial, xi);
        double value = tp_law_merit(local, trial, xi);
        if (value <= (1.0 - 2.0 * sufficient_decrease * fraction) * *merit_io) {
            memcpy(P, trial, (size_t)local->row_count * sizeof(double));
            *merit_io = value;
            return true;
        }
    }
    return false;
}

static tp_status solve_alart_curnier(const tp_solve_call *call, double *P, tp_report *report)
{
    const tp_local *local = call->local;
    tp_sweeps sweeps;
    tp_reduced_system system;
    TP_TRY(tp_sweeps_init(&sweeps, local, call->stack));
    TP_TRY(tp_reduced_system_init(&system, local, call->stack));
    double *xi = TP_STACK_ARRAY(call->stack, double, local->row_count),
           *target = TP_STACK_ARRAY(call->stack, double, local->row_count);
    double *trial = TP_STACK_ARRAY(call->stack, double, local->row_count);
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    tp_sweeps_aim(&sweeps, call->options, 1.0);
    int limit = call->options->max_iterations > 0 ? call->options->max_iterations : DEFAULT_STEPS, steps = 0,
        fallbacks = 0;

    double error = tp_sweeps_judge(&sweeps, P);
    tp_local_velocity(local, P, xi);
    double value = tp_law_merit(local, P, xi);
    while (error > sweeps.aim && steps < limit) {
        tp_reduced_system_linearise(&system, P, xi, 0.0, NULL);
        tp_status status = tp_reduced_system_solve(&system, tiny_shift * local->rho, call->stack, target);
        sweeps.work += system.work;
        steps++;
        if (status != TP_OK || !line_search(local, target, P, xi, trial, &value)) {
            tp_sweeps_escape(&sweeps, FALLBACK_SWEEPS * ++fallbacks, P);
            tp_local_velocity(local, P, xi);
            value = tp_law_merit(local, P, xi);
        }
        error = tp_sweeps_judge(&sweeps, P);
    }
    memcpy(P, sweeps.best, (size_t)local->row_count * sizeof(double));
    return tp_sweeps_report_newton(&sweeps, steps, fallbacks, report);
}

const tp_solver tp_solver_alart_curnier = {
    {"alart-curnier", "semi-smooth Newton with line search on the projection equations, local form", true},
    TP_ACCEPT_ALL,
    false,
    solve_alart_curnier,
};
