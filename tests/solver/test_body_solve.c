/* Contacts between bodies as plain data: the same problem and the same sweeps as with the matrix, the same
   bits for every number of threads; theory/large-heaps.md. */
#include "packing.h"
#include "problem/islands.h"
#include "solver/bodies/backend.h"
#include "solver/bodies/body_solve.h"
#include "solver/sweeps/accelerated.h"
#include "solver/tolerances.h"

typedef struct trial {
    tp_problem *problem;
    tp_stack stack;
    tp_body_problem bodies;
    tp_backend_call call;
    double *P, *xi, *x;
} trial;

static void begin(trial *t, const packing *p, tp_pool *pool)
{
    check_random random = {77};
    *t = (trial){.problem = packing_problem(p)};
    tp_unknowns all = {.total = t->problem->x_count};
    tp_stack_init(&t->stack, NULL);
    assert_int_equal(tp_body_problem_make(t->problem, &all, pool, &t->stack, &t->bodies), TP_OK);
    assert_true(t->bodies.are_balls == p->are_balls);
    t->P = TP_STACK_ARRAY(&t->stack, double, t->problem->row_count);
    t->xi = TP_STACK_ARRAY(&t->stack, double, t->problem->row_count);
    t->x = TP_STACK_ARRAY(&t->stack, double, t->problem->x_count);
    for (int k = 0; k < t->problem->row_count; k++) t->P[k] = check_normal(&random);
    t->call = (tp_backend_call){.bodies = &t->bodies, .pool = pool, .stack = &t->stack};
    assert_int_equal(tp_backend_threads.open(&t->call), TP_OK);
    tp_backend_threads.load(&t->call, t->P);
}

static void end(trial *t)
{
    tp_backend_threads.close(&t->call);
    tp_stack_clear(&t->stack);
    tp_problem_free(t->problem);
}

static const packing packings[] = {
    {1, 1, true, 1},  {2, 3, true, 2},  {5, 12, true, 3},  {40, 100, true, 4},  {180, 500, true, 5},
    {1, 1, false, 6}, {2, 3, false, 7}, {5, 12, false, 8}, {40, 100, false, 9}, {180, 500, false, 10}};
enum { PACKINGS = sizeof packings / sizeof packings[0] };

/* E and the velocities of P are those of tp_problem_error and tp_problem_state, which factorise M and know
   nothing of bodies. Sums of some dozen products: 1e-12 relative is thousands of roundings. */
TEST(the_error_is_that_of_the_problem)
{
    for (int k = 0; k < PACKINGS; k++) {
        trial t;
        tp_residual expected;
        begin(&t, &packings[k], NULL);
        double *xi = TP_STACK_ARRAY(&t.stack, double, t.problem->row_count),
               *x = TP_STACK_ARRAY(&t.stack, double, t.problem->x_count);
        tp_backend_threads.move(&t.call);
        CHECK_INT(tp_problem_error(t.problem, t.P, &expected), TP_OK);
        CHECK_NEAR(t.bodies.local.rho, expected.rho, 1e-12 * expected.rho);
        CHECK_NEAR(t.bodies.local.scale, expected.scale, 1e-12 * expected.scale);
        CHECK_NEAR(tp_backend_threads.error(&t.call), expected.error, 1e-12 * expected.error);
        CHECK_INT(tp_problem_state(t.problem, t.P, x, xi), TP_OK);
        tp_backend_threads.fetch(&t.call, NULL, t.xi, t.x);
        for (int i = 0; i < t.problem->row_count; i++) CHECK_NEAR(t.xi[i], xi[i], 1e-12 * expected.xi_norm);
        for (int i = 0; i < t.problem->x_count; i++) CHECK_NEAR(t.x[i], x[i], 1e-12 * expected.xi_norm);
        end(&t);
    }
}

