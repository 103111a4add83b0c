/* Springs in place of laws (integrator penalty) against closed forms, against the springs of tippe/set.h and
   against the relaxed law; docs/theory/relaxed-dai.md (16)-(21). */
#include "simulations.h"

#include <stdlib.h>

static tp_simulation *run_springs(const char *model, const char *entries, tp_scene **scene_out)
{
    char text[2048];
    snprintf(text, sizeof text, "%ssimulate: {%s}\n", model, entries);
    *scene_out = scene_of(text);
    tp_simulation *simulation = simulate_options((*scene_out)->model, (*scene_out)->options);
    run(simulation);
    return simulation;
}

/* Coordinate i at the end of a run. */
static double end_of(const char *model, const char *entries, int i)
{
    tp_scene *scene;
    tp_simulation *simulation = run_springs(model, entries, &scene);
    double q = tp_simulation_q(simulation)[i];
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return q;
}

#define PENDULUM_AT(start)                                                                                   \
    "coordinates: [x, y]\nkinetic: \"1/2*(x'^2 + y'^2)\"\npotential: \"9.81*y\"\n"                           \
    "constraints: [{name: rod, position: \"(x^2 + y^2 - 1)/2\"}]\ninitial: {" start "}\n"
#define PENDULUM PENDULUM_AT("y: -1")

/* -K y (y^2 - 1)/2 = m g: y = -1.00097956 for K = 1e4; the relaxed law has no such offset. */
TEST(a_pendulum_hangs_longer_by_its_load_over_the_stiffness)
{
    double y = end_of(PENDULUM,
                      "integrator: penalty, dt: 1e-3, until: 2, penalty_stiffness: 1e4, "
                      "penalty_damping_time: 0.01",
                      1);
    CHECK_NEAR(y, -1.00097956, 5e-9);
    CHECK_NEAR(0.5 * (y * y - 1.0), 9.8004e-4, 5e-9);
    tp_scene *scene; /* a swing stores energy in its spring, which nobody warns of */
    tp_simulation *swing = run_springs(PENDULUM_AT("x: 1"),
                                       "integrator: penalty, dt: 1e-3, until: 2, "
                                       "penalty_stiffness: 1e4, penalty_damping_time: 0.01",
                                       &scene);
    CHECK_INT(tp_simulation_report(swing)->warning_count, 0);
    tp_simulation_free(swing);
    tp_scene_free(scene);
    CHECK_NEAR(end_of(PENDULUM, "integrator: relaxed-dai, dt: 1e-3, until: 0.1", 1), -1.0, 1e-14);
}

#define SLEDGE                                                                                               \
    "coordinates: [x]\nkinetic: \"1/2*x'^2\"\npotential: \"-0.5*x\"\n"                                       \
    "laws: [{name: base, kind: friction, velocity: \"x'\", bound: 1}]\n"

/* Presliding: f/K of T5p, nothing in the relaxed law. Implicit Euler keeps fixed points. */
TEST(friction_of_springs_yields_before_it_slips)
{
    double x = end_of(SLEDGE,
                      "integrator: penalty, dt: 1e-3, until: 8, penalty_stiffness: 1000, "
                      "penalty_damping_time: 0.01",
                      0);
    CHECK_NEAR(x, 0.5 / 1000.0, 5e-4 * exp(-8.0 * 5.0) + 1e-13);
    CHECK_NEAR(end_of(SLEDGE, "integrator: relaxed-dai, dt: 1e-3, until: 0.1", 0), 0.0, 1e-17); /* rounding */
}

/* The mass of T6 dropped on springs, dt halved: order 1 towards the motion that tp_penalty_contact (18) has
   by itself, here in symplectic steps of 1e-6 s (their own error is two thousand times smaller). */
