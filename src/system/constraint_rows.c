/* Rows of bilateral constraints taken together. */
#include "constraint_rows.h"

#include "base/sort.h"
#include "math/sparse.h"

#include <math.h>
#include <string.h>

/* Columns of a rigid body. */
enum { BODY = 6 };

static tp_status list_laws(tp_constraint_rows *c, bool on_positions_alone)
{
    const tp_list *laws = &c->system->model->laws;
    c->law = TP_ARENA_ARRAY(c->arena, int, laws->count + 1);
    c->first = TP_ARENA_ARRAY(c->arena, int, laws->count + 1);
    TP_TRY(tp_arena_status(c->arena));
    for (int i = 0; i < laws->count; i++) {
        const tp_law *law = TP_LIST_AT(*laws, tp_law, i);
        if (law->set.kind != TP_SET_FREE) continue;
        if (on_positions_alone && law->level != TP_LEVEL_POSITION) continue;
        c->law[c->law_count++] = i;
        c->row_count += law->row_count;
        c->first[c->law_count] = c->row_count;
    }
    return TP_OK;
}

static tp_status take_matrix(tp_constraint_rows *c)
{
    size_t rows = (size_t)c->row_count, entries = 0;
    for (int i = 0; i < c->law_count; i++)
        entries += (size_t)(c->first[i + 1] - c->first[i]) *
                   (size_t)tp_system_law_column_count(c->system, c->law[i]);
    c->A = (tp_sparse){c->system->u_count, c->row_count, TP_ARENA_ARRAY(c->arena, int, rows + 1),
                       TP_ARENA_ARRAY(c->arena, int, entries), TP_ARENA_ARRAY(c->arena, double, entries)};
    TP_ARENA_DOUBLES(c->arena, rows, &c->chi, &c->length);
    TP_TRY(tp_arena_status(c->arena));
    for (int i = 0; i < c->law_count; i++) {
        int count = tp_system_law_column_count(c->system, c->law[i]);
        for (int r = c->first[i]; r < c->first[i + 1]; r++) {
            memcpy(c->A.index + c->A.start[r], tp_system_law_columns(c->system, c->law[i]),
                   (size_t)count * sizeof(int));
            c->A.start[r + 1] = c->A.start[r] + count;
        }
    }
    return TP_OK;
}

tp_status tp_constraint_rows_create(const tp_allocator *allocator, tp_arena *arena, tp_system *system,
                                    bool on_positions_alone, tp_constraint_rows *rows_out)
{
    *rows_out = (tp_constraint_rows){.allocator = allocator, .arena = arena, .system = system};
    TP_TRY(list_laws(rows_out, on_positions_alone));
    return take_matrix(rows_out);
}

void tp_constraint_rows_free(tp_constraint_rows *c)
{
    tp_factor_free(c->factor);
    c->factor = NULL;
}

void tp_constraint_rows_evaluate(tp_constraint_rows *c)
{
    for (int i = 0; i < c->law_count; i++) {
        int first = c->first[i];
        tp_system_law_rows(c->system, c->law[i], c->A.value + c->A.start[first], c->chi + first);
    }
}

static bool have_same_columns(const tp_sparse *A, int r, int s)
{
    int count = A->start[r + 1] - A->start[r];
    return A->start[s + 1] - A->start[s] == count &&
           memcmp(A->index + A->start[r], A->index + A->start[s], (size_t)count * sizeof(int)) == 0;
}

/* Columns that the first rows of two groups share, as runs; returns their number. run_out may be NULL. */
static int find_runs(const tp_sparse *A, int own, int other, tp_row_run *run_out)
{
    int i = A->start[own], j = A->start[other], count = 0;
    bool goes_on = false; /* the last columns were the same */
    while (i < A->start[own + 1] && j < A->start[other + 1]) {
        bool are_same = A->index[i] == A->index[j];
        count += are_same && !goes_on;
        if (are_same && run_out != NULL) {
            tp_row_run *run = &run_out[count - 1];
            if (!goes_on) *run = (tp_row_run){i - A->start[own], j - A->start[other], 0};
            run->count++;
        }
        int left = A->index[i], right = A->index[j];
        i += left <= right;
        j += right <= left;
        goes_on = are_same;
    }
    return count;
}

