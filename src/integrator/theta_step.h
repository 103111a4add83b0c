/* The implicit theta-step of moreau-jean and theta-gamma (moreau_jean.c). */
#ifndef TP_INTEGRATOR_THETA_STEP_H
#define TP_INTEGRATOR_THETA_STEP_H

#include "integrators.h"
#include "state_step.h"

extern const tp_memory_field tp_theta_memory[];

tp_status tp_theta_prepare(tp_stepper *stepper, tp_arena *arena);
tp_status tp_theta_start(tp_stepper *stepper, tp_state *state);
tp_status tp_theta_step(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                        tp_step_report *report);

/* First-order states in the step; NULL: there are none. */
tp_state_step *tp_theta_states(const tp_stepper *stepper);

/* The state or relation, and the law, of a set of the last problem. */
const char *tp_theta_name_of_set(const tp_stepper *stepper, int set);
int tp_theta_law_of_set(const tp_stepper *stepper, int set);

/* omega dt up to which undamped vibrations stay bounded. */
double tp_theta_stability_limit(double theta);

#endif
