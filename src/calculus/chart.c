/* Charts: coordinates with names, and fields made from formulas at a point; docs/theory/calculus.md (1). */
#include "jets.h"

#include <string.h>

static int bits_of(int set)
{
    int count = 0;
    for (; set != 0; set &= set - 1) count++;
    return count;
}

/* Sets of `degree` indices by increasing indices, 01, 02, ..., 12, ...: of two sets the one with the
   smaller first index that differs comes first. */
static void list_sets(tp_chart *chart, int degree, int from, int set, int *count)
{
    if (degree == 0) {
        chart->place[set] = *count - chart->first[bits_of(set)];
        chart->sets[(*count)++] = set;
        return;
    }
    for (int i = from; i <= chart->dimension - degree; i++)
        list_sets(chart, degree - 1, i + 1, set | 1 << i, count);
}

static tp_status name_coordinates(tp_chart *chart, const char *const *names, tp_message *why)
{
    TP_TRY(tp_names_create(&chart->arena, &chart->names));
    for (int i = 0; i < chart->dimension; i++)
        TP_TRY(tp_names_add_variable(chart->names, names[i], i, (tp_place){0}, why));
    size_t all = (size_t)1 << chart->dimension;
    TP_ARENA_INTS(&chart->arena, all, &chart->place, &chart->sets);
    TP_TRY(tp_arena_status(&chart->arena));
    int count = 0;
    for (int degree = 0; degree <= chart->dimension; degree++) {
        chart->first[degree] = count;
        list_sets(chart, degree, 0, 0, &count);
    }
    chart->first[chart->dimension + 1] = count;
    return TP_OK;
}

tp_status tp_chart_create(const tp_allocator *allocator, int dimension, const char *const *names,
                          tp_chart **chart_out, tp_message *why)
{
    *chart_out = NULL;
    if (dimension < 1 || dimension > TP_CHART_DIMENSION)
        return tp_fail(why, TP_INVALID_ARGUMENT, "a chart has 1 to %d coordinates, not %d",
                       TP_CHART_DIMENSION, dimension);
    tp_chart *chart = TP_ARENA_OBJECT(tp_chart, allocator);
    if (chart == NULL) return TP_OUT_OF_MEMORY;
    chart->dimension = dimension;
    tp_arena_init(&chart->fields, allocator);
    tp_status status = name_coordinates(chart, names, why);
    if (status != TP_OK) tp_chart_free(chart);
    *chart_out = status == TP_OK ? chart : NULL;
    return status;
}

void tp_chart_free(tp_chart *chart)
{
    if (chart == NULL) return;
    tp_arena_clear(&chart->fields);
    tp_arena_clear(&chart->arena);
}

tp_status tp_chart_add_parameter(tp_chart *chart, const char *name, double value, tp_message *why)
{
    return tp_names_add_constant(chart->names, name, value, (tp_place){0}, why);
}

void tp_chart_move(tp_chart *chart, const double *point)
{
    memcpy(chart->point, point, (size_t)chart->dimension * sizeof(double));
}

void tp_chart_forget(tp_chart *chart)
{
    tp_arena_reset(&chart->fields, 0);
}

/* ---- jets ---- */

void tp_jet_add(int n, int order, double factor, const double *a, double *out)
{
    int count = order == 0 ? 1 : order == 1 ? 1 + n : 1 + n + n * n;
    for (int k = 0; k < count; k++) out[k] += factor * a[k];
}

void tp_jet_add_product(int n, int order, double factor, const double *a, const double *b, double *out)
{
    out[0] += factor * a[0] * b[0];
    if (order == 0) return;
    const double *da = a + 1, *db = b + 1, *dda = da + n, *ddb = db + n;
    for (int i = 0; i < n; i++) out[1 + i] += factor * (da[i] * b[0] + a[0] * db[i]);
    if (order == 1) return;
    for (int e = 0; e < n * n; e++) {
        int i = e % n, j = e / n;
        out[1 + n + e] += factor * (dda[e] * b[0] + da[i] * db[j] + da[j] * db[i] + a[0] * ddb[e]);
    }
}

void tp_jet_add_derivative(int n, int order, double factor, const double *a, int i, double *out)
{
    out[0] += factor * a[1 + i];
    for (int j = 0; j < n && order > 0; j++) out[1 + j] += factor * a[1 + n + i + n * j];
}

/* ---- fields ---- */

