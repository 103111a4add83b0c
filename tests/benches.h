/* A scene written in the test, and its simulation. */
#ifndef TESTS_BENCHES_H
#define TESTS_BENCHES_H

#include "simulations.h"

typedef struct bench {
    tp_scene *scene;
    tp_simulation *simulation;
} bench;

/* The scene alone: its options may still be changed before the bench is started. */
static inline bench prepare_bench(const char *text, const char *integrator, double time_step)
{
    bench b = {scene_of(text), NULL};
    b.scene->options.integrator = integrator;
    b.scene->options.time_step = time_step;
    return b;
}

static inline void start_bench(bench *b)
{
    b->simulation = simulate_options(b->scene->model, b->scene->options);
}

static inline bench open_bench(const char *text, const char *integrator, double time_step)
{
    bench b = prepare_bench(text, integrator, time_step);
    start_bench(&b);
    return b;
}

/* With rotations of the start of a step instead of its middle. */
static inline bench open_rotation_bench(const char *text, const char *integrator, bool at_begin,
                                        double time_step)
{
    bench b = prepare_bench(text, integrator, time_step);
    b.scene->options.consistent.rotation_at_start = at_begin;
    start_bench(&b);
    return b;
}

/* With simulate.correction. */
static inline bench start_corrected(const char *text, const char *integrator, double time_step,
                                    double tolerance)
{
    bench b = prepare_bench(text, integrator, time_step);
    b.scene->options.correction.is_on = true;
    b.scene->options.tolerance = tolerance;
    start_bench(&b);
    return b;
}

static inline void close_bench(bench *b)
{
    tp_simulation_free(b->simulation);
    tp_scene_free(b->scene);
}

#endif
