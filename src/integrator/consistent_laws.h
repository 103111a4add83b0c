/* Laws in the smooth step of the energy-consistent schemes; consistent_step.h has the equations. */
#ifndef TP_INTEGRATOR_CONSISTENT_LAWS_H
#define TP_INTEGRATOR_CONSISTENT_LAWS_H

#include "consistent_step.h"

/* Has a law of positions a smooth one? Of shapes, spheres and points against each other and against planes.
   That of others may change its normal in a step: their direction stays that of the begin. */
bool tp_consistent_is_smooth(const tp_model *model, const tp_law *law);

/* Positions, rows and rates; the system is at the end, with u_end. */
void tp_consistent_laws_end(tp_consistent_step *step);

/* Discrete derivatives of positions and velocities; the system is in the middle. */
void tp_consistent_laws_middle(tp_consistent_step *step);

/* Their share of F, and xi. */
void tp_consistent_laws_apply(const tp_consistent_step *step, const double *P, double *F, double *xi);

/* -dt d[(Dg/Dq)^T P]/dq+ is added to by_a; the system is in the middle. */
void tp_consistent_laws_add_curvature(tp_consistent_step *step, const double *P);

/* The matrices A and C of the linearised problem. */
void tp_consistent_laws_put(tp_consistent_step *step);

/* Rounding errors: xi_noise is set, F_noise added to. */
void tp_consistent_laws_measure(tp_consistent_step *step, const double *P);

#endif
