/* Newton's system over bodies against the matrix over impulses; theory/solvers.md (14b). Chains are one
 * solve. */
#include "math/dense.h"
#include "problems.h"
#include "solver/newton/reduced_system.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BODIES = 8, LAWS = 24, ROWS = 3 * LAWS, UNKNOWNS = 6 * BODIES };

/* Bodies of six velocities with two contacts to each neighbour on a ring, and one to the ground: more laws
   than bodies need, as in heaps of boxes. Masses differ by a thousand. */
static tp_problem *ring_of_bodies(check_random *random, double own)
{
    int row[ROWS * 12], col[ROWS * 12], place[UNKNOWNS], diagonal[ROWS], count = 0;
    double value[ROWS * 12], mass[UNKNOWNS], f[UNKNOWNS], b[ROWS], D[ROWS];
    tp_set sets[LAWS];
    for (int j = 0; j < UNKNOWNS; j++) {
        place[j] = j;
        mass[j] = pow(10.0, (j / 6) % 4) * (j % 6 < 3 ? 1.0 : 0.01);
        f[j] = check_normal(random);
    }
    for (int i = 0; i < LAWS; i++) {
        int a = i % BODIES, other = (a + 1) % BODIES;
        sets[i] = tp_set_coulomb(3, 0.4);
        for (int k = 0; k < 3; k++) {
            b[3 * i + k] = check_normal(random) - (k == 0 ? 0.5 : 0.0);
            diagonal[3 * i + k] = 3 * i + k;
            D[3 * i + k] = own;
            for (int j = 0; j < (i < 2 * BODIES ? 12 : 6); j++) {
                row[count] = 6 * (j < 6 ? a : other) + j % 6;
                col[count] = 3 * i + k;
                value[count++] = check_normal(random) * (j % 6 < 3 ? 1.0 : 0.1);
            }
        }
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = UNKNOWNS;
    def.row_count = ROWS;
    def.set_count = LAWS;
    def.sets = sets;
    def.M = (tp_entries){UNKNOWNS, UNKNOWNS, UNKNOWNS, place, place, mass};
    def.A = (tp_entries){UNKNOWNS, ROWS, count, row, col, value};
    if (own > 0.0) def.D = (tp_entries){ROWS, ROWS, ROWS, diagonal, diagonal, D};
    def.f = f;
    def.b = b;
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    return problem;
}

/* (R (G + shift) C + K) d = right, densely; the shift of law i times hold[i]. */
static void solve_densely(const tp_reduced_system *system, double shift, const double *hold, double *d)
{
    const tp_local *local = system->local;
    const tp_block_matrix *G = local->G;
    int n = system->first[LAWS], pivot[ROWS];
    double *a = calloc((size_t)(n * n), sizeof(double));
    for (int i = 0; i < LAWS; i++) {
        const tp_linear_block *block = &system->block[i];
        for (int e = G->start[i]; e < G->start[i + 1]; e++) {
            const tp_linear_block *other = &system->block[G->column[e]];
            double shifted[9], out[9];
            for (int k = 0; k < 9; k++)
                shifted[k] = G->value[G->offset[e] + (size_t)k] +
                             (G->column[e] == i && k % 4 == 0 ? hold[i] * shift : 0.0);
            tp_linear_block_product(block, other, shifted, out);
            for (int c = 0; c < other->dim; c++) {
                for (int r = 0; r < block->dim; r++) {
                    int at = system->first[i] + r + (system->first[G->column[e]] + c) * n;
                    a[at] =
                        out[r + c * block->dim] + (G->column[e] == i ? block->K[r + c * block->dim] : 0.0);
                }
            }
        }
    }
    if (tp_dense_lu(n, a, n, pivot, 0.0) != TP_OK) fail();
    tp_dense_lu_solve(n, a, n, pivot, d);
    free(a);
}

/* eps/shift of the inertia is lost (tolerances.h), times 1e3 for the masses and 10 for lengths of sums. */
static void check_shift(void **check_state_, double own, double shift, double held)
{
    check_random random = {11};
    tp_stack stack;
    tp_local local;
    tp_reduced_system system;
    tp_body_system bodies;
    tp_problem *problem = ring_of_bodies(&random, own);
    double P[ROWS], xi[ROWS], found[ROWS], expected[ROWS], hold[LAWS], largest = 0.0;
    for (int i = 0; i < LAWS; i++) hold[i] = i % 3 == 0 ? held : 1.0;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_local_form(problem, &stack, &local), TP_OK);
    CHECK_INT(tp_reduced_system_init(&system, &local, &stack), TP_OK);
    CHECK_INT(tp_body_system_init(&bodies, &local, &stack), TP_OK);
    CHECK_INT(bodies.node_count, BODIES);
    if (held != 1.0) bodies.hold = hold;
    for (int k = 0; k < ROWS; k++)
        P[k] = k % 3 == 0 ? fabs(check_normal(&random)) : 0.2 * check_normal(&random);
    tp_local_velocity(&local, P, xi);
    tp_reduced_system_linearise(&system, P, xi, 0.0, NULL);
    int n = system.first[LAWS];
    CHECK(n > UNKNOWNS / 2);
    for (int k = 0; k < n; k++) found[k] = expected[k] = check_normal(&random);
    CHECK_INT(tp_body_system_factor(&bodies, system.block, shift * local.rho, &stack), TP_OK);
    tp_body_system_solve(&bodies, system.block, system.first, found);
    solve_densely(&system, shift * local.rho, hold, expected);
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(expected[k]));
    for (int k = 0; k < n; k++) CHECK_NEAR(found[k], expected[k], 1e4 * DBL_EPSILON / shift * largest);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

