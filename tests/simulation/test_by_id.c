/* The library as a controller embeds it: ids, what is asked by them, wrenches that are applied, and what
   happens to arguments that name nothing; docs/guide/embed.md. */
#include "contacts_3d.h"
#include "count_allocations.h"

static const double mass = 2.0, step = 1e-3;
static const tp_vec3 inertia = {0.2, 0.3, 0.4}, center = {0.1, -0.2, 0.3};

static tp_body_id add_free_body(tp_model *model, const char *name)
{
    tp_body_def def = tp_body_def_default();
    tp_body_id id;
    def.name = name;
    def.mass = mass;
    def.inertia = tp_mat3_diagonal(inertia);
    def.center = center;
    def.position = tp_vec3_make(1.0, 2.0, 3.0);
    must(model, tp_model_add_body(model, &def, &id, &build_why));
    return id;
}

static tp_body_motion motion_of(const tp_simulation *simulation, tp_body_id id)
{
    tp_body_motion motion;
    tp_message why;
    if (tp_simulation_body(simulation, id, &motion, &why) != TP_OK) fail_msg("%s", why.text);
    return motion;
}

static double distance(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_norm(tp_vec3_sub(a, b));
}

TEST(the_version_of_the_headers_is_that_of_the_library)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", TIPPE_VERSION_MAJOR, TIPPE_VERSION_MINOR, TIPPE_VERSION_PATCH);
    CHECK(strcmp(text, tp_version()) == 0);
    CHECK(TIPPE_VERSION_IS_AT_LEAST(TIPPE_VERSION_MAJOR, TIPPE_VERSION_MINOR, TIPPE_VERSION_PATCH));
    CHECK(!TIPPE_VERSION_IS_AT_LEAST(TIPPE_VERSION_MAJOR, TIPPE_VERSION_MINOR + 1, 0));
}

/* A pendulum on a hinge with a motor, a spring, a wrench, a limit, sensors, and a ball over a floor. */
typedef struct parts {
    tp_body_id bob, ball;
    tp_joint_id hinge;
    tp_shape_id floor, skin;
    tp_pair_id bounce;
    tp_law_id limit;
    tp_force_id spring, wind, gust;
    tp_sensor_id angle, height;
} parts;

static tp_model *model_of_parts(parts *p)
{
    tp_model *model = new_model();
    tp_message *why = &build_why;
    must(model, tp_model_set_gravity(model, down, why));
    tp_body_def bob = tp_body_def_default();
    bob.name = "bob", bob.mass = mass, bob.inertia = tp_mat3_diagonal(inertia);
    bob.position = tp_vec3_make(0.0, 0.0, -0.5);
    must(model, tp_model_add_body(model, &bob, &p->bob, why));
    bob.name = "ball", bob.position = tp_vec3_make(5.0, 0.0, 1.0);
    must(model, tp_model_add_body(model, &bob, &p->ball, why));
    tp_joint_def hinge = tp_joint_def_default();
    hinge.name = "hinge", hinge.kind = TP_JOINT_REVOLUTE, hinge.is_in_world = true;
    hinge.A.axis = tp_vec3_make(0.0, 1.0, 0.0);
    must(model, tp_model_add_joint(model, "ground", "bob", &hinge, &p->hinge, why));
    tp_shape_def shape = tp_shape_def_default();
    shape.name = "floor", shape.solid = tp_solid_plane();
    must(model, tp_model_add_shape(model, &shape, &p->floor, why));
    shape.name = "skin", shape.body = "ball", shape.solid = tp_solid_sphere(0.1);
    must(model, tp_model_add_shape(model, &shape, &p->skin, why));
    tp_pair_def pair = tp_pair_def_default();
    pair.name = "bounce", pair.shape_a = "floor", pair.shape_b = "skin";
    must(model, tp_model_add_pair(model, &pair, &p->bounce, why));
    tp_limit_def limit = tp_limit_def_default();
    limit.name = "stop", limit.on.joint = "hinge", limit.upper = 1.0;
    must(model, tp_model_add_limit(model, &limit, &p->limit, why));
    tp_spring_def spring = tp_spring_def_default();
    spring.name = "spring", spring.stiffness = 100.0, spring.rest_length = 1.0;
    must(model, tp_model_add_spring(model, "ground", "ball", &spring, &p->spring, why));
    tp_wrench_def wind = tp_wrench_def_default();
    wind.name = "wind", wind.body = "ball", wind.force[1] = TP_FORMULA("3");
    must(model, tp_model_add_wrench(model, &wind, &p->wind, why));
    wind.name = "gust", wind.force[1] = TP_FORMULA("-1");
    must(model, tp_model_add_wrench(model, &wind, &p->gust, why));
    must(model, tp_model_add_sensor(model, "height", TP_FORMULA("ball.z"), "m", &p->height, why));
    tp_joint_sensor_def angle = tp_joint_sensor_def_default();
    angle.name = "angle", angle.on.joint = "hinge";
    must(model, tp_model_add_joint_sensor(model, &angle, &p->angle, why));
    must(model, tp_model_finish(model, NULL, why));
    return model;
}

