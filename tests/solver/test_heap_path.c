/* The central path as a part of `auto`: walls on which sweeps and proximal steps alone go round in circles;
   theory/solvers.md (37)-(40b). */
#include "packing.h"
#include "solver/newton/interior_point.h"
#include "solver/newton/proximal_newton.h"
#include "solver/tolerances.h"

enum { SIDE = 4, LAYERS = 6, BODIES = SIDE * SIDE * LAYERS, MOST = 8 * BODIES };

typedef struct heap {
    check_random random;
    double centre[BODIES][3];
    packing_entries A;
    tp_set *sets;
    double friction;
    int contacts;
} heap;

/* A point at which `above` touches `below` (-1: the ground), with a normal that leans by some 15 degrees. */
static void touch(heap *h, int above, int below, const double *point)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    tp_vec3 n = {0.0, 0.0, 1.0}, x = {1.0, 0.0, 0.0};
    if (below >= 0) {
        const double *a = h->centre[above], *c = h->centre[below];
        n = (tp_vec3){a[0] - c[0], a[1] - c[1], a[2] - c[2]};
        n = tp_vec3_scale(1.0 / tp_vec3_norm(n), n);
        n.x += 0.2 * check_normal(&h->random), n.y += 0.2 * check_normal(&h->random);
        n = tp_vec3_scale(1.0 / tp_vec3_norm(n), n);
    }
    tp_vec3 t = tp_vec3_cross(n, x);
    t = tp_vec3_scale(1.0 / tp_vec3_norm(t), t);
    tp_vec3 s = tp_vec3_cross(n, t);
    const double E[9] = {n.x, n.y, n.z, t.x, t.y, t.z, s.x, s.y, s.z};
    double arm[3], far[3];
    for (int d = 0; d < 3; d++) {
        arm[d] = point[d] - h->centre[above][d];
        far[d] = below >= 0 ? point[d] - h->centre[below][d] : 0.0;
    }
    packing_side(&h->A, h->contacts, above, 1.0, E, arm, identity);
    if (below >= 0) packing_side(&h->A, h->contacts, below, -1.0, E, far, identity);
    h->sets[h->contacts++] = tp_set_coulomb(3, h->friction);
}

/* Two to four points of each body on those below it. */
static void pile_up(heap *h)
{
    for (int k = 0; k < BODIES; k++) {
        int layer = k / (SIDE * SIDE), i = k % SIDE, j = k / SIDE % SIDE;
        double *c = h->centre[k];
        c[0] = i + 0.5 * (layer % 2) + 0.1 * check_normal(&h->random);
        c[1] = j + 0.1 * check_normal(&h->random);
        c[2] = layer + 0.5;
        for (int corner = 0; corner < 4; corner++) {
            int side = corner % 2, column = i + (layer % 2) - 1 + side, below = -1;
            if (layer % 2 == 1) column = i + side;
            if (layer > 0 && (column < 0 || column >= SIDE)) continue;
            if (layer > 0) below = k - SIDE * SIDE - i + column;
            double point[3] = {c[0] + (side ? 0.3 : -0.3) + 0.05 * check_normal(&h->random),
                               c[1] + (corner < 2 ? 0.4 : -0.4) + 0.05 * check_normal(&h->random), layer};
            touch(h, k, below, point);
        }
        if (i > 0)
            touch(h, k, k - 1, (const double[3]){c[0] - 0.5, c[1], c[2] + 0.3 * check_normal(&h->random)});
    }
}

