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

static tp_status load_badly(const tp_allocator *allocator, const tp_hdf5_request *request,
                            tp_hdf5_tree **tree_out, tp_message *why_out)
{
    switch (behaviour) {
    case CRASHES: raise(SIGSEGV); break;
    case ABORTS: abort();
    case RUNS_OUT_OF_TIME: raise(SIGXCPU); break;
    case LEAVES: _exit(0);
    case SENDS_RUBBISH: send_rubbish(); _exit(0);
    case TAKES_ALL_MEMORY:
        while (malloc(1 << 28) != NULL) {
        }
        return TP_OUT_OF_MEMORY;
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
        {TAKES_ALL_MEMORY, TP_INVALID_DATA, "is damaged or too large: reading it takes more than 4295 MB"},
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

/* Changes one bit of the file and reads it; the allocator fills memory that was not written to. */
static tp_status read_flipped(unsigned char *bytes, size_t count, uint64_t bits, tp_message *why)
{
    unsigned char *place = &bytes[(bits >> 3) % count];
    *place ^= (unsigned char)(1u << (bits & 7));
    FILE *file = fopen(path, "wb");
    bool is_written = file && fwrite(bytes, 1, count, file) == count;
    is_written = file && fclose(file) == 0 && is_written;
    *place ^= (unsigned char)(1u << (bits & 7));
    return is_written ? read_run(LOADS, why) : TP_INTERNAL;
}

TEST(one_changed_bit_of_a_run_in_any_format_is_read_or_refused)
{
    enum { FLIPS = 25, FILE_MAX = 1 << 18 };
    static unsigned char bytes[FILE_MAX];
    check_random random = {5};
    int read_count = 0, crash_count = 0, endless_count = 0;
    mallopt(M_PERTURB, 165);
    for (int style = 0; style < RUN_STYLES; style++) {
        CHECK(put_run(path, style));
        FILE *file = fopen(path, "rb");
        size_t count = fread(bytes, 1, FILE_MAX, file);
        fclose(file);
        for (int k = 0; k < FLIPS; k++) {
            tp_message why = {""};
            tp_status status = read_flipped(bytes, count, check_random_bits(&random), &why);
            CHECK(status == TP_OK || status == TP_INVALID_DATA);
            read_count += status == TP_OK;
            crash_count += strstr(why.text, "crashed") != NULL;
            endless_count += strstr(why.text, "does not get to the end") != NULL;
        }
    }
    print_message("%d flips: %d read, %d crashes of the library\n", FLIPS * RUN_STYLES, read_count,
                  crash_count);
    CHECK(read_count > 0 && read_count < FLIPS * RUN_STYLES);
    mallopt(M_PERTURB, 0);
    remove(path);
}

TEST_MAIN(RUNS(whatever_becomes_of_the_child_there_is_a_status_and_a_message),
          RUNS(reading_many_files_leaves_no_descriptor_open), RUNS(the_child_prints_nothing),
          RUNS(one_changed_bit_of_a_run_in_any_format_is_read_or_refused))
