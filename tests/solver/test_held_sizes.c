/* Friction that follows the reaction of its joint, beside a contact with friction: an arm on a hinge whose
   foot rests on a floor, against its equation with one unknown; theory/solvers.md (13a), (28b). */
#include "dense_problem.h"
#include "math/dense.h"
#include "set/samples.h"
#include "solver/held_sizes.h"
#include "solver/newton/reduced_system.h"

/* Mass and inertia, arms of the hinge and of the foot about the centre of mass, gravity times dt. */
static const double mass = 1.0, inertia = 0.02, hinge[2] = {-0.14, -0.207}, foot[2] = {0.16, 0.207},
                    weight = 0.00981, foot_friction = 0.5, restitution = 0.4;

enum { ROWS = 5 }; /* hinge x, y; turning; foot N, T */

/* The arm turns with -rate, rate > 0: the hinge must stop or go on, the foot must bounce back. */
static tp_problem *arm(double hinge_friction, double rate, double *G, double *c)
{
    const double W[ROWS][3] = {
        {1, 0, hinge[0]}, {0, 1, hinge[1]}, {0, 0, 1}, {0, 1, foot[1]}, {1, 0, foot[0]}};
    const double M[3] = {mass, mass, inertia}, u[3] = {hinge[0] * rate, hinge[1] * rate, -rate},
                 f[3] = {0.0, -weight, 0.0}, e[ROWS] = {0.0, 0.0, 0.0, restitution, 0.0};
    for (int i = 0; i < ROWS; i++) {
        c[i] = 0.0;
        for (int k = 0; k < 3; k++) c[i] += W[i][k] * (f[k] / M[k] + (1.0 + e[i]) * u[k]);
        for (int j = 0; j < ROWS; j++) {
            G[i + ROWS * j] = 0.0;
            for (int k = 0; k < 3; k++) G[i + ROWS * j] += W[i][k] * W[j][k] / M[k];
        }
    }
    const tp_set sets[] = {tp_set_free(2), tp_set_following(tp_set_ball(1, hinge_friction), 0, 2),
                           tp_set_coulomb(2, foot_friction)};
    return dense_problem(ROWS, G, c, 3, sets);
}

/* Momentum of the arm about its centre, with everything slipping forward, as a function of P_N of the foot.
 */
static double momentum_defect(double hinge_friction, double rate, double N, double *P)
{
    double s = (1.0 + restitution) * rate; /* change of the angular velocity: the foot bounces */
    P[3] = N;
    P[4] = -foot_friction * N;
    P[0] = -mass * hinge[0] * s - P[4];
    P[1] = -mass * hinge[1] * s + weight - N;
    P[2] = -hinge_friction * hypot(P[0], P[1]);
    return hinge[0] * P[0] + hinge[1] * P[1] + P[2] + foot[1] * P[3] + foot[0] * P[4] - inertia * s;
}

static void solve_by_bisection(double hinge_friction, double rate, double *P)
{
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 200; k++) {
        double middle = 0.5 * (low + high);
        if (momentum_defect(hinge_friction, rate, middle, P) > 0.0)
            high = middle;
        else
            low = middle;
    }
}

/* What went wrong: with the bound of the hinge taken from the point before, Newton's method saw a hinge
   inside its bound that the last step had put on it, let it stick, and went round in circles, the longer the
   smaller velocities were beside the weight. Iterations may not grow with that. P is as good as the rounding
   of velocities, 1e-16 of the weight, through the smallest eigenvalue of the five rows, some 1e-3. */
TEST(an_arm_whose_hinge_and_foot_have_friction_is_solved_at_any_speed)
{
    for (int k = 0; k < 24; k++) {
        double G[ROWS * ROWS], c[ROWS], P[ROWS] = {0.0}, exact[ROWS];
        double rate = pow(10.0, -0.5 * k), friction = k % 2 == 0 ? 0.002 : 0.05;
        tp_problem *problem = arm(friction, rate, G, c);
        solve_by_bisection(friction, rate, exact);
        tp_solver_options options = tp_solver_options_default();
        options.tolerance = 1e-14;
        options.floor_factor = 32.0;
        options.warm_start = true;
        tp_report report = dense_solve(&tp_solver_auto, problem, &options, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.iterations < 300);
        for (int i = 0; i < ROWS; i++) CHECK_NEAR(P[i], exact[i], 1e-9 * tp_dense_norm(ROWS, exact));
        tp_problem_free(problem);
    }
}

/* Friction is a fifth of the arm of the reaction here: with a bound from the point before one step would
   leave a fifth of the error; with its derivative the square of it is left, through the curvature 1/|R| of
   |R|. */
TEST(a_newton_step_squares_the_error_of_friction_that_follows_a_reaction)
{
    const double friction = 0.05, off = 1e-3;
    double G[ROWS * ROWS], c[ROWS], exact[ROWS], P[ROWS], xi[ROWS], size = 0.0;
    tp_problem *problem = arm(friction, 1e-2, G, c);
    tp_stack stack;
    tp_local local;
    tp_reduced_system system;
    solve_by_bisection(friction, 1e-2, exact);
    size = tp_dense_norm(ROWS, exact);
    for (int i = 0; i < ROWS; i++) P[i] = exact[i] * (i % 2 == 0 ? 1.0 + off : 1.0 - off);
    tp_stack_init(&stack, tp_allocator_default());
    CHECK_INT(tp_local_form(problem, &stack, &local), TP_OK);
    CHECK_INT(tp_reduced_system_init(&system, &local, &stack), TP_OK);
    tp_local_velocity(&local, exact, xi);
    tp_reduced_system_linearise(&system, P, xi, 0.0, NULL);
    CHECK_INT(tp_reduced_system_solve(&system, 0.0, &stack, P), TP_OK);
    for (int i = 0; i < ROWS; i++) CHECK_NEAR(P[i], exact[i], 10.0 * off * off * size);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

/* A set with its size held holds what the set holds whose master has that size: nearest points agree, for
   friction of every kind and number of rows. Terms are below 10; a search for the nearest point ends at a
   thousand roundings. */
TEST(a_set_with_its_size_held_is_that_of_a_master_of_the_size)
{
    check_random random = {91};
    for (int round = 0; round < 20 * (int)FRICTION_CASE_COUNT; round++) {
        const friction_case *c = &friction_cases[round % (int)FRICTION_CASE_COUNT];
        tp_set friction = tp_set_friction(c->kind, c->dimension, c->parameter);
        tp_set follower = tp_set_following(friction, 7, 2);
        double size = check_uniform(&random, 0.0, 3.0), z[TP_SET_MAX], by_held[TP_SET_MAX],
               by_size[TP_SET_MAX];
        tp_set held = tp_set_held(&follower, size);
        random_vector(&random, c->dimension, 2.0, z);
        CHECK_INT(held.master_count, 0);
        CHECK_INT(held.size, c->dimension);
        tp_set_project(&held, 1.0, z, by_held);
        tp_set_project(&follower, size, z, by_size);
        for (int k = 0; k < c->dimension; k++) CHECK_NEAR(by_held[k], by_size[k], 1e-12);
        held = tp_set_held(&friction, size);
        CHECK_INT(memcmp(&held, &friction, sizeof held), 0);
    }
}

TEST_MAIN(RUNS(an_arm_whose_hinge_and_foot_have_friction_is_solved_at_any_speed),
          RUNS(a_set_with_its_size_held_is_that_of_a_master_of_the_size),
          RUNS(a_newton_step_squares_the_error_of_friction_that_follows_a_reaction))
