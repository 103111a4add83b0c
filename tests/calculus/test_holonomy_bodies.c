/* Holonomy of constraints between bodies: joints, rolling contacts at rest, formulas over velocities of
   bodies; docs/theory/holonomy.md. The brackets of turning bodies count. */
#include "calculus/parts_of.h"
#include "check.h"
#include "tippe/analysis.h"
#include "tippe/scene.h"

#include <string.h>

typedef struct body_system {
    const char *name, *scene;
    bool with_contacts;
    tp_holonomy_verdict verdict;
    int rank, integrable;
    bool is_exact;
} body_system;

#define BALL                                                                                                 \
    "{name: ball, mass: 1, inertia: [0.004, 0.005, 0.006], position: [0.2, 0.1, 0.1], shapes: [{type: "      \
    "sphere, radius: 0.1}]}"
#define PLANE "ground: {shapes: [{name: floor, type: plane}]}\n"
/* A rolling wheel of a cart: a ball whose turning is held by a hinge. */
#define WHEEL(name, y)                                                                                       \
    "  - {name: " name ", mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, " y                               \
    ", 0.1], shapes: [{type: sphere, radius: 0.1}]}\n"
#define HINGE(name, y)                                                                                       \
    "  - {name: hinge-" name ", type: revolute, bodies: [axle, " name "], point: [0, " y                     \
    ", 0.1], axis: [0, 1, 0]}\n"
#define CAR(name, x)                                                                                         \
    "  - {name: " name ", type: planar, mass: 1, inertia: 1, position: [" x ", 0.2], angle: 0.3}\n"
#define SKATES(name)                                                                                         \
    "  - {name: skate-" name ", velocity: \"" name ".v.x*sin(" name ".phi) - " name ".v.y*cos(" name         \
    ".phi)\"}\n"

