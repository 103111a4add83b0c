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
    static const char *const seeds[] = {"parameters.seed=1", "parameters.seed=2", "parameters.seed=3",
                                        "parameters.seed=4", "parameters.seed=5", "parameters.seed=6"};
    double root[6], x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < 6; i++) {
        root[i] = pow(granular_mean_flow(widths[i], seeds, 6), 2.0 / 3.0);
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

/* Janssen 1895: a silo twice as high loads its bottom by less than twice as much. mu K follows from the first
   height and predicts the load of the other; forces on the five discs at the bottom fluctuate, also in the
   mean over 0.15 s: a quarter of the load. */
TEST(the_load_of_a_silo_saturates_as_janssens_law_says)
{
    const char *frictionless[] = {"parameters.wall=0"}, *high[] = {"parameters.k=20"};
    double weight = granular_silo(frictionless, 1), share = granular_silo(NULL, 0) / weight;
    double load = granular_silo(high, 1) / (2.0 * weight),
           expected = janssen_share(2.0 * janssen_depth(share));
    print_message("share %.3f, of twice the height %.3f, Janssen %.3f\n", share, load, expected);
    CHECK_NEAR(load, expected, 0.25 * expected);
}

enum { PACKINGS = 8 };

/* Mean and variance of the angle over packings [degrees], and the largest part of grains that still move. */
typedef struct sample {
    double mean, variance, moving;
} sample;

static sample angles_of_repose(const char *friction)
{
    static const char *const seeds[PACKINGS] = {"parameters.seed=1", "parameters.seed=2", "parameters.seed=3",
                                                "parameters.seed=4", "parameters.seed=5", "parameters.seed=6",
                                                "parameters.seed=7", "parameters.seed=8"};
    sample all = {0.0, 0.0, 0.0};
    double squares = 0.0;
    for (int s = 0; s < PACKINGS; s++) {
        const char *edits[] = {"parameters.c=20", "parameters.k=12", friction, seeds[s]};
        deposit made = granular_repose(edits, 4, 20.0 * 1.02 * 0.01, 3.0);
        double angle = made.angle * 57.29577951308232;
        all.moving = fmax(all.moving, made.moving);
        all.mean += angle / PACKINGS;
        squares += angle * angle / PACKINGS;
    }
    all.variance = (squares - all.mean * all.mean) * PACKINGS / (PACKINGS - 1);
    print_message("%s: %.1f degrees, packings scatter by %.1f, %.3f still move\n", friction, all.mean,
                  sqrt(all.variance), all.moving);
    return all;
}

/* Standard error of the difference of two means [degrees]. */
static double doubt_of(sample a, sample b)
{
    return sqrt((a.variance + b.variance) / PACKINGS);
}

/* Zhou et al. 2001: the angle of repose that is left when a container is emptied over its edge grows with
   sliding friction. Without rolling resistance it grows ever less, because grains roll instead of sliding. A
   packing scatters by some degrees, so means are compared with their standard errors: a claim holds if it is
   off by three of them (eight packings each). Deposits come to rest, but for some with
   friction 0.05, which creep: their angle would fall further. */
TEST(the_angle_of_repose_grows_with_friction_but_ever_less)
{
    sample least = angles_of_repose("parameters.mu=0.05"), low = angles_of_repose("parameters.mu=0.2"),
           high = angles_of_repose("parameters.mu=0.5"), most = angles_of_repose("parameters.mu=1");
    CHECK(high.moving <= 0.02 && most.moving <= 0.02);
    CHECK(high.mean - least.mean > 3.0 * doubt_of(least, high));

    /* degrees for each unit of friction */
    double at_first = (low.mean - least.mean) / 0.15, at_last = (most.mean - high.mean) / 0.5;
    CHECK(at_first - at_last > 3.0 * hypot(doubt_of(least, low) / 0.15, doubt_of(high, most) / 0.5));
}

TEST_MAIN(RUNS(columns_of_discs_spread_as_far_as_experiments_say),
          RUNS(a_round_column_spreads_as_far_as_experiments_say),
          RUNS(beverloos_law_holds_over_many_widths_and_the_height_does_not_matter),
          RUNS(the_load_of_a_silo_saturates_as_janssens_law_says),
          RUNS(the_angle_of_repose_grows_with_friction_but_ever_less))
