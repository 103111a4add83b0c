/* Looks for examples beside the installed program, then in the source folder it was built from. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tippe/scene.h"

enum { PATH_SIZE = EXAMPLES_PATH_SIZE, EXAMPLES_MAX = 1024 };

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool examples_folder(const char *from_program, const char *from_source, char *path_out)
{
    char program[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        char *slash = strrchr(program, '/');
        if (slash != NULL) *slash = '\0';
        int needed = snprintf(path_out, PATH_SIZE, "%s/%s", program, from_program);
        if (needed < PATH_SIZE && is_folder(path_out)) return true;
    }
    snprintf(path_out, PATH_SIZE, "%s", from_source);
    return is_folder(path_out);
}

static char *about_of(const char *path)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    tp_status status = tp_scene_read(NULL, path, NULL, 0, &scene, &why);
    char *about = strdup(status != TP_OK ? why.text : scene->about != NULL ? scene->about : "");
    if (status == TP_OK) tp_scene_free(scene);
    return about;
}

/* Adds folder/name if it holds a scene; false only without memory. */
static bool add_example(example_list *list, const char *folder, const char *name)
{
    char path[PATH_SIZE];
    int length = snprintf(path, sizeof path, "%s/%s/scene.yaml", folder, name);
    if (name[0] == '.' || length >= PATH_SIZE || access(path, F_OK) != 0) return true;
    example found = {strdup(name), strdup(path), about_of(path)};
    list->items[list->count++] = found;
    return found.name != NULL && found.path != NULL && found.about != NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const example *)a)->name, ((const example *)b)->name);
}

example_list examples_find(void)
{
    example_list list = {0};
    char folder[PATH_SIZE];
    bool is_found = examples_folder(TIPPE_EXAMPLES_FROM_PROGRAM, TIPPE_EXAMPLES_DIR, folder);
    DIR *entries = is_found ? opendir(folder) : NULL;
    if (entries == NULL) return list;
    list.items = calloc(EXAMPLES_MAX, sizeof *list.items);
    bool is_complete = list.items != NULL;
    const struct dirent *entry;
    while (is_complete && list.count < EXAMPLES_MAX && (entry = readdir(entries)) != NULL) {
        is_complete = add_example(&list, folder, entry->d_name);
    }
    closedir(entries);
    if (is_complete) {
        qsort(list.items, (size_t)list.count, sizeof *list.items, compare_names);
    } else {
        examples_free(&list);
    }
    return list;
}

void examples_free(example_list *list)
{
    for (int k = 0; k < list->count; ++k) {
        free(list->items[k].name);
        free(list->items[k].path);
        free(list->items[k].about);
    }
    free(list->items);
    *list = (example_list){0};
}
