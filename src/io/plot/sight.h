/* How a motion is looked at: which figures move, whether they move in a plane, and the axes of the picture.
 */
#ifndef TP_IO_PLOT_SIGHT_H
#define TP_IO_PLOT_SIGHT_H

#include "moments.h"

typedef struct tp_sight {
    tp_vec3 right, up, toward; /* axes of the picture; toward points to the eye */
    bool *is_still;            /* [figures] the same at all rows that were looked at */
} tp_sight;

/* TP_INVALID_ARGUMENT for a view without direction. Memory is the arena's. */
tp_status tp_sight_choose(tp_moments *moments, tp_arena *arena, const tp_picture_options *options,
                          tp_sight *sight_out, tp_message *why);

#endif
