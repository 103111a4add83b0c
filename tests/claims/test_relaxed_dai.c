/* Figures of relaxed-dai against closed forms; docs/theory/relaxed-dai.md. */
#include "relaxed_runs.h"

/* RK4 steps of h on motions with derivatives of size w^5 over the time T leave about (w h)^4 w T/120; the
   runs below say w h and w T. */
static double rk4_error(double wh, double wT)
{
    return wh * wh * wh * wh * wT / 120.0;
}

/* ---- equality constraints ---- */

#define PENDULUM(start)                                                                                      \
    "coordinates: [x, y]\nkinetic: \"1/2*(x'^2 + y'^2)\"\npotential: \"9.81*y\"\n"                           \
    "constraints: [{name: rod, position: \"(x^2 + y^2 - 1)/2\", unit: m}]\n"                                 \
    "initial: {" start "}\n"

TEST(a_pendulum_has_the_force_of_its_state_whatever_delta_is)
{
    /* on the constraint: lambda = m (g y - |u|^2)/L^2 */
    double force[TP_IMPULSE_ROWS];
    for (double delta = 1e-4; delta < 0.1; delta *= 10.0) {
        forces_at_start(PENDULUM("x: 0.8, y: -0.6, x': 1.5, y': 2"), delta, 1, force);
        CHECK_NEAR(force[0], -9.81 * 0.6 - 6.25, 1e-7); /* rounding of g/delta^2: 1e-16/1e-8 */
    }
}

TEST(a_pendulum_returns_after_its_period_with_its_energy)
{
    const double period = 7.416298709205487 / sqrt(9.81);
    char entries[96];
    double error[2];
    CHECK_NEAR(period, 2.36784, 5e-6);
    for (int fine = 0; fine < 2; fine++) {
        snprintf(entries, sizeof entries, "dt: %.17g, until: %.17g, relaxation_time: 0.1",
                 period / (fine ? 400 : 200), period);
        relaxed_run r = run_relaxed(PENDULUM("x: 1"), entries);
        error[fine] = hypot(q_of(&r, 0) - 1.0, q_of(&r, 1));
        /* the force changes twice as fast as the motion: w = 4.4 rad/s at the bottom and its double */
        CHECK_NEAR(error[fine], 0.0, rk4_error(8.8 * period / (fine ? 400 : 200), 8.8 * period));
        end_relaxed(&r);
    }
    CHECK(log2(error[0] / error[1]) > 3.7 && log2(error[0] / error[1]) < 4.6);
}

/* A simulation that goes on from q and u instead. */
static void go_from(relaxed_run *r, const double *q, const double *u)
{
    tp_restart state;
    tp_simulation_checkpoint(r->simulation, &state);
    state.q = q;
    state.u = u;
    if (tp_simulation_restore(r->simulation, &state, NULL) != TP_OK) fail();
}

/* The error of a position constraint after tau relaxation times, w = sqrt(1 - zeta^2). */
static double decayed(double zeta, double tau, double g, double rate)
{
    if (zeta == 1.0) return exp(-tau) * (g * (1.0 + tau) + rate * tau);
    double w = sqrt(fabs(1.0 - zeta * zeta)), s = zeta < 1.0 ? sin(w * tau) : sinh(w * tau),
           c = zeta < 1.0 ? cos(w * tau) : cosh(w * tau);
    return exp(-zeta * tau) * (g * (c + zeta * s / w) + rate * s / w);
}

/* Claim (5): errors of constraints decay by a law of their own, whatever the motion is; also where the rod
   grows in time. */
