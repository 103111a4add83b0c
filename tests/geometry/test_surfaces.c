/* Meshes and heightfields: flat ones against planes, convex ones against hulls, heights against the same
   triangles as a mesh, boxes of triangles against all of them. */
#include "check.h"
#include "solids.h"

#include <float.h>

static const double rounding = 1024.0 * DBL_EPSILON;
enum { COLUMNS = 9, ROWS = 8, POINTS_MAX = 4096 };

static const tp_solid_kind convex_kinds[5] = {TP_SOLID_SPHERE, TP_SOLID_BOX, TP_SOLID_CAPSULE,
                                              TP_SOLID_CYLINDER, TP_SOLID_HULL};

typedef struct all_points {
    tp_contact_point point[POINTS_MAX];
    int part[POINTS_MAX], count;
} all_points;

/* The contacts of all triangles. */
static void collide_all(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b,
                        double reach, all_points *all)
{
    all->count = 0;
    int parts = tp_solid_part_count(a) * tp_solid_part_count(b);
    for (int part = 0; part < parts; part++) {
        int count = tp_collide_part(a, pose_a, b, pose_b, part, reach, all->point + all->count);
        for (int k = 0; k < count; k++) all->part[all->count++] = part;
    }
}

static double smallest(const all_points *all)
{
    const tp_contact_point *deepest = solids_deepest(all->point, all->count);
    return deepest != NULL ? deepest->gap : INFINITY;
}

/* A grid with heights; both as a heightfield and as a mesh of the same triangles. */
static void make_grid(const double *heights, tp_surface **field_out, tp_surface **mesh_out)
{
    static tp_vec3 vertices[COLUMNS * ROWS];
    static int triangles[6 * COLUMNS * ROWS];
    tp_message why;
    if (tp_surface_create_heights(NULL, COLUMNS, ROWS, 0.6, 0.7, heights, field_out, &why) != TP_OK) fail();
    int vertex_count, triangle_count;
    tp_surface_sizes(*field_out, &vertex_count, &triangle_count);
    tp_surface_fill(*field_out, vertices, triangles);
    tp_mesh mesh = {vertex_count, triangle_count, vertices, triangles};
    if (tp_surface_create(NULL, &mesh, mesh_out, &why) != TP_OK) fail();
}

static void random_heights(check_random *random, double size, double *heights)
{
    for (int k = 0; k < COLUMNS * ROWS; k++) heights[k] = size * check_normal(random);
}

/* A body over the middle of the grid, whose sizes are at most 1. */
static tp_pose pose_over(check_random *random, double lowest, double highest)
{
    double x = check_uniform(random, 2.1, 2.7), y = check_uniform(random, 2.1, 2.8);
    tp_pose pose = {{x, y, check_uniform(random, lowest, highest)}, solids_rotation(random)};
    if (check_random_bits(random) % 2 == 0) {
        tp_quat tilt = tp_quat_exp(tp_vec3_scale(0.02, solids_vector(random)));
        tp_quat quarter =
            tp_quat_normalise(tp_quat_make(1.0, (double)(check_random_bits(random) % 2), 0.0, 0.0));
        pose.orientation = tp_quat_multiply(tilt, quarter);
    }
    return pose;
}

/* No edge or corner inside is felt: all normals are that of the plane, and the deepest points the same. A
   plane knows the deepest rim point of a cylinder only to the deepest of eight others: all the same. */
