/* Rows of a correction: what a step left of joints and contacts; theory/correction.md. */
#ifndef TP_INTEGRATOR_CORRECTION_ROWS_H
#define TP_INTEGRATOR_CORRECTION_ROWS_H

#include "integrators.h"

#include <float.h>

/* s as a part of the row's W^T M^-1 W: so much of an error is left, and rows that are redundant but for this
   part share. theory/correction.md (6) */
static const double tp_correction_softness = 1e-8;

/* Errors of so many roundings of the size of the scene (of the velocities of a row) are none. */
static const double tp_correction_rounding = 16.0 * DBL_EPSILON;

struct tp_correction {
    tp_step_problem *positions, *velocities;
    double *M;      /* values in the mass pattern */
    double *x;      /* [u_count] */
    double *q;      /* [q_count] */
    double *chi;    /* [rows] of velocities */
    double damping; /* of the present pass over joints: `damping` at first */
};

/* What a step left: the largest errors of rows. */
typedef struct tp_step_errors {
    double position, velocity;
} tp_step_errors;

/* A joint on positions. */
static inline bool tp_correction_is_joint(const tp_law *law)
{
    return law->level == TP_LEVEL_POSITION && law->set.kind == TP_SET_FREE;
}

/* Velocity of a row of a problem. */
double tp_correction_along(const tp_problem *problem, int row, const double *u);

/* W^T M^-1 W of a row, M by its diagonal. */
double tp_correction_mobility(const tp_stepper *stepper, const tp_problem *problem, int row);

/* Joints and contacts at the system's point, after a step of length dt (0: not the first pass), and the
   velocities of contacts that rest; returns the largest error of positions. */
double tp_correction_collect(tp_stepper *stepper, const tp_state *from, double dt, const tp_state *to,
                             tp_step_errors *errors);

/* Adds the velocities of joints there; returns their largest error. */
double tp_correction_collect_joint_velocities(tp_stepper *stepper, const tp_state *to);

#endif