TEST(errors_of_positions_decay_by_their_law_for_any_damping)
{
    const char *const models[] = {
        PENDULUM("x: 1"), "coordinates: [x, y]\nkinetic: \"1/2*(x'^2 + y'^2)\"\npotential: \"9.81*y\"\n"
                          "constraints: [{name: rod, position: \"(x^2 + y^2 - (1 + 0.3*sin(2*t)^2)^2)/2\"}]\n"
                          "initial: {x: 1}\n"};
    const double q[] = {0.9, -0.5}, u[] = {0.2, 0.7}, delta = 0.05, t = 0.2;
    const double g = 0.5 * (0.81 + 0.25 - 1.0), rate = 0.9 * 0.2 - 0.5 * 0.7;
    for (int m = 0; m < 2; m++) {
        for (int k = 0; k < 4; k++) {
            const double zeta[] = {0.2, 0.5, 1.0, 1.7};
            char entries[128];
            snprintf(entries, sizeof entries,
                     "dt: 2.5e-4, until: %g, relaxation_time: %g, relaxation_damping: %g", t, delta, zeta[k]);
            relaxed_run r = begin_relaxed(models[m], entries);
            go_from(&r, q, u);
            run(r.simulation);
            double length = m == 0 ? 1.0 : 1.0 + 0.3 * pow(sin(2.0 * t), 2),
                   left = 0.5 * (pow(q_of(&r, 0), 2) + pow(q_of(&r, 1), 2) - length * length);
            /* the fastest mode has 2 zeta/delta at most */
            CHECK_NEAR(left, decayed(zeta[k], t / delta, g, delta * rate),
                       rk4_error(fmax(1.0, 2.0 * zeta[k]) * 2.5e-4 / delta, 8.0));
            end_relaxed(&r);
        }
    }
}

/* Without relaxation (delta far above the time of the run) a constraint holds on accelerations alone: what it
   was off grows with time, g0 + g0' t; Runge-Kutta steps of 1e-3 s have errors of 1e-11. */
TEST(without_relaxation_errors_of_positions_grow_with_time)
{
    relaxed_run r = begin_relaxed(PENDULUM("x: 1"), "dt: 1e-3, until: 0.5, relaxation_time: 1e9");
    const double q[] = {1.1, 0.0}, u[] = {0.2, 0.5};
    go_from(&r, q, u);
    run_steps(r.simulation, 500, 1e-3);
    double g = 0.5 * (q_of(&r, 0) * q_of(&r, 0) + q_of(&r, 1) * q_of(&r, 1) - 1.0);
    CHECK_NEAR(g, 0.105 + 0.22 * 0.5, 1e-10);
    end_relaxed(&r);
}

#define KNIFE                                                                                                \
    "coordinates: [x, y, th]\nkinetic: \"1/2*(x'^2 + y'^2 + 0.1*th'^2)\"\nforces: {x: 4.905}\n"              \
    "constraints: [{name: edge, velocity: \"-sin(th)*x' + cos(th)*y'\"}]\ninitial: {th': 2}\n"

TEST(a_knife_edge_on_a_slope_runs_along_a_cycloid)
{
    relaxed_run r = run_relaxed(KNIFE, "dt: 1e-3, until: 2");
    const double a = 4.905 / 8.0, phase = 4.0, bound = rk4_error(4e-3, 8.0) * 4.905;
    CHECK_NEAR(q_of(&r, 0), a * pow(sin(phase), 2), bound);
    CHECK_NEAR(q_of(&r, 1), a * (phase - 0.5 * sin(2.0 * phase)), bound);
    CHECK_NEAR(q_of(&r, 2), 4.0, 1e-12);
    end_relaxed(&r);
}

TEST(errors_of_velocities_decay_exponentially_beside_position_constraints)
{
    const double q[] = {0.0, 0.0, 0.3}, u[] = {1.0, 0.5, 2.0};
    relaxed_run r =
        begin_relaxed(KNIFE, "dt: 2.5e-4, until: 0.1, relaxation_time: 0.05, relaxation_damping: 0.7");
    go_from(&r, q, u);
    run(r.simulation);
    double left = -sin(q_of(&r, 2)) * u_of(&r, 0) + cos(q_of(&r, 2)) * u_of(&r, 1),
           first = -sin(0.3) * 1.0 + cos(0.3) * 0.5;
    CHECK_NEAR(left, first * exp(-2.0 * 0.7 * 2.0), rk4_error(1.4 * 5e-3, 5.0));
    end_relaxed(&r);
}