static const body_system systems[] = {
    {"ball on a plane",
     "bodies: [" BALL "]\n" PLANE "contacts: [{name: touch, between: [floor, ball], friction: 0.5}]\n", true,
     TP_NONHOLONOMIC, 3, 1, true},
    {"ball on a smooth plane",
     "bodies: [" BALL "]\n" PLANE "contacts: [{name: touch, between: [floor, ball]}]\n", true, TP_HOLONOMIC,
     1, 1, true},
    {"ball that does not drill on a plane",
     "bodies: [" BALL "]\n" PLANE
     "contacts: [{name: touch, between: [floor, ball], friction: 0.5, drilling_radius: 0.01}]\n",
     true, TP_NONHOLONOMIC, 4, 1, true},
    {"unbalanced ball on a plane",
     "bodies: [{name: ball, mass: 1, inertia: [0.004, 0.005, 0.006], center: [0.02, 0.01, 0.03], position: "
     "[0.2, 0.1, 0.1], "
     "shapes: [{type: sphere, radius: 0.1}]}]\n" PLANE
     "contacts: [{name: touch, between: [floor, ball], friction: 0.5}]\n",
     true, TP_NONHOLONOMIC, 3, 1, true},
    {"ball in a bowl",
     "bodies: [{name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, -0.9], shapes: [{type: "
     "sphere, radius: 0.1}]}]\n"
     "ground: {shapes: [{name: bowl, type: inside-sphere, radius: 1}]}\n"
     "contacts: [{name: touch, between: [bowl, ball], friction: 0.5}]\n",
     true, TP_NONHOLONOMIC, 3, 1, true},
    {"ball in a tube",
     "bodies: [{name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.9, 0, 0], shapes: [{type: "
     "sphere, radius: 0.1}]}]\n"
     "ground: {shapes: [{name: tube, type: inside-cylinder, radius: 1}]}\n"
     "contacts: [{name: touch, between: [tube, ball], friction: 0.5}]\n",
     true, TP_NONHOLONOMIC, 3, 1, true},
    {"upright disc on a plane",
     "bodies: [{name: disc, mass: 1, inertia: [0.01, 0.01, 0.02], position: [0, 0, 0.3], orientation: {axis: "
     "[1, 0, 0], angle: "
     "pi/2}, shapes: [{type: cylinder, radius: 0.3, length: 0}]}]\n" PLANE
     "contacts: [{name: touch, between: [floor, disc], friction: 0.5}]\n",
     true, TP_NONHOLONOMIC, 3, 1, true},
    {"wheel on a line",
     "bodies: [{name: wheel, type: planar, mass: 1, inertia: 0.1, position: [0, 0.3], shapes: [{type: "
     "sphere, radius: 0.3}]}]\n"
     "ground: {shapes: [{name: road, type: plane, orientation: {axis: [1, 0, 0], angle: -pi/2}}]}\n"
     "contacts: [{name: touch, between: [road, wheel], friction: 0.5}]\n",
     true, TP_HOLONOMIC, 2, 2, true},
    {"skate of a body", "bodies:\n" CAR("car", "0") "constraints:\n" SKATES("car"), false, TP_NONHOLONOMIC, 1,
     0, true},
    {"skate of a rigid body, in its own directions",
     "bodies: [{name: sled, mass: 1, inertia: [1, 1, 1], orientation: {axis: [1, 2, 3], angle: 0.4}}]\n"
     "constraints: [{name: blade, velocity: \"2*(sled.p1*sled.p2 - sled.p0*sled.p3)*sled.v.x + (sled.p0^2 - "
     "sled.p1^2 + sled.p2^2 - "
     "sled.p3^2)*sled.v.y + 2*(sled.p2*sled.p3 + sled.p0*sled.p1)*sled.v.z\"}]\n",
     false, TP_NONHOLONOMIC, 1, 0, true},
    {"angular velocity in the body's directions held",
     "bodies: [{name: top, mass: 1, inertia: [1, 2, 3]}]\nconstraints: [{name: spin, velocity: "
     "top.omega.z}]\n",
     false, TP_NONHOLONOMIC, 1, 0, true},
    {"two of them held: turning about the third is left",
     "bodies: [{name: top, mass: 1, inertia: [1, 2, 3]}]\nconstraints: [{name: a, velocity: top.omega.x}, "
     "{name: b, velocity: "
     "top.omega.y}]\n",
     false, TP_HOLONOMIC, 2, 2, true},
    {"skate with one trailer",
     "bodies:\n" CAR("car", "0") CAR("t1", "-1") "constraints:\n" SKATES("car")
         SKATES("t1") "joints:\n  - {name: hitch, type: revolute, bodies: [car, t1], point: [-0.5, 0.1]}\n",
     false, TP_NONHOLONOMIC, 4, 2, true},
    {"skate with two trailers",
     "bodies:\n" CAR("car", "0") CAR("t1", "-1") CAR("t2", "-2") "constraints:\n" SKATES("car") SKATES("t1")
         SKATES("t2") "joints:\n  - {name: hitch1, type: revolute, bodies: [car, t1], point: [-0.5, 0.1]}\n"
                      "  - {name: hitch2, type: revolute, bodies: [t1, t2], point: [-1.5, 0.1]}\n",
     false, TP_NONHOLONOMIC, 7, 4, true},
    {"skate with three trailers",
     "bodies:\n" CAR("car", "0") CAR("t1", "-1") CAR("t2", "-2")
         CAR("t3", "-3") "constraints:\n" SKATES("car") SKATES("t1") SKATES("t2") SKATES(
             "t3") "joints:\n  - {name: hitch1, type: revolute, bodies: [car, t1], point: [-0.5, 0.1]}\n"
                   "  - {name: hitch2, type: revolute, bodies: [t1, t2], point: [-1.5, 0.1]}\n"
                   "  - {name: hitch3, type: revolute, bodies: [t2, t3], point: [-2.5, 0.1]}\n",
     false, TP_NONHOLONOMIC, 10, 6, true},
    {"skate on a slider: the heading is held",
     "bodies:\n" CAR("car", "0") "constraints:\n" SKATES(
         "car") "joints: [{name: guide, type: orientation, bodies: [ground, car]}]\n",
     false, TP_HOLONOMIC, 2, 2, true},
    {"wheel pair on a plane",
     "bodies:\n  - {name: axle, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.1]}\n" WHEEL(
         "left", "0.4") WHEEL("right", "-0.4") "joints:\n" HINGE("left", "0.4") HINGE("right", "-0.4") PLANE
     "contacts:\n  - {name: l, between: [floor, left], friction: 0.5}\n  - {name: r, between: [floor, "
     "right], friction: 0.5}\n",
     true, TP_NONHOLONOMIC, 15, 13, true},
    {"ball on a turntable",
     "bodies: [{name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.2, 0.1, 0.1], velocity: "
     "[-0.2, 0.4, 0], "
     "shapes: [{type: sphere, radius: 0.1}]}, {name: table, type: moving, angle: \"2*t + t^2\", shapes: "
     "[{name: top, type: plane}]}]\n"
     "contacts: [{name: touch, between: [top, ball], friction: 0.5}]\n",
     true, TP_NONHOLONOMIC, 3, 1, false},
    {"ball between a floor and a plate that moves",
     "bodies: [" BALL ", {name: plate, type: moving, motion: [\"1 - cos(t)\", \"0\", \"0.2\"], orientation: "
     "{axis: [1, 0, 0], angle: pi}, "
     "shapes: [{name: top, type: plane}]}]\n" PLANE "contacts: [{name: a, between: [floor, ball], friction: "
     "0.5}, {name: b, between: [top, ball], friction: 0.5}]\n",
     true, TP_NONHOLONOMIC, 5, 3, false},
    {"pendulum on a moving support",
     "bodies: [{name: arm, mass: 1, inertia: [1, 1, 1]}, {name: support, type: moving, motion: "
     "[\"0.3*cos(2*t)\", 0, 0.5]}]\n"
     "joints: [{name: hinge, type: revolute, bodies: [support, arm], point: [0, 0, 0.5], axis: [1, 2, "
     "3]}]\n",
     false, TP_HOLONOMIC, 5, 5, true},
    {"screw",
     "bodies: [{name: nut, mass: 1, inertia: [1, 1, 1]}]\njoints: [{name: thread, type: screw, bodies: "
     "[ground, nut], point: [0, 0, 0], axis: "
     "[0, 0, 1], pitch: 0.01}]\n",
     false, TP_HOLONOMIC, 5, 5, true},
    {"box that sticks to the floor",
     "bodies: [{name: box, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.5], shapes: [{type: box, size: "
     "[1, 1, 1]}]}]\n" PLANE "contacts: [{name: touch, between: [floor, box], friction: 0.5}]\n",
     true, TP_HOLONOMIC, 6, 6, true},
    {"motor of given speed",
     "bodies: [{name: arm, mass: 1, inertia: [1, 1, 1]}]\njoints: [{name: hinge, type: revolute, bodies: "
     "[ground, arm], point: [0, 0, 0], axis: [0, 0, "
     "1], motor: {speed: \"sin(t)\"}}]\n",
     false, TP_HOLONOMIC, 6, 6, true},
    /* A board with a wheel truck at each end, which turn against each other by one angle. */
    {"snakeboard of bodies",
     "bodies:\n" CAR(
         "board",
         "0") "  - {name: front, type: planar, mass: 1, inertia: 1, position: [0.9553364891, "
              "0.4955202067], angle: 0.3}\n"
              "  - {name: back, type: planar, mass: 1, inertia: 1, position: [-0.9553364891, "
              "-0.0955202067], angle: 0.3}\n"
              "constraints:\n" SKATES("front") SKATES(
                  "back") "  - {name: trucks, velocity: \"front.omega + back.omega - 2*board.omega\"}\n"
                          "joints:\n  - {name: bow, type: revolute, bodies: [board, front], point: "
                          "[0.9553364891, 0.4955202067]}\n"
                          "  - {name: stern, type: revolute, bodies: [board, back], point: [-0.9553364891, "
                          "-0.0955202067]}\n",
     false, TP_NONHOLONOMIC, 7, 5, true},
    {"bicycle of bodies",
     "bodies:\n" CAR("frame",
                     "0") "  - {name: fork, type: planar, mass: 1, inertia: 1, position: [0.9553364891, "
                          "0.4955202067], angle: 0.5}\n"
                          "constraints:\n" SKATES("frame")
                              SKATES("fork") "joints: [{name: steering, type: revolute, bodies: [frame, "
                                             "fork], point: [0.9553364891, 0.4955202067]}]\n",
     false, TP_NONHOLONOMIC, 4, 2, true},
    {"bicycle of bodies with locked steering: a circle",
     "bodies:\n" CAR("frame",
                     "0") "  - {name: fork, type: planar, mass: 1, inertia: 1, position: [0.9553364891, "
                          "0.4955202067], angle: 0.5}\n"
                          "constraints:\n" SKATES("frame")
                              SKATES("fork") "joints: [{name: steering, type: fixed, bodies: [frame, fork], "
                                             "point: [0.9553364891, 0.4955202067]}]\n",
     false, TP_HOLONOMIC, 5, 5, true},
    {"one of two forms of bodies that are holonomic together",
     "bodies:\n" CAR("a", "0.3") CAR("b", "0.7") "constraints:\n"
                                                 "  - {name: one, velocity: \"b.v.x - a.y*a.v.x + b.v.y\"}\n",
     false, TP_NONHOLONOMIC, 1, 0, true},
    {"both of them: their difference is d(x y)",
     "bodies:\n" CAR("a", "0.3") CAR("b", "0.7") "constraints:\n"
                                                 "  - {name: one, velocity: \"b.v.x - a.y*a.v.x + b.v.y\"}\n"
                                                 "  - {name: two, velocity: \"b.v.y + b.v.x + a.x*a.v.y\"}\n",
     false, TP_HOLONOMIC, 2, 2, true},
    {"disc that leans on a plane",
     "bodies: [{name: disc, mass: 1, inertia: [0.01, 0.01, 0.02], position: [0, 0, 0.2298133329], "
     "orientation: "
     "{axis: [1, 0, 0], angle: 0.8726646260}, shapes: [{type: cylinder, radius: 0.3, length: 0}]}]\n" PLANE
     "contacts: [{name: touch, between: [floor, disc], friction: 0.5}]\n",
     true, TP_NONHOLONOMIC, 3, 1, true},
    {"body that grows and turns, its stretch coupled to its spin",
     "bodies: [{name: blob, type: scalable, mass: 1, inertia: [1, 2, 3]}]\nconstraints: [{name: c, velocity: "
     "\"blob.omega.z - 0.3*blob.nu\"}]\n",
     false, TP_NONHOLONOMIC, 1, 0, true},
};

