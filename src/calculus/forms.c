/* Exterior derivative, wedge, interior product, Lie bracket and derivative, pull-back; calculus.md (2)-(7).
 */
#include "jets.h"

static bool is_form(const tp_chart *chart, const tp_chart_field *field)
{
    return field->kind == TP_CHART_FORM && field->dimension == chart->dimension;
}

static bool is_vector(const tp_chart *chart, const tp_chart_field *field)
{
    return field->kind == TP_CHART_VECTOR && field->dimension == chart->dimension;
}

tp_status tp_chart_field_add(tp_chart *chart, double factor_a, const tp_chart_field *a, double factor_b,
                             const tp_chart_field *b, tp_chart_field *out)
{
    if (a->kind != b->kind || a->degree != b->degree || a->dimension != chart->dimension ||
        b->dimension != chart->dimension)
        return TP_INVALID_ARGUMENT;
    TP_TRY(tp_chart_field_make(chart, a->kind, a->degree, a->count, tp_least(a->order, b->order), out));
    for (int k = 0; k < a->count; k++) {
        tp_jet_add(a->dimension, out->order, factor_a, tp_jet_at(a, k), tp_jet_at(out, k));
        tp_jet_add(a->dimension, out->order, factor_b, tp_jet_at(b, k), tp_jet_at(out, k));
    }
    return TP_OK;
}

tp_status tp_chart_field_multiply(tp_chart *chart, const tp_chart_field *function, const tp_chart_field *b,
                                  tp_chart_field *out)
{
    if (!is_form(chart, function) || function->degree != 0 || b->dimension != chart->dimension)
        return TP_INVALID_ARGUMENT;
    TP_TRY(
        tp_chart_field_make(chart, b->kind, b->degree, b->count, tp_least(function->order, b->order), out));
    for (int k = 0; k < b->count; k++)
        tp_jet_add_product(b->dimension, out->order, 1.0, function->jet, tp_jet_at(b, k), tp_jet_at(out, k));
    return TP_OK;
}

tp_status tp_form_d(tp_chart *chart, const tp_chart_field *form, tp_chart_field *out)
{
    if (!is_form(chart, form)) return TP_INVALID_ARGUMENT;
    int n = chart->dimension, degree = form->degree + 1;
    TP_TRY(tp_form_make(chart, degree, form->order - 1, out));
    for (int k = 0; k < out->count; k++) {
        int set = tp_form_set(chart, degree, k);
        for (int i = 0; i < n; i++) {
            if ((set & 1 << i) == 0) continue;
            int rest = set & ~(1 << i);
            tp_jet_add_derivative(n, out->order, tp_set_sign(1 << i, rest),
                                  tp_jet_at(form, chart->place[rest]), i, tp_jet_at(out, k));
        }
    }
    return TP_OK;
}

tp_status tp_form_wedge(tp_chart *chart, const tp_chart_field *a, const tp_chart_field *b,
                        tp_chart_field *out)
{
    if (!is_form(chart, a) || !is_form(chart, b)) return TP_INVALID_ARGUMENT;
    TP_TRY(tp_form_make(chart, a->degree + b->degree, tp_least(a->order, b->order), out));
    if (out->count == 0) return TP_OK; /* more factors than coordinates */
    for (int i = 0; i < a->count; i++) {
        int set = tp_form_set(chart, a->degree, i);
        for (int j = 0; j < b->count; j++) {
            int other = tp_form_set(chart, b->degree, j);
            if ((set & other) != 0) continue;
            tp_jet_add_product(chart->dimension, out->order, tp_set_sign(set, other), tp_jet_at(a, i),
                               tp_jet_at(b, j), tp_jet_at(out, chart->place[set | other]));
        }
    }
    return TP_OK;
}

tp_status tp_form_interior(tp_chart *chart, const tp_chart_field *vector, const tp_chart_field *form,
                           tp_chart_field *out)
{
    if (!is_vector(chart, vector) || !is_form(chart, form) || form->degree == 0) return TP_INVALID_ARGUMENT;
    int n = chart->dimension, degree = form->degree - 1;
    TP_TRY(tp_form_make(chart, degree, tp_least(vector->order, form->order), out));
    for (int k = 0; k < out->count; k++) {
        int set = tp_form_set(chart, degree, k);
        for (int i = 0; i < n; i++) {
            if ((set & 1 << i) != 0) continue;
            tp_jet_add_product(n, out->order, tp_set_sign(1 << i, set), tp_jet_at(vector, i),
                               tp_jet_at(form, chart->place[set | 1 << i]), tp_jet_at(out, k));
        }
    }
    return TP_OK;
}

/* out += sum of X^j df/dx_j. */
static void add_along(const tp_chart_field *vector, int order, double sign, const double *f, double *out)
{
    int n = vector->dimension;
    for (int j = 0; j < n; j++) {
        double derivative[1 + TP_CHART_DIMENSION] = {0.0};
        tp_jet_add_derivative(n, order, sign, f, j, derivative);
        tp_jet_add_product(n, order, 1.0, tp_jet_at(vector, j), derivative, out);
    }
}

