/* Making of surfaces: checks, neighbours, the tree of boxes, one block of memory. */
#include "surface.h"
#include "tolerances.h"

#include <limits.h>
#include <string.h>

enum { LEAF = 4 };

/* ---- the tree ---- */

typedef struct tree_maker {
    const tp_mesh *mesh;
    tp_surface_node *nodes;
    int *order, count;
} tree_maker;

static tp_bounds triangle_box(const tp_mesh *mesh, int t)
{
    tp_vec3 corner[3];
    for (int k = 0; k < 3; k++) corner[k] = mesh->vertices[mesh->triangles[3 * t + k]];
    return tp_bounds_of_triangle(corner);
}

static double middle_along(const tp_mesh *mesh, int t, int axis)
{
    tp_bounds box = triangle_box(mesh, t);
    double sum[3] = {box.lower.x + box.upper.x, box.lower.y + box.upper.y, box.lower.z + box.upper.z};
    return 0.5 * sum[axis];
}

/* Moves the triangles before the middle of the box to the front; in halves where that is lopsided. */
static int split(const tree_maker *maker, const tp_bounds *box, int first, int count)
{
    tp_vec3 size = tp_vec3_sub(box->upper, box->lower), sum = tp_vec3_add(box->upper, box->lower);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2, front = first;
    double middle = 0.5 * (axis == 0 ? sum.x : axis == 1 ? sum.y : sum.z);
    for (int k = first; k < first + count; k++) {
        int t = maker->order[k];
        if (!(middle_along(maker->mesh, t, axis) < middle)) continue;
        maker->order[k] = maker->order[front];
        maker->order[front++] = t;
    }
    int before = front - first;
    return before < count / 8 || before > count - count / 8 || before == 0 || before == count ? count / 2
                                                                                              : before;
}

static void make_node(tree_maker *maker, int first, int count)
{
    tp_surface_node *node = &maker->nodes[maker->count++];
    node->box = triangle_box(maker->mesh, maker->order[first]);
    for (int k = first + 1; k < first + count; k++)
        node->box = tp_bounds_join(node->box, triangle_box(maker->mesh, maker->order[k]));
    node->first = first;
    node->count = count <= LEAF ? count : 0;
    if (count > LEAF) {
        int before = split(maker, &node->box, first, count);
        make_node(maker, first, before);
        make_node(maker, first + before, count - before);
    }
    node->skip = maker->count;
}

/* The tree of a mesh: nodes [2 triangle_count], order [triangle_count]; returns the number of nodes. */
static int make_tree(const tp_mesh *mesh, tp_surface_node *nodes, int *order)
{
    tree_maker maker = {mesh, nodes, order, 0};
    for (int t = 0; t < mesh->triangle_count; t++) order[t] = t;
    make_node(&maker, 0, mesh->triangle_count);
    return maker.count;
}

/* ---- checks and neighbours ---- */

static tp_status check_mesh(const tp_mesh *mesh, tp_message *why_out)
{
    if (mesh->vertex_count < 3 || mesh->triangle_count < 1 || mesh->triangle_count > INT_MAX / 16)
        return tp_fail(why_out, TP_INVALID_DATA, "mesh: %d vertices and %d triangles, must be 3 and 1 to %d",
                       mesh->vertex_count, mesh->triangle_count, INT_MAX / 16);
    TP_TRY(tp_mesh_check_entries(mesh, why_out));
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * t;
        tp_vec3 a = mesh->vertices[c[0]], u = tp_vec3_sub(mesh->vertices[c[1]], a),
                w = tp_vec3_sub(mesh->vertices[c[2]], a);
        double longest = fmax(tp_vec3_norm(u), tp_vec3_norm(w));
        if (!(tp_vec3_norm(tp_vec3_cross(u, w)) > tp_flat_triangle * longest * longest))
            return tp_fail(why_out, TP_INVALID_DATA, "mesh: triangle %d has no area (%d, %d, %d)", t, c[0],
                           c[1], c[2]);
    }
    return TP_OK;
}

/* Work of the neighbours: half-edges sorted by their first vertex. */
typedef struct half_edges {
    int *start, *list; /* [vertex_count + 1], [3 triangle_count]: number 3 t + k of an edge */
} half_edges;

/* The half-edge from -> to; -1: none, -2: two of them. */
static int find_edge(const tp_mesh *mesh, const half_edges *edges, int from, int to)
{
    int found = -1;
    for (int k = edges->start[from]; k < edges->start[from + 1]; k++)
        if (tp_mesh_edge_end(mesh, edges->list[k]) == to) found = found == -1 ? edges->list[k] : -2;
    return found;
}

