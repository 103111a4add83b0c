/* Differential forms, vector fields and connections whose components are formulas, at a point, with exact
   derivatives; docs/theory/calculus.md. A field carries its derivatives along: `order` says how many. An
   operation that differentiates uses one up; fields made from formulas have two. */
#ifndef TIPPE_CALCULUS_H
#define TIPPE_CALCULUS_H

#include "tippe/base.h"
#include "tippe/math.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TP_CHART_DIMENSION = 12 }; /* most coordinates of a chart */

/* Coordinates with names, parameters, a point, and all fields made there. */
typedef struct tp_chart tp_chart;

/* A chart with the names of its coordinates [dimension], which are copied. */
tp_status tp_chart_create(const tp_allocator *allocator, int dimension, const char *const *names,
                          tp_chart **chart_out, tp_message *why_out);
void tp_chart_free(tp_chart *chart); /* NULL is fine */

/* A named constant of the formulas that follow. */
tp_status tp_chart_add_parameter(tp_chart *chart, const char *name, double value, tp_message *why_out);

/* The point [dimension] of fields made from now on; those made before keep theirs. The first one is 0. */
void tp_chart_move(tp_chart *chart, const double *point);

/* Gives back the memory of all fields made so far; formulas stay. */
void tp_chart_forget(tp_chart *chart);

typedef enum tp_chart_field_kind {
    TP_CHART_FORM,      /* degree 0: a function. Components by increasing indices: 01, 02, ..., 12, ... */
    TP_CHART_VECTOR,    /* degree 1                                                                    */
    TP_CHART_METRIC,    /* symmetric; n^2 components g_ij at i + n j                                    */
    TP_CHART_CONNECTION /* G^i_(a j) at i + n (a + n j): a is the direction of the derivative           */
} tp_chart_field_kind;

/* A field at the point where it was made. jet: for each component its value, its gradient [n], its second
   derivatives [n*n]; valid up to `order`. The memory is the chart's. */
typedef struct tp_chart_field {
    tp_chart_field_kind kind;
    int dimension, degree, count, order;
    double *jet;
} tp_chart_field;

/* Value of a component; of a form by its indices [degree] in any order (0 where two agree). */
double tp_chart_field_value(const tp_chart_field *field, int component);
double tp_form_value(const tp_chart *chart, const tp_chart_field *form, const int *indices);

/* Fields from formulas of the chart's coordinates: one text for each component. */
tp_status tp_chart_form(tp_chart *chart, int degree, const char *const *texts, tp_chart_field *out,
                        tp_message *why_out);
tp_status tp_chart_vector(tp_chart *chart, const char *const *texts, tp_chart_field *out,
                          tp_message *why_out);
tp_status tp_chart_metric(tp_chart *chart, const char *const *texts, tp_chart_field *out,
                          tp_message *why_out);

/* Each of the following makes a field in the chart. TP_INVALID_ARGUMENT: kinds, degrees or charts do not
   fit, or too few derivatives are left. */

/* factor_a a + factor_b b; a b of a function a and a field b. */
tp_status tp_chart_field_add(tp_chart *chart, double factor_a, const tp_chart_field *a, double factor_b,
                             const tp_chart_field *b, tp_chart_field *out);
tp_status tp_chart_field_multiply(tp_chart *chart, const tp_chart_field *function, const tp_chart_field *b,
                                  tp_chart_field *out);

/* Exterior derivative dw; wedge product a /\ b. */
tp_status tp_form_d(tp_chart *chart, const tp_chart_field *form, tp_chart_field *out);
tp_status tp_form_wedge(tp_chart *chart, const tp_chart_field *a, const tp_chart_field *b,
                        tp_chart_field *out);

/* Interior product w(X, ...); Lie derivative of a form along X. */
tp_status tp_form_interior(tp_chart *chart, const tp_chart_field *vector, const tp_chart_field *form,
                           tp_chart_field *out);
tp_status tp_form_lie(tp_chart *chart, const tp_chart_field *vector, const tp_chart_field *form,
                      tp_chart_field *out);

