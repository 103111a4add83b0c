/* Gaps of contact points as functions of the frames of two bodies, and where a normal force is taken to act;
   docs/theory/contacts-geometry.md (1b), consistent.md (15a), (A6). */
#include "discrete.h"
#include "geometry/collide.h"
#include "parts.h"

static bool has_vertices(const tp_model_shape *shape)
{
    tp_solid_kind kind = shape->solid.kind;
    return kind == TP_SOLID_POINT || kind == TP_SOLID_SPHERE || kind == TP_SOLID_CAPSULE ||
           kind == TP_SOLID_BOX || kind == TP_SOLID_HULL;
}

/* Vertex `slot` of a point, ball, capsule or box in the frame of its body, and the radius of the ball about
   it. False: other kinds. */
static bool find_vertex(const tp_model_shape *shape, int slot, tp_vec3 *vertex_out, double *radius_out)
{
    tp_vec3 all[TP_SOLID_VERTICES_MAX];
    if (!has_vertices(shape)) return false;
    if (slot >= tp_solid_vertices(&shape->solid, all, radius_out)) return false;
    *vertex_out = tp_pose_point(&shape->pose, all[slot]);
    return true;
}

static bool is_ball(const tp_model_shape *shape)
{
    return shape->solid.kind == TP_SOLID_SPHERE || shape->solid.kind == TP_SOLID_POINT;
}

static bool is_hollow(const tp_model_shape *shape)
{
    return shape->solid.kind == TP_SOLID_INSIDE_SPHERE || shape->solid.kind == TP_SOLID_INSIDE_CYLINDER;
}

static bool is_surface(const tp_model_shape *shape)
{
    return shape->solid.kind == TP_SOLID_PLANE || is_hollow(shape) || is_ball(shape);
}

/* The distance of a vertex from the surface, or from the middle or the axis of a round one. */
static tp_basic_row row_over(const tp_model_shape *surface, tp_vec3 vertex)
{
    tp_quat turned = surface->pose.orientation;
    tp_vec3 x = tp_quat_rotate(turned, tp_vec3_make(1.0, 0.0, 0.0)),
            y = tp_quat_rotate(turned, tp_vec3_make(0.0, 1.0, 0.0)),
            z = tp_quat_rotate(turned, tp_vec3_make(0.0, 0.0, 1.0)), origin = surface->pose.origin;
    if (surface->solid.kind == TP_SOLID_PLANE) return tp_basic_row_along(z, origin, vertex);
    if (surface->solid.kind == TP_SOLID_INSIDE_CYLINDER) return tp_basic_row_radius(x, y, origin, vertex);
    return tp_basic_row_length(origin, vertex);
}

bool tp_smooth_gap_of(const tp_system *system, int law, tp_smooth_gap *gap_out)
{
    const tp_list *shapes = &system->model->shapes;
    const tp_touch *touch = &tp_system_pair(system, law)->touch;
    const tp_model_shape *a = TP_LIST_AT(*shapes, tp_model_shape, touch->shape_a),
                         *b = TP_LIST_AT(*shapes, tp_model_shape, touch->shape_b);
    bool is_first = is_surface(a) && !(is_ball(a) && !is_ball(b));
    const tp_model_shape *surface = is_first ? a : b, *hull = is_first ? b : a;
    tp_vec3 vertex;
    double radius;
    if (!is_surface(surface) || (is_ball(surface) && !is_ball(hull))) return false;
    if (!find_vertex(hull, tp_system_slot(system, law), &vertex, &radius)) return false;
    *gap_out = (tp_smooth_gap){.body = {surface->body, hull->body},
                               .row = row_over(surface, vertex),
                               .factor = is_hollow(surface) ? -1.0 : 1.0,
                               .radius = radius};
    if (is_hollow(surface)) gap_out->radius -= surface->solid.radius;
    if (surface->solid.kind == TP_SOLID_SPHERE) gap_out->radius += surface->solid.radius;
    return true;
}

bool tp_law_has_smooth_gap(const tp_system *system, int law)
{
    tp_smooth_gap gap;
    const tp_law *of = tp_system_law(system, law);
    if (of->level == TP_LEVEL_VELOCITY) return false;
    return of->source != TP_SOURCE_PAIR || tp_smooth_gap_of(system, law, &gap);
}

bool tp_solids_have_smooth_gap(const tp_solid *a, const tp_solid *b)
{
    const tp_model_shape shape_a = {.solid = *a}, shape_b = {.solid = *b};
    bool is_first = is_surface(&shape_a) && !(is_ball(&shape_a) && !is_ball(&shape_b));
    const tp_model_shape *surface = is_first ? &shape_a : &shape_b, *hull = is_first ? &shape_b : &shape_a;
    return is_surface(surface) && (is_ball(hull) || (!is_ball(surface) && has_vertices(hull)));
}

/* Part of a unit normal that is at right angles to the axis of a cylinder. */
static double across_axis(const tp_pose *pose, tp_vec3 normal)
{
    tp_vec3 axis = tp_quat_rotate(pose->orientation, tp_vec3_make(0.0, 0.0, 1.0));
    return tp_vec3_norm(tp_vec3_cross(axis, normal));
}

double tp_solid_rounding(const tp_solid *solid, const tp_pose *pose, tp_vec3 normal)
{
    switch (solid->kind) {
    case TP_SOLID_SPHERE:
    case TP_SOLID_CAPSULE: return solid->radius;
    case TP_SOLID_INSIDE_SPHERE: return -solid->radius;
    case TP_SOLID_CYLINDER: return solid->radius * across_axis(pose, normal);
    case TP_SOLID_INSIDE_CYLINDER: return -solid->radius * across_axis(pose, normal);
    case TP_SOLID_POINT:
    case TP_SOLID_PLANE:
    case TP_SOLID_BOX:
    case TP_SOLID_HULL:
    case TP_SOLID_MESH:
    case TP_SOLID_HEIGHTFIELD:
    case TP_SOLID_KIND_COUNT: break;
    }
    return 0.0;
}
