/* Second derivatives and derivatives along a motion; docs/theory/formulas.md (6)-(11). */
#include "formula/tape.h"

/* Series of first order along a direction of the variables, and their adjoints behind them. */
static void run_direction(const tp_formula *formula, double *series)
{
    tp_tape_series(formula, 1, series);
    tp_tape_series_adjoints(formula, 1, series, series + 2 * formula->value_count);
}

double tp_formula_hessian_vector(const tp_formula *formula, const double *z, const double *direction,
                                 double *work, double *gradient_out, double *product_out)
{
    double *variables = work + 2 * formula->constant_count;
    for (int i = 0; i < formula->variable_count; i++) {
        variables[2 * i] = z[formula->slots[i]];
        variables[2 * i + 1] = direction[formula->slots[i]];
    }
    run_direction(formula, work);
    const double *adjoints = work + 2 * formula->value_count + 2 * formula->constant_count;
    for (int i = 0; i < formula->variable_count; i++) {
        gradient_out[i] = adjoints[2 * i];
        product_out[i] = adjoints[2 * i + 1];
    }
    return work[2 * formula->result];
}

/* One column of the Hessian (compact) at the variables given; work [4 value_count]. */
static void hessian_column(const tp_formula *formula, const double *variables, int column, double *work,
                           double *column_out)
{
    double *seeds = work + 2 * formula->constant_count;
    for (int i = 0; i < formula->variable_count; i++) {
        seeds[2 * i] = variables[i];
        seeds[2 * i + 1] = i == column;
    }
    run_direction(formula, work);
    const double *adjoints = work + 2 * formula->value_count + 2 * formula->constant_count;
    for (int i = 0; i < formula->variable_count; i++) column_out[i] = adjoints[2 * i + 1];
}

double tp_formula_hessian(const tp_formula *formula, const double *z, double *work, double *gradient_out,
                          double *hessian_out)
{
    const int n = formula->variable_count;
    double *variables = work + 4 * formula->value_count;
    tp_tape_gather(formula, z, variables);
    for (int column = 0; column < n; column++) {
        hessian_column(formula, variables, column, work, hessian_out + (size_t)n * (size_t)column);
    }

    /* The two halves differ by rounding only; make them equal. */
    for (size_t j = 0; j < (size_t)n; j++) {
        for (size_t i = 0; i < j; i++) {
            double *upper = &hessian_out[i + (size_t)n * j], *lower = &hessian_out[j + (size_t)n * i];
            *upper = *lower = 0.5 * (*upper + *lower);
        }
    }
    return tp_formula_gradient(formula, z, work, gradient_out);
}

void tp_formula_taylor(const tp_formula *formula, const double *z0, const double *z1, const double *z2,
                       double *work, double value_out[3], double *gradient0_out, double *gradient1_out,
                       double *gradient2_out)
{
    double *variables = work + 3 * formula->constant_count;
    for (int i = 0; i < formula->variable_count; i++) {
        int slot = formula->slots[i];
        variables[3 * i] = z0[slot];
        variables[3 * i + 1] = z1[slot];
        variables[3 * i + 2] = z2[slot];
    }
    tp_tape_series(formula, 2, work);
    for (int k = 0; k < 3; k++) value_out[k] = work[3 * formula->result + k];

    double *gradients[3] = {gradient0_out, gradient1_out, gradient2_out};
    if (!gradient0_out && !gradient1_out && !gradient2_out) return;
    double *adjoints = work + 3 * formula->value_count;
    tp_tape_series_adjoints(formula, 2, work, adjoints);
    for (int k = 0; k < 3; k++) {
        if (gradients[k] == NULL) continue;
        for (int i = 0; i < formula->variable_count; i++) {
            gradients[k][i] = adjoints[3 * (formula->constant_count + i) + k];
        }
    }
}
