/* Are the constraints of a model holonomic? docs/theory/holonomy.md. */
#include "tippe/analysis.h"

#include "distribution.h"
#include "draw.h"
#include "math/analysis.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "parts_of.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Conditions hold to rounding where derivatives are exact, to some 1e-9 where they are differences. */
static const double exact_tolerance = 1e-10, difference_tolerance = 1e-6;

/* A direction is new if the share of it that others do not span is above this: paths of fourth order with
   PATH_STEPS steps are exact to some 1e-8. */
static const double span_tolerance = 1e-5;
enum { PATH_STEPS = 24, PATH_LEGS = 3, IDLE_PATHS = 4, LONGER_PATHS = 5, SHORTER_PATHS = 8 };

/* Paths with all and with half the steps end this near to each other; the former are 16 times nearer. */
static const double path_tolerance = 1e-6;

/* Constraints on positions alone are gradients: of more velocities than these that is not computed. Of more
   constraints on velocities the first point with a clear answer decides. */
enum { LARGE_PART = 40 };

/* Legs of the path that does not close, in units of the directions. */
static const double witness_leg = 0.1;
enum { WITNESS_STEPS = 16 };

struct tp_holonomy {
    tp_arena arena;
    const tp_allocator *allocator;
    const tp_model *model;
    tp_holonomy_options options;
    tp_system *system;
    uint64_t random;
    int part_count, frame_count;
    tp_holonomy_part *parts;
    const char **frame_names;
};

/* A part that is being examined. */
typedef struct examination {
    tp_holonomy *all;
    tp_distribution d;
    tp_holonomy_part *part;
    tp_arena scratch; /* of this part */
    double
        *basis; /* [width * width] admissible directions at a point, column by column; the first along time */
    int directions;
    double worst;       /* condition I at the point of the witness */
    double *x, *y;      /* [width] directions of the witness       */
    double t, *q;       /* its point                               */
    double reach;       /* of paths                                */
    bool is_positional; /* all rows are derivatives of positions */
} examination;

tp_holonomy_options tp_holonomy_options_default(void)
{
    return (tp_holonomy_options){.point_count = 10, .reach = 0.4, .contact_tolerance = 1e-6, .seed = 1};
}

const char *tp_holonomy_verdict_name(tp_holonomy_verdict verdict)
{
    static const char *const names[] = {
        [TP_HOLONOMIC] = "holonomic", [TP_NONHOLONOMIC] = "nonholonomic", [TP_INCOMPATIBLE] = "incompatible"};
    return verdict >= 0 && verdict <= TP_INCOMPATIBLE ? names[verdict] : "unknown";
}

/* ---- one point ---- */

/* B_0 = (1, beta) with the smallest beta, and an orthonormal basis of the velocities with W^T u = 0; (6). */
static tp_status find_basis(examination *e)
{
    const tp_distribution *d = &e->d;
    int m = d->width - 1, rows = d->rank, width = d->width, free_count = m, rank;
    tp_arena arena;
    tp_arena_init(&arena, d->allocator);
    double *W = TP_ARENA_ARRAY(&arena, double, rows *m + 1), *chi = TP_ARENA_ARRAY(&arena, double, rows + 1),
           *kernel = TP_ARENA_ARRAY(&arena, double, m *m + 1), *beta = TP_ARENA_ARRAY(&arena, double, m + 1);
    tp_status status = tp_arena_status(&arena);
    for (int r = 0; r < rows && status == TP_OK; r++) {
        const double *row = d->A + d->pick[r] * width;
        chi[r] = -row[0];
        for (int a = 0; a < m; a++) W[r + rows * a] = row[1 + a];
    }
    if (rows > 0 && m > 0 && status == TP_OK) {
        status = tp_analysis_null_space(d->allocator, rows, m, W, 1e-10, kernel, &free_count);
        if (status == TP_OK)
            status = tp_analysis_least_squares(d->allocator, rows, m, W, chi, 1e-10, beta, &rank);
    } else {
        for (int a = 0; a < m && status == TP_OK; a++) kernel[a + m * a] = 1.0;
    }
    if (status == TP_OK) {
        memset(e->basis, 0, (size_t)(width * width) * sizeof(double));
        e->basis[0] = 1.0;
        memcpy(e->basis + 1, beta, (size_t)m * sizeof(double));
        for (int k = 0; k < free_count; k++)
            memcpy(e->basis + (1 + k) * width + 1, kernel + k * m, (size_t)m * sizeof(double));
        e->directions = 1 + free_count;
    }
    tp_arena_clear(&arena);
    return status;
}

