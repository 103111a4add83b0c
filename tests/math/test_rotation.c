/* The rotation toolbox: every identity of docs/theory/rotations.md on random input. Derivatives are compared
   with central differences of step h = 1e-5: truncation h^2 |f'''|/6 and rounding eps/h are both below 1e-10
   for functions of order one. */
#include "check.h"
#include "math/dense.h"
#include "tippe/rotation.h"

#include <complex.h>
#include <float.h>

static const double pi = 3.14159265358979323846;
static const double step = 1e-5;
static const double difference_tolerance = 1e-9;
/* A few dozen operations on numbers of order one. */
static const double rounding = 64.0 * DBL_EPSILON;
enum { ROUNDS = 500 };

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

static tp_quat random_unit_quat(check_random *random)
{
    return tp_quat_normalise(random_quat(random));
}

/* A rotation vector with an angle anywhere between 1e-12 and nearly `most`, all sizes alike. */
static tp_vec3 random_rotation_vector(check_random *random, double most)
{
    double angle = check_random_bits(random) % 2 ? check_uniform(random, 0.0, most)
                                                 : most * pow(10.0, check_uniform(random, -12.0, 0.0));
    return tp_vec3_scale(angle, tp_vec3_normalise(random_vector(random)));
}

static double distance3(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_norm(tp_vec3_sub(a, b));
}

static double distance(tp_mat3 a, tp_mat3 b)
{
    tp_mat3 d = tp_mat3_sub(a, b);
    return sqrt(tp_vec3_dot(d.cx, d.cx) + tp_vec3_dot(d.cy, d.cy) + tp_vec3_dot(d.cz, d.cz));
}

static double distance4(tp_quat p, tp_quat q)
{
    return tp_quat_norm(tp_quat_add(p, tp_quat_scale(-1.0, q)));
}

static tp_quat apply4(const double *matrix, tp_quat p)
{
    double in[4] = {p.w, p.x, p.y, p.z}, out[4];
    tp_dense_multiply(4, 4, matrix, 4, in, out);
    return tp_quat_make(out[0], out[1], out[2], out[3]);
}

static void multiply4(const double *a, const double *b, double *c)
{
    for (int j = 0; j < 4; j++) tp_dense_multiply(4, 4, a, 4, b + 4 * j, c + 4 * j);
}

/* exp(m) by its series after halving: independent of the closed form under test. */
static tp_mat3 matrix_exponential(tp_mat3 m)
{
    tp_mat3 small = tp_mat3_scale(0x1p-6, m), term = tp_mat3_identity(), sum = term;
    for (int k = 1; k < 20; k++) {
        term = tp_mat3_scale(1.0 / k, tp_mat3_multiply(term, small));
        sum = tp_mat3_add(sum, term);
    }
    for (int k = 0; k < 6; k++) sum = tp_mat3_multiply(sum, sum);
    return sum;
}

TEST(the_exponential_is_the_matrix_exponential_and_a_rotation)
{
    check_random random = {61};
    for (int round = 0; round < ROUNDS; round++) {
        tp_vec3 a = random_rotation_vector(&random, 3.0 * pi);
        tp_mat3 R = tp_rotation_exp(a), skew = tp_mat3_skew(a);
        CHECK_NEAR(distance(R, matrix_exponential(skew)), 0.0, 64.0 * rounding); /* six squarings */
        CHECK_NEAR(distance(tp_mat3_multiply(tp_mat3_transpose(R), R), tp_mat3_identity()), 0.0, rounding);
        CHECK_NEAR(tp_mat3_determinant(R), 1.0, rounding);

        /* a~^3 = -|a|^2 a~,  R b~ R^T = (R b)~,  a~ b~ - b~ a~ = (a x b)~ */
        double square = tp_vec3_dot(a, a);
        tp_mat3 cube = tp_mat3_multiply(skew, tp_mat3_multiply(skew, skew));
        CHECK_NEAR(distance(cube, tp_mat3_scale(-square, skew)), 0.0,
                   rounding * (1.0 + square * sqrt(square)));
        tp_vec3 b = random_vector(&random);
        tp_mat3 moved = tp_mat3_multiply(R, tp_mat3_multiply(tp_mat3_skew(b), tp_mat3_transpose(R)));
        CHECK_NEAR(distance(moved, tp_mat3_skew(tp_mat3_apply(R, b))), 0.0, 4.0 * rounding);
        tp_mat3 bracket =
            tp_mat3_sub(tp_mat3_multiply(skew, tp_mat3_skew(b)), tp_mat3_multiply(tp_mat3_skew(b), skew));
        CHECK_NEAR(distance(bracket, tp_mat3_skew(tp_vec3_cross(a, b))), 0.0, rounding * (1.0 + square));
    }
}

