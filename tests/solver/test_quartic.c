/* One contact, all solutions: the quartic against an angle form written apart from it, against a scan of all
   directions, and against figures computed by hand; docs/theory/one-contact.md. */
#include "dense_problem.h"
#include "math/polynomial.h"
#include "solver/sweeps/one_contact.h"

#include <stdlib.h>

/* ---- the angle form: P_T = r (cos, sin) in the principal axes of the tangential block; symmetric G ---- */

typedef struct angle_form {
    double d1, d2, v[2][2]; /* eigenvalues, rows = eigenvectors */
    double p, e, phi, qb[2], a[2], mu;
} angle_form;

static angle_form make_angle_form(const double *G, const double *c, double mu)
{
    angle_form f = {.mu = mu};
    double half = 0.5 * (G[4] - G[8]), off = G[5], turn = 0.5 * atan2(off, half);
    f.v[0][0] = cos(turn), f.v[0][1] = sin(turn), f.v[1][0] = -sin(turn), f.v[1][1] = cos(turn);
    double radius = hypot(half, off), mean = 0.5 * (G[4] + G[8]), m[2];
    f.d1 = mean + radius, f.d2 = mean - radius;
    for (int k = 0; k < 2; k++) {
        m[k] = f.v[k][0] * G[1] + f.v[k][1] * G[2];
        f.qb[k] = f.v[k][0] * c[1] + f.v[k][1] * c[2];
        f.a[k] = -m[k] / mu;
    }
    f.p = -mu * c[0] / G[0];
    f.e = mu * hypot(m[0], m[1]) / G[0];
    f.phi = atan2(m[1], m[0]);
    return f;
}

/* Slip solutions: roots of the quartic in tan(theta/2), and theta = pi. P_out [3 per solution]. */
static int angle_form_slips(const double *G, const double *c, double mu, double *P_out)
{
    angle_form f = make_angle_form(G, c, mu);
    double A = -f.e * f.qb[1] * cos(f.phi), B = f.e * f.qb[0] * sin(f.phi);
    double C = (f.d1 - f.d2) * f.p + f.e * f.qb[0] * cos(f.phi) - f.e * f.qb[1] * sin(f.phi);
    double D = f.qb[0] - f.p * f.a[0], E = -f.qb[1] + f.p * f.a[1];
    double t[4] = {A + E, 2 * C + 2 * D, 4 * B - 2 * A, 2 * D - 2 * C}, roots[5];
    double poly[5] = {t[0], t[1], t[2], t[3], A - E};
    int count = tp_polynomial_real_roots(4, poly, roots), found = 0;
    for (int k = 0; k < count; k++) {
        double th = 2.0 * atan(roots[k]);
        for (int round = 0; round < 3; round++) { /* polish on the trigonometric equation */
            double s = sin(th), o = cos(th);
            double F = A * o * o + B * s * s + C * s * o + D * s + E * o;
            double dF = 2 * (B - A) * s * o + C * (o * o - s * s) + D * o - E * s;
            if (dF != 0.0) th -= F / dF;
        }
        double s = sin(th), o = cos(th), r = f.p / (1.0 + f.e * cos(th - f.phi));
        double Rb[2] = {r * o, r * s};
        int big = fabs(Rb[0]) > fabs(Rb[1]) ? 0 : 1;
        double alpha = (-f.qb[big] + f.a[big] * r) / Rb[big] - (big == 0 ? f.d1 : f.d2);
        if (!(r > 0.0) || !(alpha > 0.0)) continue;
        P_out[3 * found] = r / mu;
        P_out[3 * found + 1] = f.v[0][0] * Rb[0] + f.v[1][0] * Rb[1];
        P_out[3 * found + 2] = f.v[0][1] * Rb[0] + f.v[1][1] * Rb[1];
        found++;
    }
    return found;
}

/* ---- the scan: for each direction the normal row gives P_N; sign changes of the sideways velocity ---- */

static double sideways(const double *G, const double *c, double mu, double angle, double *P_N, double *along)
{
    double d[2] = {cos(angle), sin(angle)};
    *P_N = -c[0] / (G[0] + mu * (G[3] * d[0] + G[6] * d[1]));
    double P[3] = {*P_N, mu * *P_N * d[0], mu * *P_N * d[1]}, xi[3];
    for (int i = 1; i < 3; i++) xi[i] = c[i] + G[i] * P[0] + G[i + 3] * P[1] + G[i + 6] * P[2];
    *along = d[0] * xi[1] + d[1] * xi[2];
    return -d[1] * xi[1] + d[0] * xi[2];
}

