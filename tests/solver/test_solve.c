/* The front door: options and laws are checked, and no solver is believed: the reported error is E of the
   answer, and TP_OK means that it is below the tolerance. */
#include "every_solver.h"

static tp_status solve_options(const tp_problem *problem, const char *name, const tp_solver_options *options,
                               tp_report *report)
{
    double P[SUITABLE_ROWS] = {0};
    tp_workspace *workspace;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    tp_status status = tp_solve(problem, name, options, workspace, P, NULL, report);
    tp_workspace_free(workspace);
    return status;
}

static void check_wrong(void **check_state_, const tp_solver_options *options, const char *part)
{
    check_random random = {1};
    tp_problem *problem = random_contacts(&random, 2, 0.1, 0.5);
    tp_report report;
    CHECK_INT(solve_options(problem, NULL, options, &report), TP_INVALID_ARGUMENT);
    CHECK_INT(report.status, TP_INVALID_ARGUMENT);
    if (strstr(report.reason, part) == NULL) print_error("'%s' lacks '%s'\n", report.reason, part);
    CHECK(strstr(report.reason, part) != NULL);
    tp_problem_free(problem);
}

TEST(wrong_options_are_named)
{
    tp_solver_options options;
#define WRONG(field, value, part)                                                                            \
    options = tp_solver_options_default();                                                                   \
    options.field = (value);                                                                                 \
    check_wrong(check_state_, &options, part)
    WRONG(tolerance, -1e-8, "tolerance");
    WRONG(tolerance, NAN, "tolerance");
    WRONG(max_iterations, -1, "iterations");
    WRONG(work_limit, -1.0, "work limit");
    WRONG(work_limit, NAN, "work limit");
    WRONG(relaxation, 0.0, "relaxation");
    WRONG(relaxation, 2.5, "relaxation");
    WRONG(relaxation, NAN, "relaxation");
    WRONG(facets, 0, "facets");
    WRONG(facets, 7, "facets");
    WRONG(facets, 5000, "facets");
    WRONG(epsilon, -0.1, "epsilon");
    WRONG(epsilon, 1.1, "epsilon");
    WRONG(epsilon, NAN, "epsilon");
#undef WRONG
}

TEST(an_unknown_solver_is_refused)
{
    check_random random = {2};
    tp_problem *problem = random_contacts(&random, 2, 0.1, 0.5);
    tp_report report;
    CHECK_INT(solve_options(problem, "newton-raphson", NULL, &report), TP_INVALID_ARGUMENT);
    CHECK(strstr(report.reason, "no solver of that name") != NULL);
    CHECK_INT(tp_solver_find("newton-raphson"), -1);
    CHECK(tp_solver_info_at(-1) == NULL && tp_solver_info_at(tp_solver_count()) == NULL);
    tp_problem_free(problem);
}

TEST(the_table_finds_every_solver_by_its_name)
{
    CHECK_INT(tp_solver_find("auto"), 0);
    for (int i = 0; i < tp_solver_count(); i++) {
        const tp_solver_info *info = tp_solver_info_at(i);
        CHECK_INT(tp_solver_find(info->name), i);
        CHECK(info->text != NULL && info->text[0] != '\0');
    }
    CHECK(!tp_solver_info_at(tp_solver_find("faceted"))->is_exact);
    CHECK(!tp_solver_info_at(tp_solver_find("convex"))->is_exact);
}

TEST(laws_that_a_solver_does_not_accept_are_named)
{
    check_random random = {3};
    tp_problem *problem = random_contacts(&random, 2, 0.1, 0.5);
    const char *const scalar[] = {"lemke", "mlcp"};
    for (int s = 0; s < 2; s++) {
        tp_report report;
        CHECK_INT(solve_options(problem, scalar[s], NULL, &report), TP_UNSUPPORTED);
        CHECK(strstr(report.reason, scalar[s]) != NULL);
        CHECK(strstr(report.reason, tp_set_kind_name(TP_SET_CONTACT)) != NULL);
    }
    tp_problem_free(problem);
}

