/* A global problem as sweeps over velocities see it: x = M^-1 (f + A P) is kept beside P, and a law reads and
   moves only the unknowns of its bodies. G is never made; theory/problems.md (24). */
#ifndef TP_PROBLEM_VELOCITY_FORM_H
#define TP_PROBLEM_VELOCITY_FORM_H

#include "local.h"

enum { TP_FORM_ROWS = 4 }; /* most rows of a law */

typedef struct tp_velocity_form {
    const tp_problem *problem;
    tp_local local;         /* measures, c, and the diagonal blocks of G alone */
    tp_block_matrix blocks; /* local.G */
    int *start;             /* [set_count + 1] unknowns of a law: index[start[i]] ... */
    int *index;
    double (*C)[TP_FORM_ROWS]; /* [start[set_count]] a column of C for each unknown, rows of the law side by
                                  side */
    double *Y;                 /* M^-1 A: that of law i begins at TP_FORM_ROWS start[i], row by row */
    double *x_free, *x;        /* [x_count] M^-1 f, and the velocities of the present P */
    double work;               /* of a sweep, in block products */
    bool has_own;              /* D is not zero */
    void (*read)(int count, const int *index, const double (*C)[TP_FORM_ROWS], const double *x, double *out);
    void (*push)(int count, const int *index, const double *Y, const double *step,
                 double *x); /* three rows */
    void (*multiply)(int count, const double (*C)[TP_FORM_ROWS], const double *Y,
                     double (*columns_io)[TP_FORM_ROWS]); /* three rows */
} tp_velocity_form;

/* TP_UNSUPPORTED where a law has too many rows or unknowns, where laws meet in D, or where x is missing;
   TP_SINGULAR when M is. Memory from the stack until the caller releases his mark. */
tp_status tp_velocity_form_make(const tp_problem *problem, tp_stack *stack, tp_velocity_form *out);

/* x of P, summed afresh. */
void tp_velocity_form_move(tp_velocity_form *form, const double *P);

/* Velocity C x + b of law i, [TP_FORM_ROWS]; what D adds is left out. */
void tp_velocity_form_read(const tp_velocity_form *form, int i, double *velocity_out);

/* x changes with the impulse of law i by `step` [size]. */
void tp_velocity_form_push(tp_velocity_form *form, int i, const double *step);

/* xi at the present x and P. */
void tp_velocity_form_velocities(const tp_velocity_form *form, const double *P, double *xi_out);

#endif
