/* Proximal semi-smooth Newton on the reduced active set; theory/solvers.md (22)-(25). */
#include "proximal_newton.h"

#include "math/dense.h"
#include "solver/infeasible/no_solution.h"
#include "solver/solvers.h"
#include "solver/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NEWTON_STEPS = 8,     /* per proximal step; they are full steps: a line search makes them fail       */
    DEFAULT_STEPS = 20000 /* Newton steps in all                                                          */
};

void tp_proximal_start_anew(tp_proximal *proximal)
{
    proximal->weight = tp_first_weight;
    proximal->weight_floor = 0.0;
    proximal->successes = 0;
}

tp_status tp_proximal_init(tp_proximal *proximal, tp_sweeps *sweeps, const tp_local *local, tp_stack *stack)
{
    *proximal = (tp_proximal){.sweeps = sweeps, .growth = INFINITY, .step_limit = DEFAULT_STEPS};
    tp_proximal_start_anew(proximal);
    proximal->centre = TP_STACK_ARRAY(stack, double, local->row_count);
    proximal->trial = TP_STACK_ARRAY(stack, double, local->row_count);
    proximal->velocity = TP_STACK_ARRAY(stack, double, 2 * (size_t)local->row_count);
    proximal->shifted = TP_STACK_ARRAY(stack, double, local->row_count);
    proximal->direction = TP_STACK_ARRAY(stack, double, local->row_count);
    proximal->hold = TP_STACK_ARRAY(stack, double, local->set_count);
    proximal->lag = TP_STACK_ARRAY(stack, double, local->set_count);
    proximal->mode = TP_STACK_ARRAY(stack, unsigned char, local->set_count);
    proximal->is_around = TP_STACK_ARRAY(stack, unsigned char, local->set_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    return tp_reduced_system_init(&proximal->system, local, stack);
}

void tp_proximal_hold(tp_proximal *proximal)
{
    for (int i = 0; i < proximal->system.local->set_count; i++) proximal->hold[i] = 1.0;
    proximal->system.hold = proximal->hold;
    proximal->holds = true;
}

void tp_proximal_let_lag(tp_proximal *proximal)
{
    proximal->system.lag = proximal->lag;
}

void tp_proximal_release(tp_proximal *proximal)
{
    proximal->system.hold = proximal->system.lag = NULL;
    proximal->holds = false;
}

/* Contacts that slip so slowly at P that a proximal step may take them for sticking lag: their cones are
   shifted by the slip speeds that they have there, and impulses that many contacts share are redistributed by
   nearest points of cones, as they are in bodies that stick together; (24b). */
static void choose_slow(tp_proximal *proximal, const double *P, double error)
{
    const tp_local *local = proximal->system.local;
    tp_local_velocity(local, P, proximal->velocity);
    proximal->sweeps->work += local->G->block_count;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        double slip = tp_dense_norm(set->size - 1, proximal->velocity + set->first + 1);
        bool is_slow = slip < tp_slow_slip * error * local->scale;
        proximal->lag[i] = is_slow ? set->parameter[0] * slip : -1.0;
    }
}

/* As E, with the lag of slow contacts. */
static double lagging_residual(const tp_proximal *proximal, const double *P, double *xi)
{
    const tp_local *local = proximal->system.local;
    double sum = 0.0;
    for (int i = 0; i < local->set_count; i++) {
        tp_set set = local->sets[i];
        double lag = proximal->lag[i], *own = xi + set.first, normal = own[0];
        if (lag >= 0.0) {
            set = tp_reduced_system_cone(&set);
            own[0] += lag;
        }
        double error = tp_local_block_error(&set, local->rho, P, own);
        own[0] = normal;
        sum += error * error;
    }
    return sqrt(sum) / local->scale;
}

/* Velocity of the shifted problem G P + c + shift (P - centre) and its residual, the same formula as E. */
static double shifted_residual(const tp_proximal *proximal, const double *P, double shift, double *shifted)
{
    const tp_local *local = proximal->system.local;
    tp_local_velocity(local, P, shifted);
    tp_reduced_system_add_shift(&proximal->system, shift, P, proximal->centre, shifted);
    if (proximal->system.lag != NULL) return lagging_residual(proximal, P, shifted);
    return tp_local_error_at(local, P, shifted, NULL);
}

