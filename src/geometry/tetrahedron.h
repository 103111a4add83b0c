/* Integrals over a tetrahedron with one corner at the origin; docs/theory/contacts-geometry.md (13). */
#ifndef TP_GEOMETRY_TETRAHEDRON_H
#define TP_GEOMETRY_TETRAHEDRON_H

#include "tippe/math.h"

/* Volume, integral of x and of x x^T, signed as the triangle a, b, c looks away from the origin. */
static inline void tp_tetrahedron_add(tp_vec3 a, tp_vec3 b, tp_vec3 c, double *volume, tp_vec3 *first,
                                      tp_mat3 *second)
{
    double six_volumes = tp_vec3_dot(a, tp_vec3_cross(b, c));
    tp_vec3 total = tp_vec3_add(a, tp_vec3_add(b, c));
    tp_mat3 squares = tp_mat3_add(tp_mat3_outer(a, a), tp_mat3_outer(b, b));
    squares = tp_mat3_add(squares, tp_mat3_add(tp_mat3_outer(c, c), tp_mat3_outer(total, total)));
    *volume += six_volumes / 6.0;
    *first = tp_vec3_add_scaled(*first, six_volumes / 24.0, total);
    *second = tp_mat3_add(*second, tp_mat3_scale(six_volumes / 120.0, squares));
}

#endif
