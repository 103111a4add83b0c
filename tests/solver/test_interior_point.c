/* `interior-point`: the central path of the cones with slip speeds foreseen in part; theory/solvers.md
 * (37)-(40). */
#include "every_solver.h"

#include <math.h>
#include <string.h>

enum { FEET = 4, ROWS = 3 * FEET, UNKNOWNS = 6 };

/* A plate of mass 2 and inertia 1 on four feet at (+-1, +-1, -height) on a floor, pushed along x: rows are
   up, x, y of each foot. Its feet share the weight in many ways. */
static tp_problem *plate_on_feet(double friction, double weight, double push, double height)
{
    double A[UNKNOWNS * ROWS] = {0}, M[UNKNOWNS * UNKNOWNS] = {0}, f[UNKNOWNS] = {push, 0.0, -weight},
                        b[ROWS] = {0};
    tp_set sets[FEET];
    for (int j = 0; j < UNKNOWNS; j++) M[j * (UNKNOWNS + 1)] = j < 3 ? 2.0 : 1.0;
    f[4] = -push * height; /* the push acts at the height of the feet: nothing tips the plate */
    for (int i = 0; i < FEET; i++) {
        double arm[3] = {i % 2 == 0 ? 1.0 : -1.0, i < 2 ? 1.0 : -1.0, -height};
        sets[i] = tp_set_coulomb(3, friction);
        for (int k = 0; k < 3; k++) {
            int axis = (k + 2) % 3;
            double direction[3] = {axis == 0, axis == 1, axis == 2}, *column = A + UNKNOWNS * (3 * i + k);
            column[axis] = 1.0;
            for (int m = 0; m < 3; m++) {
                int p = (m + 1) % 3, q = (m + 2) % 3;
                column[3 + m] = arm[p] * direction[q] - arm[q] * direction[p];
            }
        }
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = UNKNOWNS, def.row_count = ROWS, def.set_count = FEET, def.sets = sets, def.f = f, def.b = b;
    def.M = (tp_entries){UNKNOWNS, UNKNOWNS, UNKNOWNS * UNKNOWNS, NULL, NULL, M};
    def.A = (tp_entries){UNKNOWNS, ROWS, UNKNOWNS * ROWS, NULL, NULL, A};
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    return problem;
}

static tp_status solve(const tp_problem *problem, double tolerance, int most, double *P, double *x,
                       tp_report *report)
{
    tp_workspace *workspace;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = tolerance;
    options.max_iterations = most;
    tp_status status = tp_solve(problem, "interior-point", &options, workspace, P, x, report);
    tp_workspace_free(workspace);
    return status;
}

/* Below mu W the plate stays, above it slides with (push - mu W)/m; the feet carry the weight together. An
   error E is a velocity of E |c|, and impulses have masses of 2 at most: 1e-10 with room for sums of 12. */
TEST(a_plate_on_four_feet_sticks_and_slides_as_in_closed_form)
{
    const double friction = 0.5, weight = 3.0, push[2] = {1.0, 4.0};
    for (int k = 0; k < 2; k++) {
        double P[ROWS] = {0}, x[UNKNOWNS], up = 0.0, along = 0.0;
        tp_problem *problem = plate_on_feet(friction, weight, push[k], 0.2);
        tp_report report;
        CHECK_INT(solve(problem, 1e-11, 0, P, x, &report), TP_OK);
        for (int i = 0; i < FEET; i++) {
            up += P[3 * i];
            along += P[3 * i + 1];
        }
        CHECK_NEAR(up, weight, 1e-9);
        CHECK_NEAR(along, -fmin(push[k], friction * weight), 1e-9);
        CHECK_NEAR(x[0], fmax(0.0, push[k] - friction * weight) / 2.0, 1e-9);
        CHECK_NEAR(x[2], 0.0, 1e-9);
        tp_problem_free(problem);
    }
}

/* Without Newton steps: with full steps 0.3^k of the gap is left after k of them, and E is about its square
   root, 2e-4 after 14; shorter steps need a few more. A wrong scaling leaves E above 0.05. */
TEST(the_central_path_alone_comes_close_to_solutions)
{
    check_random random = {4};
    for (int trial = 0; trial < 20; trial++) {
        double P[SUITABLE_ROWS] = {0};
        tp_problem *problem = random_global(&random, 1 + trial % 10);
        tp_report report;
        tp_status status = solve(problem, 1e-13, 20, P, NULL, &report);
        CHECK(status == TP_NOT_CONVERGED || status == TP_OK);
        if (!(report.error < 2e-3)) print_error("trial %d: E = %g, %s\n", trial, report.error, report.reason);
        CHECK(report.error < 2e-3);
        tp_problem_free(problem);
    }
}

TEST(random_contacts_between_bodies_are_solved)
{
    check_random random = {5};
    for (int trial = 0; trial < 40; trial++) {
        double P[SUITABLE_ROWS] = {0};
        tp_problem *problem = random_global(&random, 1 + trial % 10);
        tp_report report;
        tp_residual residual;
        CHECK_INT(solve(problem, 1e-10, 0, P, NULL, &report), TP_OK);
        CHECK_INT(tp_problem_error(problem, P, &residual), TP_OK);
        CHECK(residual.error <= 1.01e-10);
        tp_problem_free(problem);
    }
}

TEST(contacts_without_friction_and_local_forms_are_refused_in_words)
{
    double P[ROWS] = {0};
    check_random random = {6};
    tp_report report;
    tp_problem *smooth = plate_on_feet(0.0, 1.0, 1.0, 0.0), *local = random_contacts(&random, 3, 0.2, 0.5);
    CHECK_INT(solve(smooth, 1e-8, 0, P, NULL, &report), TP_UNSUPPORTED);
    CHECK(strstr(report.reason, "friction above 0") != NULL);
    CHECK_INT(solve(local, 1e-8, 0, P, NULL, &report), TP_UNSUPPORTED);
    CHECK(strstr(report.reason, "local form") != NULL);
    tp_problem_free(smooth);
    tp_problem_free(local);
}

TEST_MAIN(RUNS(a_plate_on_four_feet_sticks_and_slides_as_in_closed_form),
          RUNS(the_central_path_alone_comes_close_to_solutions),
          RUNS(random_contacts_between_bodies_are_solved),
          RUNS(contacts_without_friction_and_local_forms_are_refused_in_words))
