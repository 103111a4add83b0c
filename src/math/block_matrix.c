/* Block-sparse matrices: building in time proportional to entries and blocks, and products. */
#include "block_matrix.h"

#include "block3.h"

#include <string.h>

#include "dense.h"
#include "sparse.h"

#include <limits.h>
#include <math.h>

/* Scalar entries sorted by block row, then block column. Item numbers from entries->count on stand for the
   diagonal blocks, which are there with or without entries. */
typedef struct sorted_items {
    int count;
    int *order, *block_row, *block_column;
} sorted_items;

static tp_status set_partition(tp_arena *arena, int block_rows, const int *size, tp_block_matrix *matrix)
{
    matrix->block_rows = block_rows;
    TP_ARENA_INTS(arena, (size_t)block_rows + 1, &matrix->first, &matrix->start);
    matrix->diagonal = TP_ARENA_ARRAY(arena, int, (size_t)block_rows);
    TP_TRY(tp_arena_status(arena));
    matrix->uniform = block_rows > 0 ? size[0] : 0;
    for (int i = 0; i < block_rows; i++) {
        if (size[i] > INT_MAX - matrix->first[i]) return TP_INVALID_ARGUMENT;
        matrix->first[i + 1] = matrix->first[i] + size[i];
        if (size[i] != size[0]) matrix->uniform = 0;
    }
    return TP_OK;
}

static int block_size(const tp_block_matrix *matrix, int block_row)
{
    return matrix->first[block_row + 1] - matrix->first[block_row];
}

/* Arrays of the blocks, whose number per row stands in start; then their values. */
static tp_status take_blocks(tp_arena *arena, size_t block_count, tp_block_matrix *matrix)
{
    if (block_count > INT_MAX) return TP_OUT_OF_MEMORY;
    matrix->block_count = (int)block_count;
    matrix->column = TP_ARENA_ARRAY(arena, int, block_count);
    matrix->offset = TP_ARENA_ARRAY(arena, size_t, block_count + 1);
    return tp_arena_status(arena);
}

/* Registers the next block of a row; its values follow those of the block before it. */
static void append_block(tp_block_matrix *matrix, int place, int block_row, int block_column)
{
    size_t area = (size_t)block_size(matrix, block_row) * (size_t)block_size(matrix, block_column);
    matrix->column[place] = block_column;
    matrix->offset[place + 1] = matrix->offset[place] + area;
    if (block_row == block_column) matrix->diagonal[block_row] = place;
}

static tp_status take_values(tp_arena *arena, tp_block_matrix *matrix)
{
    matrix->value = TP_ARENA_ARRAY(arena, double, matrix->offset[matrix->block_count] + 1);
    return matrix->value != NULL ? TP_OK : TP_OUT_OF_MEMORY;
}

static bool has_nonzero(const tp_block_matrix *matrix, const double *dense, int block_row, int block_column)
{
    size_t lead = (size_t)tp_block_matrix_rows(matrix);
    for (int j = matrix->first[block_column]; j < matrix->first[block_column + 1]; j++) {
        for (int i = matrix->first[block_row]; i < matrix->first[block_row + 1]; i++) {
            if (dense[(size_t)i + (size_t)j * lead] != 0.0) return true;
        }
    }
    return false;
}

static void copy_block(tp_block_matrix *matrix, const double *dense, int block_row, int place)
{
    int block_column = matrix->column[place];
    size_t lead = (size_t)tp_block_matrix_rows(matrix);
    double *target = matrix->value + matrix->offset[place];
    for (int j = matrix->first[block_column]; j < matrix->first[block_column + 1]; j++) {
        for (int i = matrix->first[block_row]; i < matrix->first[block_row + 1]; i++) {
            *target++ = dense[(size_t)i + (size_t)j * lead];
        }
    }
}

