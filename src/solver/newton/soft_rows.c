/* Soft rows by Newton's method on a convex, piecewise quadratic function; theory/correction.md (5)-(8). */
#include "soft_rows.h"
#include "body_system.h"
#include "soft_impulses.h"

#include "math/dense.h"
#include "math/sparse.h"
#include "set/row_bounds.h"
#include "solver/tolerances.h"
#include "solver/workspace.h"

#include <math.h>
#include <string.h>

enum {
    BISECTIONS = 40, /* of a line search: the last bits of its step do not matter */
    REFINEMENTS = 2  /* of the answer, each by the ratio of s to what the rows have of softness together */
};

typedef struct soft_rows {
    const tp_problem *p;
    tp_stack *stack;
    tp_body_system bodies;    /* groups of unknowns, their scale and the order of their elimination */
    double *s;                /* [rows] */
    double *low, *high;       /* [rows] d(r) = -s P(r): r between these */
    unsigned char *is_active; /* [rows] between its bounds: counted in H */
    double *r, *rate;         /* [rows] W^T x + b, and its rate along the step */
    double *step, *right;     /* [x_count] */
    tp_fronts H;              /* M + sum of W W^T / s over active rows, factorised */
} soft_rows;

static bool take(soft_rows *soft)
{
    const tp_problem *p = soft->p;
    tp_stack *stack = soft->stack;
    size_t n = (size_t)p->x_count, rows = (size_t)p->row_count;
    soft->s = TP_STACK_ARRAY(stack, double, rows);
    soft->low = TP_STACK_ARRAY(stack, double, rows);
    soft->high = TP_STACK_ARRAY(stack, double, rows);
    soft->is_active = TP_STACK_ARRAY(stack, unsigned char, rows);
    soft->r = TP_STACK_ARRAY(stack, double, rows);
    soft->rate = TP_STACK_ARRAY(stack, double, rows);
    soft->step = TP_STACK_ARRAY(stack, double, n);
    soft->right = TP_STACK_ARRAY(stack, double, n);
    if (stack->failed) return false;
    for (int i = 0; i < p->set_count; i++) {
        const tp_set *set = &p->sets[i];
        for (int k = 0; k < set->size; k++) {
            int row = set->first + k;
            soft->s[row] = p->D.value[p->D.offset[i] + (size_t)(k * (set->size + 1))];
            tp_row_bounds bounds = tp_set_row_bounds(set, k);
            soft->low[row] = -soft->s[row] * bounds.upper;
            soft->high[row] = -soft->s[row] * bounds.lower;
        }
    }
    return true;
}

static void add_masses(soft_rows *soft)
{
    const tp_sparse *M = &soft->p->M;
    const tp_body_system *bodies = &soft->bodies;
    int stride;
    for (int j = 0; j < M->cols; j++) {
        for (int e = M->start[j]; e < M->start[j + 1]; e++) {
            int i = M->index[e];
            double *to = tp_fronts_block(&soft->H, bodies->node_of[i], bodies->node_of[j], &stride);
            to[bodies->slot[i] + (size_t)bodies->slot[j] * (size_t)stride] +=
                M->value[e] * bodies->scale[i] * bodies->scale[j];
        }
    }
}

/* Adds W W^T / s of the active rows of a law to the blocks of its nodes. */
static void add_law(soft_rows *soft, int law)
{
    const tp_body_system *bodies = &soft->bodies;
    const tp_set *set = &soft->p->sets[law];
    const double *W = bodies->direction + bodies->law_offset[law], *right = W;
    int begin = bodies->law_start[law], end = bodies->law_start[law + 1];
    for (int l = begin; l < end; l++) {
        int columns = bodies->size[bodies->law_node[l]];
        double weighted[TP_LARGEST_NODE * TP_SET_MAX];
        for (int r = 0; r < set->size; r++) {
            double weight = soft->is_active[set->first + r] ? 1.0 / soft->s[set->first + r] : 0.0;
            for (int b = 0; b < columns; b++) weighted[b + r * columns] = right[b + r * columns] * weight;
        }
        const double *left = W;
        for (int k = begin; k < end; k++) {
            int stride, rows = bodies->size[bodies->law_node[k]];
            double *to = tp_fronts_block(&soft->H, bodies->law_node[k], bodies->law_node[l], &stride);
            tp_dense_add_outer(rows, columns, set->size, left, weighted, to, stride);
            left += rows * set->size;
        }
        right += columns * set->size;
    }
}

