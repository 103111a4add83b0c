/* The operations of a tape and what each computes; docs/theory/formulas.md (1)-(5). */
#ifndef TP_FORMULA_OPERATION_H
#define TP_FORMULA_OPERATION_H

#include <math.h>
#include <stdbool.h>

/* Name and number of operands. Leaves come first, operations after; conditions are those between TP_OP_LESS
 * and TP_OP_NOT. */
#define TP_OPERATION_LIST(X)                                                                                 \
    X(TP_OP_CONSTANT, 0) /* leaf                                        */                                   \
    X(TP_OP_VARIABLE, 0) /* leaf; a: slot of z                          */                                   \
    X(TP_OP_ARGUMENT, 0) /* leaf of a function's body; a: its number    */                                   \
    X(TP_OP_ADD, 2)                                                                                          \
    X(TP_OP_SUBTRACT, 2)                                                                                     \
    X(TP_OP_MULTIPLY, 2)                                                                                     \
    X(TP_OP_DIVIDE, 2)                                                                                       \
    X(TP_OP_NEGATE, 1)                                                                                       \
    X(TP_OP_SQUARE, 1)                                                                                       \
    X(TP_OP_INTEGER_POWER, 1) /* b: the exponent itself, not an operand      */                              \
    X(TP_OP_FIXED_POWER, 2)   /* b is a constant                             */                              \
    X(TP_OP_POWER, 2)                                                                                        \
    X(TP_OP_SQRT, 1)                                                                                         \
    X(TP_OP_EXP, 1)                                                                                          \
    X(TP_OP_LOG, 1)                                                                                          \
    X(TP_OP_SIN, 1)                                                                                          \
    X(TP_OP_COS, 1)                                                                                          \
    X(TP_OP_TAN, 1)                                                                                          \
    X(TP_OP_ASIN, 1)                                                                                         \
    X(TP_OP_ACOS, 1)                                                                                         \
    X(TP_OP_ATAN, 1)                                                                                         \
    X(TP_OP_SINH, 1)                                                                                         \
    X(TP_OP_COSH, 1)                                                                                         \
    X(TP_OP_TANH, 1)                                                                                         \
    X(TP_OP_ABS, 1)                                                                                          \
    X(TP_OP_SIGN, 1)                                                                                         \
    X(TP_OP_STEP, 1)                                                                                         \
    X(TP_OP_FLOOR, 1)                                                                                        \
    X(TP_OP_ATAN2, 2)                                                                                        \
    X(TP_OP_HYPOT, 2)                                                                                        \
    X(TP_OP_MIN, 2)                                                                                          \
    X(TP_OP_MAX, 2)                                                                                          \
    X(TP_OP_UNWRAP, 2) /* b: the reference, whose derivative is 0      */                                    \
    X(TP_OP_LESS, 2)                                                                                         \
    X(TP_OP_LESS_EQUAL, 2)                                                                                   \
    X(TP_OP_EQUAL, 2)                                                                                        \
    X(TP_OP_NOT_EQUAL, 2)                                                                                    \
    X(TP_OP_AND, 2)                                                                                          \
    X(TP_OP_OR, 2)                                                                                           \
    X(TP_OP_NOT, 1)                                                                                          \
    X(TP_OP_SELECT, 3) /* a: condition, b: where it holds, c: where not  */

typedef enum tp_operation_code {
#define TP_OPERATION_ENUM(code, operands) code,
    TP_OPERATION_LIST(TP_OPERATION_ENUM)
#undef TP_OPERATION_ENUM
        TP_OP_COUNT
} tp_operation_code;

typedef struct tp_operation {
    int code, a, b, c; /* operands are places of earlier values */
} tp_operation;

int tp_operation_operand_count(int code);

/* The operation with its operands' new places. */
tp_operation tp_operation_moved(tp_operation op, const int *place);

/* x^n by repeated squaring, n of any sign. */
static inline double tp_integer_power(double x, int n)
{
    unsigned left = n < 0 ? 0u - (unsigned)n : (unsigned)n;
    double result = 1.0;
    for (double square = x; left != 0; left >>= 1) {
        if (left & 1u) result *= square;
        if (left > 1) square *= square;
    }
    return n < 0 ? 1.0 / result : result;
}

