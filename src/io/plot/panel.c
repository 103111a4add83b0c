/* Draws a panel. */
#include "panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const tp_colour ink = {0.1, 0.1, 0.1}, faint = {0.86, 0.86, 0.86}, grey = {0.4, 0.4, 0.4};
static const double mark_length = 4.0;                   /* [pt] */
static const double tick_length = 3.0, number_gap = 3.0; /* [pt] */
static const double y_air = 0.05, margin_air = 0.04;     /* of the range of the data */

/* Makes the axis longer around its middle. */
static void stretch(tp_axis *axis, double factor)
{
    double middle = 0.5 * axis->low + 0.5 * axis->high, half = factor * (0.5 * axis->high - 0.5 * axis->low);
    axis->low = middle - half;
    axis->high = middle + half;
}

static void make_axes_equal(tp_panel_view *view)
{
    double x_unit = fabs(view->x.end - view->x.begin) / (view->x.high - view->x.low);
    double y_unit = fabs(view->y.end - view->y.begin) / (view->y.high - view->y.low);
    if (x_unit > y_unit) stretch(&view->x, x_unit / y_unit);
    if (y_unit > x_unit) stretch(&view->y, y_unit / x_unit);
}

/* As many as have room on a short axis, and on a long one not so many that they crowd it. */
static int wanted_ticks(const tp_axis *axis, double room, double ease)
{
    double length = fabs(axis->end - axis->begin);
    return (int)fmin(length / room, 3.5 + length / ease);
}

static void make_ticks(const tp_axis *axis, int wanted, tp_ticks *ticks_out)
{
    (axis->is_log ? tp_ticks_log : tp_ticks_linear)(axis->low, axis->high, wanted, ticks_out);
}

void tp_panel_scale(tp_panel_view *view)
{
    view->x.begin = view->box.left, view->x.end = view->box.right;
    view->y.begin = view->box.bottom, view->y.end = view->box.top;
    view->x.is_log = view->panel->is_log_x;
    view->y.is_log = view->panel->is_log;
    bool has_data = view->x.low <= view->x.high;
    if (view->x.is_log) {
        tp_range_widen_log(&view->x.low, &view->x.high);
    } else if (!has_data || view->panel->has_margin || view->x.low == view->x.high) {
        tp_range_widen(&view->x.low, &view->x.high, margin_air);
    }
    if (view->y.is_log) {
        tp_range_widen_log(&view->y.low, &view->y.high);
    } else {
        tp_range_widen(&view->y.low, &view->y.high, y_air);
    }
    if (view->panel->has_equal_axes && !view->y.is_log && !view->x.is_log) make_axes_equal(view);

    int x_wanted = wanted_ticks(&view->x, 48.0, 80.0), y_wanted = wanted_ticks(&view->y, 16.0, 70.0);
    make_ticks(&view->x, x_wanted, &view->x_ticks);
    make_ticks(&view->y, y_wanted, &view->y_ticks);
}

double tp_panel_number_width(tp_canvas *canvas, const tp_panel_view *view)
{
    double widest = 0.0;
    for (int k = 0; k < view->y_ticks.count; k++) {
        widest = fmax(widest, tp_canvas_text_width(canvas, view->y_ticks.text[k], TP_SIZE_NUMBER));
    }
    return widest + number_gap;
}

static void draw_line(tp_canvas *canvas, double x0, double y0, double x1, double y1)
{
    tp_canvas_move(canvas, x0, y0);
    tp_canvas_line(canvas, x1, y1);
}

/* Lines at the ticks: vertical ones between two heights, horizontal ones from the left. */
static void draw_ticks(tp_canvas *canvas, const tp_panel_view *view, double from, double to, double right)
{
    for (int k = 0; k < view->x_ticks.count; k++) {
        double x = tp_axis_place(&view->x, view->x_ticks.position[k]);
        draw_line(canvas, x, from, x, to);
    }
    for (int k = 0; k < view->y_ticks.count; k++) {
        double y = tp_axis_place(&view->y, view->y_ticks.position[k]);
        draw_line(canvas, view->box.left, y, right, y);
    }
}

static void draw_grid(tp_canvas *canvas, const tp_panel_view *view)
{
    const tp_pen pen = {.colour = faint, .width = 0.4};
    draw_ticks(canvas, view, view->box.top, view->box.bottom, view->box.right);
    tp_canvas_stroke(canvas, &pen);
}

