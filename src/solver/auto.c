/* The default: a chain of solvers that ends with an answer whose E is below the tolerance, a proof that
   there is none, or the plain statement that it did not converge; theory/solvers.md (28). */
#include "absorbed.h"
#include "all_cases.h"
#include "chain.h"
#include "form_sweeps.h"
#include "held_sizes.h"
#include "judge.h"
#include "large_stages.h"
#include "math/dense.h"
#include "solver/infeasible/contradiction.h"
#include "solver/infeasible/farkas.h"
#include "solver/newton/interior_point.h"
#include "solver/pivoting/enumeration.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* ---- when a stage applies ---- */

static bool always(const tp_chain *c)
{
    (void)c;
    return true;
}

static bool has_guess(const tp_chain *c)
{
    return c->call->options->warm_start;
}

/* Friction may keep a contact closed that nothing presses together, and the caller says which of several
   solutions is wanted: (9a) is that of sweeps, the others need all of them. */
static bool has_branches(const tp_chain *c)
{
    return c->call->options->branch != TP_BRANCH_LOADED && tp_block_any_can_jam(c->call->local);
}

/* Contacts that the guess loads and that friction alone may keep closed. */
static bool has_loaded(const tp_chain *c)
{
    return c->sweeps.blocks.may_stay != NULL;
}

static bool has_joints(const tp_chain *c)
{
    const tp_local *local = c->call->local;
    for (int i = 0; i < local->set_count; i++) {
        if (local->sets[i].kind == TP_SET_FREE) return true;
    }
    return false;
}

/* Joints alone are a system of linear equations: what Newton steps and a factorisation leave of it, sweeps
   leave too. */
static bool has_other_laws(const tp_chain *c)
{
    const tp_local *local = c->call->local;
    for (int i = 0; i < local->set_count; i++) {
        if (local->sets[i].kind != TP_SET_FREE) return true;
    }
    return false;
}

/* Circuits, relays and other problems without curved sets: pivoting is exact where iterations have no reason
   to converge. */
static bool is_small_and_scalar(const tp_chain *c)
{
    const tp_local *local = c->call->local;
    if (local->row_count > TP_PIVOTING_ROWS) return false;
    for (int i = 0; i < local->set_count; i++) {
        if (!(TP_ACCEPT_SCALAR & TP_ACCEPT(local->sets[i].kind))) return false;
    }
    return true;
}

/* Momentum is capped from the start and restarts are cold. */
static bool is_large(const tp_chain *c)
{
    return c->is_large;
}

/* A large island, which may be left above its tolerance: its time goes into sweeps. */
static bool has_margin(const tp_chain *c)
{
    return c->call->options->unsolved_limit > 0.0;
}

/* How well a heap is solved when it is met first decides whether it comes to rest: an error of 1e-3 is a
   velocity that the next steps see. So the search goes on there, if Newton steps are cheap. */
static bool is_first_step(const tp_chain *c)
{
    return c->call->is_cold && !is_large(c) && c->call->options->tolerance <= tp_sharp_tolerance;
}

/* Walls and other heaps that begin at rest, whose contacts share loads in many ways. */
static bool is_first_heap(const tp_chain *c)
{
    const tp_local *local = c->call->local;
    return has_margin(c) && is_first_step(c) && local->set_count >= TP_INTERIOR_LAWS &&
           local->global != NULL && tp_interior_unsuitable(local) == NULL;
}

/* Newton's method comes first and often: few rows, a guess, and digits to gain that sweeps find one by one,
   or a tolerance that they have not reached. */
static bool is_sharp(const tp_chain *c)
{
    const tp_solve_call *call = c->call;
    bool gains = call->options->tolerance <= tp_sharp_tolerance || call->is_swept;
    return gains && call->options->warm_start && call->local->set_count > 1 && !is_large(c);
}

/* Sweeps over bodies have come so far that their answer would do. */
static bool is_swept_with_margin(const tp_chain *c)
{
    return is_sharp(c) && !has_joints(c) && has_margin(c) && c->call->is_swept &&
           c->sweeps.best_error <= c->sweeps.usable_error;
}

static bool is_sharp_without_joints(const tp_chain *c)
{
    return is_sharp(c) && !has_joints(c) && !is_swept_with_margin(c);
}

static bool has_last_digits_left(const tp_chain *c)
{
    return !is_sharp(c) && !is_large(c) && !tp_chain_is_exhausted(c);
}

/* ---- the stages; TP_NOT_CONVERGED: the next one has its turn, unless the chain is over ---- */

/* P = 0 is a solution, perhaps only because errors of such small data are absolute (theory/problems.md (8)):
   a light load on a heavy body moves it by less than rounding noise of velocities, yet its contact carries
   it. A few sweeps find that impulse; where they do not, nothing is lost. */
