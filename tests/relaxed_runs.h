/* Runs of relaxed-dai for tests: a scene and the line of its section simulate. */
#ifndef TESTS_RELAXED_RUNS_H
#define TESTS_RELAXED_RUNS_H

#include "simulations.h"

#include <stdlib.h>

typedef struct relaxed_run {
    tp_scene *scene;
    tp_simulation *simulation;
} relaxed_run;

/* `model` and "simulate: {integrator: relaxed-dai, ...}" with the given entries. */
static inline relaxed_run begin_relaxed(const char *model, const char *entries)
{
    size_t room = strlen(model) + strlen(entries) + 64;
    char *text = malloc(room);
    if (text == NULL) fail();
    snprintf(text, room, "%ssimulate: {integrator: relaxed-dai, %s}\n", model, entries);
    relaxed_run r = {.scene = scene_of(text)};
    free(text);
    r.simulation = simulate_options(r.scene->model, r.scene->options);
    return r;
}

static inline relaxed_run run_relaxed(const char *model, const char *entries)
{
    relaxed_run r = begin_relaxed(model, entries);
    run(r.simulation);
    return r;
}

static inline double q_of(const relaxed_run *r, int i)
{
    return tp_simulation_q(r->simulation)[i];
}

static inline double u_of(const relaxed_run *r, int i)
{
    return tp_simulation_u(r->simulation)[i];
}

static inline void end_relaxed(relaxed_run *r)
{
    tp_simulation_free(r->simulation);
    tp_scene_free(r->scene);
}

/* The forces at the initial state for zeta = 1/2: one linearly implicit step, whose relaxation time is delta.
   force_out [laws * TP_IMPULSE_ROWS]. Returns how many solutions the law had, 0: not known. */
static inline int forces_at_start(const char *model, double delta, int law_count, double *force_out)
{
    char entries[160];
    snprintf(entries, sizeof entries, "relaxation_steps: linearly-implicit, dt: %.17g, until: %.17g", delta,
             delta);
    relaxed_run r = run_relaxed(model, entries);
    for (int i = 0; i < law_count; i++) {
        tp_simulation_last_impulse(r.simulation, i, force_out + (size_t)i * TP_IMPULSE_ROWS);
        for (int k = 0; k < TP_IMPULSE_ROWS; k++) force_out[i * TP_IMPULSE_ROWS + k] /= delta;
    }
    int count = tp_simulation_last_step(r.simulation)->solution_count;
    end_relaxed(&r);
    return count;
}

#endif
