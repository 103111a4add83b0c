/* Velocities kept beside P instead of a matrix G: the same problem, the same sweeps; theory/problems.md (24),
   theory/solvers.md (21a). */
#include "problem/velocity_form.h"
#include "problems.h"
#include "solver/form_sweeps.h"
#include "solver/sweeps/accelerated.h"
#include "solver/tolerances.h"
#include "solver/tower.h"

enum { BODIES = 12, LAWS = 30, ENTRIES = 12 * 3 * LAWS };

/* A heap in numbers: bodies of six velocities with full 3x3 inertia, contacts between two of them or with the
   ground. `kind` of every fifth law; D of the laws is `own` times the unit matrix. */
static tp_problem *make_heap(tp_set_kind kind, double own)
{
    static int row[ENTRIES], col[ENTRIES], m_row[12 * BODIES], m_col[12 * BODIES], d_place[3 * LAWS];
    static double value[ENTRIES], m_value[12 * BODIES], d_value[3 * LAWS], f[6 * BODIES], b[3 * LAWS];
    tp_set sets[LAWS];
    check_random random = {11};
    int count = 0, m_count = 0, rows = 0;
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < 12; k++) { /* three masses, then a full block */
            int p = k < 3 ? k : 3 + (k - 3) % 3, q = k < 3 ? k : 3 + (k - 3) / 3;
            m_row[m_count] = 6 * i + p;
            m_col[m_count] = 6 * i + q;
            m_value[m_count++] = p == q ? 1.0 + 0.1 * i : 0.1 * (p + q);
        }
    }
    for (int i = 0; i < LAWS; i++) {
        bool is_other = i % 5 == 4 && kind != TP_SET_CONTACT;
        sets[i] = is_other ? tp_set_orthant(1) : tp_set_coulomb(3, 0.5);
        int a = i % BODIES, other = i < BODIES ? -1 : (i * 7 + 3) % BODIES;
        for (int r = 0; r < sets[i].size; r++) {
            for (int k = 0; k < 12; k++) {
                int body = k < 6 ? a : other;
                if (body < 0 || (k >= 6 && other == a)) continue;
                row[count] = 6 * body + k % 6;
                col[count] = rows;
                value[count++] = (k % 6 == r ? 1.0 : 0.15 * check_normal(&random)) * (k < 6 ? 1.0 : -1.0);
            }
            b[rows] = r == 0 ? -0.2 : 0.1 * check_normal(&random);
            d_place[rows] = rows;
            d_value[rows++] = own;
        }
    }
    for (int j = 0; j < 6 * BODIES; j++) f[j] = check_normal(&random) - (j % 6 == 0 ? 1.0 : 0.0);
    tp_problem_def def = tp_problem_def_default();
    def.x_count = 6 * BODIES;
    def.row_count = rows;
    def.set_count = LAWS;
    def.sets = sets;
    def.M = (tp_entries){6 * BODIES, 6 * BODIES, m_count, m_row, m_col, m_value};
    def.A = (tp_entries){6 * BODIES, rows, count, row, col, value};
    if (own > 0.0) def.D = (tp_entries){rows, rows, rows, d_place, d_place, d_value};
    def.f = f;
    def.b = b;
    tp_problem *problem = NULL;
    tp_message why = {""};
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    return problem;
}

typedef struct pair {
    tp_problem *problem;
    tp_stack stack;
    tp_velocity_form form;
    tp_local local;
    double P[3 * LAWS];
} pair;

static void begin(pair *p, tp_set_kind kind, double own)
{
    check_random random = {5};
    p->problem = make_heap(kind, own);
    tp_stack_init(&p->stack, NULL);
    assert_int_equal(tp_velocity_form_make(p->problem, &p->stack, &p->form), TP_OK);
    assert_int_equal(tp_local_form(p->problem, &p->stack, &p->local), TP_OK);
    for (int k = 0; k < p->problem->row_count; k++) p->P[k] = check_normal(&random);
}

