/* Can a state go on under unilateral constraints? docs/theory/holonomy.md (18)-(20). */
#include "tippe/analysis.h"

#include "math/dense.h"
#include "math/sparse.h"
#include "nonnegative.h"
#include "system/system.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

typedef struct search {
    const tp_allocator *allocator;
    tp_arena *arena; /* of the result */
    tp_arena scratch;
    tp_system *system;
    double tolerance;
    int m, bilateral, count; /* rows of constraints; contacts and one-way laws */
    tp_viability_contact *contacts;
    double *rows, *chi; /* [(bilateral + count) * m] row by row; bilateral first     */
    int *active;        /* contacts that are, by number                               */
    int active_count;
    double *W;
    tp_viability *out;
} search;

static bool is_one_sided(const tp_law *law)
{
    return law->level == TP_LEVEL_GAP || law->set.kind == TP_SET_ORTHANT;
}

/* Row k of a law as row `at` of the whole. */
static void put_row(search *s, int law, int k, int at)
{
    const int *columns, count = tp_system_columns_of(s->system, law, &columns);
    for (int c = 0; c < count; c++) s->rows[at * s->m + columns[c]] = s->W[k * count + c];
}

/* All rows: of constraints, then the first of each contact. */
static void fill_rows(search *s)
{
    tp_system *system = s->system;
    int bilateral = 0;
    for (int law = 0; law < system->law_count; law++) {
        const tp_law *own = tp_system_law(system, law);
        double chi[TP_LAW_ROWS], g[TP_LAW_ROWS];
        if (own->set.kind != TP_SET_FREE) continue;
        tp_system_law_rows(system, law, s->W, chi);
        tp_system_law_positions(system, law, g);
        for (int k = 0; k < own->row_count; k++, bilateral++) {
            put_row(s, law, k, bilateral);
            s->chi[bilateral] = chi[k];
            double size = tp_law_is_angle(own, k) ? 1.0 : system->model->summary.size;
            if (fabs(g[k]) > s->tolerance * size) s->out->is_inside = false;
        }
    }
}

static tp_status examine_contacts(search *s)
{
    tp_system *system = s->system;
    int at = 0;
    for (int law = 0; law < system->law_count; law++) {
        const tp_law *own = tp_system_law(system, law);
        if (!is_one_sided(own)) continue;
        double chi[TP_LAW_ROWS], size = tp_law_is_angle(own, 0) ? 1.0 : system->model->summary.size;
        char name[TP_CONTACT_NAME];
        tp_viability_contact *contact = &s->contacts[at];
        tp_system_law_name(system, law, name, sizeof name);
        tp_system_law_rows(system, law, s->W, chi);
        put_row(s, law, 0, s->bilateral + at);
        s->chi[s->bilateral + at] = chi[0];
        *contact = (tp_viability_contact){
            .name = tp_arena_copy(s->arena, name, strlen(name) + 1, 1),
            .unit = tp_law_unit(own, 0, TP_LAW_POSITION),
            .gap = tp_system_law_position(system, law),
            .rate = tp_dense_dot(s->m, s->rows + (s->bilateral + at) * s->m, system->u) + chi[0],
        };
        bool is_gap = !isnan(contact->gap);
        contact->is_active = !is_gap || contact->gap <= s->tolerance * size;
        contact->is_forward = !contact->is_active || contact->rate >= -s->tolerance * size;
        contact->is_backward = !contact->is_active || contact->rate <= s->tolerance * size || !is_gap;
        s->out->is_inside = s->out->is_inside && (!is_gap || contact->gap >= -s->tolerance * size);
        s->out->is_forward = s->out->is_forward && contact->is_forward;
        s->out->is_backward = s->out->is_backward && contact->is_backward;
        if (contact->is_active) s->active[s->active_count++] = at;
        at++;
    }
    return tp_arena_status(s->arena);
}

/* ---- the cone of admissible velocities ---- */

/* Row r of the problem (constraints, then active contacts) divided by its length. */
static double *row_of(search *s, int r, double *chi_out)
{
    int at = r < s->bilateral ? r : s->bilateral + s->active[r - s->bilateral];
    *chi_out = s->chi[at];
    return s->rows + at * s->m;
}

