/* The nearest known name, by edit distance with swaps of neighbours counted as one edit. */
#include <string.h>

#include "options.h"

enum { NAME_MAX_LENGTH = 63 }; /* longer names get no suggestion */

static int smallest(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

static int edit_distance(const char *a, const char *b)
{
    int a_length = (int)strlen(a), b_length = (int)strlen(b);
    int distance[NAME_MAX_LENGTH + 1][NAME_MAX_LENGTH + 1];
    for (int i = 0; i <= a_length; ++i) {
        distance[i][0] = i;
    }
    for (int j = 0; j <= b_length; ++j) {
        distance[0][j] = j;
    }
    for (int i = 1; i <= a_length; ++i) {
        for (int j = 1; j <= b_length; ++j) {
            int change = distance[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            distance[i][j] = smallest(distance[i - 1][j] + 1, distance[i][j - 1] + 1, change);
            bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swap && distance[i - 2][j - 2] + 1 < distance[i][j]) {
                distance[i][j] = distance[i - 2][j - 2] + 1;
            }
        }
    }
    return distance[a_length][b_length];
}

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
        int distance = is_start_of(name, known) ? 1 : edit_distance(name, known);
        if (distance < best_distance) {
            best = known;
            best_distance = distance;
        }
    }
    return best;
}
