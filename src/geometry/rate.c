/* Rates of contact points, normals and gaps while both solids move; docs/theory/contacts-geometry.md (4),
   (5), (14)-(16). */
#include "collide.h"
#include "convex.h"
#include "nearest.h"

/* Of a point that moves with `rate`, `relative` to A's surface, over A; B's point is that one. */
static void rate_over(const tp_moving_solid *a, tp_mat3 R_a, tp_vec3 from_a, tp_vec3 relative, tp_vec3 rate,
                      tp_contact_rate *out)
{
    tp_nearest nearest = tp_solid_nearest(&a->solid, tp_mat3_apply_transposed(R_a, from_a),
                                          tp_mat3_apply_transposed(R_a, relative));
    tp_vec3 n = tp_mat3_apply(R_a, nearest.normal);
    out->normal =
        tp_vec3_add(tp_vec3_cross(a->twist.angular_velocity, n), tp_mat3_apply(R_a, nearest.normal_rate));
    out->gap = tp_vec3_dot(n, relative);
    out->point_b = rate;
    out->point_a = tp_vec3_add_scaled(rate, -out->gap, n);
    out->point_a = tp_vec3_add_scaled(out->point_a, -nearest.distance, out->normal);
}

/* (4): vertex k of B over the surface of A. */
static bool vertex_rate(const tp_moving_solid *a, const tp_moving_solid *b, int slot, tp_contact_rate *out)
{
    tp_vec3 vertex[TP_SOLID_VERTICES_MAX];
    double radius;
    if (slot >= tp_solid_vertices(&b->solid, vertex, &radius)) return false;
    tp_mat3 R_a = tp_quat_to_matrix(a->pose.orientation);
    tp_vec3 arm = tp_quat_rotate(tp_quat_normalise(b->pose.orientation), vertex[slot]);
    tp_vec3 from_a = tp_vec3_add(tp_vec3_sub(b->pose.origin, a->pose.origin), arm);
    tp_vec3 centre_rate = tp_solid_velocity(b, arm);
    rate_over(a, R_a, from_a, tp_vec3_sub(centre_rate, tp_solid_velocity(a, from_a)), centre_rate, out);
    out->point_b = tp_vec3_add_scaled(centre_rate, -radius, out->normal);
    return true;
}

/* (5): down = -(n - (n.a) a) turns with n and the axis a; e = down / |down|, f = a x e. Of a flat rim the
   directions turn with the body. */
static tp_vec3 rim_direction_rate(const tp_rim *rim, tp_vec3 n, tp_vec3 n_rate, tp_vec3 axis, tp_vec3 spin,
                                  int quarter)
{
    if (rim->is_flat) return tp_vec3_cross(spin, rim->direction[quarter]);
    tp_vec3 axis_rate = tp_vec3_cross(spin, axis), e = rim->direction[0];
    double cosine = tp_vec3_dot(n, axis);
    double cosine_rate = tp_vec3_dot(n_rate, axis) + tp_vec3_dot(n, axis_rate);
    tp_vec3 down = tp_vec3_add_scaled(tp_vec3_negate(n), cosine, axis), down_rate = tp_vec3_negate(n_rate);
    down_rate = tp_vec3_add_scaled(down_rate, cosine_rate, axis);
    down_rate = tp_vec3_add_scaled(down_rate, cosine, axis_rate);
    tp_vec3 across = tp_vec3_add_scaled(down_rate, -tp_vec3_dot(e, down_rate), e);
    tp_vec3 e_rate = tp_vec3_scale(1.0 / tp_vec3_norm(down), across);
    tp_vec3 f_rate = tp_vec3_add(tp_vec3_cross(axis_rate, e), tp_vec3_cross(axis, e_rate));
    return tp_vec3_scale(quarter < 2 ? 1.0 : -1.0, quarter % 2 == 0 ? e_rate : f_rate);
}

