/* Distances of a point from a curve; docs/theory/joints.md (13)-(17). */
#include "curve_row.h"

#include <float.h>

/* A vector that depends on s, with two derivatives. */
typedef struct jet {
    tp_vec3 v, d, dd;
} jet;

/* w / |w| */
static jet unit(jet w)
{
    double length = tp_vec3_norm(w.v);
    jet u = {tp_vec3_scale(1.0 / length, w.v), w.d, w.dd};
    double rate = tp_vec3_dot(u.v, w.d);
    u.d = tp_vec3_scale(1.0 / length, tp_vec3_add_scaled(w.d, -rate, u.v));
    double second = tp_vec3_dot(u.d, w.d) + tp_vec3_dot(u.v, w.dd);
    u.dd = tp_vec3_add_scaled(tp_vec3_add_scaled(w.dd, -2.0 * rate, u.d), -second, u.v);
    u.dd = tp_vec3_scale(1.0 / length, u.dd);
    return u;
}

static jet cross(jet a, jet b)
{
    tp_vec3 mixed = tp_vec3_scale(2.0, tp_vec3_cross(a.d, b.d));
    tp_vec3 ends = tp_vec3_add(tp_vec3_cross(a.dd, b.v), tp_vec3_cross(a.v, b.dd));
    return (jet){tp_vec3_cross(a.v, b.v), tp_vec3_add(tp_vec3_cross(a.d, b.v), tp_vec3_cross(a.v, b.d)),
                 tp_vec3_add(ends, mixed)};
}

/* What all parts need at a point: the nearest point, how its parameter changes, the normal of the part. */
typedef struct nearest {
    double s;
    tp_vec3 c[4], apart; /* curve and derivatives; y - c */
    double stiffness;    /* |c'|^2 - apart.c'': minus the derivative of apart.c' with respect to s */
    tp_vec3 s_gradient;  /* ds/dy; (15) */
    jet normal;          /* of the part; (14) */
} nearest;

static nearest find_nearest(const tp_curve *curve, tp_curve_part part, tp_vec3 y)
{
    nearest at = {.s = tp_curve_nearest(curve, y)};
    tp_curve_evaluate(curve, at.s, at.c);
    at.apart = tp_vec3_sub(y, at.c[0]);
    double speed = tp_vec3_dot(at.c[1], at.c[1]);
    /* At a centre of curvature many points are nearest; the rows are of no use that far from the curve, but
       stay finite. */
    at.stiffness = fmax(speed - tp_vec3_dot(at.apart, at.c[2]), DBL_EPSILON * speed);
    at.s_gradient = tp_vec3_scale(1.0 / at.stiffness, at.c[1]);
    if (part != TP_CURVE_PARAMETER) {
        jet tangent = {at.c[1], at.c[2], at.c[3]}, reference = {.v = curve->reference};
        at.normal = unit(cross(reference, tangent));
        if (part == TP_CURVE_FIRST) at.normal = cross(unit(tangent), at.normal);
    }
    return at;
}

/* Second derivative of s along e and any other direction, as a vector; (16). */
static tp_vec3 parameter_second(const nearest *at, tp_vec3 e)
{
    double rate = tp_vec3_dot(at->s_gradient, e);
    double third = tp_vec3_dot(at->apart, at->c[3]) - 3.0 * tp_vec3_dot(at->c[1], at->c[2]);
    tp_vec3 sum = tp_vec3_scale(third * rate + tp_vec3_dot(at->c[2], e), at->s_gradient);
    return tp_vec3_scale(1.0 / at->stiffness, tp_vec3_add_scaled(sum, rate, at->c[2]));
}

double tp_curve_row_value(const tp_curve *curve, tp_curve_part part, tp_vec3 y)
{
    nearest at = find_nearest(curve, part, y);
    return part == TP_CURVE_PARAMETER ? at.s : tp_vec3_dot(at.normal.v, at.apart);
}

double tp_curve_row_gradient(const tp_curve *curve, tp_curve_part part, tp_vec3 y, tp_vec3 *gradient_out)
{
    nearest at = find_nearest(curve, part, y);
    if (part == TP_CURVE_PARAMETER) {
        *gradient_out = at.s_gradient;
        return at.s;
    }
    /* The normal is orthogonal to c', so that only its own turning sees a change of s. */
    *gradient_out = tp_vec3_add_scaled(at.normal.v, tp_vec3_dot(at.normal.d, at.apart), at.s_gradient);
    return tp_vec3_dot(at.normal.v, at.apart);
}

tp_vec3 tp_curve_row_second(const tp_curve *curve, tp_curve_part part, tp_vec3 y, tp_vec3 e)
{
    nearest at = find_nearest(curve, part, y);
    tp_vec3 second = parameter_second(&at, e);
    if (part == TP_CURVE_PARAMETER) return second;
    double rate = tp_vec3_dot(at.s_gradient, e);
    double bend = tp_vec3_dot(at.normal.dd, at.apart) - tp_vec3_dot(at.normal.d, at.c[1]);
    tp_vec3 sum = tp_vec3_scale(rate, at.normal.d);
    sum = tp_vec3_add_scaled(sum, tp_vec3_dot(at.normal.d, e) + bend * rate, at.s_gradient);
    return tp_vec3_add_scaled(sum, tp_vec3_dot(at.normal.d, at.apart), second);
}
