/* What a solver is: one file, one descriptor, one line in solvers.c. */
#ifndef TP_SOLVER_SOLVERS_H
#define TP_SOLVER_SOLVERS_H

#include "problem/local.h"
#include "tippe/solver.h"

#include <math.h>

/* Kinds of sets a solver accepts, as bits. */
#define TP_ACCEPT(kind) (1u << (kind))
#define TP_ACCEPT_SCALAR                                                                                     \
    (TP_ACCEPT(TP_SET_FREE) | TP_ACCEPT(TP_SET_ZERO) | TP_ACCEPT(TP_SET_ORTHANT) | TP_ACCEPT(TP_SET_BOX))
#define TP_ACCEPT_ALL 0xFFFFFFFFu

typedef struct tp_solve_call {
    const tp_problem *problem;        /* as given, perhaps global                                        */
    const tp_local *local;            /* its local form                                                  */
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

/* NULL if there is none of that name. */
const tp_solver *tp_solver_by_name(const char *name);

extern const tp_solver tp_solver_auto;                 /* auto.c */
extern const tp_solver tp_solver_accelerated;          /* accelerated.c */
extern const tp_solver tp_solver_proximal_newton;      /* proximal_newton.c */
extern const tp_solver tp_solver_jacobi;               /* projected.c */
extern const tp_solver tp_solver_gauss_seidel;         /* projected.c */
extern const tp_solver tp_solver_projected_newton;     /* inclusion.c */
extern const tp_solver tp_solver_alart_curnier;        /* alart_curnier.c */
extern const tp_solver tp_solver_alart_curnier_global; /* alart_curnier_global.c */
extern const tp_solver tp_solver_de_saxce;             /* de_saxce.c */
extern const tp_solver tp_solver_lemke;                /* lemke.c */
extern const tp_solver tp_solver_mlcp;                 /* mlcp.c */
extern const tp_solver tp_solver_enumeration;          /* enumeration.c */
extern const tp_solver tp_solver_quartic;              /* quartic.c */
extern const tp_solver tp_solver_faceted;              /* faceted.c */
extern const tp_solver tp_solver_convex;               /* de_saxce.c */

#endif
