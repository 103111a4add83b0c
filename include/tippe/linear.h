/* Matrices as plain data: entries as a caller hands them in, compressed columns, and blocks by law. */
#ifndef TIPPE_LINEAR_H
#define TIPPE_LINEAR_H

#include "tippe/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Entries of a matrix in any order; entries at the same place add up. With row == NULL the matrix is dense
   and value holds rows * cols numbers column by column. Borrowed for the duration of the call it is given to.
 */
typedef struct tp_entries {
    int rows, cols;
    int count;
    const int *row, *col;
    const double *value;
} tp_entries;

/* Compressed columns, row indices ascending and unique in each column. */
typedef struct tp_sparse {
    int rows, cols;
    int *start;    /* [cols + 1] */
    int *index;    /* [start[cols]] row of each entry */
    double *value; /* [start[cols]] */
} tp_sparse;

/* A square matrix in blocks; block rows and block columns have the same partition. Blocks are stored row by
   row with ascending block column, each block column by column and contiguous. The diagonal block is always
   present. */
typedef struct tp_block_matrix {
    int block_rows;
    int block_count;
    int uniform;    /* common block size if all blocks have it, else 0                     */
    int *first;     /* [block_rows + 1] first scalar row of each block row                 */
    int *start;     /* [block_rows + 1] first block of each block row                      */
    int *column;    /* [block_count] block column                                          */
    int *diagonal;  /* [block_rows] place of the diagonal block                            */
    size_t *offset; /* [block_count + 1] where the values of a block start                 */
    double *value;  /* [offset[block_count] + 1]: one spare double, so that a 3-column can be read 4 wide */
} tp_block_matrix;

#ifdef __cplusplus
}
#endif

#endif
