/* Proximal semi-smooth Newton on the reduced active set: the second half of the default solver;
 * theory/solvers.md (22)-(25). */
#ifndef TP_SOLVER_NEWTON_PROXIMAL_NEWTON_H
#define TP_SOLVER_NEWTON_PROXIMAL_NEWTON_H

#include "reduced_system.h"
#include "solver/sweeps/accelerated.h"

typedef enum tp_newton_end {
    TP_NEWTON_CONVERGED,
    TP_NEWTON_STALLED,
    TP_NEWTON_LIMIT,
    TP_NEWTON_INFEASIBLE,
    TP_NEWTON_LOCKED
} tp_newton_end;

typedef struct tp_proximal {
    tp_reduced_system system;
    tp_sweeps *sweeps;   /* best point, work and aim are shared with the sweeps */
    double weight;       /* a: the proximal term is a rho |P - centre|^2 / 2     */
    double weight_floor; /* a does not go below this before four successes       */
    double growth;       /* of the residual of the shifted problem after which TP_PROXIMAL_TRIES steps fail */
    int successes, step_count, step_limit;
    double *centre, *trial, *velocity, *shifted, *direction; /* [row_count] */
    bool holds;                      /* contacts that go round are held, and the others go on; (24a) */
    double *hold;                    /* [set_count] multiples of the weight */
    double *lag;                     /* [set_count] of slow contacts, else below 0; (24b) */
    unsigned char *mode, *is_around; /* [set_count] unknowns of the last step; whether that still changes */
} tp_proximal;

tp_status tp_proximal_init(tp_proximal *proximal, tp_sweeps *sweeps, const tp_local *local, tp_stack *stack);

/* The weight is that of a first step. */
void tp_proximal_start_anew(tp_proximal *proximal);

/* From now on contacts whose modes go round are held with a weight of their own, none of them at first;
   (24a). For contacts in space alone. */
void tp_proximal_hold(tp_proximal *proximal);

/* From now on the slip speeds of slow contacts lag; (24b). For contacts in space with a disc alone. */
void tp_proximal_let_lag(tp_proximal *proximal);

/* All contacts have the same weight again, and none lags. */
void tp_proximal_release(tp_proximal *proximal);

/* Outer steps from P until E <= the aim of the sweeps, no halving of E in many steps, or a limit. P is left
   at the last accepted point. INFEASIBLE: direction holds the proof y; theory/problems.md (10). LOCKED:
   impulses grow without bound along it. */
tp_newton_end tp_proximal_run(tp_proximal *proximal, tp_stack *stack, double *P, double *error_out);

#endif
