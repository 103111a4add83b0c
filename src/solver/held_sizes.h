/* Laws whose set follows the impulse of another law, as friction in a joint does, solved with the sizes of
   these sets held, again and again; theory/solvers.md (28b). */
#ifndef TP_SOLVER_HELD_SIZES_H
#define TP_SOLVER_HELD_SIZES_H

#include "chain.h"

/* Is there a set that follows another law's impulse? */
bool tp_chain_has_masters(const tp_chain *c);

/* The set with its size held, as one that follows nobody; friction along one row is an interval, which
   pivoting takes. Other sets stay as they are. */
tp_set tp_set_held(const tp_set *set, double size);

/* A stage of `auto`: at most so many problems with sizes held, from P. TP_NOT_CONVERGED: the chain goes on
   from the best point. */
tp_status tp_chain_hold_sizes(tp_chain *c, int rounds, double *P, tp_report *report);

#endif
