/* Problems whose M is diagonal: states and measures without a factorisation; theory/solvers.md (28h). */
#include "diagonal.h"

#include "math/block_matrix.h"
#include "math/sparse.h"

#include <math.h>
#include <string.h>

bool tp_diagonal_take(const tp_sparse *M, double *mass)
{
    for (int j = 0; j < M->cols; j++) {
        mass[j] = 0.0;
        for (int k = M->start[j]; k < M->start[j + 1]; k++) {
            if (M->index[k] != j && M->value[k] != 0.0) return false;
            if (M->index[k] == j) mass[j] = M->value[k];
        }
        if (!(mass[j] > 0.0)) return false;
    }
    return true;
}

void tp_diagonal_move(const tp_problem *problem, const double *mass, const double *P, double *x, double *xi)
{
    memcpy(x, problem->f, (size_t)problem->x_count * sizeof(double));
    if (P != NULL) tp_sparse_multiply_add(&problem->A, P, x);
    for (int k = 0; k < problem->x_count; k++) x[k] /= mass[k];
    memcpy(xi, problem->b, (size_t)problem->row_count * sizeof(double));
    if (P != NULL) tp_block_matrix_apply(&problem->D, P, problem->b, xi);
    tp_sparse_multiply_transposed_add(&problem->Ct, x, xi);
}

tp_status tp_diagonal_measure(const tp_problem *problem, const double *mass, const double *c, tp_stack *stack,
                              tp_local *local)
{
    double square = 0.0;
    tp_local_sums sums = {0.0, 0.0, 0.0};
    for (int i = 0; i < problem->set_count; i++) {
        const tp_set *set = &problem->sets[i];
        const double *D = problem->D.value + problem->D.offset[problem->D.diagonal[i]];
        for (int a = 0; a < set->size; a++) {
            int row = set->first + a;
            double entry = D[a + a * set->size];
            for (int k = problem->A.start[row]; k < problem->A.start[row + 1]; k++)
                entry += problem->Ct.value[k] * problem->A.value[k] / mass[problem->A.index[k]];
            sums.diagonal += entry;
            square += entry * entry;
        }
    }
    sums.norm = sqrt(square);
    TP_TRY(tp_problem_inertia(problem, stack, &sums.inertia));
    tp_local_measure_sums(problem, c, &sums, local);
    return TP_OK;
}
