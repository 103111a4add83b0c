/* What can be asked of a simulation at its present state. */
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

const tp_simulation_options *tp_simulation_get_options(const tp_simulation *simulation)
{
    return &simulation->options;
}

double tp_simulation_time(const tp_simulation *simulation)
{
    return simulation->state[simulation->present].t;
}

const double *tp_simulation_q(const tp_simulation *simulation)
{
    return simulation->q[simulation->present];
}

const double *tp_simulation_u(const tp_simulation *simulation)
{
    return simulation->u[simulation->present];
}

const tp_model *tp_simulation_model(const tp_simulation *simulation)
{
    return simulation->model;
}

const tp_step_report *tp_simulation_last_step(const tp_simulation *simulation)
{
    return &simulation->last;
}

const tp_run_report *tp_simulation_report(const tp_simulation *simulation)
{
    return &simulation->report;
}

double tp_simulation_step_size(const tp_simulation *simulation)
{
    return simulation->step_size;
}

int tp_simulation_percussion(const tp_simulation *simulation, int law, double *percussion_out)
{
    if (law < 0 || law >= simulation->model->laws.count) return 0;
    int rows = TP_LIST_AT(simulation->model->laws, tp_law, law)->row_count;
    memcpy(percussion_out, simulation->state[simulation->present].percussion + (size_t)law * TP_LAW_ROWS,
           (size_t)rows * sizeof(double));
    return rows;
}

/* The system is scratch memory of the simulation: moving it does not change the simulation's state. */
static tp_system *system_at_state(const tp_simulation *simulation)
{
    const tp_state *state = &simulation->state[simulation->present];
    tp_simulation_refer_to(simulation, state);
    tp_system_move(simulation->stepper.system, state->t, state->q, state->u);
    return simulation->stepper.system;
}

double tp_simulation_gap(const tp_simulation *simulation, int law)
{
    if (law < 0 || law >= simulation->model->laws.count) return NAN;
    if (TP_LIST_AT(simulation->model->laws, tp_law, law)->level != TP_LEVEL_GAP) return NAN;
    return tp_system_law_position(system_at_state(simulation), law);
}

double tp_simulation_sensor(const tp_simulation *simulation, int sensor)
{
    if (sensor < 0 || sensor >= simulation->model->sensors.count) return NAN;
    const tp_state *state = &simulation->state[simulation->present];
    return tp_system_measure(system_at_state(simulation), sensor, state->percussion, simulation->step_size,
                             simulation->W);
}
