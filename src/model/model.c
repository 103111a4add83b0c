/* Building a model: names, parameters, functions, inertia and forces. */
#include "lists.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

void *tp_list_add(tp_arena *arena, tp_list *list, size_t item_bytes)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 8;
        size_t bytes = (size_t)list->count * item_bytes;
        void *items = tp_arena_take_raw(arena, (size_t)capacity, item_bytes); /* room is not touched */
        if (items == NULL) return NULL;
        if (bytes > 0) memcpy(items, list->items, bytes);
        tp_arena_release(arena, list->items, bytes);
        list->items = items;
        list->capacity = capacity;
    }
    return memset((unsigned char *)list->items + item_bytes * (size_t)list->count++, 0, item_bytes);
}

tp_status tp_list_keep(tp_arena *arena, tp_list *list, const void *item, size_t item_bytes)
{
    void *kept = tp_list_add(arena, list, item_bytes);
    if (kept == NULL) return TP_OUT_OF_MEMORY;
    memcpy(kept, item, item_bytes);
    return TP_OK;
}

tp_status tp_model_create(const tp_allocator *allocator, tp_model **model_out)
{
    if (model_out == NULL) return TP_INVALID_ARGUMENT;
    *model_out = NULL;
    if (allocator == NULL) allocator = tp_allocator_default();
    tp_model *model = allocator->allocate(allocator->context, sizeof *model);
    if (model == NULL) return TP_OUT_OF_MEMORY;
    memset(model, 0, sizeof *model);
    model->allocator = allocator;
    model->exact_until = INFINITY;
    tp_arena_init(&model->arena, allocator);
    tp_status status = tp_names_create(&model->arena, &model->names);
    if (status == TP_OK) tp_names_set_family(model->names, tp_model_body_family(model));
    if (status == TP_OK) status = tp_names_add_variable(model->names, "t", TP_SLOT_TIME, (tp_place){0}, NULL);
    if (status == TP_OK) model->name = tp_model_copy_text(model, "model");
    if (status != TP_OK || model->name == NULL) {
        tp_model_free(model);
        return TP_OUT_OF_MEMORY;
    }
    *model_out = model;
    return TP_OK;
}

void tp_model_free(tp_model *model)
{
    if (model == NULL) return;
    tp_model_free_variables(model);
    tp_arena_clear(&model->arena);
    model->allocator->release(model->allocator->context, model);
}

const char *tp_model_copy_text(tp_model *model, const char *text)
{
    return tp_arena_copy(&model->arena, text != NULL ? text : "", strlen(text != NULL ? text : "") + 1, 1);
}

tp_place tp_model_copy_place(tp_model *model, tp_place place)
{
    if (place.file == NULL) return place;
    if (model->place_file == NULL || strcmp(model->place_file, place.file) != 0)
        model->place_file = tp_model_copy_text(model, place.file);
    place.file = model->place_file;
    return place;
}

tp_status tp_model_open(tp_model *model, const void *input, tp_message *why_out)
{
    if (model == NULL) return tp_fail(why_out, TP_INVALID_ARGUMENT, "the model is NULL");
    model->message = why_out;
    if (input == NULL) return tp_fail(why_out, TP_INVALID_ARGUMENT, "a definition, name or formula is NULL");
    if (model->is_finished)
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "the model is finished: nothing can be added");
    return TP_OK;
}

tp_status tp_model_set_name(tp_model *model, const char *name, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, name, why_out));
    const char *copy = tp_model_copy_text(model, name);
    if (copy == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "%s", tp_status_text(TP_OUT_OF_MEMORY));
    model->name = copy;
    return TP_OK;
}

const char *tp_model_name(const tp_model *model)
{
    return model != NULL ? model->name : NULL;
}

tp_status tp_model_compile(tp_model *model, const tp_function *function, const char *what,
                           tp_scalar *scalar_out)
{
    *scalar_out = (tp_scalar){.function = *function};
    scalar_out->function.place = tp_model_copy_place(model, function->place);
    if (function->formula != NULL) {
        tp_formula *formula;
        TP_TRY(tp_model_name_joints(model, function->formula));
        TP_TRY(tp_formula_compile(&model->arena, model->names, function->formula, function->place, &formula,
                                  model->message));
        scalar_out->formula = formula;
        scalar_out->function.formula = NULL;
        scalar_out->slot_count = tp_formula_slot_count(formula);
        scalar_out->slots = tp_formula_slots(formula);
        return TP_OK;
    }
    if (function->value_of != NULL) return tp_model_take_named_slots(model, what, scalar_out);
    if (function->value == NULL) {
        return tp_fail_at(model->message, TP_INVALID_ARGUMENT, function->place,
                          "%s is missing: give a formula or C functions", what);
    }
    if (function->gradient == NULL) {
        return tp_fail_at(model->message, TP_INVALID_ARGUMENT, function->place,
                          "%s: a C function needs its gradient", what);
    }
    return tp_model_take_all_slots(model, scalar_out);
}