/* Marks contacts whose modes still change in late Newton steps. */
static void watch_modes(tp_proximal *proximal, int step)
{
    for (int i = 0; i < proximal->system.local->set_count; i++) {
        unsigned char mode = (unsigned char)proximal->system.block[i].dim;
        bool is_late = step >= TP_PROXIMAL_SETTLED && mode != proximal->mode[i];
        proximal->is_around[i] = step > 0 && (proximal->is_around[i] || is_late);
        proximal->mode[i] = mode;
    }
}

/* Newton steps on the shifted problem from P = centre; P becomes the best point if it is good enough. Returns
   the number of steps, or -1 if they failed. */
static int inner_newton(tp_proximal *proximal, double shift, double start_error, tp_stack *stack, double *P)
{
    const tp_local *local = proximal->system.local;
    size_t bytes = (size_t)local->row_count * sizeof(double);
    memcpy(proximal->trial, P, bytes);
    shifted_residual(proximal, proximal->trial, shift, proximal->shifted);
    for (int step = 0; step < NEWTON_STEPS; step++) {
        tp_reduced_system_linearise(&proximal->system, proximal->trial, proximal->shifted, shift,
                                    proximal->centre);
        tp_status status =
            tp_reduced_system_solve(&proximal->system, tp_tiny_shift * local->rho, stack, proximal->trial);
        proximal->step_count++;
        proximal->sweeps->work += proximal->system.work + 2.0 * local->G->block_count;
        if (status != TP_OK) return -1;
        if (proximal->holds) watch_modes(proximal, step);
        double residual = shifted_residual(proximal, proximal->trial, shift, proximal->shifted);
        if (!(residual <= tp_runaway * fmax(start_error, tp_late_error))) return -1;
        if (step + 1 >= TP_PROXIMAL_TRIES && residual > proximal->growth * start_error) return -1;
        if (residual <= tp_proximal_accept * start_error) {
            memcpy(P, proximal->trial, bytes);
            return step;
        }
    }
    return -1;
}

/* The weight shrinks fast after quick successes and grows after failures, below which it then returns only
   with care: where contacts share forces in many ways, P must go a long way at an E that hardly changes, and
   every step goes as far as 1/weight. */
static void adapt_weight(tp_proximal *proximal, int steps)
{
    if (steps < 0) {
        proximal->successes = 0;
        proximal->weight_floor = fmax(proximal->weight_floor, 1.2 * proximal->weight);
        proximal->weight *= 3.0;
        return;
    }
    bool is_quick = steps <= 1 && !proximal->holds;
    proximal->successes++;
    double next = proximal->weight * (is_quick ? 0.1 : steps <= 3 ? 0.3 : 0.7);
    if (next < proximal->weight_floor) {
        if (proximal->successes < 4 && !is_quick) {
            next = fmin(proximal->weight, proximal->weight_floor);
        } else {
            proximal->weight_floor *= is_quick ? 0.3 : 0.5;
            proximal->successes = 0;
            next = fmax(next, proximal->weight_floor);
        }
    }
    proximal->weight = fmax(next, tp_smallest_weight);
}

/* A proximal step that fails because few contacts go round: these are held by larger weights of their own,
   and that of the others stays. There is no solution near the centre for them with the weight of all, which
   friction that is not associated allows. False: they are none or too many. */
static bool hold_contacts(tp_proximal *proximal)
{
    int count = 0, sets = proximal->system.local->set_count;
    for (int i = 0; i < sets; i++) count += proximal->is_around[i];
    if (count == 0 || count > TP_HELD_CONTACTS) return false;
    for (int i = 0; i < sets; i++) {
        if (proximal->is_around[i]) proximal->hold[i] *= tp_hold_rise;
    }
    return true;
}

static void loosen_contacts(tp_proximal *proximal)
{
    for (int i = 0; i < proximal->system.local->set_count; i++)
        proximal->hold[i] = fmax(1.0, tp_hold_fall * proximal->hold[i]);
}

/* Does the last move point into infinity? */
static tp_proof_verdict judge_drift(tp_proximal *proximal, const double *P)
{
    const tp_local *local = proximal->system.local;
    for (int k = 0; k < local->row_count; k++) proximal->direction[k] = P[k] - proximal->centre[k];
    return tp_proof_judge(local, proximal->direction, proximal->velocity);
}