/* Claim: theory (10). The linearly implicit step keeps an offset -(dt^2/2) H u of a curved constraint. */
TEST(linearly_implicit_steps_have_order_one_and_their_known_offset)
{
    /* the exact state after 0.5 s, by small Runge-Kutta steps */
    relaxed_run exact = run_relaxed(PENDULUM("x: 1"), "dt: 2.5e-4, until: 0.5");
    double error[2], offset[2];
    for (int fine = 0; fine < 2; fine++) {
        double h = fine ? 1.25e-3 : 2.5e-3;
        char entries[96];
        snprintf(entries, sizeof entries, "relaxation_steps: linearly-implicit, dt: %g, until: 0.5", h);
        relaxed_run r = run_relaxed(PENDULUM("x: 1"), entries);
        error[fine] = hypot(q_of(&r, 0) - q_of(&exact, 0), q_of(&r, 1) - q_of(&exact, 1));
        double speed = hypot(u_of(&r, 0), u_of(&r, 1));
        offset[fine] =
            0.5 * (pow(q_of(&r, 0), 2) + pow(q_of(&r, 1), 2) - 1.0) / (-0.5 * h * h * speed * speed);
        end_relaxed(&r);
    }
    CHECK(log2(error[0] / error[1]) > 0.9 && log2(error[0] / error[1]) < 1.1);
    /* up to O(h), which halves */
    CHECK(fabs(offset[1] - 1.0) < 0.6 * fabs(offset[0] - 1.0) && fabs(offset[0] - 1.0) < 0.1);
    end_relaxed(&exact);
}

/* Claim: theory (20). Constraints hold to rounding, at order 1. */
TEST(implicit_steps_hold_a_constraint_and_have_order_one)
{
    relaxed_run exact = run_relaxed(PENDULUM("x: 1"), "dt: 2.5e-4, until: 0.5");
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        relaxed_run r =
            run_relaxed(PENDULUM("x: 1"), fine ? "relaxation_steps: implicit, dt: 1.25e-3, until: 0.5"
                                               : "relaxation_steps: implicit, dt: 2.5e-3, until: 0.5");
        error[fine] = hypot(q_of(&r, 0) - q_of(&exact, 0), q_of(&r, 1) - q_of(&exact, 1));
        CHECK_NEAR(0.5 * (pow(q_of(&r, 0), 2) + pow(q_of(&r, 1), 2) - 1.0), 0.0, 1e-14);
        end_relaxed(&r);
    }
    CHECK(log2(error[0] / error[1]) > 0.9 && log2(error[0] / error[1]) < 1.1);
    end_relaxed(&exact);
}

/* A stiff spring: omega dt = 100, damped within steps; the mass rests on it by m g/k. */
TEST(implicit_steps_are_stable_with_stiff_forces)
{
    relaxed_run r =
        run_relaxed("coordinates: [y]\nkinetic: \"1/2*y'^2\"\npotential: \"1/2*1e8*y^2 + 9.81*y\"\n"
                    "initial: {y: 1e-3}\n",
                    "relaxation_steps: implicit, dt: 0.01, until: 1");
    CHECK_NEAR(q_of(&r, 0), -9.81e-8, 1e-15);
    end_relaxed(&r);
}

/* ---- contacts without friction ---- */

TEST(stacked_masses_rest_with_exact_forces_and_no_gap)
{
    relaxed_run r = run_relaxed("coordinates: [y1, y2]\nkinetic: \"1/2*(2*y1'^2 + y2'^2)\"\n"
                                "potential: \"9.81*(2*y1 + y2)\"\n"
                                "contacts: [{name: a, gap: y1}, {name: b, gap: y2 - y1}]\n",
                                "dt: 1e-3, until: 0.1");
    double P[TP_IMPULSE_ROWS];
    tp_simulation_last_impulse(r.simulation, 0, P);
    CHECK_NEAR(P[0], 3.0 * 9.81e-3, 1e-15);
    tp_simulation_last_impulse(r.simulation, 1, P);
    CHECK_NEAR(P[0], 9.81e-3, 1e-15);
    /* forces of 60 N per kg are solved to 32 roundings: accelerations of 5e-13 m/s^2, and delta^2 of that */
    CHECK_NEAR(q_of(&r, 0), 0.0, 5e-13 * 1e-4);
    CHECK_NEAR(q_of(&r, 1), 0.0, 5e-13 * 1e-4);
    end_relaxed(&r);
}

