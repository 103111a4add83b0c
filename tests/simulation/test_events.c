/* Events: impacts, openings, stick and slip with their times, velocities, impulses and energies. */
#include "simulations.h"

#include <math.h>
#include <stdio.h>

/* All events of a run. */
typedef struct seen_events {
    tp_event list[200];
    int count;
} seen_events;

static bool keep_events(void *context, const tp_simulation *simulation)
{
    seen_events *seen = context;
    int count;
    const tp_event *events = tp_simulation_events(simulation, &count);
    for (int i = 0; i < count && seen->count < 200; i++) seen->list[seen->count++] = events[i];
    return true;
}

/* The events of a whole run, whose report counts the impacts among them. */
static seen_events run_and_keep(tp_simulation *simulation)
{
    seen_events seen = {.count = 0};
    const tp_run_report *report = tp_simulation_report(simulation);
    int impacts = 0;
    if (tp_simulation_run(simulation, keep_events, &seen, NULL) != TP_OK) fail_msg("%s", report->reason);
    for (int i = 0; i < seen.count; i++) impacts += seen.list[i].kind == TP_EVENT_IMPACT;
    if (report->impacts != impacts) fail_msg("%lld impacts are counted, %d seen", report->impacts, impacts);
    tp_simulation_free(simulation);
    return seen;
}

static seen_events events_of(const char *text)
{
    tp_scene *scene = scene_of(text);
    seen_events seen = run_and_keep(simulate_options(scene->model, scene->options));
    tp_scene_free(scene);
    return seen;
}

/* Claim: a ball dropped from 1 m hits at sqrt(2 h/g), leaves with e times its speed, and loses (1 - e^2) m
 * v^2/2. */
TEST(a_bouncing_ball_has_an_impact_and_an_opening_with_its_velocities_and_energy)
{
    const double dt = 1e-4, g = 9.81, e = 0.5, mass = 2.0, hit = sqrt(2.0 / g), speed = sqrt(2.0 * g);
    seen_events seen = events_of("coordinates: [y]\n"
                                 "kinetic: \"1/2*2*y'^2\"\n"
                                 "potential: \"2*9.81*y\"\n"
                                 "contacts: [{name: floor, gap: y, restitution: 0.5}]\n"
                                 "initial: {y: 1}\n"
                                 "simulate: {integrator: moreau, dt: 1e-4, until: 0.6}\n");
    CHECK_INT(seen.count, 2);
    CHECK_INT(seen.list[0].kind, TP_EVENT_IMPACT);
    CHECK_INT(seen.list[1].kind, TP_EVENT_OPENING);
    CHECK_NEAR(seen.list[0].time, hit, 2.0 * dt);
    CHECK_NEAR(seen.list[1].time, seen.list[0].time + dt, 1e-12);
    CHECK_NEAR(seen.list[0].velocity_before[0], -speed, 2.0 * g * dt);
    CHECK_NEAR(seen.list[0].velocity_after[0], e * speed, 2.0 * g * dt);
    CHECK_NEAR(seen.list[0].impulse[0], (1.0 + e) * mass * speed, 4.0 * mass * g * dt);
    CHECK_NEAR(seen.list[0].energy_lost, 0.5 * mass * (1.0 - e * e) * speed * speed,
               4.0 * mass * speed * g * dt);
}

/* The point of an event is in the middle between the surfaces, here of a ball that sinks into a floor by part
   of a step; names are those of both shapes. */
