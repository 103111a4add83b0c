/* The discrete derivative of a formula and its Jacobian; docs/theory/formulas.md (12)-(14). */
#include "formula/tape.h"

#include <string.h>

/* Below this distance between the two points, relative to 1 + |midpoint|, the midpoint's gradient is used:
   the correction is then smaller than its own rounding error, and what is left out of f(b) - f(a) is of third
   order in the distance. */
static const double shortest_relative_distance = 1e-7;

/* Everything between two points; vectors are compact, one entry for each slot of the formula. */
typedef struct between {
    int n, first, count;
    const double *a, *b;                         /* whole vectors                            */
    double *variables, *gradient, *gradient_end; /* midpoint; gradients there and at the end */
    double *hessian_column;                      /* at the midpoint                          */
    double *tape;                                /* work of the sweeps                       */
    double squared_distance, squared_midpoint;   /* over the block of slots                  */
    double defect;                               /* f(b) - f(a) - gradient . (b - a)         */
} between;

int tp_formula_discrete_work_size(const tp_formula *formula, int count)
{
    (void)count;
    int n = formula->variable_count;
    return 4 * formula->value_count + 4 * n;
}

static bool is_in_block(const between *points, int slot)
{
    return slot >= points->first && slot < points->first + points->count;
}

/* The formula's variables: those of the block between the points, the others from a. */
static void place_variables(const tp_formula *formula, const between *points, double weight)
{
    for (int i = 0; i < points->n; i++) {
        int slot = formula->slots[i];
        double a = points->a[slot], b = is_in_block(points, slot) ? points->b[slot] : a;
        points->variables[i] = weight == 0.0 ? a : weight == 1.0 ? b : 0.5 * (a + b);
    }
}

static double value_at(const tp_formula *formula, const between *points, double weight)
{
    place_variables(formula, points, weight);
    tp_tape_values(formula, points->variables, points->tape);
    return points->tape[formula->result];
}

static void gradient_at(const tp_formula *formula, const between *points, double *gradient_out)
{
    double *adjoints = points->tape + formula->value_count;
    tp_tape_values(formula, points->variables, points->tape);
    tp_tape_adjoints(formula, points->tape, adjoints);
    for (int i = 0; i < points->n; i++) gradient_out[i] = adjoints[formula->constant_count + i];
}

static void measure_block(between *points)
{
    for (int i = points->first; i < points->first + points->count; i++) {
        double d = points->b[i] - points->a[i], middle = 0.5 * (points->a[i] + points->b[i]);
        points->squared_distance += d * d;
        points->squared_midpoint += middle * middle;
    }
}

static double difference(const between *points, int slot)
{
    return points->b[slot] - points->a[slot];
}

static double defect(const tp_formula *formula, const between *points)
{
    double predicted = 0.0;
    for (int i = 0; i < points->n; i++) {
        int slot = formula->slots[i];
        if (is_in_block(points, slot)) predicted += points->gradient[i] * difference(points, slot);
    }
    return value_at(formula, points, 1.0) - value_at(formula, points, 0.0) - predicted;
}

/* (sigma/n) I - (2 sigma/n^2) d d^T */
static void add_defect_terms(const between *points, double *jacobian)
{
    const double n = points->squared_distance, slope = points->defect / n;
    const int count = points->count, first = points->first;
    for (int j = 0; j < count; j++) {
        double twist = 2.0 * slope * difference(points, first + j) / n;
        for (int i = 0; i < count; i++) {
            jacobian[i + (size_t)count * j] -= difference(points, first + i) * twist;
        }
        jacobian[j + (size_t)count * j] += slope;
    }
}

/* One column of Hess/2 + (d/n) [grad f(b) - grad f(mu) - d^T Hess / 2], for the formula's variable j. */
static void add_hessian_terms(const tp_formula *formula, const between *points, int j, bool is_close,
                              double *column)
{
    double rest = points->gradient_end[j] - points->gradient[j];
    for (int i = 0; i < points->n; i++) {
        int slot = formula->slots[i];
        if (!is_in_block(points, slot)) continue;
        column[slot - points->first] += 0.5 * points->hessian_column[i];
        rest -= 0.5 * difference(points, slot) * points->hessian_column[i];
    }
    if (is_close) return;
    rest /= points->squared_distance;
    for (int i = 0; i < points->count; i++) column[i] += difference(points, points->first + i) * rest;
}

static void fill_jacobian(const tp_formula *formula, const between *points, bool is_close,
                          double *jacobian_out)
{
    memset(jacobian_out, 0, (size_t)points->count * (size_t)points->count * sizeof *jacobian_out);
    if (!is_close) add_defect_terms(points, jacobian_out);
    place_variables(formula, points, 1.0);
    gradient_at(formula, points, points->gradient_end);
    place_variables(formula, points, 0.5);
    for (int j = 0; j < points->n; j++) {
        int slot = formula->slots[j];
        if (!is_in_block(points, slot)) continue;
        tp_tape_hessian_column(formula, points->variables, j, points->tape, points->hessian_column);
        double *column = jacobian_out + (size_t)points->count * (size_t)(slot - points->first);
        add_hessian_terms(formula, points, j, is_close, column);
    }
}

void tp_formula_discrete(const tp_formula *formula, const double *a, const double *b, int first, int count,
                         double *work, double *derivative_out, double *jacobian_out)
{
    const int n = formula->variable_count;
    between points = {.n = n, .first = first, .count = count, .a = a, .b = b};
    points.tape = work;
    points.variables = work + 4 * formula->value_count;
    points.gradient = points.variables + n;
    points.gradient_end = points.gradient + n;
    points.hessian_column = points.gradient_end + n;

    measure_block(&points);
    double limit = shortest_relative_distance * (1.0 + sqrt(points.squared_midpoint));
    bool is_close = sqrt(points.squared_distance) < limit;

    place_variables(formula, &points, 0.5);
    gradient_at(formula, &points, points.gradient);
    for (int i = 0; i < count; i++) derivative_out[i] = 0.0;
    for (int i = 0; i < n; i++) {
        int slot = formula->slots[i];
        if (is_in_block(&points, slot)) derivative_out[slot - first] = points.gradient[i];
    }
    if (!is_close) {
        points.defect = defect(formula, &points);
        double slope = points.defect / points.squared_distance;
        for (int i = 0; i < count; i++) derivative_out[i] += slope * difference(&points, first + i);
    }
    if (jacobian_out != NULL) fill_jacobian(formula, &points, is_close, jacobian_out);
}
