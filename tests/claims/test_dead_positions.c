/* Claims of theory/simulation.md, "Steps in parts": a mechanism that runs into a dead position. */
#include "benches.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The heavy rocker pulls crank and coupler into one line. There it has to stop, within a part of a step, and
   its energy goes to the light bars. */
static const char toggle[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: crank, mass: 0.07, inertia: [1.6e-4, 1e-5, 1.6e-4], position: [0.065, 0.05, 0]}\n"
    "  - {name: coupler, mass: 0.1, inertia: [5.2e-4, 3e-5, 5.2e-4], position: [0.245, 0.14, 0]}\n"
    "  - {name: rocker, mass: 100, inertia: [0.32, 0.02, 0.32], position: [0.395, 0.09, 0]}\n"
    "joints:\n"
    "  - {name: pin0, type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  - {name: pin1, type: revolute, bodies: [crank, coupler], point: [0.13, 0.1, 0], axis: [0, 0, 1]}\n"
    "  - {name: pin2, type: revolute, bodies: [coupler, rocker], point: [0.36, 0.18, 0], axis: [0, 0, 1]}\n"
    "  - {name: pin3, type: revolute, bodies: [rocker, ground], point: [0.43, 0, 0], axis: [0, 0, 1]}\n"
    "simulate: {until: 0.5}\n";

static const tp_warning *find_warning(const tp_run_report *report, tp_warning_kind kind)
{
    for (int i = 0; i < report->warning_count; i++) {
        if (report->warnings[i].kind == kind) return &report->warnings[i];
    }
    return NULL;
}

/* Each part balances the energy and holds the joints; the step through the dead position has none as a whole.
   Energy: as tests/battery allows it, rounding and four residuals of what is exchanged. Momenta of 130 N s
   below: the same residual.
   Work: at 1.2 ms single steps took a minute; 1e8 block products are a twentieth of what one linear problem
   may take. */
TEST(a_step_through_a_dead_position_is_taken_in_parts)
{
    static const struct {
        const char *scheme;
        double dt;
    } runs[] = {{"consistent", 1e-3},
                {"consistent-position", 1e-3},
                {"consistent-quaternion", 1e-3},
                {"consistent-quaternion", 1.2e-3}};
    for (int k = 0; k < 4; k++) {
        bench b = open_bench(toggle, runs[k].scheme, runs[k].dt);
        int divided = 0;
        for (int i = 1; i * runs[k].dt <= 0.4; i++) {
            CHECK_INT(tp_simulation_step(b.simulation, i * runs[k].dt, NULL), TP_OK);
            const tp_step_report *step = tp_simulation_last_step(b.simulation);
            divided += step->part_count > 0;
            CHECK(step->work <= 1e8);
        }
        const tp_run_report *report = tp_simulation_report(b.simulation);
        const tp_warning *warning = find_warning(report, TP_WARNING_DIVIDED_STEP);
        CHECK(divided > 0 && warning != NULL && warning->count == divided);
        CHECK(strcmp(warning->name, "divided-step") == 0 && warning->figure >= 2.0);
        double energies = 100.0; /* of the rocker, falling by 0.1 m [J] */
        CHECK_NEAR(report->energy_final, report->energy_initial,
                   (1e-11 + 4.0 * report->residual_max) * energies);
        CHECK(report->margin_max <= 1.0 && report->position_drift <= 1e-11);
        close_bench(&b);
    }
}

/* M (u+ - u) of the rocker is the impulse of its weight and of its pins, summed over the parts. */
TEST(impulses_of_a_divided_step_are_those_of_all_its_parts)
{
    bench b = open_bench(toggle, "consistent-quaternion", 1e-3);
    int u_rocker = 12, pin2 = 2, pin3 = 3, divided = 0;
    for (int i = 1; i <= 400; i++) {
        double before[2], P2[6], P3[6];
        memcpy(before, tp_simulation_u(b.simulation) + u_rocker, sizeof before);
        CHECK_INT(tp_simulation_step(b.simulation, i * 1e-3, NULL), TP_OK);
        if (tp_simulation_last_step(b.simulation)->part_count == 0) continue;
        divided++;
        tp_simulation_last_impulse(b.simulation, pin2, P2);
        tp_simulation_last_impulse(b.simulation, pin3, P3);
        const double *u = tp_simulation_u(b.simulation) + u_rocker;
        const double momentum[2] = {100.0 * (u[0] - before[0]), 100.0 * (u[1] - before[1] + 9.81e-3)};
        for (int j = 0; j < 2; j++) CHECK_NEAR(momentum[j], P2[j] - P3[j], 1e-9 * 130.0);
    }
    CHECK(divided > 0);
    close_bench(&b);
}