static inline double tp_sign(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x == 0.0 ? 0.0 : x;
}

/* Which operand min and max take: the first at a tie; one that is not a number wins, so that it is seen. */
static inline bool tp_min_is_first(double a, double b)
{
    return a <= b || a != a;
}

static inline bool tp_max_is_first(double a, double b)
{
    return a >= b || a != a;
}

/* The angle plus the whole turns that bring it nearest to the reference; exactly the angle without any. */
static inline double tp_unwrap(double angle, double reference)
{
    const double turn = 6.283185307179586;
    return angle + turn * rint((reference - angle) / turn);
}

/* Value of one operation, its operands taken from v. */
static inline double tp_operation_value(const tp_operation *op, const double *v)
{
    switch (op->code) {
    case TP_OP_ADD: return v[op->a] + v[op->b];
    case TP_OP_SUBTRACT: return v[op->a] - v[op->b];
    case TP_OP_MULTIPLY: return v[op->a] * v[op->b];
    case TP_OP_DIVIDE: return v[op->a] / v[op->b];
    case TP_OP_NEGATE: return -v[op->a];
    case TP_OP_SQUARE: return v[op->a] * v[op->a];
    case TP_OP_INTEGER_POWER: return tp_integer_power(v[op->a], op->b);
    case TP_OP_FIXED_POWER:
    case TP_OP_POWER: return pow(v[op->a], v[op->b]);
    case TP_OP_SQRT: return sqrt(v[op->a]);
    case TP_OP_EXP: return exp(v[op->a]);
    case TP_OP_LOG: return log(v[op->a]);
    case TP_OP_SIN: return sin(v[op->a]);
    case TP_OP_COS: return cos(v[op->a]);
    case TP_OP_TAN: return tan(v[op->a]);
    case TP_OP_ASIN: return asin(v[op->a]);
    case TP_OP_ACOS: return acos(v[op->a]);
    case TP_OP_ATAN: return atan(v[op->a]);
    case TP_OP_SINH: return sinh(v[op->a]);
    case TP_OP_COSH: return cosh(v[op->a]);
    case TP_OP_TANH: return tanh(v[op->a]);
    case TP_OP_ABS: return fabs(v[op->a]);
    case TP_OP_SIGN: return tp_sign(v[op->a]);
    case TP_OP_FLOOR: return floor(v[op->a]);
    case TP_OP_STEP: return v[op->a] >= 0.0 ? 1.0 : v[op->a] < 0.0 ? 0.0 : v[op->a];
    case TP_OP_ATAN2: return atan2(v[op->a], v[op->b]);
    case TP_OP_HYPOT: return hypot(v[op->a], v[op->b]);
    case TP_OP_MIN: return tp_min_is_first(v[op->a], v[op->b]) ? v[op->a] : v[op->b];
    case TP_OP_MAX: return tp_max_is_first(v[op->a], v[op->b]) ? v[op->a] : v[op->b];
    case TP_OP_UNWRAP: return tp_unwrap(v[op->a], v[op->b]);
    case TP_OP_LESS: return v[op->a] < v[op->b];
    case TP_OP_LESS_EQUAL: return v[op->a] <= v[op->b];
    case TP_OP_EQUAL: return v[op->a] == v[op->b];
    case TP_OP_NOT_EQUAL: return v[op->a] != v[op->b];
    case TP_OP_AND: return v[op->a] != 0.0 && v[op->b] != 0.0;
    case TP_OP_OR: return v[op->a] != 0.0 || v[op->b] != 0.0;
    case TP_OP_NOT: return v[op->a] == 0.0;
    case TP_OP_SELECT: return v[op->a] != 0.0 ? v[op->b] : v[op->c];
    default: return NAN; /* leaves have no operation */
    }
}

/* First, second and third derivative of an operation of one operand, given operand x and value y. `operation`
   may be a fixed power, whose exponent is then `exponent`. Conventions at kinks: theory/formulas.md (5). */
void tp_operation_derivatives(const tp_operation *op, double x, double y, double exponent,
                              double derivative_out[3]);

#endif
