/* Steps of positions with a given mean velocity; docs/theory/consistent.md (21)-(27). */
#include "midpoint.h"

#include "tippe/rotation.h"
#include "tolerances.h"

#include <math.h>

#define BODY(system, i) TP_LIST_AT((system)->model->bodies, tp_body, i)

tp_status tp_midpoint_create(tp_arena *arena, const tp_system *system, tp_turning turning,
                             tp_midpoint **midpoint_out)
{
    tp_midpoint *midpoint = TP_ARENA_ARRAY(arena, tp_midpoint, 1);
    *midpoint_out = midpoint;
    if (midpoint == NULL) return TP_OUT_OF_MEMORY;
    midpoint->system = system;
    midpoint->turning = turning;
    TP_ARENA_DOUBLES(arena, system->q_count, &midpoint->q_end, &midpoint->q_middle);
    midpoint->sigma = TP_ARENA_ARRAY(arena, tp_vec3, system->model->bodies.count);
    midpoint->scalable = TP_ARENA_ARRAY(arena, tp_scalable_step, system->model->bodies.count);
    return tp_arena_status(arena);
}

/* sigma = tau, or the small root of sigma = tau (1 + sigma^2); (22), (23). */
static tp_vec3 sigma_of(tp_turning turning, tp_vec3 tau)
{
    if (turning == TP_TURN_CAYLEY) return tau;
    double root = sqrt(1.0 - 4.0 * tp_vec3_dot(tau, tau)); /* NaN: no end */
    return tp_vec3_scale(2.0 / (1.0 + root), tau);
}

static tp_vec3 turn_part(const double *row)
{
    return tp_vec3_make(row[0], row[1], row[2]);
}

static void turn(tp_midpoint *midpoint, int b, const double *q, const double *u, double dt)
{
    const tp_body *body = BODY(midpoint->system, b);
    const double *w = u + body->u_first + 3;
    tp_vec3 tau = tp_vec3_scale(0.25 * dt, tp_vec3_make(w[0], w[1], w[2]));
    tp_vec3 sigma = midpoint->sigma[b] = sigma_of(midpoint->turning, tau);
    tp_quat p = tp_quat_at(q + body->q_first + 3), half = tp_quat_from_parts(1.0, sigma);
    tp_quat middle = tp_quat_multiply(p, half), end = tp_quat_multiply(middle, half);
    double square = 1.0 + tp_vec3_dot(sigma, sigma);
    tp_quat_put(tp_quat_scale(1.0 / sqrt(square), middle), midpoint->q_middle + body->q_first + 3);
    tp_quat_put(tp_quat_scale(1.0 / square, end), midpoint->q_end + body->q_first + 3);
}

/* p+ = p X, pm = p Y; (34), (35). */
static void stretch(tp_midpoint *midpoint, int b, const double *q, const double *u, double dt)
{
    const tp_body *body = BODY(midpoint->system, b);
    int at = body->q_first + 3;
    tp_quat p = tp_quat_at(q + at);
    tp_scalable_step *step = &midpoint->scalable[b];
    *step = tp_scalable_step_make(p, tp_quat_at(u + body->u_first + 3), dt);
    tp_quat_put(tp_quat_multiply(p, step->Y), midpoint->q_middle + at);
    tp_quat_put(tp_quat_multiply(p, step->X), midpoint->q_end + at);
}

void tp_midpoint_move(tp_midpoint *midpoint, const double *q, const double *u, double dt)
{
    const tp_system *system = midpoint->system;
    midpoint->q = q;
    midpoint->u = u;
    midpoint->dt = dt;
    for (int i = 0; i < system->general_q; i++) {
        midpoint->q_middle[i] = q[i] + 0.5 * dt * u[i];
        midpoint->q_end[i] = q[i] + dt * u[i];
    }
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = BODY(system, b);
        bool is_rigid = body->kind == TP_BODY_RIGID, is_scalable = body->kind == TP_BODY_SCALABLE;
        for (int k = 0; k < (is_rigid || is_scalable ? 3 : body->q_count); k++) {
            int i = body->q_first + k;
            midpoint->q_middle[i] = q[i] + 0.5 * dt * u[body->u_first + k];
            midpoint->q_end[i] = q[i] + dt * u[body->u_first + k];
        }
        if (is_rigid) turn(midpoint, b, q, u, dt);
        if (is_scalable) stretch(midpoint, b, q, u, dt);
    }
}

