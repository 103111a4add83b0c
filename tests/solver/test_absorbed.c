/* Joints as unknowns against elimination of x, and where they stay what they are; theory/problems.md
   (12)-(17). */
#include "count_allocations.h"
#include "mechanism_problems.h"
#include "problem/absorb.h"
#include "solver/absorbed.h"

enum { SEEDS = 6 };

static double largest(int n, const double *v)
{
    double size = 0.0;
    for (int k = 0; k < n; k++) size = fmax(size, fabs(v[k]));
    return size;
}

static double distance(int n, const double *a, const double *b)
{
    double size = 0.0;
    for (int k = 0; k < n; k++) size = fmax(size, fabs(a[k] - b[k]));
    return size;
}

/* Rows that would be absorbed, and whether M' is regular; TP_OK without rows as well. */
static tp_status absorb(const tp_problem *problem, int *count_out, unsigned char *choice)
{
    tp_stack stack;
    tp_absorbed absorbed;
    tp_stack_init(&stack, tp_allocator_default());
    tp_status status = tp_absorb_choose(problem, &stack, choice, count_out);
    if (status == TP_OK && *count_out > 0) status = tp_absorb(problem, choice, &stack, &absorbed);
    tp_stack_clear(&stack);
    return status;
}

/* P and x of the problem, and of the same problem in local form, whose G is dense: the other way. */
typedef struct two_ways {
    double *P, *x, *P_local, *x_local;
    tp_report report, report_local;
} two_ways;

static two_ways solve_both(const tp_problem *problem)
{
    two_ways both;
    size_t rows = (size_t)problem->row_count, n = (size_t)problem->x_count;
    both.P = calloc(rows, sizeof(double)), both.P_local = calloc(rows, sizeof(double));
    both.x = calloc(n, sizeof(double)), both.x_local = calloc(n, sizeof(double));
    tp_workspace *workspace;
    tp_solver_options options = tp_solver_options_default();
    tp_problem *local;
    tp_message why;
    options.tolerance = 2e-15;
    options.floor_factor = 2.0;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    if (tp_problem_reduce(NULL, problem, &local, &why) != TP_OK) fail_msg("%s", why.text);
    tp_solve(problem, NULL, &options, workspace, both.P, both.x, &both.report);
    tp_solve(local, NULL, &options, workspace, both.P_local, NULL, &both.report_local);
    tp_problem_state(problem, both.P_local, both.x_local, NULL);
    tp_problem_free(local);
    tp_workspace_free(workspace);
    return both;
}

static void free_both(two_ways *both)
{
    free(both->P), free(both->P_local), free(both->x), free(both->x_local);
}

/* Does the method answer itself, or does it leave the problem to the other way? P [row_count] in: start. */
static bool is_answered(const tp_problem *problem, tp_absorbed_choice choice,
                        const tp_solver_options *options, double *P)
{
    tp_stack stack;
    tp_report report = {.status = TP_OK};
    tp_absorbed_answer answer;
    tp_stack_init(&stack, tp_allocator_default());
    tp_solve_call call = {.problem = problem, .options = options, .stack = &stack};
    tp_status status = tp_solve_absorbed(&call, choice, P, NULL, &report, &answer);
    tp_stack_clear(&stack);
    return status == TP_OK && answer.is_solved;
}

static bool is_solved_that_way(const tp_problem *problem)
{
    tp_solver_options options = tp_solver_options_default();
    double *P = calloc((size_t)problem->row_count, sizeof(double));
    bool is_solved = is_answered(problem, TP_ABSORB_LARGE, &options, P);
    free(P);
    return is_solved;
}

/* The condition of these mechanisms is below 1e3, errors of either way some eps: 1e-12 is far above both. */
static void check_both(void **check_state_, mechanism_kind kind, bool is_absorbed)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        check_random random = {seed};
        tp_problem *problem = random_mechanism(&random, kind);
        unsigned char choice[MOST_LAWS];
        int count = 0;
        CHECK_INT(absorb(problem, &count, choice), TP_OK);
        CHECK_INT(count > 0, is_absorbed);
        CHECK_INT(is_solved_that_way(problem), is_absorbed);
        two_ways both = solve_both(problem);
        CHECK_INT(both.report.status, TP_OK);
        CHECK_INT(both.report_local.status, TP_OK);
        CHECK_NEAR(distance(problem->row_count, both.P, both.P_local), 0.0,
                   1e-12 * largest(problem->row_count, both.P_local));
        CHECK_NEAR(distance(problem->x_count, both.x, both.x_local), 0.0,
                   1e-12 * largest(problem->x_count, both.x_local));
        tp_residual residual;
        CHECK_INT(tp_problem_error(problem, both.P, &residual), TP_OK);
        CHECK_NEAR(both.report.error, residual.error, 1e-14); /* the report told the truth */
        free_both(&both);
        tp_problem_free(problem);
    }
}

TEST(joints_of_a_chain_are_those_of_elimination)
{
    check_both(check_state_, (mechanism_kind){.bodies = 30, .is_chain = true}, true);
}

