/* One component of the matrix M of a problem, factorised; theory/problems.md (3), (4). */
#ifndef TP_PROBLEM_PART_FACTOR_H
#define TP_PROBLEM_PART_FACTOR_H

#include "components.h"
#include "math/factor.h"

typedef struct tp_part_factor {
    int n;
    double *dense;
    double *row_factor; /* [n] of dense: a power of two for each row, which makes its entries about 1 */
    int *pivot;
    bool is_diagonal; /* dense has nothing beside its diagonal, as of bodies in their principal axes */
    tp_lu sparse;
} tp_part_factor;

/* order [x_count] of the columns of M in sparse factorisations that choose their rows freely, or NULL. out->n
   is given; memory from the stack. */
tp_status tp_part_factorise(const tp_problem *problem, const tp_components *parts, int part, const int *order,
                            tp_stack *stack, tp_part_factor *out);

/* y [n] becomes M^-1 y. */
void tp_part_solve(const tp_part_factor *factor, double *y);

#endif
