/* Projected Newton for nonlinear inclusions, and the sequence of linearised inclusions behind it;
 * theory/solvers.md (29)-(31). */
#include "inclusion_iteration.h"
#include "math/block_matrix.h"
#include "math/dense.h"
#include "math/factor.h"
#include "math/sparse.h"
#include "problem/local.h"
#include "solver/infeasible/farkas.h"
#include "solver/newton/linearise.h"
#include "solvers.h"
#include "tolerances.h"
#include "workspace.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    DEFAULT_ITERATIONS = 1000,
    DEFAULT_LINEARISED = 50,
    LINEAR_ITERATIONS = 100000,
    STAGNATION_STEPS = 3,
    REPEATS = 4 /* errors as two steps before: the iteration goes round in circles */
};

/* A search along one step gives up here: the step is then 1/1000 of its length. */
enum { MOST_HALVINGS = 10 };

/* Its proximal term keeps it near its start. */
static const char *const nearest_solver = "proximal-newton";

tp_inclusion_options tp_inclusion_options_default(void)
{
    return (tp_inclusion_options){.tolerance = tp_default_inclusion_tolerance, .relaxation = 1.0};
}

static double law_scale(const tp_inclusion *inclusion)
{
    return tp_is_rounding(inclusion->xi_scale / tp_noise_factor) ? 1.0 : inclusion->xi_scale;
}

/* Size of entry i of F. An inclusion may measure it anew at each point; answers that run away must not raise
   it. */
static double F_size(const tp_iteration *it, int i)
{
    if (it->inclusion->F_scale == NULL) return 1.0;
    return fmin(it->inclusion->F_scale[i], tp_largest_growth * it->F_size_at_start[i]);
}

tp_status tp_iteration_evaluate(tp_iteration *it, const double *x, const double *P)
{
    const tp_problem *linear = it->inclusion->linear;
    TP_TRY(it->inclusion->residual(it->inclusion->self, x, P, it->F, it->xi));
    double largest = 0.0, sum = 0.0;
    for (int i = 0; i < linear->x_count; i++) {
        largest = fmax(largest, isfinite(it->F[i]) ? fabs(it->F[i]) / F_size(it, i) : INFINITY);
    }
    for (int i = 0; i < linear->set_count; i++) {
        double e = tp_local_block_error(&linear->sets[i], it->rho, P, it->xi + linear->sets[i].first);
        sum += e * e;
    }
    double scale = law_scale(it->inclusion);
    it->error = fmax(largest, sqrt(sum) / scale);
    if (!isfinite(it->error)) it->error = 1e300;
    return TP_OK;
}

/* What the data explain is that of the start: an iteration that runs away does not raise it. */
static void keep_measures(tp_iteration *it, const tp_local *local)
{
    it->rho = local->rho;
    if (!it->is_measured) it->impulse = tp_explained_impulse(local->inertia, law_scale(it->inclusion));
    it->is_measured = true;
}

/* rho and the step lengths r_i = alpha / max_k G_ii,kk of the linearisation at (x, P); theory/solvers.md
 * (29). */
static tp_status measure_lengths(tp_iteration *it)
{
    const tp_problem *linear = it->inclusion->linear;
    tp_stack_mark mark = tp_stack_mark_now(it->stack);
    tp_local local;
    tp_status status = tp_local_form(linear, it->stack, &local);
    for (int i = 0; i < linear->set_count && status == TP_OK; i++) {
        const tp_set *set = &linear->sets[i];
        const double *D = tp_local_diagonal(&local, i);
        double largest = 0.0;
        int skip = set->kind == TP_SET_CONTACT ? 1 : 0;
        for (int k = skip; k < set->size; k++) largest = fmax(largest, D[k + k * set->size]);
        double normal = skip && D[0] > 0.0 ? D[0] : (largest > 0.0 ? largest : local.rho);
        it->r[i].normal = it->options->relaxation / normal;
        it->r[i].tangent = it->options->relaxation / (largest > 0.0 ? largest : normal);
    }
    if (status == TP_OK) keep_measures(it, &local);
    tp_stack_release(it->stack, mark);
    return status;
}

/* rho alone, where linearised inclusions are all that follows: G is not needed, and would be large. */
static tp_status measure_rho(tp_iteration *it)
{
    const tp_problem *linear = it->inclusion->linear;
    tp_local local;
    TP_TRY(tp_lu_factor(it->stack, &linear->M, 0.1, NULL, &it->start_factors));
    TP_TRY(tp_local_measure(linear, &it->start_factors, it->stack, &local));
    it->has_factors = true;
    keep_measures(it, &local);
    return TP_OK;
}

