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

TEST_MAIN(RUNS(fifty_random_scenes_keep_what_the_integrators_promise))
