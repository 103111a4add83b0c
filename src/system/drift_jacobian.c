/* Derivatives of the drift of laws with respect to positions and velocities; docs/theory/second-level.md
   (16)-(21). */
#include "base/sort.h"
#include "discrete.h"
#include "parts.h"
#include "scalable.h"
#include "second_level.h"
#include "tippe/rotation.h"

#include <string.h>

enum { RIGID_COLUMNS = 12 }; /* velocities of an affine body */

/* ---- rows of frames ---- */

/* A basic row and its first and second derivatives along the motion. */
typedef struct moving_row {
    const tp_basic_row *row;
    const tp_frame *frame[2];
    tp_frame_motion motion[2];
    tp_frame first[2], second[2];
} moving_row;

/* (18): g2 = grad g.F'' + F'.d2g F' when one frame moves along f. */
static double by_position(const moving_row *m, int side, const tp_frame *f, const tp_frame_motion *change)
{
    const tp_frame still = {.r = tp_vec3_zero()};
    tp_frame along[2] = {still, still}, second[2], third[2];
    along[side] = *f;
    tp_basic_row_second(m->row, m->frame[0], m->frame[1], &along[0], &along[1], &second[0], &second[1]);
    tp_basic_row_third(m->row, m->frame[0], m->frame[1], &m->motion[0].rate, &m->motion[1].rate, &along[0],
                       &along[1], &third[0], &third[1]);
    double sum =
        tp_frame_dot(&m->first[side], &change->second) + 2.0 * tp_frame_dot(&m->second[side], &change->rate);
    for (int s = 0; s < 2; s++)
        sum += tp_frame_dot(&second[s], &m->motion[s].second) + tp_frame_dot(&third[s], &m->motion[s].rate);
    return sum;
}

void tp_drift_jacobian_add_row(const tp_drift_jacobian *J, int k, const tp_basic_row *row, const int *bodies,
                               double factor)
{
    moving_row m = {.row = row};
    for (int s = 0; s < 2; s++) {
        m.frame[s] = &tp_system_body(J->system, bodies[s])->frame;
        m.motion[s] = tp_frame_motion_of(J->system, bodies[s]);
    }
    tp_basic_row_gradient(row, m.frame[0], m.frame[1], &m.first[0], &m.first[1]);
    tp_basic_row_second(row, m.frame[0], m.frame[1], &m.motion[0].rate, &m.motion[1].rate, &m.second[0],
                        &m.second[1]);
    for (int s = 0; s < 2; s++) {
        if (bodies[s] == TP_GROUND) continue;
        const tp_body *body = TP_LIST_AT(J->system->model->bodies, tp_body, bodies[s]);
        for (int i = 0; i < body->u_count; i++) {
            int at = k * J->count + tp_find_int(J->columns, J->count, body->u_first + i);
            tp_frame f = tp_frame_unit_motion(J->system, bodies[s], i).rate;
            tp_frame_motion moved = tp_frame_motion_by_position(J->system, bodies[s], i, &m.motion[s]),
                            faster = tp_frame_motion_by_velocity(J->system, bodies[s], i, &m.motion[s]);
            J->by_position[at] += factor * by_position(&m, s, &f, &moved);
            J->by_velocity[at] += factor * (tp_frame_dot(&m.first[s], &faster.second) +
                                            2.0 * tp_frame_dot(&m.second[s], &faster.rate));
        }
    }
}

static void add_spin(const tp_drift_jacobian *J, const tp_model_joint *joint)
{
    const int bodies[] = {joint->body_a, joint->body_b};
    for (int s = 0; s < 2; s++) {
        if (bodies[s] == TP_GROUND) continue;
        const tp_body *body = TP_LIST_AT(J->system->model->bodies, tp_body, bodies[s]);
        tp_frame_motion motion = tp_frame_motion_of(J->system, bodies[s]);
        double sign = s == 0 ? -1.0 : 1.0;
        for (int i = 0; i < body->u_count; i++) {
            int at = tp_find_int(J->columns, J->count, body->u_first + i);
            double moved[3], faster[3];
            tp_vec3_to_array(tp_frame_motion_by_position(J->system, bodies[s], i, &motion).w_rate, moved);
            tp_vec3_to_array(tp_frame_motion_by_velocity(J->system, bodies[s], i, &motion).w_rate, faster);
            for (int k = 0; k < 3; k++) {
                J->by_position[k * J->count + at] += sign * moved[k];
                J->by_velocity[k * J->count + at] += sign * faster[k];
            }
        }
    }
}

