/* Jets: a number with its first and second derivatives along the coordinates of a chart, and what the files
   of calculus/ share of charts. docs/theory/calculus.md (1). */
#ifndef TP_CALCULUS_JETS_H
#define TP_CALCULUS_JETS_H

#include "base/arena.h"
#include "formula/formula.h"
#include "tippe/calculus.h"

struct tp_chart {
    tp_arena arena; /* names and tables: holds the chart itself */
    tp_arena fields;
    tp_names *names;
    int dimension;
    double point[TP_CHART_DIMENSION];
    int *place; /* [2^dimension] of a set of indices among the components of its degree */
    int *sets;  /* the sets of all degrees, one degree after the other                   */
    int first[TP_CHART_DIMENSION + 2];
};

static inline size_t tp_jet_size(int n)
{
    return 1 + (size_t)n + (size_t)n * (size_t)n;
}

static inline double *tp_jet_at(const tp_chart_field *field, int component)
{
    return field->jet + (size_t)component * tp_jet_size(field->dimension);
}

/* out += factor a b, up to the order. */
void tp_jet_add_product(int n, int order, double factor, const double *a, const double *b, double *out);

/* out += factor a. */
void tp_jet_add(int n, int order, double factor, const double *a, double *out);

/* out += factor da/dx_i; order is that of the result. */
void tp_jet_add_derivative(int n, int order, double factor, const double *a, int i, double *out);

/* A field of zeros; TP_OUT_OF_MEMORY. */
tp_status tp_chart_field_make(tp_chart *chart, tp_chart_field_kind kind, int degree, int count, int order,
                              tp_chart_field *out);

/* A form of a degree. */
tp_status tp_form_make(tp_chart *chart, int degree, int order, tp_chart_field *out);

/* The set of indices of a component, a bit for each. */
static inline int tp_form_set(const tp_chart *chart, int degree, int component)
{
    return chart->sets[chart->first[degree] + component];
}

static inline int tp_least(int a, int b)
{
    return a < b ? a : b;
}

/* Sign that brings the indices of `first`, then those of `second`, into increasing order. */
double tp_set_sign(int first, int second);

/* Components from formulas. */
tp_status tp_chart_evaluate(tp_chart *chart, int count, const char *const *texts, tp_chart_field *out,
                            tp_message *why_out);

#endif
