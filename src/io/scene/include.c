/* Reading the files that a scene includes. */
#define _XOPEN_SOURCE 700
#include "io/scene/include.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/name_index.h"
#include "io/common/near.h"
#include "io/common/whole_file.h"
#include "io/scene/repeat.h"
#include "io/scene/rows.h"

static const tp_key include_keys[] = {
    ROW("file", TP_VALUE_TEXT, .load = NULL,
        "a scene file, from the folder of the file that includes it; a text alone stands for {file: text}"),
    ROW("prefix", TP_VALUE_TEXT, .load = NULL,
        "put before all names that the included scene defines, `left_` or `left.`; left out: none"),
    ROW("parameters", TP_VALUE_QUANTITY, .load = NULL,
        "values for parameters of the included scene; formulas of the parameters of this one",
        .form = TP_FORM_NAMED),
    ROW("scene", TP_VALUE_ANY, .load = NULL,
        "the included scene itself; the file is then not read. Stored scenes have it"),
};
const tp_key_table tp_include_keys =
    TABLE("include", include_keys,
          "Another scene that becomes part of this one.\nIts entries come before those of this file; where "
          "both say "
          "a value, this file wins.\n`name`, `about`, `exact` and `output` of the other one are not used.");

/* ---- paths --------------------------------------------------------------------------------------------- */

/* The folder of a file with all its links followed; NULL if there is none. To be freed. */
static char *folder_of(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    size_t length = slash ? (size_t)(slash - file) + 1 : 2;
    char *name = malloc(length + 1);
    if (!name) return NULL;
    memcpy(name, slash ? file : "./", length);
    name[length] = '\0';
    char *folder = realpath(name, NULL);
    free(name);
    return folder;
}

const char *tp_path_beside(tp_arena *arena, const char *file, const char *name)
{
    char *folder = name[0] == '/' ? NULL : folder_of(file);
    if (!folder) return tp_arena_copy(arena, name, strlen(name) + 1, 1);
    size_t before = strlen(folder), behind = strlen(name);
    char *path = TP_ARENA_ARRAY(arena, char, before + behind + 2);
    if (path) {
        memcpy(path, folder, before);
        path[before] = '/';
        memcpy(path + before + 1, name, behind);
    }
    free(folder);
    return path;
}

/* ---- one file ------------------------------------------------------------------------------------------ */

/* Files that are being read, outermost first. */
typedef struct chain {
    const struct chain *outer;
    const char *file; /* as in messages; NULL: a scene that was given itself */
    struct stat identity;
    int depth;
} chain;

tp_status tp_include_no_memory(const tp_expansion *e)
{
    return tp_fail(e->why, TP_OUT_OF_MEMORY, "no memory for the scene");
}

static tp_status check_limits(tp_expansion *e, const tp_node *node, const chain *in, const char *path,
                              struct stat *identity_out)
{
    if (stat(path, identity_out) != 0) {
        tp_message why = {""};
        tp_file_fail(&why, "read", path);
        tp_node_fail(node, e->why, "%.900s", why.text);
        return TP_FILE_ERROR;
    }
    if (!S_ISREG(identity_out->st_mode))
        return tp_node_fail(node, e->why, "%.600s is not a plain file", path);
    for (const chain *link = in; link; link = link->outer) {
        bool is_same =
            link->identity.st_dev == identity_out->st_dev && link->identity.st_ino == identity_out->st_ino;
        if (is_same)
            return tp_node_fail(node, e->why, "%.600s includes itself; remove one of the includes", path);
    }
    e->bytes += (long long)identity_out->st_size;
    if (e->bytes > TP_INCLUDE_BYTES_MAX)
        return tp_node_fail(node, e->why, "more than 64 MiB are included; scenes are smaller");
    return TP_OK;
}

/* Lists and maps in each other, from a node on. */
static int depth_of(const tp_node *node)
{
    int deepest = 0;
    for (const tp_node *child = node->first; child; child = child->next) {
        int depth = depth_of(child);
        if (depth > deepest) deepest = depth;
    }
    return deepest + (node->kind != TP_NODE_SCALAR);
}

/* Hangs the tree of a file into its entry. */
static tp_status hang_scene(tp_expansion *e, tp_node *entry, const tp_node *file, const tp_tree *read)
{
    tp_node *scene = read->root;
    scene->key = "scene";
    scene->key_place = file->place;
    tp_node_append(entry, scene);
    e->tree->node_count += read->node_count;
    if (e->tree->node_count > TP_TREE_NODES_MAX)
        return tp_node_fail(file, e->why, "the scene has more than %d values with this file",
                            TP_TREE_NODES_MAX);
    return TP_OK;
}

static tp_status read_file(tp_expansion *e, tp_node *entry, const char *main, chain *in)
{
    const tp_node *file = tp_map_get(entry, "file");
    tp_tree *read;
    if (!file)
        return tp_node_fail(entry, e->why, "the key 'file' is missing; add file: with the name of a scene");
    const char *beside = strcmp(file->place.file, "--set") == 0 ? main : file->place.file;
    const char *path = tp_path_beside(e->tree->arena, beside, file->text);
    if (!path) return tp_include_no_memory(e);
    TP_TRY(check_limits(e, file, in->outer, path, &in->identity));
    e->files[e->file_count++] = path;
    in->file = path;
    TP_TRY(tp_tree_read_file(e->tree->arena, e->tree->nodes, path, &read, e->why));
    return hang_scene(e, entry, file, read);
}

/* ---- values for parameters ----------------------------------------------------------------------------- */

static tp_status unknown_parameter(tp_expansion *e, const tp_node *value, const tp_node *parameters)
{
    tp_near near = tp_near_begin(value->key);
    for (const tp_node *known = parameters ? parameters->first : NULL; known; known = known->next)
        tp_near_offer(&near, known->key);
    return tp_node_fail(value, e->why, "the included scene has no such parameter%s",
                        near.best ? tp_near_hint_of(&near).text : "");
}

