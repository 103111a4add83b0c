/* Points of the manifold: coordinates and velocities, creation; docs/theory/jet.md (10)-(12). */
#include "parts.h"

#include "base/names.h"
#include "tippe/euler_parameters.h"
#include "tolerances.h"

#include <string.h>

/* Which coordinates are Euler parameters, and which velocity belongs to each other one. */
static tp_status map_coordinates(tp_jet *jet)
{
    const tp_system *system = jet->system;
    const tp_list *bodies = &system->model->bodies;
    jet->n = system->q_count;
    jet->m = system->u_count;
    jet->u_of = TP_ARENA_ARRAY(&jet->arena, int, jet->n + 1);
    jet->turn = TP_ARENA_ARRAY(&jet->arena, tp_jet_turn, bodies->count + 1);
    TP_ARENA_DOUBLES(&jet->arena, jet->m + 1, &jet->u, &jet->weight);
    TP_TRY(tp_arena_status(&jet->arena));
    for (int i = 0; i < system->general_q; i++) jet->u_of[i] = i;
    for (int j = 0; j < jet->m; j++) jet->weight[j] = 1.0;
    for (int b = 0; b < bodies->count; b++) {
        const tp_body *body = TP_LIST_AT(*bodies, tp_body, b);
        bool turns = body->kind == TP_BODY_RIGID;
        for (int k = 0; k < body->q_count; k++)
            jet->u_of[body->q_first + k] = turns && k >= 3 ? -1 : body->u_first + k;
        if (!turns) continue;
        jet->turn[jet->turn_count++] = (tp_jet_turn){body->q_first + 3, body->u_first + 3, b};
        for (int k = 3; k < 6; k++) jet->weight[body->u_first + k] = 4.0; /* (12) */
    }
    return TP_OK;
}

static tp_status take_memory(tp_jet *jet, tp_message *why)
{
    TP_TRY(map_coordinates(jet));
    tp_constraint_rows *rows = &jet->along.rows;
    TP_TRY(tp_constraint_rows_create(jet->allocator, &jet->arena, jet->system, true, rows));
    jet->along.weight = jet->weight;
    TP_TRY(tp_jet_gram_create(jet, &jet->along));
    jet->atol_of = TP_ARENA_ARRAY(&jet->arena, double, tp_jet_state_count(jet));
    size_t count = (size_t)rows->row_count + 1;
    TP_ARENA_DOUBLES(&jet->arena, count, &jet->g, &jet->gamma, &jet->mu, &jet->total);
    TP_ARENA_DOUBLES(&jet->arena, 2 * jet->n + 1, &jet->start, &jet->change);
    TP_TRY(tp_arena_status(&jet->arena));
    TP_TRY(tp_jet_distribution_create(jet));
    TP_TRY(tp_jet_invariants_create(jet, why));
    if (jet->options.projection != TP_JET_TANGENTIAL) TP_TRY(tp_jet_rows_create(jet));
    if (jet->options.projection == TP_JET_ORTHOGONAL) TP_TRY(tp_jet_orthogonal_create(jet));
    return tp_arena_status(&jet->arena);
}

tp_status tp_jet_create(const tp_allocator *allocator, tp_system *system, const tp_jet_options *options,
                        tp_jet **jet_out, tp_message *why)
{
    *jet_out = NULL;
    tp_jet *jet = TP_ARENA_OBJECT(tp_jet, allocator);
    if (jet == NULL) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the manifold");
    jet->allocator = allocator;
    jet->options = *options;
    jet->system = system;
    tp_status status = take_memory(jet, why);
    if (status != TP_OK) tp_jet_free(jet);
    *jet_out = status == TP_OK ? jet : NULL;
    return status;
}

void tp_jet_free(tp_jet *jet)
{
    if (jet == NULL) return;
    tp_jet_distribution_free(jet);
    tp_constraint_rows_free(&jet->along.rows);
    tp_constraint_rows_free(&jet->flat.rows);
    tp_constraint_rows_free(&jet->full.rows);
    tp_arena_clear(&jet->arena);
}

int tp_jet_coordinate_count(const tp_jet *jet)
{
    return jet->n;
}

int tp_jet_total_count(const tp_jet *jet)
{
    return TP_JET_IMPULSES + jet->along.rows.row_count + 2 * jet->m;
}

const tp_jet_counts *tp_jet_counts_of(const tp_jet *jet)
{
    return &jet->counts;
}

static void find_velocities(const tp_jet *jet, const double *y, const double *y1, double *u)
{
    for (int i = 0; i < jet->n; i++) {
        if (jet->u_of[i] >= 0) u[jet->u_of[i]] = y1[i];
    }
    for (int k = 0; k < jet->turn_count; k++) {
        tp_quat p = tp_quat_at(y + jet->turn[k].q);
        tp_vec3 w = tp_euler_velocity(p, tp_quat_at(y1 + jet->turn[k].q));
        tp_vec3_to_array(tp_vec3_scale(1.0 / tp_quat_dot(p, p), w), u + jet->turn[k].u);
    }
}

