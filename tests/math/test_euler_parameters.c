/* Euler parameters: the identities of docs/theory/jet.md (1)-(8) on random input, and equations of motion in
   them against Euler's. */
#include "check.h"
#include "tippe/euler_parameters.h"
#include "tippe/rotation.h"

#include <float.h>

enum { ROUNDS = 300 };
/* Some dozen operations on numbers of order ten. */
static const double rounding = 1e-13;

static tp_vec3 random_vector(check_random *random)
{
    double x = check_normal(random), y = check_normal(random), z = check_normal(random);
    return tp_vec3_make(x, y, z);
}

static tp_quat random_quat(check_random *random)
{
    double w = check_normal(random);
    return tp_quat_from_parts(w, random_vector(random));
}

/* theta of length 1 and theta1 at right angles to it. */
static void random_jet(check_random *random, tp_quat *theta, tp_quat *theta1)
{
    *theta = tp_quat_normalise(random_quat(random));
    *theta1 = random_quat(random);
    *theta1 = tp_quat_add(*theta1, tp_quat_scale(-tp_quat_dot(*theta, *theta1), *theta));
}

/* out = A B^T of two 3 x 4 matrices. */
static tp_mat3 times_transposed(const double *A, const double *B)
{
    double out[9] = {0.0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 4; k++) out[i + 3 * j] += A[i + 3 * k] * B[j + 3 * k];
        }
    }
    return tp_mat3_from_array(out);
}

static double distance(tp_mat3 a, tp_mat3 b)
{
    tp_mat3 d = tp_mat3_sub(a, b);
    return sqrt(tp_vec3_dot(d.cx, d.cx) + tp_vec3_dot(d.cy, d.cy) + tp_vec3_dot(d.cz, d.cz));
}

static double apart(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_norm(tp_vec3_sub(a, b));
}

static double apart4(tp_quat a, tp_quat b)
{
    return tp_quat_norm(tp_quat_add(a, tp_quat_scale(-1.0, b)));
}

TEST(the_matrices_are_those_of_their_definition)
{
    double H[12], Hw[12];
    tp_euler_matrix(tp_quat_make(1.0, 2.0, 3.0, 4.0), H);
    tp_euler_matrix_world(tp_quat_make(1.0, 2.0, 3.0, 4.0), Hw);
    const double rows[3][4] = {{-2, 1, 4, -3}, {-3, -4, 1, 2}, {-4, 3, -2, 1}},
                 world[3][4] = {{-2, 1, -4, 3}, {-3, 4, 1, -2}, {-4, -3, 2, 1}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            CHECK_NEAR(H[i + 3 * j], rows[i][j], 0.0);
            CHECK_NEAR(Hw[i + 3 * j], world[i][j], 0.0);
        }
    }
}

TEST(identities_hold_for_all_parameters)
{
    check_random random = {1};
    for (int k = 0; k < ROUNDS; k++) {
        tp_quat v = random_quat(&random), w = random_quat(&random);
        double H[12], Hw[12], H1[12], Hw1[12], size = tp_quat_dot(v, v);
        tp_euler_matrix(v, H);
        tp_euler_matrix_world(v, Hw);
        tp_euler_matrix(w, H1);
        tp_euler_matrix_world(w, Hw1);
        tp_mat3 scaled = tp_mat3_scale(size, tp_mat3_identity());
        CHECK_NEAR(tp_vec3_norm(tp_vec3_add(tp_euler_apply(v, w), tp_euler_apply(w, v))), 0.0, rounding);
        CHECK_NEAR(tp_vec3_norm(tp_vec3_add(tp_euler_apply_world(v, w), tp_euler_apply_world(w, v))), 0.0,
                   rounding);
        CHECK_NEAR(distance(times_transposed(H, H), scaled), 0.0, rounding);
        CHECK_NEAR(distance(times_transposed(Hw, Hw), scaled), 0.0, rounding);
        CHECK_NEAR(distance(times_transposed(Hw1, H), times_transposed(Hw, H1)), 0.0, rounding);
        CHECK_NEAR(distance(times_transposed(Hw, H), tp_euler_rotation(v)), 0.0, rounding);
        CHECK_NEAR(distance(tp_euler_rotation(v), tp_euler_rotation(tp_quat_scale(-1.0, v))), 0.0, 0.0);

        tp_vec3 a = random_vector(&random), x = random_vector(&random);
        double Q[16], p[] = {v.w, v.x, v.y, v.z}, sum = 0.0;
        tp_euler_form(a, x, Q);
        for (int i = 0; i < 16; i++) sum += p[i % 4] * Q[i] * p[i / 4];
        CHECK_NEAR(sum, tp_vec3_dot(a, tp_mat3_apply(tp_euler_rotation(v), x)), 10.0 * rounding);
    }
}

