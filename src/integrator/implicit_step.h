/* What implicit steps share: rows of laws, the step problem refilled at a new point, and the sizes against
   which residuals are judged; theory/moreau-jean.md (6), (9). Matrices are values in patterns of the system.
 */
#ifndef TP_INTEGRATOR_IMPLICIT_STEP_H
#define TP_INTEGRATOR_IMPLICIT_STEP_H

#include "law_rows.h"

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

/* Appends a law, whose rows are those of tp_implicit_next_rows, to the step problem and keeps them; rows that
   depend on others are left out. */
void tp_implicit_add_law(const tp_stepper *stepper, const tp_implicit_rows *rows, const tp_law_rows *law,
                         const double *b, double dt);

/* Zeros for the rows of set i that are left out, after they were computed. */
void tp_implicit_hide_rows(const tp_stepper *stepper, const tp_implicit_rows *rows, int i);

typedef tp_status tp_implicit_residual(void *self, const double *x, const double *P, double *F_out,
                                       double *xi_out);
typedef tp_status tp_implicit_linearise(void *self, const double *x, const double *P, tp_problem *linear);

/* The linearisation of a step, and the sizes against which its residual is judged. */
typedef struct tp_implicit_matrices {
    double *M;                       /* in the mass pattern                                                 */
    double *stiffness, *damping, *J; /* dh/dq B, dh/du, dF/dx at the present point, in the jacobian pattern */
    double *size, *F_scale;          /* [m] sizes of velocities, of rows of F                               */
    bool is_measured;                /* F_scale is known                                                    */
    double *F_noise, *xi_noise;      /* [m], [rows] rounding errors of F and xi                             */
    double xi_scale;
    double *work; /* [2 m] */
} tp_implicit_matrices;
tp_status tp_implicit_take_matrices(const tp_stepper *stepper, tp_arena *arena,
                                    tp_implicit_matrices *matrices_out);

/* J holds the part of the forces: M is added, F_scale measured once a step, F_noise each time, with the
   velocity u at the system's present point and forces that act for the time dt. */
void tp_implicit_finish_jacobian(const tp_stepper *stepper, tp_implicit_matrices *matrices, const double *u,
                                 double dt);

/* The inclusion of a step whose linearisation is the stepper's problem; x in stepper->x. polish: one
   linearised inclusion more, where rows that are not solved hold as well as the others are. */
tp_status tp_implicit_solve(tp_stepper *stepper, const tp_implicit_matrices *matrices, void *self,
                            tp_implicit_residual *residual, tp_implicit_linearise *linearise, bool polish,
                            tp_step_report *report);

/* y = A x; of the sizes of the entries of A. */
void tp_implicit_multiply(const tp_sparse *pattern, const double *A, const double *x, double *y_out);
void tp_implicit_multiply_sizes(const tp_sparse *pattern, const double *A, const double *x, double *y_out);

/* F -= W P; gamma = W^T u of every row. Either output may be NULL. */
void tp_implicit_apply_rows(const tp_stepper *stepper, const tp_implicit_rows *rows, const double *P,
                            const double *u, double *F, double *gamma_out);

/* Impulses P of the rows, with stepper->chi, into the account of a step that changed the velocities so. */
void tp_implicit_book(tp_stepper *stepper, const tp_implicit_rows *rows, const double *P,
                      const double *u_from, const double *u_to);

/* The same where forces and impulses act at the times of the states, half before and half after: the account,
   the impulses of `to`, and work by the trapezoidal rule. The rows are lost. */
void tp_implicit_book_at_states(tp_stepper *stepper, const tp_implicit_rows *rows, const tp_state *from,
                                tp_state *to, double dt, tp_step_report *report);

/* The step problem with the matrix J of x (in a pattern), the rows and the start P; its laws stay the same, f
   and b become 0. spring_time: that of the implicit part of compliant contacts. */
void tp_implicit_refill(tp_stepper *stepper, const tp_sparse *pattern, const double *J,
                        const tp_implicit_rows *rows, const double *P, double dt, double spring_time);

/* How rows change with x, for Newton's method: d(W P)/dx in the matrix and d(W^T u)/dx in C;
   theory/moreau-jean.md (6a). */
typedef struct tp_implicit_curvature {
    tp_sparse pattern; /* forces, and the columns of each law with themselves */
    int *place;        /* entries of the jacobian pattern in it               */
    double *J, *H;     /* in the pattern; [largest_columns^2]                 */
    tp_sparse Ct;
} tp_implicit_curvature;

/* Makes room in the step problem, too. */
tp_status tp_implicit_take_curvature(tp_stepper *stepper, tp_arena *arena,
                                     tp_implicit_curvature *curvature_out);

/* Where the rows are taken: positions move by `time` times a change of velocity, u is the velocity there.
   is_frozen [set_count]: rows that do not change. */
typedef struct tp_implicit_place {
    double time;
    const double *u;
    const unsigned char *is_frozen;
} tp_implicit_place;

/* As tp_implicit_refill with J in the jacobian pattern, and with these terms. The system is where the rows
   are. */
void tp_implicit_refill_curved(tp_stepper *stepper, const tp_implicit_curvature *curvature, const double *J,
                               const tp_implicit_rows *rows, const double *P, double dt, double spring_time,
                               const tp_implicit_place *place);

/* Velocities |u_j| + dt |h_j| / M_jj, at least a part of the largest; size_out [m]. */
void tp_implicit_velocity_sizes(const tp_system *system, const double *u, const double *h, const double *M,
                                double dt, double *size_out);

/* Largest |W|^T size + |chi| of all rows. */
double tp_implicit_row_size(const tp_stepper *stepper, const tp_implicit_rows *rows, const double *chi,
                            const double *size);

#endif
