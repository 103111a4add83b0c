/* Periodic orbits and multipliers of event-driven motions: closed forms, published figures, and differences
   of the motion itself; docs/theory/event-driven.md (31)-(38). */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

#include <stdlib.h>

/* Runs have errors of 1e-12 a step, returns of 1e-9 and derivatives of 1e-12 of their sizes. */
static const double exact = 1e-8;

static tp_orbit *find(tp_scene *scene, tp_orbit_def def)
{
    tp_orbit *orbit = NULL;
    tp_message why = {""};
    if (tp_orbit_find(NULL, scene->model, &scene->options, &def, &orbit, &why) != TP_OK)
        fail_msg("%s", why.text);
    tp_scene_free(scene);
    return orbit;
}

static tp_orbit_def driven(double period, double from)
{
    tp_orbit_def def = tp_orbit_def_default();
    def.period = period;
    def.from = from;
    return def;
}

static const tp_orbit_event *impact_of(const tp_orbit *orbit)
{
    for (int i = 0; i < orbit->event_count; i++) {
        if (orbit->events[i].kind == TP_EVENT_IMPACT) return &orbit->events[i];
    }
    fail_msg("no impact");
    return NULL;
}

/* A ball on a table s = A sin(w t): it leaves with g T/2 in every period T = 2 pi/w, so that the table's
   velocity is g T/2 (1 - e)/(1 + e) then. With the speed v = g T/(1 + e) of the impact and the table's
   acceleration s'' the trace is -2 e + T (1 + e)(g + s'')/v, the determinant e^2. */
TEST(a_ball_on_a_vibrating_table_has_the_multipliers_of_its_closed_form)
{
    static const struct {
        double e, A;
    } cases[] = {{0.5, 0.05}, {0.5, 0.0265}, {0.8, 0.02}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double g = 9.81, w = 20.0, T = 2.0 * acos(-1.0) / w, e = cases[k].e, A = cases[k].A;
        double cosine = g * T / 2.0 * (1.0 - e) / (1.0 + e) / (A * w), speed = g * T / (1.0 + e);
        double impact = acos(cosine) / w, top = A * sin(acos(cosine)), bend = -A * w * w * sin(acos(cosine));
        char text[1024];
        double wait = 0.4 * T; /* from the impact to the start */
        snprintf(text, sizeof text,
                 "name: table\nparameters: {e: %.17g, A: %.17g, w: 20, from: %.17g}\ncoordinates: [y]\n"
                 "kinetic: \"1/2*y'^2\"\npotential: \"9.81*y\"\n"
                 "contacts: [{name: table, gap: \"y - A*sin(w*(t + from))\", restitution: e}]\n"
                 "initial: {y: %.17g, y': %.17g}\nsimulate: {dt: 1e-2, until: 1}\n",
                 e, A, impact + wait, top + wait * g * (T - wait) / 2.0 + 1e-3, g * T / 2.0 - g * wait);
        tp_orbit *orbit = find(scene_of(text), driven(T, 0.0));
        CHECK_INT(orbit->impact_count, 1);
        CHECK(orbit->iterations > 0);
        CHECK_NEAR(impact_of(orbit)->velocity_before, -speed, exact);
        CHECK_NEAR(impact_of(orbit)->time, T - wait, exact);
        double trace = -2.0 * e + T * (1.0 + e) * (g + bend) / speed;
        CHECK_NEAR(orbit->monodromy[0] + orbit->monodromy[3], trace, 10.0 * exact);
        CHECK_NEAR(orbit->determinant, e * e, exact);
        double root = trace * trace / 4.0 - e * e, largest = root < 0.0 ? e : fabs(trace) / 2.0 + sqrt(root);
        CHECK_NEAR(orbit->largest, largest, 100.0 * exact);
        tp_orbit_free(orbit);
    }
}

/* x'' + x = F cos(W t), x >= 0: with c, s = cos, sin T and the phase of the impact
   tan phi = -(1 - e)/(1 + e) (1 - c)/(W s), A = -F cos(phi)/(1 - W^2), the ball leaves with
   V = A (1 - c)/s 2 e/(1 + e), and the trace is -2 e c - s (1 + e) F cos(phi) e/V. */
