/* The guess of a scene at rest is judged before anything is made; theory/solvers.md (28h). */
#include "problem/tolerances.h"
#include "problems.h"
#include "solver/guess_at_rest.h"
#include "solver/tolerances.h"

#include <float.h>

enum { UNKNOWNS = 6, CONTACTS = 4, ROWS = 3 * CONTACTS };

static const double weight = 2.0; /* impulse of gravity in a step */

/* A block on four legs: u = v + w x r, mass 1, moments of inertia 1 or a full matrix. extra: of the velocity
   of the first leg an entry that its impulses have not. */
static tp_problem *make_block_with(double coupling, double push, double extra)
{
    int row[6 * ROWS + 1], col[6 * ROWS + 1], m_row[UNKNOWNS + 2], m_col[UNKNOWNS + 2], count = 0;
    double value[6 * ROWS + 1], m_value[UNKNOWNS + 2], f[UNKNOWNS] = {push, 0.0, 0.0, 0.0, 0.0, 0.0};
    tp_set sets[CONTACTS];
    for (int i = 0; i < CONTACTS; i++) { /* normal along the first axis */
        const double r[3] = {-1.0, i % 2 == 0 ? 1.0 : -1.0, i < 2 ? 1.0 : -1.0};
        sets[i] = tp_set_coulomb(3, 0.5);
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            const int place[3] = {a, 3 + b, 3 + c};
            const double entry[3] = {1.0, r[c], -r[b]};
            for (int k = 0; k < 3; k++) {
                row[count] = place[k];
                col[count] = 3 * i + a;
                value[count++] = entry[k];
            }
        }
    }
    for (int k = 0; k < UNKNOWNS; k++) m_row[k] = m_col[k] = k, m_value[k] = 1.0;
    m_row[6] = m_col[7] = 3, m_col[6] = m_row[7] = 4, m_value[6] = m_value[7] = coupling;
    tp_problem_def def = tp_problem_def_default();
    def.x_count = UNKNOWNS;
    def.row_count = ROWS;
    def.set_count = CONTACTS;
    def.sets = sets;
    def.M = (tp_entries){UNKNOWNS, UNKNOWNS, coupling != 0.0 ? 8 : 6, m_row, m_col, m_value};
    def.A = (tp_entries){UNKNOWNS, ROWS, count, row, col, value};
    def.f = f;
    row[count] = 1;
    col[count] = 0;
    value[count] = extra;
    if (extra != 0.0) def.C = (tp_entries){ROWS, UNKNOWNS, count + 1, col, row, value};
    tp_problem *problem = NULL;
    tp_message why = {""};
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    return problem;
}

static tp_problem *make_block(double coupling, double push)
{
    return make_block_with(coupling, push, 0.0);
}

/* Whether the guess, the same impulse in each leg, is the answer; x [UNKNOWNS] of it. */
static bool is_taken(double coupling, double push, double impulse, bool is_cold, double *x)
{
    tp_problem *problem = make_block(coupling, push);
    tp_solver_options options = tp_solver_options_default();
    tp_stack stack;
    tp_report report = {.solver = ""};
    double P[ROWS] = {0.0}, before[ROWS];
    bool is_over;
    options.warm_start = true;
    options.branch = TP_BRANCH_LOADED; /* as in a simulation */
    tp_stack_init(&stack, NULL);
    for (int i = 0; i < CONTACTS; i++) P[3 * i] = impulse;
    memcpy(before, P, sizeof P);
    tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack, .is_cold = is_cold};
    assert_int_equal(tp_try_guess_at_rest(&call, NULL, P, x, &report, &is_over), TP_OK);
    assert_memory_equal(P, before, sizeof P);
    if (is_over) {
        assert_int_equal(report.status, TP_OK);
        assert_true(report.error <= options.tolerance);
        tp_residual residual;
        assert_int_equal(tp_problem_error(problem, P, &residual), TP_OK);
        assert_true(residual.error <= options.tolerance);
    }
    tp_stack_clear(&stack);
    tp_problem_free(problem);
    return is_over;
}

TEST(the_weight_of_a_block_on_four_legs_is_an_answer)
{
    double x[UNKNOWNS] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    CHECK(is_taken(0.0, -weight, 0.25 * weight, false, x));
    for (int k = 0; k < UNKNOWNS; k++) CHECK_NEAR(x[k], 0.0, 1e-15); /* M = 1: sums of four quarters */
}