static tp_status find_neighbours(const tp_mesh *mesh, const half_edges *edges, int *neighbours,
                                 tp_message *why_out)
{
    for (int e = 0; e < 3 * mesh->triangle_count; e++) {
        int from = mesh->triangles[e], to = tp_mesh_edge_end(mesh, e),
            back = find_edge(mesh, edges, to, from);
        if (back == -2 || find_edge(mesh, edges, from, to) == -2)
            return tp_fail(why_out, TP_INVALID_DATA,
                           "mesh: at most two triangles may share an edge, and run through it in opposite "
                           "directions; there are more from vertex %d to vertex %d",
                           from, to);
        neighbours[e] = back < 0 ? -1 : back / 3;
    }
    return TP_OK;
}

/* Vertices around each: ends of its edges, and of a border the start of the one that arrives. */
static int fill_fans(const tp_mesh *mesh, const half_edges *edges, int *fan_start, int *fan)
{
    int count = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        fan_start[i] = count;
        for (int k = edges->start[i]; k < edges->start[i + 1]; k++) {
            int e = edges->list[k], before = mesh->triangles[e % 3 == 0 ? e + 2 : e - 1];
            fan[count++] = tp_mesh_edge_end(mesh, e);
            if (find_edge(mesh, edges, i, before) < 0) fan[count++] = before;
        }
    }
    fan_start[mesh->vertex_count] = count;
    return count;
}

/* ---- one block ---- */

typedef struct block {
    char *at;
    size_t used;
} block;

static void *put(block *to, const void *from, size_t bytes)
{
    void *place = to->at == NULL ? NULL : to->at + to->used;
    if (place != NULL && bytes > 0) memcpy(place, from, bytes);
    to->used += (bytes + 7) / 8 * 8;
    return place;
}

/* With no memory it counts the bytes. */
static size_t pack(const tp_surface *from, void *memory)
{
    block to = {memory, (sizeof *from + 7) / 8 * 8};
    tp_surface packed = *from;
    size_t vertices = (size_t)from->vertex_count, corners = 3 * (size_t)from->triangle_count;
    packed.vertices = put(&to, from->vertices, vertices * sizeof *from->vertices);
    packed.fronts = put(&to, from->fronts, vertices * sizeof *from->fronts);
    packed.nodes = put(&to, from->nodes, (size_t)from->node_count * sizeof *from->nodes);
    packed.heights =
        put(&to, from->heights, (size_t)from->columns * (size_t)from->rows * sizeof *from->heights);
    packed.triangles = put(&to, from->triangles, corners * sizeof(int));
    packed.neighbours = put(&to, from->neighbours, corners * sizeof(int));
    packed.order = put(&to, from->order, corners / 3 * sizeof(int));
    packed.owner = put(&to, from->owner, vertices * sizeof(int));
    packed.fan_start = put(&to, from->fan_start, (vertices > 0 ? vertices + 1 : 0) * sizeof(int));
    packed.fan = put(&to, from->fan, (size_t)from->fan_count * sizeof(int));
    if (memory != NULL) *(tp_surface *)memory = packed;
    return to.used;
}

size_t tp_surface_bytes(const tp_surface *surface)
{
    return pack(surface, NULL);
}

tp_surface *tp_surface_copy(const tp_surface *surface, void *memory)
{
    (void)pack(surface, memory);
    return memory;
}

static tp_status keep(const tp_allocator *allocator, const tp_surface *made, tp_surface **surface_out,
                      tp_message *why_out)
{
    void *memory = allocator->allocate(allocator->context, tp_surface_bytes(made));
    if (memory == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "surface: no memory");
    *surface_out = tp_surface_copy(made, memory);
    return TP_OK;
}

static void note_point(tp_surface *surface, tp_vec3 x, bool is_first)
{
    tp_bounds at = {x, x};
    surface->box = is_first ? at : tp_bounds_join(surface->box, at);
    surface->radius = fmax(surface->radius, tp_vec3_norm(x));
}

/* Weighted by the angle of each triangle: positive along every way out from a vertex that is nearest. */
static void sum_normals(const tp_mesh *mesh, tp_vec3 *fronts)
{
    for (int i = 0; i < mesh->vertex_count; i++) fronts[i] = tp_vec3_zero();
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * t;
        for (int k = 0; k < 3; k++) {
            tp_vec3 from = mesh->vertices[c[k]], u = tp_vec3_sub(mesh->vertices[c[(k + 1) % 3]], from),
                    w = tp_vec3_sub(mesh->vertices[c[(k + 2) % 3]], from), area = tp_vec3_cross(u, w);
            double angle = atan2(tp_vec3_norm(area), tp_vec3_dot(u, w));
            fronts[c[k]] = tp_vec3_add_scaled(fronts[c[k]], angle, tp_vec3_normalise(area));
        }
    }
}

