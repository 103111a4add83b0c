/* The front door of the solver layer: options, workspace, the call of one solver, and the judgement of its
 * answer. */
#include "absorbed.h"
#include "chain.h"
#include "held_joints.h"
#include "judge.h"
#include "solver/infeasible/farkas.h"
#include "solvers.h"
#include "tolerances.h"
#include "workspace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* E at which an answer is an engineering solution; finer levels cost more and are asked for. */
static const double default_tolerance = 1e-8;

tp_solver_options tp_solver_options_default(void)
{
    return (tp_solver_options){.tolerance = default_tolerance,
                               .relaxation = 1.0,
                               .exact_local = false,
                               .facets = 8,
                               .epsilon = 1.0,
                               .branch = TP_BRANCH_DEFAULT};
}

tp_status tp_workspace_create(const tp_allocator *allocator, tp_workspace **workspace_out)
{
    if (allocator == NULL) allocator = tp_allocator_default();
    tp_workspace *workspace = allocator->allocate(allocator->context, sizeof *workspace);
    *workspace_out = workspace;
    if (workspace == NULL) return TP_OUT_OF_MEMORY;
    workspace->allocator = allocator;
    tp_stack_init(&workspace->stack, allocator);
    return TP_OK;
}

void tp_workspace_free(tp_workspace *workspace)
{
    if (workspace == NULL) return;
    tp_stack_clear(&workspace->stack);
    workspace->allocator->release(workspace->allocator->context, workspace);
}

static tp_status fail(tp_report *report, tp_status status, const char *reason)
{
    report->status = status;
    snprintf(report->reason, sizeof report->reason, "%s", reason);
    return status;
}

static const char *wrong_option(const tp_solver_options *options)
{
    if (!(options->tolerance >= 0.0)) return "the tolerance must be a number >= 0";
    if (!(options->floor_factor >= 0.0)) return "the multiple of the rounding floor must be a number >= 0";
    if (!(options->enough >= 0.0)) return "the error that is enough must be a number >= 0";
    if (options->max_iterations < 0) return "the number of iterations must not be negative";
    if (!(options->noise >= 0.0)) return "the noise must be a number >= 0";
    if (!(options->work_limit >= 0.0)) return "the work limit must be a number >= 0";
    if (!(options->relaxation > 0.0 && options->relaxation <= 2.0))
        return "the relaxation must be above 0 and at most 2";
    if (options->facets < 2 || options->facets % 2 != 0 || options->facets > 4096) {
        return "the number of facets must be even, from 2 to 4096";
    }
    if (!(options->epsilon >= 0.0 && options->epsilon <= 1.0)) return "epsilon must lie between 0 and 1";
    return NULL;
}

static const char *wrong_set(const tp_solver *solver, const tp_problem *problem)
{
    for (int i = 0; i < problem->set_count; i++) {
        if (!(solver->accepts & TP_ACCEPT(problem->sets[i].kind)))
            return tp_set_kind_name(problem->sets[i].kind);
    }
    return NULL;
}

/* A guess that is not finite is no guess. */
static void make_start(const tp_problem *problem, const tp_solver_options *options, double *P)
{
    bool is_guess = options->warm_start;
    for (int i = 0; i < problem->row_count && is_guess; i++) is_guess = isfinite(P[i]);
    if (!is_guess) {
        for (int i = 0; i < problem->row_count; i++) P[i] = 0.0;
    }
}

/* The solver's own claim, put right by E. */
static void judge(const tp_solver_options *options, tp_floor floor, tp_report *report)
{
    report->floor = tp_floor_sum(floor);
    report->limit = tp_accepted_by(options, floor);
    bool is_solved = report->error <= report->limit;
    /* A point that satisfies the laws up to rounding refutes every proof that there is none: only the
     * tolerance was out of reach. */
    double refuting = fmin(tp_refuting_roundings * report->floor, tp_worst_accepted);
    if (report->status == TP_INFEASIBLE && report->error <= fmax(refuting, report->limit))
        fail(report, TP_NOT_CONVERGED, "the limit of double precision was reached");
    if (report->status == TP_OK && !is_solved) report->status = TP_NOT_CONVERGED;
    if (report->status == TP_NOT_CONVERGED && is_solved) report->status = TP_OK;
}

/* Squares and products of two such numbers do not leave the range of double precision. */
static bool in_range(double size)
{
    return size > 1e-120 && size < 1e120;
}

/* The state of P, with its joints closed (theory/problems.md (19)). The impulses that belong to it replace P
   unless they are a worse answer by more than rounding. */
