/* Sets of admissible impulses: dispatch over the kinds; theory/sets.md section 4. */
#include "tippe/set.h"

#include "set/cone.h"
#include "set/friction_set.h"
#include "set/small.h"

double tp_set_scale(const tp_set *set, const double *P)
{
    if (set->kind != TP_SET_FRICTION || set->master_count == 0 || P == NULL) return 1.0;
    return tp_small_norm(set->master_count, P + set->master);
}

/* A NaN stays a NaN, here and below: an invalid input must not become a valid answer. */
static double clip(double z, double lower, double upper)
{
    return z < lower ? lower : z > upper ? upper : z;
}

void tp_set_project(const tp_set *set, double scale, const double *z, double *p_out)
{
    const double *parameter = set->parameter;
    tp_friction_set D = tp_friction_of(set);
    int n = set->size;
    switch (set->kind) {
    case TP_SET_FREE: tp_small_copy(n, z, p_out); break;
    case TP_SET_ZERO: tp_small_zero(n, p_out); break;
    case TP_SET_ORTHANT:
        for (int i = 0; i < n; i++) p_out[i] = z[i] < 0.0 ? 0.0 : z[i];
        break;
    case TP_SET_BOX:
        for (int i = 0; i < n; i++) p_out[i] = clip(z[i], parameter[2 * i], parameter[2 * i + 1]);
        break;
    case TP_SET_FRICTION: tp_friction_project(&D, scale, z, p_out); break;
    case TP_SET_CONTACT:
    case TP_SET_CONE: tp_cone_project(&D, z, p_out); break;
    case TP_SET_DUAL_CONE: tp_cone_project_dual(&D, z, p_out); break;
    }
}

void tp_set_project_recession(const tp_set *set, const double *z, double *p_out)
{
    switch (set->kind) {
    case TP_SET_FRICTION: tp_small_zero(set->size, p_out); break;
    case TP_SET_BOX:
        for (int i = 0; i < set->size; i++) {
            double lower = isinf(set->parameter[2 * i]) ? -INFINITY : 0.0;
            double upper = isinf(set->parameter[2 * i + 1]) ? INFINITY : 0.0;
            p_out[i] = clip(z[i], lower, upper);
        }
        break;
    case TP_SET_FREE:
    case TP_SET_ZERO:
    case TP_SET_ORTHANT:
    case TP_SET_CONTACT:
    case TP_SET_CONE:
    case TP_SET_DUAL_CONE: tp_set_project(set, 1.0, z, p_out); break; /* cones: their own recession cone */
    }
}

/* |z - proj z| without storage for large blocks: those are row by row. */
static double distance_to_set(const tp_set *set, double scale, const double *z)
{
    double p[TP_SET_MAX], sum = 0.0;
    switch (set->kind) {
    case TP_SET_FREE: return 0.0;
    case TP_SET_ZERO: return tp_small_norm(set->size, z);
    case TP_SET_ORTHANT:
        for (int i = 0; i < set->size; i++) sum = hypot(sum, z[i] >= 0.0 ? 0.0 : z[i]);
        return sum;
    default: break;
    }
    tp_set_project(set, scale, z, p);
    for (int i = 0; i < set->size; i++) p[i] -= z[i];
    return tp_small_norm(set->size, p);
}

/* A contact with a disc, by what its projection asks first. */
static bool is_inside_ball_cone(const tp_set *set, const double *z)
{
    return set->kind == TP_SET_CONTACT && set->friction_kind == TP_FRICTION_BALL &&
           tp_small_norm(set->size - 1, z + 1) <= set->parameter[0] * z[0];
}

bool tp_set_contains(const tp_set *set, double scale, const double *z, double tolerance)
{
    if (tolerance >= 0.0 && is_inside_ball_cone(set, z)) return true;
    return distance_to_set(set, scale, z) <= tolerance;
}

/* 0 * infinity counts as 0: a direction that y does not see. */
static double product(double y, double bound)
{
    return y == 0.0 ? 0.0 : y * bound;
}