/* By its own formula, not by Cartan's: X^j dw_I/dx_j + sum over the indices i of I of dX^j/dx_i w_(I: i ->
 * j).
 */
tp_status tp_form_lie(tp_chart *chart, const tp_chart_field *vector, const tp_chart_field *form,
                      tp_chart_field *out)
{
    if (!is_vector(chart, vector) || !is_form(chart, form)) return TP_INVALID_ARGUMENT;
    int n = chart->dimension;
    TP_TRY(tp_form_make(chart, form->degree, tp_least(vector->order, form->order) - 1, out));
    for (int k = 0; k < out->count; k++) {
        int set = tp_form_set(chart, form->degree, k);
        double *jet = tp_jet_at(out, k);
        add_along(vector, out->order, 1.0, tp_jet_at(form, k), jet);
        for (int e = 0; e < n * n; e++) {
            int i = e % n, j = e / n, rest = set & ~(1 << i);
            if ((set & 1 << i) == 0 || (rest & 1 << j) != 0) continue;
            double derivative[1 + TP_CHART_DIMENSION] = {0.0},
                                  sign = tp_set_sign(1 << i, rest) * tp_set_sign(1 << j, rest);
            tp_jet_add_derivative(n, out->order, sign, tp_jet_at(vector, j), i, derivative);
            tp_jet_add_product(n, out->order, 1.0, derivative, tp_jet_at(form, chart->place[rest | 1 << j]),
                               jet);
        }
    }
    return TP_OK;
}

tp_status tp_vector_bracket(tp_chart *chart, const tp_chart_field *x, const tp_chart_field *y,
                            tp_chart_field *out)
{
    if (!is_vector(chart, x) || !is_vector(chart, y)) return TP_INVALID_ARGUMENT;
    TP_TRY(tp_chart_field_make(chart, TP_CHART_VECTOR, 1, x->count, tp_least(x->order, y->order) - 1, out));
    for (int k = 0; k < x->count; k++) {
        add_along(x, out->order, 1.0, tp_jet_at(y, k), tp_jet_at(out, k));
        add_along(y, out->order, -1.0, tp_jet_at(x, k), tp_jet_at(out, k));
    }
    return TP_OK;
}

/* ---- pull-back ---- */

/* out += f(map): the chain rule twice. */
static void compose(int n, const tp_chart_field *const *map, int others, int order, const double *f,
                    double *out)
{
    out[0] = f[0];
    for (int k = 0; k < others; k++) {
        const double *phi = map[k]->jet;
        for (int i = 0; i < n && order >= 1; i++) out[1 + i] += f[1 + k] * phi[1 + i];
        for (int e = 0; e < n * n && order >= 2; e++) {
            out[1 + n + e] += f[1 + k] * phi[1 + n + e];
            for (int l = 0; l < others; l++)
                out[1 + n + e] += f[1 + others + k + others * l] * phi[1 + e % n] * map[l]->jet[1 + e / n];
        }
    }
}

/* Adds w_J(map) d map^j1 /\ d map^j2 /\ ... to the form. */
static tp_status add_component(tp_chart *chart, const tp_chart_field *const *map, const tp_chart *other,
                               const tp_chart_field *form, int component, tp_chart_field *sum)
{
    tp_chart_field product;
    int set = tp_form_set(other, form->degree, component), order = tp_least(form->order, map[0]->order);
    TP_TRY(tp_form_make(chart, 0, order, &product));
    compose(chart->dimension, map, other->dimension, order, tp_jet_at(form, component), product.jet);
    for (int j = 0; j < other->dimension; j++) {
        if ((set & 1 << j) == 0) continue;
        tp_chart_field d, next;
        TP_TRY(tp_form_d(chart, map[j], &d));
        TP_TRY(tp_form_wedge(chart, &product, &d, &next));
        product = next;
    }
    for (int k = 0; k < sum->count; k++)
        tp_jet_add(chart->dimension, sum->order, 1.0, tp_jet_at(&product, k), tp_jet_at(sum, k));
    return TP_OK;
}

tp_status tp_form_pull_back(tp_chart *chart, const tp_chart_field *const *map, const tp_chart *other,
                            const tp_chart_field *form, tp_chart_field *out)
{
    if (!is_form(other, form)) return TP_INVALID_ARGUMENT;
    int order = form->order;
    for (int k = 0; k < other->dimension; k++) {
        if (!is_form(chart, map[k]) || map[k]->degree != 0) return TP_INVALID_ARGUMENT;
        order = tp_least(order, map[k]->order - (form->degree > 0));
    }
    TP_TRY(tp_form_make(chart, form->degree, order, out));
    if (out->count == 0) return TP_OK;
    for (int k = 0; k < form->count; k++) TP_TRY(add_component(chart, map, other, form, k, out));
    return TP_OK;
}
