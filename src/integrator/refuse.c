/* What a model has that an integrator may not be able to treat, and the messages that say so. */
#include "integrator.h"

#include <stdio.h>

/* The first thing of a model that has a feature. */
typedef struct finding {
    bool is_found;
    const char *kind, *name; /* "contact", "floor" */
    tp_place place;
} finding;

static const char *const feature_texts[TP_FEATURE_COUNT] = {
    [TP_FEATURE_QUATERNION] = "turns in space, with a quaternion",
    [TP_FEATURE_OWN_VELOCITIES] = "is not the rate of a coordinate",
    [TP_FEATURE_TANGENTIAL_RESTITUTION] = "has tangential restitution",
    [TP_FEATURE_FRICTION] = "has friction",
    [TP_FEATURE_VELOCITY_LAW] = "is a law on velocities",
    [TP_FEATURE_MOVING_RESTITUTION] = "depends on time and has restitution",
};

static const char *kind_of(const tp_law *law)
{
    if (law->level == TP_LEVEL_GAP) return "contact";
    return law->set.kind == TP_SET_FREE ? "constraint" : "law";
}

/* The place of its formula, or of the whole. */
static tp_place place_of(const tp_law *law)
{
    bool has_formula = law->source == TP_SOURCE_FORMULA && law->row[0].function.place.line > 0;
    return has_formula ? law->row[0].function.place : law->place;
}

static bool is_moving(const tp_model *model, int body)
{
    return body != TP_GROUND && TP_LIST_AT(model->bodies, tp_body, body)->kind == TP_BODY_MOVING;
}

/* Does a gap depend on time? Of C functions that is not known: the caller's promise. */
static bool has_moving_gap(const tp_model *model, const tp_law *law)
{
    if (law->source == TP_SOURCE_FORMULA)
        return law->row[0].formula != NULL && tp_scalar_depends_on_kind(&law->row[0], TP_SLOT_IS_TIME);
    if (law->source == TP_SOURCE_PAIR) {
        const tp_pair *pair = TP_LIST_AT(model->pairs, tp_pair, law->element);
        return is_moving(model, TP_LIST_AT(model->shapes, tp_model_shape, pair->shape_a)->body) ||
               is_moving(model, TP_LIST_AT(model->shapes, tp_model_shape, pair->shape_b)->body);
    }
    return law->source == TP_SOURCE_COMBINATION &&
           TP_LIST_AT(model->combinations, tp_combination, law->element)->has_target;
}

static bool law_has(const tp_model *model, const tp_law *law, tp_feature feature)
{
    bool is_contact = law->level == TP_LEVEL_GAP;
    switch (feature) {
    case TP_FEATURE_TANGENTIAL_RESTITUTION:
        return is_contact && law->row_count > 1 && law->restitution[1] > 0.0;
    case TP_FEATURE_FRICTION: return is_contact && law->row_count > 1;
    case TP_FEATURE_VELOCITY_LAW: return law->level == TP_LEVEL_VELOCITY;
    case TP_FEATURE_MOVING_RESTITUTION:
        return is_contact && law->restitution[0] > 0.0 && has_moving_gap(model, law);
    default: return false;
    }
}

static finding find_body(const tp_model *model)
{
    for (int b = 0; b < model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
        if (body->kind == TP_BODY_RIGID) return (finding){true, "body", body->name, body->place};
    }
    return (finding){false, NULL, NULL, {0}};
}

static finding find_feature(const tp_model *model, tp_feature feature)
{
    if (feature == TP_FEATURE_QUATERNION) return find_body(model);
    if (feature == TP_FEATURE_OWN_VELOCITIES && tp_model_has_own_velocities(model))
        return (finding){true, "velocity", tp_model_velocity_name(model, 0),
                         TP_LIST_AT(model->coordinates, tp_variable, 0)->rate.function.place};
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        if (law_has(model, law, feature)) return (finding){true, kind_of(law), law->name, place_of(law)};
    }
    return (finding){false, NULL, NULL, {0}};
}

static bool treats(const tp_integrator *integrator, tp_feature feature)
{
    for (const tp_refusal *r = integrator->refusals; r != NULL && r->reason != NULL; r++) {
        if (r->feature == feature) return false;
    }
    return true;
}

/* "a, b, c": those of the list that treat a feature. */
static void name_others(tp_feature feature, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < tp_integrator_count(); i++) {
        const char *name = tp_integrator_info_at(i)->name;
        if (!treats(tp_integrator_by_name(name), feature) || length >= capacity) continue;
        length += (size_t)snprintf(text + length, capacity - length, "%s%s", length > 0 ? ", " : "", name);
    }
}

tp_status tp_integrator_check(const tp_integrator *integrator, const tp_model *model, tp_message *why_out)
{
    for (const tp_refusal *r = integrator->refusals; r != NULL && r->reason != NULL; r++) {
        finding found = find_feature(model, r->feature);
        if (!found.is_found) continue;
        char others[512];
        name_others(r->feature, others, sizeof others);
        return tp_fail_at(why_out, TP_UNSUPPORTED, found.place,
                          "%s '%s' %s; %s %s. Integrators that treat it: %s", found.kind, found.name,
                          feature_texts[r->feature], integrator->info.name, r->reason, others);
    }
    return integrator->refuse != NULL ? integrator->refuse(model, why_out) : TP_OK;
}
