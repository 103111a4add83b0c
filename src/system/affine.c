/* Affine bodies: q = (r, d1, d2, d3), u = q', constant mass, six rigidity constraints; what joints, loads,
   contacts and formulas see of them; docs/theory/consistent.md (A1)-(A8). */
#include "parts.h"
#include "tippe/rotation.h"

#include <string.h>

static const tp_body *body_at(const tp_system *system, int body)
{
    return TP_LIST_AT(system->model->bodies, tp_body, body);
}

static tp_vec3 direction_of(const double *x, int i)
{
    return tp_vec3_from_array(x + 3 + 3 * i);
}

static void add_to(double *W, int i, tp_vec3 x)
{
    W[3 * i] += x.x;
    W[3 * i + 1] += x.y;
    W[3 * i + 2] += x.z;
}

/* ---- the point ---- */

/* Angular velocity, in the world: 1/2 sum of d_i x d_i'; (A4). */
static tp_vec3 spin_of(const double *q, const double *u)
{
    tp_vec3 w = tp_vec3_zero();
    for (int i = 0; i < 3; i++)
        w = tp_vec3_add_scaled(w, 0.5, tp_vec3_cross(direction_of(q, i), direction_of(u, i)));
    return w;
}

/* Position, quaternion, velocities and rates of the rigid body of the same rotation. */
static void show(tp_system *system, const tp_body *body, const tp_body_state *state, const tp_mat3 *R)
{
    double *q = system->at.q + body->argument_q, *u = system->at.u + body->argument_u,
           *rate = system->rate + body->argument_q;
    tp_quat p = tp_quat_normalise(tp_quat_from_matrix(*R));
    if (tp_quat_dot(p, tp_quat_make(q[3], q[4], q[5], q[6])) < 0.0) p = tp_quat_scale(-1.0, p);
    tp_vec3 w = tp_mat3_apply_transposed(*R, state->w);
    tp_quat p_rate = tp_quat_rate(p, w);
    const double all_q[] = {state->frame.r.x, state->frame.r.y, state->frame.r.z, p.w, p.x, p.y, p.z},
                 all_u[] = {state->v.x, state->v.y, state->v.z, w.x, w.y, w.z},
                 all_rates[] = {state->v.x, state->v.y, state->v.z, p_rate.w, p_rate.x, p_rate.y, p_rate.z};
    memcpy(q, all_q, sizeof all_q);
    memcpy(u, all_u, sizeof all_u);
    memcpy(rate, all_rates, sizeof all_rates);
}

void tp_affine_move(tp_system *system, int index)
{
    const tp_body *body = body_at(system, index);
    const double *q = system->q + body->q_first, *u = system->u + body->u_first;
    tp_body_state *state = &system->body[index];
    state->frame.r = tp_vec3_from_array(q);
    state->frame.D = tp_mat3_from_array(q + 3);
    system->rotation[index] = tp_rotation_nearest(state->frame.D);
    state->v = tp_vec3_from_array(u);
    state->w = spin_of(q, u);
    show(system, body, state, &system->rotation[index]);
}

void tp_system_refer_orientations(tp_system *system, const double *given_q)
{
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = body_at(system, b);
        if (body->kind != TP_BODY_AFFINE) continue;
        memcpy(system->at.q + body->argument_q + 3, given_q + body->argument_q + 3, 4 * sizeof(double));
    }
}

/* ---- inertia; (A1) ---- */

void tp_affine_mass(const tp_system *system, const tp_body *body, double *M)
{
    const int *start = system->mass_pattern.start + body->u_first;
    const tp_mat3 euler = tp_inertia_to_euler(body->inertia);
    const tp_vec3 E[] = {euler.cx, euler.cy, euler.cz};
    for (int k = 0; k < 3; k++) M[start[k]] = body->mass;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) tp_vec3_to_array(E[i], M + start[3 + 3 * i + k]);
    }
}

/* 1/2 sum of E_ij d_i'.d_j'. */
double tp_affine_kinetic_energy(const tp_system *system, const tp_body *body)
{
    const double *u = system->u + body->u_first;
    double E[9], sum = 0.0;
    tp_mat3_to_array(tp_inertia_to_euler(body->inertia), E);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            sum += 0.5 * E[i + 3 * j] * tp_vec3_dot(direction_of(u, i), direction_of(u, j));
    }
    return sum;
}

/* ---- loads and rows; (A5), (A6) ---- */

