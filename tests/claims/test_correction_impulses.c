/* Claims: theory/correction.md, (2) and after (11a). Impulses of corrected steps: what they carry, that they
   stay in their cones, and that a correction takes no momentum of its own. */
#include "benches.h"

#include <float.h>

/* Three boxes, turned against each other, the top one a hundred times as dense, at a coarse tolerance: the
   solver leaves contacts at the border of their cones, and the impulses of the correction leave them.
   Reported normal impulses of the floor carried 5 % more than the weight when the nearest ones in the cones
   were taken. The boxes rest to velocities of least / dt, least = 1e-12 / 16 of the size: M 2 least / dt of
   impulse beside M g dt. */
TEST(reported_impulses_of_a_loosely_solved_stack_carry_its_weight)
{
    static const char text[] = "gravity: [0, 0, -9.81]\n"
                               "bodies:\n"
                               "  - {name: b0, density: 1000, position: [0.014, -0.012, 0.07], orientation: "
                               "{axis: [0, 0, 1], angle: -1.907},"
                               " shapes: [{type: box, size: [0.139, 0.116, 0.14]}]}\n"
                               "  - {name: b1, density: 1000, position: [-0.007, 0.02, 0.28], orientation: "
                               "{axis: [0, 0, 1], angle: -2.546},"
                               " shapes: [{type: box, size: [0.138, 0.286, 0.28]}]}\n"
                               "  - {name: b2, density: 1e5, position: [-0.018, 0.009, 0.54], orientation: "
                               "{axis: [0, 0, 1], angle: 0.941},"
                               " shapes: [{type: box, size: [0.178, 0.226, 0.24]}]}\n"
                               "ground: {shapes: [{name: floor, type: plane}]}\n"
                               "contacts: [{name: c, among: all, friction: 0.5}]\n"
                               "simulate: {until: 1}\n";
    const double dt = 1e-2, g = 9.81,
                 M = 1e3 * (0.139 * 0.116 * 0.14 + 0.138 * 0.286 * 0.28) + 1e5 * 0.178 * 0.226 * 0.24;
    enum { CONTACTS = 32 };
    static tp_contact_info contacts[CONTACTS];
    bench b = start_corrected(text, "moreau-jean", dt, 1e-2);
    double bound = 2.0 * 1e-12 / 16.0 * tp_model_summarise(b.scene->model).size / (g * dt * dt);
    for (int k = 1; k <= 50; k++) {
        int count = 0;
        double N = 0.0;
        step_to(b.simulation, dt * k);
        CHECK_INT(tp_simulation_contacts(b.simulation, CONTACTS, contacts, &count, NULL), TP_OK);
        for (int i = 0; i < count; i++) {
            if (contacts[i].point[2] < 0.07) N += contacts[i].impulse[0]; /* on the floor */
        }
        CHECK_NEAR(N / (M * g * dt), 1.0, bound);
    }
    close_bench(&b);
}

/* How far impulses of contacts with friction 0.5 are outside of their cones, at most, and the largest. */
static double outside_of_cones(const tp_simulation *simulation, double *largest_io)
{
    double worst = 0.0;
    int count = tp_simulation_law_count(simulation);
    for (int i = 0; i < count; i++) {
        tp_contact_info contact;
        if (!tp_simulation_contact(simulation, i, &contact)) continue;
        const double *P = contact.impulse;
        worst = fmax(worst, fmax(-P[0], hypot(P[1], P[2]) - 0.5 * fmax(P[0], 0.0)));
        *largest_io = fmax(*largest_io, P[0]);
    }
    return worst;
}

/* Boxes of a stack slide on each other. Changes of impulses that a correction adds are projected on the cones
   (after (11a)): impulses of a state are in them up to the tolerance of the solver; without the projection
   they are outside by a tenth. */
TEST(impulses_of_corrected_steps_stay_in_their_cones)
{
    static const char text[] = "gravity: [2, 0, -9.81]\nbodies:\n"
                               "  - {name: a, mass: 1, position: [0, 0, 0.1],\n"
                               "     shapes: [{type: box, size: [0.2, 0.2, 0.2]}]}\n"
                               "  - {name: b, mass: 4, position: [0, 0, 0.3], velocity: [0.1, 0, 0],\n"
                               "     orientation: {axis: [0, 0, 1], angle: 0.3},\n"
                               "     shapes: [{type: box, size: [0.2, 0.2, 0.2]}]}\n"
                               "ground: {shapes: [{name: floor, type: plane}]}\n"
                               "contacts: [{name: c, among: [floor, a, b], friction: 0.5}]\n"
                               "simulate: {until: 100}\n";
    static const double tolerances[] = {1e-2, 1e-4};
    for (int k = 0; k < 4; k++) {
        bench b = start_corrected(text, k < 2 ? "moreau" : "moreau-jean", 5e-3, tolerances[k % 2]);
        double worst = 0.0, largest = 0.0;
        for (int step = 1; step <= 60; step++) {
            step_to(b.simulation, step * 5e-3);
            worst = fmax(worst, outside_of_cones(b.simulation, &largest));
        }
        CHECK(worst <= tolerances[k % 2] * largest);
        close_bench(&b);
    }
}

