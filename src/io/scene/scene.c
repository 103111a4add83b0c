/* Scenes: bytes -> checked tree -> edits -> key tables -> model; docs/scene.md. */
#include "tippe/scene.h"

#include <string.h>

#include "io/common/c_locale.h"
#include "io/scene/edit.h"
#include "io/scene/include.h"
#include "io/scene/loader.h"
#include "io/scene/repeat.h"
#include "io/scene/scene_write.h"

/* All that a scene consists of, in one piece and an arena. */
struct tp_scene_memory {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_scene scene;
};

/* ---- edits --------------------------------------------------------------------------------------------- */

/* True if `key` is the name of an item of a section with `after` behind it, or alone; after ".": with a dot
   and anything behind it. */
static bool is_of_item(const tp_node *section, const char *key, const char *after)
{
    for (const tp_node *item = section ? section->first : NULL; item; item = item->next) {
        const tp_node *name = item->kind == TP_NODE_SCALAR ? item : tp_map_get(item, "name");
        if (!name || name->kind != TP_NODE_SCALAR) continue;
        size_t length = strlen(name->text);
        if (strncmp(key, name->text, length) != 0) continue;
        const char *rest = key + length;
        if (after[0] == '.' ? rest[0] == '.' : !rest[0] || strcmp(rest, after) == 0) return true;
    }
    return false;
}

/* Keys of an include, and values that it gives to parameters. */
static bool is_of_include(const tp_node *include, const tp_node *map, const char *key)
{
    if (!include || !map) return false;
    bool is_entry = map == include || map->parent == include;
    bool has_values = map->key && strcmp(map->key, "parameters") == 0 && map->parent &&
                      (map->parent == include || map->parent->parent == include);
    return has_values || (is_entry && tp_keys_find(&tp_include_keys, NULL, key));
}

/* Initial values may be added for everything that moves; what repeats and included scenes stand for is not
   known yet, and the loader refuses names that are not there. */
static bool may_add(void *context, const tp_node *map, const char *key)
{
    const tp_node *root = context;
    if (is_of_include(tp_map_get(root, "include"), map, key)) return true;
    if (tp_map_get(map, "repeat") && tp_keys_find(&tp_repeat_keys, NULL, key)) return true;
    if (!map || map != tp_map_get(root, "initial")) return false;
    if (tp_map_get(root, "include") || tp_repeat_is_in(root)) return true;
    return is_of_item(tp_map_get(root, "coordinates"), key, "'") ||
           is_of_item(tp_map_get(root, "velocities"), key, "") ||
           is_of_item(tp_map_get(root, "states"), key, "") ||
           is_of_item(tp_map_get(root, "bodies"), key, ".");
}

/* The map `initial` for an edit of one of its values. */
static tp_status add_initial(tp_tree *tree, tp_message *why)
{
    tp_node *map = tp_tree_new_node(tree, TP_NODE_MAP, (tp_place){"--set", 1, 1});
    if (!map) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for an edit");
    map->key = "initial";
    map->key_place = map->place;
    tp_node_append(tree->root, map);
    return TP_OK;
}

