/* Keys of constraints, contacts and laws. */
#include "io/scene/scene_tables.h"
#include "tippe/model.h"

/* Words of `shape`, and which body each of them is. */
#define FRICTION_SHAPE(word, contact, law, text) {word, text, contact, law},
const tp_friction_word tp_friction_words[] = {TP_FRICTION_SHAPES(FRICTION_SHAPE){.word = NULL}};
#define SHAPE_WORD(word, contact, law, text) word,
static const char *const shapes[] = {TP_FRICTION_SHAPES(SHAPE_WORD) NULL};

static const char *const units[] = {"m", "rad", NULL};
#define UNIT_KEY(of)                                                                                         \
    {                                                                                                        \
        .name = "unit", .kind = TP_VALUE_CHOICE, .choices = units,                                           \
        .text = of ": m (forces in N) or rad (moments in N m); left out: rad where the formula is a sum "    \
                   "with an angle (coordinate in rad, angle of a joint, arc function), else m"               \
    }

static const tp_key constraint_keys[] = {
    {.name = "name",
     .kind = TP_VALUE_TEXT,
     .flags = TP_KEY_REQUIRED,
     .text = "its name in messages and output"},
    {.name = "position",
     .kind = TP_VALUE_FORMULA,
     .unit = "m or rad",
     .text = "g(t,q), kept at 0; a constraint has a position or a velocity"},
    {.name = "velocity",
     .kind = TP_VALUE_FORMULA,
     .unit = "m/s or rad/s",
     .text = "gamma(t,q,u), kept at 0, linear in the velocities and perhaps not integrable"},
    UNIT_KEY("of the position, or of that whose rate the velocity is"),
};
const tp_key_table tp_constraint_keys = {
    .name = "constraint",
    .text = "An equation that always holds: a joint, a rolling condition, a prescribed motion.",
    .TP_KEYS_OF(constraint_keys)};

static const tp_key contact_keys[] = {
    {.name = "name",
     .kind = TP_VALUE_TEXT,
     .flags = TP_KEY_REQUIRED,
     .text = "its name in messages and output"},
    {.name = "gap",
     .kind = TP_VALUE_FORMULA,
     .unit = "m or rad",
     .text = "g(t,q) >= 0, positive while the contact is open; or"},
    {.name = "between",
     .kind = TP_VALUE_TEXT,
     .form = TP_FORM_LIST,
     .count = 2,
     .text = "two shapes that may touch; the name of a body stands for all its shapes, `ground` for those of "
             "the ground; or"},
    {.name = "among",
     .kind = TP_VALUE_TEXT,
     .form = TP_FORM_LIST,
     .text = "bodies or shapes, all pairs of which may touch; pairs of kinds without contact points must be "
             "excluded"},
    {.name = "exclude",
     .kind = TP_VALUE_TEXT,
     .form = TP_FORM_ROWS,
     .count = 2,
     .text = "with between or among: pairs of bodies or shapes that do not touch: `[[arm, hand], [arm, "
             "table]]`"},
    {.name = "slip",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_ONE,
     .unit = "m/s",
     .text =
         "with a gap: 1 to 3 velocities that friction opposes, linear in the velocities; the third is the "
         "drilling velocity [rad/s]; needs friction"},
    UNIT_KEY("with a gap, of the gap"),
    {.name = "friction",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_ONE | TP_KEY_NOT_NEGATIVE,
     .text = "coefficient mu; two of them, along the first and second slip (tangent), with ellipse and box"},
    {.name = "shape",
     .kind = TP_VALUE_CHOICE,
     .choices = shapes,
     .default_text = "disc",
     .text =
         "set of friction forces: disc (an interval with 1 slip, with 3 as ellipsoid), ellipse, box; with 3 "
         "slips, or between shapes with a drilling radius, also ellipsoid, cylinder (drilling apart) and "
         "contensou (exact)"},
    {.name = "drilling_radius",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .unit = "m",
     .text = "largest drilling torque divided by mu and the normal force (3 pi R/16 for a Hertz contact of "
             "radius "
             "R); needed with 3 slips; between shapes it adds drilling friction"},
    {.name = "rolling",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .unit = "m",
     .text = "between shapes: rolling resistance, largest torque divided by the normal force"},
    {.name = "restitution",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_IN_RANGE,
     .low = 0.0,
     .high = 1.0,
     .default_text = "0",
     .text = "e_N of impacts: 0 none, 1 elastic"},
    {.name = "tangential_restitution",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_IN_RANGE,
     .low = 0.0,
     .high = 1.0,
     .default_text = "0",
     .text = "e_T of impacts, of all slips"},
    {.name = "compliance",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .unit = "m/N",
     .default_text = "0",
     .text = "with a gap: 0: rigid; else the contact is a spring with energy g^2/(2 compliance) while g < 0, "
             "without "
             "friction "
             "and impacts"},
};
const tp_key_table tp_contact_keys = {
    .name = "contact",
    .text = "A contact that opens and closes, with Coulomb friction and impacts.",
    .TP_KEYS_OF(contact_keys)};

