/* What all integrators share: solving the one-step problem of a step. */
#include "ball_laws.h"
#include "integrator/tolerances.h"
#include "integrators.h"
#include "solver/judge.h"
#include "solver/tolerances.h"
#include "solver/workspace.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void tp_stepper_share_pool(tp_stepper *stepper, tp_pool *pool)
{
    tp_workspace_share_pool(stepper->solver_memory, pool);
    stepper->system->pool = pool;
}

static tp_solver_options solver_options(const tp_stepper *stepper, tp_rule rule)
{
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = rule.tolerance;
    options.max_iterations = stepper->options->max_iterations;
    options.floor_factor = tp_goal_roundings;
    options.enough = rule.enough;
    options.warm_start = true;
    options.branch = TP_BRANCH_LOADED;
    options.exact_local = true;
    return options;
}

/* Without warm start the chain is the same, from 0. */
static void forget_guess(const tp_stepper *stepper, const tp_problem *problem, double *P)
{
    if (!stepper->options->warm_start) memset(P, 0, (size_t)problem->row_count * sizeof(double));
}

/* The model is sound, it was checked when it was finished: a step problem that is not is one whose numbers
   went beyond all bounds, or whose matrix of the unknowns has become singular. */
static bool is_no_problem(tp_stepper *stepper, tp_status status)
{
    if (status != TP_INVALID_DATA && status != TP_SINGULAR) return false;
    snprintf(stepper->cause, sizeof stepper->cause,
             "the iteration came to a singular matrix or to numbers that are out of range; a smaller time "
             "step may help, or units with numbers nearer to 1");
    return true;
}

/* Joints that are not closed although nothing limits their impulses. In a loop that has more of them than it
   needs that may be because it has drifted apart, and their rows contradict each other. */
static void explain_joints(tp_stepper *stepper, const tp_problem *problem, const double *P)
{
    const tp_model_summary *summary = &stepper->model->summary;
    bool is_redundant = summary->constraint_count > summary->constraint_rank;
    tp_residual residual;
    if (stepper->problem->are_balls) return; /* there are no joints */
    if (tp_problem_error(problem, P, &residual) != TP_OK) return;
    if (!(residual.worst_equality >= tp_telling_share * residual.error)) return;
    snprintf(stepper->cause, sizeof stepper->cause,
             "rows of joints are left with %.1e of the velocities; a smaller time step may help%s",
             residual.worst_equality,
             is_redundant ? "; where a loop with redundant joints has drifted apart, simulate.projection "
                            "(moreau, moreau-jean) keeps it closed"
                          : "");
}

/* Islands that may be used unsolved. */
static void allow_unsolved(const tp_stepper *stepper, tp_solver_options *options)
{
    double limit = stepper->options->unsolved.limit;
    bool is_default = limit < 0.0;
    options->unsolved_limit = !is_default                            ? limit
                              : stepper->integrator->balances_energy ? 0.0
                                                                     : tp_usable_error;
    options->unsolved_contacts = is_default ? TP_USABLE_CONTACTS : 0;
}

/* The error E up to which a step from this state may be left: the tolerance, or the limit of large islands if
   so many contacts had impulses. */
static double error_left(const tp_stepper *stepper, const tp_state *from)
{
    tp_solver_options allowed;
    int count = 0;
    allow_unsolved(stepper, &allowed);
    if (allowed.unsolved_limit <= stepper->options->tolerance) return stepper->options->tolerance;
    for (int i = 0; i < stepper->system->law_count; i++)
        count += from->is_closed[i] && tp_system_law(stepper->system, i)->level == TP_LEVEL_GAP &&
                 from->impulse[i * TP_LAW_ROWS] > 0.0;
    return count > allowed.unsolved_contacts ? allowed.unsolved_limit : stepper->options->tolerance;
}

/* With a correction contacts are kept by all of theory/correction.md (3a), without one by what errors of
   velocities open, (3b). At the default tolerance that is below the closing gap. */
