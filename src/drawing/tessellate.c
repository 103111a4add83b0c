/* Surfaces of primitives as points, lines and polygons. Round things are rings of points around the z axis:
   ring k has its points at the angles 2 pi i / segments, counter-clockwise seen from +z. */
#include "tippe/drawing.h"

#include "base/names.h"

#include <assert.h>
#include <stddef.h>

static const double two_pi = 6.283185307179586;

/* A coil has so many turns between straight ends, each so long a part of it. */
enum { COIL_TURNS = 7 };
static const double coil_end = 0.1;

tp_primitive tp_primitive_default(void)
{
    return (tp_primitive){.name = "", .law = -1, .scale = 1.0, .orientation = tp_quat_identity()};
}

TP_NAMES_OF(tp_primitive_kind_name, tp_primitive_kind, "point", "line", "circle", "polygon", "sphere", "box",
            "cylinder", "capsule", "plane", "mesh", "coil", "tube", "shell")

TP_NAMES_OF(tp_primitive_role_name, tp_primitive_role, "drawing", "body", "spring", "joint", "motor", "limit",
            "coupler")

bool tp_primitive_is_sound(const tp_primitive *primitive)
{
    tp_quat turn = primitive->orientation;
    if (!tp_vec3_is_finite(primitive->position)) return false;
    if (!(primitive->scale >= 0.0 && isfinite(primitive->scale))) return false;
    if (!isfinite(turn.w) || !tp_vec3_is_finite(tp_quat_vector(turn))) return false;
    for (int k = 0; k < 3; k++) {
        if (!(primitive->size[k] >= 0.0 && isfinite(primitive->size[k]))) return false;
    }
    for (int k = 0; k < primitive->vertex_count; k++) {
        if (!tp_vec3_is_finite(primitive->vertices[k])) return false;
    }
    return true;
}

/* ---- pieces -------------------------------------------------------------------------------------------- */

/* Appends a point given in the primitive's frame and returns its number. Without arrays, points, indices and
   cells are only counted. */
static int add_point(tp_tessellation *io, const tp_primitive *primitive, tp_vec3 local)
{
    int number = io->point_count++;
    tp_vec3 arm = tp_vec3_scale(primitive->scale, local);
    if (io->points != NULL)
        io->points[number] = tp_vec3_add(primitive->position, tp_quat_rotate(primitive->orientation, arm));
    return number;
}

static void add_index(tp_cells *cells, int index)
{
    if (cells->indices != NULL) cells->indices[cells->index_count] = index;
    cells->index_count++;
}

static void end_cell(tp_cells *cells)
{
    if (cells->ends != NULL) cells->ends[cells->count] = cells->index_count;
    cells->count++;
}

/* A ring of n points of the given radius and height; the number of its first. */
static int add_ring(tp_tessellation *io, const tp_primitive *primitive, int n, double radius, double height)
{
    int first = io->point_count;
    for (int i = 0; i < n; i++) {
        double angle = two_pi * i / n;
        add_point(io, primitive, tp_vec3_make(radius * cos(angle), radius * sin(angle), height));
    }
    return first;
}

/* The band between two rings, of which `upper` is the higher. */
static void add_band(tp_cells *polygons, int lower, int upper, int n)
{
    for (int i = 0; i < n; i++) {
        int next = (i + 1) % n;
        add_index(polygons, lower + i);
        add_index(polygons, lower + next);
        add_index(polygons, upper + next);
        add_index(polygons, upper + i);
        end_cell(polygons);
    }
}

/* The triangles between a pole and the ring next to it. */
static void add_pole(tp_cells *polygons, int pole, int ring, int n, bool is_top)
{
    for (int i = 0; i < n; i++) {
        int next = (i + 1) % n;
        add_index(polygons, pole);
        add_index(polygons, ring + (is_top ? i : next));
        add_index(polygons, ring + (is_top ? next : i));
        end_cell(polygons);
    }
}

/* A polygon over a ring, seen from above or from below. */
static void add_lid(tp_cells *polygons, int ring, int n, bool is_top)
{
    for (int i = 0; i < n; i++) add_index(polygons, ring + (is_top ? i : n - 1 - i));
    end_cell(polygons);
}

/* The points from `first` on, as a surface or as a closed line. */
static void close_flat(tp_tessellation *io, int first, int n, bool is_filled)
{
    tp_cells *cells = is_filled ? &io->polygons : &io->lines;
    for (int i = 0; i < n; i++) add_index(cells, first + i);
    if (!is_filled) add_index(cells, first);
    end_cell(cells);
}

/* ---- the kinds ----------------------------------------------------------------------------------------- */

