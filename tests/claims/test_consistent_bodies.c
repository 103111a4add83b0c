/* What theory/consistent.md (21)-(31) claims of rigid bodies: free motion, joints, contacts, the tippe top.
 */
#include "free_body.h"
#include "system/midpoint.h"
#include "tippe_top.h"

#include <float.h>

/* --- free motion */

/* The exact orientation at 2 s and the errors of the specification, two digits. */
TEST(a_free_body_has_the_errors_of_the_specification_and_second_order)
{
    static const struct {
        const char *integrator;
        double error;
    } cases[] = {{"consistent", 8.7e-5},
                 {"consistent-two-step", 8.7e-5},
                 {"consistent-hybrid", 8.7e-5},
                 {"consistent-quaternion", 5.0e-5},
                 {"consistent-quaternion-two-step", 5.0e-5}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            double dt = 0.01 / (1 << fine);
            bench b = open_bench(free_body, cases[k].integrator, dt);
            run_steps(b.simulation, 200 << fine, dt);
            const double *p = tp_simulation_q(b.simulation) + 3;
            error[fine] = free_body_error(b.simulation);
            double square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
            CHECK_NEAR(square, 1.0, 400 * 8.0 * DBL_EPSILON); /* not normalised: roundings of each step */
            const tp_run_report *report = tp_simulation_report(b.simulation);
            CHECK_NEAR(report->energy_final, report->energy_initial, 1e-13);
            close_bench(&b);
        }
        CHECK_NEAR(error[0], cases[k].error, 0.01 * cases[k].error);
        CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.02);
    }
}

/* (21)-(23): q+ - q = dt B(qm) w with the mean quaternion, or the same divided by |qm|^2. */
TEST(positions_at_the_end_satisfy_the_midpoint_relation_exactly)
{
    check_random random = {5};
    tp_scene *scene = scene_of(free_body);
    tp_system *system = NULL;
    tp_arena arena;
    tp_arena_init(&arena, tp_allocator_default());
    CHECK_INT(tp_system_create(NULL, scene->model, &system), TP_OK);
    for (int turning = 0; turning < 2; turning++) {
        tp_midpoint *midpoint;
        CHECK_INT(tp_midpoint_create(&arena, system, (tp_turning)turning, &midpoint), TP_OK);
        for (int trial = 0; trial < 50; trial++) {
            double q[7], u[6], dt = 0.1;
            for (int i = 0; i < 7; i++) q[i] = check_uniform(&random, -1.0, 1.0);
            for (int j = 0; j < 6; j++) u[j] = check_uniform(&random, -8.0, 8.0);
            tp_system_normalise(system, q);
            tp_midpoint_move(midpoint, q, u, dt);
            const double *e = midpoint->q_end;
            tp_quat pm = tp_quat_make(0.5 * (q[3] + e[3]), 0.5 * (q[4] + e[4]), 0.5 * (q[5] + e[5]),
                                      0.5 * (q[6] + e[6]));
            tp_quat rate = tp_quat_rate(pm, tp_vec3_make(u[3], u[4], u[5]));
            double s = turning == TP_TURN_SCALABLE ? tp_quat_dot(pm, pm) : 1.0;
            CHECK_NEAR(e[3] - q[3], dt * rate.w / s, 1e-15 * 8.0);
            CHECK_NEAR(e[4] - q[4], dt * rate.x / s, 1e-15 * 8.0);
            CHECK_NEAR(e[6] - q[6], dt * rate.z / s, 1e-15 * 8.0);
            CHECK_NEAR(e[0] - q[0], dt * u[0], 1e-15 * 8.0);
        }
    }
    const double q[7] = {0.0, 0.0, 0.0, 1.0}, u[6] = {0.0, 0.0, 0.0, 21.0};
    tp_midpoint *midpoint;
    CHECK_INT(tp_midpoint_create(&arena, system, TP_TURN_SCALABLE, &midpoint), TP_OK);
    tp_midpoint_move(midpoint, q, u, 0.1); /* |w| dt > 2: no end */
    CHECK(isnan(midpoint->q_end[3]));
    tp_arena_clear(&arena);
    tp_system_free(system);
    tp_scene_free(scene);
}

/* --- joints */

