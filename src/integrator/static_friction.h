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

/* (3): laws of a solved problem that lie on their static bound get that of sliding; false: there are none. */
bool tp_static_release(tp_step_problem *problem, const tp_system *system, double share, double dt);

/* Solves a step whose laws with static friction are in stepper->problem: those that stuck in the last step
   have the static bound. While the answer of one of them lies on that bound it gets the bound of sliding, and
   the step is solved again. `solve` solves the problem with the sets as they are. */
typedef tp_status tp_static_solver(void *self, tp_step_report *report);
tp_status tp_static_solve(tp_stepper *stepper, const tp_state *from, double dt, tp_static_solver *solve,
                          void *self, tp_step_report *report);

#endif
