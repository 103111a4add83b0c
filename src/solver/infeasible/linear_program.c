/* Phase one of the simplex method on a dense dictionary; docs/theory/pivoting.md (22). Names: x_j is j, the
   artificial variable of row i is cols + i, the objective is cols + rows. */
#include "solver/infeasible/linear_program.h"

#include "solver/pivoting/dictionary.h"
#include "solver/tolerances.h"

#include <math.h>

/* a = b - A x, rows scaled to largest entry 1; the last row is the sum of the artificial variables. */
static void fill(tp_dictionary *d, int rows, int cols, const double *A, const double *b)
{
    d->b[rows] = 0.0;
    d->basic[rows] = cols + rows;
    for (int i = 0; i < rows; i++) {
        double largest = 0.0;
        for (int j = 0; j < cols; j++) largest = fmax(largest, fabs(A[i + (size_t)j * (size_t)rows]));
        double factor = largest > 0.0 ? 1.0 / largest : 1.0;
        for (int j = 0; j < cols; j++)
            d->T[i + (size_t)j * (size_t)d->rows] = -factor * A[i + (size_t)j * (size_t)rows];
        d->b[i] = factor * b[i];
        d->b[rows] += d->b[i];
        d->basic[i] = cols + i;
    }
    for (int j = 0; j < cols; j++) {
        double *column = d->T + (size_t)j * (size_t)d->rows, sum = 0.0;
        for (int i = 0; i < rows; i++) sum += column[i];
        column[rows] = sum;
        d->nonbasic[j] = j;
    }
}

/* The column that lowers the objective fastest, or by Bland's rule the one of the smallest name. */
static int entering_column(const tp_dictionary *d, int cols, bool by_name)
{
    int best = -1;
    double least = -tp_pivot_tiny;
    for (int j = 0; j < d->cols; j++) {
        double cost = d->T[d->rows - 1 + (size_t)j * (size_t)d->rows];
        if (d->nonbasic[j] >= cols || cost >= -tp_pivot_tiny) continue; /* artificial ones stay out */
        bool is_better = by_name ? best < 0 || d->nonbasic[j] < d->nonbasic[best] : cost < least;
        if (is_better) best = j, least = cost;
    }
    return best;
}

/* The row that blocks first; of tied ones that of the largest pivot, or of the smallest name. */
static int leaving_row(const tp_dictionary *d, int col, bool by_name)
{
    const double *column = d->T + (size_t)col * (size_t)d->rows;
    int best = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < d->rows - 1; i++) {
        if (column[i] >= -tp_pivot_tiny) continue;
        double ratio = fmax(d->b[i], 0.0) / -column[i];
        bool is_tied = best >= 0 && ratio == least;
        bool wins_tie = is_tied && (by_name ? d->basic[i] < d->basic[best] : column[i] < column[best]);
        if (ratio < least || wins_tie) least = ratio, best = i;
    }
    return best;
}

bool tp_linear_feasible_point(int rows, int cols, const double *A, const double *b, tp_stack *stack,
                              double *x_out)
{
    tp_dictionary d;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    bool is_feasible = false;
    if (tp_dictionary_take(&d, rows + 1, cols, stack) == TP_OK) {
        fill(&d, rows, cols, A, b);
        const int limit = 20 * (rows + cols) + 100;
        int stalled = 0; /* pivots without progress: Bland's rule then prevents a cycle */
        for (int pivots = 0; pivots < limit && d.b[rows] > tp_programme_rest; pivots++) {
            const bool by_name = stalled > rows;
            int col = entering_column(&d, cols, by_name), row;
            if (col < 0 || (row = leaving_row(&d, col, by_name)) < 0) break;
            double before = d.b[rows];
            tp_dictionary_pivot(&d, row, col);
            stalled = d.b[rows] < before - tp_pivot_tiny ? 0 : stalled + 1;
        }
        is_feasible = d.b[rows] <= tp_pivot_tiny;
        for (int j = 0; j < cols; j++) x_out[j] = 0.0;
        for (int i = 0; i < rows; i++)
            if (d.basic[i] < cols) x_out[d.basic[i]] = fmax(d.b[i], 0.0);
    }
    tp_stack_release(stack, mark);
    return is_feasible;
}
