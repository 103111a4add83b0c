/* Impulses of soft rows by projected conjugate gradients; theory/correction.md (6a). */
#include "soft_impulses.h"

#include "math/dense.h"
#include "math/factor.h"
#include "set/row_bounds.h"
#include "solver/tolerances.h"
#include "solver/workspace.h"

#include <math.h>
#include <string.h>

/* Rows are scaled by the root of their W^T M^-1 W + s, so that the diagonal of the matrix is about 1. */
typedef struct soft_impulses {
    const tp_problem *p;
    tp_lu mass;
    double *W;              /* [entries of A] scaled */
    double *scale;          /* [rows] */
    double *s, *low, *high; /* [rows] compliance and bounds of impulses, scaled */
    double *P, *g;          /* [rows] impulses, and the gradient: velocities of rows */
    double *phi;            /* [rows] the gradient of impulses that are free to follow it */
    double *step, *image;   /* [rows] a direction, and the matrix times it */
    double *x;              /* [x_count] */
    int products;
} soft_impulses;

static bool take(soft_impulses *soft, tp_stack *stack)
{
    const tp_problem *p = soft->p;
    size_t rows = (size_t)p->row_count;
    double **arrays[] = {&soft->scale, &soft->s,   &soft->low,  &soft->high, &soft->P,
                         &soft->g,     &soft->phi, &soft->step, &soft->image};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        *arrays[k] = TP_STACK_ARRAY(stack, double, rows);
    soft->W = TP_STACK_ARRAY(stack, double, p->A.start[p->row_count]);
    soft->x = TP_STACK_ARRAY(stack, double, p->x_count);
    return !stack->failed && tp_lu_factor(stack, &p->M, tp_diagonal_preference, NULL, &soft->mass) == TP_OK;
}

static void scale_rows(soft_impulses *soft)
{
    const tp_problem *p = soft->p;
    double *diagonal = soft->x;
    memset(diagonal, 0, (size_t)p->x_count * sizeof(double));
    for (int j = 0; j < p->x_count; j++) {
        for (int e = p->M.start[j]; e < p->M.start[j + 1]; e++) {
            if (p->M.index[e] == j) diagonal[j] = p->M.value[e];
        }
    }
    for (int i = 0; i < p->set_count; i++) {
        for (int k = 0; k < p->sets[i].size; k++) {
            int row = p->sets[i].first + k;
            double s = p->D.value[p->D.offset[i] + (size_t)(k * (p->sets[i].size + 1))], d = s;
            for (int e = p->A.start[row]; e < p->A.start[row + 1]; e++)
                d += p->A.value[e] * p->A.value[e] / diagonal[p->A.index[e]];
            double root = soft->scale[row] = sqrt(d);
            tp_row_bounds bounds = tp_set_row_bounds(&p->sets[i], k);
            for (int e = p->A.start[row]; e < p->A.start[row + 1]; e++) soft->W[e] = p->A.value[e] / root;
            soft->s[row] = s / d;
            soft->low[row] = bounds.lower * root;
            soft->high[row] = bounds.upper * root;
        }
    }
}

/* x = M^-1 (f + W v); f is left out where it is NULL. */
static void move(soft_impulses *soft, const double *f, const double *v)
{
    const tp_sparse *A = &soft->p->A;
    size_t bytes = (size_t)soft->p->x_count * sizeof(double);
    if (f != NULL)
        memcpy(soft->x, f, bytes);
    else
        memset(soft->x, 0, bytes);
    for (int i = 0; i < A->cols; i++) {
        if (v[i] == 0.0) continue;
        for (int e = A->start[i]; e < A->start[i + 1]; e++) soft->x[A->index[e]] += soft->W[e] * v[i];
    }
    tp_lu_solve(&soft->mass, soft->x);
}

/* out = W^T x + s v */
static void velocities(const soft_impulses *soft, const double *v, double *out)
{
    const tp_sparse *A = &soft->p->A;
    for (int i = 0; i < A->cols; i++) {
        double sum = soft->s[i] * v[i];
        for (int e = A->start[i]; e < A->start[i + 1]; e++) sum += soft->W[e] * soft->x[A->index[e]];
        out[i] = sum;
    }
}

static void multiply(soft_impulses *soft)
{
    move(soft, NULL, soft->step);
    velocities(soft, soft->step, soft->image);
    soft->products++;
}

/* Splits the gradient: phi of impulses between their bounds, and of those at a bound what leads away from it,
   into step. Returns the square of the latter, and that of phi. */
