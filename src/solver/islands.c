/* Islands of a problem, solved one by one, and the judge of the whole; theory/problems.md (23). */
#include "islands.h"

#include "judge.h"
#include "problem/islands.h"
#include "solver/bodies/body_solve.h"
#include "tolerances.h"
#include "workspace.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* What is kept of an island: P, x, c and xi follow it. */
typedef struct answer_head {
    tp_report report;
    tp_local local; /* measures alone */
} answer_head;

typedef struct answer {
    answer_head *head;
    double *P, *x, *c, *xi;
    size_t bytes;
} answer;

/* What is left of an island when its memory is given back. */
typedef struct outcome {
    tp_report report;
    tp_local local;   /* measures alone */
    tp_status status; /* not TP_OK: it could not even be tried */
    int worst_set;
    int contact_count;
    bool is_reused;
} outcome;

typedef struct division {
    const tp_solve_call *call;
    tp_workspace *workspace;
    tp_islands islands;
    const tp_known_rows *rows; /* of the whole problem */
    double *P, *x, *xi;        /* of the whole problem; x may be NULL */
    double *c, *guess;         /* guess: of problems that are not large */
    tp_local whole;
    tp_report *report;
    double most_work;
    outcome *outcomes;    /* [islands.count] */
    const int *chosen;    /* islands that threads share */
    pthread_mutex_t lock; /* of the memory of islands */
} division;

/* Who solves an island: its scratch memory, and the threads that work along. */
typedef struct helper {
    tp_stack *stack;
    tp_pool *pool;
} helper;

/* Laws of islands that are solved in microseconds; rows or unknowns that one task copies. */
enum { SMALL_ISLAND = 8, ROWS_OF_TASK = 4096 };

static int sets_of(const division *d, int number)
{
    return d->islands.set_start[number + 1] - d->islands.set_start[number];
}

static tp_status take_answer(const division *d, const tp_island *island, tp_stack *stack, answer *out)
{
    size_t rows = (size_t)island->problem.row_count, n = d->x != NULL ? (size_t)island->problem.x_count : 0;
    out->bytes = sizeof(answer_head) + (3 * rows + n) * sizeof(double);
    out->head = tp_stack_take(stack, out->bytes, 1);
    if (out->head == NULL) return TP_OUT_OF_MEMORY;
    out->P = (double *)(out->head + 1);
    out->c = out->P + rows;
    out->xi = out->c + rows;
    out->x = n > 0 ? out->xi + rows : NULL;
    return TP_OK;
}

/* Rows of one task, at least; ranges of them, at most. */
enum { NOISE_RANGES = 64 };

typedef struct noises {
    const double *row_noise;
    const int *row;
    int range;
    double most[NOISE_RANGES];
} noises;

static void find_noise(void *context, int begin, int end)
{
    noises *all = context;
    double most = 0.0;
    for (int k = begin; k < end; k++) {
        double noise = all->row_noise[all->row[k]];
        most = noise > most ? noise : most;
    }
    all->most[begin / all->range] = most;
}

static double largest_noise(const double *row_noise, const tp_island *island, tp_pool *pool)
{
    int rows = island->problem.row_count;
    noises all;
    double most = 0.0;
    all.row_noise = row_noise;
    all.row = island->row;
    all.range = rows / NOISE_RANGES + ROWS_OF_TASK;
    tp_pool_share(pool, rows, all.range, find_noise, &all);
    for (int k = 0; k * all.range < rows; k++) most = fmax(most, all.most[k]);
    return most;
}

/* An island has the noise of its own rows, and a margin if it is large. */
static tp_solver_options options_of(const division *d, const tp_island *island, tp_pool *pool)
{
    tp_solver_options options = *d->call->options;
    const double *row_noise = options.row_noise;
    if (row_noise != NULL) options.noise = largest_noise(row_noise, island, pool);
    options.row_noise = NULL;
    if (island->problem.contact_count <= options.unsolved_contacts) options.unsolved_limit = 0.0;
    return options;
}

