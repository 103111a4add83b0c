/* Sensors of a scene: further columns of the output. */
#include <string.h>

#include "io/common/near.h"
#include "io/scene/loader.h"

/* The words of `quantity`, in the order of the table. */
enum { COORDINATE, RATE, REACTION, MOMENT, FORCE, GAP, SLIP };

static tp_status refuse_keys(tp_loader *loader, const tp_node *item, const char *const *names,
                             const char *with)
{
    for (; *names; names++) {
        const tp_node *node = tp_map_get(item, *names);
        if (node) return tp_node_fail(node, loader->why, "has no effect %s; remove it", with);
    }
    return TP_OK;
}

static tp_status wrong_quantity(tp_loader *loader, const tp_node *item, const char *of, const char *words)
{
    const tp_node *node = tp_map_get(item, "quantity");
    return tp_node_fail(node ? node : item, loader->why, "a sensor of a %s needs quantity: with one of %s",
                        of, words);
}

/* ---- joints -------------------------------------------------------------------------------------------- */

/* The coordinate of a joint by name; the model knows how many there are. */
static tp_status load_coordinate(tp_loader *loader, const tp_node *item, int joint,
                                 tp_joint_coordinate *on_out)
{
    on_out->joint = tp_model_joint_name(loader->model, joint);
    return tp_load_coordinate(loader, item, on_out->joint,
                              tp_joint_kind_info(tp_model_joint_kind(loader->model, joint)),
                              &on_out->coordinate);
}

static tp_status load_joint_sensor(tp_loader *loader, const tp_node *item)
{
    static const char *const for_forces[] = {"component", "frame", NULL}, *const for_motion[] = {"coordinate",
                                                                                                 NULL};
    static const tp_joint_quantity quantities[] = {TP_JOINT_SENSES_COORDINATE, TP_JOINT_SENSES_RATE,
                                                   TP_JOINT_SENSES_REACTION, TP_JOINT_SENSES_MOMENT};
    int word = tp_keys_choice(item, &tp_sensor_keys, "quantity"), joint,
        along = tp_keys_choice(item, &tp_sensor_keys, "component");
    tp_joint_sensor_def def = tp_joint_sensor_def_default();
    if (word < COORDINATE || word > MOMENT)
        return wrong_quantity(loader, item, "joint", "coordinate, rate, reaction, moment");
    TP_TRY(tp_load_joint_name(loader, tp_map_get(item, "joint"), &joint));
    def.name = tp_map_get(item, "name")->text;
    def.unit = tp_keys_text(item, &tp_sensor_keys, "unit");
    def.place = item->place;
    def.quantity = quantities[word];
    def.on.joint = tp_model_joint_name(loader->model, joint);
    if (along >= 0) def.component = (tp_along)along; /* in the order of the words */
    def.is_in_joint = strcmp(tp_keys_text(item, &tp_sensor_keys, "frame"), "joint") == 0;
    bool is_motion = word == COORDINATE || word == RATE;
    TP_TRY(refuse_keys(loader, item, is_motion ? for_forces : for_motion,
                       is_motion ? "on a coordinate" : "on a reaction"));
    if (is_motion) TP_TRY(load_coordinate(loader, item, joint, &def.on));
    return tp_load_told(loader, tp_model_add_joint_sensor(loader->model, &def, NULL, &loader->told));
}

/* ---- contacts ------------------------------------------------------------------------------------------ */

static tp_status check_contact(tp_loader *loader, const tp_node *node)
{
    const tp_node *list = tp_map_get(loader->root, "contacts");
    tp_near near = tp_near_begin(node->text);
    for (const tp_node *item = list ? list->first : NULL; item; item = item->next) {
        const char *name = tp_map_get(item, "name")->text;
        size_t length = strlen(name);
        bool is_part = strncmp(node->text, name, length) == 0 &&
                       (node->text[length] == '.' || node->text[length] == '['); /* one of its pairs */
        if (is_part || strcmp(name, node->text) == 0) return TP_OK;
        tp_near_offer(&near, name);
    }
    return tp_node_fail(node, loader->why, "there is no contact '%s'%s", tp_excerpt_of(node->text).text,
                        near.best ? tp_near_hint_of(&near).text : "; name one of `contacts`");
}

static tp_status load_contact_sensor(tp_loader *loader, const tp_node *item)
{
    static const char *const of_joints[] = {"coordinate", "frame", NULL}, *const of_forces[] = {"component",
                                                                                                NULL};
    static const tp_contact_quantity quantities[] = {TP_CONTACT_SENSES_FORCE, TP_CONTACT_SENSES_GAP,
                                                     TP_CONTACT_SENSES_SLIP};
    const tp_node *contact = tp_map_get(item, "contact");
    int word = tp_keys_choice(item, &tp_sensor_keys, "quantity"),
        along = tp_keys_choice(item, &tp_sensor_keys, "component");
    tp_contact_sensor_def def = tp_contact_sensor_def_default();
    if (word < FORCE) return wrong_quantity(loader, item, "contact", "force, gap, slip");
    TP_TRY(refuse_keys(loader, item, of_joints, "on a contact"));
    if (word == GAP) TP_TRY(refuse_keys(loader, item, of_forces, "on a gap"));
    TP_TRY(check_contact(loader, contact));
    def.name = tp_map_get(item, "name")->text;
    def.unit = tp_keys_text(item, &tp_sensor_keys, "unit");
    def.contact = contact->text;
    def.place = item->place;
    def.quantity = quantities[word - FORCE];
    def.component = word == SLIP ? TP_ALONG_ALL : TP_ALONG_NORMAL;
    if (along >= 0) def.component = (tp_along)along;
    return tp_load_told(loader, tp_model_add_contact_sensor(loader->model, &def, NULL, &loader->told));
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static tp_status load_formula_sensor(tp_loader *loader, const tp_node *item)
{
    static const char *const others[] = {"quantity", "coordinate", "component", "frame", NULL};
    TP_TRY(refuse_keys(loader, item, others, "with a value"));
    return tp_load_told(loader, tp_model_add_sensor(loader->model, tp_map_get(item, "name")->text,
                                                    tp_load_function(tp_map_get(item, "value")),
                                                    tp_keys_text(item, &tp_sensor_keys, "unit"), NULL,
                                                    &loader->told));
}

static tp_status load_sensor(tp_loader *loader, const tp_node *item)
{
    bool has_value = tp_map_get(item, "value"), has_joint = tp_map_get(item, "joint"),
         has_contact = tp_map_get(item, "contact");
    if (has_value + has_joint + has_contact != 1) {
        return tp_node_fail(item, loader->why,
                            "a sensor needs one of value: (a formula), joint: and contact:");
    }
    if (has_value) return load_formula_sensor(loader, item);
    return has_joint ? load_joint_sensor(loader, item) : load_contact_sensor(loader, item);
}

tp_status tp_load_sensors(tp_loader *loader)
{
    const tp_node *section = tp_map_get(loader->root, "sensors");
    for (const tp_node *entry = section ? section->first : NULL; entry; entry = entry->next) {
        if (section->kind == TP_NODE_LIST) {
            TP_TRY(load_sensor(loader, entry));
            continue;
        }
        TP_TRY(tp_load_told(loader, tp_model_add_sensor(loader->model, entry->key, tp_load_function(entry),
                                                        NULL, NULL, &loader->told)));
    }
    return TP_OK;
}
