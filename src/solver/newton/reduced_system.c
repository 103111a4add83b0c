/* The linear system of one Newton step on the active rows: dense if small, else sparse; theory/solvers.md
 * (14). */
#include "reduced_system.h"

#include "math/dense.h"
#include "math/factor.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

tp_status tp_reduced_system_init(tp_reduced_system *system, const tp_local *local, tp_stack *stack)
{
    *system = (tp_reduced_system){.local = local};
    system->lengths = TP_STACK_ARRAY(stack, tp_step_lengths, local->set_count);
    system->block = TP_STACK_ARRAY(stack, tp_linear_block, local->set_count);
    system->first = TP_STACK_ARRAY(stack, int, local->set_count + 1);
    system->base = TP_STACK_ARRAY(stack, double, local->row_count);
    system->velocity = TP_STACK_ARRAY(stack, double, local->row_count);
    system->at = TP_STACK_ARRAY(stack, double, local->row_count);
    system->dims = TP_STACK_ARRAY(stack, int, local->set_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < local->set_count; i++)
        system->lengths[i] = tp_law_step_lengths(&local->sets[i], tp_local_diagonal(local, i), 0.0);
    TP_TRY(tp_block_matrix_columns(local->G, stack, &system->columns));

    if (local->row_count <= TP_SMALL_SYSTEM) return TP_OK; /* no fronts: these are solved densely */
    tp_status status = tp_body_system_init(&system->bodies, local, stack);
    system->has_bodies = status == TP_OK;
    if (status != TP_OK && status != TP_UNSUPPORTED) return status;
    return tp_front_plan_make(stack, local->set_count, system->columns.start, system->columns.row,
                              &system->plan);
}

