/* Potential forces, the law of interaction and viability; docs/theory/holonomy.md (15)-(20). */
#include "check.h"
#include "tippe/analysis.h"
#include "tippe/scene.h"

#include <string.h>

static tp_scene *scene_from(const char *text)
{
    char whole[4000];
    tp_scene *scene = NULL;
    tp_message why = {""};
    snprintf(whole, sizeof whole, "name: s\n%ssimulate: {integrator: moreau, dt: 1e-3, until: 1}\n", text);
    if (tp_scene_read_memory(NULL, "s", whole, strlen(whole), NULL, 0, &scene, &why) != TP_OK) {
        print_error("%s\n%s\n", why.text, text);
        fail();
    }
    return scene;
}

typedef struct force_case {
    const char *name, *scene;
    bool has_potential, has_velocity, has_time, is_damped;
    int broken; /* bits: 1 affine, 2 skew, 4 closed, 8 induction */
} force_case;

#define PLANAR                                                                                               \
    "coordinates: [{name: x, initial: 0.4}, {name: y, initial: 0.2}]\nkinetic: \"x'^2/2 + y'^2/2\"\n"
#define SPACE                                                                                                \
    "coordinates: [{name: x, initial: 0.4}, {name: y, initial: 0.2}, {name: z, initial: 0.3}]\nkinetic: "    \
    "\"x'^2/2 + y'^2/2 + z'^2/2\"\n"

static const force_case cases[] = {
    {"potential", PLANAR "potential: \"x^2*y + sin(y)\"\n", true, false, false, true, 0},
    {"potential in time", PLANAR "potential: \"x^2*y*cos(t)\"\n", true, false, true, true, 0},
    {"Coriolis and centrifugal",
     PLANAR "forces: [{on: x, force: \"2*1.5*y' + 2.25*x\"}, {on: y, force: \"-2*1.5*x' + 2.25*y\"}]\n", true,
     true, false, true, 0},
    {"turning frame that speeds up",
     PLANAR "forces: [{on: x, force: \"2*t*y' + t^2*x + y\"}, {on: y, force: \"-2*t*x' + t^2*y - x\"}]\n",
     true, true, true, true, 0},
    {"without Euler's force",
     PLANAR "forces: [{on: x, force: \"2*t*y' + t^2*x\"}, {on: y, force: \"-2*t*x' + t^2*y\"}]\n", false,
     true, true, true, 8},
    {"damping", PLANAR "dissipation: \"0.3*x'^2\"\n", false, true, false, true, 2},
    {"negative damping", PLANAR "forces: [{on: x, force: \"x'\"}]\n", false, true, false, false, 2},
    {"drag of second degree", PLANAR "forces: [{on: x, force: \"-abs(x')*x'\"}]\n", false, false, false, true,
     1},
    {"swirl", PLANAR "forces: [{on: x, force: \"-y\"}, {on: y, force: x}]\n", false, false, false, true, 8},
    {"magnetic field without sources",
     SPACE "forces: [{on: x, force: \"(2*z)*y' - y*z'\"}, {on: y, force: \"-2*z*x' + x*z'\"}, {on: z, force: "
           "\"y*x' - x*y'\"}]\n",
     false, true, false, true, 4},
    {"magnetic field of a vector potential",
     SPACE "forces: [{on: x, force: \"2*x*y'\"}, {on: y, force: \"-2*x*x'\"}]\n", true, true, false, true, 0},
    {"gravity and a spring between bodies",
     "gravity: [0, 0, -9.81]\nbodies: [{name: a, mass: 1, inertia: [1, 2, 3]}, {name: b, mass: 2, inertia: "
     "[2, 2, 3], position: [1, 0.5, "
     "0.3]}]\nsprings: [{name: s, bodies: [a, b], points: [[0.1, 0.2, 0.3], [-0.1, 0, -0.1]], "
     "stiffness: 40, rest_length: 0.5}]\n",
     true, false, false, true, 0},
    {"the same with a damper",
     "bodies: [{name: a, mass: 1, inertia: [1, 2, 3]}, {name: b, mass: 2, inertia: [2, 2, 3], position: [1, "
     "0.5, "
     "0.3]}]\nsprings: [{name: s, bodies: [a, b], points: [[0.1, 0.2, 0.3], [-0.1, 0, -0.1]], "
     "stiffness: 40, rest_length: 0.5, damping: 2}]\n",
     false, true, false, true, 2},
    {"potential of the attitude",
     "bodies: [{name: a, mass: 1, inertia: [1, 2, 3]}]\npotential: \"a.p1*a.p2 + a.p3^2 + a.x*a.p0\"\n", true,
     false, false, true, 0},
    {"constant moment in the body: no potential",
     "bodies: [{name: a, mass: 1, inertia: [1, 2, 3]}]\nforces: [{body: a, moment: [0, 0, 1], frame: "
     "body}]\n",
     false, false, false, true, 8},
};

