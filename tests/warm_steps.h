/* Counts what the steps of a scene allocate, in a program that counts every call of the C library's
   allocator. A file that includes this begins with _POSIX_C_SOURCE 200809L. */
#ifndef TESTS_WARM_STEPS_H
#define TESTS_WARM_STEPS_H

#include "count_allocations.h"
#include "examples.h"
#include "simulation/inside.h"

#if defined(CAN_COUNT_ALLOCATIONS)

/* A run in which the steps from `first` on, of `steps` at most, are warm. */
typedef struct warm_run {
    const char *integrator;
    tp_consistent_bodies bodies;
    long long first, steps;
} warm_run;

/* How large the problem of a step is: laws, pairs of velocities that these couple, closed contacts. */
enum { WARM_SIZES = 3 };
typedef struct warm_size {
    long long of[WARM_SIZES];
} warm_size;

static inline warm_size warm_size_of(const tp_simulation *simulation)
{
    const tp_system *system = simulation->stepper.system;
    warm_size size = {{system->law_count, 0, tp_simulation_last_step(simulation)->contact_count}};
    for (int i = 0; i < system->law_count; i++) {
        long long columns = tp_system_law_column_count(system, i);
        size.of[1] += columns * columns;
    }
    return size;
}

/* Calls of the allocator in warm steps that are no larger than one before (more shapes that are near make a
   larger problem, which may take memory); -1: the integrator does not take the scene. */
static inline int count_in_warm_steps(const tp_scene *scene, const warm_run *run, long long *warm_out)
{
    tp_simulation_options options = scene->options;
    tp_simulation *simulation = NULL;
    options.integrator = run->integrator;
    options.consistent.bodies = run->bodies;
    *warm_out = 0;
    if (tp_simulation_create(NULL, scene->model, &options, &simulation, NULL) != TP_OK) return -1;
    double dt = scene->options.time_step;
    long long count = (long long)ceil(scene->options.end_time / dt - 1e-9);
    if (count > run->steps) count = run->steps;
    int total = 0;
    warm_size most = {{0, 0, 0}};
    for (long long k = 1; k <= count; k++) {
        allocation_count = 0;
        is_counting = k >= run->first;
        tp_status status = tp_simulation_step(simulation, (double)k * dt, NULL);
        is_counting = 0;
        *warm_out += k >= run->first;
        warm_size size = warm_size_of(simulation);
        bool is_larger = false;
        for (int i = 0; i < WARM_SIZES; i++) {
            is_larger = is_larger || size.of[i] > most.of[i];
            if (size.of[i] > most.of[i]) most.of[i] = size.of[i];
        }
        if (!is_larger) total += allocation_count;
        if (status != TP_OK) fail_msg("%s: %s", scene->name, tp_simulation_report(simulation)->reason);
    }
    tp_simulation_free(simulation);
    if (total > 0)
        print_error("%s, %s: %d calls in %lld steps\n", scene->name, run->integrator, total, *warm_out);
    return total;
}

/* Integrators that take rigid bodies as affine ones on request. */
static const char *const affine_integrators[] = {"consistent", "consistent-elastic", "consistent-two-step",
                                                 "consistent-hybrid"};
enum { AFFINE_INTEGRATORS = sizeof affine_integrators / sizeof affine_integrators[0] };

/* Stacks of many boxes, whose affine steps take a third of a second each. */
static inline bool is_large_if_affine(const char *example)
{
    return strcmp(example, "box-stack") == 0 || strcmp(example, "card-house") == 0;
}

#endif

#endif
