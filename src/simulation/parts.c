/* A step that has no solution is taken in parts; docs/theory/simulation.md. */
#include "simulation/inside.h"

#include <math.h>
#include <string.h>

/* What 64 parts do not solve is not a matter of the step. */
enum { MOST_PARTS = 64 };

bool tp_simulation_may_divide(const tp_simulation *simulation, tp_status status)
{
    /* where the integrator knows the cause, its message says what helps; that a whole step has no solution
       says nothing of its parts, unless it is its impact at the start, which is that of the first part too */
    const tp_stepper *stepper = &simulation->stepper;
    bool may_help = (status == TP_INFEASIBLE && !stepper->has_no_impact) ||
                    (status == TP_NOT_CONVERGED && stepper->cause[0] == '\0');
    return may_help && simulation->integrator->may_divide && !tp_stepper_accepts(stepper, status);
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
    memset(sum->impulse, 0, (size_t)rows * sizeof(double));
    memset(sum->is_closed, 0, (size_t)laws);
    tp_account_begin(&stepper->account, laws);
    stepper->cause[0] = '\0';
    stepper->unsolved = NULL;
    stepper->is_usable = false;
    for (int k = 1; k <= count; k++) {
        tp_state *next = k < count ? &simulation->part[k % 2] : to;
        tp_step_report part = {0};
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

tp_status tp_simulation_divide_step(tp_simulation *simulation, const tp_state *from, tp_state *to,
                                    tp_step_report *step_io)
{
    const tp_step_report whole = *step_io;
    tp_stepper *stepper = &simulation->stepper;
    char cause[sizeof stepper->cause];
    memcpy(cause, stepper->cause, sizeof cause);
    for (int count = 2; count <= MOST_PARTS; count *= 2) {
        tp_step_report step = {.iterations = step_io->iterations, .work = step_io->work};
        tp_status status = take_parts(simulation, count, from, to, &step);
        step_io->iterations = step.iterations;
        step_io->work = step.work;
        if (status != TP_OK) continue;
        *step_io = step;
        step_io->part_count = count;
        step_io->is_proven = whole.status == TP_INFEASIBLE;
        return TP_OK;
    }
    step_io->residual = whole.residual; /* the message is about the step that was asked for */
    memcpy(stepper->cause, cause, sizeof cause);
    return whole.status;
}
