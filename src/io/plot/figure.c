/* A figure: panels below each other with their frames in line, drawn on a canvas and written to a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/common/c_locale.h"
#include "panel.h"
#include "sheet.h"

static const double default_width = 480.0;                         /* [pt], a printed page's text */
static const double frame_height = 92.0, single_height = 200.0;    /* [pt] of panels over time     */
static const double free_height = 250.0;                           /* [pt] of a phase plot         */
static const double edge = 6.0, gap = 9.0, title_height = 14.0;    /* [pt]                         */
static const double factor_height = 10.0, x_numbers_height = 26.0; /* [pt]                         */
static const double measuring_size = 60.0;                         /* [pt] */
static const long long points_max = 13000; /* of all curves: about 20 bytes each in an SVG of 300 KB      */

tp_plot_figure tp_plot_figure_default(void)
{
    return (tp_plot_figure){.dots_per_inch = 200.0};
}

typedef struct layout {
    const tp_plot_figure *figure;
    tp_canvas *canvas;
    tp_arena *arena;
    tp_panel_view *views; /* [panel_count] */
    double width, height;
    bool shares_x;
    double left, right; /* of all frames */
    double keys_height; /* of the legend above all panels */
} layout;

static bool have_same_x(const tp_plot_figure *figure)
{
    for (int p = 1; p < figure->panel_count; p++) {
        const char *a = figure->panels[0].x_label, *b = figure->panels[p].x_label;
        if (a == NULL || b == NULL || strcmp(a, b) != 0) return false;
        if (figure->panels[p].has_equal_axes || figure->panels[p].has_margin) return false;
        if (figure->panels[p].is_log_x != figure->panels[0].is_log_x) return false;
    }
    return figure->panel_count > 1 && !figure->panels[0].has_equal_axes && !figure->panels[0].has_margin;
}

/* Height of a panel's frame if the figure's height is free: enough for its legend. */
static double natural_height(const tp_plot_figure *figure, const tp_panel_view *view)
{
    const tp_plot_panel *panel = view->panel;
    double height = panel->has_margin ? free_height : figure->panel_count == 1 ? single_height : frame_height;
    return fmax(height, TP_KEY_LINE * tp_panel_line_count(view));
}

/* The panels that share an axis share its range. */
static void find_ranges(layout *l)
{
    const tp_plot_figure *figure = l->figure;
    double low = INFINITY, high = -INFINITY;
    for (int p = 0; p < figure->panel_count; p++) {
        tp_panel_view *view = &l->views[p];
        view->panel = &figure->panels[p];
        tp_panel_range(view->panel, &view->x.low, &view->x.high, &view->y.low, &view->y.high);
        view->peak = tp_panel_cut_peaks(view->panel, &view->y.low, &view->y.high);
        low = fmin(low, view->x.low), high = fmax(high, view->x.high);
    }
    for (int p = 0; p < figure->panel_count && l->shares_x; p++) {
        l->views[p].x.low = low, l->views[p].x.high = high;
    }
}

/* Room below all panels for the note of the figure. */
static double note_height(const tp_plot_figure *figure)
{
    int lines = figure->note != NULL ? 1 : 0;
    for (const char *c = figure->note; c != NULL && *c != '\0'; c++) lines += *c == '\n';
    return lines > 0 ? 3.0 + TP_KEY_LINE * lines : 0.0;
}

/* Room above and below a panel's frame. */
static double room_above(const tp_plot_panel *panel, const tp_panel_view *view)
{
    if (panel->title != NULL) return title_height;
    return view->y_ticks.factor[0] != '\0' ? factor_height : 0.0;
}

static double room_below(const layout *l, int p)
{
    return !l->shares_x || p + 1 == l->figure->panel_count ? x_numbers_height : 0.0;
}