TEST(the_point_of_an_impact_is_between_the_surfaces)
{
    tp_scene *scene =
        scene_of("gravity: [0, 0, -10]\n"
                 "bodies: [{name: a, mass: 2, position: [0.3, 0, 0.131], velocity: [0, 0, -1],\n"
                 "          shapes: [{name: ball, type: sphere, radius: 0.1}]}]\n"
                 "ground: {shapes: [{name: floor, type: plane}]}\n"
                 "contacts: [{name: c, between: [floor, ball]}]\n");
    tp_simulation *simulation = simulate_options(scene->model, options_of("moreau", 1e-2, 1.0));
    int count = 0;
    const tp_event *event = NULL;
    for (int k = 1; k < 100 && count == 0; k++) {
        step_to(simulation, 1e-2 * k);
        event = tp_simulation_events(simulation, &count);
    }
    double depth = 0.1 - tp_simulation_q(simulation)[2];
    CHECK(count == 1 && event->kind == TP_EVENT_IMPACT && depth > 1e-4); /* else this tests nothing */
    CHECK_NEAR(event->point[0], 0.3, 1e-15);
    CHECK_NEAR(event->point[2], -0.5 * depth, 1e-15);
    CHECK(event->shape_a != event->shape_b && event->shape_a >= 0 && event->shape_b >= 0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* A mass moves along a slope and approaches it by a part of its speed that is small, and far above rounding:
   that is an impact, not a contact that closes. */
TEST(a_slow_approach_beside_a_fast_motion_is_an_impact)
{
    seen_events seen = events_of("coordinates: [x, y]\n"
                                 "kinetic: \"(x'^2 + y'^2)/2\"\n"
                                 "contacts: [{name: slope, gap: \"(y - x)/sqrt(2)\"}]\n"
                                 "initial: {y: 1e-6, x': 1, y': 1 - 1e-5}\n"
                                 "simulate: {integrator: moreau, dt: 1e-2, until: 0.3}\n");
    CHECK_INT(seen.count, 2); /* nothing presses it on: it opens in the next step */
    CHECK_INT(seen.list[0].kind, TP_EVENT_IMPACT);
    CHECK_NEAR(seen.list[0].velocity_before[0], -1e-5 / sqrt(2.0), 1e-15);
}

/* Claim: a motor of torque limit 2 N m brings 1 kg m^2 to its speed of 1 rad/s in 1/2 s; until then its law
   slips, then it holds: in either direction, so that both limits count. */
TEST(a_motor_slips_until_it_has_reached_its_speed)
{
    static const char *const speeds[] = {"1", "-1"};
    for (int k = 0; k < 2; k++) {
        char text[500];
        snprintf(
            text, sizeof text,
            "bodies: [{name: wheel, mass: 1, inertia: [1, 1, 1]}]\n"
            "joints: [{name: hub, type: revolute, bodies: [ground, wheel], point: [0, 0, 0], axis: [0, 0, "
            "1], motor: {name: drive, speed: %s, force: 2}}]\n"
            "simulate: {integrator: moreau, dt: 1e-3, until: 1}\n",
            speeds[k]);
        seen_events seen = events_of(text);
        CHECK(seen.count > 0);
        const tp_event *last = &seen.list[seen.count - 1];
        CHECK_INT(last->kind, TP_EVENT_STICK);
        CHECK_NEAR(last->time, 0.5, 2e-3);
    }
}

/* Claim: a block sticks while the force 3 t on it is below mu m g, then slips: at t = mu m g/3. */
TEST(a_block_slips_when_the_force_exceeds_the_friction)
{
    const double slip = 0.5 * 9.81 / 3.0;
    seen_events seen = events_of("coordinates: [x, y]\n"
                                 "kinetic: \"1/2*(x'^2 + y'^2)\"\n"
                                 "potential: \"9.81*y\"\n"
                                 "forces: {x: \"3*t\"}\n"
                                 "contacts: [{name: floor, gap: y, slip: \"x'\", friction: 0.5}]\n"
                                 "simulate: {integrator: moreau, dt: 1e-3, until: 2}\n");
    CHECK_INT(seen.count, 2);
    CHECK_INT(seen.list[0].kind, TP_EVENT_CLOSING); /* at rest on the floor from the start */
    CHECK_INT(seen.list[1].kind, TP_EVENT_SLIP);
    CHECK_NEAR(seen.list[1].time, slip, 2e-3);
    CHECK_NEAR(seen.list[1].impulse[1], -0.5 * seen.list[1].impulse[0], 1e-12);
}

/* Claim: a block that slides stops after v/(mu g) and sticks. */
TEST(a_sliding_block_comes_to_stick)
{
    seen_events seen = events_of("coordinates: [x, y]\n"
                                 "kinetic: \"1/2*(x'^2 + y'^2)\"\n"
                                 "potential: \"9.81*y\"\n"
                                 "contacts: [{name: floor, gap: y, slip: \"x'\", friction: 0.5}]\n"
                                 "initial: {x': 1}\n"
                                 "simulate: {integrator: moreau, dt: 1e-3, until: 0.5}\n");
    CHECK_INT(seen.count, 2);
    CHECK_INT(seen.list[0].kind, TP_EVENT_CLOSING);
    CHECK_INT(seen.list[1].kind, TP_EVENT_STICK);
    CHECK_NEAR(seen.list[1].time, 1.0 / (0.5 * 9.81), 2e-3);
    CHECK_NEAR(seen.list[1].velocity_after[1], 0.0, 1e-12);
}

/* Two laws about one gap, of which the elastic one throws the mass back: the plastic one approaches as well
   but has no impulse, and no impact. All counts of impacts follow the events. */
TEST(an_impact_needs_an_impulse_and_is_counted_once_under_every_integrator)
{
    tp_scene *scene = scene_of("coordinates: [y]\n"
                               "kinetic: \"1/2*y'^2\"\n"
                               "contacts: [{name: soft, gap: y}, {name: hard, gap: y, restitution: 1}]\n"
                               "initial: {y: 0.1, y': -1}\n"
                               "simulate: {dt: 1e-3, until: 0.15}\n");
    int runs = 0;
    for (int i = 0; i < tp_integrator_count(); i++) {
        tp_message why = {""};
        tp_simulation_options options = scene->options;
        tp_simulation *simulation = NULL;
        options.integrator = tp_integrator_info_at(i)->name;
        if (tp_simulation_create(NULL, scene->model, &options, &simulation, &why) != TP_OK) continue;
        seen_events seen = run_and_keep(simulation);
        int impacts = 0;
        for (int k = 0; k < seen.count; k++) {
            impacts += seen.list[k].kind == TP_EVENT_IMPACT;
            CHECK(seen.list[k].kind != TP_EVENT_IMPACT || seen.list[k].impulse[0] > 0.0);
        }
        /* of relaxed laws one pushes first and the other one later, perhaps in the same long step; both of
           two springs push */
        bool is_one = !tp_integrator_info_at(i)->chooses_steps && strcmp(options.integrator, "penalty") != 0;
        if (is_one) CHECK_INT(impacts, 1);
        runs++;
    }
    CHECK(runs >= 4);
    tp_scene_free(scene);
}

TEST(kinds_have_names)
{
    CHECK(strcmp(tp_event_kind_name(TP_EVENT_SLIP), "slip") == 0);
    for (int k = 0; k < TP_EVENT_KIND_COUNT; k++) CHECK(tp_event_kind_name(k) != NULL);
    CHECK(tp_event_kind_name(TP_EVENT_KIND_COUNT) == NULL && tp_event_kind_name(-1) == NULL);
}

TEST_MAIN(RUNS(a_bouncing_ball_has_an_impact_and_an_opening_with_its_velocities_and_energy),
          RUNS(the_point_of_an_impact_is_between_the_surfaces),
          RUNS(a_slow_approach_beside_a_fast_motion_is_an_impact),
          RUNS(a_motor_slips_until_it_has_reached_its_speed),
          RUNS(a_block_slips_when_the_force_exceeds_the_friction), RUNS(a_sliding_block_comes_to_stick),
          RUNS(an_impact_needs_an_impulse_and_is_counted_once_under_every_integrator), RUNS(kinds_have_names))
