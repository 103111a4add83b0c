/* Kinetic energy of particles against a reference, virtual work and action, ideal constraints;
   docs/theory/calculus.md (11). */
#include "random_fields.h"

#include <string.h>

/* ---- particles ---- */

static const char *const names[] = {"t", "q1", "q2", "u1", "u2"};

/* Positions of two particles of 2 kg and 3 kg in the plane, in turning and growing coordinates: all points
   rest where q follows R = -w x q - s'/s q. */
static const char *const positions[] = {
    "(1 + t^2)*(cos(2*t)*q1 - sin(2*t)*q2)", "(1 + t^2)*(sin(2*t)*q1 + cos(2*t)*q2)",
    "(1 + t^2)*(cos(2*t)*(0.5*q1) - sin(2*t)*(0.5*q2))", "(1 + t^2)*(sin(2*t)*(0.5*q1) + cos(2*t)*(0.5*q2))"};

/* Claims (3.3), (3.4), (5.30): M and R from the positions give the kinetic energy of the particles,
   T = 1/2 (u - R)^T M (u - R), and its gyroscopic terms are those of a free particle: the acceleration in
   space vanishes. */
TEST(kinetic_energy_is_that_of_the_motion_against_the_reference)
{
    check_random random = {41};
    for (int round = 0; round < 5; round++) {
        double point[5], M[4] = {0.0}, R[2], b[2] = {0.0}, T = 0.0;
        tp_chart *chart = NULL;
        ok(tp_chart_create(NULL, 5, names, &chart, NULL));
        for (int i = 0; i < 5; i++) point[i] = check_uniform(&random, -1.0, 1.0);
        tp_chart_move(chart, point);
        for (int k = 0; k < 4; k++) {
            tp_chart_field r;
            ok(tp_chart_form(chart, 0, &positions[k], &r, NULL));
            double mass = k < 2 ? 2.0 : 3.0, *d = r.jet + 1;
            double velocity = d[0] + d[1] * point[3] + d[2] * point[4];
            T += 0.5 * mass * velocity * velocity;
            for (int e = 0; e < 4; e++) M[e] += mass * d[1 + e % 2] * d[1 + e / 2];
            for (int i = 0; i < 2; i++) b[i] -= mass * d[1 + i] * d[0]; /* M R = -dr/dq.dr/dt */
        }
        double det = M[0] * M[3] - M[1] * M[2];
        R[0] = (M[3] * b[0] - M[2] * b[1]) / det;
        R[1] = (M[0] * b[1] - M[1] * b[0]) / det;
        double w[] = {point[3] - R[0], point[4] - R[1]};
        double energy = 0.5 * (M[0] * w[0] * w[0] + 2.0 * M[1] * w[0] * w[1] + M[3] * w[1] * w[1]);
        CHECK_NEAR(energy, T, 1e-13 * (1.0 + T));
        /* R is the field at rest: -2 x q turned, minus the growth */
        double s = 1.0 + point[0] * point[0], grow = 2.0 * point[0] / s;
        CHECK_NEAR(R[0], 2.0 * point[2] - grow * point[1], 1e-13);
        CHECK_NEAR(R[1], -2.0 * point[1] - grow * point[2], 1e-13);
        tp_chart_free(chart);
    }
}

/* ---- virtual action ---- */

/* A pendulum on a spring: T in polar coordinates, forces of gravity and the spring, and a damper. */
static const char *const kinetic = "1/2*(u1^2 + q1^2*u2^2)", *const force[] = {
                                                                 "9.81*cos(q2) - 30*(q1 - 1) - 0.2*u1",
                                                                 "-9.81*q1*sin(q2) - 0.1*u2"};

typedef struct motion {
    tp_chart *chart;
    tp_chart_field T, f[2];
} motion;

static void move(motion *m, double t, const double *y)
{
    const double point[] = {t, y[0], y[1], y[2], y[3]};
    tp_chart_forget(m->chart);
    tp_chart_move(m->chart, point);
    ok(tp_chart_form(m->chart, 0, &kinetic, &m->T, NULL));
    for (int i = 0; i < 2; i++) ok(tp_chart_form(m->chart, 0, &force[i], &m->f[i], NULL));
}

static void rates(motion *m, double t, const double *y, double *out)
{
    move(m, t, y);
    out[0] = y[2];
    out[1] = y[3];
    ok(tp_motion_accelerations(m->chart, &m->T, (const tp_chart_field *[]){&m->f[0], &m->f[1]}, NULL,
                               out + 2));
}

static void step(motion *m, double t, double h, double *y)
{
    static const double part[] = {0.0, 0.5, 0.5, 1.0};
    double k[4][4], at[4];
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 4; i++) at[i] = y[i] + (s > 0 ? part[s] * h * k[s - 1][i] : 0.0);
        rates(m, t + part[s] * h, at, k[s]);
    }
    for (int i = 0; i < 4; i++) y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

