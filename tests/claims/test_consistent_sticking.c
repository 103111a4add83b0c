/* What theory/consistent.md (51)-(61) claims of contacts and friction at rest: what the equations of the
   schemes do to them, that it is said, and that settled ends leave them at rest. */
#include "benches.h"

static const char *const schemes[] = {"consistent-two-step", "consistent-quaternion",
                                      "consistent-quaternion-two-step"};
enum { SCHEMES = sizeof schemes / sizeof schemes[0], ONE_STEP = 1 };

static const double g = 9.81;

static bench open_sticking(const char *text, const char *integrator, double time_step, bool settles)
{
    bench b = prepare_bench(text, integrator, time_step);
    b.scene->options.consistent.settles = settles;
    start_bench(&b);
    return b;
}

static bool warns_of(const tp_simulation *simulation, const char *words)
{
    const tp_run_report *report = tp_simulation_report(simulation);
    for (int k = 0; k < report->warning_count; k++) {
        if (strstr(report->warnings[k].text, words) != NULL) return true;
    }
    return false;
}

/* ---- a block on a slope ---- */

/* A block of 2 kg on a slope of so many degrees, along and across which its coordinates lie. */
static bench slope(const char *integrator, double degrees, double restitution, double speed, bool settles)
{
    char text[512];
    double a = degrees * acos(-1.0) / 180.0;
    snprintf(text, sizeof text,
             "gravity: [%.17g, %.17g]\n"
             "bodies:\n"
             "  - {name: block, type: planar, mass: 2, inertia: 0.1, velocity: [%.17g, 0],\n"
             "     shapes: [{name: sole, type: point}]}\n"
             "ground: {shapes: [{name: floor, type: plane, orientation: {axis: [1, 0, 0], angle: -pi/2}}]}\n"
             "contacts: [{name: touch, between: [floor, sole], friction: 0.5, restitution: %g,\n"
             "            tangential_restitution: %g}]\n",
             g * sin(a), -g * cos(a), speed, restitution, restitution);
    return open_sticking(text, integrator, 1e-2, settles);
}

/* (52), (53): with delta = (1 - e)/(1 + e) it creeps with delta g sin(a) dt/2 and sinks with
   delta g cos(a) dt/2. From rest both speeds are reached by u -> -e u + (1 - e) u_rest/delta..., whose
   distance to the fixed point shrinks by e a step: 0.5^200 is nothing. */
TEST(one_step_for_both_creeps_and_sinks_with_half_of_what_forces_do_in_a_step)
{
    static const double restitutions[] = {0.0, 0.5};
    for (int k = 0; k < 2; k++) {
        double e = restitutions[k], delta = (1.0 - e) / (1.0 + e), a = acos(-1.0) / 9.0;
        bench b = slope("consistent-quaternion", 20.0, e, 0.0, false);
        run_steps(b.simulation, 200, 1e-2);
        const double *u = tp_simulation_u(b.simulation);
        CHECK_NEAR(u[0], delta * g * sin(a) * 0.5e-2, 1e-13);
        CHECK_NEAR(u[1], -delta * g * cos(a) * 0.5e-2, 1e-13);
        CHECK(warns_of(b.simulation, "'touch' creeps"));
        CHECK(warns_of(b.simulation, "'touch' sinks"));
        close_bench(&b);
    }
}

/* 20 degrees are below the angle of friction, 26.6. */
TEST(with_settled_ends_a_block_stays_on_a_slope_below_the_angle_of_friction)
{
    for (int k = 0; k < 2 * SCHEMES; k++) {
        bench b = slope(schemes[k / 2], 20.0, k % 2 == 0 ? 0.0 : 0.5, 0.0, true);
        run_steps(b.simulation, 1000, 1e-2);
        const double *q = tp_simulation_q(b.simulation), *u = tp_simulation_u(b.simulation);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(q[i], 0.0, 1e-14); /* 1000 roundings of positions below 1e-17 */
            CHECK_NEAR(u[i], 0.0, 1e-14);
        }
        CHECK_INT(tp_simulation_report(b.simulation)->warning_count, 0);
        close_bench(&b);
    }
}

