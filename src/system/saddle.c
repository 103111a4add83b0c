/* Accelerations and reactions of bilateral laws; docs/theory/second-level.md (24)-(26). */
#include "saddle.h"

#include "constraint_rows.h"
#include "math/sparse.h"
#include "second_level.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* Steps of refinement, each of which gains at least a factor where rows are independent up to 1e-7; what is
   left then is relative to the largest terms of the equations. */
enum { REFINEMENTS = 12 };

struct tp_saddle {
    tp_arena arena;
    tp_constraint_rows rows;
    const tp_redundancy *redundancy;
    tp_sparse K; /* [M W; W^T 0], rows and columns scaled, upper triangle and lower */
    tp_factor *factor;
    int *mass_place, *place;    /* of the entries of mass_pattern, and of A and A^T: two for each entry  */
    double *scale;              /* [n] of rows and columns                                              */
    double *g2;                 /* [rows] */
    double *x, *right, *change; /* [n] */
};

static int size_of(const tp_saddle *s)
{
    return s->rows.system->u_count + s->rows.row_count;
}

/* Columns of velocities: those of M, then the rows that touch them; columns of rows: their velocities and the
   diagonal. */
static tp_status find_pattern(tp_saddle *s, const tp_allocator *allocator)
{
    const tp_sparse *M = &s->rows.system->mass_pattern, *A = &s->rows.A;
    int m = M->cols, rows = A->cols, n = m + rows, at = 0;
    tp_arena scratch = tp_arena_make(allocator);
    tp_sparse At = {0};
    tp_status status = tp_sparse_transpose(&scratch, A, &At);
    size_t entries = (size_t)tp_sparse_count(M) + 2 * (size_t)A->start[rows] + (size_t)rows;
    s->K = (tp_sparse){n, n, TP_ARENA_ARRAY(&s->arena, int, n + 1), TP_ARENA_ARRAY(&s->arena, int, entries),
                       TP_ARENA_ARRAY(&s->arena, double, entries)};
    s->mass_place = TP_ARENA_ARRAY(&s->arena, int, tp_sparse_count(M) + 1);
    s->place = TP_ARENA_ARRAY(&s->arena, int, 2 * (size_t)A->start[rows] + 1);
    if (status == TP_OK) status = tp_arena_status(&s->arena);
    for (int j = 0; j < m && status == TP_OK; j++) {
        for (int k = M->start[j]; k < M->start[j + 1]; k++) {
            s->mass_place[k] = at;
            s->K.index[at++] = M->index[k];
        }
        for (int k = At.start[j]; k < At.start[j + 1]; k++) s->K.index[at++] = m + At.index[k];
        s->K.start[j + 1] = at;
    }
    for (int r = 0; r < rows && status == TP_OK; r++) {
        for (int k = A->start[r]; k < A->start[r + 1]; k++) {
            s->place[2 * k] = tp_pattern_place(&s->K, m + r, A->index[k]);
            s->place[2 * k + 1] = at;
            s->K.index[at++] = A->index[k];
        }
        s->K.index[at++] = m + r;
        s->K.start[m + r + 1] = at;
    }
    tp_arena_clear(&scratch);
    return status == TP_OK ? tp_factor_create(allocator, TP_FACTOR_LDL, &s->K, &s->factor) : status;
}

tp_status tp_saddle_create(const tp_allocator *allocator, tp_system *system, const tp_redundancy *redundancy,
                           tp_saddle **saddle_out)
{
    *saddle_out = NULL;
    tp_saddle *s = TP_ARENA_OBJECT(tp_saddle, allocator);
    if (s == NULL) return TP_OUT_OF_MEMORY;
    s->redundancy = redundancy;
    tp_status status = tp_constraint_rows_create(allocator, &s->arena, system, false, &s->rows);
    if (status == TP_OK) status = find_pattern(s, allocator);
    size_t n = status == TP_OK ? (size_t)size_of(s) : 0;
    TP_ARENA_DOUBLES(&s->arena, n, &s->scale, &s->g2, &s->x, &s->right, &s->change);
    if (status == TP_OK) status = tp_arena_status(&s->arena);
    if (status != TP_OK) tp_saddle_free(s);
    *saddle_out = status == TP_OK ? s : NULL;
    return status;
}

void tp_saddle_free(tp_saddle *s)
{
    if (s == NULL) return;
    tp_factor_free(s->factor);
    tp_constraint_rows_free(&s->rows);
    tp_arena_clear(&s->arena);
}

/* Rows that depend on others become empty, with multiplier 0. */
static bool leave_out(tp_saddle *s, int i, int row)
{
    const tp_sparse *A = &s->rows.A;
    int law = s->rows.law[i];
    if (!tp_redundancy_leaves_out(s->redundancy, law, row - s->rows.first[i])) return false;
    for (int k = A->start[row]; k < A->start[row + 1]; k++) A->value[k] = 0.0;
    s->g2[row] = 0.0;
    return true;
}

