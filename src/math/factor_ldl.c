/* Symmetric factors of a fixed pattern: AMD order, columns with the same rows below taken together as dense
   panels (supernodes), which are eliminated one after the other. All memory is taken once; refilling follows
   a stored map. */
#include "factor_kinds.h"

#include "base/arena.h"
#include "base/sort.h"
#include "factor.h"
#include "ldl_panel.h"
#include "tolerances.h"

#include <ldl.h>
#include <math.h>
#include <string.h>

struct tp_ldl {
    tp_arena arena; /* holds the struct itself */
    int n, source_count, entry_count;
    int *order;                     /* [n] pivot k is row order[k] of a */
    int *source;                    /* [entries] of the upper triangle in a, column by column of a */
    size_t *place;                  /* [entries] where each stands among the values of the panels */
    int panel_count;                /* panel p has the columns first[p] ... first[p + 1] - 1 */
    int *first, *panel_of;          /* [panels + 1], [n] */
    int *row_start, *row;           /* [panels + 1], rows below the columns of a panel, ascending */
    size_t *start;                  /* [panels + 1] of the values of a panel */
    double *value;                  /* of all panels */
    int *local;                     /* [largest number of rows below] work: their places in another panel */
    double *scaled;                 /* rows below times pivots, of one panel */
    double *diagonal_in;            /* [n] of the matrix, permuted */
    double *pivot, *inverse, *work; /* [n] */
};

/* ---- symbolic ---- */

/* Upper triangle in the order of pivots, as columns. */
typedef struct upper {
    int *start, *index;
} upper;

static tp_status permute_upper(tp_ldl *ldl, const tp_sparse *a, tp_arena *scratch, upper *out)
{
    int n = ldl->n;
    int *position = TP_ARENA_ARRAY(scratch, int, n), *next = TP_ARENA_ARRAY(scratch, int, (size_t)n + 1);
    out->start = TP_ARENA_ARRAY(scratch, int, (size_t)n + 1);
    ldl->entry_count = 0;
    TP_TRY(tp_arena_status(scratch));
    for (int k = 0; k < n; k++) position[ldl->order[k]] = k;
    for (int j = 0; j < n; j++) {
        for (int p = a->start[j]; p < a->start[j + 1] && a->index[p] <= j; p++, ldl->entry_count++) {
            int row = position[a->index[p]], column = position[j];
            out->start[(row > column ? row : column) + 1]++;
        }
    }
    for (int k = 0; k < n; k++) next[k + 1] = out->start[k + 1] += out->start[k];
    out->index = TP_ARENA_ARRAY(scratch, int, ldl->entry_count);
    ldl->source = TP_ARENA_ARRAY(&ldl->arena, int, ldl->entry_count);
    TP_TRY(tp_arena_status(scratch));
    TP_TRY(tp_arena_status(&ldl->arena));
    for (int j = 0; j < n; j++) {
        for (int p = a->start[j]; p < a->start[j + 1] && a->index[p] <= j; p++) {
            int row = position[a->index[p]], column = position[j];
            int target = next[row > column ? row : column]++;
            out->index[target] = row > column ? column : row;
            ldl->source[target] = p;
        }
    }
    return TP_OK;
}

/* A column joins the panel of the one before it if that has the same rows below, and itself. Wide ones are
   cut. */
static void find_panels(tp_ldl *ldl, const int *parent, const int *counts)
{
    ldl->panel_count = 0;
    for (int k = 0; k < ldl->n; k++) {
        bool joins = k > 0 && parent[k - 1] == k && counts[k - 1] == counts[k] + 1 &&
                     k - ldl->first[ldl->panel_count - 1] < TP_PANEL_WIDTH;
        if (!joins) ldl->first[ldl->panel_count++] = k;
        ldl->panel_of[k] = ldl->panel_count - 1;
    }
    ldl->first[ldl->panel_count] = ldl->n;
}

static int width_of(const tp_ldl *ldl, int p)
{
    return ldl->first[p + 1] - ldl->first[p];
}

static int below_of(const tp_ldl *ldl, int p)
{
    return ldl->row_start[p + 1] - ldl->row_start[p];
}

/* Rows of the last column of each panel: those whose row of the factor, a walk up the elimination tree from
   each entry of the matrix, comes by. */
static void list_rows(tp_ldl *ldl, const upper *U, const int *parent, int *flag, int *next)
{
    memcpy(next, ldl->row_start, (size_t)ldl->panel_count * sizeof *next);
    for (int k = 0; k < ldl->n; k++) {
        flag[k] = k;
        for (int e = U->start[k]; e < U->start[k + 1]; e++) {
            for (int i = U->index[e]; flag[i] != k; i = parent[i]) {
                int p = ldl->panel_of[i];
                flag[i] = k;
                if (i == ldl->first[p + 1] - 1) ldl->row[next[p]++] = k;
            }
        }
    }
}

