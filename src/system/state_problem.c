/* The one-step problem of mechanics and first-order states together; theory/theta-gamma.md (9)-(11). */
#include "state_problem.h"
#include "math/block_matrix.h"
#include "math/sparse.h"

#include <string.h>

/* ---- sets ---- */

static int set_count_of(const tp_relation *relation)
{
    return relation->size / relation->set.size;
}

static void add_set(tp_state_problem *p, tp_set set)
{
    set.first = p->own_rows;
    p->own_rows += set.size;
    p->own_set[p->own_sets++] = set;
}

tp_status tp_state_problem_open(tp_arena *arena, const tp_model *model, int velocity_count, int most_unknowns,
                                tp_state_problem *p)
{
    *p = (tp_state_problem){.u = velocity_count, .n = model->states.count, .m = model->outputs.count};
    p->are_rows = p->n > most_unknowns;
    p->arena = arena;
    p->entries.is_recording = true;
    p->own_set = TP_ARENA_ARRAY(arena, tp_set, p->n + p->m);
    if (p->own_set == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < p->n && p->are_rows; i++) add_set(p, tp_set_free(1));
    for (int i = 0; i < model->relations.count; i++) {
        const tp_relation *relation = TP_LIST_AT(model->relations, tp_relation, i);
        for (int k = 0; k < set_count_of(relation); k++) add_set(p, relation->set);
    }
    return TP_OK;
}

void tp_state_problem_scale_sets(tp_state_problem *p, const tp_model *model, double dt)
{
    int set = p->are_rows ? p->n : 0;
    for (int i = 0; i < model->relations.count; i++) {
        const tp_relation *relation = TP_LIST_AT(model->relations, tp_relation, i);
        for (int k = 0; k < set_count_of(relation); k++, set++) {
            for (int j = 0; j < 6; j++) p->own_set[set].parameter[j] = dt * relation->set.parameter[j];
        }
    }
}

/* ---- entries ---- */

static tp_status grow(tp_state_problem *p)
{
    tp_state_entries *e = &p->entries;
    int capacity = 2 * e->capacity + 64;
    int *row = TP_ARENA_ARRAY(p->arena, int, capacity), *col = TP_ARENA_ARRAY(p->arena, int, capacity);
    if (row == NULL || col == NULL) return TP_OUT_OF_MEMORY;
    if (e->count > 0) {
        memcpy(row, e->row, (size_t)e->count * sizeof *row);
        memcpy(col, e->col, (size_t)e->count * sizeof *col);
    }
    e->row = row;
    e->col = col;
    e->capacity = capacity;
    return TP_OK;
}

void tp_state_problem_put(tp_state_problem *p, int row, int col, double value)
{
    tp_state_entries *e = &p->entries;
    if (!e->is_recording) {
        *e->target[e->next] += e->sign[e->next] * value;
        e->next++;
        return;
    }
    if (e->count == e->capacity && grow(p) != TP_OK) return; /* the arena says so */
    e->row[e->count] = row;
    e->col[e->count++] = col;
}

void tp_state_problem_clear(tp_state_problem *p)
{
    p->entries.next = 0;
    memset(p->M.value, 0, (size_t)p->M.start[p->M.cols] * sizeof(double));
    memset(p->A.value, 0, (size_t)p->A.start[p->A.cols] * sizeof(double));
    memset(p->Ct.value, 0, (size_t)p->Ct.start[p->Ct.cols] * sizeof(double));
    memset(p->D.value, 0, p->D.offset[p->D.block_count] * sizeof(double));
}

/* Which of the four matrices an entry belongs to, and where in it. */
typedef enum matrix_kind { IN_M, IN_A, IN_CT, IN_D, MATRICES } matrix_kind;

static bool is_unknown(const tp_state_problem *p, int number)
{
    return number < tp_state_problem_x_count(p);
}

static matrix_kind kind_of(const tp_state_problem *p, int row, int col)
{
    if (is_unknown(p, row)) return is_unknown(p, col) ? IN_M : IN_A;
    return is_unknown(p, col) ? IN_CT : IN_D;
}

/* Row and column in that matrix. */
static void locate(const tp_state_problem *p, int e, int *row_out, int *col_out)
{
    int first = tp_state_problem_x_count(p), row = p->entries.row[e], col = p->entries.col[e];
    matrix_kind kind = kind_of(p, row, col);
    *row_out = kind == IN_CT ? col : (kind == IN_D ? row - first : row);
    *col_out = kind == IN_CT ? row - first : (kind == IN_M ? col : col - first);
}