/* What residual and steps need of the linearisation at (x, P). Factors of M stay on the stack. */
static tp_status measure(tp_iteration *it, const double *x, const double *P)
{
    tp_problem *linear = it->inclusion->linear;
    TP_TRY(it->inclusion->linearise(it->inclusion->self, x, P, linear));
    linear->D_norm = -1.0; /* its values have changed */
    if (it->inclusion->F_scale != NULL && !it->is_measured)
        memcpy(it->F_size_at_start, it->inclusion->F_scale, (size_t)linear->x_count * sizeof(double));
    if (!it->options->linearised_only || linear->x_count == 0) return measure_lengths(it);
    return measure_rho(it);
}

/* Where F has a domain, the point before a step is kept, so that the step can be shortened. */
void tp_iteration_keep_point(const tp_iteration *it, const double *x, const double *P)
{
    const tp_problem *linear = it->inclusion->linear;
    if (it->x_before == NULL) return;
    memcpy(it->x_before, x, (size_t)linear->x_count * sizeof(double));
    memcpy(it->P_before, P, (size_t)linear->row_count * sizeof(double));
}

/* Both x and P go only a part of the way from the point that was kept, which sets and cones allow, being
   convex. */
static void shorten(const tp_iteration *it, double part, double *x, double *P)
{
    const tp_problem *linear = it->inclusion->linear;
    for (int i = 0; i < linear->x_count; i++) x[i] = it->x_before[i] + part * (x[i] - it->x_before[i]);
    for (int i = 0; i < linear->row_count; i++) P[i] = it->P_before[i] + part * (P[i] - it->P_before[i]);
}

/* A step from the point that was kept ends where F is defined; theory/solvers.md (31a). */
void tp_iteration_stay_inside(const tp_iteration *it, double *x, double *P)
{
    if (it->x_before == NULL) return;
    double part = it->inclusion->reach(it->inclusion->self, it->x_before, x);
    if (part < 1.0) shorten(it, part, x, P);
}

/* x <- x - J^-1 F(x, P), then P_i <- proj(P_i - r_i g_i(x, P)); theory/solvers.md (30). */
static tp_status newton_iteration(tp_iteration *it, const tp_lu *lu, double *x, double *P)
{
    const tp_inclusion *inclusion = it->inclusion;
    const tp_problem *linear = inclusion->linear;
    if (linear->x_count > 0) {
        memcpy(it->step, it->F, (size_t)linear->x_count * sizeof(double));
        tp_lu_solve(lu, it->step);
        tp_iteration_keep_point(it, x, P);
        for (int i = 0; i < linear->x_count; i++) x[i] -= it->step[i];
        tp_iteration_stay_inside(it, x, P);
        TP_TRY(inclusion->residual(inclusion->self, x, P, it->F, it->xi));
    }
    for (int i = 0; i < linear->set_count; i++) {
        const tp_set *set = &linear->sets[i];
        double next[TP_SET_MAX];
        tp_law_project(set, tp_set_scale(set, P), it->r[i], P + set->first, it->xi + set->first, next);
        memcpy(P + set->first, next, (size_t)set->size * sizeof(double));
    }
    return TP_OK;
}

/* Projected Newton until the error is small or does not fall any more. */
static tp_status projected_newton(tp_iteration *it, double *x, double *P, int *count_out)
{
    tp_problem *linear = it->inclusion->linear;
    int limit = it->options->max_iterations > 0 ? it->options->max_iterations : DEFAULT_ITERATIONS;
    tp_stack_mark mark = tp_stack_mark_now(it->stack);
    tp_lu lu = {0};
    tp_status status = measure(it, x, P);
    if (status == TP_OK && linear->x_count > 0) status = tp_lu_factor(it->stack, &linear->M, 0.1, NULL, &lu);
    if (status == TP_OK) status = tp_iteration_evaluate(it, x, P);
    double start = it->error;
    int count = 0;
    for (; status == TP_OK && it->error > it->options->tolerance && count < limit; count++) {
        if (it->options->refresh && count > 0) {
            tp_stack_release(it->stack, mark);
            status = measure(it, x, P);
            if (status == TP_OK && linear->x_count > 0)
                status = tp_lu_factor(it->stack, &linear->M, 0.1, NULL, &lu);
        }
        if (status == TP_OK) status = newton_iteration(it, &lu, x, P);
        if (status == TP_OK) status = tp_iteration_evaluate(it, x, P);
        if (count > 20 && it->error > 1e3 * start) break; /* diverges */
    }
    tp_stack_release(it->stack, mark);
    *count_out = count;
    return status;
}

/* The right-hand sides that make the linear problem agree with the inclusion at (x, P):
   f = M x - A P - F, b = xi - C x - D P; theory/solvers.md (31). */
