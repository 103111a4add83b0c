/* What implicit steps share: small products, the step problem refilled at a new point, and the sizes against
   which residuals are judged; theory/moreau-jean.md (6), (9). */
#ifndef TP_INTEGRATOR_IMPLICIT_STEP_H
#define TP_INTEGRATOR_IMPLICIT_STEP_H

#include "integrator.h"

double tp_implicit_dot(int n, const double *a, const double *b);

/* y = A x, A of `rows` rows, column-major. */
void tp_implicit_multiply(int rows, int cols, const double *A, const double *x, double *y_out);

/* Arrays of doubles of an integrator's own, all from the arena. */
typedef struct tp_implicit_array {
    double **array;
    size_t count;
} tp_implicit_array;
tp_status tp_implicit_take(tp_arena *arena, const tp_implicit_array *arrays, size_t array_count);

/* The step problem with the matrix of x [m*m], the rows W (row k at W + k*m) and the start P; its laws stay
   the same, f and b become 0. spring_time: that of the implicit part of compliant contacts. */
void tp_implicit_refill(tp_stepper *stepper, const double *matrix, const double *W, const double *P,
                        double dt, double spring_time);

/* Velocities |u_j| + dt |h_j| / M_jj, at least a part of the largest; size_out [m]. */
void tp_implicit_velocity_sizes(int m, const double *u, const double *h, const double *M, double dt,
                                double *size_out);

/* Largest |W|^T size + |chi| of all rows. */
double tp_implicit_row_size(int m, int row_count, const double *W, const double *chi, const double *size);

/* Rows of F: what changes of the size of the velocities make of them; M and the Jacobian J [m*m]. */
void tp_implicit_momentum_sizes(int m, const double *M, const double *J, const double *size,
                                double *F_scale_out);

/* Positions and velocities are known to rounding: what forces with the derivatives dh_dq [m*n] and dh_du
   [m*m] make of that in the time dt; noise_out [m]. */
void tp_implicit_noise(int m, int n, const double *dh_dq, const double *q, const double *dh_du,
                       const double *u, double dt, double *noise_out);

/* The same for a function of positions with the derivatives W [m], u = q'. */
double tp_implicit_position_noise(int m, const double *W, const double *q);

#endif
