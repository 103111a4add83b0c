/* The three storages of a matrix in the text formats. */
#include "io/exchange/dat_matrix.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { BANNER_WORDS_MAX = 64 }; /* words before "nnz:" in a print-out; real banners have about twenty */

/* kind 0: rows and columns again, then column by column. */
static tp_status read_dense(tp_content *content, tp_tokens *tokens, const char *what, int rows, int cols,
                            tp_dat_matrix *matrix)
{
    int again;
    TP_TRY(tp_tokens_int(tokens, "rows of the dense matrix, again", rows, rows, &again));
    TP_TRY(tp_tokens_int(tokens, "columns of the dense matrix, again", cols, cols, &again));
    TP_TRY(tp_tokens_expect(tokens, what, (long long)rows * cols));
    double *value;
    TP_TRY(tp_content_take_dense(content, rows, cols, &value, &matrix->entries));
    return tp_tokens_reals(tokens, what, rows * cols, value);
}

typedef struct block_layout {
    int block_count, block_rows, block_cols;
    int *row_end, *col_end; /* cumulated sizes */
    int start_count;        /* block rows after the last one given are empty */
    int *start, *column;
} block_layout;

/* Cumulated sizes 3 6 9 ...: increasing, the last one the size of the matrix. */
static tp_status read_ends(tp_tokens *tokens, const char *what, int count, int size, int *ends)
{
    for (int i = 0; i < count; i++) {
        tp_token token = tp_tokens_peek(tokens);
        TP_TRY(tp_tokens_int(tokens, what, 1, INT_MAX, &ends[i]));
        if ((i > 0 && ends[i] <= ends[i - 1]) || ends[i] > size) {
            return tp_tokens_fail(tokens, token, "%s must increase up to %d (block %d)", what, size, i + 1);
        }
    }
    if ((count > 0 ? ends[count - 1] : 0) != size) {
        return tp_tokens_fail_at(tokens, tp_tokens_peek(tokens),
                                 "%s: the last one must be %d, the size of the matrix", what, size);
    }
    return TP_OK;
}

/* Where each block row starts; the starts must cover all blocks. */
static tp_status read_starts(tp_tokens *tokens, block_layout *layout)
{
    for (int i = 0; i < layout->start_count; i++) {
        tp_token token = tp_tokens_peek(tokens);
        int low = i > 0 ? layout->start[i - 1] : 0, high = i > 0 ? layout->block_count : 0;
        TP_TRY(tp_tokens_int(tokens, "first block of a block row", 0, INT_MAX, &layout->start[i]));
        if (layout->start[i] < low || layout->start[i] > high) {
            return tp_tokens_fail(tokens, token, "first block of block row %d must be between %d and %d",
                                  i + 1, low, high);
        }
    }
    int covered = layout->start_count > 0 ? layout->start[layout->start_count - 1] : 0;
    if (covered != layout->block_count) {
        return tp_tokens_fail_at(tokens, tp_tokens_peek(tokens),
                                 "the block rows hold %d blocks, but %d are announced", covered,
                                 layout->block_count);
    }
    return TP_OK;
}

static tp_status read_layout(tp_content *content, tp_tokens *tokens, int rows, int cols, block_layout *layout)
{
    TP_TRY(tp_tokens_count(tokens, "number of blocks", 2, &layout->block_count));
    TP_TRY(tp_tokens_count(tokens, "number of block rows", 1, &layout->block_rows));
    TP_TRY(tp_tokens_count(tokens, "number of block columns", 1, &layout->block_cols));
    TP_TRY(tp_content_take_ints(content, layout->block_rows, &layout->row_end));
    TP_TRY(tp_content_take_ints(content, layout->block_cols, &layout->col_end));
    TP_TRY(read_ends(tokens, "ends of the block rows", layout->block_rows, rows, layout->row_end));
    TP_TRY(read_ends(tokens, "ends of the block columns", layout->block_cols, cols, layout->col_end));

    int column_count;
    TP_TRY(tp_tokens_int(tokens, "number of starts of block rows", 0, layout->block_rows + 1,
                         &layout->start_count));
    TP_TRY(tp_tokens_int(tokens, "number of block column indices", layout->block_count, layout->block_count,
                         &column_count));
    TP_TRY(tp_content_take_ints(content, layout->start_count, &layout->start));
    TP_TRY(tp_content_take_ints(content, column_count, &layout->column));
    TP_TRY(read_starts(tokens, layout));
    return tp_tokens_ints(tokens, "the block columns", column_count, 0, layout->block_cols - 1,
                          layout->column);
}

