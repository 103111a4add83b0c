/* Sensors of formulas, joints and contacts: what to measure; system/sensors.c measures it. */
#include "lists.h"

#include <string.h>

tp_status tp_model_add_sensor(tp_model *model, const char *name, tp_function value, const char *unit,
                              tp_sensor_id *id_out, tp_message *why_out)
{
    tp_scalar scalar;
    TP_TRY(tp_model_open(model, name, why_out));
    if (tp_name_index_find(&model->sensor_names, name) != -1) {
        return tp_model_refuse(model, value.place, "there are two sensors named '%s'", name);
    }
    TP_TRY(tp_model_compile(model, &value, "a sensor", &scalar));
    tp_sensor *sensor = tp_list_add(&model->arena, &model->sensors, sizeof *sensor);
    if (sensor == NULL) return TP_OUT_OF_MEMORY;
    *sensor = (tp_sensor){
        .name = tp_model_copy_text(model, name), .unit = tp_model_copy_text(model, unit), .value = scalar};
    if (sensor->unit == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_name_index_add(&model->arena, &model->sensor_names, sensor->name, model->sensors.count - 1));
    if (id_out != NULL) *id_out = (tp_sensor_id){model, model->sensors.count - 1};
    return TP_OK;
}

TP_MODEL_TEXT(tp_model_sensor_name, sensors, tp_sensor, name)

TP_MODEL_TEXT(tp_model_sensor_unit, sensors, tp_sensor, unit)

TP_DEFAULT(tp_joint_sensor_def, tp_joint_sensor_def_default, .name = "sensor", .component = TP_ALONG_ALL)

TP_DEFAULT(tp_body_sensor_def, tp_body_sensor_def_default, .name = "sensor", .component = TP_ALONG_ALL)

TP_DEFAULT(tp_contact_sensor_def, tp_contact_sensor_def_default, .name = "sensor",
           .component = TP_ALONG_NORMAL)

/* Adds an empty sensor as one of a formula would be, then fills the rest in. */
static tp_status add(tp_model *model, const char *name, const char *unit, tp_place place,
                     const tp_sensor *rest, tp_sensor_id *id_out)
{
    tp_function nothing = TP_FORMULA("0");
    nothing.place = place;
    TP_TRY(tp_model_add_sensor(model, name, nothing, unit, id_out, model->message));
    tp_sensor *sensor = TP_LIST_AT(model->sensors, tp_sensor, model->sensors.count - 1), added = *sensor;
    *sensor = *rest;
    sensor->name = added.name;
    sensor->unit = added.unit;
    sensor->value = added.value;
    return TP_OK;
}

/* ---- joints ---- */

static const char *joint_unit(const tp_joint *joint, const tp_sensor *sensor)
{
    bool is_angle = joint->coordinate_is_angle[sensor->coordinate];
    switch (sensor->joint_quantity) {
    case TP_JOINT_SENSES_COORDINATE: return is_angle ? "rad" : "m";
    case TP_JOINT_SENSES_RATE: return is_angle ? "rad/s" : "m/s";
    case TP_JOINT_SENSES_ACCELERATION: return is_angle ? "rad/s^2" : "m/s^2";
    case TP_JOINT_SENSES_DRIVE: return is_angle ? "N m" : "N";
    case TP_JOINT_SENSES_REACTION:
    case TP_JOINT_SENSES_REACTION_NOW: return "N";
    case TP_JOINT_SENSES_MOMENT:
    case TP_JOINT_SENSES_MOMENT_NOW: return "N m";
    }
    return "";
}

