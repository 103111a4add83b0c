/* The default: a chain of solvers that ends with an answer whose E is below the tolerance, a certificate that
   there is none, or the plain statement that it did not converge; theory/solvers.md (28). */
#include "accelerated.h"
#include "farkas.h"
#include "proximal_newton.h"
#include "solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PIVOTING_ROWS = 400, /* problems of scalar rows up to this size go through the MLCP solver first */
    LARGE = 1000,        /* contacts: momentum is capped from the start and restarts are cold */
    SLICES = 40,
    SMALL_STALL = 200, /* sweeps without a halving of E */
    LARGE_STALL = 10000,
    LONGEST_STALL = 1000000000 /* forty doublings would leave the range of int */
};

static const double default_work = 2e9; /* block products: about half a minute */

/* Below this E a large problem is in the basin of a solution, which a cold restart would lose. */
static const double close_error = 1e-5;

/* The answer must pass a judge that sums in another order. */
static const double aim_factor = 0.95;

typedef struct chain {
    const tp_solve_call *call;
    tp_sweeps sweeps;
    tp_proximal proximal;
    bool has_proximal;
    int *order;
    unsigned long long random;
    const char *last;
} chain;

/* A new random order of the sweep, always the same sequence. */
static void shuffle(chain *c)
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

static tp_status report_end(chain *c, double *P, tp_report *report, tp_status status, const char *reason)
{
    memcpy(P, c->sweeps.best, (size_t)c->call->local->row_count * sizeof(double));
    report->iterations = c->sweeps.sweep_count + (c->has_proximal ? c->proximal.step_count : 0);
    report->work = c->sweeps.work;
    snprintf(report->reason, sizeof report->reason, "%s (%s; %d sweeps, %d Newton steps)", reason, c->last,
             c->sweeps.sweep_count, c->has_proximal ? c->proximal.step_count : 0);
    return status;
}

/* Sweeps and Newton steps in turn; theory/solvers.md (28). */
static tp_status alternate(chain *c, double *P, tp_report *report)
{
    static const double small_caps[] = {1.0, 0.85, 0.8, 0.9, 0.7, 0.95},
                        large_caps[] = {0.8, 0.8, 0.75, 0.8, 0.85, 0.7};
    const tp_local *local = c->call->local;
    size_t bytes = (size_t)local->row_count * sizeof(double);
    bool is_large = local->set_count > LARGE;
    double stall = is_large ? LARGE_STALL : SMALL_STALL, error, tried = INFINITY;
    for (int slice = 0; slice < SLICES; slice++) {
        double cap = is_large ? large_caps[slice % 6] : small_caps[slice % 6];
        c->last = "accelerated Gauss-Seidel";
        tp_sweep_end end = tp_sweeps_run(&c->sweeps, cap, (int)stall, P, &error);
        if (end == TP_SWEEP_CONVERGED) return report_end(c, P, report, TP_OK, "E is below the tolerance");
        if (end == TP_SWEEP_LIMIT) break;
        bool is_close = c->sweeps.best_error < close_error;
        if (is_large && !is_close &&
            (slice + 1) % 3 != 0) { /* a cold restart in another order draws the basin anew */
            shuffle(c);
            memset(P, 0, bytes);
            continue;
        }
        if (!c->has_proximal) {
            TP_TRY(tp_proximal_init(&c->proximal, &c->sweeps, local, c->call->stack));
            c->has_proximal = true;
        }
        /* From the best point, unless Newton's method has failed there already: the sweeps then lead away. */
        bool is_trapped = c->sweeps.best_error > 0.5 * tried;
        if (!is_trapped) memcpy(P, c->sweeps.best, bytes);
        tried = c->sweeps.best_error;
        c->last = "proximal Newton";
        tp_newton_end newton = tp_proximal_run(&c->proximal, c->call->stack, P, &error);
        if (newton == TP_NEWTON_CONVERGED) return report_end(c, P, report, TP_OK, "E is below the tolerance");
        if (newton == TP_NEWTON_INFEASIBLE) {
            return report_end(c, P, report, TP_INFEASIBLE,
                              "no impulse satisfies the laws: y with G^T y = 0 and c.y < 0 was found");
        }
        if (newton == TP_NEWTON_LIMIT) break;
        if (error > 2.0 * c->sweeps.best_error && !is_trapped) memcpy(P, c->sweeps.best, bytes);
        stall = is_large ? 1.5 * stall : fmax(2.0 * stall, 0.3 * c->sweeps.sweep_count);
        stall = fmin(stall, LONGEST_STALL);
    }
    return TP_NOT_CONVERGED;
}

