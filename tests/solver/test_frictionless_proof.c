/* Squeezed sheets of balls: no impulses keep approaching walls apart, and friction must not hide that;
   theory/solvers.md (28a). */
#include "problems.h"
#include "solver/infeasible/frictionless_proof.h"

enum { MAX_SIDE = 10, MAX_CONTACTS = 3 * MAX_SIDE * MAX_SIDE + 2 * MAX_SIDE, ENTRIES = 36 * MAX_CONTACTS };

typedef struct sheet {
    int contact_count, entry_count;
    int row[ENTRIES], col[ENTRIES]; /* of A: velocity, row of the problem */
    double value[ENTRIES], b[3 * MAX_CONTACTS];
    tp_set sets[MAX_CONTACTS];
} sheet;

static void put(sheet *s, int velocity, int k, double value)
{
    s->row[s->entry_count] = velocity;
    s->col[s->entry_count] = k;
    s->value[s->entry_count++] = value;
}

/* The velocity of the surface point of a ball of radius 1/2, towards normal * side, along three axes from
   the normal on. */
static void put_ball(sheet *s, int ball, int normal, double side, double sign)
{
    for (int k = 0; k < 3; k++) {
        int axis = (normal + k) % 3, row = 3 * s->contact_count + k;
        put(s, 6 * ball + axis, row, sign);
        /* omega x (side/2 e_normal) along the axis: e_axis . (e_m x e_normal) = +-1 for the third axis m */
        if (k == 1) put(s, 6 * ball + 3 + (normal + 2) % 3, row, sign * side / 2);
        if (k == 2) put(s, 6 * ball + 3 + (normal + 1) % 3, row, -sign * side / 2);
    }
}

/* Ball b touches ball a, or a wall (a < 0) that it should move away from in direction side of the axis. */
static void touch_along(sheet *s, int a, int b, int normal, double side, double mu, double speed)
{
    put_ball(s, b, normal, -side, side);
    if (a >= 0) put_ball(s, a, normal, side, -side);
    s->b[3 * s->contact_count] = speed;
    s->sets[s->contact_count++] = tp_set_coulomb(3, mu);
}

/* nx by ny balls on a floor, side by side between two walls that approach with the speed each; gravity, and
   random velocities of the balls before the impact. */
