/* Accelerations on the manifold: by the saddle system, or by the Schur complement with Cholesky factors or
   conjugate gradients; docs/theory/jet.md (14)-(20). */
#include "math/dense.h"
#include "math/sparse.h"
#include "parts.h"
#include "system/second_level.h"
#include "tippe/euler_parameters.h"
#include "tolerances.h"

#include <string.h>

/* The limit of conjugate gradients. */
enum { ITERATIONS_PER_ROW = 10 };

static tp_status create_schur(tp_jet *jet)
{
    size_t rows = (size_t)jet->along.rows.row_count;
    bool is_direct = jet->options.distribution == TP_JET_SCHUR;
    jet->schur = TP_ARENA_ARRAY(&jet->arena, double, is_direct ? rows *rows + 1 : 1);
    jet->column = TP_ARENA_ARRAY(&jet->arena, double, jet->m + 1);
    jet->multiplier = TP_ARENA_ARRAY(&jet->arena, double, rows + 1);
    jet->schur_work = TP_ARENA_ARRAY(&jet->arena, double, 3 * rows + 1);
    TP_TRY(tp_arena_status(&jet->arena));
    return tp_factor_create(jet->allocator, TP_FACTOR_LDL, &jet->mass_values, &jet->mass);
}

tp_status tp_jet_distribution_create(tp_jet *jet)
{
    const tp_system *system = jet->system;
    jet->mass_values = system->mass_pattern;
    jet->mass_values.value = TP_ARENA_ARRAY(&jet->arena, double, tp_sparse_count(&system->mass_pattern) + 1);
    TP_ARENA_DOUBLES(&jet->arena, jet->m + 1, &jet->h, &jet->a, &jet->row_force);
    jet->force = TP_ARENA_ARRAY(&jet->arena, double, (size_t)system->law_count *TP_LAW_ROWS + 1);
    jet->g2 = TP_ARENA_ARRAY(&jet->arena, double, jet->along.rows.row_count + 1);
    TP_TRY(tp_arena_status(&jet->arena));
    TP_TRY(tp_redundancy_create(jet->allocator, jet->system, &jet->redundancy));
    TP_TRY(create_schur(jet));
    if (jet->options.distribution != TP_JET_SADDLE) return TP_OK;
    return tp_saddle_create(jet->allocator, jet->system, jet->redundancy, &jet->saddle);
}

void tp_jet_distribution_free(tp_jet *jet)
{
    tp_saddle_free(jet->saddle);
    tp_redundancy_free(jet->redundancy);
    tp_factor_free(jet->mass);
}

const double *tp_jet_forces(const tp_jet *jet)
{
    return jet->force;
}

tp_status tp_jet_begin(tp_jet *jet, double t, const double *z, bool *changed_out)
{
    const double *totals = z + 2 * jet->n;
    int before = tp_redundancy_count(jet->redundancy);
    tp_jet_move(jet, t, z);
    tp_system_mass(jet->system, jet->mass_values.value);
    jet->work.t = t;
    jet->work.done = jet->options.has_trapezoidal_work ? totals[TP_JET_TRAPEZOID]
                                                       : totals[TP_JET_APPLIED] - totals[TP_JET_DISSIPATED];
    jet->work.power = tp_system_applied_power(jet->system) - tp_system_dissipated_power(jet->system);
    TP_TRY(tp_redundancy_find(jet->redundancy, jet->mass_values.value));
    /* values from outside may jump between steps */
    bool is_driven = jet->system->model->inputs.count > 0 || jet->system->applied_count > 0;
    *changed_out = before > 0 || tp_redundancy_count(jet->redundancy) > 0 || is_driven || jet->was_driven;
    jet->was_driven = is_driven;
    if (is_driven && jet->options.holds_energy) tp_jet_anchor_energy(jet, t, z);
    return TP_OK;
}

/* ---- Schur complement ---- */

