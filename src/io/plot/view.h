/* The figures of a model at a moment, cut into points, lines and polygons in the axes of a picture; and what
   part of space the picture shows. */
#ifndef TP_IO_PLOT_VIEW_H
#define TP_IO_PLOT_VIEW_H

#include "io/common/figure_cells.h"
#include "sight.h"

enum { TP_PICTURE_SEGMENTS = 24 }; /* to a circle */

typedef struct tp_extent {
    double low[3], high[3]; /* [m] */
} tp_extent;

typedef struct tp_view {
    tp_moments *moments;
    const tp_sight *sight;
    int figure_count;
    tp_primitive *figures;  /* at the present row, planes cut                          */
    tp_figure_cells cells;  /* their points: x to the right, y upwards, z to the eye   */
    tp_extent moving_world; /* what moves, at all moments, in the axes of the world    */
    tp_extent moving;       /* in the axes of the picture                              */
    tp_extent shown;        /* what the picture shows of it and around it              */
} tp_view;

/* Takes memory and finds the extent, for known moments and sight. */
tp_status tp_view_create(tp_view *view, tp_arena *arena, tp_message *why);

/* Goes to a row of the run. */
void tp_view_row(tp_view *view, long long row);

#endif
