/* A dense dictionary x_basic = b + T x_nonbasic and its exchange pivots; docs/theory/pivoting.md (2). */
#ifndef TP_SOLVER_PIVOTING_DICTIONARY_H
#define TP_SOLVER_PIVOTING_DICTIONARY_H

#include "base/stack.h"

typedef struct tp_dictionary {
    int rows, cols;
    double *T;     /* [rows * cols] column-major                */
    double *b;     /* [rows]                                    */
    int *basic;    /* [rows] name of the variable of each row    */
    int *nonbasic; /* [cols] name of the variable of each column */
} tp_dictionary;

/* Takes the arrays from the stack, not filled in. TP_OUT_OF_MEMORY if there is none. */
tp_status tp_dictionary_take(tp_dictionary *dictionary, int rows, int cols, tp_stack *stack);

/* The variable of `row` leaves the basis, that of `col` enters; T(row, col) must not be zero. */
void tp_dictionary_pivot(tp_dictionary *dictionary, int row, int col);

#endif