/* Above it the force along the slope is constant, and the midpoint rule is exact for it. */
TEST(with_settled_ends_a_block_slides_down_a_steeper_slope_as_it_should)
{
    double a = acos(-1.0) / 6.0, force = g * (sin(a) - 0.5 * cos(a));
    for (int k = 0; k < SCHEMES; k++) {
        bench b = slope(schemes[k], 30.0, 0.0, 0.0, true);
        run_steps(b.simulation, 100, 1e-2);
        CHECK_NEAR(tp_simulation_q(b.simulation)[0], 0.5 * force, 1e-13);
        CHECK_NEAR(tp_simulation_u(b.simulation)[0], force, 1e-13);
        close_bench(&b);
    }
}

/* A sledge of speed v on flat ground stops after v^2/(2 mu g). For the speed v_r < a dt of the last step the
   exact way is v_r^2/(2 a), that of the step 0 for v_r < a dt/2 and v_r dt - a dt^2/2 above: the difference
   is at most a dt^2/8. */
TEST(with_settled_ends_a_sledge_stops_where_it_should_and_stays_there)
{
    double a = 0.5 * g;
    for (int k = 0; k < 4 * SCHEMES; k++) {
        double v = 0.20 + 0.013 * (k % 4);
        bench b = slope(schemes[k / 4], 0.0, 0.0, v, true);
        run_steps(b.simulation, 20, 1e-2);
        CHECK_NEAR(tp_simulation_q(b.simulation)[0], 0.5 * v * v / a, a * 1e-4 / 8.0);
        CHECK_NEAR(tp_simulation_u(b.simulation)[0], 0.0, 1e-14);
        close_bench(&b);
    }
}

/* (54) */
TEST(friction_that_holds_in_two_steps_changes_the_sign_of_a_velocity_for_ever)
{
    for (int k = 0; k < SCHEMES; k++) {
        if (k == ONE_STEP) continue;
        bench b = slope(schemes[k], 0.0, 0.0, 0.02, false); /* below a dt/2 */
        for (int i = 1; i <= 100; i++) {
            step_to(b.simulation, 1e-2 * i);
            CHECK_NEAR(tp_simulation_u(b.simulation)[0], i % 2 == 0 ? 0.02 : -0.02, 1e-13);
        }
        CHECK(warns_of(b.simulation, "'touch' sticks with a velocity of 0.02"));
        close_bench(&b);
    }
}

/* 5e-4 m/s are 0.5 % of what weight does in a step, g dt: the swing is there, and not worth a warning. */
TEST(a_swing_far_below_what_forces_do_in_a_step_is_not_warned_of)
{
    for (int k = 0; k < SCHEMES; k++) {
        if (k == ONE_STEP) continue;
        bench b = slope(schemes[k], 0.0, 0.0, 5e-4, false);
        run_steps(b.simulation, 100, 1e-2);
        CHECK_NEAR(fabs(tp_simulation_u(b.simulation)[0]), 5e-4, 1e-13);
        CHECK(!warns_of(b.simulation, "sticks with a velocity"));
        close_bench(&b);
    }
}

/* ---- a brake whose bound is a force ---- */

#define BRAKE                                                                                                \
    "coordinates: [x, y]\n"                                                                                  \
    "kinetic: \"1/2*(1e-4*x'^2 + y'^2)\"\n"                                                                  \
    "laws: [{name: brake, kind: friction, velocity: [\"x'\", \"y'\"], bound: 1000}]\n"                       \
    "initial: {x': 1, y': 1}\n"

/* A brake of 1000 N stops 1 kg with 1 m/s in 1 ms: within a step of 10 ms. */
TEST(a_brake_that_holds_stops_both_sledges_with_settled_ends_and_swings_without)
{
    for (int k = 0; k < SCHEMES; k++) {
        for (int settles = 0; settles < 2; settles++) {
            bench b = open_sticking(BRAKE, schemes[k], 1e-2, settles);
            run_steps(b.simulation, 20, 1e-2);
            const double *u = tp_simulation_u(b.simulation);
            bool swings = !settles && k != ONE_STEP;
            CHECK_NEAR(fabs(u[0]), swings ? 1.0 : 0.0, 1e-12);
            CHECK_NEAR(fabs(u[1]), swings ? 1.0 : 0.0, 1e-12);
            CHECK(warns_of(b.simulation, "'brake' sticks with a velocity of") == swings);
            close_bench(&b);
        }
    }
}

