/* Curves that guide a point: positions with three derivatives, from the caller's functions or as a spline
   through points; docs/theory/joints.md (13). */
#ifndef TP_MODEL_JOINTS_CURVE_H
#define TP_MODEL_JOINTS_CURVE_H

#include "base/arena.h"
#include "tippe/joint.h"

typedef struct tp_curve {
    double begin, end; /* of the parameter s                                                        */
    bool is_closed;    /* periodic; else the curve goes on straight beyond its ends                 */
    void *self;        /* functions of the caller; or, where evaluate is NULL, the spline           */
    void (*evaluate)(void *self, double s, tp_vec3 *derivatives_out);
    int knot_count; /* spline: knots, points and second derivatives there                        */
    const double *knots;
    const tp_vec3 *points, *curvatures;
    int sample_count; /* equally spaced in s from begin to end; the end of a closed curve is left out */
    const tp_vec3 *samples;
    double size;       /* radius of the samples about their mean [m]                                */
    tp_vec3 reference; /* a direction that the tangent never comes close to: makes the normals      */
} tp_curve;

/* Checks the definition and builds the curve in the arena. who: the joint, for messages. A planar curve lies
   in the plane z = 0. */
tp_status tp_curve_create(tp_arena *arena, const tp_curve_def *def, bool is_planar, const char *who,
                          tp_place place, tp_message *message, const tp_curve **curve_out);

/* c(s), c', c'', c''' for any s. */
void tp_curve_evaluate(const tp_curve *curve, double s, tp_vec3 *derivatives_out /* [4] */);

/* Parameter of the point nearest to y: the nearest sample (the first of equals), then Newton with bisection.
   Within [begin, end) for a closed curve. */
double tp_curve_nearest(const tp_curve *curve, tp_vec3 y);

/* Spline through the points: sets knots, points, curvatures. Cubic, twice continuously differentiable,
   natural or periodic; the parameter is the length of the chords. */
tp_status tp_curve_fit(tp_arena *arena, const tp_vec3 *points, int count, tp_curve *curve);

#endif