TEST(identities_hold_on_the_unit_sphere)
{
    check_random random = {2};
    for (int k = 0; k < ROUNDS; k++) {
        tp_quat theta, theta1;
        double H[12], H1[12];
        random_jet(&random, &theta, &theta1);
        tp_euler_matrix(theta, H);
        tp_euler_matrix(theta1, H1);
        tp_vec3 w = tp_euler_velocity(theta, theta1), world = tp_euler_velocity_world(theta, theta1);
        tp_mat3 R = tp_euler_rotation(theta);
        CHECK_NEAR(distance(tp_mat3_multiply(R, tp_mat3_transpose(R)), tp_mat3_identity()), 0.0, rounding);
        CHECK_NEAR(distance(tp_mat3_skew(w), tp_mat3_scale(2.0, times_transposed(H, H1))), 0.0, rounding);
        CHECK_NEAR(apart(world, tp_mat3_apply(R, w)), 0.0, rounding);
        CHECK_NEAR(apart4(tp_euler_rate(theta, w), theta1), 0.0, rounding);
        CHECK_NEAR(apart4(tp_euler_rate_world(theta, world), theta1), 0.0, rounding);
        /* H^T H = 1 - theta theta^T */
        tp_quat v = random_quat(&random),
                tangent = tp_euler_apply_transposed(theta, tp_euler_apply(theta, v));
        CHECK_NEAR(apart4(tangent, tp_quat_add(v, tp_quat_scale(-tp_quat_dot(v, theta), theta))), 0.0,
                   rounding);
    }
}

/* Differences over 2 h: truncation h^2 and rounding eps/h are below 1e-9 with h = 1e-5 and numbers of order
   ten. */
TEST(angular_velocity_is_that_of_the_turning_frame)
{
    check_random random = {3};
    const double h = 1e-5;
    for (int k = 0; k < ROUNDS; k++) {
        tp_quat theta, theta1;
        random_jet(&random, &theta, &theta1);
        tp_mat3 plus = tp_euler_rotation(tp_quat_add(theta, tp_quat_scale(h, theta1))),
                minus = tp_euler_rotation(tp_quat_add(theta, tp_quat_scale(-h, theta1))),
                rate = tp_mat3_scale(0.5 / h, tp_mat3_sub(plus, minus));
        tp_mat3 skew = tp_mat3_multiply(tp_mat3_transpose(tp_euler_rotation(theta)), rate);
        CHECK_NEAR(distance(skew, tp_mat3_skew(tp_euler_velocity(theta, theta1))), 0.0, 1e-8);
    }
}

