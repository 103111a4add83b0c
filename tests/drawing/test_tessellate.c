/* Surfaces of primitives: closed, turned outward, with the volume and the place of what they stand for. */
#include "check.h"
#include "tippe/drawing.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 40000, INDICES_MAX = 200000 };

static const double pi = 3.141592653589793;

static tp_vec3 points[POINTS_MAX];
static int ends[3][INDICES_MAX], indices[3][INDICES_MAX];

static tp_tessellation empty(void)
{
    return (tp_tessellation){.points = points,
                             .verts = {.ends = ends[0], .indices = indices[0]},
                             .lines = {.ends = ends[1], .indices = indices[1]},
                             .polygons = {.ends = ends[2], .indices = indices[2]}};
}

static tp_tessellation surface_of(const tp_primitive *primitive, int segments)
{
    tp_tessellation all = empty();
    tp_tessellate(primitive, segments, &all);
    return all;
}

static tp_primitive solid(tp_primitive_kind kind, double a, double b, double c)
{
    tp_primitive primitive = tp_primitive_default();
    primitive.kind = kind;
    primitive.size[0] = a, primitive.size[1] = b, primitive.size[2] = c;
    return primitive;
}

static const tp_vec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
static const int tetrahedron[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static tp_primitive mesh(void)
{
    tp_primitive primitive = tp_primitive_default();
    primitive.kind = TP_PRIMITIVE_MESH;
    primitive.vertex_count = 4, primitive.vertices = corner;
    primitive.triangle_count = 4, primitive.triangles = tetrahedron;
    return primitive;
}

enum { SOLIDS = 5 };

static tp_primitive solid_number(int k)
{
    switch (k) {
    case 0: return solid(TP_PRIMITIVE_SPHERE, 0.7, 0, 0);
    case 1: return solid(TP_PRIMITIVE_BOX, 0.3, 0.5, 0.9);
    case 2: return solid(TP_PRIMITIVE_CYLINDER, 0.4, 1.1, 0);
    case 3: return solid(TP_PRIMITIVE_CAPSULE, 0.4, 0.8, 0);
    default: return mesh();
    }
}

/* Sum over the fans of all polygons of (a, b x c) / 6. */
static double volume(const tp_tessellation *all)
{
    double sum = 0.0;
    for (int k = 0, begin = 0; k < all->polygons.count; begin = all->polygons.ends[k++]) {
        const int *polygon = all->polygons.indices + begin;
        for (int i = 2; i < all->polygons.ends[k] - begin; i++) {
            tp_vec3 a = points[polygon[0]], b = points[polygon[i - 1]], c = points[polygon[i]];
            sum += tp_vec3_dot(a, tp_vec3_cross(b, c)) / 6.0;
        }
    }
    return sum;
}

typedef struct edge {
    int from, to;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

TEST(every_edge_of_a_closed_surface_is_there_once_in_each_direction)
{
    static edge edges[INDICES_MAX];
    for (int kind = 0; kind < SOLIDS; kind++) {
        tp_primitive primitive = solid_number(kind);
        tp_tessellation all = surface_of(&primitive, 24);
        int count = 0;
        for (int k = 0, begin = 0; k < all.polygons.count; begin = all.polygons.ends[k++]) {
            int n = all.polygons.ends[k] - begin;
            const int *polygon = all.polygons.indices + begin;
            CHECK(n >= 3);
            for (int i = 0; i < n; i++) edges[count++] = (edge){polygon[i], polygon[(i + 1) % n]};
        }
        qsort(edges, (size_t)count, sizeof edges[0], compare_edges);
        for (int i = 0; i < count; i++) {
            edge back = {edges[i].to, edges[i].from};
            CHECK(i == 0 || compare_edges(&edges[i - 1], &edges[i]) != 0);
            CHECK(bsearch(&back, edges, (size_t)count, sizeof edges[0], compare_edges) != NULL);
        }
        /* Euler: a surface like a ball. */
        CHECK_INT(all.point_count - count / 2 + all.polygons.count, 2);
    }
}

/* Boxes, prisms over an n-gon and tetrahedra have exact volumes; rounding: some ten operations per term. */
TEST(volumes_of_polyhedra_are_exact)
{
    const double rounding = 1e-14;
    tp_primitive box = solid_number(1), tetra = mesh();
    tp_tessellation all = surface_of(&box, 8);
    CHECK_NEAR(volume(&all), 8.0 * 0.3 * 0.5 * 0.9, rounding);
    all = surface_of(&tetra, 8);
    CHECK_NEAR(volume(&all), 1.0, rounding);
    for (int n = 8; n <= 64; n *= 2) {
        tp_primitive cylinder = solid_number(2);
        all = surface_of(&cylinder, n);
        CHECK_NEAR(volume(&all), 0.5 * n * sin(2.0 * pi / n) * 0.4 * 0.4 * 2.2, rounding);
    }
}

/* The surface lies inside, the error goes like 1/n^2: halving the segments' size divides it by four, up to
   the next term of the series, which is below (2 pi/n)^2 of the first. */
TEST(volumes_of_round_bodies_converge_with_second_order)
{
    const double exact[2] = {4.0 / 3.0 * pi * 0.7 * 0.7 * 0.7,
                             4.0 / 3.0 * pi * 0.4 * 0.4 * 0.4 + pi * 0.4 * 0.4 * 1.6};
    for (int k = 0; k < 2; k++) {
        tp_primitive primitive = solid_number(k == 0 ? 0 : 3);
        double error[3];
        for (int level = 0; level < 3; level++) {
            tp_tessellation all = surface_of(&primitive, 32 << level);
            error[level] = exact[k] - volume(&all);
            CHECK(error[level] > 0.0);
        }
        double next = 2.0 * pi / 32.0;
        CHECK_NEAR(error[0] / error[1], 4.0, 4.0 * next * next);
        CHECK_NEAR(error[1] / error[2], 4.0, 4.0 * next * next);
    }
}

TEST(normals_point_outward)
{
    for (int kind = 0; kind < SOLIDS; kind++) {
        tp_primitive primitive = solid_number(kind);
        tp_tessellation all = surface_of(&primitive, 16);
        tp_vec3 inside = kind == 4 ? tp_vec3_make(0.2, 0.4, 0.6) : tp_vec3_zero();
        for (int k = 0, begin = 0; k < all.polygons.count; begin = all.polygons.ends[k++]) {
            const int *polygon = all.polygons.indices + begin;
            tp_vec3 a = points[polygon[0]], b = points[polygon[1]], c = points[polygon[2]];
            tp_vec3 normal = tp_vec3_cross(tp_vec3_sub(b, a), tp_vec3_sub(c, b));
            CHECK(tp_vec3_dot(normal, tp_vec3_sub(a, inside)) > 0.0);
        }
    }
}

/* Random poses: points are moved as a rigid body, sizes keep their distances. */
TEST(the_pose_moves_every_point_as_a_rigid_body)
{
    check_random random = {2026};
    for (int trial = 0; trial < 50; trial++) {
        tp_primitive primitive = solid_number(trial % SOLIDS);
        tp_tessellation all = surface_of(&primitive, 12);
        int count = all.point_count;
        tp_vec3 *before = malloc((size_t)count * sizeof *before);
        CHECK(before != NULL);
        memcpy(before, points, (size_t)count * sizeof *before);
        double still = volume(&all);
        primitive.position =
            tp_vec3_make(check_normal(&random), check_normal(&random), check_normal(&random));
        primitive.orientation = tp_quat_normalise(tp_quat_make(check_normal(&random), check_normal(&random),
                                                               check_normal(&random), check_normal(&random)));
        all = surface_of(&primitive, 12);
        CHECK_INT(all.point_count, count);
        for (int i = 0; i < count; i++) {
            tp_vec3 back =
                tp_quat_rotate_back(primitive.orientation, tp_vec3_sub(points[i], primitive.position));
            CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(back, before[i])), 0.0, 1e-14);
        }
        CHECK_NEAR(volume(&all), still, 1e-13);
        free(before);
    }
}

