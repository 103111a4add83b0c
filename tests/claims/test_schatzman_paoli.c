/* What theory/schatzman-paoli.md claims of the scheme of Schatzman and Paoli, on systems with known answers.
 */
#include "models.h"

#include <float.h>

static const double gravity = 9.81;

static tp_simulation *simulate_paoli(const tp_model *model, double time_step, double end_time, double theta)
{
    tp_simulation_options options = options_of("schatzman-paoli", time_step, end_time);
    options.paoli.theta = theta;
    return simulate_options(model, options);
}

/* q of a run of one coordinate at its end; the velocity as well, if asked for. */
static double end_of_run(tp_model *model, double time_step, double end_time, double theta, double *u_out)
{
    tp_simulation *simulation = simulate_paoli(model, time_step, end_time, theta);
    if (tp_simulation_run(simulation, NULL, NULL, NULL) != TP_OK) fail();
    double q = tp_simulation_q(simulation)[0];
    if (u_out != NULL) *u_out = tp_simulation_u(simulation)[0];
    tp_simulation_free(simulation);
    return q;
}

/* --- smooth motion */

/* x'' + c x' + 4 x = 0 from x = 1, x' = 1/2. */
static tp_model *oscillator(double damping)
{
    static const double M = 1.0, K = 4.0;
    tp_model *model = new_model();
    coordinate(model, "x", 1.0, 0.5);
    must(model, tp_model_add_linear(model, 1, &M, &damping, &K, (tp_place){0}, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static double oscillator_exact(double damping, double t, double *velocity_out)
{
    double d = 0.5 * damping, w = sqrt(4.0 - d * d), b = (0.5 + d) / w;
    double x = exp(-d * t) * (cos(w * t) + b * sin(w * t));
    if (velocity_out != NULL) *velocity_out = -d * x + exp(-d * t) * w * (b * cos(w * t) - sin(w * t));
    return x;
}

/* The figures have two digits. */
TEST(the_errors_of_an_oscillator_are_those_of_the_specification)
{
    static const struct {
        double theta, error;
    } figures[] = {{0.0, 3.0e-5}, {0.5, 1.3e-2}, {1.0, 2.5e-2}};
    tp_model *model = oscillator(0.0);
    for (int k = 0; k < 3; k++) {
        double error =
            fabs(end_of_run(model, 0.01, 2.0, figures[k].theta, NULL) - oscillator_exact(0.0, 2.0, NULL));
        CHECK_NEAR(error, figures[k].error, 0.05 * figures[k].error);
    }
    tp_model_free(model);
}

TEST(positions_and_velocities_have_order_two_for_theta_zero_with_and_without_damping_and_else_one)
{
    for (int trial = 0; trial < 3; trial++) {
        double damping = trial == 1 ? 0.8 : 0.0, theta = trial == 2 ? 0.3 : 0.0, error[3][2], exact[2];
        exact[0] = oscillator_exact(damping, 2.0, &exact[1]);
        tp_model *model = oscillator(damping);
        for (int k = 0; k < 3; k++) {
            double u, q = end_of_run(model, 0.02 / (1 << k), 2.0, theta, &u);
            error[k][0] = fabs(q - exact[0]);
            error[k][1] = fabs(u - exact[1]);
        }
        for (int i = 0; i < 2; i++) {
            double order = trial == 2 ? 1.0 : 2.0;
            CHECK_NEAR(log2(error[0][i] / error[1][i]), order, 0.1);
            CHECK_NEAR(log2(error[1][i] / error[2][i]), order, 0.05);
        }
        tp_model_free(model);
    }
}

/* M(q) and its gyroscopic terms: the double pendulum. */
TEST(a_mass_matrix_that_depends_on_positions_keeps_order_two)
{
    double reference[4], error[3];
    double_pendulum_reference(reference);
    tp_model *model = double_pendulum_model(false);
    for (int k = 0; k < 3; k++) {
        tp_simulation *simulation = simulate_paoli(model, 0.004 / (1 << k), 0.8, 0.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        error[k] = 0.0;
        for (int i = 0; i < 2; i++) {
            error[k] = fmax(error[k], fabs(tp_simulation_q(simulation)[i] - reference[i]));
            error[k] = fmax(error[k], fabs(tp_simulation_u(simulation)[i] - reference[i + 2]));
        }
        CHECK(tp_simulation_report(simulation)->iterations_max <= 3);
        tp_simulation_free(simulation);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.1);
    CHECK_NEAR(log2(error[1] / error[2]), 2.0, 0.1);
    tp_model_free(model);
}

/* The leapfrog keeps v+ v- + omega^2 q^2, which differs from 2 E by (omega h)^2/4 of it: no drift. */
TEST(the_energy_of_an_oscillator_stays_within_its_second_order_band)
{
    tp_model *model = oscillator(0.0);
    const double h = 0.05, band = 0.25 * 4.0 * h * h;
    tp_simulation *simulation = simulate_paoli(model, h, 1000.0, 0.0);
    double initial = tp_simulation_report(simulation)->energy_initial, largest = 0.0, late = 0.0;
    for (int k = 1; k <= 20000; k++) {
        CHECK_INT(tp_simulation_step(simulation, k * h, NULL), TP_OK);
        double off = fabs(tp_simulation_last_step(simulation)->energy / initial - 1.0);
        if (k < 1000) largest = fmax(largest, off);
        if (k > 19000) late = fmax(late, off);
    }
    CHECK(largest <= 2.0 * band && largest > 0.05 * band);
    CHECK_NEAR(late, largest, 0.01 * largest);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* The first-order start begins q1 = q0 + h v0: half a step of force is missing, an error of order one. */
TEST(the_start_decides_the_order)
{
    tp_model *model = oscillator(0.0);
    double exact = oscillator_exact(0.0, 2.0, NULL), error[2];
    for (int k = 0; k < 2; k++) {
        tp_simulation_options options = options_of("schatzman-paoli", 0.01 / (1 << k), 2.0);
        options.paoli.first_order_start = true;
        tp_simulation *simulation = simulate_options(model, options);
        run(simulation);
        error[k] = fabs(tp_simulation_q(simulation)[0] - exact);
        tp_simulation_free(simulation);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 1.0, 0.05);
    tp_model_free(model);
}

/* omega dt against 2/sqrt(1 - 2 theta): bounded below, growing above, a warning above. */
TEST(vibrations_are_bounded_up_to_the_stability_limit)
{
    tp_model *model = oscillator(0.0);
    static const double thetas[] = {0.0, 0.25, 0.5};
    for (int k = 0; k < 3; k++) {
        double limit = k == 2 ? INFINITY : 2.0 / sqrt(1.0 - 2.0 * thetas[k]);
        double below = k == 2 ? 20.0 : 0.49 * limit, above = 0.51 * limit; /* omega is 2 */
        tp_simulation *simulation = simulate_paoli(model, below, 1000.0 * below, thetas[k]);
        CHECK_INT(tp_simulation_report(simulation)->warning_count, 0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        CHECK(fabs(tp_simulation_q(simulation)[0]) < 20.0);
        tp_simulation_free(simulation);
        if (k == 2) continue;
        simulation = simulate_paoli(model, above, 200.0 * above, thetas[k]);
        CHECK_INT(tp_simulation_report(simulation)->warning_count, 1);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        CHECK(fabs(tp_simulation_q(simulation)[0]) > 1e3);
        tp_simulation_free(simulation);
    }
    tp_model_free(model);
}

/* --- joints */

/* A pendulum of 1 m from the horizontal; reference by the classical Runge-Kutta method in its angle. */
static void pendulum_reference(double *position_out)
{
    const int count = 20000;
    double h = 1.0 / count, a = 0.0, w = 0.0;
    for (int i = 0; i < count; i++) {
        double k1 = -gravity * cos(a), k2 = -gravity * cos(a + 0.5 * h * w);
        double k3 = -gravity * cos(a + 0.5 * h * (w + 0.5 * h * k1)),
               k4 = -gravity * cos(a + h * (w + 0.5 * h * k2));
        a += h * (w + h / 6.0 * (k1 + k2 + k3));
        w += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    position_out[0] = cos(a);
    position_out[1] = sin(a);
}

static tp_model *pendulum(bool has_second_rod)
{
    tp_model *model = new_model();
    coordinate(model, "x", 1.0, 0.0);
    coordinate(model, "y", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*y"), &build_why));
    tp_constraint_def rod = tp_constraint_def_default();
    rod.name = "rod";
    rod.position = TP_FORMULA("1/2*(x^2 + y^2 - 1)");
    must(model, tp_model_add_constraint(model, &rod, NULL, &build_why));
    rod.name = "the same rod";
    rod.position = TP_FORMULA("x^2 + y^2 - 1");
    if (has_second_rod) must(model, tp_model_add_constraint(model, &rod, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* Errors 2.9e-4 and 7.2e-5 at 0.01 and 0.005 s, two digits; the joint itself holds to rounding. */
TEST(a_pendulum_with_a_joint_has_order_two_in_position_and_energy)
{
    static const double figures[] = {2.9e-4, 7.2e-5};
    double reference[2], error[3], energy[3];
    pendulum_reference(reference);
    tp_model *model = pendulum(false);
    for (int k = 0; k < 3; k++) {
        tp_simulation *simulation = simulate_paoli(model, 0.01 / (1 << k), 1.0, 0.0);
        energy[k] = 0.0;
        for (int n = 1; n <= 100 << k; n++) {
            CHECK_INT(tp_simulation_step(simulation, n * 0.01 / (1 << k), NULL), TP_OK);
            energy[k] = fmax(energy[k], fabs(tp_simulation_last_step(simulation)->energy));
        }
        const double *q = tp_simulation_q(simulation);
        error[k] = hypot(q[0] - reference[0], q[1] - reference[1]);
        if (k < 2) CHECK_NEAR(error[k], figures[k], 0.02 * figures[k]);
        CHECK(tp_simulation_report(simulation)->position_drift <= 1e-13); /* of a length of 1 m */
        tp_simulation_free(simulation);
    }
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(log2(error[k] / error[k + 1]), 2.0, 0.05);
        CHECK_NEAR(log2(energy[k] / energy[k + 1]), 2.0, 0.1);
    }
    tp_model_free(model);
}

TEST(the_energy_of_a_pendulum_does_not_drift)
{
    tp_model *model = pendulum(false);
    tp_simulation *simulation = simulate_paoli(model, 0.01, 200.0, 0.0);
    double early = 0.0, late = 0.0;
    for (int n = 1; n <= 20000; n++) {
        CHECK_INT(tp_simulation_step(simulation, n * 0.01, NULL), TP_OK);
        double off = fabs(tp_simulation_last_step(simulation)->energy);
        if (n <= 1000) early = fmax(early, off);
        if (n > 19000) late = fmax(late, off);
    }
    CHECK(early < 9.81 * 1e-3); /* O(h^2) of the energy that goes to and fro */
    CHECK(late <= 1.1 * early);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

TEST(redundant_joints_move_as_one)
{
    tp_model *one = pendulum(false), *two = pendulum(true);
    tp_simulation *first = simulate_paoli(one, 0.01, 1.0, 0.0), *second = simulate_paoli(two, 0.01, 1.0, 0.0);
    CHECK_INT(tp_simulation_run(first, NULL, NULL, NULL), TP_OK);
    CHECK_INT(tp_simulation_run(second, NULL, NULL, NULL), TP_OK);
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(tp_simulation_q(second)[i], tp_simulation_q(first)[i],
                   1e-11); /* 100 steps of rounding/h */
    tp_simulation_free(first);
    tp_simulation_free(second);
    tp_model_free(one);
    tp_model_free(two);
}

/* A mass on a spring, moved as x = sin(3 t): the work of the guide is what the energy changes by. */
TEST(a_joint_that_moves_in_time_holds_exactly_and_its_work_is_counted)
{
    double off[2];
    for (int k = 0; k < 2; k++) {
        double h = 0.01 / (1 << k);
        tp_model *model = new_model();
        coordinate(model, "x", 0.0, 3.0);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*2*x'^2"), &build_why));
        must(model, tp_model_add_potential(model, TP_FORMULA("1/2*5*x^2"), &build_why));
        tp_constraint_def def = tp_constraint_def_default();
        def.name = "guide";
        def.position = TP_FORMULA("x - sin(3*t)");
        must(model, tp_model_add_constraint(model, &def, NULL, &build_why));
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_simulation *simulation = simulate_paoli(model, h, 2.0, 0.0);
        double work = 0.0, first = 0.0;
        for (int n = 1; n <= 200 << k; n++) {
            CHECK_INT(tp_simulation_step(simulation, n * h, NULL), TP_OK);
            CHECK_NEAR(tp_simulation_q(simulation)[0], sin(3.0 * n * h), 1e-13);
            if (n == 1) first = tp_simulation_last_step(simulation)->energy;
            if (n > 1) work += tp_simulation_last_step(simulation)->applied_work;
        }
        off[k] = fabs(tp_simulation_last_step(simulation)->energy - first - work);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
    CHECK_NEAR(log2(off[0] / off[1]), 2.0, 0.1); /* the trapezoidal rule */
}

/* --- contacts */

static tp_model *ball(double height, double velocity, double restitution)
{
    tp_model *model = new_model();
    coordinate(model, "z", height, velocity);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*z'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*z"), &build_why));
    contact(model, "floor", "z", NULL, 0.0, restitution);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* Height of a ball dropped from 1 m. */
static double ball_exact(double restitution, double t)
{
    double begin = sqrt(2.0 / gravity), v = gravity * begin;
    if (t < begin) return 1.0 - 0.5 * gravity * t * t;
    for (int n = 0; n < 200; n++) {
        v *= restitution;
        double flight = 2.0 * v / gravity;
        if (t < begin + flight) return v * (t - begin) - 0.5 * gravity * (t - begin) * (t - begin);
        begin += flight;
    }
    return 0.0;
}

/* The mean over time, and over steps in the ratio 2^(1/4), of the error: single runs have the saw-tooth of
   impacts that fall anywhere in a step, which is as large as the error itself. */
static double mean_error(double largest_step, double end)
{
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        long long count = (long long)ceil(end / (largest_step * pow(2.0, -0.25 * k)));
        double h = end / (double)count, error = 0.0;
        tp_model *model = ball(1.0, 0.0, 0.8);
        tp_simulation *simulation = simulate_paoli(model, h, end, 0.0);
        for (long long n = 1; n <= count; n++) {
            if (tp_simulation_step(simulation, n == count ? end : (double)n * h, NULL) != TP_OK) fail();
            error += fabs(tp_simulation_q(simulation)[0] - ball_exact(0.8, (double)n * h)) / (double)count;
        }
        sum += error / 4.0;
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
    return sum;
}

/* Two octaves of order 1, each mean of four saw-teeth: together within a fifth. */
TEST(a_bouncing_ball_has_order_one_in_the_mean)
{
    double coarse = mean_error(4e-3, 6.0), fine = mean_error(2.5e-4, 6.0);
    CHECK_NEAR(log2(coarse / fine) / 4.0, 1.0, 0.2);
}

/* (q_{k+1} + e q_{k-1})/(1 + e) >= 0 in every step; q itself dips below 0 by at most v h. At rest at last,
   behind 9 sqrt(2/g) = 4.0637 s. */
TEST(the_mean_of_a_bouncing_ball_over_two_steps_is_admissible_and_the_ball_comes_to_rest)
{
    const double e = 0.8, h = 1e-3, fastest = sqrt(2.0 * gravity);
    tp_model *model = ball(1.0, 0.0, e);
    tp_simulation *simulation = simulate_paoli(model, h, 6.0, 0.0);
    double before = 1.0, now = 1.0, deepest = 0.0, first_impact = 0.0;
    for (int k = 1; k <= 6000; k++) {
        CHECK_INT(tp_simulation_step(simulation, k * h, NULL), TP_OK);
        double next = tp_simulation_q(simulation)[0];
        if (k >= 2) CHECK((next + e * before) / (1.0 + e) >= -4.0 * DBL_EPSILON);
        deepest = fmin(deepest, next);
        if (first_impact == 0.0 && tp_simulation_report(simulation)->impacts > 0) first_impact = k * h;
        before = now;
        now = next;
    }
    CHECK(deepest < 0.0 && deepest >= -fastest * h);
    CHECK_NEAR(first_impact, sqrt(2.0 / gravity), h);
    CHECK_NEAR(now, 0.0, 1e-12);
    CHECK_NEAR(tp_simulation_u(simulation)[0], 0.0, 1e-12);
    double P[4];
    tp_simulation_last_impulse(simulation, 0, P);
    CHECK_NEAR(P[0], gravity * h, 1e-12); /* it carries the weight */
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* Without gravity: after the impact the speed is e times the one before, to rounding. */
TEST(one_impact_multiplies_the_speed_by_the_restitution)
{
    check_random random = {20250101};
    for (int trial = 0; trial < 20; trial++) {
        double e = trial == 0 ? 0.0 : trial == 1 ? 1.0 : check_uniform(&random, 0.0, 1.0);
        double speed = check_uniform(&random, 0.5, 2.0), height = check_uniform(&random, 0.0, 0.05);
        if (trial < 4) height = 0.0; /* an impact at the very start */
        tp_model *model = new_model();
        coordinate(model, "z", height, -speed);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*3*z'^2"), &build_why));
        contact(model, "floor", "z", NULL, 0.0, e);
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_simulation *simulation = simulate_paoli(model, 1e-3, 0.2, 0.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        CHECK_NEAR(tp_simulation_u(simulation)[0], e * speed, 1e-11); /* 200 steps of 2e-16 m/1e-3 s */
        CHECK(tp_simulation_report(simulation)->impacts >= (height > 0.0));
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

/* At the start: a ball at rest stays, one that leaves is not held, one that arrives is thrown back. */
TEST(a_contact_that_is_closed_at_the_start_knows_its_past)
{
    static const double velocities[] = {0.0, 1.0, -1.0};
    for (int k = 0; k < 3; k++) {
        tp_model *model = ball(0.0, velocities[k], 0.8);
        tp_simulation *simulation = simulate_paoli(model, 1e-4, 0.05, 0.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        double t = 0.05, v = k == 2 ? 0.8 : velocities[k], z = v * t - 0.5 * gravity * t * t;
        if (k == 0) CHECK_NEAR(tp_simulation_q(simulation)[0], 0.0, 1e-15);
        if (k == 1) CHECK_NEAR(tp_simulation_q(simulation)[0], z, 1e-12);      /* flight is exact */
        if (k == 2) CHECK_NEAR(tp_simulation_q(simulation)[0], z, 2.0 * 1e-4); /* 1 m/s for two steps */
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

/* Restitution is a number of each row: two balls that do not know of each other keep their own. */
TEST(rows_with_different_restitution_may_be_mixed)
{
    tp_model *model = new_model();
    coordinate(model, "a", 0.05, -1.0);
    coordinate(model, "b", 0.03, -1.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(a'^2 + 4*b'^2)"), &build_why));
    contact(model, "first", "a", NULL, 0.0, 0.9);
    contact(model, "second", "2*b", NULL, 0.0, 0.2);
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_simulation *simulation = simulate_paoli(model, 1e-3, 0.2, 0.0);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
    CHECK_NEAR(tp_simulation_u(simulation)[0], 0.9, 1e-11);
    CHECK_NEAR(tp_simulation_u(simulation)[1], 0.2, 1e-11);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* A floor that rises, z >= 0.1 sin(5 t), plastic: the ball rides on it while that does not fall faster. */
TEST(a_plastic_contact_may_move_in_time)
{
    tp_model *model = new_model();
    coordinate(model, "z", 0.0, 0.5);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*z'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*z"), &build_why));
    contact(model, "floor", "z - 0.1*sin(5*t)", NULL, 0.0, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_simulation *simulation = simulate_paoli(model, 1e-3, 2.0, 0.0);
    for (int k = 1; k <= 2000; k++) { /* the floor's acceleration is at most 2.5 m/s^2 */
        CHECK_INT(tp_simulation_step(simulation, k * 1e-3, NULL), TP_OK);
        CHECK_NEAR(tp_simulation_q(simulation)[0], 0.1 * sin(5e-3 * k), 1e-15);
    }
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* Against the theta-method, which is checked against exact motions: both of first order, so they differ by
   some steps' way; joints and contacts together. */
TEST(a_double_pendulum_at_a_wall_moves_as_with_moreau_jean)
{
    tp_model *model = double_pendulum_redundant();
    double apart[2];
    for (int k = 0; k < 2; k++) {
        double dt = 2e-4 / (1 << (2 * k));
        tp_simulation *other = simulate_with(model, "moreau-jean", dt, 1.0),
                      *simulation = simulate_paoli(model, dt, 1.0, 0.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        CHECK_INT(tp_simulation_run(other, NULL, NULL, NULL), TP_OK);
        CHECK(tp_simulation_report(simulation)->impacts > 0);
        CHECK(tp_simulation_report(simulation)->position_drift <= 1e-12);
        apart[k] = 0.0;
        for (int i = 0; i < 4; i++)
            apart[k] = fmax(apart[k], fabs(tp_simulation_q(simulation)[i] - tp_simulation_q(other)[i]));
        tp_simulation_free(simulation);
        tp_simulation_free(other);
    }
    CHECK(apart[0] < 0.02 && apart[1] < 0.5 * apart[0]);
    tp_model_free(model);
}

/* --- bodies */

/* A bar of 2 kg that swings about its end, and a ball that falls on a plane, as bodies with shapes. */
static const char bodies[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: bar, type: planar, mass: 2, inertia: 0.3, position: [0.5, 0]}\n"
    "  - {name: ball, type: point, mass: 1, position: [2, 0.3, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "ground: {shapes: [{name: floor, type: plane, orientation: {axis: [1, 0, 0], angle: -pi/2}}]}\n"
    "joints:\n"
    "  - {name: pivot, type: revolute, bodies: [ground, bar], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "contacts:\n"
    "  - {name: touch, between: [floor, ball], restitution: 0.5}\n";

/* phi'' = -m g l cos(phi)/(J + m l^2) with l = 0.5 m: a pendulum of the length 0.8/(2 0.5) = 0.8 m. */
static double bar_reference(double end_time)
{
    const int count = 20000;
    const double rate = gravity / 0.8;
    double h = end_time / count, a = 0.0, w = 0.0;
    for (int i = 0; i < count; i++) {
        double k1 = -rate * cos(a), k2 = -rate * cos(a + 0.5 * h * w);
        double k3 = -rate * cos(a + 0.5 * h * (w + 0.5 * h * k1)),
               k4 = -rate * cos(a + h * (w + 0.5 * h * k2));
        a += h * (w + h / 6.0 * (k1 + k2 + k3));
        w += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return a;
}

TEST(planar_bodies_and_points_with_joints_and_shapes_move_as_they_should)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    if (tp_scene_read_memory(NULL, "bodies.yaml", bodies, strlen(bodies), NULL, 0, &scene, &why) != TP_OK)
        fail_msg("%s", why.text);
    double error[2], reference = bar_reference(1.0);
    for (int k = 0; k < 2; k++) {
        double h = 2e-3 / (1 << k), fall = sqrt(2.0 * 0.2 / gravity);
        tp_simulation *simulation = simulate_paoli(scene->model, h, 1.0, 0.0);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        error[k] = fabs(tp_simulation_q(simulation)[2] - reference);
        CHECK(tp_simulation_report(simulation)->position_drift <= 1e-12);
        /* at rest behind 3 times the fall, as (1 + e)/(1 - e) = 3 */
        CHECK(3.0 * fall < 0.7);
        CHECK_NEAR(tp_simulation_q(simulation)[4], 0.1, 1e-12);
        tp_simulation_free(simulation);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.1);
    tp_scene_free(scene);
}

/* --- the fixed step */

TEST(a_step_of_another_length_is_refused_with_the_reason_and_changes_nothing)
{
    tp_model *model = ball(1.0, 0.0, 0.5);
    tp_simulation *simulation = simulate_paoli(model, 1e-2, 1.0, 0.0);
    CHECK_INT(tp_simulation_step(simulation, 1e-2, NULL), TP_OK);
    double q = tp_simulation_q(simulation)[0];
    CHECK_INT(tp_simulation_step(simulation, 1.5e-2, NULL), TP_INVALID_ARGUMENT);
    CHECK(strstr(tp_simulation_report(simulation)->reason, "steps of one length, 0.01 s, not 0.005 s"));
    CHECK(tp_simulation_q(simulation)[0] == q && tp_simulation_time(simulation) == 1e-2);
    CHECK_INT(tp_simulation_step(simulation, 2e-2, NULL), TP_OK);

    tp_simulation_options options = *tp_simulation_get_options(simulation);
    tp_restart restart;
    tp_simulation_checkpoint(simulation, &restart);
    tp_message why = {""};
    tp_simulation *other = NULL;
    options.time_step = 2e-2;
    CHECK_INT(tp_simulation_create(NULL, model, &options, &other, &why), TP_OK);
    CHECK_INT(tp_simulation_restore(other, &restart, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "its steps are 0.01 s long, and schatzman-paoli cannot change that to 0.02 s"));
    tp_simulation_free(other);
    options.end_time = 1.01;
    CHECK_INT(tp_simulation_create(NULL, model, &options, &other, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "the end time 1.01 s is 50.5 steps of 0.02 s; end at 1 or 1.02 s"));
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* Times are rounded: 0.1 + 0.2 is not 0.3, and 1e5 steps of 0.1 s end at 1e4 s. */
TEST(rounded_times_do_not_count_as_another_step)
{
    tp_model *model = oscillator(0.0);
    tp_simulation *simulation = simulate_paoli(model, 0.1, 1e4, 0.0);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
    CHECK_INT(tp_simulation_report(simulation)->steps, 100000);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* A double pendulum in angles at a fifth of a second: quadratic equations for the velocities, whose roots are
   no longer real in the fifth step, which is taken in parts. At a tenth of a second all steps are whole. */
TEST(a_step_without_solution_is_taken_in_parts_and_says_so)
{
    static const char *const edits[2][2] = {{"simulate.integrator=schatzman-paoli", "simulate.dt=0.1"},
                                            {"simulate.integrator=schatzman-paoli", "simulate.dt=0.2"}};
    for (int k = 0; k < 2; k++) {
        tp_scene *scene = NULL;
        tp_simulation *simulation = NULL;
        CHECK_INT(tp_scene_read(NULL, TIPPE_SOURCE_DIR "/examples/double-pendulum/scene.yaml", edits[k], 2,
                                &scene, NULL),
                  TP_OK);
        CHECK_INT(tp_simulation_create(NULL, scene->model, &scene->options, &simulation, NULL), TP_OK);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        const tp_run_report *report = tp_simulation_report(simulation);
        bool is_said = false;
        for (int i = 0; i < report->warning_count; i++)
            is_said = is_said || report->warnings[i].kind == TP_WARNING_DIVIDED_STEP;
        CHECK_INT(is_said, k == 1);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

TEST_MAIN(RUNS(a_step_without_solution_is_taken_in_parts_and_says_so),
          RUNS(the_errors_of_an_oscillator_are_those_of_the_specification),
          RUNS(positions_and_velocities_have_order_two_for_theta_zero_with_and_without_damping_and_else_one),
          RUNS(a_mass_matrix_that_depends_on_positions_keeps_order_two),
          RUNS(the_energy_of_an_oscillator_stays_within_its_second_order_band),
          RUNS(the_start_decides_the_order), RUNS(vibrations_are_bounded_up_to_the_stability_limit),
          RUNS(a_pendulum_with_a_joint_has_order_two_in_position_and_energy),
          RUNS(the_energy_of_a_pendulum_does_not_drift), RUNS(redundant_joints_move_as_one),
          RUNS(a_joint_that_moves_in_time_holds_exactly_and_its_work_is_counted),
          RUNS(a_bouncing_ball_has_order_one_in_the_mean),
          RUNS(the_mean_of_a_bouncing_ball_over_two_steps_is_admissible_and_the_ball_comes_to_rest),
          RUNS(one_impact_multiplies_the_speed_by_the_restitution),
          RUNS(a_contact_that_is_closed_at_the_start_knows_its_past),
          RUNS(rows_with_different_restitution_may_be_mixed), RUNS(a_plastic_contact_may_move_in_time),
          RUNS(a_double_pendulum_at_a_wall_moves_as_with_moreau_jean),
          RUNS(planar_bodies_and_points_with_joints_and_shapes_move_as_they_should),
          RUNS(a_step_of_another_length_is_refused_with_the_reason_and_changes_nothing),
          RUNS(rounded_times_do_not_count_as_another_step))
