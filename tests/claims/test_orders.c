/* Claim: the orders of convergence that the theory pages state, for every integrator on the same models. */
#include "models.h"

typedef struct order_case {
    const char *integrator;
    double theta; /* of moreau-jean and schatzman-paoli; others ignore it */
    double order;
} order_case;

static tp_simulation *simulate_case(const tp_model *model, const order_case *test, double dt, double end_time)
{
    tp_simulation_options options = options_of(test->integrator, dt, end_time);
    options.theta_method.theta = options.paoli.theta = test->theta;
    tp_simulation *simulation = simulate_options(model, options);
    run(simulation);
    return simulation;
}

/* Positions at the end, against those of a reference of the same size. */
static double error_at_end(const tp_model *model, const order_case *test, double dt, double end_time,
                           const double *reference)
{
    tp_simulation *simulation = simulate_case(model, test, dt, end_time);
    double error = 0.0;
    for (int i = 0; i < tp_model_summarise(model).coordinate_count; i++)
        error = fmax(error, fabs(tp_simulation_q(simulation)[i] - reference[i]));
    tp_simulation_free(simulation);
    return error;
}

/* Two halvings; the next term of the error is a factor dt smaller, some percent here. */
static void check_order(void **check_state_, const tp_model *model, const order_case *test, double dt,
                        double end_time, const double *reference)
{
    double error[3];
    for (int k = 0; k < 3; k++) error[k] = error_at_end(model, test, dt / (1 << k), end_time, reference);
    for (int k = 0; k < 2; k++) {
        double order = log2(error[k] / error[k + 1]);
        if (fabs(order - test->order) > 0.15)
            print_error("%s, theta %g: %g, %g\n", test->integrator, test->theta, error[k], error[k + 1]);
        CHECK_NEAR(order, test->order, 0.15);
    }
}

/* Constant mass, forces that depend on positions alone: the oscillator x'' = -4 x. */
TEST(orders_with_constant_mass_and_forces_of_positions)
{
    static const order_case cases[] = {{"moreau", 0.0, 2.0},
                                       {"moreau-jean", 0.5, 2.0},
                                       {"moreau-jean", 1.0, 1.0},
                                       {"moreau-jean", 0.7, 1.0},
                                       {"schatzman-paoli", 0.0, 2.0},
                                       {"schatzman-paoli", 0.5, 1.0},
                                       {"symmetric-moreau", 0.0, 2.0},
                                       {"generalized-alpha", 0.0, 2.0},
                                       {"consistent-position", 0.0, 2.0},
                                       {"consistent", 0.0, 2.0},
                                       {"consistent-two-step", 0.0, 2.0},
                                       {"consistent-hybrid", 0.0, 2.0},
                                       {"consistent-quaternion", 0.0, 2.0}};
    tp_model *model = new_model();
    coordinate(model, "x", 1.0, 0.5);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("2*x^2"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    const double exact = cos(4.0) + 0.25 * sin(4.0);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        check_order(check_state_, model, &cases[k], 0.01, 2.0, &exact);
    tp_model_free(model);
}

/* A mass matrix that depends on positions, gyroscopic forces: moreau falls to order 1. */
TEST(orders_with_a_mass_matrix_of_positions)
{
    static const order_case cases[] = {{"moreau", 0.0, 1.0},           {"moreau-jean", 0.5, 2.0},
                                       {"moreau-jean", 1.0, 1.0},      {"schatzman-paoli", 0.0, 2.0},
                                       {"symmetric-moreau", 0.0, 2.0}, {"generalized-alpha", 0.0, 2.0},
                                       {"consistent", 0.0, 1.0},       {"consistent-two-step", 0.0, 1.0}};
    double reference[4];
    double_pendulum_reference(reference);
    tp_model *model = double_pendulum_model(false);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        check_order(check_state_, model, &cases[k], 1e-3, 0.8, reference);
    tp_model_free(model);
}

/* Joints: order 1 where they are laws on velocities, 2 in the SHAKE form. */
TEST(orders_with_joints)
{
    static const order_case cases[] = {{"moreau", 0.0, 1.0},
                                       {"moreau-jean", 0.5, 1.0},
                                       {"moreau-jean", 1.0, 1.0},
                                       {"schatzman-paoli", 0.0, 2.0},
                                       {"symmetric-moreau", 0.0, 1.0},
                                       {"generalized-alpha", 0.0, 2.0},
                                       {"consistent-elastic", 0.0, 2.0},
                                       {"consistent-two-step", 0.0, 2.0},
                                       {"consistent-quaternion", 0.0, 2.0},
                                       {"consistent-quaternion-two-step", 0.0, 2.0}};
    double angle[4];
    double_pendulum_reference(angle);
    const double l = 0.5,
                 position[4] = {l * sin(angle[0]), l * cos(angle[0]), l * (sin(angle[0]) + sin(angle[1])),
                                l * (cos(angle[0]) + cos(angle[1]))};
    tp_model *model = double_pendulum_redundant();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        check_order(check_state_, model, &cases[k], 5e-4, 0.8, position);
    tp_model_free(model);
}

/* With impacts all have order 1 in the mean: an impact falls anywhere in its step, so the error of a single
   run jumps between 0 and its bound. A mass on a spring between two elastic stops until 1 s; 12 runs for each
   mean, with steps in even steps of their logarithm over an octave. */
static double mean_error(const tp_model *model, const order_case *test, double dt, double exact)
{
    double sum = 0.0;
    for (int k = 0; k < 12; k++) {
        double steps = ceil(1.0 / (dt * exp2(-k / 12.0)));
        sum += error_at_end(model, test, 1.0 / steps, 1.0, &exact) / 12.0;
    }
    return sum;
}

TEST(orders_with_impacts_are_one_in_the_mean)
{
    static const order_case cases[] = {{"moreau", 0.0, 1.0},
                                       {"moreau-jean", 0.5, 1.0},
                                       {"schatzman-paoli", 0.0, 1.0},
                                       {"symmetric-moreau", 0.0, 1.0},
                                       {"consistent-elastic", 0.0, 1.0},
                                       {"consistent-two-step", 0.0, 1.0},
                                       {"consistent-hybrid", 0.0, 1.0},
                                       {"generalized-alpha", 0.0, 1.0}};
    tp_model *model = new_model();
    coordinate(model, "x", 0.1, 1.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("2*x^2"), &build_why));
    contact(model, "right", "0.25 - x", NULL, 0.0, 1.0);
    contact(model, "left", "x + 0.25", NULL, 0.0, 1.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    /* phase of the oscillation at the start and at a stop; between stops it is as in free motion */
    double amplitude = hypot(0.1, 0.5), begin = atan2(0.1, 0.5), stop = asin(0.25 / amplitude);
    double phase = begin + 2.0, period = 2.0 * stop;
    int impacts = 0;
    while (phase > stop) {
        phase -= period; /* reversed at x = stop: the mirror image goes on from -stop */
        impacts++;
    }
    const double exact = (impacts % 2 ? -1.0 : 1.0) * amplitude * sin(phase);
    CHECK(impacts >= 2);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double coarse = mean_error(model, &cases[k], 4e-3, exact),
               fine = mean_error(model, &cases[k], 2.5e-4, exact);
        CHECK_NEAR(log2(coarse / fine) / 4.0, 1.0, 0.2);
    }
    tp_model_free(model);
}

