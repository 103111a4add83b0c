/* Contact points of every pair of solids: claims of docs/theory/contacts-geometry.md that do not depend on
   the pair. Sizes and distances are of order one, so rounding is a few dozen units. */
#include "check.h"
#include "solids.h"

#include "geometry/collide.h"
#include "geometry/nearest.h"

#include <float.h>
#include <string.h>

static const double rounding = 256.0 * DBL_EPSILON;
/* Central differences of step h: truncation h^2 g'''/6 with |g'''| up to 1e4 where the curvature is at most
   1e2 (the tests look at nothing sharper), rounding 1e-15/h. Where the curvature jumps by J, as when a ball
   rolls from a face onto an edge, it is up to h J/4: the difference of step 2 h shows that. */
static const double step = 1e-5, difference_tolerance = 1e-6, sharpest = 1e2;
enum { ROUNDS = 400 };

typedef struct moment {
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    int count;
} moment;

static moment at_time(const tp_moving_solid *a, const tp_moving_solid *b, double time)
{
    moment at;
    tp_pose pose_a = solids_moved(&a->pose, &a->twist, time),
            pose_b = solids_moved(&b->pose, &b->twist, time);
    at.count = tp_collide(&a->solid, &pose_a, &b->solid, &pose_b, 10.0, at.points);
    return at;
}

static tp_moving_solid random_moving(check_random *random, tp_solid_kind kind)
{
    tp_solid solid = solids_random(random, kind);
    tp_pose pose = solids_pose(random, 0.7);
    return (tp_moving_solid){solid, pose, solids_twist(random)};
}

/* Calls a function for random solids of every pair of kinds in every order. */
#define FOR_EVERY_PAIR(kind_a, kind_b)                                                                       \
    for (int kind_a = 0; kind_a < TP_SOLID_KIND_COUNT; kind_a++)                                             \
        for (int kind_b = 0; kind_b < TP_SOLID_KIND_COUNT; kind_b++)                                         \
            if (kind_a < TP_SOLID_MESH && kind_b < TP_SOLID_MESH &&                                          \
                tp_collide_check((tp_solid_kind)kind_a, (tp_solid_kind)kind_b, NULL) == TP_OK)

/* All slots; of general convex pairs the first two and the last, since some need two parallel lines or a
   contact with eight corners. */
static int frequent_slots(const tp_solid *a, const tp_solid *b)
{
    int count = tp_collide_slot_count(a, b);
    bool has_round = a->kind == TP_SOLID_CYLINDER || b->kind == TP_SOLID_CYLINDER,
         has_hull = a->kind == TP_SOLID_HULL || b->kind == TP_SOLID_HULL;
    bool is_general = (has_hull && (count == 3 || count == 9)) || (has_round && (count == 5 || count == 9));
    return is_general ? 1 << (count - 1) | 3 : (1 << count) - 1;
}

/* The central difference of a gap over a step; NAN where the contact is not there all the time. */
static double gap_slope(const tp_moving_solid *a, const tp_moving_solid *b, int slot, double h)
{
    moment before = at_time(a, b, -h), after = at_time(a, b, h);
    const tp_contact_point *last = solids_slot(before.points, before.count, slot);
    const tp_contact_point *next = solids_slot(after.points, after.count, slot);
    return last != NULL && next != NULL ? (next->gap - last->gap) / (2.0 * h) : NAN;
}

