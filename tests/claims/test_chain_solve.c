/* Mechanisms without contacts are one linear solve a step; theory/solvers.md (28i). */
#include "simulations.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 120, STEPS = 30 };

/* Rods hinged about y and z in turn, the last of them heavier than the others by `ratio`. */
static tp_scene *chain_scene(int links, double ratio)
{
    size_t room = 400 * (size_t)links + 400;
    char *text = malloc(room), before[16] = "ground";
    size_t n = (size_t)snprintf(text, room, "gravity: [0, -2, -9.81]\nbodies:\n");
    for (int i = 0; i < links; i++)
        n += (size_t)snprintf(
            text + n, room - n,
            "  - {name: b%d, mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%d.5, 0, 0]}\n", i,
            i == links - 1 ? ratio : 1.0, 0.01 * (i == links - 1 ? ratio : 1.0),
            0.09 * (i == links - 1 ? ratio : 1.0), 0.09 * (i == links - 1 ? ratio : 1.0), i);
    n += (size_t)snprintf(text + n, room - n, "joints:\n");
    for (int i = 0; i < links; i++) {
        n += (size_t)snprintf(
            text + n, room - n,
            "  - {name: h%d, type: revolute, bodies: [%s, b%d], point: [%d, 0, 0], axis: [0, %d, %d]}\n", i,
            before, i, i, i % 2 == 0, i % 2);
        snprintf(before, sizeof before, "b%d", i);
    }
    snprintf(text + n, room - n, "simulate: {integrator: moreau, dt: 1e-3, until: 1}\n");
    tp_scene *scene = scene_of(text);
    free(text);
    return scene;
}

static tp_simulation *run_chain(const tp_scene *scene, const char *solver)
{
    tp_simulation_options options = scene->options;
    options.solver = solver;
    tp_simulation *simulation = simulate_options(scene->model, options);
    run_steps(simulation, STEPS, options.time_step);
    return simulation;
}

/* As another method moves it: rounding of a step, eps times the condition (1e6 with this length, 1e4 more
   with the heavy end) over 30 steps of velocities of 1 m/s. One iteration a step, and joints that hold to
   rounding of velocities. */
static void check_chain(void **check_state_, double ratio, double allowed)
{
    tp_scene *scene = chain_scene(LINKS, ratio);
    tp_simulation *direct = run_chain(scene, "auto"), *other = run_chain(scene, "proximal-newton");
    const tp_run_report *report = tp_simulation_report(direct);
    int n = tp_model_summarise(scene->model).velocity_count;
    for (int i = 0; i < n; i++) CHECK_NEAR(tp_simulation_u(direct)[i], tp_simulation_u(other)[i], allowed);
    CHECK_NEAR(report->iterations_mean, 1.0, 0.0);
    CHECK(tp_simulation_last_step(direct)->work <= LINKS); /* the general way takes hundreds of times this */
    tp_simulation_free(direct);
    tp_simulation_free(other);
    tp_scene_free(scene);
}

TEST(a_chain_moves_as_by_another_method)
{
    check_chain(check_state_, 1.0, 1e-9);
}

TEST(a_chain_with_a_heavy_end_moves_as_by_another_method)
{
    check_chain(check_state_, 1e4, 1e-6);
}

TEST_MAIN(RUNS(a_chain_moves_as_by_another_method), RUNS(a_chain_with_a_heavy_end_moves_as_by_another_method))
