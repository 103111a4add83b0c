/* Boxes against boxes and capsules, judged by slow ways that share nothing with the method under test:
   edges against slabs for overlap, a search over all features for distance, sampled directions for depth. */
#include "check.h"
#include "solids.h"

#include <float.h>

static const double rounding = 256.0 * DBL_EPSILON;

static tp_pose moved_up(double z)
{
    return (tp_pose){{0.0, 0.0, z}, tp_quat_identity()};
}

static tp_vec3 box_corner(const tp_solid *box, const tp_pose *pose, int k)
{
    tp_vec3 h = box->half_extents;
    return tp_pose_point(pose, tp_vec3_make(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z));
}

/* Edge e = 4 axis + which: the corners at its ends. */
static void box_edge(int e, int *from, int *to)
{
    int axis = e / 4, low = e % 4, first = axis == 0 ? 2 : 1, second = axis == 2 ? 2 : 4;
    *from = (low & 1 ? first : 0) + (low & 2 ? second : 0);
    *to = *from + (1 << axis);
}

/* Whether a segment meets a box: the interval of its parameter left by the three slabs. */
static bool segment_meets(const tp_solid *box, const tp_pose *pose, tp_vec3 from, tp_vec3 to)
{
    tp_vec3 p = tp_quat_rotate_back(pose->orientation, tp_vec3_sub(from, pose->origin));
    tp_vec3 q = tp_quat_rotate_back(pose->orientation, tp_vec3_sub(to, pose->origin));
    double start[3] = {p.x, p.y, p.z}, end[3] = {q.x, q.y, q.z}, low = 0.0, high = 1.0;
    double half[3] = {box->half_extents.x, box->half_extents.y, box->half_extents.z};
    for (int k = 0; k < 3; k++) {
        double speed = end[k] - start[k];
        double a = (-half[k] - start[k]) / speed, b = (half[k] - start[k]) / speed;
        low = fmax(low, fmin(a, b));
        high = fmin(high, fmax(a, b));
    }
    return low <= high;
}

/* Two convex polyhedra overlap when an edge of one meets the other. */
static bool boxes_overlap(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b)
{
    for (int e = 0; e < 12; e++) {
        int from, to;
        box_edge(e, &from, &to);
        if (segment_meets(b, pose_b, box_corner(a, pose_a, from), box_corner(a, pose_a, to))) return true;
        if (segment_meets(a, pose_a, box_corner(b, pose_b, from), box_corner(b, pose_b, to))) return true;
    }
    return false;
}

static double point_to_segment(tp_vec3 x, tp_vec3 from, tp_vec3 to)
{
    tp_vec3 along = tp_vec3_sub(to, from);
    double s = tp_vec3_dot(tp_vec3_sub(x, from), along) / tp_vec3_dot(along, along);
    return solids_distance(x, tp_vec3_add_scaled(from, fmin(fmax(s, 0.0), 1.0), along));
}

/* The distance from a segment is convex along the other: golden search, exact to 1e-8 of the length. */
static double segment_to_segment(tp_vec3 a, tp_vec3 b, tp_vec3 c, tp_vec3 d)
{
    const double golden = 0.6180339887498949;
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 45; i++) {
        double s = high - golden * (high - low), t = low + golden * (high - low);
        tp_vec3 along = tp_vec3_sub(b, a);
        double at_s = point_to_segment(tp_vec3_add_scaled(a, s, along), c, d);
        double at_t = point_to_segment(tp_vec3_add_scaled(a, t, along), c, d);
        if (at_s < at_t)
            high = t;
        else
            low = s;
    }
    return point_to_segment(tp_vec3_add_scaled(a, 0.5 * (low + high), tp_vec3_sub(b, a)), c, d);
}

static double point_to_box(const tp_solid *box, const tp_pose *pose, tp_vec3 point)
{
    tp_vec3 x = tp_quat_rotate_back(pose->orientation, tp_vec3_sub(point, pose->origin)),
            h = box->half_extents;
    return tp_vec3_norm(
        tp_vec3_make(fmax(fabs(x.x) - h.x, 0.0), fmax(fabs(x.y) - h.y, 0.0), fmax(fabs(x.z) - h.z, 0.0)));
}

