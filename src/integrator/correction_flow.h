/* Positions of heaps that flow, by a few sweeps over their contacts; theory/correction.md (15). */
#ifndef TP_INTEGRATOR_CORRECTION_FLOW_H
#define TP_INTEGRATOR_CORRECTION_FLOW_H

#include "correction_rows.h"

/* Marks the contacts of islands of many contacts that do not all rest, after a step of length dt with the
   least error that counts. */
void tp_correction_find_flow(tp_stepper *stepper, double still);

/* Moves the bodies of marked contacts, with the system at the end of the step: errors above `least` become
   smaller. Returns the largest. The system stays where it is. */
double tp_correction_sweep_flow(tp_stepper *stepper, double dt, double least, tp_state *to);

#endif