static int scanned_slips(const double *G, const double *c, double mu, int steps)
{
    int found = 0;
    double P_N, along, before = 0.0, before_N = -1.0;
    for (int k = 0; k <= steps; k++) {
        double now = sideways(G, c, mu, 6.283185307179586 * k / steps, &P_N, &along);
        bool crosses = k > 0 && before * now <= 0.0 && before_N > 0.0 && P_N > 0.0 && now != 0.0;
        found += crosses && along < 0.0;
        before = now;
        before_N = P_N;
    }
    return found;
}

/* ---- random contacts ---- */

static void random_contact(check_random *random, double G[9], double c[3])
{
    double B[9];
    for (int i = 0; i < 9; i++) B[i] = check_normal(random);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            G[i + 3 * j] = i == j ? 0.01 : 0.0;
            for (int k = 0; k < 3; k++) G[i + 3 * j] += B[i + 3 * k] * B[j + 3 * k];
        }
    for (int i = 0; i < 3; i++) c[i] = check_normal(random);
}

/* Largest violation of the law, relative to the data. */
static double law_defect(const double *G, const double *c, double mu, double epsilon,
                         const tp_contact_solution *s)
{
    double xi[3], scale = 0.0, defect = 0.0;
    for (int i = 0; i < 3; i++) {
        xi[i] = c[i] + G[i] * s->P[0] + G[i + 3] * s->P[1] + G[i + 6] * s->P[2];
        scale = fmax(scale,
                     fabs(c[i]) + fabs(G[i] * s->P[0]) + fabs(G[i + 3] * s->P[1]) + fabs(G[i + 6] * s->P[2]));
    }
    double T = hypot(s->P[1], s->P[2]), speed = hypot(xi[1], xi[2]);
    if (s->mode == TP_CONTACT_STICK) {
        defect = fmax(hypot(xi[0], speed), fmax(T - mu * s->P[0], -s->P[0]) * scale / (1e-300 + s->P[0]));
    } else if (s->mode == TP_CONTACT_OPEN) {
        defect = fmax(epsilon * mu * speed - xi[0], hypot(s->P[0], T));
    } else {
        defect = fabs(xi[0] - epsilon * mu * speed);
        defect = fmax(defect, fabs(T - mu * s->P[0]) * scale / s->P[0]);
        if (mu > 0.0) defect = fmax(defect, hypot(xi[1] + s->alpha * s->P[1], xi[2] + s->alpha * s->P[2]));
        if (mu > 0.0) defect = fmax(defect, -s->alpha);
    }
    return defect / scale;
}

TEST(the_quartic_agrees_with_the_angle_form_and_satisfies_the_law)
{
    check_random random = {11};
    int multiple = 0;
    for (int trial = 0; trial < 5000; trial++) {
        double G[9], c[3], P[12], mu = check_uniform(&random, 0.05, 1.5);
        tp_contact_solution s[TP_CONTACT_MAX_SOLUTIONS];
        random_contact(&random, G, c);
        int count = tp_contact_all_solutions(G, c, mu, 0.0, s), slips = 0;
        CHECK(count >= 1);       /* G is positive definite */
        CHECK_INT(count % 2, 1); /* generically odd */
        multiple += count > 1;
        for (int k = 0; k < count; k++) {
            CHECK_NEAR(law_defect(G, c, mu, 0.0, &s[k]), 0.0, 1e-13);
            slips += s[k].mode == TP_CONTACT_SLIP;
        }
        int other = angle_form_slips(G, c, mu, P);
        CHECK_INT(other, slips);
        for (int l = 0; l < other; l++) {
            double nearest = 1e300;
            for (int k = 0; k < count; k++) {
                double distance = 0.0;
                for (int i = 0; i < 3; i++) distance = hypot(distance, s[k].P[i] - P[3 * l + i]);
                nearest = fmin(nearest, distance / P[3 * l]);
            }
            CHECK(nearest <= 1e-6); /* the angle form loses half the digits near double roots */
        }
    }
    CHECK(multiple > 0 && multiple < 250);
}

