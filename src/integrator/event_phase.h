/* A smooth phase of the event-driven integrator: every law has a mode, and in fixed modes the motion is an
   ordinary differential equation; docs/theory/event-driven.md. */
#ifndef TP_INTEGRATOR_EVENT_PHASE_H
#define TP_INTEGRATOR_EVENT_PHASE_H

#include "event_tolerances.h"
#include "integrators.h"
#include "ode_steps.h"
#include "system/switches.h"

/* Modes of contacts and of friction with a constant bound. */
typedef enum tp_contact_mode {
    TP_MODE_OPEN,
    TP_MODE_CLOSED, /* with friction: it sticks */
    TP_MODE_SLIP,
    TP_MODE_START, /* slips from rest in space: its direction is that of its acceleration; (9)              */
    TP_MODE_IDLE   /* closed without a force: its row depends on those of other contacts                    */
} tp_contact_mode;

/* What is kept of a law. A box has -1, 0 or 1 in each row: at its lower bound, inside, at its upper one.
   Directions are those of a slip; while friction sticks there are forces in their place and, of the normal,
   in the last one: of dependent rows the forces nearest to them are taken; (2a). A joint has such forces
   alone. */
enum { TP_LAW_MODE, TP_LAW_OFFSET, TP_LAW_DIRECTION, TP_LAW_NORMAL = TP_LAW_DIRECTION + 3 };

/* Scales of the model; docs/theory/event-driven.md (15). */
typedef struct tp_event_scales {
    double length, velocity, acceleration, time;
    double stop, start; /* speeds at which a slip in space ends, and has a direction of its own [velocity] */
} tp_event_scales;

/* A function that is positive while a mode is valid; an event is its fall through 0. */
typedef enum tp_event_function_kind {
    TP_FALLS_GAP,
    TP_FALLS_RATE,  /* of a gap that is not above its resolution yet: the top of its hop */
    TP_FALLS_FORCE, /* normal force                                                       */
    TP_FALLS_RIM,   /* distance of friction from the edge of its set                      */
    TP_FALLS_LOWER, /* of a box: distance of its force from the bounds                    */
    TP_FALLS_UPPER,
    TP_FALLS_SLIP,     /* velocity along the slip                                          */
    TP_FALLS_START,    /* a slip from rest is fast enough for a direction of its own       */
    TP_FALLS_PAINLEVE, /* normal acceleration per normal force of a sliding contact        */
    TP_FALLS_SWITCH    /* a switch in a formula; law: its number                              */
} tp_event_function_kind;

typedef struct tp_event_function {
    tp_event_function_kind kind;
    int law, row;
    double shift; /* > 0: it has just left 0, and counts when it falls below that much */
} tp_event_function;

/* Rows that hold in a phase: M a = f + A P, C a + b = 0. */
typedef struct tp_phase {
    tp_stepper *stepper;
    int n;        /* velocities */
    int room;     /* rows       */
    double *M;    /* [n n] Cholesky factor                                          */
    double *free; /* [n] M^-1 f                                                     */
    double *f, *a;
    int row_count, joint_rows; /* those of joints come first                         */
    int *row_law, *row_index;
    double *C, *X;         /* [room n] rows, M^-1 A                                  */
    double *b, *D, *P;     /* [room] drift, C M^-1 C^T, forces                       */
    double *G, *V;         /* [room room] work                                        */
    double *G_full, *work; /* [room room], [room]                                     */
    int *pivot;
    double *W;              /* [TP_LAW_ROWS largest_columns] */
    double *mode;           /* [laws TP_LAW_ROWS] modes of the phase                          */
    double *force;          /* [laws TP_LAW_ROWS] forces of the last evaluation               */
    double *inverse_mass;   /* [laws] G_NN of contacts and G of other laws, of the last evaluation */
    double *slide;          /* [laws 3] directions of slip in the last evaluation       */
    bool is_dependent;      /* the rows of the last evaluation depend on each other         */
    double friction_weight; /* 1; below it dependent rows leave forces to normals, not to friction */
    tp_switches switches;   /* in formulas, with the side on which each is */
    double *start;          /* [room (room + 2)] work of event_start.c                   */
    tp_event_scales scale;
} tp_phase;

