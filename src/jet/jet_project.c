/* Projections onto the manifold in turns: tangential and quasi-orthogonal; docs/theory/jet.md (29)-(36). */
#include "math/dense.h"
#include "math/sparse.h"
#include "parts.h"
#include "tolerances.h"

#include <string.h>

enum { NEWTON_STEPS = 30 }; /* of positions within a round */

static double size_of(const tp_jet *jet)
{
    return jet->system->model->summary.size;
}

/* ---- tangential: in velocities, whose rows leave lengths of Euler parameters alone ---- */

static double find_positions(tp_jet *jet)
{
    const tp_constraint_rows *rows = &jet->along.rows;
    for (int i = 0; i < rows->law_count; i++)
        tp_system_law_positions(jet->system, rows->law[i], jet->g + rows->first[i]);
    return tp_dense_largest(rows->row_count, jet->g);
}

static double find_velocities(tp_jet *jet)
{
    const tp_constraint_rows *rows = &jet->along.rows;
    for (int r = 0; r < rows->row_count; r++)
        jet->gamma[r] = rows->chi[r] + tp_jet_row_product(&rows->A, r, jet->u);
    return tp_dense_largest(rows->row_count, jet->gamma);
}

/* x = -weight W mu with W^T weight W mu = b: the least change of y along velocities that takes b away; (33).
 */
static void least_change(tp_jet *jet, const double *b, double *x)
{
    tp_jet_gram_solve(jet, &jet->along, b, jet->mu);
    memset(x, 0, (size_t)jet->m * sizeof(double));
    tp_sparse_multiply_add(&jet->along.rows.A, jet->mu, x);
    for (int j = 0; j < jet->m; j++) x[j] *= -jet->weight[j];
}

static void evaluate_along(tp_jet *jet)
{
    jet->counts.rows++;
    tp_constraint_rows_evaluate(&jet->along.rows);
}

/* One round: positions by Newton's method, then velocities. */
static tp_status hold_constraints(tp_jet *jet, double t, double *z)
{
    double goal = tp_jet_goal(jet, size_of(jet)), last = INFINITY, rounding = DBL_EPSILON * size_of(jet);
    bool is_again = jet->sweeps > 1; /* from the second round on all errors are taken away: what they hold of
                                        the energy would come back in every round */
    tp_jet_move(jet, t, z);
    for (int step = 0;; step++) {
        double error = find_positions(jet);
        if (error <= goal && !(is_again && step == 0 && error > rounding)) break;
        if (!(error < INFINITY) || step == NEWTON_STEPS) return TP_NOT_CONVERGED;
        last = error;
        jet->iterations++;
        evaluate_along(jet);
        TP_TRY(tp_jet_gram_update(&jet->along));
        least_change(jet, jet->g, jet->by_position);
        tp_jet_shift(jet, jet->by_position, z);
        tp_jet_normalise(jet, z);
        tp_jet_move(jet, t, z);
    }
    evaluate_along(jet);
    if (find_velocities(jet) <= tp_jet_goal(jet, size_of(jet) * tp_dense_largest(jet->m, jet->u)) &&
        !is_again)
        return TP_OK;
    jet->iterations += last == INFINITY; /* else a part of those of positions */
    TP_TRY(tp_jet_gram_update(&jet->along));
    for (int step = 0; step < NEWTON_STEPS; step++) { /* linear: one step, or some inexact ones */
        least_change(jet, jet->gamma, jet->by_velocity);
        for (int j = 0; j < jet->m; j++) jet->u[j] += jet->by_velocity[j];
        if (jet->options.forcing == 0.0 || find_velocities(jet) <= goal) break;
    }
    tp_jet_rates(jet, z, jet->u, z + jet->n);
    tp_system_move(jet->system, t, z, jet->u);
    return TP_OK;
}

/* ---- quasi-orthogonal: in coordinates; (31), (32) ---- */

