/* Keys of the section `inputs`. */
#include "io/scene/scene_tables.h"

static const tp_key input_keys[] = {
    {.name = "name", .kind = TP_VALUE_TEXT, .flags = TP_KEY_REQUIRED, .text = "its name in formulas"},
    {.name = "unit", .kind = TP_VALUE_TEXT, .text = "for output"},
    {.name = "default",
     .kind = TP_VALUE_QUANTITY,
     .default_text = "0",
     .text = "value until it is set, by `run --input` or from C"},
    {.name = "about", .kind = TP_VALUE_TEXT, .text = "what it is, in one line"},
};
const tp_key_table tp_input_keys = {
    .name = "input",
    .text = "A value that is set from outside between steps and is constant over each. Forces, potentials, "
            "speeds of motors, laws on velocities and sensors may use it; positions, rates and inertia may "
            "not, because it jumps.",
    .TP_KEYS_OF(input_keys)};
