/* Dense analysis outside of steps (LAPACK): rank, singular values, eigenvalues, least squares. */
#ifndef TP_MATH_ANALYSIS_H
#define TP_MATH_ANALYSIS_H

#include "tippe/base.h"

/* All matrices column-major, not modified. Memory is taken from allocator (NULL: default) and given back. */
/* Rank: singular values above tolerance * largest. */
tp_status tp_analysis_rank(const tp_allocator *allocator, int m, int n, const double *a, double tolerance,
                           int *rank_out);
tp_status tp_analysis_symmetric_eigenvalues(const tp_allocator *allocator, int n, const double *a,
                                            double *values_out /* ascending */,
                                            double *vectors_out /* may be NULL */);
/* Minimum-norm least-squares solution of a x = b. */
tp_status tp_analysis_least_squares(const tp_allocator *allocator, int m, int n, const double *a,
                                    const double *b, double tolerance, double *x_out, int *rank_out);
/* Orthonormal basis of the null space, columns of basis_out [n*n room]. */
tp_status tp_analysis_null_space(const tp_allocator *allocator, int m, int n, const double *a,
                                 double tolerance, double *basis_out, int *dimension_out);

/* Eigenvalues of a square matrix, real and imaginary parts; pairs stand together. */
tp_status tp_analysis_eigenvalues(const tp_allocator *allocator, int n, const double *a, double *real_out,
                                  double *imaginary_out);

#endif