static tp_status hold_constraints_quasi(tp_jet *jet, double t, double *z)
{
    int n = jet->n, rows = jet->D.cols;
    double goal = tp_jet_goal(jet, size_of(jet)), last = INFINITY;
    memcpy(jet->start, z, (size_t)n * sizeof(double));
    memset(jet->total, 0, (size_t)rows * sizeof(double));
    for (int step = 0;; step++) {
        tp_jet_move(jet, t, z);
        tp_jet_rows_evaluate(jet, z, false);
        double error = tp_dense_largest(rows, jet->g);
        if (error <= goal) break;
        if (!(error < INFINITY) || step == NEWTON_STEPS) return TP_NOT_CONVERGED;
        last = error;
        jet->iterations++;
        TP_TRY(tp_jet_gram_approach(jet, &jet->flat, n, jet->g, jet->mu, jet->total, z));
    }
    double speed = tp_dense_largest(jet->m, jet->u);
    bool is_off = tp_dense_largest(rows, jet->gamma) > tp_jet_goal(jet, size_of(jet) * speed);
    jet->iterations += is_off && last == INFINITY; /* else a part of those of positions */
    TP_TRY(tp_jet_gram_update(&jet->flat));
    tp_jet_gram_solve(jet, &jet->flat, jet->gamma, jet->mu);
    for (int i = 0; i < rows; i++) jet->mu[i] = -jet->mu[i];
    tp_sparse_multiply_add(&jet->D, jet->mu, z + n);
    tp_jet_move(jet, t, z);
    return TP_OK;
}

/* ---- invariants ---- */

/* One step of Gauss-Newton along the gradients of all invariants that are off; (35). */
static void approach_invariants(tp_jet *jet, double t, double *z)
{
    size_t n2 = 2 * (size_t)jet->n;
    tp_jet_invariants_evaluate(jet, t, z, true);
    for (int k = 0; k < jet->invariant_count; k++) {
        const double *slope = jet->slope + (size_t)k * n2;
        double square = 0.0;
        for (size_t i = 0; i < n2; i++) square += slope[i] * slope[i];
        for (size_t i = 0; i < n2 && square > 0.0; i++) z[i] -= jet->value[k] / square * slope[i];
    }
    jet->iterations++;
}

/* A slope over velocities without its share along the rows, as a direction; (36). */
static void admit(tp_jet *jet, const double *slope, double *direction)
{
    const tp_sparse *A = &jet->along.rows.A;
    for (int j = 0; j < jet->m; j++) direction[j] = jet->weight[j] * slope[j];
    for (int r = 0; r < A->cols; r++) jet->gamma[r] = tp_jet_row_product(A, r, direction);
    tp_jet_gram_solve(jet, &jet->along, jet->gamma, jet->mu);
    memset(jet->change, 0, (size_t)jet->m * sizeof(double));
    tp_sparse_multiply_add(A, jet->mu, jet->change);
    for (int j = 0; j < jet->m; j++) direction[j] -= jet->weight[j] * jet->change[j];
}

/* The same along a direction that keeps the constraints to first order, so that rounds converge at once: of
   velocities, or of positions where velocities are too small for that (a turning point). Both together would
   not: the velocities that the constraints ask for at other positions have an energy of their own. */
static tp_status approach_invariants_inside(tp_jet *jet, double t, double *z)
{
    double *x = jet->start, *w = jet->start + jet->m;
    evaluate_along(jet);
    TP_TRY(tp_jet_gram_update(&jet->along));
    jet->iterations++;
    for (int k = 0; k < jet->invariant_count; k++) {
        tp_jet_invariant_slopes(jet, t, z, k);
        admit(jet, jet->by_position, x);
        admit(jet, jet->by_velocity, w);
        double along_x = tp_dense_dot(jet->m, jet->by_position, x),
               along_w = tp_dense_dot(jet->m, jet->by_velocity, w);
        bool is_position =
            along_x > 0.0 && !(fabs(jet->value[k]) <=
                               tp_jet_largest_share * fabs(tp_dense_dot(jet->m, jet->by_velocity, jet->u)));
        double square = is_position ? along_x : along_w;
        if (!(square > 0.0)) return TP_SINGULAR;
        for (int j = 0; j < jet->m; j++) {
            x[j] *= is_position ? -jet->value[k] / square : 0.0;
            jet->u[j] += is_position ? 0.0 : -jet->value[k] / square * w[j];
        }
        if (!is_position) tp_jet_rates(jet, z, jet->u, z + jet->n);
        tp_jet_shift(jet, x, z);
        tp_jet_normalise(jet, z);
        tp_jet_move(jet, t, z);
    }
    return TP_OK;
}