TEST(bodies_as_unknowns_give_the_impulses_of_the_matrix)
{
    check_shift(check_state_, 0.0, 1e-1, 1.0);
    check_shift(check_state_, 0.0, 1e-3, 1.0);
    check_shift(check_state_, 0.0, 1e-6, 1.0);
    check_shift(check_state_, 0.5, 1e-3, 1.0);
}

/* Theory/solvers.md (24a): every third law with a shift of its own. */
TEST(laws_that_are_held_have_larger_shifts)
{
    check_shift(check_state_, 0.0, 1e-3, 100.0);
    check_shift(check_state_, 0.5, 1e-6, 10.0);
}

/* A point of the law of slow contacts, -(xi + lag e_N) in the normal cone of P, by turns inside of the cone,
   on its rim and at its tip; c makes xi the velocity of P. */
static void point_of_slow_law(const tp_local *local, const double *lag, double *P, double *c)
{
    double xi[ROWS], G_P[ROWS];
    for (int i = 0; i < LAWS; i++) {
        double friction = local->sets[i].parameter[0], size = 1.0 + 0.1 * i, turn = 0.7 * i;
        double *p = P + 3 * i, *v = xi + 3 * i, e[2] = {cos(turn), sin(turn)};
        bool is_open = i % 3 == 2, is_on_rim = i % 3 == 1;
        double load = is_open ? 0.0 : size, slip = 0.1 * (i % 3);
        double rise = friction * slip + (is_open ? 1.0 : 0.0);
        p[0] = load;
        v[0] = rise - lag[i];
        for (int k = 0; k < 2; k++) {
            p[1 + k] = (is_on_rim ? 1.0 : 0.4) * friction * load * e[k];
            v[1 + k] = -slip * e[k];
        }
    }
    memset(c, 0, ROWS * sizeof *c);
    tp_block_matrix_apply(local->G, P, NULL, G_P);
    for (int k = 0; k < ROWS; k++) c[k] = xi[k] - G_P[k];
}

/* Theory/solvers.md (24b): a solution is a fixed point of the step, and the error of a point beside it, 1e-5
   and less than its distance to the kinks, is squared. Masses that differ by 1e5 leave 1e-10 of rounding. */