/* A sphere, or two half spheres apart: the equator is then there twice. */
static void add_barrel(tp_tessellation *io, const tp_primitive *primitive, int n, bool is_capsule)
{
    double radius = primitive->size[0], half = is_capsule ? primitive->size[1] : 0.0;
    int steps = n / 2, previous = -1;
    int bottom = add_point(io, primitive, tp_vec3_make(0.0, 0.0, -half - radius));
    for (int k = 1; k < steps; k++) {
        double angle = 0.5 * two_pi * k / steps, r = radius * sin(angle), z = -radius * cos(angle);
        bool is_equator = 2 * k == steps;
        if (is_equator) r = radius, z = 0.0;
        int ring = add_ring(io, primitive, n, r, 2 * k <= steps ? z - half : z + half);
        if (previous < 0) {
            add_pole(&io->polygons, bottom, ring, n, false);
        } else {
            add_band(&io->polygons, previous, ring, n);
        }
        previous = ring;
        if (!is_equator || !is_capsule) continue;
        previous = add_ring(io, primitive, n, r, half);
        add_band(&io->polygons, ring, previous, n);
    }
    int top = add_point(io, primitive, tp_vec3_make(0.0, 0.0, half + radius));
    add_pole(&io->polygons, top, previous, n, true);
}

/* Polygons lie in rows of n around the axis, from the bottom to the top. */
bool tp_tessellation_is_dark(const tp_primitive *primitive, int segments, int polygon)
{
    if (primitive->kind != TP_PRIMITIVE_SPHERE && primitive->kind != TP_PRIMITIVE_CAPSULE) return false;
    int count = segments * (segments / 2 + (primitive->kind == TP_PRIMITIVE_CAPSULE ? 1 : 0));
    int quarter = polygon % segments / (segments / 4), half = 2 * polygon >= count ? 1 : 0;
    return (quarter + half) % 2 == 1;
}

static void add_cylinder(tp_tessellation *io, const tp_primitive *primitive, int n)
{
    int lower = add_ring(io, primitive, n, primitive->size[0], -primitive->size[1]);
    int upper = add_ring(io, primitive, n, primitive->size[0], primitive->size[1]);
    add_band(&io->polygons, lower, upper, n);
    add_lid(&io->polygons, lower, n, false);
    add_lid(&io->polygons, upper, n, true);
}

/* Hollows are solids that are mirrored at their centre, so that the surface faces what moves in it. They have
   more segments: what rolls in them is small, and must not stick through a chord. */
enum { HOLLOW_FINER = 4 };

static tp_primitive mirrored(const tp_primitive *primitive)
{
    tp_primitive other = *primitive;
    other.scale = -other.scale;
    return other;
}

/* Its wall, and the rings at the ends of the piece. */
static void add_tube(tp_tessellation *io, const tp_primitive *primitive, int n)
{
    const tp_primitive inside = mirrored(primitive);
    int lower = add_ring(io, &inside, n, primitive->size[0], -primitive->size[1]);
    int upper = add_ring(io, &inside, n, primitive->size[0], primitive->size[1]);
    close_flat(io, lower, n, false);
    close_flat(io, upper, n, false);
    if (primitive->is_filled) add_band(&io->polygons, lower, upper, n);
}

/* Its wall, and three great circles. */
static void add_shell(tp_tessellation *io, const tp_primitive *primitive, int n)
{
    const tp_primitive inside = mirrored(primitive);
    for (int axis = 0; axis < 3; axis++) {
        int first = io->point_count;
        for (int i = 0; i < n; i++) {
            double angle = two_pi * i / n, at[3] = {0.0, 0.0, 0.0};
            at[(axis + 1) % 3] = primitive->size[0] * cos(angle);
            at[(axis + 2) % 3] = primitive->size[0] * sin(angle);
            add_point(io, primitive, tp_vec3_from_array(at));
        }
        close_flat(io, first, n, false);
    }
    if (primitive->is_filled) add_barrel(io, &inside, n, false);
}

/* Corner k has the signs of its bits: 1 for x, 2 for y, 4 for z. */
static void add_box(tp_tessellation *io, const tp_primitive *primitive)
{
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    int first = io->point_count;
    const double *half = primitive->size;
    for (int k = 0; k < 8; k++) {
        add_point(io, primitive,
                  tp_vec3_make((k & 1) != 0 ? half[0] : -half[0], (k & 2) != 0 ? half[1] : -half[1],
                               (k & 4) != 0 ? half[2] : -half[2]));
    }
    for (int face = 0; face < 6; face++) {
        for (int k = 0; k < 4; k++) add_index(&io->polygons, first + faces[face][k]);
        end_cell(&io->polygons);
    }
}

static void add_plane(tp_tessellation *io, const tp_primitive *primitive)
{
    double x = primitive->size[0], y = primitive->size[1];
    int first = add_point(io, primitive, tp_vec3_make(-x, -y, 0.0));
    add_point(io, primitive, tp_vec3_make(x, -y, 0.0));
    add_point(io, primitive, tp_vec3_make(x, y, 0.0));
    add_point(io, primitive, tp_vec3_make(-x, y, 0.0));
    close_flat(io, first, 4, true);
}

