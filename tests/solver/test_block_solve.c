/* One block, exactly: the answer satisfies the law to rounding, for every kind of set and every mode;
   theory/solvers.md (3)-(9). */
#include "solver/sweeps/block_solve.h"

#include "problems.h"
#include "set/samples.h"

/* A block of n rows: symmetric positive definite with condition up to about 1e3, or that plus a part that
   makes it unsymmetric but keeps it positive definite. */
static void random_block(check_random *random, int n, bool is_symmetric, double *D)
{
    double a[36], size = pow(10.0, check_uniform(random, -3.0, 3.0));
    for (int k = 0; k < n * n; k++) a[k] = check_normal(random);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = i == j ? 0.1 : 0.0;
            for (int k = 0; k < n; k++) sum += a[i + k * n] * a[j + k * n];
            D[i + j * n] = size * sum;
        }
    }
    for (int i = 0; i < n && !is_symmetric; i++) {
        for (int j = 0; j < i; j++) {
            double skew = 0.5 * size * check_normal(random);
            D[i + j * n] += skew;
            D[j + i * n] -= skew;
        }
    }
}

/* Solves the only block of a problem from p; returns e_i divided by |c|, xi in xi_out. */
static double solve_block(const tp_problem *problem, double *p, double *xi_out)
{
    tp_stack stack;
    tp_local local;
    tp_block_solver solver;
    double g[6], error = INFINITY;
    tp_stack_init(&stack, NULL);
    if (tp_local_form(problem, &stack, &local) == TP_OK &&
        tp_block_solver_init(&solver, &local, &stack) == TP_OK) {
        tp_block_velocity(&local, 0, p, true, g);
        tp_block_solve(&solver, 0, g, p);
        tp_local_velocity(&local, p, xi_out);
        error = tp_local_block_error(&problem->sets[0], local.rho, p, xi_out) / local.scale;
    }
    tp_stack_clear(&stack);
    return error;
}

/* Open, stick, slip of a contact; inside and on the rim of a body. */
typedef enum mode { OPEN, STICK, SLIP } mode;

static mode mode_of(const tp_set *set, const double *p, const double *xi, double scale)
{
    double slip = 0.0;
    int from = set->kind == TP_SET_CONTACT ? 1 : 0;
    if (from == 1 && p[0] == 0.0) return OPEN;
    for (int k = from; k < set->size; k++) slip += xi[k] * xi[k];
    return sqrt(slip) > 1e-9 * scale ? SLIP : STICK;
}

/* Trials of one set; returns the worst error and counts the modes. */
static double try_set(const tp_set *set, bool is_symmetric, int trials, check_random *random, int *modes)
{
    double worst = 0.0;
    for (int trial = 0; trial < trials; trial++) {
        double D[36], c[6], p[6] = {0}, xi[6];
        random_block(random, set->size, is_symmetric, D);
        random_vector(random, set->size, 1.0, c);
        if (set->kind == TP_SET_CONTACT && trial % 4 != 0) c[0] = -3.0 * fabs(c[0]); /* closed more often */
        for (int k = 0; k < set->size; k++) /* bodies are about as large as the impulses */
            c[k] *= set->kind == TP_SET_FRICTION || set->kind == TP_SET_BOX ? D[0] : 1.0;
        tp_problem *problem = make_local(set->size, D, c, set, 1);
        double error = solve_block(problem, p, xi), scale = 0.0;
        if (set->kind == TP_SET_FREE) { /* the guard of redundant rows leaves 1e-12 cond(D), once */
            if (error < 1e-9) error = solve_block(problem, p, xi);
        }
        for (int k = 0; k < set->size; k++) scale += c[k] * c[k];
        modes[mode_of(set, p, xi, sqrt(scale))]++;
        if (error > 1e-12)
            print_error("%s, %s, %d rows: e = %g\n", tp_set_kind_name(set->kind),
                        tp_friction_kind_name(set->friction_kind), set->size, error);
        worst = fmax(worst, error);
        tp_problem_free(problem);
    }
    return worst;
}

/* Rows of an ORTHANT or BOX set are visited one after the other: exact for one row. */
static bool is_pass_only(const tp_set *set)
{
    return (set->kind == TP_SET_ORTHANT || set->kind == TP_SET_BOX) && set->size > 1;
}

TEST(every_kind_of_set_is_solved_to_rounding)
{
    check_random random = {21};
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    for (int i = 0; i < count; i++) {
        int modes[3] = {0};
        if (!is_pass_only(&sets[i])) CHECK_NEAR(try_set(&sets[i], true, 300, &random, modes), 0.0, 1e-12);
    }
}

