/* Multipliers of projections: A^T D A x = b; docs/theory/jet.md (33), (34). Rows have length 1; a small
   diagonal keeps factors where rows depend on each other, and refinement removes its effect on what they
   determine. */
#include "math/dense.h"
#include "math/sparse.h"
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
    TP_ARENA_DOUBLES(&jet->arena, count, &gram->rows.length, &gram->right);
    gram->work = TP_ARENA_ARRAY(&jet->arena, double, 3 * count);
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
static void multiply(void *context, const double *x, double *out)
{
    const tp_jet_gram *gram = context;
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
    double size = tp_dense_largest(n, gram->right), last = INFINITY, *residual = gram->work,
           *image = residual + n;
    memset(x, 0, (size_t)n * sizeof(double));
    memcpy(residual, gram->right, (size_t)n * sizeof(double));
    for (int step = 0; step < REFINEMENTS; step++) {
        tp_factor_solve(gram->rows.factor, residual);
        for (int i = 0; i < n; i++) x[i] += residual[i];
        multiply(gram, x, image);
        for (int i = 0; i < n; i++) residual[i] = gram->right[i] - image[i];
        double left = tp_dense_largest(n, residual);
        if (left <= tp_jet_refined * size || !(left < 0.5 * last)) return;
        last = left;
    }
}

double tp_jet_conjugate_gradients(int n, int most, double part, tp_jet_product *product, void *context,
                                  const double *right, double *work, double *x)
{
    double *residual = work, *direction = residual + n, *image = direction + n;
    memset(x, 0, (size_t)n * sizeof(double));
    memcpy(residual, right, (size_t)n * sizeof(double));
    memcpy(direction, right, (size_t)n * sizeof(double));
    double square = tp_dense_dot(n, residual, residual), goal = part * part * square;
    for (int step = 0; step < most && square > goal; step++) {
        product(context, direction, image);
        double curvature = tp_dense_dot(n, direction, image);
        if (!(curvature > 0.0)) break;
        double along = square / curvature, before = square;
        for (int i = 0; i < n; i++) {
            x[i] += along * direction[i];
            residual[i] -= along * image[i];
        }
        square = tp_dense_dot(n, residual, residual);
        for (int i = 0; i < n; i++) direction[i] = residual[i] + square / before * direction[i];
    }
    return square;
}

void tp_jet_gram_solve(const tp_jet *jet, tp_jet_gram *gram, const double *b, double *x)
{
    int n = gram->rows.row_count;
    if (n == 0) return;
    for (int i = 0; i < n; i++) gram->right[i] = b[i] / gram->rows.length[i];
    if (jet->options.forcing > 0.0) { /* an inexact Newton step */
        tp_jet_conjugate_gradients(n, ITERATIONS_PER_ROW * n, jet->options.forcing, multiply, gram,
                                   gram->right, gram->work, x);
    } else {
        refine(gram, x);
    }
    for (int i = 0; i < n; i++) x[i] /= gram->rows.length[i];
}

tp_status tp_jet_gram_approach(tp_jet *jet, tp_jet_gram *gram, int n, double *F, double *step, double *total,
                               double *z)
{
    const tp_sparse *A = &gram->rows.A;
    TP_TRY(tp_jet_gram_update(gram));
    for (int i = 0; i < n; i++) jet->change[i] = jet->start[i] - z[i];
    tp_sparse_multiply_add(A, total, jet->change); /* minus the multipliers so far */
    tp_sparse_multiply_transposed_add(A, jet->change, F);
    tp_jet_gram_solve(jet, gram, F, step);
    for (int c = 0; c < A->cols; c++) total[c] -= step[c];
    memcpy(z, jet->start, (size_t)n * sizeof(double));
    tp_sparse_multiply_add(A, total, z);
    return TP_OK;
}