/* Circuits, relays and other problems without curved sets: pivoting is exact where iterations have no reason
 * to converge. */
static bool is_small_and_scalar(const tp_local *local)
{
    if (local->row_count > PIVOTING_ROWS) return false;
    for (int i = 0; i < local->set_count; i++) {
        if (!(TP_ACCEPT_SCALAR & TP_ACCEPT(local->sets[i].kind))) return false;
    }
    return true;
}

/* The chain found nothing: a proof that there is nothing, if the problem is small enough to search for one.
 */
static tp_status look_for_proof(chain *c, double *P, tp_report *report)
{
    tp_stack *stack = c->call->stack;
    double *y = TP_STACK_ARRAY(stack, double, c->call->local->row_count);
    if (y == NULL || !tp_kinematic_certificate(c->call->local, stack, y)) {
        return report_end(c, P, report, TP_NOT_CONVERGED, "the limit was reached");
    }
    report_end(c, P, report, TP_INFEASIBLE, "");
    tp_certificate_text(c->call->local->row_count, y, report->reason, sizeof report->reason);
    return TP_INFEASIBLE;
}

static tp_status solve_auto(const tp_solve_call *call, double *P, tp_report *report)
{
    const tp_local *local = call->local;
    chain c = {.call = call, .random = 20201ull, .last = "start"};
    TP_TRY(tp_sweeps_init(&c.sweeps, local, call->stack));
    c.order = TP_STACK_ARRAY(call->stack, int, local->set_count);
    double *start = TP_STACK_ARRAY(call->stack, double, local->row_count);
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    c.sweeps.aim = aim_factor * call->options->tolerance;
    c.sweeps.work_limit = call->options->work_limit > 0.0 ? call->options->work_limit : default_work;
    c.sweeps.sweep_limit = call->options->max_iterations > 0 ? call->options->max_iterations : 2000000000;

    /* The guess is used only if it is better than nothing. */
    memcpy(start, P, (size_t)local->row_count * sizeof(double));
    memset(P, 0, (size_t)local->row_count * sizeof(double));
    if (tp_sweeps_judge(&c.sweeps, P) <= c.sweeps.aim)
        return report_end(&c, P, report, TP_OK, "P = 0 is a solution");
    if (call->options->warm_start) {
        double at_zero = c.sweeps.best_error;
        tp_sweeps_project(local, start);
        if (tp_sweeps_judge(&c.sweeps, start) < at_zero)
            memcpy(P, start, (size_t)local->row_count * sizeof(double));
        if (c.sweeps.best_error <= c.sweeps.aim)
            return report_end(&c, P, report, TP_OK, "the guess is a solution");
    }
    if (is_small_and_scalar(local)) {
        tp_status status = tp_solver_mlcp.solve(call, P, report);
        if (status == TP_OK || status == TP_INFEASIBLE || status == TP_OUT_OF_MEMORY) return status;
        tp_sweeps_judge(&c.sweeps, P);
    }
    tp_status status = alternate(&c, P, report);
    return status == TP_NOT_CONVERGED ? look_for_proof(&c, P, report) : status;
}

const tp_solver tp_solver_auto = {
    {"auto", "the default chain: accelerated Gauss-Seidel, proximal Newton, certificates", true},
    TP_ACCEPT_ALL,
    false,
    solve_auto,
};
