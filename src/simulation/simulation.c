/* The loop: steps, and what is checked after each step; docs/theory/simulation.md. */
#include "integrator/correction.h"
#include "simulation/inside.h"
#include "simulation/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

void tp_simulation_count_turns(tp_simulation *simulation, tp_state *state)
{
    if (simulation->angle_memory < 0) return;
    tp_system_move(simulation->stepper.system, state->t, state->q, state->u);
    tp_system_count_turns(simulation->stepper.system, state->memory[simulation->angle_memory]);
    tp_system_refer_angles(simulation->stepper.system, state->memory[simulation->angle_memory]);
}

enum { STUCK_STEPS = 50 };

/* Bodies that throw each other, one after the other, within one step. */
enum { MOST_REPEATS = 8 };

typedef struct numbers {
    const double *values;
    atomic_bool is_wrong; /* one is not finite */
} numbers;

enum { NUMBERS_OF_TASK = 8192 };

static bool are_some_finite(const double *values, int begin, int end)
{
    int i = begin;
    while (i < end && isfinite(values[i])) i++;
    return i == end;
}

static void check_some(void *context, int begin, int end)
{
    numbers *all = context;
    if (!are_some_finite(all->values, begin, end)) atomic_store(&all->is_wrong, true);
}

static bool are_finite(tp_pool *pool, const double *values, int count)
{
    numbers all = {.values = values};
    if (count <= NUMBERS_OF_TASK) return are_some_finite(values, 0, count);
    atomic_init(&all.is_wrong, false);
    tp_pool_share(pool, count, NUMBERS_OF_TASK, check_some, &all);
    return !atomic_load(&all.is_wrong);
}

static bool is_finite_state(const tp_simulation *simulation, const tp_state *state)
{
    const tp_system *system = simulation->stepper.system;
    tp_pool *pool = system->pool;
    int k = 0;
    while (k < simulation->memory_count && are_finite(pool, state->memory[k], simulation->memory[0][k].count))
        k++;
    return k == simulation->memory_count && are_finite(pool, state->q, system->q_count) &&
           are_finite(pool, state->u, system->u_count) &&
           are_finite(pool, state->x, system->model->states.count) &&
           are_finite(pool, state->multiplier, system->model->outputs.count);
}

static tp_status fail_step(tp_simulation *simulation, tp_status status, const tp_step_report *step)
{
    tp_run_report *report = &simulation->report;
    report->status = status;
    if (status == TP_NOT_CONVERGED || status == TP_INFEASIBLE) report->not_converged++;
    tp_simulation_describe_failure(simulation, status, step);
    return status;
}

static double grid_time(const tp_simulation *simulation, double origin, long long count)
{
    return origin + (double)count * simulation->options.time_step;
}

/* Does the run go on to the next multiple of the step? Not with another time step, or after a last step that
   was shorter. An integrator that chooses its steps may be between two multiples. */
static bool is_on_grid(const tp_simulation *simulation)
{
    double now = tp_simulation_time(simulation),
           t = grid_time(simulation, simulation->origin, simulation->count),
           next = grid_time(simulation, simulation->origin, simulation->count + 1);
    return now == t || (simulation->integrator->info.chooses_steps && now > t && now < next);
}

bool tp_simulation_is_row(const tp_simulation *simulation)
{
    if (simulation == NULL) return false;
    double now = tp_simulation_time(simulation);
    return !simulation->integrator->info.chooses_steps || simulation->is_at_start ||
           now == grid_time(simulation, simulation->origin, simulation->count) ||
           now == simulation->options.end_time;
}

bool tp_simulation_fits_step(const tp_simulation *simulation, double dt)
{
    double step = simulation->options.time_step, t = simulation->state[simulation->present].t;
    double rounding = 8.0 * DBL_EPSILON * (fabs(t) + step); /* times are rounded */
    return !simulation->integrator->has_fixed_step || fabs(dt - step) <= tp_step_remainder * step + rounding;
}

/* The end of a step onto its joints and contacts, where the options ask for it. What a projection cannot
   reach is left and reported. */
static tp_status project_end(tp_simulation *simulation, tp_state *to, tp_step_report *step)
{
    if (simulation->stepper.projection == NULL || !is_finite_state(simulation, to)) return TP_OK;
    tp_status projected = tp_stepper_project(&simulation->stepper, to);
    if (projected == TP_NOT_CONVERGED) {
        tp_warning warning = tp_warning_of(TP_WARNING_POSITIONS_LEFT);
        warning.figure = tp_stepper_projection_left(&simulation->stepper);
        warning.time = to->t;
        tp_simulation_warn(simulation, &warning);
    }
    return projected == TP_OUT_OF_MEMORY ? fail_step(simulation, projected, step) : TP_OK;
}

