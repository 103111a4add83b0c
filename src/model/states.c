/* First-order states, relations between them and multipliers, storage functions; docs/theory/theta-gamma.md.
   Their formulas know each other's names, so they are kept as text and read when the model is finished. */
#include "scalars.h"

#include "base/names.h"

#include <math.h>
#include <stdio.h>

TP_DEFAULT(tp_state_def, tp_state_def_default, .name = "state")

TP_DEFAULT(tp_relation_def, tp_relation_def_default, .name = "relation", .lower = -INFINITY,
           .upper = INFINITY, .radius = 1.0)

TP_NAMES_OF(tp_relation_kind_name, int, "complementarity", "equality", "box", "relay", "ball")

TP_NAMES_OF(tp_relation_type_name, int, "linear", "type 1", "type 2", "nonlinear")

/* A function whose texts are the model's own, until it is compiled. */
static tp_status keep_function(tp_model *model, const tp_function *function, tp_function *out)
{
    *out = *function;
    out->place = tp_model_copy_place(model, function->place);
    if (function->formula != NULL) out->formula = tp_model_copy_text(model, function->formula);
    if (function->formula != NULL && out->formula == NULL) return TP_OUT_OF_MEMORY;
    if (function->value_of == NULL || function->argument_count == 0) return TP_OK;
    const char **names = TP_ARENA_ARRAY(&model->arena, const char *, function->argument_count);
    for (int k = 0; k < function->argument_count && names != NULL; k++)
        names[k] = tp_model_copy_text(model, function->arguments[k]);
    out->arguments = names;
    return tp_arena_status(&model->arena);
}

/* Functions of (t, q, u) know no states. */
static tp_status check_function(tp_model *model, const tp_function *function, const char *what,
                                const char *name)
{
    bool is_good = function->formula != NULL || (function->value_of != NULL && function->gradient_of != NULL);
    if (is_good) return TP_OK;
    return tp_model_refuse(
        model, function->place,
        "%s of '%s' is missing: give a formula, or C functions of names (value_of, gradient_of)", what, name);
}

tp_status tp_model_add_state(tp_model *model, const tp_state_def *def, tp_state_id *id_out,
                             tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def != NULL ? def->name : NULL, why_out));
    if (!isfinite(def->initial))
        return tp_fail_at(why_out, TP_INVALID_DATA, def->place,
                          "the initial value of '%s' is not a finite number", def->name);
    TP_TRY(check_function(model, &def->rate, "the rate", def->name));
    TP_TRY(tp_names_add_variable(model->names, def->name, tp_slot_state(model->states.count), def->place,
                                 why_out));
    tp_state_variable *state = tp_list_add(&model->arena, &model->states, sizeof *state);
    if (state == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for a state");
    state->name = tp_model_copy_text(model, def->name);
    state->unit = tp_model_copy_text(model, def->unit);
    state->initial = def->initial;
    tp_status status = keep_function(model, &def->rate, &state->rate.function);
    bool is_kept = status == TP_OK && state->name != NULL && state->unit != NULL;
    if (!is_kept) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for a state");
    int index = model->states.count - 1;
    TP_TRY(tp_name_index_add(&model->arena, &model->state_names, state->name, index));
    if (id_out != NULL) *id_out = (tp_state_id){model, index};
    return TP_OK;
}

tp_status tp_model_add_state_mass(tp_model *model, const char *state_i, const char *state_j, double value,
                                  tp_place place, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, state_i != NULL ? state_j : NULL, why_out));
    int i = tp_model_find_state(model, state_i), j = tp_model_find_state(model, state_j);
    if (i < 0 || j < 0)
        return tp_fail_at(why_out, TP_INVALID_DATA, place, "mass of states: there is no state '%s'",
                          i < 0 ? state_i : state_j);
    if (!isfinite(value))
        return tp_fail_at(why_out, TP_INVALID_DATA, place,
                          "mass of states: the entry '%s,%s' is not a finite number", state_i, state_j);
    tp_state_mass *entry = tp_list_add(&model->arena, &model->state_mass, sizeof *entry);
    if (entry == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for a mass of states");
    *entry = (tp_state_mass){i, j, value};
    return TP_OK;
}