/* Pairs of group g with groups that are not after it: their rows stand together in the columns of S. */
static void list_pairs(tp_constraint_rows *c, int g, const int *group_of, int *pairs, int *runs)
{
    const tp_sparse *S = &c->S;
    int first = c->group[g], begin = S->start[first];
    for (int k = begin; k < S->start[first + 1] && S->index[k] <= first; k++) {
        int h = group_of[S->index[k]], other = c->group[h];
        if (S->index[k] != other) continue;
        if (c->pair != NULL) {
            int count = S->start[other + 1] - S->start[other],
                lower = tp_find_int(S->index + S->start[other], count, first);
            c->pair[*pairs] = (tp_row_pair){h, k - begin, lower, *runs, *runs};
            c->pair[*pairs].run_end += find_runs(&c->A, first, other, c->run + *runs);
        }
        *runs += find_runs(&c->A, first, other, NULL);
        ++*pairs;
    }
}

/* Rows that follow each other and have the same columns are a group. Those of S are found block by block. */
static tp_status find_groups(tp_constraint_rows *c)
{
    tp_arena *arena = c->arena, scratch = tp_arena_make(c->allocator);
    int rows = c->row_count, largest = 0, pairs = 0, runs = 0,
        *group_of = TP_ARENA_ARRAY(&scratch, int, rows);
    c->group = TP_ARENA_ARRAY(arena, int, rows + 1);
    c->first_pair = TP_ARENA_ARRAY(arena, int, rows + 1);
    c->inverse = TP_ARENA_ARRAY(arena, double, rows);
    tp_status status = tp_arena_status(arena) == TP_OK ? tp_arena_status(&scratch) : TP_OUT_OF_MEMORY;
    for (int r = 0; r < rows && status == TP_OK; r++) {
        int first = r > 0 ? c->group[c->group_count - 1] : 0, count = c->A.start[r + 1] - c->A.start[r];
        if (r == 0 || r - first == TP_LAW_ROWS || !have_same_columns(&c->A, first, r))
            c->group[c->group_count++] = r;
        group_of[r] = c->group_count - 1;
        largest = count > largest ? count : largest;
        c->group[c->group_count] = rows;
    }
    for (int pass = 0; pass < 2 && status == TP_OK; pass++) {
        pairs = runs = 0;
        for (int g = 0; g < c->group_count; g++) {
            list_pairs(c, g, group_of, &pairs, &runs);
            c->first_pair[g + 1] = pairs;
        }
        if (pass == 1) break;
        c->weighted = TP_ARENA_ARRAY(arena, double, TP_LAW_ROWS *largest);
        c->pair = TP_ARENA_ARRAY(arena, tp_row_pair, pairs);
        c->run = TP_ARENA_ARRAY(arena, tp_row_run, runs);
        status = tp_arena_status(arena);
    }
    tp_arena_clear(&scratch);
    return status;
}

/* Pattern of A^T A: rows that share a velocity. */
static tp_status find_pattern(tp_constraint_rows *c)
{
    tp_arena scratch = tp_arena_make(c->allocator);
    tp_sparse At;
    tp_status status = tp_sparse_transpose(&scratch, &c->A, &At);
    int rows = c->row_count, *next = TP_ARENA_ARRAY(&scratch, int, rows), total = 0;
    c->S = (tp_sparse){rows, rows, TP_ARENA_ARRAY(c->arena, int, rows + 1), NULL, NULL};
    if (next == NULL || c->S.start == NULL) status = TP_OUT_OF_MEMORY;
    for (int pass = 0; pass < 2 && status == TP_OK; pass++) {
        for (int r = 0; r < rows; r++) next[r] = -1;
        total = 0;
        for (int r = 0; r < rows; r++) {
            int begin = total;
            for (int k = c->A.start[r]; k < c->A.start[r + 1]; k++) {
                int j = c->A.index[k];
                for (int e = At.start[j]; e < At.start[j + 1]; e++) {
                    int other = At.index[e];
                    if (next[other] == r) continue;
                    next[other] = r;
                    if (pass == 1) c->S.index[total] = other;
                    total++;
                }
            }
            if (pass == 1) tp_sort_ints(c->S.index + begin, total - begin);
            c->S.start[r + 1] = total;
        }
        if (pass == 0) {
            c->S.index = TP_ARENA_ARRAY(c->arena, int, total);
            c->S.value = TP_ARENA_ARRAY(c->arena, double, total);
            if (c->S.index == NULL || c->S.value == NULL) status = TP_OUT_OF_MEMORY;
        }
    }
    tp_arena_clear(&scratch);
    if (status == TP_OK) status = find_groups(c);
    return status == TP_OK ? tp_factor_create(c->allocator, TP_FACTOR_LDL, &c->S, &c->factor) : status;
}