/* One sweep with the matrix G in the order of the places, and one over bodies. */
TEST(one_sweep_is_that_of_the_matrix_form)
{
    for (int k = 0; k < PACKINGS; k++) {
        trial t;
        tp_local local;
        tp_sweeps matrix;
        double ignored, norm = 0.0;
        begin(&t, &packings[k], NULL);
        int n = t.problem->set_count, slots = 4 * (n + 64), count = 0;
        int *order = TP_STACK_ARRAY(&t.stack, int, n), *set_at = TP_STACK_ARRAY(&t.stack, int, slots);
        for (int s = 0; s < slots; s++) set_at[s] = -1;
        for (int i = 0; i < n; i++) set_at[t.bodies.place[i]] = i;
        for (int s = 0; s < slots; s++) {
            if (set_at[s] >= 0) order[count++] = set_at[s];
        }
        CHECK_INT(count, n);
        CHECK_INT(tp_local_form(t.problem, &t.stack, &local), TP_OK);
        CHECK_INT(tp_sweeps_init(&matrix, &local, &t.stack), TP_OK);
        matrix.order = order;
        matrix.sweep_limit = 1;
        tp_sweeps_run(&matrix, 0.0, 1, t.P, &ignored);
        tp_backend_threads.move(&t.call);
        tp_backend_threads.sweep(&t.call, 0.0);
        tp_backend_threads.fetch(&t.call, t.xi, NULL, NULL);
        for (int i = 0; i < t.problem->row_count; i++) norm = fmax(norm, fabs(t.P[i]));
        for (int i = 0; i < t.problem->row_count; i++) CHECK_NEAR(t.xi[i], t.P[i], 1e-12 * norm);
        end(&t);
    }
}

/* Marks both bodies of a contact with its task; false: another task of the phase has one of them. */
static bool takes(int *owner, int ground, int a, int b, int task)
{
    if ((a != ground && owner[a] >= 0 && owner[a] != task) || (owner[b] >= 0 && owner[b] != task))
        return false;
    if (a != ground) owner[a] = task;
    owner[b] = task;
    return true;
}

TEST(tasks_of_a_phase_share_no_moving_body)
{
    for (int k = 0; k < PACKINGS; k++) {
        trial t;
        begin(&t, &packings[k], NULL);
        const tp_body_problem *b = &t.bodies;
        int *owner = TP_STACK_ARRAY(&t.stack, int, b->body_count + 1), visited = 0;
        for (int p = 0; p < b->phase_count; p++) {
            for (int j = 0; j < b->body_count; j++) owner[j] = -1;
            for (int task = b->phase[p]; task < b->phase[p + 1]; task++) {
                for (int c = b->task[task]; c < b->task[task + 1]; c++) {
                    for (int l = 0; l < TP_LANES && b->are_balls; l++) {
                        if (b->groups[c].body_b[l] == b->body_count) continue;
                        /* lanes are visited at once: each is a task of its own */
                        CHECK(takes(owner, b->body_count, b->groups[c].body_a[l], b->groups[c].body_b[l],
                                    TP_LANES * c + l));
                        visited++;
                    }
                    if (b->are_balls) continue;
                    CHECK(takes(owner, b->body_count, b->contacts[c].body_a, b->contacts[c].body_b, task));
                    visited++;
                }
            }
        }
        CHECK_INT(visited, b->contact_count);
        end(&t);
    }
}

/* P, velocities and E after twenty sweeps with momentum. */
TEST(bits_do_not_depend_on_the_number_of_threads)
{
    const packing large[] = {{900, 2500, true, 21}, {900, 2500, false, 22}};
    for (int k = 0; k < 2; k++) {
        double *P = NULL, *x = NULL, E = 0.0;
        for (int threads = 1; threads <= 4; threads++) {
            trial t;
            tp_pool *pool;
            CHECK_INT(tp_pool_create(NULL, threads, &pool), TP_OK);
            begin(&t, &large[k], pool);
            tp_backend_threads.move(&t.call);
            for (int s = 0; s < 20; s++) tp_backend_threads.sweep(&t.call, s == 0 ? 0.0 : 0.6);
            tp_backend_threads.fetch(&t.call, t.P, NULL, t.x);
            double error = tp_backend_threads.error(&t.call);
            size_t P_bytes = (size_t)t.problem->row_count * sizeof *P,
                   x_bytes = (size_t)t.problem->x_count * sizeof *x;
            if (threads == 1) {
                P = malloc(P_bytes);
                x = malloc(x_bytes);
                memcpy(P, t.P, P_bytes);
                memcpy(x, t.x, x_bytes);
                E = error;
            }
            CHECK_INT(memcmp(P, t.P, P_bytes), 0);
            CHECK_INT(memcmp(x, t.x, x_bytes), 0);
            CHECK(E == error && E < 1e3);
            end(&t);
            tp_pool_free(pool);
        }
        free(P), free(x);
    }
}

