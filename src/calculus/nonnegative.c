/* Least squares with non-negative unknowns: the method of Lawson and Hanson. */
#include "nonnegative.h"

#include "base/arena.h"
#include "math/analysis.h"
#include "math/dense.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

typedef struct problem {
    const tp_allocator *allocator;
    int rows, cols, free_count;
    const double *A, *b;
    double *x, *residual;
    bool *is_in;                         /* unknowns that are not held at 0 */
    double *columns, *solution, *wanted; /* of those that are in */
} problem;

/* Least squares over the unknowns that are in; wanted [cols], 0 for others. */
static tp_status solve_inner(problem *p)
{
    int count = 0, rank;
    for (int j = 0; j < p->cols; j++) {
        if (!p->is_in[j]) continue;
        memcpy(p->columns + count * p->rows, p->A + j * p->rows, (size_t)p->rows * sizeof(double));
        count++;
    }
    if (count > 0)
        TP_TRY(tp_analysis_least_squares(p->allocator, p->rows, count, p->columns, p->b, tp_no_gain,
                                         p->solution, &rank));
    for (int j = 0, k = 0; j < p->cols; j++) p->wanted[j] = p->is_in[j] ? p->solution[k++] : 0.0;
    return TP_OK;
}

/* Goes towards the wanted point as far as no unknown becomes negative; those that reach 0 leave. */
static tp_status settle(problem *p)
{
    for (int round = 0; round <= p->cols; round++) {
        double step = 1.0;
        TP_TRY(solve_inner(p));
        for (int j = p->free_count; j < p->cols; j++) {
            if (p->is_in[j] && p->wanted[j] <= 0.0) {
                double fall = p->x[j] - p->wanted[j];
                step = fmin(step, fall > 0.0 ? p->x[j] / fall : 0.0);
            }
        }
        for (int j = 0; j < p->cols; j++) p->x[j] += step * (p->wanted[j] - p->x[j]);
        if (step >= 1.0) return TP_OK;
        for (int j = p->free_count; j < p->cols; j++) {
            if (!p->is_in[j] || p->wanted[j] > 0.0 || p->x[j] > tp_no_part) continue;
            p->is_in[j] = false;
            p->x[j] = 0.0;
        }
    }
    return TP_OK;
}

static void compute_residual(problem *p)
{
    memcpy(p->residual, p->b, (size_t)p->rows * sizeof(double));
    for (int j = 0; j < p->cols; j++) {
        for (int i = 0; i < p->rows; i++) p->residual[i] -= p->x[j] * p->A[i + j * p->rows];
    }
}

/* The unknown whose growth helps most; -1: none does. */
static int find_entering(const problem *p)
{
    int best = -1;
    double most = tp_no_gain;
    for (int j = p->free_count; j < p->cols; j++) {
        const double *column = p->A + j * p->rows;
        double length = tp_dense_norm(p->rows, column), size = length * tp_dense_norm(p->rows, p->b),
               gain = tp_dense_dot(p->rows, column, p->residual);
        if (p->is_in[j] || !(size > 0.0) || !(gain / size > most)) continue;
        most = gain / size;
        best = j;
    }
    return best;
}

tp_status tp_nonnegative_solve(const tp_allocator *allocator, int rows, int cols, int free_count,
                               const double *A, const double *b, double *x_out, double *residual_out)
{
    tp_arena arena = tp_arena_make(allocator);
    problem p = {.allocator = allocator,
                 .rows = rows,
                 .cols = cols,
                 .free_count = free_count,
                 .A = A,
                 .b = b,
                 .x = x_out,
                 .residual = residual_out,
                 .is_in = TP_ARENA_ARRAY(&arena, bool, cols + 1),
                 .columns = TP_ARENA_ARRAY(&arena, double, rows *cols + 1),
                 .solution = TP_ARENA_ARRAY(&arena, double, cols + rows + 1),
                 .wanted = TP_ARENA_ARRAY(&arena, double, cols + 1)};
    tp_status status = tp_arena_status(&arena);
    memset(x_out, 0, (size_t)cols * sizeof(double));
    for (int j = 0; j < free_count && status == TP_OK; j++) p.is_in[j] = true;
    if (status == TP_OK) status = settle(&p);
    for (int round = 0; round < 3 * cols && status == TP_OK; round++) {
        compute_residual(&p);
        int entering = find_entering(&p);
        if (entering < 0) break;
        p.is_in[entering] = true;
        status = settle(&p);
    }
    compute_residual(&p);
    tp_arena_clear(&arena);
    return status;
}
