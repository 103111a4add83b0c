/* Files that cannot be written or read: a status, a reason, and never a word from the HDF5 library. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "io/scratch.h"
#include "tippe/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const tp_table_column columns[] = {{"time", "s", ""}, {"q/x", "m", ""}, {"q/y", "m", ""}};

static tp_status write_rows(const char *path, const char *format, long long row_count, tp_message *why)
{
    tp_table_def def = tp_table_def_default();
    def.path = path;
    def.format = format;
    def.columns = columns;
    def.column_count = 3;
    def.scene_text = "name: none\n";
    tp_trajectory_writer *writer;
    TP_TRY(tp_trajectory_writer_create(NULL, &def, &writer, why));
    tp_status status = TP_OK;
    for (long long k = 0; k < row_count && status == TP_OK; k++) {
        double row[] = {1e-3 * (double)k, 1.0 / (double)(k + 1), 3.0};
        status = tp_trajectory_writer_append(writer, row);
    }
    if (status != TP_OK && tp_trajectory_writer_append(writer, (double[]){1e9, 0.0, 0.0}) != status) {
        status = TP_INTERNAL; /* a failed writer goes on failing */
    }
    tp_status closed = tp_trajectory_writer_close(writer, NULL, 0, why);
    return status != TP_OK && closed != status ? TP_INTERNAL : closed;
}

