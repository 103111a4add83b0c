/* What the theory says of the projected iterations: rates, recovery, transformation; theory/solvers.md
 * (15)-(18). */
#include "problems.h"

/* One block with G = diag(1e4, 1), c = (1, 1), free set: the second error falls like (1 - 1e-4)^n. */
static tp_problem *slow_block(void)
{
    const double G[4] = {1e4, 0.0, 0.0, 1.0}, c[2] = {1.0, 1.0};
    tp_set set = tp_set_free(2);
    return make_local(2, G, c, &set, 1);
}

static double error_after(const tp_problem *problem, int steps, bool recovering)
{
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = 0.0;
    options.max_iterations = steps;
    options.recovering = recovering;
    tp_workspace *workspace;
    tp_report report;
    double P[2];
    tp_workspace_create(NULL, &workspace);
    tp_solve(problem, "projected-jacobi", &options, workspace, P, NULL, &report);
    tp_workspace_free(workspace);
    return fmax(fabs(P[0] + 1e-4) / 1e-4, fabs(P[1] + 1.0));
}

TEST(plain_jacobi_needs_207223_steps_where_one_recovering_step_does)
{
    tp_problem *problem = slow_block();
    CHECK(error_after(problem, 207222, false) > 1e-9);
    CHECK(error_after(problem, 207223, false) <= 1e-9);
    CHECK(error_after(problem, 1, true) <= 1e-15);
    tp_problem_free(problem);
}

/* The sticking contact of a tippe top (rows N, T1, T2, drilling in physical units), inclination 0.1 rad. */
static const double drilling_radius = 2.945e-4;

static tp_problem *tippe_top_contact(void)
{
    const double mass = 0.006, J[3] = {8e-7, 8e-7, 7e-7}, offset = 0.003, radius = 0.015, friction = 0.3;
    const double co = cos(0.1), si = sin(0.1), R[3][3] = {{1, 0, 0}, {0, co, -si}, {0, si, co}};
    const double r[3] = {0.0, -offset * si, offset * co - radius};
    const double direction[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    double W[6][4] = {{0}}, G[16];
    for (int k = 0; k < 3; k++) {
        const double *d = direction[k];
        const double moment[3] = {r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2],
                                  r[0] * d[1] - r[1] * d[0]};
        for (int i = 0; i < 3; i++) {
            W[i][k] = d[i];
            for (int j = 0; j < 3; j++) W[3 + i][k] += R[j][i] * moment[j];
        }
    }
    for (int i = 0; i < 3; i++) W[3 + i][3] = R[2][i];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            G[i + 4 * j] = 0.0;
            for (int k = 0; k < 6; k++) G[i + 4 * j] += W[k][i] * W[k][j] / (k < 3 ? mass : J[k - 3]);
        }
    }
    const double c[4] = {-1e-3, 5e-5, -3e-5, 5e-4};
    const double axes[3] = {friction, friction, friction * drilling_radius};
    tp_set set = tp_set_contact(TP_SHAPE_ELLIPSOID, 4, axes, 3);
    return make_local(4, G, c, &set, 1);
}

/* Sweeps until no block moves by more than 1e-10 of its length (in the transformed rows, if they are). */
static int sweeps_until_still(const tp_problem *problem, bool transformed, bool recovering, double *P)
{
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = 0.0;
    options.max_iterations = 1;
    options.warm_start = true;
    options.transformed = transformed;
    options.recovering = recovering;
    tp_workspace *workspace;
    tp_workspace_create(NULL, &workspace);
    memset(P, 0, 4 * sizeof(double));
    int sweep = 0;
    bool is_still = false;
    while (!is_still && sweep < 100000) {
        double before[4], moved = 0.0, length = 0.0;
        tp_report report;
        memcpy(before, P, sizeof before);
        tp_solve(problem, "projected-gauss-seidel", &options, workspace, P, NULL, &report);
        sweep++;
        for (int k = 1; k < 4; k++) {
            double unit = transformed && k == 3 ? drilling_radius : 1.0;
            moved += (P[k] - before[k]) * (P[k] - before[k]) / (unit * unit);
            length += P[k] * P[k] / (unit * unit);
        }
        is_still = fabs(P[0] - before[0]) <= 1e-10 * fabs(P[0]) && sqrt(moved) <= 1e-10 * sqrt(length);
    }
    tp_workspace_free(workspace);
    return sweep;
}

TEST(a_sticking_contact_with_drilling_needs_the_recovering_step)
{
    tp_problem *problem = tippe_top_contact();
    const double expected[4] = {6.00039429e-6, -1.43304325e-7, 1.64182486e-7, -2.86110939e-10};
    double P[4];
    CHECK_INT(sweeps_until_still(problem, false, false, P), 60432);
    CHECK_INT(sweeps_until_still(problem, true, false, P), 42335);
    CHECK_INT(sweeps_until_still(problem, false, true, P), 8);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(P[k], expected[k], 1e-8 * fabs(expected[k])); /* nine printed digits */
    CHECK_INT(sweeps_until_still(problem, true, true, P), 9);
    for (int k = 0; k < 4; k++) CHECK_NEAR(P[k], expected[k], 1e-8 * fabs(expected[k]));
    double level = 0.0;
    for (int k = 1; k < 4; k++) level += pow(P[k] / (0.3 * P[0] * (k == 3 ? drilling_radius : 1.0)), 2);
    CHECK_NEAR(sqrt(level), 0.5531, 5e-5); /* inside the ellipsoid */
    tp_problem_free(problem);
}

/* With f = x - G P - c and g = x the projected Newton method is projected Jacobi, iterate for iterate. */
TEST(projected_newton_is_projected_jacobi_on_linear_problems)
{
    check_random random = {11};
    for (int trial = 0; trial < 10; trial++) {
        tp_problem *problem = random_contacts(&random, 4, 0.1, 0.8);
        tp_solver_options options = tp_solver_options_default();
        options.tolerance = 0.0;
        options.relaxation = 0.3;
        tp_workspace *workspace;
        tp_workspace_create(NULL, &workspace);
        for (int steps = 1; steps <= 40; steps += 13) {
            double a[12], b[12];
            tp_report report;
            options.max_iterations = steps;
            tp_solve(problem, "projected-jacobi", &options, workspace, a, NULL, &report);
            tp_solve(problem, "projected-newton", &options, workspace, b, NULL, &report);
            for (int k = 0; k < 12; k++) CHECK_NEAR(a[k], b[k], 1e-14 * (1.0 + fabs(a[k])));
        }
        tp_workspace_free(workspace);
        tp_problem_free(problem);
    }
}

TEST_MAIN(RUNS(plain_jacobi_needs_207223_steps_where_one_recovering_step_does),
          RUNS(a_sticking_contact_with_drilling_needs_the_recovering_step),
          RUNS(projected_newton_is_projected_jacobi_on_linear_problems))
