/* Sections of a scene that say what is not smooth: constraints, contacts, laws on velocities. */
#include <string.h>

#include "io/scene/loader.h"

/* ---- units --------------------------------------------------------------------------------------------- */

static tp_law_measure load_measure(const tp_node *item)
{
    const tp_node *unit = tp_map_get(item, "unit");
    if (!unit) return TP_LAW_AS_FORMULA;
    return strcmp(unit->text, "rad") == 0 ? TP_LAW_IS_ANGLE : TP_LAW_IS_LENGTH;
}

/* ---- constraints --------------------------------------------------------------------------------------- */

static tp_status load_constraint(tp_loader *loader, const tp_node *item)
{
    const tp_node *position = tp_map_get(item, "position"), *velocity = tp_map_get(item, "velocity");
    tp_constraint_def def = tp_constraint_def_default();
    def.name = tp_map_get(item, "name")->text;
    def.place = item->place;
    if (position) def.position = tp_load_function(position);
    if (velocity) def.velocity = tp_load_function(velocity);
    def.measure = load_measure(item);
    return tp_load_told(loader, tp_model_add_constraint(loader->model, &def));
}

/* ---- shapes -------------------------------------------------------------------------------------------- */

/* The words are those of the key table: one of them is found. */
static const tp_friction_word *find_shape(const char *word)
{
    const tp_friction_word *shape = tp_friction_words;
    while (strcmp(shape->word, word) != 0) shape++;
    return shape;
}

static tp_status check_rows(tp_loader *loader, const tp_node *item, const char *word,
                            const tp_friction_body *is, int rows, const char *what)
{
    if (rows >= is->least && rows <= is->most) return TP_OK;
    const tp_node *shape = tp_map_get(item, "shape");
    if (is->least == is->most) {
        return tp_node_fail(shape ? shape : item, loader->why, "shape: %s needs %d %s, found %d", word,
                            is->least, what, rows);
    }
    return tp_node_fail(shape ? shape : item, loader->why, "shape: %s needs %d to %d %s, found %d", word,
                        is->least, is->most, what, rows);
}

/* ---- contacts ------------------------------------------------------------------------------------------ */

/* Keys that would do nothing are mistakes of the author. */
static tp_status check_effect(tp_loader *loader, const tp_node *item, const char *name, bool has_effect,
                              const char *needs)
{
    const tp_node *node = tp_map_get(item, name);
    if (!node || has_effect) return TP_OK;
    return tp_node_fail(node, loader->why, "has no effect without %s; add it or remove the key", needs);
}

static tp_status load_friction(tp_loader *loader, const tp_node *item, tp_contact_def *def)
{
    const tp_friction_word *shape = find_shape(tp_keys_text(item, &tp_contact_keys, "shape"));
    int count;
    TP_TRY(tp_load_functions(loader, item, "slip", 3, def->slip, &def->slip_count));
    bool has_slip = def->slip_count > 0;
    TP_TRY(check_effect(loader, item, "friction", has_slip, "slip"));
    TP_TRY(check_effect(loader, item, "shape", has_slip, "slip"));
    TP_TRY(check_effect(loader, item, "tangential_restitution", has_slip, "slip"));
    TP_TRY(check_effect(loader, item, "slip", tp_map_get(item, "friction") != NULL, "friction"));
    TP_TRY(check_effect(loader, item, "drilling_radius", def->slip_count == 3, "a third slip"));
    if (!has_slip) return TP_OK;

    TP_TRY(check_rows(loader, item, shape->word, &shape->contact, def->slip_count, "slips"));
    TP_TRY(tp_load_numbers(loader, item, &tp_contact_keys, "friction", 2, def->friction, &count));
    if (count == 1) def->friction[1] = def->friction[0];
    if (count > shape->contact.count || count > def->slip_count) {
        return tp_node_fail(tp_map_get(item, "friction"), loader->why,
                            "shape: %s with %d slip%s has one coefficient; write a number, or another shape",
                            shape->word, def->slip_count, def->slip_count > 1 ? "s" : "");
    }
    def->friction_kind = shape->contact.body;
    return TP_OK;
}

static tp_status load_gap_contact(tp_loader *loader, const tp_node *item)
{
    const tp_key_table *keys = &tp_contact_keys;
    tp_contact_def def = tp_contact_def_default();
    def.name = tp_map_get(item, "name")->text;
    def.place = item->place;
    def.gap = tp_load_function(tp_map_get(item, "gap"));
    def.measure = load_measure(item);
    TP_TRY(check_effect(loader, item, "rolling", false, "between or among"));
    TP_TRY(check_effect(loader, item, "exclude", false, "between or among"));
    TP_TRY(load_friction(loader, item, &def));
    TP_TRY(tp_load_number(loader, item, keys, "drilling_radius", &def.drilling_radius));
    TP_TRY(tp_load_number(loader, item, keys, "restitution", &def.restitution));
    TP_TRY(tp_load_number(loader, item, keys, "tangential_restitution", &def.tangential_restitution));
    TP_TRY(tp_load_number(loader, item, keys, "compliance", &def.compliance));
    if (def.compliance > 0.0 && tp_map_get(item, "restitution")) {
        return tp_node_fail(tp_map_get(item, "restitution"), loader->why,
                            "has no effect with compliance, which makes the contact a spring; remove one");
    }
    return tp_load_told(loader, tp_model_add_contact(loader->model, &def));
}

