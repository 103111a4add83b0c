/* The contract of tippe events and run --columns, docs/command-line.md: exit codes, lines, JSON. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#define SCRATCH TIPPE_PROGRAM "-test-events-" /* files beside the program */
#include "ball_scene.h"
#include "program_run.h"

#define BALL SCRATCH "ball.yaml"
#define RUN  SCRATCH "ball.h5"
#define FEW  SCRATCH "few.h5"

static int make_runs(void **state)
{
    (void)state;
    write_text(BALL, ball);
    if (run("run " BALL " --quiet -o " RUN)->code != 0) return 1;
    return run("run " BALL " --quiet --columns q --columns energy -o " FEW)->code;
}

static int remove_runs(void **state)
{
    (void)state;
    static const char *const files[] = {BALL, RUN, FEW};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) remove(files[k]);
    return 0;
}

/* The ball falls 0.1 m: it hits at sqrt(2 h/g) = 0.1428 s, in the step that ends at 0.143 or 0.144 s. */
TEST(impacts_are_printed_with_their_law)
{
    outcome *result = run("events " RUN " --kind impact --until 0.2");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, " impact ") && holds(result->out, "floor"));
    CHECK(holds(result->out, "0.143 ") || holds(result->out, "0.144 "));
    CHECK(!holds(result->out, "opening") && holds(result->out, "\n1 of "));
}

TEST(filters_and_json_give_the_same_events)
{
    outcome *result = run("events " RUN " --kind impact --of floor --until 0.2 --json");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "\"kind\": \"impact\"") && holds(result->out, "\"law\": \"floor\""));
    CHECK(holds(result->out, "\"shape_a\": null") && holds(result->out, "\"energy_lost\": 0.7"));
    CHECK(holds(run("events " RUN " --of ceiling")->out, "\n0 of "));
}

/* The first impact has (1 + e) m sqrt(2 g h) = 2.1 N s, the next ones half of it, a quarter ... */
TEST(small_impulses_are_left_out)
{
    CHECK(holds(run("events " RUN " --kind impact --impulse 2")->out, "\n1 of "));
    CHECK(holds(run("events " RUN " --kind impact --impulse 1")->out, "\n2 of "));
    CHECK(holds(run("events " RUN " --kind impact --impulse 3")->out, "\n0 of "));
}

TEST(events_are_found_by_each_of_their_shapes)
{
    write_text(SCRATCH "shapes.yaml",
               "gravity: [0, 0, -9.81]\n"
               "bodies: [{name: a, mass: 1, position: [0, 0, 0.15],\n"
               "          shapes: [{name: marble, type: sphere, radius: 0.1}]}]\n"
               "ground: {shapes: [{name: tiles, type: plane}]}\n"
               "contacts: [{name: c, between: [tiles, marble]}]\nsimulate: {dt: 1e-3, until: 0.2}\n");
    CHECK_INT(run("run " SCRATCH "shapes.yaml --quiet -o " SCRATCH "shapes.h5")->code, 0);
    static const char *const names[] = {"tiles", "marble", "a"};
    for (int k = 0; k < 3; k++) {
        char line[1024];
        snprintf(line, sizeof line, "events " SCRATCH "shapes.h5 --kind impact --of %s", names[k]);
        CHECK(holds(run(line)->out, k < 2 ? "\n1 of " : "\n0 of "));
    }
    remove(SCRATCH "shapes.yaml");
    remove(SCRATCH "shapes.h5");
}

/* A lever falls onto the stop of its hinge: impulse in N m s, velocities in rad/s. A table headed in N s and
   m/s said otherwise. */
TEST(events_of_angles_have_their_units)
{
    write_text(
        SCRATCH "lever.yaml",
        "gravity: [0, 0, -9.81]\n"
        "bodies: [{name: lever, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}]\n"
        "joints: [{name: h, type: revolute, bodies: [ground, lever], point: [0, 0, 0], axis: [0, 1, 0],\n"
        "          limits: {upper: 0.3}}]\nsimulate: {dt: 1e-3, until: 0.4}\n");
    CHECK_INT(run("run " SCRATCH "lever.yaml --quiet -o " SCRATCH "lever.h5")->code, 0);
    CHECK(holds(run("events " SCRATCH "lever.h5")->out, "h.limit (N m s, rad/s)\n"));
    CHECK(holds(run("events " SCRATCH "lever.h5 --json")->out, "\"unit\": \"N m s\""));
    outcome *result = run("events " RUN " --kind impact");
    CHECK(!holds(result->out, "rad/s"));
    CHECK(holds(run("events " RUN " --kind impact --json")->out, "\"unit\": \"N s\""));
    remove(SCRATCH "lever.yaml");
    remove(SCRATCH "lever.h5");
}

TEST(what_cannot_be_printed_is_said)
{
    outcome *result = run("events " RUN " --kind impct");
    CHECK_INT(result->code, 2);
    CHECK(holds(result->err, "impact"));
    result = run("events " FEW);
    CHECK_INT(result->code, 2);
    CHECK(holds(result->err, "no table of events"));
    CHECK_INT(run("events " SCRATCH "none.h5")->code, 4);
    CHECK_INT(run("events " BALL)->code, 2);
    CHECK_INT(run("run " BALL " --quiet --columns qq -o " SCRATCH "x.h5")->code, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(impacts_are_printed_with_their_law), RUNS(filters_and_json_give_the_same_events),
        RUNS(small_impulses_are_left_out),        RUNS(events_are_found_by_each_of_their_shapes),
        RUNS(events_of_angles_have_their_units),  RUNS(what_cannot_be_printed_is_said),
    };
    return cmocka_run_group_tests(tests, make_runs, remove_runs);
}
