/* Factorisations of a fixed pattern: LDL^T and LU. */
#include "random_matrix.h"

#include "math/factor.h"

#include <suitesparse/SuiteSparse_config.h>

static const double growth_allowance = 100.0; /* see test_sparse_lu.c */

/* Symmetric positive definite, or quasi-definite: [p w; w^T -q]. */
static void random_symmetric(check_random *random, int n, int definite, double *a)
{
    for (int k = 0; k < n * n; k++) a[k] = 0.0;
    for (int k = 0; k < 3 * n; k++) {
        int i = check_index(random, n), j = check_index(random, n);
        if (i == j || (!definite && (i < n / 2) == (j < n / 2))) continue;
        a[i + j * n] = a[j + i * n] = check_normal(random);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += fabs(a[i + j * n]);
        a[i * (n + 1)] = definite ? sum + 0.1 : (i < n / 2 ? 1.0 : -1.0) * check_uniform(random, 0.5, 2.0);
    }
}

static void keep_upper(int n, double *a)
{
    for (int j = 0; j < n; j++) {
        for (int i = j + 1; i < n; i++) a[i + j * n] = 0.0;
    }
}

TEST(ldl_solves_definite_and_quasi_definite_systems_from_their_upper_triangle)
{
    check_random random = {11};
    for (int round = 0; round < 200; round++) {
        enum { MOST = 50 };
        int n = 1 + check_index(&random, MOST);
        double full[MOST * MOST], stored[MOST * MOST], b[MOST], x[MOST];
        random_symmetric(&random, n, round % 2, full);
        for (int k = 0; k < n * n; k++) stored[k] = full[k];
        if (round % 4 < 2) keep_upper(n, stored);
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_sparse sparse = compressed(&arena, n, n, stored);
        tp_factor *factor;
        CHECK_INT(tp_factor_create(NULL, TP_FACTOR_LDL, &sparse, &factor), TP_OK);
        for (int repeat = 0; repeat < 3; repeat++) {
            for (int i = 0; i < n; i++) x[i] = b[i] = check_normal(&random);
            CHECK_INT(tp_factor_update(factor, &sparse), TP_OK);
            tp_factor_solve(factor, x);
            CHECK(relative_residual(n, full, x, b) <= growth_allowance);
            double scale = check_uniform(&random, 0.5, 2.0);
            for (int p = 0; p < sparse.start[n]; p++) sparse.value[p] *= scale;
            for (int k = 0; k < n * n; k++) full[k] *= scale;
        }
        tp_factor_free(factor);
        tp_arena_clear(&arena);
    }
}

TEST(klu_solves_systems_with_changing_values)
{
    check_random random = {12};
    for (int round = 0; round < 200; round++) {
        enum { MOST = 50 };
        int n = 2 + check_index(&random, MOST - 1);
        double a[MOST * MOST], b[MOST], x[MOST], copy[MOST * MOST];
        int pivot[MOST];
        random_sparse_dense(&random, n, 3, round % 2, a);
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_sparse sparse = compressed(&arena, n, n, a);
        tp_factor *factor;
        CHECK_INT(tp_factor_create(NULL, TP_FACTOR_LU, &sparse, &factor), TP_OK);
        for (int repeat = 0; repeat < 4; repeat++) {
            /* New values of very different size on the same pattern: old pivots may become useless. */
            for (int j = 0; j < n; j++) {
                for (int p = sparse.start[j]; p < sparse.start[j + 1]; p++) {
                    sparse.value[p] = check_normal(&random) * pow(10.0, check_uniform(&random, -6.0, 0.0));
                    a[sparse.index[p] + j * n] = sparse.value[p];
                }
            }
            for (int k = 0; k < n * n; k++) copy[k] = a[k];
            if (tp_dense_lu(n, copy, n, pivot, 1e-10) != TP_OK) continue;
            CHECK_INT(tp_factor_update(factor, &sparse), TP_OK);
            for (int i = 0; i < n; i++) x[i] = b[i] = check_normal(&random);
            tp_factor_solve(factor, x);
            CHECK(relative_residual(n, a, x, b) <= 1000.0 * growth_allowance); /* accepted growth 1e3 */
        }
        tp_factor_free(factor);
        tp_arena_clear(&arena);
    }
}

