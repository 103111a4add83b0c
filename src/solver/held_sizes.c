/* Sets that follow another law's impulse, with their sizes held; theory/solvers.md (28b). */
#include "held_sizes.h"

#include "tolerances.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON_STEPS = 3, /* after each round                                */
    SLOW_ROUNDS = 4   /* without a halving of E: the stage leads nowhere */
};

bool tp_chain_has_masters(const tp_chain *c)
{
    const tp_local *local = c->call->local;
    for (int i = 0; i < local->set_count; i++) {
        if (local->sets[i].master_count > 0) return true;
    }
    return false;
}

/* The set as it is at P, of constant size; friction along one row is an interval, which pivoting takes. */
static tp_set held(const tp_set *set, const double *P)
{
    tp_set out = *set;
    double size = tp_set_scale(set, P);
    if (set->master_count == 0) return out;
    if (set->size == 1 && set->friction_kind != TP_FRICTION_CONTENSOU) {
        out = tp_set_interval(-size * set->parameter[0], size * set->parameter[0]);
        out.first = set->first;
        return out;
    }
    out.master = out.master_count = 0;
    for (int k = 0; k < 6; k++) out.parameter[k] *= size;
    return out;
}

/* The problem with the sizes of P, by the chain from P; the caller has the sets. */
static tp_status solve_held(tp_chain *c, tp_set *sets, double *P, tp_report *report)
{
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    tp_problem problem = *c->call->problem;
    tp_local local = *c->call->local;
    tp_solver_options options = *c->call->options;
    options.warm_start = true;
    options.work_limit = c->sweeps.work_limit - c->sweeps.work;
    for (int i = 0; i < local.set_count; i++) sets[i] = held(&local.sets[i], P);
    problem.sets = sets;
    local.sets = sets;
    tp_solve_call call = {&problem, &local, &options, c->call->stack};
    tp_status status = tp_solver_auto.solve(&call, P, report);
    tp_stack_release(c->call->stack, mark);
    c->sweeps.work += report->work;
    c->held_size_count += report->iterations;
    return status;
}

/* Newton steps from P with sizes that follow: close to a solution they square the error, where rounds with
   sizes held divide it. */
static tp_status finish(tp_chain *c, const double *P, double *trial)
{
    const tp_local *local = c->call->local;
    tp_reduced_system *system = &c->proximal.system;
    memcpy(trial, P, (size_t)local->row_count * sizeof(double));
    for (int k = 0; k < NEWTON_STEPS && c->sweeps.best_error > c->sweeps.aim; k++) {
        tp_local_velocity(local, trial, c->proximal.velocity);
        tp_reduced_system_linearise(system, trial, c->proximal.velocity, 0.0, NULL);
        tp_status status = tp_reduced_system_solve(system, tp_tiny_shift * local->rho, c->call->stack, trial);
        c->proximal.step_count++;
        c->sweeps.work += system->work + 2.0 * local->G->block_count;
        if (status != TP_OK) return status == TP_OUT_OF_MEMORY ? status : TP_OK;
        tp_sweeps_judge(&c->sweeps, trial);
    }
    return TP_OK;
}

/* The rounds; P is where the last one ended, which may be worse than the best point but leads on. */
static tp_status run_rounds(tp_chain *c, int rounds, tp_set *sets, double *trial, double *P)
{
    double before = INFINITY;
    int slow = 0;
    for (int k = 0; k < rounds && slow < SLOW_ROUNDS && !tp_chain_is_exhausted(c); k++) {
        tp_report inner = {.status = TP_NOT_CONVERGED};
        tp_status status = solve_held(c, sets, P, &inner);
        if (status != TP_OK && status != TP_NOT_CONVERGED) return status;
        double error = tp_sweeps_judge(&c->sweeps, P);
        TP_TRY(finish(c, P, trial));
        if (c->sweeps.best_error <= c->sweeps.aim || tp_chain_is_at_floor(c)) break;
        slow = error > 0.5 * before ? slow + 1 : 0;
        before = error;
    }
    return TP_OK;
}

tp_status tp_chain_hold_sizes(tp_chain *c, int rounds, double *P, tp_report *report)
{
    tp_stack *stack = c->call->stack;
    size_t rows = (size_t)c->call->local->row_count;
    TP_TRY(tp_chain_take_newton(c));
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_set *sets = TP_STACK_ARRAY(stack, tp_set, c->call->local->set_count);
    double *trial = TP_STACK_ARRAY(stack, double, rows);
    tp_status status = stack->failed ? TP_OUT_OF_MEMORY : run_rounds(c, rounds, sets, trial, P);
    tp_stack_release(stack, mark);
    if (status == TP_OUT_OF_MEMORY) return status;
    memcpy(P, c->sweeps.best, rows * sizeof(double));
    return c->sweeps.best_error <= c->sweeps.aim ? tp_chain_solved(c, P, report) : TP_NOT_CONVERGED;
}
