/* --set: a path is followed through the tree as far as it is there, then through the key tables; the tree is
   changed only when the whole path and the value are known to be right. */
#include "io/scene/edit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/common/near.h"

enum { PATH_MAX_LENGTH = 1000 };

typedef struct walk {
    const char *argument;       /* as given, for messages                                                */
    const char *rest;           /* of the path: not yet followed, without the dot in front               */
    tp_node *at;                /* the deepest node that is there                                        */
    const tp_key_table *table;  /* of the map where we are, or of the items of the list; NULL: unknown */
    bool has_own_names;         /* the map's keys are the author's; `table` is that of their values */
    const tp_edit_rules *rules; /* never NULL                                                            */
    tp_message *why;
} walk;

static tp_status fail(const walk *w, const char *format, ...) TP_PRINTF(2, 3);

static tp_status fail(const walk *w, const char *format, ...)
{
    char what[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return tp_fail(w->why, TP_INVALID_DATA, "--set %s: %s", tp_excerpt_of(w->argument).text, what);
}

/* ---- parts of a path ----------------------------------------------------------------------------------- */

/* Bytes of `name` if the path begins with it as a whole part, else 0. */
static size_t part_length(const char *path, const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || strncmp(path, name, length) != 0) return 0;
    char next = path[length];
    return next == '\0' || next == '.' || next == '[' ? length : 0;
}

/* The first part as far as one can tell without knowing the keys. */
static void first_part(const char *path, char *part, size_t capacity)
{
    size_t length = strcspn(path, ".[");
    if (length >= capacity) length = capacity - 1;
    memcpy(part, path, length);
    part[length] = '\0';
}

static const char *behind(const char *path, size_t length)
{
    return path + length + (path[length] == '.');
}

static const char *item_name(const tp_node *item)
{
    const tp_node *name = tp_map_get(item, "name");
    return name && name->kind == TP_NODE_SCALAR ? name->text : "";
}

/* The child with the longest key, or name, that the path begins with. */
static tp_node *longest_child(const walk *w, size_t *length_out)
{
    tp_node *best = NULL;
    *length_out = 0;
    for (tp_node *child = w->at->first; child; child = child->next) {
        size_t length = part_length(w->rest, child->key ? child->key : item_name(child));
        if (length <= *length_out) continue;
        *length_out = length;
        best = child;
    }
    return best;
}

/* ---- what is not there ----------------------------------------------------------------------------------
 */

static const char *where(const tp_node *node, tp_node_path *path)
{
    *path = tp_node_path_of(node);
    return path->text[0] ? path->text : "the scene";
}

/* `rest` begins with a key that neither the map (NULL: not there yet) nor its table (NULL: unknown) has. */
static tp_status no_such_key(const walk *w, const tp_node *map, const tp_key_table *table, const char *rest)
{
    char part[TP_TREE_KEY_MAX];
    tp_node_path path;
    first_part(rest, part, sizeof part);
    tp_near near = tp_near_begin(part);
    for (const tp_node *entry = map ? map->first : NULL; entry; entry = entry->next) {
        tp_near_offer(&near, entry->key);
    }
    const tp_key_table *further = table ? tp_keys_variant(table, map).table : NULL;
    for (int k = 0; table && k < table->key_count; k++) tp_near_offer(&near, table->keys[k].name);
    for (int k = 0; further && k < further->key_count; k++) tp_near_offer(&near, further->keys[k].name);
    const char *hint = "; name one that is there or that the manual lists";
    tp_near_hint nearest = tp_near_hint_of(&near);
    if (near.best) hint = strcmp(near.best, part) == 0 ? " yet; set it as a whole" : nearest.text;
    return fail(w, "%s has no key '%s'%s", map ? where(map, &path) : table->name, tp_excerpt_of(part).text,
                hint);
}

static tp_status no_such_item(const walk *w)
{
    char part[TP_TREE_KEY_MAX];
    tp_node_path path;
    first_part(w->rest, part, sizeof part);
    tp_near near = tp_near_begin(part);
    for (const tp_node *item = w->at->first; item; item = item->next) {
        tp_near_offer(&near, item_name(item));
        if (!tp_map_get(item, "repeat")) continue;
        return fail(w,
                    "%s has no item named '%s'; entries with repeat are set as they are written, '%s' or [i]",
                    where(w->at, &path), tp_excerpt_of(part).text, tp_excerpt_of(item_name(item)).text);
    }
    return fail(w, "%s has no item named '%s'%s", where(w->at, &path), tp_excerpt_of(part).text,
                near.best ? tp_near_hint_of(&near).text
                          : "; name one that is there, or write [i] with i from 0");
}

