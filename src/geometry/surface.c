/* Surfaces of triangles: which triangle is where, what its neighbours leave of it, and which are near a box;
   docs/theory/contacts-geometry.md (30)-(32). */
#include "surface.h"
#include "tolerances.h"

#include "base/sort.h"

/* ---- heights ---- */

static tp_vec3 height_at(const tp_surface *surface, int i, int j)
{
    return tp_vec3_make(i * surface->spacing_x, j * surface->spacing_y,
                        surface->heights[j * surface->columns + i]);
}

/* The cell of a part and the corners of its triangle on the grid: (0,0), (1,0), (1,1) or (0,0), (1,1), (0,1).
 */
static void grid_corners(const tp_surface *surface, int part, int (*at_out)[2])
{
    static const int offset[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    int cells = surface->columns - 1, cell = part / 2;
    for (int k = 0; k < 3; k++) {
        at_out[k][0] = cell % cells + offset[part % 2][k][0];
        at_out[k][1] = cell / cells + offset[part % 2][k][1];
    }
}

/* The triangle across edge k; -1 at a border. */
static int grid_neighbour(const tp_surface *surface, int part, int k)
{
    int cells = surface->columns - 1, i = part / 2 % cells, j = part / 2 / cells;
    if (k == (part % 2 == 0 ? 2 : 0)) return part ^ 1; /* the diagonal */
    if (part % 2 == 0) {
        if (k == 0) return j > 0 ? part + 1 - 2 * cells : -1;
        return i + 1 < cells ? part + 3 : -1;
    }
    if (k == 1) return j + 2 < surface->rows ? part - 1 + 2 * cells : -1;
    return i > 0 ? part - 3 : -1;
}

/* The lowest triangle at a point of the grid. */
static int grid_owner(const tp_surface *surface, int i, int j)
{
    int cells = surface->columns - 1, column = i > 0 ? i - 1 : 0, row = j > 0 ? j - 1 : 0;
    int cell = 2 * (row * cells + column);
    return i == 0 && j > 0 ? cell + 1 : cell; /* at the left border the upper corner is the second's */
}

/* ---- triangles ---- */

static int part_count(const tp_surface *surface)
{
    return surface->has_heights ? 2 * (surface->columns - 1) * (surface->rows - 1) : surface->triangle_count;
}

static void corners_of(const tp_surface *surface, int part, tp_vec3 *corner_out)
{
    int at[3][2];
    if (surface->has_heights) grid_corners(surface, part, at);
    for (int k = 0; k < 3; k++)
        corner_out[k] = surface->has_heights ? height_at(surface, at[k][0], at[k][1])
                                             : surface->vertices[surface->triangles[3 * part + k]];
}

static tp_vec3 normal_of(const tp_vec3 *corner)
{
    return tp_vec3_normalise(
        tp_vec3_cross(tp_vec3_sub(corner[1], corner[0]), tp_vec3_sub(corner[2], corner[0])));
}

/* (31): a border touches to the side; an edge whose neighbour falls off touches between both normals. */
static void set_edge(tp_surface_triangle *triangle, int k)
{
    const tp_surface *surface = triangle->surface;
    int part = triangle->part,
        other = surface->has_heights ? grid_neighbour(surface, part, k) : surface->neighbours[3 * part + k];
    tp_vec3 along = tp_vec3_normalise(tp_vec3_sub(triangle->corner[(k + 1) % 3], triangle->corner[k]));
    triangle->has_edge[k] = other < 0;
    triangle->side[k] = other < 0      ? NAN
                        : part < other ? tp_shared_width
                                       : tp_shared_rounding - tp_shared_width;
    triangle->beyond[k] = tp_vec3_cross(along, triangle->normal);
    if (other < 0) return;
    tp_vec3 corner[3];
    corners_of(surface, other, corner);
    tp_vec3 normal = normal_of(corner);
    double falls = tp_vec3_dot(tp_vec3_cross(triangle->normal, normal), along); /* sine, > 0: a ridge */
    triangle->beyond[k] = normal;
    triangle->has_edge[k] = part < other && falls > tp_flat_sine;
}

void tp_surface_triangle_of(const tp_surface *surface, int part, tp_surface_triangle *triangle)
{
    triangle->surface = surface;
    triangle->part = part;
    corners_of(surface, part, triangle->corner);
    triangle->normal = normal_of(triangle->corner);
    int at[3][2] = {{0}};
    if (surface->has_heights) grid_corners(surface, part, at);
    for (int k = 0; k < 3; k++) {
        set_edge(triangle, k);
        int owner = surface->has_heights ? grid_owner(surface, at[k][0], at[k][1])
                                         : surface->owner[surface->triangles[3 * part + k]];
        triangle->has_corner[k] = owner == part;
    }
}

/* The edges that leave a corner, one by one; false: there is no edge k. */
static int fan_size(const tp_surface_triangle *triangle, int corner)
{
    const tp_surface *surface = triangle->surface;
    if (surface->has_heights) return 6;
    int vertex = surface->triangles[3 * triangle->part + corner];
    return surface->fan_start[vertex + 1] - surface->fan_start[vertex];
}

static bool fan_edge(const tp_surface_triangle *triangle, int corner, int k, tp_vec3 *along_out)
{
    static const int offset[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const tp_surface *surface = triangle->surface;
    tp_vec3 from = triangle->corner[corner], to;
    if (surface->has_heights) {
        int at[3][2];
        grid_corners(surface, triangle->part, at);
        int i = at[corner][0] + offset[k][0], j = at[corner][1] + offset[k][1];
        if (i < 0 || j < 0 || i >= surface->columns || j >= surface->rows) return false;
        to = height_at(surface, i, j);
    } else {
        int vertex = surface->triangles[3 * triangle->part + corner];
        to = surface->vertices[surface->fan[surface->fan_start[vertex] + k]];
    }
    *along_out = tp_vec3_normalise(tp_vec3_sub(to, from));
    return true;
}

bool tp_surface_corner_allows(const tp_surface_triangle *triangle, int corner, tp_vec3 n, int level_most)
{
    const tp_surface *surface = triangle->surface;
    tp_vec3 along, up = {0.0, 0.0, 1.0};
    int level = 0, count = fan_size(triangle, corner);
    tp_vec3 front =
        surface->has_heights ? up : surface->fronts[surface->triangles[3 * triangle->part + corner]];
    if (tp_vec3_dot(n, front) < 0.0) return false; /* from behind */
    for (int k = 0; k < count; k++) {
        if (!fan_edge(triangle, corner, k, &along)) continue;
        double rise = tp_vec3_dot(n, along);
        if (rise > tp_range_margin) return false;
        level += rise > -tp_range_margin;
        if (level > level_most) return false;
    }
    return true;
}

bool tp_surface_is_plateau_corner(const tp_surface_triangle *triangle, int corner, tp_vec3 n)
{
    bool is_lowest = true;
    tp_vec3 along, m = triangle->normal;
    tp_vec3 first =
        tp_vec3_normalise(tp_vec3_sub(triangle->corner[(corner + 1) % 3], triangle->corner[corner]));
    int count = fan_size(triangle, corner);
    for (int k = 0; k < count; k++) {
        if (!fan_edge(triangle, corner, k, &along)) continue;
        double rise = tp_vec3_dot(m, along), turn = tp_vec3_dot(tp_vec3_cross(first, along), m);
        if (rise > tp_flat_sine) return false;
        bool is_level = rise >= -tp_flat_sine, is_straight = fabs(turn) <= tp_flat_sine;
        if (is_level && (is_straight ? tp_vec3_dot(first, along) < 0.0 : turn < 0.0)) return false;
        is_lowest = is_lowest && tp_vec3_dot(n, along) < -tp_range_margin;
    }
    return !is_lowest;
}

/* ---- below heights ---- */

static int cell_of(double x, double spacing, int cells)
{
    double at = floor(x / spacing);
    return at < 0.0 ? 0 : at >= cells ? cells - 1 : (int)at;
}

bool tp_surface_is_above(const tp_surface *surface, tp_vec3 x)
{
    double right = (surface->columns - 1) * surface->spacing_x,
           far = (surface->rows - 1) * surface->spacing_y;
    if (!surface->has_heights || !(x.x >= 0.0 && x.x <= right && x.y >= 0.0 && x.y <= far)) return false;
    int i = cell_of(x.x, surface->spacing_x, surface->columns - 1),
        j = cell_of(x.y, surface->spacing_y, surface->rows - 1);
    bool is_second = x.y / surface->spacing_y - j > x.x / surface->spacing_x - i; /* beyond the diagonal */
    tp_vec3 corner[3];
    corners_of(surface, 2 * (j * (surface->columns - 1) + i) + is_second, corner);
    return tp_vec3_dot(normal_of(corner), tp_vec3_sub(x, corner[0])) < 0.0;
}

/* ---- near a box ---- */

static bool is_near(const tp_surface *surface, int part, const tp_bounds *box)
{
    tp_vec3 corner[3];
    corners_of(surface, part, corner);
    tp_bounds own = tp_bounds_of_triangle(corner);
    return tp_bounds_near(&own, box, 0.0);
}

static int near_in_grid(const tp_surface *surface, const tp_bounds *box, int *parts_out, int capacity)
{
    int cells = surface->columns - 1, count = 0;
    if (!tp_bounds_near(&surface->box, box, 0.0)) return 0;
    /* A cell more on each side: boxes that only touch count. */
    int i0 = cell_of(box->lower.x - 0.5 * surface->spacing_x, surface->spacing_x, cells),
        i1 = cell_of(box->upper.x + 0.5 * surface->spacing_x, surface->spacing_x, cells);
    int j0 = cell_of(box->lower.y - 0.5 * surface->spacing_y, surface->spacing_y, surface->rows - 1),
        j1 = cell_of(box->upper.y + 0.5 * surface->spacing_y, surface->spacing_y, surface->rows - 1);
    for (int j = j0; j <= j1; j++)
        for (int part = 2 * (j * cells + i0); part < 2 * (j * cells + i1 + 1); part++) {
            if (!is_near(surface, part, box)) continue;
            if (count < capacity) parts_out[count] = part;
            count++;
        }
    return count;
}

static int near_in_tree(const tp_surface *surface, const tp_bounds *box, int *parts_out, int capacity)
{
    int count = 0;
    for (int node = 0; node < surface->node_count;) {
        const tp_surface_node *at = &surface->nodes[node];
        if (!tp_bounds_near(&at->box, box, 0.0)) {
            node = at->skip;
            continue;
        }
        for (int k = at->first; k < at->first + at->count; k++) {
            if (!is_near(surface, surface->order[k], box)) continue;
            if (count < capacity) parts_out[count] = surface->order[k];
            count++;
        }
        node++;
    }
    tp_sort_ints(parts_out, count < capacity ? count : capacity);
    return count;
}

int tp_solid_part_count(const tp_solid *solid)
{
    bool has_parts = solid->kind == TP_SOLID_MESH || solid->kind == TP_SOLID_HEIGHTFIELD;
    return has_parts ? part_count(solid->surface) : 1;
}

int tp_solid_near_parts(const tp_solid *solid, const tp_bounds *box, int *parts_out, int capacity)
{
    if (solid->kind == TP_SOLID_MESH) return near_in_tree(solid->surface, box, parts_out, capacity);
    if (solid->kind == TP_SOLID_HEIGHTFIELD) return near_in_grid(solid->surface, box, parts_out, capacity);
    if (capacity > 0) parts_out[0] = 0;
    return 1;
}

/* ---- pictures ---- */

void tp_surface_sizes(const tp_surface *surface, int *vertex_count_out, int *triangle_count_out)
{
    *vertex_count_out = surface->has_heights ? surface->columns * surface->rows : surface->vertex_count;
    *triangle_count_out = part_count(surface);
}

void tp_surface_fill(const tp_surface *surface, tp_vec3 *vertices_out, int *triangles_out)
{
    int vertices, triangles;
    tp_surface_sizes(surface, &vertices, &triangles);
    for (int k = 0; k < vertices; k++)
        vertices_out[k] = surface->has_heights
                              ? height_at(surface, k % surface->columns, k / surface->columns)
                              : surface->vertices[k];
    for (int part = 0; part < triangles; part++) {
        int at[3][2];
        if (surface->has_heights) grid_corners(surface, part, at);
        for (int k = 0; k < 3; k++)
            triangles_out[3 * part + k] = surface->has_heights ? at[k][1] * surface->columns + at[k][0]
                                                               : surface->triangles[3 * part + k];
    }
}
