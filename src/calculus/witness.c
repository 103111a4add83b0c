/* A closed path along two admissible directions that does not close; docs/theory/holonomy.md. */
#include "examination.h"
#include "row_derivatives.h"
#include "tippe/rotation.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

enum { WITNESS_STEPS = 16 };
/* Over (time, velocities) of the model. */
static double *whole_columns(tp_examination *e, const double *x)
{
    const tp_distribution *d = &e->d;
    double *out = TP_ARENA_ARRAY(&e->all->arena, double, 1 + d->system->u_count);
    if (out == NULL) return NULL;
    out[0] = x[0];
    for (int a = 1; a < d->width; a++) out[1 + d->velocity[a - 1]] = x[a] * tp_column_unit(d, a);
    return out;
}

/* By how much q misses q0: of turning bodies the rotation vector in the body. */
static double *offset_of(tp_examination *e, double t, const double *q)
{
    tp_holonomy *h = e->all;
    const tp_model *model = h->model;
    double *out = TP_ARENA_ARRAY(&h->arena, double, h->frame_count);
    if (out == NULL) return NULL;
    int general = model->coordinates.count, shift = h->frame_count - 1 - h->system->u_count;
    out[0] = t - e->t;
    for (int i = 0; i < general; i++) out[1 + i] = q[i] - e->q[i];
    for (int b = 0; b < model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
        double *at = out + 1 + shift + body->u_first;
        const double *now = q + body->q_first, *then = e->q + body->q_first;
        bool turns = body->kind == TP_BODY_RIGID || body->kind == TP_BODY_SCALABLE;
        for (int k = 0; k < (turns ? 3 : body->u_count); k++) at[k] = now[k] - then[k];
        if (!turns) continue;
        tp_quat turn = tp_quat_multiply(tp_quat_conjugate(tp_quat_at(then + 3)), tp_quat_at(now + 3));
        double *w = at + body->u_count - 3; /* small */
        w[0] = 2.0 * turn.x;
        w[1] = 2.0 * turn.y;
        w[2] = 2.0 * turn.z;
    }
    return out;
}

/* Directions that are easy to read, at the start: each as few velocities as there can be. Where these have no
   curvature the worst pair of all points stays. */
tp_status tp_examination_plain_pair(tp_examination *e, double tolerance)
{
    tp_distribution *d = &e->d;
    int width = d->width;
    if (!tp_examination_begin(e) || d->rank < e->part->rank) return TP_OK;
    TP_TRY(tp_examination_basis(e));
    tp_examination_tidy(width, e->directions - 1, e->basis + width);
    e->worst = fmax(tolerance, tp_plain_share * e->worst);
    tp_examination_pairs(e);
    return TP_OK;
}

tp_status tp_examination_witness(tp_examination *e)
{
    tp_holonomy *h = e->all;
    tp_distribution *d = &e->d;
    int n = d->system->q_count, width = d->width;
    double *bracket = TP_ARENA_ARRAY(&e->scratch, double, 2 * d->size), *across = bracket + d->size,
           *q = TP_ARENA_ARRAY(&e->scratch, double, n), *v = TP_ARENA_ARRAY(&e->scratch, double, width),
           t = e->t;
    TP_TRY(tp_arena_status(&e->scratch));
    tp_distribution_move(d, e->t, e->q);
    tp_distribution_bracket(d, e->x, e->y, bracket, across);
    memcpy(q, e->q, (size_t)n * sizeof(double));
    for (int leg = 0; leg < 4; leg++) {
        const double *along = leg % 2 == 0 ? e->x : e->y;
        for (int a = 0; a < width; a++) v[a] = (leg < 2 ? tp_witness_leg : -tp_witness_leg) * along[a];
        tp_distribution_flow(d, v, WITNESS_STEPS, &t, q, NULL, &e->scratch);
    }
    e->part->witness = (tp_holonomy_witness){
        .time = e->t,
        .q = tp_arena_copy(&h->arena, e->q, (size_t)n, sizeof(double)),
        .first = whole_columns(e, e->x),
        .second = whole_columns(e, e->y),
        .bracket = tp_examination_whole(e, across, false),
        .leg = tp_witness_leg,
        .offset = offset_of(e, t, q),
    };
    return tp_arena_status(&h->arena);
}
