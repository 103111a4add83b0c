/* The tolerances of joints at the start and of a projection are relative to the size of the scene;
   theory/models.md, theory/projection.md (3). */
#include "simulations.h"

#include <stdio.h>

/* A bob on a joint that is off by a part of its length, in any unit of length. */
static tp_status read_pendulum(double length, double part, tp_scene **scene_out)
{
    char text[600];
    tp_message why = {""};
    snprintf(text, sizeof text,
             "bodies: [{name: bob, mass: 1, inertia: [1, 1, 1], position: [%.17g, 0, 0]}]\n"
             "joints: [{name: pin, type: spherical, bodies: [ground, bob], point: [0, 0, 0],\n"
             "          point_b: [%.17g, 0, 0]}]\n"
             "simulate: {integrator: moreau, dt: 1e-3, until: 0.1, projection: velocities}\n",
             length, length * part);
    return tp_scene_read_memory(NULL, "pendulum", text, strlen(text), NULL, 0, scene_out, &why);
}

/* 1e-9 of the size, which is at most the length and at least half of it (simulation.md (1)). */
TEST(a_start_off_its_joints_is_refused_by_the_size_of_the_scene)
{
    for (double length = 1e-3; length < 1e4; length *= 1e3) {
        tp_scene *scene = NULL;
        CHECK_INT(read_pendulum(length, 4e-10, &scene), TP_OK);
        tp_scene_free(scene);
        CHECK(read_pendulum(length, 4e-9, &scene) != TP_OK);
    }
}

TEST_MAIN(RUNS(a_start_off_its_joints_is_refused_by_the_size_of_the_scene))