/* May an island come again bit by bit? Huge ones are too large to be kept, and bodies creep where the
   tolerance is coarse. */
static bool may_come_again(const division *d, int sets)
{
    return sets <= TP_BODY_HUGE && d->call->options->tolerance < tp_form_tolerance;
}

/* All that an answer depends on beside the data of the problem. */
static void write_key(const tp_solver_options *o, bool has_x, double *key)
{
    const double list[TP_ISLAND_KEY] = {o->tolerance,   o->floor_factor,   o->enough, o->max_iterations,
                                        o->work_limit,  o->warm_start,     o->branch, o->noise,
                                        o->relaxation,  o->unsolved_limit, o->facets, o->epsilon,
                                        o->exact_local, o->recovering,     has_x};
    memcpy(key, list, sizeof list);
}

static tp_status solve_anew(const division *d, int number, const tp_island *island,
                            const tp_solver_options *options, const helper *by, answer *out)
{
    tp_part part = {.c = out->c, .xi = out->xi, .rows = island->row};
    part.unknowns = (tp_unknowns){.number = d->islands.x + d->islands.x_start[number],
                                  .total = d->call->problem->x_count};
    tp_solve_call call = {.problem = &island->problem,
                          .options = options,
                          .stack = by->stack,
                          .pool = by->pool,
                          .known = d->call->known};
    memset(out->head, 0, out->bytes);
    memcpy(out->P, island->P, (size_t)island->problem.row_count * sizeof(double));
    out->head->report = (tp_report){.solver = tp_solver_auto.info.name, .solution_count = -1};
    tp_status status = tp_solve_undivided(&call, &tp_solver_auto, &part, out->P, out->x, &out->head->report);
    out->head->local = part.local;
    return status;
}

/* The set of an unsolved island with the largest error names it. */
static int worst_set(const division *d, int number, const tp_island *island, const answer *one)
{
    tp_residual residual;
    tp_local local = one->head->local;
    local.row_count = island->problem.row_count;
    local.set_count = island->problem.set_count;
    local.sets = island->problem.sets;
    local.c = one->c;
    tp_local_error_at(&local, one->P, one->xi, &residual);
    return residual.worst_set < 0 ? -1 : d->islands.set[d->islands.set_start[number] + residual.worst_set];
}

/* Proofs come before limits, and large errors before small ones. */
static bool is_worse(const tp_report *a, const tp_report *b)
{
    if (b->unsolved_count == 0 || a->status != b->status)
        return b->unsolved_count == 0 || a->status == TP_INFEASIBLE;
    return a->error > b->unsolved_error;
}

static void explain_by(const tp_report *one, tp_report *report)
{
    report->solver = one->solver;
    memcpy(report->reason, one->reason, sizeof report->reason);
}

static void add_report(division *d, int number)
{
    const outcome *of = &d->outcomes[number];
    const tp_report *one = &of->report;
    tp_report *all = d->report;
    all->work += one->work;
    all->reused_count += of->is_reused;
    if (one->iterations > all->iterations) all->iterations = one->iterations;
    if (one->solution_count > all->solution_count) all->solution_count = one->solution_count;
    tp_local_add_part(&of->local, &d->whole);
    if (one->status == TP_OK) {
        if (all->unsolved_count == 0 && one->work >= d->most_work) {
            d->most_work = one->work;
            explain_by(one, all);
        }
        return;
    }
    bool is_within = one->status == TP_NOT_CONVERGED &&
                     of->contact_count > d->call->options->unsolved_contacts &&
                     one->error <= d->call->options->unsolved_limit;
    all->is_usable = all->is_usable && is_within;
    if (is_worse(one, all)) {
        all->status = one->status;
        all->unsolved_error = one->error;
        all->unsolved_set = of->worst_set;
        explain_by(one, all);
    }
    all->unsolved_count++;
}

typedef struct scattering {
    const division *d;
    const tp_island *island;
    const answer *one;
    const int *unknown; /* [x_count] of the whole problem */
} scattering;

