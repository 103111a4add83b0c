/* What inertia, rates and potentials may depend on, in formulas and C functions; theory/models.md, "What
   functions may depend on". Each was once accepted and left out of the motion, or written outside its block.
 */
#include "mechanisms.h"

static void expect_refused(void **check_state_, tp_status status, const char *part)
{
    CHECK_INT(status, TP_INVALID_DATA);
    if (strstr(build_why.text, part) == NULL) print_error("%s\n", build_why.text);
    CHECK(strstr(build_why.text, part) != NULL);
}

/* One coordinate, and a body of the given kind. */
static tp_model *model_with_body(tp_body_kind kind)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.4, 0.7);
    add_body(model, kind, "a", tp_vec3_make(0.3, 0.1, 0.0), tp_quat_identity());
    return model;
}

TEST(formulas_of_inertia_that_use_bodies_are_refused_by_their_names)
{
    static const struct {
        tp_body_kind kind;
        const char *formula, *says;
    } all[] = {{TP_BODY_RIGID, "a.v.x^2", "depends on 'a.v.x' of a body"},
               {TP_BODY_RIGID, "x'^2 + a.omega.y^2", "depends on 'a.omega.y' of a body"},
               {TP_BODY_RIGID, "x'*a.p1'", "depends on 'a.p1'' of a body"},
               {TP_BODY_PLANAR, "x'^2 + a.omega*x'", "depends on 'a.omega' of a body"},
               {TP_BODY_PLANAR, "(1 + a.phi^2)*x'^2", "depends on 'a.phi' of a body"},
               {TP_BODY_POINT, "x'^2 + x'*a.z'", "depends on 'a.z'' of a body"},
               {TP_BODY_SCALABLE, "x'^2 + a.omega.x^2", "depends on 'a.omega.x' of a body"}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        tp_model *model = model_with_body(all[k].kind);
        expect_refused(check_state_, tp_model_add_kinetic(model, TP_FORMULA(all[k].formula), &build_why),
                       all[k].says);
        tp_model_free(model);
    }
    tp_model *model = model_with_body(TP_BODY_RIGID);
    expect_refused(check_state_, tp_model_add_mass(model, "x", "x", TP_FORMULA("1 + a.x^2"), &build_why),
                   "the mass matrix depends on 'a.x' of a body");
    tp_model_free(model);
}

/* ---- C functions ---- */

/* (1 + x^2) x'^2/2 + other v^2/2, v the second velocity. */
static double kinetic_value(void *self, double t, const double *q, const double *u)
{
    (void)t;
    const double other = *(const double *)self;
    return 0.5 * (1.0 + q[0] * q[0]) * u[0] * u[0] + (other != 0.0 ? 0.5 * other * u[1] * u[1] : 0.0);
}

static void kinetic_gradient(void *self, double t, const double *q, const double *u, double *d_t, double *d_q,
                             double *d_u)
{
    (void)t, (void)d_t;
    const double other = *(const double *)self;
    d_q[0] = q[0] * u[0] * u[0];
    d_u[0] = (1.0 + q[0] * q[0]) * u[0];
    if (other != 0.0) d_u[1] = other * u[1];
}

static void kinetic_hessian(void *self, double t, const double *q, const double *u, double e_t,
                            const double *e_q, const double *e_u, double *d_t, double *d_q, double *d_u)
{
    (void)t, (void)e_t, (void)d_t;
    const double other = *(const double *)self;
    d_q[0] = u[0] * u[0] * e_q[0] + 2.0 * q[0] * u[0] * e_u[0];
    d_u[0] = 2.0 * q[0] * u[0] * e_q[0] + (1.0 + q[0] * q[0]) * e_u[0];
    if (other != 0.0) d_u[1] = other * e_u[1];
}

static tp_function kinetic_of(double *other)
{
    return (tp_function){.self = other,
                         .value = kinetic_value,
                         .gradient = kinetic_gradient,
                         .hessian_vector = kinetic_hessian};
}

