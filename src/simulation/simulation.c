/* The loop: steps, checks after each step, the report; docs/theory/simulation.md. */
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A remainder of a billionth of a step is rounding, not a step. */
static const double step_remainder = 1e-9;

tp_simulation_options tp_simulation_options_default(void)
{
    return (tp_simulation_options){
        .integrator = "moreau",
        .time_step = 1e-3,
        .end_time = 1.0,
        .tolerance = 1e-14,
        .contact_tolerance = 1e-12,
        .warm_start = true,
        .theta_method = {.theta = 0.5, .mass_prediction = 0.5, .forecast = 0.5, .refresh_rows = true},
        .projection = {.kind = TP_PROJECTION_NONE, .tolerance = 1e-12, .max_iterations = 20}};
}

static tp_status check_shares(const tp_simulation_options *options, tp_message *why)
{
    const struct {
        const char *name;
        double value;
    } all[] = {{"theta", options->theta_method.theta},
               {"mass_prediction", options->theta_method.mass_prediction},
               {"forecast", options->theta_method.forecast},
               {"paoli_theta", options->paoli.theta}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        if (!(all[k].value >= 0.0 && all[k].value <= 1.0))
            return tp_fail(why, TP_INVALID_DATA, "%s is %g; it must be a number from 0 to 1", all[k].name,
                           all[k].value);
    }
    return TP_OK;
}

static tp_status check_options(const tp_simulation_options *options, tp_message *why)
{
    if (options->integrator == NULL || tp_integrator_by_name(options->integrator) == NULL) {
        return tp_fail(why, TP_INVALID_DATA, "there is no integrator '%s'; see 'tippe list integrators'",
                       options->integrator != NULL ? options->integrator : "");
    }
    if (options->solver != NULL && tp_solver_find(options->solver) < 0) {
        return tp_fail(why, TP_INVALID_DATA, "there is no solver '%s'; see 'tippe list solvers'",
                       options->solver);
    }
    if (!(options->time_step > 0.0) || isinf(options->time_step)) {
        return tp_fail(why, TP_INVALID_DATA, "the time step is %g; it must be a number > 0",
                       options->time_step);
    }
    if (!(options->end_time >= 0.0) || isinf(options->end_time)) {
        return tp_fail(why, TP_INVALID_DATA, "the end time is %g; it must be a number >= 0",
                       options->end_time);
    }
    if (options->end_time / options->time_step > 1e15)
        return tp_fail(why, TP_INVALID_DATA, "more than 1e15 steps are asked for");
    if (!(options->tolerance >= 0.0))
        return tp_fail(why, TP_INVALID_DATA, "the tolerance must be a number >= 0");
    if (isnan(options->contact_tolerance))
        return tp_fail(why, TP_INVALID_DATA, "the contact tolerance is not a number");
    if (tp_consistent_bodies_name((int)options->consistent.bodies) == NULL)
        return tp_fail(why, TP_INVALID_DATA, "consistent_bodies is neither scalable nor affine");
    if (options->projection.kind != TP_PROJECTION_NONE &&
        (!(options->projection.tolerance > 0.0) || options->projection.max_iterations < 1))
        return tp_fail(why, TP_INVALID_DATA,
                       "the tolerance of the projection must be > 0, its iterations at least 1");
    return check_shares(options, why);
}

/* The last step of a run ends at its end: with a fixed step that must be a multiple. */
static tp_status check_whole_steps(const tp_integrator *integrator, const tp_simulation_options *options,
                                   tp_message *why)
{
    double steps = options->end_time / options->time_step, whole = nearbyint(steps);
    if (fabs(steps - whole) <= fmax(step_remainder, 4.0 * DBL_EPSILON * steps)) return TP_OK;
    return tp_fail(why, TP_INVALID_DATA,
                   "%s needs steps of one length, but the end time %.9g s is %.9g steps of %.9g s; end at "
                   "%.9g or %.9g s",
                   integrator->info.name, options->end_time, steps, options->time_step,
                   floor(steps) * options->time_step, ceil(steps) * options->time_step);
}

static bool take_state(tp_arena *arena, const tp_system *system, tp_state *state)
{
    int laws = system->model->laws.count;
    state->q = TP_ARENA_ARRAY(arena, double, system->q_count);
    state->u = TP_ARENA_ARRAY(arena, double, system->u_count);
    state->percussion = TP_ARENA_ARRAY(arena, double, (size_t)laws *TP_LAW_ROWS);
    state->is_closed = TP_ARENA_ARRAY(arena, unsigned char, laws);
    return state->q != NULL && state->u != NULL && state->percussion != NULL && state->is_closed != NULL;
}

