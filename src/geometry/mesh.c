/* Closed surfaces of triangles: checks and exact integrals; docs/theory/contacts-geometry.md (13). */
#include "tippe/geometry.h"

#include "base/sort.h"
#include "math/sparse.h"
#include "surface.h"
#include "tetrahedron.h"
#include "tippe/rotation.h"
#include "tolerances.h"

#include <limits.h>
#include <stdio.h>

typedef struct mesh_integrals {
    double volume;
    tp_vec3 first;  /* integral of x, seen from the middle of the box     */
    tp_mat3 second; /* integral of x x^T                                  */
} mesh_integrals;

static tp_bounds mesh_bounds(const tp_mesh *mesh)
{
    tp_bounds box = {mesh->vertices[0], mesh->vertices[0]};
    for (int i = 1; i < mesh->vertex_count; i++)
        box = tp_bounds_join(box, (tp_bounds){mesh->vertices[i], mesh->vertices[i]});
    return box;
}

/* Each triangle makes a tetrahedron with the middle of the box, its volume signed; (13). */
static mesh_integrals integrate(const tp_mesh *mesh, tp_vec3 middle)
{
    mesh_integrals sum = {0};
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *corner = mesh->triangles + 3 * t;
        tp_vec3 a = tp_vec3_sub(mesh->vertices[corner[0]], middle);
        tp_vec3 b = tp_vec3_sub(mesh->vertices[corner[1]], middle);
        tp_vec3 c = tp_vec3_sub(mesh->vertices[corner[2]], middle);
        tp_tetrahedron_add(a, b, c, &sum.volume, &sum.first, &sum.second);
    }
    return sum;
}

tp_status tp_mesh_check_entries(const tp_mesh *mesh, tp_message *why_out)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        tp_vec3 x = mesh->vertices[i];
        if (!(isfinite(x.x) && isfinite(x.y) && isfinite(x.z)))
            return tp_fail(why_out, TP_INVALID_DATA, "mesh: vertex %d is (%g, %g, %g), must be finite", i,
                           x.x, x.y, x.z);
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * t;
        for (int k = 0; k < 3; k++)
            if (c[k] < 0 || c[k] >= mesh->vertex_count)
                return tp_fail(why_out, TP_INVALID_DATA,
                               "mesh: triangle %d has the vertex %d, there are %d, counted from 0", t, c[k],
                               mesh->vertex_count);
    }
    return TP_OK;
}

static tp_status check_numbers(const tp_mesh *mesh, tp_message *why_out)
{
    if (mesh->vertex_count < 4 || mesh->triangle_count < 4)
        return tp_fail(why_out, TP_INVALID_DATA,
                       "mesh: %d vertices and %d triangles, a closed one has at least 4 of each",
                       mesh->vertex_count, mesh->triangle_count);
    if (mesh->triangle_count > INT_MAX / 3)
        return tp_fail(why_out, TP_INVALID_DATA, "mesh: %d triangles, at most %d", mesh->triangle_count,
                       INT_MAX / 3);
    TP_TRY(tp_mesh_check_entries(mesh, why_out));
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * t;
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0])
            return tp_fail(why_out, TP_INVALID_DATA, "mesh: triangle %d has a vertex twice (%d, %d, %d)", t,
                           c[0], c[1], c[2]);
    }
    return TP_OK;
}

void tp_mesh_list_edges(const tp_mesh *mesh, int *start, int *list)
{
    tp_sort_by_key(mesh->triangles, mesh->vertex_count, 3 * mesh->triangle_count, NULL, start, list);
    /* Sorting moved each start to the next one. */
    for (int i = mesh->vertex_count; i > 0; i--) start[i] = start[i - 1];
    start[0] = 0;
}

/* The ends of edges by their first vertex: to[start[i]] ... to[start[i + 1] - 1] ascending. */
static void list_ends(const tp_mesh *mesh, int *start, int *to)
{
    tp_mesh_list_edges(mesh, start, to);
    for (int k = 0; k < 3 * mesh->triangle_count; k++) to[k] = tp_mesh_edge_end(mesh, to[k]);
    for (int i = 0; i < mesh->vertex_count; i++) tp_sort_ints(to + start[i], start[i + 1] - start[i]);
}

