/* All exact solvers find the same motion; the relaxed laws tend to the exact one; theory/solvers.md. */
#include "problems.h"

static const char *const exact_solvers[] = {"auto",          "accelerated-gauss-seidel", "proximal-newton",
                                            "alart-curnier", "projected-gauss-seidel",   "de-saxce"};
enum { EXACT_SOLVERS = sizeof exact_solvers / sizeof exact_solvers[0] };

/* E <= 1e-13 bounds the velocity error: the problems are strongly monotone with constant 0.1 and |c| of order
   sqrt(rows), so the error of xi is at most cond(G) E |c| < 1e3 * 1e-13 * 6; the claim of 1e-10 has a wide
   margin. */
static void check_agreement(void **check_state_, int contacts, int problems, unsigned seed)
{
    check_random random = {seed};
    for (int trial = 0; trial < problems; trial++) {
        tp_problem *problem = random_contacts(&random, contacts, 0.1, 0.8);
        double reference[30], xi[30], P[30];
        for (int s = 0; s < EXACT_SOLVERS; s++) {
            tp_report report;
            tp_status status = solve_with(problem, exact_solvers[s], 1e-13, P, &report);
            if (status != TP_OK)
                print_error("%s: E = %g, %s\n", exact_solvers[s], report.error, report.reason);
            CHECK_INT(status, TP_OK);
            tp_problem_state(problem, P, NULL, s == 0 ? reference : xi);
            for (int k = 0; k < 3 * contacts && s > 0; k++) CHECK_NEAR(xi[k], reference[k], 1e-10);
        }
        tp_problem_free(problem);
    }
}

TEST(on_two_contacts_all_exact_solvers_agree)
{
    check_agreement(check_state_, 2, 30, 1);
}

TEST(on_four_contacts_all_exact_solvers_agree)
{
    check_agreement(check_state_, 4, 30, 2);
}

TEST(on_ten_contacts_all_exact_solvers_agree)
{
    check_agreement(check_state_, 10, 15, 3);
}

/* Iterations from the same point for all blocks converge where the step is short enough: relaxation 0.3 on
   four contacts. The problem is in global form, so that the Newton method on unknowns and impulses together
   can be compared too. */
TEST(jacobi_projected_newton_and_the_global_newton_find_the_same_motion)
{
    enum { CONTACTS = 4, ROWS = 3 * CONTACTS };
    static const char *const names[] = {"projected-jacobi", "projected-newton", "alart-curnier-global"};
    check_random random = {8};
    for (int trial = 0; trial < 10; trial++) {
        /* M x = f + A P with M = I and C = A^T gives G = A^T A + D, D = 0.1 I. */
        double M[ROWS * ROWS] = {0}, A[ROWS * ROWS], D[ROWS * ROWS] = {0}, f[ROWS], reference[ROWS], xi[ROWS],
                        P[ROWS];
        tp_set sets[CONTACTS];
        for (int k = 0; k < ROWS; k++) {
            M[k + k * ROWS] = 1.0;
            D[k + k * ROWS] = 0.1;
            f[k] = check_normal(&random);
        }
        for (int k = 0; k < ROWS * ROWS; k++) A[k] = check_normal(&random) / sqrt(ROWS);
        for (int i = 0; i < CONTACTS; i++) sets[i] = tp_set_coulomb(3, check_uniform(&random, 0.1, 0.6));
        tp_problem_def def = tp_problem_def_default();
        def.x_count = def.row_count = ROWS;
        def.set_count = CONTACTS;
        def.sets = sets;
        def.M = (tp_entries){ROWS, ROWS, ROWS * ROWS, NULL, NULL, M};
        def.A = (tp_entries){ROWS, ROWS, ROWS * ROWS, NULL, NULL, A};
        def.D = (tp_entries){ROWS, ROWS, ROWS * ROWS, NULL, NULL, D};
        def.f = f;
        tp_problem *problem = NULL;
        CHECK_INT(tp_problem_create(NULL, &def, &problem, NULL), TP_OK);
        tp_report report;
        CHECK_INT(solve_with(problem, "auto", 1e-13, P, &report), TP_OK);
        tp_problem_state(problem, P, NULL, reference);
        for (int s = 0; s < 3; s++) {
            tp_solver_options options = tp_solver_options_default();
            options.tolerance = 1e-13;
            options.relaxation = 0.3;
            tp_workspace *workspace;
            tp_workspace_create(NULL, &workspace);
            tp_status status = tp_solve(problem, names[s], &options, workspace, P, NULL, &report);
            tp_workspace_free(workspace);
            if (status != TP_OK) print_error("%s: E = %g, %s\n", names[s], report.error, report.reason);
            CHECK_INT(status, TP_OK);
            tp_problem_state(problem, P, NULL, xi);
            for (int k = 0; k < ROWS; k++) CHECK_NEAR(xi[k], reference[k], 1e-10);
        }
        tp_problem_free(problem);
    }
}

