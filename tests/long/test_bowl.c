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

/* The longest way of a point of a body in a step [m]; bodies reach at most 0.085 m from their centre. */
static double longest_way(const tp_simulation *simulation, int count, double dt)
{
    const double *u = tp_simulation_u(simulation);
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        const double *v = u + 6 * i, *w = v + 3;
        most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
                              0.085 * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    }
    return dt * most;
}

/* Sizes are 0.1 m, of which 1e-4 is allowed; the least ball within a body has 0.024 m, and a body is at most
   0.021 m deep (examples/bowl). What closes a contact overlaps by up to its way in a step, until the next
   step: bodies are settled when no point of theirs goes farther than what is allowed, and in the last 0.1 s
   in any case. */
static void check_bowl(void **check_state_, const char *integrator, const char *count, const char *layer)
{
    const double dt = 1e-3, allowed = 1e-4 * 0.1;
    const int steps = 3000, end = 2900;
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
        bool is_settled = longest_way(simulation, bodies, dt) <= allowed;
        if (is_settled || k > end) CHECK(tp_simulation_last_step(simulation)->penetration <= allowed);
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
