/* The nearest point of the manifold and the invariants: p + dF(p)^T nu = a, F(p) = 0 by Newton's method, with
   or without the second derivatives of F; docs/theory/jet.md (37)-(40). */
#include "math/dense.h"
#include "math/sparse.h"
#include "parts.h"
#include "tolerances.h"

#include <string.h>

enum { NEWTON_STEPS = 50 };

/* Conditions in this order: rows of positions, of velocities, two for each body that turns, invariants. */
static int condition_count(const tp_jet *jet)
{
    return 2 * jet->D.cols + 2 * jet->turn_count + jet->invariant_count;
}

static tp_status make_matrix(tp_jet *jet)
{
    const tp_sparse *D = &jet->D;
    int n = jet->n, rows = D->cols, count = condition_count(jet), at = 0, c = 0;
    size_t entries = 3 * (size_t)D->start[rows] + 12 * (size_t)jet->turn_count +
                     2 * (size_t)n * (size_t)jet->invariant_count + 1;
    tp_sparse A;
    TP_TRY(tp_sparse_take(&jet->arena, 2 * n, count, entries, &A));
    for (int r = 0; r < rows; r++) {
        for (int k = D->start[r]; k < D->start[r + 1]; k++) A.index[at++] = D->index[k];
        A.start[++c] = at;
    }
    for (int r = 0; r < rows; r++) {
        for (int k = D->start[r]; k < D->start[r + 1]; k++) A.index[at++] = D->index[k];
        for (int k = D->start[r]; k < D->start[r + 1]; k++) A.index[at++] = n + D->index[k];
        A.start[++c] = at;
    }
    for (int b = 0; b < jet->turn_count; b++) {
        for (int k = 0; k < 4; k++) A.index[at++] = jet->turn[b].q + k;
        A.start[++c] = at;
        for (int k = 0; k < 4; k++) A.index[at++] = jet->turn[b].q + k;
        for (int k = 0; k < 4; k++) A.index[at++] = n + jet->turn[b].q + k;
        A.start[++c] = at;
    }
    for (int v = 0; v < jet->invariant_count; v++) {
        for (int i = 0; i < 2 * n; i++) A.index[at++] = i;
        A.start[++c] = at;
    }
    jet->full.rows = (tp_constraint_rows){.system = jet->system, .row_count = count, .A = A};
    return tp_jet_gram_create(jet, &jet->full);
}

tp_status tp_jet_orthogonal_create(tp_jet *jet)
{
    TP_TRY(make_matrix(jet));
    size_t count = (size_t)condition_count(jet), all = count + 2 * (size_t)jet->n;
    TP_ARENA_DOUBLES(&jet->arena, count + 1, &jet->F, &jet->nu, &jet->step);
    if (jet->options.has_curvature) {
        jet->kkt = TP_ARENA_ARRAY(&jet->arena, double, all *all);
        jet->kkt_pivot = TP_ARENA_ARRAY(&jet->arena, int, all);
        jet->kkt_right = TP_ARENA_ARRAY(&jet->arena, double, all);
    }
    return tp_arena_status(&jet->arena);
}

/* Rows of dF; those of invariants are zeros where they are not asked for. */
static void fill_matrix(tp_jet *jet, bool onto_invariants, const double *z)
{
    const tp_sparse *D = &jet->D;
    double *value = jet->full.rows.A.value;
    int n = jet->n, entries = D->start[D->cols];
    memcpy(value, D->value, (size_t)entries * sizeof(double));
    value += entries;
    for (int r = 0; r < D->cols; r++) {
        size_t count = (size_t)(D->start[r + 1] - D->start[r]);
        memcpy(value, jet->E + D->start[r], count * sizeof(double));
        memcpy(value + count, D->value + D->start[r], count * sizeof(double));
        value += 2 * count;
    }
    for (int b = 0; b < jet->turn_count; b++) {
        const double *theta = z + jet->turn[b].q, *theta1 = theta + n;
        for (int k = 0; k < 4; k++) *value++ = 2.0 * theta[k];
        for (int k = 0; k < 4; k++) *value++ = theta1[k];
        for (int k = 0; k < 4; k++) *value++ = theta[k];
    }
    size_t size = 2 * (size_t)n * (size_t)jet->invariant_count;
    if (onto_invariants)
        memcpy(value, jet->slope, size * sizeof(double));
    else
        memset(value, 0, size * sizeof(double));
}

