/* Inputs: values that are set between steps and held over each; docs/theory/simulation.md. */
#include "simulation/inside.h"

#include <math.h>
#include <string.h>

/* The place of an input's value among the memory of the present state; NULL: there is no such input. */
static double *value_of(const tp_simulation *simulation, tp_input_id id, bool is_next)
{
    if (simulation == NULL) return NULL;
    const tp_model *model = simulation->model;
    if (id.model != model || id.index < 0 || id.index >= model->inputs.count) return NULL;
    const tp_state *state = &simulation->state[simulation->present];
    return state->memory[simulation->input_memory + is_next] + id.index;
}

double tp_simulation_input(const tp_simulation *simulation, tp_input_id id)
{
    const double *value = value_of(simulation, id, false);
    return value != NULL ? *value : NAN;
}

tp_status tp_simulation_set_input(tp_simulation *simulation, tp_input_id id, double value,
                                  tp_message *why_out)
{
    double *next = value_of(simulation, id, true), *now = value_of(simulation, id, false);
    if (next == NULL) return tp_fail(why_out, TP_INVALID_ARGUMENT, "the model has no input %d", id.index + 1);
    if (!isfinite(value))
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "the value of input '%s' is %g: it must be finite",
                       tp_model_input_name(simulation->model, id.index), value);
    *next = value;
    if (!simulation->is_at_start || *now == value) return TP_OK;

    /* the start itself has the value: energy and the memory of the integrator are made anew */
    *now = value;
    tp_simulation_refer_to(simulation, &simulation->state[simulation->present]);
    tp_status status = tp_simulation_take_start(simulation);
    if (status != TP_OK) return tp_fail(why_out, status, "%s", tp_status_text(status));
    tp_simulation_begin_report(simulation);
    return TP_OK;
}

/* The potential of a state, with the inputs that the system has. */
static double potential_at(tp_system *system, const tp_state *state)
{
    tp_system_move(system, state->t, state->q, state->u);
    return tp_system_potential_energy(system);
}

double tp_simulation_apply_inputs(tp_simulation *simulation, const tp_state *from, tp_state *to)
{
    size_t bytes = (size_t)simulation->model->inputs.count * sizeof(double);
    if (bytes == 0) return 0.0;
    tp_system *system = simulation->stepper.system;
    const double *next = from->memory[simulation->input_memory + 1];
    bool is_changed = memcmp(system->input, next, bytes) != 0;
    double before = is_changed ? potential_at(system, from) : 0.0;
    tp_system_set_inputs(system, next);
    memcpy(to->memory[simulation->input_memory], next, bytes);
    memcpy(to->memory[simulation->input_memory + 1], next, bytes);
    return is_changed ? potential_at(system, from) - before : 0.0;
}