/* ---- one step along the path ----------------------------------------------------------------------------
 */

/* The table of what a key holds, when that are maps. */
static const tp_key_table *table_of_value(const tp_key_table *table, const tp_node *map, const char *name,
                                          bool *is_named_out)
{
    const tp_key *key = table ? tp_keys_find(table, map, name) : NULL;
    const tp_node *value = tp_map_get(map, name);
    if (key && value) key = tp_key_for(key, value);
    *is_named_out = key && key->form == TP_FORM_NAMED;
    return key && key->kind == TP_VALUE_MAP ? key->table : NULL;
}

/* [i] of a list. */
static tp_status step_index(walk *w)
{
    long index = 0;
    const char *digit = w->rest + 1;
    for (; *digit >= '0' && *digit <= '9' && index < TP_TREE_NODES_MAX; digit++)
        index = 10 * index + (*digit - '0');
    bool is_closed = digit > w->rest + 1 && digit[0] == ']' && (!digit[1] || strchr(".[", digit[1]));
    if (!is_closed)
        return fail(w, "expected [i] with a whole number; write it like contacts[0].friction, from 0");
    tp_node *item = tp_list_at(w->at, (int)index);
    if (!item) {
        tp_node_path path;
        const char *name = where(w->at, &path);
        if (w->at->kind != TP_NODE_LIST) return fail(w, "%s is not a list; name a key", name);
        if (w->at->count == 0) return fail(w, "%s is an empty list", name);
        return fail(w, "%s has no item [%ld]; its items are [0] to [%d]", name, index, w->at->count - 1);
    }
    w->at = item;
    w->rest = behind(w->rest, (size_t)(digit - w->rest) + 1);
    return TP_OK;
}

/* A key of a map or a name in a list; *is_missing_out: not there. */
static tp_status step_name(walk *w, bool *is_missing_out)
{
    size_t length;
    tp_node_path path;
    if (w->at->kind == TP_NODE_SCALAR) {
        return fail(w, "%s is a single value and has no parts; end the path there", where(w->at, &path));
    }
    tp_node *child = longest_child(w, &length);
    *is_missing_out = child == NULL;
    if (!child) return w->at->kind == TP_NODE_LIST ? no_such_item(w) : TP_OK;
    if (w->at->kind == TP_NODE_MAP) {
        if (w->has_own_names) { /* named values: the table is already that of the values */
            w->has_own_names = false;
        } else {
            w->table = table_of_value(w->table, w->at, child->key, &w->has_own_names);
        }
    }
    w->at = child;
    w->rest = behind(w->rest, length);
    return TP_OK;
}

/* ---- adding ---------------------------------------------------------------------------------------------
 */

static bool is_known(const walk *w, const tp_key_table *table, const tp_node *map, const char *key)
{
    if (table && tp_keys_find(table, map, key)) return true;
    return map && w->rules->knows && w->rules->knows(w->rules->context, map, key);
}

/* Maps that are to be made, by their keys, the last the key of the value. */
typedef struct plan {
    const char *names[TP_TREE_DEPTH_MAX]; /* parts of the path */
    size_t lengths[TP_TREE_DEPTH_MAX];
    int count;
} plan;

/* The longest key of a map that the rest begins with, with more behind it; NULL if there is none. */
static const tp_key *key_of_map(const tp_key_table *table, const char *rest)
{
    const tp_key *best = NULL;
    for (int k = 0; table && k < table->key_count; k++) {
        const tp_key *key = &table->keys[k];
        if (key->kind != TP_VALUE_MAP || key->form != TP_FORM_ONE) continue;
        bool begins = part_length(rest, key->name) > 0 && rest[strlen(key->name)] == '.';
        if (begins && (!best || strlen(key->name) > strlen(best->name))) best = key;
    }
    return best;
}