TEST(a_mass_leaves_a_sphere_where_the_force_vanishes)
{
    /* cos th = (2/3) cos 0.3 at t = 0.563404; the gap is 0 until then, up to (h/delta)^4 of
       what the relaxation does with accelerations g, g delta^2 */
    const char *model = "coordinates: [x, y]\nkinetic: \"1/2*(x'^2 + y'^2)\"\npotential: \"9.81*y\"\n"
                        "contacts: [{name: ball, gap: \"hypot(x, y) - 1\"}]\n"
                        "initial: {x: sin(0.3), y: cos(0.3)}\n";
    for (int k = 0; k < 2; k++) {
        double delta = k == 0 ? 5e-3 : 5e-2;
        relaxed_run r = begin_relaxed(model, k == 0 ? "dt: 5e-4, until: 1"
                                                    : "dt: 5e-4, until: 1, relaxation_time: 0.05, "
                                                      "relaxation_damping: 0.3");
        double left = 0.0, P[TP_IMPULSE_ROWS] = {1.0};
        while (P[0] > 0.0 && tp_simulation_time(r.simulation) < 0.9) {
            left = tp_simulation_time(r.simulation);
            step_to(r.simulation, left + 5e-4);
            tp_simulation_last_impulse(r.simulation, 0, P);
            if (left < 0.56)
                CHECK_NEAR(hypot(q_of(&r, 0), q_of(&r, 1)), 1.0, pow(5e-4 / delta, 4) * 9.81 * delta * delta);
        }
        CHECK_NEAR(left, 0.563404, 6e-4); /* one step */
        end_relaxed(&r);
    }
}

/* ---- friction with a bound ---- */

#define DISC(mass, bound, f, start)                                                                          \
    "coordinates: [x, y]\nkinetic: \"1/2*" mass "*(x'^2 + y'^2)\"\n" f                                       \
    "laws: [{name: rub, kind: friction, velocity: [\"x'\", \"y'\"], bound: " bound "}]\n"                    \
    "initial: {" start "}\n"

TEST(a_sliding_mass_stops_at_the_exact_distance_of_the_relaxed_law)
{
    /* v0^2/(2a) + a d^2/2 with d = delta/(2 zeta), up to what is left at the end, e^-100 */
    const double delta[] = {0.01, 0.04};
    for (int k = 0; k < 2; k++) {
        char entries[96];
        snprintf(entries, sizeof entries, "dt: 1e-4, until: 3, relaxation_time: %g", delta[k]);
        relaxed_run r = run_relaxed(DISC("1", "1", "", "x': 1"), entries);
        /* one step meets the end of sliding: its acceleration is off by up to a h/d for h */
        CHECK_NEAR(q_of(&r, 0), 0.5 + 0.5 * delta[k] * delta[k], 1e-4 * 1e-4);
        CHECK_NEAR(u_of(&r, 0), 0.0, 1e-15);
        end_relaxed(&r);
    }
}

/* The equation (90) for a mass m: m u' = f - P(f + m u/d), P the nearest point of the disc of radius F. */
static void friction_rate(double m, double F, double d, const double *f, const double *u, double *du)
{
    double p[2], size, part;
    for (int i = 0; i < 2; i++) p[i] = f[i] + m * u[i] / d;
    size = hypot(p[0], p[1]);
    part = size > F ? F / size : 1.0;
    for (int i = 0; i < 2; i++) du[i] = (f[i] - part * p[i]) / m;
}

