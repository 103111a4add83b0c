/* Scenes of bodies become the models that their author would have built by calls. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tippe/multibody.h"
#include "tippe/scene.h"

/* ---- reading ------------------------------------------------------------------------------------------- */

static tp_scene *open_scene(const char *name)
{
    char path[1024];
    tp_scene *scene;
    tp_message why = {""};
    snprintf(path, sizeof path, "%s/%s", TIPPE_SOURCE_DIR, name);
    if (tp_scene_read(NULL, path, NULL, 0, &scene, &why) != TP_OK) fail_msg("%s", why.text);
    return scene;
}

static tp_scene *open_edited(const char *text, int edit_count, const char *const *edits)
{
    tp_scene *scene;
    tp_message why = {""};
    if (tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), edits, edit_count, &scene, &why) != TP_OK)
        fail_msg("%s", why.text);
    return scene;
}

static tp_scene *open_text(const char *text)
{
    return open_edited(text, 0, NULL);
}

/* A simulation after some steps. */
static tp_simulation *simulate(const tp_model *model, const tp_simulation_options *options, int steps)
{
    tp_simulation *simulation;
    tp_message why = {""};
    if (tp_simulation_create(NULL, model, options, &simulation, &why) != TP_OK) fail_msg("%s", why.text);
    for (int k = 1; k <= steps; k++) {
        if (tp_simulation_step(simulation, k * options->time_step, NULL) != TP_OK)
            fail_msg("%s", tp_simulation_report(simulation)->reason);
    }
    return simulation;
}

static tp_simulation *run_scene(const tp_scene *scene, int steps)
{
    return simulate(scene->model, &scene->options, steps);
}

/* Coordinate, velocity or sensor of a simulation by name; it is there. */
static double value_of(const tp_simulation *simulation, const char *name)
{
    const tp_model *model = tp_simulation_model(simulation);
    tp_model_summary all = tp_model_summarise(model);
    for (int i = 0; i < all.coordinate_count; i++)
        if (strcmp(tp_model_coordinate_name(model, i), name) == 0) return tp_simulation_q(simulation)[i];
    for (int i = 0; i < all.velocity_count; i++)
        if (strcmp(tp_model_velocity_name(model, i), name) == 0) return tp_simulation_u(simulation)[i];
    for (int i = 0; i < all.sensor_count; i++)
        if (strcmp(tp_model_sensor_name(model, i), name) == 0) return tp_simulation_sensor(simulation, i);
    fail_msg("there is no %s", name);
    return NAN;
}

/* Whether a run has a contact of that name at its start. */
static bool has_contact(const tp_simulation *simulation, const char *name)
{
    char found[200];
    for (int k = 0; k < tp_simulation_law_count(simulation); k++) {
        tp_simulation_law_name(simulation, k, found, sizeof found);
        if (strcmp(found, name) == 0) return true;
    }
    return false;
}

