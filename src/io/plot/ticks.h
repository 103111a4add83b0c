/* Where an axis has its ticks, and their labels. To be used in the C locale. */
#ifndef TP_IO_PLOT_TICKS_H
#define TP_IO_PLOT_TICKS_H

enum { TP_TICKS_MAX = 64, TP_TICK_TEXT = 32 };

typedef struct tp_ticks {
    int count;
    double position[TP_TICKS_MAX];
    char text[TP_TICKS_MAX][TP_TICK_TEXT]; /* UTF-8, with real minus signs; "": a tick without number  */
    char factor[80];                       /* what the numbers are to be multiplied with and added to: */
                                           /* a power of ten and an offset, or ""                      */
} tp_ticks;

/* Multiples of 1, 2 or 5 times a power of ten in [low, high], at least two, and at most
   `wanted` + 1 of them or five; low < high. */
void tp_ticks_linear(double low, double high, int wanted, tp_ticks *ticks_out);

/* Powers of ten in [low, high], about `wanted` of them; 0 < low < high. */
void tp_ticks_log(double low, double high, int wanted, tp_ticks *ticks_out);

/* Widens the range of the data to one that can be drawn: apart by more than rounding, with some air; a
   logarithmic range (low > 0) holds at least one power of ten. No data (low > high): 0 to 1, or 0.1 to 1. */
void tp_range_widen(double *low, double *high, double air);
void tp_range_widen_log(double *low, double *high);

#endif
