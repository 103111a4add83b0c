/* Claims: theory/problems.md (20)-(22). A step is accepted only where rounding explains what is left of its
   residual, and the report tells by which margin. */
#define _POSIX_C_SOURCE 200809L
#include "benches.h"
#include "examples.h"

#include <math.h>

/* Free bodies that turn by about 2 rad a step: some steps have no solution near the start, and Newton's
   method runs away. Impulses of 1e9 and more once raised the limit to 1e-4, and energies jumped by 14 %.
   Energies of accepted steps are exact up to the roundings of a solved step. */
TEST(steps_that_run_away_stop_and_the_accepted_ones_keep_their_energy)
{
    static const char *const inertias[] = {"[1, 2, 2.9]", "[0.1, 1, 1.05]"};
    static const char *const rates[] = {"[1, 2, 0.1]", "[0.1, 2, 0.05]", "[1, 1, 1.6]"};
    int hard = 0; /* stopped, or taken in parts */
    for (int k = 0; k < 6; k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "bodies: [{name: top, mass: 1, inertia: %s, angular_velocity: %s}]\nsimulate: {until: 60}\n",
                 inertias[k / 3], rates[k % 3]);
        bench b = open_bench(text, "consistent-position", 0.9);
        for (int step = 1; step <= 60; step++) {
            tp_status status = tp_simulation_step(b.simulation, 0.9 * step, NULL);
            hard += status != TP_OK || tp_simulation_last_step(b.simulation)->part_count > 0;
            if (status != TP_OK) break;
        }
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-12 * report->energy_initial);
        CHECK(report->margin_max <= 1.0);
        CHECK(report->residual_max < 1e-11);
        close_bench(&b);
    }
    CHECK(hard > 0); /* else this tests nothing */
}

/* Boxes on top of each other without friction, masses 1 to 100: the answer is at the rounding floor at once,
   and looking for more by all cases took 0.1 s a step. A step is some hundred thousand operations. */
TEST(a_frictionless_stack_takes_no_search_at_the_rounding_floor)
{
    char text[2048], *end = text + snprintf(text, sizeof text, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < 4; k++)
        end += snprintf(end, sizeof text - (size_t)(end - text),
                        "  - {name: b%d, mass: %.15g, position: [0, 0, %.15g],\n"
                        "     shapes: [{type: box, size: [0.3, 0.3, 0.3]}]}\n",
                        k, pow(100.0, k / 3.0), 0.15 + 0.3 * k);
    snprintf(end, sizeof text - (size_t)(end - text),
             "ground: {shapes: [{name: floor, type: plane}]}\n"
             "contacts: [{name: all, among: [ground, b0, b1, b2, b3]}]\nsimulate: {until: 1}\n");
    bench b = open_bench(text, "moreau", 1e-3);
    for (int step = 1; step <= 20; step++) {
        step_to(b.simulation, 1e-3 * step);
        CHECK(tp_simulation_last_step(b.simulation)->work < 1e6);
    }
    const tp_run_report *report = tp_simulation_report(b.simulation);
    CHECK(report->margin_max <= 1.0 && report->penetration < 1e-12);
    close_bench(&b);
}

/* A loop with more joints than it needs, whose positions nobody keeps closed: rows that were redundant at the
   start are left out, so that they cannot come to contradict the others. */
