/* What a model has that an integrator may not be able to treat, and the messages that say so. */
#include "integrators.h"
#include "solver/solvers.h"
#include "system/discrete.h"

#include <stdio.h>
#include <string.h>

/* The first thing of a model that has a feature. */
typedef struct finding {
    bool is_found;
    const char *kind, *name; /* "contact", "floor" */
    tp_place place;
} finding;

static const char *const feature_texts[TP_FEATURE_COUNT] = {
    [TP_FEATURE_SCALABLE] = "changes its size",
    [TP_FEATURE_FLAT_BODY] = "has its mass in a plane or on a line",
    [TP_FEATURE_OWN_VELOCITIES] = "is not the rate of a coordinate",
    [TP_FEATURE_TANGENTIAL_RESTITUTION] = "has tangential restitution",
    [TP_FEATURE_FRICTION] = "has friction",
    [TP_FEATURE_VELOCITY_LAW] = "is a law on velocities",
    [TP_FEATURE_MOVING_RESTITUTION] = "depends on time and has restitution",
    [TP_FEATURE_CONTACT] = "is unilateral",
    [TP_FEATURE_PARTIAL_RESTITUTION] = "has a restitution below 1",
    [TP_FEATURE_VARIABLE_MASS] = "is not constant",
    [TP_FEATURE_MOVING_LAW] = "depends on time or an input, or has a velocity of its own",
    [TP_FEATURE_MOVING_ENERGY] = "depends on time",
    [TP_FEATURE_KINKED_CONTACT] = "is between shapes with edges that may meet each other",
    [TP_FEATURE_STATES] = "is of first order",
    [TP_FEATURE_STATIC_FRICTION] = "has a static friction of its own",
};

static bool is_flat_or_hollow(const tp_solid *solid)
{
    return solid->kind == TP_SOLID_PLANE || solid->kind == TP_SOLID_INSIDE_CYLINDER ||
           solid->kind == TP_SOLID_INSIDE_SPHERE;
}

static bool may_have_kinks(const tp_solid *a, const tp_solid *b)
{
    return !tp_solids_have_smooth_gap(a, b);
}

const tp_contact_rule *tp_model_find_kinked_rule(const tp_model *model)
{
    for (int i = 0; i < model->rules.count; i++) {
        if (tp_rule_has(model, i, may_have_kinks)) return TP_LIST_AT(model->rules, tp_contact_rule, i);
    }
    return NULL;
}

/* On planes and in hollows a shape has a second level wherever its points do not jump. */
static bool has_kinks(const tp_solid *a, const tp_solid *b)
{
    return may_have_kinks(a, b) && !is_flat_or_hollow(a) && !is_flat_or_hollow(b);
}

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

/* Does a gap depend on time? Of C functions that is not known: the caller's promise. */
static bool has_moving_gap(const tp_model *model, const tp_law *law)
{
    if (law->source == TP_SOURCE_FORMULA)
        return law->row[0].formula != NULL && tp_scalar_depends_on_kind(&law->row[0], TP_SLOT_IS_TIME);
    if (law->source == TP_SOURCE_PAIR) return tp_rule_moves(model, law->element);
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
    case TP_FEATURE_CONTACT: return is_contact;
    case TP_FEATURE_KINKED_CONTACT:
        return law->source == TP_SOURCE_PAIR && tp_rule_has(model, law->element, has_kinks);
    case TP_FEATURE_STATIC_FRICTION: return tp_law_has_static(law);
    case TP_FEATURE_PARTIAL_RESTITUTION: return is_contact && law->restitution[0] < 1.0;
    case TP_FEATURE_OWN_VELOCITIES: /* those of models, not of single laws */
    case TP_FEATURE_SCALABLE:
    case TP_FEATURE_FLAT_BODY:
    case TP_FEATURE_VARIABLE_MASS:
    case TP_FEATURE_MOVING_LAW:
    case TP_FEATURE_MOVING_ENERGY:
    case TP_FEATURE_STATES:
    case TP_FEATURE_COUNT: break;
    }
    return false;
}

static bool varies(const tp_scalar *scalar)
{
    return tp_scalar_depends_on_kind(scalar, TP_SLOT_IS_TIME) ||
           tp_scalar_depends_on_kind(scalar, TP_SLOT_IS_INPUT);
}

/* Constant part of the velocity of a row at the start, where all velocities are 0; or time or an input in a
   formula. */