/* The pattern of one matrix; work [2 count] */
static tp_status find_pattern(tp_state_problem *p, matrix_kind kind, int *work, double *ones)
{
    int *row = work, *col = work + p->entries.count, count = 0;
    for (int e = 0; e < p->entries.count; e++) {
        if (kind_of(p, p->entries.row[e], p->entries.col[e]) != kind) continue;
        locate(p, e, &row[count], &col[count]);
        ones[count++] = 1.0;
    }
    int x_count = tp_state_problem_x_count(p);
    tp_entries entries = {.rows = kind == IN_D ? p->own_rows : x_count,
                          .cols = kind == IN_M ? x_count : p->own_rows,
                          .count = count,
                          .row = row,
                          .col = col,
                          .value = ones};
    if (kind != IN_D)
        return tp_sparse_compress(p->arena, &entries, kind == IN_M ? &p->M : (kind == IN_A ? &p->A : &p->Ct));
    int *size = TP_ARENA_ARRAY(p->arena, int, p->own_sets);
    if (size == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < p->own_sets; i++) size[i] = p->own_set[i].size;
    return tp_block_matrix_build(p->arena, p->own_sets, size, &entries, &p->D);
}

static double *block_place(tp_state_problem *p, const int *set_of, int row, int col)
{
    tp_block_matrix *D = &p->D;
    int i = set_of[row], j = set_of[col], low = D->start[i], high = D->start[i + 1];
    while (high - low > 1) { /* ascending block columns */
        int middle = (low + high) / 2;
        if (D->column[middle] <= j)
            low = middle;
        else
            high = middle;
    }
    return D->value + D->offset[low] + (row - D->first[i]) + (col - D->first[j]) * p->own_set[i].size;
}

static tp_status find_targets(tp_state_problem *p)
{
    tp_state_entries *e = &p->entries;
    int *set_of = TP_ARENA_ARRAY(p->arena, int, p->own_rows);
    e->target = TP_ARENA_ARRAY(p->arena, double *, e->count);
    e->sign = TP_ARENA_ARRAY(p->arena, double, e->count);
    TP_TRY(tp_arena_status(p->arena));
    for (int i = 0; i < p->own_sets; i++) {
        for (int k = 0; k < p->own_set[i].size; k++) set_of[p->own_set[i].first + k] = i;
    }
    for (int k = 0; k < e->count; k++) {
        int row, col;
        matrix_kind kind = kind_of(p, e->row[k], e->col[k]);
        tp_sparse *matrix = kind == IN_M ? &p->M : (kind == IN_A ? &p->A : &p->Ct);
        locate(p, k, &row, &col);
        e->sign[k] = kind == IN_A ? -1.0 : 1.0;
        e->target[k] = kind == IN_D ? block_place(p, set_of, row, col)
                                    : &matrix->value[tp_pattern_place(matrix, row, col)];
    }
    return TP_OK;
}

/* Memory for both parts. */
static tp_status take_problem(tp_state_problem *p, const tp_step_problem *mechanics, size_t matrix_entries)
{
    int x_count = tp_state_problem_x_count(p);
    size_t rows = (size_t)(mechanics->capacity_rows + p->own_rows), blocks = (size_t)p->D.block_count;
    tp_problem_sizes sizes = {.sets = (size_t)(mechanics->capacity_sets + p->own_sets),
                              .rows = rows,
                              .blocks = mechanics->capacity_blocks + p->D.offset[blocks],
                              .pairs = (size_t)mechanics->capacity_sets + blocks,
                              .entries = mechanics->capacity_entries + (size_t)p->A.start[p->own_rows],
                              .matrix = matrix_entries + (size_t)p->M.start[x_count]};
    p->problem = (tp_problem){.x_count = x_count};
    p->x = TP_ARENA_ARRAY(p->arena, double, x_count);
    p->P = TP_ARENA_ARRAY(p->arena, double, rows);
    TP_TRY(tp_problem_take(p->arena, &sizes, &p->problem));
    size_t entries = mechanics->capacity_entries + (size_t)p->Ct.start[p->own_rows];
    p->problem.Ct = tp_problem_take_sparse(p->arena, rows, entries);
    return tp_arena_status(p->arena);
}

