/* Coordinates and velocities that belong to no body; names, units and initial values of all. */
#include "lists.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tp_status add_variable(tp_model *model, tp_list *list, const char *name, double initial,
                              const char *unit, tp_place place)
{
    if (!isfinite(initial)) {
        return tp_model_refuse(model, place, "the initial value of '%s' is not a finite number", name);
    }
    tp_variable *variable = tp_list_add(&model->arena, list, sizeof *variable);
    if (variable == NULL) return TP_OUT_OF_MEMORY;
    variable->name = tp_model_copy_text(model, name);
    variable->unit = tp_model_copy_text(model, unit);
    variable->initial = initial;
    return variable->name != NULL && variable->unit != NULL ? TP_OK : TP_OUT_OF_MEMORY;
}

tp_status tp_model_add_coordinate(tp_model *model, const char *name, double initial, double initial_velocity,
                                  const char *unit, tp_place place, tp_coordinate_id *id_out,
                                  tp_message *why_out)
{
    TP_TRY(tp_model_open(model, name, why_out));
    char rate_name[256];
    int i = model->coordinates.count;
    int users = model->kinetic.count + model->mass.count + model->laws.count + model->forces.count +
                model->linear.count + model->potential.count + model->dissipation.count +
                model->springs.count + model->sensors.count + model->drawings.count + model->exact.count;
    if (users > 0) {
        return tp_fail_at(model->message, TP_INVALID_ARGUMENT, place,
                          "coordinate '%s' must be added before energies, forces and laws", name);
    }
    if (model->bodies.count > 0)
        return tp_fail_at(model->message, TP_INVALID_ARGUMENT, place,
                          "coordinate '%s' must be added before the bodies", name);
    if ((size_t)snprintf(rate_name, sizeof rate_name, "%s'", name) >= sizeof rate_name) {
        return tp_model_refuse(model, place, "the name of a coordinate is longer than 250 characters");
    }
    if (!isfinite(initial_velocity)) {
        return tp_model_refuse(model, place, "the initial velocity of '%s' is not a finite number", name);
    }
    TP_TRY(tp_names_add_variable(model->names, name, tp_slot_coordinate(i), place, model->message));
    TP_TRY(tp_names_add_variable(model->names, rate_name, tp_slot_rate(i), place, model->message));
    double *rates = TP_ARENA_ARRAY(&model->arena, double, i + 1);
    if (rates == NULL) return TP_OUT_OF_MEMORY;
    if (i > 0) memcpy(rates, model->initial_rates, (size_t)i * sizeof(double));
    rates[i] = initial_velocity;
    model->initial_rates = rates;
    TP_TRY(add_variable(model, &model->coordinates, name, initial, unit, place));
    if (id_out != NULL) *id_out = (tp_coordinate_id){model, i};
    return TP_OK;
}

tp_status tp_model_add_velocity(tp_model *model, const char *name, double initial, const char *unit,
                                tp_place place, tp_velocity_id *id_out, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, name, why_out));
    if (model->bodies.count > 0)
        return tp_fail_at(model->message, TP_INVALID_ARGUMENT, place,
                          "velocity '%s' must be added before the bodies", name);
    int i = model->velocities.count;
    TP_TRY(tp_names_add_variable(model->names, name, tp_slot_velocity(i), place, model->message));
    TP_TRY(add_variable(model, &model->velocities, name, initial, unit, place));
    if (id_out != NULL) *id_out = (tp_velocity_id){model, i};
    return TP_OK;
}

/* Index of a coordinate or velocity by name, -1 if there is none. */
static int find_variable(const tp_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++) {
        if (strcmp(TP_LIST_AT(*list, tp_variable, i)->name, name) == 0) return i;
    }
    return -1;
}

