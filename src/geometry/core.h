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

/* How the two points of a contact between cores may run on their features: a vertex not at all, an edge along
   its direction, a face along two. Two directions together fix the normal, fewer leave it to the points. */
typedef struct tp_meeting {
    bool is_crossing; /* an edge over a side of a face, with the face's normal: along[0] is the edge, along[1]
                         points out of the side                                                           */
    int along_count;
    tp_vec3 along[2]; /* unit, fixed in their bodies */
    bool is_of_b[2];  /* whose they are              */
    tp_vec3 bend[2];  /* derivative of along[k] along itself: zero but on a rim                            */
    double side[2];   /* radius of A, B where their axis meets and not their surface                       */
    bool is_rim;      /* the point of a rim nearest to a face: along[0] is the rim's                       */
} tp_meeting;

typedef struct tp_core_contact {
    tp_contact_point point;
    tp_meeting meeting;
} tp_core_contact;

/* Adds the thickness around the cores and moves the point from the middle of A, `origin`, to the world. */
static inline tp_contact_point tp_core_finish(tp_contact_point point, double radius_a, double radius_b,
                                              tp_vec3 origin, int slot)
{
    tp_vec3 on_a = tp_vec3_add_scaled(point.point_a, radius_a, point.normal);
    tp_vec3 on_b = tp_vec3_add_scaled(point.point_b, -radius_b, point.normal);
    return (tp_contact_point){tp_vec3_add(origin, on_a), tp_vec3_add(origin, on_b), point.normal,
                              point.gap - radius_a - radius_b, slot};
}

/* Slots of two solids neither of which is a plane, a ball or hollow: eight at a face, one other. */
enum { TP_CORE_SLOTS_MAX = 9 };

/* Same contract as tp_collide, with the features that meet. contacts [TP_CORE_SLOTS_MAX]. */
typedef int tp_meet_function(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b,
                             const tp_pose *pose_b, double reach, tp_core_contact *contacts);

tp_meet_function tp_meet_box, /* A: BOX; B: BOX or CAPSULE                  */
    tp_meet_capsules,         /* two of them                                */
    tp_meet_convex;           /* A: CYLINDER, HULL; B: those, BOX, CAPSULE  */

/* Rates of a contact of two cores while their bodies move; docs/theory/contacts-geometry.md (14)-(16). */
tp_contact_rate tp_meeting_rate(const tp_moving_solid *a, const tp_moving_solid *b,
                                const tp_core_contact *contact);

enum { TP_FACE_CONTACTS_MAX = 8 };

/* Contacts of `incident` with a face of `reference`, before thickness: vertices of the incident face or
   segment over the face, crossings of its edges with the sides, corners of the face under the incident face.
   A is the reference, the slots are in [0, 8), in [0, 2) for a segment; in no order. Returns their number. */
int tp_face_contacts(const tp_core_face *reference, const tp_core *incident, tp_core_contact *contacts);

#endif
