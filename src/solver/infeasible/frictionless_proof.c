/* Proof that a problem has no solution, by the same problem without friction; theory/solvers.md (28a). */
#include "frictionless_proof.h"

#include "no_solution.h"
#include "solver/newton/proximal_newton.h"
#include "solver/tolerances.h"

#include <string.h>

enum { ROUNDS = 3, STALL = 200 /* sweeps without a halving of E */ };

/* Contacts lose their friction, so that impulses can grow along their normals only. */
static tp_set *without_friction(const tp_local *local, tp_stack *stack)
{
    static const double nothing = 0.0;
    tp_set *sets = TP_STACK_ARRAY(stack, tp_set, local->set_count);
    if (sets == NULL) return NULL;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        sets[i] = *set;
        if (set->kind != TP_SET_CONTACT || set->size == 1) continue;
        sets[i] = tp_set_contact(TP_FRICTION_BALL, set->size, &nothing);
        sets[i].first = set->first;
    }
    return sets;
}

/* Sweeps and Newton steps until the problem is solved or impulses drift along a proof. */
static tp_newton_end solve(tp_sweeps *sweeps, tp_proximal *proximal, tp_stack *stack, double *P)
{
    tp_newton_end end = TP_NEWTON_STALLED;
    double error;
    for (int round = 0; round < ROUNDS && end == TP_NEWTON_STALLED; round++) {
        tp_sweep_end swept = tp_sweeps_run(sweeps, 1.0, STALL, P, &error);
        if (swept == TP_SWEEP_CONVERGED || swept == TP_SWEEP_FLOOR) return TP_NEWTON_CONVERGED;
        if (swept == TP_SWEEP_LIMIT) return TP_NEWTON_LIMIT;
        memcpy(P, sweeps->best, (size_t)proximal->system.local->row_count * sizeof(double));
        end = tp_proximal_run(proximal, stack, P, &error);
    }
    return end;
}

tp_status tp_frictionless_proof(const tp_local *local, double work_limit, tp_stack *stack, double *y_out,
                                double *work)
{
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_local plain = *local;
    tp_solver_options options = tp_solver_options_default();
    tp_sweeps sweeps;
    tp_proximal proximal;
    plain.sets = without_friction(local, stack);
    double *P = TP_STACK_ARRAY(stack, double, 2 * (size_t)local->row_count); /* then work of the judge */
    options.tolerance = tp_frictionless_tolerance;
    tp_status status = plain.sets == NULL || P == NULL ? TP_OUT_OF_MEMORY : TP_OK;
    if (status == TP_OK) status = tp_sweeps_init(&sweeps, &plain, stack);
    if (status == TP_OK) status = tp_proximal_init(&proximal, &sweeps, &plain, stack);
    if (status == TP_OK) {
        memset(P, 0, (size_t)local->row_count * sizeof(double));
        tp_sweeps_aim(&sweeps, &options, 1.0);
        sweeps.work_limit = work_limit;
        status = TP_NOT_CONVERGED;
        if (solve(&sweeps, &proximal, stack, P) == TP_NEWTON_INFEASIBLE) {
            memcpy(y_out, proximal.direction, (size_t)local->row_count * sizeof(double));
            if (tp_proof_judge(local, y_out, P) == TP_VERDICT_INFEASIBLE) status = TP_OK;
        }
        *work += sweeps.work;
    }
    tp_stack_release(stack, mark);
    return status;
}
