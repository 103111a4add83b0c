/* Proofs that a problem has no solution, searched by a linear programme and checked apart from it;
   docs/theory/pivoting.md (19)-(23). */
#include "solver/infeasible/farkas.h"

#include "math/dense.h"
#include "set/row_bounds.h"
#include "solver/infeasible/linear_program.h"
#include "solver/infeasible/no_solution.h"
#include "solver/pivoting/bounded.h"
#include "solver/tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* v = G^T y must keep (v.P) bounded above: equal to zero, of one sign, or anything (the interval is paid
   for). One equation per column j: (G^T y)_j + (slack) = 0, and the last: -(c.y + sum of sup) = 1. Unknowns
   in order: y+ and y- where allowed, then the slacks. */
typedef struct programme {
    int n, rows, cols;
    double *A, *b, *x;
    int *column_of_positive, *column_of_negative; /* [n] of y, -1: not allowed */
} programme;

/* Multipliers and slacks; of the sets of problems at most two a row. */
static size_t count_columns(int n, const tp_farkas_row *rows)
{
    size_t count = 0;
    for (int i = 0; i < n; i++)
        count += (size_t)(rows[i].may_be_positive + rows[i].may_be_negative + (rows[i].upper < HUGE_VAL) +
                          (rows[i].lower > -HUGE_VAL));
    return count;
}

static tp_status take_programme(programme *p, int n, const tp_farkas_row *rows, tp_stack *stack)
{
    p->n = n;
    p->rows = n + 1;
    p->cols = 0;
    size_t most = count_columns(n, rows);
    p->A = TP_STACK_ARRAY(stack, double, most *(size_t)p->rows + 1);
    p->b = TP_STACK_ARRAY(stack, double, p->rows);
    p->x = TP_STACK_ARRAY(stack, double, most + 1);
    TP_STACK_INTS(stack, n + 1, &p->column_of_positive, &p->column_of_negative);
    if (!p->A || !p->b || !p->x || !p->column_of_positive || !p->column_of_negative) return TP_OUT_OF_MEMORY;
    memset(p->A, 0, most * (size_t)p->rows * sizeof(double));
    for (int i = 0; i < p->rows; i++) p->b[i] = i == n ? 1.0 : 0.0;
    return TP_OK;
}

/* The column of one sign of y_i; s = +1 or -1. */
static int add_multiplier(programme *p, const double *G, const double *c, int i, double s)
{
    double *column = p->A + (size_t)p->cols * (size_t)p->rows;
    for (int j = 0; j < p->n; j++) column[j] = s * G[i + (size_t)j * (size_t)p->n];
    column[p->n] = -s * c[i];
    return p->cols++;
}

/* A slack v_j = -(its column): cost = sup of v_j P_j per unit. */
static void add_slack(programme *p, int j, double s, double cost)
{
    double *column = p->A + (size_t)p->cols * (size_t)p->rows;
    column[j] = -s;
    column[p->n] = -cost;
    p->cols++;
}

static void fill_programme(programme *p, const double *G, const double *c, const tp_farkas_row *rows)
{
    for (int i = 0; i < p->n; i++) {
        p->column_of_positive[i] = rows[i].may_be_positive ? add_multiplier(p, G, c, i, 1.0) : -1;
        p->column_of_negative[i] = rows[i].may_be_negative ? add_multiplier(p, G, c, i, -1.0) : -1;
    }
    for (int j = 0; j < p->n; j++) {
        /* v_j > 0 is allowed where P has an upper bound (and costs upper v_j), v_j < 0 where it has a lower.
         */
        if (rows[j].upper < HUGE_VAL) add_slack(p, j, 1.0, rows[j].upper);
        if (rows[j].lower > -HUGE_VAL) add_slack(p, j, -1.0, -rows[j].lower);
    }
}