static tp_status try_zero(tp_chain *c, int sweeps, double *P, tp_report *report)
{
    const tp_local *local = c->call->local;
    double size = tp_dense_norm(local->row_count, local->c), aim = c->sweeps.aim, error;
    if (has_loaded(c)) { /* another solution is asked for, if there is one */
        c->sweeps.best_error = INFINITY;
        return TP_NOT_CONVERGED;
    }
    if (c->sweeps.best_error > aim) return TP_NOT_CONVERGED;
    if (!local->at_rounding || !(size > c->call->options->noise) || c->sweeps.best_error <= aim * size)
        return tp_chain_report(c, P, report, TP_OK, "P = 0 is a solution");
    c->sweeps.aim = aim * size;
    tp_chain_sweep(c, 1.0, sweeps, sweeps, P, &error);
    c->sweeps.aim = aim;
    return tp_chain_solved(c, P, report);
}

/* All solutions by all cases, and the one of the policy; (9b). Where there are too many cases, contacts that
   can jam stay closed in sweeps: all of them, or for the nearest solution those that the guess loads. */
static tp_status choose_branch(tp_chain *c, int budget, double *P, tp_report *report)
{
    (void)budget;
    const tp_solve_call *call = c->call;
    const tp_local *local = call->local;
    size_t bytes = (size_t)local->row_count * sizeof(double);
    tp_report exact = *report;
    exact.work = 0.0;
    tp_stack_mark mark = tp_stack_mark_now(call->stack);
    if (call->options->warm_start) memcpy(P, c->guess, bytes);
    tp_status status = tp_enumerate(call, tp_few_cases, P, &exact);
    tp_stack_release(call->stack, mark);
    c->aside_work += exact.work;
    if (status == TP_OUT_OF_MEMORY) return status;
    if (status == TP_OK) c->sweeps.best_error = INFINITY; /* P = 0 may be another solution */
    if (status == TP_OK && tp_sweeps_judge(&c->sweeps, P) <= c->sweeps.aim) {
        c->last = tp_solver_enumeration.info.name;
        report->solution_count = exact.solution_count;
        report->motion_count = exact.motion_count;
        report->counted_all = exact.counted_all;
        return tp_chain_solved(c, P, report);
    }
    memset(P, 0, bytes);
    if (status != TP_UNSUPPORTED) return TP_NOT_CONVERGED;
    double *all = TP_STACK_ARRAY(call->stack, double, local->row_count + 1);
    if (all == NULL) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < local->row_count; k++) all[k] = 1.0;
    bool is_nearest = call->options->branch == TP_BRANCH_NEAREST;
    if (is_nearest && !call->options->warm_start) return TP_NOT_CONVERGED;
    TP_TRY(tp_block_solver_keep_loaded(&c->sweeps.blocks, is_nearest ? c->guess : all, call->stack));
    return TP_NOT_CONVERGED;
}

/* The guess is used only if it is better than nothing. It may be further above the rounding floor than an
   answer: else problems that hardly change, as in a scene at rest, would be solved again and again for a last
   bit. */
static tp_status try_guess(tp_chain *c, int budget, double *P, tp_report *report)
{
    (void)budget;
    const tp_local *local = c->call->local;
    const tp_solver_options *options = c->call->options;
    size_t bytes = (size_t)local->row_count * sizeof(double);
    double at_zero = c->sweeps.best_error;
    memcpy(P, c->guess, bytes);
    tp_sweeps_project(local, c->guess);
    double error = tp_sweeps_judge(&c->sweeps, c->guess);
    if (error <= c->sweeps.aim) { /* a solution keeps its bits, so that its island comes again */
        if (tp_sweeps_judge(&c->sweeps, P) <= c->sweeps.aim) memcpy(c->sweeps.best, P, bytes);
        return tp_chain_report(c, P, report, TP_OK, "the guess is a solution");
    }
    memset(P, 0, bytes);
    if (error < at_zero) memcpy(P, c->guess, bytes);
    if (tp_form_is_good_guess(c->call->problem, local, c->sweeps.best, c->sweeps.best_error, options))
        return tp_chain_report(c, P, report, TP_OK, "the guess is a solution up to rounding");
    return TP_NOT_CONVERGED;
}

/* Joints alone that are not redundant, as in chains: their reactions are unique, and one solve finds them.
   TP_NOT_CONVERGED: P is as before. */
static tp_status solve_joints(tp_chain *c, double *P)
{
    const tp_local *local = c->call->local;
    tp_reduced_system *system = &c->proximal.system;
    double *trial = c->proximal.trial;
    system->refinements = TP_JOINT_REFINEMENTS;
    tp_local_velocity(local, P, c->proximal.velocity);
    tp_reduced_system_linearise(system, P, c->proximal.velocity, 0.0, NULL);
    tp_status status = tp_reduced_system_solve(system, tp_tiny_shift * local->rho, c->call->stack, trial);
    system->refinements = 0;
    c->sweeps.work += system->work + 2.0 * local->G->block_count;
    if (status == TP_OUT_OF_MEMORY) return status;
    bool is_regular = status == TP_OK && system->smallest_pivot > tp_regular_pivot * local->rho;
    if (!is_regular) return TP_NOT_CONVERGED;
    c->proximal.step_count++;
    double error = tp_sweeps_judge(&c->sweeps, trial);
    return error <= c->sweeps.aim || tp_chain_is_rounded(c) ? TP_OK : TP_NOT_CONVERGED;
}

