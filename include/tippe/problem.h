/* The one-step problem as data, its error, its residual:
       M x = f + A P,   xi = C x + D P + b,   -xi in N_C(P) for every set;      docs/theory/problems.md.
   Local form: no x, xi = D P + b. Mechanics: C = A^T. */
#ifndef TIPPE_PROBLEM_H
#define TIPPE_PROBLEM_H

#include "tippe/base.h"
#include "tippe/linear.h"
#include "tippe/set.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_problem {
    int x_count, row_count, set_count;
    bool is_mechanical; /* C = A^T; then Ct shares A's arrays                           */
    tp_sparse M;        /* x_count x x_count                                            */
    tp_sparse A;        /* x_count x row_count: column = direction of a row             */
    tp_sparse Ct;       /* x_count x row_count: C transposed                            */
    tp_block_matrix D;  /* by sets; in global problems often only the diagonal, zero    */
    double *f, *b;      /* [x_count], [row_count]                                       */
    tp_set *sets;       /* contiguous, in the order of the rows                         */
    double D_norm;      /* Frobenius norm of D; negative: not known, computed where it is needed    */
    int contact_count;  /* sets of kind CONTACT (or CONE)                               */
    char kind[32];      /* "local", "global", "lcp", ...: for reports and files         */
    char title[256];
    struct tp_problem_memory *memory;
} tp_problem;

/* What a problem is made of; everything is borrowed during tp_problem_create and copied. */
typedef struct tp_problem_def {
    const char *kind, *title; /* may be NULL */
    int x_count, row_count, set_count;
    const tp_set *sets; /* first is recomputed from the sizes, which must add up to row_count */
    tp_entries M, A, C,
        D; /* A: x_count x row_count, C: row_count x x_count; rows = 0: absent. C absent means A^T */
    const double *f, *b; /* NULL means zero */
} tp_problem_def;

/* No rows, no unknowns, no matrices. */
tp_problem_def tp_problem_def_default(void);

/* FREE, ZERO and ORTHANT sets of more than TP_SET_MAX rows are cut into several: the law is the same row by
   row. Checks everything (ranges, sizes, finite numbers, sets) and copies it. allocator may be NULL. */
tp_status tp_problem_create(const tp_allocator *allocator, const tp_problem_def *def,
                            tp_problem **problem_out, tp_message *why_out);
void tp_problem_free(tp_problem *problem); /* NULL is fine */

/* How well an answer P satisfies the law, all recomputed from P; dimensionless with rho and the scale. */
typedef struct tp_residual {
    double error; /* E, the figure that decides; 1e300 if P is not finite                         */
    double rho;   /* turns an impulse into a velocity: mean diagonal of the rows that are not FREE */
    double scale; /* |c|, or 1 where c is rounding noise (then at_rounding)                        */
    bool at_rounding;
    double floor; /* rough limit of double precision at this P (information only)                  */
    double P_norm, xi_norm;
    double worst_gap_velocity;   /* largest -xi_N of a contact or complementarity row   */
    double worst_cone_violation; /* largest distance of P from its set (cone) */
    double worst_product; /* largest |P_N xi_N| of a contact or complementarity row                        */
    double worst_dissipation; /* largest |P_T.xi_T + P_N s_D(xi_T)|: friction does not oppose sliding fully */
    double worst_equality; /* largest |xi| of a FREE row                                                    */
    int worst_set; /* the set with the largest share of E; -1: there is none                                */
} tp_residual;

/* E(P) and its parts, computed from the problem and P alone. Allocates its own scratch memory. */
tp_status tp_problem_error(const tp_problem *problem, const double *P, tp_residual *residual_out);

/* The state that belongs to P: x = M^-1 (f + A P) [x_count] and xi [row_count]; either may be NULL. */
tp_status tp_problem_state(const tp_problem *problem, const double *P, double *x_out, double *xi_out);

/* The same problem without x: D = C M^-1 A + D, b = C M^-1 f + b. TP_SINGULAR when M is. */
tp_status tp_problem_reduce(const tp_allocator *allocator, const tp_problem *problem, tp_problem **local_out,
                            tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
