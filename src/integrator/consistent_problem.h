/* The linearised problem of a consistent step, theory/consistent.md (20): unknowns are two velocities (a, c)
   for each of the model's, and each joint has two sets of rows. Memory is made once, for all laws. */
#ifndef TP_INTEGRATOR_CONSISTENT_PROBLEM_H
#define TP_INTEGRATOR_CONSISTENT_PROBLEM_H

#include "integrators.h"

typedef struct tp_consistent_problem {
    tp_problem problem;
    double *x, *P; /* [2 u_count], [rows] */
    int m;         /* u_count */
    tp_sparse
        pattern; /* of the blocks dF1/da and dF1/dc: forces, and the columns of each law with themselves */
    int *force_place; /* entries of the system's jacobian_pattern in it */
    int *mass_place;  /* entries of its mass_pattern in it              */
    int row_capacity;
} tp_consistent_problem;

tp_status tp_consistent_problem_create(tp_arena *arena, tp_system *system,
                                       tp_consistent_problem **problem_out);

/* Appends a set, and its start P0 [size] (NULL: 0). Returns its first row. */
int tp_consistent_problem_add_set(tp_consistent_problem *problem, const tp_set *set, const double *P0);

/* Row k of the set that begins with the row `first` has xi = value P instead of a law on x: its columns must
   be empty. */
void tp_consistent_problem_leave_out(tp_consistent_problem *problem, int first, int k, double value);

/* [[by_a, by_c], [second_a M + second_by_a, second_c M or second_by_c]]: by_a, by_c and second_by (NULL: 0)
   in `pattern`, M in the mass pattern. */
typedef struct tp_consistent_blocks {
    const double *by_a, *by_c, *M;
    double second_a, second_c;
    double *second_by_a; /* becomes the whole block */
    const double *second_by_c;
} tp_consistent_blocks;
void tp_consistent_problem_set_matrix(tp_consistent_problem *problem, const tp_system *system,
                                      const tp_consistent_blocks *blocks);

/* One column of A or of C transposed: what it holds in the places of a and of c, over columns of a law; NULL:
   nothing. */
typedef struct tp_consistent_column {
    int count;
    const int *columns;
    double factor_a, factor_c;
    const double *in_a, *in_c;
} tp_consistent_column;

/* Row by row, in order, from row 0. */
void tp_consistent_problem_put_row(tp_consistent_problem *problem, int row, const tp_consistent_column *A,
                                   const tp_consistent_column *Ct);

#endif
