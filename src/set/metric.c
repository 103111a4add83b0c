/* Nearest points in the metric (p - z)^T U (p - z): closed forms where there are some, after a diagonal
   transformation where that helps; theory/sets.md section 5. */
#include "set/metric.h"

#include "math/dense.h"
#include "math/polynomial.h"
#include "set/friction_set.h"
#include "set/row_bounds.h"
#include "set/small.h"
#include "tolerances.h"

enum { MAX_SECULAR_STEPS = 60, MAX_SWEEPS = 100000, POLISH_STEPS = 3 };

static void multiply(int n, const double *U, const double *x, double *y_out)
{
    tp_dense_multiply(n, n, U, n, x, y_out);
}

/* ---- boxes: every active set ----------------------------------------------------------------------------
 */

typedef struct box_problem {
    int n;
    const double *lower, *upper, *U, *z;
} box_problem;

/* Solves with the rows of state 1 at their lower, of state 2 at their upper bound. Returns by how much bounds
   and signs of the multipliers U(p - z) are violated, infinity if the combination does not exist. */
static double try_active_set(const box_problem *b, const int *state, double *p_out)
{
    double a[TP_SET_MAX * TP_SET_MAX], y[TP_SET_MAX], x[TP_SET_MAX], off[TP_SET_MAX], w[TP_SET_MAX];
    int row[TP_SET_MAX], free_count = 0, n = b->n;
    for (int i = 0; i < n; i++) {
        off[i] = state[i] == 0 ? 0.0 : (state[i] == 1 ? b->lower[i] : b->upper[i]) - b->z[i];
        if (isinf(off[i])) return INFINITY;
        if (state[i] == 0) row[free_count++] = i;
    }
    multiply(n, b->U, off, w);
    for (int i = 0; i < free_count; i++) {
        y[i] = -w[row[i]];
        for (int j = 0; j < free_count; j++) a[i + j * free_count] = b->U[row[i] + row[j] * n];
    }
    if (free_count > 0 && tp_dense_solve_small(free_count, a, y, x) != TP_OK) return INFINITY;
    for (int i = 0; i < free_count; i++) off[row[i]] = x[i];
    multiply(n, b->U, off, w);

    double violation = 0.0;
    for (int i = 0; i < n; i++) {
        double slack = w[i] / b->U[i * (n + 1)];
        p_out[i] = b->z[i] + off[i];
        if (state[i] == 0)
            violation = fmax(violation, fmax(b->lower[i] - p_out[i], p_out[i] - b->upper[i]));
        else
            violation = fmax(violation, state[i] == 1 ? -slack : slack);
        if (state[i] != 0) p_out[i] = state[i] == 1 ? b->lower[i] : b->upper[i];
    }
    return violation;
}

/* The box lower <= p <= upper, n <= TP_SET_MAX, by trying all active sets (32). */
static tp_status project_box(int n, const double *lower, const double *upper, const double *U,
                             const double *z, double *p_out)
{
    box_problem b = {n, lower, upper, U, z};
    int state[TP_SET_MAX] = {0};
    double best = INFINITY, p[TP_SET_MAX];
    for (;;) {
        double violation = try_active_set(&b, state, p);
        if (violation < best) {
            best = violation;
            tp_small_copy(n, p, p_out);
        }
        int i = 0; /* the next combination, like a counter in base 3 */
        while (i < n && state[i] == 2) state[i++] = 0;
        if (i == n) break;
        state[i]++;
    }
    for (int i = 0; i < n; i++) p_out[i] = fmin(fmax(p_out[i], lower[i]), upper[i]);
    return isfinite(best) ? TP_OK : TP_SINGULAR;
}

/* Orthants of any size: projected Gauss-Seidel, which converges for positive definite U. No storage. */
static tp_status project_large_orthant(int n, const double *U, const double *z, double *p_out)
{
    double size = tp_small_norm(n, z);
    for (int i = 0; i < n; i++) p_out[i] = fmax(z[i], 0.0);
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        double change = 0.0;
        for (int i = 0; i < n; i++) {
            double slope = 0.0;
            for (int j = 0; j < n; j++) slope += U[i + j * n] * (p_out[j] - z[j]);
            double next = fmax(0.0, p_out[i] - slope / U[i * (n + 1)]);
            change = fmax(change, fabs(next - p_out[i]));
            p_out[i] = next;
        }
        if (change <= tp_sweep_change * size) return TP_OK;
    }
    return TP_NOT_CONVERGED;
}

