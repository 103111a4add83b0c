/* Mass properties: closed forms, sums of parts, closed meshes, and what is refused. */
#include "check.h"
#include "solids.h"

#include <float.h>
#include <string.h>

static const double rounding = 64.0 * DBL_EPSILON;
static const double pi = 3.14159265358979323846;

static double difference(tp_mat3 a, tp_mat3 b)
{
    tp_mat3 d = tp_mat3_sub(a, b);
    return tp_vec3_norm(d.cx) + tp_vec3_norm(d.cy) + tp_vec3_norm(d.cz);
}

static void check_diagonal(void **check_state_, tp_mat3 inertia, double x, double y, double z)
{
    CHECK_NEAR(difference(inertia, tp_mat3_diagonal(tp_vec3_make(x, y, z))), 0.0, rounding * (x + y + z));
}

TEST(solids_have_the_masses_and_moments_of_the_tables)
{
    tp_mass_properties m;
    tp_message why;
    tp_solid sphere = tp_solid_sphere(0.5), box = tp_solid_box(tp_vec3_make(0.5, 1.0, 1.5));
    tp_solid cylinder = tp_solid_cylinder(0.5, 1.0), disc = tp_solid_cylinder(0.5, 0.0);
    CHECK_INT(tp_solid_mass_properties(&sphere, 1000.0, &m, &why), TP_OK);
    CHECK_NEAR(m.mass, 1000.0 * pi / 6.0, rounding * 1000.0);
    check_diagonal(check_state_, m.inertia, 0.1 * m.mass, 0.1 * m.mass, 0.1 * m.mass); /* 2/5 m r^2 */
    CHECK_INT(tp_solid_mass_properties(&box, 2.0, &m, &why), TP_OK);
    CHECK_NEAR(m.mass, 12.0, rounding);
    check_diagonal(check_state_, m.inertia, 13.0, 10.0, 5.0); /* m/12 (b^2 + c^2), edges 1, 2, 3 */
    CHECK_INT(tp_solid_mass_properties(&cylinder, 1.0, &m, &why), TP_OK);
    CHECK_NEAR(m.mass, 0.5 * pi, rounding);
    check_diagonal(check_state_, m.inertia, m.mass * (0.0625 + 1.0 / 3.0), m.mass * (0.0625 + 1.0 / 3.0),
                   m.mass * 0.125);
    CHECK_INT(tp_solid_mass_properties_of_mass(&disc, 8.0, &m, &why), TP_OK);
    check_diagonal(check_state_, m.inertia, 0.5, 0.5, 1.0);
    CHECK_INT(tp_inertia_check(m.mass, m.inertia, &why), TP_OK); /* flat: equality in the triangle */
}

/* Slices of thickness dz have moments dm r^2/4 + dm z^2; Simpson's rule is exact to O(n^-4), checked here to
   the 1e-6 that the square root at the poles leaves. */
TEST(a_capsule_is_the_sum_of_its_slices)
{
    const double r = 0.3, h = 0.7;
    const int count = 200000;
    double mass = 0.0, along = 0.0, across = 0.0, dz = 2.0 * (h + r) / count;
    for (int i = 0; i < count; i++) {
        double z = -(h + r) + (i + 0.5) * dz, beyond = fmax(fabs(z) - h, 0.0),
               square = r * r - beyond * beyond;
        double dm = pi * square * dz;
        mass += dm;
        along += dm * square / 2.0;
        across += dm * (square / 4.0 + z * z);
    }
    tp_mass_properties m;
    tp_solid capsule = tp_solid_capsule(r, h);
    CHECK_INT(tp_solid_mass_properties(&capsule, 1.0, &m, NULL), TP_OK);
    CHECK_NEAR(m.mass, mass, 1e-9);
    CHECK_NEAR(m.inertia.cz.z, along, 1e-9);
    CHECK_NEAR(m.inertia.cx.x, across, 1e-9);
    CHECK_NEAR(m.inertia.cy.y, across, 1e-9);
}