/* Friction between shapes: two tangents, and a drilling row with a drilling radius. */
static tp_status load_pair_friction(tp_loader *loader, const tp_node *item, tp_pair_def *def)
{
    static const char *const needs_friction[] = {"shape", "drilling_radius", "rolling",
                                                 "tangential_restitution"};
    const tp_friction_word *shape = find_shape(tp_keys_text(item, &tp_contact_keys, "shape"));
    bool has_friction = tp_map_get(item, "friction") != NULL;
    int count;
    for (size_t k = 0; k < sizeof needs_friction / sizeof needs_friction[0]; k++) {
        TP_TRY(check_effect(loader, item, needs_friction[k], has_friction, "friction"));
    }
    if (!has_friction) return TP_OK;
    TP_TRY(check_rows(loader, item, shape->word, &shape->contact, tp_map_get(item, "drilling_radius") ? 3 : 2,
                      "tangents (3 with a drilling radius)"));
    TP_TRY(tp_load_numbers(loader, item, &tp_contact_keys, "friction", 2, def->friction, &count));
    if (count == 1) def->friction[1] = def->friction[0];
    if (count > shape->contact.count) {
        return tp_node_fail(tp_map_get(item, "friction"), loader->why,
                            "shape: %s has one coefficient; write a number, or another shape", shape->word);
    }
    def->friction_kind = shape->contact.body;
    return TP_OK;
}

static tp_status load_pair_contact(tp_loader *loader, const tp_node *item, const tp_node *list)
{
    const tp_key_table *keys = &tp_contact_keys;
    tp_pair_def def = tp_pair_def_default();
    def.name = tp_map_get(item, "name")->text;
    def.place = item->place;
    TP_TRY(check_effect(loader, item, "slip", false, "gap"));
    TP_TRY(check_effect(loader, item, "compliance", false, "gap"));
    TP_TRY(check_effect(loader, item, "unit", false, "gap"));
    TP_TRY(load_pair_friction(loader, item, &def));
    TP_TRY(tp_load_number(loader, item, keys, "drilling_radius", &def.drilling_radius));
    TP_TRY(tp_load_number(loader, item, keys, "rolling", &def.rolling));
    TP_TRY(tp_load_number(loader, item, keys, "restitution", &def.restitution));
    TP_TRY(tp_load_number(loader, item, keys, "tangential_restitution", &def.tangential_restitution));
    return tp_load_pairs(loader, item, list, &def);
}

static tp_status load_contact(tp_loader *loader, const tp_node *item)
{
    const tp_node *gap = tp_map_get(item, "gap"), *between = tp_map_get(item, "between"),
                  *among = tp_map_get(item, "among");
    int count = (gap != NULL) + (between != NULL) + (among != NULL);
    if (count != 1) {
        return tp_node_fail(item, loader->why,
                            count == 0 ? "the key 'gap' is missing; add gap: with a formula [m], or between: "
                                         "with two shapes or bodies, or among: with several"
                                       : "found several of gap, between and among; write one of them");
    }
    return gap ? load_gap_contact(loader, item) : load_pair_contact(loader, item, between ? between : among);
}

/* ---- laws ---------------------------------------------------------------------------------------------- */

static tp_status load_bound(tp_loader *loader, const tp_node *item, tp_law_def *def)
{
    const tp_friction_word *shape = find_shape(tp_keys_text(item, &tp_law_keys, "shape"));
    int count, wanted = shape->law.count > 0 ? shape->law.count : def->velocity_count;
    TP_TRY(check_rows(loader, item, shape->word, &shape->law, def->velocity_count, "velocities"));
    TP_TRY(tp_load_numbers(loader, item, &tp_law_keys, "bound", 3, def->bound, &count));
    if (count != wanted) {
        return tp_node_fail(tp_map_get(item, "bound"), loader->why, "shape: %s needs %d bound%s, found %d",
                            shape->word, wanted, wanted > 1 ? "s" : "", count);
    }
    def->friction_kind = shape->law.body;
    return TP_OK;
}

static tp_status load_law(tp_loader *loader, const tp_node *item)
{
    tp_law_def def = tp_law_def_default();
    def.name = tp_map_get(item, "name")->text;
    def.place = item->place;
    def.kind = (tp_law_kind)tp_keys_variant_value(&tp_law_keys, item);
    def.measure = load_measure(item);
    TP_TRY(tp_load_functions(loader, item, "velocity", 3, def.velocity, &def.velocity_count));
    TP_TRY(tp_load_number(loader, item, &tp_law_keys, "restitution", &def.restitution));
    if (def.kind == TP_LAW_FRICTION) TP_TRY(load_bound(loader, item, &def));
    if (def.kind == TP_LAW_LIMITED) {
        TP_TRY(tp_load_number(loader, item, &tp_law_keys, "lower", &def.lower));
        TP_TRY(tp_load_number(loader, item, &tp_law_keys, "upper", &def.upper));
        if (def.lower > def.upper) {
            return tp_node_fail(tp_map_get(item, "upper"), loader->why, "%g is below the lower limit %g",
                                def.upper, def.lower);
        }
    }
    return tp_load_told(loader, tp_model_add_law(loader->model, &def));
}

tp_status tp_load_laws(tp_loader *loader)
{
    TP_TRY(tp_load_list(loader, "constraints", load_constraint));
    TP_TRY(tp_load_list(loader, "contacts", load_contact));
    return tp_load_list(loader, "laws", load_law);
}
