/* The default: a chain of solvers that ends with an answer whose E is below the tolerance, a certificate that
   there is none, or the plain statement that it did not converge; theory/solvers.md (28). */
#include "absorbed.h"
#include "accelerated.h"
#include "farkas.h"
#include "frictionless_proof.h"
#include "proximal_newton.h"
#include "searched_newton.h"
#include "solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PIVOTING_ROWS = 400, /* problems of scalar rows up to this size go through the MLCP solver first */
    LARGE = 1000,        /* contacts: momentum is capped from the start and restarts are cold */
    SLICES = 40,
    MOST_ITERATIONS = 1000000, /* what a million sweeps have not solved, more do not solve either */
    PLAIN_STEPS = 20,
    FEW_SWEEPS = 4,
    REFINEMENTS = 4,
    SEARCHED_PATIENCE = 5, /* Newton steps without a halving of the residuals */
    SHORT_SLICE = 30,      /* sweeps of the first slice where Newton's method comes first; they double */
    DOUBLINGS = 6,
    EXCURSION = 100,   /* Newton steps, in every third slice from the second on */
    SMALL_STALL = 200, /* sweeps without a halving of E */
    LARGE_STALL = 10000,
    LONGEST_STALL = 1000000000 /* forty doublings would leave the range of int */
};

static const double default_work = 2e9; /* block products: about half a minute */

/* Below this E a large problem is in the basin of a solution, which a cold restart would lose. */
static const double close_error = 1e-5;

/* An E that is still above the first of these when the first sweeps end, or above the second after Newton's
   method has failed, may stay there for ever; what a proof may cost then, in multiples of what was spent. */
static const double suspicious_error = 1e-3, stuck_error = 1e-6, proof_share = 3.0;

/* Of rho, in plain steps as long as they are quick: rounding then leaves reactions of least norm, up to a
   part eps / shift. */
static const double least_norm_shift = 1e-8, quick = 1e-3;
/* Of rho, in Newton steps with a line search: where forces can be shared in many ways, they stay what they
   are up to eps / shift, and so does the motion of bodies that slide on them. */
static const double gentle_shift = 1e-4;
static const double tiny_shift = 1e-12; /* of rho: keeps redundant rows regular         */
static const double runaway = 1e6;      /* growth of E at which plain Newton steps end   */

/* Redundant joints whose rows are off by rounding leave an error above the floor that nothing improves. */
static const double near_floor = 25.0, stagnant = 0.99;

/* The answer must pass a judge that sums in another order. */
static const double aim_factor = 0.95;

/* A guess may be so much further above the rounding floor than an answer: else problems that hardly change,
   as in a scene at rest, would be solved again and again for a last bit. */
static const double guess_factor = 3.0;

/* Sweeps gain digits one by one, Newton's method all at once: below this tolerance it comes first, if there
   is a guess. */
static const double sharp_tolerance = 1e-11;

typedef struct chain {
    const tp_solve_call *call;
    tp_sweeps sweeps;
    tp_proximal proximal;
    bool has_proximal, has_sought_proof;
    double aside_work;    /* of searches that do not change the way of the chain */
    int joint_free_count; /* iterations of the laws that are left where joints became unknowns */
    int *order;
    unsigned long long random;
    const char *last; /* the solver at work */
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
    report->iterations =
        c->sweeps.sweep_count + (c->has_proximal ? c->proximal.step_count : 0) + c->joint_free_count;
    report->work = c->sweeps.work + c->aside_work;
    report->solver = c->last;
    int length = snprintf(report->reason, sizeof report->reason, "%s (%d sweeps, %d Newton steps)", reason,
                          c->sweeps.sweep_count, c->has_proximal ? c->proximal.step_count : 0);
    if (c->joint_free_count > 0 && length > 0 && (size_t)length < sizeof report->reason)
        snprintf(report->reason + length, sizeof report->reason - (size_t)length,
                 " and %d iterations with joints as unknowns", c->joint_free_count);
    return status;
}

/* E that rounding leaves at the best point. */
static double rounding_floor(const chain *c)
{
    return tp_sweeps_floor(&c->sweeps, c->sweeps.best) / c->sweeps.floor_factor;
}

static bool is_at_floor(const chain *c)
{
    return c->sweeps.best_error <= tp_sweeps_floor(&c->sweeps, c->sweeps.best);
}

static bool is_near_floor(const chain *c)
{
    return c->sweeps.best_error <= near_floor * tp_sweeps_floor(&c->sweeps, c->sweeps.best);
}