/* ---- impacts ---- */

#define ROD                                                                                                  \
    "parameters: {al: 1.1071487177940904}\n" /* tan al = 2 */                                                \
    "gravity: [0, -9.81]\n"                                                                                  \
    "bodies:\n"                                                                                              \
    "  - {name: rod, type: planar, mass: 1, inertia: 1/3, position: [cos(al), sin(al)], angle: al,\n"        \
    "     velocity: [-1, 0], shapes: [{name: tip, type: point, position: [-1, 0]}]}\n"                       \
    "ground: {shapes: [{name: floor, type: plane, orientation: {axis: [1, 0, 0], angle: -pi/2}}]}\n"         \
    "contacts: [{name: touch, between: [floor, tip], friction: 1.5}]\n"

/* A rod that drags its tip: friction of 1.5 presses it down faster than the contact lifts it
   (G_NN + mu G_NT = 1.6 - 1.8 < 0), so that only an impulse helps: with G = [1.6, -1.2; -1.2, 3.4] over (N,
   T) it stops the tip, P = (0.3, 0.4), within the cone. Forces add g dt times 1 and moments 3 g dt, by theory
   of impacts nothing; ten times that is allowed. In two steps the tip is held on displacements, u+ = -u:
   twice the impulse (56). */
TEST(an_impact_of_friction_without_a_collision_has_the_impulse_of_the_impact_law_with_settled_ends)
{
    static const double P[] = {0.3, 0.4};
    for (int n = 0; n < 2; n++) {
        double dt = n == 0 ? 1e-4 : 1e-5, bound = 10.0 * g * dt, c = 1.0 / sqrt(5.0);
        for (int k = 0; k < SCHEMES; k++) {
            for (int settles = 0; settles < 2; settles++) {
                bench b = open_sticking(ROD, schemes[k], dt, settles);
                step_to(b.simulation, dt);
                double times = settles || k == ONE_STEP ? 1.0 : 2.0;
                const double *u = tp_simulation_u(b.simulation);
                double impulse[TP_IMPULSE_ROWS];
                CHECK_INT(tp_simulation_last_impulse(b.simulation, 0, impulse), 2);
                for (int i = 0; i < 2; i++) CHECK_NEAR(impulse[i], times * P[i], bound);
                CHECK_NEAR(u[0], -1.0 + times * P[1], bound);
                CHECK_NEAR(u[1], times * P[0], bound);
                CHECK_NEAR(u[2], times * 3.0 * c * (2.0 * P[1] - P[0]), 3.0 * bound);
                CHECK(warns_of(b.simulation, "without a collision") == (times > 1.0));
                close_bench(&b);
            }
        }
    }
}

/* A ball hits the floor at an angle and slides: u_N+ = -e u_N, u_T+ = u_T - mu (1 + e) |u_N|. In the step of
   the impact gravity adds g dt to the impulse: 2 mu g dt of the speed. */
