/* Reduction to minimal coordinates; docs/theory/holonomy.md (13), (14). */
#include "models.h"
#include "tippe/analysis.h"
#include "tippe/scene.h"
#include "tippe/state.h"

static tp_scene *scene_from(const char *text)
{
    char whole[4000];
    snprintf(whole, sizeof whole, "name: s\n%ssimulate: {integrator: moreau, dt: 1e-3, until: 1}\n", text);
    return scene_of(whole);
}

static tp_reduction *reduction_of(const tp_scene *scene)
{
    tp_reduction *reduction = NULL;
    tp_message why = {""};
    if (tp_reduction_create(NULL, scene->model, NULL, 0, &reduction, &why) != TP_OK) fail_msg("%s", why.text);
    return reduction;
}

/* Pendulum of length 2 and mass 3 in x, y; starts at 30 degrees. */
#define PENDULUM                                                                                             \
    "parameters: {m: 3, l: 2, g: 9.81}\ncoordinates: [{name: x, initial: \"l*sin(pi/6)\"}, {name: y, "       \
    "initial: \"-l*cos(pi/6)\"}]\n"                                                                          \
    "initial: {\"x'\": \"0.7*cos(pi/6)\", \"y'\": \"0.7*sin(pi/6)\"}\n"                                      \
    "kinetic: \"m*(x'^2 + y'^2)/2\"\npotential: \"m*g*y\"\n"

typedef struct reduced_system {
    const char *name, *scene, *coordinate; /* the first of the minimal ones */
    int count;
} reduced_system;

static const reduced_system systems[] = {
    {"pendulum", PENDULUM "constraints: [{name: rod, position: \"sqrt(x^2 + y^2) - l\"}]\n", "x", 1},
    {"pendulum as a velocity", PENDULUM "constraints: [{name: rod, velocity: \"x*x' + y*y'\"}]\n", "x", 1},
    {"bead on a turning hoop",
     "coordinates: [{name: x, initial: 0.6}, {name: y}, {name: z, initial: -0.8}]\ninitial: {\"x'\": 0.4, "
     "\"y'\": 1.2, \"z'\": 0.3}\n"
     "kinetic: \"(x'^2 + y'^2 + z'^2)/2\"\npotential: \"9.81*z\"\nconstraints:\n"
     "  - {name: sphere, position: \"(x^2 + y^2 + z^2 - 1)/2\"}\n  - {name: hoop, position: \"x*sin(2*t) - "
     "y*cos(2*t)\"}\n",
     NULL, 1},
    {"disc that rolls on a line",
     "coordinates: [{name: x, velocity: 0.4}, {name: ph, velocity: 0.8}]\nkinetic: \"3*x'^2/2 + "
     "0.2*ph'^2\"\npotential: \"2*x^2\"\n"
     "constraints: [{name: roll, velocity: \"x' - 0.5*ph'\"}]\n",
     "ph", 1},
    {"double pendulum of bodies",
     "gravity: [0, 0, -9.81]\nbodies:\n"
     "  - {name: arm, mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.5, 0, 0]}\n"
     "  - {name: hand, mass: 0.7, inertia: [0.05, 0.1, 0.08], position: [1.5, 0.1, 0]}\n"
     "joints:\n  - {name: shoulder, type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, "
     "0.1]}\n"
     "  - {name: elbow, type: revolute, bodies: [arm, hand], point: [1, 0, 0], axis: [0.2, 1, 0]}\n",
     "shoulder.angle", 2},
    {"four-bar linkage",
     "gravity: [0, -9.81, 0]\nbodies:\n"
     "  - {name: crank, type: planar, mass: 1, inertia: 0.1, position: [0.1, 0.4], angle: 1.3}\n"
     "  - {name: rod, type: planar, mass: 2, inertia: 0.3, position: [0.9, 1.1]}\n"
     "  - {name: rocker, type: planar, mass: 1, inertia: 0.2, position: [1.8, 0.6]}\n"
     "joints:\n  - {name: a, type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
     "  - {name: b, type: revolute, bodies: [crank, rod], point: [0.2, 0.8]}\n"
     "  - {name: c, type: revolute, bodies: [rod, rocker], point: [1.7, 1.3]}\n"
     "  - {name: d, type: revolute, bodies: [ground, rocker], point: [2, 0]}\n",
     NULL, 1},
    {"pendulum on a moving support",
     "gravity: [0, 0, -9.81]\nbodies:\n  - {name: arm, mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.5, "
     "0, 0]}\n"
     "  - {name: cart, type: moving, motion: [\"0.3*cos(2*t) - 0.3\", 0, \"0.2*t^2\"]}\n"
     "joints: [{name: hinge, type: revolute, bodies: [cart, arm], point: [0, 0, 0], axis: [0, 1, 0]}]\n",
     "hinge.angle", 1},
    {"slider on a turning arm",
     "gravity: [0, 0, -9.81]\nbodies:\n"
     "  - {name: arm, mass: 1, inertia: [0.1, 0.2, 0.15]}\n"
     "  - {name: slider, mass: 0.7, inertia: [0.05, 0.1, 0.08], position: [0.8, 0.1, 0]}\n"
     "joints:\n  - {name: pivot, type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, "
     "0.1]}\n"
     "  - {name: slide, type: prismatic, bodies: [arm, slider], point: [0.5, 0, 0], axis: [1, 0.2, 0]}\n",
     "pivot.angle", 2},
    {"ball joint: one rod of a spatial crank",
     "gravity: [0, 0, -9.81]\nbodies:\n  - {name: crank, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, "
     "0.1, 0]}\n"
     "  - {name: slider, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.8, 0, 0.2]}\n"
     "joints:\n  - {name: bearing, type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [1, 0, "
     "0]}\n"
     "  - {name: guide, type: prismatic, bodies: [ground, slider], point: [0.8, 0, 0.2], axis: [1, 0, 0]}\n"
     "  - {name: rod, type: distance, bodies: [crank, slider], point: [0, 0.2, 0], point_b: [0.8, 0, 0.2]}\n",
     NULL, 1},
};
enum { SYSTEM_COUNT = sizeof systems / sizeof systems[0] };

