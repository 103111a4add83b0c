/* Free rigid bodies with the theta-method: orders, energy and angular momentum of its variants;
   theory/moreau-jean.md (16)-(20). */
#include "models.h"
#include "tippe/rotation.h"

typedef struct result {
    tp_mat3 R;
    tp_vec3 momentum; /* angular, in the world */
    double energy_change;
} result;

static tp_model *free_body(tp_vec3 inertia, tp_vec3 spin)
{
    tp_model *model = new_model();
    tp_body_def def = tp_body_def_default();
    def.name = "top";
    def.mass = 1.0;
    def.inertia = tp_mat3_diagonal(inertia);
    def.angular_velocity = spin;
    must(model, tp_model_add_body(model, &def, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static result run_free(tp_model *model, tp_vec3 inertia, tp_theta_variant variant, double theta, double dt,
                       double until)
{
    tp_simulation_options options = options_of("moreau-jean", dt, until);
    options.theta_method.variant = variant;
    options.theta_method.theta = theta;
    tp_simulation *simulation = simulate_options(model, options);
    run(simulation);
    const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
    const tp_run_report *report = tp_simulation_report(simulation);
    result found = {.energy_change = report->energy_final - report->energy_initial};
    found.R = tp_quat_to_matrix(tp_quat_make(q[3], q[4], q[5], q[6]));
    found.momentum =
        tp_mat3_apply(found.R, tp_vec3_make(inertia.x * u[3], inertia.y * u[4], inertia.z * u[5]));
    tp_simulation_free(simulation);
    return found;
}

/* R = exp(t L~/I1) exp(t (I1 - I3)/I1 w3 e3~) for I1 = I2, R(0) = 1. */
static tp_mat3 symmetric_top(tp_vec3 inertia, tp_vec3 spin, double t)
{
    tp_vec3 L = tp_vec3_make(inertia.x * spin.x, inertia.y * spin.y, inertia.z * spin.z);
    double back = t * (inertia.x - inertia.z) / inertia.x * spin.z;
    return tp_mat3_multiply(tp_rotation_exp(tp_vec3_scale(t / inertia.x, L)),
                            tp_rotation_exp(tp_vec3_make(0.0, 0.0, back)));
}

static double distance(tp_mat3 a, tp_mat3 b)
{
    tp_mat3 d = tp_mat3_sub(a, b);
    return sqrt(tp_vec3_dot(d.cx, d.cx) + tp_vec3_dot(d.cy, d.cy) + tp_vec3_dot(d.cz, d.cz));
}

static const tp_vec3 symmetric = {1.0, 1.0, 2.0}, symmetric_spin = {0.6, 0.0, 1.5};
static const tp_vec3 general = {1.0, 2.0, 3.0}, general_spin = {0.1, 2.0, 0.1};

/* Halving the step divides errors by 2^order up to terms of the next order, of relative size w dt < 0.04. */
static void check_order(void **check_state_, tp_theta_variant variant, double theta, double order)
{
    tp_model *model = free_body(symmetric, symmetric_spin);
    tp_mat3 exact = symmetric_top(symmetric, symmetric_spin, 5.0);
    double coarse = distance(run_free(model, symmetric, variant, theta, 0.01, 5.0).R, exact),
           fine = distance(run_free(model, symmetric, variant, theta, 0.005, 5.0).R, exact);
    CHECK_NEAR(log2(coarse / fine), order, 0.06);
    tp_model_free(model);
}

TEST(implicit_variants_are_of_order_two_for_one_half_and_of_order_one_otherwise)
{
    for (int v = TP_THETA_PREDICTED; v <= TP_THETA_MIDPOINT; v++) {
        check_order(check_state_, (tp_theta_variant)v, 0.5, 2.0);
        check_order(check_state_, (tp_theta_variant)v, 1.0, 1.0);
    }
    check_order(check_state_, TP_THETA_SEMI_EXPLICIT, 0.5, 1.0);
}

/* Rounding: 500 steps with a few rounding errors of 1e-16 each of quantities of size 3. */
TEST(the_midpoint_variant_keeps_the_energy_of_every_free_body)
{
    tp_model *model = free_body(general, general_spin);
    result found = run_free(model, general, TP_THETA_MIDPOINT, 0.5, 0.01, 5.0);
    CHECK(fabs(found.energy_change) <= 500 * 4 * 2.2e-16 * 4.0);
    tp_model_free(model);
}

TEST(with_kinematics_of_the_begin_symmetric_bodies_keep_energy_and_angular_momentum)
{
    tp_model *model = free_body(symmetric, symmetric_spin);
    result found = run_free(model, symmetric, TP_THETA_START, 0.5, 0.01, 5.0);
    tp_vec3 exact = tp_vec3_make(0.6, 0.0, 3.0);
    CHECK(fabs(found.energy_change) <= 500 * 4 * 2.2e-16 * 3.0);
    CHECK(tp_vec3_norm(tp_vec3_sub(found.momentum, exact)) <= 500 * 4 * 2.2e-16 * 3.0);
    tp_model_free(model);
}

/* ... and others to O(dt^2): a quarter for half the step. */
TEST(general_bodies_keep_angular_momentum_to_second_order)
{
    tp_model *model = free_body(general, general_spin);
    tp_vec3 exact = tp_vec3_make(0.1, 4.0, 0.3);
    double error[2];
    for (int k = 0; k < 2; k++)
        error[k] = tp_vec3_norm(
            tp_vec3_sub(run_free(model, general, TP_THETA_START, 0.5, 0.01 / (1 << k), 5.0).momentum, exact));
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.06);
    tp_model_free(model);
}

TEST(unit_quaternions_stay_unit_quaternions)
{
    tp_model *model = free_body(general, general_spin);
    for (int v = TP_THETA_PREDICTED; v <= TP_THETA_SEMI_EXPLICIT; v++) {
        tp_mat3 R = run_free(model, general, (tp_theta_variant)v, 0.5, 0.02, 2.0).R;
        tp_mat3 RtR = tp_mat3_multiply(tp_mat3_transpose(R), R);
        CHECK(distance(RtR, tp_mat3_identity()) <= 1e-14);
    }
    tp_model_free(model);
}

TEST_MAIN(RUNS(implicit_variants_are_of_order_two_for_one_half_and_of_order_one_otherwise),
          RUNS(the_midpoint_variant_keeps_the_energy_of_every_free_body),
          RUNS(with_kinematics_of_the_begin_symmetric_bodies_keep_energy_and_angular_momentum),
          RUNS(general_bodies_keep_angular_momentum_to_second_order),
          RUNS(unit_quaternions_stay_unit_quaternions))