/* A moment of 0.5 N m on the crank: its work is the change of energy, in divided steps too, whose residual is
   the largest of their parts. Tolerances as above. */
TEST(work_and_residual_of_a_divided_step_are_those_of_its_parts)
{
    static char text[2048];
    snprintf(text, sizeof text, "forces: [{name: push, body: crank, moment: [\"0\", \"0\", \"0.5\"]}]\n%s",
             toggle);
    bench b = open_bench(text, "consistent-quaternion", 1e-3);
    int divided = 0;
    double before = tp_simulation_last_step(b.simulation)->energy;
    for (int i = 1; i <= 400; i++) {
        CHECK_INT(tp_simulation_step(b.simulation, i * 1e-3, NULL), TP_OK);
        const tp_step_report *step = tp_simulation_last_step(b.simulation);
        if (step->part_count > 0) {
            CHECK(fabs(step->applied_work) > 1e-3); /* else this tests nothing [J] */
            CHECK_NEAR(step->energy - before, step->applied_work, (1e-11 + 4.0 * step->residual) * 100.0);
            CHECK(step->residual > 0.0);
            divided++;
        }
        before = step->energy;
    }
    CHECK(divided > 0);
    close_bench(&b);
}

/* A light box is caught between the ground and one of 10,000 times its mass. Both points between the boxes
   stick, and no equation says how they share their friction: the least shares are outside of the disc of one,
   others are inside of both. Full steps alternated between two linearisations, each of which had the solution
   of the other, and the step at 0.426 s was taken in parts. */
