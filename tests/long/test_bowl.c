/* Claim: bodies of all kinds come to rest in a bowl at a tolerance of 1e-4, in scenes larger than that of
   tests/claims/test_correction.c. */
#include "examples.h"

#include <math.h>

/* The way of the farthest centre from that of the bowl. */
static double farthest(const tp_simulation *simulation, int count)
{
    const double *q = tp_simulation_q(simulation);
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most =
            fmax(most, sqrt(q[7 * i] * q[7 * i] + q[7 * i + 1] * q[7 * i + 1] + q[7 * i + 2] * q[7 * i + 2]));
    return most;
}

/* Sizes are 0.1 m, of which 1e-4 is allowed; the least ball within a body has 0.024 m, and a body is at most
   0.021 m deep (examples/bowl). A last one that still rolls may close a contact, whose overlap lasts until
   the next step: in the last 0.1 s there is none. */
static void check_bowl(void **check_state_, const char *integrator, const char *count, const char *layer)
{
    const double dt = 1e-3;
    const int steps = 3000, settled = 2900;
    const char *edits[] = {count, layer};
    tp_scene *scene = read_edited("bowl", edits, 2);
    scene->options.integrator = integrator;
    scene->options.end_time = steps * dt;
    tp_simulation *simulation = simulate_scene(scene);
    int bodies = tp_model_summarise(scene->model).coordinate_count / 7;
    for (int k = 1; k <= steps; k++) {
        tp_message why = {""};
        if (tp_simulation_step(simulation, k * dt, &why) != TP_OK) fail_msg("%s: %s", integrator, why.text);
        CHECK(farthest(simulation, bodies) <= 1.0 - 0.024 + 0.021);
        if (k > settled) CHECK(tp_simulation_last_step(simulation)->penetration <= 1e-5);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(thirty_bodies_come_to_rest_under_energy_consistent_schemes)
{
    check_bowl(check_state_, "consistent-two-step", "parameters.n=30", "parameters.w=3");
    check_bowl(check_state_, "consistent-hybrid", "parameters.n=30", "parameters.w=3");
}

TEST(two_hundred_bodies_come_to_rest_under_moreau)
{
    check_bowl(check_state_, "moreau", "parameters.n=200", "parameters.w=5");
}

TEST(two_hundred_bodies_come_to_rest_under_moreau_jean)
{
    check_bowl(check_state_, "moreau-jean", "parameters.n=200", "parameters.w=5");
}

TEST_MAIN(RUNS(thirty_bodies_come_to_rest_under_energy_consistent_schemes),
          RUNS(two_hundred_bodies_come_to_rest_under_moreau),
          RUNS(two_hundred_bodies_come_to_rest_under_moreau_jean))