static void scatter_rows(void *context, int begin, int end)
{
    const scattering *all = context;
    for (int k = begin; k < end; k++) {
        int row = all->island->row[k];
        all->d->P[row] = all->one->P[k];
        all->d->c[row] = all->one->c[k];
        all->d->xi[row] = all->one->xi[k];
    }
}

static void scatter_unknowns(void *context, int begin, int end)
{
    const scattering *all = context;
    for (int k = begin; k < end; k++) all->d->x[all->unknown[k]] = all->one->x[k];
}

/* Islands share no row and no unknown: threads may do it at once. */
static void scatter(const division *d, int number, const tp_island *island, const answer *one, tp_pool *pool)
{
    scattering all = {d, island, one, d->islands.x + d->islands.x_start[number]};
    tp_pool_share(pool, island->problem.row_count, ROWS_OF_TASK, scatter_rows, &all);
    if (d->x != NULL) tp_pool_share(pool, island->problem.x_count, ROWS_OF_TASK, scatter_unknowns, &all);
}

/* A kept answer is that of the same bytes: whoever finds or keeps it, the result is the same. */
static bool find_kept(division *d, uint64_t hash, const tp_island *island, answer *one)
{
    pthread_mutex_lock(&d->lock);
    const void *kept = tp_island_memory_find(&d->workspace->memory, hash, island->block, island->bytes);
    if (kept != NULL) memcpy(one->head, kept, one->bytes);
    pthread_mutex_unlock(&d->lock);
    return kept != NULL;
}

static void keep(division *d, uint64_t hash, const tp_island *island, const answer *one)
{
    pthread_mutex_lock(&d->lock);
    tp_island_memory_keep(&d->workspace->memory, hash, island->block, island->bytes, one->head, one->bytes);
    pthread_mutex_unlock(&d->lock);
}

/* What an answer leaves for the whole problem. */
static void take_outcome(const division *d, int number, const tp_island *island, const answer *one,
                         tp_pool *pool, outcome *out)
{
    out->report = one->head->report;
    out->local = one->head->local;
    out->contact_count = island->problem.contact_count;
    out->worst_set = out->report.status != TP_OK ? worst_set(d, number, island, one) : -1;
    scatter(d, number, island, one, pool);
}

/* Islands of contacts that end with sweeps over bodies, most of the time: those need no problem of their own,
   whose rows are the most of what a step keeps of a heap. */
static bool may_share_rows(const division *d, int number)
{
    const tp_problem *problem = d->call->problem;
    const tp_solver_options *options = d->call->options;
    bool is_coarse = options->tolerance >= tp_form_tolerance && options->warm_start;
    if (!is_coarse || sets_of(d, number) < TP_BODY_SHARED || problem->x_count == 0) return false;
    for (int k = d->islands.set_start[number]; k < d->islands.set_start[number + 1]; k++) {
        const tp_set *set = &problem->sets[d->islands.set[k]];
        if (set->kind != TP_SET_CONTACT || set->size != 3) return false;
        for (int r = 0; r < 3; r++) {
            if (!isfinite(d->P[set->first + r])) return false;
        }
    }
    return true;
}

/* Sweeps over bodies with the rows of the whole problem; is_over_out: they ended with an answer. */
static tp_status sweep_island(const division *d, int number, const helper *by, outcome *out,
                              bool *is_over_out)
{
    tp_island island;
    answer one;
    tp_form_answer swept;
    TP_TRY(tp_island_take_sets(d->call->problem, &d->islands, number, d->P, by->pool, by->stack, &island));
    TP_TRY(take_answer(d, &island, by->stack, &one));
    tp_solver_options options = options_of(d, &island, by->pool);
    tp_part part = {.c = one.c, .xi = one.xi, .rows = island.row};
    part.unknowns = (tp_unknowns){.number = d->islands.x + d->islands.x_start[number],
                                  .total = d->call->problem->x_count,
                                  .whole = d->call->problem,
                                  .row = island.row,
                                  .balls = d->rows->balls,
                                  .set = d->islands.set + d->islands.set_start[number]};
    tp_solve_call call = {
        .problem = &island.problem, .options = &options, .stack = by->stack, .pool = by->pool};
    one.head->report = (tp_report){.solver = tp_solver_auto.info.name, .solution_count = -1};
    memcpy(one.P, island.P, (size_t)island.problem.row_count * sizeof(double));
    tp_status status = tp_solve_bodies(&call, &part, one.P, one.x, &one.head->report, &swept);
    *is_over_out = status == TP_OK && swept.is_over;
    if (!*is_over_out) return status == TP_UNSUPPORTED ? TP_OK : status;
    one.head->local = part.local;
    take_outcome(d, number, &island, &one, by->pool, out);
    return TP_OK;
}

