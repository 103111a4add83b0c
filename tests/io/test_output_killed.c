/* A writer may die at any moment: the file opens and holds at least every flushed row. And it can be read
   while it is being written. TIPPE_KILL_COUNT sets another number of deaths. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "io/scratch.h"
#include "tippe/output.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { COLUMNS = 12, ROWS_MAX = 2500 };

static const tp_table_column columns[COLUMNS] = {
    {"time", "s", ""},           {"q/x", "m", ""},     {"q/y", "m", ""},      {"u/x'", "m/s", ""},
    {"u/y'", "m/s", ""},         {"energy", "J", ""},  {"law/a/gap", "", ""}, {"law/b/gap", "", ""},
    {"law/a/impulse_N", "", ""}, {"sensor/s", "", ""}, {"step/size", "", ""}, {"step/residual", "", ""},
};

/* What the child tells the parent once it has been done. */
typedef struct progress {
    long long generation, flushed; /* file number so-and-so holds so many rows */
} progress;

static double content(long long generation, int column, long long row)
{
    double base = (double)(row + 1);
    return column == 0 ? 1e-3 * base : base + 1e5 * column + 1e7 * (double)generation;
}

static bool tell(int pipe_end, long long generation, long long flushed)
{
    progress now = {generation, flushed};
    return write(pipe_end, &now, sizeof now) == (ssize_t)sizeof now;
}

/* One file from creation to the end, flushed at random. */
static bool write_generation(const char *path, int pipe_end, long long generation, check_random *random)
{
    const tp_table_attribute attribute = {"generation", NULL, (double)generation};
    const tp_table_attribute summary[] = {{"status", "ok", 0.0}, {"generation", NULL, (double)generation}};
    tp_table_def def = tp_table_def_default();
    def.path = path;
    def.columns = columns;
    def.column_count = COLUMNS;
    def.scene_text = "name: a scene that survives\n";
    def.attributes = &attribute;
    def.attribute_count = 1;
    tp_trajectory_writer *writer;
    if (tp_trajectory_writer_create(NULL, &def, &writer, NULL) != TP_OK) return false;
    if (!tell(pipe_end, generation, 0)) return false;
    long long row_count = (long long)(check_random_bits(random) % ROWS_MAX);
    for (long long k = 0; k < row_count; k++) {
        double row[COLUMNS];
        for (int i = 0; i < COLUMNS; i++) row[i] = content(generation, i, k);
        if (tp_trajectory_writer_append(writer, row) != TP_OK) return false;
        if (check_random_bits(random) % 64 != 0) continue;
        if (tp_trajectory_writer_flush(writer) != TP_OK || !tell(pipe_end, generation, k + 1)) return false;
    }
    if (tp_trajectory_writer_close(writer, summary, 2, NULL) != TP_OK) return false;
    return tell(pipe_end, generation, row_count);
}

static pid_t start_writer(const char *path, uint64_t seed, int *pipe_out)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        check_random random = {seed};
        close(ends[0]);
        for (long long generation = 1; write_generation(path, ends[1], generation, &random);) generation++;
        _exit(1); /* something failed: the parent sees that it was not killed */
    }
    close(ends[1]);
    *pipe_out = ends[0];
    return child;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Listens until the end of the pipe or for so many seconds. */
static void listen_for(int pipe_end, double seconds, progress *last)
{
    double end = now() + seconds;
    for (double left = seconds; left > 0.0; left = end - now()) {
        struct pollfd watch = {.fd = pipe_end, .events = POLLIN};
        if (poll(&watch, 1, (int)ceil(1e3 * left)) <= 0) continue;
        if (read(pipe_end, last, sizeof *last) <= 0) return;
    }
}

static long long generation_of(const tp_trajectory *t)
{
    for (int i = 0; i < t->attribute_count; i++) {
        if (strcmp(t->attributes[i].name, "generation") == 0) return (long long)t->attributes[i].number;
    }
    return -1;
}

