/* The two kinds of tp_factor, each wrapping one library in one file. */
#ifndef TP_MATH_FACTOR_KINDS_H
#define TP_MATH_FACTOR_KINDS_H

#include "tippe/linear.h"

typedef struct tp_ldl tp_ldl;
typedef struct tp_klu tp_klu;

tp_status tp_ldl_create(const tp_allocator *allocator, const tp_sparse *a, tp_ldl **ldl_out);
void tp_ldl_free(tp_ldl *ldl);
tp_status tp_ldl_update(tp_ldl *ldl, const tp_sparse *a);
void tp_ldl_solve(tp_ldl *ldl, double *x);
int tp_ldl_small_pivots(const tp_ldl *ldl, double tolerance, unsigned char *is_small_out);

tp_status tp_klu_create(const tp_allocator *allocator, const tp_sparse *a, tp_klu **klu_out);
void tp_klu_free(tp_klu *klu);
tp_status tp_klu_update(tp_klu *klu, const tp_sparse *a);
void tp_klu_solve(tp_klu *klu, double *x);

#endif