/* Joints couple many rows at once, which sweeps see one by one: plain Newton steps first. They take redundant
   joints in their stride and find the reactions of least norm when they start from 0. Joints alone are one
   system of equations, whose factors serve again and again. */
static tp_status plain_newton(tp_chain *c, int steps, double *P, tp_report *report)
{
    const tp_local *local = c->call->local;
    TP_TRY(tp_chain_take_newton(c));
    c->last = tp_solver_proximal_newton.info.name;
    tp_reduced_system *system = &c->proximal.system;
    if (!has_other_laws(c)) {
        tp_status status = solve_joints(c, P);
        if (status != TP_NOT_CONVERGED) return status == TP_OK ? tp_chain_end_newton(c, P, report) : status;
    }
    double error = c->sweeps.best_error, shift = tp_least_norm_shift;
    system->refinements = has_other_laws(c) ? 0 : TP_JOINT_REFINEMENTS;
    for (int step = 0; step < steps && error <= tp_runaway * c->sweeps.best_error; step++) {
        tp_local_velocity(local, P, c->proximal.velocity);
        tp_reduced_system_linearise(system, P, c->proximal.velocity, 0.0, NULL);
        tp_status status = tp_reduced_system_solve(system, shift * local->rho, c->call->stack, P);
        c->proximal.step_count++;
        c->sweeps.work += system->work + 2.0 * local->G->block_count;
        if (status == TP_OUT_OF_MEMORY) return status;
        if (status != TP_OK) break;
        double before = c->sweeps.best_error;
        error = tp_sweeps_judge(&c->sweeps, P);
        if (error <= c->sweeps.aim) break;
        if (system->refinements > 0 && tp_chain_is_rounded(c)) break;
        if (error > tp_quick * before) shift = tp_tiny_shift;
        if (tp_chain_is_at_floor(c) && error >= before) break;
        if (tp_chain_is_near_floor(c) && error >= tp_stagnant * before) break;
    }
    system->refinements = 0;
    return tp_chain_end_newton(c, P, report);
}

/* Joints and contacts together, from nothing. */
static bool has_contacts_on_joints(const tp_chain *c)
{
    return has_joints(c) && has_other_laws(c) && !tp_chain_has_masters(c) && !has_guess(c) && !is_large(c);
}

/* Proximal steps from 0: a weight that falls step by step leads past the kinks between which full steps go
   round in circles, and sees all laws together; (22). The weights of later turns are those of a first one. */
static tp_status proximal_newton(tp_chain *c, int steps, double *P, tp_report *report)
{
    double error;
    tp_proximal *proximal = &c->proximal;
    TP_TRY(tp_chain_take_newton(c));
    c->last = tp_solver_proximal_newton.info.name;
    memset(P, 0, (size_t)c->call->local->row_count * sizeof(double));
    int limit = proximal->step_limit;
    proximal->step_limit = proximal->step_count + steps < limit ? proximal->step_count + steps : limit;
    tp_newton_end end = TP_NEWTON_STALLED;
    while (end == TP_NEWTON_STALLED && !tp_chain_is_at_floor(c))
        end = tp_proximal_run(proximal, c->call->stack, P, &error);
    proximal->step_limit = limit;
    tp_proximal_start_anew(proximal);
    if (end == TP_NEWTON_CONVERGED) return tp_chain_solved(c, P, report);
    if (end == TP_NEWTON_INFEASIBLE) return tp_chain_report_proof(c, P, report, proximal->direction);
    memcpy(P, c->sweeps.best, (size_t)c->call->local->row_count * sizeof(double));
    return TP_NOT_CONVERGED;
}

/* Sweeps wander about above what is usable: slip moves the normal velocities that friction is lagged by. */
static bool is_above_usable(const tp_chain *c)
{
    const tp_sweeps *sweeps = &c->sweeps;
    return has_margin(c) && c->call->is_swept && !has_joints(c) &&
           sweeps->best_error > sweeps->usable_error && sweeps->best_error <= sweeps->limit_error;
}

static bool is_planar(const tp_local *local)
{
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        if (set->kind == TP_SET_CONTACT ? set->size > 2 : !(TP_ACCEPT_SCALAR & TP_ACCEPT(set->kind)))
            return false;
    }
    return true;
}

/* Sweeps and Newton steps in turn. */
typedef struct alternation {
    int slice;
    bool is_large, is_sharp;
    bool has_pivoted;
    bool has_path;  /* the central path has been followed             */
    bool is_over;   /* nothing better is to be expected */
    double stall;   /* sweeps without a halving of E that end a slice */
    double tried;   /* the best E when Newton's method began last     */
    double error;   /* E of P                                         */
    int lock_count; /* how often friction was seen to lock since E was halved */
    double locked_error;
} alternation;

static void count_lock(tp_chain *c, alternation *a)
{
    bool is_new = !c->is_locked || c->sweeps.best_error < 0.5 * a->locked_error;
    if (is_new) a->locked_error = c->sweeps.best_error;
    a->lock_count = is_new ? 1 : a->lock_count + 1;
    c->is_locked = true;
}

