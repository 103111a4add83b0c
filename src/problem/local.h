/* The local form xi = G P + c as solvers see it, and the error measure E on it; docs/theory/problems.md. */
#ifndef TP_PROBLEM_LOCAL_H
#define TP_PROBLEM_LOCAL_H

#include "base/pool.h"
#include "base/stack.h"
#include "math/factor.h"
#include "tippe/problem.h"

typedef struct tp_local {
    int row_count, set_count;
    const tp_block_matrix *G;
    const double *c;
    const tp_set *sets;
    double rho;          /* mean diagonal of the rows that are not FREE, guarded                   */
    double scale;        /* |c| or 1                                                               */
    double inertia;      /* that rows can move, tp_problem_inertia                                 */
    bool at_rounding;    /* |c| is rounding noise, the error is absolute                           */
    tp_block_matrix own; /* G of a global problem, on the stack */
    double mean, G_norm; /* what rho was chosen from: mean diagonal of mean_count rows, and |G|_F  */
    int mean_count;
    const int *row_number;    /* [row_count] of rows in messages; NULL: their own places              */
    const tp_problem *global; /* whose G this is; NULL where the problem was local or G was not made  */
} tp_local;

/* Are velocities of this size rounding noise? Errors are absolute then; theory/problems.md (8). */
bool tp_is_rounding(double velocity);

/* The local form of a problem: a view where it is local already, else G = C M^-1 A + D and c = C M^-1 f + b
   on the stack (taken until the caller releases his mark). TP_SINGULAR when M is. */
tp_status tp_local_form(const tp_problem *problem, tp_stack *stack, tp_local *local_out);

/* The same with a column order for sparse factorisations of M, or NULL; reduce.h. */
tp_status tp_local_form_ordered(const tp_problem *problem, const int *order, tp_stack *stack,
                                tp_local *local_out);

/* c, rho and the scale of a global problem whose G is too large to make: G is NULL, c on the stack. lu is
   M's; theory/problems.md (15). */
tp_status tp_local_measure(const tp_problem *problem, const tp_lu *lu, tp_stack *stack, tp_local *local_out);

/* The same with the diagonal blocks of G alone and c given: their norm stands for that of G, which it may be
   below by a small factor. */
tp_status tp_local_measure_blocks(const tp_problem *problem, const tp_block_matrix *blocks, const double *c,
                                  tp_stack *stack, tp_local *local_out);

/* The same where no block is kept: sum of the diagonal of all blocks, their norm, and what
   tp_problem_inertia finds. G is NULL. */
typedef struct tp_local_sums {
    double diagonal, norm, inertia;
} tp_local_sums;

void tp_local_measure_sums(const tp_problem *problem, const double *c, const tp_local_sums *sums,
                           tp_local *local_out);

/* The measures of a problem that falls into parts: one part after another is added to a zeroed `whole`, whose
   sets and c (all rows) are the caller's; then rho and the scale follow. G stays NULL. */
void tp_local_add_part(const tp_local *part, tp_local *whole);
void tp_local_measure_parts(tp_local *whole);

/* The inertia that rows can move, summed over all of them: with the velocities of the rows it tells how large
   impulses the data explain; theory/problems.md (20). Infinite in local form: no masses are known. */
tp_status tp_problem_inertia(const tp_problem *problem, tp_stack *stack, double *inertia_out);

/* The state that belongs to P, with M factorised; x_out [x_count], xi_out may be NULL. */
void tp_problem_state_by(const tp_problem *problem, const tp_lu *lu, const double *P, double *x_out,
                         double *xi_out);

/* The state that belongs to P, as tp_problem_state, with scratch memory from the stack. */
tp_status tp_problem_state_with(const tp_problem *problem, tp_stack *stack, const double *P, double *x_out,
                                double *xi_out);

/* The diagonal block of set i, [size * size]. */
static inline const double *tp_local_diagonal(const tp_local *local, int i)
{
    return local->G->value + local->G->offset[local->G->diagonal[i]];
}

/* xi = G P + c. */
void tp_local_velocity(const tp_local *local, const double *P, double *xi_out);

/* E(P) with xi given; residual_out may be NULL. Touches no memory but its arguments. */
double tp_local_error_at(const tp_local *local, const double *P, const double *xi, tp_residual *residual_out);

/* The same by the threads of a pool (NULL: none); sums are made by tasks of fixed size. */
double tp_local_error_shared(const tp_local *local, const double *P, const double *xi, tp_pool *pool,
                             tp_stack *stack);

/* E(P); work [row_count] receives xi. */
double tp_local_error(const tp_local *local, const double *P, double *work, tp_residual *residual_out);

/* The square of the error of a spatial contact with a disc. */
double tp_disc_error_squared(double friction, double rho, const double *P, const double *xi);

/* The error e_i of one block (not divided by the scale); P is the whole vector (masters), xi_i the block's
 * own rows. */
double tp_local_block_error(const tp_set *set, double rho, const double *P, const double *xi_i);

#endif
