/* A follower on a spring that bounces on a rotating cam: periodic and chaotic motion with known figures, by
   moreau-jean; examples/cam-follower. Two forms: absolute position u with the gap u - c(t), and the distance
   u - c with the cam's motion as a force. */
#include "models.h"

static const double mass = 1.221, stiffness = 1430.8, restitution = 0.8, pi = 3.14159265358979323846;
static const double rho1 = 0.85, k1 = 0.45, rho3 = 0.15, k2 = 0.40393320723821, flank = 1.050328174371336;

/* Position and velocity of the cam's edge, apart from the formulas of the models. */
static double cam(double rpm, double t, double *rate_out)
{
    double w = 2.0 * pi * rpm / 60.0, beta = fmod(w * t + 0.5 * pi, 2.0 * pi), sign = beta <= pi ? 1.0 : -1.0;
    double b = beta <= pi ? beta : 2.0 * pi - beta, lift = 0.4, slope = 0.0;
    if (b > 8.0 * pi / 9.0) {
        lift = k2 + rho3;
    } else if (b > 0.5 * pi + flank) {
        double a = b + pi / 9.0, root = sqrt(rho3 * rho3 - k2 * k2 * sin(a) * sin(a));
        lift = -k2 * cos(a) + root;
        slope = k2 * sin(a) - k2 * k2 * sin(a) * cos(a) / root;
    } else if (b > 0.5 * pi) {
        double root = sqrt(rho1 * rho1 - k1 * k1 * cos(b) * cos(b));
        lift = -k1 * sin(b) + root;
        slope = -k1 * cos(b) + k1 * k1 * sin(b) * cos(b) / root;
    }
    *rate_out = sign * w * slope;
    return lift - 0.3;
}

static void add_definition(tp_model *model, const char *name, const char *formula)
{
    must(model, tp_model_add_definition(model, name, NULL, 0, formula, (tp_place){0}));
}

static tp_model *begin_model(double rpm)
{
    tp_model *model = new_model();
    parameter(model, "rho1", rho1);
    parameter(model, "k1", k1);
    parameter(model, "rho3", rho3);
    parameter(model, "k2", k2);
    parameter(model, "w", 2.0 * pi * rpm / 60.0);
    add_definition(model, "b", "abs(atan2(sin(w*t + pi/2), cos(w*t + pi/2)))"); /* folded: 0 to pi */
    add_definition(model, "a", "b + pi/9");
    add_definition(model, "root1", "sqrt(rho1^2 - k1^2*cos(b)^2)");
    add_definition(model, "root3", "sqrt(rho3^2 - k2^2*sin(a)^2)");
    add_definition(model, "cam",
                   "-0.3 + if(b <= pi/2, 0.4, if(b <= pi/2 + 1.050328174371336, -k1*sin(b) + root1, "
                   "if(b <= 8*pi/9, -k2*cos(a) + root3, k2 + rho3)))");
    return model;
}

static tp_model *rheonomous_model(double rpm)
{
    tp_model *model = begin_model(rpm);
    coordinate(model, "u", 0.5, 0.4);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*1.221*u'^2")));
    must(model, tp_model_add_potential(model, TP_FORMULA("1/2*1430.8*u^2")));
    contact(model, "cam", "u - cam", NULL, 0.0, restitution);
    must(model, tp_model_finish(model, NULL));
    return model;
}

static tp_model *translated_model(double rpm)
{
    tp_model *model = begin_model(rpm);
    add_definition(model, "curve1", "k1*sin(b) + k1^2*cos(2*b)/root1 - (k1^2*sin(b)*cos(b))^2/root1^3");
    add_definition(model, "curve3", "k2*cos(a) - k2^2*cos(2*a)/root3 - (k2^2*sin(a)*cos(a))^2/root3^3");
    add_definition(
        model, "curve",
        "w^2*if(b <= pi/2, 0, if(b <= pi/2 + 1.050328174371336, curve1, if(b <= 8*pi/9, curve3, 0)))");
    coordinate(model, "d", 0.4, 0.4);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*1.221*d'^2")));
    must(model, tp_model_add_potential(model, TP_FORMULA("1/2*1430.8*d^2")));
    must(model, tp_model_add_force(model, "d", TP_FORMULA("-1.221*curve - 1430.8*cam")));
    contact(model, "cam", "d", NULL, 0.0, restitution);
    must(model, tp_model_finish(model, NULL));
    return model;
}