/* Every solver on random problems of every form, exact laws and approximations alike. */
TEST(no_solver_is_believed)
{
    int answered = 0;
    tp_workspace *workspace;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    for (unsigned seed = 1; seed <= 12; seed++) {
        tp_problem *problems[SUITABLE];
        suitable_problems(seed, problems);
        for (int s = 0; s < tp_solver_count(); s++) {
            const tp_solver_info *info = tp_solver_info_at(s);
            for (int k = 0; k < SUITABLE; k++) {
                double P[SUITABLE_ROWS] = {0};
                tp_report report;
                double tolerance = seed % 3 == 0 ? 1e-4 : 1e-9;
                /* from the same point for all blocks: converges only where G is dominated by its blocks */
                bool is_jacobi = strcmp(info->name, "projected-jacobi") == 0 ||
                                 strcmp(info->name, "projected-newton") == 0;
                tp_solver_options options = tp_solver_options_default();
                options.tolerance = tolerance;
                if (is_jacobi) options.max_iterations = 500;
                tp_status status = tp_solve(problems[k], info->name, &options, workspace, P, NULL, &report);
                CHECK_INT(status, report.status);
                CHECK(strcmp(info->name, "auto") == 0
                          ? tp_solver_find(report.solver) >= 0 /* the link of the chain */
                          : strcmp(report.solver, info->name) == 0);
                CHECK(report.reason[0] != '\0');
                if (status == TP_UNSUPPORTED) continue;
                tp_residual residual;
                CHECK_INT(tp_problem_error(problems[k], P, &residual), TP_OK);
                /* both sum in their own order: rounding of G P + c, times the condition of M */
                CHECK_NEAR(report.error, residual.error, 1e-9 * residual.error + 1e-13);
                CHECK((status == TP_OK) == (report.error <= tolerance));
                if (status != TP_OK) CHECK_INT(status, TP_NOT_CONVERGED);
                if (info->is_exact && !is_jacobi && status != TP_OK)
                    print_error("%s on problem %d of seed %u: E = %g, %s\n", info->name, k, seed,
                                report.error, report.reason);
                if (info->is_exact && !is_jacobi) CHECK_INT(status, TP_OK);
                answered++;
            }
        }
        for (int k = 0; k < SUITABLE; k++) tp_problem_free(problems[k]);
    }
    tp_workspace_free(workspace);
    CHECK(answered > 500);
}

/* A tolerance of 0 cannot be reached but by luck: the chain must end, with the best point. */
TEST(asking_for_the_impossible_ends_with_the_best_point)
{
    check_random random = {7};
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = 0.0;
    options.work_limit = 1e7;
    for (int trial = 0; trial < 3; trial++) {
        tp_problem *problem = random_contacts(&random, 5, 0.2, 0.6);
        tp_report report;
        tp_status status = solve_options(problem, NULL, &options, &report);
        CHECK(status == TP_NOT_CONVERGED || status == TP_OK);
        CHECK(report.error < 1e-14);
        tp_problem_free(problem);
    }
}

TEST(limits_of_iterations_and_work_are_kept)
{
    check_random random = {8};
    tp_problem *problem = random_contacts(&random, 10, 0.2, 0.6);
    const char *const names[] = {"auto", "accelerated-gauss-seidel", "projected-jacobi",
                                 "projected-gauss-seidel"};
    for (int s = 0; s < 4; s++) {
        tp_solver_options options = tp_solver_options_default();
        tp_report report;
        options.tolerance = 1e-14;
        options.max_iterations = 3;
        CHECK_INT(solve_options(problem, names[s], &options, &report), TP_NOT_CONVERGED);
        CHECK(report.iterations <= 3);
    }
    tp_solver_options options = tp_solver_options_default();
    tp_report report;
    options.tolerance = 0.0;
    options.work_limit = 5000.0;
    solve_options(problem, "auto", &options, &report);
    /* the limit is looked at between proximal steps: up to 8 Newton steps of 0.04 n^3 + 4 blocks, and E */
    CHECK(report.work < 5000.0 + 8.0 * (0.04 * 27000.0 + 400.0) + 300.0);
    tp_problem_free(problem);
}

TEST(the_state_that_belongs_to_the_answer_is_returned)
{
    check_random random = {9};
    tp_problem *problem = random_global(&random, 5);
    double P[SUITABLE_ROWS] = {0}, x[40], expected[40];
    tp_workspace *workspace;
    tp_report report;
    tp_workspace_create(NULL, &workspace);
    CHECK_INT(tp_solve(problem, NULL, NULL, workspace, P, x, &report), TP_OK);
    CHECK(report.memory > 0);
    tp_problem_state(problem, P, expected, NULL);
    for (int k = 0; k < problem->x_count; k++) CHECK_NEAR(x[k], expected[k], 1e-15 * (1.0 + fabs(x[k])));
    tp_workspace_free(workspace);
    tp_problem_free(problem);
}

TEST(empty_problems_are_solved_by_everyone_who_accepts_them)
{
    tp_problem_def def = tp_problem_def_default();
    tp_problem *problem;
    CHECK_INT(tp_problem_create(NULL, &def, &problem, NULL), TP_OK);
    tp_report report;
    double P[1];
    CHECK_INT(solve_with(problem, "auto", 1e-8, P, &report), TP_OK);
    CHECK_NEAR(report.error, 0.0, 0.0);
    tp_problem_free(problem);
}

