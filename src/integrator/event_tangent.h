/* How a motion of event-driven changes with its start: the linearised equations of each phase, and a jump
   (saltation) at each instant; docs/theory/event-driven.md (31)-(36). */
#ifndef TP_INTEGRATOR_EVENT_TANGENT_H
#define TP_INTEGRATOR_EVENT_TANGENT_H

#include "event_instant.h"

typedef struct tp_tangent {
    int q_count, u_count, n; /* n = q_count + u_count: of a point y = (q, u)           */
    int columns;             /* 2 u_count: directions B e_j of positions, then velocities */
    double rtol;
    double *X;              /* [n columns] changes of the present point with the start  */
    double *y, t;           /* [n] the point that X belongs to                          */
    double *work, *stencil; /* [4 n], [6 n]                                             */
    double *J, *changed;    /* [n n], [n columns] work                                  */
    double *Y, *atol;       /* [n (columns + 1)] of the equations together              */
    tp_ode *ode;
    tp_phase *phase; /* of the present call */
    tp_instant *instant;
    tp_event_function falling; /* whose root the instant is ...                          */
    double slide[3];           /* ... and the direction of its slip                      */
    int instants;              /* passed so far that were found as roots                   */
    int together;              /* of them with several functions that fell at once         */
    double slowest_fall;       /* least |phi'| T of a function at its root: 0 is a graze   */
    double mismatch;           /* largest difference of both integrations [of L, V]        */
    tp_arena arena;            /* of all this */
} tp_tangent;

tp_status tp_tangent_create(const tp_allocator *allocator, const tp_stepper *stepper, tp_tangent **out);
void tp_tangent_free(tp_tangent *tangent); /* NULL is fine */

/* X = 1 at a point. */
void tp_tangent_begin(tp_tangent *tangent, const tp_stepper *stepper, double t, const double *q,
                      const double *u);

/* X along the present phase to a point of it. */
tp_status tp_tangent_flow(tp_tangent *tangent, tp_phase *phase, double t, const double *q, const double *u);

/* X across an instant that has been passed, to the point behind it (of switches in formulas a little later).
   count 0: its time is fixed. */
tp_status tp_tangent_jump(tp_tangent *tangent, tp_instant *instant, double t, double t_after, int count,
                          const tp_trigger *triggers, const double *q, const double *u);

/* X onto the rows of the present modes, at the end. */
tp_status tp_tangent_project(tp_tangent *tangent, tp_instant *instant);

/* The instants of a stepper of event-driven (event_driven.c). */
tp_instant *tp_event_driven_instant(const tp_stepper *stepper);

#endif