TEST(a_scan_of_all_directions_finds_the_same_number_of_slips)
{
    check_random random = {12};
    int differ = 0;
    for (int trial = 0; trial < 1500; trial++) {
        double G[9], c[3], mu = check_uniform(&random, 0.05, 1.0);
        tp_contact_solution s[TP_CONTACT_MAX_SOLUTIONS];
        random_contact(&random, G, c);
        int count = tp_contact_all_solutions(G, c, mu, 0.0, s), slips = 0;
        for (int k = 0; k < count; k++) slips += s[k].mode == TP_CONTACT_SLIP;
        differ += scanned_slips(G, c, mu, 2000) != slips;
    }
    /* The scan itself errs where two roots fall into one of its steps, or a pole (P_N to infinity) next to
       one: chance of order 1/steps per contact. */
    CHECK(differ <= 3);
}

TEST(unsymmetric_and_epsilon_contacts_satisfy_their_law)
{
    check_random random = {13};
    for (int trial = 0; trial < 3000; trial++) {
        double G[9], c[3], mu = check_uniform(&random, 0.05, 1.2);
        double epsilon = trial % 3 == 0 ? 1.0 : check_uniform(&random, 0.0, 1.0);
        tp_contact_solution s[TP_CONTACT_MAX_SOLUTIONS];
        random_contact(&random, G, c);
        for (int i = 0; i < 9; i++) G[i] += 0.05 * check_normal(&random) * G[0];
        int count = tp_contact_all_solutions(G, c, mu, epsilon, s);
        for (int k = 0; k < count; k++) CHECK_NEAR(law_defect(G, c, mu, epsilon, &s[k]), 0.0, 1e-12);
    }
}

TEST(the_associated_law_of_a_definite_contact_has_one_solution)
{
    check_random random = {14};
    for (int trial = 0; trial < 3000; trial++) {
        double G[9], c[3], mu = check_uniform(&random, 0.05, 3.0);
        tp_contact_solution s[TP_CONTACT_MAX_SOLUTIONS];
        random_contact(&random, G, c);
        CHECK_INT(tp_contact_all_solutions(G, c, mu, 1.0, s), 1);
    }
}

/* Claim: |P_epsilon - P_0| is of first order in epsilon. */
TEST(the_epsilon_family_tends_to_coulomb_with_order_one)
{
    const double G[9] = {15, -1, -2, -1, 14, 1, -2, 1, 16}, c[3] = {-1, 2, 3};
    tp_contact_solution exact[8], s[8];
    CHECK_INT(tp_contact_all_solutions(G, c, 0.1, 0.0, exact), 1);
    double error[2];
    for (int k = 0; k < 2; k++) {
        double epsilon = k == 0 ? 1e-3 : 1e-4;
        CHECK_INT(tp_contact_all_solutions(G, c, 0.1, epsilon, s), 1);
        error[k] =
            hypot(s[0].P[0] - exact[0].P[0], hypot(s[0].P[1] - exact[0].P[1], s[0].P[2] - exact[0].P[2]));
        CHECK_NEAR(s[0].xi[0], epsilon * 0.1 * hypot(s[0].xi[1], s[0].xi[2]), 1e-14);
    }
    CHECK_NEAR(error[0] / error[1], 10.0, 0.05);
}

TEST(the_reference_contact_slides_with_the_printed_figures)
{
    const double G[9] = {15, -1, -2, -1, 14, 1, -2, 1, 16}, c[3] = {-1, 2, 3};
    tp_contact_solution s[8];
    CHECK_INT(tp_contact_all_solutions(G, c, 0.1, 0.0, s), 1);
    CHECK_INT(s[0].mode, TP_CONTACT_SLIP);
    CHECK_NEAR(s[0].P[0], 0.0657, 5e-5);
    CHECK_NEAR(s[0].P[1], -0.00368, 5e-6);
    CHECK_NEAR(s[0].P[2], -0.00544, 5e-6);
    CHECK_NEAR(s[0].alpha, 510.0, 1.0);
    CHECK_NEAR(s[0].xi[0], 0.0, 1e-15);
}

