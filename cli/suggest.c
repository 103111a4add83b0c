/* The nearest known name to a misspelt one. */
#include <string.h>

#include "command_options.h"
#include "tippe/base.h"

enum { NAME_MAX_LENGTH = 63 }; /* longer names get no suggestion */

/* The start of a name counts as near, however much is missing: "alart" means "alart-curnier". */
static bool is_start_of(const char *name, const char *known)
{
    size_t length = strlen(name);
    return length >= 3 && strncmp(name, known, length) == 0;
}

const char *nearest_name(const char *name, const char *(*known_at)(const void *context, int index),
                         const void *context)
{
    if (strlen(name) > NAME_MAX_LENGTH) return NULL;
    const char *best = NULL;
    int best_distance = (int)strlen(name) / 3 + 2; /* a third of the letters may be wrong */
    for (int k = 0; known_at(context, k) != NULL; ++k) {
        const char *known = known_at(context, k);
        if (strlen(known) > NAME_MAX_LENGTH) continue;
        int distance =
            is_start_of(name, known) ? 1 : tp_edit_distance(name, strlen(name), known, strlen(known));
        if (distance < best_distance) {
            best = known;
            best_distance = distance;
        }
    }
    return best;
}
