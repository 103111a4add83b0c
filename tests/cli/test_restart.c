/* The contract of tippe run --restart, docs/command-line.md and docs/guide/restart.md: runs that were killed
   or interrupted go on to the same bits; files that do not fit are refused. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define SCRATCH TIPPE_PROGRAM "-test-restart-" /* files beside the program */
#include "ball_scene.h"
#include "program_run.h"
#include "restarts.h"

#define BIRD    TIPPE_SOURCE_DIR "/examples/woodpecker/scene.yaml"
#define BALL    SCRATCH "ball.yaml"
#define PAIR    SCRATCH "pair.yaml"
#define RENAMED SCRATCH "renamed.yaml"
#define PARTS   SCRATCH "a.h5"

/* Rows that are flushed often. */
#define BIRD_OPTIONS "--output-every 2e-5 --quiet"

/* One coordinate more, or a contact with another name. */
static const char pair[] = "coordinates: [z, x]\n"
                           "kinetic: \"1/2*(z'^2 + x'^2)\"\n"
                           "contacts:\n"
                           "  - {name: floor, gap: \"z\", restitution: 0.5}\n"
                           "initial: {z: 0.1}\n";
static const char renamed[] = "coordinates: [z]\n"
                              "kinetic: \"1/2*z'^2\"\n"
                              "contacts:\n"
                              "  - {name: ground, gap: \"z\", restitution: 0.5}\n"
                              "initial: {z: 0.1}\n";

static int write_files(void **state)
{
    (void)state;
    write_text(BALL, ball);
    write_text(PAIR, pair);
    write_text(RENAMED, renamed);
    write_text(SCRATCH "text.h5", "no HDF5 file\n");
    return run("run '" BALL "' --until 0.2 --quiet -o '" PARTS "'")->code;
}

static int remove_files(void **state)
{
    static const char *const paths[] = {BALL,           PAIR,           RENAMED,           SCRATCH "text.h5",
                                        PARTS,          SCRATCH "b.h5", SCRATCH "ball.h5", SCRATCH "whole.h5",
                                        SCRATCH "0.h5", SCRATCH "1.h5"};
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) remove(paths[i]);
    return 0;
}

static void pause_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&time, NULL);
}

/* Starts the bird with BIRD_OPTIONS, from a file or from its beginning, and without end: signals find it at
   work, however late they come. */
static pid_t start_bird(const char *restart, const char *output)
{
    pid_t child = fork();
    if (child != 0) return child;
    if (freopen("/dev/null", "w", stderr) == NULL) _exit(98); /* "interrupted" */
    if (restart != NULL) {
        execl(TIPPE_PROGRAM, "tippe", "run", BIRD, "--until", "1e6", "--output-every", "2e-5", "--quiet",
              "-o", output, "--restart", restart, (char *)NULL);
    } else {
        execl(TIPPE_PROGRAM, "tippe", "run", BIRD, "--until", "1e6", "--output-every", "2e-5", "--quiet",
              "-o", output, (char *)NULL);
    }
    _exit(99);
}

/* How many rows a run has flushed so far; 0 while there is no file. */
static long long count_rows(const char *path)
{
    tp_trajectory *rows = NULL;
    if (tp_trajectory_read(NULL, path, &rows, NULL) != TP_OK) return 0;
    long long count = rows->row_count;
    tp_trajectory_free(rows);
    return count;
}

/* Waits for the first rows and a random while, then sends the signal; returns the status of the program. */
static int stop_bird(pid_t child, const char *output, int signal_number, check_random *random)
{
    int status = 0;
    while (count_rows(output) == 0) {
        if (waitpid(child, &status, WNOHANG) != 0) return status; /* it has ended by itself */
        pause_for(2e-3);
    }
    pause_for(check_uniform(random, 0.0, 0.03));
    kill(child, signal_number);
    waitpid(child, &status, 0);
    return status;
}

/* Stops one run five times and lets it end soon after, and runs it once more without a stop. */
static void check_signals(void **check_state_, int signal_number)
{
    static const char *const parts[2] = {SCRATCH "0.h5", SCRATCH "1.h5"};
    check_random random = {(uint64_t)signal_number};
    const char *from = NULL;
    double reached = 0.0;
    for (int k = 0; k < 5; k++) {
        const char *to = parts[k % 2];
        remove(to);
        int status = stop_bird(start_bird(from, to), to, signal_number, &random);
        if (signal_number == SIGKILL) CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        if (signal_number == SIGINT) CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 130);
        tp_trajectory *rows = read_rows(to);
        CHECK(rows->row_count > 1 && rows->values[0][rows->row_count - 1] > reached);
        CHECK(rows->is_finished == (signal_number == SIGINT));
        reached = rows->values[0][rows->row_count - 1];
        tp_trajectory_free(rows);
        from = to;
    }
    char command[2048];
    double end = 0.1 * (floor(10.0 * reached) + 2.0);
    snprintf(command, sizeof command,
             "run '" BIRD "' " BIRD_OPTIONS " --until %.1f --restart '%s' -o '" SCRATCH "b.h5'", end, from);
    CHECK_INT(run(command)->code, 0);
    snprintf(command, sizeof command, "run '" BIRD "' " BIRD_OPTIONS " --until %.1f -o '" SCRATCH "whole.h5'",
             end);
    CHECK_INT(run(command)->code, 0);
    CHECK(are_later_rows_same(SCRATCH "whole.h5", SCRATCH "b.h5")); /* the last one is the final state */
}

TEST(a_run_that_was_killed_five_times_ends_with_the_same_bits)
{
    check_signals(check_state_, SIGKILL);
}