TEST(a_linear_impact_oscillator_has_the_orbit_and_multipliers_of_its_closed_form)
{
    const double e = 0.8, W = 2.6, F = 3.0, T = 2.0 * acos(-1.0) / W, c = cos(T), s = sin(T);
    double phi = atan(-(1.0 - e) / (1.0 + e) * (1.0 - c) / (W * s)), K = F / (1.0 - W * W), A = -K * cos(phi),
           V = A * (1.0 - c) / s * 2.0 * e / (1.0 + e);
    double wait = 0.3 * T, B = A * (1.0 - c) / s;
    double x = A * cos(wait) + B * sin(wait) + K * cos(W * wait + phi),
           v = -A * sin(wait) + B * cos(wait) - K * W * sin(W * wait + phi);
    char text[1024];
    snprintf(text, sizeof text,
             "name: oscillator\nparameters: {phase: %.17g}\ncoordinates: [x]\nkinetic: \"1/2*x'^2\"\n"
             "potential: \"1/2*x^2 - 3*cos(2.6*t + phase)*x\"\ncontacts: [{name: wall, gap: x, restitution: "
             "0.8}]\n"
             "initial: {x: %.17g, x': %.17g}\nsimulate: {dt: 1e-2, until: 1}\n",
             W * wait + phi, x + 5e-3, v - 5e-3);
    CHECK(V > 0.0);
    tp_orbit *orbit = find(scene_of(text), driven(T, 0.0));
    CHECK_NEAR(orbit->q[0], x, exact);
    CHECK_NEAR(orbit->u[0], v, exact);
    CHECK_NEAR(impact_of(orbit)->velocity_after, V, exact);
    CHECK_NEAR(orbit->monodromy[0] + orbit->monodromy[3], -2.0 * e * c - s * (1.0 + e) * F * cos(phi) * e / V,
               10.0 * exact);
    CHECK_NEAR(orbit->determinant, e * e, exact);
    tp_orbit_free(orbit);
}

/* Without damping the determinant of n impacts is e^(2 n). 358 rpm: three revolutions and eight impacts, the
   fastest with 16.81 m/s; 700 rpm: one revolution and one impact with 90.95 m/s; both attract. 660 rpm is
   chaotic: its orbits repel. */
