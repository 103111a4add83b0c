/* Derivatives of a tape along a motion, forwards, and of its adjoints, backwards;
 * docs/theory/formulas.md (6)-(11). */
#include "formula/series.h"
#include "formula/tape.h"

#include <string.h>

/* a^b and its partial derivatives up to the third, by how often each operand is differentiated. */
typedef struct power_partials {
    double f, a, b, aa, ab, bb, aaa, aab, abb, bbb;
} power_partials;

/* base^exponent log(base)^logs, with its limit where the base is zero. */
static double power_log(double base, double exponent, int logs)
{
    if (logs == 0) return pow(base, exponent);
    if (base == 0.0 && exponent > 0.0) return 0.0;
    return pow(base, exponent) * tp_integer_power(log(base), logs);
}

static power_partials power_partials_at(double a, double b)
{
    double t10 = pow(a, b - 1.0), t20 = pow(a, b - 2.0), t11 = power_log(a, b - 1.0, 1);
    return (power_partials){
        .f = pow(a, b),
        .a = b * t10,
        .b = power_log(a, b, 1),
        .aa = tp_along(t20, b * (b - 1.0)),
        .ab = t10 + b * t11,
        .bb = power_log(a, b, 2),
        .aaa = tp_along(pow(a, b - 3.0), b * (b - 1.0) * (b - 2.0)),
        .aab = tp_along(t20, 2.0 * b - 1.0) + tp_along(power_log(a, b - 2.0, 1), b * (b - 1.0)),
        .abb = 2.0 * t11 + b * power_log(a, b - 1.0, 2),
        .bbb = power_log(a, b, 3),
    };
}

/* Series of a function of two operands from its value, slopes and curvatures. */
static void compose_two(int order, const double *a, const double *b, const double slope[5], double f,
                        double *r)
{
    r[0] = f;
    r[1] = tp_along(slope[0], a[1]) + tp_along(slope[1], b[1]);
    if (order > 1) {
        r[2] = tp_along(slope[2], a[1] * a[1]) + 2.0 * tp_along(slope[3], a[1] * b[1]) +
               tp_along(slope[4], b[1] * b[1]) + tp_along(slope[0], a[2]) + tp_along(slope[1], b[2]);
    }
}

static void power_series(int order, const double *a, const double *b, double *r)
{
    power_partials p = power_partials_at(a[0], b[0]);
    compose_two(order, a, b, (double[5]){p.a, p.b, p.aa, p.ab, p.bb}, p.f, r);
}

/* The squared distance first^2 + second^2. */
static void square_sum(int order, const double *first, const double *second, double *r)
{
    r[0] = first[0] * first[0] + second[0] * second[0];
    r[1] = 2.0 * (first[0] * first[1] + second[0] * second[1]);
    if (order > 1) {
        r[2] =
            2.0 * (first[1] * first[1] + first[0] * first[2] + second[1] * second[1] + second[0] * second[2]);
    }
}

/* angle' = (x y' - y x') / r^2, and once more. */
static void angle_series(int order, const double *y, const double *x, double *r)
{
    double square[3];
    square_sum(order, y, x, square);
    r[0] = atan2(y[0], x[0]);
    r[1] = (x[0] * y[1] - y[0] * x[1]) / square[0];
    if (order > 1) r[2] = (x[0] * y[2] - y[0] * x[2] - r[1] * square[1]) / square[0];
}

/* r^2 = x^2 + y^2, differentiated; at the origin the slope is taken as zero. */
static void distance_series(int order, const double *x, const double *y, double *r)
{
    double square[3];
    square_sum(order, x, y, square);
    r[0] = hypot(x[0], y[0]);
    if (r[0] == 0.0) {
        for (int k = 1; k <= order; k++) r[k] = 0.0;
        return;
    }
    r[1] = 0.5 * square[1] / r[0];
    if (order > 1) r[2] = (0.5 * square[2] - r[1] * r[1]) / r[0];
}

static void copy(int order, const double *from, double *to)
{
    for (int k = 0; k <= order; k++) to[k] = from[k];
}