TEST(the_rate_of_every_gap_is_the_normal_velocity_of_the_contact_points)
{
    check_random random = {801};
    FOR_EVERY_PAIR(kind_a, kind_b)
    {
        int smooth = 0, sharp = 0, exempt = 0, seen = 0, every_slot = 0;
        for (int round = 0; round < ROUNDS; round++) {
            tp_moving_solid a = random_moving(&random, (tp_solid_kind)kind_a);
            tp_moving_solid b = random_moving(&random, (tp_solid_kind)kind_b);
            moment before = at_time(&a, &b, -step), now = at_time(&a, &b, 0.0), after = at_time(&a, &b, step);
            for (int i = 0; i < now.count; i++) {
                const tp_contact_point *point = &now.points[i];
                const tp_contact_point *last = solids_slot(before.points, before.count, point->slot);
                const tp_contact_point *next = solids_slot(after.points, after.count, point->slot);
                seen |= 1 << point->slot;
                every_slot |= frequent_slots(&a.solid, &b.solid);
                if (solids_is_rim_quarter(&a.solid, &b.solid, point->slot)) continue;
                if (solids_is_flat_crossing(&a, &b, point)) {
                    exempt++;
                    continue;
                }
                double slope = gap_slope(&a, &b, point->slot, step);
                if (last == NULL || next == NULL ||
                    fabs(next->gap - 2.0 * point->gap + last->gap) > sharpest * step * step ||
                    !(fabs(gap_slope(&a, &b, point->slot, 2.0 * step) - slope) <= difference_tolerance)) {
                    sharp++;
                    continue;
                }
                tp_vec3 relative = tp_vec3_sub(solids_velocity(&b.pose, &b.twist, point->point_b),
                                               solids_velocity(&a.pose, &a.twist, point->point_a));
                CHECK_NEAR(slope, tp_vec3_dot(point->normal, relative), difference_tolerance);
                smooth++;
            }
        }
        /* Every slot occurs, and hardly any place is sharp. */
        CHECK_INT(seen & every_slot, every_slot);
        CHECK(smooth > ROUNDS / 2);
        CHECK(sharp < smooth / 50);
        CHECK(exempt < smooth / 20);
    }
}

TEST(normals_are_unit_and_gaps_are_distances_along_them)
{
    check_random random = {802};
    FOR_EVERY_PAIR(kind_a, kind_b)
    for (int round = 0; round < ROUNDS; round++) {
        tp_moving_solid a = random_moving(&random, (tp_solid_kind)kind_a);
        tp_moving_solid b = random_moving(&random, (tp_solid_kind)kind_b);
        moment now = at_time(&a, &b, 0.0);
        int last_slot = -1;
        for (int i = 0; i < now.count; i++) {
            tp_contact_point p = now.points[i];
            CHECK_NEAR(tp_vec3_norm(p.normal), 1.0, rounding);
            CHECK_NEAR(tp_vec3_dot(p.normal, tp_vec3_sub(p.point_b, p.point_a)), p.gap, rounding);
            CHECK_NEAR(solids_distance(p.point_a, p.point_b), fabs(p.gap), 10.0 * rounding);
            CHECK(p.slot > last_slot);
            CHECK(p.slot < tp_collide_slot_count(&a.solid, &b.solid));
            last_slot = p.slot;
        }
    }
}

static double height(const tp_moving_solid *body, tp_vec3 point)
{
    tp_vec3 x = tp_quat_rotate_back(body->pose.orientation, tp_vec3_sub(point, body->pose.origin));
    return tp_solid_nearest(&body->solid, x, tp_vec3_zero()).distance;
}

/* The other points of separated bodies belong to them too: the far end of a tilted capsule touches with a
   point of the ball about it that may lie inside the capsule. A flush vertex may be over the side of a face
   by 1e-6 of its size. Overlapping bodies meet at features that may lie anywhere in the other one. */
TEST(the_nearest_contact_points_of_separated_bodies_lie_on_their_surfaces)
{
    check_random random = {803};
    FOR_EVERY_PAIR(kind_a, kind_b)
    for (int round = 0; round < ROUNDS; round++) {
        tp_moving_solid a = random_moving(&random, (tp_solid_kind)kind_a);
        tp_moving_solid b = random_moving(&random, (tp_solid_kind)kind_b);
        moment now = at_time(&a, &b, 0.0);
        const tp_contact_point *deepest = solids_deepest(now.points, now.count);
        if (!(deepest->gap > 0.0)) continue;
        CHECK_NEAR(height(&a, deepest->point_a), 0.0, 2e-6);
        CHECK_NEAR(height(&b, deepest->point_b), 0.0, 2e-6);
        for (int i = 0; i < now.count; i++) {
            CHECK(height(&a, now.points[i].point_a) < 2e-6);
            CHECK(height(&b, now.points[i].point_b) < 2e-6);
        }
    }
}