static int memory_length(const tp_system *system, tp_memory_length length)
{
    switch (length) {
    case TP_MEMORY_ONE: return 1;
    case TP_MEMORY_PER_COORDINATE: return system->q_count;
    case TP_MEMORY_PER_VELOCITY: return system->u_count;
    case TP_MEMORY_PER_LAW: return system->model->laws.count;
    case TP_MEMORY_PER_LAW_ROW: return system->model->laws.count * TP_LAW_ROWS;
    case TP_MEMORY_PER_SPRING: return system->model->springs.count;
    }
    return 0;
}

/* Angles of joints turn on from where they were: part of every state, whatever the integrator. */
static const char angle_memory_name[] = "joint_angles";

/* Steps of a realised model go on from its own coordinates and velocities, which are more than what is shown:
   directions may be off the rigid ones by rounding, their rates by more. */
static const char *const realised_memory_names[] = {"affine_q", "affine_u"};

/* The integrator's named memory and the angles of joints, in both states. */
static bool take_integrator_memory(tp_simulation *simulation)
{
    const tp_memory_field *fields = simulation->integrator->memory;
    int count = 0;
    while (fields != NULL && fields[count].name != NULL) count++;
    int own = count, angles = simulation->model->angle_count;
    simulation->angle_memory = angles > 0 ? count++ : -1;
    simulation->realised_memory = simulation->realised != NULL ? count : -1;
    int other = count; /* those after it are arrays of the state itself */
    if (simulation->realised != NULL) count += 2;
    simulation->memory_count = count;
    for (int s = 0; s < 2; s++) {
        double **arrays = TP_ARENA_ARRAY(&simulation->arena, double *, count);
        tp_named_values *named = TP_ARENA_ARRAY(&simulation->arena, tp_named_values, count);
        if (arrays == NULL || named == NULL) return false;
        for (int i = 0; i < other; i++) {
            int length = i < own ? memory_length(simulation->stepper.system, fields[i].length) : angles;
            arrays[i] = TP_ARENA_ARRAY(&simulation->arena, double, length);
            if (arrays[i] == NULL) return false;
            named[i] = (tp_named_values){i < own ? fields[i].name : angle_memory_name, length, arrays[i]};
        }
        for (int i = other; i < count; i++) {
            const tp_system *system = simulation->stepper.system;
            arrays[i] = i == other ? simulation->state[s].q : simulation->state[s].u;
            named[i] = (tp_named_values){realised_memory_names[i - other],
                                         i == other ? system->q_count : system->u_count, arrays[i]};
        }
        simulation->state[s].memory = arrays;
        simulation->memory[s] = named;
    }
    return true;
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
    stepper->model = simulation->realised != NULL ? simulation->realised : simulation->model;
    TP_TRY(tp_system_create(simulation->allocator, stepper->model, &stepper->system));
    TP_TRY(tp_step_problem_create(arena, stepper->system, &stepper->problem));
    TP_TRY(tp_workspace_create(simulation->allocator, &stepper->solver_memory));
    size_t n = (size_t)stepper->system->q_count, m = (size_t)stepper->system->u_count;
    stepper->options = &simulation->options;
    stepper->q_middle = TP_ARENA_ARRAY(arena, double, n);
    stepper->u_middle = TP_ARENA_ARRAY(arena, double, m);
    stepper->M = TP_ARENA_ARRAY(arena, double, tp_sparse_count(&stepper->system->mass_pattern));
    stepper->h = TP_ARENA_ARRAY(arena, double, m);
    stepper->x = TP_ARENA_ARRAY(arena, double, m);
    stepper->chi = TP_ARENA_ARRAY(arena, double, stepper->problem->capacity_rows);
    simulation->W = TP_ARENA_ARRAY(arena, double, TP_LAW_ROWS * stepper->system->largest_columns);
    bool ok = stepper->q_middle != NULL && stepper->u_middle != NULL && stepper->M != NULL &&
              stepper->h != NULL && stepper->x != NULL;
    ok = ok && stepper->chi != NULL && simulation->W != NULL;
    ok = ok && take_state(arena, stepper->system, &simulation->state[0]) &&
         take_state(arena, stepper->system, &simulation->state[1]) && take_integrator_memory(simulation) &&
         tp_simulation_take_shown(simulation);
    if (!ok) return TP_OUT_OF_MEMORY;
    const tp_integrator *integrator = simulation->integrator;
    if (simulation->options.projection.kind != TP_PROJECTION_NONE)
        TP_TRY(tp_projection_create(stepper, arena));
    if (integrator->leaves_out_rows != TP_LEAVES_OUT_NONE) {
        TP_TRY(tp_redundancy_create(simulation->allocator, stepper->system, &stepper->redundancy));
        bool keeps_all = integrator->leaves_out_rows == TP_LEAVES_OUT_UNLESS_FOLLOWED &&
                         follower_of_joints(simulation->model) != NULL;
        if (keeps_all) tp_redundancy_rest(stepper->redundancy);
    }
    return integrator->prepare != NULL ? integrator->prepare(stepper, arena) : TP_OK;
}

