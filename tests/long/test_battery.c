/* Random scenes of every family with every integrator: none stops, none is wrong without a warning. */
#include "battery/battery.h"

TEST(random_scenes_run_with_every_integrator_and_keep_what_it_promises)
{
    battery_plan plan = {.first = 0, .count = 560, .folder = "battery-failures"};
    battery_read_environment(&plan);
    battery_table table = battery_run(&plan);
    battery_print(&table);
    CHECK(battery_passes(&table));
}

TEST_MAIN(RUNS(random_scenes_run_with_every_integrator_and_keep_what_it_promises))