/* ---- balls: the secular equation ------------------------------------------------------------------------
 */

/* (U + alpha I) p = U z with |p| = radius. In the eigenvectors of U: p_i = L_i z_i/(L_i + alpha). Newton on
   1/|p| - 1/radius is monotone from alpha = 0, and nearly linear. */
static tp_status project_ball(int n, double radius, const double *U, const double *z, double *p_out)
{
    double L[TP_SET_MAX], V[TP_SET_MAX * TP_SET_MAX], y[TP_SET_MAX], p[TP_SET_MAX], alpha = 0.0;
    if (tp_small_norm(n, z) <= radius) {
        tp_small_copy(n, z, p_out);
        return TP_OK;
    }
    tp_dense_symmetric_eigen(n, U, L, V);
    if (!(L[0] > 0.0)) return TP_SINGULAR;
    for (int i = 0; i < n; i++) y[i] = tp_small_dot(n, V + i * n, z);
    for (int step = 0; step < MAX_SECULAR_STEPS; step++) {
        double slope = 0.0;
        for (int i = 0; i < n; i++) {
            p[i] = L[i] * y[i] / (L[i] + alpha);
            slope += p[i] * p[i] / (L[i] + alpha);
        }
        double length = tp_small_norm(n, p);
        double change = (length / radius - 1.0) * length * length / slope;
        if (!(change > 0.0)) break;
        alpha += change;
        if (change <= tp_root_rounding * alpha) break;
    }
    double length = tp_small_norm(n, p);
    for (int i = 0; i < n; i++) {
        p_out[i] = 0.0;
        for (int k = 0; k < n; k++) p_out[i] += V[i + k * n] * p[k];
        p_out[i] *= radius / length; /* the last step's error is along p: put it exactly on the sphere */
    }
    return TP_OK;
}

/* ---- cones over a disc: the quartic ----------------------------------------------------------------------
 */

/* adj(W + alpha diag(-1, 1, 1)) y, quadratic in alpha: N_out[3 k + power], component k. */
static void adjugate_polynomials(const double *W, const double *y, double *N_out)
{
    double w01 = W[3], w02 = W[6], w12 = W[7];
    /* coefficients of the entries of the adjugate, [power] = 0, 1, 2 */
    const double a00[3] = {W[4] * W[8] - w12 * w12, W[4] + W[8], 1.0};
    const double a01[3] = {w02 * w12 - w01 * W[8], -w01, 0.0};
    const double a02[3] = {w01 * w12 - w02 * W[4], -w02, 0.0};
    const double a11[3] = {W[0] * W[8] - w02 * w02, W[0] - W[8], -1.0};
    const double a12[3] = {w01 * w02 - W[0] * w12, w12, 0.0};
    const double a22[3] = {W[0] * W[4] - w01 * w01, W[0] - W[4], -1.0};
    for (int i = 0; i < 3; i++) {
        N_out[i] = a00[i] * y[0] + a01[i] * y[1] + a02[i] * y[2];
        N_out[3 + i] = a01[i] * y[0] + a11[i] * y[1] + a12[i] * y[2];
        N_out[6 + i] = a02[i] * y[0] + a12[i] * y[1] + a22[i] * y[2];
    }
}

/* The ray (1, cos, sin)(angle) of the boundary: Newton on the angle where the best point of the ray is best,
   g'.y (g.Wg) = g.y (g'.Wg); then that point. Returns its squared distance less z.Wz. */
static double best_on_ray(const double *W, const double *y, double angle, double *p_out)
{
    double reach = 0.0, value = 0.0;
    for (int step = 0; step <= POLISH_STEPS; step++) {
        const double g[3] = {1.0, cos(angle), sin(angle)}, d[3] = {0.0, -g[2], g[1]},
                     e[3] = {0.0, -g[1], -g[2]};
        double Wg[3], Wd[3];
        multiply(3, W, g, Wg);
        multiply(3, W, d, Wd);
        double gy = tp_small_dot(3, g, y), dy = tp_small_dot(3, d, y), ey = tp_small_dot(3, e, y);
        double gWg = tp_small_dot(3, g, Wg), dWg = tp_small_dot(3, d, Wg);
        double curvature = ey * gWg + dy * dWg - gy * (tp_small_dot(3, e, Wg) + tp_small_dot(3, d, Wd));
        reach = fmax(0.0, gy / gWg);
        value = -reach * reach * gWg;
        for (int i = 0; i < 3; i++) p_out[i] = reach * g[i];
        double change = -(dy * gWg - gy * dWg) / curvature;
        if (!(curvature < 0.0 && fabs(change) < 0.1)) break; /* not near a best ray */
        angle += change;
    }
    return value;
}