/* The part of the way along which room + rise part - fall part^2, room and fall not below 0, stays above
   tp_room_kept room. */
static double part_of_way(double room, double rise, double fall)
{
    double least = tp_room_kept * room, enough = room - least;
    if (room + rise - fall >= least) return 1.0;
    /* the positive root, without cancellation */
    double root = sqrt(rise * rise + 4.0 * fall * enough);
    return rise > 0.0 ? (rise + root) / (2.0 * fall) : 2.0 * enough / (root - rise);
}

/* 1 + dt nu/s - |dt w/(2 s)|^2 is above 0 where a body has an end; (23) with nu = 0, s = 1, (35). From and to
   begin with nu, of scalable bodies, or with w. */
static double body_reach(const tp_midpoint *midpoint, int b, const double *q, double dt, const double *from,
                         const double *to)
{
    const tp_body *body = BODY(midpoint->system, b);
    bool stretches = body->kind == TP_BODY_SCALABLE;
    if (!stretches && (body->kind != TP_BODY_RIGID || midpoint->turning == TP_TURN_CAYLEY)) return 1.0;
    tp_quat p = tp_quat_at(q + body->q_first + 3);
    int first = stretches ? 1 : 0;
    double s = stretches ? tp_quat_dot(p, p) : 1.0, nu = stretches ? from[0] : 0.0,
           nu_rise = stretches ? to[0] - nu : 0.0;
    tp_vec3 w = turn_part(from + first), way = tp_vec3_sub(turn_part(to + first), w);
    double half = 0.5 * dt / s, square = half * half;
    return part_of_way(1.0 + 2.0 * half * nu - square * tp_vec3_dot(w, w),
                       2.0 * half * nu_rise - 2.0 * square * tp_vec3_dot(w, way),
                       square * tp_vec3_dot(way, way));
}

tp_reach tp_midpoint_reach(const tp_midpoint *midpoint, const double *q, double dt, const double *u,
                           const double *u_new)
{
    tp_reach all = {1.0, -1};
    for (int b = 0; b < midpoint->system->model->bodies.count; b++) {
        int turns = BODY(midpoint->system, b)->u_first + 3;
        double part = body_reach(midpoint, b, q, dt, u + turns, u_new + turns);
        if (part < all.part) all = (tp_reach){part, b};
    }
    return all;
}

int tp_midpoint_bring_inside(const tp_midpoint *midpoint, const double *q, double dt, double *u)
{
    static const double rest[TP_SCALABLE_TURN] = {0.0};
    int last = -1;
    for (int b = 0; b < midpoint->system->model->bodies.count; b++) {
        const tp_body *body = BODY(midpoint->system, b);
        double part = body_reach(midpoint, b, q, dt, rest, u + body->u_first + 3);
        if (!(part < 1.0)) continue;
        last = b;
        for (int j = body->u_first + 3; j < body->u_first + body->u_count; j++) u[j] *= part;
    }
    return last;
}

static bool is_scalable(const tp_midpoint *midpoint, int body)
{
    return BODY(midpoint->system, body)->kind == TP_BODY_SCALABLE;
}

static tp_quat middle_of(const tp_midpoint *midpoint, int body)
{
    return tp_quat_at(midpoint->q_middle + BODY(midpoint->system, body)->q_first + 3);
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
        if (is_scalable(midpoint, body)) {
            tp_quat_put(tp_scalable_end_row(&midpoint->scalable[body], tp_quat_at(row + k)), row + k);
            continue;
        }
        tp_vec3 sigma = midpoint->sigma[body];
        double square = tp_vec3_dot(sigma, sigma);
        tp_quat end = tp_quat_at(midpoint->q_end + BODY(midpoint->system, body)->q_first + 3);
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
        if (is_scalable(midpoint, body)) {
            tp_quat_put(tp_scalable_begin_row(&midpoint->scalable[body], tp_quat_at(row + k)), row + k);
            continue;
        }
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
        if (is_scalable(midpoint, body)) {
            tp_quat_put(tp_scalable_begin_row(&midpoint->scalable[body], tp_quat_at(row + k)), row + k);
            continue;
        }
        tp_quat begin = tp_quat_at(midpoint->q + BODY(midpoint->system, body)->q_first + 3);
        tp_vec3 moment =
            tp_quat_rotate_back(middle_of(midpoint, body), tp_quat_rotate(begin, turn_part(row + k)));
        tp_vec3_to_array(moment, row + k);
    }
}

