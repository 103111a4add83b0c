/* A figure from runs: panels from the chosen columns, labels, keys and notes. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "choice.h"
#include "io/common/ascending.h"
#include "io/common/text.h"
#include "sweep_panels.h"

struct tp_plot {
    tp_arena arena;
    tp_plot_figure figure;
};

/* What the making of a figure needs at hand. */
typedef struct maker {
    tp_arena *arena;
    tp_plot_catalogue catalogue;
    const tp_plot_options *options;
    bool has_one_column; /* in every panel: dashes are free for runs */
    tp_message *why;
} maker;

enum { LABEL_MAX = 256 };

tp_plot_options tp_plot_options_default(void)
{
    return (tp_plot_options){.dots_per_inch = tp_plot_figure_default().dots_per_inch};
}

static tp_status fail_memory(const maker *m)
{
    return tp_fail(m->why, TP_OUT_OF_MEMORY, "no memory for the figure");
}

static const tp_plot_column *column_of(const maker *m, tp_plot_pair pair, bool is_x)
{
    return &m->catalogue.columns[is_x ? pair.x : pair.y];
}

/* " [m, rad]": every unit once. */
static void append_units(const maker *m, const tp_plot_choice *choice, bool is_x, char *label)
{
    bool has_unit = false;
    for (int k = 0; k < choice->count; k++) {
        const char *unit = column_of(m, choice->pairs[k], is_x)->unit;
        bool is_new = unit[0] != '\0';
        for (int j = 0; j < k && is_new; j++) {
            is_new = strcmp(unit, column_of(m, choice->pairs[j], is_x)->unit) != 0;
        }
        if (!is_new) continue;
        tp_append(label, LABEL_MAX, "%s%s", has_unit ? ", " : label[0] != '\0' ? " [" : "[", unit);
        has_unit = true;
    }
    if (has_unit) tp_append(label, LABEL_MAX, "]");
}

/* The common name of the columns, or all their labels, with units. */
static char *make_axis_label(const maker *m, const tp_plot_choice *choice, bool is_x)
{
    char label[LABEL_MAX] = "";
    const tp_plot_column *first = column_of(m, choice->pairs[0], is_x);
    bool is_one = true, is_one_kind = true;
    for (int k = 1; k < choice->count; k++) {
        const tp_plot_column *column = column_of(m, choice->pairs[k], is_x);
        is_one = is_one && column == first;
        is_one_kind = is_one_kind && column->kind == first->kind;
    }
    const char *kind = tp_column_kind_text(first->kind, first->unit);
    if (is_one || !is_one_kind || kind[0] == '\0') {
        for (int k = 0; k < choice->count && (k == 0 || !is_one); k++)
            tp_append(label, LABEL_MAX, "%s%s", k > 0 ? ", " : "",
                      column_of(m, choice->pairs[k], is_x)->label);
    } else {
        tp_append(label, LABEL_MAX, "%s", kind);
    }
    append_units(m, choice, is_x, label);
    return tp_arena_text(m->arena, label);
}

/* "b.x : b.y" where the horizontal axes differ; a gap panel needs not say gap again. */
static char *make_key_label(const maker *m, const tp_plot_choice *choice, tp_plot_pair pair)
{
    bool has_one_x = true, are_gaps = true;
    for (int k = 0; k < choice->count; k++) {
        has_one_x = has_one_x && choice->pairs[k].x == pair.x;
        are_gaps = are_gaps && column_of(m, choice->pairs[k], false)->kind == TP_COLUMN_GAP;
    }
    char label[LABEL_MAX] = "";
    if (!has_one_x) tp_append(label, LABEL_MAX, "%s : ", column_of(m, pair, true)->label);
    tp_append(label, LABEL_MAX, "%s", column_of(m, pair, false)->label);
    size_t length = strlen(label);
    if (are_gaps && length > 4 && strcmp(label + length - 4, " gap") == 0) label[length - 4] = '\0';
    return tp_arena_text(m->arena, label);
}

/* A run minus the first one, at the times of the run; NULL for the first one itself and for what it has not.
 */
static tp_status subtract_first(const maker *m, tp_plot_pair pair, int run, const double *times,
                                const double **y)
{
    const double *first = tp_catalogue_values(&m->catalogue, 0, pair.y, m->arena),
                 *first_times = tp_catalogue_values(&m->catalogue, 0, pair.x, m->arena);
    long long count = m->catalogue.runs[run].trajectory->row_count,
              first_count = m->catalogue.runs[0].trajectory->row_count;
    double *difference = TP_ARENA_ARRAY(m->arena, double, count + 1);
    if (difference == NULL) return fail_memory(m);
    bool is_there = run > 0 && first != NULL && first_times != NULL && pair.x == m->catalogue.time;
    for (long long k = 0; k < count && is_there; k++) {
        bool is_inside =
            first_count > 0 && times[k] >= first_times[0] && times[k] <= first_times[first_count - 1];
        difference[k] =
            is_inside ? (*y)[k] - tp_between_rows(first_times, first, first_count, times[k]) : NAN;
    }
    *y = is_there ? difference : NULL;
    return TP_OK;
}

