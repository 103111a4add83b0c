/* Any bytes as a surface: read or refused with a reason; what was read is closed or refused with a reason.
   The first byte tells whether the rest is an OBJ file. */
#include "tippe/mesh_file.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    tp_mesh_file *file = NULL;
    tp_message why = {""};
    tp_mass_properties mass;
    if (count == 0) return 0;
    const char *name = bytes[0] % 2 == 0 ? "fuzz.stl" : "fuzz.obj";
    tp_status status = tp_mesh_file_read_memory(NULL, name, bytes + 1, count - 1, &file, &why);
    if (status != TP_OK) {
        if (file || why.text[0] == 0) abort();
        if (status != TP_INVALID_DATA && status != TP_OUT_OF_MEMORY) abort();
        return 0;
    }
    why.text[0] = 0;
    status = tp_mesh_mass_properties(tp_mesh_file_surface(file), 1.0, NULL, &mass, &why);
    if (status != TP_OK && why.text[0] == 0) abort();
    tp_mesh_file_free(file);
    return 0;
}
