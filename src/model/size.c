/* The size of a scene, to which tolerances of lengths are relative; docs/theory/simulation.md (1). */
#include "lists.h"
#include "tolerances.h"

#include <math.h>

/* What is found on the way. */
typedef struct size_search {
    const tp_model *model;
    tp_vec3 centre;          /* mean of the bodies: sizes about it do not depend on where the origin is */
    double radius, distance; /* farthest point so far, from the centre and from the origin               */
} size_search;

static void note_distance(size_search *search, double from_centre, double from_origin)
{
    search->radius = fmax(search->radius, from_centre);
    search->distance = fmax(search->distance, from_origin);
}

/* A ball that a body carries, about a point given in the body. */
static void note_ball(size_search *search, int body, tp_vec3 point, double radius)
{
    tp_frame frame = tp_model_frame_at_start(search->model, body);
    tp_vec3 at = tp_frame_point(&frame, point);
    note_distance(search, tp_vec3_norm(tp_vec3_sub(at, search->centre)) + radius, tp_vec3_norm(at) + radius);
}

/* Half-spaces and pipes do not end: of a half-space the distance of its plane counts, of a pipe its radius.
 */
static void note_shape(size_search *search, const tp_model_shape *shape)
{
    tp_frame frame = tp_model_frame_at_start(search->model, shape->body);
    tp_vec3 at = tp_frame_point(&frame, shape->pose.origin);
    switch (shape->solid.kind) {
    case TP_SOLID_PLANE: {
        tp_vec3 up = tp_quat_rotate(shape->pose.orientation, tp_vec3_make(0.0, 0.0, 1.0)),
                normal = tp_vec3_sub(tp_frame_point(&frame, up), frame.r);
        note_distance(search, fabs(tp_vec3_dot(normal, tp_vec3_sub(at, search->centre))),
                      fabs(tp_vec3_dot(normal, at)));
        break;
    }
    case TP_SOLID_INSIDE_CYLINDER:
    case TP_SOLID_INSIDE_SPHERE:
        note_ball(search, shape->body, shape->pose.origin, shape->solid.radius);
        break;
    default:
        note_ball(search, shape->body, shape->pose.origin, tp_solid_bounding_radius(&shape->solid));
        break;
    }
}

static void note_force(size_search *search, const tp_model_force *force)
{
    const tp_force_element *element = &force->element;
    tp_vec3 on_A = {0.0, 0.0, 0.0}, on_B = on_A;
    if (element->kind == TP_FORCE_SPRING) {
        on_A = element->as.spring.point_A;
        on_B = element->as.spring.point_B;
    } else if (element->kind == TP_FORCE_BUSHING) {
        on_A = element->as.bushing.translation[0].row.point_A;
        on_B = element->as.bushing.translation[0].row.point_B;
    } else {
        return; /* no points: torsion springs and the like */
    }
    note_ball(search, force->body_a, on_A, 0.0);
    note_ball(search, force->body_b, on_B, 0.0);
}

static tp_vec3 find_centre(const tp_model *model)
{
    tp_vec3 sum = {0.0, 0.0, 0.0};
    int count = model->bodies.count;
    for (int b = 0; b < count; b++)
        sum = tp_vec3_add_scaled(sum, 1.0 / count, tp_model_frame_at_start(model, b).r);
    return sum;
}

double tp_model_size(const tp_model *model)
{
    const double of_formulas = 1.0; /* [m] formulas have no sizes */
    const tp_vec3 origin = {0.0, 0.0, 0.0};
    size_search search = {.model = model, .centre = find_centre(model)};
    for (int b = 0; b < model->bodies.count; b++) note_ball(&search, b, origin, 0.0);
    for (int i = 0; i < model->shapes.count; i++)
        note_shape(&search, TP_LIST_AT(model->shapes, tp_model_shape, i));
    for (int i = 0; i < model->joints.count; i++) {
        const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, i);
        note_ball(&search, joint->body_a, joint->on_A.point, 0.0);
        note_ball(&search, joint->body_b, joint->on_B.point, 0.0);
    }
    for (int i = 0; i < model->elements.count; i++)
        note_force(&search, TP_LIST_AT(model->elements, tp_model_force, i));
    for (int i = 0; i < model->wrenches.count; i++) {
        const tp_model_wrench *wrench = TP_LIST_AT(model->wrenches, tp_model_wrench, i);
        note_ball(&search, wrench->body, wrench->point, 0.0);
    }
    double size = fmax(search.radius, search.distance / tp_far_away);
    return size > 0.0 ? size : of_formulas;
}