/* The same among those of bodies, by its number in q or u. */
static int find_of_bodies(const tp_model *model, const char *name, tp_slot_kind kind)
{
    const tp_name_family family = tp_model_body_family(model);
    int slot = family.slot_of(family.context, name, (int)strlen(name));
    return slot >= 0 && tp_slot_kind_of(slot) == kind ? tp_slot_index(slot) : -1;
}

int tp_model_find_coordinate(const tp_model *model, const char *name)
{
    if (model == NULL || name == NULL) return -1;
    int i = find_variable(&model->coordinates, name);
    return i >= 0 ? i : find_of_bodies(model, name, TP_SLOT_IS_COORDINATE);
}

int tp_model_find_own_velocity(const tp_model *model, const char *name)
{
    int i = find_variable(&model->velocities, name);
    return i >= 0 ? i : find_of_bodies(model, name, TP_SLOT_IS_VELOCITY);
}

/* The start of a coordinate or velocity of a body by name; NULL if there is none. */
static double *find_start_of_body(tp_model *model, const char *name)
{
    int i = find_of_bodies(model, name, TP_SLOT_IS_COORDINATE),
        j = find_of_bodies(model, name, TP_SLOT_IS_VELOCITY);
    if (i >= 0) return TP_LIST_AT(model->body_coordinates, double, i - model->coordinates.count);
    int own = j - tp_model_general_velocity_count(model);
    return j >= 0 ? TP_LIST_AT(model->body_velocities, double, own) : NULL;
}

int tp_model_find_general_velocity(const tp_model *model, const char *name)
{
    if (tp_model_has_own_velocities(model)) return find_variable(&model->velocities, name);
    size_t length = strlen(name);
    for (int i = 0; i < model->coordinates.count; i++) {
        const char *coordinate = TP_LIST_AT(model->coordinates, tp_variable, i)->name;
        if (strcmp(coordinate, name) == 0) return i; /* x stands for x' */
        if (strlen(coordinate) + 1 == length && strncmp(coordinate, name, length - 1) == 0 &&
            name[length - 1] == '\'')
            return i;
    }
    return -1;
}

int tp_model_find_velocity(const tp_model *model, const char *name)
{
    if (model == NULL || name == NULL) return -1;
    int i = tp_model_find_own_velocity(model, name);
    return i >= 0 ? i : tp_model_find_general_velocity(model, name);
}

tp_status tp_model_set_rate(tp_model *model, const char *coordinate, tp_function rate, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, coordinate, why_out));
    int i = find_variable(&model->coordinates, coordinate);
    if (i < 0) return tp_model_refuse(model, rate.place, "there is no coordinate '%s'", coordinate);
    tp_variable *variable = TP_LIST_AT(model->coordinates, tp_variable, i);
    if (!tp_model_has_own_velocities(model)) {
        return tp_model_refuse(model, rate.place,
                               "the rate of '%s' is given, but the model has no velocities of its own",
                               coordinate);
    }
    tp_scalar *compiled = TP_ARENA_ARRAY(&model->arena, tp_scalar, 1);
    if (compiled == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_model_compile(model, &rate, "the rate of a coordinate", compiled));
    if (tp_scalar_depends_on_kind(compiled, TP_SLOT_IS_RATE)) {
        return tp_model_refuse(
            model, rate.place,
            "the rate of '%s' must be a formula of coordinates and velocities, not of rates", coordinate);
    }
    char what[300];
    snprintf(what, sizeof what, "the rate of '%.200s'", coordinate);
    TP_TRY(tp_model_check_no_inputs(model, compiled, what, TP_INPUT_IN_INERTIA));
    TP_TRY(tp_model_check_no_bodies(model, compiled, what,
                                    "it must be a formula of the model's own coordinates and velocities; a "
                                    "constraint can tie them to the body"));
    variable->rate = compiled;
    return TP_OK;
}

