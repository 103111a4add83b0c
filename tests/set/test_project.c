/* Properties of the projection for every kind and shape of set; theory/sets.md (1)-(4). */
#include "check.h"
#include "set/samples.h"

#include <stdbool.h>

/* The projections are computed to a few units in the last place of |z|; 200 of them leave room for the root
   finders of ellipsoid, Contensou set and cones over them, and still catch any wrong formula. */
static const double rounding = 200 * 2.2e-16;

static double norm(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static double distance(int n, const double *x, const double *y)
{
    double d[8];
    for (int i = 0; i < n; i++) d[i] = x[i] - y[i];
    return norm(n, d);
}

static double random_spread(check_random *random)
{
    return exp(check_uniform(random, -3.0, 4.0));
}

TEST(every_sample_set_passes_its_check)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    CHECK(count > 40);
    for (int s = 0; s < count; s++) CHECK_INT(tp_set_check(&sets[s], NULL), TP_OK);
}

TEST(a_projection_lies_in_its_set_and_is_idempotent)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {11};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 400; k++) {
            double z[6], p[6], again[6];
            int n = sets[s].size;
            random_vector(&random, n, random_spread(&random), z);
            tp_set_project(&sets[s], 1.0, z, p);
            tp_set_project(&sets[s], 1.0, p, again);
            CHECK_NEAR(distance(n, p, again), 0.0, rounding * (norm(n, p) + norm(n, z)));
            CHECK(tp_set_contains(&sets[s], 1.0, p, rounding * (norm(n, z) + norm(n, p))));
        }
}

/* z - p in N_C(p): (z - p).(q - p) <= 0 for members q that were made without the projection. */
TEST(what_is_left_after_a_projection_is_in_the_normal_cone)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {12};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 100; k++) {
            double z[6], p[6], q[6], rest[6], way[6];
            int n = sets[s].size;
            random_vector(&random, n, random_spread(&random), z);
            tp_set_project(&sets[s], 1.0, z, p);
            for (int i = 0; i < n; i++) rest[i] = z[i] - p[i];
            for (int m = 0; m < 20; m++) {
                random_member(&random, &sets[s], q);
                for (int i = 0; i < n; i++) way[i] = q[i] - p[i];
                CHECK(dot(n, rest, way) <= rounding * norm(n, z) * (norm(n, z) + norm(n, q)));
            }
        }
}

TEST(members_are_contained_and_project_to_themselves)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {13};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 100; k++) {
            double q[6], p[6];
            int n = sets[s].size;
            random_member(&random, &sets[s], q);
            for (int i = 0; i < n; i++) q[i] *= sets[s].kind == TP_SET_BOX ? 1.0 : 1.0 - 1e-14;
            tp_set_project(&sets[s], 1.0, q, p);
            CHECK_NEAR(distance(n, p, q), 0.0, rounding * norm(n, q));
            CHECK(tp_set_contains(&sets[s], 1.0, q, rounding * norm(n, q)));
        }
}

TEST(projections_do_not_expand_distances)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {14};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 300; k++) {
            double z[6], y[6], p[6], q[6];
            int n = sets[s].size;
            random_vector(&random, n, random_spread(&random), z);
            random_vector(&random, n, k % 2 ? 1e-3 : 1.0, y);
            for (int i = 0; i < n; i++) y[i] += z[i];
            tp_set_project(&sets[s], 1.0, z, p);
            tp_set_project(&sets[s], 1.0, y, q);
            CHECK(distance(n, p, q) <= distance(n, z, y) + rounding * (norm(n, z) + norm(n, y)));
        }
}

/* z = proj_K z + proj_{-K*} z with orthogonal parts, for every cone. */
TEST(cones_decompose_space_as_moreau_says)
{
    check_random random = {15};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        tp_set contact = tp_set_contact(friction_cases[c].kind, friction_cases[c].dimension + 1,
                                        friction_cases[c].parameter);
        tp_set dual = tp_set_dual_cone(contact);
        for (int k = 0; k < 300; k++) {
            double z[6], opposite[6], p[6], q[6];
            int n = contact.size;
            random_vector(&random, n, random_spread(&random), z);
            for (int i = 0; i < n; i++) opposite[i] = -z[i];
            tp_set_project(&contact, 1.0, z, p);
            tp_set_project(&dual, 1.0, opposite, q);
            double length = norm(n, z);
            CHECK_NEAR(dot(n, p, q), 0.0, rounding * length * length);
            for (int i = 0; i < n; i++) CHECK_NEAR(p[i] - q[i], z[i], rounding * length);
            CHECK(tp_set_contains(&contact, 1.0, p, rounding * length));
            CHECK(tp_set_contains(&dual, 1.0, q, rounding * length));
            /* by the definition of the dual cone, not by its projection */
            double member[6];
            for (int m = 0; m < 20; m++) {
                random_member(&random, &contact, member);
                CHECK(dot(n, q, member) >= -rounding * length * norm(n, member));
            }
        }
    }
}

