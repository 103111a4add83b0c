/* Sparse LU for patterns that change: left-looking, one column at a time. A depth-first search through the
   columns of L so far finds which entries a column will have, so the work is proportional to the arithmetic
   (Gilbert and Peierls). Threshold pivoting keeps to the diagonal, where the order has little fill, while the
   diagonal entry is large enough. The searches stay short by symmetric pruning (Eisenstat and Liu): once the
   pivot row of column k also stands in an earlier column j that updated it, the rows of j below are all in
   column k too, and a search through j need not look at them. That needs every structural entry of L to be
   stored, zeros by cancellation included. All takes from the stack are in one sequence without releases: the
   same matrix asks for the same pieces and finds them already there. */
#include "dense.h"
#include "factor.h"
#include "symbolic.h"
#include "tolerances.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { SMALL = 24 }; /* columns of matrices whose factors have room for a full triangle */

typedef struct column_store {
    int *start, *index;
    double *value;
    size_t used, room;
} column_store;

typedef struct workspace {
    tp_stack *stack;
    const tp_sparse *a;
    double diagonal_preference;
    column_store l, u;  /* while factoring, row indices of l are rows of a; of u, pivots             */
    int *pivot_of_row;  /* [n] -1 while the row has no pivot                                          */
    int *search_end;    /* [n] where a search through a column of l ends                              */
    int *visited;       /* [n] last column whose search met this row                                  */
    int *reach;         /* [n] from `top` on: rows of the column in topological order                 */
    int *path, *resume; /* [n] rows of the search's current path, and where to go on in their columns */
    double *x;          /* [n] the column, zero outside of it                                         */
    double *row_scale;  /* [n] largest entry of each row of a                                         */
} workspace;

static tp_status take_store(tp_stack *stack, int n, size_t room, column_store *store)
{
    if (room > INT_MAX) return TP_OUT_OF_MEMORY;
    *store = (column_store){.room = room};
    store->start = TP_STACK_ARRAY(stack, int, (size_t)n + 1);
    store->index = TP_STACK_ARRAY(stack, int, room);
    store->value = TP_STACK_ARRAY(stack, double, room);
    if (store->start == NULL || store->index == NULL || store->value == NULL) return TP_OUT_OF_MEMORY;
    store->start[0] = 0;
    return TP_OK;
}

/* Room for `more` entries. Pivots off the diagonal can outgrow the symbolic bound; then the store moves. */
static tp_status make_room(tp_stack *stack, column_store *store, size_t more)
{
    if (store->room - store->used >= more) return TP_OK;
    size_t room = store->room + store->room / 2 + more;
    if (room > INT_MAX) room = INT_MAX;
    if (room - store->used < more) return TP_OUT_OF_MEMORY; /* indices are int */
    int *index = TP_STACK_ARRAY(stack, int, room);
    double *value = TP_STACK_ARRAY(stack, double, room);
    if (index == NULL || value == NULL) return TP_OUT_OF_MEMORY;
    memcpy(index, store->index, store->used * sizeof *index);
    memcpy(value, store->value, store->used * sizeof *value);
    store->index = index;
    store->value = value;
    store->room = room;
    return TP_OK;
}

static void append(column_store *store, int index, double value)
{
    store->index[store->used] = index;
    store->value[store->used++] = value;
}

static tp_status take_workspace(tp_stack *stack, const tp_sparse *a, size_t fill, workspace *w)
{
    int n = a->cols;
    w->stack = stack;
    w->a = a;
    TP_TRY(take_store(stack, n, fill, &w->l));
    TP_TRY(take_store(stack, n, fill + (size_t)n, &w->u));
    TP_STACK_INTS(stack, n, &w->pivot_of_row, &w->search_end, &w->visited, &w->reach, &w->path, &w->resume);
    TP_STACK_DOUBLES(stack, n, &w->x, &w->row_scale);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) {
        w->pivot_of_row[i] = w->visited[i] = -1;
        w->x[i] = w->row_scale[i] = 0.0;
    }
    for (int p = 0; p < a->start[n]; p++) {
        w->row_scale[a->index[p]] = tp_larger(w->row_scale[a->index[p]], fabs(a->value[p]));
    }
    return TP_OK;
}

/* Rows reached from `row` through columns of L, put before `top` in topological order; the new top. */
static int search_from(workspace *w, int row, int column, int top)
{
    int depth = 0;
    w->path[0] = row;
    w->resume[0] = -1;
    while (depth >= 0) {
        int i = w->path[depth], k = w->pivot_of_row[i];
        if (w->resume[depth] < 0) {
            w->visited[i] = column;
            w->resume[depth] = k >= 0 ? w->l.start[k] : 0;
        }
        int end = k >= 0 ? w->search_end[k] : 0, next = -1;
        while (next < 0 && w->resume[depth] < end) {
            int candidate = w->l.index[w->resume[depth]++];
            if (w->visited[candidate] != column) next = candidate;
        }
        if (next >= 0) {
            w->path[++depth] = next;
            w->resume[depth] = -1;
        } else {
            w->reach[--top] = i;
            depth--;
        }
    }
    return top;
}

