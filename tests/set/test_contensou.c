/* The Coulomb-Contensou set: the figures of theory/sets.md section 2.3. */
#include "check.h"
#include "set/contensou.h"
#include "set/friction_set.h"
#include "set/samples.h"

static const double pi = 3.14159265358979323846;

TEST(the_curve_passes_through_its_table)
{
    static const double table[5][3] = {{0.25, 0.28992237, 0.93896484},
                                       {0.5, 0.55223308, 0.7734375},
                                       {1.0, 0.88357293, 0.375},
                                       {2.0, 0.97427858, 0.17300666},
                                       {5.0, 0.99598266, 0.06810210}};
    for (int i = 0; i < 5; i++) {
        tp_contensou_point b = tp_contensou_curve(table[i][0]);
        CHECK_NEAR(b.b_T, table[i][1], 0.5e-8);
        CHECK_NEAR(b.b_tau, table[i][2], 0.5e-8);
    }
    CHECK_NEAR(tp_contensou_curve(0.0).b_T, 0.0, 0.0);
    CHECK_NEAR(tp_contensou_curve(0.0).b_tau, 1.0, 0.0);
    CHECK_NEAR(tp_contensou_curve(1.0).b_T, 9.0 * pi / 32.0, 1e-15);
    CHECK_NEAR(tp_contensou_curve(nextafter(1.0, 2.0)).b_T, 9.0 * pi / 32.0, 1e-14);
    CHECK_NEAR(tp_contensou_curve(nextafter(1.0, 2.0)).b_tau, 0.375, 1e-14);
    CHECK_NEAR(tp_contensou_curve(INFINITY).b_T, 1.0, 0.0);
    CHECK_NEAR(tp_contensou_curve(INFINITY).b_tau, 0.0, 0.0);
}

/* The first coefficients of both series (15), compared where the next omitted terms are below 1e-15. */
TEST(the_series_has_the_published_coefficients)
{
    for (double u = 12.0; u < 1e4; u *= 1.7) {
        double x = 1.0 / u, y = x * x;
        double b_T =
            1.0 - y * (1.0 / 10 + y * (3.0 / 280 + y * (1.0 / 336 + y * (5.0 / 4224 + y * (21.0 / 36608)))));
        double b_tau =
            x / pi *
            (16.0 / 15 +
             y * (8.0 / 105 + y * (2.0 / 105 + y * (5.0 / 693 + y * (35.0 / 10296 + y * 21.0 / 11440)))));
        CHECK_NEAR(tp_contensou_curve(u).b_T, b_T, 1e-15);
        CHECK_NEAR(tp_contensou_curve(u).b_tau, b_tau, 1e-14 * b_tau);
    }
}

/* Closed form and series agree where they meet: no jump in value beyond rounding. */
TEST(closed_form_and_series_join_without_a_step)
{
    tp_contensou_point a = tp_contensou_curve(2.5), b = tp_contensou_curve(nextafter(2.5, 3.0));
    CHECK_NEAR(a.b_T, b.b_T, 1e-15);
    CHECK_NEAR(a.b_tau, b.b_tau, 1e-14);
    CHECK_NEAR(a.radius, b.radius, 1e-12);
}

/* b_T'(u) u R + b_tau'(u) = 0 with Rbar = 3 pi R/16: the normal at parameter u is (u R, 1). */
TEST(the_normal_at_parameter_u_is_the_sliding_velocity)
{
    for (double u = 0.05; u < 40.0; u *= 1.3) {
        double h = 1e-4 * u;
        tp_contensou_point a = tp_contensou_curve(u - h), b = tp_contensou_curve(u + h);
        double slope_T = (b.b_T - a.b_T) / (2.0 * h), slope_tau = (b.b_tau - a.b_tau) / (2.0 * h);
        /* central differences: h^2/6 times third derivatives over first ones, of order 1/u^2 */
        CHECK_NEAR(slope_T * u * 16.0 / (3.0 * pi) / -slope_tau, 1.0, 1e-6);
    }
}

TEST(the_radius_of_curvature_is_the_turning_rate_of_the_normal)
{
    const double k = 3.0 * pi / 16.0;
    for (double phi = 0.01; phi < 1.57; phi += 0.02) {
        double h = 1e-5;
        tp_contensou_point a = tp_contensou_curve(k * tan(phi - h)), b = tp_contensou_curve(k * tan(phi + h));
        double radius = hypot(b.b_T - a.b_T, b.b_tau - a.b_tau) / (2.0 * h);
        CHECK_NEAR(tp_contensou_curve(k * tan(phi)).radius, radius, 1e-5 * radius);
    }
    CHECK_NEAR(tp_contensou_curve(0.0).radius, 2.0 * k * k, 1e-15);
    CHECK_NEAR(tp_contensou_curve(INFINITY).radius, 0.2 / (k * k), 1e-15);
}

static double level(double u)
{
    tp_contensou_point b = tp_contensou_curve(u);
    return b.b_T * b.b_T + b.b_tau * b.b_tau;
}

