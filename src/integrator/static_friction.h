/* Static friction in a step: which bound holds; theory/static-friction.md (1)-(4). */
#ifndef TP_INTEGRATOR_STATIC_FRICTION_H
#define TP_INTEGRATOR_STATIC_FRICTION_H

#include "integrators.h"

/* An impulse this near to the boundary of its set, relative to the set, lies on it: tp_on_boundary, or the
   tolerance of steps where that is more. */
double tp_boundary_share(const tp_simulation_options *options);

/* Did a law stick that had the impulses P [row_count] in a step of length dt? Inside the bound of sliding or
   beyond it: on it a law slips. `impulse` are those of all laws, for bounds that follow a joint's reaction.
   CONTACT, CONE and FRICTION; P_N > 0. */
bool tp_law_sticks(const tp_law *law, const double *impulse, const double *P, double dt, double share);

/* Do the multipliers of a set lie on its bound? P: those of all sets. */
bool tp_set_is_on_bound(const tp_set *set, const double *P, double share);

/* (3) without velocities: laws of a solved problem that lie on their static bound get that of sliding; false:
   there are none. */
bool tp_static_release(tp_step_problem *problem, const tp_system *system, double share, double dt);

/* Velocities u + x (x NULL: 0), and the impulses P of a law in the step that led to them. */
typedef struct tp_law_motion {
    const double *u, *x;
    const double *M; /* in mass_pattern */
    const double *P; /* [row_count]     */
} tp_law_motion;

/* Do the velocities of the friction rows at the system's present point vanish: to the rounding of their
   terms, and to the tolerance of what P changes? (1a) */
bool tp_law_is_at_rest(tp_stepper *stepper, int law, const tp_law_motion *motion);

/* A step whose laws with static friction are in stepper->problem. */
typedef struct tp_static_step {
    const tp_state *from;
    double dt;
    const double *u, *M;                                    /* before it; in mass_pattern                  */
    tp_status (*solve)(void *self, tp_step_report *report); /* the problem with its sets as they are       */
    void *self;
} tp_static_step;

/* (1), (1a): does a law with static friction stick at the start of a step? */
bool tp_law_stuck(tp_stepper *stepper, const tp_static_step *step, int law);

/* Solves a step: laws that stuck in the last one have the static bound. While one of them lies on that bound
   and slips it gets the bound of sliding, and the step is solved again; (2), (3). `solve` leaves the change
   of velocities in stepper->x. */
tp_status tp_static_solve(tp_stepper *stepper, const tp_static_step *step, tp_step_report *report);

#endif
