/* Impulses of soft rows by projected conjugate gradients; theory/correction.md (6a). */
#include "soft_impulses.h"

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

/* What a product with a direction tells: all in one pass over the rows. */
typedef struct line {
    double curvature, slope; /* of the function along it */
    double room;             /* how far P - part step stays between the bounds */
} line;

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* The nearest impulse between the bounds of a row. */
static double bounded(const soft_impulses *soft, int i, double P)
{
    double above = P < soft->low[i] ? soft->low[i] : P;
    return above > soft->high[i] ? soft->high[i] : above;
}

/* Two sums side by side, so that additions do not wait for each other. */
static inline double seen(const soft_impulses *soft, int i)
{
    const tp_sparse *A = &soft->p->A;
    const double *x = soft->x;
    double even = 0.0, odd = 0.0;
    int e = A->start[i], end = A->start[i + 1];
    for (; e + 1 < end; e += 2) {
        even += soft->W[e] * x[A->index[e]];
        odd += soft->W[e + 1] * x[A->index[e + 1]];
    }
    if (e < end) even += soft->W[e] * x[A->index[e]];
    return even + odd;
}

/* image = (W^T M^-1 W + s) step. */
static line multiply(soft_impulses *soft)
{
    line out = {0.0, 0.0, INFINITY};
    move(soft, NULL, soft->step);
    for (int i = 0; i < soft->p->row_count; i++) {
        double d = soft->step[i], image = soft->s[i] * d + seen(soft, i);
        soft->image[i] = image;
        out.curvature += d * image;
        out.slope += d * soft->g[i];
        double left = soft->P[i] - (d > 0.0 ? soft->low[i] : soft->high[i]);
        if (d != 0.0 && fabs(left) < out.room * fabs(d)) out.room = left / d;
    }
    soft->products++;
    return out;
}

/* Squares of the two parts of the gradient: phi of impulses between their bounds, and of those at a bound
   what leads away from it. */
typedef struct parts {
    double inside, bound;
} parts;

/* What leads away from a bound where the impulse is; 0 between the bounds. */
static double leading(const soft_impulses *soft, int i)
{
    double g = soft->g[i];
    bool is_low = soft->P[i] <= soft->low[i], is_high = soft->P[i] >= soft->high[i];
    return (is_low && g < 0.0) || (is_high && g > 0.0) ? g : 0.0;
}

static void split(soft_impulses *soft, int i, parts *sum)
{
    bool is_bound = soft->P[i] <= soft->low[i] || soft->P[i] >= soft->high[i];
    double leads = leading(soft, i);
    soft->phi[i] = is_bound ? 0.0 : soft->g[i];
    sum->inside += soft->phi[i] * soft->phi[i];
    sum->bound += leads * leads;
}

/* Along the step: P, the gradient and its parts; returns phi.image. */
static double advance(soft_impulses *soft, double part, parts *now)
{
    double sum = 0.0;
    *now = (parts){0.0, 0.0};
    for (int i = 0; i < soft->p->row_count; i++) {
        soft->P[i] = bounded(soft, i, soft->P[i] - part * soft->step[i]);
        soft->g[i] -= part * soft->image[i];
        split(soft, i, now);
        sum += soft->phi[i] * soft->image[i];
    }
    return sum;
}

/* A step down the gradient, projected between the bounds, as long as the function falls along it. */
static void expand(soft_impulses *soft, double length, parts *now)
{
    for (int i = 0; i < soft->p->row_count; i++)
        soft->step[i] = soft->P[i] - bounded(soft, i, soft->P[i] - length * soft->phi[i]);
    line along = multiply(soft);
    if (along.curvature > 0.0) (void)advance(soft, smaller(along.slope / along.curvature, 1.0), now);
}

/* The direction along the rest of the gradient, or along phi. */
static void turn_to(soft_impulses *soft, bool leaves_bounds)
{
    for (int i = 0; i < soft->p->row_count; i++)
        soft->step[i] = leaves_bounds ? leading(soft, i) : soft->phi[i];
}

/* Modified proportioning with reduced gradient projections. */
static void iterate(soft_impulses *soft, int max_products)
{
    int n = soft->p->row_count;
    double *p = soft->step;
    parts now = {0.0, 0.0};
    bool is_fresh = true;
    for (int i = 0; i < n; i++) split(soft, i, &now);
    double goal = tp_soft_left * tp_soft_left * (now.bound + now.inside);
    while (soft->products < max_products && now.bound + now.inside > goal) {
        bool leaves_bounds = now.bound > now.inside;
        if (leaves_bounds || is_fresh) turn_to(soft, leaves_bounds);
        line along = multiply(soft);
        double part = along.slope / along.curvature;
        if (!(along.curvature > 0.0) || !(along.slope > 0.0)) return;
        double turn = advance(soft, smaller(part, along.room), &now) / along.curvature;
        is_fresh = leaves_bounds || part > along.room;
        if (part > along.room && !leaves_bounds) expand(soft, part, &now);
        for (int i = 0; i < n && !is_fresh; i++) p[i] = soft->phi[i] - turn * p[i];
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
        for (int i = 0; i < problem->row_count; i++) soft.P[i] = bounded(&soft, i, 0.0);
        move(&soft, problem->f, soft.P);
        for (int i = 0; i < problem->row_count; i++)
            soft.g[i] = soft.s[i] * soft.P[i] + seen(&soft, i) + problem->b[i] / soft.scale[i];
        iterate(&soft, max_products);
        move(&soft, problem->f, soft.P);
        memcpy(x_out, soft.x, (size_t)problem->x_count * sizeof(double));
        for (int i = 0; i < problem->row_count; i++) P_out[i] = soft.P[i] / soft.scale[i];
    }
    tp_stack_release(stack, mark);
    tp_stack_settle(stack);
    return soft.products;
}