/* Lie bracket [X, Y]. */
tp_status tp_vector_bracket(tp_chart *chart, const tp_chart_field *x, const tp_chart_field *y,
                            tp_chart_field *out);

/* A map from this chart to another: for each coordinate of the other a function of this one. The form lives
   at the image of this chart's point; its pull-back has one derivative less than the functions. */
tp_status tp_form_pull_back(tp_chart *chart, const tp_chart_field *const *map, const tp_chart *other,
                            const tp_chart_field *form, tp_chart_field *out);

/* Levi-Civita connection of a metric. TP_SINGULAR: it has no inverse. */
tp_status tp_connection_levi_civita(tp_chart *chart, const tp_chart_field *metric, tp_chart_field *out);

/* Galilean connection of a mass matrix M(t,q), [(n-1)^2] texts, on a chart (t, q): the one whose straight
   lines are the motions without force where the coordinates rest; calculus.md (9). */
tp_status tp_connection_galilean(tp_chart *chart, const char *const *mass, tp_chart_field *out,
                                 tp_message *why_out);

/* Derivative of a vector, one-form or metric along a vector; torsion of two vectors. */
tp_status tp_connection_derivative(tp_chart *chart, const tp_chart_field *connection,
                                   const tp_chart_field *along, const tp_chart_field *field,
                                   tp_chart_field *out);
tp_status tp_connection_torsion(tp_chart *chart, const tp_chart_field *connection, const tp_chart_field *x,
                                const tp_chart_field *y, tp_chart_field *out);

/* ---- motion of a system with the kinetic energy T(t,q,u): chart (t, q1..qn, u1..un), where it is now ----
 */

/* Accelerations without constraints, gyroscopic terms included, from T and forces f [n] (functions; f NULL:
   inertial motion): M q'' = h; calculus.md (11). h_out, acceleration_out [n], either may be NULL. */
tp_status tp_motion_accelerations(const tp_chart *chart, const tp_chart_field *kinetic,
                                  const tp_chart_field *const *f, double *h_out, double *acceleration_out);

/* Two-form of the forces f [n], closed if and only if they have a potential; and the action form of T and f
   (f NULL: of T alone), whose kernel is the motion (1, u, q''); calculus.md (12), (13). */
tp_status tp_force_form(tp_chart *chart, const tp_chart_field *const *f, tp_chart_field *out);
tp_status tp_action_form(tp_chart *chart, const tp_chart_field *kinetic, const tp_chart_field *const *f,
                         tp_chart_field *out);

/* Kernel of a two-form on a chart of odd dimension, scaled to first component 1 (time): out [dimension]. Its
   rank where it is wanted. TP_SINGULAR: the kernel is larger than a line, or has no part along time. */
tp_status tp_form_kernel(const tp_chart *chart, const tp_chart_field *form, double *out, int *rank_out);

/* ---- observers ---- */

/* A Cartesian observer seen from another: its clock is later by `clock` [s], x_new = A x + r; A turns, r
   moves. Rates are with respect to time. */
typedef struct tp_observer_change {
    double clock;
    tp_mat3 A, A_rate;
    tp_vec3 r, r_rate;
} tp_observer_change;

/* What the new observer sees of a point x that moves with v, and of a vector that is not a velocity. */
tp_vec3 tp_observer_change_position(const tp_observer_change *observer, tp_vec3 x);
tp_vec3 tp_observer_change_velocity(const tp_observer_change *observer, tp_vec3 x, tp_vec3 v);
tp_vec3 tp_observer_change_vector(const tp_observer_change *observer, tp_vec3 vector);

/* `second` after `first`, as one change; and the angular velocity of the first frame seen from the new one,
   skew part of A_rate A^T. */
tp_observer_change tp_observer_change_compose(const tp_observer_change *first,
                                              const tp_observer_change *second);
tp_vec3 tp_observer_change_spin(const tp_observer_change *observer);

/* ---- forces between points ---- */

/* Law of interaction: internal forces [count] at points have no sum and no moment about the origin. */
void tp_interaction_residual(int count, const tp_vec3 *points, const tp_vec3 *forces, tp_vec3 *force_out,
                             tp_vec3 *moment_out);

#ifdef __cplusplus
}
#endif

#endif