/* Acceleration of a minimal coordinate in the constrained system: of a joint, or of a velocity. */
static double acceleration_of(tp_simulation *simulation, const tp_model *model, const char *name,
                              const double *all)
{
    char joint[40], rate[40];
    const char *dot = strchr(name, '.');
    snprintf(rate, sizeof rate, "%s'", name);
    if (dot == NULL) return all[tp_model_find_velocity(model, rate)];
    snprintf(joint, sizeof joint, "%.*s", (int)(dot - name), name);
    tp_joint_state state;
    double acceleration[3];
    tp_message why = {""};
    if (tp_simulation_joint_now(simulation, tp_model_joint_named(model, joint), &state, acceleration, &why) !=
        TP_OK)
        fail_msg("%s: %s", name, why.text);
    return acceleration[0];
}

enum { MINIMAL_MAX = 8 };

typedef struct reduced_state {
    double t;
    const double *y, *rate, *acceleration;
} reduced_state;

/* Differences of the lifted velocities along the reduced motion, by four points, are the accelerations of the
   whole. */
static void check_lifted(const char *name, tp_reduction *reduction, int velocity_count,
                         const reduced_state *at, const double *full)
{
    static const double offset[] = {1.0, -1.0, 2.0, -2.0}, weight[] = {8.0, -8.0, -1.0, 1.0};
    const double e = 1e-3;
    double lifted[40] = {0.0};
    for (int k = 0; k < 4; k++) {
        double dt = offset[k] * e, moved[MINIMAL_MAX], faster[MINIMAL_MAX], q[40], u[40];
        for (int i = 0; i < tp_reduction_count(reduction); i++) {
            moved[i] = at->y[i] + dt * at->rate[i] + 0.5 * dt * dt * at->acceleration[i];
            faster[i] = at->rate[i] + dt * at->acceleration[i];
        }
        if (tp_reduction_lift(reduction, at->t + dt, moved, faster, q, u) != TP_OK) fail_msg("%s", name);
        for (int j = 0; j < velocity_count; j++) lifted[j] += weight[k] * u[j] / (12.0 * e);
    }
    for (int j = 0; j < velocity_count; j++) {
        if (fabs(lifted[j] - full[j]) > 1e-8 * (1.0 + fabs(full[j])))
            fail_msg("%s: acceleration %d is %.12g, not %.12g", name, j, lifted[j], full[j]);
    }
}

