/* One triangle of a surface against a convex solid; docs/theory/contacts-geometry.md (30), (31). */
#include "collide.h"
#include "core.h"
#include "surface.h"
#include "tolerances.h"

/* The nearest of the edges and corners that touch, from x outside, and the direction of the edge, 0 of a
   corner; false: none. */
static bool nearest_on_border(const tp_surface_triangle *triangle, tp_vec3 x, tp_vec3 *foot_out,
                              tp_vec3 *along_out)
{
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        tp_vec3 from = triangle->corner[k], along = tp_vec3_sub(triangle->corner[(k + 1) % 3], from);
        double square = tp_vec3_dot(along, along), t = tp_vec3_dot(tp_vec3_sub(x, from), along) / square;
        bool is_inside = t > 0.0 && t < 1.0;
        tp_vec3 foot = is_inside ? tp_vec3_add_scaled(from, t, along) : from, away = tp_vec3_sub(x, foot);
        double distance = tp_vec3_norm(away);
        if (!(distance < best) || distance == 0.0) continue;
        tp_vec3 n = tp_vec3_scale(1.0 / distance, away), e = tp_vec3_scale(1.0 / sqrt(square), along);
        bool is_edge = is_inside && triangle->has_edge[k] &&
                       tp_vec3_dot(n, tp_vec3_cross(triangle->normal, e)) <= tp_range_margin &&
                       tp_vec3_dot(n, tp_vec3_cross(e, triangle->beyond[k])) <= tp_range_margin;
        bool is_corner = !is_inside && triangle->has_corner[k] && tp_surface_corner_allows(triangle, k, n, 1);
        if (!is_edge && !is_corner) continue;
        best = distance;
        *foot_out = foot;
        *along_out = is_edge ? e : tp_vec3_make(0.0, 0.0, 0.0);
    }
    return isfinite(best);
}

/* A ball or point: over the face, or beyond an edge or corner. */
static int meet_ball(const tp_surface_triangle *triangle, bool has_face, const tp_pose *pose_a,
                     const tp_solid *ball, const tp_pose *pose_b, double reach, tp_core_contact *found)
{
    tp_mat3 R = tp_quat_to_matrix(pose_a->orientation);
    tp_vec3 x = tp_mat3_apply_transposed(R, tp_vec3_sub(pose_b->origin, pose_a->origin)),
            n = triangle->normal;
    double distance = tp_vec3_dot(n, tp_vec3_sub(x, triangle->corner[0]));
    double radius = ball->kind == TP_SOLID_SPHERE ? ball->radius : 0.0, beyond = -INFINITY;
    for (int k = 0; k < 3; k++) {
        tp_vec3 along = tp_vec3_normalise(tp_vec3_sub(triangle->corner[(k + 1) % 3], triangle->corner[k]));
        double out = tp_vec3_dot(tp_vec3_cross(along, n), tp_vec3_sub(x, triangle->corner[k]));
        double size = tp_vec3_norm(tp_vec3_sub(triangle->corner[(k + 1) % 3], triangle->corner[k]));
        beyond = fmax(beyond,
                      out - (isnan(triangle->side[k]) ? tp_triangle_side_margin : triangle->side[k]) * size);
    }
    tp_vec3 foot = x, along = tp_vec3_normalise(tp_vec3_sub(triangle->corner[1], triangle->corner[0])),
            across = n;
    if (!(beyond > 0.0) && !has_face) return 0;
    if (beyond > 0.0) {
        if (!nearest_on_border(triangle, x, &foot, &along)) return 0;
        distance = tp_vec3_norm(tp_vec3_sub(x, foot));
        n = tp_vec3_scale(1.0 / distance, tp_vec3_sub(x, foot));
    }
    if (!(distance - radius <= reach) || !(beyond == beyond)) return 0;
    across = tp_vec3_cross(across, along);
    n = tp_mat3_apply(R, n);
    found[0] =
        (tp_core_contact){.point = {tp_vec3_add_scaled(pose_b->origin, -distance, n),
                                    tp_vec3_add_scaled(pose_b->origin, -radius, n), n, distance - radius, 0},
                          .meeting = {.along_count = !(beyond > 0.0)                   ? 2
                                                     : tp_vec3_dot(along, along) > 0.0 ? 1
                                                                                       : 0,
                                      .along = {tp_mat3_apply(R, along), tp_mat3_apply(R, across)}}};
    return 1;
}

/* A surface is seen from its front: what has its middle behind a face, or behind an edge or corner along the
   normal there, belongs to another side of it; one without thickness, from some depth on. What has its middle
   below heights has no other side. */
static bool is_behind(tp_vec3 middle, tp_vec3 on_surface, tp_vec3 normal, double depth)
{
    return tp_vec3_dot(normal, tp_vec3_sub(middle, on_surface)) < -depth;
}