/* Free flight from the start: u = 0.5 cos(s t) + (0.4/s) sin(s t), s^2 = stiffness/mass. */
static double flight(double t, double *rate_out)
{
    double s = sqrt(stiffness / mass);
    *rate_out = -0.5 * s * sin(s * t) + 0.4 * cos(s * t);
    return 0.5 * cos(s * t) + 0.4 / s * sin(s * t);
}

/* The first time at which the flight meets the cam, by bisection. */
static double first_impact(double rpm)
{
    double low = 0.0, high = 0.05, rate;
    for (int k = 0; k < 80; k++) {
        double middle = 0.5 * (low + high);
        *(flight(middle, &rate) > cam(rpm, middle, &rate) ? &low : &high) = middle;
    }
    return low;
}

static const struct {
    double rpm, first;
} speeds[] = {{358.0, 0.0312}, {660.0, 0.0396}, {700.0, 0.0405}};

TEST(first_impacts_are_where_the_exact_flight_ends)
{
    for (int k = 0; k < 3; k++) {
        double exact = first_impact(speeds[k].rpm);
        CHECK_NEAR(exact, speeds[k].first, 0.5e-4); /* the figures of the literature, four digits */
        for (int form = 0; form < 2; form++) {
            tp_model *model = form == 0 ? rheonomous_model(speeds[k].rpm) : translated_model(speeds[k].rpm);
            const double dt = 1e-4;
            tp_simulation *simulation = simulate_with(model, "moreau-jean", dt, 0.05);
            int step = 0;
            while (tp_simulation_report(simulation)->impacts == 0)
                CHECK_INT(tp_simulation_step(simulation, ++step * dt), TP_OK);
            /* half a step by the forecast; in the translated form c'' jumps inside steps, by up to 2.2 w^2,
               so that the velocity is off by up to 1.1 w^2 dt = 0.5 m/s, and at 660 rpm they meet with a few
               m/s only */
            CHECK_NEAR((step - 1) * dt, exact, 0.5 * dt + (form == 0 ? 1e-6 : 1e-3));
            tp_simulation_free(simulation);
            tp_model_free(model);
        }
    }
}

TEST(before_the_first_impact_the_order_is_two_in_absolute_coordinates)
{
    double error[3], rate, reference = flight(0.03, &rate);
    tp_model *model = rheonomous_model(358.0);
    for (int k = 0; k < 3; k++) {
        tp_simulation *simulation = simulate_with(model, "moreau-jean", 1e-4 / (1 << k), 0.03);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
        CHECK_INT(tp_simulation_report(simulation)->impacts, 0);
        error[k] = fabs(tp_simulation_q(simulation)[0] - reference);
        tp_simulation_free(simulation);
    }
    CHECK_NEAR(error[0], 4e-7, 0.5e-7);
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.01);
    CHECK_NEAR(log2(error[1] / error[2]), 2.0, 0.01);
    tp_model_free(model);

    /* c'' jumps inside steps: first order at best, and some hundred times less accurate */
    model = translated_model(358.0);
    tp_simulation *simulation = simulate_with(model, "moreau-jean", 1e-4, 0.03);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
    double off = fabs(tp_simulation_q(simulation)[0] + cam(358.0, 0.03, &rate) - reference);
    CHECK(off > 1e-5 && off < 1e-3);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* What is seen of the motion from a time on. */
typedef struct window {
    double rpm, from;
    int impulses;
    double distance,
        approach[2]; /* largest distance from the cam; smallest and largest |velocity| before impacts */
} window;