/* ---- derivatives ---- */

/* (4/dt) dsigma/dw: I, or (1 + sigma^2)(I + 2 sigma sigma^T/(1 - sigma^2)); (25). */
static tp_mat3 turning_rate(const tp_midpoint *midpoint, int b)
{
    tp_vec3 sigma = midpoint->sigma[b];
    double square = tp_vec3_dot(sigma, sigma);
    if (midpoint->turning == TP_TURN_CAYLEY) return tp_mat3_identity();
    tp_mat3 along = tp_mat3_scale(2.0 / (1.0 - square), tp_mat3_outer(sigma, sigma));
    return tp_mat3_scale(1.0 + square, tp_mat3_add(tp_mat3_identity(), along));
}

/* The middle turns by dt/2 times this and dw, in its own directions: s (I - sigma~) (4/dt) dsigma/dw; (41).
 */
static tp_mat3 middle_rate(const tp_midpoint *midpoint, int b)
{
    tp_vec3 sigma = midpoint->sigma[b];
    double s = 1.0 / (1.0 + tp_vec3_dot(sigma, sigma));
    tp_mat3 turn = tp_mat3_sub(tp_mat3_identity(), tp_mat3_skew(sigma));
    return tp_mat3_scale(s, tp_mat3_multiply(turn, turning_rate(midpoint, b)));
}

/* The same for the turns of one body. */
static void middle_part(const tp_midpoint *midpoint, int body, double *row)
{
    if (is_scalable(midpoint, body))
        tp_quat_put(tp_scalable_middle_row(&midpoint->scalable[body], tp_quat_at(row)), row);
    else
        tp_vec3_to_array(tp_mat3_apply_transposed(middle_rate(midpoint, body), turn_part(row)), row);
}

void tp_midpoint_middle_row(const tp_midpoint *midpoint, int count, const int *columns, double *row)
{
    for (int k = 0; k < count; k++) {
        int body = midpoint->system->turn_of[columns[k]];
        if (body >= 0) middle_part(midpoint, body, row + k);
    }
}

static int turn_count(const tp_midpoint *midpoint, int body)
{
    return BODY(midpoint->system, body)->u_count - 3;
}

void tp_midpoint_middle_matrix(const tp_midpoint *midpoint, int count, const int *columns, double *matrix)
{
    for (int k = 0; k < count; k++) {
        int body = midpoint->system->turn_of[columns[k]];
        if (body < 0) continue;
        int turns = turn_count(midpoint, body);
        for (int i = 0; i < count; i++) {
            double row[TP_SCALABLE_TURN];
            for (int j = 0; j < turns; j++) row[j] = matrix[i + (k + j) * count];
            middle_part(midpoint, body, row);
            for (int j = 0; j < turns; j++) matrix[i + (k + j) * count] = row[j];
        }
    }
}

void tp_midpoint_middle_sparse(const tp_midpoint *midpoint, const tp_sparse *pattern, double *value)
{
    for (int b = 0; b < midpoint->system->model->bodies.count; b++) {
        const tp_body *body = BODY(midpoint->system, b);
        if (body->kind != TP_BODY_RIGID && body->kind != TP_BODY_SCALABLE) continue;
        int first = body->u_first + 3, turns = turn_count(midpoint, b);
        for (int e = pattern->start[first]; e < pattern->start[first + 1]; e++) {
            double row[TP_SCALABLE_TURN];
            int place[TP_SCALABLE_TURN];
            bool is_whole = true; /* else no derivative along positions is there */
            for (int j = 0; j < turns; j++) {
                place[j] = tp_pattern_place(pattern, pattern->index[e], first + j);
                is_whole = is_whole && place[j] >= pattern->start[first + j];
                row[j] = is_whole ? value[place[j]] : 0.0;
            }
            if (!is_whole) continue;
            middle_part(midpoint, b, row);
            for (int j = 0; j < turns; j++) value[place[j]] = row[j];
        }
    }
}

