/* Springs in place of laws: what they miss under load; docs/theory/relaxed-dai.md (16)-(19). */
#include "check.h"
#include "tippe/set.h"

#include <math.h>

static const tp_penalty spring = {.stiffness = 1e4, .damping_time = 0.01, .yielding = 1e-3};

/* -K y (y^2 - 1)/2 = m g for a pendulum (x^2 + y^2 - 1)/2 = 0 that hangs: y = -1.00097956. */
TEST(a_hanging_pendulum_is_longer_by_its_load_over_the_stiffness)
{
    double y = -1.0;
    for (int k = 0; k < 50; k++) { /* Newton's method on y lambda(y) = m g */
        double g = 0.5 * (y * y - 1.0), lambda = tp_penalty_equality(&spring, g, 0.0);
        y -= (y * lambda - 9.81) / (lambda - spring.stiffness * y * y);
    }
    CHECK_NEAR(y, -1.00097956, 5e-9);
    CHECK_NEAR(0.5 * (y * y - 1.0), 9.8004e-4, 5e-9);
}

/* M = 1, K = 1000, beta = 0.01, force 0.5 below the bound 1: it yields by f/K and then stays. */
TEST(friction_of_a_spring_yields_by_force_over_stiffness)
{
    const tp_penalty soft = {.stiffness = 1000.0, .damping_time = 0.01, .yielding = 0.01};
    tp_set friction = tp_set_ball(1, 1.0);
    double x = 0.0, v = 0.0, e = 0.0, h = 1e-5, force = 0.0;
    for (int k = 0; k < 400000; k++) {
        double rate;
        tp_penalty_friction(&soft, &friction, 1.0, &e, &v, &force, &rate);
        v += h * (0.5 + force);
        x += h * v;
        e += h * rate;
    }
    const double left = exp(-0.5 * 1000.0 * 0.01 * 4.0); /* e^(-K beta t/(2 m)) */
    CHECK_NEAR(x, 0.5 / 1000.0, 0.5 / 1000.0 * left);
    CHECK_NEAR(force, -0.5, left);
    CHECK_NEAR(v, 0.0, 0.5 / sqrt(1000.0) * left);
}

TEST(a_contact_of_springs_rests_below_the_surface)
{
    double x = 0.0, v = 0.0, e = 0.0, h = 1e-5;
    for (int k = 0; k < 200000; k++) {
        double rate, force = tp_penalty_contact(&spring, x, e, &rate);
        CHECK(force >= 0.0);
        v += h * (force - 9.81);
        x += h * v;
        e += h * rate;
    }
    CHECK_NEAR(x, -9.81e-4, 1e-12);
    CHECK_NEAR(e, 9.81e-4, 1e-12);
}

/* (19) satisfies what it comes from: lambda = K (e + beta e') with e' = (e - e0)/h, g + e = 0 where it
   pushes, v + e_T' = 0 where it sticks and lambda_T on the boundary, opposed to v, where it slips. */
TEST(an_implicit_step_satisfies_the_equations_of_the_springs)
{
    const double h = 1e-3, K = spring.stiffness, beta = spring.damping_time;
    tp_set contact = tp_set_coulomb(3, 0.5);
    const struct {
        double gap, v[2];
    } cases[] = {{-1e-3, {1e-3, 0.0}}, {-1e-3, {3.0, 4.0}}, {1.0, {1.0, 1.0}}};
    for (int i = 0; i < 3; i++) {
        double e0[3] = {2e-4, 1e-4, -1e-4}, e[3] = {2e-4, 1e-4, -1e-4}, force[3];
        tp_penalty_contact_step(&spring, &contact, h, cases[i].gap, cases[i].v, e, force);
        for (int k = 0; k < 3; k++) {
            double rate = (e[k] - e0[k]) / h;
            CHECK_NEAR(force[k], K * (e[k] + beta * rate), 1e-9);
        }
        if (i < 2) CHECK_NEAR(e[0], -cases[i].gap, 1e-15);
        if (i == 0) CHECK_NEAR(cases[i].v[0] + (e[1] - e0[1]) / h, 0.0, 1e-12);
        if (i == 1) CHECK_NEAR(hypot(force[1], force[2]), 0.5 * force[0], 1e-9);
        if (i == 2) CHECK(force[0] == 0.0 && force[1] == 0.0 && force[2] == 0.0);
    }
}

TEST_MAIN(RUNS(a_hanging_pendulum_is_longer_by_its_load_over_the_stiffness),
          RUNS(friction_of_a_spring_yields_by_force_over_stiffness),
          RUNS(a_contact_of_springs_rests_below_the_surface),
          RUNS(an_implicit_step_satisfies_the_equations_of_the_springs))
