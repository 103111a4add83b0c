/* The linear system of one Newton step on the active rows: dense if small, else sparse; theory/solvers.md
 * (14). */
#include "reduced_system.h"

#include "math/dense.h"
#include "math/factor.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

/* Systems up to this size are solved densely. */
enum { DENSE_SYSTEM = 96 };

tp_status tp_reduced_system_init(tp_reduced_system *system, const tp_local *local, tp_stack *stack)
{
    *system = (tp_reduced_system){.local = local};
    system->block = TP_STACK_ARRAY(stack, tp_linear_block, local->set_count);
    system->first = TP_STACK_ARRAY(stack, int, local->set_count + 1);
    system->base = TP_STACK_ARRAY(stack, double, local->row_count);
    system->velocity = TP_STACK_ARRAY(stack, double, local->row_count);
    system->at = TP_STACK_ARRAY(stack, double, local->row_count);
    system->order = TP_STACK_ARRAY(stack, int, local->set_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_block_matrix_columns(local->G, stack, &system->columns));

    tp_sparse pattern = {local->set_count, local->set_count, system->columns.start, system->columns.row,
                         NULL};
    return tp_order_amd(stack, &pattern, system->order);
}

static bool is_held(const tp_reduced_system *system, int i)
{
    return system->held != NULL && system->local->sets[i].master_count > 0;
}

/* Change of the size of set i, which follows a master, along d [dim] of set j; 0 where j is not the master.
 */
static double size_change(const tp_reduced_system *system, int i, int j, const double *change)
{
    const tp_set *set = &system->local->sets[i], *master = &system->local->sets[j];
    double size = tp_set_scale(set, system->at), sum = 0.0;
    for (int k = 0; k < master->size && size > 0.0; k++) {
        int row = master->first + k;
        if (row >= set->master && row < set->master + set->master_count)
            sum += system->at[row] / size * change[k];
    }
    return sum;
}

void tp_reduced_system_linearise(tp_reduced_system *system, const double *P, const double *xi, double shift,
                                 const double *centre)
{
    const tp_local *local = system->local;
    system->shift = shift;
    memcpy(system->at, P, (size_t)local->row_count * sizeof(double));
    int unknown = 0;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        const double *D = tp_local_diagonal(local, i);
        tp_step_lengths r = tp_law_step_lengths(set, D, shift);
        double size = tp_set_scale(set, P), held = is_held(system, i) ? system->held[i] : size;
        tp_law_linearise(set, held, r, P + set->first, xi + set->first, &system->block[i]);
        for (int a = 0; a < system->block[i].dim && size != held; a++)
            system->block[i].offset[a] += system->block[i].by_size[a] * (size - held);
        memcpy(system->base + set->first, system->block[i].base, (size_t)set->size * sizeof(double));
        system->first[i] = unknown;
        unknown += system->block[i].dim;
    }
    system->first[local->set_count] = unknown;
    tp_local_velocity(local, system->base, system->velocity);
    if (shift != 0.0 && centre != NULL) {
        for (int k = 0; k < local->row_count; k++)
            system->velocity[k] += shift * (system->base[k] - centre[k]);
    }
}

/* R_i (G_ij + shift) C_j (+ K_i): the block of the reduced matrix at place k of block column j. */
static void reduced_block(const tp_reduced_system *system, int i, int j, int k, double shift, double *out)
{
    const tp_linear_block *row = &system->block[i], *column = &system->block[j];
    const double *G = system->local->G->value + system->local->G->offset[k];
    if (i != j) {
        tp_linear_block_product(row, column, G, out);
        if (system->local->sets[i].master_count == 0) return;
        for (int c = 0; c < column->dim; c++) { /* theory/solvers.md (13a) */
            double change = size_change(system, i, j, column->C + c * column->size);
            for (int a = 0; a < row->dim; a++) out[a + c * row->dim] += row->by_size[a] * change;
        }
        return;
    }
    double shifted[TP_SET_MAX * TP_SET_MAX];
    int n = row->size;
    memcpy(shifted, G, (size_t)(n * n) * sizeof(double));
    for (int d = 0; d < n; d++) shifted[d + d * n] += shift;
    tp_linear_block_product(row, row, shifted, out);
    for (int d = 0; d < row->dim * row->dim; d++) out[d] += row->K[d];
}

