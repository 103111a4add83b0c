/* The examples: folders of examples/ with scene.yaml and expected.json. A file that includes this begins with
   _POSIX_C_SOURCE 200809L, for the list of a folder.

   expected.json holds `runs`, each with `edits` of the scene (as --set takes them) and `checks`, and `short`:
   edits that make a run of some hundred steps, for tests that need the motion but not its figures. */
#ifndef TESTS_EXAMPLES_H
#define TESTS_EXAMPLES_H

#include "io/scene/scalar.h"
#include "simulations.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLES_MAX = 128, EXAMPLE_EDITS_MAX = 16, EXAMPLE_PATH = 512 };

typedef struct example_list {
    char name[EXAMPLES_MAX][64];
    int count;
} example_list;

static inline int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Folders of examples/ in alphabetical order: the order of a folder is the file system's own. */
static inline example_list find_examples(void)
{
    example_list list = {.count = 0};
    DIR *folder = opendir(TIPPE_SOURCE_DIR "/examples");
    if (folder == NULL) fail_msg("there is no folder examples");
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.' || strchr(entry->d_name, '.') != NULL) continue;
        if (strcmp(entry->d_name, "c") == 0) continue;        /* programs, not scenes */
        if (strcmp(entry->d_name, "granular") == 0) continue; /* of hundreds of bodies: claims/granular */
        size_t length = strlen(entry->d_name);
        if (list.count == EXAMPLES_MAX || length >= sizeof list.name[0])
            fail_msg("examples/%s: one example too many, or its name is too long", entry->d_name);
        memcpy(list.name[list.count++], entry->d_name, length + 1);
    }
    closedir(folder);
    if (list.count == 0) fail_msg("there are no examples");
    qsort(list.name, (size_t)list.count, sizeof list.name[0], compare_names);
    return list;
}

/* What is expected of an example, as a tree in the arena. */
static inline const tp_node *read_expected(tp_arena *arena, const char *name)
{
    char path[EXAMPLE_PATH];
    tp_tree *tree = NULL;
    tp_message why = {""};
    snprintf(path, sizeof path, TIPPE_SOURCE_DIR "/examples/%s/expected.json", name);
    if (tp_tree_read_file(arena, arena, path, &tree, &why) != TP_OK) fail_msg("%s", why.text);
    return tree->root;
}

/* The scene with some edits. */
static inline tp_scene *read_edited(const char *name, const char *const *edits, int edit_count)
{
    char path[EXAMPLE_PATH];
    tp_scene *scene = NULL;
    tp_message why = {""};
    snprintf(path, sizeof path, TIPPE_SOURCE_DIR "/examples/%s/scene.yaml", name);
    if (tp_scene_read(NULL, path, edits, edit_count, &scene, &why) != TP_OK) fail_msg("%s", why.text);
    return scene;
}

/* The scene with a list of edits, or NULL for none. */
static inline tp_scene *read_example(const char *name, const tp_node *edits)
{
    const char *texts[EXAMPLE_EDITS_MAX] = {NULL};
    int count = 0;
    for (const tp_node *edit = edits != NULL ? edits->first : NULL; edit != NULL; edit = edit->next) {
        if (count == EXAMPLE_EDITS_MAX) fail_msg("%s: too many edits", name);
        texts[count++] = edit->text;
    }
    return read_edited(name, texts, count);
}

static inline tp_simulation *simulate_scene(const tp_scene *scene)
{
    return simulate_options(scene->model, scene->options);
}

/* The short run of an example. */
/* A third of the pairs of an example and an integrator that is not its own is run by `make test`, so that
   every integrator meets a third of the examples; tests/long runs all. */
static inline bool is_tried(const tp_scene *scene, int example, int integrator)
{
#ifdef EVERY_PAIR
    (void)scene, (void)example, (void)integrator;
    return true;
#else
    const char *name = tp_integrator_info_at(integrator)->name;
    return strcmp(name, scene->options.integrator) == 0 || (example + integrator) % 3 == 0;
#endif
}

static inline tp_scene *read_short_example(const char *name)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_scene *scene = read_example(name, tp_map_get(read_expected(&arena, name), "short"));
    tp_arena_clear(&arena);
    return scene;
}

#endif
