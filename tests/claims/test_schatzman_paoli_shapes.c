/* Shapes, chains and closed loops in the scheme of Schatzman and Paoli; theory/schatzman-paoli.md (4)-(6),
   (10), (11). */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

/* Runs a scene with steps of h; the report is the simulation's. */
static tp_simulation *run_paoli(tp_scene *scene, double h, double until)
{
    scene->options.integrator = "schatzman-paoli";
    scene->options.projection.kind = TP_PROJECTION_NONE;
    scene->options.time_step = h;
    scene->options.end_time = until;
    tp_simulation *simulation = simulate_scene(scene);
    run(simulation);
    return simulation;
}

static void release(tp_simulation *simulation, tp_scene *scene)
{
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* --- contacts between shapes */

/* The deepest point of a rim runs round it, and corners of faces come and go. With gaps at the end of the
   step the rows jumped from iteration to iteration, and there was no solution. */
static const char cylinder[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - name: drum\n"
    "    mass: 5.555845406202466\n"
    "    position: [0.026959405007738087, 0.017626233045912418, 0.4021332447812146]\n"
    "    orientation: [-0.03192820562991737, 0.7570871020869588, -0.650285360838325, 0.054117086194599845]\n"
    "    velocity: [0.3, -0.2, 0]\n"
    "    shapes: [{type: cylinder, radius: 0.09098993104389079, length: 0.1676557339058803}]\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "contacts: [{name: foot, between: [floor, drum], restitution: 0}]\n"
    "simulate: {dt: 1e-3, until: 1}\n";

/* Forces are vertical: the horizontal motion of the centre is known. A rim is inside by one step of its way
   at most, and nothing is faster than all the energy in the motion of one rim point. */
TEST(a_cylinder_lands_on_its_rim_and_settles_without_a_sideways_push)
{
    static const double steps[] = {1e-3, 2e-3, 5e-3};
    const double m = 5.555845406202466, r = 0.09098993104389079, length = 0.1676557339058803;
    const double J = m * (r * r / 4.0 + length * length / 12.0), arm = hypot(r, 0.5 * length);
    for (int k = 0; k < 3; k++) {
        tp_scene *scene = scene_of(cylinder);
        tp_simulation *simulation = run_paoli(scene, steps[k], 1.0);
        const tp_run_report *report = tp_simulation_report(simulation);
        const double *q = tp_simulation_q(simulation);
        double rounding = 1e-16 / (steps[k] * steps[k]); /* of second differences, summed once and twice */
        CHECK_NEAR(q[0], 0.026959405007738087 + 0.3, rounding);
        CHECK_NEAR(q[1], 0.017626233045912418 - 0.2, rounding);
        double energy = m * 9.81 * 0.4021332447812146,
               fastest = sqrt(2.0 * energy * (1.0 / m + arm * arm / J));
        CHECK(report->penetration <= fastest * steps[k]);
        CHECK(report->energy_final < report->energy_initial);
        CHECK_INT(report->not_converged, 0);
        release(simulation, scene);
    }
}

/* Text that grows. */
typedef struct text {
    char bytes[4096];
    size_t length;
} text;

static void print(text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(text *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(to->bytes + to->length, sizeof to->bytes - to->length, format, arguments);
    va_end(arguments);
    if (written < 0 || (to->length += (size_t)written) >= sizeof to->bytes) fail();
}

static void print_shape(text *to, check_random *random, int kind)
{
    static const char *const names[] = {"box", "capsule", "cylinder", "sphere"};
    double a = check_uniform(random, 0.05, 0.1), b = check_uniform(random, 0.05, 0.2),
           c = check_uniform(random, 0.12, 0.24);
    print(to, "shapes: [{type: %s, ", names[kind]);
    if (kind == 0) print(to, "size: [%.17g, %.17g, %.17g]}]}\n", 2.0 * a, b, c);
    if (kind == 1 || kind == 2) print(to, "radius: %.17g, length: %.17g}]}\n", a, c);
    if (kind == 3) print(to, "radius: %.17g}]}\n", a);
}

static void print_body(text *to, check_random *random, int index, int kind)
{
    print(to, "  - {name: b%d, mass: %.17g, position: [%.17g, 0, %.17g], ", index,
          exp(check_uniform(random, -1.0, 2.0)), check_uniform(random, -0.05, 0.05),
          0.3 + 0.35 * index + check_uniform(random, 0.0, 0.05));
    double p[4], norm = 0.0;
    for (int k = 0; k < 4; k++) {
        p[k] = check_normal(random);
        norm += p[k] * p[k];
    }
    norm = sqrt(norm);
    print(to, "orientation: [%.17g, %.17g, %.17g, %.17g], ", p[0] / norm, p[1] / norm, p[2] / norm,
          p[3] / norm);
    print(to, "angular_velocity: [%.17g, %.17g, %.17g], ", check_uniform(random, -5.0, 5.0),
          check_uniform(random, -5.0, 5.0), check_uniform(random, -5.0, 5.0));
    print_shape(to, random, kind);
}

/* One, two or three bodies fall on a plane or on a box, each contact with a restitution of its own. */
static void print_scene(text *to, check_random *random, int trial)
{
    bool on_plane = trial % 2 == 0;
    int count = 1 + trial % 3, kinds[3];
    to->length = 0;
    print(to, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < count; i++) {
        /* cylinders meet planes alone */
        kinds[i] = (int)(check_random_bits(random) % (on_plane && count == 1 ? 4 : 2));
        print_body(to, random, i, kinds[i]);
    }
    print(to, "ground: {shapes: [{name: floor, type: %s}]}\n",
          on_plane ? "plane" : "box, size: [3, 3, 1], position: [0, 0, -0.5]");
    print(to, "contacts:\n");
    for (int i = 0; i < count; i++) {
        print(to, "  - {name: f%d, between: [floor, b%d], restitution: %.17g}\n", i, i,
              check_uniform(random, 0.0, 1.0));
        for (int j = 0; j < i; j++)
            print(to, "  - {name: c%d%d, between: [b%d, b%d], restitution: %.17g}\n", j, i, j, i,
                  check_uniform(random, 0.0, 1.0));
    }
}

/* One in ten stopped when gaps were taken at the end of the step. */
TEST(falling_shapes_of_all_kinds_never_stop_a_run)
{
    check_random random = {7};
    text scene_text;
    for (int trial = 0; trial < 40; trial++) {
        print_scene(&scene_text, &random, trial);
        tp_scene *scene = scene_of(scene_text.bytes);
        tp_simulation *simulation = run_paoli(scene, 5e-3, 0.6);
        CHECK_INT(tp_simulation_report(simulation)->not_converged, 0);
        release(simulation, scene);
    }
}

/* --- chains and loops */

/* The rows of the joints turn by up to a radian in a step where the chain is thrown back by its own contacts.
   With their directions of the middle as derivatives an iteration gained 7 percent there, and fifty did not
   do; with those of the end the error is squared. */
TEST(a_chain_that_whips_takes_few_iterations)
{
    static const char chain[] =
        "gravity: [0, 0, -9.81]\n"
        "parameters: {h: 0.9733992375200138}\n"
        "bodies:\n"
        "  - {name: b0, mass: 5.779411100873444, position: [0.15, 0, h], orientation: {axis: [0, 1, 0], "
        "angle: "
        "pi/2},\n"
        "     shapes: [{type: box, size: [0.2, 0.08, 0.06]}]}\n"
        "  - {name: b1, mass: 0.8356272297952791, position: [0.45, 0, h], shapes: [{type: box, size: [0.2, "
        "0.08, 0.06]}]}\n"
        "  - {name: b2, mass: 1.3402735829986592, position: [0.75, 0, h], orientation: {axis: [0, 1, 0], "
        "angle: "
        "pi/2},\n"
        "     shapes: [{type: capsule, radius: 0.04, length: 0.12}]}\n"
        "  - {name: b3, mass: 8.3000933537912, position: [1.05, 0, h], orientation: {axis: [0, 1, 0], angle: "
        "pi/2},\n"
        "     shapes: [{type: capsule, radius: 0.04, length: 0.12}]}\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "joints:\n"
        "  - {name: j0, type: revolute, bodies: [ground, b0], point: [0, 0, h], axis: [0, 1, 0]}\n"
        "  - {name: j1, type: revolute, bodies: [b0, b1], point: [0.3, 0, h], axis: [0, 1, 0]}\n"
        "  - {name: j2, type: revolute, bodies: [b1, b2], point: [0.6, 0, h], axis: [0, 1, 0]}\n"
        "  - {name: j3, type: spherical, bodies: [b2, b3], point: [0.9, 0, h]}\n"
        "contacts:\n"
        "  - {name: c1, between: [floor, b0], restitution: 1}\n"
        "  - {name: c2, between: [b0, b2], restitution: 0}\n"
        "  - {name: c3, between: [b0, b3], restitution: 0.5}\n"
        "  - {name: c4, between: [floor, b1], restitution: 0.2}\n"
        "  - {name: c5, between: [b1, b3], restitution: 0.2}\n"
        "  - {name: c6, between: [floor, b2], restitution: 1}\n"
        "  - {name: c7, between: [floor, b3], restitution: 0.2}\n";
    tp_scene *scene = scene_of(chain);
    tp_simulation *simulation = run_paoli(scene, 5e-3, 0.6);
    /* five halvings of the number of wrong digits lead from 1 to rounding; contacts may change for some more
     */
    CHECK(tp_simulation_report(simulation)->iterations_max <= 12);
    release(simulation, scene);
}

/* Three links from rest, turned by so much each, of which the last is heavy. */
static void print_chain(text *to, const double turns[3])
{
    const double length = 0.4, masses[] = {0.1, 0.1, 10.0}; /* [m] [kg] */
    double x = 0.0, y = 0.0;
    char joints[1024] = "";
    to->length = 0;
    print(to, "gravity: [10, 0, 0]\nbodies:\n");
    for (int k = 0; k < 3; k++) {
        char before[16] = "ground";
        if (k > 0) snprintf(before, sizeof before, "l%d", k - 1);
        size_t used = strlen(joints);
        snprintf(joints + used, sizeof joints - used,
                 "  - {name: j%d, type: revolute, bodies: [%s, l%d], point: [%.17g, %.17g]}\n", k, before, k,
                 x, y);
        double along = 0.5 * length * cos(turns[k]), up = 0.5 * length * sin(turns[k]);
        print(
            to,
            "  - {name: l%d, type: planar, mass: %g, inertia: %.17g, position: [%.17g, %.17g], angle: %g}\n",
            k, masses[k], masses[k] * length * length / 12.0, x + along, y + up, turns[k]);
        x += 2.0 * along;
        y += 2.0 * up;
    }
    print(to, "joints:\n%s", joints);
}

/* A heavy link falls until two light ones are straight; (11). Newton's method then found solutions in which
   links are thrown by whole turns, and runs went on with 6e5 J and more until they stopped. What a link
   gains by half a turn in a step, I (pi/h)^2/2 or 263 J, no step may gain; the whole fall is 17 J. */
TEST(a_chain_that_comes_to_its_full_length_is_not_thrown_by_whole_turns)
{
    static const double turns[][3] = {{0.3, -0.9, 0.15}, {0.5, -0.5, 0.25}, {1.0, -0.3, 0.5}};
    const double h = 5e-3, inertia = 0.1 * 0.4 * 0.4 / 12.0, rate = acos(-1.0) / h;
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        text scene_text = {.length = 0};
        print_chain(&scene_text, turns[k]);
        tp_scene *scene = scene_of(scene_text.bytes);
        tp_simulation *simulation = run_paoli(scene, h, 1.0);
        CHECK(tp_simulation_report(simulation)->largest_energy_increase < 0.5 * inertia * rate * rate);
        release(simulation, scene);
    }
}

/* Where the tip of the bars is, found by energy-consistent steps of 1 ms; (R1): one row of the loop depends
   on the others everywhere. Kept, it made the linearised problems nearly singular, and a step took 0.3 s. */
TEST(a_loop_with_more_rows_than_it_needs_moves_with_order_two)
{
    const int bar3_x = 14;
    double error[2], reference[3];
    tp_scene *scene = read_example("bricard", NULL);
    scene->options.integrator = "consistent";
    scene->options.projection.kind = TP_PROJECTION_NONE;
    scene->options.time_step = 1e-3;
    scene->options.end_time = 1.0;
    tp_simulation *simulation = simulate_scene(scene);
    run(simulation);
    memcpy(reference, tp_simulation_q(simulation) + bar3_x, sizeof reference);
    release(simulation, scene);
    for (int k = 0; k < 2; k++) {
        scene = read_example("bricard", NULL);
        simulation = run_paoli(scene, 2e-2 / (1 << k), 1.0);
        const tp_run_report *report = tp_simulation_report(simulation);
        const double *q = tp_simulation_q(simulation) + bar3_x;
        error[k] = hypot(hypot(q[0] - reference[0], q[1] - reference[1]), q[2] - reference[2]);
        CHECK(report->iterations_max <= 8);
        CHECK(report->position_drift <= 1e-11 && report->angle_drift <= 1e-11);
        release(simulation, scene);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.2);
}

TEST_MAIN(RUNS(a_cylinder_lands_on_its_rim_and_settles_without_a_sideways_push),
          RUNS(falling_shapes_of_all_kinds_never_stop_a_run), RUNS(a_chain_that_whips_takes_few_iterations),
          RUNS(a_chain_that_comes_to_its_full_length_is_not_thrown_by_whole_turns),
          RUNS(a_loop_with_more_rows_than_it_needs_moves_with_order_two))