/* The front door with threads: solved by the judge of the problem, and the same bits. */
TEST(a_solve_has_the_same_bits_for_every_number_of_threads)
{
    const packing kinds[] = {{300, 800, true, 31}, {300, 800, false, 32}};
    for (int k = 0; k < 2; k++) {
        tp_problem *problem = packing_problem(&kinds[k]);
        size_t bytes = (size_t)problem->row_count * sizeof(double);
        double *first = malloc(bytes), *P = malloc(bytes);
        tp_solver_options options = tp_solver_options_default();
        options.tolerance = 1e-2;
        for (int threads = 1; threads <= 3; threads++) {
            tp_workspace *workspace;
            tp_report report;
            tp_residual residual;
            CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
            CHECK_INT(tp_workspace_set_threads(workspace, threads), TP_OK);
            CHECK_INT(tp_solve(problem, NULL, &options, workspace, P, NULL, &report), TP_OK);
            CHECK_INT(tp_problem_error(problem, P, &residual), TP_OK);
            CHECK(residual.error <= 1e-2);
            CHECK_NEAR(report.error, residual.error, 1e-9);
            if (threads == 1) memcpy(first, P, bytes);
            CHECK_INT(memcmp(first, P, bytes), 0);
            tp_workspace_free(workspace);
        }
        free(first), free(P);
        tp_problem_free(problem);
    }
}

/* However a search of a large island ends (the number of sweeps bounds it), what it returns belongs together:
   velocities, c and E are those of P, by tp_problem_error and tp_problem_state. */
TEST(an_answer_and_its_velocities_belong_together_wherever_the_search_ends)
{
    const packing kinds[] = {{400, 1100, true, 41}, {400, 1100, false, 42}};
    int overs = 0;
    for (int run = 0; run < 2 * 24; run++) {
        tp_problem *problem = packing_problem(&kinds[run % 2]);
        int rows = problem->row_count;
        tp_stack stack;
        tp_stack_init(&stack, NULL);
        double *P = TP_STACK_ARRAY(&stack, double, rows),
               *x = TP_STACK_ARRAY(&stack, double, problem->x_count),
               *x_of_P = TP_STACK_ARRAY(&stack, double, problem->x_count),
               *xi = TP_STACK_ARRAY(&stack, double, rows), *none = TP_STACK_ARRAY(&stack, double, rows),
               *c = TP_STACK_ARRAY(&stack, double, rows);
        tp_part part = {.c = TP_STACK_ARRAY(&stack, double, rows),
                        .xi = TP_STACK_ARRAY(&stack, double, rows)};
        tp_solver_options options = tp_solver_options_default();
        options.max_iterations = 1 + 2 * (run / 2);
        options.tolerance = 1e-3;
        options.unsolved_limit = 1e3; /* whatever is found is returned where the tolerance is coarse */
        tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack};
        tp_report report = {.status = TP_OK};
        tp_form_answer answer;
        tp_residual residual;
        memset(P, 0, (size_t)rows * sizeof(double));
        memset(none, 0, (size_t)rows * sizeof(double));
        CHECK_INT(tp_solve_bodies(&call, &part, P, x, &report, &answer), TP_OK);
        overs += answer.is_over; /* not: Newton's method is to go on */
        CHECK_INT(tp_problem_error(problem, P, &residual), TP_OK);
        if (answer.is_over) CHECK_NEAR(report.error, residual.error, 1e-13);
        CHECK_INT(tp_problem_state(problem, P, x_of_P, xi), TP_OK);
        CHECK_INT(tp_problem_state(problem, none, NULL, c), TP_OK);
        double size = residual.xi_norm + residual.scale;
        for (int i = 0; i < rows && answer.is_over; i++) {
            CHECK_NEAR(part.xi[i], xi[i], 1e-12 * size);
            CHECK_NEAR(part.c[i], c[i], 1e-12 * size);
        }
        for (int i = 0; i < problem->x_count && answer.is_over; i++)
            CHECK_NEAR(x[i], x_of_P[i], 1e-12 * size);
        tp_stack_clear(&stack);
        tp_problem_free(problem);
    }
    CHECK(overs >= 24);
}

