/* Sensors of a scene: further columns of the output. */
#include <string.h>

#include "io/common/near.h"
#include "io/common/text.h"
#include "io/scene/loader.h"
#include "io/scene/rows.h"

/* ---- keys ---------------------------------------------------------------------------------------------- */

typedef struct sensor {
    const char *name, *unit, *quantity, *coordinate;
    const tp_node *value, *joint, *contact;
    int combine;
    const char *body;
    tp_vec3 point;
    int component; /* tp_along; NO_COMPONENT: not given */
    int frame;
    tp_place place;
} sensor;

enum { NO_COMPONENT = -1 };
enum { IN_WORLD, IN_JOINT, IN_BODY };
enum { ADDS, TAKES_LARGEST, TAKES_LEAST };

TP_WORDS(joint_quantities, TP_WORD("coordinate", TP_JOINT_SENSES_COORDINATE),
         TP_WORD("rate", TP_JOINT_SENSES_RATE), TP_WORD("reaction", TP_JOINT_SENSES_REACTION),
         TP_WORD("moment", TP_JOINT_SENSES_MOMENT), TP_WORD("drive", TP_JOINT_SENSES_DRIVE),
         TP_WORD("acceleration", TP_JOINT_SENSES_ACCELERATION),
         TP_WORD("reaction_now", TP_JOINT_SENSES_REACTION_NOW),
         TP_WORD("moment_now", TP_JOINT_SENSES_MOMENT_NOW))
TP_WORDS(contact_quantities, TP_WORD("force", TP_CONTACT_SENSES_FORCE), TP_WORD("gap", TP_CONTACT_SENSES_GAP),
         TP_WORD("slip", TP_CONTACT_SENSES_SLIP))

TP_WORDS(body_quantities, TP_WORD("acceleration", TP_BODY_SENSES_ACCELERATION),
         TP_WORD("angular_acceleration", TP_BODY_SENSES_ANGULAR_ACCELERATION))

/* Those of joints, then those of contacts, then that of bodies which joints have not. */
static tp_word quantities(int k)
{
    int joint_count = 0, contact_count = 0;
    while (joint_quantities(joint_count).word) joint_count++;
    while (contact_quantities(contact_count).word) contact_count++;
    if (k < joint_count) return joint_quantities(k);
    if (k < joint_count + contact_count) return contact_quantities(k - joint_count);
    return body_quantities(k - joint_count - contact_count + 1);
}

TP_WORDS(components, TP_WORD("x", TP_ALONG_X), TP_WORD("y", TP_ALONG_Y), TP_WORD("z", TP_ALONG_Z),
         TP_WORD("normal", TP_ALONG_NORMAL), TP_WORD("tangent1", TP_ALONG_TANGENT1),
         TP_WORD("tangent2", TP_ALONG_TANGENT2), TP_WORD("norm", TP_ALONG_ALL))
TP_WORDS(combinations, TP_WORD("sum", ADDS), TP_WORD("max", TAKES_LARGEST), TP_WORD("min", TAKES_LEAST))
TP_WORDS(frames, TP_WORD("world", IN_WORLD), TP_WORD("joint", IN_JOINT), TP_WORD("body", IN_BODY))

static const tp_key sensor_keys[] = {
    ROW_TEXT("name", TP_INTO(sensor, name), "of the column", .flags = TP_KEY_REQUIRED),
    ROW_FORMULA("value", TP_INTO(sensor, value), NULL,
                "of time, coordinates and velocities, or a list of them, with repeat over many bodies; or",
                .form = TP_FORM_LIST, .flags = TP_KEY_OR_ONE),
    ROW_WORD("combine", TP_INTO(sensor, combine), combinations, "sum",
             "what is made of a list of values: their sum, the largest or the least"),
    ROW_TEXT("joint", TP_INTO(sensor, joint), "that is measured; or"),
    ROW_TEXT("contact", TP_INTO(sensor, contact),
             "that is measured: forces are summed over its points, gap and slip are those of the nearest"),
    ROW_TEXT("body", TP_INTO(sensor, body), "that is measured", .load = tp_load_body_name),
    ROW_VECTOR("point", TP_INTO(sensor, point), 0, "m", NULL,
               "of the body, in the frame of its points; left out: its origin"),
    ROW_WORD("quantity", TP_INTO(sensor, quantity), quantities, NULL,
             "of a joint: coordinate, rate, reaction (force on B, mean over the last step), moment (on B, "
             "about the joint's point, the same), drive (force or torque of the motor of a coordinate, the "
             "same), and at the state itself acceleration (of the coordinate), "
             "reaction_now, moment_now; of a contact: force (on B), gap or slip; of a body at the state "
             "itself: acceleration (of a point), angular_acceleration"),
    ROW_TEXT("coordinate", TP_INTO(sensor, coordinate),
             "of the joint; may be left out where there is only one"),
    ROW_WORD("component", TP_INTO(sensor, component), components, NULL,
             "of reaction, moment, force, slip and accelerations of bodies; left out: norm, of a contact's "
             "force normal; normal and tangents belong to contacts"),
    ROW_WORD("frame", TP_INTO(sensor, frame), frames, "world",
             "of reaction, moment and accelerations of bodies: along the world's axes, those of the joint on "
             "A, or those of the body"),
    ROW_TEXT("unit", TP_INTO(sensor, unit), "of the column; left out: that of the quantity"),
};