TEST(ids_that_adding_gives_are_those_that_names_give)
{
    parts p;
    tp_model *model = model_of_parts(&p);
    CHECK_INT(tp_model_body_named(model, "bob").index, p.bob.index);
    CHECK_INT(tp_model_body_named(model, "ball").index, p.ball.index);
    CHECK_INT(tp_model_body_named(model, "ground").index, -1);
    CHECK_INT(tp_model_joint_named(model, "hinge").index, p.hinge.index);
    CHECK_INT(tp_model_shape_named(model, "skin").index, p.skin.index);
    CHECK_INT(tp_model_pair_named(model, "bounce").index, p.bounce.index);
    CHECK_INT(tp_model_law_named(model, "stop").index, p.limit.index);
    CHECK_INT(tp_model_force_named(model, "spring").index, p.spring.index);
    CHECK_INT(tp_model_force_named(model, "gust").index, p.gust.index);
    CHECK_INT(tp_model_sensor_named(model, "angle").index, p.angle.index);
    CHECK(p.wind.index != p.gust.index && p.bob.model == model && p.gust.model == model);
    CHECK(tp_model_body_named(model, "nobody").model == NULL &&
          tp_model_law_named(model, NULL).model == NULL);
    CHECK(tp_model_joint_named(NULL, "hinge").model == NULL &&
          tp_model_force_named(model, "x").model == NULL);
    CHECK(strcmp(tp_model_law_name(model, p.limit.index), "stop") == 0);
    CHECK(strcmp(tp_model_rule_name(model, p.bounce.index), "bounce") == 0);
    CHECK(tp_model_rule_name(model, 1) == NULL && tp_model_rule_name(NULL, 0) == NULL);
    CHECK_INT(tp_model_find_coordinate(model, "ball.z"), 9);
    CHECK_INT(tp_model_find_velocity(model, "ball.omega.x"), 9);
    tp_model_free(model);
}

/* What stands still tells the truth without a formula: weight over a hinge, a stretched spring. */
TEST(joints_forces_and_sensors_answer_by_their_ids)
{
    parts p;
    tp_model *model = model_of_parts(&p);
    tp_simulation *s = simulate(model, step, 1.0);
    step_to(s, step);
    tp_joint_state hinge;
    tp_force_state spring, gust;
    double height, angle;
    CHECK_INT(tp_simulation_joint(s, p.hinge, &hinge, NULL), TP_OK);
    CHECK_INT(hinge.coordinate_count, 1);
    CHECK_NEAR(hinge.coordinate[0], 0.0, 1e-15);
    CHECK_NEAR(hinge.reaction.z, 9.81 * mass, 1e-12);
    CHECK_NEAR(tp_vec3_norm(hinge.moment), 0.0, 1e-12);
    CHECK_NEAR(tp_vec3_norm(hinge.point), 0.0, 1e-15);
    CHECK_INT(tp_simulation_force(s, p.gust, &gust, NULL), TP_OK);
    CHECK(gust.force.y == -1.0 && gust.energy == 0.0);
    tp_vec3 r = motion_of(s, p.ball).center;
    double stretch = tp_vec3_norm(r) - 1.0;
    CHECK_INT(tp_simulation_force(s, p.spring, &spring, NULL), TP_OK);
    CHECK_NEAR(tp_vec3_norm(spring.force), 100.0 * stretch, 1e-11);
    CHECK(tp_vec3_dot(spring.force, r) < 0.0);
    CHECK_NEAR(spring.energy, 50.0 * stretch * stretch, 1e-11);
    CHECK_INT(tp_simulation_sense(s, p.height, &height, NULL), TP_OK);
    CHECK(height == r.z);
    CHECK_INT(tp_simulation_sense(s, p.angle, &angle, NULL), TP_OK);
    CHECK_NEAR(angle, 0.0, 1e-15);
    tp_law_activity stop;
    CHECK_INT(tp_simulation_law(s, p.limit, &stop, NULL), TP_OK);
    CHECK(stop.row_count == 1 && !stop.is_closed && stop.impulse[0] == 0.0);
    CHECK_NEAR(stop.gap, 1.0, 1e-15);
    end(s, model);
}