void tp_affine_add_gradient(const tp_frame *gradient, double factor, double *W)
{
    const tp_vec3 all[] = {gradient->r, gradient->D.cx, gradient->D.cy, gradient->D.cz};
    for (int i = 0; i < 4; i++) add_to(W, i, tp_vec3_scale(factor, all[i]));
}

void tp_affine_add_wrench(const tp_system *system, int index, tp_wrench wrench, double *W)
{
    double factor[9];
    tp_affine_spin_row(system, index, wrench.moment, factor);
    add_to(W, 0, wrench.force);
    for (int k = 0; k < 9; k++) W[3 + k] += factor[k];
}

void tp_affine_spin_row(const tp_system *system, int index, tp_vec3 x, double *factor)
{
    const double *q = system->q + body_at(system, index)->q_first;
    for (int i = 0; i < 3; i++)
        tp_vec3_to_array(tp_vec3_scale(0.5, tp_vec3_cross(x, direction_of(q, i))), factor + 3 * i);
}

/* dw = 1/2 dd_i x d_i', dx = dtheta x x with dtheta = 1/2 d_i x dd_i. */
void tp_affine_spin_shift(const tp_system *system, int index, tp_vec3 x, double *factor)
{
    const tp_body *body = body_at(system, index);
    const double *u = system->u + body->u_first;
    tp_affine_spin_row(system, index, tp_vec3_cross(x, system->body[index].w), factor);
    for (int i = 0; i < 3; i++) add_to(factor, i, tp_vec3_scale(0.5, tp_vec3_cross(direction_of(u, i), x)));
}

/* The point is r + D rho: rho_i = c_i.(point - r)/det D with the columns c_i of the cofactors of D. */
void tp_affine_add_force_at(const tp_system *system, int index, tp_vec3 point, tp_vec3 force, double factor,
                            double *W)
{
    const tp_frame *frame = &system->body[index].frame;
    const tp_mat3 *D = &frame->D;
    tp_vec3 arm = tp_vec3_scale(1.0 / tp_mat3_determinant(*D), tp_vec3_sub(point, frame->r));
    const double rho[] = {tp_vec3_dot(tp_vec3_cross(D->cy, D->cz), arm),
                          tp_vec3_dot(tp_vec3_cross(D->cz, D->cx), arm),
                          tp_vec3_dot(tp_vec3_cross(D->cx, D->cy), arm)};
    add_to(W, 0, tp_vec3_scale(factor, force));
    for (int i = 0; i < 3; i++) add_to(W, 1 + i, tp_vec3_scale(factor * rho[i], force));
}

tp_wrench tp_affine_twist(const tp_system *system, int index, int k)
{
    tp_vec3 unit = tp_vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    if (k < 3) return (tp_wrench){.force = unit};
    const double *q = system->q + body_at(system, index)->q_first;
    return (tp_wrench){.moment = tp_vec3_scale(0.5, tp_vec3_cross(direction_of(q, k / 3 - 1), unit))};
}

tp_vec3 tp_affine_spin_change(const tp_system *system, const tp_body *body, int k)
{
    tp_vec3 unit = tp_vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    if (k < 3) return tp_vec3_zero();
    return tp_vec3_scale(0.5, tp_vec3_cross(unit, direction_of(system->u + body->u_first, k / 3 - 1)));
}

tp_vec3 tp_affine_unit_change(int i, int j)
{
    if (i < 3 || j < 3 || i / 3 != j / 3) return tp_vec3_zero();
    return tp_vec3_scale(0.5, tp_vec3_cross(tp_vec3_make(j % 3 == 0, j % 3 == 1, j % 3 == 2),
                                            tp_vec3_make(i % 3 == 0, i % 3 == 1, i % 3 == 2)));
}

/* The row of a moment m is 1/2 m x d_i: 1/2 m x e_k along component k of d_i; (A8). */
void tp_affine_add_turning(const tp_system *system, const tp_body *body, tp_vec3 m, double *value)
{
    for (int k = 3; k < 12; k++) {
        tp_vec3 unit = tp_vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        int column = body->u_first + k,
            place = tp_pattern_place(&system->jacobian_pattern, body->u_first + 3 * (k / 3), column);
        add_to(value + place, 0, tp_vec3_scale(0.5, tp_vec3_cross(m, unit)));
    }
}

/* ---- forces of formulas ---- */

/* The moment in the body's directions that the forces on the quaternion have: 1/2 Psi(p)^T f. */
static tp_vec3 moment_of(tp_quat p, const double *f)
{
    double psi[12], m[3] = {0.0, 0.0, 0.0};
    tp_quat_rate_matrix(p, psi);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 4; i++) m[k] += 0.5 * psi[i + 4 * k] * f[i];
    }
    return tp_vec3_from_array(m);
}