/* The value and three derivatives of an operation of one operand. */
static void unary_slopes(const tp_operation *op, const double *s, int stride, double y, double d[4])
{
    double exponent = op->code == TP_OP_FIXED_POWER ? s[op->b * stride] : 0.0;
    d[0] = y;
    tp_operation_derivatives(op, s[op->a * stride], y, exponent, d + 1);
}

/* Series of a condition: its value, standing still. */
static double condition_value(const tp_operation *op, const double *a, const double *b)
{
    return tp_operation_value(&(tp_operation){op->code, 0, 1, 1}, (double[2]){a[0], b[0]});
}

static inline void operation_series(const tp_operation *op, int order, const double *s, double *r)
{
    const int stride = order + 1;
    const double *a = s + op->a * stride;
    const double *b = op->code == TP_OP_INTEGER_POWER ? a : s + op->b * stride;
    double d[4];
    switch (op->code) {
    case TP_OP_ADD:
        for (int k = 0; k <= order; k++) r[k] = a[k] + b[k];
        return;
    case TP_OP_SUBTRACT:
        for (int k = 0; k <= order; k++) r[k] = a[k] - b[k];
        return;
    case TP_OP_MULTIPLY:
        r[0] = a[0] * b[0];
        r[1] = a[1] * b[0] + a[0] * b[1];
        if (order > 1) r[2] = a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2];
        return;
    case TP_OP_DIVIDE: tp_series_divide(order, a, b, r); return;
    case TP_OP_POWER: power_series(order, a, b, r); return;
    case TP_OP_ATAN2: angle_series(order, a, b, r); return;
    case TP_OP_HYPOT: distance_series(order, a, b, r); return;
    case TP_OP_MIN: copy(order, tp_min_is_first(a[0], b[0]) ? a : b, r); return;
    case TP_OP_MAX: copy(order, tp_max_is_first(a[0], b[0]) ? a : b, r); return;
    case TP_OP_UNWRAP:
        copy(order, a, r);
        r[0] = tp_unwrap(a[0], b[0]);
        return;
    case TP_OP_SELECT: copy(order, a[0] != 0.0 ? b : s + op->c * stride, r); return;
    default:
        if (op->code >= TP_OP_LESS) {
            for (int k = 1; k <= order; k++) r[k] = 0.0;
            r[0] = condition_value(op, a, b);
            return;
        }
        double y = op->code == TP_OP_FIXED_POWER
                       ? pow(a[0], b[0])
                       : tp_operation_value(&(tp_operation){op->code, 0, op->b, 0}, a);
        unary_slopes(op, s, stride, y, d);
        tp_series_compose(order, d, a, r);
        return;
    }
}

static inline void run_series(const tp_formula *formula, int order, double *series)
{
    const int stride = order + 1;
    for (int i = 0; i < formula->constant_count; i++) {
        series[i * stride] = formula->constants[i];
        for (int k = 1; k <= order; k++) series[i * stride + k] = 0.0;
    }
    int first = formula->constant_count + formula->variable_count;
    for (int i = 0; i < formula->operation_count; i++) {
        operation_series(&formula->operations[i], order, series, series + (first + i) * stride);
    }
}

void tp_tape_series(const tp_formula *formula, int order, double *series)
{
    if (order == 1) {
        run_series(formula, 1, series);
    } else {
        run_series(formula, 2, series);
    }
}

/* to += sign g p */
static inline void add_product(int order, double sign, const double *g, const double *p, double *to)
{
    double product[3];
    tp_series_multiply(order, g, p, product);
    for (int k = 0; k <= order; k++) to[k] += sign * product[k];
}

static void power_series_adjoints(int order, const double *a, const double *b, const double *g, double *to_a,
                                  double *to_b)
{
    power_partials p = power_partials_at(a[0], b[0]);
    double slope[3];
    compose_two(order, a, b, (double[5]){p.aa, p.ab, p.aaa, p.aab, p.abb}, p.a, slope);
    add_product(order, 1.0, g, slope, to_a);
    compose_two(order, a, b, (double[5]){p.ab, p.bb, p.aab, p.abb, p.bbb}, p.b, slope);
    add_product(order, 1.0, g, slope, to_b);
}

