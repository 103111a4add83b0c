/* Joints of a model and what acts on their coordinates: limits, motors, couplers, dry friction. */
#include "lists.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int tp_model_find_joint(const tp_model *model, const char *name)
{
    return tp_name_index_find(&model->joint_names, name);
}

static tp_status check_bodies(tp_model *model, const tp_joint_def *def, int a, int b)
{
    if (a == b)
        return tp_model_refuse(model, def->place, "joint '%s' connects '%s' with itself", def->name,
                               tp_model_body_name(model, a));
    bool has_mass = (a != TP_GROUND && TP_LIST_AT(model->bodies, tp_body, a)->u_count > 0) ||
                    (b != TP_GROUND && TP_LIST_AT(model->bodies, tp_body, b)->u_count > 0);
    if (!has_mass)
        return tp_model_refuse(model, def->place, "joint '%s': neither of its bodies can move freely",
                               def->name);
    return TP_OK;
}

/* Points from the user's origin to the centre of mass. */
static tp_joint_def relative_to_center(const tp_model *model, const tp_joint_def *def, int a, int b)
{
    tp_joint_def shifted = *def;
    if (def->is_in_world) return shifted;
    shifted.A.point = tp_vec3_sub(def->A.point, tp_model_center_of(model, a));
    shifted.B.point = tp_vec3_sub(def->B.point, tp_model_center_of(model, b));
    return shifted;
}

tp_status tp_model_add_joint(tp_model *model, const char *body_a, const char *body_b, const tp_joint_def *def,
                             tp_joint_id *id_out, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_law_name(model, def->name, def->place));
    tp_model_joint item = {.law = model->laws.count, .angle = {-1, -1, -1}, .motor = {-1, -1, -1}};
    TP_TRY(tp_model_body_by_name(model, body_a, def->place, &item.body_a));
    TP_TRY(tp_model_body_by_name(model, body_b, def->place, &item.body_b));
    TP_TRY(check_bodies(model, def, item.body_a, item.body_b));
    tp_joint_def shifted = relative_to_center(model, def, item.body_a, item.body_b);
    /* in the plane as soon as one of them cannot leave it */
    shifted.is_planar =
        tp_model_is_planar_body(model, item.body_a) || tp_model_is_planar_body(model, item.body_b);
    tp_frame A = tp_model_frame_at_start(model, item.body_a), B = tp_model_frame_at_start(model, item.body_b);
    TP_TRY(tp_model_compile_curve(model, &shifted));
    TP_TRY(tp_joint_build(&shifted, &A, &B, &model->arena, &item.joint, model->message));
    TP_TRY(tp_joint_place(&shifted, &A, &B, &item.on_A, &item.on_B, model->message));
    item.name = tp_model_copy_text(model, def->name);
    for (int k = 0; k < item.joint.coordinate_count; k++) {
        if (item.joint.coordinate_is_angle[k]) item.angle[k] = model->angle_count++;
    }
    TP_TRY(TP_LIST_KEEP(model, joints, item));
    tp_law *law = tp_model_new_law(model, def->name, def->place);
    if (item.name == NULL || law == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_name_index_add(&model->arena, &model->joint_names, item.name, model->joints.count - 1));
    law->level = TP_LEVEL_POSITION;
    law->source = TP_SOURCE_JOINT;
    law->element = model->joints.count - 1;
    law->row_count = item.joint.row_count;
    law->angle_rows = item.joint.angle_rows;
    law->set = tp_set_free(law->row_count);
    model->constraint_count += law->row_count;
    if (id_out != NULL) *id_out = (tp_joint_id){model, model->joints.count - 1};
    return TP_OK;
}