static void fill_right_sides(const tp_iteration *it, const double *x, const double *P, tp_problem *linear)
{
    for (int i = 0; i < linear->x_count; i++) linear->f[i] = it->F[i];
    if (linear->x_count > 0) {
        tp_sparse_multiply_add(&linear->A, P, linear->f);
        for (int i = 0; i < linear->x_count; i++) linear->f[i] = -linear->f[i];
        tp_sparse_multiply_add(&linear->M, x, linear->f);
    }
    const tp_block_matrix *D = &linear->D;
    for (int i = 0; i < linear->row_count; i++) linear->b[i] = -it->xi[i];
    for (int i = 0; i < D->block_rows; i++) {
        int n = linear->sets[i].size;
        for (int k = D->start[i]; k < D->start[i + 1]; k++) {
            const tp_set *other = &linear->sets[D->column[k]];
            tp_dense_multiply_add(n, other->size, D->value + D->offset[k], n, P + other->first,
                                  linear->b + linear->sets[i].first);
        }
    }
    if (linear->x_count > 0) tp_sparse_multiply_transposed_add(&linear->Ct, x, linear->b);
    for (int i = 0; i < linear->row_count; i++) linear->b[i] = -linear->b[i];
}

tp_status tp_iteration_linearise(tp_iteration *it, const double *x, const double *P)
{
    tp_problem *linear = it->inclusion->linear;
    TP_TRY(it->inclusion->linearise(it->inclusion->self, x, P, linear));
    linear->D_norm = -1.0; /* its values have changed */
    fill_right_sides(it, x, P, linear);
    return TP_OK;
}

/* |size| += |matrix| |x| by columns. */
static void add_sizes(const tp_sparse *matrix, const double *x, double *size)
{
    for (int j = 0; j < matrix->cols; j++) {
        for (int k = matrix->start[j]; k < matrix->start[j + 1]; k++)
            size[matrix->index[k]] += fabs(matrix->value[k] * x[j]);
    }
}

/* Largest term of F beside its size, of |matrix| |x|. */
static double largest_term(const tp_iteration *it, const tp_sparse *matrix, const double *x)
{
    double largest = 0.0, *size = it->step;
    int n = it->inclusion->linear->x_count;
    if (n == 0) return 0.0;
    memset(size, 0, (size_t)n * sizeof(double));
    add_sizes(matrix, x, size);
    for (int i = 0; i < n; i++) largest = fmax(largest, size[i] / F_size(it, i));
    return largest;
}

/* Rounding errors that the inclusion knows of, beside the sizes of F and xi. */
static double data_noise(const tp_iteration *it)
{
    const tp_inclusion *inclusion = it->inclusion;
    double noise = 0.0;
    for (int i = 0; i < inclusion->linear->x_count && inclusion->F_noise != NULL; i++)
        noise = fmax(noise, inclusion->F_noise[i] / F_size(it, i));
    if (inclusion->xi_noise != NULL)
        noise = fmax(noise,
                     tp_dense_norm(inclusion->linear->row_count, inclusion->xi_noise) / law_scale(inclusion));
    return noise;
}

/* What rounding leaves of the error, roughly: eps times the terms of M x = f + A P and of the laws, and the
   noise of the data; both as far as the data explain x and P: answers that run away have no excuse;
   theory/problems.md (21). */
tp_floor tp_iteration_floor(const tp_iteration *it, const double *x, const double *P)
{
    const tp_problem *linear = it->inclusion->linear;
    double scale = law_scale(it->inclusion), P_norm = tp_dense_norm(linear->row_count, P);
    double inertia = largest_term(it, &linear->M, x), b = tp_dense_norm(linear->row_count, linear->b) / scale;
    double P_part = P_norm > it->impulse ? it->impulse / P_norm : 1.0;
    double x_part = inertia > tp_geometric_gain ? tp_geometric_gain / inertia : 1.0;
    double equations = 2.0 * (x_part * inertia + P_part * largest_term(it, &linear->A, P));
    double laws = P_part * it->rho * P_norm / scale + fmin(b, tp_geometric_gain);
    return (tp_floor){DBL_EPSILON * fmax(equations, laws), fmin(P_part, x_part) * data_noise(it)};
}

/* Sizes of the terms of each equation at (x, P). Laws mix the rows of a set: the rounding of its largest
   impulse is in all of them. P_size [row_count]: scratch. */