static tp_status take_newton(chain *c)
{
    if (c->has_proximal) return TP_OK;
    TP_TRY(tp_proximal_init(&c->proximal, &c->sweeps, c->call->local, c->call->stack));
    c->has_proximal = true;
    return TP_OK;
}

static bool has_joints(const tp_local *local)
{
    for (int i = 0; i < local->set_count; i++) {
        if (local->sets[i].kind == TP_SET_FREE) return true;
    }
    return false;
}

/* Joints couple many rows at once, which sweeps see one by one: plain Newton steps first. They take redundant
   joints in their stride and find the reactions of least norm when they start from 0. */
static tp_status plain_newton(chain *c, double *P)
{
    const tp_local *local = c->call->local;
    TP_TRY(take_newton(c));
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
        if (is_at_floor(c) && error >= before) break;
        if (is_near_floor(c) && error >= stagnant * before) break;
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

static bool is_exhausted(const chain *c)
{
    return c->sweeps.sweep_count + c->proximal.step_count + c->joint_free_count >= c->sweeps.sweep_limit ||
           c->sweeps.work >= c->sweeps.work_limit;
}

/* Newton steps with a line search as long as they pay, from P; P becomes the best point. */
static tp_status searched_newton(chain *c, double *P)
{
    const tp_local *local = c->call->local;
    tp_searched_newton newton;
    TP_TRY(take_newton(c));
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    TP_TRY(tp_searched_newton_init(&newton, &c->proximal.system, gentle_shift, c->call->stack));
    c->last = tp_solver_alart_curnier.info.name;
    c->proximal.system.refinements = REFINEMENTS;
    tp_searched_newton_begin(&newton, P);
    double reference = newton.merit;
    tp_status status = TP_NOT_CONVERGED;
    for (int since = 0; since < SEARCHED_PATIENCE && !is_exhausted(c); since++) {
        status = tp_searched_newton_step(&newton, c->call->stack, P);
        c->proximal.step_count++;
        c->sweeps.work += newton.system->work + 2.0 * local->G->block_count;
        if (status != TP_OK) break;
        if (tp_sweeps_judge(&c->sweeps, P) <= c->sweeps.aim) break;
        status = TP_NOT_CONVERGED;
        if (is_at_floor(c)) break;
        if (newton.merit < 0.25 * reference) {
            reference = newton.merit;
            since = 0;
        }
    }
    c->proximal.system.refinements = 0;
    memcpy(P, c->sweeps.best, (size_t)local->row_count * sizeof(double));
    tp_stack_release(c->call->stack, mark);
    return status;
}

/* At most so many sweeps; those that end for that reason have stalled. */
static tp_sweep_end slice_of_sweeps(chain *c, double cap, double stall, int count, double *P, double *error)
{
    int limit = c->sweeps.sweep_limit;
    c->last = tp_solver_accelerated.info.name;
    if (limit - c->sweeps.sweep_count > count) c->sweeps.sweep_limit = c->sweeps.sweep_count + count;
    tp_sweep_end end = tp_sweeps_run(&c->sweeps, cap, (int)stall, P, error);
    c->sweeps.sweep_limit = limit;
    bool goes_on = c->sweeps.sweep_count < limit && c->sweeps.work < c->sweeps.work_limit;
    return end == TP_SWEEP_LIMIT && goes_on ? TP_SWEEP_STALLED : end;
}

/* Newton steps with a line search as `alart-curnier` takes them: from 0, then from where sweeps in other
   orders lead. They find solutions where friction is so large that sweeps and proximal steps go round in
   circles. If they do not, the chain goes on from its own points. */
static tp_status excursion(chain *c, const double *from)
{
    size_t bytes = (size_t)c->call->local->row_count * sizeof(double);
    tp_stack *stack = c->call->stack;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_sweeps aside = c->sweeps;
    tp_searched_newton newton;
    int returns = 0;
    double *P = TP_STACK_ARRAY(stack, double, c->call->local->row_count);
    aside.best = TP_STACK_ARRAY(stack, double, c->call->local->row_count);
    tp_status status = P == NULL || aside.best == NULL ? TP_OUT_OF_MEMORY : TP_OK;
    if (status == TP_OK) status = tp_searched_newton_init(&newton, &c->proximal.system, tiny_shift, stack);
    if (status == TP_OK) {
        memset(P, 0, bytes);
        if (from != NULL) memcpy(P, from, bytes);
        status =
            tp_searched_newton_run(&newton, &aside, EXCURSION, stack, P, &c->proximal.step_count, &returns);
        c->aside_work += aside.work - c->sweeps.work;
    }
    if (status == TP_OK) {
        memcpy(c->sweeps.best, aside.best, bytes);
        c->sweeps.best_error = aside.best_error;
    }
    tp_stack_release(stack, mark);
    return status;
}

/* A cold start in another order draws the basin anew. */
static void start_anew(chain *c, double *P)
{
    shuffle(c);
    memset(P, 0, (size_t)c->call->local->row_count * sizeof(double));
}

static tp_status report_proof(chain *c, double *P, tp_report *report, const double *y)
{
    report_end(c, P, report, TP_INFEASIBLE, "");
    tp_certificate_text(c->call->local->row_count, y, report->reason, sizeof report->reason);
    return TP_INFEASIBLE;
}

/* Do bodies come together whatever the impulses do? */
static tp_status seek_proof(chain *c, double *P, tp_report *report)
{
    tp_stack_mark mark = tp_stack_mark_now(c->call->stack);
    double *y = TP_STACK_ARRAY(c->call->stack, double, c->call->local->row_count);
    tp_status status = TP_OUT_OF_MEMORY;
    c->has_sought_proof = true;
    if (y != NULL)
        status = tp_frictionless_proof(c->call->local, proof_share * c->sweeps.work, c->call->stack, y,
                                       &c->aside_work);
    if (status == TP_OK) status = report_proof(c, P, report, y);
    tp_stack_release(c->call->stack, mark);
    return status;
}

/* Sweeps and Newton steps in turn. */
typedef struct alternation {
    int slice;
    bool is_large, is_sharp;
    bool is_over; /* nothing better is to be expected */
    double stall; /* sweeps without a halving of E that end a slice */
    double tried; /* the best E when Newton's method began last     */
    double error; /* E of P                                         */
} alternation;

static tp_status solved(chain *c, double *P, tp_report *report)
{
    return report_end(c, P, report, TP_OK, "E is below the tolerance");
}

/* Proximal steps from P. As all the turns below: TP_NOT_CONVERGED if the chain goes on. */
static tp_status proximal_turn(chain *c, alternation *a, double *P, tp_report *report)
{
    a->tried = c->sweeps.best_error;
    c->last = tp_solver_proximal_newton.info.name;
    tp_newton_end end = tp_proximal_run(&c->proximal, c->call->stack, P, &a->error);
    if (end == TP_NEWTON_CONVERGED) return solved(c, P, report);
    if (end == TP_NEWTON_INFEASIBLE)
        return report_end(c, P, report, TP_INFEASIBLE,
                          "no impulse satisfies the laws: y with G^T y = 0 and c.y < 0 was found");
    a->is_over = end == TP_NEWTON_LIMIT || is_at_floor(c);
    return TP_NOT_CONVERGED;
}

static tp_status excursion_turn(chain *c, const alternation *a, double *P, tp_report *report)
{
    bool is_due = a->slice % 3 == 1 && !a->is_large && c->sweeps.best_error > stuck_error;
    if (!is_due) return TP_NOT_CONVERGED;
    tp_status status = excursion(c, a->slice == 1 ? NULL : P);
    if (status != TP_OK) return status == TP_OUT_OF_MEMORY ? status : TP_NOT_CONVERGED;
    c->last = tp_solver_alart_curnier.info.name;
    return solved(c, P, report);
}

/* From the best point, unless Newton's method has failed there already: the sweeps then lead away. */
static tp_status newton_turn(chain *c, alternation *a, double *P, tp_report *report)
{
    size_t bytes = (size_t)c->call->local->row_count * sizeof(double);
    bool is_trapped = c->sweeps.best_error > 0.5 * a->tried;
    TP_TRY(take_newton(c));
    a->is_over = is_trapped && c->sweeps.best_error <= c->call->options->enough;
    if (a->is_over) return TP_NOT_CONVERGED;
    if (!is_trapped) memcpy(P, c->sweeps.best, bytes);
    if (a->is_sharp && !is_trapped && a->slice > 0) {
        tp_status status = searched_newton(c, P);
        if (status == TP_OUT_OF_MEMORY) return status;
        if (status == TP_OK) return solved(c, P, report);
        a->is_over = is_at_floor(c);
        if (a->is_over) return TP_NOT_CONVERGED;
    }
    tp_status status = proximal_turn(c, a, P, report);
    if (status == TP_NOT_CONVERGED && !a->is_over) status = excursion_turn(c, a, P, report);
    if (status != TP_NOT_CONVERGED || a->is_over) return status;
    if (is_trapped && a->is_sharp) {
        start_anew(c, P);
        return TP_NOT_CONVERGED;
    }
    if (a->error > 2.0 * c->sweeps.best_error && !is_trapped) memcpy(P, c->sweeps.best, bytes);
    a->stall = a->is_large ? 1.5 * a->stall : fmax(2.0 * a->stall, 0.3 * c->sweeps.sweep_count);
    a->stall = fmin(a->stall, LONGEST_STALL);
    return TP_NOT_CONVERGED;
}

static tp_status sweeping_turn(chain *c, alternation *a, double *P, tp_report *report)
{
    static const double small_caps[] = {1.0, 0.85, 0.8, 0.9, 0.7, 0.95},
                        large_caps[] = {0.8, 0.8, 0.75, 0.8, 0.85, 0.7};
    double cap = a->is_large ? large_caps[a->slice % 6] : small_caps[a->slice % 6];
    int count = a->is_sharp ? SHORT_SLICE << (a->slice < DOUBLINGS ? a->slice : DOUBLINGS) : LONGEST_STALL;
    tp_sweep_end end = a->is_sharp && a->slice == 0 ? TP_SWEEP_STALLED
                                                    : slice_of_sweeps(c, cap, a->stall, count, P, &a->error);
    if (end == TP_SWEEP_CONVERGED) return solved(c, P, report);
    a->is_over = end == TP_SWEEP_LIMIT || end == TP_SWEEP_FLOOR;
    double doubtful = a->slice == 0 ? suspicious_error : stuck_error;
    if (a->is_over || c->has_sought_proof || c->sweeps.best_error <= doubtful) return TP_NOT_CONVERGED;
    return seek_proof(c, P, report);
}

/* theory/solvers.md (28). */
static tp_status alternate(chain *c, double *P, tp_report *report)
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
            start_anew(c, P);
            continue;
        }
        if (is_at_floor(c)) break;
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
static bool few_sweeps(chain *c, double *P)
{
    double error;
    return slice_of_sweeps(c, 1.0, FEW_SWEEPS, FEW_SWEEPS, P, &error) == TP_SWEEP_CONVERGED;
}

