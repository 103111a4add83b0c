/* Scenes in scenes: `include`; docs/guide/repeat.md. */
#ifndef TP_IO_SCENE_INCLUDE_H
#define TP_IO_SCENE_INCLUDE_H

#include "io/scene/scene_tables.h"

enum {
    TP_INCLUDE_DEPTH_MAX = 8,    /* of files that include each other */
    TP_INCLUDE_FILES_MAX = 1000, /* in a scene, counted each time    */
    TP_INCLUDE_BYTES_MAX = 64 * 1024 * 1024
};

/* A scene on its way from what is written to what it stands for. */
typedef struct tp_expansion {
    tp_tree *tree;
    long long work;     /* of repeats; scope.h                                   */
    const char **files; /* [file_count] that were included, as paths from the root */
    int file_count, include_count;
    long long bytes; /* of these files */
    tp_message *why;
} tp_expansion;

/* Reads all files that the scene includes: each becomes the key `scene` of its entry, so that the tree needs
   no file any more and can be stored. `files` is made. */
tp_status tp_include_read(tp_expansion *expansion);

/* TP_OUT_OF_MEMORY with its message. */
tp_status tp_include_no_memory(const tp_expansion *expansion);

/* Makes one scene of the tree: repeats are expanded, names of included scenes get their prefix, sections are
   joined. The tree is changed. */
tp_status tp_include_join(tp_expansion *expansion);

/* A single value becomes a list of itself. */
tp_status tp_include_make_list(tp_expansion *expansion, tp_node *node);

/* Puts `prefix` before all names that a joined scene defines, wherever they stand. */
tp_status tp_prefix_names(tp_tree *tree, tp_node *scene, const char *prefix, tp_message *why);

/* The path of a file whose name stands in another file (NULL: in the present folder): from the root, with all
   links followed; in the arena. NULL if there is no memory; the name itself where the folder is unknown. */
const char *tp_path_beside(tp_arena *arena, const char *file, const char *name);

#endif
