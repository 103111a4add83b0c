/* tippe new NAME: a commented scene to start from. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "tippe/scene.h"

enum { NAME_SIZE = 200 };

typedef struct new_settings {
    bool with_bodies;
} new_settings;

static const cli_option new_options[] = {
    {"--bodies", NULL, OPTION_FLAG, offsetof(new_settings, with_bodies), NULL,
     "a scene of bodies and joints, else of coordinates and energies", 0, 0, NULL},
    {.name = NULL},
};

/* Takes off an ending .yaml; the rest must be a name that needs no quotes in a shell or in YAML. */
static bool read_name(const cli_verb *self, const char *given, char *name_out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    size_t length = strlen(given);
    if (length > 5 && strcmp(given + length - 5, ".yaml") == 0) length -= 5;
    bool is_name = length > 0 && length < NAME_SIZE && strchr(letters, given[0]) != NULL;
    if (!is_name || strspn(given, others) < length) {
        complain("%s: %s: expected a name of letters, digits, - and _ that starts with a letter; the scene "
                 "goes to NAME.yaml in the present folder",
                 self->name, given);
        return false;
    }
    snprintf(name_out, NAME_SIZE, "%.*s", (int)length, given);
    return true;
}

/* The template, with the name in place of the value of its line "name: ...". */
static bool write_scene(FILE *file, const char *text, const char *name)
{
    const char *line = strncmp(text, "name:", 5) == 0 ? text : strstr(text, "\nname:");
    if (line != NULL) {
        if (*line == '\n') ++line;
        fprintf(file, "%.*sname: \"%s\"", (int)(line - text), text, name);
        text = line + strcspn(line, "\n");
    }
    fputs(text, file);
    return fflush(file) == 0 && !ferror(file);
}

/* Never replaces a file, not even one that appears at the same moment. */
static bool create_scene(const cli_verb *self, const char *path, const char *text, const char *name)
{
    int handle = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (handle < 0) {
        complain("%s: %s: %s", self->name, path,
                 errno == EEXIST ? "there is such a file already; choose another name or remove it"
                                 : strerror(errno));
        return false;
    }
    FILE *file = fdopen(handle, "w");
    bool is_written = file != NULL && write_scene(file, text, name);
    if (file != NULL) {
        is_written = fclose(file) == 0 && is_written;
    } else {
        close(handle);
    }
    if (!is_written) {
        complain("%s: %s cannot be written", self->name, path);
        unlink(path);
    }
    return is_written;
}

static exit_code run_new(const cli_verb *self, int argument_count, char **arguments)
{
    new_settings settings = {0};
    positionals given;
    char name[NAME_SIZE], path[NAME_SIZE + 8];
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (!read_name(self, given.text[0], name)) return PROGRAM_BAD_INPUT;
    snprintf(path, sizeof path, "%s.yaml", name);
    const char *text = settings.with_bodies ? tp_scene_template_bodies() : tp_scene_template();
    if (!create_scene(self, path, text, name)) return PROGRAM_NO_RESOURCE;
    printf("%s is a scene to start from; try\n  tippe check %s\n  tippe run %s\n", path, path, path);
    return PROGRAM_DONE;
}

const cli_verb verb_new = {
    .name = "new",
    .summary = "Writes a commented scene to start from",
    .usage = "NAME [--bodies]",
    .text = "The scene goes to NAME.yaml in the present folder; a file that is there is never replaced.\n",
    .options = new_options,
    .positionals = "NAME",
    .positional_count = 1,
    .run = run_new,
};