TEST(a_flat_surface_is_a_plane)
{
    static all_points all;
    check_random random = {871};
    double heights[COLUMNS * ROWS] = {0.0};
    tp_surface *field, *mesh;
    make_grid(heights, &field, &mesh);
    tp_solid solids[2] = {tp_solid_heightfield(field), tp_solid_mesh(mesh)}, plane = tp_solid_plane();
    tp_pose ground = tp_pose_identity();
    for (int which = 0; which < 2; which++)
        for (int k = 0; k < 5; k++)
            for (int round = 0; round < 60; round++) {
                tp_solid body = solids_random(&random, convex_kinds[k]);
                tp_pose pose = pose_over(&random, 0.15, 1.0);
                if (body.kind == TP_SOLID_HULL && tp_pose_point(&pose, body.hull->centre).z < 0.0) continue;
                tp_contact_point points[TP_CONTACT_SLOTS_MAX];
                int count = tp_collide(&plane, &ground, &body, &pose, 0.5, points);
                collide_all(&solids[which], &ground, &body, &pose, 0.5, &all);
                CHECK_INT(all.count > 0, count > 0);
                if (count == 0) continue;
                CHECK_NEAR(smallest(&all), solids_deepest(points, count)->gap, rounding);
                for (int i = 0; i < all.count; i++) CHECK_NEAR(all.point[i].normal.z, 1.0, rounding);
            }
    tp_surface_free(NULL, field);
    tp_surface_free(NULL, mesh);
}

/* Bodies on a grid line, on a diagonal and on a corner of the grid: each corner of a box touches once. */
TEST(what_lies_over_a_common_edge_touches_one_triangle)
{
    static all_points all;
    double heights[COLUMNS * ROWS] = {0.0};
    tp_surface *field, *mesh;
    make_grid(heights, &field, &mesh);
    tp_solid solids[2] = {tp_solid_heightfield(field), tp_solid_mesh(mesh)}, ball = tp_solid_sphere(0.1),
             box = tp_solid_box(tp_vec3_make(0.3, 0.35, 0.1));
    tp_pose ground = tp_pose_identity();
    const tp_vec3 middles[4] = {{2.4, 2.0, 0.1}, {2.1, 2.45, 0.1}, {2.4, 2.8, 0.1}, {2.7, 2.45, 0.1}};
    for (int which = 0; which < 2; which++)
        for (int k = 0; k < 4; k++) {
            tp_pose pose = {middles[k], tp_quat_identity()};
            collide_all(&solids[which], &ground, &ball, &pose, 0.01, &all);
            CHECK_INT(all.count, 1);
            collide_all(&solids[which], &ground, &box, &pose, 0.01, &all);
            CHECK_INT(all.count, 4);
        }
    tp_surface_free(NULL, field);
    tp_surface_free(NULL, mesh);
}

TEST(heights_and_the_same_triangles_have_the_same_contacts)
{
    static all_points one, two;
    check_random random = {872};
    double heights[COLUMNS * ROWS];
    tp_surface *field, *mesh;
    random_heights(&random, 0.02, heights); /* bodies are in front of all triangles */
    make_grid(heights, &field, &mesh);
    tp_solid solid_field = tp_solid_heightfield(field), solid_mesh = tp_solid_mesh(mesh);
    tp_pose ground = solids_pose(&random, 1.0);
    int compared = 0;
    for (int k = 0; k < 5; k++)
        for (int round = 0; round < 60; round++) {
            tp_solid body = solids_random(&random, convex_kinds[k]);
            tp_pose local = pose_over(&random, 0.8, 1.5), pose = tp_pose_compose(&ground, &local);
            collide_all(&solid_field, &ground, &body, &pose, 0.5, &one);
            collide_all(&body, &pose, &solid_mesh, &ground, 0.5, &two); /* the other order */
            CHECK_INT(one.count, two.count);
            for (int i = 0; i < one.count; i++, compared++) {
                CHECK_INT(one.part[i], two.part[i]);
                CHECK_INT(one.point[i].slot, two.point[i].slot);
                CHECK_NEAR(one.point[i].gap, two.point[i].gap, 0.0);
                CHECK_NEAR(solids_distance(one.point[i].normal, tp_vec3_negate(two.point[i].normal)), 0.0,
                           0.0);
            }
        }
    CHECK(compared > 300);
    tp_surface_free(NULL, field);
    tp_surface_free(NULL, mesh);
}

/* The surface of a hull as a mesh: the distance of a separated body is that from the hull, its edges and
   corners touch once each. */
