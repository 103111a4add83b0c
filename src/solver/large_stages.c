/* Stages of `auto` in large islands; theory/solvers.md (28), (28f), (37)-(40). */
#include "large_stages.h"

#include "tolerances.h"

#include <math.h>
#include <string.h>

static bool is_sweeping_over(tp_sweep_end end)
{
    return end == TP_SWEEP_CONVERGED || end == TP_SWEEP_LIMIT || end == TP_SWEEP_FLOOR;
}

/* Walls and pyramids need all momentum that there is, heaps are driven away by it, which soon shows: then P
   is as before. */
tp_status tp_stage_trial_sweeps(tp_chain *c, int sweeps, double *P, tp_report *report)
{
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    size_t rows = (size_t)c->call->local->row_count;
    double error, *start = TP_STACK_ARRAY(c->call->stack, double, rows);
    if (start == NULL) return TP_OUT_OF_MEMORY;
    memcpy(start, P, rows * sizeof(double));
    c->sweeps.is_patient = true;
    tp_sweep_end end = tp_chain_sweep(c, 1.0, TP_SMALL_STALL, sweeps, P, &error);
    bool is_good = c->sweeps.best_error < tp_suspicious_error;
    for (int slice = 0; slice < TP_CAPS && is_good && !is_sweeping_over(end); slice++) {
        /* from the start: momentum that is cut loses the way */
        memcpy(P, slice == 0 ? start : c->sweeps.best, rows * sizeof(double));
        end = tp_chain_sweep(c, tp_small_caps[slice], TP_SMALL_STALL << slice, TP_LONGEST_STALL, P, &error);
    }
    memcpy(P, is_good ? c->sweeps.best : start, rows * sizeof(double));
    tp_stack_release(c->call->stack, mark);
    return end == TP_SWEEP_CONVERGED ? tp_chain_solved(c, P, report) : TP_NOT_CONVERGED;
}

/* Impulses inside of their cones, which the next steps take as they are; what the path leaves open the chain
   goes on with. */
tp_status tp_stage_first_path(tp_chain *c, int steps, double *P, tp_report *report)
{
    (void)steps;
    c->last = tp_solver_interior_point.info.name;
    tp_status status = tp_chain_interior(c, TP_INTERIOR_STEPS, P);
    if (status == TP_OUT_OF_MEMORY) return status;
    return c->sweeps.best_error <= c->sweeps.aim ? tp_chain_solved(c, P, report) : TP_NOT_CONVERGED;
}

/* Proximal steps from P that soon give up: what they go round in circles about is left to sweeps, or to the
   next step of the motion. */
static tp_newton_end proximal_from(tp_chain *c, double weight, int steps, double *P)
{
    double error;
    tp_proximal *proximal = &c->proximal;
    int limit = proximal->step_limit;
    c->last = tp_solver_proximal_newton.info.name;
    proximal->step_limit = proximal->step_count + steps < limit ? proximal->step_count + steps : limit;
    proximal->weight = weight;
    proximal->growth = tp_swept_growth;
    tp_newton_end end = tp_proximal_run(proximal, c->call->stack, P, &error);
    proximal->growth = INFINITY;
    proximal->step_limit = limit;
    tp_proximal_start_anew(proximal);
    return end;
}

/* Proximal steps from P with up to so many Newton steps; contacts that go round are held (24a), and slow ones
   lag (24b) if that is asked for. */
static tp_newton_end hold_steps(tp_chain *c, int steps, bool lags, double *P)
{
    double error;
    tp_proximal *proximal = &c->proximal;
    int limit = proximal->step_limit;
    c->last = tp_solver_proximal_newton.info.name;
    if (steps < limit - proximal->step_count) proximal->step_limit = proximal->step_count + steps;
    tp_proximal_start_anew(proximal);
    proximal->growth = tp_held_growth;
    tp_proximal_hold(proximal);
    if (lags) tp_proximal_let_lag(proximal);
    tp_newton_end end = TP_NEWTON_STALLED;
    for (int slice = 0; slice < TP_INTERIOR_SLICES && end == TP_NEWTON_STALLED; slice++)
        end = tp_proximal_run(proximal, c->call->stack, P, &error);
    tp_proximal_release(proximal);
    proximal->growth = INFINITY;
    proximal->step_limit = limit;
    return end;
}

