/* Checking a map of a scene against its key table. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/common/near.h"
#include "io/scene/keys.h"

static tp_status check_map(const tp_node *map, const tp_key_table *table, tp_message *why);

static const char *kind_of(const tp_node *node)
{
    if (node->kind == TP_NODE_LIST) return "a list";
    if (node->kind == TP_NODE_MAP) return "a map";
    return tp_node_meaning(node) == TP_MEANS_NOTHING ? "nothing" : "a single value";
}

static tp_status wrong_form(const tp_node *node, const tp_key *key, tp_message *why)
{
    return tp_node_fail(node, why, "found %s; write %s", kind_of(node), tp_key_wants_of(key).text);
}

/* ---- one value ----------------------------------------------------------------------------------------- */

tp_status tp_key_check_range(const tp_node *node, const tp_key *key, double value, tp_message *why_out)
{
    bool is_right = true;
    if (key->flags & TP_KEY_POSITIVE) is_right = value > 0.0;
    if (key->flags & TP_KEY_NOT_NEGATIVE) is_right = value >= 0.0;
    if (key->flags & TP_KEY_IN_RANGE) is_right = is_right && value >= key->low && value <= key->high;
    if (is_right) return TP_OK;
    if (tp_node_meaning(node) == TP_MEANS_NUMBER) {
        return tp_node_fail(node, why_out, "%s is out of range; write %s", tp_excerpt_of(node->text).text,
                            tp_key_wants_of(key).text);
    }
    return tp_node_fail(node, why_out, "'%s' is %g, which is out of range; write %s",
                        tp_excerpt_of(node->text).text, value, tp_key_wants_of(key).text);
}

static int integer_bound(const tp_key *key, double bound, int without)
{
    return key->flags & TP_KEY_IN_RANGE ? (int)fmin(fmax(bound, INT_MIN), INT_MAX) : without;
}

static tp_status check_integer(const tp_node *node, const tp_key *key, tp_message *why)
{
    int low = integer_bound(key, key->low, INT_MIN), high = integer_bound(key, key->high, INT_MAX), value;
    if (key->flags & TP_KEY_POSITIVE && low < 1) low = 1;
    if (key->flags & TP_KEY_NOT_NEGATIVE && low < 0) low = 0;
    return tp_node_integer(node, low, high, &value, why);
}

static tp_status check_choice(const tp_node *node, const tp_key *key, tp_message *why)
{
    const char *text;
    tp_word word;
    TP_TRY(tp_node_text(node, &text, why));
    tp_near near = tp_near_begin(text);
    for (int k = 0; (word = key->words(k)).word; k++) {
        if (strcmp(word.word, text) == 0) return TP_OK;
        tp_near_offer(&near, word.word);
    }
    if (key->flags & TP_KEY_LISTED) {
        return tp_node_fail(node, why, "there is no %s '%s'%s; see 'tippe list %ss'", key->name,
                            tp_excerpt_of(text).text, tp_near_hint_of(&near).text, key->name);
    }
    return tp_node_fail(node, why, "unknown word '%s'%s; write %s", tp_excerpt_of(text).text,
                        tp_near_hint_of(&near).text, tp_key_wants_of(key).text);
}

static tp_status check_one(const tp_node *node, const tp_key *key, tp_message *why)
{
    double number;
    bool truth;
    const char *text;
    tp_formula_text formula;
    tp_quantity quantity;
    switch (key->kind) {
    case TP_VALUE_NUMBER:
        TP_TRY(tp_node_number(node, key->unit, &number, why));
        return tp_key_check_range(node, key, number, why);
    case TP_VALUE_INTEGER: return check_integer(node, key, why);
    case TP_VALUE_BOOLEAN: return tp_node_boolean(node, &truth, why);
    case TP_VALUE_TEXT: return tp_node_text(node, &text, why);
    case TP_VALUE_CHOICE: return check_choice(node, key, why);
    case TP_VALUE_FORMULA: return tp_node_formula(node, &formula, why);
    case TP_VALUE_QUANTITY:
        if (node->kind != TP_NODE_SCALAR) return wrong_form(node, key, why);
        TP_TRY(tp_node_quantity(node, key->unit, &quantity, why));
        return quantity.is_number ? tp_key_check_range(node, key, quantity.number, why) : TP_OK;
    case TP_VALUE_MAP:
        if (key->flags & TP_KEY_OR_NAME && node->kind == TP_NODE_SCALAR) {
            return tp_node_text(node, &text, why);
        }
        if (node->kind != TP_NODE_MAP) return wrong_form(node, key, why);
        return check_map(node, key->table, why);
    case TP_VALUE_ANY: return TP_OK;
    }
    return TP_OK;
}

/* ---- lists, rows, names -------------------------------------------------------------------------------- */

static tp_status check_children(const tp_node *node, const tp_key *key, tp_value_form form, tp_message *why)
{
    if (node->kind != (form == TP_FORM_NAMED ? TP_NODE_MAP : TP_NODE_LIST)) return wrong_form(node, key, why);
    if (form == TP_FORM_LIST && key->count > 0 && node->count != key->count) {
        return tp_node_fail(node, why, "found a list of %d; write %s", node->count,
                            tp_key_wants_of(key).text);
    }
    for (const tp_node *child = node->first; child; child = child->next) {
        TP_TRY(form == TP_FORM_ROWS ? check_children(child, key, TP_FORM_LIST, why)
                                    : check_one(child, key, why));
    }
    return TP_OK;
}