/* Proximal steps from P. As all the turns below: TP_NOT_CONVERGED if the chain goes on. */
static tp_status proximal_turn(tp_chain *c, alternation *a, double *P, tp_report *report)
{
    a->tried = c->sweeps.best_error;
    c->last = tp_solver_proximal_newton.info.name;
    tp_newton_end end = tp_proximal_run(&c->proximal, c->call->stack, P, &a->error);
    if (end == TP_NEWTON_CONVERGED) return tp_chain_solved(c, P, report);
    if (end == TP_NEWTON_INFEASIBLE) return tp_chain_report_proof(c, P, report, c->proximal.direction);
    if (end == TP_NEWTON_LOCKED) count_lock(c, a);
    a->is_over = end == TP_NEWTON_LIMIT || tp_chain_is_at_floor(c) || a->lock_count >= TP_LOCKS;
    return TP_NOT_CONVERGED;
}

static bool is_path_due(const tp_chain *c, const alternation *a)
{
    const tp_local *local = c->call->local;
    return c->sweeps.best_error > tp_close_error && !a->has_path && !a->is_large && !a->is_sharp &&
           !has_margin(c) && local->set_count >= TP_INTERIOR_LAWS && local->global != NULL &&
           tp_interior_unsuitable(local) == NULL;
}

/* Heaps, in which proximal steps from sweeps go round in circles: those from the central path, whose impulses
   lie inside of their cones, seldom do. Where they do, another path leads elsewhere. */
static tp_status interior_turn(tp_chain *c, alternation *a, double *P, tp_report *report)
{
    tp_newton_end end;
    if (!is_path_due(c, a)) return TP_NOT_CONVERGED;
    tp_status status = tp_chain_follow_paths(c, P, &end);
    if (status != TP_OK) return status == TP_OUT_OF_MEMORY ? status : TP_NOT_CONVERGED;
    a->has_path = true;
    if (c->sweeps.best_error <= c->sweeps.aim) return tp_chain_solved(c, P, report);
    if (end == TP_NEWTON_INFEASIBLE) return tp_chain_report_proof(c, P, report, c->proximal.direction);
    if (end == TP_NEWTON_LOCKED) count_lock(c, a);
    a->tried = c->sweeps.best_error;
    a->is_over = tp_chain_is_exhausted(c) || tp_chain_is_at_floor(c) || a->lock_count >= TP_LOCKS;
    return TP_NOT_CONVERGED;
}

static tp_status excursion_turn(tp_chain *c, const alternation *a, double *P, tp_report *report)
{
    bool is_due = a->slice % 3 == 1 && !a->is_large && !a->has_path &&
                  c->sweeps.best_error > tp_stuck_error &&
                  !tp_chain_has_masters(c); /* cases have been tried */
    if (!is_due) return TP_NOT_CONVERGED;
    tp_status status = tp_chain_excursion(c, a->slice == 1 ? NULL : P);
    if (status != TP_OK) return status == TP_OUT_OF_MEMORY ? status : TP_NOT_CONVERGED;
    c->last = tp_solver_alart_curnier.info.name;
    return tp_chain_solved(c, P, report);
}

/* Large planar problems go along Lemke's path if the chain has spent more already, or would end here. */
static bool is_worth_a_path(const tp_chain *c, const alternation *a)
{
    double rows = c->call->local->row_count;
    bool is_cheap = tp_path_cost * rows * rows * rows <= c->sweeps.work;
    return is_planar(c->call->local) && !a->has_pivoted && (is_cheap || a->lock_count >= TP_LOCKS);
}

static tp_status pivot(tp_chain *c, double *P, const tp_solver **used, tp_report *report)
{
    tp_status status = TP_UNSUPPORTED;
    *used = &tp_solver_enumeration;
    double most = is_sharp(c) ? tp_few_cases : tp_all_cases;
    if (c->call->options->work_limit > 0.0) most = fmin(most, c->sweeps.work_limit - c->sweeps.work);
    if (c->call->local->row_count <= TP_FEW_ROWS) status = tp_enumerate(c->call, most, P, report);
    if (status != TP_UNSUPPORTED || !is_planar(c->call->local)) return status;
    *used = &tp_solver_faceted;
    tp_solve_call call = *c->call;
    tp_solver_options options = *call.options;
    call.options = &options;
    if (c->call->local->row_count > TP_FEW_ROWS)
        options.max_iterations = TP_ROW_PIVOTS * c->call->local->row_count;
    report->iterations = 0;
    return tp_solver_faceted.solve(&call, P, report);
}

/* Bodies that friction locks, or nearly, may have few solutions or none, and iterations drift along a
   self-stress. In small problems all cases can be tried, which is a proof if there is none; planar ones are
   complementarity problems. */
