/* Maps: cells between the middles of neighbouring values, dark where values are low; they read in grey too.
 */
#include <math.h>
#include <stdio.h>

#include "panel.h"

static const double bar_gap = 8.0, bar_width = 9.0; /* [pt] */
enum { BAR_STEPS = 48 };

/* From low to high: lightness rises all the way. */
static tp_colour colour_at(double part)
{
    static const tp_colour anchors[] = {
        {0.15, 0.05, 0.30}, {0.20, 0.25, 0.55}, {0.13, 0.50, 0.55}, {0.35, 0.75, 0.40}, {0.95, 0.92, 0.35}};
    double at = 4.0 * fmin(fmax(part, 0.0), 1.0), rest;
    int k = at < 4.0 ? (int)at : 3;
    rest = at - k;
    tp_colour a = anchors[k], b = anchors[k + 1];
    return (tp_colour){a.red + rest * (b.red - a.red), a.green + rest * (b.green - a.green),
                       a.blue + rest * (b.blue - a.blue)};
}

static void fill_box(tp_canvas *canvas, tp_box box, tp_colour colour)
{
    const tp_pen seam = {.colour = colour, .width = 0.2};
    tp_canvas_move(canvas, box.left, box.top);
    tp_canvas_line(canvas, box.right, box.top);
    tp_canvas_line(canvas, box.right, box.bottom);
    tp_canvas_line(canvas, box.left, box.bottom);
    tp_canvas_close(canvas);
    tp_canvas_fill(canvas, colour);
    tp_canvas_stroke(canvas, &seam);
}

static void range_of(const tp_plot_map *map, double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (long long k = 0; k < (long long)map->x_count * map->y_count; k++) {
        if (!isfinite(map->values[k])) continue;
        *low = fmin(*low, map->values[k]), *high = fmax(*high, map->values[k]);
    }
}

/* Where a cell begins: midway to the one before; outer cells are as wide as their inner half, twice. */
static double edge_of(const tp_axis *axis, const double *values, int count, int k)
{
    double first = tp_axis_place(axis, values[k < count ? k : count - 1]);
    if (count == 1) return k == 0 ? axis->begin : axis->end;
    if (k > 0 && k < count) return 0.5 * (first + tp_axis_place(axis, values[k - 1]));
    double other = tp_axis_place(axis, values[k == 0 ? 1 : count - 2]);
    return first - 0.5 * (other - first);
}

void tp_map_draw(tp_canvas *canvas, const tp_panel_view *view)
{
    const tp_plot_map *map = view->panel->map;
    double low, high;
    range_of(map, &low, &high);
    for (int i = 0; i < map->x_count; i++) {
        for (int j = 0; j < map->y_count; j++) {
            double value = map->values[(long long)i * map->y_count + j];
            if (!isfinite(value)) continue;
            tp_box cell = {
                edge_of(&view->x, map->x, map->x_count, i), edge_of(&view->y, map->y, map->y_count, j + 1),
                edge_of(&view->x, map->x, map->x_count, i + 1), edge_of(&view->y, map->y, map->y_count, j)};
            fill_box(canvas, cell, colour_at(high > low ? (value - low) / (high - low) : 0.5));
        }
    }
}

void tp_map_scale_draw(tp_canvas *canvas, const tp_panel_view *view)
{
    const tp_lettering number = {.size = TP_SIZE_NUMBER, .colour = {0.1, 0.1, 0.1}};
    const tp_box *box = &view->box;
    double low, high, left = box->right + bar_gap, tall = box->bottom - box->top;
    range_of(view->panel->map, &low, &high);
    for (int k = 0; k < BAR_STEPS; k++) {
        double bottom = box->bottom - tall * k / BAR_STEPS;
        fill_box(canvas, (tp_box){left, bottom - tall / BAR_STEPS, left + bar_width, bottom},
                 colour_at((k + 0.5) / BAR_STEPS));
    }
    for (int k = 0; k <= 4 && low <= high; k++) {
        char text[32];
        snprintf(text, sizeof text, "%.3g", low + 0.25 * k * (high - low));
        tp_canvas_text(canvas, left + bar_width + 3.0, box->bottom - 0.25 * k * tall + 0.36 * TP_SIZE_NUMBER,
                       text, &number);
    }
}
