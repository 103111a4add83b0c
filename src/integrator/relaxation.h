/* The relaxed motion as a differential equation: accelerations and forces of all laws at a point;
   docs/theory/relaxed-dai.md (1)-(6). */
#ifndef TP_INTEGRATOR_RELAXATION_H
#define TP_INTEGRATOR_RELAXATION_H

#include "law_rows.h"

/* Springs in place of laws in an implicit Euler step; (19), (21). */
typedef struct tp_relaxed_springs {
    tp_penalty spring;
    double dt;
    const double *mean; /* [laws * TP_LAW_ROWS] stiffness times deflection at the start of the step [N] */
} tp_relaxed_springs;

/* Relaxation of a step. */
typedef struct tp_relaxation {
    double delta; /* relaxation time [s]                                                                   */
    double zeta;  /* damping ratio of all rows; 0: of each row its own, (9)                                 */
    bool gate;
    const tp_relaxed_springs *springs; /* in place of delta and zeta; NULL: none */
} tp_relaxation;

/* Relaxation time of relaxed-dai [s]. */
double tp_relaxed_time(const tp_simulation_options *options);

/* Scratch memory of an evaluation; by law. */
typedef struct tp_relaxed_point {
    double *force; /* [laws * TP_LAW_ROWS] in: guess, out: forces [N], [N m]                            */
    const double *given; /* [laws of the model * TP_LAW_ROWS] forces that choose among several solutions: the
                            answer is a function of the point and these alone; NULL: `force` is the guess   */
    const double *last;  /* [laws * TP_LAW_ROWS] impulses of the step before, where contacts between shapes
                            start  from them; NULL: all laws start from 0 but a single one */
    double last_time;    /* ... in this time [s] */
    double *zeta;        /* [laws] of normal rows, by their restitution                                     */
    bool *takes_part; /* [laws] its rows are in the problem                                                */
    bool *is_held;    /* [laws] joints, and contacts that push throughout the step: they follow (5) */
    int *body_of;     /* [u_count] of a velocity, from 1 on; 0: of formulas */
    double *expected; /* [laws * TP_LAW_ROWS] velocities of joints at the end of the step, by their law     */
    double *position_size; /* [u_count] whose rounding gaps have */
    double *row_force; /* [laws * TP_LAW_ROWS] xi at acceleration 0 [m/s^2]                                 */
} tp_relaxed_point;

tp_status tp_relaxed_point_take(const tp_stepper *stepper, tp_arena *arena, tp_relaxed_point *point_out);

/* Accelerations stepper->x and forces at the point to which the system was moved:
       M a = h + W lambda,   xi = W^T a + g2 + (2 zeta/delta) gamma + g/delta^2,   -xi in N_C(lambda).   (4)
   The step problem holds it afterwards, with lambda for P. */
tp_status tp_relaxed_evaluate(tp_stepper *stepper, const tp_relaxation *relaxation, tp_relaxed_point *point,
                              tp_step_report *report);

/* b of (4) of a law at the system's point into point->row_force; returns the largest sum of the sizes of its
   terms. */
double tp_relaxed_row_forces(const tp_stepper *stepper, const tp_relaxation *relaxation,
                             const tp_law_rows *rows, tp_relaxed_point *point);

/* How fast the forces alone change the velocity of the first row of a law, roughly. */
double tp_relaxed_free_change(const tp_stepper *stepper, const tp_law_rows *rows);

/* After the evaluation at the start of a step: point->expected by (5). */
void tp_relaxed_expect(tp_stepper *stepper, const tp_relaxation *relaxation, double dt,
                       tp_relaxed_point *point);

/* After an evaluation within the step: contacts that do not push are not held any more. */
void tp_relaxed_hold(const tp_stepper *stepper, tp_relaxed_point *point);

/* At the end of a step: how far joints miss what was expected into stepper->tear; a step of an order. */
void tp_relaxed_measure_tear(tp_stepper *stepper, const tp_relaxed_point *point, const tp_state *from,
                             double dt, const tp_state *to, int order);

/* Multipliers of the step problem by law. */
void tp_relaxed_keep_forces(const tp_stepper *stepper, tp_relaxed_point *point);

/* (10): new velocities by the laws at the start, linearised, then positions with them; u [u_count] gets the
   mean velocities. */
tp_status tp_relaxed_step_linearly(tp_stepper *stepper, const tp_relaxation *relaxation,
                                   tp_relaxed_point *point, double *u, const tp_state *from, double dt,
                                   tp_state *to, tp_step_report *report);

/* relaxed_implicit.c: scratch memory of implicit Euler steps, and one of them: to->q and to->u. */
typedef struct tp_relaxed_implicit {
    double *J, *stiffness, *damping; /* values in the jacobian pattern */
    double *load, *v, *q;            /* [u_count] twice: right side, guess of the new velocities; [q_count] */
} tp_relaxed_implicit;
tp_status tp_relaxed_implicit_take(tp_stepper *stepper, tp_arena *arena, tp_relaxed_implicit *out);
tp_status tp_relaxed_implicit_step(tp_stepper *stepper, tp_relaxed_implicit *step, tp_relaxed_point *point,
                                   const tp_state *from, double dt, tp_state *to, tp_step_report *report);

/* Before a step: damping of its contacts, no impulses yet. */
void tp_relaxed_begin(tp_stepper *stepper, tp_relaxed_point *point, tp_state *to);

/* The last evaluation stands for so much time: impulses of laws and forces, and their work. u is the velocity
   with which they acted. */
void tp_relaxed_book(tp_stepper *stepper, double time, const double *u, tp_state *to, tp_step_report *report);

/* The same where the multipliers of the problem are `factor` of impulses. */
void tp_relaxed_book_impulses(tp_stepper *stepper, double time, double factor, const double *u, tp_state *to,
                              tp_step_report *report);

/* After a step: laws that pushed in it, and contacts that are closed at the system's point. */
void tp_relaxed_end(tp_stepper *stepper, tp_state *to, tp_step_report *report);

/* Largest damping ratio of any row, and the first contact with a restitution, else NULL. */
double tp_relaxed_largest_damping(const tp_stepper *stepper, const tp_law **law_out);

/* A warning: the options decide on restitution, and a contact has another one. */
bool tp_relaxed_warn_of_restitution(const tp_stepper *stepper, tp_warning *warning);

#endif
