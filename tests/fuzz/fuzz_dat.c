/* Any bytes as a text problem, plain or gzip: read or refused, and what was read can be written and read
 * again. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const unsigned char hdf5[4] = {0x89, 'H', 'D', 'F'};
    if (count >= 4 && memcmp(bytes, hdf5, 4) == 0) return 0; /* the other target's */
    read_and_write(bytes, count, "/dev/null");
    return 0;
}