TEST(joints_of_a_tree_are_those_of_elimination)
{
    check_both(check_state_, (mechanism_kind){.bodies = 30}, true);
}

TEST(contacts_of_a_chain_are_those_of_elimination)
{
    check_both(check_state_, (mechanism_kind){.bodies = 25, .contacts = 6, .is_chain = true}, true);
}

TEST(contacts_limits_and_motors_of_a_tree_are_those_of_elimination)
{
    check_both(check_state_, (mechanism_kind){.bodies = 25, .contacts = 8, .has_limits = true}, true);
}

TEST(general_matrices_give_the_answers_of_elimination)
{
    mechanism_kind kind = {.bodies = 20, .contacts = 5, .has_limits = true, .is_general = true};
    check_both(check_state_, kind, true);
}

TEST(bodies_that_M_does_not_couple_are_eliminated)
{
    check_both(check_state_, (mechanism_kind){.bodies = 25, .contacts = 5, .is_uncoupled = true}, false);
}

TEST(a_joint_that_friction_follows_stays_a_law)
{
    mechanism_kind kind = {.bodies = 20, .contacts = 3, .follower_of_joint = 7};
    check_random random = {3};
    tp_problem *problem = random_mechanism(&random, kind);
    unsigned char choice[MOST_LAWS];
    int count = 0, left = 0;
    CHECK_INT(absorb(problem, &count, choice), TP_OK);
    CHECK_INT(count, (kind.bodies - 1) * JOINT_ROWS);
    const tp_set *follower = &problem->sets[problem->set_count - 1];
    CHECK_INT(follower->master_count, JOINT_ROWS);
    for (int i = 0; i < problem->set_count; i++) {
        if (problem->sets[i].kind != TP_SET_FREE || choice[i]) continue;
        CHECK_INT(problem->sets[i].first, follower->master);
        left++;
    }
    CHECK_INT(left, 1);
    tp_problem_free(problem);
    check_both(check_state_, kind, true);
}

/* Small mechanisms and bodies that M does not couple are left to elimination by the first choice, not by the
   second; tolerances as in check_both. */
TEST(all_joints_as_unknowns_give_the_answers_of_elimination)
{
    static const mechanism_kind kinds[] = {
        {.bodies = 3, .contacts = 4, .is_uncoupled = true},
        {.bodies = 6, .contacts = 5, .has_limits = true, .is_general = true},
        {.bodies = 8, .contacts = 3, .follower_of_joint = 4},
    };
    for (int k = 0; k < 3; k++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            check_random random = {seed};
            tp_problem *problem = random_mechanism(&random, kinds[k]);
            tp_solver_options options = tp_solver_options_default();
            options.tolerance = 2e-15;
            options.floor_factor = 2.0;
            double *P = calloc((size_t)problem->row_count, sizeof(double));
            CHECK(!is_answered(problem, TP_ABSORB_LARGE, &options, P));
            CHECK(is_answered(problem, TP_ABSORB_ALL, &options, P));
            two_ways both = solve_both(problem);
            CHECK_NEAR(distance(problem->row_count, P, both.P_local), 0.0,
                       1e-12 * largest(problem->row_count, both.P_local));
            free_both(&both);
            free(P);
            tp_problem_free(problem);
        }
    }
}

/* Nothing would be gained without other laws, and masters stay what they are. */
TEST(all_joints_are_chosen_only_beside_other_laws)
{
    static const mechanism_kind kinds[] = {
        {.bodies = 4, .is_chain = true},
        {.bodies = 4, .contacts = 2, .is_chain = true},
        {.bodies = 4, .contacts = 2, .is_chain = true, .follower_of_joint = 2},
    };
    static const int counts[] = {0, 4 * JOINT_ROWS, 3 * JOINT_ROWS};
    for (int k = 0; k < 3; k++) {
        check_random random = {4};
        tp_problem *problem = random_mechanism(&random, kinds[k]);
        unsigned char choice[MOST_LAWS];
        int count;
        tp_absorb_choose_all(problem, choice, &count);
        CHECK_INT(count, counts[k]);
        tp_problem_free(problem);
    }
}

/* Two equal joints share their reaction in any way; least norm halves it, up to eps / 1e-8 of the shift that
   finds it; theory/solvers.md. */
TEST(redundant_joints_have_reactions_of_least_norm_still)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        check_random random = {seed};
        tp_problem *problem = random_mechanism(&random, (mechanism_kind){.bodies = 20, .has_twin = true});
        unsigned char choice[MOST_LAWS];
        int count = 0, rows = problem->row_count;
        CHECK_INT(absorb(problem, &count, choice), TP_SINGULAR);
        CHECK(count > 0);
        CHECK(!is_solved_that_way(problem));
        double *P = calloc((size_t)rows, sizeof(double));
        tp_report report;
        CHECK_INT(solve_with(problem, NULL, 1e-12, P, &report), TP_OK);
        CHECK_NEAR(distance(JOINT_ROWS, P + rows - JOINT_ROWS, P + rows - 2 * JOINT_ROWS), 0.0,
                   1e-6 * largest(rows, P));
        free(P);
        tp_problem_free(problem);
    }
}

