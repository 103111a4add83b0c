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
double tp_theta_stability_limit(const tp_simulation_options *options);
bool tp_theta_damps_vibrations(const tp_simulation_options *options);

/* What both integrators have in common. */
#define TP_THETA_METHOD                                                                                      \
    .refuse = tp_system_check_force_jacobian, .step = tp_theta_step, .takes_states = true,                   \
    .name_of_set = tp_theta_name_of_set, .law_of_set = tp_theta_law_of_set, .takes_static = true,            \
    .system = {.springs_are_laws = true}, .memory = tp_theta_memory, .start = tp_theta_start,                \
    .prepare = tp_theta_prepare, .stability_limit = tp_theta_stability_limit,                                \
    .damps_vibrations = tp_theta_damps_vibrations, .leaves_out_rows = TP_LEAVES_OUT_UNLESS_FOLLOWED

#endif
