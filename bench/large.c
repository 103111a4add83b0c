/* Large disordered packings: balls fall into a hopper (examples/hopper) and settle. Prints what warm steps
   need, what a sweep costs by threads, and how far the default solver gets in a problem of the packing;
   README.md.
       bench-large [BALLS_A_SIDE [LAYERS [STEPS [SECONDS]]]]        default: 10 12 800 10, some 3,000 contacts
 */
#define _XOPEN_SOURCE 700
#include "solver/bodies/backend.h"
#include "tippe/tippe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MEASURED = 50, SWEEPS = 40 };

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double memory_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

static void stop(const char *text)
{
    fprintf(stderr, "%s\n", text);
    exit(1);
}

typedef struct figures {
    int steps, most_sweeps;
    double sweeps, contacts, seconds, error;
} figures;

/* Steps until the packing lies, of which the last ones are measured. */
static figures settle(tp_simulation *simulation, long steps)
{
    tp_message why = {""};
    figures f = {0, 0, 0.0, 0.0, 0.0, 0.0};
    double dt = tp_simulation_get_options(simulation)->time_step;
    for (long k = 0; k < steps; k++) {
        double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        if (tp_simulation_step(simulation, tp_simulation_time(simulation) + dt, &why) != TP_OK)
            stop(why.text);
        double seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
        const tp_step_report *step = tp_simulation_last_step(simulation);
        if (k % 100 == 99) {
            printf("step %ld: %d contacts, %d sweeps, E %.2e, %.3g ms\n", k + 1, step->contact_count,
                   step->iterations, step->residual, 1e3 * seconds);
            fflush(stdout);
        }
        if (k < steps - MEASURED) continue;
        f.steps++;
        f.sweeps += step->iterations;
        f.contacts += step->contact_count;
        f.seconds += seconds;
        f.error = step->residual > f.error ? step->residual : f.error;
        if (step->iterations > f.most_sweeps) f.most_sweeps = step->iterations;
    }
    return f;
}

/* Sweeps alone, from P = 0. */
static void time_sweeps(const tp_problem *problem, int threads)
{
    tp_pool *pool;
    tp_stack stack;
    tp_body_problem bodies;
    tp_unknowns all = {.total = problem->x_count};
    if (tp_pool_create(NULL, threads, &pool) != TP_OK) stop("no threads");
    tp_stack_init(&stack, NULL);
    tp_backend_call call = {.bodies = &bodies, .pool = pool, .stack = &stack};
    if (tp_body_problem_make(problem, &all, pool, &stack, &bodies) != TP_OK ||
        tp_backend_threads.open(&call) != TP_OK)
        stop("the problem has no form by bodies");
    double *P = calloc((size_t)problem->row_count, sizeof *P);
    tp_backend_threads.load(&call, P);
    tp_backend_threads.move(&call);
    tp_backend_threads.sweep(&call, 0.0);
    double wall = seconds_of(CLOCK_MONOTONIC), work = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    for (int k = 0; k < SWEEPS; k++) tp_backend_threads.sweep(&call, 0.8);
    wall = seconds_of(CLOCK_MONOTONIC) - wall;
    work = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - work;
    double per = 1e9 / (double)SWEEPS / (double)problem->set_count;
    printf("%d threads, %d phases%s: %.1f ns of time, %.1f ns of processors a sweep and contact\n", threads,
           bodies.phase_count, bodies.are_balls ? ", balls" : "", per * wall, per * work);
    free(P);
    tp_stack_clear(&stack);
    tp_pool_free(pool);
}

/* From P = 0 to a tolerance, by auto. */
static void solve(const tp_problem *problem, double tolerance, double seconds)
{
    tp_workspace *workspace;
    tp_report report;
    tp_solver_options options = tp_solver_options_default();
    double *P = calloc((size_t)problem->row_count, sizeof *P);
    options.tolerance = tolerance;
    options.work_limit = 2e8 * seconds; /* block products of 5 ns */
    if (P == NULL || tp_workspace_create(NULL, &workspace) != TP_OK) stop("no memory");
    double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    tp_solve(problem, NULL, &options, workspace, P, NULL, &report);
    printf("from P = 0 to %.0e: E %.2e, %d iterations, %.3g s (%s)\n", tolerance, report.error,
           report.iterations, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin, report.reason);
    tp_workspace_free(workspace);
    free(P);
}

int main(int count, char **arguments)
{
    const int side = count > 1 ? atoi(arguments[1]) : 10, layers = count > 2 ? atoi(arguments[2]) : 12;
    const long steps = count > 3 ? atol(arguments[3]) : 800;
    const double seconds = count > 4 ? atof(arguments[4]) : 10.0;
    if (side < 2 || layers < 2 || steps < MEASURED) {
        fprintf(stderr, "usage: %s [BALLS_A_SIDE [LAYERS [STEPS [SECONDS]]]], %d steps at least\n",
                arguments[0], MEASURED);
        return 2;
    }
    char nx[64], ny[64], nz[64];
    snprintf(nx, sizeof nx, "parameters.nx=%d", side);
    snprintf(ny, sizeof ny, "parameters.ny=%d", side);
    snprintf(nz, sizeof nz, "parameters.nz=%d", layers);
    const char *edits[] = {nx, ny, nz};
    tp_scene *scene;
    tp_simulation *simulation;
    tp_message why = {""};
    if (tp_scene_read(NULL, TIPPE_SOURCE_DIR "/examples/hopper/scene.yaml", edits, 3, &scene, &why) != TP_OK)
        stop(why.text);
    if (tp_simulation_create(NULL, scene->model, &scene->options, &simulation, &why) != TP_OK) stop(why.text);
    printf("%d balls, %.0f MB\n", side * side * layers, memory_mb());
    figures f = settle(simulation, steps);
    const tp_problem *problem = tp_simulation_problem(simulation);
    printf("last %d steps: %.0f contacts, %.1f sweeps, %d at most, E %.2e at most, %.3g ms of processors a "
           "step, %.0f ns a contact, %.0f MB\n",
           f.steps, f.contacts / f.steps, f.sweeps / f.steps, f.most_sweeps, f.error,
           1e3 * f.seconds / f.steps, 1e9 * f.seconds / f.contacts, memory_mb());
    for (int threads = 1; threads <= 2; threads++) time_sweeps(problem, threads);
    solve(problem, 1e-2, seconds);
    solve(problem, 1e-6, seconds);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return 0;
}
