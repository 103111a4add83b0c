/* Body frames: what joints, forces and contacts see of a body, whatever its coordinates are;
   docs/theory/bodies.md. A formulation supplies the frame as a function of its coordinates. */
#ifndef TP_MODEL_FRAME_H
#define TP_MODEL_FRAME_H

#include "tippe/math.h"

/* Origin (centre of mass) and directions d1, d2, d3 (columns), in the world. Also a change of a frame and the
   gradient of a function of a frame: twelve numbers each. */
typedef struct tp_frame {
    tp_vec3 r;
    tp_mat3 D;
} tp_frame;

/* A row of a law seen from one body: force and moment about the frame's origin, in the world, for a unit
   multiplier; also velocity and angular velocity of a frame. */
typedef struct tp_wrench {
    tp_vec3 force, moment;
} tp_wrench;

static inline tp_frame tp_frame_identity(void)
{
    return (tp_frame){.D = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
}

/* r + D x and D x. */
static inline tp_vec3 tp_frame_direction(const tp_frame *frame, tp_vec3 x)
{
    tp_vec3 y = tp_vec3_scale(x.x, frame->D.cx);
    y = tp_vec3_add_scaled(y, x.y, frame->D.cy);
    return tp_vec3_add_scaled(y, x.z, frame->D.cz);
}
static inline tp_vec3 tp_frame_point(const tp_frame *frame, tp_vec3 x)
{
    return tp_vec3_add(frame->r, tp_frame_direction(frame, x));
}

/* The gradient of a function of the frame's twelve numbers as a wrench of a rigid body: force dg/dr, moment
   sum of d_i x dg/dd_i. */
static inline tp_wrench tp_frame_wrench(const tp_frame *frame, const tp_frame *gradient)
{
    tp_vec3 m = tp_vec3_cross(frame->D.cx, gradient->D.cx);
    m = tp_vec3_add(m, tp_vec3_cross(frame->D.cy, gradient->D.cy));
    m = tp_vec3_add(m, tp_vec3_cross(frame->D.cz, gradient->D.cz));
    return (tp_wrench){gradient->r, m};
}

/* How a rigid frame changes with velocity v and angular velocity w (world): (v, w x d_i). */
static inline tp_frame tp_frame_rate(const tp_frame *frame, tp_vec3 v, tp_vec3 w)
{
    return (tp_frame){
        v, {tp_vec3_cross(w, frame->D.cx), tp_vec3_cross(w, frame->D.cy), tp_vec3_cross(w, frame->D.cz)}};
}

#endif