TEST(a_run_that_was_interrupted_five_times_ends_with_the_same_bits)
{
    check_signals(check_state_, SIGINT);
}

TEST(the_report_of_a_continued_run_tells_from_where_it_started)
{
    outcome *r = run("run --json '" BALL "'");
    char q[256], u[256], start[1024];
    CHECK(json_says(r->out, "restart", "null"));
    CHECK(json_find(r->out, "q", q, sizeof q) && json_find(r->out, "u", u, sizeof u));
    r = run("run --json '" BALL "' --restart '" PARTS "'");
    CHECK_INT(r->code, 0);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "q", q) && json_says(r->out, "u", u));
    CHECK(json_says(r->out, "steps", "300") && json_says(r->out, "time", "0.5"));
    CHECK(json_says(r->out, "warnings", "[]"));
    CHECK(json_find(r->out, "restart", start, sizeof start));
    CHECK(json_says(start, "file", "\"" PARTS "\""));
    CHECK(json_says(start, "time", "0.2") && json_says(start, "steps", "200"));
    r = run("run '" BALL "' --restart '" PARTS "'");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "continues    " PARTS " from 0.2 s, step 200"));
}

TEST(what_has_changed_is_allowed_and_told)
{
    static const struct {
        const char *options, *part;
    } changes[] = {
        {"--set parameters.g=1.62", "it says \\\"g: 1.62\\\", not \\\"g: 9.81\\\""},
        {"--set contacts.floor.restitution=0.4", "restitution"},
        {"--dt 5e-4", "time_step is now 0.0005"},
        {"--solver projected-gauss-seidel", "solver is now projected-gauss-seidel"},
        {"--set simulate.tolerance=1e-10", "tolerance is now 1e-10"},
        {"--set simulate.dt=5e-4", "time_step is now 0.0005"},
    };
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        char command[2048], warnings[4096];
        snprintf(command, sizeof command, "run --json '" BALL "' --restart '" PARTS "' %s",
                 changes[k].options);
        outcome *r = run(command);
        CHECK_INT(r->code, 0);
        CHECK(json_find(r->out, "warnings", warnings, sizeof warnings));
        if (!holds(warnings, changes[k].part)) print_error("%s: %s\n", changes[k].options, warnings);
        CHECK(holds(warnings, changes[k].part));
        CHECK(json_says(strstr(r->out, "\"steps\""), "time", "0.5")); /* warnings have times of their own */
    }
    /* when it ends, what is kept and what it is called change nothing */
    outcome *r = run("run --json '" BALL "' --restart '" PARTS
                     "' --set simulate.until=0.6 --set output.every=0.1 --set name=other --set about=x");
    CHECK_INT(r->code, 0);
    CHECK(json_says(r->out, "warnings", "[]"));
    CHECK(json_says(r->out, "steps", "400"));
}

TEST(a_file_that_does_not_fit_is_refused_with_the_reason)
{
    static const struct {
        const char *arguments;
        int code;
        const char *part;
    } wrong[] = {
        {"'" BALL "' --restart '" SCRATCH "is-not-there.h5'", 4, "is-not-there.h5"},
        {"'" BALL "' --restart '" TIPPE_SOURCE_DIR "'", 4, "directory"},
        {"'" BALL "' --restart '" SCRATCH "text.h5'", 2, "not an HDF5 file"},
        {"'" PAIR "' --restart '" PARTS "'", 2, "no column \"q/x\""},
        {"'" RENAMED "' --restart '" PARTS "'", 2, "\"law/ground/closed\""},
        {"'" BALL "' --restart '" PARTS "' --until 0.2", 2, "already reached t = 0.2 s"},
        {"'" BALL "' --restart '" PARTS "' --until 0.1", 2, "the end time 0.1 s must be later"},
        {"'" BALL "' --restart '" PARTS "' -o '" PARTS "'", 2, "would replace"},
        {"'" BALL "' --restart '" PARTS "' --csv '" PARTS "'", 2, "would replace"},
        {"'" BALL "' --restart", 2, "--restart"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char command[2048];
        snprintf(command, sizeof command, "run %s -o '" SCRATCH "ball.h5'", wrong[k].arguments);
        if (holds(wrong[k].arguments, "-o") || k + 1 == sizeof wrong / sizeof wrong[0])
            snprintf(command, sizeof command, "run %s", wrong[k].arguments);
        outcome *r = run(command);
        if (r->code != wrong[k].code || !holds(r->err, wrong[k].part))
            print_error("%s: %d, %s\n", wrong[k].arguments, r->code, r->err);
        CHECK_INT(r->code, wrong[k].code);
        CHECK(holds(r->err, wrong[k].part));
        CHECK(access(SCRATCH "ball.h5", F_OK) != 0); /* before the output is touched */
    }
    /* a run with more than this one has */
    CHECK_INT(run("run '" PAIR "' --until 0.01 --quiet -o '" SCRATCH "b.h5'")->code, 0);
    outcome *r = run("run --json '" BALL "' --restart '" SCRATCH "b.h5'");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "\"q/x\", which this model does not have"));
    CHECK(json_is_well_formed(r->out) && json_says(r->out, "status", "\"error\""));
    CHECK(json_says(r->out, "steps", "0") && json_says(r->out, "restart", "null"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(a_run_that_was_killed_five_times_ends_with_the_same_bits),
        RUNS(a_run_that_was_interrupted_five_times_ends_with_the_same_bits),
        RUNS(the_report_of_a_continued_run_tells_from_where_it_started),
        RUNS(what_has_changed_is_allowed_and_told),
        RUNS(a_file_that_does_not_fit_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, write_files, remove_files);
}
