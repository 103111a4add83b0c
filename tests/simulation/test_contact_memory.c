/* Contacts that come and go need memory: a step that gets none fails, changes nothing and can be taken again;
   simulation/laws.c. */
#include "restarts.h"
#include "simulations.h"

#include <stdlib.h>

typedef struct stingy {
    int left; /* pieces that may still be taken; negative: any number */
} stingy;

static void *take(void *context, size_t bytes)
{
    stingy *s = context;
    if (s->left == 0) return NULL;
    if (s->left > 0) s->left--;
    return malloc(bytes);
}

static void give(void *context, void *memory)
{
    (void)context;
    free(memory);
}

/* Balls and boxes fall one after the other into a tube. */
static const char heap[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, position: [0.1, 0, 0.3], shapes: [{type: sphere, radius: 0.2}]}\n"
    "  - {name: b, mass: 1, position: [0, 0.1, 0.8], shapes: [{type: sphere, radius: 0.2}]}\n"
    "  - {name: c, mass: 1, position: [-0.1, 0, 1.3], shapes: [{type: box, size: [0.3, 0.3, 0.3]}]}\n"
    "  - {name: d, mass: 1, position: [0, -0.1, 1.8], shapes: [{type: sphere, radius: 0.2}]}\n"
    "  - {name: e, mass: 1, position: [0.1, 0.1, 2.3], shapes: [{type: box, size: [0.3, 0.3, 0.3]}]}\n"
    "ground: {shapes: [{name: floor, type: plane}, {name: tube, type: inside-cylinder, radius: 0.5}]}\n"
    "contacts: [{name: all, among: [ground, a, b, c, d, e], friction: 0.3}]\n"
    "simulate: {dt: 5e-3, until: 1}\n";

static void check_integrator(void **check_state_, const char *integrator)
{
    tp_scene *scene = scene_of(heap);
    stingy purse = {-1};
    const tp_allocator allocator = {&purse, take, give};
    tp_simulation *plain = NULL, *poor = NULL;
    int failures = 0;
    scene->options.integrator = integrator;
    CHECK_INT(tp_simulation_create(NULL, scene->model, &scene->options, &plain, NULL), TP_OK);
    CHECK_INT(tp_simulation_create(&allocator, scene->model, &scene->options, &poor, NULL), TP_OK);
    for (int k = 1; k <= 160; k++) {
        double goal = k * scene->options.time_step;
        CHECK_INT(tp_simulation_step(plain, goal, NULL), TP_OK);
        for (int pieces = 0;; pieces++) {
            purse.left = pieces;
            tp_status status = tp_simulation_step(poor, goal, NULL);
            purse.left = -1;
            if (status == TP_OK) break;
            CHECK_INT(status, TP_OUT_OF_MEMORY);
            failures++;
        }
        CHECK(are_same_states(plain, poor));
    }
    CHECK(failures > 3); /* else this tests nothing */
    tp_simulation_free(plain);
    tp_simulation_free(poor);
    tp_scene_free(scene);
}

TEST(a_step_without_memory_for_its_contacts_changes_nothing)
{
    check_integrator(check_state_, "moreau");
    check_integrator(check_state_, "moreau-jean");
    check_integrator(check_state_, "consistent-two-step");
}

TEST_MAIN(RUNS(a_step_without_memory_for_its_contacts_changes_nothing))
