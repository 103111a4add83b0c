/* The front door of the solver layer: options, workspace, the call of one solver, and the judgement of its
 * answer. */
#include "absorbed.h"
#include "chain.h"
#include "form_sweeps.h"
#include "guess_at_rest.h"
#include "held_joints.h"
#include "islands.h"
#include "joints.h"
#include "judge.h"
#include "math/dense.h"
#include "solver/infeasible/farkas.h"
#include "solvers.h"
#include "tolerances.h"
#include "workspace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tp_solver_options tp_solver_options_default(void)
{
    return (tp_solver_options){.tolerance = tp_default_tolerance,
                               .relaxation = 1.0,
                               .exact_local = false,
                               .facets = 8,
                               .epsilon = 1.0,
                               .branch = TP_BRANCH_DEFAULT};
}

tp_status tp_workspace_create(const tp_allocator *allocator, tp_workspace **workspace_out)
{
    if (workspace_out == NULL) return TP_INVALID_ARGUMENT;
    if (allocator == NULL) allocator = tp_allocator_default();
    tp_workspace *workspace = allocator->allocate(allocator->context, sizeof *workspace);
    *workspace_out = workspace;
    if (workspace == NULL) return TP_OUT_OF_MEMORY;
    workspace->allocator = allocator;
    tp_stack_init(&workspace->stack, allocator);
    workspace->pool = workspace->own_pool = NULL;
    workspace->stacks = NULL;
    workspace->stack_count = 0;
    workspace->memory = (tp_island_memory){.allocator = allocator};
    workspace->joints = (tp_joint_inverse){.context = NULL};
    workspace->known = (tp_known_factors){NULL, NULL};
    workspace->rows = (tp_known_rows){NULL, NULL, NULL};
    return TP_OK;
}

tp_status tp_workspace_set_threads(tp_workspace *workspace, int threads)
{
    if (workspace == NULL) return TP_INVALID_ARGUMENT;
    tp_pool *pool;
    TP_TRY(tp_pool_create(workspace->allocator, threads, &pool));
    tp_pool_free(workspace->own_pool);
    workspace->pool = workspace->own_pool = pool;
    return TP_OK;
}

static void free_stacks(tp_workspace *workspace)
{
    for (int k = 0; k < workspace->stack_count; k++) tp_stack_clear(&workspace->stacks[k]);
    if (workspace->stacks != NULL)
        workspace->allocator->release(workspace->allocator->context, workspace->stacks);
    workspace->stacks = NULL;
    workspace->stack_count = 0;
}

tp_status tp_workspace_take_stacks(tp_workspace *workspace)
{
    int count = tp_pool_threads(workspace->pool) - 1;
    const tp_allocator *allocator = workspace->allocator;
    if (workspace->stack_count >= count) return TP_OK;
    free_stacks(workspace);
    workspace->stacks = allocator->allocate(allocator->context, (size_t)count * sizeof(tp_stack));
    if (workspace->stacks == NULL) return TP_OUT_OF_MEMORY;
    workspace->stack_count = count;
    for (int k = 0; k < count; k++) tp_stack_init(&workspace->stacks[k], allocator);
    return TP_OK;
}

void tp_workspace_level_stacks(tp_workspace *workspace)
{
    size_t most = 0;
    for (int k = 0; k < workspace->stack_count; k++) {
        if (workspace->stacks[k].high_water > most) most = workspace->stacks[k].high_water;
    }
    for (int k = 0; k < workspace->stack_count; k++) tp_stack_reserve(&workspace->stacks[k], most);
}

void tp_workspace_share_pool(tp_workspace *workspace, tp_pool *pool)
{
    workspace->pool = pool;
}

void tp_workspace_offer_joints(tp_workspace *workspace, const tp_joint_inverse *inverse)
{
    workspace->joints = inverse != NULL ? *inverse : (tp_joint_inverse){.context = NULL};
}

void tp_workspace_offer_rows(tp_workspace *workspace, const tp_known_rows *rows)
{
    workspace->rows = rows != NULL ? *rows : (tp_known_rows){NULL, NULL, NULL};
}

void tp_workspace_next_step(tp_workspace *workspace)
{
    tp_island_memory_turn(&workspace->memory);
}