TEST(forces_with_and_without_potential_are_told_apart)
{
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const force_case *known = &cases[k];
        tp_scene *scene = scene_from(known->scene);
        tp_force_test test;
        tp_message why = {""};
        if (tp_force_test_model(NULL, scene->model, 4, 1, &test, &why) != TP_OK) {
            print_error("%s: %s\n", known->name, why.text);
            fail();
        }
        int broken = (test.not_affine > 1e-3) + 2 * (test.not_skew > 1e-3) + 4 * (test.not_closed > 1e-3) +
                     8 * (test.induction > 1e-3);
        bool is_right = test.has_potential == known->has_potential &&
                        test.has_velocity == known->has_velocity && test.has_time == known->has_time &&
                        test.is_damped == known->is_damped && broken == known->broken;
        if (!is_right)
            print_error("%s: potential %d velocity %d time %d damped %d; affine %.3g skew %.3g closed %.3g "
                        "induction %.3g\n",
                        known->name, test.has_potential, test.has_velocity, test.has_time, test.is_damped,
                        test.not_affine, test.not_skew, test.not_closed, test.induction);
        CHECK(is_right);
        tp_scene_free(scene);
    }
}

/* Claim: V is the potential of the model, and A gives the forces: here B = 2 x between x and y is d of
   A = (-x y ..., ...) up to a gauge; checked by dA = B with differences of the step 1e-4: 1e-8. */
TEST(potentials_are_found)
{
    tp_scene *scene = scene_from("coordinates: [{name: x, initial: 0.4}, {name: y, initial: 0.2}]\n"
                                 "kinetic: \"x'^2/2 + y'^2/2\"\npotential: \"x^2*y + sin(y)\"\n"
                                 "forces: [{on: x, force: \"2*x*y'\"}, {on: y, force: \"-2*x*x'\"}]\n");
    double V, A[2], up[2], down[2], q[] = {1.1, -0.7};
    const double e = 1e-4;
    CHECK_INT(tp_force_potential(NULL, scene->model, 0.0, q, &V, A, NULL), TP_OK);
    /* Gauss' rule: degree 5 in each of 16 intervals leaves 1e-11 */
    CHECK_NEAR(V, (1.1 * 1.1 * -0.7 + sin(-0.7)) - (0.4 * 0.4 * 0.2 + sin(0.2)), 1e-10);
    double curl = 0.0;
    for (int i = 0; i < 2; i++) { /* dA_y/dx - dA_x/dy */
        double to[] = {q[0] + (i == 0 ? e : 0.0), q[1] + (i == 1 ? e : 0.0)},
               from[] = {q[0] - (i == 0 ? e : 0.0), q[1] - (i == 1 ? e : 0.0)};
        CHECK_INT(tp_force_potential(NULL, scene->model, 0.0, to, &V, up, NULL), TP_OK);
        CHECK_INT(tp_force_potential(NULL, scene->model, 0.0, from, &V, down, NULL), TP_OK);
        curl += (i == 0 ? 1.0 : -1.0) * (up[1 - i] - down[1 - i]) / (2.0 * e);
    }
    CHECK_NEAR(curl, 2.0 * 1.1, 1e-7);
    CHECK_NEAR(A[0] * (q[0] - 0.4) + A[1] * (q[1] - 0.2), 0.0, 1e-14); /* no part along the way */
    tp_scene_free(scene);
}