TEST(a_ball_that_hits_the_floor_at_an_angle_leaves_it_as_the_law_of_impact_says_with_settled_ends)
{
    static const double restitutions[] = {0.0, 0.5, 1.0};
    for (int k = 0; k < 3 * SCHEMES; k++) {
        double e = restitutions[k % 3], dt = 1e-4;
        char text[512];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies: [{name: ball, mass: 2, position: [0, 0, 0.1], velocity: [3, 1, -2],\n"
                 "          shapes: [{type: sphere, radius: 0.1}]}]\n"
                 "ground: {shapes: [{name: floor, type: plane}]}\n"
                 "contacts: [{name: touch, between: [floor, ball], friction: 0.2, restitution: %g,\n"
                 "            tangential_restitution: %g}]\n",
                 e, e);
        bench b = open_sticking(text, schemes[k / 3], dt, true);
        step_to(b.simulation, dt);
        const double *u = tp_simulation_u(b.simulation);
        double speed = hypot(3.0, 1.0), part = (speed - 0.2 * (1.0 + e) * 2.0) / speed;
        CHECK_NEAR(u[0], 3.0 * part, 2.0 * g * dt);
        CHECK_NEAR(u[1], 1.0 * part, 2.0 * g * dt);
        CHECK_NEAR(u[2], e * 2.0, 2.0 * g * dt);
        close_bench(&b);
    }
}

/* ---- what the schemes promise ---- */

#define TUMBLING(normal, tangential)                                                                         \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  - {name: box, shapes: [{type: box, size: [0.2, 0.3, 0.4]}], density: 200, position: [0, 0, "          \
    "0.5],\n"                                                                                                \
    "     orientation: {axis: [1, 2, 0.5], angle: 0.7}, velocity: [1, -0.5, -1], angular_velocity: [3, 5, "  \
    "-4]}\n"                                                                                                 \
    "ground: {shapes: [{name: floor, type: plane}]}\n"                                                       \
    "contacts: [{name: touch, between: [floor, box], friction: 0.4, restitution: " normal ",\n"              \
    "            tangential_restitution: " tangential "}]\n"

enum { CORNERS = 8 }; /* laws of the box */

/* A box of 4.8 kg and 35 J that tumbles to rest: ten roundings of its energy a step. A closed gap may not
   shrink: twenty roundings of positions of 0.5 m. */
TEST(settled_ends_never_add_energy_and_keep_closed_gaps)
{
    for (int k = 0; k < 2 * SCHEMES; k++) {
        bench b = open_sticking(k % 2 == 0 ? TUMBLING("0", "0") : TUMBLING("0.4", "0.4"), schemes[k / 2],
                                2e-3, true);
        double worst = 0.0, lost = 0.0;
        int closed = 0;
        for (int i = 1; i <= 1000; i++) {
            double before[CORNERS];
            for (int c = 0; c < CORNERS; c++) before[c] = tp_simulation_gap(b.simulation, c);
            step_to(b.simulation, 2e-3 * i);
            for (int c = 0; c < CORNERS; c++) {
                if (!(before[c] <= b.scene->options.contact_tolerance)) continue;
                worst = fmin(worst, tp_simulation_gap(b.simulation, c) - before[c]);
                closed++;
            }
            for (int c = 0; c < CORNERS; c++) lost += tp_simulation_dissipation(b.simulation, c);
        }
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK_NEAR(lost, report->energy_initial - report->energy_final, 1e-11); /* a thousand roundings */
        CHECK(closed > 100);
        CHECK(worst > -2e-15);
        CHECK(report->largest_energy_increase < 1e-13);
        const double *u = tp_simulation_u(b.simulation);
        for (int j = 0; j < 6; j++) CHECK_NEAR(u[j], 0.0, 1e-9); /* it lies on the floor */
        close_bench(&b);
    }
}

/* (61) holds whatever the restitutions; with (45) alone such a box gains a fifth of its energy in an impact.
 */
TEST(one_step_with_settled_ends_never_gains_with_different_restitutions_either)
{
    bench b = open_sticking(TUMBLING("1", "0"), "consistent-quaternion", 1e-3, true);
    run_steps(b.simulation, 1000, 1e-3);
    CHECK(tp_simulation_report(b.simulation)->largest_energy_increase < 1e-13);
    CHECK_INT(tp_simulation_report(b.simulation)->warning_count, 0);
    close_bench(&b);
}

/* A ring that slides on a rod with a friction of 8 N and carries a pendulum, which starts level. */
#define RING                                                                                                 \
    "gravity: [0, -9.81]\n"                                                                                  \
    "bodies:\n"                                                                                              \
    "  - {name: ring, type: planar, mass: 1, inertia: 0.1, velocity: [0.5, 0]}\n"                            \
    "  - {name: bob, type: planar, mass: 1, inertia: 0.01, position: [0.5, 0], velocity: [0.5, 0]}\n"        \
    "joints:\n"                                                                                              \
    "  - {name: rod, type: prismatic, bodies: [ground, ring], point: [0, 0], axis: [1, 0], friction: "       \
    "{bound: 8}}\n"                                                                                          \
    "  - {name: pin, type: revolute, bodies: [ring, bob], point: [0, 0]}\n"

/* The pull of the pendulum along the rod is up to 3 m g sin cos = 14.7 N: the ring sticks and slips again and
   again. Joints to a hundred roundings. Moreau-jean with steps of 1e-4 s says where the ring is; both are of
   first order with stick and slip, 0.4 s long with about 5 m/s. */
TEST(settled_ends_keep_joints_exact_where_a_ring_sticks_and_slips)
{
    bench fine = open_sticking(RING, "moreau-jean", 1e-4, false);
    run_steps(fine.simulation, 15000, 1e-4);
    double place = tp_simulation_q(fine.simulation)[0];
    close_bench(&fine);
    for (int k = 0; k < SCHEMES; k++) {
        bench b = open_sticking(RING, schemes[k], 1e-3, true);
        run_steps(b.simulation, 1500, 1e-3);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK(report->position_drift < 1e-13);
        if (k == 0) CHECK(report->velocity_drift < 1e-12); /* the others hold positions alone */
        CHECK(report->largest_energy_increase < 1e-13);
        CHECK_NEAR(tp_simulation_q(b.simulation)[0], place, 5e-3);
        close_bench(&b);
    }
}

/* Without sticking nothing is settled: the same bits. */
TEST(settled_ends_change_nothing_in_two_steps_while_contacts_slide)
{
    double end[2][6];
    for (int settles = 0; settles < 2; settles++) {
        bench b = slope("consistent-two-step", 30.0, 0.0, 0.1, settles);
        run_steps(b.simulation, 100, 1e-2);
        memcpy(end[settles], tp_simulation_q(b.simulation), 3 * sizeof(double));
        memcpy(end[settles] + 3, tp_simulation_u(b.simulation), 3 * sizeof(double));
        close_bench(&b);
    }
    for (int i = 0; i < 6; i++) CHECK_NEAR(end[1][i], end[0][i], 0.0);
}

/* ---- what is said beforehand ---- */

TEST(a_report_says_what_the_equations_of_a_scheme_do_to_contacts_at_rest)
{
    for (int k = 0; k < SCHEMES; k++) {
        for (int settles = 0; settles < 2; settles++) {
            bench b = slope(schemes[k], 20.0, 0.0, 0.0, settles);
            const char *caveat = tp_simulation_report(b.simulation)->caveat;
            CHECK((caveat == NULL) == (settles == 1));
            if (!settles) CHECK(strstr(caveat, k == ONE_STEP ? "creep" : "change sign") != NULL);
            close_bench(&b);
        }
    }
    bench elastic = slope("consistent-quaternion", 20.0, 1.0, 0.0, false);
    CHECK(tp_simulation_report(elastic.simulation)->caveat == NULL);
    close_bench(&elastic);
}

TEST(a_scene_asks_for_settled_ends)
{
    static const char *const words[] = {"free", "settled"};
    for (int k = 0; k < 2; k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "coordinates: [x]\nkinetic: \"1/2*x'^2\"\nsimulate: {consistent_sticking: %s}\n", words[k]);
        tp_scene *scene = scene_of(text);
        CHECK(scene->options.consistent.settles == (k == 1));
        tp_scene_free(scene);
    }
    CHECK(!tp_simulation_options_default().consistent.settles);
}

