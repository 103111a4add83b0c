/* Bilateral constraints taken together. */
#include "constraints.h"

#include "base/sort.h"
#include "math/analysis.h"
#include "math/factor.h"
#include "math/sparse.h"

#include <math.h>
#include <string.h>

enum {
    DENSE_ROWS = 300, /* above, singular values would take too long */
    PROJECTION_STEPS = 50,
    REFINEMENTS = 60
};

/* Added to the unit diagonal of A^T A: dependent rows get this pivot, and projections converge by repeating.
 */
static const double shift = 1e-10;

/* Pivots below this count as zero: the square of a length of a row that is left beside the others. */
static const double small_pivot = 1e-8;

static const double position_goal = 1e-15;

struct tp_constraints {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_system *system;
    int law_count, row_count;
    int *law, *first;  /* [law_count + 1] laws that are constraints, their first rows */
    tp_sparse A;       /* u_count x row_count: rows of the constraints as columns     */
    tp_sparse At;      /* transposed: the pattern is used                             */
    tp_sparse S;       /* A^T A + shift, rows scaled to unit length                   */
    tp_factor *factor; /* of S; NULL until it is needed                               */
    double *g, *gamma, *chi, *length, *lambda, *x; /* by row; x by velocity */
};

static int constraint_rows(const tp_constraints *c, int i)
{
    return c->first[i + 1] - c->first[i];
}

static tp_status list_laws(tp_constraints *c)
{
    const tp_list *laws = &c->system->model->laws;
    c->law = TP_ARENA_ARRAY(&c->arena, int, laws->count + 1);
    c->first = TP_ARENA_ARRAY(&c->arena, int, laws->count + 1);
    if (c->law == NULL || c->first == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < laws->count; i++) {
        const tp_law *law = TP_LIST_AT(*laws, tp_law, i);
        if (law->set.kind != TP_SET_FREE) continue;
        c->law[c->law_count++] = i;
        c->row_count += law->row_count;
        c->first[c->law_count] = c->row_count;
    }
    return TP_OK;
}

static tp_status take_memory(tp_constraints *c)
{
    size_t rows = (size_t)c->row_count, m = (size_t)c->system->u_count, entries = 0;
    for (int i = 0; i < c->law_count; i++)
        entries += (size_t)constraint_rows(c, i) * (size_t)tp_system_law_column_count(c->system, c->law[i]);
    c->A = (tp_sparse){(int)m, (int)rows, TP_ARENA_ARRAY(&c->arena, int, rows + 1),
                       TP_ARENA_ARRAY(&c->arena, int, entries), TP_ARENA_ARRAY(&c->arena, double, entries)};
    if (c->A.start == NULL || c->A.index == NULL || c->A.value == NULL) return TP_OUT_OF_MEMORY;
    double **arrays[] = {&c->g, &c->gamma, &c->chi, &c->length, &c->lambda, &c->x};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k] = TP_ARENA_ARRAY(&c->arena, double, k < 5 ? rows : m);
        if (*arrays[k] == NULL) return TP_OUT_OF_MEMORY;
    }
    for (int i = 0; i < c->law_count; i++) {
        int count = tp_system_law_column_count(c->system, c->law[i]);
        for (int r = c->first[i]; r < c->first[i + 1]; r++) {
            memcpy(c->A.index + c->A.start[r], tp_system_law_columns(c->system, c->law[i]),
                   (size_t)count * sizeof(int));
            c->A.start[r + 1] = c->A.start[r] + count;
        }
    }
    return TP_OK;
}

tp_status tp_constraints_create(const tp_allocator *allocator, tp_system *system, tp_constraints **out)
{
    *out = NULL;
    if (allocator == NULL) allocator = tp_allocator_default();
    tp_arena arena;
    tp_arena_init(&arena, allocator);
    tp_constraints *c = TP_ARENA_ARRAY(&arena, tp_constraints, 1);
    if (c == NULL) return TP_OUT_OF_MEMORY;
    *c = (tp_constraints){.allocator = allocator, .arena = arena, .system = system};
    tp_status status = list_laws(c);
    if (status == TP_OK) status = take_memory(c);
    if (status != TP_OK) {
        tp_constraints_free(c);
        return status;
    }
    *out = c;
    return TP_OK;
}

void tp_constraints_free(tp_constraints *c)
{
    if (c == NULL) return;
    tp_factor_free(c->factor);
    tp_arena arena = c->arena; /* holds the struct itself */
    tp_arena_clear(&arena);
}

