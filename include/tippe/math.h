/* Vectors, matrices and quaternions of three-dimensional space as small values. docs/theory/rotations.md. */
#ifndef TIPPE_MATH_H
#define TIPPE_MATH_H

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_vec2 {
    double x, y;
} tp_vec2;

typedef struct tp_vec3 {
    double x, y, z;
} tp_vec3;

/* Scalar first; a unit quaternion rotates body to world: (0, R x) = p (0, x) p*. */
typedef struct tp_quat {
    double w, x, y, z;
} tp_quat;

/* Columns cx, cy, cz. */
typedef struct tp_mat3 {
    tp_vec3 cx, cy, cz;
} tp_mat3;

/* ---- vectors of the plane ---- */

static inline tp_vec2 tp_vec2_make(double x, double y)
{
    tp_vec2 r = {x, y};
    return r;
}

static inline tp_vec2 tp_vec2_add(tp_vec2 a, tp_vec2 b)
{
    return tp_vec2_make(a.x + b.x, a.y + b.y);
}

static inline tp_vec2 tp_vec2_sub(tp_vec2 a, tp_vec2 b)
{
    return tp_vec2_make(a.x - b.x, a.y - b.y);
}

static inline tp_vec2 tp_vec2_scale(double s, tp_vec2 a)
{
    return tp_vec2_make(s * a.x, s * a.y);
}

