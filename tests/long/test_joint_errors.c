/* Claim: projected joints are off by at most 1e-12 m and 1e-12 rad over 1e5 steps, redundant closed loops
 * included. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "joint_errors.h"

enum { STEPS = 100000 };

static void check_both(void **check_state_, joint_errors errors)
{
    CHECK(errors.position <= 1e-12);
    CHECK(errors.angle <= 1e-12);
}

TEST(a_spherical_pendulum)
{
    for (int kind = TP_PROJECTION_VELOCITIES; kind <= TP_PROJECTION_COORDINATES; kind++) {
        check_both(check_state_, errors_of_pendulum("moreau", (tp_projection_kind)kind, STEPS));
        check_both(check_state_, errors_of_pendulum("moreau-jean", (tp_projection_kind)kind, STEPS));
    }
}

TEST(a_closed_loop_of_hinges_in_a_plane_in_space)
{
    for (int kind = TP_PROJECTION_VELOCITIES; kind <= TP_PROJECTION_COORDINATES; kind++) {
        check_both(check_state_, errors_of_loop("moreau", (tp_projection_kind)kind, STEPS));
        check_both(check_state_, errors_of_loop("moreau-jean", (tp_projection_kind)kind, STEPS));
    }
}

/* Its rows are redundant only where the joints hold. */
TEST(the_bricard_mechanism)
{
    tp_scene *scene = read_example("bricard", NULL);
    scene->options.end_time = STEPS * scene->options.time_step;
    tp_simulation *simulation = simulate_scene(scene);
    if (tp_simulation_run(simulation, NULL, NULL, NULL) != TP_OK)
        fail_msg("%s", tp_simulation_report(simulation)->reason);
    const tp_run_report *report = tp_simulation_report(simulation);
    check_both(check_state_, (joint_errors){report->position_drift, report->angle_drift});
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_spherical_pendulum), RUNS(a_closed_loop_of_hinges_in_a_plane_in_space),
          RUNS(the_bricard_mechanism))
