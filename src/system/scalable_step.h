/* A step of a scalable body with a given mean velocity; docs/theory/consistent.md (34)-(40). With the mean U
   = (nu, omega) of the middle p+ = p X,  pm = p Y,  Y = (1 + X)/2,  Im X = dt omega/(2 s),  |X|^2 = 1 + dt
   nu/s,  s = |p|^2. */
#ifndef TP_SYSTEM_SCALABLE_STEP_H
#define TP_SYSTEM_SCALABLE_STEP_H

#include "scalable.h"

typedef struct tp_scalable_step {
    tp_quat X, Y, mean;
    double rise;                  /* X0 - 1, without the rounding error of 1 */
    double size, middle_size, dt; /* |p|^2, |pm|^2 */
} tp_scalable_step;

/* A step that turns or shrinks too far has no end: NaN. */
tp_scalable_step tp_scalable_step_make(tp_quat p, tp_quat mean, double dt);

/* Rows at the end and in the middle as derivatives with respect to dt and dt/2 times the mean velocity; (37).
 */
tp_quat tp_scalable_end_row(const tp_scalable_step *step, tp_quat row);
tp_quat tp_scalable_middle_row(const tp_scalable_step *step, tp_quat row);

/* The derivative of (a row of the start along the mean velocity) times the mean velocity. */
tp_quat tp_scalable_displacement_row(const tp_scalable_step *step, tp_quat row);

/* A row of the start as it acts on the mean velocity, and its derivative along velocity k of the mean; (38).
 */
tp_quat tp_scalable_begin_row(const tp_scalable_step *step, tp_quat row);
tp_quat tp_scalable_begin_row_change(const tp_scalable_step *step, tp_quat row, int k);

/* The rest of the equations of motion, divided by dt, with the velocities of the start and of the end: what
   is not M c of F1, and of F2 what is not M (c/2 - a), which acts on nu alone; (36), (39). at_begin: Q and H
   are those of the start. */
typedef struct tp_scalable_ends {
    const tp_body *body;
    tp_quat begin, end;
    bool at_begin;
} tp_scalable_ends;
tp_quat tp_scalable_step_force(const tp_scalable_step *step, const tp_scalable_ends *ends);
double tp_scalable_step_second(const tp_scalable_step *step, const tp_scalable_ends *ends);

/* Columns k of the derivatives of F1 along the velocities of the middle and of the end, but for M c; that of
   F2 along the middle but for -M. */
tp_quat tp_scalable_step_by_middle(const tp_scalable_step *step, const tp_scalable_ends *ends, int k);
tp_quat tp_scalable_step_by_end(const tp_scalable_step *step, const tp_scalable_ends *ends, int k);
double tp_scalable_step_second_by_middle(const tp_scalable_step *step, const tp_scalable_ends *ends, int k);

#endif
