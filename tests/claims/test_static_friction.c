/* Static friction that is more than that of sliding: theory/static-friction.md (1)-(4), generalized-alpha.md
   (10b). Truth: statics, and closed forms of motions with constant friction. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

static const char *const schemes[] = {"moreau", "moreau-jean", "symmetric-moreau", "generalized-alpha"};

#define FOR_SCHEMES(k) for (int k = 0; k < 4; k++)

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
           step differ by 2 dt^2; on nodes the mean of two intervals is shown */
        double before = strcmp(schemes[k], "symmetric-moreau") == 0 ? 0.5 * dt : 0.0;
        CHECK_NEAR(tp_simulation_u(simulation)[0], a * (dt - before), 2 * dt * dt);
        step_to(simulation, t + dt);
        CHECK_NEAR(tp_simulation_u(simulation)[0], a * (2 * dt - before), 6 * dt * dt);
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
        CHECK(fabs(tp_simulation_u(whole)[0]) < 1e-14); /* 8 N */
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

/* (1a): at 1.5 s the pull is the bound of sliding in some step, to the last digit: its impulse is that of a
   block that slides. It does not, and holds on until 2.5 s; then it is a step late at most. */
TEST(a_pull_that_is_the_bound_of_sliding_by_chance_is_held)
{
    static const double steps[] = {0.01, 0.04}; /* 1.5 s at nodes, in the middle of steps */
    FOR_SCHEMES(k)
    {
        for (int i = 0; i < 2; i++) {
            tp_scene *scene = scene_of(PULLED);
            tp_simulation *simulation = simulate_with(scene->model, schemes[k], steps[i], 4.0);
            CHECK_NEAR(first_slip(simulation, 0, steps[i], 3.9), 2.5 + steps[i], 1.01 * steps[i]);
            tp_simulation_free(simulation);
            tp_scene_free(scene);
        }
    }
}

/* (10b): forces of generalized-alpha are those of accelerations at the end of a step, or of the start. 8 N
   are held; 12 N are not, and leave 6 N of friction and 3 m/s^2; 8 N stop 3 m/s, and are held then. */
