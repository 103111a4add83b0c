/* Column order for a factorisation with free choice of pivot rows; the one file that calls the COLAMD
   library. It works in an array of ours. */
#include "factor.h"
#include "symbolic.h"

#include <colamd.h>
#include <limits.h>

tp_status tp_order_columns(tp_stack *stack, const tp_sparse *a, int *order_out)
{
    int n = a->cols, count = a->start[n];
    if (n == 0) return TP_OK;
    int statistics[COLAMD_STATS];
    double knobs[COLAMD_KNOBS];
    size_t room = colamd_recommended(count, a->rows, n);
    if (room == 0 || room > INT_MAX) return TP_OUT_OF_MEMORY;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    int *copy = TP_STACK_ARRAY(stack, int, room); /* the routine destroys it */
    int *start = TP_STACK_ARRAY(stack, int, n + 1), *work = TP_STACK_ARRAY(stack, int, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < count; k++) copy[k] = a->index[k];
    for (int j = 0; j <= n; j++) start[j] = a->start[j];
    colamd_set_defaults(knobs);
    tp_status status = colamd(a->rows, n, (int)room, copy, start, knobs, statistics) ? TP_OK : TP_INTERNAL;
    for (int k = 0; k < n; k++) order_out[k] = start[k];
    if (status == TP_OK && !tp_order_is_permutation(n, order_out, work)) status = TP_INTERNAL;
    tp_stack_release(stack, mark);
    return status;
}
