/* Points of a system at random, for tests of its rows and forces. */
#ifndef TESTS_SYSTEM_RANDOM_POINT_H
#define TESTS_SYSTEM_RANDOM_POINT_H

#include "check.h"
#include "system/system.h"

#include <string.h>

enum { POINT_MOST = 48 };

typedef struct point {
    double t, q[POINT_MOST], u[POINT_MOST];
} point;

/* A point within 0.2 of the start, with any velocity. */
static inline point random_point(tp_system *system, check_random *random)
{
    point p = {.t = check_uniform(random, 0.1, 0.6)};
    double x[POINT_MOST], none[POINT_MOST] = {0.0};
    if (system->q_count > POINT_MOST) fail();
    memcpy(p.q, system->model->q0, (size_t)system->q_count * sizeof(double));
    for (int j = 0; j < system->u_count; j++) {
        x[j] = check_uniform(random, -0.2, 0.2);
        p.u[j] = check_uniform(random, -1.0, 1.0);
    }
    tp_system_move(system, 0.0, p.q, none);
    tp_system_change(system, x, 1.0, p.q);
    tp_system_move(system, p.t, p.q, p.u);
    tp_system_count_turns(system, system->angle_reference);
    return p;
}

#endif