tp_status tp_model_find_joint_coordinate(tp_model *model, const tp_joint_coordinate *on, const char *name,
                                         tp_place place, int *joint_out, int *coordinate_out)
{
    int j = on->joint != NULL ? tp_model_find_joint(model, on->joint) : -1, k = 0;
    if (j < 0)
        return tp_model_refuse(model, place, "'%s' acts on the joint '%s', but there is none", name,
                               on->joint != NULL ? on->joint : "");
    const tp_joint *joint = &TP_LIST_AT(model->joints, tp_model_joint, j)->joint;
    if (on->coordinate == NULL && joint->coordinate_count != 1) {
        return tp_model_refuse(model, place, "'%s': the joint '%s' has %d coordinates; say which one", name,
                               on->joint, joint->coordinate_count);
    }
    while (on->coordinate != NULL && k < joint->coordinate_count &&
           strcmp(joint->coordinate_name[k], on->coordinate) != 0)
        k++;
    if (k >= joint->coordinate_count)
        return tp_model_refuse(model, place, "'%s': the joint '%s' has no coordinate '%s'", name, on->joint,
                               on->coordinate);
    *joint_out = j;
    *coordinate_out = k;
    return TP_OK;
}

/* Adds a term to a combination. */
static tp_status add_term(tp_model *model, const tp_joint_coordinate *on, double factor, const char *name,
                          tp_place place, tp_combination *out)
{
    int i = out->term_count;
    TP_TRY(tp_model_find_joint_coordinate(model, on, name, place, &out->joint[i], &out->coordinate[i]));
    out->factor[i] = factor;
    out->term_count++;
    return TP_OK;
}

/* A combination has the unit of a coordinate with the factor 1 or -1 (a rack holds x - r phi), or of its
   first one. */
static bool is_angle(const tp_model *model, const tp_combination *combination)
{
    int i = 0;
    while (i < combination->term_count && fabs(combination->factor[i]) != 1.0) i++;
    if (i == combination->term_count) i = 0;
    const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, combination->joint[i]);
    return joint->joint.coordinate_is_angle[combination->coordinate[i]];
}

/* A law of one row on a combination. */
static tp_status add_law(tp_model *model, const char *name, tp_place place, const tp_combination *combination,
                         tp_level level, tp_set set, tp_law **law_out)
{
    TP_TRY(TP_LIST_KEEP(model, combinations, *combination));
    tp_law *law = tp_model_new_law(model, name, place);
    if (law == NULL) return TP_OUT_OF_MEMORY;
    law->source = TP_SOURCE_COMBINATION;
    law->element = model->combinations.count - 1;
    law->level = level;
    law->row_count = 1;
    law->set = set;
    law->angle_rows = is_angle(model, combination) ? 1u : 0u;
    if (law_out != NULL) *law_out = law;
    return TP_OK;
}

/* ---- limits ---- */

TP_DEFAULT(tp_limit_def, tp_limit_def_default, .name = "limit", .lower = -INFINITY, .upper = INFINITY)

static tp_status add_bound(tp_model *model, const tp_limit_def *def, const char *suffix, double sign,
                           double bound)
{
    char name[256];
    if (isinf(bound)) return TP_OK;
    snprintf(name, sizeof name, "%.200s%s", def->name, suffix);
    TP_TRY(tp_model_check_law_name(model, name, def->place));
    tp_combination gap = {.constant = sign * bound};
    tp_law *law;
    TP_TRY(add_term(model, &def->on, sign, name, def->place, &gap));
    TP_TRY(add_law(model, name, def->place, &gap, TP_LEVEL_GAP, tp_set_orthant(1), &law));
    law->restitution[0] = def->restitution;
    model->contact_count++;
    return TP_OK;
}

tp_status tp_model_add_limit(tp_model *model, const tp_limit_def *def, tp_law_id *id_out, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_restitution(model, def->name, "restitution", def->restitution, def->place));
    if (!(def->lower < def->upper) || (isinf(def->lower) && isinf(def->upper))) {
        return tp_model_refuse(model, def->place,
                               "limit '%s': give a lower bound, an upper bound, or both with lower < upper",
                               def->name);
    }
    if (id_out != NULL) *id_out = (tp_law_id){model, model->laws.count};
    bool has_both = !isinf(def->lower) && !isinf(def->upper);
    TP_TRY(add_bound(model, def, has_both ? ".lower" : "", 1.0, def->lower));
    return add_bound(model, def, has_both ? ".upper" : "", -1.0, def->upper);
}

