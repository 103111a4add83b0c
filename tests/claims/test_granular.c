/* Claims of examples/granular: many grains behave as published
   experiments say. Small sizes; tests/long/test_granular.c has more of them. */
#define _POSIX_C_SOURCE 200809L
#include "granular.h"

/* Lube et al. 2005: (l_end - l)/l = 1.2 a below a = 2.3, found with columns a hundred grains wide. Ours have
   twelve, and a front is known to one grain: 1/12, and as much for the height. Columns scatter by 0.1 to 0.2,
   so the mean of four is taken. */
TEST(columns_of_discs_spread_as_far_as_experiments_say)
{
    static const char *const seeds[] = {"parameters.seed=1", "parameters.seed=2", "parameters.seed=3",
                                        "parameters.seed=4"};
    double beside = 0.0;
    for (int s = 0; s < 4; s++) {
        const char *edits[] = {"parameters.c=12", "parameters.k=12", seeds[s]};
        collapse made = granular_collapse("granular/column-collapse", edits, 3, 12.0 * 1.02 * 0.01, 1.2);
        CHECK(made.aspect > 0.6 && made.aspect < 1.0);
        beside += 0.25 * (made.runout - 1.2 * made.aspect);
    }
    CHECK_NEAR(beside, 0.0, 0.3);
}

/* Beverloo's law in the plane: W = w (D - k d)^(3/2), so that W^(2/3) is a straight line over D that meets 0
   at k, published as 1 to 2. Counts of n grains that came one by one would scatter by sqrt(n) (in a dense
   flow they scatter less): of two packings 80, 276 and 486 grains, 7.5, 4 and 3 % of W^(2/3). So k scatters
   by 0.3 and W^(2/3) in the middle by 4.6 % beside the line; two and three times that are allowed. */
TEST(the_flow_through_a_gap_follows_beverloos_law)
{
    static const char *const widths[] = {"parameters.D=4", "parameters.D=7", "parameters.D=10"};
    static const char *const seeds[] = {"parameters.seed=1", "parameters.seed=2"};
    double root[3];
    for (int i = 0; i < 3; i++)
        root[i] = pow(granular_mean_flow("parameters.k=20", widths[i], seeds, 2).mean, 2.0 / 3.0);
    double slope = (root[2] - root[0]) / 6.0, k = 4.0 - root[0] / slope;
    CHECK(k > 1.0 - 0.6 && k < 2.0 + 0.6);
    CHECK_NEAR(root[1], 0.5 * (root[0] + root[2]), 0.14 * root[1]);
}

/* Janssen 1895, in the plane: the bottom carries (1 - exp(-x))/x of the weight, x = 2 mu K h/w. K, the ratio
   of horizontal to vertical stress, is between Rankine's active 0.22 of a dense packing (40 degrees) and 1.2,
   the largest that was fitted to silos. Without friction at the walls the bottom carries everything: fifty
   discs of mean r^2 = 0.2033 d^2, to 5.4 %, three standard deviations of the sum. */
TEST(the_walls_of_a_silo_carry_a_part_of_the_weight)
{
    const char *frictionless[] = {"parameters.wall=0"};
    const double depth = 0.9 * 10.0 / (1.02 * 5.0), mean_weight = 50.0 * 1000.0 * 3.14159 * 0.2033e-4 * 9.81;
    double weight = granular_silo(frictionless, 1), share = granular_silo(NULL, 0) / weight;
    CHECK_NEAR(weight, mean_weight, 0.054 * mean_weight);
    CHECK(share > janssen_share(2.0 * 0.5 * 1.2 * depth) && share < janssen_share(2.0 * 0.5 * 0.22 * depth));
}

TEST_MAIN(RUNS(columns_of_discs_spread_as_far_as_experiments_say),
          RUNS(the_flow_through_a_gap_follows_beverloos_law),
          RUNS(the_walls_of_a_silo_carry_a_part_of_the_weight))