TEST(forces_of_generalized_alpha_are_inside_the_bound_of_the_mode)
{
    static const struct {
        double pull, velocity, force, end_velocity, end_force;
    } cases[] = {{8.0, 0.0, -8.0, 0.0, -8.0},
                 {12.0, 0.0, -6.0, 3.0, -6.0},
                 {8.0, 1.0, -6.0, 2.0, -6.0},
                 {-8.0, 3.0, -6.0, 0.0, 8.0}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[400];
        snprintf(text, sizeof text,
                 "coordinates: [{name: x, velocity: %g}, y]\nkinetic: x'^2 + y'^2\nforces: {x: %g, y: -20}\n"
                 "contacts: [{name: floor, gap: y, slip: x', friction: 0.3, static_friction: 0.5}]\n",
                 cases[c].velocity, cases[c].pull);
        tp_scene *scene = scene_of(text);
        tp_simulation *simulation = simulate_with(scene->model, "generalized-alpha", 1e-3, 1.0);
        double rows[TP_IMPULSE_ROWS], impulse[TP_IMPULSE_ROWS];
        tp_simulation_kept_force(simulation, 0, TP_FORCE_LAST, rows);
        CHECK_NEAR(rows[0], 20.0, 1e-11);
        CHECK_NEAR(rows[1], cases[c].force, 1e-11);
        for (int i = 1; i <= 1000; i++) {
            step_to(simulation, i * 1e-3);
            tp_simulation_kept_force(simulation, 0, TP_FORCE_LAST, rows);
            tp_simulation_impulse(simulation, 0, impulse);
            bool slips = fabs(tp_simulation_u(simulation)[0]) > 1e-12;
            CHECK(fabs(rows[1]) <= (slips ? 6.0 : 10.0) + 1e-11);
            CHECK(fabs(impulse[1]) <= (slips ? 6e-3 : 10e-3) + 1e-14);
        }
        CHECK_NEAR(tp_simulation_u(simulation)[0], cases[c].end_velocity, 1e-10);
        CHECK_NEAR(rows[1], cases[c].end_force, 1e-10);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* The belt of examples/stick-slip-belt at 0.36 s, 0.16 s after it lets go; README (2). */
static double belt_error(double dt)
{
    const char *edits[] = {"simulate.until=0.36"};
    tp_scene *scene = read_edited("stick-slip-belt", edits, 1);
    tp_simulation *simulation = simulate_with(scene->model, "generalized-alpha", dt, 0.36);
    run(simulation);
    double x = tp_simulation_q(simulation)[0];
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return x - 0.01 * (1.0 + cos(1.6) + sin(1.6));
}

/* Away from switches the scheme has its order 2, and ends of steps of 1e-2 s/2^k fall on the instant at which
   the belt lets go. Other steps let go up to d = dt/2 beside it: the velocity is off by (Fs - Fk)/m d = d, x
   by a swing of d/omega = 0.1 d and by d^2/2. */
TEST(generalized_alpha_has_order_two_between_switches_and_one_across_them)
{
    double last = belt_error(1e-2);
    for (int k = 1; k < 4; k++) {
        double error = belt_error(1e-2 / (1 << k));
        CHECK_NEAR(log2(last / error), 2.0, 0.01);
        last = error;
    }
    double mean[2] = {0.0, 0.0}, of_order_two = fabs(last) / (1.25e-3 * 1.25e-3);
    for (int level = 0; level < 2; level++) {
        for (int k = 0; k < 12; k++) { /* even steps of the logarithm over an octave */
            double dt = 0.36 / ceil(0.36 / ((level == 0 ? 4e-3 : 2.5e-4) * exp2(-k / 12.0)));
            double error = fabs(belt_error(dt));
            CHECK(error <= 0.1 * dt / 2 + dt * dt / 8 + of_order_two * dt * dt);
            mean[level] += error / 12.0;
        }
    }
    CHECK_NEAR(log2(mean[0] / mean[1]) / 4.0, 1.0, 0.2);
}

/* Two masses and their springs on belts: friction in a plane and along a line, each with a static bound. */
#define BELTS                                                                                                \
    "coordinates: [x, y, a, z]\nkinetic: x'^2/2 + y'^2/2 + a'^2 + z'^2/2\n"                                  \
    "potential: 50*x^2 + 40*(a - x)^2 + 10*z^2 + 9.81*y\ninitial: {x': 0.1, a': 0.1, z': 0.05}\n"            \
    "laws: [{name: belt, kind: friction, velocity: a' - 0.1, bound: 1, static_bound: 1.7}]\n"                \
    "contacts: [{name: floor, gap: y, slip: [x' - 0.1, z' - 0.05], friction: 0.1, static_friction: 0.19}]\n"

static double distance_of_belts(const tp_model *model, const char *integrator, double dt, const double *exact)
{
    tp_simulation *simulation = simulate_with(model, integrator, dt, 2.0);
    run(simulation);
    double largest = 0.0;
    for (int i = 0; i < 4; i++) largest = fmax(largest, fabs(tp_simulation_q(simulation)[i] - exact[i]));
    tp_simulation_free(simulation);
    return largest;
}

static bool count_slips(void *context, const tp_simulation *simulation)
{
    int count, *slips = context;
    const tp_event *events = tp_simulation_events(simulation, &count);
    for (int e = 0; e < count; e++) *slips += events[e].kind == TP_EVENT_SLIP;
    return true;
}

/* The reference has the instants of all switches by roots, to 1e-10; 12 runs for each mean. */
TEST(coupled_laws_tend_to_the_event_driven_motion_with_order_one)
{
    static const char *const tested[] = {"symmetric-moreau", "generalized-alpha"};
    tp_scene *scene = scene_of(BELTS);
    tp_simulation_options options = scene->options;
    options.integrator = "event-driven";
    options.time_step = 1e-2;
    options.end_time = 2.0;
    options.rtol = 1e-10;
    options.atol = 1e-12;
    tp_simulation *reference = simulate_options(scene->model, options);
    int slips = 0;
    CHECK_INT(tp_simulation_run(reference, count_slips, &slips, NULL), TP_OK);
    CHECK_INT(slips, 3); /* both laws let go, one of them again */
    for (int k = 0; k < 2; k++) {
        double mean[2] = {0.0, 0.0};
        for (int i = 0; i < 24; i++) {
            double dt = (i < 12 ? 8e-3 : 1e-3) * exp2(-(i % 12) / 12.0);
            mean[i / 12] +=
                distance_of_belts(scene->model, tested[k], 2.0 / ceil(2.0 / dt), tp_simulation_q(reference)) /
                12.0;
        }
        CHECK_NEAR(log2(mean[0] / mean[1]) / 3.0, 1.0, 0.2);
    }
    tp_simulation_free(reference);
    tp_scene_free(scene);
}

/* Impulses at nodes work with the mean of two steps, also where nothing else is applied: what the belt brings
   is what the spring takes while it sticks, k v^2 t^2/2. Before, it was half of that. */
TEST(work_of_a_belt_at_nodes_is_the_energy_that_the_spring_takes)
{
    const char *edits[] = {"simulate.integrator=symmetric-moreau", "simulate.dt=1e-3", "simulate.until=0.19"};
    tp_scene *scene = read_edited("stick-slip-belt", edits, 3);
    tp_simulation *simulation = simulate_scene(scene);
    double work = 0.0;
    for (int i = 1; i <= 190; i++) {
        step_to(simulation, i * 1e-3);
        work += tp_simulation_last_step(simulation)->applied_work;
    }
    CHECK_NEAR(work, 50.0 * 0.019 * 0.019, 1e-14);
    CHECK_INT(tp_simulation_report(simulation)->warning_count, 0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
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
          RUNS(a_pull_that_is_the_bound_of_sliding_by_chance_is_held),
          RUNS(forces_of_generalized_alpha_are_inside_the_bound_of_the_mode),
          RUNS(generalized_alpha_has_order_two_between_switches_and_one_across_them),
          RUNS(coupled_laws_tend_to_the_event_driven_motion_with_order_one),
          RUNS(work_of_a_belt_at_nodes_is_the_energy_that_the_spring_takes),
          RUNS(accelerations_have_the_bound_of_the_mode), RUNS(events_tell_when_it_begins_to_slide),
          RUNS(bounds_that_contradict_each_other_are_refused))
