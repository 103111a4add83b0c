/* Edit distance with one row kept of each of the last three letters: a swap of neighbours is one edit. */
#define _POSIX_C_SOURCE 200809L
#include "io/scene/near.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/tree.h"

enum { LETTERS_MAX = 48 }; /* longer names get no hint */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int edit_distance(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][LETTERS_MAX + 1];
    for (int j = 0; j <= b_length; j++) rows[0][j] = j;
    for (int i = 1; i <= a_length; i++) {
        int *now = rows[i % 3];
        const int *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int least = smaller(before[j], now[j - 1]) + 1;
            least = smaller(least, before[j - 1] + (a[i - 1] != b[j - 1]));
            bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            now[j] = is_swap ? smaller(least, two_before[j - 2] + 1) : least;
        }
    }
    return rows[a_length % 3][b_length];
}

/* A third of the letters may be wrong, at least one, but never all. */
tp_near tp_near_begin(const char *name)
{
    int length = (int)strnlen(name, LETTERS_MAX + 1);
    return (tp_near){.name = name, .best = NULL, .best_distance = smaller(length, length / 3 + 2)};
}

void tp_near_offer(tp_near *near, const char *known)
{
    size_t length = strlen(near->name), known_length = strlen(known);
    if (length > LETTERS_MAX || known_length > LETTERS_MAX) return;
    bool is_begin = length >= 3 && strncmp(near->name, known, length) == 0; /* "frict" means "friction" */
    int distance = is_begin ? 1 : edit_distance(near->name, (int)length, known, (int)known_length);
    if (distance >= near->best_distance) return;
    near->best = known;
    near->best_distance = distance;
}

tp_near_hint tp_near_hint_of(const tp_near *near)
{
    tp_near_hint hint = {""};
    if (near->best) {
        snprintf(hint.text, sizeof hint.text, "; did you mean '%.60s'?", tp_excerpt_of(near->best).text);
    }
    return hint;
}