static tp_status build_from_dense(tp_arena *arena, const double *dense, tp_block_matrix *matrix)
{
    size_t count = 0;
    for (int i = 0; i < matrix->block_rows; i++) {
        for (int j = 0; j < matrix->block_rows; j++) count += i == j || has_nonzero(matrix, dense, i, j);
    }
    TP_TRY(take_blocks(arena, count, matrix));
    int place = 0;
    for (int i = 0; i < matrix->block_rows; i++) {
        for (int j = 0; j < matrix->block_rows; j++) {
            if (i == j || has_nonzero(matrix, dense, i, j)) append_block(matrix, place++, i, j);
        }
        matrix->start[i + 1] = place;
    }
    TP_TRY(take_values(arena, matrix));
    for (int i = 0; i < matrix->block_rows; i++) {
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; k++) copy_block(matrix, dense, i, k);
    }
    return TP_OK;
}

/* Sorts the nonzero entries and the diagonal markers; memory from scratch. */
static tp_status sort_items(tp_arena *scratch, const tp_block_matrix *matrix, const tp_entries *entries,
                            sorted_items *items)
{
    int block_rows = matrix->block_rows, rows = tp_block_matrix_rows(matrix);
    if (entries->count > INT_MAX - block_rows) return TP_OUT_OF_MEMORY;
    size_t room = (size_t)entries->count + (size_t)block_rows;
    int *block_of = TP_ARENA_ARRAY(scratch, int, rows), *listed, *by_column;
    int *next = TP_ARENA_ARRAY(scratch, int, (size_t)block_rows + 1);
    TP_ARENA_INTS(scratch, room, &listed, &by_column, &items->order, &items->block_row, &items->block_column);
    TP_TRY(tp_arena_status(scratch));
    for (int b = 0; b < block_rows; b++) {
        for (int i = matrix->first[b]; i < matrix->first[b + 1]; i++) block_of[i] = b;
    }
    items->count = 0;
    for (int k = 0; k < entries->count; k++) {
        if (entries->value[k] == 0.0) continue;
        items->block_row[k] = block_of[entries->row[k]];
        items->block_column[k] = block_of[entries->col[k]];
        listed[items->count++] = k;
    }
    for (int b = 0; b < block_rows; b++) {
        items->block_row[entries->count + b] = items->block_column[entries->count + b] = b;
        listed[items->count++] = entries->count + b;
    }
    tp_sort_by_key(items->block_column, block_rows, items->count, listed, next, by_column);
    tp_sort_by_key(items->block_row, block_rows, items->count, by_column, next, items->order);
    return TP_OK;
}

/* True if item k of the sorted list is the first of its block. */
static bool opens_block(const sorted_items *items, int k)
{
    if (k == 0) return true;
    int item = items->order[k], before = items->order[k - 1];
    return items->block_row[item] != items->block_row[before] ||
           items->block_column[item] != items->block_column[before];
}

static tp_status build_from_entries(tp_arena *arena, const tp_entries *entries, const sorted_items *items,
                                    tp_block_matrix *matrix)
{
    size_t count = 0;
    for (int k = 0; k < items->count; k++) count += opens_block(items, k);
    TP_TRY(take_blocks(arena, count, matrix));
    int place = 0;
    for (int k = 0; k < items->count; k++) {
        if (!opens_block(items, k)) continue;
        int item = items->order[k];
        append_block(matrix, place++, items->block_row[item], items->block_column[item]);
        matrix->start[items->block_row[item] + 1] = place; /* every row has a block: its diagonal */
    }
    TP_TRY(take_values(arena, matrix));

    place = -1;
    for (int k = 0; k < items->count; k++) {
        int item = items->order[k];
        if (opens_block(items, k)) place++;
        if (item >= entries->count) continue; /* a diagonal marker carries no value */
        int row = items->block_row[item], column = items->block_column[item];
        int i = entries->row[item] - matrix->first[row], j = entries->col[item] - matrix->first[column];
        matrix->value[matrix->offset[place] + (size_t)j * (size_t)block_size(matrix, row) + (size_t)i] +=
            entries->value[item];
    }
    return TP_OK;
}

