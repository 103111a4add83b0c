/* Convex hulls: faces, edges, mass and distance; docs/theory/contacts-geometry.md (28), (29). */
#include "hull.h"

#include "tetrahedron.h"

#include <string.h>

/* ---- faces from triangles ---- */

/* A hull while it is made. */
typedef struct workshop {
    const tp_vec3 *points;
    tp_hull_triangles triangles;
    int group[TP_HULL_TRIANGLES_MAX]; /* face of a triangle */
    int vertex_of[TP_HULL_VERTICES_MAX], vertex_count;
    tp_vec3 vertex[TP_HULL_VERTICES_MAX], normal[TP_HULL_TRIANGLES_MAX];
    int face_start[TP_HULL_TRIANGLES_MAX + 1], face_count;
    int face_vertex[3 * TP_HULL_TRIANGLES_MAX];
    tp_hull_edge edge[3 * TP_HULL_TRIANGLES_MAX];
    int edge_count;
    int cut[3 * TP_HULL_TRIANGLES_MAX], triangle_count;
} workshop;

static bool is_used(const workshop *shop, int t)
{
    return shop->triangles.triangle[t].is_used;
}

/* The triangle that has the edge from -> to; -1: none. */
static int triangle_at(const workshop *shop, int from, int to)
{
    for (int t = 0; t < shop->triangles.count; t++)
        for (int e = 0; e < 3 && is_used(shop, t); e++) {
            const int *v = shop->triangles.triangle[t].vertex;
            if (v[e] == from && v[(e + 1) % 3] == to) return t;
        }
    return -1;
}

static double double_area(const workshop *shop, int t)
{
    const int *v = shop->triangles.triangle[t].vertex;
    tp_vec3 a = shop->points[v[0]];
    return tp_vec3_norm(
        tp_vec3_cross(tp_vec3_sub(shop->points[v[1]], a), tp_vec3_sub(shop->points[v[2]], a)));
}

static bool lies_in_plane(const workshop *shop, int t, const tp_hull_triangle *plane)
{
    for (int k = 0; k < 3; k++) {
        tp_vec3 x = shop->points[shop->triangles.triangle[t].vertex[k]];
        if (fabs(tp_vec3_dot(plane->normal, x) - plane->offset) > shop->triangles.tolerance) return false;
    }
    return tp_vec3_dot(plane->normal, shop->triangles.triangle[t].normal) > 0.0;
}

/* Triangles around the largest one that is left, as far as they lie in its plane. */
static bool group_next(workshop *shop, int number)
{
    int seed = -1;
    double largest = -1.0;
    for (int t = 0; t < shop->triangles.count; t++)
        if (is_used(shop, t) && shop->group[t] < 0 && double_area(shop, t) > largest) {
            largest = double_area(shop, t);
            seed = t;
        }
    if (seed < 0) return false;
    shop->group[seed] = number;
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (int t = 0; t < shop->triangles.count; t++) {
            if (!is_used(shop, t) || shop->group[t] >= 0) continue;
            const int *v = shop->triangles.triangle[t].vertex;
            bool is_beside = false;
            for (int e = 0; e < 3; e++) {
                int other = triangle_at(shop, v[(e + 1) % 3], v[e]);
                is_beside = is_beside || (other >= 0 && shop->group[other] == number);
            }
            if (!is_beside || !lies_in_plane(shop, t, &shop->triangles.triangle[seed])) continue;
            shop->group[t] = number;
            has_grown = true;
        }
    }
    return true;
}

static int new_number(workshop *shop, int point)
{
    for (int k = 0; k < shop->vertex_count; k++)
        if (shop->vertex_of[k] == point) return k;
    if (shop->vertex_count == TP_HULL_VERTICES_MAX) return -1;
    shop->vertex_of[shop->vertex_count] = point;
    shop->vertex[shop->vertex_count] = shop->points[point];
    return shop->vertex_count++;
}

/* An edge of the border of a face: from, to, and the face beyond. */
typedef struct border_edge {
    int from, to, beyond;
} border_edge;

