/* Proofs that there is no solution: found where they exist, never where a solution exists;
   docs/theory/pivoting.md (19)-(23). */
#include "dense_problem.h"
#include "solver/infeasible/farkas.h"
#include "solver/infeasible/linear_program.h"

static bool proof_of(const tp_problem *problem, double *y)
{
    tp_stack stack;
    tp_local local;
    tp_stack_init(&stack, tp_allocator_default());
    bool is_found = tp_local_form(problem, &stack, &local) == TP_OK && tp_kinematic_proof(&local, &stack, y);
    tp_stack_clear(&stack);
    return is_found;
}

TEST(the_perturbed_isolated_solution_is_named_infeasible)
{
    /* w_0 = -z_1 - z_2 - 1e-4 < 0 for every z >= 0. */
    const double M[9] = {0, 1, 0, -1, 0, 0, -1, 0, 0}, q[3] = {-1e-4, -1, 1};
    tp_set set = tp_set_orthant(3);
    tp_problem *problem = dense_problem(3, M, q, 1, &set);
    const tp_solver *const solvers[] = {&tp_solver_lemke, &tp_solver_mlcp, &tp_solver_enumeration};
    for (int k = 0; k < 3; k++) {
        double P[3] = {0, 0, 0};
        tp_report report = dense_solve(solvers[k], problem, NULL, P);
        CHECK_INT(report.status, TP_INFEASIBLE);
        CHECK(strstr(report.reason, "rows 0") != NULL);
    }
    tp_problem_free(problem);
}

TEST(a_body_crushed_between_two_contacts_is_named_infeasible)
{
    /* u_N1 + u_N2 = -2 for every impulse. */
    const double G[36] = {1,  0, 0, -1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1,  0, 0, -1,
                          -1, 0, 0, 1,  0, 0, 0, 1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1};
    const double c[6] = {-1, 0.3, 0, -1, 0.3, 0};
    tp_set sets[2] = {tp_set_coulomb(3, 0.5), tp_set_coulomb(3, 0.5)};
    tp_problem *problem = dense_problem(6, G, c, 2, sets);
    double y[6];
    CHECK(proof_of(problem, y));
    CHECK(y[0] > 0.0);
    CHECK_NEAR(y[3], y[0], 1e-14 * y[0]);
    for (int i = 0; i < 6; i++)
        if (i % 3 != 0) CHECK_NEAR(y[i], 0.0, 0.0);
    double P[6] = {0};
    CHECK_INT(dense_solve(&tp_solver_enumeration, problem, NULL, P).status, TP_INFEASIBLE);
    CHECK_INT(dense_solve(&tp_solver_faceted, problem, NULL, P).status, TP_INFEASIBLE);
    tp_problem_free(problem);

    /* The same two contacts moving apart have a solution and no proof. */
    const double apart[6] = {1, 0.3, 0, -1, 0.3, 0};
    problem = dense_problem(6, G, apart, 2, sets);
    CHECK(!proof_of(problem, y));
    tp_problem_free(problem);
}

TEST(contradicting_joints_are_named_infeasible)
{
    const double M[4] = {1, 1, 1, 1}, q[2] = {-1, -2};
    tp_set set = tp_set_free(2);
    tp_problem *problem = dense_problem(2, M, q, 1, &set);
    double P[2] = {0, 0};
    CHECK_INT(dense_solve(&tp_solver_lemke, problem, NULL, P).status, TP_INFEASIBLE);
    CHECK_INT(dense_solve(&tp_solver_mlcp, problem, NULL, P).status, TP_INFEASIBLE);
    tp_problem_free(problem);
}

/* A motor with limited force can not hold: its interval pays for the proof exactly. */
TEST(a_bounded_force_enters_with_its_bound)
{
    for (int k = 0; k < 2; k++) {
        /* joint xi_0 = P_1 - load, motor P_1 in [-1, 1]. */
        const double M[4] = {0, 1, 1, 1}, q[2] = {k == 0 ? -1.5 : -0.5, 0};
        tp_set sets[2] = {tp_set_free(1), tp_set_interval(-1, 1)};
        tp_problem *problem = dense_problem(2, M, q, 2, sets);
        double y[2], P[2] = {0, 0};
        CHECK_INT(proof_of(problem, y), k == 0);
        CHECK_INT(dense_solve(&tp_solver_mlcp, problem, NULL, P).status, k == 0 ? TP_INFEASIBLE : TP_OK);
        tp_problem_free(problem);
    }
}

