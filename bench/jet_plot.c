/* Curves of bench-jet's records: bench-jet-plot OUT.svg CSV... One panel for each mechanism, error over
   processor time, one curve for each method. */
#include "tippe/tippe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 16, CURVES = 12, POINTS = 16, NAME = 64 };

typedef struct curve {
    char name[NAME];
    int count;
    double error[POINTS], seconds[POINTS];
} curve;

typedef struct group {
    char name[NAME];
    int count;
    curve curve[CURVES];
    tp_plot_series series[CURVES];
    tp_plot_key keys[CURVES];
} group;

static group groups[PANELS];

static group *group_of(const char *name)
{
    int k = 0;
    while (k < PANELS - 1 && groups[k].name[0] != '\0' && strcmp(groups[k].name, name) != 0) k++;
    snprintf(groups[k].name, NAME, "%.*s", NAME - 1, name);
    return &groups[k];
}

static curve *curve_of(group *g, const char *name)
{
    int k = 0;
    while (k < g->count && strcmp(g->curve[k].name, name) != 0) k++;
    if (k == g->count && g->count < CURVES - 1)
        snprintf(g->curve[g->count++].name, NAME, "%.*s", NAME - 1, name);
    return &g->curve[k];
}

/* mechanism,method,tolerance,error,seconds; a method may hold a comma. */
static void read_line(char *line)
{
    char *field[8], *end = line + strcspn(line, "\n");
    int count = 0;
    *end = '\0';
    for (char *at = end; at >= line && count < 3; at--) {
        if (*at != ',') continue;
        *at = '\0';
        field[count++] = at + 1;
    }
    char *method = strchr(line, ',');
    if (count < 3 || method == NULL) return;
    *method++ = '\0';
    double seconds = strtod(field[0], NULL), error = strtod(field[1], NULL);
    if (!(seconds > 0.0 && error > 0.0)) return; /* the heading */
    curve *c = curve_of(group_of(line), method);
    if (c->count == POINTS) return;
    c->error[c->count] = error;
    c->seconds[c->count++] = 1e3 * seconds;
}

int main(int count, char **arguments)
{
    tp_plot_panel panels[PANELS] = {{0}};
    tp_plot_figure figure = tp_plot_figure_default();
    tp_message why = {""};
    char line[512];
    int panel_count = 0;
    if (count < 3) return 2;
    for (int i = 2; i < count; i++) {
        FILE *file = fopen(arguments[i], "r");
        while (file != NULL && fgets(line, sizeof line, file) != NULL) read_line(line);
        if (file != NULL) fclose(file);
    }
    for (; panel_count < PANELS && groups[panel_count].name[0] != '\0'; panel_count++) {
        group *g = &groups[panel_count];
        for (int k = 0; k < g->count; k++) {
            tp_plot_style style = {k, k / TP_PLOT_COLOURS + k % 3};
            g->series[k] = (tp_plot_series){
                .x = g->curve[k].error, .y = g->curve[k].seconds, .count = g->curve[k].count, .style = style};
            g->keys[k] = (tp_plot_key){g->curve[k].name, style};
        }
        panels[panel_count] = (tp_plot_panel){.title = g->name,
                                              .x_label = "error",
                                              .y_label = "processor time [ms]",
                                              .series = g->series,
                                              .series_count = g->count,
                                              .is_log = true,
                                              .is_log_x = true};
    }
    figure.panels = panels;
    figure.panel_count = panel_count;
    figure.keys = groups[0].keys;
    figure.key_count = groups[0].count;
    tp_status status = tp_plot_write(NULL, &figure, arguments[1], &why);
    if (status != TP_OK) fprintf(stderr, "%s\n", why.text);
    return status == TP_OK ? 0 : 1;
}