static void size_equations(const tp_iteration *it, const double *x, const double *P, double *P_size,
                           double *terms)
{
    const tp_problem *linear = it->inclusion->linear;
    for (int i = 0; i < linear->set_count; i++) {
        const tp_set *set = &linear->sets[i];
        double size = tp_dense_norm(set->size, P + set->first);
        for (int k = set->first; k < set->first + set->size; k++) P_size[k] = size;
    }
    for (int i = 0; i < linear->x_count; i++) terms[i] = F_size(it, i) + fabs(linear->f[i]);
    add_sizes(&linear->M, x, terms);
    add_sizes(&linear->A, P_size, terms);
}

/* What x_i is known to in roundings: by its own size, and by what those of its equation move it. */
static double known_size(const tp_sparse *M, int i, double x, double terms)
{
    for (int k = M->start[i]; k < M->start[i + 1]; k++) {
        if (M->index[k] == i && M->value[k] != 0.0) return fabs(x) + terms / fabs(M->value[k]);
    }
    return fabs(x);
}

/* Rounding of the laws of one set at (x, P): of the terms of xi = C x + D P + b, of P as a velocity, and of
   the data; terms are those of the equations. */
static double set_rounding(const tp_iteration *it, const tp_set *set, const double *x, const double *P,
                           const double *terms)
{
    const tp_problem *linear = it->inclusion->linear;
    const double *noise = it->inclusion->xi_noise;
    double size = law_scale(it->inclusion), data = 0.0;
    for (int row = set->first; row < set->first + set->size; row++) {
        size += fabs(linear->b[row]) + it->rho * fabs(P[row]);
        for (int k = linear->Ct.start[row]; k < linear->Ct.start[row + 1]; k++) {
            int i = linear->Ct.index[k];
            size += fabs(linear->Ct.value[k]) * known_size(&linear->M, i, x[i], terms[i]);
        }
        if (noise != NULL) data += noise[row];
    }
    return DBL_EPSILON * size + data;
}

/* Is nothing but rounding left at (x, P), in each equation and each law of its own terms? What internal
   forces of a wall leave in the equations of one brick is far above the rounding of its weight, and no
   solution has less; the floor, which is that of the largest terms, would excuse other rows by them; (31d).
 */
static tp_status find_rounding(tp_iteration *it, const double *x, const double *P, bool *is_rounding_out)
{
    const tp_inclusion *inclusion = it->inclusion;
    const tp_problem *linear = inclusion->linear;
    double *terms = it->step;
    tp_stack_mark mark = tp_stack_mark_now(it->stack);
    double *P_size = TP_STACK_ARRAY(it->stack, double, linear->row_count);
    if (it->stack->failed) return TP_OUT_OF_MEMORY;
    if (linear->x_count > 0) size_equations(it, x, P, P_size, terms);
    tp_stack_release(it->stack, mark);
    bool is_left = false;
    for (int i = 0; i < linear->x_count && !is_left; i++) {
        double data = inclusion->F_noise != NULL ? inclusion->F_noise[i] : 0.0;
        is_left = !(fabs(it->F[i]) <= tp_start_roundings * (DBL_EPSILON * terms[i] + data));
    }
    for (int i = 0; i < linear->set_count && !is_left; i++) {
        const tp_set *set = &linear->sets[i];
        double error = tp_local_block_error(set, it->rho, P, it->xi + set->first);
        is_left = !(error <= tp_start_roundings * set_rounding(it, set, x, P, terms));
    }
    *is_rounding_out = !is_left;
    return TP_OK;
}

/* The step that was taken is halved until the error falls. */
static tp_status go_downhill(tp_iteration *it, double error_before, double *x, double *P)
{
    for (int k = 0; k < MOST_HALVINGS && it->error >= error_before; k++) {
        shorten(it, 0.5, x, P);
        TP_TRY(tp_iteration_evaluate(it, x, P));
    }
    return TP_OK;
}

/* E of a linear problem that the noise of its right sides leaves. Solvers that fail to get lower need not try
   in other ways: the next linearisation has other noise. Whether the inclusion is solved is judged apart. */
static double noise_error(const tp_iteration *it)
{
    const tp_inclusion *inclusion = it->inclusion;
    if (inclusion->xi_noise == NULL) return 0.0;
    double noise = tp_dense_norm(inclusion->linear->row_count, inclusion->xi_noise);
    return fmin(noise / law_scale(inclusion), tp_stagnation_error);
}

/* Linear problems need be solved no better than the inclusion as long as the error falls from one to the
   next; where it does not, the next one is solved a good deal better, down to what the sharpest inclusions
   need. */
static double first_linear_tolerance(const tp_inclusion_options *options)
{
    bool is_loose = tp_linear_share * options->tolerance > tp_linear_tolerance;
    return (is_loose ? tp_loose_share : tp_linear_share) * options->tolerance;
}

