/* Laws row by row, FREE, ZERO, ORTHANT and BOX: P of each row lies between two bounds, perhaps infinite. */
#ifndef TP_SET_ROW_BOUNDS_H
#define TP_SET_ROW_BOUNDS_H

#include "tippe/set.h"

#include <math.h>

typedef struct tp_row_bounds {
    double lower, upper;
} tp_row_bounds;

/* The bounds of row k of the set. Curved sets have none: infinite. */
static inline tp_row_bounds tp_set_row_bounds(const tp_set *set, int k)
{
    if (set->kind == TP_SET_BOX) return (tp_row_bounds){set->parameter[2 * k], set->parameter[2 * k + 1]};
    bool is_one_sided = set->kind == TP_SET_ORTHANT || set->kind == TP_SET_ZERO;
    return (tp_row_bounds){is_one_sided ? 0.0 : -INFINITY, set->kind == TP_SET_ZERO ? 0.0 : INFINITY};
}

#endif
