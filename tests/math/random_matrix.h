/* Random matrices and small helpers shared by the tests of sparse kernels. */
#ifndef TESTS_MATH_RANDOM_MATRIX_H
#define TESTS_MATH_RANDOM_MATRIX_H

#include "check.h"
#include "math/dense.h"
#include "math/sparse.h"

#include <float.h>
#include <stdlib.h>

/* An allocator that counts. */
typedef struct counter {
    int live, total;
} counter;

static inline void *counted_allocate(void *context, size_t bytes)
{
    counter *c = context;
    c->live++;
    c->total++;
    return malloc(bytes);
}

static inline void counted_release(void *context, void *memory)
{
    ((counter *)context)->live--;
    free(memory);
}

/* An allocator that has nothing left after so many allocations; live counts what is not given back. */
typedef struct quota {
    int left, live;
} quota;

static inline void *quota_allocate(void *context, size_t bytes)
{
    quota *q = context;
    if (q->left-- <= 0) return NULL;
    q->live++;
    return malloc(bytes);
}

static inline void quota_release(void *context, void *memory)
{
    ((quota *)context)->live--;
    free(memory);
}

static inline int check_index(check_random *random, int count)
{
    return (int)(check_random_bits(random) % (uint64_t)count);
}

/* A dense matrix [n*n] with about `per_column` random entries a column; with_diagonal: all diagonal entries
   are there, else only a hidden permutation makes the matrix structurally regular. */
static inline void random_sparse_dense(check_random *random, int n, int per_column, int with_diagonal,
                                       double *a)
{
    for (int k = 0; k < n * n; k++) a[k] = 0.0;
    int shift = with_diagonal ? 0 : 1 + check_index(random, n > 1 ? n - 1 : 1);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < per_column; k++) {
            int i = check_index(random, n);
            if (!with_diagonal && i == j) continue;
            a[i + j * n] = check_normal(random);
        }
        a[(j + shift) % n + j * n] = 2.0 + check_normal(random);
    }
}

static inline tp_sparse compressed(tp_arena *arena, int rows, int cols, const double *a)
{
    tp_entries entries = {.rows = rows, .cols = cols, .value = a};
    tp_sparse sparse = {0};
    if (tp_sparse_compress(arena, &entries, &sparse) != TP_OK) fail();
    return sparse;
}

static inline double largest_abs(int n, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* max |a x - b| / (n eps (max|a| sum|x| + max|b|)): of order 1 for a backward stable solve. */
static inline double relative_residual(int n, const double *a, const double *x, const double *b)
{
    double worst = 0.0, sum = 0.0;
    for (int j = 0; j < n; j++) sum += fabs(x[j]);
    for (int i = 0; i < n; i++) {
        double r = -b[i];
        for (int j = 0; j < n; j++) r += a[i + j * n] * x[j];
        worst = fmax(worst, fabs(r));
        if (isnan(r)) return HUGE_VAL;
    }
    return worst / (n * DBL_EPSILON * (largest_abs(n * n, a) * sum + largest_abs(n, b)) + DBL_MIN);
}

#endif
