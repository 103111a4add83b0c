/* A cylinder above a plane, or in a hollow sphere: four points on the rim of each end;
   docs/theory/contacts-geometry.md (5), (5a). */
#include "collide.h"

#include "nearest.h"

/* Sine of the angle between ends and plane below which a cylinder counts as standing: there is no deepest
   point then, and its rounding error would turn the support about. The gaps change by less than this times
   the radius. In a sphere: the distance of its middle from the axis, relative to its radius. */
static const double standing_sine = 1e-9;

tp_rim tp_rim_above(tp_vec3 up, tp_mat3 R)
{
    tp_vec3 axis = R.cz;
    /* -up without its part along the axis points down to the deepest point. */
    tp_vec3 down = tp_vec3_add_scaled(tp_vec3_negate(up), tp_vec3_dot(up, axis), axis);
    double sine = tp_vec3_norm(down);
    bool is_flat = !(sine > standing_sine);
    tp_vec3 e = is_flat ? R.cx : tp_vec3_scale(1.0 / sine, down), f = tp_vec3_cross(axis, e);
    return (tp_rim){{e, f, tp_vec3_negate(e), tp_vec3_negate(f)}, is_flat};
}

int tp_collide_plane_cylinder(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b,
                              const tp_pose *pose_b, double reach, tp_contact_point *points)
{
    (void)a;
    tp_mat3 R = tp_quat_to_matrix(pose_b->orientation);
    tp_vec3 n = tp_quat_to_matrix(pose_a->orientation).cz;
    tp_vec3 between = tp_vec3_sub(pose_b->origin, pose_a->origin);
    tp_rim rim = tp_rim_above(n, R);
    int count = 0, ends = b->half_length > 0.0 ? 2 : 1; /* the ends of a flat disc are one */
    for (int slot = 0; slot < 4 * ends; slot++) {
        tp_vec3 arm = tp_vec3_scale(slot < 4 ? -b->half_length : b->half_length, R.cz);
        arm = tp_vec3_add_scaled(arm, b->radius, rim.direction[slot % 4]);
        double gap = tp_vec3_dot(n, tp_vec3_add(between, arm));
        if (!(gap <= reach)) continue;
        tp_vec3 point = tp_vec3_add(pose_b->origin, arm);
        points[count++] = (tp_contact_point){tp_vec3_add_scaled(point, -gap, n), point, n, gap, slot};
    }
    return count;
}

/* The farthest points of a cylinder from the middle of the sphere are on its rims; both rims have the same
   directions, since their middles differ along the axis only. */
int tp_collide_hollow_cylinder(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b,
                               const tp_pose *pose_b, double reach, tp_contact_point *points)
{
    tp_mat3 R = tp_quat_to_matrix(pose_b->orientation);
    tp_vec3 middle = tp_vec3_sub(pose_b->origin, pose_a->origin);
    tp_rim rim = tp_rim_above(tp_vec3_scale(-1.0 / a->radius, middle), R);
    int count = 0, ends = b->half_length > 0.0 ? 2 : 1;
    for (int slot = 0; slot < 4 * ends; slot++) {
        tp_vec3 x = tp_vec3_add_scaled(middle, slot < 4 ? -b->half_length : b->half_length, R.cz);
        x = tp_vec3_add_scaled(x, b->radius, rim.direction[slot % 4]);
        tp_nearest nearest =
            tp_solid_nearest(a, x, tp_vec3_zero()); /* a sphere looks the same from all sides */
        if (!(nearest.distance <= reach)) continue;
        tp_vec3 foot = tp_vec3_add_scaled(x, -nearest.distance, nearest.normal);
        points[count++] =
            (tp_contact_point){tp_vec3_add(pose_a->origin, foot), tp_vec3_add(pose_a->origin, x),
                               nearest.normal, nearest.distance, slot};
    }
    return count;
}
