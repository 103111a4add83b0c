/* The nearest known name to a misspelt one. */
#define _POSIX_C_SOURCE 200809L
#include "io/common/near.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/scene_tree.h"

enum { LETTERS_MAX = 48 }; /* longer names get no hint */

/* A third of the letters may be wrong, at least one, but never all. */
tp_near tp_near_begin(const char *name)
{
    int length = (int)strnlen(name, LETTERS_MAX + 1), wrong = length / 3 + 2;
    return (tp_near){.name = name, .best = NULL, .best_distance = length < wrong ? length : wrong};
}

/* What other programs and textbooks call it. */
static const struct {
    const char *elsewhere, *here;
} other_words[] = {{"rotation", "orientation"},
                   {"quaternion", "orientation"},
                   {"normal", "orientation"},
                   {"dimensions", "size"},
                   {"extents", "size"},
                   {"geometry", "shapes"},
                   {"geoms", "shapes"},
                   {"collision", "shapes"},
                   {"mu", "friction"},
                   {"friction_coefficient", "friction"},
                   {"elasticity", "restitution"},
                   {"bounciness", "restitution"},
                   {"timestep", "dt"},
                   {"time_step", "dt"},
                   {"step", "dt"},
                   {"h", "dt"},
                   {"duration", "until"},
                   {"end", "until"},
                   {"end_time", "until"},
                   {"t_end", "until"},
                   {"method", "integrator"},
                   {"scheme", "integrator"},
                   {"links", "bodies"},
                   {"constraints", "joints"},
                   {"omega", "angular_velocity"},
                   {"linear_velocity", "velocity"}};

static bool is_other_word(const char *name, const char *known)
{
    for (size_t k = 0; k < sizeof other_words / sizeof other_words[0]; k++) {
        if (strcmp(other_words[k].elsewhere, name) == 0 && strcmp(other_words[k].here, known) == 0)
            return true;
    }
    return false;
}

void tp_near_offer(tp_near *near, const char *known)
{
    size_t length = strlen(near->name), known_length = strlen(known);
    if (length > LETTERS_MAX || known_length > LETTERS_MAX) return;
    bool is_begin = length >= 3 && strncmp(near->name, known, length) == 0; /* "frict" means "friction" */
    int distance = is_begin ? 1 : tp_edit_distance(near->name, length, known, known_length);
    if (is_other_word(near->name, known)) distance = 0;
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
