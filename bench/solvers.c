/* Times of Tippe's solvers: every solver, every problem file, every level of accuracy; README.md. */
#include "measure.h"
#include "program.h"
#include "tippe/solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One solver on one problem, in the child. */
typedef struct job {
    const tp_problem *problem;
    const char *solver;
    const bench_timing *timing;
    tp_solver_options options;
    tp_workspace *workspace;
    double *P;
    tp_report report;
} job;

static double solve(void *context, int repeats)
{
    job *j = context;
    double start = bench_processor_time();
    for (int i = 0; i < repeats; i++) {
        tp_solve(j->problem, j->solver, &j->options, j->workspace, j->P, NULL, &j->report);
    }
    return fmax(bench_processor_time() - start - j->timing->clock_cost, 0.0);
}

/* The solver's own report is not asked whether it succeeded. */
static const char *judge(const job *j, double level, double *error_out)
{
    *error_out = NAN;
    if (j->report.status == TP_UNSUPPORTED) return BENCH_UNSUPPORTED;
    tp_residual residual;
    if (tp_problem_error(j->problem, j->P, &residual) != TP_OK) return BENCH_MISSED;
    *error_out = residual.error;
    if (residual.error <= level) return BENCH_REACHED;
    return j->report.status == TP_INFEASIBLE ? BENCH_INFEASIBLE : BENCH_MISSED;
}

static void solve_level(job *j, double level, int pipe)
{
    bench_result result = {.level = level};
    j->options.tolerance = level;
    bench_limit_processor_time(j->timing->limit);
    result.seconds = solve(j, 1); /* makes the workspace; counts only where it is the only one */
    const char *status = judge(j, level, &result.error);
    result.iterations = j->report.iterations;
    bool is_reached = strcmp(status, BENCH_REACHED) == 0;
    if (is_reached && result.seconds < j->timing->long_solve) {
        result.seconds = bench_median_time(j->timing, result.seconds, solve, j);
    }
    snprintf(result.status, sizeof result.status, "%s", status);
    bench_send(pipe, &result, sizeof result);
}

static void solve_levels(void *context, int pipe)
{
    job *j = context;
    size_t count = (size_t)j->problem->row_count + 1;
    j->P = calloc(count, sizeof *j->P);
    if (j->P == NULL || tp_workspace_create(NULL, &j->workspace) != TP_OK) abort();
    for (int i = 0; i < BENCH_LEVELS; i++) solve_level(j, bench_levels[i], pipe);
}

static bool measure_solver(const bench_settings *settings, const bench_sink *sink, const char *solver)
{
    job j = {.problem = sink->problem,
             .solver = solver,
             .timing = &settings->timing,
             .options = tp_solver_options_default()};
    bench_result results[BENCH_LEVELS];
    bench_end end;
    int count = bench_run_child(solve_levels, &j, sizeof results[0], BENCH_LEVELS, results, &end);
    for (int i = 0; i < BENCH_LEVELS; i++) {
        bool is_there = i < count;
        if (!bench_sink_put(sink, solver, bench_levels[i], is_there ? &results[i] : NULL,
                            is_there ? results[i].status : bench_end_text(end)))
            return false;
    }
    return true;
}

static bool measure_solvers(const bench_settings *settings, const bench_sink *sink)
{
    for (int i = 0; i < tp_solver_count(); i++) {
        const char *solver = tp_solver_info_at(i)->name;
        if (bench_settings_wants(settings, solver) && !measure_solver(settings, sink, solver)) return false;
    }
    return true;
}

int main(int count, char **arguments)
{
    return bench_main(count, arguments, "bench-tippe.csv", measure_solvers);
}
