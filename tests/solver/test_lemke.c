/* Lemke's path on complementarity problems with known answers, and the solver `lemke` on problems with
   bounds; docs/theory/pivoting.md. */
#include "dense_problem.h"
#include "solver/pivoting/lemke.h"

#include <stdlib.h>

enum { LARGEST = 40 };

typedef struct answer {
    tp_status status;
    tp_lcp_report report;
    double z[LARGEST], ray[LARGEST];
} answer;

static answer run(int n, const double *M, const double *q)
{
    answer a = {.report = {.ray = NULL}};
    tp_stack stack;
    tp_stack_init(&stack, tp_allocator_default());
    a.report.ray = a.ray;
    a.status = tp_lcp_lemke(n, M, q, NULL, 0, &stack, a.z, &a.report);
    a.report.ray = NULL;
    tp_stack_clear(&stack);
    return a;
}

TEST(a_positive_right_side_needs_no_pivot)
{
    answer a = run(2, (double[4]){1, 0, 0, 1}, (double[2]){1, 0});
    CHECK_INT(a.status, TP_OK);
    CHECK_INT(a.report.pivots, 0);
    CHECK_NEAR(a.z[0] + a.z[1], 0.0, 0.0);
}

TEST(the_textbook_problem_has_its_answer)
{
    /* 0 <= z _|_ [2 1; 1 2] z + (-5, -6) >= 0: both positive. */
    answer a = run(2, (double[4]){2, 1, 1, 2}, (double[2]){-5, -6});
    CHECK_INT(a.status, TP_OK);
    CHECK_NEAR(a.z[0], 4.0 / 3.0, 1e-15);
    CHECK_NEAR(a.z[1], 7.0 / 3.0, 1e-15);
}

/* M = B B^T + skew part: monotone; positive definite with a diagonal shift, hence a P-matrix. */
static void random_monotone(check_random *random, int n, int rank, double shift, double *M)
{
    double B[LARGEST * LARGEST];
    for (int i = 0; i < n * rank; i++) B[i] = check_normal(random);
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            double skew = i == j ? shift : check_normal(random), sum = 0.0;
            for (int k = 0; k < rank; k++) sum += B[i + k * n] * B[j + k * n];
            M[i + j * n] = sum + skew;
            M[j + i * n] = sum + (i == j ? skew : -skew);
        }
}

TEST(random_monotone_problems_are_solved_to_rounding)
{
    check_random random = {21};
    for (int trial = 0; trial < 300; trial++) {
        int n = 2 + trial % (LARGEST - 1);
        double M[LARGEST * LARGEST], q[LARGEST], size = 1.0;
        random_monotone(&random, n, trial % 3 == 0 ? (n + 1) / 2 : n, trial % 3 == 0 ? 0.0 : 0.1, M);
        /* Feasible by construction: q = w - M z with some z, w >= 0. */
        double z[LARGEST];
        for (int i = 0; i < n; i++) z[i] = fmax(0.0, check_normal(&random));
        for (int i = 0; i < n; i++) {
            q[i] = fmax(0.0, check_normal(&random));
            for (int j = 0; j < n; j++) q[i] -= M[i + j * n] * z[j];
            size = fmax(size, fabs(q[i]));
        }
        answer a = run(n, M, q);
        CHECK_INT(a.status, TP_OK);
        CHECK(a.report.residual <= 1e-11 * size);
    }
}

/* Murty's matrix, twos above the diagonal, with the right side that makes unscaled paths visit 2^n bases. */
TEST(murtys_exponential_example_is_solved)
{
    for (int n = 2; n <= 16; n++) {
        double M[256] = {0}, q[16];
        for (int j = 0; j < n; j++)
            for (int i = 0; i <= j; i++) M[i + j * n] = i == j ? 1.0 : 2.0;
        for (int i = 0; i < n; i++) q[i] = -(ldexp(1.0, n + 1) - ldexp(1.0, i + 1));
        answer a = run(n, M, q);
        CHECK_INT(a.status, TP_OK);
        for (int i = 0; i < n; i++) CHECK_NEAR(a.z[i], i == n - 1 ? ldexp(1.0, n) : 0.0, 1e-9);
    }
}

