/* Rows of a correction: what a step left of joints and contacts; theory/correction.md. */
#ifndef TP_INTEGRATOR_CORRECTION_ROWS_H
#define TP_INTEGRATOR_CORRECTION_ROWS_H

#include "integrators.h"
#include "tolerances.h"

struct tp_correction {
    tp_step_problem *positions, *velocities;
    int *diagonal;  /* [u_count] places of the diagonal in the mass pattern */
    double *M;      /* values in the mass pattern */
    double *metric; /* of positions: M, with joints without very light bodies */
    double *x;      /* [u_count] */
    double *q;      /* [q_count] */
    double *chi;    /* [rows] of velocities */
    double *start;  /* [rows] impulses that are in f of velocities already */
    double damping; /* of the present pass over joints: tp_correction_damping at first */
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

/* W^T M^-1 W of a row, M (values in the mass pattern) by its diagonal. */
double tp_correction_mobility(const tp_stepper *stepper, const double *M, const tp_problem *problem, int row);

/* Joints and contacts at the system's point, after a step of length dt (0: not the first pass), and the
   velocities of contacts that rest; returns the largest error of positions. */
double tp_correction_collect(tp_stepper *stepper, const tp_state *from, double dt, const tp_state *to,
                             tp_step_errors *errors);

/* Adds the velocities of joints there; returns their largest error. */
double tp_correction_collect_joint_velocities(tp_stepper *stepper, const tp_state *to);

#endif