/* Rows at the present point, those that depend on others as zeros. */
static void evaluate_rows(tp_jet *jet)
{
    tp_constraint_rows *rows = &jet->along.rows;
    tp_constraint_rows_evaluate(rows);
    for (int i = 0; i < rows->law_count; i++) {
        tp_system_law_drift(jet->system, rows->law[i], jet->g2 + rows->first[i]);
        for (int r = rows->first[i]; r < rows->first[i + 1]; r++) {
            if (!tp_redundancy_leaves_out(jet->redundancy, rows->law[i], r - rows->first[i])) continue;
            for (int k = rows->A.start[r]; k < rows->A.start[r + 1]; k++) rows->A.value[k] = 0.0;
            jet->g2[r] = 0.0;
        }
    }
}

static tp_status solve_schur(tp_jet *jet, const double *right)
{
    const tp_sparse *A = &jet->along.rows.A;
    int rows = A->cols;
    for (int s = 0; s < rows; s++) {
        memset(jet->column, 0, (size_t)jet->m * sizeof(double));
        for (int k = A->start[s]; k < A->start[s + 1]; k++) jet->column[A->index[k]] = A->value[k];
        tp_factor_solve(jet->mass, jet->column);
        for (int r = 0; r < rows; r++) jet->schur[r + s * rows] = tp_jet_row_product(A, r, jet->column);
        if (jet->schur[s + s * rows] == 0.0) jet->schur[s + s * rows] = 1.0; /* left out */
    }
    memcpy(jet->multiplier, right, (size_t)rows * sizeof(double));
    if (rows == 0) return TP_OK;
    TP_TRY(tp_dense_cholesky(rows, jet->schur, rows, tp_jet_least_pivot));
    tp_dense_cholesky_solve(rows, jet->schur, rows, jet->multiplier);
    return TP_OK;
}

/* out = W^T M^-1 W x. */
static void apply_schur(void *context, const double *x, double *out)
{
    tp_jet *jet = context;
    const tp_sparse *A = &jet->along.rows.A;
    memset(jet->column, 0, (size_t)jet->m * sizeof(double));
    tp_sparse_multiply_add(A, x, jet->column);
    tp_factor_solve(jet->mass, jet->column);
    for (int r = 0; r < A->cols; r++) out[r] = tp_jet_row_product(A, r, jet->column);
}

/* Rows that others determine leave components of the right side that no multiplier reaches: the iteration
   ends where the residual stops falling. */
static tp_status solve_gradients(tp_jet *jet, const double *right)
{
    int n = jet->along.rows.row_count;
    double goal = tp_jet_conjugate_goal * tp_jet_conjugate_goal * tp_dense_dot(n, right, right),
           left = tp_jet_conjugate_gradients(n, ITERATIONS_PER_ROW * n, tp_jet_conjugate_goal, apply_schur,
                                             jet, right, jet->schur_work, jet->multiplier);
    return left <= 1e16 * goal ? TP_OK : TP_SINGULAR; /* 1e-6 of the right side */
}

/* S v = W^T M^-1 h + g2, a = M^-1 (h - W v), multipliers -v; (18). */
static tp_status by_schur(tp_jet *jet, tp_jet_distribution how)
{
    const tp_constraint_rows *rows = &jet->along.rows;
    evaluate_rows(jet);
    TP_TRY(tp_factor_update(jet->mass, &jet->mass_values));
    memcpy(jet->a, jet->h, (size_t)jet->m * sizeof(double));
    tp_factor_solve(jet->mass, jet->a);
    for (int r = 0; r < rows->row_count; r++)
        jet->mu[r] = tp_jet_row_product(&rows->A, r, jet->a) + jet->g2[r];
    TP_TRY(how == TP_JET_SCHUR ? solve_schur(jet, jet->mu) : solve_gradients(jet, jet->mu));
    for (int r = 0; r < rows->row_count; r++) jet->multiplier[r] = -jet->multiplier[r];
    memset(jet->row_force, 0, (size_t)jet->m * sizeof(double));
    tp_sparse_multiply_add(&rows->A, jet->multiplier, jet->row_force);
    for (int j = 0; j < jet->m; j++) jet->a[j] = jet->h[j] + jet->row_force[j];
    tp_factor_solve(jet->mass, jet->a);
    memset(jet->force, 0, (size_t)jet->system->law_count * TP_LAW_ROWS * sizeof(double));
    for (int i = 0; i < rows->law_count; i++) {
        for (int r = rows->first[i]; r < rows->first[i + 1]; r++)
            jet->force[rows->law[i] * TP_LAW_ROWS + r - rows->first[i]] = jet->multiplier[r];
    }
    return TP_OK;
}