TEST(a_convex_mesh_is_its_hull_for_what_is_outside)
{
    static all_points all;
    check_random random = {873};
    int edges = 0, compared = 0;
    for (int round = 0; round < 600; round++) {
        const tp_hull *hull = solids_hull(&random);
        tp_mesh triangles = {hull->vertex_count, hull->triangle_count, hull->vertices, hull->triangles};
        tp_surface *surface;
        CHECK_INT(tp_surface_create(NULL, &triangles, &surface, NULL), TP_OK);
        tp_solid solid = tp_solid_hull(hull), mesh = tp_solid_mesh(surface);
        tp_solid body = solids_random(&random, convex_kinds[round % 5]);
        tp_pose pose_a = solids_pose(&random, 0.1), pose_b = solids_pose(&random, 1.2);
        tp_contact_point points[TP_CONTACT_SLOTS_MAX];
        int count = tp_collide(&solid, &pose_a, &body, &pose_b, 10.0, points);
        const tp_contact_point *deepest = solids_deepest(points, count);
        if (deepest->gap > 1e-6) {
            collide_all(&mesh, &pose_a, &body, &pose_b, 10.0, &all);
            CHECK_NEAR(smallest(&all), deepest->gap, 1e-7);
            const tp_contact_point *nearest = solids_deepest(all.point, all.count);
            CHECK_NEAR(solids_distance(nearest->normal, deepest->normal), 0.0, 1e-3);
            for (int i = 0; i < all.count; i++)
                edges += solids_distance(all.point[i].point_a, nearest->point_a) < 1e-9;
            compared++;
        }
        tp_surface_free(NULL, surface);
    }
    CHECK(compared > 200);
    CHECK(edges < compared + compared / 10);
}

/* A ball rolls over random hills at a constant height of its own above them: its smallest gap is that from
   all triangles, found by sampling. */
TEST(a_ball_over_hills_has_the_distance_of_the_nearest_point)
{
    static all_points all;
    check_random random = {874};
    double heights[COLUMNS * ROWS];
    tp_surface *field, *mesh;
    random_heights(&random, 0.15, heights);
    make_grid(heights, &field, &mesh);
    tp_solid solid = tp_solid_mesh(mesh), ball = tp_solid_sphere(0.3);
    tp_pose ground = tp_pose_identity();
    static tp_vec3 vertices[COLUMNS * ROWS];
    static int triangles[6 * COLUMNS * ROWS];
    tp_surface_fill(mesh, vertices, triangles);
    for (int round = 0; round < 300; round++) {
        tp_pose pose = pose_over(&random, 0.5, 1.0);
        double distance = INFINITY;
        for (int t = 0; t < tp_solid_part_count(&solid); t++)
            for (int i = 0; i <= 40; i++)
                for (int j = 0; i + j <= 40; j++) {
                    double u = i / 40.0, v = j / 40.0;
                    tp_vec3 x = tp_vec3_scale(1.0 - u - v, vertices[triangles[3 * t]]);
                    x = tp_vec3_add_scaled(x, u, vertices[triangles[3 * t + 1]]);
                    x = tp_vec3_add_scaled(x, v, vertices[triangles[3 * t + 2]]);
                    distance = fmin(distance, solids_distance(x, pose.origin));
                }
        collide_all(&solid, &ground, &ball, &pose, 10.0, &all);
        /* Samples are at most 0.015 from any point, and 0.2 or more from the middle: 0.015^2 / (2 * 0.2). */
        CHECK_NEAR(smallest(&all) + 0.3, distance, 6e-4);
        CHECK(smallest(&all) + 0.3 <= distance + rounding);
    }
    tp_surface_free(NULL, field);
    tp_surface_free(NULL, mesh);
}

