/* Views of solids for the general narrow phase: vertices and normals in the world, features that are shared
   by all solids of a kind. */
#include "convex.h"

#include "surface.h"
#include "tolerances.h"

static const int box_face_start[7] = {0, 4, 8, 12, 16, 20, 24};
/* Faces +x, -x, +y, -y, +z, -z, counter-clockwise seen from outside; corners as in tp_solid_vertices. */
static const int box_face_vertex[24] = {1, 3, 7, 5, 0, 4, 6, 2, 2, 6, 7, 3,
                                        0, 1, 5, 4, 4, 5, 7, 6, 0, 2, 3, 1};
static const tp_hull_edge box_edge[12] = {{1, 3, 0, 5}, {3, 7, 0, 2}, {7, 5, 0, 4}, {5, 1, 0, 3},
                                          {0, 4, 1, 3}, {4, 6, 1, 4}, {6, 2, 1, 2}, {2, 0, 1, 5},
                                          {6, 7, 2, 4}, {3, 2, 2, 5}, {0, 1, 3, 5}, {5, 4, 3, 4}};
static const tp_hull_edge segment_edge[1] = {{0, 1, -1, -1}};
static const int triangle_face_start[2] = {0, 3}, triangle_face_vertex[3] = {0, 1, 2};

static void place_box(const tp_solid *solid, tp_convex *convex)
{
    tp_vec3 h = solid->half_extents;
    tp_vec3 arm[3] = {tp_vec3_scale(h.x, convex->R.cx), tp_vec3_scale(h.y, convex->R.cy),
                      tp_vec3_scale(h.z, convex->R.cz)};
    const tp_vec3 axis[3] = {convex->R.cx, convex->R.cy, convex->R.cz};
    for (int k = 0; k < 8; k++) {
        tp_vec3 x = convex->centre;
        for (int i = 0; i < 3; i++) x = tp_vec3_add_scaled(x, k >> i & 1 ? 1.0 : -1.0, arm[i]);
        convex->vertex[k] = x;
    }
    for (int k = 0; k < 6; k++) convex->normal[k] = k % 2 == 0 ? axis[k / 2] : tp_vec3_negate(axis[k / 2]);
    convex->vertex_count = 8;
    convex->edge_count = 12;
    convex->face_count = 6;
    convex->edge = box_edge;
    convex->face_start = box_face_start;
    convex->face_vertex = box_face_vertex;
}

static void place_segment(const tp_solid *solid, tp_convex *convex)
{
    convex->vertex[0] = tp_vec3_add_scaled(convex->centre, -solid->half_length, convex->R.cz);
    convex->vertex[1] = tp_vec3_add_scaled(convex->centre, solid->half_length, convex->R.cz);
    convex->vertex_count = 2;
    convex->edge_count = 1;
    convex->edge = segment_edge;
    convex->radius = solid->radius;
}

static void place_hull(const tp_hull *hull, tp_convex *convex)
{
    for (int k = 0; k < hull->vertex_count; k++)
        convex->vertex[k] = tp_vec3_add(convex->centre, tp_mat3_apply(convex->R, hull->vertices[k]));
    for (int k = 0; k < hull->face_count; k++)
        convex->normal[k] = tp_mat3_apply(convex->R, hull->face_normals[k]);
    convex->vertex_count = hull->vertex_count;
    convex->edge_count = hull->edge_count;
    convex->face_count = hull->face_count;
    convex->edge = hull->edges;
    convex->face_start = hull->face_start;
    convex->face_vertex = hull->face_vertices;
}

static void begin(const tp_pose *pose, tp_vec3 origin, tp_convex *convex)
{
    convex->R = tp_quat_to_matrix(pose->orientation);
    convex->centre = tp_vec3_sub(pose->origin, origin);
    convex->radius = convex->half_length = 0.0;
    convex->is_cylinder = false;
    convex->vertex_count = convex->edge_count = convex->face_count = 0;
    convex->edge = NULL;
    convex->face_start = convex->face_vertex = NULL;
    convex->triangle = NULL;
}

