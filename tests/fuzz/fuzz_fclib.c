/* Any bytes as an HDF5 file: read or refused. The signature is put in front, so that no run is wasted on it.
   The HDF5 library itself leaks on malformed files: see CMakeLists.txt for how to run it. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    if (count < sizeof signature) return 0;
    unsigned char *copy = malloc(count);
    if (!copy) return 0;
    memcpy(copy, bytes, count);
    memcpy(copy, signature, sizeof signature);
    read_and_write(copy, count, "/dev/null");
    free(copy);
    return 0;
}
