/* Rotations by four parameters theta with |theta| = 1, and the equations of motion of a body in them:
   docs/theory/jet.md (1)-(9). theta1, theta2 are first and second derivatives of theta. Matrices that are not
   3 x 3 are arrays, column by column. */
#ifndef TIPPE_EULER_PARAMETERS_H
#define TIPPE_EULER_PARAMETERS_H

#include "tippe/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* H(theta) and H~(theta), 3 x 4, both linear in theta: R = H~ H^T; (1). */
void tp_euler_matrix(tp_quat theta, double *H_out);
void tp_euler_matrix_world(tp_quat theta, double *H_out);

/* H(theta) v, H~(theta) v and H(theta)^T x, H~(theta)^T x. */
tp_vec3 tp_euler_apply(tp_quat theta, tp_quat v);
tp_vec3 tp_euler_apply_world(tp_quat theta, tp_quat v);
tp_quat tp_euler_apply_transposed(tp_quat theta, tp_vec3 x);
tp_quat tp_euler_apply_world_transposed(tp_quat theta, tp_vec3 x);

/* R = H~ H^T, which is |theta|^2 times a rotation; (2). */
tp_mat3 tp_euler_rotation(tp_quat theta);

/* Q(a, x), symmetric 4 x 4: a.(R x) = theta^T Q theta; (3). */
void tp_euler_form(tp_vec3 a, tp_vec3 x, double *Q_out);

/* Angular velocities 2 H theta1 (body) and 2 H~ theta1 (world), and theta1 from them; (4). */
tp_vec3 tp_euler_velocity(tp_quat theta, tp_quat theta1);
tp_vec3 tp_euler_velocity_world(tp_quat theta, tp_quat theta1);
tp_quat tp_euler_rate(tp_quat theta, tp_vec3 velocity);
tp_quat tp_euler_rate_world(tp_quat theta, tp_vec3 velocity);

/* theta2 = H^T c - |theta1|^2 theta with c half the angular acceleration in the body; (5). */
tp_quat tp_euler_second_rate(tp_quat theta, tp_quat theta1, tp_vec3 angular_acceleration);

/* The Christoffel map K = H H1^T J H theta1 of the rotational energy 2 H theta1.J H theta1; (6). */
tp_vec3 tp_euler_christoffel(tp_mat3 inertia, tp_quat theta, tp_quat theta1);

/* theta2 of 4 J H theta2 + 8 K = 2 torque, torque in the body; the inertia is not singular; (7). */
tp_quat tp_euler_acceleration(tp_mat3 inertia, tp_quat theta, tp_quat theta1, tp_vec3 torque);

/* Geodesics of a metric G(y): G y2 + Chr(y1, y1) = 0. Chr(v, w)_k is the sum over i and j of (dG_ik/dy_j +
   dG_jk/dy_i - dG_ij/dy_k) v_i w_j / 2; slope[i + n j + n^2 k] = dG_ij/dy_k; out [n]; (8). */
void tp_christoffel(int n, const double *slope, const double *v, const double *w, double *out);

#ifdef __cplusplus
}
#endif

#endif
