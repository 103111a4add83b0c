/* How a hull is made: triangles first, then faces of those that lie in one plane. */
#ifndef TP_GEOMETRY_HULL_H
#define TP_GEOMETRY_HULL_H

#include "nearest.h"

enum { TP_HULL_TRIANGLES_MAX = 2 * TP_HULL_VERTICES_MAX + 8 };

typedef struct tp_hull_triangle {
    int vertex[3]; /* counter-clockwise seen from outside */
    tp_vec3 normal;
    double offset;
    bool is_used;
} tp_hull_triangle;

typedef struct tp_hull_triangles {
    int count;
    double tolerance; /* triangles whose corners are this close to a plane lie in it [m] */
    tp_hull_triangle triangle[TP_HULL_TRIANGLES_MAX];
} tp_hull_triangles;

/* face_of [count], above [count]: work. */
tp_status tp_quickhull(const tp_vec3 *points, int count, int *face_of, double *above, tp_hull_triangles *hull,
                       tp_message *why_out);

/* The signed distance of a moving point, in the frame of the hull; as tp_solid_nearest. */
tp_nearest tp_hull_nearest(const tp_hull *hull, tp_vec3 x, tp_vec3 x_rate);

#endif
