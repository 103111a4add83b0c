/* Couplers: a linear combination of joint coordinates stays what it was (gears, racks, belts, differentials);
   docs/theory/joints.md (20). */
#ifndef TP_MODEL_COUPLER_H
#define TP_MODEL_COUPLER_H

#include "joint.h"

enum { TP_COUPLER_TERMS = 4 };

typedef struct tp_coupler {
    int count;
    double coefficient[TP_COUPLER_TERMS];
    int joint[TP_COUPLER_TERMS];      /* index of the joint */
    int coordinate[TP_COUPLER_TERMS]; /* of that joint */
    double offset;
} tp_coupler;

/* Checks counts, coefficients and coordinates against the joints [joint_count]. */
tp_status tp_coupler_check(const tp_coupler *coupler, const tp_joint *joints, int joint_count,
                           const char *name, tp_place place, tp_message *message);

/* The row is sum of coefficient_i s_i - offset; its derivatives are the same sum of those of the coordinates.
   s: the coordinates in the coupler's order, angles with their turns counted. */
static inline double tp_coupler_value(const tp_coupler *coupler, const double *s)
{
    double sum = -coupler->offset;
    for (int i = 0; i < coupler->count; i++) sum += coupler->coefficient[i] * s[i];
    return sum;
}

#endif
