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

tp_status tp_model_take_named_slots(tp_model *model, const char *what, tp_scalar *scalar)
{
    const tp_function *function = &scalar->function;
    int count = function->argument_count, *slots = TP_ARENA_ARRAY(&model->arena, int, count),
        *place = TP_ARENA_ARRAY(&model->arena, int, count + 1);
    if (slots == NULL || place == NULL) return TP_OUT_OF_MEMORY;
    if (function->gradient_of == NULL || (count > 0 && function->arguments == NULL))
        return tp_fail_at(model->message, TP_INVALID_ARGUMENT, function->place,
                          "%s: a C function of names needs their list and its gradient", what);
    for (int k = 0; k < count; k++) { /* kept ascending; a name is a formula of one slot */
        tp_formula *name;
        TP_TRY(tp_formula_compile(&model->arena, model->names, function->arguments[k], function->place, &name,
                                  model->message));
        if (tp_formula_slot_count(name) != 1 || tp_formula_value_count(name) != 1)
            return tp_fail_at(model->message, TP_INVALID_ARGUMENT, function->place,
                              "%s: '%s' is not a variable of the model", what, function->arguments[k]);
        int slot = tp_formula_slots(name)[0], at = k;
        for (; at > 0 && slots[at - 1] > slot; at--) slots[at] = slots[at - 1];
        slots[at] = slot;
        place[k] = slot; /* until all are there */
        if (at > 0 && slots[at - 1] == slot)
            return tp_fail_at(model->message, TP_INVALID_ARGUMENT, function->place,
                              "%s: '%s' is given twice among its arguments", what, function->arguments[k]);
    }
    for (int k = 0; k < count; k++) {
        int at = 0;
        while (slots[at] != place[k]) at++;
        place[k] = at;
    }
    scalar->slots = slots;
    scalar->place = place;
    scalar->slot_count = count;
    scalar->function.arguments = NULL; /* the caller's */
    return TP_OK;
}

static bool is_of_body(const tp_model *model, int slot)
{
    bool is_velocity = tp_slot_kind_of(slot) == TP_SLOT_IS_VELOCITY;
    int general = is_velocity ? tp_model_general_velocity_count(model) : model->coordinates.count;
    return tp_slot_is_of_motion(slot) && tp_slot_index(slot) >= general;
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
    bool is_c_function = scalar->formula == NULL && scalar->place == NULL && scalar->function.value != NULL;
    return is_c_function ? tp_model_take_all_slots(model, scalar) : TP_OK;
}

tp_status tp_model_complete_slots(tp_model *model)
{
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) {
        bool is_inertia = at.role == TP_SCALAR_KINETIC || at.role == TP_SCALAR_MASS,
             is_of_time = at.role == TP_SCALAR_MOTION || at.role == TP_SCALAR_TARGET;
        if (is_of_time || at.role == TP_SCALAR_RATE || at.role == TP_SCALAR_SENSOR) continue;
        if (at.role >= TP_SCALAR_STATE_RATE) continue; /* they have no C functions of (t, q, u) */
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
        return tp_model_refuse(model, scalar->function.place, "%s depends on '%s%s' of a body; %s", what,
                               name, mark, advice);
    }
    return TP_OK;
}

tp_status tp_model_check_no_velocities(tp_model *model, const tp_scalar *scalar, const char *what)
{
    if (scalar->formula == NULL || (!tp_scalar_depends_on_kind(scalar, TP_SLOT_IS_RATE) &&
                                    !tp_scalar_depends_on_kind(scalar, TP_SLOT_IS_VELOCITY)))
        return TP_OK;
    return tp_model_refuse(model, scalar->function.place, "%s must not depend on velocities", what);
}
