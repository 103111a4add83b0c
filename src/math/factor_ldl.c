/* Symmetric factors of a fixed pattern: AMD order, LDL library, all memory ours. The upper triangle of a is
   copied once into the permuted upper triangle; refilling follows a stored map. */
#include "factor_kinds.h"

#include "base/arena.h"
#include "factor.h"
#include "tolerances.h"

#include <ldl.h>
#include <math.h>

struct tp_ldl {
    const tp_allocator *allocator;
    tp_arena arena;
    int n, source_count;
    int *order;                               /* [n] pivot k is row order[k] of a                        */
    int *source;                              /* [upper] which entry of a each entry of the copy is      */
    int *start, *index;                       /* permuted upper triangle                                  */
    double *value, *diagonal_in;              /* its values; [n] diagonal of the matrix, permuted         */
    int *l_start, *l_index, *parent, *counts; /* factor and elimination tree                              */
    double *l_value, *diagonal, *work;
    int *pattern, *flag;
};

/* Copies the pattern of the upper triangle into the order of pivots. */
static tp_status permute_upper(tp_ldl *ldl, const tp_sparse *a)
{
    int n = ldl->n, upper = 0;
    int *place = TP_ARENA_ARRAY(&ldl->arena, int, n);
    int *next = TP_ARENA_ARRAY(&ldl->arena, int, (size_t)n + 1);
    ldl->start = TP_ARENA_ARRAY(&ldl->arena, int, (size_t)n + 1);
    if (place == NULL || next == NULL || ldl->start == NULL) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++) place[ldl->order[k]] = k;
    for (int j = 0; j < n; j++) {
        for (int p = a->start[j]; p < a->start[j + 1] && a->index[p] <= j; p++, upper++) {
            int row = place[a->index[p]], column = place[j];
            ldl->start[(row > column ? row : column) + 1]++;
        }
    }
    for (int k = 0; k < n; k++) next[k + 1] = ldl->start[k + 1] += ldl->start[k];
    ldl->index = TP_ARENA_ARRAY(&ldl->arena, int, upper);
    ldl->source = TP_ARENA_ARRAY(&ldl->arena, int, upper);
    ldl->value = TP_ARENA_ARRAY(&ldl->arena, double, upper);
    if (ldl->index == NULL || ldl->source == NULL || ldl->value == NULL) return TP_OUT_OF_MEMORY;
    for (int j = 0; j < n; j++) {
        for (int p = a->start[j]; p < a->start[j + 1] && a->index[p] <= j; p++) {
            int row = place[a->index[p]], column = place[j];
            int target = next[row > column ? row : column]++;
            ldl->index[target] = row > column ? column : row;
            ldl->source[target] = p;
        }
    }
    return TP_OK;
}

static tp_status take_factor(tp_ldl *ldl)
{
    int n = ldl->n;
    tp_arena *arena = &ldl->arena;
    ldl->l_start = TP_ARENA_ARRAY(arena, int, (size_t)n + 1);
    ldl->parent = TP_ARENA_ARRAY(arena, int, n);
    ldl->counts = TP_ARENA_ARRAY(arena, int, n);
    ldl->pattern = TP_ARENA_ARRAY(arena, int, n);
    ldl->flag = TP_ARENA_ARRAY(arena, int, n);
    TP_ARENA_DOUBLES(arena, n, &ldl->diagonal, &ldl->diagonal_in, &ldl->work);
    if (ldl->l_start == NULL || ldl->parent == NULL || ldl->counts == NULL || ldl->pattern == NULL ||
        ldl->flag == NULL || ldl->diagonal == NULL || ldl->diagonal_in == NULL || ldl->work == NULL) {
        return TP_OUT_OF_MEMORY;
    }
    ldl_symbolic(n, ldl->start, ldl->index, ldl->l_start, ldl->parent, ldl->counts, ldl->flag, NULL, NULL);
    if (ldl->l_start[n] < 0) return TP_OUT_OF_MEMORY; /* more entries than an int counts */
    ldl->l_index = TP_ARENA_ARRAY(arena, int, ldl->l_start[n]);
    ldl->l_value = TP_ARENA_ARRAY(arena, double, ldl->l_start[n]);
    return ldl->l_index != NULL && ldl->l_value != NULL ? TP_OK : TP_OUT_OF_MEMORY;
}

