/* First-order states and relations at the present point; docs/theory/theta-gamma.md (1)-(4). */
#include "states.h"
#include "parts.h"

#include <string.h>

static const tp_scalar *rate_of(const tp_system *system, int i)
{
    return &TP_LIST_AT(system->model->states, tp_state_variable, i)->rate;
}

static const tp_scalar *output_of(const tp_system *system, int i)
{
    return &TP_LIST_AT(system->model->outputs, tp_output, i)->value;
}

void tp_system_set_states(tp_system *system, const double *x, const double *multiplier)
{
    int n = system->model->states.count, m = system->model->outputs.count;
    for (int i = 0; i < n; i++) system->at.z[tp_slot_state(i)] = system->x[i] = x[i];
    for (int i = 0; i < m; i++) system->at.z[tp_slot_multiplier(i)] = system->multiplier[i] = multiplier[i];
    system->force_is_known = false;
    system->place++;
}

/* The multipliers that a formula uses become 0, or what they are. */
static void show_multipliers(tp_system *system, const tp_scalar *scalar, bool is_shown)
{
    for (int k = 0; k < scalar->slot_count; k++) {
        int slot = scalar->slots[k];
        if (tp_slot_kind_of(slot) == TP_SLOT_IS_MULTIPLIER)
            system->at.z[slot] = is_shown ? system->multiplier[tp_slot_index(slot)] : 0.0;
    }
}

void tp_system_state_rates(tp_system *system, double *f, double *r)
{
    for (int i = 0; i < system->model->states.count; i++) {
        const tp_scalar *rate = rate_of(system, i);
        bool has_r = tp_scalar_depends_on_kind(rate, TP_SLOT_IS_MULTIPLIER);
        double all = tp_scalar_value(rate, &system->at);
        if (has_r) show_multipliers(system, rate, false);
        f[i] = has_r ? tp_scalar_value(rate, &system->at) : all;
        if (has_r) show_multipliers(system, rate, true);
        r[i] = has_r ? all - f[i] : 0.0;
    }
}

void tp_system_outputs(tp_system *system, double *y)
{
    for (int i = 0; i < system->model->outputs.count; i++) y[i] = tp_system_output(system, i);
}

double tp_system_output(tp_system *system, int i)
{
    return tp_scalar_value(output_of(system, i), &system->at);
}

double tp_system_storage(tp_system *system)
{
    double sum = 0.0;
    for (int i = 0; i < system->model->storage.count; i++)
        sum += tp_scalar_value(TP_LIST_AT(system->model->storage, tp_scalar, i), &system->at);
    return sum;
}

void tp_system_state_gradient(tp_system *system, int state, tp_state_gradient *to)
{
    const tp_scalar *rate = rate_of(system, state);
    to->count = rate->slot_count;
    to->slots = rate->slots;
    double all = tp_scalar_gradient(rate, &system->at, to->by_r);
    to->rounding = tp_scalar_rounding(rate, &system->at, all);
    to->f = all;
    to->r = 0.0;
    if (!tp_scalar_depends_on_kind(rate, TP_SLOT_IS_MULTIPLIER)) {
        memcpy(to->by_f, to->by_r, (size_t)to->count * sizeof(double));
        memset(to->by_r, 0, (size_t)to->count * sizeof(double));
        return;
    }
    show_multipliers(system, rate, false);
    to->f = tp_scalar_gradient(rate, &system->at, to->by_f);
    show_multipliers(system, rate, true);
    to->r = all - to->f;
    for (int k = 0; k < to->count; k++) { /* of f there are no multipliers, of r nothing that f has */
        bool is_multiplier = tp_slot_kind_of(to->slots[k]) == TP_SLOT_IS_MULTIPLIER;
        if (is_multiplier)
            to->by_f[k] = 0.0;
        else
            to->by_r[k] -= to->by_f[k];
    }
}

bool tp_system_state_has_input(const tp_system *system, int state)
{
    return tp_scalar_depends_on_kind(rate_of(system, state), TP_SLOT_IS_MULTIPLIER);
}

void tp_system_output_gradient(tp_system *system, int output, tp_state_gradient *to)
{
    const tp_scalar *value = output_of(system, output);
    to->count = value->slot_count;
    to->slots = value->slots;
    to->f = tp_scalar_gradient(value, &system->at, to->by_f);
    to->rounding = tp_scalar_rounding(value, &system->at, to->f);
    to->r = 0.0;
}

int tp_system_widest_gradient(const tp_system *system)
{
    int widest = 0;
    for (tp_scalar_walk at = {.model = system->model}; tp_scalar_next(&at);) {
        bool is_own = at.role == TP_SCALAR_STATE_RATE || at.role == TP_SCALAR_OUTPUT;
        if (is_own && at.scalar->slot_count > widest) widest = at.scalar->slot_count;
    }
    return widest;
}

/* ---- beside mechanics ---- */

bool tp_system_states_read_motion(const tp_system *system)
{
    for (tp_scalar_walk at = {.model = system->model}; tp_scalar_next(&at);) {
        if (at.role != TP_SCALAR_STATE_RATE && at.role != TP_SCALAR_OUTPUT) continue;
        for (int k = 0; k < at.scalar->slot_count; k++) {
            if (tp_slot_is_of_motion(at.scalar->slots[k])) return true;
        }
    }
    return false;
}

void tp_system_slot_by_velocities(const tp_system *system, int slot, double time, tp_state_put *put,
                                  void *self)
{
    bool is_position = tp_slot_kind_of(slot) == TP_SLOT_IS_COORDINATE;
    tp_image image = tp_slot_image(system, slot, 0), shift = tp_slot_shift(system, slot, 1);
    for (int k = 0; k < image.count; k++)
        put(self, image.index[k], is_position ? time * image.factor[k] : image.factor[k]);
    for (int k = 0; k < shift.count; k++) put(self, shift.index[k], time * shift.factor[k]);
}