tp_status tp_model_add_joint_sensor(tp_model *model, const tp_joint_sensor_def *def, tp_sensor_id *id_out,
                                    tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    tp_sensor sensor = {.source = TP_SENSOR_OF_JOINT,
                        .joint_quantity = def->quantity,
                        .component = def->component,
                        .is_in_joint = def->is_in_joint};
    bool is_vector = def->quantity == TP_JOINT_SENSES_REACTION || def->quantity == TP_JOINT_SENSES_MOMENT ||
                     def->quantity == TP_JOINT_SENSES_REACTION_NOW ||
                     def->quantity == TP_JOINT_SENSES_MOMENT_NOW;
    if (is_vector && def->component > TP_ALONG_Z && def->component != TP_ALONG_ALL) {
        return tp_model_refuse(model, def->place, "sensor '%s': a joint has components x, y, z and the norm",
                               def->name);
    }
    if (is_vector) {
        sensor.joint = def->on.joint != NULL ? tp_model_find_joint(model, def->on.joint) : -1;
        if (sensor.joint < 0) {
            return tp_model_refuse(model, def->place, "sensor '%s': there is no joint '%s'", def->name,
                                   def->on.joint != NULL ? def->on.joint : "");
        }
    } else {
        TP_TRY(tp_model_find_joint_coordinate(model, &def->on, def->name, def->place, &sensor.joint,
                                              &sensor.coordinate));
    }
    const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, sensor.joint);
    if (def->quantity == TP_JOINT_SENSES_DRIVE && joint->motor[sensor.coordinate] < 0)
        return tp_model_refuse(model, def->place,
                               "sensor '%s': no motor drives this coordinate of the joint '%s'", def->name,
                               joint->name);
    const char *unit = def->unit != NULL ? def->unit : joint_unit(&joint->joint, &sensor);
    return add(model, def->name, unit, def->place, &sensor, id_out);
}

/* ---- bodies ---- */

tp_status tp_model_add_body_sensor(tp_model *model, const tp_body_sensor_def *def, tp_sensor_id *id_out,
                                   tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    tp_sensor sensor = {.source = TP_SENSOR_OF_BODY,
                        .body_quantity = def->quantity,
                        .component = def->component,
                        .is_in_body = def->is_in_body};
    if (def->component > TP_ALONG_Z && def->component != TP_ALONG_ALL) {
        return tp_model_refuse(model, def->place, "sensor '%s': a body has components x, y, z and the norm",
                               def->name);
    }
    TP_TRY(tp_model_body_by_name(model, def->body, def->place, &sensor.body));
    sensor.point = tp_vec3_sub(def->point, tp_model_center_of(model, sensor.body));
    const char *unit = def->quantity == TP_BODY_SENSES_ACCELERATION ? "m/s^2" : "rad/s^2";
    return add(model, def->name, def->unit != NULL ? def->unit : unit, def->place, &sensor, id_out);
}

/* ---- contacts ---- */

/* NAME, NAME.a.b, NAME[2], NAME.a.b[2] for a contact NAME.a.b[2]. */
static bool begins_with(const char *name, const char *beginning)
{
    size_t length = strlen(beginning);
    return strncmp(name, beginning, length) == 0 && (name[length] == '\0' || name[length] == '[');
}

bool tp_sensor_means(const tp_model *model, const tp_sensor *sensor, const tp_touch *touch, int feature)
{
    char name[TP_CONTACT_NAME];
    if (touch->law->element != sensor->rule) return false;
    if (sensor->of_rule == NULL) return true;
    tp_model_contact_name(model, touch, feature, name, sizeof name);
    return begins_with(name, sensor->of_rule);
}

/* Whether two shapes of the rule have contacts of the sensor's name. */
static bool has_such(const tp_model *model, const tp_sensor *sensor)
{
    const tp_contact_rule *rule = TP_LIST_AT(model->rules, tp_contact_rule, sensor->rule);
    const tp_law *law = rule->in_space.row_count > 0 ? &rule->in_space : &rule->in_plane;
    for (int i = 0; i < model->members.count; i++) {
        const tp_rule_member *a = TP_LIST_AT(model->members, tp_rule_member, i);
        for (int j = 0; j < model->members.count && a->rule == sensor->rule; j++) {
            const tp_rule_member *b = TP_LIST_AT(model->members, tp_rule_member, j);
            if (b->rule != a->rule || a->group >= b->group) continue;
            tp_touch touch = {law, a->shape, b->shape};
            int count = tp_collide_feature_count(&TP_LIST_AT(model->shapes, tp_model_shape, a->shape)->solid,
                                                 &TP_LIST_AT(model->shapes, tp_model_shape, b->shape)->solid);
            for (int k = 0; k < count; k++) {
                if (tp_sensor_means(model, sensor, &touch, k)) return true;
            }
        }
    }
    return false;
}