/* Separated boxes: all vertices against the other box, all edges against all edges. */
static double box_distance(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b)
{
    double best = INFINITY;
    for (int k = 0; k < 8; k++) {
        best = fmin(best, point_to_box(b, pose_b, box_corner(a, pose_a, k)));
        best = fmin(best, point_to_box(a, pose_a, box_corner(b, pose_b, k)));
    }
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            int from, to, begin, end;
            box_edge(i, &from, &to);
            box_edge(j, &begin, &end);
            best = fmin(best, segment_to_segment(box_corner(a, pose_a, from), box_corner(a, pose_a, to),
                                                 box_corner(b, pose_b, begin), box_corner(b, pose_b, end)));
        }
    return best;
}

typedef struct case_of_two {
    tp_solid a, b;
    tp_pose pose_a, pose_b;
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    int count;
    double gap; /* the smallest */
} case_of_two;

/* Every third pair is nearly aligned (down to 1e-9 rad, also after quarter turns), every third one is a card
   of a hundredth of the thickness against a box. */
static case_of_two random_boxes(check_random *random)
{
    case_of_two two = {.a = solids_random(random, TP_SOLID_BOX), .b = solids_random(random, TP_SOLID_BOX)};
    two.pose_a = solids_pose(random, 0.7);
    two.pose_b = solids_pose(random, 0.7);
    int kind = (int)(check_random_bits(random) % 3);
    if (kind == 1) {
        double angle = pow(10.0, check_uniform(random, -9.0, 0.0));
        tp_quat tilt = tp_quat_exp(tp_vec3_scale(angle, solids_vector(random)));
        tp_quat quarter = tp_quat_make(1.0, (double)(check_random_bits(random) % 2), 0.0, 0.0);
        tp_quat turn = tp_quat_multiply(tp_quat_normalise(quarter), tilt);
        two.pose_b.orientation = tp_quat_normalise(tp_quat_multiply(two.pose_a.orientation, turn));
    }
    if (kind == 2) two.b.half_extents.y *= 0.01;
    two.count = tp_collide(&two.a, &two.pose_a, &two.b, &two.pose_b, 100.0, two.points);
    const tp_contact_point *deepest = solids_deepest(two.points, two.count);
    two.gap = deepest != NULL ? deepest->gap : NAN;
    return two;
}

/* A difference of 1e-9 in the gap is rounding or the margin between axes, relative to sizes of order one. */
TEST(the_sign_of_the_smallest_gap_says_whether_two_boxes_overlap)
{
    check_random random = {821};
    int overlapping = 0, separated = 0;
    for (int round = 0; round < 100000; round++) {
        case_of_two two = random_boxes(&random);
        CHECK(two.count > 0);
        if (fabs(two.gap) < 1e-8) continue;
        bool overlap = boxes_overlap(&two.a, &two.pose_a, &two.b, &two.pose_b);
        CHECK(overlap == (two.gap < 0.0));
        if (overlap)
            overlapping++;
        else
            separated++;
    }
    CHECK(overlapping > 20000);
    CHECK(separated > 20000);
}

/* The golden search places its minimum to 1e-9, which changes a distance by its square over the distance
   or, at a kink, by 1e-9. */
TEST(the_smallest_gap_of_separated_boxes_is_their_distance)
{
    check_random random = {822};
    int compared = 0;
    while (compared < 1500) {
        case_of_two two = random_boxes(&random);
        if (two.gap < 1e-3) continue;
        CHECK_NEAR(two.gap, box_distance(&two.a, &two.pose_a, &two.b, &two.pose_b), 2e-8);
        compared++;
    }
}

static double half_width(const tp_solid *box, const tp_pose *pose, tp_vec3 n)
{
    tp_vec3 x = tp_quat_rotate_back(pose->orientation, n), h = box->half_extents;
    return h.x * fabs(x.x) + h.y * fabs(x.y) + h.z * fabs(x.z);
}

