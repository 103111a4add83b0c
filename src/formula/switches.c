/* Where a formula changes its branch; docs/theory/formulas.md. */
#include "tape.h"

#include <math.h>

static bool is_switch(int code)
{
    switch (code) {
    case TP_OP_ABS:
    case TP_OP_SIGN:
    case TP_OP_STEP:
    case TP_OP_FLOOR:
    case TP_OP_MIN:
    case TP_OP_MAX:
    case TP_OP_LESS:
    case TP_OP_LESS_EQUAL: return true;
    default: return false;
    }
}

int tp_formula_switch_count(const tp_formula *formula)
{
    int count = 0;
    for (int i = 0; i < formula->operation_count; i++) count += is_switch(formula->operations[i].code);
    return count;
}

void tp_formula_switch_values(const tp_formula *formula, const double *z, double *work, double *values_out)
{
    const double pi = 3.14159265358979323846;
    tp_formula_value(formula, z, work); /* all values are in work now */
    for (int i = 0, k = 0; i < formula->operation_count; i++) {
        const tp_operation *op = &formula->operations[i];
        if (!is_switch(op->code)) continue;
        bool has_two = tp_operation_operand_count(op->code) == 2;
        double difference = has_two ? work[op->a] - work[op->b] : work[op->a];
        values_out[k++] = op->code == TP_OP_FLOOR ? sin(pi * difference) : difference;
    }
}