/* Heaps that are solved alone have more time than islands of a step, which have a margin where they are as
   large. */
static double work_of_paths(const tp_chain *c)
{
    bool is_alone = !(c->call->options->work_limit > 0.0) && c->call->local->set_count > TP_USABLE_CONTACTS;
    return is_alone ? fmax(c->sweeps.work_limit, tp_path_work) : c->sweeps.work_limit;
}

tp_status tp_chain_follow_paths(tp_chain *c, double *P, tp_newton_end *end_out)
{
    const double limit = c->sweeps.work_limit;
    tp_status status = TP_OK;
    *end_out = TP_NEWTON_STALLED;
    c->sweeps.work_limit = work_of_paths(c);
    for (int k = 0; k < TP_PATHS && *end_out != TP_NEWTON_CONVERGED && *end_out != TP_NEWTON_INFEASIBLE;
         k++) {
        bool goes_on = k > 0 && (k + 1 == TP_PATHS || c->sweeps.best_error <= tp_stuck_error);
        c->last = tp_solver_interior_point.info.name;
        if (goes_on)
            memcpy(P, c->sweeps.best, (size_t)c->call->local->row_count * sizeof(double));
        else
            status = tp_chain_interior(c, TP_PATH_STEPS + k * TP_PATH_MORE, P);
        if (status != TP_OK || c->sweeps.best_error <= c->sweeps.aim) break;
        *end_out = hold_steps(c, TP_PATH_NEWTON, k > 0, P);
        bool is_next_last = k + 2 == TP_PATHS, /* there may be no solution, or none nearby */
            is_far = c->sweeps.best_error > (is_next_last ? tp_close_error : tp_suspicious_error);
        if (is_far || tp_chain_is_exhausted(c)) break;
    }
    c->sweeps.work_limit = limit;
    return status;
}

tp_status tp_stage_proximal_after_sweeps(tp_chain *c, int steps, double *P, tp_report *report)
{
    const size_t bytes = (size_t)c->call->local->row_count * sizeof(double);
    TP_TRY(tp_chain_take_newton(c));
    memcpy(P, c->sweeps.best, bytes);
    tp_newton_end end = proximal_from(c, fmin(tp_first_weight, c->sweeps.best_error), steps, P);
    if (end == TP_NEWTON_CONVERGED) return tp_chain_solved(c, P, report);
    if (end == TP_NEWTON_INFEASIBLE) return tp_chain_report_proof(c, P, report, c->proximal.direction);
    memcpy(P, c->sweeps.best, bytes);
    return TP_NOT_CONVERGED;
}

/* Fewer where each of them costs as much as a thousand sweeps. */
static int usable_steps(const tp_chain *c, int most)
{
    double sweep = c->call->local->G->block_count, cost = tp_reduced_system_cost(&c->proximal.system);
    double steps = fmax(TP_USABLE_LEAST, TP_USABLE_WORK * sweep / cost);
    return steps < most ? (int)steps : most;
}

/* A proximal step with a large weight is a few Newton steps, and comes as near as thousands of sweeps. */
tp_status tp_stage_proximal_to_usable(tp_chain *c, int steps, double *P, tp_report *report)
{
    const double aim = c->sweeps.aim, limit_work = c->sweeps.limit_work;
    const size_t bytes = (size_t)c->call->local->row_count * sizeof(double);
    TP_TRY(tp_chain_take_newton(c));
    memcpy(P, c->sweeps.best, bytes);
    c->sweeps.aim = fmax(aim, tp_aim_factor * c->sweeps.usable_error);
    c->sweeps.limit_work = INFINITY;
    tp_newton_end end = proximal_from(c, tp_first_weight, usable_steps(c, steps), P);
    c->sweeps.aim = aim;
    c->sweeps.limit_work = limit_work;
    if (end == TP_NEWTON_INFEASIBLE) return tp_chain_report_proof(c, P, report, c->proximal.direction);
    memcpy(P, c->sweeps.best, bytes);
    return c->sweeps.best_error <= aim ? tp_chain_solved(c, P, report) : TP_NOT_CONVERGED;
}