/* Masses of tons and forces of meganewtons: nothing in the chain may measure in absolute units. */
TEST(the_unit_of_mass_does_not_matter)
{
    const char *const names[] = {"auto", "projected-newton", "alart-curnier-global", "projected-jacobi"};
    for (int s = 0; s < 4; s++) {
        int iterations[2];
        for (int heavy = 0; heavy < 2; heavy++) {
            check_random random = {10};
            tp_problem *problem = random_global(&random, 4);
            double P[SUITABLE_ROWS] = {0};
            for (int k = 0; k < problem->M.start[problem->x_count]; k++)
                problem->M.value[k] *= heavy ? 1e9 : 1.0;
            for (int k = 0; k < problem->x_count; k++) problem->f[k] *= heavy ? 1e9 : 1.0;
            tp_report report;
            tp_status status = solve_with(problem, names[s], 1e-10, P, &report);
            if (status != TP_OK) print_error("%s: E = %g, %s\n", names[s], report.error, report.reason);
            CHECK_INT(status, TP_OK);
            iterations[heavy] = report.iterations;
            tp_problem_free(problem);
        }
        CHECK(abs(iterations[1] - iterations[0]) <= 2);
    }
}

/* A tolerance of 0 is out of reach, but no reason to call a problem infeasible that was solved to rounding.
 */
TEST(a_solvable_problem_is_never_called_infeasible_because_of_its_tolerance)
{
    check_random random = {77};
    for (int trial = 0; trial < 300; trial++) {
        enum { ROWS = 5 };
        double a[ROWS * ROWS], G[ROWS * ROWS], c[ROWS], P[ROWS];
        tp_set sets[ROWS];
        for (int k = 0; k < ROWS * ROWS; k++) a[k] = check_normal(&random);
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < ROWS; j++) {
                G[i + j * ROWS] = i == j ? 0.1 : 0.0;
                for (int k = 0; k < ROWS; k++) G[i + j * ROWS] += a[i + k * ROWS] * a[j + k * ROWS];
            }
            c[i] = check_normal(&random);
            sets[i] = i == 0 ? tp_set_free(1) : tp_set_orthant(1);
        }
        tp_problem *problem = make_local(ROWS, G, c, sets, ROWS);
        for (int s = 0; s < 2; s++) {
            tp_report report;
            tp_status status = solve_with(problem, s == 0 ? "auto" : "mlcp", 0.0, P, &report);
            CHECK(status != TP_INFEASIBLE);
            CHECK(report.error <= 1e-13);
        }
        tp_problem_free(problem);
    }
}

TEST(numbers_whose_squares_leave_the_range_are_refused_at_once)
{
    static const double sizes[] = {1e-300, 1e-200, 1e200, 1e-100, 1.0, 1e100};
    for (int k = 0; k < 6; k++) {
        double G[9] = {0}, P[3] = {0};
        const double c[3] = {-1.0, 0.3, 0.2};
        for (int i = 0; i < 3; i++) G[4 * i] = sizes[k];
        tp_set set = tp_set_coulomb(3, 0.5);
        tp_problem *problem = make_local(3, G, c, &set, 1);
        tp_report report;
        CHECK_INT(solve_with(problem, NULL, 1e-8, P, &report), k < 3 ? TP_NOT_CONVERGED : TP_OK);
        if (k < 3) CHECK(strstr(report.reason, "choose units") != NULL);
        if (k >= 3) CHECK_NEAR(P[0] * sizes[k], 1.0, 1e-7); /* the contact closes: G P_N = 1 */
        tp_problem_free(problem);
    }
}

TEST_MAIN(RUNS(numbers_whose_squares_leave_the_range_are_refused_at_once),
          RUNS(a_solvable_problem_is_never_called_infeasible_because_of_its_tolerance),
          RUNS(wrong_options_are_named), RUNS(an_unknown_solver_is_refused),
          RUNS(the_table_finds_every_solver_by_its_name), RUNS(laws_that_a_solver_does_not_accept_are_named),
          RUNS(no_solver_is_believed), RUNS(asking_for_the_impossible_ends_with_the_best_point),
          RUNS(limits_of_iterations_and_work_are_kept),
          RUNS(the_state_that_belongs_to_the_answer_is_returned),
          RUNS(empty_problems_are_solved_by_everyone_who_accepts_them),
          RUNS(the_unit_of_mass_does_not_matter))
