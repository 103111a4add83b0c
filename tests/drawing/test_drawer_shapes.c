/* Shapes of bodies in drawings: where they are, where they touch, and the forces there in a frame for
 * ParaView. */
#define _XOPEN_SOURCE 700
#include "io/vtp_reader.h"
#include "models.h"

static const double radius = 0.1, mass = 2.0, gravity = 9.81; /* [m] [kg] [m/s^2] */

static void add_shape(tp_model *model, const char *name, const char *body, tp_solid solid, tp_pose pose)
{
    tp_shape_def def = tp_shape_def_default();
    def.name = name, def.body = body, def.solid = solid, def.pose = pose;
    must(model, tp_model_add_shape(model, &def, NULL, &build_why));
}

/* A ball that rests on the ground, friction between them, and a box that moves as told. */
static tp_model *ball_on_ground(void)
{
    tp_model *model = new_model();
    tp_body_def body = tp_body_def_default();
    double theta = 0.4 * mass * radius * radius;
    body.name = "ball", body.kind = TP_BODY_RIGID, body.mass = mass;
    body.inertia = tp_mat3_diagonal(tp_vec3_make(theta, theta, theta));
    body.position = tp_vec3_make(0.5, 0.25, radius);
    must(model, tp_model_add_body(model, &body, NULL, &build_why));
    body = tp_body_def_default();
    body.name = "gate", body.kind = TP_BODY_MOVING;
    body.motion[0] = TP_FORMULA("3*t"), body.motion[1] = TP_FORMULA("0"), body.motion[2] = TP_FORMULA("4");
    body.turning = TP_FORMULA("t"), body.axis = tp_vec3_make(0.0, 0.0, 1.0);
    must(model, tp_model_add_body(model, &body, NULL, &build_why));
    tp_pose here = tp_pose_identity(), aside = tp_pose_identity();
    aside.origin = tp_vec3_make(1.0, 0.0, 0.0);
    add_shape(model, "floor", "ground", tp_solid_plane(), here);
    add_shape(model, "skin", "ball", tp_solid_sphere(radius), here);
    add_shape(model, "leaf", "gate", tp_solid_box(tp_vec3_make(1.0, 2.0, 3.0)), aside);
    add_shape(model, "pin", "gate", tp_solid_cylinder(0.25, 0.5), here);
    add_shape(model, "handle", "gate", tp_solid_capsule(0.25, 0.75), here);
    add_shape(model, "tube", "ground", tp_solid_inside_cylinder(9.0), here);
    add_shape(model, "tip", "gate", tp_solid_point(), here);
    tp_pair_def pair = tp_pair_def_default();
    pair.name = "contact", pair.shape_a = "floor", pair.shape_b = "skin", pair.friction[0] = 0.5;
    must(model, tp_model_add_pair(model, &pair, NULL, &build_why));
    must(model, tp_model_set_gravity(model, tp_vec3_make(0.0, 0.0, -gravity), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

TEST(shapes_become_figures_with_the_poses_of_their_bodies)
{
    static const tp_primitive_kind kinds[] = {TP_PRIMITIVE_PLANE,    TP_PRIMITIVE_SPHERE,  TP_PRIMITIVE_BOX,
                                              TP_PRIMITIVE_CYLINDER, TP_PRIMITIVE_CAPSULE, TP_PRIMITIVE_TUBE,
                                              TP_PRIMITIVE_POINT};
    tp_model *model = ball_on_ground();
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    check_random random = {11};
    for (int trial = 0; trial < 20; trial++) {
        double t = check_uniform(&random, 0.0, 3.0), q[7];
        tp_quat p = tp_quat_normalise(tp_quat_make(check_normal(&random), check_normal(&random),
                                                   check_normal(&random), check_normal(&random)));
        for (int k = 0; k < 3; k++) q[k] = check_normal(&random);
        q[3] = p.w, q[4] = p.x, q[5] = p.y, q[6] = p.z;
        int count = 0;
        const tp_primitive *list = tp_drawer_draw(drawer, t, q, NULL, &count);
        CHECK_INT(count, 7);
        for (int k = 0; k < count; k++) CHECK(list[k].kind == kinds[k] && tp_primitive_is_sound(&list[k]));
        CHECK(list[0].size[0] > 0.5 &&
              list[0].size[0] == list[0].size[1]); /* the plane reaches beyond the ball */
        CHECK(list[1].size[0] == radius && strcmp(list[1].name, "skin") == 0);
        CHECK_NEAR(list[1].position.x, q[0], 0.0);
        CHECK_NEAR(fabs(tp_quat_dot(list[1].orientation, p)), 1.0, 1e-15);
        CHECK_NEAR(list[2].position.x, 3.0 * t + cos(t), 1e-14);
        CHECK_NEAR(list[2].position.y, sin(t), 1e-14);
        CHECK_NEAR(list[2].position.z, 4.0, 0.0);
        CHECK(list[2].size[0] == 1.0 && list[2].size[1] == 2.0 && list[2].size[2] == 3.0);
        CHECK(list[5].size[0] == 9.0 && list[5].size[1] == list[0].size[0] && list[5].is_filled);
        CHECK(list[3].size[0] == 0.25 && list[3].size[1] == 0.5 && list[4].size[1] == 0.75);
        CHECK(list[2].colour.red == list[3].colour.red && list[2].colour.red != list[1].colour.red);
    }
    tp_drawer_free(drawer);
    tp_model_free(model);
}

TEST(contact_points_have_their_place_and_directions)
{
    tp_model *model = ball_on_ground();
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    const double q[7] = {0.5, 0.25, 0.3, 1.0, 0.0, 0.0, 0.0};
    int count = 0;
    tp_contact_place place;
    tp_drawer_draw(drawer, 0.0, q, NULL, &count);
    bool ground_first = tp_drawer_contact(drawer, 0, 1, 0, &place);
    CHECK(ground_first || tp_drawer_contact(drawer, 1, 0, 0, &place));
    CHECK_INT(place.rule, 0);
    CHECK_INT(place.direction_count, 3);
    CHECK_NEAR(place.point.x, 0.5, 1e-15);
    CHECK_NEAR(place.point.z, 0.1, 1e-15); /* midway of the gap of 0.2 */
    CHECK(place.direction[0].z == 1.0 && place.direction[1].x == 1.0);
    CHECK(!tp_drawer_contact(drawer, ground_first, !ground_first, 0, &place)); /* the normal is from A to B */
    CHECK(!tp_drawer_contact(drawer, 0, 1, 1, &place) && !tp_drawer_contact(drawer, 0, 9, 0, &place));
    tp_drawer_free(drawer);
    tp_model_free(model);
}

/* What the last frame says of the contact. */
static void check_contact(void *context, int k, const vtp_file *frame)
{
    void **check_state_ = context;
    const vtp_array *law = vtp_find(frame, "CellData", "law"),
                    *force = vtp_find(frame, "PointData", "contact_force"),
                    *points = vtp_find(frame, "Points", "Points");
    if (k == 0) return; /* no step yet, no force */
    size_t last = force->value_count / 3 - 1;
    CHECK_INT(vtp_int32(law, 1), 0); /* the second vert: behind the point of the gate */
    CHECK_NEAR(vtp_double(force, 3 * last + 2), mass * gravity, 1e-10);
    CHECK_NEAR(vtp_double(force, 3 * last), 0.0, 1e-10);
    CHECK_NEAR(vtp_double(points, 3 * last), 0.5, 1e-12);
    CHECK_NEAR(vtp_double(points, 3 * last + 2), 0.0, 1e-12);
}

TEST(a_resting_ball_shows_its_weight_at_its_contact_point)
{
    tp_model *model = ball_on_ground();
    tp_simulation *simulation = simulate(model, 1e-3, 0.01);
    scratch_folder folder, frames;
    CHECK(scratch_open(&folder));
    char film[800];
    snprintf(film, sizeof film, "%s", scratch_file(&folder, "film.pvd"));
    tp_output_options options = tp_output_options_default();
    options.paraview_path = film;
    tp_output *output = NULL;
    tp_message why = {""};
    if (tp_output_create(NULL, simulation, &options, &output, &why) != TP_OK) fail_msg("%s", why.text);
    CHECK_INT(tp_simulation_run(simulation, tp_output_observe, output, NULL), TP_OK);
    CHECK_INT(tp_output_close(output, &why), TP_OK);
    CHECK_INT(vtp_check_index(film, check_contact, check_state_), 11);
    tp_simulation_free(simulation);
    tp_model_free(model);
    snprintf(frames.path, sizeof frames.path, "%.200s/film", folder.path);
    scratch_close(&frames);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(shapes_become_figures_with_the_poses_of_their_bodies),
          RUNS(contact_points_have_their_place_and_directions),
          RUNS(a_resting_ball_shows_its_weight_at_its_contact_point))