static const char caught[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: b0, mass: 1, position: [-0.00259211414580544, 0.009349300428568429, 0.2052707781369245],\n"
    "     shapes: [{type: box, size: [0.16170977712669454, 0.19034776705107953, 0.19318665493613796]}],\n"
    "     orientation: [0.46535187299575553, 0.4835873349749333, 0.676566125626292, 0.30306633169359526],\n"
    "     velocity: [-0.680325795662639, -0.15034199298109874, -0.8176869631382644]}\n"
    "  - {name: b1, mass: 10000, position: [-0.023254160021302626, 0.02421634290193926, 0.568630437976084],\n"
    "     shapes: [{type: box, size: [0.1466893206932986, 0.16007641768756764, 0.2382104819840563]}],\n"
    "     orientation: [-0.1626188344076809, -0.15764637137394868, 0.24199606739836116, "
    "0.943472649127807],\n"
    "     angular_velocity: [-2.390511607562693, -1.918246941608178, 0.5577422925449325]}\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "contacts: [{name: all, among: [ground, b0, b1], restitution: 0, friction: 0.8}]\n";

TEST(contacts_that_stick_share_their_friction_and_the_step_is_solved_whole)
{
    const double dt = 3e-3;
    bench b = open_bench(caught, "consistent-quaternion-two-step", dt);
    for (int i = 1; i <= 145; i++) {
        CHECK_INT(tp_simulation_step(b.simulation, i * dt, NULL), TP_OK);
        CHECK_INT(tp_simulation_last_step(b.simulation)->part_count, 0);
    }
    close_bench(&b);
}

/* A heavy body pulls three light links into one line, where they whip round within a step. */
static const char whip[] =
    "gravity: [5.18, -8.33, 0]\n"
    "bodies:\n"
    "  - {name: link0, type: planar, mass: 0.126, inertia: 6.7e-4, position: [0.052, 0.1155], angle: 1.148,"
    " velocity: [-0.2999073, 0.1350232], angular_velocity: 2.5966}\n"
    "  - {name: link1, type: planar, mass: 0.355, inertia: 5.4e-3, position: [0.306, 0.163], angle: -0.326,"
    " velocity: [-0.4232458, 0.7945596], angular_velocity: 2.5966}\n"
    "  - {name: link2, type: planar, mass: 0.102, inertia: 1.7e-3, position: [0.7285, 0.094], angle: -0.003,"
    " velocity: [-0.2440804, 1.8916231], angular_velocity: 2.5966}\n"
    "  - {name: link3, type: planar, mass: 64.4, inertia: 1.18, position: [0.993, 0.324], angle: 1.383,"
    " velocity: [-0.8412984, 2.5784238], angular_velocity: 2.5966}\n"
    "  - {name: link4, type: planar, mass: 9.27, inertia: 0.138, position: [1.247, 0.576], angle: 0.102,"
    " velocity: [-1.4956416, 3.2379602], angular_velocity: 2.5966}\n"
    "joints:\n"
    "  - {name: j0, type: revolute, bodies: [ground, link0], point: [0, 0],"
    " spring: {stiffness: 0.21, damping: 0.0105}}\n"
    "  - {name: j1, type: revolute, bodies: [link0, link1], point: [0.104, 0.231],"
    " spring: {stiffness: 1.78, damping: 0.089}}\n"
    "  - {name: j2, type: revolute, bodies: [link1, link2], point: [0.508, 0.0946]}\n"
    "  - {name: j3, type: revolute, bodies: [link2, link3], point: [0.949, 0.0935],"
    " spring: {stiffness: 13.1}}\n"
    "  - {name: j4, type: revolute, bodies: [link3, link4], point: [1.037, 0.555],"
    " spring: {stiffness: 39.5}}\n"
    "simulate: {until: 1.5}\n";

/* Joints that forces hold flew apart (1e23 m), and both runs stopped: explicit steps of 5 ms do not resolve
   the whip. In parts they do; energy is that of joints without work and of two dampers. */
TEST(a_whip_of_joints_that_forces_hold_is_taken_in_parts)
{
    static const char *const schemes[] = {"relaxed-dai", "penalty"};
    for (int k = 0; k < 2; k++) {
        bench b = open_bench(whip, schemes[k], 5e-3);
        CHECK_INT(tp_simulation_run(b.simulation, NULL, NULL, NULL), TP_OK);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK(find_warning(report, TP_WARNING_DIVIDED_STEP) != NULL);
        CHECK(report->energy_final <= report->energy_initial);
        CHECK(find_warning(report, TP_WARNING_ENERGY_GROWS) == NULL);
        close_bench(&b);
    }
}

/* A step in parts is one of the same relaxed motion: parts took a tenth of a shorter relaxation time, whose
   stiffness is 1e3 times that of the run, and bodies that overlapped flew off. Two planar boxes overlap by
   more than they are thick: their contact has a normal that neither can move along, and no force parts them
   (the relaxed law was proven to have no solution). */
TEST(relaxed_steps_leave_out_contacts_that_no_force_can_part)
{
    static const char plates[] =
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  - {name: a, type: planar, mass: 1, position: [0, 0], shapes: [{type: box, size: [1, 1, 0.1]}]}\n"
        "  - {name: b, type: planar, mass: 1, position: [0.1, 0.8], shapes: [{type: box, size: [1, 1, "
        "0.1]}]}\n"
        "contacts: [{name: c, between: [a, b]}]\n"
        "simulate: {until: 0.1}\n";
    bench b = open_bench(plates, "relaxed-dai", 5e-3);
    CHECK_INT(tp_simulation_run(b.simulation, NULL, NULL, NULL), TP_OK);
    const tp_run_report *report = tp_simulation_report(b.simulation);
    CHECK(find_warning(report, TP_WARNING_OVERLAP_AT_START) != NULL);
    CHECK(report->energy_final == 0.0);
    close_bench(&b);
}

TEST_MAIN(RUNS(a_step_through_a_dead_position_is_taken_in_parts),
          RUNS(impulses_of_a_divided_step_are_those_of_all_its_parts),
          RUNS(work_and_residual_of_a_divided_step_are_those_of_its_parts),
          RUNS(contacts_that_stick_share_their_friction_and_the_step_is_solved_whole),
          RUNS(a_whip_of_joints_that_forces_hold_is_taken_in_parts),
          RUNS(relaxed_steps_leave_out_contacts_that_no_force_can_part))
