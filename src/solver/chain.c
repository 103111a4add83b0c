/* What the links of the default solver share; theory/solvers.md (28). */
#include "chain.h"

#include "solver/infeasible/farkas.h"
#include "solver/infeasible/frictionless_proof.h"
#include "solver/infeasible/no_solution.h"
#include "solver/judge.h"
#include "solver/newton/interior_point.h"
#include "solver/newton/searched_newton.h"
#include "solver/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double tp_chain_work_limit(const tp_solver_options *options)
{
    return options->work_limit > 0.0 ? options->work_limit : tp_default_work;
}

/* A new random order of the sweep, always the same sequence. */
static void shuffle(tp_chain *c)
{
    int n = c->call->local->set_count;
    for (int i = 0; i < n; i++) c->order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        c->random = c->random * 6364136223846793005ull + 1442695040888963407ull;
        int j = (int)((c->random >> 33) % (unsigned long long)(i + 1));
        int swap = c->order[i];
        c->order[i] = c->order[j];
        c->order[j] = swap;
    }
    c->sweeps.order = c->order;
}

void tp_chain_start_anew(tp_chain *c, double *P)
{
    shuffle(c);
    memset(P, 0, (size_t)c->call->local->row_count * sizeof(double));
}

tp_status tp_chain_report(tp_chain *c, double *P, tp_report *report, tp_status status, const char *reason)
{
    c->is_over = true;
    memcpy(P, c->sweeps.best, (size_t)c->call->local->row_count * sizeof(double));
    report->iterations = c->sweeps.sweep_count + (c->has_proximal ? c->proximal.step_count : 0) +
                         c->joint_free_count + c->held_size_count;
    report->work = c->sweeps.work + c->aside_work;
    report->solver = c->last;
    int steps = c->has_proximal ? c->proximal.step_count : 0;
    if (c->joint_free_count > 0)
        return tp_report_end(report, status,
                             "%s (%d sweeps, %d Newton steps) and %d iterations with joints as unknowns",
                             reason, c->sweeps.sweep_count, steps, c->joint_free_count);
    return tp_report_end(report, status, "%s (%d sweeps, %d Newton steps)", reason, c->sweeps.sweep_count,
                         steps);
}

tp_status tp_chain_solved(tp_chain *c, double *P, tp_report *report)
{
    return tp_chain_report(c, P, report, TP_OK, "E is below the tolerance");
}

bool tp_chain_is_at_floor(const tp_chain *c)
{
    return c->sweeps.best_error <= tp_sweeps_floor(&c->sweeps, c->sweeps.best);
}

bool tp_chain_is_near_floor(const tp_chain *c)
{
    return c->sweeps.best_error <= tp_near_floor * tp_sweeps_floor(&c->sweeps, c->sweeps.best);
}

bool tp_chain_is_rounded(const tp_chain *c)
{
    return c->call->options->floor_factor > 0.0 && tp_chain_is_at_floor(c);
}

tp_status tp_chain_end_at_floor(tp_chain *c, double *P, tp_report *report)
{
    return tp_chain_report(c, P, report, TP_NOT_CONVERGED, "the limit of double precision was reached");
}

/* Whether the best point counts as solved, where rounding counts; without it nobody minds what is left. */
static bool is_accepted(const tp_chain *c)
{
    const tp_solver_options *options = c->call->options;
    tp_floor floor = tp_floor_at(c->call->local, c->sweeps.best, c->sweeps.noise);
    return !(options->floor_factor > 0.0) ||
           c->sweeps.best_error <= tp_accepted_error(tp_rule_of(options), floor);
}

tp_status tp_chain_end_newton(tp_chain *c, double *P, tp_report *report)
{
    memcpy(P, c->sweeps.best, (size_t)c->call->local->row_count * sizeof(double));
    if (c->sweeps.best_error <= c->sweeps.aim) return tp_chain_solved(c, P, report);
    if (tp_chain_is_rounded(c)) return tp_chain_report(c, P, report, TP_OK, "solved up to rounding");
    bool is_end = tp_chain_is_near_floor(c) && is_accepted(c);
    return is_end ? tp_chain_end_at_floor(c, P, report) : TP_NOT_CONVERGED;
}

tp_status tp_chain_take_newton(tp_chain *c)
{
    if (c->has_proximal) return TP_OK;
    TP_TRY(tp_proximal_init(&c->proximal, &c->sweeps, c->call->local, c->call->stack));
    c->has_proximal = true;
    return TP_OK;
}

tp_status tp_chain_measure_size(tp_chain *c)
{
    const tp_local *local = c->call->local;
    if (local->set_count <= TP_LARGE_LAWS && !(c->call->options->unsolved_limit > 0.0)) return TP_OK;
    TP_TRY(tp_chain_take_newton(c));
    c->is_large = tp_reduced_system_cost(&c->proximal.system) > tp_cheap_newton * local->G->block_count;
    return TP_OK;
}

bool tp_chain_is_exhausted(const tp_chain *c)
{
    return c->sweeps.sweep_count + c->proximal.step_count + c->joint_free_count + c->held_size_count >=
               c->sweeps.sweep_limit ||
           tp_sweeps_are_spent(&c->sweeps);
}

