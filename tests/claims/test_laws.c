/* Every law of a model does what its theory says, with Moreau's rule; theory/models.md (6), (7). */
#include "models.h"

static const double gravity = 9.81;

/* A mass pulled by 2 N against dry friction of 3 N sticks; against 1.5 N it accelerates with (2 - 1.5)/m. */
TEST(friction_with_a_given_bound_holds_up_to_its_bound)
{
    for (int slides = 0; slides < 2; slides++) {
        tp_model *model = new_model();
        coordinate(model, "x", 0.0, 0.0);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*4*x'^2")));
        must(model, tp_model_add_force(model, "x", TP_FORMULA("2")));
        tp_law_def law = tp_law_def_default();
        law.name = "brake";
        law.kind = TP_LAW_FRICTION;
        law.velocity[0] = TP_FORMULA("x'");
        law.bound[0] = slides ? 1.5 : 3.0;
        must(model, tp_model_add_law(model, &law));
        must(model, tp_model_finish(model, NULL));
        tp_simulation *simulation = simulate(model, 1e-2, 1.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        CHECK_NEAR(tp_simulation_u(simulation)[0], slides ? 0.125 : 0.0, 1e-13);
        double P[TP_IMPULSE_ROWS];
        CHECK_INT(tp_simulation_last_impulse(simulation, 0, P), 1);
        CHECK_NEAR(P[0] / 1e-2, slides ? -1.5 : -2.0, 1e-11);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

/* A motor that wants 2 m/s and can give at most 5 N: the mass of 1 kg accelerates with 5 m/s^2 and then keeps
 * the speed. */
TEST(a_motor_of_limited_force_reaches_its_speed_and_keeps_it)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2")));
    tp_law_def law = tp_law_def_default();
    law.name = "motor";
    law.kind = TP_LAW_LIMITED;
    law.velocity[0] = TP_FORMULA("x' - 2");
    law.lower = -5.0;
    law.upper = 5.0;
    must(model, tp_model_add_law(model, &law));
    must(model, tp_model_finish(model, NULL));
    tp_simulation *simulation = simulate(model, 1e-3, 1.0);
    for (int k = 1; k <= 1000; k++) {
        CHECK_INT(tp_simulation_step(simulation, 1e-3 * k), TP_OK);
        CHECK_NEAR(tp_simulation_u(simulation)[0], fmin(2.0, 5e-3 * k), 1e-12);
    }
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* Anisotropic friction mu = (0.2, 0.5), sliding with equal speeds: force -N A^2 g/|A g| = N (-0.0742781,
 * -0.4642383). */
TEST(anisotropic_friction_slides_in_the_direction_of_the_ellipse)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 1.0);
    coordinate(model, "y", 0.0, 1.0);
    coordinate(model, "z", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2 + z'^2)")));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*z")));
    tp_contact_def def = tp_contact_def_default();
    def.gap = TP_FORMULA("z");
    def.slip[0] = TP_FORMULA("x'");
    def.slip[1] = TP_FORMULA("y'");
    def.slip_count = 2;
    def.shape = TP_SHAPE_ELLIPSOID;
    def.friction[0] = 0.2;
    def.friction[1] = 0.5;
    must(model, tp_model_add_contact(model, &def));
    must(model, tp_model_finish(model, NULL));
    const double dt = 1e-7; /* so short that the direction of sliding does not change: 1e-6 relative */
    tp_simulation *simulation = simulate(model, dt, dt);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
    double P[TP_IMPULSE_ROWS];
    CHECK_INT(tp_simulation_last_impulse(simulation, 0, P), 3);
    CHECK_NEAR(P[0], gravity * dt, 1e-12 * dt);
    CHECK_NEAR(P[1] / P[0], -0.0742781, 1e-6);
    CHECK_NEAR(P[2] / P[0], -0.4642383, 1e-6);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* Pure drilling: w falls with mu m g Rbar / J, for every shape of the set. */
TEST(a_disc_that_only_spins_slows_down_uniformly)
{
    static const tp_shape shapes[] = {TP_SHAPE_BALL, TP_SHAPE_CYLINDER, TP_SHAPE_CONTENSOU};
    for (int s = 0; s < 3; s++) {
        tp_model *model = spinning_disc_model(0.0, shapes[s]);
        tp_simulation *simulation = simulate(model, 1e-3, 0.5);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        CHECK_NEAR(tp_simulation_u(simulation)[3], 20.0 - 0.3 * gravity * 0.1 * 0.5 / 0.02, 1e-11);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

/* A bead on a rod that is turned with w: r'' = w^2 r, so r = r0 cosh(w t). The rod is a constraint that
   depends on time; its work is counted as that of a prescribed motion. */
TEST(a_prescribed_motion_does_the_work_that_the_energy_gains)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        tp_model *model = new_model();
        coordinate(model, "r", 1.0, 0.0);
        coordinate(model, "a", 0.0, 2.0);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(r'^2 + r^2*a'^2)")));
        tp_constraint_def rod = tp_constraint_def_default();
        rod.name = "rod";
        rod.position = TP_FORMULA("a - 2*t");
        must(model, tp_model_add_constraint(model, &rod));
        must(model, tp_model_finish(model, NULL));
        tp_simulation *simulation = simulate(model, 1e-3 / (1 << k), 1.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        error[k] = fabs(tp_simulation_q(simulation)[0] - cosh(2.0));
        const tp_run_report *report = tp_simulation_report(simulation);
        CHECK(report->energy_final > 10.0 * report->energy_initial);
        CHECK(report->largest_energy_increase <
              1e-2 * report->energy_final * 1e-3 / (1 << k) * 10.0); /* O(dt^2) a step */
        CHECK(report->position_drift < 1e-12);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
    CHECK(error[0] < 1e-4);
    CHECK_NEAR(log2(error[0] / error[1]), 2.0,
               0.1); /* the rod turns exactly: what is left is a leapfrog in r */
}

/* A knife edge that glides on a plane without gravity moves on a circle: v and a' stay constant. */
TEST(a_knife_edge_glides_on_a_circle)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 1.0);
    coordinate(model, "y", 0.0, 0.0);
    coordinate(model, "a", 0.0, 1.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2 + 0.3*a'^2)")));
    tp_constraint_def edge = tp_constraint_def_default();
    edge.name = "edge";
    edge.velocity = TP_FORMULA("-sin(a)*x' + cos(a)*y'");
    must(model, tp_model_add_constraint(model, &edge));
    must(model, tp_model_finish(model, NULL));
    tp_simulation *simulation = simulate(model, 1e-3, 6.283185307179586);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
    const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
    CHECK_NEAR(q[0], 0.0, 1e-2);
    CHECK_NEAR(q[1], 0.0, 1e-2);
    CHECK_NEAR(hypot(u[0], u[1]), 1.0, 5e-3);
    CHECK_NEAR(u[2], 1.0, 1e-12);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* The same rod twice: the motion is that of one rod, and the two share the force equally (reactions of least
 * norm). */
TEST(redundant_constraints_share_the_reaction_of_least_norm)
{
    double q[2][2], force[2];
    for (int copies = 1; copies <= 2; copies++) {
        tp_model *model = new_model();
        coordinate(model, "x", 0.6, 0.0);
        coordinate(model, "y", -0.8, 0.0);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2)")));
        must(model, tp_model_add_potential(model, TP_FORMULA("9.81*y")));
        tp_constraint_def rod = tp_constraint_def_default();
        rod.name = "rod";
        rod.position = TP_FORMULA("1/2*(x^2 + y^2 - 1)");
        must(model, tp_model_add_constraint(model, &rod));
        rod.name = "copy";
        if (copies == 2) must(model, tp_model_add_constraint(model, &rod));
        must(model, tp_model_finish(model, NULL));
        tp_model_summary summary = tp_model_summarise(model);
        CHECK_INT(summary.constraint_rank, 1);
        CHECK_INT(summary.degrees_of_freedom, 1);
        tp_simulation *simulation = simulate(model, 1e-3, 1.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        memcpy(q[copies - 1], tp_simulation_q(simulation), sizeof q[0]);
        double P[TP_IMPULSE_ROWS], Q[TP_IMPULSE_ROWS];
        tp_simulation_last_impulse(simulation, 0, P);
        force[copies - 1] = P[0];
        if (copies == 2) {
            tp_simulation_last_impulse(simulation, 1, Q);
            CHECK_NEAR(P[0], Q[0], 1e-7 * fabs(P[0])); /* rounding / shift = 2e-16 / 1e-8, twice over */
        }
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
    CHECK_NEAR(q[1][0], q[0][0], 1e-10);
    CHECK_NEAR(q[1][1], q[0][1], 1e-10);
    CHECK_NEAR(2.0 * force[1], force[0], 1e-7 * fabs(force[0]));
}

/* A mass on a compliant floor: half an oscillation with omega = 1/sqrt(m D), then flight; the energy is kept
 * by the leapfrog. */
TEST(a_compliant_contact_is_a_spring_that_only_pushes)
{
    tp_model *model = new_model();
    coordinate(model, "z", 0.5, -1.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*2*z'^2")));
    tp_contact_def def = tp_contact_def_default();
    def.name = "pad";
    def.gap = TP_FORMULA("z");
    def.compliance = 1e-3;
    must(model, tp_model_add_contact(model, &def));
    must(model, tp_model_finish(model, NULL));
    const double contact_time = 3.141592653589793 * sqrt(2.0 * 1e-3), end = 0.5 + contact_time + 0.25;
    tp_simulation *simulation = simulate(model, 1e-4, end);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
    CHECK_NEAR(tp_simulation_u(simulation)[0], 1.0,
               1e-4); /* 1 - O((omega dt)^2) = 5e-6, and the kinks: O(dt) */
    CHECK_NEAR(tp_simulation_q(simulation)[0], 0.25, 2e-4);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* Tangential restitution 1 returns the slip velocity (within the friction cone): a superball. */
TEST(tangential_restitution_reverses_the_slip_velocity)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 0.1);
    coordinate(model, "z", 0.0, -1.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + z'^2)")));
    tp_contact_def def = tp_contact_def_default();
    def.gap = TP_FORMULA("z");
    def.slip[0] = TP_FORMULA("x'");
    def.slip_count = 1;
    def.friction[0] = 0.5;
    def.restitution = 0.8;
    def.tangential_restitution = 1.0;
    must(model, tp_model_add_contact(model, &def));
    must(model, tp_model_finish(model, NULL));
    tp_simulation *simulation = simulate(model, 1e-6, 1e-6);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
    CHECK_NEAR(tp_simulation_u(simulation)[0], -0.1, 1e-14);
    CHECK_NEAR(tp_simulation_u(simulation)[1], 0.8, 1e-14);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* M q'' + C q' + K q = 0 from matrices: the damped oscillation x = e^(-d t) cos-like, compared with its
 * closed form. */
TEST(a_linear_system_from_matrices_follows_its_closed_form)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        tp_model *model = new_model();
        coordinate(model, "x", 1.0, 0.0);
        const double M = 2.0, C = 0.8, K = 50.0;
        must(model, tp_model_add_linear(model, 1, &M, &C, &K, (tp_place){0}));
        must(model, tp_model_finish(model, NULL));
        tp_simulation *simulation = simulate(model, 1e-3 / (1 << k), 2.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        double d = C / (2.0 * M), w = sqrt(K / M - d * d);
        double exact = exp(-d * 2.0) * (cos(w * 2.0) + d / w * sin(w * 2.0));
        error[k] = fabs(tp_simulation_q(simulation)[0] - exact);
        double damping = exp(-2.0 * d * 2.0); /* of the energy, up to its oscillation of relative size d/w */
        CHECK_NEAR(tp_simulation_report(simulation)->energy_final, 25.0 * damping,
                   25.0 * damping * (2.0 * d / w));
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 1.0, 0.1); /* damping is explicit: order 1 */
}

TEST_MAIN(RUNS(friction_with_a_given_bound_holds_up_to_its_bound),
          RUNS(a_motor_of_limited_force_reaches_its_speed_and_keeps_it),
          RUNS(anisotropic_friction_slides_in_the_direction_of_the_ellipse),
          RUNS(a_disc_that_only_spins_slows_down_uniformly),
          RUNS(a_prescribed_motion_does_the_work_that_the_energy_gains),
          RUNS(a_knife_edge_glides_on_a_circle), RUNS(redundant_constraints_share_the_reaction_of_least_norm),
          RUNS(a_compliant_contact_is_a_spring_that_only_pushes),
          RUNS(tangential_restitution_reverses_the_slip_velocity),
          RUNS(a_linear_system_from_matrices_follows_its_closed_form))