/* Farkas: no u has W^T u + chi >= 0 iff some lambda >= 0 (of constraints any) has W lambda = 0 and
   chi.lambda < 0. Searched as the least |W lambda|^2 + |chi.lambda + 1|^2: zero if there is one; (19). */
static tp_status find_proof(search *s, double target, const double *last, double *lambda, double *left)
{
    int rows = s->m + 1, cols = s->bilateral + s->active_count;
    double *A = TP_ARENA_ARRAY(&s->scratch, double, rows *cols + 1),
           *b = TP_ARENA_ARRAY(&s->scratch, double, rows),
           *residual = TP_ARENA_ARRAY(&s->scratch, double, rows);
    TP_TRY(tp_arena_status(&s->scratch));
    for (int r = 0; r < cols; r++) {
        double chi, *row = row_of(s, r, &chi);
        memcpy(A + r * rows, row, (size_t)s->m * sizeof(double));
        A[r * rows + s->m] = last != NULL ? last[r] : chi;
    }
    b[s->m] = target;
    TP_TRY(tp_nonnegative_solve(s->allocator, rows, cols, s->bilateral, A, b, lambda, residual));
    *left = tp_dense_norm(rows, residual);
    return TP_OK;
}

static tp_status find_possible(search *s, double *lambda)
{
    double left, size = 0.0;
    s->out->is_possible = true;
    for (int r = 0; r < s->bilateral + s->active_count; r++) {
        double chi;
        row_of(s, r, &chi);
        size = fmax(size, fabs(chi));
    }
    if (!(size > s->tolerance * s->system->model->summary.size)) return TP_OK; /* u = 0 is one */
    TP_TRY(find_proof(s, -1.0, NULL, lambda, &left));
    s->out->is_possible = left > tp_no_motion;
    for (int k = 0; k < s->active_count && !s->out->is_possible; k++)
        s->contacts[s->active[k]].share = lambda[s->bilateral + k];
    return TP_OK;
}

/* A contact is locked if it takes part in a positive combination of rows that vanishes: it can then neither
   open. Asked for each active contact: least |W lambda|^2 + |lambda_k - 1|^2. */
static tp_status count_locked(search *s, double *lambda, double *unit)
{
    for (int k = 0; k < s->active_count; k++) {
        double left;
        memset(unit, 0, (size_t)(s->bilateral + s->active_count) * sizeof(double));
        unit[s->bilateral + k] = 1.0;
        TP_TRY(find_proof(s, 1.0, unit, lambda, &left));
        s->out->locked_count += left <= tp_no_motion;
    }
    return TP_OK;
}

/* The nearest admissible velocity in the metric of M = L L^T: with v = L^T u the nearest point of a cone
   moved by chi, by its dual; (20). */
static tp_status find_velocity(search *s, double *lambda)
{
    tp_system *system = s->system;
    int m = s->m, cols = s->bilateral + s->active_count, rows = m + 1;
    double *M = TP_ARENA_ARRAY(&s->scratch, double, m *m + 1),
           *values = TP_ARENA_ARRAY(&s->scratch, double, tp_sparse_count(&system->mass_pattern) + 1),
           *A = TP_ARENA_ARRAY(&s->scratch, double, rows *cols + 1),
           *b = TP_ARENA_ARRAY(&s->scratch, double, rows),
           *residual = TP_ARENA_ARRAY(&s->scratch, double, rows),
           *u = TP_ARENA_ARRAY(s->arena, double, m + 1);
    TP_TRY(tp_arena_status(&s->scratch));
    TP_TRY(tp_arena_status(s->arena));
    tp_system_mass(system, values);
    tp_pattern_to_dense(&system->mass_pattern, values, M);
    TP_TRY(tp_dense_cholesky(m, M, m, 0.0));
    /* columns L^-1 w, and below them what the present velocity lacks: least distance programming */
    for (int r = 0; r < cols; r++) {
        double chi, *row = row_of(s, r, &chi), *column = A + r * rows;
        for (int i = 0; i < m; i++) {
            column[i] = row[i];
            for (int k = 0; k < i; k++) column[i] -= M[i + m * k] * column[k];
            column[i] /= M[i + m * i];
        }
        column[m] = -(tp_dense_dot(m, row, system->u) + chi);
    }
    b[m] = 1.0;
    TP_TRY(tp_nonnegative_solve(s->allocator, rows, cols, s->bilateral, A, b, lambda, residual));
    memcpy(u, system->u, (size_t)m * sizeof(double));
    double scale = residual[m];
    bool moves = scale > tp_no_gain;
    for (int i = m - 1; i >= 0 && moves; i--) { /* u += L^-T (-residual/scale) */
        double change = -residual[i] / scale;
        for (int k = i + 1; k < m; k++) change -= M[k + m * i] * b[k];
        b[i] = change / M[i + m * i];
        u[i] += b[i];
    }
    for (int k = 0; k < s->active_count && moves; k++)
        s->contacts[s->active[k]].share = lambda[s->bilateral + k] / scale;
    s->out->velocity = u;
    return TP_OK;
}

