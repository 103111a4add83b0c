/* Ordinary differential equations y' = f(t, y): adaptive and fixed steps, dense output, roots of functions
   along the solution; docs/theory/ode.md. Nothing here knows mechanics. A caller advances by
   tp_ode_step and asks for states inside the last step by tp_ode_dense. */
#ifndef TP_MATH_ODE_ODE_H
#define TP_MATH_ODE_ODE_H

#include "tippe/linear.h"

typedef struct tp_ode tp_ode;

typedef enum tp_ode_method {
    TP_ODE_DORMAND_PRINCE,   /* order 5, error estimate of order 4, dense output of order 4            */
    TP_ODE_DORMAND_PRINCE_8, /* order 8, estimates of orders 5 and 3, dense output of order 7        */
    TP_ODE_RK4,              /* the classical method, fixed steps only, dense output of order 3        */
    TP_ODE_RADAU             /* Radau IIA of order 5, stiff; needs `jacobian`; dense output of order 3 */
} tp_ode_method;

/* What is integrated. A function that returns another status than TP_OK makes the step be tried again with
   half its size (TP_OUT_OF_MEMORY and TP_INTERRUPTED end the call at once). */
typedef struct tp_ode_equations {
    int n;
    void *context;
    tp_status (*rate)(void *context, double t, const double *y, double *rate_out);

    /* Both may move y, and may be NULL. `stage` acts on every stage after the first, `result` on the new
       point and on the one it is compared with (by default those are moved by `stage`). TP_ODE_RADAU has
       `result` alone, whose change must be of the size of the error. */
    tp_status (*stage)(void *context, double t, double *y);
    tp_status (*result)(void *context, double t, double *y);

    /* TP_ODE_RADAU: values of df/dy into a matrix with the pattern given here, which need not have a
       diagonal. An approximation costs iterations, not accuracy. */
    tp_status (*jacobian)(void *context, double t, const double *y, tp_sparse *jacobian_out);
    const tp_sparse *pattern; /* borrowed until tp_ode_create returns */
    /* In its place: values of E and F in that pattern, which is square and has unknowns z beside y:
       (c E - F)(x, z) = E (r, 0) is (c - df/dy) x = r. Sparse where df/dy is not. */
    tp_status (*pencil)(void *context, double t, const double *y, double *E_out, double *F_out);
} tp_ode_equations;

typedef struct tp_ode_options {
    tp_ode_method method;
    double rtol, atol;     /* error of a step, relative to |y_k| and absolute; equal for all components...  */
    const double *atol_of; /* [n] ...or one for each; INFINITY: this one does not count; borrowed, or NULL  */
    double fixed_step;     /* > 0: no control of errors                                                     */
    double first_step;     /* 0: estimated                                                                  */
    double max_step;       /* of all steps; 0: no limit                                                     */
    double safety;         /* factor on the step that the estimate allows                                   */
    double shrink, grow;   /* limits of the ratio of two steps                                              */
    double damping;        /* beta of PI control (0: classical control)                                     */
} tp_ode_options;

/* Steps of TP_ODE_DORMAND_PRINCE are stable up to h |df/dy| = 3.3; those above this value are as long as
   stability allows. Doubled: none is. */
extern const double tp_ode_stiff;

tp_ode_options tp_ode_options_default(tp_ode_method method);

typedef struct tp_ode_statistics {
    long long accepted, rejected; /* by the error estimate                                            */
    long long failures;           /* attempts in which a function failed or iterations diverged       */
    long long rates, jacobians, factorisations, iterations, stages, results; /* calls and Newton steps */
} tp_ode_statistics;

/* The last accepted step. */
typedef struct tp_ode_report {
    double begin, end; /* [its times]                                             */
    double error;      /* estimate over tolerance, at most 1; 0 with fixed steps  */
    int rejections;    /* attempts before it                                      */
    double stiffness;  /* h |df/dy|, as far as explicit stages have seen it: above tp_ode_stiff the equation
                          is stiff; 0: not known                                */
} tp_ode_report;

tp_status tp_ode_create(const tp_allocator *allocator, const tp_ode_equations *equations,
                        const tp_ode_options *options, tp_ode **ode_out, tp_message *why);
void tp_ode_free(tp_ode *ode);

/* Puts the integration at (t, y) and forgets what it knew of other points, the step size too. Call it again
   after y has jumped. */
tp_status tp_ode_start(tp_ode *ode, double t, const double *y);

/* Changes y at the present time (a projection) and keeps the step size. */
tp_status tp_ode_replace(tp_ode *ode, const double *y);

/* One accepted step, which ends at `limit` at the latest. TP_NOT_CONVERGED: the step fell below the rounding
   of t (the point stays where it was); otherwise the status of the function that failed. */
tp_status tp_ode_step(tp_ode *ode, double limit);

/* Takes the last step again with the end t inside it, by the full formula: the state at an event. Again and
   again, with any end inside the step that was first taken. */
tp_status tp_ode_shorten(tp_ode *ode, double t);

double tp_ode_time(const tp_ode *ode);
const double *tp_ode_state(const tp_ode *ode); /* [n] */
const double *tp_ode_rate(const tp_ode *ode);  /* [n] f at the present point */
double tp_ode_next_step(const tp_ode *ode);    /* size that the next step tries first; 0: not known */
const tp_ode_report *tp_ode_last_step(const tp_ode *ode);
const tp_ode_statistics *tp_ode_counts(const tp_ode *ode);

/* Rates that the dense output of the last step needs and the step did not: three for
   TP_ODE_DORMAND_PRINCE_8, none for the others or a second time. Before tp_ode_dense and tp_ode_find_roots.
 */
tp_status tp_ode_complete(tp_ode *ode);

/* The state at a time inside the last step. */
void tp_ode_dense(const tp_ode *ode, double t, double *y_out);

/* What a continued integration needs besides t and y to give the same bits: [tp_ode_memory_count] numbers.
   The dense output of the last step is not among them. */
int tp_ode_memory_count(tp_ode_method method, int n);
void tp_ode_memory(const tp_ode *ode, double *memory_out);
tp_status tp_ode_resume(tp_ode *ode, double t, const double *y, const double *memory);

/* ---- roots.c ---- */

/* Functions whose signs matter along the solution. */
typedef struct tp_root_functions {
    int count;
    void *context;
    void (*values)(void *context, double t, const double *y, double *values_out /* [count] */);
    const double *graze; /* [count] an extremum this near to 0 is a touch, not a crossing; NULL: 0 */
} tp_root_functions;

typedef enum tp_root_kind { TP_ROOT_FALLING, TP_ROOT_RISING, TP_ROOT_GRAZING } tp_root_kind;

typedef struct tp_root {
    int function;
    tp_root_kind kind;
    double time;
} tp_root;

/* The roots inside the last step, (begin, end], in the order of time and then of functions; at most
   `capacity` of them, the first ones. Each function is sampled at eight points of the dense output, and where
   three samples bend towards 0 their extremum is looked for: a function may cross 0 twice between two
   samples. A function that is 0 at the start of the step has no root there. work [(TP_ROOT_SAMPLES + 2) *
   count + n]. */
enum { TP_ROOT_SAMPLES = 9 };
int tp_ode_find_roots(const tp_ode *ode, const tp_root_functions *functions, double *work, int capacity,
                      tp_root *roots_out);

#endif
