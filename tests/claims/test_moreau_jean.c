/* What theory/moreau-jean.md claims of the theta-method, on systems with known answers. */
#include "models.h"

static const double gravity = 9.81;

/* --- linear systems: the energy identity */

static const double chain_M[9] = {1, 0, 0, 0, 2, 0, 0, 0, 1.5},
                    chain_pattern[9] = {1, -1, 0, -1, 2, -1, 0, -1, 1};

typedef struct chain {
    double C[9], K[9];
    tp_model *model;
} chain;

/* Three masses in a row, springs and dampers between them, the first beside a wall at 0. */
static chain make_chain(double damping, double restitution)
{
    chain c = {.model = new_model()};
    for (int k = 0; k < 9; k++) {
        c.K[k] = 100.0 * chain_pattern[k];
        c.C[k] = damping * chain_pattern[k];
    }
    coordinate(c.model, "a", 0.2, -1.0);
    coordinate(c.model, "b", 0.3, -1.0);
    coordinate(c.model, "c", 0.5, -1.0);
    must(c.model, tp_model_add_linear(c.model, 3, chain_M, c.C, c.K, (tp_place){0}, &build_why));
    contact(c.model, "wall", "a", NULL, 0.0, restitution);
    must(c.model, tp_model_finish(c.model, NULL, &build_why));
    return c;
}

static double form(const double *matrix, const double *v)
{
    double sum = 0.0;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) sum += v[i] * matrix[i + 3 * j] * v[j];
    }
    return sum;
}

static double chain_energy(const chain *c, const double *q, const double *v)
{
    return 0.5 * (form(chain_M, v) + form(c->K, q));
}

/* E+ - E - [-dt |v_theta|_C^2 - (theta - 1/2)(|dv|_M^2 + |dq|_K^2) + v_theta.p]: zero; theory (11). */
static double identity_error(const chain *c, double dt, double theta, const double *q, const double *v,
                             const double *q_end, const double *v_end, double P)
{
    double v_theta[3], dq[3], dv[3];
    for (int i = 0; i < 3; i++) {
        v_theta[i] = (1.0 - theta) * v[i] + theta * v_end[i];
        dq[i] = q_end[i] - q[i];
        dv[i] = v_end[i] - v[i];
    }
    double expected =
        -dt * form(c->C, v_theta) - (theta - 0.5) * (form(chain_M, dv) + form(c->K, dq)) + v_theta[0] * P;
    return chain_energy(c, q_end, v_end) - chain_energy(c, q, v) - expected;
}

TEST(linear_systems_keep_the_energy_identity_in_every_step)
{
    const double dt = 1e-3, thetas[] = {0.5, 0.6, 1.0}, restitutions[] = {0.0, 0.5, 1.0};
    for (int trial = 0; trial < 9; trial++) {
        double theta = thetas[trial % 3], e = restitutions[trial / 3];
        chain c = make_chain(0.5, e);
        tp_simulation *simulation = simulate_theta(c.model, dt, 3.0, theta);
        double scale = tp_simulation_report(simulation)->energy_initial, pushes = 0.0;
        for (int k = 1; k <= 3000; k++) {
            double q[3], v[3], P[TP_IMPULSE_ROWS];
            memcpy(q, tp_simulation_q(simulation), sizeof q);
            memcpy(v, tp_simulation_u(simulation), sizeof v);
            CHECK_INT(tp_simulation_step(simulation, k * dt, NULL), TP_OK);
            tp_simulation_last_impulse(simulation, 0, P);
            double error = identity_error(&c, dt, theta, q, v, tp_simulation_q(simulation),
                                          tp_simulation_u(simulation), P[0]);
            CHECK_NEAR(error, 0.0, 1e-13 * scale);
            if (theta <= 1.0 / (1.0 + e) && v[0] <= 0.0) /* an impact gains nothing */
                CHECK(tp_simulation_last_step(simulation)->energy <= chain_energy(&c, q, v) + 1e-13 * scale);
            pushes += P[0] > 0.0;
        }
        CHECK(pushes > 0.0);
        CHECK_INT(tp_simulation_report(simulation)->iterations_max,
                  1); /* one linear problem, then the check */
        tp_simulation_free(simulation);
        tp_model_free(c.model);
    }
}