TEST(equations_in_euler_parameters_are_eulers)
{
    check_random random = {4};
    for (int k = 0; k < ROUNDS; k++) {
        tp_quat theta, theta1;
        random_jet(&random, &theta, &theta1);
        tp_vec3 a = random_vector(&random), b = random_vector(&random), torque = random_vector(&random);
        tp_mat3 J = tp_mat3_add(tp_mat3_identity(), tp_mat3_add(tp_mat3_outer(a, a), tp_mat3_outer(b, b)));
        tp_vec3 w = tp_euler_velocity(theta, theta1);
        tp_quat theta2 = tp_euler_acceleration(J, theta, theta1, torque);
        tp_vec3 w1 = tp_euler_velocity(theta, theta2), balance = tp_mat3_apply(J, w1);
        balance = tp_vec3_add(balance, tp_vec3_cross(w, tp_mat3_apply(J, w)));
        double size = 1.0 + tp_vec3_norm(balance);
        CHECK_NEAR(apart(balance, torque), 0.0, 1e-12 * size * size);
        CHECK_NEAR(tp_quat_dot(theta, theta2), -tp_quat_dot(theta1, theta1), 1e-12 * size);
        CHECK_NEAR(apart(tp_vec3_scale(4.0, tp_euler_christoffel(J, theta, theta1)),
                         tp_vec3_cross(w, tp_mat3_apply(J, w))),
                   0.0, 1e-12 * size);
    }
}

/* The sphere of radius R with metric diag(R^2, R^2 sin^2): y1'' = sin cos y2'^2, y2'' = -2 cot y1' y2'. */
TEST(geodesics_of_a_sphere_have_their_christoffel_symbols)
{
    const double R = 1.5, polar = 0.7, v[] = {0.3, -0.4};
    double slope[8] = {0.0}, out[2];
    slope[1 + 2 * 1 + 4 * 0] = 2.0 * R * R * sin(polar) * cos(polar); /* dG_22/dy_1 */
    tp_christoffel(2, slope, v, v, out);
    CHECK_NEAR(-out[0] / (R * R), sin(polar) * cos(polar) * v[1] * v[1], 1e-15);
    CHECK_NEAR(-out[1] / (R * R * sin(polar) * sin(polar)), -2.0 / tan(polar) * v[0] * v[1], 1e-15);
}

/* The metric 4 H^T J H of rotations in R^4: H Chr(theta1, theta1) = 8 K on the sphere, because H theta2 of a
   geodesic is that of the free body; by differences of the metric, which is of second degree: exact. */
TEST(the_christoffel_map_is_that_of_the_metric)
{
    check_random random = {5};
    for (int k = 0; k < ROUNDS; k++) {
        tp_quat theta, theta1;
        random_jet(&random, &theta, &theta1);
        tp_mat3 J = tp_mat3_diagonal(tp_vec3_make(1.0, 2.0, 2.5));
        double slope[64], H[12], E[12], out[4], v[] = {theta1.w, theta1.x, theta1.y, theta1.z};
        tp_euler_matrix(theta, H);
        for (int m = 0; m < 4; m++) {
            tp_euler_matrix(tp_quat_make(m == 0, m == 1, m == 2, m == 3), E);
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < 4; j++) {
                    tp_vec3 Hi = tp_vec3_from_array(H + 3 * i), Hj = tp_vec3_from_array(H + 3 * j),
                            Ei = tp_vec3_from_array(E + 3 * i), Ej = tp_vec3_from_array(E + 3 * j);
                    slope[i + 4 * j + 16 * m] =
                        4.0 * (tp_vec3_dot(Ei, tp_mat3_apply(J, Hj)) + tp_vec3_dot(Hi, tp_mat3_apply(J, Ej)));
                }
            }
        }
        tp_christoffel(4, slope, v, v, out);
        tp_vec3 map = tp_euler_apply(theta, tp_quat_make(out[0], out[1], out[2], out[3])),
                K = tp_vec3_scale(8.0, tp_euler_christoffel(J, theta, theta1));
        CHECK_NEAR(apart(map, K), 0.0, 1e-12 * (1.0 + tp_vec3_norm(K)));
    }
}

TEST_MAIN(RUNS(the_matrices_are_those_of_their_definition), RUNS(identities_hold_for_all_parameters),
          RUNS(identities_hold_on_the_unit_sphere), RUNS(angular_velocity_is_that_of_the_turning_frame),
          RUNS(equations_in_euler_parameters_are_eulers),
          RUNS(geodesics_of_a_sphere_have_their_christoffel_symbols),
          RUNS(the_christoffel_map_is_that_of_the_metric))
