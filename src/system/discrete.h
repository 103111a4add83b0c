/* A model between two positions, the start and the end of a step: discrete derivatives, whose product with
   the step is exactly the difference of the values; docs/theory/consistent.md (1)-(6). For models with u =
   q', in which coordinates and velocities have the same places. */
#ifndef TP_SYSTEM_DISCRETE_H
#define TP_SYSTEM_DISCRETE_H

#include "midpoint.h"

/* A metric for the correction of gradients: a symmetric positive definite matrix N in a pattern over all
   velocities, and its product with the step. */
typedef struct tp_metric {
    const tp_sparse *pattern;
    const double *value;
    const double *along; /* N step */
} tp_metric;

/* The step seen by a function of some coordinates. */
typedef struct tp_chord {
    int count;
    const int *columns;
    const double *step;         /* dt times the mean velocity, of all velocities                         */
    const double *unit;         /* of each component of the step                                          */
    const double *along;        /* N step; the step itself without a metric                               */
    const tp_metric *metric;    /* NULL: N = 1                                                            */
    double squared_length;      /* step.N step in the columns                                             */
    double size;                /* of step and positions in units: 1 + |middle|                           */
    const int *axis;            /* of each velocity, where a translation is taken out; NULL: none is      */
    double shared[3], total[3]; /* that translation along each axis, and the sum of N along it         */
    bool is_short; /* so short that the gradient in the middle is better than its correction; (3)   */
} tp_chord;

/* Functions of bodies alone, of which one is rigid or bodies are affine, are corrected in the metric of the
   mass: metres and radians have no common length, and what is added must have no large moment about an axis
   with a tiny moment of inertia. NULL for others. */
const tp_metric *tp_metric_of(const tp_system *system, const tp_metric *mass, int count, const int *columns);

/* unit: as in tp_system. size: of the positions that belong to the velocities, as tp_system_position_sizes
   gives them. The columns have no entries of N with others. */
tp_chord tp_chord_make(const double *unit, int count, const int *columns, const double *size,
                       const tp_metric *metric, const double *step);

/* For a function of the places of two bodies relative to each other: what both move together is taken out of
   the step, so that no correction has a force on both; (5a). Nothing is, where only one of them moves. */
void tp_chord_take_out_translation(tp_chord *chord, const tp_system *system);

/* Component columns[j] of N step. */
double tp_chord_along(const tp_chord *chord, int j);

/* The gradient in the middle, over the columns, becomes the discrete derivative of a function that rises by
   `rise`, which is known but for a rounding error; (2). A defect within that error is left: the gradient is
   the better answer. Returns the factor of N step that was added. */
double tp_chord_correct(const tp_chord *chord, double rise, double error, double *gradient_io);

/* Component columns[j] of N x, x over all velocities. */
double tp_chord_weigh(const tp_chord *chord, const double *x, int j);

/* Adds factor times what the correction adds to the derivative of the discrete derivative with respect to
   q_end; (4). slope is what tp_chord_correct returned, change [count] = gradient at the end - gradient in the
   middle - (1/2) Hessian step. The part (1/2) Hessian is the caller's. */
void tp_chord_add_jacobian(const tp_chord *chord, double slope, const double *change, double factor,
                           const tp_sparse *pattern, double *value);

/* Is the position of a law, if it has one, a smooth function of the coordinates? Gaps of some shapes may have
   kinks. */
bool tp_law_has_smooth_gap(const tp_system *system, int law);

/* The same of all contacts between two solids, before there are any. */
bool tp_solids_have_smooth_gap(const tp_solid *a, const tp_solid *b);

/* ---- potential energies: formulas, compliant contacts, springs; quadratic and linear parts need none ----
 */

typedef struct tp_potential_steps tp_potential_steps;

tp_status tp_potential_steps_create(tp_arena *arena, tp_system *system, tp_potential_steps **out);

/* Values where the system is. */
void tp_potential_steps_begin(tp_potential_steps *potentials);
void tp_potential_steps_end(tp_potential_steps *potentials);

/* The system is in the middle: adds DV/Dq - dV/dq to gradient_io [u_count], and the rounding errors of it to
   noise_io. */
void tp_potential_steps_add(tp_potential_steps *potentials, const tp_metric *mass, const double *step,
                            double *gradient_io, double *noise_io);

/* The same: adds factor times the derivative of that with respect to q_end, values in jacobian_pattern.
   Bodies that turn move as the midpoint says (NULL: none does): by dt times the mean velocity. */
void tp_potential_steps_add_jacobian(tp_potential_steps *potentials, const tp_metric *mass,
                                     const tp_midpoint *midpoint, const double *step, double factor,
                                     double *value_io);

/* ---- laws ---- */

/* How row k of a law changes along each velocity of its columns at the present point: H_out [count * count],
   column by column; where u = q' of positions the second derivatives. Contact points of shapes move on the
   features that meet now; C functions without second derivatives count as linear. */
void tp_system_law_hessian(tp_system *system, int law, int k, double *H_out);

/* TP_UNSUPPORTED with the name of the function that lacks second derivatives. */
tp_status tp_system_check_discrete(const tp_model *model, tp_message *why_out);

/* ---- kinetic energies with M(q) ---- */

/* Adds the skew matrix dp/dq - (dp/dq)^T with p = M(q) u at the present point: values in jacobian_pattern;
 * (7).
 */
void tp_system_add_gyroscopic(tp_system *system, double *value_io);

typedef struct tp_kinetic_steps tp_kinetic_steps;

tp_status tp_kinetic_steps_create(tp_arena *arena, tp_system *system, tp_kinetic_steps **out);

/* Values where the system is, always with the velocity of the end. */
void tp_kinetic_steps_begin(tp_kinetic_steps *kinetic);
void tp_kinetic_steps_end(tp_kinetic_steps *kinetic);

/* The system is in the middle: adds DT/Dq to gradient_io [u_count]. */
void tp_kinetic_steps_add(tp_kinetic_steps *kinetic, const double *step, double *gradient_io,
                          double *noise_io);

/* The same: adds factor times its derivatives with respect to q_end and to the velocity. */
void tp_kinetic_steps_add_jacobian(tp_kinetic_steps *kinetic, const double *step, double factor,
                                   double *by_position_io, double *by_velocity_io);

#endif
