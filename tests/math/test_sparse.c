/* Compressed columns and block matrices against dense ones. */
#include "random_matrix.h"

#include "math/block_matrix.h"

enum { MOST = 24, MOST_ENTRIES = 120 };

typedef struct triplets {
    int row[MOST_ENTRIES], col[MOST_ENTRIES];
    double value[MOST_ENTRIES];
    tp_entries entries;
} triplets;

/* Entries in any order, some of them at the same place, and the dense matrix they add up to. Values are small
   integers, so that sums are exact in any order. */
static void random_triplets(check_random *random, int rows, int cols, triplets *t, double *dense)
{
    int count = rows > 0 && cols > 0 ? check_index(random, MOST_ENTRIES) : 0;
    for (int k = 0; k < rows * cols; k++) dense[k] = 0.0;
    for (int k = 0; k < count; k++) {
        t->row[k] = check_index(random, rows);
        t->col[k] = check_index(random, cols);
        t->value[k] = check_index(random, 19) - 9;
        dense[t->row[k] + t->col[k] * rows] += t->value[k];
    }
    t->entries = (tp_entries){rows, cols, count, t->row, t->col, t->value};
}

static void check_same(void **check_state_, const tp_sparse *sparse, const double *dense)
{
    double seen[MOST * MOST] = {0.0};
    CHECK_INT(sparse->start[0], 0);
    for (int j = 0; j < sparse->cols; j++) {
        for (int p = sparse->start[j]; p < sparse->start[j + 1]; p++) {
            if (p > sparse->start[j]) CHECK(sparse->index[p] > sparse->index[p - 1]);
            seen[sparse->index[p] + j * sparse->rows] = sparse->value[p];
        }
    }
    for (int k = 0; k < sparse->rows * sparse->cols; k++) CHECK_NEAR(seen[k], dense[k], 0.0);
}

TEST(compressing_adds_duplicates_and_sorts)
{
    check_random random = {51};
    for (int round = 0; round < 300; round++) {
        int rows = check_index(&random, MOST), cols = check_index(&random, MOST);
        triplets t;
        double dense[MOST * MOST];
        random_triplets(&random, rows, cols, &t, dense);
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_sparse sparse, transposed, back;
        CHECK_INT(tp_sparse_compress(&arena, &t.entries, &sparse), TP_OK);
        check_same(check_state_, &sparse, dense);
        CHECK_INT(tp_sparse_transpose(&arena, &sparse, &transposed), TP_OK);
        CHECK_INT(tp_sparse_transpose(&arena, &transposed, &back), TP_OK);
        CHECK_INT(transposed.rows, cols);
        check_same(check_state_, &back, dense);
        tp_sparse from_dense = compressed(&arena, rows, cols, dense);
        check_same(check_state_, &from_dense, dense);
        for (int p = 0; p < from_dense.start[cols]; p++) CHECK(from_dense.value[p] != 0.0);

        double x[MOST], y[MOST] = {0.0}, expected[MOST] = {0.0}, z[MOST] = {0.0}, expected_z[MOST] = {0.0};
        for (int k = 0; k < MOST; k++) x[k] = check_index(&random, 9) - 4;
        tp_sparse_multiply_add(&sparse, x, y);
        tp_sparse_multiply_transposed_add(&sparse, x, z);
        tp_dense_multiply_add(rows, cols, dense, rows, x, expected);
        tp_dense_multiply_transposed_add(rows, cols, dense, rows, x, expected_z);
        for (int k = 0; k < MOST; k++) {
            CHECK_NEAR(y[k], expected[k], 0.0);
            CHECK_NEAR(z[k], expected_z[k], 0.0);
        }
        tp_arena_clear(&arena);
    }
}

