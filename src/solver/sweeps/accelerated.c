/* Block Gauss-Seidel with exact blocks and capped momentum; theory/solvers.md (19)-(21). */
#include "accelerated.h"

#include "math/block3.h"
#include "math/dense.h"
#include "solver/judge.h"
#include "solver/solvers.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

enum {
    DEFAULT_SWEEPS = 200000,
    STALL = 200,
    LOOKS = 64 /* the estimate may be wrong again and again: after a look the next one waits for a 64th of the
                  sweeps */
};

tp_status tp_sweeps_init(tp_sweeps *sweeps, const tp_local *local, tp_stack *stack)
{
    *sweeps = (tp_sweeps){.best_error = INFINITY, .work_limit = INFINITY, .sweep_limit = DEFAULT_SWEEPS};
    TP_TRY(tp_block_solver_init(&sweeps->blocks, local, stack));
    TP_STACK_DOUBLES(stack, local->row_count, &sweeps->best, &sweeps->before, &sweeps->older,
                     &sweeps->velocity);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(sweeps->best, 0, (size_t)local->row_count * sizeof(double));
    return TP_OK;
}

tp_status tp_sweeps_init_form(tp_sweeps *sweeps, tp_velocity_form *form, tp_stack *stack)
{
    TP_TRY(tp_sweeps_init(sweeps, &form->local, stack));
    sweeps->form = form;
    sweeps->x_older = TP_STACK_ARRAY(stack, double, form->problem->x_count);
    return stack->failed ? TP_OUT_OF_MEMORY : TP_OK;
}

static double work_of_sweep(const tp_sweeps *sweeps)
{
    return sweeps->form != NULL ? sweeps->form->work : sweeps->blocks.local->G->block_count;
}

/* Velocities that were kept along are summed afresh: a judge trusts P alone. */
static double error_at(tp_sweeps *sweeps, const double *P)
{
    const tp_local *local = sweeps->blocks.local;
    if (sweeps->form == NULL) return tp_local_error(local, P, sweeps->velocity, NULL);
    tp_velocity_form_move(sweeps->form, P);
    tp_velocity_form_velocities(sweeps->form, P, sweeps->velocity);
    return tp_local_error_at(local, P, sweeps->velocity, NULL);
}

double tp_sweeps_judge(tp_sweeps *sweeps, const double *P)
{
    const tp_local *local = sweeps->blocks.local;
    double error = error_at(sweeps, P);
    sweeps->work += work_of_sweep(sweeps);
    sweeps->is_at_best = error < sweeps->best_error;
    if (sweeps->is_at_best) {
        sweeps->best_error = error;
        memcpy(sweeps->best, P, (size_t)local->row_count * sizeof(double));
    }
    return error;
}

bool tp_sweeps_are_spent(const tp_sweeps *sweeps)
{
    bool is_usable = sweeps->best_error <= sweeps->usable_error && sweeps->work >= sweeps->usable_work;
    bool is_within = sweeps->best_error <= sweeps->limit_error && sweeps->work >= sweeps->limit_work;
    return is_usable || is_within || sweeps->work >= sweeps->work_limit;
}

void tp_sweeps_aim(tp_sweeps *sweeps, const tp_solver_options *options, double factor)
{
    sweeps->aim = factor * options->tolerance;
    sweeps->floor_factor = fmax(factor * options->floor_factor, tp_least_floor);
    sweeps->noise = options->noise;
}

double tp_sweeps_floor(const tp_sweeps *sweeps, const double *P)
{
    double floor = tp_floor_sum(tp_floor_at(sweeps->blocks.local, P, sweeps->noise));
    return fmin(sweeps->floor_factor * floor, tp_largest_floor);
}

/* Back into the set; a contact keeps its normal part and has its tangential part shortened. */
static void pull_back(const tp_set *set, const double *P, double *p)
{
    if (set->kind == TP_SET_CONTACT && set->friction_kind == TP_FRICTION_BALL) {
        if (!(p[0] > 0.0)) {
            memset(p, 0, (size_t)set->size * sizeof(double));
            return;
        }
        double t = tp_dense_dot(set->size - 1, p + 1, p + 1), limit = set->parameter[0] * p[0];
        if (t <= limit * limit) return;
        double shrink = limit / sqrt(t);
        for (int k = 1; k < set->size; k++) p[k] *= shrink;
        return;
    }
    tp_set_project(set, tp_set_scale(set, P), p, p);
}

