/* Solver `enumeration`: all combinations of cases of small problems, all solutions collected;
   docs/theory/pivoting.md (25)-(28). */
#include "enumeration.h"

#include "math/dense.h"
#include "solver/infeasible/farkas.h"
#include "solver/judge.h"
#include "solver/pivoting/cases.h"
#include "solver/solvers.h"
#include "solver/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Several spatial slips are searched by Newton from a grid of directions, hence the smaller limit. */
enum { MAX_CASES = 1 << 16, MAX_SOLUTIONS = 64, MAX_SPATIAL = 5 };

typedef struct collection {
    const tp_local *local;
    double size; /* |c| over the scale of E: relative to the data even where they are rounding noise, else
                    every case would pass */
    double tolerance; /* E of a solution, if double precision allows it */
    int count;        /* distinct solutions met; the first MAX_SOLUTIONS are kept */
    double *P;        /* [n * MAX_SOLUTIONS] */
    int *rank;        /* [MAX_SOLUTIONS] default order: more sticking first, then more slipping */
    double *xi;
    double *near_P, near_error; /* [n] the best point of a case without a solution */
    double noise;
    bool is_undecided; /* rounding alone may keep a case from being a solution */
} collection;

static double distance_between(int n, const double *a, const double *b, double *size_out)
{
    double distance = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        distance = fmax(distance, fabs(a[i] - b[i]));
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    }
    if (size_out) *size_out = size;
    return distance;
}

/* Keeps a point that solves the problem and is not known yet. */
static void collect(void *context, const tp_cases *cases, const double *P)
{
    collection *c = context;
    const int n = c->local->row_count;
    double error = tp_local_error(c->local, P, c->xi, NULL);
    double rounding = tp_floor_sum(tp_floor_at(c->local, P, c->noise)),
           reachable = c->size * fmin(tp_goal_roundings * rounding, tp_case_tolerance);
    if (!(error <= fmax(c->tolerance, reachable))) {
        if (error <= tp_accepted_roundings * rounding) c->is_undecided = true;
        if (error < c->near_error) memcpy(c->near_P, P, (size_t)n * sizeof(double));
        c->near_error = fmin(error, c->near_error);
        return;
    }
    int kept = c->count < MAX_SOLUTIONS ? c->count : MAX_SOLUTIONS, rank = 0;
    for (int k = 0; k < kept; k++) {
        double size, distance = distance_between(n, c->P + (size_t)k * (size_t)n, P, &size);
        if (distance <= tp_same_solution * size) return;
    }
    for (int m = 0; m < cases->item_count; m++) {
        tp_case_state state = cases->items[m].state;
        rank += state == TP_CASE_STICK ? 1000 : state >= TP_CASE_SLIP ? 1 : 0;
    }
    if (c->count < MAX_SOLUTIONS) {
        memcpy(c->P + (size_t)c->count * (size_t)n, P, (size_t)n * sizeof(double));
        c->rank[c->count] = rank;
    }
    c->count++;
}

static bool is_spatial(const tp_case_item *item)
{
    return item->size == 3 && item->disc.mu > 0.0;
}

static int count_spatial(const tp_cases *cases)
{
    int count = 0;
    for (int m = 0; m < cases->item_count; m++) count += is_spatial(&cases->items[m]);
    return count;
}

/* How many combinations there are; MAX_CASES + 1 for too many. */
static int count_cases(const tp_cases *cases)
{
    int total = 1;
    for (int m = 0; m < cases->item_count && total <= MAX_CASES; m++) total *= cases->items[m].state_count;
    return total <= MAX_CASES ? total : MAX_CASES + 1;
}

/* What all of them cost, in solves times the cube of the rows: most of it are slips in space, which are
   searched. */
static double count_work(const tp_cases *cases)
{
    double total = 0.0, with_slips[MAX_SPATIAL + 1] = {1.0}; /* combinations with so many spatial slips */
    for (int m = 0; m < cases->item_count; m++) {
        const tp_case_item *item = &cases->items[m];
        bool may_slip = is_spatial(item);
        for (int k = MAX_SPATIAL; k >= 0; k--)
            with_slips[k] = with_slips[k] * (item->state_count - may_slip) +
                            (may_slip && k > 0 ? with_slips[k - 1] : 0.0);
    }
    for (int k = 0; k <= MAX_SPATIAL; k++) total += with_slips[k] * tp_case_solves(k);
    return total * cases->n * cases->n * cases->n;
}

/* Contacts that are loaded at one point and open at the other. */
static int count_changes(const tp_local *local, const double *a, const double *b)
{
    int count = 0;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        count += set->kind == TP_SET_CONTACT && (a[set->first] > 0.0) != (b[set->first] > 0.0);
    }
    return count;
}

static bool is_better(const collection *c, tp_branch branch, const double *start, int k, int best)
{
    const int n = c->local->row_count;
    const double *candidate = c->P + (size_t)k * (size_t)n, *present = c->P + (size_t)best * (size_t)n;
    if (branch == TP_BRANCH_NEAREST)
        return distance_between(n, candidate, start, NULL) < distance_between(n, present, start, NULL);
    int more = 0;
    if (branch == TP_BRANCH_LOADED)
        more = count_changes(c->local, candidate, start) - count_changes(c->local, present, start);
    return more < 0 || (more == 0 && c->rank[k] > c->rank[best]);
}

static int choose(const collection *c, tp_branch branch, const double *start)
{
    const int kept = c->count < MAX_SOLUTIONS ? c->count : MAX_SOLUTIONS;
    int best = 0;
    for (int k = 1; k < kept; k++) {
        if (is_better(c, branch, start, k, best)) best = k;
    }
    return best;
}