/* Both conditions for all pairs; the worst pair of all points is kept. */
static void examine_pairs(examination *e)
{
    tp_distribution *d = &e->d;
    int width = d->width;
    for (int i = 0; i < e->directions; i++) {
        for (int j = i + 1; j < e->directions; j++) {
            const double *x = e->basis + i * width, *y = e->basis + j * width;
            double value = tp_distribution_curvature(d, x, y);
            e->part->residual = fmax(e->part->residual, value);
            if (!(value > e->worst)) continue;
            e->worst = value;
            e->t = d->t;
            memcpy(e->q, d->q, (size_t)d->system->q_count * sizeof(double));
            memcpy(e->x, x, (size_t)width * sizeof(double));
            memcpy(e->y, y, (size_t)width * sizeof(double));
        }
    }
}

/* Condition II of the worst pair of this point: enough, as both are the same function of the pair. */
static void examine_brackets(examination *e, double *bracket, double *across)
{
    const tp_distribution *d = &e->d;
    int width = d->width;
    for (int i = 0; i < e->directions; i++) {
        for (int j = i + 1; j < e->directions; j++) {
            const double *x = e->basis + i * width, *y = e->basis + j * width;
            tp_distribution_bracket(d, x, y, bracket, across);
            double lengths = tp_dense_norm(width, x) * tp_dense_norm(width, y);
            e->part->bracket = fmax(e->part->bracket, tp_dense_norm(d->size, across) / lengths);
        }
    }
}

/* Back to the start, with the rows that are independent there. */
static bool begin(examination *e)
{
    e->d.picked = 0;
    if (!tp_distribution_move(&e->d, 0.0, e->all->model->q0)) return false;
    tp_distribution_pick(&e->d);
    return true;
}

/* A random admissible path; false: it leads nowhere. Where half as many steps lead elsewhere it is too long
   for its steps: paths become shorter then, for good. */
static bool wander(examination *e, double *v, double *t, double *q, double *variation)
{
    tp_holonomy *h = e->all;
    int n = e->d.system->q_count;
    bool is_good = false;
    for (int k = 0; k < SHORTER_PATHS && !is_good; k++, e->reach *= is_good ? 1.0 : 0.5) {
        tp_arena scratch;
        tp_arena_init(&scratch, h->allocator);
        double *coarse = tp_arena_copy(&scratch, q, (size_t)n, sizeof(double)), *fine = NULL, off = 0.0,
               coarse_t = *t, fine_t = *t;
        fine = tp_arena_copy(&scratch, q, (size_t)n, sizeof(double));
        for (int a = 0; a < e->d.width; a++) v[a] = e->reach * tp_draw(&h->random);
        v[0] = fabs(v[0]);
        is_good = coarse != NULL && fine != NULL &&
                  tp_distribution_flow(&e->d, v, PATH_STEPS / 2, &coarse_t, coarse, NULL, &scratch) &&
                  tp_distribution_flow(&e->d, v, PATH_STEPS, &fine_t, fine, NULL, &scratch);
        for (int i = 0; i < n && is_good; i++)
            off = fmax(off, fabs(fine[i] - coarse[i]) / (1.0 + fabs(fine[i])));
        is_good = is_good && off <= path_tolerance;
        if (is_good) is_good = tp_distribution_flow(&e->d, v, PATH_STEPS, t, q, variation, &scratch);
        tp_arena_clear(&scratch);
    }
    return is_good;
}

/* Whether more points would tell anything. */
static bool is_decided(const examination *e)
{
    bool is_large = e->d.width > LARGE_PART;
    return e->directions == 1 || (is_large && (e->is_positional || e->worst > 1e3 * difference_tolerance));
}