TEST(no_proof_is_given_for_problems_with_a_solution)
{
    check_random random = {31};
    for (int trial = 0; trial < 300; trial++) {
        enum { N = 9 };
        double M[N * N], q[N], z[N], y[N];
        for (int i = 0; i < N * N; i++) M[i] = check_normal(&random);
        for (int i = 0; i < N; i++) z[i] = fmax(0.0, check_normal(&random));
        for (int i = 0; i < N; i++) { /* q such that z with w = 0 or more is a feasible point */
            q[i] = z[i] > 0.0 ? 0.0 : fabs(check_normal(&random));
            for (int j = 0; j < N; j++) q[i] -= M[i + j * N] * z[j];
        }
        tp_set set = tp_set_orthant(N);
        tp_problem *problem = dense_problem(N, M, q, 1, &set);
        CHECK(!proof_of(problem, y));
        tp_problem_free(problem);
    }
}

TEST(random_infeasible_problems_get_a_proof_that_checks)
{
    check_random random = {32};
    for (int trial = 0; trial < 200; trial++) {
        enum { N = 8 };
        double M[N * N], q[N], hidden[N], y[N];
        for (int i = 0; i < N; i++) hidden[i] = fmax(0.0, check_normal(&random)) + (i == 0 ? 0.1 : 0.0);
        for (int j = 0; j < N; j++) { /* columns pushed until hidden.M_j <= 0 */
            double dot = 0.0, square = 0.0;
            for (int i = 0; i < N; i++) M[i + j * N] = check_normal(&random);
            for (int i = 0; i < N; i++) dot += hidden[i] * M[i + j * N], square += hidden[i] * hidden[i];
            for (int i = 0; i < N && dot > 0.0; i++) M[i + j * N] -= (dot / square + 0.01) * hidden[i];
        }
        double dot = 0.0;
        for (int i = 0; i < N; i++) q[i] = check_normal(&random), dot += hidden[i] * q[i];
        for (int i = 0; i < N && dot > 0.0; i++) q[i] = -q[i];
        tp_set set = tp_set_orthant(N);
        tp_problem *problem = dense_problem(N, M, q, 1, &set);
        CHECK(proof_of(problem, y));
        double value = 0.0;
        for (int i = 0; i < N; i++) value += y[i] * q[i];
        CHECK(value < 0.0);
        for (int j = 0; j < N; j++) {
            double v = 0.0, size = 0.0;
            for (int i = 0; i < N; i++) v += M[i + j * N] * y[i], size += fabs(M[i + j * N] * y[i]);
            CHECK(v <= 1e-12 * size);
        }
        tp_problem_free(problem);
    }
}

/* Beale's example cycles under the largest-coefficient rule with bad ties; here it must end. */
TEST(the_linear_programme_ends_on_degenerate_data)
{
    tp_stack stack;
    tp_stack_init(&stack, tp_allocator_default());
    const double A[12] = {0.25, 0.5, 0, -60, -90, 0, -0.04, -0.02, 1, 9, 3, 0}, b[3] = {0, 0, 1};
    double x[4];
    CHECK(tp_linear_feasible_point(3, 4, A, b, &stack, x));
    for (int i = 0; i < 3; i++) {
        double sum = -b[i];
        for (int j = 0; j < 4; j++) sum += A[i + 3 * j] * x[j];
        CHECK_NEAR(sum, 0.0, 1e-12);
    }
    const double bad[3] = {0, 0, -1}, one[1] = {1};
    CHECK(!tp_linear_feasible_point(1, 1, &bad[2], one, &stack, x)); /* -x = 1 */
    tp_stack_clear(&stack);
}

TEST_MAIN(RUNS(the_perturbed_isolated_solution_is_named_infeasible),
          RUNS(a_body_crushed_between_two_contacts_is_named_infeasible),
          RUNS(contradicting_joints_are_named_infeasible), RUNS(a_bounded_force_enters_with_its_bound),
          RUNS(no_proof_is_given_for_problems_with_a_solution),
          RUNS(random_infeasible_problems_get_a_proof_that_checks),
          RUNS(the_linear_programme_ends_on_degenerate_data))
