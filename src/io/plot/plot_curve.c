/* A curve is walked through once to count its points and once to draw them; nothing is stored. */
#include "plot_curve.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "thin_out.h"

static const double dot_width = 1.6;  /* [pt] of points that nothing joins */
static const double line_width = 1.2; /* [pt] */
static const double finest_column = 0.5,
                    finest_error = 0.05; /* [pt]: half and a twentieth of a line's width */
static const double finest_cell = 0.3;   /* [pt] of the coverage: a quarter of a line */
static const double cells_max = 4e6;

static const struct {
    int count;
    double lengths[6];
} dashes[TP_PLOT_DASHES] = {
    {0, {0}},        {2, {5, 1.8}}, {4, {6, 1.6, 1.4, 1.6}},
    {2, {1.5, 1.5}}, {2, {9, 2.2}}, {6, {6, 1.5, 1.4, 1.5, 1.4, 1.5}},
};

tp_pen tp_style_pen(tp_plot_style style)
{
    tp_pen pen = {.colour = {0.1, 0.1, 0.1}, .width = line_width};
    if (style.colour >= 0) pen.colour = tp_palette_colour(style.colour);
    int dash = style.dash > 0 ? style.dash % TP_PLOT_DASHES : 0;
    pen.dash_count = dashes[dash].count;
    memcpy(pen.dashes, dashes[dash].lengths, sizeof pen.dashes);
    return pen;
}

double tp_axis_place(const tp_axis *axis, double value)
{
    if (!isfinite(value) || (axis->is_log && value <= 0.0)) return NAN;
    double part = axis->is_log ? log10(value / axis->low) / log10(axis->high / axis->low)
                               : (value / 2 - axis->low / 2) / (axis->high / 2 - axis->low / 2);
    return axis->begin + part * (axis->end - axis->begin);
}

tp_status tp_coverage_create(tp_coverage *coverage, tp_arena *arena, tp_box box)
{
    double area = (box.right - box.left) * (box.bottom - box.top),
           cell = fmax(finest_cell, sqrt(area / cells_max));
    coverage->cell = cell;
    coverage->left = box.left, coverage->top = box.top;
    coverage->columns = (int)((box.right - box.left) / cell) + 1;
    coverage->rows = (int)((box.bottom - box.top) / cell) + 1;
    coverage->cells = TP_ARENA_ARRAY(arena, unsigned char, (size_t)coverage->columns *(size_t)coverage->rows);
    return coverage->cells != NULL ? TP_OK : TP_OUT_OF_MEMORY;
}

/* Marks the cells under a piece; true if there were free ones. */
static bool cover(tp_coverage *coverage, tp_dot from, tp_dot to)
{
    if (coverage->cells == NULL) return true;
    const double cell = coverage->cell;
    int count = (int)(hypot(to.x - from.x, to.y - from.y) / (0.5 * cell)) + 1;
    bool was_free = false;
    for (int k = 0; k <= count; k++) {
        double part = (double)k / count;
        int column = (int)((from.x + part * (to.x - from.x) - coverage->left) / cell);
        int row = (int)((from.y + part * (to.y - from.y) - coverage->top) / cell);
        if (column < 0 || row < 0 || column >= coverage->columns || row >= coverage->rows) continue;
        unsigned char *mark = &coverage->cells[(size_t)row * (size_t)coverage->columns + (size_t)column];
        was_free = was_free || *mark == 0;
        *mark = 1;
    }
    return was_free;
}

/* Where the reduced points go: counted, and drawn if there is a canvas. */
typedef struct curve_sink {
    tp_canvas *canvas;
    tp_coverage *coverage;
    bool only_dots; /* single points, which dashes would hide */
    bool is_drawn_to_last;
    tp_dot last;
    long long count, dot_count;
    long long limit; /* above which counting ends */
} curve_sink;

static void take_dot(void *self, tp_dot dot, bool is_start)
{
    curve_sink *sink = self;
    tp_dot from = sink->last;
    sink->last = dot;
    if (is_start) {
        sink->is_drawn_to_last = false;
        return;
    }
    bool is_dot = dot.x == from.x && dot.y == from.y;
    if (is_dot && !sink->is_drawn_to_last) sink->dot_count++;
    if (sink->only_dots && !is_dot) return;
    if (!cover(sink->coverage, from, dot)) {
        sink->is_drawn_to_last = false;
        return;
    }
    sink->count += sink->is_drawn_to_last ? 1 : 2;
    if (sink->canvas != NULL) {
        if (!sink->is_drawn_to_last) tp_canvas_move(sink->canvas, from.x, from.y);
        tp_canvas_line(sink->canvas, dot.x, dot.y);
    }
    sink->is_drawn_to_last = true;
}

static void walk(const tp_plot_series *series, const tp_axis *x, const tp_axis *y, int level,
                 curve_sink *sink)
{
    if (sink->coverage->cells != NULL) {
        memset(sink->coverage->cells, 0, (size_t)sink->coverage->columns * (size_t)sink->coverage->rows);
    }
    tp_reducer reducer;
    /* Columns suit curves over time; one that turns back would lose its turning points. */
    double column = sink->coverage->cells == NULL ? ldexp(finest_column, level) : 0.0;
    tp_reducer_begin(&reducer, column, ldexp(finest_error, level), (tp_dot_sink){sink, take_dot});
    for (long long k = 0; k < series->count && sink->count <= sink->limit; k++) {
        tp_dot dot = {tp_axis_place(x, series->x[k]), tp_axis_place(y, series->y[k])};
        if (isfinite(dot.x) && isfinite(dot.y)) {
            tp_reducer_add(&reducer, dot);
            if (series->is_dots) tp_reducer_break(&reducer);
        } else {
            tp_reducer_break(&reducer);
        }
    }
    tp_reducer_break(&reducer);
}

long long tp_curve_count(const tp_plot_series *series, const tp_axis *x, const tp_axis *y, int level,
                         tp_coverage *coverage, long long limit)
{
    curve_sink sink = {.coverage = coverage, .limit = limit};
    walk(series, x, y, level, &sink);
    return sink.count;
}

void tp_curve_draw(tp_canvas *canvas, const tp_plot_series *series, const tp_axis *x, const tp_axis *y,
                   int level, tp_coverage *coverage)
{
    tp_pen pen = tp_style_pen(series->style);
    if (series->is_dots) pen.width = dot_width, pen.dash_count = 0;
    curve_sink sink = {.canvas = canvas, .coverage = coverage, .limit = LLONG_MAX};
    walk(series, x, y, level, &sink);
    tp_canvas_stroke(canvas, &pen);
    if (pen.dash_count == 0 || sink.dot_count == 0) return;
    pen.dash_count = 0;
    sink = (curve_sink){.canvas = canvas, .coverage = coverage, .limit = LLONG_MAX, .only_dots = true};
    walk(series, x, y, level, &sink);
    tp_canvas_stroke(canvas, &pen);
}