/* All cases of two contacts, each solved for itself, against the chain. */
TEST(enumeration_finds_the_same_motion)
{
    check_random random = {4};
    for (int trial = 0; trial < 10; trial++) {
        tp_problem *problem = random_contacts(&random, 2, 0.1, 0.8);
        double P[6], Q[6], xi[6], reference[6];
        tp_report report;
        CHECK_INT(solve_with(problem, "auto", 1e-13, P, &report), TP_OK);
        CHECK_INT(solve_with(problem, "enumeration", 1e-13, Q, &report), TP_OK);
        CHECK_INT(report.solution_count, 1);
        tp_problem_state(problem, P, NULL, reference);
        tp_problem_state(problem, Q, NULL, xi);
        for (int k = 0; k < 6; k++) CHECK_NEAR(xi[k], reference[k], 1e-10);
        tp_problem_free(problem);
    }
}

/* The epsilon family: |P_eps - P_0| = O(eps), and in slip xi_N = eps mu |xi_T|. */
TEST(the_relaxed_law_tends_to_coulombs_with_order_one)
{
    check_random random = {5};
    int slipping = 0;
    for (int trial = 0; trial < 20; trial++) {
        tp_problem *problem = random_contacts(&random, 2, 0.2, 0.6);
        double exact[6], relaxed[6], xi[6], distance[2];
        tp_report report;
        CHECK_INT(solve_with(problem, "auto", 1e-14, exact, &report), TP_OK);
        tp_solver_options options = tp_solver_options_default();
        options.tolerance = 1e-13;
        tp_workspace *workspace;
        tp_workspace_create(NULL, &workspace);
        for (int k = 0; k < 2; k++) {
            options.epsilon = k == 0 ? 1e-3 : 1e-4;
            tp_solve(problem, "convex", &options, workspace, relaxed, NULL, &report);
            distance[k] = 0.0;
            for (int i = 0; i < 6; i++) distance[k] = fmax(distance[k], fabs(relaxed[i] - exact[i]));
        }
        tp_workspace_free(workspace);
        tp_problem_state(problem, relaxed, NULL, xi);
        for (int i = 0; i < 2; i++) {
            const double *p = relaxed + 3 * i, *v = xi + 3 * i, mu = problem->sets[i].parameter[0];
            double slip = hypot(v[1], v[2]);
            if (p[0] > 1e-6 && slip > 1e-6 && fabs(hypot(p[1], p[2]) - mu * p[0]) < 1e-9) {
                CHECK_NEAR(v[0], 1e-4 * mu * slip, 1e-10);
                slipping++;
            }
        }
        if (distance[0] > 1e-9)
            CHECK_NEAR(distance[0] / distance[1], 10.0, 0.5); /* order 1, next term eps relative */
        tp_problem_free(problem);
    }
    CHECK(slipping > 5);
}

TEST_MAIN(RUNS(on_two_contacts_all_exact_solvers_agree), RUNS(on_four_contacts_all_exact_solvers_agree),
          RUNS(on_ten_contacts_all_exact_solvers_agree),
          RUNS(jacobi_projected_newton_and_the_global_newton_find_the_same_motion),
          RUNS(enumeration_finds_the_same_motion), RUNS(the_relaxed_law_tends_to_coulombs_with_order_one))
