/* Any bytes as a scene: read or refused with a reason; what was read is checked against tables, edited,
   written and read again as an equal tree. Lines "#set PATH=VALUE" at the beginning are edits. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/node_equal.h"
#include "io/scene/edit.h"
#include "io/scene/scene_write.h"
#include "io/scene_tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void must(bool condition)
{
    if (!condition) abort();
}

static void round_trip(const tp_node *root)
{
    tp_arena arena;
    tp_tree *again;
    tp_text text = {.bytes = NULL};
    tp_arena_init(&arena, NULL);
    tp_tree_write(root, &text);
    must(!text.has_failed);
    must(tp_tree_read(&arena, &arena, "again", text.bytes, text.count, &again, NULL) == TP_OK);
    must(node_equal(root, again->root));
    tp_text_clear(&text);
    tp_arena_clear(&arena);
}

/* Parents, counts and last children agree, and the depth is bounded. */
static void check_links(const tp_node *node, int depth)
{
    int count = 0;
    const tp_node *last = NULL;
    must(depth <= TP_TREE_DEPTH_MAX);
    for (const tp_node *child = node->first; child; last = child, child = child->next, count++) {
        must(child->parent == node && (child->key != NULL) == (node->kind == TP_NODE_MAP));
        check_links(child, depth + 1);
    }
    must(count == node->count && last == node->last &&
         (node->kind == TP_NODE_SCALAR) == (node->text != NULL));
}

static void check_tree(const tp_tree *tree)
{
    tp_message why = {""};
    check_links(tree->root, 0);
    tp_status status = tp_keys_check(tree->root, &scene_keys, &why);
    must(status == TP_OK || (status == TP_INVALID_DATA && why.text[0]));
    round_trip(tree->root);
}

/* The edits of the first lines, one after the other. */
static void edit(tp_tree *tree, const uint8_t *bytes, size_t count)
{
    static const tp_edit_rules rules = {.table = &scene_keys};
    while (count > 5 && memcmp(bytes, "#set ", 5) == 0) {
        const uint8_t *end = memchr(bytes, '\n', count);
        size_t length = end ? (size_t)(end - bytes) : count;
        char *argument = calloc(length - 4, 1);
        tp_message why = {""};
        must(argument != NULL);
        memcpy(argument, bytes + 5, length - 5);
        tp_status status = tp_tree_set(tree, argument, &rules, &why);
        must(status == TP_OK || (status == TP_INVALID_DATA && why.text[0]));
        free(argument);
        check_tree(tree);
        if (!end) break;
        count -= length + 1;
        bytes = end + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    tp_arena arena;
    tp_tree *tree = NULL;
    tp_message why = {""};
    tp_arena_init(&arena, NULL);
    tp_status status = tp_tree_read(&arena, &arena, "fuzz", bytes, count, &tree, &why);
    if (status == TP_OK) {
        check_tree(tree);
        edit(tree, bytes, count);
    } else {
        must(status == TP_INVALID_DATA && strncmp(why.text, "fuzz:", 5) == 0);
    }
    tp_arena_clear(&arena);
    return 0;
}
