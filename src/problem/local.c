/* The local form of a problem, its measures rho and scale, and the state that belongs to P;
 * theory/problems.md (2)-(4), (7), (8). */
#include "local.h"

#include "math/block_matrix.h"
#include "math/dense.h"
#include "math/factor.h"
#include "math/sparse.h"
#include "reduce.h"

#include <math.h>
#include <string.h>

/* Below this |c| the data are rounding noise and the error is absolute; theory/problems.md (8). */
static const double smallest_scale = 1e-12;

bool tp_is_rounding(double velocity)
{
    return !(velocity > smallest_scale);
}

/* The mean diagonal serves as rho only if it is not negligible beside the whole matrix; theory/problems.md
 * (7). */
static const double smallest_diagonal = 1e-8;

/* G_norm: Frobenius norm of G if it is known, else negative. */
static double choose_rho(const tp_local *local, double G_norm)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < local->set_count; i++) {
        if (local->sets[i].kind == TP_SET_FREE) continue;
        int n = local->sets[i].size;
        const double *block = local->G->value + local->G->offset[local->G->diagonal[i]];
        for (int k = 0; k < n; k++) sum += block[k + (size_t)k * (size_t)n];
        count += n;
    }
    double mean = count > 0 ? sum / count : 0.0;
    if (G_norm < 0.0) G_norm = tp_block_matrix_frobenius_norm(local->G);
    double typical = local->row_count > 0 ? G_norm / sqrt(local->row_count) : 0.0;
    if (count > 0 && mean > smallest_diagonal * typical) return mean;
    return typical > 0.0 ? typical : 1.0;
}

static void measure(tp_local *local, double G_norm)
{
    double norm = tp_dense_norm(local->row_count, local->c);
    local->at_rounding = tp_is_rounding(norm);
    local->scale = local->at_rounding ? 1.0 : norm;
    local->rho = choose_rho(local, G_norm);
}

tp_status tp_local_form(const tp_problem *problem, tp_stack *stack, tp_local *local_out)
{
    *local_out = (tp_local){.row_count = problem->row_count,
                            .set_count = problem->set_count,
                            .G = &problem->D,
                            .c = problem->b,
                            .sets = problem->sets};
    if (problem->x_count > 0) {
        double *c = TP_STACK_ARRAY(stack, double, problem->row_count);
        if (c == NULL) return TP_OUT_OF_MEMORY;
        TP_TRY(tp_reduce(problem, stack, &local_out->own, c));
        local_out->G = &local_out->own;
        local_out->c = c;
    }
    measure(local_out, problem->x_count > 0 ? -1.0 : problem->D_norm);
    return TP_OK;
}

void tp_local_velocity(const tp_local *local, const double *P, double *xi_out)
{
    tp_block_matrix_apply(local->G, P, local->c, xi_out);
}

tp_status tp_problem_state_with(const tp_problem *problem, tp_stack *stack, const double *P, double *x_out,
                                double *xi_out)
{
    tp_stack_mark mark = tp_stack_mark_now(stack);
    double *x = TP_STACK_ARRAY(stack, double, problem->x_count);
    if (x == NULL) return TP_OUT_OF_MEMORY;

    tp_status status = TP_OK;
    if (problem->x_count > 0) { /* x = M^-1 (f + A P) */
        tp_lu lu;
        memcpy(x, problem->f, (size_t)problem->x_count * sizeof(double));
        tp_sparse_multiply_add(&problem->A, P, x);
        status = tp_lu_factor(stack, &problem->M, 0.1, NULL, &lu);
        if (status == TP_OK) tp_lu_solve(&lu, x);
    }
    if (status == TP_OK && x_out != NULL && problem->x_count > 0) {
        memcpy(x_out, x, (size_t)problem->x_count * sizeof(double));
    }
    if (status == TP_OK && xi_out != NULL) { /* xi = C x + D P + b */
        tp_block_matrix_apply(&problem->D, P, problem->b, xi_out);
        if (problem->x_count > 0) tp_sparse_multiply_transposed_add(&problem->Ct, x, xi_out);
    }
    tp_stack_release(stack, mark);
    return status;
}

tp_status tp_problem_state(const tp_problem *problem, const double *P, double *x_out, double *xi_out)
{
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    tp_status status = tp_problem_state_with(problem, &stack, P, x_out, xi_out);
    tp_stack_clear(&stack);
    return status;
}