void tp_jet_rates(const tp_jet *jet, const double *y, const double *u, double *y1)
{
    for (int i = 0; i < jet->n; i++) {
        if (jet->u_of[i] >= 0) y1[i] = u[jet->u_of[i]];
    }
    for (int k = 0; k < jet->turn_count; k++)
        tp_quat_put(tp_euler_rate(tp_quat_at(y + jet->turn[k].q), tp_vec3_from_array(u + jet->turn[k].u)),
                    y1 + jet->turn[k].q);
}

void tp_jet_put(const tp_jet *jet, const double *q, const double *u, double *z)
{
    memset(z, 0, (size_t)tp_jet_state_count(jet) * sizeof(double));
    memcpy(z, q, (size_t)jet->n * sizeof(double));
    tp_jet_rates(jet, z, u, z + jet->n);
}

void tp_jet_get(const tp_jet *jet, const double *z, double *q, double *u)
{
    find_velocities(jet, z, z + jet->n, u);
    memcpy(q, z, (size_t)jet->n * sizeof(double));
    for (int k = 0; k < jet->turn_count; k++)
        tp_quat_put(tp_quat_normalise(tp_quat_at(q + jet->turn[k].q)), q + jet->turn[k].q);
}

void tp_jet_impulses(const tp_jet *jet, const double *from, const double *to, double *impulse)
{
    const tp_constraint_rows *rows = &jet->along.rows;
    memset(impulse, 0, (size_t)jet->system->law_count * TP_LAW_ROWS * sizeof(double));
    for (int i = 0; i < rows->law_count; i++) {
        for (int r = rows->first[i]; r < rows->first[i + 1]; r++)
            impulse[rows->law[i] * TP_LAW_ROWS + r - rows->first[i]] =
                to[TP_JET_IMPULSES + r] - from[TP_JET_IMPULSES + r];
    }
}

void tp_jet_momenta(const tp_jet *jet, const double *from, const double *to, double *forces, double *rows)
{
    int first = TP_JET_IMPULSES + jet->along.rows.row_count;
    for (int j = 0; j < jet->m; j++) {
        forces[j] = to[first + j] - from[first + j];
        rows[j] = to[first + jet->m + j] - from[first + jet->m + j];
    }
}

void tp_jet_move(tp_jet *jet, double t, const double *z)
{
    find_velocities(jet, z, z + jet->n, jet->u);
    tp_system_move(jet->system, t, z, jet->u);
}

void tp_jet_shift(const tp_jet *jet, const double *x, double *y)
{
    for (int i = 0; i < jet->n; i++) {
        if (jet->u_of[i] >= 0) y[i] += x[jet->u_of[i]];
    }
    for (int k = 0; k < jet->turn_count; k++) {
        tp_quat p = tp_quat_at(y + jet->turn[k].q);
        tp_quat_put(tp_quat_add(p, tp_euler_rate(p, tp_vec3_from_array(x + jet->turn[k].u))),
                    y + jet->turn[k].q);
    }
}

void tp_jet_add_covector(const tp_jet *jet, const double *y, const double *x, double *out)
{
    for (int i = 0; i < jet->n; i++) {
        if (jet->u_of[i] >= 0) out[i] += x[jet->u_of[i]];
    }
    for (int k = 0; k < jet->turn_count; k++) {
        double f[4];
        tp_quat p = tp_quat_at(y + jet->turn[k].q);
        tp_quat_put(tp_quat_scale(2.0, tp_euler_apply_transposed(p, tp_vec3_from_array(x + jet->turn[k].u))),
                    f);
        for (int i = 0; i < 4; i++) out[jet->turn[k].q + i] += f[i];
    }
}

void tp_jet_normalise(const tp_jet *jet, double *z)
{
    for (int k = 0; k < jet->turn_count; k++) {
        double *theta = z + jet->turn[k].q, *theta1 = z + jet->n + jet->turn[k].q;
        tp_quat p = tp_quat_normalise(tp_quat_at(theta)), p1 = tp_quat_at(theta1);
        tp_quat_put(p, theta);
        tp_quat_put(tp_quat_add(p1, tp_quat_scale(-tp_quat_dot(p1, p), p)), theta1);
    }
}

double tp_jet_goal(const tp_jet *jet, double size)
{
    return fmax(jet->options.tolerance, tp_jet_roundings * DBL_EPSILON * size);
}

TP_NAMES_OF(tp_jet_projection_name, int, "orthogonal", "tangential", "quasi")

TP_NAMES_OF(tp_jet_distribution_name, int, "saddle", "schur", "gradients")

TP_NAMES_OF(tp_jet_method_name, int, "dormand-prince", "dormand-prince-8")