tp_status tp_chain_search(tp_chain *c, int patience, double *P)
{
    const tp_local *local = c->call->local;
    tp_searched_newton newton;
    TP_TRY(tp_chain_take_newton(c));
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    TP_TRY(tp_searched_newton_init(&newton, &c->proximal.system, tp_gentle_shift, c->call->stack));
    c->last = tp_solver_alart_curnier.info.name;
    c->proximal.system.refinements = TP_REFINEMENTS;
    tp_searched_newton_begin(&newton, P);
    double reference = newton.merit;
    tp_status status = TP_NOT_CONVERGED;
    for (int since = 0; since < patience && !tp_chain_is_exhausted(c); since++) {
        status = tp_searched_newton_step(&newton, c->call->stack, P);
        c->proximal.step_count++;
        c->sweeps.work += newton.system->work + 2.0 * local->G->block_count;
        if (status != TP_OK) break;
        if (tp_sweeps_judge(&c->sweeps, P) <= c->sweeps.aim) break;
        status = TP_NOT_CONVERGED;
        if (tp_chain_is_at_floor(c)) break;
        if (newton.merit < 0.25 * reference) {
            reference = newton.merit;
            since = 0;
        }
    }
    c->proximal.system.refinements = 0;
    memcpy(P, c->sweeps.best, (size_t)local->row_count * sizeof(double));
    tp_stack_release(c->call->stack, mark);
    return status;
}

tp_sweep_end tp_chain_sweep(tp_chain *c, double cap, double stall, int count, double *P, double *error)
{
    int limit = c->sweeps.sweep_limit;
    c->last = tp_solver_accelerated.info.name;
    if (limit - c->sweeps.sweep_count > count) c->sweeps.sweep_limit = c->sweeps.sweep_count + count;
    tp_sweep_end end = tp_sweeps_run(&c->sweeps, cap, (int)stall, P, error);
    c->sweeps.sweep_limit = limit;
    bool goes_on = c->sweeps.sweep_count < limit && !tp_sweeps_are_spent(&c->sweeps);
    return end == TP_SWEEP_LIMIT && goes_on ? TP_SWEEP_STALLED : end;
}

/* As `alart-curnier` takes them. They find solutions where friction is so large that sweeps and proximal
   steps go round in circles. */
tp_status tp_chain_excursion(tp_chain *c, const double *from)
{
    size_t bytes = (size_t)c->call->local->row_count * sizeof(double);
    tp_stack *stack = c->call->stack;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_sweeps aside = c->sweeps;
    tp_searched_newton newton;
    int returns = 0;
    aside.work_limit = fmin(aside.work_limit, (1.0 + tp_excursion_share) * aside.work);
    double *P = TP_STACK_ARRAY(stack, double, c->call->local->row_count);
    aside.best = TP_STACK_ARRAY(stack, double, c->call->local->row_count);
    tp_status status = P == NULL || aside.best == NULL ? TP_OUT_OF_MEMORY : TP_OK;
    if (status == TP_OK) status = tp_searched_newton_init(&newton, &c->proximal.system, tp_tiny_shift, stack);
    if (status == TP_OK) {
        memset(P, 0, bytes);
        if (from != NULL) memcpy(P, from, bytes);
        status = tp_searched_newton_run(&newton, &aside, TP_EXCURSION, stack, P, &c->proximal.step_count,
                                        &returns);
        c->aside_work += aside.work - c->sweeps.work;
    }
    if (status == TP_OK) {
        memcpy(c->sweeps.best, aside.best, bytes);
        c->sweeps.best_error = aside.best_error;
    }
    tp_stack_release(stack, mark);
    return status;
}

/* The best point of the path alone is in P: its impulses lie inside of their cones, which makes it a better
   start than another one with a smaller error. */
tp_status tp_chain_interior(tp_chain *c, int most, double *P)
{
    size_t bytes = (size_t)c->call->local->row_count * sizeof(double);
    tp_stack *stack = c->call->stack;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_sweeps aside = c->sweeps;
    aside.best = TP_STACK_ARRAY(stack, double, c->call->local->row_count);
    aside.best_error = INFINITY;
    int steps = 0;
    tp_status status =
        aside.best == NULL ? TP_OUT_OF_MEMORY : tp_interior_path(c->call, &aside, most, &steps);
    c->proximal.step_count += steps;
    c->sweeps.work = aside.work;
    if (status == TP_OK && isfinite(aside.best_error)) {
        memcpy(P, aside.best, bytes);
        tp_sweeps_judge(&c->sweeps, P);
        if (aside.best_error > c->sweeps.aim) tp_sweeps_project(c->call->local, P);
    }
    tp_stack_release(stack, mark);
    return status;
}

tp_status tp_chain_report_proof(tp_chain *c, double *P, tp_report *report, const double *y)
{
    tp_chain_report(c, P, report, TP_INFEASIBLE, "");
    tp_proof_text(c->call->local, y, c->call->stack, report->reason, sizeof report->reason);
    return TP_INFEASIBLE;
}

tp_status tp_chain_seek_proof(tp_chain *c, double *P, tp_report *report)
{
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    double *y = TP_STACK_ARRAY(c->call->stack, double, c->call->local->row_count);
    tp_status status = TP_OUT_OF_MEMORY;
    c->has_sought_proof = true;
    if (y != NULL)
        status = tp_frictionless_proof(c->call->local, tp_proof_share * c->sweeps.work, c->call->stack, y,
                                       &c->aside_work);
    if (status == TP_OK) status = tp_chain_report_proof(c, P, report, y);
    tp_stack_release(c->call->stack, mark);
    return status;
}