static tp_status pivoting_turn(tp_chain *c, alternation *a, double *P, tp_report *report)
{
    bool is_small = c->call->local->row_count <= TP_FEW_ROWS;
    bool is_due = is_small ? a->slice == 1 : a->slice > 0 && is_worth_a_path(c, a);
    if (!is_due || !(c->sweeps.best_error > tp_stuck_error)) return TP_NOT_CONVERGED;
    const tp_solver *used;
    tp_report exact = *report;
    exact.work = 0.0;
    a->has_pivoted = true;
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    tp_status status = pivot(c, P, &used, &exact);
    tp_stack_release(c->call->stack, mark);
    c->aside_work += exact.work;
    if (status == TP_OUT_OF_MEMORY) return status;
    if (status == TP_INFEASIBLE) {
        tp_chain_report(c, P, report, status, "");
        memcpy(report->reason, exact.reason, sizeof report->reason);
        report->solver = used->info.name;
        return status;
    }
    if (status != TP_OK && status != TP_NOT_CONVERGED) return TP_NOT_CONVERGED;
    bool is_solved =
        tp_sweeps_judge(&c->sweeps, P) <= c->sweeps.aim; /* the best point is kept, solved or not */
    if (status != TP_OK || !is_solved) return TP_NOT_CONVERGED;
    c->last = used->info.name;
    return tp_chain_solved(c, P, report);
}

static tp_status searched_newton(tp_chain *c, int patience, double *P, tp_report *report)
{
    tp_status status = tp_chain_search(c, patience, P);
    if (status == TP_OK) return tp_chain_solved(c, P, report);
    return status == TP_OUT_OF_MEMORY ? status : TP_NOT_CONVERGED;
}

/* From the best point, unless Newton's method has failed there already: the sweeps then lead away. */
static tp_status newton_turn(tp_chain *c, alternation *a, double *P, tp_report *report)
{
    size_t bytes = (size_t)c->call->local->row_count * sizeof(double);
    bool is_trapped = c->sweeps.best_error > 0.5 * a->tried;
    TP_TRY(tp_chain_take_newton(c));
    a->is_over = is_trapped && c->sweeps.best_error <= c->call->options->enough;
    if (a->is_over) return TP_NOT_CONVERGED;
    if (!is_trapped) memcpy(P, c->sweeps.best, bytes);
    if (a->is_sharp && !is_trapped && a->slice > 0) {
        tp_status status = searched_newton(c, TP_SEARCH_PATIENCE, P, report);
        if (status != TP_NOT_CONVERGED) return status;
        a->is_over = tp_chain_is_at_floor(c);
        if (a->is_over) return TP_NOT_CONVERGED;
    }
    tp_status status = proximal_turn(c, a, P, report);
    if (status == TP_NOT_CONVERGED && !a->is_over) status = interior_turn(c, a, P, report);
    bool may_pivot = (!a->is_over || a->lock_count >= TP_LOCKS) && !c->has_visited_cases;
    if (status == TP_NOT_CONVERGED && may_pivot) status = pivoting_turn(c, a, P, report);
    if (status == TP_NOT_CONVERGED && !a->is_over) status = excursion_turn(c, a, P, report);
    if (status != TP_NOT_CONVERGED || a->is_over) return status;
    if (is_trapped && a->is_sharp) {
        tp_chain_start_anew(c, P);
        return TP_NOT_CONVERGED;
    }
    if (a->error > 2.0 * c->sweeps.best_error && !is_trapped) memcpy(P, c->sweeps.best, bytes);
    a->stall = a->is_large ? 1.5 * a->stall : fmax(2.0 * a->stall, 0.3 * c->sweeps.sweep_count);
    a->stall = fmin(a->stall, TP_LONGEST_STALL);
    return TP_NOT_CONVERGED;
}

static tp_status sweeping_turn(tp_chain *c, alternation *a, double *P, tp_report *report)
{
    double cap = a->is_large ? tp_large_caps[a->slice % TP_CAPS] : tp_small_caps[a->slice % TP_CAPS];
    int doublings = a->slice < TP_DOUBLINGS ? a->slice : TP_DOUBLINGS;
    int count = a->is_sharp   ? TP_SHORT_SLICE << doublings
                : a->is_large ? TP_LONGEST_STALL
                              : TP_LONG_SLICE << doublings;
    tp_sweep_end end = a->is_sharp && a->slice == 0 ? TP_SWEEP_STALLED
                                                    : tp_chain_sweep(c, cap, a->stall, count, P, &a->error);
    if (end == TP_SWEEP_CONVERGED) return tp_chain_solved(c, P, report);
    a->is_over = end == TP_SWEEP_LIMIT || end == TP_SWEEP_FLOOR;
    double doubtful = a->slice == 0 ? tp_suspicious_error : tp_doubtful_error;
    if (a->is_over || c->has_sought_proof || c->sweeps.best_error <= doubtful) return TP_NOT_CONVERGED;
    return tp_chain_seek_proof(c, P, report);
}

/* Friction that follows joints has stages of its own, as long as what is left is not enough already. */
static bool follows_joints(const tp_chain *c)
{
    return tp_chain_has_masters(c) && c->sweeps.best_error > c->call->options->enough;
}

/* One of linearisations is so close to its solution that rounding of nearly singular rows is what is left. */
static bool is_left_to_next(const tp_chain *c)
{
    return !(c->call->options->floor_factor > 0.0) && c->sweeps.best_error <= tp_case_left;
}

