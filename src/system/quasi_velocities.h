/* Inertia given in own velocities u with q' = B u, B square: energies T(t,q,u) and mass matrices M(t,q);
 * theory/models.md (5a). */
#ifndef TP_SYSTEM_QUASI_VELOCITIES_H
#define TP_SYSTEM_QUASI_VELOCITIES_H

#include "system.h"

/* Adds d2T/du2 of all such energies to M [general_u^2]. */
void tp_quasi_add_mass(tp_system *system, double *M);

/* Adds their gyroscopic terms to h [general_u], those of the mass entries included. B must be square. */
void tp_quasi_add_force(tp_system *system, double *h);

#endif
