/* Joints as unknowns; theory/problems.md (12)-(14). */
#include "absorb.h"

#include "components.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* A component with fewer rows of joints is reduced as quickly. */
enum { LEAST_ROWS = 48 };

/* ---- the choice ---- */

/* Rows of FREE laws on each component of more unknowns than are eliminated densely. */
static void count_joint_rows(const tp_problem *problem, const tp_components *parts, int *rows_out)
{
    for (int part = 0; part < parts->count; part++) {
        rows_out[part] = 0;
        if (parts->start[part + 1] - parts->start[part] <= TP_DENSE_COMPONENT) continue;
        for (int k = parts->set_start[part]; k < parts->set_start[part + 1]; k++) {
            const tp_set *set = &problem->sets[parts->set[k]];
            if (set->kind == TP_SET_FREE) rows_out[part] += set->size;
        }
    }
}

/* A law whose impulses are the size of another's set must stay where the solver sees it. */
static void spare_masters(const tp_problem *problem, unsigned char *is_absorbed)
{
    for (int i = 0; i < problem->set_count; i++) {
        const tp_set *set = &problem->sets[i];
        if (set->master_count == 0) continue;
        for (int j = 0; j < problem->set_count; j++) {
            const tp_set *other = &problem->sets[j];
            if (other->first < set->master + set->master_count && set->master < other->first + other->size)
                is_absorbed[j] = 0;
        }
    }
}

static int joint_rows(const tp_problem *problem)
{
    int count = 0;
    for (int i = 0; i < problem->set_count; i++) {
        if (problem->sets[i].kind == TP_SET_FREE) count += problem->sets[i].size;
    }
    return count;
}

static bool has_large_component(const tp_components *parts)
{
    for (int part = 0; part < parts->count; part++) {
        if (parts->start[part + 1] - parts->start[part] > TP_DENSE_COMPONENT) return true;
    }
    return false;
}

static int chosen_rows(const tp_problem *problem, const unsigned char *is_absorbed)
{
    int count = 0;
    for (int i = 0; i < problem->set_count; i++) count += is_absorbed[i] ? problem->sets[i].size : 0;
    return count;
}

int tp_absorb_joints(const tp_problem *problem, unsigned char *is_absorbed_out)
{
    for (int i = 0; i < problem->set_count; i++) is_absorbed_out[i] = problem->sets[i].kind == TP_SET_FREE;
    spare_masters(problem, is_absorbed_out);
    return chosen_rows(problem, is_absorbed_out);
}

void tp_absorb_choose_all(const tp_problem *problem, unsigned char *is_absorbed_out, int *count_out)
{
    int count = tp_absorb_joints(problem, is_absorbed_out);
    *count_out = problem->x_count > 0 && count < problem->row_count ? count : 0;
}

tp_status tp_absorb_choose(const tp_problem *problem, tp_stack *stack, unsigned char *is_absorbed_out,
                           int *count_out)
{
    *count_out = 0;
    memset(is_absorbed_out, 0, (size_t)problem->set_count);
    if (problem->x_count <= TP_DENSE_COMPONENT || joint_rows(problem) < LEAST_ROWS) return TP_OK;
    tp_components parts = {0};
    TP_TRY(tp_components_find(&problem->M, stack, &parts));
    if (!has_large_component(&parts)) return TP_OK;
    TP_TRY(tp_components_list_sets(problem, stack, &parts));
    int *rows = TP_STACK_ARRAY(stack, int, parts.count);
    if (rows == NULL) return TP_OUT_OF_MEMORY;
    count_joint_rows(problem, &parts, rows);
    for (int part = 0; part < parts.count; part++) {
        if (rows[part] < LEAST_ROWS) continue;
        for (int k = parts.set_start[part]; k < parts.set_start[part + 1]; k++)
            is_absorbed_out[parts.set[k]] = problem->sets[parts.set[k]].kind == TP_SET_FREE;
    }
    spare_masters(problem, is_absorbed_out);
    *count_out = chosen_rows(problem, is_absorbed_out);
    return TP_OK;
}

/* ---- the matrices ---- */

/* Two passes fill the matrices: the first counts the entries of each column, the second writes them. */
typedef struct builder {
    const tp_problem *problem;
    const unsigned char *is_absorbed;
    int *place; /* [row_count] unknown that a row has become, or its place among the rows that are left */
    tp_sparse *M, *A, *Ct;
    bool is_counting;
} builder;

/* start[column + 1] counts in the first pass; in the second it is where the next entry goes. */
static void put(const builder *b, tp_sparse *matrix, int row, int column, double value)
{
    int next = matrix->start[column + 1]++;
    if (b->is_counting) return;
    matrix->index[next] = row;
    matrix->value[next] = value;
}