TEST(contacts_of_every_shape_open_stick_and_slip)
{
    check_random random = {22};
    for (int i = 0; i < (int)FRICTION_CASE_COUNT; i++) {
        int modes[3] = {0};
        const friction_case *c = &friction_cases[i];
        tp_set set = tp_set_contact(c->kind, c->dimension + 1, c->parameter);
        CHECK_NEAR(try_set(&set, true, 600, &random, modes), 0.0, 1e-12);
        for (int k = 0; k < 3; k++) {
            if (modes[k] < 5)
                print_error("%s of dimension %d: mode %d was hit %d times\n", tp_friction_kind_name(c->kind),
                            c->dimension, k, modes[k]);
            CHECK(modes[k] >= 5);
        }
    }
}

TEST(unsymmetric_blocks_are_solved_too)
{
    check_random random = {23};
    const double ellipse[] = {0.7, 0.2};
    tp_set sets[] = {tp_set_coulomb(2, 0.5),
                     tp_set_coulomb(3, 0.4),
                     tp_set_coulomb(3, 1.5),
                     tp_set_coulomb(4, 0.3),
                     tp_set_contact(TP_FRICTION_ELLIPSOID, 3, ellipse),
                     tp_set_free(4),
                     tp_set_interval(-0.3, 0.2)};
    for (int i = 0; i < (int)(sizeof sets / sizeof sets[0]); i++) {
        int modes[3] = {0};
        CHECK_NEAR(try_set(&sets[i], false, 150, &random, modes), 0.0, 1e-12);
    }
}

/* A rod that slides on its tip: W_NT so large that mu W_NT > W_NN, where methods that iterate between normal
   and tangential rows fail. */
TEST(painleve_blocks_are_solved_by_cases)
{
    check_random random = {24};
    int modes[3] = {0};
    for (int trial = 0; trial < 400; trial++) {
        double angle = check_uniform(&random, 0.2, 1.4), mu = check_uniform(&random, 1.0, 4.0);
        double n = 1.0 + 3.0 * cos(angle) * cos(angle), t = 1.0 + 3.0 * sin(angle) * sin(angle),
               m = -3.0 * sin(angle) * cos(angle) * (trial % 2 ? 1.0 : -1.0);
        double spatial[9] = {n, m, 0, m, t, 0, 0, 0, 1}, planar[4] = {n, m, m, t};
        double c[3] = {check_normal(&random), check_normal(&random), 0.3 * check_normal(&random)};
        tp_set sets[2] = {tp_set_coulomb(2, mu), tp_set_coulomb(3, mu)};
        for (int d = 2; d <= 3; d++) {
            double p[3] = {0}, xi[3];
            tp_problem *problem = make_local(d, d == 2 ? planar : spatial, c, &sets[d - 2], 1);
            CHECK_NEAR(solve_block(problem, p, xi), 0.0, 1e-12);
            modes[mode_of(&sets[d - 2], p, xi, 1.0)]++;
            tp_problem_free(problem);
        }
    }
    CHECK(modes[OPEN] > 50 && modes[STICK] > 50 && modes[SLIP] > 50);
}

TEST(without_friction_only_the_normal_row_acts)
{
    check_random random = {25};
    for (int size = 2; size <= 4; size++) {
        tp_set set = tp_set_coulomb(size, 0.0);
        for (int trial = 0; trial < 30; trial++) {
            double D[36], c[6], p[6] = {0}, xi[6];
            random_block(&random, size, trial % 2 == 0, D);
            random_vector(&random, size, 1.0, c);
            tp_problem *problem = make_local(size, D, c, &set, 1);
            CHECK_NEAR(solve_block(problem, p, xi), 0.0, 1e-14);
            CHECK_NEAR(p[0], fmax(0.0, -c[0] / D[0]), 1e-14 * fabs(c[0] / D[0]));
            for (int k = 1; k < size; k++) CHECK_NEAR(p[k], 0.0, 0.0);
            tp_problem_free(problem);
        }
    }
}

/* Impulses cannot move such a row: the answer is finite, and E tells that it is none. */
TEST(a_zero_diagonal_gives_a_finite_point_and_an_honest_error)
{
    const double D[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1}, closing[3] = {-1, 0.5, 0}, opening[3] = {1, 0.5, 0};
    for (int size = 2; size <= 3; size++) {
        const double planar[4] = {0, 0, 0, 1};
        tp_set set = tp_set_coulomb(size, 0.5);
        double p[3] = {0}, xi[3];
        tp_problem *problem = make_local(size, size == 2 ? planar : D, closing, &set, 1);
        double error = solve_block(problem, p, xi);
        for (int k = 0; k < size; k++) CHECK(isfinite(p[k]));
        CHECK(error > 0.5);
        tp_problem_free(problem);
        problem = make_local(size, size == 2 ? planar : D, opening, &set, 1);
        CHECK_NEAR(solve_block(problem, p, xi), 0.0, 0.0);
        tp_problem_free(problem);
    }
}

