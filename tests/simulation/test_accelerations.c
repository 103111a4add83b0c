/* Accelerations and forces at the present state of a simulation: by id and as sensors of scenes. Claims of
   docs/theory/second-level.md. */
#include "count_allocations.h"
#include "simulations.h"

#include <string.h>

/* A rod on a hinge: mass 2, length to the centre 0.5, moment about the hinge J = 0.3 + 2/4; its end is 1
 * away. */
static const char pendulum[] =
    "gravity: [0, 0, -10]\n"
    "bodies: [{name: rod, mass: 2, inertia: [0.3, 0.3, 0.3], position: [0.5, 0, 0]}]\n"
    "joints: [{name: hinge, type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: [0, 1, 0]}]\n"
    "sensors:\n"
    "  - {name: angle, joint: hinge, quantity: coordinate}\n"
    "  - {name: rate, joint: hinge, quantity: rate}\n"
    "  - {name: angular, joint: hinge, quantity: acceleration}\n"
    "  - {name: Fx, joint: hinge, quantity: reaction_now, component: x}\n"
    "  - {name: Fz, joint: hinge, quantity: reaction_now, component: z}\n"
    "  - {name: M, joint: hinge, quantity: moment_now, component: y}\n"
    "  - {name: tip, body: rod, point: [0.5, 0, 0], quantity: acceleration, component: x, frame: body}\n"
    "  - {name: tip across, body: rod, point: [0.5, 0, 0], quantity: acceleration, component: z, frame: "
    "body}\n"
    "  - {name: alpha, body: rod, quantity: angular_acceleration, component: y}\n";

static const double time_step = 1e-3;

static tp_simulation *simulation_of(const tp_scene *scene, const char *integrator)
{
    return simulate_with(scene->model, integrator, time_step, 1.0);
}

static double sensed(const tp_simulation *simulation, const tp_scene *scene, const char *name)
{
    double value;
    if (tp_simulation_sense(simulation, tp_model_sensor_named(scene->model, name), &value, NULL) != TP_OK)
        fail();
    return value;
}

/* The angle is positive downwards here (about y): J phi'' = m g l cos phi; the centre is accelerated by
   l phi'^2 towards the hinge and l phi'' across. The integrator decides about the state, not about this: its
   positions keep the joint to 1e-6 (moreau), and that much of g is lost. */
static void check_pendulum(void **check_state_, const char *integrator, double tolerance)
{
    const double m = 2.0, l = 0.5, J = 0.8, g = 10.0;
    tp_scene *scene = scene_of(pendulum);
    tp_simulation *s = simulation_of(scene, integrator);
    for (int step = 0; step < 300; step++) {
        if (step % 100 == 0) {
            double phi = sensed(s, scene, "angle"), w = sensed(s, scene, "rate"),
                   a = m * g * l * cos(phi) / J;
            double c = cos(phi), z = sin(phi);
            CHECK_NEAR(sensed(s, scene, "angular"), a, tolerance);
            CHECK_NEAR(sensed(s, scene, "alpha"), a, tolerance);
            CHECK_NEAR(sensed(s, scene, "tip"), -2.0 * l * w * w, tolerance);
            CHECK_NEAR(sensed(s, scene, "tip across"), -2.0 * l * a, tolerance);
            CHECK_NEAR(sensed(s, scene, "Fx"), m * (-l * w * w * c - l * a * z), tolerance);
            CHECK_NEAR(sensed(s, scene, "Fz"), m * (g + l * w * w * z - l * a * c), tolerance);
            CHECK_NEAR(sensed(s, scene, "M"), 0.0, tolerance);
        }
        step_to(s, (step + 1) * time_step);
    }
    tp_simulation_free(s);
    tp_scene_free(scene);
}

TEST(sensors_of_a_pendulum_tell_its_closed_forms_under_any_integrator)
{
    check_pendulum(check_state_, "moreau", 1e-4);
    check_pendulum(check_state_, "consistent-quaternion", 1e-9);
    check_pendulum(check_state_, "consistent-two-step", 1e-9);
}

