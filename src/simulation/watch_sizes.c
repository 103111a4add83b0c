/* Sizes of joints and contacts, against which their errors are measured. They depend neither on the place nor
   on the directions of the world. */
#include "simulation/inside.h"

#include <math.h>

/* The smaller of two sizes, where 0 is none. */
static double smaller(double a, double b)
{
    if (a > 0.0 && b > 0.0) return fmin(a, b);
    return fmax(a, b);
}

/* Radius of gyration, or the distance of a point from the centre of mass if that is larger; 0 for the ground
   and for bodies whose motion is given. */
static double body_size(const tp_model *model, int index, tp_vec3 point)
{
    if (index == TP_GROUND) return 0.0;
    const tp_body *body = TP_LIST_AT(model->bodies, tp_body, index);
    if (!(body->mass > 0.0)) return 0.0;
    double trace = body->inertia.cx.x + body->inertia.cy.y + body->inertia.cz.z;
    return fmax(sqrt(0.5 * trace / body->mass), tp_vec3_norm(point));
}

/* Where neither body has a size (point masses): the distance that the joint holds. */
static double joint_length(const tp_model *model, const tp_model_joint *joint)
{
    double size = smaller(body_size(model, joint->body_a, joint->on_A.point),
                          body_size(model, joint->body_b, joint->on_B.point));
    if (size > 0.0) return size;
    tp_frame A = tp_model_frame_at_start(model, joint->body_a),
             B = tp_model_frame_at_start(model, joint->body_b);
    return tp_vec3_norm(
        tp_vec3_sub(tp_frame_point(&B, joint->on_B.point), tp_frame_point(&A, joint->on_A.point)));
}

/* Half of the least way from a face to the vertex farthest from it. */
static double hull_thickness(const tp_hull *hull)
{
    double least = INFINITY;
    for (int f = 0; f < hull->face_count; f++) {
        tp_vec3 on_face = hull->vertices[hull->face_vertices[hull->face_start[f]]];
        double deepest = 0.0;
        for (int k = 0; k < hull->vertex_count; k++) {
            tp_vec3 below = tp_vec3_sub(on_face, hull->vertices[k]);
            deepest = fmax(deepest, tp_vec3_dot(hull->face_normals[f], below));
        }
        least = fmin(least, 0.5 * deepest);
    }
    return least;
}

/* Half of the least thickness; 0 for points and half-spaces. */
static double thickness(const tp_solid *solid)
{
    tp_vec3 half = solid->half_extents;
    switch (solid->kind) {
    case TP_SOLID_SPHERE:
    case TP_SOLID_CAPSULE:
    case TP_SOLID_INSIDE_CYLINDER:
    case TP_SOLID_INSIDE_SPHERE: return solid->radius;
    case TP_SOLID_BOX: return fmin(half.x, fmin(half.y, half.z));
    case TP_SOLID_CYLINDER: return smaller(solid->radius, solid->half_length);
    case TP_SOLID_HULL: return hull_thickness(solid->hull);
    case TP_SOLID_POINT:
    case TP_SOLID_PLANE:
    case TP_SOLID_MESH:
    case TP_SOLID_HEIGHTFIELD:
    case TP_SOLID_KIND_COUNT: break;
    }
    return 0.0;
}

/* Where neither shape has a thickness: the size of their bodies. */
static double pair_length(const tp_model *model, const tp_touch *touch)
{
    const tp_model_shape *a = TP_LIST_AT(model->shapes, tp_model_shape, touch->shape_a),
                         *b = TP_LIST_AT(model->shapes, tp_model_shape, touch->shape_b);
    double size = smaller(thickness(&a->solid), thickness(&b->solid));
    if (size > 0.0) return size;
    return smaller(body_size(model, a->body, a->pose.origin), body_size(model, b->body, b->pose.origin));
}

bool tp_shapes_have_lengths(const tp_model *model)
{
    for (int i = 0; i < model->shapes.count; i++) {
        const tp_model_shape *shape = TP_LIST_AT(model->shapes, tp_model_shape, i);
        if (shape->body != TP_GROUND && !(thickness(&shape->solid) > 0.0)) return false;
    }
    return true;
}