static void fill_right_side(const tp_reduced_system *system, double *right)
{
    for (int i = 0; i < system->local->set_count; i++) {
        const tp_linear_block *block = &system->block[i];
        const double *velocity = system->velocity + system->local->sets[i].first;
        for (int a = 0; a < block->dim; a++) {
            double sum = block->offset[a];
            for (int k = 0; k < block->size; k++) sum += block->R[a + k * block->dim] * velocity[k];
            right[system->first[i] + a] = -sum;
        }
    }
}

static double *copy_of(const double *values, int count, tp_stack *stack)
{
    double *copy = TP_STACK_ARRAY(stack, double, count);
    if (copy != NULL) memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

/* right = first + extra R C d: the solution of the shifted system becomes one of the system without `extra`
   but for what is left of it in its null space (iterated Tikhonov regularisation; theory/solvers.md (14a)).
 */
static void refine_right_side(const tp_reduced_system *system, double extra, const double *first, double *d)
{
    for (int i = 0; i < system->local->set_count; i++) {
        const tp_linear_block *block = &system->block[i];
        double p[TP_SET_MAX] = {0.0}, *di = d + system->first[i];
        for (int j = 0; j < block->dim; j++) {
            for (int k = 0; k < block->size; k++) p[k] += block->C[k + j * block->size] * di[j];
        }
        for (int a = 0; a < block->dim; a++) {
            double sum = 0.0;
            for (int k = 0; k < block->size; k++) sum += block->R[a + k * block->dim] * p[k];
            di[a] = first[system->first[i] + a] + extra * sum;
        }
    }
}

static tp_status solve_dense(const tp_reduced_system *system, double extra, tp_stack *stack, double *d)
{
    int n = system->first[system->local->set_count];
    double *a = TP_STACK_ARRAY(stack, double, (size_t)n *(size_t)n), *first = copy_of(d, n, stack);
    int *pivot = TP_STACK_ARRAY(stack, int, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(a, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int j = 0; j < system->local->set_count; j++) {
        if (system->block[j].dim == 0) continue;
        for (int e = system->columns.start[j]; e < system->columns.start[j + 1]; e++) {
            int i = system->columns.row[e];
            double out[TP_SET_MAX * TP_SET_MAX];
            if (system->block[i].dim == 0) continue;
            reduced_block(system, i, j, system->columns.place[e], system->shift + extra, out);
            for (int c = 0; c < system->block[j].dim; c++) {
                memcpy(a + system->first[i] + (size_t)(system->first[j] + c) * (size_t)n,
                       out + c * system->block[i].dim, (size_t)system->block[i].dim * sizeof(double));
            }
        }
    }
    TP_TRY(tp_dense_lu(n, a, n, pivot, 0.0));
    tp_dense_lu_solve(n, a, n, pivot, d);
    for (int k = 0; k < system->refinements; k++) {
        refine_right_side(system, extra, first, d);
        tp_dense_lu_solve(n, a, n, pivot, d);
    }
    return TP_OK;
}

/* Entries of the reduced matrix, column by column; block columns in the order of the unknowns. */
static tp_status assemble(const tp_reduced_system *system, double shift, tp_stack *stack, tp_sparse *out)
{
    int n = system->first[system->local->set_count];
    long long count = 0;
    for (int j = 0; j < system->local->set_count; j++) {
        for (int e = system->columns.start[j]; e < system->columns.start[j + 1]; e++) {
            count += system->block[j].dim * system->block[system->columns.row[e]].dim;
        }
    }
    if (count > 2000000000LL) return TP_OUT_OF_MEMORY;
    *out = (tp_sparse){.rows = n, .cols = n};
    out->start = TP_STACK_ARRAY(stack, int, n + 1);
    out->index = TP_STACK_ARRAY(stack, int, count);
    out->value = TP_STACK_ARRAY(stack, double, count);
    if (stack->failed) return TP_OUT_OF_MEMORY;

    int place = 0;
    for (int j = 0; j < system->local->set_count; j++) {
        int dim_j = system->block[j].dim, height = 0;
        if (dim_j == 0) continue;
        for (int e = system->columns.start[j]; e < system->columns.start[j + 1]; e++)
            height += system->block[system->columns.row[e]].dim;
        for (int c = 0; c < dim_j; c++) out->start[system->first[j] + c] = place + c * height;
        int row_in_column = 0;
        for (int e = system->columns.start[j]; e < system->columns.start[j + 1]; e++) {
            int i = system->columns.row[e], dim_i = system->block[i].dim;
            double block[TP_SET_MAX * TP_SET_MAX];
            if (dim_i == 0) continue;
            reduced_block(system, i, j, system->columns.place[e], shift, block);
            for (int c = 0; c < dim_j; c++) {
                for (int a = 0; a < dim_i; a++) {
                    int at = place + c * height + row_in_column + a;
                    out->index[at] = system->first[i] + a;
                    out->value[at] = block[a + c * dim_i];
                }
            }
            row_in_column += dim_i;
        }
        place += dim_j * height;
    }
    out->start[n] = place;
    return TP_OK;
}

/* Operations of a factorisation, in block products: column i of L is used once for every entry of row i of U,
   which has about as many. A product of blocks is 18 operations on contiguous numbers; scattered ones cost
   about three times as much. */
static double factor_work(const tp_lu *lu)
{
    double products = 0.0;
    for (int i = 0; i < lu->n; i++) {
        double height = lu->l_start[i + 1] - lu->l_start[i];
        products += height * height;
    }
    return 3.0 * 2.0 * products / 18.0;
}

static tp_status solve_sparse(tp_reduced_system *system, double extra, tp_stack *stack, double *d)
{
    tp_sparse matrix;
    tp_lu lu;
    TP_TRY(assemble(system, system->shift + extra, stack, &matrix));
    int *order = TP_STACK_ARRAY(stack, int, matrix.cols);
    double *first = copy_of(d, matrix.cols, stack);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    int next = 0;
    for (int s = 0; s < system->local->set_count; s++) {
        int i = system->order[s];
        for (int a = 0; a < system->block[i].dim; a++) order[next++] = system->first[i] + a;
    }
    TP_TRY(tp_lu_factor(stack, &matrix, tp_diagonal_preference, order, &lu));
    system->work += factor_work(&lu);
    tp_lu_solve(&lu, d);
    for (int k = 0; k < system->refinements; k++) {
        refine_right_side(system, extra, first, d);
        tp_lu_solve(&lu, d);
    }
    return TP_OK;
}

/* Held sizes become those that the new point was computed with: sets that slip stay on their rim. */
static void move_sizes(const tp_reduced_system *system, const double *P)
{
    for (int i = 0; i < system->local->set_count; i++) {
        const tp_set *set = &system->local->sets[i];
        if (!is_held(system, i)) continue;
        double size = tp_set_scale(set, system->at), along = 0.0;
        for (int k = set->master; k < set->master + set->master_count && size > 0.0; k++)
            along += system->at[k] / size * (P[k] - system->at[k]);
        system->held[i] = fmax(size + along, 0.0);
    }
}

tp_status tp_reduced_system_solve(tp_reduced_system *system, double extra, tp_stack *stack, double *P_out)
{
    const tp_local *local = system->local;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    int n = system->first[local->set_count];
    double *d = TP_STACK_ARRAY(stack, double, n);
    if (d == NULL) return TP_OUT_OF_MEMORY;
    fill_right_side(system, d);
    system->work = 4.0 * local->G->block_count + (n <= DENSE_SYSTEM ? 0.04 * n * n * n : 0.0);
    tp_status status = n == 0 ? TP_OK
                              : (n <= DENSE_SYSTEM ? solve_dense(system, extra, stack, d)
                                                   : solve_sparse(system, extra, stack, d));

    bool is_finite = true;
    for (int i = 0; i < local->set_count && status == TP_OK; i++) {
        const tp_linear_block *block = &system->block[i];
        double *p = P_out + local->sets[i].first;
        memcpy(p, block->base, (size_t)block->size * sizeof(double));
        for (int j = 0; j < block->dim; j++) {
            for (int k = 0; k < block->size; k++)
                p[k] += block->C[k + j * block->size] * d[system->first[i] + j];
            is_finite = is_finite && isfinite(d[system->first[i] + j]);
        }
    }
    tp_stack_release(stack, mark);
    if (status == TP_OK && !is_finite) status = TP_SINGULAR;
    if (status == TP_OK && system->held != NULL) move_sizes(system, P_out);
    return status;
}
