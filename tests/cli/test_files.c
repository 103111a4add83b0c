/* No command destroys what it reads, under whatever name; names of outputs keep what they promise; a run that
   is asked to end keeps its data. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         "test_files."
#include "program_run.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "ball_scene.h"
#include "tippe/output.h"

#define BALL   SCRATCH "ball.yaml"
#define SVG    SCRATCH "ball.svg" /* a scene too */
#define RUN    SCRATCH "run.h5"
#define LINK   SCRATCH "link.svg"
#define MESH   SCRATCH "mesh.obj"
#define SOLID  SCRATCH "solid.yaml"
#define DAT    SCRATCH "problem.dat"
#define BOTH   "test_files_both"
#define SOURCE TIPPE_SOURCE_DIR "/data/problems/lcp/lcp_CPS_1.dat"

static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
static const char solid[] = "name: solid\n"
                            "bodies:\n"
                            "  - {name: piece, density: 1000, mesh: {file: " MESH "}}\n"
                            "simulate: {dt: 1e-2, until: 0.1}\n";

static int make_files(void **state)
{
    static char text[OUTPUT_MAX];
    (void)state;
    write_text(BALL, ball);
    write_text(SVG, ball);
    write_text(MESH, mesh);
    write_text(SOLID, solid);
    read_file(SOURCE, text);
    write_text(DAT, text);
    remove(LINK);
    remove(SCRATCH "link.h5");
    remove(SCRATCH "link.yaml");
    int failures = symlink(RUN, LINK) + symlink(MESH, SCRATCH "link.h5") + link(BALL, SCRATCH "link.yaml");
    return failures + run("run " BALL " -o " RUN " --quiet")->code;
}

static int remove_files(void **state)
{
    static const char *const names[] = {
        BALL, SVG, RUN, LINK, MESH, SOLID, DAT, SCRATCH "link.h5", SCRATCH "link.yaml"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) remove(names[k]);
    return 0;
}

/* A sum of all bytes, with their places: what a file holds. */
static uint64_t content_of(const char *path)
{
    uint64_t sum = 0, place = 1;
    FILE *file = fopen(path, "rb");
    for (int byte; file != NULL && (byte = fgetc(file)) != EOF; place++) sum += place * (uint64_t)(byte + 1);
    if (file != NULL) fclose(file);
    return sum;
}

