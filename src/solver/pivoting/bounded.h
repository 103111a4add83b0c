/* Dense problems with bounds row by row, -xi in N_[l,u](z), xi = M z + q, and the methods for them:
   docs/theory/pivoting.md. FREE rows have infinite bounds, ORTHANT rows [0, inf), ZERO rows l = u = 0. */
#ifndef TP_SOLVER_PIVOTING_BOUNDED_H
#define TP_SOLVER_PIVOTING_BOUNDED_H

#include "problem/local.h"
#include "solver/pivoting/lemke.h"

#include <stdint.h>

/* Largest problem the dense methods take [rows]. */
enum { TP_BOX_MAX_ROWS = 2000 };

typedef struct tp_box_problem {
    int n;
    double *M;             /* [n*n] column-major */
    double *q;             /* [n] */
    double *lower, *upper; /* [n], perhaps infinite */
    double rho, scale;     /* of the error measure E */
} tp_box_problem;

/* Takes the arrays of a problem of n rows from the stack, M and q zeroed, bounds infinite, rho = scale = 1.
 */
tp_status tp_box_take(tp_box_problem *box, int n, tp_stack *stack);

/* The local form as a dense problem; every set must be FREE, ZERO, ORTHANT or BOX. */
tp_status tp_box_from_local(const tp_local *local, tp_stack *stack, tp_box_problem *box_out);

/* G of a local form as a dense matrix, G_out [row_count * row_count] column-major. */
void tp_local_dense(const tp_local *local, double *G_out);

/* rho and scale from the data, as the error measure defines them. */
void tp_box_measure(tp_box_problem *box);

/* E(z), the error measure of problems; xi_out [n] receives M z + q. */
double tp_box_error(const tp_box_problem *box, const double *z, double *xi_out);

/* Guesses from z which rows rest on a bound, solves for the others with fresh factors, and keeps what lowers
   E. Returns E. */
double tp_box_polish(const tp_box_problem *box, tp_stack *stack, double *z);

/* How unbounded rows are dealt with before the complementary path starts. */
typedef enum tp_box_elimination { TP_BOX_PRINCIPAL, TP_BOX_SPLIT } tp_box_elimination;

typedef struct tp_box_path {
    tp_box_elimination elimination;
    uint64_t seed; /* 0: all ones as cover; else a random positive cover */
    int max_pivots;
} tp_box_path;

/* Lemke's method: bounded rows become complementarity, unbounded ones are eliminated by principal pivots (or
   split). TP_OK when the path ended in a solution. error_out receives E. */
tp_status tp_box_lemke(const tp_box_problem *box, const tp_box_path *path, tp_stack *stack, double *z_out,
                       double *error_out, tp_lcp_report *report_out);

/* Semismooth Newton with line search on the Fischer-Burmeister form from z; stops at E <= tolerance. Returns
   E of the best point, which is left in z. */
typedef struct tp_box_newton_options {
    double tolerance;
    int max_iterations;
    double proximal; /* weight of the proximal term, relative to the diagonal; 0: none */
} tp_box_newton_options;
double tp_box_newton(const tp_box_problem *box, const tp_box_newton_options *options, tp_stack *stack,
                     double *z, int *iterations);

#endif
