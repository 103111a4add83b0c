/* Normal cones in a singular metric, and the contact law they give; theory/sets.md section 6. */
#include "check.h"
#include "set/friction_set.h"
#include "set/samples.h"

static double norm(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Distance of v to diag(1, eps) cone{g1, g2}: the Kuratowski limit is where it tends to 0. */
static double distance_to_stretched_cone(const double *g1, const double *g2, double eps, const double *v)
{
    double a[2] = {g1[0], eps * g1[1]}, b[2] = {g2[0], eps * g2[1]}, best = norm(2, v);
    double cross = a[0] * b[1] - a[1] * b[0];
    if (cross != 0.0) {
        double s = (v[0] * b[1] - v[1] * b[0]) / cross, t = (a[0] * v[1] - a[1] * v[0]) / cross;
        if (s >= 0.0 && t >= 0.0) return 0.0;
    }
    for (int k = 0; k < 2; k++) {
        const double *g = k == 0 ? a : b;
        double reach = fmax(0.0, (g[0] * v[0] + g[1] * v[1]) / (g[0] * g[0] + g[1] * g[1]));
        double off[2] = {v[0] - reach * g[0], v[1] - reach * g[1]};
        best = fmin(best, norm(2, off));
    }
    return best;
}

TEST(the_limit_of_a_planar_cone_is_the_one_of_the_table)
{
    static const struct {
        double g1[2], g2[2];
        tp_side x, y;
    } table[] = {{{-1, 0.5}, {-1, -2}, TP_SIDE_NEGATIVE, TP_SIDE_ZERO},
                 {{1, 2}, {1, 2}, TP_SIDE_POSITIVE, TP_SIDE_ZERO},
                 {{-1, -2}, {1, -3}, TP_SIDE_ANY, TP_SIDE_NEGATIVE},
                 {{-1, 1}, {1, 3}, TP_SIDE_ANY, TP_SIDE_POSITIVE},
                 {{0, -1}, {2, -1}, TP_SIDE_POSITIVE, TP_SIDE_NEGATIVE},
                 {{-2, 5}, {0, -1}, TP_SIDE_NEGATIVE, TP_SIDE_NEGATIVE},
                 {{0, 1}, {2, -1}, TP_SIDE_POSITIVE, TP_SIDE_POSITIVE},
                 {{0, 3}, {0, 1}, TP_SIDE_ZERO, TP_SIDE_POSITIVE},
                 {{0, -1}, {0, -1}, TP_SIDE_ZERO, TP_SIDE_NEGATIVE},
                 {{-3, 1}, {1, -1}, TP_SIDE_ANY, TP_SIDE_NEGATIVE}};
    for (int i = 0; i < (int)(sizeof table / sizeof table[0]); i++) {
        tp_limit_cone limit, other;
        CHECK_INT(tp_limit_cone_of_planar(table[i].g1, table[i].g2, &limit), TP_OK);
        CHECK_INT(limit.x, table[i].x);
        CHECK_INT(limit.y, table[i].y);
        CHECK_INT(tp_limit_cone_of_planar(table[i].g2, table[i].g1, &other), TP_OK);
        CHECK_INT(other.x, limit.x);
        CHECK_INT(other.y, limit.y);
    }
    tp_limit_cone limit;
    CHECK_INT(tp_limit_cone_of_planar((double[]){0, 0}, (double[]){1, 0}, &limit), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_limit_cone_of_planar((double[]){1, 1}, (double[]){-2, -2}, &limit), TP_INVALID_ARGUMENT);
}

/* The definition: v is in the limit iff its distance to the stretched cones goes to 0. */
TEST(the_limit_of_a_planar_cone_is_a_kuratowski_limit)
{
    check_random random = {61};
    for (int k = 0; k < 2000; k++) {
        double g1[2], g2[2], v[2];
        tp_limit_cone limit;
        random_vector(&random, 2, 1.0, g1);
        random_vector(&random, 2, 1.0, g2);
        random_vector(&random, 2, 1.0, v);
        if (k % 4 == 0) g1[0] = 0.0;
        if (k % 3 == 0) v[k % 2] = 0.0;
        if (fabs(g1[0] * g2[1] - g1[1] * g2[0]) < 1e-3) continue; /* nearly a ray or a line */
        CHECK_INT(tp_limit_cone_of_planar(g1, g2, &limit), TP_OK);
        /* slopes are below 1e4 here, so that eps = 1e-12 puts a member within 1e-7, and others stay away */
        double distance = distance_to_stretched_cone(g1, g2, 1e-12, v);
        bool near_border = (v[0] != 0.0 && fabs(v[0]) < 1e-3) || (v[1] != 0.0 && fabs(v[1]) < 1e-3);
        if (fabs(g1[0]) > 0.0 && fabs(g1[0]) < 1e-3) continue;
        if (fabs(g2[0]) < 1e-3 || near_border) continue;
        CHECK_INT(tp_limit_cone_contains(&limit, v, 0.0), distance < 1e-7);
    }
}

/* lim {(y/eps, y) : y >= 0} = {(x, 0) : x >= 0}. */
TEST(a_steep_ray_falls_on_the_axis)
{
    tp_limit_cone limit;
    CHECK_INT(tp_limit_cone_of_planar((double[]){1, 1}, (double[]){1, 1}, &limit), TP_OK);
    CHECK(tp_limit_cone_contains(&limit, (double[]){5, 0}, 0.0));
    CHECK(!tp_limit_cone_contains(&limit, (double[]){5, 1}, 0.5));
    CHECK(!tp_limit_cone_contains(&limit, (double[]){-1, 0}, 0.5));
}

/* Distance of v to the cone U_eps^-1 N_K(P), by projection of U_eps v on N_K(P) for cones over a disc. */
TEST(the_limit_normal_cone_of_a_friction_cone_has_three_cases)
{
    const double mu = 0.5;
    tp_set contact = tp_set_coulomb(3, mu);
    const double inside[3] = {2.0, 0.3, 0.4}, edge[3] = {2.0, 0.6, 0.8}, apex[3] = {0, 0, 0},
                 out[3] = {1, 1, 1};
    const double zero[3] = {0, 0, 0}, along[3] = {0, 1.2, 1.6}, against[3] = {0, -1.2, -1.6},
                 down[3] = {-1, 7, -9}, up[3] = {1, 0, 0}, tilted[3] = {-0.5, 0.6, 0.8};
    CHECK(tp_contact_limit_normal_contains(&contact, inside, zero, 0.0));
    CHECK(!tp_contact_limit_normal_contains(&contact, inside, along, 1e-9));
    CHECK(!tp_contact_limit_normal_contains(&contact, inside, down, 1e-9));
    CHECK(tp_contact_limit_normal_contains(&contact, edge, zero, 1e-15));
    CHECK(tp_contact_limit_normal_contains(&contact, edge, along, 1e-14));
    CHECK(!tp_contact_limit_normal_contains(&contact, edge, against, 1e-9));
    CHECK(!tp_contact_limit_normal_contains(&contact, edge, tilted,
                                            1e-9)); /* the Euclidean normal is not in it */
    CHECK(tp_contact_limit_normal_contains(&contact, apex, down, 0.0));
    CHECK(!tp_contact_limit_normal_contains(&contact, apex, up, 1e-9));
    CHECK(!tp_contact_limit_normal_contains(&contact, out, zero, 1e-9));
    /* without friction the cone over a point: any tangential velocity is a normal */
    tp_set smooth = tp_set_coulomb(3, 0.0);
    CHECK(tp_contact_limit_normal_contains(&smooth, (double[]){1, 0, 0}, (double[]){0, 3, -4}, 0.0));
    CHECK(!tp_contact_limit_normal_contains(&smooth, (double[]){1, 0, 0}, (double[]){0.1, 3, -4}, 1e-9));
}

/* xi of a contact in one of its states: 0 open, 1 stick, 2 slip; returns P and xi that satisfy the law. */
static void random_state(check_random *random, const tp_set *contact, int state, double *P, double *xi)
{
    int n = contact->size - 1;
    double opposite[5];
    for (int i = 0; i <= n; i++) P[i] = xi[i] = 0.0;
    if (state == 0) {
        random_vector(random, n + 1, 1.0, xi);
        xi[0] = fabs(xi[0]);
    } else if (state == 1) {
        random_member(random, contact, P);
    } else {
        random_vector(random, n, 1.0, xi + 1);
        for (int i = 0; i < n; i++) opposite[i] = -xi[1 + i];
        P[0] = check_uniform(random, 0.1, 2.0);
        tp_friction_boundary(&(tp_friction_set){contact->friction_kind, n, contact->parameter}, opposite,
                             P + 1);
        for (int i = 0; i < n; i++) P[1 + i] *= P[0];
    }
}

TEST(both_residuals_vanish_exactly_where_the_limit_law_holds)
{
    check_random random = {62};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        tp_set contact = tp_set_contact(friction_cases[c].kind, friction_cases[c].dimension + 1,
                                        friction_cases[c].parameter);
        int n = contact.size;
        for (int k = 0; k < 150; k++) {
            double P[6], xi[6], v[6], R[6], rho = exp(check_uniform(&random, -3.0, 3.0));
            random_state(&random, &contact, k % 3, P, xi);
            for (int i = 0; i < n; i++) v[i] = -xi[i];
            double tolerance = 1e-13 * (1.0 + rho) * (1.0 + norm(n, P) + norm(n, xi));
            CHECK(tp_contact_limit_normal_contains(&contact, P, v, tolerance));
            tp_contact_natural_residual(&contact, rho, P, xi, R);
            CHECK_NEAR(norm(n, R), 0.0, tolerance);
            tp_contact_cone_residual(&contact, rho, 0.0, P, xi, R);
            CHECK_NEAR(norm(n, R), 0.0, tolerance);
            /* a wrong velocity is seen by all three */
            double wrong[6];
            random_vector(&random, n, 1.0, wrong);
            wrong[0] = -0.1 - fabs(wrong[0]); /* approaching: never allowed */
            for (int i = 0; i < n; i++) v[i] = -wrong[i];
            CHECK(!tp_contact_limit_normal_contains(&contact, P, v, 1e-9));
            tp_contact_natural_residual(&contact, rho, P, wrong, R);
            CHECK(norm(n, R) > 1e-9);
            tp_contact_cone_residual(&contact, rho, 0.0, P, wrong, R);
            CHECK(norm(n, R) > 1e-9);
        }
    }
}

