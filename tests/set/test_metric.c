/* Projections in a metric, and sets under linear maps; theory/sets.md section 5. */
#include "check.h"
#include "set/metric.h"
#include "set/samples.h"

static double norm(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* U = B B^T + shift I: symmetric positive definite, condition number about |B|^2/shift. */
static void random_metric(check_random *random, int n, double shift, double *U_out)
{
    double B[64];
    random_vector(random, n * n, 1.0, B);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            U_out[i + j * n] = i == j ? shift : 0.0;
            for (int k = 0; k < n; k++) U_out[i + j * n] += B[i + k * n] * B[j + k * n];
        }
}

/* (z - p)^T U (q - p) */
static double slope_towards(int n, const double *U, const double *z, const double *p, const double *q)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) sum += (z[i] - p[i]) * U[i + j * n] * (q[j] - p[j]);
    return sum;
}

static double trace(int n, const double *U)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += U[i * (n + 1)];
    return sum;
}

/* The variational inequality with members made without any projection. The iterations end below 1e-13 |z| on
   the natural map with step 1/|U|, so |U| |z - p| |q - p| 1e-13 bounds what is left, times a few. */
TEST(the_nearest_point_in_a_metric_satisfies_its_variational_inequality)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {41};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 60; k++) {
            double U[36], z[6], p[6], q[6];
            int n = sets[s].size;
            random_metric(&random, n, k % 3 == 0 ? 1.0 : k % 3 == 1 ? 1e-2 : 1e-4, U);
            random_vector(&random, n, exp(check_uniform(&random, -2.0, 3.0)), z);
            CHECK_INT(tp_set_project_metric(&sets[s], 1.0, U, z, p), TP_OK);
            CHECK(tp_set_contains(&sets[s], 1.0, p, 1e-13 * (norm(n, z) + norm(n, p))));
            for (int m = 0; m < 20; m++) {
                random_member(&random, &sets[s], q);
                double size = norm(n, z) + norm(n, p) + norm(n, q);
                CHECK(slope_towards(n, U, z, p, q) <= 1e-12 * trace(n, U) * size * size);
            }
        }
}

/* The metrics have eigenvalues down to `shift`: the forward error is the residual times |U|/shift. */
TEST(closed_forms_agree_with_the_general_method)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {42};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 100; k++) {
            double U[36], z[6], p[6], q[6];
            int n = sets[s].size;
            random_metric(&random, n, 0.1, U);
            random_vector(&random, n, 2.0, z);
            CHECK_INT(tp_set_project_metric(&sets[s], 1.0, U, z, p), TP_OK);
            CHECK_INT(tp_metric_project_any(&sets[s], 1.0, U, z, q), TP_OK);
            for (int i = 0; i < n; i++)
                CHECK_NEAR(p[i], q[i], 1e-13 * trace(n, U) / 0.1 * (norm(n, z) + 1.0));
        }
}

TEST(a_factor_on_the_metric_changes_nothing_and_the_unit_metric_is_euclidean)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {43};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 50; k++) {
            double U[36], z[6], p[6], q[6], factor = exp(check_uniform(&random, -8.0, 8.0));
            int n = sets[s].size;
            random_metric(&random, n, 0.5, U);
            random_vector(&random, n, 2.0, z);
            tp_set_project_metric(&sets[s], 1.0, U, z, p);
            for (int i = 0; i < n * n; i++) U[i] *= factor;
            tp_set_project_metric(&sets[s], 1.0, U, z, q);
            for (int i = 0; i < n; i++) CHECK_NEAR(p[i], q[i], 1e-12 * norm(n, z));
            for (int i = 0; i < n * n; i++) U[i] = i % (n + 1) == 0 ? 3.0 : 0.0;
            tp_set_project_metric(&sets[s], 1.0, U, z, p);
            tp_set_project(&sets[s], 1.0, z, q);
            for (int i = 0; i < n; i++) CHECK_NEAR(p[i], q[i], 1e-13 * norm(n, z));
        }
}

/* Strongly coupled metrics, where W + alpha D is indefinite at the right root: distance never above that of
   any other point of the cone. */