static bool is_far_away(const tp_chain *c)
{
    return c->sweeps.best_error > tp_suspicious_error;
}

/* Close to a solution one law alone may be in another case; far from one linear programmes exclude most
   cases, which are not worth more time before that. */
static tp_status near_cases(tp_chain *c, int most, double *P, tp_report *report)
{
    if (is_left_to_next(c) || is_far_away(c)) most = 1 + c->call->local->set_count;
    return tp_chain_try_near_cases(c, most, P, report);
}

/* A stage of the chain solves a part of a linearisation, or one with sizes held: what it leaves close to a
   solution, and cases far away, are left to the next stage, which may be easier. */
static bool is_stage(const tp_chain *c)
{
    return c->call->options->work_limit > 0.0 && !(c->call->options->floor_factor > 0.0);
}

static bool is_close_in_stage(const tp_chain *c)
{
    return is_stage(c) && c->sweeps.best_error <= tp_stuck_error;
}

static bool needs_cases(const tp_chain *c)
{
    return follows_joints(c) && !is_left_to_next(c) && !is_close_in_stage(c);
}

/* A solution is often far away by the number of laws that differ, but near by iterations. */
static bool needs_cases_far_away(const tp_chain *c)
{
    return needs_cases(c) && is_far_away(c) && c->call->options->floor_factor > 0.0;
}

static tp_status all_cases(tp_chain *c, int most, double *P, tp_report *report)
{
    return tp_chain_try_cases(c, is_stage(c) ? 0 : most, P, report);
}

/* Where friction follows joints, cases have been tried: sweeps do not remove what they leave close to a
   solution. */
static bool has_more_to_find(const tp_chain *c)
{
    bool is_enough =
        c->sweeps.best_error <= c->call->options->enough || is_left_to_next(c) || is_close_in_stage(c);
    return has_other_laws(c) && !(tp_chain_has_masters(c) && is_enough);
}

/* theory/solvers.md (28). */
static tp_status alternate(tp_chain *c, int slices, double *P, tp_report *report)
{
    if (tp_chain_has_masters(c) && slices > TP_FOLLOWED_SLICES) slices = TP_FOLLOWED_SLICES;
    alternation a = {.is_large = is_large(c), .is_sharp = is_sharp(c)};
    a.stall = a.is_large ? TP_LARGE_STALL : TP_SMALL_STALL;
    a.tried = INFINITY;
    c->sweeps.is_patient = a.is_sharp;
    for (; a.slice < slices; a.slice++) {
        tp_status status = sweeping_turn(c, &a, P, report);
        if (status != TP_NOT_CONVERGED || a.is_over) return status;
        bool is_close = c->sweeps.best_error < tp_close_error;
        if (a.is_large && !is_close && (a.slice + 1) % 3 != 0) {
            tp_chain_start_anew(c, P);
            continue;
        }
        if (tp_chain_is_at_floor(c)) break;
        status = newton_turn(c, &a, P, report);
        if (status != TP_NOT_CONVERGED || a.is_over) return status;
    }
    return TP_NOT_CONVERGED;
}

/* Most problems of a step are nearly solved by their warm start, and one row is solved by one visit. */
static tp_status few_sweeps(tp_chain *c, int sweeps, double *P, tp_report *report)
{
    double error;
    tp_sweep_end end = tp_chain_sweep(c, 1.0, sweeps, sweeps, P, &error);
    return end == TP_SWEEP_CONVERGED ? tp_chain_solved(c, P, report) : TP_NOT_CONVERGED;
}

static bool is_large_without_margin(const tp_chain *c)
{
    return is_large(c) && !has_margin(c);
}

static tp_status pivoting(tp_chain *c, int budget, double *P, tp_report *report)
{
    (void)budget;
    report->solver = tp_solver_mlcp.info.name;
    tp_status status = tp_solver_mlcp.solve(c->call, P, report);
    if (status == TP_OK || status == TP_INFEASIBLE || status == TP_OUT_OF_MEMORY) return status;
    tp_sweeps_judge(&c->sweeps, P);
    return tp_chain_is_at_floor(c) ? tp_chain_end_at_floor(c, P, report) : TP_NOT_CONVERGED;
}

static tp_status accept_rounding(tp_chain *c, int budget, double *P, tp_report *report)
{
    (void)budget;
    return tp_chain_report(c, P, report, TP_OK, "solved up to rounding");
}

/* The answer of a large island is good enough to go on with: no proof is sought. */
static bool is_usable(const tp_chain *c)
{
    return c->sweeps.best_error <= c->call->options->unsolved_limit;
}

/* Sweeps have come near a solution, over several steps of a motion at rest: Newton's method finds it. */
static bool is_near_with_margin(const tp_chain *c)
{
    return has_margin(c) && c->sweeps.best_error < tp_close_error;
}

