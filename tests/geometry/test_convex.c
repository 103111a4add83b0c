/* Cylinders and hulls against boxes, capsules and each other, judged by brute force: the separation along a
   direction follows from the farthest points of both alone, and its largest value over all directions is the
   distance, or minus the shortest way apart. */
#include "check.h"
#include "solids.h"

#include <float.h>

/* The farthest point of a solid along n, from its definition. */
static double support(const tp_solid *solid, const tp_pose *pose, tp_vec3 n)
{
    tp_vec3 m = tp_quat_rotate_back(pose->orientation, n), h = solid->half_extents;
    double middle = tp_vec3_dot(n, pose->origin), best = -INFINITY;
    switch (solid->kind) {
    case TP_SOLID_BOX: return middle + h.x * fabs(m.x) + h.y * fabs(m.y) + h.z * fabs(m.z);
    case TP_SOLID_CAPSULE: return middle + solid->half_length * fabs(m.z) + solid->radius;
    case TP_SOLID_CYLINDER: return middle + solid->half_length * fabs(m.z) + solid->radius * hypot(m.x, m.y);
    case TP_SOLID_HULL:
        for (int k = 0; k < solid->hull->vertex_count; k++)
            best = fmax(best, tp_vec3_dot(m, solid->hull->vertices[k]));
        return middle + best;
    default: break;
    }
    return NAN;
}

typedef struct two_solids {
    tp_solid a, b;
    tp_pose pose_a, pose_b;
} two_solids;

static double separation(const two_solids *two, tp_vec3 n)
{
    return -support(&two->a, &two->pose_a, n) - support(&two->b, &two->pose_b, tp_vec3_negate(n));
}

/* The best of 500 directions, each of the three best improved by ever smaller steps in eight directions. */
static double largest_separation(const two_solids *two)
{
    enum { DIRECTIONS = 500, BEST = 3 };
    tp_vec3 best[BEST] = {{0.0, 0.0, 1.0}};
    double value[BEST];
    for (int k = 0; k < BEST; k++) value[k] = -INFINITY;
    for (int i = 0; i < DIRECTIONS; i++) {
        double z = 1.0 - (2.0 * i + 1.0) / DIRECTIONS, angle = 2.399963229728653 * i, r = sqrt(1.0 - z * z);
        tp_vec3 n = {r * cos(angle), r * sin(angle), z};
        double gap = separation(two, n);
        for (int k = 0; k < BEST; k++) {
            if (!(gap > value[k])) continue;
            double swap = value[k];
            tp_vec3 other = best[k];
            value[k] = gap, best[k] = n;
            gap = swap, n = other;
        }
    }
    double most = -INFINITY;
    for (int k = 0; k < BEST; k++) {
        for (double size = 0.05; size > 1e-6;) {
            tp_mat3 frame = tp_frame_from_normal(best[k]);
            bool is_better = false;
            for (int d = 0; d < 8 && !is_better; d++) {
                double angle = 0.7853981633974483 * d;
                tp_vec3 n = tp_vec3_add_scaled(best[k], size * cos(angle), frame.cy);
                n = tp_vec3_normalise(tp_vec3_add_scaled(n, size * sin(angle), frame.cz));
                double gap = separation(two, n);
                is_better = gap > value[k];
                if (is_better) value[k] = gap, best[k] = n;
            }
            if (!is_better) size *= 0.5;
        }
        most = fmax(most, value[k]);
    }
    return most;
}

static const int kinds[4] = {TP_SOLID_BOX, TP_SOLID_CAPSULE, TP_SOLID_CYLINDER, TP_SOLID_HULL};

static bool is_general(int kind_a, int kind_b)
{
    return kind_a == TP_SOLID_CYLINDER || kind_b == TP_SOLID_CYLINDER || kind_a == TP_SOLID_HULL ||
           kind_b == TP_SOLID_HULL;
}