/* The difference of a vector over two steps of length h, and its second one, over h^2. */
static tp_vec3 slope_of(tp_vec3 last, tp_vec3 next, double h)
{
    return tp_vec3_scale(1.0 / (2.0 * h), tp_vec3_sub(next, last));
}
static double bend_of(tp_vec3 last, tp_vec3 now, tp_vec3 next, double h)
{
    return tp_vec3_norm(tp_vec3_add(last, tp_vec3_add_scaled(next, -2.0, now))) / (h * h);
}

/* Rates of a contact with a triangle, with the solids in either order. */
static void check_rates(void **check_state_, const tp_moving_solid *a, const tp_moving_solid *b, int part,
                        const tp_contact_point *last, const tp_contact_point *now,
                        const tp_contact_point *next, double h)
{
    tp_contact_rate rate, back;
    CHECK(tp_collide_part_rate(a, b, part, now->slot, &rate));
    CHECK(tp_collide_part_rate(b, a, part, now->slot, &back));
    CHECK_NEAR(rate.gap, (next->gap - last->gap) / (2.0 * h), 1e-6);
    CHECK_NEAR(solids_distance(slope_of(last->normal, next->normal, h), rate.normal), 0.0, 1e-5);
    CHECK_NEAR(solids_distance(slope_of(last->point_a, next->point_a, h), rate.point_a), 0.0, 1e-5);
    CHECK_NEAR(solids_distance(slope_of(last->point_b, next->point_b, h), rate.point_b), 0.0, 1e-5);
    CHECK_NEAR(solids_distance(back.point_a, rate.point_b), 0.0, rounding);
    CHECK_NEAR(solids_distance(back.normal, tp_vec3_negate(rate.normal)), 0.0, rounding);
}

TEST(gaps_over_hills_change_with_the_normal_velocity_of_their_points)
{
    static all_points at[3];
    const double h = 1e-5, tolerance = 1e-6, sharpest = 1e2;
    check_random random = {875};
    double heights[COLUMNS * ROWS];
    tp_surface *field, *mesh;
    random_heights(&random, 0.1, heights);
    make_grid(heights, &field, &mesh);
    tp_solid solid = tp_solid_heightfield(field);
    tp_pose ground = tp_pose_identity();
    for (int k = 0; k < 5; k++) {
        int compared = 0, lost = 0, sharp = 0;
        for (int round = 0; round < 60; round++) {
            tp_solid body = solids_random(&random, convex_kinds[k]);
            tp_pose pose = pose_over(&random, 0.4, 1.0);
            tp_twist twist = solids_twist(&random);
            for (int i = 0; i < 3; i++) {
                tp_pose moved = solids_moved(&pose, &twist, (i - 1) * h);
                collide_all(&solid, &ground, &body, &moved, 0.5, &at[i]);
            }
            for (int i = 0; i < at[1].count; i++) {
                const tp_contact_point *now = &at[1].point[i], *near[2] = {NULL, NULL};
                for (int side = 0; side < 2; side++)
                    for (int j = 0; j < at[2 * side].count; j++)
                        if (at[2 * side].part[j] == at[1].part[i] && at[2 * side].point[j].slot == now->slot)
                            near[side] = &at[2 * side].point[j];
                bool is_smooth = near[0] != NULL && near[1] != NULL &&
                                 fabs(near[0]->gap - 2.0 * now->gap + near[1]->gap) < sharpest * h * h;
                lost += !is_smooth;
                if (!is_smooth) continue;
                double rate = tp_vec3_dot(now->normal, solids_velocity(&pose, &twist, now->point_b));
                CHECK_NEAR((near[1]->gap - near[0]->gap) / (2.0 * h), rate, tolerance);
                compared++;
                const tp_moving_solid a = {.solid = solid, .pose = ground}, b = {body, pose, twist};
                bool bends = bend_of(near[0]->normal, now->normal, near[1]->normal, h) > sharpest ||
                             bend_of(near[0]->point_a, now->point_a, near[1]->point_a, h) > sharpest ||
                             bend_of(near[0]->point_b, now->point_b, near[1]->point_b, h) > sharpest;
                sharp += bends;
                if (!bends) check_rates(check_state_, &a, &b, at[1].part[i], near[0], now, near[1], h);
            }
        }
        CHECK(compared > 60);
        CHECK(lost < compared / 20);
        CHECK(sharp < compared / 10);
    }
    tp_surface_free(NULL, field);
    tp_surface_free(NULL, mesh);
}

