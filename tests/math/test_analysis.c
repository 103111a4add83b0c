/* Rank, singular values, eigenvalues, least squares and null spaces. */
#include "random_matrix.h"

#include "math/analysis.h"

enum { MOST = 14 };

/* A random m x n matrix of the given rank, entries of order one. */
static void random_of_rank(check_random *random, int m, int n, int rank, double *a)
{
    double left[MOST * MOST], right[MOST * MOST];
    for (int k = 0; k < m * rank; k++) left[k] = check_normal(random);
    for (int k = 0; k < n * rank; k++) right[k] = check_normal(random);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            a[i + j * m] = 0.0;
            for (int r = 0; r < rank; r++) a[i + j * m] += left[i + r * m] * right[j + r * n];
        }
    }
}

TEST(rank_null_space_and_least_squares_of_random_matrices_of_known_rank)
{
    check_random random = {31};
    for (int round = 0; round < 300; round++) {
        int m = 1 + check_index(&random, MOST), n = 1 + check_index(&random, MOST);
        int rank = check_index(&random, (m < n ? m : n) + 1), found, dimension;
        double a[MOST * MOST], basis[MOST * MOST], b[MOST], x[MOST], residual[MOST], gradient[MOST] = {0.0};
        random_of_rank(&random, m, n, rank, a);
        double norm = tp_dense_norm(m * n, a);
        CHECK_INT(tp_analysis_rank(NULL, m, n, a, 1e-10, &found), TP_OK);
        CHECK_INT(found, rank);

        CHECK_INT(tp_analysis_null_space(NULL, m, n, a, 1e-10, basis, &dimension), TP_OK);
        CHECK_INT(dimension, n - rank);
        for (int k = 0; k < dimension; k++) {
            double image[MOST];
            tp_dense_multiply(m, n, a, m, basis + k * n, image);
            CHECK_NEAR(tp_dense_norm(m, image), 0.0, 10.0 * (m + n) * DBL_EPSILON * norm);
            for (int l = 0; l <= k; l++) {
                CHECK_NEAR(tp_dense_dot(n, basis + k * n, basis + l * n), k == l, 10.0 * n * DBL_EPSILON);
            }
        }

        /* The residual is orthogonal to the columns, the solution to the null space. */
        for (int i = 0; i < m; i++) residual[i] = b[i] = check_normal(&random);
        CHECK_INT(tp_analysis_least_squares(NULL, m, n, a, b, 1e-10, x, &found), TP_OK);
        CHECK_INT(found, rank);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) residual[i] -= a[i + j * m] * x[j];
        }
        tp_dense_multiply_transposed_add(m, n, a, m, residual, gradient);
        double size = norm * tp_dense_norm(n, x) + tp_dense_norm(m, b);
        CHECK_NEAR(tp_dense_norm(n, gradient), 0.0, 20.0 * (m + n) * DBL_EPSILON * norm * size);
        for (int k = 0; k < dimension; k++) {
            CHECK_NEAR(tp_dense_dot(n, basis + k * n, x), 0.0,
                       20.0 * (m + n) * DBL_EPSILON * tp_dense_norm(n, x));
        }
    }
}

