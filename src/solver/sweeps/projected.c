/* Projected Jacobi and projected Gauss-Seidel, with the transformed and the recovering variants;
 * theory/solvers.md (15)-(18). */
#include "block_solve.h"
#include "set/friction_set.h"
#include "set/row_bounds.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_SWEEPS = 100000 };

typedef struct sweeper {
    const tp_local *local;
    const tp_solver_options *options;
    bool is_jacobi;
} sweeper;

/* r = alpha / largest diagonal entry of the rows [from, n); theory/solvers.md (16). */
static double step_length(const sweeper *sweep, const double *D, int n, int from)
{
    double largest = 0.0;
    for (int k = from; k < n; k++) largest = fmax(largest, D[k + k * n]);
    return sweep->options->relaxation / (largest > 0.0 ? largest : sweep->local->rho);
}

/* One projection step of the rows [from, n) onto a friction set of given size: plain, recovering, or with the
   rows scaled so that an ellipsoid is a ball; theory/solvers.md (17), (18). factor[k] belongs to row from +
   k. */
static void project_friction(const sweeper *sweep, const tp_set *set, double size, int from, const double *D,
                             const double *xi, double *p)
{
    int n = set->size, m = n - from;
    double factor[TP_FRICTION_MAX], z[TP_FRICTION_MAX] = {0}, projected[TP_FRICTION_MAX], largest = 0.0;
    tp_friction_set friction = tp_friction_of(set);
    bool is_scaled = sweep->options->transformed && tp_friction_semi_axes(&friction, factor);
    for (int k = 0; k < m; k++) {
        if (!is_scaled) factor[k] = 1.0;
        largest = fmax(largest, factor[k] * factor[k] * D[from + k + (from + k) * n]);
    }
    double r = sweep->options->relaxation / (largest > 0.0 ? largest : sweep->local->rho);
    for (int k = 0; k < m; k++)
        z[k] = (factor[k] > 0.0 ? p[from + k] / factor[k] : 0.0) - r * factor[k] * xi[from + k];

    static const double unit = 1.0;
    if (is_scaled) friction = (tp_friction_set){TP_FRICTION_BALL, m, &unit};
    tp_friction_project(&friction, size, z, projected);
    bool is_idle = true;
    for (int k = 0; k < m; k++) is_idle = is_idle && projected[k] == z[k];
    for (int k = 0; k < m; k++) {
        double diagonal = D[from + k + (from + k) * n];
        if (sweep->options->recovering && is_idle && diagonal > 0.0) {
            p[from + k] -= sweep->options->relaxation * xi[from + k] / diagonal;
        } else {
            p[from + k] = factor[k] * projected[k];
        }
    }
}

static void project_rows(const sweeper *sweep, const tp_set *set, const double *D, double *xi, double *p)
{
    int n = set->size;
    double block_r = step_length(sweep, D, n, 0);
    for (int k = 0; k < n; k++) {
        tp_row_bounds bounds = tp_set_row_bounds(set, k);
        double diagonal = D[k + k * n], before = p[k];
        bool own_step = set->kind != TP_SET_FREE || sweep->options->recovering;
        double r = own_step && diagonal > 0.0 ? sweep->options->relaxation / diagonal : block_r;
        p[k] = fmin(fmax(p[k] - r * xi[k], bounds.lower), bounds.upper);
        if (sweep->is_jacobi || set->kind == TP_SET_FREE) continue;
        for (int j = k + 1; j < n; j++) xi[j] += D[j + k * n] * (p[k] - before);
    }
}

/* One contact: the normal row, then the tangential rows with the new size. */
static void project_contact(const sweeper *sweep, const tp_set *set, const double *D, double *xi, double *p)
{
    int n = set->size;
    double before = p[0], r = step_length(sweep, D, 1, 0);
    p[0] = fmax(0.0, p[0] - (D[0] > 0.0 ? sweep->options->relaxation / D[0] : r) * xi[0]);
    if (!sweep->is_jacobi) {
        for (int k = 1; k < n; k++) xi[k] += D[k] * (p[0] - before);
    }
    if (p[0] > 0.0) {
        project_friction(sweep, set, p[0], 1, D, xi, p);
    } else {
        memset(p + 1, 0, (size_t)(n - 1) * sizeof(double));
    }
}

/* One step of block i: xi is the velocity of its rows at p (and is used up). P is the whole vector, for sets
 * that follow others. */
