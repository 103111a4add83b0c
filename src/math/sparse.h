/* Sparse matrices: building, products. */
#ifndef TP_MATH_SPARSE_H
#define TP_MATH_SPARSE_H

#include "base/arena.h"
#include "tippe/linear.h"

/* Room for so many entries, all 0. */
tp_status tp_sparse_take(tp_arena *arena, int rows, int cols, size_t entry_count, tp_sparse *sparse_out);

/* Compresses entries (indices already checked); duplicates are added, exact zeros of dense input are dropped.
 */
tp_status tp_sparse_compress(tp_arena *arena, const tp_entries *entries, tp_sparse *sparse_out);

/* The same of entries with rows, with work memory from `scratch`, which keeps it. */
tp_status tp_sparse_compress_with(tp_arena *arena, tp_arena *scratch, const tp_entries *entries,
                                  tp_sparse *sparse_out);

tp_status tp_sparse_transpose(tp_arena *arena, const tp_sparse *a, tp_sparse *transposed_out);

/* Stable counting sort of the numbers in `from` (NULL: 0 ... count-1) by key, which is at most key_count - 1;
   next [key_count + 1] is work. */
void tp_sort_by_key(const int *key, int key_count, int count, const int *from, int *next, int *to);

/* y += a x and y += a^T x. */
void tp_sparse_multiply_add(const tp_sparse *a, const double *x, double *y);
void tp_sparse_multiply_transposed_add(const tp_sparse *a, const double *x, double *y);

/* y += a x of values in a pattern; the same values as a dense matrix, column by column. */
void tp_pattern_multiply_add(const tp_sparse *pattern, const double *value, const double *x, double *y);
void tp_pattern_to_dense(const tp_sparse *pattern, const double *value, double *dense_out);

#endif
