/* What the pair functions share. Each finds the contact points of one pair of kinds, in this order of A and
   B; the table in collide.c turns the other order round. */
#ifndef TP_GEOMETRY_COLLIDE_H
#define TP_GEOMETRY_COLLIDE_H

#include "core.h"

/* Same contract as tp_collide. */
typedef int tp_collide_function(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b,
                                const tp_pose *pose_b, double reach, tp_contact_point *points);

tp_collide_function
    tp_collide_vertices,        /* A: any kind; B: POINT, SPHERE, CAPSULE, BOX, HULL, whose vertices decide */
    tp_collide_plane_cylinder,  /* A: PLANE                                                                 */
    tp_collide_hollow_cylinder, /* A: INSIDE_SPHERE                                                         */
    tp_collide_tube_cylinder,   /* A: INSIDE_CYLINDER                                                       */
    tp_collide_box;             /* A: BOX; B: BOX or CAPSULE: the points of tp_meet_box alone               */

/* A: SPHERE or PLANE; the numbers of tp_collide_vertices, for heaps of balls. */
tp_collide_function tp_collide_ball;

/* The same contact with A and B exchanged. */
void tp_contact_reverse(tp_contact_point *point);
void tp_contact_rate_reverse(tp_contact_rate *rate);

/* Whether the pair is in the table in the other order only. */
bool tp_collide_is_reversed(tp_solid_kind a, tp_solid_kind b);
/* How its contact points are found, in the order of the table; NULL: by tp_meet_in_order. */
tp_collide_function *tp_collide_function_of(tp_solid_kind a, tp_solid_kind b);

/* Contacts with the features that meet, in the order of the table; of surfaces those of one part, TP_NO_PART:
   none. found [TP_CORE_SLOTS_MAX]. */
enum { TP_NO_PART = -1 };
int tp_meet_in_order(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b,
                     int part, double reach, tp_core_contact *found);

/* surface_collide.c: those of one triangle of a surface and a solid. */
int tp_meet_triangle(const tp_solid *surface, const tp_pose *pose_a, const tp_solid *solid,
                     const tp_pose *pose_b, int part, double reach, tp_core_contact *found);

/* Velocity of a point of a body, from its origin. */
static inline tp_vec3 tp_solid_velocity(const tp_moving_solid *body, tp_vec3 arm)
{
    return tp_vec3_add(body->twist.velocity, tp_vec3_cross(body->twist.angular_velocity, arm));
}

/* ---- vertices ---- */

enum { TP_SOLID_VERTICES_MAX = TP_HULL_VERTICES_MAX };

/* The solid is the hull of balls of this radius about its vertices (local frame); returns their number.
   Corner k of a box: bit 0, 1, 2 of k say whether x, y, z is positive. Capsule: end -z, end +z. vertices_out
   [TP_SOLID_VERTICES_MAX]. */
int tp_solid_vertices(const tp_solid *solid, tp_vec3 *vertices_out, double *radius_out);

/* ---- the rims of a cylinder above a plane or in a hollow sphere ---- */

/* Directions of the four points of each end circle: deepest, a quarter turn on, opposite, three quarters. */
typedef struct tp_rim {
    tp_vec3 direction[4];
    bool is_flat; /* no point is the deepest: the directions are fixed in the body */
} tp_rim;

/* `up`: the normal of the plane, or the way from the middle of the cylinder to that of the sphere over its
   radius. */
tp_rim tp_rim_above(tp_vec3 up, tp_mat3 R);

/* The direction of the point of a rim that is farthest from the axis of a tube, among those on one side of
   the plane through both axes' directions (half 0 or 1); (5b). centre: the middle of the rim, from a point of
   the tube's axis. False: there is none. */
bool tp_rim_in_tube(tp_vec3 tube_axis, tp_vec3 centre, tp_mat3 R, double radius, int half,
                    tp_vec3 *direction_out);

/* ---- two lines ---- */

/* Nearest points a + s u and b + t w of two lines, offset = b - a; u, w unit. */
typedef struct tp_line_pair {
    bool is_parallel; /* the rest is then not set                      */
    double s, t;
    double distance; /* offset . normal >= 0                          */
    tp_vec3 normal;  /* unit, perpendicular to both, from the first on */
} tp_line_pair;

tp_line_pair tp_lines_nearest(tp_vec3 offset, tp_vec3 u, tp_vec3 w);

/* The parameter of the point of the segment |t| <= half_length, along w, nearest to `offset` from its
   middle. */
static inline double tp_segment_nearest(tp_vec3 offset, tp_vec3 w, double half_length)
{
    double t = tp_vec3_dot(offset, w);
    return t > half_length ? half_length : t < -half_length ? -half_length : t;
}

/* ---- surfaces ---- */

/* Without thickness: a point, a flat disc. */
bool tp_collide_is_flat(const tp_solid *solid);

/* How deep such a solid may be behind the triangles of a mesh and still touch one; 0: it is not a mesh. */
double tp_collide_front_depth(const tp_solid *solid);

#endif
