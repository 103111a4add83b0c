/* All functions of a model, one after the other: what must be done to each is said once. */
#ifndef TP_MODEL_SCALARS_H
#define TP_MODEL_SCALARS_H

#include "lists.h"

/* What a function is there for. */
typedef enum tp_scalar_role {
    TP_SCALAR_KINETIC,
    TP_SCALAR_MASS,
    TP_SCALAR_RATE, /* of a coordinate */
    TP_SCALAR_POTENTIAL,
    TP_SCALAR_DISSIPATION,
    TP_SCALAR_SPRING_GAP, /* of a compliant contact           */
    TP_SCALAR_LAW_ROW,    /* part: the row                    */
    TP_SCALAR_FORCE,
    TP_SCALAR_WRENCH, /* parts: force x, y, z, moment x, y, z */
    TP_SCALAR_MOTION, /* of a moving body; part: x, y, z, angle */
    TP_SCALAR_TARGET, /* of a combination of joint coordinates */
    TP_SCALAR_SENSOR,
    TP_SCALAR_STATE_RATE,
    TP_SCALAR_OUTPUT, /* of a relation */
    TP_SCALAR_STORAGE,
    TP_SCALAR_ROLES
} tp_scalar_role;

/* for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) ... at.scalar, at.role, ... */
typedef struct tp_scalar_walk {
    const tp_model *model;
    tp_scalar *scalar;
    tp_scalar_role role;
    int index, part; /* in the list of its role */
    int next_part;
} tp_scalar_walk;

/* Second derivatives that C functions may lack. */
static inline bool tp_scalar_lacks_second(const tp_scalar *scalar)
{
    return scalar->formula == NULL && scalar->function.hessian_vector == NULL;
}

/* The next function in the order of the roles; false: there is none. */
bool tp_scalar_next(tp_scalar_walk *walk);

#endif
