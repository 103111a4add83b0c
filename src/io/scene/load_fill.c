/* Rows at work: every key of a map fills its field, or is given to its function. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/loader.h"

/* ---- refusals ------------------------------------------------------------------------------------------ */

/* True if a message begins with a place, FILE:LINE:COLUMN: of the scene, of what it includes, or of an edit.
 */
static bool has_place(const char *message)
{
    for (const char *at = strchr(message, ':'); at; at = strchr(at + 1, ':')) {
        size_t line = strspn(at + 1, "0123456789");
        if (line == 0 || at[1 + line] != ':') continue;
        size_t column = strspn(at + line + 2, "0123456789");
        if (column > 0 && at[line + 2 + column] == ':') return true;
    }
    return false;
}

tp_status tp_load_told(tp_loader *loader, tp_status status)
{
    if (status == TP_OK) return TP_OK;
    const char *message = loader->told.text;
    if (status == TP_OUT_OF_MEMORY || message[0] == '\0') {
        if (status != TP_OUT_OF_MEMORY) status = TP_INVALID_DATA;
        return tp_fail(loader->why, status, "%.600s: %s", loader->file, tp_status_text(status));
    }
    tp_node_where where = tp_node_where_of(loader->at);
    if (has_place(message)) return tp_fail(loader->why, TP_INVALID_DATA, "%.800s%s", message, where.text);
    return tp_fail(loader->why, TP_INVALID_DATA, "%.600s: %s%s", loader->file, message, where.text);
}

tp_status tp_load_no_memory(tp_loader *loader)
{
    return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for the scene");
}

tp_status tp_load_no_effect(tp_loader *loader, const tp_node *map, const char *const *keys, const char *when)
{
    const tp_node *node = NULL;
    while (!node && *keys) node = tp_map_get(map, *keys++);
    return node ? tp_node_fail(node, loader->why, "has no effect %s", when) : TP_OK;
}

/* ---- values -------------------------------------------------------------------------------------------- */

tp_status tp_load_value(tp_loader *loader, const tp_node *node, const tp_key *key, double *value_out)
{
    tp_quantity quantity;
    TP_TRY(tp_node_quantity(node, key->unit, &quantity, loader->why));
    *value_out = quantity.number;
    if (quantity.is_number) return TP_OK; /* its range was checked with the tables */
    TP_TRY(tp_load_told(loader, tp_model_evaluate(loader->model, quantity.formula.text,
                                                  quantity.formula.place, value_out, &loader->told)));
    return tp_key_check_range(node, key, *value_out, loader->why);
}

tp_function tp_load_function(const tp_node *node)
{
    return (tp_function){.formula = node->text, .place = node->text_place};
}

const char *tp_load_join(tp_loader *loader, const char *prefix, const char *what, const char *part)
{
    size_t bytes = strlen(prefix) + strlen(what) + (part ? strlen(part) : 0) + 3;
    char *name = TP_ARENA_ARRAY(loader->arena, char, bytes);
    if (name) snprintf(name, bytes, "%s.%s%s%s", prefix, what, part ? "." : "", part ? part : "");
    return name;
}

char *tp_load_trim(char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) text[--length] = '\0';
    return text;
}

int tp_load_split(char *text, int capacity, const char **parts_out)
{
    int count = 0;
    for (char *next = text; next; text = next) {
        next = strchr(text, ',');
        if (next) *next++ = '\0';
        if (count < capacity) parts_out[count] = tp_load_trim(text);
        count++;
    }
    return count;
}

/* An array in the struct: one value or a list. */
static tp_status fill_array(tp_loader *loader, const tp_key *key, const tp_node *node, void *field,
                            int *count_out)
{
    bool is_list = node->kind == TP_NODE_LIST, has_numbers = key->field.fill == TP_FILLS_NUMBERS;
    int capacity = (int)(key->field.size / (has_numbers ? sizeof(double) : sizeof(tp_function))), count = 0;
    if (is_list && node->count == 0) return tp_node_fail(node, loader->why, "the list is empty");
    if (is_list && node->count > capacity) {
        return tp_node_fail(node, loader->why, "found a list of %d; write one value or a list of at most %d",
                            node->count, capacity);
    }
    for (const tp_node *item = is_list ? node->first : node; item; item = is_list ? item->next : NULL) {
        if (has_numbers) {
            TP_TRY(tp_load_value(loader, item, key, (double *)field + count++));
        } else {
            ((tp_function *)field)[count++] = tp_load_function(item);
        }
    }
    *count_out = count;
    return TP_OK;
}

