/* What the ways to solve a nonlinear inclusion share; theory/solvers.md (29)-(31c). */
#ifndef TP_SOLVER_INCLUSION_ITERATION_H
#define TP_SOLVER_INCLUSION_ITERATION_H

#include "judge.h"
#include "newton/linearise.h"
#include "tippe/inclusion.h"
#include "workspace.h"

/* How linearised inclusions are tried, in this order, each from the start. Laws with friction may have
   several solutions, and the one that `auto` finds may be another in each linearisation: the nearest one is
   the same in all of them; theory/solvers.md (31b). */
typedef enum tp_inclusion_manner {
    TP_FULL_STEPS,
    TP_NEAREST_SOLUTIONS,
    TP_DOWNHILL,
    TP_ALL_CASES,
    TP_INCLUSION_MANNERS
} tp_inclusion_manner;

/* Everything one solve works with. */
typedef struct tp_iteration {
    const tp_inclusion *inclusion;
    const tp_inclusion_options *options;
    tp_stack *stack;
    double *F, *xi, *step;
    double *x_start, *P_start;
    double *x_before, *P_before; /* where F has a domain: of the step that is tried; else NULL */
    double *F_size_at_start;     /* [x_count]; F_scale as it was first */
    tp_step_lengths *r;          /* [set_count] */
    double rho;                  /* of the linearisation: makes impulses velocities in the residual */
    double impulse;              /* size of P that the data explain, as it was first */
    double error, work;
    double linear_tolerance; /* of the next linear problem; 0: it is the first */
    tp_floor floor;
    bool is_measured;    /* what the data explain is known */
    tp_lu start_factors; /* of M at the start of linearised inclusions */
    bool has_factors;    /* and they are there                         */
    tp_inclusion_manner manner;
    bool is_out_of_reach; /* a linear problem of this solve was not solved to tp_sharpest_error */
    bool is_stagnant;     /* linearised inclusions ended near a solution, not on their way through others */
    bool is_unsolvable;   /* the linearisation had no solution */
    char proof[256];      /* that it has none at the start; else empty */
} tp_iteration;

/* F, xi and the error at (x, P): the larger of the scaled |F| and the natural residual. */
tp_status tp_iteration_evaluate(tp_iteration *it, const double *x, const double *P);

/* The linear problem at (x, P), where the inclusion was evaluated, with right-hand sides; (31). */
tp_status tp_iteration_linearise(tp_iteration *it, const double *x, const double *P);

/* What rounding leaves of the error at (x, P), where it was linearised; theory/problems.md (21). */
tp_floor tp_iteration_floor(const tp_iteration *it, const double *x, const double *P);

/* A step from the point that was kept ends where F is defined; (31a). */
void tp_iteration_keep_point(const tp_iteration *it, const double *x, const double *P);
void tp_iteration_stay_inside(const tp_iteration *it, double *x, double *P);

/* Is there friction that follows a joint? */
bool tp_iteration_has_followers(const tp_iteration *it);

/* Is the error that of a solution? */
bool tp_iteration_is_solved(const tp_iteration *it);

/* Linearised inclusions from (x, P) in the manner of `it`, until the error is below the tolerance, or small
   and not falling; keeps the best point; (31). */
tp_status tp_iteration_linearised(tp_iteration *it, tp_workspace *workspace, double *x, double *P,
                                  int *count_out);

/* A copy of the point (x, P). */
void tp_iteration_copy(const tp_problem *linear, const double *x, const double *P, double *x_out,
                       double *P_out);

/* All cases of few laws by Newton's method, from the start; (31c). x, P: the first solution that is found,
   else the best point. TP_OK, or TP_OUT_OF_MEMORY. */
tp_status tp_iteration_try_cases(tp_iteration *it, tp_workspace *workspace, double *x, double *P, int *count);

#endif