static tp_status examine_points(examination *e)
{
    tp_holonomy *h = e->all;
    tp_distribution *d = &e->d;
    int n = d->system->q_count, size = d->size;
    double *v = TP_ARENA_ARRAY(&e->scratch, double, d->width),
           *q = TP_ARENA_ARRAY(&e->scratch, double, n + 1),
           *bracket = TP_ARENA_ARRAY(&e->scratch, double, size),
           *across = TP_ARENA_ARRAY(&e->scratch, double, size);
    TP_TRY(tp_arena_status(&e->scratch));
    for (int k = 0; k < h->options.point_count; k++) {
        double t = 0.0;
        memcpy(q, h->model->q0, (size_t)n * sizeof(double));
        bool is_there = begin(e) && (k == 0 || wander(e, v, &t, q, NULL));
        if (!is_there || !tp_distribution_move(d, t, q)) {
            e->part->singular_count++;
            continue;
        }
        if (tp_distribution_pick(d) > e->part->rank) { /* the points so far were singular */
            e->part->singular_count += e->part->point_count;
            e->part->point_count = 0;
            e->part->residual = e->part->bracket = e->worst = 0.0;
            e->part->rank = d->rank;
        }
        if (d->rank > d->space_rank) e->part->verdict = TP_INCOMPATIBLE;
        TP_TRY(find_basis(e));
        e->part->point_count++;
        e->part->freedom = e->directions - 1;
        if (!e->is_positional || d->width <= LARGE_PART) {
            examine_pairs(e);
            examine_brackets(e, bracket, across);
        }
        if (is_decided(e)) break;
    }
    return TP_OK;
}

/* ---- the integrable part ---- */

/* Adds a direction to an orthonormal list [count * size]; true if it is new. */
static bool add_direction(int size, double *list, int count, double *direction)
{
    double length = tp_dense_norm(size, direction);
    if (!(length > 0.0)) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count; k++) {
            double dot = tp_dense_dot(size, list + k * size, direction);
            for (int i = 0; i < size; i++) direction[i] -= dot * list[k * size + i];
        }
    }
    double rest = tp_dense_norm(size, direction);
    if (!(rest > span_tolerance * length)) return false;
    for (int i = 0; i < size; i++) list[count * size + i] = direction[i] / rest;
    return true;
}

/* The admissible directions at the present point, carried back by the variation, join the list; (11). */
static tp_status add_carried(examination *e, const double *variation, double *lu, int *pivot, double *list,
                             int *count)
{
    const tp_distribution *d = &e->d;
    int size = d->size;
    double *carried = lu + size * size;
    memcpy(lu, variation, (size_t)(size * size) * sizeof(double));
    if (tp_dense_lu(size, lu, size, pivot, 0.0) != TP_OK) return TP_OK;
    TP_TRY(find_basis(e));
    for (int k = 0; k < e->directions && *count < size; k++) {
        tp_distribution_lift(d, e->basis + k * d->width, carried);
        tp_dense_lu_solve(size, lu, size, pivot, carried);
        *count += add_direction(size, list, *count, carried);
    }
    return TP_OK;
}

/* Row operations that leave as few entries as there can be: the largest entry of each row is its pivot. */
static void tidy(int size, int count, double *rows)
{
    for (int k = 0; k < count; k++) {
        double *own = rows + k * size;
        int pivot = 0;
        for (int i = 0; i < size; i++)
            if (fabs(own[i]) > (1.0 + 1e-6) * fabs(own[pivot])) pivot = i;
        double factor = own[pivot];
        for (int i = 0; i < size; i++) own[i] /= factor;
        for (int j = 0; j < count; j++) {
            double share = rows[j * size + pivot];
            for (int i = 0; i < size && j != k; i++) rows[j * size + i] -= share * own[i];
        }
    }
    for (int e = 0; e < size * count; e++)
        if (fabs(rows[e]) < span_tolerance) rows[e] = 0.0;
}

/* A direction of the part over the whole frame of the model, out of units or (`is_row`) as a row over rates.
 */
static double *whole(examination *e, const double *direction, bool is_row)
{
    tp_holonomy *h = e->all;
    const tp_distribution *d = &e->d;
    double *out = TP_ARENA_ARRAY(&h->arena, double, h->frame_count);
    if (out == NULL) return NULL;
    int shift = h->frame_count - 1 - h->system->u_count; /* own velocities fewer than coordinates */
    for (int i = 0; i < d->size; i++) {
        int place = i;
        if (i > d->general) place = 1 + shift + d->velocity[i - 1 - (d->size - d->width)];
        out[place] = is_row ? direction[i] / d->unit[i] : direction[i] * d->unit[i];
    }
    return out;
}

