/* Surfaces that are drawn with a body. */
#include "drawer.h"

TP_DEFAULT(tp_surface_def, tp_surface_def_default, .name = "surface", .body = "ground")

/* A copy in the model's memory, seen from the centre of mass. */
static tp_status copy_mesh(tp_model *model, const tp_mesh *mesh, tp_vec3 center, tp_mesh *copy_out)
{
    tp_vec3 *vertices =
        tp_arena_copy(&model->arena, mesh->vertices, (size_t)mesh->vertex_count, sizeof *vertices);
    int *triangles =
        tp_arena_copy(&model->arena, mesh->triangles, 3 * (size_t)mesh->triangle_count, sizeof *triangles);
    if (vertices == NULL || triangles == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < mesh->vertex_count; i++) vertices[i] = tp_vec3_sub(vertices[i], center);
    *copy_out = (tp_mesh){mesh->vertex_count, mesh->triangle_count, vertices, triangles};
    return TP_OK;
}

tp_status tp_model_add_surface(tp_model *model, const tp_surface_def *def, tp_surface_id *id_out,
                               tp_message *why_out)
{
    tp_message why;
    tp_model_surface surface;
    TP_TRY(tp_model_open(model, def, why_out));
    if (def->name == NULL || def->name[0] == '\0')
        return tp_model_refuse(model, def->place, "a surface has no name");
    TP_TRY(tp_model_body_by_name(model, def->body, def->place, &surface.body));
    tp_status status = tp_mesh_check(&def->mesh, model->allocator, &why);
    if (status != TP_OK)
        return tp_fail_at(model->message, status, def->place, "surface '%s': %.800s", def->name, why.text);
    TP_TRY(copy_mesh(model, &def->mesh, tp_model_center_of(model, surface.body), &surface.mesh));
    surface.name = tp_model_copy_text(model, def->name);
    tp_model_surface *item = tp_list_add(&model->arena, &model->surfaces, sizeof *item);
    if (item == NULL || surface.name == NULL) return TP_OUT_OF_MEMORY;
    *item = surface;
    if (id_out != NULL) *id_out = (tp_surface_id){model, model->surfaces.count - 1};
    return TP_OK;
}

TP_MODEL_TEXT(tp_model_surface_name, surfaces, tp_model_surface, name)