static int border_of(const workshop *shop, int number, border_edge *border)
{
    int count = 0;
    for (int t = 0; t < shop->triangles.count; t++)
        for (int e = 0; e < 3 && is_used(shop, t) && shop->group[t] == number; e++) {
            const int *v = shop->triangles.triangle[t].vertex;
            int from = v[e], to = v[(e + 1) % 3], other = triangle_at(shop, to, from);
            if (other < 0) return 0;
            if (shop->group[other] != number) border[count++] = (border_edge){from, to, shop->group[other]};
        }
    return count;
}

/* A point between two faces only lies on their edge: points of equal height are added in any order. */
static bool is_on_edge(const workshop *shop, int point)
{
    int seen[2] = {-1, -1};
    for (int t = 0; t < shop->triangles.count; t++) {
        const int *v = shop->triangles.triangle[t].vertex;
        if (!is_used(shop, t) || (v[0] != point && v[1] != point && v[2] != point)) continue;
        int group = shop->group[t];
        if (seen[0] < 0 || seen[0] == group)
            seen[0] = group;
        else if (seen[1] < 0 || seen[1] == group)
            seen[1] = group;
        else
            return false;
    }
    return true;
}

/* Puts the edges of a border in turn, those that a point between divides as one; returns their number. */
static int order_border(const workshop *shop, border_edge *border, int count)
{
    for (int k = 0; k + 1 < count; k++) {
        int next = k + 1;
        while (next < count && border[next].from != border[k].to) next++;
        if (next == count) return 0;
        border_edge swap = border[k + 1];
        border[k + 1] = border[next];
        border[next] = swap;
    }
    if (count < 3 || border[count - 1].to != border[0].from) return 0;
    int kept = 0;
    for (int k = 0; k < count; k++)
        if (!is_on_edge(shop, border[k].from)) border[kept++] = border[k];
    for (int k = 0; k < kept; k++) border[k].to = border[(k + 1) % kept].from;
    return kept;
}

/* The border of a face; edges are noted from the side of the lower number. */
static bool trace_face(workshop *shop, int number)
{
    border_edge border[3 * TP_HULL_TRIANGLES_MAX];
    int start = shop->face_start[number];
    int count = order_border(shop, border, border_of(shop, number, border));
    if (count < 3 || start + count > 3 * TP_HULL_TRIANGLES_MAX) return false;
    tp_vec3 area = tp_vec3_zero(), first = shop->points[border[0].from];
    for (int k = 0; k < count; k++) {
        const border_edge *edge = &border[k];
        int a = new_number(shop, edge->from), b = new_number(shop, edge->to);
        if (a < 0 || b < 0) return false;
        shop->face_vertex[start + k] = a;
        area = tp_vec3_add(area, tp_vec3_cross(tp_vec3_sub(shop->points[edge->from], first),
                                               tp_vec3_sub(shop->points[edge->to], first)));
        if (edge->beyond > number)
            shop->edge[shop->edge_count++] = (tp_hull_edge){a, b, number, edge->beyond};
    }
    shop->normal[number] = tp_vec3_normalise(area);
    shop->face_start[number + 1] = start + count;
    return true;
}

static void cut_faces(workshop *shop)
{
    shop->triangle_count = 0;
    for (int f = 0; f < shop->face_count; f++) {
        const int *corner = shop->face_vertex + shop->face_start[f];
        for (int k = 1; k + 1 < shop->face_start[f + 1] - shop->face_start[f]; k++) {
            int *triangle = shop->cut + 3 * shop->triangle_count++;
            triangle[0] = corner[0];
            triangle[1] = corner[k];
            triangle[2] = corner[k + 1];
        }
    }
}

static tp_status make_faces(workshop *shop, tp_message *why_out)
{
    shop->vertex_count = shop->edge_count = shop->face_count = 0;
    shop->face_start[0] = 0;
    for (int t = 0; t < shop->triangles.count; t++) shop->group[t] = -1;
    while (group_next(shop, shop->face_count)) shop->face_count++;
    bool is_whole = true;
    for (int k = 0; k < shop->face_count && is_whole; k++) is_whole = trace_face(shop, k);
    if (is_whole && shop->vertex_count - shop->edge_count + shop->face_count == 2) return TP_OK;
    return tp_fail(why_out, TP_INVALID_DATA,
                   "hull: the points are too close to each other to make faces of; leave some out");
}

