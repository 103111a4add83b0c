/* Sparse factorisations behind one header: symmetric LDL^T and unsymmetric LU of a fixed pattern (analysed
   once, values refilled without allocating), and an LU with pivoting for patterns that change, whose memory
   is a scratch stack. */
#ifndef TP_MATH_FACTOR_H
#define TP_MATH_FACTOR_H

#include "base/stack.h"
#include "tippe/linear.h"

typedef struct tp_factor tp_factor;

typedef enum tp_factor_kind {
    TP_FACTOR_LDL, /* symmetric (upper triangle used), no pivoting: definite or quasi-definite matrices; AMD +
                      LDL      */
    TP_FACTOR_LU   /* general square, partial pivoting; KLU. Refactoring keeps the pivot order while it is
                      accurate     */
} tp_factor_kind;

/* Symbolic phase for the pattern of a. The factor keeps no reference to a. */
tp_status tp_factor_create(const tp_allocator *allocator, tp_factor_kind kind, const tp_sparse *a,
                           tp_factor **factor_out);
void tp_factor_free(tp_factor *factor);

/* Numeric phase; a has the pattern given at creation. TP_SINGULAR if a pivot vanishes or is nothing but
   rounding noise (below 4 eps of its diagonal entry for LDL, of its column with scaled rows for LU), or an
   entry is not a number; the next update starts afresh. */
tp_status tp_factor_update(tp_factor *factor, const tp_sparse *a);

/* Solves in place with the factor's own memory. */
void tp_factor_solve(tp_factor *factor, double *x);

/* Number of pivots of an LDL factor whose size is at most tolerance times the diagonal entry; which they are,
   by row: is_small_out [n], may be NULL. */
int tp_factor_small_pivots(const tp_factor *factor, double tolerance, unsigned char *is_small_out);

/* Sparse LU of a matrix whose pattern changes from call to call (semi-smooth Newton): columns ordered by AMD
   on the pattern of a + a^T, left-looking, threshold partial pivoting that prefers the diagonal (accepted
   when at least `diagonal_preference` times the largest candidate, e.g. 0.1), rows relative to their largest
   entries. All memory comes from the stack
   and stays taken until the caller releases his mark. `order` may be NULL (AMD) or a given column order [n].
   TP_SINGULAR if the best pivot of a column is zero, not a number, or below 4 eps of the matrix with rows and
   columns scaled. */
typedef struct tp_lu {
    int n;
    int *l_start, *l_index, *u_start, *u_index;
    double *l_value, *u_value;
    int *row_of_pivot, *column_order; /* pivot k: row row_of_pivot[k], column column_order[k] */
    double *work;                     /* [n] */
    const double *diagonal; /* [n] of a diagonal matrix, which has no factors (l_start is 0); else NULL */
} tp_lu;

tp_status tp_lu_factor(tp_stack *stack, const tp_sparse *a, double diagonal_preference, const int *order,
                       tp_lu *lu_out);
void tp_lu_solve(const tp_lu *lu, double *x);

/* Fill-reducing order of a symmetric pattern (the pattern of a + a^T), no allocation outside the stack (AMD).
 */
tp_status tp_order_amd(tp_stack *stack, const tp_sparse *a, int *order_out);

/* Column order whose fill is small for any choice of pivot rows (COLAMD): for matrices with zeros on the
   diagonal, where pivots cannot stay there. */
tp_status tp_order_columns(tp_stack *stack, const tp_sparse *a, int *order_out);

#endif
