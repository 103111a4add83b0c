/* Whole simulations have the same bits for every number of threads: a heap of balls that becomes one large
   island, many small islands, boxes; theory/large-heaps.md. */
#include "check.h"
#include "tippe/tippe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    const char *scene, *edits[7];
    int edit_count;
} run;

typedef struct ending {
    double *state; /* q, u */
    size_t bytes;
    int islands, contacts; /* most in a step */
} ending;

static void observe(ending *e, const tp_simulation *simulation)
{
    const tp_step_report *step = tp_simulation_last_step(simulation);
    if (step->island_count > e->islands) e->islands = step->island_count;
    if (step->contact_count > e->contacts) e->contacts = step->contact_count;
}

static ending run_with(const run *r, int threads)
{
    char path[256];
    tp_scene *scene;
    tp_simulation *simulation;
    tp_message why = {""};
    ending e = {NULL, 0, 0, 0};
    snprintf(path, sizeof path, "%s/examples/%s/scene.yaml", TIPPE_SOURCE_DIR, r->scene);
    if (tp_scene_read(NULL, path, r->edits, r->edit_count, &scene, &why) != TP_OK) fail_msg("%s", why.text);
    tp_simulation_options options = scene->options;
    options.threads = threads;
    if (tp_simulation_create(NULL, scene->model, &options, &simulation, &why) != TP_OK)
        fail_msg("%s", why.text);
    while (tp_simulation_time(simulation) < options.end_time - 0.5 * options.time_step) {
        if (tp_simulation_step(simulation, tp_simulation_time(simulation) + options.time_step, &why) != TP_OK)
            fail_msg("%s", why.text);
        observe(&e, simulation);
    }
    tp_restart state;
    tp_simulation_checkpoint(simulation, &state);
    size_t q = (size_t)state.q_count, u = (size_t)state.u_count;
    e.bytes = (q + u) * sizeof(double);
    e.state = malloc(e.bytes);
    memcpy(e.state, state.q, q * sizeof(double));
    memcpy(e.state + q, state.u, u * sizeof(double));
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return e;
}

static void compare(const run *r, int least_islands, int least_contacts)
{
    ending one = run_with(r, 1);
    assert_true(one.islands >= least_islands);
    assert_true(one.contacts >= least_contacts);
    for (int threads = 2; threads <= 4; threads++) {
        ending other = run_with(r, threads);
        assert_int_equal(other.bytes, one.bytes);
        if (memcmp(other.state, one.state, one.bytes) != 0)
            fail_msg("%s: other bits with %d threads", r->scene, threads);
        free(other.state);
    }
    free(one.state);
}

TEST(a_heap_of_balls_has_the_same_bits)
{
    const run r = {"hopper", {"parameters.nx=6", "parameters.ny=6", "simulate.until=0.18"}, 3};
    compare(&r, 1, 400);
    (void)check_state_;
}

/* So many contacts that their rows are shared, and so large an island that it is not copied. */
TEST(a_block_of_balls_has_the_same_bits)
{
    const run r = {"hopper",
                   {"parameters.nx=11", "parameters.ny=11", "parameters.nz=10", "parameters.d=0.0175",
                    "parameters.a=w+0.005", "parameters.z0=0.0095", "simulate.until=0.01"},
                   7};
    compare(&r, 1, 1100);
    (void)check_state_;
}

TEST(many_islands_have_the_same_bits)
{
    const run r = {
        "sphere-heap",
        {"parameters.nx=6", "parameters.ny=6", "parameters.nz=2", "parameters.w=0.45", "simulate.until=0.16"},
        5};
    compare(&r, 20, 60);
    (void)check_state_;
}

TEST(bricks_have_the_same_bits)
{
    const run r = {"brick-wall", {"simulate.until=0.02"}, 1};
    compare(&r, 1, 20);
    (void)check_state_;
}

TEST_MAIN(RUNS(a_heap_of_balls_has_the_same_bits), RUNS(a_block_of_balls_has_the_same_bits),
          RUNS(many_islands_have_the_same_bits), RUNS(bricks_have_the_same_bits))
