/* The impact problem: velocities that jump at one configuration, with Newton's law for all laws at once;
   theory/consistent.md (17). */
#ifndef TP_INTEGRATOR_IMPACT_H
#define TP_INTEGRATOR_IMPACT_H

#include "integrators.h"

/* Which laws have a share in an impact. */
typedef struct tp_impact {
    const unsigned char *takes_part; /* [laws]                                                           */
    bool joints_alone; /* those on positions: the nearest velocity that they allow                       */
    bool leaves_out;   /* rows of joints that stepper->redundancy names                                  */
} tp_impact;

/* M (u+ - u) = W P, xi = W^T (u+ + e u) + (1 + e) chi, -xi in N_C(P) at the system's present point, where
   sets that are bounded by a force are {0}. u becomes u+ (also of an answer that is not accepted); impulses
   are added to impulse_io [laws * TP_LAW_ROWS] and booked. */
tp_status tp_impact_solve(tp_stepper *stepper, const tp_impact *impact, double *u, double *impulse_io,
                          tp_step_report *report);

#endif
