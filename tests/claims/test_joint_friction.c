/* Claim: theory/solvers.md (28b). Friction in joints that follows their reactions, together with frictional
   contacts: a part of the scenes of tests/long/test_joint_friction.c, and two that stopped. */
#include "benches.h"
#include "dry_mechanisms.h"

/* A parallelogram in the plane whose bar falls on the floor with its end. */
static const char parallelogram[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: left, type: planar, mass: 1, inertia: 0.0075, position: [0.15, 0.3]}\n"
    "  - {name: bar, type: planar, mass: 2, inertia: 0.0417, position: [0.55, 0.3],\n"
    "     shapes: [{name: foot, type: sphere, radius: 0.02, position: [0.25, 0, 0]}]}\n"
    "  - {name: right, type: planar, mass: 1, inertia: 0.0075, position: [0.65, 0.3]}\n"
    "ground: {shapes: [{name: floor, type: plane, position: [0, 0.1, 0], orientation: {axis: [1, 0, 0], "
    "angle: "
    "-pi/2}}]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, left], point: [0, 0.3], friction: {coefficient: 0.2, "
    "radius: "
    "0.01}}\n"
    "  - {name: B, type: revolute, bodies: [left, bar], point: [0.3, 0.3], friction: {coefficient: 0.2, "
    "radius: "
    "0.01}}\n"
    "  - {name: C, type: revolute, bodies: [bar, right], point: [0.8, 0.3], friction: {coefficient: 0.2, "
    "radius: "
    "0.01}}\n"
    "  - {name: D, type: revolute, bodies: [ground, right], point: [0.5, 0.3], friction: {coefficient: 0.2, "
    "radius: 0.01}}\n"
    "contacts: [{name: foot, between: [floor, foot], friction: 0.5, restitution: 0.4}]\n";

/* They came to rest with ever smaller bounces, at which friction of joints and foot was not found any more.
   At rest: nothing moves by a thousandth of what gravity would do in one step. */
TEST(a_parallelogram_with_dry_joints_falls_on_its_foot_and_comes_to_rest)
{
    static const char *const schemes[] = {"moreau", "moreau-jean"};
    for (int i = 0; i < 2; i++) {
        bench b = open_bench(parallelogram, schemes[i], 1e-3);
        run_steps(b.simulation, 1000, 1e-3);
        for (int k = 0; k < 9; k++) CHECK_NEAR(tp_simulation_u(b.simulation)[k], 0.0, 1e-3 * 9.81 * 1e-3);
        close_bench(&b);
    }
}

TEST(chains_loops_and_walkers_with_dry_joints_are_solved)
{
    dry_count count = dry_battery(0, 18, 1, 400);
    CHECK_INT(count.unsolved, 0);
    CHECK_INT(count.proven, 0);
}

/* A foot that is to bounce back with restitution 1, in a loop whose friction is more than its impulse brings:
   no case of the laws has a solution (theory/solvers.md (28e)), and the message says so. Where the impact is
   at the start of a step, no part of the step has a solution either. Rounds with sizes held that do not
   settle end after four, or this step takes 29,600 iterations in place of 613. */
TEST(a_jammed_loop_is_proven_to_have_no_solution)
{
    static const char *const schemes[] = {"moreau", "consistent-two-step"};
    for (int i = 0; i < 2; i++) {
        dry_count count = {0};
        dry_run(79, schemes[i], 1e-3, 300, &count);
        dry_run(148, schemes[i], 1e-3, 300, &count);
        CHECK_INT(count.proven, 2);
        CHECK(count.failed_iterations > 0 && count.failed_iterations < 3000);
        CHECK_INT(count.divided, 0);
    }
}

/* A parallelogram that swings through its lowest position: Newton's method alternated between two cases of
   foot and joint, with errors of 1e-7 that counted as rounding. */