/* Entries of M, and of A and C row by row: in every column of the result rows ascend. */
static void put_sparse(const builder *b)
{
    const tp_problem *p = b->problem;
    for (int j = 0; j < p->x_count; j++) {
        for (int k = p->M.start[j]; k < p->M.start[j + 1]; k++) put(b, b->M, p->M.index[k], j, p->M.value[k]);
    }
    for (int i = 0; i < p->set_count; i++) {
        for (int r = p->sets[i].first; r < p->sets[i].first + p->sets[i].size; r++) {
            for (int k = p->A.start[r]; k < p->A.start[r + 1]; k++) {
                if (b->is_absorbed[i])
                    put(b, b->M, p->A.index[k], b->place[r], -p->A.value[k]);
                else
                    put(b, b->A, p->A.index[k], b->place[r], p->A.value[k]);
            }
            for (int k = p->Ct.start[r]; k < p->Ct.start[r + 1]; k++) {
                if (b->is_absorbed[i])
                    put(b, b->M, b->place[r], p->Ct.index[k], p->Ct.value[k]);
                else
                    put(b, b->Ct, p->Ct.index[k], b->place[r], p->Ct.value[k]);
            }
        }
    }
}

/* Entries of D that an absorbed law takes part in; the others make D'. */
static void put_block(const builder *b, int i, int k)
{
    const tp_problem *p = b->problem;
    int j = p->D.column[k], rows = p->sets[i].size;
    if (!b->is_absorbed[i] && !b->is_absorbed[j]) return;
    const double *block = p->D.value + p->D.offset[k];
    for (int c = 0; c < p->sets[j].size; c++) {
        int column = b->place[p->sets[j].first + c];
        for (int a = 0; a < rows; a++) {
            int row = b->place[p->sets[i].first + a];
            double value = block[a + c * rows];
            if (value == 0.0) continue;
            if (b->is_absorbed[i] && b->is_absorbed[j])
                put(b, b->M, row, column, value);
            else if (b->is_absorbed[i])
                put(b, b->A, row, column, -value);
            else
                put(b, b->Ct, column, row, value);
        }
    }
}

static void put_all(const builder *b)
{
    put_sparse(b);
    for (int i = 0; i < b->problem->set_count; i++) {
        for (int k = b->problem->D.start[i]; k < b->problem->D.start[i + 1]; k++) put_block(b, i, k);
    }
}

static bool take_starts(tp_stack *stack, int rows, int cols, tp_sparse *out)
{
    *out = (tp_sparse){.rows = rows, .cols = cols};
    out->start = TP_STACK_ARRAY(stack, int, cols + 2);
    if (out->start == NULL) return false;
    memset(out->start, 0, (size_t)(cols + 2) * sizeof(int));
    return true;
}

/* From counts to the places of first entries, one further on: the second pass moves them back by one. */
static bool take_entries(tp_stack *stack, tp_sparse *out)
{
    for (int j = 0; j < out->cols; j++) out->start[j + 1] += out->start[j];
    int count = out->start[out->cols];
    out->index = TP_STACK_ARRAY(stack, int, count);
    out->value = TP_STACK_ARRAY(stack, double, count);
    if (stack->failed) return false;
    for (int j = out->cols; j > 0; j--) out->start[j] = out->start[j - 1];
    return true;
}

static tp_status fill_matrices(builder *b, tp_stack *stack, tp_problem *out)
{
    bool ok = take_starts(stack, out->x_count, out->x_count, &out->M) &&
              take_starts(stack, out->x_count, out->row_count, &out->A) &&
              take_starts(stack, out->x_count, out->row_count, &out->Ct);
    if (!ok) return TP_OUT_OF_MEMORY;
    b->M = &out->M;
    b->A = &out->A;
    b->Ct = &out->Ct;
    b->is_counting = true;
    put_all(b);
    ok = take_entries(stack, &out->M) && take_entries(stack, &out->A) && take_entries(stack, &out->Ct);
    if (!ok) return TP_OUT_OF_MEMORY;
    b->is_counting = false;
    put_all(b);
    return TP_OK;
}

/* ---- laws ---- */

/* The laws that are left, and the new place of every row and law; set_place [set_count]. */
static void fill_laws(const builder *b, tp_absorbed *out, int *set_place)
{
    const tp_problem *p = b->problem;
    tp_problem *to = &out->problem;
    int unknowns = 0;
    for (int i = 0; i < p->set_count; i++) {
        const tp_set *set = &p->sets[i];
        for (int r = set->first; r < set->first + set->size; r++) {
            if (b->is_absorbed[i]) {
                out->unknown_row[unknowns] = r;
                b->place[r] = p->x_count + unknowns;
                to->f[p->x_count + unknowns++] = -p->b[r];
            } else {
                out->kept_row[to->row_count + r - set->first] = r;
                b->place[r] = to->row_count + r - set->first;
                to->b[b->place[r]] = p->b[r];
            }
        }
        if (b->is_absorbed[i]) continue;
        set_place[i] = to->set_count;
        to->sets[to->set_count] = *set;
        to->sets[to->set_count++].first = to->row_count;
        to->row_count += set->size;
    }
    for (int i = 0; i < to->set_count; i++) { /* masters are left, too */
        if (to->sets[i].master_count > 0) to->sets[i].master = b->place[to->sets[i].master];
    }
}

