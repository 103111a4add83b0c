/* Derivatives of the operations of one operand; docs/theory/formulas.md (4), (5). */
#include "formula/operation.h"

int tp_operation_operand_count(int code)
{
    static const int count[TP_OP_COUNT] = {
#define TP_OPERATION_OPERANDS(name, operands) operands,
        TP_OPERATION_LIST(TP_OPERATION_OPERANDS)
#undef TP_OPERATION_OPERANDS
    };
    return count[code];
}

tp_operation tp_operation_moved(tp_operation op, const int *place)
{
    int operand_count = tp_operation_operand_count(op.code);
    if (operand_count > 0) op.a = place[op.a];
    if (operand_count > 1) op.b = place[op.b];
    if (operand_count > 2) op.c = place[op.c];
    return op;
}

/* d/dx of x^p three times; a factor that is exactly zero ends the row, whatever the power is. */
static void power_derivatives(double x, double p, bool is_integer, double derivative_out[3])
{
    double factor = 1.0;
    for (int k = 0; k < 3; k++) {
        factor *= p - k;
        double left = p - (k + 1);
        derivative_out[k] =
            factor == 0.0 ? 0.0 : factor * (is_integer ? tp_integer_power(x, (int)left) : pow(x, left));
    }
}

static void inverse_sine_derivatives(double x, double sign, double derivative_out[3])
{
    double first = 1.0 / sqrt((1.0 - x) * (1.0 + x)), cube = first * first * first;
    derivative_out[0] = sign * first;
    derivative_out[1] = sign * x * cube;
    derivative_out[2] = sign * cube * (3.0 * first * first - 2.0);
}

static void set(double derivative_out[3], double first, double second, double third)
{
    derivative_out[0] = first;
    derivative_out[1] = second;
    derivative_out[2] = third;
}

void tp_operation_derivatives(const tp_operation *op, double x, double y, double exponent,
                              double derivative_out[3])
{
    double d;
    switch (op->code) {
    case TP_OP_NEGATE: set(derivative_out, -1.0, 0.0, 0.0); return;
    case TP_OP_SQUARE: set(derivative_out, 2.0 * x, 2.0, 0.0); return;
    case TP_OP_INTEGER_POWER: power_derivatives(x, op->b, true, derivative_out); return;
    case TP_OP_FIXED_POWER: power_derivatives(x, exponent, false, derivative_out); return;
    case TP_OP_SQRT:
        d = 0.5 / y;
        set(derivative_out, d, -0.5 * d / x, 0.75 * d / x / x);
        return;
    case TP_OP_EXP: set(derivative_out, y, y, y); return;
    case TP_OP_LOG:
        d = 1.0 / x;
        set(derivative_out, d, -d * d, 2.0 * d * d * d);
        return;
    case TP_OP_SIN:
        d = cos(x);
        set(derivative_out, d, -y, -d);
        return;
    case TP_OP_COS:
        d = sin(x);
        set(derivative_out, -d, -y, d);
        return;
    case TP_OP_TAN:
        d = 1.0 + y * y;
        set(derivative_out, d, 2.0 * y * d, (2.0 + 6.0 * y * y) * d);
        return;
    case TP_OP_ASIN: inverse_sine_derivatives(x, 1.0, derivative_out); return;
    case TP_OP_ACOS: inverse_sine_derivatives(x, -1.0, derivative_out); return;
    case TP_OP_ATAN:
        d = 1.0 / (1.0 + x * x);
        set(derivative_out, d, -2.0 * x * d * d, d * d * (6.0 - 8.0 * d));
        return;
    case TP_OP_SINH:
        d = cosh(x);
        set(derivative_out, d, y, d);
        return;
    case TP_OP_COSH:
        d = sinh(x);
        set(derivative_out, d, y, d);
        return;
    case TP_OP_TANH: /* 1 - y^2 would cancel for large x */
        d = 1.0 / cosh(x);
        d *= d;
        set(derivative_out, d, -2.0 * y * d, d * (6.0 * y * y - 2.0));
        return;
    case TP_OP_ABS: set(derivative_out, tp_sign(x), 0.0, 0.0); return;
    case TP_OP_SIGN:
    case TP_OP_STEP:
    case TP_OP_FLOOR:
    case TP_OP_LESS:
    case TP_OP_LESS_EQUAL:
    case TP_OP_EQUAL:
    case TP_OP_NOT_EQUAL:
    case TP_OP_AND:
    case TP_OP_OR:
    case TP_OP_NOT: set(derivative_out, 0.0, 0.0, 0.0); return;
    default: set(derivative_out, NAN, NAN, NAN); return; /* of two operands: not here */
    }
}
