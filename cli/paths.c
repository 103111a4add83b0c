/* Files named on the command line. */
#define _XOPEN_SOURCE 700
#include "paths.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Same name in the same folder, for files that do not exist yet. */
static bool are_same_place(const char *a, const char *b)
{
    const char *path[2] = {a, b}, *name[2];
    struct stat folder[2];
    for (int k = 0; k < 2; ++k) {
        const char *slash = strrchr(path[k], '/');
        char *text = slash != NULL ? strndup(path[k], (size_t)(slash - path[k]) + 1) : strdup(".");
        bool is_there = text != NULL && stat(text, &folder[k]) == 0;
        free(text);
        if (!is_there) return false;
        name[k] = slash != NULL ? slash + 1 : path[k];
    }
    return strcmp(name[0], name[1]) == 0 && folder[0].st_dev == folder[1].st_dev &&
           folder[0].st_ino == folder[1].st_ino;
}

/* True if both names lead to one file, or to one that does not exist yet; devices and folders do not count.
 */
static bool are_same_file(const char *a, const char *b)
{
    struct stat about_a, about_b;
    bool is_a = stat(a, &about_a) == 0, is_b = stat(b, &about_b) == 0;
    if (!is_a && !is_b) return strcmp(a, b) == 0 || are_same_place(a, b);
    return is_a && is_b && S_ISREG(about_a.st_mode) && about_a.st_dev == about_b.st_dev &&
           about_a.st_ino == about_b.st_ino;
}

static bool is_file_name(const char *path)
{
    return path != NULL && strcmp(path, "-") != 0;
}

bool check_outputs(const cli_verb *self, file_list outputs, file_list inputs)
{
    for (int k = 0; k < outputs.count; ++k) {
        const named_file *output = &outputs.files[k];
        if (!is_file_name(output->path)) continue;
        for (int i = 0; i < inputs.count; ++i) {
            const named_file *input = &inputs.files[i];
            if (!is_file_name(input->path) || !are_same_file(output->path, input->path)) continue;
            complain("%s: %s %s would replace %s %s; name another file", self->name, output->what,
                     output->path, input->what, input->path);
            return false;
        }
        for (int i = 0; i < k; ++i) {
            const named_file *other = &outputs.files[i];
            if (!is_file_name(other->path) || !are_same_file(output->path, other->path)) continue;
            complain("%s: %s %s and %s %s are the same file", self->name, other->what, other->path,
                     output->what, output->path);
            return false;
        }
    }
    return true;
}

bool check_scene_files(const cli_verb *self, file_list outputs, const tp_scene *scene)
{
    for (int k = 0; k < scene->file_count; ++k) {
        const named_file input = {"a file of the scene,", scene->files[k]};
        if (!check_outputs(self, outputs, (file_list){&input, 1})) return false;
    }
    return true;
}

const char *paraview_index(const char *place, char *index_out)
{
    if (place == NULL || has_ending(place, ".pvd")) return NULL;
    snprintf(index_out, INDEX_PATH_MAX, "%s/motion.pvd", place);
    return index_out;
}

bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), ending_length = strlen(ending);
    return length > ending_length && strcasecmp(path + length - ending_length, ending) == 0;
}

bool check_text_path(const cli_verb *self, const char *option, const char *path)
{
    static const char *const endings[] = {".h5", ".hdf5", ".svg", ".png", ".pvd"};
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; ++k) {
        if (path == NULL || !has_ending(path, endings[k])) continue;
        complain("%s: %s %s: it writes text; expected a name such as FILE.csv", self->name, option, path);
        return false;
    }
    return true;
}
