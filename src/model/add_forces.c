/* Force elements of a model: springs, bushings, wrenches. */
#include "lists.h"

#include <math.h>

static tp_status keep(tp_model *model, tp_model_force *force, const char *name, tp_force_id *id_out)
{
    force->name = tp_model_copy_text(model, name);
    TP_TRY(TP_LIST_KEEP(model, elements, *force));
    TP_TRY(tp_name_index_add(&model->arena, &model->force_names, force->name, model->elements.count - 1));
    if (id_out != NULL) *id_out = (tp_force_id){model, model->elements.count - 1};
    return TP_OK;
}

static tp_status find_bodies(tp_model *model, const char *name, const char *a, const char *b, tp_place place,
                             tp_model_force *force)
{
    TP_TRY(tp_model_check_name(model, &model->force_names, "force", name, place));
    TP_TRY(tp_model_body_by_name(model, a, place, &force->body_a));
    TP_TRY(tp_model_body_by_name(model, b, place, &force->body_b));
    force->joint = -1;
    if (force->body_a == force->body_b)
        return tp_model_refuse(model, place, "'%s' connects '%s' with itself", name, a);
    return TP_OK;
}

tp_status tp_model_add_spring(tp_model *model, const char *body_a, const char *body_b,
                              const tp_spring_def *def, tp_force_id *id_out, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    tp_model_force force = {0};
    tp_spring_def relative = *def;
    TP_TRY(find_bodies(model, def->name, body_a, body_b, def->place, &force));
    relative.point_A = tp_vec3_sub(def->point_A, tp_model_center_of(model, force.body_a));
    relative.point_B = tp_vec3_sub(def->point_B, tp_model_center_of(model, force.body_b));
    if (def->is_rest_as_placed) {
        tp_frame A = tp_model_frame_at_start(model, force.body_a),
                 B = tp_model_frame_at_start(model, force.body_b);
        relative.rest_length = tp_vec3_norm(
            tp_vec3_sub(tp_frame_point(&B, relative.point_B), tp_frame_point(&A, relative.point_A)));
    }
    TP_TRY(tp_force_make_spring(&relative, &force.element, model->message));
    return keep(model, &force, def->name, id_out);
}

tp_status tp_model_add_bushing(tp_model *model, const char *body_a, const char *body_b,
                               const tp_bushing_def *def, tp_force_id *id_out, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    tp_model_force force = {0};
    tp_bushing_def relative = *def;
    TP_TRY(find_bodies(model, def->name, body_a, body_b, def->place, &force));
    relative.point_A = tp_vec3_sub(def->point_A, tp_model_center_of(model, force.body_a));
    relative.point_B = tp_vec3_sub(def->point_B, tp_model_center_of(model, force.body_b));
    TP_TRY(tp_force_make_bushing(&relative, &force.element, model->message));
    return keep(model, &force, def->name, id_out);
}

tp_status tp_model_add_coordinate_spring(tp_model *model, tp_joint_coordinate on,
                                         const tp_coordinate_spring_def *def, tp_force_id *id_out,
                                         tp_message *why_out)
{
    tp_model_force force = {0};
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_name(model, &model->force_names, "force", def->name, def->place));
    TP_TRY(
        tp_model_find_joint_coordinate(model, &on, def->name, def->place, &force.joint, &force.coordinate));
    const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, force.joint);
    force.body_a = joint->body_a;
    force.body_b = joint->body_b;
    TP_TRY(tp_force_make_coordinate_spring(def, &joint->joint.coordinate[force.coordinate], &force.element,
                                           model->message));
    return keep(model, &force, def->name, id_out);
}

TP_DEFAULT(tp_wrench_def, tp_wrench_def_default, .name = "force", .body = "ground")

tp_status tp_model_add_wrench(tp_model *model, const tp_wrench_def *def, tp_force_id *id_out,
                              tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    tp_model_wrench wrench = {.is_in_body = def->is_in_body};
    TP_TRY(tp_model_check_name(model, &model->force_names, "force", def->name, def->place));
    TP_TRY(tp_model_body_by_name(model, def->body, def->place, &wrench.body));
    if (wrench.body == TP_GROUND || TP_LIST_AT(model->bodies, tp_body, wrench.body)->u_count == 0)
        return tp_model_refuse(model, def->place, "force '%s' acts on '%s', which does not move freely",
                               def->name, def->body);
    if (!isfinite(def->point.x) || !isfinite(def->point.y) || !isfinite(def->point.z))
        return tp_model_refuse(model, def->place, "force '%s': the point is not finite", def->name);
    wrench.point = tp_vec3_sub(def->point, tp_model_center_of(model, wrench.body));
    for (int k = 0; k < 6; k++) {
        const tp_function *function = k < 3 ? &def->force[k] : &def->moment[k - 3];
        tp_function zero = TP_FORMULA("0");
        bool is_given = tp_function_is_given(function);
        if (k < 3)
            wrench.has_force |= is_given;
        else
            wrench.has_moment |= is_given;
        TP_TRY(tp_model_compile(model, is_given ? function : &zero, "a force on a body",
                                k < 3 ? &wrench.force[k] : &wrench.moment[k - 3]));
    }
    if (!wrench.has_force && !wrench.has_moment)
        return tp_model_refuse(model, def->place, "force '%s' has neither a force nor a moment", def->name);
    wrench.name = tp_model_copy_text(model, def->name);
    if (wrench.name == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(TP_LIST_KEEP(model, wrenches, wrench));
    TP_TRY(tp_name_index_add(&model->arena, &model->force_names, wrench.name, TP_NAME_TAKEN));
    if (id_out != NULL) *id_out = (tp_force_id){model, -model->wrenches.count};
    return TP_OK;
}