static bool watch(void *context, const tp_simulation *simulation)
{
    window *seen = context;
    double t = tp_simulation_time(simulation), P[TP_IMPULSE_ROWS], c_rate, c = cam(seen->rpm, t, &c_rate);
    if (t < seen->from) return true;
    tp_simulation_last_impulse(simulation, 0, P);
    seen->distance = fmax(seen->distance, tp_simulation_q(simulation)[0] - c);
    if (P[0] > 0.0) { /* the relative velocity is now -e times what it was */
        double before = (tp_simulation_u(simulation)[0] - c_rate) / restitution;
        seen->approach[0] = seen->impulses == 0 ? before : fmin(seen->approach[0], before);
        seen->approach[1] = fmax(seen->approach[1], before);
        seen->impulses++;
    }
    return true;
}

static window run_window(void **check_state_, double rpm, double time_step, double from, double until)
{
    window seen = {.rpm = rpm, .from = from};
    tp_model *model = rheonomous_model(rpm);
    tp_simulation *simulation = simulate_with(model, "moreau-jean", time_step, until);
    CHECK_INT(tp_simulation_run(simulation, watch, &seen), TP_OK);
    CHECK_INT(tp_simulation_report(simulation)->iterations_max, 1);
    tp_simulation_free(simulation);
    tp_model_free(model);
    return seen;
}

/* 358 rpm: an orbit of three revolutions with eight impacts, the fastest at 16.81 m/s; 11.9 revolutions in 2
 * s. */
TEST(at_358_rpm_the_motion_is_on_the_orbit_of_three_revolutions)
{
    window seen = run_window(check_state_, 358.0, 1e-4, 18.0, 20.0);
    CHECK_INT(seen.impulses, 32);
    CHECK_NEAR(seen.distance, 0.335, 1e-3);
    CHECK_NEAR(seen.approach[1], 16.81, 0.1);
}

/* 700 rpm: one impact a revolution, at 90.95 m/s, distance up to 2.304 m; 11.67 revolutions in 1 s. The cam's
   velocity changes by up to 1e4 m/s^2 dt = 0.2 m/s within the step of the impact. */
TEST(at_700_rpm_there_is_one_impact_per_revolution)
{
    window seen = run_window(check_state_, 700.0, 2e-5, 4.0, 5.0);
    CHECK(seen.impulses == 11 || seen.impulses == 12);
    CHECK_NEAR(seen.approach[1], 90.95, 0.6);
    CHECK_NEAR(seen.approach[0], 90.95, 0.6);
    CHECK_NEAR(seen.distance, 2.304, 0.02);
}

/* 660 rpm: chaos, bounded, without sticking; about 1.26 impacts a revolution in the long run. */
TEST(at_660_rpm_the_motion_is_bounded_chaos)
{
    window seen = run_window(check_state_, 660.0, 1e-4, 2.0, 42.0);
    double per_revolution = seen.impulses / (40.0 * 11.0);
    CHECK(seen.distance > 0.5 && seen.distance < 3.0);
    CHECK_NEAR(per_revolution, 1.26, 0.1);
}

/* The cam does work on the follower. With it taken off, no step gains energy: theta = 1/2 is below 1/(1 + e).
 */
TEST(no_step_gains_more_energy_than_the_cam_gives)
{
    tp_model *model = rheonomous_model(358.0);
    tp_simulation *simulation = simulate_with(model, "moreau-jean", 1e-4, 5.0);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL), TP_OK);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK(report->impacts > 50);
    CHECK(report->largest_energy_increase <= 1e-14 * report->energy_initial);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

TEST_MAIN(RUNS(first_impacts_are_where_the_exact_flight_ends),
          RUNS(before_the_first_impact_the_order_is_two_in_absolute_coordinates),
          RUNS(at_358_rpm_the_motion_is_on_the_orbit_of_three_revolutions),
          RUNS(at_700_rpm_there_is_one_impact_per_revolution), RUNS(at_660_rpm_the_motion_is_bounded_chaos),
          RUNS(no_step_gains_more_energy_than_the_cam_gives))