static tp_status keep_integrable(examination *e, const double *list, int count)
{
    tp_holonomy *h = e->all;
    int size = e->d.size, frame = h->frame_count;
    double *copy = TP_ARENA_ARRAY(&e->scratch, double, size *size),
           *kernel = TP_ARENA_ARRAY(&e->scratch, double, size *size),
           *kept = TP_ARENA_ARRAY(&h->arena, double, (size - count) * frame + 1);
    TP_TRY(tp_arena_status(&e->scratch));
    TP_TRY(tp_arena_status(&h->arena));
    e->part->integrable_count = size - count;
    e->part->integrable = kept;
    if (size == count) return TP_OK;
    for (int k = 0; k < count * size; k++) copy[k / size + count * (k % size)] = list[k];
    int dimension;
    TP_TRY(tp_analysis_null_space(h->allocator, count, size, copy, 1e-10, kernel, &dimension));
    for (int k = 0; k < dimension; k++) {
        double *row = whole(e, kernel + k * size, true);
        if (row == NULL) return TP_OUT_OF_MEMORY;
        memcpy(kept + k * frame, row, (size_t)frame * sizeof(double));
    }
    tidy(frame, dimension, kept);
    return TP_OK;
}

/* Which points can be reached: admissible directions elsewhere, carried back along paths, span the tangent
   space of the set of points that can be reached; what they leave is integrable. */
static tp_status find_integrable(examination *e)
{
    tp_holonomy *h = e->all;
    tp_distribution *d = &e->d;
    int n = d->system->q_count, size = d->size, count = 0;
    double *list = TP_ARENA_ARRAY(&e->scratch, double, size *size),
           *lu = TP_ARENA_ARRAY(&e->scratch, double, size *size + size),
           *variation = TP_ARENA_ARRAY(&e->scratch, double, size *size),
           *v = TP_ARENA_ARRAY(&e->scratch, double, d->width),
           *q = TP_ARENA_ARRAY(&e->scratch, double, n + 1);
    int *pivot = TP_ARENA_ARRAY(&e->scratch, int, size);
    TP_TRY(tp_arena_status(&e->scratch));
    int idle = 0;
    int most = e->part->verdict == TP_HOLONOMIC ? 1 : INT_MAX; /* nothing else can be reached */
    for (int path = 0; path < most && idle < IDLE_PATHS && count < size; path++) {
        double t = 0.0;
        int before = count;
        memcpy(q, h->model->q0, (size_t)n * sizeof(double));
        memset(variation, 0, (size_t)(size * size) * sizeof(double));
        for (int i = 0; i < size; i++) variation[i + size * i] = 1.0;
        bool is_good = begin(e);
        for (int leg = 0; leg < (path == 0 ? 0 : PATH_LEGS) && is_good; leg++)
            is_good = wander(e, v, &t, q, variation);
        if (is_good && tp_distribution_move(d, t, q) && d->rank == e->part->rank)
            TP_TRY(add_carried(e, variation, lu, pivot, list, &count));
        idle = path > 0 && count == before ? idle + 1 : 0;
    }
    return keep_integrable(e, list, count);
}

/* ---- the witness ---- */

/* Over (time, velocities) of the model. */
static double *whole_columns(examination *e, const double *x)
{
    const tp_distribution *d = &e->d;
    double *out = TP_ARENA_ARRAY(&e->all->arena, double, 1 + d->system->u_count);
    if (out == NULL) return NULL;
    out[0] = x[0];
    for (int a = 1; a < d->width; a++) {
        bool is_own = d->is_own && d->velocity[a - 1] < d->system->general_u;
        out[1 + d->velocity[a - 1]] = x[a] * (is_own ? 1.0 : d->unit[a + d->size - d->width]);
    }
    return out;
}

/* By how much q misses q0: of turning bodies the rotation vector in the body. */
static double *offset_of(examination *e, double t, const double *q)
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
static tp_status find_plain_pair(examination *e, double tolerance)
{
    tp_distribution *d = &e->d;
    int width = d->width;
    if (!begin(e) || d->rank < e->part->rank) return TP_OK;
    TP_TRY(find_basis(e));
    tidy(width, e->directions - 1, e->basis + width);
    e->worst = fmax(tolerance, 1e-3 * e->worst);
    examine_pairs(e);
    return TP_OK;
}

