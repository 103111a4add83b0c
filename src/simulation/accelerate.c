/* Accelerations and forces at the present state; docs/theory/second-level.md (24)-(28). */
#include "simulation/inside.h"
#include "tippe/state.h"

#include <math.h>
#include <string.h>

tp_status tp_simulation_take_accelerations(tp_simulation *simulation)
{
    if (simulation->accelerations != NULL) return TP_OK;
    return tp_accelerations_create(simulation->allocator, simulation->model, &simulation->accelerations);
}

static bool is_same(size_t bytes, const void *a, const void *b)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

/* Inputs, references of angles and applied wrenches of the steps; true: they were the same already. */
static bool follow(tp_system *to, const tp_system *from)
{
    size_t inputs = (size_t)to->model->inputs.count * sizeof(double),
           angles = (size_t)to->model->angle_count * sizeof(double),
           applied = (size_t)from->applied_count * sizeof *from->applied;
    bool same = is_same(inputs, to->input, from->input) &&
                is_same(angles, to->angle_reference, from->angle_reference) &&
                to->applied_count == from->applied_count && is_same(applied, to->applied, from->applied);
    size_t states = (size_t)to->model->states.count * sizeof(double),
           multipliers = (size_t)to->model->outputs.count * sizeof(double);
    same = same && is_same(states, to->x, from->x) && is_same(multipliers, to->multiplier, from->multiplier);
    tp_system_set_states(to, from->x, from->multiplier);
    if (inputs > 0) memcpy(to->input, from->input, inputs);
    if (angles > 0) memcpy(to->angle_reference, from->angle_reference, angles);
    if (applied > 0) memcpy(to->applied, from->applied, applied);
    to->applied_count = from->applied_count;
    return same;
}

tp_status tp_simulation_find_accelerations(const tp_simulation *simulation)
{
    tp_accelerations *acc = simulation->accelerations;
    tp_system *system = acc->system;
    const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
    double t = tp_simulation_time(simulation);
    size_t q_bytes = (size_t)system->q_count * sizeof(double),
           u_bytes = (size_t)system->u_count * sizeof(double);
    bool is_there = acc->is_found && system->at.z[TP_SLOT_TIME] == t && is_same(q_bytes, system->q, q) &&
                    is_same(u_bytes, system->u, u);
    if (follow(system, simulation->stepper.system) && is_there) return acc->status;
    tp_system_move(system, t, q, u);
    acc->is_found = false;
    TP_TRY(simulation->is_at_start ? tp_accelerations_see(acc, simulation->options.contact_tolerance)
                                   : tp_accelerations_follow(acc, simulation->stepper.system));
    const tp_state *state = &simulation->state[simulation->present];
    const tp_last_step last = {simulation->is_at_start ? 0.0 : simulation->step_size, state->is_closed,
                               state->impulse, simulation->stepper.system->fixed_count - system->fixed_count};
    return tp_accelerations_find(acc, simulation->options.contact_tolerance, &last);
}

/* Makes sure that they are there; says why not. */
static tp_status find(tp_simulation *simulation, tp_message *why)
{
    TP_TRY(tp_simulation_take_accelerations(simulation));
    tp_status status = tp_simulation_find_accelerations(simulation);
    if (status == TP_OK) return TP_OK;
    return tp_fail(
        why, status,
        "no accelerations satisfy all laws at t = %g s (%s, residual %.1e): with friction there may be "
        "none, or contacts and joints contradict each other",
        tp_simulation_time(simulation), tp_status_text(status), simulation->accelerations->residual);
}

tp_status tp_simulation_accelerations(tp_simulation *simulation, double *acceleration_out,
                                      tp_acceleration_info *info_out, tp_message *why_out)
{
    if (simulation == NULL) return tp_fail(why_out, TP_INVALID_ARGUMENT, "the simulation is NULL");
    TP_TRY(find(simulation, why_out));
    const tp_accelerations *acc = simulation->accelerations;
    if (acceleration_out != NULL)
        memcpy(acceleration_out, acc->a, (size_t)acc->system->u_count * sizeof(double));
    if (info_out != NULL) *info_out = (tp_acceleration_info){acc->is_exact, acc->impact_count, acc->residual};
    return TP_OK;
}

/* A part of the simulation's model by its id. */
static tp_status check(const tp_simulation *simulation, const tp_model *model, bool is_there,
                       const char *what, tp_message *why)
{
    if (simulation == NULL) return tp_fail(why, TP_INVALID_ARGUMENT, "the simulation is NULL");
    if (model != simulation->model || !is_there)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the id of a %s belongs to no %s of this model", what, what);
    return TP_OK;
}