TEST_MAIN(RUNS(one_step_for_both_creeps_and_sinks_with_half_of_what_forces_do_in_a_step),
          RUNS(with_settled_ends_a_block_stays_on_a_slope_below_the_angle_of_friction),
          RUNS(with_settled_ends_a_block_slides_down_a_steeper_slope_as_it_should),
          RUNS(with_settled_ends_a_sledge_stops_where_it_should_and_stays_there),
          RUNS(friction_that_holds_in_two_steps_changes_the_sign_of_a_velocity_for_ever),
          RUNS(a_swing_far_below_what_forces_do_in_a_step_is_not_warned_of),
          RUNS(a_brake_that_holds_stops_both_sledges_with_settled_ends_and_swings_without),
          RUNS(an_impact_of_friction_without_a_collision_has_the_impulse_of_the_impact_law_with_settled_ends),
          RUNS(a_ball_that_hits_the_floor_at_an_angle_leaves_it_as_the_law_of_impact_says_with_settled_ends),
          RUNS(settled_ends_never_add_energy_and_keep_closed_gaps),
          RUNS(one_step_with_settled_ends_never_gains_with_different_restitutions_either),
          RUNS(settled_ends_keep_joints_exact_where_a_ring_sticks_and_slips),
          RUNS(settled_ends_change_nothing_in_two_steps_while_contacts_slide),
          RUNS(a_report_says_what_the_equations_of_a_scheme_do_to_contacts_at_rest),
          RUNS(a_scene_asks_for_settled_ends))
