/* Static friction that is more than that of sliding: theory/static-friction.md (1)-(4). Truth: statics, and
   closed forms of motions with constant friction. */
#include "simulations.h"

static const char *const schemes[] = {"moreau", "moreau-jean"};

#define FOR_SCHEMES(k) for (int k = 0; k < 2; k++)

/* A force 4 t N pulls 2 kg that weigh 20 N: mu_s = 0.5 holds until 2.5 s, then mu = 0.3 leaves (4 t - 6)/2.
 */
#define PULLED                                                                                               \
    "coordinates: [x, y]\nkinetic: x'^2 + y'^2\nforces: {x: 4*t, y: -20}\n"                                  \
    "contacts: [{name: floor, gap: y, slip: x', friction: 0.3, static_friction: 0.5}]\n"

static double first_slip(tp_simulation *simulation, int velocity, double dt, double until)
{
    while (tp_simulation_time(simulation) < until) {
        step_to(simulation, tp_simulation_time(simulation) + dt);
        if (tp_simulation_u(simulation)[velocity] > 1e-9) return tp_simulation_time(simulation);
    }
    return INFINITY;
}

TEST(a_block_breaks_loose_at_the_static_bound_and_slides_with_the_other)
{
    const double dt = 1e-3;
    FOR_SCHEMES(k)
    {
        tp_scene *scene = scene_of(PULLED);
        CHECK_NEAR(tp_model_static_ratio(scene->model, 0), 0.5 / 0.3, 1e-15);
        tp_simulation *simulation = simulate_with(scene->model, schemes[k], dt, 10.0);
        double slips = first_slip(simulation, 0, dt, 5.0);
        CHECK_NEAR(slips, 2.5 + 0.5 * dt, 0.6 * dt); /* the end of the first step that needs more */
        double t = slips, a = 2.0 * t - 3.0;
        /* the step that breaks loose has the bound of sliding, not the other: a dt, its forces within the
           step differ by 2 dt^2 */
        CHECK_NEAR(tp_simulation_u(simulation)[0], a * dt, 2 * dt * dt);
        step_to(simulation, t + dt);
        CHECK_NEAR(tp_simulation_u(simulation)[0], 2 * a * dt, 6 * dt * dt);
        while (tp_simulation_time(simulation) < 4.0 - 0.5 * dt)
            step_to(simulation, tp_simulation_time(simulation) + dt);
        CHECK_NEAR(tp_simulation_u(simulation)[0], 16.0 - 12.0 - (6.25 - 7.5),
                   2.0 * dt); /* up to a step late */
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* Sliding does not come back to the static bound until the block has stopped: the pull ends, the block stops
   after u^2/(2 mu g), and is held then by a pull between both bounds. */
TEST(a_block_that_stops_is_held_by_the_static_bound_again)
{
    const double dt = 1e-3;
    FOR_SCHEMES(k)
    {
        tp_scene *scene = scene_of("coordinates: [{name: x, velocity: 3}, y]\nkinetic: x'^2 + y'^2\n"
                                   "forces: {x: \"if(t < 2, 0, 8)\", y: -20}\n"
                                   "contacts: [{name: floor, gap: y, slip: x', friction: 0.3, "
                                   "static_friction: 0.5}]\n");
        tp_simulation *simulation = simulate_with(scene->model, schemes[k], dt, 3.0);
        run_steps(simulation, 500, dt);
        CHECK_NEAR(tp_simulation_u(simulation)[0], 3.0 - 3.0 * 0.5,
                   1e-12); /* mu g = 3, from the first step */
        while (tp_simulation_time(simulation) < 3.0 - 0.5 * dt)
            step_to(simulation, tp_simulation_time(simulation) + dt);
        CHECK(fabs(tp_simulation_u(simulation)[0]) < 1e-14); /* 8 N: more than 6, less than 10 */
        CHECK_NEAR(tp_simulation_q(simulation)[0], 1.5, 2 * dt * 3.0 * dt + 0.5 * 3.0 * dt);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* On a slope of tan a = 0.4 with mu = 0.3 and mu_s = 0.5: at rest it stays, given a push it never stops. */
TEST(on_a_slope_between_both_bounds_rest_and_sliding_both_last)
{
    const double dt = 1e-3, g = 10.0;
    static const double pushes[] = {0.0, 0.01};
    FOR_SCHEMES(k)
    {
        for (int p = 0; p < 2; p++) {
            char text[400];
            snprintf(text, sizeof text,
                     "coordinates: [{name: x, velocity: %g}, y]\nkinetic: x'^2/2 + y'^2/2\n"
                     "forces: {x: 4, y: -%g}\n"
                     "contacts: [{name: floor, gap: y, slip: x', friction: 0.3, static_friction: 0.5}]\n",
                     pushes[p], g);
            tp_scene *scene = scene_of(text);
            tp_simulation *simulation = simulate_with(scene->model, schemes[k], dt, 1.0);
            run(simulation);
            double slides = pushes[p] + (4.0 - 3.0) * 1.0;
            CHECK_NEAR(tp_simulation_u(simulation)[0], p == 0 ? 0.0 : slides, 1e-12);
            tp_simulation_free(simulation);
            tp_scene_free(scene);
        }
    }
}

/* Boxes on a plane, in four points; a slider with friction of its own reaction and with a constant bound; a
   hinge. Each is pulled by 4 t and lets go at the static bound. */
TEST(shapes_and_joints_have_static_friction_as_well)
{
    static const struct {
        const char *text;
        int velocity;
        double time; /* when 4 t is the static bound */
    } cases[] = {
        {"gravity: [0, 0, -10]\n"
         "bodies: [{name: box, mass: 2, inertia: [1, 1, 1], position: [0, 0, 0.1],\n"
         "          shapes: [{name: cube, type: box, size: [1, 1, 0.2]}]}]\n"
         "ground: {shapes: [{name: floor, type: plane}]}\n"
         "contacts: [{name: touch, between: [floor, cube], friction: 0.3, static_friction: 0.5}]\n"
         "forces: [{body: box, force: [4*t, 0, 0], point: [0, 0, -0.1]}]\n",
         0, 2.5},
        {"gravity: [0, 0, -10]\n"
         "bodies: [{name: slide, mass: 2, inertia: [1, 1, 1]}]\n"
         "joints: [{name: rail, type: prismatic, bodies: [ground, slide], point: [0, 0, 0], axis: [1, 0, "
         "0],\n"
         "          friction: {coefficient: 0.3, static_coefficient: 0.5}}]\n"
         "forces: [{body: slide, force: [4*t, 0, 0]}]\n",
         0, 2.5},
        {"bodies: [{name: slide, mass: 2, inertia: [1, 1, 1]}]\n"
         "joints: [{name: rail, type: prismatic, bodies: [ground, slide], point: [0, 0, 0], axis: [1, 0, "
         "0],\n"
         "          friction: {bound: 6, static_bound: 9}}]\n"
         "forces: [{body: slide, force: [4*t, 0, 0]}]\n",
         0, 2.25},
        {"coordinates: [x]\nkinetic: x'^2\nforces: {x: 4*t}\n"
         "laws: [{name: brake, kind: friction, velocity: x', bound: 6, static_bound: 9}]\n",
         0, 2.25},
        {"bodies: [{name: arm, mass: 2, inertia: [2, 2, 2]}]\n"
         "joints: [{name: pin, type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [1, 0, 0],\n"
         "          friction: {bound: 6, static_bound: 9}}]\n"
         "forces: [{body: arm, moment: [4*t, 0, 0]}]\n",
         3, 2.25}};
    const double dt = 1e-2;
    FOR_SCHEMES(k)
    {
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            tp_scene *scene = scene_of(cases[c].text);
            tp_simulation *simulation = simulate_with(scene->model, schemes[k], dt, 5.0);
            double slips = first_slip(simulation, cases[c].velocity, dt, 4.0);
            if (!(fabs(slips - cases[c].time - 0.5 * dt) <= 0.6 * dt))
                print_error("%s, case %d: %g\n", schemes[k], (int)c, slips);
            CHECK_NEAR(slips, cases[c].time + 0.5 * dt, 0.6 * dt);
            double start = tp_simulation_u(simulation)[cases[c].velocity];
            for (int i = 0; i < 10; i++) step_to(simulation, tp_simulation_time(simulation) + dt);
            double mean = slips + 5 * dt; /* of the pull over these steps, half a step at most beside it */
            CHECK_NEAR(tp_simulation_u(simulation)[cases[c].velocity] - start,
                       10 * dt * (4.0 * mean - 6.0) / 2.0, 10 * dt * dt * 1.01);
            tp_simulation_free(simulation);
            tp_scene_free(scene);
        }
    }
}

/* The bound of the next step follows from the impulses of the last: a continued run has the same bits, also
   while a pull between both bounds is held. */
TEST(a_run_that_is_continued_while_it_sticks_has_the_same_bits)
{
    const double dt = 1e-3;
    FOR_SCHEMES(k)
    {
        tp_scene *scene = scene_of(PULLED);
        tp_simulation *whole = simulate_with(scene->model, schemes[k], dt, 4.0),
                      *part = simulate_with(scene->model, schemes[k], dt, 4.0);
        run_steps(whole, 2000, dt);
        CHECK(tp_simulation_u(whole)[0] == 0.0); /* 8 N */
        tp_restart restart;
        tp_simulation_checkpoint(whole, &restart);
        CHECK_INT(tp_simulation_restore(part, &restart, NULL), TP_OK);
        run(whole);
        run(part);
        CHECK(tp_simulation_u(whole)[0] > 3.0);
        CHECK(memcmp(tp_simulation_u(whole), tp_simulation_u(part), 2 * sizeof(double)) == 0);
        CHECK(memcmp(tp_simulation_q(whole), tp_simulation_q(part), 2 * sizeof(double)) == 0);
        tp_simulation_free(whole);
        tp_simulation_free(part);
        tp_scene_free(scene);
    }
}

/* Accelerations at a state: 0 while it sticks, at rest at the start and after steps; those of sliding beyond
   the static bound. */
TEST(accelerations_have_the_bound_of_the_mode)
{
    static const struct {
        double pull, velocity, expected; /* 2 kg of 20 N, 6 N while it slides, 10 N while it sticks */
    } cases[] = {{8.0, 0.0, 0.0}, {12.0, 0.0, 3.0}, {8.0, 1.0, 1.0}, {5.0, 1.0, -0.5}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[400];
        snprintf(text, sizeof text,
                 "coordinates: [{name: x, velocity: %g}, y]\nkinetic: x'^2 + y'^2\nforces: {x: %g, y: -20}\n"
                 "contacts: [{name: floor, gap: y, slip: x', friction: 0.3, static_friction: 0.5}]\n",
                 cases[c].velocity, cases[c].pull);
        tp_scene *scene = scene_of(text);
        tp_simulation *simulation = simulate_with(scene->model, "moreau", 1e-3, 1.0);
        for (int i = 0; i < 2; i++) {
            double a[2];
            tp_message why = {""};
            CHECK_INT(tp_simulation_accelerations(simulation, a, NULL, &why), TP_OK);
            CHECK_NEAR(a[0], cases[c].expected, 1e-11);
            run_steps(simulation, i == 0 ? 5 : 0, 1e-3);
        }
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* One event when it begins to slide; none while the pull passes the bound of sliding. */
TEST(events_tell_when_it_begins_to_slide)
{
    const double dt = 1e-3;
    tp_scene *scene = scene_of(PULLED);
    tp_simulation *simulation = simulate_with(scene->model, "moreau", dt, 4.0);
    int slips = 0, others = 0;
    double when = 0.0;
    for (int i = 1; i <= 4000; i++) {
        int count;
        step_to(simulation, i * dt);
        const tp_event *events = tp_simulation_events(simulation, &count);
        for (int e = 0; e < count; e++) {
            bool is_slip = events[e].kind == TP_EVENT_SLIP;
            slips += is_slip;
            others += !is_slip && i > 1;
            if (is_slip) when = events[e].time;
        }
    }
    CHECK_INT(slips, 1);
    CHECK_INT(others, 0);
    CHECK_NEAR(when, 2.5 + 0.5 * dt, 0.6 * dt);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(bounds_that_contradict_each_other_are_refused)
{
    static const char *const wrong[][2] = {
        {"contacts: [{name: floor, gap: x, slip: x', friction: 0.3, static_friction: 0.2}]\n",
         "static friction is 0.2, that of sliding 0.3"},
        {"contacts: [{name: floor, gap: x, slip: x', friction: 0, static_friction: 0.2}]\n", "both above 0"},
        {"contacts: [{name: floor, gap: x, static_friction: 0.2}]\n", "slip"},
        {"laws: [{name: b, kind: friction, velocity: x', bound: 2, static_bound: 1}]\n",
         "static friction is 1, that of sliding 2"},
        {"laws: [{name: b, kind: limited, velocity: x', lower: -1, upper: 2, static_bound: 3}]\n",
         "static_bound"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[300];
        tp_message why = {""};
        tp_scene *none = NULL;
        snprintf(text, sizeof text, "coordinates: [x]\nkinetic: x'^2\n%s", wrong[k][0]);
        CHECK(tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &none, &why) != TP_OK);
        if (!strstr(why.text, wrong[k][1]) || strncmp(why.text, "s.yaml:3:", 9) != 0)
            fail_msg("%s -> %s", wrong[k][0], why.text);
    }
}

TEST_MAIN(RUNS(a_block_breaks_loose_at_the_static_bound_and_slides_with_the_other),
          RUNS(a_block_that_stops_is_held_by_the_static_bound_again),
          RUNS(on_a_slope_between_both_bounds_rest_and_sliding_both_last),
          RUNS(shapes_and_joints_have_static_friction_as_well),
          RUNS(a_run_that_is_continued_while_it_sticks_has_the_same_bits),
          RUNS(accelerations_have_the_bound_of_the_mode), RUNS(events_tell_when_it_begins_to_slide),
          RUNS(bounds_that_contradict_each_other_are_refused))