/* A, chi, g and gamma at the system's present point. */
static void evaluate(tp_constraints *c)
{
    for (int i = 0; i < c->law_count; i++) {
        int first = c->first[i];
        tp_system_law_rows(c->system, c->law[i], c->A.value + c->A.start[first], c->chi + first);
        tp_system_law_positions(c->system, c->law[i], c->g + first);
    }
    memcpy(c->gamma, c->chi, (size_t)c->row_count * sizeof(double));
    tp_sparse_multiply_transposed_add(&c->A, c->system->u, c->gamma);
}

tp_constraint_errors tp_constraints_errors(tp_constraints *c)
{
    tp_constraint_errors errors = {0};
    evaluate(c);
    for (int i = 0; i < c->law_count; i++) {
        for (int r = c->first[i]; r < c->first[i + 1]; r++) {
            if (!(fabs(c->g[r]) <= errors.position)) {
                errors.position = fabs(c->g[r]);
                errors.worst_position = c->law[i];
            }
            if (!(fabs(c->gamma[r]) <= errors.velocity)) {
                errors.velocity = fabs(c->gamma[r]);
                errors.worst_velocity = c->law[i];
            }
        }
    }
    return errors;
}

/* ---- small: dense ---- */

static tp_status dense_rows(tp_constraints *c, tp_arena *scratch, double **rows_out)
{
    int rows = c->row_count;
    double *a = TP_ARENA_ARRAY(scratch, double, (size_t)rows *(size_t)c->system->u_count + 1);
    *rows_out = a;
    if (a == NULL) return TP_OUT_OF_MEMORY;
    for (int r = 0; r < rows; r++) {
        for (int k = c->A.start[r]; k < c->A.start[r + 1]; k++)
            a[r + (size_t)c->A.index[k] * (size_t)rows] = c->A.value[k];
    }
    return TP_OK;
}

static tp_status dense_least_change(tp_constraints *c, const double *right, double *x_out)
{
    tp_arena scratch;
    tp_arena_init(&scratch, c->allocator);
    double *a;
    int rank;
    tp_status status = dense_rows(c, &scratch, &a);
    if (status == TP_OK)
        status = tp_analysis_least_squares(c->allocator, c->row_count, c->system->u_count, a, right, 1e-10,
                                           x_out, &rank);
    tp_arena_clear(&scratch);
    return status;
}

/* ---- large: sparse ---- */

/* Pattern of A^T A: rows that share a velocity. */
static tp_status find_pattern(tp_constraints *c)
{
    tp_arena scratch;
    tp_arena_init(&scratch, c->allocator);
    TP_TRY(tp_sparse_transpose(&c->arena, &c->A, &c->At));
    int rows = c->row_count, *next = TP_ARENA_ARRAY(&scratch, int, rows), total = 0;
    c->S = (tp_sparse){rows, rows, TP_ARENA_ARRAY(&c->arena, int, rows + 1), NULL, NULL};
    tp_status status = next != NULL && c->S.start != NULL ? TP_OK : TP_OUT_OF_MEMORY;
    for (int pass = 0; pass < 2 && status == TP_OK; pass++) {
        for (int r = 0; r < rows; r++) next[r] = -1;
        total = 0;
        for (int r = 0; r < rows; r++) {
            int begin = total;
            for (int k = c->A.start[r]; k < c->A.start[r + 1]; k++) {
                int j = c->A.index[k];
                for (int e = c->At.start[j]; e < c->At.start[j + 1]; e++) {
                    int other = c->At.index[e];
                    if (next[other] == r) continue;
                    next[other] = r;
                    if (pass == 1) c->S.index[total] = other;
                    total++;
                }
            }
            if (pass == 1) tp_sort_ints(c->S.index + begin, total - begin);
            c->S.start[r + 1] = total;
        }
        if (pass == 0) {
            c->S.index = TP_ARENA_ARRAY(&c->arena, int, total);
            c->S.value = TP_ARENA_ARRAY(&c->arena, double, total);
            if (c->S.index == NULL || c->S.value == NULL) status = TP_OUT_OF_MEMORY;
        }
    }
    tp_arena_clear(&scratch);
    return status == TP_OK ? tp_factor_create(c->allocator, TP_FACTOR_LDL, &c->S, &c->factor) : status;
}

/* Inner product of two columns of A. */
static double product(const tp_sparse *A, int r, int s)
{
    double sum = 0.0;
    int i = A->start[r], j = A->start[s];
    while (i < A->start[r + 1] && j < A->start[s + 1]) {
        if (A->index[i] == A->index[j])
            sum += A->value[i++] * A->value[j++];
        else if (A->index[i] < A->index[j])
            i++;
        else
            j++;
    }
    return sum;
}

