/* Scenes from texts, for tests: a tree in an arena of its own, and its message. */
#ifndef TESTS_IO_SCENE_TEXT_H
#define TESTS_IO_SCENE_TEXT_H

#include <string.h>

#include "io/scene/scene_tree.h"
#include "io/scene/scene_write.h"

typedef struct scene_text {
    tp_arena arena;
    tp_tree *tree; /* NULL: refused */
    tp_status status;
    tp_message why;
} scene_text;

static inline void scene_open_bytes(scene_text *scene, const void *bytes, size_t count)
{
    tp_arena_init(&scene->arena, NULL);
    scene->tree = NULL;
    scene->why.text[0] = '\0';
    scene->status =
        tp_tree_read(&scene->arena, &scene->arena, "s.yaml", bytes, count, &scene->tree, &scene->why);
}

static inline void scene_open(scene_text *scene, const char *text)
{
    scene_open_bytes(scene, text, strlen(text));
}

static inline void scene_close(scene_text *scene)
{
    tp_arena_clear(&scene->arena);
}

/* The node at keys, or list indices as numbers, with '/' between; NULL if it is not there. */
static inline tp_node *scene_at(const scene_text *scene, const char *path)
{
    tp_node *node = scene->tree->root;
    while (node && *path) {
        char part[64];
        size_t length = strcspn(path, "/");
        memcpy(part, path, length);
        part[length] = '\0';
        int index = 0;
        if (node->kind == TP_NODE_LIST) sscanf(part, "%d", &index);
        node = node->kind == TP_NODE_LIST ? tp_list_at(node, index) : tp_map_get(node, part);
        path += length + (path[length] == '/');
    }
    return node;
}

#endif
