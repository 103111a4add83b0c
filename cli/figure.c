/* Size and name of a figure's file. */
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paths.h"

bool figure_size(const cli_verb *self, const char *text, double *width_out, double *height_out)
{
    char *end = NULL;
    if (text == NULL) return true;
    *width_out = strtod(text, &end);
    if (end != text && *end == 'x') {
        const char *second = end + 1;
        *height_out = strtod(second, &end);
        if (end != second && *end == '\0') return true;
    }
    complain("%s: --size %s: expected WIDTHxHEIGHT in points, such as 480x300", self->name, text);
    return false;
}

/* A word, or three numbers with commas between them. */
bool figure_view(const cli_verb *self, const char *text, tp_picture_options *options)
{
    static const struct {
        const char *name;
        tp_look look;
        tp_vec3 view, up;
    } known[] = {{"xy", TP_LOOK_FROM, {0, 0, 1}, {0, 1, 0}},
                 {"xz", TP_LOOK_FROM, {0, -1, 0}, {0, 0, 1}},
                 {"yz", TP_LOOK_FROM, {1, 0, 0}, {0, 0, 1}},
                 {"iso", TP_LOOK_OBLIQUE, {0, 0, 0}, {0, 0, 0}}};
    if (text == NULL) return true;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k) {
        if (strcmp(text, known[k].name) != 0) continue;
        options->look = known[k].look, options->view = known[k].view, options->up = known[k].up;
        return true;
    }
    options->look = TP_LOOK_FROM;
    double part[3] = {0.0, 0.0, 0.0};
    const char *at = text;
    char *end = NULL;
    for (int k = 0; k < 3; ++k, at = end + 1) {
        part[k] = strtod(at, &end);
        if (end == at || !isfinite(part[k]) || *end != (k < 2 ? ',' : '\0')) break;
        if (k < 2) continue;
        options->view = tp_vec3_make(part[0], part[1], part[2]);
        return true;
    }
    complain("%s: --view %s: expected xy, xz, yz, iso, or a direction such as 1,-2,0.5", self->name, text);
    return false;
}

/* Length of a path without the ending of a trajectory. */
static size_t stem_length(const char *path)
{
    static const char *const endings[] = {".h5", ".hdf5"};
    size_t length = strlen(path);
    for (int k = 0; k < 2; ++k) {
        size_t ending = strlen(endings[k]);
        if (length > ending && strcmp(path + length - ending, endings[k]) == 0) return length - ending;
    }
    return length;
}

bool figure_path(const cli_verb *self, const char *output, const char *ending, const positionals *runs,
                 char *path_out)
{
    const char *run = runs->text[0];
    int length = output != NULL
                     ? snprintf(path_out, FIGURE_PATH_MAX, "%s", output)
                     : snprintf(path_out, FIGURE_PATH_MAX, "%.*s%s", (int)stem_length(run), run, ending);
    if (length >= FIGURE_PATH_MAX) {
        complain("%s: the name of the %s is too long", self->name, self->name);
        return false;
    }
    const named_file picture = {"the picture", path_out};
    for (int k = 0; k < runs->count; ++k) {
        const named_file run_file = {"the run", runs->text[k]};
        if (!check_outputs(self, (file_list){&picture, 1}, (file_list){&run_file, 1})) return false;
    }
    return true;
}
