/* All exact solvers on a thousand random inclusions of one to six contacts with friction up to 1, and on some
   with more; docs/theory/solvers.md. Uniqueness is not guaranteed with friction: where two answers differ,
   both must be solutions by the residual, and the case is listed. */
#include "problems.h"

typedef struct inclusion_count {
    int answers, failures, different, unsolved; /* unsolved: failures of auto */
} inclusion_count;

/* Velocities of answers with E <= 1e-12: c is of order sqrt(rows), G has its condition below 1e3. */
static const double inclusion_agreement = 1e-8;

/* Blocks of projected-gauss-seidel are solved exactly: block Gauss-Seidel. */
static tp_status solve_exactly(const tp_problem *problem, const char *solver, double *P, tp_report *report)
{
    tp_solver_options options = tp_solver_options_default();
    tp_workspace *workspace;
    options.tolerance = 1e-12;
    options.exact_local = true;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    tp_status status = tp_solve(problem, solver, &options, workspace, P, NULL, report);
    tp_workspace_free(workspace);
    return status;
}

static inclusion_count compare_exact_solvers(int problems, double low, double high, unsigned seed)
{
    static const char *const names[] = {"auto",          "accelerated-gauss-seidel", "proximal-newton",
                                        "alart-curnier", "projected-gauss-seidel",   "de-saxce",
                                        "enumeration"};
    enum { SOLVERS = sizeof names / sizeof names[0], ROWS = 18 };
    check_random random = {seed};
    inclusion_count count = {0};
    for (int trial = 0; trial < problems; trial++) {
        int contacts = 1 + trial % 6;
        tp_problem *problem = random_contacts(&random, contacts, low, high);
        double first[ROWS], xi[ROWS], P[ROWS];
        bool has_first = false;
        for (int s = 0; s < SOLVERS; s++) {
            tp_report report;
            tp_residual residual;
            if (contacts > 2 && strcmp(names[s], "enumeration") == 0)
                continue; /* all cases of few contacts */
            tp_status status = solve_exactly(problem, names[s], P, &report);
            bool is_solved = status == TP_OK && tp_problem_error(problem, P, &residual) == TP_OK &&
                             residual.error <= 1e-12;
            count.answers += is_solved;
            if (!is_solved) {
                print_message("problem %d, %d contacts: %s: E = %.2g, %s\n", trial, contacts, names[s],
                              report.error, report.reason);
                count.failures++;
                count.unsolved += s == 0;
                continue;
            }
            tp_problem_state(problem, P, NULL, has_first ? xi : first);
            double off = 0.0;
            for (int k = 0; k < 3 * contacts && has_first; k++) off = fmax(off, fabs(xi[k] - first[k]));
            if (off > inclusion_agreement) {
                print_message("problem %d, %d contacts: %s has another solution, %.3g m/s off, E = %.2g\n",
                              trial, contacts, names[s], off, residual.error);
                count.different++;
            }
            has_first = true;
        }
        tp_problem_free(problem);
    }
    return count;
}

TEST(exact_solvers_agree_on_a_thousand_problems_with_friction_up_to_one)
{
    inclusion_count count = compare_exact_solvers(1000, 0.1, 1.0, 101);
    print_message("%d answers, %d failures, %d different\n", count.answers, count.failures, count.different);
    CHECK_INT(count.failures, 0);
}

/* With more friction iterations may fail and solutions differ: answers are judged by their residual, and auto
   solves all. */
TEST(with_more_friction_answers_are_solutions_and_differ_rarely)
{
    inclusion_count count = compare_exact_solvers(300, 1.0, 3.0, 102);
    print_message("%d answers, %d failures, %d different\n", count.answers, count.failures, count.different);
    CHECK_INT(count.unsolved, 0);
    CHECK(count.failures < 20 && count.different < 20);
}

TEST_MAIN(RUNS(exact_solvers_agree_on_a_thousand_problems_with_friction_up_to_one),
          RUNS(with_more_friction_answers_are_solutions_and_differ_rarely))