/* An array in the arena: one text or a list, or rows that are points. */
static tp_status fill_pointer(tp_loader *loader, const tp_key *key, const tp_node *node, void *field,
                              int *count_out)
{
    bool is_list = node->kind == TP_NODE_LIST, has_points = key->field.fill == TP_FILLS_POINTS;
    int capacity = is_list ? node->count + 1 : 1, count = 0;
    tp_vec3 *points = has_points ? TP_ARENA_ARRAY(loader->arena, tp_vec3, capacity) : NULL;
    const char **texts = has_points ? NULL : TP_ARENA_ARRAY(loader->arena, const char *, capacity);
    if (!points && !texts) return tp_load_no_memory(loader);
    for (const tp_node *item = is_list ? node->first : node; item; item = is_list ? item->next : NULL) {
        if (has_points) TP_TRY(tp_load_vector(loader, item, key, &points[count]));
        if (texts) texts[count] = item->text;
        count++;
    }
    if (has_points) *(const tp_vec3 **)field = points;
    if (texts) *(const char *const **)field = texts;
    *count_out = count;
    return TP_OK;
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* The function of a key, or the table of its maps, takes the value. */
static tp_status load_each(tp_loader *loader, const tp_key *key, const tp_node *node, void *field)
{
    bool is_each = key->form == TP_FORM_NAMED || (key->flags & TP_KEY_OR_ONE && node->kind == TP_NODE_LIST);
    if (!key->load) {
        return key->table->add ? tp_load_items(loader, node, key->table)
                               : tp_load_map(loader, node, key->table, field);
    }
    if (!is_each) return key->load(loader, node, field);
    for (const tp_node *entry = node->first; entry; entry = entry->next) {
        loader->at = entry;
        TP_TRY(key->load(loader, entry, field));
    }
    return TP_OK;
}

/* The words were checked with the tables; one that is not there must not pass for the first. */
static tp_status fill_word(tp_loader *loader, const tp_key *key, const tp_node *node, void *field)
{
    tp_word word = tp_word_find(key->words, node->text);
    if (!word.word)
        return tp_node_fail(node, loader->why, "unknown word; write %s", tp_key_wants_of(key).text);
    if (key->field.fill == TP_FILLS_BOOLEAN) {
        *(bool *)field = word.value != 0;
    } else if (key->field.fill == TP_FILLS_TEXT) {
        *(const char **)field = node->text;
    } else {
        memcpy(field, &word.value, sizeof word.value); /* an int, or an enumerator */
    }
    return TP_OK;
}

static tp_status fill_field(tp_loader *loader, const tp_key *key, const tp_node *node, void *field,
                            int *count_out)
{
    tp_message *why = loader->why;
    switch (key->field.fill) {
    case TP_FILLS_NODE: *(const tp_node **)field = node; return TP_OK;
    case TP_FILLS_NUMBER: return tp_load_value(loader, node, key, field);
    case TP_FILLS_INTEGER: return tp_node_integer(node, INT_MIN, INT_MAX, field, why);
    case TP_FILLS_BOOLEAN: return tp_node_boolean(node, field, why);
    case TP_FILLS_TEXT: return tp_node_text(node, field, why);
    case TP_FILLS_VECTOR: return tp_load_vector(loader, node, key, field);
    case TP_FILLS_ROTATION: return tp_load_rotation(loader, node, key, field);
    case TP_FILLS_INERTIA: return tp_load_inertia(loader, node, key, field);
    case TP_FILLS_FUNCTION: *(tp_function *)field = tp_load_function(node); return TP_OK;
    case TP_FILLS_NUMBERS:
    case TP_FILLS_FUNCTIONS: return fill_array(loader, key, node, field, count_out);
    case TP_FILLS_TEXTS:
    case TP_FILLS_POINTS: return fill_pointer(loader, key, node, field, count_out);
    case TP_FILLS_NOTHING:
    case TP_FILLS_OTHER: break;
    }
    return tp_node_fail(node, why, "the loader does not know where this goes");
}

tp_status tp_load_key(tp_loader *loader, const tp_node *map, const tp_key *key, void *made)
{
    const tp_node *node = tp_map_get(map, key->name);
    if (!node) return TP_OK;
    void *field = (char *)made + key->field.at;
    const tp_key *form = tp_key_for(key, node);
    int count = 0;
    loader->at = node;
    if (key->kind == TP_VALUE_CHOICE) return fill_word(loader, key, node, field);
    if (key->field.fill == TP_FILLS_NOTHING || key->field.fill == TP_FILLS_OTHER || form->load) {
        return load_each(loader, form, node, field);
    }
    TP_TRY(fill_field(loader, key, node, field, &count));
    if (key->field.counter > 0) *(int *)(void *)((char *)made + key->field.counter) = count;
    return TP_OK;
}

/* ---- maps ---------------------------------------------------------------------------------------------- */

static tp_status load_keys(tp_loader *loader, const tp_node *map, const tp_key_table *table, void *made)
{
    for (int k = 0; k < table->key_count; k++) TP_TRY(tp_load_key(loader, map, &table->keys[k], made));
    return TP_OK;
}

tp_status tp_load_map(tp_loader *loader, const tp_node *map, const tp_key_table *table, void *made)
{
    const tp_key_table *further = tp_keys_variant(table, map).table;
    TP_TRY(load_keys(loader, map, table, made));
    return further ? load_keys(loader, map, further, made) : TP_OK;
}

/* Room for a struct at the present depth, as large as any; NULL when there is none. */
static void *take_room(tp_loader *loader)
{
    if (loader->depth == TP_LOAD_DEPTH) return NULL;
    void **room = &loader->room[loader->depth++];
    if (!*room) *room = TP_ARENA_ARRAY(loader->arena, char, TP_MADE_BYTES_MAX);
    return *room;
}

/* A name alone stands for {name: x}. */
static tp_status load_item(tp_loader *loader, const tp_node *item, const tp_key_table *table)
{
    void *made = take_room(loader);
    if (!made) return tp_load_no_memory(loader);
    table->begin(made);
    *(tp_place *)(void *)((char *)made + table->place) = item->place;
    if (item->kind == TP_NODE_SCALAR) {
        const tp_key *name = tp_keys_find(table, NULL, "name");
        *(const char **)(void *)((char *)made + name->field.at) = item->text;
    } else {
        TP_TRY(tp_load_map(loader, item, table, made));
    }
    loader->at = item;
    TP_TRY(table->add(loader, item, made));
    loader->depth--;
    return TP_OK;
}

tp_status tp_load_items(tp_loader *loader, const tp_node *node, const tp_key_table *table)
{
    if (node && node->kind != TP_NODE_LIST) return load_item(loader, node, table);
    for (const tp_node *item = node ? node->first : NULL; item; item = item->next) {
        TP_TRY(load_item(loader, item, table));
    }
    return TP_OK;
}
