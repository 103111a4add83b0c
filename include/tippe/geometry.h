/* Solids, the contact points between two of them, and mass properties: pure functions of dimensions and
   poses, without memory of their own. docs/theory/contacts-geometry.md. */
#ifndef TIPPE_GEOMETRY_H
#define TIPPE_GEOMETRY_H

#include "tippe/base.h"
#include "tippe/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- poses ---- */

/* Where a frame is: x in the frame is origin + R(orientation) x outside. */
typedef struct tp_pose {
    tp_vec3 origin;      /* [m]                           */
    tp_quat orientation; /* frame to outside, unit length */
} tp_pose;

/* How a pose moves, in the world. */
typedef struct tp_twist {
    tp_vec3 velocity;         /* of the origin [m/s] */
    tp_vec3 angular_velocity; /* [rad/s]             */
} tp_twist;

/* The frame outside itself. */
tp_pose tp_pose_identity(void);

/* The pose `inner`, given in the frame of `outer`, seen from outside. */
tp_pose tp_pose_compose(const tp_pose *outer, const tp_pose *inner);

/* A point of the frame, seen from outside: origin + R x. */
tp_vec3 tp_pose_point(const tp_pose *pose, tp_vec3 x);

/* Finite, and the quaternion of length 1 within 1e-6; else TP_INVALID_DATA. */
tp_status tp_pose_check(const tp_pose *pose, tp_message *why_out);

/* ---- solids ---- */

/* clang-format off */
/* In the local frame of a solid:
     POINT            the origin
     SPHERE           |x| <= radius
     PLANE            the half-space z <= 0; its surface is z = 0 with normal +z
     BOX              |x_k| <= half_extents_k
     CAPSULE          at most radius away from the segment |z| <= half_length of the z axis
     CYLINDER         x^2 + y^2 <= radius^2, |z| <= half_length; a flat disc has half_length 0
     INSIDE_CYLINDER  what is outside of x^2 + y^2 = radius^2: bodies move inside
     INSIDE_SPHERE    what is outside of |x| = radius: bodies move inside
     HULL             the convex hull of points
     MESH             behind a surface of triangles, which are seen from their front
     HEIGHTFIELD      below heights over a grid in x and y */
/* clang-format on */
#define TP_SOLID_LIST(X)                                                                                     \
    X(TP_SOLID_POINT, "point")                                                                               \
    X(TP_SOLID_SPHERE, "sphere")                                                                             \
    X(TP_SOLID_PLANE, "plane")                                                                               \
    X(TP_SOLID_BOX, "box")                                                                                   \
    X(TP_SOLID_CAPSULE, "capsule")                                                                           \
    X(TP_SOLID_CYLINDER, "cylinder")                                                                         \
    X(TP_SOLID_INSIDE_CYLINDER, "inside-cylinder")                                                           \
    X(TP_SOLID_INSIDE_SPHERE, "inside-sphere")                                                               \
    X(TP_SOLID_HULL, "hull")                                                                                 \
    X(TP_SOLID_MESH, "mesh")                                                                                 \
    X(TP_SOLID_HEIGHTFIELD, "heightfield")

typedef enum tp_solid_kind {
#define TP_SOLID_ENUM(kind, name) kind,
    TP_SOLID_LIST(TP_SOLID_ENUM)
#undef TP_SOLID_ENUM
        TP_SOLID_KIND_COUNT
} tp_solid_kind;

enum { TP_HULL_VERTICES_MAX = 128 };

typedef struct tp_hull_edge {
    int from, to;    /* vertices                                        */
    int left, right; /* faces, seen from outside along the edge         */
} tp_hull_edge;