/* The chain found nothing: a proof that there is nothing, by the problem without friction or, if it is small
   enough, by a linear programme. */
static tp_status look_for_proof(chain *c, double *P, tp_report *report)
{
    tp_stack *stack = c->call->stack;
    if (is_at_floor(c)) {
        return report_end(c, P, report, TP_NOT_CONVERGED, "the limit of double precision was reached");
    }
    if (!c->has_sought_proof) {
        tp_status status = seek_proof(c, P, report);
        if (status != TP_NOT_CONVERGED) return status;
    }
    double *y = TP_STACK_ARRAY(stack, double, c->call->local->row_count);
    if (y == NULL || !tp_kinematic_certificate(c->call->local, stack, y)) {
        return report_end(c, P, report, TP_NOT_CONVERGED, "the limit was reached");
    }
    return report_proof(c, P, report, y);
}

/* What is left of the limits. */
static tp_solver_options remaining_options(const chain *c)
{
    tp_solver_options options = *c->call->options;
    options.work_limit = c->sweeps.work_limit - c->sweeps.work;
    if (options.max_iterations > 0) options.max_iterations -= c->sweeps.sweep_count + c->proximal.step_count;
    return options;
}

/* Joints as unknowns, from P: sweeps see joints and contacts one by one and would take long; the laws that
   are left are those of bodies that the joints have made one; theory/problems.md (17). */
