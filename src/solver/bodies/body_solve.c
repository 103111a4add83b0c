/* Sweeps with capped momentum over the contacts of bodies, until E is good enough; theory/large-heaps.md
   (9)-(11). */
#include "body_solve.h"

#include "backend.h"
#include "solver/judge.h"
#include "solver/sweeps/accelerated.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

typedef struct search {
    const tp_backend *backend;
    tp_backend_call call;
    const tp_solver_options *options;
    const tp_local *local;
    double aim, goal; /* E of an answer, and where sweeps end                    */
    double usable;    /* where they end after TP_FORM_SWEEPS; 0: there is none    */
    double work, work_limit, sweep_work;
    int sweep_count, sweep_limit, far_limit; /* the last: as long as E is above `far` */
    double far;
    double *best; /* [row_count] work of best_point */
    double best_error;
    bool at_best; /* what the backend has now is the best point: that with the smallest E so far */
} search;

/* The backend keeps it, in its own order. */
static const double *best_point(search *s)
{
    s->backend->fetch_kept(&s->call, s->best);
    return s->best;
}

/* E of what was loaded or swept; the velocities are summed afresh. */
static double judge(search *s)
{
    s->backend->move(&s->call);
    double error = s->backend->error(&s->call);
    s->work += s->sweep_work;
    s->at_best = error < s->best_error;
    if (s->at_best) {
        s->best_error = error;
        s->backend->keep(&s->call);
    }
    return error;
}

static double judge_point(search *s, const double *P)
{
    s->backend->load(&s->call, P);
    return judge(s);
}

static bool is_at_floor(search *s, double error)
{
    if (!(error <= tp_largest_floor)) return false;
    double floor = tp_floor_sum(tp_floor_at(s->local, best_point(s), s->options->noise));
    double factor = fmax(tp_aim_factor * s->options->floor_factor, tp_least_floor);
    return error <= fmin(factor * floor, tp_largest_floor);
}

static bool is_spent(const search *s)
{
    int limit = s->best_error > s->far ? s->far_limit : s->sweep_limit;
    return s->sweep_count >= limit || s->work >= s->work_limit;
}

static bool is_enough(const search *s)
{
    return s->best_error <= s->goal || (s->best_error <= s->usable && s->sweep_count >= TP_FORM_SWEEPS);
}

/* Momentum that drives a heap away: from the best point on with less of it. */
static void turn_back(search *s, double *cap, int *bad_checks)
{
    s->backend->load(&s->call, best_point(s));
    s->backend->move(&s->call);
    *cap *= tp_form_cap;
    *bad_checks = 0;
}

/* Sweeps from what is loaded and moved to, to the goal if it can be. As tp_sweeps_run, theory/solvers.md
 * (19)-(21). */
static void sweep_on(search *s)
{
    double theta = 1.0, beta = 0.0, worth = 0.0, cap = tp_form_cap;
    int bad_checks = 0, next_look = 2;
    for (int k = 1;; k++) {
        tp_sweep_sums sums = s->backend->sweep(&s->call, beta);
        s->work += s->sweep_work;
        s->sweep_count++;
        s->at_best = false;
        double estimate = s->local->rho * sqrt(sums.moved) / s->local->scale;
        bool at_limit = is_spent(s), looks_solved = k >= next_look && worth * estimate <= s->goal;
        bool is_away = false;
        if (k == 1 || k % 16 == 0 || looks_solved || sums.moved == 0.0 || at_limit) {
            double error = judge(s);
            next_look = k + TP_BODY_LOOKS;
            worth = estimate > 0.0 ? tp_estimate_margin * error / estimate : 0.0;
            bad_checks = error > 10.0 * s->best_error ? bad_checks + 1 : 0;
            if (is_enough(s) || sums.moved == 0.0 || at_limit || is_at_floor(s, error)) return;
            is_away = k > 64 && bad_checks >= 3;
            if (is_away) turn_back(s, &cap, &bad_checks);
        }
        /* Momentum grows while it helps and starts anew when the sweep turns against it. */
        double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * theta * theta));
        bool is_new = is_away || sums.uphill > 0.0;
        beta = is_new ? 0.0 : fmin((theta - 1.0) / next, cap);
        theta = is_new ? 1.0 : next;
    }
}

static bool is_huge(const search *s)
{
    return tp_form_has_margin(s->options) && s->local->set_count > TP_BODY_HUGE;
}

static void set_limits(search *s, const tp_problem *problem)
{
    const tp_solver_options *options = s->options;
    s->aim = tp_form_aim(options);
    if (is_huge(s)) s->aim = fmax(s->aim, tp_aim_factor * options->unsolved_limit);
    s->goal = fmax(s->aim, tp_form_goal(problem, options));
    s->usable = tp_form_usable(options);
    s->work_limit = options->work_limit > 0.0 ? options->work_limit : INFINITY;
}

/* The proximal steps that follow where Newton steps are cheap enough hardly do more than halve E, and each of
   them costs as much as a thousand sweeps over balls: these go on until half of E would do. */
static void set_sweep_limits(search *s, const tp_solve_call *call, const tp_unknowns *unknowns)
{
    const tp_solver_options *options = s->options;
    s->sweep_limit = s->far_limit = tp_form_sweep_limit(call, unknowns);
    bool is_followed = s->sweep_limit == TP_BODY_SWEEPS && options->tolerance < tp_form_tolerance &&
                       options->max_iterations == 0 && !is_huge(s);
    if (is_followed && s->call.bodies->are_balls) s->far_limit = TP_FAR_SWEEPS;
    s->far = tp_far_error * s->usable;
}