TEST(logarithm_and_exponential_are_inverse_for_every_angle_up_to_pi)
{
    check_random random = {62};
    for (int round = 0; round < ROUNDS; round++) {
        tp_vec3 a = random_rotation_vector(&random, 0.999 * pi);
        CHECK_NEAR(distance3(tp_rotation_log(tp_rotation_exp(a)), a), 0.0, rounding);
        tp_quat p = tp_quat_exp(a);
        CHECK_NEAR(distance3(tp_quat_log(p), a), 0.0, rounding);
        CHECK_NEAR(distance3(tp_quat_log(tp_quat_scale(-3.0, p)), a), 0.0, rounding);
        /* Close to half a turn the sign of a may flip, the rotation may not. */
        tp_vec3 half_turn = tp_vec3_scale((1.0 - 1e-15) * pi, tp_vec3_normalise(random_vector(&random)));
        tp_mat3 R = tp_rotation_exp(half_turn);
        CHECK_NEAR(distance(tp_rotation_exp(tp_rotation_log(R)), R), 0.0, rounding);
        CHECK_NEAR(tp_vec3_norm(tp_rotation_log(R)), pi, rounding);
    }
    CHECK_NEAR(tp_vec3_norm(tp_rotation_log(tp_mat3_identity())), 0.0, 0.0);
}

TEST(tangent_maps_are_the_derivatives_of_the_exponential)
{
    check_random random = {63};
    for (int round = 0; round < ROUNDS; round++) {
        tp_vec3 a = random_rotation_vector(&random, 1.5 * pi),
                rate = tp_vec3_normalise(random_vector(&random));
        tp_mat3 R = tp_rotation_exp(a), T = tp_rotation_tangent(a), T_body = tp_rotation_tangent_body(a);
        tp_mat3 difference =
            tp_mat3_scale(0.5 / step, tp_mat3_sub(tp_rotation_exp(tp_vec3_add_scaled(a, step, rate)),
                                                  tp_rotation_exp(tp_vec3_add_scaled(a, -step, rate))));
        tp_mat3 world = tp_mat3_multiply(tp_mat3_skew(tp_mat3_apply(T, rate)), R);
        tp_mat3 body = tp_mat3_multiply(R, tp_mat3_skew(tp_mat3_apply(T_body, rate)));
        CHECK_NEAR(distance(difference, world), 0.0, difference_tolerance);
        CHECK_NEAR(distance(difference, body), 0.0, difference_tolerance);

        CHECK_NEAR(distance(T_body, tp_mat3_transpose(T)), 0.0, rounding);
        CHECK_NEAR(distance(T, tp_mat3_multiply(R, T_body)), 0.0, rounding);
    }
}

TEST(tangent_maps_have_their_inverses_and_their_power_series)
{
    check_random random = {64};
    for (int round = 0; round < ROUNDS; round++) {
        tp_vec3 a = random_rotation_vector(&random, 1.5 * pi);
        tp_mat3 T = tp_rotation_tangent(a), inverse = tp_rotation_tangent_inverse(a);
        tp_mat3 product = tp_mat3_multiply(T, inverse);
        CHECK_NEAR(distance(product, tp_mat3_identity()), 0.0, 8.0 * rounding);
        product = tp_mat3_multiply(tp_rotation_tangent_body(a), tp_rotation_tangent_body_inverse(a));
        CHECK_NEAR(distance(product, tp_mat3_identity()), 0.0, 8.0 * rounding);

        /* sum of a~^k / (k+1)! converges everywhere; |a| < 5 needs 40 terms and loses e^5 to cancellation. */
        tp_mat3 skew = tp_mat3_skew(a), term = tp_mat3_identity(), sum = term;
        for (int k = 1; k < 40; k++) {
            term = tp_mat3_scale(1.0 / (k + 1), tp_mat3_multiply(term, skew));
            sum = tp_mat3_add(sum, term);
        }
        CHECK_NEAR(distance(sum, T), 0.0, 150.0 * rounding);
    }
}

TEST(the_inverse_tangent_has_bernoulli_numbers_as_coefficients)
{
    static const double series[] = {1.0 / 12.0, 1.0 / 720.0, 1.0 / 30240.0, 1.0 / 1209600.0};
    check_random random = {65};
    for (int round = 0; round < ROUNDS; round++) {
        tp_vec3 a = random_rotation_vector(&random, 0.02); /* the next term is (0.02)^10 / 47900160 */
        double square = tp_vec3_dot(a, a), second = 0.0;
        for (int k = 3; k >= 0; k--) second = second * square + series[k];
        tp_mat3 skew = tp_mat3_skew(a);
        tp_mat3 expected = tp_mat3_add(tp_mat3_sub(tp_mat3_identity(), tp_mat3_scale(0.5, skew)),
                                       tp_mat3_scale(second, tp_mat3_multiply(skew, skew)));
        CHECK_NEAR(distance(expected, tp_rotation_tangent_inverse(a)), 0.0, 8.0 * DBL_EPSILON);
    }
}