/* ---- refusals ------------------------------------------------------------------------------------------ */

/* The word of a quantity that goes with a joint, or with a contact; names them all if it is none of these. */
static tp_status find_quantity(tp_loader *loader, const tp_node *item, const char *of, tp_words words,
                               int *quantity_out)
{
    const tp_node *node = tp_map_get(item, "quantity");
    const tp_key right = {.kind = TP_VALUE_CHOICE, .words = words};
    tp_word word = node ? tp_word_find(words, node->text) : (tp_word){.word = NULL};
    *quantity_out = word.value;
    if (word.word) return TP_OK;
    return tp_node_fail(node ? node : item, loader->why, "a sensor of a %s needs quantity: with %s", of,
                        tp_key_wants_of(&right).text);
}

/* ---- joints -------------------------------------------------------------------------------------------- */

static tp_status add_joint_sensor(tp_loader *loader, const tp_node *item, const sensor *is)
{
    int quantity, joint;
    TP_TRY(find_quantity(loader, item, "joint", joint_quantities, &quantity));
    TP_TRY(tp_load_joint_name(loader, is->joint, &joint));
    bool is_motion = quantity == TP_JOINT_SENSES_COORDINATE || quantity == TP_JOINT_SENSES_RATE ||
                     quantity == TP_JOINT_SENSES_DRIVE || quantity == TP_JOINT_SENSES_ACCELERATION;
    TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("point"), "on a joint; remove it"));
    if (is->frame == IN_BODY)
        return tp_node_fail(tp_map_get(item, "frame"), loader->why,
                            "a joint has the frames world and joint; body goes with body:");
    if (is_motion) {
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("component", "frame"), "on a coordinate; remove it"));
        TP_TRY(tp_load_check_coordinate(loader, item, is->joint->text,
                                        tp_joint_kind_info(tp_model_joint_kind(loader->model, joint))));
    } else {
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("coordinate"), "on a reaction; remove it"));
    }
    tp_joint_sensor_def def = tp_joint_sensor_def_default();
    def.name = is->name;
    def.unit = is->unit;
    def.place = is->place;
    def.on = (tp_joint_coordinate){is->joint->text, is->coordinate};
    def.quantity = (tp_joint_quantity)quantity;
    if (is->component != NO_COMPONENT) def.component = (tp_along)is->component;
    def.is_in_joint = is->frame == IN_JOINT;
    return tp_load_told(loader, tp_model_add_joint_sensor(loader->model, &def, NULL, &loader->told));
}

/* ---- contacts ------------------------------------------------------------------------------------------ */

static tp_status check_contact(tp_loader *loader, const tp_node *node)
{
    const tp_node *list = tp_map_get(loader->root, "contacts");
    if (tp_name_index_find(&loader->contact_names, node->text) >= 0) return TP_OK;
    tp_near near = tp_near_begin(node->text);
    for (const tp_node *item = list ? list->first : NULL; item; item = item->next) {
        const char *name = tp_map_get(item, "name")->text;
        size_t length = strlen(name);
        bool is_part = strncmp(node->text, name, length) == 0 &&
                       (node->text[length] == '.' || node->text[length] == '['); /* one of its pairs */
        if (is_part) return TP_OK;
        tp_near_offer(&near, name);
    }
    return tp_node_fail(node, loader->why, "there is no contact '%s'%s", tp_excerpt_of(node->text).text,
                        near.best ? tp_near_hint_of(&near).text : "; name one of `contacts`");
}