/* x = L^-1 a(:, column) on its reach; returns where the reach begins. */
static int solve_column(workspace *w, int column)
{
    const tp_sparse *a = w->a;
    int n = a->cols, top = n;
    for (int p = a->start[column]; p < a->start[column + 1]; p++) {
        if (a->value[p] == 0.0) continue; /* stored, but nothing */
        if (w->visited[a->index[p]] != column) top = search_from(w, a->index[p], column, top);
        w->x[a->index[p]] = a->value[p];
    }
    for (int r = top; r < n; r++) {
        int k = w->pivot_of_row[w->reach[r]];
        double factor = w->x[w->reach[r]];
        if (k < 0 || factor == 0.0) continue;
        const int *index = w->l.index;
        const double *value = w->l.value;
        for (int p = w->l.start[k]; p < w->l.start[k + 1]; p++) w->x[index[p]] -= value[p] * factor;
    }
    return top;
}

/* Largest candidate with rows scaled, or the diagonal if it is nearly as large; -1 if nothing but rounding
   noise is left. */
static int choose_pivot(const workspace *w, int column, int top)
{
    const tp_sparse *a = w->a;
    int best = -1;
    double largest = 0.0, column_scale = 0.0;
    for (int r = top; r < a->cols; r++) {
        int i = w->reach[r];
        if (w->pivot_of_row[i] >= 0) continue;
        if (!isfinite(w->x[i])) return -1;
        double size = w->x[i] != 0.0 ? fabs(w->x[i]) / w->row_scale[i] : 0.0;
        if (size > largest) {
            largest = size;
            best = i;
        }
    }
    for (int p = a->start[column]; p < a->start[column + 1]; p++) {
        if (a->value[p] == 0.0) continue;
        column_scale = tp_larger(column_scale, fabs(a->value[p]) / w->row_scale[a->index[p]]);
    }
    if (best < 0 || !(largest > tp_pivot_rounding * column_scale)) return -1;
    bool diagonal_is_here = w->visited[column] == column && w->pivot_of_row[column] < 0;
    if (diagonal_is_here && w->x[column] != 0.0 &&
        fabs(w->x[column]) / w->row_scale[column] >= w->diagonal_preference * largest)
        return column;
    return best;
}

/* Moves x into column k of U and, divided by the pivot, of L; x is zero again afterwards. */
static tp_status store_column(workspace *w, int k, int top, int pivot_row)
{
    int n = w->a->cols;
    double pivot = w->x[pivot_row];
    size_t in_u = 1;
    for (int r = top; r < n; r++) in_u += w->pivot_of_row[w->reach[r]] >= 0;
    TP_TRY(make_room(w->stack, &w->u, in_u));
    TP_TRY(make_room(w->stack, &w->l, (size_t)(n - top) - in_u));
    for (int r = top; r < n; r++) {
        int i = w->reach[r];
        double value = w->x[i];
        w->x[i] = 0.0;
        if (w->pivot_of_row[i] < 0) {
            if (i != pivot_row) append(&w->l, i, value / pivot);
        } else if (value != 0.0) {
            append(&w->u, w->pivot_of_row[i], value);
        }
    }
    append(&w->u, k, pivot); /* the diagonal comes last */
    w->pivot_of_row[pivot_row] = k;
    w->l.start[k + 1] = w->search_end[k] = (int)w->l.used;
    w->u.start[k + 1] = (int)w->u.used;
    return TP_OK;
}

/* Moves the rows of column j of L that have pivots to its front and lets searches end behind them. */
static void prune_column(workspace *w, int j)
{
    int front = w->l.start[j], back = w->l.start[j + 1];
    while (front < back) {
        if (w->pivot_of_row[w->l.index[front]] >= 0) {
            front++;
            continue;
        }
        back--;
        int index = w->l.index[front];
        double value = w->l.value[front];
        w->l.index[front] = w->l.index[back];
        w->l.value[front] = w->l.value[back];
        w->l.index[back] = index;
        w->l.value[back] = value;
    }
    w->search_end[j] = front;
}

/* Prunes the columns that updated column k and hold its pivot row; each is pruned once. */
static void prune(workspace *w, int k, int top, int pivot_row)
{
    for (int r = top; r < w->a->cols; r++) {
        int j = w->pivot_of_row[w->reach[r]];
        if (j < 0 || j == k || w->search_end[j] < w->l.start[j + 1]) continue;
        for (int p = w->l.start[j]; p < w->l.start[j + 1]; p++) {
            if (w->l.index[p] != pivot_row) continue;
            prune_column(w, j);
            break;
        }
    }
}

