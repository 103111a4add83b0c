/* Random scenes of every family with every integrator: none stops, none is wrong without a warning. 200 steps
   of each, so that all take some twenty minutes of one processor; TIPPE_BATTERY_STEPS=0 runs them whole. */
#include "battery/battery.h"

TEST(random_scenes_run_with_every_integrator_and_keep_what_it_promises)
{
    battery_plan plan = {.first = 0, .count = 560, .steps_max = 200, .folder = "battery-failures"};
    battery_read_environment(&plan);
    battery_table table = battery_run(&plan);
    battery_print(&table);
    CHECK(battery_passes(&table));
}

TEST_MAIN(RUNS(random_scenes_run_with_every_integrator_and_keep_what_it_promises))
