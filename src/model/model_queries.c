/* What a model was built of: bodies, joints, shapes. */
#include "lists.h"

#include <string.h>

static const tp_body_info infos[] = {
    [TP_BODY_RIGID] = {"rigid", "moves and turns in space: position and unit quaternion", 7, 6},
    [TP_BODY_PLANAR] = {"planar", "moves and turns in the plane z = 0", 3, 3},
    [TP_BODY_POINT] = {"point", "moves in space and does not turn", 3, 3},
    [TP_BODY_MOVING] = {"moving", "its motion is given as functions of time", 0, 0},
    [TP_BODY_SCALABLE] = {"scalable", "moves, turns and changes its size: a quaternion of any length", 7, 7},
};

const tp_body_info *tp_body_kind_info(tp_body_kind kind)
{
    return (unsigned)kind < TP_BODY_KIND_COUNT ? &infos[kind] : NULL;
}

tp_body_kind tp_model_body_kind(const tp_model *model, int body)
{
    bool is_there = TP_MODEL_HAS(model, bodies, body);
    return is_there ? TP_LIST_AT(model->bodies, tp_body, body)->kind : TP_BODY_MOVING;
}

TP_MODEL_COUNT(tp_model_joint_count, joints)

TP_MODEL_TEXT(tp_model_joint_name, joints, tp_model_joint, name)

tp_joint_kind tp_model_joint_kind(const tp_model *model, int joint)
{
    if (!TP_MODEL_HAS(model, joints, joint)) return TP_JOINT_KIND_COUNT;
    return TP_LIST_AT(model->joints, tp_model_joint, joint)->joint.kind;
}

bool tp_model_joint_bodies(const tp_model *model, int joint, int bodies_out[2])
{
    if (!TP_MODEL_HAS(model, joints, joint) || bodies_out == NULL) return false;
    const tp_model_joint *item = TP_LIST_AT(model->joints, tp_model_joint, joint);
    bodies_out[0] = item->body_a;
    bodies_out[1] = item->body_b;
    return true;
}

TP_MODEL_COUNT(tp_model_shape_count, shapes)

tp_shape_def tp_model_shape_at(const tp_model *model, int shape)
{
    tp_shape_def def = tp_shape_def_default();
    def.name = NULL;
    if (!TP_MODEL_HAS(model, shapes, shape)) return def;
    const tp_model_shape *item = TP_LIST_AT(model->shapes, tp_model_shape, shape);
    def = (tp_shape_def){.name = item->name,
                         .body = tp_model_body_name(model, item->body),
                         .solid = item->solid,
                         .pose = item->pose,
                         .is_passive = item->is_passive};
    def.pose.origin = tp_vec3_add(item->pose.origin, tp_model_center_of(model, item->body));
    return def;
}

int tp_model_velocity_law_count(const tp_model *model)
{
    int count = 0;
    for (int i = 0; model != NULL && i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        count += law->level == TP_LEVEL_VELOCITY && law->set.kind != TP_SET_FREE;
    }
    return count;
}

/* ---- ids by name ---- */

/* Number of a name in an index of names; negative: there is none. */
static int find(const tp_name_index *names, const char *name)
{
    return names != NULL && name != NULL ? tp_name_index_find(names, name) : -1;
}

#define NAMED(function, id, names)                                                                           \
    id function(const tp_model *model, const char *name)                                                     \
    {                                                                                                        \
        int i = find(model != NULL ? &model->names : NULL, name);                                            \
        return i >= 0 ? (id){model, i} : (id){0};                                                            \
    }

tp_body_id tp_model_body_named(const tp_model *model, const char *name)
{
    int i = tp_model_find_body(model, name);
    return i >= TP_GROUND ? (tp_body_id){model, i} : (tp_body_id){0};
}

NAMED(tp_model_joint_named, tp_joint_id, joint_names)

NAMED(tp_model_shape_named, tp_shape_id, shape_names)

NAMED(tp_model_law_named, tp_law_id, law_names)

NAMED(tp_model_sensor_named, tp_sensor_id, sensor_names)

tp_pair_id tp_model_pair_named(const tp_model *model, const char *name)
{
    for (int i = 0; model != NULL && name != NULL && i < model->rules.count; i++) {
        if (strcmp(TP_LIST_AT(model->rules, tp_contact_rule, i)->name, name) == 0)
            return (tp_pair_id){model, i};
    }
    return (tp_pair_id){0};
}

TP_MODEL_TEXT(tp_model_rule_name, rules, tp_contact_rule, name)

tp_force_id tp_model_force_named(const tp_model *model, const char *name)
{
    int i = find(model != NULL ? &model->force_names : NULL, name);
    if (i >= 0) return (tp_force_id){model, i};
    for (int k = 0; i == TP_NAME_TAKEN && k < model->wrenches.count; k++) {
        if (strcmp(TP_LIST_AT(model->wrenches, tp_model_wrench, k)->name, name) == 0)
            return (tp_force_id){model, -1 - k};
    }
    return (tp_force_id){0};
}
