/* Soft rows by Newton's method on a convex, piecewise quadratic function; theory/correction.md (5)-(8). */
#include "soft_rows.h"

#include "math/dense.h"
#include "math/factor.h"
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
    double *s;                /* [rows] */
    double *low, *high;       /* [rows] d(r) = -s P(r): r between these */
    unsigned char *is_active; /* [rows] between its bounds: counted in H */
    double *r, *rate;         /* [rows] W^T x + b, and its rate along the step */
    double *step, *right;     /* [x_count] */
    tp_sparse H;              /* M + sum of W W^T / s over active rows */
    int *row_start, *row_of;  /* rows by unknown: [x_count + 1], [entries of A] */
    int *mark;                /* [x_count] */
} soft_rows;

static void list_rows(soft_rows *soft)
{
    const tp_sparse *A = &soft->p->A;
    int n = soft->p->x_count, *start = soft->row_start;
    memset(start, 0, (size_t)(n + 1) * sizeof(int));
    for (int e = 0; e < A->start[A->cols]; e++) start[A->index[e] + 1]++;
    for (int j = 0; j < n; j++) start[j + 1] += start[j];
    for (int i = 0; i < A->cols; i++) {
        for (int e = A->start[i]; e < A->start[i + 1]; e++) soft->row_of[start[A->index[e]]++] = i;
    }
    for (int j = n; j > 0; j--) start[j] = start[j - 1];
    start[0] = 0;
}

/* All entries that H may have. */
static size_t count_entries(const tp_problem *p)
{
    size_t count = (size_t)p->M.start[p->x_count];
    for (int i = 0; i < p->row_count; i++) {
        size_t size = (size_t)(p->A.start[i + 1] - p->A.start[i]);
        count += size * size;
    }
    return count;
}

static bool take(soft_rows *soft)
{
    const tp_problem *p = soft->p;
    tp_stack *stack = soft->stack;
    size_t n = (size_t)p->x_count, rows = (size_t)p->row_count, entries = count_entries(p);
    soft->s = TP_STACK_ARRAY(stack, double, rows);
    soft->low = TP_STACK_ARRAY(stack, double, rows);
    soft->high = TP_STACK_ARRAY(stack, double, rows);
    soft->is_active = TP_STACK_ARRAY(stack, unsigned char, rows);
    soft->r = TP_STACK_ARRAY(stack, double, rows);
    soft->rate = TP_STACK_ARRAY(stack, double, rows);
    soft->step = TP_STACK_ARRAY(stack, double, n);
    soft->right = TP_STACK_ARRAY(stack, double, n);
    soft->mark = TP_STACK_ARRAY(stack, int, n);
    soft->row_start = TP_STACK_ARRAY(stack, int, n + 1);
    soft->row_of = TP_STACK_ARRAY(stack, int, p->A.start[p->row_count]);
    soft->H = (tp_sparse){.rows = p->x_count,
                          .cols = p->x_count,
                          .start = TP_STACK_ARRAY(stack, int, n + 1),
                          .index = TP_STACK_ARRAY(stack, int, entries),
                          .value = TP_STACK_ARRAY(stack, double, entries)};
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
    list_rows(soft);
    return true;
}

static void sort_column(tp_sparse *a, int j)
{
    for (int e = a->start[j] + 1; e < a->start[j + 1]; e++) { /* some dozens, nearly in order */
        int index = a->index[e], k = e;
        double value = a->value[e];
        for (; k > a->start[j] && a->index[k - 1] > index; k--) {
            a->index[k] = a->index[k - 1];
            a->value[k] = a->value[k - 1];
        }
        a->index[k] = index;
        a->value[k] = value;
    }
}

/* Adds to an entry of the last column; mark holds the places of its entries. */
static void add_entry(soft_rows *soft, int j, int i, double value)
{
    tp_sparse *H = &soft->H;
    if (soft->mark[i] < H->start[j]) {
        soft->mark[i] = H->start[j + 1]++;
        H->index[soft->mark[i]] = i;
        H->value[soft->mark[i]] = 0.0;
    }
    H->value[soft->mark[i]] += value;
}

