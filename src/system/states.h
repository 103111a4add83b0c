/* First-order states and relations at the present point of a system; docs/theory/theta-gamma.md. */
#ifndef TP_SYSTEM_STATES_H
#define TP_SYSTEM_STATES_H

#include "system.h"

/* Values of states and multipliers that formulas see from now on; both are copied, until the next call. */
void tp_system_set_states(tp_system *system, const double *x, const double *multiplier);

/* Right sides of all states: f [states] where multipliers are 0, and what they add to it, r [states]. */
void tp_system_state_rates(tp_system *system, double *f_out, double *r_out);

/* Outputs of all relations: y [multipliers]. */
void tp_system_outputs(tp_system *system, double *y_out);
double tp_system_output(tp_system *system, int i);

/* Sum of the storage functions [J]. */
double tp_system_storage(tp_system *system);

/* What an equation or an output depends on: its slots, with derivatives of f (of an output: of y) and of r.
 */
typedef struct tp_state_gradient {
    int count;
    const int *slots;
    double *by_f, *by_r; /* [widest_gradient], of the caller */
    double f, r;         /* the values */
    double rounding;     /* of them, roughly */
} tp_state_gradient;
void tp_system_state_gradient(tp_system *system, int state, tp_state_gradient *gradient_io);
void tp_system_output_gradient(tp_system *system, int output, tp_state_gradient *gradient_io);

/* Does the right side of a state depend on multipliers? */
bool tp_system_state_has_input(const tp_system *system, int state);

/* The largest count of the above. */
int tp_system_widest_gradient(const tp_system *system);

/* How a slot of coordinates, rates or velocities changes with a change of velocities that lasts for `time`:
   calls put(self, velocity, factor). */
typedef void tp_state_put(void *self, int index, double factor);
void tp_system_slot_by_velocities(const tp_system *system, int slot, double time, tp_state_put *put,
                                  void *self);

/* Derivatives of h by states and multipliers: put(self, velocity, slot, value), always in the same order. */
typedef void tp_force_put(void *self, int velocity, int slot, double value);
void tp_system_force_by_states(tp_system *system, tp_force_put *put, void *self);

/* Do equations or outputs depend on coordinates, rates or velocities? */
bool tp_system_states_read_motion(const tp_system *system);

/* Finds the type of each relation: what the second derivatives are at a few points. */
tp_status tp_system_classify_relations(tp_system *system, tp_model *model);

#endif