static tp_problem *moving_sheet(int nx, int ny, double mu, double approach, double velocity)
{
    check_random random = {17};
    sheet *s = calloc(1, sizeof *s);
    int balls = nx * ny, m = 6 * balls;
    int *index = malloc((size_t)m * sizeof(int));
    double *mass = malloc((size_t)m * sizeof(double)), *f = calloc((size_t)m, sizeof(double));
    for (int k = 0; k < m; k++) {
        index[k] = k;
        mass[k] = k % 6 < 3 ? 1.0 : 0.1;
        if (k % 6 == 2) f[k] = -0.1;
        if (velocity > 0.0) f[k] += velocity * mass[k] * check_normal(&random);
    }
    for (int j = 0; j < ny; j++) {
        for (int i = 0; i < nx; i++) {
            int ball = j * nx + i;
            if (i + 1 < nx) touch_along(s, ball, ball + 1, 0, 1.0, mu, 0.0);
            if (j + 1 < ny) touch_along(s, ball, ball + nx, 1, 1.0, mu, 0.0);
            touch_along(s, -1, ball, 2, 1.0, mu, 0.0);
        }
        touch_along(s, -1, j * nx, 0, 1.0, mu, -approach);
        touch_along(s, -1, j * nx + nx - 1, 0, -1.0, mu, -approach);
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = m;
    def.row_count = 3 * s->contact_count;
    def.set_count = s->contact_count;
    def.sets = s->sets;
    def.M = (tp_entries){m, m, m, index, index, mass};
    def.A = (tp_entries){m, def.row_count, s->entry_count, s->row, s->col, s->value};
    def.f = f;
    def.b = s->b;
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    free(s), free(index), free(mass), free(f);
    return problem;
}

static tp_problem *squeezed_sheet(int nx, int ny, double mu, double approach)
{
    return moving_sheet(nx, ny, mu, approach, 0.0);
}

/* The proof, checked by the definition: y has normal parts alone, none negative, c.y < 0, and a change of P
   along any row leaves y.xi as it is. */
static void check_proof(void **check_state_, const tp_problem *problem, const double *y)
{
    int n = problem->row_count;
    double *P = calloc((size_t)n, sizeof(double)), *xi = malloc((size_t)n * sizeof(double)), sum = 0.0;
    CHECK_INT(tp_problem_state(problem, P, NULL, xi), TP_OK);
    for (int k = 0; k < n; k++) {
        CHECK(k % 3 == 0 ? y[k] >= 0.0 : y[k] == 0.0);
        sum += y[k] * xi[k];
    }
    CHECK(sum < 0.0);
    for (int k = 0; k < n; k++) P[k] = 100.0 * sin(7.0 * k);
    CHECK_INT(tp_problem_state(problem, P, NULL, xi), TP_OK);
    double other = 0.0, size = 0.0;
    for (int k = 0; k < n; k++) {
        other += y[k] * xi[k];
        size += fabs(y[k]) * (fabs(xi[k]) + 600.0); /* six impulses of 100 act on a ball */
    }
    CHECK_NEAR(other, sum, 1e-14 * size + 1e-9 * fabs(sum));
    free(P), free(xi);
}

static tp_status prove(const tp_problem *problem, double *y)
{
    tp_stack stack;
    tp_local local;
    double work = 0.0;
    tp_stack_init(&stack, NULL);
    tp_status status = tp_local_form(problem, &stack, &local);
    if (status == TP_OK) status = tp_frictionless_proof(&local, 1e8, &stack, y, &work);
    tp_stack_clear(&stack);
    return status;
}

TEST(squeezed_sheets_have_no_solution_with_any_friction)
{
    static const int sides[][2] = {{3, 1}, {10, 1}, {5, 5}, {10, 10}};
    static const double friction[] = {0.0, 0.3, 1.0, 3.0};
    for (int k = 0; k < 16; k++) {
        tp_problem *problem = squeezed_sheet(sides[k / 4][0], sides[k / 4][1], friction[k % 4], 1.0);
        double *y = calloc((size_t)problem->row_count, sizeof(double));
        tp_report report;
        CHECK_INT(prove(problem, y), TP_OK);
        check_proof(check_state_, problem, y);
        /* the default solver says so, long before its budget of 2e9 block products is spent */
        CHECK_INT(solve_with(problem, NULL, 1e-8, y, &report), TP_INFEASIBLE);
        CHECK(report.work < 1e7);
        free(y);
        tp_problem_free(problem);
    }
}

TEST(sheets_between_walls_at_rest_or_moving_apart_are_not_called_impossible)
{
    static const double friction[] = {0.0, 0.3, 1.0, 3.0};
    for (int k = 0; k < 8; k++) {
        tp_problem *problem = squeezed_sheet(5, 5, friction[k % 4], k < 4 ? 0.0 : -0.2);
        double *y = calloc((size_t)problem->row_count, sizeof(double));
        tp_report report;
        CHECK_INT(prove(problem, y), TP_NOT_CONVERGED);
        CHECK_INT(solve_with(problem, NULL, 1e-8, y, &report), TP_OK);
        free(y);
        tp_problem_free(problem);
    }
}

/* Walls that approach by a millionth of the speed of everything else: still a proof, and still a problem
   without a solution, because E cannot fall below about 1e-7. Proofs with c.y above -1e-3 |c| |y| were
   refused once, and the solver then searched in vain for half a minute. */
TEST(a_slow_squeeze_among_fast_motion_is_found)
{
    static const double friction[] = {0.0, 0.3, 1.0}, approach[] = {1e-2, 1e-4, 1e-6};
    for (int k = 0; k < 18; k++) {
        int side = k < 9 ? 3 : 10;
        tp_problem *problem = moving_sheet(side, side, friction[k % 3], approach[k / 3 % 3], 1.0);
        double *y = calloc((size_t)problem->row_count, sizeof(double));
        tp_report report;
        CHECK_INT(prove(problem, y), TP_OK);
        check_proof(check_state_, problem, y);
        CHECK_INT(solve_with(problem, NULL, 1e-8, y, &report), TP_INFEASIBLE);
        CHECK(report.work < 1e8);
        free(y);
        tp_problem_free(problem);
    }
}

/* The same balls between walls that stand still: solved, and no proof is found. */
TEST(fast_motion_between_walls_at_rest_is_solved)
{
    static const double friction[] = {0.0, 0.3, 1.0};
    for (int k = 0; k < 6; k++) {
        int side = k < 3 ? 3 : 10;
        tp_problem *problem = moving_sheet(side, side, friction[k % 3], 0.0, 1.0);
        double *y = calloc((size_t)problem->row_count, sizeof(double));
        tp_report report;
        CHECK_INT(prove(problem, y), TP_NOT_CONVERGED);
        CHECK_INT(solve_with(problem, NULL, 1e-8, y, &report), TP_OK);
        free(y);
        tp_problem_free(problem);
    }
}

TEST_MAIN(RUNS(squeezed_sheets_have_no_solution_with_any_friction),
          RUNS(sheets_between_walls_at_rest_or_moving_apart_are_not_called_impossible),
          RUNS(a_slow_squeeze_among_fast_motion_is_found), RUNS(fast_motion_between_walls_at_rest_is_solved))