/* Three slips although mu |G_TN| < G_NN: the planar criterion does not carry over. */
TEST(the_example_with_three_slips_has_three_slips)
{
    const double mu = 0.7407826385691558;
    const double A[3][3] = {{2.574620764744278, 1.4882969068753773, -2.272809886382175},
                            {1.4882969068753773, 1.3987856939794125, -1.473176102165134},
                            {-2.272809886382175, -1.473176102165134, 2.071200057038673}};
    const double b[3] = {-0.8519043917353648, 0.23281295408209313, 0.7527626539585113};
    const double expected[3][3] = {
        {0.07141, 0.68391, 0.92825}, {1.65427, 2.27425, 3.79634}, {7.12685, 4.77108, 11.57753}};
    const int from[3] = {2, 0, 1}; /* order T1, T2, N there */
    double G[9], c[3];
    tp_contact_solution s[8];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) G[i + 3 * j] = A[from[i]][from[j]];
        c[i] = -b[from[i]];
    }
    CHECK(mu * hypot(G[1], G[2]) < G[0]);
    CHECK_INT(tp_contact_all_solutions(G, c, mu, 0.0, s), 3);
    for (int k = 0; k < 3; k++) {
        CHECK_INT(s[k].mode, TP_CONTACT_SLIP);
        for (int i = 0; i < 3; i++) CHECK_NEAR(s[k].P[i], expected[k][from[i]], 5e-6);
    }
}

/* ---- the Painleve rod ---- */

/* Rows N, T of the relaxed rod: xi = A P - b with b = A r. */
static void rod(double theta, double rate, double delta, double G[4], double c[2])
{
    const double m = 1.0, l = 1.0, g = 9.81, zeta = 0.5, v = 1.0, s = sin(theta), o = cos(theta);
    G[0] = (1 + 3 * o * o) / m, G[1] = G[2] = -3 * s * o / m, G[3] = (1 + 3 * s * s) / m;
    double ra[2] = {m * g / 4 * (4 - 3 * o * o) - m * l * rate * rate * s,
                    m * g / 4 * 3 * s * o - m * l * rate * rate * o};
    double rb[2] = {m / 4 * 3 * s * o, m / 4 * (1 + 3 * o * o)};
    double r[2] = {ra[0] + 2 * zeta * v / delta * rb[0], ra[1] + 2 * zeta * v / delta * rb[1]};
    for (int i = 0; i < 2; i++) c[i] = -(G[i] * r[0] + G[i + 2] * r[1]);
}

static int rod_solutions(double mu, double rate, double delta, tp_contact_solution *s)
{
    double G[4], c[2];
    rod(atan(2.0), rate, delta, G, c);
    return tp_planar_contact_all_solutions(G, c, mu, 0.0, s);
}

TEST(the_painleve_rod_has_the_printed_solutions)
{
    tp_contact_solution s[8];
    CHECK_INT(rod_solutions(1.0, 0.0, 1e-3, s), 1);
    CHECK_INT(s[0].mode, TP_CONTACT_SLIP);
    CHECK_NEAR(s[0].P[0], 24.525, 1e-9);
    CHECK_NEAR(s[0].P[1], 24.525, 1e-9);
    CHECK_INT(rod_solutions(1.0, 0.0, 0.1, s), 1);
    CHECK_INT(s[0].mode, TP_CONTACT_STICK);
    CHECK_NEAR(s[0].P[1], 6.943, 5e-4);
    CHECK_NEAR(s[0].P[0], 11.3385, 5e-5);
    CHECK_INT(rod_solutions(1.0, 0.0, 0.01, s), 1);
    CHECK_INT(s[0].mode, TP_CONTACT_SLIP);

    CHECK_INT(rod_solutions(2.0, 0.0, 1e-3, s), 1); /* jammed: neither slip nor separation is possible */
    CHECK_INT(s[0].mode, TP_CONTACT_STICK);
    CHECK_NEAR(s[0].P[1], 402.943, 5e-4);
    CHECK_NEAR(s[0].P[0], 308.3385, 5e-5);

    CHECK_INT(rod_solutions(2.0, 4.0, 1e-3, s), 3);
    CHECK_INT(s[0].mode, TP_CONTACT_STICK);
    CHECK_NEAR(s[0].P[1], 395.787582, 5e-7);
    CHECK_NEAR(s[0].P[0], 294.027665, 5e-7);
    CHECK_INT(s[1].mode, TP_CONTACT_SLIP);
    CHECK_NEAR(s[1].P[0], 5.626044, 5e-7);
    CHECK_NEAR(s[1].P[1], 11.252088, 5e-7);
    CHECK_INT(s[2].mode, TP_CONTACT_OPEN);

    /* The bound on delta up to which there are three. */
    CHECK_INT(rod_solutions(2.0, 4.0, 0.0258656, s), 3);
    CHECK_INT(rod_solutions(2.0, 4.0, 0.0258658, s), 1);
    CHECK_INT(s[0].mode, TP_CONTACT_OPEN);
    CHECK_INT(rod_solutions(1.0, 4.0, 1e-3, s), 1);
    CHECK_INT(s[0].mode, TP_CONTACT_OPEN);
}