typedef struct slider {
    double m, F, d, constant[2], turning; /* f = constant + turning (cos t, sin t) */
} slider;

static void rate_at(const slider *s, double t, const double *u, double *du)
{
    const double f[2] = {s->constant[0] + s->turning * cos(t), s->constant[1] + s->turning * sin(t)};
    friction_rate(s->m, s->F, s->d, f, u, du);
}

static void rk4_slide(const slider *s, double h, int steps, double *q, double *u)
{
    for (int n = 0; n < steps; n++) {
        double k[4][2], v[4][2], t = n * h;
        for (int i = 0; i < 4; i++) {
            double part = i == 0 ? 0.0 : (i < 3 ? 0.5 * h : h);
            for (int c = 0; c < 2; c++) v[i][c] = u[c] + (i > 0 ? part * k[i - 1][c] : 0.0);
            rate_at(s, t + part, v[i], k[i]);
        }
        for (int c = 0; c < 2; c++) {
            q[c] += h / 6.0 * (v[0][c] + 2.0 * v[1][c] + 2.0 * v[2][c] + v[3][c]);
            u[c] += h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
        }
    }
}

TEST(planar_friction_is_the_closed_equation_of_its_law)
{
    const struct {
        const char *model, *entries;
        slider s;
        double h, u0[2];
        int steps;
    } cases[] = {{DISC("2", "3", "forces: {x: 1, y: 0.5}\n", "x': -1, y': 2"),
                  "dt: 1e-3, until: 3, relaxation_time: 0.02",
                  {2.0, 3.0, 0.02, {1.0, 0.5}, 0.0},
                  1e-3,
                  {-1.0, 2.0},
                  3000},
                 {DISC("1", "1", "forces: {x: 1.2*cos(t), y: 1.2*sin(t)}\n", "x: 0"),
                  "dt: 1e-3, until: 10, relaxation_time: 0.01",
                  {1.0, 1.0, 0.01, {0.0, 0.0}, 1.2},
                  1e-3,
                  {0.0, 0.0},
                  10000}};
    for (int i = 0; i < 2; i++) {
        double q[2] = {0.0, 0.0}, u[2] = {cases[i].u0[0], cases[i].u0[1]};
        relaxed_run r = run_relaxed(cases[i].model, cases[i].entries);
        rk4_slide(&cases[i].s, cases[i].h, cases[i].steps, q, u);
        for (int k = 0; k < 2; k++) { /* the same steps of the same equation: rounding */
            CHECK_NEAR(q_of(&r, k), q[k], 1e-11);
            CHECK_NEAR(u_of(&r, k), u[k], 1e-11);
        }
        end_relaxed(&r);
    }
}

TEST(friction_holds_a_load_without_creep_and_lets_go_above_its_bound)
{
    relaxed_run held = run_relaxed(DISC("1", "1", "forces: {x: 0.6}\n", "x: 0"), "dt: 1e-3, until: 1");
    /* forces are solved to 1e-14: accelerations of 6e-15 m/s^2, for d at most */
    CHECK_NEAR(u_of(&held, 0), 0.0, 6e-15 * 0.01);
    CHECK_NEAR(q_of(&held, 0), 0.0, 6e-15 * 0.01);
    end_relaxed(&held);
    relaxed_run moved = run_relaxed(DISC("2", "3", "forces: {x: 4.5}\n", "x: 0"), "dt: 1e-3, until: 1");
    /* 0.75 m/s^2 but for the first d, in which friction turns to oppose the motion that begins */
    CHECK_NEAR(u_of(&moved, 0), 0.75, 1e-12);
    end_relaxed(&moved);
    /* at the bound the motion goes on: u' = 0 */
    relaxed_run equal = run_relaxed(DISC("1", "1", "forces: {x: 1}\n", "x': 0.5"), "dt: 1e-3, until: 1");
    CHECK_NEAR(u_of(&equal, 0), 0.5, 1e-12);
    end_relaxed(&equal);
}

/* Claim (3): as delta falls the law acts on the first of gap, velocity and acceleration that is not 0; where
   gap and velocity are 0 the force does not depend on delta. */
