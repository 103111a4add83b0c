/* Surfaces of triangles: one triangle at a time. */
#ifndef TP_GEOMETRY_SURFACE_H
#define TP_GEOMETRY_SURFACE_H

#include "bounds.h"
#include "convex.h"

/* A node of the tree of boxes; its children follow it, `skip` is the first node that is not below it. */
typedef struct tp_surface_node {
    tp_bounds box;
    int skip, first, count; /* triangles of a leaf: order[first] ... */
} tp_surface_node;

struct tp_surface {
    bool has_heights;
    double radius; /* of the ball about the origin that holds it */
    tp_bounds box;
    /* a mesh */
    int vertex_count, triangle_count, node_count, fan_count;
    const tp_vec3 *vertices;
    const int *triangles, *neighbours; /* [3 triangle_count]; neighbours: -1 at a border         */
    const int *owner;                  /* [vertex_count]: the lowest triangle of a vertex        */
    const int *fan_start, *fan;        /* vertices that share an edge with a vertex              */
    const tp_vec3 *fronts;             /* [vertex_count]: sum of the normals around a vertex     */
    const tp_surface_node *nodes;
    const int *order; /* [triangle_count] */
    /* heights */
    int columns, rows;
    double spacing_x, spacing_y;
    const double *heights; /* [columns rows] */
};

/* A triangle with what its neighbours leave of its edges; docs/theory/contacts-geometry.md (31). */
void tp_surface_triangle_of(const tp_surface *surface, int part, tp_surface_triangle *triangle_out);

/* Whether n (in the frame of the surface) is within the range of a corner: edges fall off along n, but for so
   many that may be level (1: the end of a ridge; two of them are one ridge, or a plateau). */
bool tp_surface_corner_allows(const tp_surface_triangle *triangle, int corner, tp_vec3 n, int level_most);

/* Whether a corner of the triangle is one of the flat part of the surface around it, which nothing rises
   above, and this triangle the one that has it; false where the corner alone is the farthest one along n:
   tp_surface_corner_allows. */
bool tp_surface_is_plateau_corner(const tp_surface_triangle *triangle, int corner, tp_vec3 n);

/* Whether heights are above a point; false beside them, and of meshes. */
bool tp_surface_is_above(const tp_surface *surface, tp_vec3 x);

/* mesh.c: vertices that are not finite and triangles of vertices that do not exist are TP_INVALID_DATA. */
tp_status tp_mesh_check_entries(const tp_mesh *mesh, tp_message *why_out);

/* mesh.c: half-edges (number 3 t + k, corner k to k + 1 of triangle t) by their first vertex, list[start[i]]
   ...; start [vertex_count + 1], list [3 triangle_count]. The vertex where one ends. */
void tp_mesh_list_edges(const tp_mesh *mesh, int *start, int *list);
static inline int tp_mesh_edge_end(const tp_mesh *mesh, int edge)
{
    return mesh->triangles[edge % 3 == 2 ? edge - 2 : edge + 1];
}

static inline tp_bounds tp_bounds_of_triangle(const tp_vec3 *c)
{
    tp_bounds side = tp_bounds_join((tp_bounds){c[1], c[1]}, (tp_bounds){c[2], c[2]});
    return tp_bounds_join((tp_bounds){c[0], c[0]}, side);
}

#endif
