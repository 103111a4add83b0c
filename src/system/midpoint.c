/* Steps of positions with a given mean velocity; docs/theory/consistent.md (21)-(27). */
#include "midpoint.h"

#include <math.h>
#include <string.h>

#define BODY(system, i) TP_LIST_AT((system)->model->bodies, tp_body, i)

tp_status tp_midpoint_create(tp_arena *arena, const tp_system *system, tp_turning turning,
                             tp_midpoint **midpoint_out)
{
    tp_midpoint *midpoint = TP_ARENA_ARRAY(arena, tp_midpoint, 1);
    *midpoint_out = midpoint;
    if (midpoint == NULL) return TP_OUT_OF_MEMORY;
    midpoint->system = system;
    midpoint->turning = turning;
    midpoint->q_end = TP_ARENA_ARRAY(arena, double, system->q_count);
    midpoint->q_middle = TP_ARENA_ARRAY(arena, double, system->q_count);
    midpoint->sigma = TP_ARENA_ARRAY(arena, tp_vec3, system->model->bodies.count);
    bool ok = midpoint->q_end != NULL && midpoint->q_middle != NULL && midpoint->sigma != NULL;
    return ok ? TP_OK : TP_OUT_OF_MEMORY;
}

static tp_quat quaternion_at(const double *p)
{
    return tp_quat_make(p[0], p[1], p[2], p[3]);
}

static void put_quaternion(tp_quat p, double *out)
{
    const double all[] = {p.w, p.x, p.y, p.z};
    memcpy(out, all, sizeof all);
}

/* sigma = tau, or the small root of sigma = tau (1 + sigma^2); (22), (23). */
static tp_vec3 sigma_of(tp_turning turning, tp_vec3 tau)
{
    if (turning == TP_TURN_CAYLEY) return tau;
    double root = sqrt(1.0 - 4.0 * tp_vec3_dot(tau, tau)); /* NaN: no end */
    return tp_vec3_scale(2.0 / (1.0 + root), tau);
}

static void turn(tp_midpoint *midpoint, int b, const double *q, const double *u, double dt)
{
    const tp_body *body = BODY(midpoint->system, b);
    const double *w = u + body->u_first + 3;
    tp_vec3 tau = tp_vec3_scale(0.25 * dt, tp_vec3_make(w[0], w[1], w[2]));
    tp_vec3 sigma = midpoint->sigma[b] = sigma_of(midpoint->turning, tau);
    tp_quat p = quaternion_at(q + body->q_first + 3), half = tp_quat_from_parts(1.0, sigma);
    tp_quat middle = tp_quat_multiply(p, half), end = tp_quat_multiply(middle, half);
    double square = 1.0 + tp_vec3_dot(sigma, sigma);
    put_quaternion(tp_quat_scale(1.0 / sqrt(square), middle), midpoint->q_middle + body->q_first + 3);
    put_quaternion(tp_quat_scale(1.0 / square, end), midpoint->q_end + body->q_first + 3);
}

void tp_midpoint_move(tp_midpoint *midpoint, const double *q, const double *u, double dt)
{
    const tp_system *system = midpoint->system;
    midpoint->q = q;
    for (int i = 0; i < system->general_q; i++) {
        midpoint->q_middle[i] = q[i] + 0.5 * dt * u[i];
        midpoint->q_end[i] = q[i] + dt * u[i];
    }
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = BODY(system, b);
        bool is_rigid = body->kind == TP_BODY_RIGID;
        for (int k = 0; k < (is_rigid ? 3 : body->q_count); k++) {
            int i = body->q_first + k;
            midpoint->q_middle[i] = q[i] + 0.5 * dt * u[body->u_first + k];
            midpoint->q_end[i] = q[i] + dt * u[body->u_first + k];
        }
        if (is_rigid) turn(midpoint, b, q, u, dt);
    }
}

static tp_vec3 turn_part(const double *row)
{
    return tp_vec3_make(row[0], row[1], row[2]);
}

static tp_quat middle_of(const tp_midpoint *midpoint, int body)
{
    return quaternion_at(midpoint->q_middle + BODY(midpoint->system, body)->q_first + 3);
}

