/* Rigid bodies as affine ones: another realisation of a finished model, private to a simulation;
   docs/theory/consistent.md (A1)-(A7). */
#include "lists.h"
#include "tippe/rotation.h"
#include "tolerances.h"

#include <stdio.h>
#include <string.h>

enum { AFFINE_SIZE = 12, RIGIDITY_ROWS = 6 };

bool tp_model_has_rigid_bodies(const tp_model *model)
{
    for (int b = 0; b < model->bodies.count; b++) {
        if (TP_LIST_AT(model->bodies, tp_body, b)->kind == TP_BODY_RIGID) return true;
    }
    return false;
}

/* E - tp_flatness tr(E) I is positive definite: its leading minors are. */
static bool is_solid(tp_mat3 E)
{
    double shift = tp_flatness * tp_mat3_trace(E);
    tp_mat3 A = tp_mat3_sub(E, tp_mat3_scale(shift, tp_mat3_identity()));
    double minor = A.cx.x * A.cy.y - A.cx.y * A.cy.x;
    return A.cx.x > 0.0 && minor > 0.0 && tp_mat3_determinant(A) > 0.0;
}

int tp_model_find_flat_body(const tp_model *model)
{
    for (int b = 0; b < model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
        if (body->kind == TP_BODY_RIGID && !is_solid(tp_inertia_to_euler(body->inertia))) return b;
    }
    return TP_GROUND;
}

static tp_status check_solid(const tp_model *model, tp_message *why)
{
    int flat = tp_model_find_flat_body(model);
    if (flat == TP_GROUND) return TP_OK;
    const tp_body *body = TP_LIST_AT(model->bodies, tp_body, flat);
    return tp_fail_at(why, TP_UNSUPPORTED, body->place,
                      "body '%s' cannot be affine: its mass lies in a plane or on a line (moments of inertia "
                      "%g, %g, %g on the diagonal; a principal one must not reach the sum of the other two); "
                      "the scalable form has no such limit (consistent_bodies: scalable)",
                      body->name, body->inertia.cx.x, body->inertia.cy.y, body->inertia.cz.z);
}

/* Rows between an affine and a scalable body have no second derivatives. */
static tp_status check_unmixed(const tp_model *model, tp_message *why)
{
    for (int b = 0; b < model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
        if (body->kind != TP_BODY_SCALABLE) continue;
        return tp_fail_at(
            why, TP_UNSUPPORTED, body->place,
            "body '%s' is scalable, and rigid bodies are to be affine: both in one scene do not go "
            "together; choose consistent_bodies: scalable",
            body->name);
    }
    return TP_OK;
}

/* The same body in twelve coordinates; (A1). */
static void make_affine(tp_body *body)
{
    body->kind = TP_BODY_AFFINE;
    body->q_count = body->u_count = AFFINE_SIZE;
}

/* All bodies, with places in q and u of their own; those among the arguments of formulas stay. */
static tp_status place_bodies(tp_arena *arena, const tp_model *given, tp_model *out)
{
    int q = given->coordinates.count, u = tp_model_general_velocity_count(given);
    tp_body *bodies = tp_arena_copy(arena, given->bodies.items, (size_t)given->bodies.count, sizeof(tp_body));
    if (bodies == NULL) return TP_OUT_OF_MEMORY;
    for (int b = 0; b < given->bodies.count; b++) {
        if (bodies[b].kind == TP_BODY_RIGID) make_affine(&bodies[b]);
        bodies[b].q_first = q;
        bodies[b].u_first = u;
        q += bodies[b].q_count;
        u += bodies[b].u_count;
    }
    out->bodies.items = bodies;
    /* of these lists the number of items is all that is asked of a finished model */
    out->body_coordinates = (tp_list){.count = q - given->coordinates.count};
    out->body_velocities = (tp_list){.count = u - tp_model_general_velocity_count(given)};
    return TP_OK;
}