static void draw_frame(tp_canvas *canvas, const tp_panel_view *view)
{
    const tp_pen pen = {.colour = ink, .width = 0.6};
    const tp_box *box = &view->box;
    draw_line(canvas, box->left, box->top, box->right, box->top);
    tp_canvas_line(canvas, box->right, box->bottom);
    tp_canvas_line(canvas, box->left, box->bottom);
    tp_canvas_line(canvas, box->left, box->top);
    draw_ticks(canvas, view, box->bottom, box->bottom - tick_length, box->left + tick_length);
    tp_canvas_stroke(canvas, &pen);
}

/* Ticks above the frame; many at one place are one. */
static void draw_marks(tp_canvas *canvas, const tp_panel_view *view)
{
    const tp_pen pen = {.colour = ink, .width = 0.5};
    double last = -INFINITY;
    for (int k = 0; k < view->panel->mark_count; k++) {
        double x = tp_axis_place(&view->x, view->panel->marks[k]);
        if (!(x >= view->box.left && x <= view->box.right && x > last + 0.25)) continue;
        draw_line(canvas, x, view->box.top, x, view->box.top - mark_length);
        last = x;
    }
    tp_canvas_stroke(canvas, &pen);
}

static void draw_x_numbers(tp_canvas *canvas, const tp_panel_view *view)
{
    const tp_lettering number = {.size = TP_SIZE_NUMBER, .colour = ink, .align = 0.5};
    const tp_lettering factor = {.size = TP_SIZE_NUMBER, .colour = ink, .align = 1.0};
    const tp_lettering label = {.size = TP_SIZE_LABEL, .colour = ink, .align = 0.5};
    const tp_box *box = &view->box;
    double line = box->bottom + number_gap + TP_SIZE_NUMBER;
    for (int k = 0; k < view->x_ticks.count; k++) {
        double x = tp_axis_place(&view->x, view->x_ticks.position[k]);
        tp_canvas_text(canvas, x, line, view->x_ticks.text[k], &number);
    }
    double label_line = line + 3.5 + TP_SIZE_LABEL;
    tp_canvas_text(canvas, box->right, label_line, view->x_ticks.factor, &factor);
    if (view->panel->x_label != NULL)
        tp_canvas_text_within(canvas, 0.5 * (box->left + box->right), label_line, view->panel->x_label,
                              box->right - box->left, &label);
}

static void draw_y_numbers(tp_canvas *canvas, const tp_panel_view *view)
{
    const tp_lettering number = {.size = TP_SIZE_NUMBER, .colour = ink, .align = 1.0};
    double aside = view->panel->mark_count > 0 ? number_gap : 0.0; /* marks of events are above the panel */
    const tp_lettering factor = {.size = TP_SIZE_NUMBER, .colour = ink, .align = aside > 0.0 ? 1.0 : 0.0};
    const tp_lettering label = {.size = TP_SIZE_LABEL, .colour = ink, .align = 0.5, .is_vertical = true};
    const tp_box *box = &view->box;
    for (int k = 0; k < view->y_ticks.count; k++) {
        double y = tp_axis_place(&view->y, view->y_ticks.position[k]);
        tp_canvas_text(canvas, box->left - number_gap, y + 0.36 * TP_SIZE_NUMBER, view->y_ticks.text[k],
                       &number);
    }
    tp_canvas_text(canvas, box->left - aside, box->top - number_gap, view->y_ticks.factor, &factor);
    double length = 1.1 * (box->bottom - box->top); /* a label may be longer than its panel is high */
    if (view->panel->y_label != NULL)
        tp_canvas_text_within(canvas, view->label_x, 0.5 * (box->top + box->bottom), view->panel->y_label,
                              length, &label);
}

void tp_key_draw(tp_canvas *canvas, const tp_plot_key *key, double x, double y, double label_width)
{
    const tp_lettering lettering = {.size = TP_SIZE_KEY, .colour = ink};
    const tp_pen pen = tp_style_pen(key->style);
    draw_line(canvas, x, y - 0.36 * TP_SIZE_KEY, x + TP_KEY_SAMPLE, y - 0.36 * TP_SIZE_KEY);
    tp_canvas_stroke(canvas, &pen);
    tp_canvas_text_within(canvas, x + TP_KEY_SAMPLE + TP_KEY_SPACE, y, key->label, label_width, &lettering);
}