void tp_sweeps_project_some(const tp_local *local, int begin, int end, double *P)
{
    for (int i = begin; i < end; i++) pull_back(&local->sets[i], P, P + local->sets[i].first);
}

void tp_sweeps_project(const tp_local *local, double *P)
{
    tp_sweeps_project_some(local, 0, local->set_count, P);
}

static inline void solve_disc(tp_sweeps *sweeps, int i, const double *g, double *p)
{
    tp_block_solver *blocks = &sweeps->blocks;
    const tp_local *local = blocks->local;
    if (g[0] >= 0.0) {
        p[0] = p[1] = p[2] = 0.0;
        return;
    }
    if (!blocks->is_ready[i]) {
        const double *D = local->G->value + 9 * (size_t)local->G->diagonal[i];
        tp_disc_prepare(D, local->sets[i].parameter[0], local->rho, &blocks->disc[i]);
        blocks->is_ready[i] = 1;
    }
    tp_disc_solve(&blocks->disc[i], g[0], g[1], g[2], &blocks->slip[i], p);
}

static void sweep_discs(tp_sweeps *sweeps, double *P)
{
    const tp_local *local = sweeps->blocks.local;
    tp_block3_row gather = tp_block3_row_best();
    for (int s = 0; s < local->set_count; s++) {
        int i = sweeps->order != NULL ? sweeps->order[s] : s;
        double g[3], *p = P + 3 * (size_t)i;
        gather(local->G, i, i, local->c + 3 * (size_t)i, P, g);
        solve_disc(sweeps, i, g, p);
    }
}

static void sweep_any(tp_sweeps *sweeps, double *P)
{
    const tp_local *local = sweeps->blocks.local;
    for (int s = 0; s < local->set_count; s++) {
        int i = sweeps->order != NULL ? sweeps->order[s] : s;
        double g[TP_SET_MAX];
        tp_block_velocity(local, i, P, true, g);
        tp_block_solve(&sweeps->blocks, i, g, P);
    }
}

/* Free velocity of law i: that of x without what its own impulse adds, which D does not pass through x. */
static void free_velocity(const tp_sweeps *sweeps, int i, const double *p, double *g)
{
    const tp_set *set = &sweeps->form->problem->sets[i];
    const tp_block_matrix *D = &sweeps->form->problem->D;
    const double *block = tp_local_diagonal(sweeps->blocks.local, i);
    tp_velocity_form_read(sweeps->form, i, g);
    for (int b = 0; b < set->size; b++) {
        for (int a = 0; a < set->size; a++) g[a] -= block[a + b * set->size] * p[b];
    }
    if (sweeps->form->has_own)
        tp_dense_multiply_add(set->size, set->size, D->value + D->offset[D->diagonal[i]], set->size, p, g);
}

static void sweep_form(tp_sweeps *sweeps, double *P)
{
    const tp_local *local = sweeps->blocks.local;
    for (int s = 0; s < local->set_count; s++) {
        int i = sweeps->order != NULL ? sweeps->order[s] : s, size = local->sets[i].size;
        double g[TP_FORM_ROWS], step[TP_FORM_ROWS], *p = P + local->sets[i].first;
        bool is_moved = false;
        free_velocity(sweeps, i, p, g);
        for (int k = 0; k < size; k++) step[k] = -p[k];
        tp_block_solve(&sweeps->blocks, i, g, P);
        for (int k = 0; k < size; k++) {
            step[k] += p[k];
            is_moved = is_moved || step[k] != 0.0;
        }
        if (is_moved) tp_velocity_form_push(sweeps->form, i, step);
    }
}

/* The same where all laws are discs and D is zero. */
static void sweep_form_discs(tp_sweeps *sweeps, double *P)
{
    tp_velocity_form *form = sweeps->form;
    const double *b = form->problem->b, *block = form->blocks.value;
    for (int s = 0; s < form->problem->set_count; s++) {
        int i = sweeps->order != NULL ? sweeps->order[s] : s, begin = form->start[i],
            count = form->start[i + 1] - begin;
        const double *D = block + 9 * (size_t)i;
        double g[TP_FORM_ROWS], step[3], *p = P + 3 * (size_t)i;
        form->read(count, form->index + begin, (const double(*)[TP_FORM_ROWS])(form->C + begin), form->x, g);
        for (int k = 0; k < 3; k++) {
            g[k] += b[3 * i + k] - D[k] * p[0] - D[k + 3] * p[1] - D[k + 6] * p[2];
            step[k] = -p[k];
        }
        if (g[0] >= 0.0 && step[0] == 0.0 && step[1] == 0.0 && step[2] == 0.0) continue;
        solve_disc(sweeps, i, g, p);
        for (int k = 0; k < 3; k++) step[k] += p[k];
        form->push(count, form->index + begin, form->Y + (size_t)TP_FORM_ROWS * (size_t)begin, step, form->x);
    }
}