static int block_size(const int *ends, int block)
{
    return ends[block] - (block > 0 ? ends[block - 1] : 0);
}

/* The entries of one block, column by column; returns where the next block's entries go. */
static int place_block(const block_layout *layout, int block_row, int block_col, int at,
                       tp_entry_arrays *arrays)
{
    int height = block_size(layout->row_end, block_row), width = block_size(layout->col_end, block_col);
    int first_row = layout->row_end[block_row] - height, first_col = layout->col_end[block_col] - width;
    for (int j = 0; j < width; j++) {
        for (int i = 0; i < height; i++, at++) {
            arrays->row[at] = first_row + i;
            arrays->col[at] = first_col + j;
        }
    }
    return at;
}

/* kind 1: block rows in compressed form. */
static tp_status read_blocks(tp_content *content, tp_tokens *tokens, const char *what, int rows, int cols,
                             tp_dat_matrix *matrix)
{
    block_layout layout;
    TP_TRY(read_layout(content, tokens, rows, cols, &layout));
    long long total = 0;
    for (int row = 0; row + 1 < layout.start_count; row++) {
        long long height = block_size(layout.row_end, row);
        for (int k = layout.start[row]; k < layout.start[row + 1]; k++) {
            total += height * block_size(layout.col_end, layout.column[k]);
        }
    }
    TP_TRY(tp_tokens_expect(tokens, what, total + layout.block_count));

    tp_entry_arrays arrays;
    TP_TRY(tp_content_take_entries(content, rows, cols, (int)total, &arrays, &matrix->entries));
    int at = 0;
    for (int row = 0; row + 1 < layout.start_count; row++) {
        for (int k = layout.start[row]; k < layout.start[row + 1]; k++) {
            int number, next = place_block(&layout, row, layout.column[k], at, &arrays);
            TP_TRY(tp_tokens_int(tokens, "number of the block", k, k, &number));
            TP_TRY(tp_tokens_reals(tokens, what, next - at, arrays.value + at));
            at = next;
        }
    }
    matrix->block_rows = layout.block_rows;
    matrix->row_ends = layout.row_end;
    return TP_OK;
}

/* "R-by-C," */
static bool is_size_word(tp_token token, long long *rows_out, long long *cols_out)
{
    const char *end = token.text + token.length;
    const char *by = NULL;
    for (const char *c = token.text; c + 4 <= end && !by; c++) {
        if (memcmp(c, "-by-", 4) == 0) by = c;
    }
    if (!by) return false;
    if (end[-1] == ',') end--;
    if (end < by + 4) return false;
    return tp_token_is_int((tp_token){token.text, (size_t)(by - token.text)}, rows_out) &&
           tp_token_is_int((tp_token){by + 4, (size_t)(end - by - 4)}, cols_out);
}

/* The banner and the line of sizes, up to the number after "nnz:". */
static tp_status read_banner(tp_tokens *tokens, int rows, int cols, int *count_out)
{
    for (int word = 0; word < BANNER_WORDS_MAX; word++) {
        tp_token token = tp_tokens_next(tokens);
        long long printed_rows, printed_cols;
        if (token.length == 0) break;
        if (is_size_word(token, &printed_rows, &printed_cols) &&
            (printed_rows != rows || printed_cols != cols)) {
            return tp_tokens_fail(tokens, token, "the print-out must be %d-by-%d", rows, cols);
        }
        if (!tp_token_is(token, "nnz:")) continue;

        token = tp_tokens_next(tokens);
        tp_token digits = token;
        if (digits.length > 0 && digits.text[digits.length - 1] == ',') digits.length--;
        long long count;
        if (!tp_token_is_int(digits, &count) || count < 0 || count > INT_MAX) {
            return tp_tokens_fail(tokens, token, "expected the number of entries (after 'nnz:')");
        }
        *count_out = (int)count;
        return tp_tokens_expect(tokens, "entries of the print-out", 3 * count);
    }
    return tp_tokens_fail(tokens, tp_tokens_peek(tokens), "expected a sparse print-out with 'nnz: COUNT'");
}