static tp_quat quaternion_of(const tp_system *system, const tp_body *body)
{
    const double *p = system->at.q + body->argument_q + 3;
    return tp_quat_make(p[0], p[1], p[2], p[3]);
}

void tp_affine_force(const tp_system *system, int index, double *h)
{
    const tp_body *body = body_at(system, index);
    tp_vec3 m = moment_of(quaternion_of(system, body), system->force_q + body->argument_q + 3);
    tp_wrench wrench = {.moment = tp_mat3_apply(system->rotation[index], m)};
    tp_affine_add_wrench(system, index, wrench, h);
}

/* At fixed f the moment m_body = 1/2 Psi(p)^T f + f_w changes with p, R m_body also with R, and its row with
   the directions; f_w are the forces on the angular velocity. */
void tp_affine_turning(const tp_system *system, int index, const double *f, const double *f_w, double *matrix)
{
    const tp_body *body = body_at(system, index);
    tp_mat3 R = system->rotation[index];
    tp_quat p = quaternion_of(system, body);
    tp_vec3 m = tp_mat3_apply(R, tp_vec3_add(moment_of(p, f), tp_vec3_from_array(f_w)));
    for (int k = 3; k < 12; k++) {
        tp_vec3 turn = tp_affine_twist(system, index, k).moment;
        tp_quat change = tp_quat_rate(p, tp_mat3_apply_transposed(R, turn));
        tp_wrench wrench = {.moment =
                                tp_vec3_add(tp_mat3_apply(R, moment_of(change, f)), tp_vec3_cross(turn, m))};
        tp_affine_add_wrench(system, index, wrench, matrix + 12 * k);
        for (int i = 3; i < 12; i++) matrix[i + 12 * k] += tp_vec3_dot(m, tp_affine_unit_change(i, k));
    }
}

void tp_affine_force_jacobian(const tp_system *system, int index, double *stiffness)
{
    const tp_body *body = body_at(system, index);
    const double *f = system->force_q + body->argument_q + 3, *f_w = system->force_u + body->argument_u + 3;
    double matrix[12 * 12] = {0.0};
    if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0 && f[3] == 0.0 && f_w[0] == 0.0 && f_w[1] == 0.0 &&
        f_w[2] == 0.0)
        return;
    tp_affine_turning(system, index, f, f_w, matrix);
    for (int k = 3; k < 12; k++) { /* a body's rows stand together */
        int place = tp_pattern_place(&system->jacobian_pattern, body->u_first, body->u_first + k);
        for (int i = 0; i < 12; i++) stiffness[place + i] += matrix[i + 12 * k];
    }
}

/* ---- rigidity; (A3) ---- */

/* Which directions a row multiplies. */
static const int first_of[] = {0, 1, 2, 1, 0, 0}, second_of[] = {0, 1, 2, 2, 2, 1};

void tp_affine_rigidity(const tp_system *system, int index, double *g)
{
    const double *q = system->q + body_at(system, index)->q_first;
    for (int k = 0; k < 6; k++)
        g[k] = tp_vec3_dot(direction_of(q, first_of[k]), direction_of(q, second_of[k])) - (k < 3 ? 1.0 : 0.0);
}

void tp_affine_rigidity_rows(const tp_system *system, int index, double *W)
{
    const double *q = system->q + body_at(system, index)->q_first;
    for (int k = 0; k < 6; k++) {
        add_to(W + 12 * k, 1 + first_of[k], direction_of(q, second_of[k]));
        add_to(W + 12 * k, 1 + second_of[k], direction_of(q, first_of[k]));
    }
}

void tp_affine_rigidity_hessian(int k, double *H)
{
    for (int c = 0; c < 3; c++) {
        int a = 3 + 3 * first_of[k] + c, b = 3 + 3 * second_of[k] + c;
        H[a + 12 * b] += 1.0;
        H[b + 12 * a] += 1.0;
    }
}

/* g = d_i.d_j: second rates at constant d_i', d_j'. */
void tp_affine_rigidity_drift(const tp_system *system, int index, double *g2)
{
    const double *u = system->u + body_at(system, index)->u_first;
    for (int k = 0; k < 6; k++)
        g2[k] = 2.0 * tp_vec3_dot(direction_of(u, first_of[k]), direction_of(u, second_of[k]));
}
