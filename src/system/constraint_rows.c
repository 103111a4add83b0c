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
    c->chi = TP_ARENA_ARRAY(c->arena, double, rows);
    c->length = TP_ARENA_ARRAY(c->arena, double, rows);
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
    tp_arena scratch;
    tp_arena_init(&scratch, c->allocator);
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
    return status == TP_OK ? tp_factor_create(c->allocator, TP_FACTOR_LDL, &c->S, &c->factor) : status;
}

tp_status tp_constraint_rows_prepare(tp_constraint_rows *c)
{
    return c->factor == NULL ? find_pattern(c) : TP_OK;
}

/* Weighted inner product of two columns of A. */
static double product(const tp_sparse *A, const double *weight, int r, int s)
{
    double sum = 0.0;
    int i = A->start[r], j = A->start[s];
    while (i < A->start[r + 1] && j < A->start[s + 1]) {
        if (A->index[i] == A->index[j]) {
            sum += A->value[i] * A->value[j] * (weight != NULL ? weight[A->index[i]] : 1.0);
            i++;
            j++;
        } else if (A->index[i] < A->index[j]) {
            i++;
        } else {
            j++;
        }
    }
    return sum;
}

tp_status tp_constraint_rows_factorise(tp_constraint_rows *c, const double *weight, double shift)
{
    TP_TRY(tp_constraint_rows_prepare(c));
    for (int r = 0; r < c->row_count; r++) {
        double square = product(&c->A, weight, r, r);
        c->length[r] = square > 0.0 ? sqrt(square) : 1.0;
    }
    for (int s = 0; s < c->row_count; s++) {
        for (int k = c->S.start[s]; k < c->S.start[s + 1]; k++) {
            int r = c->S.index[k];
            c->S.value[k] =
                product(&c->A, weight, r, s) / (c->length[r] * c->length[s]) + (r == s ? shift : 0.0);
        }
    }
    return tp_factor_update(c->factor, &c->S);
}
