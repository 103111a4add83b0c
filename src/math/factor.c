/* Factorisations of a fixed pattern: one object, two kinds. */
#include "factor.h"

#include "factor_kinds.h"

struct tp_factor {
    const tp_allocator *allocator;
    tp_factor_kind kind;
    tp_ldl *ldl;
    tp_klu *klu;
};

tp_status tp_factor_create(const tp_allocator *allocator, tp_factor_kind kind, const tp_sparse *a,
                           tp_factor **factor_out)
{
    *factor_out = NULL;
    if (a->rows != a->cols) return TP_INVALID_ARGUMENT;
    if (allocator == NULL) allocator = tp_allocator_default();
    tp_factor *factor = allocator->allocate(allocator->context, sizeof *factor);
    if (factor == NULL) return TP_OUT_OF_MEMORY;
    *factor = (tp_factor){.allocator = allocator, .kind = kind};
    tp_status status = kind == TP_FACTOR_LDL ? tp_ldl_create(allocator, a, &factor->ldl)
                                             : tp_klu_create(allocator, a, &factor->klu);
    if (status != TP_OK) tp_factor_free(factor);
    *factor_out = status == TP_OK ? factor : NULL;
    return status;
}

void tp_factor_free(tp_factor *factor)
{
    if (factor == NULL) return;
    tp_ldl_free(factor->ldl);
    tp_klu_free(factor->klu);
    factor->allocator->release(factor->allocator->context, factor);
}

tp_status tp_factor_update(tp_factor *factor, const tp_sparse *a)
{
    return factor->kind == TP_FACTOR_LDL ? tp_ldl_update(factor->ldl, a) : tp_klu_update(factor->klu, a);
}

void tp_factor_solve(tp_factor *factor, double *x)
{
    if (factor->kind == TP_FACTOR_LDL) {
        tp_ldl_solve(factor->ldl, x);
    } else {
        tp_klu_solve(factor->klu, x);
    }
}

int tp_factor_small_pivots(const tp_factor *factor, double tolerance, unsigned char *is_small_out)
{
    return factor->kind == TP_FACTOR_LDL ? tp_ldl_small_pivots(factor->ldl, tolerance, is_small_out) : 0;
}
