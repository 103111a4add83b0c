/* A warm step allocates nothing: this program counts every call of the C library's allocator while the
   examples step. */
#define _POSIX_C_SOURCE 200809L
#include "count_allocations.h"
#include "examples.h"

#if defined(CAN_COUNT_ALLOCATIONS)

enum { STEPS_MAX = 150 };

/* Calls of the allocator in the steps from `first` on that are no larger than one before (more contacts make
   a larger problem, which may take memory); -1: the integrator does not take the scene. */
static int count_steps(const tp_scene *scene, const char *integrator, tp_consistent_bodies bodies,
                       long long first, long long *steps_out)
{
    tp_simulation_options options = scene->options;
    tp_simulation *simulation = NULL;
    options.integrator = integrator;
    options.consistent.bodies = bodies;
    if (tp_simulation_create(NULL, scene->model, &options, &simulation, NULL) != TP_OK) return -1;
    double dt = scene->options.time_step;
    long long count = (long long)ceil(scene->options.end_time / dt - 1e-9);
    if (count > STEPS_MAX) count = STEPS_MAX;
    int total = 0, most_contacts = 0;
    *steps_out = 0;
    for (long long k = 1; k <= count; k++) {
        allocation_count = 0;
        is_counting = k >= first;
        tp_status status = tp_simulation_step(simulation, (double)k * dt);
        is_counting = 0;
        *steps_out += k >= first;
        int contacts = tp_simulation_last_step(simulation)->contact_count;
        if (contacts <= most_contacts) total += allocation_count;
        if (contacts > most_contacts) most_contacts = contacts;
        if (status != TP_OK) fail_msg("%s: %s", scene->name, tp_simulation_report(simulation)->reason);
    }
    tp_simulation_free(simulation);
    return total;
}

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
        long long steps, all = (long long)ceil(scene->options.end_time / scene->options.time_step - 1e-9);
        if (all > STEPS_MAX) all = STEPS_MAX;
        for (int k = 0; k < tp_integrator_count(); k++) {
            const char *integrator = tp_integrator_info_at(k)->name;
            int count = count_steps(scene, integrator, TP_CONSISTENT_SCALABLE, 1 + all / 5, &steps);
            if (count < 0) continue;
            if (count > 0)
                print_error("%s, %s: %d calls in %lld steps\n", examples.name[i], integrator, count, steps);
            failures += count > 0;
            CHECK(steps >= 20);
        }
        tp_scene_free(scene);
    }
    CHECK_INT(failures, 0);
}

/* The state of a realised model, and what is shown of it, are memory of the simulation. */
TEST(after_some_steps_nothing_is_allocated_for_affine_bodies)
{
    static const char *const names[] = {"tippe-top", "heavy-top", "quadrangle"};
    for (int i = 0; i < 3; i++) {
        tp_scene *scene = read_short_example(names[i]);
        long long steps = 0;
        CHECK_INT(count_steps(scene, "consistent-two-step", TP_CONSISTENT_AFFINE, 30, &steps), 0);
        CHECK(steps >= 20);
        tp_scene_free(scene);
    }
}

TEST_MAIN(RUNS(the_counter_sees_allocations), RUNS(after_some_steps_no_example_allocates_with_any_integrator),
          RUNS(after_some_steps_nothing_is_allocated_for_affine_bodies))

#else

TEST(the_allocator_cannot_be_counted_here)
{
    UNUSED_STATE;
    print_message("skipped: a sanitizer owns the allocator, or the C library is not glibc\n");
}

TEST_MAIN(RUNS(the_allocator_cannot_be_counted_here))

#endif
