/* Claim: generalized-alpha takes every example but those of its table, at three step sizes, without a stop
   and with few iterations; docs/theory/generalized-alpha.md (18), (19). The first steps of each;
   long/alpha_scenes goes on. */
#define _POSIX_C_SOURCE 200809L
#include "alpha_sweep.h"

TEST(every_example_is_stepped_at_three_step_sizes)
{
    CHECK_INT(alpha_sweep(500.0), 0);
}

static bool has_warned(const tp_simulation *simulation, tp_warning_kind kind)
{
    const tp_run_report *report = tp_simulation_report(simulation);
    for (int i = 0; i < report->warning_count; i++) {
        if (report->warnings[i].kind == kind) return true;
    }
    return false;
}

#define MOVES "gravity: [0, 0, -9.81]\nsimulate: {integrator: generalized-alpha, dt: 2e-3, until: 0.4}\n"

#define SLIDES(shape)                                                                                        \
    MOVES "bodies: [{name: b, position: [0, 0, 0.1], velocity: [0.6, 0, 0], density: 1000,\n"                \
          "          shapes: [{name: block, type: box, size: [0.2, 0.2, 0.2]}]}]\n"                          \
          "ground: {shapes: [{name: table, " shape "}]}\n"                                                   \
          "contacts: [{name: touch, between: [table, block], friction: 0.1}]\n"

/* A cylinder on its side that slips until it rolls with 2/3 of its speed, and a box that slides over another
   one, a triangle of a mesh or a heightfield and loses mu g t: they have an exact second levels as
   long as the same points touch. Accelerations are constant, so that the scheme is exact but for the step in
   which slip ends: it loses up to a step of it, mu g dt. */