TEST(accelerations_by_id_are_those_of_the_model)
{
    tp_scene *scene = scene_of(pendulum);
    tp_simulation *s = simulation_of(scene, "moreau");
    tp_joint_id hinge = tp_model_joint_named(scene->model, "hinge");
    tp_body_id rod = tp_model_body_named(scene->model, "rod");
    double a[6], angular, force[TP_IMPULSE_ROWS];
    tp_acceleration_info info;
    tp_joint_state joint;
    tp_vec3 end, turn;
    CHECK_INT(tp_simulation_accelerations(s, a, &info, NULL), TP_OK);
    CHECK(info.is_exact && info.impact_count == 0);
    CHECK_NEAR(a[2], -6.25, 1e-12);
    CHECK_NEAR(a[4], 12.5, 1e-12);
    CHECK_INT(tp_simulation_body_acceleration(s, rod, tp_vec3_make(0.5, 0.0, 0.0), &end, &turn, NULL), TP_OK);
    CHECK_NEAR(end.z, -12.5, 1e-12);
    CHECK_NEAR(turn.y, 12.5, 1e-12);
    CHECK_INT(tp_simulation_joint_now(s, hinge, &joint, &angular, NULL), TP_OK);
    CHECK_NEAR(joint.reaction.z, 2.0 * (10.0 - 6.25), 1e-12);
    CHECK_NEAR(angular, 12.5, 1e-12);
    CHECK_INT(tp_simulation_law_force(s, tp_model_law_named(scene->model, "hinge"), force, NULL), TP_OK);

    /* a wrench counts at once */
    tp_body_wrench wrench = {.force = {0.0, 0.0, 20.0}};
    CHECK_INT(tp_simulation_apply_wrench(s, rod, &wrench, NULL), TP_OK);
    CHECK_INT(tp_simulation_accelerations(s, a, NULL, NULL), TP_OK);
    CHECK_NEAR(a[4], 0.0, 1e-12);

    CHECK_INT(tp_simulation_accelerations(NULL, a, NULL, NULL), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_joint_now(s, (tp_joint_id){scene->model, 7}, &joint, NULL, NULL),
              TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_body_acceleration(s, (tp_body_id){NULL, 0}, end, &end, NULL, NULL),
              TP_INVALID_ARGUMENT);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

/* A ball of 2 kg at rest on a plane: the contact between the shapes has number 0, there are no other laws. */
TEST(the_force_of_a_contact_between_shapes_is_found_by_its_number)
{
    tp_scene *scene = scene_of("gravity: [0, 0, -10]\n"
                               "bodies: [{name: ball, mass: 2, inertia: [1, 1, 1], position: [0, 0, 0.5],\n"
                               "  shapes: [{name: skin, type: sphere, radius: 0.5}]}]\n"
                               "ground: {shapes: [{name: floor, type: plane}]}\n"
                               "contacts: [{name: c, between: [floor, skin], friction: 0.3}]\n");
    tp_simulation *s = simulation_of(scene, "moreau");
    double force[TP_IMPULSE_ROWS];
    step_to(s, 1e-3);
    CHECK_INT(tp_simulation_law_count(s), 1);
    CHECK_INT(tp_simulation_law_force(s, (tp_law_id){scene->model, 0}, force, NULL), TP_OK);
    CHECK_NEAR(force[0], 20.0, 1e-12);
    CHECK_NEAR(force[1], 0.0, 1e-12);
    CHECK_INT(tp_simulation_law_force(s, (tp_law_id){scene->model, 1}, force, NULL), TP_INVALID_ARGUMENT);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

/* Steps of moreau leave a bead on a dome a little above it and going away from it, one in a bowl a little in
   the wall and going into it: both are still pressed with m (g cos -+ v^2/R), up to errors of the scheme, a
   few dt. */
static void check_bead(void **check_state_, const char *solid, double side, int steps)
{
    char text[512];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -10]\n"
             "bodies: [{name: bead, type: point, mass: 2, position: [0, 0, %g], velocity: [0.5, 0, 0],\n"
             "  shapes: [{name: tip, type: point}]}]\n"
             "ground: {shapes: [{name: wall, type: %s, radius: 1}]}\n"
             "contacts: [{name: c, between: [wall, tip]}]\n",
             side, solid);
    tp_scene *scene = scene_of(text);
    tp_simulation_options options = options_of("moreau", time_step, 1.0);
    options.accelerations = true;
    tp_simulation *s = simulate_options(scene->model, options);
    int law = 0; /* the only one */
    for (int step = 0; step < steps; step++) {
        tp_acceleration_info info;
        step_to(s, (step + 1) * time_step);
        const double *q = tp_simulation_q(s), *u = tp_simulation_u(s);
        double v = u[0] * u[0] + u[2] * u[2], tolerance = 10.0 * 20.0 * time_step;
        CHECK_NEAR(tp_simulation_row_force(s, law, 0), 2.0 * side * (10.0 * q[2] - v), tolerance);
        CHECK_NEAR(q[0] * tp_simulation_acceleration(s, 0) + q[2] * tp_simulation_acceleration(s, 2), -v,
                   tolerance);
        CHECK_INT(tp_simulation_accelerations(s, NULL, &info, NULL), TP_OK);
        CHECK(info.is_exact);
    }
    CHECK(isnan(tp_simulation_row_force(s, law, 1)));
    tp_simulation_free(s);
    s = simulation_of(scene, "moreau");
    CHECK(isnan(tp_simulation_acceleration(s, 0))); /* not asked for */
    tp_simulation_free(s);
    tp_scene_free(scene);
}

TEST(a_contact_that_lasts_is_closed_at_states_of_a_run)
{
    check_bead(check_state_, "sphere", 1.0, 250);
    check_bead(check_state_, "inside-sphere", -1.0, 500);
}

/* Once warm, questions take no memory: those with contacts and friction included. */
TEST(accelerations_take_no_memory_once_they_were_found)
{
    static const char text[] =
        "gravity: [3, 0, -8]\n"
        "bodies: [{name: ball, mass: 2, inertia: [0.2, 0.2, 0.2], position: [0, 0, 0.5],\n"
        "  shapes: [{name: sphere, type: sphere, radius: 0.5}]}]\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "contacts: [{name: c, between: [floor, sphere], friction: 0.3}]\n";
    const char *const texts[] = {pendulum, text};
    for (int k = 0; k < 2; k++) {
        tp_scene *scene = scene_of(texts[k]);
        tp_simulation *s = simulation_of(scene, "moreau");
        double a[6];
        for (int step = 0; step < 20; step++) {
#ifdef CAN_COUNT_ALLOCATIONS
            is_counting = step >= 10;
            allocation_count = 0;
#endif
            CHECK_INT(tp_simulation_accelerations(s, a, NULL, NULL), TP_OK);
#ifdef CAN_COUNT_ALLOCATIONS
            CHECK_INT(allocation_count, 0);
            is_counting = 0;
#endif
            step_to(s, (step + 1) * time_step);
        }
        tp_simulation_free(s);
        tp_scene_free(scene);
    }
}

TEST_MAIN(RUNS(sensors_of_a_pendulum_tell_its_closed_forms_under_any_integrator),
          RUNS(accelerations_by_id_are_those_of_the_model),
          RUNS(a_contact_that_lasts_is_closed_at_states_of_a_run),
          RUNS(accelerations_take_no_memory_once_they_were_found),
          RUNS(the_force_of_a_contact_between_shapes_is_found_by_its_number))
