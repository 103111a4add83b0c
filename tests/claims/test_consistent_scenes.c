/* Claim: the consistent integrators take every example, or refuse it where their table says; every step
   balances the energy; docs/theory/consistent.md (17), (18). The first steps of each; long/consistent_scenes
   goes on. */
#define _POSIX_C_SOURCE 200809L
#include "consistent_sweep.h"

enum { STEPS = 8 };

TEST(every_example_is_refused_for_the_stated_reason_or_balances_energy)
{
    UNUSED_STATE;
    example_list examples = find_examples();
    for (int i = 0; i < examples.count; i++) {
        for (int k = 0; k < SWEEP_COUNT; k++) sweep_one(examples.name[i], k, STEPS);
    }
}

/* What the examples lack, each from its first step on at work: rolling and drilling friction, an elliptic
   one, brakes and motors that hold still with a bound, a preloaded joint, friction of a redundant joint that
   follows its reaction, a soft contact beside a hard one. */
static const struct {
    const char *name, *text;
    int refused_by;
    const char *says;
} elements[] = {
    {"rolling resistance",
     "gravity: [0, 0, -9.81]\n"
     "bodies: [{name: ball, mass: 1, position: [0, 0, 0.1], velocity: [1, 0, 0], angular_velocity: [0, 10, "
     "3],"
     " shapes: [{type: sphere, radius: 0.1}]}]\n"
     "ground: {shapes: [{name: floor, type: plane}]}\n"
     "contacts: [{name: touch, between: [floor, ball], friction: 0.3, rolling: 0.005}]\n",
     SWEEP_BOTH, SWEEP_CONTACT},
    {"drilling friction",
     "gravity: [0, 0, -9.81]\n"
     "bodies: [{name: ball, mass: 1, position: [0, 0, 0.1], velocity: [0.3, 0, 0], angular_velocity: [1, 2, "
     "9],"
     " shapes: [{type: sphere, radius: 0.1}]}]\n"
     "ground: {shapes: [{name: floor, type: plane}]}\n"
     "contacts: [{name: touch, between: [floor, ball], friction: 0.3, drilling_radius: 0.01}]\n",
     SWEEP_BOTH, SWEEP_CONTACT},
    {"motor that holds still",
     "gravity: [0, -9.81, 0]\n"
     "bodies: [{name: bar, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}]\n"
     "joints: [{name: pin, type: revolute, bodies: [ground, bar], point: [0, 0, 0], axis: [0, 0, 1],"
     " motor: {name: brake, speed: 0, force: 2}}]\n",
     SWEEP_BOTH | SWEEP_ELASTIC, SWEEP_VELOCITY},
    {"redundant loop with friction that follows its reaction",
     "gravity: [0, -9.81, 0]\n"
     "bodies:\n"
     "  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.1, 0.2, 0]}\n"
     "  - {name: b, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.55, 0.55, 0]}\n"
     "  - {name: c, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.95, 0.35, 0]}\n"
     "joints:\n"
     "  - {name: A, type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
     "  - {name: B, type: revolute, bodies: [a, b], point: [0.2, 0.4, 0], axis: [0, 0, 1],"
     " friction: {coefficient: 0.3, radius: 0.02}}\n"
     "  - {name: C, type: revolute, bodies: [b, c], point: [0.9, 0.7, 0], axis: [0, 0, 1]}\n"
     "  - {name: D, type: revolute, bodies: [c, ground], point: [1, 0, 0], axis: [0, 0, 1]}\n",
     SWEEP_BOTH | SWEEP_ELASTIC, SWEEP_VELOCITY},
    {"soft contact beside a hard one",
     "coordinates: [x, y]\n"
     "kinetic: \"1/2*(x'^2 + y'^2)\"\n"
     "potential: 9.81*y\n"
     "contacts:\n"
     "  - {name: soft, gap: y + 0.01*x, compliance: 1e-3}\n"
     "  - {name: hard, gap: 1 - x, restitution: 1}\n"
     "initial: {x: 1, y: 0.001, x': 1}\n",
     SWEEP_BOTH, SWEEP_CONTACT},
};

TEST(laws_of_all_kinds_balance_energy)
{
    int dissipating = 0;
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        tp_scene *scene = NULL;
        tp_message why = {""};
        const char *text = elements[i].text;
        if (tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &scene, &why) != TP_OK)
            fail_msg("%s: %s", elements[i].name, why.text);
        scene->options.time_step = 2e-3;
        for (int k = 0; k < SWEEP_COUNT; k++) {
            bool is_rough =
                k == 1 && strstr(text, "friction: 0.3, ") != NULL && strstr(text, "contacts") != NULL;
            const char *says = (elements[i].refused_by >> k & 1) != 0 ? elements[i].says : NULL;
            dissipating += sweep_scene(scene, elements[i].name, k, is_rough ? SWEEP_FRICTION : says, 60);
        }
        tp_scene_free(scene);
    }
    CHECK(dissipating > 400); /* friction works in most of the steps */
}

TEST_MAIN(RUNS(every_example_is_refused_for_the_stated_reason_or_balances_energy),
          RUNS(laws_of_all_kinds_balance_energy))
