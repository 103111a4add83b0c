/* Shapes of bodies: solids, where they sit, and their names. */
#include <stdio.h>
#include <string.h>

#include "io/scene/load_bodies.h"

static tp_status load_solid(tp_loader *loader, const tp_node *item, tp_solid *solid_out)
{
    const tp_key_table *keys = &tp_shape_keys;
    tp_solid solid = {.kind = (tp_solid_kind)tp_keys_variant_value(keys, item)};
    double length = 0.0;
    tp_vec3 size;
    if (tp_map_get(item, "radius")) TP_TRY(tp_load_number(loader, item, keys, "radius", &solid.radius));
    if (tp_map_get(item, "length")) TP_TRY(tp_load_number(loader, item, keys, "length", &length));
    solid.half_length = 0.5 * length;
    if (solid.kind == TP_SOLID_BOX) {
        TP_TRY(tp_load_vector(loader, item, keys, "size", false, &size));
        solid.half_extents = tp_vec3_scale(0.5, size);
    }
    tp_message why = {""};
    if (tp_solid_check(&solid, &why) != TP_OK) return tp_node_fail(item, loader->why, "%.700s", why.text);
    *solid_out = solid;
    return TP_OK;
}

/* Shapes of this list without a name and of the same type. */
static int count_alike(const tp_node *list, const char *type)
{
    int count = 0;
    for (const tp_node *item = list->first; item; item = item->next) {
        count += !tp_map_get(item, "name") && strcmp(tp_map_get(item, "type")->text, type) == 0;
    }
    return count;
}

/* BODY.TYPE, or BODY.1 where that would not be unique. */
static tp_status name_shape(tp_loader *loader, const tp_node *list, const tp_node *item, int index,
                            tp_shape_def *def)
{
    char name[300];
    const tp_node *given = tp_map_get(item, "name");
    const char *type = tp_map_get(item, "type")->text;
    if (given) {
        def->name = given->text;
        return TP_OK;
    }
    if (count_alike(list, type) > 1)
        snprintf(name, sizeof name, "%.200s.%d", def->body, index + 1);
    else
        snprintf(name, sizeof name, "%.200s.%s", def->body, type);
    def->name = tp_arena_copy(loader->arena, name, strlen(name) + 1, 1);
    return def->name ? TP_OK : tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for a shape");
}

static tp_status load_shape(tp_loader *loader, const tp_node *item, bool is_planar, tp_shape_def *def)
{
    def->place = item->place;
    def->is_passive = !tp_keys_boolean(item, &tp_shape_keys, "contact");
    TP_TRY(load_solid(loader, item, &def->solid));
    TP_TRY(tp_load_vector(loader, item, &tp_shape_keys, "position", is_planar, &def->pose.origin));
    return tp_load_orientation(loader, item, &tp_shape_keys, "orientation", &def->pose.orientation);
}

tp_status tp_load_shape_list(tp_loader *loader, const tp_node *map, const char *body, bool is_planar,
                             tp_load_shapes *shapes_out)
{
    const tp_node *list = tp_map_get(map, "shapes");
    *shapes_out = (tp_load_shapes){.count = 0};
    if (!list || list->count == 0) return TP_OK;
    if (list->count + tp_model_shape_count(loader->model) > TP_SCENE_ENTRIES_MAX) {
        return tp_node_fail(list, loader->why, "the scene has more than %d shapes", TP_SCENE_ENTRIES_MAX);
    }
    shapes_out->items = TP_ARENA_ARRAY(loader->arena, tp_shape_def, list->count);
    shapes_out->nodes = TP_ARENA_ARRAY(loader->arena, const tp_node *, list->count);
    if (!shapes_out->items || !shapes_out->nodes) {
        return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for the shapes of a body");
    }
    for (const tp_node *item = list->first; item; item = item->next) {
        int k = shapes_out->count++;
        shapes_out->nodes[k] = item;
        shapes_out->items[k] = tp_shape_def_default();
        shapes_out->items[k].body = body;
        TP_TRY(load_shape(loader, item, is_planar, &shapes_out->items[k]));
        TP_TRY(name_shape(loader, list, item, k, &shapes_out->items[k]));
    }
    return TP_OK;
}

tp_status tp_load_add_shapes(tp_loader *loader, const tp_load_shapes *shapes)
{
    for (int k = 0; k < shapes->count; k++) {
        TP_TRY(
            tp_load_told(loader, tp_model_add_shape(loader->model, &shapes->items[k], NULL, &loader->told)));
    }
    return TP_OK;
}
