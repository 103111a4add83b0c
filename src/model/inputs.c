/* Inputs: values that are set from outside between steps and constant over each; docs/theory/models.md. */
#include "lists.h"

#include <math.h>
#include <string.h>

TP_DEFAULT(tp_input_def, tp_input_def_default, .name = "input")

tp_status tp_model_add_input(tp_model *model, const tp_input_def *def, tp_input_id *id_out,
                             tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def != NULL ? def->name : NULL, why_out));
    if (!isfinite(def->initial))
        return tp_fail_at(why_out, TP_INVALID_DATA, def->place,
                          "the default of input '%s' is not a finite number", def->name);
    int index = model->inputs.count;
    TP_TRY(tp_names_add_variable(model->names, def->name, tp_slot_input(index), def->place, why_out));
    tp_input *input = tp_list_add(&model->arena, &model->inputs, sizeof *input);
    if (input == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for an input");
    *input = (tp_input){.name = tp_model_copy_text(model, def->name),
                        .unit = tp_model_copy_text(model, def->unit),
                        .about = tp_model_copy_text(model, def->about),
                        .initial = def->initial};
    if (input->name == NULL || input->unit == NULL || input->about == NULL)
        return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for an input");
    if (id_out != NULL) *id_out = (tp_input_id){model, index};
    return TP_OK;
}

int tp_model_find_input(const tp_model *model, const char *name)
{
    for (int i = 0; model != NULL && name != NULL && i < model->inputs.count; i++) {
        if (strcmp(TP_LIST_AT(model->inputs, tp_input, i)->name, name) == 0) return i;
    }
    return -1;
}

tp_input_id tp_model_input_named(const tp_model *model, const char *name)
{
    int i = tp_model_find_input(model, name);
    return i >= 0 ? (tp_input_id){model, i} : (tp_input_id){0};
}

TP_MODEL_TEXT(tp_model_input_name, inputs, tp_input, name)

TP_MODEL_TEXT(tp_model_input_unit, inputs, tp_input, unit)

TP_MODEL_TEXT(tp_model_input_about, inputs, tp_input, about)

double tp_model_input_default(const tp_model *model, int i)
{
    return TP_MODEL_HAS(model, inputs, i) ? TP_LIST_AT(model->inputs, tp_input, i)->initial : NAN;
}

tp_status tp_model_check_no_inputs(tp_model *model, const tp_scalar *scalar, const char *what,
                                   const char *advice)
{
    for (int k = 0; k < scalar->slot_count; k++) {
        if (tp_slot_kind_of(scalar->slots[k]) != TP_SLOT_IS_INPUT) continue;
        return tp_model_refuse(model, scalar->function.place, "%s depends on the input '%s'; %s", what,
                               tp_model_input_name(model, tp_slot_index(scalar->slots[k])), advice);
    }
    return TP_OK;
}

bool tp_model_law_has_input(const tp_model *model, const tp_law *law)
{
    if (law->source == TP_SOURCE_COMBINATION) {
        const tp_combination *c = TP_LIST_AT(model->combinations, tp_combination, law->element);
        return c->has_target && tp_scalar_depends_on_kind(&c->target, TP_SLOT_IS_INPUT);
    }
    for (int k = 0; k < law->row_count && law->source == TP_SOURCE_FORMULA; k++) {
        if (tp_scalar_depends_on_kind(&law->row[k], TP_SLOT_IS_INPUT)) return true;
    }
    return false;
}
