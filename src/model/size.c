/* The size of a scene, to which tolerances of lengths are relative; docs/theory/simulation.md (1). */
#include "model.h"

#include <math.h>

/* How far a solid reaches from the origin of what carries it. Half-spaces and pipes do not end: of a
   half-space the distance of its plane counts, of a pipe its radius. */
static double reach_of_shape(const tp_model_shape *shape)
{
    tp_vec3 origin = shape->pose.origin;
    switch (shape->solid.kind) {
    case TP_SOLID_PLANE: {
        tp_vec3 normal = tp_quat_rotate(shape->pose.orientation, tp_vec3_make(0.0, 0.0, 1.0));
        return fabs(tp_vec3_dot(normal, origin));
    }
    case TP_SOLID_INSIDE_CYLINDER:
    case TP_SOLID_INSIDE_SPHERE: return tp_vec3_norm(origin) + shape->solid.radius;
    default: return tp_vec3_norm(origin) + tp_solid_bounding_radius(&shape->solid);
    }
}

/* The farthest point so far of what a body carries, and of the whole scene. */
static void note_reach(const tp_model *model, int body, double reach, double *size)
{
    tp_vec3 position = tp_model_frame_at_start(model, body).r;
    *size = fmax(*size, tp_vec3_norm(position) + reach);
}

static void note_force(const tp_model *model, const tp_model_force *force, double *size)
{
    const tp_force_element *element = &force->element;
    tp_vec3 on_A = {0.0, 0.0, 0.0}, on_B = on_A;
    if (element->kind == TP_FORCE_SPRING) {
        on_A = element->as.spring.point_A;
        on_B = element->as.spring.point_B;
    } else if (element->kind == TP_FORCE_BUSHING) {
        on_A = element->as.bushing.translation[0].row.point_A;
        on_B = element->as.bushing.translation[0].row.point_B;
    }
    note_reach(model, force->body_a, tp_vec3_norm(on_A), size);
    note_reach(model, force->body_b, tp_vec3_norm(on_B), size);
}

double tp_model_size(const tp_model *model)
{
    const double of_formulas = 1.0; /* [m] formulas have no sizes */
    double size = 0.0;
    for (int b = 0; b < model->bodies.count; b++) note_reach(model, b, 0.0, &size);
    for (int i = 0; i < model->shapes.count; i++) {
        const tp_model_shape *shape = TP_LIST_AT(model->shapes, tp_model_shape, i);
        note_reach(model, shape->body, reach_of_shape(shape), &size);
    }
    for (int i = 0; i < model->joints.count; i++) {
        const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, i);
        note_reach(model, joint->body_a, tp_vec3_norm(joint->on_A.point), &size);
        note_reach(model, joint->body_b, tp_vec3_norm(joint->on_B.point), &size);
    }
    for (int i = 0; i < model->elements.count; i++)
        note_force(model, TP_LIST_AT(model->elements, tp_model_force, i), &size);
    for (int i = 0; i < model->wrenches.count; i++) {
        const tp_model_wrench *wrench = TP_LIST_AT(model->wrenches, tp_model_wrench, i);
        note_reach(model, wrench->body, tp_vec3_norm(wrench->point), &size);
    }
    return size > 0.0 ? size : of_formulas;
}