static tp_status check_relation(tp_model *model, const tp_relation_def *def)
{
    bool is_ball = def->kind == TP_RELATION_BALL;
    if ((unsigned)def->kind >= TP_RELATION_KIND_COUNT || def->output == NULL)
        return tp_fail_at(model->message, TP_INVALID_ARGUMENT, def->place,
                          "relation '%s': its law or its outputs are missing", def->name);
    int law_size = def->law_size > 0 ? def->law_size : def->size;
    if (def->size < 1 || def->law_size < 0 || def->size % law_size != 0 ||
        (is_ball && law_size != 2 && law_size != 3))
        return tp_model_refuse(model, def->place, "relation '%s' has %d outputs and laws of size %d: %s",
                               def->name, def->size, law_size,
                               is_ball ? "a ball has 2 or 3 rows, and outputs are whole groups of them"
                                       : "the size of the laws must divide the number of outputs");
    if (def->kind == TP_RELATION_BOX && !(def->lower <= def->upper))
        return tp_model_refuse(model, def->place,
                               "relation '%s': its bounds are %g and %g; lower must not be above upper",
                               def->name, def->lower, def->upper);
    if (is_ball && (!(def->radius >= 0.0) || isinf(def->radius)))
        return tp_model_refuse(model, def->place, "relation '%s': its radius is %g; it must be a number >= 0",
                               def->name, def->radius);
    for (int k = 0; k < def->size; k++)
        TP_TRY(check_function(model, &def->output[k], "an output", def->name));
    return TP_OK;
}

static tp_set set_of(const tp_relation_def *def)
{
    switch (def->kind) {
    case TP_RELATION_EQUALITY: return tp_set_free(1);
    case TP_RELATION_BOX: return tp_set_interval(def->lower, def->upper);
    case TP_RELATION_RELAY: return tp_set_interval(-1.0, 1.0);
    case TP_RELATION_BALL: return tp_set_ball(def->law_size > 0 ? def->law_size : def->size, def->radius);
    case TP_RELATION_COMPLEMENTARITY:
    case TP_RELATION_KIND_COUNT: break;
    }
    return tp_set_orthant(1);
}

static tp_status add_output(tp_model *model, const tp_relation_def *def, int k, int relation)
{
    char name[280];
    if (def->size == 1)
        snprintf(name, sizeof name, "%.250s", def->name);
    else
        snprintf(name, sizeof name, "%.250s.l%d", def->name, k + 1);
    TP_TRY(tp_names_add_variable(model->names, name, tp_slot_multiplier(model->outputs.count), def->place,
                                 model->message));
    tp_output *output = tp_list_add(&model->arena, &model->outputs, sizeof *output);
    if (output == NULL) return TP_OUT_OF_MEMORY;
    *output = (tp_output){.name = tp_model_copy_text(model, name),
                          .unit = tp_model_copy_text(model, def->unit),
                          .output_unit = tp_model_copy_text(model, def->output_unit),
                          .relation = relation};
    TP_TRY(keep_function(model, &def->output[k], &output->value.function));
    return tp_arena_status(&model->arena);
}

tp_status tp_model_add_relation(tp_model *model, const tp_relation_def *def, tp_relation_id *id_out,
                                tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def != NULL ? def->name : NULL, why_out));
    TP_TRY(check_relation(model, def));
    tp_relation *relation = tp_list_add(&model->arena, &model->relations, sizeof *relation);
    if (relation == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for a relation");
    int law_size = def->law_size > 0 ? def->law_size : def->size;
    *relation = (tp_relation){.name = tp_model_copy_text(model, def->name),
                              .place = tp_model_copy_place(model, def->place),
                              .kind = def->kind,
                              .first = model->outputs.count,
                              .size = def->size,
                              .law_size = law_size,
                              .set = set_of(def)};
    int index = model->relations.count - 1;
    for (int k = 0; k < def->size; k++) TP_TRY(add_output(model, def, k, index));
    if (id_out != NULL) *id_out = (tp_relation_id){model, index};
    return TP_OK;
}

tp_status tp_model_add_storage(tp_model *model, tp_function storage, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, model, why_out));
    TP_TRY(check_function(model, &storage, "the storage function", "storage"));
    tp_scalar *item = tp_list_add(&model->arena, &model->storage, sizeof *item);
    if (item == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for a storage function");
    return keep_function(model, &storage, &item->function);
}

/* ---- when the model is finished ---- */

static const char *const role_texts[TP_SCALAR_ROLES] = {
    [TP_SCALAR_KINETIC] = "the kinetic energy",
    [TP_SCALAR_MASS] = "the mass matrix",
    [TP_SCALAR_RATE] = "the rate of a coordinate",
    [TP_SCALAR_POTENTIAL] = "the potential",
    [TP_SCALAR_DISSIPATION] = "the dissipation function",
    [TP_SCALAR_SPRING_GAP] = "the gap of a compliant contact",
    [TP_SCALAR_LAW_ROW] = "a constraint, contact or law",
    [TP_SCALAR_MOTION] = "the motion of a body",
    [TP_SCALAR_TARGET] = "a motor",
};

