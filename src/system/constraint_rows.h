/* Rows of bilateral constraints taken together, as columns of one sparse matrix, and the factorised matrix of
   their inner products; docs/theory/bodies.md (10)-(13). */
#ifndef TP_SYSTEM_CONSTRAINT_ROWS_H
#define TP_SYSTEM_CONSTRAINT_ROWS_H

#include "math/factor.h"
#include "system.h"

/* Columns that the rows of two groups share, one after the other. */
typedef struct tp_row_run {
    int in_own, in_other, count;
} tp_row_run;

/* Rows of a group and of one that is not after it, which share columns: where the rows of the other one stand
   in the columns of S of the own ones and these in those of the others, and the runs that they share. */
typedef struct tp_row_pair {
    int group, upper, lower, run, run_end;
} tp_row_pair;

typedef struct tp_constraint_rows {
    const tp_allocator *allocator;
    tp_arena *arena; /* borrowed: it holds all arrays */
    tp_system *system;
    int law_count, row_count;
    int *law, *first;  /* [law_count + 1] laws that are constraints, their first rows  */
    tp_sparse A;       /* u_count x row_count: rows of the constraints as columns      */
    double *chi;       /* [row_count] */
    tp_sparse S;       /* A^T D A + shift, rows scaled to unit length; D is a diagonal */
    tp_factor *factor; /* of S; NULL until it is needed                                */
    double *length;    /* [row_count] sqrt(a^T D a), 1 for a row of zeros              */
    double *inverse;   /* [row_count] 1/length                                         */
    int group_count;   /* of rows that follow each other and have the same columns     */
    int *group;        /* [group_count + 1] their first rows                           */
    int *first_pair;   /* [group_count + 1] */
    tp_row_pair *pair; /* of each group with itself and earlier ones                   */
    tp_row_run *run;
    double *weighted; /* D a of the rows of a group: work */
} tp_constraint_rows;

/* All bilateral laws, or those on positions alone. The caller releases the factor by _free, the arena frees
   the rest. */
tp_status tp_constraint_rows_create(const tp_allocator *allocator, tp_arena *arena, tp_system *system,
                                    bool on_positions_alone, tp_constraint_rows *rows_out);
void tp_constraint_rows_free(tp_constraint_rows *rows);

/* The memory of S and of its factor; else the first factorisation takes it. */
tp_status tp_constraint_rows_prepare(tp_constraint_rows *rows);

/* A and chi at the system's present point. */
void tp_constraint_rows_evaluate(tp_constraint_rows *rows);

/* S and its factor, from A; weight [u_count] is D, NULL: 1. */
tp_status tp_constraint_rows_factorise(tp_constraint_rows *rows, const double *weight, double shift);

/* y += A P, and velocity += A^T u. Rows have been factorised, or prepared. */
void tp_constraint_rows_push(const tp_constraint_rows *rows, const double *P, double *y);
void tp_constraint_rows_see(const tp_constraint_rows *rows, const double *u, double *velocity);

#endif