/* D' is the part of D between laws that are left. */
static tp_status fill_D(const builder *b, const int *set_place, tp_stack *stack, tp_problem *out)
{
    const tp_block_matrix *D = &b->problem->D;
    tp_block_matrix *to = &out->D;
    int rows = out->set_count, block_row = 0;
    *to = (tp_block_matrix){.block_rows = rows, .uniform = rows > 0 ? out->sets[0].size : 0};
    TP_STACK_INTS(stack, rows + 1, &to->first, &to->start);
    to->diagonal = TP_STACK_ARRAY(stack, int, rows);
    to->column = TP_STACK_ARRAY(stack, int, D->block_count);
    to->offset = TP_STACK_ARRAY(stack, size_t, D->block_count + 1);
    to->value = TP_STACK_ARRAY(stack, double, D->offset[D->block_count] + 1);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    to->first[0] = to->start[0] = 0;
    to->offset[0] = 0;
    for (int i = 0; i < D->block_rows; i++) {
        if (b->is_absorbed[i]) continue;
        for (int k = D->start[i]; k < D->start[i + 1]; k++) {
            if (b->is_absorbed[D->column[k]]) continue;
            int at = to->block_count++;
            size_t length = D->offset[k + 1] - D->offset[k];
            to->column[at] = set_place[D->column[k]];
            if (D->column[k] == i) to->diagonal[block_row] = at;
            memcpy(to->value + to->offset[at], D->value + D->offset[k], length * sizeof(double));
            to->offset[at + 1] = to->offset[at] + length;
        }
        if (out->sets[block_row].size != to->uniform) to->uniform = 0;
        to->first[block_row + 1] = to->first[block_row] + out->sets[block_row].size;
        to->start[++block_row] = to->block_count;
    }
    to->value[to->offset[to->block_count]] = 0.0;
    return TP_OK;
}

/* ---- regularity ---- */

/* The condition of M', rows and columns scaled to largest entries 1, as seen by one right side of random
   signs: it has a share in every direction, the one that M' nearly loses included. y, row_size [x_count]. */
static double estimate_condition(const tp_sparse *M, const tp_lu *lu, double *y, double *row_size)
{
    unsigned long long random = 40503ull;
    double condition = 0.0;
    memset(row_size, 0, (size_t)M->rows * sizeof(double));
    for (int k = 0; k < M->start[M->cols]; k++)
        row_size[M->index[k]] = fmax(row_size[M->index[k]], fabs(M->value[k]));
    for (int i = 0; i < M->rows; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        y[i] = random >> 63 ? row_size[i] : -row_size[i];
    }
    tp_lu_solve(lu, y);
    for (int j = 0; j < M->cols; j++) {
        double size = 0.0;
        for (int k = M->start[j]; k < M->start[j + 1]; k++)
            size = fmax(size, fabs(M->value[k]) / row_size[M->index[k]]);
        double share = size * fabs(y[j]);
        if (!isfinite(share)) return INFINITY;
        condition = fmax(condition, share);
    }
    return condition;
}

static tp_status factor(tp_stack *stack, tp_absorbed *out)
{
    const tp_sparse *M = &out->problem.M;
    double *y = TP_STACK_ARRAY(stack, double, M->rows), *row_size = TP_STACK_ARRAY(stack, double, M->rows);
    out->order = TP_STACK_ARRAY(stack, int, M->cols);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_order_columns(stack, M, out->order));
    TP_TRY(tp_lu_factor(stack, M, 1.0, out->order, &out->lu));
    return estimate_condition(M, &out->lu, y, row_size) < tp_largest_condition ? TP_OK : TP_SINGULAR;
}

tp_status tp_absorb(const tp_problem *problem, const unsigned char *is_absorbed, tp_stack *stack,
                    tp_absorbed *out)
{
    int absorbed = chosen_rows(problem, is_absorbed);
    int n = problem->x_count + absorbed, kept = problem->row_count - absorbed;
    *out = (tp_absorbed){.problem = {.x_count = n, .D_norm = -1.0}};
    builder b = {.problem = problem, .is_absorbed = is_absorbed};
    int *set_place = TP_STACK_ARRAY(stack, int, problem->set_count);
    b.place = TP_STACK_ARRAY(stack, int, problem->row_count);
    out->unknown_row = TP_STACK_ARRAY(stack, int, absorbed);
    out->kept_row = TP_STACK_ARRAY(stack, int, kept);
    out->problem.sets = TP_STACK_ARRAY(stack, tp_set, problem->set_count);
    out->problem.f = TP_STACK_ARRAY(stack, double, n);
    out->problem.b = TP_STACK_ARRAY(stack, double, kept);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memcpy(out->problem.f, problem->f, (size_t)problem->x_count * sizeof(double));
    out->problem.contact_count = problem->contact_count;
    fill_laws(&b, out, set_place);
    TP_TRY(fill_D(&b, set_place, stack, &out->problem));
    TP_TRY(fill_matrices(&b, stack, &out->problem));
    return factor(stack, out);
}