tp_status tp_chart_field_make(tp_chart *chart, tp_chart_field_kind kind, int degree, int count, int order,
                              tp_chart_field *out)
{
    *out = (tp_chart_field){
        .kind = kind, .dimension = chart->dimension, .degree = degree, .count = count, .order = order};
    if (order < 0) return TP_INVALID_ARGUMENT;
    out->jet = TP_ARENA_ARRAY(&chart->fields, double, (size_t)count *tp_jet_size(chart->dimension) + 1);
    return out->jet != NULL ? TP_OK : TP_OUT_OF_MEMORY;
}

/* Number of components of forms. */
static int form_count(const tp_chart *chart, int degree)
{
    return degree <= chart->dimension ? chart->first[degree + 1] - chart->first[degree] : 0;
}

tp_status tp_form_make(tp_chart *chart, int degree, int order, tp_chart_field *out)
{
    return tp_chart_field_make(chart, TP_CHART_FORM, degree, form_count(chart, degree), order, out);
}

double tp_chart_field_value(const tp_chart_field *field, int component)
{
    return tp_jet_at(field, component)[0];
}

double tp_set_sign(int first, int second)
{
    int swaps = 0;
    for (int s = second; s != 0; s &= s - 1) {
        int lowest = s & -s;
        swaps += bits_of(first & ~(lowest | (lowest - 1))); /* indices of `first` above this one */
    }
    return swaps % 2 == 0 ? 1.0 : -1.0;
}

double tp_form_value(const tp_chart *chart, const tp_chart_field *form, const int *indices)
{
    int set = 0;
    double sign = 1.0;
    for (int k = 0; k < form->degree; k++) {
        int bit = 1 << indices[k];
        if ((set & bit) != 0) return 0.0;
        sign *= tp_set_sign(set, bit);
        set |= bit;
    }
    return sign * tp_chart_field_value(form, chart->place[set]);
}

/* ---- from formulas ---- */

static tp_status evaluate(tp_chart *chart, const char *text, double *jet, tp_message *why)
{
    tp_formula *formula = NULL;
    TP_TRY(tp_formula_compile(&chart->fields, chart->names, text, (tp_place){0}, &formula, why));
    int n = chart->dimension, count = tp_formula_slot_count(formula);
    const int *slots = tp_formula_slots(formula);
    double *work = TP_ARENA_ARRAY(&chart->fields, double, tp_formula_work_size(formula) + 1),
           gradient[TP_CHART_DIMENSION], hessian[TP_CHART_DIMENSION * TP_CHART_DIMENSION];
    if (work == NULL) return TP_OUT_OF_MEMORY;
    jet[0] = tp_formula_hessian(formula, chart->point, work, gradient, hessian);
    for (int a = 0; a < count; a++) {
        jet[1 + slots[a]] = gradient[a];
        for (int b = 0; b < count; b++) jet[1 + n + slots[a] + n * slots[b]] = hessian[a + count * b];
    }
    return TP_OK;
}

tp_status tp_chart_evaluate(tp_chart *chart, int count, const char *const *texts, tp_chart_field *out,
                            tp_message *why)
{
    for (int k = 0; k < count; k++) TP_TRY(evaluate(chart, texts[k], tp_jet_at(out, k), why));
    return TP_OK;
}

tp_status tp_chart_form(tp_chart *chart, int degree, const char *const *texts, tp_chart_field *out,
                        tp_message *why)
{
    if (degree < 0 || degree > chart->dimension)
        return tp_fail(why, TP_INVALID_ARGUMENT, "a form on %d coordinates has degree 0 to %d, not %d",
                       chart->dimension, chart->dimension, degree);
    TP_TRY(tp_form_make(chart, degree, 2, out));
    return tp_chart_evaluate(chart, out->count, texts, out, why);
}

tp_status tp_chart_vector(tp_chart *chart, const char *const *texts, tp_chart_field *out, tp_message *why)
{
    TP_TRY(tp_chart_field_make(chart, TP_CHART_VECTOR, 1, chart->dimension, 2, out));
    return tp_chart_evaluate(chart, out->count, texts, out, why);
}

tp_status tp_chart_metric(tp_chart *chart, const char *const *texts, tp_chart_field *out, tp_message *why)
{
    TP_TRY(tp_chart_field_make(chart, TP_CHART_METRIC, 2, chart->dimension * chart->dimension, 2, out));
    return tp_chart_evaluate(chart, out->count, texts, out, why);
}