TEST(series_and_closed_forms_meet_without_a_jump)
{
    tp_vec3 axis = tp_vec3_normalise(tp_vec3_make(1.0, -2.0, 0.5));
    for (double angle = 1.0 - 4e-15; angle < 1.0 + 4e-15; angle += 1e-15) {
        tp_vec3 a = tp_vec3_scale(angle, axis);
        double derivative[12], reference[12];
        tp_quat_exp_derivative(a, derivative);
        tp_quat_exp_derivative(axis, reference);
        for (int k = 0; k < 12; k++) CHECK_NEAR(derivative[k], reference[k], rounding);
        CHECK_NEAR(distance(tp_rotation_tangent(a), tp_rotation_tangent(axis)), 0.0, rounding);
        CHECK_NEAR(distance(tp_rotation_tangent_inverse(a), tp_rotation_tangent_inverse(axis)), 0.0,
                   rounding);
    }
}

TEST(the_derivative_of_a_rotated_point_on_the_group)
{
    check_random random = {66};
    for (int round = 0; round < ROUNDS; round++) {
        tp_mat3 R = tp_quat_to_matrix(random_unit_quat(&random));
        tp_vec3 x = tp_vec3_normalise(random_vector(&random)), a = tp_vec3_normalise(random_vector(&random));
        tp_vec3 ahead = tp_mat3_apply(tp_mat3_multiply(R, tp_rotation_exp(tp_vec3_scale(step, a))), x);
        tp_vec3 behind = tp_mat3_apply(tp_mat3_multiply(R, tp_rotation_exp(tp_vec3_scale(-step, a))), x);
        tp_vec3 difference = tp_vec3_scale(0.5 / step, tp_vec3_sub(ahead, behind));
        CHECK_NEAR(distance3(difference, tp_mat3_apply(tp_rotation_point_derivative(R, x), a)), 0.0,
                   difference_tolerance);
    }
}

TEST(the_quaternion_product_is_that_of_complex_matrices)
{
    check_random random = {67};
    for (int round = 0; round < ROUNDS; round++) {
        tp_quat p = random_quat(&random), q = random_quat(&random), r = tp_quat_multiply(p, q);
        /* [[x, y], [-conj y, conj x]] with x = p0 + i p1, y = p2 + i p3; the first row of the product */
        double complex px = p.w + p.x * I, py = p.y + p.z * I, qx = q.w + q.x * I, qy = q.y + q.z * I;
        double complex rx = px * qx - py * conj(qy), ry = px * qy + py * conj(qx);
        double size = tp_quat_norm(p) * tp_quat_norm(q);
        CHECK_NEAR(cabs(rx - (r.w + r.x * I)), 0.0, 8.0 * DBL_EPSILON * size);
        CHECK_NEAR(cabs(ry - (r.y + r.z * I)), 0.0, 8.0 * DBL_EPSILON * size);

        CHECK_NEAR(tp_quat_norm(r), size, 8.0 * DBL_EPSILON * size);
        tp_quat conjugates = tp_quat_multiply(tp_quat_conjugate(q), tp_quat_conjugate(p));
        CHECK_NEAR(distance4(tp_quat_conjugate(r), conjugates), 0.0, 8.0 * DBL_EPSILON * size);
        tp_quat square = tp_quat_multiply(p, tp_quat_conjugate(p));
        tp_quat expected = tp_quat_make(tp_quat_dot(p, p), 0.0, 0.0, 0.0);
        CHECK_NEAR(distance4(square, expected), 0.0, 8.0 * DBL_EPSILON * tp_quat_dot(p, p));
    }
}

TEST(product_matrices_represent_the_product_and_commute)
{
    check_random random = {68};
    for (int round = 0; round < ROUNDS; round++) {
        tp_quat p = random_quat(&random), q = random_quat(&random), r = tp_quat_multiply(p, q);
        double p_left[16], q_left[16], r_left[16], q_right[16], conjugate[16], one[16], other[16];
        double size = tp_quat_norm(p) * tp_quat_norm(q), tolerance = 16.0 * DBL_EPSILON * size;
        tp_quat_left_matrix(p, p_left);
        tp_quat_left_matrix(q, q_left);
        tp_quat_left_matrix(r, r_left);
        tp_quat_right_matrix(q, q_right);
        tp_quat_left_matrix(tp_quat_conjugate(p), conjugate);
        CHECK_NEAR(distance4(apply4(p_left, q), r), 0.0, tolerance);
        CHECK_NEAR(distance4(apply4(q_right, p), r), 0.0, tolerance);
        multiply4(p_left, q_left, one);
        for (int k = 0; k < 16; k++) CHECK_NEAR(one[k], r_left[k], tolerance);
        multiply4(p_left, q_right, one);
        multiply4(q_right, p_left, other);
        for (int k = 0; k < 16; k++) CHECK_NEAR(one[k], other[k], tolerance);
        /* phi(A*) = phi(A)^T and phi(A*) phi(A) = |A|^2 I */
        for (int k = 0; k < 16; k++) CHECK_NEAR(conjugate[k], p_left[k / 4 + k % 4 * 4], 0.0);
        multiply4(conjugate, p_left, one);
        double square = tp_quat_dot(p, p);
        for (int k = 0; k < 16; k++) {
            CHECK_NEAR(one[k], k % 5 == 0 ? square : 0.0, 16.0 * DBL_EPSILON * square);
        }
        /* psi(p q) = T phi(q*) T psi(p) with T the conjugation */
        tp_quat_left_matrix(tp_quat_conjugate(q), conjugate);
        tp_quat by_conjugation = tp_quat_conjugate(apply4(conjugate, tp_quat_conjugate(p)));
        CHECK_NEAR(distance4(by_conjugation, r), 0.0, tolerance);
    }
}