TEST(ranks_count_the_roots_of_the_eigenvalues_of_the_gram_matrix)
{
    check_random random = {32};
    enum { M = 9, N = 5 };
    double a[M * N], gram[N * N] = {0.0}, eigen[N], vectors[N * N];
    random_of_rank(&random, M, N, N, a);
    for (int i = 0; i < N; i++) {
        tp_dense_multiply_transposed_add(M, N, a, M, a + i * M, gram + i * N);
    }
    CHECK_INT(tp_analysis_symmetric_eigenvalues(NULL, N, gram, eigen, vectors), TP_OK);
    for (int k = 0; k < N; k++) {
        int above = 0, below = 0; /* the rank changes where the tolerance passes sqrt(eigenvalue) */
        double ratio = sqrt(eigen[k] / eigen[N - 1]);
        CHECK_INT(tp_analysis_rank(NULL, M, N, a, ratio * (1.0 - 1e-9), &below), TP_OK);
        CHECK_INT(tp_analysis_rank(NULL, M, N, a, ratio * (1.0 + 1e-9), &above), TP_OK);
        CHECK_INT(below, N - k);
        CHECK_INT(above, N - k - 1);
        double image[N];
        tp_dense_multiply(N, N, gram, N, vectors + k * N, image);
        for (int i = 0; i < N; i++) {
            CHECK_NEAR(image[i], eigen[k] * vectors[i + k * N], 20.0 * M * DBL_EPSILON * eigen[N - 1]);
        }
    }
}

TEST(empty_and_unsound_matrices_are_handled)
{
    int rank = -1, dimension = -1;
    double basis[9], x[3] = {1.0, 1.0, 1.0}, bad[4] = {1.0, nan(""), 0.0, 1.0}, zero[4] = {0.0};
    CHECK_INT(tp_analysis_rank(NULL, 0, 3, NULL, 1e-10, &rank), TP_OK);
    CHECK_INT(rank, 0);
    CHECK_INT(tp_analysis_null_space(NULL, 0, 3, NULL, 1e-10, basis, &dimension), TP_OK);
    CHECK_INT(dimension, 3);
    CHECK_NEAR(basis[4], 1.0, 0.0);
    CHECK_INT(tp_analysis_least_squares(NULL, 0, 3, NULL, NULL, 1e-10, x, &rank), TP_OK);
    CHECK_NEAR(x[2], 0.0, 0.0);
    CHECK_INT(tp_analysis_rank(NULL, 2, 2, bad, 1e-10, &rank), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_analysis_rank(NULL, 2, 2, zero, 1e-10, &rank), TP_OK);
    CHECK_INT(rank, 0);
}

TEST(analysis_gives_all_its_memory_back)
{
    counter count = {0, 0};
    tp_allocator allocator = {&count, counted_allocate, counted_release};
    double a[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 7.0}, basis[9];
    int dimension;
    CHECK_INT(tp_analysis_null_space(&allocator, 2, 3, a, 1e-10, basis, &dimension), TP_OK);
    CHECK(count.total > 0);
    CHECK_INT(count.live, 0);
}

/* A turn by 90 degrees beside a shear with the double value 3: +-i, 3, 3; the transposed has the same. */
TEST(eigenvalues_of_unsymmetric_matrices_are_the_roots)
{
    const double a[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 5, 3};
    double real[4], imaginary[4], sum = 0.0, product = 1.0;
    CHECK_INT(tp_analysis_eigenvalues(NULL, 4, a, real, imaginary), TP_OK);
    for (int k = 0; k < 4; k++) {
        bool turns = fabs(imaginary[k]) > 0.5;
        CHECK_NEAR(hypot(real[k], imaginary[k]), turns ? 1.0 : 3.0,
                   1e-7); /* a double root: half the digits */
        sum += real[k];
        product *= hypot(real[k], imaginary[k]);
    }
    CHECK_NEAR(sum, 6.0, 1e-14 * 10.0);
    CHECK_NEAR(product, 9.0, 1e-13);
    const double wrong[1] = {NAN};
    CHECK_INT(tp_analysis_eigenvalues(NULL, 1, wrong, real, imaginary), TP_INVALID_ARGUMENT);
}

TEST_MAIN(RUNS(eigenvalues_of_unsymmetric_matrices_are_the_roots),
          RUNS(rank_null_space_and_least_squares_of_random_matrices_of_known_rank),
          RUNS(ranks_count_the_roots_of_the_eigenvalues_of_the_gram_matrix),
          RUNS(empty_and_unsound_matrices_are_handled), RUNS(analysis_gives_all_its_memory_back))