/* Candidates are the rays of the real roots; every candidate is feasible, so the nearest is the answer. */
static tp_status project_circular_cone(const double *U, const double *z, double *p_out)
{
    double y[3], W[9], N[9], quartic[5] = {0.0}, root[4], p[3];
    double size = U[4] + U[8], best = 0.0;
    multiply(3, U, z, y);
    tp_small_zero(3, p_out);
    if (hypot(y[1], y[2]) + y[0] <= 0.0) return TP_OK; /* in the polar cone */
    double length = tp_small_norm(3, y);
    for (int i = 0; i < 9; i++) W[i] = U[i] / size;
    for (int i = 0; i < 3; i++) y[i] /= length; /* p scales with y: p = (length/size) p(y/length) */
    adjugate_polynomials(W, y, N);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) quartic[i + j] += N[3 + i] * N[3 + j] + N[6 + i] * N[6 + j] - N[i] * N[j];
    int count = tp_polynomial_real_roots(4, quartic, root);
    for (int k = 0; k < count; k++) {
        double v[3], sign;
        for (int i = 0; i < 3; i++) v[i] = N[3 * i] + root[k] * (N[3 * i + 1] + root[k] * N[3 * i + 2]);
        sign = v[0] < 0.0 ? -1.0 : 1.0;
        double value = best_on_ray(W, y, atan2(sign * v[2], sign * v[1]), p);
        if (value < best) {
            best = value;
            for (int i = 0; i < 3; i++) p_out[i] = p[i] * (length / size);
        }
    }
    return best < 0.0 ? TP_OK : TP_NOT_CONVERGED;
}

/* ---- any set: Newton on the natural map, guarded ---------------------------------------------------------
 */

typedef struct natural_map {
    const tp_set *set;
    double scale, step; /* step = 1/largest eigenvalue of U */
    const double *U, *z;
    int n;
} natural_map;

/* y = x - step U (x - z) */
static void gradient_step(const natural_map *m, const double *x, double *y_out)
{
    double off[TP_SET_MAX], w[TP_SET_MAX];
    for (int i = 0; i < m->n; i++) off[i] = x[i] - m->z[i];
    multiply(m->n, m->U, off, w);
    for (int i = 0; i < m->n; i++) y_out[i] = x[i] - m->step * w[i];
}

/* r = x - proj(x - step U (x - z)) and its length. */
static double natural_residual(const natural_map *m, const double *x, double *r_out)
{
    double y[TP_SET_MAX];
    gradient_step(m, x, y);
    tp_set_project(m->set, m->scale, y, y);
    for (int i = 0; i < m->n; i++) r_out[i] = x[i] - y[i];
    return tp_small_norm(m->n, r_out);
}

/* J d = -r, J = I - D (I - step U), D the derivative of the projection. */
static bool newton_direction(const natural_map *m, const double *x, const double *r, double *d_out)
{
    int n = m->n;
    double y[TP_SET_MAX], D[TP_SET_MAX * TP_SET_MAX], J[TP_SET_MAX * TP_SET_MAX];
    gradient_step(m, x, y);
    tp_set_project_derivative(m->set, m->scale, y, D);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = (i == j ? 1.0 : 0.0) - D[i + j * n];
            for (int k = 0; k < n; k++) sum += D[i + k * n] * m->step * m->U[k + j * n];
            J[i + j * n] = sum;
        }
    if (tp_dense_solve_small(n, J, r, d_out) != TP_OK) return false;
    for (int i = 0; i < n; i++) d_out[i] = -d_out[i];
    return true;
}

/* The longest of the steps 1, 1/2, 1/4, ... along the Newton direction, taken back into the set, that lowers
   the residual in proportion; x, r and *residual are replaced. False when none does. */
