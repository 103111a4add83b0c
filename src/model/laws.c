/* Constraints, contacts and laws on velocities: rows plus a set. */
#include "lists.h"

#include <math.h>
#include <stdio.h>

TP_DEFAULT(tp_constraint_def, tp_constraint_def_default, .name = "constraint")

TP_DEFAULT(tp_contact_def, tp_contact_def_default, .name = "contact", .friction_kind = TP_FRICTION_BALL)

TP_DEFAULT(tp_law_def, tp_law_def_default, .name = "law", .kind = TP_LAW_ONE_WAY, .velocity_count = 1,
           .friction_kind = TP_FRICTION_BALL)

/* Names of laws are unique: results are found by them. */
tp_status tp_model_check_law_name(tp_model *model, const char *name, tp_place place)
{
    return tp_model_check_name(model, &model->law_names, "law", name, place);
}

tp_status tp_model_check_name(tp_model *model, const tp_name_index *names, const char *what, const char *name,
                              tp_place place)
{
    if (name == NULL || name[0] == '\0') return tp_model_refuse(model, place, "a %s has no name", what);
    if (tp_name_index_find(names, name) == -1) return TP_OK;
    return tp_model_refuse(model, place, "there are two %ss named '%s'", what, name);
}

tp_status tp_model_check_restitution(tp_model *model, const char *name, const char *which, double e,
                                     tp_place place)
{
    if (e >= 0.0 && e <= 1.0) return TP_OK;
    return tp_model_refuse(model, place, "'%s': the %s is %g; it must lie between 0 and 1", name, which, e);
}

tp_law *tp_model_new_law(tp_model *model, const char *name, tp_place place)
{
    tp_law *law = tp_list_add(&model->arena, &model->laws, sizeof *law);
    if (law == NULL) return NULL;
    law->name = tp_model_copy_text(model, name);
    law->place = tp_model_copy_place(model, place);
    for (int k = 0; k < TP_LAW_ROWS; k++) law->row_factor[k] = 1.0;
    bool is_known =
        tp_name_index_add(&model->arena, &model->law_names, law->name, model->laws.count - 1) == TP_OK;
    return is_known ? law : NULL;
}

tp_status tp_model_compile_position(tp_model *model, const tp_function *function, const char *name,
                                    const char *what, tp_scalar *out)
{
    char text[300];
    snprintf(text, sizeof text, "the %s of '%.200s'", what, name);
    TP_TRY(tp_model_compile(model, function, text, out));
    TP_TRY(tp_model_check_no_inputs(model, out, text, TP_INPUT_HAS_NO_RATE));
    return tp_model_check_no_velocities(model, out, text);
}

static tp_status compile_velocity(tp_model *model, const tp_function *function, const char *name,
                                  const char *what, tp_scalar *out)
{
    char text[300];
    snprintf(text, sizeof text, "the %s of '%.200s'", what, name);
    return tp_model_compile(model, function, text, out);
}

tp_status tp_model_add_constraint(tp_model *model, const tp_constraint_def *def, tp_law_id *id_out,
                                  tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_law_name(model, def->name, def->place));
    bool has_position = tp_function_is_given(&def->position),
         has_velocity = tp_function_is_given(&def->velocity);
    if (has_position == has_velocity) {
        return tp_model_refuse(model, def->place,
                               "constraint '%s' needs either a position or a velocity formula", def->name);
    }
    tp_scalar row;
    if (has_position) {
        TP_TRY(tp_model_compile_position(model, &def->position, def->name, "position", &row));
    } else {
        TP_TRY(compile_velocity(model, &def->velocity, def->name, "velocity", &row));
    }
    bool is_angle;
    TP_TRY(tp_model_row_is_angle(model, &row, def->measure, &is_angle));
    tp_law *law = tp_model_new_law(model, def->name, def->place);
    if (law == NULL) return TP_OUT_OF_MEMORY;
    law->level = has_position ? TP_LEVEL_POSITION : TP_LEVEL_VELOCITY;
    law->row_count = 1;
    law->angle_rows = is_angle ? 1u : 0u;
    law->row[0] = row;
    law->set = tp_set_free(1);
    model->constraint_count++;
    if (id_out != NULL) *id_out = (tp_law_id){model, model->laws.count - 1};
    return TP_OK;
}

