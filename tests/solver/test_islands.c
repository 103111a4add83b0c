/* Islands: parts of a problem that share no unknown and no row; theory/problems.md (23). */
#include "problem/islands.h"
#include "problems.h"
#include "solver/island_memory.h"

#include <float.h>
#include <math.h>

/* Bodies of three velocities side by side, each with `contacts` spatial contacts of its own; the rows of the
   bodies alternate. Body k has mass k + 1. */
enum { BODIES = 3, CONTACTS = 2, ROWS = 3 * BODIES * CONTACTS, UNKNOWNS = 3 * (BODIES + 1) };

typedef struct scene {
    tp_problem *problem;
    double b[ROWS];
} scene;

static tp_status make_scene(scene *s, double squeezed)
{
    int row[9 * BODIES * CONTACTS], col[9 * BODIES * CONTACTS], place[UNKNOWNS], count = 0;
    double value[9 * BODIES * CONTACTS], mass[UNKNOWNS], f[UNKNOWNS];
    tp_set sets[BODIES * CONTACTS];
    check_random random = {7};
    for (int j = 0; j < UNKNOWNS; j++) { /* the last body touches nothing */
        place[j] = j;
        mass[j] = 1.0 + j / 3;
        f[j] = check_normal(&random);
    }
    for (int i = 0; i < BODIES * CONTACTS; i++) {
        int body = i % BODIES;
        sets[i] = tp_set_coulomb(3, 0.4);
        for (int k = 0; k < 9; k++) {
            row[count] = 3 * body + k / 3;
            col[count] = 3 * i + k % 3;
            value[count++] = k / 3 == k % 3 ? 1.0 : 0.2 * check_normal(&random);
        }
        for (int k = 0; k < 3; k++) s->b[3 * i + k] = k == 0 ? -1.0 - i : 0.3 * check_normal(&random);
    }
    if (squeezed > 0.0) { /* the contacts of body 1 push against each other along one line */
        for (int e = 0; e < count; e++) {
            int i = col[e] / 3;
            if (i % BODIES != 1) continue;
            value[e] = row[e] % 3 == 0 && col[e] % 3 == 0 ? (i < BODIES ? 1.0 : -1.0) : 0.0;
        }
        s->b[3] = s->b[12] = -squeezed;
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = UNKNOWNS;
    def.row_count = ROWS;
    def.set_count = BODIES * CONTACTS;
    def.sets = sets;
    def.M = (tp_entries){UNKNOWNS, UNKNOWNS, UNKNOWNS, place, place, mass};
    def.A = (tp_entries){UNKNOWNS, ROWS, count, row, col, value};
    def.f = f;
    def.b = s->b;
    tp_message why;
    return tp_problem_create(NULL, &def, &s->problem, &why);
}

typedef struct answer {
    double P[ROWS], x[UNKNOWNS];
    tp_report report;
} answer;

static tp_status solve(tp_workspace *workspace, const scene *s, const tp_solver_options *options, answer *a)
{
    return tp_solve(s->problem, NULL, options, workspace, a->P, a->x, &a->report);
}

static tp_workspace *make_workspace(void)
{
    tp_workspace *workspace;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    return workspace;
}

TEST(bodies_that_nothing_connects_are_islands)
{
    scene s;
    CHECK_INT(make_scene(&s, 0.0), TP_OK);
    tp_stack stack;
    tp_islands islands;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_islands_find(s.problem, NULL, &stack, &islands), TP_OK);
    CHECK_INT(islands.count, BODIES);
    for (int i = 0; i < s.problem->set_count; i++) CHECK_INT(islands.of_set[i], i % BODIES);
    for (int j = 0; j < UNKNOWNS; j++) CHECK_INT(islands.of_x[j], j / 3);
    tp_stack_clear(&stack);
    tp_problem_free(s.problem);
}

enum { CHAINS = 7, LINKS = 6000, MANY = CHAINS * LINKS };

/* Chains of unknowns whose links come in random order: threads join the same trees from many places at once.
   The class of an unknown, j % CHAINS, says which chain it is in. */
