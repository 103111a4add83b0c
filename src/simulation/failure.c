/* Why a step failed, in words. */
#include "simulation/inside.h"

#include <stdio.h>

/* The law of a set of the problem that was solved last; -1: a compliant contact, or not known. */
static int law_of_set(const tp_stepper *stepper, int set)
{
    int law = -1;
    if (stepper->solved == &stepper->problem->problem)
        law = stepper->problem->law[set];
    else if (stepper->integrator->law_of_set != NULL)
        law = stepper->integrator->law_of_set(stepper, set);
    return law < stepper->system->law_count ? law : -1;
}

/* That of the island with the largest error where the solver knows it, else of the whole problem; -1: not
   known. */
static int worst_set(const tp_stepper *stepper)
{
    tp_residual residual = {.worst_set = -1};
    if (stepper->solved == NULL) return -1;
    if (stepper->unsolved == stepper->solved && stepper->unsolved_set >= 0) return stepper->unsolved_set;
    tp_step_problem_write_rows(stepper->problem);
    tp_status status = tp_problem_error(stepper->solved, stepper->solved_P, &residual);
    return status == TP_OK ? residual.worst_set : -1;
}

void tp_simulation_name_unsolved(const tp_simulation *simulation, char *name_out, size_t capacity)
{
    const tp_stepper *stepper = &simulation->stepper;
    char name[TP_CONTACT_NAME];
    int set = worst_set(stepper), law = set >= 0 ? law_of_set(stepper, set) : -1;
    name_out[0] = '\0';
    if (law < 0) return;
    tp_system_law_name(stepper->system, law, name, sizeof name);
    snprintf(name_out, capacity, "%.*s", (int)capacity - 1, name);
}

/* "; the largest error is that of 'heap.a.b', between a and b"; "": not known. */
static void describe_worst(const tp_simulation *simulation, char *text, size_t capacity)
{
    const tp_stepper *stepper = &simulation->stepper;
    const tp_system *system = stepper->system;
    int worst = worst_set(stepper);
    text[0] = '\0';
    if (worst < 0) return;
    const char *relation =
        stepper->integrator->name_of_set != NULL ? stepper->integrator->name_of_set(stepper, worst) : NULL;
    if (relation != NULL) snprintf(text, capacity, "; the largest error is that of '%.100s'", relation);
    if (relation != NULL) return;
    int law = law_of_set(stepper, worst);
    if (law < 0) return;
    char name[TP_CONTACT_NAME];
    tp_system_law_name(system, law, name, sizeof name);
    const tp_near_pair *pair = tp_system_pair(system, law);
    int count = snprintf(text, capacity, "; the largest error is that of '%.100s'", name);
    if (pair == NULL || count < 0 || (size_t)count >= capacity) return;
    const tp_list *shapes = &system->model->shapes;
    snprintf(
        text + count, capacity - (size_t)count, " between %.60s and %.60s",
        tp_model_body_name(system->model, TP_LIST_AT(*shapes, tp_model_shape, pair->touch.shape_a)->body),
        tp_model_body_name(system->model, TP_LIST_AT(*shapes, tp_model_shape, pair->touch.shape_b)->body));
}

void tp_simulation_describe_failure(tp_simulation *simulation, tp_status status, const tp_step_report *step)
{
    tp_run_report *report = &simulation->report;
    const char *cause = simulation->stepper.cause;
    char worst[300], islands[80] = "";
    describe_worst(simulation, worst, sizeof worst);
    if (step->island_count > 1 && step->unsolved_count > 0)
        snprintf(islands, sizeof islands, "; %d of %d islands not solved", step->unsolved_count,
                 step->island_count);
    snprintf(report->reason, sizeof report->reason,
             "step %lld at t = %.9g s: %s (residual %.2e, %d iterations)%s%s%s%s", simulation->count + 1,
             simulation->state[simulation->present].t, tp_status_text(status), step->residual,
             step->iterations, islands, worst, cause[0] != '\0' ? "; " : "", cause);
}

void tp_simulation_describe_start(const tp_simulation *simulation, tp_status status, tp_message *why_out)
{
    const char *cause = simulation->stepper.cause, *and_cause = cause[0] != '\0' ? "; " : "";
    char worst[300];
    if (status != TP_NOT_CONVERGED && status != TP_INFEASIBLE) {
        tp_fail(why_out, status, "%s%s%s", tp_status_text(status), and_cause, cause);
        return;
    }
    describe_worst(simulation, worst, sizeof worst);
    tp_fail(why_out, status, "no start for %s at t = %g s: %s%s%s%s", simulation->integrator->info.name,
            simulation->state[0].t, tp_status_text(status), worst, and_cause, cause);
}
