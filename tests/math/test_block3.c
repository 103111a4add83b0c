/* Rows of 3x3 blocks: every version gives the same bits, and the product of a dense matrix. */
#include "check.h"
#include "math/block3.h"
#include "math/block_matrix.h"

#include <string.h>

enum { BLOCKS = 17, ROWS = 3 * BLOCKS };

TEST(every_version_gives_the_same_bits_and_the_dense_product)
{
    check_random random = {3};
    for (int trial = 0; trial < 50; trial++) {
        static double dense[ROWS * ROWS];
        double x[ROWS], b[ROWS];
        int size[BLOCKS];
        for (int k = 0; k < ROWS * ROWS; k++)
            dense[k] = check_uniform(&random, 0, 1) < 0.3 ? check_normal(&random) : 0.0;
        for (int k = 0; k < ROWS; k++) b[k] = check_normal(&random);
        for (int i = 0; i < BLOCKS; i++) {
            bool is_open = check_uniform(&random, 0, 1) < 0.4; /* columns that are passed over */
            for (int k = 0; k < 3; k++) x[3 * i + k] = is_open ? 0.0 : check_normal(&random);
            size[i] = 3;
        }
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_entries entries = {ROWS, ROWS, ROWS * ROWS, NULL, NULL, dense};
        tp_block_matrix matrix;
        CHECK_INT(tp_block_matrix_build(&arena, BLOCKS, size, &entries, &matrix), TP_OK);
        for (int i = 0; i < BLOCKS; i++) {
            int skip = trial % 2 == 0 ? -1 : i;
            double plain[3], best[3];
            tp_block3_row_plain(&matrix, i, skip, b + 3 * i, x, plain);
            tp_block3_row_best()(&matrix, i, skip, b + 3 * i, x, best);
            CHECK(memcmp(plain, best, sizeof plain) == 0);
            for (int r = 0; r < 3; r++) {
                double sum = b[3 * i + r], size_of_sum = fabs(sum);
                for (int c = 0; c < ROWS; c++) {
                    if (c / 3 == skip) continue;
                    sum += dense[3 * i + r + c * ROWS] * x[c];
                    size_of_sum += fabs(dense[3 * i + r + c * ROWS] * x[c]);
                }
                CHECK_NEAR(plain[r], sum, ROWS * 2.3e-16 * size_of_sum);
            }
        }
        tp_arena_clear(&arena);
    }
}

TEST_MAIN(RUNS(every_version_gives_the_same_bits_and_the_dense_product))