TEST(the_friction_cone_in_a_metric_is_solved_by_the_quartic)
{
    check_random random = {44};
    for (int k = 0; k < 3000; k++) {
        double U[9], z[3], p[3], q[6], mu = exp(check_uniform(&random, -3.0, 2.0));
        tp_set cone = tp_set_coulomb(3, mu);
        random_metric(&random, 3, 1e-3, U);
        random_vector(&random, 3, 1.0, z);
        CHECK_INT(tp_set_project_metric(&cone, 1.0, U, z, p), TP_OK);
        CHECK(tp_set_contains(&cone, 1.0, p, 1e-14 * norm(3, p)));
        for (int m = 0; m < 30; m++) {
            random_member(&random, &cone, q);
            double size = norm(3, z) + norm(3, p) + norm(3, q);
            CHECK(slope_towards(3, U, z, p, q) <= 1e-13 * trace(3, U) * size * size);
        }
        /* (z - p).U p = 0: the best point of its ray */
        double zero[3] = {0.0, 0.0, 0.0}, size = norm(3, z) + norm(3, p);
        CHECK_NEAR(slope_towards(3, U, z, p, zero), 0.0, 1e-13 * trace(3, U) * size * size);
    }
}

/* Moreau in a metric: proj^U_{K*}(z) = z + U^-1 proj^{U^-1}_K(-U z), the two parts U-orthogonal. */
TEST(cones_decompose_space_in_every_metric)
{
    check_random random = {49};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        tp_set contact = tp_set_contact(friction_cases[c].kind, friction_cases[c].dimension + 1,
                                        friction_cases[c].parameter);
        tp_set dual = tp_set_dual_cone(contact);
        int n = contact.size;
        for (int k = 0; k < 40; k++) {
            double B[36], U[36], inverse[36], z[6], y[6], p[6], q[6];
            random_metric(&random, n, 0.5, U);
            memcpy(B, U, sizeof B);
            for (int j = 0; j < n; j++) { /* Gauss-Jordan, enough for a definite matrix of six rows */
                for (int i = 0; i < n; i++) inverse[i + j * n] = i == j ? 1.0 : 0.0;
            }
            for (int m = 0; m < n; m++) {
                double pivot = B[m * (n + 1)];
                for (int j = 0; j < n; j++) B[m + j * n] /= pivot, inverse[m + j * n] /= pivot;
                for (int i = 0; i < n; i++) {
                    double factor = i == m ? 0.0 : B[i + m * n];
                    for (int j = 0; j < n; j++)
                        B[i + j * n] -= factor * B[m + j * n],
                            inverse[i + j * n] -= factor * inverse[m + j * n];
                }
            }
            random_vector(&random, n, 1.0, z);
            for (int i = 0; i < n; i++) {
                y[i] = 0.0;
                for (int j = 0; j < n; j++) y[i] -= U[i + j * n] * z[j];
            }
            CHECK_INT(tp_set_project_metric(&dual, 1.0, U, z, p), TP_OK);
            CHECK_INT(tp_set_project_metric(&contact, 1.0, inverse, y, q), TP_OK);
            for (int i = 0; i < n; i++) {
                double moved = z[i];
                for (int j = 0; j < n; j++) moved += inverse[i + j * n] * q[j];
                CHECK_NEAR(p[i], moved, 1e-13 * trace(n, U) * trace(n, U) / 0.5 * norm(n, z));
            }
        }
    }
}

TEST(large_orthants_are_projected_by_iteration)
{
    check_random random = {45};
    tp_set orthant = tp_set_orthant(8);
    for (int k = 0; k < 20; k++) {
        double U[64], z[8], p[8];
        random_metric(&random, 8, 0.5, U);
        random_vector(&random, 8, 1.0, z);
        CHECK_INT(tp_set_project_metric(&orthant, 1.0, U, z, p), TP_OK);
        for (int i = 0; i < 8; i++) {
            double w = 0.0;
            for (int j = 0; j < 8; j++) w += U[i + 8 * j] * (p[j] - z[j]);
            CHECK(p[i] >= 0.0);
            CHECK_NEAR(fmin(p[i], w), 0.0, 1e-12);
        }
    }
}