/* No direction separates overlapping boxes by a shorter way than the contact says: neither random ones nor
   those around the normal found. */
TEST(the_smallest_gap_of_overlapping_boxes_is_the_shortest_way_apart)
{
    check_random random = {823};
    for (int round = 0; round < 3000; round++) {
        case_of_two two = random_boxes(&random);
        if (!(two.gap < 0.0)) continue;
        tp_vec3 normal = solids_deepest(two.points, two.count)->normal;
        tp_vec3 apart = tp_vec3_sub(two.pose_b.origin, two.pose_a.origin);
        for (int sample = 0; sample < 100; sample++) {
            tp_vec3 n = solids_vector(&random);
            if (sample % 2 == 1) n = tp_vec3_add_scaled(normal, 0.05, n);
            n = tp_vec3_normalise(n);
            double separation = tp_vec3_dot(n, apart) - half_width(&two.a, &two.pose_a, n) -
                                half_width(&two.b, &two.pose_b, n);
            CHECK(separation <= two.gap + 1e-8);
        }
    }
}

/* ---- stacks ---- */

static int stack(tp_vec3 lower, tp_vec3 upper, const tp_pose *pose, tp_contact_point *points)
{
    tp_solid a = tp_solid_box(lower), b = tp_solid_box(upper);
    tp_pose ground = tp_pose_identity();
    return tp_collide(&a, &ground, &b, pose, 0.01, points);
}

TEST(a_box_flat_on_a_box_has_the_four_corners_of_the_overlap)
{
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    tp_vec3 cube = {0.5, 0.5, 0.5}, small = {0.2, 0.3, 0.5}, wide = {2.0, 3.0, 0.5}, plank = {2.0, 0.1, 0.5};
    const tp_vec3 upper[4] = {cube, small, wide, plank};
    const double gaps[5] = {0.0, 1e-3, -1e-3, 1e-12, -1e-12};
    for (int k = 0; k < 4; k++)
        for (int g = 0; g < 5; g++) {
            tp_pose pose = moved_up(1.0 + gaps[g]);
            CHECK_INT(stack(cube, upper[k], &pose, points), 4);
            double along_x = fmin(0.5, upper[k].x), along_y = fmin(0.5, upper[k].y);
            for (int i = 0; i < 4; i++) {
                CHECK_NEAR(points[i].gap, gaps[g], 2.0 * DBL_EPSILON);
                CHECK_NEAR(points[i].normal.z, 1.0, rounding);
                CHECK_NEAR(fabs(points[i].point_b.x), along_x, rounding);
                CHECK_NEAR(fabs(points[i].point_b.y), along_y, rounding);
            }
        }
}

TEST(an_overhanging_box_is_carried_at_the_corners_of_the_overlap)
{
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    tp_vec3 cube = {0.5, 0.5, 0.5};
    tp_pose pose = {{0.3, 0.0, 1.0 + 1e-6}, tp_quat_identity()};
    CHECK_INT(stack(cube, cube, &pose, points), 4);
    for (int i = 0; i < 4; i++) {
        double x = points[i].point_b.x;
        CHECK(fabs(x - 0.5) < 1e-5 || fabs(x + 0.2) < 1e-5);
        CHECK_NEAR(points[i].gap, 1e-6, rounding);
    }
}

TEST(a_cube_turned_by_an_eighth_has_eight_contacts)
{
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    tp_vec3 cube = {0.5, 0.5, 0.5};
    tp_pose pose = moved_up(1.0);
    pose.orientation = tp_quat_from_axis_angle(tp_vec3_make(0.0, 0.0, 1.0), 0.7853981633974483);
    CHECK_INT(stack(cube, cube, &pose, points), 8);
    for (int i = 0; i < 8; i++) {
        CHECK_INT(points[i].slot, i);
        CHECK_NEAR(points[i].gap, 0.0, rounding);
        CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(points[i].point_a, moved_up(0.5).origin)), 0.5411961001461970,
                   1e-6); /* an octagon of inradius 1/2, widened by the margin at the sides */
    }
}