static tp_status joints_as_unknowns(chain *c, double *P, bool *is_solved_out)
{
    *is_solved_out = false;
    if (is_exhausted(c)) return TP_OK;
    tp_solver_options options = remaining_options(c);
    tp_solve_call call = {c->call->problem, NULL, &options, c->call->stack};
    tp_report report = {.status = TP_NOT_CONVERGED};
    tp_absorbed_answer answer;
    TP_TRY(tp_solve_absorbed(&call, TP_ABSORB_ALL, P, NULL, &report, &answer));
    c->sweeps.work += answer.work;
    c->joint_free_count = answer.iterations;
    tp_sweeps_judge(&c->sweeps, P);
    /* the judge of the chain passes through G and may see more rounding */
    bool is_good = c->sweeps.best_error <= fmax(c->sweeps.aim, options.enough) || is_near_floor(c);
    *is_solved_out = answer.is_solved && is_good;
    return TP_OK;
}

/* Where there are joints: plain Newton steps, then joints as unknowns. TP_NOT_CONVERGED: *goes_on_out says
   whether there is more to try. */
static tp_status solve_with_joints(chain *c, double *P, tp_report *report, bool *goes_on_out)
{
    bool is_solved;
    *goes_on_out = false;
    c->last = tp_solver_proximal_newton.info.name;
    tp_status status = plain_newton(c, P);
    if (status == TP_OUT_OF_MEMORY) return status;
    if (status == TP_OK) return solved(c, P, report);
    if (is_at_floor(c) && c->call->options->floor_factor > 0.0)
        return report_end(c, P, report, TP_OK, "solved up to rounding");
    if (is_near_floor(c))
        return report_end(c, P, report, TP_NOT_CONVERGED, "the limit of double precision was reached");
    TP_TRY(joints_as_unknowns(c, P, &is_solved));
    *goes_on_out = !is_solved;
    if (!is_solved) return TP_NOT_CONVERGED;
    if (c->sweeps.best_error <= c->sweeps.aim) return solved(c, P, report);
    return report_end(c, P, report, TP_NOT_CONVERGED, "the limit of double precision was reached");
}

