/* The second level of laws: how the velocities of their rows change at constant u, and the derivatives that
   Newton's method needs; docs/theory/second-level.md. Nothing here allocates. */
#ifndef TP_SYSTEM_SECOND_LEVEL_H
#define TP_SYSTEM_SECOND_LEVEL_H

#include "system.h"

/* g2 = d/dt (W^T u + chi) at u' = 0 for the rows of a law at the present point, g2_out [row_count]: where the
   velocities change with u' it is W^T u' + g2; (1). False where it is not exact: the gap of the two shapes
   has a kink here or W^T u is not its rate, or C functions have no second derivatives. */
bool tp_system_law_drift(tp_system *system, int law, double *g2_out);

#endif
