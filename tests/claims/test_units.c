/* Claim: every row of a law is a length or an angle, and nothing reports one as the other: units of columns,
   of `check`, of messages, and the figures of a run; docs/output.md. Limits of hinges were once gaps in m
   with impulses in N s, and their overshoot counted as penetration. */
#include "simulations.h"

#include <math.h>

static int law_of(const tp_simulation *simulation, const char *name)
{
    char found[200];
    for (int i = 0; i < tp_simulation_law_count(simulation); i++) {
        tp_simulation_law_name(simulation, i, found, sizeof found);
        if (strcmp(found, name) == 0) return i;
    }
    fail_msg("no law %s", name);
    return -1;
}

/* All shapes are near by a tolerance of the size of the scene. */
static tp_simulation *with_all_contacts(tp_scene *scene)
{
    tp_simulation *simulation = NULL;
    scene->options.contact_tolerance = 1.0;
    if (tp_simulation_create(NULL, scene->model, &scene->options, &simulation, NULL) != TP_OK) fail();
    return simulation;
}

/* rows: one letter each, m for a length, r for an angle. */
static void check_rows(void **check_state_, const tp_simulation *simulation, const char *name,
                       const char *rows)
{
    static const char *const length[] = {"m", "m/s", "N", "N s"}, *const angle[] = {"rad", "rad/s", "N m",
                                                                                    "N m s"};
    int law = law_of(simulation, name), count = (int)strlen(rows);
    for (int k = 0; k < count; k++) {
        for (int q = 0; q < TP_LAW_QUANTITY_COUNT; q++) {
            const char *unit = tp_simulation_law_unit(simulation, law, k, (tp_law_quantity)q),
                       *expected = rows[k] == 'r' ? angle[q] : length[q];
            if (unit == NULL || strcmp(unit, expected) != 0)
                print_error("%s row %d: %s, expected %s\n", name, k, unit ? unit : "none", expected);
            CHECK(unit != NULL && strcmp(unit, expected) == 0);
        }
    }
    CHECK(tp_simulation_law_unit(simulation, law, count, TP_LAW_POSITION) == NULL); /* no further rows */
}

