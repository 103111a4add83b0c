/* Laws in the smooth step of the energy-consistent schemes; consistent_step.h has the equations. */
#ifndef TP_INTEGRATOR_CONSISTENT_LAWS_H
#define TP_INTEGRATOR_CONSISTENT_LAWS_H

#include "consistent_step.h"

static inline const tp_law *tp_consistent_law_of(const tp_consistent_step *step, const tp_consistent_law *own)
{
    return tp_system_law(step->stepper->system, own->law);
}

static inline int tp_consistent_columns_of(const tp_consistent_step *step, const tp_consistent_law *own,
                                           const int **columns_out)
{
    return tp_system_columns_of(step->stepper->system, own->law, columns_out);
}

/* Rows whose direction is a discrete derivative: all of a joint, the gap of a contact. */
static inline int tp_consistent_discrete_rows(const tp_consistent_step *step, const tp_consistent_law *own)
{
    if (!own->is_discrete) return 0;
    return own->is_joint ? tp_consistent_law_of(step, own)->row_count : 1;
}

/* (1 - e)/(1 + e): what an impulse leaves of the approach. */
static inline double tp_consistent_impulse_share(const tp_consistent_step *step, int row)
{
    return (1.0 - step->restitution[row]) / (1.0 + step->restitution[row]);
}

/* The step as a law sees it, in its metric. */
tp_chord tp_consistent_chord(const tp_consistent_step *step, const tp_consistent_law *own);

/* Where the three turns of a rigid body begin among the columns of a law, of which column c is one; -1: it is
   none. */
int tp_consistent_turn_before(const tp_consistent_step *step, const tp_consistent_law *own, int c);

/* consistent_warn.c: as tp_integrator has them. Contacts whose gap may have kinks ... */
bool tp_consistent_warn_of_kinks(const tp_stepper *stepper, tp_warning *warning_io);

/* ... and rows with different restitutions, for which energies are not bounded by (45), (46). */
bool tp_consistent_warn_of_restitutions(const tp_stepper *stepper, tp_warning *warning_io);

/* Positions, rows and rates; the system is at the end, with u_end. */
void tp_consistent_laws_end(tp_consistent_step *step);

/* Discrete derivatives of positions and velocities; the system is in the middle. */
void tp_consistent_laws_middle(tp_consistent_step *step);

/* xi of row k of a contact or a law on velocities at the present point. */
double tp_consistent_contact_velocity(const tp_consistent_step *step, const tp_consistent_law *own, int k);

/* Their share of F, and xi. */
void tp_consistent_laws_apply(const tp_consistent_step *step, const double *P, double *F, double *xi);

/* Impulses of the answer and the energy that laws took, into an account. */
void tp_consistent_laws_book(const tp_consistent_step *step, tp_account *account);

/* consistent_curvature.c: -dt d[(Dg/Dq)^T P]/dq+ is added to by_a; the system is in the middle. */
void tp_consistent_laws_add_curvature(tp_consistent_step *step, const double *P);

/* consistent_rates.c: -dt d[(Dgamma/Dq)^T K]/dq+ of joints is added to by_a, by differences. The point must
   be placed anew. */
void tp_consistent_laws_add_rate_changes(tp_consistent_step *step, const double *P);

/* consistent_curvature.c: the matrices A and C of the linearised problem. */
void tp_consistent_laws_put(tp_consistent_step *step);

/* Rounding errors: xi_noise is set, F_noise added to. */
void tp_consistent_laws_measure(tp_consistent_step *step, const double *P);

#endif
