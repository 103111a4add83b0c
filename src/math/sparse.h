/* Sparse matrices: building, products. */
#ifndef TP_MATH_SPARSE_H
#define TP_MATH_SPARSE_H

#include "base/arena.h"
#include "tippe/linear.h"

/* Compresses entries (indices already checked); duplicates are added, exact zeros of dense input are dropped.
 */
tp_status tp_sparse_compress(tp_arena *arena, const tp_entries *entries, tp_sparse *sparse_out);

/* The same of entries with rows, with work memory from `scratch`, which keeps it. */
tp_status tp_sparse_compress_with(tp_arena *arena, tp_arena *scratch, const tp_entries *entries,
                                  tp_sparse *sparse_out);

tp_status tp_sparse_transpose(tp_arena *arena, const tp_sparse *a, tp_sparse *transposed_out);

/* y += a x and y += a^T x. */
void tp_sparse_multiply_add(const tp_sparse *a, const double *x, double *y);
void tp_sparse_multiply_transposed_add(const tp_sparse *a, const double *x, double *y);

#endif