TEST(elastic_undamped_linear_systems_keep_their_energy_to_rounding)
{
    chain c = make_chain(0.0, 1.0);
    tp_simulation *simulation = simulate_theta(c.model, 1e-3, 3.0, 0.5);
    double initial = tp_simulation_report(simulation)->energy_initial;
    for (int k = 1; k <= 3000; k++) {
        CHECK_INT(tp_simulation_step(simulation, k * 1e-3, NULL), TP_OK);
        CHECK_NEAR(tp_simulation_last_step(simulation)->energy, initial, 1e-13 * initial);
    }
    CHECK(tp_simulation_report(simulation)->impacts >= 2);
    tp_simulation_free(simulation);
    tp_model_free(c.model);
}

/* omega dt = 20, far above the limit of explicit schemes. At the end the spring carries both masses: x2 = 0.1
   - (m1 + m2) g / c. theta = 1/2 does not damp what it does not resolve: the masses go on bouncing, and a
   contact that is penetrated and separating may then gain energy. An approaching one never does, by (12). */
TEST(the_stiff_oscillator_is_stable_at_any_step_from_theta_one_half_on)
{
    tp_model *model = oscillator_model();
    const double dt = 1e-3;
    for (double theta = 0.5; theta <= 1.0; theta += 0.25) {
        tp_simulation *simulation = simulate_theta(model, dt, 2.0, theta);
        double initial = tp_simulation_report(simulation)->energy_initial;
        for (int k = 1; k <= 2000; k++) {
            double before = tp_simulation_last_step(simulation)->energy,
                   approach = tp_simulation_u(simulation)[0] - tp_simulation_u(simulation)[1];
            CHECK_INT(tp_simulation_step(simulation, k * dt, NULL), TP_OK);
            bool may_gain =
                theta == 0.5 && approach > 0.0 && tp_simulation_last_step(simulation)->contact_count;
            if (!may_gain) CHECK(tp_simulation_last_step(simulation)->energy <= before + 1e-12 * initial);
            CHECK(fabs(tp_simulation_q(simulation)[1] - 0.1) < 0.01);
        }
        if (theta > 0.5)
            CHECK_NEAR(tp_simulation_q(simulation)[1], 0.1 - 10.001 * gravity / 4e5,
                       1e-8); /* vibration left over */
        const tp_run_report *report = tp_simulation_report(simulation);
        CHECK_INT(report->warning_count, theta == 0.5);
        if (theta == 0.5) CHECK_INT(report->warnings[0].kind, TP_WARNING_ENERGY_GROWS);
        CHECK_INT(tp_simulation_report(simulation)->iterations_max, 1);
        tp_simulation_free(simulation);
    }
    tp_simulation *explicit_one = simulate_theta(model, 1e-3, 2.0, 0.4);
    CHECK_INT(tp_simulation_report(explicit_one)->warning_count, 1);
    CHECK(strstr(tp_simulation_report(explicit_one)->warnings[0].text, "undamped vibrations grow") != NULL);
    tp_simulation_free(explicit_one);
    tp_model_free(model);
}

/* --- smooth nonlinear motion */

TEST(without_laws_the_order_is_two_for_theta_one_half_and_else_one)
{
    double reference[4];
    double_pendulum_reference(reference);
    tp_model *model = double_pendulum_model(false);
    for (int half = 0; half < 2; half++) {
        double error[3];
        for (int k = 0; k < 3; k++) {
            tp_simulation *simulation = simulate_theta(model, 0.004 / (1 << k), 0.8, half ? 0.5 : 1.0);
            CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
            const double *q = tp_simulation_q(simulation);
            error[k] = fmax(fabs(q[0] - reference[0]), fabs(q[1] - reference[1]));
            CHECK(tp_simulation_report(simulation)->iterations_max <= 4); /* quadratic */
            tp_simulation_free(simulation);
        }
        CHECK_NEAR(log2(error[0] / error[1]), half ? 2.0 : 1.0, 0.1);
        CHECK_NEAR(log2(error[1] / error[2]), half ? 2.0 : 1.0, 0.1);
    }
    tp_model_free(model);
}