void tp_midpoint_scale_row(const tp_midpoint *midpoint, int count, const int *columns, double *row)
{
    if (midpoint->turning == TP_TURN_SCALABLE) return; /* 1/|pm|^2 and |pm|^2 cancel */
    for (int k = 0; k < count; k++) {
        int body = midpoint->system->turn_of[columns[k]];
        if (body < 0) continue;
        double s = 1.0 / (1.0 + tp_vec3_dot(midpoint->sigma[body], midpoint->sigma[body]));
        tp_vec3_to_array(tp_vec3_scale(s, turn_part(row + k)), row + k);
    }
}

/* In the world the end turns by dt s pm-rotated dw, of the scalable body by (I + 2 sigma sigma^T/(1 -
   sigma^2)) dw instead of s dw; (25). */
void tp_midpoint_end_row(const tp_midpoint *midpoint, int count, const int *columns, double *row)
{
    for (int k = 0; k < count; k++) {
        int body = midpoint->system->turn_of[columns[k]];
        if (body < 0) continue;
        tp_vec3 sigma = midpoint->sigma[body];
        double square = tp_vec3_dot(sigma, sigma);
        tp_quat end = quaternion_at(midpoint->q_end + BODY(midpoint->system, body)->q_first + 3);
        tp_vec3 moment =
            tp_quat_rotate_back(middle_of(midpoint, body), tp_quat_rotate(end, turn_part(row + k)));
        if (midpoint->turning == TP_TURN_CAYLEY)
            moment = tp_vec3_scale(1.0 / (1.0 + square), moment);
        else
            moment = tp_vec3_add_scaled(moment, 2.0 * tp_vec3_dot(sigma, moment) / (1.0 - square), sigma);
        tp_vec3_to_array(moment, row + k);
    }
}

/* Q(p) Q(pm)^-1 (0, w) = (-sigma.w, w + sigma x w); (26). */
void tp_midpoint_begin_row(const tp_midpoint *midpoint, int count, const int *columns, const double *stretch,
                           double *row)
{
    if (midpoint->turning == TP_TURN_CAYLEY) return;
    for (int k = 0; k < count; k++) {
        int body = midpoint->system->turn_of[columns[k]];
        if (body < 0) continue;
        tp_vec3 sigma = midpoint->sigma[body], moment = turn_part(row + k);
        moment = tp_vec3_add(moment, tp_vec3_cross(moment, sigma));
        tp_vec3_to_array(tp_vec3_add_scaled(moment, -stretch[k], sigma), row + k);
    }
}

void tp_midpoint_world_row(const tp_midpoint *midpoint, int count, const int *columns, double *row)
{
    for (int k = 0; k < count; k++) {
        int body = midpoint->system->turn_of[columns[k]];
        if (body < 0) continue;
        tp_quat begin = quaternion_at(midpoint->q + BODY(midpoint->system, body)->q_first + 3);
        tp_vec3 moment =
            tp_quat_rotate_back(middle_of(midpoint, body), tp_quat_rotate(begin, turn_part(row + k)));
        tp_vec3_to_array(moment, row + k);
    }
}

void tp_midpoint_add_gyroscopic(const tp_midpoint *midpoint, const double *u, const double *v, double *force)
{
    if (midpoint->turning == TP_TURN_CAYLEY) return;
    for (int b = 0; b < midpoint->system->model->bodies.count; b++) {
        const tp_body *body = BODY(midpoint->system, b);
        if (body->kind != TP_BODY_RIGID) continue;
        int first = body->u_first + 3;
        tp_vec3 sigma = midpoint->sigma[b], w = turn_part(u + first), mean = turn_part(v + first);
        tp_vec3 momentum = tp_mat3_apply(body->inertia, mean);
        tp_vec3 change = tp_vec3_sub(tp_mat3_apply(body->inertia, w),
                                     tp_vec3_scale(1.0 + tp_vec3_dot(sigma, sigma), momentum));
        change = tp_vec3_cross(w, change);
        force[first] += change.x;
        force[first + 1] += change.y;
        force[first + 2] += change.z;
    }
}