/* Impulses of all contacts along their normals [N s]. */
static double normal_impulse(const tp_simulation *simulation)
{
    double sum = 0.0;
    int count = tp_simulation_law_count(simulation);
    for (int i = 0; i < count; i++) {
        tp_contact_info contact;
        if (tp_simulation_contact(simulation, i, &contact)) sum += contact.impulse[0];
    }
    return sum;
}

/* A box of 1 kg tumbles over the floor: corners slide, rebound and open. Each step gives it the vertical
   momentum of gravity and of the impulses that are reported, to rounding: 64 roundings of 4 N s, what it hits
   the floor with. A correction that pulls at contacts takes more. With the projection onto the cone in (2),
   the law of associated friction, sliding contacts are taken for errors, and contacts that rebound next to
   them are held back, by up to 0.06 N s. */
TEST(contacts_that_slide_and_rebound_are_not_held_back)
{
    static const char text[] =
        "gravity: [0, 0, -9.81]\nbodies:\n"
        "  - {name: b, mass: 1, position: [0, 0, 0.4], angular_velocity: [4.34, 0.01, -4.27],\n"
        "     orientation: [-0.5874484, 0.3980500, 0.5935957, 0.3796112],\n"
        "     shapes: [{type: box, size: [0.4, 0.3, 0.2]}]}\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "contacts: [{name: c, among: all, friction: 0.4, restitution: 0.5, tangential_restitution: 0.5}]\n"
        "simulate: {until: 100}\n";
    static const char *const names[] = {"moreau", "moreau-jean"};
    const double dt = 2e-3, g = 9.81;
    for (int k = 0; k < 2; k++) {
        bench b = start_corrected(text, names[k], dt, 1e-14);
        double before = 0.0, worst = 0.0;
        for (int step = 1; step <= 450; step++) {
            step_to(b.simulation, step * dt);
            double now = tp_simulation_u(b.simulation)[2];
            worst = fmax(worst, fabs(now - before + g * dt - normal_impulse(b.simulation)));
            before = now;
        }
        CHECK(worst <= 64.0 * DBL_EPSILON * 4.0);
        close_bench(&b);
    }
}

/* Impulses along normals that point up [N s]. */
static double floor_impulse(const tp_simulation *simulation)
{
    double sum = 0.0;
    int count = tp_simulation_law_count(simulation);
    for (int i = 0; i < count; i++) {
        tp_contact_info contact;
        if (!tp_simulation_contact(simulation, i, &contact)) continue;
        if (fabs(contact.normal[2]) == 1.0) sum += contact.impulse[0];
    }
    return sum;
}

/* Balls fall into a smooth tube and move in a heap. At any tolerance the floor gives them, in every step, the
   vertical momentum that they gain, up to what rows as soft as 1e-8 lose of the impulses of a step: 1e8
   roundings. Impulses of corrections that left their cones were moved into them after the velocities had been
   changed: steps were off by 2e-3 of the weight here, and by 40 % of it in the mean in a heap of 24 balls of
   several sizes. */
TEST(reported_impulses_of_balls_in_motion_balance_their_momentum)
{
    enum { BALLS = 27 };
    static const char text[] =
        "gravity: [0, 0, -9.81]\nbodies:\n"
        "  - {repeat: {k: 3, i: [-1, 1], j: [-1, 1]}, name: \"b{k}{i + 1}{j + 1}\", mass: 1,\n"
        "     let: {x: {uniform: [-0.01, 0.01]}, y: {uniform: [-0.01, 0.01]}},\n"
        "     position: [0.1*i + x, 0.1*j + y, 0.1 + 0.11*k], shapes: [{type: sphere, radius: 0.045}]}\n"
        "ground: {shapes: [{name: floor, type: plane}, {name: tube, type: inside-cylinder, radius: 0.25}]}\n"
        "contacts:\n"
        "  - name: balls\n"
        "    among: [floor, {repeat: {k: 3, i: 3, j: 3}, each: [\"b{k}{i}{j}\"]}]\n"
        "    friction: 0.4\n"
        "  - {repeat: {k: 3, i: 3, j: 3}, name: \"t{k}{i}{j}\", between: [tube, \"b{k}{i}{j}\"]}\n"
        "simulate: {until: 100}\n";
    static const char *const names[] = {"moreau", "moreau-jean"};
    static const double tolerances[] = {1e-2, 1e-6};
    const double dt = 2e-3, g = 9.81, weight = BALLS * g * dt;
    for (int k = 0; k < 4; k++) {
        bench b = start_corrected(text, names[k % 2], dt, tolerances[k / 2]);
        double before = 0.0, worst = 0.0;
        for (int step = 1; step <= 300; step++) {
            step_to(b.simulation, step * dt);
            double now = 0.0;
            for (int i = 0; i < BALLS; i++) now += tp_simulation_u(b.simulation)[6 * i + 2];
            worst = fmax(worst, fabs(now - before + weight - floor_impulse(b.simulation)));
            before = now;
        }
        CHECK(worst <= DBL_EPSILON / 1e-8 * weight);
        close_bench(&b);
    }
}

TEST_MAIN(RUNS(reported_impulses_of_a_loosely_solved_stack_carry_its_weight),
          RUNS(impulses_of_corrected_steps_stay_in_their_cones),
          RUNS(contacts_that_slide_and_rebound_are_not_held_back),
          RUNS(reported_impulses_of_balls_in_motion_balance_their_momentum))
