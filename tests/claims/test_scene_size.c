/* Claim: tolerances of gaps are relative to the size of the scene, so that a scene in millimetres or
   kilometres moves as the same scene in metres; docs/theory/simulation.md (1). A gap of 1e-12 m once closed
   contacts of toys that had not arrived and opened those of large machines by rounding. */
#include "simulations.h"

#include <math.h>

/* Scenes with all lengths in multiples of L; masses and times stay. So gravity is multiplied by L, moments of
   inertia by L^2, forces by L; stiffnesses of springs in N/m stay. */
static const char boxes[] =
    "parameters: {L: 1}\n"
    "gravity: [0, 0, \"-9.81*L\"]\n"
    "ground: {shapes: [{type: plane, orientation: {axis: [0, 1, 0], angle: 0.1}}]}\n"
    "bodies:\n"
    "  - {name: a, mass: 2, inertia: [\"0.03*L^2\", \"0.03*L^2\", \"0.03*L^2\"], position: [\"0.05*L\", 0, "
    "\"0.21*L\"], orientation: {axis: [0, 1, 0], angle: 0.1}, shapes: [{type: box, size: [\"0.3*L\", "
    "\"0.3*L\", \"0.3*L\"]}]}\n"
    "  - {name: b, mass: 1, inertia: [\"0.01*L^2\", \"0.01*L^2\", \"0.01*L^2\"], position: [\"0.08*L\", 0, "
    "\"0.6*L\"], angular_velocity: [0, 1, 0.5], shapes: [{type: sphere, radius: \"0.15*L\"}]}\n"
    "contacts: [{name: floor, among: [a, b, ground], friction: 0.3, restitution: 0.2}]\n";
static const char limits[] =
    "parameters: {L: 1}\n"
    "gravity: [0, \"-9.81*L\", 0]\n"
    "bodies:\n"
    "  - {name: arm, type: planar, mass: 2, inertia: \"0.04*L^2\", position: [\"0.25*L\", 0]}\n"
    "  - {name: slide, type: planar, mass: 1, inertia: \"0.01*L^2\", position: [\"0.9*L\", 0]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, bodies: [ground, arm], frame: world, point: [0, 0],\n"
    "     limits: {lower: -1, restitution: 0.5}}\n"
    "  - {name: rail, type: prismatic, bodies: [ground, slide], frame: world, point: [\"0.9*L\", 0],\n"
    "     axis: [0, 1], limits: {lower: \"-0.3*L\", restitution: 0.3}}\n"
    "springs: [{name: band, bodies: [arm, slide], stiffness: 20, damping: 0.5, rest_length: \"0.5*L\"}]\n";
static const char rolling[] =
    "parameters: {L: 1}\n"
    "gravity: [\"1*L\", 0, \"-9.81*L\"]\n"
    "ground: {shapes: [{type: inside-cylinder, radius: \"1*L\", orientation: {axis: [1, 0, 0], angle: "
    "\"pi/2\"}}]}\n"
    "bodies:\n"
    "  - {name: ball, mass: 1, inertia: [\"0.016*L^2\", \"0.016*L^2\", \"0.016*L^2\"], position: [0, 0, "
    "\"-0.8*L\"], velocity: [\"0.5*L\", 0, 0], shapes: [{type: sphere, radius: \"0.2*L\"}]}\n"
    "contacts: [{name: pipe, between: [ground, ball], friction: 0.2}]\n";

static tp_scene *scaled(const char *text, double L)
{
    char edit[64];
    const char *edits[] = {edit};
    tp_scene *scene = NULL;
    tp_message why = {""};
    snprintf(edit, sizeof edit, "parameters.L=%.17g", L);
    if (tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), edits, 1, &scene, &why) != TP_OK)
        fail_msg("%s", why.text);
    return scene;
}

/* Whether a coordinate or velocity is a length or a speed, by its unit. */
static bool is_length(const char *unit)
{
    return strcmp(unit, "m") == 0 || strcmp(unit, "m/s") == 0;
}

