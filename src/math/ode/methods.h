/* The inside of an integration, shared by its methods. */
#ifndef TP_MATH_ODE_METHODS_H
#define TP_MATH_ODE_METHODS_H

#include "base/arena.h"
#include "math/ode/ode.h"

/* One attempt of a step from (t, y) with rate k: fills `next`, `next_rate` and the coefficients of the dense
   output. */
typedef struct tp_ode_kind {
    const char *name;
    int estimate_order; /* the error of a step of size h behaves like h^(estimate_order + 1); 0: no estimate
                         */
    int parts;          /* vectors of length n that it keeps for its dense output                           */
    bool steps_from_parts; /* a step starts its iterations from the dense output of the one before          */
    int stages; /* vectors of length n it needs while it steps                                      */
    tp_status (*prepare)(tp_ode *ode);
    tp_status (*attempt)(tp_ode *ode, double h, double *error_out);
    tp_status (*complete)(tp_ode *ode); /* what the dense output of an accepted step still needs; or NULL */
    void (*dense)(const tp_ode *ode, double theta, double *y_out);
    void (*release)(tp_ode *ode);
} tp_ode_kind;

extern const tp_ode_kind tp_ode_dormand_prince, tp_ode_dormand_prince_8, tp_ode_rk4, tp_ode_radau;

struct tp_ode {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_ode_equations equations;
    tp_ode_options options;
    const tp_ode_kind *kind;

    double t, *y, *rate;               /* the present point                                               */
    double *next, *next_rate, *before; /* the attempt; the start of the last step                         */
    double *before_rate;
    double **part, **stage; /* [kind->parts][n] dense output, [kind->stages][n]                */
    bool knows_next_rate;   /* next_rate is f at next: the first rate of the next step         */
    double step;            /* size of the next attempt; 0: not known yet                      */
    double reached;         /* end of the last step before it was shortened                    */
    double stiffness;       /* h |df/dy| of the last attempt; 0: not known                     */
    double contraction;     /* of Newton iterations: theta/(1 - theta) of the last ones        */
    double last_error;      /* of the accepted step before, for PI control                     */
    bool was_rejected;      /* the attempt before the next one was                             */
    bool has_dense;         /* a step was taken since the start                                */
    bool is_complete;       /* its dense output is                                             */
    tp_ode_report report;
    tp_ode_statistics counts;
    struct tp_radau *radau;
};

/* f with its count. */
tp_status tp_ode_rate_at(tp_ode *ode, double t, const double *y, double *rate_out);

/* The caller moves a stage, or a result, if it wants to. */
tp_status tp_ode_move(tp_ode *ode, bool is_result, double t, double *y);

/* sqrt(mean of ((a - b)/scale)^2) with scale_k = atol_k + rtol max(|y_k|, |other_k|); b may be NULL. */
double tp_ode_norm(const tp_ode *ode, const double *a, const double *b, const double *other);

/* An explicit method: stage s has the time c[s] and weights of the stages before it from a[s * width] on. */
typedef struct tp_ode_tableau {
    const double *c, *a;
    int width;
} tp_ode_tableau;

/* out = sum over the first `count` stages of weight k. */
void tp_ode_add_stages(const tp_ode *ode, const double *weight, int count, double *out);

/* out = from + h sum over the stages before s of a k: the argument of stage s. */
void tp_ode_place(const tp_ode *ode, const tp_ode_tableau *tableau, const double *from, double h, int s,
                  double *out);

/* Rates of the stages `first` to `end` - 1 of a step of h from a point; the last argument stays in `next`. */
tp_status tp_ode_find_stages(tp_ode *ode, const tp_ode_tableau *tableau, double t, const double *from,
                             double h, int first, int end);

/* The first four parts of the dense output of a step: the cubic of both points with their rates. */
void tp_ode_set_cubic(tp_ode *ode, double h, const double *from, const double *to, const double *rate,
                      const double *end_rate);

/* Dense output by the parts p: p_0 + theta (p_1 + (1 - theta) (p_2 + theta (p_3 + ...))). */
void tp_ode_dense_nested(const tp_ode *ode, double theta, double *y_out);

#endif
