/* Forces on bodies and between them: springs, bushings, forces given as formulas. */
#include <stdio.h>
#include <string.h>

#include "io/scene/loader.h"

/* ---- between bodies ------------------------------------------------------------------------------------ */

static tp_status load_spring(tp_loader *loader, const tp_node *item)
{
    const tp_key_table *keys = &tp_spring_keys;
    tp_spring_def def = tp_spring_def_default();
    const char *a, *b;
    bool is_planar;
    def.name = tp_map_get(item, "name")->text;
    def.place = item->place;
    def.is_rope = tp_keys_boolean(item, keys, "rope");
    def.is_rest_as_placed = tp_map_get(item, "rest_length") == NULL;
    TP_TRY(tp_load_two_bodies(loader, item, &a, &b, &is_planar));
    TP_TRY(tp_load_two_points(loader, item, keys, is_planar, &def.point_A, &def.point_B));
    TP_TRY(tp_load_number(loader, item, keys, "stiffness", &def.stiffness));
    TP_TRY(tp_load_number(loader, item, keys, "damping", &def.damping));
    if (!def.is_rest_as_placed) TP_TRY(tp_load_number(loader, item, keys, "rest_length", &def.rest_length));
    return tp_load_told(loader, tp_model_add_spring(loader->model, a, b, &def, NULL, &loader->told));
}

static tp_status load_axes(tp_loader *loader, const tp_node *item, const char *name, tp_mat3 *axes_out)
{
    tp_quat turned;
    TP_TRY(tp_load_orientation(loader, item, &tp_bushing_keys, name, &turned));
    *axes_out = tp_quat_to_matrix(turned);
    return TP_OK;
}

static tp_status load_bushing(tp_loader *loader, const tp_node *item)
{
    const tp_key_table *keys = &tp_bushing_keys;
    tp_bushing_def def = tp_bushing_def_default();
    const char *a, *b;
    bool is_planar;
    def.name = tp_map_get(item, "name")->text;
    def.place = item->place;
    TP_TRY(tp_load_two_bodies(loader, item, &a, &b, &is_planar));
    TP_TRY(tp_load_two_points(loader, item, keys, is_planar, &def.point_A, &def.point_B));
    TP_TRY(load_axes(loader, item, "orientation_a", &def.axes_A));
    TP_TRY(load_axes(loader, item, "orientation_b", &def.axes_B));
    TP_TRY(tp_load_vector(loader, item, keys, "stiffness", false, &def.stiffness));
    TP_TRY(tp_load_vector(loader, item, keys, "damping", false, &def.damping));
    TP_TRY(tp_load_vector(loader, item, keys, "rotational_stiffness", false, &def.rotational_stiffness));
    TP_TRY(tp_load_vector(loader, item, keys, "rotational_damping", false, &def.rotational_damping));
    return tp_load_told(loader, tp_model_add_bushing(loader->model, a, b, &def, NULL, &loader->told));
}

tp_status tp_load_elements(tp_loader *loader)
{
    TP_TRY(tp_load_list(loader, "springs", load_spring));
    return tp_load_list(loader, "bushings", load_bushing);
}

/* ---- on a body ----------------------------------------------------------------------------------------- */

/* Three components; of planar bodies two of a force, and a moment may be one formula. */
static tp_status load_components(tp_loader *loader, const tp_node *item, const char *name, bool is_planar,
                                 tp_function *functions_out)
{
    const tp_node *node = tp_map_get(item, name);
    bool is_moment = strcmp(name, "moment") == 0;
    int count;
    if (!node) return TP_OK;
    if (node->kind == TP_NODE_SCALAR && is_planar && is_moment) {
        functions_out[2] = tp_load_function(node);
        return TP_OK;
    }
    bool is_right =
        node->kind == TP_NODE_LIST && (node->count == 3 || (node->count == 2 && is_planar && !is_moment));
    if (!is_right) {
        return tp_node_fail(node, loader->why, "write %s",
                            !is_planar  ? "three components [x, y, z]"
                            : is_moment ? "one formula, or three components [x, y, z]"
                                        : "two components [x, y]");
    }
    return tp_load_functions(loader, item, name, 3, functions_out, &count);
}

/* BODY.force, where the author gave no name. */
static tp_status name_wrench(tp_loader *loader, const tp_node *item, tp_wrench_def *def)
{
    const tp_node *given = tp_map_get(item, "name");
    size_t bytes = strlen(def->body) + sizeof ".force";
    def->name = given ? given->text : NULL;
    if (given) return TP_OK;
    char *name = TP_ARENA_ARRAY(loader->arena, char, bytes);
    if (!name) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for a force");
    snprintf(name, bytes, "%s.force", def->body);
    def->name = name;
    return TP_OK;
}

static tp_status load_wrench(tp_loader *loader, const tp_node *item)
{
    const tp_node *body = tp_map_get(item, "body"), *point = tp_map_get(item, "point");
    tp_wrench_def def = tp_wrench_def_default();
    TP_TRY(tp_load_body_name(loader, body));
    bool is_planar = tp_load_is_planar(loader, body->text);
    def.body = body->text;
    def.place = item->place;
    def.is_in_body = strcmp(tp_keys_text(item, &tp_force_keys, "frame"), "body") == 0;
    TP_TRY(name_wrench(loader, item, &def));
    TP_TRY(load_components(loader, item, "force", is_planar, def.force));
    TP_TRY(load_components(loader, item, "moment", is_planar, def.moment));
    TP_TRY(tp_load_vector(loader, item, &tp_force_keys, "point", is_planar, &def.point));
    if (!tp_map_get(item, "force") && !tp_map_get(item, "moment")) {
        return tp_node_fail(item, loader->why, "a force on a body needs force, moment, or both");
    }
    if (point && !tp_map_get(item, "force")) {
        return tp_node_fail(point, loader->why, "has no effect without a force; remove it");
    }
    return tp_load_told(loader, tp_model_add_wrench(loader->model, &def, NULL, &loader->told));
}

/* A generalised force: one formula on one coordinate or velocity. */
tp_status tp_load_force(tp_loader *loader, const tp_node *item)
{
    static const char *const of_bodies[] = {"name", "moment", "frame", "point"};
    const tp_node *on = tp_map_get(item, "on"), *body = tp_map_get(item, "body"),
                  *force = tp_map_get(item, "force");
    if (!on == !body) {
        return tp_node_fail(item, loader->why,
                            "a force needs either on: (a coordinate or velocity) or body:");
    }
    if (body) return load_wrench(loader, item);
    for (size_t k = 0; k < sizeof of_bodies / sizeof of_bodies[0]; k++) {
        const tp_node *node = tp_map_get(item, of_bodies[k]);
        if (node) return tp_node_fail(node, loader->why, "goes with body:, not with on:; remove it");
    }
    if (!force)
        return tp_node_fail(item, loader->why, "the key 'force' is missing; add force: with a formula");
    if (force->kind != TP_NODE_SCALAR) {
        return tp_node_fail(force, loader->why, "found a list; a force on a coordinate is one formula");
    }
    return tp_load_told(loader,
                        tp_model_add_force(loader->model, on->text, tp_load_function(force), &loader->told));
}
