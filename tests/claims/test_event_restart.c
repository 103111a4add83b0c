/* event-driven on redundant contacts between shapes: a run that is stopped and continued has the same bits,
   and friction never leaves its set; docs/theory/event-driven.md (2a), (16). Once only as many numbers of a
   contact's modes came back as it has rows: redundant contacts shared their forces anew, and friction that
   sticks could begin 10 % outside its disc. */
#define _XOPEN_SOURCE 700
#include "io/scratch.h"
#include "restarts.h"
#include "simulations.h"

#include <math.h>

/* A box that is about to slide down a slope in space, one that does, and a plate on six feet that spins and
   comes to rest. */
#define SLOPE(gravity, friction)                                                                             \
    "gravity: " gravity "\n"                                                                                 \
    "bodies:\n"                                                                                              \
    "  - {name: b, mass: 1.2, position: [0, 0, 0.06], angular_velocity: [0, 0, 0.4],\n"                      \
    "     shapes: [{type: box, size: [0.4, 0.4, 0.12]}]}\n"                                                  \
    "ground: {shapes: [{name: floor, type: plane}]}\n"                                                       \
    "contacts: [{name: c, between: [floor, b], friction: " friction "}]\n"                                   \
    "simulate: {integrator: event-driven, dt: 0.005, until: 0.1}\n"

static const double most[] = {0.62, 0.4, 0.2};
static const char *const scenes[] = {
    SLOPE("[3.1, 4.2, -9]", "0.62"),
    SLOPE("[3.1, 4.2, -9]", "0.4"),
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - name: b\n"
    "    mass: 68\n"
    "    inertia: [3.7, 3.7, 5.5]\n"
    "    position: [0, 0, 0.36]\n"
    "    velocity: [-0.05, 0.09, 0]\n"
    "    angular_velocity: [0, 0, 0.1]\n"
    "    shapes:\n"
    "      - {type: point, position: [0.28, 0, -0.36]}\n"
    "      - {type: point, position: [0.14, 0.25, -0.36]}\n"
    "      - {type: point, position: [-0.14, 0.25, -0.36]}\n"
    "      - {type: point, position: [-0.28, 0, -0.36]}\n"
    "      - {type: point, position: [-0.14, -0.25, -0.36]}\n"
    "      - {type: point, position: [0.14, -0.25, -0.36]}\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "contacts: [{name: c, between: [floor, b], friction: 0.2}]\n"
    "simulate: {integrator: event-driven, dt: 0.005, until: 0.1}\n",
};
enum { SCENES = sizeof scenes / sizeof scenes[0], STEP_MILLISECONDS = 5, ROWS = 20 };

/* Friction of all contacts is inside its disc, to the force at which an event counts. */
static double friction_outside(const tp_simulation *simulation, double coefficient)
{
    double largest = 0.0;
    for (int i = 0; i < tp_simulation_law_count(simulation); i++) {
        double force[TP_IMPULSE_ROWS] = {0.0};
        tp_simulation_kept_force(simulation, i, TP_FORCE_LAST, force);
        largest = fmax(largest, hypot(force[1], force[2]) - coefficient * force[0]);
        largest = fmax(largest, -force[0]);
    }
    return largest;
}

static void check_same(void **check_state_, const tp_simulation *a, const tp_simulation *b)
{
    tp_restart x, y;
    tp_simulation_checkpoint(a, &x);
    tp_simulation_checkpoint(b, &y);
    CHECK(x.time == y.time);
    CHECK(memcmp(x.q, y.q, (size_t)x.q_count * sizeof(double)) == 0);
    CHECK(memcmp(x.u, y.u, (size_t)x.u_count * sizeof(double)) == 0);
    CHECK_INT(x.contact_count, y.contact_count);
    for (int i = 0; i < x.contact_count && i < y.contact_count; i++)
        CHECK(memcmp(x.contacts[i].force, y.contacts[i].force, sizeof x.contacts[i].force) == 0);
}

