/* Values of scenes: numbers, formulas of parameters, functions of the motion. */
#include <stdio.h>
#include <string.h>

#include "io/scene/loader.h"

/* True if a message begins with a place: that of the file, or of an edit. */
static bool has_place(const char *message, const char *file)
{
    static const char edit[] = "--set:";
    size_t length = strlen(file);
    if (strncmp(message, edit, sizeof edit - 1) == 0) return true;
    if (strncmp(message, file, length) != 0 || message[length] != ':') return false;
    return message[length + 1] >= '0' && message[length + 1] <= '9';
}

tp_status tp_load_told(tp_loader *loader, tp_status status)
{
    if (status == TP_OK) return TP_OK;
    const char *message = loader->told.text;
    if (status == TP_OUT_OF_MEMORY || message[0] == '\0') {
        if (status != TP_OUT_OF_MEMORY) status = TP_INVALID_DATA;
        return tp_fail(loader->why, status, "%.600s: %s", loader->file, tp_status_text(status));
    }
    if (has_place(message, loader->file)) return tp_fail(loader->why, TP_INVALID_DATA, "%s", message);
    return tp_fail(loader->why, TP_INVALID_DATA, "%.600s: %s", loader->file, message);
}

tp_status tp_load_list(tp_loader *loader, const char *name,
                       tp_status (*load)(tp_loader *loader, const tp_node *item))
{
    const tp_node *list = tp_map_get(loader->root, name);
    for (const tp_node *item = list ? list->first : NULL; item; item = item->next) {
        TP_TRY(load(loader, item));
    }
    return TP_OK;
}

tp_status tp_load_value(tp_loader *loader, const tp_node *node, const tp_key_table *table, const tp_key *key,
                        double *value_out)
{
    tp_quantity quantity;
    TP_TRY(tp_node_quantity(node, key->unit, &quantity, loader->why));
    *value_out = quantity.number;
    if (quantity.is_number) return TP_OK; /* its range was checked with the tables */
    TP_TRY(tp_load_told(loader, tp_model_evaluate(loader->model, quantity.formula.text,
                                                  quantity.formula.place, value_out, &loader->told)));
    return tp_key_check_range(node, table, key, *value_out, loader->why);
}

tp_status tp_load_number(tp_loader *loader, const tp_node *map, const tp_key_table *table, const char *name,
                         double *value_out)
{
    const tp_node *node = tp_map_get(map, name);
    if (node) return tp_load_value(loader, node, table, tp_keys_find(table, map, name), value_out);
    *value_out = tp_keys_number(map, table, name);
    return TP_OK;
}

static tp_status too_many(tp_loader *loader, const tp_node *list, int capacity)
{
    return tp_node_fail(list, loader->why, "found a list of %d; write one value or a list of at most %d",
                        list->count, capacity);
}

tp_status tp_load_numbers(tp_loader *loader, const tp_node *map, const tp_key_table *table, const char *name,
                          int capacity, double *values_out, int *count_out)
{
    const tp_node *node = tp_map_get(map, name);
    const tp_key *key = tp_keys_find(table, map, name);
    *count_out = 0;
    if (!node) return TP_OK;
    bool is_list = node->kind == TP_NODE_LIST;
    if (is_list && node->count == 0) return tp_node_fail(node, loader->why, "the list is empty");
    if (is_list && node->count > capacity) return too_many(loader, node, capacity);
    for (const tp_node *item = is_list ? node->first : node; item; item = is_list ? item->next : NULL) {
        TP_TRY(tp_load_value(loader, item, table, key, &values_out[(*count_out)++]));
    }
    return TP_OK;
}

tp_function tp_load_function(const tp_node *node)
{
    return (tp_function){.formula = node->text, .place = node->text_place};
}

tp_status tp_load_functions(tp_loader *loader, const tp_node *map, const char *name, int capacity,
                            tp_function *functions_out, int *count_out)
{
    const tp_node *node = tp_map_get(map, name);
    *count_out = 0;
    if (!node) return TP_OK;
    bool is_list = node->kind == TP_NODE_LIST;
    if (is_list && node->count == 0) return tp_node_fail(node, loader->why, "the list is empty");
    if (is_list && node->count > capacity) return too_many(loader, node, capacity);
    for (const tp_node *item = is_list ? node->first : node; item; item = is_list ? item->next : NULL) {
        functions_out[(*count_out)++] = tp_load_function(item);
    }
    return TP_OK;
}