/* A cone is its own recession cone, a friction set has none, a box keeps its open sides. */
TEST(recession_cones_are_the_ones_of_the_table)
{
    double z[3] = {-2.0, 3.0, 1.0}, p[3];
    tp_set box = tp_set_interval(-INFINITY, 1.0);
    box.size = 3;
    box.parameter[2] = 0.0, box.parameter[3] = INFINITY, box.parameter[4] = -1.0, box.parameter[5] = 5.0;
    tp_set_project_recession(&box, z, p);
    CHECK_NEAR(p[0], -2.0, 0.0);
    CHECK_NEAR(p[1], 3.0, 0.0);
    CHECK_NEAR(p[2], 0.0, 0.0);
    for (int i = 0; i < 3; i++) z[i] = -z[i];
    tp_set_project_recession(&box, z, p);
    CHECK_NEAR(p[0], 0.0, 0.0);
    CHECK_NEAR(p[1], 0.0, 0.0);

    tp_set ball = tp_set_ball(3, 10.0), coulomb = tp_set_coulomb(3, 0.5), joint = tp_set_free(3);
    tp_set_project_recession(&ball, z, p);
    for (int i = 0; i < 3; i++) CHECK_NEAR(p[i], 0.0, 0.0);
    tp_set_project_recession(&joint, z, p);
    for (int i = 0; i < 3; i++) CHECK_NEAR(p[i], z[i], 0.0);
    double q[3];
    tp_set_project_recession(&coulomb, z, p);
    tp_set_project(&coulomb, 1.0, z, q);
    for (int i = 0; i < 3; i++) CHECK_NEAR(p[i], q[i], 0.0);
}

static bool projection_is_smooth_at(const tp_set *set, const double *z, double step)
{
    double J[36], other[36], y[6];
    int n = set->size;
    tp_set_project_derivative(set, 1.0, z, J);
    for (int k = 0; k < 2 * n; k++) {
        memcpy(y, z, (size_t)n * sizeof *y);
        y[k / 2] += (k % 2 ? 2.0 : -2.0) * step;
        tp_set_project_derivative(set, 1.0, y, other);
        for (int i = 0; i < n * n; i++)
            if (fabs(other[i] - J[i]) > 1e-2) return false;
    }
    return true;
}

/* Central differences err by step^2 third derivatives/6 + rounding |z|/step: 1e-10 * O(100) + 1e-11. */
TEST(the_derivative_of_a_projection_agrees_with_differences_where_it_is_smooth)
{
    const double step = 1e-5;
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets), tried = 0, used = 0;
    check_random random = {16};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 100; k++, tried++) {
            double z[6], J[36], plus[6], minus[6];
            int n = sets[s].size;
            random_vector(&random, n, 1.5, z);
            if (!projection_is_smooth_at(&sets[s], z, step)) continue;
            used++;
            tp_set_project_derivative(&sets[s], 1.0, z, J);
            for (int j = 0; j < n; j++) {
                double keep = z[j];
                z[j] = keep + step;
                tp_set_project(&sets[s], 1.0, z, plus);
                z[j] = keep - step;
                tp_set_project(&sets[s], 1.0, z, minus);
                z[j] = keep;
                for (int i = 0; i < n; i++)
                    CHECK_NEAR((plus[i] - minus[i]) / (2.0 * step), J[i + j * n], 2e-6);
            }
        }
    CHECK(used > tried * 9 / 10);
}

/* A projection is the gradient of a convex function with slope at most 1. */
TEST(the_derivative_is_symmetric_with_eigenvalues_between_0_and_1)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {17};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 200; k++) {
            double z[6], J[36], v[6], Jv[6];
            int n = sets[s].size;
            random_vector(&random, n, random_spread(&random), z);
            random_vector(&random, n, 1.0, v);
            tp_set_project_derivative(&sets[s], 1.0, z, J);
            for (int i = 0; i < n; i++) {
                Jv[i] = 0.0;
                for (int j = 0; j < n; j++) {
                    Jv[i] += J[i + j * n] * v[j];
                    CHECK_NEAR(J[i + j * n], J[j + i * n], 1e-11);
                }
            }
            CHECK(dot(n, v, Jv) >= dot(n, Jv, Jv) - 1e-11 * dot(n, v, v)); /* J - J^2 >= 0 */
        }
}

