/* Times of Siconos's solvers, the same measurement as solvers.c: the problem is read by Tippe, handed over in
   memory, solved over a ladder of Siconos's own tolerances, and every answer is judged by Tippe's E;
   README.md. */
#include "measure.h"
#include "program.h"
#include "siconos_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNGS = 13,  /* tolerances 1e-3 to 1e-15 */
    PATIENCE = 3 /* rungs without a smaller E before the rest is left out */
};

/* One solver on one problem. */
typedef struct ladder {
    const tp_problem *problem; /* as Siconos gets it  */
    const tp_problem *judged;  /* as it is in the file */
    const siconos_solver *solver;
    const bench_timing *timing;
    bench_result rungs[RUNGS]; /* level: Siconos's tolerance */
    int rung_count;
    bench_end end;            /* of the climb */
    int chosen[BENCH_LEVELS]; /* rung that reaches a level fastest, or -1 */
    siconos_job *job;
    double tolerance; /* of the rung that is being measured */
} ladder;

static double judge(const ladder *l)
{
    tp_residual residual;
    tp_status status = tp_problem_error(l->judged, siconos_job_answer(l->job), &residual);
    return status == TP_OK ? residual.error : INFINITY;
}

/* In the child: each rung once, from a fresh copy, because some solvers change their problem. */
static void climb(void *context, int pipe)
{
    ladder *l = context;
    double best = INFINITY;
    int idle = 0;
    for (int i = 0; i < RUNGS && idle < PATIENCE; i++) {
        bench_result result = {.level = pow(10.0, -3.0 - i)};
        l->job = siconos_job_create(l->problem, l->solver);
        bench_limit_processor_time(l->timing->limit);
        result.seconds = siconos_job_solve(l->job, result.level);
        result.error = judge(l);
        result.iterations = siconos_job_iterations(l->job);
        bench_send(pipe, &result, sizeof result);
        idle = result.error < best ? 0 : idle + 1;
        best = fmin(best, result.error);
        if (best <= bench_levels[BENCH_LEVELS - 1]) break; /* finer rungs only take longer */
    }
}

static void choose(ladder *l)
{
    for (int level = 0; level < BENCH_LEVELS; level++) {
        int chosen = -1;
        for (int i = 0; i < l->rung_count; i++) {
            if (!(l->rungs[i].error <= bench_levels[level])) continue;
            if (chosen < 0 || l->rungs[i].seconds < l->rungs[chosen].seconds) chosen = i;
        }
        l->chosen[level] = chosen;
    }
}

/* Options are made anew for each call, so the clock runs for each call by itself. */
static double solve(void *context, int repeats)
{
    ladder *l = context;
    double sum = 0.0;
    for (int i = 0; i < repeats; i++) sum += siconos_job_solve(l->job, l->tolerance) - l->timing->clock_cost;
    return fmax(sum, 0.0);
}

/* In the child: the chosen rungs again, with repeats. A repeat that is worse than the level is not accepted.
 */
static void repeat(void *context, int pipe)
{
    ladder *l = context;
    for (int level = 0; level < BENCH_LEVELS; level++) {
        bench_result result = {.level = bench_levels[level], .seconds = NAN, .error = NAN, .iterations = -1};
        if (l->chosen[level] >= 0) {
            result = l->rungs[l->chosen[level]];
            result.level = bench_levels[level];
            if (result.seconds < l->timing->long_solve) {
                l->job = siconos_job_create(l->problem, l->solver);
                l->tolerance = l->rungs[l->chosen[level]].level;
                siconos_job_solve(l->job, l->tolerance);
                double seconds = bench_median_time(l->timing, result.seconds, solve, l);
                if (judge(l) <= result.level) result.seconds = seconds;
            }
        }
        bench_send(pipe, &result, sizeof result);
    }
}

/* The answer that counts for a level; NULL: the solver was ended before it gave one. */
static const bench_result *result_for(const ladder *l, int level, const bench_result *repeats,
                                      int repeat_count)
{
    int chosen = l->chosen[level];
    if (chosen < 0)
        return l->end == BENCH_END_DONE && l->rung_count > 0 ? &l->rungs[l->rung_count - 1] : NULL;
    return level < repeat_count ? &repeats[level] : &l->rungs[chosen];
}

static bool measure_ladder(ladder *l, const bench_sink *sink)
{
    bench_result repeats[BENCH_LEVELS];
    bench_end repeat_end;
    l->rung_count = bench_run_child(climb, l, sizeof l->rungs[0], RUNGS, l->rungs, &l->end);
    choose(l);
    int repeat_count = bench_run_child(repeat, l, sizeof repeats[0], BENCH_LEVELS, repeats, &repeat_end);
    for (int level = 0; level < BENCH_LEVELS; level++) {
        if (!bench_sink_put(sink, l->solver->name, bench_levels[level],
                            result_for(l, level, repeats, repeat_count),
                            l->chosen[level] >= 0 ? BENCH_REACHED : bench_end_text(l->end)))
            return false;
    }
    return true;
}

static bool measure_solvers(const bench_settings *settings, const bench_sink *sink)
{
    /* What Siconos has no global form for is reduced, outside of the measured time. */
    tp_problem *reduced = NULL;
    const tp_problem *problem = sink->problem;
    if (siconos_form_of(problem) == SICONOS_NONE && problem->x_count > 0 &&
        tp_problem_reduce(NULL, problem, &reduced, NULL) == TP_OK)
        problem = reduced;
    siconos_form form = siconos_form_of(problem);
    bool is_fine = true;
    for (int i = 0; i < siconos_solver_count() && is_fine; i++) {
        const siconos_solver *solver = siconos_solver_at(i);
        if (solver->form != form || !bench_settings_wants(settings, solver->name)) continue;
        ladder l = {
            .problem = problem, .judged = sink->problem, .solver = solver, .timing = &settings->timing};
        is_fine = measure_ladder(&l, sink);
    }
    tp_problem_free(reduced);
    return is_fine;
}

int main(int count, char **arguments)
{
    return bench_main(count, arguments, "bench-siconos.csv", measure_solvers);
}
