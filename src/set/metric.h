/* Pieces of the projection in a metric; docs/theory/sets.md section 5. U is [n*n] column-major, symmetric
   positive definite, n <= TP_SET_MAX; p_out must not be z. */
#ifndef TP_SET_METRIC_H
#define TP_SET_METRIC_H

#include "tippe/set.h"

/* Any set with a Euclidean projection and its derivative: Newton on the natural map, guarded by accelerated
   projected gradients (36). */
tp_status tp_metric_project_any(const tp_set *set, double scale, const double *U, const double *z,
                                double *p_out);

#endif
