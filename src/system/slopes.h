/* How energy and sensors of formulas change with positions and velocities: gradients for invariants;
   docs/theory/jet.md (23)-(25). Nothing here allocates. */
#ifndef TP_SYSTEM_SLOPES_H
#define TP_SYSTEM_SLOPES_H

#include "system.h"

/* T + V at the present point; along each velocity at fixed u, and with respect to u: [u_count] each. M:
   values in mass_pattern; work: as many as jacobian_pattern has, of which nothing is needed where the mass is
   constant. */
double tp_system_energy_slopes(tp_system *system, const double *M, double *work, double *by_position_out,
                               double *by_velocity_out);

/* The same of a sensor that is a formula. */
double tp_system_sensor_slopes(tp_system *system, int sensor, double *by_position_out,
                               double *by_velocity_out);

#endif