/* Compares two runs step by step: which contacts are closed, and the motion, where lengths of the second are
   L times those of the first. */
static void check_same_motion(void **check_state_, const char *text, const char *integrator, double L,
                              double most, int steps)
{
    tp_scene *scene[2] = {scaled(text, 1.0), scaled(text, L)};
    tp_simulation *s[2];
    tp_model_summary summary = tp_model_summarise(scene[0]->model);
    CHECK_NEAR(tp_model_summarise(scene[1]->model).size, L * summary.size, 1e-13 * L);
    for (int k = 0; k < 2; k++) s[k] = simulate_with(scene[k]->model, integrator, 2e-3, 2.0);
    int closed = 0;
    for (int n = 1; n <= steps; n++) {
        tp_restart at[2];
        for (int k = 0; k < 2; k++) {
            step_to(s[k], n * 2e-3);
            tp_simulation_checkpoint(s[k], &at[k]);
        }
        for (int i = 0; i < at[0].law_count; i++) CHECK_INT(at[0].is_closed[i], at[1].is_closed[i]);
        CHECK_INT(at[0].contact_count, at[1].contact_count);
        for (int i = 0; i < at[0].contact_count; i++) {
            CHECK_INT(at[0].contacts[i].shape_b, at[1].contacts[i].shape_b);
            CHECK_INT(at[0].contacts[i].feature, at[1].contacts[i].feature);
        }
        closed += tp_simulation_last_step(s[0])->contact_count;
        for (int j = 0; j < at[0].q_count; j++) {
            double unit = is_length(tp_model_coordinate_unit(scene[0]->model, j)) ? L : 1.0;
            CHECK_NEAR(at[1].q[j] / unit, at[0].q[j], most);
        }
        for (int j = 0; j < at[0].u_count; j++) {
            double unit = is_length(tp_model_velocity_unit(scene[0]->model, j)) ? L : 1.0;
            CHECK_NEAR(at[1].u[j] / unit, at[0].u[j], most);
        }
    }
    CHECK(closed > 0);
    for (int k = 0; k < 2; k++) {
        tp_simulation_free(s[k]);
        tp_scene_free(scene[k]);
    }
}

/* Rounding differs between units: velocities of some m/s and rad/s with errors of the solver's tolerance,
   1e-14 a step, that 600 steps of a motion without chaos enlarge by their number at most. Where a joint holds
   lengths and angles in one problem, its error weighs them by their numbers: at 1e-3 m angles are 1000 times
   less exact beside speeds of 1e-3 m/s, and at an impact more. */
TEST(a_scene_in_millimetres_or_kilometres_moves_as_in_metres)
{
    static const struct {
        const char *text;
        double most;
    } all[] = {{boxes, 1e-11}, {rolling, 1e-11}, {limits, 1e-7}};
    static const double units[] = {1e3, 1e-3};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
            check_same_motion(check_state_, all[i].text, "moreau", units[k], all[i].most, 600);
            check_same_motion(check_state_, all[i].text, "moreau-jean", units[k], all[i].most, 600);
        }
    }
}

/* A power of 2 changes no rounding: the same bits, at a millionth and a million times the size. With 1e-12 m
   a box at rest would be thrown off at the one and held before it arrives at the other. */
TEST(a_unit_that_is_a_power_of_two_gives_the_same_bits)
{
    static const double units[] = {0x1p20, 0x1p-20};
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        check_same_motion(check_state_, boxes, "moreau", units[k], 0.0, 600);
        check_same_motion(check_state_, rolling, "moreau", units[k], 0.0, 600);
    }
}

/* ---- the size ---- */

static double size_of(const char *text)
{
    tp_scene *scene = scene_of(text);
    double size = tp_model_summarise(scene->model).size;
    tp_scene_free(scene);
    return size;
}