void tp_stepper_begin(tp_stepper *stepper, const tp_state *from)
{
    double E = error_left(stepper, from);
    stepper->kept_part = stepper->correction != NULL ? 1.0
                         : E > TP_EXACT_TOLERANCE    ? fmin(1.0, 2.0 * tp_kept_steps * E)
                                                     : 0.0;
    stepper->kept_parting = stepper->correction != NULL ? INFINITY : tp_kept_parting * E;
    stepper->unsolved = NULL;
    stepper->is_usable = false;
    stepper->has_joint_factors = false;
}

/* What a solver reports of a step. */
static void take_figures(tp_stepper *stepper, const tp_report *solved, tp_step_report *report)
{
    if (solved->status == TP_NOT_CONVERGED) {
        bool is_first = stepper->unsolved == NULL;
        stepper->is_usable = solved->is_usable && (is_first || stepper->is_usable);
        stepper->unsolved = stepper->solved;
        stepper->unsolved_set = solved->unsolved_set;
        report->unsolved_error = fmax(report->unsolved_error, solved->unsolved_error);
    }
    report->island_count = solved->island_count;
    report->unsolved_count += solved->unsolved_count;
    report->iterations = solved->iterations;
    report->work = solved->work;
    report->residual = solved->error;
    report->solution_count = solved->motion_count > 0 ? solved->motion_count : 0;
    report->margin = solved->limit > 0.0 ? solved->error / solved->limit : 0.0;
}

static tp_status solve_problem(tp_stepper *stepper, const char *solver, tp_branch branch, double tolerance,
                               tp_step_report *report)
{
    tp_solver_options options = solver_options(stepper, tp_rule_of_step(tolerance, false));
    options.branch = branch;
    options.noise = DBL_EPSILON * stepper->row_size;
    options.row_noise = stepper->has_row_noise ? stepper->row_noise : NULL;
    allow_unsolved(stepper, &options);
    tp_report solved;
    stepper->solved = &stepper->problem->problem;
    stepper->solved_P = stepper->problem->P;
    forget_guess(stepper, &stepper->problem->problem, stepper->problem->P);
    tp_status status = tp_solve(&stepper->problem->problem, solver, &options, stepper->solver_memory,
                                stepper->problem->P, stepper->x, &solved);
    stepper->has_row_noise = false;
    if (is_no_problem(stepper, status)) status = TP_SINGULAR; /* there is no best point */
    take_figures(stepper, &solved, report);
    if (status == TP_INFEASIBLE && strcmp(solved.solver, "enumeration") == 0) /* the proof is in its cases */
        snprintf(stepper->cause, sizeof stepper->cause, "%s", solved.reason);
    else if (status == TP_UNSUPPORTED) /* of this solver */
        snprintf(stepper->cause, sizeof stepper->cause, "%s", solved.reason);
    else if (status == TP_NOT_CONVERGED || status == TP_INFEASIBLE)
        explain_joints(stepper, &stepper->problem->problem, stepper->problem->P);
    return status;
}

tp_status tp_stepper_solve(tp_stepper *stepper, tp_step_report *report)
{
    const tp_simulation_options *options = stepper->options;
    return solve_problem(stepper, options->solver, TP_BRANCH_LOADED, options->tolerance, report);
}

static bool is_one_contact(const tp_problem *problem)
{
    const tp_set *set = problem->sets;
    return problem->set_count == 1 && set->kind == TP_SET_CONTACT && set->size > 1 && set->size <= 3 &&
           (set->friction_kind == TP_FRICTION_BALL || set->friction_kind == TP_FRICTION_ELLIPSOID);
}

/* One contact alone has all its solutions by the roots of a polynomial, others by all combinations of cases
   where that is asked for; NULL: they are not counted. */
static const char *counting_solver(const tp_problem *problem, int counted)
{
    if (counted > 0 && is_one_contact(problem)) return "quartic";
    bool is_asked = counted > 1 && problem->contact_count > 0 && problem->contact_count <= counted;
    return is_asked ? "enumeration" : NULL;
}

