/* Making a simulation: memory for its states and steps, the start, warnings about what was asked for. */
#include "simulation/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void take_state(tp_arena *arena, const tp_system *system, tp_state *state)
{
    state->q = TP_ARENA_ARRAY(arena, double, system->q_count);
    state->u = TP_ARENA_ARRAY(arena, double, system->u_count);
    state->x = TP_ARENA_ARRAY(arena, double, system->model->states.count);
    state->multiplier = TP_ARENA_ARRAY(arena, double, system->model->outputs.count);
}

static int memory_length(const tp_stepper *stepper, int field)
{
    const tp_system *system = stepper->system;
    switch (stepper->integrator->memory[field].length) {
    case TP_MEMORY_ONE: return 1;
    case TP_MEMORY_PER_COORDINATE: return system->q_count;
    case TP_MEMORY_PER_VELOCITY: return system->u_count;
    case TP_MEMORY_PER_SPRING: return system->model->springs.count;
    case TP_MEMORY_OWN: return stepper->integrator->memory_length(stepper, field);
    }
    return 0;
}

/* Inputs that the last step had, and those that the next one will have. */
static const char *const input_memory_names[] = {"inputs", "next_inputs"};

/* The integrator's memory in the parts of a step. */
static bool take_part_memory(tp_simulation *simulation, int count)
{
    for (int k = 0; k < 2; k++) {
        double **arrays = simulation->part[k].memory = TP_ARENA_ARRAY(&simulation->arena, double *, count);
        for (int i = 0; i < count && arrays != NULL; i++)
            arrays[i] = TP_ARENA_ARRAY(&simulation->arena, double, memory_length(&simulation->stepper, i));
    }
    return tp_arena_status(&simulation->arena) == TP_OK;
}

/* One array of the memory of a state; values NULL: it is taken here. */
static void keep_memory(tp_simulation *simulation, int s, int place, const char *name, int length,
                        double *values)
{
    if (values == NULL) values = TP_ARENA_ARRAY(&simulation->arena, double, length);
    simulation->state[s].memory[place] = values;
    simulation->memory[s][place] = (tp_named_values){name, length, values};
}

/* The integrator's named memory, the inputs and the angles of joints, in both states. */
static bool take_integrator_memory(tp_simulation *simulation)
{
    const tp_memory_field *fields = simulation->integrator->memory;
    const tp_system *system = simulation->stepper.system;
    int own = 0, inputs = simulation->model->inputs.count, angles = simulation->model->angle_count;
    while (fields != NULL && fields[own].name != NULL) own++;
    int after_inputs = own + (inputs > 0 ? 2 : 0), after_angles = after_inputs + (angles > 0);
    bool is_realised = simulation->realised != NULL;
    simulation->input_memory = own;
    simulation->angle_memory = angles > 0 ? after_inputs : -1;
    simulation->realised_memory = is_realised ? after_angles : -1;
    simulation->memory_count = after_angles + (is_realised ? 2 : 0);
    for (int s = 0; s < 2; s++) {
        tp_state *state = &simulation->state[s];
        state->memory = TP_ARENA_ARRAY(&simulation->arena, double *, simulation->memory_count);
        simulation->memory[s] = TP_ARENA_ARRAY(&simulation->arena, tp_named_values, simulation->memory_count);
        if (tp_arena_status(&simulation->arena) != TP_OK) return false;
        for (int i = 0; i < own; i++)
            keep_memory(simulation, s, i, fields[i].name, memory_length(&simulation->stepper, i), NULL);
        for (int i = own; i < after_inputs; i++) {
            double *start = tp_arena_copy(&simulation->arena, system->input, (size_t)inputs, sizeof(double));
            keep_memory(simulation, s, i, input_memory_names[i - own], inputs, start);
        }
        /* Angles of joints turn on from where they were, whatever the integrator. */
        if (angles > 0) keep_memory(simulation, s, after_inputs, "joint_angles", angles, NULL);
        if (!is_realised) continue;
        /* Steps of a realised model go on from its own coordinates and velocities, which are more than what
           is shown: directions may be off the rigid ones by rounding, their rates by more. */
        keep_memory(simulation, s, after_angles, "affine_q", system->q_count, state->q);
        keep_memory(simulation, s, after_angles + 1, "affine_u", system->u_count, state->u);
    }
    if (tp_arena_status(&simulation->arena) != TP_OK) return false;
    return !simulation->integrator->has_fixed_step || take_part_memory(simulation, own);
}

