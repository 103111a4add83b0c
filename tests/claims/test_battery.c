/* The first random scenes of tests/long/test_battery.c, for fewer steps: what a change must pass. */
#include "battery/battery.h"

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

TEST_MAIN(RUNS(fifty_random_scenes_keep_what_the_integrators_promise),
          RUNS(relaxed_contacts_that_overlap_deeply_are_resolved_and_run_to_their_end))
