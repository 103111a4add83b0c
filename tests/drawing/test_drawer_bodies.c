/* Bodies without a shape: the box of their inertia, which turns and grows with them; and what else grows. */
#include "models.h"

#include <math.h>

#include "tippe/drawing.h"

static const tp_vec3 half = {0.3, 0.2, 0.05}; /* [m] of a homogeneous box, at size 1 */
static const double mass = 2.0;

/* J_x = m (b^2 + c^2)/3, and so on, seen from directions that are turned against those of the box. */
static tp_mat3 inertia_of_box(tp_quat turn)
{
    tp_vec3 s = tp_vec3_make(half.x * half.x, half.y * half.y, half.z * half.z),
            J = tp_vec3_scale(mass / 3.0, tp_vec3_make(s.y + s.z, s.z + s.x, s.x + s.y));
    tp_mat3 R = tp_quat_to_matrix(turn);
    return tp_mat3_multiply(tp_mat3_multiply(R, tp_mat3_diagonal(J)), tp_mat3_transpose(R));
}

static void add_body(tp_model *model, const char *name, tp_body_kind kind, tp_mat3 inertia)
{
    tp_body_def body = tp_body_def_default();
    body.name = name, body.kind = kind, body.mass = mass, body.inertia = inertia;
    must(model, tp_model_add_body(model, &body, NULL, &build_why));
}

static tp_quat some_turn(check_random *random)
{
    return tp_quat_normalise(
        tp_quat_make(check_normal(random), check_normal(random), check_normal(random), check_normal(random)));
}

/* Points of a figure in the world. */
static int points_of(const tp_primitive *figure, tp_vec3 *points)
{
    static int ends[64], indices[256], line_ends[64], line_indices[64], verts[8], vert_ends[8];
    tp_tessellation all = {.points = points,
                           .polygons = {.ends = ends, .indices = indices},
                           .lines = {.ends = line_ends, .indices = line_indices},
                           .verts = {.ends = vert_ends, .indices = verts}};
    tp_tessellate(figure, 8, &all);
    return all.point_count;
}

static double nearest(tp_vec3 point, const tp_vec3 *points, int count)
{
    double found = INFINITY;
    for (int k = 0; k < count; k++) found = fmin(found, tp_vec3_norm(tp_vec3_sub(point, points[k])));
    return found;
}

/* A rigid and a scalable body with the inertia of a box look like that box; it used to be a dot. The scalable
   body has a quaternion p of the length sqrt(s) and points r + s R x. */
