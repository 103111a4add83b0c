/* What a sweep is looked at for: each result that changes, over the parameters that were varied. */
#include "sweep_panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "io/common/words.h"
#include "io/output/column_path.h"

typedef struct collector {
    tp_arena *arena;
    const tp_trajectory *sweep;
    const tp_plot_options *options;
    int axes[3], axis_count; /* columns vary/...; the first three */
    tp_plot_panel *panels;
    int count;
} collector;

bool tp_is_sweep(const tp_trajectory *trajectory)
{
    return trajectory->column_count > 0 && strcmp(trajectory->columns[0].name, "run") == 0;
}

static const char *label_of(const collector *c, const char *name)
{
    const char *part = name + strcspn(name, "/.");
    if (*part) name = part + 1; /* without its group */
    return tp_column_unescaped(c->arena, name, (int)strlen(name));
}

static bool is_constant(const double *values, long long count)
{
    for (long long k = 1; k < count; k++) {
        if (values[k] != values[0] && !(isnan(values[k]) && isnan(values[0]))) return false;
    }
    return true;
}

static tp_plot_panel *new_panel(collector *c, const char *x, const char *y)
{
    if (c->count >= TP_PLOT_DEFAULT_PANELS) return NULL;
    tp_plot_panel *panel = &c->panels[c->count++];
    *panel = (tp_plot_panel){.x_label = label_of(c, x), .y_label = label_of(c, y), .has_margin = true};
    return panel;
}

/* One column of a table over another, as dots. */
static void add_dots(collector *c, const tp_table_column *columns, const double *const *values,
                     long long count, int x, int y)
{
    tp_plot_series *series = TP_ARENA_ARRAY(c->arena, tp_plot_series, 1);
    tp_plot_panel *panel = series ? new_panel(c, columns[x].name, columns[y].name) : NULL;
    if (!panel) return;
    *series = (tp_plot_series){values[x], values[y], count, .is_dots = true};
    panel->series = series, panel->series_count = 1, panel->is_log = c->options->is_log;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different values of a column, ascending. */
static double *levels(const collector *c, const double *values, int *count_out)
{
    long long count = c->sweep->row_count;
    double *list = tp_arena_copy(c->arena, values, (size_t)count, sizeof *values);
    *count_out = 0;
    if (!list) return NULL;
    qsort(list, (size_t)count, sizeof *list, compare);
    for (long long k = 0; k < count; k++) {
        if (*count_out == 0 || list[k] > list[*count_out - 1]) list[(*count_out)++] = list[k];
    }
    return list;
}

static int place_of(const double *list, int count, double value)
{
    const double *found = bsearch(&value, list, (size_t)count, sizeof *list, compare);
    return found ? (int)(found - list) : 0;
}

/* A result over the first two parameters; false if they are not a grid. */
static bool add_map(collector *c, int result)
{
    const double *const *values = c->sweep->values;
    tp_plot_map *map = TP_ARENA_ARRAY(c->arena, tp_plot_map, 1);
    if (!map) return false;
    map->x = levels(c, values[c->axes[0]], &map->x_count),
    map->y = levels(c, values[c->axes[1]], &map->y_count);
    long long cells = (long long)map->x_count * map->y_count;
    if (!map->x || !map->y || map->x_count < 2 || map->y_count < 2 || cells > 2 * c->sweep->row_count)
        return false;
    double *grid = TP_ARENA_ARRAY(c->arena, double, cells);
    if (!grid) return false;
    for (long long k = 0; k < cells; k++) grid[k] = NAN;
    for (long long k = 0; k < c->sweep->row_count; k++) {
        int i = place_of(map->x, map->x_count, values[c->axes[0]][k]),
            j = place_of(map->y, map->y_count, values[c->axes[1]][k]);
        grid[(long long)i * map->y_count + j] = values[result][k];
    }
    map->values = grid;
    const tp_table_column *columns = c->sweep->columns;
    tp_plot_panel *panel = new_panel(c, columns[c->axes[0]].name, columns[c->axes[1]].name);
    if (!panel) return true;
    panel->map = map, panel->title = label_of(c, columns[result].name);
    return true;
}

static void add_points(collector *c)
{
    const tp_table *points = tp_trajectory_table(c->sweep, "points");
    for (int k = 0; points && points->row_count > 0 && k < points->column_count; k++) {
        if (tp_begins_with(points->columns[k].name, "value."))
            add_dots(c, points->columns, points->values, points->row_count, 1, k);
    }
}

tp_status tp_sweep_panels(tp_arena *arena, const tp_trajectory *sweep, const tp_plot_options *options,
                          tp_plot_figure *figure, tp_message *why)
{
    collector c = {.arena = arena, .sweep = sweep, .options = options};
    c.panels = TP_ARENA_ARRAY(arena, tp_plot_panel, TP_PLOT_DEFAULT_PANELS);
    if (!c.panels) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the figure");
    for (int k = 0; k < sweep->column_count && c.axis_count < 3; k++) {
        if (tp_begins_with(sweep->columns[k].name, "vary/")) c.axes[c.axis_count++] = k;
    }
    if (c.axis_count == 0 || sweep->row_count == 0)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the sweep has no points yet");
    add_points(&c);
    for (int k = 0; k < sweep->column_count; k++) {
        bool is_result = tp_begins_with(sweep->columns[k].name, "result/") &&
                         !is_constant(sweep->values[k], sweep->row_count);
        if (!is_result || (c.axis_count == 2 && add_map(&c, k))) continue;
        add_dots(&c, sweep->columns, sweep->values, sweep->row_count, c.axes[0], k);
    }
    if (tp_arena_status(arena) != TP_OK) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the figure");
    if (c.count == 0) return tp_fail(why, TP_INVALID_ARGUMENT, "no result of the sweep changes");
    figure->panels = c.panels, figure->panel_count = c.count;
    return TP_OK;
}
