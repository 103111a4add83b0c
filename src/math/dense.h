/* Small dense kernels, column-major, no allocation. a(i,j) is a[i + j*lead]. */
#ifndef TP_MATH_DENSE_H
#define TP_MATH_DENSE_H

#include "tippe/base.h"

/* LU with partial pivoting of the n x n matrix a (overwritten); pivot [n]. TP_SINGULAR if a pivot is at most
   tiny * (largest |entry| of a); the factors up to there are then of no use. */
tp_status tp_dense_lu(int n, double *a, int lead, int *pivot, double tiny);

/* Solves with those factors, in place. */
void tp_dense_lu_solve(int n, const double *lu, int lead, const int *pivot, double *x);
void tp_dense_lu_solve_transposed(int n, const double *lu, int lead, const int *pivot, double *x);

/* Cholesky factor L in the lower triangle; TP_SINGULAR if not positive definite (pivot <= tiny * largest
 * diagonal). */
tp_status tp_dense_cholesky(int n, double *a, int lead, double tiny);
void tp_dense_cholesky_solve(int n, const double *l, int lead, double *x);

/* Solves a x = y for n <= 6 on a copy, with partial pivoting. */
tp_status tp_dense_solve_small(int n, const double *a, const double *y, double *x_out);

/* Eigenvalues (ascending) and optionally eigenvectors (columns of v_out, may be NULL) of a symmetric matrix,
   n <= 6, by cyclic Jacobi rotations; a [n*n] is read only, its lower triangle is used. */
void tp_dense_symmetric_eigen(int n, const double *a, double *values_out, double *v_out);

/* Largest eigenvalue of the symmetric part of a, n <= 6. */
double tp_dense_largest_eigenvalue(int n, const double *a, int lead);

/* y = a x; y += a x; y += a^T x for an m x n matrix. */
void tp_dense_multiply(int m, int n, const double *a, int lead, const double *x, double *y_out);
void tp_dense_multiply_add(int m, int n, const double *a, int lead, const double *x, double *y);
void tp_dense_multiply_transposed_add(int m, int n, const double *a, int lead, const double *x, double *y);

/* c += a b^T for an m x depth and an n x depth matrix, whose columns follow each other; one sum after the
   other of each entry. */
void tp_dense_add_outer(int m, int n, int depth, const double *a, const double *b, double *c, int lead);

double tp_dense_dot(int n, const double *x, const double *y);

/* x minus its parts along `count` orthonormal vectors, `lead` apart; twice, so that rounding leaves nothing
   of them. */
void tp_dense_take_out(int n, int count, const double *vectors, int lead, double *x);

/* fmax without a call; what is not a number is left out. */
static inline double tp_larger(double size, double other)
{
    return other > size ? other : size;
}

/* Largest |x_i|; what is not a number is left out. */
double tp_dense_largest(int n, const double *x);

/* Euclidean norm without overflow or underflow. */
double tp_dense_norm(int n, const double *x);

#endif
