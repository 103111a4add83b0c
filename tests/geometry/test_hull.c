/* Hulls of points: corners, faces, edges, mass; outlines cut into convex pieces. */
#include "check.h"
#include "solids.h"

#include <float.h>
#include <string.h>

static void check_hull(void **check_state_, const tp_hull *hull, const tp_vec3 *points, int count)
{
    CHECK_INT(hull->vertex_count - hull->edge_count + hull->face_count, 2);
    for (int f = 0; f < hull->face_count; f++) {
        tp_vec3 on_face = hull->vertices[hull->face_vertices[hull->face_start[f]]], n = hull->face_normals[f];
        CHECK_NEAR(tp_vec3_norm(n), 1.0, 1e-12);
        for (int i = 0; i < count; i++) CHECK(tp_vec3_dot(n, tp_vec3_sub(points[i], on_face)) < 3e-6);
        for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; k++)
            CHECK_NEAR(tp_vec3_dot(n, tp_vec3_sub(hull->vertices[hull->face_vertices[k]], on_face)), 0.0,
                       3e-6);
    }
    for (int e = 0; e < hull->edge_count; e++) {
        const tp_hull_edge *edge = &hull->edges[e];
        tp_vec3 along = tp_vec3_sub(hull->vertices[edge->to], hull->vertices[edge->from]);
        CHECK(tp_vec3_dot(tp_vec3_cross(hull->face_normals[edge->right], hull->face_normals[edge->left]),
                          along) < 1e-9);
    }
}

TEST(all_points_are_inside_their_hull_and_its_corners_are_points)
{
    check_random random = {891};
    for (int round = 0; round < 200; round++) {
        tp_vec3 points[400];
        int count = 4 + (int)(check_random_bits(&random) % (round % 2 == 0 ? 60 : 396));
        for (int i = 0; i < count; i++) { /* in a ball; or on a coarse grid, with many in one plane or line */
            points[i] = tp_vec3_scale(cbrt(check_uniform(&random, 0.0, 1.0)),
                                      tp_vec3_normalise(solids_vector(&random)));
            if (round % 3 == 0)
                points[i] = tp_vec3_make(floor(3.0 * points[i].x), floor(3.0 * points[i].y),
                                         floor(3.0 * points[i].z));
        }
        tp_hull *hull;
        tp_message why;
        if (tp_hull_create(NULL, points, count, &hull, &why) != TP_OK) { /* few points of the grid */
            CHECK(strstr(why.text, "plane") != NULL || strstr(why.text, "line") != NULL);
            continue;
        }
        check_hull(check_state_, hull, points, count);
        for (int k = 0; k < hull->vertex_count; k++) {
            double nearest = INFINITY;
            for (int i = 0; i < count; i++)
                nearest = fmin(nearest, solids_distance(points[i], hull->vertices[k]));
            CHECK_NEAR(nearest, 0.0, 0.0);
        }
        tp_hull_free(NULL, hull);
    }
}

/* A box of 27 points, six faces of four corners; moved and turned, with the noise of a file. */
TEST(the_hull_of_a_box_is_a_box_with_its_mass)
{
    check_random random = {892};
    tp_vec3 half = {0.3, 0.5, 0.7};
    tp_solid box = tp_solid_box(half);
    for (int round = 0; round < 40; round++) {
        tp_pose pose = solids_pose(&random, 1.0);
        tp_vec3 points[27];
        for (int k = 0; k < 27; k++) {
            tp_vec3 x =
                tp_vec3_make((k % 3 - 1.0) * half.x, (k / 3 % 3 - 1.0) * half.y, (k / 9 - 1.0) * half.z);
            points[k] = tp_vec3_add_scaled(tp_pose_point(&pose, x), 1e-8, solids_vector(&random));
        }
        tp_hull *hull;
        CHECK_INT(tp_hull_create(NULL, points, 27, &hull, NULL), TP_OK);
        CHECK_INT(hull->vertex_count, 8);
        CHECK_INT(hull->face_count, 6);
        CHECK_INT(hull->edge_count, 12);
        tp_solid solid = tp_solid_hull(hull);
        tp_mass_properties one, two;
        CHECK_INT(tp_solid_mass_properties(&solid, 1000.0, &one, NULL), TP_OK);
        CHECK_INT(tp_solid_mass_properties(&box, 1000.0, &two, NULL), TP_OK);
        two = tp_mass_properties_place(&two, &pose);
        CHECK_NEAR(one.mass, two.mass, 1e-6 * two.mass);
        CHECK_NEAR(solids_distance(one.centre, two.centre), 0.0, 1e-6);
        CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(one.inertia.cx, two.inertia.cx)), 0.0, 1e-6 * two.mass);
        CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(one.inertia.cz, two.inertia.cz)), 0.0, 1e-6 * two.mass);
        tp_hull_free(NULL, hull);
    }
}