static tp_scene *scene_of(const body_system *known)
{
    char text[6000];
    tp_scene *scene = NULL;
    tp_message why = {""};
    snprintf(text, sizeof text, "name: s\n%ssimulate: {integrator: moreau, dt: 1e-3, until: 1}\n",
             known->scene);
    if (tp_scene_read_memory(NULL, known->name, text, strlen(text), NULL, 0, &scene, &why) != TP_OK)
        print_error("%s: %s\n", known->name, why.text);
    return scene;
}

static int check_bodies(const body_system *known)
{
    tp_holonomy *holonomy = NULL;
    tp_holonomy_options options = tp_holonomy_options_default();
    options.with_contacts = known->with_contacts;
    tp_scene *scene = scene_of(known);
    if (scene == NULL) return 1;
    if (tp_holonomy_create(NULL, scene->model, &options, &holonomy) != TP_OK) return 1;
    const tp_holonomy_part *part = tp_holonomy_part_at(holonomy, 0);
    bool is_right = part != NULL && tp_holonomy_part_count(holonomy) == 1 &&
                    part->verdict == known->verdict && part->rank == known->rank &&
                    part->integrable_count == known->integrable && part->is_exact == known->is_exact;
    double zero = known->is_exact ? 1e-11 : 1e-8;
    is_right = is_right && (known->verdict == TP_HOLONOMIC ? part->residual < zero && part->bracket < zero
                                                           : part->residual > 1e-3 && part->bracket > 1e-3);
    if (!is_right && part != NULL)
        print_error("%s: %s, %d rows of rank %d, %d free, %d integrable, residual %.3g, bracket %.3g, exact "
                    "%d, points %d and %d\n",
                    known->name, tp_holonomy_verdict_name(part->verdict), part->row_count, part->rank,
                    part->freedom, part->integrable_count, part->residual, part->bracket, part->is_exact,
                    part->point_count, part->singular_count);
    if (!is_right && part == NULL) print_error("%s: no constraints\n", known->name);
    tp_holonomy_free(holonomy);
    tp_scene_free(scene);
    return is_right ? 0 : 1;
}

