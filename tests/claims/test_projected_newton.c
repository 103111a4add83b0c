/* Claim: the projected Newton method solves the steps of the double pendulum at its wall in few iterations,
   and the steps written down by hand are those of the integrator; theory/solvers.md (29)-(31), consistent.md
   (11)-(17). */
#include "models.h"
#include "problems.h"

static const double mass = 0.2, rod = 0.5, gravity = 9.81;

enum { Q = 4, JOINTS = 2, UNKNOWNS = 2 * Q + 2 * JOINTS }; /* q+, u+, L, K */

/* The smooth step from (q, u) with the closed contacts x1 >= 0, x2 >= 0. */
typedef struct pendulum_step {
    double dt, q[Q], u[Q];
    int closed_count, closed[2]; /* coordinate of each */
} pendulum_step;

static void rods(const double *q, double *g)
{
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - rod * rod);
    g[1] = 0.5 * ((q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1]) - rod * rod);
}

/* dg/dq at q, or d(gamma)/dq for a velocity in its place: the rows are linear. */
static void rod_rows(const double *q, double W[JOINTS][Q])
{
    const double first[Q] = {q[0], q[1], 0.0, 0.0};
    const double second[Q] = {q[0] - q[2], q[1] - q[3], q[2] - q[0], q[3] - q[1]};
    memcpy(W[0], first, sizeof first);
    memcpy(W[1], second, sizeof second);
}

static double apply(const double *row, const double *v)
{
    return row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * v[3];
}

static tp_status residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    const pendulum_step *s = self;
    const double *end = x, *u = x + Q, *L = x + 2 * Q, *K = L + JOINTS,
                 force[Q] = {0.0, gravity, 0.0, gravity};
    double middle[Q], Dg[JOINTS][Q], Dgamma[JOINTS][Q], begin[JOINTS][Q], at_end[JOINTS][Q];
    for (int i = 0; i < Q; i++) middle[i] = 0.5 * (s->q[i] + end[i]);
    rod_rows(middle, Dg);
    rod_rows(u, Dgamma);
    rod_rows(s->q, begin);
    rod_rows(end, at_end);
    for (int i = 0; i < Q; i++) {
        F[i] = mass * (u[i] - s->u[i] - s->dt * force[i]);
        F[Q + i] = mass * (s->q[i] - end[i] + 0.5 * s->dt * (s->u[i] + u[i]));
        for (int k = 0; k < JOINTS; k++) {
            F[i] -= Dg[k][i] * L[k] + Dgamma[k][i] * K[k];
            F[Q + i] -= begin[k][i] * K[k];
        }
    }
    rods(end, F + 2 * Q);
    for (int k = 0; k < JOINTS; k++) F[2 * Q + JOINTS + k] = apply(at_end[k], u);
    for (int c = 0; c < s->closed_count; c++) {
        F[s->closed[c]] -= P[c];
        xi[c] = end[s->closed[c]] - s->q[s->closed[c]];
    }
    return TP_OK;
}

/* Differences of the rods' rows: d(rows(q)^T k)/dq is constant in q. */
static void add_curvature(const double *k, double factor, double *M, int column)
{
    for (int j = 0; j < Q; j++) {
        double unit[Q] = {0.0}, W[JOINTS][Q];
        unit[j] = 1.0;
        rod_rows(unit, W);
        for (int i = 0; i < Q; i++)
            M[i + UNKNOWNS * (column + j)] += factor * (W[0][i] * k[0] + W[1][i] * k[1]);
    }
}

static tp_status linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    const pendulum_step *s = self;
    const double *end = x, *u = x + Q, *L = x + 2 * Q, *K = L + JOINTS;
    double *M = linear->M.value, middle[Q], Dg[JOINTS][Q], Dgamma[JOINTS][Q], begin[JOINTS][Q],
           at_end[JOINTS][Q];
    (void)P;
    memset(M, 0, UNKNOWNS * UNKNOWNS * sizeof *M); /* all entries, by columns */
    for (int i = 0; i < Q; i++) middle[i] = 0.5 * (s->q[i] + end[i]);
    rod_rows(middle, Dg);
    rod_rows(u, Dgamma);
    rod_rows(s->q, begin);
    rod_rows(end, at_end);
    for (int i = 0; i < Q; i++) {
        M[i + UNKNOWNS * (Q + i)] = mass;
        M[Q + i + UNKNOWNS * i] = -mass;
        M[Q + i + UNKNOWNS * (Q + i)] = 0.5 * s->dt * mass;
        for (int k = 0; k < JOINTS; k++) {
            M[i + UNKNOWNS * (2 * Q + k)] = -Dg[k][i];
            M[i + UNKNOWNS * (2 * Q + JOINTS + k)] = -Dgamma[k][i];
            M[Q + i + UNKNOWNS * (2 * Q + JOINTS + k)] = -begin[k][i];
            M[2 * Q + k + UNKNOWNS * i] = at_end[k][i];
            M[2 * Q + JOINTS + k + UNKNOWNS * i] = Dgamma[k][i];
            M[2 * Q + JOINTS + k + UNKNOWNS * (Q + i)] = at_end[k][i];
        }
    }
    add_curvature(L, -0.5, M, 0);
    add_curvature(K, -1.0, M, Q);
    return TP_OK;
}

