/* Lemke's method for the linear complementarity problem 0 <= z _|_ w = M z + q >= 0; docs/theory/pivoting.md.
 */
#ifndef TP_SOLVER_PIVOTING_LEMKE_H
#define TP_SOLVER_PIVOTING_LEMKE_H

#include "base/stack.h"

/* How the path ended. */
typedef enum tp_lcp_end { TP_LCP_SOLVED, TP_LCP_RAY, TP_LCP_LIMIT, TP_LCP_ROUNDING } tp_lcp_end;

typedef struct tp_lcp_report {
    tp_lcp_end end;
    int pivots;
    double residual; /* max |min(z_i, w_i)| of the answer, units of w after equilibration undone   */
    double *ray;     /* in: room [n] or NULL; out: with TP_LCP_RAY the direction of z along the ray */
} tp_lcp_report;

/* Solves by complementary pivots with the lexicographic ratio test. M [n*n] column-major, z_out [n]. The
   path starts with w = M z + q + cover z0, cover [n] positive; NULL: ones (after equilibration of M).
   max_pivots 0: 50 n + 1000. TP_OK when the path ended in a solution (polished with fresh LU factors);
   TP_NOT_CONVERGED on a ray, at the limit or when rounding broke the path, see the report; then z_out is the
   best point of the path. */
tp_status tp_lcp_lemke(int n, const double *M, const double *q, const double *cover, int max_pivots,
                       tp_stack *stack, double *z_out, tp_lcp_report *report_out);

#endif
