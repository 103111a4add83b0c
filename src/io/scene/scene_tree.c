/* The tree: making nodes, walking them, naming them in messages. */
#include "io/scene/scene_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NODES_AT_ONCE = 32, TEXT_AT_ONCE = 4096 };

tp_status tp_tree_create(tp_arena *arena, tp_arena *nodes, const char *file, tp_tree **tree_out,
                         tp_message *why_out)
{
    tp_tree *tree = TP_ARENA_ARRAY(arena, tp_tree, 1);
    const char *name = tp_arena_copy(arena, file, strlen(file) + 1, 1);
    if (!tree || !name) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to read %s", file);
    tree->arena = arena;
    tree->nodes = nodes;
    tree->file = name;
    *tree_out = tree;
    return TP_OK;
}

tp_node *tp_tree_new_node(tp_tree *tree, tp_node_kind kind, tp_place place)
{
    if (tree->spare_node_count == 0) {
        tree->spare_nodes = TP_ARENA_ARRAY(tree->nodes, tp_node, NODES_AT_ONCE);
        if (!tree->spare_nodes) return NULL;
        tree->spare_node_count = NODES_AT_ONCE;
    }
    tp_node *node = tree->spare_nodes++;
    tree->spare_node_count--;
    tree->node_count++;
    node->kind = kind;
    node->place = node->text_place = node->key_place = place;
    return node;
}

const char *tp_tree_copy_text(tp_tree *tree, const char *text, size_t length)
{
    char *copy;
    if (length >= TEXT_AT_ONCE / 4) {
        copy = TP_ARENA_ARRAY(tree->arena, char, length + 1);
        if (!copy) return NULL;
    } else {
        if (tree->spare_text_bytes <= length) {
            tree->spare_text = TP_ARENA_ARRAY(tree->arena, char, TEXT_AT_ONCE);
            tree->spare_text_bytes = tree->spare_text ? TEXT_AT_ONCE : 0;
            if (!tree->spare_text) return NULL;
        }
        copy = tree->spare_text;
        tree->spare_text += length + 1;
        tree->spare_text_bytes -= length + 1;
    }
    if (length > 0) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void tp_node_append(tp_node *parent, tp_node *child)
{
    child->parent = parent;
    child->next = NULL;
    if (parent->last) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
}

void tp_node_replace(tp_node *node, const tp_node *value)
{
    tp_node old = *node;
    *node = *value;
    node->key = old.key;
    node->key_place = old.key_place;
    node->parent = old.parent;
    node->next = old.next;
    for (tp_node *child = node->first; child; child = child->next) child->parent = node;
}

int tp_node_depth(const tp_node *node)
{
    int depth = 0;
    for (node = node->parent; node; node = node->parent) depth++;
    return depth;
}

tp_node *tp_map_get(const tp_node *map, const char *key)
{
    if (!map || map->kind != TP_NODE_MAP) return NULL;
    tp_node *entry = map->first;
    while (entry && strcmp(entry->key, key) != 0) entry = entry->next;
    return entry;
}

tp_node *tp_list_at(const tp_node *list, int index)
{
    if (!list || list->kind != TP_NODE_LIST || index < 0) return NULL;
    tp_node *item = list->first;
    while (item && index-- > 0) item = item->next;
    return item;
}

tp_excerpt tp_excerpt_of(const char *text)
{
    tp_excerpt excerpt;
    enum { KEPT = 48 };
    size_t length = strlen(text), kept = length;
    if (length > KEPT) {
        kept = KEPT; /* do not cut a character in two: its later bytes are 10xxxxxx */
        while (kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80) kept--;
    }
    for (size_t i = 0; i < kept; i++) {
        bool is_control = (unsigned char)text[i] < 0x20 || text[i] == 0x7F;
        excerpt.text[i] = is_control ? ' ' : text[i];
    }
    strcpy(excerpt.text + kept, kept < length ? "..." : "");
    return excerpt;
}

static int index_in_list(const tp_node *item)
{
    int index = 0;
    const tp_node *other = item->parent->first;
    for (; other && other != item; other = other->next)
        index++; /* one that is not in its list yet: behind it */
    return index;
}

/* One part of a path: ".key", ".name" of a list item that has one, or "[index]". */
static void part_of_path(const tp_node *node, char *part, size_t capacity)
{
    const tp_node *name = node->key ? NULL : tp_map_get(node, "name");
    if (node->key) {
        snprintf(part, capacity, ".%s", tp_excerpt_of(node->key).text);
    } else if (name && name->kind == TP_NODE_SCALAR && name->text[0]) {
        snprintf(part, capacity, ".%s", tp_excerpt_of(name->text).text);
    } else {
        snprintf(part, capacity, "[%d]", index_in_list(node));
    }
}

tp_node_path tp_node_path_of(const tp_node *node)
{
    tp_node_path path = {""};
    size_t room = sizeof path.text - 1, begin = room; /* filled from the end */
    for (; node->parent; node = node->parent) {
        char part[80];
        part_of_path(node, part, sizeof part);
        size_t length = strlen(part);
        if (length + 3 > begin) {
            memcpy(path.text + begin - 3, "...", 3);
            begin -= 3;
            break;
        }
        begin -= length;
        memcpy(path.text + begin, part, length);
    }
    path.text[room] = '\0';
    if (begin < room && path.text[begin] == '.' && path.text[begin + 1] != '.') begin++;
    memmove(path.text, path.text + begin, room - begin + 1);
    return path;
}

tp_node_where tp_node_where_of(const tp_node *node)
{
    tp_node_where where = {""};
    while (node && !node->repetition) node = node->parent;
    if (node) snprintf(where.text, sizeof where.text, " (where %s)", node->repetition);
    return where;
}

tp_status tp_node_fail(const tp_node *node, tp_message *why_out, const char *format, ...)
{
    char what[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tp_node_path path = tp_node_path_of(node);
    return tp_fail_at(why_out, TP_INVALID_DATA, node->place, "%s%s%s%s", path.text, path.text[0] ? ": " : "",
                      what, tp_node_where_of(node).text);
}
