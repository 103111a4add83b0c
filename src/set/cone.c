/* Projection on the friction cone over any friction set: the normal component is the root of one increasing
   function; theory/sets.md (23)-(27). */
#include "set/cone.h"

#include "set/small.h"
#include "tolerances.h"

enum { MAX_NORMAL_STEPS = 100 }; /* bisection alone would need 60 */

bool tp_cone_contains(const tp_friction_set *D, const double *z)
{
    return z[0] >= 0.0 && tp_friction_contains(D, z[0], z + 1);
}

bool tp_cone_dual_contains(const tp_friction_set *D, const double *y)
{
    return y[0] >= tp_friction_support(D, y + 1);
}

/* A ball, the case of nearly all contacts: (25) with one length. */
static void project_on_ball_cone(int n, double mu, const double *z, double *p_out)
{
    double length = tp_small_norm(n, z + 1), normal = z[0];
    if (length <= mu * normal) {
        tp_small_copy(1 + n, z, p_out);
    } else if (normal + mu * length <= 0.0) {
        tp_small_zero(1 + n, p_out);
    } else {
        double x = (normal + mu * length) / (1.0 + mu * mu), shrink = mu * x / length;
        if (length == 0.0) shrink = 0.0; /* no friction and no tangential part */
        p_out[0] = x;
        for (int i = 1; i <= n; i++) p_out[i] = shrink * z[i];
    }
}

/* A cylinder: the largest of the roots of the linear pieces (25). */
static double normal_of_cylinder(const tp_friction_set *D, const double *z)
{
    double a = tp_small_norm(2, z + 1), b = tp_small_norm(D->dimension - 2, z + 3);
    double mu = D->parameter[0], mu_r = D->parameter[1];
    double x = fmax(fmax(0.0, z[0]), (z[0] + mu * a) / (1.0 + mu * mu));
    x = fmax(x, (z[0] + mu_r * b) / (1.0 + mu_r * mu_r));
    return fmax(x, (z[0] + mu * a + mu_r * b) / (1.0 + mu * mu + mu_r * mu_r));
}

/* h'(x) = x - n - s_D(t - proj_{xD} t) and its derivative 1 + (p/x).dp/dx, x > 0; (24). */
static double normal_defect(const tp_friction_set *D, const double *z, double x, double *slope_out)
{
    int n = D->dimension;
    double p[TP_FRICTION_MAX], rest[TP_FRICTION_MAX], J[TP_FRICTION_MAX * TP_FRICTION_MAX], slope = 1.0;
    tp_friction_project(D, x, z + 1, p);
    tp_friction_project_derivative(D, x, z + 1, J, NULL);
    for (int i = 0; i < n; i++) {
        rest[i] = z[1 + i] - p[i];
        slope += p[i] / x * ((p[i] - tp_small_dot(n, J + i * n, p)) / x); /* dp/dx = (I - J) p/x */
    }
    *slope_out = slope;
    return x - z[0] - tp_friction_support(D, rest);
}

/* Any friction set: safeguarded Newton between max(0, n) and n + s_D(t), which is positive here. */
static double normal_by_root(const tp_friction_set *D, const double *z)
{
    double support = tp_friction_support(D, z + 1), length = tp_small_norm(D->dimension, z + 1);
    double low = fmax(0.0, z[0]), high = z[0] + support;
    double mu = length > 0.0 ? support / length : 0.0; /* a ball that has the same support here */
    double x = (z[0] + support) / (1.0 + mu * mu);
    double settled = tp_friction_descriptor_of(D->kind)->is_piecewise ? tp_root_rounding : tp_root_change;
    for (int step = 0; step < MAX_NORMAL_STEPS; step++) {
        if (!(x > low && x < high)) x = 0.5 * (low + high);
        if (!(x > low && x < high)) break; /* the bracket is two neighbours, or not a number */
        double slope, defect = normal_defect(D, z, x, &slope);
        if (defect < 0.0)
            low = x;
        else if (defect > 0.0)
            high = x;
        else
            break;
        double change = -defect / slope;
        x += change;
        if (fabs(change) <= settled * x) break;
    }
    return x;
}

void tp_cone_project(const tp_friction_set *D, const double *z, double *p_out)
{
    if (D->kind == TP_FRICTION_BALL) {
        project_on_ball_cone(D->dimension, D->parameter[0], z, p_out);
        return;
    }
    if (tp_cone_contains(D, z)) {
        tp_small_copy(1 + D->dimension, z, p_out);
        return;
    }
    double x = z[0];
    if (isnan(x))
        x = NAN; /* an invalid input must not look like an open contact */
    else if (z[0] + tp_friction_support(D, z + 1) <= 0.0)
        x = 0.0; /* in the polar cone: the apex */
    else if (D->kind == TP_FRICTION_CYLINDER)
        x = normal_of_cylinder(D, z);
    else
        x = normal_by_root(D, z);
    tp_friction_project(D, x, z + 1, p_out + 1);
    p_out[0] = x;
}

/* (26): z = proj_{K*}(z) - proj_K(-z). */
void tp_cone_project_dual(const tp_friction_set *D, const double *z, double *p_out)
{
    int n = D->dimension;
    double opposite[TP_SET_MAX] = {0.0};
    for (int i = 0; i <= n; i++) opposite[i] = -z[i];
    tp_cone_project(D, opposite, opposite);
    for (int i = 0; i <= n; i++) p_out[i] = z[i] + opposite[i];
}

/* (27): implicit differentiation of (24); with b = p_T/x
     dx (1 + b.P_x) = dn + b.(I - P_t) dt,   dp_T = P_x dx + P_t dt. */
void tp_cone_project_derivative(const tp_friction_set *D, const double *z, double *J_out)
{
    int n = D->dimension, size = 1 + n;
    if (tp_cone_contains(D, z)) {
        tp_small_identity(size, 1.0, J_out);
        return;
    }
    double p[TP_SET_MAX];
    tp_cone_project(D, z, p);
    tp_small_zero(size * size, J_out);
    if (!(p[0] > 0.0)) return;

    double P_t[TP_FRICTION_MAX * TP_FRICTION_MAX], P_x[TP_FRICTION_MAX], dx[TP_SET_MAX];
    tp_friction_project_derivative(D, p[0], z + 1, P_t, P_x);
    double slope = 1.0 + tp_small_dot(n, p + 1, P_x) / p[0];
    dx[0] = 1.0 / slope;
    for (int j = 0; j < n; j++) dx[1 + j] = (p[1 + j] - tp_small_dot(n, p + 1, P_t + j * n)) / p[0] / slope;
    for (int j = 0; j < size; j++) {
        J_out[j * size] = dx[j];
        for (int i = 0; i < n; i++)
            J_out[1 + i + j * size] = P_x[i] * dx[j] + (j > 0 ? P_t[i + (j - 1) * n] : 0.0);
    }
}
