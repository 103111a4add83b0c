/* The moments of a run that a picture shows, and the figures of its model at them. */
#ifndef TP_IO_PLOT_MOMENTS_H
#define TP_IO_PLOT_MOMENTS_H

#include "base/arena.h"
#include "tippe/drawing.h"
#include "tippe/picture.h"

typedef struct tp_moments {
    const tp_model *model;
    const tp_trajectory *trajectory; /* NULL: the model as it stands, at the caller's q and x */
    tp_drawer *drawer;
    int coordinate_count, state_count;   /* that are read from a trajectory */
    const double **q_values, **x_values; /* column of each coordinate and of each first-order state */
    double *q, *x;                       /* at the present row */
    bool may_be_empty;                   /* a model without figures is not refused */
    int most;                            /* of them; 0: TP_PICTURE_FRAMES_MAX */
    int count;
    long long *rows; /* of the moments that are shown */
} tp_moments;

/* Finds the coordinates and chooses the rows. The drawer is to be freed, also on failure. */
tp_status tp_moments_choose(tp_moments *moments, tp_arena *arena, const tp_picture_options *options,
                            tp_message *why);

/* Sets q and x to a row of the run. */
void tp_moments_set(tp_moments *moments, long long row);

/* The figures at a row of the run: always the same number, kinds and counts of vertices. */
const tp_primitive *tp_moments_draw(tp_moments *moments, long long row, int *count_out);
double tp_moments_time(const tp_moments *moments, int moment); /* [s] */

#endif