TEST(swapping_the_solids_keeps_gaps_and_turns_normals)
{
    check_random random = {804};
    FOR_EVERY_PAIR(kind_a, kind_b)
    for (int round = 0; round < ROUNDS; round++) {
        tp_moving_solid a = random_moving(&random, (tp_solid_kind)kind_a);
        tp_moving_solid b = random_moving(&random, (tp_solid_kind)kind_b);
        moment one = at_time(&a, &b, 0.0), two = at_time(&b, &a, 0.0);
        if (kind_a != kind_b) {
            CHECK_INT(one.count, two.count);
            for (int i = 0; i < one.count; i++) {
                CHECK_INT(one.points[i].slot, two.points[i].slot);
                CHECK_NEAR(one.points[i].gap, two.points[i].gap, 0.0);
                CHECK_NEAR(solids_distance(one.points[i].normal, tp_vec3_negate(two.points[i].normal)), 0.0,
                           0.0);
                CHECK_NEAR(solids_distance(one.points[i].point_a, two.points[i].point_b), 0.0, 0.0);
                CHECK_NEAR(solids_distance(one.points[i].point_b, two.points[i].point_a), 0.0, 0.0);
            }
        } else {
            const tp_contact_point *p = solids_deepest(one.points, one.count);
            const tp_contact_point *q = solids_deepest(two.points, two.count);
            CHECK(p != NULL && q != NULL);
            CHECK_NEAR(p->gap, q->gap, rounding);
            CHECK_NEAR(solids_distance(p->normal, tp_vec3_negate(q->normal)), 0.0, 1e-6);
        }
    }
}

TEST(a_common_rigid_motion_moves_the_points_along)
{
    check_random random = {805};
    FOR_EVERY_PAIR(kind_a, kind_b)
    for (int round = 0; round < ROUNDS; round++) {
        tp_moving_solid a = random_moving(&random, (tp_solid_kind)kind_a);
        tp_moving_solid b = random_moving(&random, (tp_solid_kind)kind_b);
        moment one = at_time(&a, &b, 0.0);
        tp_pose motion = solids_pose(&random, 3.0);
        a.pose = tp_pose_compose(&motion, &a.pose);
        b.pose = tp_pose_compose(&motion, &b.pose);
        moment two = at_time(&a, &b, 0.0);
        CHECK_INT(one.count, two.count);
        for (int i = 0; i < one.count; i++) {
            CHECK_INT(one.points[i].slot, two.points[i].slot);
            CHECK_NEAR(one.points[i].gap, two.points[i].gap, 10.0 * rounding);
            tp_vec3 n = tp_quat_rotate(motion.orientation, one.points[i].normal);
            CHECK_NEAR(solids_distance(n, two.points[i].normal), 0.0, 1e-9); /* crossings of short edges */
            CHECK_NEAR(solids_distance(tp_pose_point(&motion, one.points[i].point_a), two.points[i].point_a),
                       0.0, 1e-9);
        }
    }
}

/* No point of a body moves faster than |v| + |w| (bounding radius); the distance changes at most by the sum
   for both. Against a plane or a hollow the arm reaches to the contact instead. 2e-8 covers the margins. */
TEST(the_smallest_gap_is_continuous_along_smooth_paths)
{
    check_random random = {806};
    const double dt = 1e-3;
    FOR_EVERY_PAIR(kind_a, kind_b)
    for (int path = 0; path < 20; path++) {
        tp_moving_solid a = random_moving(&random, (tp_solid_kind)kind_a);
        tp_moving_solid b = random_moving(&random, (tp_solid_kind)kind_b);
        double last = NAN;
        for (int i = 0; i < 500; i++) {
            double time = (i - 250) * dt;
            tp_pose pose_a = solids_moved(&a.pose, &a.twist, time),
                    pose_b = solids_moved(&b.pose, &b.twist, time);
            double arm_a = tp_solid_bounding_radius(&a.solid), arm_b = tp_solid_bounding_radius(&b.solid);
            double apart = solids_distance(pose_a.origin, pose_b.origin);
            if (isinf(arm_a)) arm_a = arm_b + apart;
            if (isinf(arm_b)) arm_b = arm_a + apart;
            double fastest = tp_vec3_norm(a.twist.velocity) + tp_vec3_norm(b.twist.velocity) +
                             (arm_a + 0.02) * tp_vec3_norm(a.twist.angular_velocity) +
                             (arm_b + 0.02) * tp_vec3_norm(b.twist.angular_velocity);
            moment at = at_time(&a, &b, time);
            CHECK(at.count > 0);
            double gap = solids_deepest(at.points, at.count)->gap;
            if (i > 0) CHECK_NEAR(gap, last, fastest * dt + 2e-8);
            last = gap;
        }
    }
}