TEST(a_guess_that_lifts_or_drops_the_block_is_left_to_the_solvers)
{
    double x[UNKNOWNS];
    CHECK(!is_taken(0.0, -weight, 0.26 * weight, false, x));
    CHECK(!is_taken(0.0, -weight, 0.24 * weight, false, x));
    CHECK(!is_taken(0.0, -weight, 0.0, true, x));
}

TEST(a_block_that_flies_has_no_answer_here)
{
    double x[UNKNOWNS];
    CHECK(!is_taken(0.0, weight, 0.0, false, x));
    CHECK(!is_taken(0.0, weight, 0.25 * weight, false, x));
}

TEST(unknowns_that_inertia_couples_are_left_to_the_solvers)
{
    double x[UNKNOWNS];
    CHECK(!is_taken(0.1, -weight, 0.25 * weight, false, x));
}

/* The same block with its weight as the guess, solved in another way. */
typedef struct manner {
    bool is_cold, has_no_guess, has_cone;
    tp_branch branch;
    double tolerance;
} manner;

static bool is_taken_so(manner way)
{
    tp_problem *problem = make_block(0.0, -weight);
    tp_solver_options options = tp_solver_options_default();
    tp_stack stack;
    tp_report report = {.solver = ""};
    double P[ROWS] = {0.0}, x[UNKNOWNS];
    bool is_over;
    options.warm_start = !way.has_no_guess;
    options.branch = way.branch;
    options.tolerance = way.tolerance;
    if (way.has_cone) problem->sets[1].kind = TP_SET_CONE;
    tp_stack_init(&stack, NULL);
    for (int i = 0; i < CONTACTS; i++) P[3 * i] = 0.25 * weight;
    tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack, .is_cold = way.is_cold};
    assert_int_equal(tp_try_guess_at_rest(&call, NULL, P, x, &report, &is_over), TP_OK);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
    return is_over;
}

TEST(only_a_warm_guess_of_contacts_with_the_branch_and_tolerance_of_a_scene_is_taken)
{
    CHECK(is_taken_so((manner){.branch = TP_BRANCH_LOADED, .tolerance = 1e-8}));
    CHECK(!is_taken_so((manner){.branch = TP_BRANCH_LOADED, .tolerance = 1e-8, .is_cold = true}));
    CHECK(!is_taken_so((manner){.branch = TP_BRANCH_LOADED, .tolerance = 1e-8, .has_no_guess = true}));
    CHECK(!is_taken_so((manner){.branch = TP_BRANCH_LOADED, .tolerance = 1e-8, .has_cone = true}));
    CHECK(!is_taken_so((manner){.branch = TP_BRANCH_NEAREST, .tolerance = 1e-8}));
    CHECK(!is_taken_so((manner){.branch = TP_BRANCH_LOADED, .tolerance = tp_form_tolerance}));
}

/* Two legs press against each other along the line between them, with all the friction they have and a
   rounding more: that is a solution, and keeps its bits, though a projection would change them. */
TEST(a_solution_on_the_rim_of_its_cones_keeps_its_bits)
{
    tp_problem *problem = make_block(0.0, -weight);
    tp_solver_options options = tp_solver_options_default();
    tp_stack stack;
    tp_report report = {.solver = ""};
    double P[ROWS] = {0.0}, before[ROWS], x[UNKNOWNS], part = 0.125 * weight * sqrt(0.5);
    bool is_over;
    while (!(hypot(part, part) > 0.125 * weight)) part = nextafter(part, 1.0);
    options.warm_start = true;
    options.branch = TP_BRANCH_LOADED;
    tp_stack_init(&stack, NULL);
    for (int i = 0; i < CONTACTS; i++) P[3 * i] = 0.25 * weight;
    P[1] = P[2] = part;
    P[10] = P[11] = -part;
    memcpy(before, P, sizeof P);
    tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack};
    assert_int_equal(tp_try_guess_at_rest(&call, NULL, P, x, &report, &is_over), TP_OK);
    CHECK(is_over);
    CHECK_INT(memcmp(P, before, sizeof P), 0);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

/* Legs that share the weight unevenly, with a part `off` too much; tolerance at rounding, as in a simulation.
   P [ROWS] and the report of what is found. */