/* In slip eta_n = eps mu |eta_t|, open needs eta_n >= eps mu |eta_t|: from Coulomb (0) to the associated law
   (1). The law in the metric U_eps itself is -(xi_N/eps, xi_T) in N_K(P). */
TEST(the_family_of_metrics_leads_from_the_associated_law_to_coulombs)
{
    check_random random = {63};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        tp_set contact = tp_set_contact(friction_cases[c].kind, friction_cases[c].dimension + 1,
                                        friction_cases[c].parameter);
        tp_set cone = tp_set_cone(contact);
        int n = contact.size;
        for (int k = 0; k < 60; k++) {
            double P[6], xi[6], R[6], eps = check_uniform(&random, 0.01, 1.0), stretched[6];
            random_state(&random, &contact, 2, P, xi);
            double support = tp_friction_support(
                &(tp_friction_set){contact.friction_kind, n - 1, contact.parameter}, xi + 1);
            xi[0] = eps * support;
            tp_contact_cone_residual(&contact, 1.0, eps, P, xi, R);
            double tolerance = 1e-13 * (1.0 + norm(n, P) + norm(n, xi));
            CHECK_NEAR(norm(n, R), 0.0, tolerance);
            memcpy(stretched, xi, sizeof stretched);
            stretched[0] = xi[0] / eps;
            CHECK(
                tp_set_law_holds(&cone, 1.0, P, stretched, 1e-13 * (1.0 + norm(n, P) + norm(n, stretched))));
            xi[0] = eps * support * 1.01;
            tp_contact_cone_residual(&contact, 1.0, eps, P, xi, R);
            CHECK(norm(n, R) > 1e-6);
            for (int i = 0; i < n; i++) P[i] = 0.0;
            tp_contact_cone_residual(&contact, 1.0, eps, P, xi, R); /* open */
            CHECK_NEAR(norm(n, R), 0.0, tolerance);
        }
    }
}

