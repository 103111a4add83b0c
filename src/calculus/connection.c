/* Connections: Levi-Civita, Galilean, covariant derivatives, torsion; calculus.md (8)-(10). */
#include "jets.h"
#include "math/dense.h"

#include <string.h>

/* Symbols G^k_ij = 1/2 g^kl (d g_jl/dx_i + d g_li/dx_j - d g_ij/dx_l) for a metric [m*m] on the coordinates
   from `first` on; with a time before them also G^k_0j = G^k_j0 = 1/2 g^kl d g_lj/dt. */
typedef struct symbols {
    tp_chart *chart;
    const tp_chart_field *metric;
    int first, m;
    double *inverse; /* [m*m] jets of order 1 */
} symbols;

static double *metric_at(const symbols *s, int i, int j)
{
    return tp_jet_at(s->metric, i + s->m * j);
}

/* The inverse and its gradient, -g^-1 (dg) g^-1. */
static tp_status invert(symbols *s)
{
    int m = s->m, n = s->chart->dimension, pivot[TP_CHART_DIMENSION];
    double lu[TP_CHART_DIMENSION * TP_CHART_DIMENSION], column[TP_CHART_DIMENSION];
    size_t size = tp_jet_size(n);
    s->inverse = TP_ARENA_ARRAY(&s->chart->fields, double, (size_t)(m * m) * size);
    if (s->inverse == NULL) return TP_OUT_OF_MEMORY;
    for (int e = 0; e < m * m; e++) lu[e] = metric_at(s, e % m, e / m)[0];
    TP_TRY(tp_dense_lu(m, lu, m, pivot, 0.0));
    for (int j = 0; j < m; j++) {
        memset(column, 0, sizeof column);
        column[j] = 1.0;
        tp_dense_lu_solve(m, lu, m, pivot, column);
        for (int i = 0; i < m; i++) s->inverse[(size_t)(i + m * j) * size] = column[i];
    }
    for (int e = 0; e < m * m * m * m; e++) {
        int i = e % m, j = e / m % m, k = e / (m * m) % m, l = e / (m * m * m);
        double factor = s->inverse[(size_t)(i + m * k) * size] * s->inverse[(size_t)(l + m * j) * size];
        for (int a = 0; a < n; a++)
            s->inverse[(size_t)(i + m * j) * size + 1 + (size_t)a] -= factor * metric_at(s, k, l)[1 + a];
    }
    return TP_OK;
}

/* Adds 1/2 g^kl times a bracket (a jet of order 1) to G^k_(i j). */
static void add_symbol(const symbols *s, int l, int i, int j, const double *bracket, tp_chart_field *out)
{
    int n = s->chart->dimension;
    for (int k = 0; k < s->m; k++)
        tp_jet_add_product(n, out->order, 0.5, s->inverse + (size_t)(k + s->m * l) * tp_jet_size(n), bracket,
                           tp_jet_at(out, s->first + k + n * (i + n * j)));
}

static tp_status find_symbols(symbols *s, tp_chart_field *out)
{
    int n = s->chart->dimension, m = s->m, first = s->first;
    TP_TRY(invert(s));
    TP_TRY(tp_chart_field_make(s->chart, TP_CHART_CONNECTION, 3, n * n * n, s->metric->order - 1, out));
    for (int e = 0; e < m * m * m; e++) {
        int i = e % m, j = e / m % m, l = e / (m * m);
        double bracket[1 + TP_CHART_DIMENSION] = {0.0};
        tp_jet_add_derivative(n, out->order, 1.0, metric_at(s, j, l), first + i, bracket);
        tp_jet_add_derivative(n, out->order, 1.0, metric_at(s, l, i), first + j, bracket);
        tp_jet_add_derivative(n, out->order, -1.0, metric_at(s, i, j), first + l, bracket);
        add_symbol(s, l, first + i, first + j, bracket, out);
    }
    for (int e = 0; e < m * m && first == 1; e++) {
        int j = e % m, l = e / m;
        double bracket[1 + TP_CHART_DIMENSION] = {0.0};
        tp_jet_add_derivative(n, out->order, 1.0, metric_at(s, l, j), 0, bracket);
        add_symbol(s, l, 0, 1 + j, bracket, out);
        add_symbol(s, l, 1 + j, 0, bracket, out);
    }
    return TP_OK;
}

