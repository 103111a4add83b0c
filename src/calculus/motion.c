/* Motions from a kinetic energy T(t,q,u) and forces on a chart (t, q, u): accelerations, the two-form of
   forces, the action form and its kernel; calculus.md (11)-(13). */
#include "jets.h"
#include "math/analysis.h"
#include "math/dense.h"
#include "tolerances.h"

/* Whether a chart is (t, q1..qn, u1..un), and the fields are functions on it. */
static bool is_motion(int dimension, const tp_chart_field *kinetic, const tp_chart_field *const *f)
{
    bool fits = dimension % 2 == 1 && dimension >= 3;
    if (kinetic != NULL)
        fits = fits && kinetic->kind == TP_CHART_FORM && kinetic->degree == 0 && kinetic->order == 2 &&
               kinetic->dimension == dimension;
    for (int i = 0; f != NULL && i < (dimension - 1) / 2; i++)
        fits = fits && f[i]->kind == TP_CHART_FORM && f[i]->degree == 0 && f[i]->dimension == dimension;
    return fits;
}

tp_status tp_motion_accelerations(const tp_chart *chart, const tp_chart_field *kinetic,
                                  const tp_chart_field *const *f, double *h_out, double *acceleration_out)
{
    int size = chart->dimension, n = (size - 1) / 2, pivot[TP_CHART_DIMENSION];
    if (!is_motion(size, kinetic, f)) return TP_INVALID_ARGUMENT;
    const double *gradient = kinetic->jet + 1, *second = gradient + size;
    double h[TP_CHART_DIMENSION], M[TP_CHART_DIMENSION * TP_CHART_DIMENSION];
    const double *u = chart->point + 1 + n;
    for (int i = 0; i < n; i++) {
        const double *row = second + (size_t)size * (size_t)(1 + n + i); /* derivatives of dT/du_i */
        h[i] = gradient[1 + i] - row[0] + (f != NULL ? f[i]->jet[0] : 0.0);
        for (int j = 0; j < n; j++) {
            h[i] -= u[j] * row[1 + j];
            M[i + n * j] = row[1 + n + j];
        }
    }
    for (int i = 0; i < n && h_out != NULL; i++) h_out[i] = h[i];
    if (acceleration_out == NULL) return TP_OK;
    TP_TRY(tp_dense_lu(n, M, n, pivot, 0.0));
    tp_dense_lu_solve(n, M, n, pivot, h);
    for (int i = 0; i < n; i++) acceleration_out[i] = h[i];
    return TP_OK;
}

/* One-forms of the chart: dx_i, and theta_i = dq_i - u_i dt. */
static tp_status make_d(tp_chart *chart, int i, tp_chart_field *out)
{
    TP_TRY(tp_form_make(chart, 1, 2, out));
    tp_jet_at(out, i)[0] = 1.0;
    return TP_OK;
}

static tp_status make_theta(tp_chart *chart, int i, tp_chart_field *out)
{
    int n = (chart->dimension - 1) / 2;
    TP_TRY(make_d(chart, 1 + i, out));
    out->jet[0] = -chart->point[1 + n + i];
    out->jet[1 + 1 + n + i] = -1.0; /* its derivative along u_i */
    return TP_OK;
}

/* sum += factor f a /\ b; f a function. */
static tp_status add_wedge(tp_chart *chart, double factor, const tp_chart_field *f, const tp_chart_field *a,
                           const tp_chart_field *b, tp_chart_field *sum)
{
    tp_chart_field wedge, scaled;
    TP_TRY(tp_form_wedge(chart, a, b, &wedge));
    TP_TRY(tp_chart_field_multiply(chart, f, &wedge, &scaled));
    for (int k = 0; k < sum->count; k++)
        tp_jet_add(chart->dimension, tp_least(sum->order, scaled.order), factor, tp_jet_at(&scaled, k),
                   tp_jet_at(sum, k));
    return TP_OK;
}

tp_status tp_force_form(tp_chart *chart, const tp_chart_field *const *f, tp_chart_field *out)
{
    int n = (chart->dimension - 1) / 2, order = 2;
    if (!is_motion(chart->dimension, NULL, f)) return TP_INVALID_ARGUMENT;
    for (int i = 0; i < n; i++) order = tp_least(order, f[i]->order);
    tp_chart_field dt, theta[TP_CHART_DIMENSION];
    TP_TRY(tp_form_make(chart, 2, order - 1, out));
    TP_TRY(make_d(chart, 0, &dt));
    for (int i = 0; i < n; i++) TP_TRY(make_theta(chart, i, &theta[i]));
    for (int i = 0; i < n; i++) {
        TP_TRY(add_wedge(chart, 1.0, f[i], &theta[i], &dt, out)); /* theta /\ dt = dq /\ dt */
        for (int j = 0; j < n; j++) {
            tp_chart_field slope;
            TP_TRY(tp_form_make(chart, 0, order - 1, &slope));
            tp_jet_add_derivative(chart->dimension, order - 1, 1.0, f[i]->jet, 1 + n + j, slope.jet);
            TP_TRY(add_wedge(chart, 0.5, &slope, &theta[i], &theta[j], out));
        }
    }
    return TP_OK;
}

tp_status tp_action_form(tp_chart *chart, const tp_chart_field *kinetic, const tp_chart_field *const *f,
                         tp_chart_field *out)
{
    int size = chart->dimension, n = (size - 1) / 2;
    if (!is_motion(size, kinetic, f)) return TP_INVALID_ARGUMENT;
    tp_chart_field one, forces;
    TP_TRY(tp_form_make(chart, 2, 0, out));
    TP_TRY(tp_form_make(chart, 0, 2, &one));
    one.jet[0] = 1.0;
    for (int i = 0; i < n; i++) {
        tp_chart_field momentum, change, theta;
        TP_TRY(tp_form_make(chart, 0, 1, &momentum));
        tp_jet_add_derivative(size, 1, 1.0, kinetic->jet, 1 + n + i, momentum.jet);
        TP_TRY(tp_form_d(chart, &momentum, &change));
        change.jet[0] -= kinetic->jet[2 + i]; /* dp - dT/dq dt */
        TP_TRY(make_theta(chart, i, &theta));
        TP_TRY(add_wedge(chart, 1.0, &one, &change, &theta, out));
    }
    if (f == NULL) return TP_OK;
    TP_TRY(tp_force_form(chart, f, &forces));
    for (int k = 0; k < out->count; k++) tp_jet_at(out, k)[0] += tp_jet_at(&forces, k)[0];
    return TP_OK;
}

tp_status tp_form_kernel(const tp_chart *chart, const tp_chart_field *form, double *out, int *rank_out)
{
    int n = chart->dimension, dimension;
    double matrix[TP_CHART_DIMENSION * TP_CHART_DIMENSION], basis[TP_CHART_DIMENSION * TP_CHART_DIMENSION];
    if (form->kind != TP_CHART_FORM || form->degree != 2 || form->dimension != n) return TP_INVALID_ARGUMENT;
    for (int e = 0; e < n * n; e++) matrix[e] = tp_form_value(chart, form, (const int[]){e % n, e / n});
    TP_TRY(tp_analysis_null_space(chart->arena.allocator, n, n, matrix, tp_null_space, basis, &dimension));
    if (rank_out != NULL) *rank_out = n - dimension;
    if (dimension != 1 || basis[0] == 0.0) return TP_SINGULAR;
    for (int i = 0; i < n; i++) out[i] = basis[i] / basis[0];
    return TP_OK;
}
