/* A step that has no solution is taken in parts; docs/theory/simulation.md. */
#include "integrator/relaxation.h"
#include "simulation/inside.h"
#include "simulation/tolerances.h"

#include <math.h>
#include <string.h>

/* What 64 parts do not solve is not a matter of the step. */
enum { MOST_PARTS = 64 };

bool tp_simulation_divides(const tp_integrator *integrator)
{
    return integrator->may_divide || integrator->has_fixed_step;
}

bool tp_simulation_may_divide(const tp_simulation *simulation, tp_status status)
{
    /* where the integrator knows the cause, its message says what helps; that a whole step has no solution
       says nothing of its parts, unless it is its impact at the start, which is that of the first part too */
    const tp_stepper *stepper = &simulation->stepper;
    bool starts_anew = simulation->integrator->has_fixed_step;
    bool may_help = (status == TP_INFEASIBLE && !stepper->has_no_impact) ||
                    (status == TP_NOT_CONVERGED && (starts_anew || stepper->cause[0] == '\0'));
    return may_help && tp_simulation_divides(simulation->integrator) && !tp_stepper_accepts(stepper, status);
}

/* Whether a contact pushes. */
static bool has_push(const tp_simulation *simulation, const tp_state *state)
{
    const tp_system *system = simulation->stepper.system;
    for (int i = 0; i < system->law_count; i++) {
        bool is_gap = tp_system_law(system, i)->level == TP_LEVEL_GAP;
        if (is_gap && state->is_closed[i] && state->impulse[i * TP_LAW_ROWS] > 0.0) return true;
    }
    return false;
}

/* Where impulses act at states, shown velocities are means over them; what goes on from a state is the
   velocity of the interval after it, their first memory. */
static const double *velocity_after(const tp_simulation *simulation, const tp_state *state)
{
    bool is_mean = simulation->integrator->has_impulses_at_states && has_push(simulation, state);
    return is_mean ? state->memory[0] : state->u;
}

/* The memory of an integrator with steps of one length, for steps of the options' length from a state on: as
   if a run started there. The state that is started is a part's. */
static tp_status start_part(tp_simulation *simulation, const tp_state *at, tp_state *part)
{
    const tp_system *system = simulation->stepper.system;
    size_t laws = (size_t)system->law_count;
    part->t = at->t;
    memcpy(part->u, velocity_after(simulation, at), (size_t)system->u_count * sizeof(double));
    if (part->q != at->q) memcpy(part->q, at->q, (size_t)system->q_count * sizeof(double));
    memcpy(part->impulse, at->impulse, laws * TP_LAW_ROWS * sizeof(double));
    memcpy(part->is_closed, at->is_closed, laws);
    return simulation->integrator->start(&simulation->stepper, part);
}

/* The memory that a part has, into the state that the next whole step starts from. */
static tp_status start_whole(tp_simulation *simulation, tp_state *to)
{
    const tp_integrator *integrator = simulation->integrator;
    tp_state *part = &simulation->part[0];
    TP_TRY(start_part(simulation, to, part));
    for (int i = 0; integrator->memory[i].name != NULL; i++)
        memcpy(to->memory[i], part->memory[i], (size_t)simulation->memory[0][i].count * sizeof(double));
    size_t bytes = (size_t)simulation->stepper.system->law_count * TP_LAW_ROWS * sizeof(double);
    for (int k = 0; k < TP_FORCE_PARTS && integrator->info.keeps_forces; k++)
        memcpy(to->force[k], part->force[k], bytes);
    return TP_OK;
}

/* A function of the step alone, so that a restart decides in the same way. Contacts may give back what they
   took (and velocities are means in impacts), the work of loads is known to the order of the scheme, and
   where options ask for damping a vibration may begin with a jump. */
bool tp_simulation_explodes(const tp_simulation *simulation, const tp_state *from, const tp_state *to,
                            const tp_step_report *step)
{
    const tp_integrator *integrator = simulation->integrator;
    tp_system *system = simulation->stepper.system;
    if (!tp_simulation_divides(integrator)) return false;
    if (integrator->yields && simulation->stepper.tear > 1.0) return true;
    if (tp_system_has_applied_power(system) ||
        (integrator->balances_energy && step->residual <= tp_doubtful_residual) ||
        (integrator->damps_vibrations != NULL && integrator->damps_vibrations(&simulation->options)) ||
        has_push(simulation, from) || has_push(simulation, to))
        return false;
    tp_system_move(system, to->t, to->q, to->u);
    double after = tp_system_kinetic_energy(system), potential = tp_system_potential_energy(system),
           gain = after + potential - simulation->last.energy,
           size = fmax(after, fmax(fabs(potential), fabs(simulation->last.energy)));
    if (integrator->balances_energy) return gain > tp_balance_share * after + tp_energy_rounding * size;
    if (gain <= tp_explosion_share * after) return false;
    tp_system_move(system, from->t, from->q, from->u);
    double before = tp_system_kinetic_energy(system);
    return after > tp_explosion_growth * before && after < tp_explosion_start * before;
}

