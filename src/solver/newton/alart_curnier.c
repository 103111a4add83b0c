/* Semi-smooth Newton on the projection equations with a line search, in local form; theory/solvers.md (26),
   (27). When the line search stalls, sweeps of Gauss-Seidel bring the point into another basin. */
#include "searched_newton.h"
#include "solver/solvers.h"
#include "solver/tolerances.h"

#include <string.h>

enum { DEFAULT_STEPS = 400 };

static tp_status solve_alart_curnier(const tp_solve_call *call, double *P, tp_report *report)
{
    const tp_local *local = call->local;
    tp_sweeps sweeps;
    tp_reduced_system system;
    tp_searched_newton newton;
    TP_TRY(tp_sweeps_init(&sweeps, local, call->stack));
    TP_TRY(tp_reduced_system_init(&system, local, call->stack));
    TP_TRY(tp_searched_newton_init(&newton, &system, tp_tiny_shift, call->stack));
    tp_sweeps_aim(&sweeps, call->options, 1.0);
    int limit = call->options->max_iterations > 0 ? call->options->max_iterations : DEFAULT_STEPS, steps = 0,
        returns = 0;
    tp_status status = tp_searched_newton_run(&newton, &sweeps, limit, call->stack, P, &steps, &returns);
    if (status == TP_OUT_OF_MEMORY) return status;
    memcpy(P, sweeps.best, (size_t)local->row_count * sizeof(double));
    return tp_sweeps_report_newton(&sweeps, steps, returns, report);
}

const tp_solver tp_solver_alart_curnier = {
    .info = {"alart-curnier", "semi-smooth Newton with line search on the projection equations, local form",
             true},
    .accepts = TP_ACCEPT_ALL,
    .solve = solve_alart_curnier,
};