static bool is_own_slot(int slot)
{
    tp_slot_kind kind = tp_slot_kind_of(slot);
    return kind == TP_SLOT_IS_STATE || kind == TP_SLOT_IS_MULTIPLIER;
}

void tp_system_force_by_states(tp_system *system, tp_force_put *put, void *self)
{
    const tp_model *model = system->model;
    for (int i = 0; i < model->forces.count; i++) {
        const tp_force_entry *entry = TP_LIST_AT(model->forces, tp_force_entry, i);
        tp_scalar_gradient(&entry->value, &system->at, system->gradient);
        for (int k = 0; k < entry->value.slot_count; k++) {
            int slot = entry->value.slots[k];
            if (!is_own_slot(slot)) continue;
            tp_image image = entry->on_velocity ? tp_velocity_image(system, entry->index, 0)
                                                : tp_coordinate_image(system, entry->index, 0);
            for (int a = 0; a < image.count; a++)
                put(self, image.index[a], slot, image.factor[a] * system->gradient[k]);
        }
    }
    for (int i = 0; i < model->wrenches.count; i++) {
        const tp_model_wrench *given = TP_LIST_AT(model->wrenches, tp_model_wrench, i);
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, given->body);
        for (int part = 0; part < 6; part++) {
            const tp_scalar *component = part < 3 ? &given->force[part] : &given->moment[part - 3];
            double row[TP_BODY_VELOCITIES] = {0.0}, none = 0.0;
            if (component->slot_count == 0) continue;
            tp_scalar_gradient(component, &system->at, system->gradient);
            tp_body_add_row(system, given->body, tp_unit_wrench(system, given, part), row, &none);
            for (int k = 0; k < component->slot_count; k++) {
                if (!is_own_slot(component->slots[k])) continue;
                for (int j = 0; j < body->u_count; j++)
                    put(self, body->u_first + j, component->slots[k], row[j] * system->gradient[k]);
            }
        }
    }
}

/* ---- types of relations ---- */

/* Second derivatives that a function of states has at a point. */
typedef struct curvature {
    bool any, of_r, mixed; /* of_r: by a multiplier; mixed: by a state (or motion) and a multiplier */
} curvature;

static curvature curvature_of(tp_system *system, const tp_scalar *scalar)
{
    curvature found = {false, false, false};
    if (tp_scalar_lacks_second(scalar)) return (curvature){true, true, true};
    for (int j = 0; j < scalar->slot_count; j++) {
        int slot = scalar->slots[j];
        bool is_multiplier = tp_slot_kind_of(slot) == TP_SLOT_IS_MULTIPLIER;
        system->direction[slot] = 1.0;
        tp_scalar_hessian_vector(scalar, &system->at, system->direction, system->gradient, system->product);
        system->direction[slot] = 0.0;
        for (int k = 0; k < scalar->slot_count; k++) {
            tp_slot_kind kind = tp_slot_kind_of(scalar->slots[k]);
            if (system->product[k] == 0.0 || slot == TP_SLOT_TIME || kind == TP_SLOT_IS_TIME) continue;
            found.any = true;
            found.of_r = found.of_r || is_multiplier;
            found.mixed = found.mixed || is_multiplier != (kind == TP_SLOT_IS_MULTIPLIER);
        }
    }
    return found;
}

/* Raises the types of the relations whose multipliers a function uses. */
static void raise_types(tp_model *model, const tp_scalar *scalar, tp_relation_type type)
{
    for (int k = 0; k < scalar->slot_count; k++) {
        if (tp_slot_kind_of(scalar->slots[k]) != TP_SLOT_IS_MULTIPLIER) continue;
        const tp_output *output = TP_LIST_AT(model->outputs, tp_output, tp_slot_index(scalar->slots[k]));
        tp_relation *relation = TP_LIST_AT(model->relations, tp_relation, output->relation);
        if (type > relation->type) relation->type = type;
    }
}

tp_status tp_system_classify_relations(tp_system *system, tp_model *model)
{
    int n = model->states.count, m = model->outputs.count;
    double *x = TP_ARENA_ARRAY(&system->arena, double, n), *l = TP_ARENA_ARRAY(&system->arena, double, m);
    if (x == NULL || l == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) /* near the start, and nothing 0 */
        x[i] = TP_LIST_AT(model->states, tp_state_variable, i)->initial * 1.01 + 0.1 + 0.013 * (i % 7);
    for (int i = 0; i < m; i++) l[i] = 0.3 + 0.017 * (i % 5);
    tp_system_set_states(system, x, l);
    for (int i = 0; i < n; i++) {
        curvature found = curvature_of(system, rate_of(system, i));
        if (found.of_r)
            raise_types(model, rate_of(system, i), found.mixed ? TP_RELATION_NONLINEAR : TP_RELATION_TYPE_1);
    }
    for (int i = 0; i < m; i++) {
        const tp_scalar *y = output_of(system, i);
        tp_relation *relation =
            TP_LIST_AT(model->relations, tp_relation, TP_LIST_AT(model->outputs, tp_output, i)->relation);
        bool has_multiplier = tp_scalar_depends_on_kind(y, TP_SLOT_IS_MULTIPLIER);
        tp_relation_type type = curvature_of(system, y).any ? TP_RELATION_TYPE_1 : TP_RELATION_LINEAR;
        if (type > relation->type) relation->type = type;
        if (relation->type == TP_RELATION_TYPE_1 && has_multiplier) relation->type = TP_RELATION_TYPE_2;
    }
    return TP_OK;
}