TEST(a_pivot_that_becomes_zero_makes_klu_choose_again)
{
    /* The diagonal is fine first and vanishes then; the pattern stays. */
    double a[4] = {1.0, 0.5, 0.5, 1.0}, b[2] = {1.0, 2.0}, x[2] = {1.0, 2.0};
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_sparse sparse = compressed(&arena, 2, 2, a);
    tp_factor *factor;
    CHECK_INT(tp_factor_create(NULL, TP_FACTOR_LU, &sparse, &factor), TP_OK);
    CHECK_INT(tp_factor_update(factor, &sparse), TP_OK);
    double later[2] = {0.0, 1e-14};
    for (int k = 0; k < 2; k++) {
        sparse.value[0] = sparse.value[3] = later[k];
        a[0] = a[3] = later[k];
        CHECK_INT(tp_factor_update(factor, &sparse), TP_OK);
        x[0] = b[0], x[1] = b[1];
        tp_factor_solve(factor, x);
        CHECK(relative_residual(2, a, x, b) <= growth_allowance);
    }
    tp_factor_free(factor);
    tp_arena_clear(&arena);
}

TEST(singular_matrices_are_reported_and_the_factor_can_be_used_again)
{
    double a[9] = {4.0, 1.0, 2.0, 1.0, 5.0, 1.0, 2.0, 1.0, 6.0};
    for (int kind = 0; kind < 2; kind++) {
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_sparse sparse = compressed(&arena, 3, 3, a);
        tp_factor *factor;
        CHECK_INT(tp_factor_create(NULL, kind ? TP_FACTOR_LU : TP_FACTOR_LDL, &sparse, &factor), TP_OK);
        double good[9];
        for (int p = 0; p < 9; p++) good[p] = sparse.value[p];
        for (int p = 0; p < 9; p++) sparse.value[p] = (1 + p % 3) * (1 + p / 3) * 0.1; /* rank one */
        CHECK_INT(tp_factor_update(factor, &sparse), TP_SINGULAR);
        for (int p = 0; p < 9; p++) sparse.value[p] = p == 4 ? nan("") : good[p];
        CHECK_INT(tp_factor_update(factor, &sparse), TP_SINGULAR);
        for (int p = 0; p < 9; p++) sparse.value[p] = good[p];
        CHECK_INT(tp_factor_update(factor, &sparse), TP_OK);
        double b[3] = {1.0, -2.0, 3.0}, x[3] = {1.0, -2.0, 3.0};
        tp_factor_solve(factor, x);
        CHECK(relative_residual(3, a, x, b) <= growth_allowance);
        tp_factor_free(factor);
        tp_arena_clear(&arena);
    }
}

/* Rank one up to rounding: four roundings of half a unit leave at most 2 eps of the last pivot, while 4 eps
   are called noise. */
TEST(matrices_that_are_singular_up_to_rounding_are_reported)
{
    check_random random = {14};
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    for (int round = 0; round < 1000; round++) {
        double a = check_uniform(&random, 0.1, 1.0), b = check_normal(&random), c = check_normal(&random);
        if (round % 2) a = 1e-9 * a; /* pivots in the other order */
        double general[4] = {a, c * a, b, c * b}, symmetric[4] = {fabs(a), b, b, b * b / fabs(a)};
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_sparse unsymmetric = compressed(&arena, 2, 2, general);
        tp_sparse definite = compressed(&arena, 2, 2, symmetric);
        tp_factor *lu, *ldl;
        tp_lu on_stack;
        CHECK_INT(tp_factor_create(NULL, TP_FACTOR_LU, &unsymmetric, &lu), TP_OK);
        CHECK_INT(tp_factor_create(NULL, TP_FACTOR_LDL, &definite, &ldl), TP_OK);
        CHECK_INT(tp_factor_update(lu, &unsymmetric), TP_SINGULAR);
        CHECK_INT(tp_factor_update(ldl, &definite), TP_SINGULAR);
        tp_stack_mark mark = tp_stack_mark_now(&stack);
        CHECK_INT(tp_lu_factor(&stack, &unsymmetric, 0.1, NULL, &on_stack), TP_SINGULAR);
        tp_stack_release(&stack, mark);
        tp_factor_free(lu);
        tp_factor_free(ldl);
        tp_arena_clear(&arena);
    }
    tp_stack_clear(&stack);
}

TEST(structurally_singular_matrices_are_reported)
{
    double a[9] = {1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 1.0, 1.0}; /* two columns in one row */
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_sparse sparse = compressed(&arena, 3, 3, a);
    tp_factor *factor;
    tp_status status = tp_factor_create(NULL, TP_FACTOR_LU, &sparse, &factor);
    if (status == TP_OK) status = tp_factor_update(factor, &sparse);
    CHECK_INT(status, TP_SINGULAR);
    tp_factor_free(factor);
    tp_arena_clear(&arena);
}