static bool rim_rate(const tp_moving_solid *a, const tp_moving_solid *b, int slot, tp_contact_rate *out)
{
    if (slot >= (b->solid.half_length > 0.0 ? 8 : 4)) return false;
    tp_mat3 R = tp_quat_to_matrix(b->pose.orientation);
    tp_vec3 n = tp_quat_to_matrix(a->pose.orientation).cz;
    tp_vec3 n_rate = tp_vec3_cross(a->twist.angular_velocity, n), spin = b->twist.angular_velocity;
    tp_vec3 axis_rate = tp_vec3_cross(spin, R.cz);
    tp_rim rim = tp_rim_above(n, R);
    tp_vec3 direction = rim.direction[slot % 4],
            direction_rate = rim_direction_rate(&rim, n, n_rate, R.cz, spin, slot % 4);
    double end = slot < 4 ? -b->solid.half_length : b->solid.half_length, radius = b->solid.radius;
    tp_vec3 arm = tp_vec3_add_scaled(tp_vec3_scale(end, R.cz), radius, direction);
    tp_vec3 from_a = tp_vec3_add(tp_vec3_sub(b->pose.origin, a->pose.origin), arm);
    tp_vec3 point_rate = tp_vec3_add_scaled(b->twist.velocity, end, axis_rate);
    point_rate = tp_vec3_add_scaled(point_rate, radius, direction_rate);
    out->normal = n_rate;
    out->gap = tp_vec3_dot(n_rate, from_a) + tp_vec3_dot(n, tp_vec3_sub(point_rate, a->twist.velocity));
    out->point_b = point_rate;
    out->point_a = tp_vec3_add_scaled(point_rate, -out->gap, n);
    out->point_a = tp_vec3_add_scaled(out->point_a, -tp_vec3_dot(n, from_a), n_rate);
    return true;
}

/* (5a): up = -c / radius; the middle c of the cylinder, seen from that of the sphere. */
static bool hollow_rim_rate(const tp_moving_solid *a, const tp_moving_solid *b, int slot,
                            tp_contact_rate *out)
{
    if (slot >= (b->solid.half_length > 0.0 ? 8 : 4)) return false;
    tp_mat3 R = tp_quat_to_matrix(b->pose.orientation);
    tp_vec3 spin = b->twist.angular_velocity, axis_rate = tp_vec3_cross(spin, R.cz);
    tp_vec3 middle = tp_vec3_sub(b->pose.origin, a->pose.origin);
    tp_vec3 middle_rate = tp_vec3_sub(b->twist.velocity, a->twist.velocity);
    double hollow = a->solid.radius, end = slot < 4 ? -b->solid.half_length : b->solid.half_length;
    tp_vec3 up = tp_vec3_scale(-1.0 / hollow, middle), up_rate = tp_vec3_scale(-1.0 / hollow, middle_rate);
    tp_rim rim = tp_rim_above(up, R);
    tp_vec3 direction = rim.direction[slot % 4],
            direction_rate = rim_direction_rate(&rim, up, up_rate, R.cz, spin, slot % 4);
    tp_vec3 x = tp_vec3_add_scaled(middle, end, R.cz),
            x_rate = tp_vec3_add_scaled(middle_rate, end, axis_rate);
    x = tp_vec3_add_scaled(x, b->solid.radius, direction);
    x_rate = tp_vec3_add_scaled(x_rate, b->solid.radius, direction_rate);
    tp_nearest nearest = tp_solid_nearest(&a->solid, x, x_rate);
    out->normal = nearest.normal_rate;
    out->gap = tp_vec3_dot(nearest.normal, x_rate);
    out->point_b = tp_vec3_add(a->twist.velocity, x_rate);
    out->point_a = tp_vec3_add_scaled(a->twist.velocity, -hollow, nearest.normal_rate);
    return true;
}

