/* Mass matrices and gyroscopic terms: the same motion in every description; theory/models.md (3)-(5a). */
#include "models.h"
#include "system/system.h"

#include "math/dense.h"

/* Acceleration u' = M^-1 h at a point. */
static void acceleration(tp_system *system, double t, const double *q, const double *u, double *out)
{
    double M[36], copy[36], h[6];
    int m = system->u_count;
    tp_system_move(system, t, q, u);
    tp_system_mass(system, M);
    tp_system_force(system, h);
    memcpy(copy, M, sizeof copy);
    if (tp_dense_solve_small(m, copy, h, out) != TP_OK) fail();
}

static tp_system *system_of(tp_model *model)
{
    tp_system *system = NULL;
    if (tp_system_create(NULL, model, &system) != TP_OK) fail();
    return system;
}

/* A free particle: x'' = y'' = 0 in polar coordinates means r'' = r a'^2, a'' = -2 r' a' / r. */
TEST(a_free_particle_has_the_known_accelerations_in_polar_coordinates)
{
    for (int form = 0; form < 2; form++) { /* kinetic energy, then mass matrix */
        tp_model *model = new_model();
        coordinate(model, "r", 1.3, 0.4);
        coordinate(model, "a", 0.2, -0.7);
        if (form == 0) {
            must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*3*(r'^2 + r^2*a'^2)"), &build_why));
        } else {
            must(model, tp_model_add_mass(model, "r", "r", TP_FORMULA("3"), &build_why));
            must(model, tp_model_add_mass(model, "a", "a", TP_FORMULA("3*r^2"), &build_why));
        }
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_system *system = system_of(model);
        const double q[2] = {1.3, 0.2}, u[2] = {0.4, -0.7};
        double a[2];
        acceleration(system, 0.0, q, u, a);
        CHECK_NEAR(a[0], q[0] * u[1] * u[1], 1e-14);
        CHECK_NEAR(a[1], -2.0 * u[0] * u[1] / q[0], 1e-14);
        tp_system_free(system);
        tp_model_free(model);
    }
}

/* In a frame that turns with w the free particle feels Coriolis and centrifugal accelerations: x'' = 2 w y' +
 * w^2 x, y'' = -2 w x' + w^2 y. */
TEST(a_rotating_frame_gives_coriolis_and_centrifugal_terms)
{
    tp_model *model = new_model();
    coordinate(model, "x", 1.0, 0.0);
    coordinate(model, "y", 0.0, 0.0);
    parameter(model, "w", 0.9);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*2*((x' - w*y)^2 + (y' + w*x)^2)"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_system *system = system_of(model);
    const double q[2] = {0.7, -1.1}, u[2] = {0.3, 0.5}, w = 0.9;
    double a[2];
    acceleration(system, 0.0, q, u, a);
    CHECK_NEAR(a[0], 2.0 * w * u[1] + w * w * q[0], 1e-14);
    CHECK_NEAR(a[1], -2.0 * w * u[0] + w * w * q[1], 1e-14);
    tp_system_free(system);
    tp_model_free(model);
}

/* Coordinates that expand with s(t) = 1 + t^2: x = s q is straight, so q'' = -(2 s' q' + s'' q)/s. T is
 * rheonomic. */
TEST(expanding_coordinates_need_the_rheonomic_terms)
{
    for (int form = 0; form < 2;
         form++) { /* T with the moving frame in it; a velocity of its own v = s q' + s' q */
        tp_model *model = new_model();
        coordinate(model, "q", 1.0, 0.0);
        if (form == 0) {
            must(model,
                 tp_model_add_kinetic(model, TP_FORMULA("1/2*2*((1 + t^2)*q' + 2*t*q)^2"), &build_why));
        } else {
            must(model, tp_model_add_velocity(model, "v", 0.0, "", (tp_place){0}, NULL, &build_why));
            must(model, tp_model_set_rate(model, "q", TP_FORMULA("(v - 2*t*q)/(1 + t^2)"), &build_why));
            must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*2*v^2"), &build_why));
        }
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_system *system = system_of(model);
        const double t = 0.6, q = 0.8, rate = -0.4, s = 1.0 + t * t, v = s * rate + 2.0 * t * q;
        double a;
        acceleration(system, t, &q, form == 0 ? &rate : &v, &a);
        CHECK_NEAR(a, form == 0 ? -(2.0 * 2.0 * t * rate + 2.0 * q) / s : 0.0, 1e-14);
        CHECK_NEAR(tp_system_rate(system)[0], rate, 1e-15);
        tp_system_free(system);
        tp_model_free(model);
    }
}

/* A rigid body in Cardan angles: energy in body angular velocities (the model's own), the mass matrix of the
   same, or the energy in the rates of the angles through B. All give Euler's equations J w' = -w x J w. */