/* A helix between straight ends. Ends in the same place have no direction: then all of it is there. */
static void add_coil(tp_tessellation *io, const tp_primitive *primitive, int n)
{
    if (primitive->vertex_count < 2) return;
    tp_vec3 from = primitive->vertices[0], along = tp_vec3_sub(primitive->vertices[1], from);
    double length = tp_vec3_norm(along), radius = length > 0.0 ? primitive->size[0] : 0.0;
    tp_mat3 axes = length > 0.0 ? tp_frame_from_normal(tp_vec3_normalise(along)) : tp_mat3_identity();
    int first = io->point_count, turns = COIL_TURNS * n;
    add_point(io, primitive, from);
    add_point(io, primitive, tp_vec3_add_scaled(from, coil_end, along));
    for (int k = 0; k <= turns; k++) {
        double part = coil_end + (1.0 - 2.0 * coil_end) * k / turns, angle = two_pi * (k % n) / n;
        tp_vec3 point = tp_vec3_add_scaled(from, part, along);
        point = tp_vec3_add_scaled(point, radius * cos(angle), axes.cy);
        add_point(io, primitive, tp_vec3_add_scaled(point, radius * sin(angle), axes.cz));
    }
    add_point(io, primitive, tp_vec3_add_scaled(from, 1.0 - coil_end, along));
    add_point(io, primitive, primitive->vertices[1]);
    for (int k = first; k < io->point_count; k++) add_index(&io->lines, k);
    end_cell(&io->lines);
}

/* Points, lines, polygons and meshes: their own vertices. */
static void add_vertices(tp_tessellation *io, const tp_primitive *primitive)
{
    int first = io->point_count, count = primitive->vertex_count;
    for (int k = 0; k < count; k++) add_point(io, primitive, primitive->vertices[k]);
    if (count == 0) return;
    switch (primitive->kind) {
    case TP_PRIMITIVE_POINT:
        for (int k = 0; k < count; k++) {
            add_index(&io->verts, first + k);
            end_cell(&io->verts);
        }
        break;
    case TP_PRIMITIVE_LINE:
        for (int k = 0; k < count; k++) add_index(&io->lines, first + k);
        end_cell(&io->lines);
        break;
    case TP_PRIMITIVE_MESH:
        for (int k = 0; k < 3 * primitive->triangle_count; k++) {
            add_index(&io->polygons, first + primitive->triangles[k]);
            if (k % 3 == 2) end_cell(&io->polygons);
        }
        break;
    case TP_PRIMITIVE_POLYGON: close_flat(io, first, count, primitive->is_filled); break;
    case TP_PRIMITIVE_CIRCLE: /* those that have no vertices of their own */
    case TP_PRIMITIVE_SPHERE:
    case TP_PRIMITIVE_BOX:
    case TP_PRIMITIVE_CYLINDER:
    case TP_PRIMITIVE_CAPSULE:
    case TP_PRIMITIVE_PLANE:
    case TP_PRIMITIVE_COIL:
    case TP_PRIMITIVE_TUBE:
    case TP_PRIMITIVE_SHELL: break;
    }
}

static void tessellate(const tp_primitive *primitive, int segments, tp_tessellation *io)
{
    switch (primitive->kind) {
    case TP_PRIMITIVE_CIRCLE:
        close_flat(io, add_ring(io, primitive, segments, primitive->size[0], 0.0), segments,
                   primitive->is_filled);
        break;
    case TP_PRIMITIVE_SPHERE: add_barrel(io, primitive, segments, false); break;
    case TP_PRIMITIVE_CAPSULE: add_barrel(io, primitive, segments, true); break;
    case TP_PRIMITIVE_CYLINDER: add_cylinder(io, primitive, segments); break;
    case TP_PRIMITIVE_BOX: add_box(io, primitive); break;
    case TP_PRIMITIVE_PLANE: add_plane(io, primitive); break;
    case TP_PRIMITIVE_COIL: add_coil(io, primitive, segments); break;
    case TP_PRIMITIVE_TUBE: add_tube(io, primitive, HOLLOW_FINER * segments); break;
    case TP_PRIMITIVE_SHELL: add_shell(io, primitive, HOLLOW_FINER * segments); break;
    case TP_PRIMITIVE_POINT:
    case TP_PRIMITIVE_LINE:
    case TP_PRIMITIVE_POLYGON:
    case TP_PRIMITIVE_MESH: add_vertices(io, primitive); break;
    }
}

void tp_tessellate(const tp_primitive *primitive, int segments, tp_tessellation *io)
{
    assert(segments >= 8 && segments % 4 == 0);
    if (tp_primitive_is_sound(primitive)) tessellate(primitive, segments, io);
}

/* The same for a primitive that is not sound now: it may be at another state. */
tp_tessellation_size tp_tessellation_measure(const tp_primitive *primitive, int segments)
{
    tp_tessellation all = {.points = NULL};
    tessellate(primitive, segments, &all);
    return (tp_tessellation_size){.points = all.point_count,
                                  .verts = all.verts.count,
                                  .lines = all.lines.count,
                                  .line_indices = all.lines.index_count,
                                  .polygons = all.polygons.count,
                                  .polygon_indices = all.polygons.index_count};
}
