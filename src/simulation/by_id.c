/* A simulation asked, and given wrenches, by ids. */
#include "simulation/inside.h"
#include "tippe/state.h"

#include <math.h>
#include <stddef.h>

#define LIST(name) offsetof(tp_model, name)

/* A question is sound if there is a simulation, a place for the answer, and if the id names an item of that
   list of the model; the ground comes before the bodies, wrenches come before springs. */
static tp_status check(const tp_simulation *simulation, const void *answer, const tp_model *model, int index,
                       size_t list, const char *what, tp_message *why)
{
    if (simulation == NULL || answer == NULL)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the simulation or the place of the answer is NULL");
    if (model == NULL) return tp_fail(why, TP_INVALID_ARGUMENT, "the id of a %s names nothing", what);
    if (model != simulation->model)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the id of a %s belongs to another model", what);
    int count = ((const tp_list *)(const void *)((const char *)model + list))->count, first = 0;
    if (list == LIST(bodies)) first = TP_GROUND;
    if (list == LIST(elements)) first = -model->wrenches.count;
    if (index >= first && index < count) return TP_OK;
    return tp_fail(why, TP_INVALID_ARGUMENT, "there is no %s with the number %d", what, index);
}

/* ---- bodies ---- */

static tp_vec3 mean_change(tp_vec3 before, tp_vec3 now, double step)
{
    return step > 0.0 ? tp_vec3_scale(1.0 / step, tp_vec3_sub(now, before)) : tp_vec3_make(NAN, NAN, NAN);
}

enum { BODIES_OF_TASK = 512 };

typedef struct noting {
    tp_simulation *simulation;
    double step;
} noting;

static void note_some(void *context, int begin, int end)
{
    const noting *all = context;
    tp_simulation *simulation = all->simulation;
    for (int b = begin; b < end; b++) {
        const tp_body_state *now = tp_system_body(simulation->stepper.system, b);
        tp_motion_note *note = &simulation->motion[b];
        *note = (tp_motion_note){now->v, now->w, mean_change(note->v, now->v, all->step),
                                 mean_change(note->w, now->w, all->step)};
    }
}

void tp_simulation_note_motion(tp_simulation *simulation, double step)
{
    noting all = {simulation, step};
    tp_pool_share(simulation->stepper.system->pool, simulation->model->bodies.count, BODIES_OF_TASK,
                  note_some, &all);
}

/* The unit quaternion that the state has, where it has one: its sign does not jump. */
static tp_quat orientation_of(const tp_simulation *simulation, const tp_body *body, const tp_frame *frame)
{
    const double *p = tp_simulation_q(simulation) + body->q_first + 3;
    if (body->kind == TP_BODY_RIGID || body->kind == TP_BODY_SCALABLE)
        return tp_quat_normalise(tp_quat_make(p[0], p[1], p[2], p[3]));
    return tp_quat_from_matrix(tp_frame_rotation(frame));
}

tp_status tp_simulation_body(const tp_simulation *simulation, tp_body_id id, tp_body_motion *motion_out,
                             tp_message *why_out)
{
    TP_TRY(check(simulation, motion_out, id.model, id.index, LIST(bodies), "body", why_out));
    *motion_out = (tp_body_motion){.orientation = tp_quat_identity()};
    if (id.index == TP_GROUND) return TP_OK;
    const tp_body *body = TP_LIST_AT(simulation->model->bodies, tp_body, id.index);
    const tp_body_state *state = tp_system_body(tp_simulation_system(simulation), id.index);
    const tp_motion_note *note = &simulation->motion[id.index];
    *motion_out = (tp_body_motion){
        .position = tp_vec3_sub(state->frame.r, tp_frame_direction(&state->frame, body->center)),
        .center = state->frame.r,
        .orientation = orientation_of(simulation, body, &state->frame),
        .velocity = state->v,
        .angular_velocity = state->w,
        .acceleration = note->dv,
        .angular_acceleration = note->dw};
    return TP_OK;
}

tp_status tp_simulation_apply_wrench(tp_simulation *simulation, tp_body_id id, const tp_body_wrench *wrench,
                                     tp_message *why_out)
{
    TP_TRY(check(simulation, simulation, id.model, id.index, LIST(bodies), "body", why_out));
    const tp_model *model = simulation->model;
    if (id.index == TP_GROUND || TP_LIST_AT(model->bodies, tp_body, id.index)->u_count == 0)
        return tp_fail(why_out, TP_INVALID_ARGUMENT,
                       "body '%s' does not move freely: no wrench can act on it",
                       tp_model_body_name(model, id.index));
    tp_model_wrench given = {.body = id.index};
    if (wrench != NULL) {
        if (!tp_vec3_is_finite(wrench->force) || !tp_vec3_is_finite(wrench->moment) ||
            !tp_vec3_is_finite(wrench->point))
            return tp_fail(why_out, TP_INVALID_ARGUMENT, "the wrench on body '%s' is not finite",
                           tp_model_body_name(model, id.index));
        given.is_in_body = wrench->is_in_body;
        given.point = tp_vec3_sub(wrench->point, tp_model_center_of(model, id.index));
    }
    double value[6] = {0.0};
    if (wrench != NULL) {
        tp_vec3_to_array(wrench->force, value);
        tp_vec3_to_array(wrench->moment, value + 3);
    }
    tp_system_apply(simulation->stepper.system, &given, wrench != NULL ? value : NULL);
    return TP_OK;
}

