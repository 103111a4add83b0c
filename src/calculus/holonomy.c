/* Are the constraints of a model holonomic? docs/theory/holonomy.md. */
#include "draw.h"
#include "examination.h"
#include "math/analysis.h"
#include "math/dense.h"
#include "parts_of.h"
#include "tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Steps of a path, and how often it becomes longer or shorter. */
enum { PATH_STEPS = 24, LONGER_PATHS = 5, SHORTER_PATHS = 8 };

/* Constraints on positions alone are gradients: with more velocities than these that is not computed. With
   more constraints on velocities the first point with a clear answer decides. */
enum { LARGE_PART = 40 };

TP_DEFAULT(tp_holonomy_options, tp_holonomy_options_default, .point_count = 10, .reach = 0.4,
           .contact_tolerance = 1e-6, .seed = 1)

const char *tp_holonomy_verdict_name(tp_holonomy_verdict verdict)
{
    static const char *const names[] = {[TP_HOLONOMIC] = "holonomic",
                                        [TP_NOT_EXAMINED] = "not examined",
                                        [TP_NONHOLONOMIC] = "nonholonomic",
                                        [TP_INCOMPATIBLE] = "incompatible"};
    return verdict >= 0 && verdict <= TP_INCOMPATIBLE ? names[verdict] : "unknown";
}

/* ---- one point ---- */

/* B_0 = (1, beta) with the smallest beta, and an orthonormal basis of the velocities with W^T u = 0; (6). */
tp_status tp_examination_basis(tp_examination *e)
{
    const tp_distribution *d = &e->d;
    int m = d->width - 1, rows = d->rank, width = d->width, free_count = m, rank;
    tp_arena arena = tp_arena_make(d->allocator);
    double *W = TP_ARENA_ARRAY(&arena, double, rows *m + 1), *chi = TP_ARENA_ARRAY(&arena, double, rows + 1),
           *kernel = TP_ARENA_ARRAY(&arena, double, m *m + 1), *beta = TP_ARENA_ARRAY(&arena, double, m + 1);
    tp_status status = tp_arena_status(&arena);
    for (int r = 0; r < rows && status == TP_OK; r++) {
        const double *row = d->A + d->pick[r] * width;
        chi[r] = -row[0];
        for (int a = 0; a < m; a++) W[r + rows * a] = row[1 + a];
    }
    if (rows > 0 && m > 0 && status == TP_OK) {
        status = tp_analysis_null_space(d->allocator, rows, m, W, tp_null_space, kernel, &free_count);
        if (status == TP_OK)
            status = tp_analysis_least_squares(d->allocator, rows, m, W, chi, tp_null_space, beta, &rank);
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
void tp_examination_pairs(tp_examination *e)
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
static void examine_brackets(tp_examination *e, double *bracket, double *across)
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
bool tp_examination_begin(tp_examination *e)
{
    e->d.picked = 0;
    if (!tp_distribution_move(&e->d, 0.0, e->all->model->q0)) return false;
    tp_distribution_pick(&e->d);
    return true;
}

/* A random admissible path; false: it leads nowhere. Where half as many steps lead elsewhere it is too long
   for its steps: paths become shorter then, for good. */
bool tp_examination_wander(tp_examination *e, double *v, double *t, double *q, double *variation)
{
    tp_holonomy *h = e->all;
    int n = e->d.system->q_count;
    bool is_good = false;
    for (int k = 0; k < SHORTER_PATHS && !is_good; k++, e->reach *= is_good ? 1.0 : 0.5) {
        tp_arena scratch = tp_arena_make(h->allocator);
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
        is_good = is_good && off <= tp_path_error;
        if (is_good) is_good = tp_distribution_flow(&e->d, v, PATH_STEPS, t, q, variation, &scratch);
        tp_arena_clear(&scratch);
    }
    return is_good;
}

/* Whether more points would tell anything. */
static bool is_decided(const tp_examination *e)
{
    bool is_large = e->d.width > LARGE_PART;
    return e->directions == 1 || (is_large && (e->is_positional || e->worst > 1e3 * tp_difference_condition));
}

static tp_status examine_points(tp_examination *e)
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
        bool is_there = tp_examination_begin(e) && (k == 0 || tp_examination_wander(e, v, &t, q, NULL));
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
        TP_TRY(tp_examination_basis(e));
        e->part->point_count++;
        e->part->freedom = e->directions - 1;
        if (!e->is_positional || d->width <= LARGE_PART) {
            tp_examination_pairs(e);
            examine_brackets(e, bracket, across);
        }
        if (is_decided(e)) break;
    }
    return TP_OK;
}

