/* The local form of a problem, its measures rho and scale, and the state that belongs to P;
 * theory/problems.md (2)-(4), (7), (8). */
#include "local.h"

#include "math/block_matrix.h"
#include "math/dense.h"
#include "math/factor.h"
#include "math/sparse.h"
#include "reduce.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

bool tp_is_rounding(double velocity)
{
    return !(velocity > tp_smallest_scale);
}

/* Vectors that estimate |G|_F: a guard and a rounding floor need no more than its size. */
enum { NORM_PROBES = 4 };

/* From the mean of the diagonal over `count` rows that are not joints, and the norm of G. */
static double choose_rho(int count, double mean, int row_count, double G_norm)
{
    double typical = row_count > 0 ? G_norm / sqrt(row_count) : 0.0;
    if (count > 0 && mean > tp_smallest_mean * typical) return mean;
    return typical > 0.0 ? typical : 1.0;
}

static void take_rho(int count, double mean, double G_norm, tp_local *local)
{
    local->mean_count = count;
    local->mean = mean;
    local->G_norm = G_norm;
    local->rho = choose_rho(count, mean, local->row_count, G_norm);
}

/* G_norm: Frobenius norm of G if it is known, else negative. */
static void measure_matrix(double G_norm, tp_local *local)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < local->set_count; i++) {
        if (local->sets[i].kind == TP_SET_FREE) continue;
        int n = local->sets[i].size;
        const double *block = tp_local_diagonal(local, i);
        for (int k = 0; k < n; k++) sum += block[k + (size_t)k * (size_t)n];
        count += n;
    }
    if (G_norm < 0.0) G_norm = tp_block_matrix_frobenius_norm(local->G);
    take_rho(count, count > 0 ? sum / count : 0.0, G_norm, local);
}

static void measure_scale(tp_local *local)
{
    double norm = tp_dense_norm(local->row_count, local->c);
    local->at_rounding = tp_is_rounding(norm);
    local->scale = local->at_rounding ? 1.0 : norm;
}

tp_status tp_local_form_ordered(const tp_problem *problem, const int *order, tp_stack *stack,
                                tp_local *local_out)
{
    *local_out = (tp_local){.row_count = problem->row_count,
                            .set_count = problem->set_count,
                            .G = &problem->D,
                            .c = problem->b,
                            .sets = problem->sets};
    if (problem->x_count > 0) {
        double *c = TP_STACK_ARRAY(stack, double, problem->row_count);
        if (c == NULL) return TP_OUT_OF_MEMORY;
        TP_TRY(tp_reduce(problem, order, stack, &local_out->own, c));
        local_out->G = &local_out->own;
        local_out->global = problem;
        local_out->c = c;
    }
    measure_scale(local_out);
    TP_TRY(tp_problem_inertia(problem, stack, &local_out->inertia));
    measure_matrix(problem->x_count > 0 ? -1.0 : problem->D_norm, local_out);
    return TP_OK;
}

tp_status tp_local_form(const tp_problem *problem, tp_stack *stack, tp_local *local_out)
{
    return tp_local_form_ordered(problem, NULL, stack, local_out);
}

void tp_local_velocity(const tp_local *local, const double *P, double *xi_out)
{
    tp_block_matrix_apply(local->G, P, local->c, xi_out);
}

/* ---- without G ---- */

/* y = M^-1 A_r for one row. */
static void response(const tp_problem *problem, const tp_lu *lu, int row, double *y)
{
    memset(y, 0, (size_t)problem->x_count * sizeof(double));
    for (int k = problem->A.start[row]; k < problem->A.start[row + 1]; k++)
        y[problem->A.index[k]] = problem->A.value[k];
    tp_lu_solve(lu, y);
}

/* Mean of the diagonal of G over the rows that are not joints; y [x_count]. */
static double mean_diagonal(const tp_problem *problem, const tp_lu *lu, double *y, int *count_out)
{
    double sum = 0.0;
    *count_out = 0;
    for (int i = 0; i < problem->set_count; i++) {
        const tp_set *set = &problem->sets[i];
        if (set->kind == TP_SET_FREE) continue;
        const double *block = problem->D.value + problem->D.offset[problem->D.diagonal[i]];
        for (int k = 0; k < set->size; k++) {
            int row = set->first + k;
            response(problem, lu, row, y);
            sum += block[k + k * set->size];
            for (int e = problem->Ct.start[row]; e < problem->Ct.start[row + 1]; e++)
                sum += problem->Ct.value[e] * y[problem->Ct.index[e]];
        }
        *count_out += set->size;
    }
    return *count_out > 0 ? sum / *count_out : 0.0;
}

/* |G|_F up to a small factor: the mean of |G z|^2 over vectors z of random signs; theory/problems.md (15).
   y [x_count], z, Gz [row_count]. */
static double estimate_norm(const tp_problem *problem, const tp_lu *lu, double *y, double *z, double *Gz)
{
    unsigned long long random = 30011ull;
    double sum = 0.0;
    for (int probe = 0; probe < NORM_PROBES; probe++) {
        for (int r = 0; r < problem->row_count; r++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            z[r] = random >> 63 ? 1.0 : -1.0;
        }
        memset(y, 0, (size_t)problem->x_count * sizeof(double));
        tp_sparse_multiply_add(&problem->A, z, y);
        tp_lu_solve(lu, y);
        tp_block_matrix_apply(&problem->D, z, NULL, Gz);
        tp_sparse_multiply_transposed_add(&problem->Ct, y, Gz);
        sum += tp_dense_dot(problem->row_count, Gz, Gz);
    }
    return sqrt(sum / NORM_PROBES);
}

