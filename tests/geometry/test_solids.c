/* Solids on their own and the pairs of the examples with known answers: spheres, discs, tops, balls in
   hollows. */
#include "check.h"
#include "solids.h"

#include <float.h>
#include <string.h>

static const double rounding = 64.0 * DBL_EPSILON;
static const double pi = 3.14159265358979323846;

static tp_pose at(double x, double y, double z)
{
    return (tp_pose){{x, y, z}, tp_quat_identity()};
}

TEST(solids_with_absurd_dimensions_are_refused_with_the_reason)
{
    const tp_solid bad[] = {tp_solid_sphere(0.0),
                            tp_solid_sphere(-1.0),
                            tp_solid_sphere(NAN),
                            tp_solid_inside_cylinder(INFINITY),
                            tp_solid_inside_sphere(0.0),
                            tp_solid_box(tp_vec3_make(1.0, 0.0, 1.0)),
                            tp_solid_box(tp_vec3_make(1.0, 1.0, NAN)),
                            tp_solid_capsule(0.1, 0.0),
                            tp_solid_capsule(0.0, 1.0),
                            tp_solid_cylinder(1.0, -1e-3),
                            tp_solid_cylinder(1.0, NAN),
                            {.kind = (tp_solid_kind)77},
                            {.kind = (tp_solid_kind)-3}};
    tp_message why;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        CHECK_INT(tp_solid_check(&bad[k], &why), TP_INVALID_DATA);
    CHECK_INT(tp_solid_check(&bad[5], &why), TP_INVALID_DATA);
    CHECK(strcmp(why.text, "box: half extent y is 0 m, must be positive and finite") == 0);
    tp_solid disc = tp_solid_cylinder(1.0, 0.0), point = tp_solid_point(), plane = tp_solid_plane();
    CHECK_INT(tp_solid_check(&disc, &why), TP_OK);
    CHECK_INT(tp_solid_check(&point, &why), TP_OK);
    CHECK_INT(tp_solid_check(&plane, NULL), TP_OK);
    CHECK_INT(tp_solid_check(&bad[0], NULL), TP_INVALID_DATA);
}

TEST(poses_that_are_none_are_refused)
{
    tp_message why;
    tp_pose pose = at(1.0, 2.0, 3.0);
    CHECK_INT(tp_pose_check(&pose, &why), TP_OK);
    pose.orientation.w = 1.001;
    CHECK_INT(tp_pose_check(&pose, &why), TP_INVALID_DATA);
    CHECK(strcmp(why.text, "orientation: the quaternion has length 1.001, must be 1") == 0);
    pose = at(NAN, 0.0, 0.0);
    CHECK_INT(tp_pose_check(&pose, &why), TP_INVALID_DATA);
    pose = at(0.0, 0.0, 0.0);
    pose.orientation.x = NAN;
    CHECK_INT(tp_pose_check(&pose, &why), TP_INVALID_DATA);
}

TEST(every_kind_has_a_name_that_leads_back_to_it)
{
    for (int k = 0; k < TP_SOLID_KIND_COUNT; k++) {
        tp_solid_kind kind;
        CHECK(tp_solid_kind_from_name(tp_solid_kind_name((tp_solid_kind)k), &kind));
        CHECK_INT(kind, k);
    }
    tp_solid_kind kind;
    CHECK(!tp_solid_kind_from_name("torus", &kind));
    CHECK(strcmp(tp_solid_kind_name((tp_solid_kind)99), "unknown") == 0);
}

/* A random point of a bounded solid, on its surface or inside. */
static tp_vec3 random_member(check_random *random, const tp_solid *solid)
{
    tp_vec3 h = solid->half_extents, n = tp_vec3_normalise(solids_vector(random));
    double s = check_uniform(random, -1.0, 1.0), t = check_uniform(random, -1.0, 1.0), angle = pi * t;
    switch (solid->kind) {
    case TP_SOLID_SPHERE: return tp_vec3_scale(solid->radius, n);
    case TP_SOLID_BOX: return tp_vec3_make(copysign(h.x, n.x), copysign(h.y, n.y), copysign(h.z, n.z));
    case TP_SOLID_CAPSULE:
        return tp_vec3_add(tp_vec3_make(0.0, 0.0, copysign(solid->half_length, s)),
                           tp_vec3_scale(solid->radius, n));
    case TP_SOLID_CYLINDER:
        return tp_vec3_make(solid->radius * cos(angle), solid->radius * sin(angle),
                            copysign(solid->half_length, s));
    default: return tp_vec3_zero();
    }
}