/* Where row `row` stands among the rows of panel p. */
static int row_place(const tp_ldl *ldl, int p, int row)
{
    if (row < ldl->first[p + 1]) return row - ldl->first[p];
    return width_of(ldl, p) + tp_find_int(ldl->row + ldl->row_start[p], below_of(ldl, p), row);
}

static tp_status take_panels(tp_ldl *ldl, const int *counts)
{
    tp_arena *arena = &ldl->arena;
    size_t panels = (size_t)ldl->panel_count, rows = 0, below = 0, scaled = 0;
    ldl->row_start = TP_ARENA_ARRAY(arena, int, panels + 1);
    ldl->start = TP_ARENA_ARRAY(arena, size_t, panels + 1);
    TP_TRY(tp_arena_status(arena));
    for (int p = 0; p < ldl->panel_count; p++) {
        size_t width = (size_t)width_of(ldl, p), more = (size_t)counts[ldl->first[p + 1] - 1];
        rows += more;
        below = more > below ? more : below;
        scaled = more * width > scaled ? more * width : scaled;
        if (rows > 0x7fffffffu) return TP_OUT_OF_MEMORY; /* an int counts them */
        ldl->row_start[p + 1] = (int)rows;
        ldl->start[p + 1] = ldl->start[p] + width * (width + more);
    }
    ldl->row = TP_ARENA_ARRAY(arena, int, rows);
    ldl->local = TP_ARENA_ARRAY(arena, int, below);
    ldl->scaled = TP_ARENA_ARRAY(arena, double, scaled);
    ldl->value = TP_ARENA_ARRAY(arena, double, ldl->start[panels]);
    return tp_arena_status(arena);
}

static tp_status take_factor(tp_ldl *ldl, const upper *U, tp_arena *scratch)
{
    int n = ldl->n;
    size_t count = (size_t)n + 1;
    int *starts = TP_ARENA_ARRAY(scratch, int, count), *parent = TP_ARENA_ARRAY(scratch, int, count),
        *counts = TP_ARENA_ARRAY(scratch, int, count), *flag = TP_ARENA_ARRAY(scratch, int, count);
    ldl->first = TP_ARENA_ARRAY(&ldl->arena, int, count);
    ldl->panel_of = TP_ARENA_ARRAY(&ldl->arena, int, count);
    ldl->place = TP_ARENA_ARRAY(&ldl->arena, size_t, ldl->entry_count);
    TP_ARENA_DOUBLES(&ldl->arena, n, &ldl->pivot, &ldl->inverse, &ldl->diagonal_in, &ldl->work);
    TP_TRY(tp_arena_status(scratch));
    TP_TRY(tp_arena_status(&ldl->arena));
    ldl_symbolic(n, U->start, U->index, starts, parent, counts, flag, NULL, NULL);
    if (starts[n] < 0) return TP_OUT_OF_MEMORY; /* more entries than an int counts */
    find_panels(ldl, parent, counts);
    TP_TRY(take_panels(ldl, counts));
    for (int k = 0; k < n; k++) flag[k] = -1;
    list_rows(ldl, U, parent, flag, starts);
    for (int k = 0; k < n; k++) {
        for (int e = U->start[k]; e < U->start[k + 1]; e++) {
            int column = U->index[e], p = ldl->panel_of[column];
            ldl->place[e] = ldl->start[p] + (size_t)row_place(ldl, p, k) * (size_t)width_of(ldl, p) +
                            (size_t)(column - ldl->first[p]);
        }
    }
    return TP_OK;
}

static tp_status analyse(tp_ldl *ldl, const tp_sparse *a)
{
    ldl->order = TP_ARENA_ARRAY(&ldl->arena, int, ldl->n);
    if (ldl->order == NULL) return TP_OUT_OF_MEMORY;
    tp_stack stack;
    tp_stack_init(&stack, ldl->arena.allocator);
    tp_status status = tp_order_amd(&stack, a, ldl->order);
    tp_stack_clear(&stack);
    tp_arena scratch = tp_arena_make(ldl->arena.allocator);
    upper U = {NULL, NULL};
    if (status == TP_OK) status = permute_upper(ldl, a, &scratch, &U);
    if (status == TP_OK) status = take_factor(ldl, &U, &scratch);
    tp_arena_clear(&scratch);
    return status;
}

tp_status tp_ldl_create(const tp_allocator *allocator, const tp_sparse *a, tp_ldl **ldl_out)
{
    tp_ldl *ldl = *ldl_out = TP_ARENA_OBJECT(tp_ldl, allocator);
    if (ldl == NULL) return TP_OUT_OF_MEMORY;
    ldl->n = a->cols;
    ldl->source_count = a->start[a->cols];
    return analyse(ldl, a);
}

