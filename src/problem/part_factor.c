/* One component of M, factorised; theory/problems.md (3), (4). */
#include "part_factor.h"

#include "math/dense.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* Rows of very different size, as of bodies with a tiny moment of inertia, would be mixed by the choice of
   pivots. */
static void scale_rows(int n, double *a, double *factor)
{
    for (int i = 0; i < n; i++) {
        double largest = 0.0;
        int exponent = 0;
        for (int j = 0; j < n; j++) largest = tp_larger(largest, fabs(a[i + j * n]));
        if (largest > 0.0 && isfinite(largest)) frexp(largest, &exponent);
        factor[i] = ldexp(1.0, -exponent);
        for (int j = 0; j < n; j++) a[i + j * n] *= factor[i];
    }
}

static tp_status factor_dense(const tp_problem *problem, const tp_components *parts, int part,
                              tp_stack *stack, tp_part_factor *out)
{
    int n = out->n, begin = parts->start[part];
    out->dense = TP_STACK_ARRAY(stack, double, n *n);
    out->pivot = TP_STACK_ARRAY(stack, int, n);
    out->row_factor = TP_STACK_ARRAY(stack, double, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(out->dense, 0, (size_t)(n * n) * sizeof(double));
    out->is_diagonal = true;
    for (int c = 0; c < n; c++) {
        int j = parts->member[begin + c];
        for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++) {
            int place = parts->place[problem->M.index[k]];
            out->dense[place + c * n] = problem->M.value[k];
            out->is_diagonal = out->is_diagonal && (place == c || problem->M.value[k] == 0.0);
        }
    }
    scale_rows(n, out->dense, out->row_factor);
    return tp_dense_lu(n, out->dense, n, out->pivot, tp_mass_pivot);
}

static tp_status factor_sparse(const tp_problem *problem, const tp_components *parts, int part,
                               const int *order, tp_stack *stack, tp_part_factor *out)
{
    int n = out->n, begin = parts->start[part], count = 0;
    for (int c = 0; c < n; c++) {
        int j = parts->member[begin + c];
        count += problem->M.start[j + 1] - problem->M.start[j];
    }
    tp_sparse m = {.rows = n, .cols = n};
    m.start = TP_STACK_ARRAY(stack, int, n + 1);
    m.index = TP_STACK_ARRAY(stack, int, count);
    m.value = TP_STACK_ARRAY(stack, double, count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    count = 0;
    for (int c = 0; c < n; c++) { /* members ascend, so places do, and rows stay sorted */
        int j = parts->member[begin + c];
        m.start[c] = count;
        for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++) {
            m.index[count] = parts->place[problem->M.index[k]];
            m.value[count++] = problem->M.value[k];
        }
    }
    m.start[n] = count;
    if (order == NULL) return tp_lu_factor(stack, &m, 0.1, NULL, &out->sparse);
    int *own = TP_STACK_ARRAY(stack, int, n), used = 0;
    if (own == NULL) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < problem->x_count; k++) { /* the part of the order that belongs to the component */
        if (parts->of[order[k]] == part) own[used++] = parts->place[order[k]];
    }
    return tp_lu_factor(stack, &m, 1.0, own, &out->sparse);
}

/* Small parts are factored densely. The test there knows no scales: what it calls singular may be a matrix
   with very different masses, and is tried again with rows and columns scaled. */
tp_status tp_part_factorise(const tp_problem *problem, const tp_components *parts, int part, const int *order,
                            tp_stack *stack, tp_part_factor *out)
{
    if (out->n <= TP_DENSE_COMPONENT) {
        tp_status status = factor_dense(problem, parts, part, stack, out);
        if (status != TP_SINGULAR) return status;
        out->dense = NULL;
    }
    return factor_sparse(problem, parts, part, order, stack, out);
}

void tp_part_solve(const tp_part_factor *factor, double *y)
{
    if (factor->dense != NULL && factor->is_diagonal) {
        for (int i = 0; i < factor->n; i++)
            y[i] = y[i] * factor->row_factor[i] / factor->dense[i + i * factor->n];
    } else if (factor->dense != NULL) {
        for (int i = 0; i < factor->n; i++) y[i] *= factor->row_factor[i];
        tp_dense_lu_solve(factor->n, factor->dense, factor->n, factor->pivot, y);
    } else {
        tp_lu_solve(&factor->sparse, y);
    }
}
