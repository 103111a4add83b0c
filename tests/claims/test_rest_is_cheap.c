/* Stacks at rest go on with the impulses that they have; theory/solvers.md (28j), (28k). */
#include "simulations.h"

#include <stdio.h>

enum { BOXES = 10, STEPS = 600, SETTLED = 100, TEXT = 16384 };

static tp_scene *stack_scene(int boxes)
{
    char text[TEXT];
    int n = snprintf(text, TEXT, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < boxes; k++)
        n += snprintf(
            text + n, (size_t)(TEXT - n),
            "  - {name: b%d, density: 1000, position: [0, 0, %.17g], shapes: [{type: box, size: [0.1, "
            "0.1, 0.1]}]}\n",
            k, 0.05 + 0.1 * k);
    n += snprintf(text + n, (size_t)(TEXT - n),
                  "ground: {shapes: [{name: floor, type: plane}]}\n"
                  "contacts: [{name: all, among: [ground");
    for (int k = 0; k < boxes; k++) n += snprintf(text + n, (size_t)(TEXT - n), ", b%d", k);
    snprintf(text + n, (size_t)(TEXT - n),
             "], friction: 0.5}]\nsimulate: {integrator: moreau, dt: 5e-3, until: 10}\n");
    return scene_of(text);
}

static int iterations_of_last(const tp_simulation *simulation)
{
    return tp_simulation_last_step(simulation)->iterations;
}

/* A guess that sets resting bodies in motion must be followed by a step that stops them, and so on: half of
   the steps would be solved. Impulses of rest serve for many steps. */
TEST(most_steps_of_a_stack_at_rest_need_no_iteration)
{
    tp_scene *scene = stack_scene(BOXES);
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    int solved = 0;
    for (int k = 1; k <= STEPS; k++) {
        step_to(simulation, k * scene->options.time_step);
        if (k <= SETTLED) continue;
        solved += iterations_of_last(simulation) > 0;
        CHECK(iterations_of_last(simulation) <= 1); /* the others take one Newton step, (28k) */
    }
    CHECK(solved < (STEPS - SETTLED) / 3);
    for (int k = 0; k < BOXES; k++) CHECK_NEAR(tp_simulation_q(simulation)[7 * k + 2], 0.05 + 0.1 * k, 1e-9);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Sweeps leave an error that the next step meets: a stack of 50 took 1,200 of them in every step at this
   tolerance. After 96 of them Newton steps take over, whose answer serves for the next steps. */
TEST(a_high_stack_at_a_coarse_tolerance_is_not_swept_in_every_step)
{
    tp_scene *scene = stack_scene(50);
    tp_simulation_options options = scene->options;
    options.tolerance = 1e-2;
    tp_simulation *simulation = simulate_options(scene->model, options);
    int iterations = 0;
    for (int k = 1; k <= 80; k++) {
        step_to(simulation, k * options.time_step);
        iterations += iterations_of_last(simulation);
    }
    CHECK(iterations < 80 * 200);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(most_steps_of_a_stack_at_rest_need_no_iteration),
          RUNS(a_high_stack_at_a_coarse_tolerance_is_not_swept_in_every_step))
