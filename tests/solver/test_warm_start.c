/* Guesses: the answer is its own best guess, a bad one does no harm. */
#include "every_solver.h"

/* Solvers that iterate from the given point; the pivoting ones start where they must. */
static const char *const iterative[] = {"auto",
                                        "accelerated-gauss-seidel",
                                        "proximal-newton",
                                        "projected-jacobi",
                                        "projected-gauss-seidel",
                                        "projected-newton",
                                        "alart-curnier",
                                        "alart-curnier-global",
                                        "de-saxce"};
enum { ITERATIVE = sizeof iterative / sizeof iterative[0] };

TEST(from_its_own_answer_no_solver_iterates)
{
    tp_problem *problems[SUITABLE];
    suitable_problems(3, problems);
    tp_workspace *workspace;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    int tried = 0;
    for (int s = 0; s < (int)ITERATIVE; s++) {
        for (int k = 0; k < SUITABLE; k++) {
            double P[SUITABLE_ROWS] = {0}, before[SUITABLE_ROWS];
            tp_solver_options options = tp_solver_options_default();
            tp_report report;
            options.max_iterations = 5000;
            tp_status status = tp_solve(problems[k], iterative[s], &options, workspace, P, NULL, &report);
            if (status != TP_OK)
                continue; /* not accepted, or Jacobi on rows that are not dominated by blocks */
            memcpy(before, P, sizeof P);
            /* auto stops at 0.95 of the tolerance: leave it that room */
            options.tolerance = 1.1 * fmax(report.error, 1e-8);
            options.warm_start = true;
            CHECK_INT(tp_solve(problems[k], iterative[s], &options, workspace, P, NULL, &report), TP_OK);
            if (report.iterations != 0) print_error("%s on problem %d\n", iterative[s], k);
            CHECK_INT(report.iterations, 0);
            for (int i = 0; i < problems[k]->row_count; i++)
                CHECK_NEAR(P[i], before[i], 1e-15 * (1.0 + fabs(before[i])));
            tried++;
        }
    }
    CHECK(tried >= 35);
    tp_workspace_free(workspace);
    for (int k = 0; k < SUITABLE; k++) tp_problem_free(problems[k]);
}

TEST(a_guess_that_is_not_finite_is_no_guess)
{
    check_random random = {4};
    tp_problem *problem = random_contacts(&random, 6, 0.1, 0.8);
    tp_workspace *workspace;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    for (int s = 0; s < tp_solver_count(); s++) {
        double cold[SUITABLE_ROWS] = {0}, warm[SUITABLE_ROWS];
        const char *name = tp_solver_info_at(s)->name;
        tp_solver_options options = tp_solver_options_default();
        tp_report report;
        if (tp_solve(problem, name, &options, workspace, cold, NULL, &report) == TP_UNSUPPORTED) continue;
        for (int k = 0; k < SUITABLE_ROWS; k++) warm[k] = k == 4 ? NAN : 7.0;
        options.warm_start = true;
        tp_status status = tp_solve(problem, name, &options, workspace, warm, NULL, &report);
        CHECK(status == TP_OK || !tp_solver_info_at(s)->is_exact);
        for (int k = 0; k < problem->row_count; k++) CHECK(warm[k] == cold[k] || name[0] == 'a');
        for (int k = 0; k < problem->row_count; k++) CHECK(isfinite(warm[k]));
    }
    tp_workspace_free(workspace);
    tp_problem_free(problem);
}

/* Without warm_start what stands in P is ignored: same bits. */
TEST(a_cold_start_does_not_look_at_P)
{
    tp_problem *problems[SUITABLE];
    suitable_problems(6, problems);
    tp_workspace *workspace;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    for (int s = 0; s < tp_solver_count(); s++) {
        for (int k = 0; k < SUITABLE; k++) {
            double clean[SUITABLE_ROWS] = {0}, dirty[SUITABLE_ROWS];
            tp_solver_options options = tp_solver_options_default();
            tp_report report;
            options.max_iterations = 500;
            for (int i = 0; i < SUITABLE_ROWS; i++) dirty[i] = 3.0 - i;
            const char *name = tp_solver_info_at(s)->name;
            if (tp_solve(problems[k], name, &options, workspace, clean, NULL, &report) == TP_UNSUPPORTED)
                continue;
            tp_solve(problems[k], name, &options, workspace, dirty, NULL, &report);
            for (int i = 0; i < problems[k]->row_count; i++) CHECK(clean[i] == dirty[i]);
        }
    }
    tp_workspace_free(workspace);
    for (int k = 0; k < SUITABLE; k++) tp_problem_free(problems[k]);
}

/* A guess from next door: the answer of a problem with slightly other c. */
TEST(a_good_guess_saves_sweeps_and_a_bad_one_does_no_harm)
{
    check_random random = {5};
    int cold = 0, warm = 0;
    for (int trial = 0; trial < 20; trial++) {
        tp_problem *problem = random_contacts(&random, 10, 0.1, 0.6);
        double P[SUITABLE_ROWS] = {0}, guess[SUITABLE_ROWS];
        tp_workspace *workspace;
        tp_solver_options options = tp_solver_options_default();
        tp_report report;
        tp_workspace_create(NULL, &workspace);
        CHECK_INT(tp_solve(problem, NULL, &options, workspace, P, NULL, &report), TP_OK);
        cold += report.iterations;
        for (int k = 0; k < 30; k++) {
            problem->b[k] += 1e-5 * check_normal(&random);
            guess[k] = 1e3 * check_normal(&random);
        }
        options.warm_start = true;
        CHECK_INT(tp_solve(problem, NULL, &options, workspace, P, NULL, &report), TP_OK);
        warm += report.iterations;
        CHECK_INT(tp_solve(problem, NULL, &options, workspace, guess, NULL, &report), TP_OK);
        tp_workspace_free(workspace);
        tp_problem_free(problem);
    }
    CHECK(warm < cold);
}

TEST_MAIN(RUNS(from_its_own_answer_no_solver_iterates), RUNS(a_guess_that_is_not_finite_is_no_guess),
          RUNS(a_cold_start_does_not_look_at_P), RUNS(a_good_guess_saves_sweeps_and_a_bad_one_does_no_harm))
