/* The last resort of nonlinear inclusions with few laws: all cases by Newton's method, accepted by the
   residual alone; theory/solvers.md (31c). */
#include "inclusion_iteration.h"
#include "problem/local.h"
#include "solver/pivoting/case_newton.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

enum {
    MOST_CASES = 256, /* three contacts in the plane, or one and joints with friction */
    MOST_ROWS = 100,
    CASE_STEPS = 12,    /* linearisations in one case */
    SLOW_STEPS = 3,     /* without a halving of the error: there is no solution in this case */
    FOLLOWED_STEPS = 32 /* linearisations of all cases where friction follows joints: most of these steps are
                           solved in parts, and a linearisation takes a millisecond */
};

/* Memory of the search. */
typedef struct search {
    tp_workspace *workspace;
    double *x, *P;           /* the point of the present case */
    double *x_best, *P_best; /* and of all of them            */
    double best;
    tp_floor floor; /* there */
} search;

static tp_status take(search *s, const tp_problem *linear, tp_stack *stack)
{
    TP_STACK_DOUBLES(stack, linear->x_count, &s->x, &s->x_best);
    TP_STACK_DOUBLES(stack, linear->row_count, &s->P, &s->P_best);
    s->best = INFINITY;
    return stack->failed ? TP_OUT_OF_MEMORY : TP_OK;
}

static void keep_best(const tp_iteration *it, search *s)
{
    s->best = it->error;
    s->floor = it->floor;
    tp_iteration_copy(it->inclusion->linear, s->x, s->P, s->x_best, s->P_best);
}

/* One Newton step of inclusion and laws together in the present case. */
static tp_status step(tp_iteration *it, tp_case_newton *cases, bool is_start, search *s)
{
    const tp_problem *linear = it->inclusion->linear;
    tp_reduced_system system;
    tp_local local;
    TP_TRY(tp_iteration_linearise(it, s->x, s->P));
    tp_iteration_keep_point(it, s->x, s->P);
    tp_stack_mark mark = tp_stack_mark_now(it->stack);
    tp_status status = tp_local_form(linear, it->stack, &local);
    if (status == TP_OK) status = tp_reduced_system_init(&system, &local, it->stack);
    if (status == TP_OK) {
        cases->system = &system;
        status = tp_case_newton_step(cases, is_start, tp_case_shift, it->stack, s->P);
        it->work += system.work;
    }
    if (status == TP_OK && linear->x_count > 0)
        status = tp_problem_state_with(linear, it->stack, s->P, s->x, NULL);
    tp_stack_release(it->stack, mark);
    TP_TRY(status);
    tp_iteration_stay_inside(it, s->x, s->P);
    it->floor = tp_iteration_floor(it, s->x, s->P);
    return tp_iteration_evaluate(it, s->x, s->P);
}

/* The present case from the start of the inclusion. TP_OK: solved, or there is nothing in it. */
static tp_status try_case(tp_iteration *it, tp_case_newton *cases, search *s, int *count)
{
    const tp_problem *linear = it->inclusion->linear;
    int slow = 0;
    tp_iteration_copy(linear, it->x_start, it->P_start, s->x, s->P);
    TP_TRY(tp_iteration_evaluate(it, s->x, s->P));
    double mark = INFINITY;
    for (int k = 0; k < CASE_STEPS && slow < SLOW_STEPS; k++) {
        tp_status status = step(it, cases, k == 0, s);
        ++*count;
        if (status == TP_OUT_OF_MEMORY) return status;
        if (status != TP_OK) return TP_OK;
        if (it->error < s->best) keep_best(it, s);
        slow = it->error < 0.5 * mark ? 0 : slow + 1;
        mark = fmin(mark, it->error);
        if (k > 0 && tp_iteration_is_solved(it) && slow > 0) return TP_OK;
    }
    return TP_OK;
}

/* Contacts that stick at P, with friction that need not be in its sets. */
static bool may_share(const tp_case_newton *cases, const double *P)
{
    int stick_count = 0;
    for (int m = 0; m < cases->item_count; m++) {
        const tp_case_item *item = &cases->items[m];
        if (item->set->kind != TP_SET_CONTACT || item->state == TP_CASE_OPEN) continue;
        if (item->state != TP_CASE_STICK || !(P[item->first] > 0.0)) return false;
        stick_count++;
    }
    return stick_count > 1;
}

/* Contacts that stick may share their friction in many ways. The case has the shares of least norm: where
   these are outside of their sets, the nearest solution of the linearised laws has others. */
static tp_status share(tp_iteration *it, search *s, int *count)
{
    int more = 0;
    tp_inclusion_manner manner = it->manner;
    tp_stack_mark mark = tp_stack_mark_now(it->stack);
    it->manner = TP_NEAREST_SOLUTIONS;
    tp_status status = tp_iteration_linearised(it, s->workspace, s->x, s->P, &more);
    it->manner = manner;
    tp_stack_release(it->stack, mark);
    *count += more;
    if (status == TP_OUT_OF_MEMORY) return status;
    if (status == TP_OK && it->error < s->best) keep_best(it, s);
    return TP_OK;
}

static tp_status walk(tp_iteration *it, tp_case_newton *cases, search *s, int *count)
{
    const int most = tp_iteration_has_followers(it) ? FOLLOWED_STEPS : MOST_CASES * CASE_STEPS;
    tp_case_newton_first(cases);
    do {
        TP_TRY(try_case(it, cases, s, count));
        if (!tp_iteration_is_solved(it) && may_share(cases, s->P)) TP_TRY(share(it, s, count));
        it->error = s->best;
        it->floor = s->floor;
    } while (!tp_iteration_is_solved(it) && *count < most && tp_case_newton_next(cases));
    return TP_OK;
}

/* The laws as they are at the start; the order of their cases follows the branch that is asked for. */
static tp_status list_cases(tp_iteration *it, const tp_local *local, tp_reduced_system *system,
                            tp_case_newton *cases)
{
    bool by_load = it->options->inner != NULL && it->options->inner->branch == TP_BRANCH_LOADED;
    system->local = local;
    TP_TRY(tp_case_newton_take(cases, system, it->stack));
    tp_case_newton_prefer(cases, by_load, it->P_start);
    return tp_case_newton_count(cases) <= MOST_CASES ? TP_OK : TP_UNSUPPORTED;
}

tp_status tp_iteration_try_cases(tp_iteration *it, tp_workspace *workspace, double *x, double *P, int *count)
{
    const tp_problem *linear = it->inclusion->linear;
    if (linear->row_count > MOST_ROWS) return TP_OK;
    tp_stack_mark mark = tp_stack_mark_now(it->stack);
    tp_reduced_system system = {0};
    tp_case_newton cases;
    tp_local local;
    search s = {.workspace = workspace};
    tp_status status = take(&s, linear, it->stack);
    if (status == TP_OK) status = tp_iteration_evaluate(it, it->x_start, it->P_start);
    if (status == TP_OK) status = tp_iteration_linearise(it, it->x_start, it->P_start);
    if (status == TP_OK) status = tp_local_form(linear, it->stack, &local);
    if (status == TP_OK) status = list_cases(it, &local, &system, &cases);
    if (status == TP_OK) status = walk(it, &cases, &s, count);
    it->error = s.best;
    it->floor = s.floor;
    if (isfinite(s.best)) tp_iteration_copy(linear, s.x_best, s.P_best, x, P);
    if (tp_iteration_is_solved(it)) it->is_unsolvable = false;
    tp_stack_release(it->stack, mark);
    return status == TP_OUT_OF_MEMORY ? status : TP_OK;
}