static tp_status analyse(tp_ldl *ldl, const tp_sparse *a)
{
    ldl->order = TP_ARENA_ARRAY(&ldl->arena, int, ldl->n);
    if (ldl->order == NULL) return TP_OUT_OF_MEMORY;
    tp_stack stack;
    tp_stack_init(&stack, ldl->allocator);
    tp_status status = tp_order_amd(&stack, a, ldl->order);
    tp_stack_clear(&stack);
    if (status == TP_OK) status = permute_upper(ldl, a);
    if (status == TP_OK) status = take_factor(ldl);
    return status;
}

tp_status tp_ldl_create(const tp_allocator *allocator, const tp_sparse *a, tp_ldl **ldl_out)
{
    tp_ldl *ldl = allocator->allocate(allocator->context, sizeof *ldl);
    if (ldl == NULL) return TP_OUT_OF_MEMORY;
    *ldl = (tp_ldl){.allocator = allocator, .n = a->cols, .source_count = a->start[a->cols]};
    tp_arena_init(&ldl->arena, allocator);
    *ldl_out = ldl;
    return analyse(ldl, a);
}

void tp_ldl_free(tp_ldl *ldl)
{
    if (ldl == NULL) return;
    tp_arena_clear(&ldl->arena);
    ldl->allocator->release(ldl->allocator->context, ldl);
}

tp_status tp_ldl_update(tp_ldl *ldl, const tp_sparse *a)
{
    int n = ldl->n;
    if (a->cols != n || a->rows != n || a->start[n] != ldl->source_count) return TP_INVALID_ARGUMENT;
    for (int k = 0; k < n; k++) {
        ldl->diagonal_in[k] = 0.0;
        for (int p = ldl->start[k]; p < ldl->start[k + 1]; p++) {
            ldl->value[p] = a->value[ldl->source[p]];
            if (ldl->index[p] == k) ldl->diagonal_in[k] = ldl->value[p];
        }
    }
    int done = ldl_numeric(n, ldl->start, ldl->index, ldl->value, ldl->l_start, ldl->parent, ldl->counts,
                           ldl->l_index, ldl->l_value, ldl->diagonal, ldl->work, ldl->pattern, ldl->flag,
                           NULL, NULL);
    if (done < n) return TP_SINGULAR;
    for (int k = 0; k < n; k++) {
        double pivot = fabs(ldl->diagonal[k]);
        if (!(pivot > tp_pivot_rounding * fabs(ldl->diagonal_in[k])) || isinf(pivot)) return TP_SINGULAR;
    }
    return TP_OK;
}

void tp_ldl_solve(tp_ldl *ldl, double *x)
{
    if (ldl->n == 0) return;
    ldl_perm(ldl->n, ldl->work, x, ldl->order);
    ldl_lsolve(ldl->n, ldl->work, ldl->l_start, ldl->l_index, ldl->l_value);
    ldl_dsolve(ldl->n, ldl->work, ldl->diagonal);
    ldl_ltsolve(ldl->n, ldl->work, ldl->l_start, ldl->l_index, ldl->l_value);
    ldl_permt(ldl->n, x, ldl->work, ldl->order);
}

static bool is_small(const tp_ldl *ldl, int k, double tolerance)
{
    return !(fabs(ldl->diagonal[k]) > tolerance * fabs(ldl->diagonal_in[k]));
}

int tp_ldl_small_pivots(const tp_ldl *ldl, double tolerance)
{
    int count = 0;
    for (int k = 0; k < ldl->n; k++) count += is_small(ldl, k, tolerance);
    return count;
}

int tp_ldl_find_small_pivots(const tp_ldl *ldl, double tolerance, unsigned char *is_small_out)
{
    int count = 0;
    for (int k = 0; k < ldl->n; k++) {
        is_small_out[ldl->order[k]] = is_small(ldl, k, tolerance);
        count += is_small_out[ldl->order[k]];
    }
    return count;
}