/* Sweeps until E is below the tolerance, without momentum. */
static int plain_sweeps(const packing *p, double tolerance)
{
    trial t;
    int count = 0;
    begin(&t, p, NULL);
    memset(t.P, 0, (size_t)t.problem->row_count * sizeof(double));
    tp_backend_threads.load(&t.call, t.P);
    tp_backend_threads.move(&t.call);
    for (; count < 10000 && !(tp_backend_threads.error(&t.call) <= tolerance); count++)
        tp_backend_threads.sweep(&t.call, 0.0);
    end(&t);
    return count;
}

/* Where bodies have many contacts, momentum capped at 0.8 saves sweeps in three packings of four. Capped at
   0.9, or not at all, it drives bodies back and forth and saves some in every other packing alone: no better
   than chance. */
TEST(momentum_saves_sweeps)
{
    enum { TRIALS = 20 };
    const double tolerance = 1e-6;
    int saved = 0;
    for (unsigned seed = 0; seed < TRIALS; seed++) {
        const packing p = {100, 890, false, 200 + seed};
        tp_problem *problem = packing_problem(&p);
        tp_stack stack;
        tp_stack_init(&stack, NULL);
        double *P = TP_STACK_ARRAY(&stack, double, problem->row_count);
        tp_solver_options options = tp_solver_options_default();
        options.tolerance = tolerance;
        options.unsolved_limit = 0.1 * tolerance; /* as islands have it that may stay unsolved: more sweeps */
        tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack};
        tp_report report = {.status = TP_OK};
        tp_form_answer answer;
        memset(P, 0, (size_t)problem->row_count * sizeof(double));
        CHECK_INT(tp_solve_bodies(&call, NULL, P, NULL, &report, &answer), TP_OK);
        CHECK(!answer.is_over || report.error <= tolerance);
        saved += answer.is_over && report.iterations < plain_sweeps(&p, tolerance);
        tp_stack_clear(&stack);
        tp_problem_free(problem);
    }
    CHECK(saved >= TRIALS * 2 / 3);
}

/* A packing whose contacts have so much friction. */
static tp_problem *rough_packing(const packing *p, double friction)
{
    tp_problem *problem = packing_problem(p);
    for (int i = 0; i < problem->set_count; i++) problem->sets[i].parameter[0] = friction;
    return problem;
}

/* The smallest E that so many sweeps from P = 0 come to, looked at as a search does, with momentum that never
   turns back; theory/solvers.md (19)-(21). */
static double error_with_all_momentum(const packing *p, double friction, int sweeps)
{
    tp_problem *problem = rough_packing(p, friction);
    tp_unknowns all = {.total = problem->x_count};
    tp_stack stack;
    tp_body_problem bodies;
    tp_stack_init(&stack, NULL);
    double *P = TP_STACK_ARRAY(&stack, double, problem->row_count), theta = 1.0, momentum = 0.0,
           best = INFINITY;
    memset(P, 0, (size_t)problem->row_count * sizeof(double));
    assert_int_equal(tp_body_problem_make(problem, &all, NULL, &stack, &bodies), TP_OK);
    tp_backend_call call = {.bodies = &bodies, .stack = &stack};
    assert_int_equal(tp_backend_serial.open(&call), TP_OK);
    tp_backend_serial.load(&call, P);
    tp_backend_serial.move(&call);
    for (int k = 1; k <= sweeps; k++) {
        tp_sweep_sums sums = tp_backend_serial.sweep(&call, momentum);
        if (k == 1 || k % 16 == 0) {
            tp_backend_serial.move(&call);
            best = fmin(best, tp_backend_serial.error(&call));
        }
        double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * theta * theta));
        momentum = sums.uphill > 0.0 ? 0.0 : fmin((theta - 1.0) / next, tp_form_cap);
        theta = sums.uphill > 0.0 ? 1.0 : next;
    }
    tp_backend_serial.close(&call);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
    return best;
}

/* Friction above 1 lets momentum drive bodies away from the best point. Going back to it with less of it
   comes to half of the error in the mean; a search that never turned back would come to the same. */
