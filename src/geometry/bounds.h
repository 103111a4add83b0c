/* Boxes along the axes. */
#ifndef TP_GEOMETRY_BOUNDS_H
#define TP_GEOMETRY_BOUNDS_H

#include "tippe/geometry.h"

#include <math.h>

/* The smallest that holds both. */
static inline tp_bounds tp_bounds_join(tp_bounds a, tp_bounds b)
{
    return (tp_bounds){{fmin(a.lower.x, b.lower.x), fmin(a.lower.y, b.lower.y), fmin(a.lower.z, b.lower.z)},
                       {fmax(a.upper.x, b.upper.x), fmax(a.upper.y, b.upper.y), fmax(a.upper.z, b.upper.z)}};
}

#endif
