/* Where bodies are held, how far they reach, how large a model is at the start. */
#include "drawer.h"

#include "geometry/bounds.h"

#include <math.h>

/* Shortest edge of the box of an inertia, as a part of its longest one. Ten times as much would show a disc
   as a brick; 0 has no normals to be lit by. */
static const double thinnest_edge = 0.02;

int tp_attachment_count(const tp_model *model)
{
    return 2 * (model->joints.count + model->elements.count);
}

static bool joint_attachment(const tp_model_joint *joint, bool is_B, tp_attachment *out)
{
    *out = is_B ? (tp_attachment){joint->body_b, joint->on_B.point}
                : (tp_attachment){joint->body_a, joint->on_A.point};
    return tp_joint_has_point(&joint->joint);
}

static bool force_attachment(const tp_model_force *force, bool is_B, tp_attachment *out)
{
    out->body = is_B ? force->body_b : force->body_a;
    switch (force->element.kind) {
    case TP_FORCE_SPRING:
        out->point = is_B ? force->element.as.spring.point_B : force->element.as.spring.point_A;
        return true;
    case TP_FORCE_BUSHING: {
        const tp_basic_row *row = &force->element.as.bushing.translation[0].row;
        out->point = is_B ? row->point_B : row->point_A;
        return true;
    }
    case TP_FORCE_COORDINATE_SPRING:
    case TP_FORCE_KIND_COUNT: break;
    }
    return false; /* the joint has the points */
}

bool tp_attachment_at(const tp_model *model, int index, tp_attachment *out)
{
    int element = index / 2 - model->joints.count;
    bool is_B = index % 2 == 1;
    if (element < 0) {
        return joint_attachment(TP_LIST_AT(model->joints, tp_model_joint, index / 2), is_B, out);
    }
    return force_attachment(TP_LIST_AT(model->elements, tp_model_force, element), is_B, out);
}

static void reach_out(tp_body_look *looks, int body, double reach)
{
    if (body != TP_GROUND && isfinite(reach)) looks[body].reach = fmax(looks[body].reach, reach);
}

/* The homogeneous box of a mass and principal moments of inertia: J_x = m (b^2 + c^2)/3 for half edges a, b,
   c. No edge is shorter than a part of the longest one, so that a plate has two sides. */
static tp_vec3 box_of_inertia(double mass, tp_vec3 J)
{
    double sum = J.x + J.y + J.z;
    tp_vec3 half = {sqrt(fmax(1.5 * (sum - 2.0 * J.x) / mass, 0.0)),
                    sqrt(fmax(1.5 * (sum - 2.0 * J.y) / mass, 0.0)),
                    sqrt(fmax(1.5 * (sum - 2.0 * J.z) / mass, 0.0))};
    double thin = thinnest_edge * fmax(half.x, fmax(half.y, half.z));
    return tp_vec3_make(fmax(half.x, thin), fmax(half.y, thin), fmax(half.z, thin));
}

/* A light rotor with a large inertia would be larger than all that it drives: its box is at most as large as
   the model. */
static void find_box(const tp_body *body, double model_size, tp_body_look *look)
{
    tp_vec3 moments;
    look->box_turn = tp_quat_identity();
    switch (body->kind) {
    case TP_BODY_PLANAR: { /* a square plate, of which J_z is known */
        double J = body->inertia.cz.z;
        look->box = box_of_inertia(body->mass, tp_vec3_make(0.5 * J, 0.5 * J, J));
        break;
    }
    case TP_BODY_RIGID:
    case TP_BODY_SCALABLE:
    case TP_BODY_AFFINE:
        tp_inertia_principal(body->inertia, &moments, &look->box_turn);
        look->box = box_of_inertia(body->mass, moments);
        break;
    case TP_BODY_POINT:
    case TP_BODY_MOVING: return;
    }
    double diagonal = 2.0 * tp_vec3_norm(look->box);
    if (model_size > 0.0 && diagonal > model_size)
        look->box = tp_vec3_scale(model_size / diagonal, look->box);
}

void tp_body_looks_find(const tp_model *model, tp_body_look *looks_out)
{
    for (int i = 0; i < model->bodies.count; i++) looks_out[i] = (tp_body_look){0};
    for (int i = 0; i < model->shapes.count; i++) {
        const tp_model_shape *shape = TP_LIST_AT(model->shapes, tp_model_shape, i);
        if (shape->body == TP_GROUND) continue;
        looks_out[shape->body].has_shape = true;
        reach_out(looks_out, shape->body,
                  tp_vec3_norm(shape->pose.origin) + tp_solid_bounding_radius(&shape->solid));
    }
    for (int i = 0; i < model->surfaces.count; i++) {
        const tp_model_surface *surface = TP_LIST_AT(model->surfaces, tp_model_surface, i);
        if (surface->body == TP_GROUND) continue;
        looks_out[surface->body].has_shape = true;
        for (int k = 0; k < surface->mesh.vertex_count; k++)
            reach_out(looks_out, surface->body, tp_vec3_norm(surface->mesh.vertices[k]));
    }
    tp_attachment at;
    for (int k = 0; k < tp_attachment_count(model); k++) {
        if (!tp_attachment_at(model, k, &at) || at.body == TP_GROUND) continue;
        looks_out[at.body].attachment_count++;
        reach_out(looks_out, at.body, tp_vec3_norm(at.point));
    }
    double size = tp_model_size_at_start(model);
    for (int i = 0; i < model->bodies.count; i++) {
        if (looks_out[i].has_shape || looks_out[i].reach > 0.0) continue;
        find_box(TP_LIST_AT(model->bodies, tp_body, i), size, &looks_out[i]);
    }
}

/* ---- size ---------------------------------------------------------------------------------------------- */

static void include(tp_bounds *io, tp_vec3 point, double radius)
{
    tp_vec3 half = tp_vec3_make(radius, radius, radius);
    *io = tp_bounds_join(*io, (tp_bounds){tp_vec3_sub(point, half), tp_vec3_add(point, half)});
}

static void include_shapes(const tp_model *model, tp_bounds *io)
{
    for (int i = 0; i < model->shapes.count; i++) {
        const tp_model_shape *shape = TP_LIST_AT(model->shapes, tp_model_shape, i);
        double radius = tp_solid_bounding_radius(&shape->solid);
        if (shape->body == TP_GROUND || !isfinite(radius)) continue;
        tp_frame frame = tp_model_frame_at_start(model, shape->body);
        include(io, tp_frame_point(&frame, shape->pose.origin), radius);
    }
    for (int i = 0; i < model->surfaces.count; i++) {
        const tp_model_surface *surface = TP_LIST_AT(model->surfaces, tp_model_surface, i);
        if (surface->body == TP_GROUND) continue;
        tp_frame frame = tp_model_frame_at_start(model, surface->body);
        for (int k = 0; k < surface->mesh.vertex_count; k++)
            include(io, tp_frame_point(&frame, surface->mesh.vertices[k]), 0.0);
    }
}

double tp_model_size_at_start(const tp_model *model)
{
    tp_bounds all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    include_shapes(model, &all);
    for (int i = 0; i < model->bodies.count; i++) include(&all, tp_model_frame_at_start(model, i).r, 0.0);
    tp_attachment at;
    for (int k = 0; k < tp_attachment_count(model); k++) {
        if (!tp_attachment_at(model, k, &at)) continue;
        tp_frame frame = tp_model_frame_at_start(model, at.body);
        include(&all, tp_frame_point(&frame, at.point), 0.0);
    }
    double size = tp_vec3_norm(tp_vec3_sub(all.upper, all.lower));
    return isfinite(size) ? size : 0.0;
}
