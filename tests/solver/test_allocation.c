/* A repeated solve allocates nothing: this program counts every call of the C library's allocator. */
#include "count_allocations.h"
#include "every_solver.h"

#if defined(CAN_COUNT_ALLOCATIONS)

/* Calls of the allocator in one solve. */
static int count_solve(const tp_problem *problem, const char *name, const tp_solver_options *options,
                       tp_workspace *workspace, tp_status *status_out)
{
    double P[SUITABLE_ROWS] = {0}, x[SUITABLE_ROWS + 10];
    tp_report report;
    allocation_count = 0;
    is_counting = 1;
    *status_out = tp_solve(problem, name, options, workspace, P, x, &report);
    is_counting = 0;
    return allocation_count;
}

TEST(the_counter_sees_allocations)
{
    check_random random = {1};
    tp_problem *problem = random_contacts(&random, 6, 0.1, 0.8);
    tp_workspace *workspace;
    tp_status status;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    CHECK(count_solve(problem, "auto", NULL, workspace, &status) > 0); /* the first solve takes its memory */
    tp_workspace_free(workspace);
    tp_problem_free(problem);
}

TEST(after_two_solves_no_solver_of_the_table_allocates)
{
    tp_problem *problems[SUITABLE];
    suitable_problems(5, problems);
    for (int s = 0; s < tp_solver_count(); s++) {
        const char *name = tp_solver_info_at(s)->name;
        int tried = 0;
        for (int k = 0; k < SUITABLE; k++) {
            tp_workspace *workspace;
            tp_solver_options options = tp_solver_options_default();
            tp_status status;
            options.max_iterations = 2000;
            CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
            for (int warm_up = 0; warm_up < 2; warm_up++)
                count_solve(problems[k], name, &options, workspace, &status);
            int count = count_solve(problems[k], name, &options, workspace, &status);
            if (count != 0) print_error("%s on problem %d: %d calls of the allocator\n", name, k, count);
            CHECK_INT(count, 0);
            tried += status != TP_UNSUPPORTED;
            tp_workspace_free(workspace);
        }
        if (tried == 0) print_error("%s accepted no problem\n", name);
        CHECK(tried > 0);
    }
    for (int k = 0; k < SUITABLE; k++) tp_problem_free(problems[k]);
}

/* The long way of the chain: sweeps, Newton steps and the search for a proof. */
TEST(a_solve_that_fails_allocates_nothing_either)
{
    double G[36] = {0}, c[6] = {-1, 0.2, 0, -1, 0, 0.1};
    for (int i = 0; i < 6; i++) G[7 * i] = 1.0;
    G[0 + 3 * 6] = G[3 + 0 * 6] = -1.0;
    tp_set sets[2] = {tp_set_coulomb(3, 0.4), tp_set_coulomb(3, 0.4)};
    check_random random = {6};
    tp_problem *problems[2] = {make_local(6, G, c, sets, 2), random_contacts(&random, 8, 0.2, 0.6)};
    for (int k = 0; k < 2; k++) {
        tp_workspace *workspace;
        tp_solver_options options = tp_solver_options_default();
        tp_status status;
        if (k == 1) options.tolerance = 0.0;
        options.work_limit = 1e6;
        CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
        for (int warm_up = 0; warm_up < 2; warm_up++)
            count_solve(problems[k], "auto", &options, workspace, &status);
        CHECK_INT(count_solve(problems[k], "auto", &options, workspace, &status), 0);
        if (k == 0) CHECK_INT(status, TP_INFEASIBLE);
        tp_workspace_free(workspace);
        tp_problem_free(problems[k]);
    }
}

/* Larger than what is solved densely: the sparse factorisation takes its memory from the stack too. */
TEST(sparse_newton_steps_allocate_nothing)
{
    enum { CONTACTS = 60, ROWS = 3 * CONTACTS };
    check_random random = {7};
    double *G = calloc(ROWS * ROWS, sizeof(double)), c[ROWS], *P = calloc(ROWS, sizeof(double));
    tp_set sets[CONTACTS];
    for (int i = 0; i < ROWS; i++) {
        c[i] = i % 3 == 0 ? -1.0 : 0.1 * check_normal(&random);
        for (int j = 0; j < ROWS; j++)
            if (abs(i / 3 - j / 3) <= 1) G[i + j * ROWS] = i == j ? 2.0 : 0.1 * check_normal(&random);
    }
    for (int i = 0; i < CONTACTS; i++) sets[i] = tp_set_coulomb(3, 0.5);
    tp_problem *problem = make_local(ROWS, G, c, sets, CONTACTS);
    tp_workspace *workspace;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    const char *const names[] = {"proximal-newton", "alart-curnier"};
    for (int s = 0; s < 2; s++) {
        tp_report report;
        for (int run = 0; run < 3; run++) {
            is_counting = run == 2;
            allocation_count = 0;
            tp_status status = tp_solve(problem, names[s], NULL, workspace, P, NULL, &report);
            is_counting = 0;
            CHECK_INT(status, TP_OK);
        }
        CHECK_INT(allocation_count, 0);
    }
    tp_workspace_free(workspace);
    tp_problem_free(problem);
    free(G), free(P);
}

#endif

COUNTING_TEST_MAIN(RUNS(the_counter_sees_allocations),
                   RUNS(after_two_solves_no_solver_of_the_table_allocates),
                   RUNS(a_solve_that_fails_allocates_nothing_either),
                   RUNS(sparse_newton_steps_allocate_nothing))
