/* MATRIX of the text formats: dense, sparse blocks, or a sparse print-out; docs/problem-files.md. */
#ifndef TP_IO_EXCHANGE_DAT_MATRIX_H
#define TP_IO_EXCHANGE_DAT_MATRIX_H

#include "io/common/tokens.h"
#include "io/exchange/content.h"

typedef struct tp_dat_matrix {
    tp_entries entries;
    int block_rows;      /* of the sparse block storage, else 0 */
    const int *row_ends; /* [block_rows] cumulated sizes        */
} tp_dat_matrix;

/* `what` names the matrix in messages. */
tp_status tp_dat_read_matrix(tp_content *content, tp_tokens *tokens, const char *what,
                             tp_dat_matrix *matrix_out);

#endif
