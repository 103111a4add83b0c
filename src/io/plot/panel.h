/* One panel: its axes from the data, its frame, grid, numbers, curves and legend. */
#ifndef TP_IO_PLOT_PANEL_H
#define TP_IO_PLOT_PANEL_H

#include "plot_curve.h"
#include "ticks.h"

/* Sizes of letters and distances [pt], the same in all figures. One size of letters: an
   SVG file holds their outlines once for each. */
#define TP_SIZE_NUMBER 8.0
#define TP_SIZE_LABEL  8.0
#define TP_SIZE_KEY    8.0
#define TP_KEY_LINE    10.5 /* from one line of a legend to the next */
#define TP_KEY_SAMPLE  20.0 /* the piece of curve before a label     */
#define TP_KEY_SPACE   5.0

typedef struct tp_panel_view {
    const tp_plot_panel *panel;
    tp_box box; /* of the frame */
    tp_axis x, y;
    tp_ticks x_ticks, y_ticks;
    bool has_x_numbers; /* and the label; false: the panel below has them */
    double label_x;     /* where the vertical label stands [pt]           */
    double key_width;   /* room right of the frame [pt]                   */
    int level;          /* of detail                                      */
    double peak;        /* largest size of the values that run out of the frame; 0: none */
} tp_panel_view;

/* The range of the data: low > high if there is none. */
void tp_panel_range(const tp_plot_panel *panel, double *x_low, double *x_high, double *y_low, double *y_high);

/* If the panel is to cut peaks and has some, takes them out of the range and returns the largest size. */
double tp_panel_cut_peaks(const tp_plot_panel *panel, double *y_low, double *y_high);

/* What the legend says of them: "" if there are none. */
void tp_peak_note(const tp_panel_view *view, char *text, size_t capacity);

/* Lines of keys and notes next to the panel. */
int tp_panel_line_count(const tp_panel_view *view);

/* Sets the axes' ends from the frame, widens the shorter one if they must be equal, and makes the ticks. */
void tp_panel_scale(tp_panel_view *view);

/* Room that the numbers of the vertical axis take. */
double tp_panel_number_width(tp_canvas *canvas, const tp_panel_view *view);

/* Points that the curves have left at a level of detail; any number above the limit if there are more. */
tp_status tp_panel_count(const tp_panel_view *view, int level, long long limit, tp_arena *arena,
                         long long *count_out);
tp_status tp_panel_draw(tp_canvas *canvas, const tp_panel_view *view, tp_arena *arena);

/* The cells of a map, and the scale of its values beside the panel; map.c. */
enum { TP_MAP_SCALE_WIDTH = 56 }; /* [pt] that the scale needs */
void tp_map_draw(tp_canvas *canvas, const tp_panel_view *view);
void tp_map_scale_draw(tp_canvas *canvas, const tp_panel_view *view);

/* Grey lines below each other, cut to the width; note NULL: none. Returns where the next one would stand. */
double tp_note_draw(tp_canvas *canvas, const char *note, double x, double y, double width);

/* A line of a legend at a place; label cut to the width. */
void tp_key_draw(tp_canvas *canvas, const tp_plot_key *key, double x, double y, double label_width);

#endif