TEST(the_rate_matrix_has_orthogonal_columns_that_are_normal_to_p)
{
    check_random random = {69};
    for (int round = 0; round < ROUNDS; round++) {
        tp_quat p = random_quat(&random);
        double psi[12], v[4] = {p.w, p.x, p.y, p.z}, square = tp_quat_dot(p, p);
        double tolerance = 8.0 * DBL_EPSILON * square;
        tp_quat_rate_matrix(p, psi);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(tp_dense_dot(4, psi + 4 * i, v), 0.0, tolerance);
            for (int j = 0; j < 3; j++) {
                CHECK_NEAR(tp_dense_dot(4, psi + 4 * i, psi + 4 * j), i == j ? square : 0.0, tolerance);
            }
        }
        for (int k = 0; k < 16; k++) {
            int i = k % 4, j = k / 4;
            double entry = psi[i] * psi[j] + psi[i + 4] * psi[j + 4] + psi[i + 8] * psi[j + 8];
            CHECK_NEAR(entry, (i == j ? square : 0.0) - v[i] * v[j], tolerance);
        }
        /* T(q)^T T(q) has 1/4 in the rotational block: (Psi/2)^T (Psi/2) for |p| = 1 */
        tp_quat_rate_matrix(tp_quat_normalise(p), psi);
        CHECK_NEAR(0.25 * tp_dense_dot(4, psi + 4, psi + 4), 0.25, 2.0 * DBL_EPSILON);
    }
}

TEST(kinematics_body_and_world_angular_velocities_agree)
{
    check_random random = {70};
    for (int round = 0; round < ROUNDS; round++) {
        tp_quat p = random_unit_quat(&random);
        tp_vec3 w = random_vector(&random), world = tp_quat_rotate(p, w);
        tp_quat rate = tp_quat_rate(p, w);
        double psi[12], by_matrix[4], vector[3];
        tp_quat_rate_matrix(p, psi);
        tp_vec3_to_array(tp_vec3_scale(0.5, w), vector);
        tp_dense_multiply(4, 3, psi, 4, vector, by_matrix);
        tp_quat expected = tp_quat_make(by_matrix[0], by_matrix[1], by_matrix[2], by_matrix[3]);
        CHECK_NEAR(distance4(rate, expected), 0.0, rounding);
        tp_quat from_world = tp_quat_multiply(tp_quat_from_parts(0.0, tp_vec3_scale(0.5, world)), p);
        CHECK_NEAR(distance4(rate, from_world), 0.0, rounding);
        CHECK_NEAR(distance3(tp_quat_angular_velocity(p, rate), w), 0.0, rounding);
        CHECK_NEAR(distance3(tp_quat_angular_velocity_world(p, rate), world), 0.0, rounding);

        /* R' = R w~ along p' */
        tp_mat3 R = tp_quat_to_matrix(p);
        tp_mat3 ahead = tp_quat_to_matrix(tp_quat_add(p, tp_quat_scale(step, rate)));
        tp_mat3 behind = tp_quat_to_matrix(tp_quat_add(p, tp_quat_scale(-step, rate)));
        tp_mat3 difference = tp_mat3_scale(0.5 / step, tp_mat3_sub(ahead, behind));
        double size = 1.0 + tp_vec3_dot(w, w) * tp_vec3_norm(w);
        CHECK_NEAR(distance(difference, tp_mat3_multiply(R, tp_mat3_skew(w))), 0.0,
                   difference_tolerance * size);
    }
}

TEST(quaternions_and_matrices_describe_the_same_rotations)
{
    check_random random = {71};
    for (int round = 0; round < ROUNDS; round++) {
        tp_quat p = random_unit_quat(&random), q = random_unit_quat(&random);
        tp_mat3 P = tp_quat_to_matrix(p), Q = tp_quat_to_matrix(q);
        tp_vec3 x = random_vector(&random);
        CHECK_NEAR(distance(tp_quat_to_matrix(tp_quat_multiply(p, q)), tp_mat3_multiply(P, Q)), 0.0,
                   rounding);
        CHECK_NEAR(distance(tp_quat_to_matrix(tp_quat_scale(-1.0, p)), P), 0.0, 0.0);
        CHECK_NEAR(tp_mat3_determinant(P), 1.0, rounding);
        CHECK_NEAR(distance3(tp_mat3_apply(P, x), tp_quat_rotate(p, x)), 0.0, rounding);
        CHECK_NEAR(distance3(tp_mat3_apply_transposed(P, x), tp_quat_rotate_back(p, x)), 0.0, rounding);
        tp_quat sandwich =
            tp_quat_multiply(tp_quat_multiply(p, tp_quat_from_parts(0.0, x)), tp_quat_conjugate(p));
        CHECK_NEAR(distance4(sandwich, tp_quat_from_parts(0.0, tp_quat_rotate(p, x))), 0.0, rounding);

        tp_quat back = tp_quat_from_matrix(P);
        CHECK(back.w >= 0.0);
        CHECK_NEAR(distance4(back, p.w < 0.0 ? tp_quat_scale(-1.0, p) : p), 0.0, rounding);

        tp_vec3 a = random_rotation_vector(&random, 2.0 * pi);
        CHECK_NEAR(distance(tp_quat_to_matrix(tp_quat_exp(a)), tp_rotation_exp(a)), 0.0, rounding);
        tp_quat turned = tp_quat_from_axis_angle(tp_vec3_scale(7.0, a), tp_vec3_norm(a));
        CHECK_NEAR(distance4(turned, tp_quat_exp(a)), 0.0, rounding);
    }
    CHECK_NEAR(tp_quat_from_axis_angle(tp_vec3_zero(), 1.0).w, 1.0, 0.0);
}

