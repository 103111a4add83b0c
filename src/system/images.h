/* How coordinates change with the velocities; docs/theory/models.md (17a). */
#ifndef TP_SYSTEM_IMAGES_H
#define TP_SYSTEM_IMAGES_H

#include "system.h"

/* How a coordinate changes with the velocities: q_i' = sum of factor[k] u[index[k]] + ... */
typedef struct tp_image {
    int count;
    const int *index;
    const double *factor;
} tp_image;

/* The image of an argument of formulas; `use` 0 or 1: which of two results is overwritten. */
tp_image tp_coordinate_image(const tp_system *system, int i, int use);

/* The body of a coordinate or velocity that formulas see, or TP_GROUND. */
int tp_coordinate_owner(const tp_system *system, int i);
int tp_velocity_owner(const tp_system *system, int j);

#endif