/* lim proj_K^{U_eps}(r): compared with a small eps, whose error is O(eps). */
TEST(the_projection_in_the_limit_metric_is_the_limit_of_projections)
{
    check_random random = {64};
    static const double eps[2] = {1e-4, 1e-5};
    for (int k = 0; k < 300; k++) {
        tp_set contact = tp_set_coulomb(3, check_uniform(&random, 0.1, 1.0));
        double r[3], P[3], p[3], error[2];
        random_vector(&random, 3, 1.0, r);
        tp_contact_project_limit(&contact, r, P);
        for (int e = 0; e < 2; e++) {
            double U[9] = {1.0 / eps[e], 0, 0, 0, 1, 0, 0, 0, 1};
            CHECK_INT(tp_set_project_metric(&contact, 1.0, U, r, p), TP_OK);
            for (int i = 0; i < 3; i++) p[i] -= P[i];
            error[e] = norm(3, p);
        }
        /* in slip P_N moves by about eps mu (|r_T| - mu P_N), P_T by mu times that */
        CHECK(error[0] <= 3.0 * eps[0] * norm(3, r) + 1e-12);
        CHECK(error[1] <= 3.0 * eps[1] * norm(3, r) + 1e-12);
    }
}

/* A and U_eps commute: lim proj_K^{A U_eps}(A^-1 b) solves the exact law, normals first. */
TEST(a_contact_without_coupling_is_solved_normal_first)
{
    check_random random = {65};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        const friction_case *body = &friction_cases[c];
        int n = body->dimension + 1;
        tp_set contact = tp_set_contact(body->kind, n, body->parameter);
        for (int k = 0; k < 60; k++) {
            double A[36] = {0.0}, B[25], b[6], P[6], xi[6], R[6], size = 0.0;
            random_vector(&random, (n - 1) * (n - 1), 1.0, B);
            random_vector(&random, n, 2.0, b);
            A[0] = check_uniform(&random, 0.2, 2.0);
            for (int j = 1; j < n; j++)
                for (int i = 1; i < n; i++) {
                    A[i + j * n] = i == j ? 0.2 : 0.0;
                    for (int m = 0; m < n - 1; m++)
                        A[i + j * n] += B[i - 1 + m * (n - 1)] * B[j - 1 + m * (n - 1)];
                    size = fmax(size, fabs(A[i + j * n]));
                }
            CHECK_INT(tp_contact_solve_decoupled(&contact, A, b, P), TP_OK);
            for (int i = 0; i < n; i++) {
                xi[i] = -b[i];
                for (int j = 0; j < n; j++) xi[i] += A[i + j * n] * P[j];
            }
            /* the tangential projection ends below 1e-13 of its data on a map with step 1/|A|; the free point
               A_tt^-1 b_t has size up to |b|/0.2 */
            tp_contact_natural_residual(&contact, 1.0 / (1.0 + size), P, xi, R);
            CHECK_NEAR(norm(n, R), 0.0, 1e-12 * (norm(n, b) / 0.2 + norm(n, P)));
            A[1] = 0.1;
            CHECK_INT(tp_contact_solve_decoupled(&contact, A, b, P), TP_UNSUPPORTED);
        }
    }
}

