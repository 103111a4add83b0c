/* Linear equations and eigenvalues of shooting; docs/theory/event-driven.md (37), (38). */
#ifndef TP_INTEGRATOR_ORBIT_ALGEBRA_H
#define TP_INTEGRATOR_ORBIT_ALGEBRA_H

#include "event_tangent.h"

/* x of least norm and least error of a x = b, singular values above a part of the largest. */
tp_status tp_orbit_least_norm(const tp_allocator *allocator, int m, int n, const double *a, const double *b,
                              double cut, double *x_out);

/* Eigenvalues of a [n n], in no order, and its determinant: 0 where the matrix is singular to 1e-14. */
tp_status tp_orbit_multipliers(const tp_allocator *allocator, int n, const double *a, double *real_out,
                               double *imaginary_out, double *determinant_out);

#endif