/* Solutions with different xi among those that are kept. */
static int count_motions(const collection *c, tp_stack *stack)
{
    const int n = c->local->row_count, kept = c->count < MAX_SOLUTIONS ? c->count : MAX_SOLUTIONS;
    double *xi = TP_STACK_ARRAY(stack, double, (size_t)n *MAX_SOLUTIONS + 1), size = 0.0;
    if (xi == NULL) return -1;
    int count = 0;
    for (int k = 0; k < n; k++) size = fmax(size, fabs(c->local->c[k]));
    for (int k = 0; k < kept; k++) {
        double *mine = xi + (size_t)count * (size_t)n;
        bool is_known = false;
        tp_local_error(c->local, c->P + (size_t)k * (size_t)n, mine, NULL);
        for (int m = 0; m < count && !is_known; m++)
            is_known = distance_between(n, xi + (size_t)m * (size_t)n, mine, NULL) <= tp_same_solution * size;
        count += !is_known;
    }
    return count;
}

/* What no solution means: a proof, if every case was decided. */
static tp_status no_solution(const tp_solve_call *call, const tp_cases *cases, const collection *found,
                             int total, tp_report *report)
{
    if (tp_report_proof(call->local, call->stack, report)) return report->status;
    bool is_decidable =
        isinf(call->local->inertia) || call->local->rho * call->local->inertia < tp_decidable_ratio;
    if (cases->is_complete && !found->is_undecided && is_decidable) {
        report->solution_count = 0;
        return tp_report_end(report, TP_INFEASIBLE, "no solution in any of %d cases, none of them singular",
                             total);
    }
    snprintf(
        report->reason, sizeof report->reason,
        "no solution found in %d cases, but some were singular, searched by Newton or lost in rounding: no "
        "proof",
        total);
    return report->status = TP_NOT_CONVERGED;
}

static tp_status run_cases(const tp_solve_call *call, tp_cases *cases, collection *found, int total)
{
    const int n = cases->n;
    found->local = call->local;
    found->noise = call->options->noise;
    found->size = tp_dense_norm(n, call->local->c) / call->local->scale;
    found->tolerance = fmin(call->options->tolerance, tp_case_tolerance) * found->size;
    found->P = TP_STACK_ARRAY(call->stack, double, (size_t)n *MAX_SOLUTIONS + 1);
    found->rank = TP_STACK_ARRAY(call->stack, int, MAX_SOLUTIONS);
    TP_STACK_DOUBLES(call->stack, n + 1, &found->xi, &found->near_P);
    found->near_error = INFINITY;
    if (!found->P || !found->rank || !found->xi || !found->near_P) return TP_OUT_OF_MEMORY;
    for (int combination = 0; combination < total; combination++) {
        for (int m = 0, code = combination; m < cases->item_count; m++) {
            tp_case_item *item = &cases->items[m];
            item->state = item->states[code % item->state_count];
            code /= item->state_count;
        }
        tp_case_solve(cases, collect, found);
    }
    return TP_OK;
}

tp_status tp_enumerate(const tp_solve_call *call, double work_limit, double *P, tp_report *report)
{
    tp_cases cases;
    collection found = {0};
    const int n = call->local->row_count;
    if (n > 200) {
        return tp_report_end(report, TP_UNSUPPORTED, "%d rows; all cases of at most 200 are tried", n);
    }
    tp_status status = tp_cases_take(&cases, call->local, call->stack);
    if (status == TP_UNSUPPORTED)
        snprintf(report->reason, sizeof report->reason,
                 "takes joints, bounds, and contacts with a disc or an ellipse");
    if (status != TP_OK) return report->status = status;
    int total = count_cases(&cases);
    if (count_spatial(&cases) > MAX_SPATIAL) {
        return tp_report_end(report, TP_UNSUPPORTED, "%d spatial contacts; at most %d are enumerated",
                             count_spatial(&cases), (int)MAX_SPATIAL);
    }
    double work = count_work(&cases);
    if (total > MAX_CASES || work > work_limit) {
        return tp_report_end(report, TP_UNSUPPORTED, "too many combinations of cases (at most %d)",
                             (int)MAX_CASES);
    }
    TP_TRY(report->status = run_cases(call, &cases, &found, total));
    report->iterations = total;
    report->work = work;
    if (found.count == 0) {
        if (found.near_error < tp_local_error(call->local, P, found.xi, NULL))
            memcpy(P, found.near_P, (size_t)n * sizeof(double));
        return no_solution(call, &cases, &found, total, report);
    }
    report->solution_count = found.count;
    report->motion_count = count_motions(&found, call->stack);
    report->counted_all = cases.is_complete;
    int chosen = choose(&found, call->options->branch, P);
    memcpy(P, found.P + (size_t)chosen * (size_t)n, (size_t)n * sizeof(double));
    return tp_report_end(report, TP_OK, "%s%d solution%s in %d cases", cases.is_complete ? "" : "at least ",
                         found.count, found.count == 1 ? "" : "s", total);
}

static tp_status solve(const tp_solve_call *call, double *P, tp_report *report)
{
    return tp_enumerate(call, tp_most_cases, P, report);
}

const tp_solver tp_solver_enumeration = {
    .info = {"enumeration", "small problems: all combinations of cases, all solutions", true},
    .accepts = TP_ACCEPT_SCALAR | TP_ACCEPT(TP_SET_CONTACT),
    .solve = solve,
};