static bool newton_step(const natural_map *m, double *x, double *r, double *residual)
{
    enum { HALVINGS = 6 };
    int n = m->n;
    double d[TP_SET_MAX], next[TP_SET_MAX], r_next[TP_SET_MAX], part = 1.0;
    if (!newton_direction(m, x, r, d)) return false;
    for (int halving = 0; halving <= HALVINGS; halving++, part *= 0.5) {
        for (int i = 0; i < n; i++) next[i] = x[i] + part * d[i];
        tp_set_project(m->set, m->scale, next, next);
        double value = natural_residual(m, next, r_next);
        if (value > (1.0 - 0.5 * part) * *residual) continue;
        tp_small_copy(n, next, x);
        tp_small_copy(n, r_next, r);
        *residual = value;
        return true;
    }
    return false;
}

/* Accelerated projected gradients with restart. */
static void gradient_phase(const natural_map *m, int steps, double *x)
{
    int n = m->n;
    double y[TP_SET_MAX], next[TP_SET_MAX], t = 1.0;
    tp_small_copy(n, x, y);
    for (int step = 0; step < steps; step++) {
        double turn = 0.0;
        gradient_step(m, y, next);
        tp_set_project(m->set, m->scale, next, next);
        for (int i = 0; i < n; i++) turn += (y[i] - next[i]) * (next[i] - x[i]);
        if (turn > 0.0) t = 1.0;
        double t_next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t));
        for (int i = 0; i < n; i++) {
            y[i] = next[i] + (t - 1.0) / t_next * (next[i] - x[i]);
            x[i] = next[i];
        }
        t = t_next;
    }
}

tp_status tp_metric_project_any(const tp_set *set, double scale, const double *U, const double *z,
                                double *p_out)
{
    enum { ROUNDS = 400, GRADIENT_STEPS = 50 };
    int n = set->size;
    natural_map m = {set, scale, 1.0 / tp_dense_largest_eigenvalue(n, U, n), U, z, n};
    double size = tp_small_norm(n, z), r[TP_SET_MAX];
    tp_set_project(set, scale, z, p_out);
    double residual = natural_residual(&m, p_out, r);
    for (int round = 0; round < ROUNDS && residual > tp_map_goal * size; round++) {
        if (newton_step(&m, p_out, r, &residual)) continue;
        if (residual <= tp_map_floor * size) break;
        gradient_phase(&m, GRADIENT_STEPS, p_out);
        residual = natural_residual(&m, p_out, r);
    }
    return residual <= tp_map_accepted * size ? TP_OK : TP_NOT_CONVERGED;
}

/* ---- the public function ---------------------------------------------------------------------------------
 */

/* A U A and A^-1 z for diagonal A: the problem in p = A p^ (31). */
static void transform_problem(int n, const double *factor, const double *U, const double *z, double *U_out,
                              double *z_out)
{
    for (int j = 0; j < n; j++) {
        z_out[j] = z[j] / factor[j];
        for (int i = 0; i < n; i++) U_out[i + j * n] = factor[i] * U[i + j * n] * factor[j];
    }
}

static tp_status project_friction(const tp_set *set, double scale, const double *U, const double *z,
                                  double *p_out)
{
    int n = set->size;
    double factor[TP_SET_MAX], U_hat[TP_SET_MAX * TP_SET_MAX], z_hat[TP_SET_MAX];
    tp_friction_set D = tp_friction_of(set);
    if (!tp_friction_semi_axes(&D, factor)) return tp_metric_project_any(set, scale, U, z, p_out);
    transform_problem(n, factor, U, z, U_hat, z_hat);
    TP_TRY(project_ball(n, scale, U_hat, z_hat, p_out));
    for (int i = 0; i < n; i++) p_out[i] *= factor[i];
    return TP_OK;
}

/* Planar contact: the two rays (1, mu) and (1, -mu). */
static tp_status project_planar_cone(double mu, const double *U, const double *z, double *p_out)
{
    double y[2], best = 0.0;
    multiply(2, U, z, y);
    tp_small_zero(2, p_out);
    for (int side = 0; side < 2; side++) {
        double slope = side == 0 ? mu : -mu;
        double gWg = U[0] + 2.0 * slope * U[2] + slope * slope * U[3], reach = (y[0] + slope * y[1]) / gWg;
        if (reach > 0.0 && reach * reach * gWg > best) {
            best = reach * reach * gWg;
            p_out[0] = reach;
            p_out[1] = reach * slope;
        }
    }
    return TP_OK;
}

