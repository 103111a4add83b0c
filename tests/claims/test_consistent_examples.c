/* Claims of examples/overbalanced-wheel with the two-step energy-consistent integrator that its figures do
   not show: closed stops, the staircase of energy, jumps of the wheel's speed. And of examples/oscillator: at
   small steps it moves as with Moreau's rule. And of examples/woodpecker: how far it is off. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

static tp_simulation *open_example(const char *name, const char *integrator, double dt, const char *edit,
                                   tp_scene **scene_out)
{
    *scene_out = read_edited(name, &edit, edit != NULL);
    (*scene_out)->options.integrator = integrator;
    (*scene_out)->options.time_step = dt;
    return simulate_scene(*scene_out);
}

enum { RODS = 12, STOPS = 24 };

/* Until 0.65 s a lever has fallen: with plastic stops the energy falls by 0.277 J, the wheel's speed jumps by
   -0.4 rad/s in that step, and nowhere else by more than 0.05. */
TEST(a_lever_that_falls_takes_energy_and_speed_in_one_step_and_closed_stops_never_open_inwards)
{
    for (int elastic = 0; elastic < 2; elastic++) {
        tp_scene *scene;
        tp_simulation *simulation = open_example("overbalanced-wheel", "consistent-two-step", 1e-3,
                                                 elastic ? "parameters.e=1" : NULL, &scene);
        double worst = 0.0, lowest = 0.0, jump = 0.0, other = 0.0,
               energy = tp_simulation_report(simulation)->energy_initial;
        for (int k = 1; k <= 650; k++) {
            double gap[STOPS], speed = tp_simulation_u(simulation)[0];
            for (int i = 0; i < STOPS; i++) gap[i] = tp_simulation_gap(simulation, RODS + i);
            step_to(simulation, k * 1e-3);
            for (int i = 0; i < STOPS; i++) {
                if (gap[i] <= scene->options.contact_tolerance)
                    worst = fmin(worst, tp_simulation_gap(simulation, RODS + i) - gap[i]);
            }
            double now = tp_simulation_last_step(simulation)->energy,
                   change = tp_simulation_u(simulation)[0] - speed;
            if (now - energy < lowest) {
                lowest = now - energy;
                other = fmax(other, fabs(jump));
                jump = change;
            } else {
                other = fmax(other, fabs(change));
            }
            energy = now;
        }
        CHECK(worst > -1e-15); /* rounding of gaps of 0.4 m */
        CHECK(tp_simulation_report(simulation)->largest_energy_increase < 3e-15); /* of 1 J, some terms */
        CHECK_NEAR(lowest, elastic ? 0.0 : -0.277, elastic ? 1e-14 : 0.0006);
        if (!elastic) CHECK_NEAR(jump, -0.4, 0.05);
        if (!elastic) CHECK(other < 0.05);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* 1e-5 s until the second landing: both schemes place an impact within a step, v dt = 4.4e-6 m. */
TEST(at_small_steps_the_oscillator_moves_as_with_moreaus_rule)
{
    tp_scene *scene[2];
    tp_simulation *consistent = open_example("oscillator", "consistent-two-step", 1e-5, NULL, &scene[0]),
                  *moreau = open_example("oscillator", "moreau", 1e-5, NULL, &scene[1]);
    double largest = 0.0;
    for (int k = 1; k <= 15000; k++) {
        step_to(consistent, k * 1e-5);
        step_to(moreau, k * 1e-5);
        largest = fmax(largest, fabs(tp_simulation_q(consistent)[0] - tp_simulation_q(moreau)[0]));
    }
    CHECK(largest < 2.0 * 4.4e-6); /* at the impact and at the separation */
    tp_simulation_free(consistent);
    tp_simulation_free(moreau);
    tp_scene_free(scene[0]);
    tp_scene_free(scene[1]);
}

/* Event-driven motion of the woodpecker, closed forms between events that are found to 1e-16 s. */
typedef struct woodpecker_point {
    double t, alpha, phi; /* [s] [rad] */
} woodpecker_point;

static const woodpecker_point woodpecker_points[] = {
    {0.02, -0.103600000, -0.452309979}, {0.065, -0.103600000, -0.139186145},
    {0.075, 0.040319213, 0.021872045},  {0.1, 0.020816259, 0.007658938},
    {0.12, -0.102961071, -0.105838229}, {0.2, -0.103448276, -0.326291490},
    {0.2197, 0.005538463, 0.005585347}};
enum { WOODPECKER_POINTS = sizeof woodpecker_points / sizeof woodpecker_points[0] };

static void woodpecker_errors(const char *integrator, double dt, double *alpha_out, double *phi_out)
{
    tp_scene *scene;
    tp_simulation *simulation = open_example("woodpecker", integrator, dt, NULL, &scene);
    for (int i = 0, k = 1; i < WOODPECKER_POINTS; i++) {
        const woodpecker_point *point = &woodpecker_points[i];
        for (; k * dt < point->t + 0.5 * dt; k++) step_to(simulation, k * dt);
        alpha_out[i] = fabs(tp_simulation_q(simulation)[1] - point->alpha);
        phi_out[i] = fabs(tp_simulation_q(simulation)[2] - point->phi);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Printed are 1e-8 rad before the first impact and 2e-3 rad until 0.3 s, for both coordinates and schemes. Of
   the two-step scheme phi is that good, and alpha is not; the reference is on the right side, since smaller
   steps come nearer to it. A second implementation of the scheme has the same errors, to 5e-12 rad. */
TEST(the_woodpecker_is_off_its_event_driven_motion_by_2_3_milliradians_in_alpha_and_less_in_phi)
{
    double alpha[WOODPECKER_POINTS], phi[WOODPECKER_POINTS];
    const int last = WOODPECKER_POINTS - 1;
    woodpecker_errors("consistent-two-step", 1e-5, alpha, phi);
    for (int i = 0; i < 2; i++) CHECK(phi[i] < 1.6e-8); /* the trapezoidal rule, before the sleeve opens */
    CHECK(phi[2] < 5.5e-8 && alpha[2] < 1.5e-7);        /* and after it, before the impact */
    for (int i = 3; i < last; i++) CHECK(phi[i] < 2e-3 && alpha[i] < 2e-3);
    CHECK_NEAR(alpha[last], 2.28e-3, 0.005e-3);
    CHECK(phi[last] < 2e-3);
    woodpecker_errors("moreau", 1e-5, alpha, phi);
    for (int i = 3; i <= last; i++) CHECK(phi[i] < 7e-4 && alpha[i] < 7e-4);
    woodpecker_errors("consistent-two-step", 2e-6, alpha, phi);
    for (int i = 0; i < 2; i++) CHECK(phi[i] < 1.6e-8 / 25.0 + 1e-9); /* and the digits of the table */
    for (int i = 3; i <= last; i++) CHECK(phi[i] < 5e-4 && alpha[i] < 5e-4);
}

/* Until 20 s its angles are some 1e-12 rad, as slow as rounding: every step is still solved. */
TEST(a_double_pendulum_comes_to_rest_at_a_plastic_wall)
{
    const char *const edits[] = {"contacts.upper.restitution=0", "contacts.lower.restitution=0",
                                 "simulate.until=20"};
    tp_scene *scene = read_edited("double-pendulum-wall-minimal", edits, 3);
    scene->options.integrator = "consistent-two-step";
    tp_simulation *simulation = simulate_scene(scene);
    run(simulation);
    const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
    CHECK(fabs(q[0]) + fabs(q[1]) + fabs(u[0]) + fabs(u[1]) < 1e-9);
    CHECK(tp_simulation_report(simulation)->largest_energy_increase < 1e-14); /* of 3 J */
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_lever_that_falls_takes_energy_and_speed_in_one_step_and_closed_stops_never_open_inwards),
          RUNS(a_double_pendulum_comes_to_rest_at_a_plastic_wall),
          RUNS(the_woodpecker_is_off_its_event_driven_motion_by_2_3_milliradians_in_alpha_and_less_in_phi),
          RUNS(at_small_steps_the_oscillator_moves_as_with_moreaus_rule))