/* ---- corners, ridges, steep walls ---- */

/* The unit cube below z = 0, or a roof whose ridge at z = 0 is as long; with_own: each triangle has corners
   of its own, as files of other programs have. */
static tp_surface *make_block(bool is_roof, bool with_own)
{
    static const tp_vec3 cube[8] = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {1, 1, -1},
                                    {0, 0, 0},  {1, 0, 0},  {0, 1, 0},  {1, 1, 0}},
                         roof[6] = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {1, 1, -1}, {0, 0.5, 0}, {1, 0.5, 0}};
    static const int cube_triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6},
                     roof_triangles[24] = {0, 1, 5, 0, 5, 4, 3, 2, 4, 3, 4, 5,
                                           0, 4, 2, 1, 3, 5, 0, 2, 3, 0, 3, 1};
    const tp_vec3 *corners = is_roof ? roof : cube;
    const int *triangles = is_roof ? roof_triangles : cube_triangles;
    int count = is_roof ? 24 : 36, own[36];
    tp_vec3 own_corners[36];
    for (int k = 0; k < count; k++) own[k] = k, own_corners[k] = corners[triangles[k]];
    tp_mesh shared = {is_roof ? 6 : 8, count / 3, corners, triangles},
            apart = {count, count / 3, own_corners, own};
    tp_surface *surface;
    if (tp_surface_create(NULL, with_own ? &apart : &shared, &surface, NULL) != TP_OK) fail();
    return surface;
}

/* Contacts at a point of the surface. */
static int count_at(const all_points *all, tp_vec3 x)
{
    int count = 0;
    for (int i = 0; i < all->count; i++) count += solids_distance(all->point[i].point_a, x) < 1e-9;
    return count;
}

/* None of the corners of a plate is over the block, so that those of the block carry it: each once, and at
   every tilt, as for a hull. */
TEST(a_plate_lies_on_the_corners_of_what_is_smaller)
{
    static all_points all;
    static const tp_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const double flat[4] = {0.0}, tilts[5] = {0.0, 1e-12, 1e-9, 1e-6, 1e-3};
    const tp_vec3 points[8] = {{-2, -2, -0.1}, {2, -2, -0.1}, {-2, 2, -0.1}, {2, 2, -0.1},
                               {-2, -2, 0.1},  {2, -2, 0.1},  {-2, 2, 0.1},  {2, 2, 0.1}};
    tp_hull *hull;
    tp_surface *field, *block = make_block(false, false);
    CHECK_INT(tp_hull_create(NULL, points, 8, &hull, NULL), TP_OK);
    CHECK_INT(tp_surface_create_heights(NULL, 2, 2, 1.0, 1.0, flat, &field, NULL), TP_OK);
    const tp_solid grounds[2] = {tp_solid_mesh(block), tp_solid_heightfield(field)},
                   plates[3] = {tp_solid_box(tp_vec3_make(2.0, 2.0, 0.1)), tp_solid_cylinder(2.0, 0.1),
                                tp_solid_hull(hull)};
    tp_pose ground = tp_pose_identity();
    check_random random = {877};
    for (int g = 0; g < 2; g++)
        for (int p = 0; p < 3; p++)
            for (int t = 0; t < 5; t++) {
                tp_quat tilt = tp_quat_exp(tp_vec3_scale(tilts[t], solids_vector(&random)));
                tp_pose pose = {{0.6, 0.4, 0.11}, tilt};
                collide_all(&grounds[g], &ground, &plates[p], &pose, 0.1, &all);
                for (int k = 0; k < 4; k++) CHECK_INT(count_at(&all, corners[k]), 1);
                CHECK_INT(all.count, 4);
                CHECK_NEAR(smallest(&all), 0.01, 4.0 * tilts[t] + rounding);
            }
    tp_surface_free(NULL, block);
    tp_surface_free(NULL, field);
    tp_hull_free(NULL, hull);
}

