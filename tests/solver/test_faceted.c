/* Friction polygons: exact for planar contacts, error of order 1/k for spatial ones; docs/theory/pivoting.md
   (29)-(32). */
#include "dense_problem.h"
#include "solver/sweeps/one_contact.h"

enum { CONTACTS = 4, N = 3 * CONTACTS };

static void random_scene(check_random *random, double *G, double *c, double *mu)
{
    double B[N * N];
    for (int i = 0; i < N * N; i++) B[i] = check_normal(random);
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            G[i + j * N] = i == j ? 0.1 : 0.0;
            for (int k = 0; k < N; k++) G[i + j * N] += B[i + k * N] * B[j + k * N] / N;
        }
        c[j] = j % 3 == 0 ? -fabs(check_normal(random)) : check_normal(random);
    }
    for (int a = 0; a < CONTACTS; a++) mu[a] = check_uniform(random, 0.1, 0.8);
}

/* Exact solution by block Gauss-Seidel with the one-contact solver; the tests take the contacts at which it
   converges to a unique answer. */
static bool gauss_seidel(const double *G, const double *c, const double *mu, double *P)
{
    for (int i = 0; i < N; i++) P[i] = 0.0;
    for (int sweep = 0; sweep < 3000; sweep++) {
        double change = 0.0;
        for (int a = 0; a < CONTACTS; a++) {
            double D[9], g[3];
            tp_contact_solution s[TP_CONTACT_MAX_SOLUTIONS];
            for (int i = 0; i < 3; i++) {
                g[i] = c[3 * a + i];
                for (int j = 0; j < N; j++)
                    if (j / 3 != a) g[i] += G[3 * a + i + j * N] * P[j];
                for (int j = 0; j < 3; j++) D[i + 3 * j] = G[3 * a + i + (3 * a + j) * N];
            }
            if (tp_contact_all_solutions(D, g, mu[a], 0.0, s) != 1) return false;
            for (int i = 0; i < 3; i++) {
                change = fmax(change, fabs(P[3 * a + i] - s[0].P[i]));
                P[3 * a + i] = s[0].P[i];
            }
        }
        if (change < 1e-13) return true;
    }
    return false;
}

/* Mean error over random scenes, relative to the largest impulse. */
static double mean_error(int facets, int *count_out)
{
    check_random random = {61};
    double sum = 0.0;
    int count = 0;
    for (int trial = 0; trial < 12; trial++) {
        double G[N * N], c[N], mu[CONTACTS], exact[N], P[N] = {0}, largest = 0.0, error = 0.0;
        random_scene(&random, G, c, mu);
        if (!gauss_seidel(G, c, mu, exact)) continue;
        tp_set sets[CONTACTS];
        for (int a = 0; a < CONTACTS; a++) sets[a] = tp_set_coulomb(3, mu[a]);
        tp_problem *problem = dense_problem(N, G, c, CONTACTS, sets);
        tp_solver_options options = tp_solver_options_default();
        options.facets = facets;
        tp_report report = dense_solve(&tp_solver_faceted, problem, &options, P);
        tp_problem_free(problem);
        if (report.status != TP_OK) return INFINITY;
        for (int i = 0; i < N; i++) {
            largest = fmax(largest, fabs(exact[i]));
            error = fmax(error, fabs(P[i] - exact[i]));
        }
        sum += error / largest;
        count++;
    }
    *count_out = count;
    return sum / count;
}

TEST(the_error_of_the_polygon_falls_like_one_over_its_corners)
{
    int count;
    double coarse = mean_error(4, &count), middle = mean_error(16, &count), fine = mean_error(128, &count);
    CHECK(count >= 8);
    CHECK(coarse > 1e-2 && coarse < 3e-1); /* about 1e-1 */
    CHECK(middle < 0.5 * coarse);
    CHECK(fine < 2.0 * coarse * 4 / 128); /* the error is erratic in the number of corners */
    CHECK(fine < 5e-3);
    CHECK(fine > 1e-5); /* it is an approximation, and reports E of the exact law */
}