TEST(slow_contacts_have_the_law_of_their_cones)
{
    check_random random = {17};
    tp_stack stack;
    tp_local local;
    tp_reduced_system system;
    tp_problem *problem = ring_of_bodies(&random, 0.5);
    double P[ROWS], c[ROWS], xi[ROWS], found[ROWS], lag[LAWS], off = 0.0;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_local_form(problem, &stack, &local), TP_OK);
    CHECK_INT(tp_reduced_system_init(&system, &local, &stack), TP_OK);
    for (int i = 0; i < LAWS; i++) lag[i] = 0.02 * (i % 5);
    point_of_slow_law(&local, lag, P, c);
    local.c = c;
    system.lag = lag;
    for (int pass = 0; pass < 2; pass++) {
        memcpy(found, P, sizeof P);
        for (int k = 0; k < ROWS && pass > 0; k++) found[k] += k % 9 < 6 ? 1e-5 * check_normal(&random) : 0.0;
        tp_local_velocity(&local, found, xi);
        tp_reduced_system_linearise(&system, found, xi, 0.0, NULL);
        CHECK_INT(tp_reduced_system_solve(&system, 1e-13, &stack, found), TP_OK);
        for (int k = 0; k < ROWS; k++) off = fmax(off, fabs(found[k] - P[k]));
        CHECK(off <= (pass > 0 ? 1e-7 : 1e-9));
    }
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

TEST(problems_in_local_form_have_no_bodies)
{
    double G[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, c[3] = {-1.0, 0.1, 0.1};
    tp_set set = tp_set_coulomb(3, 0.3);
    tp_problem *problem = make_local(3, G, c, &set, 1);
    tp_stack stack;
    tp_local local;
    tp_body_system bodies;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_local_form(problem, &stack, &local), TP_OK);
    CHECK_INT(tp_body_system_init(&bodies, &local, &stack), TP_UNSUPPORTED);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

/* Links of mass 1 that hang on each other, three rows a joint: P of joint k carries what hangs below it. */
TEST(a_chain_is_one_linear_solve)
{
    enum { LINKS = 200, N = 3 * LINKS };
    static int row[2 * N], col[2 * N], place[N];
    static double value[2 * N], mass[N], f[N], P[N], x[N];
    static tp_set sets[LINKS];
    int count = 0;
    for (int j = 0; j < N; j++) {
        place[j] = j;
        mass[j] = 1.0;
        f[j] = j % 3 == 2 ? -1.0 : 0.0;
        row[count] = col[count] = j;
        value[count++] = 1.0;
        if (j < 3) continue;
        row[count] = j - 3;
        col[count] = j;
        value[count++] = -1.0;
    }
    for (int k = 0; k < LINKS; k++) sets[k] = tp_set_free(3);
    tp_problem_def def = tp_problem_def_default();
    def.x_count = def.row_count = N;
    def.set_count = LINKS;
    def.sets = sets;
    def.M = (tp_entries){N, N, N, place, place, mass};
    def.A = (tp_entries){N, N, count, row, col, value};
    def.f = f;
    tp_problem *problem = NULL;
    tp_message why;
    CHECK_INT(tp_problem_create(NULL, &def, &problem, &why), TP_OK);
    tp_workspace *workspace;
    tp_report report;
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = 1e-14;
    options.floor_factor = 1.0;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    CHECK_INT(tp_solve(problem, NULL, &options, workspace, P, x, &report), TP_OK);
    CHECK_INT(report.iterations, 1);
    /* condition of the chain: (2 LINKS/pi)^2 */
    for (int k = 0; k < LINKS; k++)
        CHECK_NEAR(P[3 * k + 2], LINKS - k, 4.0 * LINKS * LINKS * DBL_EPSILON * LINKS);
    tp_workspace_free(workspace);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(bodies_as_unknowns_give_the_impulses_of_the_matrix),
          RUNS(laws_that_are_held_have_larger_shifts), RUNS(slow_contacts_have_the_law_of_their_cones),
          RUNS(problems_in_local_form_have_no_bodies), RUNS(a_chain_is_one_linear_solve))