/* ---- parts ---- */

/* Constraints on positions are holonomic by what they are. */
static bool are_positional(const tp_system *system, const tp_part_of *list, int *row_count_out)
{
    bool is_positional = true;
    *row_count_out = 0;
    for (int k = 0; k < list->law_count; k++) {
        const tp_law *law = tp_system_law(system, list->laws[k].law);
        bool is_contact = law->source == TP_SOURCE_FORMULA || law->source == TP_SOURCE_PAIR;
        *row_count_out += list->laws[k].row_count;
        is_positional =
            is_positional && law->level != TP_LEVEL_VELOCITY && (list->laws[k].row_count == 1 || !is_contact);
    }
    return is_positional;
}

static tp_status examine(tp_examination *e, const tp_part_of *list)
{
    tp_holonomy *h = e->all;
    tp_holonomy_part *part = e->part;
    e->is_positional = are_positional(h->system, list, &part->row_count);
    part->velocity_count = list->velocity_count;
    if (list->velocity_count > TP_HOLONOMY_MOST) {
        part->verdict = e->is_positional ? TP_HOLONOMIC : TP_NOT_EXAMINED;
        part->rank = part->integrable_count = -1;
        return TP_OK;
    }
    TP_TRY(tp_distribution_create(h->allocator, &e->scratch, h->system, list->laws, list->law_count,
                                  list->velocities, list->velocity_count, &e->d));
    size_t width = (size_t)e->d.width;
    e->basis = TP_ARENA_ARRAY(&e->scratch, double, width *width);
    TP_ARENA_DOUBLES(&e->scratch, width, &e->x, &e->y);
    e->q = TP_ARENA_ARRAY(&e->scratch, double, h->system->q_count + 1);
    TP_TRY(tp_arena_status(&e->scratch));
    part->rate_count = e->d.size - e->d.width;
    e->is_positional = e->is_positional && part->rate_count == 0;
    TP_TRY(examine_points(e));
    part->is_exact = e->d.is_exact;
    double tolerance = h->options.tolerance > 0.0 ? h->options.tolerance
                       : part->is_exact           ? tp_exact_condition
                                                  : tp_difference_condition;
    part->integrable_count = -1;
    if (part->verdict == TP_INCOMPATIBLE || part->point_count == 0) return TP_OK;
    if (part->residual > tolerance) {
        part->verdict = TP_NONHOLONOMIC;
        TP_TRY(tp_examination_plain_pair(e, tolerance));
        TP_TRY(tp_examination_witness(e));
    }
    if (e->d.size > TP_HOLONOMY_LARGEST) return TP_OK;
    /* At least one of the nonholonomic constraints is not integrable: where paths were too short to tell
       (lengths in millimetres) they become longer. */
    for (int k = 0; k < LONGER_PATHS; k++, e->reach *= 10.0) {
        TP_TRY(tp_examination_integrable(e));
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
    tp_arena scratch = tp_arena_make(h->allocator);
    tp_status status =
        tp_parts_find(&scratch, h->system, h->options.with_contacts, h->options.contact_tolerance, &parts);
    if (status == TP_OK) h->parts = TP_ARENA_ARRAY(&h->arena, tp_holonomy_part, parts.count + 1);
    if (status == TP_OK && h->parts == NULL) status = TP_OUT_OF_MEMORY;
    for (int k = 0; k < parts.count && status == TP_OK; k++) {
        tp_examination e = {.all = h, .part = &h->parts[k], .reach = h->options.reach};
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
    tp_holonomy *h = TP_ARENA_OBJECT(tp_holonomy, allocator);
    if (h == NULL) return TP_OUT_OF_MEMORY;
    h->allocator = allocator;
    h->model = model;
    h->options = chosen;
    tp_status status = tp_system_create(allocator, model, &h->system);
    if (status == TP_OK) status = name_frame(h);
    if (status == TP_OK) status = examine_all(h);
    if (status != TP_OK) tp_holonomy_free(h);
    *holonomy_out = status == TP_OK ? h : NULL;
    return status;
}

void tp_holonomy_free(tp_holonomy *holonomy)
{
    if (holonomy == NULL) return;
    tp_system_free(holonomy->system);
    tp_arena_clear(&holonomy->arena);
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