TEST(every_kind_needs_exactly_what_was_measured)
{
    for (int kind = 0; kind < TP_PRIMITIVE_KINDS; kind++) {
        for (int filled = 0; filled < 2; filled++) {
            tp_primitive primitive = mesh();
            primitive.kind = (tp_primitive_kind)kind;
            primitive.is_filled = filled == 1;
            primitive.size[0] = primitive.size[1] = primitive.size[2] = 1.0;
            tp_tessellation_size size = tp_tessellation_measure(&primitive, 20);
            tp_tessellation all = surface_of(&primitive, 20);
            CHECK_INT(all.point_count, size.points);
            CHECK_INT(all.verts.count, size.verts);
            CHECK_INT(all.verts.index_count, size.verts);
            CHECK_INT(all.lines.count, size.lines);
            CHECK_INT(all.lines.index_count, size.line_indices);
            CHECK_INT(all.polygons.count, size.polygons);
            CHECK_INT(all.polygons.index_count, size.polygon_indices);
            CHECK(size.points > 0 && tp_primitive_kind_name(primitive.kind) != NULL);
        }
    }
    CHECK(tp_primitive_kind_name((tp_primitive_kind)TP_PRIMITIVE_KINDS) == NULL);
}

TEST(what_is_not_finite_or_has_a_negative_size_adds_nothing)
{
    tp_primitive bad[4] = {solid_number(0), solid_number(1), solid_number(2), mesh()};
    tp_vec3 vertices[4] = {corner[0], corner[1], corner[2], {0, NAN, 0}};
    bad[0].size[0] = -1.0;
    bad[1].position.y = INFINITY;
    bad[2].orientation.w = NAN;
    bad[3].vertices = vertices;
    for (int k = 0; k < 4; k++) {
        tp_tessellation all = surface_of(&bad[k], 8);
        CHECK(!tp_primitive_is_sound(&bad[k]));
        CHECK_INT(all.point_count + all.polygons.count + all.lines.count + all.verts.count, 0);
    }
}

