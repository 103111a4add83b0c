/* Vectors, orientations and names of bodies in scenes. */
#include <math.h>
#include <string.h>

#include "io/common/near.h"
#include "io/scene/loader.h"

/* ---- vectors ------------------------------------------------------------------------------------------- */

tp_status tp_load_list_vector(tp_loader *loader, const tp_node *list, const tp_key_table *table,
                              const tp_key *key, bool is_planar, tp_vec3 *vector_out)
{
    double values[3] = {0.0};
    int count = 0;
    if (list->count != 3 && !(is_planar && list->count == 2)) {
        return tp_node_fail(list, loader->why, "found a list of %d; write %s", list->count,
                            is_planar ? "two numbers x, y" : "three numbers x, y, z");
    }
    for (const tp_node *item = list->first; item; item = item->next) {
        TP_TRY(tp_load_value(loader, item, table, key, &values[count++]));
    }
    *vector_out = tp_vec3_make(values[0], values[1], values[2]);
    return TP_OK;
}

tp_status tp_load_vector(tp_loader *loader, const tp_node *map, const tp_key_table *table, const char *name,
                         bool is_planar, tp_vec3 *vector_out)
{
    const tp_node *node = tp_map_get(map, name);
    if (node) {
        return tp_load_list_vector(loader, node, table, tp_keys_find(table, map, name), is_planar,
                                   vector_out);
    }
    double values[3] = {0.0};
    (void)tp_keys_numbers(map, table, name, 3, values);
    *vector_out = tp_vec3_make(values[0], values[1], values[2]);
    return TP_OK;
}

tp_status tp_load_two_points(tp_loader *loader, const tp_node *map, const tp_key_table *table, bool is_planar,
                             tp_vec3 *a_out, tp_vec3 *b_out)
{
    const tp_node *points = tp_map_get(map, "points");
    const tp_key *key = tp_keys_find(table, map, "points");
    *a_out = *b_out = tp_vec3_zero();
    if (!points) return TP_OK;
    if (points->count != 2) {
        return tp_node_fail(points, loader->why, "found %d points; write two, one on each body",
                            points->count);
    }
    TP_TRY(tp_load_list_vector(loader, points->first, table, key, is_planar, a_out));
    return tp_load_list_vector(loader, points->last, table, key, is_planar, b_out);
}

/* ---- orientations -------------------------------------------------------------------------------------- */

/* Neither zero nor too long to compute with. */
static bool has_direction(double length)
{
    return length > 0.0 && isfinite(length);
}

static tp_status load_quaternion(tp_loader *loader, const tp_node *list, const tp_key_table *table,
                                 const tp_key *key, tp_quat *quat_out)
{
    double p[4] = {0.0};
    int count = 0;
    for (const tp_node *item = list->first; item; item = item->next) {
        TP_TRY(tp_load_value(loader, item, table, key, &p[count++]));
    }
    tp_quat quat = tp_quat_make(p[0], p[1], p[2], p[3]);
    if (!has_direction(tp_quat_norm(quat))) {
        return tp_node_fail(list, loader->why, "a quaternion of length %g is no rotation; write [1, 0, 0, 0]",
                            tp_quat_norm(quat));
    }
    *quat_out = tp_quat_normalise(quat);
    return TP_OK;
}