void tp_ldl_free(tp_ldl *ldl)
{
    if (ldl != NULL) tp_arena_clear(&ldl->arena);
}

/* ---- numeric ---- */

static void fill(tp_ldl *ldl, const tp_sparse *a)
{
    memset(ldl->value, 0, ldl->start[ldl->panel_count] * sizeof(double));
    for (int e = 0; e < ldl->entry_count; e++) ldl->value[ldl->place[e]] = a->value[ldl->source[e]];
    for (int p = 0; p < ldl->panel_count; p++) {
        int width = width_of(ldl, p);
        for (int k = 0; k < width; k++)
            ldl->diagonal_in[ldl->first[p] + k] = ldl->value[ldl->start[p] + (size_t)(k * (width + 1))];
    }
}

/* What panel p takes off later ones, one after the other: rows below that are columns of panel q stand
   together. */
static void take_off(tp_ldl *ldl, int p)
{
    int width = width_of(ldl, p), count = below_of(ldl, p), end;
    const int *row = ldl->row + ldl->row_start[p];
    const double *below = ldl->value + ldl->start[p] + (size_t)(width * width);
    for (int begin = 0; begin < count; begin = end) {
        int q = ldl->panel_of[row[begin]], first = ldl->first[q], last = ldl->first[q + 1],
            stride = last - first;
        const int *other = ldl->row + ldl->row_start[q];
        for (end = begin; end < count && row[end] < last; end++) ldl->local[end] = row[end] - first;
        for (int i = end, k = 0; i < count; i++, k++) { /* all rows of p are rows of q */
            while (other[k] != row[i]) k++;
            ldl->local[i] = stride + k;
        }
        double *target = ldl->value + ldl->start[q];
#define TAKE_OFF(N) tp_panel_take_off(N, begin, end, count, below, ldl->scaled, ldl->local, stride, target)
        TP_PANEL_BY_WIDTH(width, TAKE_OFF)
#undef TAKE_OFF
    }
}

tp_status tp_ldl_update(tp_ldl *ldl, const tp_sparse *a)
{
    int n = ldl->n;
    if (a->cols != n || a->rows != n || a->start[n] != ldl->source_count) return TP_INVALID_ARGUMENT;
    fill(ldl, a);
    for (int p = 0; p < ldl->panel_count; p++) {
        int first = ldl->first[p], width = width_of(ldl, p), rows = width + below_of(ldl, p);
        double *L = ldl->value + ldl->start[p];
        bool is_regular = true;
#define FACTOR(N)                                                                                            \
    is_regular = tp_panel_factor(N, rows, L, ldl->pivot + first, ldl->inverse + first, ldl->scaled)
        TP_PANEL_BY_WIDTH(width, FACTOR)
#undef FACTOR
        if (!is_regular) return TP_SINGULAR;
        take_off(ldl, p);
    }
    for (int k = 0; k < n; k++) {
        double pivot = fabs(ldl->pivot[k]);
        if (!(pivot > tp_pivot_rounding * fabs(ldl->diagonal_in[k])) || isinf(pivot)) return TP_SINGULAR;
    }
    return TP_OK;
}

void tp_ldl_solve(tp_ldl *ldl, double *x)
{
    double *work = ldl->work;
    for (int k = 0; k < ldl->n; k++) work[k] = x[ldl->order[k]];
    for (int p = 0; p < ldl->panel_count; p++) {
        int width = width_of(ldl, p), rows = width + below_of(ldl, p);
        const double *L = ldl->value + ldl->start[p];
        const int *index = ldl->row + ldl->row_start[p];
#define FORWARD(N) tp_panel_forward(N, rows, L, index, work + ldl->first[p], work)
        TP_PANEL_BY_WIDTH(width, FORWARD)
#undef FORWARD
    }
    for (int p = ldl->panel_count - 1; p >= 0; p--) {
        int width = width_of(ldl, p), rows = width + below_of(ldl, p);
        const double *L = ldl->value + ldl->start[p], *inverse = ldl->inverse + ldl->first[p];
        const int *index = ldl->row + ldl->row_start[p];
#define BACKWARD(N) tp_panel_backward(N, rows, L, inverse, index, work, work + ldl->first[p])
        TP_PANEL_BY_WIDTH(width, BACKWARD)
#undef BACKWARD
    }
    for (int k = 0; k < ldl->n; k++) x[ldl->order[k]] = work[k];
}

int tp_ldl_small_pivots(const tp_ldl *ldl, double tolerance, unsigned char *is_small_out)
{
    int count = 0;
    for (int k = 0; k < ldl->n; k++) {
        bool is_small = !(fabs(ldl->pivot[k]) > tolerance * fabs(ldl->diagonal_in[k]));
        if (is_small_out != NULL) is_small_out[ldl->order[k]] = is_small;
        count += is_small;
    }
    return count;
}
