/* Any bytes as the tree of an HDF5 file with a problem: read or refused. */
#define _GNU_SOURCE
#include "fuzz.h"
#include "packed_tree.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A file that looks like HDF5, so that the source is asked; made once. */
static const char *signature_path(void)
{
    static char path[64];
    if (path[0]) return path;
    int file = memfd_create("fuzz", 0);
    if (file < 0 || write(file, "\x89HDF\r\n\x1a\n", 8) != 8) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_bytes context = {bytes, count};
    const tp_hdf5_source source = {load_packed, &context};
    tp_problem *problem = NULL;
    tp_message why = {""};
    tp_status status = tp_problem_read_from(NULL, &source, signature_path(), &problem, &why);
    check_and_write(problem, status, "/dev/null", &why);
    return 0;
}