/* The second difference of a vector, over the square of the step. */
static double bend_of(tp_vec3 last, tp_vec3 now, tp_vec3 next)
{
    return tp_vec3_norm(tp_vec3_add(last, tp_vec3_add_scaled(next, -2.0, now))) / (step * step);
}

/* Whether a contact keeps its features from `last` to `next`: what jumps or bends sharply does not. */
static bool is_smooth(const tp_contact_point *last, const tp_contact_point *now, const tp_contact_point *next)
{
    return last != NULL && next != NULL && bend_of(last->normal, now->normal, next->normal) < sharpest &&
           bend_of(last->point_a, now->point_a, next->point_a) < sharpest &&
           bend_of(last->point_b, now->point_b, next->point_b) < sharpest;
}

static tp_vec3 slope_of(tp_vec3 last, tp_vec3 next)
{
    return tp_vec3_scale(1.0 / (2.0 * step), tp_vec3_sub(next, last));
}

/* The approach of material points under the contact: the rate of the gap, but for the exceptions. */
static double approach(const tp_moving_solid *a, const tp_moving_solid *b, const tp_contact_point *point,
                       double time)
{
    tp_pose pose_a = solids_moved(&a->pose, &a->twist, time),
            pose_b = solids_moved(&b->pose, &b->twist, time);
    return tp_vec3_dot(point->normal, tp_vec3_sub(solids_velocity(&pose_b, &b->twist, point->point_b),
                                                  solids_velocity(&pose_a, &a->twist, point->point_a)));
}

/* Its rate for constant twists: what an acceleration of the gap has besides those of the bodies. */
static double approach_rate(const tp_moving_solid *a, const tp_moving_solid *b, const tp_contact_point *point,
                            const tp_contact_rate *rate)
{
    tp_vec3 relative = tp_vec3_sub(solids_velocity(&b->pose, &b->twist, point->point_b),
                                   solids_velocity(&a->pose, &a->twist, point->point_a));
    tp_vec3 run_a = tp_vec3_sub(rate->point_a, a->twist.velocity),
            run_b = tp_vec3_sub(rate->point_b, b->twist.velocity);
    tp_vec3 turned = tp_vec3_sub(tp_vec3_cross(b->twist.angular_velocity, run_b),
                                 tp_vec3_cross(a->twist.angular_velocity, run_a));
    return tp_vec3_dot(rate->normal, relative) + tp_vec3_dot(point->normal, turned);
}

static void check_rates(void **check_state_, const tp_moving_solid *a, const tp_moving_solid *b,
                        const tp_contact_point *last, const tp_contact_point *now,
                        const tp_contact_point *next)
{
    tp_contact_rate rate;
    CHECK(tp_collide_rate(a, b, now->slot, &rate));
    double tolerance = 10.0 * difference_tolerance;
    CHECK_NEAR((next->gap - last->gap) / (2.0 * step), rate.gap, difference_tolerance);
    CHECK_NEAR(solids_distance(slope_of(last->normal, next->normal), rate.normal), 0.0, tolerance);
    CHECK_NEAR(solids_distance(slope_of(last->point_a, next->point_a), rate.point_a), 0.0, tolerance);
    CHECK_NEAR(solids_distance(slope_of(last->point_b, next->point_b), rate.point_b), 0.0, tolerance);
    double second = (approach(a, b, next, step) - approach(a, b, last, -step)) / (2.0 * step);
    CHECK_NEAR(approach_rate(a, b, now, &rate), second, 10.0 * tolerance); /* three products of rates */
}

TEST(rates_of_points_normals_and_gaps_match_differences_for_every_pair)
{
    check_random random = {807};
    FOR_EVERY_PAIR(kind_a, kind_b)
    {
        int compared = 0, sharp = 0, seen = 0, every_slot = 0;
        for (int round = 0; round < ROUNDS; round++) {
            tp_moving_solid a = random_moving(&random, (tp_solid_kind)kind_a);
            tp_moving_solid b = random_moving(&random, (tp_solid_kind)kind_b);
            moment before = at_time(&a, &b, -step), at = at_time(&a, &b, 0.0), after = at_time(&a, &b, step);
            for (int i = 0; i < at.count; i++) {
                int slot = at.points[i].slot;
                const tp_contact_point *last = solids_slot(before.points, before.count, slot);
                const tp_contact_point *next = solids_slot(after.points, after.count, slot);
                if (!is_smooth(last, &at.points[i], next)) {
                    sharp++;
                    continue;
                }
                check_rates(check_state_, &a, &b, last, &at.points[i], next);
                compared++;
                seen |= 1 << slot;
                every_slot |= frequent_slots(&a.solid, &b.solid);
            }
        }
        CHECK_INT(seen & every_slot, every_slot);
        CHECK(compared > ROUNDS / 2);
        CHECK(sharp < compared / 4);
    }
}

