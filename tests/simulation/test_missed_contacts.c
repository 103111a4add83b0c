/* Contacts that a step can only know after its impulses are known: it is taken again with them;
   simulation/laws.c. */
#include "benches.h"
#include "restarts.h"

/* A heavy ball hits a light one at rest, which flies off with up to twice its speed, 0.2 m in a step, into a
   third one 0.05 m away that rests as well: none of the two has a way of its own before the impact. */
static const char row[] =
    "bodies:\n"
    "  - {name: a, mass: 1000, position: [-0.315, 0, 0], velocity: [10, 0, 0],\n"
    "     shapes: [{type: sphere, radius: 0.1}]}\n"
    "  - {name: b, mass: 1, position: [0, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "  - {name: c, mass: 1000, position: [0.25, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "contacts: [{name: all, among: [a, b, c]}]\n"
    "simulate: {until: 1}\n";

static double largest_overlap(const char *integrator, double dt)
{
    bench b = open_bench(row, integrator, dt);
    double overlap = 0.0;
    for (int k = 1; k <= 8; k++) {
        step_to(b.simulation, dt * k);
        const double *q = tp_simulation_q(b.simulation);
        overlap = fmax(overlap, fmax(0.2 - (q[7] - q[0]), 0.2 - (q[14] - q[7])));
    }
    close_bench(&b);
    return overlap;
}

/* Laws on positions hold at every state to the tolerance of the solver, 1e-10 of the velocities (10 m/s)
   times the step; without the second try the light ball is 0.05 m deep in the third one. */
TEST(a_body_that_an_impulse_throws_at_another_is_seen_in_the_same_step)
{
    CHECK(largest_overlap("schatzman-paoli", 1e-2) <= 1e-11);
}

/* The same with the steps of a continued run. */
TEST(steps_that_are_taken_twice_have_the_same_bits_after_a_restart)
{
    for (int stop = 1; stop <= 4; stop++) {
        bench b = open_bench(row, "schatzman-paoli", 1e-2), c = open_bench(row, "schatzman-paoli", 1e-2);
        run_steps(b.simulation, stop, 1e-2);
        tp_restart restart;
        tp_message why = {""};
        tp_simulation_checkpoint(b.simulation, &restart);
        if (tp_simulation_restore(c.simulation, &restart, &why) != TP_OK) fail_msg("%s", why.text);
        for (int k = stop + 1; k <= 8; k++) {
            step_to(b.simulation, 1e-2 * k);
            step_to(c.simulation, 1e-2 * k);
            CHECK(are_same_states(b.simulation, c.simulation));
        }
        close_bench(&b);
        close_bench(&c);
    }
}

TEST_MAIN(RUNS(a_body_that_an_impulse_throws_at_another_is_seen_in_the_same_step),
          RUNS(steps_that_are_taken_twice_have_the_same_bits_after_a_restart))