/* At rest, but for random velocities of a third of what gravity does in the step. */
static tp_problem *heap_problem(unsigned seed, double friction)
{
    enum { N = 6 * BODIES };
    heap *h = calloc(1, sizeof *h);
    h->random = (check_random){seed};
    h->friction = friction;
    h->A = (packing_entries){malloc(36 * MOST * sizeof(int)), malloc(36 * MOST * sizeof(int)), 0,
                             malloc(36 * MOST * sizeof(double))};
    h->sets = malloc(MOST * sizeof *h->sets);
    pile_up(h);
    int row[N];
    double M[N], f[N], *b = calloc(3 * (size_t)h->contacts, sizeof *b);
    for (int k = 0; k < BODIES; k++) {
        double mass = check_uniform(&h->random, 0.5, 2.0);
        for (int d = 0; d < 6; d++) {
            row[6 * k + d] = 6 * k + d;
            M[6 * k + d] = d < 3 ? mass : mass / 6.0;
            f[6 * k + d] = M[6 * k + d] * (0.3 * check_normal(&h->random) - (d == 2 ? 1.0 : 0.0));
        }
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = N, def.row_count = 3 * h->contacts, def.set_count = h->contacts, def.sets = h->sets;
    def.M = (tp_entries){N, N, N, row, row, M};
    def.A = (tp_entries){N, 3 * h->contacts, h->A.count, h->A.row, h->A.col, h->A.value};
    def.f = f, def.b = b;
    tp_problem *problem = NULL;
    tp_message why = {""};
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    free(h->A.row), free(h->A.col), free(h->A.value), free(h->sets), free(b), free(h);
    return problem;
}

/* The report of a solve, with the error of its answer. */
static tp_report solve(unsigned seed, const char *solver, double tolerance, int most)
{
    tp_problem *problem = heap_problem(seed, 0.8);
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = tolerance;
    options.max_iterations = most;
    options.work_limit = 1e8;
    tp_workspace *workspace;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    double *P = calloc(3 * MOST, sizeof *P);
    tp_report report;
    tp_residual residual;
    tp_solve(problem, solver, &options, workspace, P, NULL, &report);
    if (tp_problem_error(problem, P, &residual) != TP_OK) fail();
    report.error = residual.error;
    free(P);
    tp_workspace_free(workspace);
    tp_problem_free(problem);
    return report;
}

/* Four walls of 24 bodies, each an island of about 100 contacts. With the path they take 2e7 block products
   at most; without it sweeps and proximal steps go round in circles in one of them, at E = 1.3e-5, and find
   its solution by chance after 3e8. */
TEST(walls_of_leaning_contacts_are_solved_with_little_work)
{
    for (unsigned seed = 1; seed <= 6; seed++) {
        tp_report report = solve(seed, "auto", 1e-6, 0);
        if (report.error > 1e-6) print_error("seed %u: E = %g, %s\n", seed, report.error, report.reason);
        CHECK(report.error <= 1e-6);
    }
}

/* E is about the root of the gap, of which steps leave 0.6 at least: 36 full steps to 1e-4, and twice as many
   where some are short. Speeds that only lag take more than that in four of the six. */
TEST(foreseen_slip_speeds_keep_the_path_short)
{
    for (unsigned seed = 1; seed <= 6; seed++) {
        tp_report report = solve(seed, "interior-point", 1e-4, 72);
        if (report.error > 1e-4) print_error("seed %u: E = %g, %s\n", seed, report.error, report.reason);
        CHECK(report.error <= 1e-4);
    }
}

/* E after at most so many Newton steps of proximal steps behind the central path, in which contacts that go
   round are held and slow ones may lag. */
static double error_behind_path(unsigned seed, bool lags, int steps)
{
    tp_problem *problem = heap_problem(seed, 0.8);
    tp_solver_options options = tp_solver_options_default();
    tp_stack stack;
    tp_local local;
    tp_sweeps sweeps;
    tp_proximal proximal;
    double error = INFINITY, *P = calloc(3 * MOST, sizeof *P);
    int path_steps;
    tp_stack_init(&stack, NULL);
    if (tp_local_form(problem, &stack, &local) != TP_OK) fail();
    tp_solve_call call = {.problem = problem, .local = &local, .options = &options, .stack = &stack};
    if (tp_sweeps_init(&sweeps, &local, &stack) != TP_OK) fail();
    if (tp_proximal_init(&proximal, &sweeps, &local, &stack) != TP_OK) fail();
    tp_sweeps_aim(&sweeps, &options, 1.0);
    if (tp_interior_path(&call, &sweeps, steps, &path_steps) != TP_OK) fail();
    memcpy(P, sweeps.best, (size_t)local.row_count * sizeof *P);
    tp_sweeps_project(&local, P);
    proximal.growth = tp_held_growth;
    tp_proximal_hold(&proximal);
    if (lags) tp_proximal_let_lag(&proximal);
    proximal.step_limit = steps;
    tp_newton_end end = TP_NEWTON_STALLED;
    for (int slice = 0; slice < TP_INTERIOR_SLICES && end == TP_NEWTON_STALLED; slice++)
        end = tp_proximal_run(&proximal, &stack, P, &error);
    error = sweeps.best_error;
    free(P);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
    return error;
}

/* Where contacts that stick together share their loads, proximal steps of Coulomb's law turn their impulses
   round: this wall stays at E = 1e-5 for 1,500 Newton steps. Nearest points of cones (24b) end that. */
TEST(slow_contacts_that_lag_end_a_search_that_goes_round)
{
    double with = error_behind_path(34, true, 800), without = error_behind_path(34, false, 800);
    if (with > 1e-8 || without < 1e-6) print_error("E = %g with, %g without\n", with, without);
    CHECK(with <= 1e-8);
    CHECK(without > 1e-6); /* else this says nothing about (24b) */
}

TEST_MAIN(RUNS(walls_of_leaning_contacts_are_solved_with_little_work),
          RUNS(foreseen_slip_speeds_keep_the_path_short),
          RUNS(slow_contacts_that_lag_end_a_search_that_goes_round))