static tp_status check_roles(tp_model *model)
{
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) {
        bool has_state = tp_scalar_depends_on_kind(at.scalar, TP_SLOT_IS_STATE),
             has_multiplier = tp_scalar_depends_on_kind(at.scalar, TP_SLOT_IS_MULTIPLIER);
        if (at.role == TP_SCALAR_STORAGE && has_multiplier)
            return tp_model_refuse(
                model, at.scalar->function.place,
                "the storage function depends on a multiplier; it is a function of t and states");
        if (role_texts[at.role] == NULL || (!has_state && !has_multiplier)) continue;
        if (at.role == TP_SCALAR_LAW_ROW)
            return tp_model_refuse(
                model, at.scalar->function.place,
                "a constraint, contact or law depends on a %s: states have their laws on y[0], mechanics on "
                "velocities, and one law cannot be shared by both; write it as a relation (relations:), with "
                "a force that follows its multiplier",
                has_state ? "state" : "multiplier");
        return tp_model_refuse(model, at.scalar->function.place,
                               "%s depends on a %s; forces, wrenches and sensors may", role_texts[at.role],
                               has_state ? "state" : "multiplier");
    }
    return TP_OK;
}

/* Entries by row, with 1 on the diagonal of rows that have none. */
static tp_status complete_mass(tp_model *model)
{
    int n = model->states.count, given = model->state_mass.count, total = 0;
    int *count = TP_ARENA_ARRAY(&model->arena, int, n), *next = TP_ARENA_ARRAY(&model->arena, int, n);
    tp_state_mass *all = TP_ARENA_ARRAY(&model->arena, tp_state_mass, given + n);
    TP_TRY(tp_arena_status(&model->arena));
    for (int k = 0; k < given; k++) count[TP_LIST_AT(model->state_mass, tp_state_mass, k)->i]++;
    for (int i = 0; i < n; i++) {
        next[i] = total;
        all[total] = (tp_state_mass){i, i, 1.0};
        total += count[i] > 0 ? count[i] : 1;
    }
    for (int k = 0; k < given; k++) {
        const tp_state_mass *entry = TP_LIST_AT(model->state_mass, tp_state_mass, k);
        all[next[entry->i]++] = *entry;
    }
    model->state_mass = (tp_list){all, total, given + n};
    return TP_OK;
}

tp_status tp_model_finish_states(tp_model *model)
{
    static const char *const texts[] = {"the rate of a state", "an output of a relation",
                                        "the storage function"};
    for (tp_scalar_walk at = {.model = model, .role = TP_SCALAR_STATE_RATE}; tp_scalar_next(&at);) {
        tp_function function = at.scalar->function;
        TP_TRY(tp_model_compile(model, &function, texts[at.role - TP_SCALAR_STATE_RATE], at.scalar));
    }
    TP_TRY(check_roles(model));
    return complete_mass(model);
}

/* ---- what was built ---- */

TP_MODEL_COUNT(tp_model_state_count, states)

TP_MODEL_TEXT(tp_model_state_name, states, tp_state_variable, name)

TP_MODEL_TEXT(tp_model_state_unit, states, tp_state_variable, unit)

int tp_model_find_state(const tp_model *model, const char *name)
{
    return model != NULL && name != NULL ? tp_name_index_find(&model->state_names, name) : -1;
}

TP_MODEL_COUNT(tp_model_multiplier_count, outputs)

TP_MODEL_TEXT(tp_model_multiplier_name, outputs, tp_output, name)

TP_MODEL_TEXT(tp_model_multiplier_unit, outputs, tp_output, unit)

TP_MODEL_TEXT(tp_model_output_unit, outputs, tp_output, output_unit)

TP_MODEL_COUNT(tp_model_relation_count, relations)

bool tp_model_relation(const tp_model *model, int i, tp_relation_info *info_out)
{
    if (!TP_MODEL_HAS(model, relations, i)) return false;
    const tp_relation *relation = TP_LIST_AT(model->relations, tp_relation, i);
    *info_out = (tp_relation_info){.name = relation->name,
                                   .kind = relation->kind,
                                   .type = relation->type,
                                   .first = relation->first,
                                   .size = relation->size,
                                   .law_size = relation->law_size,
                                   .relation_count = relation->size / relation->law_size};
    return true;
}