/* Contacts of one task: none is the master of another. */
enum { SETS_OF_TASK = 4096 };

typedef struct projecting {
    const tp_local *local;
    double *P;
} projecting;

static void project_some(void *context, int begin, int end)
{
    const projecting *all = context;
    tp_sweeps_project_some(all->local, begin, end, all->P);
}

/* Is P = 0, the guess or a point of sweeps an answer? */
static bool find_answer(search *s, const tp_solve_call *call, const tp_unknowns *unknowns, double *P,
                        tp_report *report)
{
    const tp_problem *problem = call->problem;
    size_t bytes = (size_t)s->local->row_count * sizeof(double);
    bool has_guess = false;
    for (int k = 0; k < s->local->row_count && s->options->warm_start && !has_guess; k++)
        has_guess = P[k] != 0.0;
    if (has_guess) {
        tp_pool_share(s->call.pool, s->local->set_count, SETS_OF_TASK, project_some,
                      &(projecting){s->local, P});
        judge_point(s, P);
        if (s->best_error <= s->aim ||
            tp_form_is_good_guess(problem, s->local, best_point(s), s->best_error, s->options))
            return tp_report_end(report, TP_OK, "the guess is a solution") == TP_OK;
    }
    if (!(s->best_error < tp_poor_guess)) { /* a guess that is not poor is in `best`, and stays there */
        memset(P, 0, bytes);
        if (judge_point(s, P) <= s->aim) return tp_report_end(report, TP_OK, "P = 0 is a solution") == TP_OK;
        if (!s->at_best) {
            s->backend->load(&s->call, best_point(s));
            s->backend->move(&s->call);
        }
    }
    set_sweep_limits(s, call, unknowns);
    if (s->best_error > s->goal) sweep_on(s);
    bool is_solved = s->best_error <= s->aim;
    tp_report_end(report, is_solved ? TP_OK : TP_NOT_CONVERGED, "%s (%d sweeps over bodies)",
                  is_solved ? "E is below the tolerance" : "the search ended within the limit of its island",
                  s->sweep_count);
    return is_solved;
}

static void finish(search *s, tp_part *part, double *P, double *x_out, tp_report *report)
{
    size_t bytes = (size_t)s->local->row_count * sizeof(double);
    s->backend->fetch_kept(&s->call, P);
    double error = s->at_best ? s->best_error : judge_point(s, P);
    s->backend->fetch(&s->call, NULL, part != NULL ? part->xi : NULL, x_out);
    report->solver = tp_solver_accelerated.info.name;
    report->iterations = s->sweep_count;
    report->work = s->work;
    tp_judge(tp_rule_of(s->options), report->status, error, tp_floor_at(s->local, P, s->options->noise),
             report);
    if (part == NULL) return;
    part->local = *s->local;
    memcpy(part->c, s->local->c, bytes);
}

/* Contacts whose friction could press them together: of several solutions the caller wants one. The block of
   a ball's contact has no coupling of N and T. */
static bool has_choice(const tp_body_problem *bodies, const tp_solver_options *options)
{
    if (bodies->are_balls || !options->warm_start || options->branch != TP_BRANCH_LOADED) return false;
    for (int k = 0; k < bodies->contact_count; k++) {
        const tp_body_contact *c = &bodies->contacts[k];
        if (c->friction * hypot(c->D[1], c->D[2]) >= c->D[0]) return true;
    }
    return false;
}

static tp_status run(const tp_solve_call *call, const tp_unknowns *unknowns, tp_part *part, double *P,
                     double *x_out, tp_report *report, tp_form_answer *answer)
{
    tp_body_problem bodies;
    TP_TRY(tp_body_problem_make(call->problem, unknowns, call->pool, call->stack, &bodies));
    if (bodies.local.at_rounding || has_choice(&bodies, call->options)) return TP_UNSUPPORTED;
    search s = {.backend = call->pool != NULL ? &tp_backend_threads : &tp_backend_serial,
                .call = {.bodies = &bodies, .pool = call->pool, .stack = call->stack},
                .options = call->options,
                .local = &bodies.local,
                .sweep_work = tp_body_work * bodies.contact_count,
                .best = TP_STACK_ARRAY(call->stack, double, call->problem->row_count),
                .best_error = INFINITY};
    TP_TRY(s.backend->open(&s.call));
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    set_limits(&s, call->problem);
    bool is_solved = find_answer(&s, call, unknowns, P, report);
    bool is_left = tp_form_is_left_so(call->problem, s.best_error, call->options);
    *answer = (tp_form_answer){
        .is_over = is_solved || is_left, .is_better = true, .sweeps = s.sweep_count, .work = s.work};
    if (answer->is_over)
        finish(&s, part, P, x_out, report);
    else
        s.backend->fetch_kept(&s.call, P);
    s.backend->close(&s.call);
    return TP_OK;
}

tp_status tp_solve_bodies(const tp_solve_call *call, tp_part *part, double *P, double *x_out,
                          tp_report *report, tp_form_answer *answer)
{
    if (call->problem->set_count < TP_BODY_LAWS) return TP_UNSUPPORTED;
    const tp_unknowns unknowns = tp_unknowns_of(call->problem, part);
    tp_stack_mark mark = tp_stack_mark_now(call->stack);
    tp_status status = run(call, &unknowns, part, P, x_out, report, answer);
    tp_stack_release(call->stack, mark);
    return status;
}