static tp_problem *linear_problem(const pendulum_step *s)
{
    double M[UNKNOWNS * UNKNOWNS], one[2] = {1.0, 1.0};
    int column[2] = {0, 1};
    tp_set sets[2] = {tp_set_orthant(1), tp_set_orthant(1)};
    for (int i = 0; i < UNKNOWNS * UNKNOWNS; i++) M[i] = 1.0; /* the pattern: all of it */
    tp_problem_def def = tp_problem_def_default();
    def.x_count = UNKNOWNS;
    def.row_count = def.set_count = s->closed_count;
    def.sets = sets;
    def.M = (tp_entries){UNKNOWNS, UNKNOWNS, UNKNOWNS * UNKNOWNS, NULL, NULL, M};
    def.A = (tp_entries){UNKNOWNS, s->closed_count, s->closed_count, s->closed, column, one};
    tp_problem *linear = NULL;
    tp_message why = {""};
    if (tp_problem_create(NULL, &def, &linear, &why) != TP_OK) fail_msg("%s", why.text);
    return linear;
}

/* The elastic impact at q: W^T M^-1 W P + (1 + e) W^T u, rods first with e = 0. */
static void impact(pendulum_step *s)
{
    double W[4][Q] = {{0.0}}, G[16], c[4], P[4];
    int rows = JOINTS + s->closed_count;
    tp_set sets[3] = {tp_set_free(JOINTS), tp_set_orthant(1), tp_set_orthant(1)};
    tp_report report;
    rod_rows(s->q, W);
    for (int k = 0; k < s->closed_count; k++) W[JOINTS + k][s->closed[k]] = 1.0;
    for (int i = 0; i < rows; i++) {
        c[i] = (i < JOINTS ? 1.0 : 2.0) * apply(W[i], s->u);
        for (int j = 0; j < rows; j++) G[i + rows * j] = apply(W[i], W[j]) / mass;
    }
    tp_problem *problem = make_local(rows, G, c, sets, 1 + s->closed_count);
    if (solve_with(problem, "auto", 1e-15, P, &report) != TP_OK) fail_msg("%s", report.reason);
    tp_problem_free(problem);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < Q; j++) s->u[j] += W[i][j] * P[i] / mass;
    }
}

/* One whole step; returns the iterations of the projected Newton method. */
static int step_by_hand(void **check_state_, pendulum_step *s, bool refresh, tp_workspace *workspace)
{
    s->closed_count = 0;
    for (int i = 0; i < Q; i += 2) {
        if (s->q[i] <= 1e-12) s->closed[s->closed_count++] = i;
    }
    if (s->closed_count > 0) impact(s);
    double x[UNKNOWNS] = {0.0}, P[2] = {0.0};
    for (int i = 0; i < Q; i++) {
        x[i] = s->q[i] + s->dt * s->u[i];
        x[Q + i] = s->u[i];
    }
    tp_inclusion inclusion = {
        .self = s, .linear = linear_problem(s), .residual = residual, .linearise = linearise};
    tp_inclusion_options options = tp_inclusion_options_default();
    options.tolerance = 1e-14;
    options.refresh = refresh;
    tp_report report;
    CHECK_INT(tp_solve_inclusion(&inclusion, &options, workspace, x, P, &report), TP_OK);
    tp_problem_free(inclusion.linear);
    memcpy(s->q, x, sizeof s->q);
    memcpy(s->u, x + Q, sizeof s->u);
    return report.iterations;
}

/* 180 steps of 0.01 s, three impacts. The integrator solves the same equations another way. */
TEST(projected_newton_takes_few_iterations_on_the_double_pendulum_and_finds_the_steps_of_the_integrator)
{
    for (int refresh = 0; refresh < 2; refresh++) {
        pendulum_step s = {.dt = 0.01, .q = {0.0, 0.5, 0.0, 1.0}, .u = {2.5, 0.0, 5.0, 0.0}};
        tp_workspace *workspace;
        CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
        tp_model *model = double_pendulum_redundant();
        tp_simulation *simulation = simulate_with(model, "consistent-two-step", s.dt, 2.0);
        int most = 0;
        for (int k = 1; k <= 180; k++) {
            int iterations = step_by_hand(check_state_, &s, refresh != 0, workspace);
            most = iterations > most ? iterations : most;
            step_to(simulation, k * s.dt);
            for (int i = 0; i < Q; i++) CHECK_NEAR(s.q[i], tp_simulation_q(simulation)[i], 1e-11);
        }
        CHECK(most <= (refresh ? 5 : 9));
        tp_simulation_free(simulation);
        tp_model_free(model);
        tp_workspace_free(workspace);
    }
}

TEST_MAIN(
    RUNS(projected_newton_takes_few_iterations_on_the_double_pendulum_and_finds_the_steps_of_the_integrator))
