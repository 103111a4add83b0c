/* A prefix for all names of a scene. What is a name is known from the tables of keys: `name` of entries, the
   author's own keys of some sections; where they are used: texts that name something, and formulas. */
#include <string.h>

#include "base/name_index.h"
#include "io/scene/include.h"
#include "io/scene/scene_tables.h"
#include "io/scene/scope.h"

enum { NAME_MAX_LENGTH = 300, MADE_MAX = 256 * 1024 * 1024 /* bytes of renamed texts */ };

typedef struct renaming {
    tp_tree *tree;
    const char *prefix;
    tp_name_index names;
    tp_text text; /* under way */
    size_t made;  /* bytes so far */
    bool has_failed;
} renaming;

/* ---- names that the scene defines ---------------------------------------------------------------------- */

static void add_name(renaming *r, const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ') length--;
    const char *name = tp_tree_copy_text(r->tree, text, length);
    if (!name || tp_name_index_add(r->tree->arena, &r->names, name, 1) != TP_OK) r->has_failed = true;
}

static void add_names_of_entries(renaming *r, const tp_node *node)
{
    for (const tp_node *child = node->first; child; child = child->next) {
        bool is_name = child->key && strcmp(child->key, "name") == 0 && child->kind == TP_NODE_SCALAR;
        if (is_name) add_name(r, child->text, strlen(child->text));
        add_names_of_entries(r, child);
    }
}

static void collect_names(renaming *r, const tp_node *scene)
{
    static const char *const own_names[] = {"parameters", "definitions", "sensors"};
    static const char *const names_alone[] = {"coordinates", "velocities", "inputs"};
    for (size_t k = 0; k < 3; k++) {
        const tp_node *map = tp_map_get(scene, own_names[k]), *list = tp_map_get(scene, names_alone[k]);
        for (const tp_node *entry = map ? map->first : NULL; entry; entry = entry->next) {
            if (entry->key) add_name(r, entry->key, strcspn(entry->key, "(")); /* f(x, y) */
        }
        for (const tp_node *item = list ? list->first : NULL; item; item = item->next) {
            if (item->kind == TP_NODE_SCALAR) add_name(r, item->text, strlen(item->text));
        }
    }
    for (const tp_node *section = scene->first; section; section = section->next)
        add_names_of_entries(r, section);
}

/* Whether a text, or what stands before one of its dots, is such a name: ball, ball.omega.z, x'. */
static bool is_ours(const renaming *r, const char *text, size_t length)
{
    char name[NAME_MAX_LENGTH + 1];
    while (length > 0 && text[length - 1] == '\'') length--;
    if (length > NAME_MAX_LENGTH) return false;
    memcpy(name, text, length);
    name[length] = '\0';
    while (length > 0 && tp_name_index_find(&r->names, name) < 0) {
        char *dot = strrchr(name, '.');
        length = dot ? (size_t)(dot - name) : 0;
        name[length] = '\0';
    }
    return length > 0;
}

/* ---- where they stand ---------------------------------------------------------------------------------- */

/* What was put together becomes a text of the tree. */
static const char *keep(renaming *r)
{
    r->made += r->text.count;
    bool is_full = r->text.has_failed || r->made > MADE_MAX;
    const char *text = is_full ? NULL : tp_tree_copy_text(r->tree, r->text.bytes, r->text.count);
    if (!text) r->has_failed = true;
    return text ? text : "";
}

static const char *rename_text(renaming *r, const char *text)
{
    size_t length = strlen(text);
    if (!is_ours(r, text, length)) return text;
    r->text.count = 0;
    tp_text_add_bytes(&r->text, r->prefix, strlen(r->prefix));
    tp_text_add_bytes(&r->text, text, length);
    return keep(r);
}

static const char *rename_formula(renaming *r, const char *text)
{
    size_t length = strlen(text), at = 0;
    bool is_changed = false;
    r->text.count = 0;
    while (at < length) {
        size_t name = tp_span_name(text + at, length - at), number = tp_span_number(text + at, length - at);
        if (name > 0 && is_ours(r, text + at, name)) {
            tp_text_add_bytes(&r->text, r->prefix, strlen(r->prefix));
            is_changed = true;
        }
        size_t span = name > 0 ? name : number > 0 ? number : 1;
        tp_text_add_bytes(&r->text, text + at, span);
        at += span;
    }
    return is_changed ? keep(r) : text;
}

/* Texts that name nothing of the scene. */
static bool is_plain(const char *key)
{
    static const char *const plain[] = {"about", "unit", "output_unit", "colour", "file", "coordinate"};
    for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++) {
        if (strcmp(plain[k], key) == 0) return true;
    }
    return false;
}

static void rename_node(renaming *r, tp_node *node, const tp_key *key)
{
    if (!key) return;
    if (node->kind == TP_NODE_SCALAR) {
        bool is_formula = key->kind == TP_VALUE_FORMULA || key->kind == TP_VALUE_QUANTITY;
        bool is_name = (key->kind == TP_VALUE_TEXT && !is_plain(key->name)) || key->kind == TP_VALUE_MAP;
        if (is_formula) node->text = rename_formula(r, node->text);
        if (is_name) node->text = rename_text(r, node->text);
        return;
    }
    for (tp_node *child = node->first; child; child = child->next) {
        const tp_key *of_child = key;
        if (node->kind == TP_NODE_MAP && key->kind == TP_VALUE_MAP) {
            of_child = tp_keys_find(key->table, node, child->key);
            if (of_child) of_child = tp_key_for(of_child, child);
        } else if (node->kind == TP_NODE_MAP) {
            child->key = rename_formula(r, child->key); /* x', "x,y", f(x) */
        }
        rename_node(r, child, of_child);
    }
}

static bool is_prefix(const char *prefix)
{
    const char *allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
    size_t length = strlen(prefix);
    return length > 0 && length <= 64 && tp_span_name(prefix, length) > 0 &&
           strspn(prefix, allowed) == length;
}

tp_status tp_prefix_names(tp_tree *tree, tp_node *scene, const char *prefix, tp_message *why)
{
    const tp_key whole = {.name = "scene", .kind = TP_VALUE_MAP, .table = &tp_scene_keys};
    renaming r = {.tree = tree, .prefix = prefix};
    if (!is_prefix(prefix)) {
        return tp_fail(
            why, TP_INVALID_DATA,
            "'%s' cannot begin a name; write a letter, then letters, digits, _ and dots, 64 at most",
            tp_excerpt_of(prefix).text);
    }
    collect_names(&r, scene);
    rename_node(&r, scene, &whole);
    tp_text_clear(&r.text);
    return r.has_failed ? TP_OUT_OF_MEMORY : TP_OK;
}