TEST(a_plate_lies_on_a_ridge_and_on_triangles_that_share_no_corner)
{
    static all_points all;
    tp_solid plate = tp_solid_box(tp_vec3_make(2.0, 2.0, 0.1));
    tp_pose ground = tp_pose_identity(), pose = {{0.6, 0.4, 0.11}, tp_quat_identity()};
    for (int k = 1; k < 4; k++) {
        tp_surface *surface = make_block(k<2, k> 1);
        tp_solid solid = tp_solid_mesh(surface);
        collide_all(&solid, &ground, &plate, &pose, 0.1, &all);
        CHECK(all.count > 0);
        CHECK_NEAR(smallest(&all), 0.01, rounding);
        tp_surface_free(NULL, surface);
    }
}

/* The middle of the box is beyond two sides of the block, and its lower face 1e-6 above the upper one of the
   block, within the margin of faces: that it is 0.4 behind the side of the block is not a contact. */
TEST(a_box_over_the_rim_of_a_block_is_not_inside_of_it)
{
    static all_points all;
    tp_surface *surface = make_block(false, false);
    tp_solid solid = tp_solid_mesh(surface), box = tp_solid_box(tp_vec3_make(0.5, 0.6, 0.3));
    tp_pose ground = tp_pose_identity(), pose = {{-0.1, 1.1, 0.3 + 1e-6}, tp_quat_identity()};
    collide_all(&solid, &ground, &box, &pose, 0.1, &all);
    CHECK(all.count > 0);
    CHECK_NEAR(smallest(&all), 1e-6, rounding);
    tp_surface_free(NULL, surface);
}

/* A ball on the ground beside a peak: the far sides of the peak look at it from behind. What is below heights
   is pushed up all the same. */
TEST(heights_touch_from_above_and_hold_what_is_below)
{
    static all_points all;
    double heights[COLUMNS * ROWS] = {0.0};
    heights[3 * COLUMNS + 4] = 2.0;
    tp_surface *field, *mesh;
    make_grid(heights, &field, &mesh);
    tp_solid solid = tp_solid_heightfield(field), ball = tp_solid_sphere(0.05),
             box = tp_solid_box(tp_vec3_make(0.05, 0.05, 0.05));
    tp_pose ground = tp_pose_identity(), pose = {{1.7, 1.5, 0.051}, tp_quat_identity()};
    collide_all(&solid, &ground, &ball, &pose, 0.01, &all);
    CHECK_INT(all.count, 1);
    CHECK_NEAR(smallest(&all), 1e-3, rounding);
    collide_all(&solid, &ground, &box, &pose, 0.01, &all);
    CHECK_INT(all.count, 4);
    CHECK_NEAR(smallest(&all), 1e-3, rounding);
    pose.origin.z = -0.3;
    collide_all(&solid, &ground, &ball, &pose, 0.01, &all);
    CHECK_NEAR(all.point[0].gap, -0.35, rounding);
    tp_surface_free(NULL, field);
    tp_surface_free(NULL, mesh);
}