/* work [4 vertex_count + 16 triangle_count + 8], nodes [2 triangle_count], fronts [vertex_count] */
static tp_status build(const tp_allocator *allocator, const tp_mesh *mesh, int *work, tp_surface_node *nodes,
                       tp_vec3 *fronts, tp_surface **surface_out, tp_message *why_out)
{
    int vertices = mesh->vertex_count, corners = 3 * mesh->triangle_count;
    half_edges edges = {work, work + vertices + 1};
    int *neighbours = edges.list + corners, *owner = neighbours + corners, *fan_start = owner + vertices;
    int *fan = fan_start + vertices + 1, *order = fan + 2 * corners;
    tp_mesh_list_edges(mesh, edges.start, edges.list);
    TP_TRY(find_neighbours(mesh, &edges, neighbours, why_out));
    for (int i = 0; i < vertices; i++)
        owner[i] = edges.start[i] < edges.start[i + 1] ? edges.list[edges.start[i]] / 3 : -1;
    tp_surface made = {.vertex_count = vertices,
                       .triangle_count = mesh->triangle_count,
                       .vertices = mesh->vertices,
                       .triangles = mesh->triangles,
                       .neighbours = neighbours,
                       .owner = owner,
                       .fan_start = fan_start,
                       .fan = fan,
                       .fronts = fronts,
                       .nodes = nodes,
                       .order = order};
    sum_normals(mesh, fronts);
    made.fan_count = fill_fans(mesh, &edges, fan_start, fan);
    made.node_count = make_tree(mesh, nodes, order);
    for (int i = 0; i < vertices; i++) note_point(&made, mesh->vertices[i], i == 0);
    return keep(allocator, &made, surface_out, why_out);
}

tp_status tp_surface_create(const tp_allocator *allocator, const tp_mesh *mesh, tp_surface **surface_out,
                            tp_message *why_out)
{
    if (allocator == NULL) allocator = tp_allocator_default();
    *surface_out = NULL;
    TP_TRY(check_mesh(mesh, why_out));
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    int *work = allocator->allocate(allocator->context, (4 * vertices + 16 * triangles + 8) * sizeof *work);
    tp_surface_node *nodes = allocator->allocate(allocator->context, 2 * triangles * sizeof *nodes);
    tp_vec3 *fronts = allocator->allocate(allocator->context, vertices * sizeof *fronts);
    tp_status status =
        work != NULL && nodes != NULL && fronts != NULL
            ? build(allocator, mesh, work, nodes, fronts, surface_out, why_out)
            : tp_fail(why_out, TP_OUT_OF_MEMORY, "mesh: no memory for %zu triangles", triangles);
    allocator->release(allocator->context, fronts);
    allocator->release(allocator->context, nodes);
    allocator->release(allocator->context, work);
    return status;
}

tp_status tp_surface_create_heights(const tp_allocator *allocator, int columns, int rows, double spacing_x,
                                    double spacing_y, const double *heights, tp_surface **surface_out,
                                    tp_message *why_out)
{
    if (allocator == NULL) allocator = tp_allocator_default();
    *surface_out = NULL;
    if (columns < 2 || rows < 2 || columns > INT_MAX / 4 / rows)
        return tp_fail(why_out, TP_INVALID_DATA, "heightfield: %d columns and %d rows, at least 2 of each",
                       columns, rows);
    if (!(spacing_x > 0.0 && spacing_y > 0.0 && isfinite(spacing_x) && isfinite(spacing_y)))
        return tp_fail(why_out, TP_INVALID_DATA,
                       "heightfield: spacing %g x %g m, must be positive and finite", spacing_x, spacing_y);
    tp_surface made = {.has_heights = true,
                       .columns = columns,
                       .rows = rows,
                       .spacing_x = spacing_x,
                       .spacing_y = spacing_y,
                       .heights = heights};
    for (int k = 0; k < columns * rows; k++) {
        if (!isfinite(heights[k]))
            return tp_fail(why_out, TP_INVALID_DATA, "heightfield: height %d of row %d is %g, must be finite",
                           k % columns, k / columns, heights[k]);
        note_point(&made, tp_vec3_make(k % columns * spacing_x, k / columns * spacing_y, heights[k]), k == 0);
    }
    return keep(allocator, &made, surface_out, why_out);
}

void tp_surface_free(const tp_allocator *allocator, tp_surface *surface)
{
    if (allocator == NULL) allocator = tp_allocator_default();
    allocator->release(allocator->context, surface);
}
