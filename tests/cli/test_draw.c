/* The contracts of tippe run --paraview, export, draw, view and film, docs/command-line.md: exit codes,
 * messages, files.
 */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-draw-" /* files beside the program */
#include "program_run.h"

#include "io/vtp_reader.h"

#define BALL  SCRATCH "ball.yaml"
#define BARE  SCRATCH "bare.yaml" /* draws nothing */
#define RUN   SCRATCH "ball.h5"
#define OTHER SCRATCH "bare.h5"
#define FILM  SCRATCH "film"
#define SVG   SCRATCH "ball-moments.svg" /* what RUN gives without -o */
#define PNG   SCRATCH "ball.png"
#define GIF   SCRATCH "film.gif"
#define PAGE  SCRATCH "ball.html" /* what view gives without -o */

static const char bare[] = "name: ball\n"
                           "coordinates: [z]\n"
                           "kinetic: \"1/2*z'^2\"\n"
                           "potential: \"9.81*z\"\n"
                           "contacts:\n"
                           "  - {name: floor, gap: \"z\", restitution: 0.5}\n"
                           "initial: {z: 0.1}\n"
                           "simulate: {dt: 1e-3, until: 0.5}\n"
                           "output: {every: 1e-2, frame_every: 0.1}\n";
static const char figures[] =
    "draw:\n"
    "  - {name: floor, kind: line, points: [[-0.1, 0], [0.1, 0]]}\n"
    "  - {name: ball, kind: circle, at: [0, z, \"z/2\"], radius: 0.01, filled: true}\n";

static int make_runs(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, "%s%s", bare, figures);
    write_text(BALL, text);
    write_text(BARE, bare);
    if (run("run " BALL " --quiet -o " RUN)->code != 0) return 1;
    return run("run " BARE " --quiet -o " OTHER)->code;
}

static void remove_film(void)
{
    scratch_folder folder;
    snprintf(folder.path, sizeof folder.path, "%s", FILM);
    scratch_close(&folder);
    remove(FILM ".pvd");
}

static int remove_runs(void **state)
{
    (void)state;
    static const char *const files[] = {BALL, BARE, RUN, OTHER, SVG, PNG, PAGE, GIF};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) remove(files[k]);
    remove_film();
    return 0;
}

TEST(a_run_writes_frames_for_paraview)
{
    outcome *result = run("run " BALL " --paraview " FILM);
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "frames       " FILM));
    CHECK_INT(vtp_check_index(FILM "/motion.pvd", NULL, NULL), 6);
    CHECK_INT(run("run " BALL " --quiet --paraview " FILM ".pvd --frame-every 0")->code, 0);
    CHECK_INT(vtp_check_index(FILM ".pvd", NULL, NULL), 51);
    CHECK_INT(run("run " BALL " --quiet --set output.frame_every=0.25 --paraview " FILM ".pvd")->code, 0);
    CHECK_INT(vtp_check_index(FILM ".pvd", NULL, NULL), 3);
    remove_film();
}

TEST(a_recorded_run_is_exported)
{
    outcome *result = run("export " RUN " -o " FILM ".pvd");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, FILM ".pvd: 51 frames"));
    CHECK_INT(vtp_check_index(FILM ".pvd", NULL, NULL), 51);
    result = run("export " OTHER " --scene " BALL " --every 0.1 --quiet -o " FILM ".pvd");
    CHECK(result->code == 0 && result->out[0] == '\0');
    CHECK_INT(vtp_check_index(FILM ".pvd", NULL, NULL), 6);
    remove_film();
}

TEST(moments_of_a_run_become_a_picture)
{
    remove(SVG);
    outcome *result = run("draw " RUN);
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, SVG ": 12 moments"));
    char text[OUTPUT_MAX] = "", again[OUTPUT_MAX] = "";
    read_file(SVG, text);
    CHECK(strncmp(text, "<?xml", 5) == 0);
    CHECK_INT(run("draw " RUN " --quiet")->code, 0);
    read_file(SVG, again);
    CHECK(strcmp(text, again) == 0); /* same motion, same bytes */
    static const char *const views[] = {"xy", "xz", "yz", "iso", "1,2,-3.5"};
    for (int k = 0; k < 5; k++) {
        char words[512];
        snprintf(words, sizeof words,
                 "draw " RUN
                 " --frames 3 --from 0.1 --until 0.3 --side-by-side --view %s --size 300x0 --dpi 72 -o " PNG,
                 views[k]);
        CHECK_INT(run(words)->code, 0);
    }
    CHECK_INT(run("draw " OTHER " --scene " BALL " --frames 1 -o " PNG)->code, 0);
}

/* A program without three.js says what to install. */
static bool has_pages(void)
{
    outcome *result = run("view " RUN);
    if (result->code != 0 && !holds(result->err, "libjs-three")) print_error("%s", result->err);
    return result->code == 0;
}

