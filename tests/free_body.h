/* The free rigid body of the specification, whose exact orientation after 2 s is known. */
#ifndef TESTS_FREE_BODY_H
#define TESTS_FREE_BODY_H

#include "benches.h"

static const char free_body[] =
    "bodies: [{name: b, mass: 1, inertia: [1, 2, 2.5], angular_velocity: [0.5, 2, 0.8]}]\n";

/* Largest error of the rotation matrix at 2 s. */
static inline double free_body_error(const tp_simulation *simulation)
{
    const double *p = tp_simulation_q(simulation) + 3;
    double is[9], exact[9], largest = 0.0;
    tp_mat3_to_array(tp_quat_to_matrix(tp_quat_make(p[0], p[1], p[2], p[3])), is);
    tp_mat3_to_array(
        tp_quat_to_matrix(tp_quat_make(-0.548968057566, 0.018460980651, 0.634527308472, 0.543753950578)),
        exact);
    for (int k = 0; k < 9; k++) largest = fmax(largest, fabs(is[k] - exact[k]));
    return largest;
}

#endif