void tp_midpoint_scale_matrix(const tp_midpoint *midpoint, int count, const int *columns, const double *row,
                              double *matrix)
{
    if (midpoint->turning == TP_TURN_SCALABLE) return;
    for (int i = 0; i < count; i++) tp_midpoint_scale_row(midpoint, count, columns, matrix + i * count);
    for (int k = 0; k < count; k++) { /* s changes by -s^2 sigma.dw dt/2 */
        int body = midpoint->system->turn_of[columns[k]];
        if (body < 0) continue;
        double sigma[3], s = 1.0 / (1.0 + tp_vec3_dot(midpoint->sigma[body], midpoint->sigma[body]));
        tp_vec3_to_array(midpoint->sigma[body], sigma);
        for (int j = 0; j < 3; j++) {
            for (int i = 0; i < 3; i++) matrix[k + i + (k + j) * count] -= s * row[k + i] * sigma[j];
        }
    }
}

/* W_w.w - W_nu sigma.w changes by W_w - 2 W_nu sigma/(1 - sigma^2), of the scalable body by (37); (42). */
void tp_midpoint_begin_displacement(const tp_midpoint *midpoint, int count, const int *columns,
                                    const double *stretch, double *row)
{
    if (midpoint->turning == TP_TURN_CAYLEY) return;
    for (int k = 0; k < count; k++) {
        int body = midpoint->system->turn_of[columns[k]];
        if (body < 0) continue;
        if (is_scalable(midpoint, body)) {
            tp_quat_put(tp_scalable_displacement_row(&midpoint->scalable[body], tp_quat_at(row + k)),
                        row + k);
            continue;
        }
        tp_vec3 sigma = midpoint->sigma[body];
        double factor = -2.0 * stretch[k] / (1.0 - tp_vec3_dot(sigma, sigma));
        tp_vec3_to_array(tp_vec3_add_scaled(turn_part(row + k), factor, sigma), row + k);
    }
}

int tp_midpoint_begin_change(const tp_midpoint *midpoint, int body, const double *row, double stretch,
                             bool is_world, double *change)
{
    if (is_scalable(midpoint, body)) {
        for (int k = 0; k < TP_SCALABLE_TURN; k++)
            tp_quat_put(tp_scalable_begin_row_change(&midpoint->scalable[body], tp_quat_at(row), k),
                        change + 4 * k);
        return TP_SCALABLE_TURN;
    }
    tp_mat3 all;
    if (is_world) { /* R_m^T y changes by (R_m^T y) x the turn of the middle */
        tp_quat begin = tp_quat_at(midpoint->q + BODY(midpoint->system, body)->q_first + 3);
        tp_vec3 seen = tp_quat_rotate_back(middle_of(midpoint, body), tp_quat_rotate(begin, turn_part(row)));
        all = tp_mat3_multiply(tp_mat3_skew(seen), middle_rate(midpoint, body));
        all = tp_mat3_scale(0.5 * midpoint->dt, all);
    } else if (midpoint->turning == TP_TURN_CAYLEY) {
        return 0;
    } else { /* W x sigma - W_nu sigma */
        tp_mat3 by_sigma =
            tp_mat3_sub(tp_mat3_skew(turn_part(row)), tp_mat3_scale(stretch, tp_mat3_identity()));
        all = tp_mat3_scale(0.25 * midpoint->dt, tp_mat3_multiply(by_sigma, turning_rate(midpoint, body)));
    }
    tp_mat3_to_array(all, change);
    return 3;
}

/* ---- gyroscopic terms ---- */

static tp_vec3 rotation_of(const tp_body *body, const double *u)
{
    return turn_part(u + body->u_first + 3);
}

/* Part of the change of velocity at which the angular momentum is taken: v = w_begin + share (w_end -
   w_begin); (27), (32). */
static double momentum_share(const tp_midpoint *midpoint)
{
    return midpoint->turning == TP_TURN_SCALABLE && midpoint->is_at_begin ? -0.25 : 0.5;
}

static tp_vec3 momentum_velocity(const tp_midpoint *midpoint, const tp_body *body,
                                 const tp_step_velocities *u)
{
    double share = momentum_share(midpoint);
    tp_vec3 v = tp_vec3_scale(1.0 - share, rotation_of(body, u->begin));
    return tp_vec3_add_scaled(v, share, rotation_of(body, u->end));
}

static tp_vec3 momentum_of(const tp_midpoint *midpoint, const tp_body *body, const tp_step_velocities *u)
{
    return tp_mat3_apply(body->inertia, momentum_velocity(midpoint, body, u));
}

