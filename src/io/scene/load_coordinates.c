/* Names of a scene: parameters, coordinates, velocities, definitions; initial values and rates. */
#include <ctype.h>
#include <string.h>

#include "io/scene/loader.h"
#include "io/scene/rows.h"

/* ---- parameters, initial values, rates ----------------------------------------------------------------- */

static const tp_key any_number = {.kind = TP_VALUE_QUANTITY};

tp_status tp_load_parameter(tp_loader *loader, const tp_node *entry, void *into)
{
    (void)into;
    double value;
    TP_TRY(tp_load_value(loader, entry, &any_number, &value));
    return tp_load_told(loader, tp_model_add_parameter_value(loader->model, entry->key, value,
                                                             entry->key_place, &loader->told));
}

tp_status tp_load_initial(tp_loader *loader, const tp_node *entry, void *into)
{
    (void)into;
    double value;
    TP_TRY(tp_load_value(loader, entry, &any_number, &value));
    return tp_load_told(
        loader, tp_model_set_initial(loader->model, entry->key, value, entry->key_place, &loader->told));
}

LOADS(tp_load_rate, tp_model_set_rate(loader->model, node->key, tp_load_function(node), &loader->told))

/* ---- coordinates and velocities ------------------------------------------------------------------------ */

typedef struct coordinate {
    const char *name, *unit;
    double initial, velocity;
    tp_place place;
} coordinate;

/* The name of an item: a field, or the item itself. */
static tp_place place_of_name(const tp_node *item)
{
    return (item->kind == TP_NODE_SCALAR ? item : tp_map_get(item, "name"))->text_place;
}

static tp_status add_coordinate(tp_loader *loader, const tp_node *item, void *made)
{
    const coordinate *is = made;
    const tp_node *velocity = tp_map_get(item, "velocity");
    if (velocity && loader->velocity_count > 0) {
        return tp_node_fail(velocity, loader->why,
                            "the scene has velocities of their own; give their initial values instead");
    }
    return tp_load_told(loader, tp_model_add_coordinate(loader->model, is->name, is->initial, is->velocity,
                                                        is->unit, place_of_name(item), NULL, &loader->told));
}

static tp_status add_velocity(tp_loader *loader, const tp_node *item, void *made)
{
    const coordinate *is = made;
    return tp_load_told(loader, tp_model_add_velocity(loader->model, is->name, is->initial, is->unit,
                                                      place_of_name(item), NULL, &loader->told));
}

TP_BEGINS(begin_coordinate, coordinate, ((coordinate){.name = NULL}))

static const tp_key coordinate_keys[] = {
    ROW_TEXT("name", TP_INTO(coordinate, name), "x; its rate is then called x'", .flags = TP_KEY_REQUIRED),
    ROW_TEXT("unit", TP_INTO(coordinate, unit), "for output"),
    ROW_NUMBER("initial", TP_INTO(coordinate, initial), NULL, "0", "value at the start"),
    ROW_NUMBER("velocity", TP_INTO(coordinate, velocity), NULL, "0",
               "rate at the start; not with velocities of their own"),
};
const tp_key_table tp_coordinate_keys = TABLE("coordinate", coordinate_keys, "A generalised coordinate.",
                                              TP_MAKES(coordinate, begin_coordinate, add_coordinate));

static const tp_key velocity_keys[] = {
    ROW_TEXT("name", TP_INTO(coordinate, name), "its name in formulas", .flags = TP_KEY_REQUIRED),
    ROW_TEXT("unit", TP_INTO(coordinate, unit), "for output"),
    ROW_NUMBER("initial", TP_INTO(coordinate, initial), NULL, "0", "value at the start"),
};
const tp_key_table tp_velocity_keys =
    TABLE("velocity", velocity_keys, "A velocity that is not the rate of a coordinate.",
          TP_MAKES(coordinate, begin_coordinate, add_velocity));

/* ---- definitions --------------------------------------------------------------------------------------- */

enum { ARGUMENTS_MAX = 32 }; /* more are refused by the model */

/* "name" or "name(x, y)". */
static tp_status add_definition(tp_loader *loader, const tp_node *entry)
{
    char *name = tp_arena_copy(loader->arena, entry->key, strlen(entry->key) + 1, 1);
    if (!name) return tp_load_no_memory(loader);
    const char *arguments[ARGUMENTS_MAX + 1];
    int argument_count = 0;
    char *open = strchr(name, '(');
    if (open) {
        char *close = strrchr(open, ')');
        if (!close || *tp_load_trim(close + 1) != '\0') {
            return tp_fail_at(loader->why, TP_INVALID_DATA, entry->key_place,
                              "definitions: '%s' has no ')' at its end; write it like f(x, y)",
                              tp_excerpt_of(entry->key).text);
        }
        *open = *close = '\0';
        argument_count = tp_load_split(open + 1, ARGUMENTS_MAX + 1, arguments);
    }
    return tp_load_told(loader, tp_model_add_definition(loader->model, tp_load_trim(name),
                                                        open ? arguments : NULL, argument_count, entry->text,
                                                        entry->text_place, &loader->told));
}

/* Names of all joints of the scene, which are not loaded yet. */
static tp_status list_joints(tp_loader *loader)
{
    const tp_node *joints = tp_map_get(loader->root, "joints");
    for (const tp_node *item = joints ? joints->first : NULL; item; item = item->next) {
        const tp_node *name = tp_map_get(item, "name");
        if (name && tp_name_index_add(loader->arena, &loader->coming_joints, name->text, 1) != TP_OK)
            return tp_load_no_memory(loader);
    }
    return TP_OK;
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The text may name a joint: a name, or its beginning up to a dot, is that of a joint. */
static bool may_use_joints(const tp_loader *loader, const char *text)
{
    char name[256];
    size_t length = 0;
    for (const char *c = text;; c++) {
        bool goes_on = is_of_name(*c) || *c == '.';
        name[length] = '\0';
        if (!is_of_name(*c) && length > 0 && tp_name_index_find(&loader->coming_joints, name) >= 0)
            return true;
        if (*c == '\0') return false;
        if (goes_on && length + 2 > sizeof name) return true; /* too long to tell */
        if (goes_on)
            name[length++] = *c;
        else
            length = 0;
    }
}

/* Definitions may use joints; curves of joints and initial values may use definitions. So those before the
   first that uses a joint come before the joints, the others after them. */
tp_status tp_load_definition(tp_loader *loader, const tp_node *entry, void *into)
{
    (void)into;
    if (loader->coming_joints.count == 0) TP_TRY(list_joints(loader));
    if (!loader->late_definitions && may_use_joints(loader, entry->text)) loader->late_definitions = entry;
    return loader->late_definitions ? TP_OK : add_definition(loader, entry);
}

tp_status tp_load_late_definitions(tp_loader *loader)
{
    for (const tp_node *entry = loader->late_definitions; entry; entry = entry->next) {
        TP_TRY(add_definition(loader, entry));
    }
    return TP_OK;
}