tp_status tp_model_set_initial(tp_model *model, const char *name, double value, tp_place place,
                               tp_message *why_out)
{
    TP_TRY(tp_model_open(model, name, why_out));
    if (!isfinite(value))
        return tp_model_refuse(model, place, "the initial value of '%s' is not a finite number", name);
    int i = find_variable(&model->coordinates, name);
    double *start =
        i >= 0 ? &TP_LIST_AT(model->coordinates, tp_variable, i)->initial : find_start_of_body(model, name);
    if (start != NULL) {
        *start = value;
        return TP_OK;
    }
    i = tp_model_find_state(model, name);
    if (i >= 0) {
        TP_LIST_AT(model->states, tp_state_variable, i)->initial = value;
        return TP_OK;
    }
    i = tp_model_find_general_velocity(model, name);
    if (i < 0)
        return tp_model_refuse(model, place,
                               "initial value of '%s': there is no such coordinate or velocity, nor a state",
                               name);
    if (tp_model_has_own_velocities(model)) {
        TP_LIST_AT(model->velocities, tp_variable, i)->initial = value;
    } else {
        model->initial_rates[i] = value;
    }
    return TP_OK;
}

/* The body to whose coordinates or velocities number i belongs, which is none of the model's own. */
static int body_of(const tp_model *model, bool is_velocity, int i)
{
    int low = 0, high = model->bodies.count - 1; /* the last one that does not begin after i */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, middle);
        if ((is_velocity ? body->u_first : body->q_first) <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* What is asked of a variable by its number; NULL: there is none, or it is a rate. */
typedef enum aspect { ASPECT_NAME, ASPECT_UNIT } aspect;

static const char *own_variable(const tp_list *list, int i, aspect which)
{
    const tp_variable *variable = TP_LIST_AT(*list, tp_variable, i);
    return which == ASPECT_NAME ? variable->name : variable->unit;
}

/* Of a realised model: none. */
static const char *body_variable(const tp_model *model, bool is_velocity, int i, aspect which)
{
    if (model->body_coordinates.items == NULL) return NULL;
    int b = body_of(model, is_velocity, i);
    const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
    int k = i - (is_velocity ? body->u_first : body->q_first);
    return which == ASPECT_NAME ? tp_model_body_variable(model, b, is_velocity, k)
                                : tp_body_variable_unit(body, is_velocity, k);
}

static const char *coordinate_at(const tp_model *model, int i, aspect which)
{
    if (model == NULL || i < 0 || i >= tp_model_coordinate_count(model)) return NULL;
    return i < model->coordinates.count ? own_variable(&model->coordinates, i, which)
                                        : body_variable(model, false, i, which);
}

static const char *velocity_at(const tp_model *model, int i, aspect which)
{
    if (model == NULL || i < 0 || i >= tp_model_velocity_count(model)) return NULL;
    if (i >= tp_model_general_velocity_count(model)) return body_variable(model, true, i, which);
    return tp_model_has_own_velocities(model) ? own_variable(&model->velocities, i, which) : NULL;
}

static bool is_rate(const tp_model *model, int i)
{
    return TP_MODEL_HAS(model, coordinates, i) && !tp_model_has_own_velocities(model);
}

const char *tp_model_coordinate_name(const tp_model *model, int i)
{
    return coordinate_at(model, i, ASPECT_NAME);
}

const char *tp_model_coordinate_unit(const tp_model *model, int i)
{
    return coordinate_at(model, i, ASPECT_UNIT);
}

const char *tp_model_velocity_name(const tp_model *model, int i)
{
    const char *own = velocity_at(model, i, ASPECT_NAME);
    if (own != NULL) return own;
    if (!is_rate(model, i) || model->velocity_names == NULL) return NULL; /* made when it is finished */
    return model->velocity_names[i];
}

const char *tp_model_velocity_unit(const tp_model *model, int i)
{
    const char *own = velocity_at(model, i, ASPECT_UNIT);
    if (own != NULL) return own;
    return is_rate(model, i) && model->velocity_units != NULL ? model->velocity_units[i] : NULL;
}