/* x'' = -x x'^2/(1 + x^2), whether there is a body beside it or not. */
TEST(a_kinetic_energy_of_c_functions_keeps_its_gyroscopic_terms_beside_a_body)
{
    for (int has_body = 0; has_body < 2; has_body++) {
        double other = 0.0;
        tp_model *model = new_model();
        coordinate(model, "x", 0.4, 0.7);
        if (has_body) add_body(model, TP_BODY_POINT, "a", tp_vec3_zero(), tp_quat_identity());
        must(model, tp_model_add_kinetic(model, kinetic_of(&other), &build_why));
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_system *system = make_system(model);
        double M[16], h[4];
        tp_system_move(system, 0.0, model->q0, model->u0);
        tp_system_mass(system, M);
        tp_system_force(system, h);
        CHECK_NEAR(M[0], 1.16, 1e-15);
        CHECK_NEAR(h[0], -0.4 * 0.49, 1e-15);
        tp_system_free(system);
        tp_model_free(model);
    }
}

TEST(c_functions_that_depend_on_what_has_no_place_are_refused)
{
    double other = 2.0;
    tp_model *model = model_with_body(TP_BODY_POINT);
    must(model, tp_model_add_kinetic(model, kinetic_of(&other), &build_why));
    expect_refused(check_state_, tp_model_finish(model, NULL, &build_why),
                   "the kinetic energy is a C function with a derivative with respect to 'a.v.x'");
    tp_model_free(model);

    double none = 0.0;
    model = new_model(); /* the same function as a potential depends on x' */
    coordinate(model, "x", 0.4, 0.7);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("x'^2"), &build_why));
    must(model, tp_model_add_potential(model, kinetic_of(&none), &build_why));
    expect_refused(check_state_, tp_model_finish(model, NULL, &build_why),
                   "it must not depend on velocities");
    tp_model_free(model);

    model = new_model(); /* and as a gap */
    coordinate(model, "x", 0.4, 0.7);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("x'^2"), &build_why));
    tp_contact_def def = tp_contact_def_default();
    def.gap = kinetic_of(&none);
    must(model, tp_model_add_contact(model, &def, NULL, &build_why));
    expect_refused(check_state_, tp_model_finish(model, NULL, &build_why),
                   "it must not depend on velocities");
    tp_model_free(model);
}

/* R = T of the functions above: the force on x' and that on the body's velocity are -dR/du, also on a body
   that was added after it. */
TEST(a_dissipation_of_c_functions_acts_on_bodies)
{
    for (int is_before = 0; is_before < 2; is_before++) {
        double other = 2.0, h[4];
        const double u[4] = {0.7, -0.3, 0.5, 0.2};
        tp_model *model = new_model();
        coordinate(model, "x", 0.4, 0.7);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("x'^2"), &build_why));
        if (is_before) must(model, tp_model_add_dissipation(model, kinetic_of(&other), &build_why));
        add_body(model, TP_BODY_POINT, "a", tp_vec3_zero(), tp_quat_identity());
        if (!is_before) must(model, tp_model_add_dissipation(model, kinetic_of(&other), &build_why));
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_system *system = make_system(model);
        tp_system_move(system, 0.0, model->q0, u);
        tp_system_force(system, h);
        CHECK_NEAR(h[0], -1.16 * 0.7, 1e-15);
        CHECK_NEAR(h[1], 2.0 * 0.3, 1e-15);
        CHECK_NEAR(h[2], 0.0, 0.0);
        tp_system_free(system);
        tp_model_free(model);
    }
}

TEST_MAIN(RUNS(formulas_of_inertia_that_use_bodies_are_refused_by_their_names),
          RUNS(a_kinetic_energy_of_c_functions_keeps_its_gyroscopic_terms_beside_a_body),
          RUNS(c_functions_that_depend_on_what_has_no_place_are_refused),
          RUNS(a_dissipation_of_c_functions_acts_on_bodies))