/* F at z, where the system is; true: all conditions hold. */
static bool find_conditions(tp_jet *jet, double t, bool onto_invariants, const double *z)
{
    double *F = jet->F;
    int n = jet->n, rows = jet->D.cols;
    memcpy(F, jet->g, (size_t)rows * sizeof(double));
    memcpy(F + rows, jet->gamma, (size_t)rows * sizeof(double));
    F += 2 * rows;
    for (int b = 0; b < jet->turn_count; b++) {
        tp_quat p = tp_quat_at(z + jet->turn[b].q), p1 = tp_quat_at(z + n + jet->turn[b].q);
        F[2 * b] = tp_quat_dot(p, p) - 1.0;
        F[2 * b + 1] = tp_quat_dot(p, p1);
    }
    F += 2 * jet->turn_count;
    double speed = tp_dense_largest(n, z + n);
    bool holds =
        tp_jet_rows_hold(jet, speed) && tp_jet_length_error(jet, z) <= tp_jet_goal(jet, fmax(1.0, speed));
    memset(F, 0, (size_t)jet->invariant_count * sizeof(double));
    if (!onto_invariants || jet->invariant_count == 0) return holds;
    tp_jet_invariants_evaluate(jet, t, z, !holds);
    holds = holds && tp_dense_largest(jet->invariant_count, jet->value) <= tp_jet_invariant_goal(jet);
    memcpy(F, jet->value, (size_t)jet->invariant_count * sizeof(double));
    return holds;
}

/* The whole matrix [1 + sum of nu d2F, dF^T; dF, 0]; a small diagonal in place of 0 lets rows depend on each
   other; (40). */
static tp_status newton(tp_jet *jet, bool onto_invariants, double *z)
{
    const tp_sparse *A = &jet->full.rows.A;
    int n = jet->n, N = 2 * n, rows = jet->D.cols, all = N + A->cols;
    double *K = jet->kkt, *right = jet->kkt_right;
    memset(K, 0, (size_t)all * (size_t)all * sizeof(double));
    for (int i = 0; i < N; i++) {
        K[i + all * i] = 1.0;
        right[i] = jet->start[i] - z[i];
    }
    tp_jet_rows_add_curvature(jet, z, jet->nu, jet->nu + rows, K, all);
    for (int b = 0; b < jet->turn_count; b++) {
        const double *nu = jet->nu + 2 * rows + 2 * b;
        for (int k = jet->turn[b].q; k < jet->turn[b].q + 4; k++) {
            K[k + all * k] += 2.0 * nu[0];
            K[k + all * (n + k)] += nu[1];
            K[n + k + all * k] += nu[1];
        }
    }
    if (onto_invariants && jet->options.holds_energy)
        tp_jet_invariants_add_curvature(jet, z, jet->nu[A->cols - jet->invariant_count], K, all);
    for (int c = 0; c < A->cols; c++) {
        double square = 0.0;
        for (int k = A->start[c]; k < A->start[c + 1]; k++) {
            K[A->index[k] + all * (N + c)] = K[N + c + all * A->index[k]] = A->value[k];
            right[A->index[k]] -= A->value[k] * jet->nu[c];
            square += A->value[k] * A->value[k];
        }
        K[N + c + all * (N + c)] = square > 0.0 ? -tp_jet_orthogonal_shift * square : -1.0;
        right[N + c] = -jet->F[c];
    }
    TP_TRY(tp_dense_lu(all, K, all, jet->kkt_pivot, 0.0));
    tp_dense_lu_solve(all, K, all, jet->kkt_pivot, right);
    for (int i = 0; i < N; i++) z[i] += right[i];
    for (int c = 0; c < A->cols; c++) jet->nu[c] += right[N + c];
    return TP_OK;
}

tp_status tp_jet_project_orthogonally(tp_jet *jet, double t, bool onto_invariants, double *z)
{
    size_t bytes = 2 * (size_t)jet->n * sizeof(double);
    memcpy(jet->start, z, bytes);
    memset(jet->nu, 0, (size_t)condition_count(jet) * sizeof(double));
    jet->sweeps = 1;
    for (int step = 0; step < NEWTON_STEPS; step++) {
        tp_jet_move(jet, t, z);
        tp_jet_rows_evaluate(jet, z, step == 0); /* after one iteration they mostly hold */
        if (find_conditions(jet, t, onto_invariants, z)) return TP_OK;
        for (size_t i = 0; i < 2 * (size_t)jet->n; i++) {
            if (!isfinite(z[i])) return TP_NOT_CONVERGED;
        }
        if (step > 0) tp_jet_rows_evaluate(jet, z, true);
        if (onto_invariants && jet->invariant_count > 0) tp_jet_invariants_evaluate(jet, t, z, true);
        fill_matrix(jet, onto_invariants, z);
        jet->iterations++;
        TP_TRY(jet->kkt != NULL
                   ? newton(jet, onto_invariants, z)
                   : tp_jet_gram_approach(jet, &jet->full, 2 * jet->n, jet->F, jet->step, jet->nu, z));
    }
    return TP_NOT_CONVERGED;
}
