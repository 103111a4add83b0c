/* Shapes of bodies. */
#include "lists.h"

TP_DEFAULT(tp_shape_def, tp_shape_def_default, .name = "shape", .body = "ground", .pose = tp_pose_identity())

static int find_shape(const tp_model *model, const char *name)
{
    return tp_name_index_find(&model->shape_names, name);
}

/* The data of a hull or surface moves into the memory of the model. */
static tp_status copy_solid(tp_model *model, tp_solid *solid)
{
    bool is_hull = solid->kind == TP_SOLID_HULL;
    if (!is_hull && solid->surface == NULL) return TP_OK;
    size_t bytes = is_hull ? tp_hull_bytes(solid->hull) : tp_surface_bytes(solid->surface);
    void *memory = tp_arena_take(&model->arena, bytes, 1);
    if (memory == NULL) return TP_OUT_OF_MEMORY;
    if (is_hull)
        solid->hull = tp_hull_copy(solid->hull, memory);
    else
        solid->surface = tp_surface_copy(solid->surface, memory);
    return TP_OK;
}

tp_status tp_model_add_shape(tp_model *model, const tp_shape_def *def, tp_shape_id *id_out,
                             tp_message *why_out)
{
    tp_message why;
    int body;
    TP_TRY(tp_model_open(model, def, why_out));
    if (def->name == NULL || def->name[0] == '\0')
        return tp_model_refuse(model, def->place, "a shape has no name");
    if (find_shape(model, def->name) >= 0)
        return tp_model_refuse(model, def->place, "there are two shapes named '%s'", def->name);
    TP_TRY(tp_model_body_by_name(model, def->body, def->place, &body));
    if (body != TP_GROUND && TP_LIST_AT(model->bodies, tp_body, body)->kind == TP_BODY_SCALABLE)
        return tp_model_refuse(
            model, def->place,
            "shape '%s': shapes do not change their size, and body '%s' does; write its contacts "
            "as gaps over its coordinates",
            def->name, def->body);
    if (tp_solid_check(&def->solid, &why) != TP_OK || tp_pose_check(&def->pose, &why) != TP_OK)
        return tp_model_refuse(model, def->place, "shape '%s': %.800s", def->name, why.text);
    tp_model_shape *shape = tp_list_add(&model->arena, &model->shapes, sizeof *shape);
    if (shape == NULL) return TP_OUT_OF_MEMORY;
    *shape = (tp_model_shape){.name = tp_model_copy_text(model, def->name),
                              .body = body,
                              .solid = def->solid,
                              .pose = def->pose,
                              .is_passive = def->is_passive};
    TP_TRY(copy_solid(model, &shape->solid));
    shape->pose.origin = tp_vec3_sub(def->pose.origin, tp_model_center_of(model, body));
    TP_TRY(tp_name_index_add(&model->arena, &model->shape_names, shape->name, model->shapes.count - 1));
    if (id_out != NULL) *id_out = (tp_shape_id){model, model->shapes.count - 1};
    return TP_OK;
}