TEST(a_search_that_momentum_drives_away_turns_back)
{
    enum { TRIALS = 6, SWEEPS = 800 };
    double mean = 0.0;
    for (unsigned seed = 0; seed < TRIALS; seed++) {
        const packing p = {100, 890, false, 500 + seed};
        tp_problem *problem = rough_packing(&p, 2.0);
        tp_stack stack;
        tp_residual residual;
        tp_stack_init(&stack, NULL);
        double *P = TP_STACK_ARRAY(&stack, double, problem->row_count);
        tp_solver_options options = tp_solver_options_default();
        options.max_iterations = SWEEPS;
        options.unsolved_limit = 0.1 * options.tolerance; /* as islands have it: more sweeps */
        tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack};
        tp_report report = {.status = TP_OK};
        tp_form_answer answer;
        memset(P, 0, (size_t)problem->row_count * sizeof(double));
        CHECK_INT(tp_solve_bodies(&call, NULL, P, NULL, &report, &answer), TP_OK);
        CHECK_INT(answer.sweeps, SWEEPS);
        CHECK_INT(tp_problem_error(problem, P, &residual), TP_OK);
        mean += log(residual.error / error_with_all_momentum(&p, 2.0, SWEEPS)) / TRIALS;
        tp_stack_clear(&stack);
        tp_problem_free(problem);
    }
    CHECK(exp(mean) < 0.8);
}

/* Where friction couples so strongly that it can press a contact together there may be several solutions, and
   sweeps would choose one by chance: not if the caller wants the loaded one. Contacts of balls do not couple.
 */
TEST(sweeps_choose_none_of_several_solutions)
{
    const packing kinds[] = {{100, 300, true, 51}, {100, 300, false, 52}};
    for (int run = 0; run < 4; run++) {
        bool are_balls = run % 2 == 0, is_loaded = run / 2 == 0;
        tp_problem *problem = packing_problem(&kinds[run % 2]);
        for (int i = 0; i < problem->set_count; i++) problem->sets[i].parameter[0] = 10.0;
        tp_stack stack;
        tp_stack_init(&stack, NULL);
        double *P = TP_STACK_ARRAY(&stack, double, problem->row_count);
        memset(P, 0, (size_t)problem->row_count * sizeof(double));
        tp_solver_options options = tp_solver_options_default();
        options.max_iterations = 1;
        options.warm_start = true;
        options.branch = is_loaded ? TP_BRANCH_LOADED : TP_BRANCH_NEAREST;
        tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack};
        tp_report report = {.status = TP_OK};
        tp_form_answer answer;
        tp_status expected = is_loaded && !are_balls ? TP_UNSUPPORTED : TP_OK;
        CHECK_INT(tp_solve_bodies(&call, NULL, P, NULL, &report, &answer), expected);
        tp_stack_clear(&stack);
        tp_problem_free(problem);
    }
}

