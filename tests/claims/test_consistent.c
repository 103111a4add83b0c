/* What theory/consistent.md claims of the energy-consistent integrators on models with u = q', on systems
   with known answers. */
#include "models.h"

#include <float.h>

/* --- joints alone */

static const double length = 0.5, gravity = 9.81;

/* A mass on a rod, in Cartesian coordinates (y downwards), 1 rad from the vertical with 2 rad/s. */
static tp_model *pendulum(void)
{
    tp_model *model = new_model();
    coordinate(model, "x", length * sin(1.0), 2.0 * length * cos(1.0));
    coordinate(model, "y", length * cos(1.0), -2.0 * length * sin(1.0));
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*0.2*(x'^2 + y'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("-0.2*9.81*y"), &build_why));
    tp_constraint_def rod = tp_constraint_def_default();
    rod.name = "rod";
    rod.position = TP_FORMULA("1/2*(x^2 + y^2 - 0.25)");
    must(model, tp_model_add_constraint(model, &rod, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static double pendulum_error(const tp_model *model, const char *integrator, double dt)
{
    const double angle = 0.177377116770; /* exact at 2 s, by elliptic functions */
    tp_simulation *simulation = simulate_with(model, integrator, dt, 2.0);
    run(simulation);
    const double *q = tp_simulation_q(simulation);
    double error = fmax(fabs(q[0] - length * sin(angle)), fabs(q[1] - length * cos(angle)));
    tp_simulation_free(simulation);
    return error;
}

/* The figures have three digits. */
TEST(the_errors_of_a_pendulum_are_those_of_the_specification_and_of_second_order)
{
    static const double figures[] = {3.55e-3, 8.87e-4, 2.22e-4};
    tp_model *model = pendulum();
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(pendulum_error(model, "consistent", 0.02 / (1 << k)), figures[k], 0.005 * figures[k]);
    double coarse = pendulum_error(model, "consistent-position", 0.01),
           fine = pendulum_error(model, "consistent-position", 0.005);
    CHECK_NEAR(log2(coarse / fine), 2.0, 0.1);
    tp_model_free(model);
}

/* Both levels: energy, positions and velocities to rounding, ten thousand steps long. One rounding in the
   energy of a step is 2e-16 of it; they add like a random walk, 100 of them; ten roundings a step. */
TEST(energy_and_joints_are_exact_to_rounding_over_ten_thousand_steps)
{
    tp_model *model = pendulum();
    tp_simulation *simulation = simulate_with(model, "consistent", 0.02, 200.0);
    run(simulation);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK_INT(report->steps, 10000);
    CHECK_NEAR(report->energy_final, report->energy_initial, 1e-12);
    CHECK(report->largest_energy_increase < 1e-14);
    CHECK(report->position_drift < 1e-15);
    CHECK(rate_drift(report) < 1e-13);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* The defect of joints on position level alone: the velocity of the joint is right only on average. */
TEST(joints_on_positions_alone_keep_energy_but_their_velocity_oscillates_with_the_square_of_the_step)
{
    tp_model *model = pendulum();
    double largest[2] = {0.0}, mean[2] = {0.0};
    for (int k = 0; k < 2; k++) {
        double dt = 0.02 / (1 << k), last = 0.0;
        int steps = 100 << k, changes = 0;
        tp_simulation *simulation = simulate_with(model, "consistent-position", dt, 2.0);
        for (int i = 1; i <= steps; i++) {
            step_to(simulation, i * dt);
            const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
            double gamma = q[0] * u[0] + q[1] * u[1];
            largest[k] = fmax(largest[k], fabs(gamma));
            mean[k] += gamma / steps;
            changes += gamma * last < 0.0;
            last = gamma;
        }
        const tp_run_report *report = tp_simulation_report(simulation);
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-13);
        CHECK(report->position_drift < 1e-15);
        CHECK(changes > steps / 2); /* from step to step */
        CHECK(fabs(mean[k]) < 0.2 * largest[k]);
        tp_simulation_free(simulation);
    }
    CHECK_NEAR(largest[0], 1.96e-3, 0.005e-3);
    CHECK_NEAR(log2(largest[0] / largest[1]), 2.0, 0.1);
    tp_model_free(model);
}

/* --- M(q) */

/* The errors of the specification; order 1. */
TEST(a_mass_matrix_of_positions_keeps_energy_exactly_with_first_order)
{
    static const double exact[] = {0.208921704241, -1.259268890336, -0.261341336073, -2.050389822386};
    static const double figures[] = {0.114, 0.0571, 0.0286};
    tp_model *model = new_model();
    coordinate(model, "a", 0.8, 1.0);
    coordinate(model, "b", -0.3, 2.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*0.05*(2*a'^2 + b'^2 + 2*cos(a - b)*a'*b')"),
                                     &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("-0.2*9.81*0.5*(2*cos(a) + cos(b))"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    for (int k = 0; k < 3; k++) {
        tp_simulation *simulation = simulate_with(model, "consistent", 0.01 / (1 << k), 1.0);
        run(simulation);
        const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
        double error = 0.0;
        for (int i = 0; i < 2; i++)
            error = fmax(error, fmax(fabs(q[i] - exact[i]), fabs(u[i] - exact[i + 2])));
        CHECK_NEAR(error, figures[k], 0.005 * figures[k]);
        const tp_run_report *report = tp_simulation_report(simulation);
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-13);
        tp_simulation_free(simulation);
    }
    tp_model_free(model);
}

/* --- contacts */

/* Smooth part against the angles at 0.8 s: order 2, with the figures of the specification. */
TEST(the_double_pendulum_has_second_order_before_its_impacts)
{
    static const double figures[] = {3.5e-4, 8.8e-5, 2.2e-5, 5.5e-6};
    double reference[4];
    double_pendulum_reference(reference);
    tp_model *model = double_pendulum_redundant();
    for (int k = 0; k < 4; k++) {
        tp_simulation *simulation = simulate_with(model, "consistent-two-step", 0.01 / (1 << k), 0.8);
        run(simulation);
        const double *q = tp_simulation_q(simulation);
        double a = atan2(q[0], q[1]), b = atan2(q[2] - q[0], q[3] - q[1]);
        double error = fmax(fabs(a - reference[0]), fabs(b - reference[1]));
        CHECK_NEAR(error, figures[k], 0.02 * figures[k]);
        tp_simulation_free(simulation);
    }
    tp_model_free(model);
}

/* Closed at a step, open at the one before. */
static int count_closings(const tp_simulation *simulation, int law, bool *was_closed)
{
    double P[TP_IMPULSE_ROWS];
    bool is_closed = tp_simulation_last_impulse(simulation, law, P) > 0 && P[0] > 0.0;
    int count = is_closed && !*was_closed;
    *was_closed = is_closed;
    return count;
}

TEST(elastic_impacts_of_the_double_pendulum_keep_energy_and_close_at_the_steps_of_the_specification)
{
    static const double closings[] = {0.93, 1.17, 1.72, 2.53, 2.58, 3.31};
    tp_model *model = double_pendulum_redundant();
    tp_simulation *simulation = simulate_with(model, "consistent-two-step", 0.01, 5.0);
    bool was_closed[2] = {false, false};
    int found = 0;
    for (int k = 1; k <= 500; k++) {
        step_to(simulation, 0.01 * k);
        for (int law = 2; law < 4; law++) { /* a closing is seen at the start of its step */
            if (count_closings(simulation, law, &was_closed[law - 2]) == 0 || found == 6) continue;
            CHECK_NEAR(0.01 * (k - 1), closings[found], 1e-9);
            found++;
        }
    }
    CHECK_INT(found, 6);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK_NEAR(report->energy_final, 3.125, 3e-13);
    CHECK(report->largest_energy_increase < 1e-14);
    CHECK(report->position_drift < 1e-15 && rate_drift(report) < 1e-13);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* In one step, with directions at the start or discrete; only the latter never lets a closed gap shrink. The
   gap is curved: sin. */
TEST(elastic_contacts_in_one_step_keep_energy_and_discrete_directions_keep_closed_gaps)
{
    for (int at_begin = 0; at_begin < 2; at_begin++) {
        tp_model *model = new_model();
        coordinate(model, "x", 0.0, 1.3);
        coordinate(model, "y", 0.6, 0.0);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + 2*y'^2)"), &build_why));
        must(model, tp_model_add_potential(model, TP_FORMULA("9.81*2*y + 2*x^4"), &build_why));
        contact(model, "hills", "y - 0.2*sin(5*x)", NULL, 0.0, 1.0);
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_simulation_options options = tp_simulation_options_default();
        options.integrator = "consistent-elastic";
        options.time_step = 0.01;
        options.consistent.directions_at_start = at_begin;
        tp_simulation *simulation = NULL;
        tp_message why;
        CHECK_INT(tp_simulation_create(NULL, model, &options, &simulation, &why), TP_OK);
        double worst = 0.0;
        int closed = 0;
        for (int k = 1; k <= 1000; k++) {
            double before = tp_simulation_gap(simulation, 0);
            step_to(simulation, 0.01 * k);
            if (!(before <= options.contact_tolerance)) continue;
            worst = fmin(worst, tp_simulation_gap(simulation, 0) - before);
            closed++;
        }
        CHECK(closed > 5);
        if (at_begin)
            CHECK(worst < -1e-6);
        else
            CHECK(worst > -1e-14); /* solver and rounding */
        const tp_run_report *report = tp_simulation_report(simulation);
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-11);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

/* omega dt = 20 at the largest step: the energy argument alone keeps it bounded. */
TEST(the_oscillator_is_stable_at_any_step_with_the_figures_of_the_specification)
{
    static const struct {
        double dt, deflection, error;
    } figures[] = {{1e-3, 2.52e-3, 1.4e-4}, {1e-4, 2.478e-3, 6.7e-6}};
    /* x1 at 0.1 s: free flight after the separation at 0.0619642005 s, x = l, v = 0.4429003533 m/s */
    const double flight = 0.1 - 0.0619642005;
    const double exact = 0.1 + 0.4429003533 * flight - 0.5 * gravity * flight * flight;
    tp_model *model = oscillator_model();
    for (int k = 0; k < 2; k++) {
        double dt = figures[k].dt, deflection = 0.0, x1 = 0.0;
        int steps = k == 0 ? 500 : 5000;
        tp_simulation *simulation = simulate_with(model, "consistent-two-step", dt, 0.5);
        for (int i = 1; i <= steps; i++) {
            step_to(simulation, i * dt);
            deflection = fmax(deflection, fabs(tp_simulation_q(simulation)[1] - 0.1));
            if (i == steps / 5) x1 = tp_simulation_q(simulation)[0];
        }
        CHECK_NEAR(deflection, figures[k].deflection, 0.005e-3);
        CHECK_NEAR(fabs(x1 - exact), figures[k].error, 0.05 * figures[k].error);
        CHECK(tp_simulation_report(simulation)->largest_energy_increase < 5e-14); /* rounding of 10.8 J */
        tp_simulation_free(simulation);
    }
    tp_model_free(model);
}

/* Slip of the woodpecker's sleeve while it sticks, 0.025 s to 0.06 s: sign changes from step to step. */
static int stick_oscillations(const char *integrator, double *largest_out, double *increase_out)
{
    tp_model *model = woodpecker_model();
    tp_simulation *simulation = simulate_with(model, integrator, 1e-3, 0.06);
    double last = 0.0;
    int changes = 0;
    *largest_out = 0.0;
    for (int k = 1; k <= 59; k++) {
        step_to(simulation, 1e-3 * k);
        const double *u = tp_simulation_u(simulation);
        double slip = u[0] + 0.0031 * u[1];
        if (k > 26) {
            changes += slip * last < 0.0;
            *largest_out = fmax(*largest_out, fabs(slip));
        }
        last = slip;
    }
    *increase_out = tp_simulation_report(simulation)->largest_energy_increase;
    tp_simulation_free(simulation);
    tp_model_free(model);
    return changes;
}

TEST(a_sticking_contact_oscillates_in_two_steps_but_not_in_the_hybrid)
{
    double largest, increase;
    CHECK_INT(stick_oscillations("consistent-two-step", &largest, &increase), 33);
    CHECK(largest > 1e-3);
    CHECK(increase < 1e-17);
    stick_oscillations("consistent-hybrid", &largest, &increase);
    CHECK_NEAR(largest, 0.0,
               1e-14); /* sticks up to 96 times the rounding floor, eps times velocities of 0.35 m/s */
}

/* Linear damping: what is lost in a step is exactly d^T C d / dt. */
TEST(damping_takes_exactly_its_discrete_work)
{
    static const double M[] = {2.0, 0.3, 0.3, 1.0}, C[] = {0.5, 0.1, 0.1, 0.2}, K[] = {30.0, -4.0, -4.0, 9.0};
    tp_model *model = new_model();
    coordinate(model, "x", 1.0, 0.0);
    coordinate(model, "y", -0.4, 2.0);
    must(model, tp_model_add_linear(model, 2, M, C, K, (tp_place){0}, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    const double dt = 0.05;
    tp_simulation *simulation = simulate_with(model, "consistent-two-step", dt, 5.0);
    double energy = tp_simulation_report(simulation)->energy_initial;
    for (int k = 1; k <= 100; k++) {
        double before[2], d[2], lost = 0.0;
        memcpy(before, tp_simulation_q(simulation), sizeof before);
        step_to(simulation, k * dt);
        for (int i = 0; i < 2; i++) d[i] = tp_simulation_q(simulation)[i] - before[i];
        for (int i = 0; i < 4; i++) lost += d[i % 2] * C[i] * d[i / 2] / dt;
        double now = tp_simulation_last_step(simulation)->energy;
        CHECK_NEAR(now - energy, -lost, 1e-14 * 20.0); /* rounding of an energy of about 20 J */
        energy = now;
    }
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* Work of given forces is accounted for: the report's increase is what remains. */
TEST(the_work_of_given_forces_explains_the_change_of_energy)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.3, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(1 + x^2)*x'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("3*x^2 + x^4"), &build_why));
    must(model, tp_model_add_force(model, "x", TP_FORMULA("sin(3*t) + 0.2*x*x'"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_simulation *simulation = simulate_with(model, "consistent", 0.02, 10.0);
    run(simulation);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK(fabs(report->energy_final - report->energy_initial) > 1e-3);
    CHECK(fabs(report->largest_energy_increase) < 1e-14);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* A block on an incline with friction, restitution and a velocity law: energy never grows. Seeds are
 * explicit.
 */
TEST(energy_never_grows_with_friction_and_equal_restitution)
{
    check_random random = {41};
    for (int trial = 0; trial < 20; trial++) {
        double e = check_uniform(&random, 0.0, 1.0);
        tp_model *model = new_model();
        coordinate(model, "x", 0.0, check_uniform(&random, -2.0, 2.0));
        coordinate(model, "y", check_uniform(&random, 0.0, 0.3), check_uniform(&random, -1.0, 1.0));
        coordinate(model, "z", 0.5, check_uniform(&random, -1.0, 1.0));
        must(model,
             tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + 2*y'^2 + 0.5*(z' - x')^2)"), &build_why));
        must(model,
             tp_model_add_potential(model, TP_FORMULA("9.81*(2*y - 0.4*x) + 5*(z - x)^4"), &build_why));
        tp_contact_def def = tp_contact_def_default();
        def.name = "floor";
        def.gap = TP_FORMULA("y - 0.1*sin(3*x)");
        def.slip[def.slip_count++] = TP_FORMULA("x' + 0.3*y'");
        def.friction[0] = 0.4;
        def.restitution = def.tangential_restitution = e;
        must(model, tp_model_add_contact(model, &def, NULL, &build_why));
        def.name = "stop";
        def.gap = TP_FORMULA("z + 0.2");
        def.slip_count = 0;
        def.tangential_restitution = 0.0;
        must(model, tp_model_add_contact(model, &def, NULL, &build_why));
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_simulation *simulation = simulate_with(model, "consistent-two-step", 0.01, 2.0);
        run(simulation);
        const tp_run_report *report = tp_simulation_report(simulation);
        CHECK(report->largest_energy_increase < 1e-12);
        CHECK(report->impacts > 0);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

TEST_MAIN(
    RUNS(the_errors_of_a_pendulum_are_those_of_the_specification_and_of_second_order),
    RUNS(energy_and_joints_are_exact_to_rounding_over_ten_thousand_steps),
    RUNS(joints_on_positions_alone_keep_energy_but_their_velocity_oscillates_with_the_square_of_the_step),
    RUNS(a_mass_matrix_of_positions_keeps_energy_exactly_with_first_order),
    RUNS(the_double_pendulum_has_second_order_before_its_impacts),
    RUNS(elastic_impacts_of_the_double_pendulum_keep_energy_and_close_at_the_steps_of_the_specification),
    RUNS(elastic_contacts_in_one_step_keep_energy_and_discrete_directions_keep_closed_gaps),
    RUNS(the_oscillator_is_stable_at_any_step_with_the_figures_of_the_specification),
    RUNS(a_sticking_contact_oscillates_in_two_steps_but_not_in_the_hybrid),
    RUNS(damping_takes_exactly_its_discrete_work),
    RUNS(the_work_of_given_forces_explains_the_change_of_energy),
    RUNS(energy_never_grows_with_friction_and_equal_restitution))