static void project_block(const sweeper *sweep, int i, const double *P, double *xi, double *p)
{
    const tp_set *set = &sweep->local->sets[i];
    const double *D = tp_local_diagonal(sweep->local, i);
    switch (set->kind) {
    case TP_SET_ZERO: memset(p, 0, (size_t)set->size * sizeof(double)); return;
    case TP_SET_FREE:
    case TP_SET_ORTHANT:
    case TP_SET_BOX: project_rows(sweep, set, D, xi, p); return;
    case TP_SET_FRICTION: project_friction(sweep, set, tp_set_scale(set, P), 0, D, xi, p); return;
    case TP_SET_CONTACT: project_contact(sweep, set, D, xi, p); return;
    case TP_SET_CONE:
    case TP_SET_DUAL_CONE: {
        double r = step_length(sweep, D, set->size, 0);
        for (int k = 0; k < set->size; k++) p[k] -= r * xi[k];
        tp_set_project(set, 1.0, p, p);
        return;
    }
    }
}

/* After how many sweeps E is computed: often at first, then more rarely. */
static bool is_check_point(int sweep)
{
    return sweep <= 4 || (sweep <= 64 && sweep % 4 == 0) || sweep % 16 == 0;
}

static int sweep_limit(const tp_solver_options *options)
{
    return options->max_iterations > 0 ? options->max_iterations : DEFAULT_SWEEPS;
}

static tp_status finish(tp_report *report, bool is_solved, int sweeps, double work)
{
    report->iterations = sweeps;
    report->work = work;
    return tp_report_end(report, is_solved ? TP_OK : TP_NOT_CONVERGED,
                         is_solved ? "E is below the tolerance after %d sweeps" : "stopped after %d sweeps",
                         sweeps);
}

/* All blocks from the same old point. xi of the whole problem is needed anyway, so E is known in every step.
 */
static tp_status solve_jacobi(const tp_solve_call *call, double *P, tp_report *report)
{
    const tp_local *local = call->local;
    sweeper sweep = {local, call->options, true};
    double *xi = TP_STACK_ARRAY(call->stack, double, local->row_count),
           *next = TP_STACK_ARRAY(call->stack, double, local->row_count);
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    int limit = sweep_limit(call->options), count = 0;
    bool is_solved = false;
    for (;; count++) {
        tp_local_velocity(local, P, xi);
        is_solved = tp_local_error_at(local, P, xi, NULL) <= call->options->tolerance;
        if (is_solved || count == limit) break;
        memcpy(next, P, (size_t)local->row_count * sizeof(double));
        for (int i = 0; i < local->set_count; i++) {
            int first = local->sets[i].first;
            project_block(&sweep, i, next, xi + first, next + first);
        }
        memcpy(P, next, (size_t)local->row_count * sizeof(double));
    }
    return finish(report, is_solved, count, 1.0 * count * local->G->block_count);
}

static tp_status solve_gauss_seidel(const tp_solve_call *call, double *P, tp_report *report)
{
    const tp_local *local = call->local;
    sweeper sweep = {local, call->options, false};
    tp_block_solver exact;
    TP_TRY(tp_block_solver_init(&exact, local, call->stack));
    double *work = TP_STACK_ARRAY(call->stack, double, local->row_count);
    if (work == NULL) return TP_OUT_OF_MEMORY;
    int limit = sweep_limit(call->options), count = 0;
    bool is_solved = tp_local_error(local, P, work, NULL) <= call->options->tolerance;
    while (!is_solved && count < limit) {
        for (int i = 0; i < local->set_count; i++) {
            double xi[TP_SET_MAX];
            tp_block_velocity(local, i, P, call->options->exact_local, xi);
            if (call->options->exact_local) {
                tp_block_solve(&exact, i, xi, P);
            } else {
                project_block(&sweep, i, P, xi, P + local->sets[i].first);
            }
        }
        count++;
        if (is_check_point(count) || count == limit) {
            is_solved = tp_local_error(local, P, work, NULL) <= call->options->tolerance;
        }
    }
    return finish(report, is_solved, count, 1.0 * count * local->G->block_count);
}

const tp_solver tp_solver_jacobi = {
    .info = {"projected-jacobi",
             "projection of all blocks from the same point (relaxation, transformed, recovering)", true},
    .accepts = TP_ACCEPT_ALL,
    .solve = solve_jacobi,
};

const tp_solver tp_solver_gauss_seidel = {
    .info = {"projected-gauss-seidel",
             "projection block after block (relaxation, transformed, recovering, exact blocks)", true},
    .accepts = TP_ACCEPT_ALL,
    .solve = solve_gauss_seidel,
};
