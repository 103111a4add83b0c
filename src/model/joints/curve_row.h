/* Distances of a point from a curve and the parameter of the nearest point, as functions of the point, with
   first and second derivatives; docs/theory/joints.md (13)-(16). */
#ifndef TP_MODEL_JOINTS_CURVE_ROW_H
#define TP_MODEL_JOINTS_CURVE_ROW_H

#include "curve.h"

typedef enum tp_curve_part {
    TP_CURVE_FIRST,    /* along the first normal [m]  */
    TP_CURVE_SECOND,   /* along the second normal [m] */
    TP_CURVE_PARAMETER /* s of the nearest point      */
} tp_curve_part;

double tp_curve_row_value(const tp_curve *curve, tp_curve_part part, tp_vec3 y);

/* Returns the value. */
double tp_curve_row_gradient(const tp_curve *curve, tp_curve_part part, tp_vec3 y, tp_vec3 *gradient_out);

/* Derivative of the gradient along e. */
tp_vec3 tp_curve_row_second(const tp_curve *curve, tp_curve_part part, tp_vec3 y, tp_vec3 e);

#endif