TEST(threads_find_the_same_islands)
{
    static int order[MANY], row[2 * MANY], col[2 * MANY], place[MANY];
    static double value[2 * MANY], mass[MANY], zero[MANY];
    static tp_set sets[MANY];
    check_random random = {5};
    for (int i = 0; i < MANY; i++) order[i] = place[i] = i;
    for (int i = MANY - 1; i > 0; i--) {
        int other = (int)check_uniform(&random, 0.0, i + 1.0), first = order[i];
        order[i] = order[other];
        order[other] = first;
    }
    for (int i = 0; i < MANY; i++) { /* the last link of a chain closes a ring */
        sets[i] = tp_set_orthant(1);
        mass[i] = 1.0;
        for (int k = 0; k < 2; k++) {
            row[2 * i + k] = (order[i] + k * CHAINS) % MANY;
            col[2 * i + k] = i;
            value[2 * i + k] = 1.0 - 2.0 * k;
        }
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = def.row_count = def.set_count = MANY;
    def.sets = sets;
    def.M = (tp_entries){MANY, MANY, MANY, place, place, mass};
    def.A = (tp_entries){MANY, MANY, 2 * MANY, row, col, value};
    def.f = def.b = zero;
    tp_problem *problem;
    tp_message why = {""};
    CHECK_INT(tp_problem_create(NULL, &def, &problem, &why), TP_OK);
    for (int threads = 1; threads <= 4; threads++) {
        tp_pool *pool;
        tp_stack stack;
        tp_islands islands;
        assert_int_equal(tp_pool_create(NULL, threads, &pool), TP_OK);
        tp_stack_init(&stack, NULL);
        CHECK_INT(tp_islands_find(problem, pool, &stack, &islands), TP_OK);
        CHECK_INT(islands.count, CHAINS);
        int number[CHAINS], next = 0; /* islands are numbered by their first sets */
        for (int c = 0; c < CHAINS; c++) number[c] = -1;
        for (int i = 0; i < MANY; i++) {
            int chain = order[i] % CHAINS;
            if (number[chain] < 0) number[chain] = next++;
            CHECK_INT(islands.of_set[i], number[chain]);
        }
        for (int j = 0; j < MANY; j++) CHECK_INT(islands.of_x[j], number[j % CHAINS]);
        tp_stack_clear(&stack);
        tp_pool_free(pool);
    }
    tp_problem_free(problem);
}

/* The rows of an island are those of the whole problem: xi(P) computed in it is the part of xi(P). */
TEST(an_island_is_the_same_problem)
{
    scene s;
    CHECK_INT(make_scene(&s, 0.0), TP_OK);
    tp_stack stack;
    tp_islands islands;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_islands_find(s.problem, NULL, &stack, &islands), TP_OK);
    check_random random = {8};
    double P[ROWS], xi[ROWS], part[ROWS], x[UNKNOWNS], x_part[UNKNOWNS];
    for (int k = 0; k < ROWS; k++) P[k] = check_normal(&random);
    CHECK_INT(tp_problem_state(s.problem, P, x, xi), TP_OK);
    for (int k = 0; k < BODIES; k++) {
        tp_island island;
        CHECK_INT(tp_island_take(s.problem, &islands, k, P, &stack, &island), TP_OK);
        CHECK_INT(island.problem.row_count, 3 * CONTACTS);
        CHECK_INT(island.problem.contact_count, CONTACTS);
        CHECK_INT(tp_problem_state(&island.problem, island.P, x_part, part), TP_OK);
        for (int r = 0; r < island.problem.row_count; r++) CHECK_NEAR(part[r], xi[island.row[r]], 0.0);
        for (int j = 0; j < 3; j++) CHECK_NEAR(x_part[j], x[3 * k + j], 0.0);
    }
    tp_stack_clear(&stack);
    tp_problem_free(s.problem);
}

/* Sets that follow the reaction of another set are in its island, and follow it there. */
TEST(masters_and_their_followers_stay_together)
{
    double G[16] = {[0] = 2.0, [5] = 1.0, [10] = 2.0, [15] = 1.0}, c[4] = {-1.0, 0.5, -4.0, 0.5}, P[4] = {0};
    tp_set sets[4] = {tp_set_free(1), tp_set_following(tp_set_ball(1, 0.3), 0, 1), tp_set_free(1),
                      tp_set_following(tp_set_ball(1, 0.3), 2, 1)};
    tp_problem *problem = make_local(4, G, c, sets, 4);
    tp_report report;
    CHECK_INT(solve_with(problem, NULL, 1e-10, P, &report), TP_OK);
    CHECK_INT(report.island_count, 2);
    /* reactions 0.5 and 2; friction -0.5 cut to 0.3 times the reaction where that is less */
    CHECK_NEAR(P[0], 0.5, 1e-10);
    CHECK_NEAR(P[1], -0.15, 1e-10);
    CHECK_NEAR(P[2], 2.0, 1e-10);
    CHECK_NEAR(P[3], -0.5, 1e-10);
    tp_problem_free(problem);
}