TEST(what_cannot_be_written_is_a_file_error_with_the_reason)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    char missing[1000];
    snprintf(missing, sizeof missing, "%s/no-such-folder/run.h5", folder.path);
    const struct {
        const char *path, *format, *reason;
    } cases[] = {
        {"/dev/full", "csv", "No space left"},      {folder.path, "csv", "directory"},
        {missing, "csv", "No such file"},           {"/dev/full", "hdf5", "device"},
        {folder.path, "hdf5", "it is a directory"}, {missing, "hdf5", "No such file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tp_message why = {""};
        CHECK_INT(write_rows(cases[i].path, cases[i].format, 5000, &why), TP_FILE_ERROR);
        if (!strstr(why.text, cases[i].reason)) print_error("%s\n", why.text);
        CHECK(strstr(why.text, cases[i].reason) != NULL);
        CHECK(strstr(why.text, cases[i].path) != NULL);
    }
    tp_message why = {""};
    CHECK_INT(write_rows(missing, "parquet", 1, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(scratch_count(&folder), 0);
    scratch_close(&folder);
}

/* In a child of its own, because the limit stays and the library may leave things open: exit code 0 if it
   went as it should, and no output at all. */
static int run_out_of_space(const char *path, const char *format, const char *words_path)
{
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {200000, 200000};
        tp_message why = {""};
        signal(SIGXFSZ,
               SIG_IGN); /* writing beyond the limit fails with EFBIG, like a full disk with ENOSPC */
        int words = open(words_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(words, STDOUT_FILENO);
        dup2(words, STDERR_FILENO);
        setrlimit(RLIMIT_FSIZE, &limit);
        tp_status status = write_rows(path, format, 100000, &why);
        bool is_right =
            status == TP_FILE_ERROR && strstr(why.text, "File too large") && strstr(why.text, path);
        exit(is_right ? 0 : 1); /* exit, not _exit: what the library says at the end counts too */
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

TEST(a_full_disk_ends_with_a_reason_in_silence_and_keeps_the_rows_before)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    char words[800];
    snprintf(words, sizeof words, "%s", scratch_file(&folder, "words"));
    const char *path = scratch_file(&folder, "full.h5");
    CHECK_INT(run_out_of_space(path, "hdf5", words), 0);
    size_t said = 1;
    free(scratch_read(words, &said));
    CHECK_INT(said, 0);
    tp_trajectory *t;
    tp_message why = {""};
    CHECK_INT(tp_trajectory_read(NULL, path, &t, &why), TP_OK);
    CHECK(t->row_count >= 1024 && t->row_count < 100000); /* flushed every 1024 rows */
    CHECK(!t->is_finished);
    for (long long k = 0; k < t->row_count; k++) CHECK_NEAR(t->values[1][k], 1.0 / (double)(k + 1), 0.0);
    tp_trajectory_free(t);

    path = scratch_file(&folder, "full.csv");
    CHECK_INT(run_out_of_space(path, "csv", words), 0);
    free(scratch_read(words, &said));
    CHECK_INT(said, 0);
    scratch_close(&folder);
}

TEST(what_is_no_trajectory_is_refused_with_the_reason)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_trajectory *t;
    tp_message why = {""};
    CHECK_INT(tp_trajectory_read(NULL, scratch_file(&folder, "none.h5"), &t, &why), TP_FILE_ERROR);
    CHECK(strstr(why.text, "No such file") != NULL && t == NULL);
    CHECK_INT(tp_trajectory_read(NULL, folder.path, &t, &why), TP_FILE_ERROR);
    CHECK(strstr(why.text, "directory") != NULL);
    CHECK_INT(tp_trajectory_read(NULL, "/dev/zero", &t, &why), TP_FILE_ERROR);

    const char *path = scratch_file(&folder, "text.h5");
    FILE *file = fopen(path, "w");
    fputs("time,q/x\n", file);
    fclose(file);
    CHECK_INT(tp_trajectory_read(NULL, path, &t, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "not an HDF5 file") != NULL);
    file = fopen(path, "w");
    fclose(file);
    CHECK_INT(tp_trajectory_read(NULL, path, &t, &why), TP_INVALID_DATA);
    const char *other = TIPPE_SOURCE_DIR "/data/problems/fc3d/local_problem_test.hdf5";
    CHECK_INT(tp_trajectory_read(NULL, other, &t, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "not a Tippe trajectory") != NULL);
    scratch_close(&folder);
}

/* Went wrong: a second run onto the file of a first one replaced it (HDF5) or mixed its rows with its own
   (CSV), and both ended without an error. The first one says now that its rows are lost; so it does when the
   file is removed. A file that is moved has its rows. */
TEST(a_file_that_is_replaced_or_removed_while_it_is_written_is_an_error)
{
    static const char *const formats[] = {"hdf5", "csv"};
    enum { REPLACED, REMOVED, MOVED, CHANGE_COUNT };
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    for (int k = 0; k < 2 * CHANGE_COUNT; k++) {
        char path[1000], other[1000];
        tp_message why = {""};
        snprintf(path, sizeof path, "%s/run", folder.path);
        snprintf(other, sizeof other, "%s/moved", folder.path);
        tp_table_def def = tp_table_def_default();
        def.path = path;
        def.format = formats[k / CHANGE_COUNT];
        def.columns = columns;
        def.column_count = 3;
        def.scene_text = "name: none\n";
        tp_trajectory_writer *writer;
        CHECK_INT(tp_trajectory_writer_create(NULL, &def, &writer, &why), TP_OK);
        CHECK_INT(tp_trajectory_writer_append(writer, (double[]){0.0, 1.0, 2.0}), TP_OK);
        switch (k % CHANGE_COUNT) {
        case REPLACED: CHECK_INT(write_rows(path, def.format, 100, &why), TP_OK); break;
        case REMOVED: CHECK_INT(remove(path), 0); break;
        case MOVED: CHECK_INT(rename(path, other), 0); break;
        default: break;
        }
        CHECK_INT(tp_trajectory_writer_append(writer, (double[]){1.0, 1.0, 2.0}), TP_OK);
        tp_status closed = tp_trajectory_writer_close(writer, NULL, 0, &why);
        CHECK_INT(closed, k % CHANGE_COUNT == MOVED ? TP_OK : TP_FILE_ERROR);
        CHECK(closed == TP_OK || strstr(why.text, "program") != NULL);
        (void)remove(path), (void)remove(other);
    }
    CHECK_INT(scratch_count(&folder), 0);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(what_cannot_be_written_is_a_file_error_with_the_reason),
          RUNS(a_full_disk_ends_with_a_reason_in_silence_and_keeps_the_rows_before),
          RUNS(what_is_no_trajectory_is_refused_with_the_reason),
          RUNS(a_file_that_is_replaced_or_removed_while_it_is_written_is_an_error))
