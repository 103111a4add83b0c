/* The child that reads HDF5 files: whatever becomes of it, the program gets a status and a message. The
   loader is replaced by one that behaves as badly as the HDF5 library might. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "io/hdf5_run.h"
#include "tippe/output.h"

#include <malloc.h>

#define tp_hdf5_load load_badly
static tp_status load_badly(const tp_allocator *allocator, const tp_hdf5_request *request,
                            tp_hdf5_tree **tree_out, tp_message *why_out);
#include "hdf5_child.c"
#undef tp_hdf5_load

/* What the loader does; the child inherits it. */
static enum {
    LOADS,
    CRASHES,
    ABORTS,
    RUNS_OUT_OF_TIME,
    LEAVES,
    SENDS_RUBBISH,
    TAKES_ALL_MEMORY,
    CANNOT_READ,
    PRINTS
} behaviour;

static void send_rubbish(void)
{
    char rubbish[8192];
    memset(rubbish, 0, sizeof rubbish); /* a status of 0, and then no tree */
    for (int file = 3; file < 64; file++) {
        if (write(file, rubbish, sizeof rubbish) == sizeof rubbish) break;
    }
}

/* 64 GB at most: without a limit it would not fail. */
static tp_status take_all_memory(void)
{
    static void *volatile piece; /* seen by the compiler as used */
    for (int k = 0; k < 256; k++) {
        if ((piece = malloc(1 << 28)) == NULL) return TP_OUT_OF_MEMORY;
    }
    return TP_FILE_ERROR;
}

static tp_status load_badly(const tp_allocator *allocator, const tp_hdf5_request *request,
                            tp_hdf5_tree **tree_out, tp_message *why_out)
{
    switch (behaviour) {
    case CRASHES: raise(SIGSEGV); break;
    case ABORTS: abort();
    case RUNS_OUT_OF_TIME: raise(SIGXCPU); break;
    case LEAVES: _exit(0);
    case SENDS_RUBBISH: send_rubbish(); _exit(0);
    case TAKES_ALL_MEMORY: return take_all_memory();
    case CANNOT_READ: return tp_fail(why_out, TP_FILE_ERROR, "cannot open %s: some reason", request->path);
    case PRINTS:
        printf("out\n");
        fflush(stdout);
        fprintf(stderr, "err\n");
        break;
    default: break;
    }
    return tp_hdf5_load(allocator, request, tree_out, why_out);
}

static const char path[] = "test_hdf5_child.h5";

static tp_status read_run(int next, tp_message *why)
{
    tp_trajectory *run = NULL;
    behaviour = next;
    tp_status status = tp_trajectory_read_from(NULL, &hdf5_child, path, &run, why);
    if (status == TP_OK && run->row_count != RUN_ROWS) status = TP_INTERNAL;
    tp_trajectory_free(run);
    return status;
}

TEST(whatever_becomes_of_the_child_there_is_a_status_and_a_message)
{
    static const struct {
        int behaviour;
        tp_status status;
        const char *reason;
    } cases[] = {
        {LOADS, TP_OK, ""},
        {CRASHES, TP_INVALID_DATA,
         "test_hdf5_child.h5 is damaged: the HDF5 library crashed while reading it"},
        {ABORTS, TP_INVALID_DATA, "is damaged: the HDF5 library crashed while reading it"},
        {RUNS_OUT_OF_TIME, TP_INVALID_DATA,
         "is damaged: the HDF5 library does not get to the end of it in 5 s"},
        {LEAVES, TP_INVALID_DATA, "is damaged: the HDF5 library crashed while reading it"},
        {SENDS_RUBBISH, TP_INVALID_DATA, "is damaged: the HDF5 library crashed while reading it"},
        /* "... or too large: reading it takes more than 4295 MB"; with a sanitizer, which ends it, a crash */
        {TAKES_ALL_MEMORY, TP_INVALID_DATA, "test_hdf5_child.h5 is damaged"},
        {CANNOT_READ, TP_FILE_ERROR, "cannot open test_hdf5_child.h5: some reason"},
        {PRINTS, TP_OK, ""},
    };
    CHECK(put_run(path, 0));
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_message why = {""};
        tp_status status = read_run(cases[k].behaviour, &why);
        if (!strstr(why.text, cases[k].reason))
            print_error("expected '%s', found '%s'\n", cases[k].reason, why.text);
        if (status != cases[k].status) print_error("%s\n", why.text);
        CHECK_INT(status, cases[k].status);
        CHECK(strstr(why.text, cases[k].reason) != NULL);
        CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* no child is left */
    }
    remove(path);
}

/* The descriptors of both ends are closed again, also after failures. */
TEST(reading_many_files_leaves_no_descriptor_open)
{
    int before = dup(0);
    close(before);
    CHECK(put_run(path, 0));
    for (int k = 0; k < 20; k++) {
        tp_message why;
        (void)read_run(k % 2 ? LOADS : CRASHES, &why);
    }
    int after = dup(0);
    close(after);
    CHECK_INT(after, before);
    remove(path);
}

