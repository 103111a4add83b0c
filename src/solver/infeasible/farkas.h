/* Certificates that a problem has no solution; docs/theory/pivoting.md (19)-(23). */
#ifndef TP_SOLVER_INFEASIBLE_FARKAS_H
#define TP_SOLVER_INFEASIBLE_FARKAS_H

#include "problem/local.h"
#include "solver/pivoting/bounded.h"

/* Largest problem for which a certificate is searched [rows]. */
enum { TP_CERTIFICATE_MAX_ROWS = 400 };

/* Each row: P ranges over [lower, upper], and every admissible xi has y xi >= 0 for the allowed signs of y.
 */
typedef struct tp_farkas_row {
    double lower, upper;
    bool may_be_positive, may_be_negative; /* y */
} tp_farkas_row;

/* Searches y with y.(G P + c) < 0 for every P in the ranges, which contradicts y.xi >= 0. G [n*n]
   column-major. The answer is checked apart from the search: true only if q.y + sup over P of (G^T y).P is
   negative, where directions in which P is unbounded may contribute rounding only: no solution exists with
   |P| up to radius_out, and rho radius_out >= 1e13 |c|. */
bool tp_farkas_search(int n, const double *G, const double *c, const tp_farkas_row *rows, double rho,
                      tp_stack *stack, double *y_out, double *radius_out);

/* The same for problems with bounds. */
bool tp_box_certificate(const tp_box_problem *box, tp_stack *stack, double *y_out);

/* Contacts: y_N >= 0 on normal rows, y_T = 0, G^T y = 0, c.y < 0; also joints and scalar rows, see above.
   y_out [row_count]. False when there is none, or the problem is too large. */
bool tp_kinematic_certificate(const tp_local *local, tp_stack *stack, double *y_out);

/* Bytes that it needs at most. */
size_t tp_certificate_memory(int row_count);

#endif