static void sharpen(tp_iteration *it, double error_before)
{
    double least = fmin(tp_linear_tolerance, tp_linear_share * it->options->tolerance);
    if (it->error > tp_linear_progress * error_before)
        it->linear_tolerance = fmax(tp_linear_fall * it->linear_tolerance, least);
}

/* E of a linear problem below which other ways are not tried: its noise, what the next linearisation changes
   anyway, and what the inclusion is solved to. */
static double linear_enough(const tp_iteration *it)
{
    double goal = fmax(it->options->tolerance, tp_goal_roundings * tp_floor_sum(it->floor));
    double enough = fmax(tp_linear_enough * fmin(it->error, 1.0), tp_goal_share * goal);
    return fmax(noise_error(it), fmin(enough, tp_stagnation_error));
}

/* One linearised inclusion: linearise at (x, P), solve, evaluate. */
static tp_status linearised_step(tp_iteration *it, tp_workspace *workspace, bool is_linearised, double *x,
                                 double *P)
{
    tp_problem *linear = it->inclusion->linear;
    tp_solver_options inner = it->options->inner != NULL ? *it->options->inner : tp_solver_options_default();
    inner.warm_start = true;
    if (it->linear_tolerance == 0.0) it->linear_tolerance = first_linear_tolerance(it->options);
    /* where the sharpest error was out of reach, and solutions may be many, a search for the last digits
       would wander among them, and the iteration would not end */
    inner.tolerance =
        fmax(it->linear_tolerance, it->is_out_of_reach ? tp_reachable_error : tp_sharpest_error);
    if (is_linearised)
        fill_right_sides(it, x, P, linear);
    else
        TP_TRY(tp_iteration_linearise(it, x, P));
    tp_iteration_keep_point(it, x, P);
    inner.enough = fmax(inner.enough, linear_enough(it));
    if (is_linearised && it->has_factors)
        workspace->known = (tp_known_factors){&linear->M, &it->start_factors};
    tp_report report;
    const char *solver = it->manner == TP_NEAREST_SOLUTIONS ? nearest_solver : it->options->solver;
    tp_status solved = tp_solve(linear, solver, &inner, workspace, P, x, &report);
    workspace->known = (tp_known_factors){NULL, NULL};
    it->work += report.work;
    /* what is solved to rounding is not infeasible, even if a search with a sharper tolerance finds no
     * solution */
    if (solved == TP_INFEASIBLE && report.error <= tp_stagnation_error) solved = TP_NOT_CONVERGED;
    it->is_unsolvable = solved == TP_INFEASIBLE; /* of the linearisation: no proof for the inclusion itself */
    if (it->is_unsolvable && is_linearised && it->manner == TP_FULL_STEPS)
        snprintf(it->proof, sizeof it->proof, "%s", report.reason);
    if (it->is_unsolvable) return TP_NOT_CONVERGED;
    if (solved != TP_OK && solved != TP_NOT_CONVERGED) return solved;
    it->is_out_of_reach = it->is_out_of_reach || solved == TP_NOT_CONVERGED;
    tp_iteration_stay_inside(it, x, P);
    it->floor = tp_iteration_floor(it, x, P);
    double error = it->error;
    TP_TRY(tp_iteration_evaluate(it, x, P));
    sharpen(it, error);
    return it->manner == TP_DOWNHILL ? go_downhill(it, error, x, P) : TP_OK;
}

/* They are of the start alone; their memory, above the mark, is given back. */
static void forget_factors(tp_iteration *it, tp_stack_mark mark)
{
    it->has_factors = false;
    tp_stack_release(it->stack, mark);
}

static bool is_high(const tp_iteration *it)
{
    return it->error >
           fmax(fmax(tp_high_error, it->options->tolerance), tp_few_floors * tp_floor_sum(it->floor));
}

/* E that large problems may be left with: no more is to be gained than the options ask for. */
static double usable_error(const tp_iteration *it)
{
    const tp_solver_options *inner = it->options->inner;
    bool is_large = inner != NULL && it->inclusion->linear->contact_count > inner->unsolved_contacts;
    return is_large ? inner->unsolved_limit : 0.0;
}

static bool is_interrupted(const tp_iteration *it)
{
    return it->options->interrupt != NULL && it->options->interrupt(it->options->interrupt_context);
}

