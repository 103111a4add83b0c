/* The rotation toolbox: exponential and logarithm, their derivatives, quaternion matrices, forms of R off the
   unit sphere, inertia tensors. Equation numbers are those of docs/theory/rotations.md. Matrices that are not
   3 x 3 are arrays, column by column. */
#ifndef TIPPE_ROTATION_H
#define TIPPE_ROTATION_H

#include "tippe/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rotation vectors ---- */

/* exp(a~), the rotation about a by |a|; (1). */
tp_mat3 tp_rotation_exp(tp_vec3 a);

/* The shortest a with exp(a~) = R, |a| <= pi; (2). */
tp_vec3 tp_rotation_log(tp_mat3 R);

/* Tr(a): d/dt exp(a~) = (Tr(a) a')~ exp(a~), angular velocity in the world frame; (3). */
tp_mat3 tp_rotation_tangent(tp_vec3 a);

/* Tr(-a) = Tr(a)^T: d/dt exp(a~) = exp(a~) (Tr(-a) a')~, angular velocity in the body frame; (4). */
tp_mat3 tp_rotation_tangent_body(tp_vec3 a);

/* The inverses of both; |a| < 2 pi, where they cease to exist; (5). */
tp_mat3 tp_rotation_tangent_inverse(tp_vec3 a);
tp_mat3 tp_rotation_tangent_body_inverse(tp_vec3 a);

/* d (Tr(a)^-1 x) / da; (22). */
tp_mat3 tp_rotation_tangent_inverse_derivative(tp_vec3 a, tp_vec3 x);

/* -R x~: change of R x when R goes to R exp(a~), per a; (21). */
tp_mat3 tp_rotation_point_derivative(tp_mat3 R, tp_vec3 x);

/* The rotation R of the polar decomposition A = R S, S symmetric and positive definite: the nearest one. det
   A > 0; (23). */
tp_mat3 tp_rotation_nearest(tp_mat3 A);

/* ---- quaternions ---- */

/* (cos |a|/2, sin(|a|/2) a/|a|): the unit quaternion of exp(a~); (14). */
tp_quat tp_quat_exp(tp_vec3 a);

/* The shortest rotation vector of a quaternion of any length but zero; (2). */
tp_vec3 tp_quat_log(tp_quat p);

/* d tp_quat_exp(a) / da, 4 x 3; (15). */
void tp_quat_exp_derivative(tp_vec3 a, double *derivative_out);

/* [p.] and [.q], 4 x 4: p q = [p.] q = [.q] p; (8). [p.] is also phi(p) of the scalable body. */
void tp_quat_left_matrix(tp_quat p, double *matrix_out);
void tp_quat_right_matrix(tp_quat q, double *matrix_out);

/* Psi(p), 4 x 3: p' = 1/2 Psi(p) w; (12). */
void tp_quat_rate_matrix(tp_quat p, double *matrix_out);

/* Angular velocity from p and p', |p| = 1: in the body frame 2 Psi(p)^T p', in the world frame; (13). */
tp_vec3 tp_quat_angular_velocity(tp_quat p, tp_quat p_rate);
tp_vec3 tp_quat_angular_velocity_world(tp_quat p, tp_quat p_rate);

/* Scalable body: (nu, omega) = 2 phi(A*) A' and back, A' = A (nu, omega) / (2 |A|^2); (20). */
tp_quat tp_quat_scaled_velocity(tp_quat A, tp_quat A_rate);
tp_quat tp_quat_scaled_rate(tp_quat A, tp_quat nu_omega);

/* ---- R as a function of four numbers ---- */

/* Three extensions of R off the unit sphere; they agree for |p| = 1, their derivatives along p do not; (10).
 */
typedef enum tp_rotation_form {
    TP_ROTATION_NORMALISED,  /* R(p/|p|): the default                               */
    TP_ROTATION_HOMOGENEOUS, /* |p|^2 R(p/|p|): quadratic, for discrete derivatives */
    TP_ROTATION_PHI          /* diagonal 1 - 2 ..., quadratic with a constant       */
} tp_rotation_form;

/* The rotation matrix of a quaternion in one of these forms. */
tp_mat3 tp_rotation_matrix(tp_rotation_form form, tp_quat p);

/* d (R(p) x) / dp and d (R(p)^T x) / dp, 3 x 4; (11). */
void tp_rotation_derivative(tp_rotation_form form, tp_quat p, tp_vec3 x, double *derivative_out);
void tp_rotation_transposed_derivative(tp_rotation_form form, tp_quat p, tp_vec3 x, double *derivative_out);

/* ---- inertia ---- */

/* Euler tensor E = integral of rho rho^T dm from the inertia tensor, and back; (19) [kg m^2]. */
tp_mat3 tp_inertia_to_euler(tp_mat3 inertia);
tp_mat3 tp_inertia_from_euler(tp_mat3 euler);

/* (J (w + change)) x w: with change = 0 the gyroscopic moment. What cancels is not computed: the moment about
   an axis of symmetry is 0 with change = 0, and its rounding error else that of a small change; (19a). */
tp_vec3 tp_inertia_gyroscopic(tp_mat3 inertia, tp_vec3 w, tp_vec3 change);

/* Four numbers as a quaternion, and back. */
static inline tp_quat tp_quat_at(const double *p)
{
    return tp_quat_make(p[0], p[1], p[2], p[3]);
}

static inline void tp_quat_put(tp_quat p, double *out)
{
    out[0] = p.w;
    out[1] = p.x;
    out[2] = p.y;
    out[3] = p.z;
}

#ifdef __cplusplus
}
#endif

#endif