static void assemble(soft_rows *soft)
{
    const tp_problem *p = soft->p;
    tp_sparse *H = &soft->H;
    const tp_sparse *A = &p->A;
    H->start[0] = 0;
    for (int j = 0; j < p->x_count; j++) soft->mark[j] = -1;
    for (int j = 0; j < p->x_count; j++) {
        H->start[j + 1] = H->start[j];
        for (int e = p->M.start[j]; e < p->M.start[j + 1]; e++)
            add_entry(soft, j, p->M.index[e], p->M.value[e]);
        for (int k = soft->row_start[j]; k < soft->row_start[j + 1]; k++) {
            int i = soft->row_of[k], e = A->start[i];
            if (!soft->is_active[i]) continue;
            while (A->index[e] != j) e++;
            double factor = A->value[e] / soft->s[i];
            for (e = A->start[i]; e < A->start[i + 1]; e++)
                add_entry(soft, j, A->index[e], factor * A->value[e]);
        }
    }
    /* places were by column and order of rows; the factorisation wants ascending indices */
    for (int j = 0; j < p->x_count; j++) sort_column(H, j);
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
static void refine(soft_rows *soft, const tp_lu *lu, double *x, double *P)
{
    const tp_problem *p = soft->p;
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        memset(soft->step, 0, (size_t)p->x_count * sizeof(double));
        for (int i = 0; i < p->row_count; i++) {
            if (!soft->is_active[i]) continue;
            for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
                soft->step[p->A.index[e]] -= p->A.value[e] * soft->r[i] / soft->s[i];
        }
        tp_lu_solve(lu, soft->step);
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
        double d = pull(soft, i, soft->r[i]);
        soft->is_active[i] = is_between(soft, i, soft->r[i]);
        for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
            soft->right[p->A.index[e]] += p->A.value[e] * d / soft->s[i];
    }
    for (int j = 0; j < p->x_count; j++) soft->right[j] = p->f[j] - soft->right[j];
}

/* One Newton step; false: it cannot be made. The last one fills P. */
static bool take_step(soft_rows *soft, double *x, double *P, bool *is_last_out)
{
    size_t bytes = (size_t)soft->p->x_count * sizeof(double);
    tp_stack_mark mark = tp_stack_mark_now(soft->stack);
    tp_lu lu;
    assemble(soft);
    bool is_made = tp_lu_factor(soft->stack, &soft->H, tp_diagonal_preference, NULL, &lu) == TP_OK;
    if (is_made) {
        memcpy(soft->step, soft->right, bytes);
        tp_lu_solve(&lu, soft->step);
        rows_of(&soft->p->A, soft->step, soft->rate);
        *is_last_out = is_quadratic(soft);
        double part = *is_last_out ? 1.0 : search(soft, x);
        for (int j = 0; j < soft->p->x_count; j++) x[j] += part * soft->step[j];
        measure(soft, x);
        linearise(soft, x);
        for (int i = 0; i < soft->p->row_count; i++) P[i] = -pull(soft, i, soft->r[i]) / soft->s[i];
        if (*is_last_out) refine(soft, &lu, x, P);
    }
    tp_stack_release(soft->stack, mark);
    return is_made;
}

int tp_soft_rows_solve(const tp_problem *problem, int max_steps, tp_workspace *workspace, double *x_out,
                       double *P_out)
{
    tp_stack *stack = &workspace->stack;
    soft_rows soft = {.p = problem, .stack = stack};
    tp_stack_mark mark = tp_stack_mark_now(stack);
    int steps = 0;
    bool is_last = false;
    memset(x_out, 0, (size_t)problem->x_count * sizeof(double));
    memset(P_out, 0, (size_t)problem->row_count * sizeof(double));
    if (take(&soft)) {
        measure(&soft, x_out);
        linearise(&soft, x_out);
        while (steps < max_steps && !is_last && take_step(&soft, x_out, P_out, &is_last)) steps++;
    }
    tp_stack_release(stack, mark);
    tp_stack_settle(stack);
    return steps;
}
