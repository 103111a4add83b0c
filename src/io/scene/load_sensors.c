/* Sensors of a scene: further columns of the output. */
#include <string.h>

#include "io/common/near.h"
#include "io/scene/loader.h"
#include "io/scene/rows.h"

/* ---- keys ---------------------------------------------------------------------------------------------- */

typedef struct sensor {
    const char *name, *unit, *quantity, *coordinate;
    tp_function value;
    const tp_node *joint, *contact;
    int component; /* tp_along; NO_COMPONENT: not given */
    bool is_in_joint;
    tp_place place;
} sensor;

enum { NO_COMPONENT = -1 };

TP_WORDS(joint_quantities, TP_WORD("coordinate", TP_JOINT_SENSES_COORDINATE),
         TP_WORD("rate", TP_JOINT_SENSES_RATE), TP_WORD("reaction", TP_JOINT_SENSES_REACTION),
         TP_WORD("moment", TP_JOINT_SENSES_MOMENT))
TP_WORDS(contact_quantities, TP_WORD("force", TP_CONTACT_SENSES_FORCE), TP_WORD("gap", TP_CONTACT_SENSES_GAP),
         TP_WORD("slip", TP_CONTACT_SENSES_SLIP))

/* Those of joints, then those of contacts. */
static tp_word quantities(int k)
{
    int joint_count = 0;
    while (joint_quantities(joint_count).word) joint_count++;
    return k < joint_count ? joint_quantities(k) : contact_quantities(k - joint_count);
}

TP_WORDS(components, TP_WORD("x", TP_ALONG_X), TP_WORD("y", TP_ALONG_Y), TP_WORD("z", TP_ALONG_Z),
         TP_WORD("normal", TP_ALONG_NORMAL), TP_WORD("tangent1", TP_ALONG_TANGENT1),
         TP_WORD("tangent2", TP_ALONG_TANGENT2), TP_WORD("norm", TP_ALONG_ALL))
TP_WORDS(frames, TP_WORD("world", false), TP_WORD("joint", true))

static const tp_key sensor_keys[] = {
    ROW_TEXT("name", TP_INTO(sensor, name), "of the column", .flags = TP_KEY_REQUIRED),
    ROW_FORMULA("value", TP_INTO(sensor, value), NULL, "of time, coordinates and velocities; or"),
    ROW_TEXT("joint", TP_INTO(sensor, joint), "that is measured; or"),
    ROW_TEXT("contact", TP_INTO(sensor, contact),
             "that is measured: forces are summed over its points, gap and slip are those of the nearest"),
    ROW_WORD("quantity", TP_INTO(sensor, quantity), quantities, NULL,
             "of a joint: coordinate, rate, reaction (force on B) or moment (on B, about the joint's "
             "point); of "
             "a contact: force (on B), gap or slip"),
    ROW_TEXT("coordinate", TP_INTO(sensor, coordinate),
             "of the joint; may be left out where there is only one"),
    ROW_WORD("component", TP_INTO(sensor, component), components, NULL,
             "of reaction, moment, force and slip; left out: norm, of a contact's force normal; normal and "
             "tangents belong to contacts"),
    ROW_WORD("frame", TP_INTO(sensor, is_in_joint), frames, "world",
             "of reaction and moment: along the world's axes or those of the joint on A"),
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
    bool is_motion = quantity == TP_JOINT_SENSES_COORDINATE || quantity == TP_JOINT_SENSES_RATE;
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
    def.is_in_joint = is->is_in_joint;
    return tp_load_told(loader, tp_model_add_joint_sensor(loader->model, &def));
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
    TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("coordinate", "frame"), "on a contact; remove it"));
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
    return tp_load_told(loader, tp_model_add_contact_sensor(loader->model, &def));
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static tp_status add_sensor(tp_loader *loader, const tp_node *item, void *made)
{
    const sensor *is = made;
    if ((is->value.formula != NULL) + (is->joint != NULL) + (is->contact != NULL) != 1) {
        return tp_node_fail(item, loader->why,
                            "a sensor needs one of value: (a formula), joint: and contact:");
    }
    if (is->joint) return add_joint_sensor(loader, item, is);
    if (is->contact) return add_contact_sensor(loader, item, is);
    TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("quantity", "coordinate", "component", "frame"),
                             "with a value; remove it"));
    return tp_load_told(loader, tp_model_add_sensor(loader->model, is->name, is->value, is->unit));
}

TP_BEGINS(begin_sensor, sensor, ((sensor){.component = NO_COMPONENT}))
const tp_key_table tp_sensor_keys =
    TABLE("sensor", sensor_keys,
          "A column of the output: a formula, or what a joint or contact does. A force is the impulse of the "
          "last step divided by its length.",
          TP_MAKES(sensor, begin_sensor, add_sensor));

LOADS(tp_load_named_sensor, tp_model_add_sensor(loader->model, node->key, tp_load_function(node), NULL))