TEST(a_metric_that_is_not_definite_is_refused)
{
    double U[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, z[3] = {1.0, 2.0, 3.0}, p[3];
    tp_set ball = tp_set_ball(3, 1.0);
    CHECK_INT(tp_set_project_metric(&ball, 1.0, U, z, p), TP_SINGULAR);
}

/* prox^R_C(x) = A prox^{A^T R A}_{A^-1 C}(A^-1 x). */
TEST(a_projection_commutes_with_a_linear_map_when_the_metric_goes_with_it)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets), transformed = 0;
    check_random random = {46};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 40; k++) {
            double R[36], R_hat[36], x[6], x_hat[6], p[6], p_hat[6], factor[6];
            int n = sets[s].size;
            for (int i = 0; i < n; i++) factor[i] = exp(check_uniform(&random, -1.0, 1.0));
            if (k % 2) /* keep round cross-sections round */
                for (int i = 2; i < n; i++) factor[i] = factor[1];
            tp_set image;
            if (tp_set_transform(&sets[s], factor, &image) != TP_OK) continue;
            CHECK_INT(tp_set_check(&image, NULL), TP_OK);
            transformed++;
            random_metric(&random, n, 0.3, R);
            random_vector(&random, n, 2.0, x);
            for (int j = 0; j < n; j++) {
                x_hat[j] = x[j] / factor[j];
                for (int i = 0; i < n; i++) R_hat[i + j * n] = factor[i] * R[i + j * n] * factor[j];
            }
            CHECK_INT(tp_set_project_metric(&sets[s], 1.0, R, x, p), TP_OK);
            CHECK_INT(tp_set_project_metric(&image, 1.0, R_hat, x_hat, p_hat), TP_OK);
            for (int i = 0; i < n; i++)
                CHECK_NEAR(p[i], factor[i] * p_hat[i], 1e-13 * trace(n, R) / 0.3 * (norm(n, x) + 1.0));
        }
    CHECK(transformed > count * 20);
}

/* D^ = a_N A_T^-1 D of discs and balls: semi-axes mu a_N/a_k in up to three rows; there is no ellipsoid in
   four. A map that refuses them all would pass the tests that skip what is refused. */
TEST(balls_in_up_to_three_rows_become_ellipsoids_under_unequal_factors)
{
    const double factor[5] = {2.0, 1.0, 4.0, 0.5, 0.25}, mu = 0.5;
    for (int n = 3; n <= 4; n++) {
        tp_set contact = tp_set_coulomb(n, mu), image;
        CHECK_INT(tp_set_transform(&contact, factor, &image), TP_OK);
        CHECK_INT(image.friction_kind, TP_FRICTION_ELLIPSOID);
        for (int k = 1; k < n; k++) CHECK_NEAR(image.parameter[k - 1], mu * factor[0] / factor[k], 0.0);
    }
    tp_set rolling = tp_set_contact(TP_FRICTION_BALL, 5, &mu), image;
    CHECK_INT(tp_set_transform(&rolling, factor, &image), TP_UNSUPPORTED);
}

/* y in N_C(x) <=> A^T y in N_{A^-1 C}(A^-1 x), each side tested with its own unrelated metric I. */
TEST(normal_cones_follow_a_linear_map_with_the_transposed_inverse)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {47};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 40; k++) {
            double v[6], x[6], xi[6], x_hat[6], xi_hat[6], factor[6];
            int n = sets[s].size;
            tp_set set = sets[s].kind == TP_SET_CONTACT ? tp_set_cone(sets[s]) : sets[s], image;
            factor[0] = exp(check_uniform(&random, -1.0, 1.0));
            for (int i = 1; i < n; i++) factor[i] = exp(check_uniform(&random, -1.0, 1.0));
            if (tp_set_transform(&set, factor, &image) != TP_OK) continue;
            random_vector(&random, n, 2.0, v);
            tp_set_project(&set, 1.0, v, x);
            for (int i = 0; i < n; i++) {
                xi[i] = x[i] - v[i]; /* -xi = v - x in N_C(x) */
                x_hat[i] = x[i] / factor[i];
                xi_hat[i] = factor[i] * xi[i];
            }
            CHECK(tp_set_law_holds(&set, 1.0, x, xi, 1e-13 * (norm(n, v) + 1.0)));
            CHECK(tp_set_law_holds(&image, 1.0, x_hat, xi_hat, 1e-12 * (norm(n, v) + 1.0)));
        }
}