tp_status tp_model_add_parameter_value(tp_model *model, const char *name, double value, tp_place place,
                                       tp_message *why_out)
{
    TP_TRY(tp_model_open(model, name, why_out));
    if (!isfinite(value)) return tp_model_refuse(model, place, "parameter '%s' is not a finite number", name);
    return tp_names_add_constant(model->names, name, value, place, model->message);
}

tp_status tp_model_evaluate(tp_model *model, const char *formula, tp_place place, double *value_out,
                            tp_message *why_out)
{
    tp_formula *compiled;
    if (model == NULL || formula == NULL || value_out == NULL)
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "the model, the formula or the result is NULL");
    model->message = why_out;
    tp_arena scratch = tp_arena_make(model->allocator);
    tp_status status = tp_formula_compile(&scratch, model->names, formula, place, &compiled, model->message);
    if (status == TP_OK && tp_formula_slot_count(compiled) > 0) {
        status = tp_model_refuse(
            model, place, "'%s' must be a constant: only numbers and parameters can be used here", formula);
    }
    if (status == TP_OK) {
        double *work = TP_ARENA_ARRAY(&scratch, double, tp_formula_work_size(compiled) + 1), time = 0.0;
        status = work != NULL ? TP_OK : TP_OUT_OF_MEMORY;
        if (status == TP_OK) *value_out = tp_formula_value(compiled, &time, work);
    }
    tp_arena_clear(&scratch);
    if (status == TP_OK && !isfinite(*value_out)) {
        status = tp_model_refuse(model, place, "'%s' is not a finite number", formula);
    }
    return status;
}

tp_status tp_model_add_parameter(tp_model *model, const char *name, const char *formula, tp_place place,
                                 tp_message *why_out)
{
    double value;
    TP_TRY(tp_model_open(model, name, why_out));
    TP_TRY(tp_model_evaluate(model, formula, place, &value, why_out));
    return tp_model_add_parameter_value(model, name, value, place, why_out);
}

tp_status tp_model_add_definition(tp_model *model, const char *name, const char *const *arguments,
                                  int argument_count, const char *formula, tp_place place,
                                  tp_message *why_out)
{
    TP_TRY(tp_model_open(model, name != NULL ? formula : NULL, why_out));
    TP_TRY(tp_model_name_joints(model, formula));
    if (arguments == NULL) return tp_names_add_expression(model->names, name, formula, place, model->message);
    return tp_names_add_function(model->names, name, arguments, argument_count, formula, place,
                                 model->message);
}

tp_status tp_model_add_kinetic(tp_model *model, tp_function energy, tp_message *why_out)
{
    tp_scalar scalar;
    TP_TRY(tp_model_open(model, model, why_out));
    if (energy.formula == NULL && energy.value != NULL && energy.hessian_vector == NULL) {
        return tp_fail_at(
            why_out, TP_INVALID_ARGUMENT, energy.place,
            "the kinetic energy: a C function needs hessian_vector (or give the mass matrix instead)");
    }
    TP_TRY(tp_model_compile(model, &energy, "the kinetic energy", &scalar));
    TP_TRY(tp_model_check_no_inputs(model, &scalar, "the kinetic energy", TP_INPUT_IN_INERTIA));
    TP_TRY(tp_model_check_no_bodies(model, &scalar, "the kinetic energy",
                                    "bodies bring their own: change the body's mass and inertia, and keep "
                                    "formulas to the rates of coordinates"));
    return TP_LIST_KEEP(model, kinetic, scalar);
}

tp_status tp_model_add_potential(tp_model *model, tp_function energy, tp_message *why_out)
{
    tp_scalar scalar;
    TP_TRY(tp_model_open(model, model, why_out));
    TP_TRY(tp_model_compile(model, &energy, "the potential", &scalar));
    TP_TRY(tp_model_check_no_velocities(model, &scalar, "the potential"));
    return TP_LIST_KEEP(model, potential, scalar);
}

tp_status tp_model_add_dissipation(tp_model *model, tp_function dissipation, tp_message *why_out)
{
    tp_scalar scalar;
    TP_TRY(tp_model_open(model, model, why_out));
    TP_TRY(tp_model_compile(model, &dissipation, "the dissipation function", &scalar));
    if (scalar.formula != NULL && scalar.slot_count > 0 &&
        !tp_scalar_depends_on_kind(&scalar, TP_SLOT_IS_RATE) &&
        !tp_scalar_depends_on_kind(&scalar, TP_SLOT_IS_VELOCITY)) {
        return tp_model_refuse(
            model, dissipation.place,
            "the dissipation function has no force: it depends on no rate (x') and no velocity");
    }
    return TP_LIST_KEEP(model, dissipation, scalar);
}

