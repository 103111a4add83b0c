/* Exact motions: functions of time that a model carries for those who measure errors. */
#include "lists.h"

#include <math.h>

/* A formula may use time only; C functions are trusted. */
static bool depends_on_motion(const tp_scalar *scalar)
{
    for (int k = 0; scalar->formula != NULL && k < scalar->slot_count; k++) {
        if (scalar->slots[k] != TP_SLOT_TIME) return true;
    }
    return false;
}

static bool is_given(const tp_model *model, bool is_velocity, int index)
{
    for (int k = 0; k < model->exact.count; k++) {
        const tp_exact_entry *entry = TP_LIST_AT(model->exact, tp_exact_entry, k);
        if (entry->is_velocity == is_velocity && entry->index == index) return true;
    }
    return false;
}

tp_status tp_model_set_exact(tp_model *model, const char *name, tp_function motion, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, name, why_out));
    int coordinate = tp_model_find_coordinate(model, name), state = tp_model_find_state(model, name);
    if (coordinate < 0 && state >= 0) coordinate = tp_model_coordinate_count(model) + state;
    bool is_velocity = coordinate < 0;
    int index = is_velocity ? tp_model_find_velocity(model, name) : coordinate;
    if (index < 0) {
        return tp_model_refuse(model, motion.place,
                               "exact motion of '%s': there is no such coordinate or velocity, nor a state",
                               name);
    }
    if (is_given(model, is_velocity, index)) {
        return tp_model_refuse(model, motion.place, "the exact motion of '%s' is given twice", name);
    }
    tp_scalar scalar;
    TP_TRY(tp_model_compile(model, &motion, "an exact motion", &scalar));
    if (depends_on_motion(&scalar)) {
        return tp_model_refuse(model, motion.place,
                               "the exact motion of '%s' must be a formula of t and parameters alone", name);
    }
    tp_exact_entry entry = {is_velocity, index, scalar, tp_model_copy_place(model, motion.place)};
    return TP_LIST_KEEP(model, exact, entry);
}

tp_status tp_model_set_exact_until(tp_model *model, double time, tp_place place, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, model, why_out));
    if (!(time > 0.0)) {
        return tp_model_refuse(model, place, "the exact motion holds until %g s; it must be a time > 0",
                               time);
    }
    model->exact_until = time;
    return TP_OK;
}

bool tp_model_has_exact(const tp_model *model)
{
    return model != NULL && model->exact.count > 0;
}

double tp_model_exact_until(const tp_model *model)
{
    return model != NULL ? model->exact_until : NAN;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Work and gradients of the largest entry. */
static bool take_memory(tp_arena *arena, const tp_model *model, tp_exact *exact)
{
    int n = exact->q_count, m = exact->u_count, work = 1, slots = 1;
    for (int k = 0; k < model->exact.count; k++) {
        const tp_scalar *value = &TP_LIST_AT(model->exact, tp_exact_entry, k)->value;
        int size = tp_scalar_work_size(value, n, m);
        if (size > work) work = size;
        if (value->slot_count > slots) slots = value->slot_count;
    }
    exact->at.coordinate_count = n;
    exact->at.velocity_count = m;
    exact->at.z = TP_ARENA_ARRAY(arena, double, tp_model_slot_count(model));
    exact->at.q = TP_ARENA_ARRAY(arena, double, n);
    exact->at.u = TP_ARENA_ARRAY(arena, double, m);
    exact->at.work = TP_ARENA_ARRAY(arena, double, work);
    exact->gradient = TP_ARENA_ARRAY(arena, double, slots);
    exact->of_q = TP_ARENA_ARRAY(arena, const tp_exact_entry *, n);
    exact->of_u = TP_ARENA_ARRAY(arena, const tp_exact_entry *, m);
    return tp_arena_status(arena) == TP_OK;
}

/* Velocities that are rates, one by one: those of formula models, and the first three of a body (of a rigid
   one the others are not rates). */
static void derive(tp_exact *exact, int q_first, int u_first, int count)
{
    for (int k = 0; k < count; k++) {
        const tp_exact_entry **of_u = &exact->of_u[u_first + k];
        if (*of_u == NULL) *of_u = exact->of_q[q_first + k];
    }
}

tp_status tp_exact_create(tp_arena *arena, const tp_model *model, tp_exact *exact_out)
{
    *exact_out = (tp_exact){.q_count = tp_model_coordinate_count(model) + model->states.count,
                            .u_count = tp_model_velocity_count(model)};
    if (!take_memory(arena, model, exact_out)) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < model->exact.count; k++) {
        const tp_exact_entry *entry = TP_LIST_AT(model->exact, tp_exact_entry, k);
        (entry->is_velocity ? exact_out->of_u : exact_out->of_q)[entry->index] = entry;
    }
    if (!tp_model_has_own_velocities(model)) derive(exact_out, 0, 0, model->coordinates.count);
    for (int k = 0; k < model->bodies.count; k++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, k);
        derive(exact_out, body->q_first, body->u_first, body->u_count < 3 ? body->u_count : 3);
    }
    return TP_OK;
}

const char *tp_exact_name(const tp_model *model, const tp_exact_entry *entry)
{
    int state = entry->index - tp_model_coordinate_count(model);
    if (entry->is_velocity) return tp_model_velocity_name(model, entry->index);
    return state < 0 ? tp_model_coordinate_name(model, entry->index) : tp_model_state_name(model, state);
}

/* d/dt; slots are in ascending order, so that of time stands first. */
static double time_derivative(tp_exact *exact, const tp_scalar *value)
{
    tp_scalar_gradient(value, &exact->at, exact->gradient);
    return value->slot_count > 0 && value->slots[0] == TP_SLOT_TIME ? exact->gradient[0] : 0.0;
}

void tp_exact_at(tp_exact *exact, double t, double *q_out, double *u_out)
{
    exact->at.z[TP_SLOT_TIME] = t;
    for (int i = 0; i < exact->q_count; i++) {
        q_out[i] = exact->of_q[i] != NULL ? tp_scalar_value(&exact->of_q[i]->value, &exact->at) : 0.0;
    }
    for (int i = 0; i < exact->u_count; i++) {
        const tp_exact_entry *entry = exact->of_u[i];
        if (entry == NULL) {
            u_out[i] = 0.0;
        } else {
            u_out[i] = entry->is_velocity ? tp_scalar_value(&entry->value, &exact->at)
                                          : time_derivative(exact, &entry->value);
        }
    }
}
