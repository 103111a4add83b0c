/* Sparse LU with pivoting for changing patterns, and the order it uses. */
#include "random_matrix.h"

#include "math/factor.h"

/* Element growth of threshold pivoting with preference 0.1 stays far below this on random matrices, so the
   backward error in units of n eps |a| |x| does too. */
static const double growth_allowance = 100.0;

static void solve_random_system(check_random *random, tp_stack *stack, int n, int per_column, int diagonal,
                                const int *order)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    double *a = TP_ARENA_ARRAY(&arena, double, n *n);
    double *b = TP_ARENA_ARRAY(&arena, double, n);
    double *x = TP_ARENA_ARRAY(&arena, double, n);
    random_sparse_dense(random, n, per_column, diagonal, a);
    tp_sparse sparse = compressed(&arena, n, n, a);
    for (int i = 0; i < n; i++) x[i] = b[i] = check_normal(random);

    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_lu lu;
    tp_status status = tp_lu_factor(stack, &sparse, 0.1, order, &lu);
    double *dense = TP_ARENA_ARRAY(&arena, double, n *n);
    int *pivot = TP_ARENA_ARRAY(&arena, int, n);
    for (int k = 0; k < n * n; k++) dense[k] = a[k];
    tp_status dense_status = tp_dense_lu(n, dense, n, pivot, 1e-12);
    if (dense_status == TP_OK) {
        if (status != TP_OK) fail_msg("sparse LU failed with %d on a regular matrix, n = %d", status, n);
        tp_lu_solve(&lu, x);
        double r = relative_residual(n, a, x, b);
        if (!(r <= growth_allowance)) fail_msg("residual %g, n = %d", r, n);
        /* Against the dense solution; both are backward stable, so they agree within the condition. */
        tp_dense_lu_solve(n, dense, n, pivot, b);
        for (int i = 0; i < n; i++) {
            if (!(fabs(x[i] - b[i]) <= 1e-4 * (1.0 + largest_abs(n, b)))) fail_msg("differs from dense LU");
        }
    }
    tp_stack_release(stack, mark);
    tp_arena_clear(&arena);
}

TEST(sparse_lu_agrees_with_dense_lu_on_random_matrices)
{
    UNUSED_STATE;
    check_random random = {1};
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    for (int round = 0; round < 400; round++) {
        int n = 1 + check_index(&random, 60);
        solve_random_system(&random, &stack, n, check_index(&random, 6), 1, NULL);
    }
    tp_stack_clear(&stack);
}

TEST(sparse_lu_pivots_when_the_diagonal_is_zero)
{
    UNUSED_STATE;
    check_random random = {2};
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    for (int round = 0; round < 400; round++) {
        int n = 2 + check_index(&random, 60);
        solve_random_system(&random, &stack, n, check_index(&random, 6), 0, NULL);
    }
    tp_stack_clear(&stack);
}

TEST(sparse_lu_takes_a_given_column_order_and_refuses_one_that_is_none)
{
    check_random random = {3};
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    int order[40];
    for (int round = 0; round < 50; round++) {
        for (int k = 0; k < 40; k++) order[k] = k;
        for (int k = 39; k > 0; k--) {
            int other = check_index(&random, k + 1), keep = order[k];
            order[k] = order[other];
            order[other] = keep;
        }
        solve_random_system(&random, &stack, 40, 4, round % 2, order);
    }
    double a[4] = {1.0, 0.0, 0.0, 1.0};
    int twice[2] = {1, 1};
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_sparse sparse = compressed(&arena, 2, 2, a);
    tp_lu lu;
    CHECK_INT(tp_lu_factor(&stack, &sparse, 0.1, twice, &lu), TP_INVALID_ARGUMENT);
    tp_arena_clear(&arena);
    tp_stack_clear(&stack);
}

