/* A small dense simplex method: is there x >= 0 with A x = b? */
#ifndef TP_SOLVER_INFEASIBLE_LINEAR_PROGRAM_H
#define TP_SOLVER_INFEASIBLE_LINEAR_PROGRAM_H

#include "base/stack.h"

/* A [rows*cols] column-major, b [rows] >= 0, x_out [cols]. True when the sum of the artificial variables came
   down to rounding. */
bool tp_linear_feasible_point(int rows, int cols, const double *A, const double *b, tp_stack *stack,
                              double *x_out);

#endif