static bool is_exhausted(const tp_proximal *proximal)
{
    return proximal->step_count >= proximal->step_limit || tp_sweeps_are_spent(proximal->sweeps);
}

tp_newton_end tp_proximal_run(tp_proximal *proximal, tp_stack *stack, double *P, double *error_out)
{
    tp_sweeps *sweeps = proximal->sweeps;
    const tp_local *local = proximal->system.local;
    size_t bytes = (size_t)local->row_count * sizeof(double);
    double error = tp_sweeps_judge(sweeps, P), mark = error, work_at_start = sweeps->work;
    int since_mark = 0;
    tp_newton_end end = TP_NEWTON_CONVERGED;
    while (error > sweeps->aim) {
        if (is_exhausted(proximal)) {
            end = TP_NEWTON_LIMIT;
            break;
        }
        memcpy(proximal->centre, P, bytes);
        if (proximal->system.lag != NULL) choose_slow(proximal, P, error);
        int steps = inner_newton(proximal, proximal->weight * local->rho, error, stack, P);
        if (steps >= 0) {
            if (proximal->system.lag != NULL) tp_sweeps_project(local, P);
            error = tp_sweeps_judge(sweeps, P);
            if (proximal->weight < tp_suspicion_weight && error > sweeps->aim) {
                tp_proof_verdict verdict = judge_drift(proximal, P);
                if (verdict == TP_VERDICT_LOCKED && error <= tp_locked_error) verdict = TP_VERDICT_NONE;
                if (verdict != TP_VERDICT_NONE) {
                    end = verdict == TP_VERDICT_INFEASIBLE ? TP_NEWTON_INFEASIBLE : TP_NEWTON_LOCKED;
                    break;
                }
            }
        }
        if (proximal->holds && steps >= 0) loosen_contacts(proximal);
        if (!proximal->holds || steps >= 0 || !hold_contacts(proximal)) adapt_weight(proximal, steps);
        since_mark++;
        if (error < 0.5 * mark) {
            mark = error;
            since_mark = 0;
        }
        bool is_at_floor = error <= tp_sweeps_floor(sweeps, P);
        bool is_slow = since_mark >= 10 && sweeps->work > 2.0 * work_at_start;
        if (since_mark >= TP_PROXIMAL_PATIENCE || is_slow || is_at_floor ||
            proximal->weight > tp_largest_weight) {
            if (proximal->weight > tp_largest_weight) proximal->weight = tp_first_weight;
            end = TP_NEWTON_STALLED;
            break;
        }
    }
    *error_out = error;
    return end;
}

static tp_status solve_proximal(const tp_solve_call *call, double *P, tp_report *report)
{
    tp_sweeps sweeps;
    tp_proximal proximal;
    TP_TRY(tp_sweeps_init(&sweeps, call->local, call->stack));
    TP_TRY(tp_proximal_init(&proximal, &sweeps, call->local, call->stack));
    tp_sweeps_aim(&sweeps, call->options, 1.0);
    if (call->options->max_iterations > 0) proximal.step_limit = call->options->max_iterations;
    if (call->options->work_limit > 0.0) sweeps.work_limit = call->options->work_limit;

    double error;
    tp_newton_end end = TP_NEWTON_STALLED;
    for (int slice = 0; slice < 4 && end == TP_NEWTON_STALLED; slice++) {
        end = tp_proximal_run(&proximal, call->stack, P, &error);
    }
    memcpy(P, sweeps.best, (size_t)call->local->row_count * sizeof(double));
    report->iterations = proximal.step_count;
    report->work = sweeps.work;
    static const char *const texts[] = {"E is below the tolerance", "no more progress",
                                        "the limit was reached",
                                        "no impulse satisfies the laws: there is an infeasibility proof",
                                        "impulses grow without bound along a self-stress"};
    snprintf(report->reason, sizeof report->reason, "%s after %d Newton steps", texts[end],
             proximal.step_count);
    if (end == TP_NEWTON_INFEASIBLE) return TP_INFEASIBLE;
    return end == TP_NEWTON_CONVERGED ? TP_OK : TP_NOT_CONVERGED;
}

const tp_solver tp_solver_proximal_newton = {
    .info = {"proximal-newton", "proximal semi-smooth Newton on the reduced active set", true},
    .accepts = TP_ACCEPT_ALL,
    .solve = solve_proximal,
};