double tp_jet_length_error(const tp_jet *jet, const double *z)
{
    double error = 0.0;
    for (int k = 0; k < jet->turn_count; k++) {
        tp_quat p = tp_quat_at(z + jet->turn[k].q), p1 = tp_quat_at(z + jet->n + jet->turn[k].q);
        error = fmax(error, fmax(fabs(tp_quat_dot(p, p) - 1.0), fabs(tp_quat_dot(p, p1))));
    }
    return error;
}

bool tp_jet_rows_hold(const tp_jet *jet, double speed)
{
    int rows = jet->D.cols;
    return tp_dense_largest(rows, jet->g) <= tp_jet_goal(jet, size_of(jet)) &&
           tp_dense_largest(rows, jet->gamma) <= tp_jet_goal(jet, size_of(jet) * speed);
}

static bool invariants_hold(tp_jet *jet, double t, const double *z)
{
    tp_jet_invariants_evaluate(jet, t, z, false);
    return tp_dense_largest(jet->invariant_count, jet->value) <= tp_jet_invariant_goal(jet);
}

static tp_status project_tangentially(tp_jet *jet, double t, bool onto_invariants, double *z)
{
    for (jet->sweeps = 1; jet->sweeps <= jet->options.max_sweeps; jet->sweeps++) {
        tp_jet_normalise(jet, z);
        TP_TRY(hold_constraints(jet, t, z));
        if (!onto_invariants || invariants_hold(jet, t, z)) return TP_OK;
        TP_TRY(approach_invariants_inside(jet, t, z));
    }
    return TP_NOT_CONVERGED;
}

/* What a projection in turns has to take away is taken away. */
static bool all_hold(tp_jet *jet, double t, bool onto_invariants, const double *z)
{
    if (tp_jet_length_error(jet, z) > jet->options.tolerance) return false;
    tp_jet_move(jet, t, z);
    tp_jet_rows_evaluate(jet, z, false);
    return tp_jet_rows_hold(jet, tp_dense_largest(jet->n, z + jet->n)) &&
           (!onto_invariants || invariants_hold(jet, t, z));
}

/* Lengths, constraints and invariants in turns. Every round moves all of them: to leave out what holds within
   the tolerance would make the result jump by as much, which is far above the errors of steps. */
static tp_status project_in_turns(tp_jet *jet, double t, bool onto_invariants, double *z)
{
    for (jet->sweeps = 1; jet->sweeps <= jet->options.max_sweeps; jet->sweeps++) {
        if (all_hold(jet, t, onto_invariants, z)) return TP_OK;
        tp_jet_normalise(jet, z);
        TP_TRY(hold_constraints_quasi(jet, t, z));
        for (int step = 0; onto_invariants && !invariants_hold(jet, t, z); step++) {
            if (step == NEWTON_STEPS) return TP_NOT_CONVERGED;
            approach_invariants(jet, t, z);
            tp_jet_move(jet, t, z);
        }
    }
    return TP_NOT_CONVERGED;
}

tp_status tp_jet_project(tp_jet *jet, double t, bool onto_invariants, double *z)
{
    static tp_status (*const by[])(tp_jet *, double, bool, double *) = {
        [TP_JET_ORTHOGONAL] = tp_jet_project_orthogonally,
        [TP_JET_TANGENTIAL] = project_tangentially,
        [TP_JET_QUASI] = project_in_turns,
    };
    jet->iterations = jet->sweeps = 0;
    tp_status status = by[jet->options.projection](jet, t, onto_invariants && jet->invariant_count > 0, z);
    tp_jet_counts *counts = &jet->counts;
    counts->projections += jet->iterations > 0;
    counts->iterations += jet->iterations;
    counts->sweeps += jet->sweeps;
    if (jet->iterations > counts->most_iterations) counts->most_iterations = jet->iterations;
    if (jet->sweeps > counts->most_sweeps) counts->most_sweeps = jet->sweeps;
    return status;
}

tp_status tp_jet_show(tp_jet *jet, double t, double *z)
{
    tp_jet_counts counts = jet->counts;
    tp_status status = tp_jet_project(jet, t, true, z);
    jet->counts = counts;
    return status;
}