/* Adds the curve of a pair in a run; a run without the columns has none. */
static tp_status add_series(const maker *m, tp_plot_pair pair, int run, tp_plot_style style,
                            tp_plot_series *series, int *count)
{
    const double *x = tp_catalogue_values(&m->catalogue, run, pair.x, m->arena);
    const double *y = tp_catalogue_values(&m->catalogue, run, pair.y, m->arena);
    if (tp_arena_status(m->arena) != TP_OK) return fail_memory(m);
    if (x == NULL || y == NULL) return TP_OK;
    const tp_trajectory *trajectory = m->catalogue.runs[run].trajectory;
    if (m->options->has_difference) TP_TRY(subtract_first(m, pair, run, x, &y));
    if (y == NULL) return TP_OK;
    series[(*count)++] =
        (tp_plot_series){x, y, trajectory->row_count, style, .is_dots = tp_is_sweep(trajectory)};
    return TP_OK;
}

/* One run: colour and dash go by column. Several: the colour by run, the dash by column, or by run where
   panels have one column. The first run is below the others, so that one that agrees with it is seen on it.
 */
static tp_status make_series(const maker *m, const tp_plot_choice *choice, tp_plot_panel *panel)
{
    int run_count = m->catalogue.run_count;
    tp_plot_series *series = TP_ARENA_ARRAY(m->arena, tp_plot_series, choice->count * run_count);
    tp_plot_key *keys = TP_ARENA_ARRAY(m->arena, tp_plot_key, choice->count);
    if (series == NULL || keys == NULL) return fail_memory(m);
    for (int k = 0; k < choice->count; k++) {
        for (int r = run_count - 1; r >= 0; r--) {
            tp_plot_style style = {run_count > 1 ? r : k, m->has_one_column ? r : k};
            TP_TRY(add_series(m, choice->pairs[k], r, style, series, &panel->series_count));
        }
        keys[k].style = (tp_plot_style){run_count > 1 ? TP_PLOT_BLACK : k, k};
        keys[k].label = make_key_label(m, choice, choice->pairs[k]);
    }
    panel->series = series;
    panel->keys = keys;
    panel->key_count = choice->count > 1 || choice->left_out > 0 ? choice->count : 0;
    return TP_OK;
}

/* What the picture does not show. */
static void make_note(const maker *m, const tp_plot_choice *choice, tp_plot_panel *panel)
{
    long long hidden = 0;
    for (int s = 0; s < panel->series_count && panel->is_log; s++) {
        for (long long k = 0; k < panel->series[s].count; k++) hidden += panel->series[s].y[k] <= 0.0;
    }
    int runs = m->catalogue.run_count - (m->options->has_difference ? 1 : 0);
    int missing = choice->count * runs - panel->series_count;
    char note[LABEL_MAX] = "";
    if (choice->left_out > 0) tp_append(note, LABEL_MAX, "and %d more, not shown\n", choice->left_out);
    if (hidden > 0) tp_append(note, LABEL_MAX, "%lld values \xE2\x89\xA4 0 left out\n", hidden);
    if (missing > 0) tp_append(note, LABEL_MAX, "%d not in every run\n", missing);
    if (note[0] != '\0') panel->note = tp_arena_text(m->arena, note);
}

/* Curves over different columns may share a horizontal axis only if they have one unit. */
static tp_status check_units(const maker *m, const tp_plot_choice *choice)
{
    const tp_plot_column *first = column_of(m, choice->pairs[0], true);
    for (int k = 1; k < choice->count; k++) {
        const tp_plot_column *other = column_of(m, choice->pairs[k], true);
        if (strcmp(first->unit, other->unit) == 0) continue;
        return tp_fail(m->why, TP_INVALID_ARGUMENT,
                       "%s [%s] and %s [%s] cannot share a horizontal axis; separate panels by ';'",
                       first->name, first->unit, other->name, other->unit);
    }
    return TP_OK;
}

/* Times of the events of the first run. */
static void mark_events(const maker *m, tp_plot_panel *panel)
{
    const tp_table *events = tp_trajectory_table(m->catalogue.runs[0].trajectory, "events");
    int column = events != NULL ? tp_table_find(events, "time") : -1;
    if (column < 0 || events->row_count > INT_MAX) return;
    panel->marks = events->values[column];
    panel->mark_count = (int)events->row_count;
}

