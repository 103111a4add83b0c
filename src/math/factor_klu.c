/* Unsymmetric factors of a fixed pattern by KLU: block triangular form, AMD, threshold pivoting. A new set of
   values is first tried with the old pivot order, which allocates nothing; if that order has become
   inaccurate, pivots are chosen afresh. KLU allocates through its own library's hook, not through ours. */
#include "factor_kinds.h"

#include "base/arena.h"
#include "tolerances.h"

#include <klu.h>
#include <math.h>

struct tp_klu {
    tp_arena arena; /* holds the struct itself */
    int n;
    int *start, *index;  /* our copy of the pattern                        */
    double *value;       /* copy of the values: the library wants no const */
    double *row_scale;   /* [n] largest entry of each row                  */
    double fresh_growth; /* reciprocal growth when pivots were last chosen */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

static tp_status status_of(const klu_common *common)
{
    if (common->status == KLU_OUT_OF_MEMORY || common->status == KLU_TOO_LARGE) return TP_OUT_OF_MEMORY;
    if (common->status == KLU_INVALID) return TP_INVALID_ARGUMENT;
    return common->status == KLU_SINGULAR ? TP_SINGULAR : TP_OK;
}

static tp_status analyse(tp_klu *klu, const tp_sparse *a)
{
    int n = klu->n, count = a->start[n];
    klu->start = tp_arena_copy(&klu->arena, a->start, (size_t)n + 1, sizeof(int));
    klu->index = tp_arena_copy(&klu->arena, a->index, (size_t)count, sizeof(int));
    klu->value = TP_ARENA_ARRAY(&klu->arena, double, count);
    klu->row_scale = TP_ARENA_ARRAY(&klu->arena, double, n);
    TP_TRY(tp_arena_status(&klu->arena));
    if (!klu_defaults(&klu->common)) return TP_INTERNAL;
    klu->common.tol = tp_klu_diagonal_preference;
    if (n == 0) return TP_OK;
    klu->symbolic = klu_analyze(n, klu->start, klu->index, &klu->common);
    if (klu->symbolic != NULL) return TP_OK; /* structural singularity shows up in the numeric phase */
    return status_of(&klu->common) == TP_OK ? TP_SINGULAR : status_of(&klu->common);
}

tp_status tp_klu_create(const tp_allocator *allocator, const tp_sparse *a, tp_klu **klu_out)
{
    tp_klu *klu = *klu_out = TP_ARENA_OBJECT(tp_klu, allocator);
    if (klu == NULL) return TP_OUT_OF_MEMORY;
    klu->n = a->cols;
    return analyse(klu, a);
}

void tp_klu_free(tp_klu *klu)
{
    if (klu == NULL) return;
    if (klu->numeric != NULL) klu_free_numeric(&klu->numeric, &klu->common);
    if (klu->symbolic != NULL) klu_free_symbolic(&klu->symbolic, &klu->common);
    tp_arena_clear(&klu->arena);
}

/* Values in, row scales; false if an entry is not a number. */
static bool take_values(tp_klu *klu, const tp_sparse *a)
{
    for (int i = 0; i < klu->n; i++) klu->row_scale[i] = 0.0;
    for (int p = 0; p < klu->start[klu->n]; p++) {
        if (!isfinite(a->value[p])) return false;
        klu->value[p] = a->value[p];
        klu->row_scale[klu->index[p]] = fmax(klu->row_scale[klu->index[p]], fabs(a->value[p]));
    }
    return true;
}

static tp_status factor_afresh(tp_klu *klu)
{
    if (klu->numeric != NULL) klu_free_numeric(&klu->numeric, &klu->common);
    klu->numeric = klu_factor(klu->start, klu->index, klu->value, klu->symbolic, &klu->common);
    if (klu->numeric == NULL || klu->common.status != KLU_OK) {
        return status_of(&klu->common) == TP_OK ? TP_INTERNAL : status_of(&klu->common);
    }
    klu_rgrowth(klu->start, klu->index, klu->value, klu->symbolic, klu->numeric, &klu->common);
    klu->fresh_growth = klu->common.rgrowth;
    return TP_OK;
}

/* True if the old pivot order gave accurate factors. */
static bool refactor(tp_klu *klu)
{
    if (klu->numeric == NULL) return false;
    if (!klu_refactor(klu->start, klu->index, klu->value, klu->symbolic, klu->numeric, &klu->common) ||
        klu->common.status != KLU_OK) {
        return false;
    }
    if (!klu_rgrowth(klu->start, klu->index, klu->value, klu->symbolic, klu->numeric, &klu->common)) {
        return false;
    }
    return klu->common.rgrowth >= tp_klu_growth_ratio * klu->fresh_growth; /* false for NaN */
}

/* Compares each pivot with the largest entry of its column, both with rows scaled. */
static bool has_noise_pivot(const tp_klu *klu)
{
    const double *pivot = klu->numeric->Udiag;
    for (int k = 0; k < klu->n; k++) {
        int column = klu->symbolic->Q[k];
        double largest = 0.0;
        for (int p = klu->start[column]; p < klu->start[column + 1]; p++) {
            double scale = klu->row_scale[klu->index[p]];
            if (scale > 0.0) largest = fmax(largest, fabs(klu->value[p]) / scale);
        }
        if (!(fabs(pivot[k]) > tp_pivot_rounding * largest) || isinf(pivot[k])) return true;
    }
    return false;
}

tp_status tp_klu_update(tp_klu *klu, const tp_sparse *a)
{
    if (a->cols != klu->n || a->rows != klu->n || a->start[klu->n] != klu->start[klu->n]) {
        return TP_INVALID_ARGUMENT;
    }
    if (klu->n == 0) return TP_OK;
    if (!take_values(klu, a)) return TP_SINGULAR;
    if (!refactor(klu) || has_noise_pivot(klu)) {
        TP_TRY(factor_afresh(klu));
        if (has_noise_pivot(klu)) return TP_SINGULAR;
    }
    return TP_OK;
}

void tp_klu_solve(tp_klu *klu, double *x)
{
    if (klu->n == 0 || klu->numeric == NULL) return;
    klu_solve(klu->symbolic, klu->numeric, klu->n, 1, x, &klu->common);
}
