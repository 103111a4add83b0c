/* Where the published experiments on the manifold spend their time: processor time in accelerations, in
   projections and in all, beside the counts of their tables. bench-jet-split */
#include "jet/jet.h"
#include "measure.h"
#include "tippe/tippe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct experiment {
    const char *name, *folder;
    double tolerance;
} experiment;

static const experiment experiments[] = {{"bar on a ball joint", "pendulum-3d", 1e-6},
                                         {"four-bar linkage", "quadrangle", 1e-8},
                                         {"crank in space", "crank", 1e-7}};
static const double until = 10.0; /* [s] */

/* The equations of a manifold with a clock around them. */
typedef struct timed {
    tp_ode_equations inner;
    double accelerations, projections; /* [s] */
} timed;

static tp_status timed_rate(void *context, double t, const double *z, double *rate)
{
    timed *c = context;
    double start = bench_processor_time();
    tp_status status = c->inner.rate(c->inner.context, t, z, rate);
    c->accelerations += bench_processor_time() - start;
    return status;
}

static tp_status timed_move(timed *c, tp_status (*move)(void *, double, double *), double t, double *z)
{
    double start = bench_processor_time();
    tp_status status = move(c->inner.context, t, z);
    c->projections += bench_processor_time() - start;
    return status;
}

static tp_status timed_stage(void *context, double t, double *z)
{
    timed *c = context;
    return timed_move(c, c->inner.stage, t, z);
}

static tp_status timed_result(void *context, double t, double *z)
{
    timed *c = context;
    return timed_move(c, c->inner.result, t, z);
}

static tp_status follow(tp_ode *ode, tp_jet *jet)
{
    tp_status status = TP_OK;
    while (status == TP_OK && tp_ode_time(ode) < until) {
        bool changed;
        status = tp_jet_begin(jet, tp_ode_time(ode), tp_ode_state(ode), &changed);
        if (status == TP_OK && changed) status = tp_ode_replace(ode, tp_ode_state(ode));
        if (status == TP_OK) status = tp_ode_step(ode, until);
    }
    return status;
}

static void print_run(const experiment *e, const tp_jet_options *o, const tp_ode *ode, const tp_jet *jet,
                      const timed *c, double total)
{
    const tp_ode_statistics *steps = tp_ode_counts(ode);
    const tp_jet_counts *counts = tp_jet_counts_of(jet);
    double calls = (double)(steps->stages + steps->results);
    printf("| %s | %s%s | %lld (%lld) | %.2f (%d) | %lld | %lld | %.0f / %.0f / %.0f |\n", e->name,
           tp_jet_projection_name((int)o->projection), o->holds_energy ? ", energy held" : "",
           (long long)steps->accepted, (long long)steps->rejected,
           calls > 0.0 ? (double)counts->iterations / calls : 0.0, counts->most_iterations,
           counts->distributions, counts->projections, 1e3 * c->accelerations, 1e3 * c->projections,
           1e3 * total);
}

static tp_status run(const experiment *e, const tp_jet_options *o, tp_scene *scene, tp_system *system)
{
    tp_jet *jet = NULL;
    tp_ode *ode = NULL;
    double *z = NULL;
    tp_status status = tp_jet_create(tp_allocator_default(), system, o, &jet, NULL);
    if (status == TP_OK) {
        z = calloc((size_t)tp_jet_state_count(jet), sizeof *z);
        tp_jet_put(jet, scene->model->q0, scene->model->u0, z);
        tp_jet_set_invariants(jet, 0.0, z);
        tp_ode_options options = tp_ode_options_default(TP_ODE_DORMAND_PRINCE);
        options.atol = options.rtol = e->tolerance;
        options.grow = 3.0;
        options.first_step = 0.25;
        timed clock = {.inner = tp_jet_equations(jet, &options)};
        tp_ode_equations equations = clock.inner;
        equations.context = &clock;
        equations.rate = timed_rate;
        if (equations.stage != NULL) equations.stage = timed_stage;
        if (equations.result != NULL) equations.result = timed_result;
        status = tp_ode_create(tp_allocator_default(), &equations, &options, &ode, NULL);
        double start = bench_processor_time();
        if (status == TP_OK) status = tp_ode_start(ode, 0.0, z);
        if (status == TP_OK) status = follow(ode, jet);
        if (status == TP_OK) print_run(e, o, ode, jet, &clock, bench_processor_time() - start);
        tp_ode_free(ode);
    }
    free(z);
    tp_jet_free(jet);
    return status;
}

static tp_status run_all(const experiment *e)
{
    static const tp_jet_projection kinds[] = {TP_JET_QUASI, TP_JET_ORTHOGONAL, TP_JET_TANGENTIAL};
    char path[512];
    tp_scene *scene = NULL;
    tp_system *system = NULL;
    snprintf(path, sizeof path, TIPPE_SOURCE_DIR "/examples/%s/scene.yaml", e->folder);
    tp_status status = tp_scene_read(NULL, path, NULL, 0, &scene, NULL);
    if (status == TP_OK) status = tp_system_create(tp_allocator_default(), scene->model, &system);
    for (int k = 0; k < 6 && status == TP_OK; k++) {
        tp_jet_options o = {
            .projection = kinds[k / 2], .tolerance = 1e-5, .max_sweeps = 500, .holds_energy = k % 2 == 0};
        status = run(e, &o, scene, system);
    }
    tp_system_free(system);
    tp_scene_free(scene);
    return status;
}

int main(void)
{
    printf("| experiment | projection | accepted (rejected) | Newton mean (max) | accelerations | "
           "projections | ms: accelerations / "
           "projections / all |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof experiments / sizeof experiments[0]; i++) {
        tp_status status = run_all(&experiments[i]);
        if (status != TP_OK) {
            fprintf(stderr, "%s: %s\n", experiments[i].name, tp_status_text(status));
            return 1;
        }
    }
    return 0;
}