/* ---- one block of memory ---- */

size_t tp_hull_bytes(const tp_hull *hull)
{
    int faces = hull->face_count, numbers = faces + 1 + hull->face_start[faces] + 3 * hull->triangle_count;
    return sizeof(tp_hull) + (size_t)(hull->vertex_count + faces) * sizeof(tp_vec3) +
           (size_t)hull->edge_count * sizeof(tp_hull_edge) + (size_t)numbers * sizeof(int);
}

/* Copies the arrays of `from` behind the struct at `memory`. */
tp_hull *tp_hull_copy(const tp_hull *from, void *memory)
{
    tp_hull *hull = memory;
    *hull = *from;
    tp_vec3 *vectors = (tp_vec3 *)(hull + 1);
    size_t vertices = (size_t)from->vertex_count, faces = (size_t)from->face_count;
    size_t corners = (size_t)from->face_start[faces], edges = (size_t)from->edge_count;
    tp_hull_edge *edge = (tp_hull_edge *)(vectors + vertices + faces);
    int *numbers = (int *)(edge + edges);
    hull->vertices = memcpy(vectors, from->vertices, vertices * sizeof *vectors);
    hull->face_normals = memcpy(vectors + vertices, from->face_normals, faces * sizeof *vectors);
    hull->edges = memcpy(edge, from->edges, edges * sizeof *edge);
    hull->face_start = memcpy(numbers, from->face_start, (faces + 1) * sizeof *numbers);
    hull->face_vertices = memcpy(numbers + faces + 1, from->face_vertices, corners * sizeof *numbers);
    hull->triangles = memcpy(numbers + faces + 1 + corners, from->triangles,
                             3 * (size_t)from->triangle_count * sizeof *numbers);
    return hull;
}

/* ---- mass ---- */

/* (29): each triangle makes a tetrahedron with the middle of all vertices. */
static void set_mass(tp_hull *hull)
{
    tp_vec3 middle = tp_vec3_zero(), first = tp_vec3_zero();
    tp_mat3 second = tp_mat3_diagonal(tp_vec3_zero());
    double volume = 0.0;
    for (int k = 0; k < hull->vertex_count; k++)
        middle = tp_vec3_add_scaled(middle, 1.0 / hull->vertex_count, hull->vertices[k]);
    for (int t = 0; t < hull->triangle_count; t++) {
        tp_vec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = tp_vec3_sub(hull->vertices[hull->triangles[3 * t + k]], middle);
        tp_tetrahedron_add(corner[0], corner[1], corner[2], &volume, &first, &second);
    }
    hull->volume = volume;
    tp_vec3 centre = tp_vec3_scale(1.0 / volume, first);
    hull->centre = tp_vec3_add(middle, centre);
    hull->squares = tp_mat3_sub(tp_mat3_scale(1.0 / volume, second), tp_mat3_outer(centre, centre));
    hull->radius = 0.0;
    for (int k = 0; k < hull->vertex_count; k++)
        hull->radius = fmax(hull->radius, tp_vec3_norm(hull->vertices[k]));
}

/* ---- making ---- */

static tp_status check_points(const tp_vec3 *points, int count, tp_message *why_out)
{
    if (count < 4) return tp_fail(why_out, TP_INVALID_DATA, "hull: %d points, at least 4 are needed", count);
    for (int i = 0; i < count; i++)
        if (!(isfinite(points[i].x) && isfinite(points[i].y) && isfinite(points[i].z)))
            return tp_fail(why_out, TP_INVALID_DATA, "hull: point %d is (%g, %g, %g), must be finite", i,
                           points[i].x, points[i].y, points[i].z);
    return TP_OK;
}

static tp_status build(const tp_allocator *allocator, const tp_vec3 *points, int count, workshop *shop,
                       int *face_of, double *above, tp_hull **hull_out, tp_message *why_out)
{
    shop->points = points;
    TP_TRY(tp_quickhull(points, count, face_of, above, &shop->triangles, why_out));
    TP_TRY(make_faces(shop, why_out));
    cut_faces(shop);
    tp_hull made = {.vertex_count = shop->vertex_count,
                    .face_count = shop->face_count,
                    .edge_count = shop->edge_count,
                    .vertices = shop->vertex,
                    .face_normals = shop->normal,
                    .face_start = shop->face_start,
                    .face_vertices = shop->face_vertex,
                    .edges = shop->edge,
                    .triangle_count = shop->triangle_count,
                    .triangles = shop->cut};
    set_mass(&made);
    void *memory = allocator->allocate(allocator->context, tp_hull_bytes(&made));
    if (memory == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "hull: no memory");
    *hull_out = tp_hull_copy(&made, memory);
    return TP_OK;
}

