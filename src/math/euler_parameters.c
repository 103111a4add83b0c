/* Euler parameters: H, H~ and what follows from them; docs/theory/jet.md (1)-(8). H(theta) v is the vector
   part of the product theta* v, H~(theta) v that of v theta*. */
#include "tippe/euler_parameters.h"

#include "math/dense.h"
#include "tippe/rotation.h"

static void put_transposed(const double *psi, double *H)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) H[i + 3 * j] = psi[j + 4 * i];
    }
}

void tp_euler_matrix(tp_quat theta, double *H)
{
    double psi[12];
    tp_quat_rate_matrix(theta, psi);
    put_transposed(psi, H);
}

void tp_euler_matrix_world(tp_quat theta, double *H)
{
    double right[16];
    tp_quat_right_matrix(theta, right);
    put_transposed(right + 4, H);
}

tp_vec3 tp_euler_apply(tp_quat theta, tp_quat v)
{
    return tp_quat_vector(tp_quat_multiply(tp_quat_conjugate(theta), v));
}

tp_vec3 tp_euler_apply_world(tp_quat theta, tp_quat v)
{
    return tp_quat_vector(tp_quat_multiply(v, tp_quat_conjugate(theta)));
}

tp_quat tp_euler_apply_transposed(tp_quat theta, tp_vec3 x)
{
    return tp_quat_multiply(theta, tp_quat_from_parts(0.0, x));
}

tp_quat tp_euler_apply_world_transposed(tp_quat theta, tp_vec3 x)
{
    return tp_quat_multiply(tp_quat_from_parts(0.0, x), theta);
}

tp_mat3 tp_euler_rotation(tp_quat theta)
{
    return tp_rotation_matrix(TP_ROTATION_HOMOGENEOUS, theta);
}

void tp_euler_form(tp_vec3 a, tp_vec3 x, double *Q)
{
    double dot = tp_vec3_dot(a, x), p[] = {a.x, a.y, a.z}, q[] = {x.x, x.y, x.z}, cross[3];
    tp_vec3_to_array(tp_vec3_cross(x, a), cross);
    Q[0] = dot;
    for (int i = 0; i < 3; i++) {
        Q[1 + i] = Q[4 * (1 + i)] = cross[i];
        for (int j = 0; j < 3; j++) Q[1 + i + 4 * (1 + j)] = p[i] * q[j] + q[i] * p[j] - (i == j ? dot : 0.0);
    }
}

tp_vec3 tp_euler_velocity(tp_quat theta, tp_quat theta1)
{
    return tp_vec3_scale(2.0, tp_euler_apply(theta, theta1));
}

tp_vec3 tp_euler_velocity_world(tp_quat theta, tp_quat theta1)
{
    return tp_vec3_scale(2.0, tp_euler_apply_world(theta, theta1));
}

tp_quat tp_euler_rate(tp_quat theta, tp_vec3 velocity)
{
    return tp_quat_scale(0.5, tp_euler_apply_transposed(theta, velocity));
}

tp_quat tp_euler_rate_world(tp_quat theta, tp_vec3 velocity)
{
    return tp_quat_scale(0.5, tp_euler_apply_world_transposed(theta, velocity));
}

tp_quat tp_euler_second_rate(tp_quat theta, tp_quat theta1, tp_vec3 angular_acceleration)
{
    tp_quat along = tp_euler_rate(theta, angular_acceleration);
    return tp_quat_add(along, tp_quat_scale(-tp_quat_dot(theta1, theta1), theta));
}

tp_vec3 tp_euler_christoffel(tp_mat3 inertia, tp_quat theta, tp_quat theta1)
{
    tp_vec3 momentum = tp_mat3_apply(inertia, tp_euler_apply(theta, theta1));
    return tp_euler_apply(theta, tp_euler_apply_transposed(theta1, momentum));
}

tp_quat tp_euler_acceleration(tp_mat3 inertia, tp_quat theta, tp_quat theta1, tp_vec3 torque)
{
    tp_vec3 K = tp_euler_christoffel(inertia, theta, theta1);
    double J[9], right[3], acceleration[3] = {NAN, NAN, NAN};
    tp_mat3_to_array(inertia, J);
    tp_vec3_to_array(tp_vec3_add_scaled(torque, -4.0, K), right);
    (void)tp_dense_solve_small(3, J, right, acceleration);
    return tp_euler_second_rate(theta, theta1, tp_vec3_from_array(acceleration));
}

void tp_christoffel(int n, const double *slope, const double *v, const double *w, double *out)
{
    for (int k = 0; k < n; k++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                sum +=
                    (slope[i + n * (k + n * j)] + slope[j + n * (k + n * i)] - slope[i + n * (j + n * k)]) *
                    v[i] * w[j];
        }
        out[k] = 0.5 * sum;
    }
}