tp_status tp_local_measure(const tp_problem *problem, const tp_lu *lu, tp_stack *stack, tp_local *local_out)
{
    int n = problem->x_count, rows = problem->row_count, count = 0;
    *local_out = (tp_local){.row_count = rows, .set_count = problem->set_count, .sets = problem->sets};
    double *c = TP_STACK_ARRAY(stack, double, rows);
    tp_stack_mark mark = tp_stack_mark_now(stack);
    double *y = TP_STACK_ARRAY(stack, double, n), *z = TP_STACK_ARRAY(stack, double, rows),
           *Gz = TP_STACK_ARRAY(stack, double, rows);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memcpy(y, problem->f, (size_t)n * sizeof(double)); /* c = C M^-1 f + b */
    tp_lu_solve(lu, y);
    memcpy(c, problem->b, (size_t)rows * sizeof(double));
    tp_sparse_multiply_transposed_add(&problem->Ct, y, c);
    local_out->c = c;
    measure_scale(local_out);
    TP_TRY(tp_problem_inertia(problem, stack, &local_out->inertia));
    double mean = mean_diagonal(problem, lu, y, &count);
    take_rho(count, mean, estimate_norm(problem, lu, y, z, Gz), local_out);
    tp_stack_release(stack, mark);
    return TP_OK;
}

tp_status tp_local_measure_blocks(const tp_problem *problem, const tp_block_matrix *blocks, const double *c,
                                  tp_stack *stack, tp_local *local_out)
{
    *local_out = (tp_local){.row_count = problem->row_count,
                            .set_count = problem->set_count,
                            .G = blocks,
                            .c = c,
                            .sets = problem->sets};
    measure_scale(local_out);
    TP_TRY(tp_problem_inertia(problem, stack, &local_out->inertia));
    measure_matrix(-1.0, local_out);
    return TP_OK;
}

void tp_local_measure_sums(const tp_problem *problem, const double *c, const tp_local_sums *sums,
                           tp_local *local_out)
{
    int rows = problem->row_count;
    *local_out =
        (tp_local){.row_count = rows, .set_count = problem->set_count, .c = c, .sets = problem->sets};
    measure_scale(local_out);
    local_out->inertia = sums->inertia;
    take_rho(rows, rows > 0 ? sums->diagonal / rows : 0.0, sums->norm, local_out);
}

/* ---- by parts ---- */

void tp_local_add_part(const tp_local *part, tp_local *whole)
{
    whole->mean += part->mean_count * part->mean;
    whole->mean_count += part->mean_count;
    whole->G_norm = hypot(whole->G_norm, part->G_norm);
    whole->inertia += part->inertia;
}

void tp_local_measure_parts(tp_local *whole)
{
    double mean = whole->mean_count > 0 ? whole->mean / whole->mean_count : 0.0;
    measure_scale(whole);
    take_rho(whole->mean_count, mean, whole->G_norm, whole);
}

/* ---- the state of P ---- */

void tp_problem_state_by(const tp_problem *problem, const tp_lu *lu, const double *P, double *x_out,
                         double *xi_out)
{
    if (problem->x_count > 0) { /* x = M^-1 (f + A P) */
        memcpy(x_out, problem->f, (size_t)problem->x_count * sizeof(double));
        tp_sparse_multiply_add(&problem->A, P, x_out);
        tp_lu_solve(lu, x_out);
    }
    if (xi_out == NULL) return;
    tp_block_matrix_apply(&problem->D, P, problem->b, xi_out); /* xi = C x + D P + b */
    if (problem->x_count > 0) tp_sparse_multiply_transposed_add(&problem->Ct, x_out, xi_out);
}

tp_status tp_problem_state_with(const tp_problem *problem, tp_stack *stack, const double *P, double *x_out,
                                double *xi_out)
{
    tp_stack_mark mark = tp_stack_mark_now(stack);
    double *x = TP_STACK_ARRAY(stack, double, problem->x_count);
    if (x == NULL) return TP_OUT_OF_MEMORY;
    tp_lu lu = {0};
    tp_status status = problem->x_count > 0 ? tp_lu_factor(stack, &problem->M, 0.1, NULL, &lu) : TP_OK;
    if (status == TP_OK) tp_problem_state_by(problem, &lu, P, x, xi_out);
    if (status == TP_OK && x_out != NULL && problem->x_count > 0)
        memcpy(x_out, x, (size_t)problem->x_count * sizeof(double));
    tp_stack_release(stack, mark);
    return status;
}

tp_status tp_problem_state(const tp_problem *problem, const double *P, double *x_out, double *xi_out)
{
    if (problem == NULL || (P == NULL && problem->row_count > 0)) return TP_INVALID_ARGUMENT;
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    tp_status status = tp_problem_state_with(problem, &stack, P, x_out, xi_out);
    tp_stack_clear(&stack);
    return status;
}