TEST(the_boundary_has_the_stated_levels_in_the_ellipsoid)
{
    static const double table[6][2] = {{0.25, 0.9657}, {0.5, 0.9032}, {1.0, 0.9213},
                                       {2.0, 0.9792},  {5.0, 0.9966}, {0.6862, 0.8836}};
    double smallest = 1.0, at = 0.0;
    for (int i = 0; i < 6; i++) CHECK_NEAR(level(table[i][0]), table[i][1], 0.51e-4);
    for (int i = 1; i < 40000; i++)
        if (level(i * 1e-4) < smallest) smallest = level(i * 1e-4), at = i * 1e-4;
    CHECK_NEAR(at, 0.6862, 1.01e-4);
    CHECK_NEAR(smallest, 0.8836, 0.51e-4);
    CHECK_NEAR(1.0 - sqrt(smallest), 0.060, 0.0005); /* 6.0 % radially inside */
}

TEST(the_set_lies_in_the_ellipsoid_and_that_in_the_cylinder)
{
    check_random random = {31};
    const double p[3] = {0.4, 0.4, 0.4};
    for (int i = 0; i < 5000; i++) {
        double z[3];
        random_vector(&random, 3, 0.25, z);
        bool in_contensou = tp_friction_contains(&(tp_friction_set){TP_FRICTION_CONTENSOU, 3, p}, 1.0, z);
        bool in_ellipsoid = tp_friction_contains(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 3, p}, 1.0, z);
        bool in_cylinder = tp_friction_contains(&(tp_friction_set){TP_FRICTION_CYLINDER, 3, p}, 1.0, z);
        CHECK(!in_contensou || in_ellipsoid);
        CHECK(!in_ellipsoid || in_cylinder);
    }
    static const double touching[4][3] = {{0.4, 0, 0}, {0, -0.4, 0}, {0, 0, 0.4}, {0, 0, -0.4}};
    static const tp_friction_kind kinds[3] = {TP_FRICTION_CONTENSOU, TP_FRICTION_ELLIPSOID,
                                              TP_FRICTION_CYLINDER};
    for (int i = 0; i < 12; i++) {
        tp_friction_set D = {kinds[i / 4], 3, p};
        CHECK(tp_friction_contains(&D, 1.0 + 1e-15, touching[i % 4]));
        CHECK(!tp_friction_contains(&D, 1.0 - 1e-15, touching[i % 4]));
    }
}

/* Start on the boundary, go out along the normal by any distance, come back: to 1e-14 of the size of the
   data, for all proportions of the set. The root is found to 1e-16 in the angle, which moves the foot by at
   most the radius of curvature of the normalised curve (below 1) times that, and the data are rounded once.
 */
TEST(the_projection_returns_to_the_point_it_left_along_the_normal)
{
    check_random random = {32};
    for (int k = 0; k < 20000; k++) {
        double p[2] = {1.0, exp(check_uniform(&random, -9.0, 9.0))}, normal[3], foot[3], z[3], back[3];
        double proportion = p[0] / p[1];
        /* normals spread evenly over the curve, not over the sphere */
        double phi = check_uniform(&random, 0.0, 0.5 * pi), turn = check_uniform(&random, -pi, pi);
        double n_t = sin(phi), n_tau = cos(phi) * proportion, length = hypot(n_t, n_tau);
        normal[0] = n_t / length * cos(turn);
        normal[1] = n_t / length * sin(turn);
        normal[2] = (k % 2 ? 1.0 : -1.0) * n_tau / length;
        double way = exp(check_uniform(&random, -12.0, 12.0));
        tp_friction_boundary(&(tp_friction_set){TP_FRICTION_CONTENSOU, 3, p}, normal, foot);
        for (int i = 0; i < 3; i++) z[i] = foot[i] + way * normal[i];
        tp_friction_project(&(tp_friction_set){TP_FRICTION_CONTENSOU, 3, p}, 1.0, z, back);
        double size = fmax(p[0], p[1]) + way;
        for (int i = 0; i < 3; i++) CHECK_NEAR(back[i], foot[i], 1e-14 * size);
    }
}

/* Sliding with u = |gamma_T|/(R |gamma_tau|): -lambda = (b_T direction, b_tau sign), tau scaled by Rbar. */
TEST(sliding_friction_is_the_boundary_point_of_the_sliding_velocity)
{
    const double mu = 0.3, R = 0.02, Rbar = 3.0 * pi / 16.0 * R, gamma_T[2] = {0.03, -0.04}, spin = 4.0;
    const double p[2] = {mu, mu}, xi[3] = {gamma_T[0], gamma_T[1], Rbar * spin};
    double u = 0.05 / (R * spin), lambda[3];
    tp_contensou_point b = tp_contensou_curve(u);
    tp_friction_boundary(&(tp_friction_set){TP_FRICTION_CONTENSOU, 3, p}, xi, lambda);
    CHECK_NEAR(lambda[0], mu * b.b_T * 0.6, 1e-16);
    CHECK_NEAR(lambda[1], -mu * b.b_T * 0.8, 1e-16);
    CHECK_NEAR(lambda[2], mu * b.b_tau, 1e-16);
}

TEST_MAIN(RUNS(the_curve_passes_through_its_table), RUNS(the_series_has_the_published_coefficients),
          RUNS(closed_form_and_series_join_without_a_step),
          RUNS(the_normal_at_parameter_u_is_the_sliding_velocity),
          RUNS(the_radius_of_curvature_is_the_turning_rate_of_the_normal),
          RUNS(the_boundary_has_the_stated_levels_in_the_ellipsoid),
          RUNS(the_set_lies_in_the_ellipsoid_and_that_in_the_cylinder),
          RUNS(the_projection_returns_to_the_point_it_left_along_the_normal),
          RUNS(sliding_friction_is_the_boundary_point_of_the_sliding_velocity))
