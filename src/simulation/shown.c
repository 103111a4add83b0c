/* What users see of a simulation: coordinates and velocities of the model that was given. Steps may see rigid
   bodies in another form; docs/theory/consistent.md (A1)-(A9). */
#include "simulation/inside.h"

#include <string.h>

tp_status tp_simulation_realise(tp_simulation *simulation, tp_message *why)
{
    bool is_affine = tp_integrator_is_affine(simulation->integrator, &simulation->options);
    if (!is_affine || !tp_model_has_rigid_bodies(simulation->model)) return TP_OK;
    return tp_model_realise_affine(&simulation->arena, simulation->model, &simulation->realised, why);
}

void tp_simulation_take_shown(tp_simulation *simulation)
{
    const tp_model *model = simulation->model;
    tp_arena *arena = &simulation->arena;
    for (int s = 0; s < 2; s++) {
        simulation->q[s] = simulation->state[s].q;
        simulation->u[s] = simulation->state[s].u;
        if (simulation->realised == NULL) continue;
        simulation->q[s] = TP_ARENA_ARRAY(arena, double, tp_model_coordinate_count(model));
        simulation->u[s] = TP_ARENA_ARRAY(arena, double, tp_model_velocity_count(model));
    }
}

void tp_simulation_put(tp_simulation *simulation, tp_state *state, const double *q, const double *u)
{
    long s = state - simulation->state;
    memmove(simulation->q[s], q, (size_t)tp_model_coordinate_count(simulation->model) * sizeof(double));
    memmove(simulation->u[s], u, (size_t)tp_model_velocity_count(simulation->model) * sizeof(double));
    if (simulation->realised == NULL) return;
    tp_model_realise_state(simulation->realised, simulation->q[s], simulation->u[s], state->q, state->u);
    tp_system_refer_orientations(simulation->stepper.system, simulation->q[s]);
}

void tp_simulation_show(tp_simulation *simulation, const tp_state *state)
{
    const tp_system *system = simulation->stepper.system;
    if (simulation->realised == NULL) return;
    memcpy(simulation->q[state - simulation->state], tp_system_given_q(system),
           (size_t)system->argument_q * sizeof(double));
    memcpy(simulation->u[state - simulation->state], tp_system_given_u(system),
           (size_t)system->argument_u * sizeof(double));
}

void tp_simulation_show_states(const tp_simulation *simulation, const tp_state *state)
{
    tp_system_set_states(simulation->stepper.system, state->x, state->multiplier);
}

void tp_simulation_refer_to(const tp_simulation *simulation, const tp_state *state)
{
    tp_system *system = simulation->stepper.system;
    if (simulation->realised != NULL)
        tp_system_refer_orientations(system, simulation->q[state - simulation->state]);
    tp_simulation_show_states(simulation, state);
    if (simulation->model->inputs.count > 0)
        tp_system_set_inputs(system, state->memory[simulation->input_memory]);
    if (simulation->angle_memory < 0) return;
    tp_system_refer_angles(system, state->memory[simulation->angle_memory]);
}
