/* Whether a formula is an angle, as far as its operations tell; docs/theory/formulas.md, section 7. */
#include "formula/tape.h"

/* The unit of a sum, or of a choice between two: known as soon as one of them is. */
static tp_unit_kind together(tp_unit_kind a, tp_unit_kind b)
{
    if (a == TP_UNIT_OTHER || b == TP_UNIT_OTHER) return TP_UNIT_OTHER;
    return a == TP_UNIT_ANGLE || b == TP_UNIT_ANGLE ? TP_UNIT_ANGLE : TP_UNIT_UNKNOWN;
}

static tp_unit_kind of_operation(const tp_operation *op, const tp_unit_kind *of)
{
    switch (op->code) {
    case TP_OP_ASIN:
    case TP_OP_ACOS:
    case TP_OP_ATAN:
    case TP_OP_ATAN2: return TP_UNIT_ANGLE;
    case TP_OP_NEGATE:
    case TP_OP_ABS:
    case TP_OP_UNWRAP: return of[op->a];
    case TP_OP_ADD:
    case TP_OP_SUBTRACT:
    case TP_OP_HYPOT:
    case TP_OP_MIN:
    case TP_OP_MAX: return together(of[op->a], of[op->b]);
    case TP_OP_SELECT: return together(of[op->b], of[op->c]);
    default: return TP_UNIT_UNKNOWN; /* a factor may have any unit */
    }
}

tp_unit_kind tp_formula_unit(const tp_formula *formula, tp_slot_unit slot_unit, const void *context,
                             tp_unit_kind *work)
{
    int first = formula->constant_count + formula->variable_count;
    for (int i = 0; i < formula->constant_count; i++) work[i] = TP_UNIT_UNKNOWN;
    for (int i = 0; i < formula->variable_count; i++)
        work[formula->constant_count + i] = slot_unit(context, formula->slots[i]);
    for (int i = 0; i < formula->operation_count; i++)
        work[first + i] = of_operation(&formula->operations[i], work);
    return work[formula->result];
}

int tp_formula_value_count(const tp_formula *formula)
{
    return formula->value_count;
}