TEST(near_parts_are_those_whose_boxes_meet)
{
    check_random random = {876};
    double heights[COLUMNS * ROWS];
    tp_surface *field, *mesh;
    random_heights(&random, 0.3, heights);
    make_grid(heights, &field, &mesh);
    static tp_vec3 vertices[COLUMNS * ROWS];
    static int triangles[6 * COLUMNS * ROWS], parts[3 * COLUMNS * ROWS];
    tp_surface_fill(field, vertices, triangles);
    tp_solid solids[2] = {tp_solid_heightfield(field), tp_solid_mesh(mesh)}, box = tp_solid_sphere(1.0);
    for (int round = 0; round < 500; round++) {
        tp_vec3 middle = {check_uniform(&random, -1.0, 5.0), check_uniform(&random, -1.0, 5.0),
                          0.3 * check_normal(&random)};
        tp_vec3 half = {0.4 * fabs(check_normal(&random)), 0.4 * fabs(check_normal(&random)), 0.2};
        if (round % 10 == 0) middle.x = 0.6 * (round / 10 % 9), half.x = 0.0; /* along a line of the grid */
        tp_bounds around = {tp_vec3_sub(middle, half), tp_vec3_add(middle, half)};
        for (int which = 0; which < 2; which++) {
            int count = tp_solid_near_parts(&solids[which], &around, parts, 3 * COLUMNS * ROWS), at = 0;
            for (int t = 0; t < tp_solid_part_count(&solids[which]); t++) {
                tp_vec3 low = vertices[triangles[3 * t]], high = low;
                for (int k = 1; k < 3; k++) {
                    tp_vec3 x = vertices[triangles[3 * t + k]];
                    low = tp_vec3_make(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
                    high = tp_vec3_make(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
                }
                tp_bounds own = {low, high};
                if (!tp_bounds_near(&own, &around, 0.0)) continue;
                CHECK(at < count);
                CHECK_INT(parts[at++], t);
            }
            CHECK_INT(at, count);
            CHECK_INT(tp_solid_near_parts(&solids[which], &around, NULL, 0), count);
        }
    }
    CHECK_INT(tp_solid_near_parts(&box, &(tp_bounds){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}, parts, 1), 1);
    tp_surface_free(NULL, field);
    tp_surface_free(NULL, mesh);
}

TEST(surfaces_that_cannot_be_are_refused)
{
    const tp_vec3 vertices[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {2.0, 0.0, 0.0}};
    const int turned[6] = {0, 1, 2, 0, 1, 3}, flat[3] = {0, 1, 3}, beyond[3] = {0, 1, 4};
    const double heights[4] = {0.0, 1.0, NAN, 0.0};
    tp_surface *surface;
    tp_message why;
    tp_mesh mesh = {4, 2, vertices, turned};
    CHECK_INT(tp_surface_create(NULL, &mesh, &surface, &why), TP_INVALID_DATA);
    mesh = (tp_mesh){4, 1, vertices, flat};
    CHECK_INT(tp_surface_create(NULL, &mesh, &surface, &why), TP_INVALID_DATA);
    mesh = (tp_mesh){4, 1, vertices, beyond};
    CHECK_INT(tp_surface_create(NULL, &mesh, &surface, &why), TP_INVALID_DATA);
    CHECK_INT(tp_surface_create_heights(NULL, 2, 2, 1.0, 1.0, heights, &surface, &why), TP_INVALID_DATA);
    CHECK_INT(tp_surface_create_heights(NULL, 1, 2, 1.0, 1.0, heights, &surface, &why), TP_INVALID_DATA);
    CHECK_INT(tp_surface_create_heights(NULL, 2, 2, 0.0, 1.0, heights, &surface, &why), TP_INVALID_DATA);
}

TEST_MAIN(RUNS(a_flat_surface_is_a_plane), RUNS(what_lies_over_a_common_edge_touches_one_triangle),
          RUNS(heights_and_the_same_triangles_have_the_same_contacts),
          RUNS(a_convex_mesh_is_its_hull_for_what_is_outside),
          RUNS(a_ball_over_hills_has_the_distance_of_the_nearest_point),
          RUNS(gaps_over_hills_change_with_the_normal_velocity_of_their_points),
          RUNS(a_plate_lies_on_the_corners_of_what_is_smaller),
          RUNS(a_plate_lies_on_a_ridge_and_on_triangles_that_share_no_corner),
          RUNS(a_box_over_the_rim_of_a_block_is_not_inside_of_it),
          RUNS(heights_touch_from_above_and_hold_what_is_below), RUNS(near_parts_are_those_whose_boxes_meet),
          RUNS(surfaces_that_cannot_be_are_refused))
