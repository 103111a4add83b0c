/* Surfaces of triangles: one triangle at a time. */
#ifndef TP_GEOMETRY_SURFACE_H
#define TP_GEOMETRY_SURFACE_H

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

static inline tp_bounds tp_bounds_of_triangle(const tp_vec3 *c)
{
    return (tp_bounds){{fmin(c[0].x, fmin(c[1].x, c[2].x)), fmin(c[0].y, fmin(c[1].y, c[2].y)),
                        fmin(c[0].z, fmin(c[1].z, c[2].z))},
                       {fmax(c[0].x, fmax(c[1].x, c[2].x)), fmax(c[0].y, fmax(c[1].y, c[2].y)),
                        fmax(c[0].z, fmax(c[1].z, c[2].z))}};
}

#endif