static tp_status try_island(division *d, int number, const helper *by, outcome *out)
{
    tp_island island;
    answer one;
    TP_TRY(tp_island_take(d->call->problem, &d->islands, number, d->P, by->stack, &island));
    TP_TRY(take_answer(d, &island, by->stack, &one));
    tp_solver_options options = options_of(d, &island, by->pool);
    write_key(&options, d->x != NULL, island.key);
    bool is_kept = may_come_again(d, island.problem.set_count);
    uint64_t hash = is_kept ? tp_island_hash(island.block, island.bytes) : 0;
    out->is_reused = is_kept && find_kept(d, hash, &island, &one);
    if (!out->is_reused) solve_anew(d, number, &island, &options, by, &one);
    out->report = one.head->report;
    tp_status status = out->report.status;
    if (status != TP_OK && status != TP_NOT_CONVERGED && status != TP_INFEASIBLE) return status;
    if (!out->is_reused && is_kept) keep(d, hash, &island, &one);
    take_outcome(d, number, &island, &one, by->pool, out);
    return TP_OK;
}

static void solve_island(division *d, int number, const helper *by)
{
    outcome *out = &d->outcomes[number];
    tp_stack_mark mark = tp_stack_mark_now(by->stack);
    bool is_over = false;
    *out = (outcome){0};
    if (may_share_rows(d, number)) out->status = sweep_island(d, number, by, out, &is_over);
    tp_stack_release(by->stack, mark);
    if (is_over || out->status != TP_OK) return;
    out->status = try_island(d, number, by, out);
    tp_stack_release(by->stack, mark);
}

static void solve_chosen(void *context, int task, int worker)
{
    division *d = context;
    const helper by = {worker == 0 ? d->call->stack : &d->workspace->stacks[worker - 1], NULL};
    solve_island(d, d->chosen[task], &by);
}

/* Room for what may come again bit by bit. */
static void reserve_memory(const division *d)
{
    const tp_problem *problem = d->call->problem;
    int kept = 0;
    if (d->rows->balls != NULL) return; /* those are asked for at coarse tolerances: nothing comes again */
    for (int k = 0; k < d->islands.count; k++) kept += may_come_again(d, sets_of(d, k)) ? sets_of(d, k) : 0;
    size_t answers = (3 * (size_t)problem->row_count + (size_t)problem->x_count) * sizeof(double) +
                     (size_t)problem->set_count * sizeof(answer_head);
    double share = problem->set_count > 0 ? (double)kept / problem->set_count : 0.0;
    size_t bytes = (size_t)(share * (double)(tp_islands_bytes(problem) + answers));
    tp_island_memory_reserve(&d->workspace->memory, bytes, kept);
}

/* Large islands one by one, with all threads in each; then threads share the others, the larger ones first,
   where that is worth waking them. */