/* Order, diagonal, offsets, and every block where and only where it belongs. */
static void check_blocks(void **check_state_, const tp_block_matrix *m, int block_rows, const int *size,
                         const double *dense, int expect_no_zero_blocks)
{
    int n = tp_block_matrix_rows(m);
    double seen[MOST * MOST] = {0.0};
    CHECK_INT(m->block_rows, block_rows);
    CHECK_INT(m->start[block_rows], m->block_count);
    for (int i = 0; i < block_rows; i++) {
        CHECK_INT(m->first[i + 1] - m->first[i], size[i]);
        CHECK_INT(m->column[m->diagonal[i]], i);
        CHECK(m->diagonal[i] >= m->start[i] && m->diagonal[i] < m->start[i + 1]);
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int j = m->column[k], nonzero = 0;
            if (k > m->start[i]) CHECK(j > m->column[k - 1]);
            CHECK_INT(m->offset[k + 1] - m->offset[k], size[i] * size[j]);
            for (int e = 0; e < size[i] * size[j]; e++) {
                double value = m->value[m->offset[k] + (size_t)e];
                seen[m->first[i] + e % size[i] + (m->first[j] + e / size[i]) * n] = value;
                nonzero |= value != 0.0;
            }
            if (expect_no_zero_blocks) CHECK(nonzero || i == j);
        }
    }
    for (int k = 0; k < n * n; k++) CHECK_NEAR(seen[k], dense[k], 0.0);
}

static void check_products(void **check_state_, const tp_block_matrix *m, const double *dense,
                           check_random *random)
{
    int n = tp_block_matrix_rows(m);
    double x[MOST] = {0.0}, b[MOST] = {0.0}, y[MOST], expected[MOST], z[MOST] = {0.0},
           expected_z[MOST] = {0.0};
    for (int k = 0; k < n; k++) {
        x[k] = check_index(random, 9) - 4;
        expected[k] = b[k] = check_index(random, 9);
    }
    tp_block_matrix_apply(m, x, b, y);
    tp_dense_multiply_add(n, n, dense, n, x, expected);
    for (int k = 0; k < n; k++) CHECK_NEAR(y[k], expected[k], 0.0);
    tp_block_matrix_apply(m, x, NULL, y);
    tp_dense_multiply(n, n, dense, n, x, expected);
    for (int k = 0; k < n; k++) CHECK_NEAR(y[k], expected[k], 0.0);
    tp_block_matrix_apply_transposed_add(m, x, z);
    tp_dense_multiply_transposed_add(n, n, dense, n, x, expected_z);
    for (int k = 0; k < n; k++) CHECK_NEAR(z[k], expected_z[k], 0.0);

    double norm = tp_dense_norm(n * n, dense);
    CHECK_NEAR(tp_block_matrix_frobenius_norm(m), norm, 4.0 * (1 + m->block_count) * DBL_EPSILON * norm);
}

TEST(block_matrices_from_entries_and_from_dense_ones_agree_with_the_dense_product)
{
    check_random random = {52};
    for (int round = 0; round < 400; round++) {
        int block_rows = check_index(&random, 7), size[7], n = 0, uniform = round % 3 == 0 ? 3 : 0;
        for (int i = 0; i < block_rows; i++) {
            size[i] = uniform ? uniform : 1 + check_index(&random, 4);
            n += size[i];
        }
        triplets t;
        double dense[MOST * MOST];
        random_triplets(&random, n, n, &t, dense);
        if (round % 5 == 0) t.entries.count = t.entries.count / 8;
        for (int k = 0; k < n * n; k++) dense[k] = 0.0;
        for (int k = 0; k < t.entries.count; k++) dense[t.row[k] + t.col[k] * n] += t.value[k];
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_block_matrix m;
        CHECK_INT(tp_block_matrix_build(&arena, block_rows, size, &t.entries, &m), TP_OK);
        check_blocks(check_state_, &m, block_rows, size, dense, 0);
        check_products(check_state_, &m, dense, &random);
        if (uniform && block_rows > 0) CHECK_INT(m.uniform, 3);

        tp_entries as_dense = {.rows = n, .cols = n, .value = dense};
        CHECK_INT(tp_block_matrix_build(&arena, block_rows, size, &as_dense, &m), TP_OK);
        check_blocks(check_state_, &m, block_rows, size, dense, 1);
        check_products(check_state_, &m, dense, &random);
        tp_arena_clear(&arena);
    }
}