TEST(small_relaxation_times_show_the_level_of_the_law)
{
    static const struct {
        const char *start;
        double x[3]; /* gap, velocity, acceleration without force */
    } states[] = {{"y: 0.1, y': -2", {0.1, -2.0, -9.81}},
                  {"y: 0, y': 2", {0.0, 2.0, -9.81}},
                  {"y: 0, y': -2", {0.0, -2.0, -9.81}},
                  {"y: 0", {0.0, 0.0, -9.81}},
                  {"y: -0.1, y': 50", {-0.1, 50.0, -9.81}}};
    for (size_t k = 0; k < sizeof states / sizeof states[0]; k++) {
        double force[3][TP_IMPULSE_ROWS];
        for (int d = 0; d < 3; d++) {
            char model[256];
            snprintf(model, sizeof model,
                     "coordinates: [y]\nkinetic: \"1/2*y'^2\"\npotential: \"9.81*y\"\n"
                     "contacts: [{name: floor, gap: y}]\ninitial: {%s}\n",
                     states[k].start);
            forces_at_start(model, 1e-4 * pow(0.1, d), 1, force[d]);
            CHECK((force[d][0] > 0.0) == (tp_lex_sign(3, states[k].x, 0.0) < 0));
        }
        if (k == 3) CHECK_NEAR(force[2][0], 9.81, 1e-9);
        if (k == 3) CHECK_NEAR(force[0][0], force[2][0], 1e-9);
        if (k == 2) CHECK_NEAR(force[2][0] / force[1][0], 10.0, 1e-3); /* like 2 zeta V/delta */
    }
}

/* Claim: across the end of sliding the order of Runge-Kutta steps is about 2, irregular in the step: steps
   that end with it are left out. */
TEST(the_mean_order_across_stick_and_slip_is_about_two)
{
    enum { STEPS = 8 };
    double mean[2] = {0.0, 0.0};
    for (int fine = 0; fine < 2; fine++) {
        for (int k = 0; k < STEPS; k++) {
            double h = (fine ? 1.25e-4 : 1e-3) * (1.037 + 0.09 * k);
            char entries[128];
            snprintf(entries, sizeof entries, "dt: %.17g, until: 1.5, relaxation_time: 0.01", h);
            relaxed_run r = run_relaxed(DISC("1", "1", "", "x': 1"), entries);
            mean[fine] += log2(fabs(q_of(&r, 0) - 0.50005)) / STEPS;
            end_relaxed(&r);
        }
    }
    double order = (mean[0] - mean[1]) / 3.0; /* steps of an eighth */
    CHECK(order > 1.6 && order < 2.6);
}

TEST_MAIN(RUNS(without_relaxation_errors_of_positions_grow_with_time),
          RUNS(small_relaxation_times_show_the_level_of_the_law),
          RUNS(the_mean_order_across_stick_and_slip_is_about_two),
          RUNS(a_pendulum_has_the_force_of_its_state_whatever_delta_is),
          RUNS(a_pendulum_returns_after_its_period_with_its_energy),
          RUNS(errors_of_positions_decay_by_their_law_for_any_damping),
          RUNS(a_knife_edge_on_a_slope_runs_along_a_cycloid),
          RUNS(errors_of_velocities_decay_exponentially_beside_position_constraints),
          RUNS(linearly_implicit_steps_have_order_one_and_their_known_offset),
          RUNS(implicit_steps_hold_a_constraint_and_have_order_one),
          RUNS(implicit_steps_are_stable_with_stiff_forces),
          RUNS(stacked_masses_rest_with_exact_forces_and_no_gap),
          RUNS(a_mass_leaves_a_sphere_where_the_force_vanishes),
          RUNS(a_sliding_mass_stops_at_the_exact_distance_of_the_relaxed_law),
          RUNS(planar_friction_is_the_closed_equation_of_its_law),
          RUNS(friction_holds_a_load_without_creep_and_lets_go_above_its_bound))
