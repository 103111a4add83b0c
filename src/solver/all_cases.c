/* All cases of few laws by Newton's method; theory/solvers.md (28d). */
#include "all_cases.h"

#include "solver/infeasible/case_proof.h"
#include "solver/pivoting/case_newton.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

enum {
    CASE_STEPS = 8,         /* in one case, and ...          */
    CLOSE_STEPS = 16,       /* ... where they come close */
    PROGRAMMES_OF_CASE = 4, /* of a proof, at most, for each case that was tried */
    FIRST_CASES = 64 /* before a proof is looked for: what has a solution has it among these, nearly always */
};

/* Memory of the walk. */
typedef struct case_walk {
    tp_case_newton newton;
    double *from, *before; /* [row_count] */
    bool is_over;          /* there are no more cases */
} case_walk;

/* Has a point of the case been reached, which is no solution? */
static bool has_settled(int rows, const double *before, const double *P)
{
    double change = 0.0, size = 0.0;
    for (int k = 0; k < rows; k++) {
        change = fmax(change, fabs(P[k] - before[k]));
        size = fmax(size, fabs(P[k]));
    }
    return !(change > tp_same_solution * size);
}

/* Newton steps in one case from `from`; TP_OK: its point is a solution, or as near as rounding allows. Close
   to one they go on, with a smaller shift where that is what makes them slow. */
static tp_status try_case(tp_chain *c, tp_case_newton *newton, const double *from, double *before, double *P)
{
    size_t bytes = (size_t)c->call->local->row_count * sizeof(double);
    int steps = tp_case_newton_is_linear(newton) ? 1 : CASE_STEPS;
    double shift = tp_case_shift, error = INFINITY;
    memcpy(P, from, bytes);
    for (int k = 0; k < steps; k++) {
        memcpy(before, P, bytes);
        tp_status status = tp_case_newton_step(newton, k == 0, shift, c->call->stack, P);
        c->proximal.step_count++;
        c->sweeps.work += newton->system->work + 2.0 * c->call->local->G->block_count;
        if (status != TP_OK) return status == TP_OUT_OF_MEMORY ? status : TP_NOT_CONVERGED;
        double last = error;
        error = tp_sweeps_judge(&c->sweeps, P);
        if (error <= c->sweeps.aim || tp_chain_is_at_floor(c)) return TP_OK;
        bool is_close = error <= tp_close_error;
        if (is_close) steps = CLOSE_STEPS;
        if (is_close && error > tp_worth_case * last) shift = fmax(tp_tiny_shift, tp_worth_case * shift);
        if (!is_close && has_settled(c->call->local->row_count, before, P)) break;
    }
    return TP_NOT_CONVERGED;
}

static tp_status begin(tp_chain *c, case_walk *walk)
{
    tp_stack *stack = c->call->stack;
    size_t rows = (size_t)c->call->local->row_count;
    TP_TRY(tp_case_newton_take(&walk->newton, &c->proximal.system, stack));
    walk->from = TP_STACK_ARRAY(stack, double, rows);
    walk->before = TP_STACK_ARRAY(stack, double, rows);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memcpy(walk->from, c->sweeps.best, rows * sizeof(double));
    tp_case_newton_prefer(&walk->newton, false, walk->from);
    tp_case_newton_first(&walk->newton);
    return TP_NOT_CONVERGED; /* so far */
}

/* So many of the next cases. */
static tp_status go_on(tp_chain *c, case_walk *walk, int most, double *P)
{
    tp_status status = TP_NOT_CONVERGED;
    for (int k = 0; k < most && !walk->is_over && status == TP_NOT_CONVERGED; k++) {
        status = try_case(c, &walk->newton, walk->from, walk->before, P);
        walk->is_over = !tp_case_newton_next(&walk->newton) || tp_chain_is_exhausted(c);
    }
    return status;
}

/* TP_INFEASIBLE: no case has a solution; (28e). */
static tp_status prove(tp_chain *c, int programmes, double *P, tp_report *report)
{
    tp_report proof = {.reason = ""};
    if (!(c->sweeps.best_error > tp_stuck_error)) return TP_NOT_CONVERGED;
    if (!tp_case_proof(c->call->local, c->sweeps.best, programmes, c->call->stack, &proof))
        return TP_NOT_CONVERGED;
    c->last = tp_solver_enumeration.info.name;
    tp_chain_report(c, P, report, TP_INFEASIBLE, "");
    memcpy(report->reason, proof.reason, sizeof report->reason);
    return TP_INFEASIBLE;
}

tp_status tp_chain_try_cases(tp_chain *c, int most, double *P, tp_report *report)
{
    case_walk walk = {.is_over = false};
    TP_TRY(tp_chain_take_newton(c));
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    tp_status status = begin(c, &walk);
    for (int done = 0; status == TP_NOT_CONVERGED && !walk.is_over && done < most;) {
        int count = done < FIRST_CASES ? FIRST_CASES : done;
        status = go_on(c, &walk, count < most - done ? count : most - done, P);
        done += count;
        if (status == TP_NOT_CONVERGED) status = prove(c, PROGRAMMES_OF_CASE * done, P, report);
    }
    tp_stack_release(c->call->stack, mark);
    if (status == TP_OUT_OF_MEMORY || status == TP_INFEASIBLE) return status;
    return tp_chain_end_newton(c, P, report);
}
