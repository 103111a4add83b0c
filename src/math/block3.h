/* Products with rows of 3x3 blocks, the innermost loop of friction problems: the three rows of a block row
   side by side in a vector, chosen at run time (AVX2 or plain). Every lane does the same operations in the
   same order, so that all versions give the same bits. */
#ifndef TP_MATH_BLOCK3_H
#define TP_MATH_BLOCK3_H

#include "tippe/linear.h"

/* out [3] = b [3] + sum over the blocks k of row i, except column `skip`, of G_k x_j. Blocks whose x_j is
   zero are passed over. The matrix has uniform == 3 and a spare double behind its values. */
typedef void (*tp_block3_row)(const tp_block_matrix *matrix, int i, int skip, const double *b,
                              const double *x, double *out);

/* The fastest version for this processor. */
tp_block3_row tp_block3_row_best(void);

/* The plain version, for comparison. */
void tp_block3_row_plain(const tp_block_matrix *matrix, int i, int skip, const double *b, const double *x,
                         double *out);

#endif
