/* Least squares with non-negative unknowns; docs/theory/holonomy.md (20). */
#ifndef TP_CALCULUS_NONNEGATIVE_H
#define TP_CALCULUS_NONNEGATIVE_H

#include "tippe/base.h"

/* Least |A x - b| with x_j >= 0 for j >= free_count, the first free_count of any sign. A [rows * cols]
   column-major. x_out [cols]; residual_out [rows] = b - A x. By Lawson and Hanson: unknowns enter one at a
   time. */
tp_status tp_nonnegative_solve(const tp_allocator *allocator, int rows, int cols, int free_count,
                               const double *A, const double *b, double *x_out, double *residual_out);

#endif