TEST(shapes_with_edges_are_exact_away_from_their_kinks)
{
    static const char *const texts[] = {
        MOVES "bodies: [{name: b, position: [0, 0, 0.1], velocity: [0.6, 0, 0], density: 1000,\n"
              "          orientation: {axis: [1, 0, 0], angle: pi/2},\n"
              "          shapes: [{name: roll, type: cylinder, radius: 0.1, length: 0.2}]}]\n"
              "ground: {shapes: [{name: floor, type: plane}]}\n"
              "contacts: [{name: touch, between: [floor, roll], friction: 0.2}]\n",
        SLIDES("type: box, size: [2, 2, 0.2], position: [0, 0, -0.1]"),
        SLIDES("type: mesh, mesh: {vertices: [[-9, -9, 0], [9, -9, 0], [0, 9, 0]], triangles: [[0, 1, 2]]}"),
        SLIDES("type: heightfield, heights: [[0, 0], [0, 0]], spacing: [8, 8], position: [-1, -5, 0]")};
    const double slid = 0.6 - 0.1 * 9.81 * 0.4, speed[] = {0.4, slid, slid, slid}, pi = acos(-1.0),
                 mass[] = {2.0 * pi, 8.0, 8.0, 8.0};
    for (int k = 0; k < 4; k++) {
        tp_scene *scene = scene_of(texts[k]);
        tp_simulation *simulation = simulate_options(scene->model, scene->options);
        run(simulation);
        CHECK_NEAR(tp_simulation_u(simulation)[0], speed[k], k == 0 ? 0.2 * 9.81 * 2e-3 : 1e-10);
        CHECK_NEAR(tp_simulation_q(simulation)[2], 0.1, 1e-12);
        CHECK(!has_warned(simulation, TP_WARNING_KINKED_GAP));
        double force = 0.0, rows[TP_IMPULSE_ROWS];
        for (int i = 0; i < tp_simulation_law_count(simulation); i++) {
            tp_simulation_kept_force(simulation, i, TP_FORCE_LAST, rows);
            force += rows[0];
        }
        CHECK_NEAR(force, mass[k] * 9.81, 1e-9 * mass[k] * 9.81);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* A cylinder that is dropped on its rim and rocks: its points jump from side to side, which is said, and the
   run goes on. */
TEST(kinks_are_said_and_stop_nothing)
{
    static const char text[] =
        MOVES "bodies: [{name: b, position: [0, 0, 0.16], density: 1000,\n"
              "          orientation: {axis: [1, 0.2, 0], angle: 0.4},\n"
              "          shapes: [{name: can, type: cylinder, radius: 0.1, length: 0.2}]}]\n"
              "ground: {shapes: [{name: floor, type: plane}]}\n"
              "contacts: [{name: touch, between: [floor, can], friction: 0.3}]\n";
    tp_scene *scene = scene_of(text);
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    run(simulation);
    CHECK(has_warned(simulation, TP_WARNING_KINKED_GAP));
    CHECK(tp_simulation_report(simulation)->penetration <= 1e-12);
    CHECK(strstr(tp_simulation_report(simulation)->caveat, "no law on accelerations") != NULL); /* of check */
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Three boxes that tumble onto each other: edges and corners meet others at the end of a step than at its
   start, and have the rows of its answers; (13a), (13b). With those of its start alone boxes overlapped by
   2e-5 and 3.6e-5 m, and static friction has the same steps. */
TEST(boxes_that_tumble_onto_each_other_do_not_overlap)
{
    static const struct {
        const char *poses[3];
        const char *until;
    } heaps[] = {
        {{"position: [-0.004, 0.005, 0.13], orientation: {axis: [0.85, -0.07, 0.56], angle: 0.88}, velocity: "
          "[-0.19, 0.01, 0]",
          "position: [0.01, 0.023, 0.35], orientation: {axis: [-0.81, -0.39, 0.18], angle: 1.21}, velocity: "
          "[0.12, -0.27, 0]",
          "position: [0.039, 0.037, 0.57], orientation: {axis: [0.31, 0.23, 0.24], angle: 0.02}, velocity: "
          "[0.02, -0.26, 0]"},
         "0.2"},
        {{"position: [0.023, 0.026, 0.13], orientation: {axis: [-0.03, -0.48, 0.1], angle: 0.99}, velocity: "
          "[-0.02, 0.16, 0]",
          "position: [-0.01, 0.022, 0.35], orientation: {axis: [-0.45, 0.6, 0.76], angle: 0.62}, velocity: "
          "[0.02, 0.11, 0]",
          "position: [-0.025, 0.004, 0.57], orientation: {axis: [0.61, -0.47, 0.82], angle: 1.03}, velocity: "
          "[0.21, -0.1, 0]"},
         "0.36"}};
    static const char *const friction[] = {"0.3", "0.3, static_friction: 0.4"};
    for (int k = 0; k < 4; k++) {
        char text[4000];
        int length = snprintf(text, sizeof text,
                              "gravity: [0, 0, -9.81]\nsimulate: {integrator: generalized-alpha, dt: 2e-3, "
                              "until: %s}\nbodies:\n",
                              heaps[k / 2].until);
        for (int b = 0; b < 3; b++)
            length += snprintf(text + length, sizeof text - (size_t)length,
                               "  - {name: b%d, density: 1000, %s, shapes: [{name: s%d, type: box, size: "
                               "[0.2, 0.15, 0.1]}]}\n",
                               b, heaps[k / 2].poses[b], b);
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "ground: {shapes: [{name: floor, type: box, size: [2, 2, 0.2], position: [0, 0, "
                           "-0.1]}]}\ncontacts:\n");
        for (int a = 0; a < 3; a++) {
            for (int b = -1; b < a; b++) {
                char other[8] = "floor";
                if (b >= 0) snprintf(other, sizeof other, "s%d", b);
                length += snprintf(text + length, sizeof text - (size_t)length,
                                   "  - {name: t%d%s, between: [%s, s%d], friction: %s}\n", a, other, other,
                                   a, friction[k % 2]);
            }
        }
        tp_scene *scene = scene_of(text);
        tp_simulation *simulation = simulate_options(scene->model, scene->options);
        run(simulation);
        CHECK(tp_simulation_report(simulation)->penetration <= 1e-12);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* Points of a face that carry nothing have velocities of rounding: they do not slip, and the forces of a step
   are those of the next, which are its answer but for one step in thirty. Before, forces jumped among those
   that balance, in up to three inclusions a step; or were solved anew in every step for their last digits. */
TEST(a_wall_at_rest_stays_as_it_is)
{
    const char *edits[] = {"simulate.integrator=generalized-alpha", "parameters.rows=5", "simulate.until=1"};
    tp_scene *scene = read_edited("brick-wall", edits, 3);
    tp_simulation *simulation = simulate_scene(scene);
    tp_restart start, end;
    tp_simulation_checkpoint(simulation, &start);
    double q[7 * 15];
    for (int i = 0; i < start.q_count; i++) q[i] = start.q[i];
    run(simulation);
    tp_simulation_checkpoint(simulation, &end);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK(report->iterations_max <= 1 && report->iterations_mean <= 0.1);
    CHECK(report->penetration <= 1e-12);
    CHECK_INT(end.q_count, 7 * 15);
    for (int i = 0; i < end.q_count; i++) CHECK_NEAR(end.q[i], q[i], 1e-12);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Accelerations that are rounding, kept as the answer of step after step, added up to velocities at which
   friction slipped in directions of rounding: one step in nine was solved anew, and a wall of ten boxes ended
   in kinks after 177 steps, each of which took seconds. */
TEST(rounding_of_accelerations_does_not_move_a_wall_at_rest)
{
    const char *edits[] = {"simulate.integrator=generalized-alpha", "parameters.rows=3", "simulate.dt=5e-3"};
    tp_scene *scene = read_edited("brick-wall", edits, 3);
    tp_simulation *simulation = simulate_scene(scene);
    run(simulation);
    CHECK_INT(tp_simulation_report(simulation)->steps, 400);
    CHECK_INT(tp_simulation_report(simulation)->iterations_max, 0);
    CHECK(!has_warned(simulation, TP_WARNING_KINKED_GAP));
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* A ball, a box with a ball on it and two capsules fall and roll to rest on a plane, in units of 100 m. Slips
   that ended at a speed of rounding made rows of 1e18, whose size excused errors of 0.07 after one inclusion:
   the run stopped at step 120, and in other units it took ten times as long. */
TEST(slips_that_end_do_not_excuse_errors)
{
    static const char text[] =
        "gravity: [0, 0, -0.0981]\n"
        "bodies:\n"
        "  - {name: ball, mass: 0.4352, inertia: [2.19e-7, 2.57e-7, 2.38e-7], position: [0, 0, 5.22e-3],\n"
        "     velocity: [-8.2e-3, 5.2e-3, 6.8e-3], angular_velocity: [-6.8, -3.4, -3.9],\n"
        "     shapes: [{type: sphere, radius: 1.126e-3}]}\n"
        "  - {name: box, mass: 1.0169, inertia: [5.89e-7, 4.21e-7, 4.26e-7], position: [3.2e-3, 1e-4, "
        "7.2e-3],\n"
        "     velocity: [9.7e-3, 7.1e-3, -4.6e-3], angular_velocity: [4.8, 8.4, -8.1],\n"
        "     shapes: [{type: box, size: [8.9e-4, 8.7e-4, 1.51e-3]},\n"
        "              {type: sphere, radius: 9.23e-4, position: [4e-4, -3e-5, -3.4e-4]}]}\n"
        "  - {name: pair, density: 1e12, position: [6.4e-3, -1.6e-4, 7.2e-3],\n"
        "     orientation: {axis: [-0.727, -0.373, 0.084], angle: 0.69},\n"
        "     velocity: [-5.8e-3, -3.8e-3, -8.6e-3], angular_velocity: [-2.7, -3.5, 5.4],\n"
        "     shapes: [{type: capsule, radius: 9.24e-4, length: 1.05e-3},\n"
        "              {type: capsule, radius: 4.2e-4, length: 2.66e-3, position: [2.8e-4, -9e-5, 4e-4]}]}\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "contacts: [{name: touch, among: [ground, ball, box, pair], friction: 0.2, rolling: 5e-5}]\n"
        "simulate: {integrator: generalized-alpha, dt: 0.0101, until: 1.515}\n";
    tp_scene *scene = scene_of(text);
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    run(simulation);
    CHECK(!has_warned(simulation, TP_WARNING_DIVIDED_STEP));
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* (10a): across the slip the inertia is a millionth of that along, so that friction turns its direction by
   more than the direction itself in a step. Iterations that take the direction as given needed up to 47. */
TEST(a_light_wheel_turns_its_slip_in_few_iterations)
{
    const char *edits[] = {"simulate.integrator=generalized-alpha", "simulate.dt=2e-3", "simulate.until=0.1"};
    tp_scene *scene = read_edited("light-wheel", edits, 3);
    tp_simulation *simulation = simulate_scene(scene);
    run(simulation);
    CHECK(tp_simulation_report(simulation)->iterations_max <= 4);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

static bool counts_down(void *context)
{
    int *left = context;
    return (*left)-- <= 0;
}

/* Steps may take seconds: between their linearised inclusions they ask whether they are still wanted. */
TEST(an_interrupt_ends_a_step_that_then_is_taken_as_if_nothing_had_happened)
{
    const char *edits[] = {"simulate.integrator=generalized-alpha"};
    tp_scene *scene = read_edited("card-house", edits, 1);
    tp_simulation *simulation = simulate_scene(scene), *other = simulate_scene(scene);
    double dt = scene->options.time_step;
    int q_count = tp_model_summarise(scene->model).coordinate_count, left = 1;
    for (int k = 1; k <= 3; k++) {
        CHECK_INT(tp_simulation_step(simulation, k * dt, NULL), TP_OK);
        CHECK_INT(tp_simulation_step(other, k * dt, NULL), TP_OK);
    }
    tp_simulation_set_interrupt(simulation, counts_down, &left);
    CHECK_INT(tp_simulation_step(simulation, 4 * dt, NULL), TP_INTERRUPTED);
    CHECK(left < 0); /* after one inclusion: the step needs more */
    CHECK_INT(memcmp(tp_simulation_q(simulation), tp_simulation_q(other), (size_t)q_count * sizeof(double)),
              0);
    CHECK(tp_simulation_time(simulation) == 3 * dt);
    left = 0;
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_INTERRUPTED);
    CHECK(strstr(tp_simulation_report(simulation)->reason, "interrupted") != NULL);
    tp_simulation_set_interrupt(simulation, NULL, NULL);
    CHECK_INT(tp_simulation_step(simulation, 4 * dt, NULL), TP_OK);
    CHECK_INT(tp_simulation_step(other, 4 * dt, NULL), TP_OK);
    CHECK_INT(memcmp(tp_simulation_q(simulation), tp_simulation_q(other), (size_t)q_count * sizeof(double)),
              0);
    tp_simulation_free(simulation);
    tp_simulation_free(other);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(slips_that_end_do_not_excuse_errors), RUNS(a_light_wheel_turns_its_slip_in_few_iterations),
          RUNS(every_example_is_stepped_at_three_step_sizes),
          RUNS(shapes_with_edges_are_exact_away_from_their_kinks), RUNS(kinks_are_said_and_stop_nothing),
          RUNS(boxes_that_tumble_onto_each_other_do_not_overlap), RUNS(a_wall_at_rest_stays_as_it_is),
          RUNS(rounding_of_accelerations_does_not_move_a_wall_at_rest),
          RUNS(an_interrupt_ends_a_step_that_then_is_taken_as_if_nothing_had_happened))