static double split(const soft_impulses *soft, double *away, double *free_out)
{
    double bound = 0.0, inside = 0.0;
    for (int i = 0; i < soft->p->row_count; i++) {
        double g = soft->g[i];
        bool is_low = soft->P[i] <= soft->low[i], is_high = soft->P[i] >= soft->high[i];
        soft->phi[i] = is_low || is_high ? 0.0 : g;
        double leads = (is_low && g < 0.0) || (is_high && g > 0.0) ? g : 0.0;
        if (away != NULL) away[i] = leads;
        inside += soft->phi[i] * soft->phi[i];
        bound += leads * leads;
    }
    *free_out = inside;
    return bound;
}

/* How far P - part step stays between the bounds. */
static double room(const soft_impulses *soft)
{
    double part = INFINITY;
    for (int i = 0; i < soft->p->row_count; i++) {
        double d = soft->step[i];
        if (d > 0.0) part = fmin(part, (soft->P[i] - soft->low[i]) / d);
        if (d < 0.0) part = fmin(part, (soft->P[i] - soft->high[i]) / d);
    }
    return part;
}

/* Along the step: P and the gradient. */
static void advance(soft_impulses *soft, double part)
{
    for (int i = 0; i < soft->p->row_count; i++) {
        double P = soft->P[i] - part * soft->step[i];
        soft->P[i] = fmin(fmax(P, soft->low[i]), soft->high[i]);
        soft->g[i] -= part * soft->image[i];
    }
}

/* A step down the gradient, projected between the bounds, as long as the function falls along it. */
static void expand(soft_impulses *soft, double length)
{
    int n = soft->p->row_count;
    for (int i = 0; i < n; i++) {
        double P = fmin(fmax(soft->P[i] - length * soft->phi[i], soft->low[i]), soft->high[i]);
        soft->step[i] = soft->P[i] - P;
    }
    multiply(soft);
    double curvature = tp_dense_dot(n, soft->step, soft->image);
    if (curvature > 0.0) advance(soft, fmin(tp_dense_dot(n, soft->step, soft->g) / curvature, 1.0));
}

/* Modified proportioning with reduced gradient projections. */
static void iterate(soft_impulses *soft, int max_products)
{
    int n = soft->p->row_count;
    double *p = soft->step, inside, goal = INFINITY;
    bool is_fresh = true;
    while (soft->products < max_products) {
        double bound = split(soft, is_fresh ? p : NULL, &inside);
        if (isinf(goal)) goal = tp_soft_left * tp_soft_left * (bound + inside);
        if (!(bound + inside > goal)) return;
        bool leaves_bounds = bound > inside;
        if (leaves_bounds)
            split(soft, p, &inside);
        else if (is_fresh)
            memcpy(p, soft->phi, (size_t)n * sizeof(double));
        multiply(soft);
        double curvature = tp_dense_dot(n, p, soft->image), slope = tp_dense_dot(n, p, soft->g),
               part = slope / curvature, most = room(soft);
        if (!(curvature > 0.0) || !(slope > 0.0)) return;
        advance(soft, fmin(part, most));
        is_fresh = leaves_bounds || part > most;
        if (part > most && !leaves_bounds) {
            split(soft, NULL, &inside);
            expand(soft, part);
        }
        if (is_fresh) continue;
        split(soft, NULL, &inside);
        double turn = tp_dense_dot(n, soft->phi, soft->image) / curvature;
        for (int i = 0; i < n; i++) p[i] = soft->phi[i] - turn * p[i];
    }
}

int tp_soft_impulses_solve(const tp_problem *problem, int max_products, tp_workspace *workspace,
                           double *x_out, double *P_out)
{
    tp_stack *stack = &workspace->stack;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    soft_impulses soft = {.p = problem};
    memset(x_out, 0, (size_t)problem->x_count * sizeof(double));
    memset(P_out, 0, (size_t)problem->row_count * sizeof(double));
    if (take(&soft, stack)) {
        scale_rows(&soft);
        for (int i = 0; i < problem->row_count; i++) soft.P[i] = fmin(fmax(0.0, soft.low[i]), soft.high[i]);
        move(&soft, problem->f, soft.P);
        velocities(&soft, soft.P, soft.g);
        for (int i = 0; i < problem->row_count; i++) soft.g[i] += problem->b[i] / soft.scale[i];
        iterate(&soft, max_products);
        move(&soft, problem->f, soft.P);
        memcpy(x_out, soft.x, (size_t)problem->x_count * sizeof(double));
        for (int i = 0; i < problem->row_count; i++) P_out[i] = soft.P[i] / soft.scale[i];
    }
    tp_stack_release(stack, mark);
    tp_stack_settle(stack);
    return soft.products;
}