/* The first law whose bound follows the reactions of a joint, or NULL. */
static const tp_law *follower_of_joints(const tp_model *model)
{
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        if (law->master_count > 0) return law;
    }
    return NULL;
}

static tp_status take_memory(tp_simulation *simulation)
{
    tp_stepper *stepper = &simulation->stepper;
    tp_arena *arena = &simulation->arena;
    stepper->integrator = simulation->integrator;
    stepper->model = simulation->realised != NULL ? simulation->realised : simulation->model;
    TP_TRY(tp_system_create_with(simulation->allocator, stepper->model, &simulation->integrator->system,
                                 &stepper->system));
    TP_TRY(tp_workspace_create(simulation->allocator, &stepper->solver_memory));
    TP_TRY(tp_pool_create(simulation->allocator, simulation->options.threads, &simulation->pool));
    tp_stepper_share_pool(stepper, simulation->pool);
    size_t n = (size_t)stepper->system->q_count, m = (size_t)stepper->system->u_count;
    stepper->options = &simulation->options;
    stepper->q_middle = TP_ARENA_ARRAY(arena, double, n);
    TP_ARENA_DOUBLES(arena, m, &stepper->h, &stepper->x);
    stepper->u_middle = TP_ARENA_RAW(arena, double, m); /* not every scheme uses it */
    stepper->M = TP_ARENA_ARRAY(arena, double, tp_sparse_count(&stepper->system->mass_pattern));
    simulation->motion = TP_ARENA_ARRAY(arena, tp_motion_note, simulation->model->bodies.count);
    simulation->W = TP_ARENA_ARRAY(arena, double, TP_LAW_ROWS * stepper->system->largest_columns);
    take_state(arena, stepper->system, &simulation->state[0]);
    take_state(arena, stepper->system, &simulation->state[1]);
    for (int k = 0; k < 3 && tp_simulation_divides(simulation->integrator); k++)
        take_state(arena, stepper->system, &simulation->part[k]);
    if (!take_integrator_memory(simulation)) return TP_OUT_OF_MEMORY;
    tp_simulation_take_shown(simulation);
    TP_TRY(tp_arena_status(arena));
    const tp_integrator *integrator = simulation->integrator;
    if (integrator->leaves_out_rows != TP_LEAVES_OUT_NONE) {
        TP_TRY(tp_redundancy_create(simulation->allocator, stepper->system, &stepper->redundancy));
        bool keeps_all = integrator->leaves_out_rows == TP_LEAVES_OUT_UNLESS_FOLLOWED &&
                         follower_of_joints(simulation->model) != NULL;
        if (keeps_all) tp_redundancy_rest(stepper->redundancy);
        const tp_model_summary *summary = &simulation->model->summary;
        if (integrator->levels.input_min == 1) /* positions drift */
            tp_redundancy_expect(stepper->redundancy, summary->constraint_count - summary->constraint_rank);
    }
    TP_TRY(tp_watch_create(simulation));
    if (simulation->options.accelerations) TP_TRY(tp_simulation_take_accelerations(simulation));
    for (int i = 0; i < simulation->model->sensors.count; i++) {
        if (tp_sensor_is_of_accelerations(TP_LIST_AT(simulation->model->sensors, tp_sensor, i)))
            TP_TRY(tp_simulation_take_accelerations(simulation));
    }
    return tp_simulation_take_laws(simulation);
}

