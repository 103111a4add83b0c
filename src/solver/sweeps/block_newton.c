/* One block of any set: semi-smooth Newton, behind it a fixed point and projections in the metric of the
   block; theory/solvers.md (9). */
#include "block_solve.h"

#include "math/dense.h"
#include "set/friction_set.h"
#include "solver/newton/linearise.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

typedef struct block_problem {
    const tp_set *set;
    double scale;
    const double *D, *g;
    tp_step_lengths r;
} block_problem;

/* xi = D p + g and the distance of p from its projection. */
static double block_residual(const block_problem *problem, const double *p, double *xi, double *projected)
{
    int n = problem->set->size;
    memcpy(xi, problem->g, (size_t)n * sizeof(double));
    tp_dense_multiply_add(n, n, problem->D, n, p, xi);
    tp_law_project(problem->set, problem->scale, problem->r, p, xi, projected);
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += (p[k] - projected[k]) * (p[k] - projected[k]);
    return sqrt(sum);
}

/* One Newton step from p into q; false if the linearised system is singular. */
static bool block_newton_step(const block_problem *problem, const double *p, const double *xi, double *q)
{
    int n = problem->set->size;
    tp_linear_block block;
    tp_law_linearise(problem->set, problem->scale, problem->r, p, xi, &block);
    memcpy(q, block.base, (size_t)n * sizeof(double));
    if (block.dim == 0) return true;

    double velocity[TP_SET_MAX], matrix[TP_SET_MAX * TP_SET_MAX], right[TP_SET_MAX], d[TP_SET_MAX];
    memcpy(velocity, problem->g, (size_t)n * sizeof(double));
    tp_dense_multiply_add(n, n, problem->D, n, block.base, velocity);
    tp_linear_block_product(&block, &block, problem->D, matrix);
    for (int j = 0; j < block.dim; j++) {
        for (int i = 0; i < block.dim; i++) matrix[i + j * block.dim] += block.K[i + j * block.dim];
        right[j] = -block.offset[j];
        for (int k = 0; k < n; k++) right[j] -= block.R[j + k * block.dim] * velocity[k];
    }
    if (tp_dense_solve_small(block.dim, matrix, right, d) != TP_OK) return false;
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < block.dim; j++) q[k] += block.C[k + j * n] * d[j];
        if (!isfinite(q[k])) return false;
    }
    return true;
}

/* P_T for given P_N: nearest point of P_N D in the metric of the tangential block. Returns xi_N. */
static double normal_velocity(const block_problem *problem, const tp_set *friction, const double *T,
                              double normal, double *p)
{
    int m = friction->size, n = m + 1;
    double minus[TP_FRICTION_MAX] = {0}, z[TP_FRICTION_MAX];
    for (int k = 0; k < m; k++) minus[k] = -problem->g[k + 1] - problem->D[k + 1] * normal;
    p[0] = normal;
    if (tp_dense_solve_small(m, T, minus, z) != TP_OK) return NAN;
    tp_set_project_metric(friction, normal, T, z, p + 1);
    double xi = problem->g[0];
    for (int k = 0; k < n; k++) xi += problem->D[k * n] * p[k];
    return xi;
}

/* Safe for symmetric definite blocks: a contact by bisection on P_N, whose velocity is negative at 0 and
   positive far out; any other set is a projection in the metric of D. theory/solvers.md (9). */
static void metric_solve(const block_problem *problem, double *p)
{
    const tp_set *set = problem->set;
    int n = set->size, m = n - 1;
    double minus[TP_SET_MAX] = {0}, z[TP_SET_MAX], T[TP_FRICTION_MAX * TP_FRICTION_MAX];
    if (set->kind != TP_SET_CONTACT) {
        for (int k = 0; k < n; k++) minus[k] = -problem->g[k];
        if (tp_dense_solve_small(n, problem->D, minus, z) == TP_OK)
            tp_set_project_metric(set, problem->scale, problem->D, z, p);
        return;
    }
    tp_set friction = tp_set_friction(set->friction_kind, m, set->parameter);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < m; i++) T[i + j * m] = problem->D[i + 1 + (j + 1) * n];
    }
    double low = 0.0, high = problem->D[0] > 0.0 ? -problem->g[0] / problem->D[0] : 0.0;
    if (!(high > 0.0)) return;
    for (int i = 0; i < 60 && normal_velocity(problem, &friction, T, high, p) < 0.0; i++) {
        low = high;
        high *= 2.0;
    }
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high), velocity = normal_velocity(problem, &friction, T, middle, p);
        if (middle <= low || middle >= high) break;
        if (velocity < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

double tp_block_newton(const tp_set *set, double scale, const double *D, const double *g, double *p)
{
    enum { NEWTON_STEPS = 40, FIXED_POINT_STEPS = 200 };
    int n = set->size;
    block_problem problem = {set, scale, D, g, tp_law_step_lengths(set, D, 0.0)};
    double best[TP_SET_MAX], xi[TP_SET_MAX], projected[TP_SET_MAX], q[TP_SET_MAX];
    double smallest = block_residual(&problem, p, xi, projected);
    double target = tp_block_rounding * tp_dense_norm(n, p);
    memcpy(best, p, (size_t)n * sizeof(double));

    for (int round = 0; round < 3; round++) {
        double residual = smallest;
        for (int step = 0; step < NEWTON_STEPS && residual > target; step++) {
            if (!block_newton_step(&problem, p, xi, q)) break;
            memcpy(p, q, (size_t)n * sizeof(double));
            residual = block_residual(&problem, p, xi, projected);
            target = tp_block_rounding * tp_dense_norm(n, p);
            if (residual < smallest) {
                smallest = residual;
                memcpy(best, p, (size_t)n * sizeof(double));
            } else if (step > 4 && residual >= smallest &&
                       smallest <= tp_block_enough * tp_dense_norm(n, best)) {
                break;
            }
        }
        memcpy(p, best, (size_t)n * sizeof(double));
        if (smallest <= tp_block_enough * tp_dense_norm(n, best)) return smallest;
        for (int step = 0; step < FIXED_POINT_STEPS && round == 0; step++) { /* towards the basin */
            block_residual(&problem, p, xi, projected);
            memcpy(p, projected, (size_t)n * sizeof(double));
        }
        if (round == 1) metric_solve(&problem, p); /* Newton's method polishes it */
        residual = block_residual(&problem, p, xi, projected);
        if (residual < smallest) {
            smallest = residual;
            memcpy(best, p, (size_t)n * sizeof(double));
        }
    }
    memcpy(p, best, (size_t)n * sizeof(double));
    block_residual(&problem, p, xi, projected);
    return smallest;
}