/* A shell is a ball inside out; a tube is a cylinder inside out without lids, which have a third of the
   volume in the sum. Both have rings on the same surface. */
TEST(hollows_are_solids_inside_out)
{
    const double rounding = 1e-14;
    tp_primitive ball = solid_number(0), shell = solid(TP_PRIMITIVE_SHELL, 0.7, 0, 0), rod = solid_number(2),
                 tube = solid(TP_PRIMITIVE_TUBE, 0.4, 1.1, 0);
    tp_tessellation all = surface_of(&ball, 4 * 12); /* hollows have four times the segments */
    double volume_of_ball = volume(&all);
    all = surface_of(&rod, 4 * 12);
    double volume_of_rod = volume(&all);
    tube.is_filled = shell.is_filled = true;
    all = surface_of(&shell, 12);
    CHECK_NEAR(volume(&all), -volume_of_ball, rounding);
    CHECK_INT(all.lines.count, 3);
    for (int i = 0; i < all.point_count; i++) CHECK_NEAR(tp_vec3_norm(points[i]), 0.7, rounding);
    all = surface_of(&tube, 12);
    CHECK_NEAR(volume(&all), -2.0 / 3.0 * volume_of_rod, rounding);
    CHECK_INT(all.lines.count, 2);
    CHECK_INT(all.polygons.count, 4 * 12);
    for (int i = 0; i < all.point_count; i++) {
        CHECK_NEAR(hypot(points[i].x, points[i].y), 0.4, rounding);
        CHECK_NEAR(fabs(points[i].z), 1.1, 0.0);
    }
    tube.is_filled = shell.is_filled = false; /* rings alone */
    all = surface_of(&tube, 12);
    CHECK(all.polygons.count == 0 && all.lines.count == 2);
    all = surface_of(&shell, 12);
    CHECK(all.polygons.count == 0 && all.lines.count == 3);
}

/* Between straight ends every point of the turns has the coil's radius from the line of its ends. */
TEST(a_coil_winds_around_the_line_between_its_ends)
{
    const tp_vec3 ends_of_coil[2] = {{1.0, 2.0, 3.0}, {3.0, 3.0, 5.0}}, along = {2.0 / 3, 1.0 / 3, 2.0 / 3};
    tp_primitive coil = solid(TP_PRIMITIVE_COIL, 0.25, 0, 0);
    coil.vertices = ends_of_coil, coil.vertex_count = 2;
    tp_tessellation line = surface_of(&coil, 16);
    CHECK_INT(line.lines.count, 1);
    CHECK_INT(line.lines.index_count, line.point_count);
    CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(line.points[0], ends_of_coil[0])), 0.0, 1e-15);
    CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(line.points[line.point_count - 1], ends_of_coil[1])), 0.0, 1e-15);
    double height = 0.0;
    for (int k = 1; k < line.point_count - 1; k++) {
        tp_vec3 from = tp_vec3_sub(line.points[k], ends_of_coil[0]);
        double up = tp_vec3_dot(from, along), away = tp_vec3_norm(tp_vec3_add_scaled(from, -up, along));
        bool is_on_axis = k == 1 || k == line.point_count - 2;
        CHECK_NEAR(away, is_on_axis ? 0.0 : 0.25, 1e-14);
        CHECK(up >= height - 1e-14 && up <= 3.0);
        height = up;
    }
    const tp_vec3 nowhere[2] = {{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}}; /* ends meet: nothing is to be seen */
    coil.vertices = nowhere;
    line = surface_of(&coil, 16);
    for (int k = 0; k < line.point_count; k++)
        CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(line.points[k], nowhere[0])), 0.0, 0.0);
}