void tp_simulation_count_turns(tp_simulation *simulation, tp_state *state)
{
    if (simulation->angle_memory < 0) return;
    tp_system_move(simulation->stepper.system, state->t, state->q, state->u);
    tp_system_count_turns(simulation->stepper.system, state->memory[simulation->angle_memory]);
    memcpy(simulation->stepper.system->angle_reference, state->memory[simulation->angle_memory],
           (size_t)simulation->model->angle_count * sizeof(double));
}

/* Errors of a joint at the system's point. */
static void examine_joint(tp_simulation *simulation, int index, tp_step_report *report)
{
    tp_system *system = simulation->stepper.system;
    const tp_law *law = TP_LIST_AT(system->model->laws, tp_law, index);
    double chi[TP_LAW_ROWS], g[TP_LAW_ROWS];
    int count = tp_system_law_column_count(system, index);
    tp_system_law_positions(system, index, g);
    tp_system_law_rows(system, index, simulation->W, chi);
    for (int k = 0; k < law->row_count; k++) {
        bool is_angle = (law->angle_rows >> k & 1u) != 0;
        double *error = is_angle ? &report->angle_error : &report->position_error;
        double gamma = chi[k] + tp_row_velocity(count, tp_system_law_columns(system, index),
                                                simulation->W + k * count, system->u);
        if (law->level == TP_LEVEL_POSITION) *error = fmax(*error, fabs(g[k]));
        report->velocity_error = fmax(report->velocity_error, fabs(gamma));
    }
}

/* Energy and errors of joints and contacts at a state; the system is moved there. */
static void examine(tp_simulation *simulation, const tp_state *state, tp_step_report *report)
{
    tp_system *system = simulation->stepper.system;
    const tp_model *model = simulation->stepper.model; /* also the rigidity of affine bodies */
    tp_system_move(system, state->t, state->q, state->u);
    report->energy = tp_system_kinetic_energy(system) + tp_system_potential_energy(system);
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        if (law->level == TP_LEVEL_GAP)
            report->penetration = fmax(report->penetration, -tp_system_law_position(system, i));
        if (law->set.kind == TP_SET_FREE) examine_joint(simulation, i, report);
    }
}

void tp_simulation_begin_report(tp_simulation *simulation)
{
    tp_run_report *report = &simulation->report;
    tp_step_report now = {0};
    const tp_state *state = &simulation->state[simulation->present];
    tp_simulation_refer_to(simulation, state);
    examine(simulation, state, &now);
    simulation->last.energy = now.energy;
    simulation->last.position_error = now.position_error;
    simulation->last.angle_error = now.angle_error;
    simulation->last.velocity_error = now.velocity_error;
    simulation->last.penetration = now.penetration;
    simulation->iteration_sum = 0.0;

    tp_run_report fresh = {.time = state->t,
                           .start_time = state->t,
                           .start_count = simulation->count,
                           .energy_initial = now.energy,
                           .energy_final = now.energy,
                           .position_drift = now.position_error,
                           .angle_drift = now.angle_error,
                           .velocity_drift = now.velocity_error,
                           .penetration = now.penetration};
    fresh.solver = simulation->options.solver != NULL ? simulation->options.solver : "auto";
    fresh.form = tp_integrator_form(simulation->integrator, simulation->model, &simulation->options);
    fresh.warning_count = report->warning_count;
    memcpy(fresh.warnings, report->warnings, sizeof fresh.warnings);
    *report = fresh;
}