/* H of the rows that are active now. */
static bool factorise(soft_rows *soft)
{
    if (tp_fronts_take(soft->stack, &soft->bodies.plan, soft->bodies.size, &soft->H) != TP_OK) return false;
    add_masses(soft);
    for (int i = 0; i < soft->p->set_count; i++) add_law(soft, i);
    return tp_fronts_factor(&soft->H) == TP_OK;
}

/* x becomes H^-1 x. */
static void solve(const soft_rows *soft, double *x)
{
    const double *scale = soft->bodies.scale;
    for (int j = 0; j < soft->p->x_count; j++) x[j] *= scale[j];
    tp_fronts_solve(&soft->H, soft->bodies.first, x);
    for (int j = 0; j < soft->p->x_count; j++) x[j] *= scale[j];
}

/* W^T x of all rows. */
static void rows_of(const tp_sparse *A, const double *x, double *out)
{
    memset(out, 0, (size_t)A->cols * sizeof(double));
    tp_sparse_multiply_transposed_add(A, x, out);
}

static double pull(const soft_rows *soft, int i, double r)
{
    return fmin(fmax(r, soft->low[i]), soft->high[i]);
}

static bool is_between(const soft_rows *soft, int i, double r)
{
    return r > soft->low[i] && r < soft->high[i];
}

/* Derivative of the function along the step d, after a part of it; at_start, curvature: x.M d - f.d and
   d.M d. */
static double slope(const soft_rows *soft, double part, double at_start, double curvature)
{
    double sum = at_start + part * curvature;
    for (int i = 0; i < soft->p->row_count; i++) {
        double r = soft->r[i] + part * soft->rate[i];
        sum += pull(soft, i, r) * soft->rate[i] / soft->s[i];
    }
    return sum;
}

/* Whether a row ends on the piece of d where it began. */
static bool is_same_piece(const soft_rows *soft, int i)
{
    double from = soft->r[i], to = from + soft->rate[i];
    if (soft->is_active[i]) return is_between(soft, i, to);
    return from <= soft->low[i] ? to <= soft->low[i] : to >= soft->high[i];
}

/* Whether no row passes a bound along the step: the function is then quadratic, and the step exact. */
static bool is_quadratic(const soft_rows *soft)
{
    int i = 0;
    while (i < soft->p->row_count && is_same_piece(soft, i)) i++;
    return i == soft->p->row_count;
}

/* The part of the step at which the function is least: its slope rises from below 0. */
static double search(const soft_rows *soft, const double *x)
{
    double *Md = soft->right;
    memset(Md, 0, (size_t)soft->p->x_count * sizeof(double));
    tp_sparse_multiply_add(&soft->p->M, soft->step, Md);
    double at_start =
               tp_dense_dot(soft->p->x_count, x, Md) - tp_dense_dot(soft->p->x_count, soft->p->f, soft->step),
           curvature = tp_dense_dot(soft->p->x_count, soft->step, Md), low = 0.0, high = 1.0;
    if (slope(soft, 1.0, at_start, curvature) <= 0.0) return 1.0;
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = 0.5 * (low + high);
        *(slope(soft, middle, at_start, curvature) > 0.0 ? &high : &low) = middle;
    }
    return low;
}

static void measure(soft_rows *soft, const double *x)
{
    rows_of(&soft->p->A, x, soft->r);
    for (int i = 0; i < soft->p->row_count; i++) soft->r[i] += soft->p->b[i];
}

/* The multipliers P take over what the rows are off, with the factors of the last step: what is left of rows
   that do not contradict each other falls by the same factor as in the step; (8). */