/* ---- joints, laws, contacts ---- */

tp_status tp_simulation_joint(const tp_simulation *simulation, tp_joint_id id, tp_joint_state *state_out,
                              tp_message *why_out)
{
    TP_TRY(check(simulation, state_out, id.model, id.index, LIST(joints), "joint", why_out));
    tp_system_joint_state(tp_simulation_system(simulation), id.index,
                          simulation->state[simulation->present].impulse, simulation->step_size, state_out);
    return TP_OK;
}

tp_status tp_simulation_law(const tp_simulation *simulation, tp_law_id id, tp_law_activity *state_out,
                            tp_message *why_out)
{
    TP_TRY(check(simulation, state_out, id.model, id.index, LIST(laws), "law", why_out));
    *state_out =
        (tp_law_activity){.is_closed = simulation->state[simulation->present].is_closed[id.index] != 0,
                          .gap = tp_simulation_gap(simulation, id.index),
                          .dissipation = tp_simulation_dissipation(simulation, id.index),
                          .applied_work = tp_simulation_applied_work(simulation, id.index)};
    state_out->row_count = tp_simulation_impulse(simulation, id.index, state_out->impulse);
    return TP_OK;
}

tp_status tp_simulation_contacts(const tp_simulation *simulation, int capacity, tp_contact_info *contacts_out,
                                 int *count_out, tp_message *why_out)
{
    if (simulation == NULL || count_out == NULL || (contacts_out == NULL && capacity > 0))
        return tp_fail(why_out, TP_INVALID_ARGUMENT,
                       "the simulation, the list of contacts or their number is NULL");
    const tp_system *system = simulation->stepper.system;
    const unsigned char *is_closed = simulation->state[simulation->present].is_closed;
    *count_out = 0;
    for (int i = system->fixed_count; i < system->law_count; i++) {
        if (!is_closed[i]) continue;
        if (*count_out < capacity)
            tp_simulation_contact(simulation, tp_simulation_shown_law(simulation, i),
                                  &contacts_out[*count_out]);
        (*count_out)++;
    }
    return TP_OK;
}

/* ---- forces, coordinates, states, sensors ---- */

tp_status tp_simulation_force(const tp_simulation *simulation, tp_force_id id, tp_force_state *state_out,
                              tp_message *why_out)
{
    TP_TRY(check(simulation, state_out, id.model, id.index, LIST(elements), "force", why_out));
    tp_wrench on_B = tp_system_force_on(tp_simulation_system(simulation), id.index, &state_out->energy);
    state_out->force = on_B.force;
    state_out->moment = on_B.moment;
    return TP_OK;
}

tp_status tp_simulation_coordinate(const tp_simulation *simulation, tp_coordinate_id id,
                                   tp_coordinate_motion *motion_out, tp_message *why_out)
{
    TP_TRY(check(simulation, motion_out, id.model, id.index, LIST(coordinates), "coordinate", why_out));
    const double *rate = tp_system_rate(tp_simulation_system(simulation));
    *motion_out = (tp_coordinate_motion){tp_simulation_q(simulation)[id.index], rate[id.index]};
    return TP_OK;
}

tp_status tp_simulation_velocity(const tp_simulation *simulation, tp_velocity_id id, double *value_out,
                                 tp_message *why_out)
{
    TP_TRY(check(simulation, value_out, id.model, id.index, LIST(velocities), "velocity", why_out));
    *value_out = tp_simulation_u(simulation)[id.index];
    return TP_OK;
}

tp_status tp_simulation_state(const tp_simulation *simulation, tp_state_id id, double *value_out,
                              tp_message *why_out)
{
    TP_TRY(check(simulation, value_out, id.model, id.index, LIST(states), "state", why_out));
    *value_out = tp_simulation_states(simulation)[id.index];
    return TP_OK;
}

tp_status tp_simulation_relation(const tp_simulation *simulation, tp_relation_id id, int row,
                                 tp_relation_activity *state_out, tp_message *why_out)
{
    TP_TRY(check(simulation, state_out, id.model, id.index, LIST(relations), "relation", why_out));
    const tp_relation *relation = TP_LIST_AT(simulation->model->relations, tp_relation, id.index);
    if (row < 0 || row >= relation->size)
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "there is no row of the relation with the number %d",
                       row);
    int place = relation->first + row;
    *state_out = (tp_relation_activity){tp_simulation_multipliers(simulation)[place],
                                        tp_simulation_output(simulation, place)};
    return TP_OK;
}

tp_status tp_simulation_sense(const tp_simulation *simulation, tp_sensor_id id, double *value_out,
                              tp_message *why_out)
{
    TP_TRY(check(simulation, value_out, id.model, id.index, LIST(sensors), "sensor", why_out));
    *value_out = tp_simulation_sensor(simulation, id.index);
    return TP_OK;
}