static const char chain[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: one, mass: 1, inertia: [0.02, 0.03, 0.01], position: [0.5, 0, 0], velocity: [0, 0.5, 0],\n"
    "     angular_velocity: [0, 0, 1]}\n"
    "  - {name: two, mass: 0.6, inertia: [0.02, 0.015, 0.01], position: [1.5, 0, 0], velocity: [0, 1.5, 0],\n"
    "     angular_velocity: [0, 0, 1]}\n"
    "joints:\n"
    "  - {name: pivot, type: spherical, bodies: [ground, one], point: [0, 0, 0]}\n"
    "  - {name: knee, type: universal, bodies: [one, two], point: [1, 0, 0], axis: [0, 1, 0],\n"
    "     second_axis_b: [0, 0, 1]}\n"
    "springs: [{name: coil, bodies: [ground, two], points: [[1, 1, 1], [0.2, 0, 0]], stiffness: 15,\n"
    "     rest_length: 0.5}]\n";

/* Two links in space with a spring: energy to rounding of some 10 J, joints on both levels. */
TEST(a_chain_of_rigid_bodies_keeps_energy_and_joints_on_both_levels)
{
    bench b = open_bench(chain, "consistent", 0.01);
    run_steps(b.simulation, 500, 0.01);
    const tp_run_report *report = tp_simulation_report(b.simulation);
    CHECK_NEAR(report->energy_final, report->energy_initial, 1e-11);
    CHECK(report->largest_energy_increase < 1e-12);
    CHECK(report->position_drift < 1e-13 && report->angle_drift < 1e-13);
    CHECK(rate_drift(report) < 1e-12);
    close_bench(&b);
}

/* One step: energy exact, velocities of joints wrong by O(dt^2). Two: the projection costs O(dt^3) a step,
   O(dt^2)
   ... of energy in all: a factor 8 a halving over a time of some steps, 4 of velocities. */
TEST(quaternion_schemes_hold_joints_on_positions_with_velocities_of_second_order)
{
    double velocity[2], lost[2];
    for (int fine = 0; fine < 2; fine++) {
        double dt = 0.01 / (1 << fine);
        bench b = open_bench(chain, "consistent-quaternion", dt);
        run_steps(b.simulation, 100 << fine, dt);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-11);
        CHECK(report->position_drift < 1e-13 && report->angle_drift < 1e-13);
        velocity[fine] = rate_drift(report);
        close_bench(&b);
        b = open_bench(chain, "consistent-quaternion-two-step", dt);
        run_steps(b.simulation, 100 << fine, dt);
        report = tp_simulation_report(b.simulation);
        lost[fine] = report->energy_initial - report->energy_final;
        CHECK(report->largest_energy_increase < 1e-12);
        CHECK(report->position_drift < 1e-13);
        close_bench(&b);
    }
    CHECK_NEAR(log2(velocity[0] / velocity[1]), 2.0, 0.3);
    CHECK_NEAR(log2(lost[0] / lost[1]), 3.0, 0.3);
}

/* --- contacts */