/* ---- the whole ---- */

static tp_status take_memory(search *s)
{
    tp_system *system = s->system;
    s->m = system->u_count;
    for (int law = 0; law < system->law_count; law++) {
        const tp_law *own = tp_system_law(system, law);
        if (own->set.kind == TP_SET_FREE) s->bilateral += own->row_count;
        s->count += is_one_sided(own);
    }
    s->contacts = TP_ARENA_ARRAY(s->arena, tp_viability_contact, s->count + 1);
    s->rows = TP_ARENA_ARRAY(&s->scratch, double, (s->bilateral + s->count + 1) * s->m);
    s->chi = TP_ARENA_ARRAY(&s->scratch, double, s->bilateral + s->count + 1);
    s->active = TP_ARENA_ARRAY(&s->scratch, int, s->count + 1);
    s->W = TP_ARENA_ARRAY(&s->scratch, double, TP_LAW_ROWS *(s->m + 1));
    TP_TRY(tp_arena_status(s->arena));
    return tp_arena_status(&s->scratch);
}

static tp_status find(search *s)
{
    TP_TRY(take_memory(s));
    double *lambda = TP_ARENA_ARRAY(&s->scratch, double, s->bilateral + s->count + 1),
           *unit = TP_ARENA_ARRAY(&s->scratch, double, s->bilateral + s->count + 1);
    TP_TRY(tp_arena_status(&s->scratch));
    s->out->is_inside = s->out->is_forward = s->out->is_backward = true;
    fill_rows(s);
    TP_TRY(examine_contacts(s));
    s->out->contacts = s->contacts;
    s->out->contact_count = s->count;
    TP_TRY(find_possible(s, lambda));
    TP_TRY(count_locked(s, lambda, unit));
    return s->out->is_possible ? find_velocity(s, lambda) : TP_OK;
}

tp_status tp_viability_find(const tp_allocator *allocator, const tp_model *model, double t, const double *q,
                            const double *u, double tolerance, tp_viability *out)
{
    *out = (tp_viability){0};
    if (model == NULL || !model->is_finished || !(tolerance >= 0.0)) return TP_INVALID_ARGUMENT;
    tp_arena arena = tp_arena_make(allocator);
    tp_arena *kept = TP_ARENA_ARRAY(&arena, tp_arena, 1);
    if (kept == NULL) return TP_OUT_OF_MEMORY;
    *kept = arena;
    out->memory = kept;
    search s = {.allocator = allocator, .arena = kept, .tolerance = tolerance, .out = out};
    tp_arena_init(&s.scratch, allocator);
    tp_contact_reach reach = {.margin = model->summary.size};
    bool changed;
    tp_status status = tp_system_create(allocator, model, &s.system);
    if (status == TP_OK) {
        tp_system_move(s.system, t, q != NULL ? q : model->q0, u != NULL ? u : model->u0);
        status = tp_system_find_contacts(s.system, &reach, NULL, &changed);
    }
    if (status == TP_OK) {
        tp_system_move(s.system, t, q != NULL ? q : model->q0, u != NULL ? u : model->u0);
        status = find(&s);
    }
    tp_system_free(s.system);
    tp_arena_clear(&s.scratch);
    if (status != TP_OK) tp_viability_free(out);
    return status;
}

void tp_viability_free(tp_viability *viability)
{
    if (viability == NULL || viability->memory == NULL) return;
    tp_arena arena = *(tp_arena *)viability->memory; /* holds itself */
    tp_arena_clear(&arena);
    *viability = (tp_viability){0};
}