/* A body whose rows of M are zero, held by nothing else. */
TEST(a_singular_M_is_named_as_ever)
{
    check_random random = {5};
    tp_problem *problem = random_mechanism(&random, (mechanism_kind){.bodies = 20, .is_chain = true});
    for (int j = 0; j < problem->x_count; j++) {
        for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++)
            if (problem->M.index[k] == 8) problem->M.value[k] = 0.0;
    }
    double *P = calloc((size_t)problem->row_count, sizeof(double));
    tp_report report;
    CHECK_INT(solve_with(problem, NULL, 1e-12, P, &report), TP_INVALID_DATA);
    CHECK(strstr(report.reason, "singular") != NULL);
    free(P);
    tp_problem_free(problem);
}

/* A limit that nothing can satisfy: xi = -1 whatever P is. */
TEST(a_proof_that_there_is_no_answer_is_found_as_ever)
{
    check_random random = {6};
    mechanism_kind kind = {.bodies = 15, .contacts = 4, .has_limits = true, .is_chain = true};
    tp_problem *problem = random_mechanism(&random, kind);
    for (int i = 0; i < problem->set_count; i++) {
        if (problem->sets[i].kind != TP_SET_ORTHANT) continue;
        int row = problem->sets[i].first;
        for (int k = problem->A.start[row]; k < problem->A.start[row + 1]; k++) problem->A.value[k] = 0.0;
        problem->b[row] = -1.0;
    }
    double *P = calloc((size_t)problem->row_count, sizeof(double));
    tp_report report;
    CHECK_INT(solve_with(problem, NULL, 1e-10, P, &report), TP_INFEASIBLE);
    free(P);
    tp_problem_free(problem);
}

static double memory_of_chain(int bodies)
{
    check_random random = {12};
    tp_problem *problem = random_mechanism(&random, (mechanism_kind){.bodies = bodies, .is_chain = true});
    double *P = calloc((size_t)problem->row_count, sizeof(double));
    tp_report report;
    if (solve_with(problem, NULL, 1e-12, P, &report) != TP_OK) fail();
    free(P);
    tp_problem_free(problem);
    return (double)report.memory;
}

/* A dense G has four times as many entries for twice the bodies, and 8 (5 * 200)^2 bytes for 200 of them. */
TEST(twice_the_bodies_need_twice_the_memory)
{
    double small = memory_of_chain(100), large = memory_of_chain(200);
    CHECK(large < 2.5 * small);
    CHECK(large < 8.0 * 1000.0 * 1000.0);
}

#if defined(CAN_COUNT_ALLOCATIONS)
static void check_allocations(void **check_state_, mechanism_kind kind)
{
    check_random random = {9};
    tp_problem *problem = random_mechanism(&random, kind);
    double *P = calloc((size_t)problem->row_count, sizeof(double)),
           *x = calloc((size_t)problem->x_count, sizeof(double));
    tp_workspace *workspace;
    tp_report report;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    for (int solve = 0; solve < 4; solve++) {
        memset(P, 0, (size_t)problem->row_count * sizeof(double));
        allocation_count = 0;
        is_counting = 1;
        tp_solve(problem, NULL, NULL, workspace, P, x, &report);
        is_counting = 0;
        CHECK_INT(report.status, TP_OK);
        if (solve == 0) CHECK(allocation_count > 0);
        if (solve >= 2) CHECK_INT(allocation_count, 0);
    }
    tp_workspace_free(workspace);
    tp_problem_free(problem);
    free(P), free(x);
}

TEST(a_warm_solve_allocates_nothing)
{
    check_allocations(check_state_, (mechanism_kind){.bodies = 30, .is_chain = true});
    check_allocations(check_state_, (mechanism_kind){.bodies = 25, .contacts = 6});
    check_allocations(check_state_, (mechanism_kind){.bodies = 20, .has_twin = true});
}
#else
TEST(a_warm_solve_allocates_nothing)
{
    SKIP_WITHOUT_COUNTING;
}
#endif

TEST_MAIN(RUNS(joints_of_a_chain_are_those_of_elimination), RUNS(joints_of_a_tree_are_those_of_elimination),
          RUNS(contacts_of_a_chain_are_those_of_elimination),
          RUNS(contacts_limits_and_motors_of_a_tree_are_those_of_elimination),
          RUNS(general_matrices_give_the_answers_of_elimination),
          RUNS(bodies_that_M_does_not_couple_are_eliminated), RUNS(a_joint_that_friction_follows_stays_a_law),
          RUNS(all_joints_as_unknowns_give_the_answers_of_elimination),
          RUNS(all_joints_are_chosen_only_beside_other_laws),
          RUNS(redundant_joints_have_reactions_of_least_norm_still), RUNS(a_singular_M_is_named_as_ever),
          RUNS(a_proof_that_there_is_no_answer_is_found_as_ever),
          RUNS(twice_the_bodies_need_twice_the_memory), RUNS(a_warm_solve_allocates_nothing))