/* The same pendulum in velocities of its own, v = a' + b' and w = cos(a) a' + 2 b': order 2 as well. */
TEST(own_velocities_have_the_same_order)
{
    double reference[4], error[3];
    double_pendulum_reference(reference);
    for (int k = 0; k < 3; k++) {
        tp_model *model = new_model();
        parameter(model, "k", 0.2 * 0.5 * 0.5);
        coordinate(model, "a", 0.0, 0.0);
        coordinate(model, "b", 0.0, 0.0);
        must(model, tp_model_add_velocity(model, "v", 10.0, "", (tp_place){0}, NULL, &build_why));
        must(model, tp_model_add_velocity(model, "w", 15.0, "", (tp_place){0}, NULL, &build_why));
        must(model, tp_model_set_rate(model, "a", TP_FORMULA("(2*v - w)/(2 - cos(a))"), &build_why));
        must(model, tp_model_set_rate(model, "b", TP_FORMULA("(w - cos(a)*v)/(2 - cos(a))"), &build_why));
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*k*(2*a'^2 + b'^2 + 2*cos(a - b)*a'*b')"),
                                         &build_why));
        must(model, tp_model_add_potential(model, TP_FORMULA("-k*9.81/0.5*(2*cos(a) + cos(b))"), &build_why));
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_simulation *simulation = simulate_theta(model, 0.002 / (1 << k), 0.8, 0.5);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        const double *q = tp_simulation_q(simulation);
        error[k] = fmax(fabs(q[0] - reference[0]), fabs(q[1] - reference[1]));
        CHECK(tp_simulation_report(simulation)->residual_max <= 1e-12);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.15);
    CHECK_NEAR(log2(error[1] / error[2]), 2.0, 0.15);
}

/* A free particle in polar coordinates with its radial and transverse velocity, r' = v, phi' = s/r:
   gyroscopic terms of inertia in own velocities, which the linearisation does not know. */
TEST(inertia_in_own_velocities_converges_linearly_and_has_order_two)
{
    double error[3];
    for (int k = 0; k < 3; k++) {
        tp_model *model = new_model();
        coordinate(model, "r", 1.0, 0.0);
        coordinate(model, "phi", 0.0, 0.0);
        must(model, tp_model_add_velocity(model, "v", -0.5, "", (tp_place){0}, NULL, &build_why));
        must(model, tp_model_add_velocity(model, "s", 1.0, "", (tp_place){0}, NULL, &build_why));
        must(model, tp_model_set_rate(model, "r", TP_FORMULA("v"), &build_why));
        must(model, tp_model_set_rate(model, "phi", TP_FORMULA("s/r"), &build_why));
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*3*(v^2 + s^2)"), &build_why));
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_simulation *simulation = simulate_theta(model, 0.02 / (1 << k), 1.0, 0.5);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        const double *q = tp_simulation_q(simulation);
        error[k] = hypot(q[0] * cos(q[1]) - 0.5, q[0] * sin(q[1]) - 1.0); /* from (1, 0) with (-0.5, 1) */
        CHECK(tp_simulation_report(simulation)->iterations_max <= 12);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.1);
    CHECK_NEAR(log2(error[1] / error[2]), 2.0, 0.1);
}

TEST(joints_hold_on_velocity_level_at_the_end_and_drift_with_second_order)
{
    double reference[4], error[3], drift[3];
    double_pendulum_reference(reference);
    tp_model *model = double_pendulum_redundant();
    for (int k = 0; k < 3; k++) {
        tp_simulation *simulation = simulate_theta(model, 2e-3 / (1 << k), 0.8, 0.5);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        const double *q = tp_simulation_q(simulation);
        const tp_run_report *report = tp_simulation_report(simulation);
        error[k] = hypot(q[0] - 0.5 * sin(reference[0]), q[1] - 0.5 * cos(reference[0]));
        drift[k] = report->position_drift;
        CHECK(rate_drift(report) <= 1e-10); /* tolerance 1e-12 times velocities of some m/s, two rows */
        tp_simulation_free(simulation);
    }
    CHECK_NEAR(log2(error[1] / error[2]), 1.0, 0.15); /* the reactions are implicit: order 1 */
    CHECK_NEAR(log2(drift[1] / drift[2]), 2.0, 0.15); /* trapezoidal rule for positions, velocities exact */
    tp_model_free(model);
}

/* --- impacts */

typedef struct bounces {
    double first, last_flight; /* end of the first step with an impulse; of the last one without */
} bounces;

static bool watch_bounces(void *context, const tp_simulation *simulation)
{
    bounces *seen = context;
    double P[TP_IMPULSE_ROWS];
    tp_simulation_last_impulse(simulation, 0, P);
    if (tp_simulation_time(simulation) == 0.0) return true;
    if (P[0] > 0.0 && seen->first == 0.0) seen->first = tp_simulation_time(simulation);
    if (P[0] == 0.0) seen->last_flight = tp_simulation_time(simulation);
    return true;
}

