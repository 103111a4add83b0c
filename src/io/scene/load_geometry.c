/* Vectors, orientations, inertia, and bodies by name. */
#include <math.h>
#include <string.h>

#include "io/common/near.h"
#include "io/scene/loader.h"
#include "io/scene/rows.h"

/* ---- vectors ------------------------------------------------------------------------------------------- */

tp_status tp_load_vector(tp_loader *loader, const tp_node *list, const tp_key *key, tp_vec3 *vector_out)
{
    double values[3] = {0.0};
    int count = 0;
    bool is_planar = loader->is_planar || key->count == 2;
    if (list->count != 3 && !(is_planar && list->count == 2)) {
        return tp_node_fail(list, loader->why, "found a list of %d; write %s", list->count,
                            is_planar ? "two numbers x, y" : "three numbers x, y, z");
    }
    for (const tp_node *item = list->first; item; item = item->next) {
        TP_TRY(tp_load_value(loader, item, key, &values[count++]));
    }
    *vector_out = tp_vec3_make(values[0], values[1], values[2]);
    return TP_OK;
}

tp_status tp_load_two_points(tp_loader *loader, const tp_node *points, void *into)
{
    static const tp_key point = {.unit = "m"};
    tp_vec3 *points_out = into;
    if (points->count != 2) {
        return tp_node_fail(points, loader->why, "found %d points; write two, one on each body",
                            points->count);
    }
    TP_TRY(tp_load_vector(loader, points->first, &point, &points_out[0]));
    return tp_load_vector(loader, points->last, &point, &points_out[1]);
}

tp_status tp_load_inertia(tp_loader *loader, const tp_node *node, const tp_key *key, tp_mat3 *inertia_out)
{
    tp_vec3 row[3];
    if (node->first->kind != TP_NODE_LIST) {
        TP_TRY(tp_load_vector(loader, node, key, &row[0]));
        *inertia_out = tp_mat3_diagonal(row[0]);
        return TP_OK;
    }
    if (node->count != 3) {
        return tp_node_fail(node, loader->why, "found %d rows; write three rows of three", node->count);
    }
    int k = 0;
    for (const tp_node *list = node->first; list; list = list->next) {
        TP_TRY(tp_load_vector(loader, list, key->or_else, &row[k++]));
    }
    *inertia_out = tp_mat3_transpose(tp_mat3_from_columns(row[0], row[1], row[2]));
    return TP_OK;
}

/* ---- orientations -------------------------------------------------------------------------------------- */

typedef struct orientation {
    tp_vec3 axis, z;
    double angle;
    const tp_node *rotations;
} orientation;

static const tp_key orientation_keys[] = {
    ROW_VECTOR("axis", TP_INTO(orientation, axis), 3, NULL, NULL,
               "direction to turn about, of any length; with `angle`"),
    ROW_NUMBER("angle", TP_INTO(orientation, angle), "rad", NULL, "about `axis`, right-handed"),
    ROW_NUMBER(
        "rotations", TP_INTO(orientation, rotations), "rad", NULL,
        "instead: turns one after the other, each about an axis of the frame as it then is: `[[x, 0.1], "
        "[z, pi/2]]`",
        .form = TP_FORM_ROWS, .count = 2),
    ROW_VECTOR(
        "z", TP_INTO(orientation, z), 3, NULL, NULL,
        "instead: direction of its z axis, of any length, by the shortest turn: the normal of a plane, "
        "the axis of a cylinder or capsule"),
};
const tp_key_table tp_orientation_keys = TABLE("orientation", orientation_keys,
                                               "How a frame is turned against the one around it: axis and "
                                               "angle, turns one after the other, or the direction "
                                               "of its z axis.",
                                               .size = sizeof(orientation));

const tp_key tp_orientation_map = {
    .name = "orientation", .kind = TP_VALUE_MAP, .table = &tp_orientation_keys, .text = "map"};

/* Neither zero nor too long to compute with. */
static bool has_direction(double length)
{
    return length > 0.0 && isfinite(length);
}

