/* What can be asked of a simulation at its present state. */
#include "simulation/inside.h"

#include <math.h>
#include <string.h>

/* A question without arguments; `none` answers it without a simulation. */
#define PRESENT(type, function, answer, none)                                                                \
    type function(const tp_simulation *simulation)                                                           \
    {                                                                                                        \
        return simulation != NULL ? answer : none;                                                           \
    }

PRESENT(const tp_simulation_options *, tp_simulation_get_options, &simulation->options, NULL)

PRESENT(const tp_integrator_info *, tp_simulation_integrator, &simulation->integrator->info, NULL)

PRESENT(double, tp_simulation_time, simulation->state[simulation->present].t, NAN)

PRESENT(const double *, tp_simulation_q, simulation->q[simulation->present], NULL)

PRESENT(const double *, tp_simulation_u, simulation->u[simulation->present], NULL)

PRESENT(const double *, tp_simulation_states, simulation->state[simulation->present].x, NULL)

PRESENT(const double *, tp_simulation_multipliers, simulation->state[simulation->present].multiplier, NULL)

double tp_simulation_output(const tp_simulation *simulation, int i)
{
    if (simulation == NULL || i < 0 || i >= simulation->model->outputs.count) return NAN;
    return tp_system_output(tp_simulation_system(simulation), i);
}

PRESENT(const tp_model *, tp_simulation_model, simulation->model, NULL)

PRESENT(const tp_step_report *, tp_simulation_last_step, &simulation->last, NULL)

const tp_problem *tp_simulation_problem(const tp_simulation *simulation)
{
    if (simulation->stepper.problem != NULL) tp_step_problem_write_rows(simulation->stepper.problem);
    return simulation->stepper.solved;
}

PRESENT(const tp_run_report *, tp_simulation_report, &simulation->report, NULL)

PRESENT(double, tp_simulation_step_size, simulation->step_size, NAN)

PRESENT(int, tp_simulation_law_count,
        tp_simulation_shown_law(simulation, simulation->stepper.system->law_count), 0)

/* The number that the system has for a law that users may name; -1: there is none. */
static int law_of(const tp_simulation *simulation, int law)
{
    if (simulation == NULL || law < 0 || law >= tp_simulation_law_count(simulation)) return -1;
    return tp_simulation_inner_law(simulation, law);
}

int tp_simulation_last_impulse(const tp_simulation *simulation, int law, double *impulse_out)
{
    int i = law_of(simulation, law);
    if (i < 0) return 0;
    int rows = tp_system_law(simulation->stepper.system, i)->row_count;
    memcpy(impulse_out, simulation->state[simulation->present].impulse + (size_t)i * TP_LAW_ROWS,
           (size_t)rows * sizeof(double));
    return rows;
}

int tp_simulation_impulse(const tp_simulation *simulation, int law, double *impulse_out)
{
    int rows = tp_simulation_last_impulse(simulation, law, impulse_out), i = law_of(simulation, law);
    if (rows == 0 || !simulation->integrator->has_impulses_at_states) return rows;
    const double *before = simulation->state[1 - simulation->present].impulse + (size_t)i * TP_LAW_ROWS;
    for (int k = 0; k < rows; k++) impulse_out[k] = 0.5 * (impulse_out[k] + before[k]);
    return rows;
}

int tp_simulation_kept_force(const tp_simulation *simulation, int law, tp_force_part part, double *force_out)
{
    int i = law_of(simulation, law);
    if (i < 0 || !simulation->integrator->info.keeps_forces || (unsigned)part >= TP_FORCE_PARTS) return 0;
    int rows = tp_system_law(simulation->stepper.system, i)->row_count;
    bool is_mode = simulation->integrator->info.keeps_modes && part == TP_FORCE_MEAN;
    memcpy(force_out, TP_STATE_FORCE(&simulation->state[simulation->present], i, part),
           (size_t)(is_mode ? TP_LAW_ROWS : rows) * sizeof(double));
    return rows;
}

double tp_simulation_dissipation(const tp_simulation *simulation, int law)
{
    int i = law_of(simulation, law);
    return i >= 0 ? simulation->stepper.account.dissipation[i] : 0.0;
}

double tp_simulation_applied_work(const tp_simulation *simulation, int law)
{
    int i = law_of(simulation, law);
    return i >= 0 ? simulation->stepper.account.applied[i] : 0.0;
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
    int i = law_of(simulation, law);
    const tp_near_pair *pair = i >= 0 ? tp_system_pair(simulation->stepper.system, i) : NULL;
    *to = (tp_contact_info){.law = law, .gap = INFINITY, .point = {NAN, NAN, NAN}, .normal = {NAN, NAN, NAN}};
    if (pair == NULL) return false;
    to->rule = pair->touch.law->element;
    to->shape_a = pair->touch.shape_a;
    to->shape_b = pair->touch.shape_b;
    to->feature = tp_system_feature(simulation->stepper.system, i);
    to->is_closed = simulation->state[simulation->present].is_closed[i] != 0;
    to->was_closed = simulation->state[1 - simulation->present].is_closed[i] != 0;
    to->row_count = tp_simulation_impulse(simulation, law, to->impulse);
    tp_system *system = tp_simulation_system(simulation);
    to->gap = tp_system_law_position(system, i);
    if (!isfinite(to->gap)) return true;
    const tp_contact_point *at = tp_system_contact_point(system, i);
    const double point[] = {0.5 * (at->point_a.x + at->point_b.x), 0.5 * (at->point_a.y + at->point_b.y),
                            0.5 * (at->point_a.z + at->point_b.z)},
                 normal[] = {at->normal.x, at->normal.y, at->normal.z};
    memcpy(to->point, point, sizeof point);
    memcpy(to->normal, normal, sizeof normal);
    return true;
}

void tp_simulation_law_name(const tp_simulation *simulation, int law, char *name_out, size_t capacity)
{
    int i = law_of(simulation, law);
    if (capacity > 0) name_out[0] = '\0';
    if (i >= 0 && capacity > 0) tp_system_law_name(simulation->stepper.system, i, name_out, capacity);
}

const char *tp_simulation_law_unit(const tp_simulation *simulation, int law, int row,
                                   tp_law_quantity quantity)
{
    int i = law_of(simulation, law);
    const tp_law *of = i >= 0 ? tp_system_law(simulation->stepper.system, i) : NULL;
    bool has_row =
        of != NULL && row >= 0 && row < of->row_count && (unsigned)quantity < TP_LAW_QUANTITY_COUNT;
    return has_row ? tp_law_unit(of, row, quantity) : NULL;
}

double tp_simulation_gap(const tp_simulation *simulation, int law)
{
    int i = law_of(simulation, law);
    if (i < 0 || tp_system_law(simulation->stepper.system, i)->level != TP_LEVEL_GAP) return NAN;
    return tp_system_law_position(tp_simulation_system(simulation), i);
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
