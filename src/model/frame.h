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

/* A row of a law seen from one body: force and moment about the frame's origin, in the world, and what it
   does when the body grows, for a unit multiplier; also velocity, angular velocity and relative rate of
   growth of a frame, which is 0 but for scalable bodies. */
typedef struct tp_wrench {
    tp_vec3 force, moment;
    double stretch;
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

/* Sum of the products of all components. */
static inline double tp_frame_dot(const tp_frame *a, const tp_frame *b)
{
    return tp_vec3_dot(a->r, b->r) + tp_vec3_dot(a->D.cx, b->D.cx) + tp_vec3_dot(a->D.cy, b->D.cy) +
           tp_vec3_dot(a->D.cz, b->D.cz);
}

/* A force at the end of an arm. */
static inline tp_wrench tp_wrench_at(tp_vec3 arm, tp_vec3 force)
{
    return (tp_wrench){force, tp_vec3_cross(arm, force), tp_vec3_dot(arm, force)};
}

/* a + s b */
static inline tp_wrench tp_wrench_add_scaled(tp_wrench a, double s, tp_wrench b)
{
    return (tp_wrench){tp_vec3_add_scaled(a.force, s, b.force), tp_vec3_add_scaled(a.moment, s, b.moment),
                       a.stretch + s * b.stretch};
}

/* D^-1 x and D without its size, of directions that are orthogonal and of one length. */
static inline tp_vec3 tp_frame_back(const tp_frame *frame, tp_vec3 x)
{
    return tp_vec3_scale(1.0 / tp_vec3_dot(frame->D.cx, frame->D.cx), tp_mat3_apply_transposed(frame->D, x));
}
static inline tp_mat3 tp_frame_rotation(const tp_frame *frame)
{
    return tp_mat3_scale(1.0 / tp_vec3_norm(frame->D.cx), frame->D);
}

/* The gradient of a function of the frame's twelve numbers as a wrench: force dg/dr, moment sum of d_i x
   dg/dd_i, stretch sum of d_i.dg/dd_i. */
static inline tp_wrench tp_frame_wrench(const tp_frame *frame, const tp_frame *gradient)
{
    tp_vec3 m = tp_vec3_cross(frame->D.cx, gradient->D.cx);
    m = tp_vec3_add(m, tp_vec3_cross(frame->D.cy, gradient->D.cy));
    m = tp_vec3_add(m, tp_vec3_cross(frame->D.cz, gradient->D.cz));
    double stretch = tp_vec3_dot(frame->D.cx, gradient->D.cx) + tp_vec3_dot(frame->D.cy, gradient->D.cy) +
                     tp_vec3_dot(frame->D.cz, gradient->D.cz);
    return (tp_wrench){gradient->r, m, stretch};
}

/* The moment of that wrench in the directions of a frame that is a rotation: sum of e_i x (D^T gradient_i).
   What is constant in the body, as a point on its axis, keeps its zeros here; rounding on the way through the
   world would spin a slender body about its axis. */
static inline tp_vec3 tp_frame_inner_moment(const tp_frame *frame, const tp_frame *gradient)
{
    tp_vec3 x = tp_mat3_apply_transposed(frame->D, gradient->D.cx),
            y = tp_mat3_apply_transposed(frame->D, gradient->D.cy),
            z = tp_mat3_apply_transposed(frame->D, gradient->D.cz);
    return (tp_vec3){y.z - z.y, z.x - x.z, x.y - y.x};
}

/* How a rigid frame changes with velocity v and angular velocity w (world): (v, w x d_i). */
static inline tp_frame tp_frame_rate(const tp_frame *frame, tp_vec3 v, tp_vec3 w)
{
    return (tp_frame){
        v, {tp_vec3_cross(w, frame->D.cx), tp_vec3_cross(w, frame->D.cy), tp_vec3_cross(w, frame->D.cz)}};
}

/* The same with growth: d_i' = w x d_i + e d_i. */
static inline tp_frame tp_frame_change(const tp_frame *frame, const tp_wrench *twist)
{
    tp_frame rate = tp_frame_rate(frame, twist->force, twist->moment);
    rate.D = tp_mat3_add(rate.D, tp_mat3_scale(twist->stretch, frame->D));
    return rate;
}

#endif