/* A stack rocks and slides by tiny amounts. Its contacts stay the same features, and each gap is the distance
   of a corner of the upper box from the plane of the lower, whichever way the boxes lean. */
TEST(tiny_motions_of_a_stack_do_not_change_which_points_touch)
{
    check_random random = {824};
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    const double sizes[4] = {1e-14, 1e-11, 1e-8, 1e-7};
    for (int round = 0; round < 4000; round++) {
        double size = sizes[round % 4];
        tp_vec3 cube = {0.5, 0.5, 0.5}, upper = round % 8 < 4 ? cube : tp_vec3_make(0.3, 0.4, 0.2);
        tp_pose pose = {tp_vec3_scale(size, solids_vector(&random)),
                        tp_quat_exp(tp_vec3_scale(size, solids_vector(&random)))};
        pose.origin.z += 0.5 + upper.z;
        CHECK_INT(stack(cube, upper, &pose, points), 4);
        tp_solid box = tp_solid_box(upper);
        for (int i = 0; i < 4; i++) {
            CHECK_INT(points[i].slot, 2 * i);
            double nearest = INFINITY;
            for (int k = 0; k < 8; k++)
                nearest = fmin(nearest, solids_distance(points[i].point_b, box_corner(&box, &pose, k)));
            CHECK_NEAR(nearest, 0.0, rounding);
            CHECK_NEAR(points[i].gap, points[i].point_b.z - 0.5, rounding);
            CHECK_NEAR(points[i].normal.z, 1.0, rounding);
        }
    }
}

/* What lies on a smaller box or across it touches with that box's corners or sides. The axis that separates
   most is then a face of the upper box or a product of edges, according to the tilt; the contacts are not. */
TEST(a_plank_on_a_box_keeps_its_contacts_at_every_small_tilt)
{
    check_random random = {828};
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    const tp_vec3 cube = {0.5, 0.5, 0.5}, upper[3] = {{2.0, 3.0, 0.5}, {2.0, 0.1, 0.5}, {0.3, 0.9, 0.5}};
    /* Corners of the lower box: 0 to 3. Edges 0 and 2, or 1 and 3, of the upper one: where they enter and
     * leave. */
    const int expected[3] = {0x0f, 0x33, 0xcc};
    const tp_solid lower_box = tp_solid_box(cube);
    const tp_pose ground = tp_pose_identity();
    for (int round = 0; round < 6000; round++) {
        int which = round % 3;
        double tilt = pow(10.0, check_uniform(&random, -15.0, log10(0.05)));
        tp_vec3 about = tp_vec3_normalise(solids_vector(&random));
        tp_solid box = tp_solid_box(upper[which]);
        tp_pose pose = {{0.0, 0.0, 1.0}, tp_quat_from_axis_angle(about, tilt)};
        int count = tp_collide(&lower_box, &ground, &box, &pose, 0.5, points), slots = 0;
        CHECK_INT(count, 4);
        for (int i = 0; i < 4; i++) slots |= 1 << points[i].slot;
        CHECK_INT(slots, expected[which]);
    }
}

/* Tilts up to 0.1 rad keep the face of A as the reference: never fewer than the corners that touch. */
TEST(a_tilted_box_on_a_box_touches_with_its_lowest_corners)
{
    check_random random = {825};
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    tp_vec3 wide = {2.0, 2.0, 0.5}, cube = {0.5, 0.5, 0.5};
    tp_solid box = tp_solid_box(cube);
    for (int round = 0; round < 1000; round++) {
        double angle = check_uniform(&random, 1e-4, 1.5);
        tp_pose pose = {{0.0, 0.0, 1.0}, tp_quat_from_axis_angle(solids_vector(&random), angle)};
        double lowest = INFINITY;
        for (int k = 0; k < 8; k++) lowest = fmin(lowest, box_corner(&box, &pose, k).z);
        pose.origin.z += 0.5 - lowest - 1e-6; /* the lowest corner is 1e-6 deep */
        int count = stack(wide, cube, &pose, points);
        CHECK(count >= 1);
        CHECK_NEAR(solids_deepest(points, count)->gap, -1e-6, rounding);
        CHECK_NEAR(solids_deepest(points, count)->normal.z, 1.0, rounding);
    }
}