static void end(pair *p)
{
    tp_stack_clear(&p->stack);
    tp_problem_free(p->problem);
}

/* Sums of a dozen products of size 1: a hundred roundings. */
static const double rounding = 1e-13;

TEST(form_is_the_same_problem)
{
    for (int variant = 0; variant < 4; variant++) {
        pair p;
        double expected[3 * LAWS], found[3 * LAWS];
        begin(&p, variant & 1 ? TP_SET_ORTHANT : TP_SET_CONTACT, variant & 2 ? 0.25 : 0.0);
        int rows = p.problem->row_count;
        for (int k = 0; k < rows; k++) CHECK_NEAR(p.form.local.c[k], p.local.c[k], rounding);
        for (int i = 0; i < LAWS; i++) {
            const double *own = tp_local_diagonal(&p.form.local, i), *G = tp_local_diagonal(&p.local, i);
            int size = p.problem->sets[i].size;
            for (int k = 0; k < size * size; k++) CHECK_NEAR(own[k], G[k], rounding);
        }
        CHECK_NEAR(p.form.local.rho, p.local.rho, rounding);
        CHECK_NEAR(p.form.local.scale, p.local.scale, rounding);
        tp_local_velocity(&p.local, p.P, expected);
        tp_velocity_form_move(&p.form, p.P);
        tp_velocity_form_velocities(&p.form, p.P, found);
        for (int k = 0; k < rows; k++) CHECK_NEAR(found[k], expected[k], 10.0 * rounding);
        end(&p);
    }
}

/* One sweep in the same order, without momentum. */
TEST(one_sweep_is_the_same)
{
    for (int variant = 0; variant < 4; variant++) {
        pair p;
        double with_G[3 * LAWS], without[3 * LAWS], error;
        tp_sweeps matrix, form;
        begin(&p, variant & 1 ? TP_SET_ORTHANT : TP_SET_CONTACT, variant & 2 ? 0.25 : 0.0);
        CHECK_INT(tp_sweeps_init(&matrix, &p.local, &p.stack), TP_OK);
        CHECK_INT(tp_sweeps_init_form(&form, &p.form, &p.stack), TP_OK);
        memcpy(with_G, p.P, sizeof with_G);
        memcpy(without, p.P, sizeof without);
        matrix.sweep_limit = form.sweep_limit = 1;
        tp_sweeps_run(&matrix, 0.0, 1, with_G, &error);
        double best = error;
        tp_sweeps_run(&form, 0.0, 1, without, &error);
        for (int k = 0; k < p.problem->row_count; k++) CHECK_NEAR(without[k], with_G[k], 100.0 * rounding);
        CHECK_NEAR(error, best, 100.0 * rounding);
        end(&p);
    }
}

/* The front door: sweeps over velocities end below a coarse tolerance, by the judge of the whole problem, and
   the state is that of P. */
TEST(coarse_tolerances_need_no_matrix)
{
    pair p;
    tp_report report = {.solution_count = -1};
    tp_form_answer answer;
    tp_solver_options options = tp_solver_options_default();
    double x[6 * BODIES], expected[6 * BODIES];
    begin(&p, TP_SET_CONTACT, 0.0);
    tp_solve_call call = {.problem = p.problem, .options = &options, .stack = &p.stack};
    options.tolerance = tp_form_tolerance;
    memset(p.P, 0, sizeof p.P);
    CHECK_INT(tp_solve_by_form(&call, NULL, p.P, x, &report, &answer), TP_OK);
    CHECK(answer.is_over);
    CHECK_INT(report.status, TP_OK);
    tp_residual residual;
    CHECK_INT(tp_problem_error(p.problem, p.P, &residual), TP_OK);
    CHECK(residual.error <= tp_form_tolerance);
    CHECK(residual.error > 0.0 && residual.P_norm > 0.1);
    CHECK_INT(tp_problem_state(p.problem, p.P, expected, NULL), TP_OK);
    for (int k = 0; k < 6 * BODIES; k++) CHECK_NEAR(x[k], expected[k], 10.0 * rounding);

    options.tolerance = 0.5 * tp_form_tolerance; /* sharper ones are left to the chain */
    CHECK_INT(tp_solve_by_form(&call, NULL, p.P, x, &report, &answer), TP_OK);
    CHECK(!answer.is_over && !answer.is_better);
    end(&p);
}