/* Scaling the exact contact law: xi^ = A xi, P^ = P/A, D^ = a_N A_T^-1 D. */
TEST(the_exact_contact_law_survives_a_scaling_of_its_rows)
{
    check_random random = {48};
    const double axes[2] = {0.2, 0.5};
    tp_set contact = tp_set_contact(TP_FRICTION_ELLIPSOID, 3, axes), image;
    for (int k = 0; k < 300; k++) {
        double factor[3] = {exp(check_uniform(&random, -1.0, 1.0)), 0.2, 0.5};
        double xi[3] = {0.0, check_normal(&random), check_normal(&random)}, P[3], stretched[2], length;
        CHECK_INT(tp_set_transform(&contact, factor, &image), TP_OK);
        CHECK_INT(image.friction_kind, TP_FRICTION_BALL);
        stretched[0] = axes[0] * xi[1], stretched[1] = axes[1] * xi[2], length = norm(2, stretched);
        P[0] = check_uniform(&random, 0.1, 3.0);
        for (int i = 0; i < 2; i++) P[1 + i] = -P[0] * axes[i] * stretched[i] / length;
        CHECK(tp_set_law_holds(&contact, 1.0, P, xi, 1e-14 * 10));
        for (int i = 0; i < 3; i++) xi[i] *= factor[i], P[i] /= factor[i];
        CHECK(tp_set_law_holds(&image, 1.0, P, xi, 1e-14 * 100));
    }
}

/* x = proj^U(v) <=> v - x in N^U(x) = U^-1 N(x): the same by the Euclidean cone and U (v - x). A vector
   that is turned back into the set does not belong to it. */
TEST(the_normal_cone_in_a_metric_holds_what_a_projection_leaves)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets), outside = 0;
    check_random random = {48};
    for (int s = 0; s < count; s++) {
        for (int k = 0; k < 40; k++) {
            int n = sets[s].size;
            double U[36], v[6], x[6], left[6], through[6];
            random_metric(&random, n, 0.3, U);
            random_vector(&random, n, 2.0, v);
            CHECK_INT(tp_set_project_metric(&sets[s], 1.0, U, v, x), TP_OK);
            for (int i = 0; i < n; i++) left[i] = v[i] - x[i];
            for (int i = 0; i < n; i++) {
                through[i] = 0.0;
                for (int j = 0; j < n; j++) through[i] += U[i + j * n] * left[j];
            }
            double tolerance = 1e-12 * trace(n, U) / 0.3 * (norm(n, v) + 1.0);
            CHECK(tp_set_normal_contains(&sets[s], 1.0, U, x, left, tolerance));
            CHECK(tp_set_normal_contains(&sets[s], 1.0, NULL, x, through, tolerance * trace(n, U)));
            if (sets[s].kind == TP_SET_FREE || sets[s].kind == TP_SET_ZERO || norm(n, left) < 0.01) continue;
            outside++;
            CHECK(!tp_set_normal_contains(&sets[s], 1.0, U, v, left, 1e-6)); /* v is not in the set */
            for (int i = 0; i < n; i++) left[i] = -left[i];
            bool is_flat = sets[s].kind == TP_SET_BOX; /* of width 0 in the samples: both normals */
            CHECK(is_flat || !tp_set_normal_contains(&sets[s], 1.0, U, x, left, 1e-9));
        }
    }
    CHECK(outside > 10 * count);
}

TEST_MAIN(RUNS(the_normal_cone_in_a_metric_holds_what_a_projection_leaves),
          RUNS(the_nearest_point_in_a_metric_satisfies_its_variational_inequality),
          RUNS(closed_forms_agree_with_the_general_method),
          RUNS(a_factor_on_the_metric_changes_nothing_and_the_unit_metric_is_euclidean),
          RUNS(the_friction_cone_in_a_metric_is_solved_by_the_quartic),
          RUNS(cones_decompose_space_in_every_metric), RUNS(large_orthants_are_projected_by_iteration),
          RUNS(a_metric_that_is_not_definite_is_refused),
          RUNS(a_projection_commutes_with_a_linear_map_when_the_metric_goes_with_it),
          RUNS(balls_in_up_to_three_rows_become_ellipsoids_under_unequal_factors),
          RUNS(normal_cones_follow_a_linear_map_with_the_transposed_inverse),
          RUNS(the_exact_contact_law_survives_a_scaling_of_its_rows))
