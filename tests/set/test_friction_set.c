/* Friction sets: support, gauge, boundary points, derivatives with respect to the point and to the size. */
#include "check.h"
#include "set/friction_set.h"
#include "set/samples.h"

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Smallest size at which the set holds z, by bisection on membership; infinite if there is none. */
static double gauge(const tp_friction_set *D, const double *z)
{
    double low = 0.0, high = 1.0;
    if (tp_friction_contains(D, 0.0, z)) return 0.0;
    while (!tp_friction_contains(D, high, z)) {
        low = high;
        high *= 2.0;
        if (isinf(high)) return high;
    }
    for (int i = 0; i < 2000 && high - low > 1e-16 * high; i++) {
        double middle = 0.5 * (low + high);
        *(tp_friction_contains(D, middle, z) ? &high : &low) = middle;
    }
    return high;
}

/* s_D(y) = y.boundary(y), and no sampled member does better; theory/sets.md (4). */
TEST(the_boundary_point_of_a_normal_attains_the_support)
{
    check_random random = {21};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        const friction_case *b = &friction_cases[c];
        tp_friction_set D = {b->kind, b->dimension, b->parameter};
        tp_set set = tp_set_friction(b->kind, b->dimension, b->parameter);
        for (int k = 0; k < 100; k++) {
            double y[5], p[5], q[5];
            int n = b->dimension;
            random_vector(&random, n, 2.0, y);
            tp_friction_boundary(&D, y, p);
            double support = tp_friction_support(&D, y);
            CHECK_NEAR(dot(n, p, y), support, 1e-14 * support);
            CHECK_NEAR(tp_set_support(&set, 1.0, y), support, 0.0);
            CHECK_NEAR(gauge(&D, p), 1.0, 1e-13);
            for (int m = 0; m < 20; m++) {
                random_member(&random, &set, q);
                CHECK(dot(n, q, y) <= support * (1.0 + 1e-14));
            }
        }
    }
}

/* y.z <= s(y) g(z), with equality for normal and boundary point: gauge and support are polar. */
TEST(gauge_and_support_are_dual)
{
    check_random random = {22};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        const friction_case *b = &friction_cases[c];
        tp_friction_set D = {b->kind, b->dimension, b->parameter};
        for (int k = 0; k < 300; k++) {
            double y[5], z[5], p[5];
            int n = b->dimension;
            random_vector(&random, n, 1.0, y);
            random_vector(&random, n, 3.0, z);
            double s = tp_friction_support(&D, y);
            double g = gauge(&D, z);
            CHECK(dot(n, y, z) <= s * g * (1.0 + 1e-13));
            tp_friction_boundary(&D, y, p);
            CHECK_NEAR(gauge(&D, p) * s, dot(n, y, p), 1e-13 * s);
            /* homogeneous and even */
            for (int i = 0; i < n; i++) z[i] *= -2.0;
            CHECK_NEAR(gauge(&D, z), 2.0 * g, 1e-13 * g);
        }
    }
}

TEST(a_point_is_contained_exactly_when_its_gauge_is_below_the_size)
{
    check_random random = {23};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        const friction_case *b = &friction_cases[c];
        tp_friction_set D = {b->kind, b->dimension, b->parameter};
        for (int k = 0; k < 300; k++) {
            double z[5];
            random_vector(&random, b->dimension, 1.0, z);
            double g = gauge(&D, z);
            CHECK(tp_friction_contains(&D, g * (1.0 + 1e-13), z));
            CHECK(!tp_friction_contains(&D, g * (1.0 - 1e-13), z));
            CHECK(!tp_friction_contains(&D, 0.0, z));
            CHECK(!tp_friction_contains(&D, -1.0, z));
        }
    }
}

/* proj_{sD}(z) = s proj_D(z/s). */
TEST(projections_on_scaled_friction_sets_are_scaled_projections)
{
    check_random random = {24};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        const friction_case *b = &friction_cases[c];
        tp_friction_set D = {b->kind, b->dimension, b->parameter};
        for (int k = 0; k < 200; k++) {
            double z[5], p[5], q[5], scale = exp(check_uniform(&random, -5.0, 5.0));
            random_vector(&random, b->dimension, scale, z);
            tp_friction_project(&D, scale, z, p);
            for (int i = 0; i < b->dimension; i++) z[i] /= scale;
            tp_friction_project(&D, 1.0, z, q);
            for (int i = 0; i < b->dimension; i++) CHECK_NEAR(p[i], scale * q[i], 4e-14 * scale);
        }
    }
}

