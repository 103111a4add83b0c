/* The default: a chain of solvers that ends with an answer whose E is below the tolerance, a certificate that
   there is none, or the plain statement that it did not converge; theory/solvers.md (28). */
#include "absorbed.h"
#include "chain.h"
#include "judge.h"
#include "math/dense.h"
#include "solver/infeasible/farkas.h"
#include "solver/pivoting/enumeration.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

enum {
    FEW_ROWS = 200,      /* problems up to this size are solved by cases or pivoting where all else fails */
    PIVOTING_ROWS = 400, /* problems of scalar rows up to this size go through the MLCP solver first */
    LARGE = 1000,        /* contacts: momentum is capped from the start and restarts are cold */
    SLICES = 200,
    LOCKS = 7,                 /* from seven places along the same self-stress: friction locks */
    MOST_ITERATIONS = 1000000, /* what a million sweeps have not solved, more do not solve either */
    PLAIN_STEPS = 20,
    FEW_SWEEPS = 4,
    SMALL_DATA_SWEEPS = 32,
    SHORT_SLICE = 30, /* sweeps of the first slice where Newton's method comes first; they double */
    DOUBLINGS = 6,
    SMALL_STALL = 200, /* sweeps without a halving of E */
    LARGE_STALL = 10000,
    LONGEST_STALL = 1000000000 /* more doublings would leave the range of int */
};

/* Solves times the cube of the rows: some seconds for one problem; some hundredths of a second for one of
   many linearisations, of which the next may be easier. */
static const double all_cases = 3e9, few_cases = 3e7;

/* Below this E a large problem is in the basin of a solution, which a cold restart would lose. */
static const double close_error = 1e-5;

/* An E that is still above the first of these when the first sweeps end, or above the second after Newton's
   method has failed, may stay there for ever: a proof is sought. Excursions are for what is far from solved.
 */
static const double suspicious_error = 1e-3, doubtful_error = 1e-8, stuck_error = 1e-6;

/* Of rho, in plain steps as long as they are quick: rounding then leaves reactions of least norm, up to a
   part eps / shift. */
static const double least_norm_shift = 1e-8, quick = 1e-3;
static const double tiny_shift = 1e-12; /* of rho: keeps redundant rows regular         */
static const double runaway = 1e6;      /* growth of E at which plain Newton steps end   */

/* Redundant joints whose rows are off by rounding leave an error that nothing improves. */
static const double stagnant = 0.99;

/* The answer must pass a judge that sums in another order. */
static const double aim_factor = 0.95;

/* Sweeps gain digits one by one, Newton's method all at once: below this tolerance it comes first, if there
   is a guess. */
static const double sharp_tolerance = 1e-11;

static bool has_joints(const tp_local *local)
{
    for (int i = 0; i < local->set_count; i++) {
        if (local->sets[i].kind == TP_SET_FREE) return true;
    }
    return false;
}

/* Joints couple many rows at once, which sweeps see one by one: plain Newton steps first. They take redundant
   joints in their stride and find the reactions of least norm when they start from 0. */
static tp_status plain_newton(tp_chain *c, double *P)
{
    const tp_local *local = c->call->local;
    TP_TRY(tp_chain_take_newton(c));
    tp_reduced_system *system = &c->proximal.system;
    double error = c->sweeps.best_error, shift = least_norm_shift;
    for (int step = 0; step < PLAIN_STEPS && error <= runaway * c->sweeps.best_error; step++) {
        tp_local_velocity(local, P, c->proximal.velocity);
        tp_reduced_system_linearise(system, P, c->proximal.velocity, 0.0, NULL);
        tp_status status = tp_reduced_system_solve(system, shift * local->rho, c->call->stack, P);
        c->proximal.step_count++;
        c->sweeps.work += system->work + 2.0 * local->G->block_count;
        if (status == TP_OUT_OF_MEMORY) return status;
        if (status != TP_OK) break;
        double before = c->sweeps.best_error;
        error = tp_sweeps_judge(&c->sweeps, P);
        if (error <= c->sweeps.aim) return TP_OK;
        if (error > quick * before) shift = tiny_shift;
        if (tp_chain_is_at_floor(c) && error >= before) break;
        if (tp_chain_is_near_floor(c) && error >= stagnant * before) break;
    }
    memcpy(P, c->sweeps.best, (size_t)local->row_count * sizeof(double));
    return TP_NOT_CONVERGED;
}

/* Newton's method comes first and often: few rows, a guess, and digits to gain that sweeps find one by one.
 */