/* A convex polyhedron, not changed once made. */
typedef struct tp_hull {
    int vertex_count, face_count, edge_count;
    const tp_vec3 *vertices;     /* [vertex_count] [m]                                                    */
    const tp_vec3 *face_normals; /* [face_count], unit, outward                                           */
    const int *face_start;       /* [face_count + 1]: corners of face k are face_vertices[face_start[k]...]
                                    face_vertices[face_start[k + 1] - 1], counter-clockwise from outside  */
    const int *face_vertices;
    const tp_hull_edge *edges; /* [edge_count]                                                            */
    int triangle_count;        /* the faces cut into triangles, for pictures                              */
    const int *triangles;      /* [3 triangle_count]                                                      */
    double radius;             /* of the smallest ball about the origin that holds it [m]                 */
    double volume;             /* [m^3]                                                                   */
    tp_vec3 centre;            /* of volume [m]                                                           */
    tp_mat3 squares;           /* mean of (x - centre) (x - centre)^T [m^2]                               */
} tp_hull;

/* The hull of points; at most 128 of them may be corners of it. Points within 1e-7 of the size of a face lie
   on it. TP_INVALID_DATA where they have no volume, are too many or not finite. NULL: the C library. */
tp_status tp_hull_create(const tp_allocator *allocator, const tp_vec3 *points, int count, tp_hull **hull_out,
                         tp_message *why_out);
void tp_hull_free(const tp_allocator *allocator, tp_hull *hull);

/* A copy in memory of the caller, of as many bytes, aligned for double. */
size_t tp_hull_bytes(const tp_hull *hull);
tp_hull *tp_hull_copy(const tp_hull *hull, void *memory);

/* ---- outlines ---- */

enum { TP_POLYGON_CORNERS_MAX = 1000 };

typedef struct tp_polygon_piece {
    int first, count; /* corners[first] ... */
} tp_polygon_piece;

/* Cuts a polygon without crossings, in either direction, into convex ones of at most `most_corners` corners,
   counter-clockwise: pieces [count], corners [3 count] are numbers of its corners. TP_INVALID_DATA where it
   crosses or touches itself, has no area or more than 1000 corners. */
tp_status tp_polygon_cut(const tp_allocator *allocator, const tp_vec2 *outline, int count, int most_corners,
                         tp_polygon_piece *pieces, int *corners, int *piece_count_out, tp_message *why_out);

/* Triangles that others touch, for MESH and HEIGHTFIELD; not changed once made, its parts are internal. */
typedef struct tp_surface tp_surface;

typedef struct tp_mesh tp_mesh;

/* A surface need not be closed: an edge has one or two triangles, which run through it in opposite
   directions. TP_INVALID_DATA where that is not so, a triangle has no area or a number is wrong. NULL: the C
   library. */
tp_status tp_surface_create(const tp_allocator *allocator, const tp_mesh *mesh, tp_surface **surface_out,
                            tp_message *why_out);
/* Heights [columns rows] over x = i spacing_x, y = j spacing_y: heights[j columns + i]; cells are cut from
   (i, j) to (i + 1, j + 1). */
tp_status tp_surface_create_heights(const tp_allocator *allocator, int columns, int rows, double spacing_x,
                                    double spacing_y, const double *heights, tp_surface **surface_out,
                                    tp_message *why_out);
void tp_surface_free(const tp_allocator *allocator, tp_surface *surface);
size_t tp_surface_bytes(const tp_surface *surface);
tp_surface *tp_surface_copy(const tp_surface *surface, void *memory);

/* Its vertices and triangles, for pictures; of heights: writes them where the arrays are not NULL. */
void tp_surface_sizes(const tp_surface *surface, int *vertex_count_out, int *triangle_count_out);
void tp_surface_fill(const tp_surface *surface, tp_vec3 *vertices_out, int *triangles_out);

typedef struct tp_solid {
    tp_solid_kind kind;
    double radius;             /* SPHERE, CAPSULE, CYLINDER, INSIDE_CYLINDER, INSIDE_SPHERE [m] */
    double half_length;        /* CAPSULE (of its segment), CYLINDER, along z [m]               */
    tp_vec3 half_extents;      /* BOX [m]                                                       */
    const tp_hull *hull;       /* HULL; borrowed (a model copies it)                            */
    const tp_surface *surface; /* MESH, HEIGHTFIELD; borrowed (a model copies it)         */
} tp_solid;