/* Every third pair stands along or across the other within 1e-9 to 1 rad, every third one is thin. */
static two_solids random_two(check_random *random, int kind_a, int kind_b, double spread)
{
    two_solids two = {solids_random(random, (tp_solid_kind)kind_a),
                      solids_random(random, (tp_solid_kind)kind_b), solids_pose(random, spread),
                      solids_pose(random, spread)};
    int which = (int)(check_random_bits(random) % 3);
    if (which == 1) {
        double angle = pow(10.0, check_uniform(random, -9.0, 0.0));
        tp_quat tilt = tp_quat_exp(tp_vec3_scale(angle, solids_vector(random)));
        tp_quat quarter =
            tp_quat_normalise(tp_quat_make(1.0, (double)(check_random_bits(random) % 2), 0.0, 0.0));
        two.pose_b.orientation =
            tp_quat_normalise(tp_quat_multiply(two.pose_a.orientation, tp_quat_multiply(quarter, tilt)));
    }
    if (which == 2 && two.a.kind == TP_SOLID_CYLINDER) two.a.half_length *= 0.01;
    if (which == 2 && two.b.kind == TP_SOLID_BOX) two.b.half_extents.y *= 0.01;
    return two;
}

/* No direction separates more than the smallest gap says, and the normal of that gap separates as much. The
   margin by which a later candidate must be better is 1e-9 of the sizes, which are up to 3; a point may be
   1e-6 of them beyond the side of a face that is tilted by up to 0.1 rad. */
TEST(the_smallest_gap_is_the_largest_separation_over_all_directions)
{
    check_random random = {861};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            if (!is_general(kinds[i], kinds[j])) continue;
            int apart = 0, overlapping = 0;
            for (int round = 0; round < 40; round++) {
                two_solids two = random_two(&random, kinds[i], kinds[j], round % 2 == 0 ? 0.4 : 1.0);
                tp_contact_point points[TP_CONTACT_SLOTS_MAX];
                int count = tp_collide(&two.a, &two.pose_a, &two.b, &two.pose_b, 100.0, points);
                CHECK(count > 0);
                const tp_contact_point *deepest = solids_deepest(points, count);
                CHECK(deepest->gap >= largest_separation(&two) - 1e-8);
                CHECK_NEAR(separation(&two, deepest->normal), deepest->gap, 3e-7);
                if (deepest->gap > 0.0)
                    apart++;
                else
                    overlapping++;
            }
            CHECK(apart > 5);
            CHECK(overlapping > 5);
        }
}

static void scale_cylinder(tp_solid *cylinder, double scale)
{
    cylinder->radius *= scale;
    cylinder->half_length *= scale;
}

/* Pairs that are brought to touch are found to touch: the direction that separates them is not lost for
   another one. Rims that touched at a steep angle, with nearly parallel tangents, were found 1e-4 of their
   size deep in one of 300 pairs, so that a cylinder that lay still jumped now and then. Cylinders are of a
   metre and of a millimetre. Points of both may be
   3e-7 off, as above. */
TEST(pairs_that_touch_are_found_to_touch)
{
    check_random random = {4242};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            if (!is_general(kinds[i], kinds[j])) continue;
            bool are_round = kinds[i] == TP_SOLID_CYLINDER && kinds[j] == TP_SOLID_CYLINDER;
            for (int round = 0; round < (are_round ? 2000 : 100); round++) {
                double size = are_round && round % 2 == 1 ? 1e-3 : 1.0;
                two_solids two = random_two(&random, kinds[i], kinds[j], size);
                tp_contact_point points[TP_CONTACT_SLOTS_MAX];
                if (are_round) scale_cylinder(&two.a, size);
                if (are_round) scale_cylinder(&two.b, size);
                int count = tp_collide(&two.a, &two.pose_a, &two.b, &two.pose_b, 100.0, points);
                tp_contact_point apart = *solids_deepest(points, count);
                if (!(apart.gap > 0.0)) continue;
                two.pose_b.origin = tp_vec3_add_scaled(two.pose_b.origin, -apart.gap, apart.normal);
                count = tp_collide(&two.a, &two.pose_a, &two.b, &two.pose_b, 100.0, points);
                CHECK_NEAR(solids_deepest(points, count)->gap, 0.0, 6e-7 * size);
            }
        }
}

