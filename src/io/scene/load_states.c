/* First-order states of a scene, relations between them and multipliers, storage functions. */
#include <string.h>

#include "io/scene/loader.h"
#include "io/scene/rows.h"
#include "tippe/states.h"

/* ---- states -------------------------------------------------------------------------------------------- */

static const tp_key state_keys[] = {
    ROW_TEXT("name", TP_INTO(tp_state_def, name), "its name in formulas", .flags = TP_KEY_REQUIRED),
    ROW_TEXT("unit", TP_INTO(tp_state_def, unit), "for output"),
    ROW_NUMBER("initial", TP_INTO(tp_state_def, initial), NULL, "0", "value at the start"),
    ROW_FORMULA("rate", TP_INTO(tp_state_def, rate), NULL,
                "right side of its equation, x' = ..., of t, states, multipliers of relations, inputs, "
                "coordinates and velocities; what multipliers add is the input r of the relations",
                .flags = TP_KEY_REQUIRED),
};

static LOADS(add_state, tp_model_add_state(loader->model, into, NULL, &loader->told))

    TP_BEGINS(begin_state, tp_state_def, tp_state_def_default()) const tp_key_table tp_state_keys =
        TABLE("state", state_keys,
              "A first-order state: the current of a coil, the pressure of a chamber, the memory of a "
              "controller. Forces and sensors may use its name.",
              TP_MAKES(tp_state_def, begin_state, add_state));

/* "x,y": M_xy. */
tp_status tp_load_state_mass(tp_loader *loader, const tp_node *entry, void *into)
{
    static const tp_key any_number = {.kind = TP_VALUE_QUANTITY};
    (void)into;
    double value;
    const char *names[3];
    char *text = tp_arena_copy(loader->arena, entry->key, strlen(entry->key) + 1, 1);
    if (!text) return tp_load_no_memory(loader);
    if (tp_load_split(text, 3, names) != 2) {
        return tp_fail_at(loader->why, TP_INVALID_DATA, entry->key_place,
                          "state_mass: '%s' is not a pair of states; write it like \"x,y\"",
                          tp_excerpt_of(entry->key).text);
    }
    TP_TRY(tp_load_value(loader, entry, &any_number, &value));
    return tp_load_told(loader, tp_model_add_state_mass(loader->model, names[0], names[1], value,
                                                        entry->key_place, &loader->told));
}

LOADS(tp_load_storage, tp_model_add_storage(loader->model, tp_load_function(node), &loader->told))

/* ---- relations ----------------------------------------------------------------------------------------- */

typedef struct relation {
    tp_relation_def def;
    const tp_node *y;
    tp_place place;
} relation;

TP_WORDS_OF(laws_of_relations, tp_relation_kind_name(k))

static const tp_key relation_keys[] = {
    ROW_TEXT(
        "name", TP_INTO(relation, def.name),
        "its name; the multiplier is called so in formulas, those of several outputs NAME.l1, NAME.l2, ...",
        .flags = TP_KEY_REQUIRED),
    ROW_FORMULA("y", TP_INTO(relation, y), NULL,
                "output of t, states, multipliers, inputs, coordinates and velocities, or a list of them",
                .form = TP_FORM_LIST, .flags = TP_KEY_OR_ONE | TP_KEY_REQUIRED),
    ROW_WORD("law", TP_INTO(relation, def.kind), laws_of_relations, "complementarity",
             "-y in N_C(lambda): diode (0 <= y, lambda >= 0, one of them 0), equation y = 0, interval, relay "
             "(lambda = -sign(y), anything between at y = 0), ball"),
    ROW_NUMBER("lower", TP_INTO(relation, def.lower), NULL, NULL,
               "law: box; least lambda, left out: none. At it y >= 0"),
    ROW_NUMBER("upper", TP_INTO(relation, def.upper), NULL, NULL,
               "law: box; largest lambda, left out: none. At it y <= 0"),
    ROW_NOT_NEGATIVE("radius", TP_INTO(relation, def.radius), "that of lambda", "1",
                     "law: ball; largest length of lambda"),
    ROW("law_size", TP_VALUE_INTEGER, TP_INTO(relation, def.law_size),
        "outputs that share a law (ball: 2 or 3); it must divide their number; 0: all", .default_text = "0",
        .flags = TP_KEY_NOT_NEGATIVE),
    ROW_TEXT("unit", TP_INTO(relation, def.unit), "of lambda, for output"),
    ROW_TEXT("output_unit", TP_INTO(relation, def.output_unit), "of y, for output"),
};

static tp_status add_relation(tp_loader *loader, const tp_node *item, void *made)
{
    relation *is = made;
    int count = is->y->kind == TP_NODE_SCALAR ? 1 : is->y->count, k = 0;
    if (is->def.kind != TP_RELATION_BOX)
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("lower", "upper"), "unless law: box; remove it"));
    if (is->def.kind != TP_RELATION_BALL)
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("radius"), "unless law: ball; remove it"));
    tp_function *outputs = TP_ARENA_ARRAY(loader->arena, tp_function, count);
    if (!outputs) return tp_load_no_memory(loader);
    if (is->y->kind == TP_NODE_SCALAR) outputs[0] = tp_load_function(is->y);
    for (const tp_node *y = is->y->kind == TP_NODE_SCALAR ? NULL : is->y->first; y; y = y->next)
        outputs[k++] = tp_load_function(y);
    is->def.output = outputs;
    is->def.size = count;
    is->def.place = is->place;
    return tp_load_told(loader, tp_model_add_relation(loader->model, &is->def, NULL, &loader->told));
}

static void begin_relation(void *made)
{
    *(relation *)made = (relation){.def = tp_relation_def_default()};
}

const tp_key_table tp_relation_keys = TABLE(
    "relation", relation_keys,
    "Outputs y and multipliers lambda with a law between them: a diode, a relay, a valve, a saturation.",
    TP_MAKES(relation, begin_relation, add_relation));