TEST(the_size_is_the_farthest_of_what_bodies_carry_from_their_middle)
{
    CHECK_NEAR(size_of("bodies: [{name: a, type: point, mass: 1, position: [3, 4, 0]}]\n"), 5.0 / 64.0,
               1e-15); /* a point has no size, but its position is rounded */
    CHECK_NEAR(size_of("bodies: [{name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 2], shapes:\n"
                       "  [{type: box, size: [2, 4, 4], position: [0, 0, 1]}]}]\n"),
               4.0, 1e-15); /* a corner, from the centre of mass: 1 + 3 */
    CHECK_NEAR(
        size_of(
            "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
            "joints: [{name: j, type: spherical, bodies: [ground, a], frame: world, point: [7, 0, 0]}]\n"),
        7.0, 1e-15);
    CHECK_NEAR(
        size_of("bodies: [{name: a, mass: 1, inertia: [1, 1, 1], shapes: [{type: sphere, radius: 0.5}]}]\n"
                "ground: {shapes: [{type: plane, position: [100, 0, -2]}]}\n"),
        2.0, 1e-15); /* how far the plane is, not where a point of it was given */
    CHECK_NEAR(
        size_of("bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
                "springs: [{name: s, bodies: [ground, a], points: [[0, 3, 0], [0, 0, 0]], stiffness: 1}]\n"),
        3.0, 1e-15);
    /* nothing has a length: 1 m */
    CHECK(size_of("bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n") == 1.0);
    CHECK(size_of("coordinates: [{name: x, initial: 30}]\nkinetic: \"x'^2\"\n") == 1.0);
}

/* A ball at rest a little above a plane: closed within the tolerance times the size, here that of a position
   1000 m from the origin, 1000/64 m, open beyond; an angle knows no size. */
TEST(contacts_close_within_the_tolerance_times_the_size)
{
    static const struct {
        double gap;
        bool is_closed;
    } all[] = {{0.9e-9 / 64.0, true}, {1.1e-9 / 64.0, false}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "bodies: [{name: a, type: point, mass: 1, position: [1000, 0, %.17g], shapes: [{type: point}]}]\n"
            "ground: {shapes: [{type: plane}]}\n"
            "contacts: [{name: floor, between: [ground, a]}]\n",
            all[k].gap);
        tp_scene *scene = scene_of(text);
        static const char *const names[] = {"moreau", "moreau-jean", "consistent-two-step"};
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            tp_simulation *simulation = simulate_with(scene->model, names[i], 1e-3, 1.0);
            step_to(simulation, 1e-3);
            tp_restart now;
            tp_simulation_checkpoint(simulation, &now);
            CHECK(now.is_closed[0] == all[k].is_closed);
            tp_simulation_free(simulation);
        }
        tp_topology *topology = NULL;
        CHECK_INT(tp_topology_create(NULL, scene->model, 1e-12, &topology), TP_OK);
        CHECK(tp_topology_interaction(topology, 0).is_closed == all[k].is_closed);
        tp_topology_free(topology);
        tp_scene_free(scene);
    }
    tp_scene *scene = scene_of("bodies: [{name: a, type: planar, mass: 1, inertia: 1, position: [1000, 0]}]\n"
                               "joints: [{name: h, type: revolute, bodies: [ground, a], frame: world, point: "
                               "[1000, 0], limits: {upper: "
                               "1e-11}}]\n");
    tp_simulation *simulation = simulate_with(scene->model, "moreau", 1e-3, 1.0);
    step_to(simulation, 1e-3);
    CHECK_INT(tp_simulation_last_step(simulation)->contact_count, 0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_scene_in_millimetres_or_kilometres_moves_as_in_metres),
          RUNS(a_unit_that_is_a_power_of_two_gives_the_same_bits),
          RUNS(the_size_is_the_farthest_of_what_bodies_carry_from_their_middle),
          RUNS(contacts_close_within_the_tolerance_times_the_size))