static tp_status project_cone(const tp_set *set, const double *U, const double *z, double *p_out)
{
    int n = set->size;
    double factor[TP_SET_MAX], U_hat[9], z_hat[3];
    tp_friction_set D = tp_friction_of(set);
    if (n == 2) {
        double mu = tp_friction_support(&D, (double[]){1.0});
        return project_planar_cone(mu, U, z, p_out);
    }
    factor[0] = 1.0;
    if (n == 3 && tp_friction_semi_axes(&D, factor + 1)) {
        transform_problem(n, factor, U, z, U_hat, z_hat);
        tp_status status = project_circular_cone(U_hat, z_hat, p_out);
        for (int i = 0; i < n; i++) p_out[i] *= factor[i];
        if (status == TP_OK) return TP_OK;
    }
    if (n == 3 && factor[1] == 0.0 && factor[2] == 0.0) { /* no friction: a half-line */
        tp_small_zero(n, p_out);
        p_out[0] = fmax(0.0, z[0] + (U[3] * z[1] + U[6] * z[2]) / U[0]);
        return TP_OK;
    }
    return tp_metric_project_any(set, 1.0, U, z, p_out);
}

/* The dual of the cone over an ellipse is the cone over the ellipse with the reciprocal semi-axes; other
   duals go the general way. */
static tp_status project_dual_cone(const tp_set *set, const double *U, const double *z, double *p_out)
{
    int n = set->size - 1;
    tp_set cone = *set;
    tp_friction_set D = tp_friction_of(set);
    double axis[TP_FRICTION_MAX];
    if (n > 2 || !tp_friction_semi_axes(&D, axis)) return tp_metric_project_any(set, 1.0, U, z, p_out);
    for (int k = 0; k < tp_friction_parameter_count(D.kind, n); k++) cone.parameter[k] = 1.0 / axis[k];
    cone.kind = TP_SET_CONE;
    return project_cone(&cone, U, z, p_out);
}

static tp_status project_rows(const tp_set *set, const double *U, const double *z, double *p_out)
{
    double lower[TP_SET_MAX], upper[TP_SET_MAX];
    if (set->size > TP_SET_MAX) return project_large_orthant(set->size, U, z, p_out);
    for (int i = 0; i < set->size; i++) {
        tp_row_bounds bounds = tp_set_row_bounds(set, i);
        lower[i] = bounds.lower;
        upper[i] = bounds.upper;
    }
    return project_box(set->size, lower, upper, U, z, p_out);
}

bool tp_set_normal_contains(const tp_set *set, double scale, const double *U, const double *p,
                            const double *v, double tolerance)
{
    int n = set->size;
    double factor = U != NULL ? 1.0 / tp_dense_largest_eigenvalue(n, U, n) : 1.0, z[TP_SET_MAX],
           r[TP_SET_MAX];
    if (n > TP_SET_MAX) return false;
    if (U != NULL)
        multiply(n, U, v, z);
    else
        tp_small_copy(n, v, z);
    for (int i = 0; i < n; i++) z[i] = p[i] + factor * z[i];
    tp_set_project(set, scale, z, r);
    for (int i = 0; i < n; i++) r[i] -= p[i];
    return tp_small_norm(n, r) <= tolerance;
}

tp_status tp_set_project_metric(const tp_set *set, double scale, const double *U, const double *z,
                                double *p_out)
{
    if (tp_set_contains(set, scale, z, 0.0)) {
        tp_small_copy(set->size, z, p_out);
        return TP_OK;
    }
    switch (set->kind) {
    case TP_SET_FREE: tp_small_copy(set->size, z, p_out); return TP_OK;
    case TP_SET_ZERO: tp_small_zero(set->size, p_out); return TP_OK;
    case TP_SET_ORTHANT:
    case TP_SET_BOX: return project_rows(set, U, z, p_out);
    case TP_SET_FRICTION:
        if (!(scale > 0.0)) {
            tp_small_zero(set->size, p_out);
            return TP_OK;
        }
        return project_friction(set, scale, U, z, p_out);
    case TP_SET_CONTACT:
    case TP_SET_CONE: return project_cone(set, U, z, p_out);
    case TP_SET_DUAL_CONE: return project_dual_cone(set, U, z, p_out);
    }
    return TP_INVALID_ARGUMENT;
}