static tp_status state_with_joints(const tp_problem *problem, const tp_local *local, tp_stack *stack,
                                   double *P, double *x_out, tp_report *report)
{
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    double *held = TP_STACK_ARRAY(stack, double, problem->row_count),
           *xi = TP_STACK_ARRAY(stack, double, problem->row_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memcpy(held, P, bytes);
    TP_TRY(tp_problem_state_with(problem, stack, P, x_out, NULL));
    TP_TRY(tp_hold_joints(problem, stack, held, x_out));
    double error = tp_local_error(local, held, xi, NULL);
    double rounding = tp_accepted_roundings * report->floor;
    if (!(error <= fmax(report->error + rounding, report->limit))) return TP_OK;
    memcpy(P, held, bytes);
    report->error = error;
    return TP_OK;
}

static tp_status run(const tp_problem *problem, const tp_solver *solver, const tp_solver_options *options,
                     tp_stack *stack, double *P, double *x_out, tp_report *report)
{
    tp_solver_options left = *options;
    tp_solve_call call = {problem, NULL, &left, stack};
    make_start(problem, options, P);
    if (solver == &tp_solver_auto) {
        tp_absorbed_answer answer;
        tp_status absorbed = tp_solve_absorbed(&call, TP_ABSORB_LARGE, P, x_out, report, &answer);
        if (absorbed != TP_OK) return fail(report, absorbed, tp_status_text(absorbed));
        if (answer.is_solved) {
            report->error = answer.error;
            judge(options, answer.floor, report);
            return report->status;
        }
        /* what it found is where the other ways begin */
        left.warm_start = left.warm_start || answer.is_better;
        if (answer.work > 0.0) left.work_limit = tp_chain_work_limit(options) - answer.work;
    }
    tp_local local;
    tp_status status = tp_local_form(problem, stack, &local);
    if (status == TP_SINGULAR) return fail(report, TP_INVALID_DATA, "the matrix M is singular");
    if (status != TP_OK) return fail(report, status, tp_status_text(status));

    call.local = &local;
    if (in_range(local.rho) && in_range(local.scale)) {
        report->status = solver->solve(&call, P, report);
    } else {
        report->status = TP_NOT_CONVERGED;
        snprintf(report->reason, sizeof report->reason,
                 "G is about %.0e and c about %.0e: choose units with numbers nearer to 1", local.rho,
                 local.scale);
    }

    /* A solver never judges itself. */
    double *xi = TP_STACK_ARRAY(stack, double, problem->row_count);
    if (xi == NULL) return fail(report, TP_OUT_OF_MEMORY, tp_status_text(TP_OUT_OF_MEMORY));
    report->error = tp_local_error(&local, P, xi, NULL);
    judge(options, tp_floor_at(&local, P, options->noise), report);
    if (x_out != NULL && problem->x_count > 0) {
        status = state_with_joints(problem, &local, stack, P, x_out, report);
        if (status != TP_OK) return fail(report, status, tp_status_text(status));
    }
    return report->status;
}

tp_status tp_solve(const tp_problem *problem, const char *name, const tp_solver_options *options,
                   tp_workspace *workspace, double *P, double *x_out, tp_report *report_out)
{
    tp_solver_options defaults = tp_solver_options_default();
    if (options == NULL) options = &defaults;
    *report_out =
        (tp_report){.solver = name != NULL ? name : "auto", .solution_count = -1, .error = INFINITY};
    const tp_solver *solver = tp_solver_by_name(name != NULL ? name : "auto");
    if (solver == NULL) return fail(report_out, TP_INVALID_ARGUMENT, "there is no solver of that name");
    report_out->solver = solver->info.name;
    const char *option = wrong_option(options);
    if (option != NULL) return fail(report_out, TP_INVALID_ARGUMENT, option);
    const char *set = wrong_set(solver, problem);
    if (set != NULL) {
        report_out->status = TP_UNSUPPORTED;
        snprintf(report_out->reason, sizeof report_out->reason,
                 "the solver '%s' does not accept laws of kind '%s'", solver->info.name, set);
        return TP_UNSUPPORTED;
    }

    if (solver->needs_global && problem->x_count == 0) {
        return fail(report_out, TP_UNSUPPORTED, "the problem has no unknowns x: it is in local form already");
    }

    tp_stack_mark mark = tp_stack_mark_now(&workspace->stack);
    /* of the stages of `auto` this one needs most, and comes in few steps of a motion: they find it there */
    if (solver == &tp_solver_auto)
        tp_stack_reserve(&workspace->stack, tp_certificate_memory(problem->row_count));
    tp_status status = run(problem, solver, options, &workspace->stack, P, x_out, report_out);
    tp_stack_release(&workspace->stack, mark);
    tp_stack_settle(&workspace->stack);
    report_out->memory = workspace->stack.high_water;
    if (report_out->reason[0] == '\0') {
        snprintf(report_out->reason, sizeof report_out->reason, "%s", tp_status_text(report_out->status));
    }
    return status;
}