/* Scalable: w (1 + sigma^2) = 4 sigma/dt; Cayley: w = 4 sigma/dt. */
tp_vec3 tp_midpoint_turning(const tp_midpoint *midpoint, int b)
{
    return tp_vec3_scale(4.0 / midpoint->dt, midpoint->sigma[b]);
}

/* v minus the velocity of the middle, small: from the changes themselves, without cancellation. */
static tp_vec3 momentum_lead(const tp_midpoint *midpoint, const tp_body *body, const tp_step_velocities *u)
{
    if (u->change == NULL)
        return tp_vec3_sub(momentum_velocity(midpoint, body, u), rotation_of(body, midpoint->u));
    tp_vec3 of_end = tp_vec3_scale(momentum_share(midpoint), rotation_of(body, u->change));
    return tp_vec3_sub(of_end, rotation_of(body, u->change_middle));
}

/* J v x turning. v is near the mean velocity, which the turning is parallel to: what cancels is left out. */
static tp_vec3 gyroscopic_of(const tp_midpoint *midpoint, int b, const tp_step_velocities *u)
{
    const tp_body *body = BODY(midpoint->system, b);
    tp_vec3 sigma = midpoint->sigma[b];
    double factor = midpoint->turning == TP_TURN_CAYLEY ? 1.0 : 1.0 + tp_vec3_dot(sigma, sigma);
    return tp_vec3_scale(factor, tp_inertia_gyroscopic(body->inertia, rotation_of(body, midpoint->u),
                                                       momentum_lead(midpoint, body, u)));
}

static tp_scalable_ends ends_of(const tp_midpoint *midpoint, const tp_body *body, const tp_step_velocities *u)
{
    return (tp_scalable_ends){body, tp_quat_at(u->begin + body->u_first + 3),
                              tp_quat_at(u->end + body->u_first + 3), midpoint->is_at_begin};
}

void tp_midpoint_add_gyroscopic(const tp_midpoint *midpoint, const tp_step_velocities *u, double *force)
{
    for (int b = 0; b < midpoint->system->model->bodies.count; b++) {
        const tp_body *body = BODY(midpoint->system, b);
        double *f = force + body->u_first + 3;
        if (is_scalable(midpoint, b)) {
            tp_scalable_ends ends = ends_of(midpoint, body, u);
            tp_quat rest = tp_scalable_step_force(&midpoint->scalable[b], &ends);
            tp_quat_put(tp_quat_add(tp_quat_at(f), tp_quat_scale(-1.0, rest)), f);
        }
        if (body->kind != TP_BODY_RIGID) continue;
        tp_vec3_to_array(tp_vec3_add(turn_part(f), gyroscopic_of(midpoint, b, u)), f);
    }
}

static tp_vec3 sizes_of(tp_vec3 x)
{
    return tp_vec3_make(fabs(x.x), fabs(x.y), fabs(x.z));
}

void tp_midpoint_gyroscopic_sizes(const tp_midpoint *midpoint, const tp_step_velocities *u, double *size)
{
    for (int b = 0; b < midpoint->system->model->bodies.count; b++) {
        const tp_body *body = BODY(midpoint->system, b);
        if (body->kind != TP_BODY_RIGID) continue;
        const tp_mat3 *J = &body->inertia;
        tp_mat3 J_sizes = {sizes_of(J->cx), sizes_of(J->cy), sizes_of(J->cz)};
        tp_vec3 change = tp_vec3_add_scaled(sizes_of(rotation_of(body, u->change_middle)), 0.5,
                                            sizes_of(rotation_of(body, u->change)));
        tp_vec3 momentum = tp_mat3_apply(J_sizes, change), w = sizes_of(rotation_of(body, midpoint->u));
        double *at = size + body->u_first + 3;
        at[0] = fmax(at[0], midpoint->dt * (momentum.y * w.z + momentum.z * w.y));
        at[1] = fmax(at[1], midpoint->dt * (momentum.z * w.x + momentum.x * w.z));
        at[2] = fmax(at[2], midpoint->dt * (momentum.x * w.y + momentum.y * w.x));
    }
}