TEST(every_branch_of_the_quaternion_of_a_matrix_is_accurate)
{
    check_random random = {72};
    for (int branch = 0; branch < 4; branch++) {
        for (int round = 0; round < ROUNDS; round++) {
            /* One component large, the others of any smallness, down to exactly zero. */
            double c[4];
            for (int k = 0; k < 4; k++) {
                c[k] =
                    round % 5 == k ? 0.0 : check_normal(&random) * pow(10.0, check_uniform(&random, -12, 0));
            }
            c[branch] = check_uniform(&random, 0.5, 3.0);
            tp_quat p = tp_quat_normalise(tp_quat_make(c[0], c[1], c[2], c[3]));
            tp_quat back = tp_quat_from_matrix(tp_quat_to_matrix(p));
            double off = fmin(distance4(back, p), distance4(back, tp_quat_scale(-1.0, p)));
            CHECK_NEAR(off, 0.0, rounding);
        }
    }
}

TEST(the_flow_of_a_constant_body_velocity_is_the_exponential)
{
    check_random random = {73};
    for (int round = 0; round < ROUNDS; round++) {
        tp_quat p = random_unit_quat(&random);
        tp_vec3 w = tp_vec3_normalise(random_vector(&random));
        double t = check_uniform(&random, -3.0, 3.0);
        tp_quat ahead = tp_quat_multiply(p, tp_quat_exp(tp_vec3_scale(t + step, w)));
        tp_quat behind = tp_quat_multiply(p, tp_quat_exp(tp_vec3_scale(t - step, w)));
        tp_quat difference = tp_quat_scale(0.5 / step, tp_quat_add(ahead, tp_quat_scale(-1.0, behind)));
        tp_quat now = tp_quat_multiply(p, tp_quat_exp(tp_vec3_scale(t, w)));
        CHECK_NEAR(distance4(difference, tp_quat_rate(now, w)), 0.0, difference_tolerance);
    }
}

TEST(derivatives_of_the_quaternion_exponential)
{
    check_random random = {74};
    for (int round = 0; round < ROUNDS; round++) {
        tp_vec3 a = random_rotation_vector(&random, 1.9 * pi), b = tp_vec3_normalise(random_vector(&random));
        double derivative[12], direction[3], along[4];
        tp_quat_exp_derivative(a, derivative);
        tp_vec3_to_array(b, direction);
        tp_dense_multiply(4, 3, derivative, 4, direction, along);
        tp_quat plain = tp_quat_make(along[0], along[1], along[2], along[3]);
        tp_quat ahead = tp_quat_exp(tp_vec3_add_scaled(a, step, b));
        tp_quat behind = tp_quat_exp(tp_vec3_add_scaled(a, -step, b));
        tp_quat difference = tp_quat_scale(0.5 / step, tp_quat_add(ahead, tp_quat_scale(-1.0, behind)));
        CHECK_NEAR(distance4(difference, plain), 0.0, difference_tolerance);

        /* Trivialised: the same Tr as for matrices, d expq = hat(Tr(a) b) expq. */
        tp_vec3 half = tp_vec3_scale(0.5, tp_mat3_apply(tp_rotation_tangent(a), b));
        tp_quat trivialised = tp_quat_multiply(tp_quat_from_parts(0.0, half), tp_quat_exp(a));
        CHECK_NEAR(distance4(plain, trivialised), 0.0, rounding);

        /* Bracket of pure quaternions: hat a hat b - hat b hat a = hat(a x b). */
        tp_quat hat_a = tp_quat_from_parts(0.0, tp_vec3_scale(0.5, a));
        tp_quat hat_b = tp_quat_from_parts(0.0, tp_vec3_scale(0.5, b));
        tp_quat bracket =
            tp_quat_add(tp_quat_multiply(hat_a, hat_b), tp_quat_scale(-1.0, tp_quat_multiply(hat_b, hat_a)));
        tp_quat expected = tp_quat_from_parts(0.0, tp_vec3_scale(0.5, tp_vec3_cross(a, b)));
        CHECK_NEAR(distance4(bracket, expected), 0.0, rounding);
    }
}

