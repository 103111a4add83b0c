/* Large islands of contacts between bodies, by sweeps over velocities; theory/large-heaps.md. */
#ifndef TP_SOLVER_BODIES_BODY_SOLVE_H
#define TP_SOLVER_BODIES_BODY_SOLVE_H

#include "solver/form_sweeps.h"

/* As tp_solve_by_form. TP_UNSUPPORTED: the problem is not one of contacts between bodies, or there is a
   choice among solutions; nothing has changed then. */
tp_status tp_solve_bodies(const tp_solve_call *call, tp_part *part, double *P, double *x_out,
                          tp_report *report, tp_form_answer *answer_out);

#endif
