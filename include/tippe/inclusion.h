/* Nonlinear inclusions: F(x,P) = 0, xi = g(x,P), -xi in N_C(P) for every set; docs/theory/problems.md (11),
 * solvers.md (29)-(31). */
#ifndef TIPPE_INCLUSION_H
#define TIPPE_INCLUSION_H

#include "tippe/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_inclusion {
    void *self;
    /* A one-step problem with the sizes, sets and patterns of the linearisation M = dF/dx, A = -dF/dP, C =
       dg/dx, D = dg/dP. Made once; its values (and f, b) are overwritten by solves. */
    tp_problem *linear;
    tp_status (*residual)(void *self, const double *x, const double *P, double *F_out, double *xi_out);
    tp_status (*linearise)(void *self, const double *x, const double *P,
                           tp_problem *linear); /* fills M, A, Ct, D only */
    const double *F_scale;                      /* [x_count] positive size of each entry of F; NULL: 1   */
    double xi_scale;                            /* size of the velocities of the rows; 0, noise: 1       */
    const double *F_noise;                      /* [x_count] rounding errors of F beyond those of the terms of
                                                   the linearisation, which may update it; NULL: 0  */
    const double *xi_noise;                     /* [row_count] the same for xi; NULL: 0                  */
    /* Where F has a domain: the largest part of the way from x, inside, to x_new that a step may go, above 0
       and at most 1. The start must lie inside. Where full steps fail, ones that lower the error
       are searched. NULL: full steps alone. */
    double (*reach)(void *self, const double *x, const double *x_new);
} tp_inclusion;

typedef struct tp_inclusion_options {
    double tolerance;   /* of |F_i| / F_scale_i and of the natural residual / xi_scale [-]   */
    int max_iterations; /* of the projected Newton method; 0: 1000 */
    int max_linearised; /* linearised inclusions solved when that fails; 0: 50 */
    int patience; /* so many of them without a better point end a way to solve it; 0: the solver's own */
    bool refresh; /* new Jacobian in every step (default: frozen, as the linear convergence allows)       */
    bool linearised_only;           /* start with the linearised inclusions */
    double relaxation;              /* alpha of the projections    */
    const char *solver;             /* of the linearised inclusions; NULL: auto   */
    const tp_solver_options *inner; /* of that solver; NULL: default. It starts from P, and its tolerance is
                                       at most 0.1 of the one above, and 1e-12 */
    /* linearised_only: error at which the start is the answer; 0: tolerance. A smaller one makes sure that
       the linear part of the problem is solved to rounding; a start at the rounding of each row is the answer
       anyway, theory/solvers.md (31d). */
    double start_tolerance;
    bool up_to_rounding;    /* an error that only rounding keeps above the tolerance is solved;
                               theory/problems.md (22) */
    double enough;          /* with up_to_rounding: so is one below this                      */
    tp_interrupt interrupt; /* asked before each linearised inclusion: TP_INTERRUPTED; NULL: never */
    void *interrupt_context;
    bool polish; /* linearised_only: one more linearised inclusion at the end, kept if it is solved as well:
                    what converges quadratically is then exact to rounding in every row */
} tp_inclusion_options;

/* Tolerance 1e-10; Newton first, then linearised inclusions by auto. */
tp_inclusion_options tp_inclusion_options_default(void);

/* Projected Newton; if it does not converge, a sequence of linearised inclusions, each solved exactly. x and
   P are start and answer. report_out->error is the larger of the scaled |F| and the natural residual,
   computed anew at the end; report_out->floor what rounding leaves of it, roughly; report_out->limit the
   error up to which it is solved. Linearised inclusions end above that (TP_NOT_CONVERGED) when the error is
   small and does not fall any more. */
tp_status tp_solve_inclusion(const tp_inclusion *inclusion, const tp_inclusion_options *options,
                             tp_workspace *workspace, double *x, double *P, tp_report *report_out);

#ifdef __cplusplus
}
#endif

#endif