TEST(a_factor_of_ldl_allocates_at_creation_only_and_gives_everything_back)
{
    check_random random = {13};
    counter count = {0, 0};
    tp_allocator allocator = {&count, counted_allocate, counted_release};
    enum { N = 40 };
    double a[N * N], x[N] = {1.0};
    random_symmetric(&random, N, 1, a);
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_sparse sparse = compressed(&arena, N, N, a);
    tp_factor *factor;
    CHECK_INT(tp_factor_create(&allocator, TP_FACTOR_LDL, &sparse, &factor), TP_OK);
    int after_creation = count.total;
    for (int round = 0; round < 3; round++) {
        CHECK_INT(tp_factor_update(factor, &sparse), TP_OK);
        tp_factor_solve(factor, x);
    }
    CHECK_INT(count.total, after_creation);
    tp_factor_free(factor);
    CHECK_INT(count.live, 0);
    tp_arena_clear(&arena);
}

TEST(when_memory_runs_out_it_is_said_and_nothing_leaks)
{
    check_random random = {16};
    enum { N = 120 };
    static double a[N * N];
    random_symmetric(&random, N, 1, a);
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_sparse sparse = compressed(&arena, N, N, a);
    int out_of_memory = 0;
    for (int kind = 0; kind < 3; kind++) {
        tp_status status = TP_OUT_OF_MEMORY;
        for (int allowed = 0; status != TP_OK; allowed++) {
            quota q = {allowed, 0};
            tp_allocator allocator = {&q, quota_allocate, quota_release};
            if (kind < 2) {
                tp_factor *factor;
                status = tp_factor_create(&allocator, kind ? TP_FACTOR_LU : TP_FACTOR_LDL, &sparse, &factor);
                tp_factor_free(factor);
            } else {
                tp_stack stack;
                tp_lu lu;
                tp_stack_init(&stack, &allocator);
                status = tp_lu_factor(&stack, &sparse, 0.1, NULL, &lu);
                tp_stack_clear(&stack);
            }
            CHECK(status == TP_OK || status == TP_OUT_OF_MEMORY);
            CHECK_INT(q.live, 0);
            out_of_memory += status != TP_OK;
        }
    }
    CHECK(out_of_memory >= 6);
    tp_arena_clear(&arena);
}

static int library_allocations; /* KLU allocates through its library's global hook, which has no context */

static void *counting_malloc(size_t bytes)
{
    library_allocations++;
    return malloc(bytes);
}

static void *counting_realloc(void *memory, size_t bytes)
{
    library_allocations++;
    return realloc(memory, bytes);
}

/* From version 7 on the hook is reached by functions. */
static void allocate_library_memory_by(void *(*allocate)(size_t), void *(*change)(void *, size_t))
{
#if SUITESPARSE_MAIN_VERSION >= 7
    SuiteSparse_config_malloc_func_set(allocate);
    SuiteSparse_config_realloc_func_set(change);
#else
    SuiteSparse_config.malloc_func = allocate;
    SuiteSparse_config.realloc_func = change;
#endif
}

TEST(klu_refactors_and_solves_without_allocating_while_its_pivots_are_good)
{
    check_random random = {15};
    counter count = {0, 0};
    tp_allocator allocator = {&count, counted_allocate, counted_release};
    enum { N = 40 };
    double a[N * N], x[N] = {1.0};
    random_sparse_dense(&random, N, 3, 1, a);
    for (int i = 0; i < N; i++) a[i * (N + 1)] = 20.0;
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_sparse sparse = compressed(&arena, N, N, a);
    allocate_library_memory_by(counting_malloc, counting_realloc);
    tp_factor *factor;
    CHECK_INT(tp_factor_create(&allocator, TP_FACTOR_LU, &sparse, &factor), TP_OK);
    CHECK_INT(tp_factor_update(factor, &sparse), TP_OK);
    CHECK(library_allocations > 0);
    int after_first = library_allocations, ours = count.total;
    for (int round = 0; round < 5; round++) {
        for (int p = 0; p < sparse.start[N]; p++) sparse.value[p] *= check_uniform(&random, 0.9, 1.1);
        CHECK_INT(tp_factor_update(factor, &sparse), TP_OK);
        tp_factor_solve(factor, x);
    }
    CHECK_INT(library_allocations, after_first);
    CHECK_INT(count.total, ours);
    tp_factor_free(factor);
    CHECK_INT(count.live, 0);
    allocate_library_memory_by(malloc, realloc);
    tp_arena_clear(&arena);
}

TEST_MAIN(RUNS(ldl_solves_definite_and_quasi_definite_systems_from_their_upper_triangle),
          RUNS(klu_solves_systems_with_changing_values),
          RUNS(a_pivot_that_becomes_zero_makes_klu_choose_again),
          RUNS(singular_matrices_are_reported_and_the_factor_can_be_used_again),
          RUNS(matrices_that_are_singular_up_to_rounding_are_reported),
          RUNS(structurally_singular_matrices_are_reported),
          RUNS(a_factor_of_ldl_allocates_at_creation_only_and_gives_everything_back),
          RUNS(when_memory_runs_out_it_is_said_and_nothing_leaks),
          RUNS(klu_refactors_and_solves_without_allocating_while_its_pivots_are_good))