/* ---- manifolds ---- */

static tp_pose turned(double x, double y, double z, tp_vec3 axis, double angle)
{
    return (tp_pose){{x, y, z}, tp_quat_from_axis_angle(axis, angle)};
}

static const tp_vec3 about_x = {1.0, 0.0, 0.0}, about_y = {0.0, 1.0, 0.0}, about_z = {0.0, 0.0, 1.0};
static const double rounding = 256.0 * DBL_EPSILON, quarter = 1.5707963267948966;

static int slots_of(const tp_contact_point *points, int count)
{
    int slots = 0;
    for (int i = 0; i < count; i++) slots |= 1 << points[i].slot;
    return slots;
}

TEST(a_can_on_a_box_stands_on_four_points_and_hangs_over_its_edge_on_two_more)
{
    tp_solid box = tp_solid_box(tp_vec3_make(1.0, 1.0, 0.5)), can = tp_solid_cylinder(0.3, 0.4);
    tp_pose ground = tp_pose_identity(), pose = {{0.1, 0.2, 0.9 + 1e-7}, tp_quat_identity()};
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    CHECK_INT(tp_collide(&box, &ground, &can, &pose, 0.01, points), 4);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(points[i].gap, 1e-7, rounding);
        CHECK_NEAR(hypot(points[i].point_b.x - 0.1, points[i].point_b.y - 0.2), 0.3, rounding);
    }
    /* The middle 0.1 beyond the edge x = 1: it crosses the rim at y = +-sqrt(0.3^2 - 0.1^2). */
    pose.origin = tp_vec3_make(1.1, 0.0, 0.9);
    int count = tp_collide(&box, &ground, &can, &pose, 0.01, points), crossings = 0;
    for (int i = 0; i < count; i++) {
        CHECK(points[i].point_a.x <= 1.0 + 1e-5);
        bool is_crossing = fabs(points[i].point_a.x - 1.0) < 1e-9;
        crossings += is_crossing;
        if (is_crossing) CHECK_NEAR(fabs(points[i].point_a.y), sqrt(0.08), 1e-9);
    }
    CHECK_INT(crossings, 2);
    CHECK_INT(count, 3); /* and the corner of the cap at -x */
}

TEST(lying_cylinders_rest_on_the_ends_of_what_they_share)
{
    tp_solid box = tp_solid_box(tp_vec3_make(0.5, 1.0, 0.5)), roller = tp_solid_cylinder(0.1, 2.0);
    tp_pose ground = tp_pose_identity(), pose = turned(0.0, 0.3, 0.6, about_y, quarter);
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    for (int turn = 0; turn < 50; turn++) { /* rolling about its own axis changes nothing */
        tp_pose rolled = pose;
        rolled.orientation =
            tp_quat_multiply(pose.orientation, tp_quat_from_axis_angle(about_z, 0.13 * turn));
        CHECK_INT(tp_collide(&box, &ground, &roller, &rolled, 0.01, points), 2);
        CHECK_INT(slots_of(points, 2), 3);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(fabs(points[i].point_b.x), 0.5, 1e-9);
            CHECK_NEAR(points[i].gap, 0.0, rounding);
        }
    }
    /* Two rollers side by side share z from -0.7 to 1.3. */
    tp_solid other = tp_solid_cylinder(0.2, 1.0);
    tp_pose beside = {{0.3 + 1e-6, 0.0, 0.3}, tp_quat_identity()};
    CHECK_INT(tp_collide(&roller, &ground, &other, &beside, 0.01, points), 2);
    CHECK_NEAR(fmin(points[0].point_a.z, points[1].point_a.z), -0.7, rounding);
    CHECK_NEAR(fmax(points[0].point_a.z, points[1].point_a.z), 1.3, rounding);
    for (int i = 0; i < 2; i++) CHECK_NEAR(points[i].gap, 1e-6, rounding);
    tp_solid capsule = tp_solid_capsule(0.2, 1.0);
    CHECK_INT(tp_collide(&roller, &ground, &capsule, &beside, 0.01, points), 2);
}

