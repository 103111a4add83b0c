/* One combination of cases (which rows rest on a bound, which contacts are open, stick or slip) solved for
   all its points; docs/theory/pivoting.md (25)-(28). */
#ifndef TP_SOLVER_PIVOTING_CASES_H
#define TP_SOLVER_PIVOTING_CASES_H

#include "problem/local.h"
#include "solver/sweeps/one_contact.h"

typedef enum tp_case_state {
    TP_CASE_BASIC, /* xi = 0: equation, interior of a bound, frictionless closed contact row N */
    TP_CASE_LOWER,
    TP_CASE_UPPER,
    TP_CASE_OPEN,
    TP_CASE_STICK,
    TP_CASE_SLIP,         /* spatial: direction unknown; without friction: P_T = 0 */
    TP_CASE_SLIP_FORWARD, /* planar: P_T = mu P_N */
    TP_CASE_SLIP_BACKWARD
} tp_case_state;

/* A scalar row, or a contact. */
typedef struct tp_case_item {
    const tp_set *set;
    int first, size;
    double lower, upper;  /* scalar row */
    tp_contact_disc disc; /* contact    */
    int state_count;
    tp_case_state states[4];
    tp_case_state state; /* of the present case */
} tp_case_item;

typedef struct tp_cases {
    int n, item_count;
    double *G;       /* [n*n] column-major, rows T of ellipses stretched to discs */
    double *c;       /* [n] */
    double *stretch; /* [n] P = stretch P' */
    tp_case_item *items;
    double *A, *right, *x, *xi, *P, *work; /* scratch */
    int *unknown_row, *order, unknown_count;
    double *angle;                /* of friction of each item, where it slips in space */
    double *P_turned, *xi_turned; /* [n] derivatives with respect to an angle */
    bool is_complete;             /* no singular system, no search by Newton so far */
} tp_cases;

/* The items of a problem, items_out [row_count]; with_friction: FRICTION sets that are balls, too,
   and slip in space as two states, FORWARD and BACKWARD, from which Newton's method starts. TP_UNSUPPORTED
   for sets without cases. */
tp_status tp_case_list(const tp_local *local, bool with_friction, tp_case_item *items_out, int *count_out);

/* Receives each point of a case (in the rows of the problem); points need not satisfy the inequalities. */
typedef void tp_case_visit(void *context, const tp_cases *cases, const double *P);

/* Takes the arrays and lists the items; TP_UNSUPPORTED for sets without cases. */
tp_status tp_cases_take(tp_cases *cases, const tp_local *local, tp_stack *stack);

/* Several spatial contacts slip: with friction along their angles the case is linear, and in each of them the
   velocity normal to friction must vanish, F_j = (-sin, cos).xi_T = 0. slipping [count] are their items.
   False when the linear part has no solution. The derivative dF_i / dangle_j, J_out [count*count]
   column-major, is that at the angles of the last call of the equations. */
bool tp_case_slip_equations(tp_cases *cases, int count, const int *slipping, double *F_out);
void tp_case_slip_jacobian(tp_cases *cases, int count, const int *slipping, double *J_out);

/* Solves the case given by the states of the items. */
void tp_case_solve(tp_cases *cases, tp_case_visit *visit, void *context);

/* How many systems of n equations a case with so many spatial slips takes, about. */
double tp_case_solves(int slip_count);

#endif