/* ---- motors ---- */

TP_DEFAULT(tp_motor_def, tp_motor_def_default, .name = "motor", .max_force = INFINITY)

/* A speed may be an input, a position may not. */
static tp_status compile_target(tp_model *model, const tp_function *function, bool is_speed, const char *name,
                                tp_combination *out)
{
    char what[300];
    snprintf(what, sizeof what, "the target of '%.200s'", name);
    TP_TRY(tp_model_compile(model, function, what, &out->target));
    if (!is_speed) TP_TRY(tp_model_check_no_inputs(model, &out->target, what, TP_INPUT_HAS_NO_RATE));
    for (int k = 0; k < out->target.slot_count; k++) {
        tp_slot_kind kind = tp_slot_kind_of(out->target.slots[k]);
        if (kind == TP_SLOT_IS_TIME || kind == TP_SLOT_IS_INPUT) continue;
        return tp_model_refuse(model, function->place, "%s must be a function of time t and inputs alone",
                               what);
    }
    out->has_target = true;
    return TP_OK;
}

tp_status tp_model_add_motor(tp_model *model, const tp_motor_def *def, tp_law_id *id_out, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_law_name(model, def->name, def->place));
    bool is_position = tp_function_is_given(&def->position), is_speed = tp_function_is_given(&def->speed);
    if (is_position == is_speed)
        return tp_model_refuse(model, def->place, "motor '%s' needs either a position or a speed", def->name);
    if (!(def->max_force > 0.0) || (is_position && !isinf(def->max_force))) {
        return tp_model_refuse(model, def->place,
                               is_position
                                   ? "motor '%s': a prescribed position has no largest force; give a speed"
                                   : "motor '%s': the largest force must be > 0",
                               def->name);
    }
    tp_combination row = {0};
    TP_TRY(add_term(model, &def->on, 1.0, def->name, def->place, &row));
    TP_TRY(compile_target(model, is_position ? &def->position : &def->speed, is_speed, def->name, &row));
    bool is_limited = !isinf(def->max_force);
    tp_law *law;
    TP_TRY(add_law(model, def->name, def->place, &row, is_position ? TP_LEVEL_POSITION : TP_LEVEL_VELOCITY,
                   is_limited ? tp_set_interval(-def->max_force, def->max_force) : tp_set_free(1), &law));
    law->is_force_bound = is_limited;
    model->constraint_count += !is_limited;
    TP_LIST_AT(model->joints, tp_model_joint, row.joint[0])->motor[row.coordinate[0]] = model->laws.count - 1;
    if (id_out != NULL) *id_out = (tp_law_id){model, model->laws.count - 1};
    return TP_OK;
}

/* ---- couplers ---- */

TP_DEFAULT(tp_coupler_def, tp_coupler_def_default, .name = "coupler")

tp_status tp_model_add_coupler(tp_model *model, const tp_coupler_def *def, tp_law_id *id_out,
                               tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_law_name(model, def->name, def->place));
    if (def->term_count < 2 || def->term_count > TP_COUPLER_TERMS)
        return tp_model_refuse(model, def->place, "coupler '%s' has %d coordinates; it takes 2 to %d",
                               def->name, def->term_count, TP_COUPLER_TERMS);
    tp_combination row = {0};
    for (int k = 0; k < def->term_count; k++) {
        if (!isfinite(def->factor[k]) || def->factor[k] == 0.0)
            return tp_model_refuse(model, def->place,
                                   "coupler '%s': factor %d is %g; it must be a number other than 0",
                                   def->name, k + 1, def->factor[k]);
        TP_TRY(add_term(model, &def->on[k], def->factor[k], def->name, def->place, &row));
        const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, row.joint[k]);
        tp_frame A = tp_model_frame_at_start(model, joint->body_a),
                 B = tp_model_frame_at_start(model, joint->body_b);
        row.constant +=
            row.factor[k] * tp_basic_row_value(&joint->joint.coordinate[row.coordinate[k]], &A, &B);
    }
    TP_TRY(add_law(model, def->name, def->place, &row, TP_LEVEL_POSITION, tp_set_free(1), NULL));
    model->constraint_count++;
    if (id_out != NULL) *id_out = (tp_law_id){model, model->laws.count - 1};
    return TP_OK;
}