/* Claim: of bodies that turn, too. */
TEST(the_potential_of_bodies_is_found)
{
    tp_scene *scene = scene_from(
        "gravity: [0, 0, -9.81]\nbodies: [{name: a, mass: 1, inertia: [1, 2, 3]}]\npotential: \"a.p1*a.p2 + "
        "a.p3^2 + a.x*a.p0\"\n");
    double p[] = {0.8, 0.1, -0.3, 0.5}, length = 0.0, V;
    for (int k = 0; k < 4; k++) length += p[k] * p[k];
    for (int k = 0; k < 4; k++) p[k] /= sqrt(length);
    const double q[] = {0.3, 0.2, 0.7, p[0], p[1], p[2], p[3]};
    CHECK_INT(tp_force_potential(NULL, scene->model, 0.0, q, &V, NULL, NULL), TP_OK);
    CHECK_NEAR(V, 9.81 * 0.7 + p[1] * p[2] + p[3] * p[3] + 0.3 * p[0], 1e-10);
    tp_scene_free(scene);
}

TEST(models_that_cannot_be_examined_are_refused)
{
    tp_scene *scene = scene_from("coordinates: [x]\nvelocities: [v]\nrates: {x: v}\nmass: [[1]]\n");
    tp_force_test test;
    tp_message why = {""};
    CHECK_INT(tp_force_test_model(NULL, scene->model, 4, 1, &test, &why), TP_UNSUPPORTED);
    CHECK(strstr(why.text, "velocities of its own") != NULL);
    CHECK_INT(tp_force_test_model(NULL, NULL, 4, 1, &test, &why), TP_INVALID_ARGUMENT);
    tp_scene_free(scene);
}

/* Claim G5: joints and distances between bodies are interactions; a constraint between coordinates alone has
   a moment that nothing carries; a gear between shafts in the ground is held by the ground. */
TEST(laws_of_interaction_are_checked)
{
    tp_scene *scene =
        scene_from("bodies: [{name: a, mass: 1, inertia: [1, 2, 3]}, {name: b, mass: 2, inertia: [2, 2, 3], "
                   "position: [1, 0.5, 0.3]}]\n"
                   "joints: [{name: ball, type: spherical, bodies: [a, b], point: [0.4, 0.1, 0.2]}]\n"
                   "constraints: [{name: level, position: \"a.z - b.z + 0.3\"}, {name: rod, position: "
                   "\"hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z) "
                   "- sqrt(1.34)\"}]\n");
    tp_interaction_test tests[8];
    CHECK_INT(tp_interaction_test_model(NULL, scene->model, 8, tests), 3);
    for (int k = 0; k < 3; k++) {
        bool is_level = strcmp(tests[k].name, "level") == 0;
        CHECK_INT(tests[k].is_internal, !is_level);
        CHECK_INT(tests[k].body_count, 2);
        CHECK_NEAR(tests[k].force, 0.0, 1e-12);
        /* one unit up at a, one down at b, sqrt(1 + 0.25) apart, over both forces and the size of the scene
         */
        if (is_level) CHECK(tests[k].moment > 0.1);
    }
    tp_scene_free(scene);
}

/* ---- viability ---- */

static tp_viability viability_of(const tp_scene *scene, const double *u)
{
    tp_viability viability;
    if (tp_viability_find(NULL, scene->model, 0.0, NULL, u, 1e-9, &viability) != TP_OK) fail();
    return viability;
}

#define FLOOR "coordinates: [{name: x}, {name: y}]\nkinetic: \"x'^2 + y'^2/2\"\n"