static tp_status by_saddle(tp_jet *jet)
{
    bool is_exact;
    TP_TRY(tp_saddle_update(jet->saddle, jet->mass_values.value, &is_exact));
    TP_TRY(tp_saddle_solve(jet->saddle, jet->h, jet->a, jet->force));
    tp_saddle_row_forces(jet->saddle, jet->force, jet->row_force);
    return TP_OK;
}

static tp_status solve(tp_jet *jet)
{
    tp_jet_distribution how = jet->options.distribution;
    return how == TP_JET_SADDLE ? by_saddle(jet) : by_schur(jet, how);
}

/* Powers of forces and given motions, forces of rows, and what both are on velocities. */
static void find_powers(tp_jet *jet, double *rate)
{
    const tp_constraint_rows *rows = &jet->along.rows;
    bool moves = !jet->system->model->is_autonomous;
    if (moves) tp_constraint_rows_evaluate(&jet->along.rows);
    rate[TP_JET_APPLIED] = tp_system_applied_power(jet->system);
    rate[TP_JET_DISSIPATED] = tp_system_dissipated_power(jet->system);
    rate[TP_JET_TRAPEZOID] = 0.0;
    for (int i = 0; i < rows->law_count; i++) {
        for (int r = rows->first[i]; r < rows->first[i + 1]; r++) {
            double force = jet->force[rows->law[i] * TP_LAW_ROWS + r - rows->first[i]];
            rate[TP_JET_IMPULSES + r] = force;
            if (moves) rate[TP_JET_APPLIED] -= rows->chi[r] * force;
        }
    }
    double *momenta = rate + TP_JET_IMPULSES + rows->row_count;
    memcpy(momenta, jet->h, (size_t)jet->m * sizeof(double));
    memcpy(momenta + jet->m, jet->row_force, (size_t)jet->m * sizeof(double));
}

tp_status tp_jet_rate(tp_jet *jet, double t, const double *z, double *rate)
{
    const double *y1 = z + jet->n;
    double *y2 = rate + jet->n;
    jet->counts.distributions++;
    jet->counts.rows++;
    jet->counts.second += jet->along.rows.row_count;
    tp_jet_move(jet, t, z);
    tp_system_mass(jet->system, jet->mass_values.value);
    tp_system_force(jet->system, jet->h);
    tp_status status = solve(jet);
    if (status == TP_SINGULAR) { /* a singular position since the start of the step: one row less decides */
        TP_TRY(tp_redundancy_find(jet->redundancy, jet->mass_values.value));
        status = solve(jet);
    }
    if (status == TP_SINGULAR) status = by_schur(jet, TP_JET_GRADIENTS); /* near one: what is determined */
    TP_TRY(status);
    memcpy(rate, y1, (size_t)jet->n * sizeof(double));
    for (int i = 0; i < jet->n; i++) {
        if (jet->u_of[i] >= 0) y2[i] = jet->a[jet->u_of[i]];
    }
    for (int k = 0; k < jet->turn_count; k++)
        tp_quat_put(tp_euler_second_rate(tp_quat_at(z + jet->turn[k].q), tp_quat_at(y1 + jet->turn[k].q),
                                         tp_vec3_from_array(jet->a + jet->turn[k].u)),
                    y2 + jet->turn[k].q);
    find_powers(jet, rate + 2 * jet->n);
    return TP_OK;
}
