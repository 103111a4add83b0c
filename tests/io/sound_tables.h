/* Whether tables of keys are sound themselves. */
#ifndef TESTS_IO_SOUND_TABLES_H
#define TESTS_IO_SOUND_TABLES_H

#include <string.h>

#include "io/scene/keys.h"

static tp_status bad_key(const tp_key_table *table, const tp_key *key, tp_message *why, const char *what)
{
    return tp_fail(why, TP_INVALID_ARGUMENT, "table '%s', key '%s': %s", table->name, key->name, what);
}

/* The default as if it stood in a scene, alone in its map. */
static tp_status check_default_in(tp_arena *arena, const tp_key *key, tp_message *why)
{
    const tp_place nowhere = {NULL, 0, 0};
    const tp_key_table alone = {.name = "default", .keys = key, .key_count = 1};
    tp_tree *tree;
    tp_node *value;
    TP_TRY(tp_tree_create(arena, arena, "", &tree, why));
    TP_TRY(tp_tree_read_value(tree, key->default_text, 1, nowhere, &value, why));
    tp_node *map = tp_tree_new_node(tree, TP_NODE_MAP, nowhere);
    if (!map) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory");
    value->key = key->name;
    tp_node_append(map, value);
    return tp_keys_check(map, &alone, why);
}

static tp_status check_default(const tp_key_table *table, const tp_key *key, tp_message *why)
{
    tp_arena arena;
    tp_message what = {""};
    tp_arena_init(&arena, NULL);
    tp_status status = check_default_in(&arena, key, &what);
    tp_arena_clear(&arena);
    return status == TP_OK ? TP_OK : bad_key(table, key, why, what.text);
}

static tp_status check_key(const tp_key_table *table, const tp_key *key, tp_message *why)
{
    const unsigned range = TP_KEY_POSITIVE | TP_KEY_NOT_NEGATIVE | TP_KEY_IN_RANGE;
    bool has_numbers = key->kind <= TP_VALUE_INTEGER || key->kind == TP_VALUE_QUANTITY;
    const char *what = NULL;
    if (!key->text || !key->text[0] || strchr(key->text, '\n')) what = "needs one line of help";
    if (strlen(key->name) > TP_TREE_KEY_MAX) what = "its name is too long";
    if ((key->kind == TP_VALUE_MAP) != (key->table != NULL)) what = "a map and nothing else has a table";
    if ((key->kind == TP_VALUE_CHOICE) != (key->words != NULL)) what = "a choice and nothing else has words";
    if (key->flags & range && !has_numbers) what = "has a range but no numbers";
    if (key->flags & TP_KEY_REQUIRED && key->default_text) what = "is required and has a default";
    if (key->flags & TP_KEY_OR_NAME && !(key->table && tp_keys_find(key->table, NULL, "name"))) {
        what = "its maps have no name";
    }
    bool is_list_or_rows = key->or_else && key->form == TP_FORM_LIST && key->or_else->form == TP_FORM_ROWS;
    if (key->or_else &&
        (key->or_else->or_else || (!is_list_or_rows && tp_key_is_map(key) == tp_key_is_map(key->or_else)))) {
        what = "what else it may be cannot be told apart";
    }
    for (const tp_key *other = table->keys; other < key; other++) {
        if (strcmp(other->name, key->name) == 0) what = "is there twice";
    }
    if (what) return bad_key(table, key, why, what);
    return key->default_text ? check_default(table, key, why) : TP_OK;
}

static tp_status check_table(const tp_key_table *table, tp_message *why)
{
    if (!table->name || !table->text) return tp_fail(why, TP_INVALID_ARGUMENT, "a table has no name or text");
    for (int k = 0; k < table->key_count; k++) TP_TRY(check_key(table, &table->keys[k], why));
    if (!table->selector) return TP_OK;
    const tp_key *selector = tp_keys_find(table, NULL, table->selector);
    if (!selector || selector->kind != TP_VALUE_CHOICE) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "table '%s': its selector '%s' is not a key with words",
                       table->name, table->selector);
    }
    tp_word word;
    for (int k = 0; (word = tp_keys_variant_at(table, k)).word; k++) {
        if (!word.table) {
            return tp_fail(why, TP_INVALID_ARGUMENT, "table '%s': %s: %s has no keys", table->name,
                           table->selector, word.word);
        }
        for (int i = 0; i < word.table->key_count; i++) {
            if (!tp_keys_find(table, NULL, word.table->keys[i].name)) continue;
            return bad_key(word.table, &word.table->keys[i], why, "the table around has it too");
        }
    }
    return TP_OK;
}

/* The table itself and all that it reaches: names, help texts, defaults that fit, words, selectors. */
static tp_status check_tables(const tp_key_table *table, tp_message *why_out)
{
    const tp_key_table *tables[TP_KEYS_TABLES_MAX];
    int count = tp_keys_reach(table, tables);
    for (int k = 0; k < count; k++) {
        TP_TRY(check_table(tables[k], why_out));
        for (int other = 0; other < k; other++) {
            if (strcmp(tables[other]->name, tables[k]->name) != 0) continue;
            return tp_fail(why_out, TP_INVALID_ARGUMENT, "two tables are named '%s'", tables[k]->name);
        }
    }
    return TP_OK;
}

#endif
