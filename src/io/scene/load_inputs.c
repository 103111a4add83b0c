/* Inputs of a scene: values that are set from outside between steps. */
#include "io/scene/loader.h"
#include "io/scene/rows.h"

static tp_status add_input(tp_loader *loader, const tp_node *item, void *made)
{
    tp_input_def *def = made;
    def->place = (item->kind == TP_NODE_SCALAR ? item : tp_map_get(item, "name"))->text_place;
    return tp_model_add_input(loader->model, def, NULL, loader->why);
}

TP_BEGINS(begin_input, tp_input_def, tp_input_def_default())

static const tp_key input_keys[] = {
    ROW_TEXT("name", TP_INTO(tp_input_def, name), "its name in formulas", .flags = TP_KEY_REQUIRED),
    ROW_TEXT("unit", TP_INTO(tp_input_def, unit), "for output"),
    ROW_NUMBER("default", TP_INTO(tp_input_def, initial), NULL, "0",
               "value until it is set, by `run --input` or from C"),
    ROW_TEXT("about", TP_INTO(tp_input_def, about), "what it is, in one line"),
};
const tp_key_table tp_input_keys = TABLE(
    "input", input_keys,
    "A value that is set from outside between steps and is constant over each. Forces, potentials, "
    "speeds of motors, laws on velocities and sensors may use it; positions, rates and inertia may not, "
    "because it jumps.",
    TP_MAKES(tp_input_def, begin_input, add_input));