/* Claim (3.13): forward and backward consistency of a ball on the floor that rises, falls or rests. */
TEST(contacts_that_approach_or_part_are_seen)
{
    tp_scene *scene = scene_from(FLOOR "contacts: [{name: floor, gap: y}, {name: wall, gap: \"1 - x\"}]\n");
    static const struct {
        double u[2];
        bool forward, backward;
    } states[] = {{{0.3, 0.0}, true, true}, {{0.3, 0.5}, true, false}, {{0.3, -0.5}, false, true}};
    for (int k = 0; k < 3; k++) {
        tp_viability v = viability_of(scene, states[k].u);
        CHECK_INT(v.contact_count, 2);
        CHECK_INT(v.is_inside, true);
        CHECK_INT(v.is_forward, states[k].forward);
        CHECK_INT(v.is_backward, states[k].backward);
        CHECK_INT(v.is_possible, true);
        CHECK_INT(v.locked_count, 0);
        CHECK_INT(v.contacts[0].is_active, true);
        CHECK_INT(v.contacts[1].is_active, false);
        /* the nearest admissible velocity: what falls stops, with the impulse m |y'| */
        CHECK_NEAR(v.velocity[0], 0.3, 1e-14);
        CHECK_NEAR(v.velocity[1], fmax(states[k].u[1], 0.0), 1e-12);
        CHECK_NEAR(v.contacts[0].share, fmax(-states[k].u[1], 0.0), 1e-12);
        tp_viability_free(&v);
    }
    tp_scene_free(scene);
}

/* Claim (3.9): a body between two walls is locked; walls that close in leave no velocity, and the proof is
   one of each: W lambda = 0. Penetration is not inside. */
TEST(locked_and_impossible_states_are_proved)
{
    tp_scene *locked = scene_from(
                 FLOOR
                 "contacts: [{name: left, gap: x}, {name: right, gap: \"-x\"}, {name: floor, gap: y}]\n"),
             *crushed = scene_from(
                 FLOOR "contacts: [{name: left, gap: \"x - t\"}, {name: right, gap: \"-x - 2*t\"}]\n"),
             *wedge = scene_from(FLOOR /* of half a degree: it can leave upwards */
                                 "contacts: [{name: left, gap: x}, {name: right, gap: \"0.01*y - x\"}]\n"),
             *deep = scene_from(FLOOR "contacts: [{name: floor, gap: \"y - 0.1\"}]\n"),
             *clutch = scene_from(FLOOR "laws: [{name: sprag, kind: one-way, velocity: \"x'\"}]\n");
    tp_viability v = viability_of(locked, NULL);
    CHECK_INT(v.locked_count, 2);
    CHECK_INT(v.is_possible, true);
    tp_viability_free(&v);
    v = viability_of(wedge, NULL);
    CHECK_INT(v.locked_count, 0);
    tp_viability_free(&v);
    v = viability_of(crushed, NULL);
    CHECK_INT(v.is_possible, false);
    CHECK(v.velocity == NULL);
    CHECK_NEAR(v.contacts[0].share, v.contacts[1].share, 1e-10);
    CHECK(v.contacts[0].share > 0.1);
    tp_viability_free(&v);
    v = viability_of(deep, NULL);
    CHECK_INT(v.is_inside, false);
    tp_viability_free(&v);
    v = viability_of(clutch, (const double[]){-0.4, 0.0}); /* a velocity law is always active */
    CHECK_INT(v.is_forward, false);
    CHECK_INT(v.is_backward, true);
    CHECK_NEAR(v.velocity[0], 0.0, 1e-12);
    CHECK_NEAR(v.contacts[0].share, 2.0 * 0.4, 1e-12);
    tp_viability_free(&v);
    v = viability_of(clutch,
                     (const double[]){0.4, 0.0}); /* it has no gap that could have been negative before */
    CHECK(v.is_forward && v.is_backward);
    tp_viability_free(&v);
    tp_scene_free(locked);
    tp_scene_free(crushed);
    tp_scene_free(wedge);
    tp_scene_free(deep);
    tp_scene_free(clutch);
}

