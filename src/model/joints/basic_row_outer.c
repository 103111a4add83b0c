/* Outer functions of basic rows; docs/theory/joints.md (3)-(5). */
#include "basic_row_outer.h"

#include "curve_row.h"
#include "model/tolerances.h"

static const double pi = 3.14159265358979323846;

/* ---- length: w = l^2 / 2; (8) ---- */

static inline double length_of(const double *w)
{
    return sqrt(2.0 * w[0]);
}

/* Points that coincide have no direction: the length's slope is taken as zero there. */
static inline double inverse_or_zero(double x)
{
    return x > 0.0 ? 1.0 / x : 0.0;
}

/* ---- angle: w = (sine, cosine) times a positive number; (9) ---- */

static void angle_gradient(const double *w, double *slope_out)
{
    double inverse = inverse_or_zero(w[0] * w[0] + w[1] * w[1]);
    slope_out[0] = w[1] * inverse;
    slope_out[1] = -w[0] * inverse;
}

static void angle_second(const double *w, const double *e, double *change_out)
{
    double inverse = inverse_or_zero(w[0] * w[0] + w[1] * w[1]);
    double spread = 2.0 * (w[0] * e[0] + w[1] * e[1]) * inverse;
    change_out[0] = (e[1] - w[1] * spread) * inverse;
    change_out[1] = (-e[0] + w[0] * spread) * inverse;
}

/* ---- radius |y|, y = w - point_A ---- */

typedef struct radius_data {
    double y[2], length;
} radius_data;

static radius_data radius_of(const tp_basic_row *row, const double *w)
{
    radius_data r = {.y = {w[0] - row->point_A.x, w[1] - row->point_A.y}};
    r.length = hypot(r.y[0], r.y[1]);
    return r;
}

static void radius_second(const tp_basic_row *row, const double *w, const double *e, double *change_out)
{
    radius_data r = radius_of(row, w);
    double inverse = inverse_or_zero(r.length), along = (r.y[0] * e[0] + r.y[1] * e[1]) * inverse * inverse;
    for (int k = 0; k < 2; k++) change_out[k] = (e[k] - along * r.y[k]) * inverse;
}

/* s = (y0 + y1)/(|y0| + |y1|). */
/* ---- curves: y = w - point_A ---- */

static tp_vec3 curve_point(const tp_basic_row *row, const double *w)
{
    return tp_vec3_sub(tp_vec3_from_array(w), row->point_A);
}

static tp_curve_part curve_part(const tp_basic_row *row)
{
    return (tp_curve_part)(row->kind - TP_ROW_CURVE_FIRST);
}

/* ---- all of them ---- */

double tp_row_outer_value(const tp_basic_row *row, const double *w)
{
    switch (row->kind) {
    case TP_ROW_COINCIDENCE:
    case TP_ROW_AXES:
    case TP_ROW_ALONG:
    case TP_ROW_DISTANCE: return row->factor * w[0] - row->offset;
    case TP_ROW_LENGTH: return length_of(w) - row->offset;
    case TP_ROW_RADIUS: return radius_of(row, w).length - row->offset;
    case TP_ROW_ANGLE: return remainder(atan2(w[0], w[1]) - row->offset, 2.0 * pi);
    case TP_ROW_SCREW:
        /* A turn more or less changes the row by the pitch; it is held near zero, so the nearest thread is
           the right one and nobody counts turns. */
        return remainder(w[2] - row->offset - row->factor * atan2(w[0], w[1]), 2.0 * pi * row->factor);
    case TP_ROW_CURVE_FIRST:
    case TP_ROW_CURVE_SECOND:
    case TP_ROW_CURVE_PARAMETER:
    case TP_ROW_KIND_COUNT: break;
    }
    return tp_curve_row_value(row->curve, curve_part(row), curve_point(row, w)) - row->offset;
}

double tp_row_outer_gradient(const tp_basic_row *row, const double *w, double *slope_out)
{
    tp_vec3 slope;
    radius_data r;
    double value;
    switch (row->kind) {
    case TP_ROW_COINCIDENCE:
    case TP_ROW_AXES:
    case TP_ROW_ALONG:
    case TP_ROW_DISTANCE: slope_out[0] = row->factor; break;
    case TP_ROW_LENGTH: slope_out[0] = inverse_or_zero(length_of(w)); break;
    case TP_ROW_RADIUS:
        r = radius_of(row, w);
        slope_out[0] = r.y[0] * inverse_or_zero(r.length);
        slope_out[1] = r.y[1] * inverse_or_zero(r.length);
        break;
    case TP_ROW_ANGLE: angle_gradient(w, slope_out); break;
    case TP_ROW_SCREW:
        angle_gradient(w, slope_out);
        slope_out[0] *= -row->factor;
        slope_out[1] *= -row->factor;
        slope_out[2] = 1.0;
        break;
    case TP_ROW_CURVE_FIRST:
    case TP_ROW_CURVE_SECOND:
    case TP_ROW_CURVE_PARAMETER:
    case TP_ROW_KIND_COUNT:
        value = tp_curve_row_gradient(row->curve, curve_part(row), curve_point(row, w), &slope);
        tp_vec3_to_array(slope, slope_out);
        return value - row->offset;
    }
    return tp_row_outer_value(row, w);
}

