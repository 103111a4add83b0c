/* Block Gauss-Seidel with exact blocks and capped momentum: one slice of the default solver;
 * theory/solvers.md (19)-(21). */
#ifndef TP_SOLVER_SWEEPS_ACCELERATED_H
#define TP_SOLVER_SWEEPS_ACCELERATED_H

#include "block_solve.h"
#include "problem/velocity_form.h"
#include "tippe/solver.h"

typedef enum tp_sweep_end {
    TP_SWEEP_CONVERGED,
    TP_SWEEP_FLOOR, /* above the aim, but at the limit of double precision */
    TP_SWEEP_STALLED,
    TP_SWEEP_DIVERGED,
    TP_SWEEP_LIMIT
} tp_sweep_end;

/* What the slices of one solve share. */
typedef struct tp_sweeps {
    tp_block_solver blocks;
    double aim;          /* E at which to stop                                    */
    double floor_factor; /* of the rounding floor: good enough to stop at    */
    double work;         /* block products so far, and their limit                */
    double noise;        /* of the rows' data, as xi */
    double work_limit;
    double usable_error, usable_work; /* below this error the search ends after this work; error 0: never */
    double limit_error, limit_work; /* the same for what is just good enough                               */
    int sweep_count, sweep_limit;
    bool is_patient;  /* near a solution, too, a slice stalls by its own measure only  */
    const int *order; /* [set_count] order of the sweep; NULL: ascending       */
    double *best;     /* [row_count] best point so far, and its E              */
    double best_error;
    bool is_at_best;                   /* velocity, and x of a form, are those of the best point */
    double *before, *older, *velocity; /* [row_count] work                      */
    tp_velocity_form *form;            /* NULL: G is there                      */
    double *x_older;                   /* [x_count] with a form                 */
} tp_sweeps;

/* Memory from the stack until the caller releases his mark. best_error starts as infinite. */
tp_status tp_sweeps_init(tp_sweeps *sweeps, const tp_local *local, tp_stack *stack);

/* The same without G: velocities are kept beside P; theory/solvers.md (21a). */
tp_status tp_sweeps_init_form(tp_sweeps *sweeps, tp_velocity_form *form, tp_stack *stack);

/* Has the search cost what it may? */
bool tp_sweeps_are_spent(const tp_sweeps *sweeps);

/* Where to stop, a little below (factor) what the options ask for. */
void tp_sweeps_aim(tp_sweeps *sweeps, const tp_solver_options *options, double factor);

/* Sweeps from P until E <= aim, a stall (no halving of E in max(stall, 0.6 sweeps)), divergence, or a limit.
 * P is left at the last point. */
tp_sweep_end tp_sweeps_run(tp_sweeps *sweeps, double momentum_cap, int stall, double *P, double *error_out);

/* E(P), remembered if it is the best so far. */
double tp_sweeps_judge(tp_sweeps *sweeps, const double *P);

/* Moves P into its sets block by block: a guess becomes admissible. */
void tp_sweeps_project(const tp_local *local, double *P);
void tp_sweeps_project_some(const tp_local *local, int begin, int end, double *P); /* sets of a range */

/* E that rounding alone leaves at P: a few units of eps (rho |P| + |c|) / scale, and the noise of the data.
 * Nothing better exists in double precision. At most 1e-6: a P for which more is lost is not an answer. */
double tp_sweeps_floor(const tp_sweeps *sweeps, const double *P);

/* Plain sweeps that lead out of a basin where Newton's method is stuck. */
void tp_sweeps_escape(tp_sweeps *sweeps, int count, double *P);

/* What a Newton method says at its end, from the best point and the aim. */
tp_status tp_sweeps_report_newton(const tp_sweeps *sweeps, int steps, int escapes, tp_report *report);

#endif