tp_status tp_stepper_solve_branch(tp_stepper *stepper, tp_branch branch, tp_step_report *report)
{
    const tp_simulation_options *options = stepper->options;
    bool is_auto = options->solver == NULL || strcmp(options->solver, "auto") == 0;
    const char *counting = counting_solver(&stepper->problem->problem, options->relaxed.counted);
    if (is_auto && counting != NULL) {
        tp_status status = solve_problem(stepper, counting, branch, options->tolerance, report);
        if (status == TP_OK) return TP_OK;
        stepper->cause[0] = '\0';
    }
    return solve_problem(stepper, options->solver, branch, options->tolerance, report);
}

tp_status tp_stepper_solve_sharply(tp_stepper *stepper, tp_step_report *report)
{
    const tp_simulation_options *options = stepper->options;
    return solve_problem(stepper, options->solver, TP_BRANCH_LOADED, tp_impact_sharpness * options->tolerance,
                         report);
}

static tp_status solve_inclusion(tp_stepper *stepper, const tp_inclusion *inclusion, tp_block_manner manner,
                                 double *x, double *P, tp_step_report *report)
{
    tp_rule rule = tp_rule_of_step(stepper->options->tolerance, manner.polish);
    tp_solver_options inner = solver_options(stepper, rule);
    inner.floor_factor = 0.0; /* the error of the inclusion decides, not that of its linear part */
    tp_inclusion_options options = tp_inclusion_options_default();
    inner.noise = DBL_EPSILON * inclusion->xi_scale;
    options.tolerance = rule.tolerance;
    options.start_tolerance = tp_start_tolerance;
    options.linearised_only = !manner.by_projections;
    options.max_linearised = manner.max_linearised;
    options.patience = manner.patience;
    options.interrupt = stepper->interrupt;
    options.interrupt_context = stepper->interrupt_context;
    if (manner.work_limit > 0.0) inner.work_limit = manner.work_limit;
    options.polish = manner.polish;
    options.up_to_rounding = rule.up_to_rounding;
    options.enough = rule.enough;
    options.solver = stepper->options->solver;
    options.inner = &inner;
    allow_unsolved(stepper, &inner);
    tp_report solved;
    stepper->solved = inclusion->linear;
    stepper->solved_P = P;
    forget_guess(stepper, inclusion->linear, P);
    tp_status status = tp_solve_inclusion(inclusion, &options, stepper->solver_memory, x, P, &solved);
    if (is_no_problem(stepper, status)) status = TP_NOT_CONVERGED;
    if (status == TP_INFEASIBLE || status == TP_UNSUPPORTED)
        snprintf(stepper->cause, sizeof stepper->cause, "%s", solved.reason);
    take_figures(stepper, &solved, report);
    return status;
}

tp_status tp_stepper_solve_inclusion(tp_stepper *stepper, const tp_inclusion *inclusion,
                                     tp_step_report *report)
{
    memset(stepper->x, 0, (size_t)inclusion->linear->x_count * sizeof(double));
    return solve_inclusion(stepper, inclusion, (tp_block_manner){0}, stepper->x, stepper->problem->P, report);
}

tp_status tp_stepper_polish_inclusion(tp_stepper *stepper, const tp_inclusion *inclusion, double *x,
                                      double *P, tp_step_report *report)
{
    return solve_inclusion(stepper, inclusion, (tp_block_manner){.polish = true}, x, P, report);
}

tp_status tp_stepper_solve_blocks(tp_stepper *stepper, const tp_inclusion *inclusion,
                                  const tp_block_manner *manner, double *x, double *P, tp_step_report *report)
{
    return solve_inclusion(stepper, inclusion, *manner, x, P, report);
}

bool tp_stepper_accepts(const tp_stepper *stepper, tp_status status)
{
    bool may_go_on = !stepper->has_no_end && (stepper->options->accept_unconverged || stepper->is_usable);
    return status == TP_OK || (status == TP_NOT_CONVERGED && may_go_on);
}

