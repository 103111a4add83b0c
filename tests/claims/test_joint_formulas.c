/* Claim: coordinates of joints and their rates stand in every formula, with all derivatives and with turns
   counted; docs/guide/formulas.md, docs/theory/joints.md (21)-(23). Forces, potentials and dissipation were
   once read before the joints and called them unknown names, and angles were principal values. */
#include "simulations.h"

#include <math.h>

/* A pendulum in space on a cylindrical joint that winds a torsion spring, slides against another spring along
   its axis, and is damped; once with springs of the joint and once in formulas. It turns more than twice. */
#define WOUND_HEAD                                                                                           \
    "gravity: [0, 0, -3]\n"                                                                                  \
    "parameters: {k: 0.15, c: 0.02, s: 40, d: 0.3}\n"                                                        \
    "bodies:\n"                                                                                              \
    "  - {name: arm, mass: 2, inertia: [0.1, 0.12, 0.03], position: [0.5, 0, 0], velocity: [0, 0.4, -5],\n"  \
    "     angular_velocity: [0, 10, 0]}\n"                                                                   \
    "joints:\n"                                                                                              \
    "  - {name: hinge, type: cylindrical, bodies: [ground, arm], frame: world, point: [0, 0, 0],\n"
static const char with_springs[] =
    WOUND_HEAD "     axis: [0, 1, 0], spring: [{coordinate: angle, stiffness: k, damping: c},\n"
               "     {coordinate: displacement, stiffness: s, damping: d}]}\n"
               "sensors: [{name: turned, joint: hinge, coordinate: angle, quantity: coordinate}]\n";
static const char with_formulas[] =
    WOUND_HEAD "     axis: [0, 1, 0]}\n"
               "definitions: {power: \"c*hinge.angle'^2 + d*hinge.displacement'^2\"}\n"
               "potential: \"1/2*k*hinge.angle^2 + 1/2*s*hinge.displacement^2\"\n"
               "dissipation: \"1/2*power\"\n"
               "sensors: [{name: turned, value: hinge.angle}]\n";

static bool may_be_affine(const char *integrator)
{
    static const char *const names[] = {"consistent", "consistent-elastic", "consistent-two-step",
                                        "consistent-hybrid"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strcmp(names[k], integrator) == 0) return true;
    }
    return false;
}

static double turned_by(tp_simulation *simulation)
{
    return tp_simulation_sensor(simulation, 0);
}

/* The same forces, so the same steps up to rounding and to what the solvers leave: 200 steps with residuals
   of about 1e-13. */
TEST(a_potential_and_a_dissipation_of_a_joint_are_its_spring_and_damper_in_every_integrator)
{
    const double dt = 8e-3, end = 1.6;
    for (int i = 0; i < tp_integrator_count(); i++) {
        const char *name = tp_integrator_info_at(i)->name;
        for (int is_affine = 0; is_affine <= may_be_affine(name); is_affine++) {
            tp_scene *scene[2] = {scene_of(with_springs), scene_of(with_formulas)};
            tp_simulation *s[2];
            for (int k = 0; k < 2; k++) {
                tp_simulation_options options = options_of(name, dt, end);
                options.consistent.bodies = is_affine ? TP_CONSISTENT_AFFINE : TP_CONSISTENT_SCALABLE;
                s[k] = simulate_options(scene[k]->model, options);
                run(s[k]);
            }
            for (int j = 0; j < 7; j++) CHECK_NEAR(tp_simulation_q(s[0])[j], tp_simulation_q(s[1])[j], 1e-9);
            for (int j = 0; j < 6; j++) CHECK_NEAR(tp_simulation_u(s[0])[j], tp_simulation_u(s[1])[j], 1e-9);
            CHECK_NEAR(turned_by(s[1]), turned_by(s[0]), 1e-9);
            CHECK(turned_by(s[1]) > 9.0); /* past pi and past 2 pi */
            for (int k = 0; k < 2; k++) {
                tp_simulation_free(s[k]);
                tp_scene_free(scene[k]);
            }
        }
    }
}

/* ---- the same pendulum in one coordinate ---- */