static bool is_check_point(int k)
{
    if (k == 1) return true; /* what the estimate is worth; it leads from there */
    if (k <= 16) return k % 4 == 0;
    if (k <= 64) return k % 16 == 0;
    if (k <= 512) return k % 32 == 0;
    return k % 64 == 0;
}

/* a <- a + beta (a - older); older <- a. */
static void lead_on(int n, double beta, double *older, double *a)
{
    for (int i = 0; i < n; i++) {
        double last = older[i];
        older[i] = a[i];
        a[i] += beta * (a[i] - last);
    }
}

/* P with its momentum, back into the sets. Where velocities are kept along, they follow P as a linear
   function, and the next visit of a law brings P back. */
static void extrapolate(tp_sweeps *sweeps, double beta, double *P)
{
    const tp_local *local = sweeps->blocks.local;
    lead_on(local->row_count, beta, sweeps->older, P);
    if (sweeps->form != NULL) {
        lead_on(sweeps->form->problem->x_count, beta, sweeps->x_older, sweeps->form->x);
    } else if (beta != 0.0) {
        tp_sweeps_project(local, P);
    }
}

/* Progress of one slice: best E, and where it was halved last. */
typedef struct progress {
    double best, mark;
    int mark_sweep, bad_checks;
} progress;

static tp_sweep_end judge_progress(progress *slice, double error, int k, int stall, bool is_patient)
{
    double before = slice->best;
    slice->best = fmin(slice->best, error);
    if (slice->best < 0.5 * slice->mark) {
        slice->mark = slice->best;
        slice->mark_sweep = k;
    }
    if (slice->best < tp_close_error && stall > STALL && !is_patient) stall = STALL;
    if (k - slice->mark_sweep > fmax(stall, 0.6 * k)) return TP_SWEEP_STALLED;
    slice->bad_checks = k > 64 && error > 10.0 * before ? slice->bad_checks + 1 : 0;
    return slice->bad_checks >= 3 ? TP_SWEEP_DIVERGED : TP_SWEEP_CONVERGED;
}

tp_sweep_end tp_sweeps_run(tp_sweeps *sweeps, double cap, int stall, double *P, double *error_out)
{
    const tp_local *local = sweeps->blocks.local;
    int n = local->row_count;
    size_t bytes = (size_t)n * sizeof(double);
    progress slice = {INFINITY, INFINITY, 0, 0};
    double theta = 1.0, worth = 0.0;
    int next_look = 1;
    memcpy(sweeps->older, P, bytes);
    if (sweeps->form != NULL) {
        bool is_there = sweeps->is_at_best && memcmp(P, sweeps->best, bytes) == 0;
        if (!is_there) tp_velocity_form_move(sweeps->form, P);
        memcpy(sweeps->x_older, sweeps->form->x, (size_t)sweeps->form->problem->x_count * sizeof(double));
    }
    *error_out = INFINITY;
    for (int k = 1;; k++) {
        sweeps->is_at_best = false;
        memcpy(sweeps->before, P, bytes);
        if (sweeps->form != NULL && sweeps->blocks.all_discs && !sweeps->form->has_own) {
            sweep_form_discs(sweeps, P);
        } else if (sweeps->form != NULL) {
            sweep_form(sweeps, P);
        } else if (sweeps->blocks.all_discs) {
            sweep_discs(sweeps, P);
        } else {
            sweep_any(sweeps, P);
        }
        sweeps->work += work_of_sweep(sweeps);
        sweeps->sweep_count++;

        double moved = 0.0, uphill = 0.0;
        for (int i = 0; i < n; i++) {
            double step = sweeps->before[i] - P[i];
            moved += step * step;
            uphill += step * (P[i] - sweeps->older[i]);
        }
        double estimate = local->rho * sqrt(moved) / local->scale;
        bool at_limit = sweeps->sweep_count >= sweeps->sweep_limit || tp_sweeps_are_spent(sweeps);
        bool looks_solved = k >= next_look && worth * estimate <= sweeps->aim;
        bool is_due = is_check_point(k) && (sweeps->form == NULL || k == 1 || k % 16 == 0);
        if (is_due || looks_solved || moved == 0.0 || at_limit) {
            double error = tp_sweeps_judge(sweeps, P);
            next_look = k + 1 + k / LOOKS;
            *error_out = error;
            worth = estimate > 0.0 ? tp_estimate_margin * error / estimate : 0.0;
            if (error <= sweeps->aim) return TP_SWEEP_CONVERGED;
            if (error <= tp_sweeps_floor(sweeps, P)) return TP_SWEEP_FLOOR;
            if (moved == 0.0) return TP_SWEEP_STALLED;
            if (at_limit) return TP_SWEEP_LIMIT;
            tp_sweep_end end = judge_progress(&slice, error, k, stall, sweeps->is_patient);
            if (end != TP_SWEEP_CONVERGED) return end;
        }
        /* Momentum grows while it helps and starts anew when the sweep turns against it. */
        double next_theta = 0.5 * (1.0 + sqrt(1.0 + 4.0 * theta * theta));
        double beta = uphill > 0.0 ? 0.0 : fmin((theta - 1.0) / next_theta, cap);
        theta = uphill > 0.0 ? 1.0 : next_theta;
        extrapolate(sweeps, beta, P);
    }
}