void tp_row_outer_second(const tp_basic_row *row, const double *w, const double *e, double *change_out)
{
    double inverse;
    switch (row->kind) {
    case TP_ROW_COINCIDENCE:
    case TP_ROW_AXES:
    case TP_ROW_ALONG:
    case TP_ROW_DISTANCE: change_out[0] = 0.0; break;
    case TP_ROW_LENGTH:
        inverse = inverse_or_zero(length_of(w));
        change_out[0] = -e[0] * inverse * inverse * inverse;
        break;
    case TP_ROW_RADIUS: radius_second(row, w, e, change_out); break;
    case TP_ROW_ANGLE: angle_second(w, e, change_out); break;
    case TP_ROW_SCREW:
        angle_second(w, e, change_out);
        change_out[0] *= -row->factor;
        change_out[1] *= -row->factor;
        change_out[2] = 0.0;
        break;
    case TP_ROW_CURVE_FIRST:
    case TP_ROW_CURVE_SECOND:
    case TP_ROW_CURVE_PARAMETER:
    case TP_ROW_KIND_COUNT:
        tp_vec3_to_array(
            tp_curve_row_second(row->curve, curve_part(row), curve_point(row, w), tp_vec3_from_array(e)),
            change_out);
        break;
    }
}

/* The slope of the angle is (Re 1/z, Im 1/z) over (sine, cosine), z = cosine + i sine: 2 e f/z^3. */
static void angle_third(const double *w, const double *e, const double *f, double *change_out)
{
    double inverse = inverse_or_zero(w[0] * w[0] + w[1] * w[1]);
    double x = w[1] * inverse, y = -w[0] * inverse; /* 1/z */
    double re = 2.0 * (e[1] * f[1] - e[0] * f[0]), im = 2.0 * (e[0] * f[1] + e[1] * f[0]);
    for (int k = 0; k < 3; k++) {
        double next = re * x - im * y;
        im = re * y + im * x;
        re = next;
    }
    change_out[0] = re;
    change_out[1] = im;
}

static void radius_third(const tp_basic_row *row, const double *w, const double *e, const double *f,
                         double *change_out)
{
    radius_data r = radius_of(row, w);
    double inverse = inverse_or_zero(r.length), cube = inverse * inverse * inverse;
    double ye = r.y[0] * e[0] + r.y[1] * e[1], yf = r.y[0] * f[0] + r.y[1] * f[1],
           ef = e[0] * f[0] + e[1] * f[1], along = 3.0 * ye * yf * inverse * inverse - ef;
    for (int k = 0; k < 2; k++) change_out[k] = (along * r.y[k] - ye * f[k] - yf * e[k]) * cube;
}

/* Curves have second derivatives only: a difference of them, a thousandth of the distance in which they bend
   away (or of 1 m); relative error 1e-9. */
static void curve_third(const tp_basic_row *row, const double *w, const double *e, const double *f,
                        double *change_out)
{
    const tp_vec3 along = tp_vec3_from_array(e), way = tp_vec3_from_array(f), y = curve_point(row, w);
    const double offset[] = {1.0, -1.0, 2.0, -2.0}, weight[] = {8.0, -8.0, -1.0, 1.0};
    double length = tp_vec3_norm(way);
    tp_vec3 sum = tp_vec3_zero();
    for (int k = 0; k < 4 && length > 0.0; k++) {
        double step = tp_curve_step / length;
        tp_vec3 at = tp_vec3_add_scaled(y, offset[k] * step, way);
        sum = tp_vec3_add_scaled(sum, weight[k] / (12.0 * step),
                                 tp_curve_row_second(row->curve, curve_part(row), at, along));
    }
    tp_vec3_to_array(sum, change_out);
}

void tp_row_outer_third(const tp_basic_row *row, const double *w, const double *e, const double *f,
                        double *change_out)
{
    double inverse;
    switch (row->kind) {
    case TP_ROW_COINCIDENCE:
    case TP_ROW_AXES:
    case TP_ROW_ALONG:
    case TP_ROW_DISTANCE: change_out[0] = 0.0; break;
    case TP_ROW_LENGTH:
        inverse = inverse_or_zero(length_of(w));
        change_out[0] = 3.0 * e[0] * f[0] * inverse * inverse * inverse * inverse * inverse;
        break;
    case TP_ROW_RADIUS: radius_third(row, w, e, f, change_out); break;
    case TP_ROW_ANGLE: angle_third(w, e, f, change_out); break;
    case TP_ROW_SCREW:
        angle_third(w, e, f, change_out);
        change_out[0] *= -row->factor;
        change_out[1] *= -row->factor;
        change_out[2] = 0.0;
        break;
    case TP_ROW_CURVE_FIRST:
    case TP_ROW_CURVE_SECOND:
    case TP_ROW_CURVE_PARAMETER:
    case TP_ROW_KIND_COUNT: curve_third(row, w, e, f, change_out); break;
    }
}