/* The independent check. Returns the radius up to which solutions are excluded, 0 if none. */
static double excluded_radius(int n, const double *G, const double *c, const tp_farkas_row *rows,
                              const double *y)
{
    double total = 0.0, magnitude = 0.0, leak = 0.0;
    for (int i = 0; i < n; i++) {
        if ((y[i] > 0.0 && !rows[i].may_be_positive) || (y[i] < 0.0 && !rows[i].may_be_negative)) return 0.0;
        total += c[i] * y[i];
        magnitude += fabs(c[i] * y[i]);
    }
    for (int j = 0; j < n; j++) {
        double v = 0.0, size = 0.0;
        for (int i = 0; i < n; i++) {
            v += G[i + (size_t)j * (size_t)n] * y[i];
            size += fabs(G[i + (size_t)j * (size_t)n] * y[i]);
        }
        double bound = v > 0.0 ? rows[j].upper : rows[j].lower;
        if (fabs(v) <= tp_sum_roundings * DBL_EPSILON * size) continue;
        if (fabs(bound) < HUGE_VAL) {
            total += v * bound;
            magnitude += fabs(v * bound);
        } else {
            leak += v * v;
        }
    }
    /* Rounding of the sums themselves must not decide. */
    double gap = -total - tp_sum_part * magnitude;
    if (!(gap > 0.0)) return 0.0;
    return leak > 0.0 ? gap / sqrt(leak) : HUGE_VAL;
}

bool tp_farkas_search(int n, const double *G, const double *c, const tp_farkas_row *rows, double rho,
                      tp_stack *stack, double *y_out, double *radius_out)
{
    programme p;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    double radius = 0.0;
    for (int i = 0; i < n; i++) y_out[i] = 0.0;
    if (n > 0 && n <= TP_PROOF_MAX_ROWS && take_programme(&p, n, rows, stack) == TP_OK) {
        fill_programme(&p, G, c, rows);
        if (tp_linear_feasible_point(p.rows, p.cols, p.A, p.b, stack, p.x)) {
            for (int i = 0; i < n; i++) {
                if (p.column_of_positive[i] >= 0) y_out[i] += p.x[p.column_of_positive[i]];
                if (p.column_of_negative[i] >= 0) y_out[i] -= p.x[p.column_of_negative[i]];
            }
            radius = excluded_radius(n, G, c, rows, y_out);
        }
    }
    tp_stack_release(stack, mark);
    if (radius_out) *radius_out = radius;
    return radius * rho >= tp_least_radius * tp_dense_norm(n, c) && radius > 0.0;
}

static tp_farkas_row scalar_row(tp_row_bounds bounds)
{
    return (tp_farkas_row){bounds.lower, bounds.upper, isinf(bounds.upper), isinf(bounds.lower)};
}

/* What a set of the local form allows; curved sets are taken as unbounded, which is on the safe side. */
static void set_rows(const tp_set *set, tp_farkas_row *rows)
{
    for (int k = 0; k < set->size; k++) {
        tp_farkas_row *row = &rows[set->first + k];
        *row = (tp_farkas_row){-HUGE_VAL, HUGE_VAL, false, false};
        if (TP_ACCEPT_SCALAR & TP_ACCEPT(set->kind)) *row = scalar_row(tp_set_row_bounds(set, k));
        if (set->kind == TP_SET_CONTACT && k == 0) row->may_be_positive = true;
    }
}

size_t tp_proof_memory(int n)
{
    size_t rows = (size_t)n;
    if (n > TP_PROOF_MAX_ROWS) return 0;
    return (5 * rows * rows + 32 * rows + 128) * sizeof(double); /* G, A and the dictionary; vectors */
}

bool tp_kinematic_proof(const tp_local *local, tp_stack *stack, double *y_out)
{
    const int n = local->row_count;
    if (n <= 0 || n > TP_PROOF_MAX_ROWS) return false;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_farkas_row *rows = TP_STACK_ARRAY(stack, tp_farkas_row, n);
    double *G = TP_STACK_ARRAY(stack, double, (size_t)n *(size_t)n),
           *work = TP_STACK_ARRAY(stack, double, 2 * (size_t)n);
    bool is_found = false;
    if (rows && G && work) {
        for (int s = 0; s < local->set_count; s++) set_rows(&local->sets[s], rows);
        tp_local_dense(local, G);
        is_found = tp_farkas_search(n, G, local->c, rows, local->rho, stack, y_out, NULL) &&
                   tp_proof_reaches(local, y_out, work);
    }
    tp_stack_release(stack, mark);
    return is_found;
}

bool tp_report_proof(const tp_local *local, tp_stack *stack, tp_report *report)
{
    tp_stack_mark mark = tp_stack_mark_now(stack);
    double *y = TP_STACK_ARRAY(stack, double, local->row_count + 1);
    bool is_found = y != NULL && tp_kinematic_proof(local, stack, y);
    if (is_found) {
        tp_proof_text(local, y, stack, report->reason, sizeof report->reason);
        report->status = TP_INFEASIBLE;
    }
    tp_stack_release(stack, mark);
    return is_found;
}