/* The report is that of the whole problem, computed apart from P: E to a few roundings of its terms. */
TEST(islands_together_solve_the_whole_problem)
{
    scene s;
    answer a = {.P = {0}};
    CHECK_INT(make_scene(&s, 0.0), TP_OK);
    tp_workspace *workspace = make_workspace();
    CHECK_INT(solve(workspace, &s, NULL, &a), TP_OK);
    CHECK_INT(a.report.island_count, BODIES);
    CHECK_INT(a.report.unsolved_count, 0);
    tp_residual residual;
    double x[UNKNOWNS];
    CHECK_INT(tp_problem_error(s.problem, a.P, &residual), TP_OK);
    CHECK(residual.error <= 1e-8);
    CHECK_NEAR(a.report.error, residual.error, 64.0 * DBL_EPSILON);
    CHECK_INT(tp_problem_state(s.problem, a.P, x, NULL), TP_OK);
    for (int j = 0; j < UNKNOWNS; j++) CHECK_NEAR(a.x[j], x[j], 16.0 * DBL_EPSILON * (1.0 + fabs(x[j])));

    /* far from a solution all of E counts: its scale |c|, rho, and the velocities of every row */
    tp_solver_options coarse = tp_solver_options_default();
    coarse.tolerance = 0.5;
    answer far = {.P = {0}};
    CHECK_INT(solve(workspace, &s, &coarse, &far), TP_OK);
    CHECK_INT(tp_problem_error(s.problem, far.P, &residual), TP_OK);
    CHECK(residual.error > 1e-3);
    CHECK_NEAR(far.report.error, residual.error, 64.0 * DBL_EPSILON);
    tp_workspace_free(workspace);
    tp_problem_free(s.problem);
}

/* The second step starts from the answer of the first, the third from the same: nothing is left to do. A
   workspace without memory gives the same bits, and so does an island whose neighbour has changed. */
TEST(islands_that_come_again_are_not_solved_again)
{
    scene s;
    answer with = {.P = {0}}, without = {.P = {0}};
    CHECK_INT(make_scene(&s, 0.0), TP_OK);
    tp_workspace *memory = make_workspace(), *plain = make_workspace();
    tp_solver_options options = tp_solver_options_default();
    options.warm_start = true;
    const int reused[4] = {0, 0, BODIES, BODIES - 1};
    for (int step = 0; step < 4; step++) {
        if (step == 3) s.problem->b[0] -= 0.5;
        tp_workspace_next_step(memory);
        CHECK_INT(solve(memory, &s, &options, &with), TP_OK);
        CHECK_INT(solve(plain, &s, &options, &without), TP_OK);
        CHECK_INT(with.report.reused_count, reused[step]);
        CHECK_INT(without.report.reused_count, 0);
        CHECK(memcmp(with.P, without.P, sizeof with.P) == 0);
        CHECK(memcmp(with.x, without.x, sizeof with.x) == 0);
        CHECK_INT(with.report.iterations, without.report.iterations);
        CHECK_NEAR(with.report.work, without.report.work, 0.0);
        CHECK_NEAR(with.report.error, without.report.error, 0.0);
    }
    tp_workspace_free(memory);
    tp_workspace_free(plain);
    tp_problem_free(s.problem);
}

/* Hashes look at some hundred words of a key. Two keys that differ in any other word have the same hash, and
   are told apart by their bytes. */
TEST(keys_that_differ_in_any_word_are_different_keys)
{
    enum { WORDS = 1 << 13 };
    static uint64_t key[WORDS];
    tp_island_memory memory = {.allocator = tp_allocator_default()};
    const double kept = 1.0;
    tp_island_memory_turn(&memory);
    tp_island_memory_reserve(&memory, 2 * sizeof key, 1);
    tp_island_memory_keep(&memory, tp_island_hash(key, sizeof key), key, sizeof key, &kept, sizeof kept);
    for (int k = 0; k < WORDS; k++) {
        key[k] = 1;
        CHECK(tp_island_memory_find(&memory, tp_island_hash(key, sizeof key), key, sizeof key) == NULL);
        key[k] = 0;
    }
    const double *found = tp_island_memory_find(&memory, tp_island_hash(key, sizeof key), key, sizeof key);
    CHECK(found != NULL && *found == kept);
    tp_island_memory_clear(&memory);
}