tp_status tp_block_matrix_build(tp_arena *arena, int block_rows, const int *size, const tp_entries *entries,
                                tp_block_matrix *matrix_out)
{
    TP_TRY(set_partition(arena, block_rows, size, matrix_out));
    int rows = tp_block_matrix_rows(matrix_out);
    if (entries->rows != rows || entries->cols != rows) return TP_INVALID_ARGUMENT;
    if (entries->row == NULL) return build_from_dense(arena, entries->value, matrix_out);

    tp_arena scratch = tp_arena_make(arena->allocator);
    sorted_items items = {0, NULL, NULL, NULL};
    tp_status status = sort_items(&scratch, matrix_out, entries, &items);
    if (status == TP_OK) status = build_from_entries(arena, entries, &items, matrix_out);
    tp_arena_clear(&scratch);
    return status;
}

static void apply_uniform_3(const tp_block_matrix *matrix, const double *x, const double *b, double *y_out)
{
    static const double zero[3] = {0.0, 0.0, 0.0};
    tp_block3_row row = tp_block3_row_best();
    for (int i = 0; i < matrix->block_rows; i++)
        row(matrix, i, -1, b != NULL ? b + 3 * (size_t)i : zero, x, y_out + 3 * (size_t)i);
}

void tp_block_matrix_apply(const tp_block_matrix *matrix, const double *x, const double *b, double *y_out)
{
    if (matrix->uniform == 3) {
        apply_uniform_3(matrix, x, b, y_out);
        return;
    }
    for (int i = 0; i < matrix->block_rows; i++) {
        int first = matrix->first[i], size = block_size(matrix, i);
        for (int r = 0; r < size; r++) y_out[first + r] = b != NULL ? b[first + r] : 0.0;
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            int j = matrix->column[k];
            tp_dense_multiply_add(size, block_size(matrix, j), matrix->value + matrix->offset[k], size,
                                  x + matrix->first[j], y_out + first);
        }
    }
}

void tp_block_matrix_apply_transposed_add(const tp_block_matrix *matrix, const double *x, double *y)
{
    for (int i = 0; i < matrix->block_rows; i++) {
        int size = block_size(matrix, i);
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            int j = matrix->column[k];
            tp_dense_multiply_transposed_add(size, block_size(matrix, j), matrix->value + matrix->offset[k],
                                             size, x + matrix->first[i], y + matrix->first[j]);
        }
    }
}

double tp_block_matrix_frobenius_norm(const tp_block_matrix *matrix)
{
    double norm = 0.0;
    for (int i = 0; i < matrix->block_rows; i++) { /* the blocks of a row are contiguous */
        size_t begin = matrix->offset[matrix->start[i]], end = matrix->offset[matrix->start[i + 1]];
        norm = hypot(norm, tp_dense_norm((int)(end - begin), matrix->value + begin));
    }
    return norm;
}

tp_status tp_block_matrix_columns(const tp_block_matrix *matrix, tp_stack *stack,
                                  tp_block_columns *columns_out)
{
    int n = matrix->block_rows;
    columns_out->start = TP_STACK_ARRAY(stack, int, n + 1);
    TP_STACK_INTS(stack, matrix->block_count, &columns_out->row, &columns_out->place);
    int *next = TP_STACK_ARRAY(stack, int, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(columns_out->start, 0, (size_t)(n + 1) * sizeof(int));
    for (int k = 0; k < matrix->block_count; k++) columns_out->start[matrix->column[k] + 1]++;
    for (int j = 0; j < n; j++) columns_out->start[j + 1] += columns_out->start[j];
    memcpy(next, columns_out->start, (size_t)n * sizeof(int));
    for (int i = 0; i < n; i++) {
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            int at = next[matrix->column[k]]++;
            columns_out->row[at] = i;
            columns_out->place[at] = k;
        }
    }
    return TP_OK;
}