tp_status tp_constraint_rows_prepare(tp_constraint_rows *c)
{
    return c->factor == NULL ? find_pattern(c) : TP_OK;
}

/* D a of the rows of a group, and 1/sqrt(a^T D a). */
static void weigh(tp_constraint_rows *c, const double *weight, int g)
{
    int first = c->group[g], begin = c->A.start[first], count = c->A.start[first + 1] - begin;
    const int *column = c->A.index + begin;
    for (int s = first; s < c->group[g + 1]; s++) {
        const double *row = c->A.value + c->A.start[s];
        double *weighted = c->weighted + (s - first) * count, square = 0.0;
        for (int k = 0; k < count; k++) {
            weighted[k] = row[k] * (weight != NULL ? weight[column[k]] : 1.0);
            square += row[k] * weighted[k];
        }
        c->length[s] = square > 0.0 ? sqrt(square) : 1.0;
        c->inverse[s] = 1.0 / c->length[s];
    }
}

/* Products of rows of two groups over some of their columns: block [TP_LAW_ROWS][TP_LAW_ROWS] += own other^T,
   where they are the same ones up to the diagonal. */
typedef struct row_block {
    int own_rows, other_rows, own_stride, other_stride;
    bool is_same;
    const double *own, *other;
} row_block;

static void add_body(const row_block *b, double *restrict block)
{
    for (int s = 0; s < b->own_rows; s++) {
        const double *x = b->own + s * b->own_stride;
        int count = b->is_same ? s + 1 : b->other_rows;
        for (int r = 0; r < count; r++) {
            const double *y = b->other + r * b->other_stride;
            double even = x[0] * y[0] + x[2] * y[2] + x[4] * y[4],
                   odd = x[1] * y[1] + x[3] * y[3] + x[5] * y[5];
            block[s * TP_LAW_ROWS + r] += even + odd;
        }
    }
}

static void add_one(const row_block *b, double *block)
{
    for (int s = 0; s < b->own_rows; s++) {
        int count = b->is_same ? s + 1 : b->other_rows;
        for (int r = 0; r < count; r++)
            block[s * TP_LAW_ROWS + r] += b->own[s * b->own_stride] * b->other[r * b->other_stride];
    }
}

/* Entries of S of the rows of a group with those of one that is not after it; columns of a rigid body at
 * once. */
static void multiply(tp_constraint_rows *c, int g, const tp_row_pair *pair, double shift)
{
    int first = c->group[g], other = c->group[pair->group];
    double block[TP_LAW_ROWS * TP_LAW_ROWS] = {0.0};
    row_block b = {.own_rows = c->group[g + 1] - first,
                   .other_rows = c->group[pair->group + 1] - other,
                   .own_stride = c->A.start[first + 1] - c->A.start[first],
                   .other_stride = c->A.start[other + 1] - c->A.start[other],
                   .is_same = first == other};
    for (int k = pair->run; k < pair->run_end; k++) {
        const tp_row_run *run = &c->run[k];
        b.own = c->weighted + run->in_own;
        b.other = c->A.value + c->A.start[other] + run->in_other;
        int left = run->count;
        for (; left >= BODY; left -= BODY, b.own += BODY, b.other += BODY) add_body(&b, block);
        for (; left > 0; left--, b.own++, b.other++) add_one(&b, block);
    }
    for (int s = 0; s < b.own_rows; s++) {
        double *upper = c->S.value + c->S.start[first + s] + pair->upper, scale = c->inverse[first + s];
        for (int r = 0; r < (b.is_same ? s + 1 : b.other_rows); r++) {
            double entry = block[s * TP_LAW_ROWS + r] * (c->inverse[other + r] * scale);
            if (b.is_same && r == s) entry += shift;
            upper[r] = c->S.value[c->S.start[other + r] + pair->lower + s] = entry;
        }
    }
}