/* (43): normals and tangents of several contacts, each coupled among themselves. */
TEST(several_contacts_without_coupling_are_solved_normals_first)
{
    enum { CONTACTS = 4, ROWS = 12 };
    check_random random = {66};
    for (int k = 0; k < 40; k++) {
        double A[ROWS * ROWS] = {0.0}, G[ROWS * ROWS], b[ROWS], P[ROWS];
        tp_set contacts[CONTACTS];
        random_vector(&random, ROWS * ROWS, 1.0, G);
        random_vector(&random, ROWS, 2.0, b);
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < ROWS; j++) {
                if ((i % 3 == 0) != (j % 3 == 0)) continue;
                A[i + j * ROWS] = i == j ? 0.1 : 0.0;
                for (int m = 0; m < ROWS; m++) A[i + j * ROWS] += G[i + m * ROWS] * G[j + m * ROWS] / ROWS;
            }
        }
        for (int i = 0; i < CONTACTS; i++) contacts[i] = tp_set_coulomb(3, check_uniform(&random, 0.1, 1.0));
        CHECK_INT(tp_contacts_solve_decoupled(CONTACTS, contacts, A, b, P), TP_OK);
        for (int i = 0; i < CONTACTS; i++) {
            double xi[3], R[3];
            for (int r = 0; r < 3; r++) {
                xi[r] = -b[3 * i + r];
                for (int j = 0; j < ROWS; j++) xi[r] += A[3 * i + r + j * ROWS] * P[j];
            }
            tp_contact_natural_residual(&contacts[i], 0.2, P + 3 * i, xi, R);
            CHECK_NEAR(norm(3, R), 0.0, 1e-12 * (norm(ROWS, b) + norm(ROWS, P)));
        }
        A[1] = A[ROWS] = 1e-3;
        CHECK_INT(tp_contacts_solve_decoupled(CONTACTS, contacts, A, b, P), TP_UNSUPPORTED);
    }
}

