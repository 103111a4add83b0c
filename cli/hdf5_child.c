/* The HDF5 library believes what a file says: one changed byte may make it free what it never allocated, or
   run for ever. So it reads files of others in a child, whose death is only a message. */
#define _POSIX_C_SOURCE 200809L
#include "hdf5_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Limits of the child, a multiple of what sound files need: reading takes about 1e-9 s for a byte and less
   than three times the memory of the file, or of what it unpacks to. */
static const double memory_always = 0x1p32, memory_per_byte = 4.0; /* [bytes] besides what the program has */
static const double seconds_always = 5.0, seconds_per_byte = 1e-6; /* [s] of processor time              */
static const double patience = 10.0; /* [1] a slow disk may take this many times longer                    */

/* What the child sends before the tree. */
typedef struct answer {
    tp_status status;
    tp_message why;
    size_t tree_bytes;
} answer;

static double file_bytes(const tp_hdf5_request *request)
{
    struct stat info;
    if (request->bytes != NULL) return (double)request->byte_count;
    return stat(request->path, &info) == 0 ? (double)info.st_size : 0.0;
}

static double seconds_max(const tp_hdf5_request *request)
{
    return seconds_always + seconds_per_byte * file_bytes(request);
}

static double memory_max(const tp_hdf5_request *request)
{
    return memory_always + memory_per_byte * file_bytes(request);
}

static void set_limit(int resource, double amount)
{
    const struct rlimit limit = {(rlim_t)amount, (rlim_t)amount};
    (void)setrlimit(resource, &limit); /* an already lower limit stays */
}

/* Bytes of addresses in use; 0 where the system does not say. */
static double memory_in_use(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0.0;
    if (fscanf(file, "%lu", &pages) != 1) pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* No output, no core file, an end in any case. Ctrl-C is for the program: without it the pipe ends the child.
 */
static void restrain(const tp_hdf5_request *request)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP};
    static const int deadly[] = {SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    double in_use = memory_in_use(), seconds = seconds_max(request);
    int nowhere = open("/dev/null", O_RDWR);
    for (int k = 0; k < 3 && nowhere >= 0; ++k) (void)dup2(nowhere, k);
    for (size_t k = 0; k < sizeof ignored / sizeof ignored[0]; ++k) (void)signal(ignored[k], SIG_IGN);
    for (size_t k = 0; k < sizeof deadly / sizeof deadly[0]; ++k) (void)signal(deadly[k], SIG_DFL);
    set_limit(RLIMIT_CORE, 0.0);
    set_limit(RLIMIT_CPU, seconds);
    if (in_use > 0.0) set_limit(RLIMIT_AS, in_use + memory_max(request));
    (void)alarm((unsigned)(patience * seconds));
}

static bool put(void *context, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t done = write(*(const int *)context, from, count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        from += done;
        count -= (size_t)done;
    }
    return true;
}

static bool get(int pipe_end, void *bytes, size_t count)
{
    char *to = bytes;
    while (count > 0) {
        ssize_t done = read(pipe_end, to, count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        to += done;
        count -= (size_t)done;
    }
    return true;
}

/* The life of the child. */
static void serve(const tp_hdf5_request *request, int pipe_end)
{
    answer sent = {.status = TP_OK};
    tp_hdf5_tree *tree = NULL;
    restrain(request);
    sent.status = tp_hdf5_load(NULL, request, &tree, &sent.why);
    if (sent.status == TP_OUT_OF_MEMORY) {
        sent.status = tp_fail(&sent.why, TP_INVALID_DATA,
                              "%s is damaged or too large: reading it takes more than %.0f MB of memory",
                              request->path, memory_max(request) / 1e6);
    }
    if (tree != NULL) sent.tree_bytes = tp_hdf5_packed_size(tree);
    bool is_sent = put(&pipe_end, &sent, sizeof sent);
    if (is_sent && tree != NULL) is_sent = tp_hdf5_pack(tree, put, &pipe_end) == TP_OK;
    _exit(is_sent ? 0 : 1);
}

/* True if the child sent an answer; *status_out is then that of the whole reading. */
static bool receive(int pipe_end, const tp_allocator *allocator, const tp_hdf5_request *request,
                    tp_status *status_out, tp_hdf5_tree **tree_out, tp_message *why_out)
{
    answer got;
    if (!get(pipe_end, &got, sizeof got)) return false;
    got.why.text[sizeof got.why.text - 1] = '\0';
    if (got.status != TP_OK) {
        bool is_known =
            got.status == TP_INVALID_DATA || got.status == TP_FILE_ERROR || got.status == TP_INTERNAL;
        if (is_known) *status_out = tp_fail(why_out, got.status, "%s", got.why.text);
        return is_known;
    }
    if ((double)got.tree_bytes > memory_max(request)) return false;
    void *bytes = malloc(got.tree_bytes);
    if (bytes == NULL) {
        *status_out = tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to read %s", request->path);
        return true;
    }
    if (!get(pipe_end, bytes, got.tree_bytes)) {
        free(bytes);
        return false;
    }
    *status_out = tp_hdf5_unpack(allocator, request->path, bytes, got.tree_bytes, free, tree_out, why_out);
    return *status_out != TP_INVALID_DATA; /* what a sound child packs can be unpacked */
}

/* Why there is no answer. */
static tp_status blame(const tp_hdf5_request *request, int ending, tp_message *why_out)
{
    int number = WIFSIGNALED(ending) ? WTERMSIG(ending) : 0;
    if (number == SIGXCPU || number == SIGALRM || number == SIGKILL) {
        return tp_fail(why_out, TP_INVALID_DATA,
                       "%s is damaged: the HDF5 library does not get to the end of it in %.0f s",
                       request->path, seconds_max(request));
    }
    return tp_fail(why_out, TP_INVALID_DATA, "%s is damaged: the HDF5 library crashed while reading it",
                   request->path);
}

static tp_status load_in_child(void *context, const tp_allocator *allocator, const tp_hdf5_request *request,
                               tp_hdf5_tree **tree_out, tp_message *why_out)
{
    int ends[2], ending = 0;
    tp_status status = TP_OK;
    (void)context;
    *tree_out = NULL;
    if (pipe(ends) != 0)
        return tp_fail(why_out, TP_FILE_ERROR, "cannot read %s: %s", request->path, strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        serve(request, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return tp_fail(why_out, TP_FILE_ERROR, "cannot start a process to read %s: %s", request->path,
                       strerror(errno));
    }
    bool is_answered = receive(ends[0], allocator, request, &status, tree_out, why_out);
    close(ends[0]);
    while (waitpid(child, &ending, 0) < 0 && errno == EINTR) {
    }
    return is_answered ? status : blame(request, ending, why_out);
}

const tp_hdf5_source hdf5_child = {load_in_child, NULL};