/* (25): unit diagonal of M, rows of length 1 in the metric of that diagonal. */
static void find_scales(tp_saddle *s, const double *M)
{
    const tp_system *system = s->rows.system;
    const tp_sparse *A = &s->rows.A;
    for (int j = 0; j < system->u_count; j++) {
        double mass = M[tp_pattern_place(&system->mass_pattern, j, j)];
        s->scale[j] = mass > 0.0 ? 1.0 / sqrt(mass) : 1.0;
    }
    for (int r = 0; r < s->rows.row_count; r++) {
        double square = 0.0;
        for (int k = A->start[r]; k < A->start[r + 1]; k++) {
            double w = A->value[k] * s->scale[A->index[k]];
            square += w * w;
        }
        s->scale[system->u_count + r] = square > 0.0 ? 1.0 / sqrt(square) : 1.0;
    }
}

tp_status tp_saddle_update(tp_saddle *s, const double *M, bool *is_exact_out)
{
    tp_system *system = s->rows.system;
    const tp_sparse *A = &s->rows.A, *pattern = &system->mass_pattern;
    int m = system->u_count;
    *is_exact_out = true;
    tp_constraint_rows_evaluate(&s->rows);
    for (int i = 0; i < s->rows.law_count; i++) {
        bool is_exact = tp_system_law_drift(system, s->rows.law[i], s->g2 + s->rows.first[i]);
        *is_exact_out = *is_exact_out && is_exact;
        for (int r = s->rows.first[i]; r < s->rows.first[i + 1]; r++) leave_out(s, i, r);
    }
    find_scales(s, M);
    for (int j = 0; j < m; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            s->K.value[s->mass_place[k]] = M[k] * s->scale[j] * s->scale[pattern->index[k]];
    }
    for (int r = 0; r < s->rows.row_count; r++) {
        bool is_empty = true;
        for (int k = A->start[r]; k < A->start[r + 1]; k++) {
            double w = A->value[k] * s->scale[A->index[k]] * s->scale[m + r];
            s->K.value[s->place[2 * k]] = s->K.value[s->place[2 * k + 1]] = w;
            is_empty = is_empty && w == 0.0;
        }
        s->K.value[s->K.start[m + r + 1] - 1] = is_empty ? -1.0 : -tp_saddle_shift;
    }
    return tp_factor_update(s->factor, &s->K);
}

/* change = right - K x without the shift; returns its size relative to the terms. */
static double residual(tp_saddle *s)
{
    int n = size_of(s), m = s->rows.system->u_count;
    double worst = 0.0, size = 0.0;
    memcpy(s->change, s->right, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) size = fmax(size, fabs(s->right[i]));
    for (int j = 0; j < n; j++) {
        for (int k = s->K.start[j]; k < s->K.start[j + 1]; k++) {
            bool is_shift = j >= m && s->K.index[k] == j && s->K.value[k] != -1.0;
            double term = is_shift ? 0.0 : s->K.value[k] * s->x[j];
            s->change[s->K.index[k]] -= term;
            size = fmax(size, fabs(term));
        }
    }
    double all = 0.0; /* not a number if one of them is: fmax passes these over */
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(s->change[i]));
        all += 0.0 * s->change[i];
    }
    return size > 0.0 || isnan(all) ? worst / size + all : 0.0;
}

tp_status tp_saddle_solve(tp_saddle *s, const double *h, double *a, double *lambda)
{
    const tp_system *system = s->rows.system;
    int m = system->u_count, n = size_of(s);
    for (int j = 0; j < m; j++) s->right[j] = h[j] * s->scale[j];
    for (int r = 0; r < s->rows.row_count; r++) s->right[m + r] = -s->g2[r] * s->scale[m + r];
    memset(s->x, 0, (size_t)n * sizeof(double));
    double left = residual(s);
    for (int step = 0; step < REFINEMENTS && left > tp_saddle_goal; step++) { /* (26) */
        tp_factor_solve(s->factor, s->change);
        for (int i = 0; i < n; i++) s->x[i] += s->change[i];
        double now = residual(s);
        if (!(now < left) && step > 0 && left <= tp_saddle_accepted) break;
        left = now;
    }
    if (!(left <= tp_saddle_accepted)) return TP_SINGULAR;
    for (int j = 0; j < m; j++) a[j] = s->x[j] * s->scale[j];
    memset(lambda, 0, (size_t)system->law_count * TP_LAW_ROWS * sizeof(double));
    for (int i = 0; i < s->rows.law_count; i++) {
        for (int r = s->rows.first[i]; r < s->rows.first[i + 1]; r++)
            lambda[s->rows.law[i] * TP_LAW_ROWS + r - s->rows.first[i]] = 0.0 - s->x[m + r] * s->scale[m + r];
    }
    return TP_OK;
}

void tp_saddle_row_forces(const tp_saddle *s, const double *lambda, double *f)
{
    const tp_sparse *A = &s->rows.A;
    memset(f, 0, (size_t)s->rows.system->u_count * sizeof(double));
    for (int i = 0; i < s->rows.law_count; i++) {
        for (int r = s->rows.first[i]; r < s->rows.first[i + 1]; r++) {
            double force = lambda[s->rows.law[i] * TP_LAW_ROWS + r - s->rows.first[i]];
            for (int k = A->start[r]; k < A->start[r + 1]; k++) f[A->index[k]] += A->value[k] * force;
        }
    }
}
