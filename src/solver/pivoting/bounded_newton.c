/* Semismooth Newton for problems with bounds, on the Fischer-Burmeister form with line search and an optional
   proximal term; docs/theory/pivoting.md (15)-(18). */
#include "math/dense.h"
#include "problem/tolerances.h"
#include "solver/pivoting/bounded.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

/* A value and its derivatives with respect to z (through the bound) and xi. */
typedef struct merit_row {
    double value, by_z, by_xi;
} merit_row;

/* phi(a, b) = a + b - sqrt(a^2 + b^2) and an element of its generalised gradient. */
static double fischer(double a, double b, double *by_a, double *by_b)
{
    double length = hypot(a, b);
    if (length > 0.0) {
        *by_a = 1.0 - a / length;
        *by_b = 1.0 - b / length;
    } else {
        *by_a = *by_b = 1.0 - sqrt(0.5);
    }
    /* Without cancellation where the sum is positive. */
    return a + b > 0.0 ? 2.0 * a * b / (a + b + length) : a + b - length;
}

/* The law of one row as an equation; xi in units of z. */
static merit_row row_equation(double lower, double upper, double z, double xi)
{
    double by_a, by_b, by_c, by_d;
    bool has_lower = lower > -HUGE_VAL, has_upper = upper < HUGE_VAL;
    if (!has_lower && !has_upper) return (merit_row){xi, 0.0, 1.0};
    if (has_lower && !has_upper) {
        double value = fischer(z - lower, xi, &by_a, &by_b);
        return (merit_row){value, by_a, by_b};
    }
    if (!has_lower) {
        double value = fischer(upper - z, -xi, &by_a, &by_b);
        return (merit_row){-value, by_a, by_b};
    }
    double inner = fischer(upper - z, -xi, &by_a, &by_b);
    double value = fischer(z - lower, -inner, &by_c, &by_d);
    return (merit_row){value, by_c + by_d * by_a, by_d * by_b};
}

typedef struct newton {
    const tp_box_problem *box;
    double *unit; /* [n] xi / unit is comparable with z */
    double *J, *xi, *value, *step, *trial, *best, *centre;
    int *pivot;
    double proximal; /* weight on z - centre, units of xi / z */
} newton;

static bool take_newton(newton *s, const tp_box_problem *box, tp_stack *stack)
{
    size_t n = (size_t)box->n + 1;
    s->box = box;
    s->J = TP_STACK_ARRAY(stack, double, n *n);
    double *block = TP_STACK_ARRAY(stack, double, 7 * n);
    s->pivot = TP_STACK_ARRAY(stack, int, n);
    if (!s->J || !block || !s->pivot) return false;
    s->unit = block;
    s->xi = block + n;
    s->value = block + 2 * n;
    s->step = block + 3 * n;
    s->trial = block + 4 * n;
    s->best = block + 5 * n;
    s->centre = block + 6 * n;
    for (int i = 0; i < box->n; i++) {
        double diagonal = fabs(box->M[i + (size_t)i * (size_t)box->n]);
        s->unit[i] = diagonal > tp_box_length * box->rho ? diagonal : box->rho;
    }
    return true;
}

/* The equations at z: half their squared norm; fills value and, with xi, what the Jacobian needs. */
static double evaluate(newton *s, const double *z)
{
    const tp_box_problem *box = s->box;
    double sum = 0.0;
    memcpy(s->xi, box->q, (size_t)box->n * sizeof(double));
    tp_dense_multiply_add(box->n, box->n, box->M, box->n, z, s->xi);
    for (int i = 0; i < box->n; i++) {
        s->xi[i] += s->proximal * s->unit[i] * (z[i] - s->centre[i]);
        s->value[i] = row_equation(box->lower[i], box->upper[i], z[i], s->xi[i] / s->unit[i]).value;
        sum += s->value[i] * s->value[i];
    }
    return 0.5 * sum;
}

/* J = diag(by_z) + diag(by_xi / unit) (M + proximal); regularised when it turns out singular. */
static bool newton_step(newton *s, const double *z)
{
    const tp_box_problem *box = s->box;
    const int n = box->n;
    double shift = 0.0;
    for (int attempt = 0; attempt < 4; attempt++) {
        for (int i = 0; i < n; i++) {
            merit_row row = row_equation(box->lower[i], box->upper[i], z[i], s->xi[i] / s->unit[i]);
            double factor = row.by_xi / s->unit[i];
            for (int j = 0; j < n; j++)
                s->J[i + (size_t)j * (size_t)n] = factor * box->M[i + (size_t)j * (size_t)n];
            s->J[i + (size_t)i * (size_t)n] += row.by_z + row.by_xi * (s->proximal + shift);
            s->step[i] = -s->value[i];
        }
        if (tp_dense_lu(n, s->J, n, s->pivot, tp_box_pivot) == TP_OK) {
            tp_dense_lu_solve(n, s->J, n, s->pivot, s->step);
            return isfinite(tp_dense_norm(n, s->step));
        }
        shift = shift > 0.0 ? 100.0 * shift : tp_box_shift;
    }
    return false;
}

/* Halves the step until the equations are smaller than the largest of the last few values. */
static bool search_line(newton *s, double *z, double reference)
{
    const int n = s->box->n;
    for (double length = 1.0; length > tp_box_shortest; length *= 0.5) {
        for (int i = 0; i < n; i++) s->trial[i] = z[i] + length * s->step[i];
        double merit = evaluate(s, s->trial);
        if (merit <= (1.0 - tp_sufficient_decrease * length) * reference) {
            memcpy(z, s->trial, (size_t)n * sizeof(double));
            return true;
        }
    }
    return false;
}

/* Newton steps with a memory of five merits; stops when the error of the problem itself is small. */
static double iterate(newton *s, const tp_box_newton_options *options, double *z, int *iterations)
{
    enum { MEMORY = 5 };
    const int n = s->box->n;
    double history[MEMORY], best = tp_error_of_nothing, start = 0.0;
    for (int k = 0; k < options->max_iterations; k++) {
        double error = tp_box_error(s->box, z, s->xi);
        if (error < best) {
            best = error;
            memcpy(s->best, z, (size_t)n * sizeof(double));
        }
        if (best <= options->tolerance) break;
        double merit = evaluate(s, z), reference = merit;
        if (k == 0) start = merit;
        if (s->proximal > 0.0 && merit <= tp_box_centre * start) {
            memcpy(s->centre, z, (size_t)n * sizeof(double));
            s->proximal *= tp_box_fall;
            merit = start = reference = evaluate(s, z);
            for (int m = 0; m < MEMORY; m++) history[m] = merit;
        }
        history[k % MEMORY] = merit;
        for (int m = 0; m < MEMORY && m <= k; m++) reference = fmax(reference, history[m]);
        (*iterations)++;
        if (!newton_step(s, z) || !search_line(s, z, reference)) break;
    }
    memcpy(z, s->best, (size_t)n * sizeof(double));
    return best;
}

double tp_box_newton(const tp_box_problem *box, const tp_box_newton_options *options, tp_stack *stack,
                     double *z, int *iterations)
{
    newton s;
    double error = tp_error_of_nothing;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    if (take_newton(&s, box, stack)) {
        s.proximal = options->proximal;
        memcpy(s.centre, z, (size_t)box->n * sizeof(double));
        memcpy(s.best, z, (size_t)box->n * sizeof(double));
        error = iterate(&s, options, z, iterations);
    }
    tp_stack_release(stack, mark);
    if (error > 0.0 && error < tp_box_near) error = tp_box_polish(box, stack, z);
    return error;
}