/* Edges that cross nearly parallel over a side of a face have its normal, (16): boxes of nearly one size
   lying on each other, turned by up to 0.1 rad about the normal and tilted by less. */
TEST(rates_of_flat_crossings_match_differences)
{
    check_random random = {817};
    int compared = 0;
    for (int round = 0; round < ROUNDS; round++) {
        tp_moving_solid a = random_moving(&random, TP_SOLID_BOX), b = random_moving(&random, TP_SOLID_BOX);
        tp_vec3 h = a.solid.half_extents, turn = solids_vector(&random);
        b.solid = tp_solid_box(tp_vec3_make(1.01 * h.x, 0.99 * h.y, h.z));
        tp_quat tilt = tp_quat_exp(tp_vec3_make(0.03 * turn.x, 0.03 * turn.y, 0.05 * turn.z));
        tp_pose on_top = {tp_vec3_make(0.01 * h.x, -0.01 * h.y, 2.0 * h.z + 0.01), tilt};
        b.pose = tp_pose_compose(&a.pose, &on_top);
        /* Slow, since the crossing runs along its edge at the speed over the sine of the angle. */
        b.twist.velocity = tp_vec3_add_scaled(a.twist.velocity, 0.05, b.twist.velocity);
        b.twist.angular_velocity = tp_vec3_scale(0.05, b.twist.angular_velocity);
        a.twist.angular_velocity = tp_vec3_scale(0.05, a.twist.angular_velocity);
        moment before = at_time(&a, &b, -step), at = at_time(&a, &b, 0.0), after = at_time(&a, &b, step);
        for (int i = 0; i < at.count; i++) {
            const tp_contact_point *now = &at.points[i];
            const tp_contact_point *last = solids_slot(before.points, before.count, now->slot);
            const tp_contact_point *next = solids_slot(after.points, after.count, now->slot);
            if (!solids_is_flat_crossing(&a, &b, now) || !is_smooth(last, now, next)) continue;
            check_rates(check_state_, &a, &b, last, now, next);
            compared++;
        }
    }
    CHECK(compared > ROUNDS / 4);
}

TEST(coinciding_centres_give_a_normal_and_the_same_every_time)
{
    FOR_EVERY_PAIR(kind_a, kind_b)
    {
        check_random random = {808};
        tp_solid a = solids_random(&random, (tp_solid_kind)kind_a);
        tp_solid b = solids_random(&random, (tp_solid_kind)kind_b);
        tp_pose pose = tp_pose_identity();
        tp_contact_point points[TP_CONTACT_SLOTS_MAX], again[TP_CONTACT_SLOTS_MAX];
        for (int turned = 0; turned < 2; turned++) {
            int count = tp_collide(&a, &pose, &b, &pose, 10.0, points);
            CHECK(count > 0);
            CHECK_INT(tp_collide(&a, &pose, &b, &pose, 10.0, again), count);
            for (int i = 0; i < count; i++) {
                CHECK_NEAR(tp_vec3_norm(points[i].normal), 1.0, rounding);
                CHECK(isfinite(points[i].gap));
                CHECK_NEAR(points[i].gap, again[i].gap, 0.0);
                CHECK_NEAR(solids_distance(points[i].normal, again[i].normal), 0.0, 0.0);
            }
            pose = solids_pose(&random, 1.0);
        }
    }
}

