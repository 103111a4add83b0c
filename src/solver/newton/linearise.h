/* The law of one block as a projection equation P = proj(P - r xi), and its linearisation; theory/solvers.md
   (10)-(14). Shared by every Newton method of the solver layer. */
#ifndef TP_SOLVER_NEWTON_LINEARISE_H
#define TP_SOLVER_NEWTON_LINEARISE_H

#include "problem/local.h"

/* Step lengths of the projection equation, 1/velocity-per-impulse. Any positive value has the same solutions.
 */
typedef struct tp_step_lengths {
    double normal, tangent;
} tp_step_lengths;

/* 1/(D_NN + shift) and 1/(lambda_max(D_TT) + shift), guarded; D [size*size] the diagonal block. */
tp_step_lengths tp_law_step_lengths(const tp_set *set, const double *D, double shift);

/* The projected point: N first, then T with the size that N's projection gives (CONTACT); p, xi,
   projected_out are [size]. size <= TP_SET_MAX, except for FREE, ZERO and ORTHANT. */
void tp_law_project(const tp_set *set, double scale, tp_step_lengths r, const double *p, const double *xi,
                    double *projected_out);

/* Half the squared residual of all projection equations, in velocities: |(P - proj(P - r xi)) / r|^2 / 2. r
   [set_count] without shift, or NULL: they are found. */
double tp_law_merit(const tp_local *local, const tp_step_lengths *r, const double *P, const double *xi);

/* The same lengths with a shift, from those without one. */
static inline tp_step_lengths tp_shifted_lengths(tp_step_lengths r, double shift)
{
    return (tp_step_lengths){1.0 / (1.0 / r.normal + shift), 1.0 / (1.0 / r.tangent + shift)};
}

/* Linearised law: unknown d [dim], P = base + C d, and the equations R xi_new + K d + offset = 0.
   C [size*dim], R [dim*size], K [dim*dim], column-major. Rows of xi are velocities, K turns impulses into
   velocities. Sets that follow the impulse of a master add by_size times the change of its norm to the
   equations: theory/solvers.md (13a). */
typedef struct tp_linear_block {
    int size, dim;
    bool is_whole; /* C and R are unit matrices: all rows are unknowns, as of a joint */
    double base[TP_SET_MAX], C[TP_SET_MAX * TP_SET_MAX], R[TP_SET_MAX * TP_SET_MAX],
        K[TP_SET_MAX * TP_SET_MAX];
    double offset[TP_SET_MAX], by_size[TP_SET_MAX];
} tp_linear_block;

void tp_law_linearise(const tp_set *set, double scale, tp_step_lengths r, const double *p, const double *xi,
                      tp_linear_block *out);

/* out [row.dim * column.dim] = R_row G C_column, G [row.size * column.size]. */
void tp_linear_block_product(const tp_linear_block *row, const tp_linear_block *column, const double *G,
                             double *out);

#endif