static tp_model *cardan_body(int form)
{
    tp_model *model = new_model();
    coordinate(model, "a", 0.3, 0.0);
    coordinate(model, "b", -0.4, 0.0);
    coordinate(model, "c", 0.9, 0.0);
    const char *names[3] = {"w1", "w2", "w3"};
    for (int i = 0; i < 3; i++)
        must(model, tp_model_add_velocity(model, names[i], 0.0, "rad/s", (tp_place){0}, NULL, &build_why));
    must(model, tp_model_set_rate(model, "a", TP_FORMULA("(cos(c)*w1 - sin(c)*w2)/cos(b)"), &build_why));
    must(model, tp_model_set_rate(model, "b", TP_FORMULA("sin(c)*w1 + cos(c)*w2"), &build_why));
    must(model, tp_model_set_rate(model, "c", TP_FORMULA("w3 - tan(b)*(cos(c)*w1 - sin(c)*w2)"), &build_why));
    if (form == 0)
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(1*w1^2 + 2*w2^2 + 2.5*w3^2)"), &build_why));
    if (form == 1) {
        must(model, tp_model_add_mass(model, "w1", "w1", TP_FORMULA("1"), &build_why));
        must(model, tp_model_add_mass(model, "w2", "w2", TP_FORMULA("2"), &build_why));
        must(model, tp_model_add_mass(model, "w3", "w3", TP_FORMULA("2.5"), &build_why));
    }
    if (form == 2) { /* w = Q(angles) rates */
        must(model, tp_model_add_kinetic(
                        model,
                        TP_FORMULA("1/2*(1*(cos(b)*cos(c)*a' + sin(c)*b')^2"
                                   " + 2*(-cos(b)*sin(c)*a' + cos(c)*b')^2 + 2.5*(sin(b)*a' + c')^2)"),
                        &build_why));
    }
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

TEST(inertia_in_own_velocities_gives_eulers_equations)
{
    const double J[3] = {1.0, 2.0, 2.5}, q[3] = {0.3, -0.4, 0.9}, w[3] = {0.5, 2.0, 0.8};
    for (int form = 0; form < 3; form++) {
        tp_model *model = cardan_body(form);
        tp_system *system = system_of(model);
        double a[3];
        acceleration(system, 0.0, q, w, a);
        CHECK_NEAR(a[0], (J[1] - J[2]) * w[1] * w[2] / J[0], 1e-13);
        CHECK_NEAR(a[1], (J[2] - J[0]) * w[2] * w[0] / J[1], 1e-13);
        CHECK_NEAR(a[2], (J[0] - J[1]) * w[0] * w[1] / J[2], 1e-13);
        tp_system_free(system);
        tp_model_free(model);
    }
}

/* A rolling disc seen from above (a knife edge): x' = v cos a, y' = v sin a, a' = w: fewer velocities than
 * coordinates, T in the rates. */
TEST(fewer_velocities_than_coordinates_move_in_the_directions_of_B_only)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 0.0);
    coordinate(model, "y", 0.0, 0.0);
    coordinate(model, "a", 0.4, 0.0);
    must(model, tp_model_add_velocity(model, "v", 1.0, "", (tp_place){0}, NULL, &build_why));
    must(model, tp_model_add_velocity(model, "w", 0.5, "", (tp_place){0}, NULL, &build_why));
    must(model, tp_model_set_rate(model, "x", TP_FORMULA("v*cos(a)"), &build_why));
    must(model, tp_model_set_rate(model, "y", TP_FORMULA("v*sin(a)"), &build_why));
    must(model, tp_model_set_rate(model, "a", TP_FORMULA("w"), &build_why));
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(3*(x'^2 + y'^2) + 0.2*a'^2)"), &build_why));
    must(model, tp_model_add_force(model, "x", TP_FORMULA("1.5"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_system *system = system_of(model);
    const double q[3] = {0.0, 0.0, 0.4}, u[2] = {1.0, 0.5};
    double a[2];
    acceleration(system, 0.0, q, u, a);
    CHECK_NEAR(a[0], 1.5 * cos(0.4) / 3.0,
               1e-14); /* no force across the blade, no gyroscopic term along it */
    CHECK_NEAR(a[1], 0.0, 1e-14);
    tp_system_free(system);
    tp_model_free(model);
}

TEST(an_energy_in_too_few_velocities_is_refused_with_advice)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 0.0);
    coordinate(model, "y", 0.0, 0.0);
    must(model, tp_model_add_velocity(model, "v", 1.0, "", (tp_place){0}, NULL, &build_why));
    must(model, tp_model_set_rate(model, "x", TP_FORMULA("v"), &build_why));
    must(model, tp_model_set_rate(model, "y", TP_FORMULA("2*v"), &build_why));
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*v^2"), &build_why));
    CHECK_INT(tp_model_finish(model, NULL, &build_why), TP_INVALID_DATA);
    CHECK(strstr(build_why.text, "rates") != NULL);
    tp_model_free(model);
}

TEST_MAIN(RUNS(a_free_particle_has_the_known_accelerations_in_polar_coordinates),
          RUNS(a_rotating_frame_gives_coriolis_and_centrifugal_terms),
          RUNS(expanding_coordinates_need_the_rheonomic_terms),
          RUNS(inertia_in_own_velocities_gives_eulers_equations),
          RUNS(fewer_velocities_than_coordinates_move_in_the_directions_of_B_only),
          RUNS(an_energy_in_too_few_velocities_is_refused_with_advice))