tp_status tp_hull_create(const tp_allocator *allocator, const tp_vec3 *points, int count, tp_hull **hull_out,
                         tp_message *why_out)
{
    if (allocator == NULL) allocator = tp_allocator_default();
    *hull_out = NULL;
    TP_TRY(check_points(points, count, why_out));
    workshop *shop = allocator->allocate(allocator->context, sizeof *shop);
    double *above = allocator->allocate(allocator->context, (size_t)count * (sizeof *above + sizeof(int)));
    tp_status status =
        shop != NULL && above != NULL
            ? build(allocator, points, count, shop, (int *)(above + count), above, hull_out, why_out)
            : tp_fail(why_out, TP_OUT_OF_MEMORY, "hull: no memory for %d points", count);
    allocator->release(allocator->context, above);
    allocator->release(allocator->context, shop);
    return status;
}

void tp_hull_free(const tp_allocator *allocator, tp_hull *hull)
{
    if (allocator == NULL) allocator = tp_allocator_default();
    allocator->release(allocator->context, hull);
}

/* ---- distance ---- */

static bool is_over_face(const tp_hull *hull, int face, tp_vec3 x)
{
    const int *corner = hull->face_vertices + hull->face_start[face];
    int count = hull->face_start[face + 1] - hull->face_start[face];
    for (int k = 0; k < count; k++) {
        tp_vec3 from = hull->vertices[corner[k]],
                along = tp_vec3_sub(hull->vertices[corner[(k + 1) % count]], from);
        if (tp_vec3_dot(tp_vec3_cross(along, hull->face_normals[face]), tp_vec3_sub(x, from)) > 0.0)
            return false;
    }
    return true;
}

/* Outside, and over no face: the nearest edge, or its end. */
static tp_nearest nearest_edge(const tp_hull *hull, tp_vec3 x, tp_vec3 x_rate)
{
    double best = INFINITY;
    tp_vec3 offset = tp_vec3_zero(), rate = x_rate;
    for (int k = 0; k < hull->edge_count; k++) {
        tp_vec3 from = hull->vertices[hull->edges[k].from];
        tp_vec3 along = tp_vec3_sub(hull->vertices[hull->edges[k].to], from);
        double square = tp_vec3_dot(along, along), t = tp_vec3_dot(tp_vec3_sub(x, from), along) / square;
        tp_vec3 foot = tp_vec3_add_scaled(from, fmin(fmax(t, 0.0), 1.0), along), away = tp_vec3_sub(x, foot);
        double distance = tp_vec3_dot(away, away);
        if (!(distance < best)) continue;
        best = distance;
        offset = away;
        bool is_inside = t > 0.0 && t < 1.0;
        rate = is_inside ? tp_vec3_add_scaled(x_rate, -tp_vec3_dot(x_rate, along) / square, along) : x_rate;
    }
    return tp_nearest_of_core(offset, rate);
}

tp_nearest tp_hull_nearest(const tp_hull *hull, tp_vec3 x, tp_vec3 x_rate)
{
    int face = 0;
    double highest = -INFINITY;
    for (int k = 0; k < hull->face_count; k++) {
        tp_vec3 on_face = hull->vertices[hull->face_vertices[hull->face_start[k]]];
        double height = tp_vec3_dot(hull->face_normals[k], tp_vec3_sub(x, on_face));
        if (height > 0.0 && is_over_face(hull, k, x))
            return (tp_nearest){height, hull->face_normals[k], tp_vec3_zero()};
        if (k == 0 || height > highest) highest = height, face = k;
    }
    if (!(highest > 0.0)) return (tp_nearest){highest, hull->face_normals[face], tp_vec3_zero()};
    return nearest_edge(hull, x, x_rate);
}
