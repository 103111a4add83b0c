/* Small dense kernels. */
#include "random_matrix.h"

static const double growth_allowance = 100.0; /* partial pivoting on random matrices grows far less */

TEST(lu_solves_random_systems_and_their_transposes)
{
    check_random random = {41};
    enum { MOST = 30, LEAD = 33 };
    for (int round = 0; round < 300; round++) {
        int n = 1 + check_index(&random, MOST), pivot[MOST];
        double a[MOST * MOST], transposed[MOST * MOST], lu[MOST * LEAD], b[MOST], x[MOST];
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                a[i + j * n] = transposed[j + i * n] = lu[i + j * LEAD] = check_normal(&random);
            }
        }
        CHECK_INT(tp_dense_lu(n, lu, LEAD, pivot, 0.0), TP_OK);
        for (int i = 0; i < n; i++) x[i] = b[i] = check_normal(&random);
        tp_dense_lu_solve(n, lu, LEAD, pivot, x);
        CHECK(relative_residual(n, a, x, b) <= growth_allowance);
        for (int i = 0; i < n; i++) x[i] = b[i];
        tp_dense_lu_solve_transposed(n, lu, LEAD, pivot, x);
        CHECK(relative_residual(n, transposed, x, b) <= growth_allowance);
    }
}

TEST(cholesky_solves_definite_systems_and_refuses_others)
{
    check_random random = {42};
    enum { MOST = 20 };
    for (int round = 0; round < 200; round++) {
        int n = 1 + check_index(&random, MOST);
        double root[MOST * MOST], a[MOST * MOST], l[MOST * MOST], b[MOST], x[MOST];
        for (int k = 0; k < n * n; k++) root[k] = check_normal(&random);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                a[i + j * n] = tp_dense_dot(n, root + i * n, root + j * n) + (i == j ? 0.1 : 0.0);
            }
        }
        for (int k = 0; k < n * n; k++) l[k] = a[k];
        CHECK_INT(tp_dense_cholesky(n, l, n, 0.0), TP_OK);
        for (int i = 0; i < n; i++) x[i] = b[i] = check_normal(&random);
        tp_dense_cholesky_solve(n, l, n, x);
        CHECK(relative_residual(n, a, x, b) <= growth_allowance);

        for (int k = 0; k < n * n; k++) l[k] = a[k];
        l[check_index(&random, n) * (n + 1)] = -1.0;
        CHECK_INT(tp_dense_cholesky(n, l, n, 0.0), TP_SINGULAR);
    }
    double flat[4] = {1.0, 1.0, 1.0, 1.0};
    CHECK_INT(tp_dense_cholesky(2, flat, 2, DBL_EPSILON), TP_SINGULAR);
}

TEST(singular_matrices_are_reported)
{
    int pivot[3];
    double zero_column[9] = {1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 4.0, 5.0, 7.0};
    double rank_one[9] = {0.1, 0.2, 0.3, 0.3, 0.6, 0.9, 0.7, 1.4, 2.1}, x[3], y[3] = {1.0, 1.0, 1.0};
    double with_nan[4] = {1.0, nan(""), 2.0, 3.0};
    CHECK_INT(tp_dense_solve_small(3, rank_one, y, x), TP_SINGULAR);
    CHECK_INT(tp_dense_solve_small(7, rank_one, y, x), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_dense_lu(3, zero_column, 3, pivot, 0.0), TP_SINGULAR);
    CHECK_INT(tp_dense_lu(3, rank_one, 3, pivot, 4.0 * DBL_EPSILON), TP_SINGULAR);
    CHECK_INT(tp_dense_lu(2, with_nan, 2, pivot, 0.0), TP_SINGULAR);
}

TEST(small_systems_are_solved_whatever_the_units_of_rows_and_unknowns)
{
    check_random random = {43};
    for (int round = 0; round < 2000; round++) {
        int n = 1 + check_index(&random, 6);
        double a[36], scaled[36], b[6], y[6], x[6], row[6], column[6];
        for (int k = 0; k < n * n; k++) a[k] = check_normal(&random) + (k % (n + 1) == 0 ? 3.0 : 0.0);
        for (int i = 0; i < n; i++) {
            row[i] = pow(10.0, check_uniform(&random, -40.0, 40.0));
            column[i] = pow(10.0, check_uniform(&random, -40.0, 40.0));
            b[i] = check_normal(&random);
            y[i] = row[i] * b[i];
        }
        for (int k = 0; k < n * n; k++) scaled[k] = row[k % n] * a[k] * column[k / n];
        tp_status status = tp_dense_solve_small(n, scaled, y, x);
        CHECK_INT(status, TP_OK);
        for (int j = 0; j < n; j++) x[j] *= column[j];
        CHECK(relative_residual(n, a, x, b) <= growth_allowance);
    }
}