static bool moves_by_itself(tp_system *system, int index, double *W)
{
    const tp_law *law = TP_LIST_AT(system->model->laws, tp_law, index);
    double chi[TP_LAW_ROWS];
    for (int k = 0; k < law->row_count && law->source == TP_SOURCE_FORMULA; k++) {
        if (varies(&law->row[k])) return true;
    }
    if (law->source == TP_SOURCE_COMBINATION) {
        const tp_combination *c = TP_LIST_AT(system->model->combinations, tp_combination, law->element);
        if (c->has_target && varies(&c->target)) return true;
    }
    tp_system_law_rows(system, index, W, chi);
    for (int k = 0; k < law->row_count; k++) {
        if (chi[k] != 0.0) return true;
    }
    return false;
}

static finding find_moving_law(const tp_model *model)
{
    tp_system *system = NULL;
    finding found = {false, NULL, NULL, {0}};
    if (tp_system_create(model->allocator, model, &system) != TP_OK) return found; /* creation will say so */
    double *W = TP_ARENA_ARRAY(&system->arena, double, TP_LAW_ROWS * system->largest_columns);
    tp_system_move(system, 0.0, model->q0, system->full); /* full is zero between calls */
    for (int i = 0; i < model->laws.count && W != NULL && !found.is_found; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        if (moves_by_itself(system, i, W)) found = (finding){true, kind_of(law), law->name, place_of(law)};
    }
    for (int i = 0; i < model->rules.count && !found.is_found; i++) {
        const tp_contact_rule *rule = TP_LIST_AT(model->rules, tp_contact_rule, i);
        if (tp_rule_moves(model, i)) found = (finding){true, "contact", rule->name, rule->place};
    }
    tp_system_free(system);
    return found;
}

static finding find_moving_energy(const tp_model *model)
{
    static const char *const kinds[TP_SCALAR_ROLES][2] = {
        [TP_SCALAR_KINETIC] = {"energy", "kinetic"}, [TP_SCALAR_POTENTIAL] = {"energy", "potential"},
        [TP_SCALAR_SPRING_GAP] = {"contact", NULL},  [TP_SCALAR_MASS] = {"entry of the", "mass matrix"},
        [TP_SCALAR_MOTION] = {"body", NULL},
    };
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) {
        const char *kind = kinds[at.role][0], *name = kinds[at.role][1];
        tp_place place = at.scalar->function.place;
        if (kind == NULL) continue;
        if (at.role == TP_SCALAR_MOTION) {
            const tp_body *body = TP_LIST_AT(model->bodies, tp_body, at.index);
            return (finding){true, kind, body->name, body->place};
        }
        if (!tp_scalar_depends_on_kind(at.scalar, TP_SLOT_IS_TIME)) continue;
        if (name == NULL) name = TP_LIST_AT(model->springs, tp_spring_contact, at.index)->name;
        return (finding){true, kind, name, place};
    }
    return (finding){false, NULL, NULL, {0}};
}

static finding find_scalable_body(const tp_model *model)
{
    for (int b = 0; b < model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
        if (body->kind == TP_BODY_SCALABLE) return (finding){true, "body", body->name, body->place};
    }
    return (finding){false, NULL, NULL, {0}};
}

static finding find_flat_body(const tp_model *model)
{
    int index = tp_model_find_flat_body(model);
    if (index == TP_GROUND) return (finding){false, NULL, NULL, {0}};
    const tp_body *body = TP_LIST_AT(model->bodies, tp_body, index);
    return (finding){true, "body", body->name, body->place};
}

static finding find_variable_mass(const tp_model *model)
{
    if (model->has_constant_mass) return (finding){false, NULL, NULL, {0}};
    tp_place place = {0};
    if (model->kinetic.count > 0) place = TP_LIST_AT(model->kinetic, tp_scalar, 0)->function.place;
    return (finding){true, "inertia", "M(q)", place};
}

static finding find_states(const tp_model *model)
{
    if (model->states.count > 0) {
        const tp_state_variable *state = TP_LIST_AT(model->states, tp_state_variable, 0);
        return (finding){true, "state", state->name, state->rate.function.place};
    }
    if (model->relations.count == 0) return (finding){false, NULL, NULL, {0}};
    const tp_relation *relation = TP_LIST_AT(model->relations, tp_relation, 0);
    return (finding){true, "relation", relation->name, relation->place};
}