/* A correction may leave errors to the next steps; they must get smaller, one day. */
static void watch_correction(tp_simulation *simulation, const tp_step_report *step, double t)
{
    double left = fmax(step->position_error, step->penetration);
    bool is_stuck =
        left > tp_stuck_error * simulation->model->summary.size && left >= tp_stuck_share * step->correction;
    simulation->stuck_steps = is_stuck ? simulation->stuck_steps + 1 : 0;
    if (simulation->stuck_steps < STUCK_STEPS) return;
    tp_warning warning = tp_warning_of(TP_WARNING_POSITIONS_LEFT);
    warning.figure = left;
    warning.time = t;
    tp_simulation_warn(simulation, &warning);
}

/* What the integrator has met in its steps. */
static void warn_of_step(tp_simulation *simulation)
{
    const tp_integrator_warning *notice = &simulation->integrator->notice;
    if (simulation->last.part_count > 0) {
        tp_warning divided = tp_warning_of(TP_WARNING_DIVIDED_STEP);
        divided.figure = simulation->last.part_count;
        if (simulation->last.is_proven)
            snprintf(divided.text, sizeof divided.text,
                     "a step is proven to have no solution and was taken in parts");
        tp_simulation_warn(simulation, &divided);
    }
    if (notice->is_due == NULL) return;
    for (tp_warning warning = tp_warning_of(notice->kind); notice->is_due(&simulation->stepper, &warning);)
        tp_simulation_warn(simulation, &warning);
}

/* A step of the integrator, again while impulses throw bodies farther than contacts were looked for: each
   time there are more of them. */
static tp_status step_with_all_contacts(tp_simulation *simulation, const tp_state *from, double t_goal,
                                        tp_state *to, tp_step_report *step_out)
{
    tp_stepper *stepper = &simulation->stepper;
    int iterations = 0;
    for (int tries = 1;; tries++) {
        stepper->cause[0] = '\0';
        stepper->has_no_impact = false;
        tp_stepper_begin(stepper, from);
        stepper->solved = NULL;
        stepper->has_no_end = false;
        stepper->tear = 0.0;
        tp_account_begin(&stepper->account, stepper->system->pool, stepper->system->law_count);
        to->t = t_goal;
        *step_out = (tp_step_report){0};
        tp_status status = simulation->integrator->step(stepper, from, t_goal - from->t, to, step_out);
        bool is_more = false;
        step_out->iterations = iterations += step_out->iterations;
        if (!tp_stepper_accepts(stepper, status) || tries > MOST_REPEATS) return status;
        TP_TRY(tp_simulation_find_missed(simulation, to, &is_more));
        if (!is_more) return status;
    }
}

/* How far a step may look ahead: to the end of a run, unless something may change at the times that are asked
   for (inputs, which shapes are near). */
static double limit_of(const tp_simulation *simulation, double t_goal, bool is_run)
{
    bool changes = simulation->model->inputs.count > 0 || simulation->stepper.system->contacts != NULL;
    return is_run && !changes ? fmax(t_goal, simulation->options.end_time) : t_goal;
}

/* One step as the next of the grid of times; the last one of a run may end beside it. An integrator that
   chooses its steps may end it earlier. */
static tp_status take_step(tp_simulation *simulation, double t_goal, bool is_run)
{
    const tp_state *from = &simulation->state[simulation->present];
    tp_state *to = &simulation->state[1 - simulation->present];
    double dt = t_goal - from->t;
    if (!(dt > 0.0) || isinf(dt)) {
        snprintf(simulation->report.reason, sizeof simulation->report.reason,
                 "step %lld at t = %.9g s: it cannot end at %.9g s", simulation->count + 1, from->t, t_goal);
        return TP_INVALID_ARGUMENT;
    }
    if (!tp_simulation_fits_step(simulation, dt)) {
        snprintf(simulation->report.reason, sizeof simulation->report.reason,
                 "step %lld at t = %.9g s: %s needs steps of one length, %.9g s, not %.9g s",
                 simulation->count + 1, from->t, simulation->integrator->info.name,
                 simulation->options.time_step, dt);
        return simulation->report.status = TP_INVALID_ARGUMENT;
    }
    tp_step_report step = {0};
    tp_status found = tp_simulation_find_contacts(simulation, dt);
    if (found != TP_OK) return fail_step(simulation, found, &step);
    simulation->is_at_present = false;
    tp_simulation_refer_to(simulation, from);
    double jump = tp_simulation_apply_inputs(simulation, from, to);
    simulation->stepper.limit = limit_of(simulation, t_goal, is_run);
    simulation->stepper.last_step = simulation->is_at_start ? 0.0 : simulation->step_size;
    tp_workspace_next_step(simulation->stepper.solver_memory);
    step.status = step_with_all_contacts(simulation, from, t_goal, to, &step);
    if (tp_simulation_may_divide(simulation, step.status)) {
        step.status = tp_simulation_divide_step(simulation, from, to, &step);
    } else if (step.status == TP_OK && tp_simulation_explodes(simulation, from, to, &step)) {
        step.status = TP_NOT_CONVERGED;
        step.status = tp_simulation_divide_step(simulation, from, to, &step);
        if (step.status != TP_OK) step.status = step_with_all_contacts(simulation, from, t_goal, to, &step);
    }
    if (!tp_stepper_accepts(&simulation->stepper, step.status))
        return fail_step(simulation, step.status, &step);
    if (simulation->integrator->info.chooses_steps) dt = to->t - from->t;
    step.applied_work += jump;
    TP_TRY(project_end(simulation, to, &step));
    bool is_corrected = simulation->stepper.correction != NULL && is_finite_state(simulation, to);
    if (is_corrected) tp_stepper_correct(&simulation->stepper, from, dt, to, &step);
    tp_simulation_count_turns(simulation, to);
    if (!is_finite_state(simulation, to)) {
        tp_status status = fail_step(simulation, TP_NOT_CONVERGED, &step);
        snprintf(simulation->report.reason, sizeof simulation->report.reason,
                 "step %lld at t = %.9g s: the state became infinite; a smaller time step may help",
                 simulation->count + 1, from->t);
        return status;
    }
    simulation->step_size = dt;
    tp_simulation_examine(simulation, to, &step);
    tp_watch_passages(simulation, to);
    if (is_corrected) {
        step.correction_energy += step.energy; /* that before it is in there */
        watch_correction(simulation, &step, to->t);
    }
    tp_simulation_note_motion(simulation, dt);
    step.impact_count = tp_simulation_find_events(simulation, from, to);
    tp_simulation_hold_tangents(simulation, to);
    tp_simulation_show(simulation, to);
    double energy_before = simulation->last.energy;
    simulation->last = step;
    simulation->is_at_present = true;
    simulation->is_at_start = false;
    simulation->present = 1 - simulation->present;
    simulation->count += to->t == t_goal;
    tp_simulation_update_report(simulation, energy_before);
    warn_of_step(simulation);
    return TP_OK;
}

