/* Values of checked maps, with the defaults of their tables. */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "io/scene/keys.h"

/* A scalar that is not in any tree, from a default's text. */
static tp_node default_scalar(const char *text)
{
    return (tp_node){.kind = TP_NODE_SCALAR, .text = text};
}

/* The map's own value or the default as a scalar in *made; NULL if there is neither. */
static const tp_node *value_or_default(const tp_node *map, const tp_key_table *table, const char *name,
                                       tp_node *made)
{
    const tp_key *key = tp_keys_find(table, map, name);
    assert(key && "a key that is not in the table");
    const tp_node *own = tp_map_get(map, name);
    if (own || !key || !key->default_text) return own;
    *made = default_scalar(key->default_text);
    return made;
}

double tp_keys_number(const tp_node *map, const tp_key_table *table, const char *name)
{
    tp_node made;
    const tp_node *node = value_or_default(map, table, name, &made);
    double value = 0.0;
    if (node) (void)tp_node_number(node, NULL, &value, NULL); /* cannot fail: checked */
    return value;
}

int tp_keys_integer(const tp_node *map, const tp_key_table *table, const char *name)
{
    tp_node made;
    const tp_node *node = value_or_default(map, table, name, &made);
    int value = 0;
    if (node) (void)tp_node_integer(node, INT_MIN, INT_MAX, &value, NULL);
    return value;
}

bool tp_keys_boolean(const tp_node *map, const tp_key_table *table, const char *name)
{
    tp_node made;
    const tp_node *node = value_or_default(map, table, name, &made);
    bool value = false;
    if (node) (void)tp_node_boolean(node, &value, NULL);
    return value;
}

const char *tp_keys_text(const tp_node *map, const tp_key_table *table, const char *name)
{
    tp_node made;
    const tp_node *node = value_or_default(map, table, name, &made);
    return node ? node->text : NULL;
}

int tp_keys_choice(const tp_node *map, const tp_key_table *table, const char *name)
{
    const char *word = tp_keys_text(map, table, name);
    const tp_key *key = tp_keys_find(table, map, name);
    if (!word || !key) return -1;
    for (int k = 0; key->choices && key->choices[k]; k++) {
        if (strcmp(key->choices[k], word) == 0) return k;
    }
    for (int k = 0; !key->choices && k < table->variant_count; k++) {
        if (strcmp(table->variants[k].word, word) == 0) return k;
    }
    return -1;
}

tp_quantity tp_keys_quantity(const tp_node *map, const tp_key_table *table, const char *name)
{
    tp_node made;
    const tp_node *node = value_or_default(map, table, name, &made);
    tp_quantity quantity = {.is_number = false};
    if (node) (void)tp_node_quantity(node, NULL, &quantity, NULL);
    return quantity;
}

/* The next number of a default list, "[0, 0, -9.81]"; NULL when there is none. */
static const char *next_number(const char *at, tp_quantity *quantity_out)
{
    at += strcspn(at, "+-.0123456789");
    size_t length = strspn(at, "+-.0123456789eE");
    char word[64];
    if (length == 0 || length >= sizeof word) return NULL;
    memcpy(word, at, length);
    word[length] = '\0';
    tp_node made = default_scalar(word);
    tp_quantity quantity = {.is_number = false};
    if (tp_node_quantity(&made, NULL, &quantity, NULL) != TP_OK || !quantity.is_number) return NULL;
    quantity.formula.text = NULL; /* the word is gone when we return */
    *quantity_out = quantity;
    return at + length;
}

static int default_quantities(const char *text, int capacity, tp_quantity *values_out)
{
    int count = 0;
    tp_quantity quantity;
    while ((text = next_number(text, &quantity)) != NULL) {
        if (count < capacity) values_out[count] = quantity;
        count++;
    }
    return count;
}

int tp_keys_quantities(const tp_node *map, const tp_key_table *table, const char *name, int capacity,
                       tp_quantity *values_out)
{
    tp_node made;
    const tp_node *node = value_or_default(map, table, name, &made);
    if (!node) return 0;
    if (node == &made) return default_quantities(made.text, capacity, values_out);
    if (node->kind == TP_NODE_SCALAR) {
        if (capacity > 0) (void)tp_node_quantity(node, NULL, &values_out[0], NULL);
        return 1;
    }
    int count = 0;
    for (const tp_node *item = node->first; item; item = item->next, count++) {
        if (count < capacity) (void)tp_node_quantity(item, NULL, &values_out[count], NULL);
    }
    return count;
}

int tp_keys_numbers(const tp_node *map, const tp_key_table *table, const char *name, int capacity,
                    double *values_out)
{
    tp_node made;
    const tp_node *node = value_or_default(map, table, name, &made);
    if (!node) return 0;
    if (node->kind == TP_NODE_LIST) {
        int count = 0;
        for (const tp_node *item = node->first; item; item = item->next, count++) {
            if (count < capacity) (void)tp_node_number(item, NULL, &values_out[count], NULL);
        }
        return count;
    }
    int count = 0;
    tp_quantity quantity;
    for (const char *at = node->text; (at = next_number(at, &quantity)) != NULL; count++) {
        if (count < capacity) values_out[count] = quantity.number;
    }
    return count;
}