void tp_simulation_free(tp_simulation *simulation)
{
    if (simulation == NULL) return;
    if (simulation->stepper.scratch != NULL && simulation->integrator->release != NULL)
        simulation->integrator->release(simulation->stepper.scratch);
    tp_redundancy_free(simulation->stepper.redundancy);
    tp_accelerations_free(simulation->accelerations);
    tp_system_free(simulation->stepper.system);
    tp_workspace_free(simulation->stepper.solver_memory);
    tp_pool_free(simulation->pool);
    for (int k = 0; k < 2; k++) tp_arena_clear(&simulation->step_arena[k]);
    tp_arena_clear(&simulation->laws_arena);
    tp_arena_clear(&simulation->arena);
    simulation->allocator->release(simulation->allocator->context, simulation);
}

tp_status tp_simulation_take_start(tp_simulation *simulation)
{
    tp_state *state = &simulation->state[0];
    tp_simulation_put(simulation, state, simulation->model->q0, simulation->model->u0);
    for (int i = 0; i < simulation->model->states.count; i++)
        state->x[i] = TP_LIST_AT(simulation->model->states, tp_state_variable, i)->initial;
    tp_simulation_show_states(simulation, state);
    tp_simulation_count_turns(simulation, state);
    const tp_integrator *integrator = simulation->integrator;
    simulation->is_at_present = false; /* shapes that touch at the start take part in it */
    TP_TRY(tp_simulation_find_contacts(simulation, simulation->options.time_step));
    return integrator->start != NULL ? integrator->start(&simulation->stepper, state) : TP_OK;
}

/* Where the scheme has a limit of omega dt, the stiffest smooth force must keep it. */
static void check_stability(tp_simulation *simulation)
{
    double limit = simulation->integrator->stability_limit != NULL
                       ? simulation->integrator->stability_limit(&simulation->options)
                       : INFINITY;
    double omega = simulation->model->summary.largest_frequency, dt = simulation->options.time_step;
    if (!(omega > 0.0) || !(omega * dt >= limit)) return;
    tp_warning warning = tp_warning_of(TP_WARNING_UNSTABLE_TIME_STEP);
    warning.figure = omega * dt;
    if (limit > 0.0) {
        snprintf(warning.text, sizeof warning.text,
                 "the time step %g s exceeds the stability limit of the stiffest smooth force: omega = %.4g "
                 "rad/s, omega dt = %.3g must stay below %g",
                 dt, omega, omega * dt, limit);
    } else {
        snprintf(
            warning.text, sizeof warning.text,
            "with these options undamped vibrations grow at any time step; the stiffest smooth force has "
            "omega = %.4g rad/s, omega dt = %.3g",
            omega, omega * dt);
    }
    tp_simulation_warn(simulation, &warning);
}

/* With redundant joints reactions are not unique, and friction that follows them depends on the choice. */
static void check_friction(tp_simulation *simulation)
{
    const tp_model *model = simulation->model;
    int redundant = model->summary.constraint_count - model->summary.constraint_rank;
    const tp_law *law = follower_of_joints(model);
    if (law == NULL || redundant == 0) return;
    tp_warning warning = tp_warning_of(TP_WARNING_REACTIONS_NOT_UNIQUE);
    warning.figure = redundant;
    snprintf(warning.subject, sizeof warning.subject, "%s", law->name);
    snprintf(warning.text, sizeof warning.text,
             "'%.100s' follows the reaction of its joint, but %d of %d constraints are redundant: "
             "reactions are those of %s",
             law->name, redundant, model->summary.constraint_count,
             simulation->integrator->leaves_out_rows == TP_LEAVES_OUT_ALWAYS
                 ? "the independent rows that a step chooses"
                 : "least norm");
    tp_simulation_warn(simulation, &warning);
}

