/* Sweeps over velocities, before G is made; theory/solvers.md (28f). */
#include "form_sweeps.h"

#include "judge.h"
#include "solver/bodies/body_solve.h"
#include "solver/sweeps/accelerated.h"
#include "tolerances.h"
#include "tower.h"

#include <math.h>
#include <string.h>

bool tp_form_has_margin(const tp_solver_options *options)
{
    return options->unsolved_limit > 0.0;
}

/* Such islands spend their time on sweeps. */
static bool is_large(const tp_problem *problem, const tp_solver_options *options)
{
    return tp_form_has_margin(options) && problem->set_count > TP_FORM_LARGE;
}

/* Coarse tolerances are reached by sweeps; with a margin they come to what is usable. */
static bool are_worth_it(const tp_problem *problem, const tp_solver_options *options)
{
    if (problem->x_count == 0 || problem->set_count < TP_FORM_LAWS) return false;
    if (!tp_form_has_margin(options) && options->tolerance < tp_form_tolerance) return false;
    for (int i = 0; i < problem->set_count; i++) {
        if (problem->sets[i].kind == TP_SET_FREE) return false;
    }
    return true;
}

/* As far as a search would go, or as far as a guess may be off that goes on with what is there: one that sets
   bodies in motion that have come to rest is not the impulse of that rest; theory/solvers.md (28j). */
bool tp_form_is_good_guess(const tp_problem *problem, const tp_local *local, const double *P, double error,
                           const tp_solver_options *options)
{
    tp_floor floor = tp_floor_at(local, P, options->noise);
    double accepted = tp_accepted_error(tp_rule_of(options), floor), sum = tp_floor_sum(floor);
    double good = tp_form_has_margin(options) ? accepted : fmin(tp_guess_roundings * sum, accepted);
    if (!(options->floor_factor > 0.0 && error <= good)) return false;
    bool is_swept = tp_form_has_margin(options); /* a few sweeps stop them again */
    bool has_others = problem->x_count == 0 || problem->contact_count < problem->set_count;
    if (has_others || is_swept || error <= options->floor_factor * sum) return true;
    return error <= tp_guess_growth * tp_local_error_at(local, P, problem->b, NULL);
}

double tp_form_aim(const tp_solver_options *options)
{
    double aim = tp_aim_factor * options->tolerance;
    bool is_enough = tp_form_has_margin(options) && options->floor_factor > 0.0;
    return is_enough ? fmax(aim, tp_margin_share * options->enough) : aim;
}

/* Where Newton steps are cheap they take over as soon as sweeps have found what sticks and slips. */
double tp_form_goal(const tp_problem *problem, const tp_solver_options *options)
{
    double aim = tp_form_aim(options);
    bool is_start =
        tp_form_has_margin(options) && !is_large(problem, options) && options->tolerance < tp_form_tolerance;
    return is_start ? fmax(aim, fmin(tp_swept_goal, tp_aim_factor * tp_form_usable(options))) : aim;
}

double tp_form_usable(const tp_solver_options *options)
{
    return fmin(options->unsolved_limit, tp_usable_aim);
}

/* Sweeps pass impulses on from body to body: a tower of n bodies takes some n^2 of them, and what they leave
   is its soft modes, which lean. A Newton step costs nine sweeps there; theory/solvers.md (28l). */
static bool is_tower(const tp_solve_call *call, const tp_unknowns *unknowns)
{
    if (call->options->tolerance < tp_form_tolerance || unknowns->whole != NULL) return false;
    int height = tp_tower_height(call->problem, unknowns, call->stack);
    return height * height > TP_FORM_FEW_SWEEPS;
}

int tp_form_sweep_limit(const tp_solve_call *call, const tp_unknowns *unknowns)
{
    const tp_solver_options *options = call->options;
    bool is_coarse = options->tolerance >= tp_form_tolerance;
    bool is_short = !tp_form_has_margin(options) || (is_coarse && !is_large(call->problem, options));
    int limit = is_short ? TP_FORM_FEW_SWEEPS : TP_BODY_SWEEPS;
    if (is_tower(call, unknowns)) limit = 1;
    return options->max_iterations > 0 && options->max_iterations < limit ? options->max_iterations : limit;
}

static void set_limits(const tp_problem *problem, const tp_solver_options *options, tp_sweeps *sweeps)
{
    tp_sweeps_aim(sweeps, options, tp_aim_factor);
    sweeps->aim = tp_form_goal(problem, options);
    sweeps->usable_error = tp_form_usable(options);
    sweeps->usable_work = TP_FORM_SWEEPS * sweeps->form->work;
    if (options->work_limit > 0.0) sweeps->work_limit = options->work_limit;
}