/* The values replace those of the included scene: numbers, since formulas know this file's parameters. */
static tp_status pass_parameters(tp_expansion *e, const tp_node *entry, tp_scope *scope)
{
    const tp_node *given = tp_map_get(entry, "parameters"), *scene = tp_map_get(entry, "scene");
    const tp_node *parameters = tp_map_get(scene, "parameters");
    tp_name_index index = {.count = 0};
    int k = 0;
    if (!given) return TP_OK;
    for (const tp_node *value = given->first; value; value = value->next) {
        if (tp_name_index_add(e->tree->arena, &index, value->key, k++) != TP_OK)
            return tp_include_no_memory(e);
    }
    unsigned char *is_used = TP_ARENA_ARRAY(e->tree->arena, unsigned char, k + 1);
    double *numbers = TP_ARENA_ARRAY(e->tree->arena, double, k + 1);
    if (!is_used || !numbers) return tp_include_no_memory(e);
    k = 0;
    for (const tp_node *value = given->first; value; value = value->next)
        TP_TRY(tp_scope_number(scope, value, &numbers[k++]));
    for (tp_node *known = parameters ? parameters->first : NULL; known; known = known->next) {
        k = tp_name_index_find(&index, known->key);
        if (k < 0) continue;
        const tp_node number = {.kind = TP_NODE_SCALAR,
                                .text = tp_scope_print(e->tree, numbers[k]),
                                .place = given->place,
                                .text_place = given->place};
        if (!number.text) return tp_include_no_memory(e);
        tp_node_replace(known, &number);
        is_used[k] = 1;
    }
    k = 0;
    for (const tp_node *value = given->first; value; value = value->next) {
        if (!is_used[k++]) return unknown_parameter(e, value, parameters);
    }
    return TP_OK;
}

/* ---- all files ----------------------------------------------------------------------------------------- */

static const tp_key include_row = {
    .name = "include", .kind = TP_VALUE_MAP, .form = TP_FORM_LIST, .table = &tp_include_keys};

/* A name alone is {file: name}. */
static tp_status make_map(tp_expansion *e, tp_node *item)
{
    if (item->kind != TP_NODE_SCALAR) return TP_OK;
    tp_node *file = tp_tree_new_node(e->tree, TP_NODE_SCALAR, item->place);
    if (!file) return tp_include_no_memory(e);
    *file = *item;
    file->key = "file";
    tp_node map = {.kind = TP_NODE_MAP, .place = item->place, .text_place = item->place};
    tp_node_replace(item, &map);
    tp_node_append(item, file);
    return TP_OK;
}

static tp_status read_includes(tp_expansion *e, tp_node *scene, chain *in);

static tp_status read_entry(tp_expansion *e, tp_node *entry, tp_scope *scope, const chain *outer)
{
    chain in = {.outer = outer, .depth = outer->depth + 1};
    TP_TRY(make_map(e, entry));
    TP_TRY(tp_keys_check(entry, &tp_include_keys, e->why));
    if (in.depth > TP_INCLUDE_DEPTH_MAX)
        return tp_node_fail(entry, e->why, "scenes include each other more than %d deep",
                            TP_INCLUDE_DEPTH_MAX);
    if (++e->include_count > TP_INCLUDE_FILES_MAX)
        return tp_node_fail(entry, e->why, "more than %d scenes are included", TP_INCLUDE_FILES_MAX);
    if (!tp_map_get(entry, "scene")) TP_TRY(read_file(e, entry, e->tree->file, &in));
    tp_node *included = tp_map_get(entry, "scene");
    if (included->kind != TP_NODE_MAP)
        return tp_node_fail(included, e->why, "a scene is a map, written as 'key: value' lines");
    TP_TRY(pass_parameters(e, entry, scope));
    return read_includes(e, included, &in);
}

static tp_status read_list(tp_expansion *e, tp_node *include, tp_scope *scope, const chain *in)
{
    TP_TRY(tp_repeat_expand_value(scope, include, &include_row));
    for (tp_node *entry = include->first; entry; entry = entry->next) TP_TRY(read_entry(e, entry, scope, in));
    return TP_OK;
}

static tp_status read_includes(tp_expansion *e, tp_node *scene, chain *in)
{
    tp_node *include = tp_map_get(scene, "include");
    tp_scope scope;
    if (!include) return TP_OK;
    TP_TRY(tp_include_make_list(e, include));
    tp_status status =
        tp_scope_open(&scope, e->tree, tp_map_get(scene, "parameters"), true, &e->work, e->why);
    if (status == TP_OK) status = read_list(e, include, &scope, in);
    tp_scope_close(&scope);
    return status;
}

tp_status tp_include_read(tp_expansion *expansion)
{
    chain outermost = {.file = expansion->tree->file};
    if (!tp_map_get(expansion->tree->root, "include")) return TP_OK;
    if (stat(outermost.file, &outermost.identity) != 0)
        outermost.identity = (struct stat){0}; /* not a file */
    expansion->files = TP_ARENA_ARRAY(expansion->tree->arena, const char *, TP_INCLUDE_FILES_MAX);
    if (!expansion->files) return tp_include_no_memory(expansion);
    TP_TRY(read_includes(expansion, expansion->tree->root, &outermost));
    if (depth_of(expansion->tree->root) <= TP_TREE_DEPTH_MAX) return TP_OK; /* its text can be read again */
    return tp_node_fail(
        tp_map_get(expansion->tree->root, "include"), expansion->why,
        "lists and maps are nested more than 64 deep with what is included; make the scenes flatter");
}
