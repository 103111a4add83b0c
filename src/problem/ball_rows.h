/* Rows of contacts between balls by what they are made of. A, Ct and D of a problem whose rows are known in
   this way need not be written; theory/large-heaps.md (3). */
#ifndef TP_PROBLEM_BALL_ROWS_H
#define TP_PROBLEM_BALL_ROWS_H

#include "tippe/problem.h"

/* u = E (v_b - v_a - (arm_b w_b + arm_a w_a) x n), in the axes of the world. */
typedef struct tp_ball_contact {
    double frame[9]; /* E: n, T1, T2, orthonormal, row by row            */
    double arm_a, arm_b;
    int body_a, body_b; /* b: the lower number; a: -1 where there is none   */
} tp_ball_contact;

/* Unknowns are those of balls by six, velocities first; M is diagonal, and the same for all three spins. */
typedef struct tp_ball_rows {
    int body_count;
    const tp_ball_contact *contact; /* [set_count] by set: three rows each             */
    double (*turn)[9]; /* [body_count] from the axes of a ball's spins to the world's, row by row */
} tp_ball_rows;

enum { TP_BALL_ENTRIES = 12 }; /* of a row, at most */

/* Row k of a set as it stands in A, ascending, without zeros; returns the number of its entries. */
int tp_ball_row(const tp_ball_rows *rows, int set, int k, int *index_out, double *value_out);

/* u of a contact where velocities and spins of the world's axes are given; NULL: of none. */
void tp_ball_velocity(const tp_ball_contact *contact, const double *v_a, const double *w_a, const double *v_b,
                      const double *w_b, double *u_out);

/* y = R x and y = R^T x of a turn. */
void tp_ball_to_world(const double *turn, const double *x, double *y);
void tp_ball_to_own(const double *turn, const double *x, double *y);

#endif
