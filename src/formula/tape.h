/* The compiled form of a formula. Values are numbered: constants, then variables, then operations. */
#ifndef TP_FORMULA_TAPE_H
#define TP_FORMULA_TAPE_H

#include "formula/formula.h"
#include "formula/operation.h"

struct tp_formula {
    int constant_count, variable_count, operation_count;
    int value_count; /* the three together                                     */
    int result;      /* which value is the formula's                           */
    double *constants;
    int *slots;               /* of the variables, ascending                            */
    tp_operation *operations; /* operands refer to values                               */
};

/* Derivatives along a motion of the variables, orders 0 to `order` (1 or 2). `series` [value_count (order +
   1)] comes with the variables' own derivatives filled in: order + 1 numbers for each value, from value
   constant_count on. */
void tp_tape_series(const tp_formula *formula, int order, double *series);

/* Derivatives along the motion of d result / d value for every value, orders 0 to `order`; `adjoints` has the
   shape of `series`. */
void tp_tape_series_adjoints(const tp_formula *formula, int order, const double *series, double *adjoints);

/* The variables' own values, from the whole argument vector. */
static inline void tp_tape_gather(const tp_formula *formula, const double *z, double *variables_out)
{
    for (int i = 0; i < formula->variable_count; i++) variables_out[i] = z[formula->slots[i]];
}

#endif