/* Claim: unique for every c iff mu |G_TN| < G_NN. */
TEST(a_planar_contact_is_unique_below_the_critical_friction_only)
{
    check_random random = {15};
    int multiple = 0;
    for (int trial = 0; trial < 4000; trial++) {
        double a = check_uniform(&random, 0.5, 2), t = check_uniform(&random, 0.5, 2);
        double n = check_uniform(&random, -0.95, 0.95) * sqrt(a * t), G[4] = {a, n, n, t}, c[2];
        double mu = check_uniform(&random, 0.0, 4.0);
        for (int i = 0; i < 2; i++) c[i] = check_normal(&random);
        tp_contact_solution s[8];
        int count = tp_planar_contact_all_solutions(G, c, mu, 0.0, s);
        CHECK(count == 1 || count == 3);
        if (mu * fabs(n) < a) CHECK_INT(count, 1);
        multiple += count == 3;
        /* The spatial solver sees the same contact when the third row is idle. */
        const double G3[9] = {a, n, 0, n, t, 0, 0, 0, 1}, c3[3] = {c[0], c[1], 0.0};
        tp_contact_solution spatial[8];
        int spatial_count = tp_contact_all_solutions(G3, c3, mu, 0.0, spatial);
        CHECK(spatial_count >= count); /* sideways slips may come in addition */
        for (int k = 0; k < count; k++) {
            double nearest = 1e300;
            for (int l = 0; l < spatial_count; l++)
                nearest =
                    fmin(nearest, fabs(spatial[l].P[0] - s[k].P[0]) + fabs(spatial[l].P[1] - s[k].P[1]));
            CHECK(nearest <= 1e-9 * (1.0 + s[k].P[0]));
        }
    }
    CHECK(multiple > 20);
}

