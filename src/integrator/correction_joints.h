/* Correction of a mechanism of joints alone, by the factors of its step; theory/correction.md (14). */
#ifndef TP_INTEGRATOR_CORRECTION_JOINTS_H
#define TP_INTEGRATOR_CORRECTION_JOINTS_H

#include "integrators.h"

/* As tp_stepper_correct, whose masses are known, with the system at the end of the step. False: it is not
   such a mechanism, or its errors do not fall: the positions may be corrected then, the velocities are not.
 */
bool tp_correct_joints(tp_stepper *stepper, double dt, tp_state *to, tp_step_report *report);

#endif