TEST(a_set_that_follows_its_masters_scales_with_their_norm)
{
    tp_set body = tp_set_following(tp_set_ball(2, 0.5), 1, 2);
    double P[3] = {9.0, 3.0, -4.0}, z[2] = {30.0, 40.0}, p[2];
    CHECK_NEAR(tp_set_scale(&body, P), 5.0, 0.0);
    tp_set_project(&body, tp_set_scale(&body, P), z, p);
    CHECK_NEAR(p[0], 1.5, 1e-15);
    CHECK_NEAR(p[1], 2.0, 1e-15);
    tp_set_project(&body, 0.0, z, p);
    CHECK_NEAR(p[0], 0.0, 0.0);
    tp_set_project(&body, -3.0, z, p);
    CHECK_NEAR(p[1], 0.0, 0.0);
    CHECK_NEAR(tp_set_support(&body, 5.0, z), 125.0, 1e-13);
    tp_set contact = tp_set_coulomb(3, 0.5);
    CHECK_NEAR(tp_set_scale(&contact, NULL), 1.0, 0.0);
}

TEST(extreme_and_invalid_numbers_neither_overflow_nor_hang)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {18};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 60; k++) {
            double z[6], p[6], J[36];
            int n = sets[s].size;
            random_vector(&random, n, k % 2 ? 1e200 : 1e-200, z);
            tp_set_project(&sets[s], 1.0, z, p);
            tp_set_project_derivative(&sets[s], 1.0, z, J);
            for (int i = 0; i < n; i++) CHECK(isfinite(p[i]) && fabs(p[i]) <= 1e203);
            for (int i = 0; i < n * n; i++) CHECK(isfinite(J[i]));
            z[k % n] = k % 3 == 0 ? NAN : k % 3 == 1 ? INFINITY : -INFINITY;
            tp_set_project(&sets[s], 1.0, z, p);
            tp_set_project_derivative(&sets[s], 1.0, z, J);
        }
}

TEST(a_wrong_set_is_refused_with_a_reason)
{
    tp_message why;
    tp_set bad[] = {tp_set_free(0),
                    tp_set_interval(1.0, 0.0),
                    tp_set_interval(NAN, 0.0),
                    tp_set_interval(INFINITY, INFINITY),
                    tp_set_ball(6, 1.0),
                    tp_set_ball(2, -1.0),
                    tp_set_coulomb(1, 0.5),
                    tp_set_coulomb(3, NAN),
                    tp_set_coulomb(3, INFINITY),
                    tp_set_friction(TP_FRICTION_CYLINDER, 2, (double[]){1.0, 1.0}),
                    tp_set_friction(TP_FRICTION_NONE, 2, NULL),
                    tp_set_following(tp_set_coulomb(3, 0.5), 0, 2)};
    for (int i = 0; i < (int)(sizeof bad / sizeof bad[0]); i++) {
        why.text[0] = 0;
        CHECK_INT(tp_set_check(&bad[i], &why), TP_INVALID_DATA);
        CHECK(why.text[0] != 0);
    }
    tp_set rolling = tp_set_rolling(0.5, 0.1);
    CHECK_INT(tp_set_check(&rolling, &why), TP_OK);
    CHECK_INT(rolling.size, 5);
}

TEST_MAIN(RUNS(every_sample_set_passes_its_check), RUNS(a_projection_lies_in_its_set_and_is_idempotent),
          RUNS(what_is_left_after_a_projection_is_in_the_normal_cone),
          RUNS(members_are_contained_and_project_to_themselves), RUNS(projections_do_not_expand_distances),
          RUNS(cones_decompose_space_as_moreau_says), RUNS(recession_cones_are_the_ones_of_the_table),
          RUNS(the_derivative_of_a_projection_agrees_with_differences_where_it_is_smooth),
          RUNS(the_derivative_is_symmetric_with_eigenvalues_between_0_and_1),
          RUNS(a_set_that_follows_its_masters_scales_with_their_norm),
          RUNS(extreme_and_invalid_numbers_neither_overflow_nor_hang),
          RUNS(a_wrong_set_is_refused_with_a_reason))