double tp_note_draw(tp_canvas *canvas, const char *note, double x, double y, double width)
{
    const tp_lettering lettering = {.size = TP_SIZE_KEY, .colour = grey};
    for (; note != NULL && *note != '\0'; y += TP_KEY_LINE) {
        char line[TP_CANVAS_TEXT_MAX + 1];
        size_t length = strcspn(note, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, note);
        tp_canvas_text_within(canvas, x, y, line, width, &lettering);
        note += length + (note[length] == '\n');
    }
    return y;
}

int tp_panel_line_count(const tp_panel_view *view)
{
    int count = view->panel->key_count + (view->peak > 0.0);
    const char *note = view->panel->note != NULL ? view->panel->note : "";
    for (; *note != '\0'; note += strcspn(note, "\n"), note += *note == '\n') count++;
    return count;
}

/* Keys from the top of the panel, then notes; keys that have no room are counted. */
static void draw_keys(tp_canvas *canvas, const tp_panel_view *view)
{
    const tp_plot_panel *panel = view->panel;
    double x = view->box.right + 2.0 * TP_KEY_SPACE, y = view->box.top + TP_SIZE_KEY;
    double width = view->key_width - 2.0 * TP_KEY_SPACE;
    int lines = (int)((view->box.bottom - view->box.top + 2.0) / TP_KEY_LINE);
    int shown = panel->key_count, over = tp_panel_line_count(view) - lines;
    if (over > 0) shown = shown > over + 1 ? shown - over - 1 : 0;
    for (int k = 0; k < shown; k++, y += TP_KEY_LINE) {
        tp_key_draw(canvas, &panel->keys[k], x, y, view->key_width - TP_KEY_SAMPLE - 3.0 * TP_KEY_SPACE);
    }
    char text[64];
    if (shown < panel->key_count) {
        snprintf(text, sizeof text, "and %d more curves", panel->key_count - shown);
        y = tp_note_draw(canvas, text, x, y, width);
    }
    tp_peak_note(view, text, sizeof text);
    y = tp_note_draw(canvas, text, x, y, width);
    tp_note_draw(canvas, panel->note, x, y, width);
}

void tp_peak_note(const tp_panel_view *view, char *text, size_t capacity)
{
    text[0] = '\0';
    if (view->peak > 0.0) snprintf(text, capacity, "peaks up to %.3g cut off", view->peak);
}

/* Curves that run back over themselves need the coverage; curves over time do not. */
static tp_status prepare_coverage(const tp_panel_view *view, tp_arena *arena, tp_coverage *coverage)
{
    *coverage = (tp_coverage){0};
    return view->panel->has_margin ? tp_coverage_create(coverage, arena, view->box) : TP_OK;
}

tp_status tp_panel_count(const tp_panel_view *view, int level, long long limit, tp_arena *arena,
                         long long *count_out)
{
    tp_coverage coverage;
    TP_TRY(prepare_coverage(view, arena, &coverage));
    *count_out = 0;
    for (int s = 0; s < view->panel->series_count && *count_out <= limit; s++) {
        *count_out += tp_curve_count(&view->panel->series[s], &view->x, &view->y, level, &coverage, limit);
    }
    return TP_OK;
}

tp_status tp_panel_draw(tp_canvas *canvas, const tp_panel_view *view, tp_arena *arena)
{
    const tp_plot_panel *panel = view->panel;
    const tp_lettering title = {.size = TP_SIZE_LABEL, .colour = ink, .align = 0.5};
    tp_coverage coverage;
    TP_TRY(prepare_coverage(view, arena, &coverage));
    draw_grid(canvas, view);
    tp_canvas_clip(canvas, view->box);
    if (panel->map != NULL) tp_map_draw(canvas, view);
    /* The first curve on top: it is the one that matters. */
    for (int s = panel->series_count - 1; s >= 0; s--) {
        tp_curve_draw(canvas, &panel->series[s], &view->x, &view->y, view->level, &coverage);
    }
    tp_canvas_clip_end(canvas);
    draw_frame(canvas, view);
    draw_marks(canvas, view);
    if (panel->map != NULL) tp_map_scale_draw(canvas, view);
    if (view->has_x_numbers) draw_x_numbers(canvas, view);
    draw_y_numbers(canvas, view);
    draw_keys(canvas, view);
    if (panel->title != NULL) {
        double x = 0.5 * (view->box.left + view->box.right);
        tp_canvas_text(canvas, x, view->box.top - 4.0, panel->title, &title);
    }
    return TP_OK;
}
