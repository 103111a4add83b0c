/* What a solver is: one file, one descriptor, one line in table.c. */
#ifndef TP_SOLVER_SOLVER_H
#define TP_SOLVER_SOLVER_H

#include "problem/local.h"
#include "tippe/solver.h"

/* Kinds of sets a solver accepts, as bits. */
#define TP_ACCEPT(kind) (1u << (kind))
#define TP_ACCEPT_SCALAR                                                                                     \
    (TP_ACCEPT(TP_SET_FREE) | TP_ACCEPT(TP_SET_ZERO) | TP_ACCEPT(TP_SET_ORTHANT) | TP_ACCEPT(TP_SET_BOX))
#define TP_ACCEPT_ALL 0xFFFFFFFFu

typedef struct tp_solve_call {
    const tp_problem *problem;        /* as given, perhaps global                                        */
    const tp_local *local;            /* its local form (NULL for solvers that say needs_global)         */
    const tp_solver_options *options; /* checked                                                         */
    tp_stack *stack;                  /* scratch: take, never keep                                       */
} tp_solve_call;

typedef struct tp_solver {
    tp_solver_info info;
    unsigned accepts;  /* TP_ACCEPT bits                                                                  */
    bool needs_global; /* works on M, A itself                                                            */
    /* P [row_count] in: start, out: best point. Fills status, iterations, work, reason, solution_count of the
       report; the caller computes E itself and turns a claimed TP_OK into TP_NOT_CONVERGED if E is above the
       tolerance. */
    tp_status (*solve)(const tp_solve_call *call, double *P, tp_report *report);
} tp_solver;

extern const tp_solver tp_solver_lemke;       /* solver/lemke.c: ORTHANT, BOX, FREE rows                   */
extern const tp_solver tp_solver_mlcp;        /* solver/mlcp.c: FREE, ORTHANT, BOX                         */
extern const tp_solver tp_solver_enumeration; /* solver/enumeration.c: small problems, all cases           */
extern const tp_solver tp_solver_faceted;     /* solver/faceted.c: friction polygon through an LCP         */
extern const tp_solver tp_solver_quartic;     /* solver/quartic.c: one contact, all solutions              */

#endif
