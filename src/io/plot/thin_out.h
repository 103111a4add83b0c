/* Curves of millions of points made small: what happens within a narrow column becomes first, least, largest
   and last point; then points go that lie on a straight piece within a tolerance. The picture stays the same.
 */
#ifndef TP_IO_PLOT_THIN_OUT_H
#define TP_IO_PLOT_THIN_OUT_H

#include <stdbool.h>

typedef struct tp_dot {
    double x, y; /* [pt] */
} tp_dot;

/* What remains of the curve goes here; is_start: without a line from the point before. */
typedef struct tp_dot_sink {
    void *self;
    void (*add)(void *self, tp_dot dot, bool is_start);
} tp_dot_sink;

enum { TP_REDUCE_WINDOW = 64 };

typedef struct tp_reducer {
    double column_width, tolerance; /* [pt]; 0: keeps every point */
    tp_dot_sink sink;
    /* the present column */
    bool has_column;
    double column;
    tp_dot first, least, largest, last;
    long long index, least_index, largest_index;
    /* the present straight piece: where it began, and the points passed since */
    bool has_anchor;
    tp_dot anchor;
    int passed_count;
    tp_dot passed[TP_REDUCE_WINDOW];
} tp_reducer;

void tp_reducer_begin(tp_reducer *reducer, double column_width, double tolerance, tp_dot_sink sink);
void tp_reducer_add(tp_reducer *reducer, tp_dot dot);
void tp_reducer_break(tp_reducer *reducer); /* also at the end */

#endif
