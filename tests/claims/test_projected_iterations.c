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

/* The contact of a tippe top (rows N, T1, T2, drilling), inclination 0.1 rad: directions over (v, w). With
   scaled rows the last one is multiplied by the drilling radius, and the ellipsoid is a ball. */
static const double drilling_radius = 2.945e-4;

static void tippe_top_directions(bool is_scaled, double W[6][4])
{
    const double offset = 0.003, radius = 0.015, co = cos(0.1), si = sin(0.1);
    const double R[3][3] = {{1, 0, 0}, {0, co, -si}, {0, si, co}};
    const double r[3] = {0.0, -offset * si, offset * co - radius};
    const double direction[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    memset(W, 0, 24 * sizeof(double));
    for (int k = 0; k < 3; k++) {
        const double *d = direction[k];
        const double moment[3] = {r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2],
                                  r[0] * d[1] - r[1] * d[0]};
        for (int i = 0; i < 3; i++) {
            W[i][k] = d[i];
            for (int j = 0; j < 3; j++) W[3 + i][k] += R[j][i] * moment[j];
        }
    }
    for (int i = 0; i < 3; i++) W[3 + i][3] = R[2][i] * (is_scaled ? drilling_radius : 1.0);
}

static tp_problem *tippe_top_problem(double W[6][4], const double *c, tp_set set)
{
    const double mass = 0.006, J[3] = {8e-7, 8e-7, 7e-7};
    double G[16];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            G[i + 4 * j] = 0.0;
            for (int k = 0; k < 6; k++) G[i + 4 * j] += W[k][i] * W[k][j] / (k < 3 ? mass : J[k - 3]);
        }
    }
    return make_local(4, G, c, &set, 1);
}

/* It sticks. */
static tp_problem *tippe_top_contact(void)
{
    const double c[4] = {-1e-3, 5e-5, -3e-5, 5e-4}, axes[3] = {0.3, 0.3, 0.3 * drilling_radius};
    double W[6][4];
    tippe_top_directions(false, W);
    return tippe_top_problem(W, c, tp_set_contact(TP_FRICTION_ELLIPSOID, 4, axes));
}

/* It slides: 180 rad/s about its axis, and it comes down with 2e-4 m/s. */
static tp_problem *sliding_top(tp_friction_kind shape, bool is_scaled)
{
    const double u[6] = {0.0, 0.0, -2e-4, 0.0, 0.0, 180.0}, last = is_scaled ? 1.0 : drilling_radius;
    const double axes[3] = {0.3, 0.3, 0.3 * last}, sliding_drilling[2] = {0.3, 0.3 * last};
    double W[6][4], c[4] = {0.0};
    tippe_top_directions(is_scaled, W);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 6; k++) c[i] += W[k][i] * u[k];
    }
    return tippe_top_problem(W, c,
                             shape == TP_FRICTION_CONTENSOU ? tp_set_contact(shape, 4, sliding_drilling)
                                                            : tp_set_contact(shape, 4, axes));
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

/* Friction of a sliding contact: as a ball in scaled rows (or transformed ones), as the ellipsoid itself, as
   the exact body. In scaled rows the exact body takes as few sweeps as the ball. */
TEST(a_sliding_contact_with_drilling_takes_few_sweeps_as_a_ball_and_more_as_it_is)
{
    static const struct {
        tp_friction_kind shape;
        bool is_scaled, transformed;
        int sweeps;
    } cases[] = {{TP_FRICTION_ELLIPSOID, true, false, 4},
                 {TP_FRICTION_ELLIPSOID, false, true, 4},
                 {TP_FRICTION_ELLIPSOID, false, false, 11},
                 {TP_FRICTION_CONTENSOU, false, false, 10},
                 {TP_FRICTION_CONTENSOU, true, false, 4}};
    double P[5][4];
    for (int k = 0; k < 5; k++) {
        tp_problem *problem = sliding_top(cases[k].shape, cases[k].is_scaled);
        CHECK_INT(sweeps_until_still(problem, cases[k].transformed, false, P[k]), cases[k].sweeps);
        if (cases[k].is_scaled) P[k][3] *= drilling_radius;
        tp_problem_free(problem);
    }
    for (int i = 0; i < 4; i++) { /* the same answers, to what the sweeps leave */
        double size = i < 3 ? 0.3 * P[0][0] : 0.3 * P[0][0] * drilling_radius;
        CHECK_NEAR(P[1][i], P[0][i], 1e-9 * size);
        CHECK_NEAR(P[2][i], P[0][i], 1e-9 * size);
        CHECK_NEAR(P[4][i], P[3][i], 1e-9 * size);
    }
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

/* Rows scaled so that discs and ellipses become unit balls: other iterates, the same solution. (Discs were
   taken for balls of radius 1 whatever their friction.) */
TEST(transformed_rows_have_the_same_solution_for_discs_and_ellipses)
{
    const double G[9] = {2.0, 0.3, 0.1, 0.3, 1.5, 0.2, 0.1, 0.2, 1.0}, c[3] = {-1.0, 2.0, -0.7};
    const tp_set sets[2] = {tp_set_coulomb(3, 0.3),
                            tp_set_contact(TP_FRICTION_ELLIPSOID, 3, (double[]){0.3, 0.5})};
    tp_workspace *workspace;
    tp_workspace_create(NULL, &workspace);
    for (int k = 0; k < 4; k++) {
        tp_problem *problem = make_local(3, G, c, &sets[k / 2], 1);
        tp_solver_options options = tp_solver_options_default();
        double P[2][3];
        options.tolerance = 1e-12;
        options.recovering = k % 2 == 1;
        for (int transformed = 0; transformed < 2; transformed++) {
            tp_report report;
            options.transformed = transformed == 1;
            CHECK_INT(tp_solve(problem, "projected-gauss-seidel", &options, workspace, P[transformed], NULL,
                               &report),
                      TP_OK);
        }
        for (int i = 0; i < 3; i++) CHECK_NEAR(P[1][i], P[0][i], 1e-11);
        tp_problem_free(problem);
    }
    tp_workspace_free(workspace);
}

TEST_MAIN(RUNS(plain_jacobi_needs_207223_steps_where_one_recovering_step_does),
          RUNS(a_sticking_contact_with_drilling_needs_the_recovering_step),
          RUNS(a_sliding_contact_with_drilling_takes_few_sweeps_as_a_ball_and_more_as_it_is),
          RUNS(projected_newton_is_projected_jacobi_on_linear_problems),
          RUNS(transformed_rows_have_the_same_solution_for_discs_and_ellipses))
