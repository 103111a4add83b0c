/* Sensors of a scene: further columns of the output. */
#include "io/scene/load.h"

tp_status tp_load_sensors(tp_loader *loader)
{
    const tp_node *section = tp_map_get(loader->root, "sensors");
    for (const tp_node *entry = section ? section->first : NULL; entry; entry = entry->next) {
        bool is_named = section->kind == TP_NODE_MAP;
        const char *name = is_named ? entry->key : tp_map_get(entry, "name")->text;
        const char *unit = is_named ? NULL : tp_keys_text(entry, &tp_sensor_keys, "unit");
        tp_function value = tp_load_function(is_named ? entry : tp_map_get(entry, "value"));
        TP_TRY(tp_load_told(loader, tp_model_add_sensor(loader->model, name, value, unit)));
    }
    return TP_OK;
}
