/* Boxes and segments under one roof: both are sums of intervals along axes. A capsule is a segment with
   thickness. docs/theory/contacts-geometry.md (7)-(10). */
#ifndef TP_GEOMETRY_CORE_H
#define TP_GEOMETRY_CORE_H

#include "tippe/geometry.h"

/* The points centre + sum of t_k axis_k with |t_k| <= half_k, k < axes. */
typedef struct tp_core {
    tp_vec3 centre;  /* seen from the middle of A                             */
    tp_vec3 axis[3]; /* orthonormal                                           */
    double half[3];  /* zero beyond `axes`                                    */
    int axes;        /* 3: a box; 1: a segment, which has ends but no faces   */
    double radius;   /* thickness around the core                             */
} tp_core;

static inline bool tp_core_has_faces(const tp_core *core)
{
    return core->axes == 3;
}

/* A face of a box: normal = sign * axis_k; u, v are the next axes in turn. */
typedef struct tp_core_face {
    tp_vec3 centre, normal, u, v;
    double half_u, half_v;
} tp_core_face;

tp_core_face tp_core_face_of(const tp_core *core, int k, double sign);

enum { TP_FACE_CONTACTS_MAX = 8 };

/* Contacts of `incident` with a face of `reference`, before thickness: vertices of the incident face or
   segment over the face, crossings of its edges with the sides, corners of the face under the incident face.
   A is the reference, the slots are in [0, 8), in [0, 2) for a segment; in no order. Returns their number. */
int tp_face_contacts(const tp_core_face *reference, const tp_core *incident, tp_contact_point *contacts);

#endif
