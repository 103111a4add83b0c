/* SUNDIALS on the equations of a mechanism, with analytic Jacobians: CVODE on accelerations, IDA on the
   stabilised equations of index 2 (Gear, Gupta, Leimkuhler). */
#ifndef BENCH_JET_SUNDIALS_H
#define BENCH_JET_SUNDIALS_H

#include "jet/jet.h"
#include "system/system.h"

typedef enum rival_method {
    RIVAL_ADAMS, /* CVODE, Adams with fixed-point iterations, accelerations at any point           */
    RIVAL_ADAMS_PROJECTED, /* the same at projected points */
    RIVAL_BDF, /* CVODE, BDF with Newton's method and its own call of the projection             */
    RIVAL_IDA  /* IDA: q' = B (u + W mu), M u' = h + W lambda, g = 0, W^T u + chi = 0            */
} rival_method;

typedef struct rival rival;

/* The system and the manifold are borrowed; NULL: no memory. */
rival *rival_create(tp_system *system, tp_jet *jet);
void rival_free(rival *r);

/* From (q, u) at t = 0 to `until`, with rtol = atol = tolerance; q_out [q_count]. False: it gave up. */
bool rival_run(rival *r, rival_method method, double tolerance, double until, const double *q,
               const double *u, double *q_out);

/* Largest error of the Jacobians of CVODE and IDA against differences, over their largest entry. */
double rival_check(rival *r, const double *q, const double *u);

#endif