static bool is_sharp(const tp_solve_call *call)
{
    return call->options->tolerance <= sharp_tolerance && call->options->warm_start &&
           call->local->set_count > 1 && call->local->set_count <= LARGE;
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
    a->is_over = end == TP_NEWTON_LIMIT || tp_chain_is_at_floor(c) || a->lock_count >= LOCKS;
    return TP_NOT_CONVERGED;
}

static tp_status excursion_turn(tp_chain *c, const alternation *a, double *P, tp_report *report)
{
    bool is_due = a->slice % 3 == 1 && !a->is_large && c->sweeps.best_error > stuck_error;
    if (!is_due) return TP_NOT_CONVERGED;
    tp_status status = tp_chain_excursion(c, a->slice == 1 ? NULL : P);
    if (status != TP_OK) return status == TP_OUT_OF_MEMORY ? status : TP_NOT_CONVERGED;
    c->last = tp_solver_alart_curnier.info.name;
    return tp_chain_solved(c, P, report);
}

/* Bodies that friction locks, or nearly, may have few solutions or none, and iterations drift along a
   self-stress. In small problems all cases can be tried, which is a proof if there is none; planar ones are
   complementarity problems. */
static tp_status pivoting_turn(tp_chain *c, const alternation *a, double *P, tp_report *report)
{
    bool is_due = a->slice == 1 && c->sweeps.best_error > stuck_error;
    if (!is_due || c->call->local->row_count > FEW_ROWS) return TP_NOT_CONVERGED;
    const tp_solver *used = &tp_solver_enumeration;
    tp_report exact = *report;
    exact.work = 0.0;
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    tp_status status = tp_enumerate(c->call, a->is_sharp ? few_cases : all_cases, P, &exact);
    if (status == TP_UNSUPPORTED && is_planar(c->call->local)) {
        used = &tp_solver_faceted;
        status = used->solve(c->call, P, &exact);
    }
    tp_stack_release(c->call->stack, mark);
    c->aside_work += exact.work;
    if (status == TP_OUT_OF_MEMORY) return status;
    if (status == TP_INFEASIBLE) {
        tp_chain_report(c, P, report, status, "");
        memcpy(report->reason, exact.reason, sizeof report->reason);
        report->solver = used->info.name;
        return status;
    }
    if (status != TP_OK || tp_sweeps_judge(&c->sweeps, P) > c->sweeps.aim) return TP_NOT_CONVERGED;
    c->last = used->info.name;
    return tp_chain_solved(c, P, report);
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
        tp_status status = tp_chain_search(c, P);
        if (status == TP_OUT_OF_MEMORY) return status;
        if (status == TP_OK) return tp_chain_solved(c, P, report);
        a->is_over = tp_chain_is_at_floor(c);
        if (a->is_over) return TP_NOT_CONVERGED;
    }
    tp_status status = proximal_turn(c, a, P, report);
    if (status == TP_NOT_CONVERGED && !a->is_over) status = pivoting_turn(c, a, P, report);
    if (status == TP_NOT_CONVERGED && !a->is_over) status = excursion_turn(c, a, P, report);
    if (status != TP_NOT_CONVERGED || a->is_over) return status;
    if (is_trapped && a->is_sharp) {
        tp_chain_start_anew(c, P);
        return TP_NOT_CONVERGED;
    }
    if (a->error > 2.0 * c->sweeps.best_error && !is_trapped) memcpy(P, c->sweeps.best, bytes);
    a->stall = a->is_large ? 1.5 * a->stall : fmax(2.0 * a->stall, 0.3 * c->sweeps.sweep_count);
    a->stall = fmin(a->stall, LONGEST_STALL);
    return TP_NOT_CONVERGED;
}

static tp_status sweeping_turn(tp_chain *c, alternation *a, double *P, tp_report *report)
{
    static const double small_caps[] = {1.0, 0.85, 0.8, 0.9, 0.7, 0.95},
                        large_caps[] = {0.8, 0.8, 0.75, 0.8, 0.85, 0.7};
    double cap = a->is_large ? large_caps[a->slice % 6] : small_caps[a->slice % 6];
    int count = a->is_sharp ? SHORT_SLICE << (a->slice < DOUBLINGS ? a->slice : DOUBLINGS) : LONGEST_STALL;
    tp_sweep_end end = a->is_sharp && a->slice == 0 ? TP_SWEEP_STALLED
                                                    : tp_chain_sweep(c, cap, a->stall, count, P, &a->error);
    if (end == TP_SWEEP_CONVERGED) return tp_chain_solved(c, P, report);
    a->is_over = end == TP_SWEEP_LIMIT || end == TP_SWEEP_FLOOR;
    double doubtful = a->slice == 0 ? suspicious_error : doubtful_error;
    if (a->is_over || c->has_sought_proof || c->sweeps.best_error <= doubtful) return TP_NOT_CONVERGED;
    return tp_chain_seek_proof(c, P, report);
}