/* Accelerations of the constrained system, from a simulation put into a state. */
static tp_simulation *put_into(const tp_scene *scene, const double *q, const double *u, double *full)
{
    tp_simulation_options options = tp_simulation_options_default();
    options.time_step = 1e-3;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    tp_restart state;
    if (tp_simulation_create(NULL, scene->model, &options, &simulation, &why) != TP_OK)
        fail_msg("%s", why.text);
    tp_simulation_checkpoint(simulation, &state);
    state.q = q;
    state.u = u;
    if (tp_simulation_restore(simulation, &state, &why) != TP_OK ||
        tp_simulation_accelerations(simulation, full, NULL, &why) != TP_OK)
        fail_msg("%s", why.text);
    return simulation;
}

/* Claim (G9): the accelerations in minimal coordinates are those of the constrained system: at the start, and
   at states that the reduction itself reaches. Both are exact but for rounding: sums of at most 100 products
   in matrices whose condition is below 1e4. */
TEST(minimal_coordinates_have_the_accelerations_of_the_constrained_system)
{
    for (int s = 0; s < SYSTEM_COUNT; s++) {
        tp_scene *scene = scene_from(systems[s].scene);
        tp_reduction *reduction = reduction_of(scene);
        tp_model_summary summary = tp_model_summarise(scene->model);
        int n = tp_reduction_count(reduction);
        double y[4], rate[4], a[4], q[40], u[40], full[40];
        if (n != systems[s].count || (systems[s].coordinate != NULL &&
                                      strcmp(tp_reduction_name(reduction, 0), systems[s].coordinate) != 0))
            fail_msg("%s: %d coordinates, the first is %s", systems[s].name, n,
                     tp_reduction_name(reduction, 0));
        tp_reduction_start(reduction, y, rate);
        for (int k = 0; k < n; k++) rate[k] += 0.3; /* moving */
        CHECK_INT(tp_reduction_evaluate(reduction, 0.0, y, rate, NULL, NULL, a), TP_OK);
        CHECK_INT(tp_reduction_lift(reduction, 0.0, y, rate, q, u), TP_OK);
        tp_simulation *simulation = put_into(scene, q, u, full);
        for (int k = 0; k < n; k++) {
            double expected =
                acceleration_of(simulation, scene->model, tp_reduction_name(reduction, k), full);
            if (fabs(a[k] - expected) > 1e-11 * (1.0 + fabs(expected)))
                fail_msg("%s: %s'' is %.15g, not %.15g", systems[s].name, tp_reduction_name(reduction, k),
                         a[k], expected);
        }
        check_lifted(systems[s].name, reduction, summary.velocity_count, &(reduced_state){0.0, y, rate, a},
                     full);
        tp_simulation_free(simulation);
        tp_reduction_free(reduction);
        tp_scene_free(scene);
    }
}

/* Claim (3.8, G9): the pendulum in x is the pendulum by its angle: y'' of x = l sin a from a'' = -g/l sin a.
 */
TEST(the_pendulum_in_minimal_coordinates_is_the_one_by_its_angle)
{
    for (int s = 0; s < 2; s++) {
        tp_scene *scene = scene_from(systems[s].scene);
        tp_reduction *reduction = reduction_of(scene);
        const double l = 2.0, m = 3.0, angle = 0.9, speed = -0.8, pull = -9.81 / l * sin(angle);
        double y = l * sin(angle), rate = l * cos(angle) * speed, M, f, a, q[2], u[2];
        CHECK_INT(tp_reduction_evaluate(reduction, 0.0, &y, &rate, &M, &f, &a), TP_OK);
        /* of the velocity constraint positions come from a path: fourth order, steps of 0.02 */
        double tolerance = s == 0 ? 1e-12 : 1e-7;
        CHECK_NEAR(a, l * cos(angle) * pull - l * sin(angle) * speed * speed, 20.0 * tolerance);
        CHECK_NEAR(M, m / (cos(angle) * cos(angle)), 10.0 * tolerance);
        CHECK_NEAR(f, M * a, 100.0 * tolerance);
        CHECK_INT(tp_reduction_lift(reduction, 0.0, &y, &rate, q, u), TP_OK);
        CHECK_NEAR(q[1], -l * cos(angle), tolerance);
        CHECK_NEAR(u[1], l * sin(angle) * speed, 10.0 * tolerance);
        y = 2.1; /* beyond the rod: no such position */
        if (s == 0) CHECK_INT(tp_reduction_lift(reduction, 0.0, &y, &rate, q, u), TP_SINGULAR);
        tp_reduction_free(reduction);
        tp_scene_free(scene);
    }
}