/* Sets of one task, at least; ranges of them whose sums are kept apart, at most. */
enum { SETS_OF_TASK = 256, RANGES_MOST = 64 };

typedef struct booking {
    tp_stepper *stepper;
    const double *chi, *u_from, *u_to;
} booking;

static tp_account_row row_of(const booking *of, int set, int k)
{
    const tp_problem *problem = &of->stepper->problem->problem;
    int start = problem->A.start[k];
    return (tp_account_row){.law = of->stepper->problem->law[set],
                            .count = problem->A.start[k + 1] - start,
                            .columns = problem->A.index + start,
                            .W = problem->A.value + start,
                            .chi = of->chi != NULL ? of->chi[k] : 0.0};
}

/* What laws take: each has its own place. */
static void book_losses(void *context, int begin, int end)
{
    const booking *of = context;
    const tp_problem *problem = &of->stepper->problem->problem;
    for (int i = begin; i < end; i++) {
        for (int k = problem->sets[i].first; k < problem->sets[i].first + problem->sets[i].size; k++) {
            tp_account_row row = row_of(of, i, k);
            tp_account_take(&of->stepper->account, &row, of->stepper->problem->P[k], of->u_from, of->u_to);
        }
    }
}

/* Impulses add up on the velocities of bodies. */
static void push_rows(const booking *of)
{
    const tp_problem *problem = &of->stepper->problem->problem;
    for (int i = 0; i < problem->set_count; i++) {
        for (int k = problem->sets[i].first; k < problem->sets[i].first + problem->sets[i].size; k++) {
            double P = of->stepper->problem->P[k];
            if (P == 0.0) continue; /* most contacts of a heap that flows */
            tp_account_row row = row_of(of, i, k);
            tp_account_push(&of->stepper->account, &row, P);
        }
    }
}

void tp_stepper_book(tp_stepper *stepper, const double *chi, const double *u_from, const double *u_to)
{
    if (stepper->problem->are_balls) {
        tp_ball_laws_book(stepper, u_from, u_to);
        return;
    }
    booking of = {stepper, chi, u_from, u_to};
    tp_pool_share(stepper->system->pool, stepper->problem->problem.set_count, SETS_OF_TASK, book_losses, &of);
    push_rows(&of);
}

/* Work of prescribed motions in one range of sets. */
typedef struct keeping {
    const tp_stepper *stepper;
    tp_state *to;
    double work[RANGES_MOST];
    int range;
} keeping;

static void clear_impulses(void *context, int begin, int end)
{
    const keeping *all = context;
    memset(all->to->impulse + (size_t)begin * TP_LAW_ROWS, 0,
           (size_t)(end - begin) * TP_LAW_ROWS * sizeof(double));
}

static void keep_some(void *context, int begin, int end)
{
    keeping *all = context;
    const tp_step_problem *step = all->stepper->problem;
    double work = 0.0;
    for (int i = begin; i < end; i++) {
        const tp_set *set = &step->problem.sets[i];
        if (step->law[i] >= all->stepper->system->law_count) continue; /* a compliant contact */
        for (int k = 0; k < set->size; k++) {
            double P = step->P[set->first + k];
            all->to->impulse[step->law[i] * TP_LAW_ROWS + k] = P;
            work -= P * all->stepper->chi[set->first + k];
        }
    }
    all->work[begin / all->range] = work;
}

void tp_stepper_keep_impulses(const tp_stepper *stepper, tp_state *to, tp_step_report *report)
{
    int sets = stepper->problem->problem.set_count;
    tp_pool *pool = stepper->system->pool;
    keeping all = {.stepper = stepper, .to = to, .range = sets / RANGES_MOST + SETS_OF_TASK};
    tp_pool_share(pool, stepper->system->law_count, all.range, clear_impulses, &all);
    tp_pool_share(pool, sets, all.range, keep_some, &all);
    for (int k = 0; k * all.range < sets; k++) report->applied_work += all.work[k];
}