/* Boxes that lie on each other at tilts up to 0.1 rad, at every angle about the normal: corners of both and
   crossings of edges. Only edges within the tilt of being parallel have no normal of their own; at angles
   above 0.5 rad between the edges there are none. Central differences: the boxes turn against each other
   with up to 10 rad/s, arms are up to 3 long, crossings run 1/sin(0.5) faster, so that h^2 g'''/6 is at most
   1e-10 * 1000 * 3 * 8 / 6 = 4e-7. */
TEST(gaps_of_tilted_boxes_change_with_the_normal_velocity_of_their_points)
{
    check_random random = {829};
    const double h = 1e-5, tolerance = 4e-7;
    int compared = 0, lost = 0, kinds = 0;
    for (int round = 0; round < 3000; round++) {
        tp_solid a = solids_random(&random, TP_SOLID_BOX), b = solids_random(&random, TP_SOLID_BOX);
        tp_pose pose_a = solids_pose(&random, 1.0);
        double tilt = pow(10.0, check_uniform(&random, -6.0, -1.3)), turn = check_uniform(&random, 0.5, 1.07);
        tp_quat yaw = tp_quat_from_axis_angle(tp_vec3_make(0.0, 0.0, 1.0), turn);
        tp_vec3 up = {check_uniform(&random, -0.3, 0.3), check_uniform(&random, -0.3, 0.3), 0.0};
        up.z = a.half_extents.z + b.half_extents.z + check_uniform(&random, -1e-3, 1e-3);
        tp_quat lean = tp_quat_exp(tp_vec3_scale(tilt, tp_vec3_normalise(solids_vector(&random))));
        tp_pose local = {up, tp_quat_multiply(lean, yaw)}, pose_b = tp_pose_compose(&pose_a, &local);
        tp_twist twist_a = solids_twist(&random), twist_b = solids_twist(&random);
        tp_contact_point at[3][TP_CONTACT_SLOTS_MAX];
        int count[3];
        for (int k = 0; k < 3; k++) {
            tp_pose moved_a = solids_moved(&pose_a, &twist_a, (k - 1) * h);
            tp_pose moved_b = solids_moved(&pose_b, &twist_b, (k - 1) * h);
            count[k] = tp_collide(&a, &moved_a, &b, &moved_b, 10.0, at[k]);
        }
        for (int i = 0; i < count[1]; i++) {
            const tp_contact_point *p = &at[1][i];
            const tp_contact_point *last = solids_slot(at[0], count[0], p->slot);
            const tp_contact_point *next = solids_slot(at[2], count[2], p->slot);
            if (last == NULL || next == NULL || solids_distance(last->point_a, next->point_a) > 0.01) {
                lost++; /* another feature took the slot in between */
                continue;
            }
            tp_vec3 relative = tp_vec3_sub(solids_velocity(&pose_b, &twist_b, p->point_b),
                                           solids_velocity(&pose_a, &twist_a, p->point_a));
            CHECK_NEAR((next->gap - last->gap) / (2.0 * h), tp_vec3_dot(p->normal, relative), tolerance);
            kinds |= 1 << p->slot;
            compared++;
        }
    }
    CHECK(compared > 12000);
    CHECK(lost < compared / 100);
    CHECK((kinds & 0xff) == 0xff);
}

/* A box rocks on another through the flat position, slides over its sides and dips into it, so that faces,
   edges and corners take turns. No point of it is farther than 0.9 from its middle, nor than 1.6 from that of
   the other: the gap cannot change faster than the box moves. */