tp_status tp_model_find_static(tp_model *model, const char *name, double kinetic, double sticking,
                               tp_place place, double *ratio_out)
{
    *ratio_out = 0.0;
    if (sticking == 0.0) return TP_OK;
    if (!isfinite(sticking) || !(kinetic > 0.0) || !(sticking >= kinetic))
        return tp_model_refuse(
            model, place,
            "'%s': static friction is %g, that of sliding %g; the first must be at least the "
            "second, and both above 0",
            name, sticking, kinetic);
    *ratio_out = sticking / kinetic;
    return TP_OK;
}

double tp_model_static_ratio(const tp_model *model, int law)
{
    bool is_there = TP_MODEL_HAS(model, laws, law);
    return is_there ? fmax(TP_LIST_AT(model->laws, tp_law, law)->static_ratio, 1.0) : 1.0;
}

tp_status tp_model_check_set(tp_model *model, const tp_set *set, const char *what, const char *name,
                             tp_place place)
{
    tp_message why;
    if (tp_set_check(set, &why) == TP_OK) return TP_OK;
    return tp_model_refuse(model, place, "%s '%s': %.800s", what, name, why.text);
}

/* The friction set of a contact for unit normal impulse, drilling row scaled by Rbar. */
static tp_status contact_set(tp_model *model, const tp_contact_def *def, tp_set *set_out)
{
    int n = def->slip_count;
    double mu = def->friction[0], parameter[3] = {mu, mu, mu};
    if (n == 0) {
        *set_out = tp_set_orthant(1);
        return TP_OK;
    }
    if (def->friction_kind == TP_FRICTION_ELLIPSOID || def->friction_kind == TP_FRICTION_BRICK) {
        parameter[1] = def->friction[1];
        parameter[2] = fmax(def->friction[0], def->friction[1]);
    }
    if (n == 3 && !(def->drilling_radius > 0.0)) {
        return tp_model_refuse(model, def->place,
                               "contact '%s' has a drilling velocity; it needs a drilling radius > 0",
                               def->name);
    }
    *set_out = tp_set_contact(def->friction_kind, n + 1, parameter);
    return tp_model_check_set(model, set_out, "contact", def->name, def->place);
}

static tp_status add_compliant_contact(tp_model *model, const tp_contact_def *def)
{
    if (def->slip_count > 0) {
        return tp_model_refuse(model, def->place,
                               "contact '%s' is compliant (a force): friction needs a rigid contact",
                               def->name);
    }
    tp_scalar gap;
    TP_TRY(tp_model_compile_position(model, &def->gap, def->name, "gap", &gap));
    bool is_angle;
    TP_TRY(tp_model_row_is_angle(model, &gap, def->measure, &is_angle));
    tp_spring_contact spring = {tp_model_copy_text(model, def->name), gap, def->compliance, is_angle};
    TP_TRY(TP_LIST_KEEP(model, springs, spring));
    return tp_name_index_add(&model->arena, &model->law_names, spring.name, TP_NAME_TAKEN);
}