/* d/ds proj_{sD}(z) = (I - J) p/s; theory/sets.md (5). */
TEST(the_derivative_with_respect_to_the_size_agrees_with_differences)
{
    const double step = 1e-6;
    check_random random = {25};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        const friction_case *b = &friction_cases[c];
        tp_friction_set D = {b->kind, b->dimension, b->parameter};
        for (int k = 0; k < 100; k++) {
            double z[5], J[25], dscale[5], plus[5], minus[5], scale = check_uniform(&random, 0.3, 3.0);
            int n = b->dimension;
            random_vector(&random, n, 2.0, z);
            double least = gauge(&D, z);
            if (fabs(least - scale) < 1e-3) continue; /* the kink where z crosses the boundary */
            bool kink = false;
            for (int i = 0; i < n && b->kind == TP_FRICTION_BRICK; i++)
                kink = kink || fabs(fabs(z[i]) - scale * b->parameter[i]) < 1e-3;
            kink = kink || (b->kind == TP_FRICTION_CYLINDER &&
                            (fabs(hypot(z[0], z[1]) - scale * b->parameter[0]) < 1e-3 ||
                             fabs(hypot(z[2], n == 4 ? z[3] : 0.0) - scale * b->parameter[1]) < 1e-3));
            if (kink) continue;
            tp_friction_project_derivative(&D, scale, z, J, dscale);
            tp_friction_project(&D, scale + step, z, plus);
            tp_friction_project(&D, scale - step, z, minus);
            for (int i = 0; i < n; i++) CHECK_NEAR((plus[i] - minus[i]) / (2.0 * step), dscale[i], 1e-7);
        }
    }
}

/* Semi-axes may be 0 (a contact without friction in one direction): the component is 0, the rest unchanged.
 */
TEST(flat_sets_project_to_their_own_plane)
{
    double z[3] = {3.0, -4.0, 5.0}, p[3], q[3], J[9], dscale[3];
    const double flat[3] = {2.0, 0.0, 2.0}, none[3] = {0.0, 0.0, 0.0};
    tp_friction_project(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 3, flat}, 1.0, z, p);
    CHECK_NEAR(p[1], 0.0, 0.0);
    CHECK_NEAR(p[0], 2.0 * 3.0 / sqrt(34.0), 1e-15);
    CHECK_NEAR(p[2], 2.0 * 5.0 / sqrt(34.0), 1e-15);
    CHECK(isinf(gauge(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 3, flat}, z)));
    CHECK(!tp_friction_contains(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 3, flat}, 1.0,
                                (double[]){0.1, 1e-300, 0.1}));
    CHECK(tp_friction_contains(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 3, flat}, 1.0,
                               (double[]){0.1, 0.0, 0.1}));
    tp_friction_project(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 3, flat}, 1.0, (double[]){0.1, 7.0, 0.1},
                        q);
    CHECK_NEAR(q[0], 0.1, 0.0);
    CHECK_NEAR(q[1], 0.0, 0.0);

    static const tp_friction_kind shapes[] = {TP_FRICTION_BALL, TP_FRICTION_ELLIPSOID, TP_FRICTION_CYLINDER,
                                              TP_FRICTION_CONTENSOU, TP_FRICTION_BRICK};
    for (int s = 0; s < 5; s++) {
        tp_friction_project(&(tp_friction_set){shapes[s], 3, none}, 1.0, z, p);
        tp_friction_project_derivative(&(tp_friction_set){shapes[s], 3, none}, 1.0, z, J, dscale);
        for (int i = 0; i < 3; i++) CHECK_NEAR(p[i], 0.0, 0.0);
        for (int i = 0; i < 9; i++) CHECK_NEAR(J[i], 0.0, 0.0);
        CHECK_NEAR(tp_friction_support(&(tp_friction_set){shapes[s], 3, none}, z), 0.0, 0.0);
        CHECK(isinf(gauge(&(tp_friction_set){shapes[s], 3, none}, z)));
        CHECK(tp_friction_contains(&(tp_friction_set){shapes[s], 3, none}, 1.0, none));
    }
    /* a disc and a segment as limits of the Contensou set */
    tp_friction_project(&(tp_friction_set){TP_FRICTION_CONTENSOU, 3, (double[]){1.0, 0.0}}, 1.0, z, p);
    CHECK_NEAR(p[0], 0.6, 1e-15);
    CHECK_NEAR(p[1], -0.8, 1e-15);
    CHECK_NEAR(p[2], 0.0, 0.0);
    tp_friction_project(&(tp_friction_set){TP_FRICTION_CONTENSOU, 3, (double[]){0.0, 2.0}}, 1.0, z, p);
    CHECK_NEAR(p[0], 0.0, 0.0);
    CHECK_NEAR(p[2], 2.0, 0.0);
}

