/* The robust solver for joints, limits and relays: circuits, degenerate data, agreement;
   docs/theory/pivoting.md (15)-(18), (24). */
#include "dense_problem.h"
#include "solver/pivoting/bounded.h"

#include <stdlib.h>

static tp_report run(int n, const double *M, const double *q, int set_count, const tp_set *sets, double *P)
{
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = 1e-12;
    tp_problem *problem = dense_problem(n, M, q, set_count, sets);
    tp_report report = dense_solve(&tp_solver_mlcp, problem, &options, P);
    tp_problem_free(problem);
    return report;
}

TEST(a_resistor_capacitor_diode_step_has_its_known_answer)
{
    /* Two equations and a diode without own diagonal; by hand: the diode conducts. */
    const double M[9] = {0.1, -1.505, 0, -0.1, 0.5, -1, -1, 0, 0}, q[3] = {0, 0.495, 0};
    tp_set sets[2] = {tp_set_free(2), tp_set_orthant(1)};
    double P[3] = {0};
    tp_report report = run(3, M, q, 2, sets, P);
    CHECK_INT(report.status, TP_OK);
    CHECK_NEAR(P[0], 0.495 / 1.505, 1e-15);
    CHECK_NEAR(P[1], 0.0, 1e-15);
    CHECK_NEAR(P[2], 0.0495 / 1.505, 1e-16);
}

TEST(a_relay_picks_its_side_or_the_interior)
{
    /* -xi in N_[-1,1](z) with M = I: z = clamp(-q). */
    const double M[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, q[4] = {-5, -0.5, 0.5, 5};
    tp_set sets[4];
    for (int i = 0; i < 4; i++) sets[i] = tp_set_interval(-1, 1);
    double P[4] = {0};
    tp_report report = run(4, M, q, 4, sets, P);
    CHECK_INT(report.status, TP_OK);
    const double expected[4] = {1, 0.5, -0.5, -1};
    for (int i = 0; i < 4; i++) CHECK_NEAR(P[i], expected[i], 1e-15);
}

/* A chain of ideal diode bridges: skew coupling, no diagonal at all, singular equations. */
TEST(circuits_without_any_diagonal_are_solved)
{
    check_random random = {51};
    for (int trial = 0; trial < 100; trial++) {
        enum { FREE = 5, PAIRS = 8, N = FREE + PAIRS };
        double M[N * N] = {0}, q[N], z[N], P[N] = {0};
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < i; j++) {
                if (check_uniform(&random, 0, 1) > 0.4) continue;
                double entry = check_uniform(&random, 0, 1) < 0.5 ? -1.0 : 1.0;
                M[i + j * N] = entry; /* skew: monotone */
                M[j + i * N] = -entry;
            }
            z[i] = i < FREE ? check_normal(&random) : fmax(0.0, check_normal(&random));
        }
        for (int i = 0; i < N; i++) { /* solvable by construction */
            q[i] = i >= FREE && z[i] == 0.0 ? 1.0 : 0.0;
            for (int j = 0; j < N; j++) q[i] -= M[i + j * N] * z[j];
        }
        tp_set sets[2] = {tp_set_free(FREE), tp_set_orthant(PAIRS)};
        tp_report report = run(N, M, q, 2, sets, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.error <= 1e-12);
    }
}

TEST(random_monotone_problems_of_all_kinds_are_solved)
{
    check_random random = {52};
    for (int trial = 0; trial < 100; trial++) {
        enum { N = 30 };
        static double M[N * N], B[N * N];
        double q[N], P[N] = {0};
        int rank = trial % 2 == 0 ? N : N - 6;
        for (int i = 0; i < N * N; i++) B[i] = check_normal(&random);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                M[i + j * N] = 0.0;
                for (int k = 0; k < rank; k++) M[i + j * N] += B[i + k * N] * B[j + k * N];
            }
        /* q in the range of M plus admissible velocities: solvable. */
        double z[N];
        for (int i = 0; i < N; i++) z[i] = check_normal(&random);
        for (int i = 0; i < N; i++) {
            q[i] = 0.0;
            for (int j = 0; j < N; j++) q[i] -= M[i + j * N] * z[j];
        }
        tp_set sets[8] = {tp_set_free(4), tp_set_orthant(20)};
        for (int k = 2; k < 8; k++) sets[k] = tp_set_interval(-0.5, k % 2 ? 0.5 : 2.0);
        tp_report report = run(N, M, q, 8, sets, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.error <= 1e-12);
    }
}