TEST(planar_contacts_are_exact)
{
    check_random random = {62};
    for (int trial = 0; trial < 200; trial++) {
        enum { ROWS = 8 };
        double B[ROWS * ROWS], G[ROWS * ROWS], c[ROWS], P[ROWS] = {0};
        for (int i = 0; i < ROWS * ROWS; i++) B[i] = check_normal(&random);
        for (int j = 0; j < ROWS; j++) {
            for (int i = 0; i < ROWS; i++) {
                G[i + j * ROWS] = i == j ? 0.1 : 0.0;
                for (int k = 0; k < ROWS; k++) G[i + j * ROWS] += B[i + k * ROWS] * B[j + k * ROWS];
            }
            c[j] = check_normal(&random);
        }
        tp_set sets[4];
        for (int a = 0; a < 4; a++) sets[a] = tp_set_coulomb(2, a == 3 ? 0.0 : 0.3);
        tp_problem *problem = dense_problem(ROWS, G, c, 4, sets);
        tp_report report = dense_solve(&tp_solver_faceted, problem, NULL, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.error <= 1e-11);
        tp_problem_free(problem);
    }
}

/* Claim: with a single contact the force snaps to the corner next to the exact direction: off by at most
 * pi/k. */
TEST(the_direction_of_sliding_is_off_by_at_most_half_a_facet)
{
    check_random random = {63};
    for (int trial = 0; trial < 200; trial++) {
        const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, angle = check_uniform(&random, -3, 3);
        const double c[3] = {-1, 5 * cos(angle), 5 * sin(angle)};
        tp_set contact = tp_set_coulomb(3, 0.3);
        tp_problem *problem = dense_problem(3, G, c, 1, &contact);
        tp_solver_options options = tp_solver_options_default();
        options.facets = 12;
        double P[3] = {0};
        tp_report report = dense_solve(&tp_solver_faceted, problem, &options, P);
        CHECK_INT(report.status, TP_OK);
        CHECK_NEAR(P[0], 1.0, 1e-14);
        double off = remainder(atan2(-P[2], -P[1]) - angle, 6.283185307179586);
        CHECK(fabs(off) <= 3.141592653589793 / 12 + 1e-9);
        CHECK(strstr(report.reason, "faceted cone (approximation)") != NULL);
        CHECK(report.error > 0.0);
        tp_problem_free(problem);
    }
}

TEST(an_ellipse_gets_a_stretched_polygon_and_joints_come_along)
{
    check_random random = {64};
    for (int trial = 0; trial < 20; trial++) {
        enum { ROWS = 6 };
        double B[ROWS * ROWS], G[ROWS * ROWS], c[ROWS], P[ROWS] = {0}, axes[2] = {0.2, 0.7};
        for (int i = 0; i < ROWS * ROWS; i++) B[i] = check_normal(&random);
        for (int j = 0; j < ROWS; j++) {
            for (int i = 0; i < ROWS; i++) {
                G[i + j * ROWS] = i == j ? 0.1 : 0.0;
                for (int k = 0; k < ROWS; k++) G[i + j * ROWS] += B[i + k * ROWS] * B[j + k * ROWS];
            }
            c[j] = check_normal(&random);
        }
        tp_set sets[3] = {tp_set_free(2), tp_set_contact(TP_FRICTION_ELLIPSOID, 3, axes),
                          tp_set_interval(-1, 1)};
        tp_problem *problem = dense_problem(ROWS, G, c, 3, sets);
        tp_solver_options options = tp_solver_options_default();
        options.facets = 256;
        tp_report report = dense_solve(&tp_solver_faceted, problem, &options, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.error <= 2e-2); /* half a facet is 1.2e-2 of the friction force */
        tp_problem_free(problem);
    }
}

TEST_MAIN(RUNS(the_error_of_the_polygon_falls_like_one_over_its_corners), RUNS(planar_contacts_are_exact),
          RUNS(the_direction_of_sliding_is_off_by_at_most_half_a_facet),
          RUNS(an_ellipse_gets_a_stretched_polygon_and_joints_come_along))