/* Claim: the reduced model can be simulated as any other. Motions without constraints need none of their
   drift: with the same explicit scheme and step, the double pendulum of bodies (its joints corrected on
   positions) and its reduction differ by the error of first order, which halves with the step. */
static double distance_after(const char *text, double dt, double end)
{
    tp_scene *scene = scene_from(text);
    tp_reduction *reduction = reduction_of(scene);
    tp_model *model = NULL;
    tp_message why = {""};
    if (tp_reduction_model(reduction, NULL, &model, &why) != TP_OK) fail_msg("%s", why.text);
    tp_simulation *whole = simulate(scene->model, dt, end), *small = simulate(model, dt, end);
    run(whole);
    run(small);
    tp_restart a, b;
    tp_simulation_checkpoint(whole, &a);
    tp_simulation_checkpoint(small, &b);
    double q[40], u[40], most = 0.0;
    if (tp_reduction_lift(reduction, end, b.q, b.u, q, u) != TP_OK) fail();
    for (int j = 0; j < a.u_count; j++) most = fmax(most, fabs(u[j] - a.u[j]));
    tp_simulation_free(whole);
    tp_simulation_free(small);
    tp_model_free(model);
    tp_reduction_free(reduction);
    tp_scene_free(scene);
    return most;
}

TEST(a_reduced_model_runs_as_the_constrained_one)
{
    UNUSED_STATE;
    static const int chosen[] = {0, 4};
    for (size_t k = 0; k < sizeof chosen / sizeof chosen[0]; k++) {
        const char *scene = systems[chosen[k]].scene;
        double coarse = distance_after(scene, 4e-3, 0.04), fine = distance_after(scene, 2e-3, 0.04);
        if (!(fine < 0.02 && coarse / fine > 1.6 && coarse / fine < 2.6))
            fail_msg("%s: %.3g then %.3g", systems[chosen[k]].name, coarse, fine);
    }
}

/* At (0.3, 0.1, 0.5), with the angular velocity (0.3, 1, 2). */
#define TOP(velocity)                                                                                        \
    "gravity: [0, 0, -9.81]\nbodies: [{name: top, mass: 2, inertia: [0.1, 0.2, 0.15], position: [0.3, 0.1, " \
    "0.5], angular_velocity: [0.3, 1, 2], velocity: [" velocity "]}]\n"

/* Claim: a body that turns freely, or about a ball joint, has the turn from its start for coordinates, which
   serve for less than a whole turn: at turns of 0.1 to 5 rad their accelerations are those of the whole, to
   the four digits less that they lose near 2 pi. */
TEST(bodies_that_turn_freely_have_their_turn_for_coordinates)
{
    static const struct {
        const char *name, *scene;
        int count;
    } turning[] = {
        {"free body", TOP("0.5, 0, 1"), 6},
        {"top on a ball joint",
         TOP("0.3, 0.45, -0.27") "joints: [{name: foot, type: spherical, bodies: [ground, top], point: [0, "
                                 "0, 0]}]\n",
         3},
        {"top whose tip moves in a plane",
         TOP("0.5, 0, 0") "constraints: [{name: plane, position: \"top.z - 0.5\"}]\n", 5},
    };
    for (size_t s = 0; s < sizeof turning / sizeof turning[0]; s++) {
        tp_scene *scene = scene_from(turning[s].scene);
        tp_reduction *reduction = reduction_of(scene);
        int n = tp_reduction_count(reduction);
        CHECK_INT(n, turning[s].count);
        for (double angle = 0.1; angle < 5.5; angle += 0.7) {
            const double axis[] = {0.48, 0.6, -0.64};
            double y[MINIMAL_MAX], rate[MINIMAL_MAX], a[MINIMAL_MAX], q[40], u[40], full[40];
            tp_reduction_start(reduction, y, rate);
            for (int k = 0; k < n; k++) {
                rate[k] = 0.3 + 0.1 * k;
                const char *turn = strstr(tp_reduction_name(reduction, k), "turn.");
                if (turn != NULL) y[k] = angle * axis[turn[5] - 'x'];
            }
            CHECK_INT(tp_reduction_lift(reduction, 0.0, y, rate, q, u), TP_OK);
            CHECK_INT(tp_reduction_evaluate(reduction, 0.0, y, rate, NULL, NULL, a), TP_OK);
            tp_simulation_free(put_into(scene, q, u, full));
            check_lifted(turning[s].name, reduction, 6, &(reduced_state){0.0, y, rate, a}, full);
        }
        tp_reduction_free(reduction);
        double coarse = distance_after(turning[s].scene, 4e-3, 0.04),
               fine = distance_after(turning[s].scene, 2e-3, 0.04);
        if (!(fine < 0.02 && coarse / fine > 1.6 && coarse / fine < 2.6))
            fail_msg("%s: %.3g then %.3g", turning[s].name, coarse, fine);
        tp_scene_free(scene);
    }
}

