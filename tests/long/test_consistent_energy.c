/* Claim: over 1e4 steps the energy of joints and loops without dissipation is off by at most 1e-12 of the
   energies that take part, and joints by at most 1e-11; docs/theory/consistent.md (13), (18), (R2). */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

enum { STEPS = 10000 };

typedef struct energy_case {
    const char *scene, *edit; /* an edit that leaves no given load; NULL: none */
    double scale;             /* of the energies that take part [J]            */
} energy_case;

/* The scale: what the bodies can fall, or the kinetic energy that they begin with. */
static const energy_case cases[] = {
    {"pendulum-3d", NULL, 38.34 * 9.81 * 0.765}, /* m g l */
    {"heavy-top", NULL, 22.78},                  /* the energy itself */
    {"quadrangle", "parameters.torque=0", 7162.0},
    {"crank", "parameters.torque=0", 70.29 * 9.81 * 0.25}, /* m g of the coupler times half the crank */
    {"bricard", NULL, 29.43},
};

static void run_case(void **check_state_, const energy_case *c, const char *integrator, bool has_rates)
{
    char path[EXAMPLE_PATH];
    tp_scene *scene = NULL;
    tp_message why = {""};
    snprintf(path, sizeof path, TIPPE_SOURCE_DIR "/examples/%s/scene.yaml", c->scene);
    if (tp_scene_read(NULL, path, &c->edit, c->edit != NULL, &scene, &why) != TP_OK) fail_msg("%s", why.text);
    tp_simulation_options options = scene->options;
    options.integrator = integrator;
    options.projection.kind = TP_PROJECTION_NONE;
    options.end_time = STEPS * options.time_step;
    tp_simulation *simulation = simulate_options(scene->model, options);
    const tp_run_report *report = tp_simulation_report(simulation);
    if (tp_simulation_run(simulation, NULL, NULL, NULL) != TP_OK)
        fail_msg("%s, %s: %s", c->scene, integrator, report->reason);
    print_message("%s, %s: energy off by %.2g J of %.4g J, joints by %.2g, %.2g, %.2g\n", c->scene,
                  integrator, report->energy_final - report->energy_initial, c->scale, report->position_drift,
                  report->angle_drift, rate_drift(report));
    CHECK_INT(report->steps, STEPS);
    CHECK_NEAR(report->energy_final, report->energy_initial, 1e-12 * c->scale);
    CHECK(report->largest_energy_increase <= 1e-12 * c->scale);
    CHECK(report->position_drift <= 1e-11 && report->angle_drift <= 1e-11);
    if (has_rates) CHECK(rate_drift(report) <= 1e-11);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Without contacts consistent-elastic, -two-step and -hybrid take the same steps: the test below. */
TEST(energy_and_both_levels_of_joints_are_exact)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_case(check_state_, &cases[i], "consistent", true);
}

TEST(energy_and_positions_of_joints_are_exact_with_quaternions)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_case(check_state_, &cases[i], "consistent-quaternion", false);
}

TEST(schemes_with_contacts_are_as_exact_without_them)
{
    static const char *const names[] = {"consistent-elastic", "consistent-two-step", "consistent-hybrid"};
    for (int k = 0; k < 3; k++) run_case(check_state_, &cases[0], names[k], true);
}

TEST_MAIN(RUNS(energy_and_both_levels_of_joints_are_exact),
          RUNS(energy_and_positions_of_joints_are_exact_with_quaternions),
          RUNS(schemes_with_contacts_are_as_exact_without_them))
