/* HDF5 files to fuzz. New parts of such files end with a check sum, behind which chance never comes; here
   every check sum is right, because the two functions of the HDF5 library that compute them are replaced by
   ones that repeat what the file says (the library calls them through its symbol table). To be included once.
 */
#ifndef TESTS_FUZZ_HDF5_SUMS_H
#define TESTS_FUZZ_HDF5_SUMS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

uint32_t H5_checksum_metadata(const void *data, size_t count, uint32_t start);
int H5F_get_checksums(const uint8_t *data, size_t count, uint32_t *stored, uint32_t *computed);

/* The sum stands behind the data, except in blocks of heaps, where forget_sums made it zero. */
uint32_t H5_checksum_metadata(const void *data, size_t count, uint32_t start)
{
    uint32_t sum = 0;
    (void)start;
    if (count >= 4 && memcmp(data, "FHDB", 4) == 0) return 0;
    memcpy(&sum, (const char *)data + count, sizeof sum);
    return sum;
}

int H5F_get_checksums(const uint8_t *data, size_t count, uint32_t *stored, uint32_t *computed)
{
    (void)data;
    (void)count;
    if (stored) *stored = 0;
    if (computed) *computed = 0;
    return 0;
}

/* The length of an offset in a block of a heap is told by the head of the heap. */
static size_t offset_bytes(const uint8_t *bytes, size_t count, size_t block)
{
    uint64_t heap;
    memcpy(&heap, bytes + block + 5, sizeof heap);
    return heap < count && count - heap > 129 ? (bytes[heap + 128] + 7u) / 8 : 4;
}

static void forget_sums(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i + 32 < count; i++) {
        if (memcmp(bytes + i, "FHDB", 4) != 0) continue;
        size_t at = i + 13 + offset_bytes(bytes, count, i);
        if (count - at > 4 && at < count) memset(bytes + at, 0, 4);
    }
}

/* The bytes with the signature of HDF5 in front, so that no run is wasted on it; to be freed. */
static uint8_t *signed_copy(const uint8_t *bytes, size_t count)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    uint8_t *copy = count >= sizeof signature ? malloc(count) : NULL;
    if (!copy) return NULL;
    memcpy(copy, bytes, count);
    memcpy(copy, signature, sizeof signature);
    forget_sums(copy, count);
    return copy;
}

#endif