TEST(an_output_that_is_an_input_is_refused_and_the_input_stays)
{
    static const struct {
        const char *command, *input, *part;
    } cases[] = {
        {"solve " DAT " -o " DAT, DAT, "-o " DAT " would replace the problem " DAT},
        {"solve " DAT " -o ./" DAT, DAT, "would replace the problem"},
        {"plot " RUN " -o " RUN, RUN, "would replace the run"},
        {"plot " RUN " -o " LINK, RUN, "the picture " LINK " would replace the run " RUN},
        {"draw " RUN " -o " LINK, RUN, "would replace the run"},
        {"plot " LINK, RUN, ""}, /* the default, LINK.svg, is another file */
        {"draw " RUN " --scene " SVG " -o " SVG, SVG, "would replace the scene"},
        {"export " RUN " -o " RUN, RUN, "would replace the run"},
        {"export " RUN " -o " LINK, RUN, "would replace the run"},
        {"converge " SVG " --plot " SVG, SVG, "--plot " SVG " would replace the scene " SVG},
        {"converge " BALL " -o ./" BALL, BALL, "would replace the scene"},
        {"compare " SVG " --integrators all --plot " SVG, SVG, "would replace the scene"},
        {"run " BALL " --csv " SCRATCH "link.yaml", BALL, "would replace the scene"},
        {"run " BALL " --paraview " BALL, BALL, "would replace the scene"},
        {"run " BALL " --restart " RUN " -o ./" RUN " --until 1", RUN,
         "would replace the run that is continued, " RUN},
        {"run " BALL " --restart " LINK " -o " RUN " --until 1", RUN,
         "would replace the run that is continued"},
        {"run " SOLID " --csv " MESH, MESH, "would replace a file of the scene"},
        {"run " SOLID " -o " SCRATCH "link.h5", MESH, "would replace a file of the scene"},
        {"converge " SOLID " -o " MESH, MESH, "would replace a file of the scene"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        uint64_t before = content_of(cases[k].input);
        const outcome *o = run(cases[k].command);
        bool is_refused = cases[k].part[0] != '\0';
        if (o->code != (is_refused ? 2 : 0) || !holds(o->err, cases[k].part))
            print_error("%s: %s", cases[k].command, o->err);
        CHECK_INT(o->code, is_refused ? 2 : 0);
        CHECK(holds(o->err, cases[k].part));
        CHECK(content_of(cases[k].input) == before);
    }
    remove(SCRATCH "link.svg.svg");
}

TEST(two_outputs_that_are_one_file_are_refused)
{
    static const char *const commands[] = {
        "run " BALL " -o " BOTH " --csv ./" BOTH,
        "run " BALL " --csv " BOTH ".pvd --paraview " BOTH ".pvd",
        "converge " BALL " -o " BOTH ".svg --plot ./" BOTH ".svg",
    };
    for (size_t k = 0; k < 3; k++) {
        const outcome *o = run(commands[k]);
        if (o->code != 2) print_error("%s: %s", commands[k], o->err);
        CHECK_INT(o->code, 2);
        CHECK(holds(o->err, "are the same file"));
        CHECK(access(BOTH, F_OK) != 0 && access(BOTH ".pvd", F_OK) != 0);
    }
}

TEST(devices_may_be_named_twice)
{
    CHECK_INT(run("run " BALL " --csv /dev/null --quiet")->code, 0);
    CHECK_INT(run("solve " DAT " -o /dev/null")->code, 0);
}

TEST(the_ending_of_an_output_decides_what_is_written)
{
    char text[OUTPUT_MAX];
    CHECK_INT(run("run " BALL " -o " SCRATCH "x.csv --quiet")->code, 0);
    read_file(SCRATCH "x.csv", text);
    CHECK(strncmp(text, "time,", 5) == 0);
    remove(SCRATCH "x.csv");
    CHECK_INT(run("run " BALL " -o "
                  "test_files_x --quiet")
                  ->code,
              0); /* no ending: HDF5 */
    read_file("test_files_x", text);
    CHECK(strncmp(text, "\x89HDF", 4) == 0);
    remove("test_files_x");
    static const char *const refused[][2] = {
        {"run " BALL " -o " SCRATCH "x.txt", "ends in .h5 (HDF5) or .csv (text)"},
        {"run " BALL " -o " SCRATCH "x.pvd", "--paraview"},
        {"run " BALL " -o " SCRATCH "x.svg", "tippe plot"},
        {"run " BALL " -o " SCRATCH "x.csv --csv " SCRATCH "y.csv", "give one of them"},
        {"run " BALL " --csv " SCRATCH "x.h5", "it writes text"},
        {"converge " BALL " -o " SCRATCH "x.h5", "it writes text"},
    };
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        const outcome *o = run(refused[k][0]);
        CHECK_INT(o->code, 2);
        if (!holds(o->err, refused[k][1])) print_error("%s", o->err);
        CHECK(holds(o->err, refused[k][1]));
    }
}

/* Starts a run without end, waits for its output, and sends a signal; its exit code, -1 if the signal killed
 * it. */
static int end_run(int signal_number)
{
    const struct timespec pause = {0, 10000000};
    int status = 0;
    remove(SCRATCH "long.h5");
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL) _exit(98);
        execl(TIPPE_PROGRAM, TIPPE_PROGRAM, "run", "--quiet", BALL, "--until", "1e9", "--output-every",
              "0.01", "-o", SCRATCH "long.h5", (char *)NULL);
        _exit(99);
    }
    while (access(SCRATCH "long.h5", F_OK) != 0 && waitpid(child, &status, WNOHANG) == 0)
        nanosleep(&pause, NULL);
    for (int k = 0; k < 20; k++) nanosleep(&pause, NULL); /* some steps, most likely */
    kill(child, signal_number);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(whatever_asks_a_run_to_end_its_rows_and_its_summary_are_kept)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP}, codes[] = {130, 143, 129};
    for (int k = 0; k < 3; k++) {
        CHECK_INT(end_run(signals[k]), codes[k]);
        tp_trajectory *motion = NULL;
        CHECK_INT(tp_trajectory_read(NULL, SCRATCH "long.h5", &motion, NULL), TP_OK);
        CHECK(motion->is_finished && motion->row_count >= 1 && motion->summary_count > 0);
        tp_trajectory_free(motion);
        remove(SCRATCH "long.h5");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(an_output_that_is_an_input_is_refused_and_the_input_stays),
        RUNS(two_outputs_that_are_one_file_are_refused),
        RUNS(devices_may_be_named_twice),
        RUNS(the_ending_of_an_output_decides_what_is_written),
        RUNS(whatever_asks_a_run_to_end_its_rows_and_its_summary_are_kept),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