/* The message of an edge, with its two vertices: numbers mean nothing to the author of an STL file. */
static tp_status refuse_edge(const tp_mesh *mesh, int from, int to, const char *what, tp_message *why_out)
{
    char edge[160];
    tp_vec3 a = mesh->vertices[from], b = mesh->vertices[to];
    snprintf(edge, sizeof edge, "from vertex %d (%g, %g, %g) to vertex %d (%g, %g, %g)", from, a.x, a.y, a.z,
             to, b.x, b.y, b.z);
    return tp_fail(why_out, TP_INVALID_DATA, "mesh: %s %s", what, edge);
}

static tp_status check_edges(const tp_mesh *mesh, const int *start, const int *to, tp_message *why_out)
{
    /* First of all: a triangle turned round looks like a hole as well. */
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int k = start[i] + 1; k < start[i + 1]; k++)
            if (to[k - 1] == to[k])
                return refuse_edge(
                    mesh, i, to[k],
                    "neighbours must run through an edge in opposite directions, two triangles run", why_out);
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            if (tp_find_int(to + start[to[k]], start[to[k] + 1] - start[to[k]], i) < 0)
                return refuse_edge(mesh, i, to[k], "not closed, there is one triangle only at the edge",
                                   why_out);
    return TP_OK;
}

static tp_status check_closed(const tp_mesh *mesh, const tp_allocator *allocator, tp_message *why_out)
{
    if (allocator == NULL) allocator = tp_allocator_default();
    size_t edges = 3 * (size_t)mesh->triangle_count, vertices = (size_t)mesh->vertex_count;
    int *start = allocator->allocate(allocator->context, (vertices + 1 + edges) * sizeof *start);
    if (start == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "mesh: no memory for %zu edges", edges);
    list_ends(mesh, start, start + vertices + 1);
    tp_status status = check_edges(mesh, start, start + vertices + 1, why_out);
    allocator->release(allocator->context, start);
    return status;
}

static tp_status check_volume(const tp_mesh *mesh, tp_message *why_out)
{
    tp_bounds box = mesh_bounds(mesh);
    tp_vec3 size = tp_vec3_sub(box.upper, box.lower);
    double volume = integrate(mesh, tp_vec3_scale(0.5, tp_vec3_add(box.lower, box.upper))).volume;
    double around = size.x * size.y * size.z;
    if (isfinite(around) && volume > tp_flat_volume * around) return TP_OK;
    if (volume < -tp_flat_volume * around)
        return tp_fail(
            why_out, TP_INVALID_DATA,
            "mesh: the volume is %g m^3, the triangles must run counter-clockwise seen from outside", volume);
    return tp_fail(why_out, TP_INVALID_DATA,
                   "mesh: the volume is %g m^3 in a box of %g x %g x %g m, it must be positive", volume,
                   size.x, size.y, size.z);
}

tp_status tp_mesh_check(const tp_mesh *mesh, const tp_allocator *allocator, tp_message *why_out)
{
    TP_TRY(check_numbers(mesh, why_out));
    TP_TRY(check_closed(mesh, allocator, why_out));
    return check_volume(mesh, why_out);
}

tp_status tp_mesh_mass_properties(const tp_mesh *mesh, double density, const tp_allocator *allocator,
                                  tp_mass_properties *out, tp_message *why_out)
{
    if (!(density > 0.0 && isfinite(density)))
        return tp_fail(why_out, TP_INVALID_DATA, "density %g kg/m^3: must be positive and finite", density);
    TP_TRY(tp_mesh_check(mesh, allocator, why_out));
    tp_bounds box = mesh_bounds(mesh);
    tp_vec3 middle = tp_vec3_scale(0.5, tp_vec3_add(box.lower, box.upper));
    mesh_integrals sum = integrate(mesh, middle);
    tp_vec3 centre = tp_vec3_scale(1.0 / sum.volume, sum.first);
    tp_mat3 euler = tp_mat3_sub(sum.second, tp_mat3_scale(sum.volume, tp_mat3_outer(centre, centre)));
    *out = (tp_mass_properties){density * sum.volume, tp_vec3_add(middle, centre),
                                tp_mat3_scale(density, tp_inertia_from_euler(euler))};
    return TP_OK;
}