/* Very long and flat ellipsoids, far points: p on the surface, z - p along the normal there. */
TEST(ellipsoids_of_any_proportion_are_met_at_a_right_angle)
{
    check_random random = {26};
    for (int k = 0; k < 2000; k++) {
        double s[3], z[3], p[3], normal[3], rest[3];
        for (int i = 0; i < 3; i++) s[i] = exp(check_uniform(&random, -12.0, 12.0));
        random_vector(&random, 3, exp(check_uniform(&random, -12.0, 25.0)), z);
        if (tp_friction_contains(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 3, s}, 1.0, z)) continue;
        tp_friction_project(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 3, s}, 1.0, z, p);
        CHECK_NEAR(gauge(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 3, s}, p), 1.0, 1e-14);
        double length = 0.0;
        for (int i = 0; i < 3; i++) {
            normal[i] = p[i] / (s[i] * s[i]);
            rest[i] = z[i] - p[i];
            length += rest[i] * rest[i];
        }
        /* rest = t normal; with t from the largest component */
        int big = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(normal[i]) > fabs(normal[big])) big = i;
        double t = rest[big] / normal[big];
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(rest[i], t * normal[i], 1e-14 * (sqrt(length) + fabs(z[i]) + s[i]));
    }
}

/* Divided by its semi-axes a round set is the unit ball; other kinds, and flat sets, have no such scaling. */
TEST(semi_axes_make_a_unit_ball)
{
    double axis[3], p[3], y[3] = {0.3, -2.0, 0.7};
    const double s[3] = {0.2, 0.5, 0.7};
    for (int kind = TP_FRICTION_BALL; kind <= TP_FRICTION_ELLIPSOID; kind++) {
        tp_friction_set D = {(tp_friction_kind)kind, 3, s};
        double sum = 0.0;
        CHECK(tp_friction_semi_axes(&D, axis));
        tp_friction_boundary(&D, y, p);
        for (int i = 0; i < 3; i++) sum += p[i] * p[i] / (axis[i] * axis[i]);
        CHECK_NEAR(sum, 1.0, 1e-14);
    }
    CHECK(!tp_friction_semi_axes(&(tp_friction_set){TP_FRICTION_CYLINDER, 3, s}, axis));
    CHECK(!tp_friction_semi_axes(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 2, (double[]){0.2, 0.0}}, axis));
    CHECK(!tp_friction_semi_axes(&(tp_friction_set){TP_FRICTION_BALL, 2, (double[]){0.0}}, axis));
}

/* A kind that is listed but has not all its functions, its samples, or a name of its own, is noticed here. */
TEST(every_kind_of_friction_set_is_complete)
{
    for (int kind = TP_FRICTION_BALL; kind < TP_FRICTION_KINDS; kind++) {
        const tp_friction_descriptor *d = tp_friction_descriptor_of((tp_friction_kind)kind);
        bool has_case = false;
        CHECK(d->project && d->contains && d->support && d->boundary && d->derivative);
        CHECK(1 <= d->least_dimension && d->least_dimension <= d->most_dimension);
        CHECK(d->most_dimension <= TP_FRICTION_MAX);
        CHECK(tp_friction_parameter_count((tp_friction_kind)kind, d->most_dimension) <= 6);
        for (int other = 0; other < kind; other++)
            CHECK(strcmp(d->name, tp_friction_kind_name((tp_friction_kind)other)) != 0);
        for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++)
            has_case = has_case || (int)friction_cases[c].kind == kind;
        if (!has_case) fail_msg("no friction_cases of tests/set/samples.h with kind %s", d->name);
    }
}

TEST_MAIN(RUNS(the_boundary_point_of_a_normal_attains_the_support), RUNS(gauge_and_support_are_dual),
          RUNS(a_point_is_contained_exactly_when_its_gauge_is_below_the_size),
          RUNS(projections_on_scaled_friction_sets_are_scaled_projections),
          RUNS(the_derivative_with_respect_to_the_size_agrees_with_differences),
          RUNS(flat_sets_project_to_their_own_plane),
          RUNS(ellipsoids_of_any_proportion_are_met_at_a_right_angle), RUNS(semi_axes_make_a_unit_ball),
          RUNS(every_kind_of_friction_set_is_complete))
