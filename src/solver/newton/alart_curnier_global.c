/* Semi-smooth Newton on (x, P) together, never forming C M^-1 A; theory/solvers.md (35), (36):
       [ M      -A C_d ] [x]   [ f + A base                     ]
       [ R C   R D C_d + K ] [d] = [ -(R (D base + b) + offset) ]
   with P = base + C_d d from the linearised laws. */
#include "linearise.h"
#include "math/block_matrix.h"
#include "math/dense.h"
#include "math/factor.h"
#include "math/sparse.h"
#include "solver/solvers.h"
#include "solver/sweeps/accelerated.h"
#include "solver/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_STEPS = 400, HALVINGS = 20, FALLBACK_SWEEPS = 20 };

typedef struct newton {
    const tp_problem *problem;
    const tp_local *local; /* for the step lengths and the error only */
    tp_linear_block *block;
    int *first;  /* [set_count + 1] first unknown d of each block */
    int *set_of; /* [row_count]                                   */
    tp_sparse C; /* row_count x x_count: by unknowns x            */
    tp_sparse kkt;
    int capacity;
    int *place; /* [x_count + row_count] where a row of the current column is, or -1 */
    double *right, *base_velocity;
    double *x, *P, *xi, *trial_x, *trial_P, *trial_xi;
} newton;

/* Transposes Ct on the stack. */
static tp_status make_C(newton *it, tp_stack *stack)
{
    const tp_sparse *Ct = &it->problem->Ct;
    int n = Ct->rows, m = Ct->cols, count = Ct->start[m];
    it->C = (tp_sparse){.rows = m, .cols = n};
    it->C.start = TP_STACK_ARRAY(stack, int, n + 1);
    it->C.index = TP_STACK_ARRAY(stack, int, count);
    it->C.value = TP_STACK_ARRAY(stack, double, count);
    int *next = TP_STACK_ARRAY(stack, int, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(it->C.start, 0, (size_t)(n + 1) * sizeof(int));
    for (int k = 0; k < count; k++) it->C.start[Ct->index[k] + 1]++;
    for (int j = 0; j < n; j++) it->C.start[j + 1] += it->C.start[j];
    memcpy(next, it->C.start, (size_t)n * sizeof(int));
    for (int r = 0; r < m; r++) {
        for (int k = Ct->start[r]; k < Ct->start[r + 1]; k++) {
            int at = next[Ct->index[k]]++;
            it->C.index[at] = r;
            it->C.value[at] = Ct->value[k];
        }
    }
    return TP_OK;
}

static tp_status take_memory(newton *it, const tp_solve_call *call)
{
    const tp_problem *problem = call->problem;
    tp_stack *stack = call->stack;
    int n = problem->x_count, m = problem->row_count, all = n + m;
    it->problem = problem;
    it->local = call->local;
    it->block = TP_STACK_ARRAY(stack, tp_linear_block, problem->set_count);
    it->first = TP_STACK_ARRAY(stack, int, problem->set_count + 1);
    it->set_of = TP_STACK_ARRAY(stack, int, m);
    it->place = TP_STACK_ARRAY(stack, int, all);
    it->right = TP_STACK_ARRAY(stack, double, all);
    it->base_velocity = TP_STACK_ARRAY(stack, double, m);
    it->x = TP_STACK_ARRAY(stack, double, n);
    it->trial_x = TP_STACK_ARRAY(stack, double, n);
    it->P = TP_STACK_ARRAY(stack, double, m);
    it->trial_P = TP_STACK_ARRAY(stack, double, m);
    it->xi = TP_STACK_ARRAY(stack, double, m);
    it->trial_xi = TP_STACK_ARRAY(stack, double, m);
    /* Every entry of M, and every entry of A, C, D spread over the rows or columns of its block. */
    long long most = problem->M.start[n] + (long long)problem->D.offset[problem->D.block_count];
    most += (long long)TP_SET_MAX * (problem->A.start[m] + problem->Ct.start[m]);
    if (most > 2000000000LL) return TP_OUT_OF_MEMORY;
    it->capacity = (int)most;
    it->kkt.start = TP_STACK_ARRAY(stack, int, all + 1);
    it->kkt.index = TP_STACK_ARRAY(stack, int, most);
    it->kkt.value = TP_STACK_ARRAY(stack, double, most);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < problem->set_count; i++) {
        for (int k = 0; k < problem->sets[i].size; k++) it->set_of[problem->sets[i].first + k] = i;
    }
    for (int i = 0; i < all; i++) it->place[i] = -1;
    return make_C(it, stack);
}

/* Adds to the entry at `row` of the column being built. */
static void add_entry(newton *it, int row, double value, int *count)
{
    if (it->place[row] < 0) {
        it->place[row] = *count;
        it->kkt.index[*count] = row;
        it->kkt.value[(*count)++] = 0.0;
    }
    it->kkt.value[it->place[row]] += value;
}

