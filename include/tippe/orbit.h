/* Periodic orbits of event-driven motions by shooting, and their multipliers; docs/guide/orbit.md. */
#ifndef TIPPE_ORBIT_H
#define TIPPE_ORBIT_H

#include "tippe/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is looked for. */
typedef struct tp_orbit_def {
    double period; /* [s] of the orbit; where it is free, where to begin; 0: from the event below       */
    bool is_period_free; /* nothing prescribes the period: it is found, too */
    double from; /* the motion from the initial state is followed until then; the orbit starts there [s] */
    const char *event; /* kind of event whose last two times before `from` are a period, or NULL            */
    const char *of;    /* name of the law of these events; NULL: all                                        */
    int event_count;   /* events in a period                                                                */
    double tolerance;  /* largest error of a return, over the scene's length and velocity [-]               */
    int max_iterations;
} tp_orbit_def;
tp_orbit_def tp_orbit_def_default(void); /* from the start, 1e-9, 20 */

enum { TP_ORBIT_NAME = 128 };

typedef struct tp_orbit_event {
    double time; /* since the start of the orbit [s] */
    tp_event_kind kind;
    char name[TP_ORBIT_NAME];                        /* of the law */
    double impulse, velocity_before, velocity_after; /* of its first row */
} tp_orbit_event;

typedef struct tp_orbit {
    double start, period; /* [s] */
    int q_count, u_count;
    const double *q, *u; /* at the start                                                               */
    const double *drift; /* [q_count] by which coordinates do not return on which nothing depends; else 0 */
    double error;        /* of the return, over the scene's length and velocity [-]                    */
    int iterations;      /* of Newton's method                                                         */
    int dimension;       /* 2 u_count: positions along the velocities, then velocities                 */
    const double *monodromy;        /* [dimension^2] column-major: end of a period by its start         */
    const double *real, *imaginary; /* [dimension] multipliers, largest first                          */
    double determinant;             /* of the monodromy: product of all multipliers                     */
    int trivial_count; /* multipliers that are 1 by nature: shifts of time, drifting coordinates */
    double largest;    /* modulus of the largest of the others; below 1 the orbit attracts  */
    int event_count, impact_count;
    const tp_orbit_event *events; /* of one period, in the order of time */
    int instant_count;            /* at which modes changed                                           */
    int together_count;           /* of these with several events at once: multipliers are one-sided   */
    double slowest_event; /* least rate at which an event was met, in units of the scene [-]; 0: a graze */
    double mismatch;      /* largest difference of two integrations of the orbit [-]                    */
} tp_orbit;

/* The orbit near the motion of a finished model. The integrator of the options is not read: it is
   event-driven. TP_NOT_CONVERGED: none was found, and why; TP_UNSUPPORTED: event-driven cannot treat the
   model, or the motion does not change smoothly with its start. */
tp_status tp_orbit_find(const tp_allocator *allocator, const tp_model *model,
                        const tp_simulation_options *options, const tp_orbit_def *def, tp_orbit **orbit_out,
                        tp_message *why_out);
void tp_orbit_free(tp_orbit *orbit); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