TEST(a_redundant_loop_that_drifts_goes_on)
{
    tp_scene *scene = read_example("bricard", NULL);
    scene->options.integrator = "moreau";
    scene->options.projection.kind = TP_PROJECTION_NONE;
    scene->options.end_time = 0.2;
    tp_simulation *simulation = simulate_scene(scene);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK_INT(report->not_converged, 0);
    CHECK(report->margin_max <= 1.0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* A heavy redundant loop with light members, from rest: its first steps are 5e-6 m long, over which the
   rounding of positions must not become a force. It did: the residual was 2e-5, and the step was lost or
   accepted by a wide limit. Rounding of positions over the velocity of a step is 2e-16 m/(1e-3 s 5e-3 m/s),
   mass ratios of 170 and some hundred rows make 1e-7 of it at most. */
TEST(rounding_over_a_short_step_is_no_force)
{
    static const double masses[] = {0.756, 32.9, 0.245, 42.1, 3.88};
    static const char *const places[] = {"[0.4378, 0, 0]", "[0.8756, -0.4378, 0]",
                                         "[0.8756, -0.8756, 0.4378]", "[0.4378, -0.8756, 0.8756]",
                                         "[0, -0.4378, 0.8756]"};
    static const char *const turns[] = {"[0.70710678118654746, 0, 0.70710678118654746, 0]",
                                        "[0.70710678118654746, 0.70710678118654746, 0, 0]", "[1, 0, 0, 0]",
                                        "[0.70710678118654746, 0, -0.70710678118654746, 0]",
                                        "[0.70710678118654746, -0.70710678118654746, 0, 0]"};
    char text[4096], *end = text + snprintf(text, sizeof text, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < 5; k++)
        end += snprintf(end, sizeof text - (size_t)(end - text),
                        "  - {name: bar%d, mass: %.3g, inertia: [%.3g, %.3g, %.3g], position: %s, "
                        "orientation: %s}\n",
                        k + 1, masses[k], 0.066 * masses[k], 0.066 * masses[k], 0.0038 * masses[k], places[k],
                        turns[k]);
    snprintf(
        end, sizeof text - (size_t)(end - text),
        "joints:\n"
        "  - {name: a, type: revolute, bodies: [ground, bar1], point: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  - {name: b, type: revolute, bodies: [bar1, bar2], point: [0.8756, 0, 0], axis: [0, 0, 1]}\n"
        "  - {name: c, type: revolute, bodies: [bar2, bar3], point: [0.8756, -0.8756, 0], axis: [1, 0, 0]}\n"
        "  - {name: d, type: revolute, bodies: [bar3, bar4], point: [0.8756, -0.8756, 0.8756], axis: [0, 1, "
        "0]}\n"
        "  - {name: e, type: revolute, bodies: [bar4, bar5], point: [0, -0.8756, 0.8756], axis: [0, 0, 1]}\n"
        "  - {name: f, type: revolute, bodies: [bar5, ground], point: [0, 0, 0.8756], axis: [1, 0, 0]}\n"
        "simulate: {until: 1}\n");
    static const char *const integrators[] = {"consistent-position", "consistent", "consistent-two-step"};
    for (int i = 0; i < 3; i++) {
        bench b = open_bench(text, integrators[i], 1e-3);
        for (int step = 1; step <= 10; step++) step_to(b.simulation, 1e-3 * step);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK(report->residual_max <= 1e-7);
        CHECK(fabs(report->energy_final - report->energy_initial) <= 1e-11 * 400.0);
        close_bench(&b);
    }
}

/* Five balls that touch are hit at once. Sweeps gain digits one by one and stop just below their goal: the
   tolerance of a step, and a fiftieth of it for impacts whose energy is balanced (theory/consistent.md). */
TEST(impacts_of_schemes_that_balance_energy_are_solved_fifty_times_sharper)
{
    static const char cradle[] =
        "coordinates: [x1, x2, x3, x4, x5]\n"
        "kinetic: \"1/2*(x1'^2 + x2'^2 + x3'^2 + x4'^2 + x5'^2)\"\n"
        "contacts:\n"
        "  - {name: first, gap: \"x2 - x1 - 0.1\", restitution: 1}\n"
        "  - {name: second, gap: \"x3 - x2 - 0.1\", restitution: 1}\n"
        "  - {name: third, gap: \"x4 - x3 - 0.1\", restitution: 1}\n"
        "  - {name: fourth, gap: \"x5 - x4 - 0.1\", restitution: 1}\n"
        "initial: {x1': 1, x2: 0.1, x3: 0.2, x4: 0.3, x5: 0.4}\nsimulate: {until: 1}\n";
    static const struct {
        const char *integrator;
        double share;
    } cases[] = {{"moreau", 1.0}, {"consistent-two-step", 0.02}};
    const double tolerance = 1e-6;
    for (int k = 0; k < 2; k++) {
        bench b = prepare_bench(cradle, cases[k].integrator, 1e-3);
        b.scene->options.solver = "projected-gauss-seidel";
        b.scene->options.tolerance = tolerance;
        start_bench(&b);
        for (int step = 1; step <= 5; step++) step_to(b.simulation, 1e-3 * step);
        double residual = tp_simulation_report(b.simulation)->residual_max;
        CHECK(residual <= cases[k].share * tolerance);
        CHECK(residual > 0.1 * cases[k].share * tolerance); /* else sweeps are too quick to tell */
        close_bench(&b);
    }
}

TEST_MAIN(RUNS(steps_that_run_away_stop_and_the_accepted_ones_keep_their_energy),
          RUNS(a_frictionless_stack_takes_no_search_at_the_rounding_floor),
          RUNS(a_redundant_loop_that_drifts_goes_on), RUNS(rounding_over_a_short_step_is_no_force),
          RUNS(impacts_of_schemes_that_balance_energy_are_solved_fifty_times_sharper))
