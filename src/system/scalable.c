/* The scalable body at a point; docs/theory/bodies.md (12)-(19). */
#include "scalable.h"

#include "tippe/rotation.h"

#include <string.h>

void tp_scalable_move(const double *q, const double *u, tp_body_state *state, double *rate)
{
    tp_quat p = tp_quat_at(q + 3);
    double size = tp_quat_dot(p, p);
    memcpy(rate, u, 3 * sizeof *rate);
    tp_quat_put(tp_quat_scaled_rate(p, tp_quat_at(u + 3)), rate + 3);
    state->frame.r = tp_vec3_from_array(q);
    state->frame.D = tp_rotation_matrix(TP_ROTATION_HOMOGENEOUS, p);
    state->v = tp_vec3_from_array(u);
    /* omega = s R^T w and D = s R */
    state->w = tp_vec3_scale(1.0 / (size * size), tp_mat3_apply(state->frame.D, tp_vec3_from_array(u + 4)));
    state->stretch = u[3] / size;
}

static double stretch_mass(const tp_body *body)
{
    return 0.5 * tp_mat3_trace(body->inertia);
}

tp_quat tp_scalable_momentum(const tp_body *body, tp_quat velocity)
{
    return tp_quat_from_parts(stretch_mass(body) * velocity.w,
                              tp_mat3_apply(body->inertia, tp_quat_vector(velocity)));
}

tp_quat tp_scalable_gyroscopic(tp_quat velocity, tp_vec3 momentum)
{
    return tp_quat_multiply(velocity, tp_quat_from_parts(0.0, momentum));
}

int tp_scalable_mass_column(const tp_body *body, int k, double *column)
{
    const tp_vec3 J[] = {body->inertia.cx, body->inertia.cy, body->inertia.cz};
    if (k == 0) {
        *column = stretch_mass(body);
        return 1;
    }
    tp_vec3_to_array(J[k - 1], column);
    return 3;
}

void tp_scalable_image(tp_quat p, int i, double *factor)
{
    double all[4];
    for (int k = 0; k < TP_SCALABLE_TURN; k++) {
        tp_quat_put(tp_quat_scaled_rate(p, tp_quat_unit(k)), all);
        factor[k] = all[i];
    }
}

/* Q^-T f_p = p* f_p/(2 s). */
static tp_quat covector(tp_quat p, tp_quat f)
{
    return tp_quat_scale(0.5 / tp_quat_dot(p, p), tp_quat_multiply(tp_quat_conjugate(p), f));
}

static void add(tp_quat f, double *h)
{
    h[0] += f.w;
    h[1] += f.x;
    h[2] += f.y;
    h[3] += f.z;
}

/* -(nu, omega) (0, J omega)/s */
static tp_quat gyroscopic_force(const tp_body *body, tp_quat p, tp_quat velocity)
{
    tp_vec3 momentum = tp_mat3_apply(body->inertia, tp_quat_vector(velocity));
    return tp_quat_scale(-1.0 / tp_quat_dot(p, p), tp_scalable_gyroscopic(velocity, momentum));
}

void tp_scalable_add_force(const tp_body *body, tp_quat p, tp_quat velocity, const double *f_p,
                           bool has_inertia, double *h)
{
    if (has_inertia) add(gyroscopic_force(body, p, velocity), h);
    add(covector(p, tp_quat_at(f_p)), h);
}

/* Adds a column of a 4 x 4 matrix by columns. */
static void add_column(tp_quat column, int k, double *matrix)
{
    add(column, matrix + 4 * k);
}

void tp_scalable_add_jacobian(const tp_body *body, tp_quat p, tp_quat velocity, const double *f_p,
                              bool has_inertia, double *stiffness, double *damping)
{
    double size = tp_quat_dot(p, p);
    tp_quat f = tp_quat_at(f_p), load = covector(p, f), gyro = gyroscopic_force(body, p, velocity);
    tp_vec3 momentum = tp_mat3_apply(body->inertia, tp_quat_vector(velocity));
    for (int k = 0; k < TP_SCALABLE_TURN; k++) {
        tp_quat unit = tp_quat_unit(k), turned = tp_quat_scaled_rate(p, unit);
        add_column(tp_quat_scale(0.5 / size, tp_quat_multiply(tp_quat_conjugate(turned), f)), k, stiffness);
        if (k == 0) add_column(tp_quat_scale(-1.0 / size, load), k, stiffness);
        if (!has_inertia) continue;
        if (k == 0) add_column(tp_quat_scale(-1.0 / size, gyro), k, stiffness);
        tp_vec3 change = tp_mat3_apply(body->inertia, tp_quat_vector(unit));
        tp_quat both =
            tp_quat_add(tp_scalable_gyroscopic(unit, momentum), tp_scalable_gyroscopic(velocity, change));
        add_column(tp_quat_scale(-1.0 / size, both), k, damping);
    }
}

void tp_scalable_add_row(const tp_body_state *state, tp_wrench wrench, double *W)
{
    double size = tp_vec3_norm(state->frame.D.cx);
    tp_vec3 m = tp_mat3_apply_transposed(state->frame.D, wrench.moment);
    W[0] += wrench.stretch / size;
    W[1] += m.x / (size * size);
    W[2] += m.y / (size * size);
    W[3] += m.z / (size * size);
}