tp_status tp_state_problem_close(tp_state_problem *p, const tp_step_problem *mechanics, size_t matrix_entries)
{
    TP_TRY(tp_arena_status(p->arena));
    int *work = TP_ARENA_ARRAY(p->arena, int, 2 * (size_t)p->entries.count);
    double *ones = TP_ARENA_ARRAY(p->arena, double, p->entries.count);
    TP_TRY(tp_arena_status(p->arena));
    for (matrix_kind kind = IN_M; kind < MATRICES; kind++) TP_TRY(find_pattern(p, kind, work, ones));
    TP_TRY(find_targets(p));
    p->entries.is_recording = false;
    return take_problem(p, mechanics, matrix_entries);
}

/* ---- both parts ---- */

/* Appends a column of `from`; entries of the own part come after those of the mechanics. */
static void append(const tp_sparse *from, int column, tp_sparse *to, int at)
{
    int begin = from->start[column], count = from->start[column + 1] - begin, place = to->start[at + 1];
    for (int k = 0; k < count; k++) {
        to->index[place + k] = from->index[begin + k];
        to->value[place + k] = from->value[begin + k];
    }
    to->start[at + 1] = place + count;
}

static void join_columns(const tp_sparse *mechanics, int shared, const tp_sparse *own, int rows,
                         tp_sparse *to)
{
    int cols = shared == 0 ? mechanics->cols + own->cols : own->cols;
    *to = (tp_sparse){rows, cols, to->start, to->index, to->value};
    to->start[0] = 0;
    for (int j = 0; j < cols; j++) {
        int other = shared == 0 ? j - mechanics->cols : j;
        to->start[j + 1] = to->start[j];
        if (j < mechanics->cols) append(mechanics, j, to, j);
        if (other >= 0) append(own, other, to, j);
    }
}

static void join_blocks(const tp_block_matrix *mechanics, const tp_block_matrix *own, tp_block_matrix *to)
{
    int sets = mechanics->block_rows, rows = sets > 0 ? mechanics->first[sets] : 0, blocks = sets;
    size_t values = sets > 0 ? mechanics->offset[mechanics->block_count] : 0;
    to->block_rows = sets + own->block_rows;
    to->block_count = blocks + own->block_count;
    to->uniform = sets == 0 || mechanics->uniform == own->uniform ? own->uniform : 0;
    for (int i = 0; i <= sets; i++) {
        to->first[i] = i > 0 ? mechanics->first[i] : 0;
        to->start[i] = i;
        to->offset[i] = i > 0 ? mechanics->offset[i] : 0;
        if (i < sets) to->column[i] = to->diagonal[i] = i;
    }
    for (int i = 0; i < own->block_rows; i++) {
        to->first[sets + i + 1] = rows + own->first[i + 1];
        to->start[sets + i + 1] = blocks + own->start[i + 1];
        to->diagonal[sets + i] = blocks + own->diagonal[i];
    }
    for (int k = 0; k < own->block_count; k++) {
        to->column[blocks + k] = sets + own->column[k];
        to->offset[blocks + k + 1] = values + own->offset[k + 1];
    }
    if (values > 0) memcpy(to->value, mechanics->value, values * sizeof(double));
    memcpy(to->value + values, own->value, own->offset[own->block_count] * sizeof(double));
}

void tp_state_problem_join(tp_state_problem *p, const tp_problem *mechanics)
{
    tp_problem *to = &p->problem;
    int x_count = tp_state_problem_x_count(p), rows = mechanics->row_count, sets = mechanics->set_count;
    to->row_count = rows + p->own_rows;
    to->set_count = sets + p->own_sets;
    to->contact_count = mechanics->contact_count;
    join_columns(&mechanics->M, 1, &p->M, x_count, &to->M);
    join_columns(&mechanics->A, 0, &p->A, x_count, &to->A);
    join_columns(&mechanics->Ct, 0, &p->Ct, x_count, &to->Ct);
    join_blocks(&mechanics->D, &p->D, &to->D);
    for (int i = 0; i < sets; i++) to->sets[i] = mechanics->sets[i];
    for (int i = 0; i < p->own_sets; i++) {
        to->sets[sets + i] = p->own_set[i];
        to->sets[sets + i].first += rows;
    }
    to->D_norm = -1.0;
}