TEST(a_run_becomes_a_page)
{
    if (!has_pages()) skip();
    outcome *result = run("view " RUN);
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, PAGE ": 51 frames"));
    result = run("view " RUN " --every 0.1 --columns energy -o " PAGE);
    CHECK(holds(result->out, "6 frames") && holds(result->out, "6 of 51 rows"));
    CHECK(run("view " RUN " --quiet")->out[0] == '\0');
    CHECK_INT(run("view " OTHER " -o " PAGE)->code, 0); /* nothing to draw: curves, events and the report */
    CHECK_INT(run("view " OTHER " --scene " BALL " -o " PAGE)->code, 0);
    CHECK(holds(run("view " RUN " --columns no-such")->err, "no-such"));
    CHECK_INT(run("view " RUN " -o " SCRATCH "none/a.html")->code, 4);
}

TEST(a_run_becomes_a_film)
{
    CHECK(holds(run("film " RUN " -o " GIF)->out, GIF ": 51 frames")); /* every row: 0.5 s at a quarter */
    CHECK(holds(run("film " RUN " --speed 0.5 --fps 20 --view xz -o " PNG)->out, "21 frames"));
    CHECK(holds(run("draw " RUN " --at 0.1,0.25,0.4 -o " PNG)->out, "3 moments"));
    CHECK(holds(run("draw " RUN " --at events --frames 4 -o " PNG)->out, "4 moments"));
    CHECK_INT(run("film " SCRATCH "none.h5")->code, 4);
    CHECK_INT(run("film " RUN " -o " SCRATCH "none/a.gif")->code, 4);
}

TEST(mistakes_have_the_exit_code_2_and_say_what_would_be_right)
{
    static const char *const cases[][2] = {
        {"run " BARE " --paraview " FILM, "section `draw`"},
        {"run " BALL " --frame-every 1", "without --paraview"},
        {"run " BALL " --paraview -", "NAME.pvd"},
        {"run " BALL " -o " FILM ".pvd", "frames for ParaView are written by --paraview"},
        {"run " BALL " --paraview " BALL, "would replace"},
        {"run " BALL " --paraview " FILM " --frame-every -1", "0 or more"},
        {"export " RUN, "missing -o"},
        {"export " RUN " -o " RUN, "would replace the run"},
        {"export " OTHER " -o " FILM, "section `draw`"},
        {"export " BALL " -o " FILM, BALL},
        {"export " RUN " -o " FILM " --every x", "0 or more"},
        {"draw " RUN " --view up", "xy, xz, yz, iso"},
        {"draw " RUN " --view 0,0,0", "no direction"},
        {"draw " RUN " --view 1,2", "such as"},
        {"draw " RUN " --frames 0", "from 1 to 200"},
        {"draw " RUN " --from 2", "the run goes from 0 to 0.5 s"},
        {"draw " RUN " --from 0.3 --until 0.2", "the run goes from"},
        {"draw " RUN " -o picture.pdf", ".svg or .png"},
        {"draw " RUN " -o " RUN, "would replace the run"},
        {"draw " OTHER, "section `draw`"},
        {"draw", "missing RUN.h5"},
        {"draw " RUN " --at 0.3,0.2", "ascending times"},
        {"draw " RUN " --at 0.3,9", "the run goes from 0 to 0.5 s"},
        {"draw " RUN " --at soon", "expected events"},
        {"film " RUN " -o film.avi", ".gif or .png"},
        {"film " RUN " -o " RUN, "would replace the run"},
        {"film " RUN " --speed 0", "above 0"},
        {"film " OTHER " -o " GIF, "section `draw`"},
        {"view " RUN " -o page.svg", "must end in .html"},
        {"view " RUN " -o " RUN, "must end in .html"},
        {"view " RUN " --every -1", "0 or more"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        outcome *result = run(cases[k][0]);
        if (result->code != 2 || !holds(result->err, cases[k][1]))
            print_error("%s: %s", cases[k][0], result->err);
        CHECK_INT(result->code, 2);
        CHECK(holds(result->err, cases[k][1]));
    }
    CHECK(fopen(FILM "/motion.pvd", "rb") == NULL);
}

TEST(files_that_cannot_be_read_or_written_have_the_exit_code_4)
{
    CHECK_INT(run("run " BALL " --quiet --paraview " SCRATCH "none/film")->code, 4);
    CHECK_INT(run("export " SCRATCH "none.h5 -o " FILM)->code, 4);
    CHECK_INT(run("export " RUN " -o " SCRATCH "none/film.pvd")->code, 4);
    CHECK_INT(run("export " RUN " --scene " SCRATCH "none.yaml -o " FILM)->code, 4);
    CHECK_INT(run("draw " SCRATCH "none.h5")->code, 4);
    CHECK_INT(run("draw " RUN " -o " SCRATCH "none/a.svg")->code, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(a_run_writes_frames_for_paraview),
        RUNS(a_recorded_run_is_exported),
        RUNS(moments_of_a_run_become_a_picture),
        RUNS(a_run_becomes_a_page),
        RUNS(a_run_becomes_a_film),
        RUNS(mistakes_have_the_exit_code_2_and_say_what_would_be_right),
        RUNS(files_that_cannot_be_read_or_written_have_the_exit_code_4),
    };
    return cmocka_run_group_tests(tests, make_runs, remove_runs);
}
