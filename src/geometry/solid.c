/* Poses and solids: making, naming, checking, bounding. */
#include "surface.h"
#include "tolerances.h"

#include <string.h>

tp_pose tp_pose_identity(void)
{
    return (tp_pose){tp_vec3_zero(), tp_quat_identity()};
}

tp_vec3 tp_pose_point(const tp_pose *pose, tp_vec3 x)
{
    return tp_vec3_add(pose->origin, tp_quat_rotate(tp_quat_normalise(pose->orientation), x));
}

tp_pose tp_pose_compose(const tp_pose *outer, const tp_pose *inner)
{
    tp_quat orientation = tp_quat_multiply(outer->orientation, inner->orientation);
    return (tp_pose){tp_pose_point(outer, inner->origin), tp_quat_normalise(orientation)};
}

tp_status tp_pose_check(const tp_pose *pose, tp_message *why_out)
{
    tp_vec3 r = pose->origin;
    if (!tp_vec3_is_finite(r))
        return tp_fail(why_out, TP_INVALID_DATA, "position (%g, %g, %g): must be finite", r.x, r.y, r.z);
    double length = tp_quat_norm(pose->orientation);
    if (!(fabs(length - 1.0) <= tp_unit_tolerance))
        return tp_fail(why_out, TP_INVALID_DATA, "orientation: the quaternion has length %.9g, must be 1",
                       length);
    return TP_OK;
}

tp_solid tp_solid_point(void)
{
    return (tp_solid){.kind = TP_SOLID_POINT};
}

tp_solid tp_solid_sphere(double radius)
{
    return (tp_solid){.kind = TP_SOLID_SPHERE, .radius = radius};
}

tp_solid tp_solid_plane(void)
{
    return (tp_solid){.kind = TP_SOLID_PLANE};
}

tp_solid tp_solid_box(tp_vec3 half_extents)
{
    return (tp_solid){.kind = TP_SOLID_BOX, .half_extents = half_extents};
}

tp_solid tp_solid_capsule(double radius, double half_length)
{
    return (tp_solid){.kind = TP_SOLID_CAPSULE, .radius = radius, .half_length = half_length};
}

tp_solid tp_solid_cylinder(double radius, double half_length)
{
    return (tp_solid){.kind = TP_SOLID_CYLINDER, .radius = radius, .half_length = half_length};
}

tp_solid tp_solid_inside_cylinder(double radius)
{
    return (tp_solid){.kind = TP_SOLID_INSIDE_CYLINDER, .radius = radius};
}

tp_solid tp_solid_inside_sphere(double radius)
{
    return (tp_solid){.kind = TP_SOLID_INSIDE_SPHERE, .radius = radius};
}

tp_solid tp_solid_hull(const tp_hull *hull)
{
    return (tp_solid){.kind = TP_SOLID_HULL, .hull = hull};
}

tp_solid tp_solid_mesh(const tp_surface *surface)
{
    return (tp_solid){.kind = TP_SOLID_MESH, .surface = surface};
}

tp_solid tp_solid_heightfield(const tp_surface *surface)
{
    return (tp_solid){.kind = TP_SOLID_HEIGHTFIELD, .surface = surface};
}

static const char *const kind_names[TP_SOLID_KIND_COUNT] = {
#define KIND_NAME(kind, name) name,
    TP_SOLID_LIST(KIND_NAME)
#undef KIND_NAME
};

const char *tp_solid_kind_name(tp_solid_kind kind)
{
    return (int)kind >= 0 && kind < TP_SOLID_KIND_COUNT ? kind_names[kind] : "unknown";
}

bool tp_solid_kind_from_name(const char *name, tp_solid_kind *kind_out)
{
    for (int k = 0; k < TP_SOLID_KIND_COUNT; k++)
        if (strcmp(name, kind_names[k]) == 0) {
            *kind_out = (tp_solid_kind)k;
            return true;
        }
    return false;
}

static tp_status check_length(tp_solid_kind kind, const char *what, double value, tp_message *why_out)
{
    if (value > 0.0 && isfinite(value)) return TP_OK;
    return tp_fail(why_out, TP_INVALID_DATA, "%s: %s is %g m, must be positive and finite",
                   tp_solid_kind_name(kind), what, value);
}

tp_status tp_solid_check(const tp_solid *solid, tp_message *why_out)
{
    tp_solid_kind kind = solid->kind;
    switch (kind) {
    case TP_SOLID_POINT:
    case TP_SOLID_PLANE: return TP_OK;
    case TP_SOLID_SPHERE:
    case TP_SOLID_INSIDE_CYLINDER:
    case TP_SOLID_INSIDE_SPHERE: return check_length(kind, "radius", solid->radius, why_out);
    case TP_SOLID_BOX:
        TP_TRY(check_length(kind, "half extent x", solid->half_extents.x, why_out));
        TP_TRY(check_length(kind, "half extent y", solid->half_extents.y, why_out));
        return check_length(kind, "half extent z", solid->half_extents.z, why_out);
    case TP_SOLID_CAPSULE:
        TP_TRY(check_length(kind, "radius", solid->radius, why_out));
        return check_length(kind, "half length", solid->half_length, why_out);
    case TP_SOLID_CYLINDER:
        TP_TRY(check_length(kind, "radius", solid->radius, why_out));
        if (solid->half_length == 0.0) return TP_OK; /* a flat disc */
        return check_length(kind, "half length", solid->half_length, why_out);
    case TP_SOLID_HULL:
        if (solid->hull != NULL) return TP_OK;
        return tp_fail(why_out, TP_INVALID_DATA, "hull: has no data, make it with tp_hull_create");
    case TP_SOLID_MESH:
    case TP_SOLID_HEIGHTFIELD:
        if (solid->surface != NULL && solid->surface->has_heights == (kind == TP_SOLID_HEIGHTFIELD))
            return TP_OK;
        return tp_fail(why_out, TP_INVALID_DATA, "%s: has no data, make it with %s", tp_solid_kind_name(kind),
                       kind == TP_SOLID_MESH ? "tp_surface_create" : "tp_surface_create_heights");
    case TP_SOLID_KIND_COUNT: break;
    }
    return tp_fail(why_out, TP_INVALID_DATA, "a solid of unknown kind %d", (int)kind);
}

