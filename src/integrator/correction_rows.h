/* Rows of a correction: what a step left of joints and contacts; theory/correction.md. */
#ifndef TP_INTEGRATOR_CORRECTION_ROWS_H
#define TP_INTEGRATOR_CORRECTION_ROWS_H

#include "integrators.h"
#include "tolerances.h"

/* What a contact of the step problem did in the step. */
typedef struct tp_step_contact {
    int first;                                  /* row in the step problem, -1: it is not there */
    double xi[TP_LAW_ROWS], point[TP_LAW_ROWS]; /* velocities of its law, P - xi / d           */
    double rebound;                             /* velocity at which restitution lets it leave   */
    double left;                                /* of velocities that contradict the law        */
    double pressed;  /* velocity that its impulse took, in this step and the last */
    double mobility; /* W^T M^-1 W of its normal row */
    bool sticks, rests;
    bool flows; /* with many others that do not all rest: correction_flow.h */
} tp_step_contact;

struct tp_correction {
    tp_step_problem *positions, *velocities;
    int *diagonal;             /* [u_count] places of the diagonal in the mass pattern */
    double *M;                 /* values in the mass pattern */
    double *metric;            /* of positions: M, with joints without very light bodies */
    double *x;                 /* [u_count] */
    double *q;                 /* [q_count] */
    double *chi;               /* [rows] of velocities */
    double *taken;             /* [rows of the step problem] what is added to impulses of contacts */
    double *impulse;           /* [rows] of all passes over velocities of joints alone */
    tp_step_contact *contacts; /* [sets] what each law of the step did that is a contact */
    double left;               /* of the velocities of all contacts, as a norm */
    double pressed;            /* what impulses of contacts took of their velocities, in the mean */
    double damping;            /* of the present pass over joints: tp_correction_damping at first */
};

/* What a step left: the largest errors of rows. */
typedef struct tp_step_errors {
    double position, velocity;
} tp_step_errors;

/* A joint on positions. */
static inline bool tp_correction_is_joint(const tp_law *law)
{
    return law->level == TP_LEVEL_POSITION && law->set.kind == TP_SET_FREE;
}

/* Whether the masses couple no velocities with each other. */
bool tp_correction_is_mass_diagonal(const tp_stepper *stepper);

/* Velocity of a row of a problem. */
double tp_correction_along(const tp_problem *problem, int row, const double *u);

/* W^T M^-1 W of a row, M (values in the mass pattern) by its diagonal. */
double tp_correction_mobility(const tp_stepper *stepper, const double *M, const tp_problem *problem, int row);

/* The part of an error that one step takes back, and its limit for a row of a law. */
double tp_correction_bounded(const tp_stepper *stepper, double error, double limit);
double tp_correction_limit(const tp_stepper *stepper, const tp_law *law, int row);

/* Memory of contacts. */
tp_status tp_correction_take_contacts(tp_correction *correction, tp_arena *arena);

/* What contacts did in a step of length dt, and the errors of joints and contacts at its end, where the
   system is. */
tp_step_errors tp_correction_errors(tp_stepper *stepper, const tp_state *from, double dt, double still,
                                    const tp_state *to);

/* The part of the velocities e1 left of contacts that rest that is new in the step, and has not added up over
   some: they were e0 at its start. INFINITY where contacts moved then faster than `still`; (11b). */
double tp_correction_new_part(const tp_stepper *stepper, const tp_state *from, double still);

/* Joints and contacts at the system's point, after a step of length dt (0: not the first pass), and the
   velocities of contacts that rest; returns the largest error of positions. */
double tp_correction_collect(tp_stepper *stepper, double dt, const tp_state *to);

/* Adds the velocities of joints there; returns their largest error. */
double tp_correction_collect_joint_velocities(tp_stepper *stepper, const tp_state *to);

#endif
