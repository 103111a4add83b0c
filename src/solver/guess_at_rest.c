/* The guess of a scene at rest, judged before anything is made; theory/solvers.md (28h). */
#include "guess_at_rest.h"

#include "diagonal.h"
#include "form_sweeps.h"
#include "judge.h"
#include "math/dense.h"
#include "solver/sweeps/accelerated.h"
#include "step_at_rest.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

static bool has_same_pattern(const tp_sparse *A, const tp_sparse *B)
{
    if (A->index == B->index) return true;
    size_t count = (size_t)A->start[A->cols];
    return count == (size_t)B->start[B->cols] && memcmp(A->index, B->index, count * sizeof(int)) == 0 &&
           memcmp(A->start, B->start, (size_t)(A->cols + 1) * sizeof(int)) == 0;
}

static bool is_suitable(const tp_solve_call *call)
{
    const tp_problem *problem = call->problem;
    if (problem->x_count == 0 || !call->options->warm_start || call->is_cold) return false;
    if (call->options->branch != TP_BRANCH_LOADED) return false;
    if (call->options->tolerance >= tp_form_tolerance) return false; /* coarse ones creep, they do not rest */
    for (int i = 0; i < problem->set_count; i++) {
        if (problem->sets[i].kind != TP_SET_CONTACT) return false;
    }
    return has_same_pattern(&problem->A, &problem->Ct);
}

/* Do the contacts that the guess loads stay closed? */
static bool stay_closed(const tp_problem *problem, const double *P, const double *xi, const double *c)
{
    double most = tp_rest_velocity * tp_dense_norm(problem->row_count, c);
    for (int i = 0; i < problem->set_count; i++) {
        int row = problem->sets[i].first;
        if (P[row] > 0.0 && !(fabs(xi[row]) <= most)) return false;
    }
    return true;
}

typedef struct trial {
    double *mass, *x, *c, *xi, *P;
    double error;
    int steps; /* Newton steps that led to P */
} trial;

/* Is a contact so far from staying apart by itself that P = 0 cannot be a solution? */
static bool needs_impulses(const tp_local *local, const double *c, double aim)
{
    for (int i = 0; i < local->set_count; i++) {
        if (-c[local->sets[i].first] > aim * local->scale) return true;
    }
    return false;
}

static double error_at(const tp_solve_call *call, const tp_local *local, const double *P, trial *t)
{
    tp_diagonal_move(call->problem, t->mass, P, t->x, t->xi);
    return tp_local_error_at(local, P, t->xi, NULL);
}

/* As the stages "zero" and "guess" of the chain, which have the projected guess in t->P and its velocities in
   t->xi: P = 0 comes first, and a solution keeps its bits. */
static bool is_answer(const tp_solve_call *call, const tp_local *local, const double *P, trial *t)
{
    size_t bytes = (size_t)local->row_count * sizeof(double);
    double aim = tp_form_aim(call->options);
    if (local->at_rounding || !needs_impulses(local, t->c, aim)) return false;
    t->error = tp_local_error_at(local, t->P, t->xi, NULL);
    if (t->error <= aim && memcmp(t->P, P, bytes) != 0) {
        double error = error_at(call, local, P, t);
        if (error <= aim) {
            t->error = error;
            memcpy(t->P, P, bytes);
        } else {
            t->error = error_at(call, local, t->P, t);
        }
    }
    return t->error <= aim || tp_form_is_good_guess(call->problem, local, t->P, t->error, call->options);
}

/* A guess that is nearly the answer, by one Newton step in which the contacts that it loads stick, (28k). */
static tp_status step(const tp_solve_call *call, const tp_local *local, trial *t, bool *is_over)
{
    if (tp_form_has_margin(call->options)) return TP_OK; /* a few sweeps are cheaper */
    if (!(t->error <= tp_rest_velocity)) return TP_OK;   /* or there is none */
    tp_status status = tp_step_at_rest(call->problem, local, call->stack, t->xi, t->P);
    if (status == TP_UNSUPPORTED || status == TP_SINGULAR) return TP_OK; /* the chain has its turn */
    TP_TRY(status);
    t->steps = 1;
    t->error = error_at(call, local, t->P, t);
    double floor = tp_floor_sum(tp_floor_at(local, t->P, call->options->noise));
    *is_over = t->error <= fmax(tp_form_aim(call->options), call->options->floor_factor * floor);
    return TP_OK;
}

