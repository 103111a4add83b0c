/* What a simulation reports: energy and errors at each state, the worst of a run. */
#include "simulation/inside.h"

#include <math.h>
#include <string.h>

/* Errors of a joint at the system's point, whose rows a correction may have found there already. */
static void examine_joint(tp_simulation *simulation, double t, int index, tp_step_report *report)
{
    tp_system *system = simulation->stepper.system;
    const tp_law *law = tp_system_law(system, index);
    double chi[TP_LAW_ROWS], g[TP_LAW_ROWS], gamma[TP_LAW_ROWS];
    const int *columns, count = tp_system_columns_of(system, index, &columns);
    tp_joint_rows rows = {simulation->W, chi, g};
    if (!tp_redundancy_knows(simulation->stepper.redundancy, index, &rows)) {
        tp_system_law_positions(system, index, g);
        tp_system_law_rows(system, index, simulation->W, chi);
    }
    for (int k = 0; k < law->row_count; k++) {
        bool is_angle = tp_law_is_angle(law, k);
        double *error = is_angle ? &report->angle_error : &report->position_error,
               *rate_error = is_angle ? &report->angular_velocity_error : &report->velocity_error;
        gamma[k] = rows.chi[k] + tp_row_velocity(count, columns, rows.W + k * count, system->u);
        if (law->level == TP_LEVEL_POSITION) *error = fmax(*error, fabs(rows.g[k]));
        *rate_error = fmax(*rate_error, fabs(gamma[k]));
    }
    tp_watch_joint(simulation, &(tp_law_state){t, index, rows.g, gamma, rows.W});
}

/* Pairs of one task, at least; ranges of them whose findings are kept apart, at most. */
enum { PAIRS_OF_TASK = 512, RANGES_MOST = 64 };

typedef struct gap_search {
    const tp_simulation *simulation;
    int range;
    double depth[RANGES_MOST]; /* of each range of pairs */
    bool is_quiet[RANGES_MOST];
} gap_search;

static void search_gaps(void *context, int begin, int end)
{
    gap_search *all = context;
    const tp_simulation *simulation = all->simulation;
    tp_system *system = simulation->stepper.system;
    double depth = 0.0;
    bool is_quiet = true;
    for (int k = begin; k < end; k++) {
        const tp_near_pair *pair = &system->pairs[k];
        for (int i = 0; i < pair->point_count; i++) {
            int law = system->fixed_count + pair->first + i;
            double gap = tp_system_law_position(system, law);
            depth = fmax(depth, -gap);
            is_quiet = is_quiet && tp_watch_is_quiet(simulation, law, gap);
        }
    }
    all->depth[begin / all->range] = depth;
    all->is_quiet[begin / all->range] = is_quiet;
}

/* Gaps of contacts between shapes; those with something to remember or to warn of are watched in order. */
static void examine_contacts(tp_simulation *simulation, double t, tp_step_report *report)
{
    tp_system *system = simulation->stepper.system;
    gap_search all = {.simulation = simulation, .range = system->pair_count / RANGES_MOST + PAIRS_OF_TASK};
    if (system->law_count > system->fixed_count)
        (void)tp_system_contact_point(system, system->fixed_count); /* tasks read them */
    tp_pool_share(system->pool, system->pair_count, all.range, search_gaps, &all);
    for (int number = 0, begin = 0; begin < system->pair_count; number++, begin += all.range) {
        report->penetration = fmax(report->penetration, all.depth[number]);
        for (int k = begin; k < begin + all.range && k < system->pair_count && !all.is_quiet[number]; k++) {
            const tp_near_pair *pair = &system->pairs[k];
            for (int law = system->fixed_count + pair->first, i = 0; i < pair->point_count; i++)
                tp_watch_gap(simulation, t, law + i, tp_system_law_position(system, law + i));
        }
    }
}

void tp_simulation_examine(tp_simulation *simulation, const tp_state *state, tp_step_report *report)
{
    tp_system *system = simulation->stepper.system;
    tp_system_move(system, state->t, state->q, state->u);
    double kinetic = tp_system_kinetic_energy(system), potential = tp_system_potential_energy(system);
    report->energy = kinetic + potential;
    report->storage = tp_system_storage(system);
    tp_watch_energies(simulation, kinetic, potential);
    for (int i = 0; i < system->fixed_count; i++) { /* also the rigidity of affine bodies */
        const tp_law *law = tp_system_law(system, i);
        if (law->level == TP_LEVEL_GAP) {
            double gap = tp_system_law_position(system, i);
            double *depth = tp_law_is_angle(law, 0) ? &report->limit_angle : &report->penetration;
            *depth = fmax(*depth, -gap);
            tp_watch_gap(simulation, state->t, i, gap);
        }
        if (law->set.kind == TP_SET_FREE) examine_joint(simulation, state->t, i, report);
    }
    examine_contacts(simulation, state->t, report);
}

