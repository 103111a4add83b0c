/* Bodies at a point: frames, kinematics, inertia, gravity; docs/theory/bodies.md (1)-(8). */
#include "parts.h"
#include "scalable.h"
#include "tippe/rotation.h"

#include <math.h>
#include <string.h>

#define BODY(system, i) TP_LIST_AT((system)->model->bodies, tp_body, i)

/* Value and rate of a function of time. */
static double motion_at(tp_system *system, const tp_scalar *motion, double *rate)
{
    double value = tp_scalar_gradient(motion, &system->at, system->gradient);
    *rate = motion->slot_count > 0 ? system->gradient[0] : 0.0;
    return value;
}

/* The frame of a moving body: position given, turned by the given angle about an axis of its own. */
static void move_given(tp_system *system, const tp_body *body, tp_body_state *state)
{
    double rate[4], value[4];
    for (int k = 0; k < 4; k++) value[k] = motion_at(system, &body->given->motion[k], &rate[k]);
    tp_quat p =
        tp_quat_multiply(body->given->orientation, tp_quat_exp(tp_vec3_scale(value[3], body->given->axis)));
    state->frame.D = tp_quat_to_matrix(p);
    state->frame.r = tp_vec3_make(value[0], value[1], value[2]);
    state->v = tp_vec3_make(rate[0], rate[1], rate[2]);
    state->w = tp_mat3_apply(state->frame.D, tp_vec3_scale(rate[3], body->given->axis));
    /* points are relative to the centre: shift the frame's origin there */
    tp_vec3 to_center = tp_mat3_apply(state->frame.D, body->center);
    state->frame.r = tp_vec3_add(state->frame.r, to_center);
    state->v = tp_vec3_add(state->v, tp_vec3_cross(state->w, to_center));
}

/* is_there: the frame is known. */
static void move_rigid(const double *q, const double *u, bool is_there, tp_body_state *state, double *rate)
{
    tp_quat p = tp_quat_at(q + 3);
    tp_vec3 w = tp_vec3_make(u[3], u[4], u[5]);
    tp_quat p_rate = tp_quat_multiply(p, tp_quat_from_parts(0.0, tp_vec3_scale(0.5, w)));
    double all[] = {u[0], u[1], u[2], p_rate.w, p_rate.x, p_rate.y, p_rate.z};
    memcpy(rate, all, sizeof all);
    if (!is_there) {
        state->frame.r = tp_vec3_make(q[0], q[1], q[2]);
        state->frame.D = tp_rotation_matrix(TP_ROTATION_NORMALISED, p);
    }
    state->v = tp_vec3_make(u[0], u[1], u[2]);
    state->w = tp_mat3_apply(state->frame.D, w);
}

static void move_planar(const double *q, const double *u, tp_body_state *state, double *rate)
{
    double c = cos(q[2]), s = sin(q[2]);
    memcpy(rate, u, 3 * sizeof *u);
    state->frame.r = tp_vec3_make(q[0], q[1], 0.0);
    state->frame.D = (tp_mat3){{c, s, 0.0}, {-s, c, 0.0}, {0.0, 0.0, 1.0}};
    state->v = tp_vec3_make(u[0], u[1], 0.0);
    state->w = tp_vec3_make(0.0, 0.0, u[2]);
}

static void move_point(const double *q, const double *u, tp_body_state *state, double *rate)
{
    memcpy(rate, u, 3 * sizeof *u);
    state->frame = tp_frame_identity();
    state->frame.r = tp_vec3_make(q[0], q[1], q[2]);
    state->v = tp_vec3_make(u[0], u[1], u[2]);
    state->w = tp_vec3_zero();
}

/* Bodies that one task of a pool moves. */
enum { BODIES_OF_TASK = 512 };

static void share_bodies(tp_system *system, tp_pool_range *range, void *context)
{
    tp_pool *pool = system->has_own_frames ? system->pool : NULL;
    tp_pool_share(pool, system->model->bodies.count, BODIES_OF_TASK, range, context);
}