/* The longest line of a text; NULL: none. */
static double widest_line(tp_canvas *canvas, const char *text)
{
    double widest = 0.0;
    char line[TP_CANVAS_TEXT_MAX + 1];
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        widest = fmax(widest, tp_canvas_text_width(canvas, line, TP_SIZE_KEY));
        text += length + (text[length] == '\n');
    }
    return widest;
}

/* Room right of the frames: for the longest key or note, but not the half of the figure. */
static double widest_key(const layout *l)
{
    double widest = 0.0;
    char note[64];
    for (int p = 0; p < l->figure->panel_count; p++) {
        const tp_plot_panel *panel = &l->figure->panels[p];
        for (int k = 0; k < panel->key_count; k++) {
            double width = tp_canvas_text_width(l->canvas, panel->keys[k].label, TP_SIZE_KEY);
            widest = fmax(widest, width + TP_KEY_SAMPLE + 3.0 * TP_KEY_SPACE);
        }
        if (panel->map != NULL) widest = fmax(widest, TP_MAP_SCALE_WIDTH);
        tp_peak_note(&l->views[p], note, sizeof note);
        double width = fmax(widest_line(l->canvas, note), widest_line(l->canvas, panel->note));
        if (width > 0.0) widest = fmax(widest, width + 2.0 * TP_KEY_SPACE);
    }
    return fmin(widest, 0.36 * l->width);
}

/* Places the frames from top to bottom for known ticks. */
static void place_frames(layout *l)
{
    const tp_plot_figure *figure = l->figure;
    double natural = 0.0, fixed = 2.0 * edge + l->keys_height + gap * (figure->panel_count - 1);
    fixed += note_height(figure);
    for (int p = 0; p < figure->panel_count; p++) {
        natural += natural_height(figure, &l->views[p]);
        fixed += room_above(&figure->panels[p], &l->views[p]) + room_below(l, p);
    }
    double part = l->height > 0.0 ? fmax(l->height - fixed, 10.0 * figure->panel_count) / natural : 1.0;
    double y = edge + l->keys_height;
    for (int p = 0; p < figure->panel_count; p++) {
        tp_panel_view *view = &l->views[p];
        y += room_above(view->panel, view);
        view->box = (tp_box){l->left, y, l->right, y + part * natural_height(figure, view)};
        view->has_x_numbers = room_below(l, p) > 0.0;
        y = view->box.bottom + room_below(l, p) + gap;
    }
    if (!(l->height > 0.0)) l->height = y - gap + edge + note_height(figure);
}

/* Frames depend on the numbers next to them, numbers on the frames: the second round settles it. */
static void arrange(layout *l)
{
    find_ranges(l);
    double key_width = widest_key(l), asked_height = l->height;
    l->left = edge + 40.0;
    l->right = l->width - edge - fmax(key_width, 8.0);
    for (int round = 0; round < 2; round++) {
        find_ranges(l);
        l->height = asked_height;
        place_frames(l);
        double number_width = 0.0;
        for (int p = 0; p < l->figure->panel_count; p++) {
            tp_panel_view *view = &l->views[p];
            view->label_x = edge + 0.8 * TP_SIZE_LABEL;
            view->key_width = key_width;
            tp_panel_scale(view);
            number_width = fmax(number_width, tp_panel_number_width(l->canvas, view));
        }
        l->left = edge + TP_SIZE_LABEL + 5.0 + number_width;
    }
}

static tp_status count_points(const layout *l, int level, long long *total_out)
{
    *total_out = 0;
    for (int p = 0; p < l->figure->panel_count && *total_out <= points_max; p++) {
        long long count = 0;
        tp_arena cells = tp_arena_make(l->arena->allocator);
        tp_status status = tp_panel_count(&l->views[p], level, points_max, &cells, &count);
        tp_arena_clear(&cells);
        TP_TRY(status);
        *total_out += count;
    }
    return TP_OK;
}

