/* Elimination of x against a dense reference written here; theory/problems.md (2)-(4). */
#include "problems.h"

enum { MOST_X = 90, MOST_ROWS = 60 };

/* A global problem in dense form. C is used only if !is_mechanical. */
typedef struct dense {
    int n, m;
    bool is_mechanical;
    double M[MOST_X * MOST_X], A[MOST_X * MOST_ROWS], C[MOST_ROWS * MOST_X], D[MOST_ROWS * MOST_ROWS];
    double f[MOST_X], b[MOST_ROWS];
} dense;

/* Gauss elimination with row exchange: X [n*k] becomes M^-1 X. */
static void solve_reference(int n, const double *M, int k, double *X)
{
    double *a = malloc((size_t)(n * n) * sizeof(double));
    memcpy(a, M, (size_t)(n * n) * sizeof(double));
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p + 1; i < n; i++)
            if (fabs(a[i + p * n]) > fabs(a[best + p * n])) best = i;
        for (int j = 0; j < n; j++) {
            double t = a[p + j * n];
            a[p + j * n] = a[best + j * n], a[best + j * n] = t;
        }
        for (int j = 0; j < k; j++) {
            double t = X[p + j * n];
            X[p + j * n] = X[best + j * n], X[best + j * n] = t;
        }
        for (int i = 0; i < n; i++) {
            if (i == p) continue;
            double factor = a[i + p * n] / a[p + p * n];
            for (int j = p; j < n; j++) a[i + j * n] -= factor * a[p + j * n];
            for (int j = 0; j < k; j++) X[i + j * n] -= factor * X[p + j * n];
        }
    }
    for (int j = 0; j < k; j++)
        for (int i = 0; i < n; i++) X[i + j * n] /= a[i + i * n];
    free(a);
}

/* G = C M^-1 A + D and c = C M^-1 f + b. */
static void reduce_reference(const dense *d, double *G, double *c)
{
    int n = d->n, m = d->m;
    double *X = malloc((size_t)(n * (m + 1)) * sizeof(double));
    memcpy(X, d->A, (size_t)(n * m) * sizeof(double));
    memcpy(X + n * m, d->f, (size_t)n * sizeof(double));
    solve_reference(n, d->M, m + 1, X);
    for (int j = 0; j <= m; j++) {
        for (int i = 0; i < m; i++) {
            double sum = j < m ? d->D[i + j * m] : d->b[i];
            for (int k = 0; k < n; k++)
                sum += (d->is_mechanical ? d->A[k + i * n] : d->C[i + k * m]) * X[k + j * n];
            *(j < m ? &G[i + j * m] : &c[i]) = sum;
        }
    }
    free(X);
}

/* Nonzeros of a dense matrix as entries, in reverse order: the order must not matter. Arrays are the
 * caller's. */
static tp_entries entries_of(int rows, int cols, const double *value, int *row, int *col, double *x)
{
    int count = 0;
    for (int k = rows * cols - 1; k >= 0; k--) {
        if (value[k] == 0.0) continue;
        row[count] = k % rows, col[count] = k / rows, x[count++] = value[k];
    }
    return (tp_entries){rows, cols, count, row, col, x};
}

static tp_problem *make_global(const dense *d, const tp_set *sets, int set_count, bool with_D)
{
    size_t most = MOST_X * MOST_X;
    int *index = malloc(8 * most * sizeof(int));
    double *value = malloc(4 * most * sizeof(double));
    tp_problem_def def = tp_problem_def_default();
    def.x_count = d->n, def.row_count = d->m, def.set_count = set_count, def.sets = sets;
    def.f = d->f, def.b = d->b;
    def.M = entries_of(d->n, d->n, d->M, index, index + most, value);
    def.A = entries_of(d->n, d->m, d->A, index + 2 * most, index + 3 * most, value + most);
    if (!d->is_mechanical)
        def.C = entries_of(d->m, d->n, d->C, index + 4 * most, index + 5 * most, value + 2 * most);
    if (with_D) def.D = entries_of(d->m, d->m, d->D, index + 6 * most, index + 7 * most, value + 3 * most);
    tp_problem *problem;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    free(index), free(value);
    return problem;
}

