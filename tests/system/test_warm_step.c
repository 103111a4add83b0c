/* A warm step allocates nothing: this program counts every call of the C library's allocator while the
   examples step. */
#define _POSIX_C_SOURCE 200809L
#include "warm_steps.h"

#if defined(CAN_COUNT_ALLOCATIONS)

enum { STEPS_MAX = 150, RELAXED_STEPS = 26, AFFINE_STEPS = 60, LARGE_AFFINE_STEPS = 6 };

TEST(the_counter_sees_allocations)
{
    UNUSED_STATE;
    is_counting = 1;
    allocation_count = 0;
    void *volatile memory = malloc(8);
    free(memory);
    is_counting = 0;
    CHECK_INT(allocation_count, 2);
}

/* The solver's memory grows when a step problem is larger than all before; the first fifth of a run warms up.
   A longer warm-up would hide growth, so impacts that come later must fit into what there is. */
TEST(after_some_steps_no_example_allocates_with_any_integrator)
{
    example_list examples = find_examples();
    int failures = 0;
    for (int i = 0; i < examples.count; i++) {
        tp_scene *scene = read_short_example(examples.name[i]);
        long long warm, all = (long long)ceil(scene->options.end_time / scene->options.time_step - 1e-9);
        for (int k = 0; k < tp_integrator_count(); k++) {
            if (!is_tried(scene, i, k)) continue;
            bool is_relaxed =
                strncmp(tp_integrator_info_at(k)->name, "relaxed", 7) == 0; /* many problems a step */
            long long most = is_relaxed ? RELAXED_STEPS : STEPS_MAX,
                      first = 1 + (all < most ? all : most) / 5;
            warm_run run = {tp_integrator_info_at(k)->name, TP_CONSISTENT_SCALABLE, first, most};
            int count = count_in_warm_steps(scene, &run, &warm);
            if (count < 0) continue;
            failures += count > 0;
            CHECK(warm >= 20);
        }
        tp_scene_free(scene);
    }
    CHECK_INT(failures, 0);
}

/* The state of a realised model, and what is shown of it, are memory of the simulation. All examples that a
   scheme takes with affine bodies; many steps of the large ones are in tests/long. */
TEST(after_some_steps_nothing_is_allocated_for_affine_bodies)
{
    example_list examples = find_examples();
    int failures = 0, taken = 0;
    for (int i = 0; i < examples.count; i++) {
        tp_scene *scene = read_short_example(examples.name[i]);
        bool is_large = is_large_if_affine(examples.name[i]);
        for (int k = 0; k < AFFINE_INTEGRATORS; k++) {
            long long warm, steps = is_large ? LARGE_AFFINE_STEPS : AFFINE_STEPS;
            warm_run run = {affine_integrators[k], TP_CONSISTENT_AFFINE, 1 + steps / 3, steps};
            int count = count_in_warm_steps(scene, &run, &warm);
            failures += count > 0;
            if (count < 0) continue;
            CHECK(warm >= steps / 3);
            taken++;
        }
        tp_scene_free(scene);
    }
    CHECK_INT(failures, 0);
    CHECK(taken >= 60);
}

/* Settled ends solve a problem after some steps alone: it must fit into what there is. */
TEST(after_some_steps_nothing_is_allocated_with_settled_ends)
{
    static const char *const names[] = {"dominoes",          "box-tip",     "friction-oscillator",
                                        "sphere-slide-roll", "two-sledges", "woodpecker"};
    static const char *const integrators[] = {"consistent-two-step", "consistent-quaternion",
                                              "consistent-quaternion-two-step"};
    int failures = 0, taken = 0;
    for (int i = 0; i < 18; i++) {
        tp_scene *scene = read_short_example(names[i / 3]);
        long long warm, all = (long long)ceil(scene->options.end_time / scene->options.time_step - 1e-9);
        if (all > STEPS_MAX) all = STEPS_MAX;
        scene->options.consistent.settles = true;
        warm_run run = {integrators[i % 3], TP_CONSISTENT_SCALABLE, 1 + all / 5, STEPS_MAX};
        int count = count_in_warm_steps(scene, &run, &warm);
        failures += count > 0;
        taken += count >= 0;
        tp_scene_free(scene);
    }
    CHECK_INT(failures, 0);
    CHECK_INT(taken, 18);
}

#endif

COUNTING_TEST_MAIN(RUNS(the_counter_sees_allocations),
                   RUNS(after_some_steps_no_example_allocates_with_any_integrator),
                   RUNS(after_some_steps_nothing_is_allocated_for_affine_bodies),
                   RUNS(after_some_steps_nothing_is_allocated_with_settled_ends))
