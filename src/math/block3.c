/* Products with rows of 3x3 blocks. */
#include "block3.h"

/* Four doubles, of which three are used; loads need no alignment. */
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* The loop, compiled once for each kind of processor. Columns of a block are contiguous: a column is one load
 * of four. */
#define ROW_LOOP                                                                                             \
    quad sum = {b[0], b[1], b[2], 0.0};                                                                      \
    const double *value = matrix->value + 9 * (size_t)matrix->start[i];                                      \
    const int *column = matrix->column;                                                                      \
    for (int k = matrix->start[i], end = matrix->start[i + 1]; k < end; k++, value += 9) {                   \
        const double *at = x + 3 * (size_t)column[k];                                                        \
        if (column[k] == skip || (at[0] == 0.0 && at[1] == 0.0 && at[2] == 0.0)) continue;                   \
        quad c0 = *(const quad *)value, c1 = *(const quad *)(value + 3), c2 = *(const quad *)(value + 6);    \
        sum += c0 * at[0] + c1 * at[1] + c2 * at[2]; /* one addition waits for the last block, not three */  \
    }                                                                                                        \
    out[0] = sum[0];                                                                                         \
    out[1] = sum[1];                                                                                         \
    out[2] = sum[2]

void tp_block3_row_plain(const tp_block_matrix *matrix, int i, int skip, const double *b, const double *x,
                         double *out)
{
    ROW_LOOP;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void row_avx2(const tp_block_matrix *matrix, int i, int skip,
                                                     const double *b, const double *x, double *out)
{
    ROW_LOOP;
}
#endif

tp_block3_row tp_block3_row_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return row_avx2;
#endif
    return tp_block3_row_plain;
}