TEST(a_contact_of_springs_has_the_motion_of_its_differential_equation)
{
    static const char mass[] = "coordinates: [y]\nkinetic: \"1/2*y'^2\"\npotential: \"9.81*y\"\n"
                               "contacts: [{name: floor, gap: y}]\ninitial: {y: 0.01}\n";
    const tp_penalty spring = {.stiffness = 1e4, .damping_time = 4e-3, .yielding = 1e-3};
    double y = 0.01, v = 0.0, e = 0.0, h = 1e-6, error[3];
    for (int k = 0; k < 70000; k++) {
        double rate, force = tp_penalty_contact(&spring, y, e, &rate);
        v += h * (force - 9.81);
        y += h * v;
        e += h * rate;
    }
    for (int k = 0; k < 3; k++) {
        char entries[192];
        snprintf(entries, sizeof entries,
                 "integrator: penalty, dt: %g, until: 0.07, penalty_stiffness: 1e4, penalty_damping_time: "
                 "4e-3, penalty_yielding: 1e-3",
                 ldexp(1e-4, -k));
        error[k] = fabs(end_of(mass, entries, 0) - y);
    }
    CHECK(error[0] < 1e-4 && error[2] > 0.0);
    CHECK_NEAR(log2(error[0] / error[1]), 1.0, 0.15);
    CHECK_NEAR(log2(error[1] / error[2]), 1.0, 0.15);
}

#define BLOCK                                                                                                \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies: [{name: box, mass: 2, inertia: [0.02, 0.03, 0.025], position: [0, 0, 0.3], velocity: [1, 0.4, " \
    "0], angular_velocity: [0.3, 1, 2], shapes: [{name: ball, type: sphere, radius: 0.2, position: [0.05, "  \
    "0, 0]}]}]\n"                                                                                            \
    "ground: {shapes: [{name: floor, type: plane}]}\n"                                                       \
    "contacts: [{name: touch, between: [floor, ball], friction: 0.4}]\n"

/* Stiffness 1e30 without damping is the linearly implicit step of the laws themselves: b of (21) is that of
   (4) with delta = dt, zeta = 1/2. */
TEST(stiff_springs_are_the_linearly_implicit_step)
{
    double of[2][7];
    const char *const entries[] = {"integrator: penalty, dt: 1e-3, until: 0.4, penalty_stiffness: 1e30, "
                                   "penalty_damping_time: 0",
                                   "integrator: relaxed-dai, relaxation_steps: linearly-implicit, dt: 1e-3, "
                                   "until: 0.4"};
    for (int k = 0; k < 2; k++) {
        tp_scene *scene;
        tp_simulation *simulation = run_springs(BLOCK, entries[k], &scene);
        memcpy(of[k], tp_simulation_q(simulation), sizeof of[k]);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
    for (int i = 0; i < 7; i++) CHECK_NEAR(of[0][i], of[1][i], 1e-11);
}

/* Half a period of a spring with damping ratio zeta = beta sqrt(K/m)/2 ends where the force does, up to the
   pull of the damper: e is near exp(-pi zeta/sqrt(1 - zeta^2)), 0.85 here, and not that of the contact. */
TEST(springs_rebound_by_their_own_damping_and_a_warning_says_so)
{
    tp_scene *scene;
    tp_simulation *simulation =
        run_springs("coordinates: [y]\nkinetic: \"1/2*y'^2\"\n"
                    "contacts: [{name: floor, gap: y, restitution: 0.2}]\ninitial: {y: 1e-3, y': -1}\n",
                    "integrator: penalty, dt: 1e-6, until: 0.05, penalty_stiffness: 1e4, "
                    "penalty_damping_time: 1e-3",
                    &scene);
    const double e = exp(-acos(-1.0) * 0.05 / sqrt(1.0 - 0.05 * 0.05));
    CHECK_NEAR(tp_simulation_u(simulation)[0], e, 0.02);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK(report->warning_count >= 1);
    CHECK(strcmp(report->warnings[0].name, "restitution-by-damping") == 0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(springs_that_would_gain_energy_are_refused)
{
    tp_scene *scene = scene_of(SLEDGE "simulate: {integrator: penalty, penalty_damping_time: 1e-3, "
                                      "penalty_yielding: 2e-3}\n");
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    CHECK_INT(tp_simulation_create(NULL, scene->model, &scene->options, &simulation, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "penalty_yielding is 0.002 s") != NULL);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_pendulum_hangs_longer_by_its_load_over_the_stiffness),
          RUNS(friction_of_springs_yields_before_it_slips),
          RUNS(a_contact_of_springs_has_the_motion_of_its_differential_equation),
          RUNS(stiff_springs_are_the_linearly_implicit_step),
          RUNS(springs_rebound_by_their_own_damping_and_a_warning_says_so),
          RUNS(springs_that_would_gain_energy_are_refused))
