/* Two capsules: two segments with thickness; docs/theory/contacts-geometry.md (6). Slot 0: both interiors;
   1, 2: an end of A; 3, 4: an end of B. The nearest points of the segments are always among them, and two
   parallel capsules have the two points that carry them. */
#include "collide.h"
#include "core.h"
#include "tolerances.h"

tp_line_pair tp_lines_nearest(tp_vec3 offset, tp_vec3 u, tp_vec3 w)
{
    tp_vec3 cross = tp_vec3_cross(u, w);
    double square = tp_vec3_dot(cross, cross);
    tp_line_pair pair = {.is_parallel = !(square > tp_parallel_sine * tp_parallel_sine)};
    if (pair.is_parallel) return pair;
    pair.s = tp_vec3_dot(tp_vec3_cross(offset, w), cross) / square;
    pair.t = tp_vec3_dot(tp_vec3_cross(offset, u), cross) / square;
    pair.normal = tp_vec3_scale(1.0 / sqrt(square), cross);
    pair.distance = tp_vec3_dot(offset, pair.normal);
    if (pair.distance < 0.0) {
        pair.distance = -pair.distance;
        pair.normal = tp_vec3_negate(pair.normal);
    }
    return pair;
}

/* The two segments, seen from the middle of A. */
typedef struct two_segments {
    tp_vec3 offset, axis_a, axis_b;
    double half_a, half_b, radius_a, radius_b;
    tp_vec3 origin, fallback; /* middle of A; a normal for segments that cross */
} two_segments;

/* The contact of a + s u with b + t w; n and distance between the cores. */
static tp_contact_point point_between(const two_segments *two, double s, double t, tp_vec3 n, double distance,
                                      int slot)
{
    tp_vec3 core_a = tp_vec3_add_scaled(two->origin, s, two->axis_a);
    tp_vec3 core_b = tp_vec3_add_scaled(tp_vec3_add(two->origin, two->offset), t, two->axis_b);
    return (tp_contact_point){tp_vec3_add_scaled(core_a, two->radius_a, n),
                              tp_vec3_add_scaled(core_b, -two->radius_b, n), n,
                              distance - two->radius_a - two->radius_b, slot};
}

static bool is_at_end(double t, double half_length)
{
    return fabs(t) >= (1.0 - tp_end_margin) * half_length;
}

/* Foot on B of the end s of A, and on A of the end t of B. */
static double foot_on_b(const two_segments *two, double s)
{
    tp_vec3 from_b = tp_vec3_sub(tp_vec3_scale(s, two->axis_a), two->offset);
    return tp_segment_nearest(from_b, two->axis_b, two->half_b);
}
static double foot_on_a(const two_segments *two, double t)
{
    return tp_segment_nearest(tp_vec3_add_scaled(two->offset, t, two->axis_b), two->axis_a, two->half_a);
}

static tp_contact_point end_point(const two_segments *two, double s, double t, int slot)
{
    tp_vec3 apart = tp_vec3_add_scaled(two->offset, t, two->axis_b);
    apart = tp_vec3_add_scaled(apart, -s, two->axis_a);
    double distance = tp_vec3_norm(apart);
    /* Segments that cross leave only rounding errors between them. */
    bool is_apart = distance > tp_crossing_distance * (two->half_a + two->half_b);
    tp_vec3 n = is_apart ? tp_vec3_scale(1.0 / distance, apart) : two->fallback;
    return point_between(two, s, t, n, distance, slot);
}

/* An end of A against B counts when its foot is inside B, or when both are ends and each is the other's
   foot. */
static bool end_of_a(const two_segments *two, int which, tp_core_contact *contact_out)
{
    double s = which == 0 ? -two->half_a : two->half_a, t = foot_on_b(two, s);
    if (is_at_end(t, two->half_b) && foot_on_a(two, t) * s < (1.0 - tp_end_margin) * s * s) return false;
    contact_out->point = end_point(two, s, t, 1 + which);
    contact_out->meeting =
        (tp_meeting){.along_count = fabs(t) < two->half_b ? 1 : 0, .along = {two->axis_b}, .is_of_b = {true}};
    return copysign(1.0, s) * tp_vec3_dot(two->axis_a, contact_out->point.normal) >= -tp_end_slope;
}

/* An end of B against the inside of A; two ends are found from A's side. */
static bool end_of_b(const two_segments *two, int which, tp_core_contact *contact_out)
{
    double t = which == 0 ? -two->half_b : two->half_b, s = foot_on_a(two, t);
    if (is_at_end(s, two->half_a)) return false;
    contact_out->point = end_point(two, s, t, 3 + which);
    contact_out->meeting = (tp_meeting){.along_count = 1, .along = {two->axis_a}, .is_of_b = {false}};
    return copysign(1.0, t) * tp_vec3_dot(two->axis_b, contact_out->point.normal) <= tp_end_slope;
}

static bool inside_of_both(const two_segments *two, tp_core_contact *contact_out)
{
    tp_line_pair pair = tp_lines_nearest(two->offset, two->axis_a, two->axis_b);
    if (pair.is_parallel || is_at_end(pair.s, two->half_a) || is_at_end(pair.t, two->half_b)) return false;
    contact_out->point = point_between(two, pair.s, pair.t, pair.normal, pair.distance, 0);
    contact_out->meeting =
        (tp_meeting){.along_count = 2, .along = {two->axis_a, two->axis_b}, .is_of_b = {false, true}};
    return true;
}

int tp_meet_capsules(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b,
                     double reach, tp_core_contact *contacts)
{
    tp_mat3 R_a = tp_quat_to_matrix(pose_a->orientation), R_b = tp_quat_to_matrix(pose_b->orientation);
    two_segments two = {tp_vec3_sub(pose_b->origin, pose_a->origin),
                        R_a.cz,
                        R_b.cz,
                        a->half_length,
                        b->half_length,
                        a->radius,
                        b->radius,
                        pose_a->origin,
                        R_a.cx};
    tp_core_contact found;
    int count = 0;
    if (inside_of_both(&two, &found) && found.point.gap <= reach) contacts[count++] = found;
    for (int end = 0; end < 2; end++)
        if (end_of_a(&two, end, &found) && found.point.gap <= reach) contacts[count++] = found;
    for (int end = 0; end < 2; end++)
        if (end_of_b(&two, end, &found) && found.point.gap <= reach) contacts[count++] = found;
    return count;
}