/* Ends a column: sorts its rows (insertion: columns are short) and forgets their places. */
static void end_column(newton *it, int column, int count)
{
    int begin = it->kkt.start[column];
    for (int k = begin; k < count; k++) it->place[it->kkt.index[k]] = -1;
    for (int k = begin + 1; k < count; k++) {
        int row = it->kkt.index[k], at = k;
        double value = it->kkt.value[k];
        for (; at > begin && it->kkt.index[at - 1] > row; at--) {
            it->kkt.index[at] = it->kkt.index[at - 1];
            it->kkt.value[at] = it->kkt.value[at - 1];
        }
        it->kkt.index[at] = row;
        it->kkt.value[at] = value;
    }
    it->kkt.start[column + 1] = count;
}

static int x_columns(newton *it, int count)
{
    const tp_problem *problem = it->problem;
    for (int j = 0; j < problem->x_count; j++) {
        for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++) {
            add_entry(it, problem->M.index[k], problem->M.value[k], &count);
        }
        for (int k = it->C.start[j]; k < it->C.start[j + 1]; k++) {
            int row = it->C.index[k], i = it->set_of[row];
            const tp_linear_block *block = &it->block[i];
            const double *R = block->R + (row - problem->sets[i].first) * block->dim;
            for (int a = 0; a < block->dim; a++) {
                if (R[a] != 0.0)
                    add_entry(it, problem->x_count + it->first[i] + a, R[a] * it->C.value[k], &count);
            }
        }
        end_column(it, j, count);
    }
    return count;
}

/* Columns of block j: -A C_j above, R_i D_ij C_j + K below; D's blocks come row by row, so its transpose
 * pattern is taken. */
static void block_columns(newton *it, int j, const tp_block_columns *columns, int *count)
{
    const tp_problem *problem = it->problem;
    const tp_linear_block *block = &it->block[j];
    double shift = tp_tiny_shift * it->local->rho;
    for (int c = 0; c < block->dim; c++) {
        const double *column = block->C + c * block->size;
        for (int k = 0; k < block->size; k++) {
            int row = problem->sets[j].first + k;
            if (column[k] == 0.0) continue;
            for (int e = problem->A.start[row]; e < problem->A.start[row + 1]; e++) {
                add_entry(it, problem->A.index[e], -problem->A.value[e] * column[k], count);
            }
        }
        for (int e = columns->start[j]; e < columns->start[j + 1]; e++) {
            int i = columns->row[e];
            const tp_linear_block *rows = &it->block[i];
            const double *D = problem->D.value + problem->D.offset[columns->place[e]];
            for (int a = 0; a < rows->dim; a++) {
                double sum = i == j ? rows->K[a + c * rows->dim] : 0.0;
                for (int p = 0; p < rows->size; p++) {
                    double moved = i == j ? shift * column[p] : 0.0;
                    for (int q = 0; q < block->size; q++) moved += D[p + q * rows->size] * column[q];
                    sum += rows->R[a + p * rows->dim] * moved;
                }
                add_entry(it, problem->x_count + it->first[i] + a, sum, count);
            }
        }
        end_column(it, problem->x_count + it->first[j] + c, *count);
    }
}

/* Linearises the laws and builds matrix and right-hand side. */
static tp_status assemble(newton *it, tp_stack *stack)
{
    const tp_problem *problem = it->problem;
    int n = problem->x_count, unknown = 0, sets = problem->set_count;
    double *base = it->trial_P;
    for (int i = 0; i < sets; i++) {
        const tp_set *set = &problem->sets[i];
        const double *G = tp_local_diagonal(it->local, i);
        tp_law_linearise(set, tp_set_scale(set, it->P), tp_law_step_lengths(set, G, 0.0), it->P + set->first,
                         it->xi + set->first, &it->block[i]);
        memcpy(base + set->first, it->block[i].base, (size_t)set->size * sizeof(double));
        it->first[i] = unknown;
        unknown += it->block[i].dim;
    }
    it->first[sets] = unknown;

    tp_block_columns columns;
    TP_TRY(tp_block_matrix_columns(&problem->D, stack, &columns));
    it->kkt.rows = it->kkt.cols = n + unknown;
    it->kkt.start[0] = 0;
    int count = x_columns(it, 0);
    for (int j = 0; j < sets; j++) block_columns(it, j, &columns, &count);

    memcpy(it->right, problem->f, (size_t)n * sizeof(double));
    tp_sparse_multiply_add(&problem->A, base, it->right);
    tp_block_matrix_apply(&problem->D, base, problem->b, it->base_velocity);
    for (int i = 0; i < sets; i++) {
        const tp_linear_block *block = &it->block[i];
        for (int a = 0; a < block->dim; a++) {
            double sum = block->offset[a];
            for (int k = 0; k < block->size; k++)
                sum += block->R[a + k * block->dim] * it->base_velocity[problem->sets[i].first + k];
            it->right[n + it->first[i] + a] = -sum;
        }
    }
    return TP_OK;
}