static tp_status load_quaternion(tp_loader *loader, const tp_node *list, const tp_key *key, tp_quat *quat_out)
{
    double p[4] = {0.0};
    int count = 0;
    for (const tp_node *item = list->first; item; item = item->next) {
        TP_TRY(tp_load_value(loader, item, key, &p[count++]));
    }
    tp_quat quat = tp_quat_make(p[0], p[1], p[2], p[3]);
    if (!has_direction(tp_quat_norm(quat))) {
        return tp_node_fail(list, loader->why,
                            "a quaternion of length %g is not a rotation; write [1, 0, 0, 0]",
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
    static const tp_key turn = {.unit = "rad"};
    *quat_out = tp_quat_identity();
    for (const tp_node *row = rows->first; row; row = row->next) {
        int k = 0;
        double angle;
        while (k < 3 && strcmp(row->first->text, names[k]) != 0) k++;
        if (k == 3) {
            return tp_node_fail(row->first, loader->why,
                                "'%s' is not an axis; write x, y or z, as in [x, 0.1]",
                                tp_excerpt_of(row->first->text).text);
        }
        TP_TRY(tp_load_value(loader, row->last, &turn, &angle));
        *quat_out = tp_quat_normalise(tp_quat_multiply(*quat_out, tp_quat_from_axis_angle(axes[k], angle)));
    }
    return TP_OK;
}

static tp_status check_direction(tp_loader *loader, const tp_node *node, tp_vec3 direction)
{
    double length = tp_vec3_norm(direction);
    if (has_direction(length)) return TP_OK;
    return tp_node_fail(node, loader->why, "an axis of length %g has no direction; write one like [0, 0, 1]",
                        length);
}

/* The shortest turn of (0, 0, 1) to a direction; to the opposite one about x. */
static tp_quat turn_of_z(tp_vec3 direction)
{
    double aside = hypot(direction.x, direction.y);
    tp_vec3 axis = aside > 0.0 ? (tp_vec3){-direction.y, direction.x, 0.0} : (tp_vec3){1.0, 0.0, 0.0};
    return tp_quat_from_axis_angle(axis, atan2(aside, direction.z));
}

tp_status tp_load_rotation(tp_loader *loader, const tp_node *node, const tp_key *key, tp_quat *quat_out)
{
    if (node->kind == TP_NODE_LIST) return load_quaternion(loader, node, key, quat_out);
    const tp_node *axis = tp_map_get(node, "axis"), *angle = tp_map_get(node, "angle"),
                  *z = tp_map_get(node, "z");
    orientation turned = {.rotations = NULL};
    TP_TRY(tp_load_map(loader, node, &tp_orientation_keys, &turned));
    int ways = (axis || angle) + (turned.rotations != NULL) + (z != NULL);
    if (ways != 1 || !axis != !angle) {
        return tp_node_fail(
            node, loader->why,
            "write {axis: [x, y, z], angle: a}, or {rotations: [[x, a], [z, b]]}, or {z: [x, y, z]}");
    }
    if (turned.rotations) return load_rotations(loader, turned.rotations, quat_out);
    TP_TRY(check_direction(loader, z ? z : axis, z ? turned.z : turned.axis));
    *quat_out = z ? turn_of_z(turned.z) : tp_quat_from_axis_angle(turned.axis, turned.angle);
    return TP_OK;
}

/* ---- bodies by name ------------------------------------------------------------------------------------ */

tp_status tp_load_unknown(tp_loader *loader, const tp_node *node, const char *what,
                          const char *(*name_at)(const tp_model *model, int k), const char *also,
                          const char *otherwise)
{
    const char *name;
    tp_near near = tp_near_begin(node->text);
    if (also) tp_near_offer(&near, also);
    for (int k = 0; (name = name_at(loader->model, k)); k++) tp_near_offer(&near, name);
    return tp_node_fail(node, loader->why, "there is no %s '%s'%s", what, tp_excerpt_of(node->text).text,
                        near.best ? tp_near_hint_of(&near).text : otherwise);
}

static tp_status check_body(tp_loader *loader, const tp_node *node, bool *is_planar_out)
{
    const tp_model *model = loader->model;
    int index = tp_model_find_body(model, node->text);
    *is_planar_out = index >= 0 && tp_model_body_kind(model, index) == TP_BODY_PLANAR;
    if (index > -2) return TP_OK;
    return tp_load_unknown(loader, node, "body", tp_model_body_name, "ground",
                           "; name one of `bodies`, or ground");
}

tp_status tp_load_body_name(tp_loader *loader, const tp_node *node, void *into)
{
    *(const char **)into = node->text;
    return check_body(loader, node, &loader->is_planar);
}

tp_status tp_load_two_bodies(tp_loader *loader, const tp_node *pair, void *into)
{
    const tp_node *a = pair->first, *b = pair->last;
    const char **names_out = into;
    bool is_planar;
    TP_TRY(check_body(loader, a, &is_planar));
    TP_TRY(check_body(loader, b, &loader->is_planar));
    loader->is_planar |= is_planar;
    if (strcmp(a->text, b->text) == 0) {
        return tp_node_fail(b, loader->why, "'%s' is named twice; write two different bodies",
                            tp_excerpt_of(b->text).text);
    }
    names_out[0] = a->text;
    names_out[1] = b->text;
    return TP_OK;
}