static const char ball[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: [{name: ball, mass: 2, position: [0, 0, 0.1],\n"
    "          shapes: [{type: sphere, radius: 0.1}]}]\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "contacts: [{name: touch, between: [floor, ball], friction: 0.3, restitution: 0.5}]\n";

/* u* = -delta g dt/2 with delta = (1 - e)/(1 + e) = 1/3, approached like e^k; none of it in two steps. */
TEST(a_resting_ball_sinks_in_one_step_by_the_law_of_the_scheme_and_not_in_two)
{
    const double dt = 1e-3, sink = -9.81 * dt / 2.0 / 3.0;
    bench b = open_bench(ball, "consistent-quaternion", dt);
    run_steps(b.simulation, 60, dt);
    CHECK_NEAR(tp_simulation_u(b.simulation)[2], sink, 1e-15);
    CHECK(tp_simulation_report(b.simulation)->largest_energy_increase <= 0.0);
    close_bench(&b);
    b = open_bench(ball, "consistent-quaternion-two-step", dt);
    run_steps(b.simulation, 60, dt);
    CHECK_NEAR(tp_simulation_q(b.simulation)[2], 0.1, 1e-15);
    close_bench(&b);
}

#define BEFORE_WALL                                                                                          \
    "ground: {shapes: [{name: wall, type: plane, position: [-0.4, 0, 0], orientation: "                      \
    "[0.70710678118654752, "                                                                                 \
    "0, 0.70710678118654752, 0]}]}\n"

/* Links that meet a wall: with the impulses that joints let pass energy never grows, whatever the
 * restitution.
 */
TEST(a_chain_against_a_wall_never_gains_energy_in_any_scheme_for_rigid_bodies)
{
    static const char *const integrators[] = {"consistent-quaternion", "consistent-quaternion-two-step",
                                              "consistent-two-step"};
    static const char *const restitutions[] = {"0", "0.5", "1"};
    for (int k = 0; k < 3; k++) {
        for (int e = 0; e < 3; e++) {
            char text[2048];
            snprintf(text, sizeof text,
                     "gravity: [0, 0, -9.81]\n"
                     "bodies:\n"
                     "  - {name: one, mass: 1, inertia: [0.02, 0.03, 0.01], position: [0.5, 0, 0]}\n"
                     "  - {name: two, mass: 0.6, inertia: [0.02, 0.015, 0.01], position: [1.5, 0, 0],\n"
                     "     shapes: [{name: tip, type: sphere, radius: 0.1, position: [0.4, 0, 0]}]}\n"
                     "joints:\n"
                     "  - {name: pivot, type: spherical, bodies: [ground, one], point: [0, 0, 0]}\n"
                     "  - {name: knee, type: spherical, bodies: [one, two], point: [1, 0, 0]}\n" BEFORE_WALL
                     "contacts: [{name: hit, between: [wall, tip], friction: 0.2, restitution: %s, "
                     "tangential_restitution: %s}]\n",
                     restitutions[e], restitutions[e]);
            bench b = open_bench(text, integrators[k], 0.01);
            run_steps(b.simulation, 200, 0.01);
            const tp_run_report *report = tp_simulation_report(b.simulation);
            CHECK(report->impacts > 0);
            CHECK(report->largest_energy_increase < 1e-11);
            CHECK(report->position_drift < 1e-12);
            close_bench(&b);
        }
    }
}

/* --- the tippe top */

/* Gap of the first landing, constant while closed; -g dt/2 of sinking in one step; figures of the
 * specification. */
TEST(the_tippe_top_keeps_its_gap_in_two_steps_and_sinks_in_one)
{
    double gap;
    bench b = open_bench(tippe_top, "consistent-quaternion-two-step", 1e-3);
    CHECK(worst_loss(&b, 500, 1e-3, &gap) > -1e-16); /* rounding of 1.5e-2 m is 2e-18, some terms */
    CHECK_NEAR(gap, -4.8925e-6, 0.00005e-6);
    CHECK(tp_simulation_report(b.simulation)->largest_energy_increase <= 1e-18);
    close_bench(&b);
    b = open_bench(tippe_top, "consistent-quaternion", 1e-3);
    worst_loss(&b, 1000, 1e-3, &gap);
    CHECK_NEAR(gap, -5.05e-3, 0.005e-3);
    CHECK(tp_simulation_report(b.simulation)->largest_energy_increase <= 1e-18);
    close_bench(&b);
}

/* The scalable body at 1e-3 s, and all schemes at 1e-4 s against the smooth reference 0.5180175 at 0.5 s:
   errors of first order. */
TEST(the_tippe_top_inclines_as_the_specification_says)
{
    double gap;
    bench b = open_bench(tippe_top, "consistent-two-step", 1e-3);
    CHECK(worst_loss(&b, 500, 1e-3, &gap) > -1e-16);
    CHECK_NEAR(gap, -4.8925e-6, 0.00005e-6);
    CHECK_NEAR(inclination(&b), 0.5184, 0.00005);
    CHECK(tp_simulation_report(b.simulation)->largest_energy_increase <= 1e-18);
    close_bench(&b);
    static const char *const integrators[] = {"consistent-two-step", "consistent-quaternion-two-step"};
    for (int k = 0; k < 2; k++) {
        b = open_bench(tippe_top, integrators[k], 1e-4);
        run_steps(b.simulation, 5000, 1e-4);
        CHECK_NEAR(inclination(&b), 0.5180175, 0.0015);
        close_bench(&b);
    }
}

TEST_MAIN(RUNS(a_free_body_has_the_errors_of_the_specification_and_second_order),
          RUNS(positions_at_the_end_satisfy_the_midpoint_relation_exactly),
          RUNS(a_chain_of_rigid_bodies_keeps_energy_and_joints_on_both_levels),
          RUNS(quaternion_schemes_hold_joints_on_positions_with_velocities_of_second_order),
          RUNS(a_resting_ball_sinks_in_one_step_by_the_law_of_the_scheme_and_not_in_two),
          RUNS(a_chain_against_a_wall_never_gains_energy_in_any_scheme_for_rigid_bodies),
          RUNS(the_tippe_top_keeps_its_gap_in_two_steps_and_sinks_in_one),
          RUNS(the_tippe_top_inclines_as_the_specification_says))