static const char pendulum_of_bodies[] =
    "gravity: [0, -3, 0]\n"
    "bodies: [{name: arm, type: planar, mass: 2, inertia: 0.12, position: [0.5, 0], velocity: [0, 5],\n"
    "  angular_velocity: 10}]\n"
    "joints: [{name: hinge, type: revolute, bodies: [ground, arm], frame: world, point: [0, 0]}]\n"
    "potential: \"0.075*hinge.angle^2 + 0.2*cos(3*hinge.angle)\"\n"
    "dissipation: \"0.01*hinge.angle'^2\"\n"
    "forces: [{body: arm, moment: \"0.3*sin(hinge.angle)*hinge.angle'\"}]\n"
    "sensors: [{name: turned, value: hinge.angle}]\n";
static const char pendulum_of_one_coordinate[] =
    "coordinates: [{name: phi, velocity: 10}]\n"
    "kinetic: \"1/2*(0.12 + 2*0.5^2)*phi'^2\"\n"
    "potential: \"2*3*0.5*sin(phi) + 0.075*phi^2 + 0.2*cos(3*phi)\"\n"
    "dissipation: \"0.01*phi'^2\"\n"
    "forces: {phi: \"0.3*sin(phi)*phi'\"}\n"
    "sensors: [{name: turned, value: phi}]\n";

static double angle_at_end(const char *text, const char *integrator, double dt)
{
    tp_scene *scene = scene_of(text);
    tp_simulation *simulation = simulate_with(scene->model, integrator, dt, 1.6);
    run(simulation);
    double angle = turned_by(simulation);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return angle;
}

/* Both converge in the second order: a and b with steps dt and dt/2 extrapolate to (4b - a)/3 with an error
   of the fourth, (omega dt)^2 |b - a| with omega up to 30/s: 4e-3 of it. */
TEST(the_pendulum_of_bodies_moves_as_that_of_one_coordinate)
{
    static const char *const names[] = {"consistent", "consistent-quaternion", "schatzman-paoli"};
    const double dt = 2e-3;
    double a = angle_at_end(pendulum_of_one_coordinate, "moreau-jean", dt),
           b = angle_at_end(pendulum_of_one_coordinate, "moreau-jean", 0.5 * dt), exact = (4.0 * b - a) / 3.0,
           left = 4e-3 * fabs(b - a);
    CHECK(exact > 4.0); /* past pi */
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        a = angle_at_end(pendulum_of_bodies, names[k], dt);
        b = angle_at_end(pendulum_of_bodies, names[k], 0.5 * dt);
        CHECK(fabs(a - exact) < 1e-2); /* the motion, not only its limit */
        CHECK_NEAR((4.0 * b - a) / 3.0, exact, left + 4e-3 * fabs(b - a));
    }
}

/* ---- energy ---- */

static const char conservative[] =
    "gravity: [0, -3, 1]\n"
    "bodies:\n"
    "  - {name: arm, mass: 2, inertia: [0.1, 0.12, 0.13], position: [0.5, 0, 0], velocity: [0, 5, 0],\n"
    "     angular_velocity: [0, 0, 10]}\n"
    "  - {name: leg, mass: 1, inertia: [0.1, 0.12, 0.13], position: [1.5, 0, 0], velocity: [0, 15, 0],\n"
    "     angular_velocity: [0, 0, 10]}\n"
    "joints:\n"
    "  - {name: hip, type: revolute, bodies: [ground, arm], frame: world, point: [0, 0, 0], axis: [0, 0, "
    "1]}\n"
    "  - {name: knee, type: universal, bodies: [arm, leg], frame: world, point: [1, 0, 0], axis: [0, 0, 1],\n"
    "     second_axis: [0, 1, 0]}\n"
    "potential: [\"0.3*hip.angle^2*(1 + 0.1*knee.angle1^2)\", \"0.4*cos(2*knee.angle1 - hip.angle)\",\n"
    "  \"3*knee.angle2^2\"]\n";

