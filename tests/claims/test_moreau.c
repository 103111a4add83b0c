/* What theory/moreau.md claims of Moreau's midpoint rule, on the examples of the literature. */
#include "models.h"

static const double gravity = 9.81;

/* Two masses m, a one-way clutch on the first and an elastic contact between them: Newton's law with unequal
   restitution gains energy, T+ - T- = -m u1 u2 > 0; with restitution 0 it does not. */
TEST(a_sprag_clutch_with_an_elastic_contact_gains_the_predicted_energy)
{
    const double m = 2.0, u1 = 1.5, u2 = -0.7;
    for (int elastic = 0; elastic < 2; elastic++) {
        tp_model *model = new_model();
        coordinate(model, "x1", 0.0, u1);
        coordinate(model, "x2", 0.0, u2);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*2*(x1'^2 + x2'^2)")));
        tp_law_def clutch = tp_law_def_default();
        clutch.name = "clutch";
        clutch.velocity[0] = TP_FORMULA("x1'");
        must(model, tp_model_add_law(model, &clutch));
        contact(model, "contact", "x2 - x1", NULL, 0.0, elastic);
        must(model, tp_model_finish(model, NULL));
        tp_simulation *simulation = simulate(model, 1e-6, 1e-6);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        const double *u = tp_simulation_u(simulation);
        double gain = tp_simulation_report(simulation)->energy_final -
                      tp_simulation_report(simulation)->energy_initial,
               P[TP_IMPULSE_ROWS];
        if (elastic) {
            CHECK_NEAR(u[0], 0.0, 1e-14);
            CHECK_NEAR(u[1], u1 - u2, 1e-14);
            CHECK_NEAR(gain, -m * u1 * u2, 1e-13);
            tp_simulation_last_impulse(simulation, 0, P);
            CHECK_NEAR(P[0], -2.0 * m * u2, 1e-13);
            tp_simulation_last_impulse(simulation, 1, P);
            CHECK_NEAR(P[0], m * (u1 - 2.0 * u2), 1e-13);
        } else {
            CHECK(gain <= 0.0);
        }
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

/* omega = 2e4 rad/s: the limit is dt = 1e-4 s exactly. */
TEST(the_stiff_oscillator_is_stable_below_the_limit_and_not_above)
{
    tp_model *model = oscillator_model();
    tp_simulation *stable = simulate(model, 9.9e-5, 0.5);
    CHECK_INT(tp_simulation_run(stable, NULL, NULL), TP_OK);
    CHECK(fabs(tp_simulation_q(stable)[1] - 0.1) < 0.01);
    CHECK_INT(tp_simulation_report(stable)->warning_count, 0);
    tp_simulation_free(stable);

    tp_simulation *unstable = simulate(model, 1.01e-4, 0.5);
    tp_simulation_run(unstable, NULL, NULL);
    CHECK(fabs(tp_simulation_q(unstable)[1]) > 1.0);
    CHECK_INT(tp_simulation_report(unstable)->warnings[0].kind, TP_WARNING_UNSTABLE_TIME_STEP);
    CHECK_INT(tp_simulation_report(unstable)->warnings[1].kind, TP_WARNING_ENERGY_GROWS);
    tp_simulation_free(unstable);

    tp_simulation *wild = simulate(model, 1e-3, 6e-3);
    tp_simulation_run(wild, NULL, NULL);
    CHECK(fabs(tp_simulation_q(wild)[1]) > 1e6);
    tp_simulation_free(wild);
    tp_model_free(model);
}

typedef struct first_impact {
    double time, energy_loss, energy_before;
} first_impact;

static bool watch_impact(void *context, const tp_simulation *simulation)
{
    first_impact *impact = context;
    const tp_step_report *step = tp_simulation_last_step(simulation);
    if (impact->time == 0.0 && step->impact_count > 0) {
        impact->time = tp_simulation_time(simulation);
        impact->energy_loss = impact->energy_before - step->energy;
    }
    impact->energy_before = step->energy;
    return impact->time == 0.0;
}

/* Free fall of 10 kg on a mass at the equilibrium of a spring: t = 0.0451524283 s; loss m1 m2 / (2 (m1 + m2))
 * v^2 = 9.8305e-5 J. */
TEST(the_oscillators_first_impact_is_where_the_exact_solution_has_it)
{
    tp_model *model = oscillator_model();
    tp_simulation *simulation = simulate(model, 1e-5, 0.1);
    first_impact impact = {0.0, 0.0, 0.0};
    CHECK_NEAR(tp_simulation_report(simulation)->energy_initial, 10.791981, 1e-6);
    tp_simulation_run(simulation, watch_impact, &impact);
    CHECK_NEAR(impact.time, 0.0451524283, 2e-5); /* two steps */
    CHECK_NEAR(impact.energy_loss, 9.8305e-5,
               0.02 * 9.8305e-5); /* the spring's share in one step: omega^2 dt^2 / 2 = 2 % */
    tp_simulation_free(simulation);
    tp_model_free(model);
}

TEST(before_the_first_impact_the_double_pendulum_converges_with_order_one)
{
    double reference[4], error[4];
    double_pendulum_reference(reference);
    tp_model *model = double_pendulum_model(true);
    for (int k = 0; k < 4; k++) {
        tp_simulation *simulation = simulate(model, 0.01 / (1 << k), 0.8);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        const double *q = tp_simulation_q(simulation);
        error[k] = fmax(fabs(q[0] - reference[0]), fabs(q[1] - reference[1]));
        tp_simulation_free(simulation);
    }
    CHECK_NEAR(error[0], 4.4e-3, 0.1e-3); /* figures of the specification, two digits */
    CHECK_NEAR(error[3], 5.7e-4, 0.1e-4 + 0.5e-5);
    CHECK_NEAR(log2(error[2] / error[3]), 1.0, 0.1);
    tp_model_free(model);
}

TEST(over_five_seconds_the_energy_of_the_double_pendulum_deviates_by_a_third)
{
    tp_model *model = double_pendulum_model(true);
    tp_simulation *simulation = simulate(model, 0.01, 5.0);
    double initial = tp_simulation_report(simulation)->energy_initial, worst = 0.0;
    CHECK_NEAR(initial, 3.125, 1e-12);
    for (int k = 1; k <= 500; k++) {
        CHECK_INT(tp_simulation_step(simulation, 0.01 * k), TP_OK);
        worst = fmax(worst, fabs(tp_simulation_last_step(simulation)->energy / initial - 1.0));
    }
    CHECK_NEAR(worst, 0.30, 0.01);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* Joints hold on velocity level: W^T u = 0 at the midpoint, so that position and velocity drift are O(dt). */
TEST(redundant_coordinates_converge_to_the_same_motion_with_drift_of_first_order)
{
    double reference[4], error[3], drift[3];
    double_pendulum_reference(reference);
    tp_model *model = double_pendulum_redundant();
    for (int k = 0; k < 3; k++) {
        tp_simulation *simulation = simulate(model, 2e-3 / (1 << k), 0.8);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        const double *q = tp_simulation_q(simulation);
        error[k] = hypot(q[0] - 0.5 * sin(reference[0]), q[1] - 0.5 * cos(reference[0]));
        drift[k] = tp_simulation_report(simulation)->position_drift;
        CHECK(tp_simulation_report(simulation)->residual_max <= 1e-10);
        tp_simulation_free(simulation);
    }
    CHECK_NEAR(log2(error[1] / error[2]), 1.0, 0.15);
    CHECK_NEAR(log2(drift[1] / drift[2]), 1.0, 0.15);
    tp_model_free(model);
}

typedef struct beak_impacts {
    double times[8], rate_before, jump[2];
    int count;
} beak_impacts;

static bool watch_beak(void *context, const tp_simulation *simulation)
{
    beak_impacts *seen = context;
    double rate = tp_simulation_u(simulation)[2];
    if (seen->rate_before > 5.0 && rate < 0.0 && seen->count < 8) {
        if (seen->count == 0) seen->jump[0] = seen->rate_before, seen->jump[1] = rate;
        seen->times[seen->count++] = tp_simulation_time(simulation);
    }
    seen->rate_before = rate;
    return true;
}

/* Event-driven reference: beak impact at 0.08101350 s, 16.93591 -> -8.46795 rad/s, intervals 0.145841,
 * 0.146070, ... about 0.14598 s. */
TEST(the_woodpecker_pecks_when_the_reference_does)
{
    tp_model *model = woodpecker_model();
    tp_simulation *simulation = simulate(model, 1e-5, 0.7);
    beak_impacts seen = {{0}, 0.0, {0}, 0};
    CHECK_INT(tp_simulation_run(simulation, watch_beak, &seen), TP_OK);
    CHECK_INT(seen.count, 5);
    CHECK_NEAR(seen.times[0], 0.08101350, 2e-5);
    CHECK_NEAR(seen.jump[0], 16.93591, 0.02);
    CHECK_NEAR(seen.jump[1], -0.5 * seen.jump[0], 0.01);
    CHECK_NEAR(seen.times[1] - seen.times[0], 0.145841, 5e-5);
    CHECK_NEAR(seen.times[2] - seen.times[1], 0.146070, 2e-4); /* errors of first order add up over impacts */
    CHECK_NEAR((seen.times[4] - seen.times[0]) / 4.0, 0.14598, 1e-4);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* Up to 0.3 s the angles at 1e-5 s are within 2e-3 rad of the exact motion, for which a tenth of the step
 * stands (its own error is a tenth). */
TEST(the_woodpeckers_angles_stay_close_to_the_exact_motion)
{
    tp_model *model = woodpecker_model();
    tp_simulation *coarse = simulate(model, 1e-5, 0.3), *fine = simulate(model, 1e-6, 0.3);
    double worst = 0.0;
    for (int k = 1; k <= 300; k++) {
        while (tp_simulation_time(coarse) < 1e-3 * k - 5e-6) {
            CHECK_INT(tp_simulation_step(coarse, tp_simulation_time(coarse) + 1e-5), TP_OK);
        }
        while (tp_simulation_time(fine) < 1e-3 * k - 5e-7) {
            CHECK_INT(tp_simulation_step(fine, tp_simulation_time(fine) + 1e-6), TP_OK);
        }
        for (int i = 1; i < 3; i++) {
            worst = fmax(worst, fabs(tp_simulation_q(coarse)[i] - tp_simulation_q(fine)[i]));
        }
    }
    CHECK(worst < 0.9 * 2e-3);
    tp_simulation_free(coarse);
    tp_simulation_free(fine);
    tp_model_free(model);
}

TEST(at_large_steps_the_woodpecker_gains_a_little_energy_in_single_steps)
{
    tp_model *model = woodpecker_model();
    tp_simulation *simulation = simulate(model, 1e-3, 0.5);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
    double increase = tp_simulation_report(simulation)->largest_energy_increase;
    CHECK(increase > 1e-8 && increase <= 1.3e-7); /* specification: up to 1.2e-7 J */
    tp_simulation_free(simulation);
    tp_model_free(model);
}

static tp_model *bouncing_mass(double restitution)
{
    tp_model *model = new_model();
    coordinate(model, "z", 1.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*z'^2")));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*z")));
    contact(model, "floor", "z", NULL, 0.0, restitution);
    must(model, tp_model_finish(model, NULL));
    return model;
}

TEST(an_elastic_ball_keeps_its_energy_to_rounding_for_any_step)
{
    tp_model *model = bouncing_mass(1.0);
    for (double dt = 1e-3; dt < 0.2; dt *= 7.3) {
        tp_simulation *simulation = simulate(model, dt, 20.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        const tp_run_report *report = tp_simulation_report(simulation);
        CHECK(report->impacts > 10);
        CHECK_NEAR(report->energy_final, 9.81, 1e-11);
        CHECK(report->largest_energy_increase <= 1e-13 * 9.81 * 10.0);
        tp_simulation_free(simulation);
    }
    tp_model_free(model);
}

/* With restitution 0.5 single steps may gain: 4e-6 J of 9.81 J at 1 ms. */
TEST(an_inelastic_ball_can_gain_a_little_in_single_steps)
{
    tp_model *model = bouncing_mass(0.5);
    tp_simulation *simulation = simulate(model, 1e-3, 3.0);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
    double gain = tp_simulation_report(simulation)->largest_energy_increase;
    CHECK_NEAR(gain, 4.0e-6, 0.05e-6);
    /* Zeno: the bounces end at sqrt(2/g) (1+e)/(1-e) = 1.3546 s; then it rests, with the drift of one step at
     * most. */
    CHECK(fabs(tp_simulation_u(simulation)[0]) < 1e-14);
    CHECK(fabs(tp_simulation_q(simulation)[0]) < 9.81 * 1e-3 * 1e-3 * 2.0);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

TEST(a_linear_oscillator_is_stable_up_to_two_over_omega)
{
    for (int k = 0; k < 2; k++) {
        tp_model *model = new_model();
        coordinate(model, "x", 1.0, 0.0);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2")));
        must(model, tp_model_add_potential(model, TP_FORMULA("1/2*100*x^2")));
        must(model, tp_model_finish(model, NULL));
        tp_simulation *simulation = simulate(model, k == 0 ? 0.1999 : 0.2001, 2000 * 0.2);
        tp_simulation_run(simulation, NULL, NULL);
        CHECK((fabs(tp_simulation_q(simulation)[0]) < 1e3) == (k == 0));
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

/* Constant mass and forces of position: the scheme is the leapfrog, order 2. Pendulum angle 1 rad, rate 2
 * rad/s; exact at 2 s. */
TEST(with_constant_mass_and_position_forces_the_order_is_two)
{
    double error[3];
    for (int k = 0; k < 3; k++) {
        tp_model *model = new_model();
        coordinate(model, "a", 1.0, 2.0);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*0.2*0.25*a'^2")));
        must(model, tp_model_add_potential(model, TP_FORMULA("-0.2*9.81*0.5*cos(a)")));
        must(model, tp_model_finish(model, NULL));
        tp_simulation *simulation = simulate(model, 0.02 / (1 << k), 2.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        error[k] = fabs(tp_simulation_q(simulation)[0] - 0.177377116770);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.1);
    CHECK_NEAR(log2(error[1] / error[2]), 2.0, 0.1);
}

/* A block on the plane, pushed: speed v0 - mu g t at every step, stop at v0/(mu g), then rest. */
TEST(a_sliding_block_slows_down_exactly_and_stops)
{
    const double mu = 0.3, v0 = 1.0, dt = 1e-3;
    tp_model *model = sliding_block_model(v0, mu);
    tp_simulation *simulation = simulate(model, dt, 1.0);
    for (int k = 1; k <= 500; k++) {
        CHECK_INT(tp_simulation_step(simulation, k * dt), TP_OK);
        CHECK_NEAR(tp_simulation_u(simulation)[0], fmax(0.0, v0 - mu * gravity * k * dt), 1e-12);
    }
    CHECK_NEAR(tp_simulation_q(simulation)[0], v0 * v0 / (2.0 * mu * gravity), v0 * dt);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* A disc with coupled sliding and drilling friction (ellipsoid): first integral w v^(-m Rbar^2/J); at 0.5 s v
 * = 0.7133369172. */
TEST(a_spinning_sliding_disc_follows_its_first_integral)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        tp_model *model = spinning_disc_model(1.5, TP_SHAPE_BALL);
        tp_simulation *simulation = simulate(model, 1e-3 / (1 << k), 0.5);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        const double *u = tp_simulation_u(simulation);
        error[k] = fmax(fabs(u[0] - 0.7133369172), fabs(u[3] - 13.7921418901) * 0.1);
        CHECK_NEAR(u[0], 0.7133369172, 1.6e-4);
        CHECK_NEAR(u[3], 13.7921418901, 1.6e-3);
        CHECK_NEAR(u[3] * pow(u[0], -0.5), 20.0 * pow(1.5, -0.5), 5e-3);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 1.0, 0.1);
}

/* A block on an incline with tan(angle) below the friction stays where it is. */
TEST(a_block_that_sticks_moves_less_than_1e_12_m_in_100_s)
{
    tp_model *model = resting_block_model();
    tp_simulation *simulation = simulate(model, 1e-3, 100.0);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
    CHECK(fabs(tp_simulation_q(simulation)[0]) < 1e-12);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

TEST_MAIN(RUNS(a_sprag_clutch_with_an_elastic_contact_gains_the_predicted_energy),
          RUNS(the_stiff_oscillator_is_stable_below_the_limit_and_not_above),
          RUNS(the_oscillators_first_impact_is_where_the_exact_solution_has_it),
          RUNS(before_the_first_impact_the_double_pendulum_converges_with_order_one),
          RUNS(over_five_seconds_the_energy_of_the_double_pendulum_deviates_by_a_third),
          RUNS(redundant_coordinates_converge_to_the_same_motion_with_drift_of_first_order),
          RUNS(the_woodpecker_pecks_when_the_reference_does),
          RUNS(the_woodpeckers_angles_stay_close_to_the_exact_motion),
          RUNS(at_large_steps_the_woodpecker_gains_a_little_energy_in_single_steps),
          RUNS(an_elastic_ball_keeps_its_energy_to_rounding_for_any_step),
          RUNS(an_inelastic_ball_can_gain_a_little_in_single_steps),
          RUNS(a_linear_oscillator_is_stable_up_to_two_over_omega),
          RUNS(with_constant_mass_and_position_forces_the_order_is_two),
          RUNS(a_sliding_block_slows_down_exactly_and_stops),
          RUNS(a_spinning_sliding_disc_follows_its_first_integral),
          RUNS(a_block_that_sticks_moves_less_than_1e_12_m_in_100_s))