TEST(systems_of_bodies_come_out)
{
    int wrong = 0;
    for (size_t k = 0; k < sizeof systems / sizeof systems[0]; k++) wrong += check_bodies(&systems[k]);
    CHECK_INT(wrong, 0);
}

/* Largest difference of the derivatives of the rows, exact and by differences, a little beside the start. */
static double distance_of_derivatives(const body_system *known)
{
    tp_scene *scene = scene_of(known);
    tp_arena arena;
    tp_system *system = NULL;
    tp_parts_of parts;
    tp_distribution exact, other;
    double most = 0.0, t = 0.0;
    tp_arena_init(&arena, NULL);
    if (tp_system_create(NULL, scene->model, &system) != TP_OK) fail();
    if (tp_parts_find(&arena, system, known->with_contacts, 1e-6, &parts) != TP_OK) fail();
    const tp_part_of *part = &parts.list[0];
    for (int k = 0; k < 2; k++) {
        if (tp_distribution_create(NULL, &arena, system, part->laws, part->law_count, part->velocities,
                                   part->velocity_count, k == 0 ? &exact : &other) != TP_OK)
            fail();
    }
    double *v = TP_ARENA_ARRAY(&arena, double, exact.width),
           *q = TP_ARENA_ARRAY(&arena, double, system->q_count);
    memcpy(q, system->model->q0, (size_t)system->q_count * sizeof(double));
    for (int a = 0; a < exact.width; a++) v[a] = 0.2 * sin(1.0 + a);
    tp_distribution_move(&exact, t, q);
    tp_distribution_pick(&exact);
    tp_distribution_flow(&exact, v, 8, &t, q, NULL, &arena);
    other.is_exact = false;
    if (!tp_distribution_move(&exact, t, q) || !tp_distribution_move(&other, t, q)) fail();
    if (exact.is_exact != known->is_exact) fail();
    for (int e = 0; e < exact.row_count * exact.width * exact.size; e++)
        most = fmax(most, fabs(exact.D[e] - other.D[e]));
    tp_system_free(system);
    tp_arena_clear(&arena);
    tp_scene_free(scene);
    return most;
}

/* Claim: the derivatives of all rows are exact. Four points with the step 1e-3 leave 1e-12 times fifth
   derivatives of at most some 1e3 (gaps of balls of radius 0.1 in a scene of size 0.3), and rounding 1e-13.
 */
TEST(derivatives_of_rows_match_differences)
{
    for (size_t k = 0; k < sizeof systems / sizeof systems[0]; k++) {
        double distance = distance_of_derivatives(&systems[k]);
        if (distance > 1e-9) print_error("%s: %.3g\n", systems[k].name, distance);
        CHECK(distance <= 1e-9);
    }
}

TEST_MAIN(RUNS(systems_of_bodies_come_out), RUNS(derivatives_of_rows_match_differences))