/* Tolerances of lengths are relative to the size of the scene, here 100 m; those of angles are absolute. */
TEST(tolerances_of_angles_do_not_grow_with_the_scene)
{
    static const char bar[] = "bodies: [{name: bar, type: planar, mass: 1, inertia: 1, position: [100, 0]},\n"
                              "         {name: far, type: planar, mass: 1, inertia: 1, position: [0, 0]}]\n";
    char text[800];
    static const struct {
        double angle, height;
        bool is_inside;
    } states[] = {{0.0, 0.0, true}, {3e-9, 0.0, false}, {0.0, 3e-9, true}, {0.0, 3e-7, false}};
    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text,
                 "%sjoints: [{name: hinge, type: revolute, bodies: [ground, bar], point: [100, 0],\n"
                 "          limits: {lower: %g}}]\n"
                 "contacts: [{name: floor, gap: \"bar.y - %g\"}]\n",
                 bar, states[k].angle, states[k].height);
        tp_scene *limited = scene_from(text);
        tp_viability v = viability_of(limited, NULL);
        CHECK_INT(v.is_inside, states[k].is_inside);
        tp_viability_free(&v);
        tp_scene_free(limited);
        snprintf(text, sizeof text,
                 "%sjoints: [{name: weld, type: fixed, bodies: [ground, bar], point: [100, 0]}]\n", bar);
        tp_scene *fixed = scene_from(text);
        const double q[] = {100.0, states[k].height, states[k].angle, 0.0, 0.0, 0.0};
        CHECK_INT(tp_viability_find(NULL, fixed->model, 0.0, q, NULL, 1e-9, &v), TP_OK);
        CHECK_INT(v.is_inside, states[k].is_inside);
        tp_viability_free(&v);
        tp_scene_free(fixed);
    }
}

/* Claim (Farkas): the change of the velocity is M^-1 W lambda with lambda >= 0, complementary to the rows; on
   random corners of walls with a constraint. */
TEST(the_nearest_velocity_obeys_farkas)
{
    check_random random = {5};
    for (int round = 0; round < 20; round++) {
        char text[1500];
        int at = snprintf(text, sizeof text,
                          "coordinates: [{name: a}, {name: b}, {name: c}, {name: d}]\nkinetic: \"a'^2/2 + "
                          "b'^2 + 3*c'^2/2 + d'^2/2 + a'*b'/3\"\n"
                          "constraints: [{name: k, position: \"c - 0.3*d\"}]\ncontacts:\n");
        double w[5][4];
        for (int k = 0; k < 5; k++) {
            for (int i = 0; i < 4; i++) w[k][i] = check_uniform(&random, -1.0, 1.0);
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "  - {name: g%d, gap: \"%.17g*a + (%.17g)*b + (%.17g)*c + (%.17g)*d\"}\n", k,
                           w[k][0], w[k][1], w[k][2], w[k][3]);
        }
        tp_scene *scene = scene_from(text);
        double u[4] = {check_uniform(&random, -1.0, 1.0), check_uniform(&random, -1.0, 1.0), 0.0,
                       check_uniform(&random, -1.0, 1.0)};
        u[2] = 0.3 * u[3];
        tp_viability v = viability_of(scene, u);
        CHECK_INT(v.is_possible, true);
        double d[4], W[4] = {0}, power = 0.0;
        for (int i = 0; i < 4; i++) d[i] = v.velocity[i] - u[i];
        const double momentum[] = {d[0] + d[1] / 3.0, 2.0 * d[1] + d[0] / 3.0, 3.0 * d[2], d[3]};
        for (int k = 0; k < 5; k++) {
            double rate = 0.0;
            for (int i = 0; i < 4; i++) {
                rate += w[k][i] * v.velocity[i];
                W[i] += w[k][i] * v.contacts[k].share;
            }
            CHECK(rate >= -1e-10 && v.contacts[k].share >= 0.0);
            power += fabs(rate * v.contacts[k].share);
        }
        CHECK_NEAR(power, 0.0, 1e-9);
        CHECK_NEAR(v.velocity[2], 0.3 * v.velocity[3], 1e-10);
        CHECK_NEAR(momentum[0], W[0], 1e-9); /* c and d also feel the constraint */
        CHECK_NEAR(momentum[1], W[1], 1e-9);
        CHECK_NEAR(0.3 * (momentum[2] - W[2]) + (momentum[3] - W[3]), 0.0, 1e-9);
        tp_viability_free(&v);
        tp_scene_free(scene);
    }
}

TEST_MAIN(RUNS(forces_with_and_without_potential_are_told_apart), RUNS(potentials_are_found),
          RUNS(the_potential_of_bodies_is_found), RUNS(models_that_cannot_be_examined_are_refused),
          RUNS(laws_of_interaction_are_checked), RUNS(contacts_that_approach_or_part_are_seen),
          RUNS(locked_and_impossible_states_are_proved),
          RUNS(tolerances_of_angles_do_not_grow_with_the_scene), RUNS(the_nearest_velocity_obeys_farkas))
