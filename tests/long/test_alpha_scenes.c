/* Claim: as claims/alpha_scenes, but with so many steps that contacts open and close, stick and slip. */
#define _POSIX_C_SOURCE 200809L
#include "alpha_sweep.h"

TEST(every_example_is_stepped_at_three_step_sizes)
{
    CHECK_INT(alpha_sweep(1e5), 0);
}

/* Boxes that lie on each other at last, whose points come and go; (13a), (13b). The sweep has few steps of
   them. Before rows were those of answers, they overlapped by up to 5.5e-5 m. */
TEST(dominoes_fall_and_lie_on_each_other)
{
    const char *edits[] = {"simulate.integrator=generalized-alpha", "simulate.dt=1e-3",
                           "simulate.until=0.42"};
    tp_scene *scene = read_edited("dominoes", edits, 3);
    tp_simulation *simulation = simulate_scene(scene);
    tp_message why = {""};
    if (tp_simulation_run(simulation, NULL, NULL, &why) != TP_OK) fail_msg("%s", why.text);
    CHECK(tp_simulation_report(simulation)->iterations_mean <= 4.0);
    CHECK(tp_simulation_report(simulation)->penetration <= 1e-12);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(every_example_is_stepped_at_three_step_sizes), RUNS(dominoes_fall_and_lie_on_each_other))