TEST(the_first_number_that_is_not_zero_decides)
{
    CHECK_INT(tp_lex_sign(3, (double[]){0.0, 0.0, 0.0}, 0.0), 0);
    CHECK_INT(tp_lex_sign(3, (double[]){0.0, 0.0, -1.0}, 0.0), -1);
    CHECK_INT(tp_lex_sign(3, (double[]){0.0, 2.0, -1.0}, 0.0), 1);
    CHECK_INT(tp_lex_sign(3, (double[]){-1.0, 2.0, 5.0}, 0.0), -1);
    CHECK_INT(tp_lex_sign(3, (double[]){-1e-14, 2.0, 5.0}, 1e-12), 1);
    /* that is the sign of x'' + 2 zeta x'/delta + x/delta^2 for small delta */
    check_random random = {67};
    for (int k = 0; k < 200; k++) {
        double x[3], delta = 1e-6, zeta = check_uniform(&random, 0.1, 3.0);
        for (int i = 0; i < 3; i++) x[i] = floor(check_uniform(&random, -1.0, 2.0)); /* -1, 0 or 1 */
        double relaxed = x[2] + 2.0 * zeta * x[1] / delta + x[0] / (delta * delta);
        CHECK_INT(tp_lex_sign(3, x, 0.0), relaxed > 0.0 ? 1 : (relaxed < 0.0 ? -1 : 0));
    }
}

TEST_MAIN(RUNS(several_contacts_without_coupling_are_solved_normals_first),
          RUNS(the_first_number_that_is_not_zero_decides),
          RUNS(the_limit_of_a_planar_cone_is_the_one_of_the_table),
          RUNS(the_limit_of_a_planar_cone_is_a_kuratowski_limit), RUNS(a_steep_ray_falls_on_the_axis),
          RUNS(the_limit_normal_cone_of_a_friction_cone_has_three_cases),
          RUNS(both_residuals_vanish_exactly_where_the_limit_law_holds),
          RUNS(the_family_of_metrics_leads_from_the_associated_law_to_coulombs),
          RUNS(the_projection_in_the_limit_metric_is_the_limit_of_projections),
          RUNS(a_contact_without_coupling_is_solved_normal_first))
