/* Newton's method in a given case: which contacts are open, stick or slip, which rows rest on a bound, which
   friction of joints slips; and the walk through all cases; docs/theory/solvers.md (28d). */
#ifndef TP_SOLVER_PIVOTING_CASE_NEWTON_H
#define TP_SOLVER_PIVOTING_CASE_NEWTON_H

#include "solver/newton/reduced_system.h"
#include "solver/pivoting/cases.h"

typedef struct tp_case_newton {
    tp_reduced_system *system;
    tp_case_item *items; /* [item_count] their states in the order in which they are tried */
    int item_count;
    int *choice;            /* [item_count] place of the present state among those of the item */
    double *xi, *at, *slip; /* [row_count] velocity, and the point of the case that is linearised */
    double *held;           /* [set_count] */
    bool is_start;
    double size; /* impulse that the data explain: where a case needs one that is not 0 */
} tp_case_newton;

/* Takes the arrays and lists the items. TP_UNSUPPORTED: a set has no cases (curved ones that are not a ball
   or ellipsoid). */
tp_status tp_case_newton_take(tp_case_newton *newton, tp_reduced_system *system, tp_stack *stack);

/* Orders the states of each item: that of P first. by_load: a contact that P loads sticks, slips or opens, in
   this order, one that it does not opens, sticks or slips; theory/solvers.md (9a). */
void tp_case_newton_prefer(tp_case_newton *newton, bool by_load, const double *P);

/* The number of cases, infinite for too many; and the walk through them, those first in which few items
   differ from their preferred states. next: false after the last one. */
double tp_case_newton_count(const tp_case_newton *newton);
void tp_case_newton_first(tp_case_newton *newton);
bool tp_case_newton_next(tp_case_newton *newton);

/* Whether the equations of the present case are linear in P. */
bool tp_case_newton_is_linear(const tp_case_newton *newton);

/* One step from P in the present case, the first one or a later one, with this part of rho on the diagonal,
   which is taken back by refinement. TP_SINGULAR: there is none. */
tp_status tp_case_newton_step(tp_case_newton *newton, bool is_start, double shift, tp_stack *stack,
                              double *P);

#endif
