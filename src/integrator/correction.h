/* Correction of positions and velocities after a step on velocity level; theory/correction.md. */
#ifndef TP_INTEGRATOR_CORRECTION_H
#define TP_INTEGRATOR_CORRECTION_H

#include "integrators.h"

/* Memory from the arena, into stepper->correction. */
tp_status tp_correction_create(tp_stepper *stepper, tp_arena *arena);

/* Moves the end of a step towards its joints and contacts, and takes what solver and scheme left of the
   velocities of joints and resting contacts out of u, with the impulses of that in the state and the account.
   It cannot fail. The report gets what was found, and minus the energy before it: the caller adds that after
   it. */
void tp_stepper_correct(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                        tp_step_report *report);

#endif
