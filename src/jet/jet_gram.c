/* Multipliers of projections: A^T D A x = b; docs/theory/jet.md (33), (34). Rows have length 1; a small
   diagonal keeps factors where rows depend on each other, and refinement removes its effect on what they
   determine. */
#include "math/dense.h"
#include "parts.h"
#include "tolerances.h"

#include <string.h>

enum { REFINEMENTS = 6 };

/* Iterations of conjugate gradients per row. */
enum { ITERATIONS_PER_ROW = 4 };

tp_status tp_jet_gram_create(tp_jet *jet, tp_jet_gram *gram)
{
    size_t count = (size_t)gram->rows.row_count + 1;
    gram->rows.allocator = jet->allocator;
    gram->rows.arena = &jet->arena;
    TP_ARENA_DOUBLES(&jet->arena, count, &gram->rows.length, &gram->right, &gram->residual, &gram->direction,
                     &gram->image);
    TP_TRY(tp_arena_status(&jet->arena));
    return gram->rows.row_count > 0 ? tp_constraint_rows_prepare(&gram->rows) : TP_OK;
}

tp_status tp_jet_gram_update(tp_jet_gram *gram)
{
    return gram->rows.row_count > 0
               ? tp_constraint_rows_factorise(&gram->rows, gram->weight, tp_jet_gram_shift)
               : TP_OK;
}

/* out = S x without the shift. */
static void multiply(const tp_jet_gram *gram, const double *x, double *out)
{
    const tp_sparse *S = &gram->rows.S;
    for (int j = 0; j < S->cols; j++) {
        double sum = -tp_jet_gram_shift * x[j];
        for (int k = S->start[j]; k < S->start[j + 1]; k++) sum += S->value[k] * x[S->index[k]];
        out[j] = sum;
    }
}

static void refine(tp_jet_gram *gram, double *x)
{
    int n = gram->rows.row_count;
    double size = tp_dense_largest(n, gram->right), last = INFINITY;
    memcpy(gram->residual, gram->right, (size_t)n * sizeof(double));
    for (int step = 0; step < REFINEMENTS; step++) {
        tp_factor_solve(gram->rows.factor, gram->residual);
        for (int i = 0; i < n; i++) x[i] += gram->residual[i];
        multiply(gram, x, gram->image);
        for (int i = 0; i < n; i++) gram->residual[i] = gram->right[i] - gram->image[i];
        double left = tp_dense_largest(n, gram->residual);
        if (left <= tp_jet_refined * size || !(left < 0.5 * last)) return;
        last = left;
    }
}

/* Until the residual is `forcing` times b: an inexact Newton step. */
static void conjugate(tp_jet_gram *gram, double forcing, double *x)
{
    int n = gram->rows.row_count;
    memcpy(gram->residual, gram->right, (size_t)n * sizeof(double));
    memcpy(gram->direction, gram->right, (size_t)n * sizeof(double));
    double square = tp_dense_dot(n, gram->residual, gram->residual), goal = forcing * forcing * square;
    for (int step = 0; step < ITERATIONS_PER_ROW * n && square > goal; step++) {
        multiply(gram, gram->direction, gram->image);
        double curvature = tp_dense_dot(n, gram->direction, gram->image);
        if (!(curvature > 0.0)) return;
        double along = square / curvature, before = square;
        for (int i = 0; i < n; i++) {
            x[i] += along * gram->direction[i];
            gram->residual[i] -= along * gram->image[i];
        }
        square = tp_dense_dot(n, gram->residual, gram->residual);
        for (int i = 0; i < n; i++)
            gram->direction[i] = gram->residual[i] + square / before * gram->direction[i];
    }
}

void tp_jet_gram_solve(const tp_jet *jet, tp_jet_gram *gram, const double *b, double *x)
{
    int n = gram->rows.row_count;
    if (n == 0) return;
    for (int i = 0; i < n; i++) gram->right[i] = b[i] / gram->rows.length[i];
    memset(x, 0, (size_t)n * sizeof(double));
    if (jet->options.forcing > 0.0) {
        conjugate(gram, jet->options.forcing, x);
    } else {
        refine(gram, x);
    }
    for (int i = 0; i < n; i++) x[i] /= gram->rows.length[i];
}
