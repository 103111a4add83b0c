/* All functions of a model, one after the other. */
#include "scalars.h"

#include <stddef.h>

/* Where the functions of a role are: a list of the model, the size of its items, the first function in one.
 */
static const struct {
    size_t list, item, first;
} places[TP_SCALAR_ROLES] = {
    [TP_SCALAR_KINETIC] = {offsetof(tp_model, kinetic), sizeof(tp_scalar), 0},
    [TP_SCALAR_MASS] = {offsetof(tp_model, mass), sizeof(tp_mass_entry), offsetof(tp_mass_entry, value)},
    [TP_SCALAR_RATE] = {offsetof(tp_model, coordinates), sizeof(tp_variable), 0}, /* a pointer */
    [TP_SCALAR_POTENTIAL] = {offsetof(tp_model, potential), sizeof(tp_scalar), 0},
    [TP_SCALAR_DISSIPATION] = {offsetof(tp_model, dissipation), sizeof(tp_scalar), 0},
    [TP_SCALAR_SPRING_GAP] = {offsetof(tp_model, springs), sizeof(tp_spring_contact),
                              offsetof(tp_spring_contact, gap)},
    [TP_SCALAR_LAW_ROW] = {offsetof(tp_model, laws), sizeof(tp_law), offsetof(tp_law, row)},
    [TP_SCALAR_FORCE] = {offsetof(tp_model, forces), sizeof(tp_force_entry), offsetof(tp_force_entry, value)},
    [TP_SCALAR_WRENCH] = {offsetof(tp_model, wrenches), sizeof(tp_model_wrench),
                          offsetof(tp_model_wrench, force)},
    [TP_SCALAR_MOTION] = {offsetof(tp_model, bodies), sizeof(tp_body), 0}, /* a pointer */
    [TP_SCALAR_TARGET] = {offsetof(tp_model, combinations), sizeof(tp_combination),
                          offsetof(tp_combination, target)},
    [TP_SCALAR_SENSOR] = {offsetof(tp_model, sensors), sizeof(tp_sensor), offsetof(tp_sensor, value)},
    [TP_SCALAR_STATE_RATE] = {offsetof(tp_model, states), sizeof(tp_state_variable),
                              offsetof(tp_state_variable, rate)},
    [TP_SCALAR_OUTPUT] = {offsetof(tp_model, outputs), sizeof(tp_output), offsetof(tp_output, value)},
    [TP_SCALAR_STORAGE] = {offsetof(tp_model, storage), sizeof(tp_scalar), 0},
};

/* How many of them an item has. */
static int part_count(tp_scalar_role role, const void *item)
{
    const tp_law *law = item;
    switch (role) {
    case TP_SCALAR_RATE: return ((const tp_variable *)item)->rate != NULL;
    case TP_SCALAR_TARGET: return ((const tp_combination *)item)->has_target;
    case TP_SCALAR_MOTION: return ((const tp_body *)item)->kind == TP_BODY_MOVING ? 4 : 0;
    case TP_SCALAR_WRENCH: return 6;
    case TP_SCALAR_LAW_ROW: return law->source == TP_SOURCE_FORMULA ? law->row_count : 0;
    case TP_SCALAR_KINETIC:
    case TP_SCALAR_MASS:
    case TP_SCALAR_POTENTIAL:
    case TP_SCALAR_DISSIPATION:
    case TP_SCALAR_SPRING_GAP:
    case TP_SCALAR_FORCE:
    case TP_SCALAR_SENSOR:
    case TP_SCALAR_STATE_RATE:
    case TP_SCALAR_OUTPUT:
    case TP_SCALAR_STORAGE:
    case TP_SCALAR_ROLES: break;
    }
    return 1;
}

/* NULL: the body moves by itself. */
static tp_scalar *motion_of(void *body)
{
    tp_given_motion *given = ((tp_body *)body)->given;
    return given != NULL ? given->motion : NULL;
}

bool tp_scalar_next(tp_scalar_walk *walk)
{
    for (; walk->role < TP_SCALAR_ROLES; walk->role++, walk->index = 0) {
        const tp_list *list = (const void *)((const char *)walk->model + places[walk->role].list);
        for (; walk->index < list->count; walk->index++, walk->next_part = 0) {
            char *item = (char *)list->items + (size_t)walk->index * places[walk->role].item;
            if (walk->next_part >= part_count(walk->role, item)) continue;
            walk->part = walk->next_part++;
            tp_scalar *first = (void *)(item + places[walk->role].first);
            if (walk->role == TP_SCALAR_RATE) first = ((tp_variable *)(void *)item)->rate;
            if (walk->role == TP_SCALAR_MOTION) first = motion_of(item);
            walk->scalar = first + walk->part;
            return true;
        }
    }
    return false;
}
