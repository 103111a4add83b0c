/* Sets that follow another law's impulse, with their sizes held; theory/solvers.md (28b). */
#include "held_sizes.h"

#include "tolerances.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON_STEPS = 3, /* after each round                                      */
    SLOW_ROUNDS = 4   /* in which sizes hardly settle: the stage leads nowhere */
};

bool tp_chain_has_masters(const tp_chain *c)
{
    const tp_local *local = c->call->local;
    for (int i = 0; i < local->set_count; i++) {
        if (local->sets[i].master_count > 0) return true;
    }
    return false;
}

tp_set tp_set_held(const tp_set *set, double size)
{
    tp_set out = *set;
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

/* Memory of the rounds. */
typedef struct rounds_memory {
    tp_set *sets;                  /* [set_count] */
    double *size, *before, *trial; /* [set_count] sizes of this round and of the last; [row_count] */
} rounds_memory;

/* After a linearised inclusion comes another problem: long rounds are not worth their time. */
static double work_of_round(double rows, bool is_linearised)
{
    double most = tp_held_work * rows * rows * rows;
    return is_linearised ? fmax(tp_held_share * most, fmin(most, tp_held_least)) : most;
}

/* The problem with the sizes of P, by the chain from P. */
static tp_status solve_held(tp_chain *c, const rounds_memory *memory, double *P, tp_report *report)
{
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    tp_problem problem = *c->call->problem;
    tp_local local = *c->call->local;
    tp_solver_options options = *c->call->options;
    options.warm_start = true;
    bool is_linearised = !(options.floor_factor > 0.0); /* then reactions of locked loops may be large */
    if (!is_linearised) options.tolerance = fmax(options.tolerance, tp_held_tolerance);
    options.work_limit =
        fmin(c->sweeps.work_limit - c->sweeps.work, work_of_round(local.row_count, is_linearised));
    for (int i = 0; i < local.set_count; i++) memory->sets[i] = tp_set_held(&local.sets[i], memory->size[i]);
    problem.sets = memory->sets;
    local.sets = memory->sets;
    tp_solve_call call = {.problem = &problem, .local = &local, .options = &options, .stack = c->call->stack};
    tp_status status = tp_solver_auto.solve(&call, P, report);
    tp_stack_release(c->call->stack, mark);
    c->sweeps.work += report->work;
    c->held_size_count += report->iterations;
    return status;
}

/* Newton steps from P with sizes that follow, slipping and sticking as the held problem said: close to a
   solution they square the error, where rounds with sizes held divide it. */
static tp_status finish(tp_chain *c, const rounds_memory *memory, const double *P)
{
    const tp_local *local = c->call->local;
    tp_reduced_system *system = &c->proximal.system;
    memcpy(memory->trial, P, (size_t)local->row_count * sizeof(double));
    system->held = memory->size;
    tp_status status = TP_OK;
    for (int k = 0; k < NEWTON_STEPS && status == TP_OK && c->sweeps.best_error > c->sweeps.aim; k++) {
        tp_local_velocity(local, memory->trial, c->proximal.velocity);
        tp_reduced_system_linearise(system, memory->trial, c->proximal.velocity, 0.0, NULL);
        status = tp_reduced_system_solve(system, tp_tiny_shift * local->rho, c->call->stack, memory->trial);
        c->proximal.step_count++;
        c->sweeps.work += system->work + 2.0 * local->G->block_count;
        if (status == TP_OK) tp_sweeps_judge(&c->sweeps, memory->trial);
    }
    system->held = NULL;
    return status == TP_OUT_OF_MEMORY ? status : TP_OK;
}

/* Sizes at P; returns the largest change of one since the last round, of the largest. */
static double measure_sizes(const tp_local *local, const double *P, const rounds_memory *memory)
{
    double change = 0.0, largest = 0.0;
    for (int i = 0; i < local->set_count; i++) {
        double size = tp_set_scale(&local->sets[i], P);
        if (local->sets[i].master_count > 0) {
            change = fmax(change, fabs(size - memory->before[i]));
            largest = fmax(largest, size);
        }
        memory->size[i] = memory->before[i] = size;
    }
    return largest > 0.0 ? change / largest : 0.0;
}

/* The rounds; P is where the last one ended, which may be worse than the best point but leads on. */
static tp_status run_rounds(tp_chain *c, int rounds, const rounds_memory *memory, double *P)
{
    double before = INFINITY;
    int slow = 0, failed = 0;
    measure_sizes(c->call->local, P, memory);
    for (int k = 0; k < rounds && slow + failed < SLOW_ROUNDS && !tp_chain_is_exhausted(c); k++) {
        tp_report inner = {.status = TP_NOT_CONVERGED};
        tp_status status = solve_held(c, memory, P, &inner);
        if (status != TP_OK && status != TP_NOT_CONVERGED) return status;
        tp_sweeps_judge(&c->sweeps, P);
        TP_TRY(finish(c, memory, P));
        if (c->sweeps.best_error <= c->sweeps.aim || tp_chain_is_at_floor(c)) break;
        failed += status != TP_OK;
        double change = measure_sizes(c->call->local, P, memory);
        if (change == 0.0) break; /* the next round would be this one */
        slow = change > tp_slow_sizes * before ? slow + 1 : 0;
        before = change;
    }
    return TP_OK;
}

tp_status tp_chain_hold_sizes(tp_chain *c, int rounds, double *P, tp_report *report)
{
    tp_stack *stack = c->call->stack;
    size_t rows = (size_t)c->call->local->row_count, sets = (size_t)c->call->local->set_count;
    TP_TRY(tp_chain_take_newton(c));
    tp_stack_mark mark = tp_stack_mark_now(stack);
    rounds_memory memory = {.sets = TP_STACK_ARRAY(stack, tp_set, sets),
                            .size = TP_STACK_ARRAY(stack, double, sets),
                            .before = TP_STACK_ARRAY(stack, double, sets),
                            .trial = TP_STACK_ARRAY(stack, double, rows)};
    tp_status status = stack->failed ? TP_OUT_OF_MEMORY : run_rounds(c, rounds, &memory, P);
    tp_stack_release(stack, mark);
    if (status == TP_OUT_OF_MEMORY) return status;
    memcpy(P, c->sweeps.best, rows * sizeof(double));
    return c->sweeps.best_error <= c->sweeps.aim ? tp_chain_solved(c, P, report) : TP_NOT_CONVERGED;
}
