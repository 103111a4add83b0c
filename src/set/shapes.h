/* The families of shapes behind friction_set.h. Here scale > 0 always, and z is known to be [n] with n
 * allowed. */
#ifndef TP_SET_SHAPES_H
#define TP_SET_SHAPES_H

#include "tippe/set.h"

/* Products of balls: BALL (one factor), CYLINDER (two), BRICK (one per component); theory/sets.md (6). */
void tp_balls_project(tp_shape shape, int n, const double *parameter, double scale, const double *z,
                      double *p_out);
bool tp_balls_contains(tp_shape shape, int n, const double *parameter, double scale, const double *z);
double tp_balls_support(tp_shape shape, int n, const double *parameter, const double *y);
void tp_balls_boundary(tp_shape shape, int n, const double *parameter, const double *normal, double *p_out);
double tp_balls_gauge(tp_shape shape, int n, const double *parameter, const double *z);
void tp_balls_derivative(tp_shape shape, int n, const double *parameter, double scale, const double *z,
                         double *dz_out);

/* Ellipsoids with axes along the coordinates; theory/sets.md (8)-(12). */
void tp_ellipsoid_project(int n, const double *parameter, double scale, const double *z, double *p_out);
bool tp_ellipsoid_contains(int n, const double *parameter, double scale, const double *z);
double tp_ellipsoid_support(int n, const double *parameter, const double *y);
void tp_ellipsoid_boundary(int n, const double *parameter, const double *normal, double *p_out);
double tp_ellipsoid_gauge(int n, const double *parameter, const double *z);
void tp_ellipsoid_derivative(int n, const double *parameter, double scale, const double *z, double *dz_out);

/* The Coulomb-Contensou body, n = 3; theory/sets.md (13)-(22). */
void tp_contensou_project(const double *parameter, double scale, const double *z, double *p_out);
bool tp_contensou_contains(const double *parameter, double scale, const double *z);
double tp_contensou_support(const double *parameter, const double *y);
void tp_contensou_boundary(const double *parameter, const double *normal, double *p_out);
double tp_contensou_gauge(const double *parameter, const double *z);
void tp_contensou_derivative(const double *parameter, double scale, const double *z, double *dz_out);

/* The normalised boundary curve (b_T, b_tau) for p0 = p1 = 1 at u = |gamma_T|/(R |gamma_tau|), and its radius
   of curvature; for tests and plots. */
typedef struct tp_contensou_point {
    double b_T, b_tau; /* (13), (14)                        */
    double radius;     /* of curvature, (17)                */
} tp_contensou_point;
tp_contensou_point tp_contensou_curve(double u);

#endif