/* (5b): the farthest point runs along the rim, as m.tangent = 0 says; m from the axis of the tube. */
static bool tube_rim_rate(const tp_moving_solid *a, const tp_moving_solid *b, int slot, tp_contact_rate *out)
{
    if (slot >= (b->solid.half_length > 0.0 ? 4 : 2)) return false;
    tp_mat3 R = tp_quat_to_matrix(b->pose.orientation), R_a = tp_quat_to_matrix(a->pose.orientation);
    double end = slot < 2 ? -b->solid.half_length : b->solid.half_length, radius = b->solid.radius;
    tp_vec3 middle = tp_vec3_sub(b->pose.origin, a->pose.origin), arm = tp_vec3_scale(end, R.cz), direction;
    if (!tp_rim_in_tube(R_a.cz, tp_vec3_add(middle, arm), R, radius, slot % 2, &direction)) return false;
    arm = tp_vec3_add_scaled(arm, radius, direction);
    tp_vec3 x = tp_vec3_add(middle, arm), tangent = tp_vec3_cross(R.cz, direction),
            m = tp_vec3_add_scaled(x, -tp_vec3_dot(x, R_a.cz), R_a.cz), rate = tp_solid_velocity(b, arm),
            relative = tp_vec3_sub(rate, tp_solid_velocity(a, x)),
            spin = tp_vec3_sub(b->twist.angular_velocity, a->twist.angular_velocity);
    tp_vec3 seen = tp_vec3_add_scaled(tangent, -tp_vec3_dot(tangent, R_a.cz), R_a.cz);
    double pushed = tp_vec3_dot(relative, seen) + tp_vec3_dot(m, tp_vec3_cross(spin, tangent)),
           held = tp_vec3_dot(m, direction) - radius * tp_vec3_dot(seen, seen);
    if (!(held > 0.0)) return false;
    tp_vec3 run = tp_vec3_scale(radius * pushed / held, tangent); /* of the point along the rim */
    rate_over(a, R_a, x, tp_vec3_add(relative, run), tp_vec3_add(rate, run), out);
    return true;
}

/* (14)-(16): the contact that is in the slot now. */
static bool meeting_rate(const tp_moving_solid *a, const tp_moving_solid *b, int part, int slot,
                         tp_contact_rate *out)
{
    tp_core_contact found[TP_CORE_SLOTS_MAX];
    int count = tp_meet_in_order(&a->solid, &a->pose, &b->solid, &b->pose, part, INFINITY, found);
    for (int i = 0; i < count; i++) {
        if (found[i].point.slot != slot) continue;
        *out = tp_meeting_rate(a, b, &found[i]);
        return true;
    }
    return false;
}

static bool rate_in_order(const tp_moving_solid *a, const tp_moving_solid *b, int part, int slot,
                          tp_contact_rate *out)
{
    tp_collide_function *collide = tp_collide_function_of(a->solid.kind, b->solid.kind);
    if (collide == tp_collide_vertices) return vertex_rate(a, b, slot, out);
    if (collide == tp_collide_plane_cylinder) return rim_rate(a, b, slot, out);
    if (collide == tp_collide_hollow_cylinder) return hollow_rim_rate(a, b, slot, out);
    if (collide == tp_collide_tube_cylinder) return tube_rim_rate(a, b, slot, out);
    return meeting_rate(a, b, part, slot, out);
}

void tp_contact_rate_reverse(tp_contact_rate *rate)
{
    tp_vec3 point_a = rate->point_a;
    rate->point_a = rate->point_b;
    rate->point_b = point_a;
    rate->normal = tp_vec3_negate(rate->normal);
}

bool tp_collide_part_rate(const tp_moving_solid *a, const tp_moving_solid *b, int part, int slot,
                          tp_contact_rate *rate_out)
{
    if (slot < 0 || slot >= tp_collide_slot_count(&a->solid, &b->solid)) return false;
    if (!tp_collide_is_reversed(a->solid.kind, b->solid.kind))
        return rate_in_order(a, b, part, slot, rate_out);
    if (!rate_in_order(b, a, part, slot, rate_out)) return false;
    tp_contact_rate_reverse(rate_out);
    return true;
}

bool tp_collide_rate(const tp_moving_solid *a, const tp_moving_solid *b, int slot, tp_contact_rate *rate_out)
{
    return tp_collide_part_rate(a, b, TP_NO_PART, slot, rate_out);
}