/* To formulas, as far as one uses bodies. */
static void show(tp_system *system, const tp_body *body, const double *q, const double *rate, const double *u)
{
    int q_count = tp_body_argument_q_count(body), u_count = tp_body_argument_u_count(body);
    for (int k = 0; k < q_count && tp_slot_rate(body->argument_q + k) < system->slot_count; k++) {
        system->at.z[tp_slot_coordinate(body->argument_q + k)] = q[k];
        system->at.z[tp_slot_rate(body->argument_q + k)] = rate[k];
    }
    for (int k = 0; k < u_count && tp_slot_velocity(body->argument_u + k) < system->slot_count; k++)
        system->at.z[tp_slot_velocity(body->argument_u + k)] = u[k];
}

typedef struct moving {
    tp_system *system;
    bool is_there; /* positions are those of before */
} moving;

static void move_body(tp_system *system, int index, bool is_there)
{
    const tp_body *body = BODY(system, index);
    const double *q = system->q + body->q_first, *u = system->u + body->u_first;
    double *rate = system->rate + body->argument_q, *given_q = system->at.q + body->argument_q,
           *given_u = system->at.u + body->argument_u;
    tp_body_state *state = &system->body[index];
    if (body->kind != TP_BODY_AFFINE) {
        if (given_q != q) memcpy(given_q, q, (size_t)body->q_count * sizeof *q);
        if (given_u != u) memcpy(given_u, u, (size_t)body->u_count * sizeof *u);
    }
    switch (body->kind) {
    case TP_BODY_RIGID: move_rigid(q, u, is_there, state, rate); break;
    case TP_BODY_PLANAR: move_planar(q, u, state, rate); break;
    case TP_BODY_POINT: move_point(q, u, state, rate); break;
    case TP_BODY_MOVING: move_given(system, body, state); break;
    case TP_BODY_SCALABLE: tp_scalable_move(q, u, state, rate); break;
    case TP_BODY_AFFINE: tp_affine_move(system, index); break;
    }
    show(system, body, given_q, rate, given_u);
}

static void move_bodies(void *context, int begin, int end)
{
    const moving *all = context;
    for (int i = begin; i < end; i++) move_body(all->system, i, all->is_there);
}

void tp_bodies_move(tp_system *system, bool is_there)
{
    moving all = {system, is_there};
    share_bodies(system, move_bodies, &all);
}

/* ---- motions with constant velocities ---- */

static double acceleration_at(tp_system *system, const tp_scalar *motion, bool *is_exact)
{
    if (motion->slot_count == 0) return 0.0;
    if (tp_scalar_lacks_second(motion)) {
        *is_exact = false;
        return 0.0;
    }
    system->direction[TP_SLOT_TIME] = 1.0;
    tp_scalar_hessian_vector(motion, &system->at, system->direction, system->gradient, system->product);
    system->direction[TP_SLOT_TIME] = 0.0;
    return system->product[0];
}

/* d'' = w' x d + w x d' + e' d + e d' with d' = w x d + e d. */
static tp_mat3 second_directions(const tp_frame_motion *motion, const tp_body_state *state,
                                 double growth_rate)
{
    const tp_mat3 *D = &state->frame.D, *rate = &motion->rate.D;
    const tp_vec3 d[] = {D->cx, D->cy, D->cz}, d_rate[] = {rate->cx, rate->cy, rate->cz};
    tp_vec3 second[3];
    for (int i = 0; i < 3; i++) {
        second[i] = tp_vec3_add(tp_vec3_cross(motion->w_rate, d[i]), tp_vec3_cross(motion->w, d_rate[i]));
        second[i] = tp_vec3_add_scaled(second[i], growth_rate, d[i]);
        second[i] = tp_vec3_add_scaled(second[i], state->stretch, d_rate[i]);
    }
    return tp_mat3_from_columns(second[0], second[1], second[2]);
}

/* Accelerations of a moving body: of its centre, and along its axis. */
static void accelerate_given(tp_system *system, const tp_body *body, const tp_body_state *state,
                             tp_frame_motion *motion)
{
    double value[4];
    for (int k = 0; k < 4; k++)
        value[k] = acceleration_at(system, &body->given->motion[k], &motion->is_exact);
    tp_vec3 to_center = tp_mat3_apply(state->frame.D, body->center);
    motion->w_rate = tp_mat3_apply(state->frame.D, tp_vec3_scale(value[3], body->given->axis));
    motion->second.r = tp_vec3_add(tp_vec3_from_array(value), tp_vec3_cross(motion->w_rate, to_center));
    motion->second.r =
        tp_vec3_add(motion->second.r, tp_vec3_cross(state->w, tp_vec3_cross(state->w, to_center)));
}

