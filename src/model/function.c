/* Scalar functions of (t, q, q', u). */
#include "function.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Arguments of a C function of names. */
static double value_of_names(const tp_scalar *scalar, const tp_arguments *at)
{
    for (int k = 0; k < scalar->slot_count; k++) at->work[k] = at->z[scalar->slots[scalar->place[k]]];
    return scalar->function.value_of(scalar->function.self, at->work);
}

static double gradient_of_names(const tp_scalar *scalar, const tp_arguments *at, double *gradient_out)
{
    double value = value_of_names(scalar, at), *gradient = at->work + scalar->slot_count;
    scalar->function.gradient_of(scalar->function.self, at->work, gradient);
    for (int k = 0; k < scalar->slot_count; k++) gradient_out[scalar->place[k]] = gradient[k];
    return value;
}

double tp_scalar_value(const tp_scalar *scalar, const tp_arguments *at)
{
    if (scalar->formula != NULL) return tp_formula_value(scalar->formula, at->z, at->work);
    if (scalar->place != NULL) return value_of_names(scalar, at);
    return scalar->function.value(scalar->function.self, at->z[TP_SLOT_TIME], at->q, at->u);
}

/* Plain derivatives to compact ones: C functions have all slots of t, q, and u (or the rates, which are then
 * the same). */
static void compact(const tp_scalar *scalar, double d_t, const double *d_q, const double *d_u, double *out)
{
    for (int k = 0; k < scalar->slot_count; k++) {
        int slot = scalar->slots[k];
        const double *d = tp_slot_kind_of(slot) == TP_SLOT_IS_COORDINATE ? d_q : d_u;
        out[k] = tp_slot_is_of_motion(slot) ? d[tp_slot_index(slot)] : (slot == TP_SLOT_TIME ? d_t : 0.0);
    }
}

double tp_scalar_gradient(const tp_scalar *scalar, const tp_arguments *at, double *gradient_out)
{
    if (scalar->formula != NULL) return tp_formula_gradient(scalar->formula, at->z, at->work, gradient_out);
    if (scalar->place != NULL) return gradient_of_names(scalar, at, gradient_out);
    double d_t = 0.0, *d_q = at->work, *d_u = at->work + at->coordinate_count;
    memset(at->work, 0, (size_t)(at->coordinate_count + at->velocity_count) * sizeof(double));
    scalar->function.gradient(scalar->function.self, at->z[TP_SLOT_TIME], at->q, at->u, &d_t, d_q, d_u);
    compact(scalar, d_t, d_q, d_u, gradient_out);
    return scalar->function.value(scalar->function.self, at->z[TP_SLOT_TIME], at->q, at->u);
}

double tp_scalar_rounding(const tp_scalar *scalar, const tp_arguments *at, double value)
{
    return scalar->formula != NULL ? tp_formula_rounding(scalar->formula, at->work)
                                   : DBL_EPSILON * fabs(value);
}

void tp_scalar_hessian_vector(const tp_scalar *scalar, const tp_arguments *at, const double *direction,
                              double *gradient_out, double *product_out)
{
    if (scalar->formula != NULL) {
        tp_formula_hessian_vector(scalar->formula, at->z, direction, at->work, gradient_out, product_out);
        return;
    }
    tp_scalar_gradient(scalar, at, gradient_out);
    int n = at->coordinate_count, m = at->velocity_count;
    double d_t = 0.0, *d_q = at->work, *d_u = d_q + n, *e_q = d_u + m, *e_u = e_q + n;
    memset(at->work, 0, (size_t)(n + m) * sizeof(double));
    for (int i = 0; i < n; i++) e_q[i] = direction[tp_slot_coordinate(i)];
    for (int i = 0; i < m; i++)
        e_u[i] = direction[i < at->rate_count ? tp_slot_rate(i) : tp_slot_velocity(i)];
    scalar->function.hessian_vector(scalar->function.self, at->z[TP_SLOT_TIME], at->q, at->u,
                                    direction[TP_SLOT_TIME], e_q, e_u, &d_t, d_q, d_u);
    compact(scalar, d_t, d_q, d_u, product_out);
}

bool tp_scalar_depends_on_kind(const tp_scalar *scalar, tp_slot_kind kind)
{
    for (int k = 0; k < scalar->slot_count; k++) {
        if (tp_slot_kind_of(scalar->slots[k]) == kind) return true;
    }
    return false;
}

int tp_scalar_work_size(const tp_scalar *scalar, int coordinate_count, int velocity_count)
{
    if (scalar->place != NULL) return 2 * scalar->slot_count;
    if (scalar->formula == NULL) return 2 * (coordinate_count + velocity_count);
    return tp_formula_work_size(scalar->formula);
}