/* ---- formulas ---- */

/* How coordinates, their rates and their second rates at u' = 0 change with a column. */
typedef struct column {
    tp_system *system;
    int j; /* of the velocity */
    bool is_velocity;
    int body;                /* whose velocity it is, or TP_GROUND */
    double quaternion[3][4]; /* of that body                     */
} column;

static int body_of(const tp_system *system, int j)
{
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        if (j >= body->u_first && j < body->u_first + body->u_count) return b;
    }
    return TP_GROUND;
}

/* (19): p' = p V/(2 s), p'' = p' V/(2 s) - (nu/s) p' with V = (nu, omega); rigid: s = 1, nu = 0. */
static void quaternion_changes(column *c, const tp_body *body)
{
    const tp_system *system = c->system;
    bool is_scalable = body->kind == TP_BODY_SCALABLE;
    int k = c->j - body->u_first - 3 + (is_scalable ? 0 : 1);
    if (c->j - body->u_first < 3) return;
    const double *u = system->u + body->u_first + 3;
    tp_quat p = tp_quat_at(system->at.q + body->argument_q + 3),
            p_rate = tp_quat_at(system->rate + body->argument_q + 3), E = tp_quat_unit(k),
            V = is_scalable ? tp_quat_at(u) : tp_quat_make(0.0, u[0], u[1], u[2]);
    double s = is_scalable ? tp_quat_dot(p, p) : 1.0, grown = is_scalable && k == 0 ? 1.0 : 0.0;
    tp_quat step = tp_quat_scale(0.5 / s, tp_quat_multiply(p, E)), rate, second;
    if (c->is_velocity) {
        rate = step;
        second = tp_quat_scale(0.5 / s, tp_quat_multiply(p_rate, E));
        second = tp_quat_add(second, tp_quat_scale(-grown / s, p_rate));
    } else {
        rate =
            tp_quat_add(tp_quat_scale(0.5 / s, tp_quat_multiply(step, V)), tp_quat_scale(-grown / s, p_rate));
        second = tp_quat_scale(-grown * 0.5 / (s * s), tp_quat_multiply(p_rate, V));
        second = tp_quat_add(second, tp_quat_scale(grown * V.w / (s * s), p_rate));
        tp_quat_put(step, c->quaternion[0]);
    }
    second = tp_quat_add(second, tp_quat_scale(0.5 / s, tp_quat_multiply(rate, V)));
    second = tp_quat_add(second, tp_quat_scale(-V.w / s, rate));
    tp_quat_put(rate, c->quaternion[1]);
    tp_quat_put(second, c->quaternion[2]);
}

/* (20): of general coordinates with own velocities: rates to system->dual, second rates to system->scratch.
 */
static bool general_changes(const column *c)
{
    tp_system *system = c->system;
    int n = system->general_q;
    for (int i = 0; i < n; i++) {
        if (tp_scalar_lacks_second(TP_LIST_AT(system->model->coordinates, tp_variable, i)->rate))
            return false;
    }
    for (int pass = 0; pass < 2; pass++) { /* second rates need all rates */
        for (int i = 0; i < n; i++) {
            const tp_scalar *rate = TP_LIST_AT(system->model->coordinates, tp_variable, i)->rate;
            double first = 0.0, second = 0.0;
            for (int q = 0; q < n && !c->is_velocity; q++)
                system->direction[tp_slot_coordinate(q)] = system->B[q + c->j * n];
            system->direction[tp_slot_velocity(c->j)] = c->is_velocity ? 1.0 : 0.0;
            tp_scalar_hessian_vector(rate, &system->at, system->direction, system->gradient, system->product);
            for (int k = 0; k < rate->slot_count; k++) {
                int slot = rate->slots[k];
                first += system->gradient[k] * system->direction[slot];
                second += system->product[k] * tp_slot_rate_of_change(system, slot);
                if (tp_slot_kind_of(slot) == TP_SLOT_IS_COORDINATE && pass == 1)
                    second += system->gradient[k] * system->dual[tp_slot_index(slot)];
            }
            *(pass == 0 ? &system->dual[i] : &system->scratch[i]) = pass == 0 ? first : second;
        }
    }
    for (int q = 0; q < n; q++) system->direction[tp_slot_coordinate(q)] = 0.0;
    system->direction[tp_slot_velocity(c->j)] = 0.0;
    return true;
}

