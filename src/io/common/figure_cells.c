/* Figures cut into cells. */
#include "io/common/figure_cells.h"

#include <string.h>

tp_cells *tp_figure_cells_of(tp_figure_cells *io, int kind)
{
    tp_cells *const lists[TP_CELL_KINDS] = {&io->surface.verts, &io->surface.lines, &io->surface.polygons};
    return lists[kind];
}

bool tp_figure_cells_reserve(tp_figure_cells *io, tp_arena *arena, const tp_primitive *figures, int count,
                             int point_count, int segments)
{
    int need[7] = {point_count, point_count, point_count, 0, 0, 0, 0};
    bool fits = true, is_there = true;
    for (int i = 0; i < count; i++) {
        tp_tessellation_size size = tp_tessellation_measure(&figures[i], segments);
        const int more[7] = {size.points,       size.verts,    size.verts,          size.lines,
                             size.line_indices, size.polygons, size.polygon_indices};
        for (int k = 0; k < 7; k++) need[k] += more[k];
    }
    for (int k = 0; k < 7; k++) fits = fits && io->capacity[k] > need[k];
    if (fits) return true;
    for (int k = 0; k < 7; k++) io->capacity[k] = need[k] + need[k] / 2 + 1;
    for (int k = 0; k < TP_CELL_KINDS; k++) {
        tp_cells *cells = tp_figure_cells_of(io, k);
        TP_ARENA_INTS(arena, io->capacity[1 + 2 * k], &cells->ends, &io->owners[k]);
        cells->indices = TP_ARENA_ARRAY(arena, int, io->capacity[2 + 2 * k]);
        is_there = is_there && cells->ends && cells->indices && io->owners[k];
    }
    io->surface.points = TP_ARENA_ARRAY(arena, tp_vec3, io->capacity[0]);
    is_there = is_there && io->surface.points;
    if (!is_there) memset(io->capacity, 0, sizeof io->capacity); /* to be tried again */
    return is_there;
}

void tp_figure_cells_clear(tp_figure_cells *io)
{
    io->surface.point_count = 0;
    for (int k = 0; k < TP_CELL_KINDS; k++)
        tp_figure_cells_of(io, k)->count = tp_figure_cells_of(io, k)->index_count = 0;
}

void tp_figure_cells_add(tp_figure_cells *io, const tp_primitive *figure, int segments, int owner)
{
    int from[TP_CELL_KINDS];
    for (int k = 0; k < TP_CELL_KINDS; k++) from[k] = tp_figure_cells_of(io, k)->count;
    tp_tessellate(figure, segments, &io->surface);
    for (int k = 0; k < TP_CELL_KINDS; k++) {
        while (from[k] < tp_figure_cells_of(io, k)->count) io->owners[k][from[k]++] = owner;
    }
}