static inline double tp_vec2_dot(tp_vec2 a, tp_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

/* Third component of the cross product. */
static inline double tp_vec2_cross(tp_vec2 a, tp_vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static inline double tp_vec2_norm(tp_vec2 a)
{
    return hypot(a.x, a.y);
}

/* ---- vectors of space ---- */

static inline tp_vec3 tp_vec3_make(double x, double y, double z)
{
    tp_vec3 r = {x, y, z};
    return r;
}

static inline tp_vec3 tp_vec3_zero(void)
{
    return tp_vec3_make(0.0, 0.0, 0.0);
}

static inline tp_vec3 tp_vec3_add(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline tp_vec3 tp_vec3_sub(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline tp_vec3 tp_vec3_negate(tp_vec3 a)
{
    return tp_vec3_make(-a.x, -a.y, -a.z);
}

static inline tp_vec3 tp_vec3_scale(double s, tp_vec3 a)
{
    return tp_vec3_make(s * a.x, s * a.y, s * a.z);
}

/* a + s b */
static inline tp_vec3 tp_vec3_add_scaled(tp_vec3 a, double s, tp_vec3 b)
{
    return tp_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double tp_vec3_dot(tp_vec3 a, tp_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline tp_vec3 tp_vec3_cross(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double tp_vec3_norm(tp_vec3 a)
{
    return sqrt(tp_vec3_dot(a, a));
}

static inline bool tp_vec3_is_finite(tp_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* a / |a|; a zero vector stays zero. */
static inline tp_vec3 tp_vec3_normalise(tp_vec3 a)
{
    double length = tp_vec3_norm(a);
    return length > 0.0 ? tp_vec3_make(a.x / length, a.y / length, a.z / length) : a;
}

static inline tp_vec3 tp_vec3_from_array(const double *array)
{
    return tp_vec3_make(array[0], array[1], array[2]);
}

static inline void tp_vec3_to_array(tp_vec3 a, double *array_out)
{
    array_out[0] = a.x;
    array_out[1] = a.y;
    array_out[2] = a.z;
}

/* ---- matrices ---- */

static inline tp_mat3 tp_mat3_from_columns(tp_vec3 cx, tp_vec3 cy, tp_vec3 cz)
{
    tp_mat3 r = {cx, cy, cz};
    return r;
}

static inline tp_mat3 tp_mat3_diagonal(tp_vec3 d)
{
    return tp_mat3_from_columns(tp_vec3_make(d.x, 0.0, 0.0), tp_vec3_make(0.0, d.y, 0.0),
                                tp_vec3_make(0.0, 0.0, d.z));
}

static inline tp_mat3 tp_mat3_identity(void)
{
    return tp_mat3_diagonal(tp_vec3_make(1.0, 1.0, 1.0));
}

/* a~: a~ x = a x x (cross product). */
static inline tp_mat3 tp_mat3_skew(tp_vec3 a)
{
    return tp_mat3_from_columns(tp_vec3_make(0.0, a.z, -a.y), tp_vec3_make(-a.z, 0.0, a.x),
                                tp_vec3_make(a.y, -a.x, 0.0));
}

/* a b^T */
static inline tp_mat3 tp_mat3_outer(tp_vec3 a, tp_vec3 b)
{
    return tp_mat3_from_columns(tp_vec3_scale(b.x, a), tp_vec3_scale(b.y, a), tp_vec3_scale(b.z, a));
}

static inline tp_mat3 tp_mat3_add(tp_mat3 a, tp_mat3 b)
{
    return tp_mat3_from_columns(tp_vec3_add(a.cx, b.cx), tp_vec3_add(a.cy, b.cy), tp_vec3_add(a.cz, b.cz));
}

static inline tp_mat3 tp_mat3_sub(tp_mat3 a, tp_mat3 b)
{
    return tp_mat3_from_columns(tp_vec3_sub(a.cx, b.cx), tp_vec3_sub(a.cy, b.cy), tp_vec3_sub(a.cz, b.cz));
}

static inline tp_mat3 tp_mat3_scale(double s, tp_mat3 a)
{
    return tp_mat3_from_columns(tp_vec3_scale(s, a.cx), tp_vec3_scale(s, a.cy), tp_vec3_scale(s, a.cz));
}

static inline tp_mat3 tp_mat3_transpose(tp_mat3 a)
{
    return tp_mat3_from_columns(tp_vec3_make(a.cx.x, a.cy.x, a.cz.x), tp_vec3_make(a.cx.y, a.cy.y, a.cz.y),
                                tp_vec3_make(a.cx.z, a.cy.z, a.cz.z));
}

/* a x */
static inline tp_vec3 tp_mat3_apply(tp_mat3 a, tp_vec3 x)
{
    return tp_vec3_make(a.cx.x * x.x + a.cy.x * x.y + a.cz.x * x.z,
                        a.cx.y * x.x + a.cy.y * x.y + a.cz.y * x.z,
                        a.cx.z * x.x + a.cy.z * x.y + a.cz.z * x.z);
}

/* a^T x */
static inline tp_vec3 tp_mat3_apply_transposed(tp_mat3 a, tp_vec3 x)
{
    return tp_vec3_make(tp_vec3_dot(a.cx, x), tp_vec3_dot(a.cy, x), tp_vec3_dot(a.cz, x));
}

static inline tp_mat3 tp_mat3_multiply(tp_mat3 a, tp_mat3 b)
{
    return tp_mat3_from_columns(tp_mat3_apply(a, b.cx), tp_mat3_apply(a, b.cy), tp_mat3_apply(a, b.cz));
}

static inline double tp_mat3_trace(tp_mat3 a)
{
    return a.cx.x + a.cy.y + a.cz.z;
}

static inline double tp_mat3_determinant(tp_mat3 a)
{
    return tp_vec3_dot(a.cx, tp_vec3_cross(a.cy, a.cz));
}

/* Column by column. */
static inline tp_mat3 tp_mat3_from_array(const double *array)
{
    return tp_mat3_from_columns(tp_vec3_from_array(array), tp_vec3_from_array(array + 3),
                                tp_vec3_from_array(array + 6));
}

static inline void tp_mat3_to_array(tp_mat3 a, double *array_out)
{
    tp_vec3_to_array(a.cx, array_out);
    tp_vec3_to_array(a.cy, array_out + 3);
    tp_vec3_to_array(a.cz, array_out + 6);
}

/* ---- quaternions ---- */

static inline tp_quat tp_quat_make(double w, double x, double y, double z)
{
    tp_quat r = {w, x, y, z};
    return r;
}

static inline tp_quat tp_quat_identity(void)
{
    return tp_quat_make(1.0, 0.0, 0.0, 0.0);
}

/* (w, v) */
static inline tp_quat tp_quat_from_parts(double w, tp_vec3 v)
{
    return tp_quat_make(w, v.x, v.y, v.z);
}

static inline tp_vec3 tp_quat_vector(tp_quat p)
{
    return tp_vec3_make(p.x, p.y, p.z);
}

static inline tp_quat tp_quat_add(tp_quat p, tp_quat q)
{
    return tp_quat_make(p.w + q.w, p.x + q.x, p.y + q.y, p.z + q.z);
}

static inline tp_quat tp_quat_scale(double s, tp_quat p)
{
    return tp_quat_make(s * p.w, s * p.x, s * p.y, s * p.z);
}

static inline double tp_quat_dot(tp_quat p, tp_quat q)
{
    return p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
}

static inline double tp_quat_norm(tp_quat p)
{
    return sqrt(tp_quat_dot(p, p));
}

/* p / |p|; zero, which is not a rotation, becomes the identity. */
static inline tp_quat tp_quat_normalise(tp_quat p)
{
    double length = tp_quat_norm(p);
    return length > 0.0 ? tp_quat_make(p.w / length, p.x / length, p.y / length, p.z / length)
                        : tp_quat_identity();
}

static inline tp_quat tp_quat_conjugate(tp_quat p)
{
    return tp_quat_make(p.w, -p.x, -p.y, -p.z);
}

/* p q: first the rotation q, then p; (7). */
static inline tp_quat tp_quat_multiply(tp_quat p, tp_quat q)
{
    return tp_quat_make(
        p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w);
}

/* The vector of p (0, x) p*: R x for a unit quaternion, |p|^2 R x for any other; (9). */
static inline tp_vec3 tp_quat_rotate(tp_quat p, tp_vec3 x)
{
    tp_vec3 v = tp_quat_vector(p), vx = tp_vec3_cross(v, x);
    tp_vec3 r = tp_vec3_scale(p.w * p.w - tp_vec3_dot(v, v), x);
    r = tp_vec3_add_scaled(r, 2.0 * p.w, vx);
    return tp_vec3_add_scaled(r, 2.0 * tp_vec3_dot(v, x), v);
}

/* The vector of p* (0, x) p: R^T x for a unit quaternion. */
static inline tp_vec3 tp_quat_rotate_back(tp_quat p, tp_vec3 x)
{
    return tp_quat_rotate(tp_quat_conjugate(p), x);
}

/* p' = 1/2 p (0, w) with w the angular velocity in the body frame [rad/s]; (12). */
static inline tp_quat tp_quat_rate(tp_quat p, tp_vec3 w)
{
    return tp_quat_multiply(p, tp_quat_from_parts(0.0, tp_vec3_scale(0.5, w)));
}

/* The rotation R(p / |p|), whatever the length of p. */
tp_mat3 tp_quat_to_matrix(tp_quat p);

/* The unit quaternion with w >= 0 of a rotation matrix; accurate for every angle; (16). */
tp_quat tp_quat_from_matrix(tp_mat3 R);

/* Rotation about an axis of any length but zero (which gives the identity) by an angle [rad]. */
tp_quat tp_quat_from_axis_angle(tp_vec3 axis, double angle);

/* ---- contact frames ---- */

/* The axis to which t1 is nearest: x, or y where n is along x; (17). The change is far from normals along
   axes, which are the most frequent: rounding of those must not turn the tangents. */
static inline tp_vec3 tp_frame_axis(tp_vec3 n)
{
    return fabs(n.x) > 0.6 ? tp_vec3_make(0.0, 1.0, 0.0) : tp_vec3_make(1.0, 0.0, 0.0);
}

/* Right-handed frame with columns (n, t1, t2) from the unit normal n and an axis that is not along it. */
static inline tp_mat3 tp_frame_from_axis(tp_vec3 n, tp_vec3 axis)
{
    tp_vec3 t1 = tp_vec3_normalise(tp_vec3_add_scaled(axis, -tp_vec3_dot(n, axis), n));
    return tp_mat3_from_columns(n, t1, tp_vec3_cross(n, t1));
}

/* The same from the unit normal alone; (17). */
static inline tp_mat3 tp_frame_from_normal(tp_vec3 n)
{
    return tp_frame_from_axis(n, tp_frame_axis(n));
}

/* The tangent of a planar contact; (18). */
static inline tp_vec2 tp_frame_planar_tangent(tp_vec2 n)
{
    return tp_vec2_make(n.y, -n.x);
}

#ifdef __cplusplus
}
#endif

#endif
