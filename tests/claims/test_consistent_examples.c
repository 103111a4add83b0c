/* Claims of examples/overbalanced-wheel with the two-step energy-consistent integrator that its figures do
   not show: closed stops, the staircase of energy, jumps of the wheel's speed. And of examples/oscillator: at
   small steps it moves as with Moreau's rule. */
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
          RUNS(at_small_steps_the_oscillator_moves_as_with_moreaus_rule))
