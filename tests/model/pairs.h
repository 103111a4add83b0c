/* Random frames, rigid and not, and motions of pairs of bodies, for the tests of joints and forces. */
#ifndef TESTS_MODEL_PAIRS_H
#define TESTS_MODEL_PAIRS_H

#include "check.h"
#include "model/joints/rigid_row.h"
#include "tippe/rotation.h"

/* Curves that guide a point, with three derivatives; self is the rise, NULL: 0.3. */
static inline void helix(void *self, double s, tp_vec3 *out)
{
    double rise = self != NULL ? *(double *)self : 0.3, c = cos(s), n = sin(s);
    out[0] = tp_vec3_make(c, n, rise * s);
    out[1] = tp_vec3_make(-n, c, rise);
    out[2] = tp_vec3_make(-c, -n, 0.0);
    out[3] = tp_vec3_make(n, -c, 0.0);
}

static inline void circle(void *self, double s, tp_vec3 *out)
{
    helix(self, s, out);
    out[0].z = out[1].z = 0.0;
}

static inline tp_vec3 random_vec3(check_random *random, double size)
{
    double x = check_uniform(random, -size, size), y = check_uniform(random, -size, size);
    return tp_vec3_make(x, y, check_uniform(random, -size, size));
}

static inline tp_vec3 random_direction(check_random *random)
{
    double x = check_normal(random), y = check_normal(random);
    return tp_vec3_normalise(tp_vec3_make(x, y, check_normal(random)));
}

static inline tp_mat3 random_rotation(check_random *random)
{
    double w = check_normal(random);
    return tp_quat_to_matrix(tp_quat_from_parts(w, random_direction(random)));
}

static inline tp_frame random_rigid_frame(check_random *random)
{
    tp_vec3 r = random_vec3(random, 1.0);
    return (tp_frame){r, random_rotation(random)};
}

/* Twelve independent numbers of length one. */
static inline tp_frame random_frame_direction(check_random *random)
{
    double x[12], square = 0.0;
    for (int i = 0; i < 12; i++) {
        x[i] = check_normal(random);
        square += x[i] * x[i];
    }
    for (int i = 0; i < 12; i++) x[i] /= sqrt(square);
    return (tp_frame){tp_vec3_from_array(x), tp_mat3_from_array(x + 3)};
}

static inline tp_frame frame_add(tp_frame frame, double s, tp_frame change)
{
    return (tp_frame){tp_vec3_add_scaled(frame.r, s, change.r),
                      tp_mat3_add(frame.D, tp_mat3_scale(s, change.D))};
}

/* A frame that is not quite rigid. */
static inline tp_frame random_frame(check_random *random)
{
    tp_frame rigid = random_rigid_frame(random);
    return frame_add(rigid, 0.2, random_frame_direction(random));
}

static inline double frame_dot(tp_frame a, tp_frame b)
{
    return tp_vec3_dot(a.r, b.r) + tp_vec3_dot(a.D.cx, b.D.cx) + tp_vec3_dot(a.D.cy, b.D.cy) +
           tp_vec3_dot(a.D.cz, b.D.cz);
}

static inline double frame_distance(tp_frame a, tp_frame b)
{
    tp_frame d = frame_add(a, -1.0, b);
    return sqrt(frame_dot(d, d));
}

/* The frame moved for a time h with a constant twist (velocity, angular velocity in the world, growth). */
static inline tp_frame frame_moved(tp_frame frame, tp_wrench twist, double h)
{
    tp_mat3 turned = tp_mat3_multiply(tp_rotation_exp(tp_vec3_scale(h, twist.moment)), frame.D);
    return (tp_frame){tp_vec3_add_scaled(frame.r, h, twist.force),
                      tp_mat3_scale(exp(h * twist.stretch), turned)};
}

/* The whole world turned and shifted. */
static inline tp_frame frame_carried(tp_frame frame, tp_frame motion)
{
    return (tp_frame){tp_frame_point(&motion, frame.r), tp_mat3_multiply(motion.D, frame.D)};
}

static inline tp_wrench random_twist(check_random *random)
{
    tp_vec3 v = random_vec3(random, 1.0), w = random_vec3(random, 1.0);
    return (tp_wrench){v, w, check_uniform(random, -0.5, 0.5)};
}

static inline double distance3(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_norm(tp_vec3_sub(a, b));
}

/* Sum of both forces, and of both moments about the world's origin: zero if action is reaction. */
static inline double imbalance(const tp_frame *A, const tp_frame *B, const tp_wrench *on_A,
                               const tp_wrench *on_B)
{
    tp_vec3 force = tp_vec3_add(on_A->force, on_B->force);
    tp_vec3 moment = tp_vec3_add(on_A->moment, on_B->moment);
    moment = tp_vec3_add(moment, tp_vec3_cross(A->r, on_A->force));
    moment = tp_vec3_add(moment, tp_vec3_cross(B->r, on_B->force));
    return tp_vec3_norm(force) + tp_vec3_norm(moment);
}

#endif
