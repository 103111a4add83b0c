/* Contacts between balls in a step, where the model has no other laws: rows are known by what they are made
   of, and written where something asks for them; theory/large-heaps.md (3). */
#ifndef TP_INTEGRATOR_BALL_LAWS_H
#define TP_INTEGRATOR_BALL_LAWS_H

#include "integrators.h"

/* Whether many contacts of a step may be taken in this way: those that sweeps over bodies solve. */
bool tp_ball_laws_are_due(const tp_stepper *stepper);

/* Closed contacts, all at once. False: one is none of balls, and the problem is empty. */
tp_status tp_ball_laws_collect(tp_stepper *stepper, const tp_state *from, const tp_state *to,
                               bool *are_taken_out);

/* As tp_stepper_book, of a problem of balls. */
void tp_ball_laws_book(tp_stepper *stepper, const double *u_from, const double *u_to);

#endif