tp_status tp_iteration_linearised(tp_iteration *it, tp_workspace *workspace, double *x, double *P,
                                  int *count_out)
{
    tp_problem *linear = it->inclusion->linear;
    int limit = it->options->max_linearised > 0 ? it->options->max_linearised : DEFAULT_LINEARISED;
    int patience = tp_iteration_has_followers(it) ? TP_FOLLOWER_PATIENCE : 0;
    if (it->options->patience > 0) patience = it->options->patience;
    double *x_best = TP_STACK_ARRAY(it->stack, double, linear->x_count),
           *P_best = TP_STACK_ARRAY(it->stack, double, linear->row_count);
    if (it->stack->failed) return TP_OUT_OF_MEMORY;

    tp_stack_mark mark = tp_stack_mark_now(it->stack);
    tp_status status = measure(it, x, P);
    if (status == TP_OK) status = tp_iteration_evaluate(it, x, P);
    if (status == TP_OK) { /* the start, too, may be all that rounding allows */
        fill_right_sides(it, x, P, linear);
        it->floor = tp_iteration_floor(it, x, P);
    }
    double best = INFINITY, goal = it->options->tolerance;
    if (it->options->linearised_only && it->options->start_tolerance > 0.0)
        goal = it->options->start_tolerance;
    double before = INFINITY, older[2] = {INFINITY, INFINITY};
    int count = 0, since_best = 0, repeats = 0;
    bool is_polishing = false, is_solved = false;
    if (status == TP_OK && it->options->linearised_only && it->options->start_tolerance > 0.0)
        status = find_rounding(it, x, P, &is_solved); /* the start, too, may be all that rounding allows */
    for (; status == TP_OK; count++) {
        since_best++;
        repeats = fabs(it->error - older[count % 2]) <= tp_repeated * it->error ? repeats + 1 : 0;
        older[count % 2] = it->error;
        bool is_solved_start = count == 1 && fmax(best, it->error) <= it->options->tolerance;
        bool is_polished =
            is_polishing && it->error <= fmax(goal, tp_goal_roundings * tp_floor_sum(it->floor));
        if (it->error < best || is_solved_start || is_polished) { /* a solved point is preferred to a start */
            bool is_better = it->error < (1.0 - tp_repeated) * best || is_solved_start || is_polished;
            best = it->error;
            if (is_better) since_best = 0;
            if (linear->x_count > 0) memcpy(x_best, x, (size_t)linear->x_count * sizeof(double));
            memcpy(P_best, P, (size_t)linear->row_count * sizeof(double));
        }
        if (is_polishing || is_solved || count == limit) break;
        is_polishing = it->error <= goal && !(is_high(it) && it->error < 0.5 * before);
        before = it->error;
        if (is_polishing && !(it->options->polish && count > 0)) break;
        if (since_best >= STAGNATION_STEPS &&
            (best <= fmax(tp_stagnation_error, usable_error(it)) || repeats >= REPEATS))
            break;
        if (patience > 0 && since_best >= patience) break;
        status = is_interrupted(it) ? TP_INTERRUPTED : linearised_step(it, workspace, count == 0, x, P);
        if (count == 0) forget_factors(it, mark);
        if (!is_polishing) goal = fmax(it->options->tolerance, tp_goal_roundings * tp_floor_sum(it->floor));
    }
    forget_factors(it, mark);
    *count_out = count;
    it->is_stagnant = it->error <= tp_stagnation_error;
    if (!isfinite(best)) return status; /* not even the start could be evaluated */
    if (linear->x_count > 0) memcpy(x, x_best, (size_t)linear->x_count * sizeof(double));
    memcpy(P, P_best, (size_t)linear->row_count * sizeof(double));
    it->error = best;
    return status;
}

static tp_status take_memory(tp_iteration *it)
{
    const tp_problem *linear = it->inclusion->linear;
    TP_STACK_DOUBLES(it->stack, linear->x_count, &it->F, &it->step, &it->F_size_at_start);
    it->xi = TP_STACK_ARRAY(it->stack, double, linear->row_count);
    it->r = TP_STACK_ARRAY(it->stack, tp_step_lengths, linear->set_count);
    if (it->inclusion->reach != NULL && linear->x_count > 0) {
        it->x_before = TP_STACK_ARRAY(it->stack, double, linear->x_count);
        it->P_before = TP_STACK_ARRAY(it->stack, double, linear->row_count);
    }
    return it->stack->failed ? TP_OUT_OF_MEMORY : TP_OK;
}

static tp_rule rule_of(const tp_inclusion_options *options)
{
    return (tp_rule){options->tolerance, options->enough, options->up_to_rounding};
}

bool tp_iteration_is_solved(const tp_iteration *it)
{
    return it->error <= tp_accepted_error(rule_of(it->options), it->floor);
}

/* The steps led nowhere: too far from a solution, to a linearisation without one, or to numbers that are no
   problem any more. */
static bool needs_another(const tp_iteration *it, tp_status status)
{
    return (status == TP_OK && !tp_iteration_is_solved(it)) || it->is_unsolvable ||
           status == TP_INVALID_DATA || status == TP_SINGULAR;
}