TEST(a_body_without_anything_to_see_is_the_box_of_its_inertia)
{
    check_random random = {5};
    for (int trial = 0; trial < 20; trial++) {
        tp_quat inner = some_turn(&random), p = some_turn(&random);
        const bool grows = trial % 2 == 1;
        const double s = grows ? check_uniform(&random, 0.1, 10.0) : 1.0, root = sqrt(s);
        tp_model *model = new_model();
        add_body(model, "b", grows ? TP_BODY_SCALABLE : TP_BODY_RIGID, inertia_of_box(inner));
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_drawer *drawer = NULL;
        CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
        const double q[7] = {1.0, -2.0, 3.0, root * p.w, root * p.x, root * p.y, root * p.z};
        int count = 0;
        const tp_primitive *box = tp_drawer_draw(drawer, 0.0, q, NULL, &count);
        tp_vec3 corners[8];
        CHECK_INT(count, 1);
        CHECK(box->kind == TP_PRIMITIVE_BOX && box->grows == grows);
        CHECK_INT(points_of(box, corners), 8);
        for (int k = 0; k < 8; k++) {
            tp_vec3 x =
                tp_vec3_make(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
            tp_vec3 arm = tp_vec3_scale(s, tp_quat_rotate(p, tp_quat_rotate(inner, x)));
            /* the thinnest edge follows from differences of moments that are 40 times its own part */
            CHECK_NEAR(nearest(tp_vec3_add(tp_vec3_make(1.0, -2.0, 3.0), arm), corners, 8), 0.0, 1e-12 * s);
        }
        tp_drawer_free(drawer);
        tp_model_free(model);
    }
}

/* Only J_z of a planar body is known: a square plate. A point mass has no inertia and stays a point. */
TEST(planar_bodies_are_plates_and_point_masses_are_points)
{
    tp_model *model = new_model();
    tp_body_def body = tp_body_def_default();
    body.name = "plate", body.kind = TP_BODY_PLANAR, body.mass = 3.0;
    body.inertia.cz.z = 3.0 * (0.04 + 0.04) / 3.0; /* half edges of 0.2 m */
    must(model, tp_model_add_body(model, &body, NULL, &build_why));
    body = tp_body_def_default();
    body.name = "bead", body.kind = TP_BODY_POINT, body.mass = 1.0, body.position = tp_vec3_make(9, 0, 0);
    must(model, tp_model_add_body(model, &body, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    const double q[6] = {0.0, 0.0, 0.0, 9.0, 0.0, 0.0};
    int count = 0;
    const tp_primitive *list = tp_drawer_draw(drawer, 0.0, q, NULL, &count);
    CHECK_INT(count, 2);
    CHECK(list[0].kind == TP_PRIMITIVE_BOX && list[1].kind == TP_PRIMITIVE_POINT);
    CHECK_NEAR(list[0].size[0], 0.2, 1e-15);
    CHECK_NEAR(list[0].size[1], 0.2, 1e-15);
    CHECK(list[0].size[2] > 0.0 && list[0].size[2] < 0.02);
    tp_drawer_free(drawer);
    tp_model_free(model);
}

/* A light rotor of large inertia would hide all that it drives. */
TEST(the_box_of_an_inertia_is_not_larger_than_the_model)
{
    tp_model *model = new_model();
    add_body(model, "rotor", TP_BODY_RIGID, tp_mat3_diagonal(tp_vec3_make(1e4, 1e4, 1e4)));
    tp_body_def far = tp_body_def_default();
    far.name = "far", far.kind = TP_BODY_POINT, far.mass = 1.0, far.position = tp_vec3_make(0.0, 0.5, 0.0);
    must(model, tp_model_add_body(model, &far, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    const double q[10] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0};
    int count = 0;
    const tp_primitive *box = tp_drawer_draw(drawer, 0.0, q, NULL, &count);
    CHECK_NEAR(2.0 * hypot(box->size[0], hypot(box->size[1], box->size[2])), 0.5, 1e-15);
    tp_drawer_free(drawer);
    tp_model_free(model);
}

/* A scalable body that hangs at a joint is a line that ends there, and its surface has its size. */
TEST(lines_and_surfaces_grow_with_their_body)
{
    const double s = 3.0, tolerance = 1e-14;
    static const tp_vec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    for (int has_surface = 0; has_surface < 2; has_surface++) {
        tp_model *model = new_model();
        add_body(model, "b", TP_BODY_SCALABLE, tp_mat3_diagonal(tp_vec3_make(1.0, 1.0, 1.0)));
        tp_joint_def hinge = tp_joint_def_default();
        hinge.name = "hinge", hinge.kind = TP_JOINT_SPHERICAL, hinge.is_in_world = true;
        hinge.A.point = tp_vec3_make(0.7, 0.0, 0.0);
        must(model, tp_model_add_joint(model, "ground", "b", &hinge, NULL, &build_why));
        tp_surface_def surface = tp_surface_def_default();
        surface.name = "skin", surface.body = "b";
        surface.mesh = (tp_mesh){4, 4, corner, triangles};
        if (has_surface) must(model, tp_model_add_surface(model, &surface, NULL, &build_why));
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_drawer *drawer = NULL;
        CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
        const double q[7] = {0.1, 0.2, 0.3, sqrt(s), 0.0, 0.0, 0.0};
        int count = 0;
        const tp_primitive *figure = tp_drawer_draw(drawer, 0.0, q, NULL, &count);
        tp_vec3 points[8], wanted = tp_vec3_make(0.1 + s * (has_surface ? 1.0 : 0.7), 0.2, 0.3);
        CHECK(figure->kind == (has_surface ? TP_PRIMITIVE_MESH : TP_PRIMITIVE_LINE));
        CHECK_NEAR(nearest(wanted, points, points_of(figure, points)), 0.0, tolerance);
        tp_drawer_free(drawer);
        tp_model_free(model);
    }
}

TEST_MAIN(RUNS(a_body_without_anything_to_see_is_the_box_of_its_inertia),
          RUNS(planar_bodies_are_plates_and_point_masses_are_points),
          RUNS(the_box_of_an_inertia_is_not_larger_than_the_model),
          RUNS(lines_and_surfaces_grow_with_their_body))