/* The energy stays to rounding of steps that are solved to rounding: 200 steps, energies of 150 J. */
TEST(consistent_steps_keep_the_energy_of_potentials_of_joints)
{
    static const char *const names[] = {"consistent",          "consistent-position",   "consistent-elastic",
                                        "consistent-two-step", "consistent-quaternion", "consistent-hybrid"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        tp_scene *scene = scene_of(conservative);
        tp_simulation *simulation = simulate_with(scene->model, names[k], 1e-2, 2.0);
        run(simulation);
        double before = tp_simulation_report(simulation)->energy_initial;
        CHECK_NEAR(tp_simulation_report(simulation)->energy_final, before, 1e-11 * fabs(before));
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* ---- gaps and constraints ---- */

/* An angle that stops at 7 rad, past a whole turn, and sticks there: as a limit of the joint and as a gap. A
   principal value would never come near. */
#define STOP_HEAD                                                                                            \
    "bodies: [{name: arm, type: planar, mass: 2, inertia: 0.12, position: [0.5, 0], velocity: [0, 5],\n"     \
    "  angular_velocity: 10}]\n"                                                                             \
    "joints: [{name: hinge, type: revolute, bodies: [ground, arm], frame: world, point: [0, 0]"
TEST(a_gap_of_an_angle_is_a_limit_that_counts_turns)
{
    static const char *const texts[] = {
        STOP_HEAD ", limits: {upper: 7}}]\nsensors: [{name: turned, value: hinge.angle}]\n",
        STOP_HEAD "}]\ncontacts: [{name: stop, gap: \"7 - hinge.angle\"}]\n"
                  "sensors: [{name: turned, value: hinge.angle}]\n"};
    static const char *const names[] = {"moreau", "moreau-jean", "schatzman-paoli", "consistent-two-step"};
    const double dt = 1e-3, speed = 10.0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (int k = 0; k < 2; k++) {
            tp_scene *scene = scene_of(texts[k]);
            tp_simulation *simulation = simulate_with(scene->model, names[i], dt, 1.0);
            run(simulation);
            /* stopped within a step of 7, and nothing moves any more */
            CHECK_NEAR(turned_by(simulation), 7.0, 1.5 * speed * dt);
            CHECK_NEAR(tp_simulation_u(simulation)[2], 0.0, 1e-9);
            tp_simulation_free(simulation);
            tp_scene_free(scene);
        }
    }
}

/* A constraint on the rate of an angle is a motor of that speed: 3 rad/s from the first step on. */
TEST(a_constraint_on_the_rate_of_an_angle_is_a_motor)
{
    tp_scene *scene = scene_of(
        "bodies: [{name: arm, mass: 2, inertia: [0.1, 0.12, 0.13], position: [0.5, 0, 0],\n"
        "  velocity: [0, 1.5, 0], angular_velocity: [0, 0, 3]}]\n"
        "joints: [{name: hinge, type: revolute, bodies: [ground, arm], frame: world, point: [0, 0, 0], axis: "
        "[0, 0, 1]}]\n"
        "constraints: [{name: motor, velocity: \"hinge.angle' - 3\"}]\n"
        "forces: [{body: arm, force: [0, \"-4*hinge.angle'\", 0]}]\n"
        "sensors: [{name: turned, value: hinge.angle}]\n");
    tp_simulation *simulation = simulate_with(scene->model, "moreau", 1e-2, 3.0);
    run(simulation);
    /* second order in dt: the midpoint rule turns by 2 atan(omega dt/2) in a step, off by (omega dt)^3/12 */
    CHECK_NEAR(turned_by(simulation), 9.0, 300.0 * pow(3e-2, 3.0) / 12.0 + 1e-9);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* A restart in the middle of the winding gives the same bits: turns are in the state. */
TEST(turns_in_formulas_survive_a_restart)
{
    tp_scene *scene = scene_of(with_formulas);
    tp_simulation *whole = simulate_with(scene->model, "consistent", 4e-3, 1.6),
                  *half = simulate_with(scene->model, "consistent", 4e-3, 1.6);
    for (int k = 1; k <= 300; k++) step_to(half, k * 4e-3);
    CHECK(turned_by(half) > 7.0);
    tp_simulation *rest = simulate_with(scene->model, "consistent", 4e-3, 1.6);
    tp_restart state;
    tp_message why = {""};
    tp_simulation_checkpoint(half, &state);
    CHECK_INT(tp_simulation_restore(rest, &state, &why), TP_OK);
    run(whole);
    for (int k = 301; k <= 400; k++) step_to(rest, k * 4e-3);
    CHECK(memcmp(tp_simulation_q(whole), tp_simulation_q(rest), 7 * sizeof(double)) == 0);
    CHECK(turned_by(whole) == turned_by(rest));
    tp_simulation_free(whole);
    tp_simulation_free(half);
    tp_simulation_free(rest);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_potential_and_a_dissipation_of_a_joint_are_its_spring_and_damper_in_every_integrator),
          RUNS(the_pendulum_of_bodies_moves_as_that_of_one_coordinate),
          RUNS(consistent_steps_keep_the_energy_of_potentials_of_joints),
          RUNS(a_gap_of_an_angle_is_a_limit_that_counts_turns),
          RUNS(a_constraint_on_the_rate_of_an_angle_is_a_motor), RUNS(turns_in_formulas_survive_a_restart))
