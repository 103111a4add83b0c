/* Compact convex bodies D, symmetric about 0, and what the laws need of them; docs/theory/sets.md section 2.
   A body is given by its shape, its dimension n (the size of a BODY set, size - 1 of a contact) and the
   parameters of its set. z, p_out, y, normal are [n]; outputs may be the inputs of the same length. */
#ifndef TP_SET_FRICTION_SET_H
#define TP_SET_FRICTION_SET_H

#include "tippe/set.h"

/* Nearest point of scale*D; the point 0 for scale <= 0 (an open contact transmits no friction). */
void tp_body_project(tp_shape shape, int n, const double *parameter, double scale, const double *z,
                     double *p_out);

/* z in scale*D, without any tolerance; scale < 0 counts as 0. */
bool tp_body_contains(tp_shape shape, int n, const double *parameter, double scale, const double *z);

/* s_D(y) = max of y.p over D. */
double tp_body_support(tp_shape shape, int n, const double *parameter, const double *y);

/* A point of D whose outer normal is `normal` (not necessarily of length 1): the gradient of s_D. Sliding
   friction is P_T = -P_N boundary(xi_T). Where it is not unique (faces, normal = 0) the one of least norm
   along the free directions. */
void tp_body_boundary(tp_shape shape, int n, const double *parameter, const double *normal, double *p_out);

/* Smallest s >= 0 with z in s*D; infinite if there is none (a flat body). */
double tp_body_gauge(tp_shape shape, int n, const double *parameter, const double *z);

/* An element of the generalised derivative of tp_body_project: dz_out [n*n] column-major (symmetric) with
   respect to z, dscale_out [n] with respect to scale (may be NULL). Both are 0 for scale <= 0. */
void tp_body_project_derivative(tp_shape shape, int n, const double *parameter, double scale, const double *z,
                                double *dz_out, double *dscale_out);

/* Diagonal A with A^-1 D = unit ball of the same dimension (ELLIPSOID: the semi-axes) or a ball of the same
   radius (BALL: 1). False, and factors 1, if there is none or a factor is 0. */
bool tp_body_inverse_scaling(tp_shape shape, int n, const double *parameter, double *factor_out);

/* True when a body of this shape exists in n dimensions. */
bool tp_body_has_dimension(tp_shape shape, int n);

/* How many parameters it has. */
int tp_body_parameter_count(tp_shape shape, int n);

#endif