TEST(degenerate_contacts_are_answered)
{
    tp_contact_solution s[8];
    const double G[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1};
    CHECK_INT(tp_contact_all_solutions(G, (double[3]){-1, 3, 4}, 0.0, 0.0, s), 1); /* no friction */
    CHECK_NEAR(s[0].P[0], 0.5, 0.0);
    CHECK_NEAR(s[0].xi[1], 3.0, 0.0);
    CHECK_INT(tp_contact_all_solutions(G, (double[3]){0, 3, 4}, 0.5, 0.0, s), 1); /* touching, no approach */
    CHECK_INT(s[0].mode, TP_CONTACT_OPEN);
    CHECK_INT(tp_contact_all_solutions(G, (double[3]){0, 0, 0}, 0.5, 0.0, s), 1);
    CHECK_NEAR(s[0].P[0], 0.0, 0.0);
    CHECK_INT(tp_contact_all_solutions(G, (double[3]){-2, 0, 0}, 0.5, 0.0, s), 1); /* straight down */
    CHECK_INT(s[0].mode, TP_CONTACT_STICK);

    /* A point on a rail: no inertia across, singular G; the sliding velocity across can not be changed. */
    const double rail[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    CHECK_INT(tp_contact_all_solutions(rail, (double[3]){-1, 0.1, 0}, 0.5, 0.0, s), 1);
    CHECK_INT(s[0].mode, TP_CONTACT_STICK);
    CHECK_INT(tp_contact_all_solutions(rail, (double[3]){-1, 0, 2}, 0.5, 0.0, s), 1);
    CHECK_INT(s[0].mode, TP_CONTACT_SLIP);
    CHECK_NEAR(s[0].P[2], -0.5, 1e-14);
}

TEST(badly_scaled_contacts_keep_their_digits)
{
    check_random random = {16};
    for (int trial = 0; trial < 1000; trial++) {
        double G[9], c[3], mu = check_uniform(&random, 0.05, 0.8);
        double unit = pow(10.0, check_uniform(&random, -8, 8)),
               size = pow(10.0, check_uniform(&random, -8, 8));
        tp_contact_solution s[8], scaled[8];
        random_contact(&random, G, c);
        int count = tp_contact_all_solutions(G, c, mu, 0.0, s);
        for (int i = 0; i < 9; i++) G[i] *= unit;
        for (int i = 0; i < 3; i++) c[i] *= size;
        CHECK_INT(tp_contact_all_solutions(G, c, mu, 0.0, scaled), count);
        for (int k = 0; k < count; k++)
            CHECK_NEAR(scaled[k].P[0] * unit / size, s[k].P[0], 1e-9 * (1.0 + s[k].P[0]));
    }
}

TEST(non_unique_contacts_are_rare_at_moderate_friction)
{
    check_random random = {17};
    int multiple = 0;
    for (int trial = 0; trial < 3000; trial++) {
        double G[9], c[3], mu = check_uniform(&random, 0.0, 1.0);
        tp_contact_solution s[8];
        random_contact(&random, G, c);
        multiple += tp_contact_all_solutions(G, c, mu, 0.0, s) > 1;
    }
    CHECK(multiple >= 1 && multiple <= 60);
}

/* ---- the solver ---- */

TEST(the_solver_counts_the_painleve_files_and_follows_the_branch_policy)
{
    const double G[9] = {
        1.7500000000000004, 1.2990381056766582, 0, 1.2990381056766582, 3.2499999999999991, 0, 0, 0, 4};
    const tp_set contact = tp_set_coulomb(3, 2.0);
    for (int separating = 0; separating < 2; separating++) {
        const double c[3] = {separating ? 0.01 : -0.01, 1, 0};
        tp_problem *problem = dense_problem(3, G, c, 1, &contact);
        double P[3] = {0, 0, 0};
        tp_report report = dense_solve(&tp_solver_quartic, problem, NULL, P);
        CHECK_INT(report.status, TP_OK);
        CHECK_INT(report.solution_count, separating ? 3 : 1);
        CHECK(report.error <= 1e-14);
        CHECK(hypot(P[1], P[2]) < 2.0 * P[0]); /* sticks */
        if (separating) {
            tp_solver_options options = tp_solver_options_default();
            options.branch = TP_BRANCH_NEAREST;
            P[0] = P[1] = P[2] = 0.0;
            report = dense_solve(&tp_solver_quartic, problem, &options, P);
            CHECK_NEAR(P[0], 0.0, 0.0); /* open is nearest to rest */
            CHECK(report.error <= 1e-14);
        }
        tp_problem_free(problem);
    }
}

TEST(the_solver_takes_ellipses_and_planar_contacts_and_refuses_the_rest)
{
    check_random random = {18};
    for (int trial = 0; trial < 200; trial++) {
        double G[9], c[3], axes[2] = {check_uniform(&random, 0.1, 0.9), check_uniform(&random, 0.1, 0.9)};
        random_contact(&random, G, c);
        tp_set ellipse = tp_set_contact(TP_FRICTION_ELLIPSOID, 3, axes);
        tp_problem *problem = dense_problem(3, G, c, 1, &ellipse);
        double P[3] = {0, 0, 0};
        tp_report report = dense_solve(&tp_solver_quartic, problem, NULL, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.error <= 1e-12);
        tp_problem_free(problem);
        const double planar[4] = {G[0], G[1], G[3], G[4]};
        tp_set line = tp_set_coulomb(2, axes[0]);
        problem = dense_problem(2, planar, c, 1, &line);
        report = dense_solve(&tp_solver_quartic, problem, NULL, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.error <= 1e-12);
        tp_problem_free(problem);
    }
    /* An ellipse that is a segment: friction along T2 only. */
    const double G[9] = {2, 0, 0.1, 0, 1, 0.2, 0.1, 0.2, 1}, c[3] = {-1, 3, 0.05}, axes[2] = {0.0, 0.5};
    tp_set segment = tp_set_contact(TP_FRICTION_ELLIPSOID, 3, axes);
    tp_problem *problem = dense_problem(3, G, c, 1, &segment);
    double P[3] = {0, 0, 0};
    tp_report report = dense_solve(&tp_solver_quartic, problem, NULL, P);
    CHECK_INT(report.status, TP_OK);
    CHECK_INT(report.solution_count, 1);
    CHECK_NEAR(P[1], 0.0, 0.0);
    CHECK_NEAR(G[2] * P[0] + G[8] * P[2] + c[2], 0.0, 1e-15); /* sticks along T2 */
    tp_problem_free(problem);

    /* without friction, open and closed: P = -c/G */
    const double one[4] = {2.0, 0.0, 0.0, 1.0}, q[2] = {-1.0, 0.5};
    const tp_set rows[] = {tp_set_orthant(1), tp_set_orthant(1)};
    for (int k = 0; k < 2; k++) {
        problem = dense_problem(1, one, q + k, 1, rows);
        CHECK_INT(dense_solve(&tp_solver_quartic, problem, NULL, P).status, TP_OK);
        CHECK_NEAR(P[0], k == 0 ? 0.5 : 0.0, 0.0);
        tp_problem_free(problem);
    }
    problem = dense_problem(2, one, q, 2, rows);
    CHECK_INT(dense_solve(&tp_solver_quartic, problem, NULL, P).status, TP_UNSUPPORTED);
    tp_problem_free(problem);
}

/* A rod that slides on its tip, at an angle of 50 degrees and with friction 5/3: pressed apart, it may open
   or jam, theory/solvers.md (9a). */
static tp_problem *jamming_rod(double *G, double *c)
{
    const double angle = 50.0 * acos(-1.0) / 180.0, s = sin(angle), o = cos(angle);
    const double rows[] = {1.0 + 3.0 * o * o, 3.0 * s * o, 3.0 * s * o, 1.0 + 3.0 * s * s};
    const tp_set set = tp_set_coulomb(2, 5.0 / 3.0);
    memcpy(G, rows, sizeof rows);
    c[0] = 0.01;
    c[1] = 9.0;
    return dense_problem(2, G, c, 1, &set);
}

TEST(a_loaded_contact_stays_closed_and_an_open_one_open_where_both_are_solutions)
{
    static const tp_solver *const solvers[] = {&tp_solver_auto, &tp_solver_quartic, &tp_solver_enumeration};
    double G[4], c[2];
    tp_problem *problem = jamming_rod(G, c);
    double det = G[0] * G[3] - G[1] * G[2],
           stick[2] = {-(G[3] * c[0] - G[2] * c[1]) / det, -(G[0] * c[1] - G[1] * c[0]) / det};
    tp_solver_options options = tp_solver_options_default();
    options.branch = TP_BRANCH_LOADED;
    options.warm_start = true;
    for (int k = 0; k < 3; k++) {
        double loaded[2] = {0.02, -0.02}, open[2] = {0.0, 0.0};
        CHECK_INT(dense_solve(solvers[k], problem, &options, loaded).status, TP_OK);
        CHECK_INT(dense_solve(solvers[k], problem, &options, open).status, TP_OK);
        for (int i = 0; i < 2; i++) CHECK_NEAR(loaded[i], stick[i], 1e-14 * fabs(stick[0]));
        for (int i = 0; i < 2; i++) CHECK_NEAR(open[i], 0.0, 0.0);
    }
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(a_loaded_contact_stays_closed_and_an_open_one_open_where_both_are_solutions),
          RUNS(the_quartic_agrees_with_the_angle_form_and_satisfies_the_law),
          RUNS(a_scan_of_all_directions_finds_the_same_number_of_slips),
          RUNS(unsymmetric_and_epsilon_contacts_satisfy_their_law),
          RUNS(the_associated_law_of_a_definite_contact_has_one_solution),
          RUNS(the_epsilon_family_tends_to_coulomb_with_order_one),
          RUNS(the_reference_contact_slides_with_the_printed_figures),
          RUNS(the_example_with_three_slips_has_three_slips),
          RUNS(the_painleve_rod_has_the_printed_solutions),
          RUNS(a_planar_contact_is_unique_below_the_critical_friction_only),
          RUNS(degenerate_contacts_are_answered), RUNS(badly_scaled_contacts_keep_their_digits),
          RUNS(non_unique_contacts_are_rare_at_moderate_friction),
          RUNS(the_solver_counts_the_painleve_files_and_follows_the_branch_policy),
          RUNS(the_solver_takes_ellipses_and_planar_contacts_and_refuses_the_rest))