/* The finest level of detail that keeps the file small. */
static tp_status choose_level(layout *l)
{
    int level = 0;
    long long total;
    TP_TRY(count_points(l, level, &total));
    while (total > points_max && level + 1 < TP_DETAIL_LEVELS) TP_TRY(count_points(l, ++level, &total));
    for (int p = 0; p < l->figure->panel_count; p++) l->views[p].level = level;
    return TP_OK;
}

/* The legend above all panels, in as many lines as it needs, and its height. */
static double lay_keys(const layout *l, bool is_drawn)
{
    const tp_plot_figure *figure = l->figure;
    if (figure->key_count == 0) return 0.0;
    double widest = l->width - 2.0 * edge - TP_KEY_SAMPLE - TP_KEY_SPACE;
    double begin = is_drawn ? l->left : edge + 40.0, x = begin, y = edge + TP_SIZE_KEY;
    for (int k = 0; k < figure->key_count; k++) {
        double width = fmin(tp_canvas_text_width(l->canvas, figure->keys[k].label, TP_SIZE_KEY), widest);
        double step = TP_KEY_SAMPLE + TP_KEY_SPACE + width;
        if (x > begin && x + step > l->width - edge) x = begin, y += TP_KEY_LINE;
        if (is_drawn) tp_key_draw(l->canvas, &figure->keys[k], x, y, widest);
        x += step + 14.0;
    }
    return y + 7.0 - edge;
}

static tp_status draw(layout *l)
{
    lay_keys(l, true);
    double y = l->height - edge - note_height(l->figure) + 3.0 + TP_SIZE_KEY;
    tp_note_draw(l->canvas, l->figure->note, edge, y, l->width - 2.0 * edge);
    for (int p = 0; p < l->figure->panel_count; p++) TP_TRY(tp_panel_draw(l->canvas, &l->views[p], l->arena));
    return TP_OK;
}

/* A canvas of no use but to measure texts: the height is known only afterwards. */
static tp_status measure(layout *l)
{
    TP_TRY(tp_canvas_create(l->arena->allocator, measuring_size, measuring_size, 0.0, &l->canvas));
    l->keys_height = lay_keys(l, false);
    arrange(l);
    tp_status status = choose_level(l);
    tp_canvas_free(l->canvas);
    l->canvas = NULL;
    return status;
}

static tp_status write_figure(layout *l, const char *path, tp_message *why)
{
    l->width = l->figure->width > 0.0 ? l->figure->width : default_width;
    l->height = l->figure->height;
    l->shares_x = have_same_x(l->figure);
    l->views = TP_ARENA_ARRAY(l->arena, tp_panel_view, l->figure->panel_count);
    if (l->views == NULL) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the figure");
    tp_status status = measure(l);
    if (status != TP_OK) return tp_fail(why, status, "no memory for the figure");
    const tp_sheet sheet = {path, l->width, l->height, l->figure->dots_per_inch};
    TP_TRY(tp_sheet_open(l->arena->allocator, &sheet, &l->canvas, why));
    if (draw(l) != TP_OK) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the figure");
    return tp_sheet_write(&sheet, l->canvas, why);
}

tp_status tp_plot_write(const tp_allocator *allocator, const tp_plot_figure *figure, const char *path,
                        tp_message *why_out)
{
    const tp_sheet sheet = {path, figure->width, figure->height, figure->dots_per_inch};
    TP_TRY(tp_sheet_check(&sheet, why_out));
    if (figure->panel_count < 1) return tp_fail(why_out, TP_INVALID_ARGUMENT, "a figure without panels");
    tp_c_locale locale;
    TP_TRY(tp_c_locale_enter(&locale, why_out));
    tp_arena arena = tp_arena_make(allocator);
    layout l = {.figure = figure, .arena = &arena};
    tp_status status = write_figure(&l, path, why_out);
    tp_canvas_free(l.canvas);
    tp_arena_clear(&arena);
    tp_c_locale_leave(&locale);
    return status;
}
