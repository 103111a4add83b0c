/* A cylinder above a plane: four points on the rim of each end; docs/theory/contacts-geometry.md (5). */
#include "collide.h"

/* Sine of the angle between ends and plane below which a cylinder counts as standing: there is no deepest
   point then, and its rounding error would turn the support about. The gaps change by less than this times
   the radius. */
static const double standing_sine = 1e-9;

tp_rim tp_rim_above(tp_vec3 plane_normal, tp_mat3 R)
{
    tp_vec3 axis = R.cz;
    /* -n without its part along the axis points down to the deepest point. */
    tp_vec3 down = tp_vec3_add_scaled(tp_vec3_negate(plane_normal), tp_vec3_dot(plane_normal, axis), axis);
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