static long long count_differences(const tp_trajectory *t)
{
    long long differences = 0, generation = generation_of(t);
    for (int i = 0; i < t->column_count; i++) {
        for (long long k = 0; k < t->row_count; k++) {
            differences += t->values[i][k] != content(generation, i, k);
        }
    }
    return differences;
}

/* Everything that was flushed when `told` was said. */
static bool holds_promise(const tp_trajectory *t, progress told)
{
    long long generation = generation_of(t);
    return generation > told.generation || (generation == told.generation && t->row_count >= told.flushed);
}

typedef struct tally {
    int read, finished, without_file;
    long long rows;
} tally;

/* One death so long after the start of the process, or after there is a file. */
static void kill_once(void **check_state_, const char *path, uint64_t seed, double seconds, bool is_with_file,
                      tally *sum)
{
    int pipe_end = -1, ended = 0;
    progress told = {0, 0};
    unlink(path);
    pid_t child = start_writer(path, seed, &pipe_end);
    CHECK(child > 0);
    if (is_with_file) CHECK_INT(read(pipe_end, &told, sizeof told), sizeof told);
    listen_for(pipe_end, seconds, &told);
    CHECK_INT(kill(child, SIGKILL), 0);
    CHECK_INT(waitpid(child, &ended, 0), child);
    CHECK(WIFSIGNALED(ended));
    listen_for(pipe_end, 1.0, &told); /* what was still in the pipe */
    close(pipe_end);

    tp_trajectory *t;
    tp_message why = {""};
    if (told.generation == 0 && access(path, F_OK) != 0) {
        sum->without_file++; /* died before there was anything */
        return;
    }
    tp_status status = tp_trajectory_read(NULL, path, &t, &why);
    if (status != TP_OK) print_error("seed %llu: %s\n", (unsigned long long)seed, why.text);
    CHECK_INT(status, TP_OK);
    CHECK(holds_promise(t, told));
    CHECK_INT(count_differences(t), 0);
    CHECK(strcmp(t->scene_text, "name: a scene that survives\n") == 0);
    CHECK(!t->is_finished || t->summary_count == 2);
    sum->read++;
    sum->finished += t->is_finished;
    sum->rows += t->row_count;
    tp_trajectory_free(t);
}

TEST(a_killed_writer_leaves_a_file_with_every_flushed_row)
{
    const char *number = getenv("TIPPE_KILL_COUNT");
    int deaths = number ? atoi(number) : 50;
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "killed.h5");
    check_random random = {20};
    tally sum = {0, 0, 0, 0};
    for (int k = 0; k < deaths; k++) {
        kill_once(check_state_, path, 1000u + (uint64_t)k, check_uniform(&random, 0.0, 0.12), k % 2 == 0,
                  &sum);
    }
    print_message(
        "%d deaths: %d files read (%d of them finished), %lld rows, %d times nothing was there yet\n", deaths,
        sum.read, sum.finished, sum.rows, sum.without_file);
    CHECK(sum.read >= deaths / 2 && sum.rows > 0); /* the test is about files that exist */
    scratch_close(&folder);
}

TEST(a_file_can_be_read_while_it_is_written)
{
    enum { READS = 100 };
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "live.h5");
    int pipe_end = -1, read_count = 0;
    progress told = {0, 0};
    pid_t child = start_writer(path, 7, &pipe_end);
    CHECK(child > 0);
    CHECK_INT(read(pipe_end, &told, sizeof told), sizeof told); /* there is a file */
    while (read_count < READS) {
        listen_for(pipe_end, 0.005, &told);
        tp_trajectory *t;
        tp_message why = {""};
        tp_status status = tp_trajectory_read(NULL, path, &t, &why);
        if (status != TP_OK) print_error("%s\n", why.text);
        CHECK_INT(status, TP_OK);
        CHECK(holds_promise(t, told));
        CHECK_INT(count_differences(t), 0);
        tp_trajectory_free(t);
        read_count++;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(pipe_end);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(a_killed_writer_leaves_a_file_with_every_flushed_row),
          RUNS(a_file_can_be_read_while_it_is_written))
