/* A cylinder above a plane, or in a hollow sphere: four points on the rim of each end; in a tube: two;
   docs/theory/contacts-geometry.md (5), (5a), (5b). */
#include "collide.h"

#include "nearest.h"
#include "tolerances.h"

#include <math.h>

enum { SUMMIT_HALVINGS = 40 }; /* of a quarter turn; one step of Newton's method makes rounding of the rest */

tp_rim tp_rim_above(tp_vec3 up, tp_mat3 R)
{
    tp_vec3 axis = R.cz;
    /* -up without its part along the axis points down to the deepest point. */
    tp_vec3 down = tp_vec3_add_scaled(tp_vec3_negate(up), tp_vec3_dot(up, axis), axis);
    double sine = tp_vec3_norm(down);
    bool is_flat = !(sine > tp_standing_sine);
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

/* dD/dt / (2 r) of the square D of the distance of a rim's point from the axis of a tube; (5b). */
typedef struct rim_slope {
    double a, bc, k;
} rim_slope;

static double slope_at(const rim_slope *f, double t)
{
    return -f->a * sin(t) + f->bc * cos(t) - f->k * sin(t) * cos(t);
}

/* Where the slope falls through 0: its quotient by cos t falls all the way if a >= 0, else between +-t0 with
   cos^3 t0 = -a / k. */
static bool find_summit(const rim_slope *f, double *t_out)
{
    const double quarter = 2.0 * atan(1.0);
    if (f->a < 0.0 && !(f->k > -f->a)) return false;
    double high = f->a >= 0.0 ? quarter : acos(cbrt(-f->a / f->k)), low = -high;
    if (f->a < 0.0 && (slope_at(f, low) < 0.0 || slope_at(f, high) > 0.0)) return false;
    for (int i = 0; i < SUMMIT_HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        *(slope_at(f, middle) > 0.0 ? &low : &high) = middle;
    }
    double t = 0.5 * (low + high), curvature = -f->a * cos(t) - f->bc * sin(t) - f->k * cos(2.0 * t);
    if (f->a < 0.0 && -curvature < tp_blunt * f->k) return false;
    *t_out = curvature < 0.0 ? t - slope_at(f, t) / curvature : t;
    return true;
}

bool tp_rim_in_tube(tp_vec3 tube_axis, tp_vec3 centre, tp_mat3 R, double radius, int half,
                    tp_vec3 *direction_out)
{
    tp_vec3 across = tp_vec3_cross(tube_axis, R.cz),
            offset = tp_vec3_add_scaled(centre, -tp_vec3_dot(centre, tube_axis), tube_axis);
    double sine = tp_vec3_norm(across), distance = tp_vec3_norm(offset), t;
    tp_vec3 e = R.cx; /* of parallel axes any direction will do: that of the farthest point */
    if (sine > tp_standing_sine)
        e = tp_vec3_scale(1.0 / sine, across);
    else if (distance > tp_standing_sine * radius)
        e = tp_vec3_scale(1.0 / distance, offset);
    tp_vec3 f = tp_vec3_cross(R.cz, e);
    double along = tp_vec3_dot(f, tube_axis), side = half == 0 ? 1.0 : -1.0;
    rim_slope slope = {side * tp_vec3_dot(offset, e), tp_vec3_dot(offset, f), radius * along * along};
    if (!find_summit(&slope, &t)) return false;
    *direction_out = tp_vec3_add(tp_vec3_scale(side * cos(t), e), tp_vec3_scale(sin(t), f));
    return true;
}

int tp_collide_tube_cylinder(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b,
                             const tp_pose *pose_b, double reach, tp_contact_point *points)
{
    tp_mat3 R = tp_quat_to_matrix(pose_b->orientation), R_a = tp_quat_to_matrix(pose_a->orientation);
    tp_vec3 middle = tp_vec3_sub(pose_b->origin, pose_a->origin);
    int count = 0, ends = b->half_length > 0.0 ? 2 : 1;
    for (int slot = 0; slot < 2 * ends; slot++) {
        tp_vec3 x = tp_vec3_add_scaled(middle, slot < 2 ? -b->half_length : b->half_length, R.cz), direction;
        if (!tp_rim_in_tube(R_a.cz, x, R, b->radius, slot % 2, &direction)) continue;
        x = tp_vec3_add_scaled(x, b->radius, direction);
        tp_nearest nearest = tp_solid_nearest(a, tp_mat3_apply_transposed(R_a, x), tp_vec3_zero());
        if (!(nearest.distance <= reach)) continue;
        tp_vec3 n = tp_mat3_apply(R_a, nearest.normal), point = tp_vec3_add(pose_a->origin, x);
        points[count++] = (tp_contact_point){tp_vec3_add_scaled(point, -nearest.distance, n), point, n,
                                             nearest.distance, slot};
    }
    return count;
}