static const tp_key friction_keys[] = {
    {.name = "bound",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_REQUIRED | TP_KEY_OR_ONE | TP_KEY_NOT_NEGATIVE,
     .unit = "N or N m",
     .text =
         "largest force: one for disc, one for each velocity for ellipse, ellipsoid and box, two (sliding, "
         "drilling) for cylinder and contensou"},
    {.name = "shape",
     .kind = TP_VALUE_CHOICE,
     .choices = shapes,
     .default_text = "disc",
     .text = "set of friction forces; cylinder and contensou have 3 velocities"},
};
const tp_key_table tp_law_friction_keys = {.name = "friction law",
                                           .text = "Dry friction whose bound does not depend on a contact.",
                                           .TP_KEYS_OF(friction_keys)};

static const tp_key limited_keys[] = {
    {.name = "lower",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_REQUIRED,
     .unit = "N or N m",
     .text = "least force along the velocity"},
    {.name = "upper",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_REQUIRED,
     .unit = "N or N m",
     .text = "largest force along the velocity, not below `lower`"},
};
const tp_key_table tp_law_limited_keys = {
    .name = "limited law",
    .text = "A motor or brake that holds its velocity at 0 as far as its force suffices.",
    .TP_KEYS_OF(limited_keys)};

static const tp_key_table one_way_keys = {
    .name = "one-way law",
    .text = "A one-way clutch: the velocity does not become negative; no further keys."};

static const tp_key_variant law_kinds[] = {
    {"one-way", &one_way_keys, TP_LAW_ONE_WAY,
     "one-way clutch: the velocity does not become negative, the force is not negative"},
    {"friction", &tp_law_friction_keys, TP_LAW_FRICTION,
     "dry friction of 1 to 3 velocities with given bounds on the force"},
    {"limited", &tp_law_limited_keys, TP_LAW_LIMITED,
     "motor or brake: the velocity is held at 0 as far as a force between two bounds suffices"},
};

static const tp_key law_keys[] = {
    {.name = "name",
     .kind = TP_VALUE_TEXT,
     .flags = TP_KEY_REQUIRED,
     .text = "its name in messages and output"},
    {.name = "kind", .kind = TP_VALUE_CHOICE, .flags = TP_KEY_REQUIRED, .text = "what the law is"},
    {.name = "velocity",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_REQUIRED | TP_KEY_OR_ONE,
     .unit = "m/s or rad/s",
     .text = "what the force acts along, linear in the velocities; kind: friction may have up to 3"},
    UNIT_KEY("of that whose rate the velocity is"),
    {.name = "restitution",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_IN_RANGE,
     .low = 0.0,
     .high = 1.0,
     .default_text = "0",
     .text = "e of impacts: 0 none, 1 elastic"},
};
const tp_key_table tp_law_keys = {.name = "law",
                                  .text = "A law on velocities alone, which is always active.",
                                  .TP_KEYS_OF(law_keys),
                                  .selector = "kind",
                                  .TP_VARIANTS_OF(law_kinds)};
