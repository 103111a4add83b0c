/* The central path of contacts between bodies, for the chain of `auto`; theory/solvers.md (37)-(40a). */
#ifndef TP_SOLVER_NEWTON_INTERIOR_POINT_H
#define TP_SOLVER_NEWTON_INTERIOR_POINT_H

#include "solver/solvers.h"
#include "solver/sweeps/accelerated.h"

/* Why the laws are not what it takes, in words; NULL if they are. */
const char *tp_interior_unsuitable(const tp_local *local);

/* At most so many steps along the path, from its own start; the best point of all stays with the sweeps.
   TP_UNSUPPORTED where the laws do not meet in bodies alone. */
tp_status tp_interior_path(const tp_solve_call *call, tp_sweeps *sweeps, int most, int *steps_out);

#endif