/* The column order (AMD unless given) and a bound for the size of the factors. */
static tp_status analyse(tp_stack *stack, const tp_sparse *a, const int *order, int *order_out,
                         size_t *fill_out)
{
    tp_pattern pattern;
    TP_TRY(tp_pattern_symmetric(stack, a, &pattern));
    if (order == NULL) {
        TP_TRY(tp_pattern_order(stack, &pattern, order_out));
    } else {
        int *work = TP_STACK_ARRAY(stack, int, a->cols);
        if (work == NULL) return TP_OUT_OF_MEMORY;
        if (!tp_order_is_permutation(a->cols, order, work)) return TP_INVALID_ARGUMENT;
        for (int k = 0; k < a->cols; k++) order_out[k] = order[k];
    }
    *fill_out = (size_t)a->cols * (size_t)(a->cols - 1) / 2;
    if (a->cols <= SMALL) return TP_OK; /* all there can be: its memory costs less than the count */
    return tp_pattern_fill(stack, &pattern, order_out, fill_out);
}

/* The inertia of free bodies is diagonal in their principal axes: there is nothing to be factored. */
static bool is_diagonal(const tp_sparse *a)
{
    for (int j = 0; j < a->cols; j++) {
        bool is_single = a->start[j + 1] == a->start[j] + 1 && a->index[a->start[j]] == j;
        if (!is_single || a->value[a->start[j]] == 0.0 || !isfinite(a->value[a->start[j]])) return false;
    }
    return true;
}

static tp_status keep_diagonal(tp_stack *stack, const tp_sparse *a, tp_lu *lu)
{
    double *diagonal = TP_STACK_ARRAY(stack, double, a->cols);
    lu->l_start = TP_STACK_ARRAY(stack, int, a->cols + 1);
    if (diagonal == NULL || lu->l_start == NULL) return TP_OUT_OF_MEMORY;
    for (int j = 0; j < a->cols; j++) diagonal[j] = a->value[a->start[j]];
    memset(lu->l_start, 0, ((size_t)a->cols + 1) * sizeof(int));
    lu->diagonal = diagonal;
    return TP_OK;
}

tp_status tp_lu_factor(tp_stack *stack, const tp_sparse *a, double diagonal_preference, const int *order,
                       tp_lu *lu_out)
{
    int n = a->cols;
    if (a->rows != n) return TP_INVALID_ARGUMENT;
    *lu_out = (tp_lu){.n = n};
    if (order == NULL && is_diagonal(a)) return keep_diagonal(stack, a, lu_out);
    TP_STACK_INTS(stack, n, &lu_out->column_order, &lu_out->row_of_pivot);
    lu_out->work = TP_STACK_ARRAY(stack, double, n);
    if (lu_out->column_order == NULL || lu_out->row_of_pivot == NULL || lu_out->work == NULL) {
        return TP_OUT_OF_MEMORY;
    }
    size_t fill = 0;
    workspace w = {.diagonal_preference = diagonal_preference};
    TP_TRY(analyse(stack, a, order, lu_out->column_order, &fill));
    TP_TRY(take_workspace(stack, a, fill, &w));
    for (int k = 0; k < n; k++) {
        int column = lu_out->column_order[k];
        int top = solve_column(&w, column);
        int pivot_row = choose_pivot(&w, column, top);
        if (pivot_row < 0) return TP_SINGULAR;
        TP_TRY(store_column(&w, k, top, pivot_row));
        prune(&w, k, top, pivot_row);
        lu_out->row_of_pivot[k] = pivot_row;
    }
    for (size_t p = 0; p < w.l.used; p++) w.l.index[p] = w.pivot_of_row[w.l.index[p]];
    lu_out->l_start = w.l.start;
    lu_out->l_index = w.l.index;
    lu_out->l_value = w.l.value;
    lu_out->u_start = w.u.start;
    lu_out->u_index = w.u.index;
    lu_out->u_value = w.u.value;
    return TP_OK;
}

void tp_lu_solve(const tp_lu *lu, double *x)
{
    double *work = lu->work;
    for (int k = 0; k < lu->n && lu->diagonal != NULL; k++) x[k] /= lu->diagonal[k];
    if (lu->diagonal != NULL) return;
    for (int k = 0; k < lu->n; k++) work[k] = x[lu->row_of_pivot[k]];
    for (int k = 0; k < lu->n; k++) {
        double factor = work[k];
        if (factor == 0.0) continue;
        for (int p = lu->l_start[k]; p < lu->l_start[k + 1]; p++) {
            work[lu->l_index[p]] -= lu->l_value[p] * factor;
        }
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        int last = lu->u_start[k + 1] - 1;
        double factor = work[k] /= lu->u_value[last];
        for (int p = lu->u_start[k]; p < last; p++) work[lu->u_index[p]] -= lu->u_value[p] * factor;
    }
    for (int k = 0; k < lu->n; k++) x[lu->column_order[k]] = work[k];
}
