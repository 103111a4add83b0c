/* How the relaxed motion changes with its point, as a sparse pencil; docs/theory/relaxed-dai.md (23)-(25). */
#ifndef TP_INTEGRATOR_RELAXED_JACOBIAN_H
#define TP_INTEGRATOR_RELAXED_JACOBIAN_H

#include "relaxation.h"

typedef struct tp_relaxed_jacobian tp_relaxed_jacobian;

/* Pattern and memory, from the arena, for the laws that the system has now: contacts between shapes come and
   go, and it is made anew. */
tp_status tp_relaxed_jacobian_create(const tp_stepper *stepper, tp_arena *arena, tp_relaxed_jacobian **out);

/* Square; its unknowns are q, u and the multipliers of all laws. */
const tp_sparse *tp_relaxed_jacobian_pattern(const tp_relaxed_jacobian *jacobian);

/* Values of E and F at the point of the last evaluation of the relaxed motion, q and u: (c E - F)(x, z) =
   E (r, 0) is (c - J) x = r with J the derivative of the rates. The system is moved. */
void tp_relaxed_jacobian_find(tp_relaxed_jacobian *jacobian, tp_stepper *stepper,
                              const tp_relaxation *relaxation, tp_relaxed_point *point, double t,
                              const double *y, double *E_out, double *F_out);

#endif