static tp_status find_witness(examination *e)
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
        for (int a = 0; a < width; a++) v[a] = (leg < 2 ? witness_leg : -witness_leg) * along[a];
        tp_distribution_flow(d, v, WITNESS_STEPS, &t, q, NULL, &e->scratch);
    }
    e->part->witness = (tp_holonomy_witness){
        .time = e->t,
        .q = tp_arena_copy(&h->arena, e->q, (size_t)n, sizeof(double)),
        .first = whole_columns(e, e->x),
        .second = whole_columns(e, e->y),
        .bracket = whole(e, across, false),
        .leg = witness_leg,
        .offset = offset_of(e, t, q),
    };
    return tp_arena_status(&h->arena);
}

/* ---- parts ---- */

static tp_status examine(examination *e, const tp_part_of *list)
{
    tp_holonomy *h = e->all;
    tp_holonomy_part *part = e->part;
    TP_TRY(tp_distribution_create(h->allocator, &e->scratch, h->system, list->laws, list->law_count,
                                  list->velocities, list->velocity_count, &e->d));
    size_t width = (size_t)e->d.width;
    e->basis = TP_ARENA_ARRAY(&e->scratch, double, width *width);
    e->x = TP_ARENA_ARRAY(&e->scratch, double, width);
    e->y = TP_ARENA_ARRAY(&e->scratch, double, width);
    e->q = TP_ARENA_ARRAY(&e->scratch, double, h->system->q_count + 1);
    TP_TRY(tp_arena_status(&e->scratch));
    part->velocity_count = list->velocity_count;
    part->row_count = e->d.row_count;
    part->rate_count = e->d.size - e->d.width;
    e->is_positional = part->rate_count == 0;
    for (int k = 0; k < list->law_count; k++) {
        const tp_law *law = tp_system_law(h->system, list->laws[k].law);
        bool is_contact = law->source == TP_SOURCE_FORMULA || law->source == TP_SOURCE_PAIR;
        e->is_positional = e->is_positional && law->level != TP_LEVEL_VELOCITY &&
                           (list->laws[k].row_count == 1 || !is_contact);
    }
    TP_TRY(examine_points(e));
    part->is_exact = e->d.is_exact;
    double tolerance = h->options.tolerance > 0.0 ? h->options.tolerance
                       : part->is_exact           ? exact_tolerance
                                                  : difference_tolerance;
    part->integrable_count = -1;
    if (part->verdict == TP_INCOMPATIBLE || part->point_count == 0) return TP_OK;
    if (part->residual > tolerance) {
        part->verdict = TP_NONHOLONOMIC;
        TP_TRY(find_plain_pair(e, tolerance));
        TP_TRY(find_witness(e));
    }
    if (e->d.size > TP_HOLONOMY_LARGEST) return TP_OK;
    /* Of nonholonomic constraints at least one is not integrable: where paths were too short to tell (lengths
       in millimetres) they become longer. */
    for (int k = 0; k < LONGER_PATHS; k++, e->reach *= 10.0) {
        TP_TRY(find_integrable(e));
        if (part->verdict == TP_HOLONOMIC || part->integrable_count < part->rank + part->rate_count) break;
    }
    return TP_OK;
}

static tp_status name_laws(tp_holonomy *h, const tp_part_of *list, tp_holonomy_part *part)
{
    const char **names = TP_ARENA_ARRAY(&h->arena, const char *, list->law_count + 1);
    if (names == NULL) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < list->law_count; k++) {
        char name[TP_CONTACT_NAME];
        tp_system_law_name(h->system, list->laws[k].law, name, sizeof name);
        names[k] = tp_arena_copy(&h->arena, name, strlen(name) + 1, 1);
    }
    part->laws = names;
    part->law_count = list->law_count;
    return tp_arena_status(&h->arena);
}

