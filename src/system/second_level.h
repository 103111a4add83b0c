/* The second level of laws: how the velocities of their rows change at constant u, and the derivatives that
   Newton's method needs; docs/theory/second-level.md. Nothing here allocates. */
#ifndef TP_SYSTEM_SECOND_LEVEL_H
#define TP_SYSTEM_SECOND_LEVEL_H

#include "system.h"

/* g2 = d/dt (W^T u + chi) at u' = 0 for the rows of a law at the present point, g2_out [row_count]: where the
   velocities change with u' it is W^T u' + g2; (1). False where it is not exact: the gap of the two shapes
   has a kink here or W^T u is not its rate, or C functions have no second derivatives. */
bool tp_system_law_drift(tp_system *system, int law, double *g2_out);

/* Derivatives of g2 with respect to positions, along each velocity of the law at fixed u, and to velocities:
   [row_count * columns] each, row by row; (16)-(21). For contacts of shapes, other than the normal row of a
   smooth gap, and for curves, differences by four points: relative error 1e-8. False where they are not
   known: affine bodies, C functions, and where g2 is not exact. */
bool tp_system_law_drift_jacobian(tp_system *system, int law, double *by_position_out,
                                  double *by_velocity_out);

/* Adds d(M a)/dq B, a [u_count] held: values in jacobian_pattern; (22), (23). False, and nothing added:
   inertia or rates are given by C functions without second derivatives. */
bool tp_system_add_mass_jacobian(tp_system *system, const double *a, double *value_io);

#endif