static tp_quat unit_direction(int k, double size)
{
    return tp_quat_make(k == 0 ? size : 0.0, k == 1 ? size : 0.0, k == 2 ? size : 0.0, k == 3 ? size : 0.0);
}

TEST(the_three_forms_of_r_agree_on_the_unit_sphere_and_have_their_own_derivatives)
{
    check_random random = {75};
    for (int round = 0; round < ROUNDS; round++) {
        tp_quat p = tp_quat_scale(check_uniform(&random, 0.5, 1.5), random_unit_quat(&random));
        tp_vec3 x = tp_vec3_normalise(random_vector(&random));
        double square = tp_quat_dot(p, p);
        tp_mat3 R = tp_quat_to_matrix(p), normalised = tp_rotation_matrix(TP_ROTATION_NORMALISED, p);
        tp_mat3 homogeneous = tp_rotation_matrix(TP_ROTATION_HOMOGENEOUS, p);
        tp_mat3 phi = tp_rotation_matrix(TP_ROTATION_PHI, p);
        CHECK_NEAR(distance(normalised, R), 0.0, rounding);
        CHECK_NEAR(distance(homogeneous, tp_mat3_scale(square, R)), 0.0, rounding);
        CHECK_NEAR(phi.cx.x, 1.0 - 2.0 * p.y * p.y - 2.0 * p.z * p.z, rounding);
        CHECK_NEAR(phi.cy.x, 2.0 * (p.x * p.y - p.z * p.w), rounding);
        CHECK_NEAR(phi.cz.x, 2.0 * (p.x * p.z + p.y * p.w), rounding);
        CHECK_NEAR(phi.cx.y, 2.0 * (p.x * p.y + p.z * p.w), rounding);
        CHECK_NEAR(phi.cz.y, 2.0 * (p.y * p.z - p.x * p.w), rounding);
        CHECK_NEAR(distance(tp_rotation_matrix(TP_ROTATION_PHI, tp_quat_normalise(p)), R), 0.0, rounding);

        for (int form = 0; form < 3; form++) {
            double plain[12], transposed[12];
            tp_rotation_derivative((tp_rotation_form)form, p, x, plain);
            tp_rotation_transposed_derivative((tp_rotation_form)form, p, x, transposed);
            for (int k = 0; k < 4; k++) {
                tp_quat d = unit_direction(k, step), back = unit_direction(k, -step);
                tp_mat3 ahead = tp_rotation_matrix((tp_rotation_form)form, tp_quat_add(p, d));
                tp_mat3 behind = tp_rotation_matrix((tp_rotation_form)form, tp_quat_add(p, back));
                tp_mat3 difference = tp_mat3_scale(0.5 / step, tp_mat3_sub(ahead, behind));
                /* |p| >= 1/2 makes third derivatives as large as 6 * 2^4 */
                CHECK_NEAR(distance3(tp_vec3_from_array(plain + 3 * k), tp_mat3_apply(difference, x)), 0.0,
                           20.0 * difference_tolerance);
                CHECK_NEAR(distance3(tp_vec3_from_array(transposed + 3 * k),
                                     tp_mat3_apply_transposed(difference, x)),
                           0.0, 20.0 * difference_tolerance);
            }
        }
    }
}

TEST(row_directions_by_velocity_do_not_depend_on_the_form_of_r)
{
    /* d(R x)/dp Psi/2 = -R x~ on the unit sphere, for all three forms. */
    check_random random = {76};
    for (int round = 0; round < ROUNDS; round++) {
        tp_quat p = random_unit_quat(&random);
        tp_vec3 x = random_vector(&random);
        double psi[12], derivative[12], expected[9], product[3];
        tp_quat_rate_matrix(p, psi);
        tp_mat3_to_array(tp_rotation_point_derivative(tp_quat_to_matrix(p), x), expected);
        for (int form = 0; form < 3; form++) {
            tp_rotation_derivative((tp_rotation_form)form, p, x, derivative);
            for (int j = 0; j < 3; j++) {
                tp_dense_multiply(3, 4, derivative, 3, psi + 4 * j, product);
                for (int i = 0; i < 3; i++) CHECK_NEAR(0.5 * product[i], expected[i + 3 * j], 4.0 * rounding);
            }
        }
    }
}

TEST(inertia_and_euler_tensors_are_each_others_transform)
{
    check_random random = {77};
    for (int round = 0; round < ROUNDS; round++) {
        /* A cloud of mass points gives both tensors from their definitions. */
        tp_mat3 inertia = tp_mat3_scale(0.0, tp_mat3_identity()), euler = inertia;
        for (int k = 0; k < 6; k++) {
            tp_vec3 rho = random_vector(&random);
            double mass = check_uniform(&random, 0.1, 1.0);
            tp_mat3 skew = tp_mat3_skew(rho);
            inertia = tp_mat3_add(inertia, tp_mat3_scale(-mass, tp_mat3_multiply(skew, skew)));
            euler = tp_mat3_add(euler, tp_mat3_scale(mass, tp_mat3_outer(rho, rho)));
        }
        double size = tp_mat3_trace(inertia);
        CHECK_NEAR(distance(tp_inertia_to_euler(inertia), euler), 0.0, rounding * size);
        CHECK_NEAR(distance(tp_inertia_from_euler(euler), inertia), 0.0, rounding * size);
        CHECK_NEAR(0.5 * tp_mat3_trace(inertia), tp_mat3_trace(euler), rounding * size);
    }
}

