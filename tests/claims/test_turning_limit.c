/* Claims: theory/consistent.md (23), (47), (48). Steps of the schemes with scalable bodies stay within
   |w| dt <= 2, find their end where there is one, and say what is wrong where there is none. */
#include "benches.h"

#include <math.h>

static const char *const schemes[] = {"consistent", "consistent-elastic", "consistent-two-step",
                                      "consistent-hybrid"};
enum { SCHEME_COUNT = sizeof schemes / sizeof schemes[0] };

/* Three bodies on joints; the spring is stretched by a metre, and omega dt is above 6. */
static const char stiff[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: b0, mass: 1, inertia: [0.02087, 0.02677, 0.02241], position: [0, -0.008, 0.497],\n"
    "     orientation: {axis: [1, 0.99, 0.24], angle: 0.22}, angular_velocity: [-2.721, 2.735, 0.796],\n"
    "     velocity: [1.67, 1.889, 0.618]}\n"
    "  - {name: b1, mass: 1, inertia: [0.02122, 0.02042, 0.0345], position: [0.6, 0.053, 0.283],\n"
    "     orientation: {axis: [1, 0.67, 0.64], angle: 2.69}, angular_velocity: [-3.106, -0.044, -1.526],\n"
    "     velocity: [1.317, 1.508, -0.992]}\n"
    "  - {name: b2, mass: 1, inertia: [0.02438, 0.02566, 0.03385], position: [1.2, 0.083, 0.253],\n"
    "     orientation: {axis: [1, 0.18, 0.64], angle: 1.42}, angular_velocity: [-1.35, -0.39, 1.256],\n"
    "     velocity: [-0.671, -0.649, -1.919]}\n"
    "joints:\n"
    "  - {name: j1, type: cylindrical, bodies: [b0, b1], point: [0.3, 0, 0.3], axis: [0.87, -0.49, 1]}\n"
    "  - {name: j2, type: point-on-plane, bodies: [b1, b2], point: [0.9, 0, 0.3], axis: [-0.66, -0.63, 1]}\n"
    "springs: [{name: s, bodies: [b0, b2], points: [[-0.043, 0.033, 0.087], [-0.005, 0.087, 0.08]],\n"
    "           stiffness: 1e5}]\n"
    "simulate: {project_initial_state: true}\n";

/* Newton's method left the domain in the first step of this, and the run ended as one of a malformed model.
   Energy: 1e-16 of 5e4 J in each of some roundings a step. */
TEST(a_stiff_spring_at_a_large_step_is_solved_and_keeps_its_energy)
{
    for (int k = 0; k < SCHEME_COUNT; k++) {
        bench b = open_bench(stiff, schemes[k], 0.02);
        run_steps(b.simulation, 50, 0.02);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        double rounding = 50 * 32.0 * 2.2e-16 * fabs(report->energy_initial);
        CHECK_NEAR(report->energy_final, report->energy_initial, rounding);
        CHECK(report->position_drift < 1e-13);
        close_bench(&b);
    }
}

static void check_reason(void **check_state_, const tp_run_report *report, const char *body)
{
    CHECK(strstr(report->reason, body) != NULL);
    CHECK(strstr(report->reason, "|w| dt <= 2") != NULL);
    CHECK(strstr(report->reason, "smaller time step") != NULL);
    CHECK(strstr(report->reason, "consistent-quaternion") != NULL);
}

/* |w| dt = 4.4: no mean velocity near w has an end. The start was outside, and its matrix not finite. */
TEST(a_free_body_that_turns_too_fast_is_named)
{
    static const char text[] =
        "bodies: [{name: top, mass: 1, inertia: [1, 2, 2.5], angular_velocity: [0.5, 2, 0.8]}]\n";
    for (int k = 0; k < SCHEME_COUNT; k++) {
        bench b = open_bench(text, schemes[k], 2.0);
        CHECK_INT(tp_simulation_step(b.simulation, 2.0, NULL), TP_NOT_CONVERGED);
        check_reason(check_state_, tp_simulation_report(b.simulation), "body 'top'");
        CHECK_NEAR(tp_simulation_time(b.simulation), 0.0, 0.0); /* the state stays as it was */
        close_bench(&b);
    }
}

/* Random pendulums of two bodies, with steps about the limit: a step is taken, with its energy, or not, and
   then the limit is named. */
TEST(random_steps_about_the_limit_are_taken_with_their_energy_or_named)
{
    check_random random = {23};
    int taken = 0, refused = 0;
    for (int trial = 0; trial < 30; trial++) {
        char text[700];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  - {name: a, mass: 1, inertia: [0.3, 0.4, 0.5], position: [0.5, 0, 0],\n"
                 "     angular_velocity: [%.3f, %.3f, %.3f]}\n"
                 "  - {name: b, type: %s, mass: 1, inertia: [0.3, 0.4, 0.5], position: [1.5, 0, 0],\n"
                 "     angular_velocity: [%.3f, %.3f, %.3f]}\n"
                 "joints:\n"
                 "  - {name: j1, type: spherical, bodies: [ground, a], point: [0, 0, 0]}\n"
                 "  - {name: j2, type: spherical, bodies: [a, b], point: [1, 0, 0]}\n"
                 "simulate: {project_initial_state: true}\n",
                 check_uniform(&random, -9.0, 9.0), check_uniform(&random, -9.0, 9.0),
                 check_uniform(&random, -9.0, 9.0), trial % 3 == 0 ? "scalable" : "rigid",
                 check_uniform(&random, -9.0, 9.0), check_uniform(&random, -9.0, 9.0),
                 check_uniform(&random, -9.0, 9.0));
        bench b = open_bench(text, schemes[trial % SCHEME_COUNT == 1 ? 0 : trial % SCHEME_COUNT], 0.35);
        tp_status status = tp_simulation_step(b.simulation, 0.35, NULL);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK(status == TP_OK || status == TP_NOT_CONVERGED);
        taken += status == TP_OK;
        refused += status != TP_OK;
        if (status == TP_OK)
            CHECK_NEAR(report->energy_final, report->energy_initial, 1e-12 * (1.0 + report->energy_initial));
        else
            check_reason(check_state_, report, "body '");
        close_bench(&b);
    }
    CHECK(taken > 5 && refused > 5); /* both occur */
}

TEST_MAIN(RUNS(a_stiff_spring_at_a_large_step_is_solved_and_keeps_its_energy),
          RUNS(a_free_body_that_turns_too_fast_is_named),
          RUNS(random_steps_about_the_limit_are_taken_with_their_energy_or_named))
