/* Figures cut into points, lines and polygons, with the figure that each cell belongs to. */
#ifndef TP_IO_COMMON_FIGURE_CELLS_H
#define TP_IO_COMMON_FIGURE_CELLS_H

#include "base/arena.h"
#include "tippe/drawing.h"

typedef enum tp_cell_kind { TP_CELL_VERTS, TP_CELL_LINES, TP_CELL_POLYGONS, TP_CELL_KINDS } tp_cell_kind;

/* All zero: no room. */
typedef struct tp_figure_cells {
    tp_tessellation surface;
    int *owners[TP_CELL_KINDS]; /* the figure of each cell                              */
    int capacity[7];            /* points; cells and indices of verts, lines, polygons  */
} tp_figure_cells;

tp_cells *tp_figure_cells_of(tp_figure_cells *io, int kind);

/* Room for these figures and so many single points; what was there is lost if there was less. False without
   memory. */
bool tp_figure_cells_reserve(tp_figure_cells *io, tp_arena *arena, const tp_primitive *figures, int count,
                             int point_count, int segments);

void tp_figure_cells_clear(tp_figure_cells *io);
void tp_figure_cells_add(tp_figure_cells *io, const tp_primitive *figure, int segments, int owner);

#endif