/* What an integrator treats with less than it promises. */
static void ask_integrator(tp_simulation *simulation)
{
    const tp_integrator_warning *warn = simulation->integrator->warn;
    for (int k = 0; warn[k].is_due != NULL; k++) {
        tp_warning warning = tp_warning_of(warn[k].kind);
        if (warn[k].is_due(&simulation->stepper, &warning)) tp_simulation_warn(simulation, &warning);
    }
}

/* Texts and the log hook may be gone when the caller has them back: names are constants of the library. */
static void keep_options(tp_simulation *simulation, const tp_simulation_options *options,
                         const tp_integrator *integrator)
{
    simulation->options = *options;
    simulation->integrator = integrator;
    simulation->options.integrator = integrator->info.name;
    if (options->solver != NULL)
        simulation->options.solver = tp_solver_info_at(tp_solver_find(options->solver))->name;
    if (options->log == NULL) return;
    simulation->log = *options->log;
    simulation->options.log = &simulation->log;
}

tp_status tp_simulation_create_with(const tp_allocator *allocator, const tp_model *model,
                                    const tp_simulation_options *options, const tp_integrator *integrator,
                                    tp_simulation **simulation_out, tp_message *why_out)
{
    *simulation_out = NULL;
    if (allocator == NULL) allocator = tp_allocator_default();
    TP_TRY(tp_integrator_check(integrator, model, why_out));
    TP_TRY(tp_integrator_check_solver(options->solver, model, why_out));
    TP_TRY(tp_simulation_check_integrator(integrator, options, why_out));
    if (integrator->check_options != NULL) TP_TRY(integrator->check_options(model, options, why_out));

    tp_simulation *simulation = allocator->allocate(allocator->context, sizeof *simulation);
    if (simulation == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "%s", tp_status_text(TP_OUT_OF_MEMORY));
    memset(simulation, 0, sizeof *simulation);
    simulation->allocator = allocator;
    simulation->model = model;
    keep_options(simulation, options, integrator);
    tp_arena_init(&simulation->arena, allocator);
    for (int k = 0; k < 2; k++) tp_arena_init(&simulation->step_arena[k], allocator);
    tp_arena_init(&simulation->laws_arena, allocator);
    tp_status status = tp_simulation_realise(simulation, why_out);
    if (status == TP_UNSUPPORTED) {
        tp_simulation_free(simulation);
        return status; /* with the body and the reason */
    }
    if (status == TP_OK) status = take_memory(simulation);
    if (status == TP_OK) status = tp_simulation_take_start(simulation);
    if (status != TP_OK) {
        tp_simulation_describe_start(simulation, status, why_out);
        if (status == TP_UNSUPPORTED && why_out != NULL) tp_integrator_name_others(model, why_out);
        tp_simulation_free(simulation);
        return status;
    }
    simulation->step_size = options->time_step;
    simulation->is_at_start = true;
    tp_simulation_begin_report(simulation);
    check_stability(simulation);
    check_friction(simulation);
    ask_integrator(simulation);
    tp_watch_start(simulation);
    tp_simulation_settle(simulation);
    *simulation_out = simulation;
    return TP_OK;
}

tp_status tp_simulation_create(const tp_allocator *allocator, const tp_model *model,
                               const tp_simulation_options *options, tp_simulation **simulation_out,
                               tp_message *why_out)
{
    if (simulation_out == NULL) return tp_fail(why_out, TP_INVALID_ARGUMENT, "simulation_out is NULL");
    *simulation_out = NULL;
    if (model == NULL || options == NULL)
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "the model or the options are NULL");
    if (!model->is_finished) return tp_fail(why_out, TP_INVALID_ARGUMENT, "the model is not finished");
    TP_TRY(tp_simulation_check_options(options, why_out));
    const tp_integrator *integrator = tp_integrator_by_name(options->integrator);
    return tp_simulation_create_with(allocator, model, options, integrator, simulation_out, why_out);
}
