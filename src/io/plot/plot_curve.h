/* Curves of a panel: from values to points of the figure, reduced, onto the canvas. */
#ifndef TP_IO_PLOT_PLOT_CURVE_H
#define TP_IO_PLOT_PLOT_CURVE_H

#include "base/arena.h"
#include "canvas.h"
#include "tippe/plot.h"

/* An axis: values from low to high lie between two places on the figure. */
typedef struct tp_axis {
    double low, high;
    double begin, end; /* [pt] */
    bool is_log;
} tp_axis;

/* NaN for what has no place on the axis. */
double tp_axis_place(const tp_axis *axis, double value);

/* Cells of the panel that a curve has passed: a motion that repeats itself is drawn once. */
typedef struct tp_coverage {
    unsigned char *cells; /* NULL: not used */
    int columns, rows;
    double left, top, cell; /* [pt]; cell: side of one */
} tp_coverage;

/* Cells for a box, all free. */
tp_status tp_coverage_create(tp_coverage *coverage, tp_arena *arena, tp_box box);

/* How far the reduction goes. 0 is finer than the eye; every level doubles it. */
enum { TP_DETAIL_LEVELS = 8 };

/* How many points the curve has left; any number above the limit if there are more. */
long long tp_curve_count(const tp_plot_series *series, const tp_axis *x, const tp_axis *y, int level,
                         tp_coverage *coverage, long long limit);
void tp_curve_draw(tp_canvas *canvas, const tp_plot_series *series, const tp_axis *x, const tp_axis *y,
                   int level, tp_coverage *coverage);

tp_pen tp_style_pen(tp_plot_style style);

#endif