/* Solids by their dimensions [m], which are not checked here: tp_solid_check does. */
tp_solid tp_solid_point(void);
tp_solid tp_solid_sphere(double radius);
tp_solid tp_solid_plane(void);
tp_solid tp_solid_box(tp_vec3 half_extents);
tp_solid tp_solid_capsule(double radius, double half_length);
tp_solid tp_solid_cylinder(double radius, double half_length);
tp_solid tp_solid_inside_cylinder(double radius);
tp_solid tp_solid_inside_sphere(double radius);
tp_solid tp_solid_hull(const tp_hull *hull);
tp_solid tp_solid_mesh(const tp_surface *surface);
tp_solid tp_solid_heightfield(const tp_surface *surface);

/* "box", "inside-cylinder", ...; "unknown" for a number that is not a kind. */
const char *tp_solid_kind_name(tp_solid_kind kind);

/* The kind of a name; false when there is none. */
bool tp_solid_kind_from_name(const char *name, tp_solid_kind *kind_out);

/* TP_OK when the kind exists and the dimensions it uses are finite and positive (half_length of a cylinder:
   not negative); else TP_INVALID_DATA. The functions below expect solids that passed. */
tp_status tp_solid_check(const tp_solid *solid, tp_message *why_out);

/* ---- bounds, to pass over pairs that are far apart ---- */

typedef struct tp_bounds {
    tp_vec3 lower, upper;
} tp_bounds;

/* The smallest box along the world axes around a solid (of MESH and HEIGHTFIELD: around the box in its own
   frame); infinite for PLANE and INSIDE_*. */
tp_bounds tp_solid_bounds(const tp_solid *solid, const tp_pose *pose);

/* True unless some axis separates the boxes by more than `reach`. */
bool tp_bounds_near(const tp_bounds *a, const tp_bounds *b, double reach);

/* Triangles of a MESH or HEIGHTFIELD, which touch one by one; 1 for other kinds. */
int tp_solid_part_count(const tp_solid *solid);

/* Numbers of the parts whose boxes meet a box in the frame of the solid, ascending; returns how many there
   are, and writes at most `capacity` of them. */
int tp_solid_near_parts(const tp_solid *solid, const tp_bounds *box, int *parts_out, int capacity);

/* Radius of the smallest ball about the local origin that holds the solid; infinite for PLANE and INSIDE_*.
 */
double tp_solid_bounding_radius(const tp_solid *solid);

/* ---- contact points ---- */

enum { TP_CONTACT_SLOTS_MAX = TP_HULL_VERTICES_MAX };

/* gap = normal . (point_b - point_a), and its rate is normal . (v_B(point_b) - v_A(point_a)) but for two
   exceptions (docs/theory/contacts-geometry.md): rim points of a tilted cylinder a quarter turn from the
   deepest, edges of two boxes that cross nearly parallel at a face. Tangents: tp_frame_from_normal. */
typedef struct tp_contact_point {
    tp_vec3 point_a, point_b; /* on the two surfaces, world [m]                           */
    tp_vec3 normal;           /* unit, world, from A to B                                 */
    double gap;               /* > 0 open [m]                                             */
    int slot;                 /* in [0, tp_collide_slot_count): the same feature, step by step */
} tp_contact_point;

/* Number of slots of a pair, in either order: as many as vertices for a hull against a plane or in a hollow,
   else at most 9; 0: there is no such pair. */
int tp_collide_slot_count(const tp_solid *a, const tp_solid *b);

/* TP_OK when the pair exists; else TP_UNSUPPORTED and what each of the two can touch. */
tp_status tp_collide_check(tp_solid_kind a, tp_solid_kind b, tp_message *why_out);

/* Contact points with gap <= reach, by ascending slot (none of solids with parts: tp_collide_part); points
   [tp_collide_slot_count], their number is returned. No pair, or a pose that is not finite: 0. */
int tp_collide(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b,
               double reach, tp_contact_point *points);