/* ---- dry friction ---- */

TP_DEFAULT(tp_joint_friction_def, tp_joint_friction_def_default, .name = "joint friction")

static tp_status check_friction(tp_model *model, const tp_joint_friction_def *def, const tp_joint *joint)
{
    bool is_constant = def->bound > 0.0, slides = joint->kind == TP_JOINT_PRISMATIC;
    if (joint->friction_count == 0)
        return tp_model_refuse(
            model, def->place,
            "'%s': a %s joint has no dry friction; revolute, cylindrical, prismatic and spherical have",
            def->name, tp_joint_kind_info(joint->kind)->name);
    if (!(def->bound >= 0.0) || isinf(def->bound) || !(def->coefficient >= 0.0) || isinf(def->coefficient))
        return tp_model_refuse(model, def->place, "'%s': coefficient and bound must be numbers >= 0",
                               def->name);
    if (!is_constant && !(def->coefficient > 0.0))
        return tp_model_refuse(model, def->place, "'%s': give a coefficient, or a constant bound", def->name);
    if (!is_constant && !slides && (!(def->radius > 0.0) || isinf(def->radius)))
        return tp_model_refuse(model, def->place, "'%s': a bearing needs its radius [m] > 0", def->name);
    return TP_OK;
}

tp_status tp_model_add_joint_friction(tp_model *model, const tp_joint_friction_def *def, tp_law_id *id_out,
                                      tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_law_name(model, def->name, def->place));
    int j = def->joint != NULL ? tp_model_find_joint(model, def->joint) : -1;
    if (j < 0)
        return tp_model_refuse(model, def->place, "'%s': there is no joint '%s'", def->name,
                               def->joint != NULL ? def->joint : "");
    const tp_model_joint *item = TP_LIST_AT(model->joints, tp_model_joint, j);
    TP_TRY(check_friction(model, def, &item->joint));
    bool is_ball = item->joint.coordinate_count == 0, slides = item->joint.kind == TP_JOINT_PRISMATIC;
    double size = def->bound > 0.0 ? def->bound : def->coefficient * (slides ? 1.0 : def->radius);
    bool is_constant = def->bound > 0.0;
    double static_ratio;
    TP_TRY(tp_model_find_static(model, def->name, is_constant ? def->bound : def->coefficient,
                                is_constant ? def->static_bound : def->static_coefficient, def->place,
                                &static_ratio));
    tp_law *law;
    if (is_ball) {
        law = tp_model_new_law(model, def->name, def->place);
        if (law == NULL) return TP_OUT_OF_MEMORY;
        law->source = TP_SOURCE_SPIN;
        law->element = j;
        law->level = TP_LEVEL_VELOCITY;
        law->row_count = 3;
        law->angle_rows = 7u;
        law->set = tp_set_ball(3, size);
    } else {
        tp_combination row = {0};
        tp_joint_coordinate on = {item->name, item->joint.coordinate_name[0]};
        TP_TRY(add_term(model, &on, 1.0, def->name, def->place, &row));
        TP_TRY(add_law(model, def->name, def->place, &row, TP_LEVEL_VELOCITY, tp_set_ball(1, size), &law));
    }
    law->is_force_bound = is_constant;
    law->static_ratio = static_ratio;
    if (id_out != NULL) *id_out = (tp_law_id){model, model->laws.count - 1};
    if (law->is_force_bound) return TP_OK;
    law->master_law = item->law;
    law->master_first = item->joint.friction_first;
    law->master_count = item->joint.friction_count;
    return TP_OK;
}