tp_frame_motion tp_frame_motion_of(tp_system *system, int index)
{
    tp_frame_motion motion = {.is_exact = true};
    if (index == TP_GROUND) return motion;
    const tp_body *body = BODY(system, index);
    const tp_body_state *state = &system->body[index];
    motion.w = state->w;
    if (body->kind == TP_BODY_AFFINE) { /* constant rates of all twelve numbers */
        const double *u = system->u + body->u_first;
        motion.rate = (tp_frame){tp_vec3_from_array(u), tp_mat3_from_array(u + 3)};
        return motion;
    }
    tp_wrench twist = {state->v, state->w, state->stretch};
    motion.rate = tp_frame_change(&state->frame, &twist);
    /* omega = s R^T w and nu = s e are constant: w' = -e w, e' = -e^2 */
    motion.w_rate = tp_vec3_scale(-state->stretch, state->w);
    if (body->kind == TP_BODY_MOVING) accelerate_given(system, body, state, &motion);
    motion.second.D = second_directions(&motion, state, -state->stretch * state->stretch);
    return motion;
}

tp_wrench tp_body_unit_twist(const tp_system *system, int index, int k)
{
    const tp_body *body = BODY(system, index);
    const tp_mat3 *D = &system->body[index].frame.D;
    const tp_vec3 units[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                  axes[] = {D->cx, D->cy, D->cz};
    tp_wrench twist = {tp_vec3_zero(), tp_vec3_zero(), 0.0};
    double size = tp_vec3_norm(D->cx);
    if (body->kind == TP_BODY_AFFINE) return tp_affine_twist(system, index, k);
    if (body->kind == TP_BODY_PLANAR && k == 2)
        twist.moment = units[2];
    else if (k < 3)
        twist.force = units[k];
    else if (body->kind == TP_BODY_RIGID)
        twist.moment = axes[k - 3];
    else if (k == 3) /* scalable bodies have the stretch nu/s and the angular velocity R omega/s, D = s R */
        twist.stretch = 1.0 / size;
    else
        twist.moment = tp_vec3_scale(1.0 / (size * size), axes[k - 4]);
    return twist;
}

tp_frame_motion tp_frame_unit_motion(const tp_system *system, int index, int k)
{
    tp_wrench twist = tp_body_unit_twist(system, index, k);
    tp_frame_motion motion = {.w = twist.moment, .is_exact = true};
    if (tp_is_affine(system->model, index)) {
        double x[12] = {0.0};
        x[k] = 1.0;
        motion.rate = (tp_frame){tp_vec3_from_array(x), tp_mat3_from_array(x + 3)};
    } else {
        motion.rate = tp_frame_change(&system->body[index].frame, &twist);
    }
    return motion;
}

static tp_mat3 turned(tp_vec3 w, const tp_mat3 *D)
{
    return tp_mat3_from_columns(tp_vec3_cross(w, D->cx), tp_vec3_cross(w, D->cy), tp_vec3_cross(w, D->cz));
}

/* D' = R (omega~ + nu) and D'' = D' omega~/s turn with the body; with its size they do not and fall. */
tp_frame_motion tp_frame_motion_by_position(const tp_system *system, int body, int k,
                                            const tp_frame_motion *motion)
{
    tp_wrench twist = tp_body_unit_twist(system, body, k);
    tp_frame_motion change = {.is_exact = motion->is_exact};
    if (tp_is_affine(system->model, body)) return change; /* its rates are velocities */
    change.rate.D = turned(twist.moment, &motion->rate.D);
    change.second.D =
        tp_mat3_add(turned(twist.moment, &motion->second.D), tp_mat3_scale(-twist.stretch, motion->second.D));
    change.w = tp_vec3_add_scaled(tp_vec3_cross(twist.moment, motion->w), -twist.stretch, motion->w);
    change.w_rate =
        tp_vec3_add_scaled(tp_vec3_cross(twist.moment, motion->w_rate), -2.0 * twist.stretch, motion->w_rate);
    return change;
}

/* (2), linear in a change of w and e. */
tp_frame_motion tp_frame_motion_by_velocity(const tp_system *system, int body, int k,
                                            const tp_frame_motion *motion)
{
    const tp_body_state *state = &system->body[body];
    double e = state->stretch;
    tp_wrench twist = tp_body_unit_twist(system, body, k);
    tp_frame_motion change = tp_frame_unit_motion(system, body, k);
    if (tp_is_affine(system->model, body)) return change;
    change.w_rate = tp_vec3_add(tp_vec3_scale(-twist.stretch, motion->w), tp_vec3_scale(-e, twist.moment));
    tp_mat3 D = tp_mat3_add(turned(change.w_rate, &state->frame.D), turned(twist.moment, &motion->rate.D));
    D = tp_mat3_add(D, turned(motion->w, &change.rate.D));
    D = tp_mat3_add(D, tp_mat3_scale(-2.0 * e * twist.stretch, state->frame.D));
    D = tp_mat3_add(D, tp_mat3_scale(twist.stretch, motion->rate.D));
    change.second.D = tp_mat3_add(D, tp_mat3_scale(e, change.rate.D));
    return change;
}

typedef struct normalising {
    const tp_system *system;
    double *q;
} normalising;

static void normalise_some(void *context, int begin, int end)
{
    const normalising *all = context;
    for (int i = begin; i < end; i++) {
        const tp_body *body = BODY(all->system, i);
        if (body->kind != TP_BODY_RIGID) continue;
        double *p = all->q + body->q_first + 3;
        tp_quat unit = tp_quat_normalise(tp_quat_at(p));
        double numbers[] = {unit.w, unit.x, unit.y, unit.z};
        memcpy(p, numbers, sizeof numbers);
    }
}

void tp_system_normalise(const tp_system *system, double *q)
{
    normalising all = {system, q};
    tp_pool_share(system->pool, system->model->bodies.count, BODIES_OF_TASK, normalise_some, &all);
}

/* Each column has its diagonal, or the block of rotations. */
static void set_body_mass(const tp_system *system, const tp_body *body, double *M)
{
    tp_vec3 J[3] = {body->inertia.cx, body->inertia.cy, body->inertia.cz};
    if (body->kind == TP_BODY_AFFINE) {
        tp_affine_mass(system, body, M);
        return;
    }
    for (int k = 0; k < body->u_count; k++) {
        double *column = M + system->mass_pattern.start[body->u_first + k];
        if (body->kind == TP_BODY_SCALABLE && k >= 3) {
            tp_scalable_mass_column(body, k - 3, column);
        } else if (body->kind == TP_BODY_RIGID && k >= 3) {
            memcpy(column, (double[]){J[k - 3].x, J[k - 3].y, J[k - 3].z}, 3 * sizeof *column);
        } else {
            *column = body->kind == TP_BODY_PLANAR && k == 2 ? body->inertia.cz.z : body->mass;
        }
    }
}

/* What tasks over bodies write: M or h. */
typedef struct body_values {
    tp_system *system;
    double *values;
} body_values;

static void set_masses(void *context, int begin, int end)
{
    const body_values *M = context;
    for (int b = begin; b < end; b++) set_body_mass(M->system, BODY(M->system, b), M->values);
}

void tp_bodies_mass(tp_system *system, double *M)
{
    share_bodies(system, set_masses, &(body_values){system, M});
}

static tp_vec3 rotation_of(const double *u)
{
    return tp_vec3_make(u[3], u[4], u[5]);
}

/* h = (m g, -w x J w) + B^T f_q; (5), (6). */
static void add_body_force(tp_system *system, int b, double *h)
{
    static const double none[] = {-0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0}; /* minus the gradient 0 */
    tp_vec3 g = system->model->gravity;
    const tp_body *body = BODY(system, b);
    const double *f = system->has_formula_forces ? system->force_q + body->argument_q : none;
    double *out = h + body->u_first, weight[] = {body->mass * g.x, body->mass * g.y, body->mass * g.z};
    if (body->kind == TP_BODY_MOVING) return;
    int translations = body->kind == TP_BODY_PLANAR ? 2 : 3;
    for (int k = 0; k < translations; k++) out[k] += weight[k] + f[k];
    if (body->kind == TP_BODY_PLANAR) out[2] += f[2];
    if (body->kind == TP_BODY_SCALABLE)
        tp_scalable_add_force(body, tp_quat_at(system->at.q + body->argument_q + 3),
                              tp_quat_at(system->u + body->u_first + 3), f + 3,
                              !system->options.has_own_inertia, out + 3);
    if (body->kind == TP_BODY_AFFINE) tp_affine_force(system, b, out);
    if (body->kind != TP_BODY_RIGID) return;
    tp_vec3 w = rotation_of(system->u + body->u_first);
    tp_vec3 gyro = tp_inertia_gyroscopic(body->inertia, w, tp_vec3_zero());
    if (system->options.has_own_inertia) gyro = tp_vec3_zero();
    double psi[12];
    tp_quat_rate_matrix(tp_quat_at(system->at.q + body->argument_q + 3), psi);
    double turn[] = {gyro.x, gyro.y, gyro.z};
    for (int k = 0; k < 3; k++) {
        double moment = 0.0;
        for (int i = 0; i < 4; i++) moment += 0.5 * psi[i + 4 * k] * f[3 + i];
        out[3 + k] += moment + turn[k];
    }
}

static void add_forces(void *context, int begin, int end)
{
    const body_values *h = context;
    for (int b = begin; b < end; b++) add_body_force(h->system, b, h->values);
}

void tp_bodies_force(tp_system *system, double *h)
{
    share_bodies(system, add_forces, &(body_values){system, h});
}

/* Energies of ranges of bodies, added in their order. */
enum { RANGES_MOST = 64 };

/* A sum with the energy of one body. */
typedef double add_energy(const tp_system *system, int body, double sum);

typedef struct body_energies {
    const tp_system *system;
    add_energy *add;
    int range;
    double sum[RANGES_MOST];
} body_energies;

static void add_energies(void *context, int begin, int end)
{
    body_energies *all = context;
    double sum = 0.0;
    for (int b = begin; b < end; b++) sum = all->add(all->system, b, sum);
    all->sum[begin / all->range] = sum;
}

static double sum_energies(const tp_system *system, add_energy *add)
{
    int count = system->model->bodies.count;
    double energy = 0.0;
    if (count <= BODIES_OF_TASK) {
        for (int b = 0; b < count; b++) energy = add(system, b, energy);
        return energy;
    }
    body_energies all = {.system = system, .add = add, .range = count / RANGES_MOST + BODIES_OF_TASK};
    tp_pool *pool = system->has_own_frames ? system->pool : NULL;
    tp_pool_share(pool, count, all.range, add_energies, &all);
    for (int k = 0; k * all.range < count; k++) energy += all.sum[k];
    return energy;
}

static double add_kinetic_energy(const tp_system *system, int b, double energy)
{
    const tp_body *body = BODY(system, b);
    const tp_body_state *state = &system->body[b];
    if (body->kind == TP_BODY_MOVING) return energy;
    energy += 0.5 * body->mass * tp_vec3_dot(state->v, state->v);
    if (body->kind == TP_BODY_PLANAR) energy += 0.5 * body->inertia.cz.z * state->w.z * state->w.z;
    if (body->kind == TP_BODY_SCALABLE) {
        tp_quat velocity = tp_quat_at(system->u + body->u_first + 3);
        energy += 0.5 * tp_quat_dot(velocity, tp_scalable_momentum(body, velocity));
    }
    if (body->kind == TP_BODY_AFFINE) energy += tp_affine_kinetic_energy(system, body);
    if (body->kind != TP_BODY_RIGID) return energy;
    tp_vec3 w = rotation_of(system->u + body->u_first);
    return energy + 0.5 * tp_vec3_dot(w, tp_mat3_apply(body->inertia, w));
}

static double add_potential_energy(const tp_system *system, int b, double energy)
{
    const tp_body *body = BODY(system, b);
    if (body->kind == TP_BODY_MOVING) return energy;
    return energy - body->mass * tp_vec3_dot(system->model->gravity, system->body[b].frame.r);
}

double tp_bodies_kinetic_energy(const tp_system *system)
{
    return sum_energies(system, add_kinetic_energy);
}

double tp_bodies_potential_energy(const tp_system *system)
{
    return sum_energies(system, add_potential_energy);
}

/* Derivatives of -w x J w: (J w)~ - w~ J; (7). */
static void add_gyroscopic(const tp_system *system, const tp_body *body, double *damping)
{
    tp_vec3 w = rotation_of(system->u + body->u_first), Jw = tp_mat3_apply(body->inertia, w);
    tp_mat3 a = tp_mat3_skew(Jw), b = tp_mat3_multiply(tp_mat3_skew(w), body->inertia);
    tp_vec3 column[] = {tp_vec3_sub(a.cx, b.cx), tp_vec3_sub(a.cy, b.cy), tp_vec3_sub(a.cz, b.cz)};
    for (int k = 0; k < 3; k++) {
        int first = tp_pattern_place(&system->jacobian_pattern, body->u_first + 3, body->u_first + 3 + k);
        damping[first] += column[k].x; /* the block's rows stand together */
        damping[first + 1] += column[k].y;
        damping[first + 2] += column[k].z;
    }
}

/* Change of B^T f_q at fixed f_q when the body turns: 1/2 Psi(1/2 Psi(p) e_k)^T f_p; (8). */
static void add_turning(const tp_system *system, const tp_body *body, double *stiffness)
{
    tp_quat p = tp_quat_at(system->at.q + body->argument_q + 3);
    const double *f = system->force_q + body->argument_q + 3;
    if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0 && f[3] == 0.0) return;
    for (int k = 0; k < 3; k++) {
        tp_vec3 unit = tp_vec3_make(k == 0, k == 1, k == 2);
        tp_quat change = tp_quat_multiply(p, tp_quat_from_parts(0.0, tp_vec3_scale(0.5, unit)));
        double psi[12];
        tp_quat_rate_matrix(change, psi);
        int first = tp_pattern_place(&system->jacobian_pattern, body->u_first + 3, body->u_first + 3 + k);
        for (int i = 0; i < 3; i++) {
            for (int c = 0; c < 4; c++) stiffness[first + i] += 0.5 * psi[c + 4 * i] * f[c];
        }
    }
}

