/* Elimination of x from a global problem: G = C M^-1 A + D, c = C M^-1 f + b; theory/problems.md (2). */
#ifndef TP_PROBLEM_REDUCE_H
#define TP_PROBLEM_REDUCE_H

#include "base/stack.h"
#include "tippe/problem.h"

/* G_out and its arrays live on the stack until the caller releases his mark; c_out [row_count]. order
   [x_count] of the columns of M in sparse factorisations that choose their rows freely; NULL: AMD, with the
   diagonal preferred. */
tp_status tp_reduce(const tp_problem *problem, const int *order, tp_stack *stack, tp_block_matrix *G_out,
                    double *c_out);

#endif