double tp_set_support(const tp_set *set, double scale, const double *y)
{
    double sum = 0.0, opposite[TP_SET_MAX] = {0.0};
    tp_friction_set D = tp_friction_of(set);
    int n = set->size;
    switch (set->kind) {
    case TP_SET_FREE:
        for (int i = 0; i < n; i++)
            if (y[i] != 0.0) return INFINITY;
        break;
    case TP_SET_ZERO: break;
    case TP_SET_ORTHANT:
        for (int i = 0; i < n; i++)
            if (!(y[i] <= 0.0)) return INFINITY;
        break;
    case TP_SET_BOX:
        for (int i = 0; i < n; i++) sum += product(y[i], set->parameter[2 * i + (y[i] > 0.0)]);
        break;
    case TP_SET_FRICTION: return fmax(scale, 0.0) * tp_friction_support(&D, y);
    case TP_SET_CONTACT:
    case TP_SET_CONE:
        for (int i = 0; i < n; i++) opposite[i] = -y[i];
        return tp_cone_dual_contains(&D, opposite) ? 0.0 : INFINITY;
    case TP_SET_DUAL_CONE:
        for (int i = 0; i < n; i++) opposite[i] = -y[i];
        return tp_cone_contains(&D, opposite) ? 0.0 : INFINITY;
    }
    return sum;
}

void tp_set_project_derivative(const tp_set *set, double scale, const double *z, double *J_out)
{
    const double *parameter = set->parameter;
    tp_friction_set D = tp_friction_of(set);
    int n = set->size;
    double opposite[TP_SET_MAX] = {0.0};
    switch (set->kind) {
    case TP_SET_FREE: tp_small_identity(n, 1.0, J_out); break;
    case TP_SET_ZERO: tp_small_zero(n * n, J_out); break;
    case TP_SET_ORTHANT:
        tp_small_zero(n * n, J_out);
        for (int i = 0; i < n; i++) J_out[i * (n + 1)] = z[i] > 0.0 ? 1.0 : 0.0;
        break;
    case TP_SET_BOX:
        tp_small_zero(n * n, J_out);
        for (int i = 0; i < n; i++)
            J_out[i * (n + 1)] = z[i] > parameter[2 * i] && z[i] < parameter[2 * i + 1] ? 1.0 : 0.0;
        break;
    case TP_SET_FRICTION: tp_friction_project_derivative(&D, scale, z, J_out, NULL); break;
    case TP_SET_CONTACT:
    case TP_SET_CONE: tp_cone_project_derivative(&D, z, J_out); break;
    case TP_SET_DUAL_CONE: /* (26) differentiated: I - J_K(-z) */
        for (int i = 0; i < n; i++) opposite[i] = -z[i];
        tp_cone_project_derivative(&D, opposite, J_out);
        for (int i = 0; i < n * n; i++) J_out[i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - J_out[i];
        break;
    }
}

/* The natural map of a law whose rows are independent; no storage, any size. */
static double rowwise_residual(const tp_set *set, const double *P, const double *xi)
{
    double sum = 0.0;
    for (int i = 0; i < set->size; i++) {
        double r = set->kind == TP_SET_FREE ? xi[i] : set->kind == TP_SET_ZERO ? P[i] : fmin(P[i], xi[i]);
        if (isnan(P[i]) || isnan(xi[i])) return NAN;
        sum = hypot(sum, r);
    }
    return sum;
}

bool tp_set_law_holds(const tp_set *set, double scale, const double *P, const double *xi, double tolerance)
{
    if (set->kind == TP_SET_FREE || set->kind == TP_SET_ZERO || set->kind == TP_SET_ORTHANT)
        return rowwise_residual(set, P, xi) <= tolerance;

    double z[TP_SET_MAX], p[TP_SET_MAX];
    tp_friction_set D = tp_friction_of(set);
    for (int i = 0; i < set->size; i++) z[i] = P[i] - xi[i];
    if (set->kind == TP_SET_CONTACT) /* the exact law: xi + s_D(xi_T) e_N (28) */
        z[0] -= tp_friction_support(&D, xi + 1);
    tp_set_project(set, scale, z, p);
    for (int i = 0; i < set->size; i++) p[i] -= P[i];
    return tp_small_norm(set->size, p) <= tolerance;
}