TEST(scalable_velocities_are_the_growth_and_the_scaled_angular_velocity)
{
    check_random random = {78};
    for (int round = 0; round < ROUNDS; round++) {
        tp_quat A = random_quat(&random), rate = random_quat(&random);
        double s = tp_quat_dot(A, A);
        tp_quat u = tp_quat_scaled_velocity(A, rate);
        CHECK_NEAR(distance4(tp_quat_scaled_rate(A, u), rate), 0.0, rounding * (1.0 + tp_quat_norm(rate)));
        CHECK_NEAR(u.w, 2.0 * tp_quat_dot(A, rate), rounding * (1.0 + fabs(u.w) + s)); /* nu = d|A|^2/dt */
        /* d/dt (s R x) = R (nu x + omega x x) */
        tp_vec3 x = tp_vec3_normalise(random_vector(&random));
        tp_vec3 ahead = tp_quat_rotate(tp_quat_add(A, tp_quat_scale(step, rate)), x);
        tp_vec3 behind = tp_quat_rotate(tp_quat_add(A, tp_quat_scale(-step, rate)), x);
        tp_vec3 difference = tp_vec3_scale(0.5 / step, tp_vec3_sub(ahead, behind));
        tp_vec3 body = tp_vec3_add(tp_vec3_scale(u.w, x), tp_vec3_cross(tp_quat_vector(u), x));
        tp_vec3 expected = tp_mat3_apply(tp_quat_to_matrix(A), body);
        CHECK_NEAR(distance3(difference, expected), 0.0,
                   difference_tolerance * (1.0 + s + tp_quat_dot(rate, rate)));
    }
}

TEST(contact_frames_are_right_handed_and_do_not_turn_with_rounding)
{
    check_random random = {79};
    for (int round = 0; round < ROUNDS; round++) {
        tp_vec3 n = tp_vec3_normalise(random_vector(&random));
        tp_mat3 frame = tp_frame_from_normal(n);
        CHECK_NEAR(distance(tp_mat3_multiply(tp_mat3_transpose(frame), frame), tp_mat3_identity()), 0.0,
                   rounding);
        CHECK_NEAR(tp_mat3_determinant(frame), 1.0, rounding);
        bool is_along_x = fabs(n.x) > 0.6;
        double own = is_along_x ? n.y : n.x;
        CHECK_NEAR(is_along_x ? frame.cy.y : frame.cy.x, sqrt(1.0 - own * own), rounding);
        tp_vec3 noise = tp_vec3_scale(1e-15, random_vector(&random)); /* tangents of a floor stay */
        tp_mat3 floor = tp_frame_from_normal(tp_vec3_normalise(tp_vec3_add(noise, tp_vec3_make(0, 0, 1))));
        CHECK_NEAR(distance3(floor.cy, tp_vec3_make(1.0, 0.0, 0.0)), 0.0, rounding);
    }
    tp_mat3 floor_frame = tp_frame_from_normal(tp_vec3_make(0.0, 0.0, 1.0));
    CHECK_NEAR(distance3(floor_frame.cy, tp_vec3_make(1.0, 0.0, 0.0)), 0.0, 0.0);
    CHECK_NEAR(distance3(floor_frame.cz, tp_vec3_make(0.0, 1.0, 0.0)), 0.0, 0.0);
    tp_mat3 wall_frame = tp_frame_from_normal(tp_vec3_make(1.0, 0.0, 0.0));
    CHECK_NEAR(distance3(wall_frame.cy, tp_vec3_make(0.0, 1.0, 0.0)), 0.0, 0.0);
    double third = 1.0 / sqrt(3.0); /* the same angle with all three: the first axis */
    tp_mat3 tie = tp_frame_from_normal(tp_vec3_make(third, third, third));
    CHECK_NEAR(tie.cy.x, sqrt(2.0 / 3.0), rounding);
    tp_vec2 t = tp_frame_planar_tangent(tp_vec2_make(0.0, 1.0));
    CHECK_NEAR(t.x, 1.0, 0.0);
    CHECK_NEAR(t.y, 0.0, 0.0);
}

TEST(degenerate_vectors_and_quaternions_have_a_stated_answer)
{
    CHECK_NEAR(tp_vec3_norm(tp_vec3_normalise(tp_vec3_zero())), 0.0, 0.0);
    CHECK_NEAR(tp_quat_normalise(tp_quat_make(0.0, 0.0, 0.0, 0.0)).w, 1.0, 0.0);
    CHECK_NEAR(distance(tp_rotation_exp(tp_vec3_zero()), tp_mat3_identity()), 0.0, 0.0);
    CHECK_NEAR(distance(tp_rotation_tangent_inverse(tp_vec3_zero()), tp_mat3_identity()), 0.0, 0.0);
    CHECK_NEAR(tp_quat_exp(tp_vec3_zero()).w, 1.0, 0.0);
    tp_vec3 tiny = tp_quat_log(tp_quat_exp(tp_vec3_make(1e-200, 0.0, 0.0)));
    CHECK_NEAR(tiny.x, 1e-200, 1e-200); /* squares underflow; the answer must still be finite and small */
}

