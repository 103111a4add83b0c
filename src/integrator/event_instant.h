/* One instant: impacts, then new modes; docs/theory/event-driven.md (11)-(14). */
#ifndef TP_INTEGRATOR_EVENT_INSTANT_H
#define TP_INTEGRATOR_EVENT_INSTANT_H

#include "event_phase.h"

/* Which functions have fallen to 0. */
typedef struct tp_trigger {
    tp_event_function_kind kind;
    int law, row;
} tp_trigger;

typedef struct tp_instant {
    tp_phase *phase;
    int room;                                      /* laws */
    unsigned char *takes_part, *closing, *touches; /* [laws] in the impact; approach; in I1 */
    double *before, *impulse;                      /* [laws TP_LAW_ROWS] modes, impulses of the instant */
    double *gamma_before;                          /* [laws TP_LAW_ROWS] */
    double *u;                                     /* [n] work */
    signed char *decree;                           /* [laws] */
    tp_problem problem;                            /* accelerations and forces, reduced */
    double *c, *P, *joints;                        /* [rows] twice, [rows (rows + n)] */
    double *answer, *force_before, *reference;     /* [laws TP_LAW_ROWS] of the instant; before it */
    bool was_dependent;                            /* rows of the phase before */
    double *stop_after;                            /* [laws] from the instant to the end of a slip [s] */
    tp_integrator_event *events;
    int event_count, event_room;
    double last_time; /* of the instant before, and how many there were since without progress */
    int stalled;
    bool is_small; /* the last one changed nothing but how the direction of a slip is found */
} tp_instant;

tp_status tp_instant_take(tp_phase *phase, tp_arena *arena, tp_instant *out);

/* Solves the largest problems of an instant once, so that later ones find their memory; modes and u are then
   of no use. */
void tp_instant_reserve(tp_instant *instant, double t, const double *q, double *u, tp_step_report *report);

/* After it: TP_UNSUPPORTED, with the cause in the stepper, where the motion near rest would be stiff. */
tp_status tp_instant_check_inertia(const tp_instant *instant);

/* From the modes of the phase and the triggers to new modes; q and u are brought onto their rows. */
tp_status tp_instant_pass(tp_instant *instant, double t, double *q, double *u, int trigger_count,
                          const tp_trigger *triggers, tp_step_report *report);

#endif