/* Lines "i j : x". */
static tp_status read_triplets(tp_tokens *tokens, const char *what, const tp_entries *entries,
                               tp_entry_arrays *arrays)
{
    for (int k = 0; k < entries->count; k++) {
        TP_TRY(tp_tokens_int(tokens, "row of an entry", 0, entries->rows - 1, &arrays->row[k]));
        TP_TRY(tp_tokens_int(tokens, "column of an entry", 0, entries->cols - 1, &arrays->col[k]));
        TP_TRY(tp_tokens_word(tokens, ":"));
        TP_TRY(tp_tokens_reals(tokens, what, 1, &arrays->value[k]));
    }
    return TP_OK;
}

/* "col j : locations a to b" and lines "i : x"; b = a - 1 for an empty column. */
static tp_status read_columns(tp_tokens *tokens, const char *what, const tp_entries *entries,
                              tp_entry_arrays *arrays)
{
    TP_TRY(tp_tokens_word(tokens, "1-norm:"));
    tp_tokens_next(tokens); /* its value may be anything and is not used */
    int at = 0;
    for (int j = 0; j < entries->cols; j++) {
        int column, first, last;
        TP_TRY(tp_tokens_word(tokens, "col"));
        TP_TRY(tp_tokens_int(tokens, "number of the column", j, j, &column));
        TP_TRY(tp_tokens_word(tokens, ":"));
        TP_TRY(tp_tokens_word(tokens, "locations"));
        TP_TRY(tp_tokens_int(tokens, "first location of the column", at, at, &first));
        TP_TRY(tp_tokens_word(tokens, "to"));
        TP_TRY(tp_tokens_int(tokens, "last location of the column", at - 1, entries->count - 1, &last));
        for (; at <= last; at++) {
            arrays->col[at] = j;
            TP_TRY(tp_tokens_int(tokens, "row of an entry", 0, entries->rows - 1, &arrays->row[at]));
            TP_TRY(tp_tokens_word(tokens, ":"));
            TP_TRY(tp_tokens_reals(tokens, what, 1, &arrays->value[at]));
        }
    }
    if (at == entries->count) return TP_OK;
    return tp_tokens_fail_at(tokens, tp_tokens_peek(tokens), "%s: the columns hold %d entries, but nnz is %d",
                             what, at, entries->count);
}

/* kind 2: what the CSparse library prints; origin 1 triplet, 2 compressed columns, 3 compressed rows (printed
   as the columns of the transpose). */
static tp_status read_print_out(tp_content *content, tp_tokens *tokens, const char *what, int rows, int cols,
                                tp_dat_matrix *matrix)
{
    int origin, count = 0;
    TP_TRY(tp_tokens_int(tokens, "origin of the print-out (1 triplet, 2 columns, 3 rows)", 1, 3, &origin));
    bool is_transposed = origin == 3;
    int printed_rows = is_transposed ? cols : rows, printed_cols = is_transposed ? rows : cols;
    TP_TRY(read_banner(tokens, printed_rows, printed_cols, &count));

    tp_entry_arrays arrays;
    tp_entries *entries = &matrix->entries;
    TP_TRY(tp_content_take_entries(content, printed_rows, printed_cols, count, &arrays, entries));
    if (origin == 1) return read_triplets(tokens, what, entries, &arrays);
    TP_TRY(read_columns(tokens, what, entries, &arrays));
    if (is_transposed) *entries = tp_entries_transposed(*entries);
    return TP_OK;
}

tp_status tp_dat_read_matrix(tp_content *content, tp_tokens *tokens, const char *what,
                             tp_dat_matrix *matrix_out)
{
    *matrix_out = (tp_dat_matrix){.block_rows = 0};
    char storage[96], row_text[96], col_text[96];
    snprintf(storage, sizeof storage, "storage of %s (0 dense, 1 sparse blocks, 2 print-out)", what);
    snprintf(row_text, sizeof row_text, "rows of %s", what);
    snprintf(col_text, sizeof col_text, "columns of %s", what);
    int kind, rows, cols;
    TP_TRY(tp_tokens_int(tokens, storage, 0, 2, &kind));
    TP_TRY(tp_tokens_int(tokens, row_text, 0, INT_MAX - 1, &rows));
    TP_TRY(tp_tokens_int(tokens, col_text, 0, INT_MAX - 1, &cols));
    switch (kind) {
    case 0: return read_dense(content, tokens, what, rows, cols, matrix_out);
    case 1: return read_blocks(content, tokens, what, rows, cols, matrix_out);
    default: return read_print_out(content, tokens, what, rows, cols, matrix_out);
    }
}