/* Claim: an arm that a motor holds level needs the torque m g l, a carriage that it lifts the force m g. */
TEST(the_drive_of_a_motor_is_its_torque_or_force)
{
    tp_scene *scene = scene_of(
        "gravity: [0, 0, -9.81]\n"
        "bodies: [{name: arm, mass: 2, inertia: [1, 1, 1], position: [0.5, 0, 0]},\n"
        "         {name: cab, mass: 3, inertia: [1, 1, 1], position: [2, 0, 0], velocity: [0, 0, 0.4]}]\n"
        "joints:\n"
        "  - {name: pivot, type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, -1, 0],\n"
        "     motor: {position: 0}}\n"
        "  - {name: shaft, type: prismatic, bodies: [ground, cab], point: [2, 0, 0], axis: [0, 0, 1],\n"
        "     motor: {speed: 0.4}}\n"
        "sensors: [{name: torque, joint: pivot, quantity: drive}, {name: lift, joint: shaft, quantity: "
        "drive}]\n"
        "simulate: {dt: 1e-3, until: 0.01}\n");
    tp_simulation *s = NULL;
    CHECK_INT(tp_simulation_create(NULL, scene->model, &scene->options, &s, NULL), TP_OK);
    run(s);
    double torque, lift;
    tp_joint_state pivot;
    CHECK_INT(tp_simulation_sense(s, tp_model_sensor_named(scene->model, "torque"), &torque, NULL), TP_OK);
    CHECK_INT(tp_simulation_sense(s, tp_model_sensor_named(scene->model, "lift"), &lift, NULL), TP_OK);
    CHECK_INT(tp_simulation_joint(s, tp_model_joint_named(scene->model, "pivot"), &pivot, NULL), TP_OK);
    /* rounding of velocities near 1 over the step, times a few kilograms */
    CHECK_NEAR(torque, 2.0 * 9.81 * 0.5, 1e-11);
    CHECK_NEAR(lift, 3.0 * 9.81, 1e-11);
    CHECK(pivot.drive[0] == torque && pivot.drive[1] == 0.0);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

TEST(the_drive_of_a_coordinate_without_a_motor_is_refused)
{
    static const char text[] =
        "bodies: [{name: arm, mass: 2, inertia: [1, 1, 1]}]\n"
        "joints: [{name: pivot, type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}]\n"
        "sensors: [{name: torque, joint: pivot, quantity: drive}]\n"
        "simulate: {dt: 1e-3, until: 0.01}\n";
    tp_scene *scene = NULL;
    tp_message why = {""};
    CHECK_INT(tp_scene_read_memory(NULL, "text", text, strlen(text), NULL, 0, &scene, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "no motor drives") != NULL);
}

/* Claim: position, velocity and mean acceleration of a free fall; the origin of the points moves with the
 * body. */
TEST(a_falling_body_tells_how_it_moves)
{
    tp_model *model = new_model();
    must(model, tp_model_set_gravity(model, down, &build_why));
    tp_body_id id = add_free_body(model, "stone");
    must(model, tp_model_set_initial(model, "stone.omega.z", 2.0, (tp_place){0}, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_simulation *s = simulate(model, step, 1.0);
    tp_body_motion motion = motion_of(s, id);
    CHECK(isnan(motion.acceleration.x) && isnan(motion.angular_acceleration.z));
    CHECK(distance(motion.position, tp_vec3_make(1.0, 2.0, 3.0)) <= 1e-15);
    run_steps(s, 10, step);
    motion = motion_of(s, id);
    CHECK(distance(motion.velocity, tp_vec3_scale(10 * step, down)) <= 1e-15);
    CHECK(distance(motion.acceleration, down) <= 1e-12); /* eps v / step */
    CHECK(distance(motion.angular_velocity, tp_vec3_make(0.0, 0.0, 2.0)) <= 1e-14);
    CHECK(tp_vec3_norm(motion.angular_acceleration) <= 1e-11);
    tp_vec3 arm = tp_vec3_sub(motion.center, motion.position);
    CHECK(distance(arm, tp_quat_rotate(motion.orientation, center)) <= 1e-15);
    tp_body_motion ground = motion_of(s, (tp_body_id){model, -1});
    CHECK(tp_vec3_norm(ground.position) == 0.0 && ground.orientation.w == 1.0);
    tp_restart restart;
    tp_simulation_checkpoint(s, &restart);
    CHECK_INT(tp_simulation_restore(s, &restart, NULL), TP_OK);
    CHECK(isnan(motion_of(s, id).acceleration.z));
    end(s, model);
}

/* A wrench that begins with a step acts on the velocities of schatzman-paoli and symmetric-moreau half a step
   later: its first half step of forces was made when the simulation was. */
static double lag_of(const char *integrator)
{
    bool acts_at_states =
        strcmp(integrator, "schatzman-paoli") == 0 || strcmp(integrator, "symmetric-moreau") == 0;
    return acts_at_states ? 0.5 * step : 0.0;
}

/* Directions of an affine body move along chords, which are shorter than arcs by (w dt)^2/12; a hundredth for
   the next term. */
static double chord_of(const char *integrator, double w)
{
    return strcmp(integrator, "consistent-position") == 0 ? 1.01 * (w * step) * (w * step) / 12.0 : 0.0;
}

/* Claim: F and M for a time T make v = F T / m and w = M T / I about a principal axis, and the work that is
   booked is the kinetic energy; with every integrator. Sums of 100 steps: rounding 100 eps of each. */
TEST(an_applied_wrench_moves_a_body_and_its_work_is_booked)
{
    const tp_vec3 force = {3.0, -1.0, 2.0}, moment = {0.0, 0.0, 0.5};
    const double rate =
        tp_vec3_dot(force, force) / mass + moment.z * moment.z / inertia.z; /* of energy: T = rate t^2/2 */
    const int steps = 100;
    for (int i = 0; i < tp_integrator_count(); i++) {
        const char *integrator = tp_integrator_info_at(i)->name;
        double lag = lag_of(integrator), time = steps * step - lag, work = 0.0;
        if (tp_integrator_info_at(i)->chooses_steps) continue; /* several steps between two times */
        tp_model *model = new_model();
        tp_body_id id = add_free_body(model, "satellite");
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_simulation *s = simulate_with(model, integrator, step, 1.0);
        tp_body_wrench wrench = {.force = force, .moment = moment, .point = center};
        CHECK_INT(tp_simulation_apply_wrench(s, id, &wrench, NULL), TP_OK);
        for (int k = 1; k <= steps; k++) {
            step_to(s, k * step);
            work += tp_simulation_last_step(s)->applied_work;
        }
        tp_body_motion motion = motion_of(s, id);
        double energy = tp_simulation_last_step(s)->energy;
        CHECK(distance(motion.velocity, tp_vec3_scale(time / mass, force)) <= 1e-13);
        double w = moment.z * time / inertia.z, slow = w * chord_of(integrator, w);
        CHECK(distance(motion.angular_velocity, tp_vec3_make(0.0, 0.0, w)) <= 1e-13 + slow);
        CHECK_NEAR(energy, 0.5 * rate * time * time, 1e-13 + inertia.z * w * slow);
        CHECK_NEAR(work, energy, 1e-13 + 0.5 * rate * lag * lag);

        /* and after it has ended nothing pushes */
        CHECK_INT(tp_simulation_apply_wrench(s, id, NULL, NULL), TP_OK);
        step_to(s, (steps + 1) * step);
        motion = motion_of(s, id);
        step_to(s, (steps + 2) * step);
        CHECK(distance(motion_of(s, id).velocity, motion.velocity) <= 1e-15);
        CHECK_NEAR(motion.velocity.x, force.x * steps * step / mass, 1e-13);
        CHECK(tp_simulation_last_step(s)->applied_work == 0.0);
        end(s, model);
    }
}

/* A wrench of the model that is constant, and the same one applied: the same motion to the last bit. */
TEST(an_applied_wrench_is_one_of_the_model)
{
    static const bool in_body[] = {false, true};
    for (int i = 0; i < 2 * tp_integrator_count(); i++) {
        tp_simulation *s[2];
        tp_model *model[2];
        if (lag_of(tp_integrator_info_at(i / 2)->name) > 0.0)
            continue; /* its start knows wrenches of the model */
        for (int k = 0; k < 2; k++) {
            model[k] = new_model();
            tp_body_id id = add_free_body(model[k], "body"), other = add_free_body(model[k], "other");
            tp_wrench_def def = tp_wrench_def_default();
            def.body = "body", def.is_in_body = in_body[i % 2], def.point = tp_vec3_make(0.5, 0.1, 0.2);
            def.force[0] = TP_FORMULA("0"); /* the point counts for the size of the scene */
            if (k == 0) {
                def.force[0] = TP_FORMULA("2"), def.force[2] = TP_FORMULA("-3");
                def.moment[1] = TP_FORMULA("0.5");
            }
            must(model[k], tp_model_add_wrench(model[k], &def, NULL, &build_why));
            must(model[k], tp_model_finish(model[k], NULL, &build_why));
            s[k] = simulate_with(model[k], tp_integrator_info_at(i / 2)->name, step, 1.0);
            if (k == 0) continue;
            tp_body_wrench wrench = {.force = {2.0, 0.0, -3.0}, .moment = {0.0, 0.5, 0.0}};
            wrench.point = tp_vec3_make(0.5, 0.1, 0.2), wrench.is_in_body = in_body[i % 2];
            CHECK_INT(tp_simulation_apply_wrench(s[k], other, &wrench, NULL), TP_OK);
            CHECK_INT(tp_simulation_apply_wrench(s[k], id, &wrench, NULL), TP_OK);
            CHECK_INT(tp_simulation_apply_wrench(s[k], other, NULL, NULL), TP_OK);
        }
        for (int k = 0; k < 2; k++) run_steps(s[k], 20, step);
        CHECK(memcmp(tp_simulation_q(s[0]), tp_simulation_q(s[1]), 14 * sizeof(double)) == 0);
        CHECK(memcmp(tp_simulation_u(s[0]), tp_simulation_u(s[1]), 12 * sizeof(double)) == 0);
        CHECK(tp_simulation_last_step(s[0])->applied_work == tp_simulation_last_step(s[1])->applied_work);
        CHECK(tp_vec3_norm(motion_of(s[1], (tp_body_id){model[1], 0}).angular_velocity) > 1e-3);
        for (int k = 0; k < 2; k++) end(s[k], model[k]);
    }
}

/* A box at rest: four corners carry its weight. */
TEST(active_contacts_are_listed_with_points_normals_and_impulses)
{
    tp_model *model = model_on_floor(tp_quat_identity(), down);
    tp_moving_solid rest = at_rest(tp_vec3_make(0.0, 0.0, 0.05), tp_quat_identity());
    add_solid(model, "box", tp_solid_box(tp_vec3_make(0.1, 0.15, 0.05)), mass, &rest);
    touch(model, "floor", "box", 0.5, 0.0);
    tp_simulation *s = start(model, "moreau", step, 1.0);
    tp_contact_info all[8];
    int count = -1;
    CHECK_INT(tp_simulation_contacts(s, 8, all, &count, NULL), TP_OK);
    CHECK_INT(count, 0); /* no step, no contact that took part */
    run_steps(s, 3, step);
    CHECK_INT(tp_simulation_contacts(s, 8, all, &count, NULL), TP_OK);
    CHECK_INT(count, 4);
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        CHECK(all[k].is_closed && all[k].normal[2] == 1.0 && all[k].row_count == 3);
        CHECK_NEAR(fabs(all[k].point[0]), 0.1, 1e-12);
        CHECK_NEAR(fabs(all[k].point[1]), 0.15, 1e-12);
        CHECK_NEAR(all[k].gap, 0.0, 1e-12);
        sum += all[k].impulse[0];
    }
    CHECK_NEAR(sum, mass * 9.81 * step, 1e-14);
    tp_contact_info one;
    CHECK_INT(tp_simulation_contacts(s, 1, &one, &count, NULL), TP_OK);
    CHECK(count == 4 && one.law == all[0].law);
    CHECK_INT(tp_simulation_contacts(s, 0, NULL, &count, NULL), TP_OK);
    CHECK_INT(tp_simulation_contacts(s, 1, NULL, &count, NULL), TP_INVALID_ARGUMENT);
    end(s, model);
}

/* A coordinate with a velocity of its own, a state, a relation of two rows, things to draw. */
typedef struct scalar_parts {
    tp_coordinate_id still, x;
    tp_velocity_id rest, v;
    tp_state_id empty, level;
    tp_relation_id first, pump;
    tp_drawing_id dot, bob;
    tp_surface_id lower, upper;
} scalar_parts;

static void add_figures(tp_model *model, scalar_parts *p)
{
    static tp_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static int triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    tp_drawing_vertex at = {{TP_FORMULA("still")}}, moving = {{TP_FORMULA("x")}};
    tp_drawing_def drawing = tp_drawing_def_default();
    drawing.name = "dot", drawing.vertices = &at, drawing.vertex_count = 1;
    must(model, tp_model_add_drawing(model, &drawing, &p->dot, &build_why));
    drawing.name = "bob", drawing.vertices = &moving;
    must(model, tp_model_add_drawing(model, &drawing, &p->bob, &build_why));
    tp_surface_def surface = tp_surface_def_default();
    surface.name = "lower";
    surface.mesh = (tp_mesh){4, 4, corners, triangles};
    must(model, tp_model_add_surface(model, &surface, &p->lower, &build_why));
    surface.name = "upper";
    must(model, tp_model_add_surface(model, &surface, &p->upper, &build_why));
}

static tp_model *model_of_scalars(scalar_parts *p)
{
    const tp_function rows[] = {TP_FORMULA("pump.l1 - 5"), TP_FORMULA("pump.l2 + 7")},
                      row = TP_FORMULA("first");
    tp_model *model = new_model();
    tp_message *why = &build_why;
    tp_place no_place = {0};
    must(model, tp_model_add_coordinate(model, "still", 4.0, 0.0, "m", no_place, &p->still, why));
    must(model, tp_model_add_coordinate(model, "x", 1.0, 0.0, "m", no_place, &p->x, why));
    must(model, tp_model_add_velocity(model, "rest", 0.0, "m/s", no_place, &p->rest, why));
    must(model, tp_model_add_velocity(model, "v", 3.0, "m/s", no_place, &p->v, why));
    must(model, tp_model_set_rate(model, "still", TP_FORMULA("rest"), why));
    must(model, tp_model_set_rate(model, "x", TP_FORMULA("2*v"), why));
    must(model, tp_model_add_mass(model, "rest", "rest", TP_FORMULA("1"), why));
    must(model, tp_model_add_mass(model, "v", "v", TP_FORMULA("1"), why));
    tp_state_def state = tp_state_def_default();
    state.name = "empty", state.rate = TP_FORMULA("0");
    must(model, tp_model_add_state(model, &state, &p->empty, why));
    state.name = "level", state.initial = 0.25, state.rate = TP_FORMULA("2");
    must(model, tp_model_add_state(model, &state, &p->level, why));
    tp_relation_def relation = tp_relation_def_default();
    relation.name = "first", relation.kind = TP_RELATION_EQUALITY, relation.output = &row, relation.size = 1;
    must(model, tp_model_add_relation(model, &relation, &p->first, why));
    relation.name = "pump", relation.output = rows, relation.size = 2;
    must(model, tp_model_add_relation(model, &relation, &p->pump, why));
    add_figures(model, p);
    must(model, tp_model_finish(model, NULL, why));
    return model;
}

/* x = 1 + 2 v t with v = 3, level = 1/4 + 2 t, and multipliers 5 and -7 with outputs 0: all of it is linear
   in t, and a step of 1/1024 s has no rounding. */
TEST(coordinates_states_and_relations_answer_by_their_ids)
{
    scalar_parts p, q;
    tp_model *model = model_of_scalars(&p), *other = model_of_scalars(&q);
    tp_simulation *s = simulate_with(model, "theta-gamma", 0x1p-10, 1.0);
    tp_coordinate_motion x;
    tp_relation_activity pump;
    tp_message why = {""};
    double v, level;
    CHECK_INT(tp_simulation_step(s, 0x1p-10, &why), TP_OK);
    CHECK_INT(tp_simulation_coordinate(s, p.x, &x, &why), TP_OK);
    CHECK(x.value == 1.0 + 6.0 * 0x1p-10 && x.rate == 6.0);
    CHECK_INT(tp_simulation_velocity(s, p.v, &v, &why), TP_OK);
    CHECK_INT(tp_simulation_state(s, p.level, &level, &why), TP_OK);
    CHECK(v == 3.0 && level == 0.25 + 2.0 * 0x1p-10);
    for (int row = 0; row < 2; row++) {
        CHECK_INT(tp_simulation_relation(s, p.pump, row, &pump, &why), TP_OK);
        CHECK_NEAR(pump.multiplier, row == 0 ? 5.0 : -7.0, 1e-14);
        CHECK_NEAR(pump.output, 0.0, 1e-14);
    }
    CHECK(strcmp(tp_model_drawing_name(model, p.bob.index), "bob") == 0);
    CHECK(strcmp(tp_model_surface_name(model, p.upper.index), "upper") == 0 && p.upper.model == model);
    CHECK(tp_model_surface_name(model, 2) == NULL && tp_model_surface_name(NULL, 0) == NULL);

    CHECK_INT(tp_simulation_coordinate(s, q.x, &x, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "id of a coordinate belongs to another model") != NULL);
    CHECK_INT(tp_simulation_coordinate(s, (tp_coordinate_id){model, 2}, &x, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_velocity(s, (tp_velocity_id){model, -1}, &v, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_velocity(s, p.v, NULL, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_state(s, (tp_state_id){0}, &level, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_state(NULL, p.level, &level, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_relation(s, p.pump, 2, &pump, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "no row of the relation with the number 2") != NULL);
    CHECK_INT(tp_simulation_relation(s, q.pump, 0, &pump, NULL), TP_INVALID_ARGUMENT);
    end(s, model);
    tp_model_free(other);
}

TEST(ids_of_another_model_and_of_nothing_are_refused)
{
    parts p, q;
    tp_model *model = model_of_parts(&p), *other = model_of_parts(&q);
    tp_simulation *s = simulate(model, step, 1.0);
    tp_message why = {""};
    tp_body_motion motion;
    tp_joint_state joint;
    tp_law_activity law;
    tp_force_state force;
    tp_body_wrench push = {.force = {1.0, 0.0, 0.0}}, endless = {.force = {INFINITY, 0.0, 0.0}};
    double value;
    CHECK_INT(tp_simulation_body(s, q.bob, &motion, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "another model") != NULL);
    CHECK_INT(tp_simulation_body(s, (tp_body_id){0}, &motion, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "names nothing") != NULL);
    CHECK_INT(tp_simulation_body(s, (tp_body_id){model, 2}, &motion, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "no body with the number 2") != NULL);
    CHECK_INT(tp_simulation_body(s, (tp_body_id){model, -2}, &motion, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_body(NULL, p.bob, &motion, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_body(s, p.bob, NULL, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_joint(s, q.hinge, &joint, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_joint(s, (tp_joint_id){model, 1}, &joint, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_law(s, (tp_law_id){model, -1}, &law, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_law(s, (tp_law_id){model, 3}, &law, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_force(s, (tp_force_id){model, -3}, &force, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_force(s, (tp_force_id){model, 1}, &force, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_sense(s, q.angle, &value, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_sense(s, (tp_sensor_id){model, 2}, &value, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_sense(NULL, p.angle, &value, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_apply_wrench(s, (tp_body_id){model, -1}, &push, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "'ground' does not move freely") != NULL);
    CHECK_INT(tp_simulation_apply_wrench(s, p.bob, &endless, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_apply_wrench(s, q.bob, &push, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_apply_wrench(s, p.bob, NULL, NULL), TP_OK); /* nothing to end */
    tp_simulation_free(s);
    tp_model_free(model);
    tp_model_free(other);
}

TEST(null_and_unfinished_arguments_give_a_status)
{
    tp_model *model = new_model();
    tp_simulation *s = NULL;
    tp_simulation_options options = tp_simulation_options_default();
    tp_message why = {""};
    tp_function one = TP_FORMULA("1");
    tp_place no_place = {0};
    double value;
    CHECK_INT(tp_simulation_create(NULL, model, &options, &s, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "not finished") != NULL);
    CHECK_INT(tp_simulation_create(NULL, NULL, &options, &s, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_create(NULL, model, NULL, &s, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_create(NULL, model, &options, NULL, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_create(NULL, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_body(NULL, NULL, NULL, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_set_name(model, NULL, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_parameter(model, "a", NULL, no_place, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_parameter_value(model, NULL, 1.0, no_place, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_definition(model, "a", NULL, 0, NULL, no_place, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_evaluate(model, NULL, no_place, &value, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_coordinate(model, NULL, 0.0, 0.0, NULL, no_place, NULL, NULL),
              TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_velocity(model, NULL, 0.0, NULL, no_place, NULL, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_set_rate(model, NULL, one, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_kinetic(NULL, one, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_mass(model, "x", NULL, one, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_force(model, NULL, one, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_set_initial(model, NULL, 0.0, no_place, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_set_exact(model, NULL, one, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_sensor(model, NULL, one, NULL, NULL, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_finish(NULL, NULL, NULL), TP_INVALID_ARGUMENT);
#define REFUSES(add) CHECK_INT(tp_model_add_##add(model, NULL, NULL, NULL), TP_INVALID_ARGUMENT)
    REFUSES(body), REFUSES(constraint), REFUSES(contact), REFUSES(law), REFUSES(limit), REFUSES(motor);
    REFUSES(coupler), REFUSES(joint_friction), REFUSES(wrench), REFUSES(shape), REFUSES(pair);
    REFUSES(joint_sensor), REFUSES(body_sensor), REFUSES(contact_sensor), REFUSES(rule), REFUSES(input);
    REFUSES(state), REFUSES(relation), REFUSES(drawing), REFUSES(surface);
    tp_joint_def joint = tp_joint_def_default();
    tp_spring_def spring = tp_spring_def_default();
    tp_bushing_def bushing = tp_bushing_def_default();
    tp_shape_def shape = tp_shape_def_default();
    shape.body = NULL;
    CHECK_INT(tp_model_add_joint(model, NULL, "ground", &joint, NULL, &why), TP_INVALID_DATA);
    CHECK_INT(tp_model_add_joint(model, "ground", "ground", NULL, NULL, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_model_add_spring(model, "ground", NULL, &spring, NULL, &why), TP_INVALID_DATA);
    CHECK_INT(tp_model_add_bushing(model, "ground", NULL, &bushing, NULL, &why), TP_INVALID_DATA);
    CHECK_INT(tp_model_add_shape(model, &shape, NULL, &why), TP_INVALID_DATA);
    tp_model_free(model);

    /* questions that have no status have an answer that names nothing */
    CHECK_INT(tp_simulation_step(NULL, 1.0, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_run(NULL, NULL, NULL, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_restore(NULL, NULL, &why), TP_INVALID_ARGUMENT);
    CHECK(tp_simulation_q(NULL) == NULL && tp_simulation_report(NULL) == NULL &&
          isnan(tp_simulation_time(NULL)));
    CHECK(isnan(tp_simulation_sensor(NULL, 0)) && isnan(tp_simulation_gap(NULL, 0)));
    CHECK(tp_model_body_name(NULL, 0) == NULL && tp_model_law_unit(NULL, 0, 0, TP_LAW_FORCE) == NULL);
    CHECK(tp_model_coordinate_name(NULL, 0) == NULL && tp_model_summarise(NULL).law_count == 0);
    tp_report report;
    CHECK_INT(tp_solve(NULL, NULL, NULL, NULL, NULL, NULL, &report), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_problem_create(NULL, NULL, NULL, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_problem_error(NULL, NULL, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_scene_read(NULL, NULL, NULL, 0, NULL, &why), TP_INVALID_ARGUMENT);
}

/* A step that cannot be taken says why, and nothing has changed. */
TEST(a_step_backwards_is_refused_with_the_reason)
{
    parts p;
    tp_model *model = model_of_parts(&p);
    tp_simulation *s = simulate(model, step, 1.0);
    tp_message why = {""};
    step_to(s, step);
    CHECK_INT(tp_simulation_step(s, 0.0, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "cannot end at 0 s") != NULL);
    CHECK(tp_simulation_time(s) == step);
    end(s, model);
}

static void write_nothing(void *context, tp_log_level level, const char *text)
{
    (void)context, (void)level, (void)text;
}

/* Names of the options and the log hook were once read where the caller had them, after the call. */
TEST(texts_of_the_options_are_the_simulations_own)
{
    parts p;
    tp_model *model = model_of_parts(&p);
    char integrator[] = "moreau-jean", solver[] = "auto";
    tp_log log = {.write = write_nothing};
    tp_simulation_options options = tp_simulation_options_default();
    options.integrator = integrator, options.solver = solver, options.log = &log;
    tp_simulation *s = NULL;
    CHECK_INT(tp_simulation_create(NULL, model, &options, &s, NULL), TP_OK);
    memset(integrator, '?', sizeof integrator);
    memset(solver, '?', sizeof solver);
    memset(&log, 0xff, sizeof log);
    step_to(s, step);
    CHECK(strcmp(tp_simulation_get_options(s)->integrator, "moreau-jean") == 0);
    CHECK(strcmp(tp_simulation_report(s)->solver, "auto") == 0);
    tp_warning warning = tp_warning_of(TP_WARNING_JOINT_TORN);
    tp_simulation_warn(s, &warning); /* through the hook as it was given */
    tp_simulation_free(s);

    char name[] = "moreau";
    tp_study_def def = tp_study_def_default();
    tp_study *study = NULL;
    options = tp_simulation_options_default();
    options.integrator = def.reference_integrator = name, options.end_time = 4 * step;
    def.model = model, def.runs = &options, def.run_count = 1, def.reference = TP_REFERENCE_RUN;
    CHECK_INT(tp_study_create(NULL, &def, &study, NULL), TP_OK);
    memset(name, '?', sizeof name);
    CHECK(strcmp(tp_study_run_at(study, 0)->options.integrator, "moreau") == 0);
    CHECK(strcmp(tp_study_reference_of(study)->integrator, "moreau") == 0);
    tp_study_free(study);
    tp_model_free(model);
}

TEST(questions_and_wrenches_allocate_nothing)
{
#ifdef CAN_COUNT_ALLOCATIONS
    parts p;
    tp_model *model = model_of_parts(&p);
    tp_simulation *s = simulate(model, step, 1.0);
    run_steps(s, 5, step);
    tp_body_wrench push = {.force = {1.0, 0.0, 0.0}};
    tp_body_motion motion;
    tp_joint_state joint;
    tp_law_activity law;
    tp_contact_info contact;
    double value;
    int count;
    allocation_count = 0;
    is_counting = 1;
    for (int k = 6; k < 20; k++) {
        tp_simulation_apply_wrench(s, p.bob, &push, NULL);
        tp_simulation_step(s, k * step, NULL);
        tp_simulation_body(s, p.bob, &motion, NULL);
        tp_simulation_joint(s, p.hinge, &joint, NULL);
        tp_simulation_law(s, p.limit, &law, NULL);
        tp_simulation_sense(s, p.angle, &value, NULL);
        tp_simulation_contacts(s, 1, &contact, &count, NULL);
    }
    is_counting = 0;
    CHECK_INT(allocation_count, 0);
    end(s, model);
#else
    UNUSED_STATE;
    skip();
#endif
}

TEST_MAIN(RUNS(the_version_of_the_headers_is_that_of_the_library),
          RUNS(ids_that_adding_gives_are_those_that_names_give),
          RUNS(joints_forces_and_sensors_answer_by_their_ids),
          RUNS(the_drive_of_a_motor_is_its_torque_or_force),
          RUNS(the_drive_of_a_coordinate_without_a_motor_is_refused), RUNS(a_falling_body_tells_how_it_moves),
          RUNS(an_applied_wrench_moves_a_body_and_its_work_is_booked),
          RUNS(an_applied_wrench_is_one_of_the_model),
          RUNS(coordinates_states_and_relations_answer_by_their_ids),
          RUNS(active_contacts_are_listed_with_points_normals_and_impulses),
          RUNS(ids_of_another_model_and_of_nothing_are_refused),
          RUNS(null_and_unfinished_arguments_give_a_status),
          RUNS(a_step_backwards_is_refused_with_the_reason),
          RUNS(texts_of_the_options_are_the_simulations_own), RUNS(questions_and_wrenches_allocate_nothing))
