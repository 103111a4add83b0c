/* The contract of tippe plot, docs/command-line.md: exit codes, messages, files. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#define SCRATCH TIPPE_PROGRAM "-test-plot-" /* files beside the program */
#include "ball_scene.h"
#include "program_run.h"

#define BALL  SCRATCH "ball.yaml"
#define RUN   SCRATCH "ball.h5"
#define OTHER SCRATCH "other.h5"
#define SVG   SCRATCH "ball.svg" /* what RUN gives without -o */
#define PNG   SCRATCH "ball.png"

static int make_runs(void **state)
{
    (void)state;
    write_text(BALL, ball);
    if (run("run " BALL " --quiet -o " RUN)->code != 0) return 1;
    return run("run " BALL " --quiet --set parameters.g=5 -o " OTHER)->code;
}

static int remove_runs(void **state)
{
    (void)state;
    static const char *const files[] = {BALL, RUN, OTHER, SVG, PNG};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) remove(files[k]);
    return 0;
}

static bool begins_with(const char *path, const char *beginning)
{
    char text[OUTPUT_MAX] = "";
    read_file(path, text);
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

TEST(a_run_becomes_an_svg_beside_it)
{
    remove(SVG);
    outcome *result = run("plot " RUN);
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, SVG ": 5 panels"));
    CHECK(begins_with(SVG, "<?xml") && result->err[0] == '\0');
}

TEST(two_runs_and_all_options_give_a_png)
{
    outcome *result =
        run("plot " RUN " " OTHER " --columns \"z:z'\" --columns 'energy;step/size,law/*/force_N'"
            " --equal --log --size 300x400 --dpi 100 -o " PNG);
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, PNG ": 3 panels, 8 curves"));
    CHECK(begins_with(PNG, "\x89PNG"));
    result = run("plot " RUN " --quiet -o " PNG);
    CHECK(result->code == 0 && result->out[0] == '\0');
}

TEST(mistakes_have_the_exit_code_2_and_say_what_would_be_right)
{
    static const char *const cases[][2] = {
        {"plot", "missing RUN.h5"},
        {"plot " RUN " --columns q/y", "'q/z'"},
        {"plot " RUN " -o plot.pdf", ".svg or .png"},
        {"plot " RUN " -o " RUN, "would replace the run"},
        {"plot " RUN " --size 300", "WIDTHxHEIGHT"},
        {"plot " RUN " --size 1x1", "expected 60"},
        {"plot " RUN " --dpi 1", "from 10 to 2400"},
        {"plot " RUN " --colums z", "--columns"},
        {"plot " BALL, BALL},
        {"plot a b c d e f g h i", "one argument too many: i"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        outcome *result = run(cases[k][0]);
        if (result->code != 2 || !holds(result->err, cases[k][1])) print_error("%s", result->err);
        CHECK_INT(result->code, 2);
        CHECK(holds(result->err, cases[k][1]));
    }
}

TEST(files_that_cannot_be_read_or_written_have_the_exit_code_4)
{
    CHECK_INT(run("plot " SCRATCH "none.h5")->code, 4);
    CHECK_INT(run("plot " RUN " " SCRATCH "none.h5")->code, 4);
    CHECK_INT(run("plot " RUN " -o " SCRATCH "none/plot.svg")->code, 4);
    CHECK_INT(run("plot " RUN " -o /dev/full.svg/x.svg")->code, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(a_run_becomes_an_svg_beside_it),
        RUNS(two_runs_and_all_options_give_a_png),
        RUNS(mistakes_have_the_exit_code_2_and_say_what_would_be_right),
        RUNS(files_that_cannot_be_read_or_written_have_the_exit_code_4),
    };
    return cmocka_run_group_tests(tests, make_runs, remove_runs);
}