/* What a part adds to the report of the step. */
static void add_part(const tp_step_report *part, tp_step_report *step_io)
{
    step_io->iterations += part->iterations;
    step_io->work += part->work;
    step_io->applied_work += part->applied_work;
    step_io->residual = fmax(step_io->residual, part->residual);
    step_io->margin = fmax(step_io->margin, part->margin);
    step_io->contact_count = part->contact_count;
    step_io->island_count = part->island_count;
    step_io->unsolved_count += part->unsolved_count;
    step_io->unsolved_error = fmax(step_io->unsolved_error, part->unsolved_error);
}

/* So many parts of one length. Impulses are those of the whole step; a law took part if it did in any part.
 */
static tp_status take_parts(tp_simulation *simulation, int count, const tp_state *from, tp_state *to,
                            tp_step_report *step_io)
{
    tp_stepper *stepper = &simulation->stepper;
    int laws = stepper->system->law_count, rows = laws * TP_LAW_ROWS;
    tp_state *sum = &simulation->part[2];
    const tp_state *at = from;
    for (int k = 0; k < 3; k++) {
        memset(simulation->part[k].impulse, 0, (size_t)rows * sizeof(double));
        memset(simulation->part[k].is_closed, 0, (size_t)laws);
    }
    tp_account_begin(&stepper->account, stepper->system->pool, laws);
    stepper->cause[0] = '\0';
    tp_stepper_begin(stepper, from);
    stepper->tear = 0.0;
    if (simulation->integrator->has_fixed_step) {
        at = &simulation->part[0];
        TP_TRY(start_part(simulation, from, &simulation->part[0]));
    }
    for (int k = 1; k <= count; k++) {
        tp_state *next = k < count ? &simulation->part[k % 2] : to;
        tp_step_report part = {0};
        if (stepper->interrupt != NULL && stepper->interrupt(stepper->interrupt_context))
            return TP_INTERRUPTED;
        if (k < count) next->t = from->t + (to->t - from->t) * k / count;
        tp_status status = simulation->integrator->step(stepper, at, next->t - at->t, next, &part);
        add_part(&part, step_io);
        if (!tp_stepper_accepts(stepper, status)) return status;
        for (int i = 0; i < rows; i++) sum->impulse[i] += next->impulse[i];
        for (int i = 0; i < laws; i++) sum->is_closed[i] |= next->is_closed[i];
        at = next;
    }
    memcpy(to->impulse, sum->impulse, (size_t)rows * sizeof(double));
    memcpy(to->is_closed, sum->is_closed, (size_t)laws);
    return TP_OK;
}

/* The step in so many parts, and the memory for the next one. */
static tp_status divide(tp_simulation *simulation, int count, const tp_state *from, tp_state *to,
                        tp_step_report *step_out)
{
    tp_stepper *stepper = &simulation->stepper;
    tp_simulation_options shorter = simulation->options;
    shorter.relaxed.delta = tp_relaxed_time(&simulation->options); /* the same motion, in shorter steps */
    shorter.time_step /= count;
    stepper->options = &shorter;
    tp_status status = take_parts(simulation, count, from, to, step_out);
    if (status == TP_OK && simulation->integrator->has_fixed_step) {
        stepper->options = &simulation->options;
        status = start_whole(simulation, to);
        bool may_wait = status == TP_NOT_CONVERGED || status == TP_INFEASIBLE;
        if (may_wait && simulation->integrator->wait_to_start != NULL) {
            simulation->integrator->wait_to_start(to);
            status = TP_OK;
        }
    }
    stepper->options = &simulation->options;
    return status;
}

tp_status tp_simulation_divide_step(tp_simulation *simulation, const tp_state *from, tp_state *to,
                                    tp_step_report *step_io)
{
    const tp_step_report whole = *step_io;
    tp_stepper *stepper = &simulation->stepper;
    char cause[sizeof stepper->cause];
    memcpy(cause, stepper->cause, sizeof cause);
    for (int count = 2; count <= MOST_PARTS; count *= 2) {
        tp_step_report step = {.iterations = step_io->iterations, .work = step_io->work};
        tp_status status = divide(simulation, count, from, to, &step);
        step_io->iterations = step.iterations;
        step_io->work = step.work;
        if (status == TP_INTERRUPTED) return status;
        if (status != TP_OK) continue;
        bool is_finest = count == MOST_PARTS && simulation->integrator->yields; /* better than the whole */
        if (tp_simulation_explodes(simulation, from, to, &step) && !is_finest) continue;
        *step_io = step;
        step_io->part_count = count;
        step_io->is_proven = whole.status == TP_INFEASIBLE;
        return TP_OK;
    }
    step_io->residual = whole.residual; /* the message is about the step that was asked for */
    memcpy(stepper->cause, cause, sizeof cause);
    return whole.status;
}
