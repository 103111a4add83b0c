/* Vectors, matrices and quaternions of three-dimensional space as small values. */
#ifndef TIPPE_MATH_H
#define TIPPE_MATH_H

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

#ifdef __cplusplus
}
#endif

#endif