static void angle_series_adjoints(int order, const double *y, const double *x, const double *g, double *to_y,
                                  double *to_x)
{
    double square[3], slope[3];
    square_sum(order, y, x, square);
    tp_series_divide(order, x, square, slope);
    add_product(order, 1.0, g, slope, to_y);
    tp_series_divide(order, y, square, slope);
    add_product(order, -1.0, g, slope, to_x);
}

static void distance_series_adjoints(int order, const double *x, const double *y, const double *r,
                                     const double *g, double *to_x, double *to_y)
{
    if (r[0] == 0.0) return;
    double slope[3];
    tp_series_divide(order, x, r, slope);
    add_product(order, 1.0, g, slope, to_x);
    tp_series_divide(order, y, r, slope);
    add_product(order, 1.0, g, slope, to_y);
}

static inline void add_series_adjoints(const tp_operation *op, int order, const double *s, const double *r,
                                       const double *g, double *adjoints)
{
    const int stride = order + 1;
    const bool has_b = op->code != TP_OP_INTEGER_POWER;
    const double *a = s + op->a * stride, *b = has_b ? s + op->b * stride : a;
    double *to_a = adjoints + op->a * stride, *to_b = has_b ? adjoints + op->b * stride : to_a;
    double quotient[3], d[4], slope[3];
    switch (op->code) {
    case TP_OP_ADD:
        for (int k = 0; k <= order; k++) to_a[k] += g[k];
        for (int k = 0; k <= order; k++) to_b[k] += g[k];
        return;
    case TP_OP_SUBTRACT:
        for (int k = 0; k <= order; k++) to_a[k] += g[k];
        for (int k = 0; k <= order; k++) to_b[k] -= g[k];
        return;
    case TP_OP_MULTIPLY:
        add_product(order, 1.0, g, b, to_a);
        add_product(order, 1.0, g, a, to_b);
        return;
    case TP_OP_DIVIDE:
        tp_series_divide(order, g, b, quotient);
        for (int k = 0; k <= order; k++) to_a[k] += quotient[k];
        add_product(order, -1.0, quotient, r, to_b);
        return;
    case TP_OP_POWER: power_series_adjoints(order, a, b, g, to_a, to_b); return;
    case TP_OP_ATAN2: angle_series_adjoints(order, a, b, g, to_a, to_b); return;
    case TP_OP_HYPOT: distance_series_adjoints(order, a, b, r, g, to_a, to_b); return;
    case TP_OP_MIN: to_a = tp_min_is_first(a[0], b[0]) ? to_a : to_b; break;
    case TP_OP_MAX: to_a = tp_max_is_first(a[0], b[0]) ? to_a : to_b; break;
    case TP_OP_UNWRAP: break;
    case TP_OP_SELECT: to_a = a[0] != 0.0 ? to_b : adjoints + op->c * stride; break;
    default: /* one operand: the slope f'(x) is itself a series along the motion */
        unary_slopes(op, s, stride, r[0], d);
        tp_series_compose(order, d + 1, a, slope);
        add_product(order, 1.0, g, slope, to_a);
        return;
    }
    for (int k = 0; k <= order; k++) to_a[k] += g[k];
}

static inline bool is_zero_series(int order, const double *g)
{
    return g[0] == 0.0 && g[1] == 0.0 && (order < 2 || g[2] == 0.0);
}

static inline void run_series_adjoints(const tp_formula *formula, int order, const double *series,
                                       double *adjoints)
{
    const int stride = order + 1, first = formula->constant_count + formula->variable_count;
    memset(adjoints, 0, (size_t)formula->value_count * (size_t)stride * sizeof *adjoints);
    adjoints[formula->result * stride] = 1.0;
    for (int i = formula->value_count - 1; i >= first; i--) {
        const double *g = adjoints + i * stride;
        if (is_zero_series(order, g)) continue; /* not seen by the result, as in the gradient */
        add_series_adjoints(&formula->operations[i - first], order, series, series + i * stride, g, adjoints);
    }
}

void tp_tape_series_adjoints(const tp_formula *formula, int order, const double *series, double *adjoints)
{
    if (order == 1) {
        run_series_adjoints(formula, 1, series, adjoints);
    } else {
        run_series_adjoints(formula, 2, series, adjoints);
    }
}
