/* The relaxed motion as a differential equation: accelerations and forces of all laws at a point;
   docs/theory/relaxed-dai.md (1)-(6). */
#ifndef TP_INTEGRATOR_RELAXATION_H
#define TP_INTEGRATOR_RELAXATION_H

#include "law_rows.h"

/* Relaxation of a step. */
typedef struct tp_relaxation {
    double delta; /* relaxation time [s]                                                                   */
    double zeta;  /* damping ratio of all rows; 0: of each row its own, (9)                                 */
    bool gate;
    const double *restitution_zeta; /* [laws] of normal rows where zeta is 0 */
} tp_relaxation;

/* Scratch memory of an evaluation; by law. */
typedef struct tp_relaxed_point {
    double *force;     /* [laws * TP_LAW_ROWS] in: guess, out: forces [N], [N m]                            */
    bool *takes_part;  /* [laws] its rows are in the problem                                                */
    double *row_force; /* [laws * TP_LAW_ROWS] xi at acceleration 0 [m/s^2]                                 */
} tp_relaxed_point;

tp_status tp_relaxed_point_take(const tp_stepper *stepper, tp_arena *arena, tp_relaxed_point *point_out);

/* Accelerations stepper->x and forces at the point to which the system was moved:
       M a = h + W lambda,   xi = W^T a + g2 + (2 zeta/delta) gamma + g/delta^2,   -xi in N_C(lambda).   (4)
   The step problem holds it afterwards, with lambda for P. */
tp_status tp_relaxed_evaluate(tp_stepper *stepper, const tp_relaxation *relaxation, tp_relaxed_point *point,
                              tp_step_report *report);

#endif