void tp_simulation_warn(tp_simulation *simulation, const char *text)
{
    tp_run_report *report = &simulation->report;
    tp_log_write(simulation->options.log, TP_LOG_WARNING, "%s", text);
    int room = (int)(sizeof report->warnings / sizeof report->warnings[0]);
    if (report->warning_count >= room) return;
    snprintf(report->warnings[report->warning_count++], sizeof report->warnings[0], "%s", text);
}

/* Where the scheme has a limit of omega dt, the stiffest smooth force must keep it. */
static void check_stability(tp_simulation *simulation)
{
    double limit = simulation->integrator->stability_limit != NULL
                       ? simulation->integrator->stability_limit(&simulation->options)
                       : INFINITY;
    double omega = simulation->model->summary.largest_frequency, dt = simulation->options.time_step;
    if (!(omega > 0.0) || !(omega * dt >= limit)) return;
    char text[256];
    if (limit > 0.0) {
        snprintf(text, sizeof text,
                 "the time step %g s exceeds the stability limit of the stiffest smooth force: omega = %.4g "
                 "rad/s, omega dt = %.3g must stay below %g",
                 dt, omega, omega * dt, limit);
    } else {
        snprintf(
            text, sizeof text,
            "with these options undamped vibrations grow at any time step; the stiffest smooth force has "
            "omega = %.4g rad/s, omega dt = %.3g",
            omega, omega * dt);
    }
    tp_simulation_warn(simulation, text);
}

/* With redundant joints reactions are not unique, and friction that follows them depends on the choice. */
static void check_friction(tp_simulation *simulation)
{
    const tp_model *model = simulation->model;
    int redundant = model->summary.constraint_count - model->summary.constraint_rank;
    const tp_law *law = follower_of_joints(model);
    if (law == NULL || redundant == 0) return;
    char text[256];
    snprintf(text, sizeof text,
             "'%.100s' follows the reaction of its joint, but %d of %d constraints are redundant: "
             "reactions are those of %s",
             law->name, redundant, model->summary.constraint_count,
             simulation->integrator->leaves_out_rows == TP_LEAVES_OUT_ALWAYS
                 ? "the independent rows that a step chooses"
                 : "least norm");
    tp_simulation_warn(simulation, text);
}

void tp_simulation_free(tp_simulation *simulation)
{
    if (simulation == NULL) return;
    tp_redundancy_free(simulation->stepper.redundancy);
    tp_system_free(simulation->stepper.system);
    tp_workspace_free(simulation->stepper.solver_memory);
    tp_arena_clear(&simulation->arena);
    simulation->allocator->release(simulation->allocator->context, simulation);
}

/* The initial state, and the integrator's memory there. */
static tp_status take_start(tp_simulation *simulation)
{
    tp_state *state = &simulation->state[0];
    tp_simulation_put(simulation, state, simulation->model->q0, simulation->model->u0);
    tp_simulation_count_turns(simulation, state);
    const tp_integrator *integrator = simulation->integrator;
    return integrator->start != NULL ? integrator->start(&simulation->stepper, state) : TP_OK;
}

/* Options that contradict each other. */
static tp_status check_combination(const tp_integrator *integrator, const tp_simulation_options *options,
                                   tp_message *why)
{
    if (integrator->realisation == TP_REALISE_QUATERNION &&
        options->consistent.bodies == TP_CONSISTENT_AFFINE)
        return tp_fail(why, TP_UNSUPPORTED,
                       "%s has unit quaternions and no affine bodies; consistent_bodies: affine is for "
                       "consistent, consistent-elastic, consistent-two-step and consistent-hybrid",
                       integrator->info.name);
    if (options->projection.kind != TP_PROJECTION_NONE && !integrator->may_project)
        return tp_fail(why, TP_UNSUPPORTED,
                       "%s holds positions by itself: projection is for schemes on velocity level",
                       integrator->info.name);
    return TP_OK;
}

