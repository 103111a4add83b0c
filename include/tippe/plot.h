/* Figures as SVG or PNG: a figure is plain data (panels, axes, curves, keys) that is drawn to a file, and can
   be made from trajectories; docs/guide/plots.md. */
#ifndef TIPPE_PLOT_H
#define TIPPE_PLOT_H

#include "tippe/base.h"
#include "tippe/drawing.h"
#include "tippe/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Colours and dashes are numbers, which wrap around: the same number always looks the same, and neighbours
   can be told apart by the colour-blind and, by their dashes, in grey. */
enum { TP_PLOT_BLACK = -1, TP_PLOT_COLOURS = TP_PALETTE_COUNT, TP_PLOT_DASHES = 6 };

typedef struct tp_plot_style {
    int colour; /* TP_PLOT_BLACK, or 0 and up */
    int dash;   /* 0: solid */
} tp_plot_style;

/* One curve through points. A point with a coordinate that is not finite, or not positive on a logarithmic
   axis, breaks it. */
typedef struct tp_plot_series {
    const double *x, *y; /* [count], borrowed */
    long long count;
    tp_plot_style style;
    bool is_dots; /* points that nothing joins */
} tp_plot_series;

/* Values over two parameters: a cell for each pair, dark where they are low. */
typedef struct tp_plot_map {
    const double *x, *y; /* ascending, [x_count], [y_count] */
    int x_count, y_count;
    const double *values; /* [x_count][y_count]; not finite: white */
} tp_plot_map;

/* One line of a legend. */
typedef struct tp_plot_key {
    const char *label;
    tp_plot_style style;
} tp_plot_key;

typedef struct tp_plot_panel {
    const char *title;             /* above the panel; NULL: none */
    const char *x_label, *y_label; /* with units: "time [s]" */
    const tp_plot_series *series;
    int series_count;
    const tp_plot_map *map; /* behind the series; its values have a scale beside the panel; NULL: none */
    const double *marks;    /* [mark_count] places on the horizontal axis with a tick above the panel */
    int mark_count;
    const tp_plot_key *keys; /* beside the panel; 0: no legend */
    int key_count;
    const char *note;    /* small lines below the legend, such as "4 curves left out"; NULL: none */
    bool is_log;         /* vertical axis logarithmic */
    bool is_log_x;       /* horizontal axis logarithmic */
    bool has_equal_axes; /* a unit has the same length on both axes */
    bool has_margin;     /* room left and right of the curves, as phase plots want */
    bool cuts_peaks;     /* rare peaks far above the rest run out of the frame, and the legend says so */
} tp_plot_panel;

typedef struct tp_plot_figure {
    const tp_plot_panel *panels; /* from top to bottom. If all have the same x_label, they share that axis */
    int panel_count;
    const tp_plot_key *keys; /* above all panels */
    int key_count;
    const char *note;     /* small lines below all panels; NULL: none */
    double width, height; /* [pt]; 0: what suits the panels */
    double dots_per_inch; /* of a PNG */
} tp_plot_figure;
tp_plot_figure tp_plot_figure_default(void); /* empty, 200 dots per inch */

/* Draws to a file: SVG or PNG by the ending .svg or .png. The file appears whole or not at all, and the same
   figure gives the same bytes. TP_INVALID_ARGUMENT: another ending or an impossible size; TP_FILE_ERROR. */
tp_status tp_plot_write(const tp_allocator *allocator, const tp_plot_figure *figure, const char *path,
                        tp_message *why_out);

/* A run to be plotted. */
typedef struct tp_plot_run {
    const char *label; /* for the legend if there are several */
    const tp_trajectory *trajectory;
} tp_plot_run;

typedef struct tp_plot_options {
    const char *const *columns; /* each one or more panels, docs/guide/plots.md: "q/x,q/y;q/x:u/x'" */
    int column_count; /* 0: sensors, coordinates, velocities, energy, contacts: what changes or acts */
    bool is_log, has_equal_axes;
    bool has_events;      /* marks above panels over time: the events of the first run             */
    bool has_difference;  /* of each run to the first one, instead of the runs, over the times of the first */
    double width, height; /* [pt]; 0: what suits the panels */
    double dots_per_inch;
} tp_plot_options;
/* What column_count 0 draws, linear axes, sizes that suit the panels. */
tp_plot_options tp_plot_options_default(void);

enum { TP_PLOT_RUNS_MAX = TP_PLOT_COLOURS };

/* A figure made from runs, with the memory it stands on. The trajectories are borrowed until it is freed. */
typedef struct tp_plot tp_plot;

/* One run: colours tell columns apart. Several: colours tell runs apart, dashes columns. TP_INVALID_ARGUMENT
   with the nearest name for a column that does not exist. */
tp_status tp_plot_create(const tp_allocator *allocator, const tp_plot_run *runs, int run_count,
                         const tp_plot_options *options, tp_plot **plot_out, tp_message *why_out);
const tp_plot_figure *tp_plot_figure_of(const tp_plot *plot);
void tp_plot_free(tp_plot *plot); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
