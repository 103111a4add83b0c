/* `check --expand`, and what the program does with scenes of repeats and includes. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-expand-" /* files beside the program */
#include "program_run.h"

#include <unistd.h>

#define CHAIN TIPPE_SOURCE_DIR "/examples/hanging-chain/scene.yaml"

/* The last state of a run, as JSON says it. */
static void last_state(void **check_state_, const char *arguments, char *state_out)
{
    const outcome *result = run(arguments);
    if (result->code != 0) print_error("%s\n%s", arguments, result->err);
    CHECK_INT(result->code, 0);
    const char *begin = strstr(result->out, "\"q\": ["), *end = strstr(result->out, "\"energy\"");
    CHECK(begin != NULL && end > begin);
    snprintf(state_out, OUTPUT_MAX, "%.*s", (int)(end - begin), begin);
}

TEST(the_expanded_scene_moves_as_the_scene_does_to_the_last_bit)
{
    static char one[OUTPUT_MAX], other[OUTPUT_MAX];
    const outcome *result = run("check '" CHAIN "' --set parameters.n=6 --expand > '" SCRATCH "whole.yaml'");
    CHECK_INT(result->code, 0);
    read_file(SCRATCH "whole.yaml", one);
    CHECK(holds(one, "name: mass5") && !holds(one, "mass6") && !holds(one, "repeat"));
    last_state(check_state_, "run '" CHAIN "' --set parameters.n=6 --until 0.1 --json", one);
    last_state(check_state_, "run '" SCRATCH "whole.yaml' --until 0.1 --json", other);
    CHECK(strcmp(one, other) == 0);
    remove(SCRATCH "whole.yaml");
}

TEST(a_scene_that_is_unsound_can_be_expanded)
{
    write_text(SCRATCH "bad.yaml", "bodies: [{repeat: {i: 2}, name: \"b{i}\", mas: i}]\n");
    const outcome *result = run("check '" SCRATCH "bad.yaml' --expand");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "name: b1"));
    result = run("check '" SCRATCH "bad.yaml'");
    CHECK_INT(result->code, 2);
    CHECK(holds(result->err, "unknown key 'mas'; did you mean 'mass'? (where i = 0)"));
    result = run("check '" SCRATCH "bad.yaml' --expand --json");
    CHECK_INT(result->code, 2);
    remove(SCRATCH "bad.yaml");
}

TEST(hostile_scenes_end_with_exit_code_2)
{
    static const char *const scenes[] = {
        "bodies: [{repeat: {a: 100000, b: 100000, c: 100000}, when: a < 0, name: x}]\n",
        "bodies: [{repeat: {a: 100000000}, name: \"x{a}\"}]\n",
        "include: [" SCRATCH "bad.yaml]\n",
    };
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        write_text(SCRATCH "bad.yaml", scenes[k]);
        CHECK_INT(run("run '" SCRATCH "bad.yaml'")->code, 2);
        CHECK_INT(run("check '" SCRATCH "bad.yaml' --expand")->code, 2);
    }
    write_text(SCRATCH "bad.yaml", "include: not-there.yaml\n");
    CHECK_INT(run("check '" SCRATCH "bad.yaml'")->code, 4);
    remove(SCRATCH "bad.yaml");
}

/* What was included is stored: a recorded run can be drawn when the file is gone. */
TEST(a_recorded_run_needs_no_included_file)
{
    write_text(SCRATCH "ball.yaml",
               "parameters: {x: 0}\n"
               "bodies: [{name: ball, density: 1000, position: [x, 0, 1], shapes: [{type: "
               "sphere, radius: 0.1}]}]\n");
    write_text(SCRATCH "two.yaml",
               "include: [{repeat: {i: 2}, file: \"" SCRATCH "ball.yaml\", prefix: \"b{i}_\", "
               "parameters: {x: i}}]\n"
               "gravity: [0, 0, -9.81]\nsimulate: {dt: 1e-2, until: 0.1}\n");
    const outcome *result = run("run '" SCRATCH "two.yaml' --quiet -o '" SCRATCH "two.h5'");
    if (result->code != 0) print_error("%s", result->err);
    CHECK_INT(result->code, 0);
    CHECK_INT(run("run '" SCRATCH "two.yaml' --quiet -o '" SCRATCH "ball.yaml'")->code, 2); /* an input */
    remove(SCRATCH "ball.yaml");
    remove(SCRATCH "two.yaml");
    result = run("draw '" SCRATCH "two.h5' --quiet -o '" SCRATCH "two.svg'");
    if (result->code != 0) print_error("%s", result->err);
    CHECK_INT(result->code, 0);
    remove(SCRATCH "two.h5");
    remove(SCRATCH "two.svg");
}

TEST_MAIN(RUNS(the_expanded_scene_moves_as_the_scene_does_to_the_last_bit),
          RUNS(a_scene_that_is_unsound_can_be_expanded), RUNS(hostile_scenes_end_with_exit_code_2),
          RUNS(a_recorded_run_needs_no_included_file))