/* A guess that is an answer at a loose tolerance takes the same step: what it lacks would add up over the
   steps of a scene at rest, and be taken back at more cost. It stays where the step is no better. */
static tp_status step_from_answer(const tp_solve_call *call, const tp_local *local, trial *t)
{
    size_t bytes = (size_t)local->row_count * sizeof(double);
    double error = t->error, *P = TP_STACK_ARRAY(call->stack, double, local->row_count);
    bool is_over;
    if (error <= tp_known_guess || tp_form_is_good_guess(call->problem, local, t->P, error, call->options))
        return TP_OK; /* sharp tolerances take it as well */
    if (P == NULL) return TP_OUT_OF_MEMORY;
    memcpy(P, t->P, bytes);
    TP_TRY(step(call, local, t, &is_over));
    if (t->steps == 0 || t->error < error) return TP_OK;
    memcpy(t->P, P, bytes);
    t->error = error_at(call, local, t->P, t);
    t->steps = 0;
    return TP_OK;
}

static void report_answer(const tp_solve_call *call, const tp_local *local, const trial *t, tp_part *part,
                          double *x_out, tp_report *report)
{
    size_t bytes = (size_t)local->row_count * sizeof(double);
    report->solver = tp_solver_auto.info.name;
    report->iterations = t->steps;
    report->work = call->problem->set_count;
    tp_report_end(report, TP_OK,
                  t->steps > 0 ? "one Newton step of contacts that stick" : "the guess is a solution");
    tp_judge(tp_rule_of(call->options), TP_OK, t->error, tp_floor_at(local, t->P, call->options->noise),
             report);
    if (x_out != NULL) memcpy(x_out, t->x, (size_t)call->problem->x_count * sizeof(double));
    if (part == NULL) return;
    part->local = *local;
    memcpy(part->c, t->c, bytes);
    memcpy(part->xi, t->xi, bytes);
}

static tp_status run(const tp_solve_call *call, tp_part *part, double *P, double *x_out, tp_report *report,
                     bool *is_over)
{
    const tp_problem *problem = call->problem;
    size_t rows = (size_t)problem->row_count, n = (size_t)problem->x_count;
    tp_local local;
    trial t = {.error = INFINITY, .mass = TP_STACK_ARRAY(call->stack, double, 2 * n)};
    t.c = TP_STACK_ARRAY(call->stack, double, 3 * rows);
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    t.x = t.mass + n;
    t.xi = t.c + rows;
    t.P = t.xi + rows;
    if (!tp_diagonal_take(&problem->M, t.mass)) return TP_OK;
    tp_diagonal_move(problem, t.mass, NULL, t.x, t.c);
    memcpy(t.P, P, rows * sizeof(double));
    tp_sweeps_project(&(tp_local){.set_count = problem->set_count, .sets = problem->sets}, t.P);
    tp_diagonal_move(problem, t.mass, t.P, t.x, t.xi);
    if (!stay_closed(problem, t.P, t.xi, t.c)) return TP_OK;
    TP_TRY(tp_diagonal_measure(problem, t.mass, t.c, call->stack, &local));
    *is_over = is_answer(call, &local, P, &t);
    TP_TRY(*is_over ? step_from_answer(call, &local, &t) : step(call, &local, &t, is_over));
    if (!*is_over) return TP_OK;
    memcpy(P, t.P, rows * sizeof(double));
    report_answer(call, &local, &t, part, x_out, report);
    return TP_OK;
}

tp_status tp_try_guess_at_rest(const tp_solve_call *call, tp_part *part, double *P, double *x_out,
                               tp_report *report, bool *is_over_out)
{
    *is_over_out = false;
    if (!is_suitable(call)) return TP_OK;
    tp_stack_mark mark = tp_stack_mark_now(call->stack);
    tp_status status = run(call, part, P, x_out, report, is_over_out);
    tp_stack_release(call->stack, mark);
    return status;
}
