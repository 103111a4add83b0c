/* Factors of M that the caller has: they are used for the same matrix, bit by bit, and for no other. */
#include "check.h"
#include "math/factor.h"
#include "solver/workspace.h"
#include "tippe/solver.h"

#include <string.h>

enum { N = 3 };

/* A mass whose velocities are coupled, pressed onto a plane and along it. */
static tp_problem *make_problem(void)
{
    static const double M[N * N] = {2.0, 0.5, 0.25, 0.5, 3.0, -0.5, 0.25, -0.5, 1.5},
                              A[N * N] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                              f[N] = {-3.0, 4.0, 1.0};
    tp_set contact = tp_set_coulomb(N, 0.4);
    tp_problem_def def = tp_problem_def_default();
    tp_problem *problem = NULL;
    tp_message why = {""};
    def.x_count = def.row_count = N;
    def.set_count = 1;
    def.sets = &contact;
    def.M = (tp_entries){.rows = N, .cols = N, .count = N * N, .value = M};
    def.A = (tp_entries){.rows = N, .cols = N, .count = N * N, .value = A};
    def.f = f;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    return problem;
}

/* x of a cold solve with what the workspace knows. */
static void solve(tp_workspace *workspace, const tp_problem *problem, tp_known_factors known, double *x)
{
    double P[N] = {0.0};
    tp_report report;
    workspace->known = known;
    assert_int_equal(tp_solve(problem, NULL, NULL, workspace, P, x, &report), TP_OK);
    assert_true(P[0] > 1.0); /* it is pressed */
}

TEST(factors_of_the_same_matrix_are_used_and_others_are_not)
{
    tp_problem *problem = make_problem();
    tp_workspace *workspace;
    tp_stack stack;
    tp_lu same, twice;
    double x[N], x_same[N], x_other[N], x_told[N];
    tp_sparse other = problem->M;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    tp_stack_init(&stack, NULL);
    other.value = TP_STACK_ARRAY(&stack, double, N *N);
    for (int k = 0; k < N * N; k++) other.value[k] = 2.0 * problem->M.value[k];
    CHECK_INT(tp_lu_factor(&stack, &problem->M, 0.1, NULL, &same), TP_OK);
    CHECK_INT(tp_lu_factor(&stack, &other, 0.1, NULL, &twice), TP_OK);
    solve(workspace, problem, (tp_known_factors){NULL, NULL}, x);
    solve(workspace, problem, (tp_known_factors){&problem->M, &same}, x_same);
    solve(workspace, problem, (tp_known_factors){&other, &twice}, x_other);
    CHECK_INT(memcmp(x_same, x, sizeof x), 0);
    CHECK_INT(memcmp(x_other, x, sizeof x), 0);
    /* who says that the factors of 2 M are those of M gets half of x */
    solve(workspace, problem, (tp_known_factors){&problem->M, &twice}, x_told);
    for (int k = 0; k < N; k++) CHECK_NEAR(x_told[k], 0.5 * x[k], 1e-15);
    tp_stack_clear(&stack);
    tp_workspace_free(workspace);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(factors_of_the_same_matrix_are_used_and_others_are_not))