TEST(redundant_contacts_go_on_with_the_same_bits_and_friction_in_its_disc)
{
    for (int s = 0; s < SCENES; s++) {
        tp_scene *scene = scene_of(scenes[s]);
        tp_message why = {""};
        tp_simulation *whole = simulate_options(scene->model, scene->options),
                      *other = simulate_options(scene->model, scene->options);
        tp_restart state;
        tp_simulation_checkpoint(whole, &state);
        const double weight = 70.0 * 9.81;
        for (int k = 1; k <= ROWS;
             k++) { /* each row is continued by the other simulation from the row before */
            double t = 1e-3 * STEP_MILLISECONDS * k;
            if (k > 1) {
                tp_simulation_checkpoint(whole, &state);
                CHECK_INT(tp_simulation_restore(other, &state, &why), TP_OK);
            }
            step_to(whole, t);
            step_to(other, t);
            check_same(check_state_, whole, other);
            CHECK_NEAR(friction_outside(whole, most[s]), 0.0, 1e-8 * weight);
            CHECK_NEAR(friction_outside(other, most[s]), 0.0, 1e-8 * weight);
        }
        tp_simulation_free(whole);
        tp_simulation_free(other);
        tp_scene_free(scene);
    }
}

TEST(a_file_has_the_modes_of_contacts_between_shapes)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    for (int s = 0; s < SCENES; s++) {
        tp_scene *scene = scene_of(scenes[s]);
        run_kind kind = {.model = scene->model, .options = scene->options};
        const char *path = scratch_file(&folder, "half.h5");
        tp_simulation *whole = run_to_file(&kind, 0.1, NULL, NULL, -1);
        tp_simulation_free(run_to_file(&kind, 0.1, NULL, path, 12));
        tp_simulation *other = run_to_file(&kind, 0.1, path, NULL, -1);
        check_same(check_state_, whole, other);
        tp_simulation_free(whole);
        tp_simulation_free(other);
        tp_scene_free(scene);
    }
    scratch_close(&folder);
}

/* A box that falls on a shaken table: the stiff method follows one of its slips, and the explicit method,
   which keeps less in the state, what comes after it. What was left of the stiff one stayed there in a run,
   and was gone in a continued one: the motion was the same, its memory was not. */
TEST(a_run_that_has_left_the_stiff_method_goes_on_with_the_same_memory)
{
    tp_scene *scene = scene_of(
        "gravity: [0, 0, -9.81]\n"
        "parameters: {A: 0.0078996900105221656, w: 23.662733673019645}\n"
        "bodies:\n"
        "  - {name: table, type: moving, motion: [\"A*(1 - cos(w*t))\", 0, 0], shapes: [{name: top, type: "
        "plane}]}\n"
        "  - {name: b, mass: 1.995444836781008, position: [0, 0, 0.16577050019601525],\n"
        "     orientation: [-0.14669024063840616, 0.73478515938462985, 0.38116106380275483, "
        "-0.54156161818421256],\n"
        "     shapes: [{type: box, size: [0.13298120426248194, 0.1728951391147602, 0.24875471743107375]}]}\n"
        "contacts: [{name: on, between: [top, b], friction: 0.71504681279880911,\n"
        "  restitution: 0.29874679512452251, drilling_radius: 0.0057397177934151748}]\n"
        "simulate: {integrator: event-driven, dt: 0.001, until: 0.5}\n");
    tp_simulation *whole = simulate_options(scene->model, scene->options),
                  *other = simulate_options(scene->model, scene->options);
    tp_message why = {""};
    tp_restart at, x, y;
    for (int k = 1; k <= 500; k++) {
        step_to(whole, 1e-3 * k);
        if (k != 394) continue;
        tp_simulation_checkpoint(whole, &at);
        CHECK_INT(tp_simulation_restore(other, &at, &why), TP_OK);
    }
    for (int k = 395; k <= 500; k++) step_to(other, 1e-3 * k);
    check_same(check_state_, whole, other);
    tp_simulation_checkpoint(whole, &x);
    tp_simulation_checkpoint(other, &y);
    CHECK_INT(x.memory_count, y.memory_count);
    for (int i = 0; i < x.memory_count; i++)
        CHECK(memcmp(x.memory[i].values, y.memory[i].values, (size_t)x.memory[i].count * sizeof(double)) ==
              0);
    tp_simulation_free(whole);
    tp_simulation_free(other);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(redundant_contacts_go_on_with_the_same_bits_and_friction_in_its_disc),
          RUNS(a_file_has_the_modes_of_contacts_between_shapes),
          RUNS(a_run_that_has_left_the_stiff_method_goes_on_with_the_same_memory))
