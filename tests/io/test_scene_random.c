/* Random numbers of `repeat`: the documented ones, with the moments of their distributions. Bounds are five
   standard deviations of the mean of N draws. */
#include "io/scene/random.h"

#include "check.h"

enum { DRAWS = 100000 };

static tp_random stream(int64_t seed, int64_t counter, const char *name)
{
    tp_random random = tp_random_begin(seed);
    tp_random_mix(&random, counter);
    tp_random_mix_text(&random, name);
    return random;
}

/* The expected values come from docs/guide/repeat.md, "Random numbers", followed in another language. */
TEST(a_number_follows_from_seed_counters_and_name_as_documented)
{
    tp_random a = stream(1, 0, "x"), b = stream(1, 1, "x"), c = tp_random_begin(7);
    CHECK(tp_random_uniform(&a) == 0x1.a5b68f8b9c179p-1);
    CHECK(tp_random_uniform(&b) == 0x1.a855744cf2086p-1);
    tp_random_mix(&c, -3);
    tp_random_mix(&c, 12);
    tp_random_mix_text(&c, "radius");
    CHECK(tp_random_uniform(&c) == 0x1.e54b665e0632fp-1);
}

/* Mean of N numbers of a given variance, five deviations. */
static double bound(double variance)
{
    return 5.0 * sqrt(variance / DRAWS);
}

/* One number of each of many streams, as scenes draw them: neighbours must not be alike. */
TEST(first_numbers_of_neighbouring_streams_are_uniform_and_uncorrelated)
{
    double mean = 0.0, square = 0.0, product = 0.0, last = 0.5;
    for (int k = 0; k < DRAWS; k++) {
        tp_random random = stream(1, k, "x");
        double value = tp_random_uniform(&random);
        CHECK(value >= 0.0 && value < 1.0);
        mean += value / DRAWS;
        square += (value - 0.5) * (value - 0.5) / DRAWS;
        product += (value - 0.5) * (last - 0.5) / DRAWS;
        last = value;
    }
    CHECK_NEAR(mean, 0.5, bound(1.0 / 12.0));
    CHECK_NEAR(square, 1.0 / 12.0, bound(1.0 / 180.0)); /* E(x - 1/2)^4 = 1/80 */
    CHECK_NEAR(product, 0.0, bound(1.0 / 144.0));
}

/* E x = 0, E x^2 = 1, E x^3 = 0, E x^4 = 3; their variances are 1, 2, 15, 96. P(|x| < 1) = erf(1/sqrt(2)). */
TEST(normal_numbers_have_the_moments_of_the_normal_distribution)
{
    double sums[5] = {0.0}, inside = 0.0;
    tp_random random = tp_random_begin(3);
    for (int k = 0; k < DRAWS; k++) {
        double x = tp_random_normal(&random), power = 1.0;
        for (int p = 0; p < 5; p++, power *= x) sums[p] += power / DRAWS;
        inside += (fabs(x) < 1.0) / (double)DRAWS;
    }
    CHECK_NEAR(sums[1], 0.0, bound(1.0));
    CHECK_NEAR(sums[2], 1.0, bound(2.0));
    CHECK_NEAR(sums[3], 0.0, bound(15.0));
    CHECK_NEAR(sums[4], 3.0, bound(96.0));
    CHECK_NEAR(inside, erf(sqrt(0.5)), bound(0.25));
}

/* A point of the unit sphere in four dimensions, all equally likely: E q_i q_j = 1/4 for i = j, else 0; E
   q_i^4 = 1/8, E q_i^2 q_j^2 = 1/24. */
TEST(random_rotations_are_unit_quaternions_without_a_preferred_direction)
{
    double products[4][4] = {{0.0}};
    tp_random random = tp_random_begin(5);
    for (int k = 0; k < DRAWS; k++) {
        double q[4], square = 0.0;
        tp_random_rotation(&random, q);
        for (int i = 0; i < 4; i++) {
            square += q[i] * q[i];
            for (int j = 0; j < 4; j++) products[i][j] += q[i] * q[j] / DRAWS;
        }
        CHECK_NEAR(square, 1.0, 1e-14);
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            CHECK_NEAR(products[i][j], i == j ? 0.25 : 0.0,
                       bound(i == j ? 1.0 / 8.0 - 1.0 / 16.0 : 1.0 / 24.0));
        }
    }
}

TEST_MAIN(RUNS(a_number_follows_from_seed_counters_and_name_as_documented),
          RUNS(first_numbers_of_neighbouring_streams_are_uniform_and_uncorrelated),
          RUNS(normal_numbers_have_the_moments_of_the_normal_distribution),
          RUNS(random_rotations_are_unit_quaternions_without_a_preferred_direction))
