/* One scene of several: the sections of included scenes come before those of the scene that includes them. */
#include <string.h>

#include "base/name_index.h"
#include "io/scene/include.h"
#include "io/scene/repeat.h"
#include "io/scene/scene_tables.h"

/* ---- values -------------------------------------------------------------------------------------------- */

/* A list of entries, not one of numbers that are one value. */
static bool is_joined(const tp_key *key)
{
    return key->form == TP_FORM_LIST && (key->kind == TP_VALUE_MAP || key->kind == TP_VALUE_FORMULA);
}

tp_status tp_include_make_list(tp_expansion *e, tp_node *node)
{
    if (node->kind == TP_NODE_LIST) return TP_OK;
    tp_node *item = tp_tree_new_node(e->tree, node->kind, node->place);
    if (!item) return tp_include_no_memory(e);
    *item = *node;
    item->key = NULL;
    for (tp_node *child = item->first; child; child = child->next) child->parent = item;
    tp_node list = {.kind = TP_NODE_LIST, .place = node->place, .text_place = node->place};
    tp_node_replace(node, &list);
    tp_node_append(node, item);
    return TP_OK;
}

static void move_children(tp_node *into, tp_node *from)
{
    for (tp_node *child = from->first, *next; child; child = next) {
        next = child->next;
        tp_node_append(into, child);
    }
}

/* Both files have it: entries are added up, and `later` wins where it is one value. Maps may then have a key
 * twice. */
static tp_status join_values(tp_expansion *e, tp_node *first, tp_node *later, const tp_key *key)
{
    const tp_key *form = key ? tp_key_for(key, later) : NULL;
    if (form && form != tp_key_for(key, first)) {
        return tp_node_fail(later, e->why, "is a %s here and a %s in %.300s; write both as lists",
                            later->kind == TP_NODE_MAP ? "map" : "list",
                            first->kind == TP_NODE_MAP ? "map" : "list", first->place.file);
    }
    if (form && is_joined(form)) {
        TP_TRY(tp_include_make_list(e, first));
        TP_TRY(tp_include_make_list(e, later));
        move_children(first, later);
    } else if (form && tp_key_is_map(form) && first->kind == TP_NODE_MAP && later->kind == TP_NODE_MAP) {
        move_children(first, later);
    } else {
        tp_place place = later->key_place;
        tp_node_replace(first, later);
        first->key_place = place;
    }
    return TP_OK;
}

/* ---- maps ---------------------------------------------------------------------------------------------- */

/* Makes one entry of all that have the same key, where the first of them stands. One pass over the entries,
   then over those of maps in them. */
static tp_status unite(tp_expansion *e, tp_node *map, const tp_key *key)
{
    tp_name_index index = {.count = 0};
    tp_node **entries = TP_ARENA_ARRAY(e->tree->arena, tp_node *, map->count + 1);
    int count = 0;
    tp_node *entry = map->first, *next;
    if (!entries) return tp_include_no_memory(e);
    map->first = map->last = NULL;
    map->count = 0;
    for (; entry; entry = next) {
        next = entry->next;
        int k = tp_name_index_find(&index, entry->key);
        const tp_key *of_entry =
            key->kind == TP_VALUE_MAP ? tp_keys_find(key->table, NULL, entry->key) : NULL;
        if (k >= 0) {
            TP_TRY(join_values(e, entries[k], entry, of_entry));
            continue;
        }
        if (tp_name_index_add(e->tree->arena, &index, entry->key, count) != TP_OK)
            return tp_include_no_memory(e);
        entries[count++] = entry;
        tp_node_append(map, entry);
    }
    for (entry = map->first; entry; entry = entry->next) {
        const tp_key *of_entry =
            key->kind == TP_VALUE_MAP ? tp_keys_find(key->table, NULL, entry->key) : NULL;
        const tp_key *form = of_entry ? tp_key_for(of_entry, entry) : NULL;
        if (form && tp_key_is_map(form) && entry->kind == TP_NODE_MAP) TP_TRY(unite(e, entry, form));
    }
    return TP_OK;
}

/* ---- scenes -------------------------------------------------------------------------------------------- */

static const tp_key whole_scene = {.name = "scene", .kind = TP_VALUE_MAP, .table = &tp_scene_keys};

static tp_status expand_repeats(tp_expansion *e, tp_node *scene)
{
    tp_scope scope;
    if (!tp_repeat_is_in(scene)) return TP_OK;
    tp_status status =
        tp_scope_open(&scope, e->tree, tp_map_get(scene, "parameters"), false, &e->work, e->why);
    if (status == TP_OK) status = tp_repeat_expand(&scope, scene, &tp_scene_keys);
    tp_scope_close(&scope);
    return status;
}

/* Takes an entry out of a map. */
static void remove_entry(tp_node *map, const char *key)
{
    tp_node *before = NULL, *entry = map->first;
    while (entry && strcmp(entry->key, key) != 0) before = entry, entry = entry->next;
    if (!entry) return;
    *(before ? &before->next : &map->first) = entry->next;
    if (map->last == entry) map->last = before;
    map->count--;
}

static tp_status join_scene(tp_expansion *e, tp_node *scene);

/* An included scene, ready to become part of another one. */
static tp_status join_included(tp_expansion *e, tp_node *into, const tp_node *entry)
{
    static const char *const unused[] = {"name", "about", "exact", "output"};
    tp_node *scene = tp_map_get(entry, "scene");
    const tp_node *prefix = tp_map_get(entry, "prefix");
    TP_TRY(join_scene(e, scene));
    for (size_t k = 0; k < sizeof unused / sizeof unused[0]; k++) remove_entry(scene, unused[k]);
    if (prefix) {
        tp_message why = {""};
        tp_status status = tp_prefix_names(e->tree, scene, prefix->text, &why);
        if (status == TP_OUT_OF_MEMORY) return tp_include_no_memory(e);
        if (status != TP_OK) return tp_node_fail(prefix, e->why, "%s", why.text);
    }
    move_children(into, scene);
    return TP_OK;
}

static tp_status join_scene(tp_expansion *e, tp_node *scene)
{
    const tp_node *include = tp_map_get(scene, "include");
    if (!include) return expand_repeats(e, scene);
    tp_node joined = {.kind = TP_NODE_MAP, .place = scene->place, .text_place = scene->text_place};
    joined.key = scene->key;
    joined.parent = scene->parent;
    for (const tp_node *entry = include->first; entry; entry = entry->next) {
        TP_TRY(join_included(e, &joined, entry));
    }
    remove_entry(scene, "include");
    move_children(&joined, scene);
    TP_TRY(unite(e, &joined, &whole_scene));
    tp_node_replace(scene, &joined);
    return expand_repeats(e, scene);
}

tp_status tp_include_join(tp_expansion *expansion)
{
    tp_node *root = expansion->tree->root;
    return root->kind == TP_NODE_MAP ? join_scene(expansion, root) : TP_OK;
}