static bool is_stepped(double off, double *P, tp_report *report)
{
    static const double share[CONTACTS] = {0.3, 0.2, 0.2, 0.3}; /* no torque */
    tp_problem *problem = make_block(0.0, -weight);
    tp_solver_options options = tp_solver_options_default();
    tp_stack stack;
    double x[UNKNOWNS];
    bool is_over;
    options.warm_start = true;
    options.branch = TP_BRANCH_LOADED;
    options.tolerance = DBL_EPSILON;
    options.floor_factor = 32.0;
    tp_stack_init(&stack, NULL);
    *report = (tp_report){.solver = ""};
    for (int i = 0; i < CONTACTS; i++) {
        P[3 * i] = share[i] * weight * (1.0 + off);
        P[3 * i + 1] = P[3 * i + 2] = 0.0;
    }
    tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack};
    assert_int_equal(tp_try_guess_at_rest(&call, NULL, P, x, report, &is_over), TP_OK);
    tp_residual residual;
    assert_int_equal(tp_problem_error(problem, P, &residual), TP_OK);
    if (is_over) assert_true(residual.error <= options.floor_factor * report->floor);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
    return is_over;
}

/* What is off goes to all legs alike; their shares, which nothing determines, stay. (28k) */
TEST(one_newton_step_puts_a_guess_right_that_is_off_by_little)
{
    const double off = 1e-11;
    double P[ROWS], sum = 0.0;
    tp_report report;
    CHECK(is_stepped(off, P, &report));
    assert_int_equal(report.iterations, 1);
    for (int i = 0; i < CONTACTS; i++) sum += P[3 * i];
    CHECK_NEAR(sum, weight, 8.0 * DBL_EPSILON * weight); /* sums of eight numbers below it */
    CHECK_NEAR(P[0], 0.3 * weight, off * weight);
    CHECK_NEAR(P[3], 0.2 * weight, off * weight);
}

TEST(a_guess_that_is_off_by_more_is_left_to_the_chain)
{
    double P[ROWS];
    tp_report report;
    CHECK(!is_stepped(1e-6, P, &report));
    CHECK_NEAR(P[0], 0.3 * weight * (1.0 + 1e-6), 0.0); /* and unchanged */
}

/* A warm guess of a problem that the caller frees; part may be NULL. */
static bool is_taken_of(const tp_problem *problem, tp_solver_options options, double *P, tp_part *part)
{
    tp_stack stack;
    tp_report report = {.solver = ""};
    double x[UNKNOWNS];
    bool is_over;
    options.warm_start = true;
    options.branch = TP_BRANCH_LOADED;
    tp_stack_init(&stack, NULL);
    tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack};
    assert_int_equal(tp_try_guess_at_rest(&call, part, P, x, &report, &is_over), TP_OK);
    tp_stack_clear(&stack);
    return is_over;
}

/* The weight in equal parts, too much by a part `off`. */
static void load_legs(double by, double off, double *P)
{
    memset(P, 0, ROWS * sizeof *P);
    for (int i = 0; i < CONTACTS; i++) P[3 * i] = 0.25 * by * (1.0 + off);
}

/* Measures pair the entries of A with those of C. */
TEST(rows_whose_impulses_act_elsewhere_are_left_to_the_solvers)
{
    double P[ROWS];
    tp_problem *problem = make_block_with(0.0, -weight, 1e-3);
    load_legs(weight, 0.0, P);
    CHECK(!is_taken_of(problem, tp_solver_options_default(), P, NULL));
    tp_problem_free(problem);
}

/* A problem without x is solved by its G. */
TEST(problems_in_local_form_are_left_to_the_solvers)
{
    double P[ROWS];
    tp_problem *problem = make_block(0.0, -weight), *local = NULL;
    tp_message why;
    load_legs(weight, 0.0, P);
    CHECK_INT(tp_problem_reduce(NULL, problem, &local, &why), TP_OK);
    CHECK(!is_taken_of(local, tp_solver_options_default(), P, NULL));
    tp_problem_free(local);
    tp_problem_free(problem);
}

/* Legs that carry the block may part by tp_rest_velocity of the velocity that gravity gives, whatever the
   tolerance: those that part faster begin to creep. */
TEST(loaded_legs_part_by_no_more_than_what_rests_may)
{
    double P[ROWS];
    tp_problem *problem = make_block(0.0, -weight);
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = 0.1 * tp_form_tolerance;
    load_legs(weight, 0.1 * tp_rest_velocity, P);
    CHECK(is_taken_of(problem, options, P, NULL));
    load_legs(weight, 100.0 * tp_rest_velocity, P);
    CHECK(!is_taken_of(problem, options, P, NULL));
    tp_problem_free(problem);
}

/* Two legs on a diagonal carry the block, the others are drawn up: xi = 1 there. What the judge of the whole
   is told are the velocities of the answer. */
