/* Holonomic systems on the manifold of positions y and velocities y1 = y' that satisfy all constraints;
   docs/theory/jet.md. y are the coordinates of the model, rotations four Euler parameters theta. The
   accelerations are a vector field on the manifold; projections bring points near it back. Nothing here
   allocates after creation. */
#ifndef TP_JET_JET_H
#define TP_JET_JET_H

#include "math/ode/ode.h"
#include "system/saddle.h"
#include "tippe/jet.h"

typedef struct tp_jet tp_jet;

/* Work done since creation. */
typedef struct tp_jet_counts {
    long long distributions;          /* accelerations                                              */
    long long projections;            /* those in which something moved                             */
    long long iterations, sweeps;     /* of Newton's method in all projections, and their rounds     */
    int most_iterations, most_sweeps; /* in one projection                                          */
    long long rows;                   /* evaluations of all rows dg                                 */
    long long second, third;          /* of second and third derivatives, row by row                */
    long long gradients, curvatures;  /* of invariants, and their second derivatives                */
} tp_jet_counts;

/* TP_INVALID_DATA with the reason: options out of range, sensors that are not there or not formulas. */
tp_status tp_jet_check(const tp_model *model, const tp_jet_options *options, tp_message *why);

/* The system is borrowed: it moves. */
tp_status tp_jet_create(const tp_allocator *allocator, tp_system *system, const tp_jet_options *options,
                        tp_jet **jet_out, tp_message *why);
void tp_jet_free(tp_jet *jet);

/* A state is z = (y, y1, totals): what was done since the start of the run, which nothing depends on but the
   invariant of energy. */
typedef enum tp_jet_total {
    TP_JET_APPLIED, /* work of forces that are neither potential nor dissipative, and of given motions [J] */
    TP_JET_DISSIPATED, /* energy lost [J] */
    TP_JET_TRAPEZOID,  /* the difference of both by the trapezoidal rule, where that is asked for [J]  */
    TP_JET_IMPULSES /* from here on: of all rows; of forces on velocities; of rows on velocities: integrals of
                       lambda, h and W lambda [N s], [N m s] */
} tp_jet_total;
int tp_jet_coordinate_count(const tp_jet *jet);
int tp_jet_total_count(const tp_jet *jet);
static inline int tp_jet_state_count(const tp_jet *jet)
{
    return 2 * tp_jet_coordinate_count(jet) + tp_jet_total_count(jet);
}

/* z from positions and velocities of the model, totals 0; and back. */
void tp_jet_put(const tp_jet *jet, const double *q, const double *u, double *z_out);
void tp_jet_get(const tp_jet *jet, const double *z, double *q_out, double *u_out);

/* The impulses of all laws, [law_count * TP_LAW_ROWS], between two totals. */
void tp_jet_impulses(const tp_jet *jet, const double *from, const double *to, double *impulse_out);

/* The impulses on velocities between two totals: of forces and of all rows, [velocity_count] each. */
void tp_jet_momenta(const tp_jet *jet, const double *from, const double *to, double *forces_out,
                    double *rows_out);

/* The equations for an integration of z, which moves stages and results; sets method and atol_of of its
   options: totals do not count as errors, but the work of given motions does. */
tp_ode_method tp_jet_ode_method(const tp_jet_options *options);
tp_ode_equations tp_jet_equations(tp_jet *jet, tp_ode_options *options_io);

/* The values that invariants keep, from this point on. */
void tp_jet_set_invariants(tp_jet *jet, double t, const double *z);
double *tp_jet_invariants(tp_jet *jet); /* [invariant_count] the values; energy first */

/* A step begins at this point: rows that depend on others are found, and the power of forces. changed_out:
   rates at this point may be others than before. */
tp_status tp_jet_begin(tp_jet *jet, double t, const double *z, bool *changed_out);

/* z' = (y1, y2, powers and forces); forces of all laws into tp_jet_forces. TP_SINGULAR: rows depend on each
 * other. */
tp_status tp_jet_rate(tp_jet *jet, double t, const double *z, double *rate_out);
const double *tp_jet_forces(const tp_jet *jet); /* [law_count * TP_LAW_ROWS] */

/* z moves onto the constraints, and onto invariants if asked for. TP_NOT_CONVERGED, TP_SINGULAR. */
tp_status tp_jet_project(tp_jet *jet, double t, bool onto_invariants, double *z);

/* The same of a point inside a step, for output: it counts nowhere. */
tp_status tp_jet_show(tp_jet *jet, double t, double *z);

const tp_jet_counts *tp_jet_counts_of(const tp_jet *jet);

/* Basic algorithms, for tests and figures: lengths of Euler parameters; (30). */
void tp_jet_normalise(const tp_jet *jet, double *z);

#endif