static tp_status name_frame(tp_holonomy *h)
{
    const tp_model *model = h->model;
    int general = model->coordinates.count, own = tp_model_general_velocity_count(model);
    h->frame_count = 1 + general + h->system->u_count - own;
    h->frame_names = TP_ARENA_ARRAY(&h->arena, const char *, h->frame_count);
    if (h->frame_names == NULL) return TP_OUT_OF_MEMORY;
    h->frame_names[0] = "time";
    for (int i = 0; i < general; i++) {
        const char *name = tp_model_coordinate_name(model, i);
        size_t length = strlen(name) + 2;
        char *rate = TP_ARENA_ARRAY(&h->arena, char, length);
        if (rate == NULL) return TP_OUT_OF_MEMORY;
        snprintf(rate, length, "%s'", name);
        h->frame_names[1 + i] = rate;
    }
    for (int j = own; j < h->system->u_count; j++)
        h->frame_names[1 + general + j - own] = tp_model_velocity_name(model, j);
    return TP_OK;
}

static tp_status examine_all(tp_holonomy *h)
{
    tp_parts_of parts;
    tp_arena scratch;
    tp_arena_init(&scratch, h->allocator);
    tp_status status =
        tp_parts_find(&scratch, h->system, h->options.with_contacts, h->options.contact_tolerance, &parts);
    if (status == TP_OK) h->parts = TP_ARENA_ARRAY(&h->arena, tp_holonomy_part, parts.count + 1);
    if (status == TP_OK && h->parts == NULL) status = TP_OUT_OF_MEMORY;
    for (int k = 0; k < parts.count && status == TP_OK; k++) {
        examination e = {.all = h, .part = &h->parts[k], .reach = h->options.reach};
        h->part_count = k + 1;
        h->random = h->options.seed;
        tp_arena_init(&e.scratch, h->allocator);
        status = name_laws(h, &parts.list[k], e.part);
        if (status == TP_OK) status = examine(&e, &parts.list[k]);
        tp_arena_clear(&e.scratch);
    }
    tp_arena_clear(&scratch);
    return status;
}

tp_status tp_holonomy_create(const tp_allocator *allocator, const tp_model *model,
                             const tp_holonomy_options *options, tp_holonomy **holonomy_out)
{
    *holonomy_out = NULL;
    tp_holonomy_options chosen = options != NULL ? *options : tp_holonomy_options_default();
    if (model == NULL || !model->is_finished || chosen.point_count < 1 || !(chosen.reach >= 0.0))
        return TP_INVALID_ARGUMENT;
    tp_arena arena;
    tp_arena_init(&arena, allocator);
    tp_holonomy *h = TP_ARENA_ARRAY(&arena, tp_holonomy, 1);
    if (h == NULL) return TP_OUT_OF_MEMORY;
    h->arena = arena;
    h->allocator = allocator;
    h->model = model;
    h->options = chosen;
    tp_status status = tp_system_create(allocator, model, &h->system);
    if (status == TP_OK) status = name_frame(h);
    if (status == TP_OK) status = examine_all(h);
    if (status == TP_OK) {
        *holonomy_out = h;
    } else {
        tp_holonomy_free(h);
    }
    return status;
}

void tp_holonomy_free(tp_holonomy *holonomy)
{
    if (holonomy == NULL) return;
    tp_system_free(holonomy->system);
    tp_arena arena = holonomy->arena; /* holds the object itself */
    tp_arena_clear(&arena);
}

tp_holonomy_verdict tp_holonomy_verdict_of(const tp_holonomy *holonomy)
{
    tp_holonomy_verdict worst = TP_HOLONOMIC;
    for (int k = 0; k < holonomy->part_count; k++) {
        if (holonomy->parts[k].verdict > worst) worst = holonomy->parts[k].verdict;
    }
    return worst;
}

int tp_holonomy_part_count(const tp_holonomy *holonomy)
{
    return holonomy->part_count;
}

const tp_holonomy_part *tp_holonomy_part_at(const tp_holonomy *holonomy, int part)
{
    return part >= 0 && part < holonomy->part_count ? &holonomy->parts[part] : NULL;
}

int tp_holonomy_frame_count(const tp_holonomy *holonomy)
{
    return holonomy->frame_count;
}

const char *tp_holonomy_frame_name(const tp_holonomy *holonomy, int i)
{
    return i >= 0 && i < holonomy->frame_count ? holonomy->frame_names[i] : NULL;
}