/* Where laws meet in D, or nothing but P is unknown, there is no such form. */
TEST(local_problems_have_no_form)
{
    check_random random = {3};
    tp_problem *local = random_contacts(&random, 4, 0.1, 0.5);
    tp_velocity_form form;
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_velocity_form_make(local, &stack, &form), TP_UNSUPPORTED);
    tp_stack_clear(&stack);
    tp_problem_free(local);
}

/* A large island that may stay above its tolerance is left where its error is usable, but not where Newton's
   method is close to a solution; small ones go on. */
TEST(large_islands_are_left_between_a_close_error_and_their_limit)
{
    const tp_problem large = {.set_count = TP_FORM_LARGE + 1}, small = {.set_count = TP_FORM_LARGE};
    tp_solver_options options = tp_solver_options_default();
    CHECK(!tp_form_is_left_so(&large, 2.0 * tp_close_error, &options)); /* no margin */
    options.unsolved_limit = 10.0 * tp_close_error;
    CHECK(tp_form_is_left_so(&large, tp_close_error, &options));
    CHECK(tp_form_is_left_so(&large, options.unsolved_limit, &options));
    CHECK(!tp_form_is_left_so(&large, 0.5 * tp_close_error, &options));
    CHECK(!tp_form_is_left_so(&large, 2.0 * options.unsolved_limit, &options));
    CHECK(!tp_form_is_left_so(&small, 2.0 * tp_close_error, &options));
}

/* Joints are held by what solves all rows at once: no sweep is spent on them. */
TEST(problems_with_joints_are_not_swept)
{
    for (int joints = 0; joints < 2; joints++) {
        pair p;
        tp_report report = {.solution_count = -1};
        tp_form_answer answer;
        tp_solver_options options = tp_solver_options_default();
        begin(&p, TP_SET_ORTHANT, 0.0);
        tp_solve_call call = {.problem = p.problem, .options = &options, .stack = &p.stack};
        options.tolerance = tp_form_tolerance;
        for (int i = 0; i < p.problem->set_count && joints; i++) {
            if (p.problem->sets[i].kind == TP_SET_ORTHANT) p.problem->sets[i].kind = TP_SET_FREE;
        }
        memset(p.P, 0, sizeof p.P);
        CHECK_INT(tp_solve_by_form(&call, NULL, p.P, NULL, &report, &answer), TP_OK);
        CHECK(joints ? answer.work == 0.0 && answer.sweeps == 0 : answer.sweeps > 0);
        end(&p);
    }
}

enum { STOREYS = 40, STOREY_LAWS = 4 };

/* Bodies on top of each other, four contacts between two of them; `feet` are the storeys that stand on the
   ground too, `shortcut` one that touches the lowest, 0: none. */