tp_status tp_simulation_create_with(const tp_allocator *allocator, const tp_model *model,
                                    const tp_simulation_options *options, const tp_integrator *integrator,
                                    tp_simulation **simulation_out, tp_message *why_out)
{
    *simulation_out = NULL;
    if (allocator == NULL) allocator = tp_allocator_default();
    TP_TRY(tp_integrator_check(integrator, model, why_out));
    if (integrator->has_fixed_step) TP_TRY(check_whole_steps(integrator, options, why_out));
    TP_TRY(check_combination(integrator, options, why_out));

    tp_simulation *simulation = allocator->allocate(allocator->context, sizeof *simulation);
    if (simulation == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "%s", tp_status_text(TP_OUT_OF_MEMORY));
    memset(simulation, 0, sizeof *simulation);
    simulation->allocator = allocator;
    simulation->model = model;
    simulation->options = *options;
    simulation->integrator = integrator;
    tp_arena_init(&simulation->arena, allocator);
    tp_status status = tp_simulation_realise(simulation, why_out);
    if (status == TP_UNSUPPORTED) {
        tp_simulation_free(simulation);
        return status; /* with the body and the reason */
    }
    if (status == TP_OK) status = take_memory(simulation);
    if (status == TP_OK) status = take_start(simulation);
    if (status != TP_OK) {
        tp_simulation_free(simulation);
        return tp_fail(why_out, status, "%s", tp_status_text(status));
    }
    simulation->step_size = options->time_step;
    tp_simulation_begin_report(simulation);
    check_stability(simulation);
    check_friction(simulation);
    char text[256];
    if (integrator->warn != NULL && integrator->warn(&simulation->stepper, text, sizeof text))
        tp_simulation_warn(simulation, text);
    *simulation_out = simulation;
    return TP_OK;
}

tp_status tp_simulation_create(const tp_allocator *allocator, const tp_model *model,
                               const tp_simulation_options *options, tp_simulation **simulation_out,
                               tp_message *why_out)
{
    *simulation_out = NULL;
    if (!model->is_finished) return tp_fail(why_out, TP_INVALID_ARGUMENT, "the model is not finished");
    TP_TRY(check_options(options, why_out));
    const tp_integrator *integrator = tp_integrator_by_name(options->integrator);
    return tp_simulation_create_with(allocator, model, options, integrator, simulation_out, why_out);
}

static bool is_finite_state(const tp_simulation *simulation, const tp_state *state)
{
    for (int i = 0; i < simulation->stepper.system->q_count; i++) {
        if (!isfinite(state->q[i])) return false;
    }
    for (int j = 0; j < simulation->stepper.system->u_count; j++) {
        if (!isfinite(state->u[j])) return false;
    }
    for (int k = 0; k < simulation->memory_count; k++) {
        for (int i = 0; i < simulation->memory[0][k].count; i++) {
            if (!isfinite(state->memory[k][i])) return false;
        }
    }
    return true;
}

static void update_report(tp_simulation *simulation, double energy_before)
{
    tp_run_report *report = &simulation->report;
    const tp_step_report *last = &simulation->last;
    report->steps++;
    report->time = simulation->state[simulation->present].t;
    report->energy_final = last->energy;
    double increase = last->energy - energy_before - last->applied_work;
    if (report->steps == 1 || increase > report->largest_energy_increase)
        report->largest_energy_increase = increase;
    report->position_drift = fmax(report->position_drift, last->position_error);
    report->angle_drift = fmax(report->angle_drift, last->angle_error);
    report->velocity_drift = fmax(report->velocity_drift, last->velocity_error);
    report->penetration = fmax(report->penetration, last->penetration);
    report->impacts += last->impact_count;
    simulation->iteration_sum += last->iterations;
    report->iterations_mean = simulation->iteration_sum / (double)report->steps;
    if (last->iterations > report->iterations_max) report->iterations_max = last->iterations;
    report->residual_max = fmax(report->residual_max, last->residual);
    if (last->status == TP_NOT_CONVERGED) report->not_converged++;
}

static tp_status fail_step(tp_simulation *simulation, tp_status status, const tp_step_report *step)
{
    tp_run_report *report = &simulation->report;
    report->status = status;
    if (status == TP_NOT_CONVERGED || status == TP_INFEASIBLE) report->not_converged++;
    snprintf(report->reason, sizeof report->reason,
             "step %lld at t = %.9g s: %s (residual %.2e, %d iterations)", simulation->count + 1,
             simulation->state[simulation->present].t, tp_status_text(status), step->residual,
             step->iterations);
    return status;
}

static double grid_time(const tp_simulation *simulation, double origin, long long count)
{
    return origin + (double)count * simulation->options.time_step;
}

bool tp_simulation_fits_step(const tp_simulation *simulation, double dt)
{
    double step = simulation->options.time_step, t = simulation->state[simulation->present].t;
    double rounding = 8.0 * DBL_EPSILON * (fabs(t) + step); /* times are rounded */
    return !simulation->integrator->has_fixed_step || fabs(dt - step) <= step_remainder * step + rounding;
}

