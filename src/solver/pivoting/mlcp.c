/* Solver `mlcp`: the robust one for FREE, ZERO, ORTHANT and BOX rows. Semismooth Newton, Lemke's method with
   several starts, proximal Newton, in turn until the error is small; docs/theory/pivoting.md (24). */
#include "solver/infeasible/farkas.h"
#include "solver/judge.h"
#include "solver/pivoting/bounded.h"
#include "solver/pivoting/enumeration.h"
#include "solver/solvers.h"
#include "solver/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One attempt of the chain: a path (seed of its cover) or a Newton run (weight of its proximal term). */
typedef struct attempt {
    bool is_path;
    tp_box_elimination elimination;
    uint64_t seed;
    double proximal;
    int steps; /* of Newton, at most */
} attempt;

/* Newton first, shortly: from a good start it is done in a few steps. Then the path, which seldom fails. */
static const attempt chain[] = {
    {false, TP_BOX_PRINCIPAL, 0, 0.0, 25},   {true, TP_BOX_PRINCIPAL, 0, 0.0, 0},
    {false, TP_BOX_PRINCIPAL, 0, 0.0, 100},  {false, TP_BOX_PRINCIPAL, 0, 1e-2, 100},
    {true, TP_BOX_PRINCIPAL, 1, 0.0, 0},     {true, TP_BOX_SPLIT, 0, 0.0, 0},
    {false, TP_BOX_PRINCIPAL, 0, 1.0, 100},  {true, TP_BOX_PRINCIPAL, 2, 0.0, 0},
    {false, TP_BOX_PRINCIPAL, 0, 1e-4, 100}, {true, TP_BOX_PRINCIPAL, 3, 0.0, 0},
    {true, TP_BOX_SPLIT, 1, 0.0, 0},         {true, TP_BOX_PRINCIPAL, 4, 0.0, 0},
};

typedef struct search {
    const tp_solve_call *call;
    tp_box_problem box;
    double *start, *trial;
    double goal, best; /* errors */
} search;

/* A Newton run may cost about as much as one path: some 4e9 operations. */
static int newton_limit(int n, const attempt *a)
{
    double steps = 4e9 / (1.0 + (double)n * n * n / 1.5);
    return steps < 3.0 ? 3 : steps > a->steps ? a->steps : (int)steps;
}

static tp_status try_attempt(search *s, const attempt *a, double *P, tp_report *report)
{
    const int n = s->box.n;
    double error = 1e300;
    if (a->is_path) {
        tp_lcp_report end;
        tp_box_path path = {a->elimination, a->seed, 0};
        tp_status status = tp_box_lemke(&s->box, &path, s->call->stack, s->trial, &error, &end);
        if (status != TP_OK && status != TP_NOT_CONVERGED) return status;
        report->iterations += end.pivots;
        report->work += (double)end.pivots * n * n;
    } else {
        int before = report->iterations;
        int most =
            s->call->options->max_iterations > 0 ? s->call->options->max_iterations : newton_limit(n, a);
        tp_box_newton_options options = {s->goal, most, a->proximal};
        memcpy(s->trial, s->start, (size_t)n * sizeof(double));
        error = tp_box_newton(&s->box, &options, s->call->stack, s->trial, &report->iterations);
        report->work += (double)(report->iterations - before) * n * n * n / 3.0;
    }
    if (error < s->best) {
        s->best = error;
        memcpy(P, s->trial, (size_t)n * sizeof(double));
        snprintf(report->reason, sizeof report->reason, "%s",
                 a->is_path          ? "solved by pivoting"
                 : a->proximal > 0.0 ? "solved by proximal Newton"
                                     : "solved by Newton");
    }
    return TP_OK;
}

static tp_status start_search(search *s, const tp_solve_call *call, const double *P)
{
    const int n = call->local->row_count;
    s->call = call;
    TP_TRY(tp_box_from_local(call->local, call->stack, &s->box));
    TP_STACK_DOUBLES(call->stack, n + 1, &s->start, &s->trial);
    if (!s->start || !s->trial) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) s->start[i] = fmin(fmax(P[i], s->box.lower[i]), s->box.upper[i]);
    s->best = 1e300;
    s->goal = fmin(call->options->tolerance, tp_linear_tolerance); /* the last steps cost nothing */
    return TP_OK;
}

/* Is the best error all that double precision allows? Then every other attempt ends there, too. */
static bool is_at_floor(const search *s, const double *P)
{
    tp_floor floor = tp_floor_at(s->call->local, P, s->call->options->noise);
    return s->best <= fmax(s->call->options->floor_factor, tp_least_floor) * tp_floor_sum(floor) &&
           s->best <= tp_decided_error;
}

/* What rounding leaves is solved only if the caller counts it so. */
static tp_status end_at_floor(const search *s, tp_report *report)
{
    if (s->call->options->floor_factor > 0.0) return TP_OK;
    return tp_report_end(report, TP_NOT_CONVERGED, "the limit of double precision was reached");
}

/* The last resort for small problems: all cases, which finds every isolated solution or proves that there is
   none. */
static tp_status try_all_cases(search *s, double *P, tp_report *report)
{
    const int most_rows = 40;
    if (s->box.n > most_rows || s->best <= tp_decided_error) return TP_NOT_CONVERGED;
    tp_report last = {.solution_count = -1};
    memcpy(s->trial, s->start, (size_t)s->box.n * sizeof(double));
    tp_status status = tp_enumerate(s->call, tp_many_cases, s->trial, &last);
    if (status == TP_OK) memcpy(P, s->trial, (size_t)s->box.n * sizeof(double));
    if (status != TP_OK && status != TP_INFEASIBLE) return TP_NOT_CONVERGED;
    report->solution_count = last.solution_count;
    report->work += last.work;
    return tp_report_end(report, status, "by enumeration: %.200s", last.reason);
}

static tp_status solve(const tp_solve_call *call, double *P, tp_report *report)
{
    const int n = call->local->row_count, chain_length = (int)(sizeof chain / sizeof chain[0]);
    if (n > TP_BOX_MAX_ROWS) {
        return tp_report_end(report, TP_UNSUPPORTED, "%d rows; the dense methods take at most %d", n,
                             (int)TP_BOX_MAX_ROWS);
    }
    search s;
    TP_TRY(report->status = start_search(&s, call, P));
    for (int k = 0; k < chain_length; k++) {
        TP_TRY(report->status = try_attempt(&s, &chain[k], P, report));
        if (s.best <= call->options->tolerance) return report->status = TP_OK;
        if (is_at_floor(&s, P)) return report->status = end_at_floor(&s, report);
        /* After Newton and the first path have failed it is worth asking whether there is a solution. */
        if (k == 1 && tp_report_proof(call->local, call->stack, report)) return report->status;
    }
    tp_status last = try_all_cases(&s, P, report);
    if (last != TP_NOT_CONVERGED) return report->status = last;
    return tp_report_end(report, TP_NOT_CONVERGED, "none of %d attempts reached the tolerance", chain_length);
}

const tp_solver tp_solver_mlcp = {
    .info = {"mlcp", "semismooth Newton, pivoting and proximal Newton in turn: joints, limits, relays", true},
    .accepts = TP_ACCEPT_SCALAR,
    .solve = solve,
};
