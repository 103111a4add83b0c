/* Laws in a step, as every integrator collects them: rows at the system's present point, their velocities and
   the start of their impulses; theory/moreau.md (2)-(4). */
#ifndef TP_INTEGRATOR_LAW_ROWS_H
#define TP_INTEGRATOR_LAW_ROWS_H

#include "integrators.h"

/* A law at the system's present point. */
typedef struct tp_law_rows {
    const tp_law *law;
    int index, count; /* of the law; velocities that its rows touch */
    const int *columns;
    double *W;                                   /* row k from W + k count                                 */
    double chi[TP_LAW_ROWS], gamma[TP_LAW_ROWS]; /* gamma = W^T u + chi with the velocities of the start   */
    double start[TP_LAW_ROWS];                   /* impulses of the step before; of joints 0               */
} tp_law_rows;

/* W [TP_LAW_ROWS largest_columns] receives the rows; u is the velocity of the step's start. */
void tp_law_rows_at(const tp_stepper *stepper, int law, const double *impulse, const double *u, double *W,
                    tp_law_rows *out);

/* Whether a law takes part in a step that looks at the present point: contacts up to their closing gap, all
   other laws always. */
static inline bool tp_law_takes_part(const tp_stepper *stepper, int law)
{
    return tp_system_law(stepper->system, law)->level != TP_LEVEL_GAP ||
           tp_system_law_position(stepper->system, law) <= tp_stepper_closing_gap(stepper, law);
}

/* How far a contact with an impulse in the last step may be open beyond its closing gap and still take part
   in a step: with a correction what that impulse kept it from closing in half a step; theory/correction.md
   (3a); without one the part of it that errors of loosely solved steps explain, (3b). M: values in the mass
   pattern. 0 where steps are solved to rounding. */
double tp_law_kept_gap(const tp_stepper *stepper, const tp_law_rows *rows, const double *M,
                       const tp_state *from, double dt);

/* Whether a law takes part, contacts that are kept included. Uses the row of the step problem as work. */
bool tp_law_is_closed(tp_stepper *stepper, int law, const double *M, const tp_state *from, double dt);

/* The rebound e gamma of a row, or 0 where it is none: beside the velocities that the row adds up, or beside
   the velocity at which the forces h press the contact in a step of dt; theory/moreau.md (4a). */
double tp_law_rebound(const tp_stepper *stepper, const tp_law_rows *rows, int row, const double *M,
                      const double *h, double dt, const double *u);

/* An explicit step on velocities: M, h and all laws that take part at the system's present point, one problem
       M x = dt h + W P,   xi = W^T x + (1 + e) gamma,   -xi in N_C(P),
   solved for the new velocities to->u = from->u + x. Fills impulses and is_closed of the state, report
   and account; positions, time and the work of applied forces are the integrator's. */
tp_status tp_stepper_change_velocities(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                                       tp_step_report *report);

/* Adds the work of applied forces in a part of the step, at a point and with a velocity; the system moves
   there if there are such forces. */
void tp_stepper_add_work(tp_stepper *stepper, double t, const double *q, const double *u, double time,
                         tp_step_report *report);

#endif