/* A saddle-point matrix [m w; w^T 0], as Newton's method on contacts produces it. */
TEST(sparse_lu_solves_saddle_point_systems)
{
    check_random random = {4};
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    enum { N = 60, M = 20, T = N + M };
    static double a[T * T];
    for (int round = 0; round < 30; round++) {
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        for (int k = 0; k < T * T; k++) a[k] = 0.0;
        for (int i = 0; i < N; i++) a[i * (T + 1)] = check_uniform(&random, 0.1, 10.0);
        for (int j = 0; j < M; j++) {
            for (int k = 0; k < 6; k++) {
                int i = check_index(&random, N);
                a[i + (N + j) * T] = a[N + j + i * T] = check_normal(&random);
            }
        }
        tp_sparse sparse = compressed(&arena, T, T, a);
        double b[T], x[T];
        for (int i = 0; i < T; i++) x[i] = b[i] = check_normal(&random);
        tp_stack_mark mark = tp_stack_mark_now(&stack);
        tp_lu lu;
        CHECK_INT(tp_lu_factor(&stack, &sparse, 0.1, NULL, &lu), TP_OK);
        tp_lu_solve(&lu, x);
        CHECK(relative_residual(T, a, x, b) <= growth_allowance);
        tp_stack_release(&stack, mark);
        tp_arena_clear(&arena);
    }
    tp_stack_clear(&stack);
}

TEST(sparse_lu_reports_singular_matrices)
{
    check_random random = {5};
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    for (int kind = 0; kind < 5; kind++) {
        enum { N = 12 };
        double a[N * N];
        random_sparse_dense(&random, N, 3, 1, a);
        for (int k = 0; k < N; k++) {
            if (kind == 0) a[k + 5 * N] = 0.0;                /* an empty column  */
            if (kind == 1) a[5 + k * N] = 0.0;                /* an empty row     */
            if (kind == 2) a[k + 5 * N] = a[k + 7 * N];       /* two equal columns */
            if (kind == 3) a[5 + k * N] = 4.0 * a[7 + k * N]; /* two parallel rows */
            if (kind == 4 && k == 0) a[3 + 3 * N] = nan("");  /* not a number      */
        }
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_sparse sparse = compressed(&arena, N, N, a);
        tp_stack_mark mark = tp_stack_mark_now(&stack);
        tp_lu lu;
        CHECK_INT(tp_lu_factor(&stack, &sparse, 0.1, NULL, &lu), TP_SINGULAR);
        tp_stack_release(&stack, mark);
        tp_arena_clear(&arena);
    }
    tp_stack_clear(&stack);
}

TEST(badly_scaled_but_regular_matrices_are_not_called_singular)
{
    double a[9] = {1e30, 1e10, 1e20, 2e10, 1e-10, 1.0, 3e18, 7e-2, 5e8}; /* rows 1, 1e-20, 1e-10 */
    double b[3] = {1.0, 1e-20, -1e-10}, x[3] = {1.0, 1e-20, -1e-10};
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    tp_sparse sparse = compressed(&arena, 3, 3, a);
    tp_lu lu;
    CHECK_INT(tp_lu_factor(&stack, &sparse, 0.1, NULL, &lu), TP_OK);
    tp_lu_solve(&lu, x);
    for (int i = 0; i < 3; i++) {
        double r = -b[i], scale = fabs(b[i]);
        for (int j = 0; j < 3; j++) {
            r += a[i + 3 * j] * x[j];
            scale += fabs(a[i + 3 * j] * x[j]);
        }
        CHECK_NEAR(r, 0.0, 100.0 * DBL_EPSILON * scale);
    }
    tp_stack_clear(&stack);
    tp_arena_clear(&arena);
}

/* Rows are compared by size relative to their own: factors 2^k for rows and right sides change no bit of x.
 */
