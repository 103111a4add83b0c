/* Records of runs as curves: time of a step over size for scenes that come in sizes, and the error of the law
   over that time. */
#include "record.h"
#include "tippe/plot.h"

#include <stdlib.h>
#include <string.h>

enum { CURVES = 16, POINTS = BENCH_SCENE_SIZES, PANELS = 12, LABEL = 64 };

/* One engine with one setting. */
typedef struct curve {
    char label[LABEL];
    const char *peer;
    double x[PANELS][POINTS], y[PANELS][POINTS];
    int count[PANELS];
} curve;

typedef struct curves {
    int count;
    curve list[CURVES];
    tp_plot_series series[PANELS][CURVES];
    tp_plot_key keys[CURVES];
} curves;

static curve *curve_of(curves *all, const bench_run *run)
{
    char label[LABEL];
    int k = 0;
    snprintf(label, sizeof label, "%s %s", run->peer, run->setting);
    while (k < all->count && strcmp(all->list[k].label, label) != 0) k++;
    if (k == CURVES) return NULL;
    if (k == all->count) {
        memcpy(all->list[all->count].label, label, sizeof label);
        all->list[all->count++].peer = run->peer;
    }
    return &all->list[k];
}

static void add_point(curve *c, int panel, double x, double y)
{
    if (c == NULL || c->count[panel] == POINTS) return;
    c->x[panel][c->count[panel]] = x;
    c->y[panel][c->count[panel]++] = y;
}

/* A panel for each kind of scene that has several sizes; then one of errors over time. */
static int fill_panels(curves *all, const bench_run *runs, int count, tp_plot_panel *panels)
{
    int panel_count = 0;
    for (int s = 0; s < bench_scene_kind_count && panel_count < PANELS - 1; s++) {
        if (bench_scene_kinds[s].sizes[1] == 0) continue;
        for (int k = 0; k < count; k++) {
            if (runs[k].kind == &bench_scene_kinds[s] && runs[k].figures.steps > 0)
                add_point(curve_of(all, &runs[k]), panel_count, runs[k].size, runs[k].figures.milliseconds);
        }
        panels[panel_count++] = (tp_plot_panel){.title = bench_scene_kinds[s].name,
                                                .x_label = "bodies",
                                                .y_label = "ms a step",
                                                .is_log = true,
                                                .is_log_x = true};
    }
    for (int k = 0; k < count; k++) {
        if (strcmp(runs[k].kind->name, "drop") == 0 && runs[k].figures.residual_mean > 0.0)
            add_point(curve_of(all, &runs[k]), panel_count, runs[k].figures.milliseconds,
                      runs[k].figures.residual_mean);
    }
    panels[panel_count++] = (tp_plot_panel){.title = "drop: error of the contact law over time",
                                            .x_label = "ms a step",
                                            .y_label = "law residual",
                                            .is_log = true,
                                            .is_log_x = true};
    return panel_count;
}

/* Each engine has a dash of its own. */
static tp_plot_style style_of(const curves *all, int index)
{
    int dash = 0;
    for (int k = 1; k <= index; k++) dash += strcmp(all->list[k].peer, all->list[k - 1].peer) != 0;
    return (tp_plot_style){index, dash};
}

bool bench_runs_plot(const char *path, const bench_run *runs, int count)
{
    tp_plot_panel panels[PANELS] = {{0}};
    tp_plot_figure figure = tp_plot_figure_default();
    tp_message why = {""};
    curves *all = calloc(1, sizeof *all);
    if (all == NULL) return false;
    figure.panels = panels;
    figure.panel_count = fill_panels(all, runs, count, panels);
    for (int k = 0; k < all->count; k++) {
        tp_plot_style style = style_of(all, k);
        all->keys[k] = (tp_plot_key){all->list[k].label, style};
        for (int p = 0; p < figure.panel_count; p++)
            all->series[p][k] = (tp_plot_series){.x = all->list[k].x[p],
                                                 .y = all->list[k].y[p],
                                                 .count = all->list[k].count[p],
                                                 .style = style};
    }
    for (int p = 0; p < figure.panel_count; p++) {
        panels[p].series = all->series[p];
        panels[p].series_count = all->count;
    }
    figure.keys = all->keys;
    figure.key_count = all->count;
    tp_status status = tp_plot_write(NULL, &figure, path, &why);
    if (status != TP_OK) fprintf(stderr, "%s\n", why.text);
    free(all);
    return status == TP_OK;
}
