/* How high a tower of bodies is; theory/solvers.md (28l). */
#ifndef TP_SOLVER_TOWER_H
#define TP_SOLVER_TOWER_H

#include "solvers.h"

/* Bodies between the ground and the one that is farthest from it, in a problem whose bodies make a tree (the
   ground left out) and whose laws touch two of them at most; 0 in all others. Unknowns are those of bodies by
   six, where they come from a problem of so many. */
int tp_tower_height(const tp_problem *problem, const tp_unknowns *unknowns, tp_stack *stack);

#endif