double tp_shape_length_least(const tp_model *model)
{
    double least = INFINITY;
    bool has_mesh = false, has_flat = false; /* which any way leads behind the other */
    for (int i = 0; i < model->shapes.count; i++) {
        const tp_model_shape *shape = TP_LIST_AT(model->shapes, tp_model_shape, i);
        const tp_solid *solid = &shape->solid;
        double size = thickness(solid);
        if (!(size > 0.0)) size = body_size(model, shape->body, shape->pose.origin);
        if (size > 0.0) least = fmin(least, size);
        has_mesh = has_mesh || solid->kind == TP_SOLID_MESH;
        has_flat = has_flat || solid->kind == TP_SOLID_POINT ||
                   (solid->kind == TP_SOLID_CYLINDER && solid->half_length == 0.0);
    }
    return has_mesh && has_flat ? 0.0 : least;
}

/* What a limit, motor or coupler adds up: angles of 1 rad, displacements of the size of their joints. */
static double combination_length(const tp_model *model, const tp_combination *combination)
{
    double sum = 0.0;
    for (int k = 0; k < combination->term_count; k++) {
        const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, combination->joint[k]);
        bool is_angle = joint->joint.coordinate_is_angle[combination->coordinate[k]];
        sum += fabs(combination->factor[k]) * (is_angle ? 1.0 : joint_length(model, joint));
    }
    return sum;
}

double tp_law_length(const tp_simulation *simulation, int index)
{
    const tp_model *model = simulation->model;
    const tp_system *system = simulation->stepper.system;
    const tp_law *law = tp_system_law(system, index);
    switch (law->source) {
    case TP_SOURCE_JOINT: return joint_length(model, TP_LIST_AT(model->joints, tp_model_joint, law->element));
    case TP_SOURCE_PAIR: return pair_length(model, &tp_system_pair(system, index)->touch);
    case TP_SOURCE_COMBINATION:
        return combination_length(model, TP_LIST_AT(model->combinations, tp_combination, law->element));
    case TP_SOURCE_RIGIDITY: return 1.0; /* directions have the length 1 */
    case TP_SOURCE_FORMULA:
    case TP_SOURCE_SPIN: break;
    }
    return 0.0;
}

/* Each general coordinate is as large as its inertia would be if it had all of sum m q^2, and as fast as
   with all of sum m q'^2: sizes that are not zero where a coordinate happens to be, and that fit its unit. */
static void see_general_sizes(tp_watch *watch, const tp_system *system)
{
    double moment = 0.0, energy = 0.0;
    for (int j = 0; j < system->general_u; j++) {
        moment += watch->mass[j] * system->q[j] * system->q[j];
        energy += watch->mass[j] * system->u[j] * system->u[j];
    }
    for (int j = 0; j < system->general_u; j++) {
        if (!(watch->mass[j] > 0.0)) continue;
        watch->size[j] = sqrt(moment / watch->mass[j]);
        watch->rate[j] = sqrt(energy / watch->mass[j]);
    }
}

void tp_watch_see_sizes(tp_watch *watch, const tp_system *system)
{
    tp_system_position_sizes(system, watch->size);
    for (int j = 0; j < system->u_count; j++) watch->rate[j] = fabs(system->u[j]);
    if (!system->own_velocities) see_general_sizes(watch, system);
}

void tp_watch_see_inertia(tp_watch *watch, tp_stepper *stepper)
{
    tp_system *system = stepper->system;
    double duration = TP_WATCH_START * stepper->options->time_step, energy = 0.0;
    tp_system_mass(system, stepper->M);
    tp_system_force(system, stepper->h);
    for (int j = 0; j < system->u_count; j++) {
        double mass = stepper->M[tp_pattern_place(&system->mass_pattern, j, j)];
        if (mass > 0.0) energy += 0.5 * stepper->h[j] * stepper->h[j] * duration * duration / mass;
        if (j < system->general_u) watch->mass[j] = mass;
    }
    watch->start_energy = energy;
}
