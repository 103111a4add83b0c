/* Figures in the axes of a picture, and how much of them it shows. */
#include "view.h"

#include <math.h>

/* What stands still is shown as far as it lies in what moves, grown by this part of its size on every side:
   a large floor does not make a small body a speck. The last bit of room is for the width of lines. */
static const double still_part = 0.25, air_part = 0.03;
static const double plane_room = 0.10; /* of a floor around what moves, as part of its size */

/* ---- figures ------------------------------------------------------------------------------------------- */

static tp_status take_memory(tp_view *p, tp_arena *arena, tp_message *why)
{
    int count;
    const tp_primitive *list = tp_moments_draw(p->moments, p->moments->rows[0], &count);
    p->figures = TP_ARENA_ARRAY(arena, tp_primitive, count);
    bool is_there = tp_figure_cells_reserve(&p->cells, arena, list, count, 0, TP_PICTURE_SEGMENTS);
    return is_there && p->figures ? TP_OK : tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
}

/* x to the right, y upwards, z towards the eye. */
static tp_vec3 project(const tp_view *p, tp_vec3 x)
{
    return tp_vec3_make(tp_vec3_dot(x, p->sight->right), tp_vec3_dot(x, p->sight->up),
                        tp_vec3_dot(x, p->sight->toward));
}

static double size_of(const tp_extent *e)
{
    return fmax(e->high[0] - e->low[0], fmax(e->high[1] - e->low[1], e->high[2] - e->low[2]));
}

/* Half the width of a box along a direction. */
static double half_width(tp_vec3 half, tp_vec3 along)
{
    return half.x * fabs(along.x) + half.y * fabs(along.y) + half.z * fabs(along.z);
}

/* The piece of a plane or tube around what moves; one that is seen from its edge or face on fills the
   picture. */
static void cut_endless(const tp_view *p, tp_primitive *figure)
{
    const tp_extent *e = &p->moving_world;
    const tp_vec3 half = {0.5 * (e->high[0] - e->low[0]), 0.5 * (e->high[1] - e->low[1]),
                          0.5 * (e->high[2] - e->low[2])};
    tp_vec3 centre = tp_vec3_add(tp_vec3_from_array(e->low), half);
    tp_mat3 axes = tp_quat_to_matrix(figure->orientation);
    double away = tp_vec3_dot(tp_vec3_sub(centre, figure->position), axes.cz);
    double slope = fabs(tp_vec3_dot(axes.cz, p->sight->toward));
    bool is_oblique = slope > 1e-3 && slope < 1.0 - 1e-3;
    double room = (is_oblique ? plane_room : 2.0) * size_of(e);
    if (figure->kind == TP_PRIMITIVE_TUBE) {
        figure->position = tp_vec3_add_scaled(figure->position, away, axes.cz);
        figure->size[1] = half_width(half, axes.cz) + room;
        return;
    }
    figure->position = tp_vec3_add_scaled(centre, -away, axes.cz);
    figure->size[0] = half_width(half, axes.cx) + room;
    figure->size[1] = half_width(half, axes.cy) + room;
}

/* The figures at a row as points, lines and polygons; tp_view_row: in the axes of the picture. */
static void tessellate_row(tp_view *p, long long row)
{
    const tp_primitive *list = tp_moments_draw(p->moments, row, &p->figure_count);
    tp_figure_cells_clear(&p->cells);
    for (int i = 0; i < p->figure_count; i++) {
        p->figures[i] = list[i];
        bool is_still_tube = list[i].kind == TP_PRIMITIVE_TUBE && p->sight->is_still[i];
        if (list[i].kind == TP_PRIMITIVE_PLANE || is_still_tube) cut_endless(p, &p->figures[i]);
        tp_figure_cells_add(&p->cells, &p->figures[i], TP_PICTURE_SEGMENTS, i);
    }
}

void tp_view_row(tp_view *p, long long row)
{
    tessellate_row(p, row);
    tp_tessellation *surface = &p->cells.surface;
    for (int i = 0; i < surface->point_count; i++) surface->points[i] = project(p, surface->points[i]);
}

