/* What functions of a model may depend on. What the equations of motion have no term for is refused where it
   is stated: left out it would act in some places and not in others. */
#include "scalars.h"

tp_status tp_model_take_all_slots(tp_model *model, tp_scalar *scalar)
{
    int n = tp_model_coordinate_count(model), m = tp_model_velocity_count(model);
    bool own = tp_model_has_own_velocities(model);
    int *slots = TP_ARENA_ARRAY(&model->arena, int, 1 + n + m), count = 0;
    if (slots == NULL) return TP_OUT_OF_MEMORY;
    int rates = own ? 0 : model->coordinates.count; /* velocities that are rates */
    slots[count++] = TP_SLOT_TIME;
    for (int i = 0; i < (n > m ? n : m); i++) {
        if (i < n) slots[count++] = tp_slot_coordinate(i);
        if (i < m) slots[count++] = i < rates ? tp_slot_rate(i) : tp_slot_velocity(i);
    }
    scalar->slots = slots;
    scalar->slot_count = count;
    return TP_OK;
}

static bool is_of_body(const tp_model *model, int slot)
{
    int i = tp_slot_index(slot);
    switch (tp_slot_kind_of(slot)) {
    case TP_SLOT_IS_TIME:
    case TP_SLOT_IS_REFERENCE: return false; /* the coordinates of the angle are there too */
    case TP_SLOT_IS_COORDINATE:
    case TP_SLOT_IS_RATE: return i >= model->coordinates.count;
    case TP_SLOT_IS_VELOCITY: return i >= tp_model_general_velocity_count(model);
    }
    return false;
}

/* The name that a formula has for a slot of a body, in two parts: a rate is the coordinate's and '. */
static const char *name_of(const tp_model *model, int slot, const char **mark_out)
{
    int i = tp_slot_index(slot);
    tp_slot_kind kind = tp_slot_kind_of(slot);
    *mark_out = kind == TP_SLOT_IS_RATE ? "'" : "";
    return kind == TP_SLOT_IS_VELOCITY ? tp_model_velocity_name(model, i)
                                       : tp_model_coordinate_name(model, i);
}

/* C functions know all of q and u; only the derivatives of the general ones are asked for. */
static tp_status drop_bodies(tp_model *model, tp_scalar *scalar)
{
    int *slots = TP_ARENA_ARRAY(&model->arena, int, scalar->slot_count), count = 0;
    if (slots == NULL) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < scalar->slot_count; k++) {
        if (!is_of_body(model, scalar->slots[k])) slots[count++] = scalar->slots[k];
    }
    scalar->slots = slots;
    scalar->slot_count = count;
    return TP_OK;
}

static tp_status complete(tp_model *model, tp_scalar *scalar)
{
    bool is_c_function = scalar->formula == NULL && scalar->function.value != NULL;
    return is_c_function ? tp_model_take_all_slots(model, scalar) : TP_OK;
}

tp_status tp_model_complete_slots(tp_model *model)
{
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) {
        bool is_inertia = at.role == TP_SCALAR_KINETIC || at.role == TP_SCALAR_MASS,
             is_of_time = at.role == TP_SCALAR_MOTION || at.role == TP_SCALAR_TARGET;
        if (is_of_time || at.role == TP_SCALAR_RATE || at.role == TP_SCALAR_SENSOR) continue;
        TP_TRY(complete(model, at.scalar));
        if (is_inertia && at.scalar->formula == NULL) TP_TRY(drop_bodies(model, at.scalar));
    }
    return TP_OK;
}

tp_status tp_model_check_no_bodies(tp_model *model, tp_scalar *scalar, const char *what, const char *advice)
{
    if (scalar->formula == NULL) return drop_bodies(model, scalar);
    for (int k = 0; k < scalar->slot_count; k++) {
        if (!is_of_body(model, scalar->slots[k])) continue;
        const char *mark, *name = name_of(model, scalar->slots[k], &mark);
        return tp_fail_at(&model->message, TP_INVALID_DATA, scalar->function.place,
                          "%s depends on '%s%s' of a body; %s", what, name, mark, advice);
    }
    return TP_OK;
}

tp_status tp_model_check_no_velocities(tp_model *model, const tp_scalar *scalar, const char *what)
{
    if (scalar->formula == NULL || (!tp_scalar_depends_on_kind(scalar, TP_SLOT_IS_RATE) &&
                                    !tp_scalar_depends_on_kind(scalar, TP_SLOT_IS_VELOCITY)))
        return TP_OK;
    return tp_fail_at(&model->message, TP_INVALID_DATA, scalar->function.place,
                      "%s must not depend on velocities", what);
}
