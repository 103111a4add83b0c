/* Options at the ends of their ranges: a run reaches its end, or is refused with the reason. */
#include "simulations.h"

#include <string.h>

static const char falling[] = "coordinates: [z]\nkinetic: \"z'^2/2\"\npotential: \"9.81*z\"\n";

/* Went wrong: a run shorter than 1e-9 of its step took no step at all and said that its end was reached. */
TEST(a_step_far_longer_than_the_run_is_one_step_to_its_end)
{
    static const double steps[] = {0.1, 1e3, 1e15, 1e300};
    static const char *const integrators[] = {"moreau", "moreau-jean", "consistent", "relaxed-dai"};
    tp_scene *scene = scene_of(falling);
    for (int k = 0; k < 4 * 4; k++) {
        tp_simulation *simulation = simulate_with(scene->model, integrators[k / 4], steps[k % 4], 0.05);
        run(simulation);
        CHECK_NEAR(tp_simulation_time(simulation), 0.05, 0.0);
        CHECK_INT((int)tp_simulation_report(simulation)->steps, 1);
        run(simulation); /* is at its end: nothing to do */
        CHECK_INT((int)tp_simulation_report(simulation)->steps, 1);
        tp_simulation_free(simulation);
    }
    tp_scene_free(scene);
}

/* A scheme with steps of one length cannot shorten the last one. */
TEST(a_fixed_step_longer_than_the_run_is_refused)
{
    tp_scene *scene = scene_of(falling);
    tp_simulation_options options = options_of("schatzman-paoli", 1e15, 0.05);
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    CHECK_INT(tp_simulation_create(NULL, scene->model, &options, &simulation, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "steps of one length") != NULL);
    tp_scene_free(scene);
}

/* Went wrong: with a tolerance of 1e3 no contact pushed, and a ball fell through the floor. */
TEST(a_tolerance_that_no_impulse_meets_as_well_is_refused)
{
    static const double wrong[] = {1.0, 1e3, INFINITY, NAN, -1.0};
    tp_scene *scene = scene_of(falling);
    for (int k = 0; k < 5; k++) {
        tp_simulation_options options = options_of("moreau", 1e-3, 0.05);
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        options.tolerance = wrong[k];
        CHECK_INT(tp_simulation_create(NULL, scene->model, &options, &simulation, &why), TP_INVALID_DATA);
        CHECK(strstr(why.text, "tolerance") != NULL);
    }
    tp_scene_free(scene);
}

/* Went wrong: where a scheme found nothing to start from, the reason was "the solver stopped above its
   tolerance" and nothing else. Projections take 1e9 sweeps for a ball under one of 1e9 times its mass. */
TEST(a_start_that_is_not_solved_names_scheme_time_and_law)
{
    static const char text[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: low, mass: 1, position: [0, 0, 0.1], shapes: [{type: sphere, radius: 0.1}]}\n"
        "  - {name: high, mass: 1e9, position: [0, 0, 0.3], shapes: [{type: sphere, radius: 0.1}]}\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "contacts: [{name: under, between: [floor, low]}, {name: over, between: [low, high]}]\n";
    tp_scene *scene = scene_of(text);
    tp_simulation_options options = options_of("schatzman-paoli", 5e-3, 0.05);
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    options.solver = "projected-jacobi";
    CHECK_INT(tp_simulation_create(NULL, scene->model, &options, &simulation, &why), TP_NOT_CONVERGED);
    CHECK(strstr(why.text, "no start for schatzman-paoli at t = 0 s") != NULL);
    CHECK(strstr(why.text, "; the largest error is that of '") != NULL);
    tp_scene_free(scene);
}

/* Went wrong: a chain without a loop was said to be "a loop with redundant joints" that "has drifted apart".
 */
TEST(a_chain_that_is_not_solved_is_not_called_a_loop)
{
    static const char text[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: light, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "  - {name: heavy, mass: 1e9, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
        "joints:\n"
        "  - {name: first, type: spherical, bodies: [ground, light], point: [0, 0, 0]}\n"
        "  - {name: second, type: spherical, bodies: [light, heavy], point: [1.5, 0, 0]}\n";
    tp_scene *scene = scene_of(text);
    tp_simulation_options options = options_of("moreau", 5e-3, 0.05);
    options.solver = "projected-jacobi";
    tp_simulation *simulation = simulate_options(scene->model, options);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_NOT_CONVERGED);
    const char *reason = tp_simulation_report(simulation)->reason;
    CHECK(strstr(reason, "rows of joints are left with") != NULL && strstr(reason, "loop") == NULL);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Went wrong: a loop that was exactly closed, in a first step, was said to have drifted apart. */
TEST(a_closed_loop_that_is_not_solved_is_not_said_to_have_drifted)
{
    static const char text[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: left, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.5]}\n"
        "  - {name: beam, mass: 1e9, inertia: [1, 1, 1], position: [0.5, 0, 1]}\n"
        "  - {name: right, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0.5]}\n"
        "joints:\n"
        "  - {name: a, type: revolute, bodies: [ground, left], point: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  - {name: b, type: revolute, bodies: [left, beam], point: [0, 0, 1], axis: [0, 1, 0]}\n"
        "  - {name: c, type: revolute, bodies: [beam, right], point: [1, 0, 1], axis: [0, 1, 0]}\n"
        "  - {name: d, type: revolute, bodies: [right, ground], point: [1, 0, 0], axis: [0, 1, 0]}\n";
    tp_scene *scene = scene_of(text);
    tp_simulation_options options = options_of("moreau", 5e-3, 0.05);
    options.solver = "projected-jacobi";
    tp_simulation *simulation = simulate_options(scene->model, options);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_NOT_CONVERGED);
    const char *reason = tp_simulation_report(simulation)->reason;
    CHECK(strstr(reason, "step 1 ") != NULL && strstr(reason, "; where a loop") != NULL);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_chain_that_is_not_solved_is_not_called_a_loop),
          RUNS(a_closed_loop_that_is_not_solved_is_not_said_to_have_drifted),
          RUNS(a_start_that_is_not_solved_names_scheme_time_and_law),
          RUNS(a_step_far_longer_than_the_run_is_one_step_to_its_end),
          RUNS(a_fixed_step_longer_than_the_run_is_refused),
          RUNS(a_tolerance_that_no_impulse_meets_as_well_is_refused))
