/* The first random scenes of tests/long/test_battery.c, for fewer steps: what a change must pass. */
#include "battery/battery.h"
#include "simulations.h"

TEST(fifty_random_scenes_keep_what_the_integrators_promise)
{
    battery_plan plan = {.first = 0, .count = 50, .steps_max = 30, .folder = "battery-failures"};
    battery_read_environment(&plan);
    battery_table table = battery_run(&plan);
    battery_print(&table);
    CHECK(battery_passes(&table));
}

/* Went wrong: boxes and balls in a pipe, with restitution 1 and a relaxation time in which they overlap by
   their size. Contacts that pushed missed their law, velocities grew to 1e12 m/s, and the run stopped. */
TEST(relaxed_contacts_that_overlap_deeply_are_resolved_and_run_to_their_end)
{
    const battery_plan plan = {.first = 316, .count = 1, .only = "relaxed-dai", .folder = "battery-failures"};
    battery_table table = battery_run(&plan);
    CHECK(table.rows[tp_integrator_find("relaxed-dai")].steps == 300);
    CHECK(battery_passes(&table));
}

/* Went wrong: linear problems of a wall at rest were solved below rounding, 0.16 s for each step, and the run
   was stopped for its time: 3.4e7 block products in a step. At the rounding floor it takes 3.3e5. */
TEST(a_wall_at_rest_takes_little_work_under_generalized_alpha)
{
    random_scene *random = random_scene_make(157 % random_scene_family_count(), 158);
    tp_scene *scene = scene_of(random->text);
    tp_simulation *simulation = simulate_with(scene->model, "generalized-alpha", 5e-3, 0.02);
    run(simulation);
    double work = tp_simulation_last_step(simulation)->work;
    CHECK(work < 3e6);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    random_scene_free(random);
}

/* Gaps are differences of positions, and their rounding over the square of the relaxation time is what a wall
   at rest knows of its accelerations. Solved below that, a step took 620 iterations. */
TEST(a_wall_at_rest_is_solved_no_better_than_its_gaps_are_known)
{
    random_scene *random = random_scene_make(45 % random_scene_family_count(), 46);
    tp_scene *scene = scene_of(random->text);
    tp_simulation *simulation = simulate_with(scene->model, "relaxed-dai-adaptive", 1e-3, 0.03);
    run(simulation);
    CHECK(tp_simulation_report(simulation)->iterations_mean < 60.0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    random_scene_free(random);
}

TEST_MAIN(RUNS(fifty_random_scenes_keep_what_the_integrators_promise),
          RUNS(relaxed_contacts_that_overlap_deeply_are_resolved_and_run_to_their_end),
          RUNS(a_wall_at_rest_takes_little_work_under_generalized_alpha),
          RUNS(a_wall_at_rest_is_solved_no_better_than_its_gaps_are_known))
