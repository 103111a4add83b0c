/* Block-sparse matrices: building and products. */
#ifndef TP_MATH_BLOCK_MATRIX_H
#define TP_MATH_BLOCK_MATRIX_H

#include "base/arena.h"
#include "base/stack.h"
#include "tippe/linear.h"

/* Blocks from scalar entries (indices already checked); block i has size[i] rows. Blocks without a nonzero
   are left out, the diagonal ones are always there. */
tp_status tp_block_matrix_build(tp_arena *arena, int block_rows, const int *size, const tp_entries *entries,
                                tp_block_matrix *matrix_out);

/* y = D x + b (b may be NULL). */
void tp_block_matrix_apply(const tp_block_matrix *matrix, const double *x, const double *b, double *y_out);

/* y += D^T x. */
void tp_block_matrix_apply_transposed_add(const tp_block_matrix *matrix, const double *x, double *y);

/* Scalar rows. */
static inline int tp_block_matrix_rows(const tp_block_matrix *matrix)
{
    return matrix->first[matrix->block_rows];
}

double tp_block_matrix_frobenius_norm(const tp_block_matrix *matrix);

/* The same matrix seen by block columns: for the blocks of column j, [start[j], start[j + 1]), their block
   row and their place in the matrix. Memory from the stack. */
typedef struct tp_block_columns {
    int *start, *row, *place;
} tp_block_columns;

tp_status tp_block_matrix_columns(const tp_block_matrix *matrix, tp_stack *stack,
                                  tp_block_columns *columns_out);

#endif