void tp_simulation_settle(tp_simulation *simulation)
{
    const tp_state *state = &simulation->state[simulation->present];
    tp_simulation_refer_to(simulation, state);
    tp_system_move(simulation->stepper.system, state->t, state->q, state->u);
    simulation->is_at_present = true;
}

void tp_simulation_begin_report(tp_simulation *simulation)
{
    tp_run_report *report = &simulation->report;
    tp_step_report now = {0};
    const tp_state *state = &simulation->state[simulation->present];
    tp_simulation_refer_to(simulation, state);
    tp_watch_begin(simulation, state);
    tp_simulation_examine(simulation, state, &now);
    tp_simulation_note_motion(simulation, 0.0);
    simulation->is_at_present = true;
    simulation->stepper.solved = NULL; /* what the start of an integrator solved is not a step */
    tp_simulation_begin_events(simulation, state);
    simulation->last.energy = now.energy;
    simulation->last.storage = now.storage;
    simulation->last.position_error = now.position_error;
    simulation->last.angle_error = now.angle_error;
    simulation->last.velocity_error = now.velocity_error;
    simulation->last.angular_velocity_error = now.angular_velocity_error;
    simulation->last.penetration = now.penetration;
    simulation->last.limit_angle = now.limit_angle;
    simulation->iteration_sum = 0.0;

    tp_run_report fresh = {.time = state->t,
                           .start_time = state->t,
                           .start_count = simulation->count,
                           .energy_initial = now.energy,
                           .energy_final = now.energy,
                           .storage_initial = now.storage,
                           .storage_final = now.storage,
                           .position_drift = now.position_error,
                           .angle_drift = now.angle_error,
                           .velocity_drift = now.velocity_error,
                           .angular_velocity_drift = now.angular_velocity_error,
                           .penetration = now.penetration,
                           .limit_angle = now.limit_angle};
    fresh.is_corrected = simulation->options.correction.is_on;
    fresh.solver = simulation->options.solver != NULL ? simulation->options.solver : "auto";
    fresh.form = tp_integrator_form(simulation->integrator, simulation->model, &simulation->options);
    if (simulation->integrator->caveat != NULL)
        fresh.caveat = simulation->integrator->caveat(simulation->model, &simulation->options);
    fresh.warning_count = report->warning_count;
    fresh.warnings_left_out = report->warnings_left_out;
    memcpy(fresh.warnings, report->warnings, sizeof fresh.warnings);
    *report = fresh;
}

static void add_own_step(tp_run_report *report, const tp_own_step *step)
{
    if (step->size == 0.0) return;
    bool is_first = report->own_steps++ == 0;
    report->rejections += step->rejections;
    report->evaluations += step->evaluations;
    report->projections += step->projections;
    report->shortest_step = is_first ? step->size : fmin(report->shortest_step, step->size);
    report->longest_step = fmax(report->longest_step, step->size);
}

void tp_simulation_update_report(tp_simulation *simulation, double energy_before)
{
    tp_run_report *report = &simulation->report;
    const tp_step_report *last = &simulation->last;
    double more = last->storage - report->storage_final;
    if (report->steps == 0 || more > report->largest_storage_increase)
        report->largest_storage_increase = more;
    report->storage_final = last->storage;
    report->steps++;
    report->time = simulation->state[simulation->present].t;
    report->energy_final = last->energy;
    double increase = last->energy - energy_before - last->applied_work;
    if (report->steps == 1 || increase > report->largest_energy_increase)
        report->largest_energy_increase = increase;
    report->position_drift = fmax(report->position_drift, last->position_error);
    report->angle_drift = fmax(report->angle_drift, last->angle_error);
    report->velocity_drift = fmax(report->velocity_drift, last->velocity_error);
    report->angular_velocity_drift = fmax(report->angular_velocity_drift, last->angular_velocity_error);
    report->penetration = fmax(report->penetration, last->penetration);
    report->limit_angle = fmax(report->limit_angle, last->limit_angle);
    report->impacts += last->impact_count;
    report->correction = fmax(report->correction, last->correction);
    report->correction_energy += last->correction_energy;
    simulation->iteration_sum += last->iterations;
    report->iterations_mean = simulation->iteration_sum / (double)report->steps;
    if (last->iterations > report->iterations_max) report->iterations_max = last->iterations;
    if (last->solution_count > report->solutions_max) report->solutions_max = last->solution_count;
    report->residual_max = fmax(report->residual_max, last->residual);
    report->margin_max = fmax(report->margin_max, last->margin);
    bool is_solved = last->status != TP_NOT_CONVERGED;
    if (is_solved && last->residual > simulation->options.tolerance) report->above_tolerance++;
    if (last->status == TP_NOT_CONVERGED) report->not_converged++;
    add_own_step(report, &last->own_step);
    const tp_integrator *integrator = simulation->integrator;
    if (integrator->statistics != NULL)
        report->statistic_count = integrator->statistics(&simulation->stepper, report->statistics);
    tp_watch_step(simulation, energy_before);
}