TEST(a_swinging_parallelogram_with_one_dry_joint_lands_on_its_foot)
{
    UNUSED_STATE;
    static const char text[] =
        "parameters: {w: 3}\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  - {name: l1, type: planar, mass: 1, inertia: 0.02, position: [0, 0.25], angle: pi/2,\n"
        "     angular_velocity: -w, velocity: [0.25*w, 0]}\n"
        "  - {name: l2, type: planar, mass: 1, inertia: 0.08, position: [0.5, 0.5], velocity: [0.5*w, 0],\n"
        "     shapes: [{name: ball, type: sphere, radius: 0.05, position: [0, -0.1]}]}\n"
        "  - {name: l3, type: planar, mass: 1, inertia: 0.02, position: [1, 0.25], angle: pi/2,\n"
        "     angular_velocity: -w, velocity: [0.25*w, 0]}\n"
        "ground: {shapes: [{name: floor, type: plane, orientation: {axis: [1, 0, 0], angle: -pi/2},\n"
        "                   position: [0, 0.1, 0]}]}\n"
        "joints:\n"
        "  - {name: A, type: revolute, bodies: [ground, l1], point: [0, 0]}\n"
        "  - {name: B, type: revolute, bodies: [l1, l2], point: [0, 0.5]}\n"
        "  - {name: C, type: revolute, bodies: [l2, l3], point: [1, 0.5]}\n"
        "  - {name: D, type: revolute, bodies: [ground, l3], point: [1, 0],\n"
        "     friction: {coefficient: 0.2, radius: 0.01}}\n"
        "contacts: [{name: foot, between: [floor, ball], friction: 0.3, restitution: 0.4}]\n";
    static const double steps[] = {1e-3, 9e-4};
    for (int i = 0; i < 2; i++) {
        bench b = open_bench(text, "moreau-jean", steps[i]);
        run_steps(b.simulation, (int)(1.0 / steps[i]), steps[i]);
        close_bench(&b);
    }
}

/* A chain whose foot is to bounce back while five joints rub: 605 linear programmes exclude all 972 cases. */
TEST(a_step_with_many_cases_is_proven_to_have_no_solution)
{
    dry_count count = {0};
    dry_run(1236, "moreau", 1e-3, 300, &count);
    CHECK_INT(count.proven, 1);
    CHECK_INT(count.unsolved, 0);
}

/* Loops in space at their dead positions: rows of joints contradict each other by what the step before left
   of their velocities, and the impact stopped at 1.9e-11 and 1.2e-11; theory/consistent.md (17a). The third
   needs it in step 485, where it would stop at 3.7e-11. */
TEST(loops_with_dry_joints_pass_their_dead_positions)
{
    dry_count count = {0};
    dry_run(52, "consistent-two-step", 1e-3, 110, &count);
    dry_run(100, "consistent-two-step", 1e-3, 130, &count);
    dry_run(97, "consistent-two-step", 1e-3, 490, &count);
    CHECK_INT(count.unsolved + count.proven, 0);
}

/* A parallelogram that dry joints lock beside its dead position, with any self-stress: friction of the step
   before, beside reactions of 0, was a bad start, and step 70 took 64 parts. */
TEST(a_locked_parallelogram_is_solved_in_whole_steps)
{
    dry_count count = {0};
    dry_run(55, "consistent-two-step", 1e-3, 100, &count);
    CHECK_INT(count.unsolved + count.proven, 0);
    CHECK_INT(count.divided, 0);
}

/* A chain in space on three feet stopped at E = 1e-9: last digits of the problems with sizes held took the
   work of the search. */
TEST(a_chain_on_three_feet_is_solved)
{
    dry_count count = {0};
    dry_run(1239, "moreau", 1e-3, 620, &count);
    CHECK_INT(count.unsolved + count.proven, 0);
}

/* A chain with three spherical joints: signs of friction in their rows alone did not exclude all cases. */
TEST(a_chain_with_dry_spherical_joints_is_proven_to_have_no_solution)
{
    static const char *const schemes[] = {"moreau", "moreau-jean", "consistent-two-step"};
    dry_count count = {0};
    for (int i = 0; i < 3; i++) dry_run(1341, schemes[i], 1e-3, 300, &count);
    CHECK_INT(count.proven, 3);
    CHECK_INT(count.unsolved, 0);
}

/* Walkers that friction holds on the floor: rebounds of 1e-10 m/s, which no load on their feet brings, were
   no solution and no proof; theory/moreau.md (4a). */
TEST(walkers_that_dry_joints_hold_come_to_rest)
{
    dry_count count = {0};
    dry_run(1367, "moreau", 1e-3, 800, &count);
    dry_run(2117, "moreau", 1e-3, 730, &count);
    CHECK_INT(count.unsolved + count.proven, 0);
}

TEST_MAIN(RUNS(a_chain_with_dry_spherical_joints_is_proven_to_have_no_solution),
          RUNS(walkers_that_dry_joints_hold_come_to_rest),
          RUNS(loops_with_dry_joints_pass_their_dead_positions),
          RUNS(a_locked_parallelogram_is_solved_in_whole_steps), RUNS(a_chain_on_three_feet_is_solved),
          RUNS(a_swinging_parallelogram_with_one_dry_joint_lands_on_its_foot),
          RUNS(a_step_with_many_cases_is_proven_to_have_no_solution),
          RUNS(a_parallelogram_with_dry_joints_falls_on_its_foot_and_comes_to_rest),
          RUNS(chains_loops_and_walkers_with_dry_joints_are_solved),
          RUNS(a_jammed_loop_is_proven_to_have_no_solution))