/* One step as the next of the grid of times; the last one of a run may end beside it. */
static tp_status take_step(tp_simulation *simulation, double t_goal)
{
    const tp_state *from = &simulation->state[simulation->present];
    tp_state *to = &simulation->state[1 - simulation->present];
    double dt = t_goal - from->t;
    if (!(dt > 0.0) || isinf(dt)) return TP_INVALID_ARGUMENT;
    if (!tp_simulation_fits_step(simulation, dt)) {
        snprintf(simulation->report.reason, sizeof simulation->report.reason,
                 "step %lld at t = %.9g s: %s needs steps of one length, %.9g s, not %.9g s",
                 simulation->count + 1, from->t, simulation->integrator->info.name,
                 simulation->options.time_step, dt);
        return simulation->report.status = TP_INVALID_ARGUMENT;
    }
    tp_step_report step = {0};
    tp_simulation_refer_to(simulation, from);
    step.status = simulation->integrator->step(&simulation->stepper, from, dt, to, &step);
    bool is_accepted =
        step.status == TP_OK || (step.status == TP_NOT_CONVERGED && simulation->options.accept_unconverged);
    if (!is_accepted) return fail_step(simulation, step.status, &step);
    to->t = t_goal;
    if (simulation->stepper.projection != NULL && is_finite_state(simulation, to)) {
        tp_status projected = tp_stepper_project(&simulation->stepper, to);
        if (projected != TP_OK &&
            !(projected == TP_NOT_CONVERGED && simulation->options.accept_unconverged)) {
            fail_step(simulation, projected, &step);
            snprintf(
                simulation->report.reason, sizeof simulation->report.reason,
                "step %lld at t = %.9g s: the positions cannot be projected onto the joints and contacts",
                simulation->count + 1, from->t);
            return projected;
        }
        if (projected == TP_NOT_CONVERGED) step.status = projected;
    }
    tp_simulation_count_turns(simulation, to);
    if (!is_finite_state(simulation, to)) {
        tp_status status = fail_step(simulation, TP_NOT_CONVERGED, &step);
        snprintf(simulation->report.reason, sizeof simulation->report.reason,
                 "step %lld at t = %.9g s: the state became infinite; a smaller time step may help",
                 simulation->count + 1, from->t);
        return status;
    }
    examine(simulation, to, &step);
    tp_simulation_show(simulation, to);
    double energy_before = simulation->last.energy;
    simulation->last = step;
    simulation->step_size = dt;
    simulation->present = 1 - simulation->present;
    simulation->count++;
    update_report(simulation, energy_before);
    return TP_OK;
}

/* A step of another length is the origin of the times that follow. */
tp_status tp_simulation_step(tp_simulation *simulation, double t_goal)
{
    TP_TRY(take_step(simulation, t_goal));
    if (t_goal != grid_time(simulation, simulation->origin, simulation->count)) {
        simulation->origin = t_goal;
        simulation->count = 0;
    }
    return TP_OK;
}

long long tp_simulation_steps_until(const tp_simulation *simulation, double origin, double end_time)
{
    return (long long)ceil((end_time - origin) / simulation->options.time_step - step_remainder);
}

static bool is_observed(tp_observer observe, void *context, const tp_simulation *simulation)
{
    return observe == NULL || observe(context, simulation);
}

tp_status tp_simulation_run(tp_simulation *simulation, tp_observer observe, void *context)
{
    double end = simulation->options.end_time, now = tp_simulation_time(simulation);
    if (now != grid_time(simulation, simulation->origin, simulation->count)) {
        simulation->origin = now; /* another time step, or after a last step that was shorter */
        simulation->count = 0;
    }
    long long last = tp_simulation_steps_until(simulation, simulation->origin, end);
    bool goes_on = is_observed(observe, context, simulation);
    while (goes_on && simulation->count < last) { /* times are multiples of the step, not sums of it */
        long long k = simulation->count + 1;
        TP_TRY(take_step(simulation, k == last ? end : grid_time(simulation, simulation->origin, k)));
        goes_on = is_observed(observe, context, simulation);
    }
    simulation->report.status = goes_on ? TP_OK : TP_INTERRUPTED;
    snprintf(simulation->report.reason, sizeof simulation->report.reason, "%s",
             goes_on ? "end time reached" : "interrupted");
    return simulation->report.status;
}

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
