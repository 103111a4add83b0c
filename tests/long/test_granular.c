/* Claims of tests/claims/test_granular.c at larger sizes and with more grains: columns in the plane and in
   space, Beverloo's law over more widths, a flow that does not depend on the height above it. */
#define _POSIX_C_SOURCE 200809L
#include "granular.h"

/* Lube et al. 2005: 1.2 a below a = 2.3, else 1.9 a^(2/3). */
TEST(columns_of_discs_spread_as_far_as_experiments_say)
{
    static const char *const layers[] = {"parameters.k=12", "parameters.k=24", "parameters.k=48"};
    static const char *const seeds[] = {"parameters.seed=1", "parameters.seed=2"};
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < 2; s++) {
            const char *edits[] = {"parameters.c=12", layers[k], seeds[s]};
            collapse made = granular_collapse("granular/column-collapse", edits, 3, 12.0 * 1.02 * 0.01, 1.6);
            double published = made.aspect < 2.3 ? 1.2 * made.aspect : 1.9 * pow(made.aspect, 2.0 / 3.0);
            print_message("a %.2f: %.2f, published %.2f\n", made.aspect, made.runout, published);
            CHECK_NEAR(made.runout, published, 0.3 * published);
        }
    }
}

/* Lube et al. 2004: (r_end - r)/r = 1.24 a below a = 1.7. Six grains in the radius: fewer grains run less far
   (examples/granular/column-collapse-3d). */
TEST(a_round_column_spreads_as_far_as_experiments_say)
{
    const char *edits[] = {"parameters.R=6", "parameters.k=10"};
    collapse made = granular_collapse("granular/column-collapse-3d", edits, 2, 6.0 * 0.01, 1.0);
    print_message("a %.2f: %.2f, published %.2f\n", made.aspect, made.runout, 1.24 * made.aspect);
    CHECK_NEAR(made.runout, 1.24 * made.aspect, 0.35 * 1.24 * made.aspect);
}

TEST(beverloos_law_holds_over_many_widths_and_the_height_does_not_matter)
{
    static const char *const widths[] = {"parameters.D=4", "parameters.D=5", "parameters.D=6",
                                         "parameters.D=7", "parameters.D=8", "parameters.D=10"};
    static const double D[] = {4.0, 5.0, 6.0, 7.0, 8.0, 10.0};
    double root[6], x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < 6; i++) {
        const char *edits[] = {"parameters.c=24", "parameters.k=20", widths[i]};
        root[i] = pow(granular_flow(edits, 3), 2.0 / 3.0);
        x += D[i] / 6.0, y += root[i] / 6.0, xx += D[i] * D[i] / 6.0, xy += D[i] * root[i] / 6.0;
    }
    double slope = (xy - x * y) / (xx - x * x), k = x - y / slope;
    print_message("k %.2f\n", k);
    CHECK(k > 1.0 && k < 2.0);
    for (int i = 0; i < 6; i++) CHECK_NEAR(root[i], slope * (D[i] - k), 0.06 * root[i]);

    const char *low[] = {"parameters.c=24", "parameters.k=14", "parameters.D=6"};
    const char *high[] = {"parameters.c=24", "parameters.k=28", "parameters.D=6"};
    double a = granular_flow(low, 3), b = granular_flow(high, 3);
    print_message("flow %.0f and %.0f\n", a, b);
    CHECK_NEAR(b, a, 0.15 * a); /* a fluid: twice the height, 1.4 times the flow */
}

TEST_MAIN(RUNS(columns_of_discs_spread_as_far_as_experiments_say),
          RUNS(a_round_column_spreads_as_far_as_experiments_say),
          RUNS(beverloos_law_holds_over_many_widths_and_the_height_does_not_matter))