static tp_status finish_with_margin(tp_chain *c, int patience, double *P, tp_report *report)
{
    double usable = c->sweeps.usable_error;
    double limit = c->sweeps.limit_error;
    c->sweeps.usable_error = c->sweeps.limit_error = 0.0;
    memcpy(P, c->sweeps.best, (size_t)c->call->local->row_count * sizeof(double));
    tp_status status = searched_newton(c, patience, P, report);
    c->sweeps.usable_error = usable;
    c->sweeps.limit_error = limit;
    return status;
}

static tp_status end_usable(tp_chain *c, int budget, double *P, tp_report *report)
{
    (void)budget;
    return tp_chain_report(c, P, report, TP_NOT_CONVERGED, "the search ended within the limit of its island");
}

/* The chain found nothing: a proof that there is nothing, by the problem without friction or, if it is small
   enough, by a linear programme. */
static tp_status look_for_proof(tp_chain *c, int budget, double *P, tp_report *report)
{
    (void)budget;
    tp_stack *stack = c->call->stack;
    if (tp_chain_is_at_floor(c)) return tp_chain_end_at_floor(c, P, report);
    if (c->sweeps.best_error <= c->call->options->enough || is_left_to_next(c))
        return tp_chain_report(c, P, report, TP_NOT_CONVERGED, "E is as small as was asked for at least");
    if (!c->has_sought_proof) {
        tp_status status = tp_chain_seek_proof(c, P, report);
        if (status != TP_NOT_CONVERGED) return status;
    }
    double *y = TP_STACK_ARRAY(stack, double, c->call->local->row_count);
    if (y == NULL || !tp_kinematic_proof(c->call->local, stack, y)) {
        return tp_chain_report(
            c, P, report, TP_NOT_CONVERGED,
            c->is_locked ? "no solution was found: impulses drift along a self-stress with friction, which "
                           "may lock (not proven)"
                         : "the limit was reached");
    }
    return tp_chain_report_proof(c, P, report, y);
}

/* What is left of the limits. */
static tp_solver_options remaining_options(const tp_chain *c)
{
    tp_solver_options options = *c->call->options;
    options.work_limit = c->sweeps.work_limit - c->sweeps.work;
    if (options.max_iterations > 0) options.max_iterations -= c->sweeps.sweep_count + c->proximal.step_count;
    return options;
}

/* Joints as unknowns, from P: sweeps see joints and contacts one by one and would take long; the laws that
   are left are those of bodies that the joints have made one; theory/problems.md (17). */
static tp_status joints_as_unknowns(tp_chain *c, int budget, double *P, tp_report *report_out)
{
    (void)budget;
    if (tp_chain_is_exhausted(c)) return TP_NOT_CONVERGED;
    tp_solver_options options = remaining_options(c);
    double rows = c->call->local->row_count;
    if (tp_chain_has_masters(c)) /* joints that friction follows are left: their own stages come next */
        options.work_limit = fmin(options.work_limit, 2.0 * tp_held_work * rows * rows * rows);
    tp_solve_call call = {.problem = c->call->problem, .options = &options, .stack = c->call->stack};
    tp_report report = {.status = TP_NOT_CONVERGED};
    tp_absorbed_answer answer;
    TP_TRY(tp_solve_absorbed(&call, TP_ABSORB_ALL, P, NULL, &report, &answer));
    c->sweeps.work += answer.work;
    c->joint_free_count = answer.iterations;
    tp_sweeps_judge(&c->sweeps, P);
    if (!answer.is_solved) return TP_NOT_CONVERGED;
    if (c->sweeps.best_error <= c->sweeps.aim) return tp_chain_solved(c, P, report_out);
    /* the judge of the chain passes through G and may see more rounding */
    bool is_good = c->sweeps.best_error <= options.enough || tp_chain_is_near_floor(c);
    return is_good ? tp_chain_end_at_floor(c, P, report_out) : TP_NOT_CONVERGED;
}

/* A loop with redundant joints that has drifted apart: where what is left is the contradiction of their rows,
   nothing else need be tried; (28c). */
static tp_status look_for_contradiction(tp_chain *c, int budget, double *P, tp_report *report)
{
    (void)budget;
    const tp_local *local = c->call->local;
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    double *work = TP_STACK_ARRAY(c->call->stack, double, 3 * (size_t)local->row_count);
    if (work == NULL) return TP_OUT_OF_MEMORY;
    double *xi = work + 2 * (size_t)local->row_count,
           impulse = fmax(tp_explained_impulse(local->inertia, local->scale),
                          tp_geometric_gain * tp_dense_norm(local->row_count, c->sweeps.best));
    tp_local_velocity(local, c->sweeps.best, xi);
    double least = isfinite(impulse) ? tp_joint_contradiction(local, xi, impulse, work) : 0.0;
    tp_stack_release(c->call->stack, mark);
    if (!(least >= tp_contradiction_share * c->sweeps.best_error * local->scale)) return TP_NOT_CONVERGED;
    return tp_chain_report(c, P, report, TP_NOT_CONVERGED, "rows of joints contradict each other");
}

/* The chain: every stage that applies has its turn, until one ends it; theory/solvers.md (28). */
typedef struct stage {
    const char *name;
    bool (*applies)(const tp_chain *c);
    int budget; /* steps, sweeps or slices; 0: it has limits of its own */
    tp_status (*run)(tp_chain *c, int budget, double *P, tp_report *report);
} stage;

