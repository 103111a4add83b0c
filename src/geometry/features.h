/* Contacts of a feature of one convex solid with a feature of another. */
#ifndef TP_GEOMETRY_FEATURES_H
#define TP_GEOMETRY_FEATURES_H

#include "collide.h"
#include "convex.h"

/* The plane of a face or cap. */
typedef struct tp_face_side {
    tp_vec3 point, normal; /* out of its solid */
    bool is_of_b;
} tp_face_side;

/* A face by its number, a cap by its end -1 or +1. */
tp_face_side tp_face_side_of(const tp_convex *owner, int index, bool is_of_b);

/* Whether a point, moved along the normal, is over a face; margin beyond its sides. */
bool tp_face_is_over(const tp_convex *owner, int index, tp_vec3 x, double margin);

/* A point that is fixed in the other solid over a face. */
tp_core_contact tp_point_over_face(const tp_face_side *face, tp_vec3 x);
/* The point of a rim nearest to a face. */
tp_core_contact tp_rim_over_face(const tp_face_side *face, const tp_convex *cylinder, int end);

#endif
