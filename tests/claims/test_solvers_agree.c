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

/* ---- many random problems; tests/long solves 1,000 of them ---- */

#ifndef AGREE_PROBLEMS
#define AGREE_PROBLEMS 40
#endif

typedef struct tally {
    int solved, other, unsolved; /* answers; of them at another solution; without one */
} tally;

/* One problem by all exact solvers. An answer at another point than the first one must be a solution by its
   residual; such cases and those without an answer are listed. */
static void compare_solvers(const tp_problem *problem, int number, double friction, tally *t)
{
    static const char *const names[] = {"auto",          "accelerated-gauss-seidel", "proximal-newton",
                                        "alart-curnier", "projected-gauss-seidel",   "de-saxce",
                                        "enumeration"};
    double reference[30], xi[30], P[30];
    bool has_reference = false;
    int solvers = problem->set_count <= 2 ? 7 : 6; /* all cases of few contacts */
    for (int s = 0; s < solvers; s++) {
        tp_report report;
        if (solve_with(problem, names[s], 1e-13, P, &report) != TP_OK) {
            print_message("problem %d, %d contacts, friction up to %g: %s has E = %.1e\n", number,
                          problem->set_count, friction, names[s], report.error);
            t->unsolved++;
            continue;
        }
        tp_residual residual;
        if (tp_problem_error(problem, P, &residual) != TP_OK || !(residual.error <= 1e-12))
            fail_msg("problem %d: %s says it has solved it, with E = %g", number, names[s], residual.error);
        t->solved++;
        tp_problem_state(problem, P, NULL, has_reference ? xi : reference);
        double off = 0.0;
        for (int k = 0; k < problem->row_count && has_reference; k++)
            off = fmax(off, fabs(xi[k] - reference[k]));
        has_reference = true;
        if (off <= 1e-8) continue;
        t->other++;
        print_message("problem %d, %d contacts, friction up to %g: %s is at another solution (%.2g away)\n",
                      number, problem->set_count, friction, names[s], off);
    }
}

/* Claim: with friction up to 1 all exact solvers find the same motion to 1e-8, and every one has an answer;
   rare exceptions are listed: at most one in a hundred, and all of them are solutions. */
TEST(exact_solvers_agree_on_random_problems_with_friction_up_to_one)
{
    check_random random = {2027};
    tally t = {0};
    for (int k = 0; k < AGREE_PROBLEMS; k++) {
        tp_problem *problem = random_contacts(&random, k % 10 + 1, 0.1, 1.0);
        compare_solvers(problem, k, 1.0, &t);
        tp_problem_free(problem);
    }
    print_message("friction up to 1: %d problems, %d answers, %d at another solution, %d without one\n",
                  AGREE_PROBLEMS, t.solved, t.other, t.unsolved);
    CHECK(100 * (t.other + t.unsolved) <= t.solved);
}

/* Above 1 the residual decides: `auto` has an answer to every problem, others may have none, and where they
   differ all are solutions. */
TEST(answers_are_solutions_whatever_the_friction)
{
    check_random random = {2028};
    tally t = {0};
    for (int k = 0; k < AGREE_PROBLEMS / 10; k++) {
        tp_problem *problem = random_contacts(&random, k % 4 + 1, 1.0, 3.0);
        double P[30];
        tp_report report;
        CHECK_INT(solve_with(problem, "auto", 1e-13, P, &report), TP_OK);
        compare_solvers(problem, k, 3.0, &t);
        tp_problem_free(problem);
    }
    print_message("friction 1 to 3: %d problems, %d answers, %d at another solution, %d without one\n",
                  AGREE_PROBLEMS / 10, t.solved, t.other, t.unsolved);
    CHECK(t.solved > 4 * (AGREE_PROBLEMS / 10));
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

TEST_MAIN(RUNS(exact_solvers_agree_on_random_problems_with_friction_up_to_one),
          RUNS(answers_are_solutions_whatever_the_friction), RUNS(on_two_contacts_all_exact_solvers_agree),
          RUNS(on_four_contacts_all_exact_solvers_agree), RUNS(on_ten_contacts_all_exact_solvers_agree),
          RUNS(jacobi_projected_newton_and_the_global_newton_find_the_same_motion),
          RUNS(enumeration_finds_the_same_motion), RUNS(the_relaxed_law_tends_to_coulombs_with_order_one))