/* Body 1 is squeezed: its contacts say so by their rows in the whole problem, the others are solved. */
TEST(an_island_without_solution_is_named_and_the_others_are_solved)
{
    scene s;
    answer a = {.P = {0}};
    CHECK_INT(make_scene(&s, 2.0), TP_OK);
    tp_workspace *workspace = make_workspace();
    CHECK_INT(solve(workspace, &s, NULL, &a), TP_INFEASIBLE);
    CHECK_INT(a.report.unsolved_count, 1);
    CHECK_INT(a.report.unsolved_set % BODIES, 1);
    CHECK(!a.report.is_usable);
    CHECK(strstr(a.report.reason, "rows 3, 12") != NULL);
    double xi[ROWS];
    CHECK_INT(tp_problem_state(s.problem, a.P, NULL, xi), TP_OK);
    for (int i = 0; i < s.problem->set_count; i++) {
        if (i % BODIES == 1) continue;
        CHECK(xi[3 * i] >= -1e-7 && fabs(a.P[3 * i] * xi[3 * i]) <= 1e-6);
    }
    tp_workspace_free(workspace);
    tp_problem_free(s.problem);
}

/* An answer is kept under all options that it was found with: with any other it is searched again. Noise
   belongs to the island whose rows have it. */
TEST(answers_are_used_again_only_with_the_same_options)
{
    static double noise[ROWS];
    for (int i = 2; i < BODIES * CONTACTS; i += BODIES) /* the rows of body 2 alone */
        for (int k = 0; k < 3; k++) noise[3 * i + k] = 1e-13;
    tp_solver_options usual = tp_solver_options_default();
    usual.warm_start = true;
    struct {
        const char *what;
        tp_solver_options options;
        int reused;
    } cases[14];
    int count = 0;
#define OTHER(field, value, again)                                                                           \
    cases[count].what = #field, cases[count].options = usual, cases[count].options.field = (value),          \
    cases[count++].reused = (again)
    OTHER(tolerance, 1e-9, 0);
    OTHER(floor_factor, 10.0, 0);
    OTHER(enough, 1e-12, 0);
    OTHER(max_iterations, 100, 0);
    OTHER(work_limit, 1e6, 0);
    OTHER(warm_start, false, 0);
    OTHER(branch, TP_BRANCH_NEAREST, 0);
    OTHER(noise, 1e-13, 0);
    OTHER(relaxation, 1.5, 0);
    OTHER(unsolved_limit, 1e-2, 0); /* unsolved_contacts is 0 */
    OTHER(facets, 16, 0);
    OTHER(epsilon, 0.5, 0);
    OTHER(row_noise, noise, BODIES - 1);
    OTHER(tolerance, usual.tolerance, BODIES);
#undef OTHER
    for (int k = 0; k < count; k++) {
        scene s;
        answer a = {.P = {0}};
        CHECK_INT(make_scene(&s, 0.0), TP_OK);
        tp_workspace *memory = make_workspace();
        for (int step = 0; step < 3; step++) {
            tp_workspace_next_step(memory);
            CHECK_INT(solve(memory, &s, &usual, &a), TP_OK);
        }
        CHECK_INT(a.report.reused_count, BODIES);
        tp_workspace_next_step(memory);
        CHECK_INT(solve(memory, &s, &cases[k].options, &a), TP_OK);
        if (a.report.reused_count != cases[k].reused)
            fail_msg("with another %s %d islands are used again, not %d", cases[k].what,
                     a.report.reused_count, cases[k].reused);
        tp_workspace_free(memory);
        tp_problem_free(s.problem);
    }
}

/* Whether x is wanted is such an option, too: an answer without it does not serve. */
TEST(an_answer_without_velocities_is_not_used_where_they_are_wanted)
{
    scene s;
    answer a = {.P = {0}};
    double x[UNKNOWNS];
    CHECK_INT(make_scene(&s, 0.0), TP_OK);
    tp_workspace *memory = make_workspace();
    tp_solver_options options = tp_solver_options_default();
    options.warm_start = true;
    for (int step = 0; step < 3; step++) {
        tp_workspace_next_step(memory);
        CHECK_INT(tp_solve(s.problem, NULL, &options, memory, a.P, NULL, &a.report), TP_OK);
    }
    tp_workspace_next_step(memory);
    CHECK_INT(solve(memory, &s, &options, &a), TP_OK);
    CHECK_INT(a.report.reused_count, 0);
    CHECK_INT(tp_problem_state(s.problem, a.P, x, NULL), TP_OK);
    for (int j = 0; j < UNKNOWNS; j++) CHECK_NEAR(a.x[j], x[j], 16.0 * DBL_EPSILON * (1.0 + fabs(x[j])));
    tp_workspace_free(memory);
    tp_problem_free(s.problem);
}