TEST(the_cam_follower_has_the_periods_impacts_and_determinants_of_every_speed)
{
    /* at 660 rpm the start is within a tenth of a millimetre and 4e-5 of the velocity of an orbit */
    static const struct {
        const char *edit[2];
        double rpm, turns, from, fastest; /* [rpm], revolutions, [s], [m/s] */
        int impacts;
        bool attracts;
    } cases[] = {
        {{"parameters.rpm=358", "initial.u=0.5"}, 358.0, 3.0, 18.0, 16.81, 8, true},
        {{"parameters.rpm=700", "initial.u=0.5"}, 700.0, 1.0, 8.0, 90.95, 1, true},
        {{"parameters.rpm=660", "initial={u: 0.2237, u': 4.152}"}, 660.0, 1.0, 0.0, 10.01, 2, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tp_orbit *orbit = find(read_edited("cam-follower", cases[k].edit, 2),
                               driven(cases[k].turns * 60.0 / cases[k].rpm, cases[k].from));
        double fastest = 0.0;
        for (int i = 0; i < orbit->event_count; i++)
            fastest = fmax(fastest, -orbit->events[i].velocity_before);
        CHECK_INT(orbit->impact_count, cases[k].impacts);
        CHECK_INT(orbit->event_count, cases[k].impacts);
        CHECK_NEAR(fastest, cases[k].fastest, 5e-3);
        CHECK_NEAR(orbit->determinant, pow(0.8, 2.0 * cases[k].impacts), exact);
        CHECK((orbit->largest < 1.0) == cases[k].attracts);
        tp_orbit_free(orbit);
    }
}

/* Period 0.1460 s. Nothing depends on the height, and time may be shifted: two multipliers are 1. Stick and
   two impacts without rebound at either end of the sleeve leave one other, at which errors of the periods
   between the beak's impacts of an independent computation decay. */
TEST(the_woodpecker_has_its_period_and_one_multiplier_that_its_transient_shows)
{
    static const double beak[] = {0.226854065623, 0.372923905024, 0.518821782227, 0.664863815456,
                                  0.810784772849, 0.956807258484, 1.102744493518};
    tp_orbit_def def = tp_orbit_def_default();
    def.is_period_free = true;
    def.event = "impact";
    def.of = "beak";
    def.from = 1.1;
    tp_orbit *orbit = find(read_edited("woodpecker", NULL, 0), def);
    CHECK_NEAR(orbit->period, 0.1460, 5e-5);
    CHECK_INT(orbit->trivial_count, 2);
    CHECK_INT(orbit->impact_count, 5);
    CHECK(orbit->drift[0] < -0.01 && orbit->drift[1] == 0.0 && orbit->drift[2] == 0.0);
    double m = orbit->real[2];
    CHECK(orbit->imaginary[2] == 0.0);
    CHECK_NEAR(fabs(m), orbit->largest, exact);
    /* periods P_n - P = c m^n + d m^2n + ...: over two of them, where c m^n changes its sign twice */
    for (int n = 1; n < 4; n++) {
        double a = beak[n] - beak[n - 1] - orbit->period, b = beak[n + 2] - beak[n + 1] - orbit->period;
        CHECK_NEAR(b / a, m * m, 2e-3);
    }
    for (int i = 3; i < orbit->dimension; i++) CHECK(hypot(orbit->real[i], orbit->imaginary[i]) < exact);
    tp_orbit_free(orbit);
}

/* A belt drags a mass until its static friction of 2 N gives way to 1 N: 0.2 s of stick, half a turn of the
   oscillator and the rest of a turn. The force jumps where it lets go; stick leaves one direction, along
   which time is shifted. */
TEST(the_belt_has_the_period_of_its_closed_form_and_forgets_everything_in_stick)
{
    tp_orbit_def def = tp_orbit_def_default();
    def.is_period_free = true;
    def.event = "slip";
    def.from = 3.0;
    tp_orbit *orbit = find(read_edited("stick-slip-belt", NULL, 0), def);
    CHECK_NEAR(orbit->period, 0.671238898038469, 1e-10);
    CHECK_INT(orbit->event_count, 2);
    CHECK_INT(orbit->trivial_count, 1);
    CHECK_NEAR(orbit->real[0], 1.0, exact);
    CHECK_NEAR(orbit->real[1], 0.0, exact);
    tp_orbit_free(orbit);
}

/* An elastic ball falls 1/2 m on a floor: period 2 sqrt(2 h/g); energy, places and attitudes are free. */
TEST(an_elastic_ball_in_space_has_its_period_and_multipliers_of_one)
{
    tp_orbit_def def = driven(0.64, 0.0);
    def.is_period_free = true;
    tp_orbit *orbit = find(
        scene_of(
            "name: ball\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: b, mass: 2, position: [0, 0, 0.6], shapes: [{name: s, type: sphere, radius: 0.1}]}\n"
            "ground: {shapes: [{name: floor, type: plane}]}\n"
            "contacts: [{name: c, between: [floor, s], restitution: 1}]\nsimulate: {dt: 0.01, until: 1}\n"),
        def);
    double height = orbit->q[2] - 0.1 + orbit->u[2] * orbit->u[2] / (2.0 * 9.81);
    CHECK_NEAR(orbit->period, 2.0 * sqrt(2.0 * height / 9.81), exact);
    CHECK_NEAR(orbit->determinant, 1.0, exact);
    for (int i = 0; i < orbit->dimension; i++) CHECK_NEAR(orbit->real[i], 1.0, 1e-5); /* defective: roots */
    tp_orbit_free(orbit);
}

/* The same ball with its period from the times of impacts: as many as are asked for. */
TEST(a_period_is_the_time_over_so_many_events)
{
    for (int k = 1; k <= 3; k++) {
        tp_orbit_def def = driven(0.0, 3.0);
        def.is_period_free = true;
        def.event = "impact";
        def.event_count = k;
        tp_orbit *orbit = find(scene_of("coordinates: [z]\nkinetic: \"z'^2/2\"\npotential: \"9.81*z\"\n"
                                        "contacts: [{name: floor, gap: z, restitution: 1}]\n"
                                        "initial: {z: 0.5}\nsimulate: {dt: 0.01, until: 5}\n"),
                               def);
        CHECK_NEAR(orbit->period, 2.0 * k * sqrt(2.0 * 0.5 / 9.81), 1e-6);
        CHECK_INT(orbit->impact_count, k);
        tp_orbit_free(orbit);
    }
}

/* Van der Pol's oscillator from a start near its rest, which has every period: steps towards a period of 0,
   with which every motion returns, are divided until they stay within half of the guess. From 5 s the search
   finds the limit cycle, whose period is known to many digits; from less the rest. */
TEST(a_free_period_stays_near_its_guess)
{
    for (int k = 0; k < 3; k++) {
        const double guess = (const double[]){2.0, 3.0, 5.0}[k];
        tp_orbit_def def = driven(guess, 0.0);
        def.is_period_free = true;
        tp_orbit *orbit = find(scene_of("coordinates: [x]\nkinetic: \"x'^2/2\"\npotential: \"x^2/2\"\n"
                                        "forces: {x: \"(1 - x^2)*x'\"}\n"
                                        "initial: {x: 0.5}\nsimulate: {dt: 0.01, until: 1}\n"),
                               def);
        CHECK(fabs(orbit->period - guess) <= 0.5 * guess);
        if (k == 2) CHECK_NEAR(orbit->period, 6.663286859323130, exact);
        tp_orbit_free(orbit);
    }
}

/* A ball slides until it rolls: whatever the friction does, v R + 2/5 R^2 omega of each direction stays, so
   that v = 5/7 v0 +- 2/7 R omega0 in the end. */
TEST(a_ball_that_rolls_forgets_its_slip_in_space)
{
    tp_orbit_def def = driven(0.3, 0.0);
    def.tolerance = 1e6;
    tp_orbit *orbit = find(
        scene_of(
            "name: ball\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: b, mass: 2, position: [0, 0, 0.1001], velocity: [1, 0.3, 0], angular_velocity: "
            "[1, 2, 3], shapes: [{name: s, type: sphere, radius: 0.1}]}\n"
            "ground: {shapes: [{name: floor, type: plane}]}\n"
            "contacts: [{name: c, between: [floor, s], friction: 0.3}]\nsimulate: {dt: 0.01, until: 1}\n"),
        def);
    const double *M = orbit->monodromy; /* x y z, turns, v, omega */
    enum { X, Y, V = 6, W = 9, ALL = 12 };
    CHECK_NEAR(M[(V + X) + (V + X) * ALL], 5.0 / 7.0, exact);
    CHECK_NEAR(M[(V + Y) + (V + Y) * ALL], 5.0 / 7.0, exact);
    CHECK_NEAR(M[(V + Y) + (V + X) * ALL], 0.0, exact);
    CHECK_NEAR(M[(V + X) + (W + Y) * ALL], 2.0 / 7.0 * 0.1, exact);
    CHECK_NEAR(M[(V + Y) + (W + X) * ALL], -2.0 / 7.0 * 0.1, exact);
    CHECK(orbit->instant_count >= 2);
    tp_orbit_free(orbit);
}

/* ---- against differences of the motion ---- */

static void end_of(const tp_model *model, tp_simulation_options options, int moved, double by, double until,
                   double *y_out)
{
    tp_simulation *simulation;
    tp_restart state;
    options.integrator = "event-driven";
    options.rtol = 1e-12;
    options.atol = 1e-13;
    options.time_step = until / 8.0;
    options.end_time = until;
    simulation = simulate_options(model, options);
    tp_simulation_checkpoint(simulation, &state);
    double q[16], u[16];
    memcpy(q, state.q, (size_t)state.q_count * sizeof(double));
    memcpy(u, state.u, (size_t)state.u_count * sizeof(double));
    if (moved < state.q_count)
        q[moved] += by;
    else
        u[moved - state.q_count] += by;
    state.q = q;
    state.u = u;
    state.integrator = "";
    tp_message why = {""};
    if (tp_simulation_restore(simulation, &state, &why) != TP_OK) fail_msg("%s", why.text);
    run(simulation);
    memcpy(y_out, tp_simulation_q(simulation), (size_t)state.q_count * sizeof(double));
    memcpy(y_out + state.q_count, tp_simulation_u(simulation), (size_t)state.u_count * sizeof(double));
    tp_simulation_free(simulation);
}

/* Largest difference of the derivatives of the motion until a time, of models whose u is q'; relative to the
   largest of them. */
static double derivative_error(tp_scene *scene, double until, double step, int *instants_out)
{
    tp_orbit_def def = driven(until, 0.0);
    def.tolerance = 1e6; /* any motion returns so */
    tp_orbit *orbit = NULL;
    tp_message why = {""};
    if (tp_orbit_find(NULL, scene->model, &scene->options, &def, &orbit, &why) != TP_OK)
        fail_msg("%s", why.text);
    double error = 0.0, size = 0.0, ahead[32], behind[32];
    for (int j = 0; j < orbit->dimension; j++) {
        end_of(scene->model, scene->options, j, step, until, ahead);
        end_of(scene->model, scene->options, j, -step, until, behind);
        for (int i = 0; i < orbit->dimension; i++) {
            double slope = (ahead[i] - behind[i]) / (2.0 * step);
            error = fmax(error, fabs(slope - orbit->monodromy[i + j * orbit->dimension]));
            size = fmax(size, fabs(slope));
        }
    }
    *instants_out = orbit->instant_count;
    tp_orbit_free(orbit);
    tp_scene_free(scene);
    return error / size;
}

/* Central differences with 1e-6 have errors of 1e-12 of third derivatives and 1e-12/1e-6 of events. */
TEST(thrown_blocks_change_with_their_start_as_differences_of_the_motion_say)
{
    char text[2048];
    int all = 0, instants;
    for (int k = 0; k < 6; k++) { /* b, h, mu, e, height, angle and velocities */
        snprintf(text, sizeof text,
                 "name: block\nparameters: {b: %g, h: %g, mu: %g, e: %g}\ncoordinates: [x, y, theta]\n"
                 "kinetic: \"1/2*(x'^2 + y'^2 + theta'^2*(b^2 + h^2)/3)\"\npotential: \"9.81*y\"\n"
                 "contacts:\n"
                 "  - {name: left, gap: \"y - b*sin(theta) - h*cos(theta)\", slip: \"x' + (b*sin(theta) + "
                 "h*cos(theta))*theta'\", friction: mu, restitution: e}\n"
                 "  - {name: right, gap: \"y + b*sin(theta) - h*cos(theta)\", slip: \"x' + (h*cos(theta) - "
                 "b*sin(theta))*theta'\", friction: mu, restitution: e}\n"
                 "initial: {y: \"h + b + %g\", theta: %g, x': %g, y': %g, theta': %g}\n"
                 "simulate: {dt: 1e-2, until: 0.4}\n",
                 0.12 + 0.03 * k, 0.3 - 0.03 * k, 0.15 + 0.12 * k, 0.1 * (k % 4), 0.01 * (k + 1),
                 0.35 - 0.13 * k, 0.9 - 0.35 * k, -0.2 - 0.1 * k, 1.7 - 0.6 * k);
        double error = derivative_error(scene_of(text), 0.3, 1e-6, &instants);
        if (error > 1e-4) print_message("block %d: %g, %d instants\n", k, error, instants);
        CHECK(error <= 1e-4);
        all += instants;
    }
    CHECK(all >= 12);
}

/* th'' = M - c th' - sin(th) with M > 1 turns for ever; a full turn is a return, since nothing else than
   sin(th) depends on th. The determinant is exp(-c T) by Liouville's formula, one multiplier is 1, so that
   the other one is the determinant. With a spring of torsion a full turn is none, and no orbit is found. */
TEST(an_angle_that_turns_on_returns_after_a_full_turn)
{
    static const char rotor[] = "coordinates: [th]\nkinetic: \"1/2*th'^2\"\npotential: \"-cos(th)%s\"\n"
                                "forces: {th: \"1.5 - 0.5*th'\"}\ninitial: {th': 3}\n"
                                "simulate: {dt: 1e-2, until: 1}\n";
    const double circle = 2.0 * acos(-1.0);
    char text[1024];
    tp_orbit_def def = driven(circle / 3.0, 60.0);
    def.is_period_free = true;
    snprintf(text, sizeof text, rotor, "");
    tp_orbit *orbit = find(scene_of(text), def);
    CHECK_NEAR(orbit->determinant, exp(-0.5 * orbit->period), exact);
    CHECK_NEAR(orbit->largest, exp(-0.5 * orbit->period), 10.0 * exact);
    CHECK_INT(orbit->trivial_count, 1);
    CHECK_NEAR(orbit->drift[0], circle, 10.0 * exact);
    tp_orbit_free(orbit);
    snprintf(text, sizeof text, rotor, " + 1e-4*th^2");
    tp_scene *scene = scene_of(text);
    tp_message why = {""};
    def.max_iterations = 5;
    CHECK(tp_orbit_find(NULL, scene->model, &scene->options, &def, &orbit, &why) != TP_OK);
    tp_scene_free(scene);
}

/* A rod on a hinge swings over the top: after a turn of 2 pi its quaternion has the other sign. The period is
   the integral of dth/w(th) over the circle, which the trapezoidal rule gives to rounding. */
TEST(a_body_that_turns_on_returns_with_the_other_sign_of_its_quaternion)
{
    const double circle = 2.0 * acos(-1.0), J = 0.05 + 0.09, w = 12.0;
    enum { POINTS = 400 };
    double period = 0.0;
    for (int k = 0; k < POINTS; k++)
        period += circle / POINTS / sqrt(w * w - 2.0 * 9.81 * 0.3 * (1.0 - cos(circle * k / POINTS)) / J);
    tp_scene *scene = scene_of(
        "gravity: [0, 0, -9.81]\n"
        "bodies: [{name: rod, mass: 1, inertia: [0.05, 0.05, 0.05], position: [0, 0, -0.3],\n"
        "          velocity: [-3.6, 0, 0], angular_velocity: [0, 12, 0]}]\n"
        "joints: [{name: hinge, type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: [0, 1, 0]}]\n"
        "simulate: {dt: 1e-2, until: 1}\n");
    tp_orbit_def def = driven(period, 0.0);
    def.is_period_free = true;
    tp_orbit *orbit = find(scene, def);
    CHECK_NEAR(orbit->period, period, exact);
    CHECK(orbit->error <= 1e-9);
    tp_orbit_free(orbit);
}

TEST_MAIN(RUNS(an_angle_that_turns_on_returns_after_a_full_turn),
          RUNS(a_body_that_turns_on_returns_with_the_other_sign_of_its_quaternion),
          RUNS(a_ball_on_a_vibrating_table_has_the_multipliers_of_its_closed_form),
          RUNS(a_linear_impact_oscillator_has_the_orbit_and_multipliers_of_its_closed_form),
          RUNS(the_cam_follower_has_the_periods_impacts_and_determinants_of_every_speed),
          RUNS(the_woodpecker_has_its_period_and_one_multiplier_that_its_transient_shows),
          RUNS(the_belt_has_the_period_of_its_closed_form_and_forgets_everything_in_stick),
          RUNS(an_elastic_ball_in_space_has_its_period_and_multipliers_of_one),
          RUNS(a_period_is_the_time_over_so_many_events), RUNS(a_free_period_stays_near_its_guess),
          RUNS(a_ball_that_rolls_forgets_its_slip_in_space),
          RUNS(thrown_blocks_change_with_their_start_as_differences_of_the_motion_say))