/* A box cut into eight, each part turned into a frame of its own and put back, is the box. */
TEST(parts_of_a_body_add_up_to_it)
{
    check_random random = {831};
    tp_vec3 half = {0.3, 0.5, 0.7};
    tp_solid whole = tp_solid_box(half), part = tp_solid_box(tp_vec3_scale(0.5, half));
    tp_pose body = solids_pose(&random, 1.0);
    tp_mass_properties all, piece, sum = {0};
    CHECK_INT(tp_solid_mass_properties(&whole, 3.0, &all, NULL), TP_OK);
    CHECK_INT(tp_solid_mass_properties(&part, 3.0, &piece, NULL), TP_OK);
    for (int k = 0; k < 8; k++) {
        tp_vec3 at = {k & 1 ? 0.15 : -0.15, k & 2 ? 0.25 : -0.25, k & 4 ? 0.35 : -0.35};
        tp_pose local = {at, tp_quat_identity()}, pose = tp_pose_compose(&body, &local);
        tp_mass_properties placed = tp_mass_properties_place(&piece, &pose);
        sum = tp_mass_properties_add(&sum, &placed);
    }
    all = tp_mass_properties_place(&all, &body);
    CHECK_NEAR(sum.mass, all.mass, rounding);
    CHECK_NEAR(solids_distance(sum.centre, all.centre), 0.0, rounding);
    CHECK_NEAR(difference(sum.inertia, all.inertia), 0.0, rounding);
    tp_mass_properties nothing = {0};
    CHECK_NEAR(difference(tp_mass_properties_add(&all, &nothing).inertia, all.inertia), 0.0, 0.0);
}

TEST(principal_axes_turn_the_inertia_into_its_moments)
{
    check_random random = {832};
    for (int round = 0; round < 200; round++) {
        tp_mat3 R = tp_quat_to_matrix(solids_rotation(&random));
        double a = check_uniform(&random, 1.0, 2.0), b = check_uniform(&random, 2.0, 2.5);
        tp_mat3 D = tp_mat3_diagonal(tp_vec3_make(b, a, 2.9));
        tp_mat3 J = tp_mat3_multiply(R, tp_mat3_multiply(D, tp_mat3_transpose(R)));
        tp_vec3 moments;
        tp_quat orientation;
        tp_inertia_principal(J, &moments, &orientation);
        CHECK_NEAR(solids_distance(moments, tp_vec3_make(a, b, 2.9)), 0.0, rounding);
        tp_mat3 axes = tp_quat_to_matrix(orientation);
        tp_mat3 back =
            tp_mat3_multiply(axes, tp_mat3_multiply(tp_mat3_diagonal(moments), tp_mat3_transpose(axes)));
        CHECK_NEAR(difference(back, J), 0.0, 4.0 * rounding);
    }
}

TEST(inertias_that_no_body_has_are_refused_with_numbers)
{
    tp_message why;
    tp_mat3 J = tp_mat3_diagonal(tp_vec3_make(1.0, 2.0, 3.5));
    CHECK_INT(tp_inertia_check(1.0, J, &why), TP_INVALID_DATA);
    CHECK(strcmp(why.text,
                 "inertia: no body has the principal moments 1, 2, 3.5 kg m^2, the largest is at most "
                 "the sum of the others (3)") == 0);
    J = tp_mat3_diagonal(tp_vec3_make(1.0, 2.0, 3.0));
    CHECK_INT(tp_inertia_check(1.0, J, &why), TP_OK);
    CHECK_INT(tp_inertia_check(0.0, J, &why), TP_INVALID_DATA);
    CHECK_INT(tp_inertia_check(-1.0, J, &why), TP_INVALID_DATA);
    CHECK_INT(tp_inertia_check(NAN, J, &why), TP_INVALID_DATA);
    J.cx.y = 0.1;
    CHECK_INT(tp_inertia_check(1.0, J, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "not symmetric, entry (2,1) is 0.1") != NULL);
    J.cx.y = NAN;
    CHECK_INT(tp_inertia_check(1.0, J, &why), TP_INVALID_DATA);
    J = tp_mat3_diagonal(tp_vec3_make(0.0, 2.0, 2.0)); /* a rod */
    CHECK_INT(tp_inertia_check(1.0, J, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "must all be positive") != NULL);
}