/* The bodies of an island, from a copy of its rows and from the rows of the whole problem: the same bits. */
TEST(an_island_needs_no_copy_of_its_rows)
{
    for (int k = 0; k < PACKINGS; k++) {
        tp_problem *problem = packing_problem(&packings[k]);
        tp_stack stack;
        tp_islands islands;
        tp_island copy, sets;
        tp_body_problem bodies[2];
        double *x[2], *xi[2], *P = calloc((size_t)problem->row_count, sizeof *P);
        check_random random = {5};
        for (int i = 0; i < problem->row_count; i++) P[i] = check_normal(&random);
        tp_stack_init(&stack, NULL);
        CHECK_INT(tp_islands_find(problem, NULL, &stack, &islands), TP_OK);
        int number = islands.count - 1; /* not the first one, where there are several */
        CHECK_INT(tp_island_take(problem, &islands, number, P, &stack, &copy), TP_OK);
        CHECK_INT(tp_island_take_sets(problem, &islands, number, P, NULL, &stack, &sets), TP_OK);
        size_t rows = (size_t)copy.problem.row_count;
        CHECK_INT(sets.problem.row_count, copy.problem.row_count);
        CHECK_INT(memcmp(sets.row, copy.row, rows * sizeof(int)), 0);
        CHECK_INT(memcmp(sets.problem.b, copy.problem.b, rows * sizeof(double)), 0);
        tp_unknowns own = {.number = islands.x + islands.x_start[number], .total = problem->x_count},
                    shared = {.number = own.number, .total = own.total, .whole = problem, .row = sets.row};
        CHECK_INT(tp_body_problem_make(&copy.problem, &own, NULL, &stack, &bodies[0]), TP_OK);
        CHECK_INT(tp_body_problem_make(&sets.problem, &shared, NULL, &stack, &bodies[1]), TP_OK);
        for (int b = 0; b < 2; b++) {
            tp_backend_call call = {.bodies = &bodies[b], .stack = &stack};
            CHECK_INT(tp_backend_serial.open(&call), TP_OK);
            tp_backend_serial.load(&call, copy.P);
            tp_backend_serial.move(&call);
            tp_backend_serial.sweep(&call, 0.0);
            x[b] = TP_STACK_ARRAY(&stack, double, copy.problem.x_count);
            xi[b] = TP_STACK_ARRAY(&stack, double, copy.problem.row_count);
            tp_backend_serial.fetch(&call, NULL, xi[b], x[b]);
            tp_backend_serial.close(&call);
        }
        CHECK(bodies[0].local.rho == bodies[1].local.rho && bodies[0].local.scale == bodies[1].local.scale);
        CHECK(bodies[0].local.inertia == bodies[1].local.inertia);
        CHECK_INT(memcmp(x[0], x[1], (size_t)copy.problem.x_count * sizeof(double)), 0);
        CHECK_INT(memcmp(xi[0], xi[1], rows * sizeof(double)), 0);
        double inertia;
        CHECK_INT(tp_problem_inertia(&copy.problem, &stack, &inertia), TP_OK);
        CHECK_NEAR(bodies[0].local.inertia, inertia, 1e-12 * inertia);
        free(P);
        tp_stack_clear(&stack);
        tp_problem_free(problem);
    }
}

static int sweeps_from(const tp_problem *problem, double tolerance, double *P)
{
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = tolerance;
    options.unsolved_limit = 0.1 * tolerance; /* more sweeps */
    options.warm_start = true;
    tp_solve_call call = {.problem = problem, .options = &options, .stack = &stack};
    tp_report report = {.status = TP_OK};
    tp_form_answer answer;
    assert_int_equal(tp_solve_bodies(&call, NULL, P, NULL, &report, &answer), TP_OK);
    assert_true(answer.is_over && report.error <= tolerance);
    tp_stack_clear(&stack);
    return answer.sweeps;
}

enum { SIDE = 4, LAYERS = 16, BALLS = SIDE * SIDE * LAYERS };

