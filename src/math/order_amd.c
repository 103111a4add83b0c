/* Symmetric patterns and their fill-reducing order; the one file that calls the AMD library. Only its inner
   routine is used, with all its work arrays from our stack: the outer one allocates. */
#include "factor.h"
#include "symbolic.h"

#include <amd.h>
#include <limits.h>

/* Pattern of a^T; the row indices come out ascending. */
static tp_status transpose_pattern(tp_stack *stack, const tp_sparse *a, int **start_out, int **index_out)
{
    int n = a->cols, count = a->start[n];
    int *start = TP_STACK_ARRAY(stack, int, (size_t)n + 2);
    int *index = TP_STACK_ARRAY(stack, int, count);
    if (start == NULL || index == NULL) return TP_OUT_OF_MEMORY;
    /* Counts are kept two places ahead, so that filling leaves start as it must be. */
    for (int i = 0; i < n + 2; i++) start[i] = 0;
    for (int p = 0; p < count; p++) start[a->index[p] + 2]++;
    for (int i = 0; i < n; i++) start[i + 2] += start[i + 1];
    for (int j = 0; j < n; j++) {
        for (int p = a->start[j]; p < a->start[j + 1]; p++) index[start[a->index[p] + 1]++] = j;
    }
    *start_out = start;
    *index_out = index;
    return TP_OK;
}

/* Union of two ascending lists without `skip`; returns the new end of the list that grows at `to`. */
static int merge(const int *x, int x_count, const int *y, int y_count, int skip, int *to, int end)
{
    int p = 0, q = 0;
    while (p < x_count || q < y_count) {
        int next;
        if (q >= y_count || (p < x_count && x[p] <= y[q])) {
            next = x[p];
            if (q < y_count && y[q] == next) q++;
            p++;
        } else {
            next = y[q++];
        }
        if (next != skip) to[end++] = next;
    }
    return end;
}

tp_status tp_pattern_symmetric(tp_stack *stack, const tp_sparse *a, tp_pattern *pattern_out)
{
    int n = a->cols, count = a->start[n];
    if (a->rows != n) return TP_INVALID_ARGUMENT;
    if (count > INT_MAX / 2) return TP_OUT_OF_MEMORY;
    int *start, *index;
    TP_TRY(transpose_pattern(stack, a, &start, &index));
    pattern_out->n = n;
    pattern_out->start = TP_STACK_ARRAY(stack, int, (size_t)n + 1);
    pattern_out->index = TP_STACK_ARRAY(stack, int, 2 * (size_t)count);
    if (pattern_out->start == NULL || pattern_out->index == NULL) return TP_OUT_OF_MEMORY;
    pattern_out->start[0] = 0;
    for (int j = 0; j < n; j++) {
        pattern_out->start[j + 1] =
            merge(a->index + a->start[j], a->start[j + 1] - a->start[j], index + start[j],
                  start[j + 1] - start[j], j, pattern_out->index, pattern_out->start[j]);
    }
    return TP_OK;
}

bool tp_order_is_permutation(int n, const int *order, int *work)
{
    for (int k = 0; k < n; k++) work[k] = 0;
    for (int k = 0; k < n; k++) {
        if (order[k] < 0 || order[k] >= n || work[order[k]]) return false;
        work[order[k]] = 1;
    }
    return true;
}

tp_status tp_pattern_order(tp_stack *stack, const tp_pattern *pattern, int *order_out)
{
    enum { LENGTH, POINTER, NODES, NEXT, HEAD, ELEMENTS, DEGREE, FLAGS, ARRAY_COUNT };
    int n = pattern->n;
    if (n == 0) return TP_OK;
    size_t count = (size_t)pattern->start[n];
    size_t room = count + count / 5 + 7 * (size_t)n; /* what the method needs plus elbow room */
    if (room > INT_MAX) return TP_OUT_OF_MEMORY;
    int *copy = TP_STACK_ARRAY(stack, int, room); /* the routine destroys it */
    int *array[ARRAY_COUNT];
    for (int k = 0; k < ARRAY_COUNT; k++) array[k] = TP_STACK_ARRAY(stack, int, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;

    for (size_t p = 0; p < count; p++) copy[p] = pattern->index[p];
    for (int j = 0; j < n; j++) {
        array[POINTER][j] = pattern->start[j];
        array[LENGTH][j] = pattern->start[j + 1] - pattern->start[j];
    }
    amd_2(n, array[POINTER], copy, array[LENGTH], (int)room, (int)count, array[NODES], array[NEXT], order_out,
          array[HEAD], array[ELEMENTS], array[DEGREE], array[FLAGS], NULL, NULL);
    return tp_order_is_permutation(n, order_out, array[FLAGS]) ? TP_OK : TP_INTERNAL;
}

/* Each row of the factor is the part of the elimination tree between the row's entries and its own node;
   walking those paths once counts all entries. */
void tp_pattern_walk(const tp_pattern *pattern, const int *order, const int *place, int *parent, int *visited,
                     int *counts, const int *start, int *entries)
{
    for (int k = 0; k < pattern->n; k++) {
        if (entries == NULL) parent[k] = -1;
        visited[k] = k;
        counts[k] = 0;
        for (int p = pattern->start[order[k]]; p < pattern->start[order[k] + 1]; p++) {
            for (int i = place[pattern->index[p]]; i < k && visited[i] != k; i = parent[i]) {
                if (parent[i] == -1) parent[i] = k;
                visited[i] = k;
                if (entries != NULL) entries[start[i] + counts[i]] = k;
                counts[i]++;
            }
        }
    }
}

tp_status tp_pattern_fill(tp_stack *stack, const tp_pattern *pattern, const int *order, size_t *count_out)
{
    int n = pattern->n;
    int *place, *parent, *visited, *counts;
    TP_STACK_INTS(stack, n, &place, &parent, &visited, &counts);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++) place[order[k]] = k;
    tp_pattern_walk(pattern, order, place, parent, visited, counts, NULL, NULL);
    *count_out = 0;
    for (int k = 0; k < n; k++) *count_out += (size_t)counts[k];
    return TP_OK;
}

tp_status tp_order_amd(tp_stack *stack, const tp_sparse *a, int *order_out)
{
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_pattern pattern;
    tp_status status = tp_pattern_symmetric(stack, a, &pattern);
    if (status == TP_OK) status = tp_pattern_order(stack, &pattern, order_out);
    tp_stack_release(stack, mark);
    return status;
}
