/* The tippe top of the claims: a belly and a handle on the floor, drilling friction. */
#ifndef TESTS_TIPPE_TOP_H
#define TESTS_TIPPE_TOP_H

#include "benches.h"

static const char tippe_top[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - name: top\n"
    "    mass: 0.006\n"
    "    inertia: [8e-7, 8e-7, 7e-7]\n"
    "    position: [0, 0, 1.2015e-2]\n"
    "    orientation: [0.99875026039496628, 0.04997916927067833, 0, 0]\n"
    "    angular_velocity: [0, 0, 180]\n"
    "    shapes:\n"
    "      - {name: belly, type: sphere, radius: 0.015, position: [0, 0, 0.003]}\n"
    "      - {name: handle, type: sphere, radius: 0.005, position: [0, 0, 0.016]}\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "contacts:\n"
    "  - {name: on belly, between: [floor, belly], friction: 0.3, drilling_radius: 2.945243112740431e-4,\n"
    "     shape: ellipsoid}\n"
    "  - {name: on handle, between: [floor, handle], friction: 0.3, drilling_radius: 2.945243112740431e-4,\n"
    "     shape: ellipsoid}\n";

static inline double inclination(const bench *b)
{
    const double *p = tp_simulation_q(b->simulation) + 3;
    return acos(1.0 - 2.0 * (p[1] * p[1] + p[2] * p[2]));
}

/* Closed gaps of the belly: the largest loss in a step, and the gap at the end. */
static inline double worst_loss(bench *b, int steps, double dt, double *gap_out)
{
    double worst = 0.0;
    for (int k = 1; k <= steps; k++) {
        double before = tp_simulation_gap(b->simulation, 0);
        step_to(b->simulation, k * dt);
        *gap_out = tp_simulation_gap(b->simulation, 0);
        if (before <= 0.0) worst = fmin(worst, *gap_out - before);
    }
    return worst;
}

#endif