static tp_status make_panel(const maker *m, const tp_plot_choice *choice, tp_plot_panel *panel)
{
    TP_TRY(check_units(m, choice));
    bool is_over_time = true;
    for (int k = 0; k < choice->count; k++)
        is_over_time = is_over_time && choice->pairs[k].x == m->catalogue.time;
    panel->is_log = m->options->is_log;
    panel->has_equal_axes = m->options->has_equal_axes && !is_over_time;
    panel->has_margin = !is_over_time;
    panel->cuts_peaks = is_over_time;
    for (int k = 0; k < choice->count; k++) {
        tp_column_kind kind = column_of(m, choice->pairs[k], false)->kind;
        bool is_force = kind == TP_COLUMN_CONTACT_FORCE || kind == TP_COLUMN_FORCE;
        panel->cuts_peaks = panel->cuts_peaks && is_force; /* an impact is not a force */
    }
    panel->x_label = make_axis_label(m, choice, true);
    panel->y_label = make_axis_label(m, choice, false);
    if (is_over_time && m->options->has_events) mark_events(m, panel);
    TP_TRY(make_series(m, choice, panel));
    make_note(m, choice, panel);
    return TP_OK;
}

static tp_status make_run_keys(const maker *m, tp_plot_figure *figure)
{
    int count = m->catalogue.run_count;
    if (count < 2) return TP_OK;
    tp_plot_key *keys = TP_ARENA_ARRAY(m->arena, tp_plot_key, count);
    if (keys == NULL) return fail_memory(m);
    bool is_difference = m->options->has_difference;
    for (int r = 0; r < count; r++) {
        const char *other = is_difference ? m->catalogue.runs[0].label : "";
        keys[r].label = tp_arena_format(m->arena, "%.120s%s%.120s", m->catalogue.runs[r].label,
                                        is_difference ? " minus " : "", other);
        keys[r].style = (tp_plot_style){r, m->has_one_column ? r : 0};
    }
    if (is_difference) keys++, count--; /* the first has none */
    figure->keys = keys;
    figure->key_count = count;
    return TP_OK;
}

static tp_status make_figure(maker *m, const tp_plot_run *runs, int run_count, tp_plot_figure *figure)
{
    tp_plot_choice choices[TP_PLOT_PANELS_MAX];
    const tp_plot_options *options = m->options;
    if (tp_catalogue_create(&m->catalogue, m->arena, runs, run_count) != TP_OK) return fail_memory(m);
    figure->width = options->width, figure->height = options->height;
    figure->dots_per_inch = options->dots_per_inch;
    if (tp_is_sweep(runs[0].trajectory) && options->column_count == 0)
        return tp_sweep_panels(m->arena, runs[0].trajectory, options, figure, m->why);
    if (options->column_count == 0) {
        TP_TRY(tp_choices_default(&m->catalogue, m->arena, choices, &figure->panel_count, &figure->note,
                                  m->why));
    } else {
        TP_TRY(tp_choices_make(&m->catalogue, options->columns, options->column_count, m->arena, choices,
                               &figure->panel_count, m->why));
    }
    tp_plot_panel *panels = TP_ARENA_ARRAY(m->arena, tp_plot_panel, figure->panel_count);
    if (panels == NULL) return fail_memory(m);
    m->has_one_column = run_count > 1;
    for (int p = 0; p < figure->panel_count; p++)
        m->has_one_column = m->has_one_column && choices[p].count == 1;
    for (int p = 0; p < figure->panel_count; p++) TP_TRY(make_panel(m, &choices[p], &panels[p]));
    figure->panels = panels;
    TP_TRY(make_run_keys(m, figure));
    return m->arena->has_failed ? fail_memory(m) : TP_OK;
}

tp_status tp_plot_create(const tp_allocator *allocator, const tp_plot_run *runs, int run_count,
                         const tp_plot_options *options, tp_plot **plot_out, tp_message *why_out)
{
    *plot_out = NULL;
    if (options->has_difference && run_count < 2)
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "a difference needs two or more runs");
    if (run_count < 1 || run_count > TP_PLOT_RUNS_MAX) {
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "%d runs: expected 1 to %d", run_count,
                       TP_PLOT_RUNS_MAX);
    }
    tp_plot *plot = TP_ARENA_OBJECT(tp_plot, allocator);
    if (plot == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the figure");
    maker m = {.arena = &plot->arena, .options = options, .why = why_out};
    tp_status status = make_figure(&m, runs, run_count, &plot->figure);
    if (status != TP_OK) tp_plot_free(plot);
    *plot_out = status == TP_OK ? plot : NULL;
    return status;
}

const tp_plot_figure *tp_plot_figure_of(const tp_plot *plot)
{
    return &plot->figure;
}

void tp_plot_free(tp_plot *plot)
{
    if (plot != NULL) tp_arena_clear(&plot->arena);
}
