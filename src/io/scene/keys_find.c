/* Key tables: finding keys and variants, and saying in words what a key wants. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/keys.h"

static const tp_key *find_in(const tp_key_table *table, const char *name)
{
    for (int k = 0; k < table->key_count; k++) {
        if (strcmp(table->keys[k].name, name) == 0) return &table->keys[k];
    }
    return NULL;
}

tp_word tp_word_find(tp_words words, const char *text)
{
    tp_word word = {.word = NULL};
    for (int k = 0; (word = words(k)).word && strcmp(word.word, text) != 0;) k++;
    return word;
}

tp_word tp_keys_variant_at(const tp_key_table *table, int k)
{
    const tp_key *selector = table->selector ? find_in(table, table->selector) : NULL;
    return selector ? selector->words(k) : (tp_word){.word = NULL};
}

tp_word tp_keys_variant(const tp_key_table *table, const tp_node *map)
{
    const tp_key *selector = table->selector && map ? find_in(table, table->selector) : NULL;
    const tp_node *chosen = selector ? tp_map_get(map, selector->name) : NULL;
    const char *word = chosen ? chosen->text : selector ? selector->default_text : NULL;
    return word ? tp_word_find(selector->words, word) : (tp_word){.word = NULL};
}

const tp_key *tp_keys_find(const tp_key_table *table, const tp_node *map, const char *name)
{
    const tp_key *key = find_in(table, name);
    const tp_key_table *further = key ? NULL : tp_keys_variant(table, map).table;
    return further ? find_in(further, name) : key;
}

bool tp_key_is_map(const tp_key *key)
{
    return key->form == TP_FORM_NAMED || (key->form == TP_FORM_ONE && key->kind == TP_VALUE_MAP);
}

const tp_key *tp_key_for(const tp_key *key, const tp_node *value)
{
    if (!key->or_else) return key;
    if (key->form == TP_FORM_LIST && key->or_else->form == TP_FORM_ROWS) { /* [a, b] or [[a, b], [c, d]] */
        bool has_rows = value->kind == TP_NODE_LIST && value->first && value->first->kind == TP_NODE_LIST;
        return has_rows ? key->or_else : key;
    }
    return value->kind == (tp_key_is_map(key) ? TP_NODE_LIST : TP_NODE_MAP) ? key->or_else : key;
}

/* ---- words --------------------------------------------------------------------------------------------- */

const tp_kind_text tp_kind_texts[] = {
    [TP_VALUE_NUMBER] = {"a number", "numbers", "\"type\": \"number\""},
    [TP_VALUE_INTEGER] = {"a whole number", "whole numbers", "\"type\": \"integer\""},
    [TP_VALUE_BOOLEAN] = {"true or false", "values true or false", "\"type\": \"boolean\""},
    [TP_VALUE_TEXT] = {"a text", "texts", "\"type\": [\"string\", \"number\", \"boolean\"]"}, /* unquoted */
    [TP_VALUE_CHOICE] = {"a word", "words", "\"type\": \"string\""},
    [TP_VALUE_FORMULA] = {"a formula", "formulas", "\"type\": [\"number\", \"string\"]"},
    [TP_VALUE_QUANTITY] = {"a number or a formula", "numbers or formulas",
                           "\"type\": [\"number\", \"string\"]"},
    [TP_VALUE_MAP] = {"a map", "maps", ""},
    [TP_VALUE_ANY] = {"a value", "values", ""},
};

static void add(tp_key_wants *wants, const char *format, ...) TP_PRINTF(2, 3);

static void add(tp_key_wants *wants, const char *format, ...)
{
    size_t used = strlen(wants->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(wants->text + used, sizeof wants->text - used, format, arguments);
    va_end(arguments);
}

static void add_words(tp_key_wants *wants, const tp_key *key)
{
    if (key->flags & TP_KEY_LISTED) {
        add(wants, "a name of `tippe list %ss`", key->name);
        return;
    }
    tp_word word;
    for (int k = 0; (word = key->words(k)).word; k++)
        add(wants, "%s%s", k == 0 ? "one of " : ", ", word.word);
}

static void add_form(tp_key_wants *wants, const tp_key *key)
{
    const char *one = tp_kind_texts[key->kind].one;
    const char *many = key->flags & TP_KEY_OR_NAME ? "names or maps" : tp_kind_texts[key->kind].many;
    char count[16] = "";
    if (key->count > 0) snprintf(count, sizeof count, "%d ", key->count);
    switch (key->form) {
    case TP_FORM_ONE: add(wants, "%s", one); break;
    case TP_FORM_LIST:
        if (key->flags & TP_KEY_OR_ONE) add(wants, "%s or ", one);
        add(wants, "a list of %s%s", count, many);
        break;
    case TP_FORM_ROWS: add(wants, "a list of lists of %s%s", count, many); break;
    case TP_FORM_NAMED: add(wants, "a map of your own names to %s", many); break;
    }
}

tp_key_wants tp_key_wants_of(const tp_key *key)
{
    tp_key_wants wants = {""};
    if (key->kind == TP_VALUE_CHOICE) {
        add_words(&wants, key);
    } else {
        add_form(&wants, key);
    }
    if (key->flags & TP_KEY_POSITIVE) add(&wants, " > 0");
    if (key->flags & TP_KEY_NOT_NEGATIVE) add(&wants, " >= 0");
    if (key->flags & TP_KEY_IN_RANGE) add(&wants, " from %g to %g", key->low, key->high);
    if (key->unit) add(&wants, " [%s]", key->unit);
    if (key->or_else) add(&wants, ", or %s", tp_key_wants_of(key->or_else).text);
    return wants;
}

/* ---- reach --------------------------------------------------------------------------------------------- */

static int add_table(const tp_key_table *table, const tp_key_table **tables, int count)
{
    for (int k = 0; k < count; k++) {
        if (tables[k] == table) return count;
    }
    if (!table || count == TP_KEYS_TABLES_MAX) return count;
    tables[count] = table;
    return count + 1;
}

int tp_keys_reach(const tp_key_table *table, const tp_key_table *tables_out[TP_KEYS_TABLES_MAX])
{
    int count = add_table(table, tables_out, 0);
    for (int at = 0; at < count; at++) { /* count grows while tables of tables are found */
        const tp_key_table *now = tables_out[at];
        tp_word word;
        for (int k = 0; (word = tp_keys_variant_at(now, k)).word; k++) {
            count = add_table(word.table, tables_out, count);
        }
        for (int k = 0; k < now->key_count; k++) {
            for (const tp_key *key = &now->keys[k]; key; key = key->or_else) {
                count = add_table(key->table, tables_out, count);
            }
        }
    }
    return count;
}
