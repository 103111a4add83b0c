/* Fuzzed bytes as the tree of an HDF5 file: what a child process that went wrong might send. The HDF5 library
   itself is not fuzzed: it crashes, and the program reads in a child for that reason. */
#ifndef TESTS_FUZZ_PACKED_TREE_H
#define TESTS_FUZZ_PACKED_TREE_H

#include "tippe/hdf5.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct fuzz_bytes {
    const uint8_t *bytes;
    size_t count;
} fuzz_bytes;

/* The head is made right, so that no run is wasted on it: signature, number of bytes. */
static tp_status load_packed(void *context, const tp_allocator *allocator, const tp_hdf5_request *request,
                             tp_hdf5_tree **tree_out, tp_message *why_out)
{
    const fuzz_bytes *from = context;
    uint64_t count = from->count / 8 * 8;
    char *copy = malloc(count + 16);
    if (!copy) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory");
    memcpy(copy, from->bytes, count);
    if (count >= 16) memcpy(copy, "tippeh51", 8);
    if (count >= 16) memcpy(copy + 8, &count, sizeof count);
    return tp_hdf5_unpack(allocator, request->path, copy, count, free, tree_out, why_out);
}

#endif