/* The rule of a name, or the one whose contacts have such a name. */
static bool find_rule(tp_model *model, const char *name, tp_sensor *sensor)
{
    for (int i = 0; i < model->rules.count; i++) {
        const char *rule = TP_LIST_AT(model->rules, tp_contact_rule, i)->name;
        size_t length = strlen(rule);
        if (strncmp(rule, name, length) != 0 || strchr("[.", name[length]) == NULL) continue;
        sensor->rule = i;
        sensor->of_rule = name[length] != '\0' ? tp_model_copy_text(model, name) : NULL;
        if (name[length] == '\0' || (sensor->of_rule != NULL && has_such(model, sensor))) return true;
    }
    return false;
}

/* A contact given by its gap, or contacts between shapes. */
static tp_status find_contact(tp_model *model, const tp_contact_sensor_def *def, tp_sensor *sensor)
{
    const char *name = def->contact != NULL ? def->contact : "";
    tp_law_id law = tp_model_law_named(model, name);
    if (law.model != NULL) {
        const tp_law *of = tp_model_law(model, law.index);
        if (of->level == TP_LEVEL_GAP && of->source == TP_SOURCE_FORMULA) {
            sensor->law = law.index;
            return TP_OK;
        }
    } else if (find_rule(model, name, sensor)) {
        return TP_OK;
    }
    return tp_model_refuse(model, def->place, "sensor '%s': there is no contact '%s' that is rigid",
                           def->name, name);
}

static const tp_law *law_of(const tp_model *model, const tp_sensor *sensor)
{
    if (sensor->law >= 0) return tp_model_law(model, sensor->law);
    const tp_contact_rule *rule = TP_LIST_AT(model->rules, tp_contact_rule, sensor->rule);
    return rule->in_space.row_count > 0 ? &rule->in_space : &rule->in_plane;
}

/* A formula has no directions in space; without friction there is no slip. */
static tp_status check_component(tp_model *model, const tp_contact_sensor_def *def, const tp_sensor *sensor)
{
    const tp_law *law = law_of(model, sensor);
    bool is_slip = def->quantity == TP_CONTACT_SENSES_SLIP,
         is_tangent = def->component == TP_ALONG_TANGENT1 || def->component == TP_ALONG_TANGENT2;
    int rows = law->row_count < 3 ? law->row_count : 3; /* what follows is torques */
    const char *what = NULL;
    if (def->quantity == TP_CONTACT_SENSES_GAP) return TP_OK;
    if (law->source == TP_SOURCE_FORMULA && def->component <= TP_ALONG_Z)
        what = "a contact given by its gap has no components x, y, z; use normal, tangent1, tangent2, norm";
    if (is_slip && def->component == TP_ALONG_NORMAL) what = "slip has no normal component";
    if ((is_slip || is_tangent) && rows < 2) what = "a contact without friction has no tangents";
    if (def->component == TP_ALONG_TANGENT2 && rows < 3) what = "the contact has one tangent";
    if (what == NULL) return TP_OK;
    return tp_model_refuse(model, def->place, "sensor '%s': %s", def->name, what);
}

tp_status tp_model_add_contact_sensor(tp_model *model, const tp_contact_sensor_def *def, tp_sensor_id *id_out,
                                      tp_message *why_out)
{
    static const tp_law_quantity quantities[] = {[TP_CONTACT_SENSES_FORCE] = TP_LAW_FORCE,
                                                 [TP_CONTACT_SENSES_GAP] = TP_LAW_POSITION,
                                                 [TP_CONTACT_SENSES_SLIP] = TP_LAW_VELOCITY};
    TP_TRY(tp_model_open(model, def, why_out));
    if ((unsigned)def->quantity > TP_CONTACT_SENSES_SLIP)
        return tp_fail_at(why_out, TP_INVALID_DATA, def->place, "a sensor has no known quantity");
    tp_sensor sensor = {.source = TP_SENSOR_OF_CONTACT,
                        .law = -1,
                        .rule = -1,
                        .contact_quantity = def->quantity,
                        .component = def->component};
    TP_TRY(find_contact(model, def, &sensor));
    TP_TRY(check_component(model, def, &sensor));
    const char *unit = tp_law_unit(law_of(model, &sensor), 0, quantities[def->quantity]);
    return add(model, def->name, def->unit != NULL ? def->unit : unit, def->place, &sensor, id_out);
}
