/* Exchange pivots of a dense dictionary; docs/theory/pivoting.md (2)-(3). */
#include "solver/pivoting/dictionary.h"

tp_status tp_dictionary_take(tp_dictionary *dictionary, int rows, int cols, tp_stack *stack)
{
    dictionary->rows = rows;
    dictionary->cols = cols;
    dictionary->T = TP_STACK_ARRAY(stack, double, (size_t)rows *(size_t)cols);
    dictionary->b = TP_STACK_ARRAY(stack, double, rows);
    dictionary->basic = TP_STACK_ARRAY(stack, int, rows);
    dictionary->nonbasic = TP_STACK_ARRAY(stack, int, cols);
    bool is_complete = dictionary->T && dictionary->b && dictionary->basic && dictionary->nonbasic;
    return is_complete ? TP_OK : TP_OUT_OF_MEMORY;
}

void tp_dictionary_pivot(tp_dictionary *dictionary, int row, int col)
{
    const int rows = dictionary->rows;
    double *T = dictionary->T, *entering = T + (size_t)col * (size_t)rows;
    const double pivot = entering[row];

    /* The pivot row solved for the entering variable, put into all other rows: column by column. */
    for (int j = 0; j < dictionary->cols; j++) {
        double *column = T + (size_t)j * (size_t)rows;
        if (j == col || column[row] == 0.0) continue;
        double factor = -column[row] / pivot;
        for (int i = 0; i < rows; i++) column[i] += entering[i] * factor;
        column[row] = factor;
    }
    double factor = -dictionary->b[row] / pivot;
    for (int i = 0; i < rows; i++) dictionary->b[i] += entering[i] * factor;
    dictionary->b[row] = factor;

    for (int i = 0; i < rows; i++) entering[i] /= pivot;
    entering[row] = 1.0 / pivot;

    int leaving = dictionary->basic[row];
    dictionary->basic[row] = dictionary->nonbasic[col];
    dictionary->nonbasic[col] = leaving;
}