static tp_status solve_all(division *d)
{
    const helper all = {d->call->stack, d->call->pool};
    int count = d->islands.count, shared = 0, sets = 0;
    int *chosen = TP_STACK_ARRAY(d->call->stack, int, count);
    d->outcomes = TP_STACK_ARRAY(d->call->stack, outcome, count);
    if (d->call->stack->failed) return TP_OUT_OF_MEMORY;
    bool has_stacks = d->call->pool != NULL && tp_workspace_take_stacks(d->workspace) == TP_OK;
    for (int large = 1; large >= 0 && has_stacks; large--) {
        for (int k = 0; k < count; k++) {
            if (sets_of(d, k) >= TP_BODY_LAWS || (sets_of(d, k) > SMALL_ISLAND) != large) continue;
            chosen[shared++] = k;
            sets += sets_of(d, k);
        }
    }
    bool is_shared = shared > 1 && sets >= TP_SHARED_SETS && shared <= TP_POOL_MOST_TASKS;
    d->chosen = chosen;
    for (int k = 0; k < count; k++) {
        if (!is_shared || sets_of(d, k) >= TP_BODY_LAWS) solve_island(d, k, &all);
    }
    if (is_shared) {
        tp_pool_run(d->call->pool, shared, solve_chosen, d);
        tp_workspace_level_stacks(d->workspace);
    }
    for (int k = 0; k < count; k++) {
        if (d->outcomes[k].status != TP_OK) {
            explain_by(&d->outcomes[k].report, d->report);
            return d->report->status = d->outcomes[k].status;
        }
        add_report(d, k);
    }
    return TP_OK;
}

/* Unknowns that no law touches, where M is diagonal, as it is of balls. */
static void move_some_rest(void *context, int begin, int end)
{
    const division *d = context;
    const tp_problem *problem = d->call->problem;
    const int *x = d->islands.x + d->islands.x_start[d->islands.count];
    for (int k = begin; k < end; k++)
        d->x[x[k]] = problem->f[x[k]] / problem->M.value[problem->M.start[x[k]]];
}

/* Unknowns that no law touches: x = M^-1 f. */
static tp_status move_rest(division *d)
{
    int number = d->islands.count, count = d->islands.x_start[number + 1] - d->islands.x_start[number];
    if (d->x == NULL || count == 0) return TP_OK;
    if (d->rows->balls != NULL) {
        tp_pool_share(d->call->pool, count, ROWS_OF_TASK, move_some_rest, d);
        return TP_OK;
    }
    tp_stack *stack = d->call->stack;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_island rest;
    TP_TRY(tp_island_take(d->call->problem, &d->islands, number, d->P, stack, &rest));
    double *x = TP_STACK_ARRAY(stack, double, count);
    if (x == NULL) return TP_OUT_OF_MEMORY;
    tp_status status = tp_problem_state_with(&rest.problem, stack, rest.P, x, NULL);
    for (int k = 0; k < count && status == TP_OK; k++)
        d->x[d->islands.x[d->islands.x_start[number] + k]] = x[k];
    tp_stack_release(stack, mark);
    return status;
}

static bool problem_is_large(const tp_problem *problem)
{
    return problem->set_count > TP_WHOLE_SETS;
}

/* Solves the whole problem as one, where the islands have left it an error. Their answer stays if it is the
   better one: beside light bodies errors of heavy ones are hard to lower in the whole. */
static tp_status solve_whole(division *d, double error)
{
    tp_report of_islands = *d->report;
    tp_solver_options warm = *d->call->options;
    tp_solve_call call = *d->call;
    bool is_large = problem_is_large(d->call->problem);
    size_t rows = (size_t)d->call->problem->row_count,
           n = d->x != NULL ? (size_t)d->call->problem->x_count : 0;
    tp_stack_mark mark = tp_stack_mark_now(d->call->stack);
    double *P = TP_STACK_ARRAY(d->call->stack, double, rows), *x = TP_STACK_ARRAY(d->call->stack, double, n);
    if (d->call->stack->failed) return d->report->status = TP_OUT_OF_MEMORY;
    memcpy(P, d->P, rows * sizeof(double));
    if (n > 0) memcpy(x, d->x, n * sizeof(double));
    if (!is_large) memcpy(d->P, d->guess, rows * sizeof(double));
    warm.warm_start = is_large || warm.warm_start;
    warm.unsolved_limit = 0.0;
    call.options = &warm;
    d->report->is_usable = false;
    tp_solve_undivided(&call, &tp_solver_auto, NULL, d->P, d->x, d->report);
    if (d->report->status == TP_NOT_CONVERGED && error < d->report->error) {
        of_islands.work += d->report->work;
        *d->report = of_islands;
        memcpy(d->P, P, rows * sizeof(double));
        if (n > 0) memcpy(d->x, x, n * sizeof(double));
    }
    tp_stack_release(d->call->stack, mark);
    return d->report->status;
}

