/* What a figure is drawn on: lines and texts in points from the upper left corner, as SVG or PNG. The cairo
   library behind it is known to canvas.c only. */
#ifndef TP_IO_PLOT_CANVAS_H
#define TP_IO_PLOT_CANVAS_H

#include "io/common/text.h"
#include "tippe/drawing.h"

typedef struct tp_box {
    double left, top, right, bottom; /* [pt] */
} tp_box;

typedef struct tp_pen {
    tp_colour colour;
    double width;     /* [pt] */
    int dash_count;   /* 0: solid */
    double dashes[6]; /* on, off, ... [pt] */
} tp_pen;

typedef struct tp_lettering {
    double size; /* [pt] */
    tp_colour colour;
    double align;     /* 0: begins at the point, 0.5: centred, 1: ends there */
    bool is_vertical; /* reads upwards */
} tp_lettering;

typedef struct tp_canvas tp_canvas;

/* pixels_per_point 0: SVG. */
tp_status tp_canvas_create(const tp_allocator *allocator, double width, double height,
                           double pixels_per_point, tp_canvas **canvas_out);

/* A path is collected by move and line, and drawn by stroke. */
void tp_canvas_move(tp_canvas *canvas, double x, double y);
void tp_canvas_line(tp_canvas *canvas, double x, double y);
void tp_canvas_stroke(tp_canvas *canvas, const tp_pen *pen);
void tp_canvas_close(tp_canvas *canvas);                  /* back to where the path began               */
void tp_canvas_fill(tp_canvas *canvas, tp_colour colour); /* what it encloses; it stays, to be stroked */

/* Until the end of the clip nothing outside the box is drawn; clips do not nest. */
void tp_canvas_clip(tp_canvas *canvas, tp_box box);
void tp_canvas_clip_end(tp_canvas *canvas);

/* UTF-8; bytes that are none show as U+FFFD, and what is longer than TP_CANVAS_TEXT_MAX is cut. */
enum { TP_CANVAS_TEXT_MAX = 255 };
void tp_canvas_text(tp_canvas *canvas, double x, double y, const char *text, const tp_lettering *lettering);
double tp_canvas_text_width(tp_canvas *canvas, const char *text, double size); /* [pt] */

/* The text, or as much of it as fits into a width, followed by an ellipsis. */
void tp_canvas_text_within(tp_canvas *canvas, double x, double y, const char *text, double width,
                           const tp_lettering *lettering);

/* Ends the drawing. The bytes of the file live as long as the canvas. */
tp_status tp_canvas_finish(tp_canvas *canvas, const tp_text **file_out, tp_message *why_out);
/* The pixels so far as 0xRRGGBB, row by row, `stride` to a row; not of an SVG. Good until the next call. */
const unsigned *tp_canvas_pixels(tp_canvas *canvas, int *width_out, int *height_out, int *stride_out);
void tp_canvas_free(tp_canvas *canvas); /* NULL is fine */

#endif
