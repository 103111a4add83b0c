/* Films as bytes: a format gets one frame after the other, each with what has changed. */
#ifndef TP_IO_PLOT_FILM_H
#define TP_IO_PLOT_FILM_H

#include "base/arena.h"
#include "io/common/text.h"

/* A rectangle of pixels as 0xRRGGBB, `stride` to a row. */
typedef struct tp_film_frame {
    const unsigned *pixels; /* of the whole frame */
    int stride;
    int left, top, width, height; /* what is new in it                 */
    double seconds;               /* how long it is shown [s]          */
} tp_film_frame;

enum { TP_FILM_COLOURS = 256, TP_FILM_CELLS = 32768 }; /* of a palette; five bits of each colour */

/* A film that is being written. */
typedef struct tp_film {
    tp_arena *arena; /* for pieces of a frame: cleared by the caller between frames */
    tp_text file;
    int width, height;                 /* [pixels] */
    int frame_count, added;            /* how many there will be, and are             */
    int sequence;                      /* PNG: number of the next chunk               */
    double shown;                      /* time of the frames so far [s] ...           */
    long long ticks;                   /* ... and as the file has it: rounding does not add up */
    unsigned palette[TP_FILM_COLOURS]; /* GIF */
    unsigned char nearest[TP_FILM_CELLS];
    tp_message *why;
} tp_film;

typedef struct tp_film_format {
    const char *ending;
    bool has_palette; /* needs tp_film_choose_palette before it begins */
    void (*begin)(tp_film *film);
    tp_status (*add)(tp_film *film, const tp_film_frame *frame);
    void (*end)(tp_film *film);
} tp_film_format;
extern const tp_film_format tp_film_gif, tp_film_png;

/* The colours that occur most often in counts [TP_FILM_CELLS], and for every cell the nearest of them. */
static inline int tp_film_cell(unsigned pixel)
{
    return (int)((pixel >> 19 & 31) << 10 | (pixel >> 11 & 31) << 5 | (pixel >> 3 & 31));
}
void tp_film_choose_palette(tp_film *film, const long long *counts);

/* Whole ticks of a frame, so that the sum is right: `per_second` ticks. */
int tp_film_ticks(tp_film *film, double seconds, int per_second);

#endif