/* What the child prints arrives nowhere: neither now nor when buffers of the parent are flushed twice. */
TEST(the_child_prints_nothing)
{
    char text[64] = "";
    int before = dup(1), file = open("test_hdf5_child.txt", O_CREAT | O_TRUNC | O_RDWR, 0600);
    CHECK(put_run(path, 0) && file >= 0);
    fflush(stdout);
    CHECK(dup2(file, 1) == 1);
    printf("once");
    tp_message why;
    tp_status status = read_run(PRINTS, &why);
    fflush(stdout);
    (void)dup2(before, 1);
    close(before);
    CHECK_INT(status, TP_OK);
    CHECK_INT(pread(file, text, sizeof text - 1, 0), 4);
    CHECK(strcmp(text, "once") == 0);
    close(file);
    remove("test_hdf5_child.txt");
    remove(path);
}

static bool put_bytes(const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    bool is_written = file && fwrite(bytes, 1, count, file) == count;
    return file && fclose(file) == 0 && is_written;
}

static size_t get_bytes(unsigned char *bytes, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(bytes, 1, capacity, file) : 0;
    if (file) fclose(file);
    return count;
}

enum { FILE_MAX = 1 << 18 };

/* The allocator fills memory that was not written to: the library shows what it would do on a bad day. */
TEST(one_changed_bit_of_a_run_in_any_format_is_read_or_refused)
{
    enum { FLIPS = 25 };
    static unsigned char bytes[FILE_MAX];
    check_random random = {5};
    int read_count = 0, crash_count = 0;
    mallopt(M_PERTURB, 165);
    for (int style = 0; style < RUN_STYLES; style++) {
        CHECK(put_run(path, style));
        size_t count = get_bytes(bytes, FILE_MAX);
        for (int k = 0; k < FLIPS; k++) {
            tp_message why = {""};
            size_t place = check_random_bits(&random) % count;
            unsigned char bit = (unsigned char)(1u << check_random_bits(&random) % 8);
            bytes[place] ^= bit;
            CHECK(put_bytes(bytes, count));
            bytes[place] ^= bit;
            tp_status status = read_run(LOADS, &why);
            CHECK(status == TP_OK || status == TP_INVALID_DATA);
            read_count += status == TP_OK;
            crash_count += strstr(why.text, "crashed") != NULL;
        }
    }
    print_message("%d flips: %d read, %d crashes of the library\n", FLIPS * RUN_STYLES, read_count,
                  crash_count);
    CHECK(read_count > 0 && read_count < FLIPS * RUN_STYLES);
    mallopt(M_PERTURB, 0);
    remove(path);
}

static tp_status write_rows(int row_count)
{
    static const tp_table_column columns[] = {{"time", "s", ""}, {"q/x", "m", ""}, {"q/y", "m", ""}};
    tp_table_def def = tp_table_def_default();
    def.path = path;
    def.columns = columns;
    def.column_count = 3;
    tp_trajectory_writer *writer;
    TP_TRY(tp_trajectory_writer_create(NULL, &def, &writer, NULL));
    for (int k = 0; k < row_count; k++) {
        TP_TRY(tp_trajectory_writer_append(writer, (double[]){1e-3 * k, 1.0 / (k + 1), 3.0}));
    }
    return tp_trajectory_writer_close(writer, NULL, 0, NULL);
}

/* Damage shows: no column is lost in silence. */
TEST(damaged_and_cut_files_of_our_own_are_read_whole_or_refused)
{
    enum { ROUNDS = 600 };
    static unsigned char good[FILE_MAX], bytes[FILE_MAX];
    check_random random = {99};
    int refused = 0;
    CHECK_INT(write_rows(600), TP_OK);
    size_t count = get_bytes(good, FILE_MAX);
    behaviour = LOADS;
    for (int k = 0; k < ROUNDS; k++) {
        memcpy(bytes, good, count);
        size_t kept = k % 3 == 0 ? check_random_bits(&random) % count : count;
        for (int change = 0; change < k % 4; change++) {
            bytes[check_random_bits(&random) % count] = (unsigned char)check_random_bits(&random);
        }
        CHECK(put_bytes(bytes, kept));
        tp_trajectory *t;
        tp_status status = tp_trajectory_read_from(NULL, &hdf5_child, path, &t, NULL);
        CHECK(status == TP_OK || status == TP_INVALID_DATA);
        refused += status != TP_OK;
        if (status == TP_OK) CHECK_INT(t->column_count, 3);
        tp_trajectory_free(t);
    }
    CHECK(refused > ROUNDS / 4); /* cut files at least */
    remove(path);
}

TEST_MAIN(RUNS(whatever_becomes_of_the_child_there_is_a_status_and_a_message),
          RUNS(reading_many_files_leaves_no_descriptor_open), RUNS(the_child_prints_nothing),
          RUNS(one_changed_bit_of_a_run_in_any_format_is_read_or_refused),
          RUNS(damaged_and_cut_files_of_our_own_are_read_whole_or_refused))
