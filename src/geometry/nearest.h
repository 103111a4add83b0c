/* The signed distance of a moving point from a solid; docs/theory/contacts-geometry.md (2)-(4). */
#ifndef TP_GEOMETRY_NEAREST_H
#define TP_GEOMETRY_NEAREST_H

#include "tippe/geometry.h"

/* The foot on the surface is x - distance * normal, inside as well as outside. */
typedef struct tp_nearest {
    double distance;     /* < 0 inside the solid                             */
    tp_vec3 normal;      /* unit, out of the solid: gradient of the distance */
    tp_vec3 normal_rate; /* while x moves with x_rate                        */
} tp_nearest;

/* Everything in the local frame of the solid. Where several points of the surface are nearest, the first in
   the order x, y, z, positive side first, is taken. */
tp_nearest tp_solid_nearest(const tp_solid *solid, tp_vec3 x, tp_vec3 x_rate);

/* From a vertex or edge: offset = x - foot, offset_rate its rate. */
tp_nearest tp_nearest_of_core(tp_vec3 offset, tp_vec3 offset_rate);

#endif