static tp_status factorise(tp_constraints *c)
{
    if (c->factor == NULL) TP_TRY(find_pattern(c));
    for (int r = 0; r < c->row_count; r++) {
        double square = product(&c->A, r, r);
        c->length[r] = square > 0.0 ? sqrt(square) : 1.0;
    }
    for (int s = 0; s < c->row_count; s++) {
        for (int k = c->S.start[s]; k < c->S.start[s + 1]; k++) {
            int r = c->S.index[k];
            c->S.value[k] = product(&c->A, r, s) / (c->length[r] * c->length[s]) + (r == s ? shift : 0.0);
        }
    }
    return tp_factor_update(c->factor, &c->S);
}

/* x = A lambda with A^T x = right, |x| least: the shift is removed by repeating. */
static tp_status sparse_least_change(tp_constraints *c, const double *right, double *x_out)
{
    int m = c->system->u_count;
    TP_TRY(factorise(c));
    memset(x_out, 0, (size_t)m * sizeof(double));
    double last = INFINITY;
    for (int step = 0; step < REFINEMENTS; step++) {
        double size = 0.0;
        memset(c->lambda, 0, (size_t)c->row_count * sizeof(double));
        tp_sparse_multiply_transposed_add(&c->A, x_out, c->lambda);
        for (int r = 0; r < c->row_count; r++) {
            c->lambda[r] = (right[r] - c->lambda[r]) / c->length[r];
            size = fmax(size, fabs(c->lambda[r]));
        }
        if (!(size < 0.5 * last)) break; /* only what contradicts itself is left */
        last = size;
        tp_factor_solve(c->factor, c->lambda);
        for (int r = 0; r < c->row_count; r++) c->lambda[r] /= c->length[r];
        tp_sparse_multiply_add(&c->A, c->lambda, x_out);
    }
    return TP_OK;
}

static bool is_small(const tp_constraints *c)
{
    return c->row_count <= DENSE_ROWS && c->system->u_count <= 4 * DENSE_ROWS;
}

static tp_status least_change(tp_constraints *c, const double *right, double *x_out)
{
    return is_small(c) ? dense_least_change(c, right, x_out) : sparse_least_change(c, right, x_out);
}

tp_status tp_constraints_rank(tp_constraints *c, double tolerance, int *rank_out)
{
    *rank_out = 0;
    if (c->row_count == 0) return TP_OK;
    evaluate(c);
    if (!is_small(c)) {
        TP_TRY(factorise(c));
        *rank_out = c->row_count - tp_factor_small_pivots(c->factor, small_pivot);
        return TP_OK;
    }
    tp_arena scratch;
    tp_arena_init(&scratch, c->allocator);
    double *a;
    tp_status status = dense_rows(c, &scratch, &a);
    if (status == TP_OK)
        status = tp_analysis_rank(c->allocator, c->row_count, c->system->u_count, a, tolerance, rank_out);
    tp_arena_clear(&scratch);
    return status;
}

/* Velocity rows do not restrict positions. */
static void hide_velocity_rows(tp_constraints *c)
{
    for (int i = 0; i < c->law_count; i++) {
        if (TP_LIST_AT(c->system->model->laws, tp_law, c->law[i])->level == TP_LEVEL_POSITION) continue;
        for (int k = c->A.start[c->first[i]]; k < c->A.start[c->first[i + 1]]; k++) c->A.value[k] = 0.0;
    }
}

static tp_status project_positions(tp_constraints *c, double t, double *q, const double *u)
{
    tp_system *system = c->system;
    for (int step = 0; step < PROJECTION_STEPS; step++) {
        double error = 0.0;
        tp_system_move(system, t, q, u);
        evaluate(c);
        hide_velocity_rows(c);
        for (int r = 0; r < c->row_count; r++) error = fmax(error, fabs(c->g[r]));
        if (error <= position_goal) break;
        TP_TRY(least_change(c, c->g, c->x));
        tp_system_change(system, c->x, -1.0, q);
    }
    return TP_OK;
}

tp_status tp_constraints_project(tp_constraints *c, double t, double *q, double *u)
{
    if (c->row_count == 0) return TP_OK;
    TP_TRY(project_positions(c, t, q, u));
    tp_system_move(c->system, t, q, u);
    evaluate(c);
    TP_TRY(least_change(c, c->gamma, c->x));
    for (int j = 0; j < c->system->u_count; j++) u[j] -= c->x[j];
    return TP_OK;
}