TEST(solids_without_volume_or_end_are_refused)
{
    tp_message why;
    tp_mass_properties m;
    tp_solid point = tp_solid_point(), plane = tp_solid_plane(), disc = tp_solid_cylinder(1.0, 0.0);
    tp_solid ball = tp_solid_sphere(1.0), tube = tp_solid_inside_cylinder(1.0);
    CHECK_INT(tp_solid_mass_properties(&point, 1.0, &m, &why), TP_INVALID_DATA);
    CHECK_INT(tp_solid_mass_properties(&disc, 1.0, &m, &why), TP_INVALID_DATA);
    CHECK(strcmp(why.text, "cylinder: its volume is 0, give a mass instead of a density") == 0);
    CHECK_INT(tp_solid_mass_properties(&plane, 1.0, &m, &why), TP_INVALID_DATA);
    CHECK_INT(tp_solid_mass_properties_of_mass(&tube, 1.0, &m, &why), TP_INVALID_DATA);
    CHECK_INT(tp_solid_mass_properties(&ball, 0.0, &m, &why), TP_INVALID_DATA);
    CHECK_INT(tp_solid_mass_properties(&ball, NAN, &m, &why), TP_INVALID_DATA);
    CHECK_INT(tp_solid_mass_properties_of_mass(&ball, INFINITY, &m, &why), TP_INVALID_DATA);
    CHECK_INT(tp_solid_mass_properties_of_mass(&point, 1.0, &m, &why), TP_OK);
}

/* ---- meshes ---- */

/* Corner k as in a box; two triangles a face, counter-clockwise from outside. */
static const int box_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static void box_vertices(tp_vec3 half, const tp_pose *pose, tp_vec3 *vertices)
{
    for (int k = 0; k < 8; k++) {
        tp_vec3 x = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
        vertices[k] = tp_pose_point(pose, x);
    }
}

TEST(a_mesh_of_a_box_has_the_properties_of_the_box_wherever_it_is)
{
    check_random random = {833};
    for (int round = 0; round < 50; round++) {
        tp_solid box = solids_random(&random, TP_SOLID_BOX);
        tp_pose pose = solids_pose(&random, 10.0);
        tp_vec3 vertices[8];
        box_vertices(box.half_extents, &pose, vertices);
        tp_mesh mesh = {8, 12, vertices, box_triangles};
        tp_mass_properties expected, m;
        tp_message why;
        CHECK_INT(tp_solid_mass_properties(&box, 7.0, &expected, &why), TP_OK);
        expected = tp_mass_properties_place(&expected, &pose);
        CHECK_INT(tp_mesh_mass_properties(&mesh, 7.0, NULL, &m, &why), TP_OK);
        /* Coordinates of size 30 are rounded to 4e-15, edges are at least 0.4 long. */
        CHECK_NEAR(m.mass, expected.mass, 1e-12 * expected.mass);
        CHECK_NEAR(solids_distance(m.centre, expected.centre), 0.0, 1e-13);
        CHECK_NEAR(difference(m.inertia, expected.inertia), 0.0, 1e-12 * tp_mat3_trace(expected.inertia));
    }
}

enum { SPHERE_MAX = 64 };

/* Rings of `count` vertices between two poles, 2 count rings' quads cut in two. */
static tp_mesh sphere_mesh(int count, tp_vec3 *vertices, int *triangles)
{
    int rings = count - 1, around = 2 * count, made = 0;
    vertices[0] = tp_vec3_make(0.0, 0.0, 1.0);
    for (int i = 0; i < rings; i++)
        for (int j = 0; j < around; j++) {
            double polar = pi * (i + 1) / count, angle = 2.0 * pi * j / around;
            vertices[1 + i * around + j] =
                tp_vec3_make(sin(polar) * cos(angle), sin(polar) * sin(angle), cos(polar));
        }
    int last = 1 + rings * around;
    vertices[last] = tp_vec3_make(0.0, 0.0, -1.0);
    for (int i = 0; i <= rings; i++)
        for (int j = 0; j < around; j++) {
            int next = (j + 1) % around, up = 1 + (i - 1) * around, down = 1 + i * around;
            int corner[4] = {i == 0 ? 0 : up + j, i == rings ? last : down + j,
                             i == rings ? last : down + next, i == 0 ? 0 : up + next};
            for (int half = 0; half < 2; half++) {
                if ((i == 0 && half == 1) || (i == rings && half == 0)) continue; /* no area at a pole */
                triangles[made++] = corner[0];
                triangles[made++] = corner[half == 0 ? 1 : 2];
                triangles[made++] = corner[half == 0 ? 2 : 3];
            }
        }
    return (tp_mesh){last + 1, made / 3, vertices, triangles};
}