static void touch(packing_entries *A, tp_set *sets, int *laws, int body, int other, int axis)
{
    static const double R[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    double E[9] = {0.0}, arm[3] = {0.0}, far[3] = {0.0};
    for (int k = 0; k < 3; k++) E[3 * k + (axis + k) % 3] = 1.0;
    arm[axis] = -1.0;
    far[axis] = 1.0;
    packing_side(A, *laws, body, 1.0, E, arm, R);
    if (other >= 0) packing_side(A, *laws, other, -1.0, E, far, R);
    sets[(*laws)++] = tp_set_coulomb(3, 0.5);
}

/* Balls at rest on the places of a grid, each on the one below and beside those before it; the impulse of
   their weights in a step is 1. */
static tp_problem *grid_of_balls(void)
{
    enum { MOST = 36 * 3 * BALLS };
    static int row[MOST], col[MOST], m_place[6 * BALLS];
    static double value[MOST], m_value[6 * BALLS], f[6 * BALLS], b[9 * BALLS];
    static tp_set sets[3 * BALLS];
    packing_entries A = {row, col, 0, value};
    int laws = 0, before[3] = {1, SIDE, SIDE * SIDE};
    for (int k = 0; k < BALLS; k++) {
        int at[3] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
        for (int d = 0; d < 6; d++) {
            m_place[6 * k + d] = 6 * k + d;
            m_value[6 * k + d] = d < 3 ? 1.0 : 0.4;
            f[6 * k + d] = d == 2 ? -1.0 : 0.0;
        }
        for (int axis = 0; axis < 3; axis++) {
            if (at[axis] > 0) touch(&A, sets, &laws, k, k - before[axis], axis);
            if (axis == 2 && at[axis] == 0) touch(&A, sets, &laws, k, -1, axis);
        }
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = 6 * BALLS;
    def.row_count = 3 * laws;
    def.set_count = laws;
    def.sets = sets;
    def.M = (tp_entries){6 * BALLS, 6 * BALLS, 6 * BALLS, m_place, m_place, m_value};
    def.A = (tp_entries){6 * BALLS, 3 * laws, A.count, A.row, A.col, A.value};
    def.f = f;
    def.b = b;
    tp_problem *problem = NULL;
    tp_message why = {""};
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    return problem;
}

/* The impact of one ball, which the guess repeats, makes its error larger than that of P = 0, since the
   weight of a heap is in the free velocities of its lowest contacts alone; yet what the other contacts carry
   is in the guess. A search that began with P = 0 would take as many sweeps as one without a guess. */
TEST(an_impact_that_the_guess_repeats_does_not_cost_the_guess)
{
    tp_problem *problem = grid_of_balls();
    tp_residual at_zero, at_guess;
    double *P = calloc((size_t)problem->row_count, sizeof *P);
    CHECK_INT(tp_problem_error(problem, P, &at_zero), TP_OK);
    int cold = sweeps_from(problem, 1e-2, P), top = 3 * (problem->set_count - 1);
    CHECK_INT(tp_problem_error(problem, P, &at_guess), TP_OK);
    P[top] += 4.0 * at_zero.scale / at_zero.rho;
    CHECK_INT(tp_problem_error(problem, P, &at_guess), TP_OK);
    CHECK(at_guess.error > 1.2 * at_zero.error && at_guess.error < 10.0);
    int warm = sweeps_from(problem, 1e-2, P);
    CHECK(2 * warm < cold);
    free(P);
    tp_problem_free(problem);
}

/* What is not a problem of bodies is left alone. */
TEST(other_problems_are_refused)
{
    tp_problem *problem = packing_problem(&packings[2]);
    tp_stack stack;
    tp_body_problem bodies;
    tp_unknowns all = {.total = problem->x_count}, shifted = {.total = problem->x_count + 1};
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_body_problem_make(problem, &shifted, NULL, &stack, &bodies), TP_UNSUPPORTED);
    double mass = problem->M.value[0];
    problem->M.value[0] = 2.0 * mass; /* not the same along x and y */
    CHECK_INT(tp_body_problem_make(problem, &all, NULL, &stack, &bodies), TP_UNSUPPORTED);
    problem->M.value[0] = mass;
    double spin = problem->A.value[problem->A.start[5] - 1];
    problem->A.value[problem->A.start[5] - 1] *= 1.0 + 1e-6; /* a body with an arm beside n: no ball */
    CHECK_INT(tp_body_problem_make(problem, &all, NULL, &stack, &bodies), TP_OK);
    CHECK(!bodies.are_balls);
    problem->A.value[problem->A.start[5] - 1] = spin;
    CHECK_INT(tp_body_problem_make(problem, &all, NULL, &stack, &bodies), TP_OK);
    CHECK(bodies.are_balls);
    problem->sets[3] = tp_set_orthant(3);
    problem->sets[3].first = 9;
    CHECK_INT(tp_body_problem_make(problem, &all, NULL, &stack, &bodies), TP_UNSUPPORTED);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(the_error_is_that_of_the_problem), RUNS(one_sweep_is_that_of_the_matrix_form),
          RUNS(tasks_of_a_phase_share_no_moving_body), RUNS(bits_do_not_depend_on_the_number_of_threads),
          RUNS(a_solve_has_the_same_bits_for_every_number_of_threads), RUNS(other_problems_are_refused),
          RUNS(an_island_needs_no_copy_of_its_rows),
          RUNS(an_answer_and_its_velocities_belong_together_wherever_the_search_ends),
          RUNS(momentum_saves_sweeps), RUNS(a_search_that_momentum_drives_away_turns_back),
          RUNS(sweeps_choose_none_of_several_solutions),
          RUNS(an_impact_that_the_guess_repeats_does_not_cost_the_guess))