/* The reduced problem is the reference, entry by entry, and has the same E, x and xi at a random P. */
static void check_reduction(void **check_state_, const dense *d, const tp_problem *problem,
                            check_random *random)
{
    int m = d->m;
    double *G = malloc((size_t)(m * m) * sizeof(double)), c[MOST_ROWS], e[MOST_ROWS] = {0}, column[MOST_ROWS],
           largest = 0.0, largest_c = 0.0;
    reduce_reference(d, G, c);
    for (int k = 0; k < m * m; k++) largest = fmax(largest, fabs(G[k]));
    for (int k = 0; k < m; k++) largest_c = fmax(largest_c, fabs(c[k]));
    tp_problem *local;
    tp_message why;
    CHECK_INT(tp_problem_reduce(NULL, problem, &local, &why), TP_OK);
    CHECK_INT(local->x_count, 0);
    for (int j = 0; j < m; j++) { /* column j of the reduced matrix is xi(e_j) - xi(0) */
        e[j] = 1.0;
        tp_problem_state(local, e, NULL, column);
        e[j] = 0.0;
        for (int i = 0; i < m; i++)
            CHECK_NEAR(column[i] - local->b[i], G[i + j * m], 1e-11 * (largest + largest_c));
        CHECK_NEAR(local->b[j], c[j], 1e-11 * largest_c);
    }
    double P[MOST_ROWS], x[MOST_X], xi[MOST_ROWS], xi_local[MOST_ROWS];
    for (int k = 0; k < m; k++) P[k] = check_normal(random);
    CHECK_INT(tp_problem_state(problem, P, x, xi), TP_OK);
    CHECK_INT(tp_problem_state(local, P, NULL, xi_local), TP_OK);
    for (int k = 0; k < m; k++) CHECK_NEAR(xi[k], xi_local[k], 1e-10 * (largest + largest_c));
    for (int i = 0; i < d->n; i++) { /* M x = f + A P */
        double residual = -d->f[i], size = fabs(d->f[i]);
        for (int k = 0; k < d->n; k++) {
            residual += d->M[i + k * d->n] * x[k];
            size += fabs(d->M[i + k * d->n] * x[k]);
        }
        for (int k = 0; k < m; k++) residual -= d->A[i + k * d->n] * P[k];
        CHECK_NEAR(residual, 0.0, 1e-12 * (size + m));
    }
    tp_residual global_form, local_form;
    CHECK_INT(tp_problem_error(problem, P, &global_form), TP_OK);
    CHECK_INT(tp_problem_error(local, P, &local_form), TP_OK);
    CHECK_NEAR(global_form.error, local_form.error, 1e-11 * local_form.error);
    CHECK_NEAR(global_form.rho, local_form.rho, 1e-11 * local_form.rho);
    CHECK_NEAR(global_form.scale, local_form.scale, 1e-11 * local_form.scale);
    tp_problem_free(local);
    free(G);
}

/* Bodies with dense mass matrices of their own; contacts between random pairs, one against the ground. */
static void fill_bodies(dense *d, int bodies, int size, int contacts, bool is_symmetric, check_random *random)
{
    *d = (dense){.n = bodies * size, .m = 3 * contacts, .is_mechanical = true};
    for (int body = 0; body < bodies; body++) {
        for (int i = 0; i < size; i++) {
            for (int j = 0; j <= i; j++) {
                double v = 0.3 * check_normal(random) + (i == j ? 4.0 : 0.0);
                double w = is_symmetric ? v : 0.3 * check_normal(random) + (i == j ? 4.0 : 0.0);
                int a = body * size + i, b = body * size + j;
                d->M[a + b * d->n] = v;
                d->M[b + a * d->n] = i == j ? v : w;
            }
        }
    }
    for (int k = 0; k < contacts; k++) {
        int first = k % bodies, second = k == 0 ? first : (k + 1 + k / bodies) % bodies;
        for (int r = 0; r < 3; r++) {
            for (int i = 0; i < size; i++) {
                d->A[first * size + i + (3 * k + r) * d->n] = check_normal(random);
                d->A[second * size + i + (3 * k + r) * d->n] += check_normal(random);
                d->C[3 * k + r + (first * size + i) * d->m] = check_normal(random);
            }
        }
    }
    for (int i = 0; i < d->n; i++) d->f[i] = check_normal(random);
    for (int i = 0; i < d->m; i++) d->b[i] = check_normal(random);
}

static void contact_sets(tp_set *sets, int count)
{
    for (int i = 0; i < count; i++) sets[i] = tp_set_coulomb(3, 0.3);
}

TEST(a_block_diagonal_mass_matrix_is_eliminated_body_by_body)
{
    check_random random = {1};
    static dense d;
    tp_set sets[20];
    contact_sets(sets, 20);
    for (int trial = 0; trial < 5; trial++) {
        fill_bodies(&d, 3 + trial, 6, 4 + 3 * trial, true, &random);
        tp_problem *problem = make_global(&d, sets, d.m / 3, false);
        CHECK(problem->is_mechanical);
        check_reduction(check_state_, &d, problem, &random);
        tp_problem_free(problem);
    }
}

