/* Examples with states against solutions in pieces, found without the program: theory/theta-gamma.md. */
#include "simulations.h"

#include <float.h>

/* ---- buck converter: a linear circuit between switches ---- */

typedef struct circuit {
    double i, v;
} circuit;

static const double Vin = 12, Vref = 5, L = 100e-6, C = 100e-6, R = 2.5, T = 20e-6, K = 0.02;

/* x_s + e^(A t) (x - x_s): a damped oscillation about the rest with the switch at s. */
static circuit flow(circuit x, double s, double t)
{
    double a = 1 / (2 * R * C), w = sqrt(1 / (L * C) - a * a), i = x.i - Vin * s / R, v = x.v - Vin * s,
           c = exp(-a * t) * cos(w * t), d = exp(-a * t) * sin(w * t) / w;
    return (circuit){Vin * s / R + c * i + d * (a * i - v / L), Vin * s + c * v + d * (i / C - a * v)};
}

/* ramp - duty at t: the switch is closed where it is negative. */
static double relation(double t, double v)
{
    return t / T - floor(t / T) - (Vref / Vin + K * (Vref - v));
}

/* A period with the switch opened at the root of the relation; t from the start of the period. */
static circuit exact_period(circuit x)
{
    double low = 0.0, high = T;
    for (int k = 0; k < 60; k++) {
        double t = 0.5 * (low + high);
        *(t / T - (Vref / Vin + K * (Vref - flow(x, 1.0, t).v)) > 0.0 ? &high : &low) = t;
    }
    return flow(flow(x, 1.0, low), 0.0, T - low);
}

/* The law holds at the end of a step: s is 1 where it may be, else 0. Between these the pieces are exact. */
TEST(a_buck_converter_switches_on_the_grid_of_its_steps)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    CHECK_INT(
        tp_scene_read(NULL, TIPPE_SOURCE_DIR "/examples/buck-converter/scene.yaml", NULL, 0, &scene, &why),
        TP_OK);
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    const double dt = 1e-7;
    circuit x = {0.0, 0.0};
    double before = 0.0;
    for (int k = 1; k <= 20000; k++) {
        step_to(simulation, k * dt);
        double t = tp_simulation_time(simulation), h = t - before;
        circuit on = flow(x, 1.0, h);
        x = relation(t, on.v) > 0.0 ? flow(x, 0.0, h) : on;
        before = t;
        /* the trapezoidal rule turns by w dt ((w dt)^2/12 = 8e-8) less in a step: 1e-7 of 2 A and 5 V, over
           the time 2 L w of memory, of steps that do not switch */
        CHECK_NEAR(tp_simulation_states(simulation)[0], x.i, 1e-6);
        CHECK_NEAR(tp_simulation_states(simulation)[1], x.v, 1e-6);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* The figures of the README, found here again. */
TEST(the_limit_cycle_of_the_buck_converter_is_that_of_its_exact_pieces)
{
    circuit x = {0.0, 0.0}, before = x;
    for (int k = 0; k < 300; k++) {
        before = x;
        x = exact_period(x);
    }
    CHECK_NEAR(before.i, 1.70823611, 1e-8); /* the last digit */
    CHECK_NEAR(x.i, 1.70822920, 1e-8);
    CHECK_NEAR(x.v, 4.99860812, 1e-8);
}

TEST_MAIN(RUNS(a_buck_converter_switches_on_the_grid_of_its_steps),
          RUNS(the_limit_cycle_of_the_buck_converter_is_that_of_its_exact_pieces))