TEST(jacobi_eigenvalues_and_vectors_diagonalise_the_matrix)
{
    check_random random = {44};
    for (int round = 0; round < 1000; round++) {
        int n = 1 + check_index(&random, 6);
        double a[36], values[6], v[36];
        for (int j = 0; j < n; j++) {
            for (int i = j; i < n; i++) {
                a[i + j * n] = check_normal(&random);
                a[j + i * n] = i == j ? a[i + j * n] : nan(""); /* the upper triangle is not read */
            }
        }
        tp_dense_symmetric_eigen(n, a, values, v);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < j; i++) a[i + j * n] = a[j + i * n];
        }
        double size = tp_dense_norm(n * n, a);
        for (int k = 0; k < n; k++) {
            double image[6];
            if (k > 0) CHECK(values[k] >= values[k - 1]);
            tp_dense_multiply(n, n, a, n, v + k * n, image);
            for (int i = 0; i < n; i++) {
                CHECK_NEAR(image[i], values[k] * v[i + k * n], 20.0 * n * DBL_EPSILON * size);
            }
            for (int l = 0; l <= k; l++) {
                CHECK_NEAR(tp_dense_dot(n, v + k * n, v + l * n), k == l, 20.0 * n * DBL_EPSILON);
            }
        }
        CHECK_NEAR(tp_dense_largest_eigenvalue(n, a, n), values[n - 1], 20.0 * n * DBL_EPSILON * size);
    }
}

TEST(eigenvalues_of_graded_definite_matrices_are_relatively_accurate)
{
    /* diag(s) (2 I + ones) diag(s): eigenvalues of such a scaled matrix are determined to n eps kappa, here
       kappa = 5/2 of the unscaled matrix, whatever the grading. The product is the determinant. */
    double s[3] = {1.0, 1e-4, 1e-8}, a[9], values[3];
    for (int k = 0; k < 9; k++) a[k] = s[k % 3] * s[k / 3] * (k % 4 == 0 ? 3.0 : 1.0);
    tp_dense_symmetric_eigen(3, a, values, NULL);
    double determinant = 20.0 * 1e-24; /* (2)(2)(5) s^2 */
    CHECK_NEAR(values[0] * values[1] * values[2] / determinant, 1.0, 100.0 * DBL_EPSILON);
}

TEST(the_largest_eigenvalue_is_that_of_the_symmetric_part)
{
    double rotation_and_stretch[8] = {2.0, 5.0, 0.0, 0.0, -5.0, 3.0, 0.0, 0.0};
    CHECK_NEAR(tp_dense_largest_eigenvalue(2, rotation_and_stretch, 4), 3.0, 4.0 * DBL_EPSILON);
    CHECK_NEAR(tp_dense_largest_eigenvalue(0, rotation_and_stretch, 4), 0.0, 0.0);
}

TEST(products_and_their_transposes_satisfy_the_adjoint_identity)
{
    check_random random = {45};
    for (int round = 0; round < 200; round++) {
        enum { MOST = 12 };
        int m = 1 + check_index(&random, MOST), n = 1 + check_index(&random, MOST);
        double a[MOST * MOST], x[MOST], y[MOST], ax[MOST], aty[MOST] = {0.0};
        for (int k = 0; k < m * n; k++) a[k] = check_normal(&random);
        for (int j = 0; j < n; j++) x[j] = check_normal(&random);
        for (int i = 0; i < m; i++) y[i] = check_normal(&random);
        tp_dense_multiply(m, n, a, m, x, ax);
        tp_dense_multiply_transposed_add(m, n, a, m, y, aty);
        double size = tp_dense_norm(m * n, a) * tp_dense_norm(n, x) * tp_dense_norm(m, y);
        CHECK_NEAR(tp_dense_dot(m, ax, y), tp_dense_dot(n, x, aty), (m + n) * DBL_EPSILON * size);
        double expected = 0.0;
        for (int j = 0; j < n; j++) expected += a[m - 1 + j * m] * x[j];
        CHECK_NEAR(ax[m - 1], expected, n * DBL_EPSILON * size);
    }
}

TEST(the_norm_neither_overflows_nor_underflows)
{
    double huge[2] = {3e300, 4e300}, tiny[2] = {3e-300, 4e-300}, denormal[2] = {3e-320, 4e-320};
    double infinite[2] = {1.0, HUGE_VAL}, bad[2] = {1.0, nan("")};
    CHECK_NEAR(tp_dense_norm(2, huge) / 5e300, 1.0, 4.0 * DBL_EPSILON);
    CHECK_NEAR(tp_dense_norm(2, tiny) / 5e-300, 1.0, 4.0 * DBL_EPSILON);
    CHECK_NEAR(tp_dense_norm(2, denormal), 5e-320, 2e-323);
    CHECK(isinf(tp_dense_norm(2, infinite)));
    CHECK(isnan(tp_dense_norm(2, bad)));
    CHECK_NEAR(tp_dense_norm(0, bad), 0.0, 0.0);
}

TEST_MAIN(RUNS(lu_solves_random_systems_and_their_transposes),
          RUNS(cholesky_solves_definite_systems_and_refuses_others), RUNS(singular_matrices_are_reported),
          RUNS(small_systems_are_solved_whatever_the_units_of_rows_and_unknowns),
          RUNS(jacobi_eigenvalues_and_vectors_diagonalise_the_matrix),
          RUNS(eigenvalues_of_graded_definite_matrices_are_relatively_accurate),
          RUNS(the_largest_eigenvalue_is_that_of_the_symmetric_part),
          RUNS(products_and_their_transposes_satisfy_the_adjoint_identity),
          RUNS(the_norm_neither_overflows_nor_underflows))
