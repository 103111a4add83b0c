/* Claims of theory/consistent.md (A1)-(A9) over many steps. */
#include "check.h"
#include "simulations.h"
#include "tippe/tippe.h"

#include <string.h>

static const char free_body[] =
    "bodies: [{name: b, mass: 1, inertia: [1, 2, 2.5], angular_velocity: [0.5, 2, 0.8]}]\n"
    "simulate: {dt: 0.01, until: 100}\n";

static const char heavy_top[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: [{name: top, mass: 1, inertia: [0.03, 0.035, 0.02], position: [0.2, 0, 0.3],\n"
    "          angular_velocity: [2, 3, 30]}]\n"
    "joints: [{name: tip, type: spherical, bodies: [ground, top], point: [0, 0, 0]}]\n"
    "simulate: {dt: 1e-3, until: 10, project_initial_state: true}\n";

/* Rounding of ten thousand steps: at most its number times that of the energy, and far less on the average.
 */
TEST(affine_bodies_keep_energy_and_rigidity_over_ten_thousand_steps)
{
    static const char *const integrators[] = {"consistent-position", "consistent"}, *const scenes[] = {
                                                                                        free_body, heavy_top};
    for (int k = 0; k < 4; k++) {
        const char *text = scenes[k / 2];
        tp_scene *scene = NULL;
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        if (tp_scene_read_memory(NULL, "s", text, strlen(text), NULL, 0, &scene, &why) != TP_OK)
            fail_msg("%s", why.text);
        tp_simulation_options options = scene->options;
        options.integrator = integrators[k % 2];
        options.consistent.bodies = TP_CONSISTENT_AFFINE;
        CHECK_INT(tp_simulation_create(NULL, scene->model, &options, &simulation, &why), TP_OK);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        const tp_run_report *report = tp_simulation_report(simulation);
        CHECK_INT(report->steps, 10000);
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-12 * fabs(report->energy_initial));
        CHECK(report->position_drift < 1e-11 && report->angle_drift < 1e-11);
        if (k % 2 == 1) CHECK(rate_drift(report) < 1e-11);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

TEST_MAIN(RUNS(affine_bodies_keep_energy_and_rigidity_over_ten_thousand_steps))
