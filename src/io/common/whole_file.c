/* Reading and writing of whole files with POSIX calls. */
#define _XOPEN_SOURCE 700
#include "io/common/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_START = 65536, TEMPORARY_TRIES = 100 };
static const size_t pipe_limit = (size_t)1 << 31; /* [bytes] what a pipe may deliver */

bool tp_path_ends(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);
    return length >= end && strcmp(path + length - end, ending) == 0;
}

tp_status tp_file_fail(tp_message *why, const char *verb, const char *path)
{
    int error = errno;
    char reason[128] = "unknown reason";
    strerror_r(error, reason, sizeof reason);
    return tp_fail(why, TP_FILE_ERROR, "cannot %s %s: %s", verb, path, reason);
}

/* Reads up to capacity bytes; -1 on failure, less than capacity only at the end. */
static ssize_t read_fully(int file, unsigned char *bytes, size_t capacity)
{
    size_t at = 0;
    while (at < capacity) {
        ssize_t got = read(file, bytes + at, capacity - at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        at += (size_t)got;
    }
    return (ssize_t)at;
}

/* Reads to the end, starting with a guess of the size; doubles the buffer while there is more. */
static tp_status read_to_end(tp_arena *arena, int file, const char *path, size_t guess,
                             unsigned char **bytes_out, size_t *count_out, tp_message *why)
{
    size_t capacity = guess + 1, count = 0; /* one more byte than expected shows that the end was reached */
    unsigned char *bytes = TP_ARENA_ARRAY(arena, unsigned char, capacity);
    while (bytes) {
        ssize_t got = read_fully(file, bytes + count, capacity - count);
        if (got < 0) return tp_file_fail(why, "read", path);
        count += (size_t)got;
        if (count < capacity) {
            *bytes_out = bytes;
            *count_out = count;
            return TP_OK;
        }
        if (capacity > guess + pipe_limit) {
            return tp_fail(why, TP_FILE_ERROR, "cannot read %s: it does not end", path);
        }
        unsigned char *larger = TP_ARENA_ARRAY(arena, unsigned char, 2 * capacity);
        if (larger) memcpy(larger, bytes, count);
        bytes = larger;
        capacity *= 2;
    }
    return tp_fail(why, TP_OUT_OF_MEMORY, "no memory to read %s", path);
}

tp_status tp_file_read(tp_arena *arena, const char *path, unsigned char **bytes_out, size_t *count_out,
                       tp_message *why_out)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return tp_file_fail(why_out, "open", path);
    struct stat info;
    tp_status status;
    if (fstat(file, &info) != 0) {
        status = tp_file_fail(why_out, "read", path);
    } else if (S_ISDIR(info.st_mode)) {
        status = tp_fail(why_out, TP_FILE_ERROR, "cannot read %s: it is a directory", path);
    } else if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
        status = tp_fail(why_out, TP_FILE_ERROR, "cannot read %s: it is neither a file nor a pipe", path);
    } else {
        size_t guess = S_ISREG(info.st_mode) ? (size_t)info.st_size : PIPE_START;
        status = read_to_end(arena, file, path, guess, bytes_out, count_out, why_out);
    }
    close(file);
    return status;
}

bool tp_file_put(int file, const void *data, size_t count)
{
    const unsigned char *bytes = data;
    while (count > 0) {
        ssize_t put = write(file, bytes, count);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes += put;
        count -= (size_t)put;
    }
    return true;
}

static tp_status write_directly(const char *path, const void *bytes, size_t count, tp_message *why)
{
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return tp_file_fail(why, "write", path);
    tp_status status = tp_file_put(file, bytes, count) ? TP_OK : tp_file_fail(why, "write", path);
    if (close(file) != 0 && status == TP_OK) status = tp_file_fail(why, "write", path);
    return status;
}

int tp_file_temporary(const char *target, char *temporary, size_t capacity, unsigned mode)
{
    for (int attempt = 0; attempt < TEMPORARY_TRIES; attempt++) {
        snprintf(temporary, capacity, "%s.%ld-%d.part", target, (long)getpid(), attempt);
        int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

tp_status tp_file_check_kept(int file, const char *path, tp_message *why)
{
    struct stat info;
    if (fstat(file, &info) != 0) return tp_file_fail(why, "write", path);
    if (!S_ISREG(info.st_mode) || info.st_nlink > 0) return TP_OK;
    return tp_fail(why, TP_FILE_ERROR,
                   "cannot write %s: it was removed, or replaced by another program, while it was written",
                   path);
}

/* Makes the rename last through a power failure; a folder that cannot be synced is not an error. */
static void sync_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path ? 1 : 0] = 0;
    int folder = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    (void)fsync(folder);
    close(folder);
}

/* What to write, and how. */
typedef struct content {
    const void *bytes;
    size_t count;
    mode_t mode;
    bool is_synced;
} content;

static tp_status write_and_rename(const char *path, const char *target, char *temporary, size_t capacity,
                                  content of, tp_message *why)
{
    int file = tp_file_temporary(target, temporary, capacity, of.mode);
    if (file < 0) return tp_file_fail(why, "write", path);
    bool is_written = tp_file_put(file, of.bytes, of.count) && (!of.is_synced || fsync(file) == 0);
    tp_status status = is_written ? TP_OK : tp_file_fail(why, "write", path);
    if (close(file) != 0 && status == TP_OK) status = tp_file_fail(why, "write", path);
    if (status == TP_OK && rename(temporary, target) != 0) status = tp_file_fail(why, "write", path);
    if (status != TP_OK) (void)unlink(temporary);
    return status;
}

static tp_status write_whole(const char *path, content of, tp_message *why_out)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        return tp_fail(why_out, TP_FILE_ERROR, "cannot write %s: it is a directory", path);
    }
    if (exists && !S_ISREG(info.st_mode)) return write_directly(path, of.bytes, of.count, why_out);
    if (exists) of.mode = info.st_mode & 0777;

    char *target = exists ? realpath(path, NULL) : strdup(path); /* a link stays, what it names is replaced */
    size_t capacity = target ? strlen(target) + 64 : 1;
    char *temporary = malloc(capacity);
    tp_status status;
    if (target && temporary) {
        status = write_and_rename(path, target, temporary, capacity, of, why_out);
        if (status == TP_OK && of.is_synced) sync_folder(target);
    } else {
        status = tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to write %s", path);
    }
    free(temporary);
    free(target);
    return status;
}

tp_status tp_file_write(const char *path, const void *bytes, size_t count, tp_message *why_out)
{
    return write_whole(path, (content){bytes, count, 0666, true}, why_out); /* less the user's mask */
}

tp_status tp_file_write_quickly(const char *path, const void *bytes, size_t count, tp_message *why_out)
{
    return write_whole(path, (content){bytes, count, 0666, false}, why_out);
}
