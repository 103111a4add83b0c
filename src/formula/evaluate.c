/* Value and gradient of a formula; docs/theory/formulas.md (1)-(3). */
#include "formula/tape.h"

#include <float.h>
#include <math.h>
#include <string.h>

int tp_formula_slot_count(const tp_formula *formula)
{
    return formula->variable_count;
}

const int *tp_formula_slots(const tp_formula *formula)
{
    return formula->slots;
}

int tp_formula_operation_count(const tp_formula *formula)
{
    return formula->operation_count;
}

/* Three numbers for each value and three for each adjoint: second-order series are the largest. */
int tp_formula_work_size(const tp_formula *formula)
{
    return 6 * formula->value_count;
}

static void run_values(const tp_formula *formula, double *values)
{
    const tp_operation *op = formula->operations;
    double *value = values + formula->constant_count + formula->variable_count;
    for (int left = formula->operation_count; left > 0; left--) *value++ = tp_operation_value(op++, values);
}

/* Derivatives with respect to both operands of a power. Where the base is zero the limits are taken. */
static void power_adjoints(const tp_operation *op, const double *v, double y, double adjoint,
                           double *adjoints)
{
    double base = v[op->a], exponent = v[op->b];
    adjoints[op->a] += adjoint * (exponent * pow(base, exponent - 1.0));
    if (base != 0.0 || !(exponent > 0.0)) adjoints[op->b] += adjoint * (y * log(base));
}

/* The angle's gradient is (x, -y) / r^2, the distance's (x, y) / r, taken as zero at the origin. */
static void polar_adjoints(const tp_operation *op, const double *v, double y, double adjoint,
                           double *adjoints)
{
    double first = v[op->a], second = v[op->b];
    if (op->code == TP_OP_ATAN2) {
        double scale = adjoint / (first * first + second * second);
        adjoints[op->a] += scale * second;
        adjoints[op->b] -= scale * first;
    } else if (y != 0.0) {
        adjoints[op->a] += adjoint * (first / y);
        adjoints[op->b] += adjoint * (second / y);
    }
}

/* What one operation adds to the adjoints of its operands. */
static inline void add_adjoints(const tp_operation *op, const double *v, double y, double adjoint,
                                double *adjoints)
{
    double d[3];
    switch (op->code) {
    case TP_OP_ADD:
        adjoints[op->a] += adjoint;
        adjoints[op->b] += adjoint;
        return;
    case TP_OP_SUBTRACT:
        adjoints[op->a] += adjoint;
        adjoints[op->b] -= adjoint;
        return;
    case TP_OP_MULTIPLY:
        adjoints[op->a] += adjoint * v[op->b];
        adjoints[op->b] += adjoint * v[op->a];
        return;
    case TP_OP_DIVIDE:
        adjoint /= v[op->b];
        adjoints[op->a] += adjoint;
        adjoints[op->b] -= adjoint * y;
        return;
    case TP_OP_NEGATE: adjoints[op->a] -= adjoint; return;
    case TP_OP_SQUARE: adjoints[op->a] += adjoint * (2.0 * v[op->a]); return;
    case TP_OP_INTEGER_POWER:
        adjoints[op->a] += adjoint * (op->b * tp_integer_power(v[op->a], op->b - 1));
        return;
    case TP_OP_FIXED_POWER: adjoints[op->a] += adjoint * (v[op->b] * pow(v[op->a], v[op->b] - 1.0)); return;
    case TP_OP_SIN: adjoints[op->a] += adjoint * cos(v[op->a]); return;
    case TP_OP_COS: adjoints[op->a] -= adjoint * sin(v[op->a]); return;
    case TP_OP_POWER: power_adjoints(op, v, y, adjoint, adjoints); return;
    case TP_OP_ATAN2:
    case TP_OP_HYPOT: polar_adjoints(op, v, y, adjoint, adjoints); return;
    case TP_OP_MIN: adjoints[tp_min_is_first(v[op->a], v[op->b]) ? op->a : op->b] += adjoint; return;
    case TP_OP_MAX: adjoints[tp_max_is_first(v[op->a], v[op->b]) ? op->a : op->b] += adjoint; return;
    case TP_OP_UNWRAP: adjoints[op->a] += adjoint; return;
    case TP_OP_SELECT: adjoints[v[op->a] != 0.0 ? op->b : op->c] += adjoint; return;
    default:
        tp_operation_derivatives(op, v[op->a], y, 0.0, d);
        adjoints[op->a] += adjoint * d[0];
        return;
    }
}

/* d result / d value for every value [value_count]: one sweep backwards over the values. */
static void sweep_back(const tp_formula *formula, const double *values, double *adjoints)
{
    int first = formula->constant_count + formula->variable_count;
    memset(adjoints, 0, (size_t)formula->value_count * sizeof *adjoints);
    adjoints[formula->result] = 1.0;
    for (int i = formula->value_count - 1; i >= first; i--) {
        /* What the result does not see is passed over: an infinite slope in the branch that was not taken
           must not become 0 times infinity. */
        if (adjoints[i] == 0.0) continue;
        add_adjoints(&formula->operations[i - first], values, values[i], adjoints[i], adjoints);
    }
}

double tp_formula_value(const tp_formula *formula, const double *z, double *work)
{
    for (int i = 0; i < formula->constant_count; i++) work[i] = formula->constants[i];
    tp_tape_gather(formula, z, work + formula->constant_count);
    run_values(formula, work);
    return work[formula->result];
}

double tp_formula_gradient(const tp_formula *formula, const double *z, double *work, double *gradient_out)
{
    double value = tp_formula_value(formula, z, work);
    double *adjoints = work + formula->value_count;
    sweep_back(formula, work, adjoints);
    for (int i = 0; i < formula->variable_count; i++) gradient_out[i] = adjoints[formula->constant_count + i];
    return value;
}

double tp_formula_rounding(const tp_formula *formula, const double *work)
{
    const double *adjoints = work + formula->value_count;
    double sum = 0.0;
    for (int i = 0; i < formula->value_count; i++) { /* 0 where a derivative is not finite */
        double term = fabs(adjoints[i] * work[i]);
        sum += isfinite(term) ? term : 0.0;
    }
    return DBL_EPSILON * sum;
}
