/* The inertia that rows of a problem can move: how large impulses the data explain; theory/problems.md (20).
 */
#include "local.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

/* Largest entry of each row of M: the inertia of an equation, whatever the order of the unknowns. */
static void measure_equations(const tp_sparse *M, double *inertia)
{
    memset(inertia, 0, (size_t)M->rows * sizeof(double));
    for (int k = 0; k < M->start[M->cols]; k++)
        inertia[M->index[k]] = tp_larger(inertia[M->index[k]], fabs(M->value[k]));
}

tp_status tp_problem_inertia(const tp_problem *problem, tp_stack *stack, double *inertia_out)
{
    *inertia_out = INFINITY;
    if (problem->x_count == 0) return TP_OK;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    double *equation = TP_STACK_ARRAY(stack, double, problem->x_count);
    if (equation == NULL) return TP_OUT_OF_MEMORY;
    measure_equations(&problem->M, equation);
    double sum = 0.0;
    for (int row = 0; row < problem->row_count; row++) {
        double moved = 0.0, length = 0.0;
        for (int k = problem->A.start[row]; k < problem->A.start[row + 1]; k++) {
            double square = problem->A.value[k] * problem->A.value[k];
            moved += square * equation[problem->A.index[k]];
            length += square;
        }
        if (length > 0.0) sum += moved / (length * length);
    }
    tp_stack_release(stack, mark);
    *inertia_out = sum;
    return TP_OK;
}
