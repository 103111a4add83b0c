/* Shapes made of points: hulls, extruded outlines, surfaces of triangles and heights. */

#include "io/scene/load_hulls.h"
#include "io/scene/rows.h"

/* A hull of an outline has two corners for each of it. */
enum { OUTLINE_CORNERS = TP_HULL_VERTICES_MAX / 2 };

/* Makes a hull in the arena of the scene. */
static tp_status load_points(tp_loader *loader, const tp_node *item, const tp_vec3 *points, int count,
                             tp_solid *solid_out)
{
    tp_hull *hull;
    tp_message why = {""};
    const tp_allocator *allocator = loader->arena->allocator;
    tp_status status = tp_hull_create(allocator, points, count, &hull, &why);
    if (status == TP_OUT_OF_MEMORY) return tp_load_no_memory(loader);
    if (status != TP_OK) return tp_node_fail(item, loader->why, "%.700s", why.text);
    void *memory = tp_arena_take(loader->arena, tp_hull_bytes(hull), 1);
    if (memory) *solid_out = tp_solid_hull(tp_hull_copy(hull, memory));
    tp_hull_free(allocator, hull);
    return memory ? TP_OK : tp_load_no_memory(loader);
}

static tp_status load_hull(tp_loader *loader, const tp_node *item, const tp_hull_values *is,
                           tp_solid *solid_out)
{
    if (!is->points == !is->mesh) {
        return tp_node_fail(item, loader->why,
                            "write either points, or a mesh whose vertices are the points");
    }
    if (is->points) return load_points(loader, item, is->points, is->point_count, solid_out);
    tp_mesh mesh;
    TP_TRY(tp_load_triangles(loader, is->mesh, &mesh));
    return load_points(loader, is->mesh, mesh.vertices, mesh.vertex_count, solid_out);
}

/* ---- outlines ------------------------------------------------------------------------------------------ */

static tp_status load_piece(tp_loader *loader, const tp_node *item, const tp_hull_values *is, double length,
                            const int *corners, int count, tp_solid *solid_out)
{
    tp_vec3 points[2 * OUTLINE_CORNERS];
    for (int k = 0; k < count; k++) {
        tp_vec3 at = is->outline[corners[k]];
        points[2 * k] = tp_vec3_make(at.x, at.y, -0.5 * length);
        points[2 * k + 1] = tp_vec3_make(at.x, at.y, 0.5 * length);
    }
    return load_points(loader, item, points, 2 * count, solid_out);
}

static tp_status load_outline(tp_loader *loader, const tp_node *item, const tp_hull_values *is, double length,
                              tp_solid *solids, int *count_out)
{
    size_t n = (size_t)is->outline_count;
    tp_vec2 *outline = TP_ARENA_ARRAY(loader->arena, tp_vec2, n + 1);
    tp_polygon_piece *pieces = TP_ARENA_ARRAY(loader->arena, tp_polygon_piece, n + 1);
    int *corners = TP_ARENA_ARRAY(loader->arena, int, 3 * n + 1);
    tp_message why = {""};
    if (!outline || !pieces || !corners) return tp_load_no_memory(loader);
    for (size_t k = 0; k < n; k++) outline[k] = tp_vec2_make(is->outline[k].x, is->outline[k].y);
    tp_status status = tp_polygon_cut(loader->arena->allocator, outline, is->outline_count, OUTLINE_CORNERS,
                                      pieces, corners, count_out, &why);
    if (status == TP_OUT_OF_MEMORY) return tp_load_no_memory(loader);
    if (status != TP_OK) return tp_node_fail(item, loader->why, "%.700s", why.text);
    for (int k = 0; k < *count_out; k++) {
        TP_TRY(load_piece(loader, item, is, length, corners + pieces[k].first, pieces[k].count, &solids[k]));
    }
    return TP_OK;
}

/* ---- surfaces ------------------------------------------------------------------------------------------ */

static tp_status keep_surface(tp_loader *loader, const tp_node *item, tp_status status, tp_surface *surface,
                              const tp_message *why, const tp_surface **surface_out)
{
    if (status == TP_OUT_OF_MEMORY) return tp_load_no_memory(loader);
    if (status != TP_OK) return tp_node_fail(item, loader->why, "%.700s", why->text);
    void *memory = tp_arena_take(loader->arena, tp_surface_bytes(surface), 1);
    if (memory) *surface_out = tp_surface_copy(surface, memory);
    tp_surface_free(loader->arena->allocator, surface);
    return memory ? TP_OK : tp_load_no_memory(loader);
}

static tp_status load_surface(tp_loader *loader, const tp_hull_values *is, tp_solid *solid_out)
{
    tp_mesh mesh;
    tp_message why = {""};
    tp_surface *surface;
    TP_TRY(tp_load_triangles(loader, is->mesh, &mesh));
    tp_status status = tp_surface_create(loader->arena->allocator, &mesh, &surface, &why);
    return keep_surface(loader, is->mesh, status, surface, &why, &solid_out->surface);
}

static tp_status load_heights(tp_loader *loader, const tp_hull_values *is, tp_solid *solid_out)
{
    static const tp_key height = {.unit = "m"};
    const tp_node *rows = is->heights;
    int columns = rows->first ? rows->first->count : 0, at = 0;
    double *heights = TP_ARENA_ARRAY(loader->arena, double, (size_t)rows->count *(size_t)columns + 1);
    tp_message why = {""};
    tp_surface *surface;
    if (!heights) return tp_load_no_memory(loader);
    for (const tp_node *row = rows->first; row; row = row->next) {
        if (row->count != columns) {
            return tp_node_fail(row, loader->why, "found %d heights; the first row has %d", row->count,
                                columns);
        }
        for (const tp_node *item = row->first; item; item = item->next) {
            TP_TRY(tp_load_value(loader, item, &height, &heights[at++]));
        }
    }
    tp_status status = tp_surface_create_heights(loader->arena->allocator, columns, rows->count,
                                                 is->spacing.x, is->spacing.y, heights, &surface, &why);
    return keep_surface(loader, rows, status, surface, &why, &solid_out->surface);
}

tp_status tp_load_solids(tp_loader *loader, const tp_node *item, const tp_hull_values *is, double length,
                         tp_solid *solids_io, int *count_out)
{
    *count_out = 1;
    switch (solids_io->kind) {
    case TP_SOLID_HULL:
        return is->outline ? load_outline(loader, item, is, length, solids_io, count_out)
                           : load_hull(loader, item, is, solids_io);
    case TP_SOLID_MESH: return load_surface(loader, is, solids_io);
    case TP_SOLID_HEIGHTFIELD: return load_heights(loader, is, solids_io);
    default: return TP_OK;
    }
}