static tp_status add_contact_sensor(tp_loader *loader, const tp_node *item, const sensor *is)
{
    int quantity;
    TP_TRY(find_quantity(loader, item, "contact", contact_quantities, &quantity));
    TP_TRY(
        tp_load_no_effect(loader, item, TP_KEYS("coordinate", "frame", "point"), "on a contact; remove it"));
    if (quantity == TP_CONTACT_SENSES_GAP) {
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("component"), "on a gap; remove it"));
    }
    TP_TRY(check_contact(loader, is->contact));
    tp_contact_sensor_def def = tp_contact_sensor_def_default();
    def.name = is->name;
    def.unit = is->unit;
    def.place = is->place;
    def.contact = is->contact->text;
    def.quantity = (tp_contact_quantity)quantity;
    if (quantity == TP_CONTACT_SENSES_SLIP) def.component = TP_ALONG_ALL;
    if (is->component != NO_COMPONENT) def.component = (tp_along)is->component;
    return tp_load_told(loader, tp_model_add_contact_sensor(loader->model, &def, NULL, &loader->told));
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static tp_status add_body_sensor(tp_loader *loader, const tp_node *item, const sensor *is)
{
    int quantity;
    TP_TRY(find_quantity(loader, item, "body", body_quantities, &quantity));
    TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("coordinate"), "on a body; remove it"));
    if (quantity == TP_BODY_SENSES_ANGULAR_ACCELERATION)
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("point"), "on an angular acceleration; remove it"));
    if (is->frame == IN_JOINT)
        return tp_node_fail(tp_map_get(item, "frame"), loader->why,
                            "a body has the frames world and body; joint goes with joint:");
    tp_body_sensor_def def = tp_body_sensor_def_default();
    def.name = is->name;
    def.unit = is->unit;
    def.place = is->place;
    def.body = is->body;
    def.point = is->point;
    def.quantity = (tp_body_quantity)quantity;
    if (is->component != NO_COMPONENT) def.component = (tp_along)is->component;
    def.is_in_body = is->frame == IN_BODY;
    return tp_load_told(loader, tp_model_add_body_sensor(loader->model, &def, NULL, &loader->told));
}

/* ---- formulas ------------------------------------------------------------------------------------------ */

/* One formula of several, as a tree: that of a long list is not nested deeply. */
static void combine_values(const char *const *values, int count, int how, tp_text *text)
{
    static const char *const before[] = {"(", "max(", "min("}, *const between[] = {" + ", ", ", ", "};
    if (count == 1) {
        tp_text_add(text, "(");
        tp_text_add_bytes(text, values[0], strlen(values[0]));
        tp_text_add(text, ")");
        return;
    }
    tp_text_add(text, "%s", before[how]);
    combine_values(values, count / 2, how, text);
    tp_text_add(text, "%s", between[how]);
    combine_values(values + count / 2, count - count / 2, how, text);
    tp_text_add(text, ")");
}

static tp_status combined_formula(tp_loader *loader, const tp_node *list, int how, const char **formula_out)
{
    const char **values = TP_ARENA_ARRAY(loader->arena, const char *, list->count + 1);
    tp_text text = {0};
    int count = 0;
    if (list->count == 0) return tp_node_fail(list, loader->why, "a sensor of an empty list of values");
    if (!values) return TP_OUT_OF_MEMORY;
    for (const tp_node *value = list->first; value; value = value->next) values[count++] = value->text;
    combine_values(values, count, how, &text);
    char *formula = text.has_failed ? NULL : TP_ARENA_ARRAY(loader->arena, char, text.count + 1);
    if (formula) memcpy(formula, text.bytes, text.count);
    if (formula) formula[text.count] = '\0';
    tp_text_clear(&text);
    *formula_out = formula;
    return formula ? TP_OK : TP_OUT_OF_MEMORY;
}

static tp_status add_formula_sensor(tp_loader *loader, const tp_node *item, const sensor *is)
{
    bool is_list = is->value->kind == TP_NODE_LIST;
    TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("quantity", "coordinate", "component", "frame", "point"),
                             "with a value; remove it"));
    tp_function value = tp_load_function(is->value);
    if (is_list) {
        value.place = is->value->place;
        TP_TRY(combined_formula(loader, is->value, is->combine, &value.formula));
    }
    return tp_load_told(loader,
                        tp_model_add_sensor(loader->model, is->name, value, is->unit, NULL, &loader->told));
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static tp_status add_sensor(tp_loader *loader, const tp_node *item, void *made)
{
    const sensor *is = made;
    if ((is->value != NULL) + (is->joint != NULL) + (is->contact != NULL) + (is->body != NULL) != 1) {
        return tp_node_fail(item, loader->why,
                            "a sensor needs one of value: (a formula), joint:, contact: and body:");
    }
    if (!is->value || is->value->kind != TP_NODE_LIST)
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("combine"), "without a list of values; remove it"));
    if (is->body) return add_body_sensor(loader, item, is);
    if (is->joint) return add_joint_sensor(loader, item, is);
    if (is->contact) return add_contact_sensor(loader, item, is);
    return add_formula_sensor(loader, item, is);
}

TP_BEGINS(begin_sensor, sensor, ((sensor){.component = NO_COMPONENT}))
const tp_key_table tp_sensor_keys = TABLE(
    "sensor", sensor_keys,
    "A column of the output: a formula, or what a joint, contact or body does. A force is the impulse of "
    "the last step divided by its length, unless it is that of the state itself (reaction_now, "
    "moment_now). Accelerations and these forces are NaN where no accelerations satisfy all laws.",
    TP_MAKES(sensor, begin_sensor, add_sensor));

LOADS(tp_load_named_sensor,
      tp_model_add_sensor(loader->model, node->key, tp_load_function(node), NULL, NULL, &loader->told))
