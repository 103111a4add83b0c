/* Cubic splines through points: second derivatives at the knots from a tridiagonal system, for closed curves
   a cyclic one; docs/theory/joints.md (13). */
#include "curve.h"

static double chord(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_norm(tp_vec3_sub(b, a));
}

/* Solves (low, middle, high) x = x for vectors; the matrix is diagonally dominant, so no pivots are needed.
   high is overwritten. low[0] and high[n-1] are not used. */
static void solve_tridiagonal(int n, const double *low, const double *middle, double *high, tp_vec3 *x)
{
    double pivot = middle[0];
    x[0] = tp_vec3_scale(1.0 / pivot, x[0]);
    for (int i = 1; i < n; i++) {
        high[i - 1] /= pivot;
        pivot = middle[i] - low[i] * high[i - 1];
        x[i] = tp_vec3_scale(1.0 / pivot, tp_vec3_add_scaled(x[i], -low[i], x[i - 1]));
    }
    for (int i = n - 2; i >= 0; i--) x[i] = tp_vec3_add_scaled(x[i], -high[i], x[i + 1]);
}

/* Slope of the next chord minus slope of the last one, times six. */
static tp_vec3 bend(tp_vec3 before, tp_vec3 at, tp_vec3 after, double h_before, double h_after)
{
    tp_vec3 right = tp_vec3_scale(1.0 / h_after, tp_vec3_sub(after, at));
    tp_vec3 left = tp_vec3_scale(1.0 / h_before, tp_vec3_sub(at, before));
    return tp_vec3_scale(6.0, tp_vec3_sub(right, left));
}

/* Natural ends: no curvature there, so that the straight continuation fits twice differentiably. */
static void fit_open(int count, const double *knots, const tp_vec3 *points, tp_vec3 *curvatures, double *work)
{
    int n = count - 2;
    double *low = work, *middle = work + count, *high = work + 2 * count;
    for (int i = 0; i < n; i++) {
        low[i] = knots[i + 1] - knots[i];
        high[i] = knots[i + 2] - knots[i + 1];
        middle[i] = 2.0 * (low[i] + high[i]);
        curvatures[i + 1] = bend(points[i], points[i + 1], points[i + 2], low[i], high[i]);
    }
    if (n > 0) solve_tridiagonal(n, low, middle, high, curvatures + 1);
    curvatures[0] = curvatures[count - 1] = tp_vec3_zero();
}

/* Cyclic system by the rank-one change of a tridiagonal one: corner entries h become part of u v^T with
   u = (-m, 0, .., h), v = (1, 0, .., -h/m), m the first diagonal entry. */
static void fit_closed(int n, const double *knots, const tp_vec3 *points, tp_vec3 *curvatures, double *work,
                       tp_vec3 *correction)
{
    double *low = work, *middle = work + n, *high = work + 2 * n, *copy = work + 3 * n;
    for (int i = 0; i < n; i++) {
        int before = i > 0 ? i - 1 : n - 1;
        low[i] = knots[before + 1] - knots[before];
        high[i] = knots[i + 1] - knots[i];
        middle[i] = 2.0 * (low[i] + high[i]);
        curvatures[i] = bend(points[before], points[i], points[i + 1], low[i], high[i]);
        correction[i] = tp_vec3_zero();
    }
    double corner = low[0], gamma = -middle[0];
    middle[0] -= gamma;
    middle[n - 1] -= corner * corner / gamma;
    correction[0].x = gamma;
    correction[n - 1].x = corner;
    for (int i = 0; i < n; i++) copy[i] = high[i];
    solve_tridiagonal(n, low, middle, high, curvatures);
    solve_tridiagonal(n, low, middle, copy, correction);
    double ratio = corner / gamma, denominator = 1.0 + correction[0].x + ratio * correction[n - 1].x;
    tp_vec3 numerator = tp_vec3_add_scaled(curvatures[0], ratio, curvatures[n - 1]);
    for (int i = 0; i < n; i++) {
        curvatures[i] = tp_vec3_add_scaled(curvatures[i], -correction[i].x / denominator, numerator);
    }
    curvatures[n] = curvatures[0];
}

tp_status tp_curve_fit(tp_arena *arena, const tp_vec3 *points, int count, tp_curve *curve)
{
    int knot_count = curve->is_closed ? count + 1 : count; /* the first point again at the end */
    double *knots = TP_ARENA_ARRAY(arena, double, knot_count);
    double *work = TP_ARENA_ARRAY(arena, double, 4 * knot_count);
    tp_vec3 *through = TP_ARENA_ARRAY(arena, tp_vec3, knot_count);
    tp_vec3 *curvatures = TP_ARENA_ARRAY(arena, tp_vec3, knot_count);
    tp_vec3 *correction = TP_ARENA_ARRAY(arena, tp_vec3, knot_count);
    if (knots == NULL || work == NULL || through == NULL || curvatures == NULL || correction == NULL)
        return TP_OUT_OF_MEMORY;
    for (int i = 0; i < knot_count; i++) {
        through[i] = points[i < count ? i : 0];
        knots[i] = i > 0 ? knots[i - 1] + chord(through[i - 1], through[i]) : 0.0;
    }
    if (curve->is_closed) {
        fit_closed(count, knots, through, curvatures, work, correction);
    } else {
        fit_open(count, knots, through, curvatures, work);
    }
    curve->begin = 0.0;
    curve->end = knots[knot_count - 1];
    curve->knot_count = knot_count;
    curve->knots = knots;
    curve->points = through;
    curve->curvatures = curvatures;
    return TP_OK;
}