/* The shift of law i, where that of all laws is `shift`. */
static double shift_of(const tp_reduced_system *system, int i, double shift)
{
    return system->hold != NULL ? system->hold[i] * shift : shift;
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

void tp_reduced_system_add_shift(const tp_reduced_system *system, double shift, const double *P,
                                 const double *centre, double *velocity)
{
    const tp_local *local = system->local;
    for (int i = 0; i < local->set_count; i++) {
        double own = shift_of(system, i, shift);
        int begin = local->sets[i].first, end = begin + local->sets[i].size;
        for (int k = begin; k < end; k++) velocity[k] += own * (P[k] - centre[k]);
    }
}

tp_set tp_reduced_system_cone(const tp_set *contact)
{
    tp_set cone = *contact;
    cone.kind = TP_SET_CONE;
    return cone;
}

/* -(xi + lag e_N) lies in the normal cone of P, with a lag that is given; theory/solvers.md (24b). */
static void linearise_slow(const tp_set *set, double lag, tp_step_lengths r, const double *P,
                           const double *xi, tp_linear_block *out)
{
    tp_set cone = tp_reduced_system_cone(set);
    double shifted[TP_SET_MAX];
    memcpy(shifted, xi, (size_t)set->size * sizeof(double));
    shifted[0] += lag;
    r.normal = r.tangent = fmin(r.normal, r.tangent); /* one length: the projection is that of the cone */
    tp_law_linearise(&cone, 1.0, r, P, shifted, out);
    for (int a = 0; a < out->dim; a++) out->offset[a] += out->R[a] * lag;
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
        tp_step_lengths r = tp_shifted_lengths(system->lengths[i], shift_of(system, i, shift));
        double size = tp_set_scale(set, P), held = is_held(system, i) ? system->held[i] : size;
        if (system->lag != NULL && system->lag[i] >= 0.0)
            linearise_slow(set, system->lag[i], r, P + set->first, xi + set->first, &system->block[i]);
        else
            tp_law_linearise(set, held, r, P + set->first, xi + set->first, &system->block[i]);
        for (int a = 0; a < system->block[i].dim && size != held; a++)
            system->block[i].offset[a] += system->block[i].by_size[a] * (size - held);
        memcpy(system->base + set->first, system->block[i].base, (size_t)set->size * sizeof(double));
        system->first[i] = unknown;
        system->dims[i] = system->block[i].dim;
        unknown += system->block[i].dim;
    }
    system->first[local->set_count] = unknown;
    tp_local_velocity(local, system->base, system->velocity);
    if (shift != 0.0 && centre != NULL)
        tp_reduced_system_add_shift(system, shift, system->base, centre, system->velocity);
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
    for (int d = 0; d < n; d++) shifted[d + d * n] += shift_of(system, i, shift);
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

static tp_status solve_dense(tp_reduced_system *system, double extra, tp_stack *stack, double *d)
{
    int n = system->first[system->local->set_count];
    double *a = TP_STACK_ARRAY(stack, double, (size_t)n *(size_t)n), *first = copy_of(d, n, stack);
    int *pivot = TP_STACK_ARRAY(stack, int, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    system->work += 0.04 * n * n * n;
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
        int i = system->plan.node[s];
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

static bool has_masters(const tp_local *local)
{
    for (int i = 0; i < local->set_count; i++) {
        if (local->sets[i].master_count > 0) return true;
    }
    return false;
}

/* Operations of dense fronts in block products: those are 18 on contiguous numbers. */
static double front_work(double operations)
{
    return 2.0 * operations / 18.0;
}

/* How the linear system is solved. */
typedef enum form { DENSE, SPARSE, IMPULSE_FRONTS, BODY_FRONTS } form;

/* Entries of the reduced matrix, block by block. */
static tp_status factor_impulses(const tp_reduced_system *system, double shift, tp_stack *stack,
                                 tp_fronts *fronts)
{
    TP_TRY(tp_fronts_take(stack, &system->plan, system->dims, fronts));
    for (int j = 0; j < system->local->set_count; j++) {
        int columns = system->dims[j];
        if (columns == 0) continue;
        for (int e = system->columns.start[j]; e < system->columns.start[j + 1]; e++) {
            int i = system->columns.row[e], rows = system->dims[i], stride;
            double block[TP_SET_MAX * TP_SET_MAX];
            if (rows == 0) continue;
            reduced_block(system, i, j, system->columns.place[e], shift, block);
            double *to = tp_fronts_block(fronts, i, j, &stride);
            for (int c = 0; c < columns; c++)
                memcpy(to + (size_t)c * (size_t)stride, block + c * rows, (size_t)rows * sizeof(double));
        }
    }
    return tp_fronts_factor(fronts);
}

/* left = right - (R (G + shift) C + K) d; work [2 row_count]. */
static void residual(const tp_reduced_system *system, double shift, const double *right, const double *d,
                     double *work, double *left)
{
    const tp_local *local = system->local;
    double *p = work, *u = work + local->row_count;
    memset(p, 0, (size_t)local->row_count * sizeof(double));
    for (int i = 0; i < local->set_count; i++) {
        const tp_linear_block *block = &system->block[i];
        double *pi = p + local->sets[i].first;
        for (int j = 0; j < block->dim; j++) {
            for (int k = 0; k < block->size; k++)
                pi[k] += block->C[k + j * block->size] * d[system->first[i] + j];
        }
    }
    tp_block_matrix_apply(local->G, p, NULL, u);
    for (int i = 0; i < local->set_count; i++) {
        const tp_linear_block *block = &system->block[i];
        const double *pi = p + local->sets[i].first, *ui = u + local->sets[i].first,
                     *di = d + system->first[i];
        double own = shift_of(system, i, shift);
        for (int a = 0; a < block->dim; a++) {
            double sum = right[system->first[i] + a];
            for (int k = 0; k < block->size; k++) sum -= block->R[a + k * block->dim] * (ui[k] + own * pi[k]);
            for (int b = 0; b < block->dim; b++) sum -= block->K[a + b * block->dim] * di[b];
            left[system->first[i] + a] = sum;
        }
    }
}

/* d += A_s^-1 left. */
static void add_correction(tp_reduced_system *system, form way, const tp_fronts *impulses, double *left,
                           double *d)
{
    int n = system->first[system->local->set_count];
    if (way == BODY_FRONTS)
        tp_body_system_solve(&system->bodies, system->block, system->first, left);
    else
        tp_fronts_solve(impulses, system->first, left);
    for (int j = 0; j < n; j++) d[j] += left[j];
}

/* Factorised front by front, with pivots inside of fronts only; corrections make up for that, and take back
   what `extra` has changed where that is asked for (theory/solvers.md (14a)). TP_SINGULAR where they do not
   converge. */
static tp_status solve_fronts(tp_reduced_system *system, form way, double extra, tp_stack *stack, double *d)
{
    const tp_local *local = system->local;
    int n = system->first[local->set_count];
    double shift = system->shift + extra;
    tp_fronts impulses = {.n = 0};
    system->bodies.hold = system->hold;
    tp_status status = way == BODY_FRONTS
                           ? tp_body_system_factor(&system->bodies, system->block, shift, stack)
                           : factor_impulses(system, shift, stack, &impulses);
    system->work += front_work(way == BODY_FRONTS ? system->bodies.fronts.operations : impulses.operations);
    if (status != TP_OK) return status;
    double *right = copy_of(d, n, stack), *left = TP_STACK_ARRAY(stack, double, n),
           *work = TP_STACK_ARRAY(stack, double, 2 * (size_t)local->row_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memcpy(left, d, (size_t)n * sizeof(double));
    memset(d, 0, (size_t)n * sizeof(double));
    double start = tp_dense_norm(n, right), size = start;
    for (int k = 0; k < 2 && (k == 0 || size > tp_front_exact * start); k++) {
        add_correction(system, way, &impulses, left, d);
        residual(system, shift, right, d, work, left);
        size = tp_dense_norm(n, left);
    }
    if (!(size <= tp_front_residual * start)) return TP_SINGULAR;
    if (way == IMPULSE_FRONTS) system->smallest_pivot = impulses.smallest;
    for (int k = 0; k < system->refinements; k++) {
        residual(system, system->shift, right, d, work, left);
        add_correction(system, way, &impulses, left, d);
    }
    return TP_OK;
}

/* The way with the fewest operations. Friction that follows joints has entries outside of the blocks of G;
   bodies need a shift that is not lost beside their inertia. */
static form choose_form(const tp_reduced_system *system, double shift, int n)
{
    form best = n <= TP_DENSE_SYSTEM ? DENSE : SPARSE;
    double least = best == DENSE ? (double)n * n * n / 3.0 : INFINITY, count;
    if (n <= TP_SMALL_SYSTEM || has_masters(system->local)) return best;
    count = TP_FRONT_COST * system->local->set_count + tp_front_operations(&system->plan, system->dims);
    if (count < least) {
        least = count;
        best = IMPULSE_FRONTS;
    }
    if (!system->has_bodies || !(shift >= tp_body_shift * system->local->rho)) return best;
    count = TP_FRONT_COST * system->bodies.node_count +
            tp_front_operations(&system->bodies.plan, system->bodies.size);
    return count < least ? BODY_FRONTS : best;
}

static tp_status solve_linear(tp_reduced_system *system, double extra, tp_stack *stack, double *d)
{
    int n = system->first[system->local->set_count];
    form way = choose_form(system, system->shift + extra, n);
    if (way == IMPULSE_FRONTS || way == BODY_FRONTS) {
        tp_stack_mark mark = tp_stack_mark_now(stack);
        tp_status status = solve_fronts(system, way, extra, stack, d);
        tp_stack_release(stack, mark);
        if (status != TP_SINGULAR) return status;
        fill_right_side(system, d); /* pivots must be chosen freely */
    }
    return n <= TP_DENSE_SYSTEM ? solve_dense(system, extra, stack, d)
                                : solve_sparse(system, extra, stack, d);
}

tp_status tp_reduced_system_solve(tp_reduced_system *system, double extra, tp_stack *stack, double *P_out)
{
    const tp_local *local = system->local;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    int n = system->first[local->set_count];
    double *d = TP_STACK_ARRAY(stack, double, n);
    if (d == NULL) return TP_OUT_OF_MEMORY;
    fill_right_side(system, d);
    system->work = 4.0 * local->G->block_count;
    system->smallest_pivot = 0.0;
    tp_status status = n == 0 ? TP_OK : solve_linear(system, extra, stack, d);

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

double tp_reduced_system_cost(const tp_reduced_system *system)
{
    const tp_local *local = system->local;
    for (int i = 0; i < local->set_count; i++) system->dims[i] = local->sets[i].size;
    double operations = tp_front_operations(&system->plan, system->dims);
    if (system->has_bodies)
        operations = fmin(operations, tp_front_operations(&system->bodies.plan, system->bodies.size));
    return front_work(operations) + 4.0 * local->G->block_count;
}
