/* Contacts of a scene: given by a gap, or between shapes (load_pairs.c). */
#include <stdio.h>

#include "io/scene/loader.h"
#include "io/scene/rows.h"

/* Both kinds of contact; what only one of them has goes into its def alone. */
typedef struct contact {
    tp_contact_def def;
    const tp_node *between, *among, *exclude;
    int shape, friction_count;
    bool excludes_joined;
    double rolling;
    tp_place place;
} contact;

static const tp_key contact_keys[] = {
    ROW_NAME(contact, def.name),
    ROW_FORMULA("gap", TP_INTO(contact, def.gap), "m or rad",
                "g(t,q) >= 0, positive while the contact is open; or"),
    ROW_TEXT("between", TP_INTO(contact, between),
             "two shapes that may touch; the name of a body stands for all its shapes, `ground` for those of "
             "the ground; or",
             .form = TP_FORM_LIST, .count = 2),
    ROW_TEXT(
        "among", TP_INTO(contact, among),
        "bodies or shapes, all pairs of which may touch, or the word `all`: the ground and all bodies; pairs "
        "of kinds without contact points must be excluded",
        .form = TP_FORM_LIST, .flags = TP_KEY_OR_ONE),
    ROW_TEXT(
        "exclude", TP_INTO(contact, exclude),
        "with between or among: pairs of bodies or shapes that do not touch: `[[arm, hand], [arm, table]]`",
        .form = TP_FORM_ROWS, .count = 2),
    ROW_TRUTH("exclude_joined", TP_INTO(contact, excludes_joined), "false",
              "with among: bodies that a joint connects do not touch each other"),
    ROW_FORMULA("slip", TP_INTO_COUNTED(contact, def.slip, def.slip_count), "m/s",
                "with a gap: 1 to 3 velocities that friction opposes, linear in the velocities; the third is "
                "the drilling velocity [rad/s]; needs friction",
                .form = TP_FORM_LIST, .flags = TP_KEY_OR_ONE),
    ROW_MEASURE(contact, def.measure, "with a gap, of the gap"),
    ROW_NUMBER("friction", TP_INTO_COUNTED(contact, def.friction, friction_count), NULL, NULL,
               "coefficient mu; two of them, along the first and second slip (tangent), with ellipse and box",
               .form = TP_FORM_LIST, .flags = TP_KEY_OR_ONE | TP_KEY_NOT_NEGATIVE),
    ROW_POSITIVE(
        "static_friction", TP_INTO(contact, def.static_friction), NULL, NULL,
        "coefficient while it sticks, at least mu (the first one); all bounds are larger by the ratio. "
        "Without it: as friction"),
    ROW_WORD(
        "shape", TP_INTO(contact, shape), tp_friction_word_at, "disc",
        "set of friction forces: disc (an interval with 1 slip, with 3 as ellipsoid), ellipse, box; with "
        "3 slips, or between shapes with a drilling radius, also ellipsoid, cylinder (drilling apart) and "
        "contensou (exact)"),
    ROW_POSITIVE(
        "drilling_radius", TP_INTO(contact, def.drilling_radius), "m", NULL,
        "largest drilling torque divided by mu and the normal force (3 pi R/16 for a Hertz contact of "
        "radius R); needed with 3 slips; between shapes it adds drilling friction"),
    ROW_POSITIVE("rolling", TP_INTO(contact, rolling), "m", NULL,
                 "between shapes: rolling resistance, largest torque divided by the normal force"),
    ROW_FRACTION("restitution", TP_INTO(contact, def.restitution), "0", "e_N of impacts: 0 none, 1 elastic"),
    ROW_FRACTION("tangential_restitution", TP_INTO(contact, def.tangential_restitution), "0",
                 "e_T of impacts, of all slips"),
    ROW_NOT_NEGATIVE(
        "compliance", TP_INTO(contact, def.compliance), "m/N", "0",
        "with a gap: 0: rigid; else the contact is a spring with energy g^2/(2 compliance) while g < 0, "
        "without friction and impacts"),
};

/* Refuses keys that say nothing without something that is not there. */
static tp_status need(tp_loader *loader, const tp_node *item, bool is_there, const char *what,
                      const char *const *keys)
{
    char when[100];
    snprintf(when, sizeof when, "without %s; add it or remove the key", what);
    return is_there ? TP_OK : tp_load_no_effect(loader, item, keys, when);
}