/* Adds a 3 x 3 block of a body's rotations. */
static void add_block(const tp_sparse *pattern, int first, tp_mat3 block, double *value)
{
    const tp_vec3 column[] = {block.cx, block.cy, block.cz};
    for (int k = 0; k < 3; k++) {
        double *at = value + tp_pattern_place(pattern, first, first + k); /* its rows stand together */
        tp_vec3_to_array(tp_vec3_add(turn_part(at), column[k]), at);
    }
}

static void add_column(const tp_sparse *pattern, int first, int k, tp_quat column, double *value)
{
    double *at = value + tp_pattern_place(pattern, first, first + k); /* its rows stand together */
    tp_quat_put(tp_quat_add(tp_quat_at(at), column), at);
}

void tp_midpoint_add_gyroscopic_jacobian(const tp_midpoint *midpoint, const tp_step_velocities *u,
                                         const tp_sparse *pattern, double *by_middle, double *by_end)
{
    double dt = midpoint->dt;
    for (int b = 0; b < midpoint->system->model->bodies.count; b++) {
        const tp_body *body = BODY(midpoint->system, b);
        if (is_scalable(midpoint, b)) {
            const tp_scalable_step *step = &midpoint->scalable[b];
            tp_scalable_ends ends = ends_of(midpoint, body, u);
            for (int k = 0; k < TP_SCALABLE_TURN; k++) {
                add_column(pattern, body->u_first + 3, k, tp_scalable_step_by_middle(step, &ends, k),
                           by_middle);
                add_column(pattern, body->u_first + 3, k, tp_scalable_step_by_end(step, &ends, k), by_end);
            }
        }
        if (body->kind != TP_BODY_RIGID) continue;
        tp_mat3 momentum = tp_mat3_skew(momentum_of(midpoint, body, u)),
                turning = tp_mat3_skew(tp_midpoint_turning(midpoint, b));
        add_block(pattern, body->u_first + 3,
                  tp_mat3_scale(-dt, tp_mat3_multiply(momentum, turning_rate(midpoint, b))), by_middle);
        add_block(pattern, body->u_first + 3,
                  tp_mat3_scale(dt * momentum_share(midpoint), tp_mat3_multiply(turning, body->inertia)),
                  by_end);
    }
}

bool tp_midpoint_has_second(const tp_midpoint *midpoint)
{
    bool found = false;
    for (int b = 0; b < midpoint->system->model->bodies.count; b++) found |= is_scalable(midpoint, b);
    return found && midpoint->is_at_begin;
}

void tp_midpoint_add_second(const tp_midpoint *midpoint, const tp_step_velocities *u, double *F2)
{
    for (int b = 0; b < midpoint->system->model->bodies.count; b++) {
        const tp_body *body = BODY(midpoint->system, b);
        if (!is_scalable(midpoint, b)) continue;
        tp_scalable_ends ends = ends_of(midpoint, body, u);
        F2[body->u_first + 3] += tp_scalable_step_second(&midpoint->scalable[b], &ends);
    }
}

void tp_midpoint_add_second_jacobian(const tp_midpoint *midpoint, const tp_step_velocities *u,
                                     const tp_sparse *pattern, double *by_middle)
{
    for (int b = 0; b < midpoint->system->model->bodies.count; b++) {
        const tp_body *body = BODY(midpoint->system, b);
        if (!is_scalable(midpoint, b)) continue;
        tp_scalable_ends ends = ends_of(midpoint, body, u);
        int first = body->u_first + 3;
        for (int k = 0; k < TP_SCALABLE_TURN; k++)
            by_middle[tp_pattern_place(pattern, first, first + k)] +=
                tp_scalable_step_second_by_middle(&midpoint->scalable[b], &ends, k);
    }
}

tp_norm_multipliers tp_midpoint_norm_multipliers(const tp_midpoint *midpoint, int b,
                                                 const tp_step_velocities *u)
{
    const tp_body *body = BODY(midpoint->system, b);
    tp_vec3 sigma = midpoint->sigma[b], momentum = momentum_of(midpoint, body, u);
    double square = tp_vec3_dot(sigma, sigma), trace = tp_mat3_trace(body->inertia);
    /* J c/4 is in the momentum of the start already */
    tp_norm_multipliers all = {-4.0 * tp_vec3_dot(sigma, momentum), 0.0};
    if (midpoint->is_at_begin) all.kappa = 2.0 * trace * square / (1.0 + square);
    return all;
}
