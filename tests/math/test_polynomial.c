/* Real roots of polynomials, from polynomials with known roots. */
#include "check.h"
#include "math/polynomial.h"

#include <float.h>
#include <stdlib.h>

enum { MOST = TP_POLYNOMIAL_MAX_DEGREE };

/* Coefficients of scale * prod (x - root) * prod ((x - re)^2 + im^2). */
static int expand(int real_count, const double *real, int pair_count, const double *pair, double scale,
                  double *c)
{
    int degree = 0;
    c[0] = scale;
    for (int r = 0; r < real_count + 2 * pair_count; r++) c[r + 1] = 0.0;
    for (int r = 0; r < real_count; r++) {
        degree++;
        for (int k = degree; k >= 0; k--) c[k] = (k > 0 ? c[k - 1] : 0.0) - real[r] * c[k];
    }
    for (int r = 0; r < pair_count; r++) {
        double re = pair[2 * r], square = re * re + pair[2 * r + 1] * pair[2 * r + 1];
        degree += 2;
        for (int k = degree; k >= 0; k--) {
            c[k] = (k > 1 ? c[k - 2] : 0.0) - 2.0 * re * (k > 0 ? c[k - 1] : 0.0) + square * c[k];
        }
    }
    return degree;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* First-order change of a simple root when each coefficient is off by `relative`. */
static double root_error(int degree, const double *c, double x, double relative)
{
    double slope = 0.0, sum = 0.0;
    for (int k = degree; k > 0; k--) slope = slope * x + k * c[k];
    for (int k = degree; k >= 0; k--) sum = sum * fabs(x) + fabs(c[k]);
    return relative * sum / fabs(slope) + DBL_EPSILON * fabs(x);
}

TEST(well_separated_roots_of_any_degree_and_scale_are_found_to_working_precision)
{
    check_random random = {21};
    for (int round = 0; round < 20000; round++) {
        int real_count = (int)(check_random_bits(&random) % 7);
        int pair_count = (int)(check_random_bits(&random) % 2) + (real_count == 0);
        double real[MOST], pair[2 * MOST], c[MOST + 1], roots[MOST];
        double size = pow(10.0, check_uniform(&random, -25.0, 25.0));
        double scale = check_normal(&random) * pow(10.0, check_uniform(&random, -60.0, 60.0));
        for (int k = 0; k < real_count; k++) {
            real[k] = size * (k - 0.5 * real_count + check_uniform(&random, 0.0, 0.7));
        }
        for (int k = 0; k < pair_count; k++) {
            pair[2 * k] = size * check_normal(&random);
            pair[2 * k + 1] = size * check_uniform(&random, 0.3, 3.0);
        }
        int degree = expand(real_count, real, pair_count, pair, scale, c);
        int found = tp_polynomial_real_roots(degree, c, roots);
        CHECK_INT(found, real_count);
        for (int k = 0; k < found; k++) {
            /* The coefficients carry an error of 3 eps for each of at most `degree` products. */
            CHECK_NEAR(roots[k], real[k], root_error(degree, c, real[k], 4.0 * degree * DBL_EPSILON));
        }
    }
}

TEST(roots_of_very_different_size_are_all_found)
{
    double real[4] = {-1e12, 1e-12, 1.0, 1e9}, c[5], roots[4];
    expand(4, real, 0, NULL, 1.0, c);
    CHECK_INT(tp_polynomial_real_roots(4, c, roots), 4);
    for (int k = 0; k < 4; k++) CHECK_NEAR(roots[k], real[k], root_error(4, c, real[k], 16.0 * DBL_EPSILON));
}

TEST(double_roots_are_found_to_about_the_square_root_of_precision)
{
    check_random random = {22};
    for (int round = 0; round < 5000; round++) {
        double size = pow(10.0, check_uniform(&random, -10.0, 10.0));
        double twice = size * check_uniform(&random, -2.0, 2.0),
               other = size * check_uniform(&random, 3.0, 5.0);
        double real[4] = {twice, twice, other, -other}, c[5], roots[4];
        expand(4, real, 0, NULL, check_normal(&random), c);
        int found = tp_polynomial_real_roots(4, c, roots);
        CHECK(found >= 3 && found <= 4);
        /* p'' at the double root is at least 2 (9 - 4) size^2 c4, the sum of |c_k x^k| at most 7^4 size^4 c4:
           so the shift is below sqrt(noise factor * 8 * 4 eps * 2401 / 5) size. */
        double reach = sqrt(8.0 * 4.0 * DBL_EPSILON * 2401.0 / 5.0) * size;
        CHECK_NEAR(roots[0], -other, 1e-9 * size);
        CHECK_NEAR(roots[found - 1], other, 1e-9 * size);
        for (int k = 1; k < found - 1; k++) CHECK_NEAR(roots[k], twice, reach);
    }
}

TEST(no_root_that_changes_the_sign_is_missed)
{
    /* Random coefficients, no roots known: count sign changes on a fine grid instead. */
    check_random random = {23};
    for (int round = 0; round < 2000; round++) {
        int degree = 1 + (int)(check_random_bits(&random) % MOST), changes = 0;
        double c[MOST + 1], roots[MOST];
        for (int k = 0; k <= degree; k++) c[k] = check_normal(&random);
        int found = tp_polynomial_real_roots(degree, c, roots), in_range = 0;
        double before = tp_polynomial_value(degree, c, -3.0);
        for (int k = 1; k <= 3000; k++) {
            double value = tp_polynomial_value(degree, c, -3.0 + 0.002 * k);
            changes += (value > 0.0) != (before > 0.0);
            before = value;
        }
        for (int k = 0; k < found; k++) {
            in_range += roots[k] > -3.0 && roots[k] < 3.0;
            if (k > 0) CHECK(roots[k] >= roots[k - 1]);
            double sum = 0.0;
            for (int i = degree; i >= 0; i--) sum = sum * fabs(roots[k]) + fabs(c[i]);
            CHECK(fabs(tp_polynomial_value(degree, c, roots[k])) <= 8.0 * (degree + 1) * DBL_EPSILON * sum);
        }
        CHECK(in_range >= changes);
        CHECK((in_range - changes) % 2 == 0);
    }
}

TEST(clustered_and_multiple_roots_stay_near_their_place)
{
    check_random random = {24};
    for (int round = 0; round < 3000; round++) {
        double centre = check_uniform(&random, 0.5, 2.0),
               spread = pow(10.0, check_uniform(&random, -9.0, -3.0));
        double real[4], c[5], roots[4];
        for (int k = 0; k < 4; k++) real[k] = centre + spread * check_uniform(&random, -1.0, 1.0);
        qsort(real, 4, sizeof(double), ascending);
        expand(4, real, 0, NULL, 1.0, c);
        int found = tp_polynomial_real_roots(4, c, roots);
        /* |p| on the cluster is below the noise 32 eps (2 centre)^4: a root is off by at most its 4th root.
         */
        double reach = spread + pow(64.0 * 4.0 * DBL_EPSILON, 0.25) * 2.0 * centre;
        CHECK(found <= 4);
        for (int k = 0; k < found; k++) CHECK_NEAR(roots[k], centre, reach);
    }
    /* Exactly representable: (x-1)^3 (x+2) and (x-1)^2 (x-2)^2. */
    double triple[5] = {-2.0, 5.0, -3.0, -1.0, 1.0}, two_doubles[5] = {4.0, -12.0, 13.0, -6.0, 1.0}, roots[4];
    int found = tp_polynomial_real_roots(4, triple, roots);
    CHECK(found >= 2);
    CHECK_NEAR(roots[0], -2.0, 1e-14);
    for (int k = 1; k < found; k++) CHECK_NEAR(roots[k], 1.0, 1e-4);
    found = tp_polynomial_real_roots(4, two_doubles, roots);
    CHECK(found >= 2);
    CHECK_NEAR(roots[0], 1.0, 1e-7);
    CHECK_NEAR(roots[found - 1], 2.0, 1e-7);
}

TEST(degenerate_coefficients_are_handled)
{
    double roots[MOST];
    double line_as_quartic[5] = {3.0, -1.5, 0.0, 0.0, 0.0}, nothing[5] = {0.0}, constant[3] = {1.0, 0.0, 0.0};
    CHECK_INT(tp_polynomial_real_roots(4, line_as_quartic, roots), 1);
    CHECK_NEAR(roots[0], 2.0, 0.0);
    CHECK_INT(tp_polynomial_real_roots(4, nothing, roots), 0);
    CHECK_INT(tp_polynomial_real_roots(2, constant, roots), 0);

    double with_noise[5] = {2.0, -3.0, 1.0, 0.0, 1e-300}; /* a leading coefficient that is nothing */
    CHECK_INT(tp_polynomial_real_roots(4, with_noise, roots), 2);
    CHECK_NEAR(roots[0], 1.0, 4.0 * DBL_EPSILON);
    CHECK_NEAR(roots[1], 2.0, 8.0 * DBL_EPSILON);

    double at_zero[5] = {0.0, 0.0, -1.0, 0.0, 1.0}; /* x^2 (x^2 - 1) */
    CHECK_INT(tp_polynomial_real_roots(4, at_zero, roots), 3);
    CHECK_NEAR(roots[0], -1.0, DBL_EPSILON);
    CHECK_NEAR(roots[1], 0.0, 0.0);
    CHECK_NEAR(roots[2], 1.0, DBL_EPSILON);

    double not_a_number[3] = {1.0, nan(""), 1.0};
    CHECK_INT(tp_polynomial_real_roots(2, not_a_number, roots), 0);
    double none[5] = {1.0, 0.0, 2.0, 0.0, 1.0}; /* (x^2 + 1)^2 */
    CHECK_INT(tp_polynomial_real_roots(4, none, roots), 0);
    double extreme[3] = {1e-300, -3.0, 1e300}; /* x = 1e-300 (3 -+ sqrt 5) / 2 */
    CHECK_INT(tp_polynomial_real_roots(2, extreme, roots), 2);
    CHECK_NEAR(roots[0] * 1e300, 0.5 * (3.0 - sqrt(5.0)), 16.0 * DBL_EPSILON);
    CHECK_NEAR(roots[1] * 1e300, 0.5 * (3.0 + sqrt(5.0)), 16.0 * DBL_EPSILON);
}

TEST_MAIN(RUNS(well_separated_roots_of_any_degree_and_scale_are_found_to_working_precision),
          RUNS(roots_of_very_different_size_are_all_found),
          RUNS(double_roots_are_found_to_about_the_square_root_of_precision),
          RUNS(no_root_that_changes_the_sign_is_missed),
          RUNS(clustered_and_multiple_roots_stay_near_their_place), RUNS(degenerate_coefficients_are_handled))
