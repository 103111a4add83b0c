/* The rotation toolbox; docs/theory/rotations.md. */
#include "tippe/rotation.h"

#include <float.h>

/* Below this angle [rad] differences like x - sin x are summed as series; above, the direct form loses at
   most four bits. */
static const double series_limit = 1.0;

enum { TERMS = 9 }; /* the tenth term is below rounding up to the limit */

static double sum_series(const double *coefficient, double square)
{
    double sum = 0.0;
    for (int k = TERMS - 1; k >= 0; k--) sum = sum * square + coefficient[k];
    return sum;
}

/* sin x / x */
static double sine_ratio(double x)
{
    return x != 0.0 ? sin(x) / x : 1.0;
}

/* (1 - cos x) / x^2, written with the half angle: no cancellation; (6). */
static double cosine_ratio(double x)
{
    double half = sine_ratio(0.5 * x);
    return 0.5 * half * half;
}

/* (x - sin x) / x^3; coefficients (-1)^k / (2k + 3)!; (6). */
static double sine_defect(double x)
{
    static const double series[TERMS] = {1.0 / 6.0,
                                         -1.0 / 120.0,
                                         1.0 / 5040.0,
                                         -1.0 / 362880.0,
                                         1.0 / 39916800.0,
                                         -1.0 / 6227020800.0,
                                         1.0 / 1307674368000.0,
                                         -1.0 / 355687428096000.0,
                                         1.0 / 121645100408832000.0};
    return x < series_limit ? sum_series(series, x * x) : (x - sin(x)) / (x * x * x);
}

/* (1 - (x/2) cot(x/2)) / x^2. For small x as ((1 - cos x)/x^2 - sin x/(2 x)) / x^2 over (1 - cos x)/x^2,
   whose numerator has coefficients (-1)^k (k + 1) / (2k + 4)!; (6). */
static double cotangent_defect(double x)
{
    static const double series[TERMS] = {1.0 / 24.0,
                                         -2.0 / 720.0,
                                         3.0 / 40320.0,
                                         -4.0 / 3628800.0,
                                         5.0 / 479001600.0,
                                         -6.0 / 87178291200.0,
                                         7.0 / 20922789888000.0,
                                         -8.0 / 6402373705728000.0,
                                         9.0 / 2432902008176640000.0};
    if (x < series_limit) return sum_series(series, x * x) / cosine_ratio(x);
    return (1.0 - 0.5 * x / tan(0.5 * x)) / (x * x);
}

/* Derivative of the last one, over x: ((x/2) cot(x/2) + (x/2)^2 / sin^2(x/2) - 2) / x^4. For small x its
   numerator times sin^2(x/2) is a series with coefficients (-1)^k (k + 1) / (2k + 6)!; four orders cancel in
   the direct form, hence the larger limit; (23). */
static double cotangent_defect_slope(double x)
{
    static const double series[TERMS] = {1.0 / 720.0,
                                         -2.0 / 40320.0,
                                         3.0 / 3628800.0,
                                         -4.0 / 479001600.0,
                                         5.0 / 87178291200.0,
                                         -6.0 / 20922789888000.0,
                                         7.0 / 6402373705728000.0,
                                         -8.0 / 2432902008176640000.0,
                                         9.0 / 1124000727777607680000.0};
    double half = 0.5 * x, sine = sin(half);
    if (x < 2.0 * series_limit) return sum_series(series, x * x) / cosine_ratio(x);
    return (half / tan(half) + half * half / (sine * sine) - 2.0) / (x * x * x * x);
}

/* ((x/2) cos(x/2) - sin(x/2)) / x^3; in y = x/2: coefficients (-1)^(k+1) (2k + 2) / (2k + 3)! over 8; (6). */
static double half_sine_defect(double x)
{
    static const double series[TERMS] = {-2.0 / 6.0,
                                         4.0 / 120.0,
                                         -6.0 / 5040.0,
                                         8.0 / 362880.0,
                                         -10.0 / 39916800.0,
                                         12.0 / 6227020800.0,
                                         -14.0 / 1307674368000.0,
                                         16.0 / 355687428096000.0,
                                         -18.0 / 121645100408832000.0};
    double half = 0.5 * x;
    if (x < series_limit) return 0.125 * sum_series(series, half * half);
    return (half * cos(half) - sin(half)) / (x * x * x);
}