TEST(a_partition_that_does_not_fit_the_matrix_is_refused)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    int size[2] = {3, 3};
    double a[25] = {0.0};
    tp_entries entries = {.rows = 5, .cols = 5, .value = a};
    tp_block_matrix m;
    CHECK_INT(tp_block_matrix_build(&arena, 2, size, &entries, &m), TP_INVALID_ARGUMENT);
    tp_arena_clear(&arena);
}

TEST(when_memory_runs_out_it_is_said_and_nothing_leaks)
{
    enum { BLOCKS = 3000 };
    static int size[BLOCKS], row[3 * BLOCKS], col[3 * BLOCKS];
    static double value[3 * BLOCKS];
    for (int i = 0; i < 3 * BLOCKS; i++)
        size[i / 3] = 3, row[i] = i, col[i] = 3 * BLOCKS - 1 - i, value[i] = 1.0;
    tp_entries entries = {3 * BLOCKS, 3 * BLOCKS, 3 * BLOCKS, row, col, value};
    for (int kind = 0; kind < 2; kind++) {
        tp_status status = TP_OUT_OF_MEMORY;
        int allowed = 0;
        for (; status != TP_OK; allowed++) {
            quota q = {allowed, 0};
            tp_allocator allocator = {&q, quota_allocate, quota_release};
            tp_arena arena;
            tp_arena_init(&arena, &allocator);
            tp_sparse sparse;
            tp_block_matrix m;
            status = kind == 0 ? tp_sparse_compress(&arena, &entries, &sparse)
                               : tp_block_matrix_build(&arena, BLOCKS, size, &entries, &m);
            CHECK(status == TP_OK || status == TP_OUT_OF_MEMORY);
            tp_arena_clear(&arena);
            CHECK_INT(q.live, 0);
        }
        CHECK(allowed > 3);
    }
}

TEST(building_a_large_sparse_block_matrix_takes_time_proportional_to_its_entries)
{
    /* 100,000 block rows in a ring: anything quadratic would take minutes and 10^10 steps. */
    enum { BLOCKS = 100000 };
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    int *size = TP_ARENA_ARRAY(&arena, int, BLOCKS), *row = TP_ARENA_ARRAY(&arena, int, 2 * BLOCKS);
    int *col = TP_ARENA_ARRAY(&arena, int, 2 * BLOCKS);
    double *value = TP_ARENA_ARRAY(&arena, double, 2 * BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
        size[i] = 3;
        row[2 * i] = col[2 * i] = row[2 * i + 1] = 3 * i;
        col[2 * i + 1] = 3 * ((i + 1) % BLOCKS);
        value[2 * i] = 2.0, value[2 * i + 1] = -1.0;
    }
    tp_entries entries = {3 * BLOCKS, 3 * BLOCKS, 2 * BLOCKS, row, col, value};
    tp_block_matrix m;
    CHECK_INT(tp_block_matrix_build(&arena, BLOCKS, size, &entries, &m), TP_OK);
    CHECK_INT(m.block_count, 2 * BLOCKS);
    CHECK_INT(m.column[m.start[BLOCKS - 1]], 0);
    tp_arena_clear(&arena);
}

TEST_MAIN(RUNS(compressing_adds_duplicates_and_sorts),
          RUNS(block_matrices_from_entries_and_from_dense_ones_agree_with_the_dense_product),
          RUNS(a_partition_that_does_not_fit_the_matrix_is_refused),
          RUNS(when_memory_runs_out_it_is_said_and_nothing_leaks),
          RUNS(building_a_large_sparse_block_matrix_takes_time_proportional_to_its_entries))
