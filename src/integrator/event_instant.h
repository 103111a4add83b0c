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
    double *before, *after, *impulse;              /* [laws TP_LAW_ROWS] modes, impulses of the instant */
    double *gamma_before;                          /* [laws TP_LAW_ROWS] */
    double *u;                                     /* [n] work */
    unsigned char *is_loose;                       /* [laws] static friction that broke loose */
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
    int struck_law;   /* by an impact without collision; -1: none */
    int painleve_law; /* contact without an acceleration; -1: none */
    bool is_small;    /* the last one changed nothing but how the direction of a slip is found */
} tp_instant;

/* What a function that has fallen to 0 orders. */
enum { TP_NO_DECREE, TP_DECREE_OPEN, TP_DECREE_SLIP };

static inline bool tp_mode_is_slip(double mode)
{
    return mode == TP_MODE_SLIP || mode == TP_MODE_START;
}

static inline tp_system *tp_instant_system(const tp_instant *instant)
{
    return instant->phase->stepper->system;
}

tp_status tp_instant_take(tp_phase *phase, tp_arena *arena, tp_instant *out);

/* Solves the largest problems of an instant once, so that later ones find their memory; modes and u are then
   of no use. */
void tp_instant_reserve(tp_instant *instant, double t, const double *q, double *u, tp_step_report *report);

/* From the modes of the phase and the triggers to new modes; q and u are brought onto their rows. */
tp_status tp_instant_pass(tp_instant *instant, double t, double *q, double *u, int trigger_count,
                          const tp_trigger *triggers, tp_step_report *report);

/* ---- event_modes.c: parts of it ---- */

/* Velocities below the tolerance are 0; accelerations decide on the modes of what touches; (13). */
tp_status tp_instant_settle(tp_instant *instant, double t, const double *q, double *u, double tolerance,
                            tp_step_report *report);

/* The accelerations of the modes that are tried. */
tp_status tp_instant_accelerations(tp_instant *instant, double t, const double *q, const double *u,
                                   tp_step_report *report);

/* Which forces rows that depend on each other have from now on; (2a). */
tp_status tp_instant_choose_forces(tp_instant *instant, double t, const double *q, const double *u);

/* ---- event_painleve.c ---- */

/* After such a stop: the contact stops at once, or friction on its edge ends its slip; (14a). TP_INFEASIBLE:
   neither is an impact that the laws allow, or other contacts are closed; the cause is still that of the
   stop.
 */
tp_status tp_instant_strike_without_collision(tp_instant *instant, double t, const double *q, double *u,
                                              tp_step_report *report);

/* Says which state it is: TP_INFEASIBLE. r: a row of the phase; D of (14). */
tp_status tp_instant_stop_at_painleve(tp_instant *instant, int r, double t, int solutions, double D);

#endif