tp_status tp_model_add_contact(tp_model *model, const tp_contact_def *def, tp_law_id *id_out,
                               tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_law_name(model, def->name, def->place));
    TP_TRY(tp_model_check_restitution(model, def->name, "restitution", def->restitution, def->place));
    TP_TRY(tp_model_check_restitution(model, def->name, "tangential restitution", def->tangential_restitution,
                                      def->place));
    if (!(def->compliance >= 0.0) || isinf(def->compliance)) {
        return tp_model_refuse(model, def->place, "contact '%s': the compliance must be a number >= 0",
                               def->name);
    }
    if (def->slip_count < 0 || def->slip_count > 3) {
        return tp_model_refuse(model, def->place, "contact '%s' has %d slip velocities; 0 to 3 are possible",
                               def->name, def->slip_count);
    }
    for (int k = 0; k < 2 && def->slip_count > 0; k++) {
        if (!(def->friction[k] >= 0.0) || isinf(def->friction[k])) {
            return tp_model_refuse(model, def->place,
                                   "contact '%s': the friction is %g; it must be a number >= 0", def->name,
                                   def->friction[k]);
        }
    }
    if (id_out != NULL) *id_out = (tp_law_id){0}; /* a compliant contact is a force */
    if (def->compliance > 0.0) return add_compliant_contact(model, def);

    tp_set set;
    tp_scalar row[TP_LAW_ROWS];
    double static_ratio;
    TP_TRY(contact_set(model, def, &set));
    TP_TRY(tp_model_find_static(model, def->name, def->slip_count > 0 ? def->friction[0] : 0.0,
                                def->static_friction, def->place, &static_ratio));
    TP_TRY(tp_model_compile_position(model, &def->gap, def->name, "gap", &row[0]));
    for (int k = 0; k < def->slip_count; k++)
        TP_TRY(compile_velocity(model, &def->slip[k], def->name, "slip velocity", &row[k + 1]));
    bool is_angle;
    TP_TRY(tp_model_row_is_angle(model, &row[0], def->measure, &is_angle));
    tp_law *law = tp_model_new_law(model, def->name, def->place);
    if (law == NULL) return TP_OUT_OF_MEMORY;
    law->level = TP_LEVEL_GAP;
    law->row_count = 1 + def->slip_count;
    law->static_ratio = static_ratio;
    law->angle_rows =
        is_angle ? (1u << law->row_count) - 1u : 0u; /* mu has no unit: friction as the normal */
    law->set = set;
    for (int k = 0; k < law->row_count; k++) {
        law->row[k] = row[k];
        law->restitution[k] = k == 0 ? def->restitution : def->tangential_restitution;
    }
    if (def->slip_count == 3) law->row_factor[3] = def->drilling_radius;
    model->contact_count++;
    if (id_out != NULL) *id_out = (tp_law_id){model, model->laws.count - 1};
    return TP_OK;
}

static tp_status law_set(tp_model *model, const tp_law_def *def, tp_set *set_out)
{
    if (def->kind == TP_LAW_ONE_WAY) {
        *set_out = tp_set_orthant(1);
    } else if (def->kind == TP_LAW_LIMITED) {
        *set_out = tp_set_interval(def->lower, def->upper);
    } else {
        *set_out = tp_set_friction(def->friction_kind, def->velocity_count, def->bound);
    }
    return tp_model_check_set(model, set_out, "law", def->name, def->place);
}

tp_status tp_model_add_law(tp_model *model, const tp_law_def *def, tp_law_id *id_out, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_law_name(model, def->name, def->place));
    TP_TRY(tp_model_check_restitution(model, def->name, "restitution", def->restitution, def->place));
    int most = def->kind == TP_LAW_FRICTION ? 3 : 1;
    if (def->velocity_count < 1 || def->velocity_count > most) {
        return tp_model_refuse(model, def->place, "law '%s' has %d velocities; %s", def->name,
                               def->velocity_count, most == 1 ? "it must have one" : "1 to 3 are possible");
    }
    tp_set set;
    tp_scalar row[3];
    double static_ratio;
    TP_TRY(law_set(model, def, &set));
    TP_TRY(tp_model_find_static(model, def->name, def->kind == TP_LAW_FRICTION ? def->bound[0] : 0.0,
                                def->static_bound, def->place, &static_ratio));
    for (int k = 0; k < def->velocity_count; k++)
        TP_TRY(compile_velocity(model, &def->velocity[k], def->name, "velocity", &row[k]));
    unsigned angle_rows = 0;
    for (int k = 0; k < def->velocity_count; k++) {
        bool is_angle;
        TP_TRY(tp_model_row_is_angle(model, &row[k], def->measure, &is_angle));
        if (is_angle) angle_rows |= 1u << k;
    }
    tp_law *law = tp_model_new_law(model, def->name, def->place);
    if (law == NULL) return TP_OUT_OF_MEMORY;
    law->level = TP_LEVEL_VELOCITY;
    law->row_count = def->velocity_count;
    law->angle_rows = angle_rows;
    law->set = set;
    law->is_force_bound = def->kind != TP_LAW_ONE_WAY;
    law->static_ratio = static_ratio;
    for (int k = 0; k < def->velocity_count; k++) {
        law->row[k] = row[k];
        law->restitution[k] = def->restitution;
    }
    if (id_out != NULL) *id_out = (tp_law_id){model, model->laws.count - 1};
    return TP_OK;
}