/* Is P = 0, the guess or a point of sweeps an answer? */
static bool search(tp_sweeps *sweeps, const tp_solve_call *call, const tp_part *part, double *P,
                   tp_report *report)
{
    const tp_local *local = sweeps->blocks.local;
    double error, aim = tp_form_aim(call->options), *zero = sweeps->before;
    memset(zero, 0, (size_t)local->row_count * sizeof(double));
    sweeps->best_error = tp_local_error_at(local, zero, local->c, NULL); /* xi = c there, the best so far */
    if (sweeps->best_error <= aim) return tp_report_end(report, TP_OK, "P = 0 is a solution") == TP_OK;
    if (call->options->warm_start) {
        tp_sweeps_project(local, P);
        bool is_better = tp_sweeps_judge(sweeps, P) <= sweeps->best_error;
        if (sweeps->best_error <= aim ||
            tp_form_is_good_guess(call->problem, local, sweeps->best, sweeps->best_error, call->options))
            return tp_report_end(report, TP_OK, "the guess is a solution") == TP_OK;
        if (!is_better) memset(P, 0, (size_t)local->row_count * sizeof(double));
    }
    double cap = local->set_count > TP_FORM_CAPPED ? tp_form_cap : 1.0;
    const tp_unknowns unknowns = tp_unknowns_of(call->problem, part);
    sweeps->sweep_limit = tp_form_sweep_limit(call, &unknowns);
    if (sweeps->best_error > sweeps->aim) tp_sweeps_run(sweeps, cap, sweeps->sweep_limit, P, &error);
    bool is_solved = sweeps->best_error <= aim;
    tp_report_end(report, is_solved ? TP_OK : TP_NOT_CONVERGED, "%s (%d sweeps over velocities)",
                  is_solved ? "E is below the tolerance" : "the search ended within the limit of its island",
                  sweeps->sweep_count);
    return is_solved;
}

/* The error of a large island is usable, or within its limit when all sweeps are done and Newton steps take
   too long or are not worth it, and too far from a solution for Newton's method. */
bool tp_form_is_left_so(const tp_problem *problem, double error, const tp_solver_options *options)
{
    bool is_coarse = options->tolerance >= tp_form_tolerance;
    bool is_any = is_coarse || problem->set_count > TP_BODY_HUGE;
    double most = is_any ? options->unsolved_limit : tp_form_usable(options);
    return is_large(problem, options) && error >= tp_close_error && error <= most;
}

static void finish(tp_sweeps *sweeps, const tp_solve_call *call, tp_part *part, double *P, double *x_out,
                   tp_report *report)
{
    const tp_velocity_form *form = sweeps->form;
    const tp_local *local = sweeps->blocks.local;
    memcpy(P, sweeps->best, (size_t)local->row_count * sizeof(double));
    double error = sweeps->is_at_best ? sweeps->best_error : tp_sweeps_judge(sweeps, P);
    report->solver = tp_solver_accelerated.info.name;
    report->iterations = sweeps->sweep_count;
    report->work = sweeps->work;
    tp_judge(tp_rule_of(call->options), report->status, error, tp_floor_at(local, P, call->options->noise),
             report);
    if (x_out != NULL) memcpy(x_out, form->x, (size_t)form->problem->x_count * sizeof(double));
    if (part == NULL) return;
    part->local = *local;
    memcpy(part->c, local->c, (size_t)local->row_count * sizeof(double));
    memcpy(part->xi, sweeps->velocity, (size_t)local->row_count * sizeof(double));
}

static tp_status run(const tp_solve_call *call, tp_part *part, double *P, double *x_out, tp_report *report,
                     tp_form_answer *answer)
{
    const tp_solver_options *options = call->options;
    tp_velocity_form form;
    tp_sweeps sweeps;
    tp_status status = tp_velocity_form_make(call->problem, call->stack, &form);
    if (status == TP_UNSUPPORTED || status == TP_SINGULAR)
        return TP_OK; /* the other ways say what is wrong */
    TP_TRY(status);
    if (form.local.at_rounding) return TP_OK;
    TP_TRY(tp_sweeps_init_form(&sweeps, &form, call->stack));
    if (options->warm_start && options->branch == TP_BRANCH_LOADED)
        TP_TRY(tp_block_solver_keep_loaded(&sweeps.blocks, P, call->stack));
    if (sweeps.blocks.may_stay != NULL) return TP_OK; /* a choice among solutions */
    set_limits(call->problem, options, &sweeps);
    answer->is_over = search(&sweeps, call, part, P, report) ||
                      tp_form_is_left_so(call->problem, sweeps.best_error, options);
    answer->work = sweeps.work;
    answer->sweeps = sweeps.sweep_count;
    answer->is_better = true;
    if (answer->is_over) {
        finish(&sweeps, call, part, P, x_out, report);
    } else {
        memcpy(P, sweeps.best, (size_t)form.local.row_count * sizeof(double));
    }
    return TP_OK;
}

tp_status tp_solve_by_form(const tp_solve_call *call, tp_part *part, double *P, double *x_out,
                           tp_report *report, tp_form_answer *answer)
{
    *answer = (tp_form_answer){0};
    if (!are_worth_it(call->problem, call->options)) return TP_OK;
    tp_status by_bodies = tp_solve_bodies(call, part, P, x_out, report, answer);
    if (by_bodies != TP_UNSUPPORTED) return by_bodies;
    tp_stack_mark mark = tp_stack_mark_now(call->stack);
    tp_status status = run(call, part, P, x_out, report, answer);
    tp_stack_release(call->stack, mark);
    return status;
}