/* Newton alone converges fast near a solution that is strictly complementary. */
TEST(newton_converges_in_few_steps_from_nearby)
{
    check_random random = {53};
    enum { N = 10 };
    tp_stack stack;
    tp_stack_init(&stack, tp_allocator_default());
    for (int trial = 0; trial < 50; trial++) {
        tp_box_problem box;
        double z[N], exact[N];
        CHECK_INT(tp_box_take(&box, N, &stack), TP_OK);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) box.M[i + j * N] = (i == j ? 5.0 : 0.0) + 0.3 * check_normal(&random);
        for (int i = 0; i < N; i++) {
            box.lower[i] = 0.0;
            exact[i] = i % 2 == 0 ? check_uniform(&random, 1, 2) : 0.0;
        }
        for (int i = 0; i < N; i++) {
            box.q[i] = i % 2 == 0 ? 0.0 : check_uniform(&random, 1, 2);
            for (int j = 0; j < N; j++) box.q[i] -= box.M[i + j * N] * exact[j];
            z[i] = exact[i] + 0.1;
        }
        tp_box_measure(&box);
        int iterations = 0;
        tp_box_newton_options options = {1e-14, 50, 0.0};
        CHECK(tp_box_newton(&box, &options, &stack, z, &iterations) <= 1e-14);
        CHECK(iterations <= 8);
        for (int i = 0; i < N; i++) CHECK_NEAR(z[i], exact[i], 1e-13);
    }
    tp_stack_clear(&stack);
}

/* Claim: on small problems the answer is complete, also far from monotone: a solution, or infeasible. */
TEST(small_problems_of_any_kind_are_decided)
{
    check_random random = {54};
    int solved = 0, excluded = 0;
    for (int trial = 0; trial < 300; trial++) {
        enum { N = 8 };
        double M[N * N], q[N], P[N] = {0}, all[N] = {0};
        for (int i = 0; i < N * N; i++) M[i] = check_normal(&random) + (i % (N + 1) == 0 ? 0.5 : 0.0);
        for (int i = 0; i < N; i++) q[i] = check_normal(&random);
        tp_set sets[3] = {tp_set_orthant(5), tp_set_free(2), tp_set_interval(-1, 1)};
        tp_problem *problem = dense_problem(N, M, q, 3, sets);
        tp_report report = dense_solve(&tp_solver_mlcp, problem, NULL, P);
        tp_report complete = dense_solve(&tp_solver_enumeration, problem, NULL, all);
        CHECK_INT(report.status, complete.status);
        CHECK(report.status == TP_INFEASIBLE || report.error <= 1e-8);
        solved += report.status == TP_OK;
        excluded += report.status == TP_INFEASIBLE;
        tp_problem_free(problem);
    }
    CHECK(solved > 50 && excluded > 50);
    CHECK_INT(solved + excluded, 300);
}

TEST(an_empty_problem_is_solved)
{
    double P[1] = {0};
    tp_report report = run(0, NULL, NULL, 0, NULL, P);
    CHECK_INT(report.status, TP_OK);
}

TEST_MAIN(RUNS(a_resistor_capacitor_diode_step_has_its_known_answer),
          RUNS(a_relay_picks_its_side_or_the_interior), RUNS(circuits_without_any_diagonal_are_solved),
          RUNS(random_monotone_problems_of_all_kinds_are_solved),
          RUNS(newton_converges_in_few_steps_from_nearby), RUNS(small_problems_of_any_kind_are_decided),
          RUNS(an_empty_problem_is_solved))