/* The octant of a polygon's centre decides: dark where an odd number of its coordinates is negative, or the
   opposite on the whole ball. */
TEST(a_ball_has_four_dark_octants)
{
    const int segments = 24;
    tp_primitive ball = solid(TP_PRIMITIVE_SPHERE, 2.0, 0, 0), box = solid(TP_PRIMITIVE_BOX, 1, 1, 1);
    tp_tessellation surface = surface_of(&ball, segments);
    int odd_ones = 0, dark_count = 0, begin = 0;
    for (int k = 0; k < surface.polygons.count; begin = surface.polygons.ends[k++]) {
        tp_vec3 centre = tp_vec3_zero();
        for (int i = begin; i < surface.polygons.ends[k]; i++)
            centre = tp_vec3_add(centre, surface.points[surface.polygons.indices[i]]);
        bool is_odd = (centre.x < 0.0) ^ (centre.y < 0.0) ^ (centre.z < 0.0);
        bool is_dark = tp_tessellation_is_dark(&ball, segments, k);
        odd_ones += is_odd == is_dark, dark_count += is_dark;
        CHECK(!tp_tessellation_is_dark(&box, segments, k));
    }
    CHECK(odd_ones == 0 || odd_ones == surface.polygons.count);
    CHECK_INT(2 * dark_count, surface.polygons.count);
}

TEST(kinds_and_roles_have_names)
{
    CHECK(strcmp(tp_primitive_kind_name(TP_PRIMITIVE_COIL), "coil") == 0);
    CHECK(strcmp(tp_primitive_role_name(TP_ROLE_DRAWING), "drawing") == 0);
    CHECK(strcmp(tp_primitive_role_name(TP_ROLE_MOTOR), "motor") == 0);
    CHECK(tp_primitive_role_name((tp_primitive_role)TP_PRIMITIVE_ROLES) == NULL);
}

TEST(colours_are_names_or_six_hexadecimal_digits)
{
    tp_colour colour;
    CHECK(tp_colour_read("#ff8000", &colour));
    CHECK(colour.red == 1.0 && colour.green == 128.0 / 255.0 && colour.blue == 0.0);
    CHECK(tp_colour_read("#FF8000", &colour));
    for (int k = 0; tp_colour_name(k) != NULL; k++) CHECK(tp_colour_read(tp_colour_name(k), &colour));
    static const char *const wrong[] = {"", "#", "#12345", "#1234567", "#12345g", "rot", "ff8000", "# 12345"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) CHECK(!tp_colour_read(wrong[k], &colour));
    CHECK(tp_palette_colour(-1).red == tp_palette_colour(TP_PALETTE_COUNT - 1).red);
}

TEST_MAIN(RUNS(every_edge_of_a_closed_surface_is_there_once_in_each_direction),
          RUNS(volumes_of_polyhedra_are_exact), RUNS(volumes_of_round_bodies_converge_with_second_order),
          RUNS(normals_point_outward), RUNS(the_pose_moves_every_point_as_a_rigid_body),
          RUNS(every_kind_needs_exactly_what_was_measured),
          RUNS(what_is_not_finite_or_has_a_negative_size_adds_nothing), RUNS(hollows_are_solids_inside_out),
          RUNS(a_coil_winds_around_the_line_between_its_ends), RUNS(a_ball_has_four_dark_octants),
          RUNS(kinds_and_roles_have_names), RUNS(colours_are_names_or_six_hexadecimal_digits))