/* An answer of islands is one of the whole problem, by the measures of the whole. Where islands that are
   solved do not solve it (their velocities are so small that errors were absolute), it is solved as one, a
   small problem from its own guess: the answer of the islands would be taken for rounding again. */
static tp_status judge_whole(division *d)
{
    tp_report *report = d->report;
    const tp_solver_options *options = d->call->options;
    const tp_status claim = report->status;
    tp_local_measure_parts(&d->whole);
    double error = tp_local_error_shared(&d->whole, d->P, d->xi, d->call->pool, d->call->stack);
    tp_judge(tp_rule_of(options), claim, error, tp_floor_at(&d->whole, d->P, options->noise), report);
    if (claim != TP_OK && report->status == TP_OK) {
        report->unsolved_count = 0;
        report->unsolved_error = 0.0;
        report->unsolved_set = -1;
        snprintf(report->reason, sizeof report->reason, "E of the whole problem is below its limit");
    }
    /* one island is the whole: solved again it would end at the same point */
    bool is_sharp =
        error <= options->tolerance || problem_is_large(d->call->problem) || d->islands.count == 1;
    if (claim != TP_OK || (report->status == TP_OK && is_sharp)) return report->status;
    if (d->rows->balls != NULL) {
        tp_status written = d->rows->write(d->rows->context);
        if (written != TP_OK) return report->status = written;
    }
    tp_status status = solve_whole(d, error);
    report->unsolved_count = status != TP_OK;
    report->unsolved_error = status != TP_OK ? report->error : 0.0;
    return status;
}

tp_status tp_solve_islands(const tp_solve_call *call, tp_workspace *workspace, double *P, double *x_out,
                           tp_report *report)
{
    const tp_problem *problem = call->problem;
    division d = {.call = call, .workspace = workspace, .P = P, .x = x_out, .report = report};
    d.xi = TP_STACK_ARRAY(call->stack, double, problem->row_count);
    d.c = TP_STACK_ARRAY(call->stack, double, problem->row_count);
    bool may_begin_anew = !problem_is_large(problem);
    if (may_begin_anew) d.guess = TP_STACK_ARRAY(call->stack, double, problem->row_count);
    if (call->stack->failed) return report->status = TP_OUT_OF_MEMORY;
    if (may_begin_anew) memcpy(d.guess, P, (size_t)problem->row_count * sizeof(double));
    d.whole = (tp_local){
        .row_count = problem->row_count, .set_count = problem->set_count, .c = d.c, .sets = problem->sets};
    const tp_ball_rows *balls = workspace->rows.balls;
    d.rows = &workspace->rows;
    tp_status status = balls != NULL
                           ? tp_islands_find_balls(problem, balls, call->pool, call->stack, &d.islands)
                           : tp_islands_find(problem, call->pool, call->stack, &d.islands);
    if (status == TP_OK) reserve_memory(&d);
    report->island_count = d.islands.count;
    report->unsolved_set = -1;
    report->is_usable = true;
    report->status = TP_OK;
    if (status == TP_OK) {
        pthread_mutex_init(&d.lock, NULL);
        status = solve_all(&d);
        pthread_mutex_destroy(&d.lock);
    }
    if (status == TP_OK) status = move_rest(&d);
    if (status == TP_SINGULAR && report->status == TP_OK) {
        status = TP_INVALID_DATA;
        snprintf(report->reason, sizeof report->reason, "the matrix M is singular");
    }
    if (status != TP_OK) return report->status = status;
    return judge_whole(&d);
}
