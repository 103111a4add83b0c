/* The paper of a picture: its size, and the file that it becomes. */
#ifndef TP_IO_PLOT_SHEET_H
#define TP_IO_PLOT_SHEET_H

#include "canvas.h"

typedef struct tp_sheet {
    const char *path;     /* ends in .svg or .png */
    double width, height; /* [pt]; 0 while it is not known */
    double dots_per_inch; /* of a PNG */
} tp_sheet;

/* The ending and the sizes that are known. TP_INVALID_ARGUMENT. */
tp_status tp_sheet_check(const tp_sheet *sheet, tp_message *why_out);

/* A canvas of that size. */
tp_status tp_sheet_open(const tp_allocator *allocator, const tp_sheet *sheet, tp_canvas **canvas_out,
                        tp_message *why_out);

/* Ends the drawing and writes the file, whole or not at all. */
tp_status tp_sheet_write(const tp_sheet *sheet, tp_canvas *canvas, tp_message *why_out);

#endif
