/* Coordinates that may be minimal: general ones, those of joints, positions of bodies, and the turns of
   bodies from their start; docs/theory/holonomy.md (13), (13a), (13b). */
#include "math/dense.h"
#include "reduction.h"
#include "tippe/rotation.h"
#include "tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const turn_names[] = {"turn.x", "turn.y", "turn.z"};

/* ---- turns: p = p_0 exp(a) ---- */

static double component(tp_vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* Its first angular velocity. */
static int turning(const tp_reduction *r, const tp_minimal *c)
{
    return TP_LIST_AT(r->model->bodies, tp_body, c->turn)->u_first + 3;
}

/* How far a turn is from where the minimal coordinates say that it is. */
static double distance(const tp_reduction *r, int body, tp_vec3 a)
{
    double sum = 0.0;
    for (int k = 0; k < r->count; k++) {
        const tp_minimal *c = &r->minimal[k];
        if (c->turn != body) continue;
        double off = component(a, c->coordinate) - (r->start[k] + r->part_of_way * r->way[k]);
        sum += off * off;
    }
    return sum;
}

/* The turn of a body from its start: of the two below a whole turn the one that is expected. */
static tp_vec3 turn_at(const tp_reduction *r, int body, const double *q)
{
    int first = TP_LIST_AT(r->model->bodies, tp_body, body)->q_first + 3;
    tp_vec3 a = tp_quat_log(
        tp_quat_multiply(tp_quat_conjugate(tp_quat_at(r->model->q0 + first)), tp_quat_at(q + first)));
    double angle = tp_vec3_norm(a);
    if (!(angle > 0.0)) return a;
    tp_vec3 other = tp_vec3_scale(1.0 - 2.0 * acos(-1.0) / angle, a);
    return distance(r, body, other) < distance(r, body, a) ? other : a;
}

/* a'' at w' = 0: the change of Tr(-a)^-1 w along a' = Tr(-a)^-1 w; (13a), (13b). */
static tp_vec3 turn_drift(tp_vec3 a, tp_vec3 w)
{
    tp_vec3 rate = tp_mat3_apply(tp_rotation_tangent_body_inverse(a), w);
    return tp_mat3_apply(tp_rotation_tangent_inverse_derivative(tp_vec3_negate(a), w), tp_vec3_negate(rate));
}

/* ---- candidates ---- */

double tp_minimal_value(const tp_reduction *r, const tp_minimal *c, const double *q)
{
    if (c->turn >= 0) return component(turn_at(r, c->turn, q), c->coordinate);
    return c->joint >= 0 ? tp_system_joint_coordinate(r->system, c->joint, c->coordinate) : q[c->q];
}

bool tp_minimal_is_angle(const tp_reduction *r, const tp_minimal *c)
{
    return c->joint >= 0 && TP_LIST_AT(r->model->joints, tp_model_joint, c->joint)->angle[c->coordinate] >= 0;
}

/* Its rate at the system's point: row [m] over the velocities, and what is left at u = 0. */
double tp_minimal_rate_row(const tp_reduction *r, const tp_minimal *c, double *row)
{
    tp_system *system = r->system;
    memset(row, 0, (size_t)r->m * sizeof(double));
    if (c->turn >= 0) { /* (13a) */
        double rates[9];
        tp_mat3_to_array(tp_rotation_tangent_body_inverse(turn_at(r, c->turn, r->system->q)), rates);
        for (int j = 0; j < 3; j++) row[turning(r, c) + j] = rates[c->coordinate + 3 * j];
        return 0.0;
    }
    if (c->joint < 0) {
        row[c->velocity] = 1.0;
        return 0.0;
    }
    double *a = r->unit, none = tp_system_coordinate_acceleration(system, c->joint, c->coordinate, a);
    for (int j = 0; j < r->m; j++) {
        a[j] = 1.0;
        row[j] = tp_system_coordinate_acceleration(system, c->joint, c->coordinate, a) - none;
        a[j] = 0.0;
    }
    tp_joint_state state;
    tp_system_joint_state(system, c->joint, r->no_impulse, 1.0, &state);
    return state.rate[c->coordinate] - tp_dense_dot(r->m, row, system->u);
}

/* d(rate)/dt at u' = 0. */
double tp_minimal_rate_drift(const tp_reduction *r, const tp_minimal *c)
{
    if (c->turn >= 0) {
        const double *w = r->system->u + turning(r, c);
        return component(turn_drift(turn_at(r, c->turn, r->system->q), tp_vec3_make(w[0], w[1], w[2])),
                         c->coordinate);
    }
    return c->joint >= 0 ? tp_system_coordinate_acceleration(r->system, c->joint, c->coordinate, r->unit)
                         : 0.0;
}

static tp_status add_candidate(tp_reduction *r, tp_minimal candidate, const char *name, const char *part)
{
    size_t length = strlen(name) + strlen(part) + 2;
    char *text = TP_ARENA_ARRAY(&r->arena, char, length);
    if (text == NULL) return TP_OUT_OF_MEMORY;
    snprintf(text, length, "%s%s%s", name, part[0] != '\0' ? "." : "", part);
    candidate.name = text;
    r->candidates[r->candidate_count++] = candidate;
    return TP_OK;
}

tp_status tp_minimal_list(tp_reduction *r)
{
    const tp_model *model = r->model;
    int joints = 0, n = model->coordinates.count;
    for (int j = 0; j < model->joints.count; j++)
        joints += TP_LIST_AT(model->joints, tp_model_joint, j)->joint.coordinate_count;
    r->candidates = TP_ARENA_ARRAY(&r->arena, tp_minimal, joints + r->m + 1); /* bodies have one a velocity */
    if (r->candidates == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++)
        TP_TRY(add_candidate(r,
                             (tp_minimal){.joint = -1, .turn = -1, .q = i, .velocity = i, .preference = 1.0},
                             tp_model_coordinate_name(model, i), ""));
    for (int j = 0; j < model->joints.count; j++) {
        const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, j);
        for (int k = 0; k < joint->joint.coordinate_count; k++)
            TP_TRY(add_candidate(r, (tp_minimal){.joint = j, .turn = -1, .coordinate = k, .preference = 1.0},
                                 joint->name, tp_joint_kind_info(joint->joint.kind)->coordinates[k]));
    }
    for (int b = 0; b < model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
        for (int k = 0; k < body->u_count && k < 3; k++)
            TP_TRY(add_candidate(r,
                                 (tp_minimal){.joint = -1,
                                              .turn = -1,
                                              .q = body->q_first + k,
                                              .velocity = body->u_first + k,
                                              .preference = tp_position_preference},
                                 tp_model_coordinate_name(model, body->q_first + k), ""));
        for (int k = 0; k < 3 && body->kind == TP_BODY_RIGID; k++)
            TP_TRY(add_candidate(
                r, (tp_minimal){.joint = -1, .turn = b, .coordinate = k, .preference = tp_turn_preference},
                body->name, turn_names[k]));
    }
    return TP_OK;
}