/* 20000 random points of a surface come within a few per cent of every side of the box. */
TEST(bounds_hold_the_solid_and_touch_it_on_every_side)
{
    check_random random = {811};
    const tp_solid_kind kinds[] = {TP_SOLID_POINT, TP_SOLID_SPHERE, TP_SOLID_BOX, TP_SOLID_CAPSULE,
                                   TP_SOLID_CYLINDER};
    for (int k = 0; k < 5; k++) {
        tp_solid solid = solids_random(&random, kinds[k]);
        tp_pose pose = solids_pose(&random, 1.0);
        tp_bounds bounds = tp_solid_bounds(&solid, &pose);
        tp_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
        double farthest = 0.0;
        for (int i = 0; i < 20000; i++) {
            tp_vec3 member = random_member(&random, &solid), x = tp_pose_point(&pose, member);
            farthest = fmax(farthest, tp_vec3_norm(member));
            low = tp_vec3_make(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
            high = tp_vec3_make(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
        }
        double radius = tp_solid_bounding_radius(&solid), loose = 0.03 * radius;
        CHECK(farthest <= radius + rounding && farthest >= 0.97 * radius);
        CHECK(bounds.lower.x <= low.x + rounding && low.x <= bounds.lower.x + loose + rounding);
        CHECK(bounds.lower.y <= low.y + rounding && low.y <= bounds.lower.y + loose + rounding);
        CHECK(bounds.lower.z <= low.z + rounding && low.z <= bounds.lower.z + loose + rounding);
        CHECK(bounds.upper.x >= high.x - rounding && high.x >= bounds.upper.x - loose - rounding);
        CHECK(bounds.upper.y >= high.y - rounding && high.y >= bounds.upper.y - loose - rounding);
        CHECK(bounds.upper.z >= high.z - rounding && high.z >= bounds.upper.z - loose - rounding);
    }
}

TEST(pairs_with_contact_points_are_never_passed_over_by_their_bounds)
{
    check_random random = {812};
    int far_pairs = 0;
    for (int round = 0; round < 20000; round++) {
        tp_solid a =
            solids_random(&random, (tp_solid_kind)(check_random_bits(&random) % TP_SOLID_KIND_COUNT));
        tp_solid b =
            solids_random(&random, (tp_solid_kind)(check_random_bits(&random) % TP_SOLID_KIND_COUNT));
        tp_pose pose_a = solids_pose(&random, 1.0), pose_b = solids_pose(&random, 1.0);
        tp_bounds bounds_a = tp_solid_bounds(&a, &pose_a), bounds_b = tp_solid_bounds(&b, &pose_b);
        tp_contact_point points[TP_CONTACT_SLOTS_MAX];
        if (tp_bounds_near(&bounds_a, &bounds_b, 0.1)) continue;
        CHECK_INT(tp_collide(&a, &pose_a, &b, &pose_b, 0.1, points), 0);
        far_pairs++;
    }
    CHECK(far_pairs > 1000);
}

TEST(spheres_touch_along_the_line_of_their_centres)
{
    tp_solid a = tp_solid_sphere(0.3), b = tp_solid_sphere(0.2);
    tp_pose pose_a = at(0.0, 0.0, 0.0), pose_b = at(0.6, 0.8, 0.0);
    tp_contact_point p[TP_CONTACT_SLOTS_MAX];
    CHECK_INT(tp_collide(&a, &pose_a, &b, &pose_b, 1.0, p), 1);
    CHECK_NEAR(p[0].gap, 0.5, rounding);
    CHECK_NEAR(solids_distance(p[0].normal, tp_vec3_make(0.6, 0.8, 0.0)), 0.0, rounding);
    CHECK_NEAR(solids_distance(p[0].point_a, tp_vec3_make(0.18, 0.24, 0.0)), 0.0, rounding);
    CHECK_NEAR(solids_distance(p[0].point_b, tp_vec3_make(0.48, 0.64, 0.0)), 0.0, rounding);
    CHECK_INT(tp_collide(&a, &pose_a, &b, &pose_b, 0.49, p), 0);
}

/* Two spheres fixed in one body: the gap is e_z . r_C - R for each, whatever the body's rotation. */
TEST(the_spheres_of_a_top_have_the_height_of_their_centres_less_their_radius)
{
    check_random random = {813};
    tp_solid plane = tp_solid_plane(), cap = tp_solid_sphere(0.005);
    tp_pose ground = tp_pose_identity(), in_body = at(0.0, 0.0, 0.016);
    for (int round = 0; round < 100; round++) {
        tp_pose body = solids_pose(&random, 0.1), world = tp_pose_compose(&body, &in_body);
        tp_contact_point p[TP_CONTACT_SLOTS_MAX];
        CHECK_INT(tp_collide(&plane, &ground, &cap, &world, 10.0, p), 1);
        tp_vec3 d3 = tp_quat_to_matrix(body.orientation).cz;
        CHECK_NEAR(p[0].gap, body.origin.z + 0.016 * d3.z - 0.005, rounding);
        CHECK_NEAR(p[0].normal.z, 1.0, 0.0);
    }
}

TEST(a_ball_in_a_cylinder_and_in_a_sphere_has_the_room_that_is_left)
{
    tp_solid tube = tp_solid_inside_cylinder(2.0), bowl = tp_solid_inside_sphere(2.0),
             ball = tp_solid_sphere(0.5);
    tp_pose ground = tp_pose_identity(), pose = at(0.6, 0.8, 7.0);
    tp_contact_point p[TP_CONTACT_SLOTS_MAX];
    CHECK_INT(tp_collide(&tube, &ground, &ball, &pose, 1.0, p), 1);
    CHECK_NEAR(p[0].gap, 0.5, rounding);
    CHECK_NEAR(solids_distance(p[0].normal, tp_vec3_make(-0.6, -0.8, 0.0)), 0.0, rounding);
    CHECK_NEAR(solids_distance(p[0].point_a, tp_vec3_make(1.2, 1.6, 7.0)), 0.0, rounding);
    CHECK_NEAR(solids_distance(p[0].point_b, tp_vec3_make(0.9, 1.2, 7.0)), 0.0, rounding);
    pose = at(0.0, 1.6, 0.0);
    CHECK_INT(tp_collide(&bowl, &ground, &ball, &pose, 1.0, p), 1);
    CHECK_NEAR(p[0].gap, -0.1, rounding);
    CHECK_NEAR(p[0].normal.y, -1.0, rounding);
}

TEST(a_box_on_a_plane_has_its_corners_in_their_own_slots)
{
    check_random random = {814};
    tp_solid plane = tp_solid_plane(), box = tp_solid_box(tp_vec3_make(0.1, 0.2, 0.3));
    tp_pose ground = tp_pose_identity(), pose = at(0.0, 0.0, 0.3);
    tp_contact_point p[TP_CONTACT_SLOTS_MAX];
    CHECK_INT(tp_collide(&plane, &ground, &box, &pose, 0.01, p), 4);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(p[i].slot, i);
        CHECK_NEAR(p[i].gap, 0.0, rounding);
    }
    pose = solids_pose(&random, 0.2);
    CHECK_INT(tp_collide(&plane, &ground, &box, &pose, 10.0, p), 8);
    for (int k = 0; k < 8; k++) {
        tp_vec3 corner = {k & 1 ? 0.1 : -0.1, k & 2 ? 0.2 : -0.2, k & 4 ? 0.3 : -0.3};
        CHECK_NEAR(p[k].gap, tp_pose_point(&pose, corner).z, rounding);
    }
}

TEST(a_standing_cylinder_has_four_points_under_it)
{
    tp_solid plane = tp_solid_plane(), cylinder = tp_solid_cylinder(0.3, 0.5);
    tp_pose ground = tp_pose_identity(), pose = at(1.0, 2.0, 0.5);
    tp_contact_point p[TP_CONTACT_SLOTS_MAX];
    const double tilts[3] = {0.0, 1e-12, 1e-7};
    for (int k = 0; k < 3; k++) {
        pose.orientation = tp_quat_from_axis_angle(tp_vec3_make(1.0, 2.0, 0.0), tilts[k]);
        CHECK_INT(tp_collide(&plane, &ground, &cylinder, &pose, 0.01, p), 4);
        tp_vec3 sum = tp_vec3_zero();
        for (int i = 0; i < 4; i++) {
            CHECK_INT(p[i].slot, i);
            CHECK_NEAR(p[i].gap, 0.0, 0.3 * tilts[k] + rounding);
            CHECK_NEAR(hypot(p[i].point_b.x - 1.0, p[i].point_b.y - 2.0), 0.3, 0.5 * tilts[k] + rounding);
            sum = tp_vec3_add(sum, p[i].point_b);
        }
        CHECK_NEAR(0.25 * sum.x, 1.0, tilts[k] + rounding); /* a square about the middle */
        CHECK_NEAR(0.25 * sum.y, 2.0, tilts[k] + rounding);
    }
}

TEST(a_lying_cylinder_touches_with_both_ends_and_a_tilted_disc_with_one_point)
{
    tp_solid plane = tp_solid_plane(), cylinder = tp_solid_cylinder(0.3, 0.5),
             disc = tp_solid_cylinder(0.3, 0.0);
    tp_pose ground = tp_pose_identity(), pose = at(0.0, 0.0, 0.3);
    tp_contact_point p[TP_CONTACT_SLOTS_MAX];
    pose.orientation = tp_quat_from_axis_angle(tp_vec3_make(1.0, 0.0, 0.0), 0.5 * pi);
    CHECK_INT(tp_collide(&plane, &ground, &cylinder, &pose, 0.01, p), 2);
    CHECK_INT(p[0].slot, 0);
    CHECK_INT(p[1].slot, 4);
    CHECK_NEAR(p[0].gap, 0.0, rounding);
    CHECK_NEAR(p[1].gap, 0.0, rounding);
    CHECK_NEAR(fabs(p[0].point_b.y), 0.5, rounding);

    /* A disc whose plane is tilted by theta from the ground: height r sin(theta) for its centre. */
    for (int k = 1; k <= 20; k++) {
        double theta = 0.07 * k;
        tp_quat spun = tp_quat_from_axis_angle(tp_vec3_make(0.0, 0.0, 1.0), 0.3 * k);
        tp_quat tilted = tp_quat_from_axis_angle(tp_vec3_make(1.0, 0.0, 0.0), theta);
        pose = (tp_pose){{0.0, 0.0, 0.3 * sin(theta)}, tp_quat_multiply(tilted, spun)};
        CHECK_INT(tp_collide(&plane, &ground, &disc, &pose, 0.01, p), 1);
        CHECK_INT(p[0].slot, 0);
        CHECK_NEAR(p[0].gap, 0.0, rounding);
        CHECK_NEAR(p[0].point_b.x, 0.0, rounding); /* fixed while the disc spins about its axis */
        CHECK_NEAR(p[0].point_b.y, -0.3 * cos(theta), rounding);
    }
}

TEST(a_sphere_touches_faces_edges_and_corners_of_a_box_and_a_cylinder)
{
    tp_solid box = tp_solid_box(tp_vec3_make(1.0, 1.0, 1.0)), cylinder = tp_solid_cylinder(1.0, 1.0);
    tp_solid ball = tp_solid_sphere(0.1);
    tp_pose ground = tp_pose_identity();
    const tp_vec3 centre[6] = {{1.5, 0.2, 0.3}, {1.3, 1.4, 0.2}, {2.0, 3.0, 3.0},
                               {0.2, 0.1, 0.7}, {0.0, 1.3, 1.4}, {1.8, 0.0, 0.3}};
    const double from_box[6] = {0.4, 0.4, 2.9, -0.4, 0.4, 0.7};
    const double from_cylinder[6] = {NAN, NAN, NAN, -0.4, 0.4, 0.7};
    tp_contact_point p[TP_CONTACT_SLOTS_MAX];
    for (int k = 0; k < 6; k++) {
        tp_pose pose = {centre[k], tp_quat_identity()};
        CHECK_INT(tp_collide(&box, &ground, &ball, &pose, 10.0, p), 1);
        CHECK_NEAR(p[0].gap, from_box[k], rounding);
        CHECK_INT(tp_collide(&cylinder, &ground, &ball, &pose, 10.0, p), 1);
        if (!isnan(from_cylinder[k])) CHECK_NEAR(p[0].gap, from_cylinder[k], rounding);
    }
}

/* The quarter points of a rim are not material: their gap is not the integral of a velocity. Here is by how
   much they miss, so that nobody relies on it: r |w . (f x n)|. */
TEST(quarter_points_of_a_tilted_rim_move_against_the_material)
{
    tp_moving_solid plane = {tp_solid_plane(), tp_pose_identity(), {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    tp_moving_solid disc = {
        tp_solid_cylinder(0.3, 0.0), at(0.0, 0.0, 0.2), {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    disc.pose.orientation = tp_quat_from_axis_angle(tp_vec3_make(1.0, 0.0, 0.0), 0.4);
    tp_vec3 axis = tp_quat_to_matrix(disc.pose.orientation).cz;
    disc.twist.angular_velocity = tp_vec3_scale(2.0, axis); /* spin about its own axis */
    tp_contact_point p[TP_CONTACT_SLOTS_MAX];
    CHECK_INT(tp_collide(&plane.solid, &plane.pose, &disc.solid, &disc.pose, 10.0, p), 4);
    for (int i = 0; i < 4; i++) {
        tp_contact_rate rate;
        CHECK(tp_collide_rate(&plane, &disc, i, &rate));
        CHECK_NEAR(rate.gap, 0.0, rounding); /* the geometry does not change */
        double material = tp_vec3_dot(p[i].normal, solids_velocity(&disc.pose, &disc.twist, p[i].point_b));
        CHECK_NEAR(fabs(material), i % 2 == 0 ? 0.0 : 0.3 * 2.0 * sin(0.4), rounding);
    }
}

/* Ball in a hollow cylinder: n' = -(v_t / d) t, g' = v . n; the centre is at distance d from the axis. */
/* (5a): no point of the surface is nearer to the sphere than the nearest rim point; 2000 points on the rims
   find the farthest within a square of the angle between two, 1/2 (pi/1000)^2 times the radii. */
TEST(a_cylinder_in_a_hollow_sphere_touches_with_its_farthest_rim_point)
{
    check_random random = {921};
    tp_pose at_origin = tp_pose_identity();
    for (int round = 0; round < 100; round++) {
        tp_solid hollow = solids_random(&random, TP_SOLID_INSIDE_SPHERE),
                 cylinder = solids_random(&random, TP_SOLID_CYLINDER);
        tp_pose pose = solids_pose(&random, 0.5);
        double farthest = 0.0;
        for (int i = 0; i < 2000; i++) {
            double angle = 2.0 * acos(-1.0) * (i / 2) / 1000.0, z = i % 2 == 0 ? 1.0 : -1.0;
            tp_vec3 local = {cylinder.radius * cos(angle), cylinder.radius * sin(angle),
                             z * cylinder.half_length};
            farthest = fmax(farthest, tp_vec3_norm(tp_pose_point(&pose, local)));
        }
        tp_contact_point points[TP_CONTACT_SLOTS_MAX];
        int count = tp_collide(&hollow, &at_origin, &cylinder, &pose, 10.0, points);
        CHECK_INT(count, 8);
        double gap = solids_deepest(points, count)->gap;
        CHECK(gap <= hollow.radius - farthest + rounding);
        CHECK_NEAR(gap, hollow.radius - farthest, 2e-5);
    }
    /* Standing on its axis through the middle: four points of one depth at the lower end. */
    tp_solid hollow = tp_solid_inside_sphere(2.0), disc = tp_solid_cylinder(1.0, 0.0);
    tp_pose low = {{0.0, 0.0, -1.5}, {1.0, 0.0, 0.0, 0.0}};
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    CHECK_INT(tp_collide(&hollow, &at_origin, &disc, &low, 10.0, points), 4);
    for (int i = 0; i < 4; i++) CHECK_NEAR(points[i].gap, 2.0 - sqrt(1.0 + 2.25), rounding);
}

TEST(rates_in_a_hollow_cylinder_are_those_of_the_theory)
{
    tp_moving_solid tube = {
        tp_solid_inside_cylinder(2.0), tp_pose_identity(), {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    tp_moving_solid ball = {tp_solid_sphere(0.5), at(0.0, -1.25, 0.0), {{0.7, 0.3, 0.1}, {5.0, 6.0, 7.0}}};
    tp_contact_rate rate;
    CHECK(tp_collide_rate(&tube, &ball, 0, &rate));
    CHECK_NEAR(rate.gap, 0.3, rounding);
    CHECK_NEAR(solids_distance(rate.normal, tp_vec3_make(-0.7 / 1.25, 0.0, 0.0)), 0.0, rounding);
    CHECK(!tp_collide_rate(&tube, &ball, 1, &rate));
    CHECK(!tp_collide_rate(&tube, &ball, -1, &rate));
}

/* The farthest point of a cylinder from the axis of a tube, by trying every point of its rims: 20,000 of each
   are r pi / 20,000 away from it at most, in which the distance changes by its curvature alone, 1 / 0.2 m. */
TEST(a_cylinder_in_a_tube_touches_with_the_farthest_points_of_its_rims)
{
    check_random random = {611};
    for (int round = 0; round < 60; round++) {
        tp_solid tube = tp_solid_inside_cylinder(2.0),
                 can = tp_solid_cylinder(check_uniform(&random, 0.2, 1.0), check_uniform(&random, 0.0, 1.0));
        tp_pose at = tp_pose_identity(), pose = solids_pose(&random, 0.7);
        if (round % 3 == 0) pose.orientation = tp_quat_identity(); /* parallel axes */
        tp_mat3 R = tp_quat_to_matrix(pose.orientation);
        tp_contact_point points[TP_CONTACT_SLOTS_MAX];
        double least = INFINITY, farthest = 0.0;
        int count = tp_collide(&tube, &at, &can, &pose, INFINITY, points);
        for (int k = 0; k < count; k++) least = fmin(least, points[k].gap);
        for (int k = 0; k < 40000; k++) {
            double t = 2.0 * acos(-1.0) * k / 20000.0;
            tp_vec3 x = tp_vec3_add_scaled(pose.origin, k < 20000 ? -can.half_length : can.half_length, R.cz);
            x = tp_vec3_add_scaled(tp_vec3_add_scaled(x, can.radius * cos(t), R.cx), can.radius * sin(t),
                                   R.cy);
            farthest = fmax(farthest, hypot(x.x, x.y));
        }
        CHECK(count >= (can.half_length > 0.0 ? 2 : 1));
        CHECK_NEAR(least, 2.0 - farthest, 2e-7);
        CHECK(least <= 2.0 - farthest + 1e-14);
    }
}

TEST_MAIN(RUNS(a_cylinder_in_a_tube_touches_with_the_farthest_points_of_its_rims),
          RUNS(solids_with_absurd_dimensions_are_refused_with_the_reason),
          RUNS(poses_that_are_none_are_refused), RUNS(every_kind_has_a_name_that_leads_back_to_it),
          RUNS(bounds_hold_the_solid_and_touch_it_on_every_side),
          RUNS(pairs_with_contact_points_are_never_passed_over_by_their_bounds),
          RUNS(spheres_touch_along_the_line_of_their_centres),
          RUNS(the_spheres_of_a_top_have_the_height_of_their_centres_less_their_radius),
          RUNS(a_ball_in_a_cylinder_and_in_a_sphere_has_the_room_that_is_left),
          RUNS(a_box_on_a_plane_has_its_corners_in_their_own_slots),
          RUNS(a_standing_cylinder_has_four_points_under_it),
          RUNS(a_lying_cylinder_touches_with_both_ends_and_a_tilted_disc_with_one_point),
          RUNS(a_sphere_touches_faces_edges_and_corners_of_a_box_and_a_cylinder),
          RUNS(quarter_points_of_a_tilted_rim_move_against_the_material),
          RUNS(a_cylinder_in_a_hollow_sphere_touches_with_its_farthest_rim_point),
          RUNS(rates_in_a_hollow_cylinder_are_those_of_the_theory))