/* Follows the rest through the tables alone. */
static tp_status plan_maps(const walk *w, plan *plan_out)
{
    const tp_key_table *table = w->has_own_names ? NULL : w->table;
    const tp_node *map = w->at;
    const char *rest = w->rest;
    for (int count = 0; count < TP_TREE_DEPTH_MAX; count++) {
        plan_out->names[count] = rest;
        plan_out->lengths[count] = strlen(rest);
        plan_out->count = count + 1;
        if (is_known(w, table, map, rest)) return TP_OK;
        const tp_key *next = key_of_map(table, rest);
        if (!next) return no_such_key(w, map, table, rest);
        plan_out->lengths[count] = strlen(next->name);
        rest = behind(rest, strlen(next->name));
        table = next->table;
        map = NULL;
    }
    return fail(w, "the path is nested more than 64 deep");
}

static tp_status no_memory(const walk *w)
{
    return tp_fail(w->why, TP_OUT_OF_MEMORY, "no memory for --set %s", tp_excerpt_of(w->argument).text);
}

/* Reads the value for a given depth; its message gets the argument in front. */
static tp_status read_value(const walk *w, tp_tree *tree, const char *text, int depth, tp_place place,
                            tp_node **value_out)
{
    tp_message what = {""};
    tp_status status = tp_tree_read_value(tree, text, depth, place, value_out, &what);
    if (status == TP_INVALID_DATA) return fail(w, "%s", what.text);
    return status == TP_OK ? TP_OK : tp_fail(w->why, status, "%s", what.text);
}

/* Hangs the value and the maps around it, built from the inside, under the map where the walk ended. */
static tp_status add_value(const walk *w, tp_tree *tree, const char *text, tp_place place)
{
    plan maps;
    tp_node *value;
    TP_TRY(plan_maps(w, &maps));
    int depth = tp_node_depth(w->at) + maps.count;
    if (depth > TP_TREE_DEPTH_MAX) return fail(w, "the path is nested more than 64 deep");
    TP_TRY(read_value(w, tree, text, depth, place, &value));
    for (int k = maps.count - 1; k >= 0; k--) {
        tp_node *map = k > 0 ? tp_tree_new_node(tree, TP_NODE_MAP, place) : w->at;
        value->key = tp_tree_copy_text(tree, maps.names[k], maps.lengths[k]);
        if (!value->key || !map) return no_memory(w);
        value->key_place = place;
        tp_node_append(map, value);
        value = map;
    }
    return TP_OK;
}

/* ---- the edit -------------------------------------------------------------------------------------------
 */

static tp_status follow_and_change(walk *w, tp_tree *tree, const char *text)
{
    const tp_place place = {"--set", 1, 1};
    bool is_missing = false;
    while (*w->rest && !is_missing) {
        if (w->rest[0] == '[') {
            TP_TRY(step_index(w));
        } else {
            TP_TRY(step_name(w, &is_missing));
        }
    }
    if (is_missing) return add_value(w, tree, text, place);
    tp_node *value;
    TP_TRY(read_value(w, tree, text, tp_node_depth(w->at), place, &value));
    tp_node_replace(w->at, value);
    return TP_OK;
}

tp_status tp_tree_set(tp_tree *tree, const char *argument, const tp_edit_rules *rules, tp_message *why_out)
{
    static const tp_edit_rules no_rules = {.table = NULL};
    char path[PATH_MAX_LENGTH + 1];
    walk w = {.argument = argument,
              .rest = path,
              .at = tree->root,
              .rules = rules ? rules : &no_rules,
              .why = why_out};
    w.table = w.rules->table;
    const char *equals = strchr(argument, '=');
    if (!equals) return fail(&w, "no '='; write PATH=VALUE, like parameters.g=1.62");
    size_t length = (size_t)(equals - argument);
    if (length == 0) return fail(&w, "no path; write PATH=VALUE, like parameters.g=1.62");
    if (length > PATH_MAX_LENGTH) return fail(&w, "the path is longer than 1000 bytes");
    memcpy(path, argument, length);
    path[length] = '\0';
    if (path[length - 1] == '.' || path[0] == '.' || strstr(path, "..")) {
        return fail(&w, "an empty part in the path; write one dot between two keys");
    }
    return follow_and_change(&w, tree, equals + 1);
}