/* Two islands of random contacts, 12 and 8, of which neither is solved: the smaller one is below the size
   from which on one can be used, wherever it stands. */
TEST(all_unsolved_islands_must_be_usable)
{
    enum { LARGE = 36, SMALL = 24, ALL = LARGE + SMALL };
    for (int order = 0; order < 2; order++) {
        check_random random = {11};
        static double G[ALL * ALL], c[ALL];
        tp_set sets[ALL / 3];
        memset(G, 0, sizeof G);
        for (int part = 0, first = 0; part < 2; part++) {
            int n = (part == 0) == (order == 0) ? LARGE : SMALL;
            tp_problem *one = random_contacts(&random, n / 3, 0.2, 0.8);
            for (int j = 0; j < n; j++) {
                double unit[LARGE] = {0.0}, image[LARGE], none[LARGE] = {0.0};
                unit[j] = 1.0;
                CHECK_INT(tp_problem_state(one, unit, NULL, image), TP_OK);
                CHECK_INT(tp_problem_state(one, none, NULL, c + first), TP_OK);
                for (int i = 0; i < n; i++) G[first + i + ALL * (first + j)] = image[i] - c[first + i];
            }
            for (int i = 0; i < n / 3; i++) sets[first / 3 + i] = one->sets[i];
            first += n;
            tp_problem_free(one);
        }
        tp_problem *problem = make_local(ALL, G, c, sets, ALL / 3);
        tp_workspace *workspace = make_workspace();
        tp_solver_options options = tp_solver_options_default();
        options.max_iterations = 2;
        options.unsolved_limit = 1.0;
        for (int contacts = 7; contacts <= 8; contacts++) {
            double P[ALL] = {0.0};
            tp_report report;
            options.unsolved_contacts = contacts;
            CHECK_INT(tp_solve(problem, NULL, &options, workspace, P, NULL, &report), TP_NOT_CONVERGED);
            CHECK_INT(report.unsolved_count, 2);
            CHECK_INT(report.is_usable, contacts == 7);
        }
        tp_workspace_free(workspace);
        tp_problem_free(problem);
    }
}

/* Random contacts need more than one sweep. */
TEST(an_unsolved_island_is_usable_up_to_its_limit_and_from_its_size_on)
{
    check_random random = {11};
    tp_problem *problem = random_contacts(&random, 12, 0.2, 0.8);
    tp_workspace *workspace = make_workspace();
    tp_solver_options options = tp_solver_options_default();
    options.max_iterations = 2;
    const struct {
        double limit;
        int contacts;
        bool is_usable;
    } cases[] = {{0.0, 0, false}, {1.0, 0, true}, {1.0, 11, true}, {1.0, 12, false}, {1e-9, 0, false}};
    for (int k = 0; k < 5; k++) {
        double P[36] = {0};
        tp_report report;
        options.unsolved_limit = cases[k].limit;
        options.unsolved_contacts = cases[k].contacts;
        CHECK_INT(tp_solve(problem, NULL, &options, workspace, P, NULL, &report), TP_NOT_CONVERGED);
        CHECK_INT(report.unsolved_count, 1);
        CHECK_INT(report.is_usable, cases[k].is_usable);
        CHECK_NEAR(report.unsolved_error, report.error, 1e-15);
    }
    tp_workspace_free(workspace);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(bodies_that_nothing_connects_are_islands), RUNS(threads_find_the_same_islands),
          RUNS(an_island_is_the_same_problem), RUNS(masters_and_their_followers_stay_together),
          RUNS(islands_together_solve_the_whole_problem), RUNS(islands_that_come_again_are_not_solved_again),
          RUNS(keys_that_differ_in_any_word_are_different_keys),
          RUNS(an_island_without_solution_is_named_and_the_others_are_solved),
          RUNS(answers_are_used_again_only_with_the_same_options),
          RUNS(an_answer_without_velocities_is_not_used_where_they_are_wanted),
          RUNS(all_unsolved_islands_must_be_usable),
          RUNS(an_unsolved_island_is_usable_up_to_its_limit_and_from_its_size_on))