static tp_status apply_edits(tp_tree *tree, const char *const *edits, int edit_count, tp_message *why)
{
    static const char initial[] = "initial.";
    const tp_edit_rules rules = {.table = &tp_scene_keys, .knows = may_add, .context = tree->root};
    for (int k = 0; k < edit_count; k++) {
        bool is_initial = strncmp(edits[k], initial, sizeof initial - 1) == 0;
        if (is_initial && tree->root->kind == TP_NODE_MAP && !tp_map_get(tree->root, "initial")) {
            TP_TRY(add_initial(tree, why));
        }
        TP_TRY(tp_tree_set(tree, edits[k], &rules, why));
    }
    return TP_OK;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* What to read: a file, or bytes that have a name. */
typedef struct source {
    const char *path;
    const void *bytes; /* NULL: the file */
    size_t count;
} source;

static tp_status keep_text(tp_scene *scene, tp_arena *arena, const tp_node *root, tp_message *why)
{
    tp_text text = {.bytes = NULL};
    tp_tree_write(root, &text);
    char *copy = text.has_failed ? NULL : TP_ARENA_ARRAY(arena, char, text.count + 1);
    if (copy && text.count > 0) memcpy(copy, text.bytes, text.count);
    tp_text_clear(&text);
    scene->text = copy;
    return copy ? TP_OK : tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the text of the scene");
}

/* The tree as it is written, with edits; all files that it names are found, those that it includes are read.
 */
static tp_status read_tree(tp_arena *arena, const source *from, const char *const *edits, int edit_count,
                           tp_expansion *expansion_out, tp_message *why)
{
    tp_tree *tree;
    TP_TRY(from->bytes ? tp_tree_read(arena, arena, from->path, from->bytes, from->count, &tree, why)
                       : tp_tree_read_file(arena, arena, from->path, &tree, why));
    *expansion_out = (tp_expansion){.tree = tree, .why = why};
    TP_TRY(apply_edits(tree, edits, edit_count, why));
    TP_TRY(tp_include_read(expansion_out));
    return tp_load_find_files(tree, tree->root, why);
}

/* The tree, its nodes and its texts, lives in `work`; what the scene keeps of it lies in its own arena. */
static tp_status fill_scene(tp_scene *scene, tp_arena *work, const source *from, const char *const *edits,
                            int edit_count, tp_message *why)
{
    tp_arena *arena = &scene->memory->arena;
    tp_expansion expansion;
    TP_TRY(read_tree(work, from, edits, edit_count, &expansion, why));
    const tp_tree *tree = expansion.tree;
    scene->path = tp_arena_copy(arena, tree->file, strlen(tree->file) + 1, 1);
    if (!scene->path) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for a path");
    TP_TRY(keep_text(scene, arena, tree->root, why));
    TP_TRY(tp_include_join(&expansion));
    TP_TRY(tp_keys_check(tree->root, &tp_scene_keys, why));
    TP_TRY(tp_load_list_files(arena, tree->root, &expansion, scene, why));
    if (tp_model_create(scene->memory->allocator, &scene->model) != TP_OK) {
        return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the model");
    }
    tp_loader loader = {.arena = arena,
                        .work = work,
                        .model = scene->model,
                        .root = tree->root,
                        .file = tree->file,
                        .why = why};
    return tp_load_scene(&loader, scene);
}

static tp_status read_scene(const tp_allocator *allocator, const source *from, const char *const *edits,
                            int edit_count, tp_scene **scene_out, tp_message *why)
{
    if (!scene_out || !from->path || (edit_count > 0 && !edits))
        return tp_fail(why, TP_INVALID_ARGUMENT, "the path, the edits or scene_out is NULL");
    *scene_out = NULL;
    if (!allocator) allocator = tp_allocator_default();
    struct tp_scene_memory *memory = allocator->allocate(allocator->context, sizeof *memory);
    if (!memory) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for a scene");
    memset(memory, 0, sizeof *memory);
    memory->allocator = allocator;
    memory->scene.memory = memory;
    tp_arena_init(&memory->arena, allocator);
    tp_c_locale locale;
    tp_status status = tp_c_locale_enter(&locale, why);
    if (status == TP_OK) {
        tp_arena work = tp_arena_make(allocator);
        work.chunk_bytes = TP_ARENA_LARGE_CHUNKS;
        status = fill_scene(&memory->scene, &work, from, edits, edit_count, why);
        tp_arena_clear(&work);
        tp_c_locale_leave(&locale);
    }
    if (status != TP_OK) tp_scene_free(&memory->scene);
    *scene_out = status == TP_OK ? &memory->scene : NULL;
    return status;
}

tp_status tp_scene_read(const tp_allocator *allocator, const char *path, const char *const *edits,
                        int edit_count, tp_scene **scene_out, tp_message *why_out)
{
    const source file = {.path = path};
    return read_scene(allocator, &file, edits, edit_count, scene_out, why_out);
}

tp_status tp_scene_read_memory(const tp_allocator *allocator, const char *name, const void *bytes,
                               size_t count, const char *const *edits, int edit_count, tp_scene **scene_out,
                               tp_message *why_out)
{
    const source memory = {.path = name, .bytes = bytes ? bytes : "", .count = bytes ? count : 0};
    return read_scene(allocator, &memory, edits, edit_count, scene_out, why_out);
}

/* ---- the expanded scene -------------------------------------------------------------------------------- */

static tp_status write_expanded(tp_arena *arena, const source *from, const char *const *edits, int edit_count,
                                tp_text *text_out, tp_message *why)
{
    tp_expansion expansion;
    TP_TRY(read_tree(arena, from, edits, edit_count, &expansion, why));
    TP_TRY(tp_include_join(&expansion));
    tp_tree_write(expansion.tree->root, text_out);
    tp_text_add_bytes(text_out, "", 1);
    return text_out->has_failed ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the text") : TP_OK;
}

tp_status tp_scene_expand(const char *path, const char *const *edits, int edit_count, tp_text_sink sink,
                          void *context, tp_message *why_out)
{
    const source file = {.path = path};
    tp_text text = {.bytes = NULL};
    tp_c_locale locale;
    if (!path || !sink || (edit_count > 0 && !edits))
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "the path, the edits or the sink is NULL");
    TP_TRY(tp_c_locale_enter(&locale, why_out));
    tp_arena arena = tp_arena_make(NULL);
    tp_status status = write_expanded(&arena, &file, edits, edit_count, &text, why_out);
    if (status == TP_OK) sink(context, text.bytes);
    tp_text_clear(&text);
    tp_arena_clear(&arena);
    tp_c_locale_leave(&locale);
    return status;
}

void tp_scene_free(tp_scene *scene)
{
    if (!scene) return;
    struct tp_scene_memory *memory = scene->memory;
    tp_model_free(scene->model);
    tp_arena_clear(&memory->arena);
    memory->allocator->release(memory->allocator->context, memory);
}