static void refine(soft_rows *soft, double *x, double *P)
{
    const tp_problem *p = soft->p;
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        memset(soft->step, 0, (size_t)p->x_count * sizeof(double));
        for (int i = 0; i < p->row_count; i++) {
            if (!soft->is_active[i]) continue;
            double impulse = soft->r[i] / soft->s[i];
            for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
                soft->step[p->A.index[e]] -= p->A.value[e] * impulse;
        }
        solve(soft, soft->step);
        for (int j = 0; j < p->x_count; j++) x[j] += soft->step[j];
        measure(soft, x);
        for (int i = 0; i < p->row_count; i++) {
            if (soft->is_active[i]) P[i] -= soft->r[i] / soft->s[i];
        }
    }
}

/* Right side f - M x - W d / s; the rows that count are active from now on. */
static void linearise(soft_rows *soft, const double *x)
{
    const tp_problem *p = soft->p;
    memset(soft->right, 0, (size_t)p->x_count * sizeof(double));
    tp_sparse_multiply_add(&p->M, x, soft->right);
    for (int i = 0; i < p->row_count; i++) {
        double impulse = pull(soft, i, soft->r[i]) / soft->s[i];
        soft->is_active[i] = is_between(soft, i, soft->r[i]);
        for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
            soft->right[p->A.index[e]] += p->A.value[e] * impulse;
    }
    for (int j = 0; j < p->x_count; j++) soft->right[j] = p->f[j] - soft->right[j];
}

/* One Newton step; false: it cannot be made. The last one fills P. */
static bool take_step(soft_rows *soft, double *x, double *P, bool *is_last_out)
{
    size_t bytes = (size_t)soft->p->x_count * sizeof(double);
    tp_stack_mark mark = tp_stack_mark_now(soft->stack);
    bool is_made = factorise(soft);
    if (is_made) {
        memcpy(soft->step, soft->right, bytes);
        solve(soft, soft->step);
        rows_of(&soft->p->A, soft->step, soft->rate);
        *is_last_out = is_quadratic(soft);
        double part = *is_last_out ? 1.0 : search(soft, x);
        for (int j = 0; j < soft->p->x_count; j++) x[j] += part * soft->step[j];
        measure(soft, x);
        for (int i = 0; i < soft->p->row_count; i++) P[i] = -pull(soft, i, soft->r[i]) / soft->s[i];
        if (*is_last_out) /* no row has changed its piece */
            refine(soft, x, P);
        else
            linearise(soft, x);
    }
    tp_stack_release(soft->stack, mark);
    return is_made;
}

/* Factors of small problems and of long ones cost less than the products of an iteration over impulses. */
static bool is_direct(const soft_rows *soft)
{
    double entries = soft->p->A.start[soft->p->row_count];
    return tp_front_operations(&soft->bodies.plan, soft->bodies.size) <= tp_soft_work * entries;
}

static int solve_by_factors(soft_rows *soft, int max_steps, double *x, double *P)
{
    int steps = 0;
    bool is_last = false;
    if (!take(soft)) return 0;
    memcpy(soft->r, soft->p->b, (size_t)soft->p->row_count * sizeof(double)); /* x is 0 */
    linearise(soft, x);
    while (steps < max_steps && !is_last && take_step(soft, x, P, &is_last)) steps++;
    return steps;
}

int tp_soft_rows_solve(const tp_problem *problem, int max_steps, tp_workspace *workspace, double *x_out,
                       double *P_out)
{
    tp_stack *stack = &workspace->stack;
    tp_local local = {.global = problem};
    soft_rows soft = {.p = problem, .stack = stack};
    tp_stack_mark mark = tp_stack_mark_now(stack);
    memset(x_out, 0, (size_t)problem->x_count * sizeof(double));
    memset(P_out, 0, (size_t)problem->row_count * sizeof(double));
    bool is_ready = tp_body_system_init(&soft.bodies, &local, stack) == TP_OK,
         by_factors = is_ready && is_direct(&soft);
    int steps = by_factors ? solve_by_factors(&soft, max_steps, x_out, P_out) : 0;
    tp_stack_release(stack, mark);
    if (is_ready && !by_factors)
        return tp_soft_impulses_solve(problem, TP_SOFT_PRODUCTS, workspace, x_out, P_out);
    tp_stack_settle(stack);
    return steps;
}