tp_status tp_simulation_body_acceleration(tp_simulation *simulation, tp_body_id id, tp_vec3 point,
                                          tp_vec3 *acceleration_out, tp_vec3 *angular_out,
                                          tp_message *why_out)
{
    bool is_there = simulation != NULL && id.index >= TP_GROUND && id.index < simulation->model->bodies.count;
    tp_vec3 linear, angular;
    TP_TRY(check(simulation, id.model, is_there, "body", why_out));
    TP_TRY(find(simulation, why_out));
    tp_system_point_acceleration(simulation->accelerations->system, id.index,
                                 tp_vec3_sub(point, tp_model_center_of(simulation->model, id.index)),
                                 simulation->accelerations->a, &linear, &angular);
    if (acceleration_out != NULL) *acceleration_out = linear;
    if (angular_out != NULL) *angular_out = angular;
    return TP_OK;
}

tp_status tp_simulation_joint_now(tp_simulation *simulation, tp_joint_id id, tp_joint_state *state_out,
                                  double *acceleration_out, tp_message *why_out)
{
    bool is_there = simulation != NULL && id.index >= 0 && id.index < simulation->model->joints.count;
    TP_TRY(check(simulation, id.model, is_there && state_out != NULL, "joint", why_out));
    TP_TRY(find(simulation, why_out));
    const tp_accelerations *acc = simulation->accelerations;
    tp_system_joint_state(acc->system, id.index, acc->force, 1.0, state_out);
    for (int k = 0; k < state_out->coordinate_count && acceleration_out != NULL; k++)
        acceleration_out[k] = tp_system_coordinate_acceleration(acc->system, id.index, k, acc->a);
    return TP_OK;
}

tp_status tp_simulation_law_force(tp_simulation *simulation, tp_law_id id, double *force_out,
                                  tp_message *why_out)
{
    bool is_there = simulation != NULL && id.index >= 0 && id.index < tp_simulation_law_count(simulation);
    TP_TRY(check(simulation, id.model, is_there && force_out != NULL, "law", why_out));
    TP_TRY(find(simulation, why_out));
    const tp_accelerations *acc = simulation->accelerations;
    TP_TRY(check(simulation, id.model, id.index < acc->system->law_count, "law", why_out));
    memcpy(force_out, acc->force + (size_t)id.index * TP_LAW_ROWS, TP_LAW_ROWS * sizeof(double));
    return TP_OK;
}

tp_status tp_simulation_law_output(tp_simulation *simulation, tp_law_id id, int level, double *y_out,
                                   tp_message *why_out)
{
    bool is_there = simulation != NULL && id.index >= 0 && id.index < tp_simulation_law_count(simulation);
    TP_TRY(check(simulation, id.model, is_there && y_out != NULL, "law", why_out));
    if (level < 0 || level > 2)
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "level %d of a law: there are 0, 1 and 2", level);
    TP_TRY(tp_simulation_take_accelerations(simulation));
    tp_status status = tp_simulation_find_accelerations(simulation);
    if (level == 2 && status != TP_OK) return find(simulation, why_out);
    tp_accelerations *acc = simulation->accelerations;
    TP_TRY(check(simulation, id.model, id.index < acc->system->law_count, "law", why_out));
    tp_accelerations_output(acc, id.index, level, y_out);
    return TP_OK;
}

/* What columns show, if they are asked for. */
static const tp_accelerations *shown(const tp_simulation *simulation)
{
    if (simulation == NULL || !simulation->options.accelerations || simulation->accelerations == NULL)
        return NULL;
    return tp_simulation_find_accelerations(simulation) == TP_OK ? simulation->accelerations : NULL;
}

double tp_simulation_acceleration(const tp_simulation *simulation, int velocity)
{
    const tp_accelerations *acc = shown(simulation);
    return acc != NULL && velocity >= 0 && velocity < acc->system->u_count ? acc->a[velocity] : NAN;
}

double tp_simulation_row_force(const tp_simulation *simulation, int law, int row)
{
    const tp_accelerations *acc = shown(simulation);
    bool is_there = acc != NULL && law >= 0 && law < acc->system->law_count && row >= 0 &&
                    row < tp_system_law(acc->system, law)->row_count;
    return is_there ? acc->force[(size_t)law * TP_LAW_ROWS + (size_t)row] : NAN;
}