tp_status tp_constraint_rows_factorise(tp_constraint_rows *c, const double *weight, double shift)
{
    TP_TRY(tp_constraint_rows_prepare(c));
    for (int g = 0; g < c->group_count; g++) {
        weigh(c, weight, g);
        for (int k = c->first_pair[g]; k < c->first_pair[g + 1]; k++) multiply(c, g, &c->pair[k], shift);
    }
    return tp_factor_update(c->factor, &c->S);
}

/* ---- products ---- */

/* Some columns of the rows of a group. */
typedef struct row_part {
    const int *column;
    const double *row; /* the first one, from the first of these columns on */
    int rows, stride;
} row_part;

/* Are the next six those of a rigid body? */
static bool is_body(const int *column, int left)
{
    return left >= BODY && column[BODY - 1] - column[0] == BODY - 1;
}

static void push_body(const row_part *part, const double *P, double *restrict y)
{
    double a = y[0], b = y[1], c = y[2], d = y[3], e = y[4], f = y[5];
    const double *row = part->row;
    for (int r = 0; r < part->rows; r++, row += part->stride) {
        a += row[0] * P[r];
        b += row[1] * P[r];
        c += row[2] * P[r];
        d += row[3] * P[r];
        e += row[4] * P[r];
        f += row[5] * P[r];
    }
    y[0] = a, y[1] = b, y[2] = c, y[3] = d, y[4] = e, y[5] = f;
}

static void push_one(const row_part *part, const double *P, double *y)
{
    double sum = *y;
    for (int r = 0; r < part->rows; r++) sum += part->row[r * part->stride] * P[r];
    *y = sum;
}

void tp_constraint_rows_push(const tp_constraint_rows *c, const double *P, double *y)
{
    for (int g = 0; g < c->group_count; g++) {
        int first = c->group[g], begin = c->A.start[first], left = c->A.start[first + 1] - begin;
        row_part part = {c->A.index + begin, c->A.value + begin, c->group[g + 1] - first, left};
        while (left > 0) {
            int count = is_body(part.column, left) ? BODY : 1;
            if (count == BODY)
                push_body(&part, P + first, y + part.column[0]);
            else
                push_one(&part, P + first, y + part.column[0]);
            part.column += count, part.row += count, left -= count;
        }
    }
}

static void see_body(const row_part *part, const double *u, double *restrict velocity)
{
    const double *row = part->row;
    for (int r = 0; r < part->rows; r++, row += part->stride) {
        double even = row[0] * u[0] + row[2] * u[2] + row[4] * u[4],
               odd = row[1] * u[1] + row[3] * u[3] + row[5] * u[5];
        velocity[r] += even + odd;
    }
}

static void see_one(const row_part *part, const double *u, double *velocity)
{
    for (int r = 0; r < part->rows; r++) velocity[r] += part->row[r * part->stride] * *u;
}

void tp_constraint_rows_see(const tp_constraint_rows *c, const double *u, double *velocity)
{
    for (int g = 0; g < c->group_count; g++) {
        int first = c->group[g], begin = c->A.start[first], left = c->A.start[first + 1] - begin;
        row_part part = {c->A.index + begin, c->A.value + begin, c->group[g + 1] - first, left};
        while (left > 0) {
            int count = is_body(part.column, left) ? BODY : 1;
            if (count == BODY)
                see_body(&part, u + part.column[0], velocity + first);
            else
                see_one(&part, u + part.column[0], velocity + first);
            part.column += count, part.row += count, left -= count;
        }
    }
}
