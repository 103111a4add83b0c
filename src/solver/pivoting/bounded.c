/* Dense problems with bounds: data, error, polishing. */
#include "solver/pivoting/bounded.h"

#include "math/dense.h"
#include "problem/tolerances.h"
#include "set/row_bounds.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

tp_status tp_box_take(tp_box_problem *box, int n, tp_stack *stack)
{
    box->n = n;
    box->M = TP_STACK_ARRAY(stack, double, (size_t)n *(size_t)n + 1);
    TP_STACK_DOUBLES(stack, n + 1, &box->q, &box->lower, &box->upper);
    if (!box->M || !box->q || !box->lower || !box->upper) return TP_OUT_OF_MEMORY;
    memset(box->M, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        box->q[i] = 0.0;
        box->lower[i] = -HUGE_VAL;
        box->upper[i] = HUGE_VAL;
    }
    box->rho = box->scale = 1.0;
    return TP_OK;
}

void tp_local_dense(const tp_local *local, double *G_out)
{
    const tp_block_matrix *G = local->G;
    const int n = local->row_count;
    memset(G_out, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int bi = 0; bi < G->block_rows; bi++)
        for (int k = G->start[bi]; k < G->start[bi + 1]; k++) {
            int bj = G->column[k], rows = G->first[bi + 1] - G->first[bi];
            const double *value = G->value + G->offset[k];
            for (int j = G->first[bj]; j < G->first[bj + 1]; j++)
                for (int i = 0; i < rows; i++) G_out[G->first[bi] + i + (size_t)j * (size_t)n] = *value++;
        }
}

tp_status tp_box_from_local(const tp_local *local, tp_stack *stack, tp_box_problem *box_out)
{
    TP_TRY(tp_box_take(box_out, local->row_count, stack));
    tp_local_dense(local, box_out->M);
    memcpy(box_out->q, local->c, (size_t)local->row_count * sizeof(double));
    for (int s = 0; s < local->set_count; s++) {
        const tp_set *set = &local->sets[s];
        for (int k = 0; k < set->size; k++) {
            tp_row_bounds bounds = tp_set_row_bounds(set, k);
            box_out->lower[set->first + k] = bounds.lower;
            box_out->upper[set->first + k] = bounds.upper;
        }
    }
    box_out->rho = local->rho;
    box_out->scale = local->scale;
    return TP_OK;
}

void tp_box_measure(tp_box_problem *box)
{
    const int n = box->n;
    double diagonal = 0.0;
    int count = 0;
    for (int i = 0; i < n; i++)
        if (box->lower[i] > -HUGE_VAL || box->upper[i] < HUGE_VAL)
            diagonal += box->M[i + (size_t)i * (size_t)n], count++;
    double size = n > 0 ? tp_dense_norm(n * n, box->M) / sqrt(n) : 0.0;
    box->rho = count > 0 ? diagonal / count : size;
    if (!(box->rho > tp_smallest_mean * size)) box->rho = size;
    if (!(box->rho > 0.0)) box->rho = 1.0;
    box->scale = tp_dense_norm(n, box->q);
    if (!(box->scale > tp_smallest_scale)) box->scale = 1.0;
}

double tp_box_error(const tp_box_problem *box, const double *z, double *xi_out)
{
    const int n = box->n;
    const double rho = box->rho;
    double sum = 0.0;
    memcpy(xi_out, box->q, (size_t)n * sizeof(double));
    tp_dense_multiply_add(n, n, box->M, n, z, xi_out);
    for (int i = 0; i < n; i++) {
        bool has_lower = box->lower[i] > -HUGE_VAL, has_upper = box->upper[i] < HUGE_VAL;
        double xi = xi_out[i], at = rho * z[i] - xi;
        double nearest = fmin(fmax(at, rho * box->lower[i]), rho * box->upper[i]);
        double error = has_lower || has_upper ? fabs(rho * z[i] - nearest) : fabs(xi);
        if (has_lower && !has_upper) error = fmax(error, -xi);
        if (has_upper && !has_lower) error = fmax(error, xi);
        sum += error * error;
    }
    double result = sqrt(sum) / box->scale;
    return isfinite(result) ? result : 1e300;
}

/* Rows that the natural map takes for unbounded are solved for; the others are put on their bound. */
static void guess_states(const tp_box_problem *box, const double *z, const double *xi, double *z_out,
                         int *index, int *count)
{
    *count = 0;
    for (int i = 0; i < box->n; i++) {
        double diagonal = box->M[i + (size_t)i * (size_t)box->n];
        double at = z[i] - xi[i] / (diagonal > tp_smallest_length * box->rho ? diagonal : box->rho);
        z_out[i] = fmin(fmax(z[i], box->lower[i]), box->upper[i]);
        if (at <= box->lower[i])
            z_out[i] = box->lower[i];
        else if (at >= box->upper[i])
            z_out[i] = box->upper[i];
        else
            index[(*count)++] = i;
    }
}

/* Newton steps on the rows `index` with the factors of their block, kept while E falls. */
static double improve(const tp_box_problem *box, int count, const int *index, const double *lu,
                      const int *pivot, double *trial, double *xi, double *step, double *z, double best)
{
    for (int round = 0; round < 3; round++) {
        tp_box_error(box, trial, xi);
        for (int i = 0; i < count; i++) step[i] = -xi[index[i]];
        tp_dense_lu_solve(count, lu, count, pivot, step);
        for (int i = 0; i < count; i++) trial[index[i]] += step[i];
        double error = tp_box_error(box, trial, xi);
        if (error < best) {
            best = error;
            memcpy(z, trial, (size_t)box->n * sizeof(double));
        }
    }
    return best;
}

double tp_box_polish(const tp_box_problem *box, tp_stack *stack, double *z)
{
    const int n = box->n;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    double *xi = TP_STACK_ARRAY(stack, double, n + 1), *trial = TP_STACK_ARRAY(stack, double, n + 1);
    double *step = TP_STACK_ARRAY(stack, double, n + 1);
    double *B = TP_STACK_ARRAY(stack, double, (size_t)n *(size_t)n + 1);
    int *index = TP_STACK_ARRAY(stack, int, n + 1), *pivot = TP_STACK_ARRAY(stack, int, n + 1);
    double best = tp_error_of_nothing;
    if (xi && trial && step && B && index && pivot) {
        best = tp_box_error(box, z, xi);
        for (int round = 0; round < 2; round++) {
            int count;
            guess_states(box, z, xi, trial, index, &count);
            for (int j = 0; j < count; j++)
                for (int i = 0; i < count; i++)
                    B[i + (size_t)j * (size_t)count] = box->M[index[i] + (size_t)index[j] * (size_t)n];
            if (count > 0 && tp_dense_lu(count, B, count, pivot, tp_polish_pivot) != TP_OK) break;
            best = improve(box, count, index, B, pivot, trial, xi, step, z, best);
            tp_box_error(box, z, xi);
        }
    }
    tp_stack_release(stack, mark);
    return best;
}