/* theory/solvers.md (28). */
static tp_status alternate(tp_chain *c, double *P, tp_report *report)
{
    alternation a = {.is_large = c->call->local->set_count > LARGE, .is_sharp = is_sharp(c->call)};
    a.stall = a.is_large ? LARGE_STALL : SMALL_STALL;
    a.tried = INFINITY;
    c->sweeps.is_patient = a.is_sharp;
    for (; a.slice < SLICES; a.slice++) {
        tp_status status = sweeping_turn(c, &a, P, report);
        if (status != TP_NOT_CONVERGED || a.is_over) return status;
        bool is_close = c->sweeps.best_error < close_error;
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

/* Most problems of a step are nearly solved by their warm start, and one row is solved by one visit. */
static bool few_sweeps(tp_chain *c, double *P)
{
    double error;
    return tp_chain_sweep(c, 1.0, FEW_SWEEPS, FEW_SWEEPS, P, &error) == TP_SWEEP_CONVERGED;
}

/* The chain found nothing: a proof that there is nothing, by the problem without friction or, if it is small
   enough, by a linear programme. */
static tp_status look_for_proof(tp_chain *c, double *P, tp_report *report)
{
    tp_stack *stack = c->call->stack;
    if (tp_chain_is_at_floor(c)) {
        return tp_chain_report(c, P, report, TP_NOT_CONVERGED, "the limit of double precision was reached");
    }
    if (!c->has_sought_proof) {
        tp_status status = tp_chain_seek_proof(c, P, report);
        if (status != TP_NOT_CONVERGED) return status;
    }
    double *y = TP_STACK_ARRAY(stack, double, c->call->local->row_count);
    if (y == NULL || !tp_kinematic_certificate(c->call->local, stack, y)) {
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
static tp_status joints_as_unknowns(tp_chain *c, double *P, bool *is_solved_out)
{
    *is_solved_out = false;
    if (tp_chain_is_exhausted(c)) return TP_OK;
    tp_solver_options options = remaining_options(c);
    tp_solve_call call = {c->call->problem, NULL, &options, c->call->stack};
    tp_report report = {.status = TP_NOT_CONVERGED};
    tp_absorbed_answer answer;
    TP_TRY(tp_solve_absorbed(&call, TP_ABSORB_ALL, P, NULL, &report, &answer));
    c->sweeps.work += answer.work;
    c->joint_free_count = answer.iterations;
    tp_sweeps_judge(&c->sweeps, P);
    /* the judge of the chain passes through G and may see more rounding */
    bool is_good = c->sweeps.best_error <= fmax(c->sweeps.aim, options.enough) || tp_chain_is_near_floor(c);
    *is_solved_out = answer.is_solved && is_good;
    return TP_OK;
}

/* Where there are joints: plain Newton steps, then joints as unknowns. TP_NOT_CONVERGED: *goes_on_out says
   whether there is more to try. */
static tp_status solve_with_joints(tp_chain *c, double *P, tp_report *report, bool *goes_on_out)
{
    bool is_solved;
    *goes_on_out = false;
    c->last = tp_solver_proximal_newton.info.name;
    tp_status status = plain_newton(c, P);
    if (status == TP_OUT_OF_MEMORY) return status;
    if (status == TP_OK) return tp_chain_solved(c, P, report);
    if (tp_chain_is_at_floor(c) && c->call->options->floor_factor > 0.0)
        return tp_chain_report(c, P, report, TP_OK, "solved up to rounding");
    if (tp_chain_is_near_floor(c))
        return tp_chain_report(c, P, report, TP_NOT_CONVERGED, "the limit of double precision was reached");
    TP_TRY(joints_as_unknowns(c, P, &is_solved));
    *goes_on_out = !is_solved;
    if (!is_solved) return TP_NOT_CONVERGED;
    if (c->sweeps.best_error <= c->sweeps.aim) return tp_chain_solved(c, P, report);
    return tp_chain_report(c, P, report, TP_NOT_CONVERGED, "the limit of double precision was reached");
}

/* P = 0 is a solution, perhaps only because errors of such small data are absolute (theory/problems.md (8)):
   a light load on a heavy body moves it by less than rounding noise of velocities, yet its contact carries
   it. A few sweeps find that impulse; where they do not, nothing is lost. */
static tp_status solve_small_data(tp_chain *c, double *P, tp_report *report)
{
    const tp_local *local = c->call->local;
    double size = tp_dense_norm(local->row_count, local->c), aim = c->sweeps.aim, error;
    if (local->at_rounding && size > c->call->options->noise && c->sweeps.best_error > aim * size) {
        c->sweeps.aim = aim * size;
        tp_chain_sweep(c, 1.0, SMALL_DATA_SWEEPS, SMALL_DATA_SWEEPS, P, &error);
        c->sweeps.aim = aim;
        return tp_chain_solved(c, P, report);
    }
    return tp_chain_report(c, P, report, TP_OK, "P = 0 is a solution");
}

/* A guess may be further above the rounding floor than an answer: else problems that hardly change, as in a
   scene at rest, would be solved again and again for a last bit. */
static bool is_good_guess(const tp_chain *c)
{
    const tp_solver_options *options = c->call->options;
    tp_floor floor = tp_floor_at(c->call->local, c->sweeps.best, options->noise);
    double good = fmin(tp_guess_roundings * tp_floor_sum(floor), tp_accepted_by(options, floor));
    return options->floor_factor > 0.0 && c->sweeps.best_error <= good;
}

static tp_status solve_auto(const tp_solve_call *call, double *P, tp_report *report)
{
    const tp_local *local = call->local;
    tp_chain c = {.call = call, .random = 20201ull, .last = "auto"};
    TP_TRY(tp_sweeps_init(&c.sweeps, local, call->stack));
    c.order = TP_STACK_ARRAY(call->stack, int, local->set_count);
    double *start = TP_STACK_ARRAY(call->stack, double, local->row_count);
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    tp_sweeps_aim(&c.sweeps, call->options, aim_factor);
    bool has_work = call->options->work_limit > 0.0;
    c.sweeps.work_limit = tp_chain_work_limit(call->options);
    c.sweeps.sweep_limit = has_work ? LONGEST_STALL : MOST_ITERATIONS;
    if (call->options->max_iterations > 0) c.sweeps.sweep_limit = call->options->max_iterations;

    /* The guess is used only if it is better than nothing. */
    memcpy(start, P, (size_t)local->row_count * sizeof(double));
    memset(P, 0, (size_t)local->row_count * sizeof(double));
    c.sweeps.best_error =
        tp_local_error_at(local, P, local->c, NULL); /* xi = c at P = 0; best is 0 already */
    if (c.sweeps.best_error <= c.sweeps.aim) return solve_small_data(&c, P, report);
    if (call->options->warm_start) {
        double at_zero = c.sweeps.best_error;
        tp_sweeps_project(local, start);
        if (tp_sweeps_judge(&c.sweeps, start) < at_zero)
            memcpy(P, start, (size_t)local->row_count * sizeof(double));
        if (c.sweeps.best_error <= c.sweeps.aim)
            return tp_chain_report(&c, P, report, TP_OK, "the guess is a solution");
        if (is_good_guess(&c))
            return tp_chain_report(&c, P, report, TP_OK, "the guess is a solution up to rounding");
    }
    if (has_joints(local)) {
        bool goes_on;
        tp_status status = solve_with_joints(&c, P, report, &goes_on);
        if (!goes_on) return status;
    }
    if (is_small_and_scalar(local)) {
        if (few_sweeps(&c, P)) return tp_chain_solved(&c, P, report);
        report->solver = tp_solver_mlcp.info.name;
        tp_status status = tp_solver_mlcp.solve(call, P, report);
        if (status == TP_OK || status == TP_INFEASIBLE || status == TP_OUT_OF_MEMORY) return status;
        tp_sweeps_judge(&c.sweeps, P);
        if (tp_chain_is_at_floor(&c))
            return tp_chain_report(&c, P, report, TP_NOT_CONVERGED,
                                   "the limit of double precision was reached");
    }
    tp_status status = is_sharp(call) && !has_joints(local) ? tp_chain_search(&c, P) : TP_NOT_CONVERGED;
    if (status == TP_OK) return tp_chain_solved(&c, P, report);
    if (status == TP_OUT_OF_MEMORY) return status;
    status = alternate(&c, P, report);
    if (status == TP_NOT_CONVERGED && !is_sharp(call) && local->set_count <= LARGE &&
        !tp_chain_is_exhausted(&c)) {
        status = tp_chain_search(&c, P); /* the last digits */
        if (status == TP_OK) return tp_chain_solved(&c, P, report);
        if (status == TP_SINGULAR) status = TP_NOT_CONVERGED;
    }
    if (status == TP_NOT_CONVERGED && call->options->floor_factor > 0.0 && tp_chain_is_at_floor(&c))
        return tp_chain_report(&c, P, report, TP_OK, "solved up to rounding");
    return status == TP_NOT_CONVERGED ? look_for_proof(&c, P, report) : status;
}

const tp_solver tp_solver_auto = {
    {"auto", "the default chain: accelerated Gauss-Seidel, proximal Newton, certificates", true},
    TP_ACCEPT_ALL,
    false,
    solve_auto,
};
