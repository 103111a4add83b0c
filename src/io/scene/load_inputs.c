/* The section `inputs` of a scene. */
#include "io/scene/loader.h"

tp_status tp_load_inputs(tp_loader *loader, const tp_node *section)
{
    for (const tp_node *item = section->first; item; item = item->next) {
        const tp_node *name = item->kind == TP_NODE_SCALAR ? item : tp_map_get(item, "name");
        tp_input_def def = tp_input_def_default();
        def.name = name->text;
        def.place = name->text_place;
        def.unit = tp_keys_text(item, &tp_input_keys, "unit");
        def.about = tp_keys_text(item, &tp_input_keys, "about");
        TP_TRY(tp_load_number(loader, item, &tp_input_keys, "default", &def.initial));
        TP_TRY(tp_model_add_input(loader->model, &def, NULL, loader->why));
    }
    return TP_OK;
}