TEST(the_derivative_of_the_inverse_tangent_agrees_with_differences)
{
    check_random random = {6711};
    for (int round = 0; round < ROUNDS; round++) {
        tp_vec3 a = random_rotation_vector(&random, pi), x = random_vector(&random),
                e = random_vector(&random);
        tp_vec3 derivative = tp_mat3_apply(tp_rotation_tangent_inverse_derivative(a, x), e);
        tp_vec3 ahead = tp_mat3_apply(tp_rotation_tangent_inverse(tp_vec3_add_scaled(a, step, e)), x);
        tp_vec3 behind = tp_mat3_apply(tp_rotation_tangent_inverse(tp_vec3_add_scaled(a, -step, e)), x);
        tp_vec3 difference = tp_vec3_scale(0.5 / step, tp_vec3_sub(ahead, behind));
        double size = 1.0 + tp_vec3_norm(x) * (1.0 + tp_vec3_norm(e)) * (1.0 + tp_vec3_dot(e, e));
        CHECK_NEAR(distance3(derivative, difference), 0.0, difference_tolerance * size);
    }
    /* Where the series ends and the direct form begins, both agree. */
    tp_vec3 below = {0.0, 0.0, 2.0 - 1e-14}, above = {0.0, 0.0, 2.0 + 1e-14}, x = {1.0, -2.0, 0.5};
    CHECK_NEAR(distance(tp_rotation_tangent_inverse_derivative(below, x),
                        tp_rotation_tangent_inverse_derivative(above, x)),
               0.0, 64.0 * rounding); /* 14 units from the series, 40 from cancellation */
}

/* J (w + change) x w; about an axis of symmetry nothing at all, not even rounding; (19a). */
TEST(the_gyroscopic_moment_about_an_axis_of_symmetry_is_nothing)
{
    check_random random = {41};
    for (int trial = 0; trial < 200; trial++) {
        double x[12];
        for (int k = 0; k < 12; k++) x[k] = check_uniform(&random, -3.0, 3.0);
        tp_vec3 w = {x[0], x[1], x[2]}, change = {1e-3 * x[3], 1e-3 * x[4], 1e-3 * x[5]};
        tp_mat3 J = {{x[6], x[9], x[10]}, {x[9], x[7], x[11]}, {x[10], x[11], x[8]}};
        tp_vec3 moment = tp_inertia_gyroscopic(J, w, change),
                direct = tp_vec3_cross(tp_mat3_apply(J, tp_vec3_add(w, change)), w);
        CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(moment, direct)), 0.0, 1e3 * rounding);
        double a = fabs(x[6]);
        tp_mat3 round = {{a, 0.0, 0.0}, {0.0, a, 0.0}, {0.0, 0.0, 1e-12}};
        CHECK(tp_inertia_gyroscopic(round, w, tp_vec3_zero()).z == 0.0);
    }
}

TEST_MAIN(RUNS(the_exponential_is_the_matrix_exponential_and_a_rotation),
          RUNS(logarithm_and_exponential_are_inverse_for_every_angle_up_to_pi),
          RUNS(tangent_maps_are_the_derivatives_of_the_exponential),
          RUNS(tangent_maps_have_their_inverses_and_their_power_series),
          RUNS(the_inverse_tangent_has_bernoulli_numbers_as_coefficients),
          RUNS(the_derivative_of_the_inverse_tangent_agrees_with_differences),
          RUNS(series_and_closed_forms_meet_without_a_jump),
          RUNS(the_derivative_of_a_rotated_point_on_the_group),
          RUNS(the_quaternion_product_is_that_of_complex_matrices),
          RUNS(product_matrices_represent_the_product_and_commute),
          RUNS(the_rate_matrix_has_orthogonal_columns_that_are_normal_to_p),
          RUNS(kinematics_body_and_world_angular_velocities_agree),
          RUNS(quaternions_and_matrices_describe_the_same_rotations),
          RUNS(every_branch_of_the_quaternion_of_a_matrix_is_accurate),
          RUNS(the_flow_of_a_constant_body_velocity_is_the_exponential),
          RUNS(derivatives_of_the_quaternion_exponential),
          RUNS(the_three_forms_of_r_agree_on_the_unit_sphere_and_have_their_own_derivatives),
          RUNS(row_directions_by_velocity_do_not_depend_on_the_form_of_r),
          RUNS(inertia_and_euler_tensors_are_each_others_transform),
          RUNS(the_gyroscopic_moment_about_an_axis_of_symmetry_is_nothing),
          RUNS(scalable_velocities_are_the_growth_and_the_scaled_angular_velocity),
          RUNS(contact_frames_are_right_handed_and_do_not_turn_with_rounding),
          RUNS(degenerate_vectors_and_quaternions_have_a_stated_answer))