/* I + first a~ + second a~^2, where a~^2 = a a^T - |a|^2 I. */
static tp_mat3 skew_polynomial(tp_vec3 a, double first, double second)
{
    tp_mat3 linear = tp_mat3_scale(first, tp_mat3_skew(a));
    tp_mat3 outer = tp_mat3_scale(second, tp_mat3_outer(a, a));
    double diagonal = 1.0 - second * tp_vec3_dot(a, a);
    return tp_mat3_add(tp_mat3_add(linear, outer),
                       tp_mat3_diagonal(tp_vec3_make(diagonal, diagonal, diagonal)));
}

tp_mat3 tp_rotation_exp(tp_vec3 a)
{
    double angle = tp_vec3_norm(a);
    return skew_polynomial(a, sine_ratio(angle), cosine_ratio(angle));
}

tp_vec3 tp_rotation_log(tp_mat3 R)
{
    return tp_quat_log(tp_quat_from_matrix(R));
}

tp_mat3 tp_rotation_tangent(tp_vec3 a)
{
    double angle = tp_vec3_norm(a);
    return skew_polynomial(a, cosine_ratio(angle), sine_defect(angle));
}

tp_mat3 tp_rotation_tangent_body(tp_vec3 a)
{
    return tp_rotation_tangent(tp_vec3_negate(a));
}

tp_mat3 tp_rotation_tangent_inverse(tp_vec3 a)
{
    return skew_polynomial(a, -0.5, cotangent_defect(tp_vec3_norm(a)));
}

tp_mat3 tp_rotation_tangent_body_inverse(tp_vec3 a)
{
    return tp_rotation_tangent_inverse(tp_vec3_negate(a));
}

/* Tr(a)^-1 x = x - a x x / 2 + c a x (a x x), where c depends on |a|. */
tp_mat3 tp_rotation_tangent_inverse_derivative(tp_vec3 a, tp_vec3 x)
{
    double angle = tp_vec3_norm(a);
    tp_vec3 ax = tp_vec3_cross(a, x), aax = tp_vec3_cross(a, ax);
    tp_mat3 x_skew = tp_mat3_skew(x);
    tp_mat3 double_cross = tp_mat3_add(tp_mat3_skew(ax), tp_mat3_multiply(tp_mat3_skew(a), x_skew));
    tp_mat3 sum =
        tp_mat3_sub(tp_mat3_scale(0.5, x_skew), tp_mat3_scale(cotangent_defect(angle), double_cross));
    return tp_mat3_add(sum, tp_mat3_scale(cotangent_defect_slope(angle), tp_mat3_outer(aax, a)));
}

tp_mat3 tp_rotation_point_derivative(tp_mat3 R, tp_vec3 x)
{
    return tp_mat3_multiply(R, tp_mat3_skew(tp_vec3_negate(x)));
}

tp_quat tp_quat_exp(tp_vec3 a)
{
    double half = 0.5 * tp_vec3_norm(a);
    return tp_quat_from_parts(cos(half), tp_vec3_scale(0.5 * sine_ratio(half), a));
}

tp_vec3 tp_quat_log(tp_quat p)
{
    tp_vec3 v = tp_quat_vector(p);
    double sine = tp_vec3_norm(v);
    if (sine == 0.0) return tp_vec3_zero();
    /* p and -p are the same rotation; the one with w >= 0 has the smaller angle. */
    double factor = 2.0 * atan2(sine, fabs(p.w)) / sine;
    return tp_vec3_scale(p.w < 0.0 ? -factor : factor, v);
}

void tp_quat_exp_derivative(tp_vec3 a, double *derivative_out)
{
    double angle = tp_vec3_norm(a), ratio = 0.5 * sine_ratio(0.5 * angle), outer = half_sine_defect(angle);
    double component[3] = {a.x, a.y, a.z};
    for (int j = 0; j < 3; j++) {
        derivative_out[4 * j] = -0.5 * ratio * component[j];
        for (int i = 0; i < 3; i++) {
            derivative_out[1 + i + 4 * j] = outer * component[i] * component[j] + (i == j ? ratio : 0.0);
        }
    }
}