/* xi = D p + g with singular D: p = 0 answers g = 0; a g in the range of D needs a finite p. */
TEST(singular_blocks_of_bodies_and_joints_are_solved_where_they_can_be)
{
    const double D[4] = {1, 0, 0, 0}, still[2] = {0, 0}, pushed[2] = {-0.5, 0}, sideways[2] = {0.3, 0.4};
    tp_set ball = tp_set_ball(2, 1.0), joint = tp_set_free(2);
    double xi[2];
    const double *cases[3] = {still, pushed, sideways};
    for (int k = 0; k < 3; k++) {
        double p[2] = {0.6, 0.1};
        tp_problem *problem = make_local(2, D, cases[k], &ball, 1);
        CHECK_NEAR(solve_block(problem, p, xi), 0.0, 1e-12);
        tp_problem_free(problem);
    }
    for (int k = 0; k < 2; k++) {
        double p[2] = {0.6, 0.1};
        tp_problem *problem = make_local(2, D, cases[k], &joint, 1);
        CHECK_NEAR(solve_block(problem, p, xi), 0.0, 1e-11); /* the guard of redundant rows: 1e-12 */
        tp_problem_free(problem);
    }
}

TEST(a_body_follows_the_impulse_of_its_master)
{
    check_random random = {26};
    for (int trial = 0; trial < 50; trial++) {
        double G[16] = {0}, c[4], P[4] = {0}, xi[4];
        for (int k = 0; k < 4; k++) G[5 * k] = check_uniform(&random, 0.5, 2.0), c[k] = check_normal(&random);
        tp_set sets[2] = {tp_set_orthant(1), tp_set_following(tp_set_ball(3, 0.4), 0, 1)};
        c[0] = -fabs(c[0]);
        tp_problem *problem = make_local(4, G, c, sets, 2);
        tp_stack stack;
        tp_local local;
        tp_block_solver solver;
        double g[6];
        tp_stack_init(&stack, NULL);
        tp_local_form(problem, &stack, &local);
        tp_block_solver_init(&solver, &local, &stack);
        for (int i = 0; i < 2; i++) {
            tp_block_velocity(&local, i, P, true, g);
            tp_block_solve(&solver, i, g, P);
        }
        CHECK_NEAR(P[0], -c[0] / G[0], 1e-15 * P[0]);
        CHECK_NEAR(tp_local_error(&local, P, xi, NULL), 0.0, 1e-14);
        tp_stack_clear(&stack);
        tp_problem_free(problem);
    }
}

/* Several rows with bounds: one pass each visit, so visits must converge to the exact answer. */
TEST(repeated_visits_of_coupled_rows_converge)
{
    check_random random = {27};
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets), tried = 0;
    for (int i = 0; i < count; i++) {
        if (!is_pass_only(&sets[i])) continue;
        for (int trial = 0; trial < 20; trial++, tried++) {
            double D[36], c[6], p[6] = {0}, xi[6], error = INFINITY;
            random_block(&random, sets[i].size, true, D);
            random_vector(&random, sets[i].size, D[0], c);
            tp_problem *problem = make_local(sets[i].size, D, c, &sets[i], 1);
            for (int visit = 0; visit < 20000 && error > 1e-12; visit++) error = solve_block(problem, p, xi);
            CHECK_NEAR(error, 0.0, 1e-12);
            tp_problem_free(problem);
        }
    }
    CHECK(tried >= 40);
}

/* The slip multiplier of the last visit is a start value only. */
TEST(a_second_visit_gives_the_same_answer)
{
    check_random random = {28};
    tp_set set = tp_set_coulomb(3, 0.3);
    for (int trial = 0; trial < 100; trial++) {
        double D[36], slip = check_uniform(&random, 1e-6, 1e6), fresh = 0.0, p[3], q[3], c[3];
        tp_disc_record record;
        random_block(&random, 3, true, D);
        random_vector(&random, 3, 1.0, c);
        c[0] = -fabs(c[0]);
        tp_disc_prepare(D, set.parameter[0], D[0], &record);
        tp_disc_solve(&record, c[0], c[1], c[2], &slip, p);
        tp_disc_solve(&record, c[0], c[1], c[2], &fresh, q);
        for (int k = 0; k < 3; k++) CHECK_NEAR(p[k], q[k], 1e-13 * (fabs(q[0]) + fabs(q[1]) + fabs(q[2])));
    }
}

TEST_MAIN(RUNS(every_kind_of_set_is_solved_to_rounding), RUNS(contacts_of_every_shape_open_stick_and_slip),
          RUNS(unsymmetric_blocks_are_solved_too), RUNS(painleve_blocks_are_solved_by_cases),
          RUNS(without_friction_only_the_normal_row_acts),
          RUNS(a_zero_diagonal_gives_a_finite_point_and_an_honest_error),
          RUNS(singular_blocks_of_bodies_and_joints_are_solved_where_they_can_be),
          RUNS(a_body_follows_the_impulse_of_its_master), RUNS(repeated_visits_of_coupled_rows_converge),
          RUNS(a_second_visit_gives_the_same_answer))