/* ---- extent -------------------------------------------------------------------------------------------- */

static tp_extent no_extent(void)
{
    return (tp_extent){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void include(tp_extent *e, tp_vec3 x)
{
    const double at[3] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; k++) e->low[k] = fmin(e->low[k], at[k]), e->high[k] = fmax(e->high[k], at[k]);
}

/* Which figures count. */
typedef enum figure_group { MOVING_FIGURES, STILL_FIGURES, PLANES } figure_group;

static figure_group group_of(const tp_view *p, int i)
{
    if (p->figures[i].kind == TP_PRIMITIVE_PLANE) return PLANES;
    return p->sight->is_still[i] ? STILL_FIGURES : MOVING_FIGURES;
}

static tp_extent extent_of(tp_view *p, figure_group group)
{
    tp_extent e = no_extent();
    for (int kind = 0; kind < TP_CELL_KINDS; kind++) {
        const tp_cells *cells = tp_figure_cells_of(&p->cells, kind);
        for (int cell = 0, k = 0; cell < cells->count; cell++) {
            bool counts = group_of(p, p->cells.owners[kind][cell]) == group;
            for (; k < cells->ends[cell]; k++) {
                if (counts) include(&e, p->cells.surface.points[cells->indices[k]]);
            }
        }
    }
    return e;
}

/* Adds what of `other` lies within the limits. */
static void include_within(tp_extent *e, const tp_extent *other, const tp_extent *limits)
{
    for (int k = 0; k < 3; k++) {
        if (!(other->low[k] <= limits->high[k] && other->high[k] >= limits->low[k])) return;
    }
    for (int k = 0; k < 3; k++) {
        e->low[k] = fmin(e->low[k], fmax(other->low[k], limits->low[k]));
        e->high[k] = fmax(e->high[k], fmin(other->high[k], limits->high[k]));
    }
}

static bool is_empty(const tp_extent *e)
{
    return !(e->low[0] <= e->high[0]);
}

/* The extent of what moves, over all moments; of what stands still if nothing moves. */
static tp_extent extent_of_all(tp_view *p, void (*make_row)(tp_view *, long long), tp_extent *still_out)
{
    tp_extent all = no_extent();
    for (int f = 0; f < p->moments->count; f++) {
        make_row(p, p->moments->rows[f]);
        tp_extent moving = extent_of(p, MOVING_FIGURES);
        for (int k = 0; k < 3; k++) {
            all.low[k] = fmin(all.low[k], moving.low[k]);
            all.high[k] = fmax(all.high[k], moving.high[k]);
        }
        if (f == 0) *still_out = extent_of(p, STILL_FIGURES);
    }
    if (is_empty(&all)) all = *still_out;
    if (is_empty(&all)) all = (tp_extent){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return all;
}

static void find_extent(tp_view *p)
{
    tp_extent still, planes, limits;
    p->moving_world = extent_of_all(p, tessellate_row, &still);
    p->moving = extent_of_all(p, tp_view_row, &still);
    p->shown = limits = p->moving;
    double reach = still_part * size_of(&p->moving);
    for (int k = 0; k < 2; k++) limits.low[k] -= reach, limits.high[k] += reach;
    limits.low[2] = -INFINITY, limits.high[2] = INFINITY; /* depth takes no room */
    tp_view_row(p, p->moments->rows[0]);                  /* planes are cut to what moves now */
    planes = extent_of(p, PLANES);
    include_within(&p->shown, &still, &limits);
    include_within(&p->shown, &planes, &limits);
    double size = fmax(p->shown.high[0] - p->shown.low[0], p->shown.high[1] - p->shown.low[1]);
    for (int k = 0; k < 2; k++) { /* a single point has some room around it */
        double air = size > 0.0 ? air_part * size : 1.0;
        p->shown.low[k] -= air, p->shown.high[k] += air;
    }
}

tp_status tp_view_create(tp_view *p, tp_arena *arena, tp_message *why)
{
    TP_TRY(take_memory(p, arena, why));
    find_extent(p);
    return TP_OK;
}