static const stage stages[] = {
    {"branches", has_branches, 0, choose_branch},
    {"zero", always, 32, try_zero},
    {"guess", has_guess, 0, try_guess},
    {"loaded contacts", has_loaded, 8, few_sweeps},
    {"plain Newton steps", has_joints, 20, plain_newton},
    {"proximal Newton steps", has_contacts_on_joints, 200, proximal_newton},
    {"joints as unknowns", has_joints, 0, joints_as_unknowns},
    {"contradiction", has_joints, 0, look_for_contradiction},
    {"sizes held", follows_joints, 30, tp_chain_hold_sizes},
    {"a few turns far away", needs_cases_far_away, 2, alternate},
    {"near cases", follows_joints, TP_NEAR_CASES, near_cases},
    {"a few turns", needs_cases, 2, alternate},
    {"all cases", needs_cases, 2000, all_cases},
    {"a few sweeps", is_small_and_scalar, 4, few_sweeps},
    {"pivoting", is_small_and_scalar, 0, pivoting},
    {"the central path of a first step", is_first_heap, 0, tp_stage_first_path},
    {"proximal steps to what is usable", is_above_usable, TP_USABLE_STEPS, tp_stage_proximal_to_usable},
    {"proximal steps after sweeps", is_swept_with_margin, TP_SWEPT_STEPS, tp_stage_proximal_after_sweeps},
    {"searched Newton steps", is_sharp_without_joints, TP_SEARCH_PATIENCE, searched_newton},
    {"sweeps with all momentum", is_large_without_margin, 512, tp_stage_trial_sweeps},
    {"sweeps and Newton steps in turn", has_more_to_find, 200, alternate},
    {"the last digits", has_last_digits_left, TP_SEARCH_PATIENCE, searched_newton},
    {"the last digits of a large island", is_near_with_margin, 2, finish_with_margin},
    {"rounding", tp_chain_is_rounded, 0, accept_rounding},
    {"usable", is_usable, 0, end_usable},
    {"proof", always, 0, look_for_proof},
};

static tp_status solve_auto(const tp_solve_call *call, double *P, tp_report *report)
{
    const tp_local *local = call->local;
    tp_chain c = {.call = call, .random = 20201ull, .last = "auto"};
    TP_TRY(tp_sweeps_init(&c.sweeps, local, call->stack));
    c.order = TP_STACK_ARRAY(call->stack, int, local->set_count);
    c.guess = TP_STACK_ARRAY(call->stack, double, local->row_count);
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    memcpy(c.guess, P, (size_t)local->row_count * sizeof(double));
    memset(P, 0, (size_t)local->row_count * sizeof(double));
    TP_TRY(tp_chain_measure_size(&c));
    tp_sweeps_aim(&c.sweeps, call->options, tp_aim_factor);
    bool has_work = call->options->work_limit > 0.0;
    c.sweeps.work_limit = tp_chain_work_limit(call->options);
    c.sweeps.sweep_limit = has_work ? TP_LONGEST_STALL : TP_MOST_ITERATIONS;
    if (has_margin(&c) && call->options->floor_factor > 0.0)
        c.sweeps.aim = fmax(c.sweeps.aim, tp_margin_share * call->options->enough);
    c.sweeps.usable_error = fmin(call->options->unsolved_limit, tp_usable_aim);
    double sweep_work = local->G->block_count;
    c.sweeps.usable_work = sweep_work * (c.is_large ? TP_USABLE_SWEEPS : TP_SWEPT_SWEEPS);
    if (has_margin(&c) && is_first_step(&c))
        c.sweeps.usable_work = TP_FIRST_STEPS * tp_reduced_system_cost(&c.proximal.system);
    c.sweeps.limit_error = call->options->unsolved_limit;
    c.sweeps.limit_work = tp_limit_share * fmax(c.sweeps.usable_work, TP_USABLE_SWEEPS * sweep_work);
    if (call->options->max_iterations > 0) c.sweeps.sweep_limit = call->options->max_iterations;
    if (call->options->warm_start && call->options->branch == TP_BRANCH_LOADED)
        TP_TRY(tp_block_solver_keep_loaded(&c.sweeps.blocks, c.guess, call->stack));
    c.sweeps.best_error = tp_local_error_at(local, P, local->c, NULL); /* xi = c at P = 0, the best so far */

    tp_status status = TP_NOT_CONVERGED;
    for (size_t k = 0; k < sizeof stages / sizeof stages[0]; k++) {
        if (!stages[k].applies(&c)) continue;
        status = stages[k].run(&c, stages[k].budget, P, report);
        if (c.is_over || status != TP_NOT_CONVERGED) break;
    }
    return status;
}

const tp_solver tp_solver_auto = {
    .info = {"auto", "the default chain: accelerated Gauss-Seidel, proximal Newton, infeasibility proofs",
             true},
    .accepts = TP_ACCEPT_ALL,
    .solve = solve_auto,
};