void tp_iteration_copy(const tp_problem *linear, const double *x, const double *P, double *x_out,
                       double *P_out)
{
    if (linear->x_count > 0) memcpy(x_out, x, (size_t)linear->x_count * sizeof(double));
    memcpy(P_out, P, (size_t)linear->row_count * sizeof(double));
}

/* Friction that follows a joint: steps may alternate between two cases with errors far below those of
   contacts. */
bool tp_iteration_has_followers(const tp_iteration *it)
{
    const tp_problem *linear = it->inclusion->linear;
    int i = 0;
    while (i < linear->set_count && linear->sets[i].master_count == 0) i++;
    return i < linear->set_count;
}

/* May the manner help? The nearest solutions are those of another solver than a user asked for, and what is
   off by rounding stays so; shorter steps need the point before. */
static bool may_help(const tp_iteration *it)
{
    bool is_rounding = it->error <= tp_stagnation_error;
    if (it->manner == TP_DOWNHILL) /* shorter steps do not solve what linear problems leave */
        return it->x_before != NULL && !(is_rounding && it->is_stagnant && it->is_out_of_reach);
    if (it->manner == TP_ALL_CASES && it->options->max_linearised > 0)
        return false; /* as many as were asked for */
    if (is_rounding && !(it->manner == TP_ALL_CASES && tp_iteration_has_followers(it))) return false;
    if (it->manner == TP_NEAREST_SOLUTIONS && it->proof[0] != '\0') return false; /* there are none */
    return it->options->solver == NULL || strcmp(it->options->solver, tp_solver_auto.info.name) == 0;
}

/* Linearised inclusions once more, from the start. The better point of both is kept. */
static tp_status try_again(tp_iteration *it, tp_workspace *workspace, tp_status status, double *x, double *P,
                           int *count)
{
    const tp_problem *linear = it->inclusion->linear;
    double *x_try = TP_STACK_ARRAY(it->stack, double, linear->x_count),
           *P_try = TP_STACK_ARRAY(it->stack, double, linear->row_count);
    if (it->stack->failed) return TP_OUT_OF_MEMORY;
    double error = it->error;
    tp_floor floor = it->floor;
    int more = 0;
    tp_iteration_copy(linear, it->x_start, it->P_start, x_try, P_try);
    tp_status found = it->manner == TP_ALL_CASES
                          ? tp_iteration_try_cases(it, workspace, x_try, P_try, &more)
                          : tp_iteration_linearised(it, workspace, x_try, P_try, &more);
    *count += more;
    if (it->error < error) {
        tp_iteration_copy(linear, x_try, P_try, x, P);
        return found;
    }
    it->error = error; /* the one before was better */
    it->floor = floor;
    return status;
}

static tp_status run(tp_iteration *it, tp_workspace *workspace, double *x, double *P, tp_report *report)
{
    const tp_problem *linear = it->inclusion->linear;
    TP_TRY(take_memory(it));
    it->x_start = TP_STACK_ARRAY(it->stack, double, linear->x_count);
    it->P_start = TP_STACK_ARRAY(it->stack, double, linear->row_count);
    if (it->stack->failed) return TP_OUT_OF_MEMORY;
    tp_iteration_copy(linear, x, P, it->x_start, it->P_start);

    int steps = 0, linearised = 0;
    tp_status status = TP_OK;
    if (!it->options->linearised_only) status = projected_newton(it, x, P, &steps);
    bool is_solved = status == TP_OK && !it->options->linearised_only && it->error <= it->options->tolerance;
    if (!is_solved) {
        if (!(it->error < 1.0)) /* the iteration ran away: begin again */
            tp_iteration_copy(linear, it->x_start, it->P_start, x, P);
        status = tp_iteration_linearised(it, workspace, x, P, &linearised);
        for (it->manner = TP_NEAREST_SOLUTIONS;
             it->manner < TP_INCLUSION_MANNERS && needs_another(it, status); it->manner++)
            if (may_help(it)) status = try_again(it, workspace, status, x, P, &linearised);
    }
    report->iterations = steps + linearised;
    report->work = it->work;
    bool has_ended = status == TP_OK || status == TP_NOT_CONVERGED;
    if (has_ended && it->proof[0] != '\0' && !tp_iteration_is_solved(it)) status = TP_INFEASIBLE;
    status = tp_judge(rule_of(it->options), status, it->error, it->floor, report);
    if (status == TP_INFEASIBLE)
        return tp_report_end(report, status, "linearised at its start: %.200s", it->proof);
    const char *end = status == TP_OK     ? "converged"
                      : it->is_unsolvable ? "the linearised laws have no solution"
                                          : tp_status_text(status);
    return tp_report_end(report, status, "%s after %d projected Newton steps and %d linearised inclusions",
                         end, steps, linearised);
}