/* A mass that bounces with restitution 0.6 from 0.5 m, at 1 s: the flight between the exact bounces. */
TEST(orders_of_a_bouncing_mass_are_one_in_the_mean)
{
    static const order_case cases[] = {{"moreau", 0.0, 1.0},
                                       {"moreau-jean", 0.5, 1.0},
                                       {"consistent-two-step", 0.0, 1.0},
                                       {"consistent-hybrid", 0.0, 1.0},
                                       {"consistent-quaternion", 0.0, 1.0},
                                       {"consistent-quaternion-two-step", 0.0, 1.0}};
    const double g = 9.81, e = 0.6;
    tp_model *model = new_model();
    coordinate(model, "z", 0.5, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*z'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*z"), &build_why));
    contact(model, "floor", "z", NULL, 0.0, e);
    must(model, tp_model_finish(model, NULL, &build_why));
    double t = sqrt(2.0 * 0.5 / g), speed = e * g * t; /* of the first rebound */
    while (t + 2.0 * speed / g < 1.0) {
        t += 2.0 * speed / g;
        speed *= e;
    }
    const double exact = speed * (1.0 - t) - 0.5 * g * (1.0 - t) * (1.0 - t);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double coarse = mean_error(model, &cases[k], 4e-3, exact),
               fine = mean_error(model, &cases[k], 5e-4, exact);
        CHECK_NEAR(log2(coarse / fine) / 3.0, 1.0, 0.2);
    }
    tp_model_free(model);
}

TEST_MAIN(RUNS(orders_with_constant_mass_and_forces_of_positions),
          RUNS(orders_with_a_mass_matrix_of_positions), RUNS(orders_with_joints),
          RUNS(orders_with_impacts_are_one_in_the_mean), RUNS(orders_of_a_bouncing_mass_are_one_in_the_mean))
