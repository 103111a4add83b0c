/* Dispatch over the shapes of bodies. */
#include "set/friction_set.h"

#include "set/shapes.h"
#include "set/small.h"

void tp_body_project(tp_shape shape, int n, const double *parameter, double scale, const double *z,
                     double *p_out)
{
    if (!(scale > 0.0)) {
        tp_small_zero(n, p_out);
        return;
    }
    switch (shape) {
    case TP_SHAPE_BALL:
    case TP_SHAPE_CYLINDER:
    case TP_SHAPE_BRICK: tp_balls_project(shape, n, parameter, scale, z, p_out); break;
    case TP_SHAPE_ELLIPSOID: tp_ellipsoid_project(n, parameter, scale, z, p_out); break;
    case TP_SHAPE_CONTENSOU: tp_contensou_project(parameter, scale, z, p_out); break;
    case TP_SHAPE_NONE: tp_small_zero(n, p_out); break;
    }
}

bool tp_body_contains(tp_shape shape, int n, const double *parameter, double scale, const double *z)
{
    if (scale > 0.0) {
        switch (shape) {
        case TP_SHAPE_BALL:
        case TP_SHAPE_CYLINDER:
        case TP_SHAPE_BRICK: return tp_balls_contains(shape, n, parameter, scale, z);
        case TP_SHAPE_ELLIPSOID: return tp_ellipsoid_contains(n, parameter, scale, z);
        case TP_SHAPE_CONTENSOU: return tp_contensou_contains(parameter, scale, z);
        case TP_SHAPE_NONE: break;
        }
    }
    for (int i = 0; i < n; i++)
        if (!(z[i] == 0.0)) return false;
    return true;
}

double tp_body_support(tp_shape shape, int n, const double *parameter, const double *y)
{
    switch (shape) {
    case TP_SHAPE_BALL:
    case TP_SHAPE_CYLINDER:
    case TP_SHAPE_BRICK: return tp_balls_support(shape, n, parameter, y);
    case TP_SHAPE_ELLIPSOID: return tp_ellipsoid_support(n, parameter, y);
    case TP_SHAPE_CONTENSOU: return tp_contensou_support(parameter, y);
    case TP_SHAPE_NONE: break;
    }
    return 0.0;
}

void tp_body_boundary(tp_shape shape, int n, const double *parameter, const double *normal, double *p_out)
{
    switch (shape) {
    case TP_SHAPE_BALL:
    case TP_SHAPE_CYLINDER:
    case TP_SHAPE_BRICK: tp_balls_boundary(shape, n, parameter, normal, p_out); break;
    case TP_SHAPE_ELLIPSOID: tp_ellipsoid_boundary(n, parameter, normal, p_out); break;
    case TP_SHAPE_CONTENSOU: tp_contensou_boundary(parameter, normal, p_out); break;
    case TP_SHAPE_NONE: tp_small_zero(n, p_out); break;
    }
}

double tp_body_gauge(tp_shape shape, int n, const double *parameter, const double *z)
{
    switch (shape) {
    case TP_SHAPE_BALL:
    case TP_SHAPE_CYLINDER:
    case TP_SHAPE_BRICK: return tp_balls_gauge(shape, n, parameter, z);
    case TP_SHAPE_ELLIPSOID: return tp_ellipsoid_gauge(n, parameter, z);
    case TP_SHAPE_CONTENSOU: return tp_contensou_gauge(parameter, z);
    case TP_SHAPE_NONE: break;
    }
    return tp_body_contains(shape, n, parameter, 0.0, z) ? 0.0 : INFINITY;
}

static void derivative_of_shape(tp_shape shape, int n, const double *parameter, double scale, const double *z,
                                double *dz_out)
{
    switch (shape) {
    case TP_SHAPE_BALL:
    case TP_SHAPE_CYLINDER:
    case TP_SHAPE_BRICK: tp_balls_derivative(shape, n, parameter, scale, z, dz_out); break;
    case TP_SHAPE_ELLIPSOID: tp_ellipsoid_derivative(n, parameter, scale, z, dz_out); break;
    case TP_SHAPE_CONTENSOU: tp_contensou_derivative(parameter, scale, z, dz_out); break;
    case TP_SHAPE_NONE: tp_small_zero(n * n, dz_out); break;
    }
}

/* The derivative with respect to the scale follows from the one with respect to z, because
   proj_{sD}(z) = s proj_D(z/s) and J maps the normal z - p to 0: (I - J) p/s; theory/sets.md (5). */
void tp_body_project_derivative(tp_shape shape, int n, const double *parameter, double scale, const double *z,
                                double *dz_out, double *dscale_out)
{
    if (!(scale > 0.0)) {
        tp_small_zero(n * n, dz_out);
        if (dscale_out != NULL) tp_small_zero(n, dscale_out);
        return;
    }
    derivative_of_shape(shape, n, parameter, scale, z, dz_out);
    if (dscale_out == NULL) return;

    double p[TP_BODY_MAX];
    tp_body_project(shape, n, parameter, scale, z, p);
    for (int i = 0; i < n; i++) p[i] /= scale;
    for (int i = 0; i < n; i++) {
        dscale_out[i] = p[i];
        for (int j = 0; j < n; j++) dscale_out[i] -= dz_out[i + j * n] * p[j];
    }
}

bool tp_body_inverse_scaling(tp_shape shape, int n, const double *parameter, double *factor_out)
{
    bool exists = shape == TP_SHAPE_BALL || shape == TP_SHAPE_ELLIPSOID;
    for (int k = 0; k < n && shape == TP_SHAPE_ELLIPSOID; k++) exists = exists && parameter[k] > 0.0;
    for (int k = 0; k < n; k++) factor_out[k] = exists && shape == TP_SHAPE_ELLIPSOID ? parameter[k] : 1.0;
    return exists;
}

bool tp_body_has_dimension(tp_shape shape, int n)
{
    switch (shape) {
    case TP_SHAPE_BALL: return n >= 1 && n <= TP_BODY_MAX;
    case TP_SHAPE_ELLIPSOID:
    case TP_SHAPE_BRICK: return n >= 1 && n <= 3;
    case TP_SHAPE_CYLINDER: return n == 3 || n == 4;
    case TP_SHAPE_CONTENSOU: return n == 3;
    case TP_SHAPE_NONE: break;
    }
    return false;
}

int tp_body_parameter_count(tp_shape shape, int n)
{
    switch (shape) {
    case TP_SHAPE_BALL: return 1;
    case TP_SHAPE_ELLIPSOID:
    case TP_SHAPE_BRICK: return n;
    case TP_SHAPE_CYLINDER:
    case TP_SHAPE_CONTENSOU: return 2;
    case TP_SHAPE_NONE: break;
    }
    return 0;
}
