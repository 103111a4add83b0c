/* Chains of many bars under the consistent integrators: joints as unknowns (theory/problems.md (12), by
   `auto`) move them as elimination does (any solver that is named), and the balances are exact. */
#include "simulations.h"

#include <stdio.h>
#include <stdlib.h>

enum { BARS = 8, TEXT = 8000 };

/* Bars of 1 m in a row, hinged about y and z in turn; with tips that fall on a plane. */
static tp_scene *chain_scene(bool has_contacts)
{
    char text[TEXT], before[16] = "ground";
    int n = snprintf(text, TEXT, "gravity: [0, -2, -9.81]\nbodies:\n");
    for (int i = 0; i < BARS; i++)
        n += snprintf(text + n, (size_t)(TEXT - n),
                      "  - {name: b%d, mass: 1, inertia: [0.01, 0.09, 0.09], position: [%d.5, 0, 0], "
                      "shapes: [{name: tip%d, type: point, position: [0.5, 0, 0]}]}\n",
                      i, i, i);
    n += snprintf(text + n, (size_t)(TEXT - n), "joints:\n");
    for (int i = 0; i < BARS; i++) {
        n += snprintf(
            text + n, (size_t)(TEXT - n),
            "  - {name: h%d, type: revolute, bodies: [%s, b%d], point: [%d, 0, 0], axis: [0, %d, %d]}\n", i,
            before, i, i, i % 2 == 0, i % 2);
        snprintf(before, sizeof before, "b%d", i);
    }
    if (has_contacts)
        n += snprintf(
            text + n, (size_t)(TEXT - n),
            "ground:\n  shapes: [{name: floor, type: plane, position: [0, 0, -0.004]}]\ncontacts:\n");
    for (int i = 3; i < BARS && has_contacts; i += 4)
        n += snprintf(text + n, (size_t)(TEXT - n),
                      "  - {name: c%d, between: [floor, tip%d], restitution: 1}\n", i, i);
    snprintf(text + n, (size_t)(TEXT - n), "simulate: {integrator: consistent, dt: 1e-3, until: 1}\n");
    return scene_of(text);
}

static tp_simulation *run_chain(const tp_scene *scene, const char *integrator, const char *solver, int steps)
{
    tp_simulation_options options = scene->options;
    options.integrator = integrator;
    options.solver = solver;
    tp_simulation *simulation = simulate_options(scene->model, options);
    run_steps(simulation, steps, options.time_step);
    return simulation;
}

/* Every step is solved to rounding, eps times the condition of its matrix (1e4 here), in positions of 10 m
   and velocities of 1 m/s: below 1e-10 after some tens of steps. */
static void check_same_motion(void **check_state_, const tp_scene *scene, const char *integrator, int steps)
{
    tp_simulation *a = run_chain(scene, integrator, "auto", steps),
                  *b = run_chain(scene, integrator, "proximal-newton", steps);
    tp_restart at, bt;
    tp_simulation_checkpoint(a, &at);
    tp_simulation_checkpoint(b, &bt);
    for (int i = 0; i < at.q_count; i++) CHECK_NEAR(at.q[i], bt.q[i], 1e-10);
    for (int i = 0; i < at.u_count; i++) CHECK_NEAR(at.u[i], bt.u[i], 1e-8);
    const tp_run_report *report = tp_simulation_report(a);
    double size = BARS * 9.81; /* of the energies [J] */
    CHECK(report->largest_energy_increase <= 1e-12 * size);
    CHECK(report->position_drift <= 1e-11 && report->angle_drift <= 1e-11);
    tp_simulation_free(a);
    tp_simulation_free(b);
}

TEST(a_hanging_chain_moves_as_with_elimination)
{
    static const char *const integrators[] = {"consistent", "consistent-two-step", "consistent-hybrid",
                                              "consistent-quaternion-two-step"};
    tp_scene *scene = chain_scene(false);
    for (int i = 0; i < 4; i++) check_same_motion(check_state_, scene, integrators[i], 10);
    tp_scene_free(scene);
}

/* Elastic contacts are laws of the same step as the joints. */
TEST(a_chain_that_falls_on_a_plane_moves_as_with_elimination)
{
    tp_scene *scene = chain_scene(true);
    check_same_motion(check_state_, scene, "consistent-elastic", 40);
    tp_simulation *simulation = run_chain(scene, "consistent-elastic", "auto", 40);
    CHECK(tp_simulation_report(simulation)->impacts > 0);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK_NEAR(report->energy_final, report->energy_initial, 1e-12 * BARS * 9.81);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_hanging_chain_moves_as_with_elimination),
          RUNS(a_chain_that_falls_on_a_plane_moves_as_with_elimination))