/* Slots of all parts: a feature is part * tp_collide_slot_count + slot. */
int tp_collide_feature_count(const tp_solid *a, const tp_solid *b);

/* tp_collide for one part of the solid that has parts (either one; of others part 0 is all). The contacts of
   all parts together are those of the solid: what two triangles share belongs to one of them. */
int tp_collide_part(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b,
                    int part, double reach, tp_contact_point *points);

typedef struct tp_moving_solid {
    tp_solid solid;
    tp_pose pose;
    tp_twist twist;
} tp_moving_solid;

/* Rates of a contact point as a point of the geometry (not of the material). */
typedef struct tp_contact_rate {
    tp_vec3 point_a, point_b; /* [m/s] */
    tp_vec3 normal;           /* [1/s] */
    double gap;               /* [m/s] */
} tp_contact_rate;

/* Rates of the contact point in a slot, however far it is: of every pair, between the places where its
   features change. Boxes and capsules against each other: of the features that meet now. False when there is
   no point in the slot now, or the pair has no such slot or parts. */
bool tp_collide_rate(const tp_moving_solid *a, const tp_moving_solid *b, int slot, tp_contact_rate *rate_out);

/* The same for one part of the solid that has parts (either one; of others part 0 is all). */
bool tp_collide_part_rate(const tp_moving_solid *a, const tp_moving_solid *b, int part, int slot,
                          tp_contact_rate *rate_out);

/* ---- mass properties ---- */

typedef struct tp_mass_properties {
    double mass;     /* [kg]                                                      */
    tp_vec3 centre;  /* of mass [m]                                               */
    tp_mat3 inertia; /* about the centre, along the axes of the frame [kg m^2]    */
} tp_mass_properties;

/* [m^3]; 0 for POINT and a flat disc, infinite for PLANE, INSIDE_*, MESH and HEIGHTFIELD. */
double tp_solid_volume(const tp_solid *solid);

/* A solid filled with a material of this density [kg/m^3]; TP_INVALID_DATA for a solid whose volume is 0 or
   infinite, and a density that is not positive. */
tp_status tp_solid_mass_properties(const tp_solid *solid, double density, tp_mass_properties *out,
                                   tp_message *why_out);

/* The same for a given mass [kg]; a flat disc is welcome here, and a point (inertia 0). */
tp_status tp_solid_mass_properties_of_mass(const tp_solid *solid, double mass, tp_mass_properties *out,
                                           tp_message *why_out);

/* Seen from the frame in which `pose` is given. */
tp_mass_properties tp_mass_properties_place(const tp_mass_properties *part, const tp_pose *pose);

/* Two parts of one body, both in its frame (Steiner); a part of mass 0 changes nothing. */
tp_mass_properties tp_mass_properties_add(const tp_mass_properties *a, const tp_mass_properties *b);

/* TP_OK when the mass is positive and the inertia that of a body with volume: symmetric, positive definite,
   no principal moment larger than the sum of the others (all relative to the largest, within 1e-9). */
tp_status tp_inertia_check(double mass, tp_mat3 inertia, tp_message *why_out);

/* Principal moments (ascending) and the frame whose axes belong to them: inertia = R diag(moments) R^T. */
void tp_inertia_principal(tp_mat3 inertia, tp_vec3 *moments_out, tp_quat *orientation_out);

/* A closed surface of triangles, counter-clockwise seen from outside; borrowed. */
struct tp_mesh {
    int vertex_count, triangle_count;
    const tp_vec3 *vertices; /* [vertex_count]                */
    const int *triangles;    /* [3 triangle_count], from zero */
};

/* TP_OK when the indices are in range, the vertices finite, every edge belongs to exactly two triangles that
   run through it in opposite directions, and the volume is positive; else TP_INVALID_DATA. */
tp_status tp_mesh_check(const tp_mesh *mesh, const tp_allocator *allocator, tp_message *why_out);

/* Checks, then integrates exactly over the surface. */
tp_status tp_mesh_mass_properties(const tp_mesh *mesh, double density, const tp_allocator *allocator,
                                  tp_mass_properties *out, tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
