/* Rows of a distribution at a point and their derivatives; docs/theory/holonomy.md (4), (5). */
#ifndef TP_CALCULUS_ROW_DERIVATIVES_H
#define TP_CALCULUS_ROW_DERIVATIVES_H

#include "distribution.h"

/* The velocity that stands at a place of the frame; -1: time, or the rate of a general coordinate. */
static inline int tp_frame_velocity(const tp_distribution *d, int place)
{
    return place > d->general ? d->velocity[place - 1 - (d->size - d->width)] : -1;
}

static inline double tp_column_unit(const tp_distribution *d, int column)
{
    return d->is_own && column <= d->system->general_u ? 1.0 : d->unit[column + d->size - d->width];
}

/* Moves the system to (t, q), at rest. */
void tp_rows_stand(tp_distribution *d, double t, const double *q);

/* A and F of the present point of the system, in units, not yet of unit length. */
void tp_rows_fill(tp_distribution *d, double *A, double *F);

/* D and dF, which are zero, at the point of the distribution: by differences of four points, or exactly.
   False: exact ones are not known; then is_exact is false from now on. */
void tp_rows_difference(tp_distribution *d);
bool tp_rows_differentiate(tp_distribution *d);

#endif