/* A problem on which the plain ratio test can go round in a circle: many ties, right side of equal ones. */
TEST(degenerate_problems_do_not_cycle)
{
    /* Kostreva's example of cycling under the least-index rule. */
    const double M[9] = {1, 0, 2, 2, 1, 0, 0, 2, 1}, q[3] = {-1, -1, -1};
    answer a = run(3, M, q);
    CHECK_INT(a.status, TP_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(a.z[i], 1.0 / 3.0, 1e-15);

    check_random random = {22};
    for (int trial = 0; trial < 500; trial++) { /* rank one blocks of integers: ties everywhere */
        int n = 3 + trial % 8;
        double G[64], B[16], c[8];
        for (int i = 0; i < 2 * n && i < 16; i++) B[i] = floor(check_uniform(&random, -2, 3));
        if (n > 8) n = 8;
        for (int j = 0; j < n; j++) {
            c[j] = -B[j]; /* in the range of G plus zeros: feasible */
            for (int i = 0; i < n; i++) G[i + j * n] = B[i] * B[j];
        }
        answer b = run(n, G, c);
        bool has_solution = b.status == TP_OK;
        double sum = 0.0;
        for (int i = 0; i < n; i++) sum += fmax(B[i], 0.0);
        CHECK(has_solution || sum == 0.0); /* G z + c = B (B.z - 1), solvable when some B_i > 0 */
        CHECK(b.report.pivots < 100);
    }
}

TEST(an_infeasible_problem_ends_on_a_ray_that_is_reported)
{
    const double M[9] = {0, 1, 0, -1, 0, 0, -1, 0, 0}, q[3] = {-1e-4, -1, 1};
    answer a = run(3, M, q);
    CHECK_INT(a.status, TP_NOT_CONVERGED);
    CHECK_INT(a.report.end, TP_LCP_RAY);
    double length = 0.0;
    for (int i = 0; i < 3; i++) {
        CHECK(a.ray[i] >= 0.0);
        length += a.ray[i];
    }
    CHECK(length > 0.0);
}

TEST(a_badly_scaled_problem_is_solved_to_rounding)
{
    check_random random = {23};
    for (int trial = 0; trial < 100; trial++) {
        enum { N = 12 };
        double M[N * N], q[N], row[N], column[N];
        random_monotone(&random, N, N, 0.1, M);
        for (int i = 0; i < N; i++) {
            row[i] = pow(10.0, check_uniform(&random, -5, 5));
            column[i] = pow(10.0, check_uniform(&random, -5, 5));
            q[i] = check_normal(&random);
        }
        answer plain = run(N, M, q);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) M[i + j * N] *= row[i] * column[j];
        for (int i = 0; i < N; i++) q[i] *= row[i];
        answer scaled = run(N, M, q);
        CHECK_INT(scaled.status, TP_OK);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(scaled.z[i] * column[i], plain.z[i], 1e-9 * (1.0 + fabs(plain.z[i])));
    }
}

/* ---- the solver ---- */

TEST(joints_limits_and_relays_are_solved_together)
{
    check_random random = {24};
    for (int trial = 0; trial < 300; trial++) {
        enum { N = 12 };
        double M[N * N], q[N], P[N] = {0};
        random_monotone(&random, N, N, 0.05, M);
        for (int i = 0; i < N; i++) q[i] = 3.0 * check_normal(&random);
        tp_set sets[7] = {tp_set_free(3),
                          tp_set_orthant(4),
                          tp_set_interval(-0.5, 1),
                          tp_set_interval(-INFINITY, 0.2),
                          tp_set_interval(0.1, INFINITY),
                          tp_set_zero(1),
                          tp_set_interval(-1, 1)};
        tp_problem *problem = dense_problem(N, M, q, 7, sets);
        CHECK(problem != NULL);
        tp_report report = dense_solve(&tp_solver_lemke, problem, NULL, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.error <= 1e-12);
        tp_problem_free(problem);
    }
}

/* An ideal diode bridge element: two equations without own diagonal, zero diagonals everywhere. */
TEST(equations_with_a_zero_diagonal_go_out_through_pairs)
{
    /* free x, orthant z: 0 = z - 1, 0 <= z _|_ w = -x + 2 >= 0: z = 1, x = 2. */
    const double M[4] = {0, -1, 1, 0}, q[2] = {-1, 2};
    tp_set sets[2] = {tp_set_free(1), tp_set_orthant(1)};
    tp_problem *problem = dense_problem(2, M, q, 2, sets);
    double P[2] = {0, 0};
    tp_report report = dense_solve(&tp_solver_lemke, problem, NULL, P);
    CHECK_INT(report.status, TP_OK);
    CHECK_NEAR(P[0], 2.0, 1e-15);
    CHECK_NEAR(P[1], 1.0, 1e-15);
    tp_problem_free(problem);
}

TEST(redundant_joints_are_solved)
{
    /* Two identical joints and a limit: singular but consistent equations. */
    const double M[9] = {1, 1, 0.5, 1, 1, 0.5, 0.5, 0.5, 1}, q[3] = {-1, -1, -2};
    tp_set sets[2] = {tp_set_free(2), tp_set_orthant(1)};
    tp_problem *problem = dense_problem(3, M, q, 2, sets);
    double P[3] = {0, 0, 0};
    tp_report report = dense_solve(&tp_solver_lemke, problem, NULL, P);
    CHECK_INT(report.status, TP_OK);
    CHECK(report.error <= 1e-14);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(a_positive_right_side_needs_no_pivot), RUNS(the_textbook_problem_has_its_answer),
          RUNS(random_monotone_problems_are_solved_to_rounding), RUNS(murtys_exponential_example_is_solved),
          RUNS(degenerate_problems_do_not_cycle), RUNS(an_infeasible_problem_ends_on_a_ray_that_is_reported),
          RUNS(a_badly_scaled_problem_is_solved_to_rounding),
          RUNS(joints_limits_and_relays_are_solved_together),
          RUNS(equations_with_a_zero_diagonal_go_out_through_pairs), RUNS(redundant_joints_are_solved))