/* delta A = int (dT/dq dq + dT/du dq' + f dq) dt with dq = t^2 (1 - t)^2 (c0 + c1 t), by Simpson's rule. */
static double virtual_action(int steps, const double *c, double wrong)
{
    motion m = {0};
    double y[] = {1.1, 0.5, 0.2, -0.3}, sum = 0.0, h = 1.0 / steps;
    ok(tp_chart_create(NULL, 5, names, &m.chart, NULL));
    for (int s = 0; s <= steps; s++) {
        double t = s * h, weight = s == 0 || s == steps ? 1.0 : s % 2 == 1 ? 4.0 : 2.0, value = 0.0;
        move(&m, t, y);
        for (int i = 0; i < 2; i++) {
            double a = c[2 * i], b = c[2 * i + 1], bump = t * t * (1.0 - t) * (1.0 - t),
                   slope = 2.0 * t * (1.0 - t) * (1.0 - 2.0 * t), dq = bump * (a + b * t),
                   rate = slope * (a + b * t) + bump * b;
            value += (m.T.jet[2 + i] + m.f[i].jet[0] + wrong) * dq + m.T.jet[4 + i] * rate;
        }
        sum += weight * h / 3.0 * value;
        if (s < steps) step(&m, t, h, y);
    }
    tp_chart_free(m.chart);
    return sum;
}

/* Claim (3.6): the virtual action of a motion vanishes for all variations that vanish at both ends, with the
   order of the method: 4 here, h^4 = 1.6e-7 at 50 steps, a sixteenth of it at 100. With another force it does
   not: by the mean of the variation, 1/30 of its size. */
TEST(the_virtual_action_of_a_motion_vanishes)
{
    check_random random = {42};
    for (int round = 0; round < 3; round++) {
        double c[4];
        for (int k = 0; k < 4; k++) c[k] = check_uniform(&random, -1.0, 1.0);
        double coarse = virtual_action(50, c, 0.0), fine = virtual_action(100, c, 0.0);
        CHECK(fabs(coarse) < 1e-5 && fabs(fine) < fmax(fabs(coarse) / 8.0, 1e-9));
        c[0] = c[2] = 1.0;
        c[1] = c[3] = 0.5;
        CHECK(fabs(virtual_action(50, c, 0.1)) > 5e-3);
    }
}

/* Claim (3.10), (5.113): with the potentials V and A the equations of L = T - V + A.u are those of T with the
   forces E + B u. */
TEST(a_lagrangian_with_vector_potential_has_the_forces_of_its_potentials)
{
    static const char *const
        T = "1/2*((2 + q2^2)*u1^2 + u2^2 + u1*u2*cos(q1))",
        *const L =
            "1/2*((2 + q2^2)*u1^2 + u2^2 + u1*u2*cos(q1)) - (q1^2*q2 + t*q1) + (q1*q2*t)*u1 + sin(q1 + t)*u2",
        /* E = -(dV/dq + dA/dt), B12 = dA2/dq1 - dA1/dq2 */
            *const f[] = {"-(2*q1*q2 + t + q1*q2) + (cos(q1 + t) - q1*t)*u2",
                          "-(q1^2 + cos(q1 + t)) - (cos(q1 + t) - q1*t)*u1"};
    const double point[] = {0.4, 0.7, -0.5, 0.9, -0.6};
    tp_chart *chart = NULL;
    tp_chart_field kinetic_energy, lagrangian, forces[2];
    double a[2], b[2];
    ok(tp_chart_create(NULL, 5, names, &chart, NULL));
    tp_chart_move(chart, point);
    ok(tp_chart_form(chart, 0, &T, &kinetic_energy, NULL));
    ok(tp_chart_form(chart, 0, &L, &lagrangian, NULL));
    for (int i = 0; i < 2; i++) ok(tp_chart_form(chart, 0, &f[i], &forces[i], NULL));
    ok(tp_motion_accelerations(chart, &kinetic_energy, (const tp_chart_field *[]){&forces[0], &forces[1]},
                               NULL, a));
    ok(tp_motion_accelerations(chart, &lagrangian, NULL, NULL, b));
    for (int i = 0; i < 2; i++) CHECK_NEAR(a[i], b[i], 1e-13);
    tp_chart_free(chart);
}

/* Claim (3.7), Example 5.2: the direction of a two-point interaction along its line is the gradient of the
   distance, w = dg/dq = d.(d r_PQ/du'): in polar coordinates of P and Cartesian ones of Q. */
TEST(the_direction_of_a_force_between_two_points_is_the_gradient_of_their_distance)
{
    static const char *const all[] = {"r", "f", "x", "y"},
                             *const distance = "hypot(x - r*cos(f), y - r*sin(f))",
                             *const along[] = {"x - r*cos(f)", "y - r*sin(f)"};
    const double point[] = {1.2, 0.7, -0.4, 0.9};
    tp_chart *chart = NULL;
    tp_chart_field g, r[2];
    ok(tp_chart_create(NULL, 4, all, &chart, NULL));
    tp_chart_move(chart, point);
    ok(tp_chart_form(chart, 0, &distance, &g, NULL));
    for (int k = 0; k < 2; k++) ok(tp_chart_form(chart, 0, &along[k], &r[k], NULL));
    for (int i = 0; i < 4; i++) {
        double w = 0.0;
        for (int k = 0; k < 2; k++) w += r[k].jet[0] / g.jet[0] * r[k].jet[1 + i];
        CHECK_NEAR(w, g.jet[1 + i], 1e-14);
    }
    tp_chart_free(chart);
}

TEST_MAIN(RUNS(kinetic_energy_is_that_of_the_motion_against_the_reference),
          RUNS(the_virtual_action_of_a_motion_vanishes),
          RUNS(a_lagrangian_with_vector_potential_has_the_forces_of_its_potentials),
          RUNS(the_direction_of_a_force_between_two_points_is_the_gradient_of_their_distance))
