/* What can be asked of a simulation at its present state. */
#include "simulation/inside.h"

#include <math.h>
#include <string.h>

const tp_simulation_options *tp_simulation_get_options(const tp_simulation *simulation)
{
    return simulation != NULL ? &simulation->options : NULL;
}

double tp_simulation_time(const tp_simulation *simulation)
{
    return simulation != NULL ? simulation->state[simulation->present].t : NAN;
}

const double *tp_simulation_q(const tp_simulation *simulation)
{
    return simulation != NULL ? simulation->q[simulation->present] : NULL;
}

const double *tp_simulation_u(const tp_simulation *simulation)
{
    return simulation != NULL ? simulation->u[simulation->present] : NULL;
}

const tp_model *tp_simulation_model(const tp_simulation *simulation)
{
    return simulation != NULL ? simulation->model : NULL;
}

const tp_step_report *tp_simulation_last_step(const tp_simulation *simulation)
{
    return simulation != NULL ? &simulation->last : NULL;
}

const tp_problem *tp_simulation_problem(const tp_simulation *simulation)
{
    return simulation->stepper.solved;
}

const tp_run_report *tp_simulation_report(const tp_simulation *simulation)
{
    return simulation != NULL ? &simulation->report : NULL;
}

double tp_simulation_step_size(const tp_simulation *simulation)
{
    return simulation != NULL ? simulation->step_size : NAN;
}

static bool has_law(const tp_simulation *simulation, int law)
{
    return simulation != NULL && law >= 0 && law < simulation->model->laws.count;
}

int tp_simulation_last_impulse(const tp_simulation *simulation, int law, double *impulse_out)
{
    if (!has_law(simulation, law)) return 0;
    int rows = TP_LIST_AT(simulation->model->laws, tp_law, law)->row_count;
    memcpy(impulse_out, simulation->state[simulation->present].impulse + (size_t)law * TP_LAW_ROWS,
           (size_t)rows * sizeof(double));
    return rows;
}

int tp_simulation_impulse(const tp_simulation *simulation, int law, double *impulse_out)
{
    int rows = tp_simulation_last_impulse(simulation, law, impulse_out);
    if (rows == 0 || !simulation->integrator->has_impulses_at_states) return rows;
    const double *before = simulation->state[1 - simulation->present].impulse + (size_t)law * TP_LAW_ROWS;
    for (int k = 0; k < rows; k++) impulse_out[k] = 0.5 * (impulse_out[k] + before[k]);
    return rows;
}

double tp_simulation_dissipation(const tp_simulation *simulation, int law)
{
    return has_law(simulation, law) ? simulation->stepper.account.dissipation[law] : 0.0;
}

double tp_simulation_applied_work(const tp_simulation *simulation, int law)
{
    return has_law(simulation, law) ? simulation->stepper.account.applied[law] : 0.0;
}

const tp_event *tp_simulation_events(const tp_simulation *simulation, int *count_out)
{
    *count_out = simulation != NULL ? simulation->event_count : 0;
    return simulation != NULL ? simulation->events : NULL;
}

tp_system *tp_simulation_system(const tp_simulation *simulation)
{
    const tp_state *state = &simulation->state[simulation->present];
    if (simulation->is_at_present) return simulation->stepper.system;
    tp_simulation_refer_to(simulation, state);
    tp_system_move(simulation->stepper.system, state->t, state->q, state->u);
    return simulation->stepper.system;
}

bool tp_simulation_contact(const tp_simulation *simulation, int law, tp_contact_info *contact_out)
{
    tp_contact_info *to = contact_out;
    *to = (tp_contact_info){.law = law, .gap = INFINITY, .point = {NAN, NAN, NAN}, .normal = {NAN, NAN, NAN}};
    if (simulation == NULL ||
        !tp_model_law_shapes(simulation->model, law, &to->shape_a, &to->shape_b, &to->feature))
        return false;
    to->is_closed = simulation->state[simulation->present].is_closed[law] != 0;
    to->row_count = tp_simulation_impulse(simulation, law, to->impulse);
    tp_system *system = tp_simulation_system(simulation);
    to->gap = tp_system_law_position(system, law);
    if (!isfinite(to->gap)) return true;
    const tp_contact_point *at = tp_system_contact_point(system, law);
    const double point[] = {0.5 * (at->point_a.x + at->point_b.x), 0.5 * (at->point_a.y + at->point_b.y),
                            0.5 * (at->point_a.z + at->point_b.z)},
                 normal[] = {at->normal.x, at->normal.y, at->normal.z};
    memcpy(to->point, point, sizeof point);
    memcpy(to->normal, normal, sizeof normal);
    return true;
}

double tp_simulation_gap(const tp_simulation *simulation, int law)
{
    if (!has_law(simulation, law)) return NAN;
    if (TP_LIST_AT(simulation->model->laws, tp_law, law)->level != TP_LEVEL_GAP) return NAN;
    return tp_system_law_position(tp_simulation_system(simulation), law);
}

double tp_simulation_sensor(const tp_simulation *simulation, int sensor)
{
    if (simulation == NULL || sensor < 0 || sensor >= simulation->model->sensors.count) return NAN;
    const tp_state *state = &simulation->state[simulation->present];
    if (tp_sensor_is_of_accelerations(TP_LIST_AT(simulation->model->sensors, tp_sensor, sensor))) {
        tp_accelerations *acc = simulation->accelerations;
        if (tp_simulation_find_accelerations(simulation) != TP_OK) return NAN;
        return tp_system_measure_now(acc->system, sensor, acc->a, acc->force);
    }
    return tp_system_measure(tp_simulation_system(simulation), sensor, state->impulse, simulation->step_size,
                             simulation->W);
}
