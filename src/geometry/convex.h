/* Convex solids as the general narrow phase sees them: polyhedra and segments by their vertices, edges and
   faces, cylinders by their caps, side and rims. docs/theory/contacts-geometry.md (20)-(27). */
#ifndef TP_GEOMETRY_CONVEX_H
#define TP_GEOMETRY_CONVEX_H

#include "core.h"

enum { TP_HULL_FACES_MAX = 2 * TP_HULL_VERTICES_MAX - 4 };

/* One triangle of a surface, with what its neighbours leave of its edges and corners. */
typedef struct tp_surface_triangle {
    tp_vec3 corner[3], normal; /* in the frame of the surface                                     */
    tp_vec3 beyond[3];         /* normal of the neighbour across edge k (corner k to k + 1), or the
                                  direction out of a border                                       */
    double side[3];            /* relative to the length of edge k: how far beyond it, or within, points are
                                  no longer over this triangle, so that of two neighbours one has them;
                                  NaN at a border                                                 */
    bool has_edge[3];          /* edge k touches: it is convex or a border, and this triangle's    */
    bool has_corner[3];        /* corner k is this triangle's; tp_surface_corner_allows decides     */
    const tp_surface *surface;
    int part;
} tp_surface_triangle;

/* Vertices and normals are turned into the world and seen from the middle of A. */
typedef struct tp_convex {
    tp_vec3 centre;
    tp_mat3 R;
    double radius;      /* thickness of a capsule; radius of a cylinder                */
    double half_length; /* of a cylinder                                               */
    bool is_cylinder;   /* then there are no vertices, edges or faces                  */
    double size;        /* of its extent, for margins                                  */
    int vertex_count, edge_count, face_count;
    tp_vec3 vertex[TP_HULL_VERTICES_MAX];
    tp_vec3 normal[TP_HULL_FACES_MAX]; /* of faces and caps; of a triangle: its own, three beyond its edges */
    const tp_hull_edge *edge;          /* left = -1: a segment, which has all normals across it       */
    const int *face_start, *face_vertex;
    tp_hull_edge own_edge[3];
    const tp_surface_triangle *triangle; /* NULL: a solid of its own */
} tp_convex;

/* BOX, CAPSULE, CYLINDER, HULL. */
void tp_convex_of(const tp_solid *solid, const tp_pose *pose, tp_vec3 origin, tp_convex *convex_out);
void tp_convex_of_triangle(const tp_surface_triangle *triangle, const tp_pose *pose, tp_vec3 origin,
                           tp_convex *convex_out);

/* Around a core: that of a capsule. */
static inline double tp_convex_thickness(const tp_convex *convex)
{
    return convex->is_cylinder ? 0.0 : convex->radius;
}

/* Faces and caps: that many normals. */
static inline int tp_convex_flat_count(const tp_convex *convex)
{
    return convex->is_cylinder ? 2 : convex->face_count;
}

/* max n.x; the vertex where (0 for a cylinder). */
double tp_convex_support(const tp_convex *convex, tp_vec3 n, int *vertex_out);

static inline tp_vec3 tp_convex_edge_direction(const tp_convex *convex, int k)
{
    const tp_hull_edge *edge = &convex->edge[k];
    return tp_vec3_normalise(tp_vec3_sub(convex->vertex[edge->to], convex->vertex[edge->from]));
}

/* Whether n, out of the solid, belongs to an edge or a corner: every n but on a surface of triangles. */
bool tp_convex_edge_allows(const tp_convex *convex, int edge, tp_vec3 n);
bool tp_convex_vertex_allows(const tp_convex *convex, int vertex, tp_vec3 n);

/* Corners of a triangle that tp_convex_vertex_allows leaves out, since n is at the border of their range:
   where a level ridge ends, and of what is flat around the triangle. No other solid has any. */
bool tp_convex_is_ridge_end(const tp_convex *convex, int vertex, tp_vec3 n);
bool tp_convex_is_plateau_corner(const tp_convex *convex, int vertex, tp_vec3 n);

/* ---- features ---- */

typedef enum tp_feature_kind {
    TP_FEATURE_VERTEX,
    TP_FEATURE_EDGE, /* an edge, or the segment of a capsule                            */
    TP_FEATURE_FACE, /* a face, or with index -1, +1 a cap of a cylinder                */
    TP_FEATURE_SIDE, /* the axis of a cylinder, its radius away                         */
    TP_FEATURE_RIM   /* the circle at the end -1, +1 of a cylinder                      */
} tp_feature_kind;

typedef struct tp_feature {
    tp_feature_kind kind;
    int index;
} tp_feature;

/* The direction of largest separation of two cores. */
typedef struct tp_separation {
    double gap;     /* < 0: they overlap */
    tp_vec3 normal; /* unit, from A to B */
    tp_feature a, b;
} tp_separation;

/* (20): margin is what a later candidate must be better by. */
tp_separation tp_convex_separation(const tp_convex *a, const tp_convex *b, double margin);

/* Candidates of (22)-(24), where one or both are cylinders. */
void tp_separate_round(const tp_convex *a, const tp_convex *b, double margin, tp_separation *best);
/* Takes a direction if it separates more than the best by the margin; one out of A or out of B, with the
   features in the order of that. */
void tp_try_direction(double gap, tp_vec3 normal, tp_feature a, tp_feature b, double margin,
                      tp_separation *best);
void tp_try_out_of(bool is_of_b, double gap, tp_vec3 out, tp_feature own, tp_feature other, double margin,
                   tp_separation *best);

/* The contact of the two features of a separation, before thickness of capsules. False: they do not meet. */
bool tp_feature_contact(const tp_convex *a, const tp_convex *b, const tp_separation *best,
                        tp_core_contact *contact_out);

/* ---- curves ---- */

/* A line point + s u, or with a radius the circle point + radius (cos s u + sin s v). */
typedef struct tp_curve {
    tp_vec3 point, u, v;
    double radius;
    double low, high; /* of a line */
} tp_curve;

tp_vec3 tp_curve_at(const tp_curve *curve, double s);
/* Unit tangent, and its derivative along the curve. */
tp_vec3 tp_curve_tangent(const tp_curve *curve, double s, tp_vec3 *bend_out);
/* Newton's method for two points whose difference is perpendicular to both curves; false: none nearby. */
bool tp_curves_nearest(const tp_curve *a, const tp_curve *b, double *s_io, double *t_io);

tp_curve tp_convex_edge_curve(const tp_convex *convex, int from, int to);
/* end: -1 or +1. */
tp_curve tp_convex_rim_curve(const tp_convex *cylinder, int end);
tp_curve tp_convex_axis_curve(const tp_convex *cylinder);

/* ---- contacts ---- */

enum { TP_MANIFOLD_MAX = 8 };

/* Contacts at the faces or lines that look at each other along the normal, in slots [0, 8), in no order;
   before thickness of capsules. Returns their number. */
int tp_convex_manifold(const tp_convex *a, const tp_convex *b, tp_vec3 normal, tp_core_contact *contacts);

/* Contacts of two views by ascending slot, the last of `slots` for what the manifold has not; `origin` is the
   middle of A in the world. */
int tp_meet_views(const tp_convex *a, const tp_convex *b, tp_vec3 origin, double reach, int slots,
                  tp_core_contact *found);

#endif