static void add_scalable(const tp_system *system, const tp_body *body, double *stiffness, double *damping)
{
    double K[16] = {0.0}, C[16] = {0.0};
    tp_scalable_add_jacobian(body, tp_quat_at(system->at.q + body->argument_q + 3),
                             tp_quat_at(system->u + body->u_first + 3),
                             system->force_q + body->argument_q + 3, !system->options.has_own_inertia, K, C);
    for (int k = 0; k < TP_SCALABLE_TURN; k++) {
        int first = tp_pattern_place(&system->jacobian_pattern, body->u_first + 3, body->u_first + 3 + k);
        for (int i = 0; i < TP_SCALABLE_TURN; i++) {
            stiffness[first + i] += K[i + 4 * k];
            damping[first + i] += C[i + 4 * k];
        }
    }
}

void tp_bodies_force_jacobian(tp_system *system, double *stiffness, double *damping)
{
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = BODY(system, b);
        if (body->kind == TP_BODY_SCALABLE) add_scalable(system, body, stiffness, damping);
        if (body->kind == TP_BODY_AFFINE) tp_affine_force_jacobian(system, b, stiffness);
        if (body->kind != TP_BODY_RIGID) continue;
        if (!system->options.has_own_inertia) add_gyroscopic(system, body, damping);
        add_turning(system, body, stiffness);
    }
}

void tp_body_add_row(const tp_system *system, int index, tp_wrench wrench, double *W, double *chi)
{
    if (index == TP_GROUND) return;
    const tp_body *body = BODY(system, index);
    const tp_body_state *state = &system->body[index];
    tp_vec3 f = wrench.force, m = wrench.moment;
    switch (body->kind) {
    case TP_BODY_MOVING: *chi += tp_vec3_dot(f, state->v) + tp_vec3_dot(m, state->w); break;
    case TP_BODY_AFFINE: tp_affine_add_wrench(system, index, wrench, W); break;
    case TP_BODY_PLANAR:
        W[0] += f.x;
        W[1] += f.y;
        W[2] += m.z;
        break;
    case TP_BODY_RIGID:
        m = tp_mat3_apply_transposed(state->frame.D, m);
        W[3] += m.x;
        W[4] += m.y;
        W[5] += m.z;
        W[0] += f.x;
        W[1] += f.y;
        W[2] += f.z;
        break;
    case TP_BODY_SCALABLE: tp_scalable_add_row(state, wrench, W + 3); /* fall through */
    case TP_BODY_POINT:
        W[0] += f.x;
        W[1] += f.y;
        W[2] += f.z;
        break;
    }
}
