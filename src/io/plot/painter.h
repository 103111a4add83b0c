/* Moments of a motion painted on a canvas: what pictures and films share. */
#ifndef TP_IO_PLOT_PAINTER_H
#define TP_IO_PLOT_PAINTER_H

#include "sheet.h"
#include "view.h"

/* Pieces of a layer are painted before those of the next. */
typedef enum tp_layer {
    TP_LAYER_PLANE,  /* endless: behind all                                       */
    TP_LAYER_HOLLOW, /* of which the far wall is painted: behind what moves in it */
    TP_LAYER_BODY,
    TP_LAYER_MARK /* joints and what acts on them are seen through bodies */
} tp_layer;

/* A piece of a figure, to be painted in the order of its layer and depth. */
typedef struct tp_piece {
    tp_layer layer;
    double depth;
    int owner, kind, cell; /* primitive; vert, line or polygon; its number */
    int number;            /* among the cells of its primitive and kind    */
} tp_piece;

typedef struct tp_painter {
    tp_arena *arena;
    const tp_picture_options *options;
    tp_moments moments; /* model and trajectory are the caller's; its drawer is to be freed */
    tp_sight sight;
    tp_view seen;
    tp_piece *pieces;
    int piece_count;
    int first, last;     /* moments that are painted                           */
    int columns, rows;   /* of moments beside and below each other             */
    double scale;        /* [pt/m]                                             */
    double left, bottom; /* of the present moment: where it begins [pt]        */
    tp_canvas *canvas;
} tp_painter;

/* Chooses moments, view and layout, and the sizes of the sheet where they are free. */
tp_status tp_painter_prepare(tp_painter *painter, tp_sheet *sheet, tp_message *why);

/* Paints the moments from `first` to `last`, at first all, on the canvas. */
void tp_painter_paint(tp_painter *painter, const tp_sheet *sheet);

#endif