static tp_status solve_auto(const tp_solve_call *call, double *P, tp_report *report)
{
    const tp_local *local = call->local;
    chain c = {.call = call, .random = 20201ull, .last = "auto"};
    TP_TRY(tp_sweeps_init(&c.sweeps, local, call->stack));
    c.order = TP_STACK_ARRAY(call->stack, int, local->set_count);
    double *start = TP_STACK_ARRAY(call->stack, double, local->row_count);
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    tp_sweeps_aim(&c.sweeps, call->options, aim_factor);
    bool has_work = call->options->work_limit > 0.0;
    c.sweeps.work_limit = has_work ? call->options->work_limit : default_work;
    c.sweeps.sweep_limit = has_work ? LONGEST_STALL : MOST_ITERATIONS;
    if (call->options->max_iterations > 0) c.sweeps.sweep_limit = call->options->max_iterations;

    /* The guess is used only if it is better than nothing. */
    memcpy(start, P, (size_t)local->row_count * sizeof(double));
    memset(P, 0, (size_t)local->row_count * sizeof(double));
    c.sweeps.best_error =
        tp_local_error_at(local, P, local->c, NULL); /* xi = c at P = 0; best is 0 already */
    if (c.sweeps.best_error <= c.sweeps.aim) return report_end(&c, P, report, TP_OK, "P = 0 is a solution");
    if (call->options->warm_start) {
        double at_zero = c.sweeps.best_error;
        tp_sweeps_project(local, start);
        if (tp_sweeps_judge(&c.sweeps, start) < at_zero)
            memcpy(P, start, (size_t)local->row_count * sizeof(double));
        if (c.sweeps.best_error <= c.sweeps.aim)
            return report_end(&c, P, report, TP_OK, "the guess is a solution");
        if (c.sweeps.best_error <= guess_factor * call->options->floor_factor * rounding_floor(&c))
            return report_end(&c, P, report, TP_OK, "the guess is a solution up to rounding");
    }
    if (has_joints(local)) {
        bool goes_on;
        tp_status status = solve_with_joints(&c, P, report, &goes_on);
        if (!goes_on) return status;
    }
    if (is_small_and_scalar(local)) {
        if (few_sweeps(&c, P)) return solved(&c, P, report);
        report->solver = tp_solver_mlcp.info.name;
        tp_status status = tp_solver_mlcp.solve(call, P, report);
        if (status == TP_OK || status == TP_INFEASIBLE || status == TP_OUT_OF_MEMORY) return status;
        tp_sweeps_judge(&c.sweeps, P);
    }
    tp_status status = is_sharp(call) && !has_joints(local) ? searched_newton(&c, P) : TP_NOT_CONVERGED;
    if (status == TP_OK) return solved(&c, P, report);
    if (status == TP_OUT_OF_MEMORY) return status;
    status = alternate(&c, P, report);
    if (status == TP_NOT_CONVERGED && !is_sharp(call) && local->set_count <= LARGE && !is_exhausted(&c)) {
        status = searched_newton(&c, P); /* the last digits */
        if (status == TP_OK) return solved(&c, P, report);
        if (status == TP_SINGULAR) status = TP_NOT_CONVERGED;
    }
    if (status == TP_NOT_CONVERGED && call->options->floor_factor > 0.0 && is_at_floor(&c))
        return report_end(&c, P, report, TP_OK, "solved up to rounding");
    return status == TP_NOT_CONVERGED ? look_for_proof(&c, P, report) : status;
}

const tp_solver tp_solver_auto = {
    {"auto", "the default chain: accelerated Gauss-Seidel, proximal Newton, certificates", true},
    TP_ACCEPT_ALL,
    false,
    solve_auto,
};
