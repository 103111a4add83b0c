/* Rows of bilateral constraints taken together. */
#include "constraint_rows.h"

#include "base/sort.h"
#include "math/sparse.h"

#include <math.h>
#include <string.h>

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
    c->spread = TP_ARENA_ARRAY(c->arena, double, c->A.rows + 1);
    c->next = TP_ARENA_ARRAY(c->arena, int, rows + 1);
    if (c->spread == NULL || c->next == NULL) status = TP_OUT_OF_MEMORY;
    return status == TP_OK ? tp_factor_create(c->allocator, TP_FACTOR_LDL, &c->S, &c->factor) : status;
}

tp_status tp_constraint_rows_prepare(tp_constraint_rows *c)
{
    return c->factor == NULL ? find_pattern(c) : TP_OK;
}

/* Inner product of column r of A with a column that is spread over c->spread, times its weights. */
static double product(const tp_constraint_rows *c, int r)
{
    double sum = 0.0;
    for (int k = c->A.start[r]; k < c->A.start[r + 1]; k++) sum += c->A.value[k] * c->spread[c->A.index[k]];
    return sum;
}

static void spread_column(tp_constraint_rows *c, const double *weight, int s)
{
    for (int k = c->A.start[s]; k < c->A.start[s + 1]; k++) {
        int j = c->A.index[k];
        c->spread[j] = c->A.value[k] * (weight != NULL ? weight[j] : 1.0);
    }
}

static void clear_column(tp_constraint_rows *c, int s)
{
    for (int k = c->A.start[s]; k < c->A.start[s + 1]; k++) c->spread[c->A.index[k]] = 0.0;
}

static void find_lengths(tp_constraint_rows *c, const double *weight)
{
    for (int r = 0; r < c->row_count; r++) {
        spread_column(c, weight, r);
        double square = product(c, r);
        clear_column(c, r);
        c->length[r] = square > 0.0 ? sqrt(square) : 1.0;
    }
}

/* S is symmetric: each entry above the diagonal is found once. Rows of a column ascend, and so do the columns
   s: the entry below the diagonal of column r that belongs to s is the next one there. */
tp_status tp_constraint_rows_factorise(tp_constraint_rows *c, const double *weight, double shift)
{
    TP_TRY(tp_constraint_rows_prepare(c));
    find_lengths(c, weight);
    for (int s = 0; s < c->row_count; s++) {
        spread_column(c, weight, s);
        int k = c->S.start[s];
        for (; k < c->S.start[s + 1] && c->S.index[k] < s; k++) {
            int r = c->S.index[k];
            c->S.value[k] = product(c, r) / (c->length[r] * c->length[s]);
            c->S.value[c->next[r]++] = c->S.value[k];
        }
        bool has_diagonal = k < c->S.start[s + 1] && c->S.index[k] == s;
        if (has_diagonal) c->S.value[k] = product(c, s) / (c->length[s] * c->length[s]) + shift;
        c->next[s] = k + has_diagonal;
        clear_column(c, s);
    }
    return tp_factor_update(c->factor, &c->S);
}
