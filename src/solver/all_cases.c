/* All cases of few laws by Newton's method; theory/solvers.md (28d). */
#include "all_cases.h"

#include "solver/infeasible/case_proof.h"
#include "solver/pivoting/case_newton.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* Memory of the walk. */
typedef struct case_walk {
    tp_case_newton newton;
    double *from, *before; /* [row_count] */
    bool is_over;          /* there are no more cases */
} case_walk;

/* Has a point of the case been reached that is not a solution? */
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
    int steps = tp_case_newton_is_linear(newton) ? 1 : TP_CASE_STEPS;
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
        if (is_close) steps = TP_CLOSE_STEPS;
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
    TP_STACK_DOUBLES(stack, rows, &walk->from, &walk->before);
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

/* Cases that programmes do not exclude. */
typedef struct case_visits {
    tp_chain *chain;
    case_walk *walk;
    double *P;
    int count;
    tp_status status;
} case_visits;

/* In space slip starts along the velocity of the best point. */
static bool visit(void *self, const tp_case_state *states)
{
    case_visits *v = self;
    tp_case_newton *newton = &v->walk->newton;
    const tp_set *sets = v->chain->call->local->sets;
    for (int m = 0; m < newton->item_count; m++) {
        tp_case_item *item = &newton->items[m];
        tp_case_state state = states[item->set - sets];
        if (state != TP_CASE_BASIC) item->state = state;
    }
    v->count++;
    v->status = try_case(v->chain, newton, v->walk->from, v->walk->before, v->P);
    return v->status != TP_NOT_CONVERGED || v->count >= TP_MOST_VISITS || tp_chain_is_exhausted(v->chain);
}

static tp_status report_proof(tp_chain *c, const tp_report *proof, double *P, tp_report *report)
{
    c->last = tp_solver_enumeration.info.name;
    tp_chain_report(c, P, report, TP_INFEASIBLE, "");
    memcpy(report->reason, proof->reason, sizeof report->reason);
    return TP_INFEASIBLE;
}

/* Every case is excluded by linear programmes or tried: a solution, or a proof that there is none; (28e). */
static tp_status search(tp_chain *c, case_walk *walk, double *P, tp_report *report)
{
    tp_report proof = {.reason = ""};
    case_visits visits = {.chain = c, .walk = walk, .P = P, .status = TP_NOT_CONVERGED};
    tp_case_end end =
        tp_case_search(c->call->local, c->sweeps.best, TP_PROGRAMMES, visit, &visits, c->call->stack, &proof);
    for (int m = 0; m < walk->newton.item_count; m++) /* the walk goes on where it was */
        walk->newton.items[m].state = walk->newton.items[m].states[walk->newton.choice[m]];
    c->has_visited_cases = end == TP_CASES_VISITED;
    return end == TP_CASES_EXCLUDED ? report_proof(c, &proof, P, report) : visits.status;
}

/* Cases that have been tried from this point. */
static int pass_over(case_walk *walk, int count)
{
    for (int k = 0; k < count && !walk->is_over; k++) walk->is_over = !tp_case_newton_next(&walk->newton);
    return count;
}

/* The next cases, twice as many each time; where they have led to a better point, the bounds of a proof
   are tighter there. */
static tp_status walk_on(tp_chain *c, case_walk *walk, int most, double *P, tp_report *report)
{
    tp_status status = TP_NOT_CONVERGED;
    const int last_step = c->proximal.step_count + TP_WALK_STEPS;
    int done = c->sweeps.best_error < c->near_error ? 0 : pass_over(walk, c->near_count);
    for (int next = TP_NEAR_CASES; status == TP_NOT_CONVERGED && !walk->is_over && done < most; next *= 2) {
        tp_report proof = {.reason = ""};
        double before = c->sweeps.best_error;
        status = go_on(c, walk, next < most - done ? next : most - done, P);
        done += next;
        walk->is_over = walk->is_over || c->proximal.step_count >= last_step;
        bool is_due = c->sweeps.best_error > tp_stuck_error && c->sweeps.best_error < before;
        if (status == TP_NOT_CONVERGED && is_due &&
            tp_case_proof(c->call->local, c->sweeps.best, TP_PROGRAMMES, c->call->stack, &proof))
            status = report_proof(c, &proof, P, report);
    }
    return status;
}

static tp_status end_walk(tp_chain *c, tp_status status, double *P, tp_report *report)
{
    if (status == TP_OUT_OF_MEMORY || status == TP_INFEASIBLE) return status;
    return tp_chain_end_newton(c, P, report);
}

tp_status tp_chain_try_near_cases(tp_chain *c, int most, double *P, tp_report *report)
{
    case_walk walk = {.is_over = false};
    TP_TRY(tp_chain_take_newton(c));
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    tp_status status = begin(c, &walk);
    if (status == TP_NOT_CONVERGED) status = go_on(c, &walk, most, P);
    tp_stack_release(c->call->stack, mark);
    c->near_error = c->sweeps.best_error;
    c->near_count = most;
    return end_walk(c, status, P, report);
}

tp_status tp_chain_try_cases(tp_chain *c, int most, double *P, tp_report *report)
{
    case_walk walk = {.is_over = false};
    TP_TRY(tp_chain_take_newton(c));
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    tp_status status = begin(c, &walk);
    bool is_close = c->sweeps.best_error <= tp_stuck_error; /* to a solution: programmes exclude little */
    if (status == TP_NOT_CONVERGED && !is_close) status = search(c, &walk, P, report);
    if (status == TP_NOT_CONVERGED) status = walk_on(c, &walk, most, P, report);
    tp_stack_release(c->call->stack, mark);
    return end_walk(c, status, P, report);
}