void tp_sweeps_escape(tp_sweeps *sweeps, int count, double *P)
{
    double ignored;
    int limit = sweeps->sweep_limit;
    sweeps->sweep_limit = sweeps->sweep_count + count;
    tp_sweeps_project(sweeps->blocks.local, P);
    tp_sweeps_run(sweeps, 0.0, sweeps->sweep_limit, P, &ignored);
    sweeps->sweep_limit = limit;
}

tp_status tp_sweeps_report_newton(const tp_sweeps *sweeps, int steps, int escapes, tp_report *report)
{
    bool is_solved = sweeps->best_error <= sweeps->aim;
    report->iterations = steps;
    report->work = sweeps->work;
    return tp_report_end(report, is_solved ? TP_OK : TP_NOT_CONVERGED,
                         "%s after %d Newton steps and %d returns to Gauss-Seidel",
                         is_solved ? "E is below the tolerance" : "stopped", steps, escapes);
}

static tp_status solve_accelerated(const tp_solve_call *call, double *P, tp_report *report)
{
    tp_sweeps sweeps;
    TP_TRY(tp_sweeps_init(&sweeps, call->local, call->stack));
    tp_sweeps_aim(&sweeps, call->options, 1.0);
    if (call->options->max_iterations > 0) sweeps.sweep_limit = call->options->max_iterations;
    if (call->options->work_limit > 0.0) sweeps.work_limit = call->options->work_limit;

    static const double caps[] = {1.0, 0.85, 0.8, 0.9, 0.7, 0.95};
    tp_sweep_end end = TP_SWEEP_CONVERGED;
    double error = tp_sweeps_judge(&sweeps, P);
    if (error > sweeps.aim && call->options->warm_start) tp_sweeps_project(call->local, P);
    for (int slice = 0, stall = STALL; error > sweeps.aim; slice++, stall *= 2) {
        end = tp_sweeps_run(&sweeps, caps[slice % 6], stall, P, &error);
        if (end == TP_SWEEP_LIMIT || end == TP_SWEEP_FLOOR || stall > sweeps.sweep_limit) break;
        if (sweeps.best_error <= sweeps.aim) break;
        memcpy(P, sweeps.best, (size_t)call->local->row_count * sizeof(double));
    }
    memcpy(P, sweeps.best, (size_t)call->local->row_count * sizeof(double));
    report->iterations = sweeps.sweep_count;
    report->work = sweeps.work;
    bool is_solved = sweeps.best_error <= sweeps.aim;
    return tp_report_end(report, is_solved ? TP_OK : TP_NOT_CONVERGED, "%s after %d sweeps",
                         is_solved ? "E is below the tolerance"
                                   : (end == TP_SWEEP_LIMIT ? "the limit was reached" : "no more progress"),
                         sweeps.sweep_count);
}

const tp_solver tp_solver_accelerated = {
    .info = {"accelerated-gauss-seidel", "block Gauss-Seidel with exact blocks and capped momentum", true},
    .accepts = TP_ACCEPT_ALL,
    .solve = solve_accelerated,
};