tp_status tp_model_add_mass(tp_model *model, const char *velocity_i, const char *velocity_j,
                            tp_function entry, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, velocity_i != NULL ? velocity_j : NULL, why_out));
    int i = tp_model_find_general_velocity(model, velocity_i),
        j = tp_model_find_general_velocity(model, velocity_j);
    if (i < 0 || j < 0) {
        return tp_model_refuse(model, entry.place, "mass matrix: there is no velocity '%s'",
                               i < 0 ? velocity_i : velocity_j);
    }
    tp_scalar scalar;
    TP_TRY(tp_model_compile(model, &entry, "an entry of the mass matrix", &scalar));
    TP_TRY(tp_model_check_no_velocities(model, &scalar, "the mass matrix"));
    TP_TRY(tp_model_check_no_inputs(model, &scalar, "the mass matrix", TP_INPUT_IN_INERTIA));
    TP_TRY(tp_model_check_no_bodies(model, &scalar, "the mass matrix",
                                    "it must be a function of time and of coordinates that belong to no "
                                    "body"));
    tp_mass_entry item = {i < j ? i : j, i < j ? j : i, scalar};
    return TP_LIST_KEEP(model, mass, item);
}

tp_status tp_model_add_force(tp_model *model, const char *name, tp_function force, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, name, why_out));
    int coordinate = tp_model_find_coordinate(model, name),
        velocity = tp_model_find_own_velocity(model, name);
    if (coordinate < 0 && velocity < 0) {
        return tp_model_refuse(
            model, force.place,
            "a force acts on '%s', but there is no such coordinate or velocity (write x for a force on x')",
            name);
    }
    tp_scalar scalar;
    TP_TRY(tp_model_compile(model, &force, "a force", &scalar));
    tp_force_entry item = {velocity >= 0, velocity >= 0 ? velocity : coordinate, scalar};
    return TP_LIST_KEEP(model, forces, item);
}

static tp_status check_square(tp_model *model, const char *name, const double *a, int n, bool is_symmetric,
                              tp_place place)
{
    for (int i = 0; a != NULL && i < n * n; i++) {
        if (!isfinite(a[i]))
            return tp_model_refuse(model, place, "matrix %s: entry (%d,%d) is not a finite number", name,
                                   i % n + 1, i / n + 1);
        if (is_symmetric && fabs(a[i] - a[i / n + i % n * n]) >
                                tp_symmetry_tolerance * (fabs(a[i]) + fabs(a[i / n + i % n * n]))) {
            return tp_model_refuse(model, place,
                                   "matrix %s is not symmetric: entries (%d,%d) and (%d,%d) differ", name,
                                   i % n + 1, i / n + 1, i / n + 1, i % n + 1);
        }
    }
    return TP_OK;
}

tp_status tp_model_add_linear(tp_model *model, int n, const double *M, const double *C, const double *K,
                              tp_place place, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, model, why_out));
    if (n != model->coordinates.count || n <= 0) {
        return tp_model_refuse(model, place, "the matrices are %d by %d, but there are %d coordinates", n, n,
                               model->coordinates.count);
    }
    if (tp_model_has_own_velocities(model)) {
        return tp_model_refuse(model, place,
                               "matrices M, C, K need u = q': the model has velocities of its own");
    }
    if (M == NULL) return tp_model_refuse(model, place, "matrix M is missing");
    TP_TRY(check_square(model, "M", M, n, true, place));
    TP_TRY(check_square(model, "C", C, n, false, place));
    TP_TRY(check_square(model, "K", K, n, true, place));
    size_t count = (size_t)n * (size_t)n;
    tp_linear_part *part = tp_list_add(&model->arena, &model->linear, sizeof *part);
    if (part == NULL) return TP_OUT_OF_MEMORY;
    part->n = n;
    part->M = tp_arena_copy(&model->arena, M, count, sizeof(double));
    part->C = C != NULL ? tp_arena_copy(&model->arena, C, count, sizeof(double)) : NULL;
    part->K = K != NULL ? tp_arena_copy(&model->arena, K, count, sizeof(double)) : NULL;
    return part->M != NULL && (C == NULL || part->C != NULL) && (K == NULL || part->K != NULL)
               ? TP_OK
               : TP_OUT_OF_MEMORY;
}

tp_model_summary tp_model_summarise(const tp_model *model)
{
    return model != NULL ? model->summary : (tp_model_summary){0};
}

TP_MODEL_TEXT(tp_model_law_name, laws, tp_law, name)