TEST(legs_that_carry_nothing_may_part)
{
    double P[ROWS], c[ROWS], xi[ROWS], expected[ROWS], none[ROWS] = {0.0};
    tp_problem *problem = make_block(0.0, -weight);
    tp_part part = {.c = c, .xi = xi};
    problem->b[3] = problem->b[6] = 1.0;
    load_legs(2.0 * weight, 0.0, P);
    P[3] = P[6] = 0.0;
    CHECK(is_taken_of(problem, tp_solver_options_default(), P, &part));
    CHECK_INT(tp_problem_state(problem, P, NULL, expected), TP_OK);
    for (int k = 0; k < ROWS; k++) CHECK_NEAR(xi[k], expected[k], 1e-15); /* sums of two halves */
    CHECK_NEAR(xi[3], 1.0, 1e-15);
    CHECK_INT(tp_problem_state(problem, none, NULL, expected), TP_OK);
    for (int k = 0; k < ROWS; k++) CHECK_NEAR(c[k], expected[k], 1e-15);
    tp_problem_free(problem);
}

/* Where c is rounding noise errors are absolute, and say nothing of what rests. */
TEST(velocities_that_are_rounding_noise_are_left_to_the_solvers)
{
    double P[ROWS];
    const double little = 0.1 * tp_smallest_scale;
    tp_problem *problem = make_block(0.0, -little);
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = 1e-6 * tp_smallest_scale;
    load_legs(little, 0.0, P);
    CHECK(!is_taken_of(problem, options, P, NULL));
    load_legs(little, 1e-10, P); /* one Newton step would put it right */
    CHECK(!is_taken_of(problem, options, P, NULL));
    tp_problem_free(problem);
}

/* Tolerances at rounding, as in a simulation. */
static tp_solver_options sharp_options(void)
{
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = DBL_EPSILON;
    options.floor_factor = 32.0;
    return options;
}

/* A few sweeps are cheaper than a Newton step where an island may stay above its tolerance. */
TEST(islands_with_a_margin_take_no_newton_step)
{
    double P[ROWS];
    tp_problem *problem = make_block(0.0, -weight);
    tp_solver_options options = sharp_options();
    load_legs(weight, 1e-11, P);
    CHECK(is_taken_of(problem, options, P, NULL));
    options.unsolved_limit = 1e-2;
    load_legs(weight, 1e-11, P);
    CHECK(!is_taken_of(problem, options, P, NULL));
    tp_problem_free(problem);
}

/* The block is pushed by the friction it has and a part of 1e-10 more: it slides, and a step in which its
   legs stick ends outside of their cones. The torque keeps the legs evenly loaded. */
TEST(a_newton_step_that_ends_outside_of_the_cones_is_no_answer)
{
    const double friction = 0.5 * weight;
    double P[ROWS];
    tp_problem *problem = make_block(0.0, -weight);
    problem->f[1] = friction * (1.0 + 1e-10);
    problem->f[5] = -friction * (1.0 + 1e-10);
    load_legs(weight, 1e-11, P);
    for (int i = 0; i < CONTACTS; i++) P[3 * i + 1] = -0.25 * friction * (1.0 + 1e-11);
    CHECK(!is_taken_of(problem, sharp_options(), P, NULL));
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(rows_whose_impulses_act_elsewhere_are_left_to_the_solvers),
          RUNS(problems_in_local_form_are_left_to_the_solvers),
          RUNS(loaded_legs_part_by_no_more_than_what_rests_may), RUNS(legs_that_carry_nothing_may_part),
          RUNS(velocities_that_are_rounding_noise_are_left_to_the_solvers),
          RUNS(islands_with_a_margin_take_no_newton_step),
          RUNS(a_newton_step_that_ends_outside_of_the_cones_is_no_answer),
          RUNS(one_newton_step_puts_a_guess_right_that_is_off_by_little),
          RUNS(a_guess_that_is_off_by_more_is_left_to_the_chain),
          RUNS(the_weight_of_a_block_on_four_legs_is_an_answer),
          RUNS(a_guess_that_lifts_or_drops_the_block_is_left_to_the_solvers),
          RUNS(only_a_warm_guess_of_contacts_with_the_branch_and_tolerance_of_a_scene_is_taken),
          RUNS(a_solution_on_the_rim_of_its_cones_keeps_its_bits),
          RUNS(a_block_that_flies_has_no_answer_here),
          RUNS(unknowns_that_inertia_couples_are_left_to_the_solvers))
