/* The bilateral constraints of a system taken together: errors, rank, projection onto them;
   docs/theory/bodies.md (10)-(13). Small sets are analysed by singular values, large ones by a sparse
   factorisation of A^T A with rows of unit length. */
#ifndef TP_SYSTEM_CONSTRAINTS_H
#define TP_SYSTEM_CONSTRAINTS_H

#include "system.h"

typedef struct tp_constraints tp_constraints;

/* The system is borrowed; projections move it. */
tp_status tp_constraints_create(const tp_allocator *allocator, tp_system *system,
                                tp_constraints **constraints_out);
void tp_constraints_free(tp_constraints *constraints);

/* The largest error of one kind, and whose it is. */
typedef struct tp_row_error {
    double value;
    int law, row;
} tp_row_error;

/* |g| and |gamma| of rows that are lengths, and of those that are angles. */
typedef struct tp_constraint_errors {
    tp_row_error position, angle;            /* [m], [rad]     */
    tp_row_error velocity, angular_velocity; /* [m/s], [rad/s] */
} tp_constraint_errors;

/* At the system's present point. */
tp_constraint_errors tp_constraints_errors(tp_constraints *constraints);

/* Rank of the rows at the present point: singular values below tolerance times the largest count as zero. */
tp_status tp_constraints_rank(tp_constraints *constraints, double tolerance, int *rank_out);

/* The least change of q (along velocities, |u| as its size) that makes all g = 0, by Gauss-Newton steps, then
   the least change of u that makes gamma = 0. What cannot be satisfied is left as a least-squares error. */
tp_status tp_constraints_project(tp_constraints *constraints, double t, double *q, double *u);

#endif