static tp_status check_value(const tp_node *node, const tp_key *key, tp_message *why)
{
    bool is_nothing = node->kind == TP_NODE_SCALAR && tp_node_meaning(node) == TP_MEANS_NOTHING;
    if (is_nothing && key->kind != TP_VALUE_ANY) {
        return tp_node_fail(node, why, "the value is missing; write %s, or remove the key",
                            tp_key_wants_of(key).text);
    }
    key = tp_key_for(key, node);
    bool is_one = key->flags & TP_KEY_OR_ONE && node->kind != TP_NODE_LIST;
    if (key->form == TP_FORM_ONE || is_one) return check_one(node, key, why);
    return check_children(node, key, key->form, why);
}

/* ---- maps ---------------------------------------------------------------------------------------------- */

static void offer_keys(tp_near *near, const tp_key_table *table)
{
    for (int k = 0; k < table->key_count; k++) tp_near_offer(near, table->keys[k].name);
}

/* The word of another variant that has this key: the key is right and the selector wrong, perhaps. */
static const char *word_with_key(const tp_key_table *table, const char *name)
{
    tp_word word;
    for (int k = 0; (word = tp_keys_variant_at(table, k)).word; k++) {
        if (word.table && tp_keys_find(word.table, NULL, name)) return word.word;
    }
    return NULL;
}

/* "; keys of this map: name, type, ...", of both tables, as far as they go into a message. */
static void list_keys(const tp_key_table *table, const tp_key_table *further, char *text, size_t bytes)
{
    const tp_key_table *both[2] = {table, further};
    const char *before = "";
    size_t length = (size_t)snprintf(text, bytes, "; keys of this map: ");
    for (int t = 0; t < 2; t++) {
        for (int k = 0; both[t] && k < both[t]->key_count; k++) {
            const char *name = both[t]->keys[k].name;
            bool has_room = length + strlen(name) + sizeof ", , ..." < bytes;
            length +=
                (size_t)snprintf(text + length, bytes - length, "%s%s", before, has_room ? name : "...");
            if (!has_room) return;
            before = ", ";
        }
    }
}

static tp_status unknown_key(const tp_node *entry, const tp_key_table *table, tp_message *why)
{
    tp_word variant = tp_keys_variant(table, entry->parent);
    const char *other = word_with_key(table, entry->key);
    tp_node_path path = tp_node_path_of(entry->parent);
    char what[900], keys[700];
    if (other && variant.word) {
        snprintf(what, sizeof what, "the key '%s' does not go with %s: %s; it goes with %s: %s", entry->key,
                 table->selector, variant.word, table->selector, other);
    } else if (other) {
        snprintf(what, sizeof what, "the key '%s' goes with %s: %s; add that", entry->key, table->selector,
                 other);
    } else {
        tp_near near = tp_near_begin(entry->key);
        offer_keys(&near, table);
        if (variant.table) offer_keys(&near, variant.table);
        list_keys(table, variant.table, keys, sizeof keys);
        snprintf(what, sizeof what, "unknown key '%s'%s", tp_excerpt_of(entry->key).text,
                 near.best ? tp_near_hint_of(&near).text : keys);
    }
    return tp_fail_at(why, TP_INVALID_DATA, entry->key_place, "%s%s%s%s", path.text, path.text[0] ? ": " : "",
                      what, tp_node_where_of(entry).text);
}

static tp_status check_required(const tp_node *map, const tp_key_table *table, tp_message *why)
{
    for (int k = 0; k < table->key_count; k++) {
        const tp_key *key = &table->keys[k];
        if (!(key->flags & TP_KEY_REQUIRED) || tp_map_get(map, key->name)) continue;
        return tp_node_fail(map, why, "the key '%s' is missing; add %s: with %s", key->name, key->name,
                            tp_key_wants_of(key).text);
    }
    return TP_OK;
}

/* The selector first: what else is right depends on it. A word without its keys is a fault of the tables. */
static tp_status check_selector(const tp_node *map, const tp_key_table *table, tp_message *why)
{
    const tp_key *key = table->selector ? tp_keys_find(table, NULL, table->selector) : NULL;
    const tp_node *chosen = key ? tp_map_get(map, key->name) : NULL;
    if (!chosen) return TP_OK;
    TP_TRY(check_value(chosen, key, why));
    if (tp_keys_variant(table, map).table) return TP_OK;
    return tp_node_fail(chosen, why, "scenes cannot say what a '%s' is yet", chosen->text);
}

static tp_status check_map(const tp_node *map, const tp_key_table *table, tp_message *why)
{
    TP_TRY(check_selector(map, table, why));
    const tp_key_table *further = tp_keys_variant(table, map).table;
    for (const tp_node *entry = map->first; entry; entry = entry->next) {
        const tp_key *key = tp_keys_find(table, map, entry->key);
        if (!key) return unknown_key(entry, table, why);
        TP_TRY(check_value(entry, key, why));
    }
    TP_TRY(check_required(map, table, why));
    return further ? check_required(map, further, why) : TP_OK;
}

tp_status tp_keys_check(const tp_node *map, const tp_key_table *table, tp_message *why_out)
{
    if (map->kind != TP_NODE_MAP) {
        return tp_node_fail(map, why_out, "found %s; a %s is a map, written as 'key: value' lines",
                            kind_of(map), table->name);
    }
    return check_map(map, table, why_out);
}