/* Small motions of stacks change gaps by as much and no slot. Margins for ties are 1e-5 of the sizes. */
TEST(small_motions_keep_the_contacts_of_a_stack)
{
    check_random random = {862};
    const tp_vec3 corners[8] = {{-0.3, -0.4, -0.2}, {0.3, -0.4, -0.2}, {-0.3, 0.4, -0.2}, {0.3, 0.4, -0.2},
                                {-0.3, -0.4, 0.2},  {0.3, -0.4, 0.2},  {-0.3, 0.4, 0.2},  {0.3, 0.4, 0.2}};
    tp_hull *hull;
    CHECK_INT(tp_hull_create(NULL, corners, 8, &hull, NULL), TP_OK);
    tp_solid table = tp_solid_box(tp_vec3_make(1.0, 1.0, 0.2)), block = tp_solid_hull(hull),
             can = tp_solid_cylinder(0.3, 0.2), roller = tp_solid_cylinder(0.2, 0.4);
    const tp_solid *stacks[5][2] = {
        {&table, &block}, {&block, &block}, {&table, &can}, {&can, &can}, {&table, &roller}};
    for (int k = 0; k < 5; k++) {
        tp_pose ground = tp_pose_identity(), pose = {{0.0, 0.0, 0.4}, tp_quat_identity()};
        if (k == 4) pose.orientation = tp_quat_from_axis_angle(about_x, quarter);
        tp_contact_point points[TP_CONTACT_SLOTS_MAX], moved[TP_CONTACT_SLOTS_MAX];
        int count = tp_collide(stacks[k][0], &ground, stacks[k][1], &pose, 0.1, points);
        CHECK_INT(count, k == 4 ? 2 : 4);
        for (int round = 0; round < 400; round++) {
            double size = pow(10.0, check_uniform(&random, -14.0, -7.0));
            tp_pose at = {
                tp_vec3_add_scaled(pose.origin, size, solids_vector(&random)),
                tp_quat_multiply(tp_quat_exp(tp_vec3_scale(size, solids_vector(&random))), pose.orientation)};
            int moved_count = tp_collide(stacks[k][0], &ground, stacks[k][1], &at, 0.1, moved);
            /* A tilted rim has a lowest point besides its corners: the last slot. */
            CHECK_INT(slots_of(moved, moved_count) & 0xff, slots_of(points, count));
            for (int i = 0; i < count; i++) {
                const tp_contact_point *same = solids_slot(moved, moved_count, points[i].slot);
                CHECK_NEAR(same->gap, points[i].gap, 10.0 * size + rounding);
                CHECK_NEAR(solids_distance(same->point_b, points[i].point_b), 0.0, 10.0 * size + 2e-6);
                CHECK_NEAR(same->normal.z, 1.0, 1e-6);
            }
        }
    }
    tp_hull_free(NULL, hull);
}

/* A box that slides on a plane, on a box and as a hull keeps its slots; one that rolls over its edges has on
   the plane the slots of the corners below. */