TEST(a_pose_that_is_not_finite_has_no_contacts)
{
    FOR_EVERY_PAIR(kind_a, kind_b)
    for (int component = 0; component < 7; component++) {
        check_random random = {809};
        tp_moving_solid a = random_moving(&random, (tp_solid_kind)kind_a);
        tp_moving_solid b = random_moving(&random, (tp_solid_kind)kind_b);
        double *number[7] = {&b.pose.origin.x,      &b.pose.origin.y,      &b.pose.origin.z,
                             &b.pose.orientation.w, &b.pose.orientation.x, &b.pose.orientation.y,
                             &b.pose.orientation.z};
        *number[component] = NAN;
        tp_contact_point points[TP_CONTACT_SLOTS_MAX];
        int count = tp_collide(&a.solid, &a.pose, &b.solid, &b.pose, 10.0, points);
        /* A ball does not look at its orientation. */
        for (int i = 0; i < count; i++) CHECK(isfinite(points[i].gap));
    }
}

TEST(pairs_that_do_not_exist_are_named_with_those_that_do)
{
    tp_message why;
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    tp_solid cylinder = tp_solid_cylinder(1.0, 1.0), plane = tp_solid_plane(),
             hollow = tp_solid_inside_cylinder(3.0);
    tp_solid unknown = {.kind = (tp_solid_kind)99}, negative = {.kind = (tp_solid_kind)-1};
    tp_pose pose = tp_pose_identity();
    CHECK_INT(tp_collide_slot_count(&plane, &hollow), 0);
    CHECK_INT(tp_collide(&plane, &pose, &hollow, &pose, 1.0, points), 0);
    CHECK_INT(tp_collide_check(TP_SOLID_PLANE, TP_SOLID_INSIDE_CYLINDER, &why), TP_UNSUPPORTED);
    CHECK(strcmp(why.text,
                 "no contact between plane and inside-cylinder: plane can touch point, sphere, box, capsule, "
                 "cylinder, hull; inside-cylinder can touch point, sphere, box, capsule, cylinder, hull") ==
          0);
    CHECK_INT(tp_collide_slot_count(&unknown, &cylinder), 0);
    CHECK_INT(tp_collide_slot_count(&negative, &cylinder), 0);
    CHECK_INT(tp_collide_check(TP_SOLID_PLANE, TP_SOLID_PLANE, &why), TP_UNSUPPORTED);
    CHECK_INT(tp_collide_check(TP_SOLID_PLANE, TP_SOLID_BOX, &why), TP_OK);
}

/* Heaps of balls have a way of their own to their contact points: the same numbers. */
TEST(a_ball_has_the_contact_point_of_its_only_vertex)
{
    check_random random = {811};
    const tp_solid_kind kinds[] = {TP_SOLID_SPHERE, TP_SOLID_PLANE};
    for (int round = 0; round < ROUNDS; round++) {
        tp_moving_solid a = random_moving(&random, kinds[round % 2]),
                        b = random_moving(&random, TP_SOLID_SPHERE);
        if (round % 20 == 0) b.pose.origin = a.pose.origin;
        double reach = round % 3 == 0 ? 0.1 : INFINITY;
        tp_contact_point point[2];
        memset(point, 0, sizeof point);
        int count = tp_collide_vertices(&a.solid, &a.pose, &b.solid, &b.pose, reach, &point[0]);
        CHECK_INT(tp_collide_part(&a.solid, &a.pose, &b.solid, &b.pose, 0, reach, &point[1]), count);
        CHECK(memcmp(&point[0], &point[1], offsetof(tp_contact_point, slot)) == 0);
        CHECK_INT(point[1].slot, point[0].slot);
    }
}

TEST_MAIN(RUNS(a_ball_has_the_contact_point_of_its_only_vertex),
          RUNS(the_rate_of_every_gap_is_the_normal_velocity_of_the_contact_points),
          RUNS(normals_are_unit_and_gaps_are_distances_along_them),
          RUNS(the_nearest_contact_points_of_separated_bodies_lie_on_their_surfaces),
          RUNS(swapping_the_solids_keeps_gaps_and_turns_normals),
          RUNS(a_common_rigid_motion_moves_the_points_along),
          RUNS(the_smallest_gap_is_continuous_along_smooth_paths),
          RUNS(rates_of_points_normals_and_gaps_match_differences_for_every_pair),
          RUNS(rates_of_flat_crossings_match_differences),
          RUNS(coinciding_centres_give_a_normal_and_the_same_every_time),
          RUNS(a_pose_that_is_not_finite_has_no_contacts),
          RUNS(pairs_that_do_not_exist_are_named_with_those_that_do))