TEST(points_without_a_hull_are_refused_with_the_reason)
{
    tp_vec3 points[200];
    tp_hull *hull;
    tp_message why;
    for (int k = 0; k < 200; k++) { /* all on a ball: too many corners */
        double z = 1.0 - (2.0 * k + 1.0) / 200.0, angle = 2.399963229728653 * k, r = sqrt(1.0 - z * z);
        points[k] = tp_vec3_make(r * cos(angle), r * sin(angle), z);
    }
    CHECK_INT(tp_hull_create(NULL, points, 200, &hull, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "more than 128 corners") != NULL);
    CHECK_INT(tp_hull_create(NULL, points, 128, &hull, &why), TP_OK);
    CHECK_INT(hull->vertex_count, 128);
    tp_hull_free(NULL, hull);
    CHECK_INT(tp_hull_create(NULL, points, 3, &hull, &why), TP_INVALID_DATA);
    for (int k = 0; k < 10; k++) points[k] = tp_vec3_make(k, k * k, 0.0);
    CHECK_INT(tp_hull_create(NULL, points, 10, &hull, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "plane") != NULL);
    points[3].y = NAN;
    CHECK_INT(tp_hull_create(NULL, points, 10, &hull, &why), TP_INVALID_DATA);
}

/* Pieces are convex, have the area of the whole, and a convex outline is one piece. */
TEST(an_outline_is_cut_into_convex_pieces_of_its_area)
{
    check_random random = {893};
    for (int round = 0; round < 200; round++) {
        enum { MOST = 60 };
        tp_vec2 outline[MOST];
        tp_polygon_piece pieces[MOST];
        int corners[3 * MOST], count = 3 + (int)(check_random_bits(&random) % (MOST - 3)), piece_count;
        bool is_convex = round % 4 == 0;
        double area = 0.0, sum = 0.0;
        for (int k = 0; k < count; k++) { /* a star about the origin, in either direction */
            double angle = (round % 2 == 0 ? 1.0 : -1.0) * 6.283185307179586 * k / count;
            double radius = is_convex ? 1.0 : check_uniform(&random, 0.3, 1.0);
            outline[k] = tp_vec2_make(radius * cos(angle), radius * sin(angle));
        }
        for (int k = 0; k < count; k++) area += 0.5 * tp_vec2_cross(outline[k], outline[(k + 1) % count]);
        CHECK_INT(tp_polygon_cut(NULL, outline, count, 64, pieces, corners, &piece_count, NULL), TP_OK);
        for (int p = 0; p < piece_count; p++)
            for (int k = 0; k < pieces[p].count; k++) {
                const int *at = corners + pieces[p].first;
                int n = pieces[p].count;
                tp_vec2 a = outline[at[k]], b = outline[at[(k + 1) % n]], c = outline[at[(k + 2) % n]];
                CHECK(tp_vec2_cross(tp_vec2_sub(b, a), tp_vec2_sub(c, b)) > -1e-9);
                sum += 0.5 * tp_vec2_cross(a, b);
            }
        CHECK_NEAR(sum, fabs(area), 1e-12);
        if (is_convex) CHECK_INT(piece_count, 1);
    }
    const tp_vec2 crossed[4] = {{0.0, 0.0}, {1.0, 1.0}, {1.0, 0.0}, {0.0, 1.0}};
    tp_polygon_piece pieces[4];
    int corners[12], piece_count;
    CHECK_INT(tp_polygon_cut(NULL, crossed, 4, 64, pieces, corners, &piece_count, NULL), TP_INVALID_DATA);
}

TEST_MAIN(RUNS(all_points_are_inside_their_hull_and_its_corners_are_points),
          RUNS(the_hull_of_a_box_is_a_box_with_its_mass),
          RUNS(points_without_a_hull_are_refused_with_the_reason),
          RUNS(an_outline_is_cut_into_convex_pieces_of_its_area))