/* Claim: contacts, friction and laws on velocities stay in the model of minimal coordinates. Velocities after
   impacts, slips and stops differ from those of the whole by its drift and by where an impact falls in its
   step, at most a step of the acceleration 10: without the law by what it changes, 0.3 at least. */
TEST(contacts_and_friction_stay_in_the_reduced_model)
{
    static const char *const laws[] = {
        PENDULUM "constraints: [{name: rod, position: \"sqrt(x^2 + y^2) - l\"}]\n"
                 "contacts: [{name: wall, gap: \"1.05 - x\", restitution: 0.5}]\n",
        "coordinates: [x, {name: y, initial: 0.02}, z]\nkinetic: \"(x'^2 + y'^2 + z'^2)/2\"\n"
        "potential: 9.81*y\nconstraints: [{name: guide, position: \"z - x^2/4\"}]\n"
        "contacts: [{name: floor, gap: y, slip: \"x'\", friction: 0.3}]\ninitial: {x': 1}\n",
        "coordinates: [x, z]\nkinetic: \"(x'^2 + z'^2)/2\"\nconstraints: [{name: guide, position: \"z - "
        "x/2\"}]\nlaws: [{name: brake, kind: friction, velocity: \"x'\", bound: 3}]\n"
        "initial: {x': 1, z': 0.5}\n"};
    for (int k = 0; k < 3; k++) {
        double off = distance_after(laws[k], 5e-4, 0.3);
        CHECK(off <= 10.0 * 5e-4);
    }
}

TEST(what_has_no_minimal_coordinates_is_refused_with_the_reason)
{
    static const struct {
        const char *scene, *reason;
        tp_status status;
    } refused[] = {
        {"coordinates: [x, y, {name: th, initial: 0.3}]\nkinetic: \"x'^2 + y'^2 + th'^2\"\nconstraints: "
         "[{name: skate, velocity: \"x'*sin(th) - "
         "y'*cos(th)\"}]\n",
         "'skate' are nonholonomic", TP_UNSUPPORTED},
        {"bodies: [{name: stone, type: scalable, mass: 1, inertia: [1, 2, 3]}]\n", "turns freely",
         TP_UNSUPPORTED},
        {"coordinates: [x]\nvelocities: [v]\nrates: {x: v}\nmass: [[1]]\n", "velocities of its own",
         TP_UNSUPPORTED},
    };
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        tp_scene *scene = scene_from(refused[k].scene);
        tp_reduction *reduction = NULL;
        tp_message why = {""};
        CHECK_INT(tp_reduction_create(NULL, scene->model, NULL, 0, &reduction, &why), refused[k].status);
        CHECK(reduction == NULL && strstr(why.text, refused[k].reason) != NULL);
        tp_scene_free(scene);
    }
    tp_scene *scene = scene_from(systems[4].scene);
    tp_reduction *reduction = NULL;
    tp_message why = {""};
    CHECK_INT(tp_reduction_create(NULL, scene->model, (const char *[]){"elbow.angle"}, 1, &reduction, &why),
              TP_INVALID_DATA);
    CHECK(strstr(why.text, "1 more") != NULL);
    CHECK_INT(tp_reduction_create(NULL, scene->model, (const char *[]){"elbow.angle", "arm.z"}, 2, &reduction,
                                  &why),
              TP_OK);
    CHECK_INT(tp_reduction_count(reduction), 2);
    tp_reduction_free(reduction);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(minimal_coordinates_have_the_accelerations_of_the_constrained_system),
          RUNS(the_pendulum_in_minimal_coordinates_is_the_one_by_its_angle),
          RUNS(a_reduced_model_runs_as_the_constrained_one),
          RUNS(bodies_that_turn_freely_have_their_turn_for_coordinates),
          RUNS(contacts_and_friction_stay_in_the_reduced_model),
          RUNS(what_has_no_minimal_coordinates_is_refused_with_the_reason))
