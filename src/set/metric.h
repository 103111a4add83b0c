/* Pieces of the projection in a metric; docs/theory/sets.md section 5. U is [n*n] column-major, symmetric
   positive definite, n <= TP_SET_MAX; p_out must not be z. */
#ifndef TP_SET_METRIC_H
#define TP_SET_METRIC_H

#include "tippe/set.h"

/* The box lower <= p <= upper, n <= TP_SET_MAX, by trying all active sets (32). */
tp_status tp_metric_project_box(int n, const double *lower, const double *upper, const double *U,
                                const double *z, double *p_out);

/* The ball |p| <= radius, radius > 0: the secular equation (33). */
tp_status tp_metric_project_ball(int n, double radius, const double *U, const double *z, double *p_out);

/* The cone |(p_1, p_2)| <= p_0 in three dimensions: the quartic (34), (35). */
tp_status tp_metric_project_cone(const double *U, const double *z, double *p_out);

/* Any set with a Euclidean projection and its derivative: Newton on the natural map, guarded by accelerated
   projected gradients (36). */
tp_status tp_metric_project_any(const tp_set *set, double scale, const double *U, const double *z,
                                double *p_out);

#endif