void tp_simulation_set_interrupt(tp_simulation *simulation, tp_interrupt interrupt, void *context)
{
    if (simulation == NULL) return;
    simulation->stepper.interrupt = interrupt;
    simulation->stepper.interrupt_context = context;
}

/* A step of another length is the origin of the times that follow. */
tp_status tp_simulation_step(tp_simulation *simulation, double t_goal, tp_message *why_out)
{
    if (simulation == NULL) return tp_fail(why_out, TP_INVALID_ARGUMENT, "the simulation is NULL");
    do {
        tp_status status = take_step(simulation, t_goal, false);
        if (status != TP_OK) return tp_fail(why_out, status, "%s", simulation->report.reason);
    } while (tp_simulation_time(simulation) < t_goal);
    if (t_goal != grid_time(simulation, simulation->origin, simulation->count)) {
        simulation->origin = t_goal;
        simulation->count = 0;
    }
    return TP_OK;
}

long long tp_simulation_steps_until(const tp_simulation *simulation, double origin, double end_time)
{
    double steps = (end_time - origin) / simulation->options.time_step;
    bool is_rounding = end_time - origin <= tp_time_rounding * fmax(fabs(end_time), fabs(origin));
    if (!is_rounding && steps <= tp_step_remainder) return 1; /* the run is a small part of its step */
    return (long long)ceil(steps - tp_step_remainder);
}

static bool is_observed(tp_observer observe, void *context, const tp_simulation *simulation)
{
    return observe == NULL || observe(context, simulation);
}

static void conclude_run(tp_simulation *simulation, bool is_at_end)
{
    tp_run_report *report = &simulation->report;
    bool is_refused = is_at_end && simulation->options.strict && report->warning_count > 0;
    report->status = is_refused ? TP_WARNED : (is_at_end ? TP_OK : TP_INTERRUPTED);
    snprintf(report->reason, sizeof report->reason, "%s", is_at_end ? "end time reached" : "interrupted");
    if (is_refused)
        snprintf(report->reason, sizeof report->reason,
                 "end time reached with %d warning%s, and the run is strict", report->warning_count,
                 report->warning_count > 1 ? "s" : "");
}

tp_status tp_simulation_run(tp_simulation *simulation, tp_observer observe, void *context,
                            tp_message *why_out)
{
    if (simulation == NULL) return tp_fail(why_out, TP_INVALID_ARGUMENT, "the simulation is NULL");
    double end = simulation->options.end_time, now = tp_simulation_time(simulation);
    if (!is_on_grid(simulation)) {
        simulation->origin = now;
        simulation->count = 0;
    }
    long long last = tp_simulation_steps_until(simulation, simulation->origin, end);
    bool goes_on = is_observed(observe, context, simulation);
    while (goes_on && simulation->count < last) { /* times are multiples of the step, not sums of it */
        long long k = simulation->count + 1;
        double t_goal = k == last ? end : grid_time(simulation, simulation->origin, k);
        tp_status status = take_step(simulation, t_goal, true);
        goes_on = status != TP_INTERRUPTED;
        if (!goes_on) break;
        if (status != TP_OK) return tp_fail(why_out, status, "%s", simulation->report.reason);
        goes_on = is_observed(observe, context, simulation);
    }
    conclude_run(simulation, goes_on);
    if (simulation->report.status == TP_OK) return TP_OK;
    return tp_fail(why_out, simulation->report.status, "%s", simulation->report.reason);
}
