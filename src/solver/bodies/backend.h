/* Who sweeps over the contacts of bodies: this table is all that a solve asks for, so that an implementation
   for a device stands beside those for processors; theory/large-heaps.md. */
#ifndef TP_SOLVER_BODIES_BACKEND_H
#define TP_SOLVER_BODIES_BACKEND_H

#include "problem/body_problem.h"

/* One problem, opened. A device adds its own memory behind `own`. */
typedef struct tp_backend_call {
    tp_body_problem *bodies;
    tp_pool *pool;
    tp_stack *stack;
    void *own;
} tp_backend_call;

/* What a sweep did: |P - y|^2 and (y - P).(P - P_before) over all contacts, y where it began. */
typedef struct tp_sweep_sums {
    double moved, uphill;
} tp_sweep_sums;

typedef struct tp_backend {
    const char *name, *text;
    /* `bodies`, pool and stack are set; memory until the caller's mark is released. */
    tp_status (*open)(tp_backend_call *call);
    void (*load)(tp_backend_call *call, const double *P); /* [row_count] of the problem               */
    void (*move)(tp_backend_call *call);                  /* velocities of P, summed afresh           */
    tp_sweep_sums (*sweep)(tp_backend_call *call, double momentum);
    double (*error)(tp_backend_call *call); /* E at the velocities there are            */
    void (*keep)(tp_backend_call *call);    /* P as it is: the best so far */
    void (*fetch_kept)(tp_backend_call *call, double *P);
    void (*fetch)(tp_backend_call *call, double *P, double *xi, double *x); /* each may be NULL        */
    void (*close)(tp_backend_call *call);
} tp_backend;

/* The same tasks in the same order, by one thread or by those of a pool: the same bits. */
extern const tp_backend tp_backend_serial, tp_backend_threads;

/* All contacts of one task. */
tp_sweep_sums tp_sweep_balls(tp_body_problem *bodies, int begin, int end, double momentum);
double tp_error_balls(const tp_body_problem *bodies, int begin, int end); /* sum of the squares */
void tp_push_balls(tp_body_problem *bodies, int begin, int end);          /* velocities change by P */

#endif
