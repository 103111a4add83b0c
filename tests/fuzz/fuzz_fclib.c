/* Any bytes as an HDF5 file with a problem: read or refused. The HDF5 library itself leaks on malformed
   files: see CMakeLists.txt for how to run it. */
#include "fuzz.h"
#include "hdf5_sums.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = signed_copy(bytes, count);
    if (!copy) return 0;
    read_and_write(copy, count, "/dev/null");
    free(copy);
    return 0;
}