TEST(meshes_of_a_sphere_converge_to_it_with_the_square_of_their_width)
{
    static tp_vec3 vertices[2 * SPHERE_MAX * SPHERE_MAX];
    static int triangles[12 * SPHERE_MAX * SPHERE_MAX];
    double last = 0.0;
    for (int count = 8; count <= SPHERE_MAX; count *= 2) {
        tp_mesh mesh = sphere_mesh(count, vertices, triangles);
        tp_mass_properties m;
        tp_message why;
        CHECK_INT(tp_mesh_mass_properties(&mesh, 1.0, NULL, &m, &why), TP_OK);
        double error = 8.0 * pi / 15.0 - m.inertia.cz.z; /* 2/5 of 4 pi/3 */
        CHECK(error > 0.0);
        CHECK_NEAR(difference(m.inertia, tp_mat3_transpose(m.inertia)), 0.0, rounding);
        CHECK_NEAR(tp_vec3_norm(m.centre), 0.0, rounding);
        if (count > 8) CHECK_NEAR(last / error, 4.0, 0.2);
        last = error;
    }
    CHECK(last < 0.01);
}

TEST(meshes_that_are_no_closed_surface_are_refused_with_the_reason)
{
    tp_vec3 vertices[8];
    int triangles[36];
    tp_pose pose = tp_pose_identity();
    tp_message why;
    box_vertices(tp_vec3_make(1.0, 2.0, 3.0), &pose, vertices);
    memcpy(triangles, box_triangles, sizeof triangles);
    tp_mesh mesh = {8, 12, vertices, triangles};
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_OK);

    mesh.triangle_count = 11;
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "not closed, there is one triangle only at the edge from vertex") != NULL);
    mesh.triangle_count = 3;
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_INVALID_DATA);
    mesh.triangle_count = 12;

    triangles[4] = 8;
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_INVALID_DATA);
    CHECK(strcmp(why.text, "mesh: triangle 1 has the vertex 8, there are 8, counted from 0") == 0);
    triangles[4] = -1;
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_INVALID_DATA);
    triangles[4] = triangles[3];
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_INVALID_DATA);
    memcpy(triangles, box_triangles, sizeof triangles);

    triangles[0] = box_triangles[1]; /* one triangle turned round */
    triangles[1] = box_triangles[0];
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "opposite directions") != NULL);
    for (int t = 0; t < 12; t++) { /* all of them */
        triangles[3 * t] = box_triangles[3 * t + 1];
        triangles[3 * t + 1] = box_triangles[3 * t];
        triangles[3 * t + 2] = box_triangles[3 * t + 2];
    }
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "counter-clockwise seen from outside") != NULL);
    memcpy(triangles, box_triangles, sizeof triangles);

    vertices[3].y = NAN;
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_INVALID_DATA);
    box_vertices(tp_vec3_make(1.0, 2.0, 0.0), &pose, vertices);
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "it must be positive") != NULL);
    box_vertices(tp_vec3_make(1e200, 1e200, 1e200), &pose, vertices);
    CHECK_INT(tp_mesh_check(&mesh, NULL, &why), TP_INVALID_DATA);
}

static void *no_memory(void *context, size_t bytes)
{
    (void)context;
    (void)bytes;
    return NULL;
}

static void no_release(void *context, void *memory)
{
    (void)context;
    (void)memory;
}

TEST(a_mesh_without_memory_for_its_edges_says_so)
{
    tp_vec3 vertices[8];
    tp_pose pose = tp_pose_identity();
    box_vertices(tp_vec3_make(1.0, 2.0, 3.0), &pose, vertices);
    tp_mesh mesh = {8, 12, vertices, box_triangles};
    tp_allocator empty = {NULL, no_memory, no_release};
    tp_message why;
    CHECK_INT(tp_mesh_check(&mesh, &empty, &why), TP_OUT_OF_MEMORY);
}

TEST_MAIN(RUNS(solids_have_the_masses_and_moments_of_the_tables), RUNS(a_capsule_is_the_sum_of_its_slices),
          RUNS(parts_of_a_body_add_up_to_it), RUNS(principal_axes_turn_the_inertia_into_its_moments),
          RUNS(inertias_that_no_body_has_are_refused_with_numbers),
          RUNS(solids_without_volume_or_end_are_refused),
          RUNS(a_mesh_of_a_box_has_the_properties_of_the_box_wherever_it_is),
          RUNS(meshes_of_a_sphere_converge_to_it_with_the_square_of_their_width),
          RUNS(meshes_that_are_no_closed_surface_are_refused_with_the_reason),
          RUNS(a_mesh_without_memory_for_its_edges_says_so))