tp_status tp_solve_inclusion(const tp_inclusion *inclusion, const tp_inclusion_options *options,
                             tp_workspace *workspace, double *x, double *P, tp_report *report_out)
{
    tp_inclusion_options defaults = tp_inclusion_options_default();
    *report_out = (tp_report){.solver = "projected-newton", .solution_count = -1, .error = INFINITY};
    tp_iteration it = {.inclusion = inclusion,
                       .options = options != NULL ? options : &defaults,
                       .stack = &workspace->stack,
                       .error = 1e300};
    tp_stack_mark mark = tp_stack_mark_now(it.stack);
    tp_stack_reserve(it.stack, tp_proof_memory(inclusion->linear->row_count)); /* as tp_solve does */
    report_out->status = run(&it, workspace, x, P, report_out);
    report_out->island_count = 1;
    report_out->unsolved_set = -1;
    report_out->unsolved_count = report_out->status == TP_NOT_CONVERGED;
    report_out->unsolved_error = report_out->unsolved_count > 0 ? report_out->error : 0.0;
    report_out->is_usable = report_out->error <= usable_error(&it);
    tp_stack_release(it.stack, mark);
    tp_stack_settle(it.stack);
    report_out->memory = workspace->stack.high_water;
    return report_out->status;
}

/* --- a one-step problem as an inclusion: the solver `projected-newton` of tp_solve */

static tp_status linear_residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    const tp_problem *problem = self;
    tp_block_matrix_apply(&problem->D, P, problem->b, xi);
    if (problem->x_count == 0) return TP_OK;
    tp_sparse_multiply_transposed_add(&problem->Ct, x, xi);
    memcpy(F, problem->f, (size_t)problem->x_count * sizeof(double));
    tp_sparse_multiply_add(&problem->A, P, F);
    for (int i = 0; i < problem->x_count; i++) F[i] = -F[i];
    tp_sparse_multiply_add(&problem->M, x, F);
    return TP_OK;
}

static tp_status already_linear(void *self, const double *x, const double *P, tp_problem *linear)
{
    (void)self, (void)x, (void)P, (void)linear;
    return TP_OK;
}

/* Size of each row of F: forces that change x by the size of the velocities, or those that act. */
static void measure_rows(const tp_problem *problem, double velocity, double *scale)
{
    for (int i = 0; i < problem->x_count; i++) scale[i] = fabs(problem->f[i]);
    for (int k = 0; k < problem->M.start[problem->x_count]; k++) {
        int i = problem->M.index[k];
        scale[i] = fmax(scale[i], fabs(problem->M.value[k]) * velocity);
    }
}

/* F = M x - A P - f and g = C x + D P + b; the iterates are those of projected Jacobi; theory/solvers.md
 * (30). */
static tp_status solve_projected_newton(const tp_solve_call *call, double *P, tp_report *report)
{
    tp_problem problem = *call->problem; /* the iteration changes nothing in it */
    double *F_scale = TP_STACK_ARRAY(call->stack, double, problem.x_count);
    if (F_scale == NULL) return TP_OUT_OF_MEMORY;
    if (problem.x_count > 0) measure_rows(&problem, call->local->scale, F_scale);
    tp_inclusion inclusion = {.self = &problem,
                              .linear = &problem,
                              .residual = linear_residual,
                              .linearise = already_linear,
                              .F_scale = F_scale,
                              .xi_scale = call->local->scale};
    tp_inclusion_options options = tp_inclusion_options_default();
    options.tolerance = call->options->tolerance;
    options.relaxation = call->options->relaxation;
    options.max_iterations =
        call->options->max_iterations > 0 ? call->options->max_iterations : LINEAR_ITERATIONS;
    tp_iteration it = {.inclusion = &inclusion, .options = &options, .stack = call->stack, .error = 1e300};
    TP_TRY(take_memory(&it));
    double *x = TP_STACK_ARRAY(call->stack, double, problem.x_count);
    if (x == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_problem_state_with(&problem, call->stack, P, x, NULL));

    int count;
    TP_TRY(projected_newton(&it, x, P, &count));
    bool is_solved = it.error <= options.tolerance;
    report->iterations = count;
    report->work = 1.0 * count * call->local->G->block_count;
    return tp_report_end(report, is_solved ? TP_OK : TP_NOT_CONVERGED,
                         is_solved ? "E is below the tolerance after %d steps" : "stopped after %d steps",
                         count);
}

const tp_solver tp_solver_projected_newton = {
    .info = {"projected-newton",
             "Newton on the equations, projection on the laws; for nonlinear inclusions too", true},
    .accepts = TP_ACCEPT_ALL,
    .solve = solve_projected_newton,
};