static finding find_feature(const tp_model *model, tp_feature feature)
{
    if (feature == TP_FEATURE_STATES) return find_states(model);
    if (feature == TP_FEATURE_SCALABLE) return find_scalable_body(model);
    if (feature == TP_FEATURE_FLAT_BODY) return find_flat_body(model);
    if (feature == TP_FEATURE_VARIABLE_MASS) return find_variable_mass(model);
    if (feature == TP_FEATURE_MOVING_LAW) return find_moving_law(model);
    if (feature == TP_FEATURE_MOVING_ENERGY) return find_moving_energy(model);
    if (feature == TP_FEATURE_OWN_VELOCITIES && tp_model_has_own_velocities(model))
        return (finding){true, "velocity", tp_model_velocity_name(model, 0),
                         TP_LIST_AT(model->coordinates, tp_variable, 0)->rate->function.place};
    for (int i = 0; i < tp_model_stated_count(model); i++) {
        const tp_law *law = tp_model_stated_law(model, i);
        if (law != NULL && law_has(model, law, feature))
            return (finding){true, kind_of(law), law->name, place_of(law)};
    }
    return (finding){false, NULL, NULL, {0}};
}

const char *tp_integrator_refusal(const tp_integrator *integrator, tp_feature feature)
{
    if (feature == TP_FEATURE_STATES && !integrator->takes_states)
        return "steps positions and velocities alone";
    if (feature == TP_FEATURE_STATIC_FRICTION && !integrator->takes_static && !integrator->refuses[feature])
        return "does not know which laws stick at the end of a step";
    return integrator->refuses[feature];
}

static bool treats(const tp_integrator *integrator, const tp_model *model)
{
    for (int f = 0; f < TP_FEATURE_COUNT; f++) {
        if (tp_integrator_refusal(integrator, (tp_feature)f) != NULL &&
            find_feature(model, (tp_feature)f).is_found)
            return false;
    }
    return integrator->refuse == NULL || integrator->refuse(model, NULL) == TP_OK;
}

/* "a, b, c": those of the list that take a model. */
static void name_others(const tp_model *model, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < tp_integrator_count(); i++) {
        const char *name = tp_integrator_info_at(i)->name;
        const tp_integrator *other = tp_integrator_by_name(name);
        if (other->may_refuse_late || !treats(other, model) || length >= capacity) continue;
        length += (size_t)snprintf(text + length, capacity - length, "%s%s", length > 0 ? ", " : "", name);
    }
}

void tp_integrator_name_others(const tp_model *model, tp_message *why_io)
{
    char others[512];
    size_t length = strlen(why_io->text);
    name_others(model, others, sizeof others);
    snprintf(why_io->text + length, sizeof why_io->text - length, ". Integrators that treat it: %s", others);
}

tp_status tp_integrator_check(const tp_integrator *integrator, const tp_model *model, tp_message *why_out)
{
    for (int f = 0; f < TP_FEATURE_COUNT; f++) {
        if (tp_integrator_refusal(integrator, (tp_feature)f) == NULL) continue;
        finding found = find_feature(model, (tp_feature)f);
        if (!found.is_found) continue;
        char others[512];
        name_others(model, others, sizeof others);
        return tp_fail_at(why_out, TP_UNSUPPORTED, found.place,
                          "%s '%s' %s; %s %s. Integrators that treat it: %s", found.kind, found.name,
                          feature_texts[f], integrator->info.name,
                          tp_integrator_refusal(integrator, (tp_feature)f), others);
    }
    tp_status status = integrator->refuse != NULL ? integrator->refuse(model, why_out) : TP_OK;
    if (status == TP_UNSUPPORTED && why_out != NULL) tp_integrator_name_others(model, why_out);
    return status;
}

/* The first law that a solver does not take: of another kind, or beyond the number that it takes. */
static const tp_law *law_beyond(const tp_solver *solver, const tp_model *model)
{
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        if (i >= solver->most_laws || !(solver->accepts & TP_ACCEPT(law->set.kind))) return law;
    }
    return NULL;
}

tp_status tp_integrator_check_solver(const char *name, const tp_model *model, tp_message *why_out)
{
    const tp_solver *solver = name != NULL ? tp_solver_by_name(name) : NULL;
    if (solver == NULL || solver->most_laws == 0) return TP_OK;
    const tp_law *law = law_beyond(solver, model);
    int others = model->springs.count + model->relations.count;
    if (law == NULL && others == 0) return TP_OK;
    return tp_fail_at(why_out, TP_UNSUPPORTED, law != NULL ? law->place : (tp_place){0},
                      "solver %s takes at most %d contact%s and no other law; the scene has %s%s%s. Solvers "
                      "that treat it: auto, and enumeration where the laws are few",
                      name, solver->most_laws, solver->most_laws == 1 ? "" : "s", law != NULL ? "'" : "",
                      law != NULL ? law->name : "relations or compliant contacts", law != NULL ? "'" : "");
}
