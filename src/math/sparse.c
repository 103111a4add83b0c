/* Sparse matrices in compressed columns: building by counting sorts, products. */
#include "sparse.h"

#include <string.h>

tp_status tp_sparse_take(tp_arena *arena, int rows, int cols, size_t entry_count, tp_sparse *out)
{
    *out = (tp_sparse){.rows = rows,
                       .cols = cols,
                       .start = TP_ARENA_ARRAY(arena, int, (size_t)cols + 1),
                       .index = TP_ARENA_ARRAY(arena, int, entry_count),
                       .value = TP_ARENA_ARRAY(arena, double, entry_count)};
    return out->start != NULL && out->index != NULL && out->value != NULL ? TP_OK : TP_OUT_OF_MEMORY;
}

static tp_status compress_dense(tp_arena *arena, const tp_entries *entries, tp_sparse *sparse_out)
{
    size_t size = (size_t)entries->rows * (size_t)entries->cols, count = 0;
    for (size_t k = 0; k < size; k++) count += entries->value[k] != 0.0;
    if (count > 0x7fffffffu) return TP_OUT_OF_MEMORY; /* indices are int */
    TP_TRY(tp_sparse_take(arena, entries->rows, entries->cols, count, sparse_out));

    int place = 0;
    for (int j = 0; j < entries->cols; j++) {
        const double *column = entries->value + (size_t)j * (size_t)entries->rows;
        for (int i = 0; i < entries->rows; i++) {
            if (column[i] == 0.0) continue;
            sparse_out->index[place] = i;
            sparse_out->value[place++] = column[i];
        }
        sparse_out->start[j + 1] = place;
    }
    return TP_OK;
}

void tp_sort_by_key(const int *key, int key_count, int count, const int *from, int *next, int *to)
{
    memset(next, 0, ((size_t)key_count + 1) * sizeof *next);
    for (int k = 0; k < count; k++) next[key[from != NULL ? from[k] : k] + 1]++;
    for (int k = 0; k < key_count; k++) next[k + 1] += next[k];
    for (int k = 0; k < count; k++) {
        int item = from != NULL ? from[k] : k;
        to[next[key[item]]++] = item;
    }
}

/* Puts the sorted entries in their columns; those at the same place are added in the order they came. */
static void gather(const tp_entries *entries, const int *order, tp_sparse *out)
{
    int place = -1, column = -1;
    for (int k = 0; k < entries->count; k++) {
        int item = order[k], i = entries->row[item], j = entries->col[item];
        if (j == column && out->index[place] == i) {
            out->value[place] += entries->value[item];
            continue;
        }
        while (column < j) out->start[++column] = place + 1;
        place++;
        out->index[place] = i;
        out->value[place] = entries->value[item];
    }
    while (column < out->cols) out->start[++column] = place + 1;
}

tp_status tp_sparse_compress_with(tp_arena *arena, tp_arena *scratch, const tp_entries *entries,
                                  tp_sparse *sparse_out)
{
    size_t count = (size_t)entries->count, keys = (size_t)entries->rows + (size_t)entries->cols;
    int *by_row, *by_column, *next = TP_ARENA_ARRAY(scratch, int, keys + 1);
    TP_ARENA_INTS(scratch, count, &by_row, &by_column);
    TP_TRY(tp_arena_status(scratch));
    TP_TRY(tp_sparse_take(arena, entries->rows, entries->cols, count, sparse_out));
    tp_sort_by_key(entries->row, entries->rows, entries->count, NULL, next, by_row);
    tp_sort_by_key(entries->col, entries->cols, entries->count, by_row, next, by_column);
    gather(entries, by_column, sparse_out);
    return TP_OK;
}

tp_status tp_sparse_compress(tp_arena *arena, const tp_entries *entries, tp_sparse *sparse_out)
{
    if (entries->row == NULL) return compress_dense(arena, entries, sparse_out);
    tp_arena scratch = tp_arena_make(arena->allocator);
    tp_status status = tp_sparse_compress_with(arena, &scratch, entries, sparse_out);
    tp_arena_clear(&scratch);
    return status;
}

tp_status tp_sparse_transpose(tp_arena *arena, const tp_sparse *a, tp_sparse *transposed_out)
{
    int count = a->start[a->cols];
    TP_TRY(tp_sparse_take(arena, a->cols, a->rows, (size_t)count, transposed_out));
    int *start = transposed_out->start;
    for (int p = 0; p < count; p++) start[a->index[p] + 1]++;
    for (int i = 0; i < a->rows; i++) start[i + 1] += start[i];

    /* start[i] serves as the next free place of column i and ends up as the start of column i + 1. */
    for (int j = 0; j < a->cols; j++) {
        for (int p = a->start[j]; p < a->start[j + 1]; p++) {
            int place = start[a->index[p]]++;
            transposed_out->index[place] = j;
            transposed_out->value[place] = a->value[p];
        }
    }
    for (int i = a->rows; i > 0; i--) start[i] = start[i - 1];
    start[0] = 0;
    return TP_OK;
}

void tp_pattern_multiply_add(const tp_sparse *pattern, const double *value, const double *x, double *y)
{
    for (int j = 0; j < pattern->cols; j++) {
        double factor = x[j];
        for (int p = pattern->start[j]; p < pattern->start[j + 1]; p++)
            y[pattern->index[p]] += value[p] * factor;
    }
}

void tp_pattern_to_dense(const tp_sparse *pattern, const double *value, double *dense_out)
{
    size_t rows = (size_t)pattern->rows;
    memset(dense_out, 0, rows * (size_t)pattern->cols * sizeof(double));
    for (int j = 0; j < pattern->cols; j++) {
        for (int p = pattern->start[j]; p < pattern->start[j + 1]; p++)
            dense_out[(size_t)pattern->index[p] + rows * (size_t)j] = value[p];
    }
}

void tp_sparse_multiply_add(const tp_sparse *a, const double *x, double *y)
{
    tp_pattern_multiply_add(a, a->value, x, y);
}

void tp_sparse_multiply_transposed_add(const tp_sparse *a, const double *x, double *y)
{
    for (int j = 0; j < a->cols; j++) {
        double sum = 0.0;
        for (int p = a->start[j]; p < a->start[j + 1]; p++) sum += a->value[p] * x[a->index[p]];
        y[j] += sum;
    }
}
