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

/* Bytes in use, and the most so far. */
typedef struct scale {
    size_t now, most;
} scale;

enum { HEAD = 64 }; /* before each piece: its size */

static void *weigh(void *context, size_t bytes)
{
    scale *s = context;
    unsigned char *memory = malloc(bytes + HEAD);
    if (memory == NULL) return NULL;
    memcpy(memory, &bytes, sizeof bytes);
    s->now += bytes;
    if (s->now > s->most) s->most = s->now;
    return memory + HEAD;
}

static void unweigh(void *context, void *memory)
{
    size_t bytes;
    if (memory == NULL) return;
    memcpy(&bytes, (unsigned char *)memory - HEAD, sizeof bytes);
    ((scale *)context)->now -= bytes;
    free((unsigned char *)memory - HEAD);
}

/* The most memory of model and simulation of count^3 balls in free flight, each of which may touch each. */
static size_t weight_of_flight(void **check_state_, int count)
{
    scale used = {0, 0};
    const tp_allocator allocator = {&used, weigh, unweigh};
    char text[600];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  - repeat: {i: %d, j: %d, k: %d}\n"
             "    name: \"s{i}_{j}_{k}\"\n"
             "    mass: 1\n"
             "    position: [i / 4, j / 4, 1 + k / 4]\n"
             "    shapes: [{type: sphere, radius: 0.1}]\n"
             "contacts:\n"
             "  - name: all\n"
             "    friction: 0.3\n"
             "    among: [{repeat: {i: %d, j: %d, k: %d}, each: [\"s{i}_{j}_{k}\"]}]\n"
             "simulate: {dt: 1e-3, until: 0.003}\n",
             count, count, count, count, count, count);
    tp_scene *scene = NULL;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    CHECK_INT(tp_scene_read_memory(&allocator, "s.yaml", text, strlen(text), NULL, 0, &scene, &why), TP_OK);
    CHECK_INT(tp_simulation_create(&allocator, scene->model, &scene->options, &simulation, &why), TP_OK);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, &why), TP_OK);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    CHECK_INT(used.now, 0);
    return used.most;
}

/* 1,000 balls fit into 20 MB, the text of the scene and its tree included; memory is linear in their number
   (lists double, hence a factor of up to 2). */
TEST(memory_of_bodies_that_may_all_touch_is_linear)
{
    size_t thousand = weight_of_flight(check_state_, 10), eight = weight_of_flight(check_state_, 20);
    CHECK(thousand <= 20000000);
    CHECK(eight <= 16 * thousand);
}

TEST_MAIN(RUNS(memory_of_bodies_that_may_all_touch_is_linear),
          RUNS(a_step_without_memory_for_its_contacts_changes_nothing))