/* From 1 m with e = 0.8: first impact sqrt(2/g), accumulation at 9 times that, then rest. */
TEST(a_bouncing_ball_comes_to_rest_when_it_should)
{
    tp_model *model = new_model();
    coordinate(model, "z", 1.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*z'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*z"), &build_why));
    contact(model, "floor", "z", NULL, 0.0, 0.8);
    must(model, tp_model_finish(model, NULL, &build_why));
    const double first = sqrt(2.0 / gravity), end = 9.0 * first;
    for (int k = 0; k < 3; k++) {
        double dt = 1e-3 / pow(4.0, k);
        bounces seen = {0};
        tp_simulation *simulation = simulate_theta(model, dt, 6.0, 0.5);
        CHECK_INT(tp_simulation_run(simulation, watch_bounces, &seen, NULL), TP_OK);
        /* the forecast dt/2 puts the impact within half a step of the start of this step */
        CHECK_NEAR(seen.first - dt, first, 0.5 * dt + 1e-9);
        CHECK_NEAR(seen.last_flight, end, 40.0 * dt); /* some twenty impacts, each up to a step off */
        double z = tp_simulation_q(simulation)[0];
        CHECK(fabs(tp_simulation_u(simulation)[0]) < 1e-14);
        CHECK(fabs(z) < 2.0 * gravity * dt * dt);
        tp_simulation_free(simulation);
    }
    tp_model_free(model);
}

/* phi'' = -g sin phi, stop at -0.3, e = 0.7, from 1 rad: two impacts in 3 s. Exact by energy: phi'^2 = 2 g
   (cos phi - cos 1) at the first one, 0.7^2 of it after it. */
TEST(a_pendulum_hits_its_stop_twice)
{
    tp_model *model = new_model();
    coordinate(model, "phi", 1.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*phi'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("-9.81*cos(phi)"), &build_why));
    contact(model, "stop", "phi + 0.3", NULL, 0.0, 0.7);
    must(model, tp_model_finish(model, NULL, &build_why));
    const double kinetic = gravity * (cos(0.3) - cos(1.0)), lost = (1.0 - 0.7 * 0.7) * kinetic;
    tp_simulation *simulation = simulate_theta(model, 1e-4, 3.0, 0.5);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
    CHECK_INT(tp_simulation_report(simulation)->impacts, 2);
    double energy_loss =
        tp_simulation_report(simulation)->energy_initial - tp_simulation_report(simulation)->energy_final;
    /* the velocity at impact is known to g sin(0.3) dt and phi to phi' dt: relative 1e-3 of the loss at most
     */
    CHECK_NEAR(energy_loss, lost * (1.0 + 0.49), 1e-3 * lost);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

TEST(a_block_that_sticks_moves_less_than_1e_12_m_in_100_s)
{
    tp_model *model = resting_block_model();
    tp_simulation *simulation = simulate_theta(model, 1e-3, 100.0, 0.5);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
    CHECK(fabs(tp_simulation_q(simulation)[0]) < 1e-12);
    CHECK(fabs(tp_simulation_q(simulation)[1]) < 1e-12);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* A block on the plane with friction, pushed: the speed is v0 - mu g t at every step, then 0. */
TEST(a_sliding_block_slows_down_exactly_and_stops)
{
    tp_model *model = sliding_block_model(1.0, 0.3);
    tp_simulation *simulation = simulate_theta(model, 1e-3, 1.0, 0.5);
    for (int k = 1; k <= 500; k++) {
        CHECK_INT(tp_simulation_step(simulation, k * 1e-3, NULL), TP_OK);
        CHECK_NEAR(tp_simulation_u(simulation)[0], fmax(0.0, 1.0 - 0.3 * gravity * k * 1e-3), 1e-12);
    }
    CHECK_NEAR(tp_simulation_q(simulation)[0], 1.0 / (2.0 * 0.3 * gravity),
               1e-6); /* dt^2 mu g / 8 at the stop */
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* --- the woodpecker */

typedef struct pecks {
    double times[8], before;
    int count;
} pecks;

static bool watch_beak(void *context, const tp_simulation *simulation)
{
    pecks *seen = context;
    double rate = tp_simulation_u(simulation)[2];
    if (seen->before > 5.0 && rate < 0.0 && seen->count < 8)
        seen->times[seen->count++] = tp_simulation_time(simulation);
    seen->before = rate;
    return true;
}

/* Both schemes are of first order; the event-driven reference has the first three beak impacts at 0.08101350,
   0.22685, 0.37292 s, and errors of some steps add up over the impacts between. */
TEST(the_woodpecker_pecks_when_the_reference_and_moreaus_rule_do)
{
    tp_model *model = woodpecker_model();
    pecks seen = {0}, other = {0};
    tp_simulation *simulation = simulate_theta(model, 1e-5, 0.5, 0.5), *moreau = simulate(model, 1e-5, 0.5);
    CHECK_INT(tp_simulation_run(simulation, watch_beak, &seen, NULL), TP_OK);
    CHECK_INT(tp_simulation_run(moreau, watch_beak, &other, NULL), TP_OK);
    CHECK_INT(seen.count, other.count);
    CHECK_INT(seen.count, 3);
    CHECK_NEAR(seen.times[0], 0.08101350, 2e-5);
    CHECK_NEAR(seen.times[1] - seen.times[0], 0.145841, 5e-5);
    for (int k = 0; k < 3; k++) CHECK_NEAR(seen.times[k], other.times[k], 1e-4);
    CHECK_INT(tp_simulation_report(simulation)->iterations_max, 1);
    tp_simulation_free(simulation);
    tp_simulation_free(moreau);
    tp_model_free(model);
}

/* --- options */

TEST(options_out_of_range_are_refused)
{
    tp_model *model = oscillator_model();
    for (int k = 0; k < 6; k++) {
        tp_simulation_options options = tp_simulation_options_default();
        options.integrator = "moreau-jean";
        double *field[3] = {&options.theta_method.theta, &options.theta_method.mass_prediction,
                            &options.theta_method.forecast};
        *field[k % 3] = k < 3 ? -0.1 : NAN;
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        CHECK_INT(tp_simulation_create(NULL, model, &options, &simulation, &why), TP_INVALID_DATA);
        CHECK(strstr(why.text, "from 0 to 1") != NULL);
    }
    tp_model_free(model);
}

/* Frozen rows are those of the start: joints then hold there only, to first order at the end. */
TEST(frozen_rows_are_those_of_the_begin)
{
    tp_model *model = double_pendulum_redundant();
    double drift[2];
    for (int k = 0; k < 2; k++) {
        tp_simulation_options options = options_of("moreau-jean", 1e-3 / (1 << k), 0.4);
        options.theta_method.refresh_rows = false;
        tp_simulation *simulation = simulate_options(model, options);
        run(simulation);
        drift[k] = rate_drift(tp_simulation_report(simulation));
        CHECK_INT(tp_simulation_report(simulation)->iterations_max, 1); /* nothing nonlinear is left */
        tp_simulation_free(simulation);
    }
    CHECK_NEAR(log2(drift[0] / drift[1]), 1.0, 0.15);
    tp_model_free(model);
}

static void *count_allocation(void *context, size_t bytes)
{
    ++*(int *)context;
    return malloc(bytes);
}

static void release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

TEST(warm_steps_allocate_nothing)
{
    int count = 0;
    tp_allocator allocator = *tp_allocator_default();
    allocator.context = &count;
    allocator.allocate = count_allocation;
    allocator.release = release;
    tp_model *model = double_pendulum_redundant();
    tp_simulation_options options = tp_simulation_options_default();
    options.integrator = "moreau-jean";
    options.end_time = 2.0;
    tp_simulation *simulation = NULL;
    CHECK_INT(tp_simulation_create(&allocator, model, &options, &simulation, NULL), TP_OK);
    int warm = 0;
    for (int k = 1; k <= 4000; k++) {
        CHECK_INT(tp_simulation_step(simulation, k * 1e-3, NULL), TP_OK);
        if (k == 2000) warm = count;
    }
    CHECK(warm > 0 && tp_simulation_report(simulation)->impacts > 2);
    CHECK_INT(count, warm);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

TEST_MAIN(RUNS(linear_systems_keep_the_energy_identity_in_every_step),
          RUNS(elastic_undamped_linear_systems_keep_their_energy_to_rounding),
          RUNS(the_stiff_oscillator_is_stable_at_any_step_from_theta_one_half_on),
          RUNS(without_laws_the_order_is_two_for_theta_one_half_and_else_one),
          RUNS(own_velocities_have_the_same_order),
          RUNS(inertia_in_own_velocities_converges_linearly_and_has_order_two),
          RUNS(warm_steps_allocate_nothing),
          RUNS(joints_hold_on_velocity_level_at_the_end_and_drift_with_second_order),
          RUNS(a_bouncing_ball_comes_to_rest_when_it_should), RUNS(a_pendulum_hits_its_stop_twice),
          RUNS(a_block_that_sticks_moves_less_than_1e_12_m_in_100_s),
          RUNS(a_sliding_block_slows_down_exactly_and_stops),
          RUNS(the_woodpecker_pecks_when_the_reference_and_moreaus_rule_do),
          RUNS(options_out_of_range_are_refused), RUNS(frozen_rows_are_those_of_the_begin))