static bool start_column(tp_system *system, int j, bool is_velocity, column *out)
{
    *out = (column){.system = system, .j = j, .is_velocity = is_velocity, .body = body_of(system, j)};
    if (out->body == TP_GROUND) return !system->own_velocities || general_changes(out);
    const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, out->body);
    if (body->kind == TP_BODY_RIGID || body->kind == TP_BODY_SCALABLE) quaternion_changes(out, body);
    return true;
}

/* Change of coordinate i (level 0), its rate (1) or second rate (2). */
static double change_of(const column *c, int i, int level)
{
    const tp_system *system = c->system;
    int b = tp_coordinate_owner(system, i);
    if (b != c->body) return 0.0;
    if (b == TP_GROUND && system->own_velocities) {
        double B = system->B[i + c->j * system->general_q];
        if (level == 0) return c->is_velocity ? 0.0 : B;
        return level == 1 ? system->dual[i] : system->scratch[i];
    }
    const tp_body *body = b != TP_GROUND ? TP_LIST_AT(system->model->bodies, tp_body, b) : NULL;
    int k = body != NULL ? i - body->argument_q : i, own = body != NULL ? c->j - body->u_first : c->j;
    if (k >= 3 && body != NULL) return c->quaternion[level][k - 3];
    return k == own && level == (c->is_velocity ? 1 : 0) ? 1.0 : 0.0;
}

static double slot_change(const column *c, int slot, int level)
{
    const tp_system *system = c->system;
    int i = tp_slot_index(slot);
    tp_slot_kind kind = tp_slot_kind_of(slot);
    if (kind == TP_SLOT_IS_COORDINATE) return change_of(c, i, level);
    if (kind == TP_SLOT_IS_RATE) return change_of(c, i, level + 1);
    if (kind != TP_SLOT_IS_VELOCITY || !c->is_velocity || level > 0) return 0.0;
    int b = tp_velocity_owner(system, i);
    if (b == TP_GROUND) return c->j == i ? 1.0 : 0.0;
    const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
    return c->j == body->u_first + i - body->argument_u ? 1.0 : 0.0;
}

/* d g'' = d f''/d z0.dz + 2 d f'/d z0.dz' + d f/d z0.dz''. */
static double position_change(const column *c, const tp_scalar *g)
{
    tp_system *system = c->system;
    double value[3], sum = 0.0;
    for (int k = 0; k < g->slot_count; k++) {
        int slot = g->slots[k];
        system->direction[slot] = tp_slot_rate_of_change(system, slot);
        if (tp_slot_kind_of(slot) == TP_SLOT_IS_COORDINATE)
            system->along[slot] = tp_slot_rate_of_change(system, tp_slot_rate(tp_slot_index(slot)));
    }
    tp_formula_taylor(g->formula, system->at.z, system->direction, system->along, system->at.work, value,
                      system->gradient, system->product, system->third);
    for (int k = 0; k < g->slot_count; k++) {
        int slot = g->slots[k];
        if (tp_slot_kind_of(slot) == TP_SLOT_IS_COORDINATE)
            sum += system->third[k] * slot_change(c, slot, 0) +
                   2.0 * system->product[k] * slot_change(c, slot, 1) +
                   system->gradient[k] * slot_change(c, slot, 2);
        system->direction[slot] = system->along[slot] = 0.0;
    }
    return sum;
}