TEST(the_smallest_gap_is_continuous_while_a_box_rocks_on_another)
{
    check_random random = {827};
    const double dt = 2e-4;
    for (int path = 0; path < 40; path++) {
        tp_solid lower = tp_solid_box(tp_vec3_make(0.5, 0.5, 0.5)),
                 upper = tp_solid_box(tp_vec3_make(0.5, 0.4, 0.6));
        tp_pose ground = tp_pose_identity();
        tp_vec3 rock = tp_vec3_scale(0.15, solids_vector(&random)), slide = solids_vector(&random);
        double turn = path % 4 * 0.5, last = NAN;
        double fastest = 0.9 * (tp_vec3_norm(rock) + turn) + tp_vec3_norm(slide) + 0.05;
        for (int i = -2500; i <= 2500; i++) {
            double t = i * dt;
            tp_vec3 swing = tp_vec3_scale(sin(t), rock);
            tp_quat about = tp_quat_from_axis_angle(tp_vec3_make(0.0, 0.0, 1.0), turn * t);
            tp_pose pose = {{slide.x * sin(t), slide.y * sin(t), 1.1 + 0.05 * sin(t)},
                            tp_quat_multiply(tp_quat_exp(swing), about)};
            tp_contact_point points[TP_CONTACT_SLOTS_MAX];
            int count = tp_collide(&lower, &ground, &upper, &pose, 10.0, points);
            CHECK(count > 0);
            double gap = solids_deepest(points, count)->gap;
            if (i > -2500) CHECK_NEAR(gap, last, fastest * dt + 2e-8);
            last = gap;
        }
    }
}

/* Two thin cards lean against each other crosswise: one contact of two edges, at their crossing. */
TEST(crossing_edges_touch_at_one_point)
{
    tp_solid card = tp_solid_box(tp_vec3_make(0.5, 0.5, 0.5));
    tp_quat edge_up = tp_quat_from_axis_angle(tp_vec3_make(1.0, 0.0, 0.0), 0.7853981633974483);
    tp_quat edge_down = tp_quat_from_axis_angle(tp_vec3_make(0.0, 1.0, 0.0), 0.7853981633974483);
    const double gaps[3] = {-1e-3, 1e-9, 5e-3};
    for (int g = 0; g < 3; g++) {
        tp_pose lower = {{0.0, 0.0, 0.0}, edge_up};
        tp_pose upper = {{0.1, 0.2, 1.4142135623730951 + gaps[g]}, edge_down};
        tp_contact_point points[TP_CONTACT_SLOTS_MAX];
        CHECK_INT(tp_collide(&card, &lower, &card, &upper, 0.01, points), 1);
        CHECK_NEAR(points[0].gap, gaps[g], rounding);
        CHECK_NEAR(points[0].normal.z, 1.0, rounding);
        CHECK_NEAR(points[0].point_a.x, 0.1, rounding);
        CHECK_NEAR(points[0].point_a.y, 0.0, 0.2 + rounding);
        CHECK_INT(points[0].slot, 8);
    }
}

/* ---- capsules ---- */

TEST(a_capsule_on_a_box_rests_on_two_points)
{
    tp_solid box = tp_solid_box(tp_vec3_make(0.5, 0.5, 0.5));
    tp_quat lying = tp_quat_from_axis_angle(tp_vec3_make(0.0, 1.0, 0.0), 1.5707963267948966);
    const double half_length[2] = {0.3, 2.0}, expected[2] = {0.3, 0.5};
    for (int k = 0; k < 2; k++) {
        tp_solid capsule = tp_solid_capsule(0.1, half_length[k]);
        tp_pose ground = tp_pose_identity(), pose = {{0.0, 0.1, 0.6 + 1e-7}, lying};
        tp_contact_point points[TP_CONTACT_SLOTS_MAX];
        CHECK_INT(tp_collide(&box, &ground, &capsule, &pose, 0.01, points), 2);
        for (int i = 0; i < 2; i++) {
            CHECK_INT(points[i].slot, i);
            CHECK_NEAR(points[i].gap, 1e-7, rounding);
            CHECK_NEAR(fabs(points[i].point_b.x), expected[k], 1e-6);
            CHECK_NEAR(points[i].point_b.y, 0.1, rounding);
        }
    }
}