static void put_column(double *column, double w, double x, double y, double z)
{
    column[0] = w;
    column[1] = x;
    column[2] = y;
    column[3] = z;
}

void tp_quat_left_matrix(tp_quat p, double *matrix_out)
{
    put_column(matrix_out, p.w, p.x, p.y, p.z);
    tp_quat_rate_matrix(p, matrix_out + 4);
}

void tp_quat_right_matrix(tp_quat q, double *matrix_out)
{
    put_column(matrix_out, q.w, q.x, q.y, q.z);
    put_column(matrix_out + 4, -q.x, q.w, -q.z, q.y);
    put_column(matrix_out + 8, -q.y, q.z, q.w, -q.x);
    put_column(matrix_out + 12, -q.z, -q.y, q.x, q.w);
}

void tp_quat_rate_matrix(tp_quat p, double *matrix_out)
{
    put_column(matrix_out, -p.x, p.w, p.z, -p.y);
    put_column(matrix_out + 4, -p.y, -p.z, p.w, p.x);
    put_column(matrix_out + 8, -p.z, p.y, -p.x, p.w);
}

tp_vec3 tp_quat_angular_velocity(tp_quat p, tp_quat p_rate)
{
    return tp_vec3_scale(2.0, tp_quat_vector(tp_quat_multiply(tp_quat_conjugate(p), p_rate)));
}

tp_vec3 tp_quat_angular_velocity_world(tp_quat p, tp_quat p_rate)
{
    return tp_vec3_scale(2.0, tp_quat_vector(tp_quat_multiply(p_rate, tp_quat_conjugate(p))));
}

tp_quat tp_quat_scaled_velocity(tp_quat A, tp_quat A_rate)
{
    return tp_quat_scale(2.0, tp_quat_multiply(tp_quat_conjugate(A), A_rate));
}

tp_quat tp_quat_scaled_rate(tp_quat A, tp_quat nu_omega)
{
    return tp_quat_scale(0.5 / tp_quat_dot(A, A), tp_quat_multiply(A, nu_omega));
}

/* Newton's iteration X <- (X + X^-T)/2; from matrices near a rotation it doubles the digits. */
tp_mat3 tp_rotation_nearest(tp_mat3 A)
{
    const int most = 30;
    const double done = 4.0 * DBL_EPSILON;
    for (int k = 0; k < most; k++) {
        double factor = 0.5 / tp_mat3_determinant(A), before[9], after[9], change = 0.0;
        tp_mat3 next = tp_mat3_scale(0.5, A);
        next.cx = tp_vec3_add_scaled(next.cx, factor, tp_vec3_cross(A.cy, A.cz));
        next.cy = tp_vec3_add_scaled(next.cy, factor, tp_vec3_cross(A.cz, A.cx));
        next.cz = tp_vec3_add_scaled(next.cz, factor, tp_vec3_cross(A.cx, A.cy));
        tp_mat3_to_array(A, before);
        tp_mat3_to_array(next, after);
        for (int i = 0; i < 9; i++) change = fmax(change, fabs(after[i] - before[i]));
        A = next;
        if (change <= done) break;
    }
    return A;
}

tp_mat3 tp_inertia_to_euler(tp_mat3 inertia)
{
    double half = 0.5 * tp_mat3_trace(inertia);
    return tp_mat3_sub(tp_mat3_diagonal(tp_vec3_make(half, half, half)), inertia);
}

tp_mat3 tp_inertia_from_euler(tp_mat3 euler)
{
    double trace = tp_mat3_trace(euler);
    return tp_mat3_sub(tp_mat3_diagonal(tp_vec3_make(trace, trace, trace)), euler);
}

tp_vec3 tp_inertia_gyroscopic(tp_mat3 J, tp_vec3 w, tp_vec3 change)
{
    tp_vec3 of_diagonal = {(J.cy.y - J.cz.z) * w.y * w.z, (J.cz.z - J.cx.x) * w.z * w.x,
                           (J.cx.x - J.cy.y) * w.x * w.y};
    tp_vec3 momentum = tp_mat3_apply(J, change);
    J.cx.x = J.cy.y = J.cz.z = 0.0;
    momentum = tp_vec3_add(momentum, tp_mat3_apply(J, w));
    return tp_vec3_add(of_diagonal, tp_vec3_cross(momentum, w));
}