void tp_workspace_free(tp_workspace *workspace)
{
    if (workspace == NULL) return;
    tp_stack_clear(&workspace->stack);
    tp_island_memory_clear(&workspace->memory);
    tp_pool_free(workspace->own_pool);
    free_stacks(workspace);
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

/* A guess that is not finite counts as none. */
static void make_start(const tp_problem *problem, const tp_solver_options *options, double *P)
{
    bool is_guess = options->warm_start;
    for (int i = 0; i < problem->row_count && is_guess; i++) is_guess = isfinite(P[i]);
    if (!is_guess) {
        for (int i = 0; i < problem->row_count; i++) P[i] = 0.0;
    }
}

/* Squares and products of two such numbers do not leave the range of double precision. */
static bool in_range(double size)
{
    return size > 1e-120 && size < 1e120;
}

static bool is_same_matrix(const tp_sparse *a, const tp_sparse *b)
{
    if (a->cols != b->cols || a->start[a->cols] != b->start[b->cols]) return false;
    size_t count = (size_t)a->start[a->cols];
    return memcmp(a->value, b->value, count * sizeof(double)) == 0 &&
           memcmp(a->index, b->index, count * sizeof(int)) == 0 &&
           memcmp(a->start, b->start, (size_t)(a->cols + 1) * sizeof(int)) == 0;
}

/* The state of P by factors of M, those of the caller if they are of the same matrix. */
static tp_status state_of(const tp_solve_call *call, const double *P, double *x_out)
{
    const tp_known_factors *known = &call->known;
    if (known->matrix == NULL || !is_same_matrix(&call->problem->M, known->matrix))
        return tp_problem_state_with(call->problem, call->stack, P, x_out, NULL);
    tp_problem_state_by(call->problem, known->factors, P, x_out, NULL);
    return TP_OK;
}

/* The state of P, with its joints closed (theory/problems.md (19)). The impulses that belong to it replace P
   unless they are a worse answer by more than the rounding of its terms, and do not count as solved. */
static tp_status state_with_joints(const tp_solve_call *call, double floor, double *P, double *x_out,
                                   tp_report *report)
{
    const tp_problem *problem = call->problem;
    const tp_local *local = call->local;
    tp_stack *stack = call->stack;
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    double *held = TP_STACK_ARRAY(stack, double, problem->row_count),
           *xi = TP_STACK_ARRAY(stack, double, problem->row_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memcpy(held, P, bytes);
    TP_TRY(state_of(call, P, x_out));
    TP_TRY(tp_hold_joints(problem, stack, held, x_out));
    double error = tp_local_error(local, held, xi, NULL);
    double rounding = tp_accepted_roundings * floor;
    if (!(error <= fmax(report->error + rounding, report->limit))) return TP_OK;
    memcpy(P, held, bytes);
    report->error = error;
    return TP_OK;
}

/* Impulses of contacts lie in their cones: what Newton steps leave outside of them at loose tolerances, or
   within a margin, goes, unless the answer would be out of its limit; theory/problems.md (22a). */
static tp_status put_on_cones(const tp_solve_call *call, tp_floor floor, double *P, tp_report *report)
{
    const tp_local *local = call->local;
    double limit = report->status == TP_OK ? report->limit : call->options->unsolved_limit;
    bool is_rounding = report->error <= tp_accepted_roundings * floor.rounding;
    if (is_rounding || !(report->error <= limit)) return TP_OK;
    tp_stack *stack = call->stack;
    double *inside = TP_STACK_ARRAY(stack, double, local->row_count),
           *xi = TP_STACK_ARRAY(stack, double, local->row_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memcpy(inside, P, (size_t)local->row_count * sizeof(double));
    for (int k = 0; k < local->set_count; k++) {
        const tp_set *set = &local->sets[k];
        if (set->kind == TP_SET_CONTACT)
            tp_contact_project_limit(set, inside + set->first, inside + set->first);
    }
    double error = tp_local_error(local, inside, xi, NULL);
    if (!(error <= limit)) return TP_OK;
    memcpy(P, inside, (size_t)local->row_count * sizeof(double));
    report->error = error;
    return TP_OK;
}

/* The judge of a larger problem gets what it needs. */
static void fill_part(const tp_local *local, const double *P, tp_part *part)
{
    if (part == NULL) return;
    part->local = *local;
    memcpy(part->c, local->c, (size_t)local->row_count * sizeof(double));
    tp_local_velocity(local, P, part->xi);
}

tp_status tp_solve_undivided(const tp_solve_call *given, const tp_solver *solver, tp_part *part, double *P,
                             double *x_out, tp_report *report)
{
    const tp_problem *problem = given->problem;
    const tp_solver_options *options = given->options;
    tp_stack *stack = given->stack;
    tp_solver_options left = *options;
    tp_solve_call call = {
        .problem = problem, .options = &left, .stack = stack, .pool = given->pool, .known = given->known};
    make_start(problem, options, P);
    call.is_cold = tp_dense_norm(problem->row_count, P) == 0.0;
    tp_form_answer swept = {.is_over = false};
    if (solver == &tp_solver_auto) {
        bool is_at_rest;
        tp_status at_rest = tp_try_guess_at_rest(&call, part, P, x_out, report, &is_at_rest);
        if (at_rest != TP_OK) return fail(report, at_rest, tp_status_text(at_rest));
        if (is_at_rest) return report->status;
        bool is_first =
            call.is_cold && options->tolerance <= tp_sharp_tolerance && problem->set_count <= TP_FIRST_LAWS;
        tp_status by_form = is_first ? TP_OK : tp_solve_by_form(&call, part, P, x_out, report, &swept);
        if (by_form != TP_OK) return fail(report, by_form, tp_status_text(by_form));
        if (swept.is_over) return report->status;
        left.warm_start = left.warm_start || swept.is_better;
        if (swept.work > 0.0) left.work_limit = tp_chain_work_limit(options) - swept.work;
        call.is_swept = swept.work > 0.0;
        tp_absorbed_answer answer;
        tp_status absorbed = tp_solve_absorbed_part(&call, TP_ABSORB_LARGE, part, P, x_out, report, &answer);
        if (absorbed != TP_OK) return fail(report, absorbed, tp_status_text(absorbed));
        report->iterations += swept.sweeps;
        if (answer.is_solved) return report->status;
        /* what it found is where the other ways begin */
        left.warm_start = left.warm_start || answer.is_better;
        if (answer.work > 0.0) left.work_limit = tp_chain_work_limit(&left) - answer.work;
    }
    tp_local local;
    tp_status status = tp_local_form(problem, stack, &local);
    if (status == TP_SINGULAR) return fail(report, TP_INVALID_DATA, "the matrix M is singular");
    if (status != TP_OK) return fail(report, status, tp_status_text(status));

    call.local = &local;
    if (part != NULL) local.row_number = part->rows;
    if (in_range(local.rho) && in_range(local.scale)) {
        report->status = solver->solve(&call, P, report);
        report->iterations += swept.sweeps;
    } else {
        report->status = TP_NOT_CONVERGED;
        snprintf(report->reason, sizeof report->reason,
                 "G is about %.0e and c about %.0e: choose units with numbers nearer to 1", local.rho,
                 local.scale);
    }

    /* A solver never judges itself. */
    double *xi = TP_STACK_ARRAY(stack, double, problem->row_count);
    if (xi == NULL) return fail(report, TP_OUT_OF_MEMORY, tp_status_text(TP_OUT_OF_MEMORY));
    tp_floor floor = tp_floor_at(&local, P, options->noise);
    tp_judge(tp_rule_of(options), report->status, tp_local_error(&local, P, xi, NULL), floor, report);
    status = put_on_cones(&call, floor, P, report);
    if (status == TP_OK && x_out != NULL && problem->x_count > 0)
        status = state_with_joints(&call, floor.rounding, P, x_out, report);
    if (status != TP_OK) return fail(report, status, tp_status_text(status));
    fill_part(&local, P, part);
    return report->status;
}

/* Problems of one law need no division, and the memory of islands costs more than their solution. */
static tp_status run(const tp_problem *problem, const tp_solver *solver, const tp_solver_options *options,
                     tp_workspace *workspace, double *P, double *x_out, tp_report *report)
{
    tp_solver_options own = *options;
    tp_solve_call call = {.problem = problem,
                          .options = &own,
                          .stack = &workspace->stack,
                          .pool = workspace->pool,
                          .known = workspace->known};
    bool is_over = false;
    if (solver == &tp_solver_auto && workspace->joints.apply != NULL)
        TP_TRY(tp_solve_joints(&call, &workspace->joints, P, x_out, report, &is_over));
    if (is_over) return report->status;
    if (solver == &tp_solver_auto && problem->set_count > 1)
        return tp_solve_islands(&call, workspace, P, x_out, report);
    if (workspace->rows.balls != NULL) TP_TRY(workspace->rows.write(workspace->rows.context));
    if (problem->contact_count <= own.unsolved_contacts)
        own.unsolved_limit = 0.0; /* small ones have no margin */
    report->island_count = 1;
    report->unsolved_set = -1;
    tp_status status = tp_solve_undivided(&call, solver, NULL, P, x_out, report);
    report->unsolved_count = status == TP_NOT_CONVERGED || status == TP_INFEASIBLE;
    if (report->unsolved_count > 0) report->unsolved_error = report->error;
    report->is_usable = status != TP_INFEASIBLE && problem->contact_count > own.unsolved_contacts &&
                        report->error <= own.unsolved_limit;
    return status;
}

tp_status tp_solve(const tp_problem *problem, const char *name, const tp_solver_options *options,
                   tp_workspace *workspace, double *P, double *x_out, tp_report *report_out)
{
    tp_solver_options defaults = tp_solver_options_default();
    if (options == NULL) options = &defaults;
    if (report_out == NULL) return TP_INVALID_ARGUMENT;
    *report_out = (tp_report){.solver = "", .solution_count = -1, .error = INFINITY};
    if (problem == NULL || workspace == NULL || (P == NULL && problem->row_count > 0))
        return fail(report_out, TP_INVALID_ARGUMENT, "the problem, the workspace or P is NULL");
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
    if (solver == &tp_solver_auto) tp_stack_reserve(&workspace->stack, tp_proof_memory(problem->row_count));
    tp_status status = run(problem, solver, options, workspace, P, x_out, report_out);
    tp_stack_release(&workspace->stack, mark);
    tp_stack_settle(&workspace->stack);
    report_out->memory = workspace->stack.high_water;
    if (report_out->reason[0] == '\0') {
        snprintf(report_out->reason, sizeof report_out->reason, "%s", tp_status_text(report_out->status));
    }
    return status;
}
