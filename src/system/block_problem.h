/* A one-step problem in general form: several unknowns for each velocity of the model (blocks of u_count), C
   other than A transposed, and several sets of rows a law, one for each level on which it acts. It is the
   linearisation of steps on two levels (theory/consistent.md (20)) and on three (generalized-alpha.md (12)).
   Memory is made once, for all laws. */
#ifndef TP_SYSTEM_BLOCK_PROBLEM_H
#define TP_SYSTEM_BLOCK_PROBLEM_H

#include "step_problem.h"

enum { TP_BLOCKS_MAX = 3 };

typedef struct tp_block_problem {
    tp_problem problem;
    double *x, *P;      /* [block_count u_count], [rows] */
    int m, block_count; /* u_count                       */
    tp_sparse pattern;  /* of a block: forces, and the columns of each law with themselves */
    int *force_place;   /* entries of the system's jacobian_pattern in it */
    int *mass_place;    /* entries of its mass_pattern in it              */
    int row_capacity, set_capacity;
} tp_block_problem;

/* set_count: in how many sets the rows of a law stand at most. */
tp_status tp_block_problem_create(tp_arena *arena, tp_system *system, int block_count,
                                  int (*set_count)(const tp_law *law), tp_block_problem **problem_out);

/* Appends a set, and its start P0 [size] (NULL: 0). Returns its first row. */
int tp_block_problem_add_set(tp_block_problem *problem, const tp_set *set, const double *P0);

/* The set number i acts by its own law, or (is_on false) has P = 0: an inclusion may switch laws of one level
   by what is found on another. */
void tp_block_problem_switch(tp_block_problem *problem, int i, const tp_set *own, bool is_on);

/* Row k of the set that begins with the row `first` has xi = value P instead of a law on x: its columns must
   be empty. */
void tp_block_problem_leave_out(tp_block_problem *problem, int first, int k, double value);

/* factor times values in a pattern (NULL: that of the problem), in the place (row, column) of the matrix of
   x; values NULL: nothing. */
typedef struct tp_block {
    int row, column;
    const tp_sparse *pattern;
    double factor;
    const double *values;
} tp_block;

/* All blocks of the matrix; those of one column stand in ascending order of their rows. */
void tp_block_problem_set_matrix(tp_block_problem *problem, const tp_block *blocks, int count);

/* One column of A or of C transposed: what it holds in the places of each block, over columns of a law; NULL:
   nothing. */
typedef struct tp_block_column {
    int count;
    const int *columns;
    double factor[TP_BLOCKS_MAX];
    const double *in[TP_BLOCKS_MAX];
} tp_block_column;

/* Row by row, in order, from row 0. */
void tp_block_problem_put_row(tp_block_problem *problem, int row, const tp_block_column *A,
                              const tp_block_column *Ct);

#endif