static int find_law(const tp_model *model, const char *name)
{
    int count = tp_model_summarise(model).law_count, k = 0;
    while (k < count && strcmp(tp_model_law_name(model, k), name) != 0) k++;
    return k < count ? k : -1;
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

TEST(bodies_start_where_their_keys_say)
{
    tp_scene *scene = open_scene("tests/io/good/bodies.yaml");
    tp_simulation *s = run_scene(scene, 0);
    CHECK(strcmp(tp_model_coordinate_name(scene->model, 0), "x") == 0);
    CHECK_INT(tp_model_body_count(scene->model), 7);
    CHECK_NEAR(value_of(s, "ball.z"), 0.2, 1e-16);
    CHECK_NEAR(value_of(s, "ball.p0"), sqrt(0.5), 1e-15);
    CHECK_NEAR(value_of(s, "ball.p3"), sqrt(0.5), 1e-15);
    CHECK_NEAR(value_of(s, "ball.omega.x"), 1.0, 1e-15); /* y of the world is x of the turned body */
    CHECK_NEAR(value_of(s, "ball.omega.y"), 0.0, 1e-15);
    /* a turn by 0.3 about x, then by 0.6 about the new z */
    CHECK_NEAR(value_of(s, "dumbbell.p0"), cos(0.15) * cos(0.3), 1e-15);
    CHECK_NEAR(value_of(s, "dumbbell.p1"), sin(0.15) * cos(0.3), 1e-15);
    CHECK_NEAR(value_of(s, "dumbbell.p2"), -sin(0.15) * sin(0.3), 1e-15);
    CHECK_NEAR(value_of(s, "dumbbell.p3"), cos(0.15) * sin(0.3), 1e-15);
    CHECK_NEAR(value_of(s, "brick.x"), 3.1, 1e-15); /* the centre of mass */
    CHECK_NEAR(value_of(s, "brick.p0"), 1.0, 0.0);
    CHECK_NEAR(value_of(s, "brick.v.z"), 3.0, 0.0);
    CHECK_NEAR(value_of(s, "brick.omega.y"), 0.2, 0.0);
    CHECK_NEAR(value_of(s, "tetra.x"), 5.25, 1e-15); /* the centre of a tetrahedron */
    CHECK_NEAR(value_of(s, "tetra.z"), 1.25, 1e-15);
    CHECK_NEAR(value_of(s, "speck.x"), 0.25, 0.0); /* from `initial` */
    CHECK_NEAR(value_of(s, "formula"), 0.0 + 0.3, 1e-16);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

/* Kinetic energy of one body that moves with speed 1 m/s along x and turns with 1 rad/s about `axis`: half of
   mass plus moment of inertia about it. Without gravity there is no other energy. */
static double mass_and_moment(const char *keys, const char *axis)
{
    char text[1000];
    snprintf(text, sizeof text, "bodies: [{name: b, velocity: [1, 0, 0], angular_velocity: %s, %s}]\n", axis,
             keys);
    tp_scene *scene = open_text(text);
    tp_simulation *s = run_scene(scene, 0);
    double energy = tp_simulation_last_step(s)->energy;
    tp_simulation_free(s);
    tp_scene_free(scene);
    return 2.0 * energy;
}

TEST(mass_and_inertia_follow_from_density_or_mass_of_the_shapes)
{
    const double pi = 3.14159265358979323846;
    const char *x = "[1, 0, 0]", *z = "[0, 0, 1]";
    double ball = 4.0 / 3.0 * pi * 1000.0;
    CHECK_NEAR(mass_and_moment("density: 1000, shapes: [{type: sphere, radius: 1}]", x), 1.4 * ball, 1e-11);
    CHECK_NEAR(mass_and_moment("mass: 5, shapes: [{type: sphere, radius: 1}]", x), 5.0 + 2.0, 1e-14);
    CHECK_NEAR(mass_and_moment("mass: 12, shapes: [{type: box, size: [1, 2, 3]}]", z), 12.0 + 1.0 + 4.0,
               1e-13);
    CHECK_NEAR(mass_and_moment("mass: 4, shapes: [{type: cylinder, radius: 1, length: 0}]", x), 4.0 + 1.0,
               1e-14);
    CHECK_NEAR(mass_and_moment("mass: 4, shapes: [{type: cylinder, radius: 1, length: 0}]", z), 4.0 + 2.0,
               1e-14);
    /* two balls of mass 5 and 5 at distance 1 from their centre: Steiner */
    CHECK_NEAR(
        mass_and_moment("mass: 10, shapes: [{type: sphere, radius: 1, position: [2, 0, 0]}, {type: sphere, "
                        "radius: 1, position: [4, 0, 0]}]",
                        z),
        10.0 + 4.0 + 10.0, 1e-13);
    /* a cube by its surface, and the same as a box */
    CHECK_NEAR(
        mass_and_moment(
            "mass: 6, mesh: {vertices: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, "
            "1], [1, 1, 1], [0, 1, 1]], triangles: [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, "
            "5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]]}",
            z),
        6.0 + 1.0, 1e-13);
    /* given inertia wins over shapes, whole matrix: J = e.(J e) along the diagonal of x and z */
    CHECK_NEAR(
        mass_and_moment("mass: 1, inertia: [[2, 0, 0.5], [0, 3, 0], [0.5, 0, 4]], shapes: [{type: point}]",
                        "[1, 0, 1]"),
        1.0 + 2.0 + 4.0 + 1.0, 1e-14);
}

TEST(planar_bodies_and_points_have_their_own_keys)
{
    tp_scene *scene = open_text(
        "gravity: [0, -10]\n"
        "bodies:\n"
        "  - {name: p, type: planar, mass: 2, inertia: 3, center: [1, 0], position: [1, 2], "
        "angle: pi/2, velocity: [1, 0], angular_velocity: 2}\n"
        "  - {name: d, type: planar, mass: 2, shapes: [{type: sphere, radius: 1, position: [0, 1]}]}\n"
        "  - {name: m, type: point, density: 3, shapes: [{type: box, size: [1, 1, 1]}]}\n");
    tp_simulation *s = run_scene(scene, 0);
    CHECK_NEAR(value_of(s, "p.x"), 1.0, 1e-15);
    CHECK_NEAR(value_of(s, "p.y"), 3.0, 1e-15);
    CHECK_NEAR(value_of(s, "p.phi"), 1.5707963267948966, 1e-15);
    CHECK_NEAR(value_of(s, "p.omega"), 2.0, 0.0);
    CHECK_NEAR(value_of(s, "d.y"), 1.0, 1e-15);
    /* T + V: 1/2 2 1 + 1/2 3 4 + 2 10 3, 2 10 1, nothing */
    CHECK_NEAR(tp_simulation_last_step(s)->energy, 1.0 + 6.0 + 60.0 + 20.0, 1e-13);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

/* ---- the same by calls --------------------------------------------------------------------------------- */

static tp_message build_why;

static void try(tp_model *model, tp_status status)
{
    (void)model;
    if (status != TP_OK) fail_msg("%s", build_why.text);
}

static tp_model *build_pendulum(void)
{
    tp_model *model;
    assert_int_equal(tp_model_create(NULL, &model), TP_OK);
    try(model, tp_model_set_gravity(model, tp_vec3_make(0.0, -9.81, 0.0), &build_why));
    tp_body_def bar = tp_body_def_default();
    bar.name = "bar";
    bar.mass = 38.34;
    bar.inertia = tp_mat3_diagonal(tp_vec3_make(0.147, 3.175, 3.154));
    bar.position = tp_vec3_make(0.765, 0.0, 0.0);
    try(model, tp_model_add_body(model, &bar, NULL, &build_why));
    tp_joint_def pivot = tp_joint_def_default();
    pivot.name = "pivot";
    pivot.kind = TP_JOINT_SPHERICAL;
    pivot.is_in_world = true;
    try(model, tp_model_add_joint(model, "ground", "bar", &pivot, NULL, &build_why));
    try(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* Claim: a scene is nothing but the calls it stands for. */
TEST(the_pendulum_from_its_scene_moves_bit_for_bit_as_the_one_built_by_calls)
{
    enum { STEPS = 200 };
    tp_scene *scene = open_scene("examples/pendulum-3d/scene.yaml");
    tp_model *model = build_pendulum();
    tp_simulation *from_scene = run_scene(scene, STEPS), *by_calls = simulate(model, &scene->options, STEPS);
    CHECK(memcmp(tp_simulation_q(from_scene), tp_simulation_q(by_calls), 7 * sizeof(double)) == 0);
    CHECK(memcmp(tp_simulation_u(from_scene), tp_simulation_u(by_calls), 6 * sizeof(double)) == 0);
    CHECK(value_of(from_scene, "bar.y") < -0.1); /* it has fallen: something happened at all */
    tp_simulation_free(from_scene);
    tp_simulation_free(by_calls);
    tp_model_free(model);
    tp_scene_free(scene);
}

/* ---- joints -------------------------------------------------------------------------------------------- */

TEST(every_joint_and_all_that_acts_on_it_is_read)
{
    tp_scene *scene = open_scene("tests/io/good/joints.yaml");
    static const int rows[] = {6, 3, 4, 5, 4, 5, 3, 1, 5, 2, 1, 2, 3, 2, 2, 2};
    int sum = 0;
    CHECK_INT(tp_model_joint_count(scene->model), 16);
    for (int k = 0; k < TP_JOINT_KIND_COUNT; k++) CHECK_INT(tp_model_joint_kind(scene->model, k), k);
    for (int k = 0; k < 16; k++) sum += rows[k];
    tp_model_summary summary = tp_model_summarise(scene->model);
    CHECK_INT(summary.constraint_count, sum + 2); /* and a motor and a gear */
    CHECK_INT(summary.constraint_rank, sum + 2);
    CHECK_INT(summary.contact_count, 4); /* limits */
    CHECK_INT(tp_model_velocity_law_count(scene->model), 3);
    CHECK(find_law(scene->model, "j4.limit.lower") >= 0 && find_law(scene->model, "j5.limit.angle") >= 0);
    CHECK(find_law(scene->model, "j6.motor") >= 0 && find_law(scene->model, "j2.friction") >= 0);
    /* b1 is held at the origin of the world, 1 m from its centre: force against its weight, and its moment */
    tp_simulation *s = run_scene(scene, 1);
    CHECK_NEAR(value_of(s, "load"), 9.81, 1e-11);
    CHECK_NEAR(value_of(s, "twist"), -9.81, 1e-11);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

/* The rope is slack, the coil is stretched by 1 m, the rest is at ease: b11 at (11, 0, 0). */
TEST(springs_rest_as_placed_unless_their_length_is_given)
{
    tp_scene *scene =
        open_text("bodies:\n"
                  "  - {name: a, type: point, mass: 1, position: [3, 0, 0]}\n"
                  "  - {name: b, type: point, mass: 1, position: [3, 4, 0]}\n"
                  "springs:\n"
                  "  - {name: s1, bodies: [a, b], stiffness: 10}\n"
                  "  - {name: s2, bodies: [ground, b], stiffness: 10, rest_length: 3}\n"
                  "  - {name: s3, bodies: [ground, a], stiffness: 10, rest_length: 7, rope: true}\n");
    tp_simulation *s = run_scene(scene, 0);
    CHECK_NEAR(tp_simulation_last_step(s)->energy, 0.5 * 10.0 * 4.0, 1e-14);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

/* A motor turns a hinge, and a gear of ratio -2 turns another one; sensors count from the start. */
TEST(motors_couplers_and_sensors_meet_on_the_coordinates_of_joints)
{
    tp_scene *scene =
        open_text("bodies:\n"
                  "  - {name: a, mass: 1, inertia: [1, 1, 1]}\n"
                  "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
                  "joints:\n"
                  "  - {name: one, type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1], "
                  "motor: {position: "
                  "\"t\"}}\n"
                  "  - {name: two, type: revolute, bodies: [ground, b], point: [2, 0, 0], axis: [0, 0, 1]}\n"
                  "couplers: [{name: gear, terms: [{joint: one, factor: 2}, {joint: two}]}]\n"
                  "sensors:\n"
                  "  - {name: first, joint: one, quantity: coordinate}\n"
                  "  - {name: second, joint: two, quantity: coordinate}\n"
                  "  - {name: pace, joint: two, quantity: rate}\n"
                  "simulate: {dt: 0.01, project_initial_state: true}\n");
    tp_simulation *s = run_scene(scene, 400);
    /* Quaternions turn by at most O(dt^2) too little in a step of 0.02 rad: tan and angle differ by dt^3/3.
     */
    CHECK_NEAR(value_of(s, "first"), 4.0, 400 * 1e-6);
    CHECK_NEAR(value_of(s, "second"), -8.0, 400 * 8e-6); /* beyond a turn: turns are counted */
    CHECK_NEAR(value_of(s, "pace"), -2.0, 1e-10);
    CHECK(strcmp(tp_model_sensor_unit(scene->model, 2), "rad/s") == 0);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

/* The third column of the rotation of (p0, p1, p2, p3): where z goes. */
static tp_vec3 z_axis_of(const tp_scene *scene)
{
    tp_simulation *simulation = NULL;
    double p[4] = {0.0};
    if (tp_simulation_create(NULL, scene->model, &scene->options, &simulation, NULL) == TP_OK)
        memcpy(p, tp_simulation_q(simulation) + 3, sizeof p);
    tp_simulation_free(simulation);
    return (tp_vec3){2.0 * (p[1] * p[3] + p[0] * p[2]), 2.0 * (p[2] * p[3] - p[0] * p[1]),
                     p[0] * p[0] - p[1] * p[1] - p[2] * p[2] + p[3] * p[3]};
}

TEST(an_orientation_may_be_the_direction_of_the_z_axis)
{
    static const double directions[][3] = {{1.0, 0.0, 0.0},  {0.0, -2.0, 0.0}, {0.0, 0.0, 3.0},
                                           {0.0, 0.0, -1.0}, {1.0, 2.0, -2.0}, {1e-9, 0.0, -1.0}};
    for (size_t k = 0; k < sizeof directions / sizeof directions[0]; k++) {
        char text[256];
        const double *d = directions[k], length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        snprintf(text, sizeof text,
                 "bodies: [{name: a, mass: 1, inertia: [1, 1, 1], orientation: {z: [%g, %g, %g]}}]\n", d[0],
                 d[1], d[2]);
        tp_scene *scene = open_text(text);
        tp_vec3 z = z_axis_of(scene);
        CHECK_NEAR(z.x, d[0] / length, 4e-16);
        CHECK_NEAR(z.y, d[1] / length, 4e-16);
        CHECK_NEAR(z.z, d[2] / length, 4e-16);
        tp_scene_free(scene);
    }
}

/* ---- contacts ------------------------------------------------------------------------------------------ */

static const char pile[] =
    "bodies:\n"
    "  - {name: a, mass: 1, shapes: [{type: sphere, radius: 1}]}\n"
    "  - {name: b, mass: 1, position: [3, 0, 0], shapes: [{type: sphere, radius: 1}]}\n"
    "  - {name: c, mass: 1, position: [6, 0, 0], shapes: [{type: box, size: [1, 1, 1]}, {type: plane, "
    "position: [0, 0, -9]}], inertia: [1, 1, 1]}\n"
    "ground: {shapes: [{type: plane, position: [0, 0, -5]}]}\n"
    "contacts:\n"
    "  - {name: all, among: [ground, a, b, c], exclude: [[ground, c.plane]]}\n";

/* Among ground (plane), a, b (balls), c (box and plane): 5 pairs of bodies, c's plane meets a and b. */
TEST(among_several_bodies_all_pairs_that_are_not_excluded_are_made)
{
    tp_scene *scene = open_text(pile);
    const tp_model *model = scene->model;
    static const char *const pairs[] = {"all.ground.a",  "all.ground.b",  "all.ground.c.box[0]", "all.a.b",
                                        "all.a.c.plane", "all.b.c.plane", "all.ground.c.box[7]"};
    scene->options.contact_tolerance = 1.0; /* everything is near */
    tp_simulation *simulation = NULL;
    CHECK_INT(tp_simulation_create(NULL, model, &scene->options, &simulation, NULL), TP_OK);
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) CHECK(has_contact(simulation, pairs[k]));
    CHECK(!has_contact(simulation, "all.ground.c.plane"));
    CHECK(!has_contact(simulation, "all.c.box.c.plane"));
    tp_simulation_free(simulation);
    CHECK_INT(tp_model_shape_count(model), 5);
    CHECK(strcmp(tp_model_shape_at(model, 2).name, "c.box") == 0);
    CHECK(strcmp(tp_model_shape_at(model, 4).name, "ground.plane") == 0);
    CHECK(tp_model_shape_at(model, 5).name == NULL);
    tp_scene_free(scene);
}

/* The same scene by the word: ground, a, b and c. */
TEST(among_all_stands_for_the_ground_and_every_body_with_shapes)
{
    char text[sizeof pile];
    snprintf(text, sizeof text, "%.*sall, exclude: [[ground, c.plane]]}\n",
             (int)(strstr(pile, "[ground, a") - pile), pile);
    tp_scene *scene = open_text(text);
    static const char *const pairs[] = {"all.ground.a", "all.ground.b",  "all.ground.c.box[0]",
                                        "all.a.b",      "all.a.c.plane", "all.b.c.plane"};
    scene->options.contact_tolerance = 1.0; /* everything is near */
    tp_simulation *simulation = NULL;
    CHECK_INT(tp_simulation_create(NULL, scene->model, &scene->options, &simulation, NULL), TP_OK);
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) CHECK(has_contact(simulation, pairs[k]));
    CHECK(!has_contact(simulation, "all.ground.c.plane"));
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Three balls in a row that overlap: a and b share a hinge, b and c do not; a hinge holds c to the ground. */
static bool chain_has(const char *exclusion, const char *name)
{
    char text[1024];
    snprintf(text, sizeof text,
             "bodies:\n"
             "  - {name: a, mass: 1, shapes: [{type: sphere, radius: 1}]}\n"
             "  - {name: b, mass: 1, position: [1, 0, 0], shapes: [{type: sphere, radius: 1}]}\n"
             "  - {name: c, mass: 1, position: [2, 0, 0], shapes: [{type: sphere, radius: 1}]}\n"
             "ground: {shapes: [{type: plane, position: [0, 0, -1]}]}\n"
             "joints:\n"
             "  - {name: pin, type: revolute, bodies: [a, b], point: [0.5, 0, 0], axis: [0, 1, 0]}\n"
             "  - {name: foot, type: revolute, bodies: [ground, c], point: [2, 0, -1], axis: [0, 1, 0]}\n"
             "contacts: [{name: all, among: all%s}]\n",
             exclusion);
    tp_scene *scene = open_text(text);
    tp_simulation *simulation = NULL;
    scene->options.contact_tolerance = 1.0;
    bool is_there = tp_simulation_create(NULL, scene->model, &scene->options, &simulation, NULL) == TP_OK &&
                    has_contact(simulation, name);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return is_there;
}

TEST(bodies_that_a_joint_connects_can_be_left_out)
{
    CHECK(chain_has("", "all.a.b") && chain_has("", "all.b.c") && chain_has("", "all.ground.c"));
    CHECK(!chain_has(", exclude_joined: true", "all.a.b"));
    CHECK(!chain_has(", exclude_joined: true", "all.ground.c"));
    CHECK(chain_has(", exclude_joined: true", "all.b.c"));
    CHECK(chain_has(", exclude_joined: true", "all.ground.a"));
    CHECK(!chain_has(", exclude_joined: true, exclude: [[b, c]]", "all.b.c"));
}

/* A box of weight 10 N lies on four corners; the sensor adds them up. It slides: friction is at its bound. */
TEST(sensors_of_a_contact_add_its_points_up)
{
    tp_scene *scene =
        open_text("gravity: [0, 0, -10]\n"
                  "bodies: [{name: box, mass: 1, position: [0, 0, 0.5], velocity: [1, 0, 0], shapes: [{type: "
                  "box, size: [4, 4, 1]}]}]\n"
                  "ground: {shapes: [{name: floor, type: plane}]}\n"
                  "contacts: [{name: lies, between: [floor, box], friction: 0.25}]\n"
                  "sensors:\n"
                  "  - {name: weight, contact: lies, quantity: force}\n"
                  "  - {name: up, contact: lies, quantity: force, component: z}\n"
                  "  - {name: drag, contact: lies, quantity: force, component: x}\n"
                  "  - {name: whole, contact: lies, quantity: force, component: norm}\n"
                  "  - {name: gap, contact: lies, quantity: gap}\n"
                  "  - {name: slip, contact: lies, quantity: slip, component: x}\n"
                  "simulate: {dt: 0.01}\n");
    tp_simulation *s = run_scene(scene, 5);
    CHECK_NEAR(value_of(s, "weight"), 10.0, 1e-9); /* a impulse of 0.1 N s solved to 1e-12 of its size */
    CHECK_NEAR(value_of(s, "up"), 10.0, 1e-9);
    CHECK_NEAR(value_of(s, "drag"), -2.5, 1e-9);
    CHECK_NEAR(value_of(s, "whole"), hypot(10.0, 2.5), 1e-9);
    CHECK_NEAR(value_of(s, "gap"), 0.0, 1e-12);
    CHECK_NEAR(value_of(s, "slip"), 1.0 - 2.5 * 0.05, 1e-11);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

TEST(sensors_of_a_contact_given_by_its_gap_have_its_own_directions)
{
    tp_scene *scene = open_text("coordinates: [x, y]\nkinetic: \"x'^2/2 + y'^2/2\"\npotential: \"10*y\"\n"
                                "contacts: [{name: c, gap: y, slip: \"x'\", friction: 0.25}]\n"
                                "sensors:\n"
                                "  - {name: n, contact: c, quantity: force}\n"
                                "  - {name: t, contact: c, quantity: force, component: tangent1}\n"
                                "  - {name: slip, contact: c, quantity: slip}\n"
                                "initial: {x': 1}\nsimulate: {dt: 0.01}\n");
    tp_simulation *s = run_scene(scene, 1);
    CHECK_NEAR(value_of(s, "n"), 10.0, 1e-12);
    CHECK_NEAR(value_of(s, "t"), -2.5, 1e-12);
    CHECK_NEAR(value_of(s, "slip"), 0.975, 1e-14);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

/* ---- edits and hostile input --------------------------------------------------------------------------- */

TEST(edits_reach_bodies_and_their_initial_values)
{
    const char *edits[] = {"bodies.a.velocity=[1, 2, 3]", "initial.b.x=7", "contacts.all.friction=0.5",
                           "bodies.a.shapes[0].radius=0.5"};
    tp_scene *scene = open_edited(pile, 4, edits);
    tp_simulation *s = run_scene(scene, 0);
    CHECK_NEAR(value_of(s, "a.v.y"), 2.0, 0.0);
    CHECK_NEAR(value_of(s, "b.x"), 7.0, 0.0);
    CHECK_NEAR(tp_model_shape_at(scene->model, 0).solid.radius, 0.5, 0.0);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

/* Text made of `count` parts, each with its number. */
static char *many(const char *before, const char *part, int count, const char *after)
{
    size_t length = strlen(part) + 12, total = strlen(before) + strlen(after) + (size_t)count * length + 1;
    char *text = malloc(total), *at = text;
    assert_non_null(text);
    at += snprintf(at, total, "%s", before);
    for (int k = 0; k < count; k++) at += snprintf(at, length, part, k);
    snprintf(at, strlen(after) + 1, "%s", after);
    return text;
}

static void check_refused(char *text, const char *expected)
{
    tp_scene *scene;
    tp_message why = {""};
    tp_status status = tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &scene, &why);
    free(text);
    assert_int_equal(status, TP_INVALID_DATA);
    if (strstr(why.text, expected) == NULL) fail_msg("%s", why.text);
}

TEST(what_is_huge_is_refused_before_it_costs_much)
{
    UNUSED_STATE;
    check_refused(many("bodies: [", "{name: b%d, type: point, mass: 1}, ", 200001, "]"),
                  "found 200001 entries");
    check_refused(many("bodies: [{name: b, type: point, mass: 1, shapes: [", "{name: s%d, type: point}, ",
                       200001, "]}]"),
                  "more than 200000 shapes");
    check_refused(many("bodies: [{name: a, type: point, mass: 1, shapes: [{type: sphere, radius: 1}]}, "
                       "{name: b, type: point, "
                       "mass: 1, shapes: [",
                       "{type: point, position: [%d, 0, 0]}, ", 150,
                       "{type: point}]}]\ncontacts: [{name: c, between: [a, b]}, {name: c, among: [a, b]}]"),
                  "two laws named");
}

/* 1001 balls of one body against 1000 points of another: a million pairs cost as much as 2001 shapes. */
TEST(a_contact_may_stand_for_any_number_of_pairs)
{
    char *balls = many("bodies: [{name: a, type: point, mass: 1, shapes: [",
                       "{name: s%d, type: sphere, radius: 1}, ", 1001, "]}, ");
    char *text = many(balls, "", 0, "{name: b, type: point, mass: 1, position: [9, 0, 0], shapes: [");
    char *all = many(text, "{name: p%d, type: point}, ", 1000, "]}]\ncontacts: [{name: c, between: [a, b]}]");
    tp_scene *scene = open_text(all);
    CHECK_INT(tp_model_summarise(scene->model).rule_count, 1);
    tp_scene_free(scene);
    free(balls);
    free(text);
    free(all);
}

TEST_MAIN(RUNS(bodies_start_where_their_keys_say),
          RUNS(mass_and_inertia_follow_from_density_or_mass_of_the_shapes),
          RUNS(planar_bodies_and_points_have_their_own_keys),
          RUNS(the_pendulum_from_its_scene_moves_bit_for_bit_as_the_one_built_by_calls),
          RUNS(every_joint_and_all_that_acts_on_it_is_read),
          RUNS(springs_rest_as_placed_unless_their_length_is_given),
          RUNS(motors_couplers_and_sensors_meet_on_the_coordinates_of_joints),
          RUNS(an_orientation_may_be_the_direction_of_the_z_axis),
          RUNS(among_several_bodies_all_pairs_that_are_not_excluded_are_made),
          RUNS(among_all_stands_for_the_ground_and_every_body_with_shapes),
          RUNS(bodies_that_a_joint_connects_can_be_left_out), RUNS(sensors_of_a_contact_add_its_points_up),
          RUNS(sensors_of_a_contact_given_by_its_gap_have_its_own_directions),
          RUNS(edits_reach_bodies_and_their_initial_values),
          RUNS(what_is_huge_is_refused_before_it_costs_much),
          RUNS(a_contact_may_stand_for_any_number_of_pairs))