/* Half widths of the box around a solid, along the world axes. */
static tp_vec3 half_widths(const tp_solid *solid, tp_mat3 R)
{
    double r = solid->radius, length = solid->half_length;
    tp_vec3 h = solid->half_extents, a = R.cz, unbounded = {INFINITY, INFINITY, INFINITY};
    switch (solid->kind) {
    case TP_SOLID_POINT: return tp_vec3_zero();
    case TP_SOLID_SPHERE: return tp_vec3_make(r, r, r);
    case TP_SOLID_BOX:
        return tp_vec3_make(h.x * fabs(R.cx.x) + h.y * fabs(R.cy.x) + h.z * fabs(R.cz.x),
                            h.x * fabs(R.cx.y) + h.y * fabs(R.cy.y) + h.z * fabs(R.cz.y),
                            h.x * fabs(R.cx.z) + h.y * fabs(R.cy.z) + h.z * fabs(R.cz.z));
    case TP_SOLID_CAPSULE:
        return tp_vec3_make(r + length * fabs(a.x), r + length * fabs(a.y), r + length * fabs(a.z));
    case TP_SOLID_CYLINDER: /* a disc with normal a reaches r |a x e_k| far along e_k */
        return tp_vec3_make(r * hypot(a.y, a.z) + length * fabs(a.x),
                            r * hypot(a.z, a.x) + length * fabs(a.y),
                            r * hypot(a.x, a.y) + length * fabs(a.z));
    case TP_SOLID_PLANE:
    case TP_SOLID_INSIDE_CYLINDER:
    case TP_SOLID_INSIDE_SPHERE:
    case TP_SOLID_HULL: /* by their points */
    case TP_SOLID_MESH:
    case TP_SOLID_HEIGHTFIELD:
    case TP_SOLID_KIND_COUNT: break;
    }
    return unbounded;
}

static tp_bounds points_bounds(const tp_vec3 *points, int count, const tp_pose *pose)
{
    tp_mat3 R = tp_quat_to_matrix(pose->orientation);
    tp_bounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < count; k++) {
        tp_vec3 x = tp_vec3_add(pose->origin, tp_mat3_apply(R, points[k]));
        box = tp_bounds_join(box, (tp_bounds){x, x});
    }
    return box;
}

tp_bounds tp_solid_bounds(const tp_solid *solid, const tp_pose *pose)
{
    if (solid->kind == TP_SOLID_HULL)
        return points_bounds(solid->hull->vertices, solid->hull->vertex_count, pose);
    if (solid->surface != NULL) {
        tp_vec3 corner[8], end[2] = {solid->surface->box.lower, solid->surface->box.upper};
        for (int k = 0; k < 8; k++) corner[k] = tp_vec3_make(end[k & 1].x, end[k >> 1 & 1].y, end[k >> 2].z);
        return points_bounds(corner, 8, pose);
    }
    tp_mat3 R = solid->kind == TP_SOLID_SPHERE ? tp_mat3_identity() : tp_quat_to_matrix(pose->orientation);
    tp_vec3 half = half_widths(solid, R);
    return (tp_bounds){tp_vec3_sub(pose->origin, half), tp_vec3_add(pose->origin, half)};
}

bool tp_bounds_near(const tp_bounds *a, const tp_bounds *b, double reach)
{
    return !(a->lower.x - b->upper.x > reach || b->lower.x - a->upper.x > reach ||
             a->lower.y - b->upper.y > reach || b->lower.y - a->upper.y > reach ||
             a->lower.z - b->upper.z > reach || b->lower.z - a->upper.z > reach);
}

double tp_solid_bounding_radius(const tp_solid *solid)
{
    switch (solid->kind) {
    case TP_SOLID_POINT: return 0.0;
    case TP_SOLID_SPHERE: return solid->radius;
    case TP_SOLID_BOX: return tp_vec3_norm(solid->half_extents);
    case TP_SOLID_CAPSULE: return solid->radius + solid->half_length;
    case TP_SOLID_CYLINDER: return hypot(solid->radius, solid->half_length);
    case TP_SOLID_HULL: return solid->hull->radius;
    case TP_SOLID_MESH:
    case TP_SOLID_HEIGHTFIELD: return solid->surface->radius;
    case TP_SOLID_PLANE:
    case TP_SOLID_INSIDE_CYLINDER:
    case TP_SOLID_INSIDE_SPHERE:
    case TP_SOLID_KIND_COUNT: break;
    }
    return INFINITY;
}