TEST(sliding_and_rolling_boxes_keep_their_slots)
{
    tp_vec3 half = {0.2, 0.2, 0.2}, corners[8];
    for (int k = 0; k < 8; k++)
        corners[k] =
            tp_vec3_make(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
    tp_hull *hull;
    CHECK_INT(tp_hull_create(NULL, corners, 8, &hull, NULL), TP_OK);
    tp_solid plane = tp_solid_plane(), table = tp_solid_box(tp_vec3_make(3.0, 3.0, 0.1)),
             boxes[2] = {tp_solid_box(half), tp_solid_hull(hull)};
    tp_pose ground = tp_pose_identity(), below = {{0.0, 0.0, -0.1}, tp_quat_identity()};
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    for (int which = 0; which < 2; which++) {
        int first[2] = {0, 0};
        for (int i = 0; i < 200; i++) {
            tp_pose pose = turned(0.01 * i - 1.0, 0.004 * i, 0.2, about_z, 0.003);
            for (int on = 0; on < 2; on++) {
                int count = on == 0 ? tp_collide(&plane, &ground, &boxes[which], &pose, 0.01, points)
                                    : tp_collide(&table, &below, &boxes[which], &pose, 0.01, points);
                CHECK_INT(count, 4);
                if (i == 0) first[on] = slots_of(points, count);
                CHECK_INT(slots_of(points, count), first[on]);
            }
        }
        int seen[8] = {0};
        for (int i = 0; i < 400; i++) { /* one turn about y, the lowest corner on the plane */
            double angle = 4.0 * quarter * i / 400.0,
                   lowest = fabs(0.2 * cos(angle)) + fabs(0.2 * sin(angle));
            tp_pose pose = turned(0.0, 0.0, lowest, about_y, angle);
            int count = tp_collide(&plane, &ground, &boxes[which], &pose, 1e-9, points);
            CHECK(count == 2 || count == 4);
            for (int k = 0; k < count; k++) {
                CHECK_NEAR(points[k].point_b.z, 0.0, rounding);
                seen[points[k].slot]++;
            }
        }
        for (int k = 0; k < 8; k++) CHECK_NEAR(seen[k], 101.0, 1.0); /* a quarter of the turn each */
    }
    tp_hull_free(NULL, hull);
}

/* A capsule or a cylinder that lies across the side of a standing cylinder, on all sides of it: the distance
   is that of the axes less the radii. The direction in which a search over a whole circle begins and ends was
   left out where the side touches there; a quarter of these pairs then overlapped by half of their lengths.
 */
TEST(what_lies_across_a_cylinder_touches_its_side)
{
    const double r = 0.1, gaps[] = {-1e-2, -1e-8, 0.0, 1e-8, 1e-2};
    tp_solid can = tp_solid_cylinder(0.15, 0.12),
             lying[] = {tp_solid_capsule(r, 0.1), tp_solid_cylinder(r, 0.2)};
    for (int i = 0; i < 1000; i++) {
        double angle = i < 8 ? 0.5 * quarter * i : 0.7 * i, gap = gaps[i % 5];
        tp_vec3 out = tp_vec3_make(cos(angle), sin(angle), 0.0), middle = tp_vec3_scale(0.15 + r + gap, out);
        for (int k = 0; k < 2; k++) {
            tp_pose standing = turned(0.0, 0.0, 0.0, about_z, 0.0),
                    across = turned(middle.x, middle.y, 0.0, tp_vec3_negate(out), quarter);
            tp_contact_point points[TP_CONTACT_SLOTS_MAX];
            int count = tp_collide(&can, &standing, &lying[k], &across, 0.1, points);
            double least = INFINITY;
            for (int p = 0; p < count; p++) least = fmin(least, points[p].gap);
            CHECK_NEAR(least, gap, 1e-13);
        }
    }
}

TEST_MAIN(RUNS(the_smallest_gap_is_the_largest_separation_over_all_directions),
          RUNS(what_lies_across_a_cylinder_touches_its_side), RUNS(pairs_that_touch_are_found_to_touch),
          RUNS(a_can_on_a_box_stands_on_four_points_and_hangs_over_its_edge_on_two_more),
          RUNS(lying_cylinders_rest_on_the_ends_of_what_they_share),
          RUNS(small_motions_keep_the_contacts_of_a_stack), RUNS(sliding_and_rolling_boxes_keep_their_slots))
