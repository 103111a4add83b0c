/* What integrators share whose equations have the point y = (q, u) and whose steps are those of ode_steps.h.
 */
#ifndef TP_INTEGRATOR_POINT_STEPS_H
#define TP_INTEGRATOR_POINT_STEPS_H

#include "ode_steps.h"

int tp_point_size(const tp_stepper *stepper); /* of y */

/* `take` of tp_ode_steps_def, its context is the stepper; and the way back. */
void tp_point_take(void *stepper, const tp_state *from, double *y_out);
void tp_point_show(const tp_stepper *stepper, const double *y, tp_state *to);

/* The pattern of a full square matrix of size n. */
tp_status tp_point_full_pattern(tp_arena *arena, int n, tp_sparse *pattern_out);

/* df/dy by differences, column by column, into a matrix with that pattern. What they miss costs iterations.
   most [n]: the largest change of each number, or NULL; work [2 n]. */
tp_status tp_point_differences(const tp_ode_equations *equations, double t, const double *y,
                               const double *most, double *work, tp_sparse *jacobian_out);

/* Sums over the dense output of the last step between two of its times: `add` gets points and their weights
   [s]. Lobatto's rule of five points: exact for polynomials of degree 7. work [n]. */
typedef tp_status tp_point_adder(void *context, double t, const double *y, double weight);
tp_status tp_point_integrate(tp_ode_steps *steps, double from, double to, tp_point_adder *add, void *context,
                             double *work);

/* Inputs and wrenches of a caller may have changed the forces since the last step ended. *was_applied_io: a
   wrench acted in the step before, which may have ended. */
bool tp_point_may_change(const tp_stepper *stepper, bool *was_applied_io);

#endif