/* Distance of a segment from a box by search, for separated cores. */
TEST(the_smallest_gap_of_a_capsule_and_a_box_is_their_distance)
{
    check_random random = {826};
    int compared = 0;
    while (compared < 2000) {
        tp_solid box = solids_random(&random, TP_SOLID_BOX),
                 capsule = solids_random(&random, TP_SOLID_CAPSULE);
        tp_pose pose_a = solids_pose(&random, 0.7), pose_b = solids_pose(&random, 0.7);
        const double golden = 0.6180339887498949;
        double low = -capsule.half_length, high = capsule.half_length;
        for (int i = 0; i < 45; i++) {
            double s = high - golden * (high - low), t = low + golden * (high - low);
            double at_s = point_to_box(&box, &pose_a, tp_pose_point(&pose_b, tp_vec3_make(0.0, 0.0, s)));
            double at_t = point_to_box(&box, &pose_a, tp_pose_point(&pose_b, tp_vec3_make(0.0, 0.0, t)));
            if (at_s < at_t)
                high = t;
            else
                low = s;
        }
        double distance =
            point_to_box(&box, &pose_a, tp_pose_point(&pose_b, tp_vec3_make(0.0, 0.0, 0.5 * (low + high))));
        if (distance < 1e-3) continue;
        tp_contact_point points[TP_CONTACT_SLOTS_MAX];
        int count = tp_collide(&box, &pose_a, &capsule, &pose_b, 100.0, points);
        CHECK_NEAR(solids_deepest(points, count)->gap, distance - capsule.radius, 2e-8);
        compared++;
    }
}

TEST(parallel_capsules_rest_on_two_points_and_crossed_ones_on_one)
{
    tp_solid lower = tp_solid_capsule(0.1, 1.0), upper = tp_solid_capsule(0.2, 0.5);
    tp_pose ground = tp_pose_identity(), pose = {{0.3 + 1e-6, 0.0, 0.2}, tp_quat_identity()};
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    CHECK_INT(tp_collide(&lower, &ground, &upper, &pose, 0.01, points), 2);
    CHECK_NEAR(points[0].gap, 1e-6, rounding);
    CHECK_NEAR(points[1].gap, 1e-6, rounding);
    CHECK_NEAR(points[0].point_a.z, -0.3, rounding);
    CHECK_NEAR(points[1].point_a.z, 0.7, rounding);
    CHECK_INT(tp_collide(&lower, &ground, &lower, &pose, 0.11, points), 2); /* shifted by 0.2 along */
    pose.orientation = tp_quat_from_axis_angle(tp_vec3_make(1.0, 0.0, 0.0), 1.0);
    CHECK_INT(tp_collide(&lower, &ground, &upper, &pose, 0.01, points), 1);
    CHECK_INT(points[0].slot, 0);
    CHECK_NEAR(points[0].gap, 1e-6, rounding);
}

TEST_MAIN(RUNS(the_sign_of_the_smallest_gap_says_whether_two_boxes_overlap),
          RUNS(the_smallest_gap_of_separated_boxes_is_their_distance),
          RUNS(the_smallest_gap_of_overlapping_boxes_is_the_shortest_way_apart),
          RUNS(a_box_flat_on_a_box_has_the_four_corners_of_the_overlap),
          RUNS(an_overhanging_box_is_carried_at_the_corners_of_the_overlap),
          RUNS(a_cube_turned_by_an_eighth_has_eight_contacts),
          RUNS(tiny_motions_of_a_stack_do_not_change_which_points_touch),
          RUNS(a_plank_on_a_box_keeps_its_contacts_at_every_small_tilt),
          RUNS(a_tilted_box_on_a_box_touches_with_its_lowest_corners),
          RUNS(gaps_of_tilted_boxes_change_with_the_normal_velocity_of_their_points),
          RUNS(the_smallest_gap_is_continuous_while_a_box_rocks_on_another),
          RUNS(crossing_edges_touch_at_one_point), RUNS(a_capsule_on_a_box_rests_on_two_points),
          RUNS(the_smallest_gap_of_a_capsule_and_a_box_is_their_distance),
          RUNS(parallel_capsules_rest_on_two_points_and_crossed_ones_on_one))
