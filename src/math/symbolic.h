/* Patterns for sparse factorisations: the symmetric pattern of a square matrix, its fill-reducing order and
   the size of its factor. Memory comes from a stack and stays taken. */
#ifndef TP_MATH_SYMBOLIC_H
#define TP_MATH_SYMBOLIC_H

#include "base/stack.h"
#include "tippe/linear.h"

/* Pattern of a + a^T without diagonal, row indices ascending. */
typedef struct tp_pattern {
    int n;
    int *start; /* [n + 1] */
    int *index; /* [start[n]] */
} tp_pattern;

tp_status tp_pattern_symmetric(tp_stack *stack, const tp_sparse *a, tp_pattern *pattern_out);

/* Approximate minimum degree: the k-th pivot is row and column order_out[k]. */
tp_status tp_pattern_order(tp_stack *stack, const tp_pattern *pattern, int *order_out);

/* The elimination tree of a pattern in an order with its places: parent [n] of each place, -1 for roots.
   counts_out [n]: entries of each column of the Cholesky factor below the diagonal. visited [n] is work. With
   `entries` and the tree that a first walk has found the entries themselves, ascending, from start[k] on. */
void tp_pattern_walk(const tp_pattern *pattern, const int *order, const int *place, int *parent, int *visited,
                     int *counts_out, const int *start, int *entries);

/* Entries below the diagonal of the Cholesky factor of that pattern in that order: an upper bound for each
   of L and U as long as pivots stay on the diagonal. */
tp_status tp_pattern_fill(tp_stack *stack, const tp_pattern *pattern, const int *order, size_t *count_out);

/* True if order is a permutation of 0 ... n-1; work [n]. */
bool tp_order_is_permutation(int n, const int *order, int *work);

#endif