void tp_convex_of(const tp_solid *solid, const tp_pose *pose, tp_vec3 origin, tp_convex *convex)
{
    begin(pose, origin, convex);
    convex->size = tp_solid_bounding_radius(solid);
    if (solid->kind == TP_SOLID_BOX) place_box(solid, convex);
    if (solid->kind == TP_SOLID_CAPSULE) place_segment(solid, convex);
    if (solid->kind == TP_SOLID_HULL) place_hull(solid->hull, convex);
    if (solid->kind != TP_SOLID_CYLINDER) return;
    convex->is_cylinder = true;
    convex->normal[0] = tp_vec3_negate(convex->R.cz);
    convex->normal[1] = convex->R.cz;
    convex->radius = solid->radius;
    convex->half_length = solid->half_length;
}

void tp_convex_of_triangle(const tp_surface_triangle *triangle, const tp_pose *pose, tp_vec3 origin,
                           tp_convex *convex)
{
    begin(pose, origin, convex);
    convex->size = 0.0;
    convex->triangle = triangle;
    convex->vertex_count = 3;
    convex->face_count = 1;
    convex->face_start = triangle_face_start;
    convex->face_vertex = triangle_face_vertex;
    convex->edge = convex->own_edge;
    convex->normal[0] = tp_mat3_apply(convex->R, triangle->normal);
    for (int k = 0; k < 3; k++) {
        convex->vertex[k] = tp_vec3_add(convex->centre, tp_mat3_apply(convex->R, triangle->corner[k]));
        convex->normal[1 + k] = tp_mat3_apply(convex->R, triangle->beyond[k]);
        if (triangle->has_edge[k])
            convex->own_edge[convex->edge_count++] = (tp_hull_edge){k, (k + 1) % 3, 0, 1 + k};
        convex->size =
            fmax(convex->size, tp_vec3_norm(tp_vec3_sub(triangle->corner[k], triangle->corner[0])));
    }
}

double tp_convex_support(const tp_convex *convex, tp_vec3 n, int *vertex_out)
{
    *vertex_out = 0;
    if (convex->is_cylinder)
        return tp_vec3_dot(n, convex->centre) +
               convex->radius * tp_vec3_norm(tp_vec3_cross(n, convex->R.cz)) +
               convex->half_length * fabs(tp_vec3_dot(n, convex->R.cz));
    double best = -INFINITY;
    for (int k = 0; k < convex->vertex_count; k++) {
        double along = tp_vec3_dot(n, convex->vertex[k]);
        if (!(along > best)) continue;
        best = along;
        *vertex_out = k;
    }
    return best;
}

bool tp_convex_edge_allows(const tp_convex *convex, int edge, tp_vec3 n)
{
    if (convex->triangle == NULL) return true;
    const tp_hull_edge *e = &convex->edge[edge];
    tp_vec3 along = tp_convex_edge_direction(convex, edge);
    return tp_vec3_dot(n, tp_vec3_cross(convex->normal[e->left], along)) <= tp_range_margin &&
           tp_vec3_dot(n, tp_vec3_cross(along, convex->normal[e->right])) <= tp_range_margin;
}

static bool corner_allows(const tp_convex *convex, int vertex, tp_vec3 n, int level_most)
{
    return convex->triangle->has_corner[vertex] &&
           tp_surface_corner_allows(convex->triangle, vertex, tp_mat3_apply_transposed(convex->R, n),
                                    level_most);
}

bool tp_convex_vertex_allows(const tp_convex *convex, int vertex, tp_vec3 n)
{
    return convex->triangle == NULL || corner_allows(convex, vertex, n, 0);
}

bool tp_convex_is_ridge_end(const tp_convex *convex, int vertex, tp_vec3 n)
{
    return convex->triangle != NULL && corner_allows(convex, vertex, n, 1);
}

bool tp_convex_is_plateau_corner(const tp_convex *convex, int vertex, tp_vec3 n)
{
    return convex->triangle != NULL &&
           tp_surface_is_plateau_corner(convex->triangle, vertex, tp_mat3_apply_transposed(convex->R, n));
}