/* Laws of bodies that do not touch have no common block. */
TEST(only_laws_that_share_a_body_meet_in_the_reduced_matrix)
{
    check_random random = {2};
    static dense d;
    tp_set sets[10];
    contact_sets(sets, 10);
    fill_bodies(&d, 10, 6, 10, true,
                &random); /* a ring: contact k joins bodies k and k + 1, contact 0 one body */
    tp_problem *problem = make_global(&d, sets, 10, false), *local;
    CHECK_INT(tp_problem_reduce(NULL, problem, &local, NULL), TP_OK);
    for (int i = 0; i < 10; i++) CHECK(local->D.start[i + 1] - local->D.start[i] <= 3);
    tp_problem_free(local);
    tp_problem_free(problem);
}

/* A chain couples all unknowns: one component, larger than what is factorised densely (32). */
TEST(a_large_coupled_mass_matrix_takes_the_sparse_path)
{
    check_random random = {3};
    static dense d;
    tp_set sets[20];
    contact_sets(sets, 20);
    const int sizes[] = {31, 32, 33, 64, 90};
    for (int trial = 0; trial < 5; trial++) {
        int n = sizes[trial];
        fill_bodies(&d, n, 1, 8, true, &random);
        for (int i = 0; i + 1 < n; i++) d.M[i + (i + 1) * n] = d.M[i + 1 + i * n] = -1.0;
        tp_problem *problem = make_global(&d, sets, 8, false);
        check_reduction(check_state_, &d, problem, &random);
        tp_problem_free(problem);
    }
}

TEST(unsymmetric_M_with_its_own_C_and_D_is_reduced)
{
    check_random random = {4};
    static dense d;
    tp_set sets[20];
    contact_sets(sets, 20);
    for (int trial = 0; trial < 6; trial++) {
        bool is_large = trial >= 4;
        fill_bodies(&d, is_large ? 1 : 4, is_large ? 40 : 5, 6, false, &random);
        d.is_mechanical = trial % 2 != 0;
        for (int i = 0; i < d.m * d.m; i++)
            d.D[i] = check_uniform(&random, 0.0, 1.0) < 0.3 ? check_normal(&random) : 0.0;
        tp_problem *problem = make_global(&d, sets, 6, true);
        CHECK(problem->is_mechanical == d.is_mechanical);
        check_reduction(check_state_, &d, problem, &random);
        tp_problem_free(problem);
    }
}

TEST(laws_of_different_size_keep_their_places)
{
    check_random random = {5};
    static dense d;
    tp_set sets[5] = {tp_set_free(8), tp_set_coulomb(2, 0.4), tp_set_rolling(0.3, 0.1), tp_set_orthant(2),
                      tp_set_interval(-1.0, 1.0)};
    fill_bodies(&d, 4, 6, 6, true, &random);
    tp_problem *problem = make_global(&d, sets, 5, false);
    check_reduction(check_state_, &d, problem, &random);
    tp_problem_free(problem);
}

TEST(a_singular_mass_matrix_is_reported)
{
    check_random random = {6};
    static dense d;
    tp_set sets[4];
    contact_sets(sets, 4);
    for (int size = 6; size <= 40; size += 34) {
        fill_bodies(&d, 1, size, 4, true, &random);
        for (int i = 0; i < size; i++) d.M[i + 2 * size] = d.M[2 + i * size] = 0.0; /* a massless direction */
        tp_problem *problem = make_global(&d, sets, 4, false), *local;
        tp_residual residual;
        double P[12] = {0};
        CHECK_INT(tp_problem_reduce(NULL, problem, &local, NULL), TP_SINGULAR);
        CHECK(local == NULL);
        CHECK_INT(tp_problem_error(problem, P, &residual), TP_SINGULAR);
        tp_report report;
        CHECK_INT(solve_with(problem, NULL, 1e-8, P, &report), TP_INVALID_DATA);
        CHECK(strstr(report.reason, "singular") != NULL);
        tp_problem_free(problem);
    }
}

TEST(reducing_a_local_problem_copies_it)
{
    check_random random = {7};
    tp_problem *problem = random_contacts(&random, 3, 0.1, 0.5), *copy;
    double P[9], xi[9], xi_copy[9];
    for (int k = 0; k < 9; k++) P[k] = check_normal(&random);
    CHECK_INT(tp_problem_reduce(NULL, problem, &copy, NULL), TP_OK);
    tp_problem_state(problem, P, NULL, xi);
    tp_problem_state(copy, P, NULL, xi_copy);
    for (int k = 0; k < 9; k++) CHECK_NEAR(xi[k], xi_copy[k], 0.0);
    tp_problem_free(copy);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(a_block_diagonal_mass_matrix_is_eliminated_body_by_body),
          RUNS(only_laws_that_share_a_body_meet_in_the_reduced_matrix),
          RUNS(a_large_coupled_mass_matrix_takes_the_sparse_path),
          RUNS(unsymmetric_M_with_its_own_C_and_D_is_reduced), RUNS(laws_of_different_size_keep_their_places),
          RUNS(a_singular_mass_matrix_is_reported), RUNS(reducing_a_local_problem_copies_it))