static double velocity_change(const column *c, const tp_scalar *gamma)
{
    tp_system *system = c->system;
    double sum = 0.0;
    for (int k = 0; k < gamma->slot_count; k++)
        system->direction[gamma->slots[k]] = slot_change(c, gamma->slots[k], 0);
    tp_scalar_hessian_vector(gamma, &system->at, system->direction, system->gradient, system->product);
    for (int k = 0; k < gamma->slot_count; k++) {
        int slot = gamma->slots[k];
        sum += system->product[k] * tp_slot_rate_of_change(system, slot) +
               system->gradient[k] * slot_change(c, slot, 1);
        system->direction[slot] = 0.0;
    }
    return sum;
}

static bool add_formulas(const tp_drift_jacobian *J, const tp_law *law)
{
    for (int e = 0; e < 2 * J->count; e++) {
        column c;
        if (!start_column(J->system, J->columns[e / 2], e % 2 == 1, &c)) return false;
        for (int k = 0; k < law->row_count; k++) {
            const tp_scalar *row = &law->row[k];
            bool is_position = k == 0 && law->level != TP_LEVEL_VELOCITY;
            if (is_position ? row->formula == NULL : tp_scalar_lacks_second(row)) return false;
            double change = is_position ? position_change(&c, row) : velocity_change(&c, row);
            (e % 2 == 1 ? J->by_velocity : J->by_position)[k * J->count + e / 2] =
                law->row_factor[k] * change;
        }
    }
    return true;
}

/* ---- all of them ---- */

/* Spins, formulas and contacts are functions of rotations, which affine bodies do not have. */
static bool touches_affine_body(const tp_drift_jacobian *J)
{
    for (int k = 0; k < J->count; k++) {
        int body = body_of(J->system, J->columns[k]);
        if (body != TP_GROUND && tp_is_affine(J->system->model, body)) return true;
    }
    return false;
}

/* Rows of rigidity are of second degree in coordinates whose rates are velocities: g2 = u.H u, H constant. */
static bool add_rigidity(const tp_drift_jacobian *J, const tp_law *law)
{
    const double *u = J->system->u;
    double H[RIGID_COLUMNS * RIGID_COLUMNS];
    int n = J->count;
    if (n > RIGID_COLUMNS) return false;
    for (int k = 0; k < law->row_count; k++) {
        tp_system_law_hessian(J->system, J->law, k, H);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++)
                J->by_velocity[k * n + j] += (H[i + j * n] + H[j + i * n]) * u[J->columns[i]];
        }
    }
    return true;
}

bool tp_system_law_drift_jacobian(tp_system *system, int index, double *by_position_out,
                                  double *by_velocity_out)
{
    const tp_model *model = system->model;
    const tp_law *law = tp_system_law(system, index);
    int count = tp_system_law_column_count(system, index);
    tp_drift_jacobian J = {system,          index,          count, tp_system_law_columns(system, index),
                           by_position_out, by_velocity_out};
    size_t bytes = (size_t)law->row_count * (size_t)count * sizeof(double);
    memset(by_position_out, 0, bytes);
    memset(by_velocity_out, 0, bytes);
    bool is_affine = touches_affine_body(&J);
    switch (law->source) {
    case TP_SOURCE_FORMULA: return !is_affine && add_formulas(&J, law);
    case TP_SOURCE_PAIR: return !is_affine && tp_contact_drift_jacobian(&J);
    case TP_SOURCE_SPIN:
        if (!is_affine) add_spin(&J, TP_LIST_AT(model->joints, tp_model_joint, law->element));
        return !is_affine;
    case TP_SOURCE_RIGIDITY: return add_rigidity(&J, law);
    case TP_SOURCE_JOINT: {
        const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, law->element);
        for (int k = 0; k < law->row_count; k++)
            tp_drift_jacobian_add_row(&J, k, &joint->joint.row[k],
                                      (const int[]){joint->body_a, joint->body_b}, 1.0);
        return true;
    }
    case TP_SOURCE_COMBINATION: {
        const tp_combination *c = TP_LIST_AT(model->combinations, tp_combination, law->element);
        for (int k = 0; k < c->term_count; k++) {
            const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, c->joint[k]);
            tp_drift_jacobian_add_row(&J, 0, &joint->joint.coordinate[c->coordinate[k]],
                                      (const int[]){joint->body_a, joint->body_b}, c->factor[k]);
        }
        return true;
    }
    }
    return false;
}
