/* The section of a scene that says what the model looks like. */
#include "io/common/near.h"
#include "io/scene/loader.h"

static tp_status load_colour(tp_loader *loader, const tp_node *item, tp_drawing_def *def)
{
    const tp_node *node = tp_map_get(item, "colour");
    def->has_colour = node != NULL;
    if (!node || tp_colour_read(node->text, &def->colour)) return TP_OK;
    tp_near near = tp_near_begin(node->text);
    for (int k = 0; tp_colour_name(k); k++) tp_near_offer(&near, tp_colour_name(k));
    return tp_node_fail(node, loader->why, "'%s' is no colour%s; write a name or \"#RRGGBB\"",
                        tp_excerpt_of(node->text).text, tp_near_hint_of(&near).text);
}

/* [x, y] or [x, y, z]. */
static tp_status load_vertex(tp_loader *loader, const tp_node *list, tp_drawing_vertex *vertex_out)
{
    if (list->count < 2 || list->count > 3) {
        return tp_node_fail(list, loader->why,
                            "found %d coordinate%s; a point has 2 or 3: [x, y] or [x, y, z]", list->count,
                            list->count == 1 ? "" : "s");
    }
    int k = 0;
    for (const tp_node *item = list->first; item; item = item->next) {
        vertex_out->coordinate[k++] = tp_load_function(item);
    }
    return TP_OK;
}

/* One point behind `at`, or several behind `points`. */
static tp_status load_vertices(tp_loader *loader, const tp_node *item, tp_drawing_def *def)
{
    const tp_node *at = tp_map_get(item, "at"), *points = tp_map_get(item, "points");
    def->vertex_count = at ? 1 : points->count;
    tp_drawing_vertex *vertices = TP_ARENA_ARRAY(loader->arena, tp_drawing_vertex, def->vertex_count + 1);
    if (!vertices) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for a drawing");
    def->vertices = vertices;
    if (at) return load_vertex(loader, at, vertices);
    for (const tp_node *row = points->first; row; row = row->next) {
        TP_TRY(load_vertex(loader, row, vertices++));
    }
    return TP_OK;
}

static tp_status load_drawing(tp_loader *loader, const tp_node *item)
{
    const tp_node *law = tp_map_get(item, "law"), *radius = tp_map_get(item, "radius"),
                  *points = tp_map_get(item, "points"), *filled = tp_map_get(item, "filled");
    tp_drawing_def def = tp_drawing_def_default();
    def.name = tp_map_get(item, "name")->text;
    def.kind = (tp_primitive_kind)tp_keys_variant_value(&tp_drawing_keys, item);
    def.place = points ? points->place : item->place;
    if (radius) def.radius = tp_load_function(radius);
    if (filled) def.is_filled = tp_keys_boolean(item, &tp_drawing_keys, "filled");
    if (law) def.law = law->text, def.law_place = law->place;
    TP_TRY(load_colour(loader, item, &def));
    TP_TRY(load_vertices(loader, item, &def));
    return tp_load_told(loader, tp_model_add_drawing(loader->model, &def, &loader->told));
}

tp_status tp_load_drawings(tp_loader *loader)
{
    return tp_load_list(loader, "draw", load_drawing);
}