tp_status tp_phase_take(tp_stepper *stepper, tp_arena *arena, tp_phase *phase_out);
void tp_phase_find_scales(tp_phase *phase);

/* Rows with friction of a law (0: none), and a law that the integrator has modes of. */
int tp_phase_friction_rows(const tp_law *law);
double tp_phase_friction_axis(const tp_law *law, int k); /* semi-axis of its set */
static inline bool tp_phase_has_normal(const tp_law *law)
{
    return law->level == TP_LEVEL_GAP;
}
static inline double *tp_phase_mode(const tp_phase *phase, int law)
{
    return phase->mode + (size_t)law * TP_LAW_ROWS;
}
static inline double *tp_phase_force(const tp_phase *phase, int law)
{
    return phase->force + (size_t)law * TP_LAW_ROWS;
}

/* Accelerations phase->a and forces at a point, in the modes of the phase. */
tp_status tp_phase_evaluate(tp_phase *phase, double t, const double *q, const double *u);

/* The same with slips from rest in the directions phase->slide, and with those that (9) asks for
   (event_start.c). */
tp_status tp_phase_evaluate_directed(tp_phase *phase, double t, const double *q, const double *u);
tp_status tp_phase_evaluate_starts(tp_phase *phase, double t, const double *q, const double *u);

/* Its rows without their solution, the system moved. */
tp_status tp_phase_assemble(tp_phase *phase, double t, const double *q, const double *u);

static inline double *tp_phase_row(const tp_phase *phase, int r)
{
    return phase->C + (size_t)r * (size_t)phase->n;
}
/* Accelerations per force of a row, and those of row i per force of row j. */
static inline double *tp_phase_column(const tp_phase *phase, int r)
{
    return phase->X + (size_t)r * (size_t)phase->n;
}
double tp_phase_coupling(const tp_phase *phase, int i, int j);

/* y of (scaled rows of G_full) x = y becomes x, of dependent rows the x of least norm; scales of rows. */
void tp_phase_solve_scaled(tp_phase *phase, int m, double *y);
double tp_phase_row_scale(const tp_phase *phase, int r);
/* Scaled C M^-1 A of the first m rows into G_full. */
void tp_phase_fill_matrix(tp_phase *phase, int m);

/* What all rows need for the accelerations phase->P, in its place. */
void tp_phase_solve_rows(tp_phase *phase);
/* x += M^-1 A phase->P */
void tp_phase_add_forces(const tp_phase *phase, double *x);
/* (q', u') of the last evaluation. */
void tp_phase_rate(const tp_phase *phase, double *rate_out);

/* The parts of it: the system moves, M and f; rows; and the solution of all of them. */
tp_status tp_phase_begin(tp_phase *phase, double t, const double *q, const double *u);
void tp_phase_add_row(tp_phase *phase, int law, int k); /* rows of the law are in phase->W */
void tp_phase_solve(tp_phase *phase);
double tp_phase_row_acceleration(tp_phase *phase, int law, int k, double *gamma_out);

/* Positions onto joints and closed contacts, velocities onto these and onto friction that sticks. */
tp_status tp_phase_project(tp_phase *phase, double t, double *q, double *u);
void tp_phase_project_velocities(tp_phase *phase, double t, const double *q, double *u);

/* Velocity of the rows of a law at the system's point; the norm of that of its friction rows. */
void tp_phase_velocities(tp_phase *phase, int law, double *gamma_out);
double tp_phase_slip_speed(const tp_law *law, const double *gamma);

/* Changes of the numbers of y that are small for the directions of all slips: most_out [q_count + n]. */
void tp_phase_find_changes(tp_phase *phase, double t, const double *y, double *most_out);

/* Functions of the phase at a point, those that have just left 0 shifted; at most 4 a law. */
int tp_phase_list_functions(tp_phase *phase, double t, const double *y, tp_event_function *list_out);
tp_status tp_phase_values(tp_phase *phase, int count, const tp_event_function *list, double t,
                          const double *y, double *values_out);

/* Distance of friction that sticks from the edge of its set, in the last evaluation; (10). */
double tp_phase_rim(tp_phase *phase, int law);

#endif