/* The laws that hold the directions of affine bodies orthonormal, after all others; (A3). */
static tp_status add_rigidity(tp_arena *arena, const tp_model *given, tp_model *out)
{
    int count = given->laws.count, all = count + given->bodies.count;
    tp_law *laws = TP_ARENA_ARRAY(arena, tp_law, all);
    if (laws == NULL) return TP_OUT_OF_MEMORY;
    if (count > 0) memcpy(laws, given->laws.items, (size_t)count * sizeof *laws);
    for (int b = 0; b < given->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(out->bodies, tp_body, b);
        if (body->kind != TP_BODY_AFFINE) continue;
        size_t length = strlen(body->name) + sizeof "rigidity of ";
        char *name = TP_ARENA_ARRAY(arena, char, length);
        if (name == NULL) return TP_OUT_OF_MEMORY;
        snprintf(name, length, "rigidity of %s", body->name);
        laws[count++] = (tp_law){.name = name,
                                 .place = body->place,
                                 .level = TP_LEVEL_POSITION,
                                 .source = TP_SOURCE_RIGIDITY,
                                 .element = b,
                                 .row_count = RIGIDITY_ROWS,
                                 .angle_rows = (1u << RIGIDITY_ROWS) - 1u, /* without dimension, as angles */
                                 .set = tp_set_free(RIGIDITY_ROWS)};
        out->constraint_count += RIGIDITY_ROWS;
    }
    out->laws = (tp_list){laws, count, all};
    return TP_OK;
}

tp_status tp_model_realise_affine(tp_arena *arena, const tp_model *model, tp_model **realised_out,
                                  tp_message *why)
{
    TP_TRY(check_solid(model, why));
    TP_TRY(check_unmixed(model, why));
    tp_model *out = tp_arena_copy(arena, model, 1, sizeof *model);
    *realised_out = out;
    if (out == NULL) return TP_OUT_OF_MEMORY;
    out->arena = (tp_arena){0}; /* the given model's own; nothing is added to a finished one */
    TP_TRY(place_bodies(arena, model, out));
    TP_TRY(add_rigidity(arena, model, out));
    out->q0 = TP_ARENA_ARRAY(arena, double, tp_model_coordinate_count(out));
    out->u0 = TP_ARENA_ARRAY(arena, double, tp_model_velocity_count(out));
    if (out->q0 == NULL || out->u0 == NULL) return TP_OUT_OF_MEMORY;
    tp_model_realise_state(out, model->q0, model->u0, out->q0, out->u0);
    return TP_OK;
}

/* d_i = R e_i, d_i' = R (w x e_i); (A2). */
static void realise_body(const double *q, const double *u, double *q_out, double *u_out)
{
    tp_mat3 R = tp_quat_to_matrix(tp_quat_normalise(tp_quat_make(q[3], q[4], q[5], q[6])));
    tp_mat3 rate = tp_mat3_multiply(R, tp_mat3_skew(tp_vec3_make(u[3], u[4], u[5])));
    memcpy(q_out, q, 3 * sizeof *q);
    memcpy(u_out, u, 3 * sizeof *u);
    tp_mat3_to_array(R, q_out + 3);
    tp_mat3_to_array(rate, u_out + 3);
}

void tp_model_realise_state(const tp_model *realised, const double *q, const double *u, double *q_out,
                            double *u_out)
{
    int general_q = realised->coordinates.count, general_u = tp_model_general_velocity_count(realised);
    if (general_q > 0) memcpy(q_out, q, (size_t)general_q * sizeof *q);
    if (general_u > 0) memcpy(u_out, u, (size_t)general_u * sizeof *u);
    for (int b = 0; b < realised->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(realised->bodies, tp_body, b);
        const double *from_q = q + body->argument_q, *from_u = u + body->argument_u;
        double *to_q = q_out + body->q_first, *to_u = u_out + body->u_first;
        if (body->kind == TP_BODY_AFFINE) {
            realise_body(from_q, from_u, to_q, to_u);
            continue;
        }
        if (body->q_count > 0) memcpy(to_q, from_q, (size_t)body->q_count * sizeof *q);
        if (body->u_count > 0) memcpy(to_u, from_u, (size_t)body->u_count * sizeof *u);
    }
}