/* [[x, 0.1], [z, 0.2]]: each about an axis of the frame that the turns before it have made. */
static tp_status load_rotations(tp_loader *loader, const tp_node *rows, tp_quat *quat_out)
{
    static const char *const names[] = {"x", "y", "z"};
    static const tp_vec3 axes[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const tp_key *key = tp_keys_find(&tp_orientation_keys, NULL, "rotations");
    *quat_out = tp_quat_identity();
    for (const tp_node *row = rows->first; row; row = row->next) {
        int k = 0;
        double angle;
        while (k < 3 && strcmp(row->first->text, names[k]) != 0) k++;
        if (k == 3) {
            return tp_node_fail(row->first, loader->why, "'%s' is no axis; write x, y or z, as in [x, 0.1]",
                                tp_excerpt_of(row->first->text).text);
        }
        TP_TRY(tp_load_value(loader, row->last, &tp_orientation_keys, key, &angle));
        *quat_out = tp_quat_normalise(tp_quat_multiply(*quat_out, tp_quat_from_axis_angle(axes[k], angle)));
    }
    return TP_OK;
}

static tp_status load_axis_angle(tp_loader *loader, const tp_node *map, tp_quat *quat_out)
{
    const tp_key_table *keys = &tp_orientation_keys;
    tp_vec3 axis;
    double angle;
    TP_TRY(tp_load_vector(loader, map, keys, "axis", false, &axis));
    TP_TRY(tp_load_number(loader, map, keys, "angle", &angle));
    if (!has_direction(tp_vec3_norm(axis))) {
        return tp_node_fail(tp_map_get(map, "axis"), loader->why,
                            "an axis of length %g has no direction; write one like [0, 0, 1]",
                            tp_vec3_norm(axis));
    }
    *quat_out = tp_quat_from_axis_angle(axis, angle);
    return TP_OK;
}

tp_status tp_load_orientation(tp_loader *loader, const tp_node *map, const tp_key_table *table,
                              const char *name, tp_quat *quat_out)
{
    const tp_node *node = tp_map_get(map, name);
    *quat_out = tp_quat_identity();
    if (!node) return TP_OK;
    if (node->kind == TP_NODE_LIST) {
        return load_quaternion(loader, node, table, tp_keys_find(table, map, name), quat_out);
    }
    const tp_node *rotations = tp_map_get(node, "rotations");
    bool has_axis = tp_map_get(node, "axis") != NULL, has_angle = tp_map_get(node, "angle") != NULL;
    if (rotations && !has_axis && !has_angle) return load_rotations(loader, rotations, quat_out);
    if (!rotations && has_axis && has_angle) return load_axis_angle(loader, node, quat_out);
    return tp_node_fail(node, loader->why,
                        "write {axis: [x, y, z], angle: a}, or {rotations: [[x, a], [z, b]]}");
}

/* ---- bodies by name ------------------------------------------------------------------------------------ */

tp_status tp_load_body_name(tp_loader *loader, const tp_node *node)
{
    const tp_model *model = loader->model;
    if (tp_model_find_body(model, node->text) > -2) return TP_OK;
    tp_near near = tp_near_begin(node->text);
    tp_near_offer(&near, "ground");
    for (int k = 0; k < tp_model_body_count(model); k++) tp_near_offer(&near, tp_model_body_name(model, k));
    return tp_node_fail(node, loader->why, "there is no body '%s'%s", tp_excerpt_of(node->text).text,
                        near.best ? tp_near_hint_of(&near).text : "; name one of `bodies`, or ground");
}

tp_status tp_load_two_bodies(tp_loader *loader, const tp_node *item, const char **a_out, const char **b_out,
                             bool *is_planar_out)
{
    const tp_node *pair = tp_map_get(item, "bodies"), *a = pair->first, *b = pair->last;
    TP_TRY(tp_load_body_name(loader, a));
    TP_TRY(tp_load_body_name(loader, b));
    if (strcmp(a->text, b->text) == 0) {
        return tp_node_fail(b, loader->why, "'%s' is named twice; write two different bodies",
                            tp_excerpt_of(b->text).text);
    }
    *a_out = a->text;
    *b_out = b->text;
    *is_planar_out = tp_load_is_planar(loader, a->text) || tp_load_is_planar(loader, b->text);
    return TP_OK;
}

bool tp_load_is_planar(const tp_loader *loader, const char *body)
{
    int index = tp_model_find_body(loader->model, body);
    return index >= 0 && tp_model_body_kind(loader->model, index) == TP_BODY_PLANAR;
}