TEST(joints_limits_motors_couplers_and_frictions_have_their_units)
{
    tp_scene *scene = scene_of(
        "bodies:\n"
        "  - {name: a, mass: 1, inertia: [1, 1, 1], shapes: [{type: sphere, radius: 0.5}]}\n"
        "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
        "  - {name: c, mass: 1, inertia: [1, 1, 1], position: [4, 0, 0], shapes: [{type: sphere, radius: "
        "0.5}]}\n"
        "ground: {shapes: [{type: plane, position: [0, 0, -1]}]}\n"
        "joints:\n"
        "  - {name: hinge, type: revolute, bodies: [ground, a], frame: world, point: [0, 0, 0],\n"
        "     axis: [0, 0, 1], limits: {lower: -1, upper: 1}, friction: {bound: 1}}\n"
        "  - {name: rail, type: prismatic, bodies: [ground, b], frame: world, point: [2, 0, 0],\n"
        "     axis: [0, 0, 1], limits: {lower: -1}, friction: {bound: 1}}\n"
        "  - {name: ball, type: spherical, bodies: [b, c], frame: world, point: [3, 0, 0], friction: {bound: "
        "1}}\n"
        "  - {name: drum, type: cylindrical, bodies: [ground, c], frame: world, point: [4, 0, 0],\n"
        "     axis: [0, 0, 1], motor: [{name: spin, coordinate: angle, speed: 1, force: 2},\n"
        "     {name: push, coordinate: displacement, speed: 1, force: 2}]}\n"
        "couplers:\n"
        "  - {name: gear, terms: [{joint: hinge, factor: 2}, {joint: drum, coordinate: angle, factor: -1}]}\n"
        "  - {name: rack, terms: [{joint: hinge, factor: 0.1}, {joint: rail, factor: -1}]}\n"
        "contacts:\n"
        "  - {name: rolls, between: [a, ground], friction: 0.3, rolling: 0.01}\n"
        "  - {name: drills, between: [c, ground], friction: 0.3, drilling_radius: 0.01}\n"
        "simulate: {project_initial_state: true}\n");
    tp_simulation *simulation = with_all_contacts(scene);
    check_rows(check_state_, simulation, "hinge", "mmmrr");
    check_rows(check_state_, simulation, "hinge.limit.lower", "r");
    check_rows(check_state_, simulation, "hinge.limit.upper", "r");
    check_rows(check_state_, simulation, "hinge.friction", "r");
    check_rows(check_state_, simulation, "rail.limit", "m");
    check_rows(check_state_, simulation, "rail.friction", "m");
    check_rows(check_state_, simulation, "ball", "mmm");
    check_rows(check_state_, simulation, "ball.friction", "rrr");
    check_rows(check_state_, simulation, "spin", "r");
    check_rows(check_state_, simulation, "push", "m");
    check_rows(check_state_, simulation, "gear", "r");
    check_rows(check_state_, simulation, "rack", "m");
    check_rows(check_state_, simulation, "rolls", "mmmrr");
    check_rows(check_state_, simulation, "drills", "mmmm"); /* the drilling row is scaled to a length */
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(rows_of_formulas_have_the_unit_of_their_coordinates_or_the_one_that_is_said)
{
    tp_scene *scene = scene_of(
        "parameters: {r: 2}\n"
        "coordinates: [{name: x, unit: m}, {name: phi, unit: rad}, {name: psi, unit: rad}, {name: w}]\n"
        "bodies: [{name: arm, type: planar, mass: 1, inertia: 1, position: [1, 0]}]\n"
        "joints: [{name: hinge, type: revolute, bodies: [ground, arm], frame: world, point: [0, 0]}]\n"
        "kinetic: \"x'^2 + phi'^2 + psi'^2 + w'^2\"\n"
        "contacts:\n"
        "  - {name: a, gap: \"1 + x\"}\n"
        "  - {name: b, gap: \"1 - phi\"}\n"
        "  - {name: c, gap: \"1 + psi - 2*phi\", slip: phi', friction: 0.1}\n"
        "  - {name: d, gap: \"1 + r*sin(phi)\"}\n"
        "  - {name: e, gap: \"1 + x - r*phi\"}\n"
        "  - {name: f, gap: \"1 + w\"}\n"
        "  - {name: g, gap: \"1 + w\", unit: rad}\n"
        "  - {name: h, gap: \"1 + phi\", unit: m}\n"
        "  - {name: i, gap: \"2 - hinge.angle\"}\n"
        "  - {name: j, gap: \"2 - abs(arm.phi)\"}\n"
        "  - {name: k, gap: \"2 - atan2(x, 1)\"}\n"
        "constraints: [{name: l, velocity: \"phi' - psi'\"}, {name: m, velocity: \"x' - r*phi'\"},\n"
        "  {name: n, velocity: \"w'\", unit: rad}]\n"
        "laws: [{name: o, kind: one-way, velocity: phi'}, {name: p, kind: limited, velocity: arm.omega,\n"
        "  lower: -1, upper: 1}, {name: q, kind: one-way, velocity: \"r*phi'\"}]\n");
    static const struct {
        const char *name, *rows;
    } all[] = {{"a", "m"}, {"b", "r"}, {"c", "rr"}, {"d", "m"}, {"e", "m"}, {"f", "m"},
               {"g", "r"}, {"h", "m"}, {"i", "r"},  {"j", "r"}, {"k", "r"}, {"l", "r"},
               {"m", "m"}, {"n", "r"}, {"o", "r"},  {"p", "r"}, {"q", "m"}};
    tp_simulation *simulation = with_all_contacts(scene);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        check_rows(check_state_, simulation, all[k].name, all[k].rows);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Bars of mass m and inertia I about their centres move across a pin at the distance d and do not turn. What
   brings them onto the pin keeps the angular momentum about it: omega = m d v/(I + m d^2), in all units of
   length. The least change of numbers made 1e-3 rad/s of it in mm and 1e3 m/s in km. 160 bars have more rows
   than are treated densely. */
TEST(an_initial_state_moves_onto_its_joints_alike_in_all_units)
{
    const double m = 2.0, I = 0.3, d = 0.5, v = 1.5, omega = m * d * v / (I + m * d * d);
    static const double units[] = {1.0, 1e3, 1e-3}; /* in a metre */
    static const int counts[] = {1, 160};
    for (int k = 0; k < 6; k++) {
        const double unit = units[k % 3];
        const int count = counts[k / 3];
        char text[700];
        snprintf(text, sizeof text,
                 "bodies: [{repeat: {i: %d}, name: \"b{i}\", type: planar, mass: %.17g, inertia: %.17g,\n"
                 "  position: [%.17g, 0], velocity: [0, %.17g]}]\n"
                 "joints: [{repeat: {i: %d}, name: \"j{i}\", type: revolute, bodies: [ground, \"b{i}\"],\n"
                 "  point: [0, 0]}]\n"
                 "simulate: {project_initial_state: true}\n",
                 count, m, I * unit * unit, d * unit, v * unit, count);
        tp_scene *scene = scene_of(text);
        tp_simulation *simulation = simulate_options(scene->model, scene->options);
        const double *u = tp_simulation_u(simulation);
        for (int i = 0; i < count; i++) {
            CHECK_NEAR(u[3 * i + 2], omega, 1e-12 * omega);
            CHECK_NEAR(u[3 * i + 1], omega * d * unit, 1e-12 * omega * d * unit);
        }
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* Bodies of 10 rad/s and 10 m/s run against limits: what the step goes too far is an angle of the one and a
   penetration of the other, at most a step each. */
TEST(overshoot_of_an_angle_is_no_penetration)
{
    const double dt = 1e-3;
    tp_scene
        *turning = scene_of(
            "bodies: [{name: arm, type: planar, mass: 2, inertia: 0.1, angular_velocity: 10}]\n"
            "joints: [{name: hinge, type: revolute, bodies: [ground, arm], frame: world, point: [0, 0],\n"
            "  limits: {upper: 1.0004}}]\n"),
        *sliding = scene_of(
            "bodies: [{name: arm, type: planar, mass: 2, inertia: 0.1, velocity: [10, 0]}]\n"
            "joints: [{name: rail, type: prismatic, bodies: [ground, arm], frame: world, point: [0, 0],\n"
            "  axis: [1, 0], limits: {upper: 1.0004}}]\n");
    tp_simulation *a = simulate_with(turning->model, "moreau", dt, 0.2),
                  *b = simulate_with(sliding->model, "moreau", dt, 0.2);
    run(a);
    run(b);
    CHECK(tp_simulation_report(a)->limit_angle > 0.0 && tp_simulation_report(a)->limit_angle <= 10.0 * dt);
    CHECK(tp_simulation_report(a)->penetration == 0.0);
    CHECK(tp_simulation_report(b)->penetration > 0.0 && tp_simulation_report(b)->penetration <= 10.0 * dt);
    CHECK(tp_simulation_report(b)->limit_angle == 0.0);
    CHECK(tp_simulation_last_step(a)->limit_angle == tp_simulation_report(a)->limit_angle);
    tp_simulation_free(a);
    tp_simulation_free(b);
    tp_scene_free(turning);
    tp_scene_free(sliding);
}

/* A start that is off by an angle, and one that is off by a length. */
TEST(errors_of_the_start_are_told_by_their_units)
{
    tp_scene *scene = scene_of(
        "bodies: [{name: arm, type: planar, mass: 2, inertia: 0.1, angular_velocity: 1e-12}]\n"
        "joints: [{name: rail, type: prismatic, bodies: [ground, arm], frame: world, point: [0, 0],\n"
        "  axis: [1, 0]}]\n");
    tp_model_summary summary = tp_model_summarise(scene->model);
    CHECK_NEAR(summary.angular_velocity_error, 1e-12, 1e-20);
    CHECK(summary.velocity_error == 0.0 && summary.position_error == 0.0 && summary.angle_error == 0.0);
    tp_scene_free(scene);
    static const char off[] =
        "bodies: [{name: arm, type: planar, mass: 2, inertia: 0.1, angular_velocity: 3}]\n"
        "joints: [{name: rail, type: prismatic, bodies: [ground, arm], frame: world, point: [0, 0],\n"
        "  axis: [1, 0]}]\n";
    tp_message why = {""};
    CHECK(tp_scene_read_memory(NULL, "s.yaml", off, strlen(off), NULL, 0, &scene, &why) == TP_INVALID_DATA);
    CHECK(strstr(why.text, "by 3 rad/s") != NULL);
}

TEST(a_sensor_of_a_gap_has_its_unit)
{
    tp_scene *scene = scene_of("coordinates: [{name: x, unit: m}, {name: phi, unit: rad}]\n"
                               "kinetic: \"x'^2 + phi'^2\"\n"
                               "contacts: [{name: a, gap: \"1 + x\"}, {name: b, gap: \"1 + phi\"}]\n"
                               "sensors: [{name: ga, contact: a, quantity: gap}, {name: gb, contact: b, "
                               "quantity: gap}, {name: fb, contact: b, quantity: force}]\n");
    CHECK(strcmp(tp_model_sensor_unit(scene->model, 0), "m") == 0);
    CHECK(strcmp(tp_model_sensor_unit(scene->model, 1), "rad") == 0);
    CHECK(strcmp(tp_model_sensor_unit(scene->model, 2), "N m") == 0);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(joints_limits_motors_couplers_and_frictions_have_their_units),
          RUNS(an_initial_state_moves_onto_its_joints_alike_in_all_units),
          RUNS(rows_of_formulas_have_the_unit_of_their_coordinates_or_the_one_that_is_said),
          RUNS(overshoot_of_an_angle_is_no_penetration), RUNS(errors_of_the_start_are_told_by_their_units),
          RUNS(a_sensor_of_a_gap_has_its_unit))