TEST(the_solution_does_not_depend_on_the_units_of_rows)
{
    enum { N = 12 };
    check_random random = {31};
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    for (int trial = 0; trial < 50; trial++) {
        double a[N * N], scaled[N * N], x[N], y[N];
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        random_sparse_dense(&random, N, 4, trial % 2, a);
        for (int i = 0; i < N; i++) {
            int exponent = (int)check_uniform(&random, -60.0, 60.0);
            x[i] = check_normal(&random);
            y[i] = ldexp(x[i], exponent);
            for (int j = 0; j < N; j++) scaled[i + j * N] = ldexp(a[i + j * N], exponent);
        }
        tp_sparse sparse = compressed(&arena, N, N, a), other = compressed(&arena, N, N, scaled);
        tp_lu lu;
        tp_status status = tp_lu_factor(&stack, &sparse, 0.1, NULL, &lu);
        if (status == TP_OK) tp_lu_solve(&lu, x);
        CHECK_INT(tp_lu_factor(&stack, &other, 0.1, NULL, &lu), status);
        if (status == TP_OK) tp_lu_solve(&lu, y);
        for (int i = 0; i < N && status == TP_OK; i++) CHECK(x[i] == y[i]);
        tp_arena_clear(&arena);
    }
    tp_stack_clear(&stack);
}

TEST(factoring_the_same_matrix_again_allocates_nothing)
{
    check_random random = {6};
    counter count = {0, 0};
    tp_allocator allocator = {&count, counted_allocate, counted_release};
    tp_stack stack;
    tp_stack_init(&stack, &allocator);
    enum { N = 150 };
    static double a[N * N];
    for (int diagonal = 0; diagonal < 2; diagonal++) {
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        random_sparse_dense(&random, N, 5, diagonal, a);
        tp_sparse sparse = compressed(&arena, N, N, a);
        int after_first = 0;
        for (int round = 0; round < 4; round++) {
            tp_stack_mark mark = tp_stack_mark_now(&stack);
            tp_lu lu;
            CHECK_INT(tp_lu_factor(&stack, &sparse, 0.1, NULL, &lu), TP_OK);
            tp_stack_release(&stack, mark);
            if (round == 0) after_first = count.total;
        }
        CHECK_INT(count.total, after_first);
        tp_arena_clear(&arena);
    }
    tp_stack_clear(&stack);
    CHECK_INT(count.live, 0);
}

TEST(the_order_is_a_permutation_and_keeps_an_arrow_matrix_sparse)
{
    enum { N = 200 };
    static double a[N * N];
    for (int k = 0; k < N; k++) a[k * (N + 1)] = 4.0, a[k] = a[k * N] = 1.0; /* first row and column full */
    a[0] = 2.0 * N;
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    tp_sparse sparse = compressed(&arena, N, N, a);
    int order[N], seen[N] = {0};
    CHECK_INT(tp_order_amd(&stack, &sparse, order), TP_OK);
    for (int k = 0; k < N; k++) seen[order[k]]++;
    for (int k = 0; k < N; k++) CHECK_INT(seen[k], 1);
    tp_lu lu;
    CHECK_INT(tp_lu_factor(&stack, &sparse, 0.1, NULL, &lu), TP_OK);
    CHECK_INT(lu.l_start[N], N - 1);
    CHECK_INT(lu.u_start[N], 2 * N - 1);
    tp_stack_clear(&stack);
    tp_arena_clear(&arena);
}

TEST(an_empty_matrix_is_factored)
{
    int start[1] = {0};
    tp_sparse empty = {0, 0, start, NULL, NULL};
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    tp_lu lu;
    CHECK_INT(tp_lu_factor(&stack, &empty, 0.1, NULL, &lu), TP_OK);
    tp_lu_solve(&lu, NULL);
    tp_stack_clear(&stack);
}

TEST_MAIN(RUNS(sparse_lu_agrees_with_dense_lu_on_random_matrices),
          RUNS(sparse_lu_pivots_when_the_diagonal_is_zero),
          RUNS(sparse_lu_takes_a_given_column_order_and_refuses_one_that_is_none),
          RUNS(sparse_lu_solves_saddle_point_systems), RUNS(sparse_lu_reports_singular_matrices),
          RUNS(badly_scaled_but_regular_matrices_are_not_called_singular),
          RUNS(the_solution_does_not_depend_on_the_units_of_rows),
          RUNS(factoring_the_same_matrix_again_allocates_nothing),
          RUNS(the_order_is_a_permutation_and_keeps_an_arrow_matrix_sparse),
          RUNS(an_empty_matrix_is_factored))