bool tp_collide_is_flat(const tp_solid *solid)
{
    return solid->kind == TP_SOLID_POINT || (solid->kind == TP_SOLID_CYLINDER && solid->half_length == 0.0);
}

static double depth_of(const tp_surface_triangle *triangle)
{
    double shortest = INFINITY;
    for (int k = 0; k < 3; k++) {
        tp_vec3 side = tp_vec3_sub(triangle->corner[(k + 1) % 3], triangle->corner[k]);
        shortest = fmin(shortest, tp_vec3_norm(side));
    }
    return tp_front_depth * shortest;
}

double tp_collide_front_depth(const tp_solid *solid)
{
    double deepest = 0.0;
    if (solid->kind != TP_SOLID_MESH) return 0.0;
    for (int part = 0; part < tp_solid_part_count(solid); part++) {
        tp_surface_triangle triangle;
        tp_surface_triangle_of(solid->surface, part, &triangle);
        deepest = fmax(deepest, depth_of(&triangle));
    }
    return deepest;
}

/* Whether, seen along the normal of the triangle, the solid is beside it in a direction of the plane. */
static bool is_beside_along(const tp_convex *triangle, const tp_convex *solid, tp_vec3 direction)
{
    tp_vec3 n = triangle->normal[0], flat = tp_vec3_add_scaled(direction, -tp_vec3_dot(direction, n), n);
    int vertex;
    double length = tp_vec3_norm(flat), thickness = tp_convex_thickness(solid);
    if (!(length > tp_parallel_sine)) return false;
    tp_vec3 out = tp_vec3_scale(1.0 / length, flat);
    return -tp_convex_support(solid, tp_vec3_negate(out), &vertex) - thickness >
           tp_convex_support(triangle, out, &vertex);
}

/* Whether nothing of the solid is over or under the triangle, as its sides and the faces of the solid tell:
   what is over it by a margin only is then beside it, however deep. */
static bool is_beside(const tp_convex *triangle, const tp_convex *solid)
{
    for (int k = 0; k < 3; k++) {
        tp_vec3 along = tp_vec3_normalise(tp_vec3_sub(triangle->vertex[(k + 1) % 3], triangle->vertex[k]));
        if (is_beside_along(triangle, solid, tp_vec3_cross(along, triangle->normal[0]))) return true;
    }
    for (int k = 0; k < tp_convex_flat_count(solid); k++)
        if (is_beside_along(triangle, solid, tp_vec3_negate(solid->normal[k]))) return true;
    return false;
}

int tp_meet_triangle(const tp_solid *surface, const tp_pose *pose_a, const tp_solid *solid,
                     const tp_pose *pose_b, int part, double reach, tp_core_contact *found)
{
    tp_surface_triangle triangle;
    tp_surface_triangle_of(surface->surface, part, &triangle);
    tp_vec3 middle =
        solid->kind == TP_SOLID_HULL ? tp_pose_point(pose_b, solid->hull->centre) : pose_b->origin;
    tp_vec3 x = tp_quat_rotate_back(pose_a->orientation, tp_vec3_sub(middle, pose_a->origin));
    double depth = tp_collide_is_flat(solid) ? depth_of(&triangle) : 0.0;
    bool has_sides = !tp_surface_is_above(surface->surface, x),
         has_face = !has_sides || !is_behind(x, triangle.corner[0], triangle.normal, depth);
    if (solid->kind == TP_SOLID_SPHERE || solid->kind == TP_SOLID_POINT)
        return meet_ball(&triangle, has_face, pose_a, solid, pose_b, reach, found);
    tp_convex a, b;
    tp_convex_of_triangle(&triangle, pose_a, pose_b->origin, &a);
    if (!has_face) a.face_count = 0;
    tp_convex_of(solid, pose_b, pose_b->origin, &b);
    int slots = tp_collide_slot_count(surface, solid), count = 0;
    int found_count = tp_meet_views(&a, &b, pose_b->origin, reach, slots, found);
    double deepest = 0.0;
    for (int i = 0; i < found_count; i++) deepest = fmin(deepest, found[i].point.gap);
    bool is_deep = deepest < -tp_face_side_margin * (a.size + b.size),
         has_none = is_deep && is_beside(&a, &b);
    for (int i = 0; i < found_count; i++) {
        if (has_none && found[i].point.gap < 0.0) continue;
        if (has_sides && is_behind(middle, found[i].point.point_a, found[i].point.normal, depth)) continue;
        found[count++] = found[i];
    }
    return count;
}

int tp_collide_feature_count(const tp_solid *a, const tp_solid *b)
{
    int slots = tp_collide_slot_count(a, b);
    return slots == 0 ? 0 : slots * tp_solid_part_count(a) * tp_solid_part_count(b);
}