static tp_problem *make_tower(int storeys, int feet, int shortcut)
{
    enum { MOST = 12 * 3 * (STOREY_LAWS * STOREYS + 2) };
    static int row[MOST], col[MOST], m_row[6 * STOREYS], m_col[6 * STOREYS];
    static double value[MOST], m_value[6 * STOREYS], f[6 * STOREYS], b[MOST / 12];
    static tp_set sets[MOST / 36];
    int count = 0, laws = 0;
    for (int k = 0; k < 6 * storeys; k++) {
        m_row[k] = m_col[k] = k;
        m_value[k] = 1.0;
        f[k] = k % 6 == 2 ? -1.0 : 0.0;
    }
    for (int i = 0; i < STOREY_LAWS * storeys + (shortcut > 0); i++) {
        bool is_more = i == STOREY_LAWS * storeys;
        int upper = is_more ? shortcut : i / STOREY_LAWS, lower = is_more ? 0 : upper - 1;
        if (upper == 0 && feet == 0) continue;
        if (feet > 1 && upper == storeys - 1 && i % STOREY_LAWS == 0 && !is_more) lower = -1;
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < 12; k++) {
                int body = k < 6 ? upper : lower;
                if (body < 0) continue;
                row[count] = 6 * body + k % 6;
                col[count] = 3 * laws + r;
                value[count++] = (k < 6 ? 1.0 : -1.0) / (1.0 + (k + r + i) % 6);
            }
            b[3 * laws + r] = 0.0;
        }
        sets[laws++] = tp_set_coulomb(3, 0.5);
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = 6 * storeys;
    def.row_count = 3 * laws;
    def.set_count = laws;
    def.sets = sets;
    def.M = (tp_entries){6 * storeys, 6 * storeys, 6 * storeys, m_row, m_col, m_value};
    def.A = (tp_entries){6 * storeys, 3 * laws, count, row, col, value};
    def.f = f;
    def.b = b;
    tp_problem *problem = NULL;
    tp_message why = {""};
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    return problem;
}

static int height_of(int storeys, int feet, int shortcut)
{
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    tp_problem *problem = make_tower(storeys, feet, shortcut);
    tp_unknowns own = {.total = problem->x_count}, odd = {.total = problem->x_count + 1};
    int height = tp_tower_height(problem, &own, &stack);
    assert_int_equal(tp_tower_height(problem, &odd, &stack), 0); /* the first unknown is not that of a body */
    tp_problem_free(problem);
    tp_stack_clear(&stack);
    return height;
}

/* Storeys counted from the ground on, by the shorter way; what stands on nothing has no height, and what
   closes a circle is no tower. */
TEST(a_tower_is_as_high_as_its_bodies_are_far_from_the_ground)
{
    CHECK_INT(height_of(1, 1, 0), 1);
    CHECK_INT(height_of(12, 1, 0), 12);
    CHECK_INT(height_of(STOREYS, 1, 0), STOREYS);
    CHECK_INT(height_of(12, 2, 0), 6);
    CHECK_INT(height_of(13, 2, 0), 7);
    CHECK_INT(height_of(12, 0, 0), 0);
    CHECK_INT(height_of(12, 1, 5), 0);
    CHECK_INT(height_of(12, 1, 1), 0); /* the pair again, but later: taken for a circle */
}

/* High towers are left to Newton steps after one sweep, at coarse tolerances; what they leave creeps. */
TEST(high_towers_are_not_swept)
{
    const struct {
        int storeys;
        double tolerance;
        int sweeps;
    } cases[] = {{9, 1e-2, TP_FORM_FEW_SWEEPS},
                 {10, 1e-2, 1},
                 {STOREYS, 1e-2, 1},
                 {STOREYS, 1e-4, TP_FORM_FEW_SWEEPS}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_stack stack;
        tp_stack_init(&stack, NULL);
        tp_problem *problem = make_tower(cases[k].storeys, 1, 0);
        tp_solver_options options = tp_solver_options_default();
        options.tolerance = cases[k].tolerance;
        tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack};
        tp_unknowns own = {.total = problem->x_count};
        CHECK_INT(tp_form_sweep_limit(&call, &own), cases[k].sweeps);
        tp_problem_free(problem);
        tp_stack_clear(&stack);
    }
}

TEST_MAIN(RUNS(a_tower_is_as_high_as_its_bodies_are_far_from_the_ground), RUNS(high_towers_are_not_swept),
          RUNS(large_islands_are_left_between_a_close_error_and_their_limit),
          RUNS(problems_with_joints_are_not_swept), RUNS(form_is_the_same_problem),
          RUNS(one_sweep_is_the_same), RUNS(coarse_tolerances_need_no_matrix),
          RUNS(local_problems_have_no_form))