/* The Newton point in trial_x, trial_P. */
static tp_status newton_point(newton *it, tp_stack *stack)
{
    const tp_problem *problem = it->problem;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_lu lu;
    tp_status status = assemble(it, stack);
    if (status == TP_OK) status = tp_lu_factor(stack, &it->kkt, 0.1, NULL, &lu);
    if (status == TP_OK) {
        tp_lu_solve(&lu, it->right);
        memcpy(it->trial_x, it->right, (size_t)problem->x_count * sizeof(double));
        for (int i = 0; i < problem->set_count; i++) {
            const tp_linear_block *block = &it->block[i];
            double *p = it->trial_P + problem->sets[i].first;
            const double *d = it->right + problem->x_count + it->first[i];
            for (int c = 0; c < block->dim; c++) {
                for (int k = 0; k < block->size; k++) p[k] += block->C[k + c * block->size] * d[c];
            }
        }
    }
    tp_stack_release(stack, mark);
    return status;
}

/* xi = C x + D P + b. */
static void velocity(const tp_problem *problem, const double *x, const double *P, double *xi)
{
    tp_block_matrix_apply(&problem->D, P, problem->b, xi);
    tp_sparse_multiply_transposed_add(&problem->Ct, x, xi);
}

/* From (x, P) towards the Newton point; x and P move together, so M x = f + A P stays true. */
static bool line_search(newton *it, double *merit_io)
{
    const tp_problem *problem = it->problem;
    double fraction = 1.0;
    for (int h = 0; h <= HALVINGS; h++, fraction *= 0.5) {
        if (h > 0) { /* halfway back */
            for (int k = 0; k < problem->x_count; k++) it->trial_x[k] = 0.5 * (it->trial_x[k] + it->x[k]);
            for (int k = 0; k < problem->row_count; k++) it->trial_P[k] = 0.5 * (it->trial_P[k] + it->P[k]);
        }
        velocity(problem, it->trial_x, it->trial_P, it->trial_xi);
        double value = tp_law_merit(it->local, NULL, it->trial_P, it->trial_xi);
        if (value <= (1.0 - 2.0 * tp_sufficient_decrease * fraction) * *merit_io) {
            memcpy(it->x, it->trial_x, (size_t)problem->x_count * sizeof(double));
            memcpy(it->P, it->trial_P, (size_t)problem->row_count * sizeof(double));
            memcpy(it->xi, it->trial_xi, (size_t)problem->row_count * sizeof(double));
            *merit_io = value;
            return true;
        }
    }
    return false;
}

static tp_status solve_global(const tp_solve_call *call, double *P, tp_report *report)
{
    const tp_problem *problem = call->problem;
    newton it = {0};
    tp_sweeps sweeps;
    TP_TRY(take_memory(&it, call));
    TP_TRY(tp_sweeps_init(&sweeps, call->local, call->stack));
    tp_sweeps_aim(&sweeps, call->options, 1.0);
    int limit = call->options->max_iterations > 0 ? call->options->max_iterations : DEFAULT_STEPS, steps = 0,
        fallbacks = 0;
    memcpy(it.P, P, (size_t)problem->row_count * sizeof(double));
    TP_TRY(tp_problem_state_with(problem, call->stack, it.P, it.x, it.xi));
    double value = tp_law_merit(call->local, NULL, it.P, it.xi), error = tp_sweeps_judge(&sweeps, it.P);
    while (error > sweeps.aim && steps < limit) {
        tp_status status = newton_point(&it, call->stack);
        steps++;
        if (status == TP_OUT_OF_MEMORY) return status;
        if (status != TP_OK || !line_search(&it, &value)) {
            tp_sweeps_escape(&sweeps, FALLBACK_SWEEPS * ++fallbacks, it.P);
            TP_TRY(tp_problem_state_with(problem, call->stack, it.P, it.x, it.xi));
            value = tp_law_merit(call->local, NULL, it.P, it.xi);
        }
        error = tp_sweeps_judge(&sweeps, it.P);
    }
    memcpy(P, sweeps.best, (size_t)problem->row_count * sizeof(double));
    return tp_sweeps_report_newton(&sweeps, steps, fallbacks, report);
}

const tp_solver tp_solver_alart_curnier_global = {
    .info = {"alart-curnier-global",
             "semi-smooth Newton with line search on unknowns and impulses together, global form", true},
    .accepts = TP_ACCEPT_ALL,
    .needs_global = true,
    .solve = solve_global,
};