/* How many coefficients there are, and of which set. */
static tp_status finish_friction(tp_loader *loader, const tp_node *item, contact *is, int rows,
                                 const char *what)
{
    const tp_friction_word *shape = &tp_friction_words[is->shape];
    TP_TRY(tp_load_check_rows(loader, item, shape->word, &shape->contact, rows, what));
    if (is->friction_count == 1) is->def.friction[1] = is->def.friction[0];
    is->def.friction_kind = shape->contact.body;
    if (is->friction_count <= shape->contact.count && is->friction_count <= rows) return TP_OK;
    char slips[40] = "";
    if (is->def.slip_count > 0) snprintf(slips, sizeof slips, " with %d slip%s", rows, rows > 1 ? "s" : "");
    return tp_node_fail(tp_map_get(item, "friction"), loader->why,
                        "shape: %s%s has one coefficient; write a number, or another shape", shape->word,
                        slips);
}

static tp_status add_gap_contact(tp_loader *loader, const tp_node *item, contact *is)
{
    int slips = is->def.slip_count;
    TP_TRY(need(loader, item, false, "between or among", TP_KEYS("rolling", "exclude", "exclude_joined")));
    TP_TRY(need(loader, item, slips > 0, "slip",
                TP_KEYS("friction", "static_friction", "shape", "tangential_restitution")));
    TP_TRY(need(loader, item, is->friction_count > 0, "friction", TP_KEYS("slip")));
    TP_TRY(need(loader, item, slips == 3, "a third slip", TP_KEYS("drilling_radius")));
    if (slips > 0) TP_TRY(finish_friction(loader, item, is, slips, "slips"));
    if (is->def.compliance > 0.0) {
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("restitution"),
                                 "with compliance, which makes the contact a spring; remove one"));
    }
    return tp_load_told(loader, tp_model_add_contact(loader->model, &is->def, NULL, &loader->told));
}

/* Friction between shapes: two tangents, and a drilling row with a drilling radius. */
static tp_status add_pair_contact(tp_loader *loader, const tp_node *item, contact *is)
{
    bool has_friction = is->friction_count > 0, drills = is->def.drilling_radius > 0.0;
    TP_TRY(need(loader, item, false, "gap", TP_KEYS("slip", "compliance", "unit")));
    TP_TRY(need(loader, item, has_friction, "friction",
                TP_KEYS("static_friction", "shape", "drilling_radius", "rolling", "tangential_restitution")));
    if (has_friction) {
        TP_TRY(finish_friction(loader, item, is, drills ? 3 : 2, "tangents (3 with a drilling radius)"));
    }
    tp_pair_def def = tp_pair_def_default();
    def.name = is->def.name;
    def.friction_kind = is->def.friction_kind;
    def.friction[0] = is->def.friction[0];
    def.friction[1] = is->def.friction[1];
    def.static_friction = is->def.static_friction;
    def.drilling_radius = is->def.drilling_radius;
    def.rolling = is->rolling;
    def.restitution = is->def.restitution;
    def.tangential_restitution = is->def.tangential_restitution;
    def.place = is->place;
    TP_TRY(need(loader, item, is->among != NULL, "among", TP_KEYS("exclude_joined")));
    return tp_load_pairs(loader, item, is->between ? is->between : is->among, &def, is->excludes_joined);
}

static tp_status add_contact(tp_loader *loader, const tp_node *item, void *made)
{
    contact *is = made;
    int count = (is->def.gap.formula != NULL) + (is->between != NULL) + (is->among != NULL);
    is->def.place = is->place;
    if (tp_name_index_add(loader->work, &loader->contact_names, is->def.name, 1) != TP_OK) {
        return tp_load_no_memory(loader);
    }
    if (count != 1) {
        return tp_node_fail(item, loader->why,
                            count == 0 ? "the key 'gap' is missing; add gap: with a formula [m], or between: "
                                         "with two shapes or bodies, or among: with several"
                                       : "found several of gap, between and among; write one of them");
    }
    return is->def.gap.formula ? add_gap_contact(loader, item, is) : add_pair_contact(loader, item, is);
}

TP_BEGINS(begin_contact, contact, ((contact){.def = tp_contact_def_default()}))
const tp_key_table tp_contact_keys =
    TABLE("contact", contact_keys, "A contact that opens and closes, with Coulomb friction and impacts.",
          TP_MAKES(contact, begin_contact, add_contact));
