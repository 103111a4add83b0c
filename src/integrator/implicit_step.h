/* What implicit steps share: rows of laws, the step problem refilled at a new point, and the sizes against
   which residuals are judged; theory/moreau-jean.md (6), (9). Matrices are values in patterns of the system.
 */
#ifndef TP_INTEGRATOR_IMPLICIT_STEP_H
#define TP_INTEGRATOR_IMPLICIT_STEP_H

#include "integrator.h"

/* Rows of the laws in the step problem, each over its law's columns: those of set i from W + start[i]. */
typedef struct tp_implicit_rows {
    double *W;
    size_t *start;    /* [capacity_sets + 1] */
    double *left_out; /* [capacity_rows] above 0: the row depends on others and has the law left_out P = 0 */
} tp_implicit_rows;
tp_status tp_implicit_take_rows(const tp_stepper *stepper, tp_arena *arena, tp_implicit_rows *rows_out);

/* Where the rows of the next set go, and that the set just added has them. */
static inline double *tp_implicit_next_rows(const tp_stepper *stepper, const tp_implicit_rows *rows)
{
    return rows->W + rows->start[stepper->problem->problem.set_count];
}
void tp_implicit_keep_rows(const tp_stepper *stepper, const tp_implicit_rows *rows);

/* Leaves out rows of the set just added that depend on others, by stepper->redundancy. */
void tp_implicit_leave_out(const tp_stepper *stepper, const tp_implicit_rows *rows);

/* Zeros for the rows of set i that are left out, after they were computed. */
void tp_implicit_hide_rows(const tp_stepper *stepper, const tp_implicit_rows *rows, int i);

/* Arrays of doubles of an integrator's own, all from the arena. */
typedef struct tp_implicit_array {
    double **array;
    size_t count;
} tp_implicit_array;
tp_status tp_implicit_take(tp_arena *arena, const tp_implicit_array *arrays, size_t array_count);

/* y = A x; y_i = sum over j of |A_ij| x_j. */
void tp_implicit_multiply(const tp_sparse *pattern, const double *A, const double *x, double *y_out);
void tp_implicit_multiply_sizes(const tp_sparse *pattern, const double *A, const double *x, double *y_out);

/* F -= W P; gamma = W^T u of every row. Either output may be NULL. */
void tp_implicit_apply_rows(const tp_stepper *stepper, const tp_implicit_rows *rows, const double *P,
                            const double *u, double *F, double *gamma_out);

/* The step problem with the matrix J of x (in the jacobian pattern), the rows and the start P; its laws stay
   the same, f and b become 0. spring_time: that of the implicit part of compliant contacts. */
void tp_implicit_refill(tp_stepper *stepper, const double *J, const tp_implicit_rows *rows, const double *P,
                        double dt, double spring_time);

/* Velocities |u_j| + dt |h_j| / M_jj, at least a part of the largest; size_out [m]. */
void tp_implicit_velocity_sizes(const tp_system *system, const double *u, const double *h, const double *M,
                                double dt, double *size_out);

/* Largest |W|^T size + |chi| of all rows. */
double tp_implicit_row_size(const tp_stepper *stepper, const tp_implicit_rows *rows, const double *chi,
                            const double *size);

/* Rows of F: what changes of the size of the velocities make of them; work [m]. */
void tp_implicit_momentum_sizes(const tp_system *system, const double *M, const double *J, const double *size,
                                double *F_scale_out, double *work);

/* Positions and velocities are known to rounding: what forces with these derivatives make of that in the time
   dt at the system's present point; noise_out [m], work [2 m]. */
void tp_implicit_noise(const tp_system *system, const double *stiffness, const double *damping,
                       const double *u, double dt, double *noise_out, double *work);

#endif