tp_status tp_connection_levi_civita(tp_chart *chart, const tp_chart_field *metric, tp_chart_field *out)
{
    if (metric->kind != TP_CHART_METRIC || metric->dimension != chart->dimension || metric->order < 1)
        return TP_INVALID_ARGUMENT;
    symbols s = {.chart = chart, .metric = metric, .m = chart->dimension};
    return find_symbols(&s, out);
}

tp_status tp_connection_galilean(tp_chart *chart, const char *const *mass, tp_chart_field *out,
                                 tp_message *why)
{
    int m = chart->dimension - 1;
    tp_chart_field metric;
    if (m < 1)
        return tp_fail(why, TP_INVALID_ARGUMENT, "a chart of time and positions has 2 coordinates or more");
    TP_TRY(tp_chart_field_make(chart, TP_CHART_METRIC, 2, m * m, 2, &metric));
    TP_TRY(tp_chart_evaluate(chart, m * m, mass, &metric, why));
    symbols s = {.chart = chart, .metric = &metric, .first = 1, .m = m};
    tp_status status = find_symbols(&s, out);
    return status == TP_SINGULAR ? tp_fail(why, status, "the mass matrix is singular here") : status;
}

/* out += factor G^k_(a j) X^a y for the jet y. */
static void add_turning(const tp_chart_field *connection, const tp_chart_field *along, int order,
                        double factor, int k, int j, const double *y, double *out)
{
    int n = along->dimension;
    for (int a = 0; a < n; a++) {
        double product[1 + TP_CHART_DIMENSION + TP_CHART_DIMENSION * TP_CHART_DIMENSION] = {0.0};
        tp_jet_add_product(n, order, factor, tp_jet_at(connection, k + n * (a + n * j)), tp_jet_at(along, a),
                           product);
        tp_jet_add_product(n, order, 1.0, product, y, out);
    }
}

tp_status tp_connection_derivative(tp_chart *chart, const tp_chart_field *connection,
                                   const tp_chart_field *along, const tp_chart_field *field,
                                   tp_chart_field *out)
{
    int n = chart->dimension;
    bool is_covector = field->kind == TP_CHART_FORM && field->degree == 1,
         is_vector = field->kind == TP_CHART_VECTOR, is_metric = field->kind == TP_CHART_METRIC;
    if (connection->kind != TP_CHART_CONNECTION || along->kind != TP_CHART_VECTOR ||
        !(is_covector || is_vector || is_metric) || connection->dimension != n || along->dimension != n ||
        field->dimension != n)
        return TP_INVALID_ARGUMENT;
    int order = tp_least(tp_least(connection->order, along->order), field->order - 1);
    TP_TRY(tp_chart_field_make(chart, field->kind, field->degree, field->count, order, out));
    for (int c = 0; c < field->count; c++) {
        double *jet = tp_jet_at(out, c);
        for (int a = 0; a < n; a++) {
            double derivative[1 + TP_CHART_DIMENSION] = {0.0};
            tp_jet_add_derivative(n, order, 1.0, tp_jet_at(field, c), a, derivative);
            tp_jet_add_product(n, order, 1.0, tp_jet_at(along, a), derivative, jet);
        }
        for (int j = 0; j < n; j++) {
            if (is_vector) add_turning(connection, along, order, 1.0, c, j, tp_jet_at(field, j), jet);
            if (is_covector) add_turning(connection, along, order, -1.0, j, c, tp_jet_at(field, j), jet);
            if (!is_metric) continue;
            add_turning(connection, along, order, -1.0, j, c % n, tp_jet_at(field, j + n * (c / n)), jet);
            add_turning(connection, along, order, -1.0, j, c / n, tp_jet_at(field, c % n + n * j), jet);
        }
    }
    return TP_OK;
}

tp_status tp_connection_torsion(tp_chart *chart, const tp_chart_field *connection, const tp_chart_field *x,
                                const tp_chart_field *y, tp_chart_field *out)
{
    tp_chart_field one, other, bracket, difference;
    TP_TRY(tp_connection_derivative(chart, connection, x, y, &one));
    TP_TRY(tp_connection_derivative(chart, connection, y, x, &other));
    TP_TRY(tp_vector_bracket(chart, x, y, &bracket));
    TP_TRY(tp_chart_field_add(chart, 1.0, &one, -1.0, &other, &difference));
    return tp_chart_field_add(chart, 1.0, &difference, -1.0, &bracket, out);
}
